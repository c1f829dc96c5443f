/*
 * jaro.c
 *	  Jaro's similarity of two strings.
 */
#include "record/jaro.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/*
 * Characters match if they are equal and no further apart than half of the
 * longer string minus one; each matches at most once, with the first possible
 * one.  The number of transpositions is half the number of matches in a
 * different order.
 */
double
jaro(const uint32 *a, int na, const uint32 *b, int nb)
{
	int			window = Max(Max(na, nb) / 2 - 1, 0);
	bool	   *matched_a = palloc0(na + 1);
	bool	   *matched_b = palloc0(nb + 1);
	int			matches = 0;
	int			moved = 0;

	if (na == 0 && nb == 0)
		return 1;
	for (int i = 0; i < na; i++)
	{
		CHECK_FOR_INTERRUPTS();
		for (int j = Max(i - window, 0); j < Min(i + window + 1, nb); j++)
		{
			if (matched_b[j] || a[i] != b[j])
				continue;
			matched_a[i] = matched_b[j] = true;
			matches++;
			break;
		}
	}
	for (int i = 0, j = 0; i < na; i++)
	{
		if (!matched_a[i])
			continue;
		while (!matched_b[j])
			j++;
		moved += a[i] != b[j++];
	}
	pfree(matched_a);
	pfree(matched_b);
	if (matches == 0)
		return 0;
	return ((double) matches / na + (double) matches / nb + (matches - moved / 2.0) / matches) / 3;
}

int
characters_of(const char *string, int length, uint32 **characters)
{
	int			n = 0;
	const char *end = string + length;

	*characters = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) length + 1));
	while (string < end)
	{
		int			bytes = pg_mblen(string);
		uint32		character = 0;

		/* the bytes of a character, at most four, identify it */
		for (int i = 0; i < bytes; i++)
			character = (character << 8) | (unsigned char) string[i];
		(*characters)[n++] = character;
		string += bytes;
	}
	return n;
}
