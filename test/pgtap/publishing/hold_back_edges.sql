-- Refreshes that hold back what others could subtract: tables that were changed, large values, indexes, views,
-- people with several rows, recodings, records, promises about shares, and what is recorded.
\ir ../begin.inc
SELECT * FROM no_plan();
SET client_min_messages = error;
SELECT setseed(0.3);

CREATE TABLE person AS SELECT i AS id, 20 + i % 20 AS age, 'd' || i % 4 AS ill,
    CASE WHEN i % 10 = 0 THEN (SELECT string_agg(md5(i::text || j), '') FROM generate_series(1, 300) j) END AS big FROM generate_series(1, 200) i;
SELECT anonopt.create_interval_hierarchy('ages', 20, 39, '{5,10}');
SELECT anonopt.create_dataset('d', 'person', 0.2), anonopt.add_quasi_identifier('d', 'age', 'ages');
SELECT anonopt.add_sensitive('d', 'ill'), anonopt.set_insensitive('d', 'id'), anonopt.set_insensitive('d', 'big');
SELECT anonopt.publish_table('seen', 'd', '{1}', k => 10, l => 2, columns => '{id,big}');
CREATE UNIQUE INDEX seen_id ON seen (id);
CREATE INDEX seen_length ON seen (length(big));
CREATE FUNCTION held(release text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(format('%s: %s shown, %s wait, %s departed', array_to_string(h.labels, ', '), people, waiting, departed), '; ' ORDER BY h.labels)
    FROM anonopt.published_held h JOIN anonopt.published p USING (id) WHERE p.name = 'public.' || release
$$;

-- newcomers wait, until there are k
INSERT INTO person SELECT 1000 + i, 20, 'd' || i % 4, NULL FROM generate_series(1, 9) i;
INSERT INTO person SELECT 2000 + i, 30, 'd' || i % 4, NULL FROM generate_series(1, 10) i;
SELECT anonopt.refresh_release('seen', hold_back => true);
SELECT is(held('seen'), '[20, 25): 50 shown, 9 wait, 0 departed', 'nine of a class wait, ten of another do not');
SELECT is((SELECT row(k, rows, ok, held_back, held_since <= clock_timestamp())::text FROM anonopt.verify('seen')), '(50,210,t,9,t)', 'verify says so');
SELECT bag_eq('SELECT id, ill, big FROM seen', 'SELECT id, ill, big FROM person WHERE id NOT BETWEEN 1001 AND 1009', 'large values are copied whole');
SELECT results_eq('SELECT count(*) FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid WHERE i.indrelid = ''seen''::regclass AND i.indisvalid', 'SELECT 2::bigint', 'indexes stay');
SELECT is((SELECT array_agg(id ORDER BY id) FROM seen WHERE id IN (77, 2005)), '{77,2005}', 'and find both');
UPDATE anonopt.published_held SET since = '2020-01-01';
SELECT anonopt.refresh_release('seen', hold_back => true);
SELECT is((SELECT held_since FROM anonopt.verify('seen')), '2020-01-01', 'a class that is held back again has been since the first time');
SELECT is((SELECT count(*) FROM anonopt.published_content c JOIN anonopt.published p USING (id) WHERE p.name = 'public.seen'), 2::bigint, 'nothing new is no content');
SELECT matches(anonopt.report('d'), '9 people, some since 2020-01-01', 'the report says so');
INSERT INTO person VALUES (1010, 20, 'd1', NULL);
SELECT anonopt.refresh_release('seen', hold_back => true);
SELECT is((SELECT row(rows, held_back, held_since)::text FROM anonopt.verify('seen')), '(220,0,)', 'with the tenth, nobody waits');
INSERT INTO person SELECT 3000 + i, 35, 'd1', NULL FROM generate_series(1, 12) i;
SELECT anonopt.refresh_release('seen', hold_back => true);
SELECT is(held('seen'), '[35, 40): 50 shown, 12 wait, 0 departed', 'twelve newcomers with one value');
DELETE FROM person WHERE id > 3000;

-- deleted people
DELETE FROM person WHERE id = 5;
SELECT anonopt.refresh_release('seen', hold_back => true, keep_deleted => true);
SELECT is(held('seen'), '[25, 30): 50 shown, 0 wait, 1 departed', 'a deleted person who may stay');
SELECT anonopt.refresh_release('seen', hold_back => true);
SELECT is(held('seen'), '[25, 30): 40 shown, 9 wait, 0 departed', 'or not, with nine others');
SELECT is((SELECT count(*) FROM seen WHERE id = 5), 0::bigint, 'is gone');
SELECT cmp_ok((SELECT count(DISTINCT p.ill) FROM person p WHERE NOT EXISTS (SELECT FROM seen s WHERE s.id = p.id)), '>=', 2::bigint, 'they have several values');
DELETE FROM person WHERE id IN (SELECT id FROM seen WHERE age = '[25, 30)' ORDER BY id OFFSET 3);
SELECT anonopt.refresh_release('seen', hold_back => true);
SELECT is((SELECT row(count(*), held('seen'))::text FROM seen WHERE age = '[25, 30)'), '(12,)', 'many leave');
DELETE FROM person WHERE id = (SELECT min(id) FROM seen WHERE age = '[25, 30)');
SELECT anonopt.refresh_release('seen', hold_back => true);
SELECT is(held('seen'), '[25, 30): 0 shown, 11 wait, 0 departed', 'and one of so few that the others are too few');
DELETE FROM person WHERE age BETWEEN 25 AND 29;
SELECT anonopt.refresh_release('seen', hold_back => true);
SELECT is(held('seen'), NULL, 'and of which nobody does');
SELECT throws_ok('SELECT anonopt.refresh_release(''seen'', hold_back => NULL, keep_deleted => NULL)', '22023', NULL, 'keep_deleted is true or false');

-- when it is held back
INSERT INTO person VALUES (4001, 20, 'd1', NULL);
SET anonopt.composition = hold_back;
SELECT throws_ok('SELECT anonopt.refresh_release(''seen'', false)', '55000', 'release public.seen differs from what was shown before by 1 person', 'the setting refuses what is not to be held back');
SELECT throws_ok('SELECT anonopt.publish_table(''again'', ''d'', ''{1}'', k => 10)', '55000', NULL, 'and what is shown first');
SELECT lives_ok('SELECT anonopt.refresh_release(''seen'')', 'it holds back by default');
SET anonopt.composition = off;
SELECT lives_ok('SELECT anonopt.refresh_release(''seen'', true)', 'or if asked for');
SELECT is(held('seen'), '[20, 25): 60 shown, 1 wait, 0 departed', 'either way');

-- tables that somebody has changed
CREATE FUNCTION after(change text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE change;
    PERFORM anonopt.refresh_release('seen', true);
    RETURN held('seen');
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
SELECT is(after(change), '55000 release public.seen does not show the rows that were written', change)
FROM unnest(ARRAY['DELETE FROM seen WHERE id = 1', 'INSERT INTO seen SELECT * FROM (SELECT * FROM seen WHERE id = 1) x (id, age, ill, big) WHERE pg_catalog.set_config(''x.y'', ''1'', true) IS NOT NULL',
    'UPDATE seen SET ill = ''d9'' WHERE id = 1', 'UPDATE seen SET age = NULL WHERE id = 1', 'TRUNCATE seen']) change WHERE change NOT LIKE 'INSERT%';
SELECT is(after('UPDATE seen SET ill = ''d9'' WHERE id = 10'), '[20, 25): 60 shown, 1 wait, 0 departed', 'other classes are fresh');
SELECT is(after('UPDATE seen SET age = ''x'' WHERE id = 10'), '[20, 25): 60 shown, 1 wait, 0 departed', 'and no class of O keeps other rows');
SELECT is(after('ALTER TABLE seen ADD x int; ALTER TABLE seen DROP x'), '23514 release public.seen would be made differently now', 'a dropped column');
SELECT is(after('DELETE FROM person'), '22023 relation public.person has no rows to publish', 'nobody is left');
SELECT is(after('UPDATE seen SET id = -id WHERE id = 1'), '[20, 25): 50 shown, 11 wait, 0 departed', 'a row that nobody has counts as deleted');
SELECT is((SELECT count(*) FROM seen WHERE id < 0), 0::bigint, 'and is not shown');

-- subscribers
CREATE PUBLICATION p FOR TABLE seen;
ALTER TABLE seen REPLICA IDENTITY FULL;
INSERT INTO person SELECT 5000 + i, 30, 'd' || i % 4, NULL FROM generate_series(1, 10) i;
SELECT is(after(''), '[20, 25): 50 shown, 11 wait, 0 departed', 'rows of a publication are replaced one by one');
SELECT is((SELECT count(*) FROM seen), (SELECT count(*) FROM person) - 11, 'all of them');
SELECT anonopt.drop_release('seen');
SELECT is((SELECT count(*) FROM anonopt.published_held), 0::bigint, 'what is recorded goes with the release');

-- materialized views
SELECT anonopt.create_view('view', 'd', '{1}', k => 10, columns => '{id}');
INSERT INTO person VALUES (6001, 20, 'd1', NULL);
SELECT anonopt.refresh_release('view', true);
SELECT is(held('view'), '[20, 25): 61 shown, 1 wait, 0 departed', 'a materialized view');
SET anonopt.composition = hold_back;
SELECT throws_ok('REFRESH MATERIALIZED VIEW view', '55000', NULL, 'PostgreSQL holds nothing back');
REFRESH MATERIALIZED VIEW view WITH NO DATA;
SELECT anonopt.refresh_release('view');
SELECT is(held('view'), '[20, 25): 0 shown, 62 wait, 0 departed', 'a class that cannot be shown again');
SELECT is((SELECT row(ok, rows)::text FROM anonopt.verify('view')), (SELECT row(true, count(*))::text FROM person WHERE age > 24), 'the others are');
SELECT anonopt.drop_release('view');
SET anonopt.composition = off;

-- shares of values, which are compared with those of everybody who is there or shown
SELECT anonopt.add_promise('d', 'alpha', 0.6, 'ill');
SELECT anonopt.publish_table('shares', 'd', '{1}', k => 10, t => 0.4, columns => '{id}');
DELETE FROM person WHERE id IN (SELECT id FROM person WHERE ill = 'd3' ORDER BY id LIMIT (SELECT count(*) FROM person WHERE ill = 'd3') - 4);
SELECT anonopt.refresh_release('shares', true, keep_deleted => true);
SELECT is((SELECT ok FROM anonopt.verify('shares')), true, 'more are shown with a value than there are');
UPDATE person SET ill = 'd1' WHERE ill = 'd3';
INSERT INTO person SELECT 7000 + i, 31, 'd7', NULL FROM generate_series(1, 3) i;
SELECT anonopt.refresh_release('shares', true, keep_deleted => true);
SELECT is((SELECT ok FROM anonopt.verify('shares')), true, 'or with a value that nobody has');
SELECT anonopt.refresh_release('shares', true);
SELECT is((SELECT ok FROM anonopt.verify('shares')), true, 'deleted people are not');
SELECT is((SELECT count(*) FROM shares s WHERE NOT EXISTS (SELECT FROM person p WHERE p.id = s.id)), 0::bigint, 'shown');
SELECT anonopt.drop_promise('d', 'alpha', 'ill');
SELECT anonopt.drop_release('shares');

-- people with several rows
CREATE TABLE visit AS SELECT i % 60 AS who, 20 + i % 60 % 20 AS age, 'd' || i % 7 AS ill FROM generate_series(1, 200) i;
SELECT anonopt.create_dataset('v', 'visit', person => 'who'), anonopt.add_quasi_identifier('v', 'age', 'ages'), anonopt.add_sensitive('v', 'ill');
SELECT anonopt.publish_table('visits', 'v', '{1}', k => 5);
INSERT INTO visit SELECT 100 + i, 20, 'd1' FROM generate_series(1, 30) i;
DELETE FROM visit WHERE ctid = (SELECT ctid FROM visit WHERE age = 30 LIMIT 1);
SELECT anonopt.refresh_release('visits', true);
SELECT is(held('visits'), '[20, 25): 50 shown, 30 wait, 0 departed; [30, 35): 0 shown, 49 wait, 0 departed', 'rows of people: any change is held back');
SELECT is((SELECT row(k, rows, ok)::text FROM anonopt.verify('visits')), '(15,150,t)', 'people in the smallest class when it was made');

-- pseudonyms
SELECT anonopt.create_dataset('n', 'person'), anonopt.add_quasi_identifier('n', 'age', 'ages'), anonopt.set_pseudonym('n', 'id', 'secret of many letters');
SELECT anonopt.publish_table('named', 'n', '{1}', k => 10);
SELECT lives_ok('SELECT anonopt.refresh_release(''named'', true)', 'pseudonyms, if nothing has changed');
INSERT INTO person VALUES (8001, 20, 'd1', NULL);
SELECT throws_ok('SELECT anonopt.refresh_release(''named'', true)', '0A000', 'nothing of release public.named can be held back', 'and if something has');

-- a sensitive column that is shown at a level
CREATE TABLE ills AS SELECT 'd' || i AS value, CASE WHEN i < 2 THEN 'low' ELSE 'high' END AS level1, '*' AS level2 FROM generate_series(0, 9) i;
ALTER TABLE ills ADD PRIMARY KEY (value);
CREATE TABLE client AS SELECT i AS id, 20 + i % 20 AS age, 'd' || i % 4 AS ill FROM generate_series(1, 200) i;
SELECT anonopt.create_dataset('s', 'client', 0.3), anonopt.add_quasi_identifier('s', 'age', 'ages'), anonopt.add_sensitive('s', 'ill', hierarchy => 'ills', level => 1);
SELECT anonopt.publish_table('leveled', 's', '{1}', k => 10, l => 2);
CREATE TABLE before_leveled AS TABLE leveled;
INSERT INTO client VALUES (8101, 20, 'd1'), (8102, 30, 'd3');
SELECT anonopt.refresh_release('leveled', true);
SELECT bag_eq('TABLE leveled', 'TABLE before_leveled', 'values at a level are held back, too');
SELECT is((SELECT row(ok, held_back)::text FROM anonopt.verify('leveled')), '(t,2)', 'and keep the promise');
SELECT anonopt.publish_table('bounds', 's', '{1}', k => 10, columns_as => 'bounds');
CREATE TABLE before_bounds AS TABLE bounds;
INSERT INTO client VALUES (8103, 20, 'd1');
SELECT anonopt.refresh_release('bounds', true);
SELECT bag_eq('TABLE bounds', 'TABLE before_bounds', 'so are classes that are shown by their bounds');
SELECT anonopt.publish_table('permuted', 's', '{1}', k => 10, show => 'permuted');
SELECT throws_ok('SELECT anonopt.refresh_release(''permuted'', true)', '0A000', 'nothing of release public.permuted can be held back', 'not permuted values');

-- recodings and records
CREATE TABLE patient AS SELECT i AS id, 20 + i % 20 AS age, 'd' || i % 4 AS ill FROM generate_series(1, 200) i;
SELECT anonopt.create_dataset('e', 'patient', 0.3), anonopt.add_quasi_identifier('e', 'age', 'ages'), anonopt.add_sensitive('e', 'ill'), anonopt.set_insensitive('e', 'id');
SELECT anonopt.create_recoding('classes', 'e', k => 20);
SELECT anonopt.publish_table('recoded', 'e', recoding => 'classes', k => 20, columns => '{id}');
CREATE TABLE before AS SELECT id, age FROM recoded;
INSERT INTO patient SELECT 9000 + i, 20 + i, 'd' || i % 4 FROM generate_series(0, 19) i;
SELECT anonopt.refresh_release('recoded', true);
SELECT is((SELECT row(rows, ok, held_back)::text FROM anonopt.verify('recoded')), '(200,t,20)', 'each class of a recoding has too few newcomers');
SELECT bag_eq('SELECT * FROM before', 'SELECT id, age FROM recoded', 'so that it shows what it showed');
INSERT INTO patient SELECT 9100 + i, 20 + i % 10, 'd' || i % 4 FROM generate_series(0, 99) i;
SELECT anonopt.refresh_release('recoded', true);
SELECT is((SELECT row(rows, ok, held_back)::text FROM anonopt.verify('recoded')), '(310,t,10)', 'half of them have enough');
SELECT anonopt.drop_release('recoded');
-- a class that a newcomer's value widens has another label, and would be the old one and the newcomer
CREATE TABLE guest AS SELECT i AS id, 20 + i % 10 AS age FROM generate_series(1, 200) i;
SELECT anonopt.create_dataset('g', 'guest'), anonopt.add_quasi_identifier('g', 'age', 'ages'), anonopt.set_insensitive('g', 'id');
SELECT anonopt.create_recoding('narrow', 'g', k => 20);
SELECT anonopt.publish_table('widened', 'g', recoding => 'narrow', labels => 'range', k => 20, columns => '{id}');
CREATE TABLE before_guest AS SELECT id, age FROM widened;
INSERT INTO guest VALUES (999, 35);
SELECT anonopt.refresh_release('widened', true);
SELECT bag_eq('SELECT * FROM before_guest', 'SELECT id, age FROM widened', 'a class with another label is held back');
SELECT is((SELECT row(rows, ok)::text FROM anonopt.verify('widened')), '(200,t)', 'under the old one');
DELETE FROM anonopt.published_content;
SELECT anonopt.publish_records('each', 'e', 0.5, key => 'id', k => 5);
SELECT lives_ok('SELECT anonopt.refresh_release(''each'', true)', 'records');
INSERT INTO patient VALUES (9999, 20, 'd1');
SELECT throws_ok('SELECT anonopt.refresh_release(''each'', true)', '0A000', 'nothing of release public.each can be held back', 'but not with one more');
-- two releases at different levels: nobody new is singled out by both together, and other classes move on
CREATE TABLE pair (id int, a int, b text);
CREATE TABLE at AS SELECT i AS value, '*'::text AS level1 FROM generate_series(0, 3) i;
CREATE TABLE bt AS SELECT chr(117 + i) AS value, '*'::text AS level1 FROM generate_series(0, 3) i;
ALTER TABLE at ADD PRIMARY KEY (value);
ALTER TABLE bt ADD PRIMARY KEY (value);
SELECT anonopt.create_dataset('p', 'pair'), anonopt.add_quasi_identifier('p', 'a', 'at'), anonopt.add_quasi_identifier('p', 'b', 'bt'),
    anonopt.set_insensitive('p', 'id');
-- after nights of newcomers: people whom both single out in a class that shows others than it did, and how many such classes there were
CREATE FUNCTION nights(n int, OUT singled text, OUT moved int) LANGUAGE plpgsql AS $$
DECLARE
    release text;
    changed record;
BEGIN
    moved := 0;
    TRUNCATE pair;
    INSERT INTO pair SELECT row_number() OVER (), a, chr(117 + b) FROM generate_series(0, 3) a, generate_series(0, 3) b, generate_series(1, 20)
    WHERE (a + b) % 3 < 2;
    SET LOCAL anonopt.composition = refuse;
    PERFORM anonopt.publish_table('by_b', 'p', '{1,0}', k => 5, columns => '{id}');
    PERFORM anonopt.publish_table('by_a', 'p', '{0,1}', k => 5, columns => '{id}');
    SET LOCAL anonopt.composition = hold_back;
    FOR night IN 1..n LOOP
        INSERT INTO pair SELECT (SELECT max(id) FROM pair) + 1, floor(random() * 4), chr(117 + floor(random() * 4)::int);
        INSERT INTO pair SELECT (SELECT max(id) FROM pair) + row_number() OVER (), x.a, x.b
        FROM (SELECT a, b FROM pair GROUP BY 1, 2 HAVING count(*) >= 5 ORDER BY random() LIMIT 2) x, generate_series(1, 12) i;
        FOREACH release IN ARRAY '{by_b,by_a}'::text[] LOOP
            EXECUTE format('CREATE TEMP TABLE last AS TABLE %I', release);
            PERFORM anonopt.refresh_release(release::regclass);
            FOR changed IN EXECUTE format('SELECT a, b FROM (SELECT a, b, array_agg(id ORDER BY id) FROM %I GROUP BY 1, 2'
                ' EXCEPT SELECT a, b, array_agg(id ORDER BY id) FROM last GROUP BY 1, 2) x', release) LOOP
                moved := moved + 1;
                singled := coalesce(singled, (SELECT format('night %s: %s of %s, %s in %s', night, count(*), p.a, p.b, release) FROM pair p
                    WHERE changed.a IN ('*', p.a::text) AND changed.b IN ('*', p.b) GROUP BY p.a, p.b HAVING count(*) < 5 LIMIT 1));
            END LOOP;
            DROP TABLE last;
        END LOOP;
    END LOOP;
    PERFORM anonopt.drop_release('by_b'), anonopt.drop_release('by_a');
    DELETE FROM anonopt.published WHERE dataset = 'p';
END $$;
CREATE TEMP TABLE night AS SELECT n.* FROM generate_series(1, pg_temp.few(24)) i, LATERAL nights(3 + i % 3) n;
SELECT is((SELECT array_agg(singled) FILTER (WHERE singled IS NOT NULL) FROM night), NULL, 'both together single out nobody new');
SELECT cmp_ok((SELECT min(moved) FROM night), '>', 0, 'while other classes show those who came');

-- a content is known by the generalization that it was made by: here, labels of a level read like values below it
CREATE TABLE guests AS SELECT i AS id, 20 + i % 10 AS age FROM generate_series(1, 300) i;
CREATE TABLE rounded AS SELECT i AS value, (i / 5 * 5)::text AS level1, '*' AS level2 FROM generate_series(20, 29) i;
ALTER TABLE rounded ADD PRIMARY KEY (value);
CREATE TABLE other AS SELECT i AS value, (i / 10 * 10)::text AS level1, '*' AS level2 FROM generate_series(20, 29) i;
ALTER TABLE other ADD PRIMARY KEY (value);
SELECT anonopt.create_dataset('r', 'guests'), anonopt.add_quasi_identifier('r', 'age', 'rounded'), anonopt.set_insensitive('r', 'id');
SELECT anonopt.publish_table('round', 'r', '{1}', k => 10, columns => '{id}');
CREATE TABLE first_round AS TABLE round;
INSERT INTO guests SELECT 1000 + i, 20 + i % 5 FROM generate_series(1, 50) i;
SELECT anonopt.republish('round', '{0}');
CREATE TABLE second_round AS TABLE round;
DELETE FROM guests WHERE id IN (SELECT id FROM guests WHERE age < 25 ORDER BY row_number() OVER (PARTITION BY age ORDER BY id) LIMIT 50);
DELETE FROM guests WHERE id = (SELECT max(id) FROM guests WHERE age = 20);
SET anonopt.composition = refuse;
SELECT throws_ok('SELECT anonopt.refresh_release(''round'')', '55000', 'release public.round differs from what was shown before by 1 person',
    'one less of 20..24 is noticed though they are shown by the year now');
SELECT anonopt.refresh_release('round', true);
SELECT is((SELECT count(*) FROM round WHERE id NOT IN (SELECT id FROM guests)), 0::bigint, 'the deleted are not shown');
SELECT is((SELECT count(*) FROM (SELECT (SELECT count(*) FROM round WHERE age::int < 25 AND id NOT IN (SELECT id FROM first_round)),
    (SELECT count(*) FROM first_round WHERE age = '20' AND id NOT IN (SELECT id FROM round))) x (came, went)
    WHERE (SELECT count(*) FROM round WHERE age::int < 25) > 0 AND (came BETWEEN 1 AND 9 OR went BETWEEN 1 AND 9)), 0::bigint, 'nor does a difference show them');
SELECT anonopt.drop_attribute('r', 'age'), anonopt.add_quasi_identifier('r', 'age', 'other');
SET anonopt.composition = off;
SELECT anonopt.republish('round', '{1}');
SELECT results_eq('SELECT c.levels, c.hierarchy_names FROM anonopt.published_content c JOIN anonopt.published p USING (id)
    WHERE p.name = ''public.round'' ORDER BY c.version', $$VALUES ('{1}'::int[], '{public.rounded}'::text[]), ('{0}', '{public.rounded}'),
    ('{0}', '{public.rounded}'), (NULL, NULL)$$, 'a republish writes down how its contents were made');
UPDATE anonopt.published_content SET levels = levels || 1 WHERE levels IS NOT NULL;
SET anonopt.composition = refuse;
SELECT throws_ok('SELECT anonopt.refresh_release(''round'')', '23514', NULL, 'which is checked');
UPDATE anonopt.published_content SET levels = levels[1:1] WHERE levels IS NOT NULL;
SET anonopt.composition = off;

-- what takes the place of a release holds nothing back for it
SELECT anonopt.publish_table('replaced', 'r', '{1}', k => 10);
INSERT INTO guests VALUES (2001, 20);
SELECT anonopt.refresh_release('replaced', true);
SELECT anonopt.publish_table('replaced', 'r', '{1}', k => 10, replace => true);
SELECT is((SELECT count(*) FROM anonopt.published_held h JOIN anonopt.published p USING (id) WHERE p.name = 'public.replaced'), 0::bigint,
    'what was held back goes with the release that is replaced');

-- two people share all columns, ten any of them: classes of fewer come and go, and who knows one column finds as many who did
CREATE TABLE pairs (a int, b int);
CREATE TABLE digits (value int PRIMARY KEY, level1 text);
INSERT INTO digits SELECT i, '*' FROM generate_series(0, 2) i;
CREATE TABLE nights (what text);
INSERT INTO pairs SELECT i % 3, i % 3 FROM generate_series(1, 90) i;
SELECT anonopt.create_dataset('pairs', 'pairs', 1), anonopt.add_quasi_identifier('pairs', 'a', 'digits'), anonopt.add_quasi_identifier('pairs', 'b', 'digits'),
    anonopt.add_promise('pairs', 'k', 10, columns_known => 1);
SELECT anonopt.publish_table('paired', 'pairs', '{0,0}', k => 2);
DO $$
DECLARE
    deleted boolean;
BEGIN
    PERFORM setseed(0.77);
    FOR night IN 1 .. pg_temp.few(60, 30) LOOP
        DROP TABLE IF EXISTS before_night;
        CREATE TABLE before_night AS TABLE paired;
        deleted := night % 4 = 0;
        BEGIN
            INSERT INTO pairs SELECT floor(3 * random()), floor(3 * random()) FROM generate_series(0, night % 5) i;
            IF deleted THEN DELETE FROM pairs WHERE ctid IN (SELECT ctid FROM pairs ORDER BY random() LIMIT 1 + night / 8); END IF;
            PERFORM anonopt.refresh_release('paired', hold_back => true);
        EXCEPTION WHEN object_not_in_prerequisite_state THEN
            INSERT INTO nights VALUES (CASE WHEN deleted THEN 'refused' ELSE 'refused without a deletion' END);
            CONTINUE;
        END;
        INSERT INTO nights SELECT CASE WHEN bool_or(came BETWEEN 1 AND 9 OR went BETWEEN 1 AND 9) THEN 'too few' WHEN sum(came + went) > 0 THEN 'changed' ELSE 'held' END
        FROM (SELECT sum(greatest(n, 0)) AS came, sum(greatest(-n, 0)) AS went
            FROM (SELECT a, b, sum(n) AS n FROM (SELECT a, b, 1 AS n FROM paired UNION ALL SELECT a, b, -1 FROM before_night) u GROUP BY 1, 2) d,
                LATERAL (VALUES ('a', a), ('b', b)) v (known, label) GROUP BY known, label) m;
    END LOOP;
END $$;
SELECT is((SELECT array_agg(DISTINCT what ORDER BY what) FROM nights WHERE what <> 'refused'), '{changed,held}', 'whoever knows one column finds ten who came or went');
-- an empty class gets two people, and loses them
TRUNCATE pairs;
INSERT INTO pairs SELECT i % 2, i % 2 FROM generate_series(1, 60) i;
SELECT anonopt.publish_table('paired', 'pairs', '{0,0}', k => 2, replace => true);
INSERT INTO pairs VALUES (0, 1), (0, 1);
SELECT anonopt.refresh_release('paired', hold_back => true);
SELECT is((SELECT count(*) FROM paired WHERE a <> b), 0::bigint, 'two newcomers in a class of their own wait');
SELECT anonopt.publish_table('paired', 'pairs', '{0,0}', k => 2, replace => true);
DELETE FROM pairs WHERE a <> b;
SELECT throws_ok('SELECT anonopt.refresh_release(''paired'', hold_back => true)', '55000', 'release public.paired would lack too few of the people that it showed', 'two who were deleted are missed');
SELECT lives_ok('SELECT anonopt.refresh_release(''paired'', hold_back => true, keep_deleted => true)', 'unless they are kept');
SELECT is((SELECT count(*) FROM paired WHERE a <> b), 2::bigint, 'and shown');
SELECT * FROM finish();
ROLLBACK;
