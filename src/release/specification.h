/*
 * specification.h
 *	  The columns that a release shows of a relation, and its promises.
 */
#ifndef ANONOPT_SPECIFICATION_H
#define ANONOPT_SPECIFICATION_H

#include "catalog/dataset.h"
#include "engine/measure.h"
#include "release/shown_classes.h"

#include "lib/stringinfo.h"

/* A column that is shown. */
typedef struct ShownColumn
{
	const char *name;
	int			attr;			/* quasi-identifier, or -1 if shown unchanged */
	bool		pseudonym;		/* shown as pseudonyms */
	bool		promised;		/* sensitive: promises of l or t apply */
} ShownColumn;

typedef struct Lookup Lookup;

typedef struct Specification
{
	const Dataset *dataset;
	Population *population;
	const int  *levels;			/* of a node; or NULL and */
	const Recoding **cut;		/* the recoding of each attribute by a cut */
	char	 ***cut_labels;		/* by attribute and group */
	const ShownClasses *recoded;	/* the labels of each tuple of the
									 * population by a recoding, for a
									 * statement; or NULL */
	Promise		promise;		/* k always */
	bool		star;			/* classes that break it are shown as stars */
	bool		snapshot;		/* what is shown does not change */
	bool		alike;			/* rows that look alike are merged and counted */
	const char *key;			/* table for data that a definition, which
								 * anybody may read, must not disclose; NULL
								 * to include them */
	Oid			key_table;		/* while it is filled */
	int			ncolumns;
	ShownColumn *columns;		/* in the order of the relation */
	bool		outside;		/* whether it is about people of another
								 * relation: a label that covers all leaves
								 * covers their values without a leaf too */
	uint32	   *radixes;		/* by quasi-identifier, while the statement is
								 * built: number of its packed labels, or 0 */
	Lookup	  **lookups;		/* the same: how that number is found without
								 * a join, or NULL */
} Specification;

/*
 * Chooses the columns: quasi-identifiers, sensitive columns, class label, and
 * those named.
 */
extern void specification_choose_columns(Specification *spec, const char *const *named, int nnamed);

/* Builds the statement, which qualifies all names. */
extern char *release_statement(const Specification *spec);

/*
 * The same rows, possibly with those that look alike merged, with their number
 * as the last column; and that column's name.
 */
extern char *live_statement(const Specification *spec);
extern const char *live_count_name(const Specification *spec);

/*
 * Whether it contains leaves of hierarchies; the statements that put them into
 * the key instead.
 */
extern bool statement_tells_leaves(const Specification *spec);
extern List *release_key_statements(const Specification *spec);

/* Replaces the tuples in the key by a recoding's. */
extern void release_key_fill(const Specification *spec);

/* Fills the key by a statement. */
extern void key_change(const Specification *spec, const char *statement, int nargs, const Oid *types, const Datum *values, const char *nulls);

/* The level of a hierarchy's column, by name. */
extern const char *hierarchy_column(Oid hierarchy, int level);

/* Chooses a cut to show. */
extern void specification_choose_cut(Specification *spec, const Recoding **cut);

/* The labels of a cut's groups; no two are equal. */
extern char **group_labels(const Attribute *attr, const Recoding *cut);

#endif
