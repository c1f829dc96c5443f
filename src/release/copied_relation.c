/*
 * copied_relation.c
 *	  Rows of a relation that the current role must not read itself.
 *
 * A statement that joins tables of two roles is planned as one of them, and
 * could run the other's code.  So a relation of another role is first read on
 * its own, as its owner, and the statement reads the copy.
 */
#include "release/release_verify.h"

#include "access/relation.h"
#include "access/sysattr.h"
#include "catalog/sql.h"
#include "catalog/trusted_code.h"
#include "catalog/typed_rows.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

typedef struct RowCopier
{
	Tuplestorestate *rows;
	TupleDesc	desc;
	const List *columns;
	Datum	   *values;
	bool	   *nulls;
} RowCopier;

static void
copy_row(void *arg, const Datum *values, const bool *nulls)
{
	RowCopier  *copier = arg;

	for (int i = 0; i < list_length(copier->columns); i++)
	{
		int			column = list_nth_int(copier->columns, i) - 1;

		copier->values[column] = values[i];
		copier->nulls[column] = nulls[i];
	}
	CHECK_FOR_INTERRUPTS();
	tuplestore_putvalues(copier->rows, copier->desc, copier->values, copier->nulls);
}

/* Reads the columns as a role. */
static Tuplestorestate *
copy_rows(Relation relation, const List *columns, Oid role)
{
	TupleDesc	desc = RelationGetDescr(relation);
	RowCopier	copier = {.desc = desc,.columns = columns};
	Oid		   *types = palloc(sizeof(Oid) * (list_length(columns) + 1));
	StringInfoData sql;
	ActingAs	before;

	copier.rows = tuplestore_begin_heap(false, false, work_mem);
	copier.values = palloc0(sizeof(Datum) * (desc->natts + 1));
	copier.nulls = palloc(sizeof(bool) * (desc->natts + 1));
	memset(copier.nulls, true, desc->natts);
	initStringInfo(&sql);
	for (int i = 0; i < list_length(columns); i++)
	{
		Form_pg_attribute column = TupleDescAttr(desc, list_nth_int(columns, i) - 1);

		types[i] = column->atttypid;
		appendStringInfo(&sql, "%sr.%s", i > 0 ? ", " : "", quote_identifier(NameStr(column->attname)));
	}
	before = act_as(role);
	rows_read(psprintf("SELECT %s FROM %s r", sql.data, relation_sql_name(RelationGetRelid(relation))), list_make1_oid(RelationGetRelid(relation)), NULL, NULL,
			  list_length(columns), types, copy_row, &copier);
	act_end(&before);
	return copier.rows;
}

EphemeralNamedRelation
copied_relation(Oid oid, const List *columns, const char *name)
{
	Relation	relation = relation_open_existing(oid);
	Oid			role = reading_role(oid, columns);
	EphemeralNamedRelation copy = NULL;

	if (role != GetUserId())
	{
		copy = palloc0(sizeof(EphemeralNamedRelationData));
		copy->md.name = pstrdup(name);
		copy->md.tupdesc = CreateTupleDescCopy(RelationGetDescr(relation));
		copy->md.enrtype = ENR_NAMED_TUPLESTORE;
		copy->reldata = copy_rows(relation, columns, role);
		copy->md.enrtuples = tuplestore_tuple_count(copy->reldata);
	}
	relation_close(relation, NoLock);
	return copy;
}
