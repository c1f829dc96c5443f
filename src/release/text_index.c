/*
 * text_index.c
 *	  An index of texts, including NULL.
 */
#include "release/text_index.h"

int
compare_texts(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return (a == NULL) - (b == NULL);
	return strcmp(a, b);
}

static int
compare_numbered(const void *a, const void *b, void *arg)
{
	const char *const *texts = arg;

	return compare_texts(texts[*(const uint32 *) a], texts[*(const uint32 *) b]);
}

TextIndex
index_texts(const char *const *texts, uint32 n)
{
	TextIndex	index = {n, texts, MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) n + 1))};

	for (uint32 i = 0; i < n; i++)
		index.order[i] = i;
	qsort_arg(index.order, n, sizeof(uint32), compare_numbered, (void *) texts);
	return index;
}

uint32
find_text(const TextIndex *index, const char *text)
{
	uint32		low = 0;
	uint32		high = index->n;

	while (low < high)
	{
		uint32		middle = low + (high - low) / 2;
		int			order = compare_texts(index->texts[index->order[middle]], text);

		if (order == 0)
			return index->order[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return PG_UINT32_MAX;
}
