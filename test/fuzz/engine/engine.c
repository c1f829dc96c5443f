/*
 * engine.c
 *	  The engine outside a server: bytes become hierarchies and people, and
 *	  different ways to compute a result must agree.
 *
 * A target of libFuzzer.  Every check compares with slow and obvious code, or
 * with another part of the engine; a difference aborts.
 */
#include "standin.h"

#include <math.h>

#include "base/budget.h"
#include "compare/comparison.h"
#include "engine/node_classes.h"
#include "engine/cuts.h"
#include "engine/lattice.h"
#include "miscadmin.h"
#include "record/matches.h"
#include "record/record_search.h"
#include "record/record_parts.h"
#include "search/front.h"
#include "search/lower_bounds.h"
#include "search/searches.h"
#include "utils/memutils.h"

#define MOST_NODES 256
#define MOST_TUPLES 40

#define CHECK(condition) \
	((condition) ? (void) 0 : \
	 (fprintf(stderr, "engine.c:%d: does not hold: %s\n", __LINE__, #condition), abort()))

/* --------------------------------------------------------------- bytes */

static const uint8_t *bytes;
static size_t nbytes;
static uint64 rest;

/*
 * The next byte; bytes beyond the end are derived from all before, so that
 * short inputs go far.
 */
static unsigned
byte(void)
{
	if (nbytes > 0)
	{
		nbytes--;
		rest = word_hash(rest + *bytes + 1);
		return *bytes++;
	}
	rest = word_hash(rest + UINT64CONST(0x9e3779b97f4a7c15));
	return rest >> 56;
}

static unsigned
below(unsigned n)
{
	return byte() % n;
}

/* A number, often an odd one. */
static double
number(void)
{
	static const double odd[] = {0, 1, -1, 0.5, 2, 1e-300, 1e300, 4.9e-324, 1e15, 0.1, 3, 1.7e308};

	return below(2) ? below(256) / 64.0 : odd[below(lengthof(odd))];
}

static double
share(void)
{
	return below(65) / 64.0;
}

/* --------------------------------------------------------- hierarchies */

/* Numbers groups in order of appearance. */
static uint32
number_groups(uint32 *group, uint32 nleaves)
{
	uint32		number_of[256];
	uint32		ngroups = 0;

	memset(number_of, 0xff, sizeof(number_of));
	for (uint32 i = 0; i < nleaves; i++)
	{
		if (number_of[group[i]] == PG_UINT32_MAX)
			number_of[group[i]] = ngroups++;
		group[i] = number_of[group[i]];
	}
	return ngroups;
}

static LeafTable *
make_leaf_table(bool sound)
{
	LeafTable  *table = palloc0(sizeof(LeafTable));
	uint32		n = 1 + below(below(8) == 0 ? 130 : 10);
	int			height = below(4);

	table->height = height;
	table->nleaves = n;
	table->has_null = below(4) == 0;
	table->group = palloc0(sizeof(uint32 *) * (height + 1));
	table->ngroups = palloc0(sizeof(uint32) * (height + 1));
	table->label = palloc0(sizeof(char **) * (height + 1));
	for (int level = 0; level <= height; level++)
	{
		uint32		above[256];
		unsigned	width = 1 + below(6);

		table->label[level] = palloc(sizeof(char *) * n);
		for (uint32 i = 0; i < n; i++)
			table->label[level][i] = (i * 7 + level) % 3 ? "ab" : "b";
		if (level == 0)
			continue;
		table->group[level] = palloc(sizeof(uint32) * n);
		for (uint32 i = 0; i < (level == 1 ? n : table->ngroups[level - 1]); i++)
			above[i] = below(width);
		for (uint32 i = 0; i < n; i++)
			table->group[level][i] = sound ? above[level == 1 ? i : table->group[level - 1][i]] : below(4);
		table->ngroups[level] = number_groups(table->group[level], n);
	}
	return table;
}

/* Tries every pair of leaves, for each level. */
static uint32
count_nest_faults(const LeafTable *table)
{
	uint32		nfaults = 0;

	for (int level = 1; level < table->height; level++)
		for (uint32 g = 0; g < table->ngroups[level]; g++)
		{
			bool		faulty = false;

			for (uint32 i = 0; i < table->nleaves; i++)
				for (uint32 j = 0; j < i; j++)
					faulty |= table->group[level][i] == g && table->group[level][j] == g &&
						table->group[level + 1][i] != table->group[level + 1][j];
			nfaults += faulty;
		}
	return nfaults;
}

static void
check_recoding(const Recoding *recoding, uint32 nleaves)
{
	uint32		leaves = 0;

	CHECK(recoding->nlabels >= 1 && recoding->nlabels <= nleaves);
	for (uint32 label = 0; label < recoding->nlabels; label++)
	{
		CHECK(recoding->first_leaf[label] == leaves);
		CHECK(recoding->leaves[label] >= 1);
		for (uint32 i = 0; i < recoding->leaves[label]; i++)
			CHECK(recoding->label_of[leaves++] == label);
	}
	CHECK(leaves == nleaves);
}

static Hierarchy *
make_hierarchy(void)
{
	LeafTable  *table = make_leaf_table(true);
	uint32	   *code_of;
	Hierarchy  *hierarchy;
	bool		taken[256] = {0};

	CHECK(count_nest_faults(table) == 0);
	hierarchy = hierarchy_build(table, &code_of);
	for (uint32 i = 0; i < table->nleaves; i++)
	{
		CHECK(code_of[i] < table->nleaves && !taken[code_of[i]]);
		taken[code_of[i]] = true;
		for (uint32 j = 0; j < i; j++)
			for (int level = 1; level <= table->height; level++)
				CHECK((table->group[level][i] == table->group[level][j]) ==
					  (hierarchy->levels[level].label_of[code_of[i]] == hierarchy->levels[level].label_of[code_of[j]]));
	}
	if (!table->has_null && below(3) == 0)
		hierarchy_add_null(hierarchy);
	for (int level = 0; level <= hierarchy->height; level++)
	{
		check_recoding(&hierarchy->levels[level], hierarchy->nleaves);
		if (level > 1)
			for (uint32 i = 1; i < hierarchy->nleaves; i++)
				CHECK(hierarchy->levels[level - 1].label_of[i] != hierarchy->levels[level - 1].label_of[i - 1] ||
					  hierarchy->levels[level].label_of[i] == hierarchy->levels[level].label_of[i - 1]);
	}
	return hierarchy;
}

static void
try_unsound_hierarchy(void)
{
	LeafTable  *table = make_leaf_table(false);
	NestFault  *faults;
	uint32		nfaults = hierarchy_nest_faults(table, &faults);

	CHECK(nfaults == count_nest_faults(table));
	for (uint32 i = 0; i < nfaults; i++)
		CHECK(faults[i].above != faults[i].other && faults[i].group < table->ngroups[faults[i].level]);
}

/* ---------------------------------------------------------- population */

typedef struct Person
{
	uint32		code[MAX_ATTRIBUTES];
	uint32		value[3];
	int64		count;
} Person;

static int	person_width;

static int
compare_people(const void *a, const void *b)
{
	const Person *x = a;
	const Person *y = b;

	for (int i = 0; i < person_width; i++)
		if (x->code[i] != y->code[i])
			return x->code[i] < y->code[i] ? -1 : 1;
	return 0;
}

static Histograms *
make_histograms(Population *population, ColumnRole role)
{
	Distance	distance = below(3);
	Hierarchy  *tree = distance == DISTANCE_EQUAL ? NULL : make_hierarchy();
	uint32		nvalues = tree != NULL ? 1 + below(tree->nleaves) : 1 + below(below(4) == 0 ? 200 : 5);
	uint32	   *leaf_of = NULL;
	Histograms *histograms = histograms_create(population->context, "s", role, nvalues);

	if (tree != NULL)
	{
		leaf_of = palloc(sizeof(uint32) * nvalues);
		for (uint32 i = 0; i < nvalues; i++)
			leaf_of[i] = tree->nleaves - nvalues + i;
	}
	histograms_set_distance(histograms, distance, tree, leaf_of);
	return histograms;
}

static void
fill_tuples(Population *population, Person *people, int npeople)
{
	int			next;

	person_width = population->nattrs;
	qsort(people, npeople, sizeof(Person), compare_people);
	population->tuples = tuple_table_create(population, population->context, npeople);
	memset(population->tuples->keys, 0, sizeof(uint64) * population->nwords * npeople);
	for (int i = 0; i < npeople; i = next)
	{
		uint32		at = population->tuples->ntuples++;

		population->tuples->counts[at] = 0;
		for (int a = 0; a < population->nattrs; a++)
			key_put(population->tuples->keys + (Size) at * population->nwords, &population->attrs[a].field, people[i].code[a]);
		for (next = i; next < npeople && compare_people(&people[i], &people[next]) == 0; next++)
		{
			population->tuples->counts[at] += people[next].count;
			population->people += people[next].count;
			for (int c = 0; c < population->ncolumns; c++)
				histograms_count(population->columns[c], people[next].value[c], people[next].count);
		}
		for (int c = 0; c < population->ncolumns; c++)
			population->tuples->slices[c][at] = histograms_close(population->columns[c]);
	}
}

/* Promises of a column's values. */
static void
make_conditions(Population *population, int column)
{
	Condition	l = {.model = MODEL_L,.threshold = 1 + below(4)};
	Condition	t = {.model = MODEL_T,.threshold = share()};

	if (below(2))
		population_promise(population, column, &l);
	if (below(2))
		population_promise(population, column, &t);
}

static Population *
make_population(bool wide, bool promised)
{
	Population *population = palloc0(sizeof(Population));
	Person		people[MOST_TUPLES];
	int			npeople = 1 + below(MOST_TUPLES);
	int			nnodes = 1;

	population->context = CurrentMemoryContext;
	population->nattrs = wide ? 13 + below(6) : 1 + below(4);
	population->nsensitive = below(3);
	population->has_label = below(2);
	population->ncolumns = population->nsensitive + population->has_label;
	population->attrs = palloc0(sizeof(Attribute) * population->nattrs);
	population->columns = palloc0(sizeof(Histograms *) * (population->ncolumns + 1));
	for (int a = 0; a < population->nattrs; a++)
	{
		Attribute  *attr = &population->attrs[a];

		attr->name = "a";
		attr->hierarchy = make_hierarchy();
		attr->weight = a == 0 ? 1 + below(3) : below(5) / 2.0;
		attr->min_level = below(4) == 0 ? below(attr->hierarchy->height + 1) : 0;
		attr->max_level = below(4) == 0 ? attr->min_level + below(attr->hierarchy->height - attr->min_level + 1) : attr->hierarchy->height;
		if (!wide && nnodes * (attr->max_level - attr->min_level + 1) > MOST_NODES)
			attr->max_level = attr->min_level;
		nnodes *= attr->max_level - attr->min_level + 1;
	}
	for (int c = 0; c < population->ncolumns; c++)
		population->columns[c] = make_histograms(population, c < population->nsensitive ? COLUMN_SENSITIVE : COLUMN_CLASS_LABEL);
	population_lay_out(population);
	memset(people, 0, sizeof(people));
	for (int i = 0; i < npeople; i++)
	{
		for (int a = 0; a < population->nattrs; a++)
			people[i].code[a] = below(population->attrs[a].hierarchy->nleaves);
		for (int c = 0; c < population->ncolumns; c++)
			people[i].value[c] = below(population->columns[c]->nvalues);
		people[i].count = below(8) ? 1 : below(8) ? 1 + below(9) : INT64CONST(1) << below(56);
	}
	fill_tuples(population, people, npeople);
	for (int c = 0; c < population->nsensitive && promised; c++)
		make_conditions(population, c);
	for (int c = 0; c < population->ncolumns; c++)
		histograms_finish(population->columns[c]);
	population_weigh(population);
	return population;
}

static Promise
make_promise(const Population *population)
{
	Promise		promise = {0};

	promise.k = below(2) ? 1 + below(6) : 0;
	promise.limit = (int64) ((double) population->people * (below(2) ? 0 : share()));
	promise.limit = Min(promise.limit, population->people);
	return promise;
}

/* --------------------------------------------------------------- nodes */

typedef struct TriedNode
{
	int			levels[MAX_ATTRIBUTES];
	Measures	measures;
	int			visits;
} TriedNode;

typedef struct TriedNodes
{
	const Population *population;
	int			n;
	TriedNode	node[MOST_NODES];
} TriedNodes;

static void
list_nodes(const Population *population, TriedNodes *nodes)
{
	nodes->population = population;
	nodes->n = 1;
	memset(nodes->node, 0, sizeof(nodes->node));
	for (int a = 0; a < population->nattrs; a++)
		nodes->node[0].levels[a] = population->attrs[a].min_level;
	for (int a = 0; a < population->nattrs; a++)
	{
		int			n = nodes->n;

		for (int level = population->attrs[a].min_level + 1; level <= population->attrs[a].max_level; level++)
			for (int i = 0; i < n; i++)
			{
				nodes->node[nodes->n] = nodes->node[i];
				nodes->node[nodes->n++].levels[a] = level;
			}
	}
}

static TriedNode *
find_node(TriedNodes *nodes, const int *levels)
{
	for (int i = 0; i < nodes->n; i++)
		if (memcmp(nodes->node[i].levels, levels, sizeof(int) * nodes->population->nattrs) == 0)
			return &nodes->node[i];
	CHECK(!"a node within the declared levels");
	return NULL;
}

static int
compare_counts(const void *a, const void *b)
{
	return *(const int64 *) a < *(const int64 *) b ? -1 : *(const int64 *) a > *(const int64 *) b;
}

/* The sorted sizes of classes, which must add up to everybody. */
static int64 *
sizes_of(const Population *population, const TupleTable *classes)
{
	int64	   *sizes = palloc(sizeof(int64) * (classes->ntuples + 1));
	int64		people = 0;

	for (uint32 i = 0; i < classes->ntuples; i++)
		people += sizes[i] = classes->counts[i];
	CHECK(people == population->people);
	qsort(sizes, classes->ntuples, sizeof(int64), compare_counts);
	return sizes;
}

/* The same classes, counted by regroup. */
static void
check_class_counter(const Population *population, Recodings node, const TupleTable *classes)
{
	const uint32 *codes[MAX_ATTRIBUTES];
	uint32		ncodes[MAX_ATTRIBUTES];
	const TupleTable *tuples = population->tuples;
	ClassCounter *class_counter;
	uint32	   *class_of = palloc(sizeof(uint32) * tuples->ntuples);
	int64		people = 0;

	for (int a = 0; a < population->nattrs; a++)
	{
		codes[a] = node[a]->label_of;
		ncodes[a] = population->attrs[a].hierarchy->nleaves;
	}
	class_counter = class_counter_create(CurrentMemoryContext, population, tuples->ntuples);
	class_counter_show(class_counter, tuples->ntuples, codes, ncodes);
	class_counter_count(class_counter, tuples, class_of);
	CHECK(class_counter->classes.ntuples == classes->ntuples);
	for (uint32 i = 0; i < class_counter->classes.ntuples; i++)
		people += class_counter->classes.counts[i];
	CHECK(people == population->people);
	for (uint32 i = 0; i < tuples->ntuples; i++)
		CHECK(class_counter->classes.counts[class_of[i]] >= tuples->counts[i]);
	class_counter_find(class_counter, tuples, class_of);
	for (uint32 i = 0; i < tuples->ntuples; i++)
		CHECK(class_of[i] != NO_CLASS);
}

static void
check_measures(const Population *population, const Measures *m)
{
	double		losses = 0;

	for (int a = 0; a < population->nattrs; a++)
		losses += population->attrs[a].hierarchy->nleaves > 1 ? (double) population->people : 0;
	CHECK(m->suppressed >= 0 && m->suppressed <= population->people);
	CHECK((m->classes == 0) == (m->suppressed == population->people));
	CHECK(m->glm >= 0 && m->glm <= losses * (1 + 1e-12));
	CHECK(m->nwp >= 0 && m->nwp <= 1 + 1e-12);
	CHECK(m->cm >= 0 && m->cm <= 1);
	if (m->classes > 0)
	{
		CHECK(m->k >= 1 && m->necd >= 0 && m->necd <= 1);
		if (population->nsensitive > 0)
			CHECK(m->l >= 1 && m->t >= 0 && m->t <= 1 + 1e-12 && m->entropy_l >= 1 - 1e-9);
	}
}

static bool
count_visit(void *arg, const int *levels, const Measures *measures)
{
	TriedNode  *node = find_node(arg, levels);

	node->visits++;
	CHECK(memcmp(&node->measures, measures, sizeof(Measures)) == 0);
	return true;
}

static void
check_classes(Measurer *measurer, Recodings recodings, const TupleTable *classes, const Measures *expected)
{
	Measures	measures;

	measure(measurer, recodings, classes, &measures);
	CHECK(memcmp(&measures, expected, sizeof(Measures)) == 0);
}

/*
 * Compares every node's classes and measures, computed in all possible ways;
 * one after the other, because each drops its histograms from the top of a
 * stack.
 */
static void
check_nodes(Population *population, const Promise *promise, TriedNodes *nodes)
{
	Measurer   *measurer = measurer_create(population, promise);
	int64	  **sizes = palloc(sizeof(int64 *) * MOST_NODES);
	NodeWalk   *node_walk;
	ClassCache *cache;
	Recodings	shown;

	list_nodes(population, nodes);
	for (int i = 0; i < nodes->n; i++)
	{
		TriedNode  *node = &nodes->node[i];
		const Recoding **recodings = node_of_levels(population, node->levels);
		TupleTable *classes = population_classes(population, recodings, population->context);

		sizes[i] = sizes_of(population, classes);
		measure(measurer, recodings, classes, &node->measures);
		check_measures(population, &node->measures);
		check_class_counter(population, recodings, classes);
	}
	node_walk = node_walk_create(population, below(2) ? MOST_LEVELS_LAST : MOST_LEVELS_FIRST);
	for (int i = 0; i < nodes->n; i++)
	{
		const TupleTable *classes = node_walk_classes(node_walk, nodes->node[i].levels, &shown);

		CHECK(memcmp(sizes_of(population, classes), sizes[i], sizeof(int64) * classes->ntuples) == 0);
		check_classes(measurer, shown, classes, &nodes->node[i].measures);
	}
	node_walk_free(node_walk);
	for (int i = 0; i < nodes->n; i++)
	{
		Measures	measures;

		measure_alone(measurer, node_of_levels(population, nodes->node[i].levels), &measures);
		CHECK(memcmp(&measures, &nodes->node[i].measures, sizeof(Measures)) == 0);
	}
	lattice_measure(population, promise, 0, 0, count_visit, nodes);
	for (int i = 0; i < nodes->n; i++)
		CHECK(nodes->node[i].visits == 1);
	cache = class_cache_create(population);
	for (int i = 0; i < nodes->n; i++)
	{
		/* in any order */
		const TriedNode *node = &nodes->node[i % 2 ? i : nodes->n - 1 - i];
		const TupleTable *classes = class_cache_classes(cache, node->levels, &shown);

		check_classes(measurer, shown, classes, &node->measures);
	}
}

/* ------------------------------------------------------------ searches */

/* Whether an objective is measured here; the server's functions refuse it where columns are missing, and request what they need. */
static bool
can_measure(const Population *population, Objective objective)
{
	return objective_model(objective) < 0 && objective_has_columns(objective, population);
}

static Objectives
make_objectives(const Population *population, int most)
{
	Objectives	objectives = {0};
	int			wanted = 1 + below(most);

	for (int i = 0; i < wanted * 2 && objectives.n < wanted; i++)
	{
		Objective	objective = below(OBJECTIVES);
		bool		known = false;

		for (int j = 0; j < objectives.n; j++)
			known |= objectives.of[j] == objective;
		if (!known && can_measure(population, objective))
			objectives.of[objectives.n++] = objective;
	}
	if (objectives.n == 0)
		objectives.of[objectives.n++] = OBJECTIVE_GLM;
	return objectives;
}

/* Whether a node beats another: nowhere worse, and better or first among equals. */
static bool
beats(const TriedNode *a, const TriedNode *b, const Objectives *objectives, int nattrs)
{
	bool		better = false;

	for (int i = 0; i < objectives->n; i++)
	{
		double		x = objective_cost(objectives->of[i], &a->measures);
		double		y = objective_cost(objectives->of[i], &b->measures);

		if (x > y)
			return false;
		better |= x < y;
	}
	return better || compare_levels(a->levels, b->levels, nattrs) < 0;
}

static void
check_exact(Population *population, const Promise *promise, TriedNodes *nodes)
{
	ExactSearch search = {0};
	int			nfound = 0;

	search.population = population;
	search.promise = *promise;
	search.feasible_only = promise_given(promise, population);
	search.objectives = make_objectives(population, 3);
	exact_search(&search);
	CHECK(search.in_time);
	CHECK(search.evaluated <= nodes->n);
	for (int i = 0; i < nodes->n; i++)
	{
		const TriedNode *node = &nodes->node[i];
		bool		expected = !search.feasible_only || node->measures.feasible;
		bool		found = false;

		for (int j = 0; j < nodes->n && expected; j++)
			if (j != i && (!search.feasible_only || nodes->node[j].measures.feasible))
				expected = !beats(&nodes->node[j], node, &search.objectives, population->nattrs);
		for (int j = 0; j < node_front_size(search.front); j++)
			if (memcmp(node_front_nodes(search.front)[j].levels, node->levels, sizeof(int) * population->nattrs) == 0)
			{
				found = true;
				CHECK(memcmp(&node_front_nodes(search.front)[j].measures, &node->measures, sizeof(Measures)) == 0);
			}
		CHECK(found == expected);
		nfound += found;
	}
	CHECK(nfound == node_front_size(search.front));
}

/*
 * The feasible node that costs least, the first among equals; NULL if there is
 * none.
 */
static const TriedNode *
best_node(const Population *population, Objective loss, const TriedNodes *nodes)
{
	const Objectives objectives = {1, {loss}};
	const TriedNode *best = NULL;

	for (int i = 0; i < nodes->n; i++)
		if (nodes->node[i].measures.feasible &&
			(best == NULL || beats(&nodes->node[i], best, &objectives, population->nattrs)))
			best = &nodes->node[i];
	return best;
}

/*
 * Boxes must find that node; a search with a time limit, a feasible one and a
 * correct bound.
 */
static void
check_optimum(Population *population, const Promise *promise, TriedNodes *nodes)
{
	OptimumSearch search = {.population = population};
	const TriedNode *best;

	search.order.promise = *promise;
	do
		search.order.loss = below(OBJECTIVES);
	while (!boxes_have_bounds(search.order.loss, false) || !can_measure(population, search.order.loss));
	search.order.deadline = below(2) ? 1 + below(64) : 0;
	search.effort = below(2) ? 1 + below(200) : 0;
	best = best_node(population, search.order.loss, nodes);
	optimum_search(&search);
	CHECK(search.in_time || search.order.deadline != 0);
	CHECK(best == NULL || search.bound <= objective_cost(search.order.loss, &best->measures));
	CHECK(!search.answer.found || search.bound <= search.answer.cost);
	if (search.in_time)
	{
		CHECK(search.answer.found == (best != NULL));
		CHECK(best == NULL || memcmp(search.answer.levels, best->levels, sizeof(int) * population->nattrs) == 0);
		CHECK(best == NULL || search.bound == search.answer.cost);
	}
	if (search.answer.found)
	{
		const TriedNode *found = find_node(nodes, search.answer.levels);

		CHECK(found->measures.feasible);
		CHECK(memcmp(&found->measures, &search.answer.measures, sizeof(Measures)) == 0);
	}
}

/* The measures of the nodes with a limit but no promise. */
static void
measure_nodes(Population *population, int64 limit, TriedNodes *nodes)
{
	Promise		nothing = {.limit = limit};
	Measurer   *measurer = measurer_create(population, &nothing);

	for (int i = 0; i < nodes->n; i++)
		measure_alone(measurer, node_of_levels(population, nodes->node[i].levels), &nodes->node[i].measures);
}

static void
check_poka(Population *population, int64 limit, TriedNodes *nodes)
{
	static const Objective losses[] = {OBJECTIVE_GLM, OBJECTIVE_NWP, OBJECTIVE_DCN, OBJECTIVE_SUPPRESSED};
	PokaSearch	search = {.population = population,.promise.limit = limit,.depth = 1 + below(4),.loss = losses[below(4)],.bounds = below(2),.repair = below(2)};

	measure_nodes(population, limit, nodes);
	poka_search(&search);
	CHECK(search.nfound >= 1 && search.nfound <= nodes->n);
	for (int i = 0; i < search.nfound; i++)
		CHECK(memcmp(&find_node(nodes, search.found[i].levels)->measures, &search.found[i].measures, sizeof(Measures)) == 0);
}

static void
check_pbg_ea(Population *population, int64 limit, TriedNodes *nodes)
{
	Evolution	evolution = {.population = population};

	measure_nodes(population, limit, nodes);
	evolution.promise.limit = limit;
	evolution.objectives = make_objectives(population, 4);
	for (int i = 0; i < evolution.objectives.n; i++)
		evolution.epsilon[i] = below(2) ? default_epsilon(evolution.objectives.of[i], population) : ldexp(1, (int) below(60) - 30);
	evolution.size = 2 + below(6);
	evolution.iterations = 1 + below(6);
	evolution.crossover = share();
	evolution.mutation = share();
	evolution.local_search = below(2) ? share() : 0;
	evolution.most_nodes = below(2) ? 1 + below(20) : 0;
	evolution.bounds = below(2);
	evolution.stays = below(2);
	evolution.copies = below(2);
	evolution.seed = byte();
	pbg_ea(&evolution);
	CHECK(evolution.nfound >= 1 && evolution.evaluated <= nodes->n);
	for (int i = 0; i < evolution.nfound; i++)
		CHECK(memcmp(&find_node(nodes, evolution.found[i].levels)->measures, &evolution.found[i].measures,
					 sizeof(Measures)) == 0);
}

static void
check_quality(Population *population, int64 limit, TriedNodes *nodes)
{
	Promise		nothing = {.limit = limit};
	Objectives	objectives = make_objectives(population, 3);
	double		epsilon[MAX_OBJECTIVES];
	int		   *levels[MOST_NODES];
	int			n = below(nodes->n + 1);
	Quality		quality = {0};

	for (int i = 0; i < objectives.n; i++)
		epsilon[i] = default_epsilon(objectives.of[i], population);
	for (int i = 0; i < n; i++)
		levels[i] = nodes->node[i].levels;
	archive_quality(population, &nothing, &objectives, epsilon, n, levels, 0, &quality);
	CHECK(quality.measured == nodes->n && quality.minimal >= 1 && quality.minimal <= nodes->n);
	CHECK(quality.boxes >= 1);
	if (n == nodes->n)
		CHECK(quality.representation_ratio > 0 && quality.convergence_error >= 0);
}

static void
check_comparison(Population *population, const Promise *promise, TriedNodes *nodes)
{
	static const Property properties[] = {PROPERTY_CLASS_SIZE, PROPERTY_LOSS, PROPERTY_UTILITY,
	PROPERTY_SENSITIVE_COUNT, PROPERTY_OTHERS_COUNT};
	int			n = population->nsensitive > 0 ? 5 : 3;
	Comparison	comparisons[5];
	Comparer   *comparer = comparer_create(population, promise);

	for (int i = 0; i < 3; i++)
	{
		compare_nodes(comparer, nodes->node[below(nodes->n)].levels, nodes->node[below(nodes->n)].levels, n, properties,
					  SUMS_COUNTS | SUMS_SPREAD | SUMS_SQUARES | SUMS_VOLUME, comparisons);
		for (int p = 0; p < n; p++)
		{
			const Comparison *c = &comparisons[p];

			CHECK(c->a_over_b.records == population->people && c->b_over_a.records == population->people);
			CHECK(c->a_over_b.above == c->b_over_a.below && c->a_over_b.below == c->b_over_a.above);
			CHECK(index_sums_hv_order(&c->a_over_b) == -index_sums_hv_order(&c->b_over_a));
			CHECK(!isnan(index_sums_hv(&c->a_over_b)) && !isnan(index_sums_ln_hv(&c->b_over_a)));
			CHECK(index_sums_cov(&c->a_over_b) + index_sums_cov(&c->b_over_a) >= 1 - 1e-9);
		}
	}
}

/* ---------------------------------------------------------------- cuts */

/* A preference for bias, loss, and perhaps a few more measures. */
static Preference
make_preference(void)
{
	static const Objective others[] = {OBJECTIVE_GLM, OBJECTIVE_CLASSES, OBJECTIVE_SUM_K, OBJECTIVE_SUPPRESSED, OBJECTIVE_DCN};
	Preference	preference;
	double		necd = share();

	preference_begin(&preference, necd, share());
	for (int i = 0; i < (int) lengthof(others); i++)
		if (below(4) == 0)
			preference_add(&preference, others[i], 1 + fabs(number()), objective_rises(others[i]) ? -1e9 : 0);
	return preference;
}

static void
check_solution(Nsga2 *search, uint32 i, Promise *promise, const Preference *preference)
{
	const CutSpace *space = search->space;
	const Population *population = space->population;
	const Solution *solution = &search->solutions[i];
	const Recoding **node = palloc(sizeof(Recoding *) * population->nattrs);
	TupleTable *classes;
	Promise		nothing = {.k = 1,.keeps_all = true};
	Measures	measures;
	double		costs[MAX_PREFERRED];

	for (int a = 0; a < population->nattrs; a++)
	{
		const Attribute *attr = &population->attrs[a];
		int			nbits = space->first_bit[a + 1] - space->first_bit[a];
		bool	   *keep = palloc(sizeof(bool) * (nbits + 1));
		Recoding   *recoding;

		for (int b = 0; b < nbits; b++)
			keep[b] = cut_has(nsga2_cut(search, i), space->first_bit[a] + b);
		recoding = weighed_cut(population, a, &attr->hierarchy->levels[attr->min_level], keep);
		check_recoding(recoding, attr->hierarchy->nleaves);
		CHECK((int) recoding->nlabels == cut_groups(space, nsga2_cut(search, i), a));
		node[a] = recoding;
	}
	classes = population_classes(population, node, population->context);
	measure(measurer_create(population, promise), node, classes, &measures);
	if (!measures.feasible || measures.classes == 0)
	{
		measure(measurer_create(population, &nothing), node, classes, &measures);
		CHECK(measures.k < promise->k);
	}
	CHECK(solution->k == measures.k);
	CHECK(nsga2_costs(search, i)[0] == measures.necd);
	CHECK(nsga2_costs(search, i)[1] == measures.nwp);
	objectives_costs(&preference->measures, &measures, costs);
	for (int further = FIRST_FURTHER; further < preference->measures.n; further++)
		CHECK(nsga2_costs(search, i)[further] == costs[further]);
	CHECK(solution->ach == preference_achievement(preference, costs));
}

static void
check_nsga2(Population *population, TriedNodes *nodes)
{
	Nsga2Settings settings = {.population = population_narrow(population)};
	Preference	preference = make_preference();
	Nsga2	   *search;
	uint32	   *front;
	uint32		nfront;
	Promise		promise = {0};

	promise.k = 1 + below(6);
	promise.limit = below(3) == 0 ? 0 : below(population->people + 1);
	settings.promise = promise;
	settings.size = 2 + below(6);
	settings.crossover = share();
	settings.mutation = share();
	settings.seed = byte();
	for (int a = 0; a < population->nattrs; a++)
		settings.along_tree[a] = below(2);
	settings.plain = settings.unseeded = settings.copies = below(2);
	settings.evaluations = settings.size + below(40);
	settings.preference = preference;
	search = nsga2_begin(&settings);
	nsga2_search(search, &preference, settings.evaluations);
	nfront = nsga2_front(search, &front);
	CHECK(nfront >= 1 && nfront <= search->evaluated);
	for (uint32 i = 0; i < search->evaluated; i++)
		check_solution(search, i, &promise, &preference);
	if (search->chosen != NO_SOLUTION)
		CHECK(search->solutions[search->chosen].k >= settings.promise.k);
	worker_pool_end(search->pool);
}

static void
check_efficiency(Population *population, TriedNodes *nodes)
{
	EfficiencySearch search = {.population = population_narrow(population),.promise = {.k = 1 + below(5)},.preference = make_preference()};
	Size		expected = 0;

	measure_nodes(population, 0, nodes);
	efficiency_search(&search);
	for (int i = 0; i < nodes->n; i++)
		expected += nodes->node[i].measures.k >= search.promise.k;
	CHECK(search.nnodes == expected);
	for (Size i = 0; i < search.nnodes; i++)
	{
		const JudgedNode *judged = &search.nodes[i];
		const TriedNode *node = find_node(nodes, judged->levels);
		Efficiency	efficiency = EFFICIENCY_STRONG;

		CHECK(judged->k == node->measures.k && judged->costs[1] == node->measures.nwp && judged->ach >= search.nodes[0].ach);
		for (int j = 0; j < nodes->n; j++)
		{
			const Measures *m = &nodes->node[j].measures;

			double		costs[MAX_PREFERRED];
			bool		somewhere = false;
			bool		everywhere = true;
			bool		nowhere_worse = true;

			objectives_costs(&search.preference.measures, m, costs);
			for (int p = 0; p < search.preference.measures.n; p++)
			{
				somewhere |= costs[p] < judged->costs[p];
				everywhere &= costs[p] < judged->costs[p];
				nowhere_worse &= costs[p] <= judged->costs[p];
			}
			if (m->k < search.promise.k || !nowhere_worse)
				continue;
			if (everywhere)
				efficiency = EFFICIENCY_NONE;
			else if (efficiency == EFFICIENCY_STRONG && somewhere)
				efficiency = EFFICIENCY_WEAK;
		}
		CHECK(judged->efficiency == efficiency);
	}
}

/* ------------------------------------------------------------- records */

static Outsiders *
make_entries(const Population *population)
{
	Outsiders  *entries = palloc(sizeof(Outsiders));

	entries->ntuples = below(12);
	entries->keys = palloc0(sizeof(uint64) * population->nwords * (entries->ntuples + 1));
	entries->unknown = palloc0(sizeof(uint64) * (entries->ntuples + 1));
	entries->counts = palloc(sizeof(int64) * (entries->ntuples + 1));
	for (uint32 i = 0; i < entries->ntuples; i++)
	{
		entries->counts[i] = 1 + below(3);
		for (int a = 0; a < population->nattrs; a++)
			if (below(6))
				key_put(entries->keys + (Size) i * population->nwords, &population->attrs[a].field,
						below(population->attrs[a].hierarchy->nleaves));
			else
				entries->unknown[i] |= UINT64CONST(1) << a;
	}
	return entries;
}

/* The number of entries that match a tuple, one by one. */
static int64
count_matches(const Population *population, const Outsiders *entries, uint32 tuple, const int *levels)
{
	const uint64 *key = population->tuples->keys + (Size) tuple * population->nwords;
	int64		matches = 0;

	for (uint32 i = 0; i < (entries ? entries->ntuples : population->tuples->ntuples); i++)
	{
		bool		fits = true;

		for (int a = 0; a < population->nattrs; a++)
		{
			const Attribute *attr = &population->attrs[a];
			const Recoding *recoding = &attr->hierarchy->levels[levels[a]];
			uint32		leaf = entries && (entries->unknown[i] >> a & 1) ? NO_LEAF :
			key_get((entries ? entries->keys : population->tuples->keys) + (Size) i * population->nwords, &attr->field);
			uint32		own = recoding->label_of[key_get(key, &attr->field)];

			fits &= leaf == NO_LEAF ? recoding->leaves[own] == attr->hierarchy->nleaves : recoding->label_of[leaf] == own;
		}
		if (fits)
			matches += entries ? entries->counts[i] : population->tuples->counts[i];
	}
	return Max(matches, 1);
}

/* A tuple's risk at a node: the mean over the dictionaries. */
static double
risk_of(const RecordSearch *search, uint32 tuple, const uint32 *leaves, const int *levels)
{
	double		weight = record_weight(search->model, tuple, leaves, levels);
	double		risk = 0;

	if (search->ndictionaries < 2)
		return record_risk(search->model->risk, weight,
						   count_matches(search->population, search->ndictionaries ? search->dictionaries[0].entries : NULL, tuple, levels));
	for (int i = 0; i < search->ndictionaries; i++)
		risk += search->dictionaries[i].share *
			record_risk(search->model->risk, weight, count_matches(search->population, search->dictionaries[i].entries, tuple, levels));
	return risk;
}

/* The best node of a tuple, by trying them all. */
static bool
best_of(const RecordSearch *search, const TriedNodes *nodes, uint32 tuple, double *best_risk, double *best_utility)
{
	const Population *population = search->population;
	uint32		leaves[MAX_ATTRIBUTES];
	bool		found = false;
	double		best = 0;

	for (int a = 0; a < population->nattrs; a++)
		leaves[a] = key_get(population->tuples->keys + (Size) tuple * population->nwords, &population->attrs[a].field);
	for (int i = 0; i < nodes->n; i++)
	{
		const int  *levels = nodes->node[i].levels;
		double		utility = record_utility(search->model, leaves, levels);
		double		risk = risk_of(search, tuple, leaves, levels);
		double		cost = search->goal == GOAL_MOST_UTILITY ? -utility :
		search->goal == GOAL_BALANCE ? risk - search->bound * utility : risk;

		if ((search->goal == GOAL_LEAST_RISK && !(utility >= search->bound)) ||
			(search->goal == GOAL_MOST_UTILITY && !(risk <= search->bound)))
			continue;
		if (found && (cost > best || (cost == best && (risk > *best_risk || (risk == *best_risk && utility <= *best_utility)))))
			continue;
		found = true;
		best = cost;
		*best_risk = risk;
		*best_utility = utility;
	}
	return found;
}

/* The weight of each attribute for each tuple's owners. */
static double *
make_owners(const Population *population)
{
	Size		n = (Size) population->tuples->ntuples * population->nattrs;
	double	   *owners = palloc(sizeof(double) * (n + 1));

	for (Size i = 0; i < n; i++)
		owners[i] = below(3) ? 1 : fabs(number());
	return owners;
}

/* Up to three dictionaries, perhaps including the population itself. */
static void
make_dictionaries(const Population *population, RecordSearch *search)
{
	int			n = below(4);
	HeldDictionary *held = palloc(sizeof(HeldDictionary) * (n + 1));

	for (int i = 0; i < n; i++)
	{
		held[i].entries = below(4) ? make_entries(population) : NULL;
		held[i].share = 1.0 / n;
	}
	search->ndictionaries = n;
	search->dictionaries = held;
}

static RecordSearch
make_record_search(Population *population)
{
	RecordSearch search = {.population = population_narrow(population)};
	double	   *weights[MAX_ATTRIBUTES];

	for (int a = 0; a < population->nattrs; a++)
	{
		weights[a] = palloc(sizeof(double) * population->attrs[a].hierarchy->nleaves);
		for (uint32 i = 0; i < population->attrs[a].hierarchy->nleaves; i++)
			weights[a][i] = below(3) ? 1 : fabs(number());
	}
	search.model = record_model_create(search.population, below(RISK_MODELS), below(UTILITY_MODELS), weights,
									   below(2) ? make_owners(population) : NULL);
	make_dictionaries(population, &search);
	if (below(4) == 0)
		search.similarity = Max(share(), 0.01);
	search.goal = below(3);
	search.bound = fabs(number());
	search.general_first = search.goal == GOAL_LEAST_RISK && below(2);
	return search;
}

static void
check_records(Population *population, const TriedNodes *nodes)
{
	RecordSearch search = make_record_search(population);

	record_search(&search);
	CHECK(search.in_time);
	for (uint32 i = 0; i < population->tuples->ntuples && search.similarity == 0; i++)
	{
		const RecordAnswer *answer = answer_of(&search, i);
		double		risk = 0;
		double		utility = 0;

		CHECK(answer->found == best_of(&search, nodes, i, &risk, &utility));
		if (answer->found)
			CHECK(answer->risk == risk && answer->utility == utility);
	}
}

/*
 * Too many nodes to try them all: none of a sample must be better than the
 * answer.
 */
static void
try_wide_records(void)
{
	Population *population = make_population(true, false);
	RecordSearch search = make_record_search(population);
	TriedNodes *nodes = palloc0(sizeof(TriedNodes));

	search.similarity = 0;
	nodes->n = 60;
	for (int i = 0; i < nodes->n; i++)
		for (int a = 0; a < population->nattrs; a++)
		{
			const Attribute *attr = &population->attrs[a];

			nodes->node[i].levels[a] = attr->min_level + below(attr->max_level - attr->min_level + 1);
		}
	/* at most this many checks of the clock */
	search.deadline = 1 + 16 * byte();
	record_search(&search);
	for (uint32 i = 0; i < population->tuples->ntuples; i++)
	{
		RecordAnswer *answer = answer_of(&search, i);
		double		risk = 0;
		double		utility = 0;

		if (answer->found)
			answer_levels(&search, i, nodes->node[0].levels);
		if (!best_of(&search, nodes, i, &risk, &utility))
			continue;
		CHECK(answer->found || !search.in_time);
		if (search.in_time)
			CHECK(answer->risk == risk && answer->utility == utility);
	}
}

/* --------------------------------------------- without a population */

static void
try_walk(void)
{
	WalkLattice lattice = {.ndims = 1 + below(3),.nnodes = 1,.least_utility = number()};
	double	   *values;

	for (int d = 0; d < lattice.ndims; d++)
		lattice.nnodes *= lattice.size[d] = 1 + below(4);
	values = palloc(sizeof(double) * lattice.nnodes * 2);
	for (int i = 0; i < lattice.nnodes * 2; i++)
		values[i] = number();
	lattice.risk = values;
	lattice.utility = values + lattice.nnodes;
	for (int i = 0; i < 2; i++)
	{
		lattice.nvisited = 0;
		lattice.visited = palloc(sizeof(int) * lattice.nnodes);
		lattice.seen = palloc0(sizeof(bool) * lattice.nnodes);
		lattice.best = -1;
		(i == 0 ? walk_btda : walk_aruba) (&lattice);
		CHECK(lattice.nvisited <= lattice.nnodes && lattice.best < lattice.nnodes);
		if (lattice.best >= 0)
			CHECK(lattice.utility[lattice.best] >= lattice.least_utility);
	}
}

static void
try_jaro(void)
{
	uint32		a[40];
	uint32		b[40];
	int			na = below(40);
	int			nb = below(40);
	double		likeness;

	for (int i = 0; i < na; i++)
		a[i] = below(4);
	for (int i = 0; i < nb; i++)
		b[i] = below(4);
	likeness = jaro(a, na, b, nb);
	CHECK(likeness >= 0 && likeness <= 1);
	CHECK(jaro(a, na, a, na) == 1);
	CHECK(fabs(likeness - jaro(b, nb, a, na)) < 0.2);
}

static void
try_index_sums(void)
{
	IndexSums	all = {0};
	IndexSums	other = {0};
	IndexSums	turned = {0};
	int			n = below(30);

	for (int i = 0; i < n; i++)
	{
		double		d1 = fabs(number());
		double		d2 = fabs(number());
		int64		records = below(4) ? 1 : INT64CONST(1) << below(40);

		index_sums_add(below(2) ? &all : &other, SUMS_COUNTS | SUMS_SPREAD | SUMS_SQUARES | SUMS_VOLUME, d1, d2, records);
		index_sums_add(&turned, SUMS_COUNTS | SUMS_SPREAD | SUMS_SQUARES | SUMS_VOLUME, d2, d1, records);
	}
	index_sums_merge(&all, &other);
	CHECK(all.above == turned.below && all.records == turned.records);
	CHECK(index_sums_hv_order(&all) == -index_sums_hv_order(&turned));
	CHECK(!(index_sums_hv(&all) < 0) && !isnan(index_sums_hv(&all)) && !isnan(index_sums_ln_hv(&all)));
	CHECK(!isnan(index_sums_spr(&all)) && !isnan(index_sums_rank(&all)));
}

static void
try_archive(void)
{
	int			nobjectives = 1 + below(4);
	double		epsilon[MAX_OBJECTIVES];
	Archive    *archive;
	int			n = below(40);

	for (int i = 0; i < nobjectives; i++)
		epsilon[i] = ldexp(1, (int) below(250) * 3 - 700);
	archive = archive_create(CurrentMemoryContext, nobjectives, epsilon);
	for (int i = 0; i < n; i++)
	{
		double		costs[MAX_OBJECTIVES];

		for (int j = 0; j < nobjectives; j++)
			costs[j] = -fabs(number());
		archive_offer(archive, i, costs);
	}
	CHECK((archive_size(archive) > 0) == (n > 0));
	for (int i = 0; i < archive_size(archive); i++)
		for (int j = 0; j < archive_size(archive); j++)
			CHECK(i == j || !dominates(front_costs(archive->boxes, i), front_costs(archive->boxes, j), nobjectives));
}

/* ----------------------------------------------------------------- all */

static void
try_population(void)
{
	Population *population = make_population(false, below(3) == 0);
	Promise		promise = make_promise(population);
	TriedNodes *nodes = palloc(sizeof(TriedNodes));

	check_nodes(population, &promise, nodes);
	/* other searches are checked without promises */
	switch (population->has_conditions ? below(2) * 7 : below(8))
	{
		case 0:
			check_exact(population, &promise, nodes);
			if (promise_given(&promise, population))
				check_optimum(population, &promise, nodes);
			break;
		case 1:
			check_poka(population, promise.limit, nodes);
			break;
		case 2:
			check_pbg_ea(population, promise.limit, nodes);
			break;
		case 3:
			check_nsga2(population, nodes);
			break;
		case 4:
			check_records(population, nodes);
			break;
		case 5:
			check_quality(population, promise.limit, nodes);
			break;
		case 6:
			check_efficiency(population, nodes);
			break;
		default:
			check_comparison(population, &promise, nodes);
			break;
	}
}

static void
try_bytes(void)
{
	switch (below(16))
	{
		case 0:
			try_unsound_hierarchy();
			break;
		case 1:
			try_walk();
			break;
		case 2:
			try_jaro();
			break;
		case 3:
			try_index_sums();
			break;
		case 4:
			try_archive();
			break;
		case 5:
			try_wide_records();
			break;
		default:
			try_population();
			break;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t * data, size_t size)
{
	bytes = data;
	nbytes = size;
	rest = 0;
	standin_begin();
	/* in kB, so that memory can run out anywhere */
	budget_memory = below(8) ? 65536 : 1 + below(64);
	if (sigsetjmp(standin_error, 0) == 0)
		try_bytes();
	else if (standin_sqlstate == ERRCODE_INTERNAL_ERROR)
	{
		fprintf(stderr, "an error that cannot happen: %s\n", standin_message);
		abort();
	}
	standin_end();
	return 0;
}
