/*
 * gap.c
 *	  Measures the gap between the search for a recoding and the optimum over
 *	  all partitions, on tables of up to a dozen tuples.
 *
 * gap [TABLES [SEED]]
 *
 * The optimum is found over all subsets: the best partition of a set is one
 * class with its first tuple, and the best partition of the rest.  Prints how
 * many answers lose how much more than that; fails if an answer's loss is
 * wrong, if a proven bound is above the optimum, or if the search finds none
 * although there is one, or the reverse.
 */
#include "standin.h"

#include <math.h>

#include "base/prng.h"
#include "miscadmin.h"
#include "search/recoding.h"

#define MOST_TUPLES 12

static Prng prng;

/*
 * A hierarchy over a few leaves, where each level merges neighbours of the one
 * below.
 */
static Hierarchy *
make_hierarchy(void)
{
	LeafTable  *table = palloc0(sizeof(LeafTable));
	uint32	   *code_of;
	int			height = 1 + prng_below(&prng, 3);

	table->height = height;
	table->nleaves = 1 + prng_below(&prng, 9);
	table->group = palloc0(sizeof(uint32 *) * (height + 1));
	table->ngroups = palloc0(sizeof(uint32) * (height + 1));
	table->label = palloc0(sizeof(char **) * (height + 1));
	for (int level = 0; level <= height; level++)
	{
		const uint32 *below = level > 1 ? table->group[level - 1] : NULL;
		uint32		group = 0;

		table->label[level] = palloc(sizeof(char *) * table->nleaves);
		table->group[level] = palloc(sizeof(uint32) * table->nleaves);
		for (uint32 leaf = 0; leaf < table->nleaves; leaf++)
		{
			bool		may_start = leaf > 0 && (below == NULL || below[leaf] != below[leaf - 1]);

			if (level < height && may_start && prng_below(&prng, 2) != 0)
				group++;
			table->group[level][leaf] = group;
			table->label[level][leaf] = "x";
		}
		table->ngroups[level] = group + 1;
	}
	return hierarchy_build(table, &code_of);
}

static void
make_attributes(Population *population)
{
	population->nattrs = 1 + prng_below(&prng, 4);
	population->attrs = palloc0(sizeof(Attribute) * population->nattrs);
	for (int a = 0; a < population->nattrs; a++)
	{
		Attribute  *attr = &population->attrs[a];

		attr->hierarchy = make_hierarchy();
		attr->weight = 1 + prng_below(&prng, 3);
		attr->max_level = attr->hierarchy->height;
	}
	population_lay_out(population);
}

static int
compare_keys(const void *a, const void *b)
{
	uint64		x = *(const uint64 *) a;
	uint64		y = *(const uint64 *) b;

	return x < y ? -1 : x > y;
}

/* Sorts and deduplicates keys; returns their number. */
static int
make_keys(const Population *population, uint64 *keys)
{
	int			n = 1 + prng_below(&prng, MOST_TUPLES);
	int			distinct = 0;

	for (int i = 0; i < n; i++)
	{
		keys[i] = 0;
		for (int a = 0; a < population->nattrs; a++)
			key_put(&keys[i], &population->attrs[a].field,
					prng_below(&prng, population->attrs[a].hierarchy->nleaves));
	}
	qsort(keys, n, sizeof(uint64), compare_keys);
	for (int i = 0; i < n; i++)
		if (i == 0 || keys[i] != keys[i - 1])
			keys[distinct++] = keys[i];
	return distinct;
}

/* Promises of the values, at times. */
static void
promise_values(Population *population)
{
	Condition	l = {.model = MODEL_L,.threshold = 2};
	Condition	t = {.model = MODEL_T,.threshold = prng_below(&prng, 10) / 10.0};

	if (prng_below(&prng, 3) == 0)
		population_promise(population, 0, &l);
	if (prng_below(&prng, 3) == 0)
		population_promise(population, 0, &t);
}

static Population *
make_population(void)
{
	Population *population = palloc0(sizeof(Population));
	uint64		keys[MOST_TUPLES];
	Histograms *values;
	int			n;

	population->context = CurrentMemoryContext;
	make_attributes(population);
	values = histograms_create(population->context, "s", COLUMN_SENSITIVE, 3);
	histograms_set_distance(values, DISTANCE_EQUAL, NULL, NULL);
	population->nsensitive = population->ncolumns = 1;
	population->columns = palloc(sizeof(Histograms *) * 2);
	population->columns[0] = values;
	n = make_keys(population, keys);
	population->tuples = tuple_table_create(population, population->context, n);
	population->tuples->ntuples = n;
	for (int i = 0; i < n; i++)
	{
		int			people = prng_below(&prng, 3) != 0 ? 1 : 1 + prng_below(&prng, 4);

		population->tuples->keys[i] = keys[i];
		population->tuples->counts[i] = people;
		population->people += people;
		for (int j = 0; j < people; j++)
			histograms_count(values, prng_below(&prng, 3), 1);
		population->tuples->slices[0][i] = histograms_close(values);
	}
	promise_values(population);
	histograms_finish(values);
	population_weigh(population);
	return population;
}

static void
make_order(RecodingOrder *order, Population *population, uint64 seed)
{
	static const Objective losses[] = {OBJECTIVE_GLM, OBJECTIVE_GLM, OBJECTIVE_NWP, OBJECTIVE_DCN};

	memset(order, 0, sizeof(RecodingOrder));
	order->population = population;
	order->promise.k = 1 + prng_below(&prng, 4);
	order->promise.limit = prng_below(&prng, 3);
	order->loss = losses[prng_below(&prng, lengthof(losses))];
	order->labels = prng_below(&prng, 2) != 0 ? LABELS_RANGE : LABELS_HIERARCHY;
	order->seed = seed;
	order->effort = 1;
}

/* ------------------------------------------------------------ optimum */

static double
measured_loss(const RecodingOrder *order, const Measures *measures)
{
	return order->loss == OBJECTIVE_NWP ? measures->nwp :
		order->loss == OBJECTIVE_DCN ? measures->dcn : measures->glm / order->population->nattrs / order->population->people;
}

/*
 * The loss of a set of tuples as the only class, with all others suppressed;
 * infinity if that is not allowed.
 */
static double
loss_alone(const RecodingOrder *order, uint32 set)
{
	const Population *population = order->population;
	Promise		promise = order->promise;
	uint32		class_of[MOST_TUPLES];
	ClassFault	fault;
	Measures	measures;

	for (uint32 i = 0; i < population->tuples->ntuples; i++)
		class_of[i] = (set >> i & 1) != 0 ? 0 : NO_CLASS;
	promise.limit = population->people;
	classes_measure(classes_of_recoding(population, class_of, 1, order->labels, &fault), &promise, &measures);
	return set != 0 && measures.classes == 0 ? INFINITY : measured_loss(order, &measures);
}

static int64
people_of(const Population *population, uint32 set)
{
	int64		people = 0;

	for (uint32 i = 0; i < population->tuples->ntuples; i++)
		if ((set >> i & 1) != 0)
			people += population->tuples->counts[i];
	return people;
}

/* The least loss of all partitions of all sets that may be shown. */
static double
optimum(const RecodingOrder *order)
{
	static double alone[1 << MOST_TUPLES];
	static double best[1 << MOST_TUPLES];	/* than suppressing all */
	uint32		nsets = 1U << order->population->tuples->ntuples;
	double		nothing = loss_alone(order, 0);
	double		least = INFINITY;

	best[0] = 0;
	for (uint32 set = 0; set < nsets; set++)
		alone[set] = loss_alone(order, set) - nothing;
	for (uint32 set = 1; set < nsets; set++)
	{
		best[set] = INFINITY;
		for (uint32 class = set; class != 0; class = (class - 1) & set)
			if ((class & set & -set) != 0)
				best[set] = Min(best[set], alone[class] + best[set & ~class]);
	}
	for (uint32 set = 0; set < nsets; set++)
		if (people_of(order->population, nsets - 1 - set) <= order->promise.limit)
			least = Min(least, nothing + best[set]);
	return least;
}

/* --------------------------------------------------------------- gaps */

/* How much of the least loss the proven bound is; fails if it is above. */
static double
proven_share(const RecodingOrder *order, double least)
{
	bool		full;
	double		bound;

	if (order->loss == OBJECTIVE_DCN)
		return 1;
	bound = recoding_bound(order, &full) / (order->loss == OBJECTIVE_NWP ? 1 : (double) order->population->nattrs * order->population->people);
	/* the optimum is a sum of differences */
	if (bound > least + 1e-12)
	{
		fprintf(stderr, "gap: the bound %.17g is above the optimum %.17g\n", bound, least);
		exit(1);
	}
	return least > 1e-12 && least < INFINITY ? bound / least : 1;
}

/* The excess of the loss over the optimum; -1 if nothing keeps the promise. */
static double
gap_of(const RecodingOrder *order, double *proven)
{
	RecodingResult *result = recoding_search(order, 0);
	double		least = optimum(order);
	double		loss;
	Classes    *shown;
	ClassFault	fault;
	Measures	measures;

	*proven = proven_share(order, least);
	if (result->feasible != (least < INFINITY))
	{
		fprintf(stderr, "gap: the search says %s, the optimum is %g\n", result->feasible ? "feasible" : "infeasible", least);
		exit(1);
	}
	if (!result->feasible)
		return -1;
	shown = classes_of_recoding(order->population, result->class_of, result->nclasses, order->labels, &fault);
	classes_measure(shown, &order->promise, &measures);
	loss = measured_loss(order, &measures);
	if (!measures.feasible || measures.suppressed != shown->suppressed || loss < least * (1 - 1e-9) - 1e-12)
	{
		fprintf(stderr, "gap: the promise is broken, or the loss %g is below the optimum %g\n", loss, least);
		exit(1);
	}
	return least > 1e-12 ? loss / least - 1 : loss;
}

int
main(int argc, char **argv)
{
	static const double bounds[] = {1e-6, 0.01, 0.05, 0.1, 0.3, INFINITY};
	int			counts[lengthof(bounds)] = {0};
	int			tables = argc > 1 ? atoi(argv[1]) : 1000;
	int			infeasible = 0;
	double		proven = 0;

	prng.state = argc > 2 ? atoi(argv[2]) : 1;
	for (int i = 0; i < tables; i++)
	{
		RecodingOrder order;
		double		gap;
		double		share;
		int			bound = 0;

		standin_begin();
		make_order(&order, make_population(), i);
		gap = gap_of(&order, &share);
		proven += share;
		standin_end();
		if (gap < 0)
		{
			infeasible++;
			continue;
		}
		while (gap >= bounds[bound])
			bound++;
		counts[bound]++;
	}
	printf("none %d, below 1%% %d, below 5%% %d, below 10%% %d, below 30%% %d, more %d; infeasible %d\n",
		   counts[0], counts[1], counts[2], counts[3], counts[4], counts[5], infeasible);
	printf("proven on average: %.1f%% of the least loss\n", 100 * proven / tables);
	/* nine of ten answers are optimal */
	return counts[0] * 10 >= (tables - infeasible) * 9 ? 0 : 1;
}
