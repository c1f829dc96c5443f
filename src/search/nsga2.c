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
 * and generations with copies.  Nor does it, as the search does here, choose
 * survivors by feasibility as it chooses parents, draw the first cuts with
 * random densities, and answer from all solutions evaluated.  A plain search is
 * the paper's in all of this: survivors are chosen by rank and crowding alone,
 * each bit is drawn with probability 1/2, and the last generation answers.
 */
#include "search/searches.h"

#include <math.h>

#include "base/budget.h"
#include "base/progress.h"
#include "engine/lattice.h"
#include "miscadmin.h"

/* The most nodes measured to find the closest. */
#define MOST_LEVEL_NODES 1000000

/* Milliseconds that an evaluation takes per tuple, at least. */
#define TUPLE_TIME 1.5e-7

/* A member of two generations, for ranking. */
typedef struct Member
{
	uint32		number;
	double		f1;
	double		f2;
	int			rank;			/* the number of its front */
	double		crowding;
} Member;

/* Collects the nodes that keep the promise and that none beats in bias, loss and other measures. */
static bool
collect_level_node(void *arg, const int *levels, const Measures *measures)
{
	Nsga2	   *search = arg;
	bool		in_time = true;

	if (measures->feasible && measures->classes > 0)
		node_front_offer(search->level_nodes, levels, measures);
	return --search->unvisited > 0 && !time_is_up(search->half_time, &in_time);
}

Nsga2 *
nsga2_begin(const Nsga2Settings *settings)
{
	Population *population = settings->population;
	MemoryContext old = MemoryContextSwitchTo(population->context);
	Nsga2	   *search = palloc0(sizeof(Nsga2));
	CutArgument asked = {.promise = settings->promise};
	Promise		feasible = settings->promise;
	PoolOrder	order = {
		.work = &evaluate_cuts_work,
		.population = population,
		.argument = &asked,
		.argument_size = sizeof(CutArgument),
		.result_size = sizeof(CutResult),
		.most_items = settings->size
	};
	double		visits = (double) population->tuples->ntuples * settings->evaluations;

	search->settings = *settings;
	search->in_time = true;
	search->space = cut_space_create(population, settings->along_tree);
	search->prng.state = settings->seed;
	search->known = key_counter_create(population->context, search->space->nwords, 1024);
	search->chosen = NO_SOLUTION;
	search->level_nodes = node_front_create(population->context, &settings->preference.measures, population->nattrs);
	search->unvisited = MOST_LEVEL_NODES;
	search->half_time = settings->deadline == 0 ? 0 : settings->deadline - (settings->deadline - GetCurrentTimestamp()) / 2;
	feasible.feasible_only = true;

	/*
	 * workers change which nodes come first: a part is measured alone; half
	 * of the time is for cuts
	 */
	if (!settings->unseeded)
		lattice_measure(population, &feasible, lattice_nodes(population) <= MOST_LEVEL_NODES ? settings->workers : 0,
						search->half_time, collect_level_node, search);
	search->parents = palloc(sizeof(Member) * settings->size);
	asked.wants_measures = settings->preference.measures.n > FIRST_FURTHER;
	order.item_size = 2 * sizeof(uint64) * search->space->nwords;
	search->items = budget_alloc(order.item_size, settings->size);
	search->results = palloc(sizeof(CutResult) * settings->size);
	search->pool = worker_pool_begin(&order, TUPLE_TIME * visits >= WORTH_WORKERS ? settings->workers : 0);
	MemoryContextSwitchTo(old);
	return search;
}

/*
 * Orders solutions by less achievement, then more k, then less deviation, then
 * by the first difference of their cuts, the coarser one first, so that none tie.
 */
static int
compare_solutions(const void *a, const void *b, void *arg)
{
	const Nsga2 *search = arg;
	const Solution *x = &search->solutions[*(const uint32 *) a];
	const Solution *y = &search->solutions[*(const uint32 *) b];
	const uint64 *cut = nsga2_cut(search, *(const uint32 *) a);
	const uint64 *other = nsga2_cut(search, *(const uint32 *) b);

	if (x->ach != y->ach)
		return x->ach < y->ach ? -1 : 1;
	if (x->k != y->k)
		return x->k > y->k ? -1 : 1;
	if (x->deviation != y->deviation)
		return x->deviation < y->deviation ? -1 : 1;
	for (int word = 0; word < search->space->nwords; word++)
	{
		uint64		difference = cut[word] ^ other[word];

		if (difference != 0)
			return cut[word] & difference & -difference ? 1 : -1;
	}
	return 0;
}

/* Chooses a solution if it is feasible and closer than the chosen one. */
static void
choose(Nsga2 *search, uint32 number)
{
	if (search->solutions[number].k >= search->settings.promise.k &&
		(search->chosen == NO_SOLUTION || compare_solutions(&number, &search->chosen, search) < 0))
		search->chosen = number;
}

/* Computes a solution's objectives under the current preference. */
static void
judge(Nsga2 *search, uint32 number)
{
	Solution   *solution = &search->solutions[number];

	solution->ach = preference_achievement(&search->preference, nsga2_costs(search, number));
	solution->deviation = preference_deviation(&search->preference, nsga2_costs(search, number));
	choose(search, number);
}

/* The number of the candidate, new or not. */
static uint32
admit(Nsga2 *search)
{
	cut_repair(search->space, key_counter_candidate(search->known));
	return key_counter_add(search->known, 1);
}

/* Evaluates the new cuts. */
static void
evaluate_new(Nsga2 *search)
{
	int			nwords = search->space->nwords;
	uint32		first = search->evaluated;
	uint32		nnew = search->known->nkeys - first;
	uint64	   *base = search->items;
	MemoryContext context = search->settings.population->context;
	const Preference *preference = &search->settings.preference;

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
	nnew = worker_pool_do_until(search->pool, nnew, search->items, search->results, search->settings.deadline, &search->in_time);
	while (search->capacity < search->known->nkeys)
		search->solutions = budget_grow(context, search->solutions, sizeof(Solution), &search->capacity);
	while (search->costs_capacity < search->known->nkeys)
		search->costs = budget_grow(context, search->costs, sizeof(double) * preference->measures.n, &search->costs_capacity);
	for (uint32 i = 0; i < nnew; i++)
	{
		const CutResult *result = &search->results[i];
		uint32		number = search->evaluated++;
		double	   *costs = search->costs + (Size) number * preference->measures.n;

		search->solutions[number].k = result->k;
		costs[0] = result->necd;
		costs[1] = result->nwp;
		for (int j = FIRST_FURTHER; j < preference->measures.n; j++)
			costs[j] = objective_cost(preference->measures.of[j], &result->measures);
		judge(search, number);
	}
}

/* Sorts fronts one after another once members are ranked; before that, all have rank 0. */
static int
compare_objectives(const void *a, const void *b)
{
	const Member *x = a;
	const Member *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
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
static void
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
}

/* The crowding distances of members sorted by front; infinite at a front's ends. */
static void
measure_crowding(Member *members, int n)
{
	for (int first = 0, end; first < n; first = end)
	{
		double		f1;
		double		f2;

		for (end = first + 1; end < n && members[end].rank == members[first].rank; end++)
			;
		f1 = members[end - 1].f1 - members[first].f1;
		f2 = members[first].f2 - members[end - 1].f2;
		members[first].crowding = members[end - 1].crowding = HUGE_VAL;
		for (int i = first + 1; i < end - 1; i++)
		{
			members[i].crowding = 0;
			if (f1 > 0)
				members[i].crowding += (members[i + 1].f1 - members[i - 1].f1) / f1;
			if (f2 > 0)
				members[i].crowding += (members[i - 1].f2 - members[i + 1].f2) / f2;
		}
	}
}

/* NSGA-II's crowded comparison. */
static int
compare_crowded(const void *a, const void *b)
{
	const Member *x = a;
	const Member *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->crowding != y->crowding)
		return x->crowding > y->crowding ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
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
	if (!feasible && x->f2 != y->f2)
		return x->f2 < y->f2 ? -1 : 1;
	if (!feasible && x->f1 != y->f1)
		return x->f1 < y->f1 ? -1 : 1;
	return compare_crowded(a, b);
}

/* The best of parents and children become the parents. */
static void
select_parents(Nsga2 *search, const uint32 *children, int nchildren)
{
	int			nmembers = search->nparents + nchildren;
	int			nevaluated = 0;
	int			n = 0;
	Member	   *members = palloc(sizeof(Member) * (nmembers + 1));

	for (int i = 0; i < nmembers; i++)
	{
		uint32		number = i < search->nparents ? search->parents[i].number : children[i - search->nparents];
		const Solution *solution = &search->solutions[number];

		/* the time limit may have come before it was evaluated */
		if (number >= search->evaluated)
			continue;
		members[nevaluated++] = (Member)
		{
			.number = number,.f1 = solution->ach,.f2 = (double) (search->settings.promise.k - solution->k)
		};
	}
	nmembers = nevaluated;
	qsort(members, nmembers, sizeof(Member), compare_objectives);
	/* each once, unless copies are allowed */
	for (int i = 0; i < nmembers; i++)
		if (n == 0 || search->settings.copies || members[i].number != members[n - 1].number)
			members[n++] = members[i];
	rank_members(members, n);
	qsort(members, n, sizeof(Member), compare_objectives);
	measure_crowding(members, n);
	qsort(members, n, sizeof(Member), search->settings.plain ? compare_crowded : compare_preferred);
	search->nparents = Min(n, search->settings.size);
	if (search->settings.plain)
		qsort(members, search->nparents, sizeof(Member), compare_preferred);
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

/* Flips each bit with the probability of mutation; a draw gives the distance to the next. */
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

/* A child: one parent's bits up to a point and the other's from there on, mutated. */
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
	memcpy(key_counter_candidate(search->known), child, sizeof(uint64) * nwords);
	number = admit(search);
	pfree(child);
	return number;
}

/* Creates a number of children of the parents, if there is time. */
static void
reproduce(Nsga2 *search, uint32 *children, int nchildren)
{
	int			nbits = search->space->nbits;
	Size		size = sizeof(uint64) * search->space->nwords;
	uint64	   *parents[2] = {palloc(size), palloc(size)};

	for (int i = 0; i < nchildren && !time_is_up(search->settings.deadline, &search->in_time); i += 2)
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

/* A random cut: each bit is set with a probability that is random, too, unless the search is plain. */
static uint32
random_cut(Nsga2 *search)
{
	double		share = search->settings.plain ? 0.5 : prng_unit(&search->prng);
	uint64	   *cut = key_counter_candidate(search->known);

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
	cut_of_levels(search->space, levels, key_counter_candidate(search->known));
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

		objectives_costs(&search->preference.measures, &node_front_nodes(front)[i].measures, costs);
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
	int			levels[MAX_ATTRIBUTES];
	uint32	   *front;
	uint32		nfront;

	if (search->settings.unseeded)
	{
		for (int i = 0; i < nseeds; i++)
			seeds[i] = random_cut(search);
		return;
	}
	top_levels(search->settings.population, levels);
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
	MemoryContext generation = AllocSetContextCreate(search->settings.population->context, "anonopt generation", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;

	search->preference = *preference;
	search->chosen = NO_SOLUTION;
	if (search->settings.plain)
		search->nparents = 0;	/* none of an earlier search */
	for (uint32 number = 0; number < search->evaluated; number++)
		judge(search, number);
	seed_generation(search, children, Min(size, evaluations));
	evaluate_new(search);
	old = MemoryContextSwitchTo(generation);
	select_parents(search, children, Min(size, evaluations));
	for (evaluations -= size; evaluations > 0 && search->in_time; evaluations -= size)
	{
		int			nchildren = Min(size, evaluations);

		CHECK_FOR_INTERRUPTS();
		reproduce(search, children, nchildren);
		if (search->in_time)
			evaluate_new(search);
		if (search->in_time)
			select_parents(search, children, nchildren);
		MemoryContextReset(generation);
		search->requested += nchildren;
		progress_update(search->requested, search->nparents);
	}
	if (search->settings.plain)
	{
		search->chosen = NO_SOLUTION;
		for (int i = 0; i < search->nparents; i++)
			choose(search, search->parents[i].number);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(generation);
	pfree(children);
}

uint32
nsga2_front(const Nsga2 *search, uint32 **numbers)
{
	uint32		nfront = 0;
	uint32		ncandidates = search->settings.plain ? search->nparents : search->evaluated;
	int64		most = -1;

	budget_require(search->settings.population->context, sizeof(uint32) * (Size) ncandidates);
	*numbers = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) ncandidates + 1));
	for (uint32 i = 0; i < ncandidates; i++)
		(*numbers)[i] = search->settings.plain ? search->parents[i].number : i;
	qsort_arg(*numbers, ncandidates, sizeof(uint32), compare_solutions, unconstify(Nsga2 *, search));
	for (uint32 i = 0; i < ncandidates; i++)
	{
		uint32		number = (*numbers)[i];

		if (search->solutions[number].k <= most)
			continue;
		most = search->solutions[number].k;
		(*numbers)[nfront++] = number;
	}
	return nfront;
}
