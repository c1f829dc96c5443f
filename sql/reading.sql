-- How a data set is read: modes, statements, and what is refused.
SET search_path = public;
\pset null NULL
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE TABLE boarder (id int, age int, rent numeric, street text, mood text, stays boolean);
INSERT INTO boarder SELECT i, nullif(20 + i % 7, 26), i * 7 % 101, 'S' || i % 4, nullif('m' || i % 3, 'm2'), i % 5 > 0 FROM generate_series(1, 120) i;
SELECT anonopt.create_interval_hierarchy('boarder_age', 20, 29, '{5}'), anonopt.create_mask_hierarchy('boarder_street', 'boarder', 'street') \g /dev/null
SELECT anonopt.create_range_hierarchy('boarder_rent', 0, 100, 25, '{50}') \g /dev/null
SELECT anonopt.create_dataset('boarders', 'boarder', 0.05) \g /dev/null
SELECT anonopt.add_quasi_identifier('boarders', 'age', 'boarder_age'), anonopt.add_quasi_identifier('boarders', 'rent', 'boarder_rent'),
	anonopt.add_quasi_identifier('boarders', 'street', 'boarder_street') \g /dev/null
SELECT anonopt.add_sensitive('boarders', 'mood'), anonopt.set_class_label('boarders', 'stays') \g /dev/null

-- modes
SHOW anonopt.read_mode;
\pset format unaligned
SELECT anonopt.read_sql('boarders');
\pset format aligned
SET anonopt.read_mode = aggregate;
\pset format unaligned
SELECT anonopt.read_sql('boarders');
\pset format aligned
SELECT levels, k, l, round(t::numeric, 3) AS t, suppressed, classes, cm FROM anonopt.evaluate('boarders', '{{1,1,0},{1,2,1}}');
SET anonopt.read_mode = group_by;
\pset format unaligned
SELECT anonopt.read_sql('boarders');
\pset format aligned
SELECT levels, k, l, round(t::numeric, 3) AS t, suppressed, classes, cm FROM anonopt.evaluate('boarders', '{{1,1,0},{1,2,1}}');
SET anonopt.read_mode = 'often';
SET anonopt.read_mode = '';
RESET anonopt.read_mode;
-- a sensitive column of ranges is read as it is too; numbers of people are added up
SELECT anonopt.add_sensitive('boarders', 'rent', 'ordered', 'boarder_rent') \g /dev/null
SELECT anonopt.create_dataset('heads', 'boarder', count_column => 'id'), anonopt.add_quasi_identifier('heads', 'age', 'boarder_age') \g /dev/null
BEGIN;
SET LOCAL anonopt.read_mode = group_by;
\pset format unaligned
SELECT anonopt.read_sql('boarders');
SELECT anonopt.read_sql('heads');
\pset format aligned
ROLLBACK;
SELECT anonopt.drop_attribute('boarders', 'rent', 'sensitive') \g /dev/null
-- a partitioned table, of which every leaf is here
CREATE TABLE lodger (age int, street text) PARTITION BY LIST (street);
CREATE TABLE lodger_s1 PARTITION OF lodger FOR VALUES IN ('S1');
CREATE TABLE lodger_rest PARTITION OF lodger DEFAULT;
INSERT INTO lodger SELECT age, street FROM boarder;
SELECT anonopt.create_dataset('lodgers', 'lodger'), anonopt.add_quasi_identifier('lodgers', 'age', 'boarder_age') \g /dev/null
\pset format unaligned
SELECT anonopt.read_sql('lodgers');
\pset format aligned
BEGIN;
SET LOCAL anonopt.read_mode = group_by;
\pset format unaligned
SELECT anonopt.read_sql('lodgers');
\pset format aligned
SELECT levels, k FROM anonopt.lattice('lodgers');
ROLLBACK;
SELECT anonopt.read_sql('nobody');
SELECT anonopt.read_sql(NULL);

-- values without a leaf, told by their bucket
BEGIN;
INSERT INTO boarder (rent) VALUES (-1), (101), ('NaN');
SET LOCAL anonopt.read_mode = aggregate;
SELECT levels FROM anonopt.evaluate('boarders', '{0,0,0}');
ROLLBACK;
BEGIN;
INSERT INTO boarder (rent) VALUES (-1);
SET LOCAL anonopt.read_mode = group_by;
SELECT levels FROM anonopt.evaluate('boarders', '{0,0,0}');
ROLLBACK;

SELECT anonopt.drop_dataset(dataset) FROM anonopt.dataset \g /dev/null
