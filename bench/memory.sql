-- memory.sql: the memory that evaluate() of the table :relation takes at its
-- highest, in a fresh connection
--
-- Without workers, who have memory of their own, and without JIT, which is
-- the server's.

SET max_parallel_workers_per_gather = 0;
SET jit = off;
SELECT count(*) AS people FROM :relation \gset
SELECT bench.kilobytes('RssAnon') AS before \gset
SELECT * FROM anonopt.evaluate(:'relation',
	(SELECT array_agg(levels ORDER BY ordinal) FROM quasi_identifier));
INSERT INTO bench.result (measurement, ours, ours_is, beside, beside_is, side_unit, figure, unit)
SELECT format('memory for %s rows', bench.number(:people)), bench.own_peak(), 'peak', :before, 'before', 'kB',
	(bench.own_peak() - :before) / 1024.0, 'MB';
