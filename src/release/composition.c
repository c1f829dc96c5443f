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
#include "release/hold_back.h"
#include "release/pseudonym.h"
#include "storage/lmgr.h"
#include "utils/snapmgr.h"

/* The content that a release is about to show, as if it had been written down already. */
static void
known_of_release(const Release *release, KnownContent *content)
{
	ReleaseEntry *known = &content->release;

	memset(content, 0, sizeof(KnownContent));
	content->content = release->content;
	known->id = unconstify(char *, release->id);
	known->name = release->sql_name;
	known->has_people_k = release->population->has_persons;
	content->same_rows = 1;
	content->k = least_alike(release);
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
	const KnownContent *before; /* what it showed last, if it holds back */
	const KnownContent *nearest;	/* that it differs least from */
	bool		any_others;		/* another role's release is among them */
	bool		combines;		/* contents are combined on the current data */
	int64		together;		/* the smallest group that all contents single
								 * out */
	int64		linked;			/* the smallest group that values link */
	List	   *warned;			/* of these */
} Comparison;

/* How what others could subtract is told: by an error, where everything else has been held back. */
static int
refusal_level(const Release *release)
{
	return release->holds_back ? ERROR : composition_level();
}

/* Tells that a release of which the caller is not told would be singled out, without its name or figures. */
static void
tell_others(const Release *release)
{
	int			level = refusal_level(release);

	ereport(level,
			(errcode(composition_errcode(level)),
			 errmsg("release %s would single out people of another role's release", release->sql_name),
			 errdetail("Both show the same people. Anyone who has both may learn more than they promise."),
			 errhint("Ask whoever else publishes of these people; members of pg_monitor find the releases in anonopt.release.")));
}

/* Tells of the people whom the release exposes beside an earlier content, or beside all if that is NULL. */
static void
tell(const Comparison *comparison, int64 people, const KnownContent *nearest)
{
	const Release *release = comparison->release;
	const char *other = nearest == NULL ? NULL : nearest->release.name;
	int			level = refusal_level(release);

	if (nearest == NULL ? comparison->any_others : nearest->is_others == 1)
		tell_others(release);
	else if (other == NULL)
		ereport(level,
				(errcode(composition_errcode(level)),
				 errmsg("together, the releases of data set \"%s\" single out classes of " INT64_FORMAT,
						release->dataset->name, people),
				 errdetail(INT64_FORMAT " is promised.", least_alike(release)),
				 errhint("See anonopt.release_risk; drop this release or publish it with the same levels as the others.")));
	else if (release->population->has_persons)
		ereport(level,
				(errcode(composition_errcode(level)),
				 errmsg("release %s differs from what was shown before by rows that may all be one person's", release->sql_name),
				 errdetail("Anyone who has it and a content of %s can subtract one from the other; " INT64_FORMAT " people are promised.",
						   other, least_difference(release)),
				 errhint("The release does not record whose rows it showed. Set anonopt.composition to off if you know that enough people have changed.")));
	else
		ereport(level,
				(errcode(composition_errcode(level)),
				 errmsg_plural("release %s differs from what was shown before by " INT64_FORMAT " person",
							   "release %s differs from what was shown before by " INT64_FORMAT " people",
							   (unsigned long) people,
							   release->sql_name, people),
				 errdetail("Anyone who has it and a content of %s can subtract one from the other; " INT64_FORMAT " is promised.",
						   other, least_difference(release)),
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
	int			level = refusal_level(release);
	StringInfoData names;

	if (earlier->is_others == 1)
	{
		tell_others(release);
		return;
	}
	initStringInfo(&names);
	for (int v = 0; v < nvalues; v++)
		appendStringInfo(&names, "%s\"%s\"", v > 0 ? ", " : "", release->content->values[values[v][0]]);
	ereport(level,
			(errcode(composition_errcode(level)),
			 release->population->has_persons ?
			 errmsg("rows that release %s and a content of %s single out together may all be one person's",
					release->sql_name, earlier->release.name) :
			 errmsg_plural("release %s and a content of %s together single out " INT64_FORMAT " person",
						   "release %s and a content of %s together single out " INT64_FORMAT " people",
						   (unsigned long) people,
						   release->sql_name, earlier->release.name, people),
			 errdetail("Values of %s that one of them shows in one class only join the rows of both. The smallest group with the same labels in both is " INT64_FORMAT "; " INT64_FORMAT " is promised.",
					   names.data, smallest, least_alike(release)),
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
shows_the_same(const Release *release, Composition *composition, const KnownContent *own,
			   KnownContent *contents, int n)
{
	int			at = last_content(release->id, contents, n);
	KnownContent *last = at < 0 ? NULL : &contents[at];
	const KeyCounter *tuples = own->content->tuples;
	CommonView	view;
	const char *unseen;

	if (last == NULL || release->population->has_persons || release->pseudonyms != NIL ||
		!contents_are_alike(own, last))
		return false;
	if (composition_load(composition, last) == NULL ||
		composition_difference(composition, own, last, &unseen) != 0 ||
		unseen != NULL || (tuples == NULL) != (last->content->tuples == NULL))
		return false;
	if (tuples == NULL)
		return true;
	if (tuples->nkeys != last->content->tuples->nkeys)
		return false;
	for (uint32 i = 0; i < tuples->nkeys; i++)
		if (content_class_of(last->content, tuples->keys[i]) == 0)
			return false;
	return !view_by_tuples(own->content, last->content, &view);
}

/* Tells of a column of an earlier content that cannot be compared. */
static void
tell_unseen(const Release *release, const KnownContent *earlier, const char *column)
{
	int			level = refusal_level(release);

	if (earlier->is_others == 1)
	{
		tell_others(release);
		return;
	}
	ereport(level,
			(errcode(composition_errcode(level)),
			 errmsg("release %s cannot be compared with a content of %s by column \"%s\"",
					release->sql_name, earlier->release.name, column),
			 dataset_has_role(release->dataset, ROLE_SENSITIVE, column) ?
			 errdetail("They show it at different levels.") :
			 errdetail("No hierarchy that can be read has all labels it shows: it was dropped or changed, belongs to another role, or has gained leaves under a cut."),
			 errhint("Anyone who has both may learn more than either promises. Publish by a hierarchy with the same labels, or set anonopt.composition to off.")));
}

/* Tells of an earlier content of other rows. */
static void
tell_other_rows(const Release *release, const KnownContent *earlier)
{
	ereport(NOTICE,
			(errmsg("release %s is not subtracted from a content of %s", release->sql_name,
					earlier->is_others == 1 ? "another role's release" : earlier->release.name),
			 errdetail("People have several rows, and the two read them from different tables.")));
}

/* Compares a release with an earlier content, which is loaded; says once what cannot be compared. */
static void
compare_with(Comparison *comparison, const KnownContent *own, const KnownContent *earlier)
{
	Release    *release = comparison->release;
	const char *unseen;
	int64		difference = composition_difference(comparison->composition, own, earlier, &unseen);

	if (unseen != NULL && is_first(comparison, psprintf("%s.%s", earlier->release.name, unseen)))
		tell_unseen(release, earlier, unseen);
	if (!rows_correspond(own, earlier) && is_first(comparison, psprintf("rows of %s", earlier->release.name)))
		tell_other_rows(release, earlier);
	if (difference > 0 && (release->difference == 0 || difference < release->difference))
	{
		release->difference = difference;
		comparison->nearest = earlier;
	}
}

/*
 * Whether the values that a release and an earlier content show link too few
 * rows of both; if the release holds back, more than what it showed last.
 */
static bool
are_linked(Comparison *comparison, const KnownContent *own, const KnownContent *earlier, int64 *below)
{
	int64		linked = composition_links(own, earlier, below);
	bool		has_persons = own->release.has_people_k || earlier->release.has_people_k;
	int64		linked_before;
	int64		below_before = 0;

	/* any rows may be one person's */
	comparison->linked = least_people(comparison->linked, has_persons ? Min(linked, 1) : linked);
	if (linked == 0 || (linked >= own->k && !has_persons))
		return false;
	if (comparison->before == NULL)
		return true;
	linked_before = composition_links(comparison->before, earlier, &below_before);
	return linked_before == 0 || linked < linked_before || *below > below_before;
}

/*
 * Combines an earlier content, which is loaded, with those before; says once
 * what is linked or cannot be combined.
 */
static void
combine_with(Comparison *comparison, const KnownContent *own, const KnownContent *earlier)
{
	int			level = refusal_level(comparison->release);
	int			missing = 0;
	int64		below = 0;
	bool		linked = are_linked(comparison, own, earlier, &below);

	if (linked && is_first(comparison, "rows are linked"))
		tell_links(comparison->release, earlier, below, comparison->linked);
	if (content_is_placed(earlier))
	{
		comparison->together = composition_add(comparison->composition, earlier);
		return;
	}
	/* the data set cannot tell whom the content shows by which label */
	while (missing < earlier->release.ngeneralized && earlier->attr_of[missing] >= 0)
		missing++;
	if (missing < earlier->release.ngeneralized && !linked &&
		is_first(comparison, psprintf("%s of %s", earlier->release.generalized[missing],
									  earlier->release.dataset)))
	{
		if (earlier->is_others == 1)
			tell_others(comparison->release);
		else
			ereport(level,
					(errcode(composition_errcode(level)),
					 errmsg("release %s cannot be combined with a content of %s",
							comparison->release->sql_name, earlier->release.name),
					 errdetail("That shows column \"%s\" by labels that the data set does not have: together, the two may single out fewer people than either promises.",
							   earlier->release.generalized[missing]),
					 errhint("Declare the column with the same hierarchy, in a data set whose relation has it, or set anonopt.composition to off if nobody has both.")));
	}
}

/*
 * Holds back what a release is about to show, if that singles out people beside
 * all earlier contents.  What cannot be combined could not be before.
 */
static void
hold_back_together(Comparison *comparison, const KnownContent *own, KnownContent *contents, int n)
{
	HeldBack   *held = comparison->release->held;
	KnownContent *before = palloc(sizeof(KnownContent));
	bool		reveals = false;
	int64		below;

	*before = *own;
	before->content = held->last.content;
	comparison->before = before;
	for (int i = 0; i < n && comparison->combines; i++)
	{
		MemoryContext context = composition_load(comparison->composition, &contents[i]);

		if (context == NULL)
			continue;
		reveals = reveals || are_linked(comparison, own, &contents[i], &below);
		if (content_is_placed(&contents[i]))
			(void) composition_add(comparison->composition, &contents[i]);
		MemoryContextDelete(context);
	}
	if (reveals)
		(void) hold_all_back(held);
	while (comparison->combines && content_is_placed(own) && hold_exposed_back(held))
		;
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
	relations = read_catalog("SELECT r.relation, bool_or(r.is_read) FROM"
							 " anonopt.relations_of_people($1, $2) r WHERE r.relation <> 0"
							 " GROUP BY 1 ORDER BY 1", add_oid(add_oid(NULL, source), GetUserId()),
							 lengthof(types), types);
	PopActiveSnapshot();
	for (int i = 0; i < relations->n; i++)
	{
		bool		isnull;

		LockDatabaseObject(own_relation("published"), row_oid(relations, i, 0), 0,
						   DatumGetBool(row_value(relations, i, 1, &isnull)) ? ExclusiveLock : ShareLock);
	}
}

/*
 * A difference as it is recorded, where the caller finds it: of another role's
 * release, only whether it is too small.
 */
static int64
difference_told(const Comparison *comparison, int64 difference, int64 least)
{
	return !comparison->any_others || difference <= 0 ? difference : difference < least ? 1 : least;
}

void
composition_check(Release *release)
{
	const Dataset *dataset = release->dataset;
	KnownContent *own = palloc(sizeof(KnownContent));	/* kept while rows are
														 * held back */
	KnownContent *contents;
	Population *population = NULL;
	Comparison	comparison = {.release = release};
	int			last;
	int			n;

	release->difference = -1;

	lock_people(dataset->relation);
	see_own_changes();
	linked_people_check(release);
	if (is_private(release))
		private_check_limit(release);
	if (is_private(release) || (refusal_level(release) == 0 && !release->refills))
	{
		PopActiveSnapshot();
		return;
	}
	/* this statement may have published already */
	contents = known_contents(dataset->relation, dataset->person, release->id, &n);
	PopActiveSnapshot();
	n = contents_without_samples(release, contents, n);
	known_of_release(release, own);
	release->unchanged = release->refills && shows_the_same(release, composition_begin(dataset, NULL, true),
															own, contents, n);
	if (refusal_level(release) == 0 || release->unchanged)
		return;
	release->difference = 0;
	for (int i = 0; i < n; i++)
		comparison.any_others = comparison.any_others || contents[i].is_others == 1;
	for (int i = 0; i < n && population == NULL; i++)
		if (contents[i].is_known && (own->release.by.kind == BY_RECODING ||
									 !contents_are_alike(own, &contents[i])))
			population = population_read(dataset);
	comparison.composition = composition_begin(dataset, population, true);
	comparison.combines = population != NULL;
	content_place(own, dataset, population);
	last = last_content(release->id, contents, n);
	if (release->holds_back && last >= 0)
	{
		hold_back(release, comparison.composition, own, contents, n, last);
		if (release->held->unseen != NULL)
			tell_unseen(release, release->held->unseen_in, release->held->unseen);
		hold_back_together(&comparison, own, contents, n);
		release->difference = difference_told(&comparison, release->difference, least_difference(release));
		return;
	}
	for (int i = 0; i < n; i++)
	{
		MemoryContext context = composition_load(comparison.composition, &contents[i]);

		if (context == NULL)
			continue;
		compare_with(&comparison, own, &contents[i]);
		if (comparison.combines)
			combine_with(&comparison, own, &contents[i]);
		MemoryContextDelete(context);
	}
	if (population != NULL && content_is_placed(own))
		comparison.together = composition_add(comparison.composition, own);
	release->together = difference_told(&comparison, comparison.together, own->k);
	if (comparison.together > 0 && comparison.together < own->k &&
		(release->difference == 0 || comparison.together < release->difference))
		tell(&comparison, comparison.together, NULL);
	else if (release->difference > 0 && release->difference < least_difference(release))
		tell(&comparison, release->difference, comparison.nearest);
	release->difference = difference_told(&comparison, release->difference, least_difference(release));
	comparison.linked = difference_told(&comparison, comparison.linked, own->k);
	release->difference = least_people(release->difference, comparison.linked);
}
