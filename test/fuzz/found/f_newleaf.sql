-- A live view by a cut, of a NOT NULL column with unknown => '*': a value whose leaf came later is shown as NULL.
CREATE EXTENSION IF NOT EXISTS anonopt;
SET client_min_messages = error; SET anonopt.composition = off;
CREATE TABLE h (v int PRIMARY KEY, top text);
INSERT INTO h VALUES (1, '*'), (2, '*');
CREATE TABLE people AS SELECT v FROM h, generate_series(1, 10) i;
ALTER TABLE people ALTER v SET NOT NULL;
SELECT anonopt.create_dataset('d', 'people', 1), anonopt.add_quasi_identifier('d', 'v', 'h', unknown => '*');
SELECT anonopt.create_view('l', 'd', cuts => '{11}', k => 3, materialized => false);
INSERT INTO people SELECT 3 FROM generate_series(1, 3);
SELECT v, count(*) FROM l GROUP BY v ORDER BY v;    -- 3 has no leaf: *
INSERT INTO h VALUES (3, '*');
SELECT v, count(*) FROM l GROUP BY v ORDER BY v;    -- 3 has a leaf that the cut does not know: hidden, as without NOT NULL; not NULL
