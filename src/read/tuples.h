/*
 * tuples.h
 *	  The aggregate that turns rows into distinct tuples of codes.
 */
#ifndef ANONOPT_TUPLES_H
#define ANONOPT_TUPLES_H

#include "base/key_counter.h"
#include "read/encoder.h"

/* At most this many values without a leaf are told of. */
#define MAX_MISSES 5

typedef struct Miss
{
	int			encoder;
	char	   *value;
} Miss;

/* Distinct tuples; columns without a hierarchy have a dictionary of what came. */
typedef struct Tuples
{
	MemoryContext context;
	int			ncolumns;
	KeyCounter *counter;
	Dictionary **dictionaries;	/* by column; NULL where there is a hierarchy */
	KeyField   *fields;			/* by column; of those with a dictionary only */
	int			nmisses;
	Miss		misses[MAX_MISSES];
} Tuples;

/* Remembers a value without a leaf, as a text. */
extern void tuples_add_miss(Tuples *tuples, int encoder, const char *value);

/* The code of a value without a leaf; remembers it, if there must be none. */
extern uint32 tuples_miss(Tuples *tuples, const EncoderSet *set, int encoder, Datum value);

/* No tuples yet, of columns that encoders describe. */
extern Tuples *tuples_begin(MemoryContext parent, const EncoderSet *set);

/* The tuples in the aggregate's result, in a memory context of their own below one. */
extern Tuples *tuples_of_value(Datum value, MemoryContext context);

#endif
