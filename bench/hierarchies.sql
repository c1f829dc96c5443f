-- What quantiles of many distinct values and suggest_quasi_identifiers cost beside plain SQL.
--
--     test/cluster psql -f bench/hierarchies.sql
--
-- The figures are medians of three; both sides are measured in turn.  CPU is that
-- of the backend, which other load on the machine does not lengthen.
\set ON_ERROR_STOP on
\pset footer off
CREATE EXTENSION IF NOT EXISTS anonopt;
SET max_parallel_workers_per_gather = 0;

CREATE TABLE distinct_values AS SELECT hashint8(i)::bigint * 4294967296 + i AS v FROM generate_series(1, 1000000) i;

-- columns of all kinds, with 2 to 900,000 values each
CREATE FUNCTION pg_temp.make_wide(name text, ncolumns int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE (SELECT format('CREATE TABLE %I AS SELECT %s FROM generate_series(1, 1000000) i', name, string_agg(format(CASE j % 6
		WHEN 0 THEN 'hashint8(i * %s + %s) %% %s AS c%s' WHEN 1 THEN '(hashint8(i * %s + %s) %% %s)::text AS c%s'
		WHEN 2 THEN '(hashint8(i * %s + %s) %% %s)::numeric AS c%s' WHEN 3 THEN 'date ''2000-01-01'' + hashint8(i * %s + %s) %% %s AS c%s'
		WHEN 4 THEN '''town '' || hashint8(i * %s + %s) %% %s AS c%s' ELSE '(hashint8(i * %s + %s) %% %s)::float8 AS c%s' END,
		j + 1, j, (2 + (j % 30)::bigint ^ 4)::bigint % 900000 + 2, j), ', ')) FROM generate_series(1, ncolumns) j);
END $$;
SELECT pg_temp.make_wide('wide_30', 30) \g /dev/null
VACUUM ANALYZE distinct_values, wide_30;
-- its columns several times
SELECT format('CREATE VIEW wide_220 AS SELECT %s FROM wide_30', string_agg(format('c%s AS d%s', 1 + i % 30, i), ', ')) FROM generate_series(1, 220) i \gexec

-- CPU seconds of this backend, by the operating system
CREATE FUNCTION pg_temp.cpu() RETURNS float8 LANGUAGE sql AS $$
	SELECT (f[12]::float8 + f[13]::float8) / 100
	FROM regexp_split_to_array(regexp_replace(pg_read_file('/proc/' || pg_backend_pid() || '/stat', 0, 4096, true), '^.*\) ', ''), ' ') f $$;
CREATE TEMP TABLE timing (what text, run int, seconds float8, cpu float8);
CREATE FUNCTION pg_temp.measure(what text, run int, statement text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	began timestamptz := clock_timestamp();
	used float8 := pg_temp.cpu();
BEGIN
	EXECUTE statement;
	INSERT INTO timing VALUES (what, run, extract(epoch FROM clock_timestamp() - began), pg_temp.cpu() - used);
END $$;

SELECT pg_temp.measure(what, run, statement) FROM generate_series(1, 3) run, (VALUES
	('create_quantile_hierarchy, a million distinct values', 'DROP TABLE IF EXISTS quantiles; SELECT anonopt.create_quantile_hierarchy(''quantiles'', ''distinct_values'', ''v'', ''{100,20,10}'')'),
	('  plain SQL: three ntiles and a primary key', 'DROP TABLE IF EXISTS ntiles; CREATE TABLE ntiles AS SELECT v, ntile(100) OVER w AS a, ntile(20) OVER w AS b, ntile(10) OVER w AS c FROM distinct_values WINDOW w AS (ORDER BY v); ALTER TABLE ntiles ADD PRIMARY KEY (v)'),
	('suggest_quasi_identifiers, 30 columns', 'SELECT count(*) FROM anonopt.suggest_quasi_identifiers(''wide_30'')'),
	('  plain SQL: a GROUP BY a column, no combinations', (SELECT string_agg(format('SELECT count(*) FROM (SELECT count(*) FROM wide_30 GROUP BY c%s) g', j), '; ') FROM generate_series(1, 30) j)),
	('suggest_quasi_identifiers, 220 columns', 'SELECT count(*) FROM anonopt.suggest_quasi_identifiers(''wide_220'')')) v (what, statement) \g /dev/null

SELECT what, round((percentile_disc(0.5) WITHIN GROUP (ORDER BY seconds))::numeric, 2) AS seconds,
	round((percentile_disc(0.5) WITHIN GROUP (ORDER BY cpu))::numeric, 2) AS cpu FROM timing GROUP BY what ORDER BY min(ctid);
