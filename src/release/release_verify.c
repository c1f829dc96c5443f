/*
 * release_verify.c
 *	  Measures a release again.
 *
 * It is read as a data set whose labels have no hierarchies.  The distance of a class's values from everybody's is computed from those
 * counts and from the stored frequencies of everybody's values.
 */
#include "release/release_verify.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/sql.h"
#include "catalog/own_objects.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "catalog/trusted_code.h"
#include "catalog/typed_rows.h"
#include "engine/histogram_parts.h"
#include "miscadmin.h"
#include "read/hierarchy_read.h"
#include "read/population_read.h"
#include "release/entry_row.h"
#include "release/release_parts.h"
#include "release/content.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* The columns that define classes. */
static char *
class_columns(const ReleaseEntry *entry)
{
	StringInfoData sql;

	initStringInfo(&sql);
	for (int i = 0; i < entry->ngeneralized; i++)
		appendStringInfo(&sql, "%sr.%s COLLATE pg_catalog.\"C\"", i > 0 ? ", " : "", quote_identifier(entry->generalized[i]));
	if (entry->star)
		appendStringInfoString(&sql, ", r.anonopt_suppressed");
	return sql.data;
}

/* A sensitive value; texts are compared by their bytes. */
static char *
value_column(Oid relation, const char *column)
{
	AttrNumber	number = get_attnum(relation, column);
	Oid			type;
	int32		typmod;
	Oid			collation;

	if (number <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("column \"%s\" of release %s is gone", column, relation_sql_name(relation)),
				 errhint("Drop the release and publish it again.")));
	get_atttypetypmodcoll(relation, number, &type, &typmod, &collation);
	return psprintf("r.%s%s", quote_identifier(column), OidIsValid(collation) ? " COLLATE pg_catalog.\"C\"" : "");
}

/* Reads the release as a data set of flat labels, whose tuples are its classes. */
static Population *
read_classes(const ReleaseEntry *entry)
{
	Dataset    *dataset = palloc0(sizeof(Dataset));

	dataset->relation = entry->relation;
	dataset->attributes = palloc0(sizeof(Declared) * (entry->ngeneralized + entry->nsensitive + 1));
	for (int i = 0; i < entry->ngeneralized; i++)
		(void) dataset_declare(dataset, ROLE_QUASI_IDENTIFIER, entry->generalized[i]);
	if (entry->star)
		(void) dataset_declare(dataset, ROLE_QUASI_IDENTIFIER, "anonopt_suppressed");
	for (int i = 0; i < entry->nsensitive; i++)
	{
		(void) value_column(entry->relation, entry->sensitive[i]);
		(void) dataset_declare(dataset, ROLE_SENSITIVE, entry->sensitive[i]);
	}
	return population_read(dataset);
}

/* Measures the smallest class, the fewest values in one, and the number of rows. */
static void
count_classes(const Population *population, Verification *result)
{
	const TupleTable *classes = population->tuples;

	result->rows = population->people;
	result->k_is_null = population->people == 0;
	result->l_is_null = population->people == 0 || population->nsensitive == 0;
	result->k = result->l = PG_INT64_MAX;
	for (uint32 i = 0; i < classes->ntuples; i++)
		result->k = Min(result->k, classes->counts[i]);
	for (int column = 0; column < population->nsensitive; column++)
		for (uint32 i = 0; i < classes->ntuples; i++)
			result->l = Min(result->l, population->columns[column]->slices[classes->slices[column][i]].length);
}

/*
 * The fewest people in a class when the release was made, if fewer than its
 * rows; the release does not show whose rows are whose.
 */
static bool
people_when_made(const ReleaseEntry *entry, int64 *people)
{
	Oid			types[1] = {TEXTOID};
	Datum		values[1] = {CStringGetTextDatum(entry->measures)};
	bool		isnull;

	sql_connect();
	sql_read("SELECT CASE WHEN jsonb_typeof(m -> 'rows') = 'number' AND jsonb_typeof(m -> 'k') = 'number'"
			 " THEN least(greatest((m ->> 'k')::numeric, 0), CASE jsonb_typeof(m -> 'starred') WHEN 'number' THEN (m ->> 'starred')::numeric END, 9e18)::int8 END"
			 " FROM (SELECT $1::jsonb AS m) x", 1, types, values);
	*people = DatumGetInt64(sql_value(1, INT8OID, &isnull));
	sql_finish();
	return !isnull;
}

/*
 * Rows were counted: a class has at most that many people, and at most as many
 * as there were.
 */
static void
count_people(const ReleaseEntry *entry, Verification *result)
{
	int64		people;

	if (result->k_is_null || !people_when_made(entry, &people))
		return;
	ereport(NOTICE,
			(errmsg("people of release %s were counted when it was made", relation_sql_name(entry->relation)),
			 errdetail("Its smallest class has " INT64_FORMAT " rows; it is not shown whose they are.", result->k)));
	result->k = Min(result->k, people);
}

/* ------------------------------------------------------------------------- t */

/* Maps values to their numbers at the time the release was made. */
typedef struct ValueFinder
{
	Encoder		encoder;
	Hierarchy  *tree;
	uint32	   *number_of;		/* by code of the encoder; PG_UINT32_MAX for
								 * none */
	uint32		ncodes;
	uint32		null_number;
	uint32	   *leaf_of;		/* by number, for the hierarchical distance */
} ValueFinder;

/* Values that were distinguished themselves, read back from their texts. */
static void
find_by_values(ValueFinder *finder, const Distribution *distribution, Oid type)
{
	Oid			input;
	Oid			parameter;
	bool		is_text = type == VARCHAROID || type == TEXTOID;

	getTypeInputInfo(is_text ? TEXTOID : type, &input, &parameter);
	encoder_open(&finder->encoder, CurrentMemoryContext, distribution->column, is_text ? TEXTOID : type);
	finder->ncodes = distribution->nvalues + 1;
	finder->number_of = palloc(sizeof(uint32) * ((Size) finder->ncodes + 1));
	memset(finder->number_of, 0xff, sizeof(uint32) * ((Size) finder->ncodes + 1));
	finder->null_number = PG_UINT32_MAX;
	for (int i = 0; i < distribution->nvalues; i++)
	{
		uint32		code;

		if (distribution->values[i] == NULL)
		{
			finder->null_number = i;
			continue;
		}
		code = encode(&finder->encoder, OidInputFunctionCall(input, distribution->values[i], parameter, -1), false);
		if (code < finder->ncodes)
			finder->number_of[code] = i;
	}
	finder->number_of[0] = finder->null_number;
}

/* Values that were distinguished by their leaves. */
static void
find_by_leaves(ValueFinder *finder, const Distribution *distribution, LoadedHierarchy *loaded)
{
	const Hierarchy *hierarchy = loaded->hierarchy;
	TextIndex	index = index_texts((const char *const *) distribution->leaves, distribution->nvalues);

	hierarchy_encoder(loaded, distribution->column, CurrentMemoryContext, &finder->encoder);
	finder->ncodes = hierarchy->nleaves + 1;
	finder->number_of = palloc(sizeof(uint32) * ((Size) finder->ncodes + 1));
	for (uint32 leaf = 0; leaf < finder->ncodes; leaf++)
		finder->number_of[leaf] = find_text(&index, leaf < hierarchy->nleaves ? hierarchy->labels[0][leaf] : NULL);
	finder->null_number = finder->number_of[finder->encoder.null_code];
}

static void
place_leaves(ValueFinder *finder, const Distribution *distribution)
{
	TextIndex	index = index_texts(finder->tree->labels[0], finder->tree->nleaves);

	finder->leaf_of = palloc0(sizeof(uint32) * (distribution->nvalues + 1));
	for (int i = 0; i < distribution->nvalues; i++)
	{
		uint32		leaf = find_text(&index, distribution->leaves[i]);

		finder->leaf_of[i] = leaf == PG_UINT32_MAX ? 0 : leaf;
	}
}

static bool
has_null(const Distribution *distribution)
{
	for (int i = 0; i < distribution->nvalues; i++)
		if (distribution->leaves[i] == NULL)
			return true;
	return false;
}

static void
finder_begin(ValueFinder *finder, const Distribution *distribution, Oid type)
{
	MemoryContext context = CurrentMemoryContext;
	LoadedHierarchy *loaded;

	memset(finder, 0, sizeof(ValueFinder));
	if (distribution->leaves == NULL)
	{
		find_by_values(finder, distribution, type);
		return;
	}
	sql_connect();
	MemoryContextSwitchTo(context);
	loaded = hierarchy_load(distribution->hierarchy, type, distribution->column);
	sql_finish();
	if (loaded->hierarchy->null_leaf == NO_LEAF && has_null(distribution))
		hierarchy_add_null(loaded->hierarchy);
	finder->tree = loaded->hierarchy;
	if (type_is_range(hierarchy_leaf_type(distribution->hierarchy)) && !type_is_range(type))
		find_by_values(finder, distribution, type);
	else
		find_by_leaves(finder, distribution, loaded);
	place_leaves(finder, distribution);
}

/* Counts values class by class, as they come. */
typedef struct ValueCounter
{
	ValueFinder *finder;
	Histograms *histograms;
	int64		class;
	bool		unknown;		/* a new value occurs */
	int64	   *shown;			/* by value */
} ValueCounter;

static void
take_value(void *arg, const Datum *values, const bool *nulls)
{
	ValueCounter *counter = arg;
	ValueFinder *finder = counter->finder;
	int64		class = DatumGetInt64(values[0]);
	int64		people = DatumGetInt64(values[2]);
	uint32		number = finder->null_number;

	if (class != counter->class && counter->class != 0)
		(void) histograms_close(counter->histograms);
	counter->class = class;
	if (!nulls[1])
	{
		uint32		code = encode(&finder->encoder, values[1], false);

		number = code < finder->ncodes ? finder->number_of[code] : PG_UINT32_MAX;
	}
	if (number == PG_UINT32_MAX)
	{
		counter->unknown = true;
		return;
	}
	histograms_count(counter->histograms, number, people);
	counter->shown[number] += people;
}

/* The measure of a promise over the classes of a release. */
static double
measured_of(const Histograms *histograms, Size nclasses, const DeclaredPromise *promise)
{
	const Model *model = models[promise->model];
	Condition	condition = promise_condition(promise);
	double		worst = model->least_counts ? HUGE_VAL : 0;

	for (Size i = 0; i < nclasses; i++)
	{
		const Slice *slice = &histograms->slices[i];
		const ValueCount *entries = histograms->entries + slice->start;
		int64		size = 0;
		ClassValues values;
		double		figure;

		for (uint32 entry = 0; entry < slice->length; entry++)
			size += entries[entry].count;
		values = class_values(histograms, slice, entries, size);
		figure = model->measure(&values, &condition);
		worst = model->least_counts ? Min(worst, figure) : Max(worst, figure);
	}
	return worst;
}

/* Checks the promises about a column. */
static void
judge_column(const ReleaseEntry *entry, const Histograms *histograms, Size nclasses, bool unknown, PromiseVerdict *verdicts)
{
	for (int i = 0; i < entry->npromises; i++)
	{
		const DeclaredPromise *promise = &entry->promises[i];
		PromiseVerdict *verdict = &verdicts[i];

		if (promise->column == NULL || strcmp(promise->column, histograms->name) != 0)
			continue;
		verdict->ok = !unknown;
		if (unknown || nclasses == 0)
			continue;
		verdict->measured = measured_of(histograms, nclasses, promise);
		verdict->is_null = false;
		for (Size class = 0; class < nclasses; class++)
			verdict->ok = verdict->ok && (histograms->slices[class].breaks & MODEL_BIT(promise->model)) == 0;
	}
}

/* Adds the conditions that a release promised of a column. */
static void
add_conditions(const ReleaseEntry *entry, Histograms *histograms)
{
	for (int i = 0; i < entry->npromises; i++)
	{
		Condition	condition = promise_condition(&entry->promises[i]);

		if (entry->promises[i].column != NULL && strcmp(entry->promises[i].column, histograms->name) == 0)
			histograms_add_condition(histograms, &condition);
	}
}

/*
 * The largest distance of a class's values from everybody's; 1 if a new value
 * occurs.
 */
static double
judge_values(const ReleaseEntry *entry, const Distribution *distribution, PromiseVerdict *verdicts)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "anonopt verify", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Oid			type = column_type(entry->relation, distribution->column);
	ValueFinder finder;
	ValueCounter counter = {.finder = &finder};
	Oid			types[3] = {INT8OID, InvalidOid, INT8OID};
	const char *value = value_column(entry->relation, distribution->column);
	TypeMatch	match = {.data_form = "%v"};
	Histograms *histograms;
	double		distance = 0;
	bool		rest = false;
	Size		nclasses;

	finder_begin(&finder, distribution, type);
	if (finder.encoder.hierarchy != NULL)
		(void) match_types(type, hierarchy_leaf_type(distribution->hierarchy), &match);
	histograms = histograms_create(context, distribution->column, COLUMN_SENSITIVE, distribution->nvalues);
	histograms_set_distance(histograms, distance_by_name(distribution->distance), finder.tree, finder.leaf_of);
	add_conditions(entry, histograms);
	counter.histograms = histograms;
	counter.shown = palloc0(sizeof(int64) * (distribution->nvalues + 1));
	types[1] = finder.encoder.type.type;
	rows_read(psprintf("SELECT g.class, %s, count(*) FROM"
					   " (SELECT dense_rank() OVER (ORDER BY %s) AS class, %s AS value FROM %s r) g"
					   " GROUP BY g.class, g.value ORDER BY g.class", sql_as(match.data_form, "g.value"), class_columns(entry), value,
					   relation_sql_name(entry->relation)), list_make1_oid(entry->relation), NULL, NULL, 3, types, take_value, &counter);
	if (counter.class != 0)
		(void) histograms_close(histograms);
	nclasses = histograms->nslices;
	/* people not shown */
	for (int i = 0; i < distribution->nvalues; i++)
	{
		int64		others = distribution->people[i] - counter.shown[i];

		counter.unknown = counter.unknown || others < 0;
		if (others > 0)
		{
			histograms_count(histograms, i, others);
			rest = true;
		}
	}
	if (rest)
		(void) histograms_close(histograms);
	if (!counter.unknown && nclasses > 0)
	{
		histograms_finish(histograms);
		for (Size i = 0; i < nclasses; i++)
			distance = Max(distance, histograms->slices[i].distance);
	}
	else if (counter.unknown)
		distance = 1;
	judge_column(entry, histograms, nclasses, counter.unknown, verdicts);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return distance;
}

/* Checks the promises about all classes together. */
static void
judge_release(const ReleaseEntry *entry, const Population *classes, bool by_rows, PromiseVerdict *verdicts)
{
	for (int i = 0; i < entry->npromises; i++)
	{
		const DeclaredPromise *promise = &entry->promises[i];

		if (!model_limits_all_classes(promise->model))
			continue;

		/*
		 * people cannot be counted, because the release does not show whose
		 * rows are whose
		 */
		if (!by_rows)
		{
			verdicts[i].ok = verdicts[i].untold = true;
			continue;
		}
		verdicts[i].measured = figure_of_all(classes, models[promise->model], promise->c, classes->tuples, classes->tuples->ntuples, NULL);
		verdicts[i].is_null = classes->people == 0;
		verdicts[i].ok = verdicts[i].is_null || verdicts[i].measured <= promise->threshold;
	}
}

/*
 * The release's hierarchies that have changed; only those of the release's
 * owner are read.
 */
static char *
changed_hierarchies(const ReleaseEntry *entry, Oid owner)
{
	StringInfoData changed;

	initStringInfo(&changed);
	for (int i = 0; i < entry->nhierarchies; i++)
		if (!is_plain_table_of(entry->hierarchies[i], owner) ||
			!hierarchy_keeps(entry->hierarchies[i], DatumGetByteaPP(entry->digests[i])))
			appendStringInfo(&changed, "%s%s", changed.len > 0 ? ", " : "", entry->hierarchy_names[i]);
	return changed.data;
}

/* Whether a column is shown unchanged, so that its values can be counted. */
static bool
is_told(const ReleaseEntry *entry, const char *column)
{
	for (int i = 0; i < entry->nsensitive; i++)
		if (strcmp(entry->sensitive[i], column) == 0)
			return true;
	return false;
}

/*
 * The sensitive columns that are shown generalized, so that their values
 * cannot be counted; NULL without any.
 */
static char *
generalized_sensitive(const ReleaseEntry *entry)
{
	Oid			types[2] = {TEXTOID, NAMEARRAYOID};
	Datum		values[2] = {CStringGetTextDatum(entry->dataset), names_datum(entry->generalized, entry->ngeneralized)};
	const Oid	results[] = {TEXTOID};
	QueryRows  *columns;

	columns = read_catalog("SELECT string_agg(quote_ident(a.column_name), ', ' ORDER BY a.ordinal) FROM anonopt.attribute a"
						   " WHERE a.dataset = $1 AND a.role = 'sensitive' AND a.column_name = ANY ($2)",
						   2, types, values, 1, results);
	return catalog_text(columns, 0, 0);
}

/*
 * Verdicts before measuring: promises are kept if there are no rows, not kept
 * if a hierarchy has changed, and unknown if a column is not shown unchanged.
 */
static void
begin_verdicts(const ReleaseEntry *entry, const Verification *result, bool changed, PromiseVerdict *verdicts)
{
	for (int i = 0; i < entry->npromises; i++)
	{
		const char *column = entry->promises[i].column;

		verdicts[i].is_null = true;
		verdicts[i].untold = column != NULL && !is_told(entry, column) && result->rows > 0;
		verdicts[i].ok = !changed && (result->rows == 0 || verdicts[i].untold);
	}
}

/*
 * Whether the promises about all sensitive columns hold, as far as they are
 * measured.
 */
static bool
keeps_arguments(const ReleaseEntry *entry, const Verification *result)
{
	if (!result->k_is_null && result->k < entry->k)
		return false;
	if (entry->has_l && !result->l_is_null && result->l < entry->l)
		return false;
	if (entry->has_t && !result->t_is_null && result->t > entry->t)
		return false;
	return true;
}

/*
 * Measures as the owner, because planning a statement may run functions of an
 * index.
 */
static void
measure_release(const ReleaseEntry *entry, Oid owner, Verification *result, PromiseVerdict *verdicts, char **changed)
{
	Population *classes;
	bool		by_rows;
	int64		people;
	Oid			user;
	int			context;

	GetUserIdAndSecContext(&user, &context);
	if (owner != user)
		SetUserIdAndSecContext(owner, context | SECURITY_LOCAL_USERID_CHANGE | SECURITY_RESTRICTED_OPERATION);
	require_trusted_relation(entry->relation);
	*changed = changed_hierarchies(entry, owner);
	classes = read_classes(entry);
	count_classes(classes, result);
	count_people(entry, result);
	by_rows = !people_when_made(entry, &people);
	begin_verdicts(entry, result, **changed != '\0', verdicts);
	if (**changed == '\0' && result->rows > 0)
	{
		int			level = use_zone_of_release(entry);

		for (int i = 0; i < entry->ndistributions; i++)
			result->t = Max(result->t, judge_values(entry, &entry->distributions[i], verdicts));
		AtEOXact_GUC(false, level);
		verify_outside(entry, by_rows, verdicts);
	}
	result->t_is_null = !entry->has_t || entry->ndistributions == 0 || **changed != '\0' || result->rows == 0;
	judge_release(entry, classes, by_rows, verdicts);
	SetUserIdAndSecContext(user, context);
}

void
release_verify(Oid relation, Verification *result)
{
	ReleaseEntry *entry = release_entry_require(relation);
	Oid			owner = relation_owner(relation);
	PromiseVerdict *verdicts = palloc0(sizeof(PromiseVerdict) * (entry->npromises + 1));
	char	   *changed;
	char	   *added;
	char	   *untold;

	if (owner != GetUserId() && (entry->form == RELEASE_LIVE_VIEW || !superuser()))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of release %s", relation_sql_name(relation)),
				 errhint("If you are a member of it, SET ROLE %s first.", quote_identifier(GetUserNameFromId(owner, false)))));
	memset(result, 0, sizeof(Verification));
	result->promised_k = entry->k;
	result->is_filled = entry->is_filled;
	result->filled_at = entry->filled_at;
	result->has_l = entry->has_l;
	result->promised_l = entry->l;
	result->has_t = entry->has_t;
	result->promised_t = entry->t;

	/*
	 * row security could show the owner other rows than readers, so make it
	 * an error; reset with the other settings
	 */
	(void) set_config_option("row_security", "off", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	if (entry->form == RELEASE_LIVE_VIEW && entry->ndistributions > 0)
		distributions_now(entry);
	measure_release(entry, owner, result, verdicts, &changed);
	added = release_entry_added_columns(entry);
	untold = result->rows > 0 && (entry->has_l || entry->has_t || entry->npromises > 0) ? generalized_sensitive(entry) : NULL;
	result->ok = *changed == '\0' && added == NULL && keeps_arguments(entry, result);
	result->untold = result->rows > 0 && ((entry->has_l && (untold != NULL || result->l_is_null)) ||
										  (entry->has_t && (untold != NULL || result->t_is_null)));
	for (int i = 0; i < entry->npromises; i++)
	{
		result->ok = result->ok && verdicts[i].ok;
		result->untold = result->untold || verdicts[i].untold;
	}
	if (entry->npromises > 0)
		result->others = verdicts_json(entry->npromises, entry->promises, verdicts);
	if (*changed != '\0')
		ereport(NOTICE,
				(errmsg("hierarchies of release %s have changed: %s", relation_sql_name(relation), changed)));
	if (added != NULL)
		ereport(NOTICE,
				(errmsg("release %s has columns that were not published: %s", relation_sql_name(relation), added)));
	if (untold != NULL && result->untold)
		ereport(NOTICE,
				(errmsg("what release %s promises of some columns cannot be measured: %s", relation_sql_name(relation), untold),
				 errdetail("They are shown generalized, so that their values are no part of the release.")));
}
