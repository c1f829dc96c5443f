/*
 * content.h
 *	  The content of a release: the number of rows for each combination of
 *	  labels and values.
 *
 * Labels are numbered, values of sensitive and class columns are digests.
 * Two contents can be subtracted, as a reader of both can.
 */
#ifndef ANONOPT_CONTENT_H
#define ANONOPT_CONTENT_H

#include "release/class_labels.h"
#include "release/release_entry.h"

/* The code of rows that show only stars. */
#define STARRED PG_UINT32_MAX

typedef struct Content
{
	int			nattrs;
	char	  **attrs;			/* names of the generalized columns */
	int			nvalues;
	char	  **values;			/* names of the others that count */
	uint32	   *nlabels;		/* by attribute */
	const char ***labels;		/* by attribute and code; NULL for null */
	KeyCounter *rows;			/* codes, two per word, then digests; counts
								 * people */
	KeyCounter *tuples;			/* of a recoding, whose classes the labels
								 * alone do not identify: digests of leaves,
								 * and the class of each, counted from 1; else
								 * NULL */
} Content;

extern Content *content_create(MemoryContext context, int nattrs, int nvalues, uint32 expected);

/* Adds people with given labels and values. */
extern void content_add(Content *content, const uint32 *codes, const uint64 *digests, int64 people);

static inline const uint64 *
content_row(const Content *content, uint32 row)
{
	return content->rows->keys + (Size) row * content->rows->nwords;
}

/* The classes of a content: keys of their labels, with their people; not those shown as stars. */
extern KeyCounter *content_classes(const Content *content);

/*
 * Adds a tuple of a recoding; looks up the class of a tuple, or 0 if it is not
 * shown.
 */
extern void content_add_tuple(Content *content, uint64 digest, uint32 class);
extern uint32 content_class_of(const Content *content, uint64 digest);

/*
 * A digest of each leaf, by attribute; and a digest of a tuple's leaves, for
 * the given attributes (NULL for all).  They are the same on every machine.
 */
extern uint64 **leaf_digests(const Population *population);
extern uint64 tuple_digest(const Population *population, const uint64 *const *digests, const int *attrs, int nattrs, uint32 tuple);

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
 * The people in the smallest group by which one content differs from the other
 * among rows with the same generalized labels; 0 if they do not differ. values
 * lists the values to compare, as pairs of positions.
 */
extern int64 content_difference(const Content *a, const ContentView *views_a, const Content *b,
								const ContentView *views_b, int nviews, const int (*values)[2], int nvalues);

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

/*
 * Stores what a release shows now, and the smallest difference to what was
 * shown before.
 */
extern void release_content_insert(const ReleaseEntry *entry, const Content *content, int64 difference);

#endif
