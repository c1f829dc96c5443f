-- reading.sql: how much slower than GROUP BY a table becomes a data set
--
-- evaluate() of the top node loads the hierarchies, reads every row and
-- measures one class.  It is compared with GROUP BY of the same columns. Both
-- may use workers; on the small table the server starts none.

CREATE PROCEDURE measure_reading(relation regclass, workers int, times int, target float8)
LANGUAGE plpgsql AS $$
DECLARE
	top int[] := (SELECT array_agg(levels ORDER BY ordinal) FROM quasi_identifier);
	people bigint;
BEGIN
	EXECUTE format('SELECT count(*) FROM %s', relation) INTO people;
	PERFORM set_config('max_parallel_workers_per_gather', workers::text, false);
	CALL bench.alternate(format('reading %s rows, %s workers', bench.number(people), workers),
		'evaluate', format('SELECT * FROM anonopt.evaluate(%L, %L)', relation, top),
		'GROUP BY', group_by(relation),
		times, target);
END $$;

CALL measure_reading('adult', 0, :times, 1.3);
CALL measure_reading('adult', 2, :times, 1.3);
CALL measure_reading('adult_large', 0, :few_times, 1.1);
CALL measure_reading('adult_large', 2, :few_times, 1.1);
