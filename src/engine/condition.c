/*
 * condition.c
 *	  Conditions that promises set on the values of one column in each class.
 *
 * A condition is checked once, when a histogram is built; a class that is
 * carried to another node keeps the result.  With n rows in a class, c of them
 * with a value, N rows in all and C of them with that value, p = c/n and q =
 * C/N, and p/q = (c N)/(C n): both products are integers, divided once.
 *
 * Merging classes that keep a condition gives a class that keeps it, but for
 * disclosure of present values: each model says why.  So without suppression
 * conditions are monotone.  With it, a class that breaks one need not be
 * suppressed at nodes below: some of its
 * parts may keep it.  A search may rely only on a lower bound of the rows of
 * the class that are suppressed at every node below:
 *
 * - all, if no part can keep the condition.
 * - some, if the share of a value has an upper limit u.  The parts that remain
 *   keep it, so together they do.  If s rows are suppressed, n - s
 *   remain, at least c - s of them with the value; from c - s <= u (n - s)
 *   follows s >= (c - u n)/(1 - u).
 * - some for t, as box_table.c explains.
 */
#include "engine/histogram.h"

#include <math.h>

#include "base/budget.h"

void
conditions_prepare(Histograms *h)
{
	bool		needs_surprise = false;

	h->values = 0;
	h->nkept = 0;
	for (uint32 value = 0; value < h->nvalues; value++)
		h->values += h->total[value] > 0;
	for (int model = 0; model < MODELS; model++)
	{
		bool		asked = (h->models & MODEL_BIT(model)) != 0;

		needs_surprise = needs_surprise || (asked && models[model]->needs_surprise);
		if (asked && models[model]->kept > 0)
			h->kept[h->nkept++] = models[model];
	}
	if (needs_surprise)
	{
		budget_require(h->context, sizeof(double) * (Size) h->nvalues);
		h->surprise = MemoryContextAllocHuge(h->context, sizeof(double) * ((Size) h->nvalues + 1));
		for (uint32 value = 0; value < h->nvalues; value++)
			h->surprise[value] = -log((double) h->total[value] / h->people);
	}
}

void
conditions_judge(Histograms *h, Slice *slice, const ValueCount *entries, int64 size)
{
	ClassValues values = class_values(h, slice, entries, size);

	for (int i = 0; i < h->nconditions; i++)
	{
		const Condition *condition = &h->conditions[i];
		int64		least = 0;

		if (models[condition->model]->keeps(&values, condition, &least))
			continue;
		slice->breaks |= MODEL_BIT(condition->model);
		slice->least_suppressed = Max(slice->least_suppressed, least);
	}
	if (h->nkept > 0)
	{
		Size		number = slice - h->slices;

		while (h->figure_capacity <= number)
			h->figures = budget_grow(h->context, h->figures, sizeof(double) * KEPT_FIGURES, &h->figure_capacity);
		for (int i = 0; i < h->nkept; i++)
			h->figures[number][h->kept[i]->kept - 1] = model_figure(h->kept[i], &values, NULL);
	}
}
