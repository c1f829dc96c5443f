/*
 * row_spool.h
 *	  A relation's rows, kept beside the population built from them.
 *
 * A release must be measured before its rows may be shown.  One reading serves
 * both, so that nothing depends on a relation returning the same rows twice.
 */
#ifndef ANONOPT_ROW_SPOOL_H
#define ANONOPT_ROW_SPOOL_H

#include "catalog/dataset.h"
#include "engine/population.h"
#include "read/encoder.h"
#include "utils/tuplestore.h"

/* A column that is kept. */
typedef struct SpoolColumn
{
	const char *name;			/* NULL for the row's place */
	Oid			as;				/* TEXTOID as a text, FLOAT8OID as a number,
								 * INT8OID as a count; InvalidOid unchanged */
	bool		labelled;		/* as the label of its leaf, of a sensitive
								 * column that is shown at a level */
	bool		apart;			/* rows with different values are in different
								 * groups */
	bool		digested;		/* all rows of a group have equal values in
								 * it; see spool_digests */
} SpoolColumn;

/*
 * Rows that agree in all columns read for the population form a group; groups
 * are numbered in order of arrival.
 */
typedef struct RowSpool
{
	int			memory_times;	/* as in Reading */
	bool		keeps_ties;		/* as in Reading */
	bool		wants_values;	/* of sensitive columns, as texts */
	int			ncolumns;
	const SpoolColumn *columns;
	bool		keeps_rows;
	bool		wants_value_of;
	bool		for_readers;	/* of a live view: values without a leaf leave
								 * their rows out, without a word */
	bool		merges;			/* keeps one row of those that look alike */
	double		drawn;			/* the probability with which a row, or a
								 * person with all rows, is read at all; 0 for
								 * everybody */
	int			ndigested;

	struct Reading *reading;	/* state for encoding such rows again */
	Population *population;		/* NULL if there are no rows */
	uint32		ngroups;
	int64	   *people;			/* by group */
	uint32	   *tuple_of;		/* by group: the population's tuple */
	Size		ndrawn;			/* people who were drawn, or not, and */
	uint32	   *person_of;		/* by group: which of them; NULL if they are
								 * rows */
	uint32	   *value_of;		/* by group: the population's value of the
								 * first sensitive column, if wanted */
	uint64	   *digests;		/* by group: a digest of each digested
								 * column's value, 0 for NULL; its code, if
								 * people were drawn */
	char	 ***values;			/* by sensitive column and number of a value */
	char	 ***leaves;			/* likewise, the labels of their leaves; NULL
								 * for a column without a hierarchy */
	TupleDesc	desc;			/* the group's number, then the columns */
	Tuplestorestate *rows;

	/* during reading */
	ValueType  *types;			/* by digested column */
	Size		digest_room;
	Size		person_room;
	TupleTableSlot *slot;
	int		   *label_columns;	/* by column: the one read that has its label,
								 * or -1 */
	Datum	  **labels;			/* by column and code: that label as text */
	int		   *value_columns;	/* by digested column: the one read that has
								 * its value, or label */
} RowSpool;

/*
 * The column that identifies rows: a key, or their place in a table if it is
 * NULL.  Fails if that does not identify every row.
 */
extern SpoolColumn row_name_column(Oid relation, const char *key);

/*
 * Whether values of a column that are equal to us look equal; not so for 1.0 and
 * 1.00, for example.
 */
extern bool equal_values_look_equal(Oid relation, const char *column);

/*
 * Reads a data set.  With levels, it serves only nodes that are nowhere below
 * them: each label's first leaf represents all its leaves, which makes tuples
 * fewer.
 */
extern void spool_read(RowSpool *spool, const Dataset *dataset, const int *levels);

typedef void (*SpoolVisitor) (void *arg, uint32 group, const Datum *values, const bool *nulls);

/* Visits every row in the order of reading; values are flat.  Each visit has its own memory. */
extern void spool_visit(RowSpool *spool, SpoolVisitor visit, void *arg);

extern void spool_end(RowSpool *spool);

/*
 * A digest of a value: equal for equal values, unless they are parts of an
 * array or the like, almost never for others, and the same in a copy of the
 * database on another machine.  Numbers of any type and texts have that of
 * their digits, since another release may show them so; days and moments of
 * different types do not.
 */
extern uint64 value_digest(const ValueType *type, Datum value);

#endif
