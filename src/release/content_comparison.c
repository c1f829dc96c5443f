/*
 * content_comparison.c
 *	  What two contents reveal together: a reader who has both can generalize
 *	  them until they are comparable and subtract one from the other.  What
 *	  remains of a class are the people who came, left or were corrected in
 *	  between, or are left out of one of the two.
 */
#include "release/content_comparison.h"

#include "miscadmin.h"

/* Treats labels that look alike as equal. */
static void
view_by_texts(const PlacedContent *a, const PlacedContent *b, int i, int j, ContentView *view_a, ContentView *view_b)
{
	TextIndex	index = index_texts(a->content->labels[i], a->content->nlabels[i]);
	uint32	   *shown_a = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) a->content->nlabels[i] + 1));
	uint32	   *shown_b = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) b->content->nlabels[j] + 1));

	/* the index finds only one of the labels that look alike in one content */
	for (uint32 label = 0; label < a->content->nlabels[i]; label++)
		shown_a[label] = find_text(&index, a->content->labels[i][label]);
	for (uint32 label = 0; label < b->content->nlabels[j]; label++)
	{
		uint32		found = find_text(&index, b->content->labels[j][label]);

		shown_b[label] = found != PG_UINT32_MAX ? found : a->content->nlabels[i] + label;
	}
	*view_a = (ContentView)
	{
		i, shown_a
	};
	*view_b = (ContentView)
	{
		j, shown_b
	};
}

/*
 * Whether a tuple that two contents of the same recoding show has moved to
 * another class.
 */
static bool
have_moved(const Content *a, const Content *b)
{
	KeyCounter *classes = key_counter_create(CurrentMemoryContext, 1, 1024);
	KeyCounter *pairs = key_counter_create(CurrentMemoryContext, 1, 1024);

	if (a->tuples == NULL || b->tuples == NULL)
		return false;
	for (uint32 i = 0; i < a->tuples->nkeys; i++)
	{
		uint32		before = (uint32) a->tuples->counts[i];
		uint32		after = content_class_of(b, a->tuples->keys[i]);

		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		if (after == 0)
			continue;
		*key_counter_candidate(pairs) = (uint64) before << 32 | after;
		if (key_counter_find(pairs) != PG_UINT32_MAX)
			continue;
		*key_counter_candidate(pairs) = (uint64) before << 32 | after;
		(void) key_counter_add(pairs, 1);
		/* a class that was split or merged occurs in two pairs */
		for (int side = 0; side < 2; side++)
		{
			uint32		known = classes->nkeys;

			*key_counter_candidate(classes) = (uint64) side << 32 | (side == 0 ? before : after);
			if (key_counter_add(classes, 1) != known)
				return true;
		}
	}
	return false;
}

int64
contents_difference(const PlacedContent *a, const PlacedContent *b, KnownHierarchies *hierarchies, const char **unseen)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "anonopt comparison", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	bool		alike = contents_are_alike(a->known, b->known);
	ContentView views_a[MAX_ATTRIBUTES];
	ContentView views_b[MAX_ATTRIBUTES];
	int			(*values)[2] = palloc(sizeof(*values) * (a->content->nvalues + 1));
	int			nviews = 0;
	int			nvalues = 0;
	int64		difference;

	*unseen = NULL;
	for (int i = 0; i < a->known->nattrs; i++)
		for (int j = 0; j < b->known->nattrs; j++)
		{
			if (strcmp(a->known->generalized[i], b->known->generalized[j]) != 0)
				continue;
			if (alike)
				view_by_texts(a, b, i, j, &views_a[nviews], &views_b[nviews]);
			else if (hierarchies == NULL || !view_by_values(hierarchies, a, b, i, j, &views_a[nviews], &views_b[nviews]))
			{
				/* the combination of their classes tells as much */
				if (!content_is_placed(a) || !content_is_placed(b))
					*unseen = a->known->generalized[i];
				continue;
			}
			nviews++;
			break;
		}
	for (int i = 0; i < a->content->nvalues; i++)
		for (int j = 0; j < b->content->nvalues; j++)
			if (strcmp(a->content->values[i], b->content->values[j]) == 0)
			{
				values[nvalues][0] = i;
				values[nvalues++][1] = j;
				break;
			}
	difference = content_difference(a->content, views_a, b->content, views_b, nviews, values, nvalues);

	/*
	 * moves hide newcomers among people who only changed class, but not if
	 * all classes are compared at once
	 */
	if (alike && a->known->by.kind == BY_RECODING && have_moved(a->content, b->content))
	{
		int64		whole = content_difference(a->content, views_a, b->content, views_b, 0, values, nvalues);

		if (whole > 0 && (difference == 0 || whole < difference))
			difference = whole;
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return difference;
}

bool
content_has_tuples_of(const Content *a, const Content *b)
{
	if (a->tuples == NULL || b->tuples == NULL)
		return a->tuples == b->tuples;
	if (a->tuples->nkeys != b->tuples->nkeys || have_moved(a, b))
		return false;
	for (uint32 i = 0; i < a->tuples->nkeys; i++)
		if (content_class_of(b, a->tuples->keys[i]) == 0)
			return false;
	return true;
}
