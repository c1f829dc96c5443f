/*
 * names.h
 *	  Names of enumeration values, as written in SQL.
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

#endif
