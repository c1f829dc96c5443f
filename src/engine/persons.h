/*
 * persons.h
 *	  The persons with rows in each class: histograms of the column that
 *	  identifies persons.
 */
#ifndef ANONOPT_PERSONS_H
#define ANONOPT_PERSONS_H

#include "engine/histogram.h"

/* Prepares to count persons, given a bound of their numbers. */
extern Histograms *persons_create(MemoryContext context, const char *name, uint32 npersons);

/* Adds a row of a person to the current class. */
extern void persons_count(Histograms *persons, uint32 person);

/* Ends the current class; returns its number. */
extern uint32 persons_close(Histograms *persons);

/*
 * Called when all tuples exist, each a class with such a number: keeps only
 * persons with rows in several classes listed, and renumbers the classes.
 * Returns the number of persons.
 */
extern int64 persons_finish(Histograms *persons, uint32 *numbers, uint32 ntuples);

/* Frees who is in each class. */
extern void persons_forget(Histograms *persons);

/* Takes over a copy of another process's persons, instead of persons_finish. */
extern void persons_resume(Histograms *persons, MemoryContext context);

/*
 * The number of a class with a single listed person identifies that person.
 * Most classes of a fine node are such classes.
 */
#define SINGLE_PERSON ((uint32) 1 << 31)

/* The number of persons in a class. */
static inline int64
persons_size(const Histograms *persons, uint32 number)
{
	return number & SINGLE_PERSON ? 1 : persons->classes[number].length;
}

/* The listed persons of a class, and their end. */
static inline const uint32 *
persons_listed(const Histograms *h, uint32 number, uint32 *single, const uint32 **persons)
{
	const PersonClass *class;

	if (number & SINGLE_PERSON)
	{
		*single = number & ~SINGLE_PERSON;
		*persons = single;
		return single + 1;
	}
	class = &h->classes[number];
	*persons = h->listed + class->start;
	return *persons + (class->length - class->alone);
}

/* Classes to prefetch ahead, because their lists are scattered in memory. */
#define PERSONS_AHEAD 8

/* Prefetches data of the next classes: their records, lists and stamps. */
static inline void
persons_look_ahead(const Histograms *h, const uint32 *numbers, uint32 i, uint32 n)
{
	uint32		single;
	const uint32 *person;
	const uint32 *end;

	if (n - i <= 3 * PERSONS_AHEAD)
		return;
	if (!(numbers[i + 3 * PERSONS_AHEAD] & SINGLE_PERSON))
		__builtin_prefetch(&h->classes[numbers[i + 3 * PERSONS_AHEAD]]);
	if (!(numbers[i + 2 * PERSONS_AHEAD] & SINGLE_PERSON))
		__builtin_prefetch(&h->listed[h->classes[numbers[i + 2 * PERSONS_AHEAD]].start]);
	end = persons_listed(h, numbers[i + PERSONS_AHEAD], &single, &person);
	for (end = Min(end, person + PERSONS_AHEAD); person < end; person++)
		__builtin_prefetch(&h->stamps[*person]);
}

/* The merged persons of two or more classes. */
extern uint32 persons_join(Histograms *persons, const uint32 *slices, uint32 nslices);

/* The number of persons in several classes, or any number from enough on. */
extern int64 persons_together(Histograms *persons, const uint32 *slices, uint32 nslices, int64 enough);

/* Number of levels whose runs are counted together. */
#define PERSON_LEVELS 8

/*
 * Counts the persons in each run of classes, for several levels at once.  For
 * each class, the number of levels, from the first on, whose runs begin there
 * is given.  All begin at the first class.
 */
extern void persons_count_runs(Histograms *persons, const uint32 *numbers, uint32 n, const uint8 * begun, int nlevels,
							   uint32 *const *people);

#endif
