/*
 * cut_bits.c
 *	  Partitions of ordered domains, as bit strings.
 */
#include "release/cut_bits.h"

#include "release/class_labels.h"
#include "utils/varbit.h"

static bool
is_set(const VarBit *bits, int i)
{
	return (VARBITS(bits)[i / BITS_PER_BYTE] >> (BITS_PER_BYTE - 1 - i % BITS_PER_BYTE)) & 1;
}

bool *
separated_labels(Datum cut)
{
	VarBit	   *bits = DatumGetVarBitP(cut);
	bool	   *keep = palloc(sizeof(bool) * ((Size) VARBITLEN(bits) + 1));

	for (int i = 0; i < VARBITLEN(bits); i++)
		keep[i] = is_set(bits, i);
	return keep;
}

Datum
separating_bits(const bool *separated, int nbits)
{
	VarBit	   *bits = palloc0(VARBITTOTALLEN(nbits));

	SET_VARSIZE(bits, VARBITTOTALLEN(nbits));
	VARBITLEN(bits) = nbits;
	for (int i = 0; i < nbits; i++)
		if (separated[i])
			VARBITS(bits)[i / BITS_PER_BYTE] |= HIGHBIT >> (i % BITS_PER_BYTE);
	return VarBitPGetDatum(bits);
}

const Recoding **
node_of_cuts(const Population *population, const Datum *cuts)
{
	const Recoding **node = palloc(sizeof(Recoding *) * population->nattrs);

	for (int a = 0; a < population->nattrs; a++)
	{
		const Attribute *attr = &population->attrs[a];
		const Recoding *finer = &attr->hierarchy->levels[attr->min_level];
		int			length = VARBITLEN(DatumGetVarBitP(cuts[a]));
		Recoding   *cut;

		if (length != finer->nlabels - 1)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("cuts of column \"%s\" have the wrong length", attr->name),
					 errdetail("There are %d bits for %u labels at level %d.", length, finer->nlabels, attr->min_level),
					 errhint("Give %u bits, one between any two neighbours.", finer->nlabels - 1)));
		cut = recoding_cut(attr->hierarchy, finer, separated_labels(cuts[a]));
		recoding_weigh(population, a, cut);
		node[a] = cut;
	}
	return node;
}

/* Where old labels stand now, -1 if a label is gone; NULL if their order has changed. */
static int *
places_now(const Attribute *attr, const char *const *labels, int n)
{
	uint32		nnow = attr->hierarchy->levels[attr->min_level].nlabels;
	const char *const *now = (const char *const *) attr->hierarchy->labels[attr->min_level];
	TextIndex	index = index_texts(now, nnow);
	int		   *places = palloc(sizeof(int) * ((Size) n + 1));
	int64		last = -1;

	for (int i = 0; i < n; i++)
	{
		bool		is_next = last + 1 < nnow && compare_texts(now[last + 1], labels[i]) == 0;
		int64		place = is_next ? last + 1 : find_text(&index, labels[i]);

		places[i] = place == PG_UINT32_MAX ? -1 : (int) place;
		if (places[i] < 0)
			continue;
		if (place <= last)
			return NULL;
		last = place;
	}
	return places;
}

Datum
cut_again(const Attribute *attr, Datum cut, const char *const *labels)
{
	VarBit	   *bits = DatumGetVarBitP(cut);
	int			nbits = attr->hierarchy->levels[attr->min_level].nlabels - 1;
	int		   *places = places_now(attr, labels, VARBITLEN(bits) + 1);
	bool	   *again = palloc0(sizeof(bool) * ((Size) nbits + 1));
	bool		parted = true;
	int			last = 0;

	if (places == NULL)
		return (Datum) 0;
	for (int i = 0; i <= VARBITLEN(bits); i++)
	{
		parted = parted || (i > 0 && is_set(bits, i - 1));
		if (places[i] < 0)
			continue;
		for (int bit = last; bit < places[i] && parted; bit++)
			again[bit] = true;
		last = places[i];
		parted = false;
	}
	for (int bit = last; bit < nbits; bit++)
		again[bit] = true;
	return separating_bits(again, nbits);
}
