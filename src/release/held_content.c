/*
 * held_content.c
 *	  What a refresh that holds classes back will show: the classes of what was
 *	  shown last and would be shown now, by the labels of both; the content that
 *	  they make; and what is recorded of it.
 */
#include "release/hold_back.h"

#include "access/table.h"
#include "base/budget.h"
#include "base/bytes.h"
#include "catalog/own_objects.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "miscadmin.h"
#include "release/entry_row.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

/* ------------------------------------------------------ the classes of both */

/* A content with other codes, and the class of each of its rows. */
static Shown
shown_with(HeldBack *held, const Content *from, const Content *both, uint32 *const *numbers)
{
	Shown		shown = {.content = content_create(held->context, from->nattrs, from->nvalues,
												   from->rows->nkeys)};
	uint32		codes[MAX_ATTRIBUTES];
	Size		n;

	shown.content->values = from->values;
	shown.content->value_levels = from->value_levels;
	shown.content->nlabels = both->nlabels;
	shown.content->labels = both->labels;
	shown.content->tuples = from->tuples;
	for (uint32 row = 0; row < from->rows->nkeys; row++)
	{
		const uint64 *key = content_row(from, row);

		for (int a = 0; a < from->nattrs; a++)
			codes[a] = code_at(key, a) == STARRED ? STARRED : numbers[a][code_at(key, a)];
		content_add(shown.content, codes, key + code_words(from->nattrs), from->rows->counts[row]);
	}
	n = (Size) shown.content->rows->nkeys + 1;
	shown.deleted = budget_alloc_zero(sizeof(int64), n);
	shown.out = budget_alloc_zero(sizeof(int64), n);
	shown.to_come = budget_alloc(sizeof(int64), n);
	shown.to_leave = budget_alloc(sizeof(int64), n);
	shown.order = budget_alloc(sizeof(uint32), n);
	shown.class_of = budget_alloc(sizeof(uint32), n);
	for (uint32 row = 0; row < shown.content->rows->nkeys; row++)
	{
		memcpy(key_counter_candidate(held->classes), content_row(shown.content, row),
			   sizeof(uint64) * held->classes->nwords);
		shown.class_of[row] = key_counter_add(held->classes, 0);
	}
	return shown;
}

/* Counts its people by class, and finds the rows of each. */
static void
count_people(HeldBack *held, Shown *shown, const Shown *other)
{
	KeyCounter *others = other->content->rows;
	uint32		n = held->classes->nkeys;
	uint32	   *at = budget_alloc(sizeof(uint32), (Size) n + 1);

	shown->people = budget_alloc_zero(sizeof(int64), (Size) n + 1);
	shown->out_of = budget_alloc_zero(sizeof(int64), (Size) n + 1);
	shown->first = budget_alloc_zero(sizeof(uint32), (Size) n + 1);
	for (uint32 row = 0; row < shown->content->rows->nkeys; row++)
		shown->first[shown->class_of[row] + 1]++;
	for (uint32 class = 0; class < n; class++)
		at[class + 1] = shown->first[class + 1] += shown->first[class];
	at[0] = 0;
	for (uint32 row = 0; row < shown->content->rows->nkeys; row++)
		shown->order[at[shown->class_of[row]]++] = row;
	pfree(at);
	for (uint32 row = 0; row < shown->content->rows->nkeys; row++)
	{
		uint32		found;

		memcpy(key_counter_candidate(others), content_row(shown->content, row),
			   sizeof(uint64) * others->nwords);
		found = key_counter_find(others);
		if (found == PG_UINT32_MAX || others->counts[found] != shown->content->rows->counts[row])
			held->is_same[shown->class_of[row]] = false;
		shown->people[shown->class_of[row]] += shown->content->rows->counts[row];
	}
}

/* Orders classes as a release shows them: by their labels, in the order of its columns; stars come last. */
static int
compare_places(const void *a, const void *b, void *arg)
{
	const HeldBack *held = arg;
	const Release *release = held->release;
	const uint64 *x = class_key(held, *(const uint32 *) a);
	const uint64 *y = class_key(held, *(const uint32 *) b);

	for (int i = 0; i < release->ncolumns; i++)
	{
		int			attr = release->columns[i].attr;
		int			order;

		if (attr < 0)
			continue;
		if (code_at(x, attr) == STARRED || code_at(y, attr) == STARRED)
			return (code_at(x, attr) == STARRED) - (code_at(y, attr) == STARRED);
		order = compare_texts(held->last.content->labels[attr][code_at(x, attr)],
							  held->last.content->labels[attr][code_at(y, attr)]);
		if (order != 0)
			return order;
	}
	return 0;
}

/* Places classes in order, and finds those of the release's own numbers. */
static void
place_classes(HeldBack *held, uint32 *const *numbers)
{
	const Classes *classes = held->release->classes;
	uint32		n = held->classes->nkeys;

	held->place_of = budget_alloc(sizeof(uint32), (Size) n + 1);
	held->class_at = budget_alloc(sizeof(uint32), (Size) n + 1);
	for (uint32 class = 0; class < n; class++)
	{
		held->class_at[class] = class;
		held->nplaces += code_at(class_key(held, class), 0) != STARRED;
	}
	qsort_arg(held->class_at, n, sizeof(uint32), compare_places, held);
	for (uint32 place = 0; place < n; place++)
		held->place_of[held->class_at[place]] = place;
	held->class_of_fresh = budget_alloc(sizeof(uint32), (Size) classes->n + 1);
	for (uint32 class = 0; class <= classes->n; class++)
	{
		uint64	   *key = key_counter_candidate(held->classes);

		memset(key, 0, sizeof(uint64) * held->classes->nwords);
		for (int a = 0; a < classes->population->nattrs; a++)
			put_code(key, a, class == classes->n ? STARRED :
					 numbers[a][classes->codes[class_at(classes, class, a)]]);
		held->class_of_fresh[class] = key_counter_find(held->classes);
	}
}

/* The class of each of a content's own, by its number among content_classes. */
static uint32 *
classes_of_own(HeldBack *held, const Content *own, uint32 *const *numbers)
{
	const KeyCounter *classes = content_classes(own);
	uint32	   *class_of = budget_alloc(sizeof(uint32), (Size) classes->nkeys + 1);

	for (uint32 class = 0; class < classes->nkeys; class++)
	{
		const uint64 *labels = classes->keys + (Size) class * classes->nwords;
		uint64	   *key = key_counter_candidate(held->classes);

		memset(key, 0, sizeof(uint64) * held->classes->nwords);
		for (int a = 0; a < own->nattrs; a++)
			put_code(key, a, numbers[a][code_at(labels, a)]);
		class_of[class] = key_counter_find(held->classes);
	}
	return class_of;
}

/* Finds the class in which O shows each tuple of a recoding. */
static void
place_tuples(HeldBack *held)
{
	const Population *population = held->release->population;
	const uint64 *const *digests = leaf_digests(population);

	held->last_of_tuple = budget_alloc(sizeof(uint32), (Size) population->tuples->ntuples + 1);
	for (uint32 tuple = 0; tuple < population->tuples->ntuples; tuple++)
	{
		uint64		digest = tuple_digest(population, digests, NULL, population->nattrs, tuple);
		uint32		class = content_class_of(held->last.content, digest);

		held->last_of_tuple[tuple] = class == 0 ? NO_CLASS : held->last.class_of_own[class - 1];
	}
}

/* By compared value, the different ones that are promised, or 0. */
static const int64 *
values_wanted(const Dataset *dataset, const Content *content)
{
	int64	   *wanted = palloc0(sizeof(int64) * (content->nvalues + 1));

	for (int v = 0; v < content->nvalues; v++)
		for (int i = 0; i < dataset->npromises; i++)
			if (dataset->promises[i].model == MODEL_L &&
				dataset_has_role(dataset, ROLE_SENSITIVE, content->values[v]) &&
				(promise_is_about(&dataset->promises[i], content->values[v]) ||
				 (dataset->promises[i].column != NULL && strcmp(dataset->promises[i].column, content->values[v]) == 0)))
				wanted[v] = Max(wanted[v], (int64) dataset->promises[i].threshold);
	return wanted;
}

/* Fails unless both contents have the same compared values. */
static void
require_same_values(const Release *release, const Content *a, const Content *b)
{
	bool		same = a->nvalues == b->nvalues;

	for (int v = 0; v < a->nvalues && same; v++)
		same = strcmp(a->values[v], b->values[v]) == 0 && a->value_levels[v] == b->value_levels[v];
	if (!same)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("nothing of release %s can be held back", release->sql_name),
				 errdetail("Other columns are sensitive, or the class label, or shown at other levels, than when it showed its rows."),
				 errhint("Call refresh_release with hold_back => false, or anonopt.republish.")));
}

HeldBack *
held_begin(Release *release, KnownContent *last)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "anonopt held back",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	HeldBack   *held = palloc0(sizeof(HeldBack));
	const Content *fresh = release->content;
	Content    *shown;
	Content		both = {0};
	uint32	   *numbers[2][MAX_ATTRIBUTES];
	uint32		n;

	see_own_changes();
	shown = known_content_load(last, context);
	held->snapshot = RegisterSnapshot(GetActiveSnapshot());
	PopActiveSnapshot();
	require_same_values(release, fresh, shown);
	held->release = release;
	held->context = context;
	held->classes = key_counter_create(context, code_words(fresh->nattrs), 1024);
	both.nlabels = palloc(sizeof(uint32) * (fresh->nattrs + 1));
	both.labels = palloc(sizeof(char **) * (fresh->nattrs + 1));
	for (int a = 0; a < fresh->nattrs; a++)
	{
		numbers[0][a] = unite_labels(fresh, a, shown, a, &both.nlabels[a], &both.labels[a]);
		numbers[1][a] = numbers[0][a] + fresh->nlabels[a];
	}
	held->fresh = shown_with(held, fresh, &both, numbers[0]);
	held->last = shown_with(held, shown, &both, numbers[1]);
	held->fresh.class_of_own = classes_of_own(held, fresh, numbers[0]);
	held->last.class_of_own = classes_of_own(held, shown, numbers[1]);
	n = held->classes->nkeys;
	held->is_same = budget_alloc(sizeof(bool), (Size) n + 1);
	memset(held->is_same, true, n);
	count_people(held, &held->fresh, &held->last);
	count_people(held, &held->last, &held->fresh);
	place_classes(held, numbers[0]);
	if (shown->tuples != NULL)
		place_tuples(held);
	held->wanted = values_wanted(release->dataset, fresh);
	held->state = budget_alloc_zero(sizeof(uint8), (Size) n + 1);
	held->next = budget_alloc_zero(sizeof(uint8), (Size) n + 1);
	held->tampered = budget_alloc_zero(sizeof(bool), (Size) n + 1);
	held->deleted = budget_alloc_zero(sizeof(int64), (Size) n + 1);
	held->cells = key_counter_create(context, 1 + fresh->nvalues, 1024);
	held->pasts = palloc0(sizeof(List *) * ((Size) n + 1));
	strong_random(&held->random, sizeof(held->random));
	strong_random(&held->seed, sizeof(held->seed));
	/* its name may be another relation's by now */
	LockRelationOid(release->relation, ExclusiveLock);
	held->table = relation_open_existing(release->relation);
	held->is_filled = RelationIsPopulated(held->table);
	MemoryContextSwitchTo(old);
	return held;
}

/* --------------------------------------------------------- what will be shown */

/* Whether a class that is not fresh shows something else than O did. */
bool
is_less_than_last(const HeldBack *held, uint32 class)
{
	return held->last.people[class] > 0 && (held->state[class] == CLASS_HIDDEN ||
											(held->state[class] == CLASS_HELD &&
											 held->last.out_of[class] > 0));
}

/* Whether a fresh class does. */
bool
is_news(const HeldBack *held, uint32 class)
{
	return held->state[class] == CLASS_FRESH && !held->is_same[class];
}

bool
held_shows_last(const HeldBack *held)
{
	for (uint32 class = 0; class < held->classes->nkeys; class++)
		if (is_less_than_last(held, class) ||
			(held->state[class] == CLASS_FRESH &&
			 (held->fresh.people[class] > 0 || held->last.people[class] > 0)))
			return false;
	return true;
}

/* Adds the tuples of a recoding that O or F shows, in classes that N shows as it does. */
static void
add_tuples(const HeldBack *held, const Shown *from, ClassState state, Content *content)
{
	const KeyCounter *tuples = from->content->tuples;
	KeyCounter *shown = content_classes(content);

	for (uint32 i = 0; tuples != NULL && i < tuples->nkeys; i++)
	{
		uint32		class = from->class_of_own[tuples->counts[i] - 1];

		memcpy(key_counter_candidate(shown), class_key(held, class), sizeof(uint64) * shown->nwords);
		if (held->state[class] == state)
			content_add_tuple(content, tuples->keys[i], shown);
	}
}

Content *
held_changes(const HeldBack *held)
{
	const Shown *both[] = {&held->last, &held->fresh};
	int			nattrs = held->last.content->nattrs;
	Content    *changes = content_create(CurrentMemoryContext, nattrs, 0, 1024);
	uint32		codes[MAX_ATTRIBUTES];

	changes->nlabels = held->last.content->nlabels;
	changes->labels = held->last.content->labels;
	for (uint32 class = 0; class < held->classes->nkeys; class++)
	{
		if (held->state[class] == CLASS_HIDDEN || (!is_news(held, class) && !is_less_than_last(held, class)))
			continue;
		for (int a = 0; a < nattrs; a++)
			codes[a] = code_at(class_key(held, class), a);
		for (int i = 0; i < lengthof(both); i++)
			content_add(changes, codes, NULL, both[i]->people[class]);
	}
	return changes;
}

void
held_make_content(HeldBack *held)
{
	const Content *fresh = held->fresh.content;
	MemoryContext old = MemoryContextSwitchTo(held->context);
	Content    *content = content_create(held->context, fresh->nattrs, fresh->nvalues, fresh->rows->nkeys);
	uint32		codes[MAX_ATTRIBUTES];

	/* equal rows may be those of others, if people have several */
	held->release->unchanged = !held->release->population->has_persons && fresh->tuples == NULL;
	for (uint32 class = 0; class < held->classes->nkeys; class++)
		if (is_news(held, class) || is_less_than_last(held, class))
			held->release->unchanged = false;
	content->values = fresh->values;
	content->value_levels = fresh->value_levels;
	content->nlabels = fresh->nlabels;
	content->labels = fresh->labels;
	for (int a = 0; a < fresh->nattrs; a++)
		held->used[a] = budget_alloc_zero(sizeof(bool), (Size) fresh->nlabels[a] + 1);
	for (int side = 0; side < 2; side++)
	{
		const Shown *from = side == 0 ? &held->fresh : &held->last;

		for (uint32 row = 0; row < from->content->rows->nkeys; row++)
		{
			const uint64 *key = content_row(from->content, row);
			int64		people = from->content->rows->counts[row] - from->out[row];

			/* while rows are written */
			from->to_come[row] = from->content->rows->counts[row] - from->deleted[row];
			from->to_leave[row] = from->out[row] - from->deleted[row];
			if (held->state[from->class_of[row]] != (side == 0 ? CLASS_FRESH : CLASS_HELD) || people == 0)
				continue;
			for (int a = 0; a < fresh->nattrs; a++)
			{
				codes[a] = code_at(key, a);
				if (codes[a] != STARRED)
					held->used[a][codes[a]] = true;
			}
			content_add(content, codes, key + code_words(fresh->nattrs), people);
		}
	}
	/* where both have a tuple, F's class counts */
	add_tuples(held, &held->fresh, CLASS_FRESH, content);
	add_tuples(held, &held->last, CLASS_HELD, content);
	held->release->content = held->own->content = content;
	MemoryContextSwitchTo(old);
}

/* ------------------------------------------------------------------ the record */

/* What is held back: of each class that does not show its people as they are now, and of all. */
typedef struct HeldSums
{
	uint32		n;				/* classes */
	uint32		stars;			/* that of stars, from 1, or 0 */
	List	   *labels;			/* of one class after another */
	int64	   *people;			/* by class: shown, */
	int64	   *waiting;		/* not shown as they are now, and */
	int64	   *departed;		/* shown, though they were deleted */
	int64		all_waiting;
	int64		all_departed;
	int64		deleted;		/* people who are shown no more, and */
	int64		hidden;			/* others who were shown */
} HeldSums;

static HeldSums
sum_up(const HeldBack *held)
{
	const Content *last = held->last.content;
	Size		size = sizeof(int64) * ((Size) held->classes->nkeys + 1);
	HeldSums	sums = {.people = palloc0(size),.waiting = palloc0(size),.departed = palloc0(size)};

	for (uint32 place = 0; place < held->classes->nkeys; place++)
	{
		uint32		class = held->class_at[place];
		bool		is_fresh = held->state[class] == CLASS_FRESH;
		int64		shown = held_people(held, class);
		int64		departed = held->state[class] == CLASS_HELD &&
		held->release->keep_deleted ? held->deleted[class] : 0;
		int64		waiting = Max(held->fresh.people[class] - (shown - departed), 0);

		if (is_fresh && held->fresh.out_of[class] == 0)
			continue;
		sums.deleted += held->deleted[class] - departed;
		sums.hidden += is_fresh ? held->fresh.out_of[class] :
			held->last.people[class] - shown - (held->deleted[class] - departed);
		if (waiting == 0 && departed == 0)
			continue;
		for (int a = 0; a < last->nattrs; a++)
		{
			uint32		code = code_at(class_key(held, class), a);

			sums.labels = lappend(sums.labels,
								  code == STARRED ? NULL : unconstify(char *, last->labels[a][code]));
		}
		if (place >= held->nplaces)
			sums.stars = sums.n + 1;
		sums.people[sums.n] = shown;
		sums.waiting[sums.n] = waiting;
		sums.departed[sums.n++] = departed;
		sums.all_waiting += waiting;
		sums.all_departed += departed;
	}
	return sums;
}

static Datum
counts_datum(int64 *counts, uint32 n)
{
	return PointerGetDatum(construct_array((Datum *) counts, n, INT8OID, sizeof(int64), FLOAT8PASSBYVAL,
										   TYPALIGN_DOUBLE));
}

static void
tell_held(const HeldBack *held, const HeldSums *sums)
{
	const Release *release = held->release;
	StringInfoData detail;

	initStringInfo(&detail);
	if (held_shows_last(held))
		appendStringInfoString(&detail, "All classes show what they showed last. ");
	appendStringInfo(&detail, "Fewer than " INT64_FORMAT " people, or too few values, would differ"
					 " from what was shown before.", least_difference(release));
	if (sums->all_departed > 0)
		appendStringInfo(&detail, " Still shown, though they were deleted: " INT64_FORMAT ".",
						 sums->all_departed);
	if (sums->deleted + sums->hidden > 0)
		appendStringInfo(&detail, " No longer shown: " INT64_FORMAT " deleted, and "
						 INT64_FORMAT " others to hide them.",
						 sums->deleted, sums->hidden);
	ereport(NOTICE,
			(errmsg_plural("release %s holds back " INT64_FORMAT " of " INT64_FORMAT " %s, in %u class",
						   "release %s holds back " INT64_FORMAT " of " INT64_FORMAT " %s, in %u classes",
						   sums->n, release->sql_name, sums->all_waiting, release->population->people,
						   release->population->has_persons ? "rows" : "people", sums->n),
			 errdetail_internal("%s", detail.data)));
}

void
held_record(const Release *release, const char *id)
{
	HeldSums	sums;
	ParamListInfo params;
	char	  **labels;
	int			n = 0;
	ListCell   *cell;

	if (release->held == NULL)
	{
		(void) write_catalog("DELETE FROM anonopt.published_held WHERE id = $1::uuid", add_text(NULL, id));
		return;
	}
	sums = sum_up(release->held);
	labels = MemoryContextAllocHuge(CurrentMemoryContext,
									sizeof(char *) * ((Size) list_length(sums.labels) + 1));
	foreach(cell, sums.labels)
		labels[n++] = lfirst(cell);
	params = add_value(add_text(NULL, id), TEXTARRAYOID, texts_datum((const char *const *) labels, n), false);
	params = add_value(params, INT4OID, Int32GetDatum(release->population->nattrs), false);
	params = add_value(params, INT8ARRAYOID, counts_datum(sums.people, sums.n), false);
	params = add_value(params, INT8ARRAYOID, counts_datum(sums.waiting, sums.n), false);
	params = add_value(params, INT8ARRAYOID, counts_datum(sums.departed, sums.n), false);
	params = add_value(params, INT4OID, Int32GetDatum(sums.stars), false);

	/*
	 * a class that was held back already is so since then; the old rows may
	 * go only after the new ones come
	 */
	(void) write_catalog("WITH before AS (DELETE FROM anonopt.published_held WHERE id = $1::uuid"
						 " RETURNING labels, since)"
						 " INSERT INTO anonopt.published_held (id, ordinal, labels, since, people,"
						 " waiting, departed)"
						 " SELECT $1::uuid, c.i + COALESCE((SELECT max(o.ordinal) FROM"
						 " anonopt.published_held o WHERE o.id = $1::uuid AND o.ordinal < 2147483648), 0),"
						 " l.labels, COALESCE(b.since, (SELECT clock_timestamp())), c.people,"
						 " c.waiting, c.departed"
						 " FROM unnest($4, $5, $6) WITH ORDINALITY c (people, waiting, departed, i)"
						 " JOIN (SELECT (u.i - 1) / $3 + 1 AS i, array_agg(u.label ORDER BY u.i)"
						 " FILTER (WHERE (u.i - 1) / $3 + 1 <> $7) AS labels"
						 " FROM unnest($2) WITH ORDINALITY u (label, i) GROUP BY 1) g ON g.i = c.i"
						 " CROSS JOIN LATERAL (SELECT COALESCE(g.labels, '{}') AS labels) l"
						 " LEFT JOIN before b ON b.labels = l.labels ORDER BY c.i", params);
	if (sums.n > 0 || sums.deleted + sums.hidden > 0)
		tell_held(release->held, &sums);
}
