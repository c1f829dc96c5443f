-- scale.sql: tables of nearly nothing but different people, from a hundredth of the large table's rows up: an optimum beside
-- the front, by the processor's time; the time of a recoding, and its memory a tuple

CREATE PROCEDURE make_crowd(name text, people bigint)
LANGUAGE plpgsql AS $$
BEGIN
	PERFORM setseed(0.5);
	EXECUTE format('CREATE UNLOGGED TABLE %I WITH (autovacuum_enabled = false) AS SELECT floor(10000 * a * a)::int AS c1, floor(1000 * b)::int AS c2,'
		' floor(100 * c * c)::int AS c3, floor(64 * d)::int AS c4, floor(20 * e * e)::int AS c5, floor(12 * f)::int AS c6, floor(6 * g)::int AS c7,'
		' floor(2 * h)::int AS c8 FROM (SELECT random() AS a, random() AS b, random() AS c, random() AS d, random() AS e, random() AS f,'
		' random() AS g, random() AS h FROM generate_series(1, %s)) AS x', name, people);
	EXECUTE format('ANALYZE %I', name);
	PERFORM anonopt.create_dataset(name, name::regclass, 0.01);
	PERFORM anonopt.add_quasi_identifier(name, ('c' || i)::name, ('crowd_' || i)::regclass) FROM generate_series(1, 8) AS i;
END $$;
SELECT anonopt.create_interval_hierarchy('crowd_1', 0, 9999, '{10,100,500,2500}'), anonopt.create_interval_hierarchy('crowd_2', 0, 999, '{5,50,250}'),
	anonopt.create_interval_hierarchy('crowd_3', 0, 99, '{5,25}'), anonopt.create_interval_hierarchy('crowd_4', 0, 63, '{4,16}'),
	anonopt.create_interval_hierarchy('crowd_5', 0, 19, '{5}'), anonopt.create_interval_hierarchy('crowd_6', 0, 11, '{4}'),
	anonopt.create_interval_hierarchy('crowd_7', 0, 5, '{}'), anonopt.create_interval_hierarchy('crowd_8', 0, 1, '{}');

-- The name of a table of so many people
CREATE FUNCTION crowd_name(people bigint) RETURNS text LANGUAGE sql AS $$ SELECT format('crowd_of_%s', people) $$;
SELECT format('CALL make_crowd(%L, %s)', crowd_name(n), n) FROM unnest(ARRAY[:large / 100, :large / 10, :large]::bigint[]) AS n \gexec

\connect
SET max_parallel_workers_per_gather = 0;
SET jit = off;
SET anonopt.memory = '8GB';
CREATE TABLE crowd_call (people bigint, call text, total float8, searching float8, tuples bigint, looked_at bigint, loss float8);
CREATE PROCEDURE call_crowd(people bigint, call text)
LANGUAGE plpgsql AS $$
DECLARE
	begun bigint := split_part(pg_read_file('/proc/self/schedstat'), ' ', 1);
	loss float8;
BEGIN
	EXECUTE format('SELECT min(glm) FROM anonopt.%s', replace(call, 'CROWD', quote_literal(crowd_name(people)))) INTO loss;
	INSERT INTO crowd_call
	SELECT call_crowd.people, call, (split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::bigint - begun) / 1e9, search_ms / 1000, tuples, evaluated, loss
	FROM anonopt.last_search();
	COMMIT;
END $$;
SELECT format('CALL call_crowd(%s, %L)', n, call)
FROM unnest(ARRAY[:large / 100, :large / 10, :large]::bigint[]) WITH ORDINALITY AS x (n, i), unnest(ARRAY['pareto(CROWD)', 'optimize(CROWD, k => 5)']) AS call
ORDER BY i, call DESC \gexec

INSERT INTO bench.result (measurement, ours, ours_is, beside, beside_is, side_unit, figure, unit, target)
SELECT format('optimize of %s different people, of %s', bench.number(o.tuples), bench.number(o.people)), o.total, format('%s nodes', o.looked_at), p.total,
	format('pareto, %s nodes', p.looked_at), 's of the processor', o.total / p.total, '×', 1
FROM crowd_call AS o JOIN crowd_call AS p USING (people) WHERE o.call LIKE 'optimize%' AND p.call LIKE 'pareto%' ORDER BY people;

-- With a second process, by the clock
SET max_parallel_workers_per_gather = 1;
SELECT bench.milliseconds(format('SELECT FROM anonopt.optimize(%L, k => 5)', crowd_name(:large))) / 1000 AS seconds \gset
INSERT INTO bench.result (measurement, figure, unit, target)
SELECT format('optimize of %s rows with a second process', bench.number(:large)), :seconds, 's', 40;
SET max_parallel_workers_per_gather = 0;

\connect
SET max_parallel_workers_per_gather = 0;
SET anonopt.memory = '8GB';
SELECT bench.kilobytes('RssAnon') AS before, split_part(pg_read_file('/proc/self/schedstat'), ' ', 1) AS begun \gset
SET client_min_messages = error;
SELECT anonopt.create_recoding('crowd_recoded', crowd_name(:large), k => 5, seed => 1, time_limit => '60 s') \g /dev/null
SELECT (split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::bigint - :begun) / 1e9 AS seconds \gset
INSERT INTO bench.result (measurement, figure, unit, target)
SELECT format('create_recoding of %s rows, a limit of 60 s', bench.number(:large)), :seconds, 's of the processor', 90;
INSERT INTO bench.result (measurement, ours, ours_is, beside, beside_is, side_unit, figure, unit, target)
SELECT format('memory of create_recoding of %s rows', bench.number(:large)), bench.own_peak(), 'peak', :before, 'before', 'kB',
	(bench.own_peak() - :before) * 1024.0 / tuples, 'bytes a tuple', 160 FROM anonopt.last_search();
SELECT k >= 5 AS keeps FROM anonopt.evaluate_recoding(crowd_name(:large), 'crowd_recoded') \gset
\if :keeps
\else
	\warn the recoding breaks its promise
\endif
