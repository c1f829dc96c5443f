/*
 * distance.c
 *	  The distance of a class's distribution of a sensitive value from
 *	  everyone's.
 *
 * The three earth mover's distances of t-closeness.  With P the class's shares
 * and Q everyone's, p - q = (c·N - total·size) / (N·size): all sums are
 * integers and divided once, so the result is exact and independent of the
 * order of summation.  Only values that occur in the class are visited; the
 * contribution of absent ones is known:
 *
 * equal: ½Σ|p - q| is the sum of the surpluses p - q > 0, and an absent
 * value has none.
 *
 * ordered: Σ|cumulated p - q|.  Between two present values the cumulated p is
 * constant while the cumulated q only rises, so within such a run the sign
 * changes at most once; running sums of the cumulated q give each part.
 *
 * hierarchical: a label pays (h/H)·min(Σ surplus, Σ deficit) of its
 * children.  A child without a present value has only a deficit, and the
 * deficits are the surpluses minus the label's own excess.  If the last level
 * has several labels, moving mass from one tree to another costs the maximum
 * of 1, as if there were a root above them.
 */
#include "engine/histogram.h"

#include "base/budget.h"

typedef struct DistanceTables
{
	/* ordered */
	int64	   *cumulated;		/* people with this or a smaller value */
	int128	   *running;		/* sum of cumulated over the values before */
	/* hierarchical */
	int64	  **below;			/* by level and label: people under it */
	int64	   *count;			/* by position: people of the class under a
								 * label */
	uint32	   *label;			/* by position: that label */
} DistanceTables;

struct DistanceTables *
distance_prepare(const Histograms *h)
{
	MemoryContext old = MemoryContextSwitchTo(h->context);
	DistanceTables *tables = palloc0(sizeof(DistanceTables));

	if (h->metric == DISTANCE_ORDERED)
	{
		int64		people = 0;

		tables->cumulated = budget_alloc(sizeof(int64), (Size) h->nvalues + 1);
		tables->running = budget_alloc(sizeof(int128), (Size) h->nvalues + 1);
		tables->running[0] = 0;
		for (uint32 value = 0; value < h->nvalues; value++)
		{
			people += h->total[value];
			tables->cumulated[value] = people;
			tables->running[value + 1] = tables->running[value] + people;
		}
	}
	else if (h->metric == DISTANCE_HIERARCHICAL)
	{
		tables->below = palloc(sizeof(int64 *) * (h->tree->height + 1));
		for (int level = 0; level <= h->tree->height; level++)
		{
			const Recoding *recoding = &h->tree->levels[level];

			tables->below[level] = budget_alloc_zero(sizeof(int64), (Size) recoding->nlabels + 1);
			for (uint32 value = 0; value < h->nvalues; value++)
				tables->below[level][recoding->label_of[h->leaf_of[value]]] += h->total[value];
		}
		tables->count = budget_alloc(sizeof(int64), (Size) h->nvalues + 1);
		tables->label = budget_alloc(sizeof(uint32), (Size) h->nvalues + 1);
	}
	MemoryContextSwitchTo(old);
	return tables;
}

/* A single division, so that 3 of 10 equals a user's 0.3. */
static inline double
share(int128 part, int128 whole)
{
	return (double) part / (double) whole;
}

static double
distance_equal(const Histograms *h, const ValueCount *entries, uint32 length, int64 size)
{
	int128		surplus = 0;
	int64		narrow_surplus = 0;

	/* products of counts fit in 64 bits */
	if (h->people <= NARROW_PEOPLE)
	{
		for (uint32 i = 0; i < length; i++)
			narrow_surplus += Max(entries[i].count * h->people - h->total[entries[i].value] * size, 0);
		return (double) narrow_surplus / (double) (size * h->people);
	}
	for (uint32 i = 0; i < length; i++)
		surplus += Max((int128) entries[i].count * h->people - (int128) h->total[entries[i].value] * size, 0);
	return share(surplus, (int128) size * h->people);
}

/* Sum of |own - cumulated·size| over the values from low to before high. */
static int128
ordered_run(const Histograms *h, uint32 low, uint32 high, int128 own, int64 size)
{
	const DistanceTables *tables = h->tables;
	uint32		left = low;
	uint32		right = high;

	/*
	 * left: the first value at which everyone's cumulated share exceeds the
	 * class's
	 */
	while (left < right)
	{
		uint32		middle = left + (right - left) / 2;

		if ((int128) tables->cumulated[middle] * size > own)
			right = middle;
		else
			left = middle + 1;
	}
	return own * (left - low) - (tables->running[left] - tables->running[low]) * size +
		(tables->running[high] - tables->running[left]) * size - own * (high - left);
}

static double
distance_ordered(const Histograms *h, const ValueCount *entries, uint32 length, int64 size)
{
	int128		moved = 0;
	int64		cumulated = 0;
	uint32		from = 0;

	if (h->nvalues < 2)
		return 0;
	for (uint32 i = 0; i <= length; i++)
	{
		uint32		to = i < length ? entries[i].value : h->nvalues;

		if (to > from)
			moved += ordered_run(h, from, to, (int128) cumulated * h->people, size);
		if (i < length)
			cumulated += entries[i].count;
		from = to;
	}
	return share(moved, (int128) size * h->people * (h->nvalues - 1));
}

/*
 * Climbs one level: merges neighbouring labels with the same label above, and
 * returns the sum of min(surplus, deficit) over the labels above.  Beyond the
 * last level, all labels are merged under one root.
 */
static int128
climb(const Histograms *h, int level, uint32 *nlabels, int64 size)
{
	DistanceTables *tables = h->tables;
	const Hierarchy *tree = h->tree;
	bool		to_root = level == tree->height;
	uint32		joined = 0;
	int128		moved = 0;

	for (uint32 i = 0; i < *nlabels;)
	{
		uint32		first = tree->levels[level].first_leaf[tables->label[i]];
		uint32		above = to_root ? 0 : tree->levels[level + 1].label_of[first];
		int64		people = to_root ? h->people : tables->below[level + 1][above];
		int64		count = 0;
		int128		surplus = 0;
		int128		deficit;

		for (; i < *nlabels; i++)
		{
			uint32		label = tables->label[i];
			int128		excess;

			if (!to_root && tree->levels[level + 1].label_of[tree->levels[level].first_leaf[label]] != above)
				break;
			excess = (int128) tables->count[i] * h->people - (int128) tables->below[level][label] * size;
			if (excess > 0)
				surplus += excess;
			count += tables->count[i];
		}
		deficit = surplus - ((int128) count * h->people - (int128) people * size);
		moved += Min(surplus, deficit);
		tables->label[joined] = above;
		tables->count[joined++] = count;
	}
	*nlabels = joined;
	return moved;
}

static double
distance_hierarchical(const Histograms *h, const ValueCount *entries, uint32 length, int64 size)
{
	DistanceTables *tables = h->tables;
	int			height = h->tree->height;
	uint32		nlabels = 0;
	int128		cost = 0;
	int128		apart;

	if (h->nvalues < 2)
		return 0;
	/* values in the same range share a leaf */
	for (uint32 i = 0; i < length; i++)
	{
		uint32		leaf = h->leaf_of[entries[i].value];

		if (nlabels == 0 || tables->label[nlabels - 1] != leaf)
		{
			tables->label[nlabels] = leaf;
			tables->count[nlabels++] = 0;
		}
		tables->count[nlabels - 1] += entries[i].count;
	}
	for (int level = 0; level < height; level++)
		cost += climb(h, level, &nlabels, size) * (level + 1);
	apart = climb(h, height, &nlabels, size);
	if (height == 0)
		return share(apart, (int128) size * h->people);
	return share(cost + apart * height, (int128) size * h->people * height);
}

double
distance_of(const Histograms *h, const ValueCount *entries, uint32 length, int64 size)
{
	switch (h->metric)
	{
		case DISTANCE_ORDERED:
			return distance_ordered(h, entries, length, size);
		case DISTANCE_HIERARCHICAL:
			return distance_hierarchical(h, entries, length, size);
		default:
			return distance_equal(h, entries, length, size);
	}
}
