/*
 * store.c
 *	  SQL: write_store, known_store; whether a tuple store may be used.
 *
 * A store holds a relation's tuples as they are.  It belongs to the
 * relation's owner, and is read with that owner's rights, for a caller who
 * may read the relation's columns and to whom no row security applies.
 */
#include "store.h"

#include "arguments.h"
#include "catalog.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "sql.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(anonopt_write_store);
PG_FUNCTION_INFO_V1(anonopt_known_store);

Store *
store_of(const Dataset *dataset)
{
	MemoryContext context = CurrentMemoryContext;
	Oid			types[1] = {TEXTOID};
	Datum		values[1] = {CStringGetTextDatum(dataset->name)};
	Store	   *store;
	char	   *problem;
	bool		isnull;

	read_catalog_rows("SELECT p.store, p.problem FROM anonopt.store_problem($1) p", 1, types, values);
	if (SPI_processed == 0)
		return NULL;
	store = MemoryContextAllocZero(context, sizeof(Store));
	store->table = DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
	problem = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2);
	if (*problem != '\0')
		store->problem = MemoryContextStrdup(context, problem);
	return store;
}

/*
 * Writes down a store of the caller's own relation: what is given, or that it
 * is gone, or, without an entry, that it has been counted anew.
 */
Datum
anonopt_write_store(PG_FUNCTION_ARGS)
{
	Oid			types[2] = {OIDOID, TEXTOID};
	Datum		values[2] = {0};
	Oid			relation;

	require_argument(fcinfo, 0, "relation");
	relation = PG_GETARG_OID(0);
	if (get_rel_name(relation) == NULL || !pg_class_ownercheck(relation, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, get_rel_name(relation));
	values[0] = ObjectIdGetDatum(relation);
	if (PG_ARGISNULL(1))
	{
		write_catalog("UPDATE anonopt.tuple_store SET filenode = pg_catalog.pg_relation_filenode($1)::pg_catalog.int8,"
					  " counted_at = pg_catalog.clock_timestamp() WHERE relation::pg_catalog.oid OPERATOR(pg_catalog.=) $1",
					  1, types, values, NULL);
		PG_RETURN_VOID();
	}
	values[1] = PG_GETARG_DATUM(1);
	write_catalog("DELETE FROM anonopt.tuple_store WHERE relation::pg_catalog.oid OPERATOR(pg_catalog.=) $1"
				  " AND dataset OPERATOR(pg_catalog.=) ($2::pg_catalog.jsonb OPERATOR(pg_catalog.->>) 'drop')",
				  2, types, values, NULL);
	write_catalog("INSERT INTO anonopt.tuple_store SELECT (pg_catalog.jsonb_populate_record(NULL::anonopt.tuple_store,"
				  " $2::pg_catalog.jsonb OPERATOR(pg_catalog.||) pg_catalog.jsonb_build_object('relation', $1::pg_catalog.int8,"
				  " 'row_type', (SELECT c.reltype::pg_catalog.int8 FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) $1),"
				  " 'filenode', pg_catalog.pg_relation_filenode($1)::pg_catalog.int8, 'counted_at', pg_catalog.clock_timestamp()))).*"
				  " WHERE ($2::pg_catalog.jsonb OPERATOR(pg_catalog.->) 'drop') IS NULL AND EXISTS (SELECT FROM anonopt.dataset d"
				  " WHERE d.dataset OPERATOR(pg_catalog.=) ($2::pg_catalog.jsonb OPERATOR(pg_catalog.->>) 'dataset')"
				  " AND d.relation OPERATOR(pg_catalog.=) $1)", 2, types, values, NULL);
	PG_RETURN_VOID();
}

/* What is written down of a data set's store, for the relation's owner. */
Datum
anonopt_known_store(PG_FUNCTION_ARGS)
{
	Dataset    *dataset = dataset_argument(fcinfo, 0);
	Oid			types[1] = {TEXTOID};
	Datum		values[1] = {CStringGetTextDatum(dataset->name)};

	if (!pg_class_ownercheck(dataset->relation, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(get_rel_relkind(dataset->relation)),
					   get_rel_name(dataset->relation));
	return read_catalog("SELECT pg_catalog.to_jsonb(s)::pg_catalog.text FROM anonopt.tuple_store s"
						" WHERE s.dataset OPERATOR(pg_catalog.=) $1", 1, types, values, &fcinfo->isnull);
}
