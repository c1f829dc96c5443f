/*
 * record_best.c
 *	  The best answers so far, close together.
 */
#include "record/record_best.h"

#include <math.h>


static void
read_answer(const RecordRun *run, uint32 tuple, BestSoFar *best)
{
	const RecordAnswer *answer = answer_of(run->search, tuple);

	best->cost = answer->found ? record_cost(run->search, answer->risk, answer->utility) : HUGE_VAL;
	best->risk = answer->found ? answer->risk : HUGE_VAL;
	best->utility = answer->found ? answer->utility : -HUGE_VAL;
}

BestSoFar *
best_so_far(const RecordRun *run)
{
	uint32		ntuples = run->population->tuples->ntuples;
	BestSoFar  *all = record_alloc(run->population, sizeof(BestSoFar), (Size) ntuples + 1);

	for (uint32 i = 0; i < ntuples; i++)
	{
		read_answer(run, i, &all[i]);
		all[i].visited = 0;
	}
	return all;
}

void
offer_to_best(RecordRun *run, BestSoFar *all, uint32 tuple, const int *levels, double risk, double utility)
{
	BestSoFar  *best = &all[tuple];

	best->visited++;
	if (record_cost(run->search, risk, utility) > best->cost)
		return;
	offer_node(run, tuple, levels, risk, utility);
	read_answer(run, tuple, best);
}

/*
 * Every tuple has seen the lowest and the highest node.  First answers may be
 * visited again, but no more nodes are counted than there are.
 */
void
count_best_visits(const RecordRun *run, const BestSoFar *all)
{
	for (uint32 i = 0; i < run->population->tuples->ntuples; i++)
	{
		RecordAnswer *answer = answer_of(run->search, i);

		answer->visited = Min(answer->visited + all[i].visited + 2, run->nnodes);
	}
}
