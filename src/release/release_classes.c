/*
 * release_classes.c
 *	  The classes of a release: measured, refused if they do not keep the promise,
 *	  and those chosen that are shown.
 */
#include "release/release.h"

#include "base/budget.h"
#include "catalog/sql.h"
#include "engine/known_columns.h"
#include "label/cut_bits.h"
#include "miscadmin.h"
#include "read/population_read.h"
#include "read/weights.h"
#include "record/record_search.h"
#include "search/searches.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/varbit.h"

/*
 * The hint if a promise is not kept, depending on the form: a node, recoding
 * or records.
 */
static const char *
unkept_hint(const char *shown, bool allow_more)
{
	if (strcmp(shown, "recoding") == 0)
		return allow_more ? "Promise less, extend the recoding or create it again for this promise, or"
			" allow more suppression for data set \"%s\"."
			: "Promise less, or create a recoding for this promise: see anonopt.create_recoding.";
	if (strcmp(shown, "records") == 0)
		return allow_more ? "Promise less, ask for less utility, or allow more suppression for data"
			" set \"%s\"."
			: "Promise less, or ask for less utility.";
	return allow_more ? "Promise less, choose a more general node, or allow more suppression for data"
		" set \"%s\"."
		: "Promise less, or choose a more general node: see anonopt.pareto.";
}

/* How long a refresh that fails searches for a node that fits. */
#define SEARCH_FOR_HINT (10 * USECS_PER_SEC)

/*
 * The call that continues an existing release at the node of least loss that
 * keeps the promise now, if there is one above its own; otherwise NULL.
 */
static char *
call_to_republish(const Release *release)
{
	OptimumSearch search = {.population = release->population,
		.order = {.promise = release->promise,.loss = OBJECTIVE_GLM,.deadline =
		GetCurrentTimestamp() + SEARCH_FOR_HINT}
	};

	if (release->id == NULL || release->by.kind != BY_LEVELS)
		return NULL;
	for (int a = 0; a < release->population->nattrs; a++)
	{
		Attribute  *attr = &release->population->attrs[a];

		/* a release may be above what is searched */
		attr->min_level = release->by.levels[a];
		attr->max_level = Max(attr->max_level, attr->min_level);
	}
	optimum_search(&search);
	if (!search.answer.found)
		return NULL;
	return psprintf("anonopt.republish(%s, levels => %s)", quote_literal_cstr(release->sql_name),
					quote_literal_cstr(OidOutputFunctionCall(F_ARRAY_OUT,
															 integers_datum(search.answer.levels,
																			release->population->nattrs))));
}

static void
require_measures_keep(const Release *release, const Measures *measures, const char *shown)
{
	const char *name = release->dataset->name;
	char	   *republish;

	if (measures->classes == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("no class keeps the promise"),
				 errhint("%s", unkept_hint(shown, false))));
	if (measures->feasible)
		return;
	republish = call_to_republish(release);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("too many people are in classes that break the promise"),
			 errdetail(INT64_FORMAT " of " INT64_FORMAT " would be suppressed, but only " INT64_FORMAT " may be.",
					   measures->suppressed, release->population->people, release->promise.limit),
			 republish == NULL ? errhint(unkept_hint(shown, true), name) :
			 errhint("Call %s, whose node fits now, or allow more suppression for data set \"%s\".",
					 republish, name)));
}

/* Measures the classes, and fails unless they keep the promise. */
static void
measure_shown(Release *release)
{
	classes_measure(release->classes, &release->promise, &release->measures);
	require_measures_keep(release, &release->measures, release->by.kind == BY_RECODING ? "recoding" : "node");
}

void
release_measure(Release *release)
{
	Population *population = release->population;
	Promise    *promise = &release->promise;
	Measures   *measures = &release->measures;

	promise->limit = share_of_people(release->dataset->max_suppression, population->people);
	measure_shown(release);
	if (promise->k > 0)
		return;
	/* unless k is promised against those who know some columns */
	if (measures->k < 2 && known_columns_of_k(population) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("nothing would be hidden: the %s's k is " INT64_FORMAT,
						release->by.kind == BY_RECODING ? "recoding" : "node",
						measures->k),
				 release->by.kind == BY_RECODING ?
				 errhint("Create another recoding, or pass k => 1 if that is what you want.") :
				 errhint("Choose a more general node, or pass k => 1 if that is what you want.")));
	promise->k = measures->k;
	measure_shown(release);
}

/* The labels that cuts part, of one attribute after another. */
static char **
labels_of_cuts(const Population *population, int *n)
{
	char	  **labels;

	*n = 0;
	for (int a = 0; a < population->nattrs; a++)
		*n += population->attrs[a].hierarchy->levels[population->attrs[a].min_level].nlabels;
	labels = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(char *) * ((Size) *n + 1));
	*n = 0;
	for (int a = 0; a < population->nattrs; a++)
	{
		const Hierarchy *hierarchy = population->attrs[a].hierarchy;
		int			level = population->attrs[a].min_level;

		memcpy(labels + *n, hierarchy->labels[level], sizeof(char *) * hierarchy->levels[level].nlabels);
		*n += hierarchy->levels[level].nlabels;
	}
	return labels;
}

/* Adapts the cuts of an existing release to the labels that there are now. */
static void
adapt_cuts(Release *release, const Population *population)
{
	Generalization *by = &release->by;
	const char *const *labels = (const char *const *) by->cut_labels;
	Datum	   *cuts = palloc(sizeof(Datum) * (population->nattrs + 1));

	for (int a = 0; a < population->nattrs && labels != NULL; a++)
	{
		cuts[a] = cut_again(&population->attrs[a], by->cuts[a], labels);
		if (cuts[a] == 0)
			ereport(ERROR,
					(errcode(ERRCODE_CHECK_VIOLATION),
					 errmsg("the labels of column \"%s\" have another order than when release %s was made",
							population->attrs[a].name,
							release->sql_name),
					 errdetail("The cut would unite other labels than before."),
					 errhint("Choose new cuts, and call anonopt.republish.")));
		labels += VARBITLEN(DatumGetVarBitP(by->cuts[a])) + 1;
	}
	if (by->cut_labels != NULL)
		by->cuts = cuts;
	by->cut_labels = labels_of_cuts(population, &by->ncut_labels);
}

void
release_generalize(Release *release, Population *population)
{
	const Generalization *by = &release->by;
	const char ***labels = palloc(sizeof(char **) * (population->nattrs + 1));
	Recodings	node;

	release->population = population;
	if (by->kind == BY_RECORDS)
		return;
	if (by->kind == BY_RECODING)
	{
		release->classes = release->extends ?
			recoding_extended_classes(&release->spool, release->recoding, release->dataset,
									  &release->promise, by->labels) :
			recoding_table_classes(release->spool.reading, population, release->recoding, by->labels,
								   &release->recoding_rows);
		classes_label_recoding(release->classes, by->labels);
		return;
	}
	if (by->kind == BY_LEVELS)
		node = node_of_levels(population, by->levels);
	else
	{
		adapt_cuts(release, population);
		node = node_of_cuts(population, by->cuts);
	}
	for (int a = 0; a < population->nattrs; a++)
		labels[a] = by->kind == BY_CUTS ? (const char **) group_labels(&population->attrs[a], node[a]) :
			(const char **) population->attrs[a].hierarchy->labels[by->levels[a]];
	release->classes = classes_of_node(population, NULL, NULL, node);
	classes_label_node(release->classes, labels);
}

/* ------------------------------------------------------------------ choosing */

/* The levels that the search finds for every tuple. */
static RecordLevels
record_levels(Release *release)
{
	Population *population = release->population;
	const Dataset *dataset = release->dataset;
	const RecordOptions *options = &release->by.records;
	RecordSearch search = {0};
	RecordLevels records;
	Size		ntuples = population->tuples->ntuples;
	const uint16 **levels = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint16 *) * (ntuples + 1));

	/* people with the same tuple are shown alike */
	for (int i = 0; i < dataset->nattributes && options->risk != RISK_IDENTITY; i++)
		if (dataset->attributes[i].role == ROLE_QUASI_IDENTIFIER &&
			dataset->attributes[i].owner_sensitivity != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("records cannot be published by owners' weights of column \"%s\"",
							dataset->attributes[i].column),
					 errdetail("The release would reveal how sensitive an owner is."),
					 errhint("Publish with risk => 'identity', or call anonopt.set_owner_sensitivity with NULL.")));
	search.population = population_narrow(population);
	search.model = record_model_create(search.population, options->risk, options->utility,
									   weights_read(dataset, population), NULL);
	search.goal = GOAL_LEAST_RISK;
	search.bound = options->min_utility;
	record_search(&search);
	for (uint32 i = 0; i < population->tuples->ntuples; i++)
		levels[i] = answer_of(&search, i)->found ? answer_of(&search, i)->levels : NULL;
	records.levels = levels;
	records.model = search.model;
	records.min_utility = options->min_utility;
	return records;
}

/* Fails if classes of records, which are built for k, break another promise. */
static void
require_records_keep(Release *release)
{
	const Population *population = release->population;
	Classes    *classes = release->classes;
	HistogramMark *marks = palloc(sizeof(HistogramMark) * (population->ncolumns + 1));
	Measurer   *measurer = measurer_create(population, &release->promise);
	const char *broken = NULL;
	const Model *limit;

	population_mark(population, marks);
	classes_count(classes);
	measurer_look_into_boxes(measurer, classes);
	release->measures.k = PG_INT64_MAX;
	for (uint32 i = 0; i < classes->n; i++)
		release->measures.k = Min(release->measures.k, class_people(population, classes->table, i));
	for (uint32 i = 0; i < classes->n && broken == NULL; i++)
	{
		int			breaks = class_breaks(measurer, classes->table, i, release->promise.k);

		for (int model = 0; model < MODELS && broken == NULL; model++)
			if (breaks & MODEL_BIT(model))
				broken = model_name((PromiseModel) model);
	}
	if (broken == NULL && !keeps_limits(population, classes->table, classes->n, NULL, &limit))
		broken = limit->name;
	population_release(population, marks);
	classes->table = NULL;
	if (broken != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("records do not keep the promise of %s", broken),
				 errdetail("Records are generalized one by one and shown in classes of k; other promises are not considered."),
				 errhint("Publish a node or a recoding, which can keep every promise, or call anonopt.drop_promise.")));
}

/*
 * Chooses the classes of records; fails if more people are left out than the
 * data set allows.
 */
static void
choose_record_classes(Release *release, const int *order, int norder)
{
	int64		people = release->population->people;
	RecordLevels records = record_levels(release);
	Measures	measures = {0};

	release->classes = classes_of_records(release->population, &records, release->promise.k);
	classes_sort(release->classes, order, norder);
	release->promise.limit = share_of_people(release->dataset->max_suppression, people);
	measures.suppressed = release->classes->suppressed;
	measures.classes = release->classes->n;
	measures.feasible = measures.suppressed <= release->promise.limit;
	require_measures_keep(release, &measures, "records");
	require_records_keep(release);
	if (measures.suppressed > 0)
		ereport(NOTICE,
				(errmsg_plural(INT64_FORMAT " person of " INT64_FORMAT " is left out",
							   INT64_FORMAT " people of " INT64_FORMAT " are left out",
							   measures.suppressed, measures.suppressed, people),
				 errdetail("With enough utility, fewer than " INT64_FORMAT " people look alike.",
						   release->promise.k)));
}

/* Puts the rows of people who are left out behind the last tuple, in no class. */
static void
leave_people_out(Release *release)
{
	const PersonRows *rows = release->population->rows;
	uint32		nowhere = release->population->tuples->ntuples;

	release->classes->class_of[nowhere] = NO_CLASS;
	for (uint32 i = 0; i < rows->n; i++)
		if (release->classes->out[rows->person[i]])
			release->spool.tuple_of[rows->group[i]] = nowhere;
}

void
release_choose_classes(Release *release)
{
	HistogramMark *marks = palloc(sizeof(HistogramMark) * (release->population->ncolumns + 1));
	int			norder = 0;
	int		   *order = palloc(sizeof(int) * (release->population->nattrs + 1));

	/* the attributes in the order of the columns that show them */
	for (int i = 0; i < release->ncolumns; i++)
		if (release->columns[i].attr >= 0 && release->columns[i].part != LABEL_HIGH)
			order[norder++] = release->columns[i].attr;
	if (release->by.kind == BY_RECORDS)
	{
		choose_record_classes(release, order, norder);
		return;
	}
	if (release->by.kind == BY_RECODING)
		classes_unite_alike(release->classes);
	population_mark(release->population, marks);
	classes_count(release->classes);
	if (is_private(release))
		private_leave_out(release);
	if (release->population->rows != NULL)
		classes_leave_out(release->classes, &release->promise);
	else
		classes_hide(release->classes, &release->promise, release->star);
	population_release(release->population, marks);
	if (release->population->rows != NULL)
		leave_people_out(release);
	classes_sort(release->classes, order, norder);
}

/* A recoding's labels do not identify a person's class, so its tuples are stored. */
static void
add_tuples(Content *content, const Population *population, const Classes *classes)
{
	const uint64 *const *digests = leaf_digests(population);
	KeyCounter *shown = content_classes(content);

	for (uint32 i = 0; i < population->tuples->ntuples; i++)
	{
		uint32		class = classes->class_of[i];
		uint64	   *key = key_counter_candidate(shown);

		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		if (class >= classes->n)
			continue;
		memset(key, 0, sizeof(uint64) * shown->nwords);
		for (int a = 0; a < population->nattrs; a++)
			put_code(key, a, classes->codes[class_at(classes, class, a)]);
		content_add_tuple(content, tuple_digest(population, digests, NULL, population->nattrs, i), shown);
	}
}

/*
 * Leaves a sample's content the labels of an attribute that its rows show, since
 * others may be there because of somebody, such as NULL's; returns their numbers.
 */
static uint32 *
keep_shown_labels(const Release *release, Content *content, int a)
{
	const Classes *classes = release->classes;
	const RowSpool *spool = &release->spool;
	uint32	   *number = budget_alloc_zero(sizeof(uint32), (Size) classes->nlabels[a] + 1);

	for (uint32 group = 0; group < spool->ngroups; group++)
		if (classes->class_of[spool->tuple_of[group]] != NO_CLASS)
			number[classes->codes[class_at(classes, classes->class_of[spool->tuple_of[group]], a)]] = 1;
	content->labels[a] = budget_alloc(sizeof(char *), (Size) classes->nlabels[a] + 1);
	content->nlabels[a] = 0;
	for (uint32 label = 0; label < classes->nlabels[a]; label++)
		if (number[label] > 0)
		{
			number[label] = content->nlabels[a];
			content->labels[a][content->nlabels[a]++] = classes->labels[a][label];
		}
	return number;
}

void
release_make_content(Release *release)
{
	const Population *population = release->population;
	const Classes *classes = release->classes;
	const RowSpool *spool = &release->spool;
	Content    *content = content_create(population->context, population->nattrs, spool->ndigested,
										 spool->ngroups);
	uint32	   *stars = palloc(sizeof(uint32) * (population->nattrs + 1));
	uint32	   *shown = palloc(sizeof(uint32) * (population->nattrs + 1));
	uint32	   *numbers[MAX_ATTRIBUTES];
	int			n = 0;

	for (int a = 0; a < population->nattrs; a++)
	{
		content->nlabels[a] = classes->nlabels[a];
		content->labels[a] = classes->labels[a];
		stars[a] = STARRED;
		numbers[a] = is_private(release) ? keep_shown_labels(release, content, a) : NULL;
	}
	for (int i = 0; i < spool->ncolumns; i++)
		if (spool->columns[i].digested)
		{
			content->values[n] = unconstify(char *, spool->columns[i].name);
			content->value_levels[n++] = spool->columns[i].labelled ?
				shown_level_of(release->dataset, spool->columns[i].name) : -1;
		}
	for (uint32 group = 0; group < spool->ngroups; group++)
	{
		uint32		class = classes->class_of[spool->tuple_of[group]];

		if (group % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		for (int a = 0; a < population->nattrs && is_private(release) && class != NO_CLASS; a++)
			shown[a] = numbers[a][classes->codes[class_at(classes, class, a)]];
		if (class != NO_CLASS)
			content_add(content, is_private(release) ? shown :
						class == classes->n ? stars : classes->codes + class_at(classes, class, 0),
						spool->digests + (Size) group * spool->ndigested, spool->people[group]);
	}
	if (release->by.kind == BY_RECODING)
		add_tuples(content, population, classes);
	release->content = content;
}
