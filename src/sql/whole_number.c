/*
 * whole_number.c
 *	  SQL: whole_number, which reads a count column that is not an integer.
 *
 * A cast to bigint would round, and so turn half a person into none or one.
 */
#include "base/compat.h"

#include <math.h>

#include "read/reading_parts.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

PG_FUNCTION_INFO_V1(anonopt_whole_number_numeric);
PG_FUNCTION_INFO_V1(anonopt_whole_number_float8);

Datum
anonopt_whole_number_numeric(PG_FUNCTION_ARGS)
{
	Numeric		number = PG_GETARG_NUMERIC(0);
	Datum		whole;

	if (numeric_is_nan(number) || numeric_is_inf(number))
		refuse_row_count(ROW_COUNT_NOT_FINITE);
	whole = DirectFunctionCall2(numeric_trunc, NumericGetDatum(number), Int32GetDatum(0));
	if (!DatumGetBool(DirectFunctionCall2(numeric_eq, NumericGetDatum(number), whole)))
		refuse_row_count(ROW_COUNT_FRACTION);
	return DirectFunctionCall1(numeric_int8, NumericGetDatum(number));
}

Datum
anonopt_whole_number_float8(PG_FUNCTION_ARGS)
{
	float8		number = PG_GETARG_FLOAT8(0);

	if (isnan(number) || isinf(number))
		refuse_row_count(ROW_COUNT_NOT_FINITE);
	if (number != rint(number))
		refuse_row_count(ROW_COUNT_FRACTION);
	return DirectFunctionCall1(dtoi8, Float8GetDatum(number));
}
