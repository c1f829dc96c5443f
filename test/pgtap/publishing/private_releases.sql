-- Differentially private releases: who is drawn, who is left out, what is told, and what is spent.
\ir ../begin.inc
SET client_min_messages = error;
SELECT * FROM no_plan();

SELECT setseed(0.31) \g /dev/null
SELECT anonopt.create_interval_hierarchy('ages', 0, 79, '{10,40}'), anonopt.create_interval_hierarchy('places', 0, 7, '{4}') \g /dev/null
CREATE TABLE people (nr int, age int, place int, illness text, note text);
SELECT anonopt.create_dataset('d', 'people', 0), anonopt.add_quasi_identifier('d', 'age', 'ages'),
    anonopt.add_quasi_identifier('d', 'place', 'places'), anonopt.set_insensitive('d', 'illness'), anonopt.set_identifier('d', 'nr') \g /dev/null

-- Whether a number of those drawn from n is within six standard deviations
CREATE FUNCTION pg_temp.is_likely(drawn bigint, n bigint, beta float8) RETURNS boolean LANGUAGE sql AS $$
    SELECT abs(drawn - n * beta) <= 6 * sqrt(n * beta * (1 - beta)) + 1
$$;
CREATE FUNCTION pg_temp.beta(epsilon float8) RETURNS float8 LANGUAGE sql AS $$ SELECT 1 - exp(-epsilon) $$;

-------------------------------------------------------------------------------- drawing
INSERT INTO people SELECT i, i % 80, i % 8, 'flu' FROM generate_series(1, 100000) i;
SELECT anonopt.publish_table('large', 'd', '{3,2}', epsilon => 1, delta => 1e-6) \g /dev/null
SELECT anonopt.publish_table('large2', 'd', '{3,2}', epsilon => 0.5, delta => 1e-6, beta => 0.1) \g /dev/null
SELECT ok(pg_temp.is_likely((SELECT count(*) FROM large), 100000, pg_temp.beta(1)), 'as many rows are drawn as beta says');
SELECT ok(pg_temp.is_likely((SELECT count(*) FROM large2), 100000, 0.1), 'or as few as are asked for');
-- which rows: that a row is drawn says nothing of the next one
SELECT anonopt.publish_table('fine', 'd', '{0,0}', epsilon => 1, delta => 1e-5, k => 2) \g /dev/null
SELECT anonopt.publish_table('fine2', 'd', '{0,0}', epsilon => 1, delta => 1e-5) \g /dev/null
SELECT ok(bool_and(pg_temp.is_likely(n, 1250, pg_temp.beta(1))), 'of each class alike') FROM (SELECT count(*) AS n FROM fine GROUP BY age) s;
SELECT is((SELECT count(*) FROM (SELECT age FROM fine GROUP BY age) s), 80::bigint, 'and of all classes');
SELECT isnt((SELECT array_agg(n ORDER BY age) FROM (SELECT age, count(*) AS n FROM fine GROUP BY 1) s),
    (SELECT array_agg(n ORDER BY age) FROM (SELECT age, count(*) AS n FROM fine2 GROUP BY 1) s), 'two releases draw different rows');
SELECT anonopt.refresh_release('fine') \g /dev/null
SELECT isnt((SELECT array_agg(n ORDER BY age) FROM (SELECT age, count(*) AS n FROM fine GROUP BY 1) s),
    (SELECT array_agg(n ORDER BY age) FROM (SELECT age, count(*) AS n FROM fine2 GROUP BY 1) s), 'so does a refresh');
SELECT is((SELECT k FROM anonopt.release WHERE release = 'fine'::regclass), 61::bigint, 'no k is less than what is asked for');
SELECT anonopt.publish_table('larger_k', 'd', '{3,2}', k => 100, epsilon => 1, delta => 1e-5) \g /dev/null
SELECT is((SELECT k FROM anonopt.release WHERE name = 'public.larger_k'), 100::bigint, 'but one may be more');

-------------------------------------------------------------------------------- who is shown, in random worlds
CREATE TABLE found (what text, is_so boolean);
DO $$
DECLARE
    levels int[];
    skew float8;
    illness_too boolean;
    least int := (SELECT k FROM anonopt.privacy_parameters(1, 1e-3));
BEGIN
    FOR round IN 1 .. pg_temp.few(30) LOOP
        skew := 1 + 2 * random();
        illness_too := random() < 0.7;
        levels := ARRAY[floor(random() * 4), floor(random() * 3)]::int[];
        TRUNCATE people;
        INSERT INTO people SELECT i, CASE WHEN random() < 0.95 THEN floor(85 * random() ^ skew) END, floor(8 * random() ^ skew),
            (ARRAY['a', 'b', NULL, 'c'])[1 + floor(4 * random() ^ skew)::int] FROM generate_series(1, 300 + (random() * 4000)::int) i;
        PERFORM anonopt.drop_attribute('d', 'illness');
        PERFORM anonopt.set_insensitive('d', 'illness');
        IF illness_too THEN PERFORM anonopt.add_sensitive('d', 'illness'); END IF;
        PERFORM anonopt.publish_table('world', 'd', levels, epsilon => 1, delta => 1e-3, replace => true);
        WITH data AS (
            SELECT CASE WHEN p.age IS NULL AND levels[1] = 3 THEN '*' ELSE (ARRAY[p.age::text, a.level1, a.level2, a.level3])[levels[1] + 1] END AS age,
                (ARRAY[p.place::text, b.level1, b.level2])[levels[2] + 1] AS place, CASE WHEN illness_too THEN p.illness END AS illness, count(*) AS n
            FROM people p LEFT JOIN ages a ON a.value = p.age JOIN places b ON b.value = p.place
            WHERE p.age IS NULL OR a.value IS NOT NULL GROUP BY 1, 2, 3),
        shown AS (SELECT age, place, to_jsonb(w) ->> 'illness' AS illness, count(*) AS n FROM world w GROUP BY 1, 2, 3),
        both_sides AS (SELECT d.n, coalesce(s.n, 0) AS shown, s.n IS NOT NULL AS is_shown
            FROM data d FULL JOIN shown s ON (d.age, d.place, d.illness)::text = (s.age, s.place, s.illness)::text)
        INSERT INTO found
        SELECT 'rows have enough that look alike', bool_and(shown >= least OR NOT is_shown) FROM both_sides
        UNION ALL SELECT 'no more are shown than there are', bool_and(n IS NOT NULL AND shown <= n) FROM both_sides
        UNION ALL SELECT 'as many are shown as are drawn, if they are enough', coalesce(bool_and(pg_temp.is_likely(shown, n, pg_temp.beta(1))), true)
            FROM both_sides WHERE n * pg_temp.beta(1) - 3 * sqrt(n) - 1 > least
        UNION ALL SELECT 'a release tells only of the rows shown', r.measures = jsonb_build_object('people', (SELECT count(*) FROM world), 'k', (SELECT min(n) FROM shown),
            'classes', (SELECT count(*) FROM (SELECT age, place FROM world GROUP BY 1, 2) c)) FROM anonopt.release r WHERE r.release = 'world'::regclass
        UNION ALL SELECT 'verify counts whole rows', v.ok AND v.k IS NOT DISTINCT FROM (SELECT min(n) FROM shown) FROM anonopt.verify('world') v;
    END LOOP;
END $$;
SELECT ok(bool_and(is_so), what) FROM found GROUP BY what ORDER BY what;
SELECT is((SELECT count(*) FROM found WHERE is_so IS NULL), 0::bigint, 'all was decided');
SELECT anonopt.drop_attribute('d', 'illness') \g /dev/null

-- The only row with a value changes nothing that is told: it is in no message, entry or comment
TRUNCATE people;
INSERT INTO people SELECT i, i % 80, i % 8 FROM generate_series(1, 1000) i;
INSERT INTO people VALUES (0, 1000, 0), (0, 5, NULL);
SELECT anonopt.publish_table('quiet', 'd', '{3,2}', epsilon => 1, delta => 1e-5) \g /dev/null
SELECT is((SELECT count(*) FROM quiet WHERE age <> '*'), 0::bigint, 'a value without a leaf is no error, and is not shown');
SELECT is((SELECT count(*) FROM anonopt.published_content c WHERE c.labels::text LIKE '%1000%'), 0::bigint, 'nor is it recorded');
SELECT is((SELECT count(*) FROM anonopt.published_values), 0::bigint, 'no values of everybody are recorded');
SELECT throws_ok(format('SELECT anonopt.%s(''d'', ''quiet'')', f), '0A000', 'release public.quiet is differentially private', f || ' does not know who was drawn')
FROM unnest('{utility,release_distribution}'::text[]) f;
SELECT ok(page LIKE '%who is left out is recorded nowhere%' AND page NOT LIKE '%Nobody%' AND page NOT LIKE '%Distributions%', 'nor does the report')
FROM anonopt.report_comparison(anonopt.report_measure('d', 'quiet', NULL)) AS page;
TRUNCATE people;
INSERT INTO people SELECT i, i, 0 FROM generate_series(1, 60) i;
SELECT lives_ok($$SELECT anonopt.publish_table('nobody', 'd', '{3,2}', epsilon => 1, delta => 1e-5)$$, 'nobody may be enough for a class');
SELECT is((SELECT (count(*), (SELECT measures FROM anonopt.release WHERE name = 'public.nobody'))::text FROM nobody), '(0,"{""k"": null, ""people"": 0, ""classes"": 0}")',
    'then nobody is shown, without an error');
SELECT ok(page LIKE '%<li>Nobody is shown.</li>%' AND page !~ '  |at most [^0-9]', 'the report says so')
FROM replace(anonopt.report_verdict(anonopt.report_measure('d', 'nobody', NULL), NULL), E'\n', '') AS page;
SELECT unalike(anonopt.report_verdict(anonopt.report_measure('d', 'nobody', NULL), 1), '%Together with%', 'nor does what other releases show together break its promise');
SELECT lives_ok($$SELECT anonopt.publish_codebook('nobody_codes', 'nobody')$$, 'its labels are read');
TRUNCATE people;
INSERT INTO people SELECT i, i % 80, i % 4 FROM generate_series(1, 1000) i;
INSERT INTO people VALUES (0, NULL, 5), (0, 3, NULL);
SELECT anonopt.publish_table('seen', 'd', '{2,1}', epsilon => 1, delta => 1e-5) \g /dev/null
SELECT is((SELECT array_agg(l ORDER BY l) FROM anonopt.published_content c JOIN anonopt.published p USING (id), unnest(c.labels) l WHERE p.name = 'public.seen'),
    (SELECT array_agg(DISTINCT x ORDER BY x) FROM seen, LATERAL (VALUES (age), (place)) v (x)), 'only labels that are shown are recorded');
SELECT anonopt.refresh_release('seen'), anonopt.publish_codebook('codes', 'seen') \g /dev/null
SELECT is((SELECT count(*) FROM codes), 3::bigint, 'and in the codebook');
TRUNCATE people;
SELECT lives_ok($$SELECT anonopt.publish_table('empty', 'd', '{3,2}', epsilon => 1, delta => 1e-5)$$, 'and without rows it is the same');
SELECT is((SELECT measures FROM anonopt.release WHERE name = 'public.empty'), (SELECT measures FROM anonopt.release WHERE name = 'public.nobody'), 'so that nobody can tell');

-------------------------------------------------------------------------------- people with several rows
CREATE TABLE visits (patient int, age int, place int);
SELECT anonopt.create_dataset('v', 'visits', 0, person => 'patient'), anonopt.add_quasi_identifier('v', 'age', 'ages'),
    anonopt.add_quasi_identifier('v', 'place', 'places') \g /dev/null
-- four hundred with two rows here and one there, thirty with one of each, one with a hundred, and nobody's
INSERT INTO visits SELECT i, a, 0 FROM generate_series(1, 400) i, unnest('{10,10,50}'::int[]) a
    UNION ALL SELECT 400 + i, a, 0 FROM generate_series(1, 30) i, unnest('{10,50}'::int[]) a
    UNION ALL SELECT 1000, 10, 0 FROM generate_series(1, 100) UNION ALL SELECT NULL, 50, 0 FROM generate_series(1, 100);
SELECT anonopt.publish_table('visited', 'v', '{2,0}', epsilon => 1, delta => 1e-5) \g /dev/null
SELECT is((SELECT count(*) FILTER (WHERE age = '[0, 40)') FROM visited), (SELECT 2 * count(*) FILTER (WHERE age = '[40, 80)') FROM visited),
    'people are drawn with all their rows, and left out with all of them unless enough others have the same');
SELECT ok(pg_temp.is_likely((SELECT count(*) FILTER (WHERE age = '[40, 80)') FROM visited), 400, pg_temp.beta(1)), 'they are drawn by chance');
SELECT is((SELECT measures FROM anonopt.release WHERE release = 'visited'::regclass),
    (SELECT jsonb_build_object('rows', count(*), 'people', count(*) / 3, 'k', count(*) / 3, 'classes', 2) FROM visited), 'people are counted');
SELECT is((SELECT k FROM anonopt.verify('visited')), (SELECT count(*) / 3 FROM visited), 'verify cannot count them again');
-- at one level, all rows of each kind look alike
SELECT anonopt.republish('visited', '{3,0}') \g /dev/null
SELECT is((SELECT count(*) % 3 FROM visited), 0::bigint, 'people with two rows do not look like people with three');
DELETE FROM visits WHERE patient <= 400 OR patient IS NULL;
INSERT INTO visits SELECT 2000 + i, 10 + i % 2, 0 FROM generate_series(1, 3000) i;
SELECT anonopt.refresh_release('visited') \g /dev/null
SELECT ok(pg_temp.is_likely((SELECT count(*) FROM visited), 3000, pg_temp.beta(1)), 'people with one row are as rows are');

-------------------------------------------------------------------------------- what is spent
CREATE TABLE ledger (nr int, age int);
INSERT INTO ledger SELECT i, i % 80 FROM generate_series(1, 2000) i;
CREATE VIEW young AS SELECT * FROM ledger WHERE age < 40;
SELECT anonopt.create_dataset('l', 'ledger', 0), anonopt.add_quasi_identifier('l', 'age', 'ages'),
    anonopt.create_dataset('y', 'young', 0), anonopt.add_quasi_identifier('y', 'age', 'ages') \g /dev/null
CREATE FUNCTION pg_temp.spent(relation regclass) RETURNS numeric LANGUAGE sql AS $$
    SELECT epsilon FROM anonopt.privacy_spent(relation, (SELECT oid FROM pg_roles WHERE rolname = current_user), NULL)
$$;
SELECT throws_ok('SET anonopt.epsilon_limit = -0.5', '22023', NULL, 'a limit is -1, for none, or at least 0');
SET anonopt.epsilon_limit = 0.5;
SELECT throws_ok($$SELECT anonopt.publish_table('l1', 'l', '{2}', epsilon => 0.6, delta => 1e-5)$$, '53400', NULL, 'more than the limit is refused at once');
SELECT lives_ok($$SELECT anonopt.publish_table('l1', 'l', '{2}', epsilon => 0.1, delta => 1e-5)$$, 'less is not');
SELECT anonopt.refresh_release('l1') \g /dev/null
SELECT is(pg_temp.spent('ledger'), 0.2, 'a refresh adds up');
SELECT anonopt.create_view('l2', 'y', '{2}', epsilon => 0.1, delta => 1e-6) \g /dev/null
SELECT is(pg_temp.spent('ledger'), 0.3, 'so does a release of a view of the table');
REFRESH MATERIALIZED VIEW l2;
SELECT is(pg_temp.spent('young'), 0.4, 'and PostgreSQL''s own refresh');
SELECT anonopt.republish('l1', '{3}') \g /dev/null
SELECT is(pg_temp.spent('ledger'), 0.5, 'and other levels: exactly to the limit');
SELECT throws_ok($$REFRESH MATERIALIZED VIEW l2$$, '53400', NULL, 'beyond it, nothing is filled');
SELECT throws_ok($$SELECT anonopt.republish('l1', '{2}')$$, '53400', NULL, 'nor republished');
SELECT throws_ok($$SELECT anonopt.forget_release('l1')$$, '55000', NULL, 'nothing is forgotten');
SELECT anonopt.drop_release('l1') \g /dev/null
DROP MATERIALIZED VIEW l2;
SELECT throws_ok(format('SELECT anonopt.forget_release(id => %L)', (SELECT id FROM anonopt.release WHERE name = 'public.l1')), '55000', NULL, 'even what was dropped');
SELECT throws_ok($$SELECT anonopt.publish_table('l3', 'l', '{2}', epsilon => 0.1, delta => 1e-5)$$, '53400', NULL, 'dropping gives nothing back');
SELECT results_eq($$SELECT name, epsilon, delta FROM anonopt.release WHERE name LIKE 'public.l_' ORDER BY name$$,
    $$VALUES ('public.l1', 0.3::float8, 0.00003::float8), ('public.l2', 0.2, 0.000002)$$, 'each release shows its sum');
SELECT is((SELECT (epsilon, delta)::text FROM anonopt.release_risk('l') ORDER BY epsilon DESC LIMIT 1), '(0.5,3.2e-05)', 'release_risk that of the relation');
SELECT lives_ok($$SELECT anonopt.publish_table('l4', 'l', '{2}', k => 5)$$, 'what is not private spends nothing');
SELECT is((SELECT smallest_difference FROM anonopt.release WHERE name = 'public.l4'), 0::bigint, 'and is not compared with samples');
DELETE FROM ledger WHERE nr = 1;
SELECT anonopt.publish_table('l5', 'l', '{2}', k => 5) \g /dev/null
SELECT is((SELECT smallest_difference FROM anonopt.release WHERE name = 'public.l5'), 1::bigint, 'but with others as ever');
RESET anonopt.epsilon_limit;

-------------------------------------------------------------------------------- refused
TRUNCATE people;
INSERT INTO people SELECT i, i % 80, i % 8, 'flu', i FROM generate_series(1, 5000) i;
SELECT throws_ok(format('SELECT anonopt.publish_table(''refused'', ''d'', %s)', call), state, NULL, call)
FROM (VALUES ('''{3,2}'', epsilon => 1', '22023'), ('''{3,2}'', delta => 1e-5', '22023'), ('''{3,2}'', trusted => true', '22023'),
    ('''{3,2}'', epsilon => 1, delta => 1e-5, beta => 0.9', '22023'), ('''{3,2}'', epsilon => -1, delta => 1e-5', '22023'),
    ('cuts => ''{10101,1}'', epsilon => 1, delta => 1e-5', '0A000'), ('''{3,2}'', suppressed => ''star'', epsilon => 1, delta => 1e-5', '0A000'),
    ('''{3,2}'', show => ''permuted'', epsilon => 1, delta => 1e-5', '0A000')) v (call, state);
SELECT throws_ok($$SELECT anonopt.create_view('refused', 'd', '{3,2}', materialized => false, epsilon => 1, delta => 1e-5)$$, '0A000', NULL, 'a live view');
SELECT lives_ok($$SELECT anonopt.publish_table('ranges', 'd', '{2,1}', columns_as => 'range', epsilon => 1, delta => 1e-5)$$, 'ranges can be shown');
SELECT throws_ok($$SELECT anonopt.refresh_release('ranges', hold_back => true)$$, '0A000', NULL, 'nothing is held back');
ALTER TABLE people ALTER illness TYPE numeric USING 1.0;
SELECT anonopt.add_sensitive('d', 'illness') \g /dev/null
SELECT throws_ok($$SELECT anonopt.publish_table('refused', 'd', '{3,2}', epsilon => 1, delta => 1e-5)$$, '0A000', NULL, 'numbers that are equal may look different');
SELECT anonopt.drop_attribute('d', 'illness'), anonopt.add_promise('d', 'average_risk', 0.5) \g /dev/null
SELECT throws_ok($$SELECT anonopt.publish_table('refused', 'd', '{3,2}', epsilon => 1, delta => 1e-5)$$, '0A000', NULL, 'a promise that looks at several classes');
SELECT throws_ok($$SELECT anonopt.refresh_release('ranges')$$, '0A000', NULL, 'a refresh refuses what was declared since');
-- two texts with one digest are two values, of which twenty people have the second
CREATE TABLE noted AS SELECT i % 80 AS age, '8yn0iYCKYHlIj4-BwPqk'::text AS note FROM generate_series(1, 400) i;
INSERT INTO noted SELECT 1, 'GReLUrM4wMqfg9yzV3KQ' FROM generate_series(1, 20);
SELECT anonopt.create_dataset('noted', 'noted', 0), anonopt.add_quasi_identifier('noted', 'age', 'ages'), anonopt.set_insensitive('noted', 'note') \g /dev/null
SELECT anonopt.publish_table('shown_notes', 'noted', '{3}', columns => '{note}', epsilon => 1, delta => 1e-5) \g /dev/null
SELECT is((SELECT array_agg(DISTINCT note) FROM shown_notes), '{8yn0iYCKYHlIj4-BwPqk}', 'values are told apart by more than their digests');
SELECT anonopt.drop_promise('d', 'average_risk') \g /dev/null
-- the leaves of a sensitive column say who is read
CREATE TABLE note_groups AS SELECT DISTINCT note AS value, '*'::text AS level1 FROM people;
SELECT anonopt.add_sensitive('d', 'note', 'equal', 'note_groups') \g /dev/null
SELECT throws_ok($$SELECT anonopt.publish_table('refused', 'd', '{3,2}', epsilon => 1, delta => 1e-5)$$, '0A000',
    'hierarchy public.note_groups of column "note" may come from the data', 'a hierarchy of a sensitive column that is shown as it is');
SELECT lives_ok($$SELECT anonopt.publish_table('vouched', 'd', '{3,2}', epsilon => 1, delta => 1e-5, trusted => true)$$, 'unless somebody vouches for it');
SELECT anonopt.drop_attribute('d', 'note') \g /dev/null
-- rules that the owner of the database wrote, with their mark, for a builder that needs more
UPDATE anonopt.hierarchy_rule SET builder = 'date_open' WHERE hierarchy = 'ages'::regclass;
DO $$ BEGIN
    EXECUTE format('COMMENT ON COLUMN ages.value IS %L', (SELECT 'rule of anonopt: ' || encode(sha256(convert_to(ROW(salt, source, from_data, builder, column_name, word,
        low, high, step, top, bottom, numbers, units, lengths, minimum)::text, getdatabaseencoding())), 'hex') FROM anonopt.hierarchy_rule WHERE hierarchy = 'ages'::regclass));
END $$;
SELECT throws_ok($$SELECT anonopt.publish_table('refused', 'd', '{3,2}', epsilon => 1, delta => 1e-5)$$, '0A000', NULL, 'an unsound rule describes nothing');
SELECT throws_ok($$SELECT anonopt.extend_hierarchy('ages')$$, '23514', 'rule of hierarchy public.ages is not sound', 'and adds no leaves');
SELECT * FROM finish();
ROLLBACK;
