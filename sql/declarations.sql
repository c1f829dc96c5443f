-- Declarations: what is stored, refused, and missing later.
SET search_path = public;
\pset null NULL
CREATE TABLE patient (id int PRIMARY KEY, zip text, age int, sex char(1), illness text, weight int DEFAULT 1);
INSERT INTO patient VALUES (1, '47906', 20, 'f', 'flu'), (2, '47905', 21, 'f', 'flu'), (3, '47905', 25, 'm', 'cold'),
	(4, '47911', 31, 'm', NULL), (5, NULL, 33, 'm', 'flu');
SELECT anonopt.create_mask_hierarchy('patient_zip', 'patient', 'zip') \g /dev/null
SELECT anonopt.create_interval_hierarchy('patient_age', 0, 39, '{5,10}') \g /dev/null
CREATE TABLE patient_sex (sex text PRIMARY KEY, anyone text);
INSERT INTO patient_sex VALUES ('f', '*'), ('m', '*');

SELECT anonopt.create_dataset('patients', 'patient', max_suppression => 0.2, count_column => 'weight') \g /dev/null
SELECT anonopt.add_quasi_identifier('patients', 'zip', 'patient_zip', weight => 2, max_level => 4),
	anonopt.add_quasi_identifier('patients', 'age', 'patient_age', min_level => 1),
	anonopt.add_quasi_identifier('patients', 'sex', 'patient_sex') \g /dev/null
SELECT anonopt.add_sensitive('patients', 'illness', 'ordered') \g /dev/null
SELECT anonopt.set_class_label('patients', 'illness') \g /dev/null
SELECT anonopt.set_class_label('patients', 'sex') \g /dev/null
SELECT anonopt.set_identifier('patients', 'id') \g /dev/null
SELECT anonopt.set_insensitive('patients', 'weight') \g /dev/null
CREATE TABLE zip_weights (value text, weight float8);
SELECT anonopt.set_sensitivity('patients', 'zip', 'zip_weights') \g /dev/null
SELECT dataset, relation, max_suppression, person, count_column FROM anonopt.dataset;
SELECT ordinal, column_name, role, hierarchy, weight, min_level, max_level, distance, sensitivity
FROM anonopt.attribute ORDER BY ordinal;
SELECT * FROM anonopt.describe('patients');
SELECT anonopt.lattice_size('patients');
SELECT anonopt.drop_attribute('patients', 'sex', 'class_label') \g /dev/null
SELECT anonopt.drop_attribute('patients', 'weight') \g /dev/null
SELECT column_name, role FROM anonopt.attribute ORDER BY ordinal;

-- refused declarations
SELECT anonopt.create_dataset('patients', 'patient');
SELECT anonopt.create_dataset('', 'patient');
SELECT anonopt.create_dataset(NULL, 'patient');
SELECT anonopt.create_dataset('p', NULL);
SELECT anonopt.create_dataset('p', 'no_such_table');
SELECT anonopt.create_dataset('p', 'patient', 1.5);
SELECT anonopt.create_dataset('p', 'patient', 'NaN');
SELECT anonopt.create_dataset('p', 'patient_pkey');
SELECT anonopt.create_dataset('visits', 'patient', person => 'sex') \g /dev/null
SELECT anonopt.create_dataset('p', 'patient', person => 'id', count_column => 'weight');
SELECT dataset, person, count_column FROM anonopt.dataset ORDER BY dataset;
SELECT anonopt.drop_dataset('visits') \g /dev/null
SELECT anonopt.create_dataset('p', 'patient', person => 'nobody');
SELECT anonopt.create_dataset('p', 'patient', count_column => 'zip');
SELECT anonopt.add_quasi_identifier('unknown', 'zip', 'patient_zip');
SELECT anonopt.add_quasi_identifier('patients', 'nothing', 'patient_zip');
SELECT anonopt.add_quasi_identifier('patients', 'zip', 'patient_zip');
SELECT anonopt.add_quasi_identifier('patients', 'illness', 'patient_age');
SELECT anonopt.add_quasi_identifier('patients', 'illness', 'bad_h');
SELECT anonopt.add_quasi_identifier('patients', 'weight', 'patient_age', weight => -1);
SELECT anonopt.add_quasi_identifier('patients', 'weight', 'patient_age', weight => 'Infinity');
SELECT anonopt.add_quasi_identifier('patients', 'weight', 'patient_age', min_level => 3, max_level => 2);
SELECT anonopt.add_quasi_identifier('patients', 'weight', 'patient_age', max_level => 7);
SELECT anonopt.add_quasi_identifier('patients', 'weight', 'patient_age', min_level => -1);
SELECT anonopt.add_sensitive('patients', 'zip', 'euclidean');
SELECT anonopt.add_sensitive('patients', 'zip', 'hierarchical');
SELECT anonopt.set_sensitivity('patients', 'illness', 'zip_weights');
SELECT anonopt.drop_attribute('patients', 'weight');
SELECT anonopt.drop_attribute('patients', 'zip', 'hero');
SELECT anonopt.drop_dataset('unknown');

-- measuring what cannot be measured
SELECT anonopt.create_dataset('bare', 'patient') \g /dev/null
SELECT * FROM anonopt.lattice('bare');
SELECT * FROM anonopt.evaluate('unknown', '{0}');
SELECT anonopt.add_quasi_identifier('bare', 'zip', 'patient_zip', weight => 0) \g /dev/null
SELECT * FROM anonopt.lattice('bare');
SELECT anonopt.add_quasi_identifier('bare', 'age', 'patient_age') \g /dev/null
SELECT * FROM anonopt.evaluate('bare', '{0}');
SELECT * FROM anonopt.evaluate('bare', '{0,4}');
SELECT * FROM anonopt.evaluate('bare', '{-1,0}');
SELECT * FROM anonopt.evaluate('bare', '{0,NULL}');
SELECT * FROM anonopt.evaluate('bare', '{}');
SELECT * FROM anonopt.evaluate('bare', NULL);
SELECT * FROM anonopt.evaluate('bare', '{{{0,0}}}');
SELECT * FROM anonopt.evaluate('bare', '{0,0}', k => 0);
SELECT * FROM anonopt.evaluate('bare', '{0,0}', l => 2);
SELECT * FROM anonopt.evaluate('bare', '{0,0}', t => 0.2);
SELECT * FROM anonopt.evaluate('patients', '{0,1,0}', t => 1.2);
SELECT * FROM anonopt.evaluate('patients', '{0,1,0}', t => 'NaN');
SELECT * FROM anonopt.evaluate_cuts('bare', '{1,1}');
SELECT * FROM anonopt.evaluate_cuts('bare', '{111}');
SELECT * FROM anonopt.evaluate_cuts('bare', ARRAY[NULL, B'1']::varbit[]);
SELECT * FROM anonopt.node_detail('bare', '{{0,0},{1,1}}');

-- an empty relation has no rows and no error
CREATE TABLE nobody (LIKE patient);
SELECT anonopt.create_dataset('nobody', 'nobody') \g /dev/null
SELECT anonopt.add_quasi_identifier('nobody', 'age', 'patient_age') \g /dev/null
SELECT * FROM anonopt.lattice('nobody');
SELECT * FROM anonopt.evaluate('nobody', '{1}', k => 2);
SELECT * FROM anonopt.evaluate_cuts('nobody', ARRAY[repeat('1', 39)]::varbit[]);
SELECT * FROM anonopt.node_detail('nobody', '{1}');
SELECT * FROM anonopt.suppressed_classes('nobody', '{1}');
SELECT * FROM anonopt.describe('nobody');
SELECT anonopt.k_anonymity('nobody', '{age}'), anonopt.l_diversity('nobody', '{age}', 'illness'),
	anonopt.entropy_l_diversity('nobody', '{age}', 'illness'), anonopt.t_closeness('nobody', '{age}', 'illness');
SELECT * FROM anonopt.risk('nobody', '{age}');

-- values without a leaf, counts that are none
INSERT INTO patient VALUES (6, '99999', 77, 'f', 'flu'), (7, '88888', 78, 'f', 'flu');
SELECT * FROM anonopt.evaluate('bare', '{0,0}');
UPDATE patient SET zip = '47906' WHERE id > 5;
SELECT * FROM anonopt.evaluate('bare', '{0,0}');
DELETE FROM patient WHERE id > 5;
UPDATE patient SET weight = -1 WHERE id = 1;
SELECT * FROM anonopt.evaluate('patients', '{0,1,0}');
UPDATE patient SET weight = NULL WHERE id = 1;
SELECT * FROM anonopt.evaluate('patients', '{0,1,0}');
UPDATE patient SET weight = 3 WHERE id = 1;
SELECT k, classes, suppressed, sum_k FROM anonopt.evaluate('patients', '{4,1,0}');
ALTER TABLE patient DROP CONSTRAINT patient_pkey;
DELETE FROM patient WHERE zip = '47906' AND id = 5;

-- a hierarchy changes, a column is renamed, retyped, dropped
SELECT k FROM anonopt.evaluate('bare', '{2,2}');
UPDATE patient_zip SET level2 = 'all' , level3 = 'all', level4 = 'all', level5 = 'all';
SELECT k FROM anonopt.evaluate('bare', '{2,2}');
UPDATE patient_zip SET level3 = value;
SELECT k FROM anonopt.evaluate('bare', '{2,2}');
UPDATE patient_zip SET level3 = 'all';
ALTER TABLE patient ALTER age TYPE bigint;
SELECT k FROM anonopt.evaluate('bare', '{2,2}');
ALTER TABLE patient ALTER age TYPE text;
SELECT k FROM anonopt.evaluate('bare', '{2,2}');
ALTER TABLE patient ALTER age TYPE int USING age::int;
ALTER TABLE patient RENAME age TO years;
SELECT k FROM anonopt.evaluate('bare', '{2,2}');
SELECT column_name, levels, observed, problem FROM anonopt.describe('bare');
ALTER TABLE patient RENAME years TO age;
ALTER TABLE patient RENAME TO sick;
SELECT k FROM anonopt.evaluate('bare', '{2,2}');
ALTER TABLE patient_age DROP COLUMN level2;
SELECT k FROM anonopt.evaluate('bare', '{2,2}');
SELECT anonopt.add_quasi_identifier('patients', 'weight', 'patient_age', max_level => 2) \g /dev/null
ALTER TABLE patient_age DROP COLUMN level1;
SELECT k FROM anonopt.evaluate('patients', '{2,1,0,0}');
DROP TABLE patient_age;
SELECT k FROM anonopt.evaluate('bare', '{2,2}');
SELECT column_name, problem FROM anonopt.describe('bare');
DROP TABLE sick;
SELECT k FROM anonopt.evaluate('bare', '{2,2}');
SELECT column_name, problem FROM anonopt.describe('bare');

-- a relation that reuses the OID of a dropped one is not mistaken for it
CREATE TABLE heir (zip text, age int);
UPDATE anonopt.dataset SET relation = 'heir' WHERE dataset = 'bare';
SELECT k FROM anonopt.evaluate('bare', '{2,2}');
SELECT column_name, problem FROM anonopt.describe('bare');
SELECT anonopt.drop_dataset(dataset) FROM anonopt.dataset \g /dev/null
SELECT count(*) FROM anonopt.attribute;

-- automatic hierarchies whose first level shows most people alike: by a label of rare values, and in one step; not where one value does
CREATE TABLE shopper AS SELECT i AS nr, CASE WHEN i % 10 = 0 THEN 'Metropolis' ELSE 'Town ' || chr(65 + i % 26) || chr(97 + i / 26 % 26) END AS town,
	'Shop ' || translate((i % 150)::text, '0123456789', 'abcdefghij') AS shop, CASE WHEN i % 3 = 0 THEN 'Village ' || chr(65 + i % 26) || chr(97 + i / 26 % 26) ELSE 'Capital' END AS home
FROM generate_series(1, 2000) i;
SELECT column_name, reason FROM anonopt.auto_dataset('shoppers', 'shopper', '{town,shop,home}');
SELECT anonopt.drop_dataset('shoppers', hierarchies => true);
DROP TABLE shopper;
