-- Comparing: ten people in the releases T3a, T3b and T4, and every index the paper works out
CREATE TABLE person (nr int PRIMARY KEY, zip text, age int, status text);
INSERT INTO person VALUES
	(1, '13053', 28, 'CF-Spouse'), (2, '13268', 41, 'Separated'), (3, '13268', 39, 'Never Married'),
	(4, '13053', 26, 'CF-Spouse'), (5, '13253', 50, 'Divorced'), (6, '13253', 55, 'Spouse Absent'),
	(7, '13250', 49, 'Divorced'), (8, '13052', 31, 'Spouse Present'), (9, '13269', 42, 'Separated'), (10, '13250', 47, 'Separated');
CREATE TABLE zip AS SELECT DISTINCT zip, left(zip, 4) || '*' AS one, left(zip, 3) || '**' AS two, left(zip, 2) || '***' AS three FROM person;
CREATE TABLE age AS SELECT age, CASE WHEN age <= 25 THEN '(15,25]' WHEN age <= 35 THEN '(25,35]' WHEN age <= 45 THEN '(35,45]' ELSE '(45,55]' END AS tens,
	CASE WHEN age <= 35 THEN '(15,35]' ELSE '(35,55]' END AS twenties FROM generate_series(16, 55) AS age;
CREATE TABLE age_t4 AS SELECT age, CASE WHEN age <= 40 THEN '(20,40]' ELSE '(40,60]' END AS twenties FROM generate_series(21, 60) AS age;
CREATE TABLE status AS SELECT DISTINCT status, CASE WHEN status IN ('CF-Spouse', 'Spouse Present') THEN 'Married' ELSE 'Not Married' END AS kind,
	'*' AS anything FROM person;
SELECT FROM anonopt.create_dataset('t3', 'person', max_suppression => 0);
SELECT FROM anonopt.create_dataset('t4', 'person', max_suppression => 0);
SELECT FROM anonopt.add_quasi_identifier('t3', 'zip', 'zip');
SELECT FROM anonopt.add_quasi_identifier('t3', 'age', 'age');
SELECT FROM anonopt.add_sensitive('t3', 'status');
SELECT FROM anonopt.add_quasi_identifier('t4', 'zip', 'zip');
SELECT FROM anonopt.add_quasi_identifier('t4', 'age', 'age_t4');
SELECT FROM anonopt.add_quasi_identifier('t4', 'status', 'status');
CREATE TABLE vector AS
SELECT release, property, record::int AS nr, value
FROM (VALUES ('T3a', 't3', '{1,1}'::int[]), ('T3b', 't3', '{2,2}'), ('T4', 't4', '{3,1,2}')) AS r (release, dataset, levels),
	unnest('{class_size,sensitive_count,utility}'::text[]) AS property, LATERAL anonopt.property_vector(dataset, levels, property, 'nr')
WHERE dataset = 't3' OR property <> 'sensitive_count';
CREATE FUNCTION of(release text, property text) RETURNS float8[] LANGUAGE sql AS
	$$ SELECT array_agg(value ORDER BY nr) FROM vector AS v WHERE (v.release, v.property) = ($1, $2) $$;
CREATE FUNCTION index(aggregate text, a float8[], b float8[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT anonopt.%I(a, b)::text FROM unnest($1, $2) AS x (a, b)', aggregate) INTO result USING a, b;
	RETURN result;
END $$;
SELECT line('what', 'printed', 'ours');
SELECT rule(3);
SELECT line(VARIADIC ARRAY['class sizes of ' || r, p, of(r, 'class_size')::text]) FROM (VALUES ('T3a', '{3,3,3,3,4,4,4,3,3,4}'), ('T3b', '{3,7,7,3,7,7,7,3,7,7}'),
	('T4', '{4,6,4,4,6,6,6,4,6,6}')) AS v (r, p);
SELECT line('who shares the status in T3a', '{2,2,1,2,2,1,2,1,2,1}', of('T3a', 'sensitive_count')::text);
SELECT line('utility of T3a, another formula', '{2.03,1.7,1.7,2.03,1.6,1.6,1.6,2.03,1.7,1.6}',
	(SELECT array_agg(round(u::numeric, 2) ORDER BY i)::text FROM unnest(of('T3a', 'utility')) WITH ORDINALITY AS x (u, i)));
SELECT line('utility of T3b, another formula', '{2.03,.97,.97,2.03,.97,.97,.97,2.03,.97,.97}',
	(SELECT array_agg(round(u::numeric, 2) ORDER BY i)::text FROM unnest(of('T3b', 'utility')) WITH ORDINALITY AS x (u, i)));
SELECT line(format('%s(%s, %s) by class size', upper(left(i, 1)) || substr(i, 2), a, b), p, index(i, of(a, 'class_size'), of(b, 'class_size')))
FROM (VALUES ('p_binary', 'T3b', 'T3a', '7'), ('p_binary', 'T3a', 'T3b', '0'), ('p_cov', 'T3a', 'T3b', '0.3'), ('p_cov', 'T3b', 'T3a', '1'),
	('p_cov', 'T3b', 'T4', '0.7')) AS v (i, a, b, p);
SELECT line(format('%s(%s, %s)', upper(left(i, 1)) || substr(i, 2), a, b), p, index(i, a, b))
FROM (VALUES ('p_cov', '{2,2,3,4,5}'::float8[], '{3,2,4,2,3}'::float8[], '0.6'), ('p_cov', '{3,2,4,2,3}', '{2,2,3,4,5}', '0.6'),
	('p_spr', '{2,2,3,4,5}', '{3,2,4,2,3}', '4'), ('p_spr', '{3,2,4,2,3}', '{2,2,3,4,5}', '2'),
	('p_spr', '{3,3,3,5,5,5,5,5,3,3,3,4,4,4,4}', '{2,2,6,6,6,6,6,6,3,3,3,4,4,4,4}', '2'),
	('p_spr', '{2,2,6,6,6,6,6,6,3,3,3,4,4,4,4}', '{3,3,3,5,5,5,5,5,3,3,3,4,4,4,4}', '8'),
	('p_hv', '{3,3,3,5,5,5,5,5}', '{4,4,4,4,4,4,4,4}', '56727'), ('p_hv', '{4,4,4,4,4,4,4,4}', '{3,3,3,5,5,5,5,5}', '37888')) AS v (i, a, b, p);
SELECT line('P_WTD of coverage of class size and printed utility, T3a; T3b', '0.65; 0.65', anonopt.p_wtd('{0.3,1}', '{0.5,0.5}') || '; ' || anonopt.p_wtd('{1,0.3}', '{0.5,0.5}'));
SELECT line('P_LEX, ε = .1, T3a; T3b', '2; 1', anonopt.p_lex('{0.3,1}', '{1,0.3}', '{0.1,0.1}') || '; ' || anonopt.p_lex('{1,0.3}', '{0.3,1}', '{0.1,0.1}'));
SELECT line('dominance of T3b over T3a; T4; by class size', NULL, index('dominance', of('T3b', 'class_size'), of('T3a', 'class_size')) || '; '
	|| index('dominance', of('T3b', 'class_size'), of('T4', 'class_size')));
SELECT line('dominance of the sets of class size and utility, T3b over T3a', NULL, anonopt.set_dominance(ARRAY[
	index('dominance', of('T3b', 'class_size'), of('T3a', 'class_size')), index('dominance', of('T3b', 'utility'), of('T3a', 'utility'))]));
