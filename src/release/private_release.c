/*
 * private_release.c
 *	  Differentially private releases: what they refuse, whom they leave out, and
 *	  what they spend.
 *
 * promise/differential_privacy.h says what is proved: each row is drawn by itself,
 * and shown as a function of itself alone that does not depend on the data, if k
 * of those drawn are shown so.  From this follows the rest.
 *
 * What a row shows is all of it: its labels, and the values of all other columns
 * that are shown.  So not classes are counted but cells, which are classes with
 * these values.  Values that are equal to us must look equal, too.
 *
 * If rows belong to people, people are drawn, and what a person shows is all their
 * rows: they are shown if k people have the same rows, each as often, and are left
 * out with all of them otherwise.  A class with k people would not do: somebody
 * with rows in many classes changes them all.  Digests of cells, times their rows,
 * are added up by person, in two words with seeds that nobody knows, so that no
 * two people have the same sums but by a chance of about 2^-100.
 *
 * A row without a leaf is left out, since an error would tell of it.  For the same
 * reason nothing is refused because of what was drawn: an empty release is one.
 * A person changes what is left out beside the cells that are shown, so nobody
 * is told anything else of the data: no measures but those of the rows shown, no
 * numbers of those left out.  Promises that look at several cells would let a
 * person change cells of others, so k is the only one.
 *
 * Contents that are samples are not compared with others: their promise holds
 * beside whatever anybody has, and people who were not drawn look as if they had
 * left.  The ledger adds up what they spend: by basic composition, contents of
 * epsilon 1 and 2 together have 3.
 */
#include "release/release.h"

#include <float.h>

#include "base/budget.h"
#include "base/prng.h"
#include "build/hierarchy_build.h"
#include "catalog/own_objects.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"

static double epsilon_limit = -1;

/* A small negative number would look like a limit, and be none. */
static bool
is_limit(double *limit, void **extra, GucSource source)
{
	GUC_check_errdetail("It must be -1, for no limit, or at least 0.");
	return *limit >= 0 || *limit == -1;
}

void
privacy_define_settings(void)
{
	DefineCustomRealVariable("anonopt.epsilon_limit",
							 "Sets the most that differentially private releases of the same people"
							 " may spend together.",
							 "Publishing and refreshing refuse what would spend more; -1 means no limit.",
							 &epsilon_limit, -1, -1, DBL_MAX, PGC_SUSET, 0, is_limit, NULL, NULL);
}

/* ------------------------------------------------------------------ refused */

pg_noreturn static void
refuse_private(const char *message, const char *detail, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s", message),
			 errdetail("%s", detail),
			 errhint("%s", hint)));
}

static void
require_private_column(const Release *release, const ShownColumn *column)
{
	if (column->pseudonym)
		refuse_private(psprintf("column \"%s\" cannot be shown as pseudonyms by a differentially"
								" private release", column->name),
					   "A pseudonym is shown for a single person, however many others look alike.",
					   "Leave the column out with anonopt.drop_attribute.");
	if (column->attr < 0 && !column->labelled &&
		!equal_values_look_equal(release->dataset->relation, column->name))
		refuse_private(psprintf("column \"%s\" cannot be shown as it is by a differentially private release", column->name),
					   "Values of its type can be equal and still look different, such as 1.0 and 1.00.",
					   "Show it generalized: declare it as a quasi-identifier, or with"
					   " anonopt.add_sensitive(..., hierarchy => ..., level => ...).");
}

/*
 * Fails if hierarchies may come from the data, unless the publisher vouches for them:
 * also one of a column that is shown as it is, whose leaves say which values are read.
 */
static void
require_private_hierarchies(const Release *release)
{
	const Dataset *dataset = release->dataset;

	for (int i = 0; i < dataset->nattributes && !release->trusted; i++)
	{
		const Declared *declared = &dataset->attributes[i];

		if (!OidIsValid(declared->hierarchy) ||
			(!declared->grows && hierarchy_is_described(declared->hierarchy)))
			continue;
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("hierarchy %s of column \"%s\" may come from the data",
						relation_sql_name(declared->hierarchy), declared->column),
				 declared->grows ? errdetail("A refresh adds leaves to it for new values.") :
				 hierarchy_is_from_data(declared->hierarchy) ? errdetail("It was made from data.") :
				 errdetail("It was not built from a description of numbers or dates alone, or its rows have been changed since."),
				 errhint("Differential privacy needs labels that were chosen without looking at the data. Build the hierarchy from bounds that are public, or, if you know that it does not depend on these data, pass trusted => true.")));
	}
}

void
require_private(const Release *release)
{
	const Dataset *dataset = release->dataset;

	if (release->form == RELEASE_LIVE_VIEW)
		refuse_private("a live view cannot be differentially private",
					   "Every reading would draw rows again, and many readings show who is there.",
					   "Publish a snapshot instead: materialized => true.");
	if (release->by.kind != BY_LEVELS)
		refuse_private(psprintf("%s cannot be differentially private",
								release->by.kind == BY_CUTS ? "cuts" : "a recoding"),
					   "They are made from the data, and tell of single people.",
					   "Give levels that you have chosen without looking at the data.");
	if (release->star || release->permuted)
		refuse_private(psprintf("a differentially private release cannot show %s",
								release->star ? "suppressed rows as stars" : "permuted values"),
					   release->star ? "Their number is not what its promise is about." :
					   "A true value is shown for a single person, however many others look alike.",
					   release->star ? "Publish with suppressed => 'omit'." :
					   "Publish with show => 'labels'.");
	for (int i = 0; i < dataset->npromises; i++)
		if (dataset->promises[i].model != MODEL_K || promise_is_of_known(&dataset->promises[i]))
			refuse_private(psprintf("promise %s cannot be kept by a differentially private release",
									promise_text(&dataset->promises[i])),
						   "Whether it hides a class depends on other people than those who look"
						   " alike, so that hiding it would tell of them.",
						   "Call anonopt.drop_promise, or leave out l and t; k can be promised.");
	for (int i = 0; i < release->ncolumns; i++)
		require_private_column(release, &release->columns[i]);
	require_private_hierarchies(release);
}

/* ------------------------------------------------------------------ left out */

/* What rows or people show, as sums of digests in two words. */
typedef struct Looks
{
	const Release *release;
	const RowSpool *spool;
	uint64		seeds[2];
	Size		n;				/* of people, or groups of rows */
	uint64	   *sums;			/* two for each */
	KeyCounter *alike;
} Looks;

static Size
who_has(const Looks *looks, uint32 group)
{
	return looks->spool->person_of == NULL ? group : looks->spool->person_of[group];
}

static void
add_cell(Looks *looks, uint32 group)
{
	const RowSpool *spool = looks->spool;
	uint64	   *sums = looks->sums + 2 * who_has(looks, group);
	uint32		class = looks->release->classes->class_of[spool->tuple_of[group]];
	int64		times = spool->person_of == NULL ? 1 : spool->people[group];

	for (int word = 0; word < 2; word++)
	{
		const uint64 *values = spool->digests + (Size) group * spool->ndigested;
		uint64		digest = hash_bytes_extended((const unsigned char *) values,
												 sizeof(uint64) * spool->ndigested, looks->seeds[word]);

		sums[word] += DatumGetUInt64(hash_uint32_extended(class, digest)) * (uint64) times;
	}
}

/* How many look like one. */
static int64
number_alike(const Looks *looks, Size who)
{
	memcpy(key_counter_candidate(looks->alike), looks->sums + 2 * who, 2 * sizeof(uint64));
	return looks->alike->counts[key_counter_find(looks->alike)];
}

/*
 * The people who are shown, and the fewest who look alike; those who were not
 * drawn, or whose rows all lack a leaf, show nothing.
 */
static void
measure_alike(Release *release, const Looks *looks)
{
	const KeyCounter *alike = looks->alike;

	memset(&release->measures, 0, sizeof(Measures));
	for (uint32 i = 0; i < alike->nkeys; i++)
		if (alike->counts[i] >= release->promise.k &&
			(alike->keys[2 * (Size) i] | alike->keys[2 * (Size) i + 1]) != 0)
		{
			release->shown_people += alike->counts[i];
			release->measures.k = release->measures.k == 0 ? alike->counts[i] :
				Min(release->measures.k, alike->counts[i]);
		}
}

void
private_leave_out(Release *release)
{
	const RowSpool *spool = &release->spool;
	uint32		nowhere = release->population->tuples->ntuples;
	bool	   *is_shown = budget_alloc_zero(sizeof(bool), (Size) release->classes->n + 1);
	Looks		looks = {.release = release,.spool = spool,.n = spool->person_of == NULL ? spool->ngroups :
	spool->ndrawn};

	strong_random(looks.seeds, sizeof(looks.seeds));
	looks.sums = budget_alloc_zero(2 * sizeof(uint64), looks.n + 1);
	looks.alike = key_counter_create(CurrentMemoryContext, 2, 1024);
	for (uint32 group = 0; group < spool->ngroups; group++)
		add_cell(&looks, group);
	for (Size i = 0; i < looks.n; i++)
	{
		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		memcpy(key_counter_candidate(looks.alike), looks.sums + 2 * i, 2 * sizeof(uint64));
		(void) key_counter_add(looks.alike, spool->person_of == NULL ? spool->people[i] : 1);
	}
	measure_alike(release, &looks);
	for (uint32 group = 0; group < spool->ngroups; group++)
	{
		uint32		class = release->classes->class_of[spool->tuple_of[group]];

		if (number_alike(&looks, who_has(&looks, group)) < release->promise.k)
		{
			/* behind the last tuple, in no class */
			spool->tuple_of[group] = nowhere;
			continue;
		}
		release->measures.classes += !is_shown[class];
		is_shown[class] = true;
		release->shown_rows += spool->people[group];
	}
	release->classes->class_of[nowhere] = NO_CLASS;
}

/* ------------------------------------------------------------------ the ledger */

void
private_check_limit(const Release *release)
{
	const Oid	types[] = {TEXTOID, BOOLOID};
	ParamListInfo params = add_oid(add_oid(NULL, release->dataset->relation), GetUserId());
	QueryRows  *rows;
	bool		isnull;

	params = add_value(add_text(params, release->id), FLOAT8OID, Float8GetDatum(release->privacy.epsilon),
					   false);
	rows = read_catalog("SELECT s.epsilon::text, s.epsilon + $4::numeric > $5::numeric FROM"
						" anonopt.privacy_spent($1, $2, $3::uuid) s",
						add_value(params, FLOAT8OID, Float8GetDatum(epsilon_limit), false), lengthof(types),
						types);
	if (epsilon_limit >= 0 && DatumGetBool(row_value(rows, 0, 1, &isnull)))
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("release %s would spend more than anonopt.epsilon_limit", release->sql_name),
				 errdetail("Releases of the same people have spent an epsilon of %s, this one would spend %s, and the limit is %s.",
						   row_text(rows, 0, 0), number_text(release->privacy.epsilon),
						   number_text(epsilon_limit)),
				 errhint("What is spent stays spent, whether or not a release is dropped.")));
}

int
contents_without_samples(const Release *release, KnownContent *contents, int n)
{
	int			kept = 0;

	for (int i = 0; i < n; i++)
		if (!contents[i].is_sample)
			contents[kept++] = contents[i];
	if (kept < n)
		ereport(NOTICE,
				(errmsg_plural("release %s is not compared with %d content that is a sample",
							   "release %s is not compared with %d contents that are samples",
							   n - kept, release->sql_name, n - kept),
				 errdetail("Samples are differentially private beside whatever else is published.")));
	return kept;
}
