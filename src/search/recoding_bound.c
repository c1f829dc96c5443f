/*
 * recoding_bound.c
 *	  A proven lower bound of what recodings lose.
 *
 * A recoding opens vectors of labels, and shows each person by one that is open
 * and covers their tuple; an open one needs k people.  Suppose that people pay
 * prices of their tuples, p, in place of their losses.  For any prices and any
 * recoding, its loss is what all people pay, plus the sum over its open vectors
 * of their people's (loss - price); a vector of cost c can make that, its value,
 * no smaller than
 *
 *		v = sum over covered tuples with p > c of rows * (c - p),
 *			and if these have fewer than k people, the least that it costs to
 *			add whole tuples until they have k: a knapsack.
 *
 * So what all pay, plus the sum of min(0, v) over *all* vectors, is a lower
 * bound.  Its proof needs no more than these remarks:
 *
 * - Only closed vectors count, since a class shows one (recoding_vectors.c).
 * - People in several rows lose in each, but are one of the k.  A class has at
 *	 most the sum of its tuples' different people, so that a vector gets k by
 *	 that sum is less than a recoding needs.
 * - What is promised beside k, or about levels, only rules out recodings.
 * - A suppressed person loses everything.  No price is above that, so to suppress
 *	 gains nothing beyond the price.
 * - Costs are rounded down, and sums are exact.
 * - v falls as prices rise, and rises with the cost and with fewer tuples.  So if
 *	 the labels of some attributes have no negative value at the highest prices
 *	 that will be tried, *caps*, neither has any vector that goes on from them.
 *	 Vectors that have one are stored; while prices stay below the caps, no
 *	 others matter.  Where there is no room, caps are lowered.
 *
 * Prices are found by steps along the gradient: the price of a tuple rises if
 * no vector wants it, and falls if several do.
 */
#include "search/recoding_parts.h"

#include <math.h>

#include "base/budget.h"
#include "miscadmin.h"

/* Buckets for a first look at a knapsack. */
#define BUCKETS 64

/* Every so many steps, all stored vectors are looked at. */
#define FULL_STEPS 10

/* So many steps go from one store of vectors. */
#define STEPS 60

/* So many steps without a gain shorten the steps, which end when very short. */
#define PATIENCE 20
#define FIRST_STEP 0.1
#define LAST_STEP 1e-4

/* The most missing people for whom whole tuples are chosen. */
#define MOST_WHOLE 40

typedef struct Priced
{
	int32		price;			/* per row */
	int32		people;			/* different, at most as many as a class needs */
	int64		rows;
} Priced;

/* A tuple that could fill a vector up. */
typedef struct Filler
{
	double		density;		/* its cost per person */
	int64		cost;
	int32		people;
	uint32		tuple;
} Filler;

typedef struct StoredVector
{
	Size		first;			/* of its tuples */
	uint32		n;
	int32		cost;
	uint32		active;			/* of another: the number of one that is
								 * looked at every time */
} StoredVector;

typedef struct Bound
{
	const Ground *ground;
	VectorOrder vectors;
	uint32		n;
	int64		rows;
	int32		needed;			/* people of a class */
	int32		whole;			/* the loss of a row, at most */
	Priced	   *tuples;
	Priced	   *caps;			/* the same, with the highest prices */
	double	   *exact;			/* prices before rounding */
	double	   *direction;
	float	   *taken;			/* by tuple: by how many vectors */
	int32	   *best_price;
	int128		best;			/* the bound that those give */
	int128		target;			/* what the bound may reach, by guess */

	/* vectors that may have a negative value */
	uint32		nvectors;
	StoredVector *stored;
	Size		room;
	uint32	   *members;
	Size		nmembers;
	Size		members_room;
	bool		full;			/* there was no room for one */
	bool		short_of_memory;
	uint32		nactive;
	double		reach;			/* how near 0 a value must be for that */
	double		unit;			/* of costs, of a row's whole loss */

	/* scratch of knapsacks */
	Filler	   *fillers;
} Bound;

/* ------------------------------------------------------ the value of a vector */

static int
compare_fillers(const void *a, const void *b)
{
	const Filler *x = a;
	const Filler *y = b;

	if (x->density != y->density)
		return x->density < y->density ? -1 : 1;
	return x->tuple < y->tuple ? -1 : x->tuple > y->tuple;
}

/*
 * At least what it costs to add some people, in parts of fillers, by buckets of
 * similar ones.  Those in full buckets come first, then those of the last bucket
 * that is needed, sorted; n becomes their number.
 */
static double
filled_by_buckets(Filler *fillers, uint32 *n, int64 missing)
{
	double		weight[BUCKETS] = {0};
	double		low = fillers[0].density;
	double		high = low;
	double		scale;
	double		cost = 0;
	int			last = 0;
	uint32		nfull = 0;
	uint32		nkept = 0;

	for (uint32 i = 1; i < *n; i++)
	{
		low = Min(low, fillers[i].density);
		high = Max(high, fillers[i].density);
	}
	scale = high > low ? (BUCKETS - 0.001) / (high - low) : 0;
	for (uint32 i = 0; i < *n; i++)
		weight[(int) ((fillers[i].density - low) * scale)] += fillers[i].people;
	for (; last < BUCKETS && missing > 0; last++)
	{
		double		part = Min(weight[last], missing);

		cost += part * (scale > 0 ? low + last / scale : low);
		missing -= (int64) part;
	}
	if (missing > 0)
		return INFINITY;
	last--;
	for (uint32 i = 0; i < *n; i++)
	{
		int			bucket = (int) ((fillers[i].density - low) * scale);
		Filler		filler = fillers[i];

		if (bucket > last)
			continue;
		fillers[i] = fillers[nkept];
		fillers[nkept] = filler;
		if (bucket < last)
		{
			fillers[nkept] = fillers[nfull];
			fillers[nfull++] = filler;
		}
		nkept++;
	}
	qsort(fillers + nfull, nkept - nfull, sizeof(Filler), compare_fillers);
	*n = nkept;
	return cost;
}

/* The same exactly, of sorted fillers; counts what is taken of each. */
static int64
filled_in_parts(const Filler *fillers, uint32 n, int64 missing, float *taken)
{
	int64		cost = 0;

	for (uint32 i = 0; i < n && missing > 0; i++)
	{
		int64		part = Min(fillers[i].people, missing);

		cost += (int64) ((int128) fillers[i].cost * part / fillers[i].people);
		if (taken != NULL)
			taken[fillers[i].tuple] += (float) part / fillers[i].people;
		missing -= part;
	}
	return missing > 0 ? PG_INT64_MAX : cost;
}

/*
 * The least that it costs to add some people by whole tuples, of sorted
 * fillers, which are overwritten; at most a limit, or else nothing is taken.
 * Of those with so many people each, no more can be needed than have enough
 * together; of those with all that are missing, one.
 */
static int64
filled_by_whole(Bound *bound, uint32 n, int32 missing, int64 limit, float *taken)
{
	Filler	   *fillers = bound->fillers;
	int64		least[MOST_WHOLE + 1];	/* by people */
	int			used[MOST_WHOLE + 1] = {0};
	bool		chosen[MOST_WHOLE * 6][MOST_WHOLE + 1]; /* by filler: the sum of
														 * missing / people is
														 * below that */
	Filler		single = {.cost = PG_INT64_MAX};
	uint32		nkept = 0;

	for (uint32 i = 0; i < n; i++)
	{
		int32		people = fillers[i].people;

		if (people >= missing)
		{
			if (fillers[i].cost < single.cost)
				single = fillers[i];
		}
		else if (used[people] * (int64) people < missing)
		{
			used[people]++;
			fillers[nkept++] = fillers[i];
		}
	}
	least[0] = 0;
	for (int32 p = 1; p <= missing; p++)
		least[p] = limit;
	for (uint32 i = 0; i < nkept; i++)
		for (int32 p = missing; p > 0; p--)
		{
			int64		cost = least[Max(p - fillers[i].people, 0)] + fillers[i].cost;

			chosen[i][p] = cost < least[p];
			least[p] = Min(least[p], cost);
		}
	if (Min(single.cost, least[missing]) >= limit)
		return limit;
	if (single.cost <= least[missing])
	{
		taken[single.tuple] += 1;
		return single.cost;
	}
	for (int32 i = (int32) nkept - 1, p = missing; p > 0; i--)
		if (chosen[i][p])
		{
			taken[fillers[i].tuple] += 1;
			p = Max(p - fillers[i].people, 0);
		}
	return least[missing];
}

/*
 * The least cost of filling a vector up, or what is gained by its other tuples if
 * it costs no less.  near is at least the value.
 */
static int64
fill_up(Bound *bound, const Priced *tuples, const uint32 *members, uint32 n, int32 cost, int32 missing, int64 gain,
		float *taken, double *near)
{
	Filler	   *fillers = bound->fillers;
	uint32		nfillers = 0;
	uint32		ncheap;

	for (uint32 i = 0; i < n; i++)
	{
		const Priced *tuple = &tuples[members[i]];
		int64		own = tuple->rows * (cost - (int64) tuple->price);

		if (own >= 0 && own < gain)
			fillers[nfillers++] = (Filler)
		{
			(double) own / tuple->people, own, tuple->people, members[i]
		};
	}
	if (nfillers == 0)
		return gain;
	/* with a margin for the rounding of sums */
	ncheap = nfillers;
	*near = Max(*near, filled_by_buckets(fillers, &ncheap, missing) * (1 - 1e-9) - gain);
	if (*near > 1 || filled_in_parts(fillers, ncheap, missing, NULL) >= gain)
		return gain;
	/* many people in parts cost hardly less than whole tuples */
	if (taken == NULL || missing > MOST_WHOLE)
		return filled_in_parts(fillers, ncheap, missing, taken);
	qsort(fillers, nfillers, sizeof(Filler), compare_fillers);
	return filled_by_whole(bound, nfillers, missing, gain, taken);
}

/* A vector's value, or 0 if it is not negative, at some prices; counts what it takes, if asked. */
static int64
value_of(Bound *bound, const Priced *tuples, const uint32 *members, uint32 n, int32 cost, float *taken, double *near)
{
	int64		gain = 0;
	int64		people = 0;
	int64		price = 0;
	int32		most = PG_INT32_MIN;

	for (uint32 i = 0; i < n; i++)
	{
		const Priced *tuple = &tuples[members[i]];

		if (tuple->price > cost)
		{
			gain += tuple->rows * (tuple->price - (int64) cost);
			people += tuple->people;
		}
		else
			most = Max(most, tuple->price);
	}
	if (people < bound->needed)
	{
		*near = (bound->needed - people) * ((double) cost - most) - gain;
		if (gain == 0 || *near >= 1)
			return 0;
		price = fill_up(bound, tuples, members, n, cost, (int32) (bound->needed - people), gain, taken, near);
		if (price >= gain)
			return 0;
	}
	*near = (double) price - gain;
	for (uint32 i = 0; i < n && taken != NULL; i++)
		if (tuples[members[i]].price > cost)
			taken[members[i]] += 1;
	return price - gain;
}

/* ---------------------------------------------------------- the first prices */

static bool
has_people(const Bound *bound, const uint32 *members, uint32 n)
{
	int64		people = 0;

	for (uint32 i = 0; i < n && people < bound->needed; i++)
		people += bound->tuples[members[i]].people;
	return people >= bound->needed;
}

/* Lowers prices to the cost of a vector with enough people. */
static bool
find_cheapest(void *arg, const uint32 *members, uint32 n, int64 cost, bool all)
{
	Bound	   *bound = arg;
	bool		useful = false;

	for (uint32 i = 0; i < n && !useful; i++)
		useful = bound->tuples[members[i]].price > cost;
	if (!useful || !has_people(bound, members, n))
		return false;
	for (uint32 i = 0; i < n && all; i++)
		bound->tuples[members[i]].price = Min(bound->tuples[members[i]].price, (int32) cost);
	return true;
}

static int128
sum_of_prices(const Bound *bound)
{
	int128		sum = 0;

	for (uint32 t = 0; t < bound->n; t++)
		sum += (int128) bound->tuples[t].rows * bound->tuples[t].price;
	return sum;
}

/* Remembers prices that give a better bound. */
static void
keep_prices(Bound *bound, int128 value)
{
	if (value <= bound->best)
		return;
	bound->best = value;
	for (uint32 t = 0; t < bound->n; t++)
		bound->best_price[t] = bound->tuples[t].price;
}

/* Goes back to them; where vectors stay stored, not above the caps. */
static void
restore_prices(Bound *bound, bool stored)
{
	for (uint32 t = 0; t < bound->n; t++)
		bound->exact[t] = bound->tuples[t].price = stored ? Min(bound->best_price[t], bound->caps[t].price) : bound->best_price[t];
}

/*
 * Prices at which no vector has a negative value: a tuple's is the cost of the
 * cheapest vector with enough people.  Vectors of small cost come first, in
 * little time; prices that are not below the highest cost are that.
 */
static bool
first_prices(Bound *bound)
{
	const Ground *ground = bound->ground;
	int32		most = 0;

	bound->best = -1;
	for (uint32 t = 0; t < bound->n; t++)
	{
		/* nobody loses less than by the lowest labels */
		int32		price = 0;

		for (int a = 0; a < ground->nattrs; a++)
			price += bound->vectors.cost[a][0][ground_codes(ground, t)[a]];
		bound->tuples[t].price = price;
		most = Max(most, price);
	}
	keep_prices(bound, sum_of_prices(bound));
	/* a range has more ends than labels */
	if (ground->order->labels != LABELS_HIERARCHY)
		return false;
	bound->vectors.visit = find_cheapest;
	for (int32 cap = Max(most + 1, bound->whole / 32), before = -1; before < bound->whole;)
	{
		bool		open = false;

		for (uint32 t = 0; t < bound->n; t++)
			if (before < 0 || bound->tuples[t].price == before)
			{
				bound->tuples[t].price = Min(cap, bound->whole);
				open = true;
			}
		if (!open)
			break;
		if (!vectors_walk(ground, &bound->vectors))
			return false;
		keep_prices(bound, sum_of_prices(bound));
		before = Min(cap, bound->whole);
		cap = cap > bound->whole / 2 ? bound->whole : 2 * cap;
	}
	return true;
}

/* ------------------------------------------------- vectors below the caps */

/* Stores a vector, if it may have a negative value below the caps. */
static bool
store_vector(void *arg, const uint32 *members, uint32 n, int64 cost, bool all)
{
	Bound	   *bound = arg;
	uint32		number = bound->nvectors;
	double		near;

	if (bound->full || !has_people(bound, members, n) ||
		value_of(bound, bound->caps, members, n, (int32) cost, NULL, &near) == 0)
		return false;
	if (!all)
		return true;
	if (!room_for(bound->ground, (void **) &bound->stored, sizeof(StoredVector), number + 1, &bound->room) ||
		!room_for(bound->ground, (void **) &bound->members, sizeof(uint32), bound->nmembers + n, &bound->members_room))
	{
		bound->full = true;
		return false;
	}
	bound->stored[number] = (StoredVector)
	{
		bound->nmembers, n, (int32) cost, 0
	};
	memcpy(bound->members + bound->nmembers, members, sizeof(uint32) * n);
	bound->nmembers += n;
	bound->nvectors++;
	return true;
}

/*
 * Stores the vectors that matter while prices rise by less than a share of
 * themselves and of their mean; less if there is no room.  Returns false at the
 * deadline.
 */
static bool
store_vectors(Bound *bound, double reach)
{
	double		mean = (double) bound->best / bound->rows;

	bound->vectors.visit = store_vector;
	for (;; reach = reach / 2)
	{
		for (uint32 t = 0; t < bound->n; t++)
		{
			double		price = bound->tuples[t].price;

			/* without room even for these prices, lower ones */
			if (reach < 0.01)
				bound->tuples[t].price = bound->exact[t] = price *= 0.9;
			bound->caps[t].price = (int32) Min(price + reach * (fabs(price) + mean), bound->whole);
		}
		bound->full = false;
		bound->nvectors = 0;
		bound->nmembers = 0;
		if (!vectors_walk(bound->ground, &bound->vectors))
			return false;
		if (!bound->full)
			return true;
		bound->short_of_memory = true;
	}
}

/* ------------------------------------------------------------------ steps */

/*
 * The sum of prices and of negative values, and what these take; of all vectors,
 * which is the bound, or only of the active ones.  Returns false at the deadline.
 */
static bool
evaluate(Bound *bound, bool all, int128 *value)
{
	uint32		n = all ? bound->nvectors : bound->nactive;

	*value = sum_of_prices(bound);
	memset(bound->taken, 0, sizeof(float) * bound->n);
	if (all)
		bound->nactive = 0;
	for (uint32 i = 0; i < n; i++)
	{
		uint32		number = all ? i : bound->stored[i].active;
		const StoredVector *vector = &bound->stored[number];
		double		near;

		if (i % 4096 == 4095)
		{
			CHECK_FOR_INTERRUPTS();
			if (recoding_is_over(bound->ground->order))
				return false;
		}
		*value += value_of(bound, bound->tuples, bound->members + vector->first, vector->n, vector->cost, bound->taken, &near);
		if (all && near < bound->reach)
			bound->stored[bound->nactive++].active = number;
	}
	return true;
}

/*
 * Moves prices along the averaged gradient; returns how far those that rise do,
 * on average, or -1 if no vector wants another price.
 */
static double
move_prices(Bound *bound, double length, double value)
{
	double		norm = 0;
	double		slope = 0;
	double		risen = 0;
	double		step;
	uint32		nrising = 0;

	for (uint32 t = 0; t < bound->n; t++)
	{
		double		gradient = 1 - bound->taken[t];

		bound->direction[t] += 0.3 * (gradient - bound->direction[t]);
		norm += bound->tuples[t].rows * bound->direction[t] * bound->direction[t];
		slope += bound->tuples[t].rows * bound->direction[t] * gradient;
	}
	if (slope <= 0)
	{
		norm = 0;
		for (uint32 t = 0; t < bound->n; t++)
		{
			bound->direction[t] = 1 - bound->taken[t];
			norm += bound->tuples[t].rows * bound->direction[t] * bound->direction[t];
		}
	}
	if (norm == 0)
		return -1;
	step = length * Max(bound->target - value, bound->target / 1000) / norm;
	for (uint32 t = 0; t < bound->n; t++)
	{
		double		move = step * bound->direction[t];

		/* tuples that can be a class alone pay for themselves */
		if (bound->tuples[t].people >= bound->needed)
			continue;
		bound->exact[t] = Max(Min(bound->exact[t] + move, bound->caps[t].price), -bound->whole);
		bound->tuples[t].price = (int32) floor(bound->exact[t]);
		if (move > 0)
		{
			risen += move * move;
			nrising++;
		}
	}
	return nrising > 0 ? sqrt(risen / nrising) : 0;
}

/* Takes steps, as many as one store of vectors is good for; returns false at the deadline. */
static bool
take_steps(Bound *bound, double *length, int *idle)
{
	int128		value;

	memset(bound->direction, 0, sizeof(double) * bound->n);
	for (int i = 0; i < STEPS; i++)
	{
		bool		all = i % FULL_STEPS == 0;
		double		risen;

		CHECK_FOR_INTERRUPTS();
		if (recoding_is_over(bound->ground->order) || !evaluate(bound, all, &value))
			return false;
		if (all)
		{
			*idle = value > bound->best + bound->best / 50000 ? 0 : *idle + FULL_STEPS;
			keep_prices(bound, value);
			if (*idle >= PATIENCE)
			{
				*length *= 0.7;
				*idle = 0;
				restore_prices(bound, true);
				memset(bound->direction, 0, sizeof(double) * bound->n);
				if (*length < LAST_STEP)
					return true;
				continue;
			}
		}
		risen = move_prices(bound, *length, (double) value);
		if (risen < 0)
		{
			*length = 0;
			return true;
		}
		if (all)
			bound->reach = risen * FULL_STEPS * bound->needed * 1.5;
	}
	return true;
}

/* --------------------------------------------------------------- the bound */

/* Costs of labels in a unit of which a row's loss has many, rounded down. */
static void
prepare_costs(Bound *bound)
{
	const Population *population = bound->ground->order->population;
	int			bits = Max(Min(30, 61 - pg_leftmost_one_pos64(Max(population->people, 1))), 4);
	double		weights = 0;

	for (int a = 0; a < population->nattrs; a++)
		weights += bound->ground->order->loss == OBJECTIVE_NWP ? population->attrs[a].weight : 1;
	for (int a = 0; a < population->nattrs; a++)
	{
		const Attribute *attr = &population->attrs[a];
		const Axis *axis = &bound->ground->axes[a];
		double		weight = bound->ground->order->loss == OBJECTIVE_NWP ? attr->weight : 1;
		int64		share = (int64) Max(ldexp(weight / weights, bits) - 1, 0);
		uint32		whole = whole_lost(attr->hierarchy);

		if (whole == 0)
			share = 0;
		bound->whole += share;
		bound->vectors.nlevels[a] = axis->nlevels;
		bound->vectors.cost[a] = palloc(sizeof(int32 *) * axis->nlevels);
		for (int level = 0; level < axis->nlevels; level++)
		{
			const Recoding *recoding = &attr->hierarchy->levels[attr->min_level + level];
			int32	   *cost = population_alloc(population, sizeof(int32), axis->ncodes);

			bound->vectors.cost[a][level] = cost;
			for (uint32 code = 0; code < axis->ncodes; code++)
				cost[code] = (int32) (share * label_lost(attr->hierarchy, recoding, axis->label[level][code]) / Max(whole, 1));
		}
	}
	bound->unit = ldexp(1, -bits);
}

static void
prepare_tuples(Bound *bound)
{
	const Ground *ground = bound->ground;
	const Population *population = ground->order->population;
	Size		n = bound->n = ground->ntuples;

	bound->rows = population->people;
	/* the size that other promises ask for counts rows */
	bound->needed = (int32) (population->has_persons ? Max(ground->order->promise.k, 1) : Min(ground->smallest, PG_INT32_MAX / 2));
	bound->tuples = population_alloc(population, sizeof(Priced), n);
	bound->caps = population_alloc(population, sizeof(Priced), n);
	bound->exact = population_alloc(population, sizeof(double), n);
	bound->direction = population_alloc(population, sizeof(double), n);
	bound->taken = population_alloc(population, sizeof(float), n);
	bound->best_price = population_alloc(population, sizeof(int32), n);
	bound->fillers = population_alloc(population, sizeof(Filler), n);
	for (uint32 t = 0; t < n; t++)
	{
		uint32		tuple = ground->tuple[t];

		bound->tuples[t].rows = population->tuples->counts[tuple];
		bound->tuples[t].people = (int32) Min(class_people(population, population->tuples, tuple), bound->needed);
		bound->caps[t] = bound->tuples[t];
	}
}

static void
improve_bound(Bound *bound)
{
	double		length = FIRST_STEP;
	double		reach = 0.3;
	int			idle = 0;

	while (length >= LAST_STEP)
	{
		restore_prices(bound, false);
		bound->target = Max(bound->best + bound->best / 2, 1);
		if (!store_vectors(bound, reach))
			return;
		if (!take_steps(bound, &length, &idle))
			return;
		reach = Max(reach * 0.7, 0.1);
	}
}

double
recoding_bound(const RecodingOrder *given, bool *short_of_memory)
{
	RecodingOrder order = *given;
	const Population *population = order.population;
	MemoryContext context = AllocSetContextCreate(population->context, "anonopt recoding bound", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Bound		bound = {0};
	double		loss;

	/* what it needs at the least */
	*short_of_memory = !budget_allows(context, (sizeof(Priced) * 2 + sizeof(Filler) + 64 + sizeof(uint32) * 2 * population->nattrs) *
									  (population->tuples->ntuples + (Size) 1000));
	if (*short_of_memory)
		return 0;
	order.watch = NULL;
	bound.ground = ground_create(&order, context, NULL, population->tuples->ntuples);
	bound.vectors.arg = &bound;
	bound.vectors.until = order.deadline;
	prepare_costs(&bound);
	prepare_tuples(&bound);
	if (first_prices(&bound))
		improve_bound(&bound);
	loss = (double) bound.best * bound.unit;
	*short_of_memory = bound.short_of_memory;
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return order.loss == OBJECTIVE_GLM ? loss * population->nattrs : loss / population->people;
}
