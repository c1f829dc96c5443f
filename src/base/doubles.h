/*
 * doubles.h
 *	  A comparison of doubles for qsort.
 */
#ifndef ANONOPT_DOUBLES_H
#define ANONOPT_DOUBLES_H

static inline int
compare_doubles(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return x < y ? -1 : x > y;
}

#endif
