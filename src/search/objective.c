/*
 * objective.c
 *	  Objectives: the measures that a search maximizes or minimizes.
 */
#include "search/objective.h"

#include <math.h>

/* An objective of all models: its name, and where its measure is in Measures. */
typedef struct OwnObjective
{
	const char *name;
	Size		offset;
	bool		is_count;		/* an int64, not a double */
	bool		rises;
	bool		needs_classes;	/* it is NULL if no class remains */
	bool		is_spread;
	ObjectiveColumns columns;
} OwnObjective;

#define COUNT(field) .offset = offsetof(Measures, field),.is_count = true
#define FIGURE(field) .offset = offsetof(Measures, field)

static const OwnObjective own[OWN_OBJECTIVES] = {
	[OBJECTIVE_K] = {"k", COUNT(k),.rises = true,.needs_classes = true},
	[OBJECTIVE_L] = {"l", COUNT(l),.rises = true,.needs_classes = true,.columns = OF_SENSITIVE_COLUMNS},
	[OBJECTIVE_ENTROPY_L] = {"entropy_l", FIGURE(entropy_l),.rises = true,.needs_classes = true,.columns = OF_SENSITIVE_COLUMNS},
	[OBJECTIVE_T] = {"t", FIGURE(t),.needs_classes = true,.columns = OF_SENSITIVE_COLUMNS},
	[OBJECTIVE_SUPPRESSED] = {"suppressed", COUNT(suppressed)},
	[OBJECTIVE_CLASSES] = {"classes", COUNT(classes)},
	[OBJECTIVE_GLM] = {"glm", FIGURE(glm)},
	[OBJECTIVE_NWP] = {"nwp", FIGURE(nwp)},
	[OBJECTIVE_DCN] = {"dcn", FIGURE(dcn)},
	[OBJECTIVE_CM] = {"cm", FIGURE(cm),.columns = OF_CLASS_LABEL},
	[OBJECTIVE_NECD] = {"necd", FIGURE(necd),.needs_classes = true},
	[OBJECTIVE_SUM_K] = {"sum_k", FIGURE(sum_k),.rises = true},
	[OBJECTIVE_SUM_L] = {"sum_l", FIGURE(sum_l),.rises = true,.columns = OF_SENSITIVE_COLUMNS},
	[OBJECTIVE_SUM_OTHER] = {"sum_other", FIGURE(sum_other),.rises = true,.columns = OF_SENSITIVE_COLUMNS},
	[OBJECTIVE_GINI] = {"gini", FIGURE(gini),.needs_classes = true,.is_spread = true},
	[OBJECTIVE_BELOW_2K] = {"below_2k", FIGURE(below_2k),.needs_classes = true,.is_spread = true},
	[OBJECTIVE_SUM_LN_K] = {"sum_ln_k", FIGURE(sum_ln_k),.rises = true,.is_spread = true}
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
	return objective < OWN_OBJECTIVES ? own[objective].name : models[objective - OWN_OBJECTIVES]->name;
}

bool
objective_is_spread(Objective objective)
{
	return objective < OWN_OBJECTIVES && own[objective].is_spread;
}

bool
objective_rises(Objective objective)
{
	return objective < OWN_OBJECTIVES ? own[objective].rises : models[objective - OWN_OBJECTIVES]->least_counts;
}

ObjectiveColumns
objective_columns(Objective objective)
{
	if (objective < OWN_OBJECTIVES)
		return own[objective].columns;
	return models[objective_model(objective)]->scope == ABOUT_VALUES ? OF_SENSITIVE_COLUMNS : OF_NO_OTHERS;
}

bool
objective_has_columns(Objective objective, const Population *population)
{
	ObjectiveColumns columns = objective_columns(objective);

	if (columns == OF_SENSITIVE_COLUMNS)
		return population->nsensitive > 0;
	return columns != OF_CLASS_LABEL || population->has_label;
}

bool
objective_is_count(Objective objective)
{
	return objective < OWN_OBJECTIVES ? own[objective].is_count : models[objective_model(objective)]->range == RANGE_COUNT;
}

/* Whether enough classes remain for an objective's measure. */
static bool
has_classes(Objective objective, const Measures *measures)
{
	return measures->classes > 0 || (objective < OWN_OBJECTIVES && !own[objective].needs_classes);
}

bool
objective_is_known(Objective objective, const Population *population, const Measures *measures)
{
	if (!has_classes(objective, measures))
		return false;
	if (objective >= OWN_OBJECTIVES)
		return (population->models & MODEL_BIT(objective_model(objective))) != 0;
	return objective_has_columns(objective, population) && (!own[objective].is_spread || population->asks_spread);
}

double
objective_value(Objective objective, const Measures *measures)
{
	const char *at;

	if (objective >= OWN_OBJECTIVES)
		return measures->figures[objective_model(objective)];
	at = (const char *) measures + own[objective].offset;
	return own[objective].is_count ? (double) *(const int64 *) at : *(const double *) at;
}

double
objective_cost(Objective objective, const Measures *measures)
{
	double		value;

	if (!has_classes(objective, measures))
		return HUGE_VAL;
	value = objective_value(objective, measures);
	return objective_rises(objective) ? -value : value;
}

void
objectives_costs(const Objectives *objectives, const Measures *measures, double *costs)
{
	for (int i = 0; i < objectives->n; i++)
		costs[i] = objective_cost(objectives->of[i], measures);
}
