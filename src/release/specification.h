/*
 * specification.h
 *	  What a release shows of a relation, and what it promises.
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
	int			attr;			/* quasi-identifier, or -1: shown as it is */
	bool		pseudonym;		/* shown as keyed hashes */
	bool		promised;		/* sensitive: a promise of l or t is about it */
} ShownColumn;

typedef struct Specification
{
	const Dataset *dataset;
	Population *population;
	const int  *levels;			/* of a node; or NULL and */
	const Recoding **cut;		/* how a cut shows each attribute */
	char	 ***cut_labels;		/* by attribute and group */
	const ShownClasses *recoded;	/* how a recoding shows each tuple of the
									 * population, for a statement; or NULL */
	Promise		promise;		/* k always */
	bool		star;			/* what breaks it is shown as such */
	bool		snapshot;		/* what is shown stays as it is */
	bool		alike;			/* rows that look alike are counted */
	const char *key;			/* table of what a definition, which anybody
								 * may read, must not tell; NULL to tell it */
	int			ncolumns;
	ShownColumn *columns;		/* in the relation's order */
	uint32	   *radixes;		/* by quasi-identifier, while the statement is
								 * made: of its packed labels, or 0 */
} Specification;

/* Chooses the columns: quasi-identifiers, sensitive, class, and those that are named. */
extern void specification_choose_columns(Specification *spec, const char *const *named, int nnamed);

/* The statement, which qualifies all names. */
extern char *release_statement(const Specification *spec);

/*
 * The same rows, those that look alike perhaps as one, with a last column that says how many there are;
 * and its name.
 */
extern char *live_statement(const Specification *spec);
extern const char *live_count_name(const Specification *spec);

/* Whether it spells out leaves of hierarchies; statements that put them into the key. */
extern bool statement_tells_leaves(const Specification *spec);
extern List *release_key_statements(const Specification *spec);

/* Puts a recoding's tuples into the key, in place of those that are there. */
extern void release_key_fill(const Specification *spec);

/* How many levels above the leaves a hierarchy's column is, by name. */
extern const char *hierarchy_column(Oid hierarchy, int level);

/* Chooses a cut to be shown. */
extern void specification_choose_cut(Specification *spec, const Recoding **cut);

/* The labels under which a cut shows its groups, by group; no two are the same. */
extern char **group_labels(const Attribute *attr, const Recoding *cut);

#endif
