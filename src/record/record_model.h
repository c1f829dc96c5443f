/*
 * record_model.h
 *	  Risk and utility of a generalized record.
 */
#ifndef ANONOPT_RECORD_MODEL_H
#define ANONOPT_RECORD_MODEL_H

#include "engine/population.h"

typedef enum RiskModel
{
	RISK_SENSITIVITY,			/* weight of the labels shown, divided by the
								 * matching entries */
	RISK_IDENTITY,				/* 1 divided by the matching entries */
	RISK_ENTROPY,				/* weight times ln of that; not monotone */
	RISK_MODELS
} RiskModel;

typedef enum UtilityModel
{
	UTILITY_DEPTH,				/* levels left to climb */
	UTILITY_LEAVES,				/* 1 over the leaves under a label */
	UTILITY_LOG_LEAVES,			/* ln of (all leaves over the leaves under a
								 * label) */
	UTILITY_XIAO_TAO,			/* 1 minus the sum over columns of (leaves
								 * under the label - 1) over all leaves */
	UTILITY_LM,					/* sum over columns of 1 - (leaves under the
								 * label - 1) over (all leaves - 1) */
	UTILITY_PATH,				/* levels left to climb that change the label */
	UTILITY_MODELS
} UtilityModel;

typedef struct RecordModel
{
	const Population *population;
	RiskModel	risk;
	UtilityModel utility;
	double		base;			/* of utility, to which nonnegative gains are
								 * added */
	double	  **weight[MAX_ATTRIBUTES]; /* by attribute, level and leaf */
	double	  **gain[MAX_ATTRIBUTES];	/* by attribute, level and leaf */
	const double *owners;		/* by tuple and attribute: weight of the
								 * attribute for its owners; NULL for 1 */
} RecordModel;

/* Whether it is a whole number, which adds up without rounding. */
static inline bool
counts_levels(UtilityModel utility)
{
	return utility == UTILITY_DEPTH || utility == UTILITY_PATH;
}

/* The names of the models. */
extern const char *const risk_names[RISK_MODELS];
extern const char *const utility_names[UTILITY_MODELS];

/*
 * Builds the tables; leaf_weights is by attribute and leaf, owners by tuple
 * and attribute, or NULL.
 */
extern RecordModel *record_model_create(const Population *population, RiskModel risk, UtilityModel utility,
										double *const *leaf_weights, const double *owners);

/* The utility of a record, given its leaves; added in the order of declaration. */
static inline double
record_utility(const RecordModel *model, const uint32 *leaves, const int *levels)
{
	double		utility = model->base;

	for (int a = 0; a < model->population->nattrs; a++)
		utility += model->gain[a][levels[a]][leaves[a]];
	return utility;
}

/* The weight of a label shown for a tuple. */
static inline double
label_weight(const RecordModel *model, uint32 tuple, const uint32 *leaves, int a, int level)
{
	double		weight = model->weight[a][level][leaves[a]];

	return model->owners == NULL ? weight : weight * model->owners[(Size) tuple * model->population->nattrs + a];
}

/* The weight of the labels shown. */
static inline double
record_weight(const RecordModel *model, uint32 tuple, const uint32 *leaves, const int *levels)
{
	double		weight = 0;

	for (int a = 0; a < model->population->nattrs; a++)
		weight += label_weight(model, tuple, leaves, a, levels[a]);
	return weight;
}

/* The risk, given the weight and the number of matching entries. */
extern double record_risk(RiskModel risk, double weight, int64 matches);

#endif
