/*
 * objective.c
 *	  Objectives: the measures that a search maximizes or minimizes.
 */
#include "search/objective.h"

#include <math.h>

#include "base/names.h"

static const char *const names[OBJECTIVES] = {
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
	[OBJECTIVE_SUM_OTHER] = "sum_other",
	[OBJECTIVE_ALPHA] = "alpha",
	[OBJECTIVE_BETA] = "beta",
	[OBJECTIVE_DISCLOSURE] = "disclosure",
	[OBJECTIVE_K_MAP] = "k_map",
	[OBJECTIVE_PRESENCE] = "presence",
	[OBJECTIVE_AVERAGE_RISK] = "average_risk"
};

static const bool rises[OBJECTIVES] = {
	[OBJECTIVE_K] = true,
	[OBJECTIVE_L] = true,
	[OBJECTIVE_ENTROPY_L] = true,
	[OBJECTIVE_SUM_K] = true,
	[OBJECTIVE_SUM_L] = true,
	[OBJECTIVE_SUM_OTHER] = true,
	[OBJECTIVE_K_MAP] = true
};

int
objective_by_name(const char *name)
{
	return find_name(name, names, OBJECTIVES);
}

const char *
objective_name(Objective objective)
{
	return names[objective];
}

int
objective_model(Objective objective)
{
	switch (objective)
	{
		case OBJECTIVE_ALPHA:
			return MODEL_ALPHA;
		case OBJECTIVE_BETA:
			return MODEL_BETA;
		case OBJECTIVE_DISCLOSURE:
			return MODEL_DISCLOSURE;
		case OBJECTIVE_K_MAP:
			return MODEL_K_MAP;
		case OBJECTIVE_PRESENCE:
			return MODEL_PRESENCE;
		case OBJECTIVE_AVERAGE_RISK:
			return MODEL_AVERAGE_RISK;
		default:
			return -1;
	}
}

bool
objective_rises(Objective objective)
{
	return rises[objective];
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
		case OBJECTIVE_ALPHA:
			return m->alpha;
		case OBJECTIVE_BETA:
			return m->beta;
		case OBJECTIVE_DISCLOSURE:
			return m->disclosure;
		case OBJECTIVE_K_MAP:
			return (double) m->k_map;
		case OBJECTIVE_PRESENCE:
			return m->presence;
		case OBJECTIVE_AVERAGE_RISK:
			return m->average_risk;
		default:
			elog(ERROR, "no such objective");
			return 0;
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
	return rises[objective] ? -value : value;
}
