/*
 * store.h
 *	  Tuple counts that are kept beside a relation.
 */
#ifndef ANONOPT_STORE_H
#define ANONOPT_STORE_H

#include "catalog/dataset.h"

#include "utils/relcache.h"
#include "utils/tuplestore.h"

typedef struct Store Store;

/* A store to be read in place of its relation. */
typedef struct StoreRead
{
	const Store *store;
	Oid			table;
	const char *problem;		/* why it is not current; NULL if it is */
	int			ncolumns;		/* those that the data set declares */
	int		   *places;			/* where each is in the store */
	Tuplestorestate *rows;		/* its tuples and counts, as they stand */
	TupleDesc	desc;
	bool		is_grouped;		/* counts must be added up: some are negative */
} StoreRead;

/*
 * The store that a reading of a data set's relation, which it has opened,
 * uses now, or NULL; one that is not current only if asked for.
 */
extern StoreRead *store_to_read(const Dataset *dataset, Relation relation, bool any);

/* The store to be told of with a data set, or NULL; its problem is set if it is not used. */
extern StoreRead *store_to_describe(const Dataset *dataset);

/* A statement's FROM item, once rows are read: the tuples as r, with the names of the columns. */
extern char *store_source(const StoreRead *read);

/* The column of r that says how many rows a tuple stands for. */
extern char *store_count_name(const StoreRead *read);

/* Reads the rows; lets statements of this SPI connection see them; throws them away. */
extern void store_read_scan(StoreRead *read);
extern void store_read_show(StoreRead *read);
extern void store_read_end(StoreRead *read);

/* Makes a data set's store, and returns its table; counts it anew; drops it.  Rights are checked. */
extern Oid	store_create(const char *dataset, bool tracked);
extern void store_refresh(const char *dataset);
extern void store_drop_by_name(const char *dataset);

/* Drops a data set's store, if it has one: what is the caller's of it, and its entry. */
extern bool store_drop(const Dataset *dataset);

/*
 * Hands on the rows of a store's table without a statement: its values of
 * some columns, by place, and their count, all of these types.  False, halfway, where counts have
 * been taken away: they have to be added up first.
 */
typedef void (*StoredVisitor) (void *arg, const Datum *values, const bool *nulls, int64 count);
extern bool store_read_feed(StoreRead *read, const int *places, int ncolumns, const Oid *types,
							StoredVisitor visit, void *arg);

/* The place of a column in a store's table, and its type there. */
extern int	store_read_place(const StoreRead *read, const char *column, Oid *type);

/* Tells of a store that is not current. */
extern void store_read_tell(const StoreRead *read);

#endif
