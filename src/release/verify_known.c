/*
 * verify_known.c
 *	  Measures a release's promises against people who know only some of the
 *	  columns, or several rows of a person, again.
 *
 * Labels of the release are values like any others.  Stars are found by
 * nobody else's labels: they are measured by themselves, as the classes are
 * without them.  Then the column that says which rows are stars is the same for
 * all that are measured, and a set with it is one of fewer columns, whose
 * classes are larger.
 *
 * Where people have several rows, a release tells whose rows are whose only if
 * it shows the column of persons, as a pseudonym.  Without it, nobody can count
 * people; but rows that are too few are too few people.
 */
#include "release/release_verify.h"

#include <math.h>

#include "catalog/sql.h"
#include "engine/known_columns.h"
#include "engine/known_rows.h"
#include "read/population_read.h"
#include "utils/lsyscache.h"

/* The column of persons that it was made by, if the release shows it; or NULL. */
static char *
shown_person(const ReleaseEntry *entry)
{
	for (int i = 0; i < entry->nclass_columns && entry->person != NULL; i++)
		if (strcmp(entry->class_columns[i], entry->person) == 0)
			return NULL;
	return entry->person != NULL && get_attnum(entry->relation, entry->person) > 0 ? entry->person : NULL;
}

/* The release, read with its persons. */
static Population *
read_persons(const ReleaseEntry *entry, char *person, const DeclaredPromise *promise)
{
	Dataset    *dataset = dataset_of_release(entry);

	dataset->person = person;
	dataset->keeps_rows = true;
	dataset->promises = memcpy(palloc(sizeof(DeclaredPromise)), promise, sizeof(DeclaredPromise));
	dataset->npromises = promise->rows_known > 0 ? 1 : 0;
	return population_read(dataset);
}

/* The least figure of any so many columns, of classes that are stars or not; infinite if there are none. */
static double
least_figure(const ReleaseEntry *entry, const Population *population, const ColumnsKnown *known)
{
	const TupleTable *classes = population->tuples;
	bool	   *hidden = MemoryContextAllocExtended(CurrentMemoryContext, (Size) classes->ntuples + 1,
													MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	const KeyField *stars = entry->star ? &population->attrs[population->nattrs - 1].field : NULL;
	uint64		shown = stars == NULL || classes->ntuples == 0 ? 0 : key_get(classes->keys, stars);
	double		least = HUGE_VAL;

	if (stars == NULL)
		return known_columns_worst(population, classes, NULL, known, NULL);
	for (int pass = 0; pass < 2; pass++)
	{
		for (uint32 class = 0; class < classes->ntuples; class++)
			hidden[class] = (key_get(classes->keys + (Size) class * population->nwords,
									 stars) == shown) == (pass == 0);
		least = Min(least, known_columns_worst(population, classes, hidden, known, NULL));
	}
	pfree(hidden);
	return least;
}

int64
verify_people(const ReleaseEntry *entry)
{
	const DeclaredPromise of_classes = {.model = MODEL_K};
	ColumnsKnown known = {.columns = MAX_ATTRIBUTES,.model = MODEL_K,.column = -1};
	char	   *person = entry->is_private ? NULL : shown_person(entry);
	double		least;

	if (person == NULL)
		return -1;
	least = least_figure(entry, read_persons(entry, person, &of_classes), &known);
	return isinf(least) ? 0 : (int64) least;
}

/* Judges a promise against people who know some of the columns. */
static void
judge_columns(const ReleaseEntry *entry, const Population *population, const DeclaredPromise *promise,
			  PromiseVerdict *verdict)
{
	ColumnsKnown known = {promise->columns_known, promise->model, -1, promise->threshold};
	double		least;

	for (int j = 0; j < population->nsensitive && promise->column != NULL; j++)
		if (strcmp(promise->column, population->columns[j]->name) == 0)
			known.column = j;
	least = least_figure(entry, population, &known);
	verdict->is_null = isinf(least);
	verdict->measured = least;
	verdict->ok = least >= promise->threshold;
}

/* Judges one against people who know several rows, who tell people apart. */
static void
judge_rows(const Population *population, const DeclaredPromise *promise, PromiseVerdict *verdict)
{
	verdict->is_null = false;
	/* without several rows of anybody, classes are of people */
	verdict->measured = population->rows != NULL ? (double) known_rows_risk(population).least :
		(double) known_columns_least(population, population->tuples, NULL, population->nattrs);
	verdict->ok = verdict->measured >= promise->threshold;
}

void
verify_known(const ReleaseEntry *entry, const Population *classes, bool by_rows, bool tells,
			 PromiseVerdict *verdicts)
{
	char	   *person = by_rows ? NULL : shown_person(entry);
	int			unmeasured = 0;

	for (int i = 0; i < entry->npromises; i++)
	{
		const DeclaredPromise *promise = &entry->promises[i];
		PromiseVerdict *verdict = &verdicts[i];
		bool		of_people = promise->column == NULL;

		if (!promise_is_of_known(promise) || verdict->unmeasured)
			continue;
		if (of_people && person != NULL)
		{
			const Population *persons = read_persons(entry, person, promise);

			if (promise->rows_known > 0)
				judge_rows(persons, promise, verdict);
			else
				judge_columns(entry, persons, promise, verdict);
			continue;
		}
		if (promise->rows_known > 0)
			judge_rows(classes, promise, verdict);
		else
			judge_columns(entry, classes, promise, verdict);
		/* there are no more people than rows */
		verdict->unmeasured = of_people && !by_rows && verdict->ok;
		verdict->is_null = verdict->is_null || verdict->unmeasured;
		unmeasured += verdict->unmeasured;
	}
	if (unmeasured > 0 && tells)
		ereport(NOTICE,
				(errmsg("what release %s promises against people who know some columns, or several rows, cannot be measured",
						relation_sql_name(entry->relation)),
				 errdetail("It does not show whose rows are whose.")));
}
