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

Refinement *
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

/* The number of exact tuples in a box, or any number from enough on. */
static int64
exact_inside(const Refinement *refinement, uint32 box, int64 enough)
{
	Size		at = (Size) box * refinement->population->nattrs;

	return outside_boxes_count(refinement->boxes, refinement->first_leaf + at, refinement->leaves + at, enough);
}

int64
refinement_possible(const Refinement *refinement, uint32 box, int64 enough)
{
	int64		all = combinations(leaves_of_box(refinement, box), refinement->population->nattrs);

	if (all <= 1 || all == PG_INT64_MAX || all - refinement->exact.ntuples >= enough)
		return all;
	return all - exact_inside(refinement, box, PG_INT64_MAX);
}

int64
refinement_of_all(const Population *population, uint32 n)
{
	int64		all = 1;

	for (int a = 0; a < population->nattrs; a++)
		if (pg_mul_s64_overflow(all, population->attrs[a].hierarchy->nleaves, &all))
			return PG_INT64_MAX;
	return all - n;
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

void
refine_node(const Population *population, Recodings node, const TupleTable *classes, bool *refined)
{
	for (uint32 class = 0; class < classes->ntuples; class++)
	{
		uint32		leaves[MAX_ATTRIBUTES];
		int64		all;

		for (int a = 0; a < population->nattrs; a++)
		{
			const Attribute *attr = &population->attrs[a];
			uint32		label = key_get(classes->keys + (Size) class * population->nwords, &attr->field);

			leaves[a] = node[a]->first_leaf[label] == attr->unknown_leaf ? attr->hierarchy->nleaves : node[a]->leaves[label];
		}
		all = combinations(leaves, population->nattrs);
		refined[class] = all > 1 && all < population->possible;
	}
}

/* ---------------------------------------------------- columns, one by one */

/* What is left of the wide classes. */
typedef struct Remains
{
	Refinement *refinement;
	int64	   *inside;			/* by class: exact tuples under its labels */
	int64	   *possible;
	int64	   *people;
	uint32	   *left;			/* by class and attribute: leaves */
	bool	   *branch_out;
	uint32	   *tally[MAX_ATTRIBUTES];	/* by leaf from the first of a
										 * class's: exact tuples with it */
} Remains;

typedef struct TallyOfClass
{
	const Remains *remains;
	const uint32 *first_leaf;
} TallyOfClass;

static void
tally_tuple(void *arg, uint32 tuple)
{
	const TallyOfClass *of = arg;
	const Refinement *refinement = of->remains->refinement;
	const Population *population = refinement->population;

	for (int a = 0; a < population->nattrs; a++)
		of->remains->tally[a][outsider_leaf(population, &refinement->exact, tuple, a) - of->first_leaf[a]]++;
}

/* Whether some branch has as many exact tuples as it has tuples. */
static bool
lacks_branch(const Hierarchy *hierarchy, uint32 first, uint32 n, const uint32 *tally, int64 each)
{
	int			level = hierarchy->height;
	const uint32 *label_of;
	bool		lacks = true;

	while (level > 0 && hierarchy->levels[level].label_of[first] == hierarchy->levels[level].label_of[first + n - 1])
		level--;
	label_of = hierarchy->levels[level].label_of + first;
	for (uint32 i = 0; i < n; i++)
	{
		if (i > 0 && label_of[i] != label_of[i - 1])
		{
			if (lacks)
				return true;
			lacks = true;
		}
		lacks = lacks && tally[i] == each;
	}
	return lacks;
}

/* Finds which leaves of a wide class are left: all, unless exact tuples have one together with all others. */
static void
find_left(Remains *remains, uint32 class)
{
	const Population *population = remains->refinement->population;
	Size		at = (Size) class * population->nattrs;
	const uint32 *first_leaf = remains->refinement->first_leaf + at;
	const uint32 *leaves = remains->refinement->leaves + at;
	int64		all = combinations(leaves, population->nattrs);
	TallyOfClass tally = {remains, first_leaf};
	uint32		most = 0;

	for (int a = 0; a < population->nattrs; a++)
	{
		remains->left[at + a] = leaves[a];
		most = Max(most, leaves[a]);
	}
	/* of the column with most leaves, each is in the fewest tuples */
	if (remains->inside[class] < all / most)
		return;
	for (int a = 0; a < population->nattrs; a++)
		memset(remains->tally[a], 0, sizeof(uint32) * leaves[a]);
	outside_boxes_visit(remains->refinement->boxes, first_leaf, leaves, tally_tuple, &tally);
	for (int a = 0; a < population->nattrs; a++)
	{
		for (uint32 i = 0; i < leaves[a] && leaves[a] > 1; i++)
			remains->left[at + a] -= remains->tally[a][i] == all / leaves[a];
		remains->branch_out[at + a] = remains->left[at + a] < leaves[a] &&
			lacks_branch(population->attrs[a].hierarchy, first_leaf[a], leaves[a], remains->tally[a], all / leaves[a]);
	}
}

static Remains *
find_remains(const Classes *classes)
{
	const Population *population = classes->population;
	Remains    *remains = palloc0(sizeof(Remains));
	Size		n = (Size) classes->n + 1;

	remains->refinement = refinement_of_classes(classes);
	remains->inside = population_alloc(population, sizeof(int64), n);
	remains->possible = population_alloc(population, sizeof(int64), n);
	remains->people = population_alloc(population, sizeof(int64), n);
	remains->left = population_alloc(population, sizeof(uint32) * population->nattrs, n);
	remains->branch_out = memset(population_alloc(population, sizeof(bool) * population->nattrs, n), 0,
								 sizeof(bool) * population->nattrs * n);
	for (int a = 0; a < population->nattrs; a++)
		remains->tally[a] = population_alloc(population, sizeof(uint32), population->attrs[a].hierarchy->nleaves);
	for (uint32 class = 0; class < classes->n; class++)
	{
		CHECK_FOR_INTERRUPTS();
		remains->people[class] = class_people(population, classes->table, class);
		if (!refinement_is_wide(remains->refinement, class))
			continue;
		remains->inside[class] = exact_inside(remains->refinement, class, PG_INT64_MAX);
		remains->possible[class] = refinement_possible(remains->refinement, class, PG_INT64_MAX);
		find_left(remains, class);
	}
	return remains;
}

/* Whether no tuple is possible that differs from a person's in one attribute only. */
static bool
is_certain(const Remains *remains, uint32 tuple, uint32 class, int a)
{
	const Population *population = remains->refinement->population;
	Size		at = (Size) class * population->nattrs;
	uint32		first_leaf[MAX_ATTRIBUTES];
	uint32		leaves[MAX_ATTRIBUTES];
	int64		others = (int64) remains->refinement->leaves[at + a] - 1;

	if (remains->inside[class] < others)
		return false;
	for (int other = 0; other < population->nattrs; other++)
	{
		first_leaf[other] = key_get(population->tuples->keys + (Size) tuple * population->nwords, &population->attrs[other].field);
		leaves[other] = 1;
	}
	first_leaf[a] = remains->refinement->first_leaf[at + a];
	leaves[a] = remains->refinement->leaves[at + a];
	return outside_boxes_count(remains->refinement->boxes, first_leaf, leaves, PG_INT64_MAX) == others;
}

/* What is true of a tuple's people. */
#define IS_WIDE 1
#define IS_BRANCH_OUT 2
#define IS_CERTAIN 4
#define IS_BELOW_K 8

static int64
people_marked(const Population *population, const uint8 * marks, uint8 mark, uint32 *slices)
{
	int64		rows = 0;
	uint32		n = 0;

	for (uint32 tuple = 0; tuple < population->tuples->ntuples; tuple++)
		if ((marks[tuple] & mark) != 0)
		{
			rows += population->tuples->counts[tuple];
			if (population->has_persons)
				slices[n++] = population->tuples->slices[population->ncolumns - 1][tuple];
		}
	return n == 0 ? rows : persons_together(population_persons(population), slices, n, PG_INT64_MAX);
}

static void
count_marked(const Population *population, const uint8 * marks, uint32 *slices, Refined *refined)
{
	refined->people_wide = people_marked(population, marks, IS_WIDE, slices);
	refined->people_branch_out = people_marked(population, marks, IS_BRANCH_OUT, slices);
	refined->people_certain = people_marked(population, marks, IS_CERTAIN, slices);
	refined->people_below_k = people_marked(population, marks, IS_BELOW_K, slices);
}

/* Means of wide classes, and the least possible, in a column; or in all of them, if that is -1. */
static void
average(const Remains *remains, int a, Refined *refined)
{
	const Refinement *refinement = remains->refinement;
	int			nattrs = refinement->population->nattrs;
	double		people = 0;

	for (uint32 class = 0; class < refinement->n; class++)
	{
		Size		at = (Size) class * nattrs;
		double		shown = 1;
		double		left;

		for (int i = a < 0 ? 0 : a; i < (a < 0 ? nattrs : a + 1); i++)
			shown *= refinement->leaves[at + i];
		if (shown <= 1)
			continue;
		left = a < 0 ? shown - remains->inside[class] : remains->left[at + a];
		people += remains->people[class];
		refined->leaves_shown += remains->people[class] * shown;
		refined->leaves_left += remains->people[class] * left;
		if (refined->least_possible == 0 || remains->possible[class] < refined->least_possible)
			refined->least_possible = remains->possible[class];
	}
	refined->leaves_shown /= Max(people, 1);
	refined->leaves_left /= Max(people, 1);
}

void
refine_classes(const Classes *classes, Refined *refined)
{
	const Population *population = classes->population;
	int			nattrs = population->nattrs;
	uint32		ntuples = population->tuples->ntuples;
	MemoryContext context = AllocSetContextCreate(population->context, "anonopt refinement", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	const Remains *remains = find_remains(classes);
	uint32	   *slices = population_alloc(population, sizeof(uint32), (Size) ntuples + 1);
	uint8	   *marks = population_alloc(population, sizeof(uint8), (Size) ntuples + 1);
	uint8	   *of_all = memset(population_alloc(population, sizeof(uint8), (Size) ntuples + 1), 0, ntuples);
	int64		k = PG_INT64_MAX;

	memset(refined, 0, sizeof(Refined) * (nattrs + 1));
	for (uint32 class = 0; class < classes->n; class++)
		k = Min(k, remains->people[class]);
	for (int a = 0; a < nattrs; a++)
	{
		for (uint32 tuple = 0; tuple < ntuples; tuple++)
		{
			uint32		class = classes->class_of[tuple];
			Size		at = (Size) class * nattrs + a;

			if (tuple % 1024 == 0)
				CHECK_FOR_INTERRUPTS();
			marks[tuple] = 0;
			if (class >= classes->n || remains->refinement->leaves[at] <= 1)
				continue;
			marks[tuple] = IS_WIDE | (remains->branch_out[at] ? IS_BRANCH_OUT : 0) |
				(is_certain(remains, tuple, class, a) ? IS_CERTAIN : 0) | (remains->possible[class] < k ? IS_BELOW_K : 0);
			of_all[tuple] |= marks[tuple];
		}
		count_marked(population, marks, slices, &refined[a]);
		average(remains, a, &refined[a]);
	}
	count_marked(population, of_all, slices, &refined[nattrs]);
	average(remains, -1, &refined[nattrs]);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}
