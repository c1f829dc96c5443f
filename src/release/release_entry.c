/*
 * release_entry.c
 *	  The entries of releases, in anonopt.published.
 *
 * In the database where the entry was written, a release's relation is
 * identified by its OID and row type; elsewhere by an id in its comment, and
 * other relations by their names.  A relation found by name is trusted because
 * of its owner and its rows, not because of the entry.
 */
#include "release/release_entry.h"

#include "base/names.h"
#include "catalog/sql.h"
#include "catalog/own_objects.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "engine/population.h"
#include "release/entry_row.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

static const char *const form_names[] = {"table", "materialized view", "live view"};
static const char form_kinds[] = {RELKIND_RELATION, RELKIND_MATVIEW, RELKIND_VIEW};

const char *
release_form_name(ReleaseForm form)
{
	return form_names[form];
}

/* Reads a distribution of sensitive values from the columns of a row. */
static void
read_distribution(const EntryRow *row, const ReleaseEntry *entry, Distribution *distribution)
{
	int64		hierarchy = number_field(row, 3, 0, entry->nhierarchies);
	char	  **leaves;
	Datum	   *people;
	int			n;

	distribution->column = required_text(row, 1);
	distribution->distance = required_text(row, 2);
	distribution->hierarchy = hierarchy == 0 ? InvalidOid : entry->hierarchies[hierarchy - 1];
	distribution->values = nullable_texts_field(row, 4, &distribution->nvalues);
	leaves = nullable_texts_field(row, 5, &n);
	if (n > 0 && n != distribution->nvalues)
		refuse_entry(row);
	distribution->leaves = n > 0 ? leaves : NULL;
	if ((strcmp(distribution->distance, distance_name(DISTANCE_HIERARCHICAL)) == 0 && distribution->leaves == NULL) ||
		(distribution->leaves != NULL && !OidIsValid(distribution->hierarchy)))
		refuse_entry(row);
	people = elements_field(row, 6, INT8OID, &n);
	if (n != distribution->nvalues)
		refuse_entry(row);
	distribution->people = palloc(sizeof(int64) * (n + 1));
	for (int i = 0; i < n; i++)
	{
		distribution->people[i] = DatumGetInt64(people[i]);
		if (distribution->people[i] < 0 || distribution->people[i] > INT64CONST(1) << 47)
			refuse_entry(row);
	}
}

static void
read_distributions(ReleaseEntry *entry)
{
	Oid			types[1] = {TEXTOID};
	Datum		values[1] = {CStringGetTextDatum(entry->id)};
	const Oid	results[] = {TEXTOID, TEXTOID, INT8OID, TEXTARRAYOID, TEXTARRAYOID, INT8ARRAYOID};
	QueryRows  *rows;

	rows = read_catalog("SELECT d ->> 'column', d ->> 'distance', (d ->> 'hierarchy')::int8,"
						" ARRAY(SELECT v FROM jsonb_array_elements_text(d -> 'values') WITH ORDINALITY x (v, i) ORDER BY i),"
						" ARRAY(SELECT v FROM jsonb_array_elements_text(d -> 'leaves') WITH ORDINALITY x (v, i) ORDER BY i),"
						" ARRAY(SELECT v::int8 FROM jsonb_array_elements_text(d -> 'people') WITH ORDINALITY x (v, i) ORDER BY i)"
						" FROM anonopt.published p, jsonb_array_elements(p.distributions) WITH ORDINALITY y (d, n)"
						" WHERE p.id = $1::uuid ORDER BY n", 1, types, values, lengthof(results), results);
	entry->ndistributions = rows->n;
	entry->distributions = palloc0(sizeof(Distribution) * (entry->ndistributions + 1));
	for (int i = 0; i < entry->ndistributions; i++)
	{
		EntryRow	row = {rows, i, entry->name};

		read_distribution(&row, entry, &entry->distributions[i]);
	}
}

/* Reads a promise from the columns of a row. */
static void
read_promise(const EntryRow *row, DeclaredPromise *promise)
{
	int			model = model_by_name(required_text(row, 1));
	bool		isnull;
	char	   *population = text_field(row, 6);
	char	   *problem;

	if (model < 0 || model == MODEL_K)
		refuse_entry(row);
	promise->model = (PromiseModel) model;
	promise->column = text_field(row, 2);
	promise->threshold = DatumGetFloat8(row_field(row, 3, &isnull));
	if (isnull)
		refuse_entry(row);
	promise->c = DatumGetFloat8(row_field(row, 4, &isnull));
	promise->has_c = !isnull;
	promise->population = population == NULL ? InvalidOid : (Oid) number_field(row, 5, 0, PG_UINT32_MAX);
	if (OidIsValid(promise->population) && get_rel_name(promise->population) == NULL)
		promise->population = InvalidOid;
	if (OidIsValid(promise->population))
		promise->population_type = get_rel_type_id(promise->population);
	else if (population != NULL && model_needs_population(promise->model))
		return;
	problem = promise_problem(promise);
	if (problem != NULL)
		refuse_entry(row);
}

static void
read_promises(ReleaseEntry *entry)
{
	Oid			types[1] = {TEXTOID};
	Datum		values[1] = {CStringGetTextDatum(entry->id)};
	const Oid	results[] = {TEXTOID, TEXTOID, FLOAT8OID, FLOAT8OID, INT8OID, TEXTOID};
	QueryRows  *rows;

	rows = read_catalog("SELECT q ->> 'model', q ->> 'column', (q ->> 'threshold')::float8, (q ->> 'c')::float8,"
						" " RESOLVED("(q ->> 'population_number')::int8", "(q ->> 'population')") ", q ->> 'population'"
						" FROM anonopt.published p, jsonb_array_elements(p.promises) WITH ORDINALITY y (q, n)"
						" WHERE p.id = $1::uuid ORDER BY n", 1, types, values, lengthof(results), results);
	entry->npromises = Min(rows->n, MAX_PROMISES + 1);
	entry->promises = palloc0(sizeof(DeclaredPromise) * (entry->npromises + 1));
	for (int i = 0; i < entry->npromises; i++)
	{
		EntryRow	row = {rows, i, entry->name};

		if (entry->npromises > MAX_PROMISES)
			refuse_entry(&row);
		read_promise(&row, &entry->promises[i]);
	}
}

/* Whether anything is promised about the shares of a column's values. */
static bool
promises_column(const ReleaseEntry *entry, const char *column)
{
	for (int i = 0; i < entry->npromises; i++)
		if (entry->promises[i].column != NULL && strcmp(entry->promises[i].column, column) == 0)
			return true;
	return entry->has_t;
}

/*
 * If shares are promised, each sensitive column that is shown needs its
 * distribution.
 */
static void
require_distributions(const ReleaseEntry *entry)
{
	const EntryRow row = {NULL, 0, entry->name};

	for (int i = 0; i < entry->nsensitive; i++)
	{
		int			d = 0;

		if (!promises_column(entry, entry->sensitive[i]))
			continue;
		while (d < entry->ndistributions && strcmp(entry->distributions[d].column, entry->sensitive[i]) != 0)
			d++;
		if (d == entry->ndistributions)
			refuse_entry(&row);
	}
}

static ReleaseForm
form_by_name(const EntryRow *row, const char *name)
{
	int			form = find_name(name, form_names, lengthof(form_names));

	if (form < 0)
		refuse_entry(row);
	return (ReleaseForm) form;
}

static ReleaseEntry *
read_entry(const EntryRow *row, Oid relation)
{
	ReleaseEntry *entry = palloc0(sizeof(ReleaseEntry));
	bool		isnull;
	int			n;

	entry->relation = relation;
	entry->id = required_text(row, 1);
	entry->form = form_by_name(row, required_text(row, 2));
	entry->name = required_text(row, 3);
	entry->dataset = required_text(row, 4);
	entry->source = (Oid) number_field(row, 5, 0, PG_UINT32_MAX);
	entry->k = number_field(row, 6, 1, PG_INT32_MAX);
	(void) row_field(row, 7, &isnull);
	entry->has_l = !isnull;
	if (entry->has_l)
		entry->l = number_field(row, 7, 1, PG_INT32_MAX);
	entry->t = DatumGetFloat8(row_field(row, 8, &isnull));
	entry->has_t = !isnull;
	entry->columns = texts_field(row, 9, &entry->ncolumns);
	entry->star = strcmp(required_text(row, 10), "star") == 0;
	entry->filled_at = DatumGetTimestampTz(row_field(row, 11, &isnull));
	entry->is_filled = !isnull;
	entry->generalized = texts_field(row, 12, &entry->ngeneralized);
	entry->sensitive = texts_field(row, 13, &entry->nsensitive);
	entry->hierarchies = oids_field(row, 14, &entry->nhierarchies);
	entry->hierarchy_names = texts_field(row, 15, &n);
	if (n == entry->nhierarchies)
		entry->digests = elements_field(row, 16, BYTEAOID, &n);
	entry->measures = required_text(row, 17);
	entry->by = generalization_field(row, 18, entry->ngeneralized);
	if (n != entry->nhierarchies || entry->nhierarchies < entry->ngeneralized || entry->ngeneralized > MAX_ATTRIBUTES ||
		entry->ngeneralized == 0 || (entry->has_t && !(entry->t >= 0 && entry->t <= 1)))
		refuse_entry(row);
	return entry;
}

ReleaseEntry *
release_entry_find(Oid relation)
{
	Oid			types[1] = {OIDOID};
	Datum		values[1] = {ObjectIdGetDatum(relation)};
	ReleaseEntry *entry = NULL;
	const Oid	results[] = {TEXTOID, TEXTOID, TEXTOID, TEXTOID, INT8OID, INT8OID, INT8OID, FLOAT8OID, TEXTARRAYOID, TEXTOID,
	TIMESTAMPTZOID, TEXTARRAYOID, TEXTARRAYOID, INT8ARRAYOID, TEXTARRAYOID, BYTEAARRAYOID, TEXTOID, GENERALIZATION_TYPES};
	QueryRows  *rows;

	rows = read_catalog("SELECT p.id::text, p.form, p.name, p.dataset, " RESOLVED("p.source", "p.source_name") ","
						" p.k, p.l, p.t, p.columns::text[], p.suppressed, p.filled_at, p.generalized::text[], p.sensitive::text[],"
						" " RESOLVED_HIERARCHIES ", p.hierarchy_names, p.digests, p.measures::text, " GENERALIZATION_COLUMNS
						" FROM anonopt.published p WHERE " FIND_RELEASE " = $1 ORDER BY p.published_at DESC LIMIT 1",
						1, types, values, lengthof(results), results);
	if (rows->n > 0)
	{
		EntryRow	row = {rows, 0, relation_sql_name(relation)};

		entry = read_entry(&row, relation);
	}
	if (entry != NULL)
	{
		read_distributions(entry);
		read_promises(entry);
		require_distributions(entry);
	}
	return entry;
}

Oid
release_by_id(Datum id)
{
	Oid			types[1] = {UUIDOID};
	const Oid	results[] = {OIDOID};
	QueryRows  *rows = read_catalog("SELECT " FIND_RELEASE " FROM anonopt.published p WHERE p.id = $1", 1, types, &id, lengthof(results), results);
	bool		isnull = true;
	Datum		relation = rows->n == 0 ? (Datum) 0 : row_value(rows, 0, 0, &isnull);

	return isnull ? InvalidOid : DatumGetObjectId(relation);
}

ReleaseEntry *
release_entry_require(Oid relation)
{
	ReleaseEntry *entry;

	if (get_rel_name(relation) == NULL)
		relation_is_missing(relation);
	entry = release_entry_find(relation);
	if (entry == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("relation %s is not a release of anonopt", relation_sql_name(relation)),
				 errhint("See anonopt.release.")));
	/* another relation with that name would not be a release */
	if (get_rel_relkind(relation) != form_kinds[entry->form])
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("relation %s is no longer what was published", relation_sql_name(relation)),
				 errhint("Drop it and publish it again.")));
	return entry;
}

char *
release_entry_added_columns(const ReleaseEntry *entry)
{
	Oid			types[6] = {TEXTOID, OIDOID, NAMEARRAYOID, NAMEARRAYOID, NAMEARRAYOID, BOOLOID};
	Datum		values[6] = {CStringGetTextDatum(entry->id), ObjectIdGetDatum(entry->relation),
		names_datum(entry->generalized, entry->ngeneralized), names_datum(entry->sensitive, entry->nsensitive),
	names_datum(entry->columns, entry->ncolumns), BoolGetDatum(entry->star)};
	const Oid	results[] = {TEXTOID};
	QueryRows  *added;

	/*
	 * the content says which column was the class label; a live view has no
	 * content and shows the declared one
	 */
	added = read_catalog("SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM pg_attribute a"
						 " WHERE a.attrelid = $2 AND a.attnum > 0 AND NOT a.attisdropped AND NOT a.attname = ANY ($3 || $4 || $5)"
						 " AND NOT ($6 AND a.attname = 'anonopt_suppressed')"
						 " AND NOT EXISTS (SELECT FROM anonopt.published_content c WHERE c.id = $1::uuid AND a.attname = ANY (c.told))"
						 " AND NOT EXISTS (SELECT FROM anonopt.published_link l WHERE l.id = $1::uuid AND l.column_name = a.attname)"
						 " AND NOT EXISTS (SELECT FROM anonopt.published p JOIN anonopt.attribute d ON d.dataset = p.dataset"
						 " WHERE p.id = $1::uuid AND p.form = 'live view' AND d.column_name = a.attname AND d.role = 'class_label')",
						 6, types, values, 1, results);
	return row_text(added, 0, 0);
}
