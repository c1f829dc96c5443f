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
	int			known[MAX_ATTRIBUTES];
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

/* People whom something shows, and among whom each is sought. */
typedef struct ShownPeople
{
	const Population *population;
	const TupleTable *tuples;	/* what can be known of them */
	const bool *hidden;			/* by tuple: they are not shown; or NULL */
	Candidates *candidates;		/* NULL: those with the same codes */
	bool		one_to_one;		/* those with the same codes are sought, too,
								 * so nobody has fewer candidates */
} ShownPeople;

/*
 * Those in classes, which stay as they are, by labels or by the values of a
 * class's people, permuted; of a population as it was read.
 */
extern ShownPeople shown_in_classes(const Classes *classes, bool by_values);
extern ShownPeople shown_as_read(const Population *population);

/* The steps that attacks by any so many known columns take; and so many that take some seconds. */
#define ATTACK_EFFORT 1e9

extern double attack_effort(const ShownPeople *shown, int columns);

/*
 * Singling out by any so many known columns: the worst set, and the mean of
 * all; or by one set.
 */
extern AttackFigures attack_single_out(const ShownPeople *shown, int columns, AttackFigures *mean);
extern AttackFigures attack_single_out_by(const ShownPeople *shown, const int *set, int size);

/* Inference of a sensitive column, given its place, by the worst set; or by one. */
extern AttackFigures attack_infer(const ShownPeople *shown, int column, int columns);
extern AttackFigures attack_infer_by(const ShownPeople *shown, int column, const int *set, int size);

#endif
