/*
 * composition.h
 *	  What several releases of one relation tell together.
 */
#ifndef ANONOPT_COMPOSITION_H
#define ANONOPT_COMPOSITION_H

#include "release/release.h"

/*
 * Compares what is to be shown with all that was shown of the relation
 * before; warns or refuses, as anonopt.composition says.
 */
extern void composition_check(Release *release);

/* A content, where it is known, beside the attributes of a population. */
typedef struct PlacedContent
{
	const KnownContent *known;
	Content    *content;
	int			attr_of[MAX_ATTRIBUTES];	/* by attribute of the content: of
											 * the population, or -1 */
	const Recoding **recodings; /* by attribute of the content: how it is
								 * shown, or NULL */
} PlacedContent;

/* Finds a content's attributes among a population's, whose hierarchies are the data set's; population may be NULL. */
extern void content_place(PlacedContent *placed, const Dataset *dataset, const Population *population);

/* Whether every attribute of the content is one of the population's, shown by labels that its hierarchy has. */
extern bool content_is_placed(const PlacedContent *placed);

/* Whether two contents generalize the same columns in the same way. */
extern bool contents_are_alike(const KnownContent *a, const KnownContent *b);

/* People in the smallest group by which two contents differ; 0 for none. */
extern int64 contents_difference(const PlacedContent *a, const PlacedContent *b, const Population *population);

/* What readers of several contents know of each tuple. */
typedef struct Combination
{
	uint32	   *group_of;		/* alike in all of them */
	bool	   *shown;			/* in any of them */
} Combination;

extern Combination combination_begin(const Population *population);

/* Parts what is alike so far by one content more; returns the smallest group of people who are shown anywhere, 0 for none. */
extern int64 combination_add(Combination *combination, const Population *population, const PlacedContent *content);

/*
 * A digest of each leaf, by attribute; and one of a tuple's leaves, of such
 * attributes (NULL for all).  They are the same in every copy of the data.
 */
extern uint64 **leaf_digests(const Population *population);
extern uint64 tuple_digest(const Population *population, const uint64 *const *digests, const int *attrs, int nattrs, uint32 tuple);

extern void composition_define_settings(void);

#endif
