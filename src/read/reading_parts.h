/*
 * reading_parts.h
 *	  What the steps of reading a relation share.
 */
#ifndef ANONOPT_READING_PARTS_H
#define ANONOPT_READING_PARTS_H

#include "read/read_plan.h"

/* Where groups are counted as they come. */
typedef struct GroupCounter
{
	Reading    *reading;
	const ReadPlan *plan;
	MemoryContext row;			/* reset after each */
} GroupCounter;

/* Prepares to count groups; counts a row's, and returns its number. */
extern void begin_groups(GroupCounter *groups);
extern uint32 count_codes(GroupCounter *groups, const Datum *values, const bool *nulls, int64 count);

/* Fails where values came that have no leaf. */
extern void refuse_misses(const Reading *reading);

/* Runs what reads the relation, once its columns are prepared. */
extern void run_read(Reading *reading);

/* Says what memory the reading is expected to take, for the hint of an error. */
extern void reading_expect_memory(const Reading *reading);

/* Makes the population of what was read. */
extern Population *make_population(Reading *reading);

/* The code that was read of a column of a tuple. */
static inline uint32
read_code(const Reading *reading, uint32 tuple, int column)
{
	const KeyCounter *counter = reading->tuples->counter;

	return key_get(counter->keys + (Size) tuple * counter->nwords, &reading->set.encoders[column].field);
}

#endif
