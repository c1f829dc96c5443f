/*
 * release_covers.c
 *	  The leaves under the labels of a release that are not those of a level.
 *
 * The people of a population with the labels of a cut or a recoding cannot be
 * found by the labels.  So the runs of leaves under them are stored, by their
 * first and last leaves; leaves that a hierarchy gains between these are under
 * the label, too.
 */
#include "release/release_verify.h"

#include "base/key_counter.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"

static void
append_text(char ***texts, int *n, const char *text)
{
	if (*n == 0)
		*texts = palloc(sizeof(char *));
	else if (pg_nextpower2_32(*n) == *n)
		*texts = repalloc_huge(*texts, sizeof(char *) * 2 * *n);
	(*texts)[(*n)++] = unconstify(char *, text);
}

static void
append_run(LabelCover *cover, const Attribute *attr, const char *label, uint32 first, uint32 end)
{
	if (first >= end)
		return;
	append_text(&cover->labels, &cover->n, label);
	append_text(&cover->firsts, &cover->nfirsts, attr->hierarchy->labels[0][first]);
	append_text(&cover->lasts, &cover->nlasts, attr->hierarchy->labels[0][end - 1]);
}

/* The leaves under a label, except that of values without one, and these values. */
static void
append_cover(LabelCover *cover, const Attribute *attr, const char *label, uint32 first, uint32 leaves)
{
	uint32		end = first + leaves;
	uint32		unknown = attr->unknown_leaf;
	bool		has_unknown = unknown >= first && unknown < end;

	append_run(cover, attr, label, first, has_unknown ? unknown : end);
	if (has_unknown)
		append_run(cover, attr, label, unknown + 1, end);
	if (has_unknown || leaves == attr->hierarchy->nleaves)
		append_text(&cover->unknown, &cover->nunknown, label);
}

/* The labels of the boxes that are shown; each label and run occurs once. */
static void
append_boxes(LabelCover *cover, const Classes *classes, int a)
{
	KeyCounter *runs = key_counter_create(CurrentMemoryContext, 2, 1024);

	for (Size box = 0; box < classes->nboxes; box++)
	{
		Size		at = box * classes->population->nattrs + a;
		uint64	   *key = key_counter_candidate(runs);
		uint32		known = runs->nkeys;

		CHECK_FOR_INTERRUPTS();
		if (classes->class_of_box[box] == NO_CLASS)
			continue;
		key[0] = (uint64) classes->first_leaf[at] << 32 | classes->leaves[at];
		key[1] = classes->codes[at];
		if (key_counter_add(runs, 1) == known)
			append_cover(cover, &classes->population->attrs[a], classes->labels[a][classes->codes[at]], classes->first_leaf[at],
						 classes->leaves[at]);
	}
}

LabelCover *
covers_of_release(const Release *release, int *n)
{
	const Classes *classes = release->classes;
	const Dataset *dataset = release->dataset;
	LabelCover *covers;
	bool		needed = false;

	*n = 0;
	for (int i = 0; i < dataset->npromises && release->by.kind != BY_LEVELS; i++)
		needed = needed || model_needs_population(dataset->promises[i].model);
	if (!needed)
		return NULL;
	*n = release->population->nattrs;
	covers = palloc0(sizeof(LabelCover) * (*n + 1));
	for (int a = 0; a < *n; a++)
	{
		const Recoding *cut = release->by.kind != BY_CUTS ? NULL : classes->node[a];

		if (cut == NULL)
			append_boxes(&covers[a], classes, a);
		for (uint32 group = 0; cut != NULL && group < cut->nlabels; group++)
			append_cover(&covers[a], &classes->population->attrs[a], classes->labels[a][group], cut->first_leaf[group], cut->leaves[group]);
	}
	return covers;
}
