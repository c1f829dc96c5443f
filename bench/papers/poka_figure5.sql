-- POkA, Figure 5: the exact front of k and GLM as circles, and what POkA returns at depth 1, 2
-- and 3 as crosses.  Data: Adult, eight columns; 1 % suppressed.
TRUNCATE drawn;
SELECT format('INSERT INTO drawn SELECT %s, ''depth %1$s: glm against k'', k, glm, e.k IS NOT NULL, f.k IS NOT NULL FROM
	(SELECT DISTINCT k, glm FROM anonopt.pareto(''adult'') WHERE k > 1) AS e FULL JOIN (SELECT DISTINCT k, glm FROM anonopt.poka(''adult'', ''glm'', %1$s) WHERE k > 1) AS f USING (k, glm)', depth)
FROM generate_series(1, 3) AS depth \gexec
SELECT drawing();
