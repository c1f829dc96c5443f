/*
 * class_labels.h
 *	  The labels of classes, and the order in which a release shows them.
 *
 * Labels are texts or NULL, and are numbered by attribute; several numbers, or
 * codes, are a key.
 */
#ifndef ANONOPT_CLASS_LABELS_H
#define ANONOPT_CLASS_LABELS_H

#include "base/key_counter.h"
#include "engine/classes.h"
#include "record/record_model.h"

/* -------------------------------------------------------- codes in keys, two a word */

static inline int
code_words(int nattrs)
{
	return (nattrs + 1) / 2;
}

static inline uint32
code_at(const uint64 *key, int a)
{
	return (uint32) (key[a / 2] >> (a % 2 * 32));
}

/* Puts a code into a key whose words are 0. */
static inline void
put_code(uint64 *key, int a, uint32 code)
{
	key[a / 2] |= (uint64) code << (a % 2 * 32);
}

/* ------------------------------------------- texts, in the order of their bytes, NULL last */

typedef struct TextIndex
{
	uint32		n;
	const char *const *texts;
	uint32	   *order;
} TextIndex;

extern int	compare_texts(const char *a, const char *b);

/* The ends, numbers or not, of a label such as 17, [20, 35) or [20,35); returns false for any other. */
extern bool parse_interval(const char *label, char **low, char **high, char *closing);

extern TextIndex index_texts(const char *const *texts, uint32 n);

/* The number of a text, or PG_UINT32_MAX. */
extern uint32 find_text(const TextIndex *index, const char *label);

/* The rank of each text; equal ones have that of the first. */
extern uint32 *rank_texts(const char *const *texts, uint32 n);

/*
 * Gives equal texts the same number, in the order of their first occurrence;
 * labels receives them by number.
 */
extern uint32 *number_texts(const char *const *texts, uint32 n, uint32 *nlabels, const char ***labels);

/* ------------------------------------------------------------------ classes */

/* Labels the classes of a node or cuts; the labels are given by attribute and code. */
extern void classes_label_node(Classes *classes, const char ***labels);

/* Labels the classes of a recoding. */
extern void classes_label_recoding(Classes *classes, RecodingLabels mode);

/* Unites classes that look alike. */
extern void classes_unite_alike(Classes *classes);

/* Numbers classes in the order of their labels, given the order of attributes. */
extern void classes_sort(Classes *classes, const int *order, int norder);

/* Tuples that are generalized one by one. */
typedef struct RecordLevels
{
	const uint16 *const *levels;	/* by tuple; NULL if none has enough
									 * utility */
	const RecordModel *model;
	double		min_utility;
} RecordLevels;

/*
 * Their classes of at least k people, labelled.  A tuple in a smaller class
 * joins the largest such class that it can reach by a node with enough utility.
 */
extern Classes *classes_of_records(const Population *population, const RecordLevels *records, int64 k);

#endif
