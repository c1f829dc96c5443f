/*
 * names.h
 *	  Names of an enumeration's values, as SQL writes them.
 */
#ifndef ANONOPT_NAMES_H
#define ANONOPT_NAMES_H

#include "postgres.h"

/* The value that a name stands for, or -1. */
static inline int
find_name(const char *name, const char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		if (strcmp(name, names[i]) == 0)
			return i;
	return -1;
}

#endif
