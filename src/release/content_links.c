/*
 * content_links.c
 *	  Rows of two contents that shown values link.
 *
 * Two releases of the same people may show other columns generalized, so that
 * no data set can tell whom both show by which labels.  But a sensitive value,
 * or class label, that both show joins their rows, and one that few people have
 * is a key.
 *
 * Let a(i, v) be the people with value v whom content a shows in class i, and
 * b(j, v) those of content b; v stands for all values that both show.  n(v) is
 * the greater of the sums of a(., v) and of b(., v).  If b(j, v) = n(v), then
 * all people of a(i, v) are in class j of b, for any i; likewise if
 * a(i, v) = n(v), all of b(j, v) are in class i of a.  Summed over v, this is
 * the number of people of whom a reader knows, row by row, that they have the
 * labels of both i and j, and their values.  If there are 1 to k - 1 of them,
 * the labels of both, beside each other, single them out.
 *
 * That is a lower bound of what readers can do, if n(v) counts all people with
 * v, that is, if nobody with v is left out of both contents.  Proof: at least
 * n(v) people have v, and b shows n(v) of them in j; if there are no others,
 * each of those in a(i, v) is among them.  The people linked by different
 * values are different, so numbers may be added; those that both conditions
 * find are the same, and are added once.
 *
 * It is no upper bound.  A reader can also subtract: if 9 of 10 with v are in
 * i and 9 in j, then 8 or more are in both, though it is unknown which.  Rows
 * may be linked with less than certainty, by a value that is rare in a class,
 * by two columns of which one is shown rounded, or by somebody who knows a
 * person's class in each.  If the contents show different people, a link may
 * be false; that cannot be told here, nor perhaps by a reader.
 */
#include "release/content.h"

#include "base/budget.h"
#include "miscadmin.h"

#define NO_SINGLE_CLASS PG_UINT32_MAX

/* One of the contents, as people by class and value. */
typedef struct LinkSide
{
	KeyCounter *classes;		/* keys of labels */
	KeyCounter *cells;			/* a class and a value: people */
	int64	   *people;			/* by value */
	uint32	   *single;			/* by value: the only class that shows it, or
								 * NO_SINGLE_CLASS */
} LinkSide;

int
common_values(const Content *a, const Content *b, int (**values)[2])
{
	int			n = 0;

	*values = palloc(sizeof(**values) * (a->nvalues + 1));
	for (int i = 0; i < a->nvalues; i++)
		for (int j = 0; j < b->nvalues; j++)
			/* labels of one level are not values, nor those of another */
			if (strcmp(a->values[i], b->values[j]) == 0 && a->value_levels[i] == b->value_levels[j])
			{
				(*values)[n][0] = i;
				(*values)[n++][1] = j;
				break;
			}
	return n;
}

/* Counts the people of a content by class and value. */
static void
count_cells(LinkSide *side, KeyCounter *numbers, const Content *content, const int (*values)[2],
			int nvalues, int which)
{
	int			words = code_words(content->nattrs);
	MemoryContext context = numbers->context;

	side->classes = key_counter_create(context, Max(words, 1), 1024);
	side->cells = key_counter_create(context, 2, content->rows->nkeys);
	for (uint32 i = 0; i < content->rows->nkeys; i++)
	{
		const uint64 *row = content_row(content, i);
		uint64	   *number = key_counter_candidate(numbers);
		uint64	   *class = key_counter_candidate(side->classes);
		uint64	   *cell = key_counter_candidate(side->cells);

		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		class[0] = number[0] = 0;
		memcpy(class, row, sizeof(uint64) * words);
		for (int v = 0; v < nvalues; v++)
			number[v] = row[words + values[v][which]];
		cell[0] = key_counter_add(side->classes, 0);
		cell[1] = key_counter_add(numbers, 0);
		(void) key_counter_add(side->cells, content->rows->counts[i]);
	}
}

/* Sums up by value. */
static void
sum_values(LinkSide *side, uint32 nvalues)
{
	side->people = budget_alloc_zero(sizeof(int64), (Size) nvalues + 1);
	side->single = budget_alloc(sizeof(uint32), (Size) nvalues + 1);
	for (uint32 i = 0; i < side->cells->nkeys; i++)
	{
		uint32		class = (uint32) side->cells->keys[(Size) i * 2];
		uint32		value = (uint32) side->cells->keys[(Size) i * 2 + 1];

		side->single[value] = side->people[value] == 0 ? class : NO_SINGLE_CLASS;
		side->people[value] += side->cells->counts[i];
	}
}

/* The class of a side that shows everybody with a value; NO_SINGLE_CLASS if there is none. */
static uint32
class_of_all(const LinkSide *side, const LinkSide *other, uint32 value)
{
	return side->people[value] > 0 && side->people[value] >= other->people[value] ? side->single[value] :
		NO_SINGLE_CLASS;
}

int64
content_links(const Content *a, const Content *b, const int (*values)[2], int nvalues, int64 k, int64 *below)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "anonopt links",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	KeyCounter *numbers = key_counter_create(context, Max(nvalues, 1), 1024);
	KeyCounter *pairs = key_counter_create(context, 2, 1024);
	LinkSide	sides[2];
	int64		smallest = 0;

	count_cells(&sides[0], numbers, a, values, nvalues, 0);
	count_cells(&sides[1], numbers, b, values, nvalues, 1);
	for (int s = 0; s < 2; s++)
		sum_values(&sides[s], numbers->nkeys);
	for (int s = 0; s < 2 && nvalues > 0; s++)
		for (uint32 i = 0; i < sides[s].cells->nkeys; i++)
		{
			uint64		class = sides[s].cells->keys[(Size) i * 2];
			uint32		value = (uint32) sides[s].cells->keys[(Size) i * 2 + 1];
			uint32		other = class_of_all(&sides[1 - s], &sides[s], value);
			uint64	   *pair = key_counter_candidate(pairs);

			if (i % 65536 == 0)
				CHECK_FOR_INTERRUPTS();

			/*
			 * the second side's are those of the first if that has them all,
			 * too
			 */
			if (other == NO_SINGLE_CLASS || (s == 1 &&
											 class_of_all(&sides[1], &sides[0], value) != NO_SINGLE_CLASS))
				continue;
			pair[s] = class;
			pair[1 - s] = other;
			(void) key_counter_add(pairs, sides[s].cells->counts[i]);
		}
	*below = 0;
	for (uint32 i = 0; i < pairs->nkeys; i++)
	{
		smallest = least_people(smallest, pairs->counts[i]);
		*below += pairs->counts[i] < k ? pairs->counts[i] : 0;
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return smallest;
}
