/*
 * recoding_classes.h
 *	  Classes of tuples while they change.
 */
#ifndef ANONOPT_RECODING_CLASSES_H
#define ANONOPT_RECODING_CLASSES_H

#include "search/recoding_ground.h"

typedef struct RecodingClass
{
	uint32		first;			/* of its tuples, linked by next */
	uint32		ntuples;		/* 0: the number is free */
	int64		people;
	int64		loss;			/* per person */
	int64		cost;			/* of all, by the loss that is minimized */
} RecodingClass;

typedef struct Classes
{
	const Ground *ground;
	uint32	   *class_of;		/* by tuple; NO_CLASS: none yet, or suppressed */
	uint32	   *next;			/* by tuple: the next one of its class */
	RecodingClass *classes;
	uint32		nclasses;		/* numbers in use or freed */
	uint32	   *free;			/* freed numbers */
	uint32		nfree;
	int64		cost;			/* of all classes and suppressed people */
	int64		suppressed;		/* people */
	int64		limit;			/* of people who may be suppressed */
	uint32	   *slices;			/* scratch, by column */
	HistogramMark *marks;
} Classes;

extern Classes *classes_create(const Ground *ground);

/* Drops all classes and all suppression. */
extern void classes_clear(Classes *classes);

/*
 * Takes over classes with any numbers, as far as they keep the promise; they
 * are given by tuple, or by rank if ranks are given.
 */
extern void classes_take_over(Classes *classes, const uint32 *class_of, const uint32 *rank);

/* A class without tuples. */
extern uint32 class_add(Classes *classes);

/* Adds a tuple without a class to one; the class must then be settled. */
extern void class_take(Classes *classes, uint32 class, uint32 tuple);

/*
 * Computes a class's loss, once it has its tuples, and whether it keeps the
 * promise.
 */
extern bool class_settle(Classes *classes, uint32 class);

/* Suppresses a tuple without a class, or ends its suppression. */
extern void tuple_suppress(Classes *classes, uint32 tuple);
extern void tuple_reinstate(Classes *classes, uint32 tuple);

/* The box around a class. */
extern void class_box(const Classes *classes, uint32 class, uint32 *box);

/* Dissolves a class; its tuples are then without one. */
extern void class_drop(Classes *classes, uint32 class);

#endif
