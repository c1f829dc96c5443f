-- publishing_memory.sql: the memory that publishing a table of a million
-- classes takes at its highest, beside what it may take, in a fresh connection

SET max_parallel_workers_per_gather = 0;
SET jit = off;
SET maintenance_work_mem = '1GB';
SET anonopt.memory = '1GB';
SET client_min_messages = error;
CREATE TABLE crowd AS SELECT i / 1000 % :classes AS a, i % 1000 AS b, i % 7 AS illness
FROM generate_series(0, 2 * :classes * 1000 - 1) i;
SELECT anonopt.create_interval_hierarchy('crowd_a', 0, :classes - 1, '{10}'), anonopt.create_interval_hierarchy('crowd_b', 0, 999, '{10}');
SELECT anonopt.create_dataset('crowd', 'crowd', 0), anonopt.add_quasi_identifier('crowd', 'a', 'crowd_a'),
	anonopt.add_quasi_identifier('crowd', 'b', 'crowd_b'), anonopt.add_sensitive('crowd', 'illness');
SELECT bench.kilobytes('RssAnon') AS before \gset
SELECT anonopt.publish_table('crowd_shown', 'crowd', '{0,0}', k => 2);
INSERT INTO bench.result (measurement, ours, ours_is, beside, beside_is, side_unit, figure, unit, target)
SELECT format('memory of publishing %s classes', bench.number(:classes::bigint * 1000)), bench.own_peak() - :before, 'peak',
	1024 * 1024, 'maintenance_work_mem', 'kB', (bench.own_peak() - :before) / (1024 * 1024.0), '×', 1;
DROP TABLE crowd, crowd_shown;
