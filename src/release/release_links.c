/*
 * release_links.c
 *	  Whom a release's rows may show in other releases of the same people.
 *
 * The rows of two contents may be the same person's if their labels of each
 * column that both generalize have a leaf in common, and their values of each
 * other column that both show are equal: a value that few people have links
 * releases as well as a name does.  Labels that no hierarchy has, such as ranges
 * of recodings, fit all.  Contents are what was shown last; the releases
 * themselves, or rights on them, are not needed.
 *
 * A sensitive column may be shown as it is by one of them, and at a level by the
 * other, or at different levels.  Then values are equal if their labels at the
 * coarser level are.  Contents have digests of values, so the hierarchy is the
 * one, of those that the coarser release was made with, that has all values of
 * both.  If none or several have them, the column is not compared, and named.  So is
 * one that only one of them generalizes.
 */
#include "release/release_attack.h"

#include "base/budget.h"
#include "base/bytes.h"
#include "base/names.h"
#include "miscadmin.h"

/* A content's labels of a column. */
typedef struct LabelSide
{
	int			attr;
	const Hierarchy *hierarchy;
	LeafRun    *runs;			/* by code; empty for a NULL without a leaf */
	uint32	   *leaf_of;		/* each leaf in the other's hierarchy, or
								 * NO_LEAF; NULL if both have the same */
} LabelSide;

/* A column that both contents generalize. */
typedef struct CommonLabels
{
	bool		are_found;		/* otherwise all labels fit */
	LabelSide	sides[2];
} CommonLabels;

/* A column of which both show values or, at some level, labels. */
typedef struct CommonValue
{
	int			at[2];			/* its place on each side */
	KeyCounter *labels[2];		/* digests of values, which count the digest
								 * of the label of each at the coarser level;
								 * NULL if both show the same level */
} CommonValue;

/* What two contents have in common. */
typedef struct CommonColumns
{
	const Content *contents[2];
	int			n;
	CommonLabels labels[MAX_ATTRIBUTES];
	int			nvalues;
	CommonValue *values;
	KeyCounter *numbers;		/* of equal values */
	KeyCounter *rows[2];		/* on each side: labels, and that number */
} CommonColumns;

static void
fill_side(LabelSide *side, const FoundLabels *found, const Hierarchy *other)
{
	const Content *content = found->content;
	const LeafRun *runs = runs_of_labels(found);
	TextIndex	texts;

	side->hierarchy = found->hierarchy;
	side->runs = budget_alloc(sizeof(LeafRun), (Size) content->nlabels[side->attr] + 1);
	for (uint32 code = 0; code < content->nlabels[side->attr]; code++)
		side->runs[code] = runs[find_text(&found->index, content->labels[side->attr][code])];
	if (side->hierarchy == other)
		return;
	texts = index_texts(other->labels[0], other->nleaves);
	side->leaf_of = budget_alloc(sizeof(uint32), (Size) side->hierarchy->nleaves + 1);
	for (uint32 leaf = 0; leaf < side->hierarchy->nleaves; leaf++)
		side->leaf_of[leaf] = find_text(&texts, side->hierarchy->labels[0][leaf]);
}

/* Whether a leaf of a run is in one of the other side, or none of the other hierarchy's. */
static bool
reaches(const LabelSide *side, const LeafRun *run, const LeafRun *other)
{
	if (side->leaf_of == NULL)
		return run->first < other->end && other->first < run->end;
	for (uint32 leaf = run->first; leaf < run->end; leaf++)
		if (side->leaf_of[leaf] == NO_LEAF || (side->leaf_of[leaf] >= other->first && side->leaf_of[leaf] < other->end))
			return true;
	return false;
}

static bool
labels_meet(const CommonLabels *labels, uint32 x, uint32 y)
{
	const LabelSide *a = &labels->sides[0];
	const LabelSide *b = &labels->sides[1];

	if (!labels->are_found || x == STARRED || y == STARRED)
		return true;
	/* NULL without a leaf is in a label of everything */
	if (a->runs[x].end == 0)
		return b->runs[y].end == 0 || b->runs[y].end - b->runs[y].first == b->hierarchy->nleaves;
	if (b->runs[y].end == 0)
		return a->runs[x].end - a->runs[x].first == a->hierarchy->nleaves;
	return reaches(a, &a->runs[x], &b->runs[y]) || reaches(b, &b->runs[y], &a->runs[x]);
}

static void
find_common_labels(Composition *composition, const KnownContent *a, const KnownContent *b, CommonLabels *labels)
{
	FoundLabels found[2];

	if (!find_labels_anywhere(&found[0], composition, a, labels->sides[0].attr) ||
		!find_labels_anywhere(&found[1], composition, b, labels->sides[1].attr))
		return;
	labels->are_found = true;
	for (int side = 0; side < 2; side++)
		fill_side(&labels->sides[side], &found[side], found[1 - side].hierarchy);
}

static uint64
label_digest(const char *label)
{
	return label == NULL ? 0 : portable_digest(label, strlen(label));
}

/* The labels of a content's values at a level that is as coarse or coarser; NULL if a hierarchy has not all values. */
static KeyCounter *
labels_of_values(const Content *content, int v, const Hierarchy *hierarchy, int level)
{
	KeyCounter *labels = key_counter_create(CurrentMemoryContext, 1, 1024);

	/* a forged one may be any number */
	int			shown = Max(content->value_levels[v], 0);

	for (uint32 leaf = 0; leaf < hierarchy->nleaves && level <= hierarchy->height; leaf++)
	{
		uint32		known = labels->nkeys;
		uint64		label = label_digest(hierarchy->labels[level][hierarchy->levels[level].label_of[leaf]]);

		*key_counter_candidate(labels) = label_digest(hierarchy->labels[shown][hierarchy->levels[shown].label_of[leaf]]);
		if (key_counter_add(labels, 0) == known)
			labels->counts[known] = (int64) label;
	}
	/* NULL without a leaf is in the last label, if it is the only one there */
	*key_counter_candidate(labels) = 0;
	if (key_counter_find(labels) == PG_UINT32_MAX)
		(void) key_counter_add(labels, level == hierarchy->height && hierarchy->levels[level].nlabels == 1 ?
							   (int64) label_digest(hierarchy->labels[level][0]) : 0);
	for (uint32 i = 0; i < content->rows->nkeys; i++)
	{
		*key_counter_candidate(labels) = content_row(content, i)[code_words(content->nattrs) + v];
		if (key_counter_find(labels) == PG_UINT32_MAX)
			return NULL;
	}
	return labels;
}

/*
 * Finds the labels of a column that the sides show at different levels; returns
 * false unless exactly one of the hierarchies of the coarser side has them all.
 */
static bool
find_value_labels(Composition *composition, const KnownContent *const *sides, CommonValue *value)
{
	const int	levels[2] = {sides[0]->content->value_levels[value->at[0]], sides[1]->content->value_levels[value->at[1]]};
	const ReleaseEntry *coarser = &sides[levels[1] > levels[0]]->release;
	Oid			found = InvalidOid;

	for (int h = 0; h < coarser->nhierarchies; h++)
	{
		const Attribute *attr = composition_hierarchy(composition, coarser->hierarchies[h]);
		KeyCounter *labels[2] = {NULL, NULL};

		for (int side = 0; side < 2 && attr != NULL; side++)
			labels[side] = labels_of_values(sides[side]->content, value->at[side], attr->hierarchy, Max(Max(levels[0], levels[1]), 0));
		if (labels[0] == NULL || labels[1] == NULL)
			continue;
		if (OidIsValid(found) && found != coarser->hierarchies[h])
			return false;
		memcpy(value->labels, labels, sizeof(labels));
		found = coarser->hierarchies[h];
	}
	return OidIsValid(found);
}

/* A value of a side, or its label at the coarser level. */
static uint64
common_value(const CommonValue *value, int which, const uint64 *values)
{
	KeyCounter *labels = value->labels[which];

	if (labels == NULL)
		return values[value->at[which]];
	*key_counter_candidate(labels) = values[value->at[which]];
	return (uint64) labels->counts[key_counter_find(labels)];
}

/* Finds the columns that both show, as they are or at levels; names those that cannot be compared. */
static void
find_values(Composition *composition, const KnownContent *const *sides, CommonColumns *common, AttackFigures *link)
{
	const Content *a = sides[0]->content;
	const Content *b = sides[1]->content;
	const ReleaseEntry *of_a = &sides[0]->release;
	const ReleaseEntry *of_b = &sides[1]->release;

	common->values = palloc0(sizeof(CommonValue) * (a->nvalues + 1));
	for (int i = 0; i < a->nvalues; i++)
	{
		CommonValue value = {.at = {i, find_name(a->values[i], (const char *const *) b->values, b->nvalues)}};

		if (value.at[1] >= 0 && (a->value_levels[i] == b->value_levels[value.at[1]] || find_value_labels(composition, sides, &value)))
		{
			common->values[common->nvalues++] = value;
			link->names[link->nknown++] = a->values[i];
		}
		else if (value.at[1] >= 0 || find_name(a->values[i], (const char *const *) of_b->generalized, of_b->ngeneralized) >= 0)
			link->unseen[link->nunseen++] = a->values[i];
	}
	for (int i = 0; i < of_a->ngeneralized; i++)
		if (find_name(of_a->generalized[i], (const char *const *) b->values, b->nvalues) >= 0)
			link->unseen[link->nunseen++] = of_a->generalized[i];
}

/* Counts the rows of a side by what both have. */
static void
count_rows(CommonColumns *common, int which)
{
	const Content *content = common->contents[which];
	int			words = code_words(content->nattrs);
	int			size = code_words(common->n);

	common->rows[which] = key_counter_create(CurrentMemoryContext, size + 1, content->rows->nkeys);
	for (uint32 i = 0; i < content->rows->nkeys; i++)
	{
		const uint64 *row = content_row(content, i);
		uint64	   *number = key_counter_candidate(common->numbers);
		uint64	   *key = key_counter_candidate(common->rows[which]);

		number[0] = 0;
		for (int v = 0; v < common->nvalues; v++)
			number[v] = common_value(&common->values[v], which, row + words);
		memset(key, 0, sizeof(uint64) * (size + 1));
		for (int i = 0; i < common->n; i++)
			put_code(key, i, code_at(row, common->labels[i].sides[which].attr));
		key[size] = key_counter_add(common->numbers, 0);
		(void) key_counter_add(common->rows[which], content->rows->counts[i]);
	}
}

static bool
rows_meet(const CommonColumns *common, const uint64 *a, const uint64 *b)
{
	for (int i = 0; i < common->n; i++)
		if (!labels_meet(&common->labels[i], code_at(a, i), code_at(b, i)))
			return false;
	return true;
}

/* How many leaves are looked at in a pair of rows, on average: where hierarchies differ, those of both labels. */
static double
leaves_a_pair(const CommonColumns *common)
{
	double		leaves = 1;

	for (int i = 0; i < common->n; i++)
		for (int which = 0; which < 2 && common->labels[i].are_found; which++)
		{
			const LabelSide *side = &common->labels[i].sides[which];
			uint32		n = common->contents[which]->nlabels[side->attr];

			for (uint32 code = 0; code < n && side->leaf_of != NULL; code++)
				leaves += (side->runs[code].end - side->runs[code].first) / (double) n;
		}
	return leaves;
}

/* Compares all rows with the same values; returns false if these are too many pairs. */
static bool
add_row_links(const CommonColumns *common, double most_pairs, AttackFigures *figures)
{
	const KeyCounter *a = common->rows[0];
	const KeyCounter *b = common->rows[1];
	int			size = code_words(common->n);
	uint32		nnumbers = common->numbers->nkeys;
	uint32	   *number_of = budget_alloc(sizeof(uint32), (Size) b->nkeys + 1);
	uint32	   *start = budget_alloc(sizeof(uint32), (Size) nnumbers + 1);
	uint32	   *rows = budget_alloc(sizeof(uint32), (Size) b->nkeys + 1);
	double		pairs = 0;
	int64		all = 0;

	for (uint32 i = 0; i < b->nkeys; i++)
	{
		number_of[i] = (uint32) b->keys[(Size) i * (size + 1) + size];
		all += b->counts[i];
	}
	group_by_class(number_of, b->nkeys, nnumbers, NULL, start, rows);
	for (uint32 i = 0; i < a->nkeys; i++)
		pairs += start[a->keys[(Size) i * (size + 1) + size] + 1] - start[a->keys[(Size) i * (size + 1) + size]];
	if (pairs * leaves_a_pair(common) > most_pairs)
		return false;
	for (uint32 i = 0; i < a->nkeys; i++)
	{
		const uint64 *row = a->keys + (Size) i * (size + 1);
		int64		people = 0;

		CHECK_FOR_INTERRUPTS();
		for (uint32 j = start[row[size]]; j < start[row[size] + 1]; j++)
			if (rows_meet(common, row, b->keys + (Size) rows[j] * (size + 1)))
				people += b->counts[rows[j]];
		attack_add_links(figures, a->counts[i], people, 1, false);
	}
	attack_end_links(figures, all, false);
	return true;
}

/* Links the rows of a content with those of another; returns false if it takes too long. */
static bool
link_contents(Composition *composition, const KnownContent *a, const KnownContent *b, double most_pairs, AttackFigures *link)
{
	CommonColumns common = {.contents = {a->content, b->content}};
	const KnownContent *const sides[2] = {a, b};
	Size		size = sizeof(char *) * (a->release.ngeneralized + a->content->nvalues + 1);

	link->names = MemoryContextAlloc(GetMemoryChunkContext(link), size);
	link->unseen = MemoryContextAlloc(GetMemoryChunkContext(link), size);
	for (int i = 0; i < a->release.ngeneralized; i++)
		for (int j = 0; j < b->release.ngeneralized; j++)
			if (strcmp(a->release.generalized[i], b->release.generalized[j]) == 0)
			{
				link->names[link->nknown++] = a->release.generalized[i];
				common.labels[common.n].sides[0].attr = i;
				common.labels[common.n].sides[1].attr = j;
				find_common_labels(composition, a, b, &common.labels[common.n++]);
				break;
			}
	find_values(composition, sides, &common, link);
	common.numbers = key_counter_create(CurrentMemoryContext, Max(common.nvalues, 1), 1024);
	count_rows(&common, 0);
	count_rows(&common, 1);
	link->target = b->release.name;
	return add_row_links(&common, most_pairs, link);
}

List *
release_attack_links(const ReleaseEntry *entry, double most_pairs)
{
	static TupleTable none = {0};
	static const Population nobody = {.tuples = &none};
	static const Dataset nothing = {0};
	Composition *composition = composition_begin(&nothing, &nobody, false);
	List	   *links = NIL;
	int			left_out = 0;
	int			n;
	KnownContent *contents = known_contents(entry->source, entry->person, entry->id, &n);
	int			own = last_content(entry->id, contents, n);

	/* of a sample, values are not comparable */
	if (own < 0 || contents[own].is_sample)
		return NIL;
	contents[own].content = known_content_load(&contents[own], CurrentMemoryContext);
	for (int i = 0; i < n; i++)
	{
		AttackFigures *link = palloc0(sizeof(AttackFigures));
		MemoryContext work;
		MemoryContext old;
		bool		is_linked;
		const char *id = contents[i].release.id;

		if (contents[i].is_others == 1 || (id != NULL && strcmp(id, entry->id) == 0))
			continue;
		if (contents[i].is_known && i != last_content(id, contents, n))
			continue;
		if (!contents[i].is_known || contents[i].is_sample)
		{
			left_out++;
			continue;
		}
		work = AllocSetContextCreate(composition->context, "anonopt linked content", ALLOCSET_DEFAULT_SIZES);
		old = MemoryContextSwitchTo(work);
		contents[i].content = known_content_load(&contents[i], work);
		is_linked = link_contents(composition, &contents[own], &contents[i], most_pairs, link);
		MemoryContextSwitchTo(old);
		MemoryContextDelete(work);
		if (is_linked)
			links = lappend(links, link);
		else
			left_out++;
		if (is_linked && link->nunseen > 0)
			ereport(NOTICE,
					(errmsg("release %s is linked without column \"%s\"", link->target, link->unseen[0]),
					 errdetail("Both show it, in different ways that no hierarchy which can be read makes comparable. More rows may be linked.")));
	}
	if (left_out > 0)
		ereport(NOTICE,
				(errmsg_plural("%d other release is not linked", "%d other releases are not linked", left_out, left_out),
				 errdetail("They are live views or samples, or have too many pairs of rows.")));
	return links;
}
