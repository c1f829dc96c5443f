-- Releases by recodings: refreshed after people came, left and moved, compared
-- with plain SQL that joins the relation to the recoding.
\ir ../begin.inc
SET search_path = public;
SET client_min_messages = error;

CREATE TABLE visitor AS
    SELECT nr, floor(60 * power(random(), 2))::int AS age, nullif('p' || floor(9 * power(random(), 2)), 'p5') AS place,
           'ill ' || floor(4 * random()) AS ill
    FROM generate_series(1, 400) nr, setseed(0.4);
CREATE TABLE place_tree AS SELECT 'p' || i AS child, 'east ' || i / 3 AS parent FROM generate_series(0, 8) i
    UNION ALL SELECT 'east ' || i, '*' FROM generate_series(0, 2) i;
SELECT anonopt.create_interval_hierarchy('ages', 0, 99, '{5,10,50}'), anonopt.create_tree_hierarchy('places', 'place_tree') \g /dev/null
SELECT anonopt.create_dataset('visitors', 'visitor', 0.05), anonopt.add_quasi_identifier('visitors', 'age', 'ages'),
       anonopt.add_quasi_identifier('visitors', 'place', 'places'), anonopt.add_sensitive('visitors', 'ill') \g /dev/null

-- The lowest label that all values of a class have.
CREATE FUNCTION pg_temp.lowest(hierarchy regclass, written text[]) RETURNS text
LANGUAGE sql AS $$
    SELECT min(label) FROM (
        SELECT level, (anonopt.generalize(w, hierarchy, level)) AS label FROM unnest(written) w, generate_series(0, 4) level
        WHERE level <= CASE hierarchy WHEN 'places'::regclass THEN 2 ELSE 4 END) x
    GROUP BY level HAVING count(DISTINCT coalesce(label, 'NULL')) = 1 ORDER BY level LIMIT 1
$$;

-- The expected rows of a release by a recoding: the labels of everybody's class, for classes that keep the
-- promise.
CREATE FUNCTION pg_temp.expected(recoding regclass, labels text, k int, l int) RETURNS TABLE (age text, place text, ill text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY EXECUTE format('WITH member AS MATERIALIZED (
            SELECT v.*, r.class FROM visitor v JOIN %1$s r ON r.age = v.age AND r.place IS NOT DISTINCT FROM v.place WHERE r.class IS NOT NULL),
        class AS MATERIALIZED (%2$s),
        shown AS (SELECT c.age, c.place, m.ill FROM member m JOIN class c USING (class)),
        kept AS (SELECT age, place FROM shown GROUP BY age, place HAVING count(*) >= %3$s AND count(DISTINCT ill) >= %4$s)
        SELECT s.age, s.place, ill FROM shown s JOIN kept p ON (p.age, coalesce(p.place, ''NULL'')) = (s.age, coalesce(s.place, ''NULL''))', recoding,
        CASE labels WHEN 'range' THEN format('SELECT class, shown[1] AS age, shown[2] AS place FROM anonopt.recoding_classes(''visitors'', %L, ''range'')', recoding)
        ELSE 'SELECT class, pg_temp.lowest(''ages'', array_agg(DISTINCT age::text)) AS age,
            pg_temp.lowest(''places'', array_agg(DISTINCT place)) AS place FROM member GROUP BY class' END, k, l);
END $$;

CREATE FUNCTION pg_temp.fault(release regclass, recoding regclass, labels text, k int, l int) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    fault text;
BEGIN
    EXECUTE format('WITH got AS (SELECT age, place, ill FROM %s), want AS (SELECT * FROM pg_temp.expected(%L, %L, %s, %s))
        SELECT string_agg(what || '' '' || w, '', '') FROM (
            SELECT ''shown'' AS what, x AS w FROM (TABLE got EXCEPT ALL TABLE want) x
            UNION ALL SELECT ''missing'', x FROM (TABLE want EXCEPT ALL TABLE got) x LIMIT 5) d', release, recoding, labels, k, l) INTO fault;
    RETURN coalesce(fault, CASE WHEN NOT (anonopt.verify(release)).ok THEN 'verify: ' || anonopt.verify(release) END);
END $$;

SELECT plan(2 * 3 * 2 + 15 + 4 * pg_temp.few(4, 2) * 5 + 2);
SELECT anonopt.create_recoding('by_' || w, 'visitors', k => 5, l => 2, labels => w, seed => 1) FROM unnest('{hierarchy,range}'::text[]) w \g /dev/null
SELECT anonopt.publish_table(w || '_table', 'visitors', k => 4, l => 2, recoding => ('by_' || w)::regclass, labels => w),
       anonopt.create_view(w || '_snapshot', 'visitors', k => 4, l => 2, recoding => ('by_' || w)::regclass, labels => w),
       anonopt.create_view(w || '_live', 'visitors', k => 4, l => 2, materialized => false, recoding => ('by_' || w)::regclass, labels => w)
FROM unnest('{hierarchy,range}'::text[]) w \g /dev/null
SELECT is(pg_temp.fault((w || '_' || f)::regclass, ('by_' || w)::regclass, w, 4, 2), NULL, format('%s by %s labels', f, w))
FROM unnest('{hierarchy,range}'::text[]) w, unnest('{table,snapshot,live}'::text[]) f;

-- People come, leave and move; a live view shows at once those whose tuple is known.
INSERT INTO visitor SELECT 1000 + nr, floor(90 * power(random(), 2))::int, nullif('p' || floor(9 * random()), 'p5'), 'ill ' || floor(4 * random())
FROM generate_series(1, 60) nr, setseed(0.5);
DELETE FROM visitor WHERE nr % 17 = 0;
UPDATE visitor SET age = age + 1 WHERE nr % 31 = 0;
SELECT ok((SELECT count(*) FROM hierarchy_live) < (SELECT count(*) FROM visitor), 'a live view leaves out who came with a new tuple');
SELECT throws_ok($$SELECT anonopt.evaluate_recoding('visitors', 'by_range')$$, '23514', NULL, 'the recoding lacks tuples');

-- One refresh extends the recoding, the next finds it extended.
SELECT anonopt.refresh_release((w || '_' || f)::regclass) FROM unnest('{hierarchy,range}'::text[]) w, unnest('{table,snapshot,live}'::text[]) f \g /dev/null
SELECT is(pg_temp.fault((w || '_' || f)::regclass, ('by_' || w)::regclass, w, 4, 2), NULL, format('%s by %s labels, made anew', f, w))
FROM unnest('{hierarchy,range}'::text[]) w, unnest('{table,snapshot,live}'::text[]) f;
SELECT is((SELECT count(*) FROM by_hierarchy), (SELECT count(*) FROM (SELECT DISTINCT age, place FROM visitor
        UNION SELECT age, place FROM by_hierarchy) t), 'a row a distinct tuple');
SELECT is((SELECT string_agg(n::text, ' ') FROM (SELECT count(DISTINCT class) AS n FROM by_hierarchy r GROUP BY age, place HAVING count(*) > 1) x), NULL,
    'no tuple twice');

-- Stars: who is in no class is among them.
UPDATE by_range SET class = NULL WHERE (age, place) IN (SELECT age, place FROM visitor GROUP BY age, place ORDER BY count(*) DESC, age LIMIT 1);
SELECT anonopt.create_dataset('patient', 'visitor', 1), anonopt.add_quasi_identifier('patient', 'age', 'ages'),
       anonopt.add_quasi_identifier('patient', 'place', 'places') \g /dev/null
SELECT anonopt.publish_table('starred', 'patient', k => 3, suppressed => 'star', recoding => 'by_range', labels => 'range', columns => '{ill}') \g /dev/null
SELECT is((SELECT count(*) FROM starred), (SELECT count(*) FROM visitor), 'everybody is shown or starred');
SELECT ok((SELECT count(*) FROM starred WHERE anonopt_suppressed) >= (SELECT count(*) FROM visitor JOIN by_range r USING (age) WHERE r.place IS NOT DISTINCT FROM visitor.place AND class IS NULL),
    'who is in no class is starred');
SELECT is((SELECT count(*) FROM (SELECT age, place FROM starred GROUP BY age, place, anonopt_suppressed HAVING count(*) < 3) x), 0::bigint, 'classes are of three or more');

-- Two releases of one table: what somebody knows who knows a person's class in
-- both.
CREATE TABLE guest AS SELECT * FROM visitor;
SELECT anonopt.create_dataset('guests', 'guest', 0.5), anonopt.add_quasi_identifier('guests', 'age', 'ages'),
       anonopt.add_quasi_identifier('guests', 'place', 'places') \g /dev/null
SELECT anonopt.create_recoding('guest_classes', 'guests', k => 6, seed => 2) \g /dev/null
SELECT anonopt.publish_table('guest_recoded', 'guests', k => 6, recoding => 'guest_classes'),
       anonopt.publish_table('guest_node', 'guests', '{2,1}', k => 6) \g /dev/null
SELECT is((SELECT smallest FROM anonopt.release_risk('guests') WHERE cardinality(releases) = 2),
    (SELECT least(min(n), (SELECT min(d) FROM (SELECT abs(count(*) - (SELECT count(*) FROM guest_node)) AS d FROM guest_recoded) x WHERE d > 0)) FROM (
        SELECT count(*) AS n FROM (
            SELECT r.class, CASE WHEN count(*) OVER node >= 6 THEN s.node END AS node
            FROM (SELECT g.*, ROW(anonopt.generalize(g.age::text, 'ages', 2), anonopt.generalize(g.place, 'places', 1))::text AS node FROM guest g) s
            JOIN guest_classes r ON r.age = s.age AND r.place IS NOT DISTINCT FROM s.place WINDOW node AS (PARTITION BY s.node)) c
        WHERE class IS NOT NULL OR node IS NOT NULL GROUP BY class, node) x), 'a node and a recoding together');
SELECT throws_ok($$DROP TABLE guest_classes; SELECT anonopt.refresh_release('guest_recoded')$$, '42P01', NULL, 'a recoding that is gone');

-- Leaves of a domain, in a column that may hold NULL.
CREATE DOMAIN small AS int;
CREATE TABLE child AS SELECT nullif(i % 8, 7)::small AS toys FROM generate_series(1, 80) i;
CREATE TABLE toys (leaf small PRIMARY KEY, label text);
INSERT INTO toys SELECT i, '*' FROM generate_series(0, 6) i;
SELECT anonopt.create_dataset('children', 'child'), anonopt.add_quasi_identifier('children', 'toys', 'toys') \g /dev/null
SELECT anonopt.create_recoding('child_classes', 'children', k => 15, seed => 1) \g /dev/null
SELECT anonopt.create_view('child_live', 'children', k => 15, materialized => false, recoding => 'child_classes') \g /dev/null
SELECT is((SELECT count(*) FROM child_live), 80::bigint, 'leaves of a domain');

-- Suppressed people stay suppressed, which is reported if nothing else can be
-- done.
UPDATE child_classes SET class = NULL;
SELECT throws_ok($$SELECT anonopt.extend_recoding('child_classes', 'children', k => 15)$$, '22023', 'no extension of the recoding keeps the promise', 'all are suppressed');
UPDATE anonopt.dataset SET max_suppression = 1 WHERE dataset = 'children';
SELECT is(anonopt.extend_recoding('child_classes', 'children', k => 15), 0::bigint, 'which may be');
DELETE FROM child_classes;
SELECT is(anonopt.extend_recoding('child_classes', 'children', k => 15), 8::bigint, 'tuples without a row are placed anew');

-- Somebody who comes while others change class.
CREATE TABLE walker AS SELECT age, 'ill ' || i % 4 AS ill FROM unnest('{1,2,3,7,8}'::int[]) age, generate_series(1, 20) i;
SELECT anonopt.create_dataset('walkers', 'walker'), anonopt.add_quasi_identifier('walkers', 'age', 'ages'), anonopt.add_sensitive('walkers', 'ill') \g /dev/null
CREATE TABLE walker_classes AS SELECT DISTINCT age, (age > 5)::int::bigint AS class FROM walker;
SELECT anonopt.publish_table('walker_recoded', 'walkers', k => 5, recoding => 'walker_classes') \g /dev/null
UPDATE walker_classes SET class = 1 WHERE age = 2;
INSERT INTO walker VALUES (8, 'ill 1');
SET LOCAL anonopt.composition = refuse;
SELECT throws_ok($$SELECT anonopt.refresh_release('walker_recoded')$$, '55000', 'release public.walker_recoded differs from what was shown before by 1 person',
    'moves between classes hide nobody who comes');
SET LOCAL anonopt.composition = warn;

-- Sets of names that are as long as the domain, one a class.
CREATE TABLE name_tree AS SELECT 'somebody ' || to_char(i, '0000') AS leaf, '*' AS label FROM generate_series(1, 4000) i;
ALTER TABLE name_tree ADD PRIMARY KEY (leaf);
CREATE TABLE named AS SELECT leaf AS name FROM name_tree, generate_series(1, 2);
SELECT anonopt.create_dataset('names', 'named'), anonopt.add_quasi_identifier('names', 'name', 'name_tree') \g /dev/null
CREATE TABLE name_classes AS SELECT leaf AS name, row_number() OVER (ORDER BY leaf) % 2000 AS class FROM name_tree;
CREATE FUNCTION pg_temp.needed(statement text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    needed text;
BEGIN
    EXECUTE statement;
    RETURN NULL;
EXCEPTION WHEN out_of_memory THEN
    GET STACKED DIAGNOSTICS needed = PG_EXCEPTION_DETAIL;
    RETURN substring(needed, 'At least ([0-9]+) kB');
END $$;
SET LOCAL anonopt.memory = '16MB';
SELECT ok(pg_temp.needed($$SELECT count(*) FROM anonopt.recoding_classes('names', 'name_classes', 'range')$$) BETWEEN 16384 AND 40000, 'long labels are counted as memory');

-- Values without a leaf: a table, a view and a live view by a recoding show the same, also beside NULL and after more came.
RESET anonopt.memory;
CREATE EXTENSION IF NOT EXISTS btree_gist;
CREATE FUNCTION pg_temp.same_unknown(kind text, type text, value text, leaves text, outside text, nullable boolean, labels text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    form text;
BEGIN
    EXECUTE format('CREATE TABLE odd_leaves AS SELECT %s AS leaf, ''g'' || i / 4 AS near, ''*'' AS far FROM generate_series(0, 11) i', leaves);
    EXECUTE CASE WHEN leaves ~ 'range' THEN 'ALTER TABLE odd_leaves ADD EXCLUDE USING gist (leaf WITH &&)' ELSE 'ALTER TABLE odd_leaves ADD PRIMARY KEY (leaf)' END;
    EXECUTE format('CREATE TABLE odd AS SELECT CASE WHEN %L AND random() < 0.1 THEN NULL WHEN random() < 0.1 THEN %s ELSE %s END AS v, (random() * 3)::int AS age, random() < 0.5 AS ill
        FROM (SELECT (random() * 11)::int AS i FROM generate_series(1, 300)) x', nullable, outside, value);
    PERFORM anonopt.create_dataset('odd', 'odd', 0.3), anonopt.add_quasi_identifier('odd', 'v', 'odd_leaves', unknown => '*'), anonopt.add_quasi_identifier('odd', 'age', 'ages', unknown => '*'),
        anonopt.add_sensitive('odd', 'ill');
    PERFORM anonopt.create_recoding('odd_classes', 'odd', k => 7, l => 2, seed => 1, effort => 0.1);
    PERFORM anonopt.publish_table('odd_table', 'odd', recoding => 'odd_classes', k => 7, l => 2, labels => labels),
        anonopt.create_view('odd_view', 'odd', recoding => 'odd_classes', k => 7, l => 2, labels => labels), anonopt.create_view('odd_live', 'odd', recoding => 'odd_classes', k => 7, l => 2, labels => labels, materialized => false);
    RETURN NEXT ok((SELECT count(*) > 0 FROM odd_table WHERE v LIKE '%*%'), format('still: values without a leaf are shown: %s', kind));
    FOR turn IN 1 .. 2 LOOP
        FOREACH form IN ARRAY '{odd_view,odd_live}'::text[] LOOP
            RETURN NEXT bag_eq(format('SELECT v, age, ill FROM %I', form), 'SELECT v, age, ill FROM odd_table',
                format('%s, %s%s, by %s: the same rows%s', form, kind, CASE WHEN nullable THEN ' with NULL' ELSE '' END, labels, CASE turn WHEN 2 THEN ', after more came' ELSE '' END));
        END LOOP;
        EXECUTE format('INSERT INTO odd SELECT %s, i %% 4, i %% 2 = 0 FROM generate_series(1, 40) i WHERE (%s, i %% 4) IN (SELECT v, age FROM odd)', outside, outside);
        PERFORM anonopt.refresh_release('odd_table'), anonopt.refresh_release('odd_view');
    END LOOP;
    PERFORM anonopt.drop_release(r::regclass) FROM unnest('{odd_table,odd_view,odd_live}'::text[]) r;
    PERFORM anonopt.drop_dataset('odd');
    DROP TABLE odd, odd_leaves, odd_classes;
END $$;
SET LOCAL anonopt.composition = off;
SELECT pg_temp.same_unknown(kind, type, value, leaves, outside, nullable, labels) FROM (VALUES
    ('integers', 'int', 'i', 'i', '100'), ('texts', 'text', '''t'' || i', '''t'' || i', '''x'''), ('days', 'date', 'date ''2020-01-01'' + i', 'date ''2020-01-01'' + i', 'date ''infinity'''),
    ('ranges', 'int', 'i * 10 + 3', 'int4range(i * 10, i * 10 + 10)', '1000')) k (kind, type, value, leaves, outside),
    unnest('{f,t}'::boolean[]) nullable, unnest('{hierarchy,range}'::text[]) labels WHERE nullable = (labels = 'range') OR pg_temp.few(4, 2) = 4;
-- Publishing and refreshing each read every row of the relation once.
CREATE SEQUENCE strolled;
CREATE TABLE stroller AS SELECT i % 3 AS v FROM generate_series(1, 30) i;
CREATE VIEW strollers AS SELECT v FROM stroller WHERE nextval('strolled') > 0;
SELECT anonopt.create_interval_hierarchy('stroller_v', 0, 9, '{}') \g /dev/null
SELECT anonopt.create_dataset('strollers', 'strollers'), anonopt.add_quasi_identifier('strollers', 'v', 'stroller_v') \g /dev/null
SELECT anonopt.create_recoding('strollers_by', 'strollers', k => 5), setval('strolled', 1, false) \g /dev/null
SELECT anonopt.publish_table('strollers_shown', 'strollers', recoding => 'strollers_by', k => 5) \g /dev/null
SELECT is(currval('strolled'), 30::bigint, 'publishing a recoding reads the relation once');
INSERT INTO stroller VALUES (1), (7);
SELECT setval('strolled', 1, false), anonopt.refresh_release('strollers_shown') \g /dev/null
SELECT is(currval('strolled'), 32::bigint, 'and so does refreshing one');
SELECT * FROM finish();
ROLLBACK;
