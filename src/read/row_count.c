/*
 * row_count.c
 *	  Invalid values of a count column.
 */
#include "read/row_count.h"

#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "catalog/type_match.h"
#include "utils/builtins.h"

void
refuse_row_count(RowCountFault fault)
{
	int			state = fault == ROW_COUNT_NULL ? ERRCODE_NULL_VALUE_NOT_ALLOWED :
	fault == ROW_COUNT_NOT_FINITE ? ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE : ERRCODE_DATA_EXCEPTION;
	const char *what = fault == ROW_COUNT_NULL ? "a null value" : fault == ROW_COUNT_NEGATIVE ? "a negative value" :
	fault == ROW_COUNT_FRACTION ? "a fraction" : "a value that is not finite";

	ereport(ERROR,
			(errcode(state),
			 errmsg("count column holds %s", what),
			 errhint("Every row must say how many people it stands for.")));
}

/* Conditions that a value is not a whole number; empty for integers. */
static char *
whole_conditions(Oid type, const char *value)
{
	const char *name = type == NUMERICOID ? "numeric" : "float8";

	if (type_is_integer(type))
		return "";
	/* NaN is above every number */
	return psprintf(" WHEN %s OPERATOR(pg_catalog.>=) 'Infinity'::pg_catalog.%s"
					" OR %s OPERATOR(pg_catalog.=) '-Infinity'::pg_catalog.%s THEN %d"
					" WHEN %s OPERATOR(pg_catalog.<>) pg_catalog.trunc(%s) THEN %d",
					value, name, value, name, ROW_COUNT_NOT_FINITE, value, value, ROW_COUNT_FRACTION);
}

char *
group_count_sql(const Dataset *dataset, const char *alias)
{
	Oid			type;
	char	   *value;
	char	   *fault;

	if (dataset->count_column == NULL)
		return pstrdup("pg_catalog.count(*)");
	type = column_type(dataset->relation, dataset->count_column);
	value = psprintf("%s.%s", alias, quote_identifier(dataset->count_column));
	fault = psprintf("pg_catalog.min(CASE WHEN %s IS NULL THEN %d%s WHEN %s OPERATOR(pg_catalog.<) 0 THEN %d ELSE 0 END)",
					 value, ROW_COUNT_NULL, whole_conditions(type, value), value, ROW_COUNT_NEGATIVE);
	return psprintf("CASE WHEN %s OPERATOR(pg_catalog.<) 0 THEN %s ELSE pg_catalog.sum(%s::pg_catalog.numeric)::pg_catalog.int8 END",
					fault, fault, value);
}
