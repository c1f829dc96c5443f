/*
 * hold_back.h
 *	  Classes of a refreshed release that keep the rows they showed last: which
 *	  ones (hold_back.c), with which of these rows (held_rows.c), and what is
 *	  shown and recorded of all (held_content.c).
 */
#ifndef ANONOPT_HOLD_BACK_H
#define ANONOPT_HOLD_BACK_H

#include "release/release.h"

typedef enum ClassState
{
	CLASS_FRESH,
	CLASS_HELD,
	CLASS_HIDDEN
} ClassState;

/* O or F, with the labels of both, and who of it is left out. */
typedef struct Shown
{
	Content    *content;
	uint32	   *class_of;		/* by row of it, and */
	uint32	   *class_of_own;	/* by its own number of a class */
	int64	   *people;			/* by class */
	uint32	   *first;			/* by class: the place of its first row */
	uint32	   *order;			/* of rows */
	int64	   *deleted;		/* by row: people whom F does not have, and */
	int64	   *out;			/* all who are left out; and */
	int64	   *out_of;			/* likewise, by class */
	int64	   *to_come;		/* by row: others who are still to be written, */
	int64	   *to_leave;		/* and those of them who are left out */
} Shown;

/* A row of the release's table. */
typedef struct LastRow
{
	uint32		class;			/* NO_CLASS if O shows no such class */
	uint32		row;			/* of O's content */
	bool		deleted;		/* F does not have it */
} LastRow;

/*
 * What an earlier content showed of a class: people by cell, which is a class
 * with compared values.
 */
typedef struct PastCell
{
	uint32		class;
	uint32		cell;
	int64		people;
} PastCell;

typedef struct Past
{
	uint32		n;
	PastCell   *cells;			/* in order */
	int64		people;
} Past;

/* O, F and N are those of hold_back.c. */
struct HeldBack
{
	Release    *release;
	MemoryContext context;
	Relation	table;			/* the release's, kept open until its rows are
								 * written, and */
	Snapshot	snapshot;		/* as it is since then */
	Composition *composition;
	KnownContent *own;			/* N */
	KnownContent *contents;
	int			ncontents;
	ContentDifference *base;	/* N, to be compared with such contents: */
	bool	   *is_past;		/* by content: its classes are N's, with the
								 * same compared values */
	const int64 *wanted;		/* by compared value: l, or 0 */
	bool		is_filled;		/* the release has rows to hold */
	Shown		fresh;
	Shown		last;
	KeyCounter *classes;		/* of both, by their codes */
	uint32		nplaces;		/* of them, but that of stars */
	uint32	   *place_of;		/* by class, in the order in which rows are
								 * shown */
	uint32	   *class_at;		/* by place */
	uint8	   *state;			/* by class, and in the next round */
	uint8	   *next;
	bool	   *is_same;		/* by class: F shows of it what O does */
	bool	   *used[MAX_ATTRIBUTES];	/* by attribute and code: N shows it */
	bool	   *tampered;		/* by class: its rows are not what O shows */
	int64	   *deleted;		/* by class: rows of O */
	uint32	   *last_of_tuple;	/* of a recoding: by tuple, its class in O, or
								 * NO_CLASS */
	uint32	   *class_of_fresh; /* by class of the release's, then stars */
	TextIndex	seen[MAX_ATTRIBUTES];	/* by attribute: what its columns show
										 * of each label */
	const char *blurred;		/* a column that shows two labels alike, or
								 * NULL */
	uint64		seed;
	Prng		random;
	uint32		nrows;			/* of the table, in the order of a scan */
	Size		room;
	LastRow    *rows;
	KeyCounter *cells;			/* of classes that may be thin; counts who is
								 * left of one, while they are chosen */
	List	  **pasts;			/* by such class: Past, those that differ, in
								 * order */
	const char *unseen;			/* a column that cannot be compared, of */
	const KnownContent *unseen_in;	/* an earlier content; or NULL */
	bool		holds_all;		/* no class is fresh */
	int			failures;
	ReleaseEntry *entry;		/* once measured */
};

/* -------------------------------------------------- which classes are held back */

/*
 * Decides which classes are held back beside some earlier contents, of which
 * one is what the release showed last; changes the release's content, and that
 * of own, to what will be shown.
 */
extern void hold_back(Release *release, Composition *composition, KnownContent *own, KnownContent *contents,
					  int n, int last);

/* Holds everything back: no class is fresh.  Returns false if it was so already. */
extern bool hold_all_back(HeldBack *held);

/*
 * Holds back the classes that would single out people beside all earlier
 * contents, which have been added to the composition.  Returns false if there
 * are none.
 */
extern bool hold_exposed_back(HeldBack *held);

/*
 * Whether rows that have been written keep what the release promises.  If not,
 * more is held back, and the rows must be written again.
 */
extern bool held_rows_keep(HeldBack *held, Oid rows);

/* ---------------------------------------------------------- what will be shown */

/* Begins with the classes of both contents, all of them fresh. */
extern HeldBack *held_begin(Release *release, KnownContent *last);

/* Whether a class that is not fresh, or one that is, shows something else than O did. */
extern bool is_less_than_last(const HeldBack *held, uint32 class);
extern bool is_news(const HeldBack *held, uint32 class);

/* Whether what will be shown is what was shown last, row for row. */
extern bool held_shows_last(const HeldBack *held);

/* What O and F show of the classes of which N shows something else than O did. */
extern Content *held_changes(const HeldBack *held);

/* Makes N of what the classes are now. */
extern void held_make_content(HeldBack *held);

/* The labels of a class. */
static inline const uint64 *
class_key(const HeldBack *held, uint32 class)
{
	return held->classes->keys + (Size) class * held->classes->nwords;
}

/* The place of a class of the release's among those shown, or NO_CLASS if it is held back. */
static inline uint32
held_place(const HeldBack *held, uint32 class)
{
	uint32		of_both = held->class_of_fresh[class];

	return held->state[of_both] == CLASS_FRESH ? held->place_of[of_both] : NO_CLASS;
}

/* The people whom N shows of a class. */
static inline int64
held_people(const HeldBack *held, uint32 class)
{
	const Shown *shown = held->state[class] == CLASS_FRESH ? &held->fresh : &held->last;

	return held->state[class] == CLASS_HIDDEN ? 0 : shown->people[class] - shown->out_of[class];
}

/* Whether any class does not show all people of now; no release that holds nothing back has one. */
extern bool holds_any(const HeldBack *held);

/* Records what is held back of a release, if anything is, and tells its caller. */
extern void held_record(const Release *release, const char *id);

/* -------------------------------------------------------- the rows that were shown */

/* Reads them, and compares them with O's content and with F. */
extern void held_read_rows(HeldBack *held);

/* The class that columns show by their texts, or that of stars; PG_UINT32_MAX if there is none. */
extern uint32 held_class_of(HeldBack *held, const char *const *texts, bool starred);

/* Visits those that are shown again: the place of each, and its columns that are not generalized. */
extern void held_visit(HeldBack *held, SpoolVisitor visit, void *arg);

/*
 * Keeps what an earlier content shows of classes that may be thin, unless it
 * is what the one before showed.
 */
extern void held_remember(HeldBack *held, const Content *earlier, ContentDifference *difference,
						  const CommonView *view);

/*
 * Whether a class may be thin: some of its people were deleted, or many wait.
 * What earlier contents show of it is remembered.
 */
extern bool held_may_thin(const HeldBack *held, uint32 class);

/*
 * Leaves people out of a class, at random, so that it may be shown though it
 * would offend: of O's the deleted ones and others to hide them, best so that what
 * is left is a part of some earlier content, and so of those after it; of F's no
 * more than a number.  Returns false, and leaves nobody out, if that is not found.
 */
extern bool held_leave_out(HeldBack *held, Shown *shown, uint32 class, int64 most);
extern void held_leave_nobody_out(Shown *shown, uint32 class);

/* Whether a row of F is left out of its class. */
extern bool held_leaves_out(HeldBack *held, uint32 class, uint32 group);

#endif
