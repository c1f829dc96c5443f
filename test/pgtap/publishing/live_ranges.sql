-- Live views show what a join by @> or = shows: gaps, open ends, decimals, extremes, NULLs; and after growth.
\ir ../begin.inc
CREATE EXTENSION IF NOT EXISTS btree_gist;
SET client_min_messages = error;
SELECT setseed(0.21);

-- ranges by pairs of numbers out of a ladder; open ends at will; the value of the column is made of a number too
CREATE FUNCTION make_ranges(name text, range_type text, bound text, open boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE %I (held %s, l1 text, l2 text, EXCLUDE USING gist (held WITH &&))', name, range_type);
    EXECUTE format('INSERT INTO %I SELECT %s(CASE WHEN %L AND i = 1 THEN NULL ELSE %s END, CASE WHEN %L AND i = 30 THEN NULL ELSE %s END),
        ''g'' || i / 7, ''*'' FROM generate_series(1, 30) i WHERE i %% 5 > 0 OR i = 30', name, range_type, open,
        replace(bound, '%', '(i * 4)::numeric'), open, replace(bound, '%', '(i * 4 + CASE WHEN i % 3 = 0 THEN 3 ELSE 4 END)::numeric'));
END $$;

CREATE TABLE kinds (kind text, range_type text, column_type text, bound text, value text);
INSERT INTO kinds VALUES
    ('int', 'int4range', 'int', '(%)::int', '(%)::int'),
    ('big by int', 'int8range', 'int', '(%)::bigint', '(%)::int'),
    ('int by big', 'int4range', 'bigint', '(%)::int', '(%)::bigint'),
    ('numeric', 'numrange', 'numeric', '(% / 8)', '(% / 8)'),
    ('fine numeric', 'numrange', 'numeric', '(% / 1024)', '(% / 1024 - 0.00000000000001)'),
    ('coarse numeric', 'numrange', 'numeric(8,2)', '%', '%'),
    ('float', 'numrange', 'float8', '(% / 10)', '(% / 10)::float8'),
    ('int by numeric', 'numrange', 'int', '(%)', '(%)::int'),
    ('date', 'daterange', 'date', '(date ''2020-01-01'' + (%)::int)', '(date ''2020-01-01'' + (%)::int)'),
    ('date by timestamp', 'daterange', 'timestamp', '(date ''2020-01-01'' + (%)::int)', '(timestamp ''2020-01-01'' + (%) * interval ''1 day'')'),
    ('date by timestamptz', 'daterange', 'timestamptz', '(date ''2020-01-01'' + (%)::int)', '(timestamptz ''2020-01-01'' + (%) * interval ''1 day'')'),
    ('timestamp', 'tsrange', 'timestamp', '(timestamp ''2020-01-01'' + (%) * interval ''1 hour'')', '(timestamp ''2020-01-01'' + (%) * interval ''1 hour'')');
CREATE TABLE extremes (column_type text, value text);
INSERT INTO extremes VALUES ('int', '2147483647'), ('int', '-2147483648'), ('bigint', '9223372036854775807'), ('bigint', '-9223372036854775808'),
    ('numeric', '1e30'), ('numeric', '-1e30'), ('numeric', 'NaN'), ('float8', 'NaN'), ('float8', 'Infinity'), ('float8', '-Infinity'), ('float8', '1e300'),
    ('date', 'infinity'), ('date', '-infinity'), ('timestamp', 'infinity'), ('timestamp', '-infinity'), ('timestamptz', 'infinity');

-- the number of rows that differ between a live view and a join by @>
CREATE FUNCTION differing(held text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    n bigint;
BEGIN
    EXECUTE format('CREATE TEMP VIEW expected AS SELECT label, illness FROM (SELECT label, illness, count(*) OVER (PARTITION BY label) AS n
        FROM (SELECT CASE WHEN r.v IS NULL THEN NULL ELSE h.l1 END AS label, illness, r.v IS NULL OR h.l1 IS NOT NULL AS found
            FROM people r LEFT JOIN leaves h ON %s) x WHERE found) y WHERE n >= 3', held);
    SELECT count(*) INTO n FROM ((SELECT v, illness FROM seen EXCEPT ALL TABLE expected) UNION ALL (TABLE expected EXCEPT ALL SELECT v, illness FROM seen)) d;
    DROP VIEW expected;
    RETURN n;
END $$;

CREATE FUNCTION check_kind(k kinds, open boolean) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    held text := format('h.held @> %s', CASE
        WHEN k.range_type = 'numrange' THEN 'CASE WHEN r.v::text <> ''NaN'' THEN r.v::numeric END'
        WHEN k.range_type = 'daterange' THEN 'r.v::date'
        WHEN k.range_type = 'int4range' THEN 'CASE WHEN r.v::numeric BETWEEN -2147483648 AND 2147483647 THEN r.v::int END'
        WHEN k.range_type = 'int8range' THEN 'r.v::bigint' ELSE 'r.v' END);
BEGIN
    PERFORM make_ranges('leaves', k.range_type, k.bound, open);
    EXECUTE format('CREATE TABLE people AS SELECT CASE WHEN random() < 0.05 THEN NULL ELSE %s END::%s AS v, (ARRAY[''flu'', ''gout''])[1 + (random() * 1.5)::int] AS illness FROM
        (SELECT (random() * 130)::int AS n FROM generate_series(1, 400)) i', replace(k.value, '%', 'n::numeric'), k.column_type);
    EXECUTE format('INSERT INTO people SELECT e.value::%s, ''flu'' FROM extremes e, generate_series(1, 3) WHERE e.column_type = %L', k.column_type, k.column_type);
    CREATE TABLE later AS TABLE people WITH NO DATA;
    EXECUTE format('WITH gone AS (DELETE FROM people r WHERE v IS NOT NULL AND NOT COALESCE((SELECT bool_or(%s) FROM leaves h), false) RETURNING *) INSERT INTO later TABLE gone', held);
    PERFORM anonopt.create_dataset('d', 'people', 0.9), anonopt.add_quasi_identifier('d', 'v', 'leaves'), anonopt.add_sensitive('d', 'illness');
    PERFORM anonopt.create_view('seen', 'd', '{1}', k => 3, materialized => false);
    RETURN NEXT is(differing(held), 0::bigint, format('%s, %s', k.kind, CASE WHEN open THEN 'open ends' ELSE 'closed' END));
    -- new values without a leaf, then new leaves
    INSERT INTO people TABLE later;
    RETURN NEXT is(differing(held), 0::bigint, format('%s: with values outside', k.kind));
    EXECUTE format('INSERT INTO leaves SELECT %s(%s, %s), ''new'' || i %% 2, ''*'' FROM generate_series(5, 25, 5) i', k.range_type,
        replace(k.bound, '%', '(i * 4)::numeric'), replace(k.bound, '%', '(i * 4 + 2)::numeric'));
    RETURN NEXT is(differing(held), 0::bigint, format('%s: grown', k.kind));
    PERFORM anonopt.drop_release('seen');
    PERFORM anonopt.drop_dataset('d');
    DROP TABLE people, later, leaves;
END $$;

-- leaves that are single values, close together or not, with extremes; then new ones below and far above
CREATE TABLE singles (kind text, column_type text, leaf_type text, value text, step int, extremes text[], far text[]);
INSERT INTO singles VALUES
    ('int', 'int', 'int', '%', 1, '{2147483647,-2147483648}', '{-3,1000000000}'),
    ('smallint by int', 'smallint', 'int', '%', 2, '{32767,-32768}', '{-20000,1000000000}'),
    ('int by bigint', 'int', 'bigint', '%', 3, '{2147483647,-2147483648}', '{-7,9000000000000000000}'),
    ('bigint', 'bigint', 'bigint', '%', 1, '{9223372036854775807,-9223372036854775808}', '{-9223372036854775808,9223372036854775807}'),
    ('the greatest', 'int', 'int', '2147483600 + %', 1, '{-2147483648}', '{2147483647}'),
    ('the least', 'bigint', 'bigint', '-9223372036854775808 + %', 1, '{9223372036854775807}', '{0}'),
    ('int, far apart', 'int', 'int', '1000 * %', 1, '{2147483647}', '{500}'),
    ('int by numeric', 'int', 'numeric', '%', 1, '{2147483647}', '{-3}'),
    ('numeric by int', 'numeric', 'int', '%', 1, '{NaN}', '{-3}'),
    ('date', 'date', 'date', 'date ''2020-01-01'' + %', 1, '{infinity,-infinity,5874897-12-31,4714-11-24 BC}', '{2019-12-30,infinity,-infinity,5874897-12-31}'),
    ('the last date', 'date', 'date', 'date ''5874897-11-30'' + %', 1, '{infinity}', '{5874897-12-31,infinity}'),
    ('the first date', 'date', 'date', 'date ''4714-11-24 BC'' + %', 1, '{-infinity}', '{-infinity}'),
    ('text', 'text', 'text', '''t'' || %', 1, '{x}', '{y}');

CREATE FUNCTION check_single(k singles, nullable boolean) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    held text := CASE WHEN k.kind LIKE '%numeric%' THEN 'h.held::numeric = r.v::numeric' ELSE 'h.held = r.v' END;
BEGIN
    EXECUTE format('CREATE TABLE leaves AS SELECT (%s)::%s AS held, ''g'' || i / 7 AS l1, ''*'' AS l2 FROM generate_series(0, 29) i WHERE i %% %s = 0',
        replace(k.value, '%', 'i'), k.leaf_type, k.step);
    ALTER TABLE leaves ADD PRIMARY KEY (held);
    EXECUTE format('CREATE TABLE people AS SELECT CASE WHEN %L AND random() < 0.05 THEN NULL ELSE (%s)::%s END AS v, (ARRAY[''flu'', ''gout''])[1 + (random() * 1.5)::int] AS illness
        FROM (SELECT (random() * 31)::int AS i FROM generate_series(1, 400)) x', nullable, replace(k.value, '%', 'i'), k.column_type);
    CREATE TABLE later AS TABLE people WITH NO DATA;
    EXECUTE format('WITH gone AS (DELETE FROM people r WHERE v IS NOT NULL AND NOT EXISTS (SELECT FROM leaves h WHERE %s) RETURNING *) INSERT INTO later TABLE gone', held);
    EXECUTE format('INSERT INTO later SELECT e::%s, ''flu'' FROM unnest(%L::text[] || %L::text[]) e, generate_series(1, 4)', k.column_type, k.extremes,
        CASE WHEN k.leaf_type = k.column_type THEN k.far ELSE '{}' END);
    IF NOT nullable THEN
        ALTER TABLE people ALTER v SET NOT NULL;
    END IF;
    PERFORM anonopt.create_dataset('d', 'people', 0.9), anonopt.add_quasi_identifier('d', 'v', 'leaves'), anonopt.add_sensitive('d', 'illness');
    PERFORM anonopt.create_view('seen', 'd', '{1}', k => 3, materialized => false);
    RETURN NEXT is(differing(held), 0::bigint, k.kind);
    INSERT INTO people TABLE later;
    RETURN NEXT is(differing(held), 0::bigint, format('%s: with values outside', k.kind));
    EXECUTE format('INSERT INTO leaves SELECT e::%s, ''new'' || i %% 2, ''*'' FROM unnest(%L::text[]) WITH ORDINALITY e (e, i) ON CONFLICT DO NOTHING', k.leaf_type, k.far);
    RETURN NEXT is(differing(held), 0::bigint, format('%s: grown', k.kind));
    PERFORM anonopt.drop_release('seen');
    PERFORM anonopt.drop_dataset('d');
    DROP TABLE people, later, leaves;
END $$;

CREATE FUNCTION pg_temp.rows_of(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY EXECUTE format('SELECT v FROM (%s) x', statement); END $$;
SELECT no_plan();
-- each kind in one of two ways, or in both
SELECT check_kind(k, open) FROM (SELECT row_number() OVER () AS nr, k FROM kinds k) x, generate_series(1, pg_temp.few(2)) way, LATERAL (SELECT (nr + way) % 2 = 0 AS open) o;
SELECT check_single(k, nullable) FROM (SELECT row_number() OVER () AS nr, k FROM singles k) x, generate_series(1, pg_temp.few(2)) way, LATERAL (SELECT (nr + way) % 2 = 0 AS nullable) o;

-- leaves of a kind that is not looked up: they label nobody, least of all those who are not in them
CREATE TABLE leaves (held numrange, l1 text, l2 text, EXCLUDE USING gist (held WITH &&));
INSERT INTO leaves VALUES ('[0,10)', 'a', '*'), ('[20,30)', 'b', '*');
CREATE TABLE people AS SELECT (ARRAY[5, 15, 25, 1e20])[1 + i % 4]::numeric AS v, 'flu' AS illness FROM generate_series(1, 40) i;
SELECT anonopt.create_dataset('d', 'people', 0.9), anonopt.add_quasi_identifier('d', 'v', 'leaves'), anonopt.add_sensitive('d', 'illness') \g /dev/null
DELETE FROM people WHERE v IN (15, 1e20);
SELECT anonopt.create_view('seen', 'd', '{1}', k => 3, materialized => false) \g /dev/null
INSERT INTO people SELECT (ARRAY[15, 1e20])[1 + i % 2], 'flu' FROM generate_series(1, 20) i;
INSERT INTO leaves VALUES ('[12,12]', 'c', '*');
SELECT is((SELECT string_agg(v || n, ',' ORDER BY v) FROM (SELECT v, count(*) AS n FROM seen GROUP BY v) x), 'a10,b10', 'a leaf of one point does not label the gap above it');
INSERT INTO leaves VALUES ('[1e21,2e21)', 'd', '*'), ('[2e21,)', 'e', '*');
SELECT is((SELECT string_agg(v || n, ',' ORDER BY v) FROM (SELECT v, count(*) AS n FROM seen GROUP BY v) x), 'a10,b10', 'nor leaves of huge numbers those below them');

-- ------------------------------------------------- what a reader must not learn
CREATE TYPE f8range AS RANGE (subtype = float8);
CREATE TABLE wide_leaves (held f8range, l1 text, EXCLUDE USING gist (held WITH &&));
INSERT INTO wide_leaves VALUES ('[0,2)', 'a'), ('[2,5)', 'b');
CREATE TABLE wide AS SELECT (i % 3)::numeric AS v, 'flu' AS illness FROM generate_series(1, 30) i;
SELECT anonopt.create_dataset('w', 'wide', 1), anonopt.add_quasi_identifier('w', 'v', 'wide_leaves'), anonopt.add_sensitive('w', 'illness') \g /dev/null
SELECT throws_ok($$SELECT anonopt.create_view('wide_seen', 'w', '{0}', k => 2, materialized => false)$$, '22023', 'column "v" cannot be published live',
    'no live view where an error could tell a value');
CREATE TABLE moment_leaves (held tstzrange, l1 text, EXCLUDE USING gist (held WITH &&));
INSERT INTO moment_leaves VALUES ('[2019-12-01,2020-02-01)', 'a');
CREATE TABLE moments AS SELECT date '2020-01-01' + i % 3 AS v, timestamp '2020-01-01' AS w, 'flu' AS illness FROM generate_series(1, 30) i;
SELECT anonopt.create_dataset('m', 'moments', 1, timezone => 'Asia/Tokyo'), anonopt.add_quasi_identifier('m', 'v', 'moment_leaves'),
    anonopt.add_quasi_identifier('m', 'w', 'moment_leaves'), anonopt.add_sensitive('m', 'illness') \g /dev/null
SELECT anonopt.create_view('moments_seen', 'm', '{0,0}', k => 2, materialized => false) \g /dev/null
INSERT INTO moments VALUES ('4714-11-24 BC', '2020-01-01', 'x'), ('5874897-12-31', '2020-01-01', 'x'), ('2020-01-01', '4714-11-24 BC', 'x'), ('infinity', '294276-12-31', 'x');
SELECT is((SELECT count(*) FROM moments_seen), 30::bigint, 'days and times that no zone can hold are left out');

-- a live view is verified by the values of now
CREATE TABLE now_leaves AS SELECT i AS v, '*'::text AS l1 FROM generate_series(0, 5) i;
ALTER TABLE now_leaves ADD PRIMARY KEY (v);
CREATE TABLE people_now AS SELECT i % 3 AS v, 's' || i % 4 AS illness, CASE WHEN i % 2 = 0 THEN '{1,2}'::int[] ELSE '[0:1]={1,2}' END AS marks FROM generate_series(1, 60) i;
SELECT anonopt.create_dataset('n', 'people_now', 1), anonopt.add_quasi_identifier('n', 'v', 'now_leaves'), anonopt.add_sensitive('n', 'illness'),
    anonopt.add_promise('n', 'alpha', 0.6, 'illness') \g /dev/null
SELECT anonopt.create_view('now_seen', 'n', '{0}', k => 5, l => 2, t => 0.5, materialized => false) \g /dev/null
INSERT INTO people_now VALUES (1, 's1'), (2, 'new');
SELECT is((SELECT row(ok, t = (SELECT t FROM anonopt.evaluate('n', '{0}')), others #>> '{alpha,ok}')::text FROM anonopt.verify('now_seen')), '(t,t,true)', 'verify compares with the values of now');
CREATE TABLE kid () INHERITS (people_now);
SELECT throws_ok('SELECT count(*) FROM now_seen', '42501', 'the source of a live release has changed', 'a child hides rows from nobody: no reading');
DROP TABLE kid;
SELECT is((SELECT count(*) FROM now_seen), 62::bigint, 'once it is gone, reading goes on');

-- the plain statement counts values as it shows them, and leaves out what has no leaf
SELECT anonopt.drop_promise('n', 'alpha', 'illness'), anonopt.drop_attribute('n', 'illness', 'sensitive'), anonopt.add_sensitive('n', 'marks') \g /dev/null
DELETE FROM people_now WHERE marks IS NULL;
SELECT anonopt.view_sql('x', 'n', '{0}', k => 2, l => 2) AS statement \gset
SELECT is_empty(:'statement', 'two arrays that look the same are one value');
SELECT anonopt.view_sql('x', 'n', '{0}', k => 2, suppressed => 'star') AS statement \gset
INSERT INTO people_now SELECT 77, 'far', '{3}' FROM generate_series(1, 6);
SELECT is((SELECT string_agg(DISTINCT x.v, ',') FROM pg_temp.rows_of(:'statement') x (v)), '0,1,2', 'no stars for values without a leaf');
SELECT * FROM finish();
ROLLBACK;
