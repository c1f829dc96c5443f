-- lib.sql: how the benchmark measures, and where it stores its results

CREATE EXTENSION anonopt;
CREATE SCHEMA bench;

-- One row per measurement: the extension's side, what it was compared with,
-- and the figure computed from both, which has a target.
CREATE TABLE bench.result (
	ordinal int GENERATED ALWAYS AS IDENTITY,
	measurement text PRIMARY KEY,
	ours float8,
	ours_is text,
	beside float8,
	beside_is text,
	side_unit text,
	figure float8,              -- NULL: skipped, and ours_is says why
	unit text,
	target float8,              -- NULL where the figure only informs
	at_least boolean NOT NULL DEFAULT false     -- the target; else at most
);

-- Printed at the end, line by line: tables for a document
CREATE TABLE bench.document (
	ordinal int GENERATED ALWAYS AS IDENTITY,
	line text NOT NULL
);

-- A count in a readable form
CREATE FUNCTION bench.number(bigint) RETURNS text
LANGUAGE sql AS $$ SELECT to_char($1, 'FM999,999,999,999') $$;

-- What a reader of the figures should know about the machine: other load makes
-- times longer, and ratios less certain.
CREATE TABLE bench.machine AS
SELECT substring(cpuinfo FROM 'model name\s*: ([^\n]*)') AS processor,
	(SELECT count(*) FROM regexp_matches(cpuinfo, '^processor\s*:', 'gn')) AS processors,
	split_part(pg_read_file('/proc/loadavg'), ' ', 1) AS load
FROM pg_read_file('/proc/cpuinfo') AS cpuinfo;

-- Idle processors over the next second
CREATE FUNCTION bench.idle_processors() RETURNS float8
LANGUAGE plpgsql AS $$
DECLARE
	before text[] := regexp_match(pg_read_file('/proc/stat'), '^cpu +(\d+ \d+ \d+) (\d+) (\d+)');
	after text[];
BEGIN
	PERFORM pg_sleep(1);
	after := regexp_match(pg_read_file('/proc/stat'), '^cpu +(\d+ \d+ \d+) (\d+) (\d+)');
	RETURN (after[2]::bigint + after[3]::bigint - before[2]::bigint - before[3]::bigint) / 100.0;
END $$;

-- One execution without a client: rows stay in the server.
CREATE FUNCTION bench.milliseconds(statement text) RETURNS float8
LANGUAGE plpgsql AS $$
DECLARE
	begun timestamptz := clock_timestamp();
BEGIN
	EXECUTE statement;
	RETURN 1000 * extract(epoch FROM clock_timestamp() - begun);
END $$;

-- The processor's time of one execution, without workers: on a busy machine
-- less disturbed by others than the clock's.  The system may count it in steps
-- of some milliseconds, so a short statement is repeated for a tenth of a second.
CREATE FUNCTION bench.processor_milliseconds(statement text) RETURNS float8
LANGUAGE plpgsql AS $$
DECLARE
	begun bigint := split_part(pg_read_file('/proc/self/schedstat'), ' ', 1);
	taken bigint := 0;
	times int := 0;
BEGIN
	WHILE taken < 1e8 LOOP
		EXECUTE statement;
		times := times + 1;
		taken := split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::bigint - begun;
	END LOOP;
	RETURN taken / 1e6 / times;
END $$;

-- The time that the search of one execution took, without its reading
CREATE FUNCTION bench.search_milliseconds(statement text) RETURNS float8
LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE statement;
	RETURN (SELECT search_ms FROM anonopt.last_search());
END $$;

-- The time of one execution by a clock, a function like those
CREATE FUNCTION bench.timed(clock regproc, statement text) RETURNS float8
LANGUAGE plpgsql AS $$
DECLARE
	milliseconds float8;
BEGIN
	EXECUTE format('SELECT %s($1)', clock) INTO milliseconds USING statement;
	RETURN milliseconds;
END $$;

CREATE FUNCTION bench.median(float8[]) RETURNS float8
LANGUAGE sql AS 'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY value) FROM unnest($1) AS value';

-- Runs two statements in turn, after warming up once, and adds the medians of
-- their times. A temporary disturbance of the machine affects both. The figure
-- is the ratio, unless the caller computes another one.
CREATE PROCEDURE bench.alternate(measurement text, ours_is text, ours text, beside_is text, beside text,
	times int, target float8, clock regproc DEFAULT 'bench.milliseconds')
LANGUAGE plpgsql AS $$
DECLARE
	ours_ms float8[];
	beside_ms float8[];
BEGIN
	PERFORM bench.milliseconds(ours), bench.milliseconds(beside);
	FOR i IN 1..times LOOP
		ours_ms[i] := bench.timed(clock, ours);
		beside_ms[i] := bench.timed(clock, beside);
	END LOOP;
	INSERT INTO bench.result (measurement, ours, ours_is, beside, beside_is, side_unit, figure, unit, target)
	VALUES (measurement, bench.median(ours_ms), ours_is, bench.median(beside_ms), beside_is, 'ms',
		bench.median(ours_ms) / bench.median(beside_ms), '×', target);
END $$;

-- Kilobytes of this backend in a line of /proc/self/status.
CREATE FUNCTION bench.kilobytes(line text) RETURNS bigint
LANGUAGE sql VOLATILE AS $$
	SELECT substring(pg_read_file('/proc/self/status') FROM line || ':\s+(\d+) kB')::bigint
$$;

-- The peak private memory of this backend in kilobytes, without shared buffers
-- and program files, which only grow.
CREATE FUNCTION bench.own_peak() RETURNS bigint
LANGUAGE sql VOLATILE AS $$
	SELECT bench.kilobytes('VmHWM') - bench.kilobytes('RssShmem') - bench.kilobytes('RssFile')
$$;
