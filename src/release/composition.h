/*
 * composition.h
 *	  What a release shows beside earlier ones.
 */
#ifndef ANONOPT_COMPOSITION_H
#define ANONOPT_COMPOSITION_H

#include "engine/population.h"
#include "release/content.h"

/* ------------------------- the labels of contents in the hierarchies of today */

/*
 * Finds a content's attributes in a population, whose hierarchies are the data
 * set's; population may be NULL.
 */
extern void content_place(KnownContent *placed, const Dataset *dataset, const Population *population);

/*
 * Whether the population has every attribute of the content, with all its
 * labels in the hierarchy.
 */
extern bool content_is_placed(const KnownContent *placed);

/* The labels by which a content shows an attribute, and where a hierarchy has them. */
typedef struct FoundLabels
{
	const Content *content;
	int			attr;
	TextIndex	index;			/* of its labels */
	bool	   *used;			/* by label: whether anybody is shown with it,
								 * or with one that looks like it */
	const Hierarchy *hierarchy;
	int			n;				/* the recoding by a level or a cut, or all
								 * levels */
	const Recoding **recodings;
	const char *const **texts;	/* their labels */
} FoundLabels;

/*
 * Looks for labels where a generalization would have them: at a level, in a
 * cut, or anywhere.  Returns whether all that are used are there.
 */
extern bool find_labels(FoundLabels *found, const Content *content, int i, const Generalization *by, const Attribute *attr);

/* The quasi-identifier of a data set with a column; -1 if there is none. */
extern int	attribute_of_column(const Dataset *dataset, const char *column);

/* Whether two contents generalize the same columns in the same way. */
extern bool contents_are_alike(const KnownContent *a, const KnownContent *b);

/* ------------------------------------ what readers of several contents know */

typedef struct Composition
{
	MemoryContext context;
	const Dataset *dataset;
	const Population *population;	/* on which contents are combined; or NULL */
	bool		latest;			/* contents are loaded as this statement has
								 * left them */
	List	   *others;			/* hierarchies of other data sets, in their
								 * current state: KnownHierarchy */
	uint32	   *group_of;		/* by tuple: its group of those that look
								 * alike in all contents added so far */
	bool	   *shown;			/* in any of them */
} Composition;

extern Composition *composition_begin(const Dataset *dataset, const Population *population, bool latest);

/*
 * Splits the groups by one more content, which is placed; returns the smallest
 * group of people who are shown anywhere, or 0 if there is none.
 */
extern int64 composition_add(Composition *composition, const KnownContent *content);

/*
 * Splits groups of people, or of tuples that stand for some, by their classes
 * in one more content; returns the new groups, with their people.
 */
extern KeyCounter *split_groups(MemoryContext context, uint32 *group_of, uint32 n, const int64 *class_of, const int64 *people);

/*
 * Loads and places another content, in a context of its own, which the caller
 * deletes; NULL if it is not known.
 */
extern MemoryContext composition_load(const Composition *composition, KnownContent *other);

/*
 * The people in the smallest group by which two contents differ, or 0; and a
 * column that cannot be compared, or NULL.
 */
extern int64 composition_difference(Composition *composition, const KnownContent *a, const KnownContent *b, const char **unseen);

/*
 * Views attribute i of a content and attribute j of another, both of the same
 * column, by groups of values that both show together; returns false if the
 * values of their labels are unknown.
 */
extern bool view_by_values(Composition *composition, const KnownContent *a, const KnownContent *b, int i, int j,
						   ContentView *view_a, ContentView *view_b);

/* Whether to warn or to refuse, or 0 for neither, as anonopt.composition says; and the code of the error. */
extern int	composition_level(void);
extern int	composition_errcode(void);

extern void composition_define_settings(void);

#endif
