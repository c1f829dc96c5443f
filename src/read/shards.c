/*
 * shards.c
 *	  Foreign tables whose rows a reading groups remotely.
 *
 * Values that a shard considers equal are counted as one.  So no column may
 * have a nondeterministic collation there, whatever its declaration here.
 * PostgreSQL refuses regular expressions on such a column, so asking a shard
 * for one row that matches '' reveals it.
 *
 * Citus hands values on as text where it is told to, or where a column has
 * somebody's type.  Then settings of its workers would round or change them.
 */
#include "read/reading.h"

#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "catalog/relations.h"
#include "catalog/typed_rows.h"
#include "foreign/foreign.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

/* The settings on which texts of values depend, as one text; with digits that are enough, floats are exact. */
#define SETTINGS_OF_TEXTS(quote) \
"pg_catalog.concat(pg_catalog.current_setting(" quote "extra_float_digits" quote ")::pg_catalog.int4 OPERATOR(pg_catalog.>) 0, " \
"pg_catalog.current_setting(" quote "datestyle" quote "), pg_catalog.current_setting(" quote "intervalstyle" quote "), " \
"pg_catalog.current_setting(" quote "lc_monetary" quote "))"

/* Adds to errors which servers are read. */
static void
tell_servers(void *arg)
{
	errcontext("reading foreign tables: %s", (const char *) arg);
}

/* The servers are put into words now, because catalogs cannot be read after an error. */
void
begin_telling_servers(const Reading *reading, ErrorContextCallback *callback)
{
	StringInfoData servers;
	ListCell   *cell;

	initStringInfo(&servers);
	foreach(cell, foreign_leaves(reading->dataset->relation))
		appendStringInfo(&servers, "%s%s on server \"%s\"", servers.len > 0 ? ", " : "", relation_sql_name(lfirst_oid(cell)),
						 GetForeignServer(GetForeignTable(lfirst_oid(cell))->serverid)->servername);
	callback->callback = tell_servers;
	callback->previous = error_context_stack;
	callback->arg = servers.data;
	if (servers.len > 0)
		error_context_stack = callback;
}

void
check_shard_collations(const Reading *reading)
{
	List	   *tables = foreign_leaves(reading->dataset->relation);
	StringInfoData sql;
	ListCell   *cell;

	initStringInfo(&sql);
	foreach(cell, tables)
		for (int i = 0; i < reading->ncolumns; i++)
	{
		const char *column = get_attname(reading->dataset->relation, reading->columns[i].number, false);
		Oid			type = column_type(lfirst_oid(cell), column);

		/* a column that is nondeterministic here as well is grouped here */
		if ((type != TEXTOID && type != VARCHAROID && type != BPCHAROID) || reading->columns[i].by_bytes)
			continue;
		appendStringInfo(&sql, "%s(SELECT 1 FROM %s r WHERE r.%s OPERATOR(pg_catalog.~) '' LIMIT 1)",
						 sql.len > 0 ? " UNION ALL " : "", relation_sql_name(lfirst_oid(cell)), quote_identifier(column));
	}
	if (sql.len > 0)
		(void) rows_of_query(sql.data, tables, NULL, NULL, 0, NULL);
}

void
check_leaves(const Reading *reading)
{
	Oid			relation = reading->dataset->relation;

	if (reading->leaves == NIL || equal(reading->leaves, partitions_with_rows(relation)))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_IN_USE),
			 errmsg("partitions of %s changed while they were read", relation_sql_name(relation)),
			 errhint("Call the function again.")));
}

void
require_exact_values(const Reading *reading)
{
	const char *binary = GetConfigOption("citus.enable_binary_protocol", true, false);
	bool		as_text = binary != NULL && strcmp(binary, "off") == 0;
	bool		depends = false;

	if (!is_distributed(reading->dataset->relation))
		return;
	for (int i = 0; i < reading->ncolumns; i++)
	{
		const ReadColumn *column = &reading->columns[i];
		Oid			type = strcmp(column->form, "%v") == 0 ? get_atttype(reading->dataset->relation, column->number) :
		reading->set.encoders[i].type.type;
		Oid			output;
		bool		is_varlena;

		getTypeOutputInfo(type, &output, &is_varlena);
		as_text = as_text || type >= FirstNormalObjectId;
		depends = depends || type_is_float(getBaseType(type)) || (func_volatile(output) != PROVOLATILE_IMMUTABLE && !type_is_enum(getBaseType(type)));
	}
	if (!as_text || !depends ||
		rows_of_query("SELECT 1 FROM pg_catalog.run_command_on_workers('SELECT " SETTINGS_OF_TEXTS("''") "') w"
					  " WHERE w.result IS DISTINCT FROM " SETTINGS_OF_TEXTS("'") " LIMIT 1", NIL, NULL, NULL, 0, NULL)->n == 0)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("workers have other settings than this session, and values of %s would come as text", relation_sql_name(reading->dataset->relation)),
			 errdetail("Floats would be rounded, or dates misread."),
			 errhint("Set citus.enable_binary_protocol, if it is off; or give the workers the same extra_float_digits, DateStyle, IntervalStyle and lc_monetary.")));
}
