/*
 * classes.h
 *	  The classes into which a generalization puts people: what each holds, and
 *	  what it shows.
 */
#ifndef ANONOPT_CLASSES_H
#define ANONOPT_CLASSES_H

#include "engine/measure.h"

/* How a class of a recoding is shown. */
typedef enum RecodingLabels
{
	LABELS_HIERARCHY,			/* the lowest label that covers it */
	LABELS_RANGE,				/* the tightest range of the domain's order */
	RECODING_LABELS
} RecodingLabels;

extern const char *const recoding_labels_names[RECODING_LABELS];

/*
 * Classes of any generalization.  A class shows a box: a run of leaves for each
 * attribute.  It has several boxes if their labels look alike.
 */
typedef struct Classes
{
	const Population *population;
	const TupleTable *tuples;	/* the population's, or those of a finer node */
	Recodings	node;			/* of a node or cuts; otherwise NULL */
	uint32		n;
	uint32	   *class_of;		/* by tuple; NO_CLASS if it is suppressed, n
								 * if it is starred */
	int64		suppressed;		/* rows in no class */
	int64		starred;		/* people shown as stars: one more class */
	const bool *out;			/* by person: their rows are not shown,
								 * whatever their classes; or NULL */
	TupleTable *table;			/* once counted: rows and histograms by class;
								 * at n, those in no class, if there are any */

	uint32		nboxes;
	uint32	   *class_of_box;	/* NO_CLASS if it is hidden */
	uint32	   *box_of;			/* by class: the first of its boxes */
	uint32	   *first_leaf;		/* by box and attribute */
	uint32	   *leaves;
	int16	   *level;			/* of a recoding's label, or -1: a range that
								 * is no label of min_level */

	/* once they are labelled */
	uint32	   *codes;			/* by box and attribute */
	uint32	   *nlabels;		/* by attribute */
	const char ***labels;		/* by attribute and code; NULL for null */
} Classes;

/* Where a class's values of an attribute are, by box and attribute. */
static inline Size
class_at(const Classes *classes, uint32 class, int a)
{
	return (Size) classes->box_of[class] * classes->population->nattrs + a;
}

/* The loss of a person in a class for an attribute. */
static inline uint32
class_lost(const Classes *classes, uint32 class, int a)
{
	Size		at = class_at(classes, class, a);

	return leaves_lost(classes->population->attrs[a].hierarchy, classes->first_leaf[at], classes->leaves[at]);
}

/* Creates classes of a number of tuples, one box each, which the caller sets. */
extern Classes *classes_create(const Population *population, const TupleTable *tuples, uint32 n);

/*
 * The classes of a node or cuts, in the order of their first tuples; they are
 * counted.  The tuples are those of a finer node, or the population's if that
 * is NULL.
 */
extern Classes *classes_of_node(const Population *population, const TupleTable *tuples, Recodings finer, Recodings node);

/* Two tuples of a class that no label of an attribute covers. */
typedef struct ClassFault
{
	uint32		tuple;
	uint32		other;			/* the first of the class */
	int			attr;
} ClassFault;

/*
 * The classes of a recoding, given by tuple, or NO_CLASS or NEW_TUPLE, which are
 * in none; their numbers may be any below a bound.  Classes with the same boxes become one, numbered by their first
 * tuples.  Returns NULL if no label covers a class.
 */
extern Classes *classes_of_recoding(const Population *population, const uint32 *class_of, uint32 nclasses,
									RecodingLabels labels, ClassFault *fault);

/* Counts the classes' rows and values, unless they have been counted. */
extern void classes_count(Classes *classes);

/* Collects the histograms of chosen classes for a column, of those in none at n; returns their number. */
extern uint32 classes_slices(const Classes *classes, const bool *chosen, int column, uint32 *slices);

/*
 * Gives classes new numbers below n; NO_CLASS hides one.  Classes with the same
 * number become one.  They are then no longer counted.
 */
extern void classes_renumber(Classes *classes, const uint32 *number, uint32 n);

/*
 * Hides the classes that break a promise.  Their people are starred if they may
 * be, and keep the promise as one class; otherwise they are suppressed.  The
 * classes have been counted.
 */
extern void classes_hide(Classes *classes, const Promise *promise, bool star);

/*
 * Instead, if something is promised about several rows of a person: leaves people
 * out because some of their rows would single them out, and hides the classes
 * of which nobody is left.  Nobody is starred: of a person, one row would be a
 * star, and another not.
 */
extern void classes_leave_out(Classes *classes, const Promise *promise);

/* Makes the starred people a class, whose box is everything. */
extern void classes_add_starred(Classes *classes);

/* Measures classes, which need not have been counted. */
extern void classes_measure(Classes *classes, const Promise *promise, Measures *result);

/* The loss of a person in a class: the mean over the attributes, as GLM has it. */
extern double class_loss(const Classes *classes, uint32 class);

#endif
