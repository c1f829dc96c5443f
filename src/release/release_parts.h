/*
 * release_parts.h
 *	  Declarations shared by creating, refreshing and dropping releases.
 */
#ifndef ANONOPT_RELEASE_PARTS_H
#define ANONOPT_RELEASE_PARTS_H

#include "release/release.h"

/* Builds the entry of a release that has been read and written. */
extern ReleaseEntry *entry_of_release(const Release *release, const char *id, Oid relation);

/* Replaces the frequencies of values in the entry of a live view by those of now. */
extern void distributions_now(ReleaseEntry *entry);

/* The promises of a release and their columns, for its comment. */
extern char *release_comment(const Release *release, const char *id);

/* Fails: a release cannot be rebuilt from its entry. */
extern void refuse_changed(const Release *release);

/*
 * The OID that a query about an object, $1, finds in the catalogs as this
 * statement has left them; InvalidOid if there is none.
 */
extern Oid	find_now(const char *query, Oid object);

/* A name of our own, quoted, that differs from all shown columns. */
extern const char *own_name(const Release *release, const char *wanted);

/*
 * Fails if a view's query is bound to a user's relation, or to code that is not
 * trusted: its names may have meant others when it was created.
 */
extern void require_definition(Oid view);

/*
 * Makes a materialized view depend on what its rows are read from, as if its
 * query named that: so that nobody drops it, and a dump orders it.
 */
extern void depend_on_read(const Release *release, Oid view);

/*
 * Creates a new heap for a release's rows.  Swapping it in locks out readers
 * until the end of the transaction.
 */
typedef struct FreshRows
{
	Oid			heap;			/* dropped after the swap, with the old rows */
	Relation	release;		/* kept open, so that no function changes it */
	List	   *indexes;		/* of the release, and */
	List	   *copies;			/* of them on the new heap */
	bool		copied;			/* its rows are copied into the release
								 * instead, so that subscribers get them */
} FreshRows;

extern FreshRows *release_fresh_rows(Release *release, Oid relation);
extern void release_swap_rows(FreshRows *fresh);

/* Marks a materialized view as populated. */
extern void release_mark_filled(Oid relation);

/* The function through which a live view reads, or InvalidOid. */
extern Oid	rows_function(Oid view);

/*
 * The relations whose rows a live view reads, opened: the data, and populations
 * that it counts; and whether one is a plain table.
 */
extern List *live_sources(const Release *release);
extern bool is_plain_source(Relation relation);

/*
 * Whether everybody, or otherwise a role that the reader can assume, may change
 * rows of some relations, also through others.
 */
extern bool may_be_written(const List *relations, bool by_everybody);

/* Whether a live view reads the column of an attribute in such a relation. */
extern bool is_read_live(const Dataset *dataset, int attribute, Oid relation);

/*
 * Fails unless readers of a live view see all rows that it reads and cannot
 * add some, and unless nobody else owns their types.
 */
extern void live_check_source(const Release *release);

/*
 * The shown columns with their types, as a column definition list has them; and
 * a column's type, in which every one of its values fits.
 */
extern char *column_definitions(const Release *release);

#endif
