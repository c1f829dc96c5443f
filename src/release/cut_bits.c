/*
 * cut_bits.c
 *	  Partitions of ordered domains, as bit strings.
 */
#include "release/cut_bits.h"

#include "utils/varbit.h"

/* Which neighbouring labels a bit string keeps apart. */
static bool *
cut_bits(const Attribute *attr, const Recoding *finer, Datum datum)
{
	VarBit	   *bits = DatumGetVarBitP(datum);
	int			length = VARBITLEN(bits);
	bool	   *keep;

	if (length != finer->nlabels - 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cuts of column \"%s\" have the wrong length", attr->name),
				 errdetail("There are %d bits for %u labels at level %d.",
						   length, finer->nlabels, attr->min_level),
				 errhint("Give %u bits, one between any two neighbours.", finer->nlabels - 1)));
	keep = palloc(sizeof(bool) * (length + 1));
	for (int i = 0; i < length; i++)
		keep[i] = (VARBITS(bits)[i / BITS_PER_BYTE] >> (BITS_PER_BYTE - 1 - i % BITS_PER_BYTE)) & 1;
	return keep;
}

const Recoding **
node_of_cuts(const Population *population, const Datum *cuts)
{
	const Recoding **node = palloc(sizeof(Recoding *) * population->nattrs);

	for (int a = 0; a < population->nattrs; a++)
	{
		const Attribute *attr = &population->attrs[a];
		const Recoding *finer = &attr->hierarchy->levels[attr->min_level];
		Recoding   *cut = recoding_cut(attr->hierarchy, finer, cut_bits(attr, finer, cuts[a]));

		recoding_weigh(population, a, cut);
		node[a] = cut;
	}
	return node;
}
