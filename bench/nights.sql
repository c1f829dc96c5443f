-- How many people a release holds back that is refreshed every night, and what such a night costs.
--
--     test/cluster psql -v nights=365 -f bench/nights.sql
--
-- 143,321 people in about 900 classes of very different sizes, k = 10.  In the first nights, 0.2 % come; in the last
-- ones, 0.1 % also leave, and 0.1 % get another diagnosis.  Beside it, the same table is refreshed with
-- anonopt.composition = refuse.  Times are those of the processor.  Other levels, and the night from which people leave, are
-- set by -v levels={2,1} and -v newcomers_until=0.
\set ON_ERROR_STOP on
\pset footer off
\if :{?nights}
\else
\set nights 90
\endif
\if :{?levels}
\else
\set levels '{1,1}'
\endif
\if :{?newcomers_until}
\else
\set newcomers_until :nights * 2 / 3
\endif
CREATE EXTENSION IF NOT EXISTS anonopt;
SET client_min_messages = error;
SET max_parallel_workers_per_gather = 0;
SELECT setseed(0.5) \g /dev/null
CREATE TABLE person (id int PRIMARY KEY, age int, town int, ill text);
CREATE TABLE coming AS TABLE person;
CREATE FUNCTION come(n int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO coming SELECT coalesce((SELECT max(id) FROM person), 0) + i, (300 * random() ^ 1.5)::int, (299 * random() ^ 1.7)::int, 'd' || (26 * random() ^ 2)::int
	FROM generate_series(1, n) i
$$;
SELECT come(143321) \g /dev/null
INSERT INTO person TABLE coming;
CREATE TABLE other AS TABLE person;
SELECT anonopt.create_interval_hierarchy('ages', 0, 300, '{10,50}'), anonopt.create_interval_hierarchy('towns', 0, 300, '{10,50}') \g /dev/null
SELECT anonopt.create_dataset(d, d, 0.05), anonopt.add_quasi_identifier(d, 'age', 'ages'), anonopt.add_quasi_identifier(d, 'town', 'towns'),
	anonopt.add_sensitive(d, 'ill') FROM unnest('{person,other}'::text[]) d \g /dev/null
SELECT anonopt.publish_table('shown_' || d, d, :'levels', k => 10) FROM unnest('{person,other}'::text[]) d \g /dev/null
VACUUM ANALYZE person, other;
CREATE TABLE night (night int, kind text, held float8, hidden float8, ms float8, refused boolean, other_ms float8);
CREATE FUNCTION worked() RETURNS bigint LANGUAGE sql AS $$ SELECT split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::bigint $$;
CREATE FUNCTION pass(night int, leaving float8) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	n int := (SELECT count(*) FROM person);
	begun bigint;
	taken bigint;
	refused boolean := false;
BEGIN
	TRUNCATE coming;
	PERFORM come((n * 0.002)::int);
	INSERT INTO person TABLE coming;
	INSERT INTO other TABLE coming;
	DELETE FROM person WHERE id IN (SELECT id FROM person ORDER BY random() LIMIT (n * leaving)::int);
	UPDATE person SET ill = 'd' || (26 * random() ^ 2)::int WHERE id IN (SELECT id FROM person ORDER BY random() LIMIT (n * leaving)::int);
	begun := worked();
	PERFORM anonopt.refresh_release('shown_person', hold_back => true);
	taken := worked() - begun;
	SET LOCAL anonopt.composition = refuse;
	begun := worked();
	BEGIN
		PERFORM anonopt.refresh_release('shown_other');
	EXCEPTION WHEN object_not_in_prerequisite_state THEN
		refused := true;
	END;
	INSERT INTO night SELECT night, CASE WHEN leaving > 0 THEN 'some leave' ELSE 'newcomers' END, v.held_back::float8 / n,
		coalesce((SELECT sum(waiting) FROM anonopt.published_held WHERE people = 0), 0)::float8 / n,
		taken / 1e6, refused, (worked() - begun) / 1e6
	FROM anonopt.verify('shown_person') v;
END $$;
SELECT format('SELECT pass(%s, %s)', i, CASE WHEN i > :newcomers_until THEN 0.001 ELSE 0 END) FROM generate_series(1, :nights) i \gexec
SELECT kind, width_bucket(night, 1, :nights + 1, 9) AS ninth, count(*) AS nights, round((100 * avg(held))::numeric, 2) AS held_back_percent,
	round((100 * avg(hidden))::numeric, 2) AS in_hidden_classes, round(avg(ms)) AS ms, count(*) FILTER (WHERE refused) AS refused, round(avg(other_ms)) AS refusing_ms
FROM night GROUP BY 1, 2 ORDER BY 2, 1;
SET anonopt.composition = off;
SELECT worked() AS begun \gset
SELECT anonopt.refresh_release('shown_other') \g /dev/null
SELECT round((worked() - :begun) / 1e6) AS ms_without_comparison, (SELECT count(DISTINCT (age, town)) FROM shown_person) AS classes,
	(SELECT count(*) FROM anonopt.published_content) AS contents;
SELECT promised_k, k, ok FROM anonopt.verify('shown_person');
