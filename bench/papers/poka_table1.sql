-- POkA, Table 1: six rows, which the node (1,1,0) makes 3-anonymous; and what poka returns of
-- this lattice beside its exact front, at the paper's depth, the mean of the hierarchies'
-- lengths, and with repair => true.
CREATE TABLE patient (zip text, sex text, salary text);
INSERT INTO patient VALUES ('12345', 'M', '< 50K'), ('12346', 'M', '< 50K'), ('12345', 'F', '< 50K'),
	('12355', 'F', '>= 50K'), ('12355', 'M', '>= 50K'), ('12356', 'M', '>= 50K');
CREATE TABLE zips AS SELECT DISTINCT zip, left(zip, 4) || '*' AS one, '*' AS two FROM patient;
CREATE TABLE sexes AS SELECT DISTINCT sex, '*' AS one FROM patient;
CREATE TABLE salaries AS SELECT DISTINCT salary, '*' AS one FROM patient;
SELECT FROM anonopt.create_dataset('patient', 'patient', max_suppression => 0);
SELECT FROM anonopt.add_quasi_identifier('patient', 'zip', 'zips');
SELECT FROM anonopt.add_quasi_identifier('patient', 'sex', 'sexes');
SELECT FROM anonopt.add_quasi_identifier('patient', 'salary', 'salaries');
SELECT line('node', 'printed', 'ours', 'GLM', 'of the exact front', 'returned by poka', 'with repair');
SELECT rule(7);
SELECT line(levels::text, CASE levels WHEN '{1,1,0}' THEN 'k 3' END, 'k ' || k, round(glm::numeric, 2)::text,
	CASE WHEN EXISTS (SELECT FROM anonopt.pareto('patient', '{k,glm}') AS p WHERE (p.k, p.glm) = (n.k, n.glm)) THEN '×' END,
	CASE WHEN EXISTS (SELECT FROM anonopt.poka('patient', 'glm') AS p WHERE p.levels = n.levels) THEN '×' END,
	CASE WHEN EXISTS (SELECT FROM anonopt.poka('patient', 'glm', repair => true) AS p WHERE p.levels = n.levels) THEN '×' END)
FROM anonopt.lattice('patient') AS n ORDER BY k DESC, glm, levels;
