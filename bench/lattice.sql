-- lattice.sql: seconds to measure every node of Adult, on one core
--
-- The search is what lattice() takes longer than evaluate() of one node,
-- which reads the same table.

CREATE PROCEDURE measure_lattice(measurement text, dataset text, times int, target float8)
LANGUAGE plpgsql AS $$
DECLARE
	top int[] := (SELECT array_agg(levels ORDER BY ordinal) FROM quasi_identifier);
BEGIN
	CALL bench.alternate(measurement,
		'lattice', format('SELECT count(*) FROM anonopt.lattice(%L)', dataset),
		'evaluate', format('SELECT * FROM anonopt.evaluate(%L, %L)', dataset, top),
		times, target);
	UPDATE bench.result SET figure = (ours - beside) / 1000, unit = 's'
	WHERE result.measurement = measure_lattice.measurement;
END $$;

SET max_parallel_workers_per_gather = 0;
SELECT format('search of %s nodes', bench.number(anonopt.lattice_size('adult')::bigint)) AS search \gset

CALL measure_lattice(:'search', 'adult', :few_times, 0.6);
CALL measure_lattice(:'search' || ', sensitive', 'adult_sensitive', :few_times, 3 * 0.6);
INSERT INTO bench.result (measurement, ours, ours_is, beside, beside_is, side_unit, figure, unit)
SELECT 'search, sensitive by plain', sensitive.figure, 'sensitive', plain.figure, 'plain', 's',
	sensitive.figure / plain.figure, '×'
FROM bench.result AS plain, bench.result AS sensitive
WHERE plain.measurement = :'search' AND sensitive.measurement = :'search' || ', sensitive';
