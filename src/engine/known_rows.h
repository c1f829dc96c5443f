/*
 * known_rows.h
 *	  People who are left out because some of their rows look like those of too
 *	  few others.
 */
#ifndef ANONOPT_KNOWN_ROWS_H
#define ANONOPT_KNOWN_ROWS_H

#include "engine/population.h"

typedef struct KnownRows KnownRows;

/*
 * Prepares for the nodes of a population with such promises; besides, every class
 * must have k people.  Once more rows than a limit are out, others need not be
 * found.
 */
extern KnownRows *known_rows_create(const Population *population, int64 k, int64 limit);

/* What a node shows without the people who are left out. */
typedef struct RowsLeft
{
	bool	   *out;			/* by person */
	int64	   *rows;			/* left, by tuple */
	int64		suppressed;		/* rows of people left out */
	TupleTable *classes;		/* of the rows left, if wanted; NULL if these
								 * are all */
} RowsLeft;

/*
 * Leaves out as few people as possible; valid until the next call.  The classes'
 * histograms are new ones: to be dropped by population_release.
 */
extern const RowsLeft *known_rows_leave(KnownRows *known, Recodings node, bool wants_classes);

/* How many people a node leaves out of each of its classes; NULL if nothing is promised about several rows. */
extern int64 *known_rows_out(const Population *population, int64 k, Recodings node);

/* Whom an attacker finds who knows any so many rows of each person; of leaves, and without suppression. */
typedef struct RowsRisk
{
	int64		least;			/* people who have such rows of somebody */
	int64		singled_out;	/* people of whom some such rows are nobody
								 * else's */
	int64		few;			/* or are those of fewer than k people */
} RowsRisk;

/* The population must have a promise against people who know rows, which says how many, and k. */
extern RowsRisk known_rows_risk(const Population *population);

#endif
