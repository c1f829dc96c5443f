/*
 * prng.h
 *	  Random numbers that are the same on every server for a given seed:
 *	  SplitMix64.
 *
 * Not every version we build with has PostgreSQL's own generator.
 */
#ifndef ANONOPT_PRNG_H
#define ANONOPT_PRNG_H

#include "postgres.h"

typedef struct Prng
{
	uint64		state;
} Prng;

static inline uint64
prng_next(Prng *prng)
{
	uint64		word = (prng->state += UINT64CONST(0x9e3779b97f4a7c15));

	word = (word ^ (word >> 30)) * UINT64CONST(0xbf58476d1ce4e5b9);
	word = (word ^ (word >> 27)) * UINT64CONST(0x94d049bb133111eb);
	return word ^ (word >> 31);
}

/* A number below n; n must be above 0. */
static inline uint32
prng_below(Prng *prng, uint32 n)
{
	return (uint32) (((prng_next(prng) >> 32) * n) >> 32);
}

/* A number in [0,1). */
static inline double
prng_unit(Prng *prng)
{
	return (double) (prng_next(prng) >> 11) * (1.0 / (UINT64CONST(1) << 53));
}

/* Random bytes that nobody can foresee. */
static inline void
strong_random(void *bytes, Size size)
{
	if (!pg_strong_random(bytes, size))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate random values")));
}

#endif
