-- People with several rows: verify counts the starred class by its rows, although it has fewer people than any other class.
CREATE EXTENSION IF NOT EXISTS anonopt;
SET client_min_messages = error; SET anonopt.composition = off;
CREATE TABLE h (v text PRIMARY KEY, top text);
INSERT INTO h SELECT v, '*' FROM unnest('{a,b,c}'::text[]) v;
CREATE TABLE visit (person int, v text);
INSERT INTO visit SELECT i, 'a' FROM generate_series(1, 10) i;            -- a class of ten people
INSERT INTO visit SELECT 11 + i % 2, 'b' FROM generate_series(1, 20) i;   -- two people with ten rows each
INSERT INTO visit SELECT 12 + i % 2, 'c' FROM generate_series(1, 20) i;   -- two people, one of them in b, too
SELECT anonopt.create_dataset('d', 'visit', 1, person => 'person'), anonopt.add_quasi_identifier('d', 'v', 'h');
SELECT anonopt.publish_table('t', 'd', '{0}', k => 3, suppressed => 'star');
SELECT v, count(*) FROM t GROUP BY v;
SELECT promised_k, k AS k_should_be_3, rows, ok FROM anonopt.verify('t');
