/*
 * statement_joins.c
 *	  The part of a release's statement that finds the labels of a row: it
 *	  joins the hierarchies, and the groups of a cut.
 */
#include "release/statement_parts.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "read/hierarchy_read.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

static bool
is_float(Oid type)
{
	return type == FLOAT4OID || type == FLOAT8OID;
}

/*
 * Whether to keep rows that have a value without a leaf, to be starred.  If
 * shares of values are promised, they are omitted, because their distance from
 * all cannot be computed.
 */
bool
keeps_incomplete(const Specification *spec)
{
	return spec->star && !by_shares(spec);
}


static bool
is_nullable(Oid relation, const char *column)
{
	HeapTuple	tuple = SearchSysCacheAttName(relation, column);
	bool		nullable;

	if (!HeapTupleIsValid(tuple))
		relation_has_changed(relation);
	nullable = !((Form_pg_attribute) GETSTRUCT(tuple))->attnotnull;
	ReleaseSysCache(tuple);
	return nullable || get_rel_relkind(relation) != RELKIND_RELATION;
}

/* The label of NULL, or NULL if it has none. */
const char *
label_of_null(const Joined *joined)
{
	const Hierarchy *hierarchy = joined->attr->hierarchy;
	const Recoding *recoding = &hierarchy->levels[joined->level];

	if (hierarchy->null_leaf == NO_LEAF)
	{
		/* no NULL has occurred yet: it would join a single label at the top */
		if (joined->level == 0 || joined->level < hierarchy->height || recoding->nlabels > 1)
			return NULL;
		return hierarchy->labels[joined->level][0];
	}
	if (joined->cut != NULL)
		return joined->cut_labels[joined->cut->label_of[hierarchy->null_leaf]];
	return hierarchy->labels[joined->level][recoding->label_of[hierarchy->null_leaf]];
}

/*
 * Whether to pack labels: labels numbered in the order of their texts are
 * packed into one integer, as digits, which is faster to sort and compare.
 * Not done if NULL shares its label with others, or if numbering would take
 * longer.
 */
#define MAX_NUMBERED_LEAVES 10000

/* The number of values that a label's number can take; 0 if it has none. */
static uint32
label_radix(const Specification *spec, int a)
{
	const Declared *declared = declared_attribute(spec->dataset, a);
	Hierarchy  *hierarchy = spec->population->attrs[a].hierarchy;
	const char *leaf = hierarchy_column(declared->hierarchy, 0);
	Joined		joined = {0};

	joined.attr = &spec->population->attrs[a];
	if (spec->cut != NULL || spec->recoded != NULL || declared->shows_unknown)
		return 0;
	joined.level = spec->levels[a];

	/*
	 * people outside may share the label of the data's NULL, or have a label
	 * without a leaf
	 */
	if (asks_outside(spec) && (label_of_null(&joined) != NULL || hierarchy->levels[joined.level].nlabels == 1))
		return 0;
	if (hierarchy->nleaves > MAX_NUMBERED_LEAVES || is_float(hierarchy_leaf_type(declared->hierarchy)) ||
		strcmp(leaf, "label") == 0 || strcmp(leaf, "number") == 0 || strcmp(leaf, "place") == 0 ||
		(is_nullable(spec->dataset->relation, declared->column) && label_of_null(&joined) != NULL))
		return 0;

	/*
	 * Numbers start at 1; the number above all labels is for rows without
	 * one. A live view leaves room for labels that its hierarchy may gain.
	 */
	return (spec->snapshot ? 1 : 2) * hierarchy->levels[joined.level].nlabels + (spec->snapshot ? 2 : 10);
}

/* The same for every quasi-identifier, as long as all packed ones fit. */
uint32 *
choose_radixes(const Specification *spec)
{
	uint32	   *radixes = palloc0(sizeof(uint32) * (spec->population->nattrs + 1));
	uint64		room = PG_INT64_MAX;

	for (int a = 0; a < spec->population->nattrs; a++)
	{
		uint32		radix = label_radix(spec, a);

		if (radix == 0 || room / radix == 0)
			continue;
		radixes[a] = radix;
		room /= radix;
	}
	return radixes;
}

uint32
packed_radix(const Specification *spec, int a)
{
	return spec->radixes != NULL ? spec->radixes[a] : 0;
}

/* The label of a value without a leaf, in SQL; NULL if it has none. */
static const char *
label_of_unknown(const Specification *spec, const Joined *joined)
{
	const Hierarchy *hierarchy = joined->attr->hierarchy;
	uint32		nlabels = joined->cut != NULL ? joined->cut->nlabels : hierarchy->levels[joined->level].nlabels;
	const char *label;

	if (joined->declared->shows_unknown && joined->cut == NULL)
		return quote_literal_cstr(hierarchy->labels[hierarchy->height][0]);
	/* a cut may merge them with others */
	if (joined->declared->shows_unknown && spec->key == NULL)
		return quote_literal_cstr(unknown_group_label(joined));
	if (joined->declared->shows_unknown)
		return psprintf("(SELECT k.unknown%d FROM ONLY %s k WHERE k.unknown%d IS NOT NULL) COLLATE pg_catalog.\"C\"",
						joined->number, spec->key, joined->number);
	if (!spec->outside || spec->recoded != NULL || nlabels != 1)
		return NULL;
	if (joined->cut != NULL && spec->key != NULL)
		return psprintf("(SELECT pg_catalog.max(k.shown%d) FROM ONLY %s k) COLLATE pg_catalog.\"C\"", joined->number, spec->key);
	label = joined->cut != NULL ? joined->cut_labels[0] : hierarchy->labels[joined->level][0];
	return label == NULL ? "NULL::pg_catalog.text" : quote_literal_cstr(label);
}

Joined
prepare_join(const Specification *spec, int a)
{
	Joined		joined = {0};

	joined.number = a + 1;
	joined.declared = declared_attribute(spec->dataset, a);
	joined.attr = &spec->population->attrs[a];
	joined.cut = spec->cut != NULL ? spec->cut[a] : NULL;
	joined.cut_labels = spec->cut != NULL ? spec->cut_labels[a] : NULL;
	joined.level = spec->recoded != NULL ? 0 : spec->cut != NULL ? joined.attr->min_level : spec->levels[a];
	joined.nullable = is_nullable(spec->dataset->relation, joined.declared->column);
	joined.column = quote_identifier(joined.declared->column);
	joined.leaf = quote_identifier(hierarchy_column(joined.declared->hierarchy, 0));
	joined.radix = packed_radix(spec, a);
	joined.unknown = label_of_unknown(spec, &joined);
	joined.lookup = spec->lookups != NULL ? spec->lookups[a] : NULL;
	joined.places = has_range_places(spec, joined.declared->column, joined.declared->hierarchy, joined.attr->hierarchy);
	return joined;
}

char *
equality_operator(Oid type)
{
	Oid			operator = lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr;
	HeapTuple	tuple = SearchSysCache1(OPEROID, ObjectIdGetDatum(operator));
	char	   *name;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "type %u has no equality", type);
	name = psprintf("OPERATOR(%s.%s)",
					quote_identifier(get_namespace_name(((Form_pg_operator) GETSTRUCT(tuple))->oprnamespace)),
					NameStr(((Form_pg_operator) GETSTRUCT(tuple))->oprname));
	ReleaseSysCache(tuple);
	return name;
}

/* The condition under which a value can be cast; NULL if all values can. */
static char *
castable(const char *value, Oid from, Oid to)
{
	if (to == INT4OID && !(from == INT2OID || from == INT4OID))
		return psprintf("%s OPERATOR(pg_catalog.>) -2147483648.5 AND %s OPERATOR(pg_catalog.<) 2147483647.5", value, value);
	if (to == INT8OID && is_float(from))
		return psprintf("%s OPERATOR(pg_catalog.>=) -9223372036854775808::pg_catalog.float8"
						" AND %s OPERATOR(pg_catalog.<) 9223372036854775808::pg_catalog.float8", value, value);
	if (to == INT8OID && from == NUMERICOID)
		return psprintf("%s OPERATOR(pg_catalog.>) -9223372036854775808.5"
						" AND %s OPERATOR(pg_catalog.<) 9223372036854775807.5", value, value);
	if (to == NUMERICOID && (is_float(from) || from == NUMERICOID))
		return psprintf("%s OPERATOR(pg_catalog.<>) 'NaN'::%s", value, format_type_be_qualified(from));
	if ((to == TIMESTAMPOID || to == TIMESTAMPTZOID) && from == DATEOID)
		return psprintf("(%s OPERATOR(pg_catalog.<) '294276-01-01'::pg_catalog.date OR NOT pg_catalog.isfinite(%s))", value, value);
	return NULL;
}

/*
 * Converts a timestamp to a day or a time in the data set's zone, or the other
 * way round; never in the reader's zone.
 */
static const char *
in_zone(const Specification *spec, const char *value, Oid from, Oid to)
{
	const char *zone = quote_literal_cstr(spec->dataset->timezone);

	if (from == TIMESTAMPTZOID && (to == DATEOID || to == TIMESTAMPOID))
		return psprintf("pg_catalog.timezone(%s, %s)", zone, value);
	if (to == TIMESTAMPTZOID && (from == DATEOID || from == TIMESTAMPOID))
		return psprintf("pg_catalog.timezone(%s, %s::pg_catalog.timestamp)", zone, value);
	return value;
}

/*
 * A value converted to the type of leaves; NULL, which has no leaf, instead of
 * an error.
 */
static void
append_cast(StringInfo sql, const Specification *spec, const char *value, Oid from, Oid to, const char *form)
{
	char	   *condition = castable(value, from, to);

	value = in_zone(spec, value, from, to);
	if (condition == NULL)
		appendStringInfoString(sql, sql_as(form, value));
	else
		appendStringInfo(sql, "(CASE WHEN %s THEN %s END)", condition, sql_as(form, value));
}

/* Whether a column's leaves are ranges that contain its values. */
static bool
is_held_by_ranges(const Specification *spec, const char *column, Oid hierarchy)
{
	Oid			leaf_type = hierarchy_leaf_type(hierarchy);

	return type_is_range(leaf_type) && column_type(spec->dataset->relation, column) != leaf_type;
}

/*
 * Whether the lower bounds of ranges determine which one contains a value.  A
 * range that excludes its lower bound would be confused with the one before
 * it; and a user-defined range type may order its values differently from its
 * subtype.
 */
static bool
has_places(Oid hierarchy, const Hierarchy *tree)
{
	if (hierarchy_leaf_type(hierarchy) >= FirstNormalObjectId)
		return false;
	for (uint32 leaf = 0; leaf < tree->nleaves; leaf++)
	{
		const char *label = tree->labels[0][leaf];

		if (label != NULL && label[0] == '(' && label[1] != ',')
			return false;
	}
	return true;
}

bool
has_range_places(const Specification *spec, const char *column, Oid hierarchy, const Hierarchy *tree)
{
	return is_held_by_ranges(spec, column, hierarchy) && has_places(hierarchy, tree);
}

char *
range_place_sql(Oid hierarchy, const char *alias)
{
	const char *leaf = quote_identifier(hierarchy_column(hierarchy, 0));

	return psprintf("pg_catalog.count(pg_catalog.lower(%s.%s)) OVER (ORDER BY %s.%s)", alias, leaf, alias, leaf);
}

/*
 * A value's position among the lower bounds: one lookup in a sorted array,
 * built once per statement, followed by an equality that the planner can hash.
 */
static void
append_place_match(StringInfo sql, Oid hierarchy, const char *place, const char *value)
{
	const char *leaf = quote_identifier(hierarchy_column(hierarchy, 0));

	appendStringInfo(sql, "%s OPERATOR(pg_catalog.=) pg_catalog.width_bucket(%s,"
					 " COALESCE((SELECT pg_catalog.array_agg(pg_catalog.lower(f.%s) ORDER BY f.%s) FROM ONLY %s f"
					 " WHERE pg_catalog.lower(f.%s) IS NOT NULL), '{}')) AND ",
					 place, value, leaf, leaf, relation_sql_name(hierarchy), leaf);
}

void
append_held_value(StringInfo sql, const Specification *spec, const char *column, Oid hierarchy)
{
	Oid			type = column_type(spec->dataset->relation, column);
	TypeMatch	match;

	if (!match_types(type, hierarchy_leaf_type(hierarchy), &match))
		elog(ERROR, "column \"%s\" does not match its hierarchy", column);
	append_cast(sql, spec, psprintf("r.%s", quote_identifier(column)), type, match.data_type, match.data_form);
}

void
append_leaf_match(StringInfo sql, const Specification *spec, const char *column, Oid hierarchy, const char *alias,
				  const char *place)
{
	Oid			type = column_type(spec->dataset->relation, column);
	Oid			leaf_type = hierarchy_leaf_type(hierarchy);
	const char *leaf = quote_identifier(hierarchy_column(hierarchy, 0));
	TypeMatch	match;
	const char *collate;

	if (!match_types(type, leaf_type, &match))
		elog(ERROR, "column \"%s\" does not match its hierarchy", column);
	collate = match.data_type == TEXTOID ? " COLLATE pg_catalog.\"C\"" : "";
	if (is_held_by_ranges(spec, column, hierarchy))
	{
		StringInfoData value;

		initStringInfo(&value);
		append_held_value(&value, spec, column, hierarchy);
		if (place != NULL)
			append_place_match(sql, hierarchy, place, value.data);
		appendStringInfo(sql, "%s.%s OPERATOR(pg_catalog.@>) %s", alias, leaf, value.data);
	}
	else
		appendStringInfo(sql, "%s%s %s %s%s", sql_as(match.data_form, psprintf("r.%s", quote_identifier(column))), collate,
						 type_is_integer(match.data_type) ? "OPERATOR(pg_catalog.=)" : equality_operator(match.data_type),
						 sql_as(match.leaf_form, psprintf("%s.%s", alias, leaf)), collate);
}

char *
label_sql(const char *alias, Oid hierarchy, int level)
{
	const char *name = hierarchy_column(hierarchy, level);

	return psprintf("%s COLLATE pg_catalog.\"C\"",
					sql_as(text_form(column_type(hierarchy, name)), psprintf("%s.%s", alias, quote_identifier(name))));
}

/* The label of the level to be shown or cut. */
static void
append_level(StringInfo sql, const Joined *joined)
{
	if (joined->radix > 0)
		appendStringInfo(sql, "h%d.label", joined->number);
	else
		appendStringInfoString(sql, label_sql(psprintf("h%d", joined->number), joined->declared->hierarchy, joined->level));
}

/* A text literal for a statement, in which backslashes have no meaning. */
static void
append_literal(StringInfo sql, const char *string)
{
	appendStringInfoString(sql, string == NULL ? "NULL" : quote_literal_cstr(string));
}

const char *
unknown_group_label(const Joined *joined)
{
	return joined->cut_labels[joined->cut->label_of[joined->attr->unknown_leaf]];
}

/* The label of a quasi-identifier. */
void
append_label(StringInfo sql, const Specification *spec, const Joined *joined)
{
	const char *label = joined->nullable && spec->recoded == NULL ? label_of_null(joined) : NULL;
	int			n = joined->number;

	if (label != NULL)
		appendStringInfo(sql, "CASE WHEN r.%s IS NULL THEN %s ELSE ", joined->column,
						 spec->key == NULL || joined->cut == NULL || joined->attr->hierarchy->null_leaf == NO_LEAF ? quote_literal_cstr(label) :
						 psprintf("(SELECT k.shown%d FROM ONLY %s k WHERE k.finer%d IS NULL AND k.shown%d IS NOT NULL)"
								  " COLLATE pg_catalog.\"C\"", n, spec->key, n, n));
	if (joined->unknown != NULL && spec->recoded == NULL)
		appendStringInfo(sql, "CASE WHEN r.%s IS NULL THEN NULL WHEN h%d.%s IS NULL THEN %s ELSE ", joined->column, n, joined->leaf,
						 joined->unknown);
	if (spec->recoded != NULL)
		appendStringInfo(sql, "q.shown%d COLLATE pg_catalog.\"C\"", joined->number);
	else if (joined->cut != NULL)
		appendStringInfo(sql, "c%d.shown COLLATE pg_catalog.\"C\"", joined->number);
	else
		append_level(sql, joined);
	if (joined->unknown != NULL && spec->recoded == NULL)
		appendStringInfoString(sql, " END");
	if (label != NULL)
		appendStringInfoString(sql, " END");
}

/* The condition under which a row's value has a leaf. */
static void
append_has_leaf(StringInfo sql, const Joined *joined)
{
	const char *found = joined->cut != NULL ? psprintf("c%d.finer", joined->number) :
	psprintf("h%d.%s", joined->number, joined->leaf);

	if (joined->unknown != NULL && joined->cut != NULL)
		appendStringInfo(sql, "(h%d.%s IS NULL OR %s IS NOT NULL)", joined->number, joined->leaf, found);
	else if (joined->unknown != NULL)
		appendStringInfoString(sql, "true");
	else if (joined->nullable)
		appendStringInfo(sql, "(r.%s IS NULL OR %s IS NOT NULL)", joined->column, found);
	else
		appendStringInfo(sql, "%s IS NOT NULL", found);
}

bool
told_by_value(const Joined *joined)
{
	Oid			leaf_type = hierarchy_leaf_type(joined->declared->hierarchy);
	TypeMatch	match;

	return joined->level == 0 && !match_types(leaf_type, TEXTOID, &match) && type_input_is_safe(leaf_type);
}

const char *
finer_type(const Specification *spec, int attr)
{
	Joined		joined = prepare_join(spec, attr);

	return told_by_value(&joined) ? format_type_be_qualified(hierarchy_leaf_type(joined.declared->hierarchy)) :
		"pg_catalog.text";
}

void
append_groups(StringInfo sql, const Specification *spec, int attr)
{
	Joined		joined = prepare_join(spec, attr);
	const Recoding *finer = &joined.attr->hierarchy->levels[joined.level];
	const char *separator = "";

	for (uint32 label = 0; label < finer->nlabels; label++)
	{
		const char *name = joined.attr->hierarchy->labels[joined.level][label];

		/*
		 * no row of a hierarchy has the label of NULL, or of values without a
		 * leaf
		 */
		if (name == NULL || finer->first_leaf[label] == joined.attr->unknown_leaf)
			continue;
		appendStringInfo(sql, "%s(%s::%s, ", separator, quote_literal_cstr(name), finer_type(spec, attr));
		append_literal(sql, joined.cut_labels[joined.cut->label_of[finer->first_leaf[label]]]);
		appendStringInfoString(sql, "::pg_catalog.text)");
		separator = ", ";
	}
	/* a domain that contains only NULL has no label to look up */
	if (*separator == '\0')
		appendStringInfo(sql, "(NULL::%s, NULL::pg_catalog.text)", finer_type(spec, attr));
}

/* Joins the groups of the labels that are cut. */
static void
append_group_join(StringInfo sql, const Specification *spec, int attr, const char *join)
{
	Joined		joined = prepare_join(spec, attr);
	int			n = joined.number;

	appendStringInfo(sql, "\n\t\t\t%s (", join);
	if (spec->key != NULL)
		appendStringInfo(sql, "SELECT k.finer%d, k.shown%d FROM ONLY %s k", n, n, spec->key);
	else
	{
		appendStringInfoString(sql, "VALUES ");
		append_groups(sql, spec, attr);
	}
	appendStringInfo(sql, ") c%d (finer, shown) ON c%d.finer", n, n);
	if (told_by_value(&joined))
		appendStringInfo(sql, " %s h%d.%s", equality_operator(hierarchy_leaf_type(joined.declared->hierarchy)), n, joined.leaf);
	else
	{
		appendStringInfoString(sql, " COLLATE pg_catalog.\"C\" OPERATOR(pg_catalog.=) ");
		append_level(sql, &joined);
	}
}

/* A name for a column of positions that no column of a hierarchy has. */
static char *
place_name(Oid hierarchy)
{
	char	   *name = pstrdup("place");

	while (OidIsValid(column_type(hierarchy, name)))
		name = psprintf("%s_", name);
	return name;
}

/*
 * A hierarchy's own rows, without children's, each leaf once: floats that
 * differ for its key may be equal when compared as numbers.
 */
static char *
hierarchy_rows(const Specification *spec, const Joined *joined)
{
	Oid			hierarchy = joined->declared->hierarchy;
	Oid			leaf_type = hierarchy_leaf_type(hierarchy);
	TypeMatch	match;

	if (joined->radix > 0)
	{
		char	   *label = label_sql("f", hierarchy, joined->level);

		return psprintf("(SELECT f.%s, %s, pg_catalog.dense_rank() OVER (ORDER BY %s)%s FROM ONLY %s f)", joined->leaf, label,
						label, joined->places ? psprintf(", %s", range_place_sql(hierarchy, "f")) : "",
						relation_sql_name(hierarchy));
	}
	if (joined->places)
		return psprintf("(SELECT f.*, %s AS %s FROM ONLY %s f)", range_place_sql(hierarchy, "f"), place_name(hierarchy),
						relation_sql_name(hierarchy));
	if (!is_float(leaf_type) || !match_types(column_type(spec->dataset->relation, joined->declared->column), leaf_type, &match))
		return psprintf("ONLY %s", relation_sql_name(hierarchy));
	return psprintf("(SELECT DISTINCT ON (%s) f.* FROM ONLY %s f ORDER BY %s)",
					sql_as(match.leaf_form, psprintf("f.%s", joined->leaf)), relation_sql_name(hierarchy),
					sql_as(match.leaf_form, psprintf("f.%s", joined->leaf)));
}

void
append_hierarchy_join(StringInfo sql, const Specification *spec, const Joined *joined, const char *join)
{
	appendStringInfo(sql, "\n\t\t\t%s %s h%d ", join, hierarchy_rows(spec, joined), joined->number);
	if (joined->radix > 0)
		appendStringInfo(sql, "(%s, label, number%s) ", joined->leaf, joined->places ? ", place" : "");
	appendStringInfoString(sql, "ON ");
	append_leaf_match(sql, spec, joined->declared->column, joined->declared->hierarchy,
					  psprintf("h%d", joined->number), !joined->places ? NULL :
					  psprintf("h%d.%s", joined->number, joined->radix > 0 ? "place" : place_name(joined->declared->hierarchy)));
	/* new labels would not fit */
	if (joined->radix > 0)
		appendStringInfo(sql, " AND h%d.number OPERATOR(pg_catalog.<=) %u", joined->number, joined->radix - 2);
}

void
append_joins(StringInfo sql, const Specification *spec)
{
	for (int a = 0; a < spec->population->nattrs; a++)
	{
		Joined		joined = prepare_join(spec, a);
		const char *join = keeps_incomplete(spec) || joined.nullable || joined.unknown != NULL ? "LEFT JOIN" : "JOIN";

		if (joined.lookup != NULL)
			continue;
		append_hierarchy_join(sql, spec, &joined, join);
		if (joined.cut != NULL)
			append_group_join(sql, spec, a, join);
	}
	if (spec->recoded != NULL)
		append_tuple_join(sql, spec);
}

/*
 * The condition that every value of a row has a leaf, except where joins
 * ensure it, or packed labels are NULL otherwise.
 */
void
append_leaves_condition(StringInfo sql, const Specification *spec, const char *before)
{
	if (spec->recoded != NULL && keeps_incomplete(spec))
	{
		appendStringInfo(sql, "%sq.class IS NOT NULL", before);
		before = " AND ";
	}
	for (int a = 0; a < spec->population->nattrs; a++)
	{
		Joined		joined = prepare_join(spec, a);

		if ((!keeps_incomplete(spec) && !joined.nullable && joined.unknown == NULL) || (spec->alike && joined.radix > 0))
			continue;
		appendStringInfoString(sql, before);
		append_has_leaf(sql, &joined);
		before = " AND ";
	}
	append_places_condition(sql, spec, before);
}
