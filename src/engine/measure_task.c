/*
 * measure_task.c
 *	  The worker-pool task that measures nodes one by one.
 */
#include "engine/measure_task.h"

#include "engine/class_cache.h"

typedef struct NodeMeasuring
{
	Measurer   *measurer;
	ClassCache *cache;
} NodeMeasuring;

static void *
begin_measuring(Population *population, const void *argument)
{
	NodeMeasuring *measuring = palloc(sizeof(NodeMeasuring));

	measuring->measurer = measurer_create(population, argument);
	measuring->cache = class_cache_create(population);
	return measuring;
}

static void
measure_item(void *state, const void *item, void *result)
{
	NodeMeasuring *measuring = state;
	Recodings	node;
	const TupleTable *classes = class_cache_classes(measuring->cache, ((const NodeItem *) item)->levels, &node);

	measure(measuring->measurer, node, classes, result);
}

const PoolWork measure_nodes_work = {begin_measuring, measure_item};
