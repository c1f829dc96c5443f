/*
 * bands.c
 *	  The values of a column in a few bands, for a page that shows nobody's own
 *	  value.
 *
 * Leaves of a hierarchy get the labels of the lowest level that has few, numbers
 * get round intervals, and other values are their own bands.  Whatever has fewer
 * people than asked for, or is not among the most frequent, becomes one band
 * without a name.  So a name that is shown is shared by many, and the bounds of
 * an interval are round, whatever the data.
 */
#include "compare/comparison.h"

#include <math.h>

#include "base/budget.h"
#include "miscadmin.h"

/* Bands with a name, and the place of the one without. */
#define MOST_BANDS 12

/* A number, or the people of a group as one below 0, and its place. */
typedef struct Ordered
{
	double		value;
	uint32		at;
} Ordered;

static int
compare_ordered(const void *a, const void *b)
{
	const Ordered *x = a;
	const Ordered *y = b;

	return x->value != y->value ? (x->value < y->value ? -1 : 1) : x->at < y->at ? -1 : x->at > y->at;
}

/* The values of a column as numbers, in order, without null; or NULL if one is none. */
static Ordered *
column_numbers(const ColumnValues *column, uint32 *n)
{
	Ordered    *numbers = budget_alloc(sizeof(Ordered), column->n);

	*n = 0;
	for (uint32 i = 0; i < column->n; i++)
	{
		const char *text = column->values[i];
		char	   *end;

		if (text == NULL)
			continue;
		numbers[*n].value = strtod(text, &end);
		if (end == text ||*end != '\0' || !(fabs(numbers[*n].value) < 1e15))
			return NULL;
		numbers[(*n)++].at = i;
	}
	qsort(numbers, *n, sizeof(Ordered), compare_ordered);
	return numbers;
}

/* The number that a share of the people are below. */
static double
quantile(const ColumnValues *column, const Ordered *numbers, uint32 n, double share)
{
	double		all = 0;
	double		sum = 0;
	uint32		at = 0;

	for (uint32 i = 0; i < n; i++)
		all += column->people[numbers[i].at];
	while (at + 1 < n && (sum += column->people[numbers[at].at]) <= share * all)
		at++;
	return numbers[at].value;
}

/* Round intervals of most people's numbers, and all below and above: their names, and that of each value. */
static void
intervals(const ColumnValues *column, const Ordered *numbers, uint32 nnumbers, const char **names, uint32 *group_of)
{
	int			n = MOST_BANDS - 1; /* and one for null */
	double		low = quantile(column, numbers, nnumbers, 0.02);
	double		width = (quantile(column, numbers, nnumbers, 0.98) - low) / (n - 3);
	double		power;

	/* one, two or five times a power of ten */
	width = width > 0 ? width : low != 0 ? fabs(low) / 4 : 1;
	power = pow(10, floor(log10(width)));
	width = power * (width <= power ? 1 : width <= 2 * power ? 2 : width <= 5 * power ? 5 : 10);
	low = floor(low / width);
	for (uint32 i = 0; i < column->n; i++)
		group_of[i] = n;
	for (uint32 i = 0; i < nnumbers; i++)
		group_of[numbers[i].at] = (uint32) Max(0, Min(floor(numbers[i].value / width) - low + 1, n - 1));
	for (int i = 0; i < n; i++)
		names[i] = i == 0 ? psprintf("below %.10g", low * width) :
			i == n - 1 ? psprintf("%.10g and more", (low + i - 1) * width) :
			psprintf("%.10g to below %.10g", (low + i - 1) * width, (low + i) * width);
	names[n] = NULL;
}

void
put_bands(const ColumnValues *column, double least, PutBand put, void *arg)
{
	const Hierarchy *hierarchy = column->hierarchy;
	uint32	   *group_of = budget_alloc(sizeof(uint32), (Size) column->n + 1);
	const char *interval_names[MOST_BANDS];
	const char *const *names = column->values;
	uint32		n = column->n;
	uint32		nnumbers;
	Ordered    *numbers = hierarchy == NULL && n > MOST_BANDS ? column_numbers(column, &nnumbers) : NULL;
	Ordered    *groups;
	uint32	   *band_of;
	const char *shown[MOST_BANDS + 1] = {0};
	double		sums[MOST_BANDS + 1][3] = {0};
	int			level = 0;
	uint32		nbands = 0;

	while (hierarchy != NULL && level < hierarchy->height && hierarchy->levels[level].nlabels > MOST_BANDS)
		level++;
	/* a single label would say nothing */
	if (hierarchy != NULL && level > 0 && hierarchy->levels[level].nlabels == 1)
		level--;
	if (numbers != NULL)
	{
		intervals(column, numbers, nnumbers, interval_names, group_of);
		n = MOST_BANDS;
		names = interval_names;
	}
	else if (hierarchy != NULL)
	{
		n = hierarchy->levels[level].nlabels;
		names = hierarchy->labels[level];
	}
	groups = budget_alloc_zero(sizeof(Ordered), (Size) n + 1);
	band_of = budget_alloc(sizeof(uint32), (Size) n + 1);
	for (uint32 i = 0; i < column->n; i++)
	{
		if (numbers == NULL)
			group_of[i] = hierarchy == NULL ? i : hierarchy->levels[level].label_of[i];
		/* the most frequent one is the first */
		groups[group_of[i]].value -= column->people[i];
	}
	for (uint32 g = 0; g < n; g++)
		groups[g].at = g;
	qsort(groups, n, sizeof(Ordered), compare_ordered);
	for (uint32 g = 0; g < n; g++)
		band_of[groups[g].at] = g < MOST_BANDS && -groups[g].value >= least ? 0 : MOST_BANDS;
	/* in their own order */
	for (uint32 g = 0; g < n; g++)
		if (band_of[g] == 0)
		{
			shown[nbands] = names[g] == NULL ? "NULL" : names[g];
			band_of[g] = nbands++;
		}
	for (uint32 i = 0; i < column->n; i++)
	{
		double	   *sum = sums[band_of[group_of[i]]];

		CHECK_FOR_INTERRUPTS();
		sum[0] += column->people[i];
		sum[1] += column->left_out[i];
		sum[2] += column->shown[i];
	}
	for (uint32 b = 0; b <= MOST_BANDS; b++)
		if (sums[b][0] > 0)
			put(arg, column->name, shown[b], sums[b][0], sums[b][1], sums[b][2]);
}
