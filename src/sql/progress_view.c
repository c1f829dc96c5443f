/*
 * progress_view.c
 *	  SQL: the view anonopt.progress.
 */
#include "base/compat.h"

#include "base/progress.h"
#include "catalog/pg_authid.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "utils/acl.h"
#include "utils/backend_status.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(anonopt_progress);

static const char *const phase_names[] = {"reading", "searching"};

/* Whether the caller may see a backend's numbers, as in pg_stat_activity. */
static bool
may_see(const PgBackendStatus *entry)
{
	return has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS) ||
		has_privs_of_role(GetUserId(), entry->st_userid);
}

static void
put_entry(ReturnSetInfo *result, const PgBackendStatus *entry)
{
	const int64 *params = entry->st_progress_param;
	Datum		values[8];
	bool		nulls[8] = {0};

	values[0] = Int32GetDatum(entry->st_procpid);
	values[1] = ObjectIdGetDatum(entry->st_progress_command_target);
	values[2] = CStringGetTextDatum(algorithm_name((Algorithm) params[PARAM_ALGORITHM]));
	values[3] = CStringGetTextDatum(phase_names[params[PARAM_PHASE] == 1]);
	values[4] = Int64GetDatum(params[PARAM_DONE]);
	values[5] = Int64GetDatum(params[PARAM_TOTAL]);
	nulls[5] = params[PARAM_PHASE] == 0 || params[PARAM_TOTAL] < 0;
	values[6] = Int64GetDatum(params[PARAM_FOUND]);
	values[7] = Float8GetDatum((params[PARAM_LOSS] - 1) / LOSS_UNITS);
	nulls[7] = params[PARAM_LOSS] == 0;
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

Datum
anonopt_progress(PG_FUNCTION_ARGS)
{
	int			nbackends = pgstat_fetch_stat_numbackends();

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 1; i <= nbackends; i++)
	{
		const LocalPgBackendStatus *local = pgstat_get_local_beentry_by_index(i);

		if (local == NULL || local->backendStatus.st_progress_command != PROGRESS_COMMAND_ANONOPT ||
			local->backendStatus.st_databaseid != MyDatabaseId || !may_see(&local->backendStatus))
			continue;
		put_entry((ReturnSetInfo *) fcinfo->resultinfo, &local->backendStatus);
	}
	return (Datum) 0;
}
