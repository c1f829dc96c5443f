-- People with several rows, stars and average_risk: a table leaves out the starred, because only k of their people are counted; a view by the same
-- promise shows them.
CREATE EXTENSION IF NOT EXISTS anonopt;
SET client_min_messages = error; SET anonopt.composition = off;
CREATE TABLE h (v text PRIMARY KEY, top text);
INSERT INTO h SELECT 'v' || i, '*' FROM generate_series(1, 13) i;
CREATE TABLE visit AS SELECT i AS person, 'v1' AS v FROM generate_series(1, 10) i            -- a class of ten
	UNION ALL SELECT 11 + (i + j) % 12, 'v' || 2 + i FROM generate_series(0, 11) i, generate_series(0, 1) j;  -- twelve of two; twelve people together
SELECT anonopt.create_dataset('d', 'visit', 1, person => 'person'), anonopt.add_quasi_identifier('d', 'v', 'h'), anonopt.add_promise('d', 'average_risk', 0.3);
SELECT anonopt.publish_table('t', 'd', '{0}', k => 3, suppressed => 'star'), anonopt.create_view('m', 'd', '{0}', k => 3, suppressed => 'star');
REFRESH MATERIALIZED VIEW m;
SELECT (SELECT count(*) FROM t WHERE anonopt_suppressed) AS starred_in_table, (SELECT count(*) FROM m WHERE anonopt_suppressed) AS starred_by_statement;
