/*
 * node_properties.h
 *	  Property vectors of a node, by class.
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

/* The property with a name, or -1. */
extern int	property_by_name(const char *name);
extern const char *property_name(Property property);

/* Whether a property is about the first sensitive column. */
extern bool property_is_sensitive(Property property);

/* Whether less of a property is better. */
extern bool property_falls(Property property);

/* A node's classes, and the properties of the people in them. */
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

/*
 * Allocated in the current memory context; histograms are built if there is a
 * sensitive column.
 */
extern NodeProperties *node_properties(const Population *population, Measurer *measurer, Recodings node,
									   const TupleTable *classes);

/*
 * The same for any classes, given the class of each tuple, NO_CLASS if it is
 * suppressed, and the run of leaves each class shows for each attribute.
 * Suppressed tuples are put into one additional class.
 */
extern NodeProperties *class_properties(const Population *population, Measurer *measurer, uint32 *class_of,
										uint32 nclasses, const uint32 *first_leaf, const uint32 *leaves);

/* The property of a person with a given sensitive value in a class. */
extern double property_of(const NodeProperties *properties, Property property, uint32 class, uint32 value);

/* The best possible property of a person with a given sensitive value. */
extern double property_best(const Population *population, Property property, uint32 value);

#endif
