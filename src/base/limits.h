/*
 * limits.h
 *	  Limits.
 */
#ifndef ANONOPT_LIMITS_H
#define ANONOPT_LIMITS_H

/* Quasi-identifiers of a data set. */
#define MAX_ATTRIBUTES 64

#endif
