/*
 * released_rows.c
 *	  SQL: released_rows, from which PostgreSQL fills materialized views.
 *
 * The query of such a view calls this function, so that REFRESH MATERIALIZED
 * VIEW, and pg_restore with it, reads, measures, checks and records as
 * refresh_release does.
 */
#include "release/release.h"

#include "catalog/own_objects.h"
#include "catalog/sql.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

OWN_FUNCTION(anonopt_released_rows);

/* The relation of the release; only PostgreSQL may ask, while it fills a view. */
static Oid
release_to_fill(Datum id)
{
	Oid			relation;

	if (!InSecurityRestrictedOperation())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("released_rows can only be called while a materialized view is filled"),
				 errhint("Call anonopt.refresh_release, or REFRESH MATERIALIZED VIEW.")));
	relation = release_by_id(id);
	if (!OidIsValid(relation))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("there is no release with id %s", DatumGetCString(DirectFunctionCall1(uuid_out, id))),
				 errdetail("Its entry is gone, or its relation has lost the comment that names it."),
				 errhint("Drop the view, and publish it again.")));
	return relation;
}

static Datum
anonopt_released_rows_call(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	TupleDesc	desc;
	Oid			relation;
	int			settings;

	PreventCommandIfReadOnly("released_rows()");
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("columns of released_rows must be named"),
				 errhint("It is called by views that anonopt.create_view makes.")));
	InitMaterializedSRF(fcinfo, 0);
	relation = release_to_fill(PG_GETARG_DATUM(0));
	settings = release_settings_begin();
	release_fill(relation, result->setDesc, result->setResult);
	release_settings_end(settings);
	return (Datum) 0;
}
