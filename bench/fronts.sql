-- fronts.sql: what exact fronts and optima of Adult take: the processor's
-- milliseconds of the whole call beside GROUP BY, which reads the same columns,
-- and nodes

CREATE PROCEDURE measure_front(objectives text[], target float8)
LANGUAGE plpgsql AS $$
DECLARE
	name text := 'front of ' || array_to_string(objectives, ' and ');
	size bigint := (SELECT count(*) FROM anonopt.pareto('adult', objectives));
BEGIN
	INSERT INTO bench.result (measurement, figure, unit, target)
	SELECT name || ', size', size, 'nodes', NULL
	UNION ALL
	SELECT name || ', measured', evaluated, 'nodes', target FROM anonopt.last_search();
END $$;

SET max_parallel_workers_per_gather = 0;
CALL bench.alternate('front of k and glm',
	'pareto', $$SELECT * FROM anonopt.pareto('adult', '{k,glm}')$$,
	'GROUP BY', group_by('adult'),
	:times, 2, 'bench.processor_milliseconds');
CALL bench.alternate('optimum for k = 5',
	'optimize', $$SELECT * FROM anonopt.optimize('adult', k => 5)$$,
	'GROUP BY', group_by('adult'),
	:times, 1.2, 'bench.processor_milliseconds');
CALL measure_front('{k,glm}', 1100);
CALL measure_front('{k,dcn}', NULL);

SELECT * FROM anonopt.optimize('adult', k => 5);
INSERT INTO bench.result (measurement, figure, unit)
SELECT 'optimum for k = 5, measured', evaluated, 'nodes' FROM anonopt.last_search();
