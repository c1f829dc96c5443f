/*
 * jaro.h
 *	  How alike two strings are: Jaro's measure.
 */
#ifndef ANONOPT_JARO_H
#define ANONOPT_JARO_H

#include "postgres.h"

/* Jaro similarity of two strings of characters, in [0,1]; two empty ones 1. */
extern double jaro(const uint32 *a, int na, const uint32 *b, int nb);

/* The characters of a text in the database's encoding; returns how many. */
extern int	characters_of(const char *string, int length, uint32 **characters);

#endif
