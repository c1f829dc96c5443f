/*
 * quality_indices.c
 *	  SQL: p_rank, p_cov, p_spr, p_hv, ln_p_hv, p_hv_order, p_binary, dominance;
 *	  and over sets of properties p_wtd, p_lex, p_goal.
 *
 * Aggregates, and functions of their results that are called for many rows, find
 * their arguments by position.
 */
#include "base/compat.h"

#include <math.h>

#include "base/budget.h"
#include "catalog/sql.h"
#include "compare/comparison.h"
#include "sql/call.h"
#include "utils/builtins.h"
#include "utils/float.h"

/* The sums so far, or those of no pair. */
static IndexSums *
sums_so_far(FunctionCallInfo fcinfo, MemoryContext context)
{
	return PG_ARGISNULL(0) ? MemoryContextAllocZero(context, sizeof(IndexSums)) : (IndexSums *) PG_GETARG_POINTER(0);
}

/* The sums as they were, which are NULL without a pair. */
static Datum
unchanged(FunctionCallInfo fcinfo)
{
	fcinfo->isnull = PG_ARGISNULL(0);
	return PG_GETARG_DATUM(0);
}

/* Adds a pair, unless one of its values is NULL. */
static Datum
step(FunctionCallInfo fcinfo, int wanted)
{
	MemoryContext context = aggregate_context(fcinfo);
	IndexSums  *sums;
	double		d1;
	double		d2;

	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
		return unchanged(fcinfo);
	d1 = require_finite("values of a property", PG_GETARG_FLOAT8(1));
	d2 = require_finite("values of a property", PG_GETARG_FLOAT8(2));
	if ((wanted & SUMS_VOLUME) && (d1 < 0 || d2 < 0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("values of a hypervolume must be at least 0, not %g", d1 < 0 ? d1 : d2),
				 errhint("Add a constant to the property, or compare by p_spr.")));
	sums = sums_so_far(fcinfo, context);
	index_sums_add(sums, wanted, d1, d2, 1);
	PG_RETURN_POINTER(sums);
}

SQL_FUNCTION(anonopt_counts_step)
{
	return step(fcinfo, SUMS_COUNTS);
}

SQL_FUNCTION(anonopt_spread_step)
{
	return step(fcinfo, SUMS_SPREAD);
}

SQL_FUNCTION(anonopt_squares_step)
{
	return step(fcinfo, SUMS_SQUARES);
}

SQL_FUNCTION(anonopt_volume_step)
{
	return step(fcinfo, SUMS_VOLUME);
}

SQL_FUNCTION(anonopt_pairs_combine)
{
	MemoryContext context = aggregate_context(fcinfo);
	IndexSums  *sums;

	if (PG_ARGISNULL(1))
		return unchanged(fcinfo);
	sums = sums_so_far(fcinfo, context);
	index_sums_merge(sums, (IndexSums *) PG_GETARG_POINTER(1));
	PG_RETURN_POINTER(sums);
}

/* Serializes the plain bytes, for another process of the same server. */
SQL_FUNCTION(anonopt_pairs_serialize)
{
	bytea	   *bytes = palloc(VARHDRSZ + sizeof(IndexSums));

	(void) aggregate_context(fcinfo);
	SET_VARSIZE(bytes, VARHDRSZ + sizeof(IndexSums));
	memcpy(VARDATA(bytes), PG_GETARG_POINTER(0), sizeof(IndexSums));
	PG_RETURN_BYTEA_P(bytes);
}

SQL_FUNCTION(anonopt_pairs_deserialize)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);
	IndexSums  *sums = palloc(sizeof(IndexSums));

	(void) aggregate_context(fcinfo);
	memcpy(sums, VARDATA_ANY(bytes), sizeof(IndexSums));
	PG_RETURN_POINTER(sums);
}

/* The sums for a final function, which is strict. */
static const IndexSums *
all_sums(FunctionCallInfo fcinfo)
{
	(void) aggregate_context(fcinfo);
	return (const IndexSums *) PG_GETARG_POINTER(0);
}

/* A sum; fails if it overflows a float8. */
static Datum
sum_datum(double sum)
{
	if (isinf(sum))
		float_overflow_error();
	return Float8GetDatum(sum);
}

SQL_FUNCTION(anonopt_p_rank)
{
	return sum_datum(index_sums_rank(all_sums(fcinfo)));
}

SQL_FUNCTION(anonopt_p_cov)
{
	PG_RETURN_FLOAT8(index_sums_cov(all_sums(fcinfo)));
}

SQL_FUNCTION(anonopt_p_spr)
{
	return sum_datum(index_sums_spr(all_sums(fcinfo)));
}

SQL_FUNCTION(anonopt_p_hv)
{
	PG_RETURN_FLOAT8(index_sums_hv(all_sums(fcinfo)));
}

SQL_FUNCTION(anonopt_ln_p_hv)
{
	PG_RETURN_FLOAT8(index_sums_ln_hv(all_sums(fcinfo)));
}

SQL_FUNCTION(anonopt_p_hv_order)
{
	PG_RETURN_INT32(index_sums_hv_order(all_sums(fcinfo)));
}

SQL_FUNCTION(anonopt_p_binary)
{
	PG_RETURN_FLOAT8((double) all_sums(fcinfo)->above);
}

static const char *const dominance_names[] = {
	[DOMINANCE_EQUAL] = "equal",
	[DOMINANCE_BETTER] = "better",
	[DOMINANCE_WORSE] = "worse",
	[DOMINANCE_INCOMPARABLE] = "incomparable"
};

SQL_FUNCTION(anonopt_dominance)
{
	PG_RETURN_TEXT_P(cstring_to_text(dominance_names[index_sums_dominance(all_sums(fcinfo))]));
}

/*
 * One set is better than another if it is better in a property, and nowhere
 * worse or incomparable.
 */
SQL_FUNCTION(anonopt_set_dominance)
{
	Datum	   *names;
	bool	   *nulls;
	int			n;
	bool		met[lengthof(dominance_names)] = {0};

	deconstruct_array(PG_GETARG_ARRAYTYPE_P(0), TEXTOID, -1, false, TYPALIGN_INT, &names, &nulls, &n);
	if (n == 0 || array_contains_nulls(PG_GETARG_ARRAYTYPE_P(0)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("dominances must be an array without nulls that is not empty")));
	for (int i = 0; i < n; i++)
		met[require_choice("dominance", TextDatumGetCString(names[i]), "Dominances", dominance_names, lengthof(dominance_names),
						   " and ")] = true;
	if (met[DOMINANCE_INCOMPARABLE] || (met[DOMINANCE_BETTER] && met[DOMINANCE_WORSE]))
		PG_RETURN_TEXT_P(cstring_to_text(dominance_names[DOMINANCE_INCOMPARABLE]));
	PG_RETURN_TEXT_P(cstring_to_text(dominance_names[met[DOMINANCE_BETTER] ? DOMINANCE_BETTER :
													 met[DOMINANCE_WORSE] ? DOMINANCE_WORSE : DOMINANCE_EQUAL]));
}

/*
 * The smaller of two ranks is better, unless they differ by at most the
 * tolerance.
 */
SQL_FUNCTION(anonopt_p_rank_order)
{
	double		p12 = PG_GETARG_FLOAT8(0);
	double		p21 = PG_GETARG_FLOAT8(1);
	double		tolerance = PG_GETARG_FLOAT8(2);

	if (isnan(p12) || isinf(p12) || isnan(p21) || isinf(p21))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("ranks must be finite")));
	if (!(tolerance >= 0) || isinf(tolerance))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("tolerance must be finite and at least 0, not %g", tolerance)));
	if (fabs(p12 - p21) <= tolerance)
		PG_RETURN_INT32(0);
	PG_RETURN_INT32(p12 < p21 ? 1 : -1);
}

/* The numbers in an array, one per property, none NULL. */
static const double *
indices_argument(FunctionCallInfo fcinfo, int argument, const char *name, int *n)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(argument);
	const double *values = (const double *) ARR_DATA_PTR(array);

	*n = count_elements(PointerGetDatum(array), name);
	for (int i = 0; i < *n; i++)
		if (isnan(values[i]) || isinf(values[i]))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%s must contain finite numbers, not %g", name, values[i])));
	return values;
}

/* The numbers in an array that must be as long as the first. */
static const double *
as_many_argument(FunctionCallInfo fcinfo, int argument, const char *name, int n)
{
	int			others;
	const double *values = indices_argument(fcinfo, argument, name, &others);

	if (others != n)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s has the wrong length", name),
				 errdetail("Its length is %d instead of %d.", others, n)));
	return values;
}

/* The weighted sum of indices, one per property. */
SQL_FUNCTION(anonopt_p_wtd)
{
	int			n;
	const double *p = indices_argument(fcinfo, 0, "p", &n);
	const double *weights = as_many_argument(fcinfo, 1, "weights", n);
	double		total = 0;
	double		sum = 0;

	for (int i = 0; i < n; i++)
	{
		if (weights[i] < 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("weights must be at least 0, not %g", weights[i])));
		total += weights[i];
		sum += weights[i] * p[i];
	}
	if (fabs(total - 1) > 1e-9)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("weights must sum to 1, not %.15g", total)));
	PG_RETURN_FLOAT8(sum);
}

/* The first property in which one side leads by more than epsilon. */
SQL_FUNCTION(anonopt_p_lex)
{
	int			n;
	const double *p12 = indices_argument(fcinfo, 0, "p12", &n);
	const double *p21 = as_many_argument(fcinfo, 1, "p21", n);
	const double *epsilon = as_many_argument(fcinfo, 2, "epsilon", n);

	for (int i = 0; i < n; i++)
		if (epsilon[i] < 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("epsilon must be at least 0, not %g", epsilon[i])));
	for (int i = 0; i < n; i++)
		if (p12[i] - p21[i] > epsilon[i])
			PG_RETURN_INT32(i + 1);
	PG_RETURN_NULL();
}

/* The squared distance of indices from a goal. */
SQL_FUNCTION(anonopt_p_goal)
{
	int			n;
	const double *p = indices_argument(fcinfo, 0, "p", &n);
	const double *goal = as_many_argument(fcinfo, 1, "goal", n);
	double		sum = 0;

	for (int i = 0; i < n; i++)
		sum += (p[i] - goal[i]) * (p[i] - goal[i]);
	return sum_datum(sum);
}
