-- promises.sql: what each model costs beside the argument l, over all nodes
--
-- One table of 60,000 people, a data set a promise.  Workers are off and the
-- processor's time is measured.  With nothing declared but k, the search of
-- the same table with and without a declaration is compared.

CREATE TABLE promised AS
SELECT floor(80 * x ^ 2)::int AS age, floor(40 * y)::int AS town, floor(12 * z ^ 2)::int AS job, floor(7 * x * y + random())::int AS stage,
	floor(20 * random() ^ 2)::int AS illness
FROM generate_series(1, 60000) i, LATERAL (SELECT random() AS x, random() AS y, random() AS z WHERE i > 0) r;
SELECT anonopt.create_interval_hierarchy('promised_age', 0, 79, '{2,4,8,16}'), anonopt.create_interval_hierarchy('promised_town', 0, 39, '{2,4,8}'),
	anonopt.create_interval_hierarchy('promised_job', 0, 11, '{2,4}'), anonopt.create_interval_hierarchy('promised_stage', 0, 7, '{2,4}') \g /dev/null

CREATE PROCEDURE declare_promise(dataset text, model text, threshold float8, c float8)
LANGUAGE plpgsql AS $$
BEGIN
	PERFORM anonopt.create_dataset(dataset, 'promised');
	PERFORM anonopt.add_quasi_identifier(dataset, q, ('promised_' || q)::regclass) FROM unnest('{age,town,job,stage}'::text[]) q;
	PERFORM anonopt.add_sensitive(dataset, 'illness');
	IF model IS NOT NULL THEN
		PERFORM anonopt.add_promise(dataset, model, threshold, CASE WHEN model <> 'k' THEN 'illness' END, c);
	END IF;
END $$;

SET max_parallel_workers_per_gather = 0;
CALL declare_promise('promised', NULL, NULL, NULL);
CALL declare_promise('promised_k', 'k', 5, NULL);
CALL bench.alternate('k declared', 'declared', 'SELECT * FROM anonopt.optimize(''promised_k'')',
	'argument', 'SELECT * FROM anonopt.optimize(''promised'', k => 5)', :few_times, 1.1, 'bench.processor_milliseconds');
CALL bench.alternate('l as an argument', 'l => 3', 'SELECT count(*) FROM anonopt.lattice(''promised'', k => 5, l => 3)',
	'k alone', 'SELECT count(*) FROM anonopt.lattice(''promised'', k => 5)', :few_times, NULL, 'bench.processor_milliseconds');
SELECT format('CALL declare_promise(%L, %L, %s, %s); CALL bench.alternate(%L, %L, %L, ''l => 3'', %L, %s, %s, ''bench.processor_milliseconds'')',
	'promised_' || model, model, threshold, coalesce(c::text, 'NULL'), 'promise of ' || model, model,
	format('SELECT count(*) FROM anonopt.lattice(%L)', 'promised_' || model), 'SELECT count(*) FROM anonopt.lattice(''promised'', l => 3)',
	:few_times, target)
FROM (VALUES ('l', 3, NULL, 1.5), ('alpha', 0.5, NULL, 1.5), ('entropy_l', 3, NULL, 3), ('recursive_l', 3, 2, 3), ('t', 0.4, NULL, 3),
	('beta', 3, NULL, 3), ('disclosure', 2, NULL, 3)) m (model, threshold, c, target) \gexec
