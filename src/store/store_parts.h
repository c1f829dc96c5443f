/*
 * store_parts.h
 *	  What the files of tuple stores share.
 */
#ifndef ANONOPT_STORE_PARTS_H
#define ANONOPT_STORE_PARTS_H

#include "store/store.h"

#include "storage/lockdefs.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"

/* What a store's counts rely on, as it was when they were made. */
typedef enum Fingerprint
{
	FINGERPRINT_CLUSTER, FINGERPRINT_RELATION, FINGERPRINT_FILE, FINGERPRINT_OWNER, FINGERPRINT_COLUMNS, FINGERPRINT_TRIGGERS, FINGERPRINT_TABLE, FINGERPRINTS
} Fingerprint;

struct Store
{
	int64		number;
	char	   *dataset;
	Oid			relation;
	int			ncolumns;
	char	  **columns;
	bool		tracked;
	char	   *fingerprints[FINGERPRINTS];
	TimestampTz counted_at;
	bool		own;			/* written by this transaction */
};

/* Entries as a snapshot shows them, or as they are now where it is NULL. */
extern List *stores_of_relation(Oid relation, Snapshot snapshot);
extern Store *store_of_dataset(const char *dataset, Snapshot snapshot);
extern Store *store_of_number(int64 number, Snapshot snapshot);

/* Writes an entry, or deletes it with its uncounted changes. */
extern void store_write(const Store *store);
extern void store_forget(int64 number);

/* Writes down that something could not be counted; whether it was; forgets it. */
extern void store_note_uncounted(int64 number);
extern bool store_has_uncounted(int64 number, Snapshot snapshot);
extern void store_forget_uncounted(int64 number);

/* What a store's counts rely on now; its relation is locked. */
extern void store_fingerprints(const Store *store, Relation relation, char **fingerprints);

/* The number of a column of a store in its relation; InvalidAttrNumber where it has no such column of its own. */
extern AttrNumber store_column_number(const Store *store, Oid relation, int column);
extern char *store_fingerprint_columns(const Store *store, Relation relation);

/* Why a store's counts are not those of its relation, as far as catalogs tell; or NULL. */
extern const char *store_mismatch(const Store *store, Relation relation, bool but_file);

/* Whether a trigger is one of those that a store was created with. */
extern bool store_lists_trigger(const Store *store, Oid trigger);

/* The triggers of a store's number on its relation. */
extern List *store_triggers(int64 number, Oid relation);

/* The table of a store, or InvalidOid. */
extern Oid	store_table(const Store *store);

/* Whether it goes with the relation, as it was made. */
extern bool store_is_bound(const Store *store);

extern char *store_table_name(int64 number);

/* Opens it, if its shape is still what it was made with; else NULL. */
extern Relation store_open_table(const Store *store, Relation relation, LOCKMODE lockmode);

/* A name for the column of counts that no column has. */
extern char *store_free_name(const Store *store);

/* Whether somebody subscribes for a relation. */
extern bool is_replicated_to(Oid relation);

/* The store's table, emptied, or made anew where it is not what it was. */
extern Relation store_empty_table(const Store *store, Relation relation);

/* Makes the triggers, unless they are there and what they were made. */
extern void store_make_triggers(const Store *store, Relation relation);

/* Drops triggers, and a table unless it is InvalidOid. */
extern void store_drop_objects(Oid table, List *triggers);

/* Counts a relation anew into its empty table; removes what a table holds. */
extern void store_count_all(const Store *store, Relation relation, Relation table);
extern void store_empty(Relation table);

#endif
