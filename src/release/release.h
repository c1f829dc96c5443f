/*
 * release.h
 *	  A release: what it will show, and the result of reading the data for it.
 *
 * Publishing and refreshing take the same steps.  A release is specified, by a
 * call's arguments or by its entry; checked against the catalogs; read once,
 * which measures it; checked against the data and against earlier releases;
 * and only then written.
 */
#ifndef ANONOPT_RELEASE_H
#define ANONOPT_RELEASE_H

#include "base/prng.h"
#include "catalog/sql.h"
#include "engine/measure.h"
#include "label/class_labels.h"
#include "label/label_values.h"
#include "label/recoding_rows.h"
#include "read/row_spool.h"
#include "release/content.h"
#include "release/release_entry.h"

/* A column that is shown. */
typedef struct ShownColumn
{
	const char *name;
	int			attr;			/* quasi-identifier, or -1 if shown unchanged */
	bool		pseudonym;		/* shown as pseudonyms */
	bool		promised;		/* sensitive: promises of l or t apply */
	bool		labelled;		/* so, and shown at a level */
	LabelPart	part;			/* of a quasi-identifier's label */
	bool		is_class;		/* the number of a class */
} ShownColumn;

/*
 * Names of the two columns that show the ends of a label, after its column's;
 * and of the number of a class: as in class_columns.
 */
#define LOW_SUFFIX "_low"
#define HIGH_SUFFIX "_high"
#define CLASS_NUMBER "anonopt_class"

/* What a refresh holds back: hold_back.h. */
typedef struct HeldBack HeldBack;

typedef struct Release
{
	/* specified */
	const Dataset *dataset;
	Promise		promise;		/* k always */
	bool		star;			/* classes that break it are shown as stars */
	int			ncolumns;
	ShownColumn *columns;		/* in the order of the relation */
	const char *id;				/* of its entry, if it exists already, and */
	Oid			relation;		/* its relation; or InvalidOid */
	bool		writes;			/* it is about to be written */
	bool		refills;		/* by PostgreSQL, perhaps with what it showed
								 * before */
	bool		holds_back;		/* classes that would tell too much beside
								 * earlier contents, and */
	bool		keep_deleted;	/* shows people in them who were deleted */
	int64		last_people_k;	/* people in the smallest class that it showed
								 * last, if rows belong to people */
	FilledBy	filled_by;
	Oid			replaced;		/* a release whose name it takes, or
								 * InvalidOid */
	PrivacyParameters privacy;	/* if its epsilon is not 0, it shows a sample,
								 * and */
	bool		trusted;		/* its publisher vouches for the hierarchies */
	ReleaseForm form;
	Generalization by;			/* as its entry says it, once it has been read */
	char	  **named;			/* columns to be shown unchanged */
	int			nnamed;
	ColumnsAs	columns_as;		/* of a new one */
	ColumnsAs  *forms;			/* by quasi-identifier; NULL if all are text,
								 * or not yet known */
	bool		permuted;		/* quasi-identifiers show true values,
								 * permuted within each class */
	bool		extends;		/* its recoding gets the tuples that are read
								 * and new */
	Oid			schema;
	char	   *name;
	char	   *sql_name;		/* qualified and quoted */

	/* read */
	Population *population;
	List	   *schemas;		/* whose names are kept, and the names */
	List	   *schema_names;
	List	   *opened;			/* relations kept open, so that nobody changes
								 * them meanwhile */
	Relation	recoding;		/* the table of one, and */
	TableRecoding *recoding_rows;	/* unless it is extended */
	RowSpool	spool;
	int			nspooled;		/* columns that are shown unchanged; the spool
								 * also has those of a recoding to extend */
	LabelValues **values;		/* by quasi-identifier: of those that are not
								 * shown as text */
	Measures	measures;		/* of a sample, only what its rows show */
	int64		shown_rows;		/* of a sample, as are */
	int64		shown_people;
	Classes    *classes;		/* all; once chosen, those that are shown, in
								 * the order of their labels */
	Content    *content;		/* not for a live view */
	HeldBack   *held;			/* NULL if nothing can be */
	bool		unchanged;		/* it is what was shown last */
	List	   *pseudonyms;		/* columns shown as pseudonyms */
	int64		difference;		/* people in the smallest difference to an
								 * earlier content, or whom values shown by
								 * both single out; 0 for none, -1 if not
								 * compared */
	int64		together;		/* people in the smallest group that all
								 * contents single out; 0 if not combined */
} Release;

/*
 * Sets and resets settings that a release must not depend on: search_path,
 * output styles, memory.
 */
extern int	release_settings_begin(void);
extern void release_settings_end(int level);

/*
 * Resolves the name of a new release; it must be free, or may be that of a
 * release to replace, and the caller must have CREATE in the schema.
 */
extern void release_name(Release *release, const char *name, bool replaces);

/* Chooses the columns to show, once data set, promise and generalization are known. */
extern void release_choose(Release *release);

/* Fails unless the caller may read all columns that would be read of a data set's relation. */
extern void release_check_reading(const Dataset *dataset);

/* Fails if a relation is a release, or a view that reads one. */
extern void require_no_release(Oid relation);

/*
 * Checks against the catalogs: rights, hierarchies, identifiers, the source.
 * All relations read stay open until release_close.
 */
extern void release_check(Release *release);
extern void release_close(Release *release);

/* Fails if a schema that a release names was renamed while the data were read. */
extern void release_check_names(const Release *release);

/*
 * Reads and measures; sets k to that of the node if none was given.  Spools
 * the rows for a table.
 */
extern void release_read(Release *release);

/* A digest of a value's bytes; the seed is random, so that nobody can make two alike. */
extern uint64 bytes_digest(Form_pg_attribute column, Datum value, uint64 seed);

/* Finds the classes of a population that has been read, but of records. */
extern void release_generalize(Release *release, Population *population);

/*
 * Measures them, and fails unless they keep the promise; sets k to their own if
 * none was given.
 */
extern void release_measure(Release *release);

/* Chooses the classes to show; makes the content that they are. */
extern void release_choose_classes(Release *release);
extern void release_make_content(Release *release);

/*
 * Reads what a live view shows now: nothing (classes is NULL) if there are no
 * rows, or if the classes that keep the promise do not together.
 */
extern void release_read_shown(Release *release);

/*
 * Reads and chooses the classes of a release that is not written, without its
 * rows; leaves are those of the data.  There is no population if there are no
 * rows.
 */
extern void release_read_people(Release *release);

/*
 * Compares what will be shown with everything shown of the relation before;
 * warns or refuses, as anonopt.composition says.
 */
extern void composition_check(Release *release);

/* Creates, refreshes and drops a release. */
extern Oid	release_create(Release *release);
extern void release_refresh(Oid relation, bool holds_back, bool keep_deleted);

/*
 * Fails because classes cannot be held back, for a reason; otherwise it should
 * be published in another way.
 */
pg_noreturn extern void refuse_to_hold_back(const char *release, const char *reason, const char *otherwise);
extern void release_drop(Oid relation);

/* Drops one and deletes its entry, unless others may have read it. */
extern void release_forget(Oid relation);

/*
 * Opens an existing release, locked, so that its specification may be changed,
 * perhaps without its promises of l or t; then applies the change.
 */
extern Release *release_republish_begin(Oid relation, ReleaseEntry **entry, bool keeps_l, bool keeps_t);
extern void release_republish(Release *release, const ReleaseEntry *entry);

/* The specification in an entry. */
extern Release *release_of_entry(const ReleaseEntry *entry);

/*
 * Fails if one that is about to be read would not have the columns of its entry,
 * or, unless it is republished, show other things in them: whoever may write the
 * declaration could show values that were pseudonyms or labels.
 */
extern void require_same_columns(const Release *release, const ReleaseEntry *entry, bool republishes);

/* Fails if the data set declares another relation than its source. */
extern void require_same_source(const Release *release, const ReleaseEntry *entry);

/* Whether a relation has exactly the columns that are written. */
extern bool release_has_columns(const Release *release, TupleDesc desc);

/* Writes its rows into a relation with the right columns, or a tuplestore. */
extern void release_write_rows(Release *release, Oid relation, bool frozen);
extern void release_return_rows(Release *release, TupleDesc desc, Tuplestorestate *rows);

/*
 * Makes the rows of a materialized view anew, while PostgreSQL fills it, and
 * writes down what it shows.
 */
extern void release_fill(Oid relation, TupleDesc desc, Tuplestorestate *rows);

/* Creates a live view. */
extern Oid	release_create_live(const Release *release, const char *id);

/*
 * Fails unless the current role itself owns a relation: triggers and other
 * code of another role's relation must not run with more rights than their
 * owner's.
 */
extern void require_release_owner(Oid relation);

/* Whether it is a plain table owned by a role. */
extern bool is_plain_table_of(Oid relation, Oid owner);

/* Digests of a table's rows, sorted; locks the table against changes of its columns. */
extern bytea *hierarchy_digests(Oid hierarchy);

/*
 * Names of a release's hierarchies that a role does not own, that have lost or
 * changed rows, or that a data set, if given, has replaced.  Additional rows
 * are allowed, so that tables can grow.  NULL if there are none.
 */
extern char *changed_hierarchies(const ReleaseEntry *entry, Oid owner, const Dataset *dataset);

/*
 * The hierarchies that a release depends on: those of quasi-identifiers, and of
 * sensitive columns that are shown at a level, or all if shares of values are
 * promised.
 */
extern bool release_needs_hierarchy(const Dataset *dataset, const Declared *declared);
extern List *release_hierarchies(const Dataset *dataset);

/*
 * How many people must have come or gone: the strictest k that is promised.  If
 * so many, or none, differ in each class, as many or none do among those who
 * share any of its labels.
 */
static inline int64
least_difference(const Release *release)
{
	return dataset_strictest_k(release->dataset, release->promise.k, 0);
}

/*
 * How many people must look alike in several contents together, to whoever
 * knows all columns.  What fewer columns tell together is not compared.
 */
static inline int64
least_alike(const Release *release)
{
	return dataset_strictest_k(release->dataset, release->promise.k,
							   dataset_count_role(release->dataset, ROLE_QUASI_IDENTIFIER));
}

/* --------------------------------------------- differentially private releases */

static inline bool
is_private(const Release *release)
{
	return release->privacy.epsilon > 0;
}

/* Fails if what is specified would not be differentially private. */
extern void require_private(const Release *release);

/* Leaves out rows of a sample that look like those of too few others; measures the others. */
extern void private_leave_out(Release *release);

/* Fails if people of the source would be shown beyond the limit; others who show them wait. */
extern void private_check_limit(const Release *release);

/* Keeps the contents that are not samples, and returns their number; says if there were others. */
extern int	contents_without_samples(const Release *release, KnownContent *contents, int n);

extern void privacy_define_settings(void);

/* ------------------------------ for creating, refreshing and dropping releases */

/* Builds the entry of a release that has been read and written. */
extern ReleaseEntry *entry_of_release(const Release *release, const char *id, Oid relation);

/* Takes its figures, once its entry and content are recorded, and records them. */
extern void release_record_figures(const Release *release, const ReleaseEntry *entry);

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

/* NULL if nothing changes, because everything is held back. */
extern FreshRows *release_fresh_rows(Release *release, Oid relation);
extern void release_swap_rows(FreshRows *fresh);

/* Marks a materialized view as populated. */
extern void release_mark_filled(Oid relation);

/*
 * Gathers the planner's statistics of rows that were just written; as ANALYZE
 * does, it runs functions of indexes as the owner, who must trust them.
 */
extern void release_analyze(Oid relation);

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
 * Finds the columns that a release has, once its hierarchies have been read;
 * how each is shown depends on nothing else.
 */
extern void release_shape(Release *release);

/* What a column shows of starred people; then, by code, of each label of a quasi-identifier. */
extern NullableDatum *shown_values(const Release *release, const ShownColumn *column);

/*
 * The type of a shown column; and all of them with their types, as a column
 * definition list has them.
 */
extern void shown_type(const Release *release, const ShownColumn *column, Oid *type, int32 *typmod,
					   Oid *collation);
extern char *column_definitions(const Release *release);

/* ----------------------------------------- what the labels of a release mean */

/* Creates a table of the labels that a release of the caller shows. */
extern Oid	codebook_create(const NewRelation *new, Oid relation);

/* ------------------------------------- A release as one plain SQL statement */

/*
 * The statement of a release that has been read.  Fails if it promises
 * something that the statement would not count again.
 */
extern char *view_sql(const Release *release);

#endif
