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

/* A column that both contents generalize. */
typedef struct CommonLabels
{
	int			attr[2];		/* on each side */
	Size		width;
	const bool *meet;			/* by both labels; NULL: all do */
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

/* The runs of a content's labels, and the leaves as those of another hierarchy, or NO_LEAF. */
typedef struct LabelSide
{
	const FoundLabels *found;
	const LeafRun *runs;
	uint32	   *leaf_of;
} LabelSide;

static LabelSide
label_side(const FoundLabels *found, const Hierarchy *other)
{
	LabelSide	side = {.found = found,.runs = runs_of_labels(found)};
	const Hierarchy *own = found->hierarchy;
	TextIndex	texts = index_texts(other->labels[0], other->nleaves);

	side.leaf_of = budget_alloc(sizeof(uint32), (Size) own->nleaves + 1);
	for (uint32 leaf = 0; leaf < own->nleaves; leaf++)
		side.leaf_of[leaf] = own == other ? leaf : find_text(&texts, own->labels[0][leaf]);
	return side;
}

static const LeafRun *
run_of(const LabelSide *side, uint32 code)
{
	return &side->runs[find_text(&side->found->index, side->found->content->labels[side->found->attr][code])];
}

/* Whether a leaf of a run is in another, given by the other's leaves, or is none of the other hierarchy's. */
static bool
has_leaf_in(const LabelSide *side, const LeafRun *run, const LeafRun *other, bool *lacks)
{
	bool		meets = false;

	for (uint32 leaf = run->first; leaf < run->end; leaf++)
	{
		meets = meets || (side->leaf_of[leaf] >= other->first && side->leaf_of[leaf] < other->end);
		*lacks = *lacks || side->leaf_of[leaf] == NO_LEAF;
	}
	return meets;
}

static bool
labels_meet(const LabelSide *a, uint32 x, const LabelSide *b, uint32 y)
{
	const LeafRun *run_a = run_of(a, x);
	const LeafRun *run_b = run_of(b, y);
	bool		lacks = false;

	/* NULL may have no leaf, but is in a label of everything */
	if (run_a->end == 0 || run_b->end == 0)
		return run_a->end == run_b->end || (run_a->end == 0 ? run_b->end - run_b->first == b->found->hierarchy->nleaves :
											run_a->end - run_a->first == a->found->hierarchy->nleaves);
	return has_leaf_in(a, run_a, run_b, &lacks) || (has_leaf_in(b, run_b, run_a, &lacks), lacks);
}

static void
compare_labels(Composition *composition, const KnownContent *a, const KnownContent *b, CommonLabels *common)
{
	uint32		n = a->content->nlabels[common->attr[0]];
	FoundLabels found[2];
	LabelSide	sides[2];
	bool	   *meet;

	common->width = b->content->nlabels[common->attr[1]];
	if (!find_labels_anywhere(&found[0], composition, a, common->attr[0]) ||
		!find_labels_anywhere(&found[1], composition, b, common->attr[1]))
		return;
	sides[0] = label_side(&found[0], found[1].hierarchy);
	sides[1] = label_side(&found[1], found[0].hierarchy);
	common->meet = meet = budget_alloc(sizeof(bool), n * common->width + 1);
	for (uint32 x = 0; x < n; x++)
		for (uint32 y = 0; y < common->width; y++)
			meet[x * common->width + y] = labels_meet(&sides[0], x, &sides[1], y);
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
			put_code(key, i, code_at(row, common->labels[i].attr[which]));
		key[size] = key_counter_add(common->numbers, 0);
		(void) key_counter_add(common->rows[which], content->rows->counts[i]);
	}
}

static bool
rows_meet(const CommonColumns *common, const uint64 *a, const uint64 *b)
{
	for (int i = 0; i < common->n; i++)
	{
		const CommonLabels *labels = &common->labels[i];
		uint32		x = code_at(a, i);
		uint32		y = code_at(b, i);

		if (x != STARRED && y != STARRED && labels->meet != NULL && !labels->meet[x * labels->width + y])
			return false;
	}
	return true;
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
	if (pairs > most_pairs)
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

	for (int i = 0; i < a->release.ngeneralized; i++)
		for (int j = 0; j < b->release.ngeneralized; j++)
			if (strcmp(a->release.generalized[i], b->release.generalized[j]) == 0)
			{
				link->names[link->n++] = a->release.generalized[i];
				common.labels[common.n].attr[0] = i;
				common.labels[common.n].attr[1] = j;
				compare_labels(composition, a, b, &common.labels[common.n++]);
			}
	common.nvalues = common_values(a->content, b->content, &common.values);
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

	if (own < 0)
		return NIL;
	contents[own].content = known_content_load(&contents[own], CurrentMemoryContext);
	for (int i = 0; i < n; i++)
	{
		AttackLink *link = palloc0(sizeof(AttackLink));
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
		contents[i].content = known_content_load(&contents[i], CurrentMemoryContext);
		link->names = palloc(sizeof(char *) * (2 * MAX_ATTRIBUTES));
		if (link_contents(composition, &contents[own], &contents[i], most_pairs, link))
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
