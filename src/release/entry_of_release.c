/*
 * entry_of_release.c
 *	  Builds the entry of a release that has been read.
 */
#include "release/release_parts.h"

#include "catalog/sql.h"
#include "read/population_read.h"
#include "release/release_verify.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"

static void
append_number(StringInfo json, const char *name, double value, bool isnull)
{
	appendStringInfo(json, "%s\"%s\": %s", json->len > 1 ? ", " : "", name,
					 isnull ? "null" : DatumGetCString(DirectFunctionCall1(float8out, Float8GetDatum(value))));
}

static char *
measures_json(const Release *release)
{
	const Population *population = release->spec.population;
	const Measures *m = &release->measures;
	bool		sensitive = population->nsensitive > 0;
	StringInfoData json;

	initStringInfo(&json);
	appendStringInfoChar(&json, '{');
	if (release->records != NULL)
	{
		append_number(&json, "min_utility", release->records->min_utility, false);
		appendStringInfoString(&json, ", \"key\": ");
		escape_json(&json, release->records->key);
		appendStringInfo(&json, ", \"risk\": \"%s\", \"utility\": \"%s\"", risk_name(release->records->risk),
						 utility_name(release->records->utility));
		if (population->has_persons)
		{
			append_number(&json, "rows", (double) population->people, false);
			append_number(&json, "people", (double) population->persons, false);
			append_number(&json, "k", (double) release->measures.k, false);
		}
		appendStringInfoChar(&json, '}');
		return json.data;
	}
	if (population->has_persons)
		append_number(&json, "rows", (double) population->people, false);
	append_number(&json, "people", (double) population->persons, false);
	append_number(&json, "k", (double) m->k, false);
	append_number(&json, "l", (double) m->l, !sensitive);
	append_number(&json, "entropy_l", m->entropy_l, !sensitive);
	append_number(&json, "t", m->t, !sensitive);
	append_number(&json, "suppressed", (double) m->suppressed, false);
	if (release->classes->starred > 0)
		append_number(&json, "starred", (double) release->classes->starred, false);
	append_number(&json, "classes", (double) m->classes, false);
	append_number(&json, "glm", m->glm, false);
	append_number(&json, "nwp", m->nwp, false);
	append_number(&json, "dcn", m->dcn, false);
	append_number(&json, "cm", m->cm, !population->has_label);
	append_number(&json, "necd", m->necd, false);
	appendStringInfoChar(&json, '}');
	return json.data;
}

ColumnNames
column_names(const Release *release)
{
	const Specification *spec = &release->spec;
	ColumnNames columns;

	memset(&columns, 0, sizeof(columns));
	for (int i = 0; i < 3; i++)
		columns.names[i] = palloc(sizeof(char *) * (spec->ncolumns + MAX_ATTRIBUTES));
	for (int a = 0; a < spec->population->nattrs; a++)
		columns.names[NAMES_GENERALIZED][columns.n[NAMES_GENERALIZED]++] = pstrdup(spec->population->attrs[a].name);
	for (int i = 0; i < spec->ncolumns; i++)
	{
		const ShownColumn *column = &spec->columns[i];
		int			kind = column->promised ? NAMES_SENSITIVE : NAMES_UNCOVERED;

		if (column->attr < 0)
			columns.names[kind][columns.n[kind]++] = pstrdup(column->name);
	}
	return columns;
}

/*
 * Whether a sensitive column is shown unchanged, so that its values can be
 * counted in the release.
 */
static bool
is_shown_sensitive(const Specification *spec, const char *column)
{
	for (int i = 0; i < spec->ncolumns; i++)
		if (strcmp(spec->columns[i].name, column) == 0)
			return spec->columns[i].attr < 0;
	return false;
}

/* The frequency of each sensitive value, if a promise of t needs it. */
static void
make_distributions(const Release *release, ReleaseEntry *entry)
{
	const Population *population = release->spec.population;
	const Dataset *dataset = release->spec.dataset;
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
		if (!is_shown_sensitive(&release->spec, dataset->attributes[i].column))
			continue;
		distribution->column = dataset->attributes[i].column;
		distribution->distance = unconstify(char *, distance_name(dataset->attributes[i].distance));
		distribution->hierarchy = dataset->attributes[i].hierarchy;
		distribution->nvalues = population->columns[j]->nvalues;
		distribution->values = release->spool.values[j];
		distribution->leaves = release->spool.leaves[j];
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
	if (release->spec.population != NULL)
		make_distributions(release, entry);
	release_close(release);
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

Generalization
release_generalization(const Release *release)
{
	Generalization by = {BY_RECORDS};

	if (release->levels != NULL)
	{
		by.kind = BY_LEVELS;
		by.levels = release->levels;
	}
	else if (release->cuts != NULL)
	{
		by.kind = BY_CUTS;
		by.cuts.bits = release->cuts;
		by.cuts.labels = labels_of_cuts(release->spec.population, &by.cuts.nlabels);
	}
	else if (release->recoding != NULL)
	{
		by.kind = BY_RECODING;
		by.recoding.table = release->recoding->table;
		by.recoding.name = relation_sql_name(release->recoding->table);
		by.recoding.labels = release->recoding->labels;
	}
	return by;
}

ReleaseEntry *
entry_of_release(const Release *release, const char *id, Oid relation)
{
	const Specification *spec = &release->spec;
	ReleaseEntry *entry = palloc0(sizeof(ReleaseEntry));
	ColumnNames columns = column_names(release);
	List	   *hierarchies = release_hierarchies(spec->dataset);
	double		l;

	entry->id = pstrdup(id);
	entry->relation = relation;
	entry->form = release->form;
	entry->name = release->sql_name;
	entry->dataset = spec->dataset->name;
	entry->source = spec->dataset->relation;
	entry->by = release_generalization(release);
	entry->k = spec->promise.k;
	entry->has_l = promised_of_all(spec->dataset, MODEL_L, &l);
	entry->l = (int64) l;
	entry->has_t = promised_of_all(spec->dataset, MODEL_T, &entry->t);
	entry->ncolumns = release->nnamed;
	entry->columns = release->named;
	entry->star = spec->star;
	entry->ngeneralized = columns.n[NAMES_GENERALIZED];
	entry->generalized = columns.names[NAMES_GENERALIZED];
	entry->nsensitive = columns.n[NAMES_SENSITIVE];
	entry->sensitive = columns.names[NAMES_SENSITIVE];
	entry->hierarchies = palloc(sizeof(Oid) * (list_length(hierarchies) + 1));
	entry->hierarchy_names = palloc(sizeof(char *) * (list_length(hierarchies) + 1));
	entry->digests = palloc(sizeof(Datum) * (list_length(hierarchies) + 1));
	for (int i = 0; i < list_length(hierarchies); i++)
	{
		entry->hierarchies[i] = list_nth_oid(hierarchies, i);
		entry->hierarchy_names[i] = relation_sql_name(entry->hierarchies[i]);
		entry->digests[i] = PointerGetDatum(hierarchy_digests(entry->hierarchies[i]));
	}
	entry->nhierarchies = list_length(hierarchies);
	entry->measures = measures_json(release);
	entry->promises_json = promises_json(spec->dataset);
	entry->covers_json = covers_json(release);
	make_distributions(release, entry);
	return entry;
}

static void
append_names(StringInfo text, char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		appendStringInfo(text, "%s%s", i > 0 ? ", " : "", names[i]);
}

char *
release_comment(const Release *release, const char *id)
{
	const Dataset *dataset = release->spec.dataset;
	double		l;
	double		t;
	bool		has_l = promised_of_all(dataset, MODEL_L, &l);
	ColumnNames columns = column_names(release);
	StringInfoData text;
	int			uncovered = columns.n[NAMES_UNCOVERED];
	char	  **others = palloc(sizeof(char *) * (release->spec.ncolumns + 1));

	initStringInfo(&text);
	appendStringInfo(&text, "anonopt release %s: k = " INT64_FORMAT " by ", id, release->spec.promise.k);
	append_names(&text, columns.names[NAMES_GENERALIZED], columns.n[NAMES_GENERALIZED]);
	memcpy(others, columns.names[NAMES_UNCOVERED], sizeof(char *) * uncovered);
	if (has_l)
	{
		appendStringInfo(&text, "; l = %.0f in ", l);
		append_names(&text, columns.names[NAMES_SENSITIVE], columns.n[NAMES_SENSITIVE]);
	}
	if (promised_of_all(dataset, MODEL_T, &t))
	{
		appendStringInfo(&text, "; t = %s in ", DatumGetCString(DirectFunctionCall1(float8out, Float8GetDatum(t))));
		append_names(&text, columns.names[NAMES_SENSITIVE], columns.n[NAMES_SENSITIVE]);
	}
	append_promises(&text, dataset);
	if (!has_l && !dataset_promises_values(dataset))
		for (int i = 0; i < columns.n[NAMES_SENSITIVE]; i++)
			others[uncovered++] = columns.names[NAMES_SENSITIVE][i];
	if (uncovered > 0)
	{
		appendStringInfoString(&text, "; no promise covers: ");
		append_names(&text, others, uncovered);
	}
	appendStringInfoChar(&text, '.');
	return text.data;
}
