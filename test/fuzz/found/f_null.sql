-- A hierarchy names NULL, last in its order, and a cut holds NULL together with its neighbour. After a leaf was added between them, 
-- refresh_release parts NULL from its group.
CREATE EXTENSION IF NOT EXISTS anonopt;
SET client_min_messages = error; SET anonopt.composition = off;
CREATE TABLE h (v int UNIQUE, near text, top text);
INSERT INTO h VALUES (1, 'a', '*'), (2, 'b', '*'), (NULL, 'c', '*');
CREATE TABLE people AS SELECT v FROM h, generate_series(1, 10) i;
SELECT anonopt.create_dataset('d', 'people', 1), anonopt.add_quasi_identifier('d', 'v', 'h');
SELECT anonopt.publish_table('t', 'd', cuts => '{10}', k => 3);   -- 1; 2 and NULL
SELECT v, count(*) FROM t GROUP BY v ORDER BY v;
INSERT INTO h VALUES (5, 'c', '*');                               -- between 2 and NULL
SELECT anonopt.refresh_release('t');
SELECT cuts FROM anonopt.release;
SELECT v, count(*) FROM t GROUP BY v ORDER BY v;
