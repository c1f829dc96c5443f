-- Promises against people who know some of the columns, or several rows of a person: how they are declared, told
-- apart and withdrawn, and what refuses them.
\ir begin.inc

SET client_min_messages = error;
CREATE TABLE people (person int, a int, b int, c int, s text);
INSERT INTO people SELECT i / 2, i % 8, i % 5, i % 4, 'x' || i % 3 FROM generate_series(1, 80) i;
SELECT anonopt.create_interval_hierarchy('h', 0, 7, '{2,4}') \g /dev/null
SELECT anonopt.create_dataset('d', 'people', 1), anonopt.create_dataset('p', 'people', 1, person => 'person') \g /dev/null
SELECT anonopt.add_quasi_identifier(d, x::name, 'h') FROM unnest('{d,p}'::text[]) d, unnest('{a,b,c}'::text[]) x ORDER BY d, x \g /dev/null
SELECT anonopt.add_sensitive('d', 's'), anonopt.add_sensitive('p', 's') \g /dev/null

SELECT plan(38);

-- What is not a promise
SELECT throws_ok(format('SELECT anonopt.add_promise(%s)', arguments), '22023', NULL, arguments || ': ' || why)
FROM (VALUES ('''d'', ''k'', 2, columns_known => 0', 'no column'), ('''d'', ''k'', 2, columns_known => -3', 'fewer than none'),
	('''p'', ''k'', 2, rows_known => 0', 'no row'), ('''d'', ''k'', 2, rows_known => 2', 'no person'),
	('''p'', ''k'', 2, columns_known => 2, rows_known => 2', 'both'), ('''d'', ''k'', 1, columns_known => 2', 'k of 1'), ('''p'', ''k'', 1, rows_known => 2', 'k of 1'),
	('''d'', ''t'', 0.5, ''s'', columns_known => 2', 'another model'), ('''d'', ''alpha'', 0.5, ''s'', columns_known => 2', 'another model'),
	('''p'', ''l'', 2, ''s'', rows_known => 2', 'l of rows'), ('''d'', ''l'', 2, columns_known => 2', 'l without a column'),
	('''d'', ''k'', 2, ''s'', columns_known => 2', 'k of a column'), ('''d'', ''k'', 2, c => 1, columns_known => 2', 'a c')) x (arguments, why);

-- Several stand side by side, each once
SELECT lives_ok($$SELECT anonopt.add_promise('d', 'k', 2), anonopt.add_promise('d', 'k', 10, columns_known => 2),
	anonopt.add_promise('d', 'k', 20, columns_known => 1), anonopt.add_promise('d', 'l', 2, 's', columns_known => 2), anonopt.add_promise('d', 'l', 2, 's'),
	anonopt.add_promise('p', 'k', 3, rows_known => 2), anonopt.add_promise('p', 'k', 3, rows_known => 100)$$, 'they stand side by side');
SELECT throws_ok($$SELECT anonopt.add_promise('d', 'k', 3, columns_known => 2)$$, '42710', 'data set "d" already promises k for any 2 columns', 'each once');
SELECT throws_ok($$SELECT anonopt.add_promise('d', 'l', 3, 's', columns_known => 2)$$, '42710', 'data set "d" already promises l of column "s" for any 2 columns', 'also of a column');
SELECT throws_ok($$SELECT anonopt.add_promise('p', 'k', 4, rows_known => 2)$$, '42710', 'data set "p" already promises k for any 2 rows of a person', 'also of rows');
SELECT results_eq($$SELECT model, column_name, threshold, columns_known, rows_known FROM anonopt.promise ORDER BY dataset, model, columns_known NULLS FIRST, rows_known$$,
	$$VALUES ('k', NULL::name, 2::float8, NULL::int, NULL::int), ('k', NULL, 20, 1, NULL), ('k', NULL, 10, 2, NULL), ('l', 's', 2, NULL, NULL), ('l', 's', 2, 2, NULL),
	('k', NULL, 3, NULL, 2), ('k', NULL, 3, NULL, 100)$$, 'the table tells them apart');
SELECT results_eq($$SELECT column_name, role FROM anonopt.describe('d') WHERE role LIKE 'promise%'$$,
	$$VALUES (NULL::name, 'promise: k >= 2'), (NULL, 'promise: k >= 20 for any column'), (NULL, 'promise: k >= 10 for any 2 columns'),
	('s', 'promise: l >= 2'), ('s', 'promise: l >= 2 for any 2 columns')$$, 'describe says them in words');
SELECT results_eq($$SELECT role FROM anonopt.describe('p') WHERE role LIKE 'promise%'$$,
	$$VALUES ('promise: k >= 3 for any 2 rows of a person'), ('promise: k >= 3 for any 100 rows of a person')$$, 'also those of rows');

-- What does not keep them refuses
SELECT throws_ok(call, '0A000', NULL, call || ' refuses')
FROM unnest(ARRAY[$$SELECT anonopt.create_recoding('r', 'd', 2)$$, $$SELECT anonopt.recoding_curve('p')$$, $$SELECT anonopt.aruba('d', 0.5)$$,
	$$SELECT anonopt.publish_records('r', 'p', 0.5, 'person')$$, $$SELECT anonopt.view_sql('r', 'd', '{3,3,3}')$$]) call;

-- Each is withdrawn by itself
SELECT throws_ok($$SELECT anonopt.drop_promise('d', 'k', columns_known => 3)$$, '42704', 'data set "d" promises no k for any 3 columns', 'not one that is not there');
SELECT throws_ok($$SELECT anonopt.drop_promise('d', 'k', columns_known => 0)$$, '22023', NULL, 'nor one that cannot be');
SELECT lives_ok($$SELECT anonopt.drop_promise('d', 'k'), anonopt.drop_promise('d', 'l', columns_known => 2), anonopt.drop_promise('p', 'k', rows_known => 100)$$, 'others are');
SELECT results_eq($$SELECT model, columns_known, rows_known FROM anonopt.promise ORDER BY dataset, model, columns_known$$,
	$$VALUES ('k', 1, NULL::int), ('k', 2, NULL), ('l', NULL, NULL), ('k', NULL, 2)$$, 'the rest stays');
SELECT lives_ok(format('SELECT %s', string_agg(format('anonopt.add_promise(''d'', ''k'', 2, columns_known => %s)', i), ', ')), '32 fit')
FROM generate_series(3, 32) i;
SELECT throws_ok($$SELECT anonopt.add_promise('d', 'k', 2, columns_known => 33)$$, '54000', NULL, 'a 33rd does not');

-- Any relation is measured by every set of columns, as plain SQL does it
CREATE TABLE seen (person int, a int, b text, c date, d int, s text);
CREATE FUNCTION pg_temp.deal() RETURNS void LANGUAGE sql AS $$
    DELETE FROM seen;
    INSERT INTO seen SELECT CASE WHEN random() > 0.1 THEN floor(20 * random()) END, floor(4 * random() ^ 2), CASE WHEN random() > 0.2 THEN chr(97 + floor(3 * random())::int) END,
        date '2026-01-01' + floor(3 * random() ^ 2)::int, floor(2 * random()), CASE WHEN random() > 0.2 THEN 'x' || floor(4 * random() ^ 2) END
    FROM generate_series(1, 5 + floor(60 * random())::int)
$$;
-- The classes by each set of some columns
CREATE FUNCTION pg_temp.by_sets(m int) RETURNS TABLE (columns name[], rows bigint, people bigint, "values" bigint) LANGUAGE plpgsql AS $$
DECLARE
    key text[];
BEGIN
    FOR key IN SELECT array_agg(col ORDER BY col) FROM generate_series(0, 15) bits, LATERAL (
            SELECT col FROM unnest('{a,b,c,d}'::text[]) WITH ORDINALITY x (col, i) WHERE bits >> (i - 1)::int & 1 = 1) y
        GROUP BY bits HAVING count(*) = least(m, 4)
    LOOP
        RETURN QUERY EXECUTE format('SELECT %L::name[], count(*), count(DISTINCT person) + bool_or(person IS NULL)::int, count(DISTINCT s) + bool_or(s IS NULL)::int'
            ' FROM seen GROUP BY %s', key, array_to_string(key, ', '));
    END LOOP;
END $$;
CREATE FUNCTION pg_temp.wrong(turn int, m int) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    got record;
    want record;
BEGIN
    PERFORM pg_temp.deal();
    IF anonopt.k_anonymity('seen', '{a,b,c,d}', m) <> (SELECT min(rows) FROM pg_temp.by_sets(m)) THEN RETURN NEXT 'k'; END IF;
    IF anonopt.l_diversity('seen', '{a,b,c,d}', 's', m) <> (SELECT min("values") FROM pg_temp.by_sets(m)) THEN RETURN NEXT 'l'; END IF;
    FOR got IN SELECT r.*, p FROM unnest('{NULL,person}'::name[]) p, anonopt.risk('seen', '{a,b,c,d}', person => p, columns_known => m) r LOOP
        SELECT columns, 1.0 / min(n) AS highest, count(*)::float8 / sum(n) AS average, count(*) AS classes, count(*) FILTER (WHERE n = 1) AS uniques INTO want
        FROM (SELECT columns, CASE WHEN got.p IS NULL THEN rows ELSE people END AS n FROM pg_temp.by_sets(m)) x
        GROUP BY 1 ORDER BY 2 DESC, 3 DESC, 1 LIMIT 1;
        IF (got.highest, got.average, got.classes, got.uniques, got.worst) IS DISTINCT FROM (want.highest::float8, want.average, want.classes, want.uniques, want.columns) THEN
            RETURN NEXT format('risk %s, in truth %s', got, want);
        END IF;
    END LOOP;
END $$;
SELECT setseed(0.4) \g /dev/null
SELECT is_empty(format('SELECT w FROM generate_series(1, pg_temp.few(50)) i, pg_temp.wrong(i, %s) w', m), format('classes by any %s columns', m))
FROM generate_series(1, 5) m;
SELECT ok(anonopt.k_anonymity(NULL, '{a}', 1) IS NULL AND anonopt.l_diversity('seen', '{a}', NULL, 1) IS NULL AND anonopt.k_anonymity('seen', '{a,b}', NULL) = anonopt.k_anonymity('seen', '{a,b}'),
	'no relation has no k; no number means all columns');

CREATE TABLE wide AS SELECT (SELECT array_agg(i % j) FROM generate_series(2, 65) j) AS v FROM generate_series(1, 10) i;
SELECT format('CREATE VIEW columns_of AS SELECT %s FROM wide', string_agg(format('v[%s] AS c%s', j, j), ', ')) FROM generate_series(1, 64) j \gexec
SELECT throws_ok($$SELECT anonopt.k_anonymity('columns_of', ARRAY(SELECT ('c' || j)::name FROM generate_series(1, 64) j), 32)$$, '54000',
	'too many sets of columns', 'sets that would never end are refused');

SELECT finish();
ROLLBACK;
