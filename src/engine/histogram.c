/*
 * histogram.c
 *	  How often each value of a column occurs in each class.
 *
 * A class refers to its histogram by number: a class that is carried unchanged
 * to a coarser node keeps the number and costs nothing.  The properties that a
 * node's measures need (distinct values, entropy, distance) are computed once,
 * when the histogram is built.
 */
#include "engine/histogram.h"

#include <math.h>

#include "base/budget.h"
#include "base/bytes.h"

#define LOGS 65536

/* -------------- conditions that promises set on the values of one column in each class */

/*
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

/* Prepares to check histograms, and to keep figures, after everybody has been counted. */
static void
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

/* Computes which conditions a histogram breaks, and the figures to be kept. */
static void
conditions_judge(Histograms *h, ClassHistogram *slice, const ValueCount *entries, int64 size)
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

/* ----------------------------------------------------------- histograms */

/* Prepares the histogram that is counted. */
static void
allocate_sums(Histograms *h)
{
	budget_require(h->context, (Size) h->nvalues * 2 * sizeof(int64) + LOGS * sizeof(double));
	h->sum = MemoryContextAllocExtended(h->context, sizeof(int64) * ((Size) h->nvalues + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	h->present = MemoryContextAllocZero(h->context, sizeof(uint64) * (h->nvalues / 64 + 1));
}

Histograms *
histograms_create(MemoryContext context, const char *name, ColumnRole role, uint32 nvalues)
{
	Histograms *h = MemoryContextAllocZero(context, sizeof(Histograms));

	h->context = context;
	h->name = name;
	h->role = role;
	h->metric = DISTANCE_EQUAL;
	h->nvalues = nvalues;
	allocate_sums(h);
	h->total = MemoryContextAllocExtended(context, sizeof(int64) * ((Size) nvalues + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	return h;
}

void
histograms_set_distance(Histograms *h, Distance metric, const Hierarchy *tree, uint32 *leaf_of)
{
	h->metric = metric;
	h->tree = unconstify(Hierarchy *, tree);
	h->leaf_of = leaf_of;
}

/* ln of a count; for small ones, from a table. */
static inline double
log_of(const Histograms *h, int64 count)
{
	return count < LOGS ? h->logs[count] : log((double) count);
}

/* Computes the required properties of a histogram. */
static void
slice_measure(Histograms *h, ClassHistogram *slice)
{
	const ValueCount *entries = h->entries + slice->start;
	int64		size = 0;
	double		log_size;
	double		sum = 0;

	slice->most = 0;
	slice->squares = 0;
	slice->breaks = 0;
	slice->least_suppressed = 0;
	for (uint32 i = 0; i < slice->length; i++)
	{
		size += entries[i].count;
		slice->most = Max(slice->most, entries[i].count);
		slice->squares += (int128) entries[i].count * entries[i].count;
	}
	if (h->role != COLUMN_SENSITIVE)
		return;
	/* summed in the order of the values, and exactly 0 for a single one */
	log_size = log_of(h, size);
	for (uint32 i = 0; i < slice->length; i++)
		sum += entries[i].count * (log_size - log_of(h, entries[i].count));
	slice->entropy = sum / size;
	slice->distance = distance_of(h, entries, slice->length, size);
	if (h->models != 0)
		conditions_judge(h, slice, entries, size);
}

/*
 * Prepares data needed to measure any histogram, after everybody has been
 * counted.
 */
static void
prepare_measures(Histograms *h)
{
	if (h->role != COLUMN_SENSITIVE)
		return;
	h->logs = MemoryContextAlloc(h->context, sizeof(double) * LOGS);
	h->logs[0] = 0;
	for (int count = 1; count < Min(LOGS, h->people + 1); count++)
		h->logs[count] = log((double) count);
	h->tables = distance_prepare(h);
	if (h->models != 0)
		conditions_prepare(h);
}

void
histograms_add_condition(Histograms *h, const Condition *condition)
{
	bool		asked;

	if (h->nconditions == MAX_CONDITIONS)
		elog(ERROR, "too many conditions");
	asked = (h->models & MODEL_BIT(condition->model)) != 0;
	h->conditions[h->nconditions++] = *condition;
	h->models |= MODEL_BIT(condition->model);
	/* the stricter reading applies */
	if (models[condition->model]->may_be_lenient)
		h->lenient = condition->c == 0 && (h->lenient || !asked);
}

void
histograms_ask(Histograms *h, PromiseModel model)
{
	if (h->models & MODEL_BIT(model))
		return;
	h->models |= MODEL_BIT(model);
	conditions_prepare(h);
	for (Size i = 0; i < h->nslices; i++)
		slice_measure(h, &h->slices[i]);
}

void
histograms_finish(Histograms *h)
{
	h->people = 0;
	for (Size i = 0; i < h->nentries; i++)
	{
		h->total[h->entries[i].value] += h->entries[i].count;
		h->people += h->entries[i].count;
	}
	prepare_measures(h);
	for (Size i = 0; i < h->nslices; i++)
		slice_measure(h, &h->slices[i]);
}

void
histograms_resume(Histograms *h, MemoryContext context)
{
	h->context = context;
	h->name = NULL;
	h->figures = NULL;
	h->figure_capacity = 0;
	h->entries = budget_copy(context, h->entries, sizeof(ValueCount), h->nentries, &h->entry_capacity);
	h->slices = budget_copy(context, h->slices, sizeof(ClassHistogram), h->nslices, &h->slice_capacity);
	allocate_sums(h);
	prepare_measures(h);
	if (h->nkept > 0)
		for (Size i = 0; i < h->nslices; i++)
			slice_measure(h, &h->slices[i]);
}

/* Makes room for a number of entries. */
static inline void
reserve_entries(Histograms *h, Size more)
{
	while (h->nentries + more > h->entry_capacity)
		h->entries = budget_grow(h->context, h->entries, sizeof(ValueCount), &h->entry_capacity);
}

/* Moves the counts of 64 values to the stack, in order. */
static inline void
append_word(Histograms *h, uint32 first, uint64 bits)
{
	ValueCount *entry;

	reserve_entries(h, 64);
	entry = h->entries + h->nentries;
	for (; bits != 0; bits &= bits - 1, entry++)
	{
		uint32		value = first + pg_rightmost_one_pos64(bits);

		entry->value = value;
		entry->count = h->sum[value];
		h->sum[value] = 0;
	}
	h->nentries = entry - h->entries;
}

/* Pushes a slice over the entries from start on. */
static uint32
push_slice(Histograms *h, Size start)
{
	ClassHistogram *slice;

	if (h->nslices == h->slice_capacity)
		h->slices = budget_grow(h->context, h->slices, sizeof(ClassHistogram), &h->slice_capacity);
	if (h->nslices >= PG_UINT32_MAX)
		elog(ERROR, "too many histograms");
	slice = &h->slices[h->nslices];
	slice->start = start;
	slice->length = (uint32) (h->nentries - start);
	if (h->people > 0)
		slice_measure(h, slice);
	return (uint32) h->nslices++;
}

uint32
histograms_close(Histograms *h)
{
	Size		start = h->nentries;

	if (h->role == COLUMN_PERSON)
		return persons_close(h);
	for (uint32 word = 0; word <= h->nvalues / 64; word++)
	{
		uint64		bits = h->present[word];

		h->present[word] = 0;
		if (bits != 0)
			append_word(h, word * 64, bits);
	}
	return push_slice(h, start);
}

/* Merges short histograms by sorting, for a column with very many values. */
static uint32
merge_by_sorting(Histograms *h, const uint32 *slices, uint32 nslices, Size length)
{
	Size		start = h->nentries;
	Size		end = start;

	reserve_entries(h, length);
	for (uint32 i = 0; i < nslices; i++)
	{
		const ClassHistogram *slice = &h->slices[slices[i]];

		memcpy(h->entries + h->nentries, h->entries + slice->start, sizeof(ValueCount) * slice->length);
		h->nentries += slice->length;
	}
	qsort(h->entries + start, h->nentries - start, sizeof(ValueCount), compare_uint32s);
	for (Size i = start; i < h->nentries; i++)
	{
		if (end > start && h->entries[end - 1].value == h->entries[i].value)
			h->entries[end - 1].count += h->entries[i].count;
		else
			h->entries[end++] = h->entries[i];
	}
	h->nentries = end;
	return push_slice(h, start);
}

/* Merges histograms of a column with few values, whose set fits in a register. */
static uint32
merge_few(Histograms *h, const uint32 *slices, uint32 nslices)
{
	Size		start = h->nentries;
	int64	   *sum = h->sum;
	uint64		present = 0;

	for (uint32 i = 0; i < nslices; i++)
	{
		const ClassHistogram *slice = &h->slices[slices[i]];
		const ValueCount *entries = h->entries + slice->start;

		for (uint32 j = 0; j < slice->length; j++)
		{
			sum[entries[j].value] += entries[j].count;
			present |= UINT64CONST(1) << entries[j].value;
		}
	}
	append_word(h, 0, present);
	return push_slice(h, start);
}

uint32
histograms_join(Histograms *h, const uint32 *slices, uint32 nslices)
{
	Size		length = 0;

	if (h->role == COLUMN_PERSON)
		return persons_join(h, slices, nslices);
	if (h->nvalues <= 64)
		return merge_few(h, slices, nslices);
	for (uint32 i = 0; i < nslices; i++)
		length += h->slices[slices[i]].length;
	/* scanning all bits costs more than sorting a few entries */
	if (length < h->nvalues / 64)
		return merge_by_sorting(h, slices, nslices, length);
	for (uint32 i = 0; i < nslices; i++)
	{
		const ClassHistogram *slice = &h->slices[slices[i]];
		const ValueCount *entries = h->entries + slice->start;

		for (uint32 j = 0; j < slice->length; j++)
			histograms_count(h, entries[j].value, entries[j].count);
	}
	return histograms_close(h);
}

int64
histograms_count_of(const Histograms *histograms, uint32 slice, uint32 value)
{
	const ValueCount *entries = histograms->entries + histograms->slices[slice].start;
	uint32		low = 0;
	uint32		high = histograms->slices[slice].length;

	while (low < high)
	{
		uint32		middle = low + (high - low) / 2;

		if (entries[middle].value < value)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == histograms->slices[slice].length || entries[low].value != value)
		return 0;
	return entries[low].count;
}
