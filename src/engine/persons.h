/*
 * persons.h
 *	  Which persons have rows in each class: histograms of a column that says
 *	  whose a row is.
 */
#ifndef ANONOPT_PERSONS_H
#define ANONOPT_PERSONS_H

#include "engine/histogram.h"

/* Prepares to count persons, numbered below a number. */
extern Histograms *persons_create(MemoryContext context, const char *name, uint32 npersons);

/* One more row of a person, in the class being made. */
extern void persons_count(Histograms *persons, uint32 person);

/* Ends the class being made; returns its number. */
extern uint32 persons_close(Histograms *persons);

/*
 * Called when all tuples are there, each a class with such a number: lists
 * only those who have rows in several, and numbers the classes anew.  Returns
 * how many persons there are.
 */
extern int64 persons_finish(Histograms *persons, uint32 *numbers, uint32 ntuples);

/* Takes over what another process made, in place of persons_finish. */
extern void persons_resume(Histograms *persons, const uint32 *listed, Size nlisted, const PersonClass *classes, Size nclasses);

/*
 * A class's number says who is in it, where that is one person who is listed.
 * Most classes of a fine node are such.
 */
#define SINGLE_PERSON ((uint32) 1 << 31)

/* How many persons are in a class. */
static inline int64
persons_size(const Histograms *persons, uint32 number)
{
	return number & SINGLE_PERSON ? 1 : persons->classes[number].length;
}

/* The persons of several classes together, more than one. */
extern uint32 persons_join(Histograms *persons, const uint32 *slices, uint32 nslices);

/* How many persons are in classes together, or any number from enough on. */
extern int64 persons_together(Histograms *persons, const uint32 *slices, uint32 nslices, int64 enough);

#endif
