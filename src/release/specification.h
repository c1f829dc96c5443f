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

typedef struct Specification
{
	const Dataset *dataset;
	Population *population;
	const int  *levels;			/* of a node; or NULL and */
	const Recoding **cut;		/* the recoding of each attribute by a cut */
	char	 ***cut_labels;		/* by attribute and group */
	Promise		promise;		/* k always */
	bool		star;			/* classes that break it are shown as stars */
	int			ncolumns;
	ShownColumn *columns;		/* in the order of the relation */
} Specification;

/*
 * Chooses the columns: quasi-identifiers, sensitive columns, class label, and
 * those named.
 */
extern void specification_choose_columns(Specification *spec, const char *const *named, int nnamed);

/* The declaration of a quasi-identifier. */
extern const Declared *declared_attribute(const Dataset *dataset, int attr);

/* The level of a hierarchy's column, by name. */
extern const char *hierarchy_column(Oid hierarchy, int level);

/* Chooses a cut to show. */
extern void specification_choose_cut(Specification *spec, const Recoding **cut);

/* The labels of a cut's groups; no two are equal. */
extern char **group_labels(const Attribute *attr, const Recoding *cut);

#endif
