/*
 * auto_dataset.c
 *	  SQL: auto_dataset, a first look at any table in one call.
 *
 * Chooses a hierarchy by a column's type and what it holds: ranges for
 * numbers, in widths of 1, 2 or 5 times a power of ten; weeks or months to
 * decades for dates; masks for codes; a single step to * for the rest.
 */
#include "base/compat.h"

#include <math.h>

#include "access/relation.h"
#include "catalog/dataset_rights.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "commands/defrem.h"
#include "read/hierarchy_read.h"
#include "sql/arguments.h"
#include "sql/declare.h"
#include "sql/hierarchy_builders.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/tuplestore.h"

/* Up to so many values are categories, whatever their type. */
#define FEW_VALUES 12

/* A column with at most so many integers keeps each as a leaf. */
#define MANY_INTEGERS 1000

/* A range hierarchy of real numbers begins with some so many leaves. */
#define RANGE_LEAVES 100

/* Codes are no longer than this. */
#define CODE_LENGTH 12

#define MAX_WIDTHS 16

PG_FUNCTION_INFO_V1(anonopt_auto_dataset);

/* What a column holds, as far as its type has it. */
typedef struct Profile
{
	int64		values;			/* distinct ones */
	double		low;
	double		high;
	int			longest;		/* length of its texts */
	bool		codes;			/* short, and a digit in every one or all of
								 * one length */
} Profile;

/* A width of 1, 2 or 5 times a power of ten. */
typedef struct Width
{
	int			digit;
	int			exponent;
} Width;

static Width
make_width(int digit, int exponent)
{
	Width		width = {digit, exponent};

	return width;
}

static double
width_value(Width width)
{
	return width.digit * pow(10, width.exponent);
}

static Datum
width_numeric(Width width)
{
	char	   *number = psprintf("%de%d", width.digit, width.exponent);

	return DirectFunctionCall3(numeric_in, CStringGetDatum(number),
							   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}

/* The smallest such width that is not below a value. */
static Width
round_width(double value)
{
	Width		width = {1, (int) floor(log10(value))};
	static const int digits[] = {1, 2, 5};

	for (int i = 0; i < lengthof(digits); i++)
	{
		width.digit = digits[i];
		if (width_value(width) >= value * (1 - 1e-9))
			return width;
	}
	return make_width(1, width.exponent + 1);
}

/* The next such width that a width divides, and not just twice it. */
static Width
wider(Width width)
{
	if (width.digit == 1)
		return make_width(5, width.exponent);
	return make_width(1, width.exponent + 1);
}

/* Widths above a leaf's, until two or three groups are left. */
static int
choose_widths(Width leaf, double span, Datum *widths, Width *widest)
{
	int			nwidths = 0;

	*widest = leaf;
	for (Width width = wider(leaf);
		 nwidths < MAX_WIDTHS && width_value(width) <= span / 2;
		 width = wider(width))
	{
		widths[nwidths++] = width_numeric(width);
		*widest = width;
	}
	return nwidths;
}

static Datum
numeric_of(double value)
{
	return DirectFunctionCall1(float8_numeric, Float8GetDatum(value));
}

/* Intervals or ranges of numbers from what the column holds. */
static Oid
build_numbers(const char *name, const Profile *profile, bool integers)
{
	double		span = profile->high - profile->low;
	bool		every_integer = integers && span <= MANY_INTEGERS;
	Width		leaf = every_integer ? make_width(1, 0) : round_width(span / RANGE_LEAVES);
	Width		widest;
	Datum		elements[MAX_WIDTHS];
	Datum		widths;
	int			nwidths;
	double		low;
	double		high;

	/* integers have no leaves narrower than one */
	if (integers && leaf.exponent < 0)
		leaf = make_width(1, 0);
	nwidths = choose_widths(leaf, span, elements, &widest);
	widths = PointerGetDatum(construct_array(elements, nwidths, NUMERICOID, -1, false, TYPALIGN_INT));
	low = floor(profile->low / width_value(widest)) * width_value(widest);
	if (every_integer)
		return build_intervals(name, numeric_of(low), numeric_of(profile->high), widths, true);
	high = (floor(profile->high / width_value(leaf)) + 1) * width_value(leaf);
	return build_ranges(name, numeric_of(low), numeric_of(high), width_numeric(leaf), widths, true);
}

/* Units for dates that span so many days. */
static Datum
choose_units(double days)
{
	Datum		units[4];
	int			nunits = 0;

	if (days <= 180)
		units[nunits++] = CStringGetTextDatum("week");
	else
	{
		units[nunits++] = CStringGetTextDatum("month");
		units[nunits++] = CStringGetTextDatum("quarter");
		units[nunits++] = CStringGetTextDatum("year");
		if (days > 10 * 365)
			units[nunits++] = CStringGetTextDatum("decade");
	}
	return PointerGetDatum(construct_array(units, nunits, TEXTOID, -1, false, TYPALIGN_INT));
}

static bool
is_date(Oid type)
{
	return type == DATEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID;
}

static bool
is_number(Oid type)
{
	TypeMatch	match;

	return match_types(type, NUMERICOID, &match);
}

static bool
is_text(Oid type)
{
	TypeMatch	match;

	return match_types(type, TEXTOID, &match);
}

/* Expressions for the two ends and the texts of a column of a type. */
static char *
profile_statement(Oid relation, const char *column, Oid type)
{
	const char *value = psprintf("r.%s", quote_identifier(column));
	const char *number = "NULL";
	const char *text = "NULL";

	if (is_number(type))
		number = psprintf("%s::numeric", value);
	else if (is_date(type))
		number = psprintf("CASE WHEN isfinite(%s::date) THEN %s::date - date '2000-01-01' END", value, value);
	else if (is_text(type))
		text = psprintf("%s COLLATE \"C\"", sql_as(text_form(type), value));

	return psprintf("SELECT count(DISTINCT v), min(n) FILTER (WHERE abs(n) < 'Infinity')::float8,"
					" max(n) FILTER (WHERE abs(n) < 'Infinity')::float8, max(length(s)),"
					" bool_and(s ~ '[0-9]') OR min(length(s)) = max(length(s))"
					" FROM (SELECT %s AS v, (%s)::numeric AS n, (%s)::text AS s FROM %s r) p",
					value, number, text, relation_sql_name(relation));
}

/* Looks at a column; SPI is connected by the query only. */
static Profile
profile_column(Oid relation, const char *column, Oid type)
{
	Profile		profile = {0};
	bool		isnull;
	Datum		value;
	int			level = sql_use_catalog_names();

	sql_connect();
	sql_read(profile_statement(relation, column, type), 0, NULL, NULL);
	profile.values = DatumGetInt64(sql_value(1, INT8OID, &isnull));
	profile.low = DatumGetFloat8(sql_value(2, FLOAT8OID, &isnull));
	profile.high = DatumGetFloat8(sql_value(3, FLOAT8OID, &isnull));
	if (isnull)
		profile.low = profile.high = 0;
	value = sql_value(4, INT4OID, &isnull);
	profile.longest = isnull ? 0 : DatumGetInt32(value);
	value = sql_value(5, BOOLOID, &isnull);
	profile.codes = !isnull && DatumGetBool(value) &&
		profile.longest <= CODE_LENGTH;
	sql_finish();
	sql_restore_names(level);
	return profile;
}

/* Builds the hierarchy that suits a column. */
static Oid
build_suitable(const char *name, Oid relation, const char *column)
{
	Oid			type = column_type(relation, column);
	Profile		profile = profile_column(relation, column, type);

	if (is_date(type) && profile.values > 0)
	{
		/* both count days from 2000-01-01 */
		return build_dates(name, DateADTGetDatum((DateADT) profile.low), DateADTGetDatum((DateADT) profile.high),
						   choose_units(profile.high - profile.low), type != DATEOID ? DATES_AS_RANGES : DATES_PLAIN, true);
	}
	if (is_number(type) && profile.values > FEW_VALUES && profile.low < profile.high)
		return build_numbers(name, &profile, type_is_integer(type));
	if (is_text(type) && profile.codes && profile.values > FEW_VALUES)
		return build_masks(name, relation, column, "*");
	return build_flat(name, relation, column);
}

/* A free name beside the relation: relation_column_hierarchy. */
static char *
hierarchy_name(Oid relation, const char *column)
{
	Oid			schema = get_rel_namespace(relation);
	char	   *name = ChooseRelationName(get_rel_name(relation), column, "hierarchy", schema, false);

	return quote_qualified_identifier(get_namespace_name(schema), name);
}

/* Builds and declares one column's hierarchy; adds its row. */
static void
add_column(ReturnSetInfo *result, const char *name, Oid relation, char *column)
{
	Declared	declared = {0};
	Datum		values[3];
	bool		nulls[3] = {0};

	declared.role = ROLE_QUASI_IDENTIFIER;
	declared.column = column;
	declared.weight = 1;
	declared.max_level = -1;
	declared.hierarchy = build_suitable(hierarchy_name(relation, column), relation, column);
	declare_quasi_identifier(dataset_load_latest(name), &declared);
	values[0] = name_datum(column);
	values[1] = ObjectIdGetDatum(declared.hierarchy);
	values[2] = Int32GetDatum(hierarchy_height(declared.hierarchy));
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

Datum
anonopt_auto_dataset(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	char	   *name;
	Oid			relation;
	char	  **columns;
	int			ncolumns;
	int			zone;
	Relation	opened;

	InitMaterializedSRF(fcinfo, 0);
	name = name_argument(fcinfo, 0, "dataset");
	require_argument(fcinfo, 1, "relation");
	require_argument(fcinfo, 2, "quasi_identifiers");
	relation = PG_GETARG_OID(1);
	columns = columns_argument(fcinfo, 2, relation, &ncolumns);
	if (ncolumns == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("no quasi-identifiers are named"),
				 errhint("Name the columns by which somebody could be recognized.")));
	declare_dataset(name, relation, 0.01, NULL, NULL, "UTC");
	zone = dataset_use_zone(dataset_load_latest(name));
	/* its columns keep their types until all hierarchies are built */
	opened = relation_open_existing(relation);
	for (int i = 0; i < ncolumns; i++)
		add_column(result, name, relation, columns[i]);
	relation_close(opened, NoLock);
	sql_restore_names(zone);
	return (Datum) 0;
}
