/*
 * objective.c
 *	  What a search is to make large or small.
 */
#include "search/objective.h"

#include <math.h>

static const struct
{
	const char *name;
	bool		rises;
}			objectives[OBJECTIVES] =

{
	[OBJECTIVE_K] = {"k", true},
	[OBJECTIVE_L] = {"l", true},
	[OBJECTIVE_ENTROPY_L] = {"entropy_l", true},
	[OBJECTIVE_T] = {"t", false},
	[OBJECTIVE_SUPPRESSED] = {"suppressed", false},
	[OBJECTIVE_CLASSES] = {"classes", false},
	[OBJECTIVE_GLM] = {"glm", false},
	[OBJECTIVE_NWP] = {"nwp", false},
	[OBJECTIVE_DCN] = {"dcn", false},
	[OBJECTIVE_CM] = {"cm", false},
	[OBJECTIVE_NECD] = {"necd", false},
	[OBJECTIVE_SUM_K] = {"sum_k", true},
	[OBJECTIVE_SUM_L] = {"sum_l", true},
	[OBJECTIVE_SUM_OTHER] = {"sum_other", true}
};

bool
objective_by_name(const char *name, Objective *objective)
{
	for (int i = 0; i < OBJECTIVES; i++)
	{
		if (strcmp(name, objectives[i].name) != 0)
			continue;
		*objective = (Objective) i;
		return true;
	}
	return false;
}

const char *
objective_name(Objective objective)
{
	return objectives[objective].name;
}

bool
objective_rises(Objective objective)
{
	return objectives[objective].rises;
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
			elog(ERROR, "no such objective");
			return 0;
	}
}

/* Whether a measure is NULL where no class remains. */
static bool
needs_classes(Objective objective)
{
	return objective == OBJECTIVE_K || objective == OBJECTIVE_L || objective == OBJECTIVE_ENTROPY_L ||
		objective == OBJECTIVE_T || objective == OBJECTIVE_NECD;
}

double
objective_cost(Objective objective, const Measures *measures)
{
	double		value;

	if (measures->classes == 0 && needs_classes(objective))
		return HUGE_VAL;
	value = measure_of(objective, measures);
	return objectives[objective].rises ? -value : value;
}
