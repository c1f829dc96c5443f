/*
 * anonopt.c
 *	  Module of the extension anonopt, and its settings.
 */
#include "base/compat.h"

#include "base/budget.h"
#include "base/progress.h"
#include "engine/lattice.h"
#include "optimizer/cost.h"
#include "postmaster/bgworker_internals.h"
#include "read/reading.h"
#include "release/release.h"
#include "search/recoding.h"
#include "search/searches.h"
#include "sql/search_call.h"
#include "utils/guc.h"

PG_MODULE_MAGIC;

void		_PG_init(void);

static int	max_workers_setting = -1;

int
max_workers(void)
{
	return max_workers_setting >= 0 ? max_workers_setting : max_parallel_workers_per_gather;
}

/* In parallel workers, too, which find their work by its name. */
void
_PG_init(void)
{
	static const PoolWork *const works[] = {&measure_nodes_work, &measure_parts_work, &evaluate_cuts_work, &recode_block_work, &search_boxes_work,
	&search_parts_work};

	worker_pool_register(works, lengthof(works));
	DefineCustomIntVariable("anonopt.max_workers",
							"Sets the maximum number of parallel workers of a search.",
							"-1 means max_parallel_workers_per_gather, 0 means none.",
							&max_workers_setting, -1, -1, MAX_PARALLEL_WORKER_LIMIT,
							PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("anonopt.memory",
							"Sets the maximum memory of a call for the data it reads and remembers.",
							"0 means maintenance_work_mem.",
							&budget_memory, 1024 * 1024, 0, MAX_KILOBYTES,
							PGC_USERSET, GUC_UNIT_KB, NULL, NULL, NULL);
	read_plan_define_settings();
	composition_define_settings();
	privacy_define_settings();
	progress_define_settings();
	MarkGUCPrefixReserved("anonopt");
}
