/*
 * tuples.h
 *	  The aggregate that turns rows into distinct tuples of codes.
 */
#ifndef ANONOPT_TUPLES_H
#define ANONOPT_TUPLES_H

#include "base/key_counter.h"
#include "read/encoder.h"

/* The most values without a leaf that a message lists. */
#define MAX_MISSES 5

typedef struct Miss
{
	int			encoder;
	char	   *value;
} Miss;

/*
 * Distinct tuples; columns without a hierarchy have a dictionary of the values
 * read.
 */
typedef struct Tuples
{
	MemoryContext context;
	int			ncolumns;
	KeyCounter *counter;
	Dictionary **dictionaries;	/* by column; NULL if there is a hierarchy */
	KeyField   *fields;			/* by column; only for those with a dictionary */
	int			nmisses;
	Miss		misses[MAX_MISSES];
} Tuples;

/* Stores a value without a leaf, as text. */
extern void tuples_add_miss(Tuples *tuples, int encoder, const char *value);

/* The code of a value without a leaf; stores the value if it is an error. */
extern uint32 tuples_miss(Tuples *tuples, const EncoderSet *set, int encoder, Datum value);

/* Creates an empty set of tuples for the encoders' columns. */
extern Tuples *tuples_begin(MemoryContext parent, const EncoderSet *set);

/* The tuples in the aggregate's result, in a memory context of their own below one. */
extern Tuples *tuples_of_value(Datum value, MemoryContext context);

#endif
