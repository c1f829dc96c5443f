-- A quasi-identifier named n: a view that promises average_risk or share_above cannot be created (42702), where labels are not packed into numbers.
CREATE EXTENSION IF NOT EXISTS anonopt;
SET client_min_messages = error; SET anonopt.composition = off;
CREATE TABLE h (v text PRIMARY KEY, top text);
INSERT INTO h VALUES ('a', '*'), ('b', '*');
CREATE TABLE people AS SELECT (ARRAY['a', 'b'])[1 + i % 2] AS n FROM generate_series(1, 20) i;
SELECT anonopt.create_dataset('d', 'people', 1), anonopt.add_quasi_identifier('d', 'n', 'h', unknown => '*'), anonopt.add_promise('d', 'average_risk', 0.5);
SELECT anonopt.publish_table('t', 'd', '{0}', k => 3);
SELECT anonopt.create_view('m', 'd', '{0}', k => 3);
SELECT anonopt.create_view('l', 'd', '{0}', k => 3, materialized => false);
