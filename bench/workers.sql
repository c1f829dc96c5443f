-- workers.sql: how much faster one worker beside the leader measures every
-- node, where that takes seconds
--
-- Two processors must be free for it; how many are is measured just before.

CREATE TABLE adult_occupation (leaf text PRIMARY KEY, level1 text NOT NULL, level2 text NOT NULL);
SELECT format('COPY adult_occupation FROM %L (FORMAT csv, DELIMITER '';'')',
	:'adult_dir' || '/hierarchy_occupation.csv') \gexec
CALL declare_adult('adult_nine', 'adult');
SELECT anonopt.add_quasi_identifier('adult_nine', 'occupation', 'adult_occupation');

CREATE TABLE searched AS SELECT NULL::text AS statement, * FROM anonopt.last_search() WITH NO DATA;

-- A clock of the search alone
CREATE FUNCTION search_milliseconds(statement text) RETURNS float8
LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE statement;
	INSERT INTO searched SELECT statement, * FROM anonopt.last_search();
	RETURN (SELECT search_ms FROM anonopt.last_search());
END $$;

CREATE PROCEDURE measure_workers(measurement text, dataset text, times int, target float8)
LANGUAGE plpgsql AS $$
DECLARE
	count_nodes text := format('SELECT count(*) FROM anonopt.lattice(%L)', dataset);
	serial text := 'SET anonopt.max_workers = 0; ' || count_nodes;
	parallel text := 'SET anonopt.max_workers = 1; ' || count_nodes;
BEGIN
	INSERT INTO bench.result (measurement, figure, unit)
	VALUES (measurement || ', idle before', bench.idle_processors(), 'processors');
	CALL bench.alternate(measurement, 'serial', serial, '1 worker', parallel, times, target, 'search_milliseconds');
	UPDATE bench.result SET at_least = true WHERE result.measurement = measure_workers.measurement;
	INSERT INTO bench.result (measurement, figure, unit)
	SELECT measurement || ', fewest', min(workers), 'launched' FROM searched WHERE statement = parallel;
END $$;

SELECT format('workers, %s nodes', bench.number(anonopt.lattice_size('adult')::bigint)) AS eight,
	format('workers, %s nodes', bench.number(anonopt.lattice_size('adult_nine')::bigint)) AS nine \gset
CALL measure_workers(:'eight' || ', sensitive', 'adult_sensitive', :few_times, NULL);
CALL measure_workers(:'nine', 'adult_nine', :few_times, 1.6);
