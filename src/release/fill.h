/*
 * fill.h
 *	  The rows of a release, written without a statement.
 */
#ifndef ANONOPT_FILL_H
#define ANONOPT_FILL_H

#include "read/relation_rows.h"
#include "release/showing.h"

/* The classes that a release shows, in the order of their labels. */
typedef struct ShownClasses
{
	uint32		n;
	uint32	   *classes;		/* by place: a class of the node */
	int64	   *people;			/* by place */
	Datum	  **labels;			/* by attribute and code; 0 for NULL */
	TupleTable *table;			/* all classes of the node */
	uint32	   *place_of;		/* by tuple: of its class, or NOT_SHOWN */
} ShownClasses;

#define NOT_SHOWN PG_UINT32_MAX

/* Whether a relation's rows are sure to be the same when they are read again under one snapshot. */
extern bool rows_stay(Oid relation);

/* The classes of a node that keep the promise; what does not keep it is starred, at place n, if it may. */
extern ShownClasses *showing_classes(const Showing *showing, Recodings node);

/* The label of a class in an attribute, a text that others share; 0 for NULL. */
extern Datum shown_label(const Showing *showing, const ShownClasses *shown, uint32 place, int a);

/* Writes what showing_sql() would select into a new relation of those columns. */
extern void fill_relation(const Showing *showing, const ShownClasses *shown, RelationRows *records, Oid relation);

#endif
