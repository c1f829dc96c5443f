-- Preferences, Table 2: eight nodes of twelve employees.  Printed are k, NECD, NWP,
-- efficiency and ach under (.3, .08); of the other cells the paper's print is not at
-- hand, and ours alone is shown.
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
CREATE TABLE printed (levels int[], cells text);
INSERT INTO printed VALUES ('{1,0}', '2, .27, .07, strong, .06'), ('{2,0}', '3, .18, .09, strong, .07'),
	('{3,0}', '3, .18, .15, weak, .12'), ('{4,0}', '3, .18, .30, weak, .24'), ('{1,1}', '2, .27, .27, none, .22'),
	('{2,1}', '3, .18, .29, weak, .23'), ('{3,1}', '3, .18, .36, weak, .28'), ('{4,1}', '5, .18, .50, weak, .40');
CREATE TABLE judged AS
SELECT p.name, e.* FROM (VALUES ('a', .3, .08), ('b', .25, .05), ('c', .2, .15), ('d', .15, .05), ('e', .1, .5)) AS p (name, necd_pref, nwp_pref),
	anonopt.efficiency('employee', 2, necd_pref, nwp_pref) AS e;
CREATE FUNCTION two(float8) RETURNS text LANGUAGE sql AS $$ SELECT replace(to_char($1, 'FM90.00'), '0.', '.') $$;
SELECT line('node', 'printed: k, NECD, NWP, efficiency, ach under (.3,.08)', 'ours', 'ach under (.25,.05)', '(.2,.15)', '(.15,.05)', '(.1,.5)', 'deviation from (.1,.5)');
SELECT rule(8);
SELECT line(levels::text, cells, concat_ws(', ', a.k, two(a.necd), two(a.nwp), a.efficiency, two(a.ach)),
	two(b.ach), two(c.ach), two(d.ach), two(e.ach), two(e.pref_dev))
FROM printed JOIN judged AS a USING (levels) JOIN judged AS b USING (levels) JOIN judged AS c USING (levels)
JOIN judged AS d USING (levels) JOIN judged AS e USING (levels)
WHERE (a.name, b.name, c.name, d.name, e.name) = ('a', 'b', 'c', 'd', 'e') ORDER BY levels[2], levels[1];
