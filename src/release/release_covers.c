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

#include "miscadmin.h"

static void
append_run(LabelCover *cover, const Attribute *attr, const char *label, uint32 first, uint32 end)
{
	if (first >= end)
		return;
	cover->labels[cover->n] = unconstify(char *, label);
	cover->firsts[cover->n] = unconstify(char *, attr->hierarchy->labels[0][first]);
	cover->lasts[cover->n] = unconstify(char *, attr->hierarchy->labels[0][end - 1]);
	cover->nfirsts = cover->nlasts = ++cover->n;
}

/* The runs under the labels that are shown: of a cut's groups, or of boxes, whose labels and runs may occur several times. */
static KeyCounter *
shown_runs(const Classes *classes, int a, const Recoding *cut)
{
	KeyCounter *runs = key_counter_create(CurrentMemoryContext, 2, 1024);

	for (Size i = 0; i < (cut != NULL ? cut->nlabels : classes->nboxes); i++)
	{
		Size		at = i * classes->population->nattrs + a;
		uint64	   *key = key_counter_candidate(runs);

		CHECK_FOR_INTERRUPTS();
		if (cut == NULL && classes->class_of_box[i] == NO_CLASS)
			continue;
		key[0] = cut != NULL ? (uint64) cut->first_leaf[i] << 32 | cut->leaves[i] :
			(uint64) classes->first_leaf[at] << 32 | classes->leaves[at];
		key[1] = cut != NULL ? i : classes->codes[at];
		(void) key_counter_add(runs, 1);
	}
	return runs;
}

/* The leaves under each label, except that of values without one, and the labels of these values. */
static LabelCover
cover_of_attribute(const Classes *classes, int a, const Recoding *cut)
{
	const Attribute *attr = &classes->population->attrs[a];
	KeyCounter *runs = shown_runs(classes, a, cut);
	LabelCover	cover = {0};

	/* values without a leaf part a run in two */
	cover.labels = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(char *) * (2 * (Size) runs->nkeys + 1));
	cover.firsts = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(char *) * (2 * (Size) runs->nkeys + 1));
	cover.lasts = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(char *) * (2 * (Size) runs->nkeys + 1));
	cover.unknown = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(char *) * ((Size) runs->nkeys + 1));
	for (Size i = 0; i < runs->nkeys; i++)
	{
		const char *label = classes->labels[a][runs->keys[i * 2 + 1]];
		uint32		first = (uint32) (runs->keys[i * 2] >> 32);
		uint32		leaves = (uint32) runs->keys[i * 2];
		uint32		end = first + leaves;
		uint32		unknown = attr->unknown_leaf;
		bool		has_unknown = unknown >= first && unknown < end;

		append_run(&cover, attr, label, first, has_unknown ? unknown : end);
		if (has_unknown)
			append_run(&cover, attr, label, unknown + 1, end);
		if (has_unknown || leaves == attr->hierarchy->nleaves)
			cover.unknown[cover.nunknown++] = unconstify(char *, label);
	}
	return cover;
}

LabelCover *
covers_of_release(const Release *release, int *n)
{
	const Dataset *dataset = release->dataset;
	LabelCover *covers;
	bool		needed = false;

	*n = 0;
	for (int i = 0; i < dataset->npromises && release->by.kind != BY_LEVELS; i++)
		needed = needed || model_needs_population(dataset->promises[i].model);
	if (!needed)
		return NULL;
	*n = release->population->nattrs;
	covers = palloc(sizeof(LabelCover) * (*n + 1));
	for (int a = 0; a < *n; a++)
		covers[a] = cover_of_attribute(release->classes, a, release->by.kind == BY_CUTS ? release->classes->node[a] : NULL);
	return covers;
}
