-- Comparing, every index that the paper works out or says something of.  Printed are numbers as
-- they stand there; in parentheses is what is said without a number.  No example is there of
-- P_LEX, whose row is ours alone.
-- the coverage of one release over another, by class size and by the paper's utility
CREATE FUNCTION covered(a int[], b int[], x text, y text) RETURNS float8[] LANGUAGE sql AS
	$$ SELECT ARRAY[index('p_cov', of(x, 'class_size'), of(y, 'class_size'))::float8, index('p_cov', printed_utility(a), printed_utility(b))::float8] $$;
SELECT line('what', 'printed', 'ours');
SELECT rule(3);
SELECT line(what, printed, trim_scale(round(ours::numeric, 1))::text) FROM (VALUES ('P_k-anon of T3a, the least class size', '3', (SELECT min(x) FROM unnest(of('T3a', 'class_size')) AS x)),
	('P_s-avg of T3a, the mean class size', '3.4', (SELECT avg(x) FROM unnest(of('T3a', 'class_size')) AS x)),
	('P_ℓ-div of T3a, the least count of the own status', '1', (SELECT min(x) FROM unnest(of('T3a', 'sensitive_count')) AS x))) AS v (what, printed, ours);
SELECT line(format('%s(%s, %s) by class size', upper(left(i, 1)) || substr(i, 2), a, b), p, index(i, of(a, 'class_size'), of(b, 'class_size')))
FROM (VALUES ('p_binary', 'T3b', 'T3a', '7'), ('p_binary', 'T3a', 'T3b', '0'), ('p_cov', 'T3a', 'T3b', '0.3'), ('p_cov', 'T3b', 'T3a', '1'),
	('p_cov', 'T4', 'T3a', '(better)'), ('p_cov', 'T3a', 'T4', '(worse)'), ('p_cov', 'T3b', 'T4', '(better)'), ('p_cov', 'T4', 'T3b', '(worse)')) AS v (i, a, b, p);
SELECT line(format('%s(%s, %s)', upper(left(i, 1)) || substr(i, 2), a, b), p, trim_scale(round(index(i, a, b)::numeric, 3))::text)
FROM (VALUES ('p_cov', '{2,2,3,4,5}'::float8[], '{3,2,4,2,3}'::float8[], '3/5'), ('p_cov', '{3,2,4,2,3}', '{2,2,3,4,5}', '3/5'),
	('p_spr', '{2,2,3,4,5}', '{3,2,4,2,3}', '(2 in each of two)'), ('p_spr', '{3,2,4,2,3}', '{2,2,3,4,5}', '(1 in each of two)'),
	('p_spr', '{3,3,3,5,5,5,5,5,3,3,3,4,4,4,4}', '{2,2,6,6,6,6,6,6,3,3,3,4,4,4,4}', '2'),
	('p_spr', '{2,2,6,6,6,6,6,6,3,3,3,4,4,4,4}', '{3,3,3,5,5,5,5,5,3,3,3,4,4,4,4}', '8'),
	('p_cov', '{3,3,3,5,5,5,5,5,3,3,3,4,4,4,4}', '{2,2,6,6,6,6,6,6,3,3,3,4,4,4,4}', '(worse)'),
	('p_cov', '{2,2,6,6,6,6,6,6,3,3,3,4,4,4,4}', '{3,3,3,5,5,5,5,5,3,3,3,4,4,4,4}', '(better)'),
	('p_hv', '{3,3,3,5,5,5,5,5}', '{4,4,4,4,4,4,4,4}', '(more)'), ('p_hv', '{4,4,4,4,4,4,4,4}', '{3,3,3,5,5,5,5,5}', '(less)')) AS v (i, a, b, p);
SELECT line(format('P_cov(%s, %s) by utility', a, b), p, index('p_cov', printed_utility(x), printed_utility(y)))
FROM (VALUES ('T3a', 'T3b', '{1,1,1}'::int[], '{2,2,1}'::int[], '1'), ('T3b', 'T3a', '{2,2,1}', '{1,1,1}', '0.3')) AS v (a, b, x, y, p);
SELECT line('P_WTD of coverage of class size and of utility, T3a; T3b', '(equally good)', anonopt.p_wtd(covered('{1,1,1}', '{2,2,1}', 'T3a', 'T3b'), '{0.5,0.5}') || '; ' || anonopt.p_wtd(covered('{2,2,1}', '{1,1,1}', 'T3b', 'T3a'), '{0.5,0.5}'));
SELECT line('P_LEX, ε = .1, T3a; T3b', NULL, anonopt.p_lex(covered('{1,1,1}', '{2,2,1}', 'T3a', 'T3b'), covered('{2,2,1}', '{1,1,1}', 'T3b', 'T3a'), '{0.1,0.1}') || '; '
	|| anonopt.p_lex(covered('{2,2,1}', '{1,1,1}', 'T3b', 'T3a'), covered('{1,1,1}', '{2,2,1}', 'T3a', 'T3b'), '{0.1,0.1}'));
