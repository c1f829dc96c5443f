-- Materialized views that PostgreSQL fills: measured, checked and written down as by refresh_release.
\ir ../begin.inc
SELECT * FROM no_plan();
SET client_min_messages = error;
SET anonopt.composition = off;
CREATE TABLE people AS SELECT i AS id, 20 + i % 20 AS age, ('d' || i % 3)::character(4) AS ill FROM generate_series(1, 200) i;
SELECT anonopt.create_interval_hierarchy('ages', 20, 39, '{5,10}');
SELECT anonopt.create_dataset('d', 'people', 0.1), anonopt.add_quasi_identifier('d', 'age', 'ages');
SELECT anonopt.add_sensitive('d', 'ill'), anonopt.set_insensitive('d', 'id');
SELECT anonopt.create_view('seen', 'd', '{1}', k => 20, l => 2, columns => '{id}');
CREATE FUNCTION told() RETURNS text LANGUAGE sql AS
    $$SELECT format('%s people, %s contents', p.measures ->> 'people', (SELECT count(*) FROM anonopt.published_content c WHERE c.id = p.id)) FROM anonopt.published p WHERE name IN ('public.seen', 'public.known')$$;
CREATE FUNCTION wrong_rows() RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM seen s FULL JOIN (SELECT p.*, h.level1 FROM people p JOIN ages h ON h.value = p.age) p USING (id)
    WHERE (s.age, s.ill) IS DISTINCT FROM (p.level1, p.ill)$$;

SELECT is(told(), '200 people, 1 contents', 'when it was made');
SELECT is(wrong_rows(), 0::bigint, 'with the right rows');
REFRESH MATERIALIZED VIEW seen;
SELECT is(told(), '200 people, 1 contents', 'filled with what it shows: nothing is new');
INSERT INTO people SELECT i, 20 + i % 20, 'd0' FROM generate_series(201, 250) i;
REFRESH MATERIALIZED VIEW seen;
SELECT is(told(), '250 people, 2 contents', 'filled with more people, it is measured and written down');
SELECT is(wrong_rows(), 0::bigint, 'with the right rows, again');
SELECT is((SELECT v.filled_at = p.filled_at AND v.filled_at BETWEEN now() AND clock_timestamp() FROM anonopt.verify('seen') v, anonopt.published p WHERE p.name = 'public.seen'), true, 'verify says when');
SELECT is((SELECT row(k, rows, ok)::text FROM anonopt.verify('seen')), (SELECT row(min(n), 250, true)::text FROM (SELECT count(*) AS n FROM people GROUP BY age / 5) c), 'as verify finds');

-- the same rows, but not the same people: what is written down follows
UPDATE anonopt.published SET published_at = '2020-01-01';
INSERT INTO people SELECT i, 39, 'd' || i % 2 FROM generate_series(1001, 1003) i;
DELETE FROM people WHERE age = 39 AND id < 1000 AND id % 40 <> 19;
REFRESH MATERIALIZED VIEW seen;
SELECT is(told(), format('%s people, 3 contents', (SELECT count(*) FROM people)), 'some go, others come');
CREATE TABLE shown AS SELECT * FROM seen;
UPDATE anonopt.published SET published_at = '2020-01-01', filled_at = '2020-01-01';
UPDATE anonopt.dataset SET max_suppression = 0.5 WHERE dataset = 'd';
INSERT INTO ages VALUES (99, '[95, 100)', '[90, 100)', '*');
INSERT INTO people SELECT 2000 + i, 99, 'd' || i % 2 FROM generate_series(1, 3) i;
REFRESH MATERIALIZED VIEW seen;
SELECT is((SELECT row(measures ->> 'suppressed', published_at::date)::text FROM anonopt.published), '(3,2020-01-01)', 'three who are left out are measured; nothing new is published');
SELECT isnt((SELECT filled_at::date FROM anonopt.verify('seen')), '2020-01-01', 'but filled');
SELECT is(told(), format('%s people, 3 contents', (SELECT count(*) FROM people)), 'nor is a content');
SELECT bag_eq('TABLE seen', 'TABLE shown', 'since it shows the same');
INSERT INTO ages VALUES (98, '[95, 100)', '[90, 100)', '*');
REFRESH MATERIALIZED VIEW seen;
UPDATE ages SET level1 = 'x' WHERE value = 98;
SELECT throws_ok('REFRESH MATERIALIZED VIEW seen', '23514', NULL, 'a leaf that came later must keep its labels, too');
UPDATE ages SET level1 = '[95, 100)' WHERE value = 98;
DELETE FROM people WHERE id > 1000;
INSERT INTO people SELECT i, 20 + i % 20, 'd0' FROM generate_series(1, 250) i WHERE NOT EXISTS (SELECT FROM people p WHERE p.id = i);
CREATE TABLE visit AS SELECT i AS person, 20 + i % 20 AS age FROM generate_series(1, 200) i;
SELECT anonopt.create_dataset('v', 'visit', person => 'person'), anonopt.add_quasi_identifier('v', 'age', 'ages');
SELECT anonopt.create_view('visits', 'v', '{1}', k => 2);
UPDATE visit SET person = person % 8;
REFRESH MATERIALIZED VIEW visits;
SELECT is((SELECT k FROM anonopt.verify('visits')), (SELECT min(n) FROM (SELECT count(DISTINCT person) AS n FROM visit GROUP BY age / 5) c), 'as many rows of fewer people');
SELECT anonopt.drop_release('visits');

-- what it reads stays
SELECT throws_ok('DROP TABLE ' || x, '2BP01', NULL, x || ' is read by a materialized view') FROM unnest('{people,ages}'::text[]) x;

-- what publishing refuses
UPDATE anonopt.dataset SET max_suppression = 0.1 WHERE dataset = 'd';
INSERT INTO people VALUES (300, 97, 'd1');
SELECT throws_ok('REFRESH MATERIALIZED VIEW seen', '22000', NULL, 'a value without a leaf');
DELETE FROM people WHERE id = 300;
SAVEPOINT a;
DELETE FROM people WHERE age IN (20, 21, 22) OR (age BETWEEN 23 AND 39 AND id % 2 = 0);
SELECT throws_ok('REFRESH MATERIALIZED VIEW seen', '22023', 'too many people are in classes that break the promise');
ROLLBACK TO a;
UPDATE ages SET level1 = 'young' WHERE value < 25;
SELECT throws_ok('REFRESH MATERIALIZED VIEW seen', '23514', 'hierarchies of release public.seen have changed');
ROLLBACK TO a;
SET anonopt.composition = refuse;
DELETE FROM people WHERE id = 250;
SELECT throws_ok('REFRESH MATERIALIZED VIEW seen', '55000', NULL, 'a content that differs by one person from the last');
ROLLBACK TO a;
SELECT bag_eq('TABLE seen', 'TABLE shown', 'what was shown stays');

-- who may ask
SELECT throws_ok(format('SELECT * FROM anonopt.released_rows(%L) AS r (age text)', id), '42501', NULL, 'released_rows is for PostgreSQL') FROM anonopt.published WHERE name = 'public.seen';
SELECT throws_ok(format('CREATE MATERIALIZED VIEW mine AS SELECT * FROM anonopt.released_rows(%L) AS r (age text)', gen_random_uuid()), '42704', NULL, 'of no release');
CREATE ROLE regress_other;
ALTER MATERIALIZED VIEW seen OWNER TO regress_other;
SELECT throws_ok('REFRESH MATERIALIZED VIEW seen', '42501', NULL, 'an owner who does not own the data set');
ALTER MATERIALIZED VIEW seen OWNER TO CURRENT_USER;
CREATE FUNCTION maintained_by_others() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('server_version_num')::int < 170000 THEN RETURN '42501'; END IF;
    EXECUTE 'GRANT MAINTAIN ON seen TO regress_other';
    SET LOCAL ROLE regress_other;
    REFRESH MATERIALIZED VIEW seen;
    RETURN 'filled';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END $$;
SELECT is(maintained_by_others(), '42501', 'who may only maintain it');

-- the view is known by its entry, not by its name
ALTER MATERIALIZED VIEW seen RENAME TO known;
CREATE UNIQUE INDEX ON known (id);
DELETE FROM people WHERE id > 240;
REFRESH MATERIALIZED VIEW CONCURRENTLY known;
SELECT is((SELECT count(*) FROM known), 240::bigint, 'renamed, and filled beside its readers');
SELECT is(told(), '240 people, 4 contents', 'is written down');
SELECT anonopt.republish('known', levels => '{2}', k => 60);
REFRESH MATERIALIZED VIEW known;
SELECT is((SELECT count(DISTINCT age) FROM known), 2::bigint, 'republished, it is filled with what it shows then');
SELECT matches(pg_get_viewdef('known'), 'released_rows\(''[-0-9a-f]{36}''::uuid\) r\(id integer, age text COLLATE "C", ill character\(4\)\)', 'its query says no more');
SELECT * FROM finish();
ROLLBACK;
