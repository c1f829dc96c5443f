-- known_rows.sql: what a promise against people who know two visits does to a million visits of 200,000 people, in a
-- release of k = 5: a table before and after, by plain SQL; and what evaluate takes for it.
--
--     test/cluster psql -f bench/known_rows.sql
--
-- VISITS=N in psql (-v visits=N) tries it with fewer.
\if :{?visits}
\else
\set visits 1000000
\endif
\ir lib.sql
\set settings 'SET client_min_messages = error; SET maintenance_work_mem = \'2GB\'; SET anonopt.memory = \'2GB\'; SET work_mem = \'256MB\'; SET anonopt.max_workers = 0; SET max_parallel_workers_per_gather = 0; SET anonopt.composition = off;'
:settings

SELECT setseed(0.5) \g /dev/null
CREATE TABLE visit AS
SELECT i AS nr, person, age, region, 1 + floor(365 * random())::int AS day, floor(24 * power(random(), 2))::int AS ward
FROM (SELECT i, floor(:visits / 5 * power(random(), 1.5))::int AS person FROM generate_series(1, :visits) i) v,
	LATERAL (SELECT person * 7919::bigint % 90 AS age, person * 104729::bigint % 100 AS region) p;
VACUUM ANALYZE visit;
SELECT anonopt.create_interval_hierarchy('visit_age', 0, 89, '{5,10,30}'), anonopt.create_interval_hierarchy('visit_region', 0, 99, '{10,50}'),
	anonopt.create_interval_hierarchy('visit_day', 1, 365, '{7,28,364}'), anonopt.create_interval_hierarchy('visit_ward', 0, 23, '{4,12}') \g /dev/null
SELECT anonopt.create_dataset('visits', 'visit', 0.05, person => 'person') \g /dev/null
SELECT anonopt.add_quasi_identifier('visits', c, ('visit_' || c)::regclass) FROM unnest('{age,region,day,ward}'::name[]) c \g /dev/null
SELECT anonopt.set_insensitive('visits', 'nr') \g /dev/null

-- Publishes a node, and counts by plain SQL whom two of its rows single out.
CREATE TABLE shown_for (promise text, levels int[], glm float8, rows bigint, people bigint, singled_out bigint, fewer_than_5 bigint);
CREATE PROCEDURE publish(promise text, levels int[]) LANGUAGE plpgsql AS $$
BEGIN
	DROP TABLE IF EXISTS row, pair;
	PERFORM anonopt.publish_table('shown', 'visits', levels, columns => '{nr}');
	CREATE TEMP TABLE row AS
	SELECT person, c, row_number() OVER (PARTITION BY person ORDER BY c) AS i, count(*) OVER (PARTITION BY person) AS n
	FROM (SELECT v.person, dense_rank() OVER (ORDER BY s.age, s.region, s.day, s.ward)::int AS c FROM shown s JOIN visit v USING (nr)) r;
	-- two rows of each person, or the only one, which those who have it twice have, too
	CREATE TEMP TABLE pair AS
	SELECT DISTINCT a.person, a.c AS c, b.c AS d, a.n > 1 AS own FROM row a JOIN row b ON b.person = a.person AND b.i > a.i
	UNION ALL
	SELECT DISTINCT person, c, NULL::int, n = 1 FROM row;
	INSERT INTO shown_for
	SELECT publish.promise, publish.levels, (SELECT glm FROM anonopt.evaluate('visits', publish.levels)), (SELECT count(*) FROM row), count(*),
		count(*) FILTER (WHERE least = 1), count(*) FILTER (WHERE least < 5)
	FROM (SELECT person, min(n) FILTER (WHERE own) AS least FROM (SELECT *, count(*) OVER (PARTITION BY c, d) AS n FROM pair) p GROUP BY person) p;
	DROP TABLE shown;
END $$;
SELECT anonopt.add_promise('visits', 'k', 5) \g /dev/null
SELECT levels AS best FROM anonopt.optimize('visits') \gset
CALL publish('k >= 5', :'best');
SELECT anonopt.add_promise('visits', 'k', 5, rows_known => 2) \g /dev/null
SELECT levels AS best_of_two FROM anonopt.optimize('visits') \gset
CALL publish('k >= 5 for any 2 rows of a person', :'best_of_two');

-- The processor's time, and in a fresh session the peak memory, of evaluate with what is promised: two visits, one, or
-- a class of k.
CREATE TABLE taken (known text, ms float8, kilobytes bigint);
CREATE PROCEDURE measure(known text, levels int[]) LANGUAGE plpgsql AS $$
DECLARE
	statement text := format('SELECT * FROM anonopt.evaluate(''visits'', %L)', levels);
	peak bigint;
	times float8[];
BEGIN
	EXECUTE statement;
	peak := bench.own_peak();
	FOR i IN 1..3 LOOP
		times[i] := bench.processor_milliseconds(statement);
	END LOOP;
	INSERT INTO taken VALUES (known, bench.median(times), peak);
END $$;
\connect -
:settings
CALL measure('two rows', :'best_of_two');
SELECT anonopt.drop_promise('visits', 'k', rows_known => 2), anonopt.add_promise('visits', 'k', 5, rows_known => 1) \g /dev/null
\connect -
:settings
CALL measure('one row', :'best_of_two');
SELECT anonopt.drop_promise('visits', 'k', rows_known => 1) \g /dev/null
\connect -
:settings
CALL measure('a class of k', :'best_of_two');

SELECT promise, levels, round(glm::numeric / (4 * :visits), 4) AS loss, rows AS rows_shown, people AS people_shown, singled_out AS singled_out_by_two_rows, fewer_than_5
FROM shown_for;
SELECT known, round(ms) AS milliseconds, round((ms / (SELECT ms FROM taken WHERE known = 'one row'))::numeric, 2) AS times,
	kilobytes / 1024 AS megabytes, round(kilobytes / (SELECT kilobytes FROM taken WHERE known = 'one row')::numeric, 2) AS times_the_memory
FROM taken;
