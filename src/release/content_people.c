/*
 * content_people.c
 *	  What readers of several contents know together: the label of a person in
 *	  each of them, and so a smaller class than any of them shows, counted on
 *	  the current data.
 *
 * For that, the labels of each content are found in the current hierarchies.
 */
#include "release/content.h"

#include "base/budget.h"
#include "label/cut_bits.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/varbit.h"

/* ------------------------------------------ what happens if they know too much */

typedef enum CompositionMode
{
	COMPOSITION_OFF,
	COMPOSITION_WARN,
	COMPOSITION_REFUSE,
	COMPOSITION_HOLD_BACK
} CompositionMode;

static const struct config_enum_entry composition_modes[] = {
	{"off", COMPOSITION_OFF, false},
	{"warn", COMPOSITION_WARN, false},
	{"refuse", COMPOSITION_REFUSE, false},
	{"hold_back", COMPOSITION_HOLD_BACK, false},
	{NULL, 0, false}
};

static int	composition_mode = COMPOSITION_WARN;

void
composition_define_settings(void)
{
	DefineCustomEnumVariable("anonopt.composition",
							 "Sets what happens when releases of a relation together reveal more than"
							 " they promise.",
							 "Publishing and refreshing warn, refuse, or skip the comparison;"
							 " refreshing may hold back what reveals too much.",
							 &composition_mode, COMPOSITION_WARN, composition_modes, PGC_USERSET, 0, NULL,
							 NULL, NULL);
}

int
composition_level(void)
{
	/* where nothing can be held back, the whole is refused */
	return composition_mode == COMPOSITION_OFF ? 0 : composition_mode == COMPOSITION_WARN ? WARNING : ERROR;
}

int
composition_errcode(int level)
{
	return level == ERROR ? ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE : ERRCODE_WARNING;
}

bool
composition_holds_back(void)
{
	return composition_mode == COMPOSITION_HOLD_BACK;
}

/* ------------------------- the labels of a content in a hierarchy of today */

bool
contents_are_alike(const KnownContent *content_a, const KnownContent *content_b)
{
	const ReleaseEntry *a = &content_a->release;
	const ReleaseEntry *b = &content_b->release;

	if (a->ngeneralized != b->ngeneralized || a->by.kind != b->by.kind)
		return false;
	if (a->by.kind == BY_RECODING && (strcmp(a->by.recoding_name, b->by.recoding_name) != 0 ||
									  a->by.labels != b->by.labels))
		return false;
	for (int i = 0; i < a->ngeneralized; i++)
		if (strcmp(a->generalized[i], b->generalized[i]) != 0 || a->hierarchies[i] != b->hierarchies[i] ||
			(a->by.kind == BY_LEVELS && a->by.levels[i] != b->by.levels[i]) ||
			(a->by.kind == BY_CUTS && !DatumGetBool(DirectFunctionCall2(biteq, a->by.cuts[i],
																		b->by.cuts[i]))))
			return false;
	return true;
}

/*
 * The recoding by the level or the cut of a column, or NULL, and its labels, if
 * they are asked for.  A cut parts the labels of a level with as many
 * boundaries: the lowest one that may be shown, if it has, or another.
 */
static const Recoding *
recoding_of_column(const Generalization *by, int i, const Attribute *attr, const char *const **labels)
{
	const Hierarchy *hierarchy = attr->hierarchy;
	Attribute	cut_of = *attr;
	const Recoding *recoding;

	if (by->kind == BY_LEVELS && by->levels[i] <= hierarchy->height)
	{
		if (labels != NULL)
			*labels = hierarchy->labels[by->levels[i]];
		return &hierarchy->levels[by->levels[i]];
	}
	for (int tried = -1; tried <= hierarchy->height && by->kind == BY_CUTS; tried++)
	{
		cut_of.min_level = tried < 0 ? attr->min_level : tried;
		if (hierarchy->levels[cut_of.min_level].nlabels != VARBITLEN(DatumGetVarBitP(by->cuts[i])) + 1)
			continue;
		recoding = recoding_cut(hierarchy, &hierarchy->levels[cut_of.min_level],
								separated_labels(by->cuts[i]));
		if (labels != NULL)
			*labels = (const char *const *) group_labels(&cut_of, recoding);
		return recoding;
	}
	return NULL;
}

bool
find_labels(FoundLabels *found, const Content *content, int i, const Generalization *by,
			const Attribute *attr)
{
	const Hierarchy *hierarchy = attr->hierarchy;
	const char *const *labels = content->labels[i];
	uint32		nlabels = content->nlabels[i];
	bool	   *has = MemoryContextAllocExtended(CurrentMemoryContext, (Size) nlabels + 1,
												 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	const char *const *texts;
	const Recoding *recoding = recoding_of_column(by, i, attr, &texts);

	found->content = content;
	found->attr = i;
	found->hierarchy = hierarchy;
	found->n = 0;
	found->recodings = palloc(sizeof(Recoding *) * (hierarchy->height + 1));
	found->texts = palloc(sizeof(char **) * (hierarchy->height + 1));
	if (recoding != NULL)
	{
		found->recodings[0] = recoding;
		found->texts[found->n++] = texts;
	}
	for (int level = 0; level <= hierarchy->height && by->kind != BY_LEVELS && by->kind != BY_CUTS; level++)
	{
		found->recodings[found->n] = &hierarchy->levels[level];
		found->texts[found->n++] = hierarchy->labels[level];
	}

	/* the index finds only one of the labels that look alike */
	found->index = index_texts(labels, nlabels);
	found->used = MemoryContextAllocExtended(CurrentMemoryContext, (Size) nlabels + 1,
											 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint32 row = 0; row < content->rows->nkeys; row++)
	{
		uint32		label = code_at(content_row(content, row), i);

		if (row % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		if (label != STARRED)
			found->used[find_text(&found->index, labels[label])] = true;
	}
	for (int r = 0; r < found->n; r++)
		for (uint32 label = 0; label < found->recodings[r]->nlabels; label++)
		{
			uint32		place = find_text(&found->index, found->texts[r][label]);

			if (place != PG_UINT32_MAX)
				has[place] = true;
		}
	/* NULL needs no leaf */
	for (uint32 label = 0; label < nlabels; label++)
		if (found->used[label] && !has[label] && labels[label] != NULL)
			return false;
	return true;
}

LeafRun *
runs_of_labels(const FoundLabels *found)
{
	LeafRun    *runs = empty_runs(found->index.n);

	for (int r = 0; r < found->n; r++)
		for (uint32 label = 0; label < found->recodings[r]->nlabels; label++)
		{
			uint32		place = find_text(&found->index, found->texts[r][label]);

			if (label % 65536 == 0)
				CHECK_FOR_INTERRUPTS();
			if (place != PG_UINT32_MAX)
				widen_run(&runs[place], found->recodings[r]->first_leaf[label],
						  found->recodings[r]->leaves[label]);
		}
	return runs;
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

void
content_place(KnownContent *placed, const Dataset *dataset, const Population *population)
{
	const ReleaseEntry *known = &placed->release;

	placed->is_placed = true;
	for (int i = 0; i < known->ngeneralized; i++)
	{
		int			a = attribute_of_column(dataset, known->generalized[i]);
		FoundLabels found;

		/*
		 * with the hierarchy that it was made with, or one that has its
		 * labels
		 */
		if (a >= 0 && population != NULL && declared_attribute(dataset,
															   a)->hierarchy != known->hierarchies[i] &&
			((known->by.kind == BY_RECODING && known->by.labels != LABELS_HIERARCHY) ||
			 placed->content == NULL ||
			 !find_labels(&found, placed->content, i, &known->by, &population->attrs[a])))
			a = -1;
		placed->attr_of[i] = a;
		if (a < 0 || (known->by.kind != BY_RECODING &&
					  (population == NULL || recoding_of_column(&known->by, i, &population->attrs[a],
																NULL) == NULL)))
			placed->is_placed = false;
	}
}

bool
content_is_placed(const KnownContent *placed)
{
	return placed->is_placed && (placed->release.by.kind != BY_RECODING ||
								 (placed->content != NULL && placed->content->tuples != NULL));
}

/* ------------------------------------------------------ people who look alike */

Composition *
composition_begin(const Dataset *dataset, const Population *population, bool latest)
{
	Composition *composition = palloc0(sizeof(Composition));
	Size		n = population == NULL ? 0 : population->tuples->ntuples;

	composition->context = CurrentMemoryContext;
	composition->dataset = dataset;
	composition->population = population;
	composition->latest = latest;
	composition->group_of = MemoryContextAllocExtended(CurrentMemoryContext, sizeof(uint32) * (n + 1),
													   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	return composition;
}

KeyCounter *
split_groups(MemoryContext context, uint32 *group_of, uint32 n, const int64 *class_of, const int64 *people)
{
	KeyCounter *groups = key_counter_create(context, 2, 1024);

	for (uint32 i = 0; i < n; i++)
	{
		uint64	   *key = key_counter_candidate(groups);

		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		key[0] = group_of[i];
		key[1] = (uint64) class_of[i];
		group_of[i] = key_counter_add(groups, people == NULL ? 1 : people[i]);
	}
	return groups;
}

/* By leaf, the label of a content's column, or PG_UINT32_MAX if it shows none. */
static uint32 *
labels_of_leaves(const Population *population, const KnownContent *placed, int i)
{
	const Attribute *attr = &population->attrs[placed->attr_of[i]];
	const char *const *texts;
	const Recoding *recoding = recoding_of_column(&placed->release.by, i, attr, &texts);
	TextIndex	index = index_texts(placed->content->labels[i], placed->content->nlabels[i]);
	uint32	   *labels = MemoryContextAllocHuge(CurrentMemoryContext,
												sizeof(uint32) * ((Size) attr->hierarchy->nleaves + 1));

	for (uint32 label = 0; label < recoding->nlabels; label++)
	{
		uint32		shown = find_text(&index, texts[label]);

		for (uint32 leaf = 0; leaf < recoding->leaves[label]; leaf++)
			labels[recoding->first_leaf[label] + leaf] = shown;
	}
	return labels;
}

/* The class of each tuple, counted from 1, or 0 if it is not shown. */
static int64 *
classes_of_tuples(const Population *population, const KnownContent *placed)
{
	bool		by_recoding = placed->release.by.kind == BY_RECODING;
	int			nattrs = placed->release.ngeneralized;
	KeyCounter *classes = by_recoding ? NULL : content_classes(placed->content);
	const uint64 *const *digests = by_recoding ? leaf_digests(population) : NULL;
	int64	   *class_of = budget_alloc(sizeof(int64), (Size) population->tuples->ntuples + 1);
	uint32	   *labels[MAX_ATTRIBUTES];

	for (int i = 0; i < nattrs && !by_recoding; i++)
		labels[i] = labels_of_leaves(population, placed, i);
	for (uint32 tuple = 0; tuple < population->tuples->ntuples; tuple++)
	{
		const uint64 *leaves = population->tuples->keys + (Size) tuple * population->nwords;
		bool		shown = true;
		uint64	   *key;

		if (tuple % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		if (by_recoding)
		{
			class_of[tuple] = content_class_of(placed->content,
											   tuple_digest(population, digests, placed->attr_of,
															nattrs, tuple));
			continue;
		}
		key = key_counter_candidate(classes);
		memset(key, 0, sizeof(uint64) * classes->nwords);
		for (int i = 0; i < nattrs; i++)
		{
			uint32		label = labels[i][key_get(leaves, &population->attrs[placed->attr_of[i]].field)];

			shown = shown && label != PG_UINT32_MAX;
			put_code(key, i, label);
		}
		/* PG_UINT32_MAX is no class; plus one, it is 0 */
		class_of[tuple] = shown ? (uint32) (key_counter_find(classes) + 1) : 0;
	}
	return class_of;
}

/* The number of people in each of a number of groups of tuples. */
static int64 *
people_of_groups(const Population *population, const uint32 *group_of, uint32 ngroups)
{
	Population *narrow = population_narrow(population);
	HistogramMark *marks = palloc(sizeof(HistogramMark) * (narrow->ncolumns + 1));
	int64	   *people = budget_alloc(sizeof(int64), (Size) ngroups + 1);
	TupleTable *groups;

	population_mark(narrow, marks);
	groups = tuple_table_group(narrow, narrow->tuples, group_of, ngroups, CurrentMemoryContext);
	for (uint32 group = 0; group < ngroups; group++)
		people[group] = class_people(narrow, groups, group);
	population_release(narrow, marks);
	pfree(marks);
	return people;
}

/* Splits the groups by one more content; returns their number, and the people in each. */
static uint32
add_content(Composition *composition, const KnownContent *placed, const int64 **people_of)
{
	const Population *population = composition->population;
	uint32		n = population->tuples->ntuples;
	int64	   *class_of = classes_of_tuples(population, placed);
	KeyCounter *groups = split_groups(CurrentMemoryContext, composition->group_of, n, class_of,
									  population->tuples->counts);
	uint64	   *key = key_counter_candidate(groups);

	key[0] = composition->unseen;
	key[1] = 0;
	composition->unseen = key_counter_find(groups);
	*people_of = !population->has_persons ? groups->counts :
		people_of_groups(population, composition->group_of, groups->nkeys);
	return groups->nkeys;
}

int64
composition_add(Composition *composition, const KnownContent *placed)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "anonopt content",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	const int64 *people_of;
	uint32		ngroups = add_content(composition, placed, &people_of);
	int64		smallest = 0;

	for (uint32 group = 0; group < ngroups; group++)
		if (group != composition->unseen)
			smallest = least_people(smallest, people_of[group]);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return smallest;
}

bool *
composition_exposes(Composition *composition, const KnownContent *added, const KnownContent *changes)
{
	const Population *population = composition->population;
	uint32		n = population->tuples->ntuples;
	uint32		unseen = composition->unseen;
	uint32	   *before = budget_alloc(sizeof(uint32), (Size) n + 1);
	bool	   *is_split = budget_alloc_zero(sizeof(bool), (Size) n + 1);
	bool	   *exposed = budget_alloc_zero(sizeof(bool), (Size) changes->content->rows->nkeys + 2);
	int64	   *class_of = added->release.by.kind == BY_RECODING ? NULL :
	classes_of_tuples(population, changes);
	const int64 *people_of;

	memcpy(before, composition->group_of, sizeof(uint32) * n);
	(void) add_content(composition, added, &people_of);
	for (uint32 tuple = 0; tuple < n; tuple++)
	{
		uint32		group = composition->group_of[tuple];

		if (tuple % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		if (group != composition->unseen && people_of[group] < added->k)
			is_split[before[tuple]] = true;
	}
	for (uint32 tuple = 0; tuple < n; tuple++)
		if (is_split[before[tuple]])
			exposed[class_of == NULL ? 0 : class_of[tuple]] = true;
	memcpy(composition->group_of, before, sizeof(uint32) * n);
	composition->unseen = unseen;
	return exposed;
}
