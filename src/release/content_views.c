/*
 * content_views.c
 *	  The coarsest common view of the labels of two contents.
 *
 * A label stands for the leaves below it.  Two contents may show a column by
 * different levels, cuts or hierarchies, and one content may have labels that
 * contain each other.  Leaves that any label of either content groups together
 * count as one value.  Leaves of two hierarchies are equal if their texts are;
 * all leaves that only one of the hierarchies has count as one value, too.
 */
#include "release/content.h"

#include "access/relation.h"
#include "catalog/sql.h"
#include "miscadmin.h"
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

/* Reads a hierarchy of the caller; NULL if it is not one any more. */
static Attribute *
read_hierarchy(Oid relation)
{
	TypeCacheEntry *type = NULL;
	Relation	table;
	List	   *columns;
	HierarchyRows *rows;
	Attribute  *attr;
	uint32	   *codes;

	/* another role's table may run that role's code */
	if (!is_plain_table_of(relation, GetUserId()))
		return NULL;
	/* a forged entry may name any table */
	table = relation_open_existing(relation);
	columns = live_columns(table);
	if (columns != NIL)
		type = lookup_type_cache(getBaseType(((Form_pg_attribute) linitial(columns))->atttypid),
								 TYPECACHE_CMP_PROC | TYPECACHE_HASH_PROC);
	relation_close(table, NoLock);
	if (type == NULL || !OidIsValid(type->cmp_proc) || !OidIsValid(type->hash_proc))
		return NULL;
	rows = hierarchy_read_rows(relation, InvalidOid, "");
	if (rows->faults != NIL)
		return NULL;
	attr = palloc0(sizeof(Attribute));
	attr->hierarchy = hierarchy_build(&rows->table, &codes);
	attr->leaves = leaf_kind(rows->match.leaf_type);
	return attr;
}

const Attribute *
composition_hierarchy(Composition *composition, Oid relation)
{
	KnownHierarchy *known;
	MemoryContext old;
	ListCell   *cell;

	for (int a = 0; a < composition->population->nattrs; a++)
		if (declared_attribute(composition->dataset, a)->hierarchy == relation)
			return &composition->population->attrs[a];
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
	FoundLabels labels;
	uint32		offset;			/* position of its leaves among all */
	uint32	   *first;			/* by label: a leaf below it, or NO_LEAF */
} Side;

/* Merges the leaves of each label by which a content shows anybody. */
static void
join_side(Side *side, uint32 *joined)
{
	const FoundLabels *labels = &side->labels;

	for (int r = 0; r < labels->n; r++)
		for (uint32 label = 0; label < labels->recodings[r]->nlabels; label++)
		{
			uint32		shown = find_text(&labels->index, labels->texts[r][label]);
			uint32		first = labels->recodings[r]->first_leaf[label];

			if (label % 65536 == 0)
				CHECK_FOR_INTERRUPTS();
			if (shown == PG_UINT32_MAX || !labels->used[shown])
				continue;
			if (side->first[shown] == NO_LEAF)
				side->first[shown] = first;
			for (uint32 leaf = first; leaf < first + labels->recodings[r]->leaves[label]; leaf++)
				join(joined, side->offset + side->first[shown], side->offset + leaf);
		}
}

bool
find_labels_anywhere(FoundLabels *found, Composition *composition, const KnownContent *placed, int i)
{
	const ReleaseEntry *known = &placed->release;
	const Attribute *attr = composition_hierarchy(composition, known->hierarchies[i]);
	int			column = attribute_of_column(composition->dataset, known->generalized[i]);
	const Generalization anywhere = {BY_RECORDS};

	if (known->by.kind == BY_RECODING && known->by.labels != LABELS_HIERARCHY)
		return false;
	if (attr == NULL && column >= 0)
		attr = &composition->population->attrs[column];
	if (attr == NULL)
		return false;

	/*
	 * the generalization that is known is the release's last one, so if the
	 * labels are not there, any level will do
	 */
	return (find_labels(found, placed->content, i, &known->by, attr) && found->n > 0) ||
		find_labels(found, placed->content, i, &anywhere, attr);
}

static bool
side_begin(Side *side, Composition *composition, const KnownContent *placed, int i)
{
	Size		n = (Size) placed->content->nlabels[i] + 1;

	side->offset = 0;
	if (!find_labels_anywhere(&side->labels, composition, placed, i))
		return false;
	side->first = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * n);
	memset(side->first, 0xff, sizeof(uint32) * n);
	return true;
}

/* Merges leaves of two hierarchies with the same text; finds the leaves that both have. */
static void
join_hierarchies(const Side *a, const Side *b, uint32 *joined, bool *common)
{
	const Hierarchy *in_a = a->labels.hierarchy;
	const Hierarchy *in_b = b->labels.hierarchy;
	TextIndex	texts;

	if (in_a == in_b)
	{
		memset(common, true, in_a->nleaves);
		return;
	}
	texts = index_texts(in_a->labels[0], in_a->nleaves);
	for (uint32 leaf = 0; leaf < in_b->nleaves; leaf++)
	{
		uint32		same = find_text(&texts, in_b->labels[0][leaf]);

		if (same == PG_UINT32_MAX)
			continue;
		join(joined, same, b->offset + leaf);
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
	const TextIndex *index = &side->labels.index;
	uint32	   *shown = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) index->n + 1));

	for (uint32 label = 0; label < index->n; label++)
	{
		uint32		first = side->first[find_text(index, index->texts[label])];
		uint32		leaf = first == NO_LEAF ? rest : find_joined(joined, side->offset + first);

		shown[label] = leaf != rest && common[leaf] ? leaf : rest;
	}
	return (ContentView)
	{
		side->labels.attr, shown
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
	if (sides[0].labels.hierarchy != sides[1].labels.hierarchy)
		sides[1].offset = sides[0].labels.hierarchy->nleaves;
	nleaves = sides[1].offset + sides[1].labels.hierarchy->nleaves;
	joined = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) nleaves + 1));
	common = MemoryContextAllocExtended(CurrentMemoryContext, (Size) nleaves + 1,
										MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint32 leaf = 0; leaf < nleaves; leaf++)
		joined[leaf] = leaf;
	join_hierarchies(&sides[0], &sides[1], joined, common);
	for (int s = 0; s < 2; s++)
		join_side(&sides[s], joined);
	for (uint32 leaf = 0; leaf < nleaves; leaf++)
		if (common[leaf])
			common[find_joined(joined, leaf)] = true;
	*view_a = view_of(&sides[0], joined, common, nleaves);
	*view_b = view_of(&sides[1], joined, common, nleaves);
	return true;
}
