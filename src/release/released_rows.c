/*
 * released_rows.c
 *	  SQL: released_rows, from which views get their rows.
 *
 * The query of a materialized view calls this function, so that REFRESH
 * MATERIALIZED VIEW, and pg_restore with it, reads, measures, checks and
 * records as refresh_release does.  A live view calls it at every reading.
 */
#include "release/release.h"

#include "access/relation.h"
#include "catalog/own_objects.h"
#include "catalog/pg_class.h"
#include "catalog/sql.h"
#include "catalog/typed_rows.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

OWN_FUNCTION(anonopt_released_rows);

void
refuse_dropped(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("the live release has been dropped")));
}

static void
refuse_call(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("released_rows can only be called by the view of a release"),
			 errdetail("A live view calls it when it is read, and a materialized view when it is filled."),
			 errhint("Call anonopt.refresh_release; or publish a view again that has lost the comment with its id.")));
}

/* The relation of the release. */
static Oid
relation_of_id(Datum id)
{
	Oid			relation = release_by_id(id);

	if (!OidIsValid(relation) && !InSecurityRestrictedOperation())
		refuse_call();
	if (!OidIsValid(relation))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("there is no release with id %s", DatumGetCString(DirectFunctionCall1(uuid_out, id))),
				 errdetail("Its entry is gone, or its relation has lost the comment that names it."),
				 errhint("Drop the view, and publish it again.")));
	return relation;
}

/*
 * Fails unless this session has locked the release against others who fill or
 * refresh it, as it does to fill it; and unless its owner, or
 * who may act as the owner, asks: others could learn from errors, and choose
 * anonopt.composition.
 */
static void
require_filling(Oid relation)
{
	Relation	rel;
	bool		is_locked;

	PreventCommandIfReadOnly("released_rows()");
	if (!InSecurityRestrictedOperation())
		refuse_call();
	rel = relation_open_existing(relation);
	is_locked = CheckRelationLockedByMe(rel, ExclusiveLock, true);

	relation_close(rel, NoLock);
	if (!is_locked)
		refuse_call();
	if (!has_privs_of_role(GetOuterUserId(), GetUserId()))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of release %s", relation_sql_name(relation))));
}

static Datum
anonopt_released_rows_call(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = begin_named_rows(fcinfo, "released_rows");
	Oid			relation;
	int			settings;

	relation = relation_of_id(PG_GETARG_DATUM(0));
	if (get_rel_relkind(relation) != RELKIND_VIEW)
		require_filling(relation);
	settings = release_settings_begin();
	if (get_rel_relkind(relation) == RELKIND_VIEW)
		release_read_live(relation, result->setDesc, result->setResult);
	else
		release_fill(relation, result->setDesc, result->setResult);
	release_settings_end(settings);
	return (Datum) 0;
}
