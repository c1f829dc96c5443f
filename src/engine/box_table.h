/*
 * box_table.h
 *	  The tuples of a box of nodes: by the classes of its highest node, as fine
 *	  as its lowest wants them.
 */
#ifndef ANONOPT_BOX_TABLE_H
#define ANONOPT_BOX_TABLE_H

#include "engine/measure.h"

/* A class of the highest node that may still come apart. */
typedef struct BoxClass
{
	uint32		start;			/* of its tuples */
	uint32		ntuples;
	int64		people;
} BoxClass;

typedef struct BoxTable
{
	int			levels[MAX_ATTRIBUTES]; /* at which the keys stand */
	uint32		ntuples;
	uint64	  **keys;			/* by word and tuple */
	int64	   *counts;
	uint32	  **slices;			/* by column and tuple */
	uint32		nclasses;
	BoxClass   *classes;		/* small ones first: those break a promise
								 * soonest */

	/* classes that stay as they are in every node of the box */
	int64		suppressed;		/* people in those that break the promise */
	int128		squares;		/* of the sizes of the others */
	int64		lasting;		/* of the others, those too large to be
								 * suppressed */
	int64		doubtful;		/* people of other classes who will be
								 * suppressed at least */
} BoxTable;

/* What all tables of a search share. */
typedef struct BoxTables
{
	Population *population;
	MemoryContext context;
	Promise		promise;
	int64		looked_at;		/* tuples, so far */

	/* scratch */
	uint32	   *codes;			/* of each code at the level asked for */
	int64	   *people;			/* by code */
	uint32	   *members;		/* tuples by code */
	uint32	   *seen;			/* codes of a class */
	uint32	   *by_code;		/* the tuples of a class, those of a code
								 * together */
	uint32	   *slots;
	uint32	   *together;		/* histograms to be joined */
	HistogramMark *marks;
} BoxTables;

extern void box_tables_prepare(BoxTables *tables, Population *population, const Promise *promise, MemoryContext context);

/*
 * The table of all nodes below one; NULL where too many people are suppressed
 * at each of them.
 */
extern BoxTable *box_table_create(BoxTables *tables, const int *highest);

/* The same where one attribute's highest level comes down. */
extern BoxTable *box_table_lower(BoxTables *tables, const BoxTable *table, int attr, int level);

/* Whether it would not be NULL. */
extern bool box_table_can_lower(BoxTables *tables, const BoxTable *table, int attr, int level);

/* Joins tuples that are one at the box's lowest node and at all above it. */
extern void box_table_join(BoxTables *tables, BoxTable *table, const int *lowest);

extern void box_table_free(const BoxTables *tables, BoxTable *table);

/* What a table takes. */
extern Size box_table_size(const BoxTables *tables, const BoxTable *table);

/* The squares of the sizes of the classes at the level of the keys, where nobody more is suppressed. */
extern int128 box_table_squares(const BoxTable *table);

/* Classes of the highest node of which some remain at every node that suppresses few enough. */
extern int64 box_table_lasting(const BoxTables *tables, const BoxTable *table);

#endif
