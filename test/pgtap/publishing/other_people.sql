-- Relations of other people, as their owner declares: releases of the two are not compared, others are as before.
\ir ../begin.inc
SELECT * FROM no_plan();
SET client_min_messages = error;

-- 200 people: those of the north, of the south, and of the coast, who are of both
CREATE TABLE inhabitant AS SELECT i AS id, 20 + i % 20 AS age, CASE WHEN i % 7 < 3 THEN 'north' ELSE 'south' END AS region, i % 3 = 0 AS coast, 'd' || i % 5 AS ill FROM generate_series(1, 200) i;
CREATE VIEW north AS SELECT * FROM inhabitant WHERE region = 'north';
CREATE VIEW south AS SELECT * FROM inhabitant WHERE region = 'south';
CREATE VIEW coast AS SELECT * FROM inhabitant WHERE coast;
CREATE VIEW of_south AS SELECT * FROM south;
CREATE VIEW nearly AS SELECT * FROM inhabitant WHERE region = 'south' OR id < 3;
SELECT is((SELECT count(*) FROM north JOIN south USING (id)), 0::bigint, 'nobody is of north and south');
SELECT anonopt.create_interval_hierarchy('ages', 20, 39, '{5,10}') \g /dev/null
SELECT anonopt.create_dataset(d, d), anonopt.add_quasi_identifier(d, 'age', 'ages'), anonopt.add_sensitive(d, 'ill')
FROM unnest('{inhabitant,north,south,coast,of_south,nearly}'::text[]) d \g /dev/null

-- Whether a release of a relation can be published under refuse beside those that there are; it is undone.
CREATE FUNCTION pg_temp.refused(source text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('anonopt.composition', 'refuse', true);
    PERFORM anonopt.publish_table('tried', source, '{1}', k => 10);
    RAISE SQLSTATE 'ROLLB';
EXCEPTION
    WHEN SQLSTATE 'ROLLB' THEN RETURN false;
    WHEN object_not_in_prerequisite_state THEN RETURN true;
END $$;
SELECT anonopt.publish_table('shown_north', 'north', '{1}', k => 10) \g /dev/null
SELECT is(ARRAY(SELECT pg_temp.refused(s) FROM unnest('{nearly,south,coast,of_south}'::text[]) s), '{t,t,t,t}', 'views of one table are compared');
SELECT anonopt.same_people('south', 'north', false) \g /dev/null
SELECT is(ARRAY(SELECT pg_temp.refused(s) FROM unnest('{nearly,south,coast,of_south}'::text[]) s), '{t,f,t,t}', 'but not two that were declared to have other people');
SELECT anonopt.publish_table('shown_south', 'south', '{1}', k => 10) \g /dev/null
SELECT is((SELECT count(*) FROM anonopt.release_risk('north')), 1::bigint, 'nor is their risk counted together');
INSERT INTO inhabitant VALUES (999, 20, 'south', false, 'd1');
UPDATE anonopt.same_people SET made_in = 'elsewhere', relation = 0, other = 0;
SELECT is(pg_temp.refused('south'), true, 'a release of the same relation is');
SELECT anonopt.forget_release('shown_south') \g /dev/null
SELECT is(pg_temp.refused('south'), false, 'in another database they are known by name');
UPDATE anonopt.same_people SET made_in = anonopt.this_database();
SELECT is(pg_temp.refused('south'), true, 'and here by number');
DELETE FROM anonopt.same_people;
SELECT anonopt.same_people('north', 'south', false) \g /dev/null

-- what anybody declares to be the same is compared; one's own declaration is changed
SELECT anonopt.same_people('north', 'south') \g /dev/null
SELECT is(pg_temp.refused('south'), true, 'the opposite may be declared');
SELECT is((SELECT array_agg(same) FROM anonopt.same_people), '{t}', 'by the same role instead');
SELECT anonopt.same_people('north', 'south', false) \g /dev/null
SELECT is(pg_temp.refused('south'), false, 'and again');
CREATE ROLE regress_inhabitant;
GRANT SELECT ON inhabitant, north, south TO regress_inhabitant;
SET LOCAL ROLE regress_inhabitant;
SELECT throws_ok($$SELECT anonopt.same_people('north', 'south', false)$$, '42501', NULL, 'only the owner says that people are others');
SELECT anonopt.same_people('north', 'south') \g /dev/null
RESET ROLE;
SELECT is((SELECT array_agg(same ORDER BY same) FROM anonopt.same_people), '{f,t}', 'whoever may read both says that they are the same');
SELECT is(pg_temp.refused('south'), true, 'which goes before');
DELETE FROM anonopt.same_people WHERE same;
UPDATE anonopt.same_people SET declared_by = 'regress_inhabitant';
SELECT is(pg_temp.refused('south'), true, 'a declaration counts while its role owns both');
ALTER VIEW north OWNER TO regress_inhabitant;
SELECT is(pg_temp.refused('south'), true, 'not one');
ALTER VIEW south OWNER TO regress_inhabitant;
SELECT is(pg_temp.refused('south'), false, 'both');
ALTER VIEW north OWNER TO CURRENT_USER;
ALTER VIEW south OWNER TO CURRENT_USER;
UPDATE anonopt.same_people SET declared_by = current_user;
SELECT is(pg_temp.refused('south'), false, 'again');
SELECT throws_ok($$SELECT anonopt.same_people('north', 'south', NULL)$$, '22023', NULL, 'yes or no');

-- what a release showed of another source is compared
SELECT anonopt.drop_release('shown_north') \g /dev/null
SELECT is(pg_temp.refused('south'), false, 'a dropped release is of its source');
DELETE FROM anonopt.published;
SET LOCAL anonopt.composition = off;
SELECT anonopt.create_dataset('moved', 'nearly'), anonopt.add_quasi_identifier('moved', 'age', 'ages'), anonopt.add_sensitive('moved', 'ill') \g /dev/null
SELECT anonopt.publish_table('was_of_others', 'moved', '{1}', k => 10) \g /dev/null
SELECT anonopt.drop_dataset('moved'), anonopt.create_dataset('moved', 'north'), anonopt.add_quasi_identifier('moved', 'age', 'ages'), anonopt.add_sensitive('moved', 'ill') \g /dev/null
SELECT anonopt.republish('was_of_others', '{1}') \g /dev/null
SELECT is(pg_temp.refused('south'), true, 'what a release showed of others before it was republished is compared');
DELETE FROM anonopt.published_content WHERE version = 0;
SELECT is(pg_temp.refused('south'), false, 'what it shows since is not');
SELECT * FROM finish();
ROLLBACK;
