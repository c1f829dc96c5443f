/*
 * held_rows.c
 *	  The rows of a release that a refresh shows again, and those that it drops:
 *	  see hold_back.c.
 */
#include "release/hold_back.h"

#include "access/heapam.h"
#include "base/budget.h"
#include "base/bytes.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "common/hashfn.h"
#include "executor/tuptable.h"
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
								bytes_digest(TupleDescAttr(release->spool.desc, i + 1), values[i],
											 held->seed));
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

/*
 * What a column shows, as a text; of two columns with the ends of a label, what
 * the first one shows comes before.
 */
static const char *
seen_text(const char *before, LabelPart part, const char *text)
{
	if (part == LABEL_LOW || part == LABEL_HIGH)
		return psprintf("%s %s", part == LABEL_HIGH ? before : "", text == NULL ? "" : text);
	return text;
}

/* Finds what the columns of each attribute show of its labels. */
static void
see_labels(HeldBack *held)
{
	const Release *release = held->release;
	const Content *both = held->last.content;
	const char **texts[MAX_ATTRIBUTES] = {NULL};

	for (int i = 0; i < release->ncolumns; i++)
	{
		const ShownColumn *column = &release->columns[i];
		int			a = column->attr;
		Oid			type = a < 0 || column->part == LABEL_TEXT ? TEXTOID :
		label_part_type(release->values[a], column->part);
		NullableDatum *shown = a < 0 ? NULL : shown_values(release, column);

		if (a < 0)
			continue;
		if (texts[a] == NULL)
			texts[a] = budget_alloc_zero(sizeof(char *), (Size) both->nlabels[a] + 1);
		for (uint32 code = 0; code < both->nlabels[a]; code++)
			texts[a][code] = seen_text(texts[a][code], column->part,
									   shown[code + 1].isnull ? NULL :
									   value_text(type, shown[code + 1].value));
		held->seen[a] = index_texts(texts[a], both->nlabels[a]);
	}
	for (uint32 class = 0; class < held->nplaces; class++)
		for (int a = 0; a < both->nattrs; a++)
		{
			uint32		code = code_at(class_key(held, held->class_at[class]), a);

			if (find_text(&held->seen[a], texts[a][code]) != code)
				held->blurred = release->population->attrs[a].name;
		}
}

uint32
held_class_of(HeldBack *held, const char *const *texts, bool starred)
{
	const Release *release = held->release;
	uint64	   *key = key_counter_candidate(held->classes);
	const char *text = NULL;
	int			n = 0;

	memset(key, 0, sizeof(uint64) * held->classes->nwords);
	for (int i = 0; i < release->ncolumns; i++)
	{
		const ShownColumn *column = &release->columns[i];
		uint32		code = STARRED;

		if (column->attr < 0)
			continue;
		if (!starred)
		{
			text = seen_text(text, column->part, texts[n]);

			n++;
			code = find_text(&held->seen[column->attr], text);
			if (code == PG_UINT32_MAX && column->part != LABEL_LOW)
				return PG_UINT32_MAX;
		}
		/* the other end follows */
		if (column->part != LABEL_LOW)
			put_code(key, column->attr, code);
	}
	return key_counter_find(held->classes);
}

/* The class of a row of the table, or NO_CLASS. */
static uint32
class_of_row(HeldBack *held, const TupleTableSlot *slot)
{
	const Release *release = held->release;
	bool		starred = release->star && !slot->tts_isnull[release->ncolumns] &&
	DatumGetBool(slot->tts_values[release->ncolumns]);
	const char *texts[MAX_ATTRIBUTES];
	uint32		class;
	int			n = 0;

	for (int i = 0; i < release->ncolumns; i++)
		if (release->columns[i].attr >= 0)
			texts[n++] = slot->tts_isnull[i] ? NULL :
				value_text(TupleDescAttr(slot->tts_tupleDescriptor, i)->atttypid, slot->tts_values[i]);
	class = held_class_of(held, texts, starred);
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
	row->class = class_of_row(held, slot);
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
	if (row->row != PG_UINT32_MAX)
		held->last.deleted[row->row] += row->deleted;
}

void
held_read_rows(HeldBack *held)
{
	const Content *last = held->last.content;
	MemoryContext old = MemoryContextSwitchTo(held->context);
	RowReader	reader = {.fresh = key_counter_create(held->context, 2, held->release->spool.ngroups)};
	void	   *arg[] = {held, &reader};

	see_labels(held);
	if (!held->is_filled)
	{
		MemoryContextSwitchTo(old);
		return;
	}
	reader.seen = budget_alloc_zero(sizeof(int64), (Size) last->rows->nkeys + 1);
	held->room = 1024;
	held->rows = budget_alloc(sizeof(LastRow), held->room);
	spool_visit(&held->release->spool, count_fresh_row, arg);
	visit_table(held, take_last_row, &reader);
	for (uint32 row = 0; row < last->rows->nkeys; row++)
		if (reader.seen[row] != last->rows->counts[row])
			held->tampered[held->last.class_of[row]] = true;
	MemoryContextSwitchTo(old);
}

/*
 * Whether one more of those with the labels and values of a row is left out: the
 * deleted are, and of the others each is as likely as any.
 */
static bool
is_left_out(HeldBack *held, Shown *shown, uint32 row, bool deleted)
{
	bool		out;

	if (shown->out_of[shown->class_of[row]] == 0 || deleted)
		return deleted && shown->out_of[shown->class_of[row]] > 0;
	if (shown->to_come[row] == 0)
		elog(ERROR, "a row of a release is unknown");
	out = prng_below(&held->random, (uint32) shown->to_come[row]) < shown->to_leave[row];
	shown->to_come[row]--;
	shown->to_leave[row] -= out;
	return out;
}

bool
held_leaves_out(HeldBack *held, uint32 class, uint32 group)
{
	const RowSpool *spool = &held->release->spool;
	KeyCounter *rows = held->fresh.content->rows;
	uint64	   *key = key_counter_candidate(rows);
	uint32		row;

	if (held->fresh.out_of[class] == 0)
		return false;
	memcpy(key, class_key(held, class), sizeof(uint64) * held->classes->nwords);
	for (int v = 0; v < spool->ndigested; v++)
		key[held->classes->nwords + v] = spool->digests[(Size) group * spool->ndigested + v];
	row = key_counter_find(rows);
	if (row == PG_UINT32_MAX)
		elog(ERROR, "a row of a release is unknown");
	return is_left_out(held, &held->fresh, row, false);
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
	if (class == NO_CLASS || held->state[class] != CLASS_HELD ||
		is_left_out(held, &held->last, held->rows[number].row, held->rows[number].deleted))
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

/* ------------------------------------------ who of a class is left out, at random */

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
	PastCell   *cells = budget_alloc(sizeof(PastCell), (Size) earlier->rows->nkeys + 1);
	uint32		n = 0;
	uint32		end;

	/* by class of the view: that of N, from 1 */
	for (uint32 class = 0; class < held->classes->nkeys; class++)
		if (held_may_thin(held, class))
		{
			uint32		seen_in = class_in_view(difference, view, 0, class_key(held, class));

			if (seen_in != PG_UINT32_MAX)
				class_of[seen_in] = class + 1;
		}
	for (uint32 row = 0; row < earlier->rows->nkeys; row++)
	{
		const uint64 *key = content_row(earlier, row);
		uint32		class = class_of[class_in_view(difference, view, 1, key)];

		if (class == 0)
			continue;
		cells[n].class = class - 1;
		cells[n].cell = cell_of(held, class - 1, key + code_words(earlier->nattrs), view);
		cells[n++].people = earlier->rows->counts[row];
	}
	qsort(cells, n, sizeof(PastCell), compare_uint32_pairs);
	for (uint32 from = 0; from < n; from = end)
	{
		List	  **pasts = &held->pasts[cells[from].class];
		const Past *before = *pasts == NIL ? NULL : llast(*pasts);

		for (end = from + 1; end < n && cells[end].class == cells[from].class;)
			end++;
		if (before == NULL || before->n != end - from ||
			memcmp(before->cells, cells + from, sizeof(PastCell) * before->n) != 0)
		{
			MemoryContext old = MemoryContextSwitchTo(held->context);
			Past	   *past = palloc0(sizeof(Past));

			past->n = end - from;
			past->cells = palloc(sizeof(PastCell) * past->n);
			memcpy(past->cells, cells + from, sizeof(PastCell) * past->n);
			for (uint32 i = from; i < end; i++)
				past->people += cells[i].people;
			*pasts = lappend(*pasts, past);
			MemoryContextSwitchTo(old);
		}
	}
}

bool
held_may_thin(const HeldBack *held, uint32 class)
{
	const Release *release = held->release;

	return !release->keep_deleted && !release->population->has_persons && release->by.kind != BY_RECODING &&
		(held->deleted[class] > 0 ||
		 held->fresh.people[class] - held->last.people[class] >= least_difference(release));
}

/* A class of O or of F, while some of its people are left out. */
typedef struct ThinClass
{
	HeldBack   *held;			/* whose cells count who is left */
	Shown	   *shown;
	uint32		class;
	uint32		n;
	const uint32 *rows;			/* of the content, and */
	uint32	   *cells;			/* the cell of each */
	int64	   *been;			/* by cell: what an earlier content showed */
} ThinClass;

/* Whether some cells have too few different values. */
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

/* Whether enough people are left out of a class, or remain, for what is promised. */
static bool
has_enough(const ThinClass *thin, bool out)
{
	const Shown *shown = thin->shown;
	int64		people = out ? shown->out_of[thin->class] :
	shown->people[thin->class] - shown->out_of[thin->class];
	uint32	   *cells = palloc(sizeof(uint32) * ((Size) thin->n + 1));
	uint32		n = 0;
	bool		has;

	for (uint32 i = 0; i < thin->n; i++)
		if ((out ? shown->out[thin->rows[i]] : thin->held->cells->counts[thin->cells[i]]) > 0)
			cells[n++] = thin->cells[i];
	has = people >= least_difference(thin->held->release) && !lacks_values(thin->held, cells, n);
	pfree(cells);
	return has;
}

static void
set_been(const ThinClass *thin, const Past *past, bool known)
{
	for (uint32 i = 0; i < past->n; i++)
		thin->been[past->cells[i].cell] = known ? past->cells[i].people : 0;
}

/* Whether who is left would offend beside what an earlier content showed. */
static bool
offends_past(const ThinClass *thin, const Past *past)
{
	const HeldBack *held = thin->held;
	const int64 *left = held->cells->counts;
	int64		k = least_difference(held->release);
	int64		ours = 0;
	int64		theirs = 0;
	uint32	   *cells = palloc(sizeof(uint32) * ((Size) past->n + thin->n + 1));
	uint32		n = 0;
	bool		offends;

	for (uint32 i = 0; i < past->n; i++)
		if (past->cells[i].people > left[past->cells[i].cell])
		{
			theirs += past->cells[i].people - left[past->cells[i].cell];
			cells[n++] = past->cells[i].cell;
		}
	offends = theirs > 0 && (theirs < k || lacks_values(held, cells, n));
	n = 0;
	set_been(thin, past, true);
	for (uint32 i = 0; i < thin->n && !offends; i++)
		if (left[thin->cells[i]] > thin->been[thin->cells[i]])
		{
			ours += left[thin->cells[i]] - thin->been[thin->cells[i]];
			cells[n++] = thin->cells[i];
		}
	set_been(thin, past, false);
	return offends || (ours > 0 && (ours < k || lacks_values(held, cells, n)));
}

/*
 * Leaves out the deleted people of a class, of each cell as many others as are
 * more than an earlier content showed, if one is given, and then others, until
 * there are so many, and enough to hide those who were shown.  Returns whether who
 * is left keeps the promise, beside all earlier contents.
 */
static bool
try_leaving_out(const ThinClass *thin, const Past *base, int64 least)
{
	HeldBack   *held = thin->held;
	Shown	   *shown = thin->shown;
	int64		people = shown->people[thin->class];
	int64		k = least_difference(held->release);
	int64	   *all_out = &shown->out_of[thin->class];
	int64	   *left = held->cells->counts;
	uint32	   *who = budget_alloc(sizeof(uint32), (Size) people + 1);	/* by person: the row */
	uint32		n = 0;
	bool		offends = false;
	ListCell   *cell;

	*all_out = 0;
	for (uint32 i = 0; i < thin->n; i++)
	{
		uint32		row = thin->rows[i];

		shown->out[row] = shown->deleted[row];
		*all_out += shown->out[row];
		left[thin->cells[i]] = shown->content->rows->counts[row] - shown->out[row];
		for (int64 person = left[thin->cells[i]]; person > 0; person--)
			who[n++] = i;
	}
	if (base != NULL)
		set_been(thin, base, true);
	CHECK_FOR_INTERRUPTS();
	for (int pass = 0; pass < 2; pass++)
		for (uint32 person = 0; person < n; person++)
		{
			uint32		other = pass > 0 ? person : person + prng_below(&held->random, n - person);
			uint32		i = who[other];
			int64		remaining = people - *all_out;

			who[other] = who[person];
			who[person] = i;
			if (i == thin->n || (pass == 0 &&
								 (base == NULL || left[thin->cells[i]] <= thin->been[thin->cells[i]])))
				continue;
			if (pass > 0 && *all_out >= least && (shown == &held->fresh || has_enough(thin, true)) &&
				(base == NULL || base->people == remaining || base->people - remaining >= k))
				break;
			shown->out[thin->rows[i]]++;
			(*all_out)++;
			left[thin->cells[i]]--;
			who[person] = thin->n;
		}
	if (base != NULL)
		set_been(thin, base, false);
	foreach(cell, held->pasts[thin->class])
		offends = offends || offends_past(thin, lfirst(cell));
	return !offends && has_enough(thin, false);
}

void
held_leave_nobody_out(Shown *shown, uint32 class)
{
	shown->out_of[class] = 0;
	for (uint32 i = shown->first[class]; i < shown->first[class + 1]; i++)
		shown->out[shown->order[i]] = 0;
}

/* How often people are chosen at random. */
#define TRIES 4

bool
held_leave_out(HeldBack *held, Shown *shown, uint32 class, int64 most)
{
	MemoryContext context = AllocSetContextCreate(held->context, "anonopt thin class",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext tries = AllocSetContextCreate(context, "anonopt tries", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	const Content *content = shown->content;
	int64		k = least_difference(held->release);
	List	   *pasts = held->pasts[class];
	ThinClass	thin = {.held = held,.shown = shown,.class = class};
	bool		done = false;

	thin.n = shown->first[class + 1] - shown->first[class];
	thin.rows = shown->order + shown->first[class];
	thin.cells = budget_alloc(sizeof(uint32), (Size) thin.n + 1);
	for (uint32 i = 0; i < thin.n; i++)
		thin.cells[i] = cell_of(held, class, content_row(content,
														 thin.rows[i]) + code_words(content->nattrs), NULL);
	thin.been = budget_alloc_zero(sizeof(int64), (Size) held->cells->nkeys + 1);
	MemoryContextSwitchTo(tries);
	most = shown->people[class] <= PG_INT32_MAX ? Min(most, shown->people[class] - k) : -1;
	if (shown == &held->last)
		for (int i = Max(list_length(pasts), 1) * TRIES; i > 0 && !done && most >= 0; i--)
		{
			done = try_leaving_out(&thin, pasts == NIL ? NULL : list_nth(pasts, (i - 1) / TRIES), 0);
			MemoryContextReset(tries);
		}
	else
		for (int64 out = Max(k / 2, 1); out <= most && !done; out += Max(Max(k / 4, out / 8), 1))
			for (int i = 0; i < TRIES && !done; i++)
			{
				done = try_leaving_out(&thin, NULL, out);
				MemoryContextReset(tries);
			}
	for (uint32 i = 0; i < thin.n; i++)
		held->cells->counts[thin.cells[i]] = 0;
	if (!done)
		held_leave_nobody_out(shown, class);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return done;
}
