/*
 * content.h
 *	  Contents of releases, the number of rows for each combination of labels
 *	  and values: how they are stored (content.c), what two reveal by their
 *	  difference (content_compare.c, content_views.c), and what several reveal of
 *	  each person (content_people.c).
 *
 * Labels are numbered, values of sensitive and class columns are digests.
 */
#ifndef ANONOPT_CONTENT_H
#define ANONOPT_CONTENT_H

#include "engine/population.h"
#include "label/class_labels.h"
#include "label/label_values.h"
#include "release/release_entry.h"

/* The code of rows that show only stars. */
#define STARRED PG_UINT32_MAX

typedef struct Content
{
	int			nattrs;
	int			nvalues;
	char	  **values;			/* names of the others that count */
	int		   *value_levels;	/* at which they are shown, or -1 */
	uint32	   *nlabels;		/* by attribute */
	const char ***labels;		/* by attribute and code; NULL for null */
	KeyCounter *rows;			/* codes, two per word, then digests; counts
								 * people */
	KeyCounter *tuples;			/* of a recoding, whose classes the labels
								 * alone do not identify: digests of leaves,
								 * and the number of its class among
								 * content_classes, from 1; else NULL */
} Content;

extern Content *content_create(MemoryContext context, int nattrs, int nvalues, uint32 expected);

/* Adds people with given labels and values. */
extern void content_add(Content *content, const uint32 *codes, const uint64 *digests, int64 people);

static inline const uint64 *
content_row(const Content *content, uint32 row)
{
	return content->rows->keys + (Size) row * content->rows->nwords;
}

/*
 * Numbers the labels of attribute i of a content and of attribute j of another:
 * those that look alike have the same number.  Returns the numbers by code, those
 * of the first content first.
 */
extern uint32 *unite_labels(const Content *a, int i, const Content *b, int j, uint32 *nlabels,
							const char ***labels);

/* The classes of a content: keys of their labels, with their people; not those shown as stars. */
extern KeyCounter *content_classes(const Content *content);

/*
 * Adds a tuple of a recoding to the class with some labels, the next key of the
 * content's classes; looks up the class of a tuple, or 0 if it is not shown.
 */
extern void content_add_tuple(Content *content, uint64 digest, KeyCounter *classes);
extern uint32 content_class_of(const Content *content, uint64 digest);

/*
 * A digest of each leaf, by attribute; and a digest of a tuple's leaves, for
 * the given attributes (NULL for all).  They are the same on every machine.
 */
extern const uint64 *const *leaf_digests(const Population *population);
extern uint64 tuple_digest(const Population *population, const uint64 *const *digests, const int *attrs,
						   int nattrs, uint32 tuple);

/* The minimum of numbers that are not 0, or 0. */
static inline int64
least_people(int64 a, int64 b)
{
	return a == 0 || (b > 0 && b < a) ? b : a;
}

/*
 * How the labels of an attribute are generalized before contents are compared:
 * by code, the common label.
 */
typedef struct ContentView
{
	int			attr;			/* of the content */
	const uint32 *shown;		/* by code */
} ContentView;

/*
 * How two contents are compared: by columns, or by classes that show the same
 * people.
 */
typedef struct CommonView
{
	int			n;				/* columns whose labels both show, and */
	ContentView of[2][MAX_ATTRIBUTES];	/* their labels on each side */
	int			nvalues;		/* values that both show, and */
	int			(*values)[2];	/* their positions on each side */
	const char *unseen;			/* a column that cannot be compared, or NULL */
	bool		alike;			/* both generalize alike, so that a class is
								 * one of the view */
	KeyCounter *classes[2];		/* on each side, and */
	uint32	   *joined;			/* by class of both: those that show the same
								 * people are one; or NULL */
} CommonView;

/*
 * By how many people one content differs from another among rows with the same
 * generalized labels, a class of the view.
 */
typedef struct ContentDifference
{
	KeyCounter *classes;		/* generalized labels */
	KeyCounter *rows;			/* a class and values; counts people of the
								 * first content less those of the second */
	int64	   *people[2];		/* by side and class: all, and */
	int64	   *only[2];		/* those whom the other side does not show */
	uint32		nclasses;		/* of the first content, with their counts */
	int64	   *class_counts;
	uint32		nrows;			/* likewise */
	int64	   *row_counts;
} ContentDifference;

/*
 * A content can be compared with several others, one after another, if it is
 * viewed in the same way.
 */
extern ContentDifference content_difference_of(const Content *a, const CommonView *view);
extern void content_difference_from(ContentDifference *difference, const Content *b, const CommonView *view);
extern ContentDifference content_difference(const Content *a, const Content *b, const CommonView *view);

/* The smallest of these groups of people whom one side shows, or 0. */
extern int64 smallest_difference(const ContentDifference *difference);

/*
 * By class: how many different values those have whom only one side shows; a
 * value is given by its place in the view.
 */
extern int64 *values_of_difference(const ContentDifference *difference, int side, int value);

/* The class of a view to which the labels of a row belong: its number in a difference, or PG_UINT32_MAX. */
extern uint32 class_in_view(const ContentDifference *difference, const CommonView *view, int side,
							const uint64 *row);

/* The values that two contents both show, as pairs of positions; returns their number. */
extern int	common_values(const Content *a, const Content *b, int (**values)[2]);

/*
 * The smallest group of people whose rows such values link with certainty, by
 * their classes in both contents; 0 if there is none.  Sets the people in
 * groups of fewer than k.
 */
extern int64 content_links(const Content *a, const Content *b, const int (*values)[2], int nvalues, int64 k,
						   int64 *below);

/* ---------------------------------------- as stored in anonopt.published_content */

/* Keys that are stored as one part. */
#define PART_KEYS 500000

/*
 * Converts some keys and their counts to bytes, and adds them back; returns
 * false if the bytes are invalid.  Of one word, unless it is -1, only the lower
 * half is stored.
 */
extern bytea *keys_pack(const KeyCounter *keys, int half_word, int count_size, uint32 first, uint32 n);
extern bool keys_unpack(KeyCounter *keys, int half_word, int count_size, const bytea *bytes);

/* Loads one that a release showed into a memory context. */
extern Content *known_content_load(const KnownContent *known, MemoryContext context);

/* Stores what a release shows now, and the smallest difference to what was shown before. */
extern void release_content_insert(const ReleaseEntry *entry, const Content *content, int64 difference);

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
extern bool find_labels(FoundLabels *found, const Content *content, int i, const Generalization *by,
						const Attribute *attr);

/* By label, the smallest run of leaves that holds all that it stands for there. */
extern LeafRun *runs_of_labels(const FoundLabels *found);

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
	uint32		unseen;			/* the group of those that none shows */
} Composition;

extern Composition *composition_begin(const Dataset *dataset, const Population *population, bool latest);

/*
 * Splits the groups by one more content, which is placed; returns the smallest
 * group of people who are shown anywhere, or 0 if there is none.
 */
extern int64 composition_add(Composition *composition, const KnownContent *content);

/*
 * By class of what one more content changes, which has its labels, counted from
 * 1: whether the content would leave a group of fewer than k among people who
 * looked alike so far, of whom some are in the class.  The first is of those in
 * none; of all, if classes are a recoding's.  The groups stay as they are.
 */
extern bool *composition_exposes(Composition *composition, const KnownContent *added,
								 const KnownContent *changes);

/*
 * Splits groups of people, or of tuples that stand for some, by their classes
 * in one more content; returns the new groups, with their people.
 */
extern KeyCounter *split_groups(MemoryContext context, uint32 *group_of, uint32 n, const int64 *class_of,
								const int64 *people);

/*
 * Loads and places another content, in a context of its own, which the caller
 * deletes; NULL if it is not known.
 */
extern MemoryContext composition_load(const Composition *composition, KnownContent *other);

/*
 * Views two contents of the same recoding by classes instead of labels: those
 * that show a tuple are one.  Returns whether a class was split, or several merged.
 */
extern bool view_by_tuples(const Content *a, const Content *b, CommonView *view);

/* The number that represents all that are joined with a given one. */
static inline uint32
find_joined(uint32 *joined, uint32 i)
{
	while (joined[i] != i)
		i = joined[i] = joined[joined[i]];
	return i;
}

static inline void
join(uint32 *joined, uint32 a, uint32 b)
{
	a = find_joined(joined, a);
	b = find_joined(joined, b);
	joined[Max(a, b)] = Min(a, b);
}

/* A hierarchy that a release was made with, as it is now; NULL if it is gone, or another role's. */
extern const Attribute *composition_hierarchy(Composition *composition, Oid relation);

/*
 * Finds a content's labels in the hierarchy that it was made with or, if that
 * is gone or another role's, in the data set's; returns false if they are in
 * neither.
 */
extern bool find_labels_anywhere(FoundLabels *found, Composition *composition, const KnownContent *placed, int i);

/* How a content is compared with another: by the finest labels that both have in common. */
extern void view_contents(Composition *composition, const KnownContent *a, const KnownContent *b,
						  CommonView *view);

/*
 * Whether the rows of two contents may be the same, so that one can be
 * subtracted from the other.  Where people have several, rows of other tables
 * are others: of visits and of prescriptions, for example.
 */
static inline bool
rows_correspond(const KnownContent *a, const KnownContent *b)
{
	return (!a->release.has_people_k && !b->release.has_people_k) ||
		(a->same_rows == 1 && b->same_rows == 1) ||
		(a->release.id != NULL && b->release.id != NULL && strcmp(a->release.id, b->release.id) == 0);
}

/*
 * The people in the smallest group by which two contents differ, or 0; and a
 * column that cannot be compared, or NULL.  Where people have several rows, any
 * difference may be one person.
 */
extern int64 composition_difference(Composition *composition, const KnownContent *a, const KnownContent *b,
									const char **unseen);

/*
 * The people in the smallest group that values link, as content_links says, if
 * that is what readers of two contents know best: if their labels cannot be
 * combined.  Otherwise, 0.  Sets the people in groups of fewer than a promises.
 */
extern int64 composition_links(const KnownContent *a, const KnownContent *b, int64 *below);

/*
 * Views attribute i of a content and attribute j of another, both of the same
 * column, by groups of values that both show together; returns false if the
 * values of their labels are unknown.
 */
extern bool view_by_values(Composition *composition, const KnownContent *a, const KnownContent *b, int i,
						   int j,
						   ContentView *view_a, ContentView *view_b);

/*
 * Whether to warn or to refuse, or 0 for neither, as anonopt.composition says;
 * and the code of that.
 */
extern int	composition_level(void);
extern int	composition_errcode(int level);

/* Whether it says that refreshes hold back what others could subtract. */
extern bool composition_holds_back(void);

extern void composition_define_settings(void);

#endif
