-- Releases as users publish them: rows, warnings and errors.
SET search_path = public;
\pset null NULL
\set SHOW_CONTEXT never
CREATE TABLE pub_guest (id int PRIMARY KEY, age int, town text, room int, dish text, paid boolean, note text);
INSERT INTO pub_guest VALUES (1, 21, 'A1', 1, 'soup', true, 'a'), (2, 22, 'A1', 1, 'fish', false, 'a'), (3, 24, 'A2', 2, 'fish', true, 'b'),
	(4, 23, 'A2', 2, 'soup', true, 'b'), (5, 31, 'B1', 1, 'fish', true, 'c'), (6, 33, 'B2', 2, 'rice', false, 'd'),
	(7, 38, 'A2', 1, 'soup', false, 'e'), (8, 39, NULL, 2, NULL, true, NULL);
SELECT anonopt.create_interval_hierarchy('pub_age', 20, 39, '{5,10}') \g /dev/null
SELECT anonopt.create_mask_hierarchy('pub_town', 'pub_guest', 'town') \g /dev/null
SELECT anonopt.create_dataset('pub', 'pub_guest', max_suppression => 0.5, person => 'id') \g /dev/null
SELECT anonopt.add_quasi_identifier('pub', 'age', 'pub_age'), anonopt.add_quasi_identifier('pub', 'town', 'pub_town') \g /dev/null
-- the statement, and what it gives
\pset format unaligned
SELECT anonopt.view_sql('pub_first', 'pub', '{1,1}', k => 2);
\pset format aligned
SELECT anonopt.view_sql('pub_first', 'pub', '{1,1}', k => 2) AS statement \gset
:statement;
SELECT anonopt.create_view('pub_first', 'pub', '{1,1}', k => 2);
SELECT * FROM pub_first;
SELECT regexp_replace(obj_description('pub_first'::regclass), '[0-9a-f-]{36}', 'ID');
SELECT release, dataset, levels, cuts, k, l, t, measures ->> 'suppressed' AS suppressed, dropped, form FROM anonopt.release WHERE dataset = 'pub';
-- promises about dishes, further columns, and stars
SELECT anonopt.add_sensitive('pub', 'dish'), anonopt.set_class_label('pub', 'paid') \g /dev/null
SELECT anonopt.publish_table('pub_second', 'pub', '{2,2}', k => 2, l => 2, columns => '{room}');
SELECT * FROM pub_second ORDER BY age, town, room, dish, paid;
SELECT regexp_replace(obj_description('pub_second'::regclass), '[0-9a-f-]{36}', 'ID');
SELECT anonopt.publish_table('pub_third', 'pub', '{2,1}', k => 2, l => 2, suppressed => 'star');
SELECT * FROM pub_third ORDER BY anonopt_suppressed, age, town, dish, paid;
SELECT promised_k, k, promised_l, l, rows, ok, promised_t, t, others FROM anonopt.verify('pub_second');
SELECT promised_k, k, promised_l, l, rows, ok, promised_t, t, others FROM anonopt.verify('pub_third');
-- cuts; fewer are suppressed than are enough for stars
SELECT anonopt.publish_table('pub_fourth', 'pub', cuts => '{0000000001000000000,1010}', k => 2, t => 1);
SELECT age, town, count(*) FROM pub_fourth GROUP BY age, town ORDER BY age, town;
SELECT anonopt.publish_table('pub_fifth', 'pub', '{2,2}', k => 3, suppressed => 'star');
SELECT age, town, anonopt_suppressed, count(*) FROM pub_fifth GROUP BY age, town, anonopt_suppressed ORDER BY age, town;
-- several together
SELECT releases, k, smallest FROM anonopt.release_risk('pub');
-- made anew, or not
INSERT INTO pub_guest VALUES (9, 21, 'A1', 1, 'rice', true, 'a'), (10, 22, 'A2', 1, 'rice', true, 'a');
SELECT count(*) FROM pub_first;
SELECT anonopt.refresh_release('pub_second');
SELECT age, town, count(*) FROM pub_second GROUP BY age, town ORDER BY age, town;
SELECT anonopt.refresh_release('pub_first');
UPDATE pub_town SET value = 'A3' WHERE value = 'A2';
SELECT anonopt.refresh_release('pub_second');
SELECT promised_k, k, promised_l, l, rows, ok, promised_t, t, others FROM anonopt.verify('pub_second');
UPDATE pub_town SET value = 'A2' WHERE value = 'A3';
SELECT ok FROM anonopt.verify('pub_second');
-- what cannot be published
SELECT anonopt.create_view('pub_none', 'pub');
SELECT anonopt.create_view('pub_none', 'pub', '{1,1}', '{0000000001000000000,1010}');
SELECT anonopt.create_view('pub_none', 'pub', '{1}');
SELECT anonopt.create_view('pub_none', 'pub', '{1,9}');
SELECT anonopt.create_view('pub_none', 'pub', '{{1,1},{2,2}}');
SELECT anonopt.create_view('pub_none', 'pub', cuts => '{0,1}');
SELECT anonopt.create_view('pub_none', 'pub', cuts => '{0000000001000000000}');
SELECT anonopt.create_view('pub_none', 'pub', '{0,0}', k => 2);
SELECT anonopt.create_view('pub_none', 'pub', '{0,0}', k => 4);
SELECT anonopt.create_view('pub_none', 'pub', '{1,1}', k => 99);
SELECT anonopt.create_view('pub_none', 'pub', '{1,1}', k => 0);
SELECT anonopt.create_view('pub_none', 'pub', '{0,0}', suppressed => 'hide');
SELECT anonopt.create_view('pub_none', 'pub', '{0,0}', suppressed => NULL);
SELECT anonopt.create_view('pub_first', 'pub', '{2,2}');
SELECT anonopt.publish_table('pub_guest', 'pub', '{2,2}');
SELECT anonopt.create_view('pub_nowhere.none', 'pub', '{2,2}');
SELECT anonopt.create_view('', 'pub', '{2,2}');
SELECT anonopt.create_view(NULL, 'pub', '{2,2}');
SELECT anonopt.create_view('pub_none', 'nobody knows', '{2,2}');
SELECT anonopt.create_view('pub_none', 'pub', '{2,2}', columns => '{price}');
SELECT anonopt.create_view('pub_none', 'pub', '{2,2}', columns => '{ctid}');
SELECT anonopt.create_view('pub_none', 'pub', '{2,2}', columns => '{room,NULL}');
-- nothing would be hidden, unless that is said
UPDATE anonopt.dataset SET max_suppression = 0 WHERE dataset = 'pub';
SELECT anonopt.create_view('pub_none', 'pub', '{0,0}');
SELECT anonopt.view_sql('pub_none', 'pub', '{0,0}', k => 1) IS NOT NULL AS said;
UPDATE anonopt.dataset SET max_suppression = 0.5 WHERE dataset = 'pub';
-- columns that single people out, and the same if they are declared insensitive
SELECT anonopt.create_view('pub_none', 'pub', '{2,2}', k => 3, columns => '{note}');
SELECT anonopt.set_insensitive('pub', 'note'), anonopt.set_identifier('pub', 'id') \g /dev/null
SELECT anonopt.create_view('pub_sixth', 'pub', '{2,2}', k => 3, columns => '{note}');
SELECT note, count(*) FROM pub_sixth GROUP BY note ORDER BY note;
SELECT anonopt.create_view('pub_none', 'pub', '{2,2}', k => 3, columns => '{id}');
-- l and t need a sensitive column
SELECT anonopt.create_dataset('pub_plain', 'pub_guest', max_suppression => 0.5) \g /dev/null
SELECT anonopt.add_quasi_identifier('pub_plain', 'age', 'pub_age') \g /dev/null
SELECT anonopt.create_view('pub_none', 'pub_plain', '{2}', l => 2);
SELECT anonopt.create_view('pub_none', 'pub_plain', '{2}', t => 0.5);
-- not from a release, nor from a view of one
CREATE VIEW pub_over AS SELECT town AS place, dish FROM pub_second;
CREATE TABLE pub_place (value text PRIMARY KEY, anything text);
INSERT INTO pub_place VALUES ('**', '*'), ('A*', '*'), ('B*', '*');
SELECT anonopt.create_dataset('pub_again', 'pub_over'), anonopt.add_quasi_identifier('pub_again', 'place', 'pub_place') \g /dev/null
SELECT anonopt.publish_table('pub_none', 'pub_again', '{1}');
-- rows that stand for several
SELECT anonopt.create_dataset('pub_counted', 'pub_guest', count_column => 'room') \g /dev/null
SELECT anonopt.add_quasi_identifier('pub_counted', 'age', 'pub_age') \g /dev/null
SELECT anonopt.publish_table('pub_none', 'pub_counted', '{2}');
-- hierarchies that could hold a leaf twice
CREATE TABLE pub_room (value int, anything text);
INSERT INTO pub_room VALUES (1, '*'), (2, '*');
SELECT anonopt.create_dataset('pub_rooms', 'pub_guest'), anonopt.add_quasi_identifier('pub_rooms', 'room', 'pub_room') \g /dev/null
SELECT anonopt.publish_table('pub_none', 'pub_rooms', '{0}');
ALTER TABLE pub_room ADD PRIMARY KEY (value);
SELECT anonopt.publish_table('pub_seventh', 'pub_rooms', '{0}', k => 2);
TRUNCATE pub_guest;
SELECT anonopt.publish_table('pub_none', 'pub_rooms', '{0}');
SELECT anonopt.refresh_release('pub_seventh');
SELECT count(*) FROM pub_seventh;
-- live views, and where there can be none
INSERT INTO pub_guest SELECT i, 20 + i % 2, 'A1', 1 + i % 2, 'fish', true FROM generate_series(1, 20) i;
SELECT anonopt.create_view('pub_live', 'pub_rooms', '{0}', k => 3, materialized => false);
SELECT room, count(*) FROM pub_live GROUP BY room ORDER BY room;
SELECT anonopt.refresh_release('pub_live');
ALTER TABLE pub_guest ENABLE ROW LEVEL SECURITY;
SELECT anonopt.create_view('pub_none', 'pub_rooms', '{0}', k => 3, materialized => false);
ALTER TABLE pub_guest DISABLE ROW LEVEL SECURITY;
GRANT INSERT ON pub_guest TO PUBLIC;
SELECT anonopt.create_view('pub_none', 'pub_rooms', '{0}', k => 3, materialized => false);
REVOKE INSERT ON pub_guest FROM PUBLIC;
-- what is no release
SELECT anonopt.verify('pub_guest');
SELECT anonopt.refresh_release('pub_guest');
SELECT anonopt.drop_release('pub_guest');
SELECT anonopt.verify(0);
-- dropped releases stay on record
SELECT anonopt.drop_release('pub_live'), anonopt.drop_release('pub_third') \g /dev/null
SELECT to_regprocedure('pub_live_rows()') IS NULL AS gone;
DROP MATERIALIZED VIEW pub_first;
SELECT name, form, dropped FROM anonopt.release WHERE dataset LIKE 'pub%' ORDER BY name;
-- which columns single people out
CREATE TABLE pub_suggest (id int, half int, same int, third int);
INSERT INTO pub_suggest SELECT i, i % 2, 0, i % 3 FROM generate_series(1, 12) i;
SELECT columns, round(distinction::numeric, 3) AS distinction, round(separation::numeric, 3) AS separation, uniques, labelled
FROM anonopt.suggest_quasi_identifiers('pub_suggest');
-- who may
SET client_min_messages = warning;
DROP ROLE IF EXISTS regress_publisher, regress_other;
RESET client_min_messages;
CREATE ROLE regress_publisher;
CREATE ROLE regress_other;
CREATE SCHEMA pub_closed;
GRANT USAGE ON SCHEMA pub_closed TO regress_publisher;
GRANT CREATE ON SCHEMA public TO regress_publisher;
SET ROLE regress_publisher;
CREATE TABLE pub_mine AS SELECT 20 + i % 3 AS age FROM generate_series(1, 30) i;
SELECT anonopt.create_dataset('pub_mine', 'pub_mine'), anonopt.create_interval_hierarchy('pub_mine_age', 20, 29, '{}') \g /dev/null
SELECT anonopt.add_quasi_identifier('pub_mine', 'age', 'pub_mine_age') \g /dev/null
SELECT anonopt.publish_table('pub_closed.none', 'pub_mine', '{0}');
SELECT anonopt.publish_table('pub_none', 'pub_rooms', '{0}');
SELECT anonopt.publish_table('pub_mine_shown', 'pub_mine', '{0}');
SELECT name, published_by FROM anonopt.release;
SELECT count(*) FROM anonopt.published;
SELECT count(*) FROM anonopt.published_content;
SET ROLE regress_other;
SELECT anonopt.refresh_release('pub_mine_shown');
SELECT anonopt.verify('pub_mine_shown');
SELECT anonopt.drop_release('pub_mine_shown');
SELECT count(*) FROM anonopt.release;
RESET ROLE;
DROP VIEW pub_over;
SELECT anonopt.drop_release(release) FROM anonopt.release WHERE NOT dropped ORDER BY name \g /dev/null
SELECT anonopt.drop_dataset(dataset) FROM anonopt.dataset \g /dev/null
DROP OWNED BY regress_publisher CASCADE;
DROP ROLE regress_publisher, regress_other;
DROP SCHEMA pub_closed;
