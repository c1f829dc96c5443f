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

/* A stored content, and its release. */
typedef struct KnownContent
{
	char	   *id;				/* of the release */
	int			version;		/* -1: the release has no contents */
	Oid			relation;
	char	   *name;
	char	   *dataset;
	int64		k;
	Generalization by;
	int			nattrs;
	char	  **generalized;
	Oid		   *hierarchies;	/* by attribute */
	int64		difference;		/* -1: not known */
} KnownContent;

/* Lists all contents of releases of a relation, in order, without loading them. */
extern KnownContent *known_contents(Oid source, int *n);

/* Loads one of them into a memory context. */
extern Content *known_content_load(const KnownContent *known, MemoryContext context);

/*
 * Stores what a release shows now, and the smallest difference to what was
 * shown before.
 */
extern void release_content_insert(const ReleaseEntry *entry, const Content *content, int64 difference);

/* -------------------------- maps stored contents to the current hierarchies */

/* A content, if known, and the attributes of a population. */
typedef struct PlacedContent
{
	const KnownContent *known;
	Content    *content;
	int			attr_of[MAX_ATTRIBUTES];	/* by attribute of the content:
											 * that of the population, or -1 */
	const Recoding **recodings; /* by attribute of the content: its recoding,
								 * or NULL */
} PlacedContent;

/*
 * Finds a content's attributes in a population, whose hierarchies are the data
 * set's; population may be NULL.
 */
extern void content_place(PlacedContent *placed, const Dataset *dataset, const Population *population);

/*
 * Whether the population has every attribute of the content, with all its
 * labels in the hierarchy.
 */
extern bool content_is_placed(const PlacedContent *placed);

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
extern const char *const *labels_of_recoding(const PlacedContent *placed, const Population *population, int i);

/* ------------------- the coarsest common view of the labels of two contents */

/* The hierarchies of contents, in their current state. */
typedef struct KnownHierarchies
{
	const Dataset *dataset;
	const Population *population;
	MemoryContext context;
	List	   *others;			/* of other data sets: KnownHierarchy */
} KnownHierarchies;

/*
 * Starts with those of a population that was read for a data set; others are
 * read on demand.
 */
extern KnownHierarchies *known_hierarchies_create(const Dataset *dataset, const Population *population);

/*
 * Views attribute i of a content and attribute j of another, both of the same
 * column, by groups of values that both show together; returns false if the
 * values of their labels are unknown.
 */
extern bool view_by_values(KnownHierarchies *hierarchies, const PlacedContent *a, const PlacedContent *b, int i, int j,
						   ContentView *view_a, ContentView *view_b);

extern void composition_define_settings(void);

/* ---------------------------------------- what two contents reveal together */

/* The number of people in the smallest group by which two contents differ, or 0. */
extern int64 contents_difference(const PlacedContent *a, const PlacedContent *b, KnownHierarchies *hierarchies, const char **unseen);

/* Whether both, if they are by recodings, show the same tuples, in the same classes. */
extern bool content_has_tuples_of(const Content *a, const Content *b);

/* --------------------- what several contents together reveal about a person */

/* What readers of several contents know about each tuple. */
typedef struct Combination
{
	uint32	   *group_of;		/* group of tuples that look alike in all of
								 * them */
	bool	   *shown;			/* shown in any of them */
} Combination;

extern Combination combination_begin(const Population *population);

/*
 * Splits the groups by one more content; returns the smallest group of people
 * who are shown anywhere, or 0 if there is none.
 */
extern int64 combination_add(Combination *combination, const Population *population, const PlacedContent *content);

#endif
