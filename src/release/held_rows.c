/*
 * held_rows.c
 *	  The rows of a release that a refresh shows again, and those that it drops:
 *	  see hold_back.c.
 */
#include "release/hold_back.h"

#include "access/heapam.h"
#include "base/budget.h"
#include "base/bytes.h"
#include "catalog/sql.h"
#include "common/hashfn.h"
#include "executor/tuptable.h"
#include "lib/qunique.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

/* -------------------------------------------------- the rows that were shown */

typedef void (*TableVisitor) (HeldBack *held, uint32 number, TupleTableSlot *slot, void *arg);

/*
 * Visits the release's rows, in memory of their own.  Each visit finds the same
 * ones: views and functions that were called meanwhile cannot have changed the
 * open table's columns or replaced its file, and rows are those of one snapshot.
 */
static void
visit_table(HeldBack *held, TableVisitor visit, void *arg)
{
	Relation	table = held->table;
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "anonopt row", ALLOCSET_DEFAULT_SIZES);
	TupleTableSlot *slot = table_slot_create(table, NULL);
	TableScanDesc scan;
	uint32		n = 0;

	if (!release_has_columns(held->release, RelationGetDescr(table)) || table->rd_tableam == NULL)
		relation_has_changed(RelationGetRelid(table));
	scan = table_beginscan_strat(table, held->snapshot, 0, NULL, true, false);
	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		MemoryContext old = MemoryContextSwitchTo(row);

		CHECK_FOR_INTERRUPTS();
		slot_getallattrs(slot);
		visit(held, n++, slot, arg);
		MemoryContextSwitchTo(old);
		MemoryContextReset(row);
	}
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	MemoryContextDelete(row);
	if (n != held->nrows)
		relation_has_changed(RelationGetRelid(table));
}

/* What is needed to recognize rows. */
typedef struct RowReader
{
	TextIndex	labels[MAX_ATTRIBUTES];
	KeyCounter *fresh;			/* a class, and a digest of all that a row
								 * shows beside labels: rows of F that O has
								 * not shown so far */
	int64	   *seen;			/* by row of O's content */
} RowReader;

/* A digest of the columns of a row that are not generalized. */
static uint64
row_digest(const HeldBack *held, const Datum *values, const bool *nulls)
{
	const Release *release = held->release;
	uint64		digest = 0;

	for (int i = 0; i < release->nspooled; i++)
		digest = hash_combine64(digest, nulls[i] ? 1 :
								bytes_digest(TupleDescAttr(release->spool.desc, i + 1), values[i], held->seed));
	return digest;
}

/* Counts a row of F. */
static void
count_fresh_row(void *arg, uint32 group, const Datum *values, const bool *nulls)
{
	const HeldBack *held = ((void **) arg)[0];
	RowReader  *reader = ((void **) arg)[1];
	const Release *release = held->release;
	uint32		tuple = release->spool.tuple_of[group];
	uint32		class = release->classes->class_of[tuple];
	uint64	   *key = key_counter_candidate(reader->fresh);

	if (class != NO_CLASS)
		class = held->class_of_fresh[class];
	/* it is still there, even in another class */
	if (held->last_of_tuple != NULL && held->last_of_tuple[tuple] != NO_CLASS)
		class = held->last_of_tuple[tuple];
	if (class == NO_CLASS)
		return;
	key[0] = class;
	key[1] = row_digest(held, values, nulls);
	(void) key_counter_add(reader->fresh, 1);
}

/* The class of a row of the table, or NO_CLASS. */
static uint32
class_of_row(const HeldBack *held, const RowReader *reader, const TupleTableSlot *slot)
{
	const Release *release = held->release;
	uint64	   *key = key_counter_candidate(held->classes);
	bool		starred = release->star && !slot->tts_isnull[release->ncolumns] &&
	DatumGetBool(slot->tts_values[release->ncolumns]);
	uint32		class;

	memset(key, 0, sizeof(uint64) * held->classes->nwords);
	for (int i = 0; i < release->ncolumns; i++)
	{
		int			a = release->columns[i].attr;
		uint32		code = STARRED;

		if (a < 0)
			continue;
		if (!starred)
			code = find_text(&reader->labels[a],
							 slot->tts_isnull[i] ? NULL : TextDatumGetCString(slot->tts_values[i]));
		if (!starred && code == PG_UINT32_MAX)
			return NO_CLASS;
		put_code(key, a, code);
	}
	class = key_counter_find(held->classes);
	return class == PG_UINT32_MAX || held->last.people[class] == 0 ? NO_CLASS : class;
}

/* The columns of a row that are not generalized, flat. */
static void
other_columns(const Release *release, const TupleTableSlot *slot, Datum *values, bool *nulls)
{
	int			n = 0;

	for (int i = 0; i < release->ncolumns; i++)
		if (release->columns[i].attr < 0)
		{
			values[n] = slot->tts_values[i];
			nulls[n] = slot->tts_isnull[i];
			if (!nulls[n] && TupleDescAttr(slot->tts_tupleDescriptor, i)->attlen == -1)
				values[n] = PointerGetDatum(PG_DETOAST_DATUM(values[n]));
			n++;
		}
}

/* Finds out which row of O's content a row of the table is, and whether F has it, too. */
static void
take_last_row(HeldBack *held, uint32 number, TupleTableSlot *slot, void *arg)
{
	const Release *release = held->release;
	const RowSpool *spool = &release->spool;
	RowReader  *reader = arg;
	KeyCounter *rows = held->last.content->rows;
	Datum	   *values = palloc(sizeof(Datum) * (release->nspooled + 1));
	bool	   *nulls = palloc(sizeof(bool) * (release->nspooled + 1));
	LastRow    *row;
	uint64	   *key;

	if (held->nrows >= held->room)
		held->rows = budget_grow(held->context, held->rows, sizeof(LastRow), &held->room);
	row = &held->rows[held->nrows++];
	memset(row, 0, sizeof(LastRow));
	row->class = class_of_row(held, reader, slot);
	if (row->class == NO_CLASS)
		return;
	other_columns(release, slot, values, nulls);
	key = key_counter_candidate(rows);
	memcpy(key, class_key(held, row->class), sizeof(uint64) * held->classes->nwords);
	key += held->classes->nwords;
	for (int i = 0; i < release->nspooled; i++)
		if (spool->columns[i].digested)
			*key++ = nulls[i] ? 0 : value_digest(&spool->types[i], values[i]);
	row->row = key_counter_find(rows);
	if (row->row == PG_UINT32_MAX)
		held->tampered[row->class] = true;
	else
		reader->seen[row->row]++;
	key = key_counter_candidate(reader->fresh);
	key[0] = row->class;
	key[1] = row_digest(held, values, nulls);
	number = key_counter_find(reader->fresh);
	row->deleted = number == PG_UINT32_MAX || reader->fresh->counts[number]-- <= 0;
	held->deleted[row->class] += row->deleted;
}

/* Sorts rows by class: returns their order, and the place of each class's first one. */
static uint32 *
sort_rows(const HeldBack *held, const uint32 *class_of, uint32 nrows, uint32 **first)
{
	uint32		n = held->classes->nkeys;
	uint32	   *at = budget_alloc(sizeof(uint32), (Size) n + 1);
	uint32	   *order = budget_alloc(sizeof(uint32), (Size) nrows + 1);

	CHECK_FOR_INTERRUPTS();
	*first = budget_alloc_zero(sizeof(uint32), (Size) n + 1);
	for (uint32 i = 0; i < nrows; i++)
		if (class_of[i] != NO_CLASS)
			(*first)[class_of[i] + 1]++;
	for (uint32 class = 0; class < n; class++)
		(*first)[class + 1] += (*first)[class];
	memcpy(at, *first, sizeof(uint32) * n);
	for (uint32 i = 0; i < nrows; i++)
		if (class_of[i] != NO_CLASS)
			order[at[class_of[i]]++] = i;
	pfree(at);
	return order;
}

void
held_read_rows(HeldBack *held)
{
	const Content *last = held->last.content;
	MemoryContext old = MemoryContextSwitchTo(held->context);
	RowReader	reader = {.fresh = key_counter_create(held->context, 2, held->release->spool.ngroups)};
	void	   *arg[] = {held, &reader};
	uint32	   *class_of;

	for (int a = 0; a < last->nattrs; a++)
		reader.labels[a] = index_texts(last->labels[a], last->nlabels[a]);
	reader.seen = budget_alloc_zero(sizeof(int64), (Size) last->rows->nkeys + 1);
	held->room = 1024;
	held->rows = budget_alloc(sizeof(LastRow), held->room);
	spool_visit(&held->release->spool, count_fresh_row, arg);
	visit_table(held, take_last_row, &reader);
	for (uint32 row = 0; row < last->rows->nkeys; row++)
		if (reader.seen[row] != last->rows->counts[row])
			held->tampered[held->last.class_of[row]] = true;
	class_of = budget_alloc(sizeof(uint32), (Size) held->nrows + 1);
	for (uint32 i = 0; i < held->nrows; i++)
		class_of[i] = held->rows[i].class;
	held->order = sort_rows(held, class_of, held->nrows, &held->first);
	pfree(class_of);
	MemoryContextSwitchTo(old);
}

/* Who gets the rows that are shown again. */
typedef struct RowGoal
{
	SpoolVisitor visit;
	void	   *arg;
} RowGoal;

static void
pass_on(HeldBack *held, uint32 number, TupleTableSlot *slot, void *arg)
{
	const Release *release = held->release;
	const RowGoal *goal = arg;
	Datum	   *values;
	bool	   *nulls;
	uint32		class;

	class = number < held->nrows ? held->rows[number].class : NO_CLASS;
	if (class == NO_CLASS || held->state[class] != CLASS_HELD || held->rows[number].dropped)
		return;
	values = palloc(sizeof(Datum) * (release->nspooled + 1));
	nulls = palloc(sizeof(bool) * (release->nspooled + 1));
	other_columns(release, slot, values, nulls);
	goal->visit(goal->arg, held->place_of[class], values, nulls);
}

void
held_visit(HeldBack *held, SpoolVisitor visit, void *arg)
{
	RowGoal		goal = {visit, arg};

	if (held->is_filled)
		visit_table(held, pass_on, &goal);
}

/* ----------------------------------- a held class with people who were deleted */

/* The cell of values in a class. */
static uint32
cell_of(HeldBack *held, uint32 class, const uint64 *values, const CommonView *view)
{
	uint64	   *key = key_counter_candidate(held->cells);

	key[0] = class;
	for (int v = 0; v < held->cells->nwords - 1; v++)
		key[v + 1] = values[view == NULL ? v : view->values[v][1]];
	return key_counter_add(held->cells, 0);
}

void
held_remember(HeldBack *held, const Content *earlier, ContentDifference *difference, const CommonView *view)
{
	uint32	   *class_of = budget_alloc_zero(sizeof(uint32), (Size) difference->classes->nkeys + 1);
	Past	   *pasts = budget_alloc_zero(sizeof(Past), (Size) held->classes->nkeys + 1);
	MemoryContext old = MemoryContextSwitchTo(held->context);

	/* by class of the view: that of N, from 1 */
	for (uint32 class = 0; class < held->classes->nkeys; class++)
		if (held_may_thin(held, class))
		{
			uint32		seen_in = class_in_view(difference, view, 0, class_key(held, class));

			if (seen_in != PG_UINT32_MAX)
				class_of[seen_in] = class + 1;
		}
	for (int pass = 0; pass < 2; pass++)
		for (uint32 row = 0; row < earlier->rows->nkeys; row++)
		{
			const uint64 *key = content_row(earlier, row);
			uint32		class = class_of[class_in_view(difference, view, 1, key)];
			Past	   *past = &pasts[class];

			if (class == 0)
				continue;
			if (pass == 1)
			{
				if (past->cells == NULL)
					past->cells = palloc0(sizeof(PastCell) * past->n);
				past->n = past->people == 0 ? 0 : past->n;
				past->cells[past->n].cell = cell_of(held, class - 1, key + code_words(earlier->nattrs), view);
				past->cells[past->n].people = earlier->rows->counts[row];
				past->people += earlier->rows->counts[row];
			}
			past->n++;
		}
	for (uint32 class = 0; class < held->classes->nkeys; class++)
	{
		Past	   *past = &pasts[class + 1];
		const Past *before = held->pasts[class] == NIL ? NULL : llast(held->pasts[class]);

		if (past->n == 0)
			continue;
		qsort(past->cells, past->n, sizeof(PastCell), compare_uint32s);
		if (before != NULL && before->n == past->n &&
			memcmp(before->cells, past->cells, sizeof(PastCell) * past->n) == 0)
			pfree(past->cells);
		else
		{
			Past	   *kept = palloc(sizeof(Past));

			*kept = *past;
			held->pasts[class] = lappend(held->pasts[class], kept);
		}
	}
	MemoryContextSwitchTo(old);
}

/* How many different values some rows of a class have, as far as they are dropped or not. */
static int64
count_values(const HeldBack *held, uint32 class, int value, bool dropped)
{
	const Content *last = held->last.content;
	KeyCounter *values = key_counter_create(CurrentMemoryContext, 1, 64);

	for (uint32 i = held->first[class]; i < held->first[class + 1]; i++)
	{
		const LastRow *row = &held->rows[held->order[i]];

		if (row->dropped != dropped)
			continue;
		*key_counter_candidate(values) = content_row(last, row->row)[code_words(last->nattrs) + value];
		(void) key_counter_add(values, 1);
	}
	return values->nkeys;
}

/* Whether enough rows of a class are dropped, or remain, for what is promised. */
static bool
has_enough(const HeldBack *held, uint32 class, bool dropped)
{
	int64		people = dropped ? held->dropped[class] : held->last.people[class] - held->dropped[class];

	if (people < held->release->promise.k)
		return false;
	for (int v = 0; v < held->last.content->nvalues; v++)
		if (held->wanted[v] > 1 && count_values(held, class, v, dropped) < held->wanted[v])
			return false;
	return true;
}

/* Whether the cells by which a class and an earlier content of it differ have too few different values. */
static bool
lacks_values(const HeldBack *held, const uint32 *cells, uint32 n)
{
	for (int v = 0; v < held->cells->nwords - 1; v++)
	{
		KeyCounter *values = held->wanted[v] > 1 ? key_counter_create(CurrentMemoryContext, 1, 64) : NULL;

		for (uint32 i = 0; i < n && values != NULL; i++)
		{
			*key_counter_candidate(values) = held->cells->keys[(Size) cells[i] * held->cells->nwords + v + 1];
			(void) key_counter_add(values, 1);
		}
		if (values != NULL && values->nkeys < held->wanted[v])
			return true;
	}
	return false;
}

/* Whether a class, by what is left in each of its cells, would offend beside what an earlier content showed. */
static bool
offends_past(const HeldBack *held, const Past *past, const uint32 *mine, uint32 nmine, int64 left)
{
	const int64 *shown = held->cells->counts;
	uint32	   *cells = palloc(sizeof(uint32) * ((Size) Max(past->n, nmine) + 1));
	int64		common = 0;
	uint32		n = 0;
	uint32		at = 0;

	for (uint32 i = 0; i < past->n; i++)
	{
		common += Min(past->cells[i].people, shown[past->cells[i].cell]);
		if (past->cells[i].people > shown[past->cells[i].cell])
			cells[n++] = past->cells[i].cell;
	}
	if (past->people > common &&
		(past->people - common < held->release->promise.k || lacks_values(held, cells, n)))
		return true;
	if (left == common)
		return false;
	n = 0;
	for (uint32 i = 0; i < nmine; i++)
	{
		while (at < past->n && past->cells[at].cell < mine[i])
			at++;
		if (shown[mine[i]] > (at < past->n && past->cells[at].cell == mine[i] ? past->cells[at].people : 0))
			cells[n++] = mine[i];
	}
	return left - common < held->release->promise.k || lacks_values(held, cells, n);
}

bool
held_may_thin(const HeldBack *held, uint32 class)
{
	const Release *release = held->release;

	return !release->keep_deleted && !release->population->has_persons && release->by.kind != BY_RECODING &&
		(held->deleted[class] > 0 || held->fresh.people[class] - held->last.people[class] >= release->promise.k);
}

/*
 * Leaves a number of people out of a fresh class at random.  Returns whether
 * what is left keeps the promise, beside all earlier contents.
 */
static bool
try_thinning(HeldBack *held, uint32 class, const uint32 *rows, uint32 *cells, uint32 n, int64 out)
{
	const int64 *fresh = held->fresh.content->rows->counts;
	int64		left = held->fresh.people[class];
	bool		offends = false;
	uint32		nshown = 0;
	uint32	   *shown = palloc(sizeof(uint32) * ((Size) n + 1));
	ListCell   *cell;

	for (uint32 i = 0; i < n; i++)
		held->cut[rows[i]] = 0;
	for (int64 i = 0; i < out; i++, left--)
	{
		int64		chosen = prng_below(&held->random, (uint32) left);
		uint32		at = 0;

		CHECK_FOR_INTERRUPTS();
		while (chosen >= fresh[rows[at]] - held->cut[rows[at]])
		{
			chosen -= fresh[rows[at]] - held->cut[rows[at]];
			at++;
		}
		held->cut[rows[at]]++;
	}
	for (uint32 i = 0; i < n; i++)
	{
		held->cells->counts[cells[i]] = fresh[rows[i]] - held->cut[rows[i]];
		if (held->cells->counts[cells[i]] > 0)
			shown[nshown++] = cells[i];
	}
	qsort(shown, nshown, sizeof(uint32), compare_uint32s);
	foreach(cell, held->pasts[class])
		offends = offends || offends_past(held, lfirst(cell), shown, nshown, left);
	return !offends && !lacks_values(held, shown, nshown);
}

/* How often people are chosen for a number of them. */
#define TRIES 4

/* The rows of F's content in a class. */
static const uint32 *
fresh_rows(HeldBack *held, uint32 class, uint32 *n)
{
	Shown	   *fresh = &held->fresh;

	if (fresh->order == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(held->context);

		fresh->order = sort_rows(held, fresh->class_of, fresh->content->rows->nkeys, &fresh->first);
		MemoryContextSwitchTo(old);
	}
	*n = fresh->first[class + 1] - fresh->first[class];
	return fresh->order + fresh->first[class];
}

bool
held_thin_class(HeldBack *held, uint32 class, int64 most)
{
	MemoryContext context = AllocSetContextCreate(held->context, "anonopt thin class", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	const Content *fresh = held->fresh.content;
	int			nwords = code_words(fresh->nattrs);
	int64		k = held->release->promise.k;
	int64		people = held->fresh.people[class];
	uint32		n;
	const uint32 *rows = fresh_rows(held, class, &n);
	uint32	   *cells = budget_alloc(sizeof(uint32), (Size) n + 1);
	bool		done = false;
	MemoryContext tries = AllocSetContextCreate(context, "anonopt tries", ALLOCSET_DEFAULT_SIZES);

	for (uint32 i = 0; i < n; i++)
		cells[i] = cell_of(held, class, content_row(fresh, rows[i]) + nwords, NULL);
	MemoryContextSwitchTo(tries);
	most = people <= PG_INT32_MAX ? Min(most, people - k) : 0;
	for (int64 out = Max(k / 2, 1); out <= most && !done; out += Max(k / 4, 1))
		for (int i = 0; i < TRIES && !done; i++)
		{
			CHECK_FOR_INTERRUPTS();
			done = try_thinning(held, class, rows, cells, n, out);
			held->thinned[class] = done ? out : 0;
			MemoryContextReset(tries);
		}
	for (uint32 i = 0; i < n; i++)
		held->cells->counts[cells[i]] = 0;
	if (!done)
		held_end_thinning(held, class);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return done;
}

void
held_end_thinning(HeldBack *held, uint32 class)
{
	uint32		n;
	const uint32 *rows = fresh_rows(held, class, &n);

	held->thinned[class] = 0;
	for (uint32 i = 0; i < n; i++)
		held->cut[rows[i]] = 0;
}

bool
held_leaves_out(HeldBack *held, uint32 class, uint32 group)
{
	const RowSpool *spool = &held->release->spool;
	KeyCounter *rows = held->fresh.content->rows;
	uint64	   *key = key_counter_candidate(rows);
	uint32		row;
	bool		out;

	if (held->thinned[class] == 0)
		return false;
	memcpy(key, class_key(held, class), sizeof(uint64) * held->classes->nwords);
	for (int v = 0; v < spool->ndigested; v++)
		key[held->classes->nwords + v] = spool->digests[(Size) group * spool->ndigested + v];
	row = key_counter_find(rows);
	if (row == PG_UINT32_MAX || held->rows_left[row] == 0)
		elog(ERROR, "a row of a release is unknown");
	/* of the rows that look alike, each as likely as any other */
	out = prng_below(&held->random, (uint32) held->rows_left[row]) < held->cut_left[row];
	held->rows_left[row]--;
	held->cut_left[row] -= out;
	return out;
}

static void
drop_row(HeldBack *held, LastRow *row)
{
	row->dropped = true;
	held->dropped[row->class]++;
	held->lost[row->row]++;
	held->cells->counts[row->cell]--;
}

/*
 * Drops the deleted rows of a class, at random as many others as are more than
 * an earlier content showed, and then until enough are dropped. Returns whether
 * what is left keeps the promise, beside all earlier contents.
 */
static bool
try_dropping(HeldBack *held, uint32 class, const Past *base)
{
	uint32	   *order = held->order + held->first[class];
	uint32		n = held->first[class + 1] - held->first[class];
	uint32	   *mine = palloc(sizeof(uint32) * ((Size) n + 1));
	int64	   *more = palloc0(sizeof(int64) * ((Size) held->cells->nkeys + 1));
	bool		offends = false;
	ListCell   *cell;

	held->dropped[class] = 0;
	for (uint32 i = 0; i < n; i++)
		held->cells->counts[held->rows[order[i]].cell] = 0;
	for (uint32 i = 0; i < n; i++)
	{
		uint32		other = i + prng_below(&held->random, n - i);
		uint32		chosen = order[other];
		LastRow    *row = &held->rows[chosen];

		order[other] = order[i];
		order[i] = chosen;
		row->dropped = false;
		held->lost[row->row] = 0;
		held->cells->counts[row->cell]++;
		mine[i] = row->cell;
	}
	qsort(mine, n, sizeof(uint32), compare_uint32s);
	for (uint32 i = 0; base != NULL && i < base->n; i++)
		more[base->cells[i].cell] = base->cells[i].people;
	CHECK_FOR_INTERRUPTS();
	for (int pass = 0; pass < 3; pass++)
		for (uint32 i = 0; i < n; i++)
		{
			LastRow    *row = &held->rows[order[i]];
			int64		left = n - held->dropped[class];

			if (row->dropped || (pass == 0 && !row->deleted) ||
				(pass == 1 && (base == NULL || held->cells->counts[row->cell] <= more[row->cell])))
				continue;
			if (pass == 2 && has_enough(held, class, true) &&
				(base == NULL || base->people == left || base->people - left >= held->release->promise.k))
				break;
			drop_row(held, row);
		}
	n = qunique(mine, n, sizeof(uint32), compare_uint32s);
	foreach(cell, held->pasts[class])
		offends = offends || offends_past(held, lfirst(cell), mine, n,
										  held->last.people[class] - held->dropped[class]);
	return !offends && has_enough(held, class, false);
}

bool
held_drop_rows(HeldBack *held, uint32 class)
{
	MemoryContext context = AllocSetContextCreate(held->context, "anonopt dropped rows", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	const Content *last = held->last.content;
	List	   *pasts = held->pasts[class];
	bool		done = false;

	for (uint32 i = held->first[class]; i < held->first[class + 1]; i++)
	{
		LastRow    *row = &held->rows[held->order[i]];

		row->cell = cell_of(held, class, content_row(last, row->row) + code_words(last->nattrs), NULL);
	}
	for (int i = Max(list_length(pasts), 1) * TRIES; i > 0 && !done; i--)
	{
		CHECK_FOR_INTERRUPTS();
		done = try_dropping(held, class, pasts == NIL ? NULL : list_nth(pasts, (i - 1) / TRIES));
		MemoryContextReset(context);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return done;
}
