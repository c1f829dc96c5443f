/*
 * composition.c
 *	  Compares a new content with earlier ones: warns or refuses if contents
 *	  together reveal more than they promise.
 */
#include "release/content.h"

#include "catalog/own_objects.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "miscadmin.h"
#include "nodes/value.h"
#include "read/population_read.h"
#include "release/pseudonym.h"
#include "storage/lmgr.h"
#include "utils/snapmgr.h"

/* ----------------- what two contents reveal together: a reader who has both */

/* Treats labels that look alike as equal. */
static void
view_by_texts(const KnownContent *a, const KnownContent *b, int i, int j, ContentView *view_a, ContentView *view_b)
{
	Size		na = a->content->nlabels[i];
	Size		nb = b->content->nlabels[j];
	const char **texts = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(char *) * (na + nb + 1));
	const char **different;
	uint32		ndifferent;
	uint32	   *numbers;

	memcpy(texts, a->content->labels[i], sizeof(char *) * na);
	memcpy(texts + na, b->content->labels[j], sizeof(char *) * nb);
	numbers = number_texts(texts, na + nb, &ndifferent, &different);
	view_a->attr = i;
	view_a->shown = numbers;
	view_b->attr = j;
	view_b->shown = numbers + na;
}

/* Whether a tuple that two contents of the same recoding show has moved to another class. */
static bool
have_moved(const Content *a, const Content *b)
{
	KeyCounter *classes = key_counter_create(CurrentMemoryContext, 1, 1024);
	KeyCounter *pairs = key_counter_create(CurrentMemoryContext, 1, 1024);

	for (uint32 i = 0; i < a->tuples->nkeys; i++)
	{
		uint32		before = (uint32) a->tuples->counts[i];
		uint32		after = content_class_of(b, a->tuples->keys[i]);
		uint32		known = pairs->nkeys;

		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		if (after == 0)
			continue;
		*key_counter_candidate(pairs) = (uint64) before << 32 | after;
		if (key_counter_add(pairs, 1) != known)
			continue;
		*key_counter_candidate(classes) = before;
		(void) key_counter_add(classes, 1);
		*key_counter_candidate(classes) = UINT64CONST(1) << 32 | after;
		(void) key_counter_add(classes, 1);
	}
	/* a class that was split or merged occurs in two pairs */
	return classes->nkeys < 2 * pairs->nkeys;
}

int64
composition_difference(Composition *composition, const KnownContent *a, const KnownContent *b, const char **unseen)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "anonopt comparison", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	bool		alike = contents_are_alike(a, b);
	ContentView views_a[MAX_ATTRIBUTES];
	ContentView views_b[MAX_ATTRIBUTES];
	int			(*values)[2];
	int			nviews = 0;
	int			nvalues = common_values(a->content, b->content, &values);
	int64		difference;

	*unseen = NULL;
	for (int i = 0; i < a->release.ngeneralized; i++)
		for (int j = 0; j < b->release.ngeneralized; j++)
		{
			if (strcmp(a->release.generalized[i], b->release.generalized[j]) != 0)
				continue;
			if (alike)
				view_by_texts(a, b, i, j, &views_a[nviews], &views_b[nviews]);
			else if (composition->population == NULL || !view_by_values(composition, a, b, i, j, &views_a[nviews], &views_b[nviews]))
			{
				/* the combination of their classes tells as much */
				if (!content_is_placed(a) || !content_is_placed(b))
					*unseen = a->release.generalized[i];
				continue;
			}
			nviews++;
			break;
		}
	difference = content_difference(a->content, views_a, b->content, views_b, nviews, values, nvalues);

	/*
	 * moves hide newcomers among people who only changed class, but not if
	 * all classes are compared at once
	 */
	if (alike && a->content->tuples != NULL && b->content->tuples != NULL && have_moved(a->content, b->content))
		difference = least_people(difference, content_difference(a->content, views_a, b->content, views_b, 0, values, nvalues));
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return difference;
}

int64
composition_links(const KnownContent *a, const KnownContent *b, int64 *below)
{
	int			(*values)[2];
	int			nvalues;

	if (contents_are_alike(a, b) || (content_is_placed(a) && content_is_placed(b)))
		return 0;
	nvalues = common_values(a->content, b->content, &values);
	return content_links(a->content, b->content, values, nvalues, a->k, below);
}

MemoryContext
composition_load(const Composition *composition, KnownContent *other)
{
	MemoryContext context;
	MemoryContext old;

	CHECK_FOR_INTERRUPTS();
	if (!other->is_known)
		return NULL;
	context = AllocSetContextCreate(CurrentMemoryContext, "anonopt other content", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(context);
	if (composition->latest)
		see_own_changes();
	other->content = known_content_load(other, context);
	if (composition->latest)
		PopActiveSnapshot();
	if (other->content != NULL)
		content_place(other, composition->dataset, composition->population);
	MemoryContextSwitchTo(old);
	if (other->content != NULL)
		return context;
	MemoryContextDelete(context);
	return NULL;
}

/* ------------------------------------------------------------- warns or refuses */

/* The content that a release is about to show, as if it had been written down already. */
static void
known_of_release(const Release *release, KnownContent *content)
{
	ReleaseEntry *known = &content->release;

	memset(content, 0, sizeof(KnownContent));
	content->content = release->content;
	known->name = release->sql_name;
	content->k = release->promise.k;
	known->ngeneralized = release->population->nattrs;
	known->generalized = palloc(sizeof(char *) * known->ngeneralized);
	known->hierarchies = palloc(sizeof(Oid) * known->ngeneralized);
	for (int a = 0; a < known->ngeneralized; a++)
	{
		known->generalized[a] = declared_attribute(release->dataset, a)->column;
		known->hierarchies[a] = declared_attribute(release->dataset, a)->hierarchy;
	}
	known->by = release->by;
}

/* A release that is compared with earlier contents. */
typedef struct Comparison
{
	Release    *release;
	Composition *composition;
	const char *nearest;		/* the release that it differs least from */
	int64		together;		/* the smallest group that all contents single
								 * out */
	int64		linked;			/* the smallest group that values link */
	List	   *warned;			/* of these */
} Comparison;

/* Tells of the people whom the release exposes beside an earlier one, or beside all if that is NULL. */
static void
tell(const Comparison *comparison, int64 people, const char *other)
{
	const Release *release = comparison->release;

	if (other == NULL)
		ereport(composition_level(),
				(errcode(composition_errcode()),
				 errmsg("together, the releases of data set \"%s\" single out classes of " INT64_FORMAT,
						release->dataset->name, people),
				 errdetail(INT64_FORMAT " is promised.", release->promise.k),
				 errhint("See anonopt.release_risk; drop this release or publish it with the same levels as the others.")));
	else if (release->population->has_persons)
		ereport(composition_level(),
				(errcode(composition_errcode()),
				 errmsg("release %s differs from what was shown before by rows that may all be one person's", release->sql_name),
				 errdetail("Anyone who has it and a content of %s can subtract one from the other; " INT64_FORMAT " people are promised.",
						   other, release->promise.k),
				 errhint("The release does not record whose rows it showed. Set anonopt.composition to off if you know that enough people have changed.")));
	else
		ereport(composition_level(),
				(errcode(composition_errcode()),
				 errmsg_plural("release %s differs from what was shown before by " INT64_FORMAT " person",
							   "release %s differs from what was shown before by " INT64_FORMAT " people", (unsigned long) people,
							   release->sql_name, people),
				 errdetail("Anyone who has it and a content of %s can subtract one from the other; " INT64_FORMAT " is promised.",
						   other, release->promise.k),
				 errhint("See anonopt.release_risk; publish after more people have changed, or set anonopt.composition.")));
}

/*
 * Tells of the people whom shown values single out beside an earlier content,
 * in groups of which the smallest is given.
 */
static void
tell_links(const Release *release, const KnownContent *earlier, int64 people, int64 smallest)
{
	int			(*values)[2];
	int			nvalues = common_values(release->content, earlier->content, &values);
	StringInfoData names;

	initStringInfo(&names);
	for (int v = 0; v < nvalues; v++)
		appendStringInfo(&names, "%s\"%s\"", v > 0 ? ", " : "", release->content->values[values[v][0]]);
	ereport(composition_level(),
			(errcode(composition_errcode()),
			 release->population->has_persons ?
			 errmsg("rows that release %s and a content of %s single out together may all be one person's", release->sql_name, earlier->release.name) :
			 errmsg_plural("release %s and a content of %s together single out " INT64_FORMAT " person",
						   "release %s and a content of %s together single out " INT64_FORMAT " people", (unsigned long) people,
						   release->sql_name, earlier->release.name, people),
			 errdetail("Values of %s that one of them shows in one class only join the rows of both. The smallest group with the same labels in both is " INT64_FORMAT "; " INT64_FORMAT " is promised.",
					   names.data, smallest, release->promise.k),
			 errhint("See anonopt.release_risk; show the values generalized, or leave their columns out of one of the releases.")));
}

/* Whether it is the first warning of something. */
static bool
is_first(Comparison *comparison, const char *what)
{
	String	   *name = makeString(pstrdup(what));

	if (list_member(comparison->warned, name))
		return false;
	comparison->warned = lappend(comparison->warned, name);
	return true;
}

/*
 * Whether a release shows just what it showed last, as after a restore: then
 * nobody learns more.  Where rows belong to people, equal rows may be those of
 * others.
 */
static bool
shows_the_same(const Release *release, Composition *composition, const KnownContent *own, KnownContent *contents, int n)
{
	KnownContent *last = NULL;
	const KeyCounter *tuples = own->content->tuples;
	const char *unseen;

	for (int i = 0; i < n; i++)
		if (release->id != NULL && strcmp(contents[i].release.id, release->id) == 0 && contents[i].is_known)
			last = &contents[i];
	if (last == NULL || release->population->has_persons || release->pseudonyms != NIL || !contents_are_alike(own, last))
		return false;
	if (composition_load(composition, last) == NULL || composition_difference(composition, own, last, &unseen) != 0 || (tuples == NULL) != (last->content->tuples == NULL))
		return false;
	if (tuples == NULL)
		return true;
	if (tuples->nkeys != last->content->tuples->nkeys)
		return false;
	for (uint32 i = 0; i < tuples->nkeys; i++)
		if (content_class_of(last->content, tuples->keys[i]) == 0)
			return false;
	return !have_moved(own->content, last->content);
}

/* Compares a release with an earlier content, which is loaded; says once what cannot be compared or combined. */
static void
compare_with(Comparison *comparison, const KnownContent *own, const KnownContent *earlier)
{
	Release    *release = comparison->release;
	const char *unseen;
	int			missing = 0;
	int64		below = 0;
	int64		linked;
	int64		difference = composition_difference(comparison->composition, own, earlier, &unseen);

	if (unseen != NULL && is_first(comparison, psprintf("%s.%s", earlier->release.name, unseen)))
		ereport(composition_level(),
				(errcode(composition_errcode()),
				 errmsg("release %s cannot be compared with a content of %s by column \"%s\"", release->sql_name, earlier->release.name, unseen),
				 errdetail("No hierarchy that can be read has all labels it shows: it was dropped or changed, belongs to another role, or has gained leaves under a cut."),
				 errhint("Anyone who has both may learn more than either promises. Publish by a hierarchy with the same labels, or set anonopt.composition to off.")));
	/* contents count rows */
	if (release->population->has_persons)
		difference = Min(difference, 1);
	if (difference > 0 && (release->difference == 0 || difference < release->difference))
	{
		release->difference = difference;
		comparison->nearest = earlier->release.name;
	}
	if (comparison->composition->population == NULL)
		return;
	linked = composition_links(own, earlier, &below);
	/* any rows may be one person's */
	if (release->population->has_persons)
		linked = Min(linked, 1);
	comparison->linked = least_people(comparison->linked, linked);
	if (linked > 0 && linked < own->k && is_first(comparison, "rows are linked"))
		tell_links(release, earlier, below, linked);
	if (content_is_placed(earlier))
	{
		comparison->together = composition_add(comparison->composition, earlier);
		return;
	}
	/* the data set cannot tell whom the content shows by which label */
	while (missing < earlier->release.ngeneralized && earlier->attr_of[missing] >= 0)
		missing++;
	if (missing < earlier->release.ngeneralized && (linked == 0 || linked >= own->k) &&
		is_first(comparison, psprintf("%s of %s", earlier->release.generalized[missing], earlier->release.dataset)))
		ereport(composition_level(),
				(errcode(composition_errcode()),
				 errmsg("release %s cannot be combined with a content of %s", release->sql_name, earlier->release.name),
				 errdetail("That shows column \"%s\" by labels that the data set does not have: together, the two may single out fewer people than either promises.",
						   earlier->release.generalized[missing]),
				 errhint("Declare the column with the same hierarchy, in a data set whose relation has it, or set anonopt.composition to off if nobody has both.")));
}

/*
 * Others who are about to show a content of the same people wait until we end,
 * so that each compares with the other's.  Parts of one parent do not.
 */
static void
lock_people(Oid source)
{
	const Oid	types[] = {OIDOID, BOOLOID};
	QueryRows  *relations;

	see_own_changes();
	relations = read_catalog("SELECT r.relation, bool_or(r.is_read) FROM anonopt.relations_of_people($1) r WHERE r.relation <> 0"
							 " GROUP BY 1 ORDER BY 1", add_oid(NULL, source), lengthof(types), types);
	PopActiveSnapshot();
	for (int i = 0; i < relations->n; i++)
	{
		bool		isnull;

		LockDatabaseObject(own_relation("published"), row_oid(relations, i, 0), 0,
						   DatumGetBool(row_value(relations, i, 1, &isnull)) ? ExclusiveLock : ShareLock);
	}
}

void
composition_check(Release *release)
{
	const Dataset *dataset = release->dataset;
	KnownContent own;
	KnownContent *contents;
	Population *population = NULL;
	Comparison	comparison = {.release = release};
	int			n;

	release->difference = -1;

	lock_people(dataset->relation);
	see_own_changes();
	linked_people_check(release);
	if (composition_level() == 0 && !release->refills)
	{
		PopActiveSnapshot();
		return;
	}
	/* this statement may have published already */
	contents = known_contents(dataset->relation, release->id, &n);
	PopActiveSnapshot();
	known_of_release(release, &own);
	release->unchanged = release->refills && shows_the_same(release, composition_begin(dataset, NULL, true), &own, contents, n);
	if (composition_level() == 0 || release->unchanged)
		return;
	release->difference = 0;
	for (int i = 0; i < n && population == NULL; i++)
		if (contents[i].is_known && (own.release.by.kind == BY_RECODING || !contents_are_alike(&own, &contents[i])))
			population = population_read(dataset);
	comparison.composition = composition_begin(dataset, population, true);
	content_place(&own, dataset, population);
	for (int i = 0; i < n; i++)
	{
		MemoryContext context = composition_load(comparison.composition, &contents[i]);

		if (context == NULL)
			continue;
		compare_with(&comparison, &own, &contents[i]);
		MemoryContextDelete(context);
	}
	if (population != NULL && content_is_placed(&own))
		comparison.together = composition_add(comparison.composition, &own);
	if (comparison.together > 0 && comparison.together < own.k &&
		(release->difference == 0 || comparison.together < release->difference))
		tell(&comparison, comparison.together, NULL);
	else if (release->difference > 0 && release->difference < own.k)
		tell(&comparison, release->difference, comparison.nearest);
	release->difference = least_people(release->difference, comparison.linked);
}
