/*
 * hierarchy_read.c
 *	  Hierarchy tables: read, checked, and matched with a column's type.
 *
 * PostgreSQL sorts the leaves in their type's order.  Then duplicates and
 * overlapping ranges are neighbours, and labels first appear in the preorder's
 * "smallest leaf first" order.
 */
#include "read/hierarchy_read.h"

#include "access/relation.h"
#include "base/budget.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "catalog/typed_rows.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/rangetypes.h"

/* The most faults listed in an error; check_hierarchy returns all. */
#define MAX_FAULTS_TOLD 3

LeafKind
leaf_kind(Oid type)
{
	if (type_is_range(type))
		type = get_range_subtype(type);
	if (type_is_moment(getBaseType(type)))
		return LEAVES_MOMENTS;
	return type_is_number(type) ? LEAVES_NUMBERS : LEAVES_CATEGORIES;
}

/* SELECT leaf, leaf as text, labels as text … in the order of the leaves. */
static char *
rows_statement(const HierarchyRows *rows, List *names, Oid leaf_type)
{
	StringInfoData sql;
	const char *leaf = quote_identifier(linitial(names));

	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT %s, %s", sql_as(rows->match.leaf_form, psprintf("h.%s", leaf)),
					 sql_as(text_form(leaf_type), psprintf("h.%s", leaf)));
	for (int level = 1; level < list_length(names); level++)
		appendStringInfo(&sql, ", %s", sql_as(text_form(column_type(rows->relation, list_nth(names, level))),
											  psprintf("h.%s", quote_identifier(list_nth(names, level)))));
	appendStringInfo(&sql, " FROM %s h ORDER BY h.%s%s", relation_sql_name(rows->relation), leaf,
					 type_is_string(leaf_type) ? "::pg_catalog.text COLLATE pg_catalog.\"C\"" : "");
	return sql.data;
}

static void
add_fault(HierarchyRows *rows, const char *problem, int level, List *labels)
{
	HierarchyFault *fault = palloc(sizeof(HierarchyFault));

	if (list_length(rows->faults) % 1024 == 0)
		budget_require(CurrentMemoryContext, 0);
	fault->problem = problem;
	fault->level = level;
	fault->labels = labels;
	rows->faults = lappend(rows->faults, fault);
}

/* The rows of a hierarchy table while they are read, in order of arrival. */
typedef struct Builder
{
	HierarchyRows *rows;
	MemoryContext context;		/* of the data kept */
	ValueType	leaf_type;
	ValueType	text_type;
	Dictionary **labels;		/* by level, numbered in order of first
								 * appearance */
	Size		capacity;		/* rows there is room for */
	Size		unchecked;		/* bytes kept since memory was last checked */
} Builder;

/* Memory is checked each time that this much has been kept. */
#define CHECKED_BYTES (64 * 1024)

/* Counts bytes that will be kept. */
static void
count_kept(Builder *builder, Size bytes)
{
	builder->unchecked += bytes;
	if (builder->unchecked < CHECKED_BYTES)
		return;
	budget_require(builder->context, bytes);
	builder->unchecked = 0;
}

static char *
keep_text(Builder *builder, Datum value)
{
	Size		length = VARSIZE_ANY_EXHDR(DatumGetPointer(value));
	char	   *kept;

	count_kept(builder, length);
	kept = MemoryContextAllocHuge(builder->context, length + 1);
	memcpy(kept, VARDATA_ANY(DatumGetPointer(value)), length);
	kept[length] = '\0';
	return kept;
}

/* A leaf in the form in which it is compared. */
static Datum
keep_leaf(Builder *builder, Datum value)
{
	const ValueType *type = &builder->leaf_type;
	MemoryContext old;

	value = value_normal(type, value);
	if (type->kind == VALUE_INTEGER || type->byval)
		return value;
	count_kept(builder, datumGetSize(value, false, type->length));
	old = MemoryContextSwitchTo(builder->context);
	value = datumCopy(value, false, type->length);
	MemoryContextSwitchTo(old);
	return value;
}

/* Makes room for more rows in all arrays. */
static void
reserve_rows(Builder *builder)
{
	HierarchyRows *rows = builder->rows;
	LeafTable  *table = &rows->table;
	Size		capacity = builder->capacity;
	Size		grown = capacity;

	rows->leaves = budget_grow(builder->context, rows->leaves, sizeof(Datum), &grown);
	grown = capacity;
	table->label[0] = budget_grow(builder->context, table->label[0], sizeof(char *), &grown);
	for (int level = 1; level <= table->height; level++)
	{
		grown = capacity;
		table->group[level] = budget_grow(builder->context, table->group[level], sizeof(uint32), &grown);
	}
	builder->capacity = grown;
}

static void
refuse_order(const HierarchyRows *rows)
{
	ereport(ERROR,
			(errcode(ERRCODE_CHECK_VIOLATION),
			 errmsg("leaves of hierarchy %s did not come in their order", rows->name),
			 errdetail("The server that holds it sorts them differently."),
			 errhint("Copy it to a table here, and declare the column with that.")));
}

/* Receives a row: the leaf, the leaf as text, the labels. */
static void
take_row(void *arg, const Datum *values, const bool *nulls)
{
	Builder    *builder = arg;
	HierarchyRows *rows = builder->rows;
	LeafTable  *table = &rows->table;
	uint32		row = table->nleaves;

	if (row % 4096 == 0)
		CHECK_FOR_INTERRUPTS();
	if (row >= PG_UINT32_MAX / 2)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("hierarchy %s has too many leaves", rows->name)));
	if (row == builder->capacity)
		reserve_rows(builder);
	/* a server that sorts, or says so, may send NULL first */
	if (!nulls[0] && table->has_null)
		refuse_order(rows);
	rows->leaves[row] = nulls[0] ? (Datum) 0 : keep_leaf(builder, values[0]);
	table->label[0][row] = nulls[0] || nulls[1] ? NULL : keep_text(builder, value_normal(&builder->text_type, values[1]));
	if (nulls[0])
		table->has_null = true;
	else
		rows->nleaves++;
	for (int level = 1; level <= table->height; level++)
	{
		/* NULL is a fault, and counts as empty */
		Datum		label = nulls[level + 1] ? CStringGetTextDatum("") : values[level + 1];
		bool		known;

		if (nulls[level + 1])
		{
			MemoryContext old = MemoryContextSwitchTo(builder->context);

			count_kept(builder, sizeof(HierarchyFault) + 2 * sizeof(List));
			add_fault(rows, "null label", level, list_make1((char *) table->label[0][row]));
			MemoryContextSwitchTo(old);
		}
		table->group[level][row] = dictionary_add(builder->labels[level], value_normal(&builder->text_type, label), &known);
	}
	table->nleaves++;
}

/* Runs the statement that reads a hierarchy; its rows become leaves and labels as they come. */
static void
build_rows(HierarchyRows *rows, List *names, Oid leaf_type)
{
	int			ncolumns = list_length(names) + 1;
	int			height = list_length(names) - 1;
	LeafTable  *table = &rows->table;
	Oid		   *types = palloc(sizeof(Oid) * ncolumns);
	Builder		builder = {.rows = rows,.context = CurrentMemoryContext};

	types[0] = rows->match.leaf_type;
	for (int i = 1; i < ncolumns; i++)
		types[i] = TEXTOID;
	value_type_init(&builder.leaf_type, rows->match.leaf_type);
	value_type_init(&builder.text_type, TEXTOID);
	builder.labels = palloc0(sizeof(Dictionary *) * (height + 1));
	table->height = height;
	table->group = palloc0(sizeof(uint32 *) * (height + 1));
	table->ngroups = palloc0(sizeof(uint32) * (height + 1));
	table->label = palloc0(sizeof(char **) * (height + 1));
	for (int level = 1; level <= height; level++)
		builder.labels[level] = dictionary_create(CurrentMemoryContext, &builder.text_type);
	reserve_rows(&builder);
	rows_read(rows_statement(rows, names, leaf_type), list_make1_oid(rows->relation), NULL, NULL, ncolumns, types, take_row, &builder);
	for (int level = 1; level <= height; level++)
	{
		const Dictionary *labels = builder.labels[level];

		table->ngroups[level] = labels->nvalues;
		table->label[level] = budget_alloc(sizeof(char *), (Size) labels->nvalues + 1);
		for (uint32 i = 0; i < labels->nvalues; i++)
			table->label[level][i] = keep_text(&builder, labels->values[i]);
	}
}

/*
 * Equal leaves are neighbours; NULLs come last.  Fails if leaves did not come in
 * their order: a foreign server sorted them, or said so.  Enums are sorted here,
 * perhaps in another order than their texts.
 */
static void
find_duplicates(HierarchyRows *rows, Oid leaf_type)
{
	ValueType	type;
	uint32		nnulls = rows->table.nleaves - rows->nleaves;

	value_type_init(&type, rows->match.leaf_type);
	for (uint32 i = 1; i < rows->nleaves && !type_is_enum(leaf_type); i++)
		if (value_compare(&type, rows->leaves[i - 1], rows->leaves[i]) > 0)
			refuse_order(rows);
	for (uint32 i = 1; i < rows->nleaves; i++)
		if (value_compare(&type, rows->leaves[i - 1], rows->leaves[i]) == 0 &&
			(i == 1 || value_compare(&type, rows->leaves[i - 2], rows->leaves[i]) != 0))
			add_fault(rows, "duplicate leaf", 0, list_make1((char *) rows->table.label[0][i]));
	if (nnulls > 1)
		add_fault(rows, "duplicate leaf", 0, list_make1(NULL));
}

/*
 * Ranges are sorted by lower bound, so each needs to be compared only with the
 * earlier one that ends last.
 */
static void
find_overlaps(HierarchyRows *rows)
{
	TypeCacheEntry *cache = lookup_type_cache(rows->match.leaf_type, TYPECACHE_RANGE_INFO);
	uint32		widest = 0;

	for (uint32 i = 1; i < rows->nleaves; i++)
	{
		RangeType  *before = DatumGetRangeTypeP(rows->leaves[widest]);
		RangeType  *range = DatumGetRangeTypeP(rows->leaves[i]);
		RangeBound	lower;
		RangeBound	upper;
		RangeBound	end;
		bool		empty;

		if (range_overlaps_internal(cache, before, range) && !range_eq_internal(cache, before, range))
			add_fault(rows, "overlapping ranges", 0,
					  list_make2((char *) rows->table.label[0][widest], (char *) rows->table.label[0][i]));
		range_deserialize(cache, before, &lower, &end, &empty);
		range_deserialize(cache, range, &lower, &upper, &empty);
		if (!empty && (RangeIsEmpty(before) || range_cmp_bounds(cache, &upper, &end) > 0))
			widest = i;
	}
}

HierarchyRows *
hierarchy_read_rows(Oid relation, Oid data_type, const char *column)
{
	HierarchyRows *rows = palloc0(sizeof(HierarchyRows));
	LeafTable  *table = &rows->table;
	Relation	rel = relation_open_existing(relation);
	Oid			leaf_type;
	List	   *names = hierarchy_columns(rel, &leaf_type);
	NestFault  *faults;
	uint32		nfaults;

	budget_expect(0);
	rows->relation = relation;
	rows->name = relation_sql_name(relation);
	if (!match_types(OidIsValid(data_type) ? data_type : leaf_type, leaf_type, &rows->match))
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("column \"%s\" does not match hierarchy %s", column, rows->name),
				 errdetail("The column has type %s, the leaves have type %s.",
						   format_type_be(data_type), format_type_be(leaf_type)),
				 errhint("Both must be numbers, or texts, or of one type; or leaves are ranges of what the column holds.")));
	build_rows(rows, names, leaf_type);
	relation_close(rel, NoLock);

	find_duplicates(rows, leaf_type);
	if (type_is_range(rows->match.leaf_type))
		find_overlaps(rows);
	nfaults = hierarchy_nest_faults(table, &faults);
	for (uint32 i = 0; i < nfaults; i++)
		add_fault(rows, "level does not nest", faults[i].level,
				  list_make3((char *) table->label[faults[i].level][faults[i].group],
							 (char *) table->label[faults[i].level + 1][faults[i].above],
							 (char *) table->label[faults[i].level + 1][faults[i].other]));
	return rows;
}

/* Fails if a hierarchy has faults, listing the first few. */
static void
refuse_faults(const HierarchyRows *rows)
{
	StringInfoData list;

	if (rows->faults == NIL)
		return;
	initStringInfo(&list);
	for (int i = 0; i < Min(list_length(rows->faults), MAX_FAULTS_TOLD); i++)
	{
		const HierarchyFault *fault = list_nth(rows->faults, i);
		ListCell   *cell;

		appendStringInfo(&list, "%s%s at level %d:", i > 0 ? "; " : "", fault->problem, fault->level);
		foreach(cell, fault->labels)
		{
			const char *label = lfirst(cell);

			appendStringInfoString(&list, foreach_current_index(cell) > 0 ? ", " : " ");
			appendStringInfo(&list, label == NULL ? "NULL" : "\"%s\"", label);
		}
	}
	ereport(ERROR,
			(errcode(ERRCODE_CHECK_VIOLATION),
			 errmsg("hierarchy %s is not sound", rows->name),
			 errdetail("It has %d %s, such as %s.", list_length(rows->faults),
					   list_length(rows->faults) == 1 ? "fault" : "faults", list.data),
			 errhint("anonopt.check_hierarchy lists every fault.")));
}

LoadedHierarchy *
hierarchy_load(Oid relation, Oid data_type, const char *column)
{
	LoadedHierarchy *loaded = palloc(sizeof(LoadedHierarchy));

	loaded->rows = hierarchy_read_rows(relation, data_type, column);
	refuse_faults(loaded->rows);
	loaded->hierarchy = hierarchy_build(&loaded->rows->table, &loaded->codes);
	loaded->unknown_leaf = NO_LEAF;
	return loaded;
}

void
hierarchy_admit_unknown(LoadedHierarchy *loaded, const char *column)
{
	const Hierarchy *hierarchy = loaded->hierarchy;
	const char *last;

	if (hierarchy->height < 1 || hierarchy->levels[hierarchy->height].nlabels != 1)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("values of column \"%s\" without a leaf cannot be shown as the last label", column),
				 errdetail("The last level of hierarchy %s is not a single label.", loaded->rows->name),
				 errhint("Add a level that is, or declare the column without unknown.")));

	/*
	 * they must not look like those of a lower label, without being of its
	 * class
	 */
	last = hierarchy->labels[hierarchy->height][0];
	for (int level = 0; level < hierarchy->height; level++)
		for (uint32 label = 0; label < hierarchy->levels[level].nlabels; label++)
			if (hierarchy->labels[level][label] != NULL && strcmp(hierarchy->labels[level][label], last) == 0)
				ereport(ERROR,
						(errcode(ERRCODE_CHECK_VIOLATION),
						 errmsg("values of column \"%s\" without a leaf would look like others", column),
						 errdetail("Hierarchy %s has label \"%s\" at level %d, too.", loaded->rows->name, last, level),
						 errhint("Rename that label or the last one, or declare the column without unknown.")));
	loaded->unknown_leaf = hierarchy_add_unknown(loaded->hierarchy);
}

void
hierarchy_raise(LoadedHierarchy *loaded, int level, const char *column)
{
	const Hierarchy *hierarchy = loaded->hierarchy;

	if (level > hierarchy->height)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("level %d, at which column \"%s\" is shown, is not in hierarchy %s", level, column, loaded->rows->name),
				 errdetail("The hierarchy has levels 0 to %d.", hierarchy->height),
				 errhint("Call anonopt.drop_attribute and declare the column again.")));
	for (uint32 leaf = 0; leaf < loaded->rows->nleaves; leaf++)
		loaded->codes[leaf] = hierarchy->levels[level].label_of[loaded->codes[leaf]];
	loaded->hierarchy = hierarchy_above(hierarchy, level);
}

void
hierarchy_encoder(const LoadedHierarchy *loaded, const char *column, MemoryContext context, Encoder *encoder)
{
	const HierarchyRows *rows = loaded->rows;
	const Hierarchy *hierarchy = loaded->hierarchy;
	bool		has_null = hierarchy->null_leaf != NO_LEAF;

	/* a NULL that is not in the table gets the next code */
	encoder_leaves(encoder, context, column, rows->name, rows->match.data_type, rows->match.leaf_type,
				   rows->leaves, rows->nleaves, loaded->codes,
				   has_null ? hierarchy->null_leaf : hierarchy->nleaves,
				   hierarchy->nleaves + (has_null ? 0 : 1));
	encoder->miss_code = loaded->unknown_leaf;
}
