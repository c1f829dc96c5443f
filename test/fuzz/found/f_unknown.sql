-- A value without a leaf is shown as the last label at every level. If a lower level has a label of the same text, a table and a
-- view of one node show different rows.
CREATE EXTENSION IF NOT EXISTS anonopt;
SET client_min_messages = error; SET anonopt.composition = off;
CREATE TABLE h (v text PRIMARY KEY, near text, far text);
INSERT INTO h VALUES ('a', '*', '*'), ('b', 'g', '*');
CREATE TABLE people AS SELECT (ARRAY['a', 'a', 'a', 'b', 'b', 'b', 'x'])[i] AS v FROM generate_series(1, 7) i;
SELECT anonopt.create_dataset('d', 'people', 1), anonopt.add_quasi_identifier('d', 'v', 'h', unknown => '*');
SELECT k, suppressed, classes FROM anonopt.evaluate('d', '{1}', k => 3);
SELECT anonopt.publish_table('t', 'd', '{1}', k => 3), anonopt.create_view('m', 'd', '{1}', k => 3), anonopt.create_view('l', 'd', '{1}', k => 3, materialized => false);
SELECT (SELECT count(*) FROM t) AS in_table, (SELECT count(*) FROM m) AS in_view, (SELECT count(*) FROM l) AS in_live_view;
