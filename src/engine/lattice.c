/*
 * lattice.c
 *	  Measures all nodes of a lattice.
 *
 * Nodes are visited in the order of their levels, with the attribute with the
 * most levels changing fastest, so that almost every node's table is one
 * linear pass over the previous node's.  The levels of the first attributes
 * define a part, which is an item of work for a pool.
 */
#include "engine/lattice.h"

#include "base/progress.h"
#include "miscadmin.h"

/* Parts to aim for: enough for all processes to finish at the same time. */
#define PARTS 256

/* Nodes of a part, unless an attribute has more levels; parts of a batch. */
#define PART_NODES 512
#define BATCH 64

/* Milliseconds that a node takes per tuple, at least. */
#define TUPLE_TIME 6e-7

/* And per row, if people's rows are compared. */
#define ROW_TIME 2e-4

/* Up to here, a double counts exactly. */
#define MOST_COUNTED 9007199254740992.0

/* What processes that measure parts share. */
typedef struct LatticeOrder
{
	Promise		promise;
	uint64		part_nodes;		/* nodes of a part */
	int64		deadline;		/* a timestamp, or 0 */
} LatticeOrder;

/* The first nodes of a part: all, or those until the deadline. */
typedef struct PartResult
{
	uint64		nnodes;
	Measures	measures[FLEXIBLE_ARRAY_MEMBER];
} PartResult;

/* The state of a process. */
typedef struct PartWalk
{
	Population *population;
	Measurer   *measurer;
	NodeWalk   *node_walk;
	const int  *order;
	uint64		part_nodes;
	int64		deadline;
} PartWalk;

static void *
begin_parts(Population *population, const void *argument)
{
	const LatticeOrder *order = argument;
	PartWalk   *walk = palloc0(sizeof(PartWalk));

	walk->population = population;
	walk->measurer = measurer_create(population, &order->promise);
	walk->node_walk = node_walk_create(population, MOST_LEVELS_LAST);
	walk->order = node_walk_order(walk->node_walk);
	walk->part_nodes = order->part_nodes;
	walk->deadline = order->deadline;
	return walk;
}

/* The levels of a node, given by its number in their order. */
static void
levels_of(const PartWalk *walk, uint64 node, int *levels)
{
	for (int depth = walk->population->nattrs - 1; depth >= 0; depth--)
	{
		int			a = walk->order[depth];
		int			span = span_of(walk->population, a);

		levels[a] = walk->population->attrs[a].min_level + node % span;
		node /= span;
	}
}

static void
measure_node(PartWalk *walk, const int *levels, Measures *measures)
{
	Recodings	node;
	const TupleTable *classes = node_walk_classes(walk->node_walk, levels, &node);

	CHECK_FOR_INTERRUPTS();
	measure(walk->measurer, node, classes, measures);
}

/* Measures the nodes of a part, in their order. */
static void
measure_part(void *state, const void *item, void *result)
{
	PartWalk   *walk = state;
	uint64		number = *(const uint64 *) item;
	PartResult *part = result;
	int			levels[MAX_ATTRIBUTES];
	bool		in_time = true;

	/* there is something to return, however late it is */
	for (part->nnodes = 0; part->nnodes < walk->part_nodes && (number + part->nnodes == 0 || !time_is_up(walk->deadline, &in_time));
		 part->nnodes++)
	{
		levels_of(walk, number * walk->part_nodes + part->nnodes, levels);
		measure_node(walk, levels, &part->measures[part->nnodes]);
	}
}

const PoolWork measure_parts_work = {"measure parts", begin_parts, measure_part};

/* Measures all parts together with workers; returns their number. */
static int
measure_together(PartWalk *walk, uint64 nnodes, LatticeOrder *order, int workers, NodeVisitor visit, void *arg)
{
	uint64		nparts = 1;
	PoolOrder	pool_order = {&measure_parts_work, walk->population, order, sizeof(LatticeOrder), sizeof(uint64),.most_items = BATCH};
	WorkerPool *pool;
	char	   *results;
	bool		stopped = false;

	/* the levels of the first attributes define a part */
	for (int depth = 0; depth < walk->population->nattrs - 1 && (nparts < PARTS || nnodes / nparts > PART_NODES); depth++)
		nparts *= span_of(walk->population, walk->order[depth]);
	order->part_nodes = nnodes / nparts;
	pool_order.result_size = offsetof(PartResult, measures) + sizeof(Measures) * order->part_nodes;
	pool = worker_pool_begin(&pool_order, workers);
	results = MemoryContextAllocHuge(CurrentMemoryContext, pool_order.result_size * BATCH);
	for (uint64 part = 0; part < nparts && !stopped; part += BATCH)
	{
		uint64		parts[BATCH];
		int			n = (int) Min(nparts - part, BATCH);

		for (int i = 0; i < n; i++)
			parts[i] = part + i;
		worker_pool_do(pool, n, parts, results);
		for (int i = 0; i < n; i++)
		{
			const PartResult *result = (const PartResult *) (results + i * pool_order.result_size);
			int			levels[MAX_ATTRIBUTES];

			for (uint64 j = 0; j < result->nnodes; j++)
			{
				levels_of(walk, parts[i] * order->part_nodes + j, levels);
				stopped |= !visit(arg, levels, &result->measures[j]);
			}
			stopped |= result->nnodes < order->part_nodes;
		}
	}
	pfree(results);
	return worker_pool_end(pool);
}

int
lattice_measure(Population *population, const Promise *promise, int workers, int64 deadline, NodeVisitor visit, void *arg)
{
	LatticeOrder order = {.promise = *promise,.deadline = deadline};
	PartWalk   *walk = begin_parts(population, &order);

	/* nobody waits for the last node of a lattice too large to be counted */
	bool		countable = lattice_nodes(population) < MOST_COUNTED;
	uint64		nnodes = countable ? (uint64) lattice_nodes(population) : PG_UINT64_MAX;
	double		node_time = TUPLE_TIME * population->tuples->ntuples + (population->rows != NULL ? ROW_TIME * population->rows->n : 0);
	int			helped = 0;
	bool		stopped = false;

	if (workers > 0 && countable && !IsParallelWorker() && node_time * nnodes >= WORTH_WORKERS)
		helped = measure_together(walk, nnodes, &order, workers, visit, arg);
	else
		for (uint64 node = 0; node < nnodes && !stopped; node++)
		{
			int			levels[MAX_ATTRIBUTES];
			Measures	measures;

			levels_of(walk, node, levels);
			measure_node(walk, levels, &measures);
			stopped = !visit(arg, levels, &measures);
		}
	node_walk_free(walk->node_walk);
	return helped;
}

void
measure_top(const Population *population, const Promise *promise, Measures *result)
{
	int			levels[MAX_ATTRIBUTES];

	top_levels(population, levels);
	measure_alone(measurer_create(population, promise), node_of_levels(population, levels), result);
}

/* ---------------------- the worker-pool task that measures nodes one by one */

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
	const TupleTable *classes = class_cache_classes(measuring->cache, item, &node);

	measure(measuring->measurer, node, classes, result);
}

const PoolWork measure_nodes_work = {"measure nodes", begin_measuring, measure_item};

static int
compare_nodes(const void *a, const void *b, void *arg)
{
	const Population *population = arg;
	const MeasuredNode *const *x = a;
	const MeasuredNode *const *y = b;

	return compare_levels((*x)->levels, (*y)->levels, population->nattrs);
}

/* Finest nodes first, since the classes of others are computed from theirs. */
void
remeasure_nodes(Population *population, const Promise *promise, int nnodes, MeasuredNode *nodes)
{
	NodeMeasuring *measuring = begin_measuring(population, promise);
	MeasuredNode **order = palloc(sizeof(MeasuredNode *) * (nnodes + 1));

	for (int i = 0; i < nnodes; i++)
		order[i] = &nodes[i];
	if (nnodes > 1)
		qsort_arg(order, nnodes, sizeof(MeasuredNode *), compare_nodes, population);
	for (int i = 0; i < nnodes; i++)
	{
		CHECK_FOR_INTERRUPTS();
		measure_item(measuring, order[i]->levels, &order[i]->measures);
	}
	class_cache_free(measuring->cache);
	pfree(order);
}
