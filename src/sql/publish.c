/*
 * publish.c
 *	  SQL: release_query, fill_release, release_entry, write_release, write_content,
 *	  creation_name.
 *
 * What publishing needs of the engine and of the catalogs; the rest of it is
 * ordinary SQL, in the install script.
 */
#include "base/compat.h"

#include "access/htup_details.h"
#include "sql/arguments.h"
#include "catalog/own_tables.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "sql/cuts_argument.h"
#include "release/fill.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "release/showing.h"
#include "read/population_read.h"
#include "catalog/sql.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(anonopt_release_query);
PG_FUNCTION_INFO_V1(anonopt_fill_release);
PG_FUNCTION_INFO_V1(anonopt_release_entry);
PG_FUNCTION_INFO_V1(anonopt_write_release);
PG_FUNCTION_INFO_V1(anonopt_write_content);
PG_FUNCTION_INFO_V1(anonopt_creation_name);

/* The node or the cut of a showing. */
static const Recoding **
shown_argument(FunctionCallInfo fcinfo, Showing *showing, int **levels)
{
	int			nnodes;

	if (PG_ARGISNULL(1) == PG_ARGISNULL(2))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("levels or cuts are expected, not both"),
				 errhint("Give the levels of a node, as anonopt.optimize finds it, or cuts, as anonopt.nsga2 does.")));
	if (PG_ARGISNULL(1))
	{
		Datum	   *cuts = cuts_argument(fcinfo, 2, showing->dataset, &nnodes);

		if (nnodes != 1)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("only one generalization is expected, not %d", nnodes)));
		showing_choose_cut(showing, node_of_cuts(showing->population, cuts));
		return showing->cut;
	}
	showing->levels = *levels;
	return node_of_levels(showing->population, *levels);
}

static void
refuse_unkept(const Dataset *dataset, const Promise *promise, const Measures *measures, int64 people)
{
	if (measures->classes == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("no class keeps the promise"),
				 errhint("Promise less, or choose a more general node: see anonopt.pareto.")));
	if (!measures->feasible)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("too many people are in classes that break the promise"),
				 errdetail(INT64_FORMAT " of " INT64_FORMAT " would be suppressed, " INT64_FORMAT " may be.",
						   measures->suppressed, people, promise->limit),
				 errhint("Promise less, choose a more general node, or allow more suppression for data set \"%s\".",
						 dataset->name)));
}

/* Measures what is to be published; k becomes the node's own where none is given. */
static void
measure_showing(Showing *showing, Recodings node, Measures *measures)
{
	Population *population = showing->population;
	Promise    *promise = &showing->promise;

	promise->limit = share_of_people(showing->dataset->max_suppression, population->people);
	measure_alone(measurer_create(population, promise), node, measures);
	refuse_unkept(showing->dataset, promise, measures, population->people);
	if (promise->has_k)
		return;
	if (measures->k < 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("nothing would be hidden: the node's k is " INT64_FORMAT, measures->k),
				 errhint("Choose a more general node, or say k => 1 if that is what you want.")));
	promise->has_k = true;
	promise->k = measures->k;
	measure_alone(measurer_create(population, promise), node, measures);
	refuse_unkept(showing->dataset, promise, measures, population->people);
}

static void
append_number(StringInfo json, const char *name, double value, bool isnull)
{
	appendStringInfo(json, "%s\"%s\": %s", json->len > 1 ? ", " : "", name,
					 isnull ? "null" : DatumGetCString(DirectFunctionCall1(float8out, Float8GetDatum(value))));
}

static Datum
measures_datum(const Population *population, const Measures *m)
{
	bool		sensitive = population->nsensitive > 0;
	StringInfoData json;

	initStringInfo(&json);
	appendStringInfoChar(&json, '{');
	append_number(&json, "people", (double) population->people, false);
	append_number(&json, "k", (double) m->k, false);
	append_number(&json, "l", (double) m->l, !sensitive);
	append_number(&json, "entropy_l", m->entropy_l, !sensitive);
	append_number(&json, "t", m->t, !sensitive);
	append_number(&json, "suppressed", (double) m->suppressed, false);
	append_number(&json, "classes", (double) m->classes, false);
	append_number(&json, "glm", m->glm, false);
	append_number(&json, "nwp", m->nwp, false);
	append_number(&json, "dcn", m->dcn, false);
	append_number(&json, "cm", m->cm, population->ncolumns == population->nsensitive);
	append_number(&json, "necd", m->necd, false);
	appendStringInfoChar(&json, '}');
	return CStringGetTextDatum(json.data);
}

static Datum
names_datum(const char **names, int n)
{
	Datum	   *elements = palloc(sizeof(Datum) * (n + 1));

	for (int i = 0; i < n; i++)
		elements[i] = name_datum(names[i]);
	return PointerGetDatum(construct_array(elements, n, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR));
}

/* The columns that are generalized, that a promise is about, and the others. */
static void
column_datums(const Showing *showing, Datum *generalized, Datum *promised, Datum *others)
{
	int			n[3] = {0};
	const char **names[3];

	for (int i = 0; i < 3; i++)
		names[i] = palloc(sizeof(char *) * (showing->ncolumns + MAX_ATTRIBUTES));
	for (int a = 0; a < showing->population->nattrs; a++)
		names[0][n[0]++] = showing->population->attrs[a].name;
	for (int i = 0; i < showing->ncolumns; i++)
	{
		const ShownColumn *column = &showing->columns[i];
		int			kind = column->promised ? 1 : 2;

		if (column->attr < 0)
			names[kind][n[kind]++] = column->name;
	}
	*generalized = names_datum(names[0], n[0]);
	*promised = names_datum(names[1], n[1]);
	*others = names_datum(names[2], n[2]);
}

/* A generalization that is to be published, as it was asked for. */
typedef struct ReleasePlan
{
	Showing		showing;
	RelationRows *records;		/* or NULL: only a statement is wanted */
	Recodings	node;
	Measures	measures;
} ReleasePlan;

/* The columns of release_query; fill_release has more. */
enum
{
	QUERY_STATEMENT, QUERY_K, QUERY_MEASURES, QUERY_GENERALIZED, QUERY_SENSITIVE, QUERY_UNCOVERED,
	QUERY_COLUMNS,
	QUERY_DEFINITION = QUERY_COLUMNS, QUERY_KEY, QUERY_LABELS, QUERY_PEOPLE,
	MADE_COLUMNS
};

/* Rows with the columns that are shown as they are, for a node or any cut. */
static RelationRows *
begin_records(const Showing *showing, const int *levels)
{
	const char **names = palloc(sizeof(char *) * (showing->ncolumns + 1));
	int			lowest[MAX_ATTRIBUTES];
	int			n = 0;

	for (int i = 0; i < showing->dataset->nattributes; i++)
		if (showing->dataset->attributes[i].role == ROLE_QUASI_IDENTIFIER)
			lowest[n++] = showing->dataset->attributes[i].min_level;
	n = 0;
	for (int i = 0; i < showing->ncolumns; i++)
		if (showing->columns[i].attr < 0)
			names[n++] = showing->columns[i].name;
	return relation_rows_with_columns(showing->dataset, levels != NULL ? levels : lowest, names, n);
}

/* Reads and measures what is to be published. */
static void
prepare_release(FunctionCallInfo fcinfo, ReleasePlan *plan, bool with_records)
{
	Showing    *showing = &plan->showing;
	Dataset    *dataset = dataset_argument(fcinfo, 0);
	int		   *levels = PG_ARGISNULL(1) ? NULL : node_argument(fcinfo, 1, dataset);
	char	  **named = NULL;
	int			nnamed = 0;

	showing->dataset = dataset;
	showing->promise = promise_arguments(fcinfo, 3, dataset);
	if (!PG_ARGISNULL(6))
		named = columns_argument(fcinfo, 6, dataset->relation, &nnamed);
	showing->star = !PG_ARGISNULL(7) && PG_GETARG_BOOL(7);
	showing->snapshot = PG_ARGISNULL(8) || PG_GETARG_BOOL(8);
	if (dataset->count_column != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("data set \"%s\" cannot be published: its rows stand for several people", dataset->name),
				 errhint("Publish from a relation with a row a person.")));
	showing_choose_columns(showing, (const char *const *) named, nnamed);
	if (with_records)
	{
		plan->records = begin_records(showing, levels);
		showing->population = relation_rows_population(plan->records);
	}
	else
		showing->population = population_argument(dataset);
	if (showing->population == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("relation %s has no rows to publish", relation_sql_name(dataset->relation))));
	require_weights(dataset, showing->population);
	plan->node = shown_argument(fcinfo, showing, &levels);
	measure_showing(showing, plan->node, &plan->measures);
}

static void
put_release(const ReleasePlan *plan, Datum *values)
{
	const Showing *showing = &plan->showing;

	values[QUERY_STATEMENT] = CStringGetTextDatum(showing_sql(showing));
	values[QUERY_K] = Int64GetDatum(showing->promise.k);
	values[QUERY_MEASURES] = measures_datum(showing->population, &plan->measures);
	column_datums(showing, &values[QUERY_GENERALIZED], &values[QUERY_SENSITIVE], &values[QUERY_UNCOVERED]);
}

static Datum
release_row(FunctionCallInfo fcinfo, Datum *values, bool *nulls)
{
	TupleDesc	desc;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls));
}

/* The statement that shows a generalization, and its measures. */
Datum
anonopt_release_query(PG_FUNCTION_ARGS)
{
	ReleasePlan plan = {0};
	Datum		values[QUERY_COLUMNS];
	bool		nulls[QUERY_COLUMNS] = {0};

	prepare_release(fcinfo, &plan, false);
	put_release(&plan, values);
	PG_RETURN_DATUM(release_row(fcinfo, values, nulls));
}

/* What a release shows of each class: its labels, and how many people. */
static void
content_datums(const Showing *showing, const ShownClasses *shown, Datum *labels, Datum *people)
{
	const Population *population = showing->population;
	Size		n = (Size) shown->n * population->nattrs;
	Datum	   *texts = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(Datum) * (n + 1));
	bool	   *nulls = MemoryContextAllocHuge(CurrentMemoryContext, n + 1);
	Datum	   *counts = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(Datum) * ((Size) shown->n + 1));
	int			dims[2] = {shown->n, population->nattrs};
	int			bounds[2] = {1, 1};

	for (uint32 i = 0; i < shown->n; i++)
	{
		counts[i] = Int64GetDatum(shown->people[i]);
		for (int a = 0; a < population->nattrs; a++)
		{
			Datum		label = shown_label(showing, shown, i, a);

			nulls[(Size) i * population->nattrs + a] = label == 0;
			texts[(Size) i * population->nattrs + a] = label;
		}
	}
	*labels = PointerGetDatum(construct_md_array(texts, nulls, 2, dims, bounds, TEXTOID, -1, false, TYPALIGN_INT));
	*people = PointerGetDatum(construct_array(counts, shown->n, INT8OID, sizeof(int64), true, TYPALIGN_DOUBLE));
}

/* A table beside a release, for what its definition must not tell. */
static void
create_key(Showing *showing, const RangeVar *release)
{
	Oid			schema = RangeVarGetCreationNamespace(release);
	char	   *name = ChooseRelationName(release->relname, NULL, "key", schema, false);
	ListCell   *cell;

	/* the release, which is not there yet, may have such a name */
	if (strcmp(name, release->relname) == 0)
		name = ChooseRelationName(release->relname, NULL, "keys", schema, false);
	showing->key = quote_qualified_identifier(get_namespace_name(schema), name);
	sql_connect();
	foreach(cell, showing_key_sql(showing))
		sql_write(lfirst(cell), 0, NULL, NULL, NULL);
	sql_finish();
}

/* Makes a relation of what the statement shows, empty or not. */
static void
create_relation(const char *form, const char *name, const char *definition, bool empty)
{
	sql_connect();
	sql_write(psprintf("CREATE %s %s AS %s%s", form, name, definition, empty ? " WITH NO DATA" : ""), 0, NULL, NULL, NULL);
	sql_finish();
}

static const char *
form_argument(FunctionCallInfo fcinfo, int argument)
{
	const char *const forms[] = {"table", "materialized view", "live view"};

	require_argument(fcinfo, argument, "form");
	for (int i = 0; i < lengthof(forms); i++)
		if (strcmp(forms[i], text_to_cstring(PG_GETARG_TEXT_PP(argument))) == 0)
			return forms[i];
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown form of a release"),
			 errhint("A release is a table, a materialized view or a live view.")));
	return NULL;
}

/*
 * The same, and makes a snapshot of a name: filled by what was measured,
 * where rows are sure to be the same when they are read again; else by the
 * statement.  A live view is left to others, but for its key.
 */
Datum
anonopt_fill_release(PG_FUNCTION_ARGS)
{
	ReleasePlan plan = {0};
	Showing    *showing = &plan.showing;
	Datum		values[MADE_COLUMNS] = {0};
	bool		nulls[MADE_COLUMNS] = {0};
	const char *form = form_argument(fcinfo, 9);
	RangeVar   *range = creation_range_var(name_argument(fcinfo, 10, "name"));
	char	   *name = quote_qualified_identifier(get_namespace_name(RangeVarGetCreationNamespace(range)), range->relname);
	bool		live = strcmp(form, "live view") == 0;
	bool		fills = !live && rows_stay(dataset_argument(fcinfo, 0)->relation);
	char	   *definition;

	prepare_release(fcinfo, &plan, fills);
	put_release(&plan, values);
	if (strcmp(form, "table") != 0 && showing_tells_leaves(showing))
		create_key(showing, range);
	definition = showing_sql(showing);
	values[QUERY_DEFINITION] = CStringGetTextDatum(definition);
	nulls[QUERY_KEY] = showing->key == NULL;
	values[QUERY_KEY] = showing->key == NULL ? 0 : CStringGetTextDatum(showing->key);
	nulls[QUERY_LABELS] = nulls[QUERY_PEOPLE] = !fills;
	if (!live)
		create_relation(form, name, definition, fills);
	if (fills)
	{
		ShownClasses *shown = showing_classes(showing, plan.node);

		fill_relation(showing, shown, plan.records, RangeVarGetRelid(range, NoLock, false));
		content_datums(showing, shown, &values[QUERY_LABELS], &values[QUERY_PEOPLE]);
	}
	PG_RETURN_DATUM(release_row(fcinfo, values, nulls));
}

/* What is written down of a release, as jsonb, for its owner. */
Datum
anonopt_release_entry(PG_FUNCTION_ARGS)
{
	Oid			relation = PG_GETARG_OID(0);
	Oid			types[1] = {OIDOID};
	Datum		values[1] = {ObjectIdGetDatum(relation)};

	if (get_rel_name(relation) == NULL)
		relation_is_missing(relation);
	if (!pg_class_ownercheck(relation, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(get_rel_relkind(relation)), get_rel_name(relation));
	return read_catalog("SELECT pg_catalog.to_jsonb(p)::pg_catalog.text FROM anonopt.published p"
						" WHERE anonopt.find_release(p.id, p.relation, p.row_type, p.made_in, p.published_by) OPERATOR(pg_catalog.=) $1",
						1, types, values, &fcinfo->isnull);
}

/* What a release is now, and of whom; the rest of an entry is as given. */
#define ENTRY "pg_catalog.jsonb_populate_record(NULL::anonopt.published, $1::pg_catalog.jsonb" \
	" OPERATOR(pg_catalog.||) pg_catalog.jsonb_build_object('relation', $2::pg_catalog.int8," \
	" 'row_type', (SELECT c.reltype::pg_catalog.int8 FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) $2)," \
	" 'made_in', anonopt.this_database(), 'name', $3::pg_catalog.text, 'published_by', $4::pg_catalog.text, 'published_at', pg_catalog.clock_timestamp()))"

/* Releases of a data set are its owner's to make, and in the form that the relation has. */
#define MAY_PUBLISH "EXISTS (SELECT FROM anonopt.dataset d JOIN pg_catalog.pg_roles o ON o.rolname OPERATOR(pg_catalog.=) d.owner" \
	" JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) $2" \
	" WHERE d.dataset OPERATOR(pg_catalog.=) ($1::pg_catalog.jsonb OPERATOR(pg_catalog.->>) 'dataset')" \
	" AND pg_catalog.pg_has_role($4::pg_catalog.name, o.oid, 'MEMBER')" \
	" AND ($1::pg_catalog.jsonb OPERATOR(pg_catalog.->>) 'form') OPERATOR(pg_catalog.=)" \
	" CASE c.relkind WHEN 'm' THEN 'materialized view' WHEN 'r' THEN 'table' WHEN 'v' THEN 'live view' END)"

static void
require_release_owner(Oid relation)
{
	if (get_rel_name(relation) == NULL)
		relation_is_missing(relation);
	if (!pg_class_ownercheck(relation, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, get_rel_name(relation));
}

/* Writes an entry, or its measures, of a release of the caller's own. */
Datum
anonopt_write_release(PG_FUNCTION_ARGS)
{
	char	   *what = text_to_cstring(PG_GETARG_TEXT_PP(0));
	Oid			relation = PG_GETARG_OID(1);
	Oid			types[4] = {TEXTOID, OIDOID, TEXTOID, TEXTOID};
	Datum		values[4];

	require_release_owner(relation);
	values[0] = PG_GETARG_DATUM(2);
	values[1] = ObjectIdGetDatum(relation);
	values[2] = CStringGetTextDatum(relation_sql_name(relation));
	values[3] = CStringGetTextDatum(GetUserNameFromId(GetUserId(), false));
	if (strcmp(what, "entry") == 0)
	{
		if (write_catalog("INSERT INTO anonopt.published SELECT (" ENTRY ").* WHERE " MAY_PUBLISH, 4, types, values, NULL) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					 errmsg("must be owner of the data set to publish it")));
	}
	else if (strcmp(what, "measures") == 0)
		write_catalog("UPDATE anonopt.published p SET measures = $1::pg_catalog.jsonb,"
					  " published_by = $4, published_at = pg_catalog.clock_timestamp()"
					  " WHERE anonopt.find_release(p.id, p.relation, p.row_type, p.made_in, p.published_by) OPERATOR(pg_catalog.=) $2 AND $3 IS NOT NULL",
					  4, types, values, NULL);
	else
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("nothing is written of \"%s\"", what),
				 errhint("Of a release, entry and measures are written.")));
	PG_RETURN_VOID();
}

/* Writes down the classes that a snapshot shows, a release of the caller's own. */
Datum
anonopt_write_content(PG_FUNCTION_ARGS)
{
	Oid			types[3] = {OIDOID, TEXTARRAYOID, INT8ARRAYOID};
	Datum		values[3] = {PG_GETARG_DATUM(0), PG_GETARG_DATUM(1), PG_GETARG_DATUM(2)};

	require_release_owner(PG_GETARG_OID(0));
	write_catalog("INSERT INTO anonopt.published_content"
				  " SELECT p.id, (SELECT pg_catalog.count(*) FROM anonopt.published_content o WHERE o.id OPERATOR(pg_catalog.=) p.id),"
				  " pg_catalog.clock_timestamp(), $2, $3 FROM anonopt.published p"
				  " WHERE anonopt.find_release(p.id, p.relation, p.row_type, p.made_in, p.published_by) OPERATOR(pg_catalog.=) $1",
				  3, types, values, NULL);
	PG_RETURN_VOID();
}

/* The full name of what is to be created, in the schema where the caller creates; it must not be there. */
Datum
anonopt_creation_name(PG_FUNCTION_ARGS)
{
	char	   *name = name_argument(fcinfo, 0, "name");
	RangeVar   *range = creation_range_var(name);
	Oid			schema = RangeVarGetCreationNamespace(range);
	char	   *full = quote_qualified_identifier(get_namespace_name(schema), range->relname);

	if (OidIsValid(get_relname_relid(range->relname, schema)))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("relation %s already exists", full),
				 errhint("Drop it, with anonopt.drop_release if it is a release, or choose another name.")));
	PG_RETURN_TEXT_P(cstring_to_text(full));
}
