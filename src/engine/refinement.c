/*
 * refinement.c
 *	  What classes that show one tuple tell about wider ones.
 *
 * A tuple is a combination of leaves, and a recoding has one class for each.  So
 * if all labels of a class are leaves, everybody with its tuple is in it: the
 * class is exact, and its tuple is impossible in every other class, even if
 * that shows labels which cover it.  The other tuples under a class's labels
 * are possible.  A leaf is possible if some possible tuple has it, and a branch
 * if one of its leaves is; branches are the parts of a label, at the highest
 * level that parts it.  The tuples are those of the hierarchies, whether they
 * occur or not: an attacker knows the hierarchies, and not the data.
 *
 * Each of these conclusions is certain.  Let nobody but x have the tuple u that
 * an exact class shows.  Then x is in that class, since a recoding assigns u
 * once; so nobody in another class has u.  Conversely, what remains possible
 * may still be impossible for other reasons, such as the ends of a range, so the
 * figures are the least that somebody can conclude.
 *
 * Labels do not tell a value without a leaf from any other, so its class is
 * wide.  The same is true of classes whose labels look alike; their box is
 * around those of all.
 *
 * Merging a class with another never makes fewer tuples possible, there or
 * elsewhere: its box grows, and the exact classes become fewer, since the
 * merged one has two tuples.
 */
#include "engine/refinement.h"

#include "common/int.h"
#include "miscadmin.h"

struct Refinement
{
	const Population *population;
	uint32		n;
	uint32	   *first_leaf;
	uint32	   *leaves;
	Outsiders	exact;			/* tuples of exact classes, each counted once */
	OutsideBoxes *boxes;		/* of them */
};

/* The number of combinations of leaves, or PG_INT64_MAX if there are more. */
static int64
combinations(const uint32 *leaves, int nattrs)
{
	int64		product = 1;

	for (int a = 0; a < nattrs; a++)
		if (pg_mul_s64_overflow(product, leaves[a], &product))
			return PG_INT64_MAX;
	return product;
}

static inline const uint32 *
leaves_of_box(const Refinement *refinement, uint32 box)
{
	return refinement->leaves + (Size) box * refinement->population->nattrs;
}

bool
refinement_is_wide(const Refinement *refinement, uint32 box)
{
	return combinations(leaves_of_box(refinement, box), refinement->population->nattrs) > 1;
}

Refinement *
refinement_create(const Population *population, uint32 n, uint32 *first_leaf, uint32 *leaves)
{
	Refinement *refinement = palloc0(sizeof(Refinement));
	Outsiders  *exact = &refinement->exact;
	int			nattrs = population->nattrs;
	uint32		nexact = 0;

	refinement->population = population;
	refinement->n = n;
	refinement->first_leaf = first_leaf;
	refinement->leaves = leaves;
	for (Size at = 0; at < (Size) n * nattrs; at++)
	{
		const Attribute *attr = &population->attrs[at % nattrs];

		if (attr->unknown_leaf == NO_LEAF || attr->unknown_leaf != first_leaf[at] || leaves[at] == 0)
			continue;
		first_leaf[at] = 0;
		leaves[at] = attr->hierarchy->nleaves;
	}
	for (uint32 box = 0; box < n; box++)
		nexact += combinations(leaves_of_box(refinement, box), nattrs) == 1;
	exact->keys = memset(population_alloc(population, sizeof(uint64) * population->nwords, (Size) nexact + 1), 0,
						 sizeof(uint64) * population->nwords * ((Size) nexact + 1));
	exact->counts = population_alloc(population, sizeof(int64), (Size) nexact + 1);
	for (uint32 box = 0; box < n; box++)
	{
		if (combinations(leaves_of_box(refinement, box), nattrs) != 1)
			continue;
		for (int a = 0; a < nattrs; a++)
			key_put(exact->keys + (Size) exact->ntuples * population->nwords, &population->attrs[a].field,
					first_leaf[(Size) box * nattrs + a]);
		exact->counts[exact->ntuples++] = 1;
	}
	refinement->boxes = outside_boxes_create(population, exact, CurrentMemoryContext);
	return refinement;
}

/* The boxes of classes, by class: of all of its boxes together. */
static Refinement *
refinement_of_classes(const Classes *classes)
{
	const Population *population = classes->population;
	int			nattrs = population->nattrs;
	uint32	   *first_leaf = population_alloc(population, sizeof(uint32) * nattrs, (Size) classes->n + 1);
	uint32	   *leaves = population_alloc(population, sizeof(uint32) * nattrs, (Size) classes->n + 1);

	memset(leaves, 0, sizeof(uint32) * nattrs * ((Size) classes->n + 1));
	for (uint32 box = 0; box < classes->nboxes; box++)
		for (int a = 0; a < nattrs && classes->class_of_box[box] != NO_CLASS; a++)
		{
			Size		from = (Size) box * nattrs + a;
			Size		to = (Size) classes->class_of_box[box] * nattrs + a;
			uint32		end = classes->first_leaf[from] + classes->leaves[from];

			if (leaves[to] > 0)
				end = Max(end, first_leaf[to] + leaves[to]);
			first_leaf[to] = leaves[to] > 0 ? Min(first_leaf[to], classes->first_leaf[from]) : classes->first_leaf[from];
			leaves[to] = end - first_leaf[to];
		}
	return refinement_create(population, classes->n, first_leaf, leaves);
}

/* The number of tuples under the labels of a box; a leaf for unknown values is none of a hierarchy's. */
static int64
tuples_under(const Refinement *refinement, uint32 box)
{
	const Population *population = refinement->population;
	Size		at = (Size) box * population->nattrs;
	uint32		leaves[MAX_ATTRIBUTES];

	for (int a = 0; a < population->nattrs; a++)
	{
		uint32		unknown = population->attrs[a].unknown_leaf;
		uint32		first = refinement->first_leaf[at + a];

		leaves[a] = refinement->leaves[at + a];
		if (leaves[a] > 1 && unknown != NO_LEAF && unknown >= first && unknown < first + leaves[a])
			leaves[a]--;
	}
	return combinations(leaves, population->nattrs);
}

/* The number of exact tuples in a box. */
static int64
exact_inside(const Refinement *refinement, uint32 box)
{
	Size		at = (Size) box * refinement->population->nattrs;

	return outside_boxes_count(refinement->boxes, refinement->first_leaf + at, refinement->leaves + at, PG_INT64_MAX);
}

int64
refinement_possible(const Refinement *refinement, uint32 box, int64 enough)
{
	int64		all = tuples_under(refinement, box);

	if (all <= 1 || all == PG_INT64_MAX || all - refinement->exact.ntuples >= enough)
		return all;
	return all - exact_inside(refinement, box);
}

void
refine_boxes(const Classes *classes, bool *refined)
{
	MemoryContext context = AllocSetContextCreate(classes->population->context, "anonopt refinement", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	const Refinement *refinement = refinement_of_classes(classes);
	int64		wanted = classes->population->possible;

	for (uint32 class = 0; class < classes->n; class++)
	{
		CHECK_FOR_INTERRUPTS();
		refined[class] = refinement_is_wide(refinement, class) && refinement_possible(refinement, class, wanted) < wanted;
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

/* ---------------------------------------------------- columns, one by one */

/* What is true of a class, or a tuple's people. */
#define IS_WIDE 1
#define IS_BRANCH_OUT 2
#define IS_BELOW_K 4
#define IS_CERTAIN 8

typedef struct Remains
{
	const Refinement *refinement;
	int64	   *inside;			/* by class: exact tuples under its labels */
	int64	   *possible;
	int64	   *people;
	int64		k;
	uint32	   *slices;			/* of the persons of tuples that are counted */
} Remains;

static Remains
find_remains(const Classes *classes)
{
	const Population *population = classes->population;
	Remains		remains = {.refinement = refinement_of_classes(classes),.k = PG_INT64_MAX};

	remains.inside = population_alloc(population, sizeof(int64), (Size) classes->n + 1);
	remains.possible = population_alloc(population, sizeof(int64), (Size) classes->n + 1);
	remains.people = population_alloc(population, sizeof(int64), (Size) classes->n + 1);
	remains.slices = population_alloc(population, sizeof(uint32), (Size) population->tuples->ntuples + 1);
	for (uint32 class = 0; class < classes->n; class++)
	{
		CHECK_FOR_INTERRUPTS();
		remains.inside[class] = exact_inside(remains.refinement, class);
		remains.possible[class] = refinement_possible(remains.refinement, class, PG_INT64_MAX);
		remains.people[class] = class_people(population, classes->table, class);
		remains.k = Min(remains.k, remains.people[class]);
	}
	return remains;
}

/*
 * Counts the leaves of an attribute in a box of which each tuple is exact, given
 * how many tuples of the box have each leaf.  Halves without so many are left
 * out, so this takes hardly longer than to find those leaves.
 */
static uint32
leaves_out(const Refinement *refinement, uint32 *first_leaf, uint32 *leaves, int a, int64 each)
{
	int64		inside = outside_boxes_count(refinement->boxes, first_leaf, leaves, PG_INT64_MAX);
	uint32		n = leaves[a];
	uint32		out;

	if (inside < each || inside / each == n)
		return inside / each;
	leaves[a] = n / 2;
	out = leaves_out(refinement, first_leaf, leaves, a, each);
	first_leaf[a] += n / 2;
	leaves[a] = n - n / 2;
	out += leaves_out(refinement, first_leaf, leaves, a, each);
	first_leaf[a] -= n / 2;
	leaves[a] = n;
	return out;
}

/* Whether all leaves of a branch of an attribute are out. */
static bool
lacks_branch(const Refinement *refinement, uint32 *first_leaf, uint32 *leaves, int a, int64 each)
{
	const Hierarchy *hierarchy = refinement->population->attrs[a].hierarchy;
	uint32		end = first_leaf[a] + leaves[a];
	int			level = hierarchy->height;
	bool		lacks = false;

	while (hierarchy->levels[level].label_of[first_leaf[a]] == hierarchy->levels[level].label_of[end - 1])
		level--;
	for (uint32 first = first_leaf[a]; first < end && !lacks; first += leaves[a])
	{
		uint32		label = hierarchy->levels[level].label_of[first];

		first_leaf[a] = first;
		leaves[a] = Min(hierarchy->levels[level].first_leaf[label] + hierarchy->levels[level].leaves[label], end) - first;
		lacks = leaves_out(refinement, first_leaf, leaves, a, each) == leaves[a];
	}
	return lacks;
}

/* Adds a wide class to the means. */
static void
add_class(const Remains *remains, uint32 class, double shown, double left, Refined *refined)
{
	refined->weight += remains->people[class];
	refined->leaves_shown += remains->people[class] * shown;
	refined->leaves_left += remains->people[class] * left;
	if (refined->least_possible == 0 || remains->possible[class] < refined->least_possible)
		refined->least_possible = remains->possible[class];
}

/* What is true of a class in a column. */
static uint8
mark_class(const Remains *remains, uint32 class, int a, Refined *refined)
{
	const Population *population = remains->refinement->population;
	Size		at = (Size) class * population->nattrs;
	uint32		first_leaf[MAX_ATTRIBUTES];
	uint32		leaves[MAX_ATTRIBUTES];
	uint32		n = remains->refinement->leaves[at + a];
	int64		each = combinations(remains->refinement->leaves + at, population->nattrs) / Max(n, 1);
	uint32		out = 0;

	if (n <= 1)
		return 0;
	memcpy(first_leaf, remains->refinement->first_leaf + at, sizeof(uint32) * population->nattrs);
	memcpy(leaves, remains->refinement->leaves + at, sizeof(uint32) * population->nattrs);
	if (remains->inside[class] >= each)
		out = leaves_out(remains->refinement, first_leaf, leaves, a, each);
	add_class(remains, class, n, n - out, refined);
	return IS_WIDE | (remains->possible[class] < remains->k ? IS_BELOW_K : 0) |
		(out > 0 && lacks_branch(remains->refinement, first_leaf, leaves, a, each) ? IS_BRANCH_OUT : 0);
}

/* Whether no tuple is possible that differs from a person's in one attribute only. */
static bool
is_certain(const Remains *remains, uint32 tuple, uint32 class, int a)
{
	const Population *population = remains->refinement->population;
	Size		at = (Size) class * population->nattrs + a;
	uint32		first_leaf[MAX_ATTRIBUTES];
	uint32		leaves[MAX_ATTRIBUTES];
	int64		others = (int64) remains->refinement->leaves[at] - 1;

	if (remains->inside[class] < others)
		return false;
	for (int other = 0; other < population->nattrs; other++)
	{
		first_leaf[other] = key_get(population->tuples->keys + (Size) tuple * population->nwords, &population->attrs[other].field);
		leaves[other] = 1;
	}
	first_leaf[a] = remains->refinement->first_leaf[at];
	leaves[a] = remains->refinement->leaves[at];
	return outside_boxes_count(remains->refinement->boxes, first_leaf, leaves, PG_INT64_MAX) == others;
}

/* Counts the people of whom something is true. */
static int64
people_marked(const Remains *remains, const uint8 * marks, uint8 mark)
{
	const Population *population = remains->refinement->population;
	int64		rows = 0;
	uint32		n = 0;

	for (uint32 tuple = 0; tuple < population->tuples->ntuples; tuple++)
		if ((marks[tuple] & mark) != 0)
		{
			rows += population->tuples->counts[tuple];
			if (population->has_persons)
				remains->slices[n++] = population->tuples->slices[population->ncolumns - 1][tuple];
		}
	return n == 0 ? rows : persons_together(population_persons(population), remains->slices, n, PG_INT64_MAX);
}

static void
finish(const Remains *remains, const uint8 * marks, Refined *refined)
{
	refined->people_wide = people_marked(remains, marks, IS_WIDE);
	refined->people_branch_out = people_marked(remains, marks, IS_BRANCH_OUT);
	refined->people_certain = people_marked(remains, marks, IS_CERTAIN);
	refined->people_below_k = people_marked(remains, marks, IS_BELOW_K);
	refined->leaves_shown /= Max(refined->weight, 1);
	refined->leaves_left /= Max(refined->weight, 1);
}

void
refine_classes(const Classes *classes, Refined *refined)
{
	const Population *population = classes->population;
	int			nattrs = population->nattrs;
	uint32		ntuples = population->tuples->ntuples;
	MemoryContext context = AllocSetContextCreate(population->context, "anonopt refinement", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	const Remains remains = find_remains(classes);
	uint8	   *of_class = population_alloc(population, sizeof(uint8), (Size) classes->n + 1);
	uint8	   *marks = population_alloc(population, sizeof(uint8), (Size) ntuples + 1);
	uint8	   *of_all = memset(population_alloc(population, sizeof(uint8), (Size) ntuples + 1), 0, ntuples);

	memset(refined, 0, sizeof(Refined) * (nattrs + 1));
	for (int a = 0; a < nattrs; a++)
	{
		for (uint32 class = 0; class < classes->n; class++)
		{
			CHECK_FOR_INTERRUPTS();
			of_class[class] = mark_class(&remains, class, a, &refined[a]);
		}
		for (uint32 tuple = 0; tuple < ntuples; tuple++)
		{
			uint32		class = classes->class_of[tuple];

			if (tuple % 1024 == 0)
				CHECK_FOR_INTERRUPTS();
			marks[tuple] = class < classes->n ? of_class[class] : 0;
			if (marks[tuple] != 0 && is_certain(&remains, tuple, class, a))
				marks[tuple] |= IS_CERTAIN;
			of_all[tuple] |= marks[tuple];
		}
		finish(&remains, marks, &refined[a]);
	}
	for (uint32 class = 0; class < classes->n; class++)
	{
		double		shown = 1;

		for (int a = 0; a < nattrs; a++)
			shown *= remains.refinement->leaves[(Size) class * nattrs + a];
		if (shown > 1)
			add_class(&remains, class, shown, shown - remains.inside[class], &refined[nattrs]);
	}
	finish(&remains, of_all, &refined[nattrs]);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}
