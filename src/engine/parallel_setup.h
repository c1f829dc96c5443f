/*
 * parallel_setup.h
 *	  Workers that share a population, and what else their work needs.
 */
#ifndef ANONOPT_PARALLEL_SETUP_H
#define ANONOPT_PARALLEL_SETUP_H

#include "engine/population.h"

#include "access/parallel.h"

/*
 * Enters parallel mode and lays out the population and chunks of such sizes;
 * NULL, in no such mode, where there is no shared memory.
 */
extern ParallelContext *parallel_begin(const char *entry, int workers, const Population *population,
									   int nchunks, const Size *sizes, void **chunks);

/* Launches workers; false where none came, which ends the set-up. */
extern bool parallel_launch(ParallelContext *context);

/* Waits for the workers and leaves parallel mode; returns how many there were. */
extern int	parallel_end(ParallelContext *context);

/* A worker's side. */
extern Population *parallel_population(shm_toc *toc);
extern void *parallel_chunk(shm_toc *toc, int chunk);

#endif
