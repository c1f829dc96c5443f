-- extend_hierarchy: new leaves by the rule of each builder, on random values, beside labels that plain SQL computes;
-- the leaves that were there stay; and grow, which refreshes do first.
\ir begin.inc
\ir reference.inc
\ir random_data.inc
SELECT * FROM no_plan();
SET client_min_messages = error;
SET jit = off;

-- Columns of random values, most of which come later; d covers them all where a hierarchy knows no source.
CREATE TABLE source (n int, x numeric, f float8, code text, path text, day date, moment timestamptz, at time, mail text, child text, parent text);
CREATE FUNCTION pg_temp.add_values(rows int, spread int) RETURNS void LANGUAGE sql AS $$
    INSERT INTO source SELECT n, x, x, left(md5(n::text), 1 + abs(n) % 4), concat_ws('.', n % 3, n % 5, nullif(n % 4, 0)), date '2020-01-15' + n, date '2020-01-15' + n + time '13:14',
        time '00:00' + abs(n) * interval '7.5 seconds', 'u' || n || '@' || n % 3 || '.org', 'leaf' || n, 'branch' || n % 3
    FROM (SELECT (sample.below(2 * spread) - spread)::int AS n, round((random() * 2 * spread - spread)::numeric, 2) AS x FROM generate_series(1, rows)) s
$$;

-- By builder: the call, and the labels of a value v by plain SQL; NULL if others than by value.
CREATE TABLE rule (name text, column_name text, call text, leaf text, labels text);
INSERT INTO rule VALUES
    ('interval', 'n', $$anonopt.create_interval_hierarchy('h', -7, 12, '{3,6}')$$, 'v = h.value',
        $$format('[%s, %s)', -7 + floor((v + 7) / 3.0) * 3, -4 + floor((v + 7) / 3.0) * 3), format('[%s, %s)', -7 + floor((v + 7) / 6.0) * 6, -1 + floor((v + 7) / 6.0) * 6), '*'$$),
    ('range', 'x', $$anonopt.create_range_hierarchy('h', -10, 20, 2.5, '{5,10}')$$, 'v <@ h.value', NULL),
    ('range from a half', 'x', $$anonopt.create_range_hierarchy('h', -3.5, 8.5, 1, '{4}')$$, 'v <@ h.value',
        $$CASE WHEN mod(ltrim(split_part(h.level1, ',', 1), '[')::numeric + 3.5, 4) = 0 THEN h.level1 ELSE 'an interval of the rule' END, '*'$$),
    ('range with odd bounds', 'x', $$anonopt.create_range_hierarchy('h', -3, 8, 2, '{4}')$$, 'v <@ h.value', NULL),
    ('top coded', 'n', $$anonopt.create_top_coded_hierarchy('h', -5, 20, top => 10, widths => '{5}')$$, 'v = h.value',
        $$CASE WHEN v >= 10 THEN '>= 10' ELSE v::text END, CASE WHEN v >= 10 THEN '>= 10' ELSE format('[%s, %s)', floor(v / 5.0) * 5, floor(v / 5.0) * 5 + 5) END, '*'$$),
    ('bottom coded ranges', 'x', $$anonopt.create_top_coded_hierarchy('h', -5, 20, bottom => 0, widths => '{5}', step => 2.5)$$, 'v <@ h.value', NULL),
    ('rounding', 'n', $$anonopt.create_rounding_hierarchy('h', -3, 3, '{5,10}')$$, 'v = h.value',
        $$(floor((v + 2.5) / 5) * 5)::text, (floor((floor((v + 2.5) / 5) * 5 + 5) / 10) * 10)::text, '*'$$),
    ('rounded ranges', 'x', $$anonopt.create_rounding_hierarchy('h', -3, 3, '{0.5}', continuous => true)$$, 'v <@ h.value', $$trim_scale(floor((v + 0.25) / 0.5) * 0.5)::text, '*'$$),
    ('rounded floats', 'f', $$anonopt.create_rounding_hierarchy('h', -3, 3, '{2}', continuous => true)$$, 'v::numeric <@ h.value', NULL),
    ('days', 'day', $$anonopt.create_date_hierarchy('h', '2020-01-10', '2020-01-20', '{month,year}')$$, 'v = h.value', $$to_char(v, 'YYYY-MM'), to_char(v, 'YYYY'), '*'$$),
    ('hours of days', 'moment', $$anonopt.create_date_hierarchy('h', '2020-01-10', '2020-01-20', '{hour,day}')$$, $$v AT TIME ZONE 'Europe/Berlin' <@ h.value$$,
        $$to_char(v AT TIME ZONE 'Europe/Berlin', 'YYYY-MM-DD'), '*'$$),
    ('mask', 'code', $$anonopt.create_mask_hierarchy('h', 'source', 'code', 'x')$$, 'v = h.value', 'masked from the right'),
    ('prefix', 'code', $$anonopt.create_prefix_hierarchy('h', 'source', 'code', '{2,1}')$$, 'v = h.value', $$left(v, 2), left(v, 1), '*'$$),
    ('parts', 'path', $$anonopt.create_prefix_hierarchy('h', 'source', 'path', separator => '.')$$, 'v = h.value', NULL),
    ('frequency', 'code', $$anonopt.create_frequency_hierarchy('h', 'source', 'code', 3, 'rare')$$, 'v = h.value', NULL),
    ('quantile', 'n', $$anonopt.create_quantile_hierarchy('h', 'source', 'n', '{6,3}')$$, 'v = h.value', NULL),
    ('quantile of texts', 'code', $$anonopt.create_quantile_hierarchy('h', 'source', 'code', '{4}')$$, 'v = h.value', NULL),
    ('tree', 'child', $$anonopt.create_tree_hierarchy('h', 'edges')$$, 'v = h.value', $$'branch' || substr(v, 5)::int % 3, 'root'$$);

CREATE FUNCTION pg_temp.scalar(query text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE r text; BEGIN EXECUTE query INTO r; RETURN r; END $$;

-- What is wrong with a rule on random values, or NULL.
CREATE FUNCTION pg_temp.problem(one rule, seed int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    problems text[] := '{}'; added bigint; height int; wanted text; missing bigint; wrong text;
BEGIN
    PERFORM setseed(seed / 1000.0);
    TRUNCATE source;
    PERFORM pg_temp.add_values(15, 8);
    UPDATE source SET code = left(code, 3);
    CREATE VIEW edges AS SELECT DISTINCT child, parent FROM source UNION SELECT parent, 'root' FROM source;
    EXECUTE 'SELECT ' || one.call;
    EXECUTE format('SELECT anonopt.create_dataset(''d'', ''source'', timezone => ''Europe/Berlin''), anonopt.add_quasi_identifier(''d'', %L, ''h'', unknown => ''*'')', one.column_name);
    CREATE TABLE before AS TABLE h;
    height := (SELECT count(*) - 1 FROM pg_attribute WHERE attrelid = 'h'::regclass AND attnum > 0);
    PERFORM pg_temp.add_values(40, 40);
    added := anonopt.extend_hierarchy('h');
    IF added IS DISTINCT FROM pg_temp.scalar('SELECT (SELECT count(*) FROM h) - (SELECT count(*) FROM before)')::bigint THEN problems := problems || format('says %s', added); END IF;
    IF pg_temp.scalar('SELECT count(*) FROM (TABLE before EXCEPT TABLE h) x') <> '0' THEN problems := problems || 'a row has changed'::text; END IF;
    missing := pg_temp.scalar(format('SELECT count(*) FROM (SELECT DISTINCT %I AS v FROM source) s WHERE (SELECT count(*) FROM h WHERE %s) <> 1', one.column_name, one.leaf))::bigint;
    IF missing > 0 THEN problems := problems || format('%s values have not one leaf', missing); END IF;
    IF EXISTS (SELECT FROM anonopt.check_hierarchy('h')) THEN problems := problems || (SELECT string_agg(c::text, ';') FROM anonopt.check_hierarchy('h') c); END IF;
    IF (SELECT unknown FROM anonopt.describe('d') WHERE column_name = one.column_name) <> 0 THEN problems := problems || 'describe finds values without a leaf'::text; END IF;
    IF one.labels IS NOT NULL THEN
        wanted := one.labels;
        IF one.name = 'mask' THEN
            wanted := (SELECT string_agg(format('left(rpad(v, %s, ''x''), %s) || repeat(''x'', %s)', height, height - i, i), ', ' ORDER BY i) FROM generate_series(1, height) i);
        END IF;
        wrong := pg_temp.scalar(format('SELECT string_agg(v || '': '' || h::text, '';'') FROM (SELECT DISTINCT %I AS v FROM source) s JOIN h ON %s WHERE ARRAY[%s] <> ARRAY[%s]::text[]',
            one.column_name, one.leaf, (SELECT string_agg('level' || i, ', ' ORDER BY i) FROM generate_series(1, height) i), wanted));
        IF wrong IS NOT NULL THEN problems := problems || ('labels ' || wrong); END IF;
    END IF;
    IF one.leaf LIKE '%<@%' AND one.labels IS NULL AND one.name NOT LIKE 'rounded%' THEN
        -- a label says bounds within which its leaf lies
        wrong := pg_temp.scalar(format($q$SELECT string_agg(h::text, ';') FROM h, unnest(ARRAY[%s]) l WHERE l LIKE '[%%' AND NOT h.value <@ replace(l, ')', ']')::numrange
            OR l LIKE '< %%' AND upper(h.value) > substr(l, 3)::numeric$q$, (SELECT string_agg('level' || i, ', ' ORDER BY i) FROM generate_series(1, height - 1) i)));
        IF wrong IS NOT NULL THEN problems := problems || ('bounds ' || wrong); END IF;
    END IF;
    IF one.name LIKE 'quantile%' THEN
        wrong := pg_temp.scalar($q$SELECT string_agg(h::text, ';') FROM h WHERE NOT EXISTS (SELECT FROM before b WHERE (to_jsonb(b) - 'value') = (to_jsonb(h) - 'value')
            AND CASE WHEN EXISTS (SELECT FROM before x WHERE x.value::text COLLATE "C" <= h.value::text AND jsonb_typeof(to_jsonb(x.value)) = 'string' OR jsonb_typeof(to_jsonb(x.value)) = 'number' AND to_jsonb(x.value) <= to_jsonb(h.value))
                THEN b.value = (SELECT x.value FROM before x WHERE jsonb_typeof(to_jsonb(x.value)) = 'string' AND x.value::text COLLATE "C" <= h.value::text
                    OR jsonb_typeof(to_jsonb(x.value)) = 'number' AND to_jsonb(x.value) <= to_jsonb(h.value) ORDER BY x.value::text COLLATE "C" DESC, x.value DESC LIMIT 1)
                    OR jsonb_typeof(to_jsonb(b.value)) = 'number' AND b.value = (SELECT max(x.value) FROM before x WHERE to_jsonb(x.value) <= to_jsonb(h.value))
                ELSE b.value = (SELECT min(x.value) FROM before x) END)$q$);
        IF wrong IS NOT NULL THEN problems := problems || ('neighbours ' || wrong); END IF;
    ELSIF one.name = 'frequency' THEN
        wrong := pg_temp.scalar($q$SELECT string_agg(h::text, ';') FROM h WHERE value NOT IN (SELECT value FROM before)
            AND level1 <> CASE WHEN (SELECT count(*) FROM source WHERE code = value) >= 3 THEN value ELSE 'rare' END$q$);
        IF wrong IS NOT NULL THEN problems := problems || ('frequencies ' || wrong); END IF;
    ELSIF one.name = 'parts' THEN
        wrong := pg_temp.scalar(format('SELECT string_agg(h::text, '';'') FROM h WHERE level1 <> array_to_string((string_to_array(value, ''.''))[1:%s], ''.'')', height - 1));
        IF wrong IS NOT NULL THEN problems := problems || ('parts ' || wrong); END IF;
    END IF;
    IF anonopt.extend_hierarchy('h') <> 0 THEN problems := problems || 'it grows again'::text; END IF;
    -- and once more, from where it ends now
    PERFORM pg_temp.add_values(10, 90);
    PERFORM anonopt.extend_hierarchy('h');
    IF EXISTS (SELECT FROM anonopt.check_hierarchy('h')) THEN problems := problems || 'not sound after more'::text; END IF;
    -- a row that was changed
    IF one.name NOT LIKE 'quantile%' THEN
        EXECUTE 'UPDATE h SET level1 = ''changed'', level' || height || ' = ''changed'' WHERE value = (SELECT value FROM before ORDER BY value LIMIT 1 OFFSET 3)';
        BEGIN
            PERFORM anonopt.extend_hierarchy('h');
            problems := problems || 'a changed row is not found'::text;
        EXCEPTION WHEN check_violation THEN NULL;
        END;
    END IF;
    PERFORM anonopt.drop_dataset('d');
    DROP TABLE h, before;
    DROP VIEW edges;
    RETURN nullif(array_to_string(problems, '; '), '');
END $$;

SELECT is((SELECT string_agg(p, E'\n') FROM generate_series(1, pg_temp.few(3)) s, LATERAL (SELECT pg_temp.problem(r, s) AS p) x), NULL, 'by the rule: ' || r.name) FROM rule r;

-- values that are no values, or far off
CREATE TABLE odd (n int, f float8, day date);
INSERT INTO odd VALUES (5, 'NaN', 'infinity'), (NULL, 'Infinity', '-infinity'), (2000000000, 1e300, '9999-01-01'), (-7, NULL, NULL);
SELECT anonopt.create_interval_hierarchy('on_n', 0, 9, '{5}'), anonopt.create_range_hierarchy('on_f', 0, 10, 1, '{5}'), anonopt.create_date_hierarchy('on_day', '2020-01-01', '2020-01-31', '{month}');
SELECT anonopt.create_dataset('odd', 'odd'), anonopt.add_quasi_identifier('odd', 'n', 'on_n', unknown => '*'), anonopt.add_quasi_identifier('odd', 'f', 'on_f', unknown => '*'),
    anonopt.add_quasi_identifier('odd', 'day', 'on_day', unknown => '*');
SELECT is(anonopt.extend_hierarchy('on_n'), 5010::bigint, 'a number far off moves a bound by a thousand of the widest intervals');
SELECT is((SELECT ROW(min(value), max(value)) FROM on_n)::text, '(-10,5009)', 'and one near by as far as it must');
SELECT is(anonopt.extend_hierarchy('on_f'), 5000::bigint, 'so it is with ranges; what is no number is left out');
SELECT is(anonopt.extend_hierarchy('on_day'), 3653::bigint, 'and with days, by ten years');
SELECT is((SELECT count(*)::int FROM unnest('{on_n,on_f,on_day}'::regclass[]) h, anonopt.check_hierarchy(h)), 0, 'all are sound');
SELECT is(anonopt.extend_hierarchy('on_n'), 0::bigint, 'the bounds that were declared count: it does not double every night');

-- who may, and what cannot be extended
CREATE ROLE publisher;
CREATE ROLE stranger;
GRANT ALL ON SCHEMA public TO publisher, stranger;
SET ROLE publisher;
SELECT throws_ok($$SELECT anonopt.extend_hierarchy('on_n')$$, '42501', NULL, 'not the owner');
CREATE TABLE by_hand AS SELECT 'a'::text AS value, '*'::text AS level1;
SELECT throws_ok($$SELECT anonopt.extend_hierarchy('by_hand')$$, '55000', NULL, 'a table without a rule');
SELECT anonopt.create_csv_hierarchy('by_csv', 'a;b;*');
SELECT throws_ok($$SELECT anonopt.extend_hierarchy('by_csv')$$, '55000', NULL, 'a file has no rule');
CREATE TABLE people AS SELECT i AS id, 'c' || i % 5 AS code, 20 + i % 10 AS age, i % 2 AS ill FROM generate_series(1, 200) i;
SELECT anonopt.create_prefix_hierarchy('codes', 'people', 'code', '{1}'), anonopt.create_interval_hierarchy('ages', 20, 29, '{5}');
SELECT anonopt.create_dataset('people', 'people', 0.1);
SELECT throws_ok($$SELECT anonopt.add_quasi_identifier('people', 'code', 'by_hand', grow => true)$$, '22023', NULL, 'what has no rule does not grow');
SELECT anonopt.add_quasi_identifier('people', 'code', 'codes', grow => true), anonopt.add_quasi_identifier('people', 'age', 'ages');
SELECT anonopt.add_sensitive('people', 'ill');
SELECT is((SELECT string_agg(concat_ws(' ', column_name, grow), ', ' ORDER BY column_name) FROM anonopt.describe('people')), 'age f, code t, ill', 'describe says which columns grow');
SELECT anonopt.publish_table('shown', 'people', '{1,1}', k => 20);
INSERT INTO people SELECT i, 'd' || i % 3, 20 + i % 10, i % 2 FROM generate_series(1001, 1300) i;
SELECT anonopt.refresh_release('shown');
SELECT is((SELECT count(*)::int FROM codes), 8, 'a refresh adds leaves');
SELECT bag_eq('SELECT code, age, count(*) FROM shown GROUP BY 1, 2', 'SELECT left(code, 1), a.level1, count(*) FROM people JOIN ages a ON a.value = age GROUP BY 1, 2', 'and shows their labels');
SELECT is((SELECT ok FROM anonopt.verify('shown')), true, 'the release stays valid');
INSERT INTO people VALUES (2000, 'e', 99, 1);
SELECT throws_ok($$SELECT anonopt.refresh_release('shown')$$, '22000', NULL, 'a column that does not grow lacks a leaf');
SELECT is((SELECT count(*)::int FROM codes), 8, 'then nothing has grown');
DELETE FROM people WHERE id = 2000;
INSERT INTO people SELECT i, 'f', 25, i % 2 FROM generate_series(3001, 3100) i;
SELECT is(anonopt.publish_table('other', 'people', '{1,1}', k => 20)::text, 'other', 'publishing adds leaves, too');
SELECT is((SELECT level1 FROM codes WHERE value = 'f'), 'f', 'by the same rule');

-- an owner of the database who writes a rule
RESET ROLE;
CREATE TABLE ran (who name);
GRANT ALL ON ran TO PUBLIC;
SET ROLE stranger;
CREATE FUNCTION ran() RETURNS text LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.ran VALUES (current_user); RETURN 'x'; END $$;
CREATE VIEW trap AS SELECT ran() AS code;
GRANT SELECT ON trap TO PUBLIC;
RESET ROLE;
UPDATE anonopt.hierarchy_rule SET relation = 'trap', relation_type = 'trap' WHERE hierarchy = 'codes'::regclass;
SET ROLE publisher;
SELECT lives_ok($$SELECT anonopt.extend_hierarchy('codes')$$, 'another source than that of the rule is none');
SELECT is((SELECT count(*)::int FROM ran), 0, 'and is not read');
SELECT anonopt.create_prefix_hierarchy('trapped', 'trap', 'code', '{1}') \g /dev/null
RESET ROLE;
TRUNCATE ran;
SET ROLE publisher;
SELECT lives_ok($$SELECT anonopt.extend_hierarchy('trapped')$$, 'a view of another role is read');
RESET ROLE;
SELECT is((SELECT string_agg(DISTINCT who, ', ') FROM ran), 'stranger', 'as that role, so its function has no right of ours');
REVOKE SELECT ON trap FROM PUBLIC;
SET ROLE publisher;
SELECT throws_ok($$SELECT anonopt.extend_hierarchy('trapped')$$, '42501', NULL, 'and not without SELECT');
RESET ROLE;
CREATE FUNCTION pg_temp.forged(what text, hierarchy text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('UPDATE anonopt.hierarchy_rule SET %s WHERE hierarchy = %L::regclass', what, hierarchy);
    PERFORM anonopt.extend_hierarchy(hierarchy);
    RETURN '00000';
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE;
END $$;
SELECT is(pg_temp.forged(what, h), '23514', what || ' of ' || h) FROM (VALUES
    ($$builder = 'none'$$, 'on_n'), ($$builder = 'tree'$$, 'on_n'), ('low = NULL', 'on_n'), ($$low = 'NaN'$$, 'on_n'), ('low = low + 0.0', 'on_n'), ($$numbers = '{0}'$$, 'on_n'), ('low = NULL', 'on_day'),
    ($$units = '{fortnight}'$$, 'on_day'), ('step = -1', 'on_f'), ('salt = gen_random_uuid()', 'on_n'), ('from_data = NOT from_data', 'on_n'),
    ($$builder = 'mask', word = '**', column_name = 'n', relation = 'odd', relation_type = 'odd'$$, 'on_n'), ($$source = '(a,b)'$$, 'on_n')) t (what, h);
SELECT is(anonopt.extend_hierarchy('on_n'), 0::bigint, 'the rule that it was built by');
COMMENT ON COLUMN on_day.value IS 'days';
SELECT throws_ok($$SELECT anonopt.extend_hierarchy('on_day')$$, '23514', NULL, 'without its mark, a table does not grow');
UPDATE anonopt.attribute SET role = 'insensitive' WHERE grow;
SET ROLE publisher;
SELECT throws_ok($$SELECT anonopt.refresh_release('shown')$$, '23514', 'declaration of data set "people" is not sound', 'nor for what is no quasi-identifier');
RESET ROLE;
UPDATE anonopt.attribute SET role = 'quasi_identifier' WHERE grow;
GRANT TRIGGER ON on_n TO stranger;
SELECT throws_ok($$SELECT anonopt.extend_hierarchy('on_n')$$, '42501', NULL, 'where others may create triggers');
REVOKE TRIGGER ON on_n FROM stranger;
ALTER TABLE on_n ENABLE ROW LEVEL SECURITY;
SELECT throws_ok($$SELECT anonopt.extend_hierarchy('on_n')$$, '42809', NULL, 'row security');
ALTER TABLE on_n DISABLE ROW LEVEL SECURITY;
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER t BEFORE INSERT ON on_n EXECUTE FUNCTION nothing();
SELECT throws_ok($$SELECT anonopt.extend_hierarchy('on_n')$$, '42809', NULL, 'a trigger');
DROP TRIGGER t ON on_n;
ALTER TABLE on_n DROP CONSTRAINT on_n_pkey;
SELECT throws_ok($$SELECT anonopt.extend_hierarchy('on_n')$$, '42809', NULL, 'no unique index');
DROP TABLE on_n;
CREATE TABLE on_n AS SELECT 1 AS value, '*'::text AS level1;
SELECT throws_ok($$SELECT anonopt.extend_hierarchy('on_n')$$, '55000', NULL, 'another table of that name');

-- both columns of edges are read, so both need SELECT
CREATE TABLE branch (child text, parent text);
INSERT INTO branch VALUES ('top', NULL), ('x', 'top'), ('p1', 'x');
GRANT SELECT ON branch TO stranger;
SET ROLE stranger;
SELECT anonopt.create_tree_hierarchy('branches', 'branch') \g /dev/null
SET ROLE postgres;
REVOKE SELECT ON branch FROM stranger;
GRANT SELECT (child) ON branch TO stranger;
INSERT INTO branch VALUES ('secret', 'top'), ('p2', 'secret');
SET ROLE stranger;
SELECT throws_ok($$SELECT anonopt.extend_hierarchy('branches')$$, '42501', NULL, 'a column of edges that may not be read');
RESET ROLE;

-- the label of rare values becomes a frequent value
CREATE TABLE job AS SELECT 'job ' || i % 4 AS job, 'i' || i % 3 AS ill FROM generate_series(1, 40) i;
INSERT INTO job VALUES ('rare', 'i1');
SELECT anonopt.create_frequency_hierarchy('jobs', 'job', 'job', 5, 'other') \g /dev/null
INSERT INTO job SELECT 'other', 'i' || i % 3 FROM generate_series(1, 9) i;
SELECT is(anonopt.extend_hierarchy('jobs'), 1::bigint, 'a value like the label of rare values has a leaf');
SELECT is((SELECT level1 FROM jobs WHERE value = 'other'), 'other', 'with that label');
SELECT is_empty($$SELECT * FROM anonopt.check_hierarchy('jobs')$$, 'which is sound');

-- ends that were declared stay, however often a hierarchy grows, and those of data never come
CREATE TABLE grown AS SELECT i % 95 AS age, date '2020-01-01' + i % 31 AS day, 'i' || i % 4 AS ill FROM generate_series(1, 400) i;
SELECT anonopt.create_rounding_hierarchy('grown_ages', 0, 94, '{10,50}'), anonopt.create_date_hierarchy('grown_days', '2020-01-01', '2020-01-31', '{month,year}') \g /dev/null
SELECT anonopt.create_dataset('grown', 'grown', 0.5), anonopt.add_quasi_identifier('grown', 'age', 'grown_ages', grow => true), anonopt.add_quasi_identifier('grown', 'day', 'grown_days', grow => true) \g /dev/null
SELECT anonopt.publish_table('grown_range', 'grown', '{1,1}', k => 4, columns_as => 'range') \g /dev/null
CREATE TABLE ends_before AS SELECT DISTINCT age, day FROM grown_range;
INSERT INTO grown VALUES (110, '2021-03-05', 'i1');
SELECT anonopt.refresh_release('grown_range', false) \g /dev/null
INSERT INTO grown VALUES (120, '2022-03-05', 'i1');
SELECT anonopt.refresh_release('grown_range', false) \g /dev/null
SELECT is_empty('TABLE ends_before EXCEPT SELECT age, day FROM grown_range', 'ranges are as they were after it has grown twice');
SELECT is((SELECT ROW(min(value), max(value)) FROM grown_days)::text, '(2020-01-01,2022-12-31)', 'days reach to the end of the widest unit');
SELECT is((SELECT max(value) FROM grown_ages), 149, 'numbers to that of the widest step');
-- a comment hides nothing
SELECT anonopt.auto_dataset('hidden', 'grown', '{age}') \g /dev/null
COMMENT ON TABLE grown_age_hierarchy IS 'ages';
SELECT anonopt.publish_table('hidden', 'hidden', ARRAY[(SELECT count(*)::int - 1 FROM pg_attribute WHERE attrelid = 'grown_age_hierarchy'::regclass AND attnum > 0)], k => 5, columns_as => 'range') \g /dev/null
SELECT is((SELECT string_agg(DISTINCT age::text, ';') FROM hidden), '(,)', 'a table is made from data whatever its comment says');
SELECT * FROM finish();
ROLLBACK;
