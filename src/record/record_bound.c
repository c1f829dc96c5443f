/*
 * record_bound.c
 *	  Searches for any goal, tuple by tuple, using bounds.
 *
 * If the lattice is too large for a full pass, a tuple's levels are chosen one
 * attribute after another, and a prefix is abandoned as soon as no extension
 * of it can beat the best answer.  It is bounded by the number of entries that
 * match the labels chosen so far, which further labels can only reduce; by the
 * weight of those labels, and the least weight that the other attributes must
 * show for enough utility; and by all the utility that is left. Bounds are
 * summed in another order than the numbers they bound, hence SLACK.
 *
 * The first answers are random nodes that are just useful enough for some
 * tuple, offered to all tuples.
 */
#include "record/record_bound.h"

#include <math.h>

#include "base/budget.h"
#include "base/prng.h"
#include "base/progress.h"

#define SAMPLES 500
#define SLACK 1e-9

/* Steps of utility in the table of least weights. */
#define BINS 128

/* Entries that match a prefix. */
typedef struct Fitting
{
	uint32		n;
	uint32	   *entries;
	int64		count;
} Fitting;

/* A dictionary, and its matching entries. */
typedef struct NarrowedDictionary
{
	uint32		nentries;
	const uint32 *leaves;		/* nattrs per entry */
	const int64 *counts;
	double		share;
	Fitting		fitting[MAX_ATTRIBUTES + 1];	/* by depth */
} NarrowedDictionary;

typedef struct Bounding
{
	RecordRun  *run;
	int			order[MAX_ATTRIBUTES];	/* attribute of each depth */
	int			ndictionaries;
	NarrowedDictionary *dictionaries;
	int64		steps;

	/* of the current tuple */
	uint32		tuple;
	const uint32 *leaves;
	int			levels[MAX_ATTRIBUTES];
	double		most_utility[MAX_ATTRIBUTES + 1];	/* of this depth and later
													 * ones */
	double		most_weight[MAX_ATTRIBUTES + 1];
	double		bin;			/* utility of one */
	double		least_weight[MAX_ATTRIBUTES + 1][BINS + 1]; /* with at least this
															 * many bins */
} Bounding;

static double
least_weight(const Bounding *b, int depth, double utility)
{
	if (utility <= 0 || b->bin <= 0)
		return b->least_weight[depth][0];
	return b->least_weight[depth][(int) Min(utility / b->bin * (1 - SLACK), BINS)];
}

/* Tabulates the least weight of the depths from a given one on, backwards. */
static void
tabulate(Bounding *b)
{
	const RecordModel *model = b->run->model;
	int			nattrs = b->run->population->nattrs;

	b->most_utility[nattrs] = b->most_weight[nattrs] = 0;
	for (int bin = 0; bin <= BINS; bin++)
		b->least_weight[nattrs][bin] = bin == 0 ? 0 : HUGE_VAL;
	for (int depth = nattrs - 1; depth >= 0; depth--)
	{
		int			a = b->order[depth];
		int			lowest = b->run->population->attrs[a].min_level;

		b->most_utility[depth] = b->most_utility[depth + 1] + model->gain[a][lowest][b->leaves[a]];
		b->most_weight[depth] = b->most_weight[depth + 1] + label_weight(model, b->tuple, b->leaves, a, lowest);
	}
	b->bin = b->most_utility[0] / BINS;
	for (int depth = nattrs - 1; depth >= 0; depth--)
	{
		const Attribute *attr = &b->run->population->attrs[b->order[depth]];

		for (int bin = 0; bin <= BINS; bin++)
			b->least_weight[depth][bin] = HUGE_VAL;
		for (int level = attr->min_level; level <= attr->max_level; level++)
		{
			double		weight = label_weight(model, b->tuple, b->leaves, b->order[depth], level);
			double		gain = model->gain[b->order[depth]][level][b->leaves[b->order[depth]]];
			int			bins = b->bin > 0 ? (int) Min(ceil(gain / b->bin * (1 + SLACK)), BINS) : 0;

			for (int bin = 0; bin <= BINS; bin++)
				b->least_weight[depth][bin] = Min(b->least_weight[depth][bin],
												  weight + b->least_weight[depth + 1][Max(bin - bins, 0)]);
		}
	}
}

/* The weight for which the extensions of a prefix have the least risk. */
static double
weight_of_least_risk(const Bounding *b, int depth, double weight, double utility)
{
	const RecordSearch *search = b->run->search;

	switch (b->run->model->risk)
	{
		case RISK_IDENTITY:
			return 0;
		case RISK_ENTROPY:
			return weight + b->most_weight[depth];
		default:
			return weight + least_weight(b, depth, search->goal == GOAL_LEAST_RISK ? search->bound - utility : 0);
	}
}

/*
 * The risk at a complete node, or a lower bound for a prefix, given the
 * matching entries.
 */
static double
mean_risk(const Bounding *b, int depth, double weight)
{
	RiskModel	model = b->run->model->risk;
	double		risk = 0;

	if (b->ndictionaries == 1)
		return record_risk(model, weight, Max(b->dictionaries[0].fitting[depth].count, 1));
	for (int i = 0; i < b->ndictionaries; i++)
		risk += b->dictionaries[i].share * record_risk(model, weight, Max(b->dictionaries[i].fitting[depth].count, 1));
	return risk;
}

/* A lower bound of the risk of a prefix's extensions. */
static double
least_risk(const Bounding *b, int depth, double weight, double utility)
{
	double		risk = mean_risk(b, b->run->search->similarity > 0 ? 0 : depth,
								 weight_of_least_risk(b, depth, weight, utility));

	return risk - SLACK * fabs(risk);
}

/* Whether no extension of a prefix can be the answer. */
static bool
is_hopeless(const Bounding *b, int depth, double weight, double utility)
{
	const RecordSearch *search = b->run->search;
	const RecordAnswer *answer = answer_of(search, b->tuple);
	double		most = utility + b->most_utility[depth];
	double		risk = least_risk(b, depth, weight, utility);
	double		slack;

	most += SLACK * (1 + fabs(most));
	slack = SLACK * (1 + fabs(search->bound));
	switch (search->goal)
	{
		case GOAL_MOST_UTILITY:
			return risk > search->bound + slack || (answer->found && most < answer->utility);
		case GOAL_BALANCE:
			return answer->found &&
				risk - search->bound * most - slack > answer->risk - search->bound * answer->utility;
		default:
			if (most < search->bound)
				return true;
			return answer->found && (risk > answer->risk || (risk == answer->risk && most < answer->utility));
	}
}

/* Keeps the entries of a dictionary that also match the next label. */
static void
narrow_dictionary(const Bounding *b, NarrowedDictionary *dictionary, int depth, int a, int level)
{
	const Recoding *recoding = &b->run->population->attrs[a].hierarchy->levels[level];
	int			nattrs = b->run->population->nattrs;
	uint32		label = recoding->label_of[b->leaves[a]];
	const Fitting *from = &dictionary->fitting[depth];
	Fitting    *to = &dictionary->fitting[depth + 1];

	to->n = 0;
	to->count = 0;
	for (uint32 i = 0; i < from->n; i++)
	{
		uint32		entry = from->entries[i];
		uint32		leaf = dictionary->leaves[(Size) entry * nattrs + a];

		if (leaf == NO_LEAF ? recoding->nlabels > 1 : recoding->label_of[leaf] != label)
			continue;
		to->entries[to->n++] = entry;
		to->count += dictionary->counts[entry];
	}
}

static void
narrow(Bounding *b, int depth, int a, int level)
{
	for (int i = 0; i < b->ndictionaries; i++)
		narrow_dictionary(b, &b->dictionaries[i], depth, a, level);
}

/* Handles a complete node. */
static void
visit(Bounding *b)
{
	RecordRun  *run = b->run;
	double		utility = record_utility(run->model, b->leaves, b->levels);
	double		risk;

	if (run->search->similarity > 0)
	{
		go_to_node(run, b->levels);
		risk = risk_at(run, b->tuple, b->levels);
	}
	else
		risk = mean_risk(b, run->population->nattrs, record_weight(run->model, b->tuple, b->leaves, b->levels));
	answer_of(run->search, b->tuple)->visited++;
	offer_node(run, b->tuple, b->levels, risk, utility);
}

/* Chooses the levels from a depth on, most general first. */
static void
choose_from(Bounding *b, int depth, double weight, double utility)
{
	const RecordRun *run = b->run;
	const Attribute *attr;
	int			a;

	if (depth == run->population->nattrs)
	{
		visit(b);
		return;
	}
	a = b->order[depth];
	attr = &run->population->attrs[a];
	for (int level = attr->max_level; level >= attr->min_level; level--)
	{
		double		chosen = weight + label_weight(run->model, b->tuple, b->leaves, a, level);
		double		useful = utility + run->model->gain[a][level][b->leaves[a]];

		if (++b->steps % 256 == 0 && out_of_time(b->run))
			return;
		b->levels[a] = level;
		if (run->search->similarity == 0)
			narrow(b, depth, a, level);
		if (!is_hopeless(b, depth + 1, chosen, useful))
			choose_from(b, depth + 1, chosen, useful);
		if (!run->search->in_time)
			return;
	}
}

static void
prepare_dictionary(const RecordRun *run, const HeldDictionary *held, NarrowedDictionary *dictionary)
{
	const EntryTable *entries = held->entries;
	Size		size;

	dictionary->share = held->share;
	dictionary->nentries = entries != NULL ? entries->nentries : run->population->tuples->ntuples;
	dictionary->leaves = entries != NULL ? entries->leaves : run->leaves;
	dictionary->counts = entries != NULL ? entries->counts : run->population->tuples->counts;
	size = sizeof(uint32) * ((Size) dictionary->nentries + 1);
	budget_require(run->population->context, size * (run->population->nattrs + 1));
	for (int depth = 0; depth <= run->population->nattrs; depth++)
		dictionary->fitting[depth].entries = MemoryContextAllocHuge(CurrentMemoryContext, size);
	dictionary->fitting[0].n = dictionary->nentries;
	for (uint32 i = 0; i < dictionary->nentries; i++)
	{
		dictionary->fitting[0].entries[i] = i;
		dictionary->fitting[0].count += dictionary->counts[i];
	}
}

static void
prepare_dictionaries(Bounding *b)
{
	b->ndictionaries = b->run->nmatches;
	b->dictionaries = palloc0(sizeof(NarrowedDictionary) * b->ndictionaries);
	for (int i = 0; i < b->ndictionaries; i++)
		prepare_dictionary(b->run, &b->run->dictionaries[i], &b->dictionaries[i]);
}

/* Attributes with many labels come first, because they separate entries best. */
static void
order_attributes(Bounding *b)
{
	const Attribute *attrs = b->run->population->attrs;

	for (int a = 0; a < b->run->population->nattrs; a++)
	{
		int			place = a;

		for (; place > 0 && attrs[b->order[place - 1]].hierarchy->nleaves < attrs[a].hierarchy->nleaves; place--)
			b->order[place] = b->order[place - 1];
		b->order[place] = a;
	}
}

/*
 * Climbs from the bottom along random attributes as long as a tuple's utility
 * allows.
 */
static void
climb_at_random(const RecordRun *run, Prng *prng, int *levels)
{
	const Population *population = run->population;
	const uint32 *leaves = leaves_of(run, prng_below(prng, population->tuples->ntuples));
	int			refused = 0;

	for (int a = 0; a < population->nattrs; a++)
		levels[a] = population->attrs[a].min_level;
	while (refused < 4 * population->nattrs)
	{
		int			a = prng_below(prng, population->nattrs);

		refused++;
		if (levels[a] == population->attrs[a].max_level)
			continue;
		levels[a]++;
		if (run->search->goal == GOAL_LEAST_RISK && !(record_utility(run->model, leaves, levels) >= run->search->bound))
			levels[a]--;
		else if (run->search->goal != GOAL_LEAST_RISK && prng_below(prng, 16) == 0)
			return;
		else
			refused = 0;
	}
}

void
offer_samples(RecordRun *run)
{
	Prng		prng = {1};
	int			levels[MAX_ATTRIBUTES];

	for (int i = 0; i < SAMPLES && !out_of_time(run); i++)
	{
		climb_at_random(run, &prng, levels);
		go_to_node(run, levels);
		run->search->evaluated++;
		for (uint32 tuple = 0; tuple < run->population->tuples->ntuples; tuple++)
		{
			answer_of(run->search, tuple)->visited++;
			offer_node(run, tuple, levels, risk_at(run, tuple, levels),
					   record_utility(run->model, leaves_of(run, tuple), levels));
		}
	}
}

void
search_by_bounds(RecordRun *run)
{
	Bounding   *b = palloc0(sizeof(Bounding));

	offer_samples(run);
	b->run = run;
	order_attributes(b);
	prepare_dictionaries(b);
	for (uint32 tuple = 0; tuple < run->population->tuples->ntuples && !out_of_time(run); tuple++)
	{
		b->tuple = tuple;
		b->leaves = leaves_of(run, tuple);
		tabulate(b);
		choose_from(b, 0, 0, run->model->base);
		progress_update(tuple + 1, 0);
	}
}
