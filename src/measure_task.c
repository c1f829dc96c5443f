/*
 * measure_task.c
 *	  Nodes measured one by one, as a crew's work.
 */
#include "measure_task.h"

#include "shelf.h"

typedef struct NodeMeasuring
{
	Measurer   *measurer;
	Shelf	   *shelf;
} NodeMeasuring;

static void *
begin_measuring(Population *population, const void *argument)
{
	NodeMeasuring *measuring = palloc(sizeof(NodeMeasuring));

	measuring->measurer = measurer_create(population, argument);
	measuring->shelf = shelf_create(population);
	return measuring;
}

static void
measure_item(void *state, const void *item, void *result)
{
	NodeMeasuring *measuring = state;
	Recodings	node;
	const TupleTable *classes = shelf_classes(measuring->shelf, ((const NodeItem *) item)->levels, &node);

	measure(measuring->measurer, node, classes, result);
}

const CrewWork measure_nodes_work = {begin_measuring, measure_item};
