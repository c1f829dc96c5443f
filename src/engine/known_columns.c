/*
 * known_columns.c
 *	  Promises against people who know only some of the columns.
 *
 * An attacker knows any m quasi-identifiers of a person, and not the others.
 * So for every set S of m columns, each class of the rows shown by the labels
 * of S must have k people, or l values.  All rows of a class of the node have
 * the same labels of S, so shown is a set of classes of the node: the largest
 * that keeps this for every S.
 *
 * It exists and is unique.  If two sets of classes keep the promises, so does
 * their union: a class of S in the union contains a class of S of one of them,
 * and has no fewer people or values.  So the union of all sets that keep them
 * is the largest.  It is found by taking away what breaks a promise until
 * nothing does: nothing of the largest set is ever taken, since a class of S
 * that contains some of it contains a whole class of S of the largest set, and
 * keeps the promise.  Classes that break a promise of their own are taken away
 * first, since they are not shown whatever else is.
 *
 * A more general node suppresses no more, as long as the promises of single
 * classes are of k and l, too.  Take the classes of the upper node that contain
 * rows shown at the lower one.  Each contains a class that is shown below, and
 * for every S its class of S contains a whole one of below.  So these classes
 * keep all promises, and are part of the largest set above.
 *
 * What is taken away for one S may break a promise of another, so sets are
 * visited in turn until nothing has been taken since each was visited.  Only
 * the first visit counts everybody; later ones count only the classes of S
 * from which somebody was taken meanwhile.
 */
#include "engine/known_columns.h"

#include "base/budget.h"
#include "engine/node_classes.h"
#include "miscadmin.h"

/* The set has not been visited yet. */
#define NEVER PG_UINT32_MAX

/* A visit counts everybody unless so many times as many are left as were taken. */
#define FEW_TAKEN 4

typedef struct Hiding
{
	const Population *population;
	const TupleTable *classes;
	TupleTable	left;			/* their keys and rows; behind them those
								 * taken away, the latest first */
	uint32	   *number;			/* of each: of the class */
	uint32	   *group_of;		/* its class of the set visited, or NO_CLASS */
	ClassCounter *counter;		/* of those */
	uint32	   *start;			/* of each group's histograms */
	uint32	   *members;		/* groups of those counted */
	uint32	   *slices;			/* their histograms */
	uint32	   *together;		/* the same, group by group */
	double	   *figures;		/* by group */
} Hiding;

/* ---------------------------------------------------------- sets of columns */

int
known_columns_size(const Population *population, const ColumnsKnown *known)
{
	return Min(known->columns, population->nattrs);
}

double
known_columns_sets(int nattrs, int size)
{
	double		sets = 1;

	for (int i = 0; i < size; i++)
		sets = floor(sets * (nattrs - i) / (i + 1) + 0.5);
	return sets;
}

void
known_columns_first(int *set, int size)
{
	for (int i = 0; i < size; i++)
		set[i] = i;
}

bool
known_columns_next(int *set, int size, int nattrs)
{
	int			i = size - 1;

	while (i >= 0 && set[i] == nattrs - size + i)
		i--;
	if (i < 0)
		return false;
	for (set[i++]++; i < size; i++)
		set[i] = set[i - 1] + 1;
	return true;
}

/* ------------------------------------------------------ the classes of a set */

static void
swap_left(Hiding *h, uint32 i, uint32 j)
{
	int			nwords = h->population->nwords;
	int64		count = h->left.counts[i];
	uint32		number = h->number[i];
	uint32		group = h->group_of[i];

	for (int word = 0; word < nwords; word++)
	{
		uint64		key = h->left.keys[(Size) i * nwords + word];

		h->left.keys[(Size) i * nwords + word] = h->left.keys[(Size) j * nwords + word];
		h->left.keys[(Size) j * nwords + word] = key;
	}
	h->left.counts[i] = h->left.counts[j];
	h->left.counts[j] = count;
	h->number[i] = h->number[j];
	h->number[j] = number;
	h->group_of[i] = h->group_of[j];
	h->group_of[j] = group;
}

/* Prepares to visit sets, with the classes that are not hidden left. */
static Hiding *
hiding_create(const Population *population, const TupleTable *classes, const bool *hidden)
{
	Hiding	   *h = palloc0(sizeof(Hiding));
	Size		room = (Size) classes->ntuples + 1;

	if (classes->keys == NULL)
		elog(ERROR, "classes without labels of columns");
	h->population = population;
	h->classes = classes;
	h->left.keys = population_alloc(population, sizeof(uint64) * population->nwords, room);
	h->left.counts = population_alloc(population, sizeof(int64), room);
	h->number = population_alloc(population, sizeof(uint32), room);
	h->group_of = population_alloc(population, sizeof(uint32), room);
	for (uint32 class = 0; class < classes->ntuples; class++)
	{
		if (hidden != NULL && hidden[class])
			continue;
		memcpy(h->left.keys + (Size) h->left.ntuples * population->nwords,
			   classes->keys + (Size) class * population->nwords, sizeof(uint64) * population->nwords);
		h->left.counts[h->left.ntuples] = classes->counts[class];
		h->number[h->left.ntuples++] = class;
	}
	h->counter = class_counter_create(CurrentMemoryContext, population, h->left.ntuples);
	h->start = population_alloc(population, sizeof(uint32), room);
	h->members = population_alloc(population, sizeof(uint32), room);
	h->slices = population_alloc(population, sizeof(uint32), room);
	h->together = population_alloc(population, sizeof(uint32), room);
	h->figures = population_alloc(population, sizeof(double), room);
	return h;
}

/*
 * Groups what is left by the labels of a set: everybody, or only the groups of
 * those that were taken away since there were so many left.
 */
static void
group_left(Hiding *h, const int *set, int size, uint32 before)
{
	const Population *population = h->population;
	int64	   *rows = h->counter->classes.counts;

	class_counter_keep(h->counter, set, size);
	if (before == NEVER || (int64) (before - h->left.ntuples) * FEW_TAKEN > h->left.ntuples)
		class_counter_count(h->counter, &h->left, h->group_of);
	else
	{
		TupleTable	taken = {.ntuples = before - h->left.ntuples};

		taken.keys = h->left.keys + (Size) h->left.ntuples * population->nwords;
		taken.counts = h->left.counts + h->left.ntuples;
		class_counter_count(h->counter, &taken, NULL);
		class_counter_find(h->counter, &h->left, h->group_of);
		memset(rows, 0, sizeof(int64) * h->counter->classes.ntuples);
		for (uint32 i = 0; i < h->left.ntuples; i++)
			if (h->group_of[i] != NO_CLASS)
				rows[h->group_of[i]] += h->left.counts[i];
	}
}

/* Collects the histograms of each group for a column: start says where each group's are. */
static void
collect_slices(Hiding *h, int column)
{
	const uint32 *slices = h->classes->slices[column];
	uint32		n = 0;

	for (uint32 i = 0; i < h->left.ntuples; i++)
	{
		if (h->group_of[i] == NO_CLASS)
			continue;
		h->members[n] = h->group_of[i];
		h->slices[n++] = slices[h->number[i]];
	}
	group_by_class(h->members, n, h->counter->classes.ntuples, h->slices, h->start, h->together);
}

int
known_columns_column(const Population *population, const ColumnsKnown *known)
{
	return known->column >= 0 ? known->column : population->has_persons ? population->ncolumns - 1 : -1;
}

double
known_columns_figure(const Population *population, const ColumnsKnown *known, const uint32 *slices, uint32 n,
					 int64 rows, int64 enough)
{
	Histograms *histograms;
	HistogramMark mark;
	const ClassHistogram *slice;
	ClassValues values;
	double		figure;

	if (known->column < 0)
		return (double) (population->has_persons ? persons_together(population_persons(population), slices, n, enough) : rows);
	histograms = population->columns[known->column];
	mark = histograms_mark(histograms);
	/* merging may move the slices */
	n = histograms_merge(histograms, slices, n);
	slice = &histograms->slices[n];
	values = class_values(histograms, slice, histograms->entries + slice->start, rows);
	figure = model_figure(models[known->model], &values, NULL);
	histograms_release(histograms, mark);
	return figure;
}

/* The figures of all groups, each at least until there is enough; 0 for one of which nobody is left. */
static void
find_figures(Hiding *h, const ColumnsKnown *known, int64 enough)
{
	int			column = known_columns_column(h->population, known);

	if (column >= 0)
		collect_slices(h, column);
	for (uint32 group = 0; group < h->counter->classes.ntuples; group++)
	{
		int64		rows = h->counter->classes.counts[group];
		uint32		start = column >= 0 ? h->start[group] : 0;
		uint32		n = column >= 0 ? h->start[group + 1] - start : 0;

		CHECK_FOR_INTERRUPTS();
		h->figures[group] = rows == 0 ? 0 :
			known_columns_figure(h->population, known, h->together + start, n, rows, enough);
	}
}

/* --------------------------------------------------------------- taking away */

/* Takes away what breaks a promise for a set; returns whether anything did. */
static bool
visit_set(Hiding *h, const ColumnsKnown *known, const int *set, uint32 before, bool *hidden, int *promise)
{
	uint32		left = h->left.ntuples;

	group_left(h, set, known_columns_size(h->population, known), before);
	find_figures(h, known, (int64) known->threshold);
	for (uint32 i = 0; i < h->left.ntuples;)
	{
		if (h->group_of[i] == NO_CLASS || h->figures[h->group_of[i]] >= known->threshold)
		{
			i++;
			continue;
		}
		hidden[h->number[i]] = true;
		if (promise != NULL)
			promise[h->number[i]] = (int) (known - h->population->known);
		swap_left(h, i, --h->left.ntuples);
	}
	return h->left.ntuples < left;
}

/* The number of sets of columns; fails if they are more than could be remembered. */
static double
sets_of(const Population *population, const ColumnsKnown *known)
{
	int			size = known_columns_size(population, known);
	double		sets = known_columns_sets(population->nattrs, size);
	int			fits = size;

	while (fits > 0 && !budget_allows(population->context, (Size) (known_columns_sets(population->nattrs, fits) * sizeof(uint32))))
		fits--;
	if (fits < size)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many sets of columns"),
				 errdetail("There are %.0f sets of %d of %d columns, more than anonopt.memory has room for.",
						   sets, size, population->nattrs),
				 errhint("Set anonopt.memory higher, or let at most %d columns be known.", fits)));
	return sets;
}

Size
known_columns_count(const Population *population)
{
	double		sets = 0;

	for (int i = 0; i < population->nknown; i++)
		sets += sets_of(population, &population->known[i]);
	budget_require(population->context, (Size) (sets * sizeof(uint32)));
	return (Size) sets;
}

/* Visits the sets of a promise of which somebody was taken away since the last visit. */
static bool
visit_sets(Hiding *h, const ColumnsKnown *known, uint32 *before, bool *hidden, int *promise)
{
	int			size = known_columns_size(h->population, known);
	int			set[MAX_ATTRIBUTES];
	bool		any = false;

	known_columns_first(set, size);
	do
	{
		CHECK_FOR_INTERRUPTS();
		if (*before == NEVER || *before > h->left.ntuples)
		{
			any = visit_set(h, known, set, *before, hidden, promise) || any;
			*before = h->left.ntuples;
		}
		before++;
	} while (known_columns_next(set, size, h->population->nattrs));
	return any;
}

void
known_columns_hide_for(const Population *population, const TupleTable *classes, bool *hidden, int *promise)
{
	MemoryContext context = AllocSetContextCreate(population->context, "anonopt known columns", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Size		nsets = known_columns_count(population);
	uint32	   *before = population_alloc(population, sizeof(uint32), nsets + 1);
	Hiding	   *h = hiding_create(population, classes, hidden);
	bool		any = population->nknown > 0;

	memset(before, 0xff, sizeof(uint32) * nsets);
	for (uint32 class = 0; class < classes->ntuples && promise != NULL; class++)
		promise[class] = -1;
	while (any)
	{
		Size		first = 0;

		any = false;
		for (int i = 0; i < population->nknown; i++)
		{
			const ColumnsKnown *known = &population->known[i];

			any = visit_sets(h, known, before + first, hidden, promise) || any;
			first += (Size) known_columns_sets(population->nattrs, known_columns_size(population, known));
		}
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

void
known_columns_hide(const Population *population, const TupleTable *classes, bool *hidden)
{
	known_columns_hide_for(population, classes, hidden, NULL);
}

/* ----------------------------------------------------------------- measuring */

/* Groups what is left by a set, and shows the classes. */
static void
visit_classes(Hiding *h, const ColumnsKnown *known, const int *set, int size, VisitSet visit, void *arg)
{
	KnownClasses classes = {.set = set,.size = size};

	CHECK_FOR_INTERRUPTS();
	group_left(h, set, size, NEVER);
	find_figures(h, known, PG_INT64_MAX);
	classes.n = h->counter->classes.ntuples;
	classes.keys = h->counter->classes.keys;
	classes.figures = h->figures;
	classes.start = h->start;
	classes.slices = h->together;
	visit(arg, &classes);
}

void
known_columns_visit_set(const Population *population, const TupleTable *classes, const bool *hidden,
						const ColumnsKnown *known, const int *set, int size, VisitSet visit, void *arg)
{
	MemoryContext context = AllocSetContextCreate(population->context, "anonopt known columns", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);

	visit_classes(hiding_create(population, classes, hidden), known, set, size, visit, arg);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

void
known_columns_visit(const Population *population, const TupleTable *classes, const bool *hidden,
					const ColumnsKnown *known, VisitSet visit, void *arg)
{
	MemoryContext context = AllocSetContextCreate(population->context, "anonopt known columns", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Hiding	   *h = hiding_create(population, classes, hidden);
	int			size = known_columns_size(population, known);
	int			set[MAX_ATTRIBUTES];

	(void) sets_of(population, known);
	known_columns_first(set, size);
	do
		visit_classes(h, known, set, size, visit, arg);
	while (known_columns_next(set, size, population->nattrs));
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

/* The least figure so far, and the set that has it, if requested. */
typedef struct LeastFigure
{
	double		least;
	int		   *worst;
} LeastFigure;

static void
find_least(void *arg, const KnownClasses *classes)
{
	LeastFigure *found = arg;

	for (uint32 i = 0; i < classes->n; i++)
	{
		if (classes->figures[i] >= found->least)
			continue;
		found->least = classes->figures[i];
		if (found->worst != NULL)
			memcpy(found->worst, classes->set, sizeof(int) * classes->size);
	}
}

double
known_columns_worst(const Population *population, const TupleTable *classes, const bool *hidden,
					const ColumnsKnown *known, int *worst)
{
	LeastFigure found = {HUGE_VAL, worst};

	known_columns_visit(population, classes, hidden, known, find_least, &found);
	return found.least;
}

int64
known_columns_least(const Population *population, const TupleTable *classes, const bool *hidden, int columns)
{
	ColumnsKnown known = {.columns = columns,.column = -1};
	double		least = known_columns_worst(population, classes, hidden, &known, NULL);

	return isinf(least) ? 0 : (int64) least;
}

bool
known_columns_kept_alike(const Population *population, int column, int64 people, uint32 number)
{
	for (int i = 0; i < population->nknown; i++)
	{
		const ColumnsKnown *known = &population->known[i];

		if (known->column == column &&
			(column < 0 ? people : known_columns_figure(population, known, &number, 1, people, 0)) < known->threshold)
			return false;
	}
	return true;
}

int
known_columns_of_k(const Population *population)
{
	int			columns = 0;

	for (int i = 0; i < population->nknown; i++)
		if (population->known[i].column < 0)
			columns = Max(columns, population->known[i].columns);
	return columns;
}
