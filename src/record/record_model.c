/*
 * record_model.c
 *	  Risk and utility of a generalized record.
 */
#include "record/record_model.h"

#include <math.h>


const char *const risk_names[RISK_MODELS] = {
	[RISK_SENSITIVITY] = "sensitivity",
	[RISK_IDENTITY] = "identity",
	[RISK_ENTROPY] = "entropy"
};

const char *const utility_names[UTILITY_MODELS] = {
	[UTILITY_DEPTH] = "depth",
	[UTILITY_LEAVES] = "leaves",
	[UTILITY_LOG_LEAVES] = "log_leaves",
	[UTILITY_XIAO_TAO] = "xiao_tao",
	[UTILITY_LM] = "lm",
	[UTILITY_PATH] = "path"
};

/* The levels above one at which a label is another: a short branch of a tree repeats a label to be as long as others. */
static int
steps_to_root(const Hierarchy *hierarchy, int level, uint32 label)
{
	uint32		leaf = hierarchy->levels[level].first_leaf[label];
	const char *shown = hierarchy->labels[level][label];
	int			steps = 0;

	while (++level <= hierarchy->height)
	{
		const char *above = hierarchy->labels[level][hierarchy->levels[level].label_of[leaf]];

		if ((shown == NULL) != (above == NULL) || (shown != NULL && strcmp(shown, above) != 0))
			steps++;
		shown = above;
	}
	return steps;
}

static double
gain_of_label(UtilityModel utility, const Hierarchy *hierarchy, int level, uint32 label)
{
	const Recoding *recoding = &hierarchy->levels[level];

	/* those that losses count; widths are no numbers of leaves */
	bool		counts = hierarchy->own_size == 1;
	uint32		leaves = counts ? Max(leaves_size(hierarchy, recoding->first_leaf[label], recoding->leaves[label]), 1) : recoding->leaves[label];
	uint32		all = counts ? Max(leaves_size(hierarchy, 0, hierarchy->nleaves), 1) : hierarchy->nleaves;

	switch (utility)
	{
		case UTILITY_LEAVES:
			return 1.0 / leaves;
		case UTILITY_LOG_LEAVES:
			return log((double) all / leaves);
		case UTILITY_XIAO_TAO:
			return 1 - (leaves - 1.0) / all;
		case UTILITY_LM:
			return all == 1 ? 1 : 1 - (leaves - 1.0) / (all - 1.0);
		case UTILITY_PATH:
			return steps_to_root(hierarchy, level, label);
		default:
			return hierarchy->height - level;
	}
}

/*
 * The weight of a label from those of its children, the labels one level
 * down.  It is never more than a child's, not even by rounding, because a more
 * general label must not appear riskier.
 */
static double
weight_of_parent(const double *children, uint32 nchildren)
{
	double		least = children[0];
	double		sum = 0;

	for (uint32 i = 0; i < nchildren; i++)
	{
		if (children[i] == 0)
			return 0;
		least = Min(least, children[i]);
		sum += 1 / children[i];
	}
	return nchildren == 1 ? least : Min(1 / sum, least);
}

/* Fills an attribute's tables. */
static void
tabulate(RecordModel *model, int a, const double *leaf_weights)
{
	const Population *population = model->population;
	const Hierarchy *hierarchy = population->attrs[a].hierarchy;
	const double *weights = leaf_weights;

	model->weight[a] = palloc(sizeof(double *) * (hierarchy->height + 1));
	model->gain[a] = palloc(sizeof(double *) * (hierarchy->height + 1));
	for (int level = 0; level <= hierarchy->height; level++)
	{
		const Recoding *recoding = &hierarchy->levels[level];

		if (level > 0)
		{
			const Recoding *finer = &hierarchy->levels[level - 1];
			double	   *above = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(double) * ((Size) recoding->nlabels + 1));

			for (uint32 label = 0; label < recoding->nlabels; label++)
			{
				uint32		first = finer->label_of[recoding->first_leaf[label]];
				uint32		last = finer->label_of[recoding->first_leaf[label] + recoding->leaves[label] - 1];

				above[label] = weight_of_parent(weights + first, last - first + 1);
			}
			weights = above;
		}
		model->weight[a][level] = population_alloc(population, sizeof(double), (Size) hierarchy->nleaves + 1);
		model->gain[a][level] = population_alloc(population, sizeof(double), (Size) hierarchy->nleaves + 1);
		for (uint32 leaf = 0; leaf < hierarchy->nleaves; leaf++)
		{
			uint32		label = recoding->label_of[leaf];

			/* a label that covers the whole domain reveals nothing */
			model->weight[a][level][leaf] = recoding->nlabels == 1 ? 0 : weights[label];
			model->gain[a][level][leaf] = gain_of_label(model->utility, hierarchy, level, label);
		}
	}
}

/* The largest weight of a tuple's values for its owners. */
static double
most_weight(const Population *population, const double *most, const double *owners)
{
	double		sum = 0;

	for (int a = 0; a < population->nattrs; a++)
		sum += owners == NULL ? most[a] : most[a] * owners[a];
	return sum;
}

/* Fails if a record's weights do not add up to a finite number. */
static void
check_weights(const Population *population, double *const *leaf_weights, const double *owners)
{
	double		most[MAX_ATTRIBUTES];
	double		sum;

	for (int a = 0; a < population->nattrs; a++)
	{
		most[a] = 0;
		for (uint32 leaf = 0; leaf < population->attrs[a].hierarchy->nleaves; leaf++)
			most[a] = Max(most[a], leaf_weights[a][leaf]);
	}
	sum = most_weight(population, most, NULL);
	for (uint32 i = 0; owners != NULL && i < population->tuples->ntuples; i++)
		sum = Max(sum, most_weight(population, most, owners + (Size) i * population->nattrs));
	if (isinf(sum))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("sum of sensitivity weights is too large")));
}

RecordModel *
record_model_create(const Population *population, RiskModel risk, UtilityModel utility, double *const *leaf_weights,
					const double *owners)
{
	MemoryContext old = MemoryContextSwitchTo(population->context);
	RecordModel *model = palloc0(sizeof(RecordModel));

	model->population = population;
	model->risk = risk;
	model->utility = utility;
	model->base = utility == UTILITY_XIAO_TAO ? 1 - population->nattrs : 0;
	model->owners = owners;
	check_weights(population, leaf_weights, owners);
	for (int a = 0; a < population->nattrs; a++)
		tabulate(model, a, leaf_weights[a]);
	MemoryContextSwitchTo(old);
	return model;
}

double
record_risk(RiskModel risk, double weight, int64 matches)
{
	switch (risk)
	{
		case RISK_IDENTITY:
			return 1.0 / matches;
		case RISK_ENTROPY:
			/* return 0, not -0, if there is no risk */
			return weight * log(1.0 / matches) + 0.0;
		default:
			return weight / matches;
	}
}
