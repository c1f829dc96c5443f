/*
 * names.h
 *	  Names of enumerations, distances, and limits of the whole extension.
 */
#ifndef ANONOPT_NAMES_H
#define ANONOPT_NAMES_H

#include "postgres.h"

/* The value of a name, or -1. */
static inline int
find_name(const char *name, const char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		if (strcmp(name, names[i]) == 0)
			return i;
	return -1;
}

/* --------------------------------------------- the distances of t-closeness */

/* How far one sensitive value is from another, for t-closeness. */
typedef enum Distance
{
	DISTANCE_EQUAL,
	DISTANCE_ORDERED,
	DISTANCE_HIERARCHICAL,
	DISTANCES
} Distance;

/* ------------------------------------------------------------- what losses count */

/* What a label of a quasi-identifier loses, as engine/hierarchy.h computes it. */
typedef enum LossRule
{
	LOSS_LEAVES,				/* the other leaves under it */
	LOSS_OCCURRING,				/* those of them that occur in the data */
	LOSS_RANGE,					/* the width of its leaves, which are ranges */
	LOSS_RULES
} LossRule;

/* ------------------------------------------------------------------- limits */

/* Quasi-identifiers of a data set. */
#define MAX_ATTRIBUTES 64

#endif
