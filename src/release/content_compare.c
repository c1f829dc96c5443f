/*
 * content_compare.c
 *	  What two contents reveal together to a reader who has both: the people by
 *	  whom they differ, and those whom values link.
 *
 * Labels part people alike in two contents, unless they are those of a recoding:
 * who comes may widen a class, which then has another label, or have it split.  A
 * reader recognizes its people nevertheless, by what is the same in both.  So
 * contents of a recoding are compared once more.  Classes that show a tuple, of
 * any people, are joined, and so are those joined with the same one.  Whoever both
 * contents show is in joined classes of both.  What differs among these are then
 * just the people who came, left or were corrected, whatever labels are called.
 */
#include "release/content.h"

#include "base/budget.h"
#include "catalog/own_objects.h"
#include "miscadmin.h"
#include "read/population_read.h"
#include "utils/snapmgr.h"

/* Treats labels that look alike as equal. */
static void
view_by_texts(const KnownContent *a, const KnownContent *b, int i, int j, ContentView *view_a,
			  ContentView *view_b)
{
	const char **different;
	uint32		ndifferent;

	view_a->attr = i;
	view_a->shown = unite_labels(a->content, i, b->content, j, &ndifferent, &different);
	view_b->attr = j;
	view_b->shown = view_a->shown + a->content->nlabels[i];
}

bool
view_by_tuples(const Content *a, const Content *b, CommonView *view)
{
	KeyCounter *before = view->classes[0] = content_classes(a);
	KeyCounter *after = view->classes[1] = content_classes(b);
	Size		n = (Size) before->nkeys + after->nkeys;
	bool	   *is_joined = budget_alloc_zero(sizeof(bool), n + 1);
	bool		moved = false;

	view->n = 0;
	view->joined = budget_alloc(sizeof(uint32), n + 1);
	for (uint32 class = 0; class < n; class++)
		view->joined[class] = class;
	for (uint32 i = 0; i < a->tuples->nkeys; i++)
	{
		uint32		one = (uint32) a->tuples->counts[i] - 1;
		uint32		other = content_class_of(b, a->tuples->keys[i]);

		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		if (other == 0)
			continue;
		other += before->nkeys - 1;
		moved = moved || ((is_joined[one] || is_joined[other]) &&
						  find_joined(view->joined, one) != find_joined(view->joined, other));
		is_joined[one] = is_joined[other] = true;
		join(view->joined, one, other);
	}
	return moved;
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
}

int64
composition_difference(Composition *composition, const KnownContent *a, const KnownContent *b,
					   const char **unseen)
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
	 * a newcomer may change the labels of others, or hide among those who
	 * only changed class
	 */
	if (view.alike && a->content->tuples != NULL && b->content->tuples != NULL)
	{
		(void) view_by_tuples(a->content, b->content, &view);
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
