/*
 * leaf_widths.c
 *	  The width of leaves that are ranges, for losses that count it.
 *
 * A leaf's width is that of its part between the smallest and the largest
 * value of the column, as a share of the distance between the two.  So even
 * leaves with open ends have a width, and the widths add up to 1. Shares are
 * kept as integers, running sums in units of 2^-30, so that losses stay exact
 * sums.
 */
#include "read/reading.h"

#include <math.h>

#include "base/budget.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "catalog/typed_rows.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rangetypes.h"
#include "utils/typcache.h"

#define WHOLE_WIDTH (1 << 30)

/* The smallest and the largest value of a column; a day extends to the next. */
typedef struct Extent
{
	double		low;
	double		high;
} Extent;

bool
leaves_have_width(Oid type)
{
	Oid			subtype = type_is_range(type) ? get_range_subtype(type) : InvalidOid;

	return type_is_number(subtype) || type_is_moment(subtype);
}

/* A bound as a number; an infinite day or time is beyond every other one. */
static double
number_of(const ValueType *type, Datum value)
{
	if (type->kind == VALUE_INTEGER)
		return (double) DatumGetInt64(value_normal(type, value));
	if (type->type == FLOAT4OID)
		return DatumGetFloat4(value);
	return DatumGetFloat8(type->type == FLOAT8OID ? value : DirectFunctionCall1(numeric_float8, value));
}

/* The extent of a column's finite values, which are read in a form, as such numbers. */
static Extent
read_extent(Oid relation, const char *column, const char *form, Oid subtype)
{
	const Oid	types[2] = {FLOAT8OID, FLOAT8OID};
	const char *value = sql_as(form, psprintf("r.%s", column));
	const char *number;
	QueryRows  *rows;
	Extent		extent;
	bool		no_low;
	bool		no_high;
	int			level = sql_use_catalog_names();

	if (subtype == DATEOID)
		number = psprintf("CASE WHEN isfinite(%s) THEN (%s - date '2000-01-01')::float8 END", value, value);
	else if (subtype == TIMESTAMPOID || subtype == TIMESTAMPTZOID)
		number = psprintf("CASE WHEN isfinite(%s) THEN (extract(epoch FROM %s - %s '2000-01-01 00:00+00') * 1000000)::float8 END",
						  value, value, subtype == TIMESTAMPOID ? "timestamp" : "timestamptz");
	else
		number = psprintf("CASE WHEN abs((%s)::float8) < 'Infinity' THEN (%s)::float8 END", value, value);
	rows = rows_of_query(psprintf("SELECT min(n), max(n) FROM (SELECT %s AS n FROM %s r) s", number, relation_sql_name(relation)),
						 list_make1_oid(relation), NULL, NULL, 2, types);
	extent.low = DatumGetFloat8(row_value(rows, 0, 0, &no_low));
	extent.high = DatumGetFloat8(row_value(rows, 0, 1, &no_high));
	if (no_low || no_high)
		extent.low = extent.high = 0;
	else if (type_is_integer(subtype) || subtype == DATEOID)
		extent.high++;			/* a range's upper bound is one beyond its
								 * last value */
	sql_restore_names(level);
	return extent;
}

/* The width of a leaf within an extent. */
static double
leaf_width(TypeCacheEntry *cache, const ValueType *subtype, Datum leaf, const Extent *extent)
{
	RangeBound	lower;
	RangeBound	upper;
	bool		empty;
	double		low;
	double		high;

	range_deserialize(cache, DatumGetRangeTypeP(leaf), &lower, &upper, &empty);
	if (empty)
		return 0;
	low = lower.infinite ? extent->low : Max(number_of(subtype, lower.val), extent->low);
	high = upper.infinite ? extent->high : Min(number_of(subtype, upper.val), extent->high);
	return Max(high - low, 0);
}

void
leaf_widths_measure(Oid relation, const char *column, const char *form, LoadedHierarchy *loaded)
{
	const HierarchyRows *rows = loaded->rows;
	Hierarchy  *hierarchy = loaded->hierarchy;
	Oid			type = rows->match.leaf_type;
	TypeCacheEntry *cache;
	ValueType	subtype;
	Extent		extent;
	double	   *widths;
	double		sum = 0;

	if (!leaves_have_width(type))
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("leaves of hierarchy %s are not ranges of numbers, days or times", rows->name),
				 errdetail("Column %s is declared with loss_counts range, which counts their widths.", column),
				 errhint("Call anonopt.drop_attribute and declare the column again.")));
	cache = lookup_type_cache(type, TYPECACHE_RANGE_INFO);
	value_type_init(&subtype, cache->rngelemtype->type_id);
	extent = read_extent(relation, column, form, subtype.type);
	widths = budget_alloc_zero(sizeof(double), (Size) hierarchy->nleaves + 1);
	for (uint32 i = 0; i < rows->nleaves; i++)
	{
		widths[loaded->codes[i]] = leaf_width(cache, &subtype, rows->leaves[i], &extent);
		sum += widths[loaded->codes[i]];
	}
	hierarchy->sizes_before = budget_alloc(sizeof(uint32), (Size) hierarchy->nleaves + 1);
	hierarchy->sizes_before[0] = 0;
	hierarchy->own_size = 0;
	for (uint32 code = 0; code < hierarchy->nleaves; code++)
	{
		uint32		before;

		/*
		 * rounding running sums, instead of widths, keeps errors from adding
		 * up
		 */
		widths[code] += code > 0 ? widths[code - 1] : 0;
		before = sum > 0 ? (uint32) rint(Min(widths[code] / sum, 1) * WHOLE_WIDTH) : 0;
		hierarchy->sizes_before[code + 1] = Max(before, hierarchy->sizes_before[code]);
	}
	pfree(widths);
}
