/*
 * parallel_setup.c
 *	  Starts workers that share a population and other data.
 *
 * If no shared memory or no worker is available, nothing here fails: the
 * search continues alone.
 */
#include "engine/parallel_setup.h"

#include "access/xact.h"
#include "engine/shared_population.h"
#include "storage/shm_toc.h"

#define KEY_POPULATION UINT64CONST(0xA707000)
#define KEY_CHUNKS UINT64CONST(0xA707001)

static void
leave(ParallelContext *context)
{
	DestroyParallelContext(context);
	ExitParallelMode();
}

static void *
share(ParallelContext *context, uint64 key, Size size)
{
	void	   *bytes = shm_toc_allocate(context->toc, size);

	shm_toc_insert(context->toc, key, bytes);
	return bytes;
}

ParallelContext *
parallel_begin(const char *entry, int workers, const Population *population, int nchunks, const Size *sizes,
			   void **chunks)
{
	Size		population_size = shared_population_size(population);
	ParallelContext *context;

	EnterParallelMode();
	context = CreateParallelContext("anonopt", entry, workers);
	shm_toc_estimate_chunk(&context->estimator, population_size);
	for (int i = 0; i < nchunks; i++)
		shm_toc_estimate_chunk(&context->estimator, sizes[i]);
	shm_toc_estimate_keys(&context->estimator, nchunks + 1);
	InitializeParallelDSM(context);
	if (context->seg == NULL)
	{
		leave(context);
		return NULL;
	}
	shared_population_write(population, share(context, KEY_POPULATION, population_size));
	for (int i = 0; i < nchunks; i++)
		chunks[i] = share(context, KEY_CHUNKS + i, sizes[i]);
	return context;
}

bool
parallel_launch(ParallelContext *context)
{
	LaunchParallelWorkers(context);
	if (context->nworkers_launched > 0)
		return true;
	leave(context);
	return false;
}

int
parallel_end(ParallelContext *context)
{
	int			workers = context->nworkers_launched;

	WaitForParallelWorkersToFinish(context);
	leave(context);
	return workers;
}

Population *
parallel_population(shm_toc *toc)
{
	return shared_population_read(shm_toc_lookup(toc, KEY_POPULATION, false), CurrentMemoryContext);
}

void *
parallel_chunk(shm_toc *toc, int chunk)
{
	return shm_toc_lookup(toc, KEY_CHUNKS + chunk, false);
}
