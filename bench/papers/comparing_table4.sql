-- Comparing, Table 4: dominance, of vectors and of sets of vectors, for every two of the
-- releases; a set here is class size and the paper's utility
CREATE TABLE release AS SELECT * FROM (VALUES ('T3a', '{1,1,1}'::int[]), ('T3b', '{2,2,1}')) AS v (name, levels);
SELECT line('of', 'over', 'by class size', 'by utility', 'as sets');
SELECT rule(5);
SELECT line(a.name, b.name, size, utility, anonopt.set_dominance(ARRAY[size, utility]))
FROM release AS a JOIN release AS b ON a.name <> b.name,
	LATERAL (SELECT index('dominance', of(a.name, 'class_size'), of(b.name, 'class_size')) AS size,
		index('dominance', printed_utility(a.levels), printed_utility(b.levels)) AS utility) AS d ORDER BY a.name;
SELECT line(a, b, index('dominance', of(a, 'class_size'), of(b, 'class_size')), NULL, NULL)
FROM (VALUES ('T3a', 'T4'), ('T3b', 'T4'), ('T4', 'T3a'), ('T4', 'T3b')) AS v (a, b);
