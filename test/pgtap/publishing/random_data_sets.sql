-- Releases compared with plain SQL on random small data sets: they show
-- exactly the rows of classes that keep a promise, verify counts right, and
-- release_risk knows how far several releases together single people out.
\ir ../begin.inc
SET client_min_messages = error;
SET jit = off;
CREATE EXTENSION IF NOT EXISTS btree_gist;
\ir ../reference.inc
\ir ../random_data.inc

-- Names that somebody may have placed before the system's in search_path.
CREATE SCHEMA hostile;
CREATE DOMAIN hostile.text AS pg_catalog.text CHECK (VALUE <> VALUE);
CREATE DOMAIN hostile.int8 AS pg_catalog.int8 CHECK (VALUE < 0);
CREATE FUNCTION hostile.always(pg_catalog.int8, pg_catalog.int8) RETURNS boolean LANGUAGE sql AS 'SELECT true';
CREATE FUNCTION hostile.always(pg_catalog.text, pg_catalog.text) RETURNS boolean LANGUAGE sql AS 'SELECT true';
CREATE FUNCTION hostile.always(numeric, numeric) RETURNS boolean LANGUAGE sql AS 'SELECT true';
CREATE FUNCTION hostile.always(anyelement, anyelement) RETURNS boolean LANGUAGE sql AS 'SELECT true';
DO $$
DECLARE
    o text;
    t text;
BEGIN
    FOREACH o IN ARRAY '{=,>=,<=,<>,-,*}'::text[] LOOP
        FOREACH t IN ARRAY '{pg_catalog.int8,pg_catalog.text,numeric,anyelement}'::text[] LOOP
            EXECUTE format('CREATE OPERATOR hostile.%s (LEFTARG = %s, RIGHTARG = %2$s, FUNCTION = hostile.always)', o, t);
        END LOOP;
    END LOOP;
END $$;
CREATE FUNCTION hostile.one_more(pg_catalog.int8) RETURNS pg_catalog.int8 LANGUAGE sql AS 'SELECT $1';
CREATE AGGREGATE hostile.count(*) (SFUNC = pg_catalog.int8inc, STYPE = pg_catalog.int8, INITCOND = 1000);
CREATE FUNCTION hostile.random() RETURNS float8 LANGUAGE plpgsql AS $$ BEGIN RAISE 'taken in'; END $$;
CREATE FUNCTION hostile.dense_rank() RETURNS pg_catalog.int8 LANGUAGE internal WINDOW AS 'window_row_number';

-- Hierarchies without a key get one, as a release asks for it.
CREATE FUNCTION pg_temp.add_keys() RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    h regclass;
BEGIN
    FOR h IN SELECT DISTINCT hierarchy FROM ref.attribute WHERE hierarchy IS NOT NULL LOOP
        EXECUTE format(CASE WHEN ref.family(ref.column_type(h, (ref.columns(h))[1])) = 'range'
                            THEN 'ALTER TABLE %s ADD EXCLUDE USING gist (%I WITH &&)'
                            ELSE 'CREATE UNIQUE INDEX ON %s (%I)' END, h, (ref.columns(h))[1]);
    END LOOP;
END $$;

-- Every row of the relation: its leaves, its sensitive values by their places in their order, and what
-- a generalization makes of it.
CREATE TEMP TABLE shown_row (nr int, raw jsonb, leaves int[], own int[], own_leaves int[], groups int[], labels jsonb, keeps boolean);

CREATE FUNCTION pg_temp.read_rows() RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    d ref.dataset;
    a ref.attribute;
    joins text := '';
    leaves text := '';
    own text := '';
    own_leaves text := '';
    leaf text;
BEGIN
    SELECT * INTO STRICT d FROM ref.dataset;
    FOR a IN SELECT * FROM ref.attribute WHERE role IN ('quasi_identifier', 'sensitive') ORDER BY role, ordinal LOOP
        leaf := 'NULL';
        IF a.hierarchy IS NOT NULL THEN
            leaf := format('%I.leaf_no', a.role || a.ordinal);
            joins := joins || format(' JOIN ref.seen %1$I ON %1$I.role = %2$L AND %1$I.ordinal = %3$s AND %1$I.written = ref.mark(d.%4$I::text)',
                a.role || a.ordinal, a.role, a.ordinal, a.column_name);
        END IF;
        IF a.role = 'quasi_identifier' THEN
            leaves := leaves || ', ' || leaf;
        ELSE
            own := own || format(', dense_rank() OVER (ORDER BY %s, %s NULLS LAST)', leaf,
                ref.ordered(format('d.%I', a.column_name), ref.column_type(d.relation, a.column_name)));
            own_leaves := own_leaves || ', ' || leaf;
        END IF;
    END LOOP;
    EXECUTE format('INSERT INTO pg_temp.shown_row SELECT d.nr, to_jsonb(d), ARRAY[%s]::int[], ARRAY[%s]::int[], ARRAY[%s]::int[]
            FROM %s d%s',
        substr(leaves, 3), substr(own, 3), substr(own_leaves, 3), d.relation, joins);
END $$;

-- How far a class's values are from all, times 2 n N, times what the distance divides by.  No groups:
-- what is hidden is the class.
CREATE FUNCTION pg_temp.keeps_t(class_groups int[], which int, how text, most numeric) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    n numeric := (SELECT count(*) FROM pg_temp.shown_row WHERE coalesce(groups = class_groups, NOT keeps));
    all_n numeric := (SELECT count(*) FROM pg_temp.shown_row);
    m numeric := (SELECT count(DISTINCT own[which]) FROM pg_temp.shown_row);
    height int := (SELECT max(level) FROM ref.label WHERE role = 'sensitive' AND ordinal = which);
    distance numeric;
BEGIN
    IF how = 'hierarchical' THEN
        SELECT sum(abs(x)) INTO distance FROM (
            SELECT sum(coalesce(groups = class_groups, NOT keeps)::int) * all_n - count(*) * n AS x
            FROM pg_temp.shown_row JOIN ref.label l ON l.role = 'sensitive' AND l.ordinal = which AND l.leaf_no = own_leaves[which]
            WHERE l.level < height GROUP BY l.level, l.label_no) e;
        RETURN distance <= most * 2 * height * n * all_n;
    END IF;
    CREATE TEMP TABLE difference AS
        SELECT own[which] AS value, sum(coalesce(groups = class_groups, NOT keeps)::int) * all_n - count(*) * n AS x
        FROM pg_temp.shown_row GROUP BY 1;
    IF how = 'equal' THEN
        distance := (SELECT sum(abs(x)) FROM pg_temp.difference);
        DROP TABLE pg_temp.difference;
        RETURN distance <= most * 2 * n * all_n;
    END IF;
    distance := (SELECT sum(abs(heap)) FROM (SELECT sum(x) OVER (ORDER BY value) AS heap FROM pg_temp.difference) e);
    DROP TABLE pg_temp.difference;
    RETURN m = 1 OR distance <= most * (m - 1) * n * all_n;
END $$;

-- Assigns every row to its class of sample.recoding, by the labels shown. Rows without a class form one.
CREATE FUNCTION pg_temp.recode_rows(how text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TEMP TABLE member AS
        SELECT DISTINCT (SELECT array_agg(s.leaf_no ORDER BY s.ordinal)
                FROM ref.seen s, unnest(ARRAY[%s]::text[]) WITH ORDINALITY v (written, ordinal)
                WHERE s.role = ''quasi_identifier'' AND s.ordinal = v.ordinal AND s.written = v.written) AS leaves, class FROM sample.recoding f',
        (SELECT string_agg(format('ref.mark(f.%I::text)', column_name), ', ' ORDER BY ordinal) FROM ref.attribute WHERE role = 'quasi_identifier'));
    CREATE TEMP TABLE look AS
        WITH bounds AS (
            SELECT m.class, a.ordinal, a.column_name, a.min_level, min(m.leaves[a.ordinal]) AS low, max(m.leaves[a.ordinal]) AS high
            FROM member m, ref.attribute a WHERE a.role = 'quasi_identifier' AND m.class IS NOT NULL GROUP BY 1, 2, 3, 4)
        SELECT class, array_agg(group_no ORDER BY ordinal) AS groups, jsonb_object_agg(column_name, label) AS labels
        FROM (SELECT b.*, s.label, dense_rank() OVER (PARTITION BY b.ordinal ORDER BY
                CASE how WHEN 'hierarchy' THEN ref.mark(s.label) ELSE format('%s to %s', s.first, s.last) END)::int AS group_no
            FROM bounds b, LATERAL (
                SELECT x.label_no AS first, y.label_no + y.leaves AS last, x.label
                FROM ref.label x JOIN ref.label y USING (dataset, role, ordinal, level)
                WHERE x.role = 'quasi_identifier' AND x.ordinal = b.ordinal AND x.leaf_no = b.low AND y.leaf_no = b.high
                  AND x.level >= b.min_level AND (x.label_no = y.label_no OR how = 'range')
                ORDER BY x.level LIMIT 1) s) l
        GROUP BY class;
    UPDATE pg_temp.shown_row s SET (groups, labels) = (
        SELECT coalesce(l.groups, '{-1}'), l.labels FROM member m LEFT JOIN look l USING (class) WHERE m.leaves = s.leaves);
    DROP TABLE member, look;
END $$;

-- Assigns every row to its class, and computes whether that keeps the promise. Returns the k
-- promised, or NULL if none can be.
CREATE FUNCTION pg_temp.judge(levels int[], cuts varbit[], INOUT k bigint, l int, t numeric, recoded text DEFAULT NULL)
LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
    set_name text := (SELECT dataset FROM ref.dataset);
    n bigint := (SELECT count(*) FROM pg_temp.shown_row);
    may bigint := (SELECT floor(max_suppression::numeric * n) FROM ref.dataset);
    own_k bigint;
BEGIN
    IF recoded IS NOT NULL THEN
        PERFORM pg_temp.recode_rows(recoded);
    ELSIF cuts IS NULL THEN
        UPDATE pg_temp.shown_row s SET (groups, labels) = (
            SELECT array_agg(b.label_no ORDER BY b.ordinal), jsonb_object_agg(a.column_name, b.label)
            FROM ref.label b JOIN ref.attribute a USING (role, ordinal)
            WHERE b.role = 'quasi_identifier' AND b.level = levels[b.ordinal] AND b.leaf_no = s.leaves[b.ordinal]);
        own_k := (SELECT min(e.k) FROM ref.evaluate(set_name, levels) e);
    ELSE
        CREATE TEMP TABLE recoding AS SELECT * FROM ref.recode_cuts(set_name, cuts);
        UPDATE pg_temp.shown_row s SET groups = (
            SELECT array_agg(c.group_no ORDER BY c.ordinal) FROM pg_temp.recoding c WHERE c.leaf_no = s.leaves[c.ordinal]);
        DROP TABLE pg_temp.recoding;
        own_k := (SELECT min(e.k) FROM ref.evaluate_cuts(set_name, cuts) e);
    END IF;
    UPDATE pg_temp.shown_row s SET keeps = c.keeps FROM (
        SELECT g.groups, g.groups <> '{-1}' AND (k IS NULL OR people >= k)
            AND coalesce((SELECT bool_and(CASE WHEN l IS NULL THEN true ELSE
                    (SELECT count(DISTINCT r.own[a.ordinal]) FROM pg_temp.shown_row r WHERE r.groups = g.groups) >= l END
                AND CASE WHEN t IS NULL THEN true ELSE pg_temp.keeps_t(g.groups, a.ordinal, a.distance, t) END)
                FROM ref.attribute a WHERE a.role = 'sensitive'), true) AS keeps
        FROM (SELECT r.groups, count(*) AS people FROM pg_temp.shown_row r GROUP BY 1) g) c
    WHERE c.groups = s.groups;
    IF k IS NULL AND l IS NULL AND t IS NULL THEN
        k := own_k;
        UPDATE pg_temp.shown_row s SET keeps = (SELECT count(*) FROM pg_temp.shown_row r WHERE r.groups = s.groups) >= k;
    ELSIF k IS NULL THEN
        k := (SELECT min(people) FROM (SELECT count(*) AS people FROM pg_temp.shown_row s WHERE s.keeps GROUP BY s.groups) x);
        k := CASE WHEN k >= 2 THEN k END;
    ELSE
        own_k := NULL;
    END IF;
    IF own_k < 2 THEN
        k := NULL;
    END IF;
    IF (SELECT count(*) FILTER (WHERE NOT keeps) > may OR count(*) FILTER (WHERE keeps) = 0 FROM pg_temp.shown_row) THEN
        k := NULL;
    END IF;
END $$;

-- The columns that are shown, in the relation's order.
CREATE FUNCTION pg_temp.shown_columns(named name[]) RETURNS name[]
LANGUAGE sql AS $$
    SELECT array_agg(c ORDER BY i)
    FROM ref.dataset d, unnest(ref.columns(d.relation)) WITH ORDINALITY u (c, i)
    WHERE c = ANY (named)
       OR EXISTS (SELECT FROM ref.attribute a WHERE a.column_name = c AND a.role IN ('quasi_identifier', 'sensitive', 'class_label'))
$$;

-- The rows to be shown. For a cut they have no labels, because they are compared by group.
CREATE FUNCTION pg_temp.expected(named name[], star boolean, k bigint, l int, t numeric) RETURNS SETOF jsonb
LANGUAGE sql AS $$
    WITH pool AS MATERIALIZED (
        SELECT count(*) >= k AND coalesce((SELECT bool_and((SELECT count(DISTINCT own[a.ordinal]) FROM pg_temp.shown_row WHERE NOT keeps) >= l)
                FROM ref.attribute a WHERE a.role = 'sensitive' AND l IS NOT NULL), true)
            AND coalesce((SELECT bool_and(pg_temp.keeps_t(NULL, a.ordinal, a.distance, t))
                FROM ref.attribute a WHERE a.role = 'sensitive' AND t IS NOT NULL), true) AS keeps
        FROM pg_temp.shown_row WHERE NOT keeps)
    SELECT (SELECT jsonb_object_agg(c, raw -> c::text) FROM unnest(pg_temp.shown_columns(named)) c)
        || CASE WHEN s.keeps THEN coalesce(labels, '{}')
           ELSE (SELECT jsonb_object_agg(column_name, '*') FROM ref.attribute WHERE role = 'quasi_identifier') END
        || CASE WHEN star THEN jsonb_build_object('anonopt_suppressed', NOT s.keeps) ELSE '{}' END
    FROM pg_temp.shown_row s, pool p
    WHERE s.keeps OR (star AND p.keeps)
$$;

-- What is wrong with a relation that should show the rows; NULL if nothing.
CREATE FUNCTION pg_temp.fault(release text, by_cuts boolean, named name[], star boolean, k bigint, l int, t numeric) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    want_columns name[] := pg_temp.shown_columns(named) || CASE WHEN star THEN '{anonopt_suppressed}'::name[] ELSE '{}' END;
    fault text;
BEGIN
    IF ref.columns(release::regclass) <> want_columns THEN
        RETURN format('columns %s, want %s', ref.columns(release::regclass), want_columns);
    END IF;
    SELECT string_agg(format('%s %s %s', a.attname, a.atttypid::regtype, a.attcollation::regcollation), ', ') INTO fault
    FROM pg_attribute a JOIN ref.attribute q ON q.column_name = a.attname AND q.role = 'quasi_identifier'
    WHERE a.attrelid = release::regclass AND (a.atttypid <> 'text'::regtype OR a.attcollation <> '"C"'::regcollation);
    IF fault IS NOT NULL THEN
        RETURN fault;
    END IF;
    IF by_cuts THEN
        -- labels are only checked for distinguishing groups
        EXECUTE format('SELECT string_agg(format(''column %%s: %%s labels, %%s groups, %%s pairs'', x.column_name, x.labels, x.groups, x.pairs), ''; '') FROM (
            SELECT a.column_name, count(DISTINCT ref.mark(to_jsonb(v) ->> a.column_name)) AS labels, count(DISTINCT s.groups[a.ordinal]) AS groups,
                count(DISTINCT (ref.mark(to_jsonb(v) ->> a.column_name), s.groups[a.ordinal])) AS pairs
            FROM %s v JOIN pg_temp.shown_row s USING (nr) CROSS JOIN ref.attribute a
            WHERE a.role = ''quasi_identifier'' %s GROUP BY a.column_name) x
            WHERE x.labels <> x.groups OR x.labels <> x.pairs', release, CASE WHEN star THEN 'AND NOT v.anonopt_suppressed' ELSE '' END) INTO fault;
        IF fault IS NOT NULL THEN
            RETURN fault;
        END IF;
        UPDATE pg_temp.shown_row SET labels = NULL;
    END IF;
    EXECUTE format('WITH got AS (SELECT to_jsonb(v) - CASE WHEN %L AND NOT coalesce((to_jsonb(v) ->> ''anonopt_suppressed'')::boolean, false)
                THEN %L::text[] ELSE ''{}'' END AS shown FROM %s v),
            want AS (SELECT e - CASE WHEN %1$L AND NOT coalesce((e ->> ''anonopt_suppressed'')::boolean, false)
                THEN %2$L::text[] ELSE ''{}'' END AS shown FROM pg_temp.expected(%4$L, %5$L, %6$L, %7$L, %8$L) e),
            wrong AS (SELECT ''shown'' AS what, x.* FROM (TABLE got EXCEPT ALL TABLE want) x
                UNION ALL SELECT ''missing'', x.* FROM (TABLE want EXCEPT ALL TABLE got) x)
        SELECT string_agg(what || '' '' || shown, E''\n'') FROM (SELECT * FROM wrong LIMIT 3) x', by_cuts,
        ARRAY(SELECT column_name FROM ref.attribute WHERE role = 'quasi_identifier'), release, named, star, k, l, t) INTO fault;
    RETURN fault;
END $$;

-- What is wrong with the result of verify.
CREATE FUNCTION pg_temp.verify_fault(release regclass, star boolean, k bigint, l int, t numeric) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    want record;
    got record;
    least_l bigint;
    -- values that are shown generalized cannot be counted there
    qi_is_sensitive boolean := EXISTS (SELECT FROM ref.attribute a JOIN ref.attribute b USING (column_name)
        WHERE a.role = 'sensitive' AND b.role = 'quasi_identifier');
BEGIN
    -- the pool is shown if it keeps the promise, and is then one more class
    IF NOT star OR NOT EXISTS (SELECT FROM pg_temp.expected('{}', true, k, l, t) e WHERE (e ->> 'anonopt_suppressed')::boolean) THEN
        DELETE FROM pg_temp.shown_row WHERE NOT keeps;
    END IF;
    SELECT min(n) AS k, coalesce(sum(n), 0)::bigint AS rows INTO want
    FROM (SELECT count(*) AS n FROM pg_temp.shown_row s GROUP BY s.keeps, CASE WHEN s.keeps THEN s.groups END) x;
    SELECT min((SELECT count(DISTINCT r.own[a.ordinal]) FROM pg_temp.shown_row r
                WHERE r.keeps = s.keeps AND (NOT s.keeps OR r.groups = s.groups)))
    INTO least_l FROM pg_temp.shown_row s, ref.attribute a
    WHERE a.role = 'sensitive' AND NOT qi_is_sensitive;
    SELECT * INTO got FROM anonopt.verify(release);
    IF (got.promised_k, got.k, got.rows, got.promised_l) IS DISTINCT FROM (k, want.k, want.rows, l::bigint) OR NOT got.ok
        OR (NOT qi_is_sensitive AND got.l IS DISTINCT FROM least_l) THEN
        RETURN format('verify: %s, want %s and l %s', got, want, least_l);
    END IF;
    RETURN NULL;
END $$;

-- What is wrong with a release beside the statement that is said to show it: its rows, or that the rows
-- of a class do not stand together.
CREATE FUNCTION pg_temp.statement_fault(release text, statement text, star boolean, ordered boolean) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    class text := (SELECT string_agg(format('%I', column_name), ', ') FROM ref.attribute WHERE role = 'quasi_identifier')
        || CASE WHEN star THEN ', anonopt_suppressed' ELSE '' END;
    fault text;
BEGIN
    EXECUTE format('WITH got AS (SELECT to_jsonb(v) AS shown FROM %s v), want AS (SELECT to_jsonb(v) AS shown FROM (%s) v),
            wrong AS (SELECT ''only there'' AS what, x.* FROM (TABLE got EXCEPT ALL TABLE want) x
                UNION ALL SELECT ''only by the statement'', x.* FROM (TABLE want EXCEPT ALL TABLE got) x)
        SELECT string_agg(what || '' '' || shown, E''\n'') FROM (SELECT * FROM wrong LIMIT 3) x', release, statement) INTO fault;
    IF fault IS NULL AND ordered THEN
        EXECUTE format('SELECT format(''%%s runs of %%s classes'', runs, classes) FROM (
                SELECT count(DISTINCT class) AS classes, count(*) FILTER (WHERE class IS DISTINCT FROM before) AS runs
                FROM (SELECT class, lag(class) OVER (ORDER BY ctid) AS before FROM (SELECT ctid, ROW(%s)::text AS class FROM %s) v) v) v
            WHERE runs <> classes', class, release) INTO fault;
    END IF;
    RETURN fault;
END $$;

-- A recoding of any classes where ranges show them, else one that is found.
CREATE FUNCTION pg_temp.make_recoding(how text, d ref.dataset) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    names text := (SELECT string_agg(format('%I', column_name), ', ' ORDER BY ordinal) FROM ref.attribute WHERE role = 'quasi_identifier');
    leaves text := (SELECT string_agg(format('(SELECT s.leaf_no FROM ref.seen s WHERE s.role = ''quasi_identifier'' AND s.ordinal = %s AND s.written = ref.mark(r.%I::text))',
        ordinal, column_name), ', ' ORDER BY ordinal) FROM ref.attribute WHERE role = 'quasi_identifier');
BEGIN
    DROP TABLE IF EXISTS sample.recoding;
    IF how = 'hierarchy' AND EXISTS (SELECT FROM pg_temp.shown_row) THEN
        BEGIN
            PERFORM anonopt.create_recoding('sample.recoding', d.dataset, k => 1 + sample.below(4), seed => sample.below(1000));
        EXCEPTION WHEN invalid_parameter_value THEN
            -- no label covers everybody
            PERFORM anonopt.create_recoding('sample.recoding', d.dataset, k => 1);
        END;
    ELSE
        EXECUTE format('CREATE TABLE sample.recoding AS SELECT %1$s, nullif(class, 0)::bigint AS class FROM (
            SELECT DISTINCT ON (%2$s) %3$s AS tuple, sample.below(8) AS class FROM %4$s r) c JOIN (SELECT DISTINCT %1$s, %3$s AS tuple FROM %4$s r) t USING (tuple)',
            names, leaves, format('ARRAY[%s]', leaves), d.relation);
    END IF;
END $$;

-- One release of the data set at hand, by any of the functions; what is wrong with it.
CREATE FUNCTION pg_temp.try(form text, how text, star boolean, OUT call text, OUT fault text)
LANGUAGE plpgsql AS $$
DECLARE
    d ref.dataset := (SELECT x FROM ref.dataset x);
    sensitive boolean := EXISTS (SELECT FROM ref.attribute WHERE role = 'sensitive');
    levels int[] := (SELECT array_agg(a.min_level + sample.below(ref.levels_of(a.hierarchy) - a.min_level + 1) ORDER BY a.ordinal)
        FROM ref.attribute a WHERE a.role = 'quasi_identifier');
    cuts varbit[];
    recoded text := CASE WHEN how = 'recoding' THEN sample.pick('{hierarchy,range}'::text[]) END;
    -- labels are compared by whether they tell groups apart
    by_cuts boolean := how = 'cut' OR coalesce(recoded = 'range', false);
    k bigint := CASE WHEN recoded IS NOT NULL OR sample.chance(0.8) THEN 1 + sample.below(4) END;
    l int := CASE WHEN sensitive AND sample.chance(0.4) THEN 1 + sample.below(3) END;
    t numeric := CASE WHEN sensitive AND sample.chance(0.5) THEN round(random()::numeric, 2) END;
    named name[] := CASE WHEN by_cuts OR sample.chance(0.5) THEN '{nr}'::name[] END;
    -- a statement keeps promises of k and l
    plain boolean := t IS NULL;
    promised bigint;
    statement text;
BEGIN
    IF how = 'cut' THEN
        cuts := ARRAY(SELECT (SELECT coalesce(string_agg(sample.below(2)::text, ''), '')
                FROM generate_series(2, (SELECT count(DISTINCT b.label_no) FROM ref.label b
                    WHERE b.role = 'quasi_identifier' AND b.ordinal = a.ordinal AND b.level = a.min_level)))::varbit
            FROM ref.attribute a WHERE a.role = 'quasi_identifier' ORDER BY a.ordinal);
    END IF;
    call := format('%s(%L, %L, %s, k => %L, l => %L, t => %L, columns => %L, suppressed => %L%s)',
        CASE form WHEN 'table' THEN 'publish_table' WHEN 'statement' THEN 'view_sql' ELSE 'create_view' END, 'sample.release', d.dataset,
        CASE how WHEN 'cut' THEN format('cuts => %L', cuts) WHEN 'node' THEN format('%L', levels)
            ELSE format('recoding => ''sample.recoding'', labels => %L', recoded) END, k, l, t, named,
        CASE WHEN star THEN 'star' ELSE 'omit' END, CASE form WHEN 'live view' THEN ', materialized => false' ELSE '' END);
    IF recoded IS NOT NULL THEN
        levels := NULL;
        PERFORM pg_temp.make_recoding(recoded, d);
    END IF;
    promised := (pg_temp.judge(levels, cuts, k, l, t, recoded));
    BEGIN
        EXECUTE 'SELECT anonopt.' || call INTO statement;
        IF form = 'statement' THEN
            PERFORM set_config('search_path', 'hostile, public, pg_catalog', true);
            EXECUTE 'CREATE TABLE sample.release AS ' || statement;
            PERFORM set_config('search_path', 'public', true);
        END IF;
    EXCEPTION WHEN OTHERS THEN
        fault := CASE WHEN form = 'statement' AND NOT plain AND promised IS NOT NULL THEN nullif(SQLSTATE, '0A000')
            WHEN promised IS NOT NULL OR SQLSTATE <> '22023' THEN format('%s: %s', SQLSTATE, SQLERRM) END;
        PERFORM set_config('search_path', 'public', true);
        RETURN;
    END;
    fault := CASE WHEN promised IS NULL OR (form = 'statement' AND NOT plain) THEN 'no error' END;
    IF fault IS NULL AND form <> 'statement' AND plain THEN
        fault := pg_temp.statement_fault('sample.release', anonopt.view_sql('x', d.dataset, CASE WHEN how = 'node' THEN levels END, cuts, k::int, l, named,
            suppressed => CASE WHEN star THEN 'star' ELSE 'omit' END, t => t,
            recoding => CASE WHEN recoded IS NOT NULL THEN to_regclass('sample.recoding') END, labels => coalesce(recoded, 'hierarchy')), star, form <> 'live view');
    END IF;
    fault := coalesce(fault, pg_temp.fault('sample.release', by_cuts, named, star, promised, l, t));
    IF form <> 'statement' AND fault IS NULL THEN
        BEGIN
            fault := pg_temp.verify_fault('sample.release', star, promised, l, t);
            RAISE SQLSTATE 'ROLLB';
        EXCEPTION
            WHEN SQLSTATE 'ROLLB' THEN
                NULL;
            WHEN OTHERS THEN
                fault := format('verify: %s: %s', SQLSTATE, SQLERRM);
        END;
    END IF;
    IF form = 'statement' THEN
        DROP TABLE sample.release;
    ELSE
        PERFORM anonopt.drop_release('sample.release');
    END IF;
END $$;

-- Nine releases of one random data set; what is wrong, all rolled back.
CREATE FUNCTION pg_temp.faults(seed int, OUT parameters text, OUT faults text[])
LANGUAGE plpgsql AS $$
DECLARE
    kind "char";
    tried record;
BEGIN
    faults := array_fill(NULL::text, ARRAY[9]);
    parameters := sample.data_set(seed);
    UPDATE ref.dataset SET count_column = NULL, max_suppression = CASE WHEN seed % 3 = 0 THEN max_suppression ELSE 1 END;
    DELETE FROM ref.attribute WHERE column_name = 'nr';
    INSERT INTO ref.attribute SELECT dataset, 'insensitive', 1, 'nr' FROM ref.dataset;
    PERFORM pg_temp.add_keys();
    PERFORM ref.read(dataset), ref.declare(dataset) FROM ref.dataset;
    PERFORM pg_temp.read_rows();
    SELECT c.relkind INTO kind FROM ref.dataset d JOIN pg_class c ON c.oid = d.relation;
    FOR i IN 1..9 LOOP
        SELECT * INTO tried FROM pg_temp.try(
            CASE WHEN i % 3 = 1 THEN 'statement' WHEN sample.chance(0.4) THEN 'table'
                 WHEN kind = 'r' AND sample.chance(0.5) THEN 'live view' ELSE 'view' END,
            (ARRAY['node', 'cut', 'recoding'])[(i + 2) / 3], i % 3 = 0 OR (i % 3 = 1 AND sample.chance(0.3)));
        IF tried.fault IS NOT NULL THEN
            faults[i] := format(E'\n%s\n%s', tried.call, tried.fault);
        END IF;
    END LOOP;
    RAISE SQLSTATE 'ROLLB';
EXCEPTION
    WHEN SQLSTATE 'ROLLB' THEN
        NULL;
    WHEN OTHERS THEN
        faults := array_fill(format(E'\n%s: %s', SQLSTATE, SQLERRM), ARRAY[9]);
END $$;

CREATE FUNCTION pg_temp.check_set(seed int) RETURNS SETOF text
LANGUAGE sql AS $$
    SELECT v FROM pg_temp.faults(seed) d, sample.verdicts(seed, d.parameters, d.faults, ARRAY[
        'a node''s statement, names of others before the system''s', 'a node', 'a node with stars',
        'a cut''s statement', 'a cut', 'a cut with stars',
        'a recoding''s statement', 'a recoding', 'a recoding with stars']) v
$$;

-- Two or three releases of one data set, one of them made anew in between:
-- every row's class in each, or that it is not there.
CREATE FUNCTION pg_temp.risk_fault(seed int) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    set_name text;
    parameters text;
    levels int[];
    cuts varbit[];
    want text[] := '{}';
    got text[];
    promised bigint;
    least_k bigint;
    smallest bigint;
    made int := 0;
BEGIN
    parameters := sample.data_set(seed);
    UPDATE ref.dataset SET count_column = NULL, max_suppression = 1 RETURNING dataset INTO set_name;
    DELETE FROM ref.attribute WHERE column_name = 'nr';
    PERFORM pg_temp.add_keys();
    PERFORM ref.read(dataset), ref.declare(dataset) FROM ref.dataset;
    PERFORM pg_temp.read_rows();
    CREATE TEMP TABLE known AS SELECT nr, '{}'::text[] AS labels FROM pg_temp.shown_row;
    FOR i IN 1 .. 2 + sample.below(2) LOOP
        cuts := NULL;
        levels := (SELECT array_agg(a.min_level + sample.below(ref.levels_of(a.hierarchy) - a.min_level + 1) ORDER BY a.ordinal)
            FROM ref.attribute a WHERE a.role = 'quasi_identifier');
        IF sample.chance(0.3) THEN
            cuts := ref.cuts_of(set_name, levels);
            levels := NULL;
        END IF;
        promised := (pg_temp.judge(levels, cuts, (1 + sample.below(3))::bigint, NULL, NULL));
        CONTINUE WHEN promised IS NULL;
        made := made + 1;
        IF sample.chance(0.5) THEN
            PERFORM anonopt.publish_table('sample.release' || made, set_name, levels, cuts, promised::int);
        ELSE
            PERFORM anonopt.create_view('sample.release' || made, set_name, levels, cuts, promised::int);
        END IF;
        IF sample.chance(0.3) THEN
            PERFORM anonopt.refresh_release(format('sample.release%s', made));
        END IF;
        UPDATE pg_temp.known n SET labels = n.labels || CASE WHEN s.keeps THEN s.groups::text ELSE 'suppressed' END
        FROM pg_temp.shown_row s WHERE s.nr = n.nr;
        least_k := least(least_k, promised);
        SELECT min(people) INTO smallest FROM (
            SELECT count(*) AS people FROM pg_temp.known n WHERE 'suppressed' <> ANY (n.labels) GROUP BY n.labels) x;
        want := want || format('%s releases: k %s, smallest %s', made, least_k, smallest);
    END LOOP;
    got := ARRAY(SELECT format('%s releases: k %s, smallest %s', cardinality(r.releases), r.k, r.smallest)
        FROM anonopt.release_risk(set_name) r ORDER BY cardinality(r.releases));
    IF got <> want THEN
        RAISE SQLSTATE 'ROLLB' USING MESSAGE = format(E'got %s,\nwant %s\nof %s', got, want, parameters);
    END IF;
    RAISE SQLSTATE 'ROLLB' USING MESSAGE = '';
EXCEPTION
    WHEN SQLSTATE 'ROLLB' THEN
        RETURN nullif(SQLERRM, '');
    WHEN OTHERS THEN
        RETURN format(E'%s: %s\nof %s', SQLSTATE, SQLERRM, parameters);
END $$;

-- A value that comes later and has no leaf takes its row away, and nothing else.
CREATE FUNCTION pg_temp.without_leaf(data_type text, leaf_type text, leaves text[], value text, form text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    rows bigint;
BEGIN
    EXECUTE format('CREATE TABLE sample.visitor (mark %s, other text)', data_type);
    EXECUTE format('CREATE TABLE sample.visitor_levels (value %s, anything text%s)', leaf_type,
        CASE WHEN leaf_type LIKE '%range' THEN ', EXCLUDE USING gist (value WITH &&)' ELSE ', PRIMARY KEY (value)' END);
    EXECUTE format('INSERT INTO sample.visitor_levels SELECT x::%s, ''*'' FROM unnest(%L::text[]) x', leaf_type, leaves);
    EXECUTE format('INSERT INTO sample.visitor SELECT %L::%s, i::text FROM generate_series(1, 4) i',
        CASE WHEN leaf_type IN ('int4range', 'numrange') THEN '2' WHEN leaf_type LIKE '%range' THEN '2024-01-02' ELSE leaves[1] END, data_type);
    PERFORM anonopt.create_dataset('visitors', 'sample.visitor', 1), anonopt.add_quasi_identifier('visitors', 'mark', 'sample.visitor_levels');
    IF form = 'live' THEN
        PERFORM anonopt.create_view('sample.visits', 'visitors', '{1}', k => 3, materialized => false);
    ELSE
        EXECUTE 'CREATE VIEW sample.visits AS ' || anonopt.view_sql('x', 'visitors', '{1}', k => 3, suppressed => form);
    END IF;
    EXECUTE format('INSERT INTO sample.visitor VALUES (%L, ''without'')', value);
    SELECT count(*) INTO rows FROM sample.visits;
    RAISE SQLSTATE 'ROLLB' USING MESSAGE = rows;
EXCEPTION
    WHEN SQLSTATE 'ROLLB' THEN
        RETURN SQLERRM;
    WHEN OTHERS THEN
        RETURN format('%s: %s', SQLSTATE, SQLERRM);
END $$;

-- How many newcomers a refreshed release reveals, and the result of release_risk
-- for it.
CREATE FUNCTION pg_temp.newcomer() RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    smallest bigint;
BEGIN
    CREATE TABLE sample.patient AS SELECT 20 + i % 4 AS age, 'flu'::text AS illness FROM generate_series(1, 40) i;
    PERFORM anonopt.create_interval_hierarchy('sample.patient_age', 20, 29, '{5}');
    PERFORM anonopt.create_dataset('patients', 'sample.patient'), anonopt.add_quasi_identifier('patients', 'age', 'sample.patient_age'),
        anonopt.add_sensitive('patients', 'illness');
    PERFORM anonopt.publish_table('sample.patients_shown', 'patients', '{1}', k => 5);
    INSERT INTO sample.patient VALUES (21, 'secret');
    PERFORM anonopt.refresh_release('sample.patients_shown');
    SELECT r.smallest INTO smallest FROM anonopt.release_risk('patients') r;
    RAISE SQLSTATE 'ROLLB' USING MESSAGE = smallest;
EXCEPTION
    WHEN SQLSTATE 'ROLLB' THEN
        RETURN SQLERRM;
END $$;

-- What a release of a small data set is, beside its statement or, with t, in another form; NULL if nothing is wrong.  The data set's only
-- quasi-identifier is v of type text, its hierarchy the leaves and nothing above.
CREATE FUNCTION pg_temp.small_fault(rows text, leaves text[], metric text, levels int[], cuts varbit[], k int, t float8, star boolean) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    how text := CASE WHEN star THEN 'star' ELSE 'omit' END;
    form text;
    fault text;
BEGIN
    CREATE TABLE sample.small (v text, s text);
    EXECUTE 'INSERT INTO sample.small ' || rows;
    CREATE TABLE sample.small_leaf (v text UNIQUE);
    INSERT INTO sample.small_leaf SELECT unnest(leaves);
    CREATE TABLE sample.small_value (v text UNIQUE, above text);
    INSERT INTO sample.small_value SELECT DISTINCT s, '*' FROM sample.small;
    INSERT INTO ref.attribute (dataset, role, ordinal, column_name) VALUES ('small', 'quasi_identifier', 1, 'v');
    PERFORM anonopt.create_dataset('small', 'sample.small', 1), anonopt.add_quasi_identifier('small', 'v', 'sample.small_leaf'),
        anonopt.add_sensitive('small', 's', metric, CASE WHEN metric = 'hierarchical' THEN 'sample.small_value'::regclass END);
    FOREACH form IN ARRAY '{table,view,live view}'::text[] LOOP
        IF form = 'table' THEN
            PERFORM anonopt.publish_table('sample.small_shown', 'small', levels, cuts, k, t => t, suppressed => how);
        ELSE
            PERFORM anonopt.create_view('sample.small_shown', 'small', levels, cuts, k, t => t, suppressed => how, materialized => form = 'view');
        END IF;
        IF form = 'table' THEN
            CREATE TABLE sample.small_first AS TABLE sample.small_shown;
        END IF;
        fault := coalesce(fault, format('%s: %s', form, pg_temp.statement_fault('sample.small_shown', CASE WHEN t IS NULL
            THEN anonopt.view_sql('x', 'small', levels, cuts, k, suppressed => how) ELSE 'TABLE sample.small_first' END, star, form <> 'live view')));
        fault := nullif(fault, form || ': ');
        PERFORM anonopt.drop_release('sample.small_shown');
    END LOOP;
    RAISE SQLSTATE 'ROLLB' USING MESSAGE = coalesce(fault, '');
EXCEPTION
    WHEN SQLSTATE 'ROLLB' THEN
        RETURN nullif(SQLERRM, '');
    WHEN OTHERS THEN
        RETURN format('%s: %s', SQLSTATE, SQLERRM);
END $$;

-- Classes of two with the values 1 and 2, and two of one with a value that nobody else has: together these
-- are further than 0.6 from all, however many classes there are.
CREATE FUNCTION pg_temp.rare_rows(classes int) RETURNS text
LANGUAGE sql AS $$
    SELECT format('SELECT i, CASE WHEN i <= 2 THEN ''rare'' ELSE j::text END FROM generate_series(1, %s) i,
        generate_series(1, CASE WHEN i <= 2 THEN 1 ELSE 2 END) j', classes)
$$;

-- How the order of a class's rows relates to the order in which they were
-- inserted.
CREATE FUNCTION pg_temp.correlation() RETURNS float8
LANGUAGE plpgsql AS $$
DECLARE
    found float8;
BEGIN
    CREATE TABLE sample.queue AS SELECT i AS nr, 1 AS v FROM generate_series(1, 2000) i;
    CREATE TABLE sample.queue_leaf (v int PRIMARY KEY);
    INSERT INTO sample.queue_leaf VALUES (1);
    PERFORM anonopt.create_dataset('queue', 'sample.queue'), anonopt.add_quasi_identifier('queue', 'v', 'sample.queue_leaf'),
        anonopt.set_insensitive('queue', 'nr');
    PERFORM anonopt.publish_table('sample.queue_shown', 'queue', '{0}', columns => '{nr}');
    SELECT corr(nr, place) INTO found FROM (SELECT nr, row_number() OVER (ORDER BY ctid) AS place FROM sample.queue_shown) x;
    RAISE SQLSTATE 'ROLLB' USING MESSAGE = found;
EXCEPTION
    WHEN SQLSTATE 'ROLLB' THEN
        RETURN SQLERRM::float8;
END $$;

-- What a cut of 3000 values into groups of two shows, and how long release_risk of 400 releases may be.
CREATE FUNCTION pg_temp.many(what text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    found text;
BEGIN
    CREATE TABLE sample.crowd AS SELECT i % 3000 + 1 AS v FROM generate_series(1, 9000) i;
    PERFORM anonopt.create_interval_hierarchy('sample.crowd_v', 1, 3000, '{}');
    PERFORM anonopt.create_dataset('crowd', 'sample.crowd', 1), anonopt.add_quasi_identifier('crowd', 'v', 'sample.crowd_v');
    IF what = 'groups' THEN
        PERFORM anonopt.publish_table('sample.crowd_shown', 'crowd', cuts => ARRAY[repeat('01', 1499) || '0']::varbit[], k => 2);
        SELECT format('%s of %s, %s', count(*), min(n), max(n)) INTO found FROM (SELECT count(*) AS n FROM sample.crowd_shown GROUP BY v) g;
    ELSE
        PERFORM anonopt.publish_table('sample.crowd_shown', 'crowd', '{0}', k => 2);
        INSERT INTO anonopt.published SELECT (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid(), 'relation', i, 'made_in', 'x'))).*
        FROM anonopt.published p, generate_series(1, 399) i WHERE p.dataset = 'crowd';
        INSERT INTO anonopt.published_promise (id, ordinal, model, threshold) SELECT n.id, 0, 'k', 2 FROM anonopt.published n WHERE n.made_in = 'x';
        INSERT INTO anonopt.published_content SELECT n.id, 0, 0, c.made_at, c.compared, c.labels, c.nlabels, c.rows, c.tuples, c.difference
        FROM anonopt.published_content c JOIN anonopt.published p USING (id), anonopt.published n
        WHERE p.dataset = 'crowd' AND n.dataset = 'crowd' AND n.made_in = 'x' AND p.made_in <> 'x';
        INSERT INTO anonopt.published_source SELECT n.id, s.relation, s.relation_name, s.is_read, s.is_view, s.made_in
        FROM anonopt.published_source s JOIN anonopt.published p USING (id), anonopt.published n WHERE p.dataset = 'crowd' AND n.made_in = 'x' AND p.made_in <> 'x';
        SELECT format('%s of %s to %s', count(*), min(smallest), max(smallest)) INTO found FROM anonopt.release_risk('crowd');
    END IF;
    RAISE SQLSTATE 'ROLLB' USING MESSAGE = found;
EXCEPTION
    WHEN SQLSTATE 'ROLLB' THEN
        RETURN SQLERRM;
    WHEN OTHERS THEN
        RETURN format('%s: %s', SQLSTATE, SQLERRM);
END $$;

-- Views of such names, live or cut, one after another; NULL if all are there and none is left behind.
CREATE FUNCTION pg_temp.names_fault(names text[], live boolean) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    found text;
    name text;
BEGIN
    CREATE TABLE sample.few AS SELECT 1 + i % 2 AS v FROM generate_series(1, 20) i;
    PERFORM anonopt.create_interval_hierarchy('sample.few_v', 1, 2, '{}');
    PERFORM anonopt.create_dataset('few', 'sample.few'), anonopt.add_quasi_identifier('few', 'v', 'sample.few_v');
    FOREACH name IN ARRAY names LOOP
        PERFORM anonopt.create_view(format('sample.%I', name), 'few', cuts => '{1}', k => 2, materialized => NOT live);
    END LOOP;
    FOREACH name IN ARRAY names LOOP
        EXECUTE format('SELECT string_agg(x::text, '', '') FROM (SELECT v, count(*) FROM sample.%I GROUP BY v HAVING count(*) <> 10) x', name) INTO found;
        PERFORM anonopt.drop_release(format('sample.%I', name)::regclass);
        EXIT WHEN found IS NOT NULL;
    END LOOP;
    SELECT coalesce(found, string_agg(n, ', ')) INTO found FROM (SELECT relname::text FROM pg_class WHERE relname LIKE left(names[1], 10) || '%'
        UNION ALL SELECT proname FROM pg_proc WHERE proname LIKE left(names[1], 10) || '%') x (n);
    RAISE SQLSTATE 'ROLLB' USING MESSAGE = coalesce(found, '');
EXCEPTION
    WHEN SQLSTATE 'ROLLB' THEN
        RETURN nullif(SQLERRM, '');
    WHEN OTHERS THEN
        RETURN format('%s: %s', SQLSTATE, SQLERRM);
END $$;

-- The result of a live view's function after the view was dropped and another one with that name was
-- created.
CREATE FUNCTION pg_temp.left_behind() RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    CREATE TABLE sample.few AS SELECT 1 + i % 2 AS v FROM generate_series(1, 20) i;
    PERFORM anonopt.create_interval_hierarchy('sample.few_v', 1, 2, '{}');
    PERFORM anonopt.create_dataset('few', 'sample.few'), anonopt.add_quasi_identifier('few', 'v', 'sample.few_v');
    PERFORM anonopt.create_view('sample.few_shown', 'few', '{0}', k => 2, materialized => false);
    PERFORM * FROM sample.few_shown_rows();
    DROP VIEW sample.few_shown;
    PERFORM anonopt.create_view('sample.few_shown', 'few', '{1}', k => 2, materialized => false);
    PERFORM * FROM sample.few_shown;
    PERFORM * FROM sample.few_shown_rows();
    RAISE SQLSTATE 'ROLLB' USING MESSAGE = 'its rows';
EXCEPTION
    WHEN OTHERS THEN
        RETURN SQLERRM;
END $$;

-- What a live view shows once its hierarchy has a label more, before all others.
CREATE FUNCTION pg_temp.newcomers_label() RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    found text;
BEGIN
    CREATE TABLE sample.few AS SELECT chr(98 + i % 3) AS v FROM generate_series(1, 30) i;
    CREATE TABLE sample.few_v (v text PRIMARY KEY);
    INSERT INTO sample.few_v VALUES ('b'), ('c'), ('d');
    PERFORM anonopt.create_dataset('few', 'sample.few'), anonopt.add_quasi_identifier('few', 'v', 'sample.few_v');
    PERFORM anonopt.create_view('sample.few_shown', 'few', '{0}', k => 2, materialized => false);
    INSERT INTO sample.few_v VALUES ('a');
    INSERT INTO sample.few SELECT 'a' FROM generate_series(1, 10);
    SELECT string_agg(format('%s %s', v, n), ', ' ORDER BY v) INTO found FROM (SELECT v, count(*) AS n FROM sample.few_shown GROUP BY v) x;
    RAISE SQLSTATE 'ROLLB' USING MESSAGE = found;
EXCEPTION
    WHEN OTHERS THEN
        RETURN SQLERRM;
END $$;

-- The effect of an event trigger that adds a column to every relation created.
CREATE FUNCTION pg_temp.widened() RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    CREATE TABLE sample.few AS SELECT 1 + i % 2 AS v FROM generate_series(1, 20) i;
    PERFORM anonopt.create_interval_hierarchy('sample.few_v', 1, 2, '{}');
    PERFORM anonopt.create_dataset('few', 'sample.few'), anonopt.add_quasi_identifier('few', 'v', 'sample.few_v');
    CREATE FUNCTION sample.widen() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN ALTER TABLE sample.few_shown ADD COLUMN more text; END';
    CREATE EVENT TRIGGER sample_widen ON ddl_command_end WHEN TAG IN ('CREATE TABLE AS') EXECUTE FUNCTION sample.widen();
    PERFORM anonopt.publish_table('sample.few_shown', 'few', '{0}', k => 2);
    RAISE SQLSTATE 'ROLLB' USING MESSAGE = 'filled';
EXCEPTION
    WHEN OTHERS THEN
        RETURN SQLSTATE;
END $$;

SELECT plan(pg_temp.few(70, 6) * 9 + pg_temp.few(80) + 3 * 14 + 1 + 20);
SELECT pg_temp.check_set(seed) FROM generate_series(2001, 2000 + pg_temp.few(70, 6)) seed;
SELECT is(pg_temp.risk_fault(seed), NULL, format('set %s: several releases', seed)) FROM generate_series(3001, 3000 + pg_temp.few(80)) seed;
SELECT is(pg_temp.without_leaf(v.data_type, v.leaf_type, v.leaves, v.value, f.form), '4',
    format('%s %s among %s has no leaf (%s)', v.data_type, v.value, v.leaf_type, f.form))
FROM (VALUES
    ('int', 'int', '{1,2}'::text[], '7'),
    ('int', 'int4range', '{"[1,5)"}', '7'),
    ('bigint', 'int4range', '{"[1,)"}', '5000000000'),
    ('float8', 'int4range', '{"[1,)"}', '1e300'),
    ('float8', 'int4range', '{"[1,)"}', 'NaN'),
    ('numeric', 'numeric', '{1,2}', 'NaN'),
    ('float8', 'numrange', '{"[1,)"}', 'NaN'),
    ('numeric', 'numrange', '{"[1,5)"}', '1e40'),
    ('text', 'text', '{a,b}', 'it''s "c" \'),
    ('char(5)', 'text', '{a,b}', 'c'),
    ('sample.mood', 'text', '{zeal,awe}', 'calm'),
    ('date', 'date', '{2024-01-02,2024-01-03}', 'infinity'),
    ('date', 'tsrange', '{"[2024-01-01,2024-02-01)"}', '5874000-01-01'),
    ('date', 'daterange', '{"[2024-01-01,2024-02-01)"}', '-infinity')) v (data_type, leaf_type, leaves, value),
    unnest('{omit,star,live}'::text[]) f (form);
SELECT cmp_ok(pg_temp.newcomer(), '<', 5::bigint, 'a release made anew after one insertion tells who is new');
CREATE SCHEMA IF NOT EXISTS sample;
SELECT is(pg_temp.small_fault(pg_temp.rare_rows(n), ARRAY(SELECT i::text FROM generate_series(1, n) i), 'equal', '{0}', NULL, 2, 0.6, true), NULL,
    format('stars that would be too far from all are not shown, %s classes', n))
FROM unnest('{63,64,128}'::int[]) n;
-- 4/15 and 1/3 are a little more than the numbers that come nearest to them
SELECT is(pg_temp.small_fault('SELECT v, s FROM (VALUES (1, ''x''), (1, ''x''), (1, ''y''), (2, ''x''), (2, ''x''), (2, ''x''), (3, ''y''), (3, ''y''), (3, ''y''),
        (4, ''x''), (4, ''y''), (4, ''y''), (5, ''x''), (5, ''z''), (5, ''z'')) r (v, s)', '{1,2,3,4,5}', metric, '{0}', NULL, 1, t, star), NULL,
    format('a class as far as t (%s, %s)', metric, t))
FROM (VALUES ('equal', 4::float8 / 15, false), ('equal', 4::float8 / 15, true), ('ordered', 4::float8 / 15, false), ('ordered', 1::float8 / 3, false),
    ('hierarchical', 4::float8 / 15, false)) x (metric, t, star);
-- the first two leaves together would look like the one but last
SELECT is(pg_temp.small_fault('SELECT CASE WHEN i <= 5 THEN ''a'' WHEN i <= 11 THEN ''{a, a, b}'' ELSE ''c'' END, i % 3 FROM generate_series(1, 17) i',
        '{a,"a, b",b,"b, c",c,"{a, a, b}","{a, b}"}', 'equal', NULL, '{010011}', k, NULL, k = 5), NULL,
    format('groups that would look the same, k %s', k))
FROM unnest('{5,6}'::int[]) k;
SELECT is(pg_temp.small_fault('SELECT NULL, NULL FROM generate_series(1, 10)', '{NULL}', 'hierarchical', NULL, ARRAY[''::varbit], 2, t, t IS NULL), NULL,
    format('nothing but NULL (t %s)', t))
FROM unnest('{NULL,0.5}'::float8[]) t;
SELECT cmp_ok(abs(pg_temp.correlation()), '<', 0.2::float8, 'rows of a class stand at random');
SELECT is(pg_temp.many('groups'), '1500 of 6, 6', 'a cut into many groups');
SELECT is(pg_temp.many('releases'), '400 of 3 to 3', 'many releases together');
SELECT is(pg_temp.names_fault(ARRAY[repeat('n', 55) || '1', repeat('n', 55) || '2', repeat('n', 63), repeat('n', 61) || 'é'], true), NULL,
    'live views of names that begin alike');
SELECT is(pg_temp.names_fault(ARRAY[repeat('m', 59) || '_key', repeat('m', 63)], false), NULL, 'a view of a name as a key might have');
SELECT is(pg_temp.left_behind(), 'released_rows can only be called by the view of a release', 'a function without its view');
SELECT is(pg_temp.newcomers_label(), 'a 10, b 10, c 10, d 10', 'a live view whose hierarchy has grown');
SELECT is(pg_temp.widened(), '55000', 'a relation that was changed while it was made');
SELECT * FROM finish();
ROLLBACK;
