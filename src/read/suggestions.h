/*
 * suggestions.h
 *	  The columns of a relation, and combinations of them, that single people
 *	  out.
 */
#ifndef ANONOPT_SUGGESTIONS_H
#define ANONOPT_SUGGESTIONS_H

#include "base/compat.h"
#include "nodes/pg_list.h"
#include "utils/relcache.h"

/* The most columns in a combination. */
#define COMBINED_AT_ONCE 3

struct samplekey_hash;

/*
 * Keys are identified by their hashes.  All are counted while there is room;
 * after that, only those whose hashes end in a number of zeros.  A kept key
 * was counted from the beginning, so the figures of kept keys are exact, and
 * they are a share of 1 in 2^zeros of all.
 */
typedef struct KeySample
{
	struct samplekey_hash *table;
	uint32		room;			/* keys that may be kept */
	int			zeros;
	uint64		mask;			/* as many ones */
} KeySample;

/* Figures of all keys; estimates unless zeros is 0. */
typedef struct KeyTotals
{
	double		keys;
	double		singles;		/* keys that occur once */
	double		pairs;			/* pairs of occurrences of the same key, in
								 * either order */
} KeyTotals;

/* A column or a combination. */
typedef struct Suggestion
{
	int			nnames;
	const char *names[COMBINED_AT_ONCE];
	int64		people;			/* who were counted */
	double		likely;			/* that others know the column known least */
	KeyTotals	totals;
	bool		is_labelled;	/* by PostgreSQL Anonymizer */
	bool		is_identifier;
	bool		is_estimated;

	/* while it is counted */
	int			columns[COMBINED_AT_ONCE];	/* of the pass */
	KeySample	sample;
	uint64	   *drawn;			/* hashes of some rows */
} Suggestion;

/*
 * What the caller may read, or the columns named: identifiers, then the most
 * dangerous first.  Fails if that is nothing.
 */
extern List *suggestions_of(Relation relation, char *const *named, int nnamed);

#endif
