/*
 * progress.c
 *	  The progress of a running search, reported by its backend.
 *
 * The numbers are kept in the backend's own status entry, as for VACUUM or
 * COPY, under a command number that no command of PostgreSQL has.  So nothing
 * needs to be preloaded, an update costs a few stores, and an error clears the
 * entry when its transaction ends.
 */
#include "base/progress.h"

#include "utils/backend_status.h"

static const char *const algorithm_names[] = {"lattice", "pareto", "optimize", "poka",
	"pbg_ea", "archive_quality", "efficiency", "nsga2", "reference_direction",
	"aruba", "btda", "aruba_budget", "aruba_balance", "create_recoding", "extend_recoding",
"recoding_curve"};

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
progress_begin(Algorithm algorithm, Oid relation)
{
	if (!entry_is_ours(PROGRESS_COMMAND_INVALID) && !entry_is_ours(PROGRESS_COMMAND_ANONOPT))
		return;
	pgstat_progress_start_command(PROGRESS_COMMAND_ANONOPT, relation);
	pgstat_progress_update_param(PARAM_ALGORITHM, algorithm);
}

void
progress_search(int64 total)
{
	if (!entry_is_ours(PROGRESS_COMMAND_ANONOPT))
		return;
	pgstat_progress_update_param(PARAM_TOTAL, total);
	pgstat_progress_update_param(PARAM_PHASE, 1);
}

void
progress_update(int64 done, int64 found)
{
	if (!entry_is_ours(PROGRESS_COMMAND_ANONOPT))
		return;
	pgstat_progress_update_param(PARAM_DONE, done);
	pgstat_progress_update_param(PARAM_FOUND, found);
}

void
progress_better(int64 answers, double loss)
{
	if (!entry_is_ours(PROGRESS_COMMAND_ANONOPT))
		return;
	pgstat_progress_update_param(PARAM_FOUND, answers);
	pgstat_progress_update_param(PARAM_LOSS, (int64) (loss * LOSS_UNITS) + 1);
}

void
progress_end(void)
{
	if (entry_is_ours(PROGRESS_COMMAND_ANONOPT))
		pgstat_progress_end_command();
}
