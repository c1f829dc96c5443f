/*
 * moment_buckets.c
 *	  The buckets of moments whose leaves are ranges of days or of local times.
 *
 * The day of a moment depends on a zone.  postgres_fdw hands on neither a cast
 * that depends on the setting nor a function of a zone's name, so that every
 * row would travel.  Moments themselves can be placed between instants anywhere:
 * while a zone keeps its offset, each local threshold is one instant.  Where
 * the offset changes, another stretch begins, even if clocks go back, and with
 * them the bucket.
 */
#include "read/reading.h"

#include "base/budget.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "pgtime.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

/* Seconds from the epoch of a zone to PostgreSQL's. */
#define EPOCH ((POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * (int64) SECS_PER_DAY)

/* No offset is as large. */
#define MOST_OFFSET SECS_PER_DAY

typedef struct Stretch
{
	TimestampTz start;
	int			bucket;			/* of local thresholds */
} Stretch;

typedef struct Stretches
{
	int			n;
	Size		capacity;
	Stretch    *of;
} Stretches;

static void
add_stretch(Stretches *stretches, TimestampTz start, int bucket)
{
	if (bucket == (stretches->n == 0 ? 0 : stretches->of[stretches->n - 1].bucket))
		return;
	if (stretches->n == stretches->capacity)
		stretches->of = budget_grow(CurrentMemoryContext, stretches->of, sizeof(Stretch), &stretches->capacity);
	stretches->of[stretches->n].start = start;
	stretches->of[stretches->n++].bucket = bucket;
}

/* Adds the stretches of a period with one offset. */
static void
add_period(Stretches *stretches, const Timestamp * local, int n, TimestampTz start, TimestampTz end, TimestampTz offset)
{
	int			low = 0;
	int			high = n;

	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (local[middle] - offset <= start)
			low = middle + 1;
		else
			high = middle;
	}
	add_stretch(stretches, start, low);
	for (int i = low; i < n && local[i] - offset < end; i++)
		add_stretch(stretches, local[i] - offset, i + 1);
}

/* Finds the stretches of local thresholds; returns false if a zone cannot tell them. */
static bool
find_stretches(const Timestamp * local, int n, const pg_tz * zone, Stretches *stretches)
{
	pg_time_t	start = local[0] / USECS_PER_SEC + EPOCH - MOST_OFFSET;
	pg_time_t	until = local[n - 1] / USECS_PER_SEC + EPOCH + MOST_OFFSET;

	while (start < until)
	{
		pg_time_t	end;
		long		offset;
		long		next_offset;
		int			is_dst;
		int			found = pg_next_dst_boundary(&start, &offset, &is_dst, &end, &next_offset, &is_dst, zone);

		CHECK_FOR_INTERRUPTS();
		if (found < 0)
			return false;
		if (found == 0 || end > until)
			end = until;
		add_period(stretches, local, n, (start - EPOCH) * USECS_PER_SEC, (end - EPOCH) * USECS_PER_SEC, offset * USECS_PER_SEC);
		start = end;
	}
	return true;
}

/* The local times that are thresholds; false if one is too far away to be reckoned with. */
static bool
read_thresholds(const Buckets *buckets, Timestamp * local)
{
	for (int i = 0; i < buckets->n; i++)
	{
		local[i] = DatumGetTimestamp(DirectFunctionCall3(timestamp_in, CStringGetDatum(buckets->names[i]),
														 ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
		if (TIMESTAMP_NOT_FINITE(local[i]) ||
			!IS_VALID_TIMESTAMP(local[i] - 2 * MOST_OFFSET * USECS_PER_SEC) ||
			!IS_VALID_TIMESTAMP(local[i] + 2 * MOST_OFFSET * USECS_PER_SEC))
			return false;
	}
	return buckets->n > 0;
}

bool
place_moments(Buckets *buckets, const char *zone, char ***instants)
{
	Timestamp  *local = budget_alloc(sizeof(Timestamp), (Size) buckets->n + 1);
	Stretches	stretches = {0};
	uint32	   *codes;
	char	  **names;

	if (!read_thresholds(buckets, local) || !find_stretches(local, buckets->n, pg_tzset(zone), &stretches))
		return false;
	codes = budget_alloc(sizeof(uint32), (Size) stretches.n + 1);
	names = budget_alloc(sizeof(char *), (Size) stretches.n + 1);
	*instants = budget_alloc(sizeof(char *), (Size) stretches.n + 1);
	codes[0] = buckets->codes[0];
	for (int i = 0; i < stretches.n; i++)
	{
		int			bucket = stretches.of[i].bucket;

		(*instants)[i] = value_text(TIMESTAMPTZOID, TimestampTzGetDatum(stretches.of[i].start));
		codes[i + 1] = buckets->codes[bucket];
		names[i] = buckets->names[Max(bucket - 1, 0)];
	}
	buckets->n = stretches.n;
	buckets->codes = codes;
	buckets->names = names;
	return true;
}
