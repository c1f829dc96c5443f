-- beyond_memory.sql: the memory that :large distinct tuples take at their
-- highest, a tuple, in a fresh connection

SET max_parallel_workers_per_gather = 0;
SET jit = off;
SET anonopt.memory = '8GB';
SELECT bench.kilobytes('RssAnon') AS before \gset
SELECT * FROM anonopt.evaluate('each', '{2,2,2,2}');
INSERT INTO bench.result (measurement, ours, ours_is, beside, beside_is, side_unit, figure, unit)
SELECT format('memory for %s distinct tuples, none twice', bench.number(:large)), bench.own_peak(), 'peak', :before, 'before', 'kB',
	(bench.own_peak() - :before) * 1024.0 / :large, 'bytes a tuple';
