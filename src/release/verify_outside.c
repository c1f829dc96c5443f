/*
 * verify_outside.c
 *	  Measures a release's promises about people of another relation again.
 *
 * For a node, the population's values are generalized to its levels.  For a
 * cut or a recoding, the stored runs of leaves under each label are used.
 */
#include "release/release_verify.h"

#include <math.h>

#include "catalog/typed_rows.h"
#include "catalog/sql.h"
#include "catalog/own_objects.h"
#include "catalog/pg_type.h"
#include "read/hierarchy_read.h"
#include "release/entry_row.h"
#include "release/content.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

/* The place of a value without a leaf. */
#define NO_PLACE (-1)

/* Parameters of each quasi-identifier in a statement about runs. */
#define RUN_PARAMETERS 6

/* A statement, and its subject. */
typedef struct OutsideQuery
{
	const ReleaseEntry *entry;
	const DeclaredPromise *promise;
	EphemeralNamedRelation copy;	/* of the population, or NULL */
	StringInfoData sql;
	int			nparameters;
	Oid			types[MAX_ATTRIBUTES * RUN_PARAMETERS];
	Datum		values[MAX_ATTRIBUTES * RUN_PARAMETERS];
} OutsideQuery;

/* The population in a statement. */
static const char *
population_name(const OutsideQuery *query)
{
	return query->copy != NULL ? query->copy->md.name : relation_sql_name(query->promise->population);
}

/* Copies a population of another role. */
static void
copy_population(OutsideQuery *query)
{
	List	   *columns = NIL;

	for (int i = 0; i < query->entry->ngeneralized; i++)
	{
		require_column(query->promise->population, query->entry->generalized[i]);
		columns = lappend_int(columns, get_attnum(query->promise->population, query->entry->generalized[i]));
	}
	query->copy = copied_relation(query->promise->population, columns, "anonopt_population");
}

/* The number of a further parameter. */
static int
add_parameter(OutsideQuery *query, Oid type, Datum value)
{
	query->types[query->nparameters] = type;
	query->values[query->nparameters] = value;
	return ++query->nparameters;
}

/* The labels of an alias. */
static void
append_labels(OutsideQuery *query, const char *alias)
{
	for (int i = 0; i < query->entry->ngeneralized; i++)
		appendStringInfo(&query->sql, "%s%s.l%d", i > 0 ? ", " : "", alias, i);
}

/* The first columns, one per quasi-identifier. */
static void
append_numbers(OutsideQuery *query)
{
	for (int i = 0; i < query->entry->ngeneralized; i++)
		appendStringInfo(&query->sql, "%s%d", i > 0 ? ", " : "", i + 1);
}

/* The classes of the release, c. */
static void
append_classes(OutsideQuery *query)
{
	const ReleaseEntry *entry = query->entry;

	appendStringInfoString(&query->sql, "WITH c AS MATERIALIZED (SELECT row_number() OVER () AS class, x.* FROM (SELECT ");
	for (int i = 0; i < entry->ngeneralized; i++)
		appendStringInfo(&query->sql, "r.%s COLLATE pg_catalog.\"C\" AS l%d, ", quote_identifier(entry->generalized[i]), i);
	appendStringInfo(&query->sql, "count(*) AS people FROM %s r GROUP BY ", relation_sql_name(entry->relation));
	append_numbers(query);
	appendStringInfoString(&query->sql, ") x), ");
}

/*
 * The people of each class, and those who have its labels, given a condition
 * that finds these.
 */
static void
append_pairs(OutsideQuery *query)
{
	appendStringInfoString(&query->sql, " SELECT c.people, coalesce(o.people, 0)::int8 FROM c LEFT JOIN o ON ");
}

static const Hierarchy *
load(const OutsideQuery *query, int i)
{
	MemoryContext context = CurrentMemoryContext;
	const char *column = query->entry->generalized[i];
	LoadedHierarchy *loaded;

	sql_connect();
	MemoryContextSwitchTo(context);
	loaded = hierarchy_load(query->entry->hierarchies[i], column_type(query->promise->population, column), column);
	sql_finish();
	MemoryContextSwitchTo(context);
	return loaded->hierarchy;
}

/* ------------------------------------------------------------------- a node */

/*
 * The label of a value without a leaf: one that covers all leaves, or the last
 * one if it is shown as that; NULL if there is none.
 */
static const char *
label_of_unknown(const Hierarchy *hierarchy, int level)
{
	if (hierarchy->levels[level].nlabels != 1)
		level = hierarchy->height;
	return hierarchy->levels[level].nlabels == 1 ? hierarchy->labels[level][0] : NULL;
}

/* A hierarchy that has the level of the entry. */
static const Hierarchy *
load_to_level(const OutsideQuery *query, int i)
{
	const Hierarchy *hierarchy = load(query, i);
	const EntryRow row = {.what = query->entry->name};

	if (query->entry->by.levels[i] > hierarchy->height)
		refuse_entry(&row);
	return hierarchy;
}

static void
make_node_query(OutsideQuery *query)
{
	const ReleaseEntry *entry = query->entry;
	StringInfoData condition;

	initStringInfo(&condition);
	append_classes(query);
	appendStringInfoString(&query->sql, "o AS MATERIALIZED (SELECT ");
	for (int i = 0; i < entry->ngeneralized; i++)
	{
		const char *label = label_of_unknown(load_to_level(query, i), entry->by.levels[i]);
		int			unknown = add_parameter(query, TEXTOID, CStringGetTextDatum(label == NULL ? "" : label));
		char	   *generalized = psprintf("%s.generalize(p.%s, %u::oid::regclass, %d, $%d", own_schema_name(),
										   quote_identifier(entry->generalized[i]), entry->hierarchies[i], entry->by.levels[i], unknown);

		appendStringInfo(&query->sql, "%s) COLLATE pg_catalog.\"C\" AS l%d, ", generalized, i);
		/* true only if the label is NULL */
		if (label == NULL)
			appendStringInfo(&condition, "%s%s) IS NOT DISTINCT FROM %s || 'x')", condition.len > 0 ? " AND " : " WHERE ",
							 generalized, generalized);
	}
	appendStringInfo(&query->sql, "count(*) AS people FROM %s p%s GROUP BY ", population_name(query), condition.data);
	append_numbers(query);
	appendStringInfoChar(&query->sql, ')');
	append_pairs(query);
	/* NULL equals NULL as a label */
	appendStringInfoString(&query->sql, "ARRAY[");
	append_labels(query, "o");
	appendStringInfoString(&query->sql, "] = ARRAY[");
	append_labels(query, "c");
	appendStringInfoChar(&query->sql, ']');
}

/* ------------------------------------------------------ runs of leaves under labels */

/* Whether NULL had a leaf. */
static bool
covers_null(const LabelCovers *covers, int i)
{
	for (int j = 0; j < covers->n[i]; j++)
		if (!covers->covers[i][j].unknown && covers->covers[i][j].last == NULL)
			return true;
	return false;
}

/* A text that is not a leaf. */
static char *
no_leaf(const TextIndex *leaves)
{
	char	   *text = pstrdup("?");

	while (find_text(leaves, text) != PG_UINT32_MAX)
		text = psprintf("%s?", text);
	return text;
}

/*
 * The leaves under a quasi-identifier's labels, by place, as parameters of a
 * statement; returns the number of the first.
 */
static int
add_runs(OutsideQuery *query, const LabelCovers *covers, int i)
{
	Hierarchy  *hierarchy = unconstify(Hierarchy *, load(query, i));
	int			n = covers->n[i];
	const char **labels = palloc(sizeof(char *) * (n + 1));
	int		   *low = palloc(sizeof(int) * (n + 1));
	int		   *high = palloc(sizeof(int) * (n + 1));
	TextIndex	leaves;
	int			first;

	if (hierarchy->null_leaf == NO_LEAF && covers_null(covers, i))
		hierarchy_add_null(hierarchy);
	leaves = index_texts(hierarchy->labels[0], hierarchy->nleaves);
	for (int j = 0; j < n; j++)
	{
		const LabelCover *cover = &covers->covers[i][j];
		uint32		from = cover->unknown ? PG_UINT32_MAX : find_text(&leaves, cover->first);
		uint32		to = cover->unknown ? PG_UINT32_MAX : find_text(&leaves, cover->last);
		bool		known = from != PG_UINT32_MAX && to != PG_UINT32_MAX;

		/* a missing leaf covers nobody */
		labels[j] = cover->label;
		low[j] = known ? (int) from : NO_PLACE;
		high[j] = known ? (int) to : cover->unknown ? NO_PLACE : NO_PLACE - 1;
	}
	first = add_parameter(query, TEXTARRAYOID, texts_datum((const char *const *) hierarchy->labels[0], hierarchy->nleaves));
	(void) add_parameter(query, TEXTOID, CStringGetTextDatum(no_leaf(&leaves)));
	(void) add_parameter(query, INT4OID, Int32GetDatum(hierarchy->null_leaf == NO_LEAF ? NO_PLACE : (int) hierarchy->null_leaf));
	(void) add_parameter(query, TEXTARRAYOID, texts_datum(labels, n));
	(void) add_parameter(query, INT4ARRAYOID, integers_datum(low, n));
	(void) add_parameter(query, INT4ARRAYOID, integers_datum(high, n));
	return first;
}

/* A person in two runs of a label counts once. */
static void
make_run_query(OutsideQuery *query)
{
	const ReleaseEntry *entry = query->entry;
	const LabelCovers *covers = covers_of_entry(entry);
	StringInfoData from;

	initStringInfo(&from);
	append_classes(query);
	appendStringInfoString(&query->sql, "b AS MATERIALIZED (SELECT c.class");
	for (int i = 0; i < entry->ngeneralized; i++)
		appendStringInfo(&query->sql, ", v%d.low AS low%d, v%d.high AS high%d", i, i, i, i);
	appendStringInfoString(&query->sql, " FROM c");
	for (int i = 0; i < entry->ngeneralized; i++)
	{
		int			first = add_runs(query, covers, i);

		appendStringInfo(&query->sql, " JOIN unnest($%d, $%d, $%d) v%d (label, low, high) ON ARRAY[v%d.label COLLATE pg_catalog.\"C\"] = ARRAY[c.l%d]",
						 first + 3, first + 4, first + 5, i, i, i);
		appendStringInfo(&from, " LEFT JOIN (SELECT x.leaf, x.n::int4 - 1 AS place FROM unnest($%d) WITH ORDINALITY x (leaf, n)) e%d"
						 " ON e%d.leaf COLLATE pg_catalog.\"C\" = %s.generalize(p.%s, %u::oid::regclass, 0, $%d)", first, i, i,
						 own_schema_name(), quote_identifier(entry->generalized[i]), entry->hierarchies[i], first + 1);
	}
	appendStringInfoString(&query->sql, "), p AS MATERIALIZED (SELECT ");
	for (int i = 0; i < entry->ngeneralized; i++)
		appendStringInfo(&query->sql, "CASE WHEN p.%s IS NULL THEN $%d ELSE coalesce(e%d.place, %d) END AS place%d, ",
						 quote_identifier(entry->generalized[i]), i * RUN_PARAMETERS + 3, i, NO_PLACE, i);
	appendStringInfo(&query->sql, "count(*) AS people FROM %s p%s GROUP BY ", population_name(query), from.data);
	append_numbers(query);
	appendStringInfoString(&query->sql, "), o AS (SELECT y.class, sum(y.people) AS people FROM (SELECT DISTINCT b.class, p.* FROM b JOIN p ON true");
	for (int i = 0; i < entry->ngeneralized; i++)
		appendStringInfo(&query->sql, " AND p.place%d BETWEEN b.low%d AND b.high%d", i, i, i);
	appendStringInfoString(&query->sql, ") y GROUP BY y.class)");
	append_pairs(query);
	appendStringInfoString(&query->sql, "o.class = c.class");
}

/* ------------------------------------------------------------------ verdicts */

int
use_zone_of_release(const ReleaseEntry *entry)
{
	Oid			types[1] = {TEXTOID};
	Datum		values[1] = {CStringGetTextDatum(entry->dataset)};
	Dataset		zone = {0};
	const Oid	results[] = {TEXTOID};
	QueryRows  *rows = read_catalog("SELECT timezone FROM anonopt.dataset WHERE dataset = $1", 1, types, values, 1, results);
	char	   *name = rows->n == 0 ? NULL : catalog_text(rows, 0, 0);

	if (name != NULL && timezone_is_known(name))
		zone.timezone = name;
	return dataset_use_zone(&zone);
}

static void
judge(OutsideQuery *query, PromiseVerdict *verdict)
{
	const DeclaredPromise *promise = query->promise;
	const Model *model = models[promise->model];
	double		least = HUGE_VAL;
	double		most = 0;
	double		lower;
	double		upper;
	QueryEnvironment *environment = create_queryEnv();
	List	   *relations = list_make2_oid(query->entry->relation, promise->population);
	QueryRows  *classes;

	if (query->copy != NULL)
		register_ENR(environment, query->copy);
	classes = rows_of_query(query->sql.data, relations, environment, query->nparameters, query->types, query->values);
	for (int i = 0; i < classes->n; i++)
	{
		bool		isnull;
		int64		people = DatumGetInt64(catalog_value(classes, i, 0, &isnull));
		double		figure = model->of_others(people, DatumGetInt64(catalog_value(classes, i, 1, &isnull)));

		least = Min(least, figure);
		most = Max(most, figure);
	}
	verdict->is_null = classes->n == 0;
	model->bounds(promise, &lower, &upper);
	verdict->measured = model->least_counts ? least : most;
	verdict->ok = classes->n == 0 || (least >= lower && most <= upper);
}

void
verify_outside(const ReleaseEntry *entry, bool by_rows, PromiseVerdict *verdicts)
{
	int			level = use_zone_of_release(entry);

	for (int i = 0; i < entry->npromises; i++)
	{
		OutsideQuery query = {.entry = entry,.promise = &entry->promises[i]};

		if (!model_needs_population(query.promise->model))
			continue;
		verdicts[i].ok = false;
		if (!OidIsValid(query.promise->population))
			continue;
		if (models[query.promise->model]->counts_own && !by_rows)
		{
			verdicts[i].ok = verdicts[i].untold = true;
			continue;
		}
		initStringInfo(&query.sql);
		copy_population(&query);
		if (entry->by.kind == BY_LEVELS)
			make_node_query(&query);
		else
			make_run_query(&query);
		judge(&query, &verdicts[i]);
	}
	AtEOXact_GUC(false, level);
}
