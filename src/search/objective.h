/*
 * objective.h
 *	  Objectives: the measures that a search maximizes or minimizes.
 */
#ifndef ANONOPT_OBJECTIVE_H
#define ANONOPT_OBJECTIVE_H

#include "engine/measure.h"

typedef enum Objective
{
	OBJECTIVE_K,
	OBJECTIVE_L,
	OBJECTIVE_ENTROPY_L,
	OBJECTIVE_T,
	OBJECTIVE_SUPPRESSED,
	OBJECTIVE_CLASSES,
	OBJECTIVE_GLM,
	OBJECTIVE_NWP,
	OBJECTIVE_DCN,
	OBJECTIVE_CM,
	OBJECTIVE_NECD,
	OBJECTIVE_SUM_K,
	OBJECTIVE_SUM_L,
	OBJECTIVE_SUM_OTHER,
	OBJECTIVE_GINI,
	OBJECTIVE_BELOW_2K,
	OBJECTIVE_SUM_LN_K,
	OWN_OBJECTIVES,				/* from here on, by model */
	OBJECTIVES = OWN_OBJECTIVES + MODELS
} Objective;

#define MAX_OBJECTIVES 24

/* Several, each at most once. */
typedef struct Objectives
{
	int			n;
	Objective	of[MAX_OBJECTIVES];
} Objectives;

/* The columns that an objective is about, beside the quasi-identifiers. */
typedef enum ObjectiveColumns
{
	OF_NO_OTHERS,
	OF_SENSITIVE_COLUMNS,
	OF_CLASS_LABEL
} ObjectiveColumns;

/* Whether a number is that of an objective: not every model's figure is one. */
extern bool is_objective(int objective);

/* The objective with a name, or -1. */
extern int	objective_by_name(const char *name);
extern const char *objective_name(Objective objective);

/* The model whose measure it is, which must be requested of a population, or -1. */
extern int	objective_model(Objective objective);

/* Whether it is about how unlike classes' sizes are, which must be requested of a population. */
extern bool objective_is_spread(Objective objective);

/* Whether more of it is better. */
extern bool objective_rises(Objective objective);

extern ObjectiveColumns objective_columns(Objective objective);

/* Whether a population has these columns. */
extern bool objective_has_columns(Objective objective, const Population *population);

/*
 * A node's measure, which is a whole number or any; whether it has one: some
 * are of the classes that remain, models' are only on request.
 */
extern double objective_value(Objective objective, const Measures *measures);
extern bool objective_is_count(Objective objective);
extern bool objective_is_known(Objective objective, const Population *population, const Measures *measures);

/* A node's cost: less is better; a missing measure is worst. */
extern double objective_cost(Objective objective, const Measures *measures);
extern void objectives_costs(const Objectives *objectives, const Measures *measures, double *costs);

#endif
