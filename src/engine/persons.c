/*
 * persons.c
 *	  Which persons have rows in each class: histograms of a column that says
 *	  whose a row is.
 *
 * Only how many there are is asked of a class, so a class lists its persons
 * in no order and without counts, and joining classes is one pass with a
 * stamp a person.
 *
 * A person whose rows are all alike is in one class at every node, and adds
 * one to its size wherever that class goes.  Such persons are counted, not
 * listed.  Where quasi-identifiers belong to the person, as a year of birth
 * does, nobody is listed at all.
 */
#include "engine/persons.h"

#include "base/budget.h"

Histograms *
persons_create(MemoryContext context, const char *name, uint32 npersons)
{
	Histograms *h = MemoryContextAllocZero(context, sizeof(Histograms));

	budget_require(context, sizeof(uint32) * ((Size) npersons + 1));
	h->context = context;
	h->name = name;
	h->role = COLUMN_PERSON;
	h->nvalues = npersons;
	h->stamps = MemoryContextAllocExtended(context, sizeof(uint32) * ((Size) npersons + 1),
										   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	h->stamp = 1;
	return h;
}

static inline void
reserve_listed(Histograms *h, Size more)
{
	while (h->nentries + more > h->entry_capacity)
		h->listed = budget_grow(h->context, h->listed, sizeof(uint32), &h->entry_capacity);
}

/* Nobody has been met in the class that comes next. */
static inline void
next_stamp(Histograms *h)
{
	if (++h->stamp != 0)
		return;
	memset(h->stamps, 0, sizeof(uint32) * ((Size) h->nvalues + 1));
	h->stamp = 1;
}

void
persons_count(Histograms *h, uint32 person)
{
	if (h->stamps[person] == h->stamp)
		return;
	h->stamps[person] = h->stamp;
	reserve_listed(h, 1);
	h->listed[h->nentries++] = person;
	h->nopen++;
}

/* Puts a class on the stack whose listed persons begin at start. */
static uint32
push_class(Histograms *h, Size start, uint32 alone)
{
	Slice	   *slice;

	if (h->nslices == h->slice_capacity)
		h->slices = budget_grow(h->context, h->slices, sizeof(Slice), &h->slice_capacity);
	if (h->nslices >= PG_UINT32_MAX)
		elog(ERROR, "too many histograms");
	slice = &h->slices[h->nslices];
	memset(slice, 0, sizeof(Slice));
	slice->start = start;
	slice->alone = alone;
	slice->length = alone + (uint32) (h->nentries - start);
	next_stamp(h);
	return (uint32) h->nslices++;
}

uint32
persons_close(Histograms *h)
{
	Size		start = h->nentries - h->nopen;

	h->nopen = 0;
	return push_class(h, start, 0);
}

/* Numbers the persons of several classes anew, in place of in how many each is; returns how many there are. */
static uint32
number_listed(uint32 *classes, uint32 npersons, int64 *people)
{
	uint32		nlisted = 0;

	*people = 0;
	for (uint32 person = 0; person < npersons; person++)
	{
		*people += classes[person] > 0;
		/* 0: not listed */
		classes[person] = classes[person] > 1 ? ++nlisted : 0;
	}
	return nlisted;
}

int64
persons_finish(Histograms *h)
{
	uint32	   *number = h->stamps;
	Size		kept = 0;
	int64		people;

	memset(number, 0, sizeof(uint32) * ((Size) h->nvalues + 1));
	for (Size i = 0; i < h->nentries; i++)
		number[h->listed[i]]++;
	h->nvalues = number_listed(number, h->nvalues, &people);
	for (Size i = 0; i < h->nslices; i++)
	{
		Slice	   *slice = &h->slices[i];
		Size		start = slice->start;

		slice->start = kept;
		for (Size j = start; j < start + slice->length; j++)
			if (number[h->listed[j]] > 0)
				h->listed[kept++] = number[h->listed[j]] - 1;
		slice->alone = slice->length - (uint32) (kept - slice->start);
	}
	h->nentries = kept;
	h->stamps = repalloc_huge(h->stamps, sizeof(uint32) * ((Size) h->nvalues + 1));
	memset(h->stamps, 0, sizeof(uint32) * ((Size) h->nvalues + 1));
	h->stamp = 1;
	return people;
}

void
persons_resume(Histograms *h, const uint32 *listed, Size nlisted, const Slice *slices, Size nslices)
{
	reserve_listed(h, nlisted);
	while (h->slice_capacity < nslices)
		h->slices = budget_grow(h->context, h->slices, sizeof(Slice), &h->slice_capacity);
	memcpy(h->listed, listed, sizeof(uint32) * nlisted);
	memcpy(h->slices, slices, sizeof(Slice) * nslices);
	h->nentries = nlisted;
	h->nslices = nslices;
}

uint32
persons_join(Histograms *h, const uint32 *slices, uint32 nslices)
{
	Size		start = h->nentries;
	Size		most = 0;
	uint32		alone = 0;
	uint32	   *to;

	for (uint32 i = 0; i < nslices; i++)
		most += h->slices[slices[i]].length - h->slices[slices[i]].alone;
	reserve_listed(h, most);
	to = h->listed + start;
	for (uint32 i = 0; i < nslices; i++)
	{
		const Slice *slice = &h->slices[slices[i]];
		const uint32 *person = h->listed + slice->start;
		const uint32 *end = person + (slice->length - slice->alone);

		alone += slice->alone;
		for (; person < end; person++)
		{
			/* without a branch: who was met is as good as random */
			*to = *person;
			to += h->stamps[*person] != h->stamp;
			h->stamps[*person] = h->stamp;
		}
	}
	h->nentries = to - h->listed;
	return push_class(h, start, alone);
}

int64
persons_together(Histograms *h, const uint32 *slices, uint32 nslices, int64 enough)
{
	int64		people = 0;

	for (uint32 i = 0; i < nslices; i++)
		people = Max(people, h->slices[slices[i]].length);
	if (nslices == 1 || people >= enough)
		return people;
	people = 0;
	for (uint32 i = 0; i < nslices; i++)
		people += h->slices[slices[i]].alone;
	for (uint32 i = 0; i < nslices && people < enough; i++)
	{
		const Slice *slice = &h->slices[slices[i]];
		const uint32 *person = h->listed + slice->start;
		const uint32 *end = person + (slice->length - slice->alone);

		for (; person < end; person++)
		{
			people += h->stamps[*person] != h->stamp;
			h->stamps[*person] = h->stamp;
		}
	}
	next_stamp(h);
	return people;
}
