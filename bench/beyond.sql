-- beyond.sql: what a row and what a distinct tuple cost
--
-- crowd   :large rows of 30,000 distinct tuples
-- few     a tenth of them, of the same distinct tuples: the difference is rows
-- each    :large rows, every one another tuple

CREATE TABLE crowd (a int, b int, c text, d int, e int) WITH (autovacuum_enabled = false);
INSERT INTO crowd SELECT t % 50, t / 50 % 40, 'C' || t / 2000, t % 7, t % 3
FROM (SELECT i * 7919 % 30000 AS t FROM generate_series(1, :large::bigint) AS i) AS x;
CREATE UNLOGGED TABLE few (LIKE crowd) WITH (autovacuum_enabled = false);
INSERT INTO few SELECT * FROM crowd LIMIT :middle;
CREATE UNLOGGED TABLE each (a int, b int, c int, d int) WITH (autovacuum_enabled = false);
INSERT INTO each SELECT i % 100, i / 100 % 100, i / 10000 % 100, i / 1000000 FROM generate_series(0, :large - 1) AS i;
VACUUM ANALYZE crowd, few, each;

SELECT anonopt.create_interval_hierarchy('beyond_hundred', 0, 99, '{10}');
CREATE TABLE beyond_letters AS SELECT 'C' || i AS leaf, '*'::text AS anything FROM generate_series(0, 14) AS i;
SELECT anonopt.create_dataset(name, name::regclass) FROM unnest('{crowd,few,each}'::text[]) AS name;
SELECT anonopt.add_quasi_identifier(name, each, CASE each WHEN 'c' THEN 'beyond_letters' ELSE 'beyond_hundred' END::regclass)
FROM unnest('{crowd,few}'::text[]) AS name, unnest('{a,b,c,d,e}'::name[]) AS each;
SELECT anonopt.add_quasi_identifier('each', each, 'beyond_hundred') FROM unnest('{a,b,c,d}'::name[]) AS each;

-- A statement's median, as a line of its own.
CREATE PROCEDURE measure_alone(measurement text, statement text, divisor bigint, unit text, times int, less float8 DEFAULT 0)
LANGUAGE plpgsql AS $$
DECLARE
	ms float8[];
BEGIN
	PERFORM bench.milliseconds(statement);
	FOR i IN 1..times LOOP
		ms[i] := bench.milliseconds(statement);
	END LOOP;
	INSERT INTO bench.result (measurement, ours, ours_is, beside, beside_is, side_unit, figure, unit)
	VALUES (measurement, bench.median(ms), 'all', less, 'of it for else', 'ms', (bench.median(ms) - less) * 1e6 / divisor, unit);
END $$;

-- The cost of a row, serial and with two workers: the remainder after reading
-- tuples.
CREATE PROCEDURE measure_rows(workers int, large bigint, middle bigint, times int)
LANGUAGE plpgsql AS $$
DECLARE
	most float8[];
	fewest float8[];
	read_crowd text := $q$SELECT * FROM anonopt.evaluate('crowd', '{2,2,1,2,2}')$q$;
	read_few text := $q$SELECT * FROM anonopt.evaluate('few', '{2,2,1,2,2}')$q$;
BEGIN
	PERFORM set_config('max_parallel_workers_per_gather', workers::text, false);
	PERFORM bench.milliseconds(read_crowd), bench.milliseconds(read_few);
	FOR i IN 1..times LOOP
		most[i] := bench.milliseconds(read_crowd);
		fewest[i] := bench.milliseconds(read_few);
	END LOOP;
	INSERT INTO bench.result (measurement, ours, ours_is, beside, beside_is, side_unit, figure, unit)
	VALUES (format('a row, %s workers', workers), bench.median(most), bench.number(large) || ' rows', bench.median(fewest),
		bench.number(middle) || ' rows', 'ms', (bench.median(most) - bench.median(fewest)) * 1e6 / (large - middle), 'ns');
END $$;
CALL measure_rows(0, :large, :middle, :few_times);
CALL measure_rows(2, :large, :middle, :few_times);
-- with two workers still, for both
CALL bench.alternate(format('reading %s rows of 30,000 tuples, 2 workers', bench.number(:large)),
	'evaluate', $q$SELECT * FROM anonopt.evaluate('crowd', '{2,2,1,2,2}')$q$,
	'GROUP BY', 'SELECT a, b, c, d, e, count(*) FROM crowd GROUP BY a, b, c, d, e', :few_times, 0.8);

-- Every row a distinct tuple: with enough memory, and cleanly refused without.
SET max_parallel_workers_per_gather = 0;
SET anonopt.memory = '8GB';
CALL measure_alone(format('a row that is another tuple, of %s', bench.number(:large)),
	$q$SELECT * FROM anonopt.evaluate('each', '{2,2,2,2}')$q$, :large, 'ns', 1);
SET anonopt.memory = '64MB';
CREATE PROCEDURE measure_refusal(large bigint) LANGUAGE plpgsql AS $$
DECLARE
	begun timestamptz := clock_timestamp();
BEGIN
	PERFORM FROM anonopt.evaluate('each', '{2,2,2,2}');
	INSERT INTO bench.result (measurement, ours_is) VALUES (format('%s distinct tuples in 64 MB', bench.number(large)), 'finished');
EXCEPTION WHEN out_of_memory THEN
	INSERT INTO bench.result (measurement, ours_is)
	VALUES (format('%s distinct tuples in 64 MB', bench.number(large)),
		format('refused with %s after %s ms', SQLSTATE, round(1000 * extract(epoch FROM clock_timestamp() - begun))));
END $$;
CALL measure_refusal(:large);
RESET anonopt.memory;
CALL measure_alone(format('pareto of %s rows of 30,000 tuples', bench.number(:large)), $q$SELECT * FROM anonopt.pareto('crowd')$q$, 1000000, 'ms',
	:few_times);
