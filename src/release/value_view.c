/*
 * value_view.c
 *	  The coarsest common view of the labels of two contents.
 *
 * A label stands for the leaves below it.  Two contents may show a column by
 * different levels, cuts or hierarchies, and one content may have labels that
 * contain each other.  Leaves that any label of either content groups together
 * count as one value.  Leaves of two hierarchies are equal if their texts are;
 * all leaves that only one of the hierarchies has count as one value, too.
 */
#include "release/composition.h"

#include "access/relation.h"
#include "catalog/sql.h"
#include "miscadmin.h"
#include "read/hierarchy_read.h"
#include "release/cut_bits.h"
#include "release/release.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

/* A hierarchy that no column of the data set uses now. */
typedef struct KnownHierarchy
{
	Oid			relation;
	Attribute  *attr;			/* like a column with it; NULL if it cannot be
								 * read */
} KnownHierarchy;

/*
 * Whether a table can be read as a hierarchy, since a forged entry may name
 * any table.
 */
static bool
has_leaves(Oid relation)
{
	Relation	table = relation_open_existing(relation);
	List	   *columns = live_columns(table);
	TypeCacheEntry *type;
	bool		found = false;

	if (columns != NIL)
	{
		type = lookup_type_cache(getBaseType(((Form_pg_attribute) linitial(columns))->atttypid), TYPECACHE_CMP_PROC | TYPECACHE_HASH_PROC);
		found = OidIsValid(type->cmp_proc) && OidIsValid(type->hash_proc);
	}
	relation_close(table, NoLock);
	return found;
}

/* Reads a hierarchy of the caller; NULL if it is not one any more. */
static Attribute *
read_hierarchy(Oid relation)
{
	HierarchyRows *rows;
	Attribute  *attr;
	uint32	   *codes;

	/* another role's table may run that role's code */
	if (!is_plain_table_of(relation, GetUserId()) || !has_leaves(relation))
		return NULL;
	rows = hierarchy_read_rows(relation, InvalidOid, "");
	if (rows->faults != NIL)
		return NULL;
	attr = palloc0(sizeof(Attribute));
	attr->hierarchy = hierarchy_build(&rows->table, &codes);
	attr->leaves = leaf_kind(rows->match.leaf_type);
	return attr;
}

static Attribute *
find_hierarchy(Composition *composition, Oid relation)
{
	KnownHierarchy *known;
	MemoryContext old;
	ListCell   *cell;
	int			attr = 0;

	for (int i = 0; i < composition->dataset->nattributes; i++)
	{
		const Declared *declared = &composition->dataset->attributes[i];

		if (declared->role != ROLE_QUASI_IDENTIFIER)
			continue;
		if (declared->hierarchy == relation)
			return &composition->population->attrs[attr];
		attr++;
	}
	foreach(cell, composition->others)
	{
		known = lfirst(cell);
		if (known->relation == relation)
			return known->attr;
	}
	old = MemoryContextSwitchTo(composition->context);
	known = palloc(sizeof(KnownHierarchy));
	known->relation = relation;
	known->attr = read_hierarchy(relation);
	composition->others = lappend(composition->others, known);
	MemoryContextSwitchTo(old);
	return known->attr;
}

/* ---------------------------------------------------------------- joined leaves */

/* A content's labels of an attribute, and the leaves of its hierarchy. */
typedef struct Side
{
	const KnownContent *placed;
	int			attr;
	const Hierarchy *hierarchy;
	int			level;			/* that has its labels; -1: any */
	const Recoding *cut;		/* or NULL */
	const char *const *cut_labels;
	uint32		offset;			/* position of its leaves among all */
	TextIndex	texts;			/* its labels */
	bool	   *used;			/* by label: whether anybody is shown with it */
	uint32	   *first;			/* by label: a leaf below it, or NO_LEAF */
} Side;

/* The leaf that represents all leaves merged with a given one. */
static uint32
find_leaf(uint32 *joined, uint32 leaf)
{
	while (joined[leaf] != leaf)
		leaf = joined[leaf] = joined[joined[leaf]];
	return leaf;
}

static void
join_leaves(uint32 *joined, uint32 a, uint32 b)
{
	a = find_leaf(joined, a);
	b = find_leaf(joined, b);
	joined[Max(a, b)] = Min(a, b);
}

/* Merges the leaves of a label, if the content shows anybody with it. */
static void
join_label(Side *side, uint32 *joined, const char *text, const Recoding *recoding, uint32 label)
{
	uint32		shown = find_text(&side->texts, text);
	uint32		first = recoding->first_leaf[label];

	if (shown == PG_UINT32_MAX || !side->used[shown])
		return;
	if (side->first[shown] == NO_LEAF)
		side->first[shown] = first;
	for (uint32 leaf = first; leaf < first + recoding->leaves[label]; leaf++)
		join_leaves(joined, side->offset + side->first[shown], side->offset + leaf);
}

static void
join_labels(Side *side, uint32 *joined, const char *const *texts, const Recoding *recoding)
{
	for (uint32 label = 0; label < recoding->nlabels; label++)
	{
		if (label % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		join_label(side, joined, texts[label], recoding, label);
	}
}

/*
 * Merges the leaves of each label of a content: those of a level or a cut, or
 * of any level.
 */
static void
join_side(Side *side, uint32 *joined)
{
	const Hierarchy *hierarchy = side->hierarchy;

	if (side->cut != NULL)
	{
		join_labels(side, joined, side->cut_labels, side->cut);
		return;
	}
	for (int level = 0; level <= hierarchy->height; level++)
		if (side->level < 0 || side->level == level)
			join_labels(side, joined, hierarchy->labels[level], &hierarchy->levels[level]);
}

/*
 * Finds where a hierarchy has a content's labels.  The generalization that is
 * known is the release's last one, so if they are not there, any level will
 * do.  Returns false if the hierarchy lacks them.
 */
static bool
find_labels(Side *side, const Attribute *attr)
{
	const ReleaseEntry *known = &side->placed->release;
	const Content *content = side->placed->content;
	const Generalization anywhere = {BY_RECORDS};
	Attribute	cut_of = *attr;

	side->hierarchy = attr->hierarchy;
	side->level = -1;
	if (known->by.kind == BY_CUTS && labels_fit(&known->by, content, side->attr, attr))
	{
		side->cut = recoding_of_bits(attr, known->by.cuts[side->attr], &cut_of.min_level);
		if (side->cut != NULL)
			side->cut_labels = (const char *const *) group_labels(&cut_of, side->cut);
		return true;
	}
	if (known->by.kind == BY_LEVELS && labels_fit(&known->by, content, side->attr, attr))
	{
		side->level = known->by.levels[side->attr];
		return true;
	}
	return labels_fit(&anywhere, content, side->attr, attr);
}

/*
 * Finds a content's labels in the hierarchy that it was made with or, if that
 * is gone or another role's, in the data set's; returns false if they are in
 * neither.
 */
static bool
side_begin(Side *side, Composition *composition, const KnownContent *placed, int i)
{
	const ReleaseEntry *known = &placed->release;
	const Content *content = placed->content;
	const Attribute *attr = find_hierarchy(composition, known->hierarchies[i]);
	int			column = attribute_of_column(composition->dataset, known->generalized[i]);

	memset(side, 0, sizeof(Side));
	side->placed = placed;
	side->attr = i;
	if (known->by.kind == BY_RECODING && known->by.labels != LABELS_HIERARCHY)
		return false;
	if (attr == NULL && column >= 0)
		attr = &composition->population->attrs[column];
	if (attr == NULL || !find_labels(side, attr))
		return false;
	side->texts = index_texts(content->labels[i], content->nlabels[i]);
	side->used = used_labels(content, i, &side->texts);
	side->first = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) content->nlabels[i] + 1));
	memset(side->first, 0xff, sizeof(uint32) * ((Size) content->nlabels[i] + 1));
	return true;
}

/*
 * Merges leaves of two hierarchies with the same text; finds the leaves that
 * both have.
 */
static void
join_hierarchies(const Side *a, const Side *b, uint32 *joined, bool *common)
{
	TextIndex	texts;

	if (a->hierarchy == b->hierarchy)
	{
		memset(common, true, a->hierarchy->nleaves);
		return;
	}
	texts = index_texts(a->hierarchy->labels[0], a->hierarchy->nleaves);
	for (uint32 leaf = 0; leaf < b->hierarchy->nleaves; leaf++)
	{
		uint32		same = find_text(&texts, b->hierarchy->labels[0][leaf]);

		if (same == PG_UINT32_MAX)
			continue;
		join_leaves(joined, same, b->offset + leaf);
		common[same] = true;
	}
}

/*
 * By label, the leaf that represents its merged leaves; rest if both
 * hierarchies have none of them.
 */
static ContentView
view_of(const Side *side, uint32 *joined, const bool *common, uint32 rest)
{
	const Content *content = side->placed->content;
	uint32	   *shown = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) content->nlabels[side->attr] + 1));

	for (uint32 label = 0; label < content->nlabels[side->attr]; label++)
	{
		uint32		first = side->first[find_text(&side->texts, content->labels[side->attr][label])];
		uint32		leaf = first == NO_LEAF ? rest : find_leaf(joined, side->offset + first);

		shown[label] = leaf != rest && common[leaf] ? leaf : rest;
	}
	return (ContentView)
	{
		side->attr, shown
	};
}

bool
view_by_values(Composition *composition, const KnownContent *a, const KnownContent *b, int i, int j,
			   ContentView *view_a, ContentView *view_b)
{
	Side		sides[2];
	uint32		nleaves;
	uint32	   *joined;
	bool	   *common;

	if (!side_begin(&sides[0], composition, a, i) || !side_begin(&sides[1], composition, b, j))
		return false;
	sides[1].offset = sides[0].hierarchy == sides[1].hierarchy ? 0 : sides[0].hierarchy->nleaves;
	nleaves = sides[1].offset + sides[1].hierarchy->nleaves;
	joined = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) nleaves + 1));
	common = MemoryContextAllocExtended(CurrentMemoryContext, (Size) nleaves + 1, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint32 leaf = 0; leaf < nleaves; leaf++)
		joined[leaf] = leaf;
	join_hierarchies(&sides[0], &sides[1], joined, common);
	for (int s = 0; s < 2; s++)
		join_side(&sides[s], joined);
	for (uint32 leaf = 0; leaf < nleaves; leaf++)
		if (common[leaf])
			common[find_leaf(joined, leaf)] = true;
	*view_a = view_of(&sides[0], joined, common, nleaves);
	*view_b = view_of(&sides[1], joined, common, nleaves);
	return true;
}
