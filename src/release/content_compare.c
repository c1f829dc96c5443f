/*
 * content_compare.c
 *	  What two contents reveal together to a reader who has both: the people by
 *	  whom they differ, and those whom values link.
 */
#include "release/content.h"

#include "catalog/own_objects.h"
#include "miscadmin.h"
#include "read/population_read.h"
#include "utils/snapmgr.h"

/* Treats labels that look alike as equal. */
static void
view_by_texts(const KnownContent *a, const KnownContent *b, int i, int j, ContentView *view_a, ContentView *view_b)
{
	const char **different;
	uint32		ndifferent;

	view_a->attr = i;
	view_a->shown = unite_labels(a->content, i, b->content, j, &ndifferent, &different);
	view_b->attr = j;
	view_b->shown = view_a->shown + a->content->nlabels[i];
}

bool
contents_have_moved(const Content *a, const Content *b)
{
	KeyCounter *classes = key_counter_create(CurrentMemoryContext, 1, 1024);
	KeyCounter *pairs = key_counter_create(CurrentMemoryContext, 1, 1024);

	for (uint32 i = 0; i < a->tuples->nkeys; i++)
	{
		uint32		before = (uint32) a->tuples->counts[i];
		uint32		after = content_class_of(b, a->tuples->keys[i]);
		uint32		known = pairs->nkeys;

		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		if (after == 0)
			continue;
		*key_counter_candidate(pairs) = (uint64) before << 32 | after;
		if (key_counter_add(pairs, 1) != known)
			continue;
		*key_counter_candidate(classes) = before;
		(void) key_counter_add(classes, 1);
		*key_counter_candidate(classes) = UINT64CONST(1) << 32 | after;
		(void) key_counter_add(classes, 1);
	}
	/* a class that was split or merged occurs in two pairs */
	return classes->nkeys < 2 * pairs->nkeys;
}

/*
 * Whether a content has all labels that another shows: the hierarchy may have
 * other labels since.
 */
static bool
has_labels_of(const KnownContent *a, const KnownContent *b)
{
	GeneralizationKind kind = a->release.by.kind;

	for (int i = 0; i < b->content->nattrs && (kind == BY_LEVELS || kind == BY_CUTS); i++)
	{
		TextIndex	index = index_texts(a->content->labels[i], a->content->nlabels[i]);

		for (uint32 label = 0; label < b->content->nlabels[i]; label++)
			if (find_text(&index, b->content->labels[i][label]) == PG_UINT32_MAX)
				return false;
	}
	return true;
}

void
view_contents(Composition *composition, const KnownContent *a, const KnownContent *b, CommonView *view)
{
	bool		alike = contents_are_alike(a, b);

	if (alike && !has_labels_of(a, b))
	{
		MemoryContext old = MemoryContextSwitchTo(composition->context);

		alike = false;
		if (composition->population == NULL)
			composition->population = population_read(composition->dataset);
		MemoryContextSwitchTo(old);
	}
	memset(view, 0, sizeof(CommonView));
	view->alike = alike;
	for (int i = 0; i < a->release.ngeneralized; i++)
		for (int j = 0; j < b->release.ngeneralized; j++)
		{
			if (strcmp(a->release.generalized[i], b->release.generalized[j]) != 0)
				continue;
			if (alike)
				view_by_texts(a, b, i, j, &view->of[0][view->n], &view->of[1][view->n]);
			else if (composition->population == NULL ||
					 !view_by_values(composition, a, b, i, j, &view->of[0][view->n], &view->of[1][view->n]))
			{
				/* the combination of their classes tells as much */
				if (!content_is_placed(a) || !content_is_placed(b))
					view->unseen = a->release.generalized[i];
				continue;
			}
			view->n++;
			break;
		}
	for (int i = 0; i < a->content->nvalues; i++)
		for (int j = 0; j < b->content->nvalues; j++)
			if (strcmp(a->content->values[i], b->content->values[j]) == 0 &&
				a->content->value_levels[i] != b->content->value_levels[j])
				view->unseen = a->content->values[i];
	view->nvalues = common_values(a->content, b->content, &view->values);
	view->moved = alike && a->content->tuples != NULL && b->content->tuples != NULL &&
		contents_have_moved(a->content, b->content);
}

int64
composition_difference(Composition *composition, const KnownContent *a, const KnownContent *b, const char **unseen)
{
	MemoryContext context;
	MemoryContext old;
	ContentDifference difference;
	CommonView	view;
	int64		smallest;

	*unseen = NULL;
	if (!rows_correspond(a, b))
		return 0;
	context = AllocSetContextCreate(CurrentMemoryContext, "anonopt comparison", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(context);
	view_contents(composition, a, b, &view);
	*unseen = view.unseen;
	difference = content_difference(a->content, b->content, &view);
	smallest = smallest_difference(&difference);

	/*
	 * moves hide newcomers among people who only changed class, but not if
	 * all classes are compared at once
	 */
	if (view.moved)
	{
		view.n = 0;
		difference = content_difference(a->content, b->content, &view);
		smallest = least_people(smallest, smallest_difference(&difference));
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return a->release.has_people_k || b->release.has_people_k ? Min(smallest, 1) : smallest;
}

int64
composition_links(const KnownContent *a, const KnownContent *b, int64 *below)
{
	int			(*values)[2];
	int			nvalues;

	if (contents_are_alike(a, b) || (content_is_placed(a) && content_is_placed(b)))
		return 0;
	nvalues = common_values(a->content, b->content, &values);
	return content_links(a->content, b->content, values, nvalues, a->k, below);
}

MemoryContext
composition_load(const Composition *composition, KnownContent *other)
{
	MemoryContext context;
	MemoryContext old;

	CHECK_FOR_INTERRUPTS();
	if (!other->is_known)
		return NULL;
	context = AllocSetContextCreate(CurrentMemoryContext, "anonopt other content", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(context);
	if (composition->latest)
		see_own_changes();
	other->content = known_content_load(other, context);
	if (composition->latest)
		PopActiveSnapshot();
	if (other->content != NULL)
		content_place(other, composition->dataset, composition->population);
	MemoryContextSwitchTo(old);
	if (other->content != NULL)
		return context;
	MemoryContextDelete(context);
	return NULL;
}
