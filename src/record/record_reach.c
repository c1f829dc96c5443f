/*
 * record_reach.c
 *	  What the completions of some chosen levels can reach at best.
 *
 * The people who match the labels chosen are bounded by nothing but those
 * labels, since further labels can only reduce them.  Weight and utility of
 * the other attributes are bounded by the best labels that occur there, of
 * any tuple.  Bounds are summed in another order than what they bound: SLACK.
 */
#include "record/record_parts.h"

#include <float.h>
#include <math.h>

#include "base/budget.h"

#define SLACK 1e-9

/* The least and the most by which owners multiply an attribute's weights. */
typedef struct OwnerRange
{
	double		least;
	double		most;
} OwnerRange;

static OwnerRange
owner_range(const RecordRun *run, int a)
{
	OwnerRange	range = {1, 1};
	uint32		ntuples = run->population->tuples->ntuples;

	if (run->model->owners == NULL || ntuples == 0)
		return range;
	range.least = range.most = run->model->owners[a];
	for (uint32 i = 1; i < ntuples; i++)
	{
		double		owner = run->model->owners[(Size) i * run->population->nattrs + a];

		range.least = Min(range.least, owner);
		range.most = Max(range.most, owner);
	}
	return range;
}

/* Adds a depth's most utility and weight to those of the next. */
static void
add_most(Reach *reach, int depth, const bool *occurs, OwnerRange owners)
{
	const RecordModel *model = reach->run->model;
	int			a = reach->order[depth];
	int			lowest = reach->run->population->attrs[a].min_level;
	double		gain = 0;
	double		weight = 0;

	for (uint32 leaf = 0; leaf < reach->run->population->attrs[a].hierarchy->nleaves; leaf++)
	{
		if (!occurs[leaf])
			continue;
		gain = Max(gain, model->gain[a][lowest][leaf]);
		weight = Max(weight, model->weight[a][lowest][leaf]);
	}
	reach->most_utility[depth] = reach->most_utility[depth + 1] + gain;
	reach->most_weight[depth] = reach->most_weight[depth + 1] + weight * owners.most;
}

/* Tabulates the least weight of a depth and the later ones. */
static void
tabulate_weights(Reach *reach, int depth, const bool *occurs, OwnerRange owners)
{
	const RecordModel *model = reach->run->model;
	int			a = reach->order[depth];
	const Attribute *attr = &reach->run->population->attrs[a];
	double	   *here = reach->least_weight[depth];
	const double *next = reach->least_weight[depth + 1];

	for (int bin = 0; bin <= REACH_BINS; bin++)
		here[bin] = HUGE_VAL;
	for (int level = attr->min_level; level <= attr->max_level; level++)
	{
		double		last_weight = -1;
		int			last_bins = -1;

		for (uint32 leaf = 0; leaf < attr->hierarchy->nleaves; leaf++)
		{
			double		weight = model->weight[a][level][leaf] * owners.least;
			int			bins = reach->bin > 0 ? (int) Min(ceil(model->gain[a][level][leaf] / reach->bin * (1 + SLACK)), REACH_BINS) : 0;

			if (!occurs[leaf] || (weight == last_weight && bins == last_bins))
				continue;
			last_weight = weight;
			last_bins = bins;
			for (int bin = 0; bin <= REACH_BINS; bin++)
				here[bin] = Min(here[bin], weight + next[Max(bin - bins, 0)]);
		}
	}
}

Reach *
reach_create(const RecordRun *run)
{
	Reach	   *reach = palloc0(sizeof(Reach));
	const Attribute *attrs = run->population->attrs;
	int			nattrs = run->population->nattrs;
	bool	   *occurs[MAX_ATTRIBUTES]; /* by depth and leaf */

	reach->run = run;
	/* levels add up without rounding */
	reach->utility_slack = counts_levels(run->model->utility) ? 0 : SLACK;

	/* attributes with many labels first: they separate entries best */
	for (int a = 0; a < nattrs; a++)
	{
		int			place = a;

		for (; place > 0 && attrs[reach->order[place - 1]].hierarchy->nleaves < attrs[a].hierarchy->nleaves; place--)
			reach->order[place] = reach->order[place - 1];
		reach->order[place] = a;
	}
	reach->least_weight = palloc0(sizeof(*reach->least_weight) * (nattrs + 1));
	for (int bin = 1; bin <= REACH_BINS; bin++)
		reach->least_weight[nattrs][bin] = HUGE_VAL;
	for (int depth = nattrs - 1; depth >= 0; depth--)
	{
		int			a = reach->order[depth];

		occurs[depth] = budget_alloc_zero(sizeof(bool), (Size) run->population->attrs[a].hierarchy->nleaves + 1);
		for (uint32 i = 0; i < run->population->tuples->ntuples; i++)
			occurs[depth][leaves_of(run, i)[a]] = true;
		add_most(reach, depth, occurs[depth], owner_range(run, reach->order[depth]));
	}
	reach->bin = reach->most_utility[0] / REACH_BINS;
	if (counts_levels(run->model->utility))
		reach->bin = Max(reach->bin, 1);
	for (int depth = nattrs - 1; depth >= 0; depth--)
	{
		tabulate_weights(reach, depth, occurs[depth], owner_range(run, reach->order[depth]));
		pfree(occurs[depth]);
	}
	return reach;
}

double
chosen_weight(const Reach *reach, int depth, uint32 tuple, const int *levels)
{
	const uint32 *leaves = leaves_of(reach->run, tuple);
	double		weight = 0;

	for (int i = 0; i < depth; i++)
		weight += label_weight(reach->run->model, tuple, leaves, reach->order[i], levels[reach->order[i]]);
	return weight;
}

double
chosen_utility(const Reach *reach, int depth, uint32 tuple, const int *levels)
{
	const uint32 *leaves = leaves_of(reach->run, tuple);
	double		utility = reach->run->model->base;

	for (int i = 0; i < depth; i++)
		utility += reach->run->model->gain[reach->order[i]][levels[reach->order[i]]][leaves[reach->order[i]]];
	return utility;
}

/* The least weight of the attributes not chosen that have some utility. */
static double
least_weight(const Reach *reach, int depth, double utility)
{
	if (utility <= 0 || reach->bin <= 0)
		return reach->least_weight[depth][0];
	return reach->least_weight[depth][(int) Min(utility / reach->bin * (1 - SLACK), REACH_BINS)];
}

/* A lower bound of the risk of completions. */
static double
least_risk(const Reach *reach, int depth, double weight, double utility, double risk_of_one)
{
	const RecordSearch *search = reach->run->search;
	RiskModel	model = reach->run->model->risk;
	double		least = 1;		/* the weight with the least risk, if weight
								 * matters */
	double		risk;

	if (model == RISK_ENTROPY)
		least = weight + reach->most_weight[depth];
	else if (model == RISK_SENSITIVITY)
		least = weight + least_weight(reach, depth, search->goal == GOAL_LEAST_RISK ? search->bound - utility : 0);
	risk = least * risk_of_one;
	/* a logarithm of at most 44 makes the risk of a dictionary infinite */
	if (model == RISK_ENTROPY && least > DBL_MAX / 64)
		return -HUGE_VAL;
	/* 1 over a number is exact */
	if (isinf(risk) || (model == RISK_IDENTITY && reach->run->nmatches == 1))
		return risk;
	/* tiny risks have fewer digits */
	return risk - SLACK * fabs(risk) - DBL_MIN;
}

Prospect
prospect_of(const Reach *reach, int depth, double weight, double utility, double risk_of_one)
{
	const RecordSearch *search = reach->run->search;
	Prospect	prospect = {.possible = true};

	prospect.utility = utility + reach->most_utility[depth];
	prospect.utility += reach->utility_slack * (1 + fabs(prospect.utility));
	prospect.risk = least_risk(reach, depth, weight, utility, risk_of_one);
	if (search->goal == GOAL_LEAST_RISK)
		prospect.possible = prospect.utility >= search->bound;
	else if (search->goal == GOAL_MOST_UTILITY)
		prospect.possible = prospect.risk <= search->bound + SLACK * (1 + fabs(search->bound));
	else
		prospect.risk -= SLACK * (1 + fabs(search->bound));
	return prospect;
}
