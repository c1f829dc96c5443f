/*
 * placed_content.c
 *	  Maps stored contents to the current hierarchies.
 */
#include "release/placed_content.h"

#include "release/specification.h"
#include "utils/builtins.h"
#include "utils/varbit.h"

bool
contents_are_alike(const KnownContent *a, const KnownContent *b)
{
	if (a->nattrs != b->nattrs || a->nlevels != b->nlevels || a->ncuts != b->ncuts)
		return false;
	if ((a->recoding == NULL) != (b->recoding == NULL) ||
		(a->recoding != NULL && (strcmp(a->recoding, b->recoding) != 0 || strcmp(a->labels, b->labels) != 0)))
		return false;
	for (int i = 0; i < a->nattrs; i++)
		if (strcmp(a->generalized[i], b->generalized[i]) != 0 || a->hierarchies[i] != b->hierarchies[i])
			return false;
	for (int i = 0; i < a->nlevels; i++)
		if (a->levels[i] != b->levels[i])
			return false;
	for (int i = 0; i < a->ncuts; i++)
		if (!DatumGetBool(DirectFunctionCall2(biteq, a->cuts[i], b->cuts[i])))
			return false;
	return true;
}

const Recoding *
recoding_of_bits(const Attribute *attr, Datum datum, int *found)
{
	VarBit	   *bits = DatumGetVarBitP(datum);
	int			length = VARBITLEN(bits);

	for (int level = 0; level <= attr->hierarchy->height; level++)
	{
		bool	   *keep;

		if (attr->hierarchy->levels[level].nlabels != length + 1)
			continue;
		*found = level;
		keep = palloc(sizeof(bool) * (length + 1));
		for (int i = 0; i < length; i++)
			keep[i] = (VARBITS(bits)[i / BITS_PER_BYTE] >> (BITS_PER_BYTE - 1 - i % BITS_PER_BYTE)) & 1;
		return recoding_cut(attr->hierarchy, &attr->hierarchy->levels[level], keep);
	}
	return NULL;
}

void
content_place(PlacedContent *placed, const Dataset *dataset, const Population *population)
{
	const KnownContent *known = placed->known;

	placed->recodings = palloc0(sizeof(Recoding *) * (known->nattrs + 1));
	for (int i = 0; i < known->nattrs; i++)
	{
		int			attr = 0;
		int			level;

		placed->attr_of[i] = -1;
		for (int j = 0; j < dataset->nattributes; j++)
		{
			const Declared *declared = &dataset->attributes[j];

			if (declared->role != ROLE_QUASI_IDENTIFIER)
				continue;
			if (strcmp(declared->column, known->generalized[i]) == 0 && declared->hierarchy == known->hierarchies[i])
				placed->attr_of[i] = attr;
			attr++;
		}
		if (population == NULL || placed->attr_of[i] < 0)
			continue;
		if (known->nlevels > 0 && known->levels[i] >= 0 &&
			known->levels[i] <= population->attrs[placed->attr_of[i]].hierarchy->height)
			placed->recodings[i] = &population->attrs[placed->attr_of[i]].hierarchy->levels[known->levels[i]];
		else if (known->ncuts > 0)
			placed->recodings[i] = recoding_of_bits(&population->attrs[placed->attr_of[i]], known->cuts[i], &level);
	}
}

bool
content_is_placed(const PlacedContent *placed)
{
	for (int i = 0; i < placed->known->nattrs; i++)
		if (placed->known->recoding != NULL ? placed->attr_of[i] < 0 : placed->recodings[i] == NULL)
			return false;
	return placed->known->recoding == NULL || (placed->content != NULL && placed->content->tuples != NULL);
}

const char *const *
labels_of_recoding(const PlacedContent *placed, const Population *population, int i)
{
	const Attribute *attr = &population->attrs[placed->attr_of[i]];

	if (placed->known->nlevels > 0)
		return attr->hierarchy->labels[placed->known->levels[i]];
	return (const char *const *) group_labels(attr, placed->recodings[i]);
}
