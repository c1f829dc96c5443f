/*
 * hold_back.c
 *	  Classes of a refreshed release that keep the rows they showed last, so
 *	  that nobody can subtract one content from another.
 *
 * O is what the release showed last, F what it would show now, and N what it
 * will show.  A class, the rows with the same labels, is fresh in N (as in F),
 * held (as in O, perhaps without some rows), or hidden (without any).
 *
 * N is compared with every earlier content C, of this release and of others, in
 * the finest view of labels that both have in common.  A class of the view
 * offends if N or C shows some people of it whom the other does not, but fewer
 * than k, or with fewer than l different values.  If the other shows nobody of
 * it, nothing can be subtracted, and it does not offend, unless more is promised
 * to people who know some of the columns than to those who know all: to them, it
 * is a part of a larger class.  Of the classes of N in
 * an offending one, those that are fresh become held.  If none is fresh, and N
 * shows something else than O there, all become hidden.
 *
 * So a class only ever goes from fresh to held to hidden, and the rounds end.
 * When they do, no class of a view offends, except those in which N shows
 * exactly what O showed; all that these tell was known before.  Hidden classes
 * cannot offend, because nobody is shown in them.  Where some of the columns are
 * known, they can, and if one of O still does in the end, N is refused.
 *
 * A held class shows O's rows less those of people who were deleted, unless
 * they may stay: rows that O shows and F does not, in all columns.  Others are
 * dropped with them, at random, until nothing offends towards O or any content
 * before, of which those that show the same classes are remembered.  People
 * mostly come, so each shows those of the one before and others: what is a part
 * of one is a part of all after it, and small enough a part cannot offend.  If
 * what remains breaks k or l, the class is hidden.  If more people may be shown
 * by leaving some of F out instead, at random, the class stays fresh, but thin:
 * those who were dropped before come back, and others take their place, so that
 * one deletion after another does not use up a class.  Contents count rows, so if
 * these belong to people who may have several, any change offends, and a class
 * with deleted rows is hidden.
 *
 * Then all contents are combined on the current data, as composition.c does.
 * People who look alike in all earlier contents may be parted by N.  If fewer
 * than k of them are, the classes in which N shows something else than O did,
 * among these people, go on to the next state.  So whoever is singled out in
 * the end was so, or is not told apart by anything that N shows anew.
 *
 * Rows are copied from the release's own table, by a scan that runs nobody's
 * code.  N is then measured like any release, by release_verify.c: classes that
 * break a promise become held, then hidden.
 */
#include "release/hold_back.h"

#include "base/budget.h"
#include "miscadmin.h"
#include "release/release_verify.h"

/* Gives a class the state of the next round. */
static void
change_class(HeldBack *held, uint32 class)
{
	const Release *release = held->release;
	bool		is_less = held->deleted[class] > 0 && !release->keep_deleted;

	if (held->next[class] == CLASS_HELD)
	{
		if (held->blurred != NULL)
			refuse_to_hold_back(release->sql_name,
								psprintf("Column \"%s\" is shown in the same way for two of its"
										 " labels, so that the class of a row is unknown.", held->blurred),
								"with columns_as => 'text'");
		if (held->tampered[class])
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("release %s does not show the rows that were written", release->sql_name),
					 errdetail("Rows that are held back would be shown again, but somebody has changed them."),
					 errhint("Call anonopt.republish, or refresh_release with hold_back => false.")));
		if (held->last.people[class] > 0 &&
			(!held->is_filled ||
			 (is_less && (release->population->has_persons ||
						  !held_leave_out(held, &held->last, class, held->last.people[class])))))
			held->next[class] = CLASS_HIDDEN;
		if (held->fresh.out_of[class] > 0)
			held_leave_nobody_out(&held->fresh, class);
		else if (held_may_thin(held, class) && !held->holds_all)
		{
			int64		shown = held->next[class] == CLASS_HIDDEN ? 0 :
			held->last.people[class] - held->last.out_of[class];

			/* better still, people of now, if more of them may be shown */
			if (held_leave_out(held, &held->fresh, class, held->fresh.people[class] - shown - 1))
				held->next[class] = CLASS_FRESH;
		}
	}
	held->state[class] = held->next[class];
}

/* Changes the classes whose state is another in the next round; returns whether there are any. */
static bool
change_classes(HeldBack *held)
{
	bool		any = false;

	for (uint32 class = 0; class < held->classes->nkeys; class++)
		if (held->next[class] != held->state[class])
		{
			change_class(held, class);
			any = true;
		}
	if (any)
		held_make_content(held);
	return any;
}

/* ------------------------------------------------------------------- rounds */

/* By class of a view: whether it offends. */
static bool *
find_offences(HeldBack *held, const ContentDifference *difference, const CommonView *view)
{
	const Release *release = held->release;
	uint32		n = difference->classes->nkeys;
	bool	   *offends = budget_alloc_zero(sizeof(bool), (Size) n + 1);
	bool		is_part = dataset_promises_known(release->dataset);

	for (int side = 0; side < 2; side++)
	{
		const int64 *only = difference->only[side];
		const int64 *others = difference->people[1 - side];

		for (uint32 class = 0; class < n; class++)
			offends[class] = offends[class] || (only[class] > 0 && (others[class] > 0 || is_part) &&
												(release->population->has_persons ||
												 only[class] < least_difference(release)));
		for (int v = 0; v < view->nvalues; v++)
		{
			int64		wanted = held->wanted[view->values[v][0]];
			int64	   *values = wanted > 1 ? values_of_difference(difference, side, v) : NULL;

			for (uint32 class = 0; class < n && values != NULL; class++)
				offends[class] = offends[class] ||
					(only[class] > 0 && (others[class] > 0 || is_part) && values[class] < wanted);
		}
	}
	for (int side = 0; side < 2; side++)
		for (uint32 class = 0; class < n; class++)
			if (!offends[class])
				held->release->difference = least_people(release->difference, difference->only[side][class]);
	return offends;
}

/* Whether N shows a class's labels, so that a view by values has a place for it. */
static bool
is_placed(const HeldBack *held, uint32 class)
{
	for (int a = 0; a < held->last.content->nattrs; a++)
	{
		uint32		code = code_at(class_key(held, class), a);

		if (code != STARRED && !held->used[a][code])
			return false;
	}
	return true;
}

/* Changes the classes of N that are in those of a view that offend. */
static void
change_offending(HeldBack *held, ContentDifference *difference, const CommonView *view, const bool *offends)
{
	uint32		n = held->classes->nkeys;
	uint32	   *seen_in = budget_alloc(sizeof(uint32), (Size) n + 1);
	bool	   *any_news = budget_alloc_zero(sizeof(bool), (Size) difference->classes->nkeys + 1);
	bool	   *any_less = budget_alloc_zero(sizeof(bool), (Size) difference->classes->nkeys + 1);
	bool		any_offends = false;
	bool		lacks_news = false; /* in a place that the view does not tell:
									 * of F, or */
	bool		lacks_less = false; /* of what is held */

	for (uint32 class = 0; class < difference->classes->nkeys; class++)
		any_offends = any_offends || offends[class];
	for (uint32 class = 0; class < n && any_offends; class++)
	{
		bool		is_lacking = !view->alike && held->last.people[class] > 0 && !is_placed(held, class);

		seen_in[class] = is_lacking ? PG_UINT32_MAX :
			class_in_view(difference, view, 0, class_key(held, class));
		lacks_news = lacks_news || (is_lacking && is_news(held, class));
		lacks_less = lacks_less || (is_lacking && is_less_than_last(held, class));
		if (is_lacking && is_news(held, class))
			held->next[class] = Max(held->next[class], CLASS_HELD);
		if (seen_in[class] == PG_UINT32_MAX)
			continue;
		any_news[seen_in[class]] = any_news[seen_in[class]] || is_news(held, class);
		any_less[seen_in[class]] = any_less[seen_in[class]] || is_less_than_last(held, class);
	}
	for (uint32 class = 0; class < n && any_offends; class++)
	{
		uint32		in = seen_in[class];

		if (in == PG_UINT32_MAX || !offends[in])
			continue;
		if (any_news[in])
			held->next[class] = Max(held->next[class],
									is_news(held, class) ? CLASS_HELD : held->state[class]);
		else if (any_less[in] || (lacks_less && !lacks_news))
			held->next[class] = CLASS_HIDDEN;
	}
}

/* Compares N with an earlier content, which is loaded. */
static void
compare_content(HeldBack *held, int i)
{
	const KnownContent *earlier = &held->contents[i];
	ContentDifference difference;
	CommonView	view;
	bool		is_past;

	if (!rows_correspond(held->own, earlier))
		return;
	view_contents(held->composition, held->own, earlier, &view);
	if (view.unseen != NULL && held->unseen == NULL)
	{
		held->unseen = view.unseen;
		held->unseen_in = earlier;
	}
	is_past = view.alike && earlier->content->tuples == NULL && view.nvalues == held->own->content->nvalues;
	if (is_past && held->base == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(held->context);

		held->base = palloc(sizeof(ContentDifference));
		*held->base = content_difference_of(held->own->content, &view);
		MemoryContextSwitchTo(old);
	}
	if (is_past)
		content_difference_from(held->base, earlier->content, &view);
	difference = is_past ? *held->base : content_difference(held->own->content, earlier->content, &view);
	if (is_past && !held->release->keep_deleted)
		held_remember(held, earlier->content, &difference, &view);
	held->is_past[i] = is_past;
	change_offending(held, &difference, &view, find_offences(held, &difference, &view));
	if (!view.alike || held->own->content->tuples == NULL || earlier->content->tuples == NULL)
		return;
	(void) view_by_tuples(held->own->content, earlier->content, &view);
	difference = content_difference(held->own->content, earlier->content, &view);
	change_offending(held, &difference, &view, find_offences(held, &difference, &view));
}

/*
 * Fails if N still lacks too few people of a class of O, who were deleted: to
 * somebody who knows some of the columns they are missing from a larger one.
 */
static void
require_vanished_hidden(HeldBack *held)
{
	const Release *release = held->release;
	int			last = last_content(release->id, held->contents, held->ncontents);
	MemoryContext context = last < 0 || !dataset_promises_known(release->dataset) ? NULL :
	composition_load(held->composition, &held->contents[last]);
	MemoryContext old;
	ContentDifference difference;
	CommonView	view;
	const bool *offends;

	if (context == NULL)
		return;
	old = MemoryContextSwitchTo(context);
	view_contents(held->composition, held->own, &held->contents[last], &view);
	difference = content_difference(held->own->content, held->contents[last].content, &view);
	offends = find_offences(held, &difference, &view);
	for (uint32 class = 0; class < difference.classes->nkeys; class++)
		if (offends[class])
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("release %s would lack too few of the people that it showed", release->sql_name),
					 errdetail("People of a class of fewer than " INT64_FORMAT " were deleted. Anyone who knows some of the columns could subtract the release from what it showed.",
							   least_difference(release)),
					 errhint("Show them again with keep_deleted => true, or set anonopt.composition.")));
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

/* Compares N with earlier contents, and holds back more of it, until nothing offends. */
static void
run_rounds(HeldBack *held)
{
	do
	{
		for (int i = 0; i < held->ncontents; i++)
		{
			MemoryContext context;
			MemoryContext old;

			/*
			 * fresh classes were compared, and so was what rows are dropped
			 * of
			 */
			if (held->is_past[i])
				continue;
			context = composition_load(held->composition, &held->contents[i]);
			if (context == NULL)
				continue;
			old = MemoryContextSwitchTo(context);
			compare_content(held, i);
			MemoryContextSwitchTo(old);
			MemoryContextDelete(context);
		}
	} while (change_classes(held));
	require_vanished_hidden(held);
}

bool
holds_any(const HeldBack *held)
{
	for (uint32 class = 0; held != NULL && class < held->classes->nkeys; class++)
		if (held->state[class] != CLASS_FRESH || held->fresh.out_of[class] > 0)
			return true;
	return false;
}

void
hold_back(Release *release, Composition *composition, KnownContent *own, KnownContent *contents,
		  int n, int last)
{
	HeldBack   *held = held_begin(release, &contents[last]);

	release->held = held;
	held->composition = composition;
	held->own = own;
	held->contents = contents;
	held->ncontents = n;
	held->is_past = palloc0(sizeof(bool) * (n + 1));
	held_read_rows(held);
	/* local generalizations may give the same people other labels */
	for (uint32 class = 0; class < held->classes->nkeys && release->by.kind == BY_RECODING; class++)
		if (held->fresh.people[class] == 0 || held->last.people[class] == 0)
			held->next[class] = CLASS_HELD;
	if (!change_classes(held))
		held_make_content(held);
	run_rounds(held);
	if (release->by.kind == BY_RECORDS && holds_any(held))
		refuse_to_hold_back(release->sql_name, "It shows a generalization per record, so that people"
							" change their classes at every refresh.",
							"a node or a recoding");
	if (release->pseudonyms != NIL && holds_any(held))
		refuse_to_hold_back(release->sql_name, "Its pseudonyms link the rows of a person through all"
							" its contents, and the row that was shown last would not be that of now.",
							"without pseudonyms");
	/* what is held differs as it did */
	if (contents[last].has_difference)
		release->difference = least_people(release->difference, contents[last].difference);
}

bool
hold_all_back(HeldBack *held)
{
	held->holds_all = true;
	for (uint32 class = 0; class < held->classes->nkeys; class++)
		if (held->state[class] == CLASS_FRESH)
			held->next[class] = CLASS_HELD;
		else if (is_less_than_last(held, class))
			held->next[class] = CLASS_HIDDEN;
	if (!change_classes(held))
		return false;
	/* rows may have been dropped just now */
	for (uint32 class = 0; class < held->classes->nkeys; class++)
		if (is_less_than_last(held, class))
			held->next[class] = CLASS_HIDDEN;
	(void) change_classes(held);
	run_rounds(held);
	return true;
}

bool
hold_exposed_back(HeldBack *held)
{
	MemoryContext context = AllocSetContextCreate(held->context, "anonopt exposed", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	bool		by_classes = held->release->by.kind != BY_RECODING;
	KnownContent changes = *held->own;
	const KeyCounter *classes;
	const bool *exposed;

	changes.content = held_changes(held);
	exposed = composition_exposes(held->composition, held->own, &changes);
	classes = content_classes(changes.content);
	MemoryContextSwitchTo(old);
	if (!by_classes && exposed[0] && !held_shows_last(held))
		return hold_all_back(held);
	for (uint32 i = 0; i < classes->nkeys && by_classes; i++)
	{
		uint32		class;

		if (!exposed[i + 1])
			continue;
		memcpy(key_counter_candidate(held->classes), classes->keys + (Size) i * classes->nwords,
			   sizeof(uint64) * classes->nwords);
		class = key_counter_find(held->classes);
		held->next[class] = held->state[class] + 1;
	}
	MemoryContextDelete(context);
	if (!change_classes(held))
		return false;
	run_rounds(held);
	return true;
}

/* ----------------------------------------------------------------- its promise */

bool
held_rows_keep(HeldBack *held, Oid rows)
{
	const Release *release = held->release;
	List	   *broken = NIL;
	ListCell   *cell;

	if (!holds_any(held))
		return true;
	held->entry = entry_of_release(release, release->id, rows);
	held->entry->class_columns = palloc(sizeof(char *) * (release->ncolumns + 1));
	for (int i = 0; i < release->ncolumns; i++)
		if (release->columns[i].attr >= 0)
			held->entry->class_columns[held->entry->nclass_columns++] = unconstify(char *,
																				   release->columns[i].name);
	if (release_keeps(held->entry, &broken))
		return true;
	foreach(cell, broken)
	{
		uint32		class = held_class_of(held, lfirst(cell), lfirst(cell) == NULL);

		if (class == PG_UINT32_MAX || held->state[class] == CLASS_HIDDEN)
			continue;
		held->next[class] = held->state[class] + 1;
	}
	/* a promise about all classes, or one that others break in turn */
	if (change_classes(held) && ++held->failures < 10)
		run_rounds(held);
	else if (!hold_all_back(held))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("release %s cannot keep its promise without the people who were deleted",
						release->sql_name),
				 errdetail("Classes with them would be hidden, and the others break it together."),
				 errhint("Call anonopt.republish, or anonopt.drop_release.")));
	return false;
}
