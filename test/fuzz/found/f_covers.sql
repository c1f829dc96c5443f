-- A cut over numbers whose tree is not in their order: a group's label is an interval that does not hold its values, or is upside down.
CREATE EXTENSION IF NOT EXISTS anonopt;
SET client_min_messages = error; SET anonopt.composition = off;
CREATE TABLE h (v int PRIMARY KEY, near text, top text);
INSERT INTO h VALUES (1, 'odd', '*'), (9, 'odd', '*'), (2, 'even', '*'), (8, 'even', '*');
CREATE TABLE people AS SELECT v, v AS shown_too FROM h, generate_series(1, 5) i;
SELECT anonopt.create_dataset('d', 'people', 1), anonopt.add_quasi_identifier('d', 'v', 'h'), anonopt.set_insensitive('d', 'shown_too');
-- the order is 1, 9, 2, 8
SELECT anonopt.publish_table('t', 'd', cuts => '{101}', k => 3, columns => '{shown_too}'), anonopt.publish_table('t2', 'd', cuts => '{000}', k => 3, columns => '{shown_too}'),
	anonopt.publish_table('t3', 'd', cuts => '{001}', k => 3, columns => '{shown_too}');
SELECT v, array_agg(DISTINCT shown_too) AS are_in_it FROM t GROUP BY v;     -- [9, 3) holds 2 and 9
SELECT v, array_agg(DISTINCT shown_too) AS are_in_it FROM t3 GROUP BY v;    -- [1, 3) holds 9
-- the same in a recoding by ranges
CREATE TABLE r AS SELECT v, (v IN (9, 2))::int::bigint AS class FROM h;
SELECT shown FROM anonopt.recoding_classes('d', 'r', 'range');
-- create_frequency_hierarchy makes such trees: rare values share a label wherever they are
CREATE TABLE seen AS SELECT unnest('{1,2,2,2,2,3,4,4,4,4,5}'::int[]) AS v FROM generate_series(1, 3);
SELECT anonopt.create_frequency_hierarchy('f', 'seen', 'v', 5);
SELECT anonopt.create_dataset('s', 'seen', 1), anonopt.add_quasi_identifier('s', 'v', 'f');
SELECT anonopt.publish_table('t4', 's', cuts => '{0001}', k => 3);
SELECT v, count(*) FROM t4 GROUP BY v;    -- the order is 1, 3, 5, 2, 4: [1, 3) stands for 1, 3, 5 and 2
