/*
 * shown_runs.c
 *	  The usefulness of data as a release shows them: classes of people, each
 *	  with a run of leaves for each attribute.
 *
 * A label covers a run of leaves, since leaves are numbered in preorder. An
 * analyst of a release knows only that run of a person, and divides the person
 * evenly among its leaves.  All measures do so, and thus need only one
 * computation for the original data, whose runs are single leaves, and for the
 * release.
 */
#include "compare/shown_runs.h"

#include <math.h>

#include "base/budget.h"
#include "miscadmin.h"

/* A sum of fractions below this counts as zero. */
#define RESIDUE 1e-7

static ShownRuns *
runs_create(const Population *population, uint32 room)
{
	ShownRuns  *runs = palloc0(sizeof(ShownRuns));
	Size		size = (Size) room + 1;

	runs->population = population;
	runs->counts = budget_alloc(sizeof(int64), size);
	runs->first_leaf = budget_alloc(sizeof(uint32) * population->nattrs, size);
	runs->leaves = budget_alloc(sizeof(uint32) * population->nattrs, size);
	runs->slices = palloc(sizeof(uint32 *) * (population->ncolumns + 1));
	for (int column = 0; column < population->ncolumns; column++)
		runs->slices[column] = budget_alloc(sizeof(uint32), size);
	return runs;
}

static void
runs_add(ShownRuns *runs, const TupleTable *table, uint32 class)
{
	runs->counts[runs->n] = table->counts[class];
	runs->people += table->counts[class];
	for (int column = 0; column < runs->population->ncolumns; column++)
		runs->slices[column][runs->n] = table->slices[column][class];
	runs->n++;
}

ShownRuns *
runs_of_tuples(const Population *population)
{
	const TupleTable *tuples = population->tuples;
	ShownRuns  *runs = runs_create(population, tuples->ntuples);

	for (uint32 i = 0; i < tuples->ntuples; i++)
	{
		for (int a = 0; a < population->nattrs; a++)
		{
			Size		at = (Size) i * population->nattrs + a;

			runs->first_leaf[at] = key_get(tuples->keys + (Size) i * population->nwords, &population->attrs[a].field);
			runs->leaves[at] = 1;
		}
		runs_add(runs, tuples, i);
	}
	return runs;
}

ShownRuns *
runs_of_classes(const Population *population, const TupleTable *classes, const uint32 *first_leaf, const uint32 *leaves,
				const bool *shown)
{
	int			nattrs = population->nattrs;
	ShownRuns  *runs = runs_create(population, classes->ntuples);

	for (uint32 class = 0; class < classes->ntuples; class++)
	{
		if (!shown[class])
			continue;
		memcpy(runs->first_leaf + (Size) runs->n * nattrs, first_leaf + (Size) class * nattrs, sizeof(uint32) * nattrs);
		memcpy(runs->leaves + (Size) runs->n * nattrs, leaves + (Size) class * nattrs, sizeof(uint32) * nattrs);
		runs_add(runs, classes, class);
	}
	return runs;
}

/* Turns differences between neighbours into running sums. */
static void
add_up(double *values, uint32 n)
{
	double		sum = 0;

	for (uint32 i = 0; i < n; i++)
	{
		sum += values[i];
		values[i] = fabs(sum) < RESIDUE ? 0 : sum;
	}
}

double *
people_by_leaf(const ShownRuns *runs, int attr)
{
	uint32		nleaves = runs->population->attrs[attr].hierarchy->nleaves;
	double	   *people = budget_alloc_zero(sizeof(double), (Size) nleaves + 1);

	for (uint32 class = 0; class < runs->n; class++)
	{
		Size		at = (Size) class * runs->population->nattrs + attr;
		double		share = (double) runs->counts[class] / runs->leaves[at];

		people[runs->first_leaf[at]] += share;
		people[runs->first_leaf[at] + runs->leaves[at]] -= share;
	}
	add_up(people, nleaves);
	return people;
}

double *
people_by_value(const ShownRuns *runs, int column)
{
	const Histograms *histograms = runs->population->columns[column];
	double	   *people = budget_alloc_zero(sizeof(double), (Size) histograms->nvalues + 1);

	for (uint32 class = 0; class < runs->n; class++)
	{
		const Slice *slice = &histograms->slices[runs->slices[column][class]];

		for (uint32 i = 0; i < slice->length; i++)
			people[histograms->entries[slice->start + i].value] += (double) histograms->entries[slice->start + i].count;
	}
	return people;
}

double
total_variation(const double *a, double a_people, const double *b, double b_people, uint32 n)
{
	double		sum = 0;

	if (a_people <= 0 || b_people <= 0)
		return 1;
	for (uint32 i = 0; i < n; i++)
		sum += fabs(a[i] / a_people - b[i] / b_people);
	return sum / 2;
}

double
earth_movers(const double *a, double a_people, const double *b, double b_people, uint32 n)
{
	double		ahead = 0;
	double		moved = 0;

	if (a_people <= 0 || b_people <= 0)
		return 1;
	for (uint32 i = 0; i + 1 < n; i++)
	{
		ahead += a[i] / a_people - b[i] / b_people;
		moved += fabs(ahead);
	}
	return n > 1 ? moved / (n - 1) : 0;
}

/* ------------------------------------------------------------ associations */

Grouping
group_evenly(const double *people, uint32 n)
{
	Grouping	groups = {0};
	double		all = 0;
	double		before = 0;
	double		begun = 0;		/* people before the last group */

	for (uint32 i = 0; i < n; i++)
		all += people[i];
	for (uint32 i = 0; i < n; i++)
	{
		bool		begins = groups.n == 0 || n <= ASSOCIATION_GROUPS || before >= all * groups.n / ASSOCIATION_GROUPS;

		if (begins && groups.n < ASSOCIATION_GROUPS)
		{
			groups.ninhabited += before > begun;
			begun = before;
			groups.start[groups.n++] = i;
		}
		before += people[i];
	}
	groups.ninhabited += before > begun;
	groups.start[groups.n] = n;
	return groups;
}

/* The group that a leaf or value is in. */
static uint32
group_of(const Grouping *groups, uint32 value)
{
	uint32		group = 0;

	while (group + 1 < groups->n && groups->start[group + 1] <= value)
		group++;
	return group;
}

/*
 * Shares of a class's run by group, starting with its first group; returns the
 * number of groups.
 */
static uint32
share_of_groups(const ShownRuns *runs, uint32 class, int a, const Grouping *groups, uint32 *first, double *shares)
{
	Size		at = (Size) class * runs->population->nattrs + a;
	uint32		low = runs->first_leaf[at];
	uint32		high = low + runs->leaves[at];
	uint32		n = 0;

	*first = group_of(groups, low);
	for (uint32 group = *first; group < groups->n && groups->start[group] < high; group++)
		shares[n++] = (double) (Min(high, groups->start[group + 1]) - Max(low, groups->start[group])) / (high - low);
	return n;
}

/* People by two groups. */
typedef struct CrossTable
{
	double		people[ASSOCIATION_GROUPS][ASSOCIATION_GROUPS];
} CrossTable;

/* Cramér's V, from the sum of n²/(row · column). */
static double
cramers_v(const CrossTable *table, const Grouping *groups_a, const Grouping *groups_b)
{
	uint32		n = Min(groups_a->ninhabited, groups_b->ninhabited);
	double		rows[ASSOCIATION_GROUPS] = {0};
	double		columns[ASSOCIATION_GROUPS] = {0};
	double		sum = 0;

	if (n < 2)
		return 0;
	for (int i = 0; i < ASSOCIATION_GROUPS; i++)
		for (int j = 0; j < ASSOCIATION_GROUPS; j++)
		{
			rows[i] += table->people[i][j];
			columns[j] += table->people[i][j];
		}
	for (int i = 0; i < ASSOCIATION_GROUPS; i++)
		for (int j = 0; j < ASSOCIATION_GROUPS; j++)
			if (table->people[i][j] > 0)
				sum += table->people[i][j] / rows[i] * (table->people[i][j] / columns[j]);
	return sqrt(Max(Min((sum - 1) / (n - 1), 1), 0));
}

double
attributes_association(const ShownRuns *runs, int a, const Grouping *groups_a, int b, const Grouping *groups_b)
{
	CrossTable	table = {0};

	for (uint32 class = 0; class < runs->n; class++)
	{
		double		shares_a[ASSOCIATION_GROUPS];
		double		shares_b[ASSOCIATION_GROUPS];
		uint32		first_a;
		uint32		first_b;
		uint32		na = share_of_groups(runs, class, a, groups_a, &first_a, shares_a);
		uint32		nb = share_of_groups(runs, class, b, groups_b, &first_b, shares_b);

		if (class % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		for (uint32 i = 0; i < na; i++)
			for (uint32 j = 0; j < nb; j++)
				table.people[first_a + i][first_b + j] += (double) runs->counts[class] * shares_a[i] * shares_b[j];
	}
	return cramers_v(&table, groups_a, groups_b);
}

double
column_association(const ShownRuns *runs, int a, const Grouping *groups_a, int column, const Grouping *groups)
{
	const Histograms *histograms = runs->population->columns[column];
	CrossTable	table = {0};

	for (uint32 class = 0; class < runs->n; class++)
	{
		const Slice *slice = &histograms->slices[runs->slices[column][class]];
		double		shares[ASSOCIATION_GROUPS];
		uint32		first;
		uint32		n = share_of_groups(runs, class, a, groups_a, &first, shares);

		if (class % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		for (uint32 i = 0; i < slice->length; i++)
		{
			const ValueCount *entry = &histograms->entries[slice->start + i];
			uint32		group = group_of(groups, entry->value);

			for (uint32 j = 0; j < n; j++)
				table.people[first + j][group] += (double) entry->count * shares[j];
		}
	}
	return cramers_v(&table, groups_a, groups);
}

/* ----------------------------------------------------------------- queries */

RangeQuery
random_range_query(const Population *population, Prng *prng)
{
	uint32		wanted = 1 + prng_below(prng, 3);
	RangeQuery	query = {.nattrs = Min((int) wanted, population->nattrs)};

	for (int i = 0; i < query.nattrs; i++)
	{
		bool		taken = true;
		uint32		nleaves;
		uint32		x;
		uint32		y;

		while (taken)
		{
			query.attrs[i] = prng_below(prng, population->nattrs);
			taken = false;
			for (int j = 0; j < i; j++)
				taken = taken || query.attrs[j] == query.attrs[i];
		}
		nleaves = population->attrs[query.attrs[i]].hierarchy->nleaves;
		x = prng_below(prng, nleaves);
		y = prng_below(prng, nleaves);
		query.first[i] = Min(x, y);
		query.last[i] = Max(x, y);
	}
	return query;
}

double
range_query_count(const ShownRuns *runs, const RangeQuery *query)
{
	double		people = 0;

	for (uint32 class = 0; class < runs->n; class++)
	{
		double		share = (double) runs->counts[class];

		if (class % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < query->nattrs && share > 0; i++)
		{
			Size		at = (Size) class * runs->population->nattrs + query->attrs[i];
			uint32		low = Max(runs->first_leaf[at], query->first[i]);
			uint32		high = Min(runs->first_leaf[at] + runs->leaves[at], query->last[i] + 1);

			share *= high > low ? (double) (high - low) / runs->leaves[at] : 0;
		}
		people += share;
	}
	return people;
}
