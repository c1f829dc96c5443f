-- Releases by cuts after their hierarchies or NULLs have changed, labels of trees that are not in the order of their values, and
-- what random worlds found beside that.
\ir ../begin.inc
SET client_min_messages = error;
SELECT * FROM no_plan();
SET anonopt.composition = off;
SET check_function_bodies = off;

CREATE FUNCTION shown(release regclass) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
    EXECUTE format('SELECT string_agg(v || '':'' || n, ''; '' ORDER BY v) FROM (SELECT coalesce(v::text, ''NULL'') AS v, count(*) AS n FROM %s GROUP BY 1) x', release) INTO result;
    RETURN result;
END $$;
CREATE FUNCTION declare_v(hierarchy regclass, min_level int DEFAULT 0, unknown text DEFAULT NULL, zone text DEFAULT 'UTC') RETURNS void LANGUAGE sql AS $$
    SELECT anonopt.create_dataset('d', 'people', 1, timezone => zone);
    SELECT anonopt.add_quasi_identifier('d', 'v', hierarchy, min_level => min_level, unknown => unknown);
$$;

-- leaves of every kind of text: those that were known are found again
CREATE FUNCTION grown(type text, leaves text[], zone text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
    EXECUTE format('CREATE TABLE h (v %s PRIMARY KEY, top text)', type);
    EXECUTE format('INSERT INTO h SELECT v, ''*'' FROM unnest(%L::%s[]) v', leaves[1:3], type);
    CREATE TABLE people AS SELECT v FROM h, generate_series(1, 10) i;
    PERFORM declare_v('h', zone => zone);
    PERFORM anonopt.publish_table('t', 'd', cuts => '{01}', k => 3);
    EXECUTE format('INSERT INTO h SELECT v, ''*'' FROM unnest(%L::%s[]) v', leaves[4:], type);
    PERFORM anonopt.refresh_release('t');
    SELECT cuts::text INTO result FROM anonopt.release;
    RAISE EXCEPTION USING errcode = 'AA000', message = result;
EXCEPTION WHEN SQLSTATE 'AA000' THEN RETURN SQLERRM;
END $$;
SELECT is(grown(type, leaves, zone), '{011}', format('a hierarchy of %s in %s grows', type, zone)) FROM (VALUES
    ('text', '{a,b,c,d}'::text[], 'UTC'),
    ('inet', '{10.0.0.1,10.0.0.2,10.0.0.3,10.0.0.4}', 'UTC'),
    ('character(3)', '{a,b,c,d}', 'UTC'),
    ('timestamptz', '{2024-01-01 00:00+00,2024-01-02 00:00+00,2024-01-03 00:00+00,2024-01-04 00:00+00}', 'UTC'),
    ('timestamptz', '{2024-01-01 00:00+00,2024-01-02 00:00+00,2024-01-03 00:00+00,2024-01-04 00:00+00}', 'Asia/Kolkata'),
    ('date', '{2024-01-01,2024-01-02,2024-01-03,2024-01-04}', 'UTC')) x (type, leaves, zone);

-- NULL stays in its group
SAVEPOINT a;
CREATE TABLE h (v int UNIQUE, near text, top text);
INSERT INTO h VALUES (1, 'a', '*'), (2, 'b', '*'), (NULL, 'c', '*');
CREATE TABLE people AS SELECT v FROM h, generate_series(1, 10) i;
SELECT declare_v('h');
SELECT anonopt.publish_table('t', 'd', cuts => '{10}', k => 3);
INSERT INTO h VALUES (5, 'c', '*');
SELECT anonopt.refresh_release('t');
SELECT is(shown('t'), '1:10; {b, c}:20', 'a leaf between a group''s last value and its NULL joins them');
ROLLBACK TO a;

-- the last NULL leaves, and comes back
CREATE TABLE h (v int PRIMARY KEY, top text);
INSERT INTO h VALUES (1, '*'), (2, '*');
CREATE TABLE people AS SELECT v FROM h, generate_series(1, 10) i UNION ALL SELECT NULL FROM generate_series(1, 3);
SELECT declare_v('h');
SELECT anonopt.publish_table('t', 'd', cuts => '{01}', k => 3);
DELETE FROM people WHERE v IS NULL;
SELECT anonopt.refresh_release('t');
SELECT is(shown('t'), '*:20', 'the last NULL has left');
INSERT INTO people SELECT NULL FROM generate_series(1, 4);
SELECT anonopt.refresh_release('t');
SELECT is(shown('t'), 'NULL:4; [1, 3):20', 'a NULL is back, and by itself');
SELECT is((SELECT cut_labels FROM anonopt.published), '{1,2,NULL}', 'the labels that the cut parts are kept with it');
ROLLBACK TO a;

-- a new leaf of an old label changes the order of labels
CREATE TABLE h (v int PRIMARY KEY, near text, top text);
INSERT INTO h VALUES (10, 'a', '*'), (20, 'b', '*'), (30, 'c', '*');
CREATE TABLE people AS SELECT v FROM h, generate_series(1, 10) i;
SELECT declare_v('h', 1);
SELECT anonopt.publish_table('t', 'd', cuts => '{01}', k => 3);
INSERT INTO h VALUES (5, 'c', '*');
SELECT throws_ok($$SELECT anonopt.refresh_release('t')$$, '23514', 'the labels of column "v" have another order than when release public.t was made');
SELECT is(shown('t'), 'c:10; {a, b}:20', 'the release is as it was');
SELECT anonopt.republish('t', cuts => '{10}');
SELECT is(shown('t'), 'c:10; {a, b}:20', 'and is made again by another cut');
UPDATE anonopt.published SET cut_labels = cut_labels[2:];
SELECT throws_ok($$SELECT anonopt.refresh_release('t')$$, '23514', NULL, 'a record that lacks labels is not sound');
ROLLBACK TO a;

-- a live view by a cut shows values whose leaf came later as groups of their own, whether or not its column may be NULL
CREATE TABLE h (v int PRIMARY KEY, top text);
INSERT INTO h VALUES (1, '*'), (2, '*');
CREATE TABLE people AS SELECT v FROM h, generate_series(1, 10) i;
ALTER TABLE people ALTER v SET NOT NULL;
SELECT declare_v('h', unknown => '*');
SELECT anonopt.create_view('l', 'd', cuts => '{11}', k => 3, materialized => false);
INSERT INTO people SELECT 3 FROM generate_series(1, 3);
SELECT is(shown('l'), '*:3; 1:10; 2:10', 'a value without a leaf');
INSERT INTO h VALUES (3, '*');
SELECT is(shown('l'), '1:10; 2:10; 3:3', 'a value with a new one');
ROLLBACK TO a;

-- the first NULL joins a last level of one label
CREATE TABLE h (v int PRIMARY KEY, top text);
INSERT INTO h VALUES (1, '*'), (2, '*');
CREATE TABLE people AS SELECT v FROM h, generate_series(1, 10) i;
SELECT declare_v('h', 1);
SELECT anonopt.create_view('c', 'd', cuts => '{""}', k => 3, materialized => false),
    anonopt.create_view('n', 'd', levels => '{1}', k => 3, materialized => false), anonopt.publish_table('t', 'd', cuts => '{""}', k => 3);
INSERT INTO people SELECT NULL FROM generate_series(1, 2);
SELECT anonopt.refresh_release('t');
SELECT is(shown(release), '*:22', release || ' after the first NULL') FROM unnest('{c,n,t}'::text[]) release;
ROLLBACK TO a;

-- a tree that is not in the order of its values: 1, 9, 2, 8
CREATE TABLE h (v int PRIMARY KEY, near text, top text);
INSERT INTO h VALUES (1, 'odd', '*'), (9, 'odd', '*'), (2, 'even', '*'), (8, 'even', '*');
CREATE TABLE people AS SELECT v FROM h, generate_series(1, 5) i;
SELECT declare_v('h');
SELECT anonopt.publish_table('t1', 'd', cuts => '{101}', k => 3), anonopt.publish_table('t2', 'd', cuts => '{001}', k => 3);
SELECT is(shown('t1'), '1:5; 8:5; {9, 2}:10', 'a group that is no interval');
SELECT is(shown('t2'), '8:5; {odd, 2}:15', 'nor one whose ends are in order');
CREATE TABLE r AS SELECT v, (v IN (9, 2))::int::bigint AS class FROM h;
SELECT bag_eq($$SELECT shown FROM anonopt.recoding_classes('d', 'r', 'range')$$, $$VALUES ('{*}'::text[]), ('{"{9, 2}"}')$$, 'nor in a recoding');
ROLLBACK TO a;
CREATE TABLE people AS SELECT unnest('{1,2,2,2,2,3,4,4,4,4,5}'::int[]) AS v FROM generate_series(1, 3);
SELECT anonopt.create_frequency_hierarchy('h', 'people', 'v', 5);
SELECT declare_v('h');
SELECT anonopt.publish_table('t', 'd', cuts => '{0001}', k => 3);
SELECT is(shown('t'), '4:12; {other, 2}:21', 'a hierarchy by frequency keeps rare values together');
ROLLBACK TO a;
CREATE TABLE h (v date UNIQUE, near text, top text);
INSERT INTO h VALUES ('2024-01-01', 'a', '*'), ('2024-01-03', 'b', '*'), (NULL, 'a', '*'), ('2024-01-02', 'c', '*');
CREATE TABLE people AS SELECT v FROM h, generate_series(1, 5) i;
SELECT declare_v('h');
SELECT anonopt.publish_table('t1', 'd', cuts => '{101}', k => 3), anonopt.publish_table('t2', 'd', cuts => '{001}', k => 3);
SELECT is(shown('t1'), '2024-01-01:5; 2024-01-03:5; {NULL, c}:10', 'days: a NULL inside the tree');
SELECT is(shown('t2'), '2024-01-03:5; {a, c}:15', 'is never inside an interval');
ROLLBACK TO a;

-- people with several rows: those who are starred are counted, all of them
CREATE TABLE h (v text PRIMARY KEY, top text);
INSERT INTO h SELECT v, '*' FROM unnest('{a,b,c}'::text[]) v;
CREATE TABLE visit (person int, v text);
INSERT INTO visit SELECT i, 'a' FROM generate_series(1, 10) i UNION ALL SELECT 11 + i % 2, 'b' FROM generate_series(1, 20) i
    UNION ALL SELECT 12 + i % 2, 'c' FROM generate_series(1, 20) i;
SELECT anonopt.create_dataset('d', 'visit', 1, person => 'person'), anonopt.add_quasi_identifier('d', 'v', 'h');
SELECT anonopt.publish_table('t', 'd', '{0}', k => 3, suppressed => 'star');
SELECT is((SELECT row(k, rows, ok)::text FROM anonopt.verify('t')), '(3,50,t)', 'three people of forty starred rows');
ROLLBACK TO a;
CREATE TABLE h (v text PRIMARY KEY, top text);
INSERT INTO h SELECT 'v' || i, '*' FROM generate_series(1, 13) i;
CREATE TABLE visit AS SELECT i AS person, 'v1' AS v FROM generate_series(1, 10) i
    UNION ALL SELECT 11 + (i + j) % 12, 'v' || 2 + i FROM generate_series(0, 11) i, generate_series(0, 1) j;
SELECT anonopt.create_dataset('d', 'visit', 1, person => 'person'), anonopt.add_quasi_identifier('d', 'v', 'h'), anonopt.add_promise('d', 'average_risk', 0.3);
SELECT anonopt.publish_table('t', 'd', '{0}', k => 3, suppressed => 'star'), anonopt.create_view('m', 'd', '{0}', k => 3, suppressed => 'star');
SELECT is((SELECT count(*) FROM t WHERE anonopt_suppressed), 24::bigint, 'twelve people starred have a risk of a twelfth');
SELECT is((SELECT count(*) FROM m WHERE anonopt_suppressed), 24::bigint, 'in a view, too');
ROLLBACK TO a;

-- texts of fixed length keep it in a live view
CREATE TABLE h (v text PRIMARY KEY, top text);
INSERT INTO h VALUES ('a', '*'), ('b', '*');
CREATE TABLE people AS SELECT (ARRAY['a', 'b'])[1 + i % 2] AS v, 'flu'::character(4) AS ill FROM generate_series(1, 20) i;
SELECT declare_v('h');
SELECT anonopt.add_sensitive('d', 'ill');
SELECT anonopt.create_view('l', 'd', '{0}', k => 3, materialized => false);
SELECT anonopt.republish('l', levels => '{1}');
SELECT is((SELECT string_agg(DISTINCT ill || '|', ',') FROM l), 'flu|', 'after republish');
ROLLBACK TO a;

-- no name of a column is taken
CREATE TABLE h (v text PRIMARY KEY, top text);
INSERT INTO h VALUES ('a', '*'), ('b', '*');
CREATE TABLE people AS SELECT (ARRAY['a', 'b'])[1 + i % 2] AS n FROM generate_series(1, 20) i;
SELECT anonopt.create_dataset('d', 'people', 1), anonopt.add_quasi_identifier('d', 'n', 'h', unknown => '*'), anonopt.add_promise('d', 'average_risk', 0.5);
SELECT lives_ok($$SELECT anonopt.create_view('l', 'd', '{0}', k => 3, materialized => false)$$, 'a quasi-identifier named n');
SELECT is((SELECT count(*) FROM l), 20::bigint, 'is shown');
ROLLBACK TO a;

-- the labels of cuts are those of the level that they part, even if the lowest level is another one now
CREATE TABLE h AS SELECT v, format('[%s, %s)', v / 10 * 10, v / 10 * 10 + 10) AS decade, '*' AS top FROM generate_series(0, 38) v WHERE v <> 19;
ALTER TABLE h ADD PRIMARY KEY (v);
CREATE TABLE people AS SELECT v FROM h, generate_series(1, CASE WHEN v = 12 THEN 3 WHEN v / 10 = 1 THEN 0 ELSE 2 END);
SELECT declare_v('h', 1);
SELECT anonopt.publish_table('s', 'd', cuts => '{100}', k => 2), anonopt.publish_table('t', 'd', cuts => '{010}', k => 2);
SELECT is(shown('t'), '[0, 20):23; [20, 40):38', 'decades are cut');
SELECT is((SELECT min(smallest) FROM anonopt.release_risk('d')), 3::bigint, 'and three people are singled out by both releases');
SELECT anonopt.drop_attribute('d', 'v', 'quasi_identifier'), anonopt.add_quasi_identifier('d', 'v', 'h');
SELECT is((SELECT min(smallest) FROM anonopt.release_risk('d')), 3::bigint, 'who are still, once leaves could be shown');
ROLLBACK TO a;

-- values without a leaf must not look like others
CREATE TABLE h (v text PRIMARY KEY, near text, far text);
INSERT INTO h VALUES ('a', '*', '*'), ('b', 'g', '*');
CREATE TABLE people AS SELECT (ARRAY['a', 'b', 'x'])[1 + i % 3] AS v FROM generate_series(1, 9) i;
SELECT throws_ok($$SELECT declare_v('h', unknown => '*')$$, '23514', 'values of column "v" without a leaf would look like others');
SELECT * FROM finish();
ROLLBACK;
