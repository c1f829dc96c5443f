-- tuples.sql: the memory that a table of nothing but distinct tuples takes at
-- its highest, a tuple

CREATE UNLOGGED TABLE tuple (a int, b int, c int) WITH (autovacuum_enabled = false);
INSERT INTO tuple SELECT i % 100, i / 100 % 100, i / 10000 FROM generate_series(0, :tuples - 1) AS i;
VACUUM ANALYZE tuple;
SELECT anonopt.create_interval_hierarchy('hundred', 0, 99, '{10}');
SELECT anonopt.create_dataset('tuple', 'tuple');
SELECT anonopt.add_quasi_identifier('tuple', name, 'hundred') FROM unnest('{a,b,c}'::name[]) AS name;

\connect
SET max_parallel_workers_per_gather = 0;
SET jit = off;
SET anonopt.memory = '1GB';
SELECT bench.kilobytes('RssAnon') AS before \gset
SELECT * FROM anonopt.evaluate('tuple', '{2,2,2}');
INSERT INTO bench.result (measurement, ours, ours_is, beside, beside_is, side_unit, figure, unit)
SELECT format('memory for %s distinct tuples', bench.number(:tuples)), bench.own_peak(), 'peak', :before, 'before', 'kB',
	(bench.own_peak() - :before) * 1024.0 / :tuples, 'bytes a tuple';
