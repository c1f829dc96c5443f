-- A release by a cut: a new leaf of an old label changes the order of labels, but not their number. refresh_release groups other labels
-- together, without an error.
CREATE EXTENSION IF NOT EXISTS anonopt;
SET client_min_messages = error; SET anonopt.composition = off;
CREATE TABLE h (v int PRIMARY KEY, near text, top text);
INSERT INTO h VALUES (10, 'a', '*'), (20, 'b', '*'), (30, 'c', '*');
CREATE TABLE people AS SELECT v FROM h, generate_series(1, 10) i;
SELECT anonopt.create_dataset('d', 'people', 1), anonopt.add_quasi_identifier('d', 'v', 'h', min_level => 1);
SELECT anonopt.publish_table('t', 'd', cuts => '{01}', k => 3);   -- a and b together, c
SELECT v, count(*) FROM t GROUP BY v ORDER BY v;
INSERT INTO h VALUES (5, 'c', '*');                               -- c now comes first
SELECT anonopt.refresh_release('t');                              -- should be refused: call republish
SELECT v, count(*) FROM t GROUP BY v ORDER BY v;
