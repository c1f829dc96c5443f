-- Top and bottom coding, rounding, frequencies, prefixes, hours and CSV,
-- compared with plain SQL that computes the labels value by value.
\ir begin.inc
\ir reference.inc
\ir random_data.inc

ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC;

-- A hierarchy as text: leaf, then labels, a row an array.
CREATE FUNCTION pg_temp.rows_of(hierarchy regclass) RETURNS SETOF text[]
LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT ARRAY[%s] FROM %s',
        (SELECT string_agg(format('%I::text', c), ', ' ORDER BY i)
         FROM unnest(ref.columns(hierarchy)) WITH ORDINALITY u(c, i)), hierarchy);
END $$;

-- Rows that only one of a hierarchy and a query has, or other faults; then drops the hierarchy.
CREATE FUNCTION pg_temp.difference(hierarchy regclass, query text, key text, private boolean, what text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    problem text;
BEGIN
    EXECUTE format('WITH made AS (SELECT r::text[] FROM pg_temp.rows_of(%L) r), wanted AS (SELECT r::text[] FROM (%s) q (r)),
        d AS ((TABLE made EXCEPT ALL TABLE wanted) UNION ALL (TABLE wanted EXCEPT ALL TABLE made))
        SELECT string_agg(r::text, ''; '') FROM d', hierarchy, query) INTO problem;
    SELECT nullif(concat_ws('; ', problem,
        (SELECT string_agg(f::text, '; ') FROM anonopt.check_hierarchy(hierarchy) f),
        CASE WHEN NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conrelid = hierarchy AND c.contype::text = key) THEN 'no key' END,
        CASE WHEN has_table_privilege('public', hierarchy, 'SELECT') = private THEN 'privileges' END), '') INTO problem;
    EXECUTE format('DROP TABLE %s', hierarchy);
    RETURN problem || E'\nof ' || what;
END $$;

CREATE FUNCTION pg_temp.random_widths(first numeric) RETURNS numeric[]
LANGUAGE plpgsql AS $$
DECLARE
    widths numeric[] := '{}';
BEGIN
    FOR i IN 1 .. sample.below(4) LOOP
        first := first * (1 + sample.below(4));
        widths := widths || first;
    END LOOP;
    RETURN widths;
END $$;

CREATE FUNCTION pg_temp.coded_problem(seed int) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    low numeric; high numeric; bottom numeric; top numeric; step numeric; widths numeric[]; labels text; query text;
BEGIN
    PERFORM setseed(seed / 1000.0);
    step := CASE WHEN sample.chance(0.5) THEN sample.pick('{0.1,0.5,1,3}'::numeric[]) END;
    widths := pg_temp.random_widths(coalesce(step, 1));
    low := (sample.below(21) - 10) * coalesce(step, 1);
    bottom := low + sample.below(10) * coalesce(step / 2, 1);
    top := bottom + (1 + sample.below(20)) * coalesce(step / 2, 1);
    high := trim_scale(top + sample.below(10));
    bottom := trim_scale(bottom);
    top := trim_scale(top);
    IF sample.chance(0.3) THEN
        bottom := NULL;
    ELSIF sample.chance(0.4) THEN
        top := NULL;
    END IF;
    -- a leaf in an interval of width w from low, which coding cuts short
    SELECT string_agg(format(', CASE WHEN side > 0 THEN ''>= '' || trim_scale(%1$s) WHEN side < 0 THEN ''< '' || trim_scale(%2$s) ELSE (
            SELECT ''['' || trim_scale(greatest(x, %2$s)) || '', '' || trim_scale(least(x + %3$s, %1$s%4$s)) || CASE WHEN %5$s THEN '']'' ELSE '')'' END
            FROM generate_series(%6$s::numeric, %7$s, %3$s) x WHERE lo >= x AND lo < x + %3$s) END',
            coalesce(top::text, 'NULL::numeric'), coalesce(bottom::text, 'NULL::numeric'), w,
            CASE WHEN step IS NOT NULL AND top IS NULL THEN ', ' || high ELSE '' END,
            CASE WHEN step IS NOT NULL AND top IS NULL THEN format('x + %s >= %s', w, high) ELSE 'false' END, low, high), '' ORDER BY i)
        FROM unnest(widths) WITH ORDINALITY u (w, i) INTO labels;
    IF step IS NULL THEN
        query := format('SELECT ARRAY[lo::text, CASE WHEN side > 0 THEN ''>= %1$s'' WHEN side < 0 THEN ''< %2$s'' ELSE lo::text END%3$s, ''*'']
            FROM (SELECT v::numeric AS lo, CASE WHEN v >= %4$s THEN 1 WHEN v < %5$s THEN -1 ELSE 0 END AS side FROM generate_series(%6$s, %7$s) v) s',
            top, bottom, labels, coalesce(top, high + 1), coalesce(bottom, low), low, high);
    ELSE
        query := format('SELECT ARRAY[leaf::text%1$s, ''*''] FROM (
            SELECT numrange(NULL, %2$L) AS leaf, NULL::numeric AS lo, -1 AS side WHERE %2$L::numeric IS NOT NULL
            UNION ALL SELECT numrange(%3$L, NULL), NULL, 1 WHERE %3$L::numeric IS NOT NULL
            UNION ALL SELECT part, lower(part), 0 FROM (SELECT numrange(x, x + %4$s) * numrange(coalesce(%2$L::numeric, %5$s), coalesce(%3$L::numeric, %6$s),
                CASE WHEN %3$L::numeric IS NULL THEN ''[]'' ELSE ''[)'' END) AS part FROM generate_series(%5$s::numeric, %6$s, %4$s) x) p
                WHERE NOT isempty(part) AND lower(part) < upper(part)) s', labels, bottom, top, step, low, high);
        -- what ends at high holds high
        query := replace(query, 'SELECT part, lower(part), 0', format('SELECT CASE WHEN %L::numeric IS NULL AND upper(part) = %s
            THEN numrange(lower(part), upper(part), ''[]'') ELSE part END, lower(part), 0', top, high));
    END IF;
    RETURN pg_temp.difference(anonopt.create_top_coded_hierarchy('sample.coded', low, high, top, bottom, widths, step), query,
        CASE WHEN step IS NULL THEN 'p' ELSE 'x' END, false,
        format('create_top_coded_hierarchy(%s, %s, %s, %s, %s, %s)', low, high, top, bottom, widths, step));
END $$;

-- The multiple of a step that is nearest, the upper one of two.
CREATE FUNCTION pg_temp.nearest(value numeric, step numeric) RETURNS numeric LANGUAGE sql AS $$
    SELECT m FROM generate_series(step * (trunc(value / step) - 2), step * (trunc(value / step) + 2), step) m
    ORDER BY abs(value - m), m DESC LIMIT 1
$$;

CREATE FUNCTION pg_temp.rounding_problem(seed int) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    continuous boolean; low numeric; high numeric; steps numeric[]; expression text := 'value'; labels text := ''; h regclass; problem text;
BEGIN
    PERFORM setseed(seed / 1000.0);
    continuous := sample.chance(0.5);
    steps := ARRAY[sample.pick('{0.5,1,2,3,5,1.5}'::numeric[])];
    steps := steps || pg_temp.random_widths(steps[1]);
    low := sample.below(41) - 20 + CASE WHEN continuous THEN sample.below(4) / 4.0 ELSE 0 END;
    high := low + sample.below(40) + CASE WHEN continuous THEN sample.below(4) / 4.0 ELSE 0 END;
    FOR i IN 1 .. cardinality(steps) LOOP
        expression := format('pg_temp.nearest(%s, %s)', expression, steps[i]);
        labels := labels || format(', trim_scale(%s)::text', expression);
    END LOOP;
    h := anonopt.create_rounding_hierarchy('sample.rounded', low, high, steps, continuous);
    IF NOT continuous THEN
        RETURN pg_temp.difference(h, format('SELECT ARRAY[value::text%s, ''*''] FROM generate_series(%s, %s) value', labels, low, high),
            'p', false, format('create_rounding_hierarchy(%s, %s, %s)', low, high, steps));
    END IF;
    -- numbers in steps of 1/8, each in the only leaf that holds it
    EXECUTE format('SELECT string_agg(format(''%%s: %%s'', value, found), ''; '') FROM (SELECT value, ARRAY[NULL%s, ''*''] AS wanted,
            (SELECT array_agg(r) FROM (SELECT r FROM pg_temp.rows_of(%L) r WHERE r[1]::numrange @> value) x (r)) AS found
        FROM generate_series(%s::numeric, %s, 0.125) value) s
        WHERE coalesce(array_length(found, 1), 0) <> 1 OR found[1:1][2:] <> ARRAY[wanted[2:]]', labels, h, low, high) INTO problem;
    EXECUTE format('DROP TABLE %s', h);
    RETURN problem || format(E'\nof create_rounding_hierarchy(%s, %s, %s, true)', low, high, steps);
END $$;

CREATE FUNCTION pg_temp.frequency_problem(seed int) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    minimum int; data_type text;
BEGIN
    PERFORM setseed(seed / 1000.0);
    minimum := 1 + sample.below(6);
    data_type := sample.pick('{text,int,date}'::text[]);
    EXECUTE format('CREATE TABLE sample.counted AS SELECT %s AS "A value" FROM (SELECT sample.below(1 + i %% 12) AS n FROM generate_series(1, %s) i) s',
        CASE data_type WHEN 'text' THEN $q$nullif('v' || n, 'v3')$q$ WHEN 'int' THEN 'n' ELSE 'date ''2024-01-01'' + n' END, sample.below(60));
    RETURN pg_temp.difference(anonopt.create_frequency_hierarchy('sample.frequent', 'sample.counted', 'A value', minimum, 'the rest'),
        format('SELECT ARRAY["A value"::text, CASE WHEN count(*) < %s THEN ''the rest'' ELSE "A value"::text END, ''*'']
            FROM sample.counted WHERE "A value" IS NOT NULL GROUP BY "A value"', minimum), 'p', true,
        format('create_frequency_hierarchy of %s, %s', data_type, minimum));
END $$;

CREATE FUNCTION pg_temp.prefix_problem(seed int) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    separator text; lengths int[]; most int := 1; labels text := '';
BEGIN
    PERFORM setseed(seed / 1000.0);
    separator := CASE WHEN sample.chance(0.7) THEN sample.pick('{.,-,::}'::text[]) END;
    lengths := CASE WHEN separator IS NULL OR sample.chance(0.5) THEN sample.pick('{1,2,3}'::int[]) || CASE WHEN sample.chance(0.5) THEN '{}'::int[] ELSE '{}' END END;
    IF lengths[1] > 1 AND sample.chance(0.5) THEN
        lengths := lengths || 1;
    END IF;
    CREATE TABLE sample.codes AS SELECT CASE WHEN sample.below(9) = 0 THEN NULL ELSE
        (SELECT string_agg(sample.pick('{A,BC,D1E,F,9}'::text[]), CASE WHEN j + i % 2 = 2 THEN '.' ELSE coalesce(separator, '-') END) FROM generate_series(1, 1 + sample.below(3) + i * 0) j) END AS code
        FROM generate_series(1, 30) i;
    IF separator IS NOT NULL THEN
        SELECT coalesce(max((length(code) - length(replace(code, separator, ''))) / length(separator) + 1), 1) INTO most FROM sample.codes;
    END IF;
    FOR parts IN REVERSE most - 1 .. 1 LOOP
        labels := labels || format($q$, concat_ws(%1$L, nullif(split_part(code, %1$L, 1), ''), %2$s)$q$, separator,
            coalesce((SELECT string_agg(format($r$nullif(split_part(code, %L, %s), '')$r$, separator, p), ', ' ORDER BY p) FROM generate_series(2, parts) p), 'NULL'));
    END LOOP;
    labels := labels || coalesce((SELECT string_agg(format(', left(%s, %s)', CASE WHEN separator IS NULL THEN 'code' ELSE format('split_part(code, %L, 1)', separator) END, n), '' ORDER BY i)
        FROM unnest(lengths) WITH ORDINALITY u (n, i)), '');
    RETURN pg_temp.difference(anonopt.create_prefix_hierarchy('sample.prefixes', 'sample.codes', 'code', lengths, separator),
        format('SELECT ARRAY[code%s, ''*''] FROM (SELECT DISTINCT code FROM sample.codes WHERE code IS NOT NULL) s', labels), 'p', true,
        format('create_prefix_hierarchy(%s, %s)', lengths, separator));
END $$;

CREATE FUNCTION pg_temp.hour_problem(seed int) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    low date; high date; units text[]; labels text; leaf text;
BEGIN
    PERFORM setseed(seed / 1000.0);
    low := date '2023-12-20' + sample.below(30);
    high := low + sample.below(20);
    units := sample.pick('{hour,day,""}'::text[]) || CASE sample.below(4) WHEN 0 THEN '{weekday}'::text[] WHEN 1 THEN '{week}' WHEN 2 THEN '{month,year}' ELSE '{}' END;
    units := array_remove(CASE WHEN units[1] = 'hour' AND sample.chance(0.5) THEN '{hour,day}' || units[2:] ELSE units END, '');
    SELECT coalesce(string_agg(', ' || CASE u WHEN 'day' THEN 'd::date::text' WHEN 'weekday' THEN $q$(ARRAY['Sunday','Monday','Tuesday','Wednesday','Thursday','Friday','Saturday'])[1 + extract(dow FROM d)]$q$
        WHEN 'week' THEN $q$extract(isoyear FROM d) || '-W' || lpad(extract(week FROM d)::text, 2, '0')$q$
        WHEN 'month' THEN $q$left(d::date::text, 7)$q$ ELSE $q$extract(year FROM d)::text$q$ END, '' ORDER BY i), '') INTO labels
        FROM unnest(units) WITH ORDINALITY x (u, i) WHERE NOT (i = 1 AND u IN ('hour', 'day'));
    leaf := CASE units[1] WHEN 'hour' THEN $q$tsrange(d, d + interval '1 hour')$q$ WHEN 'day' THEN 'daterange(d::date, d::date + 1)' ELSE 'd::date' END;
    RETURN pg_temp.difference(anonopt.create_date_hierarchy('sample.hours', low, high, units),
        format('SELECT ARRAY[%s::text%s, ''*''] FROM generate_series(timestamp %L, %L, interval %L) d', leaf, labels, low,
            high + CASE units[1] WHEN 'hour' THEN time '23:00' ELSE time '00:00' END, CASE units[1] WHEN 'hour' THEN '1 hour' ELSE '1 day' END),
        CASE WHEN units[1] IN ('hour', 'day') THEN 'x' ELSE 'p' END, false, format('create_date_hierarchy(%s, %s, %s)', low, high, units));
END $$;

-- A table of texts with everything that a CSV must quote, and back.
CREATE FUNCTION pg_temp.csv_problem(seed int) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    delimiter text; line_end text; leaf_type regtype; csv text;
BEGIN
    PERFORM setseed(seed / 1000.0);
    delimiter := sample.pick(ARRAY[';', ',', E'\t', '|', 'µ']);
    line_end := sample.pick(ARRAY[E'\n', E'\r\n']);
    leaf_type := sample.pick('{text,integer,date,numeric}'::text[])::regtype;
    CREATE TABLE sample.texts AS SELECT CASE leaf_type WHEN 'integer'::regtype THEN i::text WHEN 'numeric'::regtype THEN (i / 8.0)::numeric::text
            WHEN 'date'::regtype THEN (date '2024-01-01' + i)::text
            ELSE i || sample.pick(ARRAY['', ' ', 'a;b', '"', '""x', E'two\nlines', 'ä', ',', '|', E'\t', 'µ', '\']) END AS leaf,
        g || sample.pick(ARRAY['']) || (ARRAY['', ' x', '"', ';,|', E'\n', 'µ'])[1 + g % 6] AS label
        FROM (SELECT i, i / 3 AS g FROM generate_series(1, sample.below(30) + 1) i) s;
    SELECT string_agg(format('"%s"%s"%s"%s*', replace(leaf, '"', '""'), delimiter, replace(label, '"', '""'), delimiter), line_end)
        || sample.pick(ARRAY['', line_end, line_end || line_end]) INTO csv
        -- some twice
        FROM (SELECT t.* FROM sample.texts t, generate_series(1, 1 + sample.below(2))) s;
    RETURN pg_temp.difference(anonopt.create_csv_hierarchy('sample.csv', csv, delimiter, leaf_type),
        format('SELECT ARRAY[leaf::%s::text, label, ''*''] FROM sample.texts', leaf_type), 'p', false, format('create_csv_hierarchy %s of %s', csv, leaf_type));
END $$;

CREATE FUNCTION pg_temp.wrong(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    problem text;
BEGIN
    EXECUTE 'SELECT pg_temp.' || call INTO problem;
    DROP TABLE IF EXISTS sample.counted, sample.codes, sample.texts;
    RETURN problem;
END $$;

SELECT plan(6 * pg_temp.few(80) + 28 + 14 + 2);

SELECT is(pg_temp.wrong(format('%s_problem(%s)', builder, seed)), NULL, format('%s, call %s', builder, seed))
FROM unnest('{coded,rounding,frequency,prefix,hour,csv}'::text[]) builder, generate_series(1, pg_temp.few(80)) seed;

-- Bad arguments
CREATE TABLE sample.few (code text, n int);
INSERT INTO sample.few VALUES ('a', 1), ('a', 1), ('b', 2);
CREATE TYPE sample.colour AS ENUM ('red', 'blue');
CREATE DOMAIN sample.checked AS int CHECK (VALUE > 0);
SELECT throws_ok(format('SELECT anonopt.%s', call), state, NULL, call)
FROM (VALUES
    ('create_top_coded_hierarchy(''sample.bad'', 0, 9)', '22023'), ('create_top_coded_hierarchy(''sample.bad'', 0, 9, 3, 5)', '22023'),
    ('create_top_coded_hierarchy(''sample.bad'', 0, 9, 12)', '22023'), ('create_top_coded_hierarchy(''sample.bad'', 0, 9, 2.5)', '22023'),
    ('create_top_coded_hierarchy(''sample.bad'', 0, 9, ''NaN'', step => 1)', '22023'), ('create_top_coded_hierarchy(''sample.bad'', 0, ''Infinity'', 5)', '22023'),
    ('create_top_coded_hierarchy(''sample.bad'', 0, 9, 5, widths => ''{2,3}'')', '22023'), ('create_top_coded_hierarchy(''sample.bad'', 0, 1e9, 5)', '22023'),
    ('create_top_coded_hierarchy(''sample.bad'', 0, 9, 5, step => 0)', '22023'), ('create_top_coded_hierarchy(''sample.bad'', 0, 9, 5, widths => NULL)', '22023'),
    ('create_rounding_hierarchy(''sample.bad'', 0, 9, ''{}'')', '22023'), ('create_rounding_hierarchy(''sample.bad'', 0, 9, ''{0}'')', '22023'),
    ('create_rounding_hierarchy(''sample.bad'', 0, 9, ''{2,3}'')', '22023'), ('create_rounding_hierarchy(''sample.bad'', 0, 9.5, ''{2}'')', '22023'),
    ('create_rounding_hierarchy(''sample.bad'', 0, 1e9, ''{1}'', true)', '22023'), ('create_rounding_hierarchy(''sample.bad'', 0, ''NaN'', ''{1}'', true)', '22023'),
    ('create_frequency_hierarchy(''sample.bad'', ''sample.few'', ''code'', 0)', '22023'), ('create_frequency_hierarchy(''sample.bad'', ''sample.few'', ''code'', 2, ''a'')', '22023'),
    ('create_frequency_hierarchy(''sample.bad'', ''sample.few'', ''no'', 2)', '42703'), ('create_prefix_hierarchy(''sample.bad'', ''sample.few'', ''code'')', '22023'),
    ('create_prefix_hierarchy(''sample.bad'', ''sample.few'', ''code'', ''{1,2}'')', '22023'), ('create_prefix_hierarchy(''sample.bad'', ''sample.few'', ''code'', separator => '''')', '22023'),
    ('create_prefix_hierarchy(''sample.few'', ''sample.few'', ''code'', ''{1}'')', '42710'), ('create_csv_hierarchy(''sample.few'', ''a;*'')', '42710'),
    ('create_date_hierarchy(''sample.bad'', ''2024-01-01'', ''2024-02-01'', ''{day,hour}'')', '22023'), ('create_date_hierarchy(''sample.bad'', ''2024-01-01'', ''2024-02-01'', ''{weekday,month}'')', '22023'),
    ('create_date_hierarchy(''sample.bad'', ''0001-01-01'', ''9999-01-01'', ''{hour}'')', '22023'), ('create_date_hierarchy(''sample.bad'', ''0001-01-01'', ''5874897-12-31'', ''{day}'')', '22023')) v (call, state);

SELECT throws_ok(format('SELECT anonopt.create_csv_hierarchy(''sample.bad'', %s)', call), state, message, call)
FROM (VALUES
    ('''''', '22023', 'csv has no rows'), ('E''\n\n''', '22023', 'csv has no rows'), ('''a,b''', '22023', 'rows of csv have no label'),
    ('E''a;b;*\nc;d''', '22P04', 'missing data for column "level2"'), ('E''a;b\nc;d;*''', '22P04', 'extra data after last expected column'),
    ('''a;"b''', '22P04', 'unterminated CSV quoted field'), ('''a;''', '23502', 'null value in column "level1" of relation "bad" violates not-null constraint'),
    ('E''1;a;*\n2;b;*\n01;c;*'', type => ''int''', '23514', 'csv gives leaves different labels'), ('''x;a'', type => ''int''', '22P02', NULL),
    ('''a;b'', '''')', '42601', NULL), ('''a;b'', ''ab''', '22023', 'delimiter must be a single character that is neither a quote nor a line break'),
    ('''1;b'', type => ''sample.checked''', '22023', 'leaves cannot have type sample.checked'), ('''{};b'', type => ''json''', '22023', 'leaves cannot have type json'),
    ('''1;b'', type => ''record''', '22023', 'leaves cannot have type record')) v (call, state, message);

SELECT is(to_regclass('sample.bad'), NULL, 'a failed builder leaves nothing behind');

-- what COPY takes for the end hides no leaves
SELECT throws_ok($$SELECT anonopt.create_csv_hierarchy('sample.ended', E'a;*\n\\.\nb;*\n')$$, '22P04', NULL, 'a line that looks like the end lacks fields');

SELECT * FROM finish();
ROLLBACK;
