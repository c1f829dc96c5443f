/*
 * store_parts.h
 *	  Declarations shared by the files of tuple stores.
 */
#ifndef ANONOPT_STORE_PARTS_H
#define ANONOPT_STORE_PARTS_H

#include "store/store.h"

#include "access/skey.h"
#include "storage/lockdefs.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"

/* The fingerprint of a store at the time of counting. */
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

/* Whether a store counts a data set's columns of a role: those that a reading encodes. */
static inline bool
role_is_counted(Role role)
{
	return role == ROLE_QUASI_IDENTIFIER || role == ROLE_SENSITIVE || role == ROLE_CLASS_LABEL;
}

/* These columns, each once; returns their number. */
extern int	counted_columns(const Dataset *dataset, char ***columns);

/*
 * The rows of a catalog by the values of some columns, copied; the index may be
 * InvalidOid, and the snapshot NULL for the current ones.
 */
extern List *catalog_rows(Relation catalog, Oid index, Snapshot snapshot, int nkeys, ScanKey keys);

/* Entries: as a snapshot shows them; the current ones. */
extern List *stores_of_relation(Oid relation, Snapshot snapshot);
extern Store *store_of_dataset(const char *dataset);
extern Store *store_of_number(int64 number);

/* Writes an entry, or deletes it with its uncounted changes. */
extern void store_write(const Store *store);
extern void store_forget(int64 number);

/* Record that a change could not be counted; check for such a record; delete it. */
extern void store_note_uncounted(int64 number);
extern bool store_has_uncounted(int64 number, Snapshot snapshot);
extern void store_forget_uncounted(int64 number);

/* The current fingerprint of a store; its relation is locked. */
extern void store_fingerprints(const Store *store, Relation relation, char **fingerprints);

/* The number of a store's column in its relation; InvalidAttrNumber if it has none. */
extern AttrNumber store_column_number(const Store *store, Oid relation, int column);
extern char *store_fingerprint_columns(const Store *store, Relation relation);

/* Records that a store has been counted: every change so far, and the fingerprint. */
extern void record_counting(Store *store, Relation relation);

/* Why a store is not current, according to the catalogs, or NULL. */
extern const char *store_mismatch(const Store *store, Relation relation, bool but_file);

/* Whether a trigger is one of a store's original triggers. */
extern bool store_lists_trigger(const Store *store, Oid trigger);

/* The triggers that were created on a relation for a store's number, by name; also as a text, unless that is NULL. */
extern List *store_triggers(int64 number, Oid relation, StringInfo fingerprint);

/* The table of a store, or InvalidOid. */
extern Oid	store_table(const Store *store);

/* Whether it still depends on the relation. */
extern bool store_is_bound(const Store *store);

extern char *store_table_name(int64 number);

/* Opens it if it still has its original shape; otherwise NULL. */
extern Relation store_open_table(const Store *store, Relation relation, LOCKMODE lockmode);

/* Whether a subscription writes to a relation. */
extern bool is_replicated_to(Oid relation);

/* Counts a relation into its empty table; empties a table. */
extern void store_count_all(const Store *store, Relation relation, Relation table);
extern void store_empty(Relation table);

#endif
