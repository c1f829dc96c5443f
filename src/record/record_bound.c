/*
 * record_bound.c
 *	  Searches for any goal, class by class, using bounds.
 *
 * Levels are chosen one attribute after another, for all tuples together: the
 * levels chosen so far divide the entries of every dictionary and the tuples
 * into classes, and each class is divided further by itself.  A tuple leaves
 * its class as soon as no completion of these levels can beat the tuple's best
 * answer (record_reach.c), and a class without tuples is abandoned.  Most
 * classes of most prefixes are small, and small classes are risky: so most are
 * abandoned early, and a class is sorted once for all levels of an attribute.
 *
 * If a finer level divides a class no further, a coarser one shows less of it
 * to no fewer attackers: it need not be tried if its risk is no less.
 */
#include "record/record_parts.h"

#include "base/budget.h"
#include "base/progress.h"

/* Of the classes with so many attributes chosen, it is reported when they are left. */
#define REPORTED_DEPTH 2

/* Entries of a dictionary that match the labels chosen: some of those sorted for the depth before. */
typedef struct Fitting
{
	uint32		first_block;
	uint32		end_block;
	uint32		n;
	const uint32 *entries;
} Fitting;

/* A run of tuples with the same labels. */
typedef struct TupleRun
{
	uint32		first_leaf;
	uint32		last_leaf;
	uint32		n;
	const uint32 *tuples;
} TupleRun;

/* The levels chosen so far, for the tuples of a class. */
typedef struct Prefix
{
	int			depth;
	int64		node;			/* its number if the other levels are lowest */
	double		weight;			/* without owners */
	double		utility;
	double		share;			/* of the search */
} Prefix;

typedef struct Bounding
{
	RecordRun  *run;
	const Reach *reach;
	int			nattrs;
	int			levels[MAX_ATTRIBUTES];
	double		shown[MAX_ATTRIBUTES];	/* weight of the label chosen, by
										 * depth */
	ItemTable  *tuples;
	uint32	   *hopeful;		/* of a class, until they are sorted or have
								 * visited its node */
	ItemTable **entries;		/* by dictionary */
	Fitting    *fitting[MAX_ATTRIBUTES + 1];	/* by depth and dictionary */
	int64	   *people[MAX_ATTRIBUTES + 1]; /* that match, the same way */
	uint32	   *together;		/* work space to count persons, or NULL */
	int64		steps;
	double		done;			/* share of the search */
} Bounding;

static void divide_class(Bounding *b, const Prefix *prefix, const uint32 *tuples, uint32 n);

static bool
is_stopped(Bounding *b)
{
	if (++b->steps % 256 == 0)
		return out_of_time(b->run);
	return !b->run->search->in_time;
}

/* The weight of the labels chosen, for a tuple's owners. */
static double
owned_weight(const Bounding *b, int depth, uint32 tuple)
{
	const double *owners = b->run->model->owners + (Size) tuple * b->nattrs;
	double		weight = 0;

	for (int i = 0; i < depth; i++)
		weight += b->shown[i] * owners[b->reach->order[i]];
	return weight;
}

/* Keeps a class's tuples that may still find a better answer; returns their number. */
static uint32
keep_hopeful(Bounding *b, const Prefix *prefix, const TupleRun *tuples)
{
	int			depth = prefix->depth;
	double		one = mean_risk(b->run, 1, b->people[depth]);
	bool		has_owners = b->run->model->owners != NULL;
	Prospect	prospect = prospect_of(b->reach, depth, prefix->weight, prefix->utility, one);
	uint32		kept = 0;

	if (!prospect.possible && !has_owners)
		return 0;
	for (uint32 i = 0; i < tuples->n; i++)
	{
		uint32		tuple = tuples->tuples[i];

		if (has_owners)
			prospect = prospect_of(b->reach, depth, owned_weight(b, depth, tuple), prefix->utility, one);
		if (prospect.possible && !is_hopeless(b->reach, &prospect, tuple))
			b->hopeful[kept++] = tuple;
	}
	return kept;
}

/* Counts different people, if a person may have several of the population's tuples. */
static void
count_persons(Bounding *b)
{
	const Population *population = b->run->population;
	const uint32 *slices = population->tuples->slices[population->ncolumns - 1];

	for (int i = 0; i < b->run->nmatches; i++)
	{
		const Fitting *fitting = &b->fitting[b->nattrs][i];

		if (!counts_persons(population, b->run->dictionaries[i].entries))
			continue;
		for (uint32 j = 0; j < fitting->n; j++)
			b->together[j] = slices[fitting->entries[j]];
		b->people[b->nattrs][i] = persons_together(population_persons(population), b->together, fitting->n, PG_INT64_MAX);
	}
}

/* Offers a complete node to tuples with the same labels. */
static void
visit_class(Bounding *b, const Prefix *prefix, const uint32 *tuples, uint32 n)
{
	double		utility = record_utility(b->run->model, leaves_of(b->run, tuples[0]), b->levels);
	double		risk = 0;

	count_node(b->run, prefix->node);
	if (b->together != NULL)
		count_persons(b);
	for (uint32 i = 0; i < n; i++)
	{
		/* their risks differ only by owners */
		if (i == 0 || b->run->model->owners != NULL)
			risk = mean_risk(b->run, record_weight(b->run->model, tuples[i], leaves_of(b->run, tuples[i]), b->levels),
							 b->people[b->nattrs]);
		visit_node(b->run, tuples[i], b->levels, risk, utility);
	}
}

/* Finds the entries that show a label, given those that show the label before. */
static void
fit_label(Bounding *b, int depth, const Recoding *recoding, uint32 label)
{
	uint32		first = recoding->first_leaf[label];
	uint32		end = recoding->nlabels == 1 ? PG_UINT32_MAX : first + recoding->leaves[label];

	for (int i = 0; i < b->run->nmatches; i++)
	{
		const SortedItems *sorted = &b->entries[i]->sorted[depth];
		const LeafBlock *blocks = sorted->blocks;
		Fitting    *fitting = &b->fitting[depth + 1][i];
		uint32		block = fitting->end_block;

		while (blocks[block].leaf < first)
			block++;
		fitting->first_block = block;
		while (blocks[block].leaf < end)
			block++;
		fitting->end_block = block;
		fitting->entries = sorted->items + blocks[fitting->first_block].start;
		fitting->n = blocks[block].start - blocks[fitting->first_block].start;
		b->people[depth + 1][i] = blocks[block].before - blocks[fitting->first_block].before;
	}
}

/* Whether all entries that show a label, and the tuples, show the same finer label. */
static bool
is_divided_no_further(const Bounding *b, int depth, const Recoding *finer, const TupleRun *tuples)
{
	uint32		label = finer->label_of[tuples->first_leaf];
	uint32		first = finer->first_leaf[label];
	uint32		last = finer->nlabels == 1 ? PG_UINT32_MAX : first + finer->leaves[label] - 1;

	if (tuples->last_leaf > last)
		return false;
	for (int i = 0; i < b->run->nmatches; i++)
	{
		const LeafBlock *blocks = b->entries[i]->sorted[depth].blocks;
		const Fitting *fitting = &b->fitting[depth + 1][i];

		if (fitting->n > 0 && (blocks[fitting->first_block].leaf < first || blocks[fitting->end_block - 1].leaf > last))
			return false;
	}
	return true;
}

/*
 * Whether the next finer level is as good in every completion: the same entries
 * match, and it shows no more weight, or weight is no risk.
 */
static bool
is_dominated(const Bounding *b, int depth, int level, const TupleRun *tuples)
{
	const RecordModel *model = b->run->model;
	int			a = b->reach->order[depth];
	const Attribute *attr = &b->run->population->attrs[a];

	if (level == attr->min_level)
		return false;
	if (model->risk == RISK_SENSITIVITY &&
		model->weight[a][level][tuples->first_leaf] != model->weight[a][level - 1][tuples->first_leaf])
		return false;
	return is_divided_no_further(b, depth, &attr->hierarchy->levels[level - 1], tuples);
}

/* Reports how far the search is when it leaves one of its first classes. */
static void
leave_class(Bounding *b, const Prefix *prefix, bool is_divided)
{
	if (prefix->depth > REPORTED_DEPTH || (is_divided && prefix->depth < REPORTED_DEPTH))
		return;
	b->done += prefix->share;
	if (b->run->nnodes < PG_INT64_MAX)
		progress_update((int64) (b->done * b->run->nnodes), 0);
}

/* Chooses a level for tuples that show the same label there. */
static void
choose_level(Bounding *b, Prefix *next, int level, const TupleRun *tuples)
{
	const RecordModel *model = b->run->model;
	int			a = b->reach->order[next->depth - 1];
	bool		is_complete = next->depth == b->nattrs;
	uint32		n = 0;

	if (b->run->counted != NULL)
		next->node += b->run->stride[a] * (level - b->run->population->attrs[a].min_level);
	b->shown[next->depth - 1] = model->weight[a][level][tuples->first_leaf];
	next->weight += b->shown[next->depth - 1];
	next->utility += model->gain[a][level][tuples->first_leaf];
	if (is_complete && b->together == NULL && model->owners == NULL)
		visit_class(b, next, tuples->tuples, tuples->n);
	else if ((n = keep_hopeful(b, next, tuples)) > 0)
	{
		if (is_complete)
			visit_class(b, next, b->hopeful, n);
		else
			divide_class(b, next, b->hopeful, n);
	}
	leave_class(b, next, n > 0 && !is_complete);
}

/* Divides sorted tuples by the labels of a level. */
static void
divide_by_level(Bounding *b, const Prefix *prefix, int level)
{
	int			depth = prefix->depth;
	int			a = b->reach->order[depth];
	const Recoding *recoding = &b->run->population->attrs[a].hierarchy->levels[level];
	const SortedItems *sorted = &b->tuples->sorted[depth];
	int			nlevels = b->run->population->attrs[a].max_level - b->run->population->attrs[a].min_level + 1;
	uint32		end;

	b->levels[a] = level;
	for (int i = 0; i < b->run->nmatches; i++)
		b->fitting[depth + 1][i].end_block = 0;
	for (uint32 first = 0; first < sorted->nblocks; first = end)
	{
		Prefix		next = *prefix;
		TupleRun	tuples = {.first_leaf = sorted->blocks[first].leaf};
		uint32		label = recoding->label_of[tuples.first_leaf];

		if (is_stopped(b))
			return;
		for (end = first + 1; end < sorted->nblocks && recoding->label_of[sorted->blocks[end].leaf] == label; end++)
			;
		tuples.last_leaf = sorted->blocks[end - 1].leaf;
		tuples.tuples = sorted->items + sorted->blocks[first].start;
		tuples.n = sorted->blocks[end].start - sorted->blocks[first].start;
		fit_label(b, depth, recoding, label);
		next.depth++;
		next.share *= (double) tuples.n / sorted->n / nlevels;
		if (!is_dominated(b, depth, level, &tuples))
			choose_level(b, &next, level, &tuples);
		else
			leave_class(b, &next, false);
	}
}

/* Divides a class by the next attribute's levels, most general first. */
static void
divide_class(Bounding *b, const Prefix *prefix, const uint32 *tuples, uint32 n)
{
	int			depth = prefix->depth;
	int			a = b->reach->order[depth];
	const Attribute *attr = &b->run->population->attrs[a];

	item_table_sort(b->tuples, depth, a, tuples, n);
	for (int i = 0; i < b->run->nmatches; i++)
		item_table_sort(b->entries[i], depth, a, b->fitting[depth][i].entries, b->fitting[depth][i].n);
	for (int level = attr->max_level; level >= attr->min_level; level--)
		divide_by_level(b, prefix, level);
}

static uint32 *
all_items(const Population *population, uint32 n)
{
	uint32	   *items = population_alloc(population, sizeof(uint32), (Size) n + 1);

	for (uint32 i = 0; i < n; i++)
		items[i] = i;
	return items;
}

static void
prepare_entries(Bounding *b)
{
	const RecordRun *run = b->run;

	b->entries = palloc(sizeof(ItemTable *) * run->nmatches);
	for (int depth = 0; depth <= b->nattrs; depth++)
	{
		b->fitting[depth] = palloc0(sizeof(Fitting) * run->nmatches);
		b->people[depth] = palloc0(sizeof(int64) * run->nmatches);
	}
	for (int i = 0; i < run->nmatches; i++)
	{
		const Outsiders *entries = run->dictionaries[i].entries;
		const TupleTable *tuples = run->population->tuples;

		b->entries[i] = entries != NULL ?
			item_table_create(run->population, entries->ntuples, entries->keys, entries->unknown, entries->counts, NULL) :
			item_table_create(run->population, tuples->ntuples, tuples->keys, NULL, tuples->counts, b->tuples);
		b->fitting[0][i].n = b->entries[i]->n;
		b->fitting[0][i].entries = all_items(run->population, b->entries[i]->n);
	}
}

/* What the search will need, for the hint if that is too much. */
static void
expect_search(const RecordRun *run)
{
	const Population *population = run->population;
	Size		ntuples = population->tuples->ntuples;
	Size		leaves = sizeof(uint32) * population->nattrs;
	Size		bytes = ntuples * (leaves + 3 * sizeof(uint32)) + item_table_size(population, ntuples);

	for (int i = 0; i < run->nmatches; i++)
	{
		const Outsiders *entries = run->dictionaries[i].entries;
		Size		n = entries != NULL ? entries->ntuples : ntuples;

		bytes += item_table_size(population, n) + n * (sizeof(uint32) + (entries != NULL ? leaves : 0));
	}
	budget_expect_further(population->context, bytes + bytes / 8);
}

static void
prepare(Bounding *b, RecordRun *run)
{
	uint32		ntuples = run->population->tuples->ntuples;

	expect_search(run);
	b->run = run;
	b->reach = reach_create(run);
	b->nattrs = run->population->nattrs;
	b->tuples = item_table_create(run->population, ntuples, run->population->tuples->keys, NULL, NULL, NULL);
	b->hopeful = all_items(run->population, ntuples);
	prepare_entries(b);
	for (int i = 0; i < run->nmatches; i++)
		if (b->together == NULL && counts_persons(run->population, run->dictionaries[i].entries))
			b->together = population_alloc(run->population, sizeof(uint32), (Size) ntuples + 1);
}

void
search_by_bounds(RecordRun *run)
{
	Bounding   *b = palloc0(sizeof(Bounding));
	Prefix		nothing = {.utility = run->model->base,.share = 1};
	uint32		ntuples = run->population->tuples->ntuples;

	count_nodes_once(run);
	count_ends(run);
	offer_samples(run);
	prepare(b, run);
	if (ntuples > 0)
		divide_class(b, &nothing, b->hopeful, ntuples);
	count_visits(run);
}
