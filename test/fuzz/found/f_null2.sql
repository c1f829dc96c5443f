-- The first NULL in a live view by a cut at the last level: it is shown by itself, though the last level has one label, which NULL joins
-- in a view by the node and in what refresh_release makes of the same cut.
CREATE EXTENSION IF NOT EXISTS anonopt;
SET client_min_messages = error; SET anonopt.composition = off;
CREATE TABLE h (v int PRIMARY KEY, top text);
INSERT INTO h VALUES (1, '*'), (2, '*');
CREATE TABLE people AS SELECT v FROM h, generate_series(1, 10) i;
SELECT anonopt.create_dataset('d', 'people', 1), anonopt.add_quasi_identifier('d', 'v', 'h', min_level => 1);
SELECT anonopt.create_view('c', 'd', cuts => '{""}', k => 3, materialized => false), anonopt.create_view('n', 'd', levels => '{1}', k => 3, materialized => false),
	anonopt.publish_table('t', 'd', cuts => '{""}', k => 3);
INSERT INTO people SELECT NULL FROM generate_series(1, 2);
SELECT anonopt.refresh_release('t');
SELECT (SELECT count(*) FROM c) AS live_cut, (SELECT count(*) FROM n) AS live_node, (SELECT count(*) FROM t) AS table_by_cut;
