-- demo.sql: from a table to a view that others may read, and a report
--
-- Run by demo/run.  A section is a heading, which says what to expect, and
-- statements, which psql shows before their results. Results between \o
-- /dev/null and \o are not worth seeing.  The report goes to the file :report.

\pset pager off
\pset footer off
\pset null NULL
SET client_min_messages = warning;
\i demo/hospital.sql
\set ECHO queries

\echo
\echo '== 1. The table =='
\echo '20,000 discharges of an invented hospital.  Names are gone, yet anyone who knows'
\echo 'a patient''s age, town, job and day of admission finds the diagnosis.'
\echo

SELECT age, sex, postcode, admitted, profession, diagnosis
FROM hospital WHERE patient_id <= 12 ORDER BY patient_id;

\echo '== 2. Hierarchies =='
\echo 'How each of these columns can be generalized, level by level: one table per column,'
\echo 'built by a function or by hand.  Level 0 is the value itself.'
\echo

CREATE EXTENSION anonopt;
\o /dev/null
SELECT anonopt.create_interval_hierarchy('age_levels', 0, 119, '{5,10,20,40}');
SELECT anonopt.create_mask_hierarchy('postcode_levels', 'hospital', 'postcode');
SELECT anonopt.create_date_hierarchy('admitted_levels', '2022-01-01', '2024-12-31',
	'{month,quarter,year}');
SELECT anonopt.create_tree_hierarchy('profession_levels', 'profession_tree');
\o
CREATE TABLE sex_levels (sex text PRIMARY KEY, anyone text NOT NULL);
INSERT INTO sex_levels VALUES ('female', '*'), ('male', '*'), ('other', '*');

\echo
\echo 'One patient''s labels, level by level:'
\echo

SELECT level,
	anonopt.generalize(age, 'age_levels', least(level, 5)) AS age,
	anonopt.generalize(sex, 'sex_levels', least(level, 1)) AS sex,
	anonopt.generalize(postcode, 'postcode_levels', level) AS postcode,
	anonopt.generalize(admitted, 'admitted_levels', least(level, 4)) AS admitted,
	anonopt.generalize(profession, 'profession_levels', least(level, 3)) AS profession
FROM hospital, generate_series(0, 5) AS level
WHERE patient_id = 4 ORDER BY level;

\echo '== 3. The data set =='
\echo 'Declared once: what others may know (quasi-identifiers), what they must not learn'
\echo '(sensitive), and how many patients may be left out (here one in a hundred).'
\echo

\o /dev/null
SELECT anonopt.create_dataset('hospital', 'hospital',
	max_suppression => 0.01, person => 'patient_id');
SELECT anonopt.add_quasi_identifier('hospital', 'age', 'age_levels');
SELECT anonopt.add_quasi_identifier('hospital', 'sex', 'sex_levels');
SELECT anonopt.add_quasi_identifier('hospital', 'postcode', 'postcode_levels');
SELECT anonopt.add_quasi_identifier('hospital', 'admitted', 'admitted_levels');
SELECT anonopt.add_quasi_identifier('hospital', 'profession', 'profession_levels');
SELECT anonopt.add_sensitive('hospital', 'diagnosis');
SELECT anonopt.set_class_label('hospital', 'discharged_to');
SELECT anonopt.set_identifier('hospital', 'patient_id');
\o
SELECT column_name, role, hierarchy, levels, domain, observed, nulls
FROM anonopt.describe('hospital');

\echo '== 4. The trade-off =='
\echo 'Every combination of levels is a node.  pareto() finds the exact front: the nodes that'
\echo 'no other beats in privacy (k, the size of the smallest group that looks alike) and'
\echo 'loss (0 % for the unchanged table, 100 % if every cell shows just *) at once.'
\echo

SELECT levels, k, l, suppressed, classes, to_char(100 * nwp, '990.0') AS "loss %"
FROM anonopt.pareto('hospital', '{k,nwp}') WHERE k BETWEEN 2 AND 1000;
SELECT nodes, evaluated, round(search_ms::numeric) AS "search, ms" FROM anonopt.last_search();

\echo 'If you know what you must promise, ask for the node that loses least.'
\echo

SELECT levels, k, l, suppressed, classes, to_char(100 * nwp, '990.0') AS "loss %"
FROM anonopt.optimize('hospital', k => 5);

\echo 'A local recoding generalizes each class separately.  For the same k it loses far less; the'
\echo 'picture in the report shows both curves.'
\echo

SELECT asked AS k, to_char(100 * node.nwp, '990.0') AS "best node, loss %", to_char(100 * recoding.nwp, '990.0') AS "local recoding, loss %"
FROM unnest('{2,5,10,50}'::int[]) AS asked, anonopt.optimize('hospital', k => asked, loss => 'nwp') AS node,
	anonopt.recoding_curve('hospital', ARRAY[asked], loss => 'nwp') AS recoding;

-- The node that the rest of the demo uses
\set ECHO none
SELECT levels FROM anonopt.optimize('hospital', k => 5) \gset
\set ECHO queries

\echo '== 5. One node, measured =='
\echo 'The best for k = 5.  l counts the different diagnoses in the poorest group; asking'
\echo 'for l = 3 as well leaves out the groups that have fewer.'
\echo

SELECT wanted, k, l, round(t::numeric, 3) AS t, suppressed, classes,
	to_char(100 * nwp, '990.0') AS "loss %", feasible
FROM (SELECT 'k = 5' AS wanted, * FROM anonopt.evaluate('hospital', :'levels', k => 5)
	UNION ALL
	SELECT 'k = 5, l = 3', * FROM anonopt.evaluate('hospital', :'levels', k => 5, l => 3)) AS both_ways;

\echo '== 6. What others see =='
\echo 'The release: a view of the classes that keep the promise, in an order that reveals nothing.'
\echo

SELECT anonopt.create_view('hospital_public', 'hospital', levels => :'levels', k => 5);
SELECT age, sex, postcode, admitted, profession, count(*), count(DISTINCT diagnosis) AS diagnoses
FROM hospital_public GROUP BY 1, 2, 3, 4, 5 ORDER BY 6, 1, 2, 3, 4, 5 LIMIT 5;

\echo 'Measured again on the view, by plain SQL; and its comment:'
\echo

SELECT promised_k, k, l, rows, ok FROM anonopt.verify('hospital_public');
SELECT split_part(obj_description('hospital_public'::regclass), ': ', 2) || ': '
	|| split_part(obj_description('hospital_public'::regclass), ': ', 3) AS promise;

\echo '== 7. Who may read =='
\echo 'A role that sees the release but none of the data behind it.'
\echo

\o /dev/null
CREATE ROLE demo_researcher;
GRANT SELECT ON hospital_public TO demo_researcher;
SET ROLE demo_researcher;
\o
SELECT has_table_privilege('hospital', 'SELECT') AS may_read_patients,
	has_table_privilege('hospital_public', 'SELECT') AS may_read_release;
SELECT discharged_to, count(*) FROM hospital_public GROUP BY 1 ORDER BY 2 DESC;
RESET ROLE;

\echo
\echo '== 8. Two releases =='
\echo 'Another view keeps the same promise; it shows ages in more detail, and professions in less.'
\echo 'Anyone who has both knows more than either reveals.'
\echo

\set ECHO none
SELECT levels AS other FROM anonopt.pareto('hospital', '{k,glm}') WHERE k >= 5 AND levels <> :'levels' ORDER BY glm LIMIT 1 \gset
\set ECHO queries
\o /dev/null
SELECT anonopt.create_view('hospital_other', 'hospital', levels => :'other', k => 5);
\o
SELECT * FROM anonopt.release_risk('hospital');
\o /dev/null
SELECT anonopt.drop_release('hospital_other');
\o

\echo
\echo '== 9. A report =='
\echo 'One page for a browser: the declaration, the risk, the front as a picture, the release.'
\echo

SELECT anonopt.report('hospital') \g (format=unaligned tuples_only=on) :report
\set ECHO none
DROP OWNED BY demo_researcher;
DROP ROLE demo_researcher;
