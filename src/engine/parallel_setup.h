/*
 * parallel_setup.h
 *	  Starts workers that share a population and other data.
 */
#ifndef ANONOPT_PARALLEL_SETUP_H
#define ANONOPT_PARALLEL_SETUP_H

#include "engine/population.h"

#include "access/parallel.h"

/*
 * Enters parallel mode and lays out the population and chunks of the given
 * sizes in shared memory; returns NULL, outside parallel mode, if there is
 * none.
 */
extern ParallelContext *parallel_begin(const char *entry, int workers, const Population *population,
									   int nchunks, const Size *sizes, void **chunks);

/* Launches workers; if none came, ends the set-up and returns false. */
extern bool parallel_launch(ParallelContext *context);

/* Waits for the workers and leaves parallel mode; returns the number of workers. */
extern int	parallel_end(ParallelContext *context);

/* The worker's side. */
extern Population *parallel_population(shm_toc *toc);
extern void *parallel_chunk(shm_toc *toc, int chunk);

#endif
