/*
 * store.h
 *	  Tuple counts that are stored beside a relation.
 */
#ifndef ANONOPT_STORE_H
#define ANONOPT_STORE_H

#include "catalog/dataset.h"

#include "utils/queryenvironment.h"
#include "utils/relcache.h"
#include "utils/tuplestore.h"

typedef struct Store Store;

/* A store to be read instead of its relation. */
typedef struct StoreRead
{
	const Store *store;
	Oid			table;
	const char *problem;		/* why it is not current; NULL if it is */
	int			ncolumns;		/* the data set's columns */
	int		   *places;			/* position of each in the store */
	Tuplestorestate *rows;		/* its tuples and counts, unaggregated */
	TupleDesc	desc;
	bool		is_grouped;		/* counts must be added up, because some are
								 * negative */
} StoreRead;

/*
 * The store to use for a reading of a data set's relation, which is open, or
 * NULL; one that is not current only if requested.
 */
extern StoreRead *store_to_read(const Dataset *dataset, Relation relation, bool any);

/* The store to describe with a data set, or NULL; it has a problem if it is not used. */
extern StoreRead *store_to_describe(const Dataset *dataset);

/*
 * What a statement names behind FROM, once the rows were read: r, with the
 * columns of the relation by their names, and the count.
 */
extern char *store_source(const StoreRead *read);

/* The column with the number of rows of a tuple; its name differs from all others. */
extern char *store_count_name(const Store *store);

/* Read the rows; show them to a statement; free them. */
extern void store_read_scan(StoreRead *read);
extern QueryEnvironment *store_read_show(StoreRead *read);
extern void store_read_end(StoreRead *read);

/* Create a data set's store, returning its table; recount it; drop it.  They check rights. */
extern Oid	store_create(const char *dataset, bool tracked);
extern void store_refresh(const char *dataset);
extern void store_drop_by_name(const char *dataset);

/* Drops a data set's store, if it has one: its entry, and the parts that the caller owns. */
extern bool store_drop(const Dataset *dataset);

/*
 * Passes on the rows of a store's table without a statement: the values of
 * some columns, by position, and the count, with the given types.  Stops and
 * returns false at a negative count, because then counts have to be added up
 * first.
 */
typedef void (*StoredVisitor) (void *arg, const Datum *values, const bool *nulls, int64 count);
extern bool store_read_feed(const StoreRead *read, const int *places, int ncolumns, const Oid *types,
							StoredVisitor visit, void *arg);

/* The position of a column in a store's table, and its type there. */
extern int	store_read_place(const StoreRead *read, const char *column, Oid *type);

/* Reports the use of a store that is not current. */
extern void store_read_tell(const StoreRead *read);

#endif
