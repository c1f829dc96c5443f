/*
 * reading_parts.h
 *	  Declarations shared by the steps of reading a relation.
 */
#ifndef ANONOPT_READING_PARTS_H
#define ANONOPT_READING_PARTS_H

#include "read/read_plan.h"

/* Counts groups as they come. */
typedef struct GroupCounter
{
	Reading    *reading;
	const ReadPlan *plan;
	MemoryContext row;			/* reset after each */
} GroupCounter;

/*
 * Prepares to count groups; counts a row's, and returns its number, or
 * LEFT_OUT.
 */
#define LEFT_OUT PG_UINT32_MAX

extern void begin_groups(GroupCounter *groups);
extern uint32 count_codes(GroupCounter *groups, const Datum *values, const bool *nulls, int64 count);

/* Fails if values without a leaf were read. */
extern void refuse_misses(const Reading *reading);

/* Runs the statement that reads the relation, once its columns are prepared. */
extern void run_read(Reading *reading);

/* Estimates the memory of the reading, for the hint of an error. */
extern void reading_expect_memory(const Reading *reading);

/* Builds the population from the tuples read. */
extern Population *make_population(Reading *reading);

/* The code read for a column of a tuple. */
static inline uint32
read_code(const Reading *reading, uint32 tuple, int column)
{
	const KeyCounter *counter = reading->tuples->counter;

	return key_get(counter->keys + (Size) tuple * counter->nwords, &reading->set.encoders[column].field);
}

#endif
