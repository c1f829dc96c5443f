-- A live view that shows a column of type character(n) cannot be read after republish (42804).
CREATE EXTENSION IF NOT EXISTS anonopt;
SET client_min_messages = error; SET anonopt.composition = off;
CREATE TABLE h (v text PRIMARY KEY, top text);
INSERT INTO h VALUES ('a', '*'), ('b', '*');
CREATE TABLE people AS SELECT (ARRAY['a', 'b'])[1 + i % 2] AS v, 'flu'::character(4) AS ill FROM generate_series(1, 20) i;
SELECT anonopt.create_dataset('d', 'people', 1), anonopt.add_quasi_identifier('d', 'v', 'h'), anonopt.add_sensitive('d', 'ill');
SELECT anonopt.create_view('l', 'd', '{0}', k => 3, materialized => false);
SELECT count(*) FROM l;
SELECT anonopt.republish('l', levels => '{1}');
SELECT count(*) FROM l;
SELECT anonopt.create_recoding('r', 'd', k => 3, seed => 1);
SELECT anonopt.create_view('l2', 'd', recoding => 'r', k => 3, materialized => false);
SELECT count(*) FROM l2;
SELECT anonopt.refresh_release('l2');
SELECT count(*) FROM l2;
