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
 */
#include "release/release_attack.h"

#include "base/budget.h"
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

/* What two contents have in common. */
typedef struct CommonColumns
{
	const Content *contents[2];
	int			n;
	CommonLabels labels[MAX_ATTRIBUTES];
	int			nvalues;
	int			(*values)[2];
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
			number[v] = row[words + common->values[v][which]];
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
link_contents(Composition *composition, const KnownContent *a, const KnownContent *b, double most_pairs, AttackLink *link)
{
	CommonColumns common = {.contents = {a->content, b->content}};

	common.nvalues = common_values(a->content, b->content, &common.values);
	link->names = MemoryContextAlloc(GetMemoryChunkContext(link), sizeof(char *) * (a->release.ngeneralized + common.nvalues + 1));
	for (int i = 0; i < a->release.ngeneralized; i++)
		for (int j = 0; j < b->release.ngeneralized; j++)
			if (strcmp(a->release.generalized[i], b->release.generalized[j]) == 0)
			{
				link->names[link->n++] = a->release.generalized[i];
				common.labels[common.n].sides[0].attr = i;
				common.labels[common.n].sides[1].attr = j;
				find_common_labels(composition, a, b, &common.labels[common.n++]);
				break;
			}
	for (int v = 0; v < common.nvalues; v++)
		link->names[link->n++] = a->content->values[common.values[v][0]];
	common.numbers = key_counter_create(CurrentMemoryContext, Max(common.nvalues, 1), 1024);
	count_rows(&common, 0);
	count_rows(&common, 1);
	link->target = b->release.name;
	return add_row_links(&common, most_pairs, &link->figures);
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
		AttackLink *link = palloc0(sizeof(AttackLink));
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
	}
	if (left_out > 0)
		ereport(NOTICE,
				(errmsg_plural("%d other release is not linked", "%d other releases are not linked", left_out, left_out),
				 errdetail("They are live views or samples, or have too many pairs of rows.")));
	return links;
}
