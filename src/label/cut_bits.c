/*
 * cut_bits.c
 *	  Cuts: partitions of ordered domains, as bit strings, and the labels of
 *	  their groups.
 *
 * A group of one label keeps it.  A group that consists of everything under a
 * higher label takes that label.  Otherwise numbers, ranges of numbers and
 * days become an interval, and other values a set.  So do numbers and days of
 * a hierarchy that keeps far ones together: between the ends of a group there
 * may be values of another.
 *
 * Two groups never look the same, whatever the labels of a hierarchy. Groups
 * that would are shown as sets, then as sets of quoted names.  Labels that are
 * still equal are put into braces, one group after another, until no earlier
 * group has the label (label_apart).  This terminates, because each attempt is
 * longer than the last, so all are different, and only as many as there are
 * earlier groups can be taken.  It also makes labels unique, because a group
 * gets a label only if no other group has it, and keeps it.
 */
#include "label/cut_bits.h"

#include "base/budget.h"
#include "catalog/pg_type.h"
#include "label/class_labels.h"
#include "miscadmin.h"
#include "read/encoder.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/memutils.h"
#include "utils/varbit.h"

/* ---------------------------------------------------------- texts and their order */

int
compare_texts(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return (a == NULL) - (b == NULL);
	return strcmp(a, b);
}

static int
compare_numbered(const void *a, const void *b, void *arg)
{
	const char *const *texts = arg;

	return compare_texts(texts[*(const uint32 *) a], texts[*(const uint32 *) b]);
}

TextIndex
index_texts(const char *const *texts, uint32 n)
{
	TextIndex	index = {n, texts, MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) n + 1))};

	for (uint32 i = 0; i < n; i++)
		index.order[i] = i;
	qsort_arg(index.order, n, sizeof(uint32), compare_numbered, (void *) texts);
	return index;
}

uint32
find_text(const TextIndex *index, const char *label)
{
	uint32		low = 0;
	uint32		high = index->n;

	while (low < high)
	{
		uint32		middle = low + (high - low) / 2;
		int			order = compare_texts(index->texts[index->order[middle]], label);

		if (order == 0)
			return index->order[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return PG_UINT32_MAX;
}

uint32 *
rank_texts(const char *const *labels, uint32 nlabels)
{
	TextIndex	index = index_texts(labels, nlabels);
	uint32	   *places = budget_alloc(sizeof(uint32), (Size) nlabels + 1);

	for (uint32 i = 0; i < nlabels; i++)
		places[index.order[i]] = i > 0 && compare_texts(labels[index.order[i - 1]], labels[index.order[i]]) == 0 ?
			places[index.order[i - 1]] : i;
	pfree(index.order);
	return places;
}

uint32 *
number_texts(const char *const *texts, uint32 n, uint32 *nlabels, const char ***labels)
{
	uint32	   *numbers = rank_texts(texts, n);
	uint32	   *of_place = budget_alloc_zero(sizeof(uint32), (Size) n + 1); /* plus one */
	const char **different = budget_alloc(sizeof(char *), (Size) n + 1);

	*nlabels = 0;
	for (uint32 i = 0; i < n; i++)
	{
		uint32		place = numbers[i];

		if (of_place[place] == 0)
		{
			different[*nlabels] = texts[i];
			of_place[place] = ++*nlabels;
		}
		numbers[i] = of_place[place] - 1;
	}
	pfree(of_place);
	*labels = different;
	return numbers;
}

/* ------------------------------------------------------------------- groups */

static bool
is_number(const char *label)
{
	char	   *end;

	(void) strtod(label, &end);
	return end != label && *end == '\0';
}

bool
parse_interval(const char *label, char **low, char **high, char *closing)
{
	const char *comma;

	if (label == NULL || *label == '\0')
		return false;
	if (is_number(label))
	{
		*low = *high = pstrdup(label);
		*closing = ']';
		return true;
	}
	comma = strchr(label, ',');
	if (label[0] != '[' || comma == NULL || strchr(comma + 1, ',') != NULL)
		return false;
	*closing = label[strlen(label) - 1];
	*low = pnstrdup(label + 1, comma - label - 1);
	comma += 1 + strspn(comma + 1, " ");
	*high = pnstrdup(comma, Max(strlen(comma), 1) - 1);
	return *closing == ')' || *closing == ']';
}

/* The highest level at which a leaf's label starts at that leaf and ends before another. */
static int
highest_level_within(const Attribute *attr, uint32 leaf, uint32 end)
{
	int			level = attr->min_level;

	while (level < attr->hierarchy->height)
	{
		const Recoding *above = &attr->hierarchy->levels[level + 1];
		uint32		label = above->label_of[leaf];

		if (above->first_leaf[label] != leaf || leaf + above->leaves[label] > end)
			break;
		level++;
	}
	return level;
}

/* Quotes a name as in an array's text, so that its extent is clear. */
static void
append_quoted(StringInfo set, const char *name)
{
	appendStringInfoChar(set, '"');
	for (; *name != '\0'; name++)
	{
		if (*name == '"' || *name == '\\')
			appendStringInfoChar(set, '\\');
		appendStringInfoChar(set, *name);
	}
	appendStringInfoChar(set, '"');
}

/* Lists the contents of a group; everything under a label is represented by that label. */
static char *
set_label(const Attribute *attr, const Recoding *cut, uint32 group, bool quoted)
{
	uint32		leaf = cut->first_leaf[group];
	uint32		end = leaf + cut->leaves[group];
	StringInfoData set;

	initStringInfo(&set);
	while (leaf < end)
	{
		int			level = highest_level_within(attr, leaf, end);
		const Recoding *recoding = &attr->hierarchy->levels[level];
		const char *name = attr->hierarchy->labels[level][recoding->label_of[leaf]];

		CHECK_FOR_INTERRUPTS();
		appendStringInfoString(&set, set.len > 0 ? ", " : "{");
		if (quoted && name != NULL)
			append_quoted(&set, name);
		else
			appendStringInfoString(&set, name == NULL ? "NULL" : name);
		leaf += recoding->leaves[recoding->label_of[leaf]];
	}
	appendStringInfoChar(&set, '}');

	/*
	 * in a cut each name is in one group; in a recoding every group may
	 * contain most names
	 */
	budget_require(CurrentMemoryContext, 0);
	return set.data;
}

/*
 * The label of a group whose labels are numbers or intervals, none before
 * another; otherwise NULL.  Intervals of integers exclude their end, as in
 * [20, 35); those of other numbers include it, as in [2.5, 7], and those of ranges
 * end like the last of them.
 */
static char *
interval_label(const char *const *labels, uint32 first, uint32 last)
{
	double		end = -get_float8_infinity();
	char	   *lowest = NULL;
	char	   *low;
	char	   *high;
	char	   *rest;
	char		closing;
	long long	number;
	uint32		label = first;

	do
	{
		CHECK_FOR_INTERRUPTS();
		if (!parse_interval(labels[label], &low, &high, &closing) || !is_number(low) || !is_number(high))
			return NULL;
		if (!(strtod(low, NULL) >= end && strtod(high, NULL) >= strtod(low, NULL)))
			return NULL;
		end = strtod(high, NULL);
		lowest = label == first ? low : lowest;
	} while (label++ < last);
	number = strtoll(high, &rest, 10);
	if (low == high && *rest == '\0' && rest != high && number < PG_INT64_MAX && strchr(lowest, '.') == NULL)
		return psprintf("[%s, %lld)", lowest, number + 1);
	return psprintf("[%s, %s%c", lowest, high, closing);
}

/* A group of one label keeps it. */
static bool
has_own_label(const Attribute *attr, const Recoding *cut, uint32 group)
{
	const uint32 *label_of = attr->hierarchy->levels[attr->min_level].label_of + cut->first_leaf[group];

	return label_of[0] == label_of[cut->leaves[group] - 1];
}

static char *
choose_label(const Attribute *attr, const Recoding *cut, uint32 group)
{
	const Hierarchy *hierarchy = attr->hierarchy;
	const Recoding *lowest = &hierarchy->levels[attr->min_level];
	const char *const *labels = hierarchy->labels[attr->min_level];
	uint32		leaf = cut->first_leaf[group];
	uint32		first = lowest->label_of[leaf];
	uint32		last = lowest->label_of[leaf + cut->leaves[group] - 1];
	char	   *interval = NULL;

	if (first == last)
		return unconstify(char *, labels[first]);
	for (int level = attr->min_level; level <= hierarchy->height; level++)
	{
		const Recoding *recoding = &hierarchy->levels[level];
		uint32		label = recoding->label_of[leaf];

		if (recoding->first_leaf[label] == leaf && recoding->leaves[label] == cut->leaves[group])
			return unconstify(char *, hierarchy->labels[level][label]);
	}
	/* neither NULL nor values without a leaf end an interval of days */
	if (hierarchy->in_order && attr->leaves == LEAVES_MOMENTS && attr->min_level == 0 && labels[last] != NULL &&
		(attr->unknown_leaf == NO_LEAF || lowest->label_of[attr->unknown_leaf] != last))
		interval = psprintf("[%s, %s]", labels[first], labels[last]);
	else if (hierarchy->in_order && attr->leaves == LEAVES_NUMBERS)
		interval = interval_label(labels, first, last);
	return interval != NULL ? interval : set_label(attr, cut, group, false);
}

/* Assigns a label, in as many braces as necessary to differ from those already assigned. */
static char *
label_apart(Dictionary *given, char *label)
{
	for (;;)
	{
		Datum		value = CStringGetTextDatum(label);
		bool		known;

		CHECK_FOR_INTERRUPTS();
		(void) dictionary_add(given, value, &known);
		pfree(DatumGetPointer(value));
		if (!known)
			return label;
		label = psprintf("{%s}", label);
	}
}

char **
group_labels(const Attribute *attr, const Recoding *cut)
{
	char	  **labels = budget_alloc(sizeof(char *), (Size) cut->nlabels + 1);
	uint32	   *times = budget_alloc(sizeof(uint32), (Size) cut->nlabels + 1);
	bool		any_alike = true;
	ValueType	type;
	Dictionary *given;

	for (uint32 group = 0; group < cut->nlabels; group++)
		labels[group] = choose_label(attr, cut, group);

	/*
	 * groups of several labels that look like another are shown as sets, then
	 * quoted
	 */
	for (int quoted = 0; quoted < 2 && any_alike; quoted++)
	{
		uint32	   *rank = rank_texts((const char *const *) labels, cut->nlabels);

		any_alike = false;
		memset(times, 0, sizeof(uint32) * cut->nlabels);
		for (uint32 group = 0; group < cut->nlabels; group++)
			times[rank[group]]++;
		for (uint32 group = 0; group < cut->nlabels; group++)
			if (times[rank[group]] > 1 && !has_own_label(attr, cut, group))
			{
				labels[group] = set_label(attr, cut, group, quoted == 1);
				any_alike = true;
			}
		pfree(rank);
	}
	pfree(times);

	/*
	 * equal labels become different; groups of one label, which keep it, come
	 * first
	 */
	value_type_init(&type, TEXTOID);
	given = dictionary_create(CurrentMemoryContext, &type);
	for (int own = 1; own >= 0; own--)
		for (uint32 group = 0; group < cut->nlabels; group++)
			/* only one group is NULL, and NULL differs from any text */
			if (labels[group] != NULL && has_own_label(attr, cut, group) == (own == 1))
				labels[group] = label_apart(given, labels[group]);
	return labels;
}

/* --------------------------------------------------------------- bit strings */

static bool
is_set(const VarBit *bits, int i)
{
	return (VARBITS(bits)[i / BITS_PER_BYTE] >> (BITS_PER_BYTE - 1 - i % BITS_PER_BYTE)) & 1;
}

bool *
separated_labels(Datum cut)
{
	VarBit	   *bits = DatumGetVarBitP(cut);
	bool	   *keep = palloc(sizeof(bool) * ((Size) VARBITLEN(bits) + 1));

	for (int i = 0; i < VARBITLEN(bits); i++)
		keep[i] = is_set(bits, i);
	return keep;
}

Datum
separating_bits(const bool *separated, int nbits)
{
	VarBit	   *bits = palloc0(VARBITTOTALLEN(nbits));

	SET_VARSIZE(bits, VARBITTOTALLEN(nbits));
	VARBITLEN(bits) = nbits;
	for (int i = 0; i < nbits; i++)
		if (separated[i])
			VARBITS(bits)[i / BITS_PER_BYTE] |= HIGHBIT >> (i % BITS_PER_BYTE);
	return VarBitPGetDatum(bits);
}

const Recoding **
node_of_cuts(const Population *population, const Datum *cuts)
{
	const Recoding **node = palloc(sizeof(Recoding *) * population->nattrs);

	for (int a = 0; a < population->nattrs; a++)
	{
		const Attribute *attr = &population->attrs[a];
		const Recoding *finer = &attr->hierarchy->levels[attr->min_level];
		int			length = VARBITLEN(DatumGetVarBitP(cuts[a]));

		if (length != finer->nlabels - 1)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("cuts of column \"%s\" have the wrong length", attr->name),
					 errdetail("There are %d bits for %u labels at level %d.", length, finer->nlabels, attr->min_level),
					 errhint("Give %u bits, one between any two neighbours.", finer->nlabels - 1)));
		node[a] = weighed_cut(population, a, finer, separated_labels(cuts[a]));
	}
	return node;
}

/* Where old labels stand now, -1 if a label is gone; NULL if their order has changed. */
static int *
places_now(const Attribute *attr, const char *const *labels, int n)
{
	uint32		nnow = attr->hierarchy->levels[attr->min_level].nlabels;
	const char *const *now = (const char *const *) attr->hierarchy->labels[attr->min_level];
	TextIndex	index = index_texts(now, nnow);
	int		   *places = palloc(sizeof(int) * ((Size) n + 1));
	int64		last = -1;

	for (int i = 0; i < n; i++)
	{
		bool		is_next = last + 1 < nnow && compare_texts(now[last + 1], labels[i]) == 0;
		int64		place = is_next ? last + 1 : find_text(&index, labels[i]);

		places[i] = place == PG_UINT32_MAX ? -1 : (int) place;
		if (places[i] < 0)
			continue;
		if (place <= last)
			return NULL;
		last = place;
	}
	return places;
}

Datum
cut_again(const Attribute *attr, Datum cut, const char *const *labels)
{
	VarBit	   *bits = DatumGetVarBitP(cut);
	int			nbits = attr->hierarchy->levels[attr->min_level].nlabels - 1;
	int		   *places = places_now(attr, labels, VARBITLEN(bits) + 1);
	bool	   *again = palloc0(sizeof(bool) * ((Size) nbits + 1));
	bool		parted = true;
	int			last = 0;

	if (places == NULL)
		return (Datum) 0;
	for (int i = 0; i <= VARBITLEN(bits); i++)
	{
		parted = parted || (i > 0 && is_set(bits, i - 1));
		if (places[i] < 0)
			continue;
		for (int bit = last; bit < places[i] && parted; bit++)
			again[bit] = true;
		last = places[i];
		parted = false;
	}
	for (int bit = last; bit < nbits; bit++)
		again[bit] = true;
	return separating_bits(again, nbits);
}
