/*
 * known_rows.c
 *	  People who are left out because some of their rows look like those of too
 *	  few others.
 *
 * What is promised, and why there is a largest set of people who keep it, is
 * in promise/rows_known.c.
 *
 * People whose rows are in the same classes, equally often, have one profile:
 * they are shown or left out together.  Some of a profile's rows are a part of
 * it.  A part is written as a path of ascending classes, one for each row, and
 * has the number of its last step, so that looking up a step is looking up a
 * pair of numbers, however long the path.
 *
 * All parts of all profiles, up to the known number of rows, are listed, each
 * with the people who have it.  A part that too few have takes all of them
 * away; they leave their other parts, which may then have too few.  A part of
 * fewer rows than are known counts as well: somebody with more rows has it
 * within a larger part, which no more people have.  So each profile and each
 * part is visited once, as long as it takes to list them, and the order does
 * not matter.
 *
 * Since a part has at most the people of any smaller one, profiles are first
 * thinned out by parts of one row, of two, of four.  At detailed nodes few
 * remain whose larger parts have to be listed.
 *
 * If all rows of everybody are known, only whole profiles matter, and nobody's
 * 2^n parts have to be listed: people who have all rows of a profile are looked
 * for among those who have its rarest class, until there are enough.  If one of
 * them goes, the search continues where it stopped.
 */
#include "engine/known_rows.h"

#include "base/budget.h"
#include "base/bytes.h"
#include "base/key_counter.h"
#include "engine/node_classes.h"
#include "miscadmin.h"

/* Bytes that a part takes at most: its number in three lists, and in a counter's tables. */
#define PART_BYTES 48

/* Beyond this, whole profiles are looked for instead of counting all their parts. */
#define SMALL_PARTS 2

struct KnownRows
{
	const Population *population;
	int64		limit;			/* of rows that are out */
	int			npromises;
	RowsKnown	promises[MAX_ROWS_KNOWN + 1];
	MemoryContext context;		/* of the last node */
	Recodings	bottom;
	ClassCounter *counter;
	uint32	   *class_of;		/* by tuple */
	uint32	   *start;			/* by person: the first of their rows */
	uint32	   *tuple;			/* by row */
	RowsLeft	left;

	/* of the last node */
	uint32	   *classes;		/* by row, ascending for each person */
	uint32	   *next;			/* by row: the person's next row of another
								 * class */
	uint32	   *profile_of;		/* by person; NO_CLASS if they have no rows */
	uint32		npaths;
	uint32		nprofiles;
	uint32	   *first;			/* by profile: the first row of one of its
								 * people */
	uint32	   *length;			/* number of rows */
	int64	   *people;
	bool	   *shown;
	uint32		nout;			/* profiles that are not, and */
	int64		rows_out;		/* their rows, without equal ones beyond those
								 * known */
	uint32	   *number;			/* by class of the node: that of what is left */
};

KnownRows *
known_rows_create(const Population *population, int64 k, int64 limit)
{
	const PersonRows *rows = population->rows;
	MemoryContext context = AllocSetContextCreate(population->context, "anonopt known rows", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	KnownRows  *known = palloc0(sizeof(KnownRows));
	uint32		npersons = rows->npersons;
	int			bottom[MAX_ATTRIBUTES] = {0};
	int64		most = 0;
	int64		least = 0;
	Size		n = 0;

	known->population = population;
	known->limit = limit;
	known->npaths = 1024;
	for (int i = 0; i < population->nrows_known; i++)
	{
		known->promises[known->npromises++] = population->rows_known[i];
		most = Max(most, population->rows_known[i].rows);
		least = Max(least, population->rows_known[i].k);
	}
	if (k > least)
		known->promises[known->npromises++] = (RowsKnown)
	{
		1, k
	};
	known->context = AllocSetContextCreate(CurrentMemoryContext, "anonopt known rows of a node", ALLOCSET_DEFAULT_SIZES);
	known->bottom = node_of_levels(population, bottom);
	known->counter = class_counter_create(CurrentMemoryContext, population, population->tuples->ntuples);
	known->class_of = population_alloc(population, sizeof(uint32), (Size) population->tuples->ntuples + 1);
	known->left.out = population_alloc(population, sizeof(bool), (Size) npersons + 1);
	known->left.rows = population_alloc(population, sizeof(int64), (Size) population->tuples->ntuples + 1);

	/* more equal rows than are known do not matter */
	known->start = population_alloc(population, sizeof(uint32), (Size) npersons + 2);
	memset(known->start, 0, sizeof(uint32) * ((Size) npersons + 2));
	for (uint32 i = 0; i < rows->n; i++)
	{
		uint32		equal = (uint32) Min(rows->count[i], most);

		known->start[rows->person[i] + 2] += equal;
		n += equal;
		if (n > PG_INT32_MAX)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("too many rows are known of too many people")));
	}
	for (uint32 person = 0; person < npersons; person++)
		known->start[person + 2] += known->start[person + 1];
	known->tuple = population_alloc(population, sizeof(uint32), n + 1);
	for (uint32 i = 0; i < rows->n; i++)
		for (int64 equal = Min(rows->count[i], most); equal > 0; equal--)
			known->tuple[known->start[rows->person[i] + 1]++] = rows->tuple[i];
	MemoryContextSwitchTo(old);
	return known;
}

/* ---------------------------------------------------------------- profiles */

/* Finds the profile of each person, given the class of each tuple. */
static void
make_profiles(KnownRows *known)
{
	const Population *population = known->population;
	uint32		npersons = population->rows->npersons;
	Size		nrows = known->start[npersons];
	KeyCounter *paths = key_counter_create(CurrentMemoryContext, 1, known->npaths);

	known->classes = population_alloc(population, sizeof(uint32), nrows + 1);
	known->next = population_alloc(population, sizeof(uint32), nrows + 1);
	known->profile_of = population_alloc(population, sizeof(uint32), (Size) npersons + 1);
	known->first = population_alloc(population, sizeof(uint32), (Size) npersons + 1);
	known->length = population_alloc(population, sizeof(uint32), (Size) npersons + 1);
	known->people = population_alloc(population, sizeof(int64), (Size) npersons + 1);
	known->shown = population_alloc(population, sizeof(bool), (Size) npersons + 1);
	known->nprofiles = known->nout = 0;
	known->rows_out = 0;
	for (uint32 person = 0; person < npersons; person++)
	{
		uint32		from = known->start[person];
		uint32		n = known->start[person + 1] - from;
		uint32	   *classes = known->classes + from;
		uint32		path = 0;

		if (person % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		known->profile_of[person] = NO_CLASS;
		for (uint32 i = 0; i < n; i++)
			classes[i] = known->class_of[known->tuple[from + i]];
		if (n > 1)
			qsort(classes, n, sizeof(uint32), compare_uint32s);
		for (uint32 i = 0; i < n; i++)
		{
			*key_counter_candidate(paths) = (uint64) path << 32 | classes[i];
			path = key_counter_add(paths, 0) + 1;
		}
		for (uint32 i = n; i-- > 0;)
			known->next[from + i] = i + 1 < n && classes[i] == classes[i + 1] ? known->next[from + i + 1] : i + 1;
		if (n == 0)
			continue;
		/* counts has the profile at the end of a path, plus one */
		if (paths->counts[path - 1] == 0)
		{
			known->first[known->nprofiles] = from;
			known->length[known->nprofiles] = n;
			known->people[known->nprofiles] = 0;
			known->shown[known->nprofiles++] = true;
			paths->counts[path - 1] = known->nprofiles;
		}
		known->profile_of[person] = (uint32) paths->counts[path - 1] - 1;
		known->people[known->profile_of[person]]++;
	}
	/* as many as the next node may have */
	known->npaths = paths->nkeys;
}

/* A profile's next row of another class. */
static inline uint32
next_class(const KnownRows *known, uint32 profile, uint32 row)
{
	return known->next[known->first[profile] + row];
}

static void
leave_out(KnownRows *known, uint32 profile)
{
	known->shown[profile] = false;
	known->nout++;
	known->rows_out += known->people[profile] * known->length[profile];
}

/* The most rows that somebody has who is shown. */
static uint32
most_rows(const KnownRows *known)
{
	uint32		most = 0;

	for (uint32 profile = 0; profile < known->nprofiles; profile++)
		if (known->shown[profile])
			most = Max(most, known->length[profile]);
	return most;
}

/* ------------------------------------------------------------------- parts */

/* The parts of profiles that are shown. */
typedef struct Parts
{
	KeyCounter *keys;			/* by part: the part without its last class,
								 * plus one, and that class; its people */
	uint32		n;				/* places in the lists */
	uint32	   *part;			/* grouped by profile */
	uint32	   *profile;
	uint32	   *first;			/* by profile: the first place */
	uint32	   *start;			/* by part: the first place in having */
	uint32	   *having;			/* profiles that have it */
} Parts;

/* The number of parts that may be listed. */
static double
most_parts(void)
{
	return Min((double) (budget_limit() / 2 / PART_BYTES), PG_INT32_MAX);
}

/*
 * Counts a profile's parts by their number of rows, up to a largest number,
 * which is lowered if there would be too many.
 */
static void
count_sizes(const KnownRows *known, uint32 profile, uint32 *largest, double *sums)
{
	uint32		n = known->length[profile];
	const uint32 *next = known->next + known->first[profile];
	uint32		distinct = 0;
	double		chosen = 1;
	double	   *ways;
	double	   *before;

	for (uint32 i = 0; i < n; i = next[i])
		distinct++;
	/* parts of different classes alone */
	for (uint32 size = 1; size <= Min(*largest, distinct); size++)
	{
		chosen *= (double) (distinct - size + 1) / size;
		if (chosen > most_parts())
		{
			sums[size] += chosen;
			*largest = size - 1;
		}
	}
	n = Min(n, *largest);
	ways = palloc0(sizeof(double) * ((Size) n + 1));
	before = palloc(sizeof(double) * ((Size) n + 2));
	ways[0] = 1;
	for (uint32 i = 0; i < known->length[profile]; i = next[i])
	{
		uint32		equal = next[i] - i;

		before[0] = 0;
		for (uint32 size = 0; size <= n; size++)
			before[size + 1] = before[size] + ways[size];
		for (uint32 size = 0; size <= n; size++)
			ways[size] = before[size + 1] - (size > equal ? before[size - equal] : 0);
	}
	for (uint32 size = 1; size <= n; size++)
		sums[size] += ways[size];
	pfree(ways);
	pfree(before);
}

/*
 * The largest number of rows, up to a given one, for which the parts of so many
 * rows or fewer can be listed; and how many there are, of the first that are
 * too many if some are.
 */
static uint32
largest_parts(const KnownRows *known, uint32 wanted, double *parts)
{
	uint32		largest = wanted;
	double	   *sums = palloc0(sizeof(double) * ((Size) wanted + 2));
	uint32		size = 0;

	for (uint32 profile = 0; profile < known->nprofiles; profile++)
	{
		if (profile % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		if (known->shown[profile])
			count_sizes(known, profile, &largest, sums);
	}
	*parts = 0;
	while (size < wanted && *parts + sums[size + 1] <= most_parts())
		*parts += sums[++size];
	if (size < wanted)
		*parts += sums[size + 1];
	pfree(sums);
	return size;
}

/* Lists the parts of so many rows or fewer, given how many there are. */
static void
list_parts(const KnownRows *known, uint32 size, double nparts, Parts *parts)
{
	const Population *population = known->population;
	uint32	   *at = population_alloc(population, sizeof(uint32), size);	/* by depth of a path */
	uint32	   *path = population_alloc(population, sizeof(uint32), size);

	parts->n = 0;
	parts->keys = key_counter_create(CurrentMemoryContext, 1, 1024);
	parts->part = population_alloc(population, sizeof(uint32), (Size) nparts + 1);
	parts->profile = population_alloc(population, sizeof(uint32), (Size) nparts + 1);
	parts->first = population_alloc(population, sizeof(uint32), (Size) known->nprofiles + 1);
	for (uint32 profile = 0; profile < known->nprofiles; profile++)
	{
		const uint32 *classes = known->classes + known->first[profile];
		const uint32 *next = known->next + known->first[profile];
		uint32		n = known->shown[profile] ? known->length[profile] : 0;
		uint32		depth = 0;
		uint32		i = 0;

		parts->first[profile] = parts->n;
		while (i < n || depth > 0)
		{
			if (parts->n % 65536 == 0)
			{
				CHECK_FOR_INTERRUPTS();
				budget_require(population->context, 0);
			}
			if (i == n)
			{
				i = next[at[--depth]];
				continue;
			}
			*key_counter_candidate(parts->keys) = (uint64) (depth > 0 ? path[depth - 1] + 1 : 0) << 32 | classes[i];
			path[depth] = key_counter_add(parts->keys, known->people[profile]);
			parts->part[parts->n] = path[depth];
			parts->profile[parts->n++] = profile;
			at[depth] = i;
			if (depth + 1 < size)
			{
				depth++;
				i++;
			}
			else
				i = next[i];
		}
	}
	parts->first[known->nprofiles] = parts->n;
	key_counter_close(parts->keys);
	parts->start = population_alloc(population, sizeof(uint32), (Size) parts->keys->nkeys + 1);
	parts->having = population_alloc(population, sizeof(uint32), (Size) parts->n + 1);
	group_by_class(parts->part, parts->n, parts->keys->nkeys, parts->profile, parts->start, parts->having);
}

/* Leaves out people until every part of those who are shown has k people. */
static void
drop_rare_parts(KnownRows *known, const Parts *parts, int64 k)
{
	int64	   *people = parts->keys->counts;
	uint32	   *rare = population_alloc(known->population, sizeof(uint32), (Size) parts->keys->nkeys + 1);
	uint32		nrare = 0;

	for (uint32 part = 0; part < parts->keys->nkeys; part++)
		if (people[part] < k)
			rare[nrare++] = part;
	for (uint32 done = 0; done < nrare; done++)
		for (uint32 i = parts->start[rare[done]]; i < parts->start[rare[done] + 1]; i++)
		{
			uint32		profile = parts->having[i];

			if (i % 4096 == 0)
				CHECK_FOR_INTERRUPTS();
			if (!known->shown[profile])
				continue;
			leave_out(known, profile);
			for (uint32 place = parts->first[profile]; place < parts->first[profile + 1]; place++)
			{
				uint32		part = parts->part[place];

				if (people[part] >= k && people[part] - known->people[profile] < k)
					rare[nrare++] = part;
				people[part] -= known->people[profile];
			}
		}
}

/* ---------------------------------------------------------- whole profiles */

/* Who was found to have all rows of a profile. */
typedef struct Found
{
	uint32		profile;
	uint32		before;			/* found of the same people before, plus one */
} Found;

/* The search for people who have all rows of each profile. */
typedef struct WholeSearch
{
	KnownRows  *known;
	Parts		classes;		/* parts of one row */
	int64		enough;			/* people */
	uint64	   *marks;			/* by profile: some bits of its classes */
	uint32	   *at;				/* by profile: where its search stopped among
								 * those with its rarest class, and */
	uint32	   *end;			/* where they end */
	int64	   *people;			/* shown who were found so far */
	uint32	   *last;			/* by profile: the last for which it was
								 * found, plus one */
	Found	   *found;
	Size		nfound;
	Size		room;
} WholeSearch;

/* Whether people of a profile have all rows of another. */
static bool
has_all(const KnownRows *known, uint32 profile, uint32 other)
{
	const uint32 *own = known->classes + known->first[profile];
	const uint32 *end = own + known->length[profile];
	const uint32 *wanted = known->classes + known->first[other];

	for (uint32 i = 0; i < known->length[other]; i++, own++)
	{
		while (own < end && *own < wanted[i])
			own++;
		if (own == end || *own != wanted[i])
			return false;
	}
	return true;
}

/* Continues the search for a profile until there are enough; returns false if there are not. */
static bool
find_whole(WholeSearch *s, uint32 profile)
{
	while (s->people[profile] < s->enough && s->at[profile] < s->end[profile])
	{
		uint32		other = s->classes.having[s->at[profile]++];

		if (s->at[profile] % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		if (!s->known->shown[other] || (s->marks[profile] & ~s->marks[other]) != 0 ||
			!has_all(s->known, other, profile))
			continue;
		s->people[profile] += s->known->people[other];
		if (s->nfound == s->room)
			s->found = budget_grow(CurrentMemoryContext, s->found, sizeof(Found), &s->room);
		s->found[s->nfound].profile = profile;
		s->found[s->nfound].before = s->last[other];
		s->last[other] = (uint32) ++s->nfound;
	}
	return s->people[profile] >= s->enough;
}

static void
begin_whole(WholeSearch *s, KnownRows *known, int64 enough)
{
	const Population *population = known->population;
	Size		n = (Size) known->nprofiles + 1;
	double		nparts;

	s->known = known;
	s->enough = enough;
	if (largest_parts(known, 1, &nparts) < 1)
		budget_require(population->context, (Size) nparts * PART_BYTES);
	list_parts(known, 1, nparts, &s->classes);
	s->marks = population_alloc(population, sizeof(uint64), n);
	s->at = population_alloc(population, sizeof(uint32), n);
	s->end = population_alloc(population, sizeof(uint32), n);
	s->people = population_alloc(population, sizeof(int64), n);
	s->last = population_alloc(population, sizeof(uint32), n);
	memset(s->last, 0, sizeof(uint32) * n);
	memset(s->people, 0, sizeof(int64) * n);
	for (uint32 profile = 0; profile < known->nprofiles; profile++)
	{
		s->marks[profile] = s->at[profile] = s->end[profile] = 0;
		for (uint32 place = s->classes.first[profile]; place < s->classes.first[profile + 1]; place++)
		{
			uint32		class = s->classes.part[place];
			uint32		from = s->classes.start[class];
			uint32		to = s->classes.start[class + 1];

			s->marks[profile] |= UINT64CONST(1) << (word_hash(class) % 64);
			if (s->end[profile] > 0 && to - from >= s->end[profile] - s->at[profile])
				continue;
			s->at[profile] = from;
			s->end[profile] = to;
		}
	}
}

/* Leaves out people until k people have all rows of everybody who is shown. */
static void
drop_rare_wholes(KnownRows *known, int64 k)
{
	WholeSearch s = {0};
	uint32	   *out = population_alloc(known->population, sizeof(uint32), (Size) known->nprofiles + 1);
	uint32		nout = 0;

	begin_whole(&s, known, k);
	for (uint32 profile = 0; profile < known->nprofiles; profile++)
		if (known->shown[profile] && !find_whole(&s, profile))
		{
			leave_out(known, profile);
			out[nout++] = profile;
		}
	for (uint32 done = 0; done < nout; done++)
		for (uint32 link = s.last[out[done]]; link > 0; link = s.found[link - 1].before)
		{
			uint32		profile = s.found[link - 1].profile;

			s.people[profile] -= known->people[out[done]];
			if (!known->shown[profile] || find_whole(&s, profile))
				continue;
			leave_out(known, profile);
			out[nout++] = profile;
		}
}

/* --------------------------------------------------------------- a promise */

pg_noreturn static void
refuse_parts(uint32 rows, uint32 largest, double parts)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("too many sets of rows to promise something for any %u rows of a person", rows),
			 errdetail("There are at least %.0f sets of up to %u rows that look different; anonopt.memory allows %.0f.", parts, largest + 1, most_parts()),
			 largest == 0 ? errhint("Choose more general levels, or increase anonopt.memory.") :
			 errhint("Promise it for any %u rows or for all rows, choose more general levels, or increase anonopt.memory.", largest)));
}

/* Leaves out people until k have any so many rows of everybody who is shown. */
static void
keep_promise(KnownRows *known, const RowsKnown *promise)
{
	uint32		most = most_rows(known);
	bool		whole = promise->rows >= most;
	uint32		last = whole ? Min(most, SMALL_PARTS) : (uint32) promise->rows;
	MemoryContext context = AllocSetContextCreate(known->context, "anonopt known parts", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);

	for (uint32 size = Min(last, 1); size > 0; size = size < last ? Min(2 * size, last) : 0)
	{
		Parts		parts;
		double		nparts;
		uint32		largest = largest_parts(known, size, &nparts);

		if (largest < size && !whole)
			refuse_parts(promise->rows, largest, nparts);
		if (largest < size)
			break;
		list_parts(known, size, nparts, &parts);
		drop_rare_parts(known, &parts, promise->k);
		MemoryContextReset(context);
		if (known->rows_out > known->limit)
			break;
	}
	if (whole && most_rows(known) > last && known->rows_out <= known->limit)
		drop_rare_wholes(known, promise->k);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

/* ------------------------------------------------------- what is left of a node */

/* Marks the people who are out, and counts the rows of the others. */
static void
count_rows(KnownRows *known)
{
	const PersonRows *rows = known->population->rows;
	RowsLeft   *left = &known->left;
	int64		shown = 0;

	for (uint32 person = 0; person < rows->npersons; person++)
		left->out[person] = known->profile_of[person] != NO_CLASS && !known->shown[known->profile_of[person]];
	memset(left->rows, 0, sizeof(int64) * known->population->tuples->ntuples);
	for (uint32 i = 0; i < rows->n; i++)
		if (!left->out[rows->person[i]])
		{
			left->rows[rows->tuple[i]] += rows->count[i];
			shown += rows->count[i];
		}
	left->suppressed = known->population->people - shown;
}

/* The histogram of a tuple's rows that are left, from the first of its entries on. */
static uint32
left_histogram(const KnownRows *known, int column, uint32 tuple, uint32 entry)
{
	const PersonRows *rows = known->population->rows;
	Histograms *histograms = known->population->columns[column];

	for (; entry < rows->n && rows->tuple[entry] == tuple; entry++)
		if (!known->left.out[rows->person[entry]])
			histograms_count(histograms, rows->values[column][entry], rows->count[entry]);
	return histograms_close(histograms);
}

/* Builds the classes of what is left: first its tuples, of which none is empty. */
static void
make_classes(KnownRows *known)
{
	const Population *population = known->population;
	const TupleTable *all = population->tuples;
	const TupleTable *classes = &known->counter->classes;
	Population	values = *population;	/* without the persons, who are
										 * counted by profiles */
	TupleTable *tuples = tuple_table_create(population, CurrentMemoryContext, all->ntuples);
	uint32	   *number = population_alloc(population, sizeof(uint32), (Size) classes->ntuples + 1);
	uint32	   *class_of = population_alloc(population, sizeof(uint32), (Size) all->ntuples + 1);
	Size		key_size = sizeof(uint64) * population->nwords;
	uint64	   *keys = population_alloc(population, key_size, (Size) classes->ntuples + 1);
	uint32		entry = 0;
	uint32		n = 0;

	known->number = number;
	memset(number, 0xff, sizeof(uint32) * ((Size) classes->ntuples + 1));
	for (uint32 i = 0; i < all->ntuples; i++)
	{
		uint32		class = known->class_of[i];
		uint32		at = tuples->ntuples;
		uint32		begins = entry;

		if (i % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		while (entry < population->rows->n && population->rows->tuple[entry] == i)
			entry++;
		if (known->left.rows[i] == 0)
			continue;
		if (number[class] == NO_CLASS)
		{
			memcpy(keys + (Size) n * population->nwords, classes->keys + (Size) class * population->nwords, key_size);
			number[class] = n++;
		}
		class_of[at] = number[class];
		tuples->counts[at] = known->left.rows[i];
		for (int column = 0; column < population->ncolumns - 1; column++)
			tuples->slices[column][at] = known->left.rows[i] == all->counts[i] ? all->slices[column][i] :
				left_histogram(known, column, i, begins);
		tuples->ntuples++;
	}
	values.ncolumns--;
	known->left.classes = tuple_table_group(&values, tuples, class_of, n, CurrentMemoryContext);
	known->left.classes->keys = keys;
	known->left.classes->people = population_alloc(population, sizeof(uint32), (Size) n + 1);
	memset(known->left.classes->people, 0, sizeof(uint32) * ((Size) n + 1));
	for (uint32 profile = 0; profile < known->nprofiles; profile++)
		for (uint32 i = 0; i < known->length[profile] && known->shown[profile]; i = next_class(known, profile, i))
			known->left.classes->people[number[known->classes[known->first[profile] + i]]] += known->people[profile];
	pfree(class_of);
	tuple_table_free(population, tuples);
}

/*
 * Leaves out the people of classes that break a promise about their values;
 * returns whether there are any.
 */
static bool
leave_broken(KnownRows *known)
{
	const Population *population = known->population;
	const TupleTable *classes = known->left.classes;
	uint32		nout = known->nout;

	for (uint32 profile = 0; profile < known->nprofiles; profile++)
		for (uint32 i = 0; i < known->length[profile] && known->shown[profile]; i = next_class(known, profile, i))
		{
			uint32		class = known->number[known->classes[known->first[profile] + i]];
			int			breaks = 0;

			for (int column = 0; column < population->nsensitive; column++)
				breaks |= population->columns[column]->slices[classes->slices[column][class]].breaks;
			if (breaks != 0)
				leave_out(known, profile);
		}
	return known->nout > nout;
}

const RowsLeft *
known_rows_leave(KnownRows *known, Recodings node, bool wants_classes)
{
	MemoryContext old;
	uint32		nout;

	MemoryContextReset(known->context);
	old = MemoryContextSwitchTo(known->context);
	class_counter_recode(known->counter, known->population->tuples, known->bottom, node, known->class_of);
	make_profiles(known);
	do
	{
		/* what one promise takes away may break another */
		do
		{
			nout = known->nout;
			for (int i = 0; i < known->npromises; i++)
				keep_promise(known, &known->promises[i]);
		} while (known->npromises > 1 && known->nout > nout);
		count_rows(known);
		known->left.classes = NULL;
		if (known->rows_out > known->limit)
			break;
		if ((wants_classes && known->nout > 0) || known->population->has_conditions)
			make_classes(known);
	} while (known->population->has_conditions && leave_broken(known));
	MemoryContextSwitchTo(old);
	return &known->left;
}

int64 *
known_rows_out(const Population *population, int64 k, Recodings node)
{
	KnownRows  *known;
	int64	   *out;

	if (population->rows == NULL)
		return NULL;
	known = known_rows_create(population, k, PG_INT64_MAX);
	(void) known_rows_leave(known, node, false);
	out = population_alloc(population, sizeof(int64), (Size) known->counter->classes.ntuples + 1);
	memset(out, 0, sizeof(int64) * ((Size) known->counter->classes.ntuples + 1));
	for (uint32 profile = 0; profile < known->nprofiles; profile++)
		for (uint32 i = 0; i < known->length[profile] && !known->shown[profile]; i = next_class(known, profile, i))
			out[known->classes[known->first[profile] + i]] += known->people[profile];
	return out;
}

/* -------------------------------------------------------------------- risk */

/* The people of the rarest part of a profile, of those listed or, if there are none, of the whole. */
static int64
rarest_of(const Parts *parts, WholeSearch *s, uint32 profile)
{
	int64		least = PG_INT64_MAX;

	if (parts->keys == NULL)
	{
		(void) find_whole(s, profile);
		return s->people[profile];
	}
	for (uint32 place = parts->first[profile]; place < parts->first[profile + 1]; place++)
		least = Min(least, parts->keys->counts[parts->part[place]]);
	return least;
}

static void
add_risk(RowsRisk *risk, int64 least, int64 k, int64 people)
{
	risk->least = Min(risk->least, least);
	risk->singled_out += least == 1 ? people : 0;
	risk->few += least < k ? people : 0;
}

RowsRisk
known_rows_risk(const Population *population)
{
	const RowsKnown *promise = &population->rows_known[0];
	RowsRisk	risk = {.least = PG_INT64_MAX};
	WholeSearch s = {0};
	Parts		parts = {0};
	KnownRows  *known;
	double		nparts;
	uint32		wanted;
	uint32		largest;

	/* everybody has one row */
	for (uint32 i = 0; i < population->tuples->ntuples && population->rows == NULL; i++)
		add_risk(&risk, population->tuples->counts[i], promise->k, population->tuples->counts[i]);
	if (population->rows == NULL)
		return risk;
	known = known_rows_create(population, 0, PG_INT64_MAX);
	class_counter_recode(known->counter, population->tuples, known->bottom, known->bottom, known->class_of);
	make_profiles(known);
	wanted = (uint32) Min(promise->rows, most_rows(known));
	largest = largest_parts(known, wanted, &nparts);
	if (largest == wanted)
		list_parts(known, wanted, nparts, &parts);
	else if (wanted == most_rows(known))
		begin_whole(&s, known, PG_INT64_MAX);
	else
		refuse_parts(promise->rows, largest, nparts);
	for (uint32 profile = 0; profile < known->nprofiles; profile++)
		add_risk(&risk, rarest_of(&parts, &s, profile), promise->k, known->people[profile]);
	return risk;
}
