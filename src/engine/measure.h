/*
 * measure.h
 *	  The measures of a node, from its classes.
 */
#ifndef ANONOPT_MEASURE_H
#define ANONOPT_MEASURE_H

#include "engine/population.h"

/* What every class must keep; without any, k follows from the suppression limit. */
typedef struct Promise
{
	bool		has_k;
	bool		has_l;
	bool		has_t;
	int64		k;
	int64		l;
	double		t;
	int64		limit;			/* people who may be suppressed */
	bool		feasible_only;	/* a node that suppresses more is not
								 * measured: only feasible is told of it */
} Promise;

typedef struct Measures
{
	int64		k;
	int64		l;
	double		entropy_l;
	double		t;
	int64		suppressed;
	int64		classes;		/* that remain; where 0, there is no k, l, t
								 * or necd */
	double		glm;
	double		nwp;
	double		dcn;
	double		cm;
	double		necd;
	double		sum_k;
	double		sum_l;
	double		sum_other;
	double		alpha;			/* these only where the population says so */
	double		beta;
	double		disclosure;
	double		average_risk;
	int64		k_map;
	double		presence;
	bool		feasible;
} Measures;

/* A node that a search found. */
typedef struct MeasuredNode
{
	int		   *levels;
	Measures	measures;
} MeasuredNode;

typedef struct Measurer Measurer;

extern Measurer *measurer_create(const Population *population, const Promise *promise);

/*
 * Counts who is outside with the labels of a node's classes, or in the boxes
 * of a recoding's, before classes are asked what they break; measure does so
 * itself.
 */
extern void measurer_look_outside(Measurer *measurer, Recodings node, const TupleTable *classes);
extern void measurer_look_into_boxes(Measurer *measurer, uint32 nclasses, const uint32 *first_leaf, const uint32 *leaves);

/* Measures a node whose classes are given. */
extern void measure(Measurer *measurer, Recodings node, const TupleTable *classes, Measures *result);

/*
 * Measures classes that no node has: the leaves under what each shows of each
 * attribute; so many people are in none.  The boxes have been looked into.
 */
extern void measure_recoding(Measurer *measurer, const TupleTable *classes, const uint32 *first_leaf, const uint32 *leaves, int64 suppressed,
							 Measures *result);

/* Measures any node on its own. */
extern void measure_alone(Measurer *measurer, Recodings node, Measures *result);

/* The size below which a class is suppressed, whatever else it keeps. */
extern int64 size_threshold(Measurer *measurer, const TupleTable *classes);

/* The same, where so many people are suppressed already. */
extern int64 size_threshold_beside(Measurer *measurer, const TupleTable *classes, int64 suppressed);

/* Whether anything is promised, so that classes are suppressed for breaking it. */
extern bool promise_given(const Promise *promise, const Population *population);

/* Which models a class breaks, as bits, given that size. */
extern int	class_breaks(const Measurer *measurer, const TupleTable *classes, uint32 class, int64 threshold);

/*
 * Whether so many classes keep what is promised of all of them together, and
 * their mean risk; by number, or the first so many where that is NULL.
 */
extern bool keeps_limits(const Population *population, const TupleTable *classes, int64 n, const uint32 *numbers,
						 double *risk);

/* People who are suppressed at every node below, at least. */
extern int64 people_doomed(const Measurer *measurer, const TupleTable *classes);

/* What all people lose of an attribute, given the sum of what each loses: leaves beside their own, or widths. */
extern double attribute_loss(const Attribute *attr, int128 lost);

/* NWP, given each attribute's sum of (leaves - 1). */
extern double weighted_penalty(const Population *population, const int128 *leaves);

/* What a node's attribute loses, in [0,1] a person, given what was suppressed. */
extern void attribute_losses(Measurer *measurer, Recodings node, const TupleTable *classes, double *losses);

#endif
