/*
 * node_properties.h
 *	  What a node does to each person: property vectors, by class.
 */
#ifndef ANONOPT_NODE_PROPERTIES_H
#define ANONOPT_NODE_PROPERTIES_H

#include "engine/measure.h"

typedef enum Property
{
	PROPERTY_CLASS_SIZE,
	PROPERTY_SENSITIVE_COUNT,
	PROPERTY_OTHERS_COUNT,
	PROPERTY_LOSS,
	PROPERTY_UTILITY,
	PROPERTY_WEIGHTED_LOSS,
	PROPERTY_WEIGHTED_UTILITY,
	PROPERTIES
} Property;

/* The property of a name, or -1. */
extern int	property_by_name(const char *name);
extern const char *property_name(Property property);

/* Whether a property is about the first sensitive column. */
extern bool property_is_sensitive(Property property);

/* Whether less of a property is better. */
extern bool property_falls(Property property);

/* A node's classes, and what those in them have. */
typedef struct NodeProperties
{
	const Population *population;
	const TupleTable *classes;
	bool	   *suppressed;		/* by class */
	double	   *loss;			/* by class, not suppressed */
	double	   *weighted;		/* the same, weighted as nwp is */
	int64		nsuppressed;	/* people: a class of their own */
	int64		suppressed_people;	/* different ones */
	uint32		suppressed_slice;	/* their sensitive values */
} NodeProperties;

/* In the current memory context; histograms are made where there is a sensitive column. */
extern NodeProperties *node_properties(const Population *population, Measurer *measurer, Recodings node,
									   const TupleTable *classes);

/*
 * The same of any classes: their tuples, NO_CLASS for those that are
 * suppressed, and the leaves under what each shows of each attribute.  What
 * is suppressed is one more class, and its tuples are put into it.
 */
extern NodeProperties *class_properties(const Population *population, Measurer *measurer, uint32 *class_of,
										uint32 nclasses, const uint32 *first_leaf, const uint32 *leaves);

/* The property of a person in a class who has a sensitive value. */
extern double property_of(const NodeProperties *properties, Property property, uint32 class, uint32 value);

/* The best that a person with a sensitive value could have. */
extern double property_best(const Population *population, Property property, uint32 value);

#endif
