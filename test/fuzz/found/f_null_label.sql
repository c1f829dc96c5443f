-- A hierarchy of days names NULL, which stands inside its tree; a group of a cut that begins with it is labelled "[(null), …]".
CREATE EXTENSION IF NOT EXISTS anonopt;
SET client_min_messages = error; SET anonopt.composition = off;
CREATE TABLE h (v date UNIQUE, near text, top text);
INSERT INTO h VALUES ('2024-01-01', 'a', '*'), ('2024-01-03', 'b', '*'), (NULL, 'a', '*'), ('2024-01-02', 'c', '*');
CREATE TABLE people AS SELECT v FROM h, generate_series(1, 5) i;
SELECT anonopt.create_dataset('d', 'people', 1), anonopt.add_quasi_identifier('d', 'v', 'h');
-- the order is 2024-01-01, NULL, 2024-01-02, 2024-01-03
SELECT anonopt.publish_table('t', 'd', cuts => '{101}', k => 3), anonopt.publish_table('t2', 'd', cuts => '{001}', k => 3);
SELECT v, count(*) FROM t GROUP BY v;
SELECT v, count(*) FROM t2 GROUP BY v;   -- "[2024-01-01, 2024-01-02]" holds the five NULLs, too
