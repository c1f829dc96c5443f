/*
 * differential_privacy.c
 *	  (epsilon, delta)-differential privacy by drawing rows and k-anonymity: Li,
 *	  Qardaji and Su, On sampling, anonymization, and differential privacy (2012).
 *
 * Each row is kept with probability b; those kept are generalized by a function
 * that was chosen without the data, and classes of fewer than k are left out.
 * With b <= 1 - e^-epsilon, what is left is (epsilon, delta)-differentially
 * private for a row if
 *
 *		delta >= max over n >= ceil(k / g - 1) of P[Bin(n, b) > g n],
 *		g = (e^epsilon - 1 + b) / e^epsilon = b + (1 - b) x,  x = 1 - e^-epsilon.
 *
 * A row changes the number of one class only.  With n rows of it in the data,
 * the one in question included, the class shows j >= k with probability
 * f(j; n) = C(n, j) b^j (1 - b)^(n - j), and with probability f(j; n - 1)
 * without that row.  The first is at most e^epsilon times the second unless
 * j > g n, so the sum of these j bounds what exceeds it; the second is at most
 * 1 / (1 - b) <= e^epsilon times the first.  For n below the bound, j >= k are
 * fewer still, and less likely.
 *
 * The maximum.  All n with floor(g n) + 1 = j ask for P[Bin(n, b) >= j], which
 * grows with n.  So only the largest of them counts, n(j) = ceil(j / g) - 1, and
 * k is one more than the last j with
 *
 *		A(j) = P[Bin(n(j), b) >= j] > delta.
 *
 * The end.  For any s > 1 and q = 1 - b + b s, Markov's inequality says A(j) <=
 * q^n(j) / s^j < (q^(1 / g) / s)^j.  If q^N <= delta s^J with N = ceil(J / g) for
 * some J, then the base of that power is below 1 and its Jth power at most
 * delta, so A(j) <= delta for all j >= J.  We find such a J by doubling and
 * bisection (any will do), and go down from there.  Where g is near 1, many j
 * have the same n(j) - j.  Among them, A(j) is the probability that no more than so
 * many of n(j) rows are not drawn, which decreases, so bisection finds the last.
 *
 * Rounding.  All terms are positive, so errors do not cancel but add up: each
 * operation of a double has a relative error of at most u = 2^-53, and no number
 * overflows or vanishes, since exponents are kept apart.  A probability of n rows
 * takes at most 16 (n + 64) of them, counted as often as powers multiply their
 * error; it is compared after adding twice that.  x and g are
 * rounded down.  Both make k larger, never smaller.  No function of the math
 * library is trusted.
 *
 * Rows are drawn with the largest multiple of 2^-64 that is no more than b.  That
 * is safe, too: it is drawing with b from rows drawn before with the quotient,
 * and drawing before a private mechanism makes it no less private.
 */
#include "promise/differential_privacy.h"

#include <float.h>
#include <math.h>

#include "miscadmin.h"

/* The most rows of a class for which errors are small, and the largest k. */
#define MOST_ROWS (INT64CONST(1) << 44)
#define MOST_K PG_INT32_MAX

/* Nobody promises so much; sums of it stay finite. */
#define MOST_EPSILON 1000

/* Below it, s is nearly the best for any parameters. */
#define MOST_S 1048576.0

/* Beyond it, e^-epsilon is less than the rounding of 1. */
#define MOST_EXPONENT 40.0

/* A positive number m 2^e, 0.5 <= m < 1; or 0. */
typedef struct Scaled
{
	double		m;
	int64		e;
} Scaled;

static Scaled
scaled(double number)
{
	int			e;
	Scaled		result = {.m = frexp(number, &e)};

	result.e = e;
	return result;
}

static Scaled
product(Scaled a, Scaled b)
{
	Scaled		result = scaled(a.m * b.m);

	result.e += a.e + b.e;
	return result;
}

static Scaled
power(double base, int64 exponent)
{
	Scaled		result = scaled(1);

	for (Scaled factor = scaled(base); exponent > 0; exponent >>= 1)
	{
		if (exponent & 1)
			result = product(result, factor);
		factor = product(factor, factor);
	}
	return result;
}

static bool
is_above(Scaled a, Scaled b)
{
	if (a.m == 0 || b.m == 0)
		return a.m > b.m;
	return a.e != b.e ? a.e > b.e : a.m > b.m;
}

/* What rounding may have taken from a probability of n rows. */
static double
slack(int64 n)
{
	return 1 + 16.0 * (double) (n + 64) * DBL_EPSILON;
}

/* At most 1 - e^-epsilon. */
static double
share_below(double epsilon)
{
	double		exponent = Min(epsilon, MOST_EXPONENT);
	double		term = exponent;
	double		sum = 0;		/* e^exponent - 1 */

	for (int i = 2; term > sum * (DBL_EPSILON / 1024); i++)
	{
		sum += term;
		term *= exponent / i;
	}
	/* at most 200 terms, each with an error of 3 u times its number */
	return (1 / (1 + 1 / sum)) * (1 - 512 * DBL_EPSILON);
}

/* P[Bin(n, b) >= j], for j > b n. */
static Scaled
tail(int64 n, int64 j, double b)
{
	Scaled		first = product(power(b, j), power(1 - b, n - j));
	int64		factors = Min(j, n - j);
	double		term = 1;
	double		sum = 1;

	for (int64 i = 1; i <= factors; i++)
	{
		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		first = product(first, scaled((double) (n - factors + i) / (double) i));
	}
	for (int64 i = j; i < n; i++)
	{
		double		ratio = (double) (n - i) / (double) (i + 1) * (b / (1 - b));

		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		/* ratios decrease, so a geometric series bounds all further terms */
		if (term * ratio <= sum * (1 - ratio) * (DBL_EPSILON / 4))
			break;
		term *= ratio;
		sum += term;
	}
	return product(first, scaled(sum));
}

/*
 * What is asked.  With odds of at least (1 - g) / g, n(j) is j + c(j) - 1, where
 * c(j) = ceil(j odds) never decreases.
 */
typedef struct Tails
{
	double		b;
	double		odds;
	double		s;
	double		q;
	Scaled		delta;
} Tails;

static int64
c_of(const Tails *tails, int64 j)
{
	return (int64) ceil((double) j * tails->odds);
}

/* Whether A(j) may be above delta. */
static bool
is_tail_above(const Tails *tails, int64 j)
{
	int64		n = j + c_of(tails, j) - 1;

	CHECK_FOR_INTERRUPTS();
	return is_above(product(tail(n, j, tails->b), scaled(slack(n))), tails->delta);
}

/* Whether some A from j on may be. */
static bool
is_bound_above(const Tails *tails, int64 j)
{
	int64		n = j + c_of(tails, j);

	return is_above(product(power(tails->q, n), scaled(slack(n))), product(tails->delta, power(tails->s, j)));
}

/* The last j before an end that is above; the first is. */
static int64
last_above(const Tails *tails, bool (*is_so) (const Tails *tails, int64 j), int64 first, int64 end)
{
	while (end - first > 1)
	{
		int64		middle = first + (end - first) / 2;

		if (is_so(tails, middle))
			first = middle;
		else
			end = middle;
	}
	return first;
}

/* The least k that keeps delta; 0 if it is not known, because it or the rows that must be looked at are too many. */
static int64
least_k(double x, double delta, double b)
{
	double		g = (b + (1 - b) * x) * (1 - 4 * DBL_EPSILON);
	Tails		tails = {.b = b,.delta = scaled(delta)};
	int64		end = 1;

	tails.odds = (1 - b) * (1 - x) / g * (1 + 8 * DBL_EPSILON);
	tails.s = Min(g / (b * (1 - x)), MOST_S);
	tails.q = (1 - b) + b * tails.s;
	while (end * (1 + tails.odds) < (double) MOST_ROWS && end <= 8 * (int64) MOST_K && is_bound_above(&tails, end))
		end *= 2;
	if (!(end * (1 + tails.odds) < (double) MOST_ROWS) || end > 8 * (int64) MOST_K)
		return 0;
	if (end > 1)
		end = last_above(&tails, is_bound_above, end / 2, end) + 1;
	while (end > 1)
	{
		/* those with the same c: A decreases */
		int64		c = c_of(&tails, end - 1);
		int64		first = end - 1;

		for (int64 step = 1; step > 0;)
		{
			bool		is_one = first - step >= 1 && c_of(&tails, first - step) == c;

			first -= is_one ? step : 0;
			step = is_one ? step * 2 : step / 2;
		}
		if (is_tail_above(&tails, first))
		{
			int64		last = last_above(&tails, is_tail_above, first, end);

			return last < MOST_K ? last + 1 : 0;
		}
		end = first;
	}
	return 1;
}

PrivacyParameters
privacy_parameters(double epsilon, double delta, const double *beta)
{
	PrivacyParameters result = {.epsilon = epsilon,.delta = delta};
	double		x;

	/* NaN is none */
	if (!(epsilon > 0 && epsilon <= MOST_EPSILON))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon must be above 0 and at most %d, not %g", MOST_EPSILON, epsilon),
				 errhint("Values from 0.1 to 2 are customary: a person can change what anybody concludes by a factor of e^epsilon.")));
	if (!(delta > 0 && delta < 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("delta must be above 0 and below 1, not %g", delta),
				 errhint("It should be much less than 1 divided by the number of people, for example 1e-6.")));
	x = share_below(epsilon);
	result.beta = beta == NULL ? x : *beta;
	if (beta != NULL && !(*beta > 0 && *beta <= x))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("beta must be above 0 and at most 1 - e^-epsilon, not %g", *beta),
				 errdetail("For an epsilon of %g, the largest is %.17g.", epsilon, x)));
	/* a class of one is none */
	result.k = result.beta > 0 ? least_k(x, delta, result.beta) : 0;
	if (result.k == 0)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("no k is known for an epsilon of %g and a delta of %g", epsilon, delta),
				 errdetail("It would be more than %d, or classes of more than " INT64_FORMAT " rows would have to be looked at.", MOST_K, MOST_ROWS),
				 errhint("Choose an epsilon between 1e-9 and 15, or a smaller beta.")));
	result.k = Max(result.k, 2);
	return result;
}
