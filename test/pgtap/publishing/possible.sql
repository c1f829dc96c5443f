-- Possible tuples: what a recoding with a floor of them keeps, and its releases promise.
\ir ../begin.inc
SET search_path = public;
SET client_min_messages = error;
SET anonopt.composition = off;

CREATE TABLE visitor AS
    SELECT nr, floor(60 * power(random(), 2))::int AS age, 'p' || floor(9 * power(random(), 2)) AS place, 'ill ' || floor(4 * random()) AS ill
    FROM generate_series(1, 900) nr, setseed(0.4);
CREATE TABLE place_tree AS SELECT 'p' || i AS child, 'east ' || i / 3 AS parent FROM generate_series(0, 8) i
    UNION ALL SELECT 'east ' || i, '*' FROM generate_series(0, 2) i;
SELECT anonopt.create_interval_hierarchy('ages', 0, 99, '{5,10,50}'), anonopt.create_tree_hierarchy('places', 'place_tree') \g /dev/null
SELECT anonopt.create_dataset('visitors', 'visitor', 0.5), anonopt.add_quasi_identifier('visitors', 'age', 'ages'),
       anonopt.add_quasi_identifier('visitors', 'place', 'places'), anonopt.add_sensitive('visitors', 'ill') \g /dev/null

SELECT no_plan();
CREATE FUNCTION pg_temp.measured(release regclass) RETURNS text LANGUAGE sql AS $$
    SELECT format('%s %s %s', ok, others #>> '{possible_tuples,promised}', others #>> '{possible_tuples,measured}') FROM anonopt.verify(release) $$;
CREATE FUNCTION pg_temp.least(dataset text, recoding regclass, labels text) RETURNS bigint LANGUAGE sql AS $$
    SELECT least_possible FROM anonopt.recoding_refinement(dataset, recoding, labels) WHERE column_name IS NULL $$;

SELECT anonopt.create_recoding('by_' || w, 'visitors', k => 3, labels => w, seed => 1),
       anonopt.create_recoding('raised_' || w, 'visitors', k => 3, labels => w, seed => 1, possible => 6) FROM unnest('{hierarchy,range}'::text[]) w \g /dev/null
SELECT unnest(ARRAY[cmp_ok(pg_temp.least('visitors', ('by_' || w)::regclass, w), '<', 6::bigint, w || ': fewer tuples are possible'),
       cmp_ok(pg_temp.least('visitors', ('raised_' || w)::regclass, w), '>=', 6::bigint, w || ': unless that is ruled out'),
       ok(feasible, 'and k is kept'),
       is(obj_description(('raised_' || w)::regclass), 'recoding with possible => 6', 'the table says so')])
FROM unnest('{hierarchy,range}'::text[]) w, anonopt.evaluate_recoding('visitors', ('raised_' || w)::regclass, 3, labels => w);
SELECT anonopt.publish_table(w || '_table', 'visitors', k => 3, recoding => ('raised_' || w)::regclass, labels => w),
       anonopt.create_view(w || '_snapshot', 'visitors', k => 3, recoding => ('raised_' || w)::regclass, labels => w),
       anonopt.create_view(w || '_live', 'visitors', k => 3, materialized => false, recoding => ('raised_' || w)::regclass, labels => w)
FROM unnest('{hierarchy,range}'::text[]) w \g /dev/null
SELECT is(pg_temp.measured((w || '_' || f)::regclass), format('t 6 %s', pg_temp.least('visitors', ('raised_' || w)::regclass, w)), format('%s by %s labels promises it', f, w))
FROM unnest('{hierarchy,range}'::text[]) w, unnest('{table,snapshot,live}'::text[]) f;
SELECT matches(obj_description('hierarchy_table'::regclass), 'possible_tuples >= 6', 'and its comment says so');
SELECT anonopt.publish_table('plain', 'visitors', k => 3, recoding => 'by_range', labels => 'range') \g /dev/null
SELECT is((SELECT others FROM anonopt.verify('plain')), NULL,
    'a release of another recoding promises nothing of the kind');

-- people come: a recoding that is extended, by itself or by a refresh, keeps it
INSERT INTO visitor SELECT 1000 + nr, floor(90 * power(random(), 2))::int, 'p' || floor(9 * random()), 'ill 1' FROM generate_series(1, 120) nr, setseed(0.5);
SELECT anonopt.refresh_release((w || '_table')::regclass) FROM unnest('{hierarchy,range}'::text[]) w \g /dev/null
SELECT unnest(ARRAY[cmp_ok(pg_temp.least('visitors', ('raised_' || w)::regclass, w), '>=', 6::bigint, 'extended by a refresh'),
       matches(pg_temp.measured((w || '_table')::regclass), '^t 6', 'which keeps it')]) FROM unnest('{hierarchy,range}'::text[]) w;
INSERT INTO visitor SELECT 2000 + nr, floor(100 * random())::int, 'p' || floor(9 * random()), 'ill 2' FROM generate_series(1, 120) nr, setseed(0.6);
SELECT anonopt.extend_recoding(('raised_' || w)::regclass, 'visitors', k => 3, labels => w) FROM unnest('{hierarchy,range}'::text[]) w \g /dev/null
SELECT cmp_ok(pg_temp.least('visitors', ('raised_' || w)::regclass, w), '>=', 6::bigint, 'extended by hand') FROM unnest('{hierarchy,range}'::text[]) w;
-- the entry remembers what the table does not
COMMENT ON TABLE raised_range IS 'recoding with possible => many';
INSERT INTO visitor SELECT 3000 + nr, floor(100 * random())::int, 'p' || floor(9 * random()), 'ill 2' FROM generate_series(1, 60) nr, setseed(0.7);
SELECT anonopt.refresh_release('range_snapshot') \g /dev/null
SELECT matches(pg_temp.measured('range_snapshot'), '^t 6', 'a refresh keeps what was promised');
SELECT anonopt.publish_table('uncommented', 'visitors', k => 3, recoding => 'raised_range', labels => 'range') \g /dev/null
SELECT is((SELECT others FROM anonopt.verify('uncommented')), NULL,
    'a comment that says something else promises nothing');

-- what does not show the labels cannot promise it
SELECT anonopt.extend_recoding('raised_hierarchy', 'visitors', k => 3) \g /dev/null
SELECT throws_ok(format('SELECT anonopt.publish_table(''refused'', ''visitors'', k => 3, recoding => ''raised_hierarchy'', %s)', how), '0A000', NULL, how || ' is refused')
FROM unnest(ARRAY['columns_as => ''range''', 'show => ''permuted''']) how;
SELECT throws_ok($$SELECT anonopt.view_sql('statement', 'visitors', k => 3, recoding => 'raised_hierarchy')$$, '0A000', NULL, 'a plain statement, too');
SELECT throws_ok($$SELECT anonopt.create_recoding('refused', 'visitors', k => 3, possible => 0)$$, '22023', 'possible must be at least 1, not 0', 'a floor of 0');
SELECT throws_ok($$SELECT anonopt.create_recoding('refused', 'visitors', possible => 5)$$, '22023', 'nothing is promised', 'it is no promise about people');
SELECT throws_ok($$SELECT anonopt.create_recoding('refused', 'visitors', k => 3, possible => 901)$$, '22023', NULL, 'more tuples than there are');
SELECT throws_ok($$SELECT anonopt.add_promise('visitors', 'possible_tuples', 3)$$, '22023', NULL, 'no data set declares it');
SAVEPOINT forged;
INSERT INTO anonopt.promise (dataset, model, threshold) VALUES ('visitors', 'possible_tuples', 3);
SELECT throws_ok($$SELECT anonopt.optimize('visitors', k => 3)$$, '23514', NULL, 'even if somebody writes so');
ROLLBACK TO forged;

-- By hand: classes of four; the women of Bonn and Cologne are shown, three cities are left for those of class 4.
CREATE TABLE city (city text PRIMARY KEY, region text, everywhere text DEFAULT '*');
INSERT INTO city VALUES ('Bonn', 'Rhineland'), ('Cologne', 'Rhineland'), ('Essen', 'Ruhr'), ('Kassel', 'Hesse'), ('Marburg', 'Hesse');
CREATE TABLE sex (sex text PRIMARY KEY, anybody text DEFAULT '*');
INSERT INTO sex VALUES ('f'), ('m');
CREATE TABLE twenty AS
SELECT city, sex, class FROM (VALUES ('Bonn', 'f', 1, 4), ('Cologne', 'f', 2, 4), ('Bonn', 'm', 3, 2), ('Marburg', 'f', 3, 2),
    ('Essen', 'f', 4, 2), ('Kassel', 'f', 4, 2), ('Essen', 'm', 5, 2), ('Kassel', 'm', 5, 2)) AS t (city, sex, class, people), generate_series(1, people);
SELECT anonopt.create_dataset('twenty', 'twenty', 0.5), anonopt.add_quasi_identifier('twenty', 'city', 'city'), anonopt.add_quasi_identifier('twenty', 'sex', 'sex') \g /dev/null
CREATE TABLE recoded AS SELECT DISTINCT city, sex, class FROM twenty;
COMMENT ON TABLE recoded IS 'recoding with possible => 3';
-- of people with several rows, each counts once
CREATE TABLE visits AS SELECT (row_number() OVER (ORDER BY class, city, sex) * 5) % 13 AS who, * FROM twenty;
SELECT anonopt.create_dataset('visits', 'visits', person => 'who'), anonopt.add_quasi_identifier('visits', 'city', 'city'), anonopt.add_quasi_identifier('visits', 'sex', 'sex') \g /dev/null
SELECT is(format('%s %s %s %s', people_wide, people_branch_out, people_certain_given_rest, people_below_k), (
    SELECT format('%s %s %s %s', count(DISTINCT who) FILTER (WHERE class > 2), count(DISTINCT who) FILTER (WHERE class = 4), count(DISTINCT who) FILTER (WHERE class = 3 AND city = 'Bonn'),
        count(DISTINCT who) FILTER (WHERE class = 4 AND 3 < (SELECT min(n) FROM (SELECT count(DISTINCT who) AS n FROM visits GROUP BY class) x)))
    FROM visits), 'people are counted, not rows') FROM anonopt.recoding_refinement('visits', 'recoded') WHERE column_name IS NULL;
SELECT anonopt.publish_table('shown', 'twenty', k => 2, recoding => 'recoded'),
       anonopt.create_view('live', 'twenty', k => 2, materialized => false, recoding => 'recoded') \g /dev/null
SELECT is(pg_temp.measured('shown'), 't 3 3', 'three are possible');
COMMENT ON TABLE recoded IS 'recoding with possible => 4';
SELECT anonopt.publish_table('stricter', 'twenty', k => 2, recoding => 'recoded') \g /dev/null
SELECT is((SELECT count(*) FROM stricter), 16::bigint, 'with a floor of four, class 4 is hidden');
SELECT is(pg_temp.measured('stricter'), 't 4 5', 'and the next has five');
SELECT anonopt.publish_table('starred', 'twenty', k => 2, recoding => 'recoded', suppressed => 'star') \g /dev/null
SELECT is((SELECT count(*) FROM starred), 16::bigint, 'nobody is a star, which any tuple could be');
COMMENT ON TABLE recoded IS 'recoding with possible => 3';
SAVEPOINT tampered;
UPDATE shown SET city = 'Marburg', sex = 'f' WHERE city = '*' AND sex = '*';
SELECT is(pg_temp.measured('shown'), 'f 3 2', 'another exact class would tell too much');
ROLLBACK TO tampered;
DELETE FROM twenty WHERE city = 'Bonn' AND sex = 'm';
SELECT is((SELECT count(*) FROM live), 14::bigint, 'once class 3 is exact, a live view hides class 4');
SELECT is(pg_temp.measured('live'), 't 3 5', 'and keeps the promise');
SELECT anonopt.refresh_release('shown') \g /dev/null
SELECT is((SELECT count(*) FROM shown), 18::bigint, 'a refresh merges it');
SELECT matches(pg_temp.measured('shown'), '^t 3 ', 'and keeps it, too');
SELECT throws_ok($$SELECT anonopt.republish('shown', '{2,0}')$$, '0A000', NULL, 'a node cannot promise it');

-- what no hierarchy has is no value that somebody may have
CREATE TABLE kind (kind text PRIMARY KEY, anything text DEFAULT '*');
INSERT INTO kind VALUES ('a'), ('b'), ('c');
CREATE TABLE things AS SELECT kind FROM kind, generate_series(1, 2);
SELECT anonopt.create_dataset('things', 'things', 0), anonopt.add_quasi_identifier('things', 'kind', 'kind', unknown => '*') \g /dev/null
SELECT throws_ok($$SELECT anonopt.create_recoding('things_recoded', 'things', k => 4, possible => 4)$$, '22023', 'no recoding keeps the promise', 'there are three kinds');
SELECT anonopt.create_recoding('things_recoded', 'things', k => 4, possible => 3) \g /dev/null
SELECT anonopt.publish_table('things_shown', 'things', k => 4, recoding => 'things_recoded') \g /dev/null
SELECT is(pg_temp.measured('things_shown'), 't 3 3', 'all of them are possible');

SELECT * FROM finish();
ROLLBACK;
