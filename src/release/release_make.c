/*
 * release_make.c
 *	  Releases made, made anew and dropped.
 */
#include "release/release.h"

#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/multixact.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/heap.h"
#include "catalog/namespace.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "commands/defrem.h"
#include "commands/tablecmds.h"
#include "engine/narrow_population.h"
#include "miscadmin.h"
#include "read/hierarchy_read.h"
#include "read/population_read.h"
#include "release/composition.h"
#include "release/cut_bits.h"
#include "catalog/dataset_rights.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/uuid.h"

/* ------------------------------------------------------- what is written down */

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
		appendStringInfo(&json, ", \"risk\": \"%s\", \"utility\": \"%s\"}", risk_name(release->records->risk),
						 utility_name(release->records->utility));
		return json.data;
	}
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
	return json.data;
}

/* The columns that are generalized, that a promise is about, and the others. */
typedef struct ColumnNames
{
	int			n[3];
	char	  **names[3];
} ColumnNames;

enum
{
	NAMES_GENERALIZED, NAMES_SENSITIVE, NAMES_UNCOVERED
};

static ColumnNames
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

/* Whether a sensitive column is shown as it is, so that its values can be counted in the release. */
static bool
is_shown_sensitive(const Specification *spec, const char *column)
{
	for (int i = 0; i < spec->ncolumns; i++)
		if (strcmp(spec->columns[i].name, column) == 0)
			return spec->columns[i].attr < 0;
	return false;
}

/* How often each sensitive value occurs, as far as a promise of t needs it. */
static void
make_distributions(const Release *release, ReleaseEntry *entry)
{
	const Population *population = release->spec.population;
	const Dataset *dataset = release->spec.dataset;
	int			j = -1;

	if (!release->spec.promise.has_t || release->spool.values == NULL)
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

/* The entry of a release that has been read and now is a relation. */
static ReleaseEntry *
entry_of_release(const Release *release, const char *id, Oid relation, const char *statement)
{
	const Specification *spec = &release->spec;
	ReleaseEntry *entry = palloc0(sizeof(ReleaseEntry));
	ColumnNames columns = column_names(release);
	List	   *hierarchies = release_hierarchies(spec->dataset, &spec->promise);

	entry->id = pstrdup(id);
	entry->relation = relation;
	entry->form = release->form;
	entry->name = release->sql_name;
	entry->dataset = spec->dataset->name;
	entry->source = spec->dataset->relation;
	entry->nlevels = release->levels != NULL ? spec->population->nattrs : 0;
	entry->levels = release->levels;
	entry->ncuts = release->cuts != NULL ? spec->population->nattrs : 0;
	entry->cuts = release->cuts;
	if (release->recoding != NULL)
	{
		entry->has_recoding = true;
		entry->recoding = release->recoding->table;
		entry->recoding_name = relation_sql_name(release->recoding->table);
		entry->labels = release->recoding->labels;
	}
	entry->k = spec->promise.k;
	entry->has_l = spec->promise.has_l;
	entry->l = spec->promise.l;
	entry->has_t = spec->promise.has_t;
	entry->t = spec->promise.t;
	entry->ncolumns = release->nnamed;
	entry->columns = release->named;
	entry->star = spec->star;
	entry->statement = unconstify(char *, statement);
	entry->ngeneralized = columns.n[NAMES_GENERALIZED];
	entry->generalized = columns.names[NAMES_GENERALIZED];
	entry->nsensitive = columns.n[NAMES_SENSITIVE];
	entry->sensitive = columns.names[NAMES_SENSITIVE];
	entry->hierarchies = palloc(sizeof(Oid) * (list_length(hierarchies) + 1));
	entry->hierarchy_names = palloc(sizeof(char *) * (list_length(hierarchies) + 1));
	entry->digests = palloc(sizeof(char *) * (list_length(hierarchies) + 1));
	for (int i = 0; i < list_length(hierarchies); i++)
	{
		entry->hierarchies[i] = list_nth_oid(hierarchies, i);
		entry->hierarchy_names[i] = relation_sql_name(entry->hierarchies[i]);
		entry->digests[i] = hierarchy_digest(entry->hierarchies[i]);
	}
	entry->nhierarchies = list_length(hierarchies);
	entry->measures = measures_json(release);
	make_distributions(release, entry);
	return entry;
}

static void
append_names(StringInfo text, char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		appendStringInfo(text, "%s%s", i > 0 ? ", " : "", names[i]);
}

/* What a release promises of which columns, for its comment. */
static char *
release_comment(const Release *release, const char *id)
{
	const Promise *promise = &release->spec.promise;
	ColumnNames columns = column_names(release);
	StringInfoData text;
	int			uncovered = columns.n[NAMES_UNCOVERED];
	char	  **others = palloc(sizeof(char *) * (release->spec.ncolumns + 1));

	initStringInfo(&text);
	appendStringInfo(&text, "anonopt release %s: k = " INT64_FORMAT " by ", id, promise->k);
	append_names(&text, columns.names[NAMES_GENERALIZED], columns.n[NAMES_GENERALIZED]);
	memcpy(others, columns.names[NAMES_UNCOVERED], sizeof(char *) * uncovered);
	if (promise->has_l)
	{
		appendStringInfo(&text, "; l = " INT64_FORMAT " in ", promise->l);
		append_names(&text, columns.names[NAMES_SENSITIVE], columns.n[NAMES_SENSITIVE]);
	}
	if (promise->has_t)
	{
		appendStringInfo(&text, "; t = %s in ", DatumGetCString(DirectFunctionCall1(float8out, Float8GetDatum(promise->t))));
		append_names(&text, columns.names[NAMES_SENSITIVE], columns.n[NAMES_SENSITIVE]);
	}
	if (!promise->has_l && !promise->has_t)
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

/* ----------------------------------------------------------------- statements */

/*
 * Runs a statement that writes; what it reads, it reads under the snapshot
 * that the release was measured under.
 */
static void
run(const char *statement)
{
	SPIPlanPtr	plan;
	int			code;

	sql_connect();
	plan = SPI_prepare(statement, 0, NULL);
	code = plan == NULL ? SPI_result :
		SPI_execute_snapshot(plan, NULL, NULL, GetActiveSnapshot(), InvalidSnapshot, false, true, 0);
	if (code < 0)
		elog(ERROR, "could not run \"%s\": %s", statement, SPI_result_code_string(code));
	sql_finish();
}

/* A table beside a view, for what its definition must not tell. */
static void
create_key(Release *release, const char *id)
{
	char	   *name = ChooseRelationName(release->name, NULL, "key", release->schema, false);
	ListCell   *cell;

	/* the view, which is not there yet, may have such a name */
	if (strcmp(name, release->name) == 0)
		name = ChooseRelationName(release->name, NULL, "keys", release->schema, false);
	release->key_name = quote_qualified_identifier(get_namespace_name(release->schema), name);
	release->spec.key = release->key_name;
	foreach(cell, release_key_statements(&release->spec))
		run(lfirst(cell));
	sql_connect();
	keep_to_owner(get_relname_relid(name, release->schema));
	sql_finish();
	if (release->recoding != NULL)
		release_key_fill(&release->spec);
	/* by which drop_release knows it, whatever it is called then */
	run(psprintf("COMMENT ON TABLE %s IS %s", release->key_name,
				 quote_literal_cstr(psprintf("key of anonopt release %s", id))));
}

/* An empty table with the columns that are shown, of their types. */
static void
create_table(const Release *release)
{
	const Specification *spec = &release->spec;
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "CREATE TABLE %s AS SELECT ", release->sql_name);
	for (int i = 0; i < spec->ncolumns; i++)
	{
		const char *name = quote_identifier(spec->columns[i].name);

		appendStringInfoString(&sql, i > 0 ? ", " : "");
		if (spec->columns[i].attr >= 0)
			appendStringInfo(&sql, "NULL::pg_catalog.text COLLATE pg_catalog.\"C\" AS %s", name);
		else
			appendStringInfo(&sql, "r.%s", name);
	}
	if (spec->star)
		appendStringInfoString(&sql, ", NULL::pg_catalog.bool AS anonopt_suppressed");
	appendStringInfo(&sql, " FROM %s r WITH NO DATA", relation_sql_name(spec->dataset->relation));
	run(sql.data);
}

/* Fails where a view shows other rows than were measured. */
static void
check_rows(const Release *release, Oid relation)
{
	int64		measured = 0;
	int64		shown;
	int64		classes;
	bool		isnull;
	StringInfoData sql;

	for (uint32 i = 0; i < release->content->rows->nkeys; i++)
		measured += release->content->rows->counts[i];
	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT COALESCE(sum(g.n), 0)::int8, count(*) FROM (SELECT count(*) AS n FROM ");
	appendStringInfo(&sql, "%s r GROUP BY ", relation_sql_name(relation));
	for (int a = 0; a < release->spec.population->nattrs; a++)
		appendStringInfo(&sql, "%sr.%s", a > 0 ? ", " : "", quote_identifier(release->spec.population->attrs[a].name));
	appendStringInfo(&sql, "%s) g", release->spec.star ? ", r.anonopt_suppressed" : "");
	sql_connect();
	sql_write(sql.data, 0, NULL, NULL, NULL);
	shown = DatumGetInt64(sql_value(1, INT8OID, &isnull));
	classes = DatumGetInt64(sql_value(2, INT8OID, &isnull));
	sql_finish();
	if (shown != measured || classes != release->shown->n + (release->shown->starred ? 1 : 0))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation %s did not show the same rows twice", relation_sql_name(release->spec.dataset->relation)),
				 errhint("Publish a table, or materialize what it shows, if that is random or changes with time.")));
}

static char *
new_id(void)
{
	pg_uuid_t	id;

	if (!pg_strong_random(id.data, sizeof(id.data)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate random values")));
	/* as RFC 4122 has them */
	id.data[6] = (id.data[6] & 0x0f) | 0x40;
	id.data[8] = (id.data[8] & 0x3f) | 0x80;
	return DatumGetCString(DirectFunctionCall1(uuid_out, UUIDPGetDatum(&id)));
}

/* Fails where the schema has another name by now: reading may have run anybody's function. */
static void
require_schema(const Release *release)
{
	const char *schema = get_namespace_name(release->schema);

	if (schema == NULL || strcmp(quote_qualified_identifier(schema, release->name), release->sql_name) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("the schema of %s was changed while the data were read", release->sql_name),
				 errhint("Call the function again.")));
}

/* Makes the relation, filled. */
static void
make_relation(Release *release, const char *definition)
{
	switch (release->form)
	{
		case RELEASE_TABLE:
			create_table(release);
			release_write_rows(release, get_relname_relid(release->name, release->schema), false);
			break;
		case RELEASE_MATERIALIZED_VIEW:
			run(psprintf("CREATE MATERIALIZED VIEW %s AS %s", release->sql_name, definition));
			check_rows(release, get_relname_relid(release->name, release->schema));
			break;
		case RELEASE_LIVE_VIEW:
			release_create_live(release, definition);
			break;
	}
}

/* The statement that a view is known by; a recoding, which may grow, stands in it by its name. */
static char *
statement_to_keep(const Release *release)
{
	Specification spec = release->spec;

	if (release->recoding != NULL)
		spec.key = relation_sql_name(release->recoding->table);
	return release_statement(&spec);
}

Oid
release_create(Release *release)
{
	const char *const kinds[] = {"TABLE", "MATERIALIZED VIEW", "VIEW"};
	char	   *id = new_id();
	char	   *statement = NULL;
	char	   *definition = NULL;
	ReleaseEntry *entry;
	Oid			relation;

	release_check(release);
	release_read(release);
	if (release->form != RELEASE_LIVE_VIEW)
	{
		release_choose_classes(release);
		composition_check(release);
	}
	require_schema(release);
	if (release->form != RELEASE_TABLE)
	{
		statement = statement_to_keep(release);
		if (statement_tells_leaves(&release->spec))
			create_key(release, id);
		release_forget_people(release);
		definition = release_statement(&release->spec);
	}
	make_relation(release, definition);
	relation = get_relname_relid(release->name, release->schema);
	if (!OidIsValid(relation) || !object_ownercheck(RelationRelationId, relation, GetUserId()))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation %s is not what was made", release->sql_name),
				 errhint("See whether an event trigger changes what is created.")));
	run(psprintf("COMMENT ON %s %s IS %s", kinds[release->form], release->sql_name,
				 quote_literal_cstr(release_comment(release, id))));
	entry = entry_of_release(release, id, relation, statement);
	release_entry_insert(entry);
	if (release->content != NULL)
		release_content_insert(entry, release->content, release->difference);
	release_close(release);
	return relation;
}

/* -------------------------------------------------------------------- refresh */

/* Only its very owner: what a relation of another's holds, triggers and all, must not run as somebody mightier. */
static void
require_owner(Oid relation)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		relation_is_missing(relation);
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	if (owner != GetUserId())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of release %s", relation_sql_name(relation)),
				 errhint("If you are a member of it, SET ROLE %s first.", quote_identifier(GetUserNameFromId(owner, false)))));
}

/* Rows that are swapped in go past constraints, which others may rely on. */
static void
refuse_constraints(Relation table)
{
	Oid			types[1] = {OIDOID};
	Datum		values[1] = {ObjectIdGetDatum(RelationGetRelid(table))};
	bool		found = table->rd_rel->relispartition;

	sql_connect();
	sql_read("SELECT 1 FROM pg_constraint WHERE contype IN ('c', 'f') AND (conrelid = $1 OR confrelid = $1) LIMIT 1", 1, types, values);
	found = found || SPI_processed > 0;
	sql_finish();
	if (found)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("release %s has constraints that refreshing would not check", relation_sql_name(RelationGetRelid(table))),
				 errhint("Drop its check constraints and the foreign keys of it and to it, and detach it if it is a partition.")));
}

/* Swaps new rows in for a table's; who reads it sees the one or the other. */
static void
swap_rows(Release *release, Oid relation)
{
	Relation	table = table_open(relation, ExclusiveLock);
	Oid			tablespace = table->rd_rel->reltablespace;
	Oid			access_method = table->rd_rel->relam;
	char		persistence = table->rd_rel->relpersistence;
	Oid			fresh;

	CheckTableNotInUse(table, "refresh_release");
	refuse_constraints(table);
	table_close(table, NoLock);
	fresh = make_new_heap(relation, tablespace, access_method, persistence, ExclusiveLock);
	release_write_rows(release, fresh, true);
	LockRelationOid(relation, AccessExclusiveLock);
	finish_heap_swap(relation, fresh, false, false, true, true, true, RecentXmin, ReadNextMultiXactId(), persistence);
	CommandCounterIncrement();
}

static void
refuse_changed(const Release *release)
{
	ereport(ERROR,
			(errcode(ERRCODE_CHECK_VIOLATION),
			 errmsg("release %s would be made in another way now", release->sql_name),
			 errdetail("The declaration has changed, or values or NULLs have come that change what is shown."),
			 errhint("Drop the release and publish anew.")));
}

static bool
same_names(char *const *a, int na, char *const *b, int nb)
{
	if (na != nb)
		return false;
	for (int i = 0; i < na; i++)
		if (strcmp(a[i], b[i]) != 0)
			return false;
	return true;
}

/* Fails where the release would have other columns, or a view another definition. */
static void
check_same(const Release *release, const ReleaseEntry *entry, Oid relation)
{
	ColumnNames columns = column_names(release);
	int			n = 0;
	Relation	rel;

	if (!same_names(columns.names[NAMES_GENERALIZED], columns.n[NAMES_GENERALIZED], entry->generalized, entry->ngeneralized) ||
		!same_names(columns.names[NAMES_SENSITIVE], columns.n[NAMES_SENSITIVE], entry->sensitive, entry->nsensitive) ||
		(release->form != RELEASE_TABLE &&
		 (entry->statement == NULL || strcmp(statement_to_keep(release), entry->statement) != 0)))
		refuse_changed(release);
	rel = relation_open_existing(relation);
	for (int i = 0; i < RelationGetNumberOfAttributes(rel); i++)
	{
		Form_pg_attribute column = TupleDescAttr(RelationGetDescr(rel), i);

		if (column->attisdropped)
			refuse_changed(release);
		if (i < release->spec.ncolumns && strcmp(NameStr(column->attname), release->spec.columns[i].name) != 0)
			refuse_changed(release);
		n++;
	}
	relation_close(rel, NoLock);
	if (n != release->spec.ncolumns + (release->spec.star ? 1 : 0))
		refuse_changed(release);
}

/* Fails where a hierarchy is not what it was, naming those that are not. */
static void
check_hierarchies(const Release *release, const ReleaseEntry *entry)
{
	StringInfoData changed;
	List	   *now = release_hierarchies(release->spec.dataset, &release->spec.promise);

	initStringInfo(&changed);
	for (int i = 0; i < entry->nhierarchies; i++)
		if (i >= list_length(now) || entry->hierarchies[i] != list_nth_oid(now, i) ||
			!is_plain_table_of(entry->hierarchies[i], GetUserId()) ||
			strcmp(hierarchy_digest(entry->hierarchies[i]), entry->digests[i]) != 0)
			appendStringInfo(&changed, "%s%s", changed.len > 0 ? ", " : "", entry->hierarchy_names[i]);
	if (changed.len > 0)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("hierarchies of release %s have changed since", release->sql_name),
				 errdetail("%s", changed.data),
				 errhint("Drop the release and publish anew.")));
}

/* The tables of keys of a release, of its owner's. */
static List *
key_tables(const ReleaseEntry *entry)
{
	Oid			types[2] = {TEXTOID, OIDOID};
	Datum		values[2] = {CStringGetTextDatum(psprintf("key of anonopt release %s", entry->id)), ObjectIdGetDatum(entry->relation)};
	List	   *keys = NIL;
	MemoryContext context = CurrentMemoryContext;

	sql_connect();
	sql_read("SELECT c.oid FROM pg_description d JOIN pg_class c ON c.oid = d.objoid WHERE d.classoid = 'pg_class'::regclass"
			 " AND d.objsubid = 0 AND d.description = $1 AND c.relkind = 'r'"
			 " AND c.relowner = (SELECT r.relowner FROM pg_class r WHERE r.oid = $2)", 2, types, values);
	MemoryContextSwitchTo(context);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool		isnull;

		keys = lappend_oid(keys, DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull)));
	}
	sql_finish();
	return keys;
}

/* Takes people who came since into a release's recoding, which is locked. */
static void
extend_recoding(Release *release, Relation table)
{
	Specification *spec = &release->spec;
	RecodingOrder order = {.promise = spec->promise,.loss = OBJECTIVE_GLM,.labels = release->recoding->labels,.effort = 100};
	RowSpool	spool = {0};
	RecodingExtension *extension;
	RecodingResult *result;
	int64		moved;

	recoding_spool_begin(&spool, spec->dataset);
	spool_read(&spool, spec->dataset, NULL);
	if (spool.population == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("relation %s has no rows to publish", relation_sql_name(spec->dataset->relation))));
	extension = recoding_extension_begin(&spool, table, order.labels);
	order.promise.limit = share_of_people(spec->dataset->max_suppression, spool.population->people);
	order.population = spec->promise.has_l || spec->promise.has_t ? spool.population : population_narrow(spool.population);
	result = recoding_extend(&order, recoding_extension_classes(extension), &moved);
	if (!result->feasible)
		recoding_extension_refuse(extension, spec->dataset, &order);
	(void) recoding_extension_write(extension, result);
	recoding_tell_moved(moved);
}

/* The key beside a view, of its owner's: what the view's statement reads it by. */
static void
refill_key(Release *release, const ReleaseEntry *entry)
{
	List	   *keys = key_tables(entry);

	if (list_length(keys) != 1)
		refuse_changed(release);
	release->spec.key = relation_sql_name(linitial_oid(keys));
	release_key_fill(&release->spec);
}

/* Extends the recoding, then reads the same rows for the release. */
static void
read_extended(Release *release)
{
	Relation	table = recoding_open_own(release->recoding->table);

	/* what other writers did before they let the table go must be seen */
	PushCopiedSnapshot(GetTransactionSnapshot());
	extend_recoding(release, table);
	CommandCounterIncrement();
	UpdateActiveSnapshotCommandId();
	release_read(release);
	PopActiveSnapshot();
	relation_close(table, NoLock);
}

/* Reads for a release that is there, and looks for people who came since. */
static void
read_again(Release *release, const ReleaseEntry *entry, Oid relation)
{
	if (release->recoding != NULL)
		read_extended(release);
	else
		release_read(release);
	check_same(release, entry, relation);
	if (release->form != RELEASE_LIVE_VIEW)
	{
		release_choose_classes(release);
		composition_check(release);
	}
	if (release->recoding != NULL && release->form != RELEASE_TABLE)
		refill_key(release, entry);
}

/* Makes the relation show what was read. */
static void
show_again(Release *release, Oid relation)
{
	switch (release->form)
	{
		case RELEASE_TABLE:
			swap_rows(release, relation);
			break;
		case RELEASE_MATERIALIZED_VIEW:
			release_forget_people(release);
			run(psprintf("REFRESH MATERIALIZED VIEW %s", release->sql_name));
			check_rows(release, relation);
			break;
		case RELEASE_LIVE_VIEW:
			break;
	}
}

void
release_refresh(Oid relation)
{
	ReleaseEntry *entry;
	ReleaseEntry *now;
	Release    *release;

	if (get_rel_name(relation) == NULL)
		relation_is_missing(relation);
	entry = release_entry_require(relation);
	require_owner(relation);
	if (entry->form == RELEASE_LIVE_VIEW && !entry->has_recoding)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("release %s is a live view: there is nothing to refresh", relation_sql_name(relation))));

	/*
	 * refreshes come one after another: none holds a lock that another's swap
	 * waits for
	 */
	LockRelationOid(relation, ShareUpdateExclusiveLock);
	require_owner(relation);
	release = release_of_entry(entry);
	check_hierarchies(release, entry);
	release_check(release);
	read_again(release, entry, relation);
	show_again(release, relation);
	now = entry_of_release(release, entry->id, relation, entry->statement);
	release_entry_update(now);
	if (release->content != NULL)
		release_content_insert(now, release->content, release->difference);
	release_close(release);
}

/* ----------------------------------------------------------------------- drop */

/* The function that a live view reads through, as text; NULL for none. */
static char *
rows_function(Oid view)
{
	Oid			types[1] = {OIDOID};
	Datum		values[1] = {ObjectIdGetDatum(view)};
	char	   *name = NULL;
	MemoryContext context = CurrentMemoryContext;

	sql_connect();
	sql_read("SELECT format('%I.%I()', n.nspname, p.proname) FROM pg_rewrite w JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass"
			 " AND d.objid = w.oid AND d.refclassid = 'pg_proc'::regclass JOIN pg_proc p ON p.oid = d.refobjid"
			 " JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_class c ON c.oid = w.ev_class AND c.relowner = p.proowner"
			 " WHERE w.ev_class = $1 AND p.pronargs = 0 AND p.prosecdef LIMIT 1", 1, types, values);
	if (SPI_processed > 0)
		name = MemoryContextStrdup(context, SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1));
	sql_finish();
	return name;
}

void
release_drop(Oid relation)
{
	const char *const kinds[] = {"TABLE", "MATERIALIZED VIEW", "VIEW"};
	ReleaseEntry *entry;
	List	   *keys;
	char	   *function;
	ListCell   *cell;

	entry = release_entry_require(relation);
	if (!object_ownercheck(RelationRelationId, relation, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(get_rel_relkind(relation)), get_rel_name(relation));
	keys = key_tables(entry);
	function = entry->form == RELEASE_LIVE_VIEW ? rows_function(relation) : NULL;
	run(psprintf("DROP %s %s", kinds[entry->form], relation_sql_name(relation)));
	if (function != NULL)
		run(psprintf("DROP FUNCTION %s", function));
	foreach(cell, keys)
		run(psprintf("DROP TABLE %s", relation_sql_name(lfirst_oid(cell))));
}

/* ------------------------------------------------------ what was written down */

/* The options of a release per record, which stand among its measures. */
static RecordOptions *
record_options(const ReleaseEntry *entry)
{
	RecordOptions *options = palloc0(sizeof(RecordOptions));
	Oid			types[1] = {TEXTOID};
	Datum		values[1] = {CStringGetTextDatum(entry->measures)};
	MemoryContext context = CurrentMemoryContext;
	char	   *text[4];

	sql_connect();
	sql_read("SELECT m ->> 'min_utility', m ->> 'key', m ->> 'risk', m ->> 'utility' FROM (SELECT $1::jsonb AS m) x", 1, types, values);
	for (int i = 0; i < 4; i++)
	{
		text[		i] = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, i + 1);
		text[		i] = text[i] == NULL ? NULL : MemoryContextStrdup(context, text[i]);
	}
	sql_finish();
	if (text[0] == NULL || text[1] == NULL || text[2] == NULL || text[3] == NULL ||
		risk_by_name(text[2]) < 0 || utility_by_name(text[3]) < 0)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("entry of release %s is not sound", entry->name),
				 errhint("Drop the release and publish anew.")));
	options->min_utility = DatumGetFloat8(DirectFunctionCall1(float8in, CStringGetDatum(text[0])));
	options->key = text[1];

	return options;
}

static ReleaseRecoding *
recoding_of_entry(const ReleaseEntry *entry)
{
	ReleaseRecoding *recoding = palloc0(sizeof(ReleaseRecoding));

	if (!OidIsValid(entry->recoding) || get_rel_name(entry->recoding) == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("recoding %s of release %s is gone", entry->recoding_name, entry->name),
				 errhint("Drop the release and publish anew.")));
	recoding->table = entry->recoding;
	recoding->labels = entry->labels;
	return recoding;
}

Release *
release_of_entry(const ReleaseEntry *entry)
{
	Release    *release = palloc0(sizeof(Release));
	Specification *spec = &release->spec;
	Dataset    *dataset = dataset_sound(dataset_load_owned(entry->dataset));
	Promise    *promise = &spec->promise;

	spec->dataset = dataset;
	release->form = entry->form;
	release->schema = get_rel_namespace(entry->relation);
	release->name = get_rel_name(entry->relation);
	release->sql_name = relation_sql_name(entry->relation);
	release->named = entry->columns;
	release->nnamed = entry->ncolumns;
	spec->star = entry->star;
	promise->has_k = true;
	promise->k = entry->k;
	promise->has_l = entry->has_l;
	promise->l = entry->l;
	promise->has_t = entry->has_t;
	promise->t = entry->t;
	if (promise->has_l)
		require_sensitive(dataset, "l");
	if (promise->has_t)
		require_sensitive(dataset, "t");
	if (entry->ngeneralized != dataset_count_role(dataset, ROLE_QUASI_IDENTIFIER))
		refuse_changed(release);
	if (entry->nlevels > 0)
	{
		release->levels = entry->levels;
		check_node(dataset, entry->levels);
	}
	else if (entry->ncuts > 0)
		release->cuts = entry->cuts;
	else if (entry->has_recoding)
		release->recoding = recoding_of_entry(entry);
	else
		release->records = record_options(entry);
	for (int i = 0; i < entry->ncolumns; i++)
		require_column(dataset->relation, entry->columns[i]);
	release_choose(release);
	return release;
}
