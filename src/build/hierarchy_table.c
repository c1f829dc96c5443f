/*
 * hierarchy_table.c
 *	  A hierarchy table while it is built.
 *
 * A builder runs one INSERT … SELECT with an expression per level.  It sets
 * search_path to pg_catalog to keep the statements readable; names given by
 * users are resolved before that and are written qualified and quoted.  When a
 * hierarchy is extended, the same SELECT is run for the leaves that it lacks.
 */
#include "build/hierarchy_table.h"

#include "access/xact.h"
#include "catalog/dataset.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "catalog/relations.h"
#include "catalog/type_match.h"
#include "catalog/typed_rows.h"
#include "commands/comment.h"
#include "utils/array.h"
#include "utils/builtins.h"

NewHierarchy *
hierarchy_table_begin(const char *name)
{
	NewHierarchy *table = palloc0(sizeof(NewHierarchy));

	table->made = new_relation(name, "Drop it, or choose another name for the hierarchy.");
	initStringInfo(&table->labels);
	table->names_level = sql_use_catalog_names();
	return table;
}

void
hierarchy_add_level(NewHierarchy *table, const char *label)
{
	/* more would only be counted, for the message */
	if (table->height++ < MOST_LEVELS)
		appendStringInfo(&table->labels, ", %s", label);
}

void
hierarchy_table_create(NewHierarchy *table, const char *leaf_type)
{
	StringInfoData sql;

	if (table->height > MOST_LEVELS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("hierarchy would have too many levels"),
				 errdetail("It would have %d levels.", table->height)));
	initStringInfo(&sql);
	appendStringInfo(&sql, "CREATE TABLE %s (value %s", table->made.sql_name, leaf_type);
	for (int level = 1; level <= table->height; level++)
		appendStringInfo(&sql, ", level%d text NOT NULL", level);
	appendStringInfoChar(&sql, ')');
	sql_run(sql.data, NULL);
}

static void
take_leaf(void *arg, const Datum *values, const bool *nulls)
{
	NewLeaves  *leaves = arg;

	tuplestore_putvalues(leaves->rows, leaves->desc, unconstify(Datum *, values), unconstify(bool *, nulls));
}

/* Reads what would be the rows of the table. */
static void
collect_rows(NewHierarchy *table, const char *leaf_type, const char *leaf, const char *from)
{
	NewLeaves  *leaves = table->leaves;
	Oid		   *types = palloc(sizeof(Oid) * (leaves->height + 1));

	if (table->height != leaves->height)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("hierarchy %s would have another number of levels by its rule", relation_sql_name(leaves->hierarchy)),
				 errdetail("It has %d, and would have %d.", leaves->height, table->height),
				 errhint("Build another hierarchy, declare the column with it, and call anonopt.republish.")));
	for (int i = 0; i <= leaves->height; i++)
		types[i] = i == 0 ? leaves->leaf_type : TEXTOID;
	if (type_is_integer(leaves->leaf_type))
		leaf_type = format_type_be_qualified(leaves->leaf_type);
	rows_read(psprintf("SELECT CAST(%s AS %s)%s FROM %s", leaf, leaf_type, table->labels.data, from), leaves->sources,
			  table->params, NULL, leaves->height + 1, types, take_leaf, leaves);
}

void
hierarchy_table_fill(NewHierarchy *table, const char *leaf_type, const char *leaf, const char *from)
{
	if (table->leaves != NULL)
	{
		collect_rows(table, leaf_type, leaf, from);
		return;
	}
	hierarchy_table_create(table, leaf_type);
	sql_run(psprintf("INSERT INTO %s SELECT %s%s FROM %s", table->made.sql_name, leaf, table->labels.data, from), table->params);
	if (OidIsValid(table->rule.relation))
		require_unmoved(list_make1_oid(table->rule.relation));
}

Oid
hierarchy_table_finish(NewHierarchy *table)
{
	const char *key = table->has_null_leaf ? "UNIQUE (value)" : "PRIMARY KEY (value)";
	Oid			hierarchy;

	if (table->has_ranges)
		key = "EXCLUDE USING gist (value WITH &&)";
	sql_run(psprintf("ALTER TABLE %s ADD %s", table->made.sql_name, key), NULL);
	hierarchy = made_relation(table->made.schema, table->made.name);
	if (table->rule.from_data)
	{
		keep_to_owner(hierarchy);
		CreateComments(hierarchy, RelationRelationId, 0, MADE_FROM_DATA " from data");
		CommandCounterIncrement();
	}
	sql_restore_names(table->names_level);
	return hierarchy;
}

bool
holds(const NewHierarchy *table, const char *condition)
{
	bool		isnull;

	return DatumGetBool(value_of_query(psprintf("SELECT %s", condition), NIL, table->params, BOOLOID, &isnull));
}

void
refuse_description(const char *message, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s", message),
			 errhint("%s", hint)));
}

void
require_description(const NewHierarchy *table, const char *condition, const char *message, const char *hint)
{
	if (!holds(table, condition))
		refuse_description(message, hint);
}

ParamListInfo
add_array(ParamListInfo params, Oid type, Datum datum)
{
	ArrayType  *array = DatumGetArrayTypePCopy(datum);

	if (ARR_NDIM(array) == 1)
		ARR_LBOUND(array)[0] = 1;
	return add_value(params, type, PointerGetDatum(array), false);
}
