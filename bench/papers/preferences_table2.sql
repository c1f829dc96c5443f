-- Preferences, Table 2: eight nodes of twelve employees, all that the paper prints of them: k,
-- NECD, NWP and efficiency; ach under five preferences; the deviation from the last of them.
CREATE TABLE employee (code text, class text);
INSERT INTO employee VALUES
	('81521', 'C1'), ('81522', 'C1'), ('81523', 'C1'), ('82635', 'C2'), ('82636', 'C2'), ('82647', 'C2'), ('82648', 'C2'),
	('81634', 'C3'), ('81631', 'C3'), ('81632', 'C3'), ('81639', 'C3'), ('81630', 'C3');
CREATE TABLE code AS SELECT code, left(code, 4) || '*' AS level1, left(code, 3) || '**' AS level2,
	left(code, 2) || '***' AS level3, left(code, 1) || '****' AS level4 FROM employee;
CREATE TABLE class (class text, level1 text);
INSERT INTO class VALUES ('C1', '{C1,C2}'), ('C2', '{C1,C2}'), ('C3', 'C3');
SELECT FROM anonopt.create_dataset('employee', 'employee', max_suppression => 0);
SELECT FROM anonopt.add_quasi_identifier('employee', 'code', 'code', weight => 0.3);
SELECT FROM anonopt.add_quasi_identifier('employee', 'class', 'class', weight => 0.7);
CREATE TABLE printed (levels int[], cells text, ach text, pref_dev text);
INSERT INTO printed VALUES ('{1,0}', '2, .27, .07, strong', '.06, .12, .07, .06, .23', '-.26'), ('{2,0}', '3, .18, .09, strong', '.07, .08, .06, .07, .15', '-.33'),
	('{3,0}', '3, .18, .15, weak', '.12, .09, .12, .13, .15', '-.26'), ('{4,0}', '3, .18, .30, weak', '.24, .17, .23, .25, .15', '-.12'),
	('{1,1}', '2, .27, .27, none', '.22, .16, .20, .23, .23', '-.05'), ('{2,1}', '3, .18, .29, weak', '.23, .17, .22, .24, .15', '-.13'),
	('{3,1}', '3, .18, .36, weak', '.28, .20, .27, .30, .15', '-.06'), ('{4,1}', '5, .18, .50, weak', '.40, .29, .38, .42, .15', '.09');
CREATE FUNCTION two(float8) RETURNS text LANGUAGE sql AS $$ SELECT replace(to_char($1, 'FM90.00'), '0.', '.') $$;
CREATE TABLE judged AS
SELECT levels, min(concat_ws(', ', k, two(necd), two(nwp), efficiency)) AS cells, string_agg(two(ach), ', ' ORDER BY nr) AS ach,
	two((array_agg(pref_dev ORDER BY nr))[5]) AS pref_dev, string_agg('q' || nr, ', ' ORDER BY nr) FILTER (WHERE chosen) AS chosen
FROM (VALUES (1, .3, .08), (2, .2, .15), (3, .15, .05), (4, .25, .05), (5, .1, .5)) AS p (nr, necd_pref, nwp_pref),
	anonopt.efficiency('employee', 2, necd_pref, nwp_pref) AS e GROUP BY levels;
SELECT line('node', 'k, NECD, NWP, efficiency: printed', 'ours', 'ach under q1 to q5: printed', 'ours', 'deviation from q5: printed', 'ours', 'ours chooses it for');
SELECT rule(8);
SELECT line(levels::text, p.cells, j.cells, p.ach, j.ach, p.pref_dev, j.pref_dev, chosen)
FROM printed AS p JOIN judged AS j USING (levels) ORDER BY levels[2], levels[1];
