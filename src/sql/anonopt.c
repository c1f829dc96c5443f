/*
 * anonopt.c
 *	  Module of the extension anonopt.
 */
#include "base/compat.h"

#include "engine/cuts.h"
#include "engine/lattice.h"
#include "search/boxes.h"
#include "search/recoding_parts.h"
#include "search/searches.h"
#include "sql/search_call.h"

PG_MODULE_MAGIC;

void		_PG_init(void);

/* In parallel workers, too, which find their work by its name. */
void
_PG_init(void)
{
	const PoolWork *const works[] = {&measure_nodes_work, &measure_parts_work, &evaluate_cuts_work, &recode_block_work, &search_boxes_work,
	&search_parts_work};

	for (int i = 0; i < lengthof(works); i++)
		worker_pool_register(works[i]);
	session_define_settings();
}
