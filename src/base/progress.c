/*
 * progress.c
 *	  The progress of a running search, reported by its backend.
 *
 * The numbers are kept in the backend's own status entry, as for VACUUM or
 * COPY, under a command number that no command of PostgreSQL has.  So nothing
 * needs to be preloaded, an update costs a few stores, and an error clears the
 * entry when its transaction ends.  The caller is told by notices.
 */
#include "base/progress.h"

#include <math.h>

#include "access/parallel.h"
#include "access/xact.h"
#include "utils/backend_status.h"
#include "utils/guc.h"

/* The least time between two notices to a search's caller. */
#define NOTICE_INTERVAL (10 * USECS_PER_SEC)

static bool notice_progress;

static const char *const algorithm_names[] = {"lattice", "pareto", "optimize", "poka",
	"pbg_ea", "archive_quality", "efficiency", "nsga2", "reference_direction",
	"aruba", "btda", "aruba_budget", "aruba_balance", "create_recoding", "extend_recoding",
"recoding_curve", "recoding_bound"};

const char *
algorithm_name(Algorithm algorithm)
{
	return algorithm_names[algorithm];
}

/*
 * Whether we may write this backend's entry: a COPY around the search may own
 * it.
 */
static bool
entry_is_ours(ProgressCommandType command)
{
	return MyBEEntry != NULL && MyBEEntry->st_progress_command == command;
}

void
progress_define_settings(void)
{
	DefineCustomBoolVariable("anonopt.notice_progress",
							 "Tells the caller of a long search every ten seconds where it is.",
							 NULL, &notice_progress, false, PGC_USERSET, 0, NULL, NULL, NULL);
}

/* Where the search is, for its own caller. */
static struct
{
	Algorithm	algorithm;
	ProgressPhase phase;
	const char *did;			/* "measured", as a rule */
	const char *what;			/* nodes */
	int64		done;
	int64		total;
	double		loss;			/* HUGE_VAL if there is no answer */
	double		bound;			/* 0 if nothing is known */
	TimestampTz begun;
	TimestampTz told;
	TimestampTz statement;		/* in which it runs; 0 between searches */
}			here;

/* Whether a search runs; an error may have ended that of an earlier statement. */
static bool
is_running(void)
{
	return here.statement == GetCurrentStatementStartTimestamp();
}

/* Sets a number of the entry that others see. */
static void
show(int param, int64 value)
{
	if (entry_is_ours(PROGRESS_COMMAND_ANONOPT))
		pgstat_progress_update_param(param, value);
}

static const char *
where_it_is(int seconds)
{
	if (here.phase == PHASE_READING)
		return psprintf("%s has read " INT64_FORMAT " rows in %d s", algorithm_name(here.algorithm), here.done, seconds);
	if (here.total > 0 && here.done > 0)
		return psprintf("%s has %s " INT64_FORMAT " of " INT64_FORMAT " %s (%.1f %%) in %d s",
						algorithm_name(here.algorithm), here.did, here.done, here.total, here.what,
						100.0 * here.done / here.total, seconds);
	return psprintf("%s has searched for %d s", algorithm_name(here.algorithm), seconds);
}

void
progress_tell(void)
{
	TimestampTz now;

	if (!notice_progress || !is_running() || IsParallelWorker())
		return;
	now = GetCurrentTimestamp();
	if (now - here.told < NOTICE_INTERVAL)
		return;
	here.told = now;
	ereport(NOTICE,
			(errmsg("%s", where_it_is((int) ((now - here.begun) / USECS_PER_SEC))),
			 isinf(here.loss) ? 0 : here.bound > 0 ?
			 errdetail("The best answer so far loses %.4g; none loses less than %.4g.", here.loss, here.bound) :
			 errdetail("The best answer so far loses %.4g.", here.loss)));
}

void
progress_begin(Algorithm algorithm, Oid relation)
{
	here.algorithm = algorithm;
	here.phase = PHASE_READING;
	here.done = 0;
	here.loss = HUGE_VAL;
	here.bound = 0;
	/* a search begins to read, and once more when it has read */
	if (!is_running())
		here.begun = here.told = GetCurrentTimestamp();
	here.statement = GetCurrentStatementStartTimestamp();
	if (!entry_is_ours(PROGRESS_COMMAND_INVALID) && !entry_is_ours(PROGRESS_COMMAND_ANONOPT))
		return;
	pgstat_progress_start_command(PROGRESS_COMMAND_ANONOPT, relation);
	pgstat_progress_update_param(PARAM_ALGORITHM, algorithm);
}

void
progress_rows(int64 rows)
{
	if (!is_running() || here.phase != PHASE_READING)
		return;
	here.done += rows;
	show(PARAM_DONE, here.done);
	progress_tell();
}

void
progress_did(const char *did, const char *what, int64 done, int64 total)
{
	here.did = did;
	here.what = what;
	here.done = done;
	here.total = total;
	show(PARAM_DONE, done);
	show(PARAM_TOTAL, total);
}

void
progress_search(int64 total)
{
	progress_did("measured", "nodes", 0, total);
	here.phase = PHASE_SEARCHING;
	show(PARAM_PHASE, PHASE_SEARCHING);
}

void
progress_update(int64 done, int64 found)
{
	here.done = done;
	show(PARAM_DONE, done);
	show(PARAM_FOUND, found);
	progress_tell();
}

void
progress_better(int64 answers, double loss)
{
	here.loss = loss;
	show(PARAM_FOUND, answers);
	show(PARAM_LOSS, number_to_show(loss));
}

void
progress_bound(double bound)
{
	here.bound = bound;
	show(PARAM_BOUND, number_to_show(bound));
}

void
progress_write(void)
{
	if (!is_running())
		return;
	here.phase = PHASE_WRITING;
	show(PARAM_PHASE, PHASE_WRITING);
}

void
progress_end(void)
{
	here.statement = 0;
	if (entry_is_ours(PROGRESS_COMMAND_ANONOPT))
		pgstat_progress_end_command();
}
