/*
 * tuple_digest.c
 *	  Digests of tuples of leaves, which are the same in every copy of the
 *	  data.
 */
#include "release/tuple_digest.h"

#include "base/budget.h"
#include "base/portable.h"
#include "common/hashfn.h"

uint64 **
leaf_digests(const Population *population)
{
	uint64	  **digests = palloc(sizeof(uint64 *) * (population->nattrs + 1));

	for (int a = 0; a < population->nattrs; a++)
	{
		const Hierarchy *hierarchy = population->attrs[a].hierarchy;

		digests[a] = budget_alloc(sizeof(uint64), (Size) hierarchy->nleaves + 1);
		for (uint32 leaf = 0; leaf < hierarchy->nleaves; leaf++)
		{
			const char *label = hierarchy->labels[0][leaf];

			digests[a][leaf] = label == NULL ? 1 : portable_digest(label, strlen(label));
		}
	}
	return digests;
}

uint64
tuple_digest(const Population *population, const uint64 *const *digests, const int *attrs, int nattrs, uint32 tuple)
{
	const uint64 *key = population->tuples->keys + (Size) tuple * population->nwords;
	uint64		digest = 0;

	for (int i = 0; i < nattrs; i++)
	{
		int			a = attrs == NULL ? i : attrs[i];

		digest = hash_combine64(digest, digests[a][key_get(key, &population->attrs[a].field)]);
	}
	return digest;
}
