-- Who may declare, change and read.
SET search_path = public;
SET client_min_messages = warning;
DROP ROLE IF EXISTS regress_alice, regress_bob, regress_team;
RESET client_min_messages;
CREATE ROLE regress_alice;
CREATE ROLE regress_team;
CREATE ROLE regress_bob;
GRANT regress_team TO regress_alice;
GRANT CREATE ON SCHEMA public TO regress_team, regress_alice;
-- up to PostgreSQL 14 everybody may create in public
CREATE SCHEMA closed;
SET ROLE regress_team;
CREATE TABLE secret (age int, illness text);
INSERT INTO secret VALUES (1, 'a'), (2, 'b');
SELECT anonopt.create_interval_hierarchy('secret_age', 0, 9, '{5}') \g /dev/null
SELECT anonopt.create_dataset('team', 'secret') \g /dev/null
SELECT anonopt.add_quasi_identifier('team', 'age', 'secret_age') \g /dev/null
SET ROLE regress_alice;
-- a member may change it
SELECT anonopt.add_sensitive('team', 'illness') \g /dev/null
SET ROLE regress_bob;
-- everybody may read declarations, only their owner changes them
SELECT dataset, relation, owner FROM anonopt.dataset;
SELECT anonopt.drop_dataset('team');
SELECT anonopt.drop_attribute('team', 'illness');
SELECT anonopt.set_class_label('team', 'illness');
INSERT INTO anonopt.dataset VALUES ('mine', 'pg_class', 0, 'regress_bob', NULL, NULL, 'pg_class');
DELETE FROM anonopt.attribute;
-- reading needs SELECT, on the relation and on the hierarchy
SELECT * FROM anonopt.lattice('team');
SELECT * FROM anonopt.describe('team');
SELECT anonopt.create_dataset('bobs', 'secret');
SELECT anonopt.k_anonymity('secret', '{age}');
SELECT * FROM anonopt.risk('secret', '{age}');
SELECT anonopt.generalize(1, 'secret_age', 1);
SELECT * FROM anonopt.check_hierarchy('secret_age');
SELECT anonopt.create_mask_hierarchy('pg_temp.h', 'secret', 'illness');
SELECT anonopt.create_interval_hierarchy('pg_catalog.h', 0, 1, '{}');
SELECT anonopt.create_interval_hierarchy('closed.h', 0, 1, '{}');
RESET ROLE;
GRANT SELECT (age) ON secret TO regress_bob;
SET ROLE regress_bob;
SELECT anonopt.k_anonymity('secret', '{age}');
SELECT * FROM anonopt.lattice('team');
SELECT anonopt.create_dataset('bobs', 'secret') \g /dev/null
SELECT anonopt.add_sensitive('bobs', 'illness');
SELECT anonopt.add_quasi_identifier('bobs', 'age', 'secret_age');
SELECT anonopt.create_interval_hierarchy('pg_temp.own_age', 0, 9, '{5}') \g /dev/null
SELECT anonopt.add_quasi_identifier('bobs', 'age', 'own_age') \g /dev/null
SELECT levels, k FROM anonopt.lattice('bobs') ORDER BY levels;
-- built from data: not for everybody
RESET ROLE;
ALTER DEFAULT PRIVILEGES FOR ROLE regress_team IN SCHEMA public GRANT SELECT ON TABLES TO PUBLIC;
SET ROLE regress_team;
SELECT anonopt.create_mask_hierarchy('secret_illness', 'secret', 'illness') \g /dev/null
SELECT anonopt.create_interval_hierarchy('open_age', 0, 1, '{}') \g /dev/null
SET ROLE regress_bob;
SELECT count(*) FROM secret_illness;
SELECT count(*) FROM open_age;
RESET ROLE;
-- row security applies: a role does not measure rows that it does not see
CREATE POLICY only_ones ON secret FOR SELECT TO regress_bob USING (age = 1);
ALTER TABLE secret ENABLE ROW LEVEL SECURITY;
SELECT k, sum_k FROM anonopt.evaluate('team', '{2}');
SET ROLE regress_bob;
SELECT k, sum_k FROM anonopt.evaluate('bobs', '{2}');
RESET ROLE;
-- the aggregate's support functions cannot be used otherwise
SELECT anonopt.tuples(NULL, 1);
SELECT anonopt.tuples('x', 1);
-- hints differ between versions
\set VERBOSITY sqlstate
SELECT anonopt.tuples_final(NULL);
SELECT anonopt.tuples_serialize(NULL);
SELECT anonopt.tuples_deserialize('x', NULL);
\set VERBOSITY default
SELECT anonopt.drop_dataset(dataset) FROM anonopt.dataset \g /dev/null
ALTER DEFAULT PRIVILEGES FOR ROLE regress_team IN SCHEMA public REVOKE SELECT ON TABLES FROM PUBLIC;
DISCARD TEMP;
DROP OWNED BY regress_alice, regress_bob, regress_team CASCADE;
DROP ROLE regress_alice, regress_bob, regress_team;
DROP SCHEMA closed;
