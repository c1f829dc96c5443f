-- Tuple stores: what is refused, and why one is not read.
SET search_path = public;
\set SHOW_CONTEXT never
CREATE ROLE regress_owner;
CREATE ROLE regress_other;
GRANT CREATE ON SCHEMA public TO regress_owner, regress_other;

SELECT anonopt.create_interval_hierarchy('lodger_ages', 0, 99, '{10,50}');
GRANT SELECT ON lodger_ages TO PUBLIC;
CREATE TABLE lodger (id int, age int, town text);
INSERT INTO lodger SELECT i, i % 90, 'T' || i % 7 FROM generate_series(1, 1000) i;
SELECT anonopt.create_dataset('lodgers', 'lodger', 0);

-- arguments
SELECT anonopt.create_tuple_store('nobody');
SELECT anonopt.create_tuple_store(NULL);
SELECT anonopt.create_tuple_store('lodgers', NULL);
SELECT anonopt.create_tuple_store('lodgers');
SELECT anonopt.refresh_tuple_store('lodgers');
SELECT anonopt.drop_tuple_store('lodgers');
SELECT anonopt.count_changes();

SELECT anonopt.add_quasi_identifier('lodgers', 'age', 'lodger_ages'), anonopt.add_sensitive('lodgers', 'town');
SELECT anonopt.create_tuple_store('lodgers', track => true);
SELECT anonopt.create_tuple_store('lodgers');
SELECT column_name, role, hierarchy, problem FROM anonopt.describe('lodgers');
\t \a
SELECT anonopt.read_sql('lodgers');
\t \a
SELECT tgname, tgenabled FROM pg_trigger WHERE tgrelid = 'lodger'::regclass ORDER BY tgname;

-- what is appended, and compacted
INSERT INTO lodger VALUES (1, 99, 'T1'), (2, 99, 'T1');
UPDATE lodger SET id = id + 1;
DELETE FROM lodger WHERE age = 99;
SELECT count(*), sum(n) FROM anonopt.tuples_1 WHERE age = 99;
\t \a
SELECT anonopt.read_sql('lodgers');
\t \a
SELECT anonopt.refresh_tuple_store('lodgers');
SELECT count(*), sum(n) FROM anonopt.tuples_1 WHERE age = 99;
SELECT k, suppressed, classes FROM anonopt.evaluate('lodgers', '{1}');
SELECT count(*) > 0 AS found FROM anonopt.pareto('lodgers');
SELECT rows, tuples FROM anonopt.last_search();

-- what cannot have one
CREATE UNLOGGED TABLE st_light (age int);
CREATE TEMP TABLE brief (age int);
CREATE VIEW st_shown AS SELECT age FROM lodger;
CREATE MATERIALIZED VIEW st_kept AS SELECT age FROM lodger;
CREATE TABLE st_whole (age int) PARTITION BY LIST (age);
CREATE TABLE st_part PARTITION OF st_whole DEFAULT;
CREATE TABLE st_parent (age int);
CREATE TABLE st_child () INHERITS (st_parent);
CREATE FUNCTION try(relation regclass) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
BEGIN
	PERFORM anonopt.create_dataset('try', relation), anonopt.add_quasi_identifier('try', 'age', 'lodger_ages'), anonopt.create_tuple_store('try', true);
	RETURN 'created';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = pg_exception_detail;
	RETURN concat_ws(' ', sqlstate, sqlerrm, '-', detail);
END $$;
SELECT regexp_replace(try('brief'), 'pg_temp_\d+', 'pg_temp');
SELECT r, try(r) FROM unnest('{st_light,st_shown,st_kept,st_whole,st_part,st_parent,st_child}'::regclass[]) r;
DROP FUNCTION try;
SELECT anonopt.create_dataset('counted', 'lodger', count_column => 'id'), anonopt.add_quasi_identifier('counted', 'age', 'lodger_ages');
SELECT anonopt.create_tuple_store('counted', true);
ALTER TABLE lodger ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE lodger OWNER TO regress_owner;
SET ROLE regress_owner;
SELECT anonopt.refresh_tuple_store('lodgers');
RESET ROLE;
ALTER TABLE lodger DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY;

-- whose it is
SELECT problem FROM anonopt.describe('lodgers') WHERE role = 'tuple_store';
SET ROLE regress_other;
SELECT anonopt.refresh_tuple_store('lodgers');
SELECT anonopt.drop_tuple_store('lodgers');
SELECT * FROM anonopt.tuple_store;
CREATE TABLE st_mine (age int);
CREATE TRIGGER t AFTER INSERT ON st_mine FOR EACH STATEMENT EXECUTE FUNCTION anonopt.count_changes('1');
RESET ROLE;
SET ROLE regress_owner;
SELECT anonopt.create_tuple_store('lodgers');
SELECT anonopt.refresh_tuple_store('lodgers');
RESET ROLE;
SELECT problem IS NULL AS current FROM anonopt.describe('lodgers') WHERE role = 'tuple_store';

-- a relation that gets a parent, or loses a column
ALTER TABLE lodger INHERIT st_parent;
ALTER TABLE lodger RENAME COLUMN town TO place;
INSERT INTO lodger VALUES (1, 1, 'T1');
SELECT role, problem FROM anonopt.describe('lodgers');
ALTER TABLE lodger RENAME COLUMN place TO town;
SELECT role, problem FROM anonopt.describe('lodgers');
ALTER TABLE lodger DROP COLUMN town;
SELECT anonopt.refresh_tuple_store('lodgers');
SELECT anonopt.drop_attribute('lodgers', 'town'), anonopt.drop_tuple_store('lodgers');
SELECT anonopt.create_tuple_store('lodgers');
SET anonopt.read_mode = store;
\set VERBOSITY terse
SELECT sum(k) FROM anonopt.evaluate('lodgers', '{2}');
RESET anonopt.read_mode;

SELECT anonopt.drop_dataset('counted');
DROP TABLE lodger CASCADE;
SELECT to_regclass('anonopt.tuples_2') IS NULL AS gone;
SELECT anonopt.drop_dataset('lodgers');
SELECT count(*) FROM anonopt.tuple_store;
DROP TABLE brief, st_mine, st_light, st_whole, st_child, st_parent, lodger_ages;
REVOKE CREATE ON SCHEMA public FROM regress_owner, regress_other;
DROP ROLE regress_owner, regress_other;
