/*
 * statement_outside.c
 *	  Promises about people of another relation, and about all classes
 *	  together, in SQL.
 *
 * People of another relation get their labels like the rows of the data, by
 * the same joins, and are counted by label.  The classes of a recoding show
 * labels of different widths, so that a person may have those of several; for
 * a recoding, the key table holds the places of each class's leaves, and of
 * each leaf.
 *
 * A promise about all classes together decides about all rows at once: if the
 * classes that would be shown break it, no row is shown.
 */
#include "release/statement_parts.h"

#include "catalog/sql.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "read/hierarchy_read.h"
#include "utils/builtins.h"

/* Rows written at once. */
#define BATCH 1000

/* A place that does not belong to a leaf. */
#define NO_PLACE "-1"

static bool
is_outside(const DeclaredPromise *promise)
{
	return model_needs_population(promise->model);
}

static bool
is_limit(const DeclaredPromise *promise)
{
	return model_limits_all_classes(promise->model);
}

bool
asks_outside(const Specification *spec)
{
	for (int i = 0; i < spec->dataset->npromises; i++)
		if (is_outside(&spec->dataset->promises[i]))
			return true;
	return false;
}

bool
has_limits(const Specification *spec)
{
	for (int i = 0; i < spec->dataset->npromises; i++)
		if (is_limit(&spec->dataset->promises[i]))
			return true;
	return false;
}

/* The specification for people of another relation: only their labels. */
static Specification
outside_specification(const Specification *spec, Oid relation)
{
	Specification outside = *spec;
	Dataset    *dataset = palloc(sizeof(Dataset));
	Population *population = palloc(sizeof(Population));

	*dataset = *spec->dataset;
	dataset->relation = relation;
	dataset->person = NULL;
	*population = *spec->population;
	population->nsensitive = 0;
	population->has_conditions = false;
	outside.dataset = dataset;
	outside.population = population;
	outside.promise.has_l = outside.promise.has_t = false;
	outside.star = false;
	outside.outside = true;
	outside.columns = palloc(sizeof(ShownColumn) * (spec->ncolumns + 1));
	outside.ncolumns = 0;
	for (int i = 0; i < spec->ncolumns; i++)
		if (spec->columns[i].attr >= 0)
			outside.columns[outside.ncolumns++] = spec->columns[i];
	return outside;
}

/*
 * The name of a promise's counts; two promises about the same relation share
 * the first one's.
 */
static char *
table_name(const Specification *spec, int promise)
{
	const DeclaredPromise *promises = spec->dataset->promises;
	int			first = 0;

	while (!is_outside(&promises[first]) || promises[first].population != promises[promise].population)
		first++;
	return psprintf("anonopt_outside%d", first + 1);
}

/* ------------------------------------------------------- a node's labels, a cut's */

static void
append_by_labels(StringInfo sql, const Specification *outside)
{
	appendStringInfoString(sql, "SELECT ");
	append_class_columns(sql, outside, "b");
	appendStringInfoString(sql, ", pg_catalog.count(*) AS people FROM (\n\t\t\t");
	append_base(sql, outside);
	appendStringInfoString(sql, "\n\t) b GROUP BY ");
	append_class_columns(sql, outside, "b");
}

/* -------------------------------------------------------------- a recoding's boxes */

/*
 * A batch of an attribute's leaves, from a given one on, each with its place.
 * NULL is found directly.
 */
static void
append_leaves(StringInfo sql, const Specification *spec, int a, uint32 from, uint32 n, bool with_null)
{
	const Hierarchy *hierarchy = spec->population->attrs[a].hierarchy;
	const char *separator = "VALUES ";

	for (uint32 leaf = from; leaf < from + n; leaf++)
	{
		const char *label = hierarchy->labels[0][leaf];

		if (leaf == hierarchy->null_leaf && !with_null)
			continue;
		appendStringInfo(sql, "%s(%s::%s, %u)", separator, label == NULL ? "NULL" : quote_literal_cstr(label), finer_type(spec, a), leaf);
		separator = ", ";
	}
	/* a domain of NULL alone */
	if (*separator != ',')
		appendStringInfo(sql, "SELECT NULL::%s, NULL::pg_catalog.int4 WHERE false", finer_type(spec, a));
}

/*
 * A box's class, and its lowest and highest place for each attribute, or none
 * if it has every leaf.
 */
static void
append_box(StringInfo sql, const Specification *spec, uint32 box)
{
	const LeafBoxes *boxes = &spec->recoded->boxes;
	const Population *population = spec->population;

	appendStringInfo(sql, "(%u", boxes->class_of[box]);
	for (int a = 0; a < population->nattrs; a++)
	{
		Size		at = (Size) box * population->nattrs + a;
		uint32		first = boxes->first_leaf[at];
		uint32		leaves = boxes->leaves[at];

		if (leaves == population->attrs[a].hierarchy->nleaves)
			appendStringInfo(sql, ", " NO_PLACE ", %u", leaves - 1);
		else
			appendStringInfo(sql, ", %u, %u", first, first + leaves - 1);
	}
	appendStringInfoChar(sql, ')');
}

/*
 * A batch of boxes, from a given one on, whose classes are shown.  Returns
 * false if there are none.
 */
static bool
append_boxes(StringInfo sql, const Specification *spec, uint32 from, uint32 n)
{
	const char *separator = "VALUES ";

	for (uint32 box = from; box < from + n; box++)
	{
		if (spec->recoded->boxes.class_of[box] == NOT_SHOWN)
			continue;
		appendStringInfoString(sql, separator);
		append_box(sql, spec, box);
		separator = ", ";
	}
	return *separator == ',';
}

/* The columns of boxes, each with a prefix. */
static void
append_box_columns(StringInfo sql, const Specification *spec, const char *prefix, const char *type)
{
	appendStringInfo(sql, "%sbox%s", prefix, type);
	for (int a = 0; a < spec->population->nattrs; a++)
		appendStringInfo(sql, ", %slow%d%s, %shigh%d%s", prefix, a + 1, type, prefix, a + 1, type);
}

/* The place of a person's value among the leaves. */
static void
append_place_of(StringInfo sql, const Specification *outside, int a)
{
	Joined		joined = prepare_join(outside, a);
	uint32		null_leaf = joined.attr->hierarchy->null_leaf;

	appendStringInfoString(sql, "COALESCE(");
	if (joined.nullable && outside->key != NULL)
		appendStringInfo(sql, "CASE WHEN r.%s IS NULL THEN (SELECT k.leaf_place%d FROM ONLY %s k"
						 " WHERE k.leaf_value%d IS NULL AND k.leaf_place%d IS NOT NULL) ELSE e%d.place END",
						 joined.column, a + 1, outside->key, a + 1, a + 1, a + 1);
	else if (joined.nullable && null_leaf != NO_LEAF)
		appendStringInfo(sql, "CASE WHEN r.%s IS NULL THEN %u ELSE e%d.place END", joined.column, null_leaf, a + 1);
	else
		appendStringInfo(sql, "e%d.place", a + 1);
	appendStringInfo(sql, ", " NO_PLACE ") AS place%d", a + 1);
}

/* The people of another relation by the places of their values. */
static void
append_places_outside(StringInfo sql, const Specification *outside)
{
	int			n = outside->population->nattrs;

	appendStringInfoString(sql, "SELECT ");
	for (int a = 0; a < n; a++)
	{
		append_place_of(sql, outside, a);
		appendStringInfoString(sql, ", ");
	}
	appendStringInfo(sql, "pg_catalog.count(*) AS people\n\t\t\tFROM %s r", relation_sql_name(outside->dataset->relation));
	for (int a = 0; a < n; a++)
	{
		Joined		joined = prepare_join(outside, a);

		append_hierarchy_join(sql, outside, &joined, "LEFT JOIN");
		appendStringInfoString(sql, "\n\t\t\tLEFT JOIN (");
		if (outside->key != NULL)
			appendStringInfo(sql, "SELECT k.leaf_value%d, k.leaf_place%d FROM ONLY %s k WHERE k.leaf_value%d IS NOT NULL",
							 a + 1, a + 1, outside->key, a + 1);
		else
			append_leaves(sql, outside, a, 0, joined.attr->hierarchy->nleaves, false);
		appendStringInfo(sql, ") e%d (leaf, place) ON ", a + 1);
		append_same_leaf(sql, outside, a, psprintf("e%d.leaf", a + 1));
	}
	appendStringInfoString(sql, "\n\t\t\tGROUP BY ");
	for (int a = 0; a < n; a++)
		appendStringInfo(sql, "%s%d", a > 0 ? ", " : "", a + 1);
}

/* A person in two boxes of a class counts once. */
static void
append_by_boxes(StringInfo sql, const Specification *outside)
{
	appendStringInfo(sql, "SELECT y.box AS %s, pg_catalog.sum(y.people)::pg_catalog.int8 AS people FROM (SELECT DISTINCT x.box, o.* FROM (",
					 own_name(outside, "labels"));
	if (outside->key != NULL)
	{
		appendStringInfoString(sql, "SELECT ");
		append_box_columns(sql, outside, "k.", "");
		appendStringInfo(sql, " FROM ONLY %s k WHERE k.box IS NOT NULL", outside->key);
	}
	else if (!append_boxes(sql, outside, 0, outside->recoded->boxes.nboxes))
	{
		appendStringInfoString(sql, "SELECT NULL::pg_catalog.int4");
		for (int a = 0; a < 2 * outside->population->nattrs; a++)
			appendStringInfoString(sql, ", NULL::pg_catalog.int4");
	}
	appendStringInfoString(sql, ") x (");
	append_box_columns(sql, outside, "", "");
	appendStringInfoString(sql, ")\n\t\tJOIN (");
	append_places_outside(sql, outside);
	appendStringInfoString(sql, ") o ON ");
	for (int a = 1; a <= outside->population->nattrs; a++)
		appendStringInfo(sql, "%so.place%d OPERATOR(pg_catalog.>=) x.low%d AND o.place%d OPERATOR(pg_catalog.<=) x.high%d",
						 a > 1 ? " AND " : "", a, a, a, a);
	appendStringInfoString(sql, ") y GROUP BY y.box");
}

void
append_outside_columns(StringInfo sql, const Specification *spec)
{
	if (!asks_outside(spec))
		return;
	appendStringInfoString(sql, ", ");
	append_box_columns(sql, spec, "", " pg_catalog.int4");
	for (int a = 0; a < spec->population->nattrs; a++)
		appendStringInfo(sql, ", leaf_value%d %s, leaf_place%d pg_catalog.int4", a + 1, finer_type(spec, a), a + 1);
}

void
append_outside_rows(StringInfo sql, const Specification *spec)
{
	if (!asks_outside(spec))
		return;
	appendStringInfoString(sql, " OR box IS NOT NULL");
	for (int a = 0; a < spec->population->nattrs; a++)
		appendStringInfo(sql, " OR leaf_place%d IS NOT NULL", a + 1);
}

/* Fills the key with boxes and leaves. */
void
outside_key_fill(const Specification *spec)
{
	StringInfoData sql;

	if (!asks_outside(spec))
		return;
	initStringInfo(&sql);
	for (uint32 box = 0; box < spec->recoded->boxes.nboxes; box += BATCH)
	{
		CHECK_FOR_INTERRUPTS();
		resetStringInfo(&sql);
		appendStringInfo(&sql, "INSERT INTO %s (", spec->key);
		append_box_columns(&sql, spec, "", "");
		appendStringInfoString(&sql, ") ");
		if (append_boxes(&sql, spec, box, Min(BATCH, spec->recoded->boxes.nboxes - box)))
			key_change(spec, sql.data, 0, NULL, NULL, NULL);
	}
	for (int a = 0; a < spec->population->nattrs; a++)
		for (uint32 leaf = 0; leaf < spec->population->attrs[a].hierarchy->nleaves; leaf += BATCH)
		{
			CHECK_FOR_INTERRUPTS();
			resetStringInfo(&sql);
			appendStringInfo(&sql, "INSERT INTO %s (leaf_value%d, leaf_place%d) ", spec->key, a + 1, a + 1);
			append_leaves(&sql, spec, a, leaf, Min(BATCH, spec->population->attrs[a].hierarchy->nleaves - leaf), true);
			key_change(spec, sql.data, 0, NULL, NULL, NULL);
		}
}

/* ----------------------------------------------------------------- conditions */

const char *
append_outside_tables(StringInfo sql, const Specification *spec, const char *before)
{
	for (int i = 0; i < spec->dataset->npromises; i++)
	{
		const DeclaredPromise *promise = &spec->dataset->promises[i];
		Specification outside;

		if (!is_outside(promise) || strcmp(table_name(spec, i), psprintf("anonopt_outside%d", i + 1)) != 0)
			continue;
		outside = outside_specification(spec, promise->population);
		appendStringInfo(sql, "%s%s AS MATERIALIZED (\n\t", before, table_name(spec, i));
		if (spec->recoded != NULL)
			append_by_boxes(sql, &outside);
		else
			append_by_labels(sql, &outside);
		appendStringInfoString(sql, "\n)");
		before = ",\n";
	}
	return before;
}

/* The condition that somebody outside has the labels of a row's class. */
static void
append_same_labels(StringInfo sql, const Specification *spec)
{
	Specification outside = outside_specification(spec, spec->dataset->relation);
	const char *separator = "";

	if (packs(spec))
	{
		appendStringInfo(sql, "o.%s OPERATOR(pg_catalog.=) s.%s", own_name(&outside, "labels"), own_name(spec, "labels"));
		separator = " AND ";
	}
	for (int i = 0; i < outside.ncolumns; i++)
	{
		int			a = outside.columns[i].attr;
		const char *name = quote_identifier(outside.columns[i].name);
		Joined		joined = prepare_join(spec, a);
		bool		may_be_null = joined.nullable || joined.unknown != NULL;

		if (spec->recoded != NULL || packed_radix(spec, a) > 0)
			continue;
		/* NULL equals NULL as a label */
		appendStringInfo(sql, may_be_null ? "%sARRAY[o.%s] OPERATOR(pg_catalog.=) ARRAY[s.%s]" : "%so.%s OPERATOR(pg_catalog.=) s.%s",
						 separator, name, name);
		separator = " AND ";
	}
}

void
append_outside_conditions(StringInfo sql, const Specification *spec)
{
	for (int i = 0; i < spec->dataset->npromises; i++)
	{
		const DeclaredPromise *promise = &spec->dataset->promises[i];

		if (!is_outside(promise))
			continue;
		appendStringInfo(sql, " AND EXISTS (SELECT FROM %s o WHERE ", table_name(spec, i));
		append_same_labels(sql, spec);
		if (promise->model == MODEL_K_MAP)
			appendStringInfo(sql, " AND o.people OPERATOR(pg_catalog.>=) %.0f)", promise->threshold);
		else
		{
			const char *presence = psprintf("(s.%s::pg_catalog.float8 OPERATOR(pg_catalog./) o.people::pg_catalog.float8)",
											own_name(spec, "size"));

			appendStringInfo(sql, " AND %s OPERATOR(pg_catalog.>=) %s AND %s OPERATOR(pg_catalog.<=) %s)", presence,
							 number_sql(promise->has_c ? promise->c : 0), presence, number_sql(promise->threshold));
		}
	}
}

/*
 * The condition that all classes c together keep a promise.  No classes keep it.
 */
static void
append_limit(StringInfo sql, const DeclaredPromise *promise, const char *size)
{
	appendStringInfoString(sql, "COALESCE(");
	if (promise->model == MODEL_AVERAGE_RISK)
		appendStringInfoString(sql, "pg_catalog.count(*)");
	else
		appendStringInfo(sql, "COALESCE(pg_catalog.sum(c.%s) FILTER (WHERE 1::pg_catalog.float8 OPERATOR(pg_catalog./)"
						 " c.%s::pg_catalog.float8 OPERATOR(pg_catalog.>) %s), 0)", size, size, number_sql(promise->c));
	appendStringInfo(sql, "::pg_catalog.float8 OPERATOR(pg_catalog./) pg_catalog.sum(c.%s)::pg_catalog.float8 OPERATOR(pg_catalog.<=) %s, true)",
					 size, number_sql(promise->threshold));
}

void
append_limits(StringInfo sql, const Specification *spec, const char *before, const char *table, const char *condition)
{
	const char *separator = "";

	if (!has_limits(spec))
		return;
	appendStringInfo(sql, "%s(SELECT ", before);
	for (int i = 0; i < spec->dataset->npromises; i++)
	{
		if (!is_limit(&spec->dataset->promises[i]))
			continue;
		appendStringInfoString(sql, separator);
		append_limit(sql, &spec->dataset->promises[i], own_name(spec, "size"));
		separator = " AND ";
	}
	appendStringInfoString(sql, " FROM (SELECT DISTINCT ");
	append_class_columns(sql, spec, "f");
	appendStringInfo(sql, ", f.%s FROM %s f%s) c)", own_name(spec, "size"), table, condition);
}

void
append_hidden_limits(StringInfo sql, const Specification *spec, const char *size)
{
	/* everybody outside matches stars */
	if (asks_outside(spec))
		appendStringInfoString(sql, " AND false");
	for (int i = 0; i < spec->dataset->npromises; i++)
	{
		const DeclaredPromise *promise = &spec->dataset->promises[i];

		if (is_limit(promise))
			appendStringInfo(sql, " AND 1::pg_catalog.float8 OPERATOR(pg_catalog./) %s::pg_catalog.float8 OPERATOR(pg_catalog.<=) %s",
							 size, number_sql(promise->model == MODEL_AVERAGE_RISK ? promise->threshold : promise->c));
	}
}
