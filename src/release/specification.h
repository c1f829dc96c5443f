/*
 * specification.h
 *	  The columns that a release shows of a relation, its promises, and its cuts.
 */
#ifndef ANONOPT_SPECIFICATION_H
#define ANONOPT_SPECIFICATION_H

#include "catalog/dataset.h"
#include "engine/measure.h"
#include "engine/population.h"
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

/* The labels of a cut's groups; no two are equal. */
extern char **group_labels(const Attribute *attr, const Recoding *cut);

/* ---------------------------- partitions of ordered domains, as bit strings */

/* By bit, whether it separates the labels on both sides. */
extern bool *separated_labels(Datum cut);

/* The recodings that a generalization's bit strings describe. */
extern const Recoding **node_of_cuts(const Population *population, const Datum *cuts);

/*
 * Adapts a bit string to a hierarchy that has gained labels since, or whose
 * last NULL has left.  Labels that had one group still have one.  A new label
 * joins the group on both sides of it, or forms a new group.  Returns 0 if old
 * labels are in another order now.
 */
extern Datum cut_again(const Attribute *attr, Datum cut, const char *const *labels);

#endif
