/*
 * placed_content.h
 *	  Maps stored contents to the current hierarchies.
 */
#ifndef ANONOPT_PLACED_CONTENT_H
#define ANONOPT_PLACED_CONTENT_H

#include "engine/population.h"
#include "release/known_content.h"
#include "release/text_index.h"

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

#endif
