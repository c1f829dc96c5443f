-- Releases that promise something of people of another relation, or of all classes together: who may read them, what
-- empties them, and what verify says where it cannot measure.
\ir ../begin.inc

SET client_min_messages = error;
CREATE ROLE regress_publisher; CREATE ROLE regress_reader; CREATE ROLE regress_writer;
GRANT CREATE ON SCHEMA public TO regress_publisher;
SET ROLE regress_publisher;
SELECT anonopt.create_interval_hierarchy('h', 0, 9, '{5}'), anonopt.create_interval_hierarchy('hb', 0, 3, '{2}') \g /dev/null
CREATE TABLE people AS SELECT i AS id, i % 10 AS a, i / 10 % 4 AS b, 'x' || i % 3 AS s FROM generate_series(0, 199) i;
CREATE TABLE everybody AS SELECT a, b FROM people, generate_series(1, 5);
SELECT anonopt.create_dataset('d', 'people', 1), anonopt.add_quasi_identifier('d', 'a', 'h'), anonopt.add_quasi_identifier('d', 'b', 'hb'),
    anonopt.add_sensitive('d', 's'), anonopt.set_insensitive('d', 'id') \g /dev/null
SELECT no_plan();

-- What is shown, told by one call
CREATE FUNCTION pg_temp.shown(release text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE n bigint; BEGIN EXECUTE 'SELECT count(*) FROM ' || release INTO n; RETURN n; END $$;

-- ---------------------------------------------------------------- all classes together
-- Of 20 classes of ten, one keeps one person after another leaves: the risk of all rises above what is promised
SELECT anonopt.add_promise('d', 'average_risk', 0.13), anonopt.add_promise('d', 'k', 2) \g /dev/null
SELECT anonopt.create_view('together', 'd', '{0,1}'), anonopt.create_view('together_live', 'd', '{0,1}', materialized => false),
    anonopt.create_view('starred', 'd', '{0,1}', suppressed => 'star') \g /dev/null
SELECT is(ARRAY[pg_temp.shown('together'), pg_temp.shown('together_live')], '{200,200}', '20 classes of 200 people have an average risk of 0.1');
DELETE FROM people WHERE id >= 160;
REFRESH MATERIALIZED VIEW together; REFRESH MATERIALIZED VIEW starred;
SELECT is(ARRAY[pg_temp.shown('together'), pg_temp.shown('together_live'), pg_temp.shown('starred')], '{160,160,160}', '20 of 160: 0.125');
DELETE FROM people WHERE id >= 150;
SELECT is(pg_temp.shown('together_live'), 0::bigint, '20 of 150: no row is shown');
SELECT throws_ok(call, '22023', NULL, call || ' does not take that over') FROM unnest(ARRAY[$$SELECT anonopt.refresh_release('together')$$,
    $$REFRESH MATERIALIZED VIEW together$$, $$REFRESH MATERIALIZED VIEW starred$$]) call;
SELECT is(ARRAY[pg_temp.shown('together'), pg_temp.shown('starred')], '{160,160}', 'and leaves what was shown');
-- a class that goes takes its risk with it
DELETE FROM people WHERE a IN (3, 7) AND id % 20 > 5;
DELETE FROM people WHERE a = 3 AND b < 2 AND id <> 3;
SELECT is(pg_temp.shown('together_live'), CASE WHEN classes::float8 / rows <= 0.13 THEN rows ELSE 0 END, 'suppressed classes do not count')
FROM (SELECT count(*) AS classes, sum(n)::bigint AS rows FROM (SELECT count(*) AS n FROM people GROUP BY a, b / 2 HAVING count(*) >= 2) c) x;
SELECT anonopt.drop_release(x::regclass) FROM unnest('{together,together_live,starred}'::text[]) x \g /dev/null
SELECT anonopt.drop_promise('d', 'average_risk'), anonopt.add_promise('d', 'share_above', 0.25, c => 0.125) \g /dev/null
DELETE FROM people;
INSERT INTO people SELECT i, i % 10, i / 10 % 4, 'x' || i % 3 FROM generate_series(0, 199) i;
DELETE FROM people WHERE a IN (0, 1) AND b < 2 AND id >= 100;
SELECT anonopt.create_view('above', 'd', '{0,1}'), anonopt.create_view('above_live', 'd', '{0,1}', materialized => false) \g /dev/null
REFRESH MATERIALIZED VIEW above;
SELECT is(pg_temp.shown('above'), (SELECT count(*) FROM people), 'few people are at a risk above 1/8');
DELETE FROM people WHERE a IN (2, 3, 4, 5, 6, 7) AND b < 2 AND id >= 100;
SELECT throws_ok($$REFRESH MATERIALIZED VIEW above$$, '22023', NULL, 'REFRESH refuses, too');
SELECT is(pg_temp.shown('above_live'), CASE WHEN sum(n) FILTER (WHERE 1.0 / n > 0.125) <= 0.25 * sum(n) THEN sum(n) ELSE 0 END::bigint, 'then more, and then nobody is shown')
FROM (SELECT count(*) AS n FROM people GROUP BY a, b / 2) c;
SELECT anonopt.drop_release('above'), anonopt.drop_release('above_live'), anonopt.drop_promise('d', 'share_above') \g /dev/null
DELETE FROM people;
INSERT INTO people SELECT i, i % 10, i / 10 % 4, 'x' || i % 3 FROM generate_series(0, 199) i;

-- ------------------------------------------------------------------ rights on a population
SELECT anonopt.add_promise('d', 'k_map', 60, population => 'everybody') \g /dev/null
SELECT anonopt.create_view('mapped', 'd', '{0,2}'), anonopt.create_view('mapped_live', 'd', '{0,2}', materialized => false) \g /dev/null
GRANT SELECT ON mapped, mapped_live TO regress_reader, regress_writer;
GRANT EXECUTE ON FUNCTION mapped_live_rows() TO regress_reader, regress_writer;
GRANT INSERT (a) ON everybody TO regress_writer;
RESET ROLE;
SET SESSION AUTHORIZATION regress_reader;
SELECT is(ARRAY[pg_temp.shown('mapped'), pg_temp.shown('mapped_live')], '{200,200}', 'a reader needs no right on the population');
SELECT throws_ok('SELECT count(*) FROM everybody', '42501', NULL, 'and has none');
RESET SESSION AUTHORIZATION;
SET SESSION AUTHORIZATION regress_writer;
SELECT throws_ok('SELECT count(*) FROM mapped_live', '42501', 'role "regress_writer" may write the source of a live release, so it may not read it', 'who may add to the population does not read a live view');
RESET SESSION AUTHORIZATION;
SET ROLE regress_publisher;
DELETE FROM everybody WHERE a = 4 AND b = 1;
SELECT is(pg_temp.shown('mapped_live'), 200::bigint, 'a live view counts the population of now: 75 have each label');
DELETE FROM everybody WHERE a = 4 AND b = 2;
SELECT is(pg_temp.shown('mapped_live'), 180::bigint, 'and hides the class of which fewer are left');
SELECT is((SELECT (ok, others #>> '{k_map,measured}')::text FROM anonopt.verify('mapped_live')), '(t,100)', 'which verify finds');
SELECT is((SELECT (ok, others #>> '{k_map,measured}')::text FROM anonopt.verify('mapped')), '(f,50)', 'as it finds a snapshot that keeps the promise no longer');
SELECT anonopt.refresh_release('mapped') \g /dev/null
SELECT is(pg_temp.shown('mapped'), 180::bigint, 'until it is made anew');
ALTER TABLE everybody ENABLE ROW LEVEL SECURITY;
SELECT throws_ok('SELECT count(*) FROM mapped_live', '42501', 'the source of a live release has changed', 'row security on a population ends a live view');
SELECT throws_ok($$SELECT anonopt.create_view('another', 'd', '{0,2}', materialized => false)$$, '22023', NULL, 'and lets none be made');
ALTER TABLE everybody DISABLE ROW LEVEL SECURITY;
CREATE VIEW everyone AS SELECT * FROM everybody;
SELECT anonopt.drop_promise('d', 'k_map'), anonopt.add_promise('d', 'k_map', 60, population => 'everyone') \g /dev/null
SELECT throws_ok($$SELECT anonopt.create_view('another', 'd', '{0,2}', materialized => false)$$, '22023', NULL, 'nor one of a population that is a view');
SELECT anonopt.create_view('another', 'd', '{0,2}') \g /dev/null
SELECT is((SELECT ok FROM anonopt.verify('another')), true, 'a snapshot may count a view');
SELECT anonopt.drop_promise('d', 'k_map'), anonopt.add_promise('d', 'k_map', 60, population => 'everybody') \g /dev/null
GRANT INSERT ON everybody TO PUBLIC;
SELECT throws_ok($$SELECT anonopt.republish('mapped_live', '{0,2}')$$, '22023', 'everybody may write public.everybody', 'nor one of a population that everybody may write');
REVOKE INSERT ON everybody FROM PUBLIC;
RESET ROLE;
ALTER TABLE everybody OWNER TO regress_writer;
SET ROLE regress_publisher;
SELECT throws_ok('SELECT count(*) FROM mapped_live', '42501', 'permission denied for table everybody', 'the owner of a view must be able to read the population');
SELECT throws_ok($$SELECT anonopt.refresh_release('mapped')$$, '42501', NULL, 'at a refresh too');
RESET ROLE;
ALTER TABLE everybody OWNER TO regress_publisher;
SET ROLE regress_publisher;

-- ---------------------------------------------------------------------- presence
SELECT anonopt.drop_promise('d', 'k_map'), anonopt.add_promise('d', 'presence', 0.3, population => 'everybody') \g /dev/null
SELECT throws_ok(call, '0A000', NULL, 'classes that overlap refuse presence: ' || call) FROM unnest(ARRAY[
    $$SELECT anonopt.create_recoding('recoded', 'd', 2)$$, $$SELECT count(*) FROM anonopt.recoding_curve('d')$$,
    $$SELECT anonopt.publish_records('records', 'd', 0, 'id')$$]) call;
SELECT ok(length(anonopt.report('d')) > 1000, 'a report leaves out the curve of recodings');
CREATE TABLE by_hand AS SELECT DISTINCT a, b, (a / 5)::bigint AS class FROM people;
SELECT throws_ok(call, '0A000', NULL, call) FROM unnest(ARRAY[$$SELECT anonopt.publish_table('handed', 'd', recoding => 'by_hand')$$,
    $$SELECT anonopt.extend_recoding('by_hand', 'd', 2)$$, $$SELECT anonopt.view_sql('handed', 'd', recoding => 'by_hand')$$]) call;
SELECT anonopt.drop_promise('d', 'presence') \g /dev/null

-- --------------------------------------------------------- records of a population
SELECT anonopt.add_promise('d', 'k_map', 10, population => 'everybody') \g /dev/null
SELECT anonopt.publish_records('records', 'd', 1, 'id') \g /dev/null
SELECT is((SELECT ok FROM anonopt.verify('records')), true, 'records keep k_map where their labels hold enough people');
SELECT anonopt.drop_promise('d', 'k_map'), anonopt.add_promise('d', 'k_map', 5000, population => 'everybody') \g /dev/null
SELECT throws_ok($$SELECT anonopt.publish_records('more', 'd', 1, 'id')$$, '22023', 'records do not keep the promise of k_map', 'and refuse, naming the model, where they do not');
SELECT anonopt.drop_promise('d', 'k_map') \g /dev/null

-- ----------------------------------------------- a promise that comes after the release
CREATE TABLE recoded AS SELECT DISTINCT a, b, (a / 5 * 2 + b / 2)::bigint AS class FROM people;
SELECT anonopt.create_view('coded', 'd', recoding => 'recoded'), anonopt.create_view('cut', 'd', cuts => ARRAY[B'000010000', B'010']) \g /dev/null
SELECT anonopt.add_promise('d', 'k_map', 200, population => 'everybody'), anonopt.add_sensitive('d', 'a', 'ordered', 'h'), anonopt.add_promise('d', 't', 1, 's') \g /dev/null
SELECT lives_ok(format('SELECT anonopt.refresh_release(%L)', x), x || ': a refresh keeps what is declared by then') FROM unnest('{coded,cut}'::text[]) x;
REFRESH MATERIALIZED VIEW coded; REFRESH MATERIALIZED VIEW cut;
SELECT is(ARRAY[pg_temp.shown('coded'), pg_temp.shown('cut')], '{200,200}', 'and so does REFRESH');
SELECT is((SELECT others #>> '{k_map,measured}' FROM anonopt.verify('coded')), '225', 'verify counts who has the labels of a recoding: nine of ten pairs of values, 25 people each');
SELECT is((SELECT count(*) FROM pg_class WHERE relname ~ '^(coded|cut)_key' AND relkind = 'r'), 0::bigint, 'no key is beside them');
SELECT anonopt.drop_release(x::regclass) FROM unnest('{coded,cut}'::text[]) x \g /dev/null
SELECT anonopt.drop_attribute('d', 'a', 'sensitive'), anonopt.drop_promise('d', 'k_map'), anonopt.drop_promise('d', 't', 's') \g /dev/null

-- ---------------------------------------------------------- values without a leaf
CREATE TABLE few (value int PRIMARY KEY, pair text, top text);
INSERT INTO few SELECT i, 'p' || i / 2, '*' FROM generate_series(0, 7) i;
SELECT anonopt.create_dataset('u', 'people', 1), anonopt.add_quasi_identifier('u', 'a', 'few', unknown => '*'), anonopt.add_promise('u', 'k_map', 5, population => 'everybody') \g /dev/null
SELECT anonopt.publish_table('unknown', 'u', '{1}', k => 2) \g /dev/null
SELECT is((SELECT (ok, others #>> '{k_map,measured}')::text FROM anonopt.verify('unknown')),
    format('(t,%s)', (SELECT min(n) FROM (SELECT count(*) AS n FROM everybody GROUP BY CASE WHEN a < 8 THEN a / 2 END) c)),
    'people of the population without a leaf have the last label, as the data have');
SELECT is(ARRAY(SELECT k_map FROM anonopt.lattice('u') ORDER BY levels), ARRAY[
    (SELECT min(n) FROM (SELECT count(*) AS n FROM everybody GROUP BY CASE WHEN a < 8 THEN a END) c),
    (SELECT min(n) FROM (SELECT count(*) AS n FROM everybody GROUP BY CASE WHEN a < 8 THEN a / 2 END) c), (SELECT count(*) FROM everybody)],
    'so they have in a search');
SELECT anonopt.publish_table('unknown_cut', 'u', cuts => ARRAY[B'00001001'], k => 2), anonopt.create_view('unknown_view', 'u', cuts => ARRAY[B'00001001'], k => 2),
    anonopt.create_recoding('unknown_recoding', 'u', 30, seed => 1) \g /dev/null
SELECT anonopt.publish_table('unknown_recoded', 'u', recoding => 'unknown_recoding', k => 2) \g /dev/null
REFRESH MATERIALIZED VIEW unknown_view;
SELECT is(ARRAY[pg_temp.shown('unknown_cut'), pg_temp.shown('unknown_view'), pg_temp.shown('unknown_recoded')], '{200,200,200}', 'by cuts and recodings nobody is left out');
SELECT is((SELECT (ok, others #>> '{k_map,measured}')::text FROM anonopt.verify(x::regclass)),
    format('(t,%s)', (SELECT min(n) FROM (SELECT count(*) AS n FROM everybody GROUP BY CASE WHEN a < 5 THEN 0 WHEN a < 8 THEN 1 END) c)), 'and verify finds them: ' || x)
FROM unnest('{unknown_cut,unknown_view}'::text[]) x;
SELECT is((SELECT (ok, (others #>> '{k_map,measured}')::bigint = (SELECT k_map FROM anonopt.evaluate_recoding('u', 'unknown_recoding', k => 2)))::text
    FROM anonopt.verify('unknown_recoded')), '(t,t)', 'as it does those of a recoding');
SELECT is(anonopt.generalize(9, 'few', 1, '*'), '*', 'generalize gives what is told for a value without a leaf');
SELECT is(ARRAY[anonopt.generalize(3, 'few', 1, '*'), anonopt.generalize(NULL::int, 'few', 1, '*'), anonopt.generalize('9'::text, 'few', 1, 'other')], '{p1,NULL,other}', 'and of others what it is');
SELECT throws_ok($$SELECT anonopt.generalize(9, 'few', 1, NULL)$$, '22000', NULL, 'nothing told is an error');

-- ------------------------------------------------------------- what cannot be measured
SELECT anonopt.create_dataset('q', 'people', 1), anonopt.add_quasi_identifier('q', 'a', 'h'), anonopt.add_quasi_identifier('q', 'b', 'hb'),
    anonopt.add_sensitive('q', 'b'), anonopt.add_sensitive('q', 's'), anonopt.add_promise('q', 'alpha', 0.9, 'b'), anonopt.add_promise('q', 'alpha', 0.9, 's') \g /dev/null
SELECT anonopt.publish_table('quasi', 'q', '{1,2}', k => 2), anonopt.publish_table('quasi_l', 'q', '{1,2}', k => 2, l => 2) \g /dev/null
SELECT is((SELECT (ok IS NULL, others #> '{alpha,ok}', others #>> '{alpha,measured}', others #> '{alpha,columns,s,ok}')::text FROM anonopt.verify('quasi')),
    '(t,null,,true)', 'a sensitive column that is shown generalized is not said to keep its promise');
INSERT INTO quasi (a, b, s) SELECT a, b, 'y' FROM quasi;
SELECT is((SELECT (ok, others #> '{alpha,ok}')::text FROM anonopt.verify('quasi')), '(f,false)', 'what is broken is broken');
SELECT is((SELECT (ok IS NULL, l)::text FROM anonopt.verify('quasi_l')), '(t,3)', 'nor is it where l is promised of all');
SELECT anonopt.create_dataset('v', 'people', 1, person => 'id'), anonopt.add_quasi_identifier('v', 'a', 'h') \g /dev/null
INSERT INTO people SELECT * FROM people WHERE id < 40;
SELECT anonopt.add_promise('v', 'average_risk', 0.5), anonopt.add_promise('v', 'presence', 1, population => 'everybody') \g /dev/null
SELECT anonopt.publish_table('visits', 'v', '{1}', k => 2) \g /dev/null
SELECT is((SELECT (ok IS NULL, others #> '{average_risk,ok}', others #> '{presence,ok}')::text FROM anonopt.verify('visits')), '(t,null,null)',
    'whose rows they are is not shown, so neither risk nor presence is measured');

-- --------------------------------------------------------------- how far from a promise
-- 6, 3 and 1: 6 < 2 (3 + 1), and 6 = 1.5 (3 + 1)
CREATE TABLE counts AS SELECT 1 AS a, chr(96 + v) AS s FROM (VALUES (1, 6), (2, 3), (3, 1)) x (v, n), generate_series(1, n);
SELECT anonopt.create_dataset('c', 'counts', 1), anonopt.add_quasi_identifier('c', 'a', 'h'), anonopt.add_sensitive('c', 's'), anonopt.add_promise('c', 'recursive_l', 2, 's', 2) \g /dev/null
SELECT anonopt.publish_table('counted', 'c', '{1}', k => 2) \g /dev/null
SELECT is((SELECT (ok, others -> 'recursive_l')::text FROM anonopt.verify('counted')), '(t,"{""c"": 2, ""ok"": true, ""measured"": 1.5, ""promised"": 2}")', 'r1 / (r2 + r3) is 6 / 4');
DELETE FROM counted WHERE s <> 'a';
SELECT is((SELECT (ok, others #> '{recursive_l,ok}', others #> '{recursive_l,measured}')::text FROM anonopt.verify('counted')), '(f,false,null)', 'one value has no such figure');

-- --------------------------------------------------------- a column of another type
SELECT anonopt.create_dataset('w', 'people', 1), anonopt.add_quasi_identifier('w', 'a', 'h'), anonopt.add_sensitive('w', 's') \g /dev/null
CREATE TABLE typed AS TABLE people;
SELECT anonopt.create_dataset('w2', 'typed', 1), anonopt.add_quasi_identifier('w2', 'a', 'h'), anonopt.add_sensitive('w2', 's') \g /dev/null
SELECT anonopt.publish_table('widened', 'w2', '{1}', k => 2), anonopt.create_view('widened_live', 'w2', '{1}', k => 2, materialized => false) \g /dev/null
ALTER TABLE typed ALTER s TYPE int USING substr(s, 2)::int;
SELECT throws_ok($$SELECT anonopt.refresh_release('widened')$$, '23514', 'column "s" of release public.widened has another type than its source has now', 'a refresh names what has changed');
SELECT throws_ok($$SELECT anonopt.republish('widened_live', '{2}')$$, '23514', NULL, 'so does another generalization');
ALTER TABLE widened ALTER s TYPE int USING substr(s, 2)::int;
SELECT lives_ok($$SELECT anonopt.refresh_release('widened')$$, 'what its hint says helps');

RESET ROLE;
SELECT * FROM finish();
ROLLBACK;
