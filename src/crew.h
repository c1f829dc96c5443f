/*
 * crew.h
 *	  One piece of work on item after item, by this process and by workers.
 */
#ifndef ANONOPT_CREW_H
#define ANONOPT_CREW_H

#include "population.h"

/* What can be done; workers find it by its number. */
typedef enum CrewTask
{
	TASK_MEASURE_NODES,
	TASK_EVALUATE_CUTS,
	CREW_TASKS
} CrewTask;

/* Items and results are plain bytes: they travel through shared memory. */
typedef struct CrewWork
{
	/* what a process prepares once, from the population and an argument */
	void	   *(*begin) (Population *population, const void *argument);
	void		(*work) (void *state, const void *item, void *result);
} CrewWork;

typedef struct Crew Crew;

/* What a search hands to a crew. */
typedef struct CrewOrder
{
	CrewTask	task;
	Population *population;
	const void *argument;
	Size		argument_size;
	Size		item_size;
	Size		result_size;
	int			most_items;		/* a batch */
} CrewOrder;

/* Calls up to so many workers, if they are to be had; without any the work is done here. */
extern Crew *crew_begin(const CrewOrder *order, int workers);

/* Does a batch; results stand in the order of the items. */
extern void crew_do(Crew *crew, int nitems, const void *items, void *results);

/* Sends the workers home; returns how many there were. */
extern int	crew_end(Crew *crew);

#endif
