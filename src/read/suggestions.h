/*
 * suggestions.h
 *	  The columns of a relation, and combinations of them, that single people
 *	  out.
 */
#ifndef ANONOPT_SUGGESTIONS_H
#define ANONOPT_SUGGESTIONS_H

#include "engine/key_sample.h"
#include "nodes/pg_list.h"
#include "utils/relcache.h"

/* The most columns in a combination. */
#define COMBINED_AT_ONCE 3

/* A column or a combination. */
typedef struct Suggestion
{
	int			nnames;
	const char *names[COMBINED_AT_ONCE];
	int64		people;			/* who were counted */
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
 * What the caller may read, most people alone first; fails if that is nothing.
 */
extern List *suggestions_of(Relation relation);

#endif
