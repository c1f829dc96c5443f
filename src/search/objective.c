/*
 * objective.c
 *	  Objectives: the measures that a search maximizes or minimizes.
 */
#include "search/objective.h"

#include <math.h>

static const char *const names[OWN_OBJECTIVES] = {
	[OBJECTIVE_K] = "k",
	[OBJECTIVE_L] = "l",
	[OBJECTIVE_ENTROPY_L] = "entropy_l",
	[OBJECTIVE_T] = "t",
	[OBJECTIVE_SUPPRESSED] = "suppressed",
	[OBJECTIVE_CLASSES] = "classes",
	[OBJECTIVE_GLM] = "glm",
	[OBJECTIVE_NWP] = "nwp",
	[OBJECTIVE_DCN] = "dcn",
	[OBJECTIVE_CM] = "cm",
	[OBJECTIVE_NECD] = "necd",
	[OBJECTIVE_SUM_K] = "sum_k",
	[OBJECTIVE_SUM_L] = "sum_l",
	[OBJECTIVE_SUM_OTHER] = "sum_other"
};

static const bool rises[OWN_OBJECTIVES] = {
	[OBJECTIVE_K] = true,
	[OBJECTIVE_L] = true,
	[OBJECTIVE_ENTROPY_L] = true,
	[OBJECTIVE_SUM_K] = true,
	[OBJECTIVE_SUM_L] = true,
	[OBJECTIVE_SUM_OTHER] = true
};

int
objective_model(Objective objective)
{
	return objective < OWN_OBJECTIVES ? -1 : (int) objective - OWN_OBJECTIVES;
}

bool
is_objective(int objective)
{
	return objective < OWN_OBJECTIVES || models[objective - OWN_OBJECTIVES]->is_measure;
}

int
objective_by_name(const char *name)
{
	for (int objective = 0; objective < OBJECTIVES; objective++)
		if (is_objective(objective) && strcmp(objective_name((Objective) objective), name) == 0)
			return objective;
	return -1;
}

const char *
objective_name(Objective objective)
{
	return objective < OWN_OBJECTIVES ? names[objective] : models[objective - OWN_OBJECTIVES]->name;
}

bool
objective_rises(Objective objective)
{
	return objective < OWN_OBJECTIVES ? rises[objective] : models[objective - OWN_OBJECTIVES]->least_counts;
}

/* The measure itself. */
static double
measure_of(Objective objective, const Measures *m)
{
	switch (objective)
	{
		case OBJECTIVE_K:
			return (double) m->k;
		case OBJECTIVE_L:
			return (double) m->l;
		case OBJECTIVE_ENTROPY_L:
			return m->entropy_l;
		case OBJECTIVE_T:
			return m->t;
		case OBJECTIVE_SUPPRESSED:
			return (double) m->suppressed;
		case OBJECTIVE_CLASSES:
			return (double) m->classes;
		case OBJECTIVE_GLM:
			return m->glm;
		case OBJECTIVE_NWP:
			return m->nwp;
		case OBJECTIVE_DCN:
			return m->dcn;
		case OBJECTIVE_CM:
			return m->cm;
		case OBJECTIVE_NECD:
			return m->necd;
		case OBJECTIVE_SUM_K:
			return m->sum_k;
		case OBJECTIVE_SUM_L:
			return m->sum_l;
		case OBJECTIVE_SUM_OTHER:
			return m->sum_other;
		default:
			return m->figures[objective_model(objective)];
	}
}

/* Whether a measure is NULL if no class remains. */
static bool
needs_classes(Objective objective)
{
	return objective == OBJECTIVE_K || objective == OBJECTIVE_L || objective == OBJECTIVE_ENTROPY_L ||
		objective == OBJECTIVE_T || objective == OBJECTIVE_NECD || objective_model(objective) >= 0;
}

double
objective_cost(Objective objective, const Measures *measures)
{
	double		value;

	if (measures->classes == 0 && needs_classes(objective))
		return HUGE_VAL;
	value = measure_of(objective, measures);
	return objective_rises(objective) ? -value : value;
}
