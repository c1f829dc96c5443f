/*
 * recoding_mondrian.c
 *	  Strict Mondrian, for comparison.
 *
 * A box is halved at the median person of the attribute with the most loss in
 * it, or of the next one if a half would be too small, until no box can be
 * halved.  Other tools offer it; the search does far better.
 */
#include "search/recoding.h"

#include "base/budget.h"
#include "miscadmin.h"
#include "search/recoding_ground.h"

typedef struct Mondrian
{
	const Ground *ground;
	uint32	   *order;
	uint32	   *scratch;
	int64	   *people;			/* by code */
	RecodingResult *result;
} Mondrian;

/* The first code of the upper half, or 0 if a half would be too small. */
static uint32
median_code(const Mondrian *mondrian, uint32 start, uint32 end, int a, uint32 low, uint32 high)
{
	const Ground *ground = mondrian->ground;
	int64		all = 0;
	int64		below = 0;
	uint32		code;

	memset(mondrian->people + low, 0, sizeof(int64) * (high - low + 1));
	for (uint32 i = start; i < end; i++)
	{
		mondrian->people[ground_codes(ground, mondrian->order[i])[a]] += ground->people[mondrian->order[i]];
		all += ground->people[mondrian->order[i]];
	}
	for (code = low; code < high && below < all - all / 2; code++)
		below += mondrian->people[code];
	if (below < ground->smallest || all - below < ground->smallest)
		return 0;
	return code;
}

/* Moves the tuples below a code to the front; returns the start of the others. */
static uint32
part(Mondrian *mondrian, uint32 start, uint32 end, int a, uint32 code)
{
	uint32		left = start;
	uint32		right = 0;

	for (uint32 i = start; i < end; i++)
	{
		if (ground_codes(mondrian->ground, mondrian->order[i])[a] < code)
			mondrian->order[left++] = mondrian->order[i];
		else
			mondrian->scratch[right++] = mondrian->order[i];
	}
	memcpy(mondrian->order + left, mondrian->scratch, sizeof(uint32) * right);
	return left;
}

/* Halves some tuples, or makes them a class. */
static void
halve(Mondrian *mondrian, uint32 start, uint32 end)
{
	const Ground *ground = mondrian->ground;
	uint32		box[2 * MAX_ATTRIBUTES];
	uint32		tuple[2 * MAX_ATTRIBUTES];
	bool		tried[MAX_ATTRIBUTES] = {0};

	CHECK_FOR_INTERRUPTS();
	box_of_tuple(ground, mondrian->order[start], box);
	for (uint32 i = start + 1; i < end; i++)
	{
		box_of_tuple(ground, mondrian->order[i], tuple);
		box_extend(ground, box, tuple);
	}
	for (int round = 0; round < ground->nattrs; round++)
	{
		int			widest = -1;
		int32		most = 0;
		uint32		code;

		for (int a = 0; a < ground->nattrs; a++)
		{
			int32		loss = axis_span(&ground->axes[a], box[a], box[ground->nattrs + a]);

			if (!tried[a] && box[a] != box[ground->nattrs + a] && (widest < 0 || loss > most))
			{
				widest = a;
				most = loss;
			}
		}
		if (widest < 0)
			break;
		tried[widest] = true;
		code = median_code(mondrian, start, end, widest, box[widest], box[ground->nattrs + widest]);
		if (code > 0)
		{
			uint32		middle = part(mondrian, start, end, widest, code);

			halve(mondrian, start, middle);
			halve(mondrian, middle, end);
			return;
		}
	}
	for (uint32 i = start; i < end; i++)
		mondrian->result->class_of[ground->tuple[mondrian->order[i]]] = mondrian->result->nclasses;
	mondrian->result->nclasses++;
}

RecodingResult *
recoding_mondrian(const RecodingOrder *order)
{
	const Population *population = order->population;
	uint32		n = population->tuples->ntuples;
	RecodingResult *result = palloc0(sizeof(RecodingResult));
	MemoryContext context = AllocSetContextCreate(population->context, "anonopt recoding", ALLOCSET_DEFAULT_SIZES);
	Ground	   *ground = ground_create(order, context, NULL, n);
	Mondrian	mondrian = {.ground = ground,.result = result};
	uint32		most = 1;

	for (int a = 0; a < ground->nattrs; a++)
		most = Max(most, ground->axes[a].ncodes);
	budget_require(population->context, (3 * sizeof(uint32)) * (Size) n + sizeof(int64) * most);
	result->class_of = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) n + 1));
	result->feasible = population->people >= ground->smallest;
	mondrian.order = MemoryContextAllocHuge(context, sizeof(uint32) * ((Size) n + 1));
	mondrian.scratch = MemoryContextAllocHuge(context, sizeof(uint32) * ((Size) n + 1));
	mondrian.people = MemoryContextAllocHuge(context, sizeof(int64) * most);
	for (uint32 i = 0; i < n; i++)
		mondrian.order[i] = i;
	if (n > 0 && result->feasible)
		halve(&mondrian, 0, n);
	MemoryContextDelete(context);
	return result;
}
