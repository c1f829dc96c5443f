/*
 * release_verify.c
 *	  Measures a release again.
 *
 * It is read as a data set whose labels have no hierarchies.  Shares of values
 * are compared with those among everybody, which are stored with it.
 */
#include "release/release_verify.h"

#include <math.h>

#include "access/xact.h"
#include "base/budget.h"
#include "catalog/own_objects.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "catalog/trusted_code.h"
#include "miscadmin.h"
#include "read/population_read.h"
#include "release/release.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

/* Reads all classes, with the values of their sensitive columns. */
static Population *
read_classes(const ReleaseEntry *entry)
{
	Dataset    *dataset = dataset_of_release(entry);
	char	   *name;

	/* of a sample, whole rows look alike */
	for (AttrNumber i = 1; entry->is_private && (name = get_attname(entry->relation, i, true)) != NULL; i++)
		if (OidIsValid(column_type(entry->relation, name)) &&
			equal_values_look_equal(entry->relation, name) &&
			!dataset_has_role(dataset, ROLE_QUASI_IDENTIFIER, name) && dataset->nattributes < MAX_ATTRIBUTES)
			(void) dataset_declare(dataset, ROLE_QUASI_IDENTIFIER, name);
	for (int i = 0; i < entry->nsensitive && !entry->is_private; i++)
	{
		if (get_attnum(entry->relation, entry->sensitive[i]) <= 0)
			ereport(ERROR,
					(errcode(ERRCODE_CHECK_VIOLATION),
					 errmsg("column \"%s\" of release %s is gone", entry->sensitive[i],
							relation_sql_name(entry->relation)),
					 errhint("Drop the release and publish it again.")));
		(void) dataset_declare(dataset, ROLE_SENSITIVE, entry->sensitive[i]);
	}
	return population_read(dataset);
}

/*
 * Rows were counted: unless the release shows whose they are, a class has at
 * most that many people, and at most as many as there were when it was made.
 */
static int64
people_of_rows(const ReleaseEntry *entry, int64 k, bool tells)
{
	int64		people;

	if (!entry->has_people_k)
		return k;
	people = verify_people(entry);
	if (people >= 0)
		return people;
	if (tells)
		ereport(NOTICE,
				(errmsg("people of release %s were counted when it was made",
						relation_sql_name(entry->relation)),
				 errdetail("Its smallest class has " INT64_FORMAT " rows; it is not shown whose they are.",
						   k)));
	return Min(k, entry->people_k);
}

/* Judges what the classes tell without the values of others: k, and l of all columns. */
static void
judge_classes(const ReleaseEntry *entry, const Population *classes, Verification *result)
{
	Promise		nothing = {0};
	int			bottom[MAX_ATTRIBUTES + 1] = {0};
	Measures	measures;

	if (classes->people == 0)
		return;
	measure(measurer_create(classes, &nothing), node_of_levels(classes, bottom), classes->tuples, &measures);
	measures.k = people_of_rows(entry, measures.k, result->broken == NULL);
	result->has_l = classes->nsensitive > 0;
	result->l = measures.l;
	for (int i = 0; i < entry->ngeneral; i++)
	{
		const DeclaredPromise *promise = &entry->promises[i];
		PromiseVerdict *verdict = &result->verdicts[i];

		if (promise->model != MODEL_K && (promise->model != MODEL_L || !result->has_l))
			continue;
		verdict->is_null = false;
		verdict->measured = promise->model == MODEL_K ? measures.k : measures.l;
		verdict->ok = verdict->measured >= promise->threshold;
	}
}

/* --------------------------------------------- promises about values in classes */

/* The numbers that values had when the release was made, by number now; PG_UINT32_MAX for a new one. */
static uint32 *
numbers_of_values(const Distribution *distribution, Oid type, char *const *values, uint32 n)
{
	TypeMatch	match;
	Encoder		encoder;
	Oid			input;
	Oid			parameter;
	uint32		known = distribution->nvalues;
	uint32	   *number_of = MemoryContextAllocHuge(CurrentMemoryContext,
												   sizeof(uint32) * ((Size) known + n + 1));
	uint32	   *numbers = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) n + 1));

	if (match_types(type, TEXTOID, &match) && !type_is_enum(type))
		type = TEXTOID;
	getTypeInputInfo(type, &input, &parameter);
	encoder_open(&encoder, CurrentMemoryContext, distribution->column, type);
	memset(number_of, 0xff, sizeof(uint32) * ((Size) known + n + 1));
	for (uint32 i = 0; i < known + n; i++)
	{
		const char *value = i < known ? distribution->values[i] : values[i - known];
		Datum		datum = value == NULL ? (Datum) 0 :
		OidInputFunctionCall(input, unconstify(char *, value), parameter, -1);
		uint32		code = encode(&encoder, datum, value == NULL);

		if (i < known)
			number_of[code] = i;
		else
			numbers[i - known] = number_of[code];
	}
	return numbers;
}

/* The numbers that leaves had then, by number now; PG_UINT32_MAX for a new one. */
static uint32 *
numbers_of_leaves(const Distribution *distribution, char *const *leaves, uint32 n)
{
	TextIndex	index = index_texts((const char *const *) distribution->leaves, distribution->nvalues);
	uint32	   *numbers = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) n + 1));

	for (uint32 i = 0; i < n; i++)
		numbers[i] = find_text(&index, leaves[i]);
	return numbers;
}

/* The hierarchy of a distribution with leaves, and the leaf of each value. */
static const Hierarchy *
load_tree(const Distribution *distribution, Oid type, uint32 *leaf_of)
{
	LoadedHierarchy *loaded = hierarchy_load(distribution->hierarchy,
											 distribution->is_labelled ? InvalidOid : type,
											 distribution->column);
	Hierarchy  *tree;
	TextIndex	index;

	if (distribution->is_labelled)
		hierarchy_raise(loaded, (int) distribution->level, distribution->column);
	tree = loaded->hierarchy;

	for (int i = 0; i < distribution->nvalues && tree->null_leaf == NO_LEAF; i++)
		if (distribution->leaves[i] == NULL)
			hierarchy_add_null(tree);
	index = index_texts(tree->labels[0], tree->nleaves);
	for (int i = 0; i < distribution->nvalues; i++)
	{
		uint32		leaf = find_text(&index, distribution->leaves[i]);

		leaf_of[i] = leaf == PG_UINT32_MAX ? 0 : leaf;
	}
	return tree;
}

static bool
is_about_shares(const DeclaredPromise *promise, const char *column)
{
	return promise_is_about(promise, column) && promise_needs_values(promise);
}

/* The figure of a promise over the classes of a release. */
static double
measured_of(const Histograms *histograms, Size nclasses, const DeclaredPromise *promise)
{
	const Model *model = models[promise->model];
	Condition	condition = promise_condition(promise);
	double		worst = model->least_counts ? HUGE_VAL : 0;

	for (Size i = 0; i < nclasses; i++)
	{
		const ClassHistogram *slice = &histograms->slices[i];
		const ValueCount *entries = histograms->entries + slice->start;
		int64		size = 0;
		ClassValues values;
		double		figure;

		for (uint32 entry = 0; entry < slice->length; entry++)
			size += entries[entry].count;
		values = class_values(histograms, slice, entries, size);
		figure = model_figure(model, &values, &condition);
		worst = model->least_counts ? Min(worst, figure) : Max(worst, figure);
	}
	return worst;
}

/*
 * Counts the values of each class by the numbers that they had when the
 * release was made, and then those of the people who are not shown: shares are
 * compared with those among everybody.  Returns false if there are values that
 * nobody had.
 */
static bool
count_values(const Distribution *distribution, const Population *classes, const uint32 *numbers,
			 Histograms *histograms)
{
	const Histograms *read = classes == NULL ? NULL : classes->columns[0];
	int64	   *others = palloc(sizeof(int64) * (distribution->nvalues + 1));
	bool		any = false;

	memcpy(others, distribution->people, sizeof(int64) * distribution->nvalues);
	for (uint32 class = 0; classes != NULL && class < classes->tuples->ntuples; class++)
	{
		const ClassHistogram *slice = &read->slices[classes->tuples->slices[0][class]];

		for (Size i = slice->start; i < slice->start + slice->length; i++)
		{
			uint32		number = numbers[read->entries[i].value];

			if (number == PG_UINT32_MAX || others[number] < read->entries[i].count)
				return false;
			histograms_count(histograms, number, read->entries[i].count);
			others[number] -= read->entries[i].count;
		}
		(void) histograms_close(histograms);
	}
	for (int i = 0; i < distribution->nvalues; i++)
		if (others[i] > 0)
		{
			histograms_count(histograms, i, others[i]);
			any = true;
		}
	if (any)
		(void) histograms_close(histograms);
	histograms_finish(histograms);
	return true;
}

/*
 * Judges a promise by the values of one column; a new value breaks it, and is
 * as far from everybody's as can be.
 */
static void
judge_promise(const DeclaredPromise *promise, const Histograms *histograms, Size nclasses, bool known,
			  PromiseVerdict *verdict)
{
	double		measured = known ? measured_of(histograms, nclasses, promise) : 1;
	bool		ok = known;

	for (Size class = 0; class < nclasses && known; class++)
		ok = ok && (histograms->slices[class].breaks & MODEL_BIT(promise->model)) == 0;
	/* of several columns, the one that is furthest from keeping it */
	verdict->ok = ok && (verdict->ok || !promise_is_general(promise));
	if (known || promise_is_general(promise))
	{
		verdict->measured = verdict->is_null ? measured : Max(verdict->measured, measured);
		verdict->is_null = false;
	}
}

/* Classes that break a promise, and the rows of a release, with their labels. */
typedef struct BrokenClasses
{
	const ReleaseEntry *entry;
	RowSpool   *spool;
	bool	   *are_broken;		/* by class, until it is listed */
	List	  **list;
	MemoryContext context;
} BrokenClasses;

/* Makes a spool keep the labels of rows. */
static void
keep_labels(RowSpool *spool, const ReleaseEntry *entry)
{
	SpoolColumn *columns = palloc0(sizeof(SpoolColumn) * (entry->nclass_columns + 1));

	spool->keeps_rows = true;
	spool->columns = columns;
	for (int i = 0; i < entry->nclass_columns; i++)
		columns[spool->ncolumns++].name = entry->class_columns[i];
	if (entry->star)
		columns[spool->ncolumns++].name = "anonopt_suppressed";
	for (int i = 0; i < spool->ncolumns; i++)
		columns[i].as = TEXTOID;
}

/* Lists the class of a row, as an array of its labels. */
static void
list_class(void *arg, uint32 group, const Datum *values, const bool *nulls)
{
	BrokenClasses *classes = arg;
	int			n = classes->entry->nclass_columns;
	MemoryContext old = MemoryContextSwitchTo(classes->context);
	char	  **labels = palloc0(sizeof(char *) * (n + 1));

	if (classes->are_broken[classes->spool->tuple_of[group]])
	{
		for (int a = 0; a < n; a++)
			labels[a] = nulls[a] ? NULL : TextDatumGetCString(values[a]);
		if (classes->entry->star && *TextDatumGetCString(values[n]) == 't')
			labels = NULL;
		*classes->list = lappend(*classes->list, labels);
		classes->are_broken[classes->spool->tuple_of[group]] = false;
	}
	MemoryContextSwitchTo(old);
}

/*
 * Counts everybody with a value whom a release shows, who may be more than
 * there are now: rows may be those of people who have left.  A class with a
 * value that nobody has now is broken.
 */
static void
count_shown(Distribution *distribution, const Population *classes, const uint32 *numbers, bool *are_broken)
{
	const Histograms *read = classes->columns[0];
	int64	   *shown = palloc0(sizeof(int64) * (distribution->nvalues + 1));

	for (uint32 class = 0; class < classes->tuples->ntuples; class++)
	{
		const ClassHistogram *slice = &read->slices[classes->tuples->slices[0][class]];

		for (Size i = slice->start; i < slice->start + slice->length; i++)
			if (numbers[read->entries[i].value] == PG_UINT32_MAX)
				are_broken[class] = true;
			else
				shown[numbers[read->entries[i].value]] += read->entries[i].count;
	}
	for (int i = 0; i < distribution->nvalues; i++)
		shown[i] = Max(shown[i], distribution->people[i]);
	distribution->people = shown;
}

/* Judges the promises about the shares of a column's values. */
static void
judge_values(const ReleaseEntry *entry, Distribution *distribution, Verification *result)
{
	PromiseVerdict *verdicts = result->verdicts;
	int64		rows = result->rows;
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "anonopt verify",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Oid			type = column_type(entry->relation, distribution->column);
	Dataset    *dataset = dataset_of_release(entry);
	Declared   *sensitive = dataset_declare(dataset, ROLE_SENSITIVE, distribution->column);
	RowSpool	spool = {.wants_values = true,.for_readers = true};
	uint32	   *leaf_of = palloc0(sizeof(uint32) * (distribution->nvalues + 1));
	const Hierarchy *tree = distribution->leaves == NULL ? NULL : load_tree(distribution, type, leaf_of);
	Histograms *histograms = histograms_create(context, distribution->column, COLUMN_SENSITIVE,
											   distribution->nvalues);
	Size		nclasses;
	uint32		nvalues;
	uint32	   *numbers;
	bool	   *are_broken;
	bool		known;

	if (result->broken != NULL)
		keep_labels(&spool, entry);
	/* two values in one range are different values, and labels are values */
	if (tree != NULL && !distribution->is_labelled &&
		(type_is_range(type) || !type_is_range(hierarchy_leaf_type(distribution->hierarchy))))
		sensitive->hierarchy = distribution->hierarchy;
	spool_read(&spool, dataset, NULL);
	nclasses = spool.population == NULL ? 0 : spool.population->tuples->ntuples;
	nvalues = spool.population == NULL ? 0 : spool.population->columns[0]->nvalues;
	if (nvalues > 0 && OidIsValid(sensitive->hierarchy))
		numbers = numbers_of_leaves(distribution, spool.leaves[0], nvalues);
	else
		numbers = numbers_of_values(distribution, type, nvalues == 0 ? NULL : spool.values[0], nvalues);
	are_broken = budget_alloc_zero(sizeof(bool), nclasses + 1);
	if (result->broken != NULL && nclasses > 0)
	{
		MemoryContextSwitchTo(old);
		count_shown(distribution, spool.population, numbers, are_broken);
		MemoryContextSwitchTo(context);
	}
	histograms_set_distance(histograms, distribution->distance, tree, leaf_of);
	for (int i = 0; i < entry->npromises; i++)
	{
		Condition	condition = promise_condition(&entry->promises[i]);

		if (is_about_shares(&entry->promises[i], distribution->column))
			histograms_add_condition(histograms, &condition);
	}
	/* rows with a value without a leaf have not been read */
	known = (spool.population == NULL ? 0 : spool.population->people) == rows &&
		count_values(distribution, spool.population, numbers, histograms);
	for (int i = 0; i < entry->npromises; i++)
		if (is_about_shares(&entry->promises[i], distribution->column))
			judge_promise(&entry->promises[i], histograms, nclasses, known, &verdicts[i]);
	for (Size class = 0; known && class < nclasses; class++)
		are_broken[class] = histograms->slices[class].breaks != 0;
	if (result->broken != NULL && nclasses > 0)
	{
		BrokenClasses classes = {entry, &spool, are_broken, result->broken, old};

		spool_visit(&spool, list_class, &classes);
	}
	spool_end(&spool);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
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
			verdicts[i].ok = verdicts[i].unmeasured = true;
			continue;
		}
		verdicts[i].measured = figure_of_all(classes, models[promise->model], promise->c, classes->tuples,
											 classes->tuples->ntuples, NULL);
		verdicts[i].is_null = classes->people == 0;
		verdicts[i].ok = verdicts[i].is_null || verdicts[i].measured <= promise->threshold;
	}
}

/* ------------------------------------------------------------------ verdicts */

/* JSON numbers have no infinity. */
static const char *
json_number(double number)
{
	return isnan(number) || isinf(number) ? "null" : number_text(number);
}

static char *
verdict_members(const DeclaredPromise *promise, const PromiseVerdict *verdict)
{
	char	   *more = promise->has_c ? psprintf(", \"c\": %s", json_number(promise->c)) :
	!promise_is_of_known(promise) ? "" :
	promise->columns_known > 0 ? psprintf(", \"columns_known\": %d", promise->columns_known) :
	psprintf(", \"rows_known\": %d", promise->rows_known);

	return psprintf("\"promised\": %s%s, \"measured\": %s, \"ok\": %s", json_number(promise->threshold), more,
					verdict->is_null ? "null" : json_number(verdict->measured),
					!verdict->ok ? "false" : verdict->unmeasured ? "null" : "true");
}

/* Orders verdicts by importance: broken first, then unknown. */
static int
gravity(const PromiseVerdict *verdict)
{
	return !verdict->ok ? 2 : verdict->unmeasured ? 1 : 0;
}

/*
 * The member of one promise, "k for any 3 columns", and of those that differ
 * only in their column: with several columns, it has the figures of the first
 * that breaks it, or that cannot be measured, or else of the first; and those
 * of each.
 */
static void
append_verdict(StringInfo json, int first, int npromises, const DeclaredPromise *promises,
			   const PromiseVerdict *verdicts)
{
	int			shown = first;
	int			n = 0;
	StringInfoData columns;

	initStringInfo(&columns);
	for (int i = first; i < npromises; i++)
	{
		if (!promise_is_of_kind(&promises[i], &promises[first]))
			continue;
		if (gravity(&verdicts[i]) > gravity(&verdicts[shown]))
			shown = i;
		appendStringInfoString(&columns, n++ > 0 ? ", " : ", \"columns\": {");
		escape_json(&columns, promises[i].column == NULL ? "" : promises[i].column);
		appendStringInfo(&columns, ": {%s}", verdict_members(&promises[i], &verdicts[i]));
	}
	appendStringInfo(json, "%s\"%s%s\": {%s%s%s}", json->len > 0 ? ", " : "{",
					 model_name(promises[first].model), known_text(&promises[first]),
					 verdict_members(&promises[shown], &verdicts[shown]), n > 1 ? columns.data : "",
					 n > 1 ? "}" : "");
}

/* Promises as json, by model and what is known, each with its verdict. */
static char *
verdicts_json(int npromises, const DeclaredPromise *promises, const PromiseVerdict *verdicts)
{
	StringInfoData json;

	initStringInfo(&json);
	for (int model = 0; model < MODELS; model++)
		for (int i = 0; i < npromises; i++)
		{
			bool		is_first = promises[i].model == (PromiseModel) model;

			for (int j = 0; j < i && is_first; j++)
				is_first = !promise_is_of_kind(&promises[i], &promises[j]);
			if (is_first)
				append_verdict(&json, i, npromises, promises, verdicts);
		}
	appendStringInfoString(&json, json.len > 0 ? "}" : "{}");
	return json.data;
}

/* What was found, as json: rows, the general promises, the distinct values if l is none, and the others. */
static char *
verification_json(const Verification *found)
{
	StringInfoData json;

	initStringInfo(&json);
	appendStringInfo(&json, "{\"rows\": " INT64_FORMAT, found->rows);
	for (int i = 0; i < found->entry->ngeneral; i++)
		appendStringInfo(&json, ", \"%s\": {%s}", model_name(found->entry->promises[i].model),
						 verdict_members(&found->entry->promises[i], &found->verdicts[i]));
	if (found->has_l && general_promise(found->entry, MODEL_L) == NULL)
		appendStringInfo(&json, ", \"l\": {\"measured\": " INT64_FORMAT "}", found->l);
	appendStringInfo(&json, "%s%s}", found->others == NULL ? "" : ", \"others\": ", found->others == NULL ? "" : found->others);
	return json.data;
}

/*
 * The sensitive columns that are shown generalized, so that their values
 * cannot be counted; NULL without any.
 */
static char *
generalized_sensitive(const ReleaseEntry *entry)
{
	ParamListInfo params = add_value(add_text(NULL, entry->dataset), NAMEARRAYOID,
									 names_datum(entry->generalized, entry->ngeneralized), false);
	const Oid	type = TEXTOID;
	QueryRows  *columns;

	columns = read_catalog("SELECT string_agg(quote_ident(a.column_name), ', ' ORDER BY a.ordinal)"
						   " FROM anonopt.attribute a"
						   " WHERE a.dataset = $1 AND a.role = 'sensitive' AND a.column_name = ANY ($2)",
						   params, 1, &type);
	return row_text(columns, 0, 0);
}

/*
 * Verdicts before measuring: promises are kept if there are no rows, not kept
 * if a hierarchy has changed, and unknown if a column is not shown unchanged.
 */
static void
begin_verdicts(const ReleaseEntry *entry, int64 rows, bool changed, bool all_shown, PromiseVerdict *verdicts)
{
	for (int i = 0; i < entry->npromises; i++)
	{
		const DeclaredPromise *promise = &entry->promises[i];
		bool		of_all = i < entry->ngeneral && promise->model != MODEL_K;

		verdicts[i].is_null = true;
		if (rows > 0 && of_all)
			verdicts[i].unmeasured = !all_shown || entry->nsensitive == 0 ||
				(promise_needs_values(promise) && (entry->ndistributions == 0 || changed));
		else if (rows > 0 && promise->column != NULL)
			verdicts[i].unmeasured = !release_entry_shows(entry, promise->column);
		verdicts[i].ok = !changed && (rows == 0 || of_all || verdicts[i].unmeasured);
	}
}

/*
 * Measures as the owner, because planning a statement may run functions of an
 * index.
 */
static void
measure_release(const ReleaseEntry *entry, Oid owner, bool all_shown, Verification *result, char **changed)
{
	Population *classes;
	bool		by_rows = !entry->has_people_k;
	Oid			user;
	int			context;

	GetUserIdAndSecContext(&user, &context);
	if (owner != user)
		SetUserIdAndSecContext(owner, context | SECURITY_LOCAL_USERID_CHANGE | SECURITY_RESTRICTED_OPERATION);
	require_trusted_relation(entry->relation);
	*changed = changed_hierarchies(entry, owner, NULL);
	classes = read_classes(entry);
	result->rows = classes->people;
	begin_verdicts(entry, result->rows, *changed != NULL, all_shown, result->verdicts);
	judge_classes(entry, classes, result);
	if (*changed == NULL && result->rows > 0)
	{
		int			level = use_zone_of_release(entry);

		for (int i = 0; i < entry->ndistributions; i++)
			judge_values(entry, &entry->distributions[i], result);
		AtEOXact_GUC(false, level);
		verify_outside(entry, by_rows, result->verdicts);
	}
	judge_release(entry, classes, by_rows, result->verdicts);
	if (*changed == NULL && result->rows > 0)
		verify_known(entry, classes, by_rows, result->broken == NULL, result->verdicts);
	SetUserIdAndSecContext(user, context);
}

bool
release_keeps(ReleaseEntry *entry, List **broken)
{
	Verification result = {.entry = entry,.broken = broken};
	char	   *changed;
	bool		ok;

	result.verdicts = palloc0(sizeof(PromiseVerdict) * (entry->npromises + 1));
	/* that writing left */
	see_own_changes();
	measure_release(entry, GetUserId(), generalized_sensitive(entry) == NULL, &result, &changed);
	PopActiveSnapshot();
	ok = changed == NULL;
	for (int i = 0; i < entry->npromises; i++)
		ok = ok && result.verdicts[i].ok;
	return ok;
}

void
release_verify(Oid relation, Verification *result)
{
	ReleaseEntry *entry = release_entry_require(relation);
	Oid			owner = relation_owner(relation);
	char	   *generalized;
	char	   *changed;
	char	   *added;

	if (entry->form == RELEASE_LIVE_VIEW || !superuser())
		require_release_owner(relation);
	memset(result, 0, sizeof(Verification));
	result->entry = entry;
	result->verdicts = palloc0(sizeof(PromiseVerdict) * (entry->npromises + 1));

	/*
	 * row security could show the owner other rows than readers, so make it
	 * an error; reset with the other settings
	 */
	sql_set("row_security", "off");
	if (entry->form == RELEASE_LIVE_VIEW && entry->ndistributions > 0)
		distributions_now(entry);
	generalized = generalized_sensitive(entry);
	measure_release(entry, owner, generalized == NULL, result, &changed);
	added = release_entry_added_columns(entry);
	result->ok = changed == NULL && added == NULL;
	for (int i = 0; i < entry->npromises; i++)
	{
		result->ok = result->ok && result->verdicts[i].ok;
		result->unmeasured = result->unmeasured || result->verdicts[i].unmeasured;
	}

	if (entry->npromises > entry->ngeneral)
		result->others = verdicts_json(entry->npromises - entry->ngeneral,
									   entry->promises + entry->ngeneral, result->verdicts + entry->ngeneral);

	/*
	 * not a result that a later one could have overtaken, nor where nothing
	 * can be written
	 */
	if (!XactReadOnly && !IsolationUsesXactSnapshot() && !IsInParallelMode())
		release_entry_verified(entry, result->ok, !result->ok || !result->unmeasured, verification_json(result));
	tell_other_people(entry->source);
	if (changed != NULL)
		ereport(NOTICE,
				(errmsg("hierarchies of release %s have changed: %s", relation_sql_name(relation), changed)));
	if (added != NULL)
		ereport(NOTICE,
				(errmsg("release %s has columns that were not published: %s", relation_sql_name(relation),
						added)));
	if (entry->is_private)
		ereport(NOTICE,
				(errmsg("release %s promises differential privacy, of which only k can be measured",
						relation_sql_name(relation)),
				 errdetail("Its rows do not tell that each was drawn by chance, with probability %s, nor that its levels and hierarchies were chosen without the data.",
						   number_text(entry->privacy.beta))));
	if (generalized != NULL && result->unmeasured)
		ereport(NOTICE,
				(errmsg("what release %s promises of some columns cannot be measured: %s",
						relation_sql_name(relation), generalized),
				 errdetail("They are shown generalized, so that their values are no part of the release.")));
}
