-- Releases that are forgotten, replaced, analyzed, and that withdraw a promise; what others see of them.
\ir ../begin.inc
SELECT * FROM no_plan();
SET client_min_messages = error;
SET anonopt.composition = refuse;
CREATE TABLE people AS SELECT i AS id, 20 + i % 20 AS age, 'd' || i % 3 AS ill, i % 2 AS sex FROM generate_series(1, 600) i;
SELECT anonopt.create_interval_hierarchy('ages', 20, 39, '{5,10}');
SELECT anonopt.create_dataset('d', 'people', 0.1), anonopt.add_quasi_identifier('d', 'age', 'ages'), anonopt.add_sensitive('d', 'ill');
CREATE FUNCTION recorded() RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', (SELECT count(*) FROM anonopt.published), (SELECT count(*) FROM anonopt.published_promise), (SELECT count(*) FROM anonopt.published_content),
        (SELECT count(*) FROM anonopt.published_values), (SELECT count(*) FROM anonopt.published_cover), (SELECT count(*) FROM anonopt.published_link)) $$;

-- forget_release. The whole test is one transaction, which makes them all, so their entries are dated back.
SELECT is(recorded(), '0 0 0 0 0 0', 'nothing is recorded at first');
SELECT anonopt.publish_table('tried', 'd', '{1}', k => 20, t => 0.5);
GRANT SELECT ON tried TO PUBLIC;
SELECT anonopt.forget_release('tried');
SELECT is(recorded(), '0 0 0 0 0 0', 'a release of this transaction is forgotten, though it was granted');
SELECT is(to_regclass('tried'), NULL, 'and dropped');
DELETE FROM people WHERE id = 1;
SELECT lives_ok($$SELECT anonopt.publish_table('tried', 'd', '{1}', k => 20, t => 0.5)$$, 'so one that differs from it by a person is published');
CREATE FUNCTION date_back() RETURNS void LANGUAGE sql AS $$
    UPDATE anonopt.published SET published_at = published_at - interval '1 hour';
    UPDATE anonopt.published_content SET made_at = made_at - interval '1 hour' $$;
SELECT date_back();
DELETE FROM people WHERE id = 2;
SELECT throws_ok($$SELECT anonopt.publish_table('again', 'd', '{1}', k => 20)$$, '55000', NULL, 'unlike one that differs from it by a person');
CREATE TABLE parent (LIKE tried);
CREATE PUBLICATION any_rows;
CREATE FUNCTION opened(open text, shut text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text;
BEGIN
    EXECUTE open;
    BEGIN
        PERFORM anonopt.forget_release('tried');
        RETURN 'forgotten';
    EXCEPTION WHEN object_not_in_prerequisite_state THEN GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    END;
    EXECUTE shut;
    RETURN detail;
END $$;
CREATE ROLE "Odd, role";
SELECT is(opened(o, s), format('It was open to: %s.', w), o) FROM (VALUES
    ('GRANT SELECT ON tried TO "Odd, role"', 'REVOKE SELECT ON tried FROM "Odd, role"', 'role "Odd, role"'),
    ('GRANT UPDATE (age) ON tried TO PUBLIC', 'REVOKE UPDATE (age) ON tried FROM PUBLIC', 'everybody'),
    ('ALTER PUBLICATION any_rows ADD TABLE tried', 'ALTER PUBLICATION any_rows DROP TABLE tried', 'publication any_rows'),
    ('ALTER TABLE tried INHERIT parent', 'ALTER TABLE tried NO INHERIT parent', 'table public.parent')) t (o, s, w);
CREATE VIEW on_it AS TABLE tried;
SELECT throws_ok($$SELECT anonopt.forget_release('tried')$$, '2BP01', NULL, 'a view reads it');
DROP VIEW on_it;
SELECT throws_ok($$SELECT anonopt.forget_release('people')$$, '42704', NULL, 'no release');
ALTER TABLE tried OWNER TO "Odd, role";
SELECT throws_ok($$SELECT anonopt.forget_release('tried')$$, '42501', NULL, 'another owner, even for a superuser');
ALTER TABLE tried OWNER TO CURRENT_USER;
SELECT lives_ok($$SELECT anonopt.forget_release('tried')$$, 'shut again, it is forgotten');
SELECT is(recorded(), '0 0 0 0 0 0', 'with all that was recorded');
SELECT anonopt.create_view('live', 'd', '{1}', k => 20, materialized => false);
SELECT date_back();
GRANT EXECUTE ON FUNCTION live_rows() TO PUBLIC;
SELECT throws_ok($$SELECT anonopt.forget_release('live')$$, '55000', NULL, 'the function of a live view can be called by others');
REVOKE EXECUTE ON FUNCTION live_rows() FROM PUBLIC;
SELECT anonopt.forget_release('live');
SELECT is(ROW(recorded(), to_regclass('live'), to_regprocedure('live_rows()'))::text, '("0 0 0 0 0 0",,)', 'a live view is forgotten with its function');

-- replace
SELECT anonopt.publish_table('shown', 'd', '{1}', k => 20, replace => true);
CREATE INDEX shown_by_age ON shown (age);
CREATE VIEW on_it AS SELECT age, count(*) FROM shown GROUP BY age;
GRANT SELECT ON shown TO "Odd, role";
CREATE TEMP TABLE first AS SELECT 'shown'::regclass::oid AS oid, relacl FROM pg_class WHERE oid = 'shown'::regclass;
SELECT throws_ok($$SELECT anonopt.publish_table('shown', 'd', '{2}', k => 20)$$, '42710', NULL, 'a name is taken unless it is replaced');
SELECT is(anonopt.publish_table('shown', 'd', '{2}', k => 100, replace => true), 'shown'::regclass, 'replaced');
SELECT is((SELECT ROW(c.oid, c.relacl)::text FROM pg_class c WHERE relname = 'shown'), (SELECT f::text FROM first f), 'the same relation, with its privileges');
SELECT is((SELECT string_agg(age || ' ' || count, ', ' ORDER BY age) FROM on_it), (SELECT string_agg(level2 || ' ' || n, ', ' ORDER BY level2) FROM (SELECT level2, count(*) AS n FROM people JOIN ages ON value = age GROUP BY 1) c),
    'a view on it shows the new rows');
SELECT is((SELECT string_agg(concat_ws(' ', release, levels::text, k, dropped), ', ' ORDER BY k) FROM anonopt.release), '- {1} 20 t, shown {2} 100 f', 'the old one is known as dropped');
SELECT is((SELECT ROW(promised_k, k, ok)::text FROM anonopt.verify('shown')), (SELECT ROW(100, min(n), true)::text FROM (SELECT count(*) AS n FROM people GROUP BY age / 10) c), 'and the new one verified');
SELECT is(starts_with(obj_description('shown'::regclass), 'anonopt release ' || id || ': k = 100'), true, 'the comment names the new entry') FROM anonopt.published WHERE relation > 0;
SELECT lives_ok($$SELECT anonopt.refresh_release('shown')$$, 'which is refreshed');
DELETE FROM people WHERE id = 3;
SELECT throws_ok($$SELECT anonopt.publish_table('shown', 'd', '{1}', k => 20, replace => true)$$, '55000', NULL, 'what the old one showed is compared');
SELECT is((SELECT string_agg(concat_ws(' ', release, k), ', ' ORDER BY k) FROM anonopt.release), '- 20, shown 100', 'and then nothing has changed');
SELECT throws_ok($$SELECT anonopt.publish_table('shown', 'd', '{1}', k => 20, columns => '{sex}', replace => true)$$, '55000', NULL, 'even with other columns');
SET anonopt.composition = off;
SELECT throws_ok($$SELECT anonopt.publish_table('shown', 'd', '{1}', k => 20, columns => '{sex}', replace => true)$$, '2BP01', NULL, 'with other columns, it would be dropped, which a view forbids');
DROP VIEW on_it;
SELECT anonopt.publish_table('shown', 'd', '{1}', k => 20, columns => '{sex}', replace => true);
SELECT is((SELECT relacl FROM pg_class WHERE relname = 'shown'), NULL, 'then it is another relation, without privileges');
SELECT is((SELECT count(*)::int FROM anonopt.release WHERE NOT dropped), 1, 'and the only one');
SELECT throws_ok(format($$SELECT anonopt.publish_table(%L, 'd', '{1}', k => 20, replace => true)$$, n), '42704', NULL, n || ' is no release') FROM unnest('{people,parent}'::text[]) n;
ALTER TABLE shown OWNER TO "Odd, role";
SELECT throws_ok($$SELECT anonopt.publish_table('shown', 'd', '{1}', k => 20, replace => true)$$, '42501', NULL, 'nor may one of another role be replaced');
ALTER TABLE shown OWNER TO CURRENT_USER;
SELECT anonopt.create_view('seen', 'd', '{1}', k => 20);
SELECT is(anonopt.publish_table('seen', 'd', '{1}', k => 20, replace => true)::text, 'seen', 'a view is replaced by a table');
SELECT is((SELECT string_agg(form || ' ' || dropped, ', ' ORDER BY form) FROM anonopt.release WHERE name = 'public.seen'), 'materialized view true, table false', 'which is said');

-- statistics
CREATE FUNCTION statistics(r regclass) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(attname || ' ' || CASE WHEN n_distinct < 0 THEN -n_distinct * c.reltuples ELSE n_distinct END, ', ' ORDER BY attname) || '; ' || c.reltuples
    FROM pg_stats s, pg_class c WHERE c.oid = r AND s.tablename = c.relname GROUP BY c.reltuples $$;
CREATE FUNCTION true_statistics(r text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
    EXECUTE format('SELECT concat(''age '', count(DISTINCT age), '', ill '', count(DISTINCT ill), ''; '', count(*)) FROM %I', r) INTO result;
    RETURN result;
END $$;
SELECT anonopt.create_view('view', 'd', '{1}', k => 20), anonopt.publish_table('table', 'd', '{1}', k => 20);
SELECT is(statistics(r), true_statistics(r::text), r || ' is analyzed') FROM unnest('{seen}'::regclass[]) r;
SELECT is(statistics('view'), true_statistics('view'), 'so is a view');
CREATE INDEX by_expression ON seen ((upper(ill)));
INSERT INTO people SELECT i, 20 + i % 20, 'd' || i % 7 FROM generate_series(1001, 3000) i;
SELECT anonopt.refresh_release(r) FROM unnest('{seen,view}'::regclass[]) r;
SELECT is(statistics(r), true_statistics(r::text), r || ' is analyzed when it is refreshed') FROM unnest('{seen,view}'::regclass[]) r;
SELECT is((SELECT n_distinct FROM pg_stats WHERE tablename = 'by_expression'), 7::real, 'and an index by an expression');
SELECT is((SELECT count(*)::int FROM pg_statistic WHERE NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = starelid)), 0, 'nothing is left of other relations');

-- what verify finds, for others
SELECT is((SELECT ROW(filled_by, verified_ok, verified_at >= filled_at)::text FROM anonopt.release WHERE name = 'public.seen' AND NOT dropped), '(refresh,t,t)', 'a refresh counts as verified');
SELECT is((SELECT filled_by FROM anonopt.verify('table')), 'publishing', 'and verify says what wrote the rows');
UPDATE anonopt.published SET verified_at = '2020-01-01';
INSERT INTO seen VALUES ('x', 'x');
SELECT is((SELECT ok FROM anonopt.verify('seen')), false, 'a row too many');
SELECT is((SELECT ROW(verified_ok, verified_at > '2020-01-02')::text FROM anonopt.release WHERE name = 'public.seen' AND NOT dropped), '(f,t)', 'is recorded');
SET anonopt.composition = warn;
SELECT anonopt.publish_table('one', 'd', '{2}', k => 2), anonopt.publish_table('two', 'd', '{2}', k => 2);
DELETE FROM people WHERE id IN (1001, 1021, 1041);
SELECT anonopt.publish_table('three', 'd', '{2}', k => 2);
SELECT is((SELECT smallest_difference FROM anonopt.release WHERE name = 'public.two'), (SELECT smallest_difference FROM anonopt.release WHERE name = 'public.one'), 'two is as one');
SELECT is((SELECT smallest_difference FROM anonopt.release WHERE name = 'public.three'), 3::bigint, 'three people have gone from a class');
SELECT is(true_statistics('three'), statistics('three'), 'analyzed, too');
-- a promise is withdrawn after its column is no longer sensitive
SELECT anonopt.create_dataset('w', 'people', 0.1), anonopt.add_quasi_identifier('w', 'age', 'ages');
SELECT anonopt.add_sensitive('w', 'age');
SELECT anonopt.publish_table('kept', 'w', '{2}', k => 20, l => 2, t => 0.9);
SELECT anonopt.drop_attribute('w', 'age', 'sensitive');
SELECT throws_ok($$SELECT anonopt.republish('kept')$$, NULL, NULL, 'what l and t promise is about nothing now');
SELECT throws_ok($$SELECT anonopt.republish('kept', l => 0)$$, NULL, NULL, 'so is t alone');
SELECT is(anonopt.republish('kept', l => 0, t => 1)::text, 'kept', 'both are withdrawn');
SELECT is((SELECT ROW(promised_k, promised_l, promised_t, ok)::text FROM anonopt.verify('kept')), '(20,,,t)', 'k is promised as before');
SELECT throws_ok($$SELECT anonopt.republish('kept', l => -1)$$, '22023', NULL, 'l is not negative');
CREATE ROLE monitor;
SELECT is((SELECT count(*) > 5 FROM anonopt.release), true, 'there are releases');
SET ROLE monitor;
SELECT is((SELECT count(*)::int FROM anonopt.release), 0, 'a stranger sees none');
RESET ROLE;
GRANT pg_monitor TO monitor;
SET ROLE monitor;
SELECT is((SELECT ROW(verified_ok, smallest_difference)::text FROM anonopt.release WHERE name = 'public.three'), '(t,3)', 'a monitor sees what verify found');
SELECT throws_ok($$SELECT anonopt.verify('three')$$, '42501', NULL, 'but may not verify');
SELECT throws_ok($$TABLE three$$, '42501', NULL, 'nor read');
SELECT throws_ok($$TABLE anonopt.published$$, '42501', NULL, 'nor see what else is recorded');
RESET ROLE;
SELECT isnt((SELECT prosecdef OR provolatile <> 'v' FROM pg_proc WHERE oid = 'anonopt.verify(regclass)'::regprocedure), true, 'verify may write');
-- Releases that were dropped or replaced are forgotten by their ids, if nobody else could read them then.
SET anonopt.composition = refuse;
CREATE TABLE tribe AS SELECT i AS id, 20 + i % 20 AS age FROM generate_series(1, 600) i;
SELECT anonopt.create_dataset('tribe', 'tribe', 0.1), anonopt.add_quasi_identifier('tribe', 'age', 'ages') \g /dev/null
SELECT anonopt.publish_table('trial', 'tribe', '{1}', k => 20) \g /dev/null
SELECT id AS first FROM anonopt.release WHERE dataset = 'tribe' \gset
DELETE FROM tribe WHERE id = 1;
SELECT throws_ok($$SELECT anonopt.publish_table('trial', 'tribe', '{1}', k => 20, replace => true)$$, '55000', NULL, 'a replacement is compared with what it replaces');
SET anonopt.composition = off;
SELECT anonopt.publish_table('trial', 'tribe', '{1}', k => 20, replace => true) \g /dev/null
SET anonopt.composition = refuse;
SELECT date_back();
INSERT INTO tribe SELECT 1, 21;
SELECT throws_ok($$SELECT anonopt.refresh_release('trial')$$, '55000', NULL, 'a replaced trial stands in the way of a refresh');
DELETE FROM tribe WHERE id = 1;
SELECT lives_ok(format('SELECT anonopt.forget_release(id => %L)', :'first'), 'what was replaced is forgotten, since nobody could read it');
SELECT is((SELECT array_agg(name || dropped) FROM anonopt.release WHERE dataset = 'tribe'), ARRAY['public.trialfalse'], 'and only that');
SELECT throws_ok(format('SELECT anonopt.forget_release(id => %L)', :'first'), '42704', NULL, 'once');
SELECT is((SELECT count(*) FROM anonopt.published_content WHERE id = :'first'), 0::bigint, 'with its contents');
-- one that others could read when it was replaced is not, nor one that somebody dropped otherwise
GRANT SELECT ON trial TO "Odd, role";
SELECT id AS second FROM anonopt.release WHERE dataset = 'tribe' \gset
SET anonopt.composition = off;
SELECT anonopt.publish_table('trial', 'tribe', '{2}', k => 20, replace => true) \g /dev/null
REVOKE SELECT ON trial FROM "Odd, role";
SELECT throws_ok(format('SELECT anonopt.forget_release(id => %L)', :'second'), '55000', 'others may have read release public.trial', 'one that was open when it was replaced is kept');
SELECT id AS third FROM anonopt.release WHERE dataset = 'tribe' AND NOT dropped \gset
SELECT date_back();
DROP TABLE trial;
SELECT throws_ok(format('SELECT anonopt.forget_release(id => %L)', :'third'), '55000', 'others may have read release public.trial', 'so is one that was dropped otherwise');
SELECT anonopt.publish_table('fourth', 'tribe', '{1}', k => 20) \g /dev/null
SELECT id AS fourth FROM anonopt.release WHERE dataset = 'tribe' AND NOT dropped \gset
SELECT anonopt.drop_release('fourth') \g /dev/null
GRANT ALL ON SCHEMA public TO "Odd, role";
SET LOCAL ROLE "Odd, role";
SELECT throws_ok(format('SELECT anonopt.forget_release(id => %L)', :'fourth'), '42501', NULL, 'only who published it may');
RESET ROLE;
SELECT lives_ok(format('SELECT anonopt.forget_release(id => %L)', :'fourth'), 'one that was dropped unread is forgotten');
SELECT anonopt.publish_table('fifth', 'tribe', '{1}', k => 20) \g /dev/null
SELECT id AS fifth FROM anonopt.release WHERE dataset = 'tribe' AND NOT dropped \gset
SELECT lives_ok(format('SELECT anonopt.forget_release(id => %L)', :'fifth'), 'one that is there, too');
SELECT is(to_regclass('fifth'), NULL, 'and dropped');
SELECT is((SELECT count(*) FROM anonopt.published WHERE id IN (:'fourth', :'fifth')), 0::bigint, 'with its entry');
-- a view that others may read shows them what is replaced below it
SELECT anonopt.publish_table('sixth', 'tribe', '{1}', k => 20) \g /dev/null
SELECT id AS sixth FROM anonopt.release WHERE dataset = 'tribe' AND NOT dropped \gset
CREATE VIEW of_sixth AS TABLE sixth;
GRANT SELECT ON of_sixth TO "Odd, role";
SELECT anonopt.publish_table('sixth', 'tribe', '{2}', k => 20, replace => true) \g /dev/null
SELECT is((SELECT read_by FROM anonopt.published WHERE id = :'sixth'), 'rule _RETURN on view public.of_sixth', 'who reads a view on it is noted');
SELECT throws_ok(format('SELECT anonopt.forget_release(id => %L)', :'sixth'), '55000', NULL, 'so it is kept');
DROP VIEW of_sixth;
SELECT anonopt.publish_table('sixth', 'tribe', '{1}', k => 20, replace => true) \g /dev/null
SELECT is((SELECT array_agg(read_by ORDER BY published_at) FROM anonopt.published WHERE name = 'public.sixth'), ARRAY['rule _RETURN on view public.of_sixth', '', NULL], 'without the view, nobody reads it');
SELECT throws_ok('SELECT anonopt.forget_release()', '22023', NULL, 'one must be given');
SELECT throws_ok('SELECT anonopt.forget_release(NULL, NULL)', '22023', NULL, 'not NULL');
SELECT throws_ok('SELECT anonopt.forget_release(''pg_class'', gen_random_uuid())', '22023', 'cannot specify both release and id', 'nor both');
SET TRANSACTION READ ONLY;
SELECT is((SELECT ok FROM anonopt.verify('three')), true, 'but need not');

SELECT * FROM finish();
ROLLBACK;
