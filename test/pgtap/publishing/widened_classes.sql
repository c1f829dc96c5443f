-- Releases of a recoding that are refreshed: who came is not found by those who look alike in an earlier content.
\ir ../begin.inc
SELECT * FROM no_plan();
SET client_min_messages = error;
SET jit = off;

-- Newcomers widen a class, which then has another label: whoever has both contents finds them, and who left, by those who look
-- alike in both.
-- After each night that is not refused, plain SQL compares with every copy: classes that show a same pair of values are one.
CREATE TABLE guest (id serial, age int, town int, ill text);
CREATE TABLE guest_shown (night int, age text, town text, id int, true_age int, true_town int, ill text);
SELECT anonopt.create_interval_hierarchy('guest_ages', 0, 39, '{5,10}'), anonopt.create_interval_hierarchy('guest_towns', 0, 3, '{2}') \g /dev/null
SELECT anonopt.create_dataset('guests', 'guest', 1), anonopt.add_quasi_identifier('guests', 'age', 'guest_ages'), anonopt.add_quasi_identifier('guests', 'town', 'guest_towns'),
    anonopt.add_sensitive('guests', 'ill'), anonopt.set_insensitive('guests', 'ill'), anonopt.set_insensitive('guests', 'id') \g /dev/null
-- the fewest people who came to, or left, classes of the same people between an earlier night and the last
CREATE FUNCTION pg_temp.singled_out(k int) RETURNS TABLE (night int, people bigint) LANGUAGE sql AS $$
    WITH RECURSIVE class AS MATERIALIZED (SELECT g.night, g.age || '/' || g.town AS class, array_agg(DISTINCT (true_age, true_town)) AS tuples FROM guest_shown g GROUP BY 1, 2),
    last AS (SELECT max(g.night) AS night FROM guest_shown g),
    alike AS MATERIALIZED (SELECT o.night, o.class AS before, n.class AS now FROM class o JOIN class n ON o.tuples && n.tuples JOIN last ON n.night = last.night AND o.night < last.night),
    reached (night, start, is_now, class) AS (
        SELECT a.night, a.before, false, a.before FROM alike a
        UNION SELECT r.night, r.start, NOT r.is_now, CASE WHEN r.is_now THEN a.before ELSE a.now END FROM reached r JOIN alike a
            ON a.night = r.night AND r.class = CASE WHEN r.is_now THEN a.now ELSE a.before END),
    -- one start for each set of classes
    start AS (SELECT r.night, min(r.start) AS start FROM reached r WHERE NOT r.is_now GROUP BY r.night, r.class),
    side AS (SELECT r.night, r.start, r.is_now, g.id, g.ill FROM (SELECT DISTINCT * FROM reached NATURAL JOIN start) r JOIN guest_shown g
        ON g.night = CASE WHEN r.is_now THEN (TABLE last) ELSE r.night END AND g.age || '/' || g.town = r.class),
    ill AS (SELECT s.night, s.start, s.ill, count(*) FILTER (WHERE is_now) - count(*) FILTER (WHERE NOT is_now) AS more FROM side s GROUP BY 1, 2, 3),
    sums AS (SELECT i.night, sum(i.more) FILTER (WHERE more > 0) AS came, -sum(i.more) FILTER (WHERE more < 0) AS went FROM ill i GROUP BY i.night, i.start)
    SELECT s.night, least(s.came, s.went)::bigint FROM sums s WHERE s.came < k OR s.went < k
$$;
CREATE FUNCTION pg_temp.guest_nights(seed int, labels text, mode text, OUT fault text, OUT refused int, OUT shown int) LANGUAGE plpgsql AS $$
DECLARE
BEGIN
    PERFORM setseed(seed / 100.0);
    refused := 0;
    shown := 0;
    TRUNCATE guest, guest_shown;
    INSERT INTO guest (age, town, ill) SELECT 8 + (random() * 20)::int, (random() * 3)::int, 'i' || (random() * 2)::int FROM generate_series(1, 60);
    PERFORM anonopt.create_recoding('guest_classes', 'guests', k => 5);
    SET LOCAL anonopt.composition = off;
    PERFORM anonopt.publish_table('guests_shown', 'guests', recoding => 'guest_classes', k => 5, columns => '{id}', labels => labels);
    PERFORM set_config('anonopt.composition', mode, true);
    FOR tonight IN 0..12 LOOP
        IF tonight > 0 THEN
            BEGIN
                INSERT INTO guest (age, town, ill) SELECT g.age, g.town, 'i' || (random() * 2)::int
                FROM (SELECT (random() * 39)::int AS age, (random() * 3)::int AS town) g, generate_series(1, CASE WHEN tonight % 2 = 0 THEN 1 ELSE 20 END);
                DELETE FROM guest WHERE tonight % 4 = 3 AND id = (SELECT id FROM guest ORDER BY random() LIMIT 1);
                PERFORM anonopt.refresh_release('guests_shown');
                shown := shown + 1;
            EXCEPTION WHEN object_not_in_prerequisite_state THEN
                refused := refused + 1;
                CONTINUE;
            END;
        END IF;
        INSERT INTO guest_shown SELECT tonight, s.age, s.town, s.id, g.age, g.town, s.ill FROM guests_shown s JOIN guest g USING (id);
        fault := coalesce(fault, (SELECT format('night %s beside %s: %s', tonight, o.night, o.people) FROM pg_temp.singled_out(5) o LIMIT 1));
    END LOOP;
    PERFORM anonopt.drop_release('guests_shown');
    DELETE FROM anonopt.published WHERE dataset = 'guests';
    DROP TABLE guest_classes;
END $$;
CREATE TEMP TABLE guest_night AS SELECT labels, mode, n.* FROM generate_series(1, pg_temp.few(5)) seed, unnest('{range,hierarchy}'::text[]) labels,
    unnest('{refuse,hold_back}'::text[]) mode, LATERAL pg_temp.guest_nights(seed, labels, mode) n;
SELECT is((SELECT array_agg(mode || ' ' || fault) FILTER (WHERE fault IS NOT NULL) FROM guest_night), NULL, 'beside no earlier content, a class of the same people shows fewer newcomers than k');
SELECT ok((SELECT sum(refused) > 0 AND sum(shown) > 0 FROM guest_night WHERE mode = 'refuse'), 'some nights are refused, and some are not');
SELECT is((SELECT sum(refused) FROM guest_night WHERE mode = 'hold_back'), 0::bigint, 'none where classes are held back');
-- the smallest cases: one newcomer of 26 beside 40 of 20 to 24; and one of these who leaves when 20 come
TRUNCATE guest;
INSERT INTO guest (age, town, ill) SELECT CASE WHEN i <= 40 THEN i % 5 ELSE 30 + i % 5 END, 0, CASE WHEN i = 1 THEN 'rare' ELSE 'i' || i % 3 END FROM generate_series(1, 80) i;
SELECT anonopt.create_recoding('guest_classes', 'guests', k => 20) \g /dev/null
SELECT anonopt.publish_table('guests_shown', 'guests', recoding => 'guest_classes', k => 20, labels => 'range') \g /dev/null
CREATE TABLE guests_kept AS TABLE guests_shown;
SAVEPOINT one;
INSERT INTO guest (age, town, ill) VALUES (6, 0, 'new');
SET anonopt.composition = refuse;
SELECT throws_ok($$SELECT anonopt.refresh_release('guests_shown')$$, '55000', NULL, 'a newcomer who widens a class is noticed');
SET anonopt.composition = off;
SELECT anonopt.refresh_release('guests_shown') \g /dev/null
SELECT results_eq('SELECT ill FROM guests_shown EXCEPT ALL SELECT ill FROM guests_kept', ARRAY['new'], 'by those who have both contents');
ROLLBACK TO one;
INSERT INTO guest (age, town, ill) SELECT 6, 0, 'i1' FROM generate_series(1, 20);
DELETE FROM guest WHERE ill = 'rare';
SET anonopt.composition = refuse;
SELECT throws_ok($$SELECT anonopt.refresh_release('guests_shown')$$, '55000', 'release public.guests_shown differs from what was shown before by 1 person', 'so is who leaves when others come');
SET anonopt.composition = off;
SELECT anonopt.refresh_release('guests_shown') \g /dev/null
SELECT results_eq('SELECT ill FROM guests_kept EXCEPT ALL SELECT ill FROM guests_shown', ARRAY['rare'], 'by them, too');
SELECT * FROM finish();
ROLLBACK;
