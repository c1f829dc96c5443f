/*
 * usefulness.c
 *	  What data are good for as a release shows them: classes of people, each
 *	  with a run of leaves for each attribute.
 *
 * A label covers a run of leaves, since leaves are numbered in preorder. An
 * analyst of a release knows only that run of a person, and divides the person
 * evenly among its leaves.  All measures do so, and thus need only one
 * computation for the original data, whose runs are single leaves, and for the
 * release.
 */
#include "compare/comparison.h"

#include <math.h>

#include "base/budget.h"
#include "base/bytes.h"
#include "base/prng.h"
#include "miscadmin.h"

/* A sum of fractions below this counts as zero. */
#define RESIDUE 1e-7

/* The least denominator of a relative error, as a share of the people. */
#define LEAST_SHARE 0.001

double *
people_by_leaf(const Classes *classes, int attr)
{
	uint32		nleaves = classes->population->attrs[attr].hierarchy->nleaves;
	double	   *people = budget_alloc_zero(sizeof(double), (Size) nleaves + 1);
	double		sum = 0;

	for (uint32 class = 0; class < classes->n; class++)
	{
		Size		at = class_at(classes, class, attr);
		double		share = (double) classes->table->counts[class] / classes->leaves[at];

		people[classes->first_leaf[at]] += share;
		people[classes->first_leaf[at] + classes->leaves[at]] -= share;
	}
	/* the differences between neighbours become running sums */
	for (uint32 leaf = 0; leaf < nleaves; leaf++)
	{
		sum += people[leaf];
		people[leaf] = fabs(sum) < RESIDUE ? 0 : sum;
	}
	return people;
}

double *
people_by_value(const Classes *classes, int column)
{
	const Histograms *histograms = classes->population->columns[column];
	double	   *people = budget_alloc_zero(sizeof(double), (Size) histograms->nvalues + 1);

	for (uint32 class = 0; class < classes->n; class++)
	{
		const ClassHistogram *slice = &histograms->slices[classes->table->slices[column][class]];

		for (uint32 i = 0; i < slice->length; i++)
			people[histograms->entries[slice->start + i].value] += (double) histograms->entries[slice->start + i].count;
	}
	return people;
}

/*
 * The distance between two distributions: half the sum of differences, and
 * below the earth mover's distance along the order.
 */
static double
total_variation(const double *a, double a_people, const double *b, double b_people, uint32 n)
{
	double		sum = 0;

	if (a_people <= 0 || b_people <= 0)
		return 1;
	for (uint32 i = 0; i < n; i++)
		sum += fabs(a[i] / a_people - b[i] / b_people);
	return sum / 2;
}

static double
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

/*
 * The most runs of leaves or values into which associations group an attribute
 * or a column.
 */
#define ASSOCIATION_GROUPS 16

/* Runs of leaves or values with about equally many people each. */
typedef struct Grouping
{
	uint32		n;
	uint32		ninhabited;		/* groups with people */
	uint32		start[ASSOCIATION_GROUPS + 1];
} Grouping;

static Grouping
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
share_of_groups(const Classes *classes, uint32 class, int a, const Grouping *groups, uint32 *first, double *shares)
{
	Size		at = class_at(classes, class, a);
	uint32		low = classes->first_leaf[at];
	uint32		high = low + classes->leaves[at];
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

/*
 * Cramér's V, from the sum of n²/(row · column), as if all groups of the data
 * were still present; 0 if one side has a single group.
 */
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

/* That of two attributes. */
static double
attributes_association(const Classes *classes, int a, const Grouping *groups_a, int b, const Grouping *groups_b)
{
	CrossTable	table = {0};

	for (uint32 class = 0; class < classes->n; class++)
	{
		double		shares_a[ASSOCIATION_GROUPS];
		double		shares_b[ASSOCIATION_GROUPS];
		uint32		first_a;
		uint32		first_b;
		uint32		na = share_of_groups(classes, class, a, groups_a, &first_a, shares_a);
		uint32		nb = share_of_groups(classes, class, b, groups_b, &first_b, shares_b);

		if (class % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		for (uint32 i = 0; i < na; i++)
			for (uint32 j = 0; j < nb; j++)
				table.people[first_a + i][first_b + j] += (double) classes->table->counts[class] * shares_a[i] * shares_b[j];
	}
	return cramers_v(&table, groups_a, groups_b);
}

/* That of an attribute and a counted column. */
static double
column_association(const Classes *classes, int a, const Grouping *groups_a, int column, const Grouping *groups)
{
	const Histograms *histograms = classes->population->columns[column];
	CrossTable	table = {0};

	for (uint32 class = 0; class < classes->n; class++)
	{
		const ClassHistogram *slice = &histograms->slices[classes->table->slices[column][class]];
		double		shares[ASSOCIATION_GROUPS];
		uint32		first;
		uint32		n = share_of_groups(classes, class, a, groups_a, &first, shares);

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

/* The number of people whose values lie in a box of leaves. */
typedef struct RangeQuery
{
	int			nattrs;
	int			attrs[3];
	uint32		first[3];
	uint32		last[3];
} RangeQuery;

static RangeQuery
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

static double
range_query_count(const Classes *classes, const RangeQuery *query)
{
	double		people = 0;

	for (uint32 class = 0; class < classes->n; class++)
	{
		double		share = (double) classes->table->counts[class];

		if (class % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < query->nattrs && share > 0; i++)
		{
			Size		at = class_at(classes, class, query->attrs[i]);
			uint32		low = Max(classes->first_leaf[at], query->first[i]);
			uint32		high = Min(classes->first_leaf[at] + classes->leaves[at], query->last[i] + 1);

			share *= high > low ? (double) (high - low) / classes->leaves[at] : 0;
		}
		people += share;
	}
	return people;
}

/* ---------------------------------------------------------------- measures */

/* Classes before and after, and where their measures go. */
typedef struct Usefulness
{
	const Classes *before;
	const Classes *after;
	double		before_people;
	double		after_people;
	PutUsefulness put;
	void	   *arg;
} Usefulness;

/*
 * The distance between each column's distributions; prepares groups for the
 * associations.
 */
static void
put_distances(const Usefulness *of, Grouping *of_attribute, Grouping *of_column)
{
	const Population *population = of->before->population;

	for (int a = 0; a < population->nattrs; a++)
	{
		const Attribute *attr = &population->attrs[a];
		uint32		n = attr->hierarchy->nleaves;
		double	   *before = people_by_leaf(of->before, a);
		double	   *after = people_by_leaf(of->after, a);

		of->put(of->arg, "total_variation", attr->name, NULL, NAN, NAN,
				total_variation(before, of->before_people, after, of->after_people, n));
		if (attr->leaves != LEAVES_CATEGORIES)
			of->put(of->arg, "earth_movers", attr->name, NULL, NAN, NAN,
					earth_movers(before, of->before_people, after, of->after_people, n));
		of_attribute[a] = group_evenly(before, n);
		pfree(before);
		pfree(after);
	}
	for (int column = 0; column < population->nsensitive; column++)
	{
		uint32		n = population->columns[column]->nvalues;
		double	   *before = people_by_value(of->before, column);
		double	   *after = people_by_value(of->after, column);

		of->put(of->arg, "total_variation", population->columns[column]->name, NULL, NAN, NAN,
				total_variation(before, of->before_people, after, of->after_people, n));
		of_column[column] = group_evenly(before, n);
		pfree(before);
		pfree(after);
	}
}

static void
put_associations(const Usefulness *of, const Grouping *of_attribute, const Grouping *of_column)
{
	const Population *population = of->before->population;
	double		before;
	double		after;

	for (int a = 0; a < population->nattrs; a++)
	{
		for (int b = a + 1; b < population->nattrs; b++)
		{
			before = attributes_association(of->before, a, &of_attribute[a], b, &of_attribute[b]);
			after = attributes_association(of->after, a, &of_attribute[a], b, &of_attribute[b]);
			of->put(of->arg, "cramers_v", population->attrs[a].name, population->attrs[b].name, before, after, fabs(after - before));
		}
		for (int column = 0; column < population->nsensitive; column++)
		{
			before = column_association(of->before, a, &of_attribute[a], column, &of_column[column]);
			after = column_association(of->after, a, &of_attribute[a], column, &of_column[column]);
			of->put(of->arg, "cramers_v", population->attrs[a].name, population->columns[column]->name, before, after,
					fabs(after - before));
		}
	}
}

static void
put_queries(const Usefulness *of, int nqueries, int64 seed)
{
	Prng		prng = {(uint64) seed};
	double	   *errors = budget_alloc(sizeof(double), (Size) nqueries + 1);
	double		sum = 0;

	if (nqueries == 0)
		return;
	for (int i = 0; i < nqueries; i++)
	{
		RangeQuery	query = random_range_query(of->before->population, &prng);
		double		before = range_query_count(of->before, &query);

		CHECK_FOR_INTERRUPTS();
		errors[i] = fabs(range_query_count(of->after, &query) - before) / Max(before, LEAST_SHARE * of->before_people);
		sum += errors[i];
	}
	qsort(errors, nqueries, sizeof(double), compare_doubles);
	of->put(of->arg, "range_query_error", NULL, NULL, NAN, NAN, sum / nqueries);
	of->put(of->arg, "range_query_error_median", NULL, NULL, NAN, NAN, errors[nqueries / 2]);
}

/*
 * How well the class label can be predicted, compared with always predicting
 * the most frequent one.
 */
static void
put_classifier(const Usefulness *of)
{
	const Population *population = of->before->population;
	int			column = population->nsensitive;
	ClassifierQuality before;
	ClassifierQuality after;
	const char *name;
	double	   *people;
	double		most = 0;

	if (population->ncolumns <= column || population->columns[column]->role != COLUMN_CLASS_LABEL)
		return;
	name = population->columns[column]->name;
	people = people_by_value(of->before, column);
	for (uint32 value = 0; value < population->columns[column]->nvalues; value++)
		most = Max(most, people[value]);
	before = naive_bayes_quality(of->before, column, people);
	after = naive_bayes_quality(of->after, column, people_by_value(of->after, column));
	of->put(of->arg, "majority", name, NULL, NAN, NAN, most / population->people);
	of->put(of->arg, "accuracy", name, NULL, before.accuracy, after.accuracy, before.accuracy - after.accuracy);
	of->put(of->arg, "auc", name, NULL, before.auc, after.auc, before.auc - after.auc);
}

void
measure_usefulness(const Classes *before, const Classes *after, int nqueries, int64 seed, PutUsefulness put, void *arg)
{
	const Population *population = before->population;
	Usefulness	of = {before, after, (double) population->people, (double) (population->people - after->suppressed), put, arg};
	Grouping   *of_attribute = palloc(sizeof(Grouping) * (population->nattrs + 1));
	Grouping   *of_column = palloc(sizeof(Grouping) * (population->ncolumns + 1));

	put_distances(&of, of_attribute, of_column);
	put_associations(&of, of_attribute, of_column);
	put_queries(&of, nqueries, seed);
	put_classifier(&of);
}
