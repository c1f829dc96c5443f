/*
 * lattice.c
 *	  Measures all nodes of a lattice.
 *
 * Nodes are visited in the order of their levels, with the attribute with the
 * most levels changing fastest, so that almost every node's table is one
 * linear pass over the previous node's.  The levels of the first attributes
 * define a part; any free process takes the next part.  Workers share the
 * population and send their measures through one queue each.  The leader
 * measures as well, and does so alone if there is no shared memory or no
 * worker.
 */
#include "engine/lattice.h"

#include "engine/node_classes.h"
#include "engine/worker_pool.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "port/atomics.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "storage/shm_mq.h"
#include "storage/shm_toc.h"

/* Parts to aim for: enough for all processes to finish at the same time. */
#define PARTS 256

/* Tuples to visit below which starting workers costs more than it saves. */
#define WORTH_WORKERS 5e7

#define QUEUE_SIZE (1024 * 1024)

/* Nodes per message. */
#define BATCH 64

/* Data in shared memory beside the population. */
enum
{
	CHUNK_HEADER,
	CHUNK_QUEUES,
	CHUNKS
};

/* State shared by the processes of a search. */
typedef struct SharedLattice
{
	/* set before workers start */
	Promise		promise;
	int			depths;			/* attributes whose levels define a part */
	uint64		nparts;

	/* used by all to take the next part */
	pg_atomic_uint64 next_part;

	/* set when no more nodes are wanted */
	pg_atomic_uint32 stopped;
} SharedLattice;

/* A measured node on its way to the leader. */
typedef struct NodeMessage
{
	Measures	measures;
	int			levels[MAX_ATTRIBUTES];
} NodeMessage;

/* The leader's side of the workers' queues. */
typedef struct Inbox
{
	int			nqueues;
	shm_mq_handle **queues;		/* NULL once a worker is done */
	NodeVisitor visit;
	void	   *arg;
	bool		stopped;		/* the visitor wants no more */
} Inbox;

/*
 * Receives messages, including the end of a worker; returns whether there were
 * any.
 */
static bool
receive_batches(Inbox *inbox)
{
	bool		received = false;

	for (int i = 0; i < inbox->nqueues; i++)
	{
		NodeMessage *nodes;
		Size		size;
		shm_mq_result result;

		if (inbox->queues[i] == NULL)
			continue;
		result = shm_mq_receive(inbox->queues[i], &size, (void **) &nodes, true);
		if (result == SHM_MQ_WOULD_BLOCK)
			continue;
		received = true;
		if (result == SHM_MQ_DETACHED)
		{
			inbox->queues[i] = NULL;
			continue;
		}
		for (Size n = 0; n < size / sizeof(NodeMessage) && !inbox->stopped; n++)
			inbox->stopped = !inbox->visit(inbox->arg, nodes[n].levels, &nodes[n].measures);
	}
	return received;
}

/*
 * Receives all available messages; returns false if the visitor wants no more
 * nodes.
 */
static bool
empty_inbox(Inbox *inbox)
{
	while (!inbox->stopped && receive_batches(inbox))
		;
	return !inbox->stopped;
}

/* State of a process that measures parts of a lattice. */
typedef struct PartWalk
{
	Population *population;
	Measurer   *measurer;
	NodeWalk   *node_walk;
	const int  *order;
	int			depths;
	NodeVisitor visit;
	void	   *arg;
	Inbox	   *inbox;			/* the leader's, to be drained now and then */
} PartWalk;

static int
span_of(const Population *population, int a)
{
	return population->attrs[a].max_level - population->attrs[a].min_level + 1;
}

static void
begin_walk(PartWalk *walk, Population *population, const Promise *promise, NodeVisitor visit, void *arg)
{
	walk->population = population;
	walk->measurer = measurer_create(population, promise);
	walk->node_walk = node_walk_create(population, MOST_LEVELS_LAST);
	walk->order = node_walk_order(walk->node_walk);
	walk->depths = 0;
	walk->inbox = NULL;
	walk->visit = visit;
	walk->arg = arg;
}

/* The levels of a part's first node. */
static void
first_levels(const PartWalk *walk, uint64 part, int *levels)
{
	for (int depth = walk->population->nattrs - 1; depth >= 0; depth--)
	{
		int			a = walk->order[depth];
		int			span = span_of(walk->population, a);

		levels[a] = walk->population->attrs[a].min_level;
		if (depth >= walk->depths)
			continue;
		levels[a] += part % span;
		part /= span;
	}
}

/* The next node of a part; false after the last. */
static bool
next_levels(const PartWalk *walk, int *levels)
{
	for (int depth = walk->population->nattrs - 1; depth >= walk->depths; depth--)
	{
		int			a = walk->order[depth];

		if (levels[a] < walk->population->attrs[a].max_level)
		{
			levels[a]++;
			return true;
		}
		levels[a] = walk->population->attrs[a].min_level;
	}
	return false;
}

/* Measures a part's nodes; returns false if the visitor wants no more. */
static bool
walk_part(PartWalk *walk, uint64 part)
{
	int			levels[MAX_ATTRIBUTES];
	int			measured = 0;

	first_levels(walk, part, levels);
	do
	{
		Recodings	node;
		const TupleTable *classes = node_walk_classes(walk->node_walk, levels, &node);
		Measures	measures;

		CHECK_FOR_INTERRUPTS();
		measure(walk->measurer, node, classes, &measures);
		if (!walk->visit(walk->arg, levels, &measures))
			return false;
		/* a worker with a full queue would have to wait */
		if (walk->inbox != NULL && ++measured % BATCH == 0 && !empty_inbox(walk->inbox))
			return false;
	} while (next_levels(walk, levels));
	return true;
}

/* Chooses the depths whose levels define parts; returns the number of parts. */
static uint64
choose_parts(PartWalk *walk)
{
	uint64		nparts = 1;

	for (walk->depths = 0; walk->depths < walk->population->nattrs - 1 && nparts < PARTS; walk->depths++)
		nparts *= span_of(walk->population, walk->order[walk->depths]);
	return nparts;
}

/* Whether workers would save more than they cost. */
static bool
is_worth_workers(const Population *population)
{
	double		work = population->tuples->ntuples;

	for (int a = 0; a < population->nattrs; a++)
		work *= span_of(population, a);
	return work >= WORTH_WORKERS;
}

/* A worker's messages to the leader. */
typedef struct Outbox
{
	shm_mq_handle *queue;
	SharedLattice *shared;
	int			nnodes;
	NodeMessage nodes[BATCH];
} Outbox;

static void
send_batch(Outbox *outbox)
{
	/* if the leader is gone, it has reported an error itself */
	if (outbox->nnodes > 0 &&
		shm_mq_send(outbox->queue, sizeof(NodeMessage) * outbox->nnodes, outbox->nodes, false, true) != SHM_MQ_SUCCESS)
		ereport(ERROR,
				(errcode(ERRCODE_ADMIN_SHUTDOWN),
				 errmsg("search ended")));
	outbox->nnodes = 0;
}

static bool
send_node(void *arg, const int *levels, const Measures *measures)
{
	Outbox	   *outbox = arg;
	NodeMessage *node = &outbox->nodes[outbox->nnodes++];

	node->measures = *measures;
	memcpy(node->levels, levels, sizeof(node->levels));
	if (outbox->nnodes == BATCH)
		send_batch(outbox);
	return pg_atomic_read_u32(&outbox->shared->stopped) == 0;
}

/* The main function of a worker. */
PGDLLEXPORT void anonopt_lattice_worker(dsm_segment *segment, shm_toc *toc);

void
anonopt_lattice_worker(dsm_segment *segment, shm_toc *toc)
{
	SharedLattice *shared = parallel_chunk(toc, CHUNK_HEADER);
	char	   *queues = parallel_chunk(toc, CHUNK_QUEUES);
	shm_mq	   *queue = (shm_mq *) (queues + (Size) QUEUE_SIZE * ParallelWorkerNumber);
	Population *population = parallel_population(toc);
	Outbox	   *outbox = palloc0(sizeof(Outbox));
	PartWalk	walk;
	uint64		part;

	shm_mq_set_sender(queue, MyProc);
	outbox->queue = shm_mq_attach(queue, segment, NULL);
	outbox->shared = shared;
	begin_walk(&walk, population, &shared->promise, send_node, outbox);
	walk.depths = shared->depths;
	while ((part = pg_atomic_fetch_add_u64(&shared->next_part, 1)) < shared->nparts)
		if (!walk_part(&walk, part))
			break;
	send_batch(outbox);
	shm_mq_detach(outbox->queue);
}

static bool
workers_are_busy(const Inbox *inbox)
{
	for (int i = 0; i < inbox->nqueues; i++)
		if (inbox->queues[i] != NULL)
			return true;
	return false;
}

/* Fills the shared state. */
static void
share_lattice(const PartWalk *walk, const Promise *promise, uint64 nparts, SharedLattice *shared,
			  char *queues, int nqueues)
{
	shared->promise = *promise;
	shared->depths = walk->depths;
	shared->nparts = nparts;
	pg_atomic_init_u64(&shared->next_part, 0);
	pg_atomic_init_u32(&shared->stopped, 0);
	for (int i = 0; i < nqueues; i++)
		shm_mq_set_receiver(shm_mq_create(queues + (Size) QUEUE_SIZE * i, QUEUE_SIZE), MyProc);
}

static void
attach_queues(Inbox *inbox, ParallelContext *context, char *queues)
{
	inbox->nqueues = context->nworkers_launched;
	inbox->queues = palloc0(sizeof(shm_mq_handle *) * (inbox->nqueues + 1));
	for (int i = 0; i < inbox->nqueues; i++)
		inbox->queues[i] = shm_mq_attach((shm_mq *) (queues + (Size) QUEUE_SIZE * i), context->seg,
										 context->worker[i].bgwhandle);
}

/*
 * Measures all parts together with workers; returns the number of workers, or
 * -1 if it could not begin.
 */
static int
measure_together(PartWalk *walk, const Promise *promise, int workers)
{
	Inbox		inbox = {0};
	uint64		nparts = choose_parts(walk);
	Size		sizes[CHUNKS] = {sizeof(SharedLattice), mul_size(QUEUE_SIZE, workers)};
	void	   *chunks[CHUNKS];
	ParallelContext *context = parallel_begin("anonopt_lattice_worker", workers, walk->population, CHUNKS, sizes, chunks);
	SharedLattice *shared;
	uint64		part;

	if (context == NULL)
		return -1;
	shared = chunks[CHUNK_HEADER];
	share_lattice(walk, promise, nparts, shared, chunks[CHUNK_QUEUES], workers);
	if (!parallel_launch(context))
		return -1;
	inbox.visit = walk->visit;
	inbox.arg = walk->arg;
	attach_queues(&inbox, context, chunks[CHUNK_QUEUES]);
	walk->inbox = &inbox;
	while (!inbox.stopped && (part = pg_atomic_fetch_add_u64(&shared->next_part, 1)) < nparts)
		inbox.stopped = !walk_part(walk, part) || !empty_inbox(&inbox);
	while (workers_are_busy(&inbox))
	{
		CHECK_FOR_INTERRUPTS();
		if (inbox.stopped)
			pg_atomic_write_u32(&shared->stopped, 1);
		if (receive_batches(&inbox))
			continue;
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH, 0, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
	}
	return parallel_end(context);
}

int
lattice_measure(Population *population, const Promise *promise, int workers, NodeVisitor visit, void *arg)
{
	PartWalk	walk;
	int			helped = -1;

	begin_walk(&walk, population, promise, visit, arg);
	if (workers > 0 && !IsParallelWorker() && is_worth_workers(population))
		helped = measure_together(&walk, promise, workers);
	if (helped < 0)
	{
		walk.depths = 0;
		walk_part(&walk, 0);
	}
	node_walk_free(walk.node_walk);
	return Max(helped, 0);
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
	const TupleTable *classes = class_cache_classes(measuring->cache, ((const NodeItem *) item)->levels, &node);

	measure(measuring->measurer, node, classes, result);
}

const PoolWork measure_nodes_work = {begin_measuring, measure_item};
