/*
 * guarded.c
 *	  SQL: report and front_svg, whose code is in SQL; texts_over, and what ends
 *	  parts of a report in time.
 *
 * Statements in those name our functions each time they run.  So a call holds
 * the extension, like every other, and then calls the function that has the
 * code: the same name with _body.
 *
 * A part of a report that a time limit ends is canceled, like a statement at
 * statement_timeout, and the report goes on after its subtransaction.
 */
#include "base/compat.h"

#include "catalog/trusted_code.h"
#include "miscadmin.h"
#include "sql/search_call.h"
#include "storage/latch.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/timeout.h"

/* The timer of the part that is made, or MAX_TIMEOUTS before the first. */
static TimeoutId timer = MAX_TIMEOUTS;
static volatile sig_atomic_t stopped;

static void
stop(void)
{
	stopped = true;
	QueryCancelPending = true;
	InterruptPending = true;
	SetLatch(MyLatch);
}

SQL_FUNCTION(anonopt_deadline)
{
	int64		deadline = deadline_argument(fcinfo);

	if (deadline == 0)
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMPTZ(deadline);
}

SQL_FUNCTION(anonopt_stop_at)
{
	if (timer == MAX_TIMEOUTS)
		timer = RegisterTimeout(USER_TIMEOUT, stop);
	disable_timeout(timer, false);
	/* it may have come meanwhile */
	CHECK_FOR_INTERRUPTS();
	stopped = false;
	if (is_given(fcinfo, "moment"))
		enable_timeout_at(timer, DatumGetTimestampTz(get_argument(fcinfo, "moment", TIMESTAMPTZOID)));
	PG_RETURN_VOID();
}

SQL_FUNCTION(anonopt_has_stopped)
{
	PG_RETURN_BOOL(stopped);
}

/* Begins or ends that only own code runs, also that of relations; and whether a part was refused. */
SQL_FUNCTION(anonopt_own_code)
{
	bool		refused = own_code_refused();

	if (!boolean_argument(fcinfo, "only"))
		own_code_end();
	else
	{
		own_code_begin();
		if (is_given(fcinfo, "relation"))
			require_own_code(relation_argument(fcinfo, "relation"));
		if (is_given(fcinfo, "other"))
			require_own_code(relation_argument(fcinfo, "other"));
	}
	PG_RETURN_BOOL(refused);
}

OWN_FUNCTION(anonopt_guarded)
{
	LOCAL_FCINFO(body, FUNC_MAX_ARGS);
	FmgrInfo	info;
	volatile Datum result;

	fmgr_info(own_function(psprintf("%s_body", get_func_name(fcinfo->flinfo->fn_oid))), &info);
	InitFunctionCallInfoData(*body, &info, fcinfo->nargs, fcinfo->fncollation, NULL, NULL);
	memcpy(body->args, fcinfo->args, sizeof(NullableDatum) * fcinfo->nargs);
	PG_TRY();
	{
		result = FunctionCallInvoke(body);
	}
	PG_FINALLY();
	{
		own_code_end();
		if (timer != MAX_TIMEOUTS)
			disable_timeout(timer, false);
	}
	PG_END_TRY();
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
