/*
 * box_table.h
 *	  The tuples of a box of nodes, grouped by the classes of its highest node
 *	  and as fine as its lowest node needs.
 */
#ifndef ANONOPT_BOX_TABLE_H
#define ANONOPT_BOX_TABLE_H

#include "engine/measure.h"

/* A class of the highest node that may still split. */
typedef struct BoxClass
{
	uint32		start;			/* of its tuples; first, for sorting */
	uint32		ntuples;
	int64		people;
} BoxClass;

typedef struct BoxTable
{
	int			levels[MAX_ATTRIBUTES]; /* the levels of the keys */
	uint32		ntuples;
	uint64	  **keys;			/* by word and tuple */
	int64	   *counts;
	uint32	  **slices;			/* by column and tuple */
	uint32		nclasses;
	BoxClass   *classes;		/* small ones first, since they break a
								 * promise soonest */

	/* classes that do not split in any node of the box */
	int64		suppressed;		/* people in those that break the promise */
	int128		squares;		/* of the sizes of the others */
	int64		lasting;		/* of the others, those too large to be
								 * suppressed */
	int64		doubtful;		/* least number of people of other classes who
								 * will be suppressed */
	int64		largest;		/* size of the largest of the others */
	int64		smallest;		/* and of the smallest */
	double		worst;			/* lower bound of the requested measure, at
								 * every feasible node of the box */
} BoxTable;

/* State shared by all tables of a search. */
typedef struct BoxTables
{
	Population *population;
	MemoryContext context;
	Promise		promise;
	bool		empty;			/* tables of nobody are enough */
	int			worst;			/* the model whose figure of the worst class
								 * to bound, or -1 */
	int64		looked_at;		/* tuples, so far, by the effort they take */

	/* scratch */
	uint32	   *codes;			/* of each code at the requested level */
	int64	   *people;			/* by code */
	uint32	   *members;		/* tuples by code */
	uint32	   *seen;			/* codes of a class */
	uint32	   *by_code;		/* the tuples of a class, grouped by code */
	uint32	   *slots;
	uint32	   *together;		/* histograms to be merged */
	HistogramMark *marks;
} BoxTables;

extern void box_tables_prepare(BoxTables *tables, Population *population, const Promise *promise, int worst,
							   MemoryContext context);

/*
 * Creates the table of all nodes below one; NULL if each of them suppresses
 * too many people.
 */
extern BoxTable *box_table_create(BoxTables *tables, const int *highest);

/* Creates it from another, after one attribute's highest level was lowered; or returns NULL. */
extern BoxTable *box_table_lower(BoxTables *tables, const BoxTable *table, int attr, int level);

/* Whether it would not be NULL. */
extern bool box_table_can_lower(BoxTables *tables, const BoxTable *table, int attr, int level);

/* Merges tuples that are equal at the box's lowest node, and so at all above it. */
extern void box_table_join(BoxTables *tables, BoxTable *table, const int *lowest);

extern void box_table_free(const BoxTables *tables, BoxTable *table);

/* The memory of a table. */
extern Size box_table_size(const BoxTables *tables, const BoxTable *table);

/*
 * The sum of squared class sizes at the levels of the keys, if nobody else is
 * suppressed.
 */
extern int128 box_table_squares(const BoxTable *table);

/*
 * Number of classes of the highest node of which a part remains at every node
 * that suppresses few enough.
 */
extern int64 box_table_lasting(const BoxTables *tables, const BoxTable *table);

/*
 * A lower bound of the difference in people between the largest and the
 * smallest class of a feasible node.
 */
extern int64 box_table_spread(const BoxTables *tables, const BoxTable *table);

#endif
