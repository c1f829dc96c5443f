-- What it costs to keep a release of range leaves current, beside the same by equality.
--
--     test/cluster psql -f bench/living.sql
--
-- 200,000 rows, 2,190 days: leaves are days, or ranges of one day.  The figures are medians of seven of the processor's
-- time, which is counted until it is a tenth of a second; all sides are measured in turn.  A live view is compared with a scan of
-- the table that joins both hierarchies by equality, and with that scan when it groups by the labels, as every view must.
\set ON_ERROR_STOP on
\pset footer off
CREATE EXTENSION IF NOT EXISTS anonopt;
SET max_parallel_workers_per_gather = 0;
SET client_min_messages = error;
SET anonopt.composition = off;
SELECT setseed(0.5);
CREATE TABLE stay AS SELECT date '2018-01-01' + (random() * 2189)::int AS came, (random() * 90)::int AS age, 'd' || (random() * 10)::int AS diagnosis
	FROM generate_series(1, 200000) i;
SELECT anonopt.create_date_hierarchy('day', '2018-01-01', '2023-12-31', '{month,quarter,year}'),
	anonopt.create_interval_hierarchy('age', 0, 90, '{10}') \g /dev/null
CREATE EXTENSION IF NOT EXISTS btree_gist;
CREATE TABLE span AS SELECT daterange(d.value, d.value + 1) AS held, l1, l2, l3, l4 FROM day d (value, l1, l2, l3, l4);
ALTER TABLE span ADD EXCLUDE USING gist (held WITH &&);
CREATE VIEW moment AS SELECT came::timestamp + age * interval '15 minutes' AS came, age, diagnosis FROM stay;
CREATE TABLE stay_at AS TABLE moment;
SELECT anonopt.create_dataset('equal', 'stay', 0.05), anonopt.add_quasi_identifier('equal', 'came', 'day'), anonopt.add_quasi_identifier('equal', 'age', 'age'),
	anonopt.create_dataset('ranges', 'stay_at', 0.05), anonopt.add_quasi_identifier('ranges', 'came', 'span'), anonopt.add_quasi_identifier('ranges', 'age', 'age') \g /dev/null
VACUUM ANALYZE stay, stay_at, day, span, age;
SELECT anonopt.create_view('equal_live', 'equal', '{1,1}', k => 5, columns => '{diagnosis}', materialized => false),
	anonopt.create_view('ranges_live', 'ranges', '{1,1}', k => 5, columns => '{diagnosis}', materialized => false),
	anonopt.create_view('equal_seen', 'equal', '{1,1}', k => 5, columns => '{diagnosis}'),
	anonopt.create_view('ranges_seen', 'ranges', '{1,1}', k => 5, columns => '{diagnosis}') \g /dev/null
CREATE TEMP TABLE timing (what text, side text, ms float8);
CREATE FUNCTION pg_temp.time(what text, side text, statement text) RETURNS void LANGUAGE plpgsql AS $$
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
	INSERT INTO timing VALUES (what, side, taken / 1e6 / times);
END $$;
SELECT count(pg_temp.time(w.what, w.side, w.statement)) FROM generate_series(1, 7) i,
	(VALUES ('refresh', 'equal', 'SELECT anonopt.refresh_release(''equal_seen'')'), ('refresh', 'ranges', 'SELECT anonopt.refresh_release(''ranges_seen'')'),
		('scan with equality joins', 'equal', 'SELECT count(*) FROM stay r JOIN day h ON h.value = r.came JOIN age a ON a.value = r.age'),
		('the same, grouped', 'equal', 'SELECT h.level1, a.level1, r.diagnosis, count(*) FROM stay r JOIN day h ON h.value = r.came JOIN age a ON a.value = r.age GROUP BY 1, 2, 3'),
		('count of a live view', 'equal', 'SELECT count(*) FROM equal_live'), ('count of a live view', 'ranges', 'SELECT count(*) FROM ranges_live'),
		('bare scan', 'equal', 'SELECT count(*) FROM stay r'), ('bare scan', 'ranges', 'SELECT count(*) FROM stay_at r'),
		('REFRESH MATERIALIZED VIEW', 'equal', 'REFRESH MATERIALIZED VIEW equal_seen'),
		('REFRESH MATERIALIZED VIEW', 'ranges', 'REFRESH MATERIALIZED VIEW ranges_seen')) w (what, side, statement) \g /dev/null
SELECT what, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) FILTER (WHERE side = 'ranges')::numeric, 1) AS ranges_ms,
	round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) FILTER (WHERE side = 'equal')::numeric, 1) AS equality_ms FROM timing GROUP BY what ORDER BY what;
SELECT side, round((percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) FILTER (WHERE what = 'count of a live view')
	/ (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) FROM timing WHERE what = 'scan with equality joins'))::numeric, 2) AS times_the_scan_with_joins,
	round((percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) FILTER (WHERE what = 'count of a live view')
	/ (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) FROM timing WHERE what = 'the same, grouped'))::numeric, 2) AS times_the_same_grouped
FROM timing GROUP BY side ORDER BY side;
