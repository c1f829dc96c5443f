-- Comparing anonymizations as users do: rows and errors.
SET search_path = public;
\pset null NULL
CREATE TABLE member (id int, age int, town text, sport text);
INSERT INTO member VALUES (1, 21, 'A1', 'judo'), (2, 22, 'A1', 'judo'), (3, 24, 'A2', 'golf'), (4, 27, 'B1', 'judo'),
	(5, 31, 'B1', 'golf'), (6, 33, 'B2', 'polo'), (7, 36, 'A1', 'polo'), (8, 38, 'A2', 'golf');
SELECT anonopt.create_interval_hierarchy('member_age', 20, 39, '{5,10}') \g /dev/null
SELECT anonopt.create_mask_hierarchy('member_town', 'member', 'town') \g /dev/null
SELECT anonopt.create_dataset('members', 'member', max_suppression => 0.25) \g /dev/null
SELECT anonopt.add_quasi_identifier('members', 'age', 'member_age'), anonopt.add_quasi_identifier('members', 'town', 'member_town') \g /dev/null
-- ages by tens and towns by their first letter
SELECT * FROM anonopt.property_vector('members', '{2,1}', 'class_size', 'id');
-- by position
SELECT * FROM anonopt.property_vector('members', '{2,1}', 'class_size') LIMIT 2;
-- the fourth, alone of her kind, is suppressed: a class of its own, and all is lost
SELECT id, age, town, round(size.value::numeric, 3) AS size, round(loss.value::numeric, 3) AS loss, round(utility.value::numeric, 3) AS utility
FROM member, anonopt.property_vector('members', '{1,1}', 'class_size', 'id') size, anonopt.property_vector('members', '{1,1}', 'loss', 'id') loss,
	anonopt.property_vector('members', '{1,1}', 'utility', 'id') utility
WHERE size.record = id::text AND loss.record = id::text AND utility.record = id::text ORDER BY id;
SELECT * FROM anonopt.compare('members', '{2,1}', '{0,2}', '{class_size}');
SELECT DISTINCT property FROM anonopt.compare('members', '{2,1}', '{1,1}') ORDER BY property;
-- lists of nodes, compared by position
SELECT index, better, a_levels, b_levels FROM anonopt.compare('members', '{{2,1},{0,2}}', '{{3,0},{3,0}}', '{class_size}')
WHERE index IN ('p_spr', 'dominance');
SELECT * FROM anonopt.tournament('members', '{{2,1},{3,0},{1,1},{0,2}}', 'class_size', 'p_spr');
SELECT * FROM anonopt.tournament('members', '{3,2}', 'class_size', 'p_hv');
-- what is about a sensitive column needs one
SELECT * FROM anonopt.property_vector('members', '{2,1}', 'sensitive_count', 'id');
SELECT * FROM anonopt.compare('members', '{2,1}', '{1,1}', '{class_size,others_count}');
SELECT * FROM anonopt.tournament('members', '{2,1}', 'sensitive_count', 'p_cov');
SELECT anonopt.add_sensitive('members', 'sport') \g /dev/null
SELECT id, sport, same.value AS same, other.value AS other
FROM member, anonopt.property_vector('members', '{2,1}', 'sensitive_count', 'id') same, anonopt.property_vector('members', '{2,1}', 'others_count', 'id') other
WHERE same.record = id::text AND other.record = id::text ORDER BY id;
-- releases of other tools, joined by a key
CREATE TABLE theirs (id int PRIMARY KEY, size int);
INSERT INTO theirs VALUES (1, 3), (2, 3), (3, 2), (4, 2), (5, 2), (6, 2), (7, 3), (8, NULL);
SELECT anonopt.p_cov(value, size), anonopt.p_spr(value, size), anonopt.p_binary(value, size), anonopt.p_rank(value, 8),
	anonopt.p_hv(value, size), anonopt.p_hv_order(value, size), anonopt.dominance(value, size)
FROM anonopt.property_vector('members', '{2,1}', 'class_size', 'id') JOIN theirs ON id::text = record;
-- no pair, no index
SELECT anonopt.p_rank(NULL, 1), anonopt.p_cov(1, NULL), anonopt.p_spr(1, 2) FILTER (WHERE false), anonopt.p_hv(NULL, NULL),
	anonopt.ln_p_hv(NULL, 1), anonopt.p_hv_order(NULL, 1), anonopt.p_binary(1, NULL), anonopt.dominance(1, NULL);
-- values that no index takes
SELECT anonopt.p_rank('NaN', 1);
SELECT anonopt.p_cov(1, 'Infinity');
SELECT anonopt.dominance('-Infinity', 1);
SELECT anonopt.p_hv(2, -1);
SELECT anonopt.ln_p_hv(-2, 1);
-- sets of properties
SELECT anonopt.p_wtd('{0.3,1}', '{0.5,0.5}') AS weighted, anonopt.p_lex('{0.3,1}', '{1,0.3}', '{0.1,0.1}') AS first,
	anonopt.p_lex('{0.3,1}', '{1,0.3}', '{0.1,0.7}') AS none, anonopt.p_goal('{0.3,1}', '{1,0.5}') AS missed;
SELECT anonopt.p_wtd('{1,2}', '{0.5,0.5000000005}'), anonopt.p_wtd(NULL, '{1}'), anonopt.p_lex('{1}', '{1}', NULL), anonopt.p_goal('{}', '{}');
SELECT anonopt.p_wtd('{1,2}', '{0.5,0.50001}');
SELECT anonopt.p_wtd('{1,2}', '{1.5,-0.5}');
SELECT anonopt.p_wtd('{1,2}', '{1}');
SELECT anonopt.p_wtd('{1,NULL}', '{0.5,0.5}');
SELECT anonopt.p_wtd('{{1,2}}', '{0.5,0.5}');
SELECT anonopt.p_wtd('{1,NaN}', '{0.5,0.5}');
SELECT anonopt.p_lex('{1,2}', '{1}', '{0,0}');
SELECT anonopt.p_lex('{1,2}', '{1,2}', '{0}');
SELECT anonopt.p_lex('{1,2}', '{1,2}', '{0,-1}');
SELECT anonopt.p_goal('{1,2}', '{1,2,3}');
-- what cannot be asked
SELECT * FROM anonopt.property_vector('members', '{2,1}', 'beauty', 'id');
SELECT * FROM anonopt.property_vector('members', '{2,1}', NULL, 'id');
SELECT * FROM anonopt.property_vector('members', '{2,1,0}', 'loss', 'id');
SELECT * FROM anonopt.property_vector('members', '{2,7}', 'loss', 'id');
SELECT * FROM anonopt.property_vector('members', '{{2,1},{1,1}}', 'loss', 'id');
SELECT * FROM anonopt.property_vector('members', NULL, 'loss', 'id');
SELECT * FROM anonopt.property_vector('members', '{2,1}', 'loss', 'name');
SELECT * FROM anonopt.property_vector('members', '{2,1}', 'loss', 'town');
SELECT * FROM anonopt.property_vector('nobody knows', '{2,1}', 'loss');
SELECT * FROM anonopt.compare('members', '{2,1}', '{{1,1},{0,1}}');
SELECT * FROM anonopt.compare('members', '{2,1}', '{1}');
SELECT * FROM anonopt.compare('members', '{2,1}', '{1,NULL}');
SELECT * FROM anonopt.compare('members', '{2,1}', '{1,1}', '{loss,beauty}');
SELECT * FROM anonopt.compare('members', '{2,1}', '{1,1}', '{loss,NULL}');
SELECT * FROM anonopt.compare('members', '{2,1}', '{1,1}', NULL);
SELECT * FROM anonopt.compare('members', '{2,1}', '{1,1}', '{}');
SELECT * FROM anonopt.tournament('members', '{{2,1},{1,1}}', 'loss', 'p_beauty');
SELECT * FROM anonopt.tournament('members', '{{2,1},{1,1}}', 'beauty', 'p_cov');
SELECT * FROM anonopt.tournament('members', '{{2,1},{1,1}}', 'loss', NULL);
SELECT * FROM anonopt.tournament('members', '{}', 'loss', 'p_cov');
-- rows of a view have no ctid
CREATE VIEW seen AS SELECT * FROM member;
SELECT anonopt.create_dataset('seen', 'seen'), anonopt.add_quasi_identifier('seen', 'age', 'member_age') \g /dev/null
SELECT * FROM anonopt.property_vector('seen', '{2}', 'class_size');
SELECT count(*), sum(value) FROM anonopt.property_vector('seen', '{2}', 'class_size', 'id');
-- a relation whose rows differ each time is read once, so that each row has a
-- class (if queries run in workers, the server refuses nextval first)
SELECT set_config(name, 'off', false) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query');
CREATE SEQUENCE ever;
CREATE VIEW changing AS SELECT nextval('ever') AS id, 20 + (nextval('ever') % 20)::int AS age;
SELECT anonopt.create_dataset('changing', 'changing'), anonopt.add_quasi_identifier('changing', 'age', 'member_age') \g /dev/null
SELECT count(*), sum(value) FROM anonopt.property_vector('changing', '{0}', 'class_size', 'id');
-- a second reading would find more rows of one tuple and fewer of another
CREATE VIEW turning AS SELECT i AS id, CASE WHEN nextval('ever') <= 9 THEN 20 ELSE 21 END AS age FROM generate_series(1, 6) i;
SELECT anonopt.create_dataset('turning', 'turning'), anonopt.add_quasi_identifier('turning', 'age', 'member_age') \g /dev/null
ALTER SEQUENCE ever RESTART 1;
SELECT value, count(*) FROM anonopt.property_vector('turning', '{0}', 'class_size', 'id') GROUP BY value;
-- keys that do not name every row
CREATE TABLE keyed (id int, note json, age int);
INSERT INTO keyed VALUES (1, '1', 21), (NULL, '2', 22);
SELECT anonopt.create_dataset('keyed', 'keyed'), anonopt.add_quasi_identifier('keyed', 'age', 'member_age') \g /dev/null
SELECT * FROM anonopt.property_vector('keyed', '{2}', 'class_size', 'id');
SELECT * FROM anonopt.property_vector('keyed', '{2}', 'class_size', 'note');
CREATE TABLE forebear (id int PRIMARY KEY, age int);
CREATE TABLE child () INHERITS (forebear);
INSERT INTO forebear VALUES (1, 21);
INSERT INTO child VALUES (1, 22);
SELECT anonopt.create_dataset('forebear', 'forebear'), anonopt.add_quasi_identifier('forebear', 'age', 'member_age') \g /dev/null
SELECT * FROM anonopt.property_vector('forebear', '{2}', 'class_size', 'id');
-- numbers at the ends of their range
SELECT anonopt.p_spr(a, b) FROM (VALUES (1e308::float8, -1e308::float8)) x (a, b);
SELECT anonopt.p_spr(a, b) FROM (VALUES (1e308::float8, 0::float8), (1e308, 0)) x (a, b);
SELECT anonopt.p_rank(1e200, 0);
SELECT anonopt.p_goal('{1e200}', '{-1e200}');
SELECT round(anonopt.ln_p_hv(1e308, 1e-300)::numeric, 6) AS ln_p_hv;
SELECT anonopt.p_hv(a, b) FROM (VALUES (5::float8, 2::float8), (3, 1e20)) x (a, b);
SELECT anonopt.p_hv(a, b) FROM (VALUES (50001::float8, 2::float8), (3, 3.5)) x (a, b);
SELECT anonopt.p_hv_order(a, b), anonopt.p_hv(a, b), anonopt.p_hv(b, a) FROM (VALUES (94906266::float8, 94906265::float8), (94906264, 94906265)) x (a, b);
SELECT anonopt.p_wtd('{1,2}', '{0.5,0.499999998}');
-- nobody
TRUNCATE member;
SELECT * FROM anonopt.property_vector('members', '{2,1}', 'class_size', 'id');
SELECT * FROM anonopt.compare('members', '{2,1}', '{1,1}');
SELECT * FROM anonopt.tournament('members', '{{2,1},{1,1}}', 'loss', 'p_cov');
SELECT anonopt.drop_dataset(dataset) FROM anonopt.dataset \g /dev/null
