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
	OBJECTIVE_ALPHA,
	OBJECTIVE_BETA,
	OBJECTIVE_DISCLOSURE,
	OBJECTIVE_K_MAP,
	OBJECTIVE_PRESENCE,
	OBJECTIVE_AVERAGE_RISK,
	OBJECTIVES
} Objective;

/* Each at most once. */
#define MAX_OBJECTIVES OBJECTIVES

/* The objective with a name, or -1. */
extern int	objective_by_name(const char *name);
extern const char *objective_name(Objective objective);

/* The model whose measure it is, which must be requested of a population, or -1. */
extern int	objective_model(Objective objective);

/* Whether more of it is better. */
extern bool objective_rises(Objective objective);

/* A node's cost: less is better; a missing measure is worst. */
extern double objective_cost(Objective objective, const Measures *measures);

#endif
