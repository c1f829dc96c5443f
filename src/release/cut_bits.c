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

/*
 * Whether old labels are still in their old order: every subtree with an old
 * leaf must begin with one.
 */
static bool
keeps_order(const Attribute *attr, const bool *old)
{
	for (int level = attr->min_level; level <= attr->hierarchy->height; level++)
	{
		const Recoding *recoding = &attr->hierarchy->levels[level];

		for (uint32 label = 0; label < recoding->nlabels && recoding->nlabels > 1; label++)
		{
			uint32		first = recoding->first_leaf[label];

			for (uint32 leaf = first; leaf < first + recoding->leaves[label] && !old[first]; leaf++)
				if (old[leaf])
					return false;
		}
	}
	return true;
}

/*
 * Groups labels by a cut of the old ones among them, ascending; returns the
 * number of groups.
 */
static int
group_grown(const Recoding *finer, uint32 nlabels, const bool *old, VarBit *bits, int *group_of)
{
	int			nold = 0;
	int			group = 0;
	int			last_old = -1;

	for (uint32 label = 0; label < nlabels; label++)
	{
		bool		is_old = false;

		for (uint32 leaf = 0; leaf < finer->leaves[label]; leaf++)
			is_old = is_old || old[finer->first_leaf[label] + leaf];
		group_of[label] = -1;
		if (!is_old)
			continue;
		if (nold > 0 && nold <= VARBITLEN(bits))
			group += (VARBITS(bits)[(nold - 1) / BITS_PER_BYTE] >> (BITS_PER_BYTE - 1 - (nold - 1) % BITS_PER_BYTE)) & 1;
		group_of[label] = group;
		/* a label between two of a group belongs to it */
		for (int i = last_old + 1; last_old >= 0 && group_of[last_old] == group && i < (int) label; i++)
			group_of[i] = group;
		last_old = label;
		nold++;
	}
	return nold;
}

Datum
grown_cut(const Attribute *attr, Datum cut, bool *old)
{
	const Recoding *finer = &attr->hierarchy->levels[attr->min_level];
	VarBit	   *bits = DatumGetVarBitP(cut);
	int			length = VARBITLEN(bits);
	int		   *group_of = palloc(sizeof(int) * (finer->nlabels + 1));
	uint32		nlabels = finer->nlabels;
	VarBit	   *grown;
	int			nold;

	if (length + 1 >= (int) nlabels || !keeps_order(attr, old))
		return cut;
	nold = group_grown(finer, nlabels, old, bits, group_of);
	if (has_label_of_null(attr, finer) && !old[attr->hierarchy->null_leaf])
	{
		/* the data have a NULL, which the bits may not include */
		if (nold == length + 1)
			nlabels--;
		old[attr->hierarchy->null_leaf] = nold == length;
		if (nold == length)
			nold = group_grown(finer, nlabels, old, bits, group_of);
	}
	if (nold != length + 1 || nlabels == length + 1)
		return cut;
	grown = palloc0(VARBITTOTALLEN(nlabels - 1));
	SET_VARSIZE(grown, VARBITTOTALLEN(nlabels - 1));
	VARBITLEN(grown) = nlabels - 1;
	for (uint32 i = 0; i + 1 < nlabels; i++)
		if (group_of[i] < 0 || group_of[i] != group_of[i + 1])
			VARBITS(grown)[i / BITS_PER_BYTE] |= 1 << (BITS_PER_BYTE - 1 - i % BITS_PER_BYTE);
	return VarBitPGetDatum(grown);
}
