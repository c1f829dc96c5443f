-- Columns that show what labels say: ranges, their ends, their middle; true values, permuted within classes; and the
-- codebook of a release.  Compared with the hierarchies' own rows, in plain SQL, on random small tables.
\ir ../begin.inc
SELECT * FROM no_plan();
SET client_min_messages = error;
SET anonopt.composition = off;
CREATE EXTENSION IF NOT EXISTS btree_gist;
CREATE TABLE people (id int, age int, big bigint, weight float8, born date, seen timestamp, sex text, ill text);
-- a leaf of each type, with unequal labels: the text of one may be that of a leaf
CREATE TABLE ages (v int PRIMARY KEY, l1 text NOT NULL, l2 text NOT NULL, l3 text NOT NULL);
INSERT INTO ages SELECT i, (i / 3 * 3 + 1)::text, format('from %s', i / 6 * 6), '*' FROM generate_series(0, 17) i;
SELECT anonopt.create_range_hierarchy('weights', 0, 20, 1, '{4}');
SELECT anonopt.create_date_hierarchy('days', '2026-01-30', '2026-03-03', '{month,quarter}');
SELECT anonopt.create_date_hierarchy('hours', '2026-01-31', '2026-02-01', '{hour,day}');
CREATE TABLE sexes (v text, l1 text NOT NULL, UNIQUE (v));
INSERT INTO sexes VALUES ('f', '*'), ('m', '*'), (NULL, '*');
CREATE TABLE hierarchy (col text, rel regclass, levels int);
INSERT INTO hierarchy VALUES ('age', 'ages', 3), ('big', 'ages', 3), ('weight', 'weights', 2), ('born', 'days', 3), ('seen', 'hours', 2), ('sex', 'sexes', 1);
SELECT anonopt.create_dataset('d', 'people', 1), anonopt.set_insensitive('d', 'id'), anonopt.add_sensitive('d', 'ill');
SELECT anonopt.add_quasi_identifier('d', col::name, rel, unknown => CASE WHEN col = 'age' THEN '*' END) FROM hierarchy;

CREATE FUNCTION pg_temp.fill(n int) RETURNS void LANGUAGE sql AS $$
    DELETE FROM people;
    INSERT INTO people SELECT i, CASE WHEN random() > 0.1 THEN random() * 18 END, random() * 17, random() * 20,
        CASE WHEN random() > 0.1 THEN date '2026-01-30' + (random() * 32)::int END, timestamp '2026-01-31' + random() * interval '47 hours',
        (ARRAY['f', 'm', NULL])[1 + i % 3], (ARRAY['x', 'y', 'z'])[1 + (random() * 2)::int]
    FROM generate_series(1, n) i;
$$;
-- the range of a label: its leaves', in SQL
CREATE FUNCTION pg_temp.range_of(level int, col text, label text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    found text;
BEGIN
    EXECUTE format(CASE col WHEN 'age' THEN 'SELECT int4range(min(v), max(v), ''[]'') FROM ages WHERE %s = $1'
        WHEN 'big' THEN 'SELECT int8range(min(v), max(v), ''[]'') FROM ages WHERE %s = $1'
        WHEN 'born' THEN 'SELECT daterange(min(value), max(value), ''[]'') FROM days WHERE %s = $1'
        WHEN 'seen' THEN 'SELECT range_merge((array_agg(value ORDER BY value))[1], (array_agg(value ORDER BY value DESC))[1]) FROM hours WHERE %s = $1'
        ELSE 'SELECT range_merge((array_agg(value ORDER BY value))[1], (array_agg(value ORDER BY value DESC))[1]) FROM weights WHERE %s = $1' END,
        CASE WHEN level > 0 THEN CASE WHEN col IN ('age', 'big') THEN 'l' ELSE 'level' END || level WHEN col IN ('age', 'big') THEN 'v::text' ELSE 'value::text' END) INTO found USING label;
    RETURN found;
END $$;

-- One generalization, shown in every form
CREATE FUNCTION pg_temp.shown(n int, kind text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    levels int[] := (SELECT array_agg((random() * h.levels)::int ORDER BY x.i) FROM unnest('{age,big,weight,born,seen,sex}'::text[]) WITH ORDINALITY x (c, i) JOIN hierarchy h ON h.col = x.c);
    cuts varbit[];
    rec regclass;
    lab text := CASE kind WHEN 'range' THEN 'range' ELSE 'hierarchy' END;
    sup text := (ARRAY['omit', 'star'])[1 + (random())::int];
    said text;
    c text;
BEGIN
    PERFORM pg_temp.fill(n);
    IF kind = 'cuts' THEN
        cuts := ARRAY[(SELECT string_agg((random() < 0.2)::int::text, '') FROM generate_series(1, 18 + (SELECT count(*) FILTER (WHERE age IS NULL) > 0 FROM people)::int) i)::varbit,
            (SELECT string_agg((random() < 0.2)::int::text, '') FROM generate_series(1, 17) i)::varbit,
            (SELECT string_agg((random() < 0.2)::int::text, '') FROM generate_series(1, 19) i)::varbit,
            (SELECT string_agg((random() < 0.1)::int::text, '') FROM generate_series(1, 32 + (SELECT count(*) FILTER (WHERE born IS NULL) > 0 FROM people)::int) i)::varbit,
            (SELECT string_agg((random() < 0.1)::int::text, '') FROM generate_series(1, 47) i)::varbit, '00'];
        levels := NULL;
    ELSIF kind IN ('recoding', 'range') THEN
        DROP TABLE IF EXISTS rec;
        rec := anonopt.create_recoding('rec', 'd', k => 2, labels => lab, seed => n, time_limit => '100 ms');
        levels := NULL;
    END IF;
    said := format('%s people, %s %s, %s', n, kind, levels, sup);
    BEGIN
        PERFORM anonopt.publish_table(f, 'd', levels, cuts, k => 2, columns => '{id}', suppressed => sup, recoding => rec, labels => lab, columns_as => f)
        FROM unnest('{text,range,bounds,middle}'::text[]) f;
        PERFORM anonopt.publish_table('permuted', 'd', levels, cuts, k => 2, columns => '{id}', suppressed => sup, recoding => rec, labels => lab, show => 'permuted');
    EXCEPTION WHEN invalid_parameter_value THEN
        -- nobody is in a class of two
        RETURN;
    END;
    IF sup = 'omit' THEN
        EXECUTE 'ALTER TABLE text ADD anonopt_suppressed bool DEFAULT false';
    END IF;
    EXECUTE 'CREATE TEMP VIEW beside AS SELECT t.anonopt_suppressed, to_jsonb(t) AS label, to_jsonb(r) AS range, to_jsonb(b) AS bound, to_jsonb(m) AS middle, p.*,
            (p.age IS NULL OR p.age <@ r.age) AND p.big <@ r.big AND (p.weight::numeric <@ r.weight) AND (p.born IS NULL OR p.born <@ r.born) AND p.seen <@ r.seen AS is_in,
            coalesce(p.age >= b.age_low AND p.age <= b.age_high, p.age IS NULL OR b.age_low IS NULL) AND p.weight BETWEEN b.weight_low AND b.weight_high
                AND coalesce(p.born BETWEEN b.born_low AND b.born_high, p.born IS NULL OR b.born_low IS NULL)
                AND p.big BETWEEN b.big_low AND b.big_high AND p.seen BETWEEN b.seen_low AND b.seen_high AS is_between
        FROM people p JOIN text t USING (id) JOIN range r USING (id) JOIN bounds b USING (id) JOIN middle m USING (id)';
    RETURN NEXT is((SELECT count(*) FROM beside WHERE NOT is_in), 0::bigint, 'every value is in its range: ' || said);
    RETURN NEXT is((SELECT count(*) FROM beside WHERE NOT is_between AND NOT anonopt_suppressed), 0::bigint, 'and between its bounds: ' || said);
    RETURN NEXT is((SELECT count(*) FROM (SELECT label - '{id,ill}'::text[] FROM beside GROUP BY 1 HAVING count(DISTINCT (range - '{id,ill}'::text[], bound - '{id,ill}'::text[], middle - '{id,ill}'::text[])) > 1) x), 0::bigint,
        'who has the same labels is shown alike: ' || said);
    RETURN NEXT is((SELECT count(*) FROM beside b, unnest('{age,big,weight,born,seen}'::text[]) x
        WHERE nullif(nullif(range ->> x, '(,)'), '') IS NOT NULL AND ((bound ->> (x || '_low'), bound ->> (x || '_high')) IS DISTINCT FROM
            (CASE x WHEN 'weight' THEN lower((range ->> x)::numrange)::text WHEN 'born' THEN lower((range ->> x)::daterange)::text WHEN 'seen' THEN to_jsonb(lower((range ->> x)::tsrange)) #>> '{}' ELSE lower((range ->> x)::int4range)::text END,
             CASE x WHEN 'weight' THEN upper((range ->> x)::numrange)::text WHEN 'born' THEN (upper((range ->> x)::daterange) - 1)::text WHEN 'seen' THEN to_jsonb(upper((range ->> x)::tsrange)) #>> '{}' ELSE (upper((range ->> x)::int4range) - 1)::text END))), 0::bigint,
        'bounds are those of ranges: ' || said);
    RETURN NEXT is((SELECT count(*) FROM beside b, unnest('{age,big,weight,born,seen}'::text[]) x WHERE bound ->> (x || '_low') IS NOT NULL AND
            CASE x WHEN 'born' THEN (middle ->> x)::date <> (bound ->> 'born_low')::date + ((bound ->> 'born_high')::date - (bound ->> 'born_low')::date) / 2
            WHEN 'seen' THEN (middle ->> x)::timestamp <> (bound ->> 'seen_low')::timestamp + ((bound ->> 'seen_high')::timestamp - (bound ->> 'seen_low')::timestamp) / 2
            ELSE (middle ->> x)::numeric <> ((bound ->> (x || '_low'))::numeric + (bound ->> (x || '_high'))::numeric) / 2 END), 0::bigint, 'and the middle is between: ' || said);
    IF kind = 'node' THEN
        RETURN NEXT is((SELECT string_agg(DISTINCT format('%s %s: %s, not %s', x, label ->> x, range ->> x, pg_temp.range_of(levels[i], x, label ->> x)), '; ')
            FROM beside b, unnest('{age,big,weight,born,seen}'::text[]) WITH ORDINALITY u (x, i)
            WHERE NOT anonopt_suppressed AND label ->> x IS NOT NULL AND NOT (x = 'age' AND label ->> x = '*')
              AND range ->> x IS DISTINCT FROM pg_temp.range_of(levels[i], x, label ->> x)), NULL, 'ranges are those of the leaves: ' || said);
        RETURN NEXT is((SELECT count(*) FROM beside WHERE label ->> 'age' = '*' AND range ->> 'age' <> '(,)'), 0::bigint, 'and * may be anything where values may lack a leaf: ' || said);
    END IF;
    FOREACH c IN ARRAY '{range,bounds,middle,permuted}'::text[] LOOP
        RETURN NEXT is((SELECT row(v.k, v.l, v.rows, v.ok)::text FROM anonopt.verify(c::regclass) v), (SELECT row(min(y.k), min(y.l), sum(y.k), true)::text FROM (
            SELECT count(*) AS k, count(DISTINCT ill) AS l FROM beside b GROUP BY CASE c WHEN 'range' THEN range - '{id,ill}'::text[] WHEN 'bounds' THEN bound - '{id,ill}'::text[]
                WHEN 'middle' THEN middle - '{id,ill}'::text[] ELSE label - '{id,ill}'::text[] END) y), c || ' is verified: ' || said);
        PERFORM anonopt.refresh_release(c::regclass);
    END LOOP;
    -- rows are those of the same people again; in each class, each column has its values
    EXECUTE 'CREATE TEMP TABLE of_class AS SELECT q.anonopt_class, q.ill = p.ill AS is_own, b.label - ''{id,ill}''::text[] AS label, p.age, p.big, p.weight, p.born, p.seen, p.sex,
            q.age AS q_age, q.big AS q_big, q.weight AS q_weight, q.born AS q_born, q.seen AS q_seen, q.sex AS q_sex
        FROM permuted q JOIN people p USING (id) LEFT JOIN beside b USING (id)';
    RETURN NEXT is((SELECT count(*) FROM of_class WHERE NOT is_own) + (SELECT count(*) FROM of_class) - (SELECT count(*) FROM text), 0::bigint, 'sensitive values stay: ' || said);
    RETURN NEXT is((SELECT count(DISTINCT anonopt_class) + count(DISTINCT label) - 2 * count(DISTINCT (anonopt_class, label)) FROM of_class WHERE anonopt_class IS NOT NULL), 0::bigint, 'classes are those of labels: ' || said);
    RETURN NEXT is((SELECT count(*) FROM (SELECT FROM of_class WHERE anonopt_class IS NOT NULL GROUP BY anonopt_class
        HAVING array_agg(age ORDER BY age) <> array_agg(q_age ORDER BY q_age) OR array_agg(big ORDER BY big) <> array_agg(q_big ORDER BY q_big)
            OR array_agg(weight ORDER BY weight) <> array_agg(q_weight ORDER BY q_weight) OR array_agg(born ORDER BY born) <> array_agg(q_born ORDER BY q_born)
            OR array_agg(seen ORDER BY seen) <> array_agg(q_seen ORDER BY q_seen) OR array_agg(sex ORDER BY sex) <> array_agg(q_sex ORDER BY q_sex)) x), 0::bigint, 'with their values: ' || said);
    RETURN NEXT is((SELECT count(*) FROM of_class WHERE anonopt_class IS NULL AND num_nonnulls(q_age, q_big, q_weight, q_born, q_seen, q_sex) > 0), 0::bigint, 'and who is suppressed shows none: ' || said);
    PERFORM anonopt.publish_codebook('codes', 'bounds');
    EXECUTE 'CREATE TEMP TABLE missing AS SELECT coalesce(c.column_name, x.col) AS col, coalesce(c.label, x.label) AS label FROM codes c FULL JOIN (
        SELECT DISTINCT h.col, label ->> h.col AS label FROM beside, hierarchy h WHERE NOT anonopt_suppressed) x ON c.column_name = x.col AND c.label IS NOT DISTINCT FROM x.label
        WHERE c.column_name IS NULL OR x.col IS NULL';
    RETURN NEXT is_empty('SELECT * FROM missing', 'the codebook has the labels that are shown: ' || said);
    EXECUTE 'CREATE TEMP TABLE wrong AS SELECT DISTINCT c.*, bound FROM codes c JOIN beside ON c.label = beside.label ->> c.column_name AND NOT anonopt_suppressed WHERE c.column_name <> ''sex''
        -- the text of a range need not say its ends
        AND NOT (c.level IS NULL AND num_nonnulls(c.low_number, c.high_number, c.low_time, c.high_time) = 0)
        -- or end at 21 for the last leaf, [19,20]
        AND NOT (c.level IS NULL AND c.column_name = ''weight'' AND c.high_number = 21 AND c.low_number = (bound ->> ''weight_low'')::numeric AND bound ->> ''weight_high'' = ''20'')
        AND (c.low_number, c.high_number, c.low_time::text, c.high_time::text) IS DISTINCT FROM
        (CASE WHEN c.column_name IN (''age'', ''big'', ''weight'') THEN (bound ->> (c.column_name || ''_low''))::numeric END, CASE WHEN c.column_name IN (''age'', ''big'', ''weight'') THEN (bound ->> (c.column_name || ''_high''))::numeric END,
         CASE WHEN c.column_name IN (''born'', ''seen'') THEN (bound ->> (c.column_name || ''_low''))::timestamp::text END, CASE WHEN c.column_name IN (''born'', ''seen'') THEN (bound ->> (c.column_name || ''_high''))::timestamp::text END)';
    RETURN NEXT is((SELECT string_agg(w::text, E'\n') FROM wrong w), NULL, 'with the bounds that are shown: ' || said);
    IF kind = 'node' THEN
        EXECUTE format('CREATE TEMP TABLE counted AS SELECT c.column_name, c.label, c.level, c.leaves FROM codes c WHERE c.label IS NOT NULL AND (c.level, c.leaves) IS DISTINCT FROM (
            (%L::int[])[array_position(''{age,big,weight,born,seen,sex}'', c.column_name::text)],
            CASE WHEN c.column_name IN (''age'', ''big'') THEN (SELECT count(*) FROM ages a WHERE c.label IN (a.v::text, a.l1, a.l2, a.l3) AND c.label = (ARRAY[a.v::text, a.l1, a.l2, a.l3])[c.level + 1])
            WHEN c.column_name = ''weight'' THEN (SELECT count(*) FROM weights a WHERE c.label = (ARRAY[a.value::text, a.level1, a.level2])[c.level + 1])
            WHEN c.column_name = ''born'' THEN (SELECT count(*) FROM days a WHERE c.label = (ARRAY[a.value::text, a.level1, a.level2, a.level3])[c.level + 1])
            WHEN c.column_name = ''seen'' THEN (SELECT count(*) FROM hours a WHERE c.label = (ARRAY[a.value::text, a.level1, a.level2])[c.level + 1])
            ELSE (SELECT count(*) FROM sexes a WHERE c.label = (ARRAY[a.v::text, a.l1])[c.level + 1]) END)
            -- a value without a leaf is below no label
            AND NOT (c.column_name = ''age'' AND c.label = ''*'' AND c.leaves = 0)', levels);
        RETURN NEXT is((SELECT string_agg(w::text, E'\n') FROM counted w), NULL, 'and the leaves of the hierarchy: ' || said);
        DROP TABLE counted;
    END IF;
    DROP TABLE codes, missing, wrong;
    DROP TABLE of_class;
    DROP VIEW beside;
    PERFORM anonopt.drop_release(r.release) FROM anonopt.release r WHERE NOT r.dropped;
END $$;
SELECT f FROM generate_series(1, pg_temp.few(15)) i, LATERAL pg_temp.shown(4 + i, (ARRAY['node', 'cuts', 'recoding', 'range', 'node'])[1 + i % 5]) f;

-- Permutations: of two people in a class, each order of each column comes, by itself
DELETE FROM people;
INSERT INTO people SELECT i, i, i, i, '2026-02-01'::date + i, '2026-01-31', 'f', 'x' FROM generate_series(1, 2) i;
SELECT anonopt.publish_table('swapped', 'd', '{3,3,2,3,2,0}', k => 2, columns => '{id}', show => 'permuted');
CREATE TEMP TABLE orders AS SELECT 0 AS turn, s.* FROM swapped s WHERE id = 1;
DO $$ BEGIN
    FOR i IN 1 .. 120 LOOP
        PERFORM anonopt.refresh_release('swapped');
        INSERT INTO orders SELECT i, s.* FROM swapped s WHERE id = 1;
        EXIT WHEN (SELECT count(DISTINCT (age, big, weight)) = 8 FROM orders);
    END LOOP;
END $$;
SELECT is(count(DISTINCT (age, big, weight)), 8::bigint, 'all orders of three columns come') FROM orders;

-- Hierarchies made from data: their first and last leaves are two people's values
CREATE TABLE young AS SELECT i AS id, 20 + i % 30 AS age, date '2026-01-10' + i % 30 AS came, 10000 + i % 30 AS zip FROM generate_series(1, 300) i;
CREATE TABLE old AS TABLE young;
-- one of each is alone with values beyond the others', and not shown
INSERT INTO young VALUES (301, 50, '2026-02-09', 10030);
INSERT INTO old VALUES (301, 54, '2026-02-10', 10031);
SELECT anonopt.auto_dataset(d, d::regclass, '{age,came}') FROM unnest('{young,old}'::text[]) d;
SELECT anonopt.add_quasi_identifier(d, 'zip', anonopt.create_mask_hierarchy(d || '_zips', d::regclass, 'zip')) FROM unnest('{young,old}'::text[]) d;
UPDATE anonopt.dataset SET max_suppression = 0.5;
CREATE FUNCTION pg_temp.show(levels int[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM anonopt.publish_table(d || '_' || f, d, levels, k => 5, columns_as => f) FROM unnest('{young,old}'::text[]) d, unnest('{text,range,bounds}'::text[]) f;
    PERFORM anonopt.publish_codebook(d || '_codes', (d || '_text')::regclass) FROM unnest('{young,old}'::text[]) d;
    RETURN QUERY SELECT bag_eq('TABLE young_' || f, 'TABLE old_' || f, format('what is shown as %s tells nothing of who is not: %s', f, levels)) FROM unnest('{text,range,bounds,codes}'::text[]) f;
    RETURN NEXT is((SELECT count(*) FROM young_codes WHERE (column_name = 'age' AND label = '*' OR column_name = 'zip' AND label LIKE '%*')
        AND num_nonnulls(low_number, high_number, low_time, high_time) > 0), 0::bigint, 'a label that says no ends has none: ' || levels::text);
    RETURN NEXT is((SELECT count(*) FROM young_codes WHERE column_name = 'age' AND label LIKE '[%' AND (label <> format('[%s, %s)', low_number, high_number + 1))), 0::bigint, 'one that says them has these: ' || levels::text);
    RETURN NEXT is((SELECT count(*) FROM young_codes WHERE column_name = 'came' AND label LIKE '____-W__' AND (label <> to_char(low_time, 'IYYY-"W"IW') OR high_time <> low_time + interval '6 days')), 0::bigint, 'weeks, too: ' || levels::text);
    RETURN NEXT is((SELECT count(*) FROM young_codes WHERE leaves > 1), 0::bigint, 'and no number of values: ' || levels::text);
    PERFORM anonopt.drop_release(r.release) FROM anonopt.release r WHERE NOT r.dropped;
    DROP TABLE young_codes, old_codes;
END $$;
SELECT f FROM unnest(ARRAY['{0,2,5}', '{1,1,5}', '{1,2,1}', '{3,1,2}', '{2,2,2}', '{3,2,5}']) l, LATERAL pg_temp.show(l::int[]) f;
COMMENT ON TABLE young_age_hierarchy IS NULL;
SELECT anonopt.publish_table('still_hidden', 'young', '{3,2,5}', k => 5, columns_as => 'range');
SELECT is((SELECT array_agg(DISTINCT age::text) FROM still_hidden), '{"(,)"}', 'even without its comment');
SELECT anonopt.drop_release('still_hidden');
CREATE TABLE public_age AS TABLE young_age_hierarchy;
ALTER TABLE public_age ADD PRIMARY KEY (value);
SELECT anonopt.drop_attribute('young', 'age'), anonopt.add_quasi_identifier('young', 'age', 'public_age');
SELECT anonopt.publish_table('public_ages', 'young', '{2,5,3}', k => 5, columns_as => 'range');
SELECT is((SELECT array_agg(DISTINCT age::text) FROM public_ages), (SELECT ARRAY[int4range(min(value), max(value), '[]')::text] FROM young_age_hierarchy), 'unless they are public, in a copy');
-- what text says, in every form that our builders write
CREATE TABLE day (d date);
INSERT INTO day SELECT date '1925-06-01' + 61 * i FROM generate_series(0, 516) i;
SELECT anonopt.auto_dataset('day', 'day', '{d}') \g /dev/null
CREATE FUNCTION pg_temp.days_of(level int) RETURNS TABLE (d date, label text, shown daterange) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM anonopt.publish_table('day_text', 'day', ARRAY[level], k => 1), anonopt.publish_table('day_range', 'day', ARRAY[level], k => 1, columns_as => 'range');
    RETURN QUERY SELECT x.d, g, r.d FROM day x, LATERAL (SELECT anonopt.generalize(x.d, 'day_d_hierarchy', level)) g (g), (SELECT DISTINCT q.d FROM day_range q) r WHERE x.d <@ r.d;
    PERFORM anonopt.drop_release('day_text'), anonopt.drop_release('day_range');
END $$;
SELECT is((SELECT count(*) FROM day) - (SELECT count(*) FROM pg_temp.days_of(l) x WHERE x.d <@ shown AND
    CASE l WHEN 0 THEN shown = daterange(x.d, x.d + 1) WHEN 1 THEN shown = daterange(date_trunc('month', x.d)::date, (date_trunc('month', x.d) + interval '1 month')::date)
    WHEN 2 THEN shown = daterange(date_trunc('quarter', x.d)::date, (date_trunc('quarter', x.d) + interval '3 months')::date)
    WHEN 3 THEN shown = daterange(date_trunc('year', x.d)::date, (date_trunc('year', x.d) + interval '1 year')::date)
    WHEN 4 THEN shown = daterange(date_trunc('decade', x.d)::date, (date_trunc('decade', x.d) + interval '10 years')::date)
    WHEN 5 THEN shown = daterange(make_date(extract(year FROM x.d)::int / 20 * 20, 1, 1), make_date(extract(year FROM x.d)::int / 20 * 20 + 20, 1, 1))
    WHEN 6 THEN shown = daterange(make_date(extract(year FROM x.d)::int / 40 * 40, 1, 1), make_date(extract(year FROM x.d)::int / 40 * 40 + 40, 1, 1)) ELSE shown = '(,)' END), 0::bigint, 'the calendar of level ' || l)
FROM generate_series(0, 7) l;

-- Values that are rounded to find their leaves would not lie in them; moments do, by their days
CREATE TABLE rounded (n numeric, f float8, i int8, ts timestamp, ill text);
INSERT INTO rounded SELECT x, x, x, timestamp '2026-01-01' + x * interval '7 hours', 'i' || i % 3 FROM generate_series(1, 400) i, LATERAL (SELECT i % 40 + 0.6 AS x) y;
CREATE TABLE tens (v int4range, l1 text, EXCLUDE USING gist (v WITH &&));
INSERT INTO tens VALUES ('(,10)', 'a'), ('[10,20)', 'b'), ('[20,30)', 'c'), ('[30,)', 'd');
SELECT anonopt.create_date_hierarchy('january', '2026-01-01', '2026-01-31', '{day,month}');
SELECT anonopt.create_dataset('rounded', 'rounded', 1), anonopt.add_quasi_identifier('rounded', 'n', 'tens'), anonopt.add_quasi_identifier('rounded', 'f', 'tens'),
    anonopt.add_quasi_identifier('rounded', 'i', 'tens'), anonopt.add_quasi_identifier('rounded', 'ts', 'january'), anonopt.add_sensitive('rounded', 'ill');
SELECT anonopt.publish_table('rounded_range', 'rounded', '{0,0,0,0}', k => 1, columns => '{}', columns_as => 'range'), anonopt.publish_table('rounded_bounds', 'rounded', '{0,0,0,0}', k => 1, columns_as => 'bounds');
SELECT is((SELECT array_agg(format('%s %s', attname, format_type(atttypid, -1)) ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'rounded_range'::regclass AND attnum > 0),
    '{n text,f text,i int4range,ts daterange,ill text}', 'columns that are rounded stay text');
SELECT bag_eq('SELECT i, ts FROM rounded_range', 'SELECT t.v, daterange(ts::date, ts::date + 1) FROM rounded r JOIN tens t ON r.i::int <@ t.v', 'the others are in their ranges');
SELECT bag_eq('SELECT ts_low, ts_high FROM rounded_bounds', 'SELECT ts::date, ts::date AS high FROM rounded', 'and moments between the first and the last day');
SELECT anonopt.publish_codebook('rounded_codes', 'rounded_range');
SELECT is((SELECT array_agg(DISTINCT column_name::text ORDER BY column_name::text) FROM rounded_codes WHERE num_nonnulls(low_number, high_number, low_time, high_time) > 0), '{i,ts}', 'nor does a codebook give them ends');
-- the last values of their types have no end above them
CREATE TABLE final AS SELECT 2147483640 + i % 8 AS a, 9223372036854775800 + i % 8 AS b, date '5874897-12-24' + i % 8 AS d, 'i' || i % 3 AS ill FROM generate_series(1, 80) i;
CREATE TABLE final_a AS SELECT DISTINCT a, '*' AS l FROM final; ALTER TABLE final_a ADD PRIMARY KEY (a);
CREATE TABLE final_b AS SELECT DISTINCT b, '*' AS l FROM final; ALTER TABLE final_b ADD PRIMARY KEY (b);
CREATE TABLE final_d AS SELECT DISTINCT d, '*' AS l FROM final; ALTER TABLE final_d ADD PRIMARY KEY (d);
SELECT anonopt.create_dataset('final', 'final'), anonopt.add_sensitive('final', 'ill');
SELECT anonopt.add_quasi_identifier('final', c, ('final_' || c)::regclass) FROM unnest('{a,b,d}'::name[]) c;
SELECT anonopt.publish_table('final_' || f, 'final', '{1,1,1}', k => 5, columns_as => f) FROM unnest('{range,bounds,middle}'::text[]) f;
SELECT is(array_agg(DISTINCT (a, b, d)::text), ARRAY[row('[2147483640,)', '[9223372036854775800,)', '[5874897-12-24,)')::text], 'their ranges are open') FROM final_range;
SELECT is(array_agg(DISTINCT (a_low, a_high, b_low, b_high, d_low, d_high)::text), ARRAY[row(2147483640, NULL, 9223372036854775800, NULL, '5874897-12-24', NULL)::text], 'as their bounds are') FROM final_bounds;
SELECT is(count(a) + count(b) + count(d), 0::bigint, 'and they have no middle') FROM final_middle;
SELECT lives_ok($$SELECT anonopt.publish_codebook('final_codes', 'final_range')$$, 'a codebook has no times beyond those of timestamps');
-- moments as leaves, taken from data: what their labels say
CREATE TABLE at (m timestamptz, ill text);
INSERT INTO at SELECT timestamptz '2026-01-03 10:00Z' + i % 10 * interval '9 days', 'i' || i % 3 FROM generate_series(1, 100) i;
CREATE TABLE months AS SELECT DISTINCT m, to_char(m AT TIME ZONE 'UTC', 'YYYY-MM') AS l1, '*' AS l2 FROM at; ALTER TABLE months ADD PRIMARY KEY (m);
COMMENT ON TABLE months IS 'made by anonopt';
SELECT anonopt.create_dataset('at', 'at'), anonopt.add_quasi_identifier('at', 'm', 'months'), anonopt.add_sensitive('at', 'ill');
SELECT anonopt.publish_table('at_range', 'at', '{1}', k => 5, columns_as => 'range');
SELECT bag_eq('SELECT m FROM at_range', 'SELECT tstzrange(date_trunc(''month'', m, ''UTC''), date_trunc(''month'', m, ''UTC'') + interval ''1 month'') FROM at', 'months of moments');

-- What is refused
CREATE TABLE mixed (id int, age int, age_low int);
INSERT INTO mixed SELECT i, i % 18, i % 2 FROM generate_series(1, 90) i;
SELECT anonopt.create_dataset('mixed', 'mixed', 1), anonopt.add_quasi_identifier('mixed', 'age', 'ages'), anonopt.add_sensitive('mixed', 'age_low');
SELECT throws_ok($$SELECT anonopt.publish_table('x', 'mixed', '{2}', k => 2, columns_as => 'bounds')$$, '42701', NULL, 'a name that is taken');
SELECT lives_ok($$SELECT anonopt.publish_table('x', 'mixed', '{2}', k => 2, columns_as => 'range')$$, 'but not by a range');
SELECT throws_ok($$SELECT anonopt.publish_table('y', 'mixed', '{2}', k => 2, columns_as => 'intervals')$$, '22023', NULL, 'an unknown form');
SELECT throws_ok($$SELECT anonopt.publish_table('y', 'mixed', '{2}', k => 2, show => 'truth')$$, '22023', NULL, 'unknown values');
SELECT throws_ok($$SELECT anonopt.publish_table('y', 'mixed', '{2}', k => 2, show => 'permuted', columns_as => 'range')$$, '22023', NULL, 'ranges of permuted values');
SELECT throws_ok($$SELECT anonopt.create_view('y', 'mixed', '{2}', k => 2, show => 'permuted', materialized => false)$$, '0A000', NULL, 'a live view of permuted values');
SELECT throws_ok($$SELECT anonopt.publish_codebook('x', 'x')$$, '42710', NULL, 'a codebook with a name that is taken');
SELECT anonopt.create_view('live', 'mixed', '{2}', k => 2, materialized => false), anonopt.publish_table('perm', 'mixed', '{2}', k => 2, show => 'permuted');
SELECT throws_ok(format($$SELECT anonopt.publish_codebook('y', %L)$$, r), '0A000', NULL, 'a codebook of ' || r) FROM unnest('{live,perm}'::text[]) r;
SELECT anonopt.add_promise('mixed', 'k_map', 2, population => 'mixed');
SELECT throws_ok(format($$SELECT anonopt.publish_table('y', 'mixed', '{2}', k => 2, %s)$$, x), '0A000', NULL, 'a promise about others, ' || x) FROM unnest('{columns_as => ''middle'',show => ''permuted''}'::text[]) x;
SELECT anonopt.drop_promise('mixed', 'k_map'), anonopt.add_promise('mixed', 'disclosure', 9, 'age_low', 0);
SELECT throws_ok($$SELECT anonopt.publish_table('y', 'mixed', '{2}', k => 2, columns_as => 'middle')$$, '0A000', NULL, 'one that a union of classes may break');
-- a hierarchy whose labels are no longer runs would show text
UPDATE ages SET l1 = 'odd' WHERE v IN (2, 17);
UPDATE ages SET l2 = 'all', l3 = 'all';
SELECT throws_ok($$SELECT anonopt.republish('x', '{1}')$$, '23514', NULL, 'a release keeps the forms of its columns');
UPDATE anonopt.published SET columns_as = '{range,range}' WHERE name LIKE '%.x';
SELECT throws_ok($$SELECT * FROM anonopt.verify('x')$$, '23514', NULL, 'more forms than columns');
UPDATE anonopt.published SET columns_as = '{bounds}' WHERE name LIKE '%.x';
SELECT throws_ok($$SELECT * FROM anonopt.verify('x')$$, NULL, NULL, 'columns that are not there');
SELECT * FROM finish();
ROLLBACK;
