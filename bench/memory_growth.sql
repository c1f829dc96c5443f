-- memory_growth.sql: memory follows the distinct tuples, not the rows: what
-- the rows add, from the smallest to the largest table of the same tuples
--
-- The kernel counts a process's pages in batches of up to 256 kB, so
-- differences below the target mean nothing.

INSERT INTO bench.result (measurement, ours, ours_is, beside, beside_is, side_unit, figure, unit, target)
SELECT 'memory for the rows alone', most.figure, 'most rows', fewest.figure, 'fewest', 'MB',
	most.figure - fewest.figure, 'MB', 1
FROM (SELECT figure FROM bench.result WHERE measurement LIKE 'memory for %' ORDER BY ordinal DESC LIMIT 1) AS most,
	(SELECT figure FROM bench.result WHERE measurement LIKE 'memory for %' ORDER BY ordinal LIMIT 1) AS fewest;
