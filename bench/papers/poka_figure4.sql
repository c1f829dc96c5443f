-- POkA, Figure 4, its lower row: the exact fronts of k and GLM, DCN and CM as circles, and what
-- POkA returns as crosses.  CM over seven columns.  Data: Adult; 1 % suppressed.
TRUNCATE drawn;
CALL declare_adult('figured', 'adult', 7);
SELECT FROM anonopt.set_class_label('figured', 'salary_class');
SELECT format('INSERT INTO drawn SELECT %s, ''%s against k'', k, %2$s, e.k IS NOT NULL, f.k IS NOT NULL FROM
	(SELECT DISTINCT k, %2$s FROM anonopt.pareto(%3$L, ''{k,%2$s}'') WHERE k > 1) AS e FULL JOIN (SELECT DISTINCT k, %2$s FROM anonopt.poka(%3$L, %2$L) WHERE k > 1) AS f USING (k, %2$s)',
	nr, loss, CASE loss WHEN 'cm' THEN 'figured' ELSE 'adult' END) FROM unnest('{glm,dcn,cm}'::text[]) WITH ORDINALITY AS l (loss, nr) \gexec
SELECT anonopt.drop_dataset('figured') \g /dev/null
SELECT drawing();
