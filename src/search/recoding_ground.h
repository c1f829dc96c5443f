/*
 * recoding_ground.h
 *	  The tuples that a search for a recoding works on, and the loss of boxes
 *	  of them.
 */
#ifndef ANONOPT_RECODING_GROUND_H
#define ANONOPT_RECODING_GROUND_H

#include "search/recoding.h"

#define NO_TUPLE PG_UINT32_MAX

/* One attribute: codes are the numbers of its values among the tuples, in the order of the domain. */
typedef struct Axis
{
	uint32		ncodes;
	int			nlevels;		/* from min_level up */
	uint32	  **label;			/* by level and code */
	int32	  **level_loss;		/* by level and code: loss per person of its
								 * label */
	uint32	   *first;			/* by code: the first and last leaf under it */
	uint32	   *last;
	const Hierarchy *hierarchy;
	double		unit;			/* cost per person of a leaf, or a unit of
								 * width */
	int32		whole;			/* cost per person of all leaves */
	int32		most;			/* the total loss of a person */
	int			allowed;		/* number of levels up to max_level */
	int32	   *table;			/* by two codes, if there are few: the loss of
								 * showing them and all between */
	uint8	  **climb;			/* by power of two and code: the level that
								 * merges that many neighbours */
} Axis;

/* Tuples in an order in which neighbours are similar. */
typedef struct Ground
{
	const RecodingOrder *order;
	MemoryContext context;
	int			nattrs;
	int			ncolumns;		/* whose histograms matter */
	uint32		ntuples;
	uint32	   *tuple;			/* number in the population */
	uint32	   *rank;			/* position among the given tuples */
	uint32	   *codes;			/* nattrs per tuple */
	int64	   *people;
	Axis	   *axes;
	int64		suppressed_loss;	/* of a suppressed person */
	int64		whole_loss;		/* of a person, reported as 1 */
	int64		size_unit;		/* cost of each pair of members of a class,
								 * for dcn */
	int64		minority_unit;	/* cost of a person outside the majority, for
								 * cm */
	int64		smallest;		/* least number of people of a class */
	bool		compares_shares;	/* a promise does, so that no size is
									 * enough */
	struct OutsideBoxes *outside;	/* people outside, if labels must match
									 * some, or NULL */
	int64		least_outside;	/* how many */
} Ground;

/* Creates the ground of some tuples of a population. */
extern Ground *ground_create(const RecodingOrder *order, MemoryContext context, const uint32 *tuples, uint32 ntuples);

/* Reorders the tuples: order[i] becomes tuple i. */
extern void ground_reorder(Ground *ground, const uint32 *order);

/* The loss of showing distant codes alike. */
extern int32 axis_span_far(const Axis *axis, uint32 low, uint32 high);

/* The loss of a person if all codes from low to high are shown alike. */
static inline int32
axis_span(const Axis *axis, uint32 low, uint32 high)
{
	if (axis->table != NULL)
		return axis->table[(Size) low * axis->ncodes + high];
	return axis_span_far(axis, low, high);
}

static inline const uint32 *
ground_codes(const Ground *ground, uint32 tuple)
{
	return ground->codes + (Size) tuple * ground->nattrs;
}

/*
 * The loss of a number of people as a class, except for costs that depend on
 * counted columns.
 */
static inline int64
size_cost(const Ground *ground, int64 people, int64 loss)
{
	return people * (loss + people * ground->size_unit);
}

/* Their total loss, given a histogram of each column. */
extern int64 class_cost(const Ground *ground, int64 people, int64 loss, const uint32 *slices);

/* Whether the people in a box may form a class. */
extern bool keeps_promise(const Ground *ground, const uint32 *box, int64 people, const uint32 *slices);

/* A box: the lowest code of each attribute, then the highest. */
static inline void
box_of_tuple(const Ground *ground, uint32 tuple, uint32 *box)
{
	memcpy(box, ground_codes(ground, tuple), sizeof(uint32) * ground->nattrs);
	memcpy(box + ground->nattrs, ground_codes(ground, tuple), sizeof(uint32) * ground->nattrs);
}

static inline void
box_extend(const Ground *ground, uint32 *box, const uint32 *other)
{
	int			n = ground->nattrs;

	for (int a = 0; a < n; a++)
		box[a] = Min(box[a], other[a]);
	for (int a = n; a < 2 * n; a++)
		box[a] = Max(box[a], other[a]);
}

/* The loss of a person in a box. */
static inline int64
box_loss(const Ground *ground, const uint32 *box)
{
	int64		loss = 0;

	for (int a = 0; a < ground->nattrs; a++)
		loss += axis_span(&ground->axes[a], box[a], box[ground->nattrs + a]);
	return loss;
}

/* The same for the box around two boxes. */
static inline int64
joint_loss(const Ground *ground, const uint32 *box, const uint32 *other)
{
	int			n = ground->nattrs;
	int64		loss = 0;

	for (int a = 0; a < n; a++)
		loss += axis_span(&ground->axes[a], Min(box[a], other[a]), Max(box[n + a], other[n + a]));
	return loss;
}

#endif
