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

/* ------------------------------------------------------------------- limits */

/* Quasi-identifiers of a data set. */
#define MAX_ATTRIBUTES 64

#endif
