/*
 * cut_bits.c
 *	  Partitions of ordered domains, as bit strings.
 */
#include "release/cut_bits.h"

#include "utils/varbit.h"

/* Whether NULL is the last leaf, with a label of its own. */
static bool
has_label_of_null(const Attribute *attr, const Recoding *finer)
{
	uint32		leaf = attr->hierarchy->null_leaf;

	return leaf != NO_LEAF && leaf + 1 == attr->hierarchy->nleaves && finer->leaves[finer->label_of[leaf]] == 1;
}

/* The neighbouring labels that a bit string separates. */
static bool *
cut_bits(const Attribute *attr, const Recoding *finer, Datum datum, bool null_is_new)
{
	VarBit	   *bits = DatumGetVarBitP(datum);
	int			length = VARBITLEN(bits);
	bool	   *keep = palloc(sizeof(bool) * ((Size) length + 2));

	for (int i = 0; i < length; i++)
		keep[i] = (VARBITS(bits)[i / BITS_PER_BYTE] >> (BITS_PER_BYTE - 1 - i % BITS_PER_BYTE)) & 1;
	if (null_is_new && length + 2 == finer->nlabels && has_label_of_null(attr, finer))
		keep[length++] = true;

	if (length != finer->nlabels - 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cuts of column \"%s\" have the wrong length", attr->name),
				 errdetail("There are %d bits for %u labels at level %d.",
						   length, finer->nlabels, attr->min_level),
				 errhint("Give %u bits, one between any two neighbours.", finer->nlabels - 1)));
	return keep;
}

const Recoding **
node_of_cuts(const Population *population, const Datum *cuts, bool null_is_new)
{
	const Recoding **node = palloc(sizeof(Recoding *) * population->nattrs);

	for (int a = 0; a < population->nattrs; a++)
	{
		const Attribute *attr = &population->attrs[a];
		const Recoding *finer = &attr->hierarchy->levels[attr->min_level];
		Recoding   *cut = recoding_cut(attr->hierarchy, finer, cut_bits(attr, finer, cuts[a], null_is_new));

		recoding_weigh(population, a, cut);
		node[a] = cut;
	}
	return node;
}
