-- Comparing, every index that the paper works out
-- the coverage of one release over another, by class size and by the paper's utility
CREATE FUNCTION covered(a int[], b int[], x text, y text) RETURNS float8[] LANGUAGE sql AS
	$$ SELECT ARRAY[index('p_cov', of(x, 'class_size'), of(y, 'class_size'))::float8, index('p_cov', printed_utility(a), printed_utility(b))::float8] $$;
SELECT line('what', 'printed', 'ours');
SELECT rule(3);
SELECT line(format('%s(%s, %s) by class size', upper(left(i, 1)) || substr(i, 2), a, b), p, index(i, of(a, 'class_size'), of(b, 'class_size')))
FROM (VALUES ('p_binary', 'T3b', 'T3a', '7'), ('p_binary', 'T3a', 'T3b', '0'), ('p_cov', 'T3a', 'T3b', '0.3'), ('p_cov', 'T3b', 'T3a', '1'),
	('p_cov', 'T3b', 'T4', '0.7')) AS v (i, a, b, p);
SELECT line(format('%s(%s, %s)', upper(left(i, 1)) || substr(i, 2), a, b), p, index(i, a, b))
FROM (VALUES ('p_cov', '{2,2,3,4,5}'::float8[], '{3,2,4,2,3}'::float8[], '0.6'), ('p_cov', '{3,2,4,2,3}', '{2,2,3,4,5}', '0.6'),
	('p_spr', '{2,2,3,4,5}', '{3,2,4,2,3}', '4'), ('p_spr', '{3,2,4,2,3}', '{2,2,3,4,5}', '2'),
	('p_spr', '{3,3,3,5,5,5,5,5,3,3,3,4,4,4,4}', '{2,2,6,6,6,6,6,6,3,3,3,4,4,4,4}', '2'),
	('p_spr', '{2,2,6,6,6,6,6,6,3,3,3,4,4,4,4}', '{3,3,3,5,5,5,5,5,3,3,3,4,4,4,4}', '8'),
	('p_hv', '{3,3,3,5,5,5,5,5}', '{4,4,4,4,4,4,4,4}', '56727'), ('p_hv', '{4,4,4,4,4,4,4,4}', '{3,3,3,5,5,5,5,5}', '37888')) AS v (i, a, b, p);
SELECT line('P_WTD of coverage of class size and printed utility, T3a; T3b', '0.65; 0.65', anonopt.p_wtd(covered('{1,1,1}', '{2,2,1}', 'T3a', 'T3b'), '{0.5,0.5}') || '; ' || anonopt.p_wtd(covered('{2,2,1}', '{1,1,1}', 'T3b', 'T3a'), '{0.5,0.5}'));
SELECT line('P_LEX, ε = .1, T3a; T3b', '2; 1', anonopt.p_lex(covered('{1,1,1}', '{2,2,1}', 'T3a', 'T3b'), covered('{2,2,1}', '{1,1,1}', 'T3b', 'T3a'), '{0.1,0.1}') || '; '
	|| anonopt.p_lex(covered('{2,2,1}', '{1,1,1}', 'T3b', 'T3a'), covered('{1,1,1}', '{2,2,1}', 'T3a', 'T3b'), '{0.1,0.1}'));
