/*
 * type_match.c
 *	  How values of two types are compared, and how values become texts.
 *
 * The owner of a type can create casts from and to it.  Only casts between
 * PostgreSQL's own types can be trusted.
 */
#include "catalog/type_match.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

bool
type_is_integer(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID;
}

bool
type_is_number(Oid type)
{
	return type_is_integer(type) || type == NUMERICOID || type == FLOAT4OID || type == FLOAT8OID;
}

bool
type_is_float(Oid type)
{
	return type == FLOAT4OID || type == FLOAT8OID;
}

bool
type_is_moment(Oid type)
{
	return type == DATEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID;
}

bool
type_is_string(Oid type)
{
	return type == TEXTOID || type == VARCHAROID || type == BPCHAROID || type == NAMEOID;
}

bool
type_is_text(Oid type)
{
	return type_is_string(type) || type_is_enum(type);
}

bool
builtin_cast(Oid from, Oid to, Oid *function)
{
	CoercionPathType path;

	*function = InvalidOid;
	if (from == to)
		return true;
	/* a domain's check is a user's function */
	if (getBaseType(to) != to)
		return false;
	path = find_coercion_pathway(to, from, COERCION_ASSIGNMENT, function);
	if (path == COERCION_PATH_FUNC)
		return from < FirstNormalObjectId && to < FirstNormalObjectId && *function < FirstNormalObjectId;
	return path == COERCION_PATH_RELABELTYPE;
}

/* The name of a type for a form, with every % in it escaped. */
static char *
type_in_form(Oid type)
{
	StringInfoData name;

	initStringInfo(&name);
	for (const char *at = format_type_be_qualified(type); *at != '\0'; at++)
	{
		if (*at == '%')
			appendStringInfoChar(&name, '%');
		appendStringInfoChar(&name, *at);
	}
	return name.data;
}

const char *
text_form(Oid type)
{
	type = getBaseType(type);
	if (type < FirstNormalObjectId)
		return "%v::pg_catalog.text";
	/* enum_out does not accept a domain */
	if (type_is_enum(type))
		return psprintf("pg_catalog.textin(pg_catalog.enum_out(%%v::%s))", type_in_form(type));
	return "(CASE WHEN pg_catalog.num_nonnulls(%v) OPERATOR(pg_catalog.>) 0 THEN pg_catalog.format('%s', %v) END)";
}

/* A row, an array or a range may contain a domain with a check. */
bool
type_input_is_safe(Oid type)
{
	char		kind = get_typtype(type);

	if (kind == TYPTYPE_RANGE)
		return type_input_is_safe(get_range_subtype(type));
	if (kind == TYPTYPE_MULTIRANGE)
		return type_input_is_safe(get_multirange_range(type));
	if (OidIsValid(get_element_type(type)))
		return type_input_is_safe(get_element_type(type));
	return kind == TYPTYPE_BASE || kind == TYPTYPE_ENUM;
}

char *
sql_as(const char *form, const char *expression)
{
	StringInfoData sql;

	initStringInfo(&sql);
	for (const char *at = form; *at != '\0'; at++)
	{
		if (at[0] == '%' && at[1] == 'v')
			appendStringInfoString(&sql, expression);
		else
			appendStringInfoChar(&sql, *at);
		if (at[0] == '%' && (at[1] == 'v' || at[1] == '%'))
			at++;
	}
	return sql.data;
}

char *
value_in_zone(const char *value, Oid from, Oid to, const char *zone)
{
	const char *name = zone == NULL ? NULL : quote_literal_cstr(zone);

	if (zone != NULL && from == TIMESTAMPTZOID && (to == DATEOID || to == TIMESTAMPOID))
		return psprintf("pg_catalog.timezone(%s, %s)", name, value);
	if (zone != NULL && to == TIMESTAMPTZOID && (from == DATEOID || from == TIMESTAMPOID))
		return psprintf("pg_catalog.timezone(%s, %s::pg_catalog.timestamp)", name, value);
	return pstrdup(value);
}

bool
match_types(Oid data_type, Oid leaf_type, TypeMatch *match)
{
	Oid			function;

	match->data_type = data_type;
	match->leaf_type = leaf_type;
	match->data_form = match->leaf_form = "%v";
	match->rounds = false;
	if (type_is_integer(data_type) && type_is_integer(leaf_type))
		return true;
	if (type_is_number(data_type) && type_is_number(leaf_type))
	{
		match->data_type = match->leaf_type = NUMERICOID;
		match->data_form = match->leaf_form = "%v::pg_catalog.numeric";
		return true;
	}
	if (type_is_text(data_type) && type_is_text(leaf_type))
	{
		match->data_type = match->leaf_type = TEXTOID;
		match->data_form = text_form(data_type);
		match->leaf_form = text_form(leaf_type);
		return true;
	}
	if (data_type == leaf_type)
		return true;
	if (type_is_range(leaf_type) && builtin_cast(data_type, get_range_subtype(leaf_type), &function))
	{
		match->data_type = get_range_subtype(leaf_type);
		match->data_form = psprintf("%%v::%s", type_in_form(match->data_type));
		/* a moment is in the days of a range that its own day is in */
		match->rounds = !(data_type == match->data_type || type_is_integer(data_type) ||
						  (type_is_number(data_type) && match->data_type == NUMERICOID) ||
						  (type_is_moment(data_type) && type_is_moment(match->data_type)));
		return true;
	}
	return false;
}

bool
cast_can_be_kept_from_failing(Oid from, Oid to)
{
	if (from == to || to == TEXTOID)
		return true;
	if (type_is_moment(from) && type_is_moment(to))
		return true;
	if (to == INT4OID || to == INT8OID || to == NUMERICOID)
		return type_is_number(from);
	return to == FLOAT8OID && (type_is_integer(from) || from == FLOAT4OID);
}

char *
cast_condition(const char *value, Oid from, Oid to)
{
	if (to == INT4OID && !(from == INT2OID || from == INT4OID))
		return psprintf("%s OPERATOR(pg_catalog.>) -2147483648.5 AND %s OPERATOR(pg_catalog.<) 2147483647.5", value, value);
	if (to == INT8OID && type_is_float(from))
		return psprintf("%s OPERATOR(pg_catalog.>=) -9223372036854775808::pg_catalog.float8"
						" AND %s OPERATOR(pg_catalog.<) 9223372036854775808::pg_catalog.float8", value, value);
	if (to == INT8OID && from == NUMERICOID)
		return psprintf("%s OPERATOR(pg_catalog.>) -9223372036854775808.5"
						" AND %s OPERATOR(pg_catalog.<) 9223372036854775807.5", value, value);
	/* near the ends of what the types can hold, a zone moves moments beyond */
	if (from != to && type_is_moment(from) && type_is_moment(to))
		return psprintf("(NOT pg_catalog.isfinite(%s) OR (%s OPERATOR(pg_catalog.>) '4713-01-03 BC'::%s AND %s OPERATOR(pg_catalog.<) '294276-12-29'::%s))",
						value, value, format_type_be_qualified(from), value, format_type_be_qualified(from));
	return NULL;
}
