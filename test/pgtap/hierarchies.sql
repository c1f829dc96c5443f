-- Builders, check_hierarchy and generalize, checked by properties in plain SQL: a
-- hierarchy must have the right leaves, the right groups and a key, whatever the
-- text of its labels.
\ir begin.inc
\ir reference.inc
\ir random_data.inc

-- Even if default privileges make tables readable by everybody, those built from
-- data must not be.
ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC;

-- ---------------------------------------------------------------------------
-- What is looked at
-- ---------------------------------------------------------------------------

-- A hierarchy's rows: the leaf as text, and its labels from level 1 on.
CREATE FUNCTION pg_temp.rows_of(hierarchy regclass) RETURNS TABLE (leaf text, labels text[])
LANGUAGE plpgsql AS $$
DECLARE
    cols name[] := ref.columns(hierarchy);
BEGIN
    RETURN QUERY EXECUTE format('SELECT %I::text, ARRAY[%s]::text[] FROM %s', cols[1],
        (SELECT string_agg(format('%I::text', c), ', ' ORDER BY i)
         FROM unnest(cols[2:]) WITH ORDINALITY u(c, i)), hierarchy);
END $$;

-- The same with one row per level, including level 0.
CREATE FUNCTION pg_temp.labels_of(hierarchy regclass)
RETURNS TABLE (leaf text, level int, label text)
LANGUAGE sql AS $$
    SELECT r.leaf, u.level::int - 1, u.label
    FROM pg_temp.rows_of(hierarchy) r, unnest(r.leaf || r.labels) WITH ORDINALITY u(label, level)
$$;

-- Every fault of a hierarchy; builders must not create any.
CREATE FUNCTION pg_temp.faults(hierarchy regclass) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    first_column name := (ref.columns(hierarchy))[1];
    overlapping text;
BEGIN
    IF ref.family(ref.column_type(hierarchy, first_column)) = 'range' THEN
        EXECUTE format('SELECT string_agg(a.%1$I || '' overlaps '' || b.%1$I, ''; '') '
                       'FROM %2$s a JOIN %2$s b ON a.%1$I < b.%1$I AND a.%1$I && b.%1$I',
                       first_column, hierarchy) INTO overlapping;
    END IF;
    RETURN nullif(concat_ws('; ', overlapping,
        (SELECT string_agg('twice: ' || leaf, '; ')
         FROM (SELECT leaf FROM pg_temp.rows_of(hierarchy) GROUP BY leaf HAVING count(*) > 1) x),
        (SELECT string_agg('no label for ' || leaf, '; ')
         FROM pg_temp.labels_of(hierarchy) WHERE level > 0 AND label IS NULL),
        (SELECT string_agg(format('%s on level %s has several parents', label, level), '; ')
         FROM (SELECT low.level, low.label
               FROM pg_temp.labels_of(hierarchy) low
               JOIN pg_temp.labels_of(hierarchy) high
                   ON high.leaf = low.leaf AND high.level = low.level + 1
               GROUP BY low.level, low.label HAVING count(DISTINCT high.label) > 1) x)), '');
END $$;

-- 'p' where the first column alone is the primary key, 'x' where && excludes it.
CREATE FUNCTION pg_temp.key_of(hierarchy regclass) RETURNS text
LANGUAGE sql AS $$
    SELECT string_agg(contype::text, '' ORDER BY contype::text)
    FROM pg_constraint
    WHERE conrelid = hierarchy AND conkey = '{1}'
      AND (contype = 'p'
           OR (contype = 'x' AND conexclop = ARRAY['&&(anyrange,anyrange)'::regoperator::oid]))
$$;

CREATE FUNCTION pg_temp.public_reads(hierarchy regclass) RETURNS boolean
LANGUAGE sql AS $$
    SELECT has_table_privilege('public', hierarchy, 'SELECT')
        OR has_any_column_privilege('public', hierarchy, 'SELECT')
$$;

-- The last level's label, if there should be only one.
CREATE FUNCTION pg_temp.roots(hierarchy regclass) RETURNS text[]
LANGUAGE sql AS $$
    SELECT array_agg(DISTINCT label)
    FROM pg_temp.labels_of(hierarchy) WHERE level = ref.levels_of(hierarchy)
$$;

-- Whether the labels of a level group the leaves as some expression of theirs does.
-- Expressions see the leaf, as text, as "leaf".
CREATE FUNCTION pg_temp.grouped_by(hierarchy regclass, at_level int, expression text)
RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    same boolean;
BEGIN
    EXECUTE format('SELECT count(DISTINCT label) = count(DISTINCT (label, %1$s)) '
                   'AND count(DISTINCT (%1$s)) = count(DISTINCT (label, %1$s)) '
                   'FROM pg_temp.labels_of(%2$L) WHERE level = %3$s',
                   expression, hierarchy, at_level) INTO same;
    RETURN same;
END $$;

-- Whether a level cuts an axis into intervals of a width, wherever they begin: no
-- wider one, and none narrower but at the ends.  Leaves are [start, stop).
CREATE FUNCTION pg_temp.intervals_of(hierarchy regclass, at_level int, width numeric)
RETURNS boolean
LANGUAGE sql AS $$
    WITH leaf AS (
        SELECT label,
               CASE WHEN leaf ~ '^[[(]' THEN lower(leaf::numrange) ELSE leaf::numeric END AS start,
               CASE WHEN leaf ~ '^[[(]' THEN upper(leaf::numrange) ELSE leaf::numeric + 1 END AS stop
        FROM pg_temp.labels_of(hierarchy) WHERE level = at_level),
    interval AS (
        SELECT label, max(stop) - min(start) AS span, sum(stop - start) AS covered,
               min(start) = min(min(start)) OVER () OR max(stop) = max(max(stop)) OVER () AS at_end
        FROM leaf GROUP BY label)
    SELECT bool_and(span = covered AND (span = width OR (at_end AND span < width)))
    FROM interval
$$;

-- Whether a statement fails with one of these codes.
CREATE FUNCTION pg_temp.fails(statement text, codes text[], description text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    outcome text := 'no error';
BEGIN
    BEGIN
        EXECUTE statement;
    EXCEPTION WHEN OTHERS THEN
        outcome := CASE WHEN SQLSTATE = ANY (codes) OR left(SQLSTATE, 2) = ANY (codes)
                   THEN 'as it should' ELSE format('%s: %s', SQLSTATE, SQLERRM) END;
    END;
    RETURN is(outcome, 'as it should', description);
END $$;

-- Runs a check in a subtransaction that is rolled back; a check returns what is
-- wrong, or NULL.
CREATE FUNCTION pg_temp.wrong(call text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    problem text;
BEGIN
    EXECUTE 'SELECT pg_temp.' || call INTO problem;
    RAISE SQLSTATE 'ROLLB';
EXCEPTION
    WHEN SQLSTATE 'ROLLB' THEN
        RETURN problem;
    WHEN OTHERS THEN
        RETURN format('%s: %s', SQLSTATE, SQLERRM);
END $$;

-- ---------------------------------------------------------------------------
-- Checks of the builders, each on one random call
-- ---------------------------------------------------------------------------

-- Widths that each divide the next.
CREATE FUNCTION pg_temp.widths(smallest numeric) RETURNS numeric[]
LANGUAGE plpgsql AS $$
DECLARE
    widths numeric[] := ARRAY[smallest * (2 + sample.below(4))];
BEGIN
    FOR i IN 1..sample.below(3) LOOP
        widths := widths || widths[i] * (2 + sample.below(3));
    END LOOP;
    RETURN widths;
END $$;

CREATE FUNCTION pg_temp.interval_problem(seed int) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    widths numeric[];
    low int;
    high int;
    aligned boolean;
    h regclass;
BEGIN
    PERFORM setseed(seed / 1000.0);
    widths := pg_temp.widths(1);
    low := CASE WHEN sample.chance(0.5) THEN (sample.below(5) - 2) * widths[cardinality(widths)]
                ELSE sample.below(40) - 20 END;
    aligned := low % widths[cardinality(widths)] = 0;
    high := low + CASE WHEN sample.chance(0.1) THEN 0 ELSE sample.below(90) END;
    h := anonopt.create_interval_hierarchy('sample."By Interval"', low, high, widths);
    RETURN nullif(concat_ws('; ',
        CASE WHEN h <> 'sample."By Interval"'::regclass THEN 'another name' END,
        pg_temp.faults(h),
        CASE WHEN ref.levels_of(h) <> cardinality(widths) + 1 THEN 'number of levels' END,
        CASE WHEN ARRAY(SELECT leaf::numeric FROM pg_temp.rows_of(h) ORDER BY 1)
                  <> ARRAY(SELECT v::numeric FROM generate_series(low, high) v) THEN 'leaves' END,
        (SELECT string_agg(format('intervals of level %s', i), '; ')
         FROM generate_subscripts(widths, 1) i
         WHERE NOT pg_temp.intervals_of(h, i, widths[i])
            OR (aligned AND NOT pg_temp.grouped_by(h, i, format('floor(leaf::numeric / %s)', widths[i])))),
        CASE WHEN pg_temp.roots(h) <> '{*}' THEN 'last level' END,
        CASE WHEN pg_temp.key_of(h) IS DISTINCT FROM 'p' THEN 'no primary key' END), '')
        || format(E'\nof create_interval_hierarchy(%s, %s, %s)', low, high, widths);
END $$;

CREATE FUNCTION pg_temp.range_problem(seed int) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    step numeric;
    widths numeric[];
    low numeric;
    high numeric;
    h regclass;
BEGIN
    PERFORM setseed(seed / 1000.0);
    step := sample.pick('{0.1,0.25,0.5,1,3,10}'::numeric[]);
    widths := pg_temp.widths(step);
    low := (sample.below(41) - 20) * step;
    high := low + (1 + sample.below(40)) * step;
    h := anonopt.create_range_hierarchy('sample.by_range', low, high, step, widths);
    RETURN nullif(concat_ws('; ',
        pg_temp.faults(h),
        CASE WHEN ref.column_type(h, (ref.columns(h))[1]) <> 'numrange'::regtype THEN 'type' END,
        CASE WHEN ref.levels_of(h) <> cardinality(widths) + 1 THEN 'number of levels' END,
        (SELECT CASE WHEN bool_or(upper(r) - lower(r) <> step) THEN 'step'
                     WHEN min(lower(r)) <> low OR max(upper(r)) < high
                          OR max(upper(r)) - min(lower(r)) <> count(*) * step THEN 'coverage' END
         FROM (SELECT leaf::numrange AS r FROM pg_temp.rows_of(h)) x),
        (SELECT string_agg(format('intervals of level %s', i), '; ')
         FROM generate_subscripts(widths, 1) i
         WHERE NOT pg_temp.intervals_of(h, i, widths[i])),
        CASE WHEN pg_temp.roots(h) <> '{*}' THEN 'last level' END,
        CASE WHEN pg_temp.key_of(h) IS DISTINCT FROM 'x' THEN 'no exclusion constraint' END), '')
        || format(E'\nof create_range_hierarchy(%s, %s, %s, %s)', low, high, step, widths);
END $$;

CREATE FUNCTION pg_temp.mask_problem(seed int) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    data_type text;
    mask text;
    longest int;
    h regclass;
BEGIN
    PERFORM setseed(seed / 1000.0);
    data_type := sample.pick('{text,varchar,int,name,"char(8)"}'::text[]);
    mask := sample.pick('{*,*,X,é}'::text[]);
    EXECUTE format('CREATE TABLE sample."Masked Data" ("a ""Code""" %s)', data_type);
    EXECUTE format('INSERT INTO sample."Masked Data" SELECT v::%s FROM unnest(%L::text[]) v', data_type,
        ARRAY(SELECT CASE
              WHEN sample.chance(0.1) THEN NULL
              WHEN data_type = 'int' THEN (power(10, sample.below(6))::int + sample.below(30))::text
              ELSE left((SELECT string_agg(substr('abcdefß日', 1 + sample.below(8), 1), '')
                         FROM generate_series(1, 6) WHERE v > 0), 1 + sample.below(6)) END
              FROM generate_series(1, 1 + sample.below(30)) v)
        || ARRAY['12']);
    SELECT max(length("a ""Code"""::text)) INTO longest FROM sample."Masked Data";
    h := CASE WHEN mask = '*'
         THEN anonopt.create_mask_hierarchy('sample.by_mask', 'sample."Masked Data"', 'a "Code"')
         ELSE anonopt.create_mask_hierarchy('sample.by_mask', 'sample."Masked Data"', 'a "Code"', mask)
         END;
    RETURN nullif(concat_ws('; ',
        pg_temp.faults(h),
        CASE WHEN ARRAY(SELECT leaf FROM pg_temp.rows_of(h) WHERE leaf IS NOT NULL ORDER BY leaf)
                  <> ARRAY(SELECT DISTINCT "a ""Code"""::text AS v FROM sample."Masked Data"
                           WHERE "a ""Code""" IS NOT NULL ORDER BY v) THEN 'leaves' END,
        CASE WHEN ref.levels_of(h) NOT BETWEEN 1 AND longest THEN 'number of levels' END,
        (SELECT format('%s on level %s is %s', leaf, level, label)
         FROM pg_temp.labels_of(h)
         WHERE level BETWEEN 1 AND ref.levels_of(h) - 1
           AND label <> left(rpad(leaf, longest, mask), longest - level) || repeat(mask, level)
         LIMIT 1),
        CASE WHEN cardinality(pg_temp.roots(h)) <> 1 THEN 'last level' END,
        CASE WHEN pg_temp.key_of(h) IS DISTINCT FROM 'p' THEN 'no primary key' END,
        CASE WHEN pg_temp.public_reads(h) THEN 'readable by PUBLIC' END), '')
        || format(E'\nof create_mask_hierarchy of %s with %s: %s', data_type, mask,
                  (SELECT string_agg(DISTINCT "a ""Code"""::text, ', ') FROM sample."Masked Data"));
END $$;

CREATE FUNCTION pg_temp.date_problem(seed int) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    units text[];
    low date;
    high date;
    h regclass;
BEGIN
    PERFORM setseed(seed / 1000.0);
    units := CASE seed % 6 WHEN 0 THEN '{week}' WHEN 1 THEN '{month}' WHEN 2 THEN '{month,quarter,year,decade}'
                           WHEN 3 THEN '{quarter}' WHEN 4 THEN '{month,year}' ELSE '{year,decade}' END;
    low := date '1998-11-20' + sample.below(1000);
    high := low + CASE WHEN sample.chance(0.1) THEN 0 ELSE sample.below(1200) END;
    h := anonopt.create_date_hierarchy('sample.by_date', low, high, units);
    RETURN nullif(concat_ws('; ',
        pg_temp.faults(h),
        CASE WHEN ref.levels_of(h) <> cardinality(units) + 1 THEN 'number of levels' END,
        CASE WHEN ARRAY(SELECT leaf::date FROM pg_temp.rows_of(h) ORDER BY 1)
                  <> ARRAY(SELECT low + i FROM generate_series(0, high - low) i) THEN 'leaves' END,
        (SELECT string_agg(format('groups of level %s', i), '; ')
         FROM generate_subscripts(units, 1) i
         WHERE NOT pg_temp.grouped_by(h, i, format('date_trunc(%L, leaf::date)', units[i]))),
        CASE WHEN pg_temp.roots(h) <> '{*}' THEN 'last level' END,
        CASE WHEN pg_temp.key_of(h) IS DISTINCT FROM 'p' THEN 'no primary key' END), '')
        || format(E'\nof create_date_hierarchy(%s, %s, %s)', low, high, units);
END $$;

CREATE FUNCTION pg_temp.quantile_problem(seed int) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    data_type text;
    buckets int[];
    n int;
    h regclass;
    wrong_levels text;
BEGIN
    PERFORM setseed(seed / 1000.0);
    data_type := sample.pick('{int,bigint,numeric,float8,date}'::text[]);
    buckets := sample.pick('{"{2}","{4,2}","{8,4,2}","{9,3}","{12,4,2}"}'::text[])::int[];
    n := 1 + sample.below(60);
    EXECUTE format('CREATE TABLE sample.measured ("Value" %s)', data_type);
    EXECUTE format('INSERT INTO sample.measured SELECT v::%s FROM unnest(%L::text[]) v', data_type,
        ARRAY(SELECT CASE data_type WHEN 'date' THEN (date '2020-01-01' + d)::text
                                    WHEN 'int' THEN d::text WHEN 'bigint' THEN d::text
                                    ELSE (d / 4.0)::text END
              FROM (SELECT sample.below(3 + n) AS d FROM generate_series(1, n)) x));
    h := anonopt.create_quantile_hierarchy('sample.by_quantile', 'sample.measured', 'Value', buckets);
    -- Checked through generalize, whatever the leaves look like.
    SELECT string_agg(format('groups of level %s', i), '; ') INTO wrong_levels
    FROM generate_subscripts(buckets, 1) i
    WHERE NOT (
        SELECT count(DISTINCT label) = count(DISTINCT (label, bucket))
               AND count(DISTINCT bucket) = count(DISTINCT (label, bucket))
        FROM (SELECT anonopt.generalize(m."Value"::text, h, i) AS label,
                     buckets[i] * (SELECT count(*) FROM sample.measured o
                                   WHERE o."Value" < m."Value") / n AS bucket
              FROM sample.measured m) x);
    RETURN nullif(concat_ws('; ',
        pg_temp.faults(h),
        CASE WHEN ref.levels_of(h) <> cardinality(buckets) + 1 THEN 'number of levels' END,
        wrong_levels,
        CASE WHEN pg_temp.roots(h) <> '{*}' THEN 'last level' END,
        CASE WHEN pg_temp.key_of(h) IS NULL THEN 'no key' END,
        CASE WHEN pg_temp.public_reads(h) THEN 'readable by PUBLIC' END), '')
        || format(E'\nof create_quantile_hierarchy of %s into %s: %s', data_type, buckets,
                  (SELECT string_agg("Value"::text, ', ' ORDER BY "Value") FROM sample.measured));
END $$;

CREATE FUNCTION pg_temp.tree_problem(seed int) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    roots int;
    h regclass;
BEGIN
    PERFORM setseed(seed / 1000.0);
    roots := CASE WHEN sample.chance(0.7) THEN 1 ELSE 2 END;
    -- Every node but a root hangs under an earlier one.
    CREATE TABLE sample."Edges" AS
        SELECT 'node ' || i AS child, 'node ' || (1 + sample.below(i - 1)) AS parent
        FROM generate_series(roots + 1, roots + 1 + sample.below(25)) i ORDER BY random();
    h := anonopt.create_tree_hierarchy('sample.by_tree', 'sample."Edges"');
    RETURN (
        WITH RECURSIVE up AS (
            SELECT child AS leaf, ARRAY[child] AS way FROM sample."Edges"
            WHERE child NOT IN (SELECT parent FROM sample."Edges")
            UNION ALL
            SELECT leaf, way || parent
            FROM up JOIN sample."Edges" ON child = way[cardinality(way)]),
        branch AS (
            SELECT DISTINCT ON (leaf) leaf, way, max(cardinality(way)) OVER () AS longest
            FROM up ORDER BY leaf, cardinality(way) DESC),
        want AS (
            SELECT leaf, array_fill(leaf, ARRAY[longest - cardinality(way)]) || way[2:] AS labels
            FROM branch)
        SELECT nullif(concat_ws('; ',
            pg_temp.faults(h),
            (SELECT format('%s: got %s, want %s', coalesce(g.leaf, w.leaf), g.labels, w.labels)
             FROM pg_temp.rows_of(h) g FULL JOIN want w USING (leaf)
             WHERE g.labels IS DISTINCT FROM w.labels LIMIT 1),
            CASE WHEN pg_temp.key_of(h) IS DISTINCT FROM 'p' THEN 'no primary key' END), ''))
        || format(E'\nof create_tree_hierarchy of %s',
                  (SELECT string_agg(child || ' under ' || parent, ', ') FROM sample."Edges"));
END $$;

-- ---------------------------------------------------------------------------
-- Checks of check_hierarchy and generalize on one random hierarchy
-- ---------------------------------------------------------------------------

-- Adds some faults to a sound hierarchy; all must be reported at once.
CREATE FUNCTION pg_temp.planted_problem(seed int) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    kind text := (ARRAY['text', 'integer', 'numrange', 'daterange', 'date'])[1 + seed % 5];
    depth int;
    h regclass;
    cols name[];
    planted text[] := '{}';
    witnesses text[] := '{}';
    fresh text[] := CASE kind
        WHEN 'text' THEN '{new 1,new 2}' WHEN 'integer' THEN '{901,902}'
        WHEN 'numrange' THEN ARRAY['[901,902)', '[905,906)']
        WHEN 'daterange' THEN ARRAY['[2031-01-01,2031-01-05)', '[2032-01-01,2032-01-05)']
        ELSE '{2031-01-01,2032-01-01}' END;
    leaves sample.leaf[];
    at_level int;
    branch text[];
    sound bigint;
    missed text;
BEGIN
    PERFORM setseed(seed / 1000.0);
    depth := 2 + sample.below(3);
    LOOP
        leaves := sample.domain(kind, 3 + sample.below(6), 'text');
        -- an endless range would overlap what is planted
        EXIT WHEN kind NOT LIKE '%range' OR NOT EXISTS (
            SELECT FROM unnest(leaves) WHERE leaf ~ '^.,' OR leaf ~ ',.$');
    END LOOP;
    h := sample.hierarchy('checked', CASE kind WHEN 'integer' THEN 'int' ELSE kind END, leaves,
                          depth, sample.chance(0.7), sample.chance(0.3));
    cols := ref.columns(h);
    SELECT count(*) INTO sound FROM anonopt.check_hierarchy(h);
    SELECT leaf || labels INTO branch FROM pg_temp.rows_of(h) WHERE leaf IS NOT NULL
    ORDER BY leaf LIMIT 1;

    -- a label with two parents
    IF seed % 4 IN (0, 1) THEN
        at_level := 1 + sample.below(depth - 1);
        EXECUTE format('INSERT INTO %s VALUES (%s)', h,
            (SELECT string_agg(quote_literal(CASE WHEN i = 0 THEN fresh[1]
                                             WHEN i <= at_level THEN branch[i + 1]
                                             ELSE '777' END), ', ' ORDER BY i)
             FROM generate_series(0, depth) i));
        planted := planted || format('%s has two parents above level %s', branch[at_level + 1], at_level);
        witnesses := witnesses || branch[at_level + 1];
    END IF;
    -- no label
    IF seed % 4 IN (1, 2) THEN
        at_level := 1 + sample.below(depth);
        EXECUTE format('INSERT INTO %s VALUES (%s)', h,
            (SELECT string_agg(CASE WHEN i = 0 THEN quote_literal(fresh[2])
                               WHEN i = at_level THEN 'NULL' ELSE quote_literal(branch[i + 1]) END,
                               ', ' ORDER BY i)
             FROM generate_series(0, depth) i));
        planted := planted || format('%s has no label', fresh[2]);
        witnesses := witnesses || fresh[2];
    END IF;
    -- a leaf twice, or ranges that overlap
    IF seed % 4 IN (0, 3) THEN
        IF kind LIKE '%range' THEN
            EXECUTE format('INSERT INTO %1$s SELECT range_merge(%2$I, %3$L), %4$s '
                           'FROM %1$s WHERE %2$I = %5$L', h, cols[1],
                           CASE kind WHEN 'numrange' THEN '[800,801)' ELSE '[2030-01-01,2030-01-02)' END,
                           (SELECT string_agg(quote_ident(c), ', ' ORDER BY i)
                            FROM unnest(cols[2:]) WITH ORDINALITY u(c, i)), branch[1]);
        ELSE
            EXECUTE format('INSERT INTO %1$s SELECT * FROM %1$s WHERE %2$I = %3$L',
                           h, cols[1], branch[1]);
        END IF;
        planted := planted || format('%s is there twice, or overlaps', branch[1]);
        witnesses := witnesses || branch[1];
    END IF;

    SELECT string_agg('missed: ' || p, '; ') INTO missed
    FROM unnest(planted, witnesses) u(p, witness)
    WHERE NOT EXISTS (SELECT FROM anonopt.check_hierarchy(h) c
                      WHERE witness = ANY (c.labels) OR position(witness IN c.problem) > 0);
    RETURN nullif(concat_ws('; ',
        CASE WHEN sound > 0 THEN 'sound, yet something found' END,
        missed,
        CASE WHEN (SELECT count(*) FROM anonopt.check_hierarchy(h)) < cardinality(planted)
             THEN 'fewer rows than faults' END), '')
        || format(E'\nof %s leaves, %s levels, planted: %s\n%s', kind, depth, planted,
                  (SELECT string_agg(r::text, E'\n') FROM pg_temp.rows_of(h) r));
END $$;

-- An unsound hierarchy is refused where it is declared or, at the latest, where it
-- is read.
CREATE FUNCTION pg_temp.use_unsound(hierarchy regclass, relation regclass) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM anonopt.create_dataset('unsound', relation);
    PERFORM anonopt.add_quasi_identifier('unsound', (ref.columns(relation))[1], hierarchy);
    PERFORM count(*) FROM anonopt.lattice('unsound');
END $$;

-- The results of generalize for every spelling of every leaf at every level.
CREATE FUNCTION pg_temp.generalize_problem(seed int, form text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    kinds text[] := '{integer,text,int4range,fraction,enum,numrange,date,daterange,boolean,timestamp,tstzrange}';
    kind text := kinds[1 + seed % 11];
    data_type text;
    leaf_type text;
    leaves sample.leaf[];
    h regclass;
    problem text;
BEGIN
    PERFORM setseed(seed / 1000.0);
    leaf_type := sample.leaf_type(kind);
    -- What comes as text is written as the leaf's type, or a range's subtype, reads it.
    data_type := CASE WHEN form <> 'text' THEN sample.data_type(kind)
                      WHEN kind = 'integer' THEN leaf_type
                      WHEN kind = 'int4range' THEN 'int'
                      WHEN kind = 'daterange' THEN 'date'
                      ELSE sample.data_type(kind) END;
    leaves := sample.domain(kind, 1 + sample.below(8), data_type);
    h := sample.hierarchy('asked', leaf_type, leaves, 1 + sample.below(4), sample.chance(0.7), false);
    -- A leaf is written as its type does; level 0 is looked at for values written alike.
    EXECUTE format($q$
        WITH want AS (
            SELECT l.leaf::%1$s::text AS leaf, spelling::%2$s AS value
            FROM unnest($1) l, unnest(l.spellings) AS spelling),
        got AS (
            SELECT value, w.leaf, level, label,
                   anonopt.generalize(value%3$s, $2, level) AS got
            FROM want w JOIN pg_temp.labels_of($2) x ON x.leaf = w.leaf
            WHERE level > 0 OR value::text = w.leaf)
        SELECT format('%%s (leaf %%s) on level %%s: got %%s, want %%s', value, leaf, level, got, label)
        FROM got WHERE got IS DISTINCT FROM label LIMIT 1
        $q$, leaf_type, data_type,
        CASE form WHEN 'text' THEN '::text' ELSE '' END)
    INTO problem USING leaves, h;
    RETURN problem || format(E'\nof %s leaves, %s data', leaf_type, data_type);
END $$;

-- NULL has the label of its own row or, without one, stays NULL below the last
-- level and joins that where it is one label.
CREATE FUNCTION pg_temp.generalize_null_problem(seed int, with_null boolean) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    h regclass;
    one_root boolean;
    problem text;
BEGIN
    PERFORM setseed(seed / 1000.0);
    one_root := sample.chance(0.5);
    h := sample.hierarchy('asked', 'text', sample.domain('text', 2 + sample.below(8), 'text'),
                          1 + sample.below(4), one_root, with_null);
    SELECT format('level %s: got %s and %s, want %s', level, as_text, as_varchar, want) INTO problem
    FROM (SELECT level,
                 anonopt.generalize(NULL::text, h, level) AS as_text,
                 anonopt.generalize(NULL::varchar, h, level) AS as_varchar,
                 CASE WHEN with_null AND level > 0 THEN (
                          SELECT label FROM pg_temp.labels_of(h) x
                          WHERE x.leaf IS NULL AND x.level = y.level)
                      WHEN level = ref.levels_of(h) AND cardinality(pg_temp.roots(h)) = 1
                      THEN (pg_temp.roots(h))[1] END AS want
          FROM generate_series(0, ref.levels_of(h)) AS y(level)) z
    WHERE as_text IS DISTINCT FROM want OR as_varchar IS DISTINCT FROM want
    ORDER BY level LIMIT 1;
    RETURN problem;
END $$;

-- ---------------------------------------------------------------------------

SELECT plan(6 * pg_temp.few(60) + pg_temp.few(60, 16) + pg_temp.few(66, 16) * 2 + 20 * 2 + 39);

SELECT is(pg_temp.wrong(format('%s_problem(%s)', builder, seed)), NULL,
          format('create_%s_hierarchy, call %s', builder, seed))
FROM unnest('{interval,range,mask,date,quantile,tree}'::text[]) builder, generate_series(1, pg_temp.few(60)) seed;

SELECT is(pg_temp.wrong(format('planted_problem(%s)', seed)), NULL,
          format('check_hierarchy, hierarchy %s', seed))
FROM generate_series(1, pg_temp.few(60, 16)) seed;

SELECT is(pg_temp.wrong(format('generalize_problem(%s, %L)', seed, form)), NULL,
          format('generalize over %s, hierarchy %s', form, seed))
FROM unnest('{text,anyelement}'::text[]) form, generate_series(1, pg_temp.few(66, 16)) seed;

SELECT is(pg_temp.wrong(format('generalize_null_problem(%s, %L)', seed, with_null)), NULL,
          format('generalize of NULL %s a row for it, hierarchy %s',
                 CASE WHEN with_null THEN 'with' ELSE 'without' END, seed))
FROM unnest('{false,true}'::boolean[]) with_null, generate_series(1, 20) seed;

-- Every builder leaves an existing table alone.
CREATE TABLE sample.taken (value text);
CREATE TABLE sample.few ("Value" int);
INSERT INTO sample.few VALUES (1), (2), (3);
CREATE TABLE sample.twigs (child text, parent text);
INSERT INTO sample.twigs VALUES ('a', 'r'), ('b', 'r');
CREATE VIEW sample.taken_too AS TABLE sample.few;
SELECT pg_temp.fails(format(call, quote_literal(name)), '{42P07,42710}', 'not over an existing relation: ' || call)
FROM unnest(ARRAY['sample.taken', 'sample.taken_too']) name, unnest(ARRAY[
    'SELECT anonopt.create_interval_hierarchy(%s, 0, 9, ''{5}'')',
    'SELECT anonopt.create_range_hierarchy(%s, 0, 9, 1, ''{3}'')',
    'SELECT anonopt.create_mask_hierarchy(%s, ''sample.few'', ''Value'')',
    'SELECT anonopt.create_date_hierarchy(%s, ''2020-01-01'', ''2020-01-09'', ''{month}'')',
    'SELECT anonopt.create_quantile_hierarchy(%s, ''sample.few'', ''Value'', ''{2}'')',
    'SELECT anonopt.create_tree_hierarchy(%s, ''sample.twigs'')']) call;
SELECT is((SELECT count(*) FROM sample.taken), 0::bigint, 'nothing was written to it');

-- Bad arguments.
SELECT pg_temp.fails(call, '{22023}', call)
FROM unnest(ARRAY[
    'SELECT anonopt.create_interval_hierarchy(''sample.bad'', 9, 0, ''{5}'')',
    'SELECT anonopt.create_interval_hierarchy(''sample.bad'', 0, 9, ''{0}'')',
    'SELECT anonopt.create_range_hierarchy(''sample.bad'', 0, 9, 0, ''{3}'')',
    'SELECT anonopt.create_date_hierarchy(''sample.bad'', ''2020-01-01'', ''2020-01-09'', ''{fortnight}'')',
    'SELECT anonopt.create_quantile_hierarchy(''sample.bad'', ''sample.few'', ''Value'', ''{8,3}'')',
    'SELECT anonopt.create_quantile_hierarchy(''sample.bad'', ''sample.few'', ''Value'', ''{0}'')']) call;
-- What cannot nest is refused, as a bad argument or as an unsound hierarchy.
SELECT pg_temp.fails(call, '{22023,23514}', call)
FROM unnest(ARRAY[
    'SELECT anonopt.create_interval_hierarchy(''sample.bad'', 0, 99, ''{5,7}'')',
    'SELECT anonopt.create_range_hierarchy(''sample.bad'', 0, 9, 0.5, ''{1,1.5}'')',
    'SELECT anonopt.create_date_hierarchy(''sample.bad'', ''2020-01-01'', ''2020-12-31'', ''{week,month}'')']) call;
CREATE TABLE sample.circle AS SELECT * FROM (VALUES ('a', 'b'), ('b', 'c'), ('c', 'b')) v(child, parent);
CREATE TABLE sample.two_parents AS SELECT * FROM (VALUES ('a', 'b'), ('a', 'c'), ('b', 'r'), ('c', 'r')) v(child, parent);
SELECT pg_temp.fails(format('SELECT anonopt.create_tree_hierarchy(''sample.bad'', %L)', edges),
                     '{22023,23514}', 'no tree: ' || edges)
FROM unnest('{sample.circle,sample.two_parents}'::text[]) edges;
SELECT is(to_regclass('sample.bad'), NULL, 'a failed builder leaves nothing behind');

-- Faults that random ones do not cover: equal as numbers, though not as text, and
-- equal as text, though padded.
CREATE TABLE sample.numbers (value numeric, root text);
INSERT INTO sample.numbers VALUES (1.5, '*'), (1.50, '*'), (2, '*');
SELECT isnt_empty('SELECT * FROM anonopt.check_hierarchy(''sample.numbers'')',
                  '1.5 and 1.50 are one leaf');
CREATE TABLE sample.nulls (value text, root text);
INSERT INTO sample.nulls VALUES ('a', '*'), (NULL, '*'), (NULL, '*');
SELECT isnt_empty('SELECT * FROM anonopt.check_hierarchy(''sample.nulls'')',
                  'NULL is a leaf, and twice is once too often');
CREATE TABLE sample.one_level_apart (value text, low text, high text);
INSERT INTO sample.one_level_apart VALUES
    ('a', 'b', 'a'), ('b', 'c', 'b'), ('c', 'a', 'a'), ('d', 'd', 'd');
SELECT is_empty('SELECT * FROM anonopt.check_hierarchy(''sample.one_level_apart'')',
                'levels, not labels, make the chain');

-- What check_hierarchy finds is refused in use.
CREATE TABLE sample.crooked (value text, low text, high text);
INSERT INTO sample.crooked VALUES ('a', 'x', 'p'), ('b', 'x', 'q');
CREATE TABLE sample.letters (letter text);
INSERT INTO sample.letters VALUES ('a'), ('b');
CREATE TABLE sample.overlapping (value int4range, root text);
INSERT INTO sample.overlapping VALUES ('[0,5)', '*'), ('[4,9)', '*');
CREATE TABLE sample.unlabelled (value text, root text);
INSERT INTO sample.unlabelled VALUES ('a', '*'), ('b', NULL);
CREATE TABLE sample.doubled (value text, root text);
INSERT INTO sample.doubled VALUES ('a', '*'), ('b', '*'), ('a', '*');
SELECT pg_temp.fails(format('SELECT pg_temp.use_unsound(%L, %L)', hierarchy, relation),
                     '{23514}', 'refused in use: ' || hierarchy)
FROM (VALUES ('sample.crooked', 'sample.letters'), ('sample.overlapping', 'sample.few'),
             ('sample.unlabelled', 'sample.letters'), ('sample.doubled', 'sample.letters'))
     v(hierarchy, relation);

-- generalize beyond the domain and the levels.
CREATE TABLE sample.pair (value text, root text);
INSERT INTO sample.pair VALUES ('a', '*'), ('b', '*');
SELECT pg_temp.fails('SELECT anonopt.generalize(''z'', ''sample.pair''::regclass, 1)', '{22}',
                     'a value without a leaf');
SELECT pg_temp.fails('SELECT anonopt.generalize(''a'', ''sample.pair''::regclass, 2)', '{22023}',
                     'a level too high');
SELECT pg_temp.fails('SELECT anonopt.generalize(''a'', ''sample.pair''::regclass, -1)', '{22023}',
                     'a level below the leaves');
SELECT is(anonopt.generalize('a', 'sample.pair'::regclass, 0), 'a', 'level 0 is the value');
CREATE TABLE sample.decades (value numrange, root text);
INSERT INTO sample.decades VALUES ('[0,10)', '*'), ('[10,20)', '*');
SELECT is(anonopt.generalize(12.5, 'sample.decades'::regclass, 0), '[10,20)',
          'level 0 of a range is the range, not the value in it');
SELECT is(array_agg(DISTINCT provolatile::text || proparallel::text), '{sr}', 'generalize is STABLE, PARALLEL RESTRICTED')
FROM pg_proc WHERE pronamespace = 'anonopt'::regnamespace AND proname = 'generalize';
SELECT cmp_ok(count(*), '>=', 2::bigint, 'generalize has both forms')
FROM pg_proc WHERE pronamespace = 'anonopt'::regnamespace AND proname = 'generalize'
  AND pronargs = 4 AND pronargdefaults = 1 AND proargtypes[0] IN ('text'::regtype, 'anyelement'::regtype);

SELECT * FROM finish();
ROLLBACK;
