/*
 * entry_of_release.c
 *	  The entry of a release that has been read, and the release of an entry.
 */
#include "release/release.h"

#include "catalog/sql.h"
#include "miscadmin.h"
#include "read/population_read.h"
#include "release/release_verify.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

static char *
measures_json(const Release *release)
{
	const Population *population = release->population;
	const Measures *m = &release->measures;
	bool		by_records = release->by.kind == BY_RECORDS;
	int64		starred = by_records ? 0 : release->classes->starred;
	bool		sensitive = population->nsensitive > 0;
	const struct
	{
		const char *name;
		double		value;
		bool		is_listed;
		bool		is_known;
	}			figures[] = {
		{"rows", population->people, population->has_persons, true},
		{"people", population->persons, !by_records || population->has_persons, true},
		{"k", m->k, !by_records || population->has_persons, true},
		{"l", m->l, !by_records, sensitive},
		{"entropy_l", m->entropy_l, !by_records, sensitive},
		{"t", m->t, !by_records, sensitive},
		{"suppressed", m->suppressed, !by_records, true},
		{"starred", starred, starred > 0, true},
		{"classes", m->classes, !by_records, true},
		{"glm", m->glm, !by_records, true},
		{"nwp", m->nwp, !by_records, true},
		{"dcn", m->dcn, !by_records, true},
		{"cm", m->cm, !by_records, population->has_label},
		{"necd", m->necd, !by_records, true}
	};
	StringInfoData json;

	initStringInfo(&json);
	if (is_private(release))
		return psprintf("{%s\"people\": " INT64_FORMAT ", \"k\": %s, \"classes\": " INT64_FORMAT "}",
						release->dataset->person == NULL ? "" :
						psprintf("\"rows\": " INT64_FORMAT ", ", release->shown_rows),
						release->shown_people, m->classes == 0 ? "null" : psprintf(INT64_FORMAT, m->k),
						(int64) m->classes);
	for (int i = 0; i < lengthof(figures); i++)
		if (figures[i].is_listed)
			appendStringInfo(&json, "%s\"%s\": %s", json.len > 0 ? ", " : "{", figures[i].name,
							 !figures[i].is_known ? "null" :
							 DatumGetCString(DirectFunctionCall1(float8out,
																 Float8GetDatum(figures[i].value))));
	appendStringInfoString(&json, json.len > 0 ? "}" : "{}");
	return json.data;
}

/* The generalized columns, those with a promise, and the others. */
typedef struct ColumnNames
{
	int			n[3];
	char	  **names[3];
} ColumnNames;

enum
{
	NAMES_GENERALIZED, NAMES_SENSITIVE, NAMES_UNCOVERED
};

/* What a column shows that is not generalized. */
static int
shows_as(const Release *release, const ShownColumn *column)
{
	return column->pseudonym ? AS_PSEUDONYM :
		column->labelled ? shown_level_of(release->dataset, column->name) : AS_IT_IS;
}

static ColumnNames
column_names(const Release *release)
{
	ColumnNames columns;

	memset(&columns, 0, sizeof(columns));
	for (int i = 0; i < 3; i++)
		columns.names[i] = palloc(sizeof(char *) * (release->ncolumns + MAX_ATTRIBUTES));
	for (int a = 0; a < release->population->nattrs; a++)
		columns.names[NAMES_GENERALIZED][columns.n[NAMES_GENERALIZED]++] =
			pstrdup(release->population->attrs[a].name);
	for (int i = 0; i < release->ncolumns; i++)
	{
		const ShownColumn *column = &release->columns[i];
		int			kind = column->promised ? NAMES_SENSITIVE : NAMES_UNCOVERED;

		if (column->attr < 0 && !column->is_class)
			columns.names[kind][columns.n[kind]++] = pstrdup(column->name);
	}
	return columns;
}

/* The frequency of each sensitive value, if a promise of t needs it. */
static void
make_distributions(const Release *release, ReleaseEntry *entry)
{
	const Population *population = release->population;
	const Dataset *dataset = release->dataset;
	int			j = -1;

	if (!dataset_promises_values(dataset) || release->spool.values == NULL)
		return;
	entry->distributions = palloc0(sizeof(Distribution) * (population->nsensitive + 1));
	for (int i = 0; i < dataset->nattributes; i++)
	{
		Distribution *distribution = &entry->distributions[entry->ndistributions];

		if (dataset->attributes[i].role != ROLE_SENSITIVE)
			continue;
		j++;
		if (!release_entry_shows(entry, dataset->attributes[i].column))
			continue;
		distribution->column = dataset->attributes[i].column;
		distribution->distance = dataset->attributes[i].distance;
		distribution->hierarchy = dataset->attributes[i].hierarchy;
		distribution->is_labelled = shown_level(&dataset->attributes[i]) >= 0;
		distribution->level = shown_level(&dataset->attributes[i]);
		for (int h = 0; h < entry->nhierarchies && OidIsValid(distribution->hierarchy); h++)
			if (entry->hierarchies[h] == distribution->hierarchy)
				distribution->place = h + 1;
		distribution->npeople = distribution->nvalues = population->columns[j]->nvalues;
		distribution->values = release->spool.values[j];
		distribution->leaves = release->spool.leaves[j];
		distribution->nleaves = distribution->leaves == NULL ? 0 : distribution->nvalues;
		distribution->people = population->columns[j]->total;
		entry->ndistributions++;
	}
}

void
distributions_now(ReleaseEntry *entry)
{
	Release    *release = release_of_entry(entry);

	release_check(release);
	release->spool.wants_values = true;
	release_read_shown(release);
	entry->ndistributions = 0;
	if (release->population != NULL)
		make_distributions(release, entry);
	release_close(release);
}

/* The promises of an entry: k, and l and t for all sensitive columns, and those declared. */
static void
make_promises(const Release *release, ReleaseEntry *entry)
{
	const Dataset *dataset = release->dataset;
	const PromiseModel general[GENERAL_PROMISES] = {MODEL_K, MODEL_L, MODEL_T};

	entry->promises = palloc0(sizeof(DeclaredPromise) * (dataset->npromises + lengthof(general)));
	for (int i = 0; i < lengthof(general); i++)
	{
		DeclaredPromise promise = {.model = general[i],.threshold = release->promise.k};

		if (general[i] == MODEL_K || promised_of_all(dataset, general[i], &promise.threshold))
			entry->promises[entry->ngeneral++] = promise;
	}
	entry->npromises = entry->ngeneral;
	for (int i = 0; i < dataset->npromises; i++)
		if (!promise_is_general(&dataset->promises[i]))
			entry->promises[entry->npromises++] = dataset->promises[i];
}

/* ---------------- the leaves under labels that are not those of a level */

/*
 * The people of a population with the labels of a cut or a recoding cannot be
 * found by the labels.  So the runs of leaves under them are stored, by their
 * first and last leaves; leaves that a hierarchy gains between these are under
 * the label, too.
 */
static void
append_run(LabelCover *cover, const Attribute *attr, const char *label, uint32 first, uint32 end)
{
	if (first >= end)
		return;
	cover->labels[cover->n] = unconstify(char *, label);
	cover->firsts[cover->n] = unconstify(char *, attr->hierarchy->labels[0][first]);
	cover->lasts[cover->n] = unconstify(char *, attr->hierarchy->labels[0][end - 1]);
	cover->nfirsts = cover->nlasts = ++cover->n;
}

/*
 * The runs under the labels that are shown: of a cut's groups, or of boxes,
 * whose labels and runs may occur several times.
 */
static KeyCounter *
shown_runs(const Classes *classes, int a, const Recoding *cut)
{
	KeyCounter *runs = key_counter_create(CurrentMemoryContext, 2, 1024);

	for (Size i = 0; i < (cut != NULL ? cut->nlabels : classes->nboxes); i++)
	{
		Size		at = i * classes->population->nattrs + a;
		uint64	   *key = key_counter_candidate(runs);

		CHECK_FOR_INTERRUPTS();
		if (cut == NULL && classes->class_of_box[i] == NO_CLASS)
			continue;
		key[0] = cut != NULL ? (uint64) cut->first_leaf[i] << 32 | cut->leaves[i] :
			(uint64) classes->first_leaf[at] << 32 | classes->leaves[at];
		key[1] = cut != NULL ? i : classes->codes[at];
		(void) key_counter_add(runs, 1);
	}
	return runs;
}

/* The leaves under each label, except that of values without one, and the labels of these values. */
static LabelCover
cover_of_attribute(const Classes *classes, int a, const Recoding *cut)
{
	const Attribute *attr = &classes->population->attrs[a];
	KeyCounter *runs = shown_runs(classes, a, cut);
	LabelCover	cover = {0};

	/* values without a leaf part a run in two */
	cover.labels = MemoryContextAllocHuge(CurrentMemoryContext,
										  sizeof(char *) * (2 * (Size) runs->nkeys + 1));
	cover.firsts = MemoryContextAllocHuge(CurrentMemoryContext,
										  sizeof(char *) * (2 * (Size) runs->nkeys + 1));
	cover.lasts = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(char *) * (2 * (Size) runs->nkeys + 1));
	cover.unknown = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(char *) * ((Size) runs->nkeys + 1));
	for (Size i = 0; i < runs->nkeys; i++)
	{
		const char *label = classes->labels[a][runs->keys[i * 2 + 1]];
		uint32		first = (uint32) (runs->keys[i * 2] >> 32);
		uint32		leaves = (uint32) runs->keys[i * 2];
		uint32		end = first + leaves;
		uint32		unknown = attr->unknown_leaf;
		bool		has_unknown = unknown >= first && unknown < end;

		append_run(&cover, attr, label, first, has_unknown ? unknown : end);
		if (has_unknown)
			append_run(&cover, attr, label, unknown + 1, end);
		if (has_unknown || leaves == attr->hierarchy->nleaves)
			cover.unknown[cover.nunknown++] = unconstify(char *, label);
	}
	return cover;
}

/* What the labels of a release cover, by quasi-identifier, if that is to be recorded. */
static LabelCover *
covers_of_release(const Release *release, int *n)
{
	const Dataset *dataset = release->dataset;
	LabelCover *covers;
	bool		needed = false;

	*n = 0;
	for (int i = 0; i < dataset->npromises && release->by.kind != BY_LEVELS; i++)
		needed = needed || model_needs_population(dataset->promises[i].model) || model_needs_boxes(dataset->promises[i].model);
	if (!needed)
		return NULL;
	*n = release->population->nattrs;
	covers = palloc(sizeof(LabelCover) * (*n + 1));
	for (int a = 0; a < *n; a++)
		covers[a] = cover_of_attribute(release->classes, a,
									   release->by.kind == BY_CUTS ? release->classes->node[a] : NULL);
	return covers;
}

/* -------------------------------------------------- an entry of a release */

ReleaseEntry *
entry_of_release(const Release *release, const char *id, Oid relation)
{
	ReleaseEntry *entry = palloc0(sizeof(ReleaseEntry));
	ColumnNames columns = column_names(release);
	List	   *hierarchies = release_hierarchies(release->dataset);

	entry->id = pstrdup(id);
	entry->relation = relation;
	entry->form = release->form;
	entry->filled_by = release->form == RELEASE_LIVE_VIEW ? FILLED_BY_NOTHING : release->filled_by;
	entry->name = release->sql_name;
	entry->dataset = release->dataset->name;
	entry->source = release->dataset->relation;
	entry->source_name = relation_sql_name(entry->source);
	entry->by = release->by;
	entry->ncolumns = release->nnamed;
	entry->columns = release->named;
	entry->star = release->star;
	entry->permuted = release->permuted;
	entry->forms = palloc(sizeof(char *) * (release->population->nattrs + 1));
	for (int a = 0; a < release->population->nattrs && release->forms != NULL; a++)
	{
		entry->forms[a] = unconstify(char *, columns_as_names[release->forms[a]]);
		if (release->forms[a] != AS_TEXT)
			entry->nforms = release->population->nattrs;
	}
	entry->others_as = palloc(sizeof(int) * (release->ncolumns + 1));
	for (int i = 0; i < release->ncolumns; i++)
		if (release->columns[i].attr < 0 && !release->columns[i].is_class)
			entry->others_as[entry->nothers++] = shows_as(release, &release->columns[i]);
	entry->ngeneralized = columns.n[NAMES_GENERALIZED];
	entry->generalized = columns.names[NAMES_GENERALIZED];
	entry->nsensitive = columns.n[NAMES_SENSITIVE];
	entry->sensitive = columns.names[NAMES_SENSITIVE];
	entry->nhierarchies = entry->nhierarchy_names = entry->ndigests = list_length(hierarchies);
	entry->hierarchies = palloc(sizeof(Oid) * (list_length(hierarchies) + 1));
	entry->hierarchy_names = palloc(sizeof(char *) * (list_length(hierarchies) + 1));
	entry->digests = palloc(sizeof(Datum) * (list_length(hierarchies) + 1));
	for (int i = 0; i < list_length(hierarchies); i++)
	{
		entry->hierarchies[i] = list_nth_oid(hierarchies, i);
		entry->hierarchy_names[i] = relation_sql_name(entry->hierarchies[i]);
		entry->digests[i] = PointerGetDatum(hierarchy_digests(entry->hierarchies[i]));
	}
	entry->measures = measures_json(release);
	/* the people in the smallest class, if they have several rows each */
	entry->has_people_k = is_private(release) ? release->dataset->person != NULL :
		release->population->has_persons;
	entry->person = release->dataset->person;
	entry->people_k = release->measures.k;
	if (release->by.kind != BY_RECORDS && release->classes->starred > 0)
		entry->people_k = Min(entry->people_k, release->classes->starred);
	if (release->held != NULL)
		entry->people_k = Min(entry->people_k, release->last_people_k);
	entry->privacy = release->privacy;
	entry->is_private = entry->has_delta = entry->has_beta = is_private(release);
	entry->trusted = release->trusted;
	make_promises(release, entry);
	entry->covers = covers_of_release(release, &entry->ncovers);
	make_distributions(release, entry);
	return entry;
}

static void
append_names(StringInfo list, char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		appendStringInfo(list, "%s%s", i > 0 ? ", " : "", names[i]);
}

/* Whether an entry promises anything about the values of a sensitive column. */
static bool
is_promised(const ReleaseEntry *entry, const char *column)
{
	for (int i = 0; i < entry->npromises; i++)
		if (i < entry->ngeneral ? entry->promises[i].model != MODEL_K :
			entry->promises[i].column != NULL && strcmp(entry->promises[i].column, column) == 0)
			return true;
	return false;
}

char *
release_comment(const Release *release, const char *id)
{
	ReleaseEntry entry = {0};
	ColumnNames columns = column_names(release);
	StringInfoData comment;
	int			uncovered = columns.n[NAMES_UNCOVERED];
	char	  **others = palloc(sizeof(char *) * (release->ncolumns + 1));

	initStringInfo(&comment);
	make_promises(release, &entry);
	appendStringInfo(&comment, "anonopt release %s: ", id);
	memcpy(others, columns.names[NAMES_UNCOVERED], sizeof(char *) * uncovered);
	for (int i = 0; i < entry.npromises; i++)
	{
		const DeclaredPromise *promise = &entry.promises[i];
		bool		of_values = promise_is_general(promise) && promise->model != MODEL_K;

		if (promise_is_general(promise))
			appendStringInfo(&comment, "%s%s = %s %s ", i > 0 ? "; " : "", model_name(promise->model),
							 number_text(promise->threshold), of_values ? "in" : "by");
		else
			appendStringInfo(&comment, "; %s", promise_text(promise));
		if (promise_is_general(promise))
			append_names(&comment, columns.names[of_values ? NAMES_SENSITIVE : NAMES_GENERALIZED],
						 columns.n[of_values ? NAMES_SENSITIVE : NAMES_GENERALIZED]);
		if (promise->column != NULL)
			appendStringInfo(&comment, " in %s", promise->column);
		if (OidIsValid(promise->population))
			appendStringInfo(&comment, " of %s", relation_sql_name(promise->population));
	}
	if (is_private(release))
		appendStringInfo(&comment, "; differential privacy with epsilon = %s and delta = %s of a %s%s",
						 number_text(release->privacy.epsilon),
						 number_text(release->privacy.delta),
						 release->dataset->person == NULL ? "row" : "person",
						 release->trusted ? ", if the hierarchies do not depend on the data, for which"
						 " the publisher vouches" : "");
	/* which covers all columns */
	if (is_private(release))
		uncovered = 0;
	for (int i = 0; i < columns.n[NAMES_SENSITIVE] && !is_private(release); i++)
		if (!is_promised(&entry, columns.names[NAMES_SENSITIVE][i]))
			others[uncovered++] = columns.names[NAMES_SENSITIVE][i];
	if (uncovered > 0)
	{
		appendStringInfoString(&comment, "; no promise covers: ");
		append_names(&comment, others, uncovered);
	}
	appendStringInfoChar(&comment, '.');
	return comment.data;
}

/* -------------------------------------------------- a release of an entry */

Dataset *
dataset_of_release(const ReleaseEntry *entry)
{
	Dataset    *dataset = palloc0(sizeof(Dataset));

	dataset->relation = entry->relation;
	dataset->attributes = palloc0(sizeof(Declared) *
								  (MAX_ATTRIBUTES + entry->nclass_columns + entry->nsensitive + 2));
	for (int i = 0; i < entry->nclass_columns; i++)
		(void) dataset_declare(dataset, ROLE_QUASI_IDENTIFIER, entry->class_columns[i]);
	if (entry->star)
		(void) dataset_declare(dataset, ROLE_QUASI_IDENTIFIER, "anonopt_suppressed");
	return dataset;
}

Release *
release_of_entry(const ReleaseEntry *entry)
{
	Release    *release = palloc0(sizeof(Release));
	Dataset    *dataset = dataset_sound(dataset_load_owned(entry->dataset));
	Promise    *promise = &release->promise;

	release->id = entry->id;
	release->relation = entry->relation;
	release->dataset = dataset;
	dataset->for_release = true;
	release->form = entry->form;
	release->schema = get_rel_namespace(entry->relation);
	release->name = get_rel_name(entry->relation);
	release->sql_name = relation_sql_name(entry->relation);
	release->named = entry->columns;
	release->nnamed = entry->ncolumns;
	release->star = entry->star;
	release->permuted = entry->permuted;
	if (entry->nforms > 0)
		release->forms = palloc(sizeof(ColumnsAs) * entry->nforms);
	for (int i = 0; i < entry->nforms; i++)
		release->forms[i] = (ColumnsAs) find_name(entry->forms[i], columns_as_names, COLUMNS_AS);
	promise->k = (int64) general_promise(entry, MODEL_K)->threshold;
	if (entry->is_private)
		release->privacy = privacy_parameters(entry->privacy.epsilon, entry->privacy.delta,
											  &entry->privacy.beta);
	release->trusted = entry->trusted;
	/* beside those that are declared now, it keeps its own */
	for (int i = 0; i < entry->npromises; i++)
	{
		const DeclaredPromise *own = &entry->promises[i];

		if (own->model == MODEL_K && promise_is_general(own))
			continue;
		if (model_needs_population(own->model) && !OidIsValid(own->population))
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_TABLE),
					 errmsg("population of promise %s of release %s is gone", model_name(own->model),
							entry->name),
					 errhint("Drop the release and publish it again.")));
		if ((own->column != NULL && !dataset_has_role(dataset, ROLE_SENSITIVE, own->column)) ||
			(own->rows_known > 0 && dataset->person == NULL))
			refuse_changed(release);
		if (promise_is_general(own))
			promise_of_all(dataset, own->model, own->threshold);
		else
			dataset_promise(dataset, own);
	}
	promise_add_declared(promise, dataset);
	if (entry->ngeneralized != dataset_count_role(dataset, ROLE_QUASI_IDENTIFIER))
		refuse_changed(release);
	release->by = entry->by;
	if (entry->by.kind == BY_LEVELS)
		check_node(dataset, entry->by.levels);
	if (entry->by.kind == BY_RECODING && (!OidIsValid(entry->by.recoding) ||
										  get_rel_name(entry->by.recoding) == NULL))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("recoding %s of release %s is gone", entry->by.recoding_name, entry->name),
				 errhint("Drop the release and publish it again.")));
	for (int i = 0; i < entry->ncolumns; i++)
		require_column(dataset->relation, entry->columns[i]);
	release_choose(release);
	return release;
}

void
require_same_source(const Release *release, const ReleaseEntry *entry)
{
	if (release->dataset->relation != entry->source)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("release %s was made from another relation than data set \"%s\" declares now",
						release->sql_name, entry->dataset),
				 strcmp(entry->source_name, relation_sql_name(release->dataset->relation)) == 0 ?
				 errdetail("Relation %s was dropped and made again.", entry->source_name) :
				 errdetail("The data set declares %s.", relation_sql_name(release->dataset->relation)),
				 errhint("If this change is wanted, call anonopt.republish.")));
}

void
require_same_columns(const Release *release, const ReleaseEntry *entry, bool republishes)
{
	int			sensitive = 0;
	int			others = 0;
	bool		same = true;

	for (int i = 0; i < release->ncolumns && same; i++)
	{
		const ShownColumn *column = &release->columns[i];

		if (column->attr >= 0)
			same = strcmp(column->name, entry->generalized[column->attr]) == 0;
		else if (!republishes)
			same = others < entry->nothers && entry->others_as[others++] == shows_as(release, column);
		if (same && column->attr < 0 && column->promised)
			same = sensitive < entry->nsensitive && strcmp(column->name, entry->sensitive[sensitive++]) == 0;
	}
	if (!same || sensitive != entry->nsensitive || (!republishes && others != entry->nothers))
		refuse_changed(release);
}
