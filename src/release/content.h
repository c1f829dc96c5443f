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

#include "postgres.h"

#include "base/key_counter.h"
#include "read/value.h"

/* The code of rows that show only stars. */
#define STARRED PG_UINT32_MAX

typedef struct Content
{
	MemoryContext context;
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

static inline uint32
content_code(const Content *content, const uint64 *row, int attr)
{
	return (uint32) (row[attr / 2] >> (attr % 2 * 32));
}

static inline int
content_code_words(int nattrs)
{
	return (nattrs + 1) / 2;
}

static inline const uint64 *
content_row(const Content *content, uint32 row)
{
	return content->rows->keys + (Size) row * content->rows->nwords;
}

/* The classes of a content: keys of their labels, with their people; not those shown as stars. */
extern KeyCounter *content_classes(const Content *content);

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

/*
 * Adds a tuple of a recoding; looks up the class of a tuple, or 0 if it is not
 * shown.
 */
extern void content_add_tuple(Content *content, uint64 digest, uint32 class);
extern uint32 content_class_of(const Content *content, uint64 digest);

/* Converts the tuples to bytes and back; returns false if the bytes are invalid. */
extern bytea *content_pack_tuples(const Content *content);
extern bool content_unpack_tuples(Content *content, const bytea *bytes);

/* Converts the rows to bytes and back; returns false if the bytes are invalid. */
extern bytea *content_pack(const Content *content, uint32 first, uint32 nrows);
extern bool content_unpack(Content *content, const bytea *bytes);

/* ---------------------------------------- an index of texts, including NULL */

typedef struct TextIndex
{
	uint32		n;
	const char *const *texts;
	uint32	   *order;
} TextIndex;

/* Orders texts by their bytes, NULL last. */
extern int	compare_texts(const char *a, const char *b);

extern TextIndex index_texts(const char *const *texts, uint32 n);

/* The number of a text, or PG_UINT32_MAX. */
extern uint32 find_text(const TextIndex *index, const char *label);

#endif
