/*
 * nsga2.c
 *	  NSGA-II over cuts: finds the closest to a preference that is k-anonymous.
 *
 * The objectives are ach and k_pref - k, both minimized.  Every solution is
 * evaluated once and looked up by its bits; a generation contains none twice,
 * so that copies do not crowd out others.
 *
 * The first generation includes the top, which is as anonymous as possible,
 * and the lattice node closest to the preference, so the chosen solution is
 * never worse.  The closest feasible solution is the first end of its front,
 * and ends of a front have infinite crowding distance, so it is never lost.
 *
 * The paper has neither, so a caller may request a random first generation,
 * and generations with copies.
 */
#include "search/nsga2.h"

#include <math.h>

#include "base/budget.h"
#include "base/key_counter.h"
#include "base/prng.h"
#include "base/progress.h"
#include "engine/cuts.h"
#include "miscadmin.h"
#include "search/searches.h"

/* The most nodes measured to find the closest. */
#define MOST_LEVEL_NODES 1000000

/* Tuples to visit below which starting workers costs more than it saves. */
#define WORTH_WORKERS 2e8

/* A member of two generations, for ranking. */
typedef struct Member
{
	uint32		number;
	double		f1;
	double		f2;
	int			rank;
	double		crowding;
} Member;

struct Nsga2
{
	Nsga2Settings settings;
	MemoryContext context;
	CutSpace   *space;
	Prng		prng;
	WorkerPool *pool;
	NodeFront  *level_nodes;	/* the efficient ones */
	Preference	preference;
	KeyCounter *known;			/* cuts of solutions */
	Size		capacity;
	Solution   *solutions;		/* by number */
	int			nfurther;		/* measures beyond bias and loss */
	Size		further_capacity;
	double	   *further;		/* their costs, by number */
	uint32		evaluated;		/* number of solutions */
	int64		requested;		/* evaluations, including repeated ones */
	uint32		best;			/* the chosen one so far */
	int			nparents;
	Member	   *parents;		/* sorted by preference */
	uint64	   *items;			/* of a batch */
	CutResult  *results;
};

static bool
is_worth_workers(const Nsga2Settings *settings)
{
	return (double) settings->population->tuples->ntuples * settings->evaluations >= WORTH_WORKERS;
}

Nsga2 *
nsga2_begin(const Nsga2Settings *settings)
{
	MemoryContext context = settings->population->context;
	MemoryContext old = MemoryContextSwitchTo(context);
	Nsga2	   *search = palloc0(sizeof(Nsga2));
	PoolOrder	order = {.work = &evaluate_cuts_work,.population = settings->population};
	CutArgument asked = {.k = settings->k,.limit = settings->promise.limit,.promise = settings->promise};
	Promise		others = settings->promise;
	Size		item_size;

	search->settings = *settings;
	search->context = context;
	search->space = cut_space_create(settings->population, settings->taxonomy);
	search->prng.state = settings->seed;
	search->known = key_counter_create(context, search->space->nwords, 1024);
	search->best = NO_SOLUTION;
	search->nfurther = settings->preference.n - FIRST_FURTHER;
	search->level_nodes = efficient_level_nodes(settings->population, &settings->promise, &settings->preference, MOST_LEVEL_NODES,
												settings->workers);
	asked.wants_measures = search->nfurther > 0;
	others.k = 0;
	asked.looks_closer = promise_given(&others, settings->population);
	search->parents = palloc(sizeof(Member) * settings->size);
	item_size = 2 * sizeof(uint64) * search->space->nwords;
	budget_require(context, item_size * settings->size);
	search->items = MemoryContextAllocHuge(context, item_size * settings->size);
	search->results = palloc(sizeof(CutResult) * settings->size);
	asked.nwords = search->space->nwords;
	order.argument = &asked;
	order.argument_size = sizeof(CutArgument);
	order.item_size = item_size;
	order.result_size = sizeof(CutResult);
	order.most_items = settings->size;
	search->pool = worker_pool_begin(&order, is_worth_workers(settings) ? settings->workers : 0);
	MemoryContextSwitchTo(old);
	return search;
}

int
nsga2_end(Nsga2 *search)
{
	return worker_pool_end(search->pool);
}

uint32
nsga2_size(const Nsga2 *search)
{
	return search->evaluated;
}

const Solution *
nsga2_solution(const Nsga2 *search, uint32 number)
{
	return &search->solutions[number];
}

const double *
nsga2_further(const Nsga2 *search, uint32 number)
{
	return search->further + (Size) number * search->nfurther;
}

const uint64 *
nsga2_cut(const Nsga2 *search, uint32 number)
{
	return search->known->keys + (Size) number * search->known->nwords;
}

const CutSpace *
nsga2_space(const Nsga2 *search)
{
	return search->space;
}

uint32
nsga2_chosen(const Nsga2 *search)
{
	return search->best;
}

static bool
is_feasible(const Nsga2 *search, const Solution *solution)
{
	return solution->k >= search->settings.k;
}

/*
 * Orders cuts by their first difference, the coarser one first, so that there
 * are no ties.
 */
static int
compare_cuts(const Nsga2 *search, uint32 a, uint32 b)
{
	const uint64 *x = nsga2_cut(search, a);
	const uint64 *y = nsga2_cut(search, b);

	for (int word = 0; word < search->space->nwords; word++)
	{
		uint64		difference = x[word] ^ y[word];

		if (difference != 0)
			return x[word] & difference & -difference ? 1 : -1;
	}
	return 0;
}

/* Orders by less ach, then more k, then less deviation. */
static int
compare_solutions(const Nsga2 *search, uint32 a, uint32 b)
{
	const Solution *x = &search->solutions[a];
	const Solution *y = &search->solutions[b];

	if (x->ach != y->ach)
		return x->ach < y->ach ? -1 : 1;
	if (x->k != y->k)
		return x->k > y->k ? -1 : 1;
	if (x->deviation != y->deviation)
		return x->deviation < y->deviation ? -1 : 1;
	return compare_cuts(search, a, b);
}

/* Computes a solution's objectives under the current preference. */
static void
judge(Nsga2 *search, uint32 number)
{
	Solution   *solution = &search->solutions[number];
	double		costs[MAX_PREFERRED] = {solution->necd, solution->nwp};

	if (search->nfurther > 0)
		memcpy(costs + FIRST_FURTHER, nsga2_further(search, number), sizeof(double) * search->nfurther);
	solution->ach = preference_achievement(&search->preference, costs);
	solution->deviation = preference_deviation(&search->preference, costs);
	if (is_feasible(search, solution) &&
		(search->best == NO_SOLUTION || compare_solutions(search, number, search->best) < 0))
		search->best = number;
}

/* Where to write the next cut before it is admitted. */
static uint64 *
candidate(Nsga2 *search)
{
	return key_counter_candidate(search->known);
}

/* The number of the candidate, new or not. */
static uint32
admit(Nsga2 *search)
{
	uint64	   *cut = candidate(search);

	cut_repair(search->space, cut);
	return key_counter_add(search->known, 1);
}

/* Stores the measures of a solution. */
static void
keep_result(Nsga2 *search, uint32 number, const CutResult *result)
{
	Solution   *solution = &search->solutions[number];

	solution->k = result->k;
	solution->necd = result->necd;
	solution->nwp = result->nwp;
	for (int i = 0; i < search->nfurther; i++)
		search->further[(Size) number * search->nfurther + i] =
			objective_cost(search->settings.preference.measures[FIRST_FURTHER + i], &result->measures);
}

/* Allocates the measures of all cuts. */
static void
make_room(Nsga2 *search)
{
	while (search->capacity < search->known->nkeys)
		search->solutions = budget_grow(search->context, search->solutions, sizeof(Solution), &search->capacity);
	while (search->nfurther > 0 && search->further_capacity < search->known->nkeys)
		search->further = budget_grow(search->context, search->further, sizeof(double) * search->nfurther, &search->further_capacity);
}

/* Evaluates the new cuts. */
static void
evaluate_new(Nsga2 *search)
{
	int			nwords = search->space->nwords;
	uint32		first = search->evaluated;
	uint32		nnew = search->known->nkeys - first;
	uint64	   *base = search->items;

	/* their common refinement, nowhere coarser than any of them */
	memset(base, 0, sizeof(uint64) * nwords);
	for (uint32 i = 0; i < nnew; i++)
		for (int word = 0; word < nwords; word++)
			base[word] |= nsga2_cut(search, first + i)[word];
	for (uint32 i = 0; i < nnew; i++)
	{
		memcpy(search->items + (Size) 2 * nwords * i, base, sizeof(uint64) * nwords);
		memcpy(search->items + (Size) 2 * nwords * i + nwords, nsga2_cut(search, first + i), sizeof(uint64) * nwords);
	}
	worker_pool_do(search->pool, nnew, search->items, search->results);
	make_room(search);
	for (uint32 i = 0; i < nnew; i++)
	{
		keep_result(search, first + i, &search->results[i]);
		search->evaluated++;
		judge(search, first + i);
	}
}

static Member
make_member(const Nsga2 *search, uint32 number)
{
	Member		member = {.number = number};

	member.f1 = search->solutions[number].ach;
	member.f2 = (double) (search->settings.k - search->solutions[number].k);
	return member;
}

static int
compare_objectives(const void *a, const void *b)
{
	const Member *x = a;
	const Member *y = b;

	if (x->f1 != y->f1)
		return x->f1 < y->f1 ? -1 : 1;
	if (x->f2 != y->f2)
		return x->f2 < y->f2 ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/*
 * Ranks members sorted by f1, then f2.  A member is dominated by a front that
 * already has as small an f2, unless it is equal.  A front's least f2 is its
 * last, and these increase from front to front, which allows a binary search.
 */
static int
rank_members(Member *members, int n)
{
	double	   *least = palloc(sizeof(double) * (n + 1));
	int			nfronts = 0;

	for (int i = 0; i < n; i++)
	{
		int			low = 0;
		int			high = nfronts;

		if (i > 0 && members[i].f1 == members[i - 1].f1 && members[i].f2 == members[i - 1].f2)
		{
			members[i].rank = members[i - 1].rank;
			continue;
		}
		while (low < high)
		{
			int			middle = (low + high) / 2;

			if (least[middle] <= members[i].f2)
				low = middle + 1;
			else
				high = middle;
		}
		members[i].rank = low;
		least[low] = members[i].f2;
		nfronts = Max(nfronts, low + 1);
	}
	pfree(least);
	return nfronts;
}

/* The crowding distances of a front's members; infinite at its ends. */
static void
measure_crowding(Member *members, int n, int nfronts)
{
	int		   *last = palloc(sizeof(int) * (nfronts + 1));
	int		   *before = palloc(sizeof(int) * (n + 1));
	int		   *first = palloc(sizeof(int) * (nfronts + 1));
	int		   *after = palloc(sizeof(int) * (n + 1));

	for (int front = 0; front < nfronts; front++)
		last[front] = first[front] = -1;
	for (int i = 0; i < n; i++)
	{
		int			front = members[i].rank;

		after[i] = -1;
		before[i] = last[front];
		if (before[i] >= 0)
			after[before[i]] = i;
		else
			first[front] = i;
		last[front] = i;
	}
	for (int i = 0; i < n; i++)
	{
		const Member *left = &members[first[members[i].rank]];
		const Member *right = &members[last[members[i].rank]];
		double		f1 = right->f1 - left->f1;
		double		f2 = left->f2 - right->f2;

		members[i].crowding = HUGE_VAL;
		if (before[i] < 0 || after[i] < 0)
			continue;
		members[i].crowding = 0;
		if (f1 > 0)
			members[i].crowding += (members[after[i]].f1 - members[before[i]].f1) / f1;
		if (f2 > 0)
			members[i].crowding += (members[before[i]].f2 - members[after[i]].f2) / f2;
	}
	pfree(last);
	pfree(before);
	pfree(first);
	pfree(after);
}

/* The paper's selection. */
static int
compare_preferred(const void *a, const void *b)
{
	const Member *x = a;
	const Member *y = b;
	bool		feasible = x->f2 <= 0;

	if (feasible != (y->f2 <= 0))
		return feasible ? -1 : 1;
	if (feasible && x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (!feasible && x->f2 != y->f2)
		return x->f2 < y->f2 ? -1 : 1;
	if (!feasible && x->f1 != y->f1)
		return x->f1 < y->f1 ? -1 : 1;
	if (x->crowding != y->crowding)
		return x->crowding > y->crowding ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* The best of parents and children become the parents. */
static void
select_parents(Nsga2 *search, const uint32 *children, int nchildren)
{
	int			n = 0;
	Member	   *members = palloc(sizeof(Member) * (search->nparents + nchildren + 1));
	int			nfronts;

	for (int i = 0; i < search->nparents; i++)
		members[n++] = make_member(search, search->parents[i].number);
	for (int i = 0; i < nchildren; i++)
		members[n++] = make_member(search, children[i]);
	qsort(members, n, sizeof(Member), compare_objectives);
	/* each once, unless copies are allowed */
	nchildren = n;
	n = 0;
	for (int i = 0; i < nchildren; i++)
		if (n == 0 || search->settings.copies || members[i].number != members[n - 1].number)
			members[n++] = members[i];
	nfronts = rank_members(members, n);
	measure_crowding(members, n, nfronts);
	qsort(members, n, sizeof(Member), compare_preferred);
	search->nparents = Min(n, search->settings.size);
	memcpy(search->parents, members, sizeof(Member) * search->nparents);
	pfree(members);
}

/* Parents are sorted by preference: the first of two wins. */
static const uint64 *
tournament(Nsga2 *search)
{
	uint32		a = prng_below(&search->prng, search->nparents);
	uint32		b = prng_below(&search->prng, search->nparents);

	return nsga2_cut(search, search->parents[Min(a, b)].number);
}

/*
 * Flips each bit with the probability of mutation; one draw gives the distance
 * to the next flip.
 */
static void
mutate(Nsga2 *search, uint64 *cut)
{
	double		probability = search->settings.mutation;
	double		scale = log1p(-probability);
	double		bit = -1;

	if (probability <= 0)
		return;
	for (;;)
	{
		bit += probability >= 1 ? 1 : 1 + floor(log(1 - prng_unit(&search->prng)) / scale);
		if (bit >= search->space->nbits)
			return;
		cut[(int) bit / 64] ^= UINT64CONST(1) << ((int) bit % 64);
	}
}

/*
 * A child: one parent's bits up to a point and the other's from there on,
 * mutated.
 */
static uint32
breed(Nsga2 *search, const uint64 *first, const uint64 *second, int place)
{
	int			nwords = search->space->nwords;
	uint64	   *child = palloc(sizeof(uint64) * nwords);
	uint32		number;

	for (int word = 0; word < nwords; word++)
	{
		int			bits = Min(Max(place - word * 64, 0), 64);
		uint64		mask = bits == 64 ? PG_UINT64_MAX : (UINT64CONST(1) << bits) - 1;

		child[word] = (first[word] & mask) | (second[word] & ~mask);
	}
	mutate(search, child);
	memcpy(candidate(search), child, sizeof(uint64) * nwords);
	number = admit(search);
	pfree(child);
	return number;
}

/* Creates a number of children of the parents. */
static void
reproduce(Nsga2 *search, uint32 *children, int nchildren)
{
	int			nbits = search->space->nbits;
	Size		size = sizeof(uint64) * search->space->nwords;
	uint64	   *parents[2] = {palloc(size), palloc(size)};

	for (int i = 0; i < nchildren; i += 2)
	{
		int			place = nbits;

		CHECK_FOR_INTERRUPTS();
		/* copies, because the cuts may move when one is added */
		memcpy(parents[0], tournament(search), size);
		memcpy(parents[1], tournament(search), size);
		if (nbits > 1 && prng_unit(&search->prng) < search->settings.crossover)
			place = 1 + prng_below(&search->prng, nbits - 1);
		children[i] = breed(search, parents[0], parents[1], place);
		if (i + 1 < nchildren)
			children[i + 1] = breed(search, parents[1], parents[0], place);
	}
	pfree(parents[0]);
	pfree(parents[1]);
}

/* A random cut, with a random share of bits set. */
static uint32
random_cut(Nsga2 *search)
{
	double		share = prng_unit(&search->prng);
	uint64	   *cut = candidate(search);

	CHECK_FOR_INTERRUPTS();
	memset(cut, 0, sizeof(uint64) * search->space->nwords);
	for (int bit = 0; bit < search->space->nbits; bit++)
		if (prng_unit(&search->prng) < share)
			cut_set(cut, bit);
	return admit(search);
}

static uint32
admit_levels(Nsga2 *search, const int *levels)
{
	cut_of_levels(search->space, levels, candidate(search));
	return admit(search);
}

/* Finds the node closest to the preference; returns false if none is feasible. */
static bool
nearest_level_node(const Nsga2 *search, int *levels)
{
	const NodeFront *front = search->level_nodes;
	double		best = HUGE_VAL;

	for (int i = 0; i < node_front_size(front); i++)
	{
		double		costs[MAX_PREFERRED];
		double		ach;

		preference_costs(&search->preference, &node_front_nodes(front)[i].measures, costs);
		ach = preference_achievement(&search->preference, costs);
		if (ach >= best)
			continue;
		best = ach;
		memcpy(levels, node_front_nodes(front)[i].levels, sizeof(int) * front->nattrs);
	}
	return node_front_size(front) > 0;
}

/*
 * Starts a generation: the top, the closest node, and the closest of the
 * stored solutions and the parents; in the beginning, random cuts.
 */
static void
seed_generation(Nsga2 *search, uint32 *seeds, int nseeds)
{
	const Population *population = search->settings.population;
	int			levels[MAX_ATTRIBUTES];
	uint32	   *front;
	uint32		nfront;

	if (search->settings.unseeded)
	{
		for (int i = 0; i < nseeds; i++)
			seeds[i] = random_cut(search);
		return;
	}
	for (int a = 0; a < population->nattrs; a++)
		levels[a] = population->attrs[a].max_level;
	seeds[0] = admit_levels(search, levels);
	seeds[1] = seeds[0];
	if (nearest_level_node(search, levels))
		seeds[1] = admit_levels(search, levels);
	nfront = nsga2_front(search, &front);
	for (int i = 2; i < nseeds; i++)
		seeds[i] = i - 2 < nfront ? front[i - 2] : search->nparents > 0 ? search->parents[i % search->nparents].number :
			random_cut(search);
	pfree(front);
}

void
nsga2_search(Nsga2 *search, const Preference *preference, int evaluations)
{
	int			size = search->settings.size;
	uint32	   *children = palloc(sizeof(uint32) * size);
	MemoryContext generation = AllocSetContextCreate(search->context, "anonopt generation", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;

	search->preference = *preference;
	search->best = NO_SOLUTION;
	for (uint32 number = 0; number < search->evaluated; number++)
		judge(search, number);
	seed_generation(search, children, Min(size, evaluations));
	evaluate_new(search);
	old = MemoryContextSwitchTo(generation);
	select_parents(search, children, Min(size, evaluations));
	for (evaluations -= size; evaluations > 0; evaluations -= size)
	{
		int			nchildren = Min(size, evaluations);

		CHECK_FOR_INTERRUPTS();
		reproduce(search, children, nchildren);
		evaluate_new(search);
		select_parents(search, children, nchildren);
		MemoryContextReset(generation);
		search->requested += nchildren;
		progress_update(search->requested, search->nparents);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(generation);
	pfree(children);
}

/* Compares solutions by number. */
static int
compare_numbers(const void *a, const void *b, void *arg)
{
	return compare_solutions(arg, *(const uint32 *) a, *(const uint32 *) b);
}

uint32
nsga2_front(const Nsga2 *search, uint32 **numbers)
{
	uint32		nfront = 0;
	int64		most = -1;

	budget_require(search->context, sizeof(uint32) * (Size) search->evaluated);
	*numbers = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) search->evaluated + 1));
	for (uint32 i = 0; i < search->evaluated; i++)
		(*numbers)[i] = i;
	qsort_arg(*numbers, search->evaluated, sizeof(uint32), compare_numbers, unconstify(Nsga2 *, search));
	for (uint32 i = 0; i < search->evaluated; i++)
	{
		uint32		number = (*numbers)[i];

		if (search->solutions[number].k <= most)
			continue;
		most = search->solutions[number].k;
		(*numbers)[nfront++] = number;
	}
	return nfront;
}
