/*
 * measure.h
 *	  Computes the measures of a node from its classes.
 */
#ifndef ANONOPT_MEASURE_H
#define ANONOPT_MEASURE_H

#include "engine/outside.h"

/*
 * What every class must have beside the population's conditions; without
 * either, k follows from the suppression limit.
 */
typedef struct Promise
{
	int64		k;				/* 0 for none */
	int64		limit;			/* people who may be suppressed */
	bool		feasible_only;	/* a node that suppresses more is not
								 * measured: only feasible is set */
	bool		skips_known;	/* k_known is not measured */
	bool		keeps_all;		/* nobody is suppressed, even if classes break
								 * the promise */
} Promise;

typedef struct Measures
{
	int64		k;
	int64		l;
	double		entropy_l;
	double		t;
	int64		suppressed;
	int64		classes;		/* that remain; if 0, there is no k, l, t or
								 * necd */
	double		glm;
	double		nwp;
	double		dcn;
	double		cm;
	double		necd;
	double		sum_k;
	double		sum_l;
	double		sum_other;
	double		gini;			/* these three only if the population requests
								 * them */
	double		below_2k;
	double		sum_ln_k;
	double		figures[MODELS];	/* only if the population requests them */
	int64		k_known;		/* people in the smallest class of any columns
								 * as many as are known; 0: not promised */
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
 * Counts the people outside with the labels of a node's classes, or in the
 * boxes of a recoding's, which is needed before class_breaks; measure does so
 * itself.
 */
extern void measurer_look_outside(Measurer *measurer, Recodings node, const TupleTable *classes);
extern void measurer_look_into_boxes(Measurer *measurer, const struct Classes *classes);

/* Measures a node with given classes. */
extern void measure(Measurer *measurer, Recodings node, const TupleTable *classes, Measures *result);

/*
 * Measures classes that need not be a node's, of one box each; they and the
 * people outside have been counted.
 */
extern void measure_recoding(Measurer *measurer, const struct Classes *classes, Measures *result);

/* Measures any node on its own. */
extern void measure_alone(Measurer *measurer, Recodings node, Measures *result);

/*
 * The size below which a class is suppressed regardless of other promises, if
 * a number of people is suppressed already.
 */
extern int64 size_threshold(Measurer *measurer, const TupleTable *classes, int64 suppressed);

/* Whether anything is promised for which classes are suppressed. */
extern bool promise_given(const Promise *promise, const Population *population);

/*
 * Which classes are hidden, given that size: those that break a promise of their own, and those that are taken
 * with them because of what people know (engine/known_columns.h).
 */
extern void find_hidden(const Measurer *measurer, const TupleTable *classes, int64 threshold, bool *hidden);

/* The models that a class breaks by itself, as bits, given that size. */
extern int	class_breaks(const Measurer *measurer, const TupleTable *classes, uint32 class, int64 threshold);

/* The figure of a model about all classes, given by number, or the first n. */
extern double figure_of_all(const Population *population, const Model *model, double c, const TupleTable *classes, int64 n, const uint32 *numbers);

/* Whether such classes keep the promises about all of them; if not, the model that they break. */
extern bool keeps_limits(const Population *population, const TupleTable *classes, int64 n, const uint32 *numbers, const Model **broken);

/*
 * Whether more rows than may be are those of people whom some of them would
 * single out, at a node and so at every node below.
 */
extern bool leaves_out_too_many(Measurer *m, Recodings node);

/* The least number of people who are suppressed at every node below. */
extern int64 people_doomed(const Measurer *measurer, const TupleTable *classes);

/*
 * The loss of all people for an attribute, given the sum of their losses as
 * leaves_lost counts them.
 */
extern double attribute_loss(const Attribute *attr, int128 lost);

/* NWP, given the sum of (leaves - 1) of each attribute. */
extern double weighted_penalty(const Population *population, const int128 *leaves);

/*
 * The loss of each of a node's attributes, in [0,1] per person, given who was
 * suppressed.
 */
extern void attribute_losses(Measurer *measurer, Recodings node, const TupleTable *classes, double *losses);

#endif
