/*
 * record_model.h
 *	  Risk and utility of a generalized record.
 */
#ifndef ANONOPT_RECORD_MODEL_H
#define ANONOPT_RECORD_MODEL_H

#include "engine/population.h"

typedef enum RiskModel
{
	RISK_SENSITIVITY,			/* weight of what is shown, over those it fits */
	RISK_IDENTITY,				/* 1 over those it fits */
	RISK_ENTROPY,				/* weight times ln of that: not monotone */
	RISK_MODELS
} RiskModel;

typedef enum UtilityModel
{
	UTILITY_DEPTH,				/* levels left to climb */
	UTILITY_LEAVES,				/* 1 over the leaves under a label */
	UTILITY_LOG_LEAVES,			/* ln of all leaves over those */
	UTILITY_XIAO_TAO,			/* 1, less a column's (leaves under the label
								 * - 1) over all its leaves */
	UTILITY_LM,					/* 1 a column, less (leaves under the label -
								 * 1) over (all its leaves - 1) */
	UTILITY_MODELS
} UtilityModel;

typedef struct RecordModel
{
	const Population *population;
	RiskModel	risk;
	UtilityModel utility;
	double		base;			/* of utility; gains, which are not negative,
								 * are added */
	double	  **weight[MAX_ATTRIBUTES]; /* by attribute, level and leaf */
	double	  **gain[MAX_ATTRIBUTES];	/* the same, of utility */
	const double *owners;		/* by tuple and attribute: how much that
								 * weighs for its owners; NULL for 1 */
} RecordModel;

/* The model of a name, or -1. */
extern int	risk_by_name(const char *name);
extern int	utility_by_name(const char *name);
extern const char *risk_name(RiskModel risk);
extern const char *utility_name(UtilityModel utility);

/* Makes the tables; leaf_weights by attribute and leaf, owners by tuple and attribute or NULL. */
extern RecordModel *record_model_create(const Population *population, RiskModel risk, UtilityModel utility,
										double *const *leaf_weights, const double *owners);

/* Utility of a record, by its leaves; added in the order of declaration. */
static inline double
record_utility(const RecordModel *model, const uint32 *leaves, const int *levels)
{
	double		utility = model->base;

	for (int a = 0; a < model->population->nattrs; a++)
		utility += model->gain[a][levels[a]][leaves[a]];
	return utility;
}

/* Weight of a label that is shown of a tuple. */
static inline double
label_weight(const RecordModel *model, uint32 tuple, const uint32 *leaves, int a, int level)
{
	double		weight = model->weight[a][level][leaves[a]];

	return model->owners == NULL ? weight : weight * model->owners[(Size) tuple * model->population->nattrs + a];
}

/* Weight of the labels that are shown. */
static inline double
record_weight(const RecordModel *model, uint32 tuple, const uint32 *leaves, const int *levels)
{
	double		weight = 0;

	for (int a = 0; a < model->population->nattrs; a++)
		weight += label_weight(model, tuple, leaves, a, levels[a]);
	return weight;
}

/* Risk, given the weight and how many entries it fits. */
extern double record_risk(RiskModel risk, double weight, int64 matches);

#endif
