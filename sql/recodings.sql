-- Local recodings: tables that assign tuples to classes.
CREATE EXTENSION IF NOT EXISTS btree_gist;
SET client_min_messages = notice;
SET anonopt.max_workers = 0;

CREATE SCHEMA recode;
SET search_path = recode;
CREATE TABLE zips (zip text PRIMARY KEY, area text NOT NULL, whole text NOT NULL);
INSERT INTO zips VALUES ('100', '10*', '*'), ('101', '10*', '*'), ('200', '20*', '*'), ('201', '20*', '*');
SELECT anonopt.create_interval_hierarchy('ages', 20, 27, '{2,4}') \g /dev/null
CREATE TABLE people (id int, age smallint, zip varchar(3) COLLATE "C", illness text);
INSERT INTO people VALUES
	(1, 20, '100', 'flu'), (2, 21, '100', 'flu'), (3, 21, '101', 'cold'), (4, 23, '101', 'flu'),
	(5, 24, '200', 'cold'), (6, 24, '200', 'flu'), (7, 26, '201', 'cold'), (8, 27, '201', 'gout');
SELECT anonopt.create_dataset('recode', 'people', max_suppression => 0) \g /dev/null
SELECT anonopt.add_quasi_identifier('recode', 'age', 'ages') \g /dev/null
SELECT anonopt.add_quasi_identifier('recode', 'zip', 'zips') \g /dev/null
SELECT anonopt.add_sensitive('recode', 'illness') \g /dev/null

-- the two of one tuple, the pair 26 and 27, and four of whom two pairs can be made
SELECT anonopt.create_recoding('r2', 'recode', k => 2, seed => 1);
SELECT * FROM r2 ORDER BY class, age, zip;
SELECT * FROM anonopt.recoding_classes('recode', 'r2');
SELECT k, l, suppressed, classes, glm, feasible FROM anonopt.evaluate_recoding('recode', 'r2');
-- ranges: what is shown is no label
SELECT anonopt.create_recoding('r2_range', 'recode', k => 2, labels => 'range', seed => 1);
SELECT * FROM anonopt.recoding_classes('recode', 'r2_range', 'range');
SELECT k, classes, glm FROM anonopt.evaluate_recoding('recode', '{r2,r2_range}', labels => 'range');
SELECT k, classes, glm FROM anonopt.evaluate_recoding('recode', ARRAY['r2', 'r2_range']::regclass[]);
SELECT algorithm, dataset, rows, tuples, workers, exact, seed FROM anonopt.last_search();
-- diversity, and a loss that follows from it
SELECT anonopt.create_recoding('r2_l2', 'recode', k => 2, l => 2, seed => 1);
SELECT k, l, classes, glm, feasible FROM anonopt.evaluate_recoding('recode', 'r2_l2', k => 2, l => 2);
-- types, collations and rights of the table created
SELECT attname, format_type(atttypid, atttypmod), attcollation::regcollation
FROM pg_attribute WHERE attrelid = 'r2'::regclass AND attnum > 0 ORDER BY attnum;
ALTER DEFAULT PRIVILEGES IN SCHEMA recode GRANT SELECT ON TABLES TO PUBLIC;
SELECT anonopt.create_recoding('r2_closed', 'recode', k => 2, seed => 1);
SELECT relacl IS NULL OR relacl::text NOT LIKE '%=r/%' AS closed FROM pg_class WHERE oid = 'r2_closed'::regclass;
ALTER DEFAULT PRIVILEGES IN SCHEMA recode REVOKE SELECT ON TABLES FROM PUBLIC;

-- a node's classes as a recoding keep the same, and lose less: each is shown by what covers it
CREATE TABLE node AS SELECT age, zip, dense_rank() OVER (ORDER BY anonopt.generalize(age, 'ages', 1), zip) + 100 AS class
FROM (SELECT DISTINCT age, zip FROM people) s;
SELECT k, l, entropy_l, t, suppressed, classes, glm, dcn, necd, sum_k, sum_l, feasible, sum_other
FROM anonopt.evaluate('recode', '{1,0}', k => 2)
UNION ALL
SELECT k, l, entropy_l, t, suppressed, classes, glm, dcn, necd, sum_k, sum_l, feasible, sum_other
FROM anonopt.evaluate_recoding('recode', 'node', k => 2);
-- cuts, several at once
SELECT levels, k, classes, glm FROM anonopt.evaluate_cuts('recode',
	ARRAY[[B'0001000', B'010'], [B'0000000', B'010']]::varbit[]);

-- person by person: beside nodes, cuts and each other
SELECT p.id, s.value AS size, f.value AS same, l.value AS loss, c.value AS cut_size
FROM people p
JOIN anonopt.property_vector('recode', NULL, 'class_size', 'id', recoding => 'r2') s ON s.record = p.id::text
JOIN anonopt.property_vector('recode', NULL, 'sensitive_count', 'id', recoding => 'r2') f USING (record)
JOIN anonopt.property_vector('recode', NULL, 'loss', 'id', recoding => 'r2', labels => 'range') l USING (record)
JOIN anonopt.property_vector('recode', NULL, 'class_size', 'id', cuts => ARRAY[B'0001000', B'010']) c USING (record)
ORDER BY p.id;
SELECT property, index, a_over_b, b_over_a, better, a_levels, b_levels
FROM anonopt.compare('recode', 'r2'::regclass, 'r2_l2'::regclass) WHERE index IN ('p_cov', 'p_spr', 'dominance');
SELECT property, index, a_over_b, b_over_a, better, a_levels, b_levels
FROM anonopt.compare('recode', '{2,1}', 'r2_l2', '{loss,sensitive_count}') WHERE index IN ('p_cov', 'p_spr', 'p_rank');
-- suppressed people are one class, which has lost everything
CREATE TABLE lost AS SELECT age, zip, CASE WHEN class <> 2 THEN class END AS class FROM r2;
SELECT p.id, s.value AS size, f.value AS same, l.value AS loss FROM people p
JOIN anonopt.property_vector('recode', NULL, 'class_size', 'id', recoding => 'lost') s ON s.record = p.id::text
JOIN anonopt.property_vector('recode', NULL, 'sensitive_count', 'id', recoding => 'lost') f USING (record)
JOIN anonopt.property_vector('recode', NULL, 'loss', 'id', recoding => 'lost') l USING (record)
ORDER BY p.id;
SELECT anonopt.property_vector('recode', '{1,1}', 'loss', recoding => 'r2');
SELECT anonopt.property_vector('recode', NULL, 'loss');

-- new people
INSERT INTO people VALUES (9, 22, '100', 'gout'), (10, 25, '200', 'flu');
SELECT k FROM anonopt.evaluate_recoding('recode', 'r2');
SELECT anonopt.extend_recoding('r2', 'recode', k => 2, seed => 1);
SELECT * FROM r2 ORDER BY class, age, zip;
SELECT k, classes, glm, feasible FROM anonopt.evaluate_recoding('recode', 'r2', k => 2);
SELECT anonopt.extend_recoding('r2', 'recode', k => 2, seed => 1);
-- rows whose tuple is not in the data are ignored
INSERT INTO r2 VALUES (27, '100', 77);
SELECT k, classes FROM anonopt.evaluate_recoding('recode', 'r2', k => 2);

-- rules and triggers must not change the rows written
CREATE TABLE ruled AS SELECT * FROM r2 WHERE age <> 25;
CREATE RULE nothing AS ON INSERT TO ruled DO INSTEAD NOTHING;
SELECT anonopt.extend_recoding('ruled', 'recode', k => 2, seed => 1);
DROP RULE nothing ON ruled;
CREATE FUNCTION no_row() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER no_row BEFORE INSERT ON ruled FOR EACH ROW EXECUTE FUNCTION no_row();
SELECT anonopt.extend_recoding('ruled', 'recode', k => 2, seed => 1);
DROP TRIGGER no_row ON ruled;
-- the last number that a class can have
UPDATE ruled SET class = 9223372036854775806 WHERE class = 1;
SELECT anonopt.extend_recoding('ruled', 'recode', k => 2, seed => 1);
DELETE FROM ruled WHERE age IN (22, 25) OR age = 24;
UPDATE ruled SET class = 9223372036854775807 WHERE class = 9223372036854775806;
SELECT anonopt.extend_recoding('ruled', 'recode', k => 1, seed => 1);
DROP TABLE ruled;
DROP FUNCTION no_row();
-- class may be any integer: the same classes, measures and extensions
CREATE DOMAIN number AS int CHECK (VALUE < 9);
CREATE TABLE class_int2 AS SELECT age, zip, class::smallint FROM r2 WHERE age <> 25;
CREATE TABLE class_int4 AS SELECT age, zip, class::int FROM r2 WHERE age <> 25;
CREATE TABLE class_int8 AS SELECT age, zip, class FROM r2 WHERE age <> 25;
CREATE TABLE class_domain AS SELECT age, zip, class::number FROM r2 WHERE age <> 25 AND class < 9;
SELECT r, anonopt.extend_recoding(r, 'recode', k => 2, seed => 1) FROM unnest('{class_int2,class_int4,class_int8,class_domain}'::regclass[]) r;
SELECT count(DISTINCT e::text) AS measures FROM anonopt.evaluate_recoding('recode', '{class_int2,class_int4,class_int8,class_domain}') e;
SELECT count(*) AS differing FROM (SELECT age, zip, class::bigint FROM class_int2 UNION TABLE class_int4 UNION TABLE class_int8 EXCEPT TABLE class_int8) d;
SELECT anonopt.publish_table('class_shown', 'recode', k => 2, recoding => 'class_int2');
SELECT promised_k, k, ok FROM anonopt.verify('class_shown');
SELECT anonopt.drop_release('class_shown');
DELETE FROM class_int2 WHERE age IN (22, 25) OR age = 24;
UPDATE class_int2 SET class = 32767 WHERE class = 1;
SELECT anonopt.extend_recoding('class_int2', 'recode', k => 1, seed => 1);
UPDATE class_domain SET class = 8 WHERE class = 1;
DELETE FROM class_domain WHERE age IN (22, 25) OR age = 24;
SELECT anonopt.extend_recoding('class_domain', 'recode', k => 1, seed => 1);
ALTER TABLE class_int4 ALTER class TYPE numeric;
SELECT anonopt.evaluate_recoding('recode', 'class_int4');
DROP TABLE class_int2, class_int4, class_int8, class_domain;
DROP DOMAIN number;

-- faults
SELECT anonopt.create_recoding('r2', 'recode', k => 2);
SELECT anonopt.create_recoding('nowhere.r', 'recode', k => 2);
SELECT anonopt.create_recoding('r', 'recode');
SELECT anonopt.create_recoding('r', 'recode', k => 2, loss => 'necd');
SELECT anonopt.create_recoding('r', 'recode', k => 2, loss => 'cm');
SELECT anonopt.create_recoding('r', 'recode', k => 2, labels => 'mine');
SELECT anonopt.create_recoding('r', 'recode', k => 11);
SELECT anonopt.create_recoding('r', 'recode', k => 2, l => 4);
SELECT anonopt.create_recoding('r', 'recode', k => 2, time_limit => '-1 s');
SELECT anonopt.create_recoding('r', 'recode', k => 2, effort => 'Infinity');
SELECT anonopt.create_recoding('r', 'nothing', k => 2);
SELECT to_regclass('r') IS NULL AS nothing_is_left;
CREATE TABLE bad (LIKE r2);
INSERT INTO bad SELECT * FROM r2;
INSERT INTO bad SELECT * FROM bad WHERE age = 20;
SELECT * FROM anonopt.evaluate_recoding('recode', 'bad');
UPDATE bad SET class = 99 WHERE ctid = (SELECT max(ctid) FROM bad WHERE age = 20);
SELECT * FROM anonopt.evaluate_recoding('recode', 'bad');
DELETE FROM bad WHERE age = 20;
SELECT * FROM anonopt.evaluate_recoding('recode', 'bad');
INSERT INTO bad VALUES (99, '100', 1);
SELECT * FROM anonopt.evaluate_recoding('recode', 'bad');
ALTER TABLE bad ALTER age TYPE text;
SELECT * FROM anonopt.evaluate_recoding('recode', 'bad');
ALTER TABLE bad ADD remark text, DROP age;
SELECT * FROM anonopt.evaluate_recoding('recode', 'bad');
ALTER TABLE bad ADD age smallint;
SELECT * FROM anonopt.evaluate_recoding('recode', 'bad');
CREATE VIEW as_view AS SELECT * FROM r2;
SELECT * FROM anonopt.evaluate_recoding('recode', 'as_view');
SELECT * FROM anonopt.evaluate_recoding('recode', 'absent');
SELECT * FROM anonopt.recoding_classes('recode', 'r2', 'mine');
SELECT * FROM anonopt.evaluate_recoding('recode', ARRAY[['r2'], ['r2']]::regclass[]);
-- a class that mixes what no label covers
CREATE TABLE split (zip text PRIMARY KEY, area text NOT NULL);
INSERT INTO split SELECT zip, area FROM zips;
SELECT anonopt.create_dataset('split', 'people') \g /dev/null
SELECT anonopt.add_quasi_identifier('split', 'zip', 'split') \g /dev/null
CREATE TABLE mixed (zip varchar(3), class bigint);
INSERT INTO mixed VALUES ('100', 1), ('101', 2), ('200', 1), ('201', NULL);
SELECT * FROM anonopt.evaluate_recoding('split', 'mixed');
SELECT * FROM anonopt.recoding_classes('split', 'mixed', 'range');
SELECT k, suppressed, classes, feasible FROM anonopt.evaluate_recoding('split', 'mixed', 1, labels => 'range');
-- a quasi-identifier that is called class
CREATE VIEW classes AS SELECT zip AS class FROM people;
SELECT anonopt.create_dataset('classes', 'classes') \g /dev/null
SELECT anonopt.add_quasi_identifier('classes', 'class', 'zips') \g /dev/null
SELECT anonopt.create_recoding('r', 'classes', k => 2);

-- somebody else's table
CREATE ROLE regress_recoder;
GRANT USAGE ON SCHEMA recode TO regress_recoder;
GRANT SELECT ON people, ages, zips TO regress_recoder;
SET ROLE regress_recoder;
SELECT * FROM anonopt.evaluate_recoding('recode', 'r2');
SELECT anonopt.extend_recoding('r2', 'recode', k => 2);
SELECT anonopt.create_recoding('recode.r', 'recode', k => 2);
RESET ROLE;
GRANT SELECT ON r2 TO regress_recoder;
SET ROLE regress_recoder;
SELECT k, classes FROM anonopt.evaluate_recoding('recode', 'r2');
RESET ROLE;

-- ranges as leaves: values of one leaf go together, each with its row
SELECT anonopt.create_range_hierarchy('weights', 40, 120, 10, '{20,40}') \g /dev/null
CREATE TABLE weighed (weight numeric);
INSERT INTO weighed VALUES (41.5), (43), (47), (61), (61.0), (85), (86), (NULL), (NULL);
SELECT anonopt.create_dataset('weighed', 'weighed', max_suppression => 0) \g /dev/null
SELECT anonopt.add_quasi_identifier('weighed', 'weight', 'weights') \g /dev/null
SELECT anonopt.create_recoding('w2', 'weighed', k => 2, seed => 5);
SELECT * FROM w2 ORDER BY class, weight;
SELECT * FROM anonopt.recoding_classes('weighed', 'w2');
UPDATE w2 SET class = 9 WHERE weight = 43;
SELECT * FROM anonopt.recoding_classes('weighed', 'w2');

-- published: errors, which leave nothing behind
SELECT anonopt.create_recoding('w3', 'weighed', k => 2, seed => 5);
CREATE VIEW w3_view AS TABLE w3;
CREATE TABLE w3_short AS SELECT * FROM w3 WHERE weight IS NOT NULL;
CREATE TABLE w3_twice AS TABLE w3 UNION ALL (SELECT * FROM w3 LIMIT 1);
CREATE TABLE w3_other AS SELECT weight::text, class FROM w3;
SELECT anonopt.publish_table('shown', 'weighed', recoding => 'w2');
SELECT anonopt.publish_table('shown', 'weighed', recoding => 'w3_view');
SELECT anonopt.publish_table('shown', 'weighed', recoding => 'w3_short');
SELECT anonopt.publish_table('shown', 'weighed', recoding => 'w3_twice');
SELECT anonopt.publish_table('shown', 'weighed', recoding => 'w3_other');
SELECT anonopt.publish_table('shown', 'weighed', recoding => 'w3', labels => 'mine');
SELECT anonopt.publish_table('shown', 'weighed', '{1}', recoding => 'w3');
SELECT anonopt.publish_table('shown', 'weighed', k => 100, recoding => 'w3');
GRANT SELECT ON weighed, w3 TO regress_recoder;
GRANT CREATE ON SCHEMA recode TO regress_recoder;
SET ROLE regress_recoder;
SELECT anonopt.publish_table('shown', 'weighed', recoding => 'w3');
RESET ROLE;
SELECT anonopt.publish_table('shown', 'weighed', recoding => 'w3') \g /dev/null
SELECT * FROM shown ORDER BY 1;
SELECT levels, cuts, k, recoding, labels FROM anonopt.release WHERE release = 'shown'::regclass;
-- its recoding spoilt, and gone
DELETE FROM weighed WHERE weight = 61;
INSERT INTO weighed VALUES (62), (118);
ALTER TABLE w3 ADD note text;
SELECT anonopt.refresh_release('shown');
ALTER TABLE w3 DROP note;
SET anonopt.composition = off;
SELECT anonopt.refresh_release('shown') \g /dev/null
SELECT * FROM shown ORDER BY 1;
DROP VIEW w3_view;
DROP TABLE w3;
SELECT anonopt.refresh_release('shown');
SELECT anonopt.drop_release('shown') \g /dev/null
RESET anonopt.composition;

-- rows that do not say how many people they stand for
CREATE TABLE headed (age int, heads int);
INSERT INTO headed SELECT 21, 3 FROM generate_series(1, 2);
SELECT anonopt.create_dataset('headed', 'headed', count_column => 'heads'), anonopt.add_quasi_identifier('headed', 'age', 'ages') \g /dev/null
\set VERBOSITY terse
INSERT INTO headed VALUES (22, NULL);
SELECT anonopt.create_recoding('headed_k2', 'headed', k => 2);
UPDATE headed SET heads = -1 WHERE heads IS NULL;
SELECT anonopt.create_recoding('headed_k2', 'headed', k => 2);
\set VERBOSITY default
SELECT anonopt.drop_dataset('headed') \g /dev/null
DROP TABLE headed;
SELECT anonopt.drop_dataset(d) FROM unnest('{recode,split,classes,weighed}'::text[]) d \g /dev/null
DROP SCHEMA recode CASCADE;
DROP ROLE regress_recoder;
