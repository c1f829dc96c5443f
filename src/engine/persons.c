/*
 * persons.c
 *	  The persons with rows in each class: histograms of the column that
 *	  identifies persons.
 *
 * Only the number of a class's persons is needed, so a class lists them
 * unordered and without counts, and merging classes is one pass with a stamp
 * per person.
 *
 * A person whose rows are all equal is in one class at every node, and always
 * adds one to its size.  Such persons are counted but not listed.  If the
 * quasi-identifiers depend only on the person, as a year of birth does, nobody
 * is listed at all.  A class of a single listed person is identified by its
 * number alone.
 */
#include "engine/histogram.h"

#include "base/budget.h"

/* The class of one unlisted person: the first, once persons are finished. */
#define LONE_PERSON 0

/* Stamps are compared as signed numbers. */
#define MOST_STAMPS ((uint32) PG_INT32_MAX)

/* Up to this many classes of one person are merged without stamps. */
#define FEW_SINGLES 8

/* Starts to list persons below a number, in no class yet. */
static void
begin_listing(Histograms *h, uint32 npersons)
{
	h->nvalues = npersons;
	h->stamps = MemoryContextAllocExtended(h->context, sizeof(uint32) * ((Size) npersons + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	h->stamp = 1;
	h->listed = NULL;
	h->classes = NULL;
	h->nentries = h->nslices = h->entry_capacity = h->slice_capacity = 0;
}

Histograms *
persons_create(MemoryContext context, const char *name, uint32 npersons)
{
	Histograms *h = MemoryContextAllocZero(context, sizeof(Histograms));

	if (npersons >= SINGLE_PERSON)
		elog(ERROR, "too many persons");
	budget_require(context, sizeof(uint32) * ((Size) npersons + 1));
	h->context = context;
	h->name = name;
	h->role = COLUMN_PERSON;
	begin_listing(h, npersons);
	return h;
}

static inline void
reserve_listed(Histograms *h, Size more)
{
	while (h->nentries + more > h->entry_capacity)
		h->listed = budget_grow(h->context, h->listed, sizeof(uint32), &h->entry_capacity);
}

/* Reserves a number of stamps, from the current one on, that no person has. */
static inline void
reserve_stamps(Histograms *h, uint32 n)
{
	if (h->stamp <= MOST_STAMPS - n)
		return;
	memset(h->stamps, 0, sizeof(uint32) * ((Size) h->nvalues + 1));
	h->stamp = 1;
}

/* Starts the next class, in which nobody has been seen yet. */
static inline void
next_stamp(Histograms *h)
{
	h->stamp++;
	reserve_stamps(h, 0);
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

/* Pushes a class whose listed persons begin at start; returns its number. */
static inline uint32
push_class(Histograms *h, Size start, uint32 alone)
{
	uint32		nlisted = (uint32) (h->nentries - start);
	PersonClass *class;

	next_stamp(h);
	if (alone == 0 && nlisted == 1)
	{
		h->nentries = start;
		return h->listed[start] | SINGLE_PERSON;
	}
	if (alone == 1 && nlisted == 0 && h->nslices > 0)
		return LONE_PERSON;
	if (h->nslices == h->slice_capacity)
		h->classes = budget_grow(h->context, h->classes, sizeof(PersonClass), &h->slice_capacity);
	if (h->nslices >= SINGLE_PERSON)
		elog(ERROR, "too many histograms");
	class = &h->classes[h->nslices];
	class->start = start;
	class->alone = alone;
	class->length = alone + nlisted;
	return (uint32) h->nslices++;
}

uint32
persons_close(Histograms *h)
{
	Size		start = h->nentries - h->nopen;

	h->nopen = 0;
	return push_class(h, start, 0);
}

static inline uint32
alone_of(const Histograms *h, uint32 number)
{
	return number & SINGLE_PERSON ? 0 : h->classes[number].alone;
}

/*
 * Numbers the persons in several classes, from 1, and counts everybody; returns
 * how many are in several.
 */
static uint32
number_listed(const Histograms *h, const uint32 *numbers, uint32 ntuples, uint32 *number_of, int64 *people)
{
	uint32		nlisted = 0;

	memset(number_of, 0, sizeof(uint32) * ((Size) h->nvalues + 1));
	for (uint32 i = 0; i < ntuples; i++)
	{
		uint32		single;
		const uint32 *persons;
		const uint32 *end = persons_listed(h, numbers[i], &single, &persons);

		for (; persons < end; persons++)
			number_of[*persons]++;
	}
	*people = 0;
	for (uint32 person = 0; person < h->nvalues; person++)
	{
		*people += number_of[person] > 0;
		number_of[person] = number_of[person] > 1 ? ++nlisted : 0;
	}
	return nlisted;
}

void
persons_forget(Histograms *h)
{
	if (h->listed != NULL)
		pfree(h->listed);
	if (h->classes != NULL)
		pfree(h->classes);
	h->listed = NULL;
	h->classes = NULL;
	h->nentries = h->nslices = h->entry_capacity = h->slice_capacity = 0;
}

int64
persons_finish(Histograms *h, uint32 *numbers, uint32 ntuples)
{
	uint32	   *number_of = h->stamps;
	Histograms	old = *h;
	int64		people;

	begin_listing(h, number_listed(&old, numbers, ntuples, number_of, &people));
	(void) push_class(h, 0, 1);
	for (uint32 i = 0; i < ntuples; i++)
	{
		uint32		single;
		const uint32 *persons;
		const uint32 *end = persons_listed(&old, numbers[i], &single, &persons);
		uint32		alone = 0;
		Size		start = h->nentries;

		reserve_listed(h, end - persons);
		for (; persons < end; persons++)
			if (number_of[*persons] > 0)
				h->listed[h->nentries++] = number_of[*persons] - 1;
			else
				alone++;
		numbers[i] = push_class(h, start, alone);
	}
	persons_forget(&old);
	pfree(number_of);
	return people;
}

void
persons_resume(Histograms *h, MemoryContext context)
{
	Histograms	shared = *h;

	budget_require(context, sizeof(uint32) * ((Size) h->nvalues + 1));
	h->context = context;
	h->name = NULL;
	begin_listing(h, h->nvalues);
	h->nentries = shared.nentries;
	h->nslices = shared.nslices;
	h->listed = budget_copy(context, shared.listed, sizeof(uint32), h->nentries, &h->entry_capacity);
	h->classes = budget_copy(context, shared.classes, sizeof(PersonClass), h->nslices, &h->slice_capacity);
}

/* Merges classes of one person each without using stamps. */
static uint32
join_singles(Histograms *h, const uint32 *numbers, uint32 n)
{
	Size		start = h->nentries;
	uint32	   *listed;
	uint32		nlisted = 0;

	reserve_listed(h, n);
	listed = h->listed + start;
	for (uint32 i = 0; i < n; i++)
	{
		uint32		person = numbers[i] & ~SINGLE_PERSON;
		uint32		at = 0;

		while (at < nlisted && listed[at] != person)
			at++;
		listed[at] = person;
		nlisted += at == nlisted;
	}
	h->nentries = start + nlisted;
	return push_class(h, start, 0);
}

uint32
persons_join(Histograms *h, const uint32 *numbers, uint32 n)
{
	Size		start = h->nentries;
	Size		most = 0;
	uint32		alone = 0;
	uint32		singles = SINGLE_PERSON;
	uint32		stamp = h->stamp;
	uint32	   *stamps = h->stamps;
	uint32	   *to;

	/* few enough to be compared pairwise */
	for (uint32 i = 0; i < n && n <= FEW_SINGLES; i++)
		singles &= numbers[i];
	if (n <= FEW_SINGLES && singles != 0)
		return join_singles(h, numbers, n);
	for (uint32 i = 0; i < n; i++)
		most += persons_size(h, numbers[i]);
	reserve_listed(h, most);
	to = h->listed + start;
	for (uint32 i = 0; i < n; i++)
	{
		uint32		single;
		const uint32 *person;
		const uint32 *end;

		alone += alone_of(h, numbers[i]);
		end = persons_listed(h, numbers[i], &single, &person);
		for (; person < end; person++)
		{
			/* without a branch, because who was seen is unpredictable */
			*to = *person;
			to += stamps[*person] != stamp;
			stamps[*person] = stamp;
		}
	}
	h->nentries = to - h->listed;
	return push_class(h, start, alone);
}

int64
persons_together(Histograms *h, const uint32 *numbers, uint32 n, int64 enough)
{
	int64		people = 0;

	for (uint32 i = 0; i < n; i++)
		people = Max(people, persons_size(h, numbers[i]));
	if (n == 1 || people >= enough)
		return people;
	people = 0;
	for (uint32 i = 0; i < n; i++)
		people += alone_of(h, numbers[i]);
	for (uint32 i = 0; i < n && people < enough; i++)
	{
		uint32		single;
		const uint32 *person;
		const uint32 *end;

		end = persons_listed(h, numbers[i], &single, &person);
		for (; person < end; person++)
		{
			people += h->stamps[*person] != h->stamp;
			h->stamps[*person] = h->stamp;
		}
	}
	next_stamp(h);
	return people;
}

/*
 * A person is new to the runs that began after their stamp.  All levels are
 * checked each time, without a branch, so that compilers vectorize the loop.
 */
void
persons_count_runs(Histograms *h, const uint32 *numbers, uint32 n, const uint8 * begun, int nlevels, uint32 *const *people)
{
	uint32	   *stamps = h->stamps;
	int32		start[PERSON_LEVELS] = {0}; /* each level's run: its first
											 * stamp */
	int32		counts[PERSON_LEVELS] = {0};
	Size		nruns[PERSON_LEVELS] = {0};

	if (n >= MOST_STAMPS)
		elog(ERROR, "too many classes");
	reserve_stamps(h, n);
	for (uint32 i = 0; i < n; i++)
	{
		int32		stamp = (int32) (h->stamp + i);
		int32		alone = (int32) alone_of(h, numbers[i]);
		uint32		single;
		const uint32 *person;
		const uint32 *end = persons_listed(h, numbers[i], &single, &person);

		persons_look_ahead(h, numbers, i, n);
		for (int level = 0; level < PERSON_LEVELS; level++)
		{
			int32		begins = -(level < begun[i]);

			start[level] = (start[level] & ~begins) | (stamp & begins);
			counts[level] = (counts[level] & ~begins) + alone;
		}
		for (; person < end; person++)
		{
			int32		met = (int32) stamps[*person];

			stamps[*person] = stamp;
			for (int level = 0; level < PERSON_LEVELS; level++)
				counts[level] += met < start[level];
		}
		for (int level = 0; level < nlevels; level++)
		{
			nruns[level] += level < begun[i];
			people[level][nruns[level] - 1] = counts[level];
		}
	}
	h->stamp += n;
}
