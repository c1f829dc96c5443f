/*
 * guarded.c
 *	  SQL: report and front_svg, whose code is in SQL; texts_over.
 *
 * Statements in those name our functions each time they run.  So a call holds
 * the extension, like every other, and then calls the function that has the
 * code: the same name with _body.
 */
#include "base/compat.h"

#include "miscadmin.h"
#include "sql/call.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"

OWN_FUNCTION(anonopt_guarded)
{
	LOCAL_FCINFO(body, FUNC_MAX_ARGS);
	FmgrInfo	info;
	Datum		result;

	fmgr_info(own_function(psprintf("%s_body", get_func_name(fcinfo->flinfo->fn_oid))), &info);
	InitFunctionCallInfoData(*body, &info, fcinfo->nargs, fcinfo->fncollation, NULL, NULL);
	memcpy(body->args, fcinfo->args, sizeof(NullableDatum) * fcinfo->nargs);
	result = FunctionCallInvoke(body);
	fcinfo->isnull = body->isnull;
	return result;
}

static void
take_texts(void *arg, const Datum *values, const bool *nulls)
{
	ArrayBuildState **texts = arg;

	*texts = accumArrayResult(*texts, values[0], nulls[0], TEXTOID, CurTransactionContext);
}

/* The query runs with the caller's rights, and can name no other relation of a user. */
OWN_FUNCTION(anonopt_texts_over)
{
	Oid			relation = relation_argument(fcinfo, "relation");
	Oid			type = TEXTOID;
	ArrayBuildState *texts = NULL;

	if (pg_class_aclcheck(relation, GetUserId(), ACL_SELECT) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, get_relkind_objtype(get_rel_relkind(relation)), get_rel_name(relation));
	rows_read(name_argument(fcinfo, "query"), list_make1_oid(relation), NULL, NULL, 1, &type, take_texts, &texts);
	if (texts == NULL)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(makeArrayResult(texts, CurrentMemoryContext));
}
