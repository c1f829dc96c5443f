/*
 * level_people.h
 *	  The people of a table's classes at every level of one attribute.
 */
#ifndef ANONOPT_LEVEL_PEOPLE_H
#define ANONOPT_LEVEL_PEOPLE_H

#include "engine/population.h"

typedef struct LevelPeople LevelPeople;

/* For tables of a population in which a person may have several rows. */
extern LevelPeople *level_people_create(const Population *population, MemoryContext context);

/* Says that the table has changed. */
extern void level_people_forget(LevelPeople *people);

/*
 * How many different people each class has once an attribute is raised to a
 * level.  The table shows it at its lowest level, as its least significant
 * one; a class is a run of tuples.  Valid until the next call.
 */
extern uint32 *level_people_of(LevelPeople *people, const TupleTable *table, int attr, int level);

#endif
