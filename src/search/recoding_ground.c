/*
 * recoding_ground.c
 *	  The tuples that a search for a recoding works on, and their hulls' loss.
 *
 * A class is a hull: the lowest and the highest code of each attribute.  The
 * hull determines how the class is shown, because leaves are in preorder: the
 * lowest label that covers two leaves covers all between them.  So the loss of
 * two classes merged follows from their hulls alone, for labels and for ranges.
 *
 * Losses are integers: the total loss of a person is 2^24, divided among the
 * attributes by weight.  Their sums are exact in any order, so a search cannot
 * go in circles, nor depend on the order of work.  Exact losses are computed
 * from the finished recoding.
 */
#include "search/recoding_parts.h"

#include <math.h>

#include "miscadmin.h"

/* Up to this many codes, the losses of pairs are in a table. */
#define TABLED_CODES 256

/*
 * A label above max_level costs this many times the total loss; two leaves
 * without a common label cost more.
 */
#define FORBIDDEN 4
#define IMPOSSIBLE 16

/* The cost of a number of leaves for a person; never 0, so that fewer are better. */
static int32
leaves_loss(const Axis *axis, uint32 first, uint32 n)
{
	return (int32) ceil(axis->unit * leaves_lost(axis->hierarchy, first, n));
}

/* Numbers the labels of min_level that occur, and assigns each tuple its code. */
static uint32 *
number_codes(Ground *ground, int a, const Recoding *lowest)
{
	const Population *population = ground->order->population;
	const Attribute *attr = &population->attrs[a];
	uint32	   *code_of = MemoryContextAllocExtended(ground->context, sizeof(uint32) * (lowest->nlabels + 1),
													 MCXT_ALLOC_ZERO | MCXT_ALLOC_HUGE);
	uint32		ncodes = 0;
	uint32	   *labels;

	for (uint32 i = 0; i < ground->ntuples; i++)
	{
		const uint64 *key = population->tuples->keys + (Size) ground->tuple[i] * population->nwords;
		uint32		label = lowest->label_of[key_get(key, &attr->field)];

		ground->codes[(Size) i * ground->nattrs + a] = label;
		code_of[label] = 1;
	}
	for (uint32 label = 0; label < lowest->nlabels; label++)
		ncodes += code_of[label];
	labels = population_alloc(population, sizeof(uint32), ncodes);
	ncodes = 0;
	for (uint32 label = 0; label < lowest->nlabels; label++)
		if (code_of[label] != 0)
		{
			labels[ncodes] = label;
			code_of[label] = ncodes++;
		}
	for (uint32 i = 0; i < ground->ntuples; i++)
	{
		uint32	   *code = &ground->codes[(Size) i * ground->nattrs + a];

		*code = code_of[*code];
	}
	ground->axes[a].ncodes = ncodes;
	pfree(code_of);
	return labels;
}

/* The level at which two codes have the same label, or the number of levels. */
static int
joining_level(const Axis *axis, uint32 low, uint32 high)
{
	int			level = 0;

	while (level < axis->nlevels && axis->label[level][low] != axis->label[level][high])
		level++;
	return level;
}

static int32
level_loss(const Axis *axis, int level, uint32 code)
{
	return level < axis->nlevels ? axis->level_loss[level][code] : IMPOSSIBLE * axis->most;
}

/* By power of two and code: the level that merges a code with so many following ones. */
static void
prepare_climb(const Population *population, Axis *axis)
{
	uint32		n = axis->ncodes;
	int			npowers = pg_leftmost_one_pos32(n) + 1;

	axis->climb = population_alloc(population, sizeof(uint8 *), npowers);
	axis->climb[0] = population_alloc(population, sizeof(uint8), n);
	for (uint32 code = 0; code + 1 < n; code++)
		axis->climb[0][code] = joining_level(axis, code, code + 1);
	for (int power = 1; power < npowers; power++)
	{
		uint32		half = 1U << (power - 1);

		axis->climb[power] = population_alloc(population, sizeof(uint8), n);
		for (uint32 code = 0; code + 2 * half < n; code++)
			axis->climb[power][code] = Max(axis->climb[power - 1][code], axis->climb[power - 1][code + half]);
	}
}

int32
axis_span_far(const Axis *axis, uint32 low, uint32 high)
{
	int			power;
	int			level;

	if (low == high)
		return axis->level_loss[0][low];
	if (axis->climb == NULL)
		return leaves_loss(axis, axis->first[low], axis->last[high] - axis->first[low] + 1);
	power = pg_leftmost_one_pos32(high - low);
	level = Max(axis->climb[power][low], axis->climb[power][high - (1U << power)]);
	return level_loss(axis, level, low);
}

static int
people_bits(const RecodingOrder *order)
{
	return pg_leftmost_one_pos64(Max(order->population->people, 1)) + 1;
}

/* The total loss of a person, as an integer chosen so that no sum overflows. */
static double
whole_loss(const RecodingOrder *order)
{
	/* if sizes or values count, labels only break ties */
	int			most = order->loss == OBJECTIVE_DCN || order->loss == OBJECTIVE_CM ? 8 : 24;

	return (double) (INT64CONST(1) << Max(Min(most, 52 - people_bits(order)), 4));
}

/* The costs of class sizes and of minorities. */
static void
set_units(Ground *ground)
{
	const RecodingOrder *order = ground->order;

	for (int a = 0; a < ground->nattrs; a++)
		ground->suppressed_loss += ground->axes[a].whole;
	ground->whole_loss = (int64) whole_loss(order);
	if (order->loss == OBJECTIVE_DCN)
	{
		ground->size_unit = INT64CONST(1) << Max(Min(12, 60 - 2 * people_bits(order)), 0);
		ground->size_shift = Max(2 * people_bits(order) - 60, 0);
		ground->whole_loss = order->population->people * ground->size_unit >> ground->size_shift;
		ground->suppressed_loss += ground->whole_loss;
	}
	if (order->loss == OBJECTIVE_CM)
	{
		ground->minority_unit = INT64CONST(1) << 14;
		ground->whole_loss = ground->minority_unit;
		ground->suppressed_loss += ground->whole_loss;
	}
}

static void
prepare_axis(Ground *ground, int a)
{
	const Population *population = ground->order->population;
	const Attribute *attr = &population->attrs[a];
	const Hierarchy *hierarchy = attr->hierarchy;
	const Recoding *lowest = &hierarchy->levels[attr->min_level];
	Axis	   *axis = &ground->axes[a];
	uint32	   *labels = number_codes(ground, a, lowest);
	uint32		n = axis->ncodes;
	double		share = 1.0 / population->nattrs;	/* of the total loss of a
													 * person */
	double		weights = 0;

	for (int i = 0; i < population->nattrs; i++)
		weights += population->attrs[i].weight;
	if (ground->order->loss == OBJECTIVE_NWP)
		share = attr->weight / weights;
	axis->nlevels = hierarchy->height - attr->min_level + 1;
	axis->allowed = attr->max_level - attr->min_level + 1;
	axis->most = (int32) whole_loss(ground->order);
	axis->hierarchy = hierarchy;
	axis->whole = whole_lost(hierarchy) > 0 ? (int32) (axis->most * share) : 0;
	axis->unit = whole_lost(hierarchy) > 0 ? (double) axis->whole / whole_lost(hierarchy) : 0;
	axis->label = population_alloc(population, sizeof(uint32 *), axis->nlevels);
	axis->level_loss = population_alloc(population, sizeof(int32 *), axis->nlevels);
	axis->first = population_alloc(population, sizeof(uint32), n);
	axis->last = population_alloc(population, sizeof(uint32), n);
	for (uint32 code = 0; code < n; code++)
	{
		axis->first[code] = lowest->first_leaf[labels[code]];
		axis->last[code] = axis->first[code] + lowest->leaves[labels[code]] - 1;
	}
	for (int level = 0; level < axis->nlevels; level++)
	{
		const Recoding *recoding = &hierarchy->levels[attr->min_level + level];

		axis->label[level] = population_alloc(population, sizeof(uint32), n);
		axis->level_loss[level] = population_alloc(population, sizeof(int32), n);
		for (uint32 code = 0; code < n; code++)
		{
			uint32		label = recoding->label_of[axis->first[code]];

			axis->label[level][code] = label;
			axis->level_loss[level][code] = leaves_loss(axis, recoding->first_leaf[label], recoding->leaves[label]);
			if (level >= axis->allowed)
				axis->level_loss[level][code] += FORBIDDEN * axis->most;
		}
	}
	if (ground->order->labels == LABELS_HIERARCHY)
		prepare_climb(population, axis);
	if (n <= TABLED_CODES)
	{
		int32	   *table = population_alloc(population, sizeof(int32), (Size) n * n);

		for (uint32 low = 0; low < n; low++)
			for (uint32 high = low; high < n; high++)
				table[(Size) low * n + high] = table[(Size) high * n + low] = axis_span_far(axis, low, high);
		axis->table = table;
	}
	pfree(labels);
}

Ground *
ground_create(const RecodingOrder *order, MemoryContext context, const uint32 *tuples, uint32 ntuples)
{
	const Population *population = order->population;
	OutsidePromise *outside = population_least_outside(order->population);
	Ground	   *ground = MemoryContextAllocZero(context, sizeof(Ground));
	MemoryContext old = MemoryContextSwitchTo(context);

	ground->order = order;
	ground->context = context;
	ground->nattrs = population->nattrs;
	ground->ncolumns = order->loss == OBJECTIVE_CM || population->has_persons ? population->ncolumns :
		population->has_conditions ? population->nsensitive : 0;
	ground->ntuples = ntuples;
	ground->tuple = population_alloc(population, sizeof(uint32), ntuples);
	ground->rank = population_alloc(population, sizeof(uint32), ntuples);
	ground->people = population_alloc(population, sizeof(int64), ntuples);
	ground->codes = population_alloc(population, sizeof(uint32), (Size) ntuples * ground->nattrs);
	ground->axes = palloc0(sizeof(Axis) * Max(ground->nattrs, 1));
	for (uint32 i = 0; i < ntuples; i++)
	{
		ground->rank[i] = i;
		ground->tuple[i] = tuples != NULL ? tuples[i] : i;
		ground->people[i] = population->tuples->counts[ground->tuple[i]];
	}
	for (int a = 0; a < ground->nattrs; a++)
	{
		CHECK_FOR_INTERRUPTS();
		prepare_axis(ground, a);
	}
	set_units(ground);
	if (outside != NULL)
	{
		/* once for all grounds of a population */
		if (outside->boxes == NULL)
			outside->boxes = outside_boxes_create(order->population, &outside->people, population->context);
		ground->outside = outside->boxes;
		ground->least_outside = (int64) outside->least;
	}
	ground->smallest = Max(order->promise.k, 1);
	for (int column = 0; column < population->nsensitive; column++)
		for (int i = 0; i < population->columns[column]->nconditions; i++)
		{
			const Condition *condition = &population->columns[column]->conditions[i];
			const Model *model = models[condition->model];

			if (model->needs_rows)
				ground->smallest = Max(ground->smallest, (int64) condition->threshold);
			ground->compares_shares = ground->compares_shares || model->compares_shares;
		}
	MemoryContextSwitchTo(old);
	return ground;
}

/* An array in a new order, which takes the old one's place. */
static void *
reordered(const Ground *ground, void *array, Size element, const uint32 *order)
{
	char	   *new = population_alloc(ground->order->population, element, ground->ntuples);

	for (uint32 i = 0; i < ground->ntuples; i++)
		memcpy(new + element * i, (char *) array + element * order[i], element);
	pfree(array);
	return new;
}

void
ground_reorder(Ground *ground, const uint32 *order)
{
	ground->codes = reordered(ground, ground->codes, sizeof(uint32) * ground->nattrs, order);
	ground->tuple = reordered(ground, ground->tuple, sizeof(uint32), order);
	ground->rank = reordered(ground, ground->rank, sizeof(uint32), order);
	ground->people = reordered(ground, ground->people, sizeof(int64), order);
}

int64
class_cost(const Ground *ground, int64 people, int64 loss, const uint32 *slices)
{
	const Population *population = ground->order->population;
	int			column = population->nsensitive;
	int64		cost = size_cost(ground, people, loss);

	if (ground->minority_unit > 0)
		cost += ground->minority_unit * (people - population->columns[column]->slices[slices[column]].most);
	return cost;
}

/* The leaves under a class's label of an attribute, given its lowest and highest code. */
static void
shown_run(const Ground *ground, int a, uint32 low, uint32 high, uint32 *first, uint32 *leaves)
{
	const Axis *axis = &ground->axes[a];
	int			level = low == high ? 0 : joining_level(axis, low, high);

	*first = axis->first[low];
	*leaves = axis->last[high] - axis->first[low] + 1;
	if (ground->order->labels == LABELS_HIERARCHY && level < axis->nlevels)
	{
		int			min_level = ground->order->population->attrs[a].min_level;
		const Recoding *recoding = &axis->hierarchy->levels[min_level + level];

		*first = recoding->first_leaf[axis->label[level][low]];
		*leaves = recoding->leaves[axis->label[level][low]];
	}
}

void
hull_runs(const Ground *ground, const uint32 *hull, uint32 *first_leaf, uint32 *leaves)
{
	for (int a = 0; a < ground->nattrs; a++)
		shown_run(ground, a, hull[a], hull[ground->nattrs + a], &first_leaf[a], &leaves[a]);
}

bool
hull_has_labels(const Ground *ground, const uint32 *hull)
{
	for (int a = 0; a < ground->nattrs && ground->order->labels == LABELS_HIERARCHY; a++)
	{
		uint32		low = hull[a];
		uint32		high = hull[ground->nattrs + a];

		if (low != high && joining_level(&ground->axes[a], low, high) >= ground->axes[a].nlevels)
			return false;
	}
	return true;
}

bool
keeps_promise(const Ground *ground, const uint32 *hull, int64 people, const uint32 *slices)
{
	const Population *population = ground->order->population;
	const Promise *promise = &ground->order->promise;
	uint32		first[MAX_ATTRIBUTES];
	uint32		leaves[MAX_ATTRIBUTES];

	if (people < ground->smallest)
		return false;
	if (ground->outside != NULL)
	{
		/*
		 * enough people outside must have the labels; those of two merged
		 * classes cover what either covers, so merging keeps it
		 */
		hull_runs(ground, hull, first, leaves);
		if (outside_boxes_count(ground->outside, first, leaves, ground->least_outside) < ground->least_outside)
			return false;
	}
	if (ground->ncolumns == 0)
		return true;
	if (population->has_persons &&
		persons_size(population_persons(population), slices[population->ncolumns - 1]) < promise->k)
		return false;
	for (int column = 0; column < population->nsensitive; column++)
		if (population->columns[column]->slices[slices[column]].breaks != 0)
			return false;
	return true;
}
