/*
 * placed_content.c
 *	  Maps stored contents to the current hierarchies.
 */
#include "release/composition.h"

#include "miscadmin.h"
#include "release/cut_bits.h"
#include "utils/builtins.h"
#include "utils/varbit.h"

static bool
generalize_alike(const Generalization *a, const Generalization *b, int nattrs)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == BY_RECODING)
		return strcmp(a->recoding_name, b->recoding_name) == 0 && a->labels == b->labels;
	for (int i = 0; i < nattrs; i++)
		if ((a->kind == BY_LEVELS && a->levels[i] != b->levels[i]) ||
			(a->kind == BY_CUTS && !DatumGetBool(DirectFunctionCall2(biteq, a->cuts[i], b->cuts[i]))))
			return false;
	return true;
}

bool
contents_are_alike(const KnownContent *content_a, const KnownContent *content_b)
{
	const ReleaseEntry *a = &content_a->release;
	const ReleaseEntry *b = &content_b->release;

	if (a->ngeneralized != b->ngeneralized || !generalize_alike(&a->by, &b->by, a->ngeneralized))
		return false;
	for (int i = 0; i < a->ngeneralized; i++)
		if (strcmp(a->generalized[i], b->generalized[i]) != 0 || a->hierarchies[i] != b->hierarchies[i])
			return false;
	return true;
}

const Recoding *
recoding_of_bits(const Attribute *attr, Datum datum, int *found)
{
	int			length = VARBITLEN(DatumGetVarBitP(datum));

	for (int level = 0; level <= attr->hierarchy->height; level++)
	{
		if (attr->hierarchy->levels[level].nlabels != length + 1)
			continue;
		*found = level;
		return recoding_cut(attr->hierarchy, &attr->hierarchy->levels[level], separated_labels(datum));
	}
	return NULL;
}

bool *
used_labels(const Content *content, int attr, const TextIndex *texts)
{
	bool	   *used = MemoryContextAllocExtended(CurrentMemoryContext, (Size) content->nlabels[attr] + 1, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);

	for (uint32 i = 0; i < content->rows->nkeys; i++)
	{
		uint32		label = content_code(content, content_row(content, i), attr);

		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		if (label != STARRED)
			used[label] = true;
	}
	for (uint32 label = 0; label < content->nlabels[attr]; label++)
		if (used[label])
			used[find_text(texts, content->labels[attr][label])] = true;
	return used;
}

/* Marks the labels of a content that are among some texts. */
static void
mark_labels(const Content *content, int i, const char *const *texts, uint32 ntexts, bool *found)
{
	TextIndex	index = index_texts(texts, ntexts);

	for (uint32 label = 0; label < content->nlabels[i]; label++)
		found[label] = found[label] || find_text(&index, content->labels[i][label]) != PG_UINT32_MAX;
}

/* Whether all labels are marked, but for unused ones and NULL, which needs no leaf. */
static bool
all_found(const Content *content, int i, const bool *found)
{
	TextIndex	texts = index_texts(content->labels[i], content->nlabels[i]);
	const bool *used = used_labels(content, i, &texts);

	for (uint32 label = 0; label < content->nlabels[i]; label++)
		if (used[label] && !found[label] && content->labels[i][label] != NULL)
			return false;
	return true;
}

bool
labels_fit(const Generalization *by, const Content *content, int i, const Attribute *attr)
{
	const Hierarchy *hierarchy = attr->hierarchy;
	bool	   *found = MemoryContextAllocExtended(CurrentMemoryContext, (Size) content->nlabels[i] + 1, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	Attribute	cut_of = *attr;
	const Recoding *cut = by->kind == BY_CUTS ? recoding_of_bits(attr, by->cuts[i], &cut_of.min_level) : NULL;

	if (cut != NULL)
		mark_labels(content, i, (const char *const *) group_labels(&cut_of, cut), cut->nlabels, found);
	for (int level = 0; level <= hierarchy->height && by->kind != BY_CUTS; level++)
		if (by->kind != BY_LEVELS || by->levels[i] == level)
			mark_labels(content, i, hierarchy->labels[level], hierarchy->levels[level].nlabels, found);
	return all_found(content, i, found);
}

int
attribute_of_column(const Dataset *dataset, const char *column)
{
	int			n = dataset_count_role(dataset, ROLE_QUASI_IDENTIFIER);

	for (int a = 0; a < n; a++)
		if (strcmp(declared_attribute(dataset, a)->column, column) == 0)
			return a;
	return -1;
}

/*
 * The attribute of a content's column: with the hierarchy that the content was
 * made with, or one that has its labels.  -1 if there is none.
 */
static int
attribute_of(const KnownContent *placed, int i, const Dataset *dataset, const Population *population)
{
	const ReleaseEntry *known = &placed->release;
	int			attr = attribute_of_column(dataset, known->generalized[i]);

	if (attr < 0 || population == NULL || declared_attribute(dataset, attr)->hierarchy == known->hierarchies[i])
		return attr;
	if (known->by.kind == BY_RECODING && known->by.labels != LABELS_HIERARCHY)
		return -1;
	return placed->content != NULL && labels_fit(&known->by, placed->content, i, &population->attrs[attr]) ? attr : -1;
}

void
content_place(KnownContent *placed, const Dataset *dataset, const Population *population)
{
	const ReleaseEntry *known = &placed->release;

	placed->recodings = palloc0(sizeof(Recoding *) * (known->ngeneralized + 1));
	for (int i = 0; i < known->ngeneralized; i++)
	{
		const Attribute *attr;
		int			level;

		placed->attr_of[i] = attribute_of(placed, i, dataset, population);
		if (population == NULL || placed->attr_of[i] < 0)
			continue;
		attr = &population->attrs[placed->attr_of[i]];
		if (known->by.kind == BY_LEVELS && known->by.levels[i] <= attr->hierarchy->height)
			placed->recodings[i] = &attr->hierarchy->levels[known->by.levels[i]];
		else if (known->by.kind == BY_CUTS)
			placed->recodings[i] = recoding_of_bits(attr, known->by.cuts[i], &level);
	}
}

bool
content_is_placed(const KnownContent *placed)
{
	for (int i = 0; i < placed->release.ngeneralized; i++)
		if (placed->release.by.kind == BY_RECODING ? placed->attr_of[i] < 0 : placed->recodings[i] == NULL)
			return false;
	return placed->release.by.kind != BY_RECODING || (placed->content != NULL && placed->content->tuples != NULL);
}

const char *const *
labels_of_recoding(const KnownContent *placed, const Population *population, int i)
{
	const Attribute *attr = &population->attrs[placed->attr_of[i]];

	if (placed->release.by.kind == BY_LEVELS)
		return attr->hierarchy->labels[placed->release.by.levels[i]];
	return (const char *const *) group_labels(attr, placed->recodings[i]);
}
