/*
 * outside_read.c
 *	  The people of other relations that a data set's promises refer to.
 */
#include "read/reading_parts.h"

#include "base/budget.h"
#include "read/declared_promise.h"
#include "read/population_read.h"

/* The entries of a relation in the population's layout. */
static Outsiders
make_outsiders(const EntryTable *entries, const Population *population)
{
	Outsiders	outsiders = {.ntuples = entries->nentries,.counts = entries->counts};
	Size		n = (Size) entries->nentries + 1;
	uint64	   *unknown;
	bool		any = false;

	budget_require(population->context, sizeof(uint64) * (population->nwords + 1) * n);
	outsiders.keys = MemoryContextAllocExtended(population->context, sizeof(uint64) * population->nwords * n,
												MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	unknown = MemoryContextAllocExtended(population->context, sizeof(uint64) * n, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint32 i = 0; i < entries->nentries; i++)
		for (int a = 0; a < population->nattrs; a++)
		{
			uint32		leaf = entries->leaves[(Size) i * population->nattrs + a];

			if (leaf != NO_LEAF)
				key_put(outsiders.keys + (Size) i * population->nwords, &population->attrs[a].field, leaf);
			else
			{
				unknown[i] |= UINT64CONST(1) << a;
				any = true;
			}
		}
	if (any)
		outsiders.unknown = unknown;
	else
		pfree(unknown);
	return outsiders;
}

void
population_read_outside(Population *population, const Dataset *dataset)
{
	for (int i = 0; i < dataset->npromises; i++)
	{
		const DeclaredPromise *promise = &dataset->promises[i];
		const Model *model = models[promise->model];
		OutsidePromise *outside = &population->outside[model->place];
		EntryTable *entries;

		if (!model_needs_population(promise->model) || population->people == 0)
			continue;
		if (outside->given)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("%s is promised twice, of different populations or shares", model_name(promise->model)),
					 errhint("Drop the release and publish it again.")));
		entries = reading_entries(dataset, promise->population, population, true);
		outside->people = make_outsiders(entries, population);
		outside->model = promise->model;
		model->bounds(promise, &outside->least, &outside->most);
		outside->given = true;
	}
}
