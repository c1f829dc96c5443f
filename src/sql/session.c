/*
 * session.c
 *	  SQL: last_search, lattice_size, and the view anonopt.progress.
 */
#include "base/compat.h"

#include <math.h>

#include "catalog/pg_authid.h"
#include "miscadmin.h"
#include "portability/instr_time.h"
#include "sql/search_call.h"
#include "utils/acl.h"
#include "utils/backend_status.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

/* The figures of a search that last_search returns. */
struct Session
{
	Algorithm	algorithm;
	Oid			user;
	Oid			relation;
	char	   *dataset;
	char	   *nodes;
	int64		rows;
	int64		people;			/* different ones */
	int64		tuples;
	int64		evaluated;
	int			workers;
	bool		exact;
	bool		seeded;
	int64		seed;
	bool		bounded;
	double		bound;
	instr_time	start;
	double		read_ms;
	double		search_ms;
	bool		writes;
	double		write_ms;
};

/* The last search that ended; its strings live as long as the backend. */
static Session last;
static bool any_ended = false;

/* Milliseconds since the last call. */
static double
lap(Session *session)
{
	instr_time	now;
	instr_time	span;

	INSTR_TIME_SET_CURRENT(now);
	span = now;
	INSTR_TIME_SUBTRACT(span, session->start);
	session->start = now;
	return INSTR_TIME_GET_MILLISEC(span);
}

/* The number of nodes of a lattice, which may not fit into an integer type. */
static Datum
lattice_size(const Dataset *dataset)
{
	Datum		size = NumericGetDatum(int64_to_numeric(1));

	for (int i = 0; i < dataset->nattributes; i++)
	{
		const Declared *attribute = &dataset->attributes[i];
		int			levels;

		if (attribute->role != ROLE_QUASI_IDENTIFIER)
			continue;
		levels = attribute->max_level < 0 ? hierarchy_height(attribute->hierarchy) : attribute->max_level;
		size = DirectFunctionCall2(numeric_mul, size, NumericGetDatum(int64_to_numeric(levels - attribute->min_level + 1)));
	}
	return size;
}

Session *
session_begin(Algorithm algorithm, const Dataset *dataset)
{
	Session    *session = palloc0(sizeof(Session));

	session->algorithm = algorithm;
	session->user = GetUserId();
	session->relation = dataset->relation;
	session->dataset = dataset->name;
	session->nodes = DatumGetCString(DirectFunctionCall1(numeric_out, lattice_size(dataset)));
	session->exact = true;
	INSTR_TIME_SET_CURRENT(session->start);
	progress_begin(algorithm, dataset->relation);
	return session;
}

/* Records a search as the last one. */
static void
keep(const Session *session)
{
	if (any_ended)
	{
		pfree(last.dataset);
		pfree(last.nodes);
	}
	any_ended = false;
	last = *session;
	last.dataset = MemoryContextStrdup(TopMemoryContext, session->dataset);
	last.nodes = MemoryContextStrdup(TopMemoryContext, session->nodes);
	any_ended = true;
}

void
session_read(Session *session, const Population *population)
{
	session->read_ms = lap(session);
	if (population == NULL)
	{
		progress_end();
		keep(session);
		return;
	}
	/* a search called by the relation itself may have overwritten the entry */
	progress_begin(session->algorithm, session->relation);
	progress_search(strlen(session->nodes) > 18 ? -1 : strtoll(session->nodes, NULL, 10));
	session->rows = population->people;
	session->people = population->persons;
	session->tuples = population->tuples->ntuples;
}

void
session_seed(Session *session, int64 seed)
{
	session->seeded = true;
	session->seed = seed;
}

void
session_bound(Session *session, double bound)
{
	session->bounded = true;
	session->bound = bound;
}

void
session_searched(Session *session, TimestampTz ended)
{
	session->writes = true;
	session->write_ms = (GetCurrentTimestamp() - ended) / 1000.0;
	session->search_ms = lap(session) - session->write_ms;
}

void
session_end(Session *session, int64 evaluated, int workers, bool exact)
{
	double		ms = lap(session);

	if (session->writes)
		session->write_ms += ms;
	else
		session->search_ms = ms;
	session->evaluated = evaluated;
	session->workers = workers;
	session->exact = exact;
	progress_end();
	keep(session);
}

void
session_tell_limit(const Session *session, bool late)
{
	ereport(NOTICE,
			(late ? errmsg("the first answer took longer than the time limit") :
			 errmsg("time limit ended the search before it finished"),
			 errdetail("Reading took %.1f s, searching %.1f s, and writing %.1f s.", session->read_ms / 1000,
					   session->search_ms / 1000, session->write_ms / 1000)));
}

void
session_tell_gap(const Session *session, double loss, int64 k)
{
	const char *which = k > 0 ? psprintf(" for k = " INT64_FORMAT, k) : "";

	if (!session->bounded)
		return;
	if (loss > 0 && session->bound <= 0)
		ereport(NOTICE,
				(errmsg("nothing is proven about the least possible loss%s", which)));
	else
		ereport(NOTICE,
				(errmsg("the recoding%s loses at most %.1f %% above the least possible", which,
						loss > 0 ? ceil((loss / session->bound - 1) * 1000) / 10 : 0.0)));
}

SQL_FUNCTION(anonopt_last_search)
{
	ResultRow  *row;

	/*
	 * the number of rows is hidden from a role that the session has assumed
	 * since
	 */
	if (!any_ended || !has_privs_of_role(GetUserId(), last.user))
		PG_RETURN_NULL();
	row = result_begin(fcinfo);
	put_string(row, "algorithm", algorithm_name(last.algorithm));
	put_string(row, "dataset", last.dataset);
	put_count(row, "rows", last.rows);
	put_count(row, "tuples", last.tuples);
	put_datum(row, "nodes", NUMERICOID, DirectFunctionCall3(numeric_in, CStringGetDatum(last.nodes),
															ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
	put_count(row, "evaluated", last.evaluated);
	put_count(row, "workers", last.workers);
	put_number(row, "read_ms", last.read_ms);
	put_number(row, "search_ms", last.search_ms);
	put_bool(row, "exact", last.exact);
	if (last.seeded)
		put_count(row, "seed", last.seed);
	if (last.bounded)
		put_number(row, "bound", last.bound);
	put_count(row, "people", last.people);
	if (last.writes)
		put_number(row, "write_ms", last.write_ms);
	PG_RETURN_DATUM(row_datum(row));
}

OWN_FUNCTION(anonopt_lattice_size)
{
	PG_RETURN_DATUM(lattice_size(dataset_argument(fcinfo)));
}

/* ------------------------------------------- SQL: the view anonopt.progress */

SQL_FUNCTION(anonopt_progress)
{
	static const char *const phase_names[] = {"reading", "searching", "writing"};
	ResultRow  *row = result_begin(fcinfo);
	int			nbackends = pgstat_fetch_stat_numbackends();
	bool		sees_all = has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS);

	for (int i = 1; i <= nbackends; i++)
	{
		const LocalPgBackendStatus *local = pgstat_get_local_beentry_by_index(i);
		const PgBackendStatus *entry = local == NULL ? NULL : &local->backendStatus;
		const int64 *params;

		if (entry == NULL || entry->st_progress_command != PROGRESS_COMMAND_ANONOPT ||
			entry->st_databaseid != MyDatabaseId)
			continue;
		/* numbers are shown to the roles that see them in pg_stat_activity */
		if (!sees_all && !has_privs_of_role(GetUserId(), entry->st_userid))
			continue;
		params = entry->st_progress_param;
		put_count(row, "pid", entry->st_procpid);
		put_datum(row, "dataset_relation", REGCLASSOID, ObjectIdGetDatum(entry->st_progress_command_target));
		put_string(row, "algorithm", algorithm_name((Algorithm) params[PARAM_ALGORITHM]));
		put_string(row, "phase", phase_names[Min((uint64) params[PARAM_PHASE], PHASE_WRITING)]);
		put_count(row, "done", params[PARAM_DONE]);
		if (params[PARAM_PHASE] != PHASE_READING && params[PARAM_TOTAL] >= 0)
			put_count(row, "total", params[PARAM_TOTAL]);
		put_count(row, "found", params[PARAM_FOUND]);
		if (params[PARAM_LOSS] != 0)
			put_number(row, "loss", shown_number(params[PARAM_LOSS]));
		if (params[PARAM_BOUND] != 0)
			put_number(row, "bound", shown_number(params[PARAM_BOUND]));
		row_add(row);
	}
	return (Datum) 0;
}
