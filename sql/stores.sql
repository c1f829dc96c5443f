-- Tuple stores: errors, and why one is not read.
SET search_path = public;
\set SHOW_CONTEXT never
CREATE ROLE regress_owner;
CREATE ROLE regress_other;
GRANT CREATE ON SCHEMA public TO regress_owner, regress_other;

SELECT anonopt.create_interval_hierarchy('sojourner_ages', 0, 99, '{10,50}') \g /dev/null
GRANT SELECT ON sojourner_ages TO PUBLIC;
CREATE TABLE sojourner (id int, age int, town text);
INSERT INTO sojourner SELECT i, i % 90, 'T' || i % 7 FROM generate_series(1, 1000) i;
SELECT anonopt.create_dataset('sojourners', 'sojourner', 0) \g /dev/null

-- arguments
SELECT anonopt.create_tuple_store('nobody');
SELECT anonopt.create_tuple_store(NULL);
SELECT anonopt.create_tuple_store('sojourners', NULL);
SELECT anonopt.create_tuple_store('sojourners');
SELECT anonopt.refresh_tuple_store('sojourners');
SELECT anonopt.drop_tuple_store('sojourners');
SELECT anonopt.count_changes();

SELECT anonopt.add_quasi_identifier('sojourners', 'age', 'sojourner_ages'), anonopt.add_sensitive('sojourners', 'town') \g /dev/null
SELECT anonopt.create_tuple_store('sojourners', track => true);
SELECT anonopt.create_tuple_store('sojourners');
SELECT column_name, role, hierarchy, problem FROM anonopt.describe('sojourners');
\t \a
SELECT anonopt.read_sql('sojourners');
\t \a
SELECT tgname, tgenabled FROM pg_trigger WHERE tgrelid = 'sojourner'::regclass ORDER BY tgname;

-- what is appended, and compacted
INSERT INTO sojourner VALUES (1, 99, 'T1'), (2, 99, 'T1');
UPDATE sojourner SET id = id + 1;
DELETE FROM sojourner WHERE age = 99;
SELECT count(*), sum(n) FROM anonopt_tuples_1 WHERE age = 99;
\t \a
SELECT anonopt.read_sql('sojourners');
\t \a
SELECT anonopt.refresh_tuple_store('sojourners');
SELECT count(*), sum(n) FROM anonopt_tuples_1 WHERE age = 99;
SELECT k, suppressed, classes FROM anonopt.evaluate('sojourners', '{1}');
SELECT count(*) > 0 AS found FROM anonopt.pareto('sojourners');
SELECT rows, tuples FROM anonopt.last_search();

-- what cannot have one
CREATE UNLOGGED TABLE st_light (age int);
CREATE TEMP TABLE brief (age int);
CREATE VIEW st_shown AS SELECT age FROM sojourner;
CREATE MATERIALIZED VIEW st_kept AS SELECT age FROM sojourner;
CREATE TABLE st_whole (age int) PARTITION BY LIST (age);
CREATE TABLE st_part PARTITION OF st_whole DEFAULT;
CREATE TABLE st_parent (age int);
CREATE TABLE st_child () INHERITS (st_parent);
CREATE FUNCTION try(relation regclass) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
BEGIN
	PERFORM anonopt.create_dataset('try', relation), anonopt.add_quasi_identifier('try', 'age', 'sojourner_ages'), anonopt.create_tuple_store('try', true);
	RETURN 'created';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = pg_exception_detail;
	RETURN concat_ws(' ', sqlstate, sqlerrm, '-', detail);
END $$;
SELECT regexp_replace(try('brief'), 'pg_temp_\d+', 'pg_temp');
SELECT r, try(r) FROM unnest('{st_light,st_shown,st_kept,st_whole,st_part,st_parent,st_child}'::regclass[]) r;
DROP FUNCTION try;
SELECT anonopt.create_dataset('counted', 'sojourner', count_column => 'id'), anonopt.add_quasi_identifier('counted', 'age', 'sojourner_ages') \g /dev/null
SELECT anonopt.create_tuple_store('counted', true);
ALTER TABLE sojourner ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE sojourner OWNER TO regress_owner;
SET ROLE regress_owner;
SELECT anonopt.refresh_tuple_store('sojourners');
RESET ROLE;
ALTER TABLE sojourner DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY;

-- ownership
SELECT problem FROM anonopt.describe('sojourners') WHERE role = 'tuple_store';
SET ROLE regress_other;
SELECT anonopt.refresh_tuple_store('sojourners');
SELECT anonopt.drop_tuple_store('sojourners');
SELECT * FROM anonopt.tuple_store;
CREATE TABLE st_mine (age int);
CREATE TRIGGER t AFTER INSERT ON st_mine FOR EACH STATEMENT EXECUTE FUNCTION anonopt.count_changes('1');
RESET ROLE;
SET ROLE regress_owner;
SELECT anonopt.create_tuple_store('sojourners');
SELECT anonopt.refresh_tuple_store('sojourners');
RESET ROLE;
SELECT problem IS NULL AS current FROM anonopt.describe('sojourners') WHERE role = 'tuple_store';

-- a relation that gets a parent, or loses a column
ALTER TABLE sojourner INHERIT st_parent;
ALTER TABLE sojourner RENAME COLUMN town TO place;
INSERT INTO sojourner VALUES (1, 1, 'T1');
SELECT role, problem FROM anonopt.describe('sojourners');
ALTER TABLE sojourner RENAME COLUMN place TO town;
SELECT role, problem FROM anonopt.describe('sojourners');
ALTER TABLE sojourner DROP COLUMN town;
SELECT anonopt.refresh_tuple_store('sojourners');
SELECT anonopt.drop_attribute('sojourners', 'town'), anonopt.drop_tuple_store('sojourners');
SELECT anonopt.create_tuple_store('sojourners');
SET anonopt.read_mode = store;
\set VERBOSITY terse
SELECT sum(k) FROM anonopt.evaluate('sojourners', '{2}');
RESET anonopt.read_mode;

SELECT anonopt.drop_dataset('counted') \g /dev/null
DROP TABLE sojourner CASCADE;
SELECT to_regclass('anonopt_tuples_2') IS NULL AS gone;
SELECT anonopt.drop_dataset('sojourners') \g /dev/null
SELECT count(*) FROM anonopt.tuple_store;
DROP TABLE brief, st_mine, st_light, st_whole, st_child, st_parent, sojourner_ages;
REVOKE CREATE ON SCHEMA public FROM regress_owner, regress_other;
DROP ROLE regress_owner, regress_other;
