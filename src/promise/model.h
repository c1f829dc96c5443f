/*
 * model.h
 *	  The models of what a release can promise, and a promise.
 *
 * A model says how a promise of it is written and checked, when a class breaks
 * it, how far a class is from breaking it, and what follows for the parts of a
 * class.  Each is one file, with a row in the table of models.c.
 */
#ifndef ANONOPT_MODEL_H
#define ANONOPT_MODEL_H

#include "base/compat.h"

#include <math.h>

/* In the order in which broken promises are listed. */
typedef enum PromiseModel
{
	MODEL_K,
	MODEL_L,
	MODEL_ENTROPY_L,
	MODEL_RECURSIVE_L,
	MODEL_T,
	MODEL_ALPHA,
	MODEL_BETA,
	MODEL_DISCLOSURE,
	MODEL_K_MAP,
	MODEL_PRESENCE,
	MODEL_AVERAGE_RISK,
	MODEL_SHARE_ABOVE,
	MODEL_POSSIBLE,
	MODELS
} PromiseModel;

/* Sets of models. */
#define MODEL_BIT(model) (1u << (model))

/* Of one data set, or of one release. */
#define MAX_PROMISES 256

/* The most that a release has beside: of k, l and t. */
#define GENERAL_PROMISES 3

typedef struct DeclaredPromise
{
	PromiseModel model;
	char	   *column;			/* of a promise about values; NULL for every
								 * sensitive column */
	double		threshold;
	bool		has_c;
	double		c;
	Oid			population;		/* or InvalidOid */
	Oid			population_type;	/* its row type then */
	int			columns_known;	/* of which an attacker knows any so many; 0:
								 * all */
	int			rows_known;		/* of a person, likewise; 0: one */
} DeclaredPromise;

/* What a model requires of the values of one column. */
typedef struct Condition
{
	PromiseModel model;
	double		threshold;
	double		c;				/* of recursive_l; of disclosure: 0 if only
								 * present values count */
} Condition;

/*
 * The most conditions of one column: those declared, and those of an earlier
 * release.
 */
#define MAX_CONDITIONS 16

typedef struct ValueCount
{
	uint32		value;
	int64		count;
} ValueCount;

/* A column's values in a class, and among all people. */
typedef struct ClassValues
{
	int64		size;			/* people, or rows */
	uint32		length;			/* distinct values */
	const ValueCount *entries;
	int64		most;			/* the largest count */
	double		entropy;		/* in nats */
	double		distance;		/* from the distribution over all people */

	int64		people;			/* all */
	const int64 *total;			/* by value */
	uint32		values;			/* distinct values that somebody has */
	const double *surprise;		/* by value: -ln of its share, if a model uses
								 * it */
	bool		lenient;		/* only present values count */
} ClassValues;

/* What a promise is about. */
typedef enum PromiseScope
{
	ABOUT_SIZES,				/* the people of each class */
	ABOUT_VALUES,				/* the values of a column in each class */
	ABOUT_OTHERS,				/* the people of another relation with the
								 * labels of each class */
	ABOUT_BOXES,				/* the tuples under the labels of each class;
								 * no data set declares it */
	ABOUT_ALL					/* all classes together */
} PromiseScope;

/* The range of a threshold or a c. */
typedef enum ThresholdRange
{
	RANGE_COUNT,				/* a whole number from 1 */
	RANGE_FROM_ONE,
	RANGE_POSITIVE,
	RANGE_SHARE,				/* 0 to 1 */
	RANGE_POSITIVE_SHARE,		/* above 0, to 1 */
	RANGE_ZERO_OR_ONE
} ThresholdRange;

/* Figures that are kept for each class, because computing them takes long. */
#define KEPT_FIGURES 2

typedef struct Model
{
	const char *name;
	PromiseScope scope;
	ThresholdRange range;
	bool		is_measure;		/* its figure is a column of nodes, and an
								 * objective */
	double		(*worst) (double people);	/* its largest figure; NULL for 1 */
	bool		more_is_stricter;	/* of thresholds */
	bool		may_know_columns;	/* it may be promised against people who
									 * know any so many columns, */
	bool		may_know_rows;	/* or rows of a person */
	bool		more_keep_it;	/* a class that keeps it does so with more
								 * people */

	/*
	 * What is wrong with its c, as a sentence, if it is out of range, or
	 * above the threshold; a model without the first has no c.
	 */
	const char *c_problem;
	const char *c_beyond_problem;
	ThresholdRange c_range;
	double		default_c;		/* NaN if it must be given */
	bool		more_c_is_stricter;

	/*
	 * The promise in words, a format of its threshold and its c, if they are
	 * not name, sign and threshold.
	 */
	const char *words;

	/*
	 * Of values: whether a class keeps a condition, and if not, the least
	 * number of its rows that are suppressed at every node below; and its
	 * figure, of which the least of all classes counts, or the most.  Without
	 * measure, that is what of_rest says if nothing is suppressed.
	 */
	bool		(*keeps) (const ClassValues *values, const Condition *condition, int64 *least);
	double		(*measure) (const ClassValues *values, const Condition *condition);
	bool		least_counts;
	bool		compares_shares;	/* with those among all people, so that no
									 * size is enough */
	bool		needs_rows;		/* as many as the threshold */
	int			kept;			/* place of its figure among those kept, from
								 * 1 */
	bool		needs_surprise;
	bool		may_be_lenient; /* with a c of 0 */

	/*
	 * Of people elsewhere: the figure of a class, given its people and those
	 * elsewhere with its labels; and whether no part of a class with too
	 * small a figure has a larger one.
	 */
	double		(*of_others) (int64 people, int64 others);
	int			place;			/* among such models */
	bool		stays_too_small;
	bool		no_overlaps;	/* of labels of different classes */
	bool		counts_own;		/* people of the class, too */

	/* Of all classes: the people of a class that count. */
	int64		(*of_all) (int64 size, double c);

	/*
	 * A lower bound of the figure of some part of a class, if fewer than all
	 * of its rows may be suppressed.
	 */
	double		(*of_rest) (const ClassValues *values, int64 suppressed);
} Model;

/* Models about people elsewhere. */
#define OTHERS_MODELS 2

extern const Model *const models[MODELS];

extern const Model k_model;
extern const Model l_model;
extern const Model entropy_l_model;
extern const Model recursive_l_model;
extern const Model t_model;
extern const Model alpha_model;
extern const Model beta_model;
extern const Model disclosure_model;
extern const Model k_map_model;
extern const Model presence_model;
extern const Model average_risk_model;
extern const Model share_above_model;
extern const Model possible_model;

static inline const char *
model_name(PromiseModel model)
{
	return models[model]->name;
}

/* The model with a name, or -1; all names that a data set can declare, for a hint. */
extern int	model_by_name(const char *name);
extern char *model_names(void);

/* Whether a model is about people of another relation. */
static inline bool
model_needs_population(PromiseModel model)
{
	return models[model]->scope == ABOUT_OTHERS;
}

/* Whether it limits a figure of all classes together. */
static inline bool
model_limits_all_classes(PromiseModel model)
{
	return models[model]->scope == ABOUT_ALL;
}

/* Whether it is about the tuples that are possible, and such a promise of at least some number. */
static inline bool
model_needs_boxes(PromiseModel model)
{
	return models[model]->scope == ABOUT_BOXES;
}

extern DeclaredPromise promise_of_boxes(int64 possible);

/* The figure of a class's values; only some models need a condition. */
static inline double
model_figure(const Model *model, const ClassValues *values, const Condition *condition)
{
	return model->measure != NULL ? model->measure(values, condition) : model->of_rest(values, 0);
}

/* The largest figure of models for which everybody counts. */
static inline double
all_people(double people)
{
	return people;
}

/* Whether it is promised against people who know any so many columns, or rows of a person. */
static inline bool
promise_is_of_known(const DeclaredPromise *promise)
{
	return promise->columns_known != 0 || promise->rows_known != 0;
}

/* Whether a promise is about the values of a column in each class. */
extern bool promise_is_about(const DeclaredPromise *promise, const char *column);

/* Whether it is k of each class, or about every sensitive column: an argument of a call. */
extern bool promise_is_general(const DeclaredPromise *promise);

/* Whether it needs the number of people with each value, beside the values of each class. */
extern bool promise_needs_values(const DeclaredPromise *promise);

/* What is wrong with a promise by itself, as a sentence; NULL if nothing is. */
extern char *promise_problem(const DeclaredPromise *promise);

/* Whether two promises are of the same model against people who know as much. */
static inline bool
promise_is_of_kind(const DeclaredPromise *promise, const DeclaredPromise *other)
{
	return promise->model == other->model && promise->columns_known == other->columns_known && promise->rows_known == other->rows_known;
}

/*
 * Whether two promises are of such a kind and of the same column; and whether one of two such is at least as strict as the other.
 */
extern bool promise_is_alike(const DeclaredPromise *promise, const DeclaredPromise *other);
extern bool promise_is_stricter(const DeclaredPromise *promise, const DeclaredPromise *other);

/* Why promises, one of which is against people who know rows, cannot be kept together, as a sentence; NULL if they can. */
extern char *rows_known_problem(const DeclaredPromise *promises, int n);

/* A number as it is written in a promise. */
extern char *number_text(double number);

/* What it says of people who know so many columns or rows, " for any 3 columns", or an empty text. */
extern char *known_text(const DeclaredPromise *promise);

/* A promise in words: "alpha <= 0.5". */
extern char *promise_text(const DeclaredPromise *promise);

/* The condition it sets on its column. */
extern Condition promise_condition(const DeclaredPromise *promise);

/* The bounds that a promise about people elsewhere sets a class's figure. */
extern void promise_bounds(const DeclaredPromise *promise, double *least, double *most);

/* What rounding may have added to a share of rows. */
#define ROUNDING 1e-9

/* The least number of rows suppressed if a value's share has an upper limit. */
static inline int64
least_beyond_share(int64 size, int64 count, double share)
{
	if (share >= 1)
		return 0;
	return (int64) Max(ceil(((double) count - share * size) / (1 - share) - ROUNDING * size), 0);
}

/* Up to this many rows, a product of two counts fits into an int64. */
#define NARROW_PEOPLE PG_INT32_MAX

/* p/q of a value, its share in a class divided by that among all people. */
static inline double
ratio_of(const ClassValues *values, const ValueCount *entry, int64 size)
{
	int64		total = values->total[entry->value];

	if (values->people <= NARROW_PEOPLE)
		return (double) (entry->count * values->people) / (double) (total * size);
	return (double) ((int128) entry->count * values->people) / (double) ((int128) total * size);
}

#endif
