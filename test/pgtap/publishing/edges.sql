-- Releases at the edges of what can be declared.
\ir ../begin.inc
SELECT plan(9);
CREATE TABLE people AS SELECT i % 2 AS a, i % 64 AS b FROM generate_series(1, 128) i;
INSERT INTO people SELECT 0, 0 FROM generate_series(1, 50);
SELECT anonopt.create_interval_hierarchy('ages', 0, 7, '{2,4}'), anonopt.create_interval_hierarchy('towns', 0, 63, '{8,16}');

-- above the level that is searched, where a hint looks for a node
SELECT anonopt.create_dataset('d', 'people', 0.01), anonopt.add_quasi_identifier('d', 'a', 'ages', max_level => 0), anonopt.add_quasi_identifier('d', 'b', 'towns');
SELECT anonopt.publish_table('above', 'd', '{1,0}', k => 2);
SELECT throws_ok($$SELECT anonopt.republish('above', k => 10)$$, '22023', 'too many people are in classes that break the promise', 'a release above max_level is refused as others are');

-- as many promises as there may be, and k, l and t beside
CREATE TABLE wide AS SELECT i % 2 AS a FROM generate_series(1, 640) i;
SELECT anonopt.create_dataset('w', 'wide', 0), anonopt.add_quasi_identifier('w', 'a', 'ages');
DO $$
DECLARE
    declared int := 0; m text;
BEGIN
    FOR i IN 1..52 LOOP
        EXECUTE format('ALTER TABLE wide ADD s%s int; UPDATE wide SET s%1$s = 1', i);
        PERFORM anonopt.add_sensitive('w', ('s' || i)::name);
        FOREACH m IN ARRAY '{l,entropy_l,t,alpha,recursive_l}'::text[] LOOP
            EXIT WHEN declared = 256;
            PERFORM anonopt.add_promise('w', m, 1, column_name => ('s' || i)::name, c => CASE m WHEN 'recursive_l' THEN 2 END);
            declared := declared + 1;
        END LOOP;
    END LOOP;
END $$;
SELECT is((SELECT count(*) FROM anonopt.promise WHERE dataset = 'w'), 256::bigint, 'no more promises can be declared');
SELECT lives_ok($$SELECT anonopt.publish_table('many', 'w', '{3}', k => 2)$$, 'they are published');
SELECT lives_ok($$SELECT anonopt.verify('many')$$, 'and verified');
SELECT lives_ok($$SELECT anonopt.refresh_release('many')$$, 'and refreshed');
SELECT lives_ok($$SELECT anonopt.drop_release('many')$$, 'and dropped');

-- an index of a hierarchy that runs somebody else's function
CREATE ROLE publisher; CREATE ROLE thief;
GRANT ALL ON SCHEMA public TO publisher;
CREATE SCHEMA lent AUTHORIZATION thief;
GRANT USAGE ON SCHEMA lent TO publisher;
SET ROLE thief;
CREATE FUNCTION lent.one(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN 1; END';
SET ROLE publisher;
CREATE TABLE visitors AS SELECT i % 8 AS a FROM generate_series(1, 128) i;
SELECT anonopt.create_interval_hierarchy('own_ages', 0, 7, '{2,4}');
SELECT anonopt.create_dataset('v', 'visitors', 0), anonopt.add_quasi_identifier('v', 'a', 'own_ages');
SELECT anonopt.publish_table('seen', 'v', '{1}', k => 2);
CREATE INDEX own_index ON own_ages ((value + lent.one(1)));
SET ROLE thief;
CREATE OR REPLACE FUNCTION lent.one(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'the thief runs as %', current_user; END$$;
RESET ROLE;
ALTER TABLE own_ages SET (fillfactor = 90);
SELECT throws_ok($$SELECT anonopt.verify('seen')$$, '42501', NULL, 'no verification by a superuser runs it');
SET ROLE publisher;
SELECT throws_ok($$SELECT anonopt.verify('seen')$$, '42501', NULL, 'nor one by the publisher');
SELECT throws_ok($$SELECT anonopt.refresh_release('seen')$$, '42501', NULL, 'nor a refresh');
RESET ROLE;
SELECT * FROM finish();
ROLLBACK;
