-- known_columns.sql: optima against people who know any so many columns, proven, with one process: on a lattice of 85
-- million nodes, on Adult if adult.sql was run, and on forty columns of 100,000 people
SELECT to_regclass('many') IS NULL AS wants_many \gset
\if :wants_many
\ir proofs_data.sql
SELECT anonopt.create_interval_hierarchy('many_' || number, 0, leaves - 1, widths) FROM many_column ORDER BY number;
\endif

-- Two and a half times the sixteen columns
SELECT format('CREATE TABLE wide AS SELECT %s FROM (SELECT i, -1 - floor(4000 * part_of_one(i, 0) ^ 3)::int AS kind'
		' FROM generate_series(1, 100000) AS i) AS person',
	string_agg(format('value_of(CASE WHEN part_of_one(i, 100 + %s) < 0.2 THEN i ELSE kind END, %1$s, %s) AS c%1$s', n, leaves),
		', ' ORDER BY n))
FROM generate_series(1, 40) AS n JOIN many_column ON number = 1 + (n - 1) % 16 \gexec

CREATE TABLE known_search (dataset text, relation regclass, columns int, attributes int, seconds float8, loss float8);
INSERT INTO known_search VALUES
	('many, any 2 of 16 columns', 'many', 2, 16, 20), ('many, any 3 of 16 columns', 'many', 3, 16, 60),
	('wide, any 2 of 40 columns', 'wide', 2, 40, 60);
INSERT INTO known_search
SELECT format('Adult, any %s of 8 columns', columns), to_regclass('adult'), columns, 8, 1, loss
FROM (VALUES (2, 0.0281), (3, 0.2058), (4, 0.2733)) AS v (columns, loss) WHERE to_regclass('adult') IS NOT NULL;

SELECT anonopt.create_dataset(dataset, relation, max_suppression => 0.01) FROM known_search;
SELECT anonopt.add_quasi_identifier(dataset, ('c' || n)::name, ('many_' || 1 + (n - 1) % 16)::regclass)
FROM known_search, generate_series(1, attributes) AS n WHERE attributes > 8 ORDER BY dataset, n;
SELECT 'SELECT anonopt.add_quasi_identifier(dataset, name, (''adult_'' || name)::regclass) FROM known_search, quasi_identifier'
	' WHERE attributes = 8 ORDER BY dataset, ordinal' WHERE to_regclass('adult') IS NOT NULL \gexec
SELECT anonopt.add_promise(dataset, 'k', 5, columns_known => columns) FROM known_search;

CREATE PROCEDURE prove_known()
LANGUAGE plpgsql AS $$
DECLARE
	search known_search;
	begun timestamptz;
	found float8;
BEGIN
	PERFORM set_config('anonopt.max_workers', '0', false), set_config('max_parallel_workers_per_gather', '0', false);
	FOR search IN SELECT * FROM known_search LOOP
		begun := clock_timestamp();
		SELECT nwp INTO found FROM anonopt.optimize(search.dataset, time_limit => '60 s');
		INSERT INTO bench.result (measurement, figure, unit, target)
		SELECT search.dataset || measure, value, unit, target
		FROM anonopt.last_search() AS s,
			LATERAL (VALUES ('', extract(epoch FROM clock_timestamp() - begun)::float8, 's', search.seconds),
				(', nodes looked at', s.evaluated::float8, 'nodes', NULL),
				(', gap', 100 * (1 - s.bound / found / s.people / search.attributes), '%', CASE WHEN search.attributes < 40 THEN 0 END),
				(', loss', found, 'nwp', search.loss)) AS v (measure, value, unit, target);
	END LOOP;
END $$;
CALL prove_known();
