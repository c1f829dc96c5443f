-- scale.sql: tables of nearly nothing but different people, from a hundredth of the large table's rows up: an optimum beside
-- the front, by the processor's time; the time of a recoding, its memory a tuple, and its loss beside the best node's

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

-- How a recoding grows: each size in a session of its own, whose memory only grows
CREATE TABLE crowd_recoding (people bigint, call text, cpu float8, bytes float8, loss float8, keeps boolean);
CREATE PROCEDURE recode_crowd(people bigint, how text)
LANGUAGE plpgsql AS $$
DECLARE
	begun bigint := split_part(pg_read_file('/proc/self/schedstat'), ' ', 1);
	before bigint := bench.kilobytes('RssAnon');
BEGIN
	EXECUTE format('SELECT anonopt.create_recoding(''crowd_recoded'', %L, k => 5, seed => 1, %s)', crowd_name(people), how);
	INSERT INTO crowd_recoding SELECT recode_crowd.people, how, (split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::bigint - begun) / 1e9,
		(bench.own_peak() - before) * 1024.0 / tuples FROM anonopt.last_search();
	UPDATE crowd_recoding AS c SET loss = e.glm / 8 / c.people, keeps = e.k >= 5
	FROM anonopt.evaluate_recoding(crowd_name(recode_crowd.people), 'crowd_recoded') AS e WHERE c.people = recode_crowd.people AND c.call = how;
	DROP TABLE crowd_recoded;
	COMMIT;
END $$;
\connect
SET max_parallel_workers_per_gather = 0;
SET anonopt.memory = '8GB';
SET client_min_messages = error;
CALL recode_crowd(:large / 100, 'time_limit => ''60 s''');
\connect
SET max_parallel_workers_per_gather = 0;
SET anonopt.memory = '8GB';
SET client_min_messages = error;
CALL recode_crowd(:large / 10, 'time_limit => ''60 s''');
CALL recode_crowd(:large / 10, 'effort => 1');
\connect
SET max_parallel_workers_per_gather = 0;
SET anonopt.memory = '8GB';
SET client_min_messages = error;
CALL recode_crowd(:large, 'time_limit => ''60 s''');
SET max_parallel_workers_per_gather = 1;
CALL recode_crowd(:large, 'time_limit => ''5 min''');
SET max_parallel_workers_per_gather = 0;

INSERT INTO bench.result (measurement, figure, unit, target)
SELECT format('create_recoding of %s different people, %s', bench.number(people), call), cpu, 's of the processor', CASE WHEN call LIKE '%60 s%' THEN 90 END
FROM crowd_recoding ORDER BY people, call;
INSERT INTO bench.result (measurement, figure, unit, target)
SELECT format('memory of create_recoding of %s different people, 60 s', bench.number(people)), bytes, 'bytes a tuple', CASE WHEN people = :large THEN 160 END
FROM crowd_recoding WHERE call LIKE '%60 s%' ORDER BY people;
INSERT INTO bench.result (measurement, ours, ours_is, beside, beside_is, side_unit, figure, unit)
SELECT format('loss of %s different people, %s', bench.number(people), r.call), r.loss, 'recoding', o.loss / 8 / people, 'best node', 'a column', r.loss * 8 * people / o.loss, '×'
FROM crowd_recoding AS r JOIN crowd_call AS o USING (people) WHERE o.call LIKE 'optimize%' ORDER BY people, r.call;
-- Of what a search at rest saves beside the best node, what a limit leaves
INSERT INTO bench.result (measurement, figure, unit, target, at_least)
SELECT format('%s different people: improvement in 60 s', bench.number(people)), (o.loss / 8 / people - r.loss) / (o.loss / 8 / people - rest.loss), 'of that at rest', 0.9, true
FROM crowd_recoding AS r JOIN crowd_recoding AS rest USING (people) JOIN crowd_call AS o USING (people)
WHERE r.call LIKE '%60 s%' AND rest.call LIKE 'effort%' AND o.call LIKE 'optimize%';
SELECT bool_and(keeps) AS keeps FROM crowd_recoding \gset
\if :keeps
\else
	\warn a recoding breaks its promise
\endif
