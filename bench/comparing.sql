-- comparing.sql: what it takes to compare the 46 nodes of Adult's front of k
-- and GLM each with each: 1,035 comparisons from one reading, which stands
-- beside as GROUP BY

-- Seconds of a tournament, and milliseconds a comparison of it
CREATE PROCEDURE measure_tournament(measurement text, dataset text, property text, index text, times int)
LANGUAGE plpgsql AS $$
DECLARE
	front int[] := (SELECT array_agg(levels) FROM anonopt.pareto('adult', '{k,glm}'));
	comparisons int := array_length(front, 1) * (array_length(front, 1) - 1) / 2;
BEGIN
	measurement := format('%s comparisons, %s', bench.number(comparisons), measurement);
	CALL bench.alternate(measurement,
		'tournament', format('SELECT count(*) FROM anonopt.tournament(%L, %L, %L, %L)', dataset, front, property, index),
		'GROUP BY', group_by('adult'),
		times, NULL);
	UPDATE bench.result SET figure = ours / 1000, unit = 's'
	WHERE result.measurement = measure_tournament.measurement;
	INSERT INTO bench.result (measurement, figure, unit)
	SELECT result.measurement || ', each', ours / comparisons, 'ms'
	FROM bench.result WHERE result.measurement = measure_tournament.measurement;
END $$;

SET max_parallel_workers_per_gather = 0;
CALL measure_tournament('P_cov of class size', 'adult', 'class_size', 'p_cov', :few_times);
CALL measure_tournament('volume of utility', 'adult', 'utility', 'ln_p_hv', :few_times);
CALL measure_tournament('volume of sensitive count', 'adult_sensitive', 'sensitive_count', 'ln_p_hv', :few_times);
