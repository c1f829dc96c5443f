-- Live views over range leaves show what a join by @> shows: gaps, open ends, decimals, extremes, NULLs; and after growth.
\ir begin.inc
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

SELECT no_plan();
SELECT check_kind(k, open) FROM kinds k, unnest('{f,t}'::boolean[]) open;

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
SELECT * FROM finish();
ROLLBACK;
