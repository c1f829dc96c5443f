/*
 * level_people.h
 *	  Counts the people of a table's classes at every level of one attribute.
 */
#ifndef ANONOPT_LEVEL_PEOPLE_H
#define ANONOPT_LEVEL_PEOPLE_H

#include "engine/population.h"

typedef struct LevelPeople LevelPeople;

/* For tables of a population in which persons may have several rows. */
extern LevelPeople *level_people_create(const Population *population, MemoryContext context);

/* Must be called when the table has changed. */
extern void level_people_forget(LevelPeople *people);

/*
 * The number of different people in each class after raising an attribute to a
 * level.  In the table, the attribute is at its lowest level and the least
 * significant one; a class is a run of tuples.  Valid until the next call.
 */
extern uint32 *level_people_of(LevelPeople *people, const TupleTable *table, int attr, int level);

#endif
