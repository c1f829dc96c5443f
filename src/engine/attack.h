/*
 * attack.h
 *	  What somebody who knows some columns of people finds out by what is shown of
 *	  them.
 */
#ifndef ANONOPT_ATTACK_H
#define ANONOPT_ATTACK_H

#include "engine/classes.h"

typedef enum AttackKind
{
	ATTACK_SINGLING_OUT,
	ATTACK_LINKAGE,
	ATTACK_INFERENCE,
	ATTACK_REFINEMENT,
	ATTACKS
} AttackKind;

extern const char *const attack_names[ATTACKS];

/* What an attack achieves, as docs/reference/attack.md defines it. */
typedef struct AttackFigures
{
	AttackKind	attack;
	bool		is_mean;		/* over all sets of so many columns */
	int			nknown;
	int			known[MAX_ATTRIBUTES];	/* attributes, and */
	char	  **names;			/* of all columns that are known */
	const char *target;			/* the column that is inferred, a relation, or
								 * any so many columns; or NULL */
	int			nunseen;
	char	  **unseen;			/* further columns, which cannot be compared */
	int			column;			/* that is inferred, or -1 */
	double		people;
	double		certain;
	double		highest;
	double		expected;
	double		baseline;
} AttackFigures;

/*
 * Rows that may be those of a person, if labels overlap: items, of which some
 * fit a code of an attribute.
 */
typedef struct Candidates
{
	const Population *population;	/* whose attributes have the codes */
	const TupleTable *items;	/* with their counts, and histograms */
	uint32		nwords;			/* of bits by item */
	uint64	   *bits[MAX_ATTRIBUTES];	/* by code: the items that fit */
	int			depth;			/* columns combined for the last person */
	uint32		codes[MAX_ATTRIBUTES];	/* by depth: that person's, and */
	uint32		n[MAX_ATTRIBUTES + 1];	/* the words that are not 0: their
										 * number, */
	uint32	   *at[MAX_ATTRIBUTES + 1]; /* places, */
	uint64	   *words[MAX_ATTRIBUTES + 1];	/* and bits */
	uint32		everywhere;		/* the last item if it fits all codes, or
								 * NO_CLASS */
	double		work;			/* nanoseconds so far, more or less */
	uint32		nfound;
	uint32	   *found;			/* items, and */
	uint32	   *slices;			/* their histograms */
} Candidates;

extern Candidates *candidates_create(const Population *population, const TupleTable *items);

/* Lets an item fit a code. */
static inline void
candidate_fits(Candidates *candidates, int a, uint32 code, uint32 item)
{
	candidates->bits[a][(Size) code * candidates->nwords + item / 64] |= UINT64CONST(1) << item % 64;
}

static inline bool
candidate_fitting(const Candidates *candidates, int a, uint32 code, uint32 item)
{
	return (candidates->bits[a][(Size) code * candidates->nwords + item / 64] >> item % 64 & 1) != 0;
}

/*
 * Finds the items that fit codes of a set of columns; the code behind the last
 * is of no leaf, which those fit that fit all.
 */
extern void find_candidates(Candidates *candidates, const int *set, int size, const uint32 *codes);

/* People whom something shows, and among whom each is sought. */
typedef struct ShownPeople
{
	const Population *population;
	const TupleTable *tuples;	/* what can be known of them */
	const bool *hidden;			/* by tuple: they are not shown; or NULL */
	Candidates *candidates;		/* NULL: those with the same codes */
	const bool *guessed;		/* by sensitive column: whether its values are
								 * shown; NULL: all are */
} ShownPeople;

/* Classes, counted, with the one of stars; those given stay as they are. */
extern Classes *classes_counted(const Classes *classes);

/*
 * The people in counted classes.  If labels overlap, none fits a code
 * yet.  Those of a population as it was read.
 */
extern ShownPeople shown_in_classes(const Classes *classes, bool overlaps);
extern ShownPeople shown_as_read(const Population *population);

/* What an attacker knows. */
typedef struct Knowledge
{
	int			columns;		/* any so many columns; or, if it is 0, any
								 * number of them, */
	int			most;			/* up to this, or all */
	int			n;				/* or a set of so many, unless it is -1 */
	int			set[MAX_ATTRIBUTES];
} Knowledge;

/*
 * The nanoseconds, more or less, that singling out by any so many known columns
 * takes; and what is spent at most on all numbers of them.
 */
#define ATTACK_EFFORT 6e9

extern double attack_effort(const ShownPeople *shown, int columns);

/*
 * Attacks people: singling out, and inference of each sensitive column that is
 * shown and not known.  What would take too much effort, or turns out to, is left out, and
 * counted; but never one set that is known.
 */
extern List *attack_people(const ShownPeople *shown, const Knowledge *knowledge, double effort, int *left_out);

/*
 * Adds groups of people shown to figures of linkage, given how many people of
 * another relation or release may be each of them: one by one, since only people
 * with equal labels are sought among these, or each among all.
 */
extern void attack_add_links(AttackFigures *figures, int64 people, int64 others, int64 groups, bool one_by_one);

/* Ends them, given all people of the other side. */
extern void attack_end_links(AttackFigures *figures, int64 others, bool one_by_one);

#endif
