-- A release by a cut cannot be refreshed after the last NULL has left the data (22023: cuts of column "v" have the wrong length).
CREATE EXTENSION IF NOT EXISTS anonopt;
SET client_min_messages = error; SET anonopt.composition = off;
CREATE TABLE h (v int PRIMARY KEY, top text);
INSERT INTO h VALUES (1, '*'), (2, '*');
CREATE TABLE people AS SELECT v FROM h, generate_series(1, 10) i UNION ALL SELECT NULL FROM generate_series(1, 3);
SELECT anonopt.create_dataset('d', 'people', 1), anonopt.add_quasi_identifier('d', 'v', 'h');
SELECT anonopt.publish_table('t', 'd', cuts => '{11}', k => 3);
DELETE FROM people WHERE v IS NULL;
SELECT anonopt.refresh_release('t');
