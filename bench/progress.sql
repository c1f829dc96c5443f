-- progress.sql: what it costs to report progress, which track_activities = off
-- prevents: processor's time of lattice() with and without, as a share of
-- Adult's without
--
-- Adult's cost is less than the noise, the difference between two measurements
-- of the same side.  So the same nodes are also measured for one person, which
-- takes next to no time but reports as often: the additional time there is the
-- additional time for Adult.

CREATE TABLE person AS SELECT * FROM adult LIMIT 1;
CALL declare_adult('person', 'person');

CREATE FUNCTION searches(dataset text, reported text, times int) RETURNS text
LANGUAGE sql AS $$
	SELECT format('SET track_activities = %s; ', reported)
		|| repeat(format('SELECT count(*) FROM anonopt.lattice(%L); ', dataset), times)
$$;

-- Adult, the first time it is measured here, is what the others are shares of.
CREATE PROCEDURE measure_progress(measurement text, dataset text, searches int, times int, target float8)
LANGUAGE plpgsql AS $$
DECLARE
	reported text := searches(dataset, 'on', searches);
	silent text := searches(dataset, 'off', searches);
	noise text := measurement || ', noise';
BEGIN
	CALL bench.alternate(measurement, 'reported', reported, 'not', silent,
		times, target, 'bench.processor_milliseconds');
	CALL bench.alternate(noise, 'not', silent, 'not either', silent,
		times, NULL, 'bench.processor_milliseconds');
	UPDATE bench.result SET unit = '%',
		figure = 100 * (ours - beside) / searches
			/ (SELECT adult.beside FROM bench.result AS adult WHERE adult.measurement = 'progress, Adult')
	WHERE result.measurement IN (measure_progress.measurement, noise);
END $$;

SET max_parallel_workers_per_gather = 0;
CALL measure_progress('progress, Adult', 'adult', 1, :times, NULL);
CALL measure_progress('progress, one person ten times', 'person', 10, :times, 1);
