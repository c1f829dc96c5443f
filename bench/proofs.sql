-- proofs.sql: optima and fronts that are proven, on Adult and on a lattice of
-- 85 million nodes; and POkA beside the lattice
\ir proofs_data.sql

SELECT anonopt.create_interval_hierarchy('many_' || number, 0, leaves - 1, widths) FROM many_column ORDER BY number;
SELECT anonopt.create_dataset('many', 'many', max_suppression => 0.01);
SELECT anonopt.add_quasi_identifier('many', ('c' || number)::name, ('many_' || number)::regclass)
FROM many_column ORDER BY number;

-- One search of the large lattice: its seconds, and what it says of itself
CREATE PROCEDURE prove_many(workers int, time_limit text)
LANGUAGE plpgsql AS $$
DECLARE
	begun timestamptz := clock_timestamp();
	name text := format('optimum of %s nodes, %s workers%s', bench.number(anonopt.lattice_size('many')::bigint), workers,
		', at most ' || time_limit);
	loss float8;
BEGIN
	PERFORM set_config('anonopt.max_workers', workers::text, false);
	SELECT glm INTO loss FROM anonopt.optimize('many', k => 5, time_limit => time_limit::interval);
	INSERT INTO bench.result (measurement, figure, unit, target)
	SELECT name || coalesce(measure, ''), value, unit, target
	FROM anonopt.last_search() AS s,
		LATERAL (VALUES (NULL, extract(epoch FROM clock_timestamp() - begun)::float8, 's', CASE WHEN time_limit IS NULL THEN 100 END),
			(', measured', s.evaluated::float8, 'nodes', NULL),
			(', gap', 100 * (loss - s.bound) / loss, '%', 20), (', loss', loss, 'glm', NULL)) AS v (measure, value, unit, target);
END $$;
CALL prove_many(0, NULL);
CALL prove_many(1, NULL);
CALL prove_many(0, '10 s');
CALL prove_many(1, '10 s');
SET anonopt.max_workers = 0;
SET max_parallel_workers_per_gather = 0;

CALL bench.alternate('optimum for k = 5', 'optimize', 'SELECT * FROM anonopt.optimize(''adult'', k => 5)',
	'GROUP BY', group_by('adult'), :times, 2, 'bench.processor_milliseconds');
CALL bench.alternate('optimum for k = 5, sensitive', 'optimize', 'SELECT * FROM anonopt.optimize(''adult_sensitive'', k => 5)',
	'GROUP BY', group_by('adult'), :times, 2, 'bench.processor_milliseconds');
CALL bench.alternate('front of k and glm, proven', 'pareto', 'SELECT * FROM anonopt.pareto(''adult'')',
	'GROUP BY', group_by('adult'), :times, 3, 'bench.processor_milliseconds');
CALL bench.alternate('front of k and glm, proven, sensitive', 'pareto', 'SELECT * FROM anonopt.pareto(''adult_sensitive'')',
	'GROUP BY', group_by('adult'), :times, 3, 'bench.processor_milliseconds');
INSERT INTO bench.result (measurement, figure, unit, target)
SELECT 'front of k and glm, proven, measured', evaluated, 'nodes', 1083 FROM anonopt.last_search();

CALL bench.alternate('POkA', 'poka', 'SELECT * FROM anonopt.poka(''adult'')',
	'lattice, serial', 'SELECT count(*) FROM anonopt.lattice(''adult'')', :few_times, 0.4, 'bench.processor_milliseconds');

-- How much faster searches by bounds are with one worker beside the leader.
-- Two processors must be free for it.
SELECT anonopt.create_dataset(name, 'many', max_suppression => 0.01) FROM unnest('{many_seven,many_nine}'::text[]) AS name;
SELECT anonopt.add_quasi_identifier('many_seven', ('c' || number)::name, ('many_' || number)::regclass)
FROM many_column WHERE number IN (1, 2, 3, 7, 8, 9, 10) ORDER BY number;
SELECT anonopt.add_quasi_identifier('many_nine', ('c' || number)::name, ('many_' || number)::regclass)
FROM many_column WHERE number IN (1, 2, 3, 4, 7, 8, 9, 10, 11) ORDER BY number;

CREATE PROCEDURE measure_worker(call text, times int)
LANGUAGE plpgsql AS $$
DECLARE
	statement text := 'SET anonopt.max_workers = %s; SELECT * FROM anonopt.' || replace(call, '%', '%%');
BEGIN
	CALL bench.alternate('worker, ' || call, 'serial', format(statement, 0), '1 worker', format(statement, 1), times, 1.6,
		'bench.search_milliseconds');
	UPDATE bench.result SET at_least = true WHERE measurement = 'worker, ' || call;
END $$;
CALL measure_worker($$pareto('many_nine')$$, :few_times);
CALL measure_worker($$pareto('many_nine', '{suppressed,glm}', k => 5)$$, :few_times);
CALL measure_worker($$poka('many_seven')$$, :few_times);
CALL measure_worker($$optimize('adult_sensitive', t => 0.45)$$, :few_times);
