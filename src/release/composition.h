/*
 * composition.h
 *	  What a release shows beside earlier ones.
 */
#ifndef ANONOPT_COMPOSITION_H
#define ANONOPT_COMPOSITION_H

#include "engine/population.h"
#include "release/content.h"
#include "release/release_entry.h"

/* ------------- what releases showed, as stored in anonopt.published_content */

/* Loads one of them into a memory context. */
extern Content *known_content_load(const KnownContent *known, MemoryContext context);

/*
 * Stores what a release shows now, and the smallest difference to what was
 * shown before.
 */
extern void release_content_insert(const ReleaseEntry *entry, const Content *content, int64 difference);

/* -------------------------- maps stored contents to the current hierarchies */

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

/*
 * Whether a hierarchy has all the labels by which a content shows a column,
 * where a generalization would have them: at a level, in a cut, or anywhere.
 */
extern bool labels_fit(const Generalization *by, const Content *content, int i, const Attribute *attr);

/* The quasi-identifier of a data set with a column; -1 if there is none. */
extern int	attribute_of_column(const Dataset *dataset, const char *column);

/* By label, whether anybody is shown with it, or with one that looks like it. */
extern bool *used_labels(const Content *content, int attr, const TextIndex *texts);

/* Whether two contents generalize the same columns in the same way. */
extern bool contents_are_alike(const KnownContent *a, const KnownContent *b);

/*
 * The recoding of a cut; finds the level to whose boundaries the bits belong.
 * NULL if no level has that many boundaries.
 */
extern const Recoding *recoding_of_bits(const Attribute *attr, Datum bits, int *found);

/* The labels by which a content shows an attribute, by code of its recoding. */
extern const char *const *labels_of_recoding(const KnownContent *placed, const Population *population, int i);

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

extern Composition *composition_begin(const Dataset *dataset, const Population *population);

/*
 * Splits the groups by one more content, which is placed; returns the smallest
 * group of people who are shown anywhere, or 0 if there is none.
 */
extern int64 composition_add(Composition *composition, const KnownContent *content);

/*
 * Compares a content with others, each of which is loaded and placed meanwhile;
 * returns the people in the smallest difference, or 0.  Each is visited, if a
 * visitor is given, with the column that could not be compared, or NULL.
 */
typedef void (*OtherVisitor) (void *arg, const KnownContent *other, int64 difference, const char *unseen);

extern int64 composition_difference(Composition *composition, const KnownContent *content, KnownContent *others, int n,
									OtherVisitor visit, void *arg);

/* The minimum of numbers that are not 0, or 0. */
static inline int64
least_people(int64 a, int64 b)
{
	return a == 0 || (b > 0 && b < a) ? b : a;
}

/*
 * Views attribute i of a content and attribute j of another, both of the same
 * column, by groups of values that both show together; returns false if the
 * values of their labels are unknown.
 */
extern bool view_by_values(Composition *composition, const KnownContent *a, const KnownContent *b, int i, int j,
						   ContentView *view_a, ContentView *view_b);

extern void composition_define_settings(void);

#endif
