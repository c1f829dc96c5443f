/*
 * jaro.h
 *	  Jaro's similarity of two strings.
 */
#ifndef ANONOPT_JARO_H
#define ANONOPT_JARO_H

#include "postgres.h"

/*
 * The Jaro similarity of two strings of characters, in [0,1]; 1 for two empty
 * ones.
 */
extern double jaro(const uint32 *a, int na, const uint32 *b, int nb);

/* Splits a text in the database's encoding into characters; returns their number. */
extern int	characters_of(const char *string, int length, uint32 **characters);

#endif
