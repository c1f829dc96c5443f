-- Publisher preferences: the paper's tables and examples, and all results of
-- efficiency, nsga2 and reference_direction for random small data sets, compared
-- with plain SQL; preferences for measures beside bias and loss, and searches under
-- promises of every kind, beside evaluate, evaluate_cuts and the formula.
\ir begin.inc
SET jit = off;
\ir reference.inc
\ir random_data.inc

SELECT plan(31 + pg_temp.few(120, 10) * 15 + 8 + pg_temp.few(40) + 50);

-- The formula as the paper writes it, the utopian point 1e-6 below the ideal one.
CREATE FUNCTION pg_temp.ach(necd float8, nwp float8, necd_pref float8, nwp_pref float8) RETURNS float8
LANGUAGE sql IMMUTABLE AS $$
    SELECT greatest(w * (necd - u), (1 - w) * (nwp - u))
    FROM (SELECT -1e-6::float8 AS u) x,
         LATERAL (SELECT (1 / (necd_pref - u)) / (1 / (necd_pref - u) + 1 / (nwp_pref - u)) AS w) y
$$;

CREATE FUNCTION pg_temp.dev(necd float8, nwp float8, necd_pref float8, nwp_pref float8) RETURNS float8
LANGUAGE sql IMMUTABLE AS $$ SELECT necd + nwp - necd_pref - nwp_pref $$;

-- ---------------------------------------------------------------------------
-- The paper's employees
-- ---------------------------------------------------------------------------

\ir employees.inc

-- Table 2
CREATE TABLE paper.printed (levels int[], k bigint, necd numeric, nwp numeric, efficiency text, ach numeric);
INSERT INTO paper.printed VALUES
    ('{1,0}', 2, .27, .07, 'strong', .06), ('{2,0}', 3, .18, .09, 'strong', .07),
    ('{3,0}', 3, .18, .15, 'weak', .12), ('{4,0}', 3, .18, .30, 'weak', .24),
    ('{1,1}', 2, .27, .27, 'none', .22), ('{2,1}', 3, .18, .29, 'weak', .23),
    ('{3,1}', 3, .18, .36, 'weak', .28), ('{4,1}', 5, .18, .50, 'weak', .40);
SELECT results_eq(
    'SELECT levels, k, round(necd::numeric, 2), round(nwp::numeric, 2), efficiency, round(ach::numeric, 2)
     FROM anonopt.efficiency(''employee'', 2, .3, .08) ORDER BY levels',
    'SELECT * FROM paper.printed ORDER BY levels', 'Table 2');
SELECT results_eq(
    'SELECT levels FROM anonopt.efficiency(''employee'', 2, .3, .08)',
    'SELECT levels FROM paper.printed ORDER BY ach', 'nearest first');
SELECT is((SELECT count(*) FROM anonopt.efficiency('employee', 3, .3, .08)), 6::bigint, 'only nodes of that k');
SELECT is((SELECT array_agg(levels) FROM anonopt.efficiency('employee', 4, .3, .08)), '{{4,1}}'::int[], 'one node of five');
SELECT is((SELECT array_agg(levels) FROM anonopt.efficiency('employee', 6, .3, .08)), NULL::int[], 'none of six');

-- what is chosen under every preference
SELECT is((SELECT array_agg(levels) FROM anonopt.efficiency('employee', 2, necd, nwp) WHERE chosen),
          ARRAY[want], format('chosen under (%s, %s)', necd, nwp))
FROM (VALUES (.3, .08, '{1,0}'::int[]), (.25, .05, '{1,0}'), (.2, .15, '{2,0}'), (.15, .05, '{2,0}'), (.1, .5, '{2,0}'))
     x (necd, nwp, want);
SELECT is(
    (SELECT array_agg(levels ORDER BY levels) FROM
        (SELECT levels, ach, min(ach) OVER () AS least FROM anonopt.efficiency('employee', 2, .1, .5)) x
     WHERE ach = least),
    '{{2,0},{2,1},{3,0},{3,1},{4,0},{4,1}}'::int[], 'six ties under (.1, .5)');
SELECT is((SELECT round(pref_dev::numeric, 2) FROM anonopt.efficiency('employee', 2, .1, .5) WHERE chosen), -.33,
          'of which the least deviation is chosen');

-- Example 6: the walk along the tree, with any seed
SELECT is(
    (SELECT array_agg(DISTINCT cuts::text ORDER BY cuts::text)
     FROM anonopt.reference_direction('employee', 2, '{1.0,0.2}', '{0.1,0.1}', seed => seed, taxonomy => true)),
    ARRAY[ref.cuts_of('employee', '{2,0}')::text, ref.cuts_of('employee', '{1,0}')::text],
    'Example 6: the partitions of (1,0) and (2,0), seed ' || seed)
FROM generate_series(1, 5) seed;
SELECT is(
    (SELECT array_agg(step ORDER BY step)
     FROM anonopt.reference_direction('employee', 2, '{1.0,0.2}', '{0.1,0.1}', 4, seed => 1)),
    '{1,2,3,4}'::int[], 'a row a step');
SELECT is(
    (SELECT array_agg(ref.close(reference[1], 1 + step / 4.0 * (.1 - 1)) AND ref.close(reference[2], .2 + step / 4.0 * (.1 - .2)))
     FROM anonopt.reference_direction('employee', 2, '{1.0,0.2}', '{0.1,0.1}', 4, seed => 1)),
    '{t,t,t,t}'::boolean[], 'references lie on the line');

-- Example 7: at equal ach the highest k
SELECT is(
    (SELECT array_agg(cuts::text || ' ' || k)
     FROM anonopt.nsga2('employee', 2, .1, .5, seed => seed, taxonomy => true) WHERE chosen),
    ARRAY[ref.cuts_of('employee', '{4,1}')::text || ' 5'], 'Example 7: the partition of (4,1), seed ' || seed)
FROM generate_series(1, 5) seed;

-- every node of a small lattice, as cuts; measures.sql does so for twelve nodes of each
-- of its random data sets, and below for all of them
SELECT is(array_length(ref.nodes('employee'), 1), 10, 'ten nodes');

CREATE FUNCTION pg_temp.differing_nodes(dataset text) RETURNS text
LANGUAGE sql AS $$
    WITH node AS (
        SELECT ARRAY(SELECT unnest(nodes[i:i])) AS levels
        FROM (SELECT ref.nodes(dataset) AS nodes) x, generate_subscripts(nodes, 1) i),
    pair AS MATERIALIZED (
        SELECT n.levels, to_jsonb(e) - 'levels' AS of_levels, to_jsonb(c) - 'levels' AS of_cuts
        FROM node n, anonopt.evaluate(dataset, n.levels) e, anonopt.evaluate_cuts(dataset, ref.cuts_of(dataset, n.levels)) c)
    SELECT string_agg(format(E'\nnode %s: %s, as cuts %s', levels, of_levels, of_cuts), '')
    FROM pair WHERE of_levels <> of_cuts
$$;
SELECT is(pg_temp.differing_nodes('employee'), NULL, 'cuts of a node measure as the node');

-- ---------------------------------------------------------------------------
-- The achievement function
-- ---------------------------------------------------------------------------

SELECT setseed(0.5) \g /dev/null
SELECT is((SELECT count(*) FROM
    (SELECT random() AS a, random() AS b, power(random(), 4) AS c, power(random(), 4) AS d FROM generate_series(1, 10000)) x
    WHERE NOT ref.close(anonopt.achievement(a, b, c, d), pg_temp.ach(a, b, c, d))), 0::bigint, 'achievement is the formula');
SELECT is((SELECT count(*) FROM unnest('{0,1e-9,0.5,1}'::float8[]) a, unnest('{0,1e-9,0.5,1}'::float8[]) b,
                                unnest('{0,1e-9,0.5,1}'::float8[]) c, unnest('{0,1e-9,0.5,1}'::float8[]) d
           WHERE NOT ref.close(anonopt.achievement(a, b, c, d), pg_temp.ach(a, b, c, d))), 0::bigint, 'at the ends too');
SELECT ok(anonopt.achievement(.3, .2, .3, .2) = anonopt.achievement(.3, .1, .3, .2), 'what is preferred and less in one is as near');
SELECT cmp_ok(anonopt.achievement(.3, .2, .3, .2), '>', anonopt.achievement(.29, .19, .3, .2), 'less in both is nearer');
SELECT is(anonopt.achievement(NULL, .2, .3, .2), NULL, 'NULL for NULL');

-- ---------------------------------------------------------------------------
-- Random data sets
-- ---------------------------------------------------------------------------

-- The runs of an attribute's lowest labels, from the i-th to the j-th, that may be a
-- group: any within a label of max_level, or along the tree the labels themselves.
CREATE FUNCTION pg_temp.runs(dataset text, ordinal int, taxonomy boolean)
RETURNS TABLE (i int, j int)
LANGUAGE sql AS $$
    WITH bounds AS (
        SELECT a.min_level, coalesce(a.max_level, ref.levels_of(a.hierarchy)) AS max_level
        FROM ref.attribute a
        WHERE (a.dataset, a.role, a.ordinal) = (runs.dataset, 'quasi_identifier', runs.ordinal)),
    place AS (
        SELECT leaf_no, dense_rank() OVER (ORDER BY label_no)::int AS place
        FROM ref.label l, bounds
        WHERE (l.dataset, l.role, l.ordinal, l.level) = (runs.dataset, 'quasi_identifier', runs.ordinal, min_level)),
    label AS (
        SELECT DISTINCT level, min(place) OVER same AS low, max(place) OVER same AS high
        FROM ref.label l JOIN place USING (leaf_no), bounds
        WHERE (l.dataset, l.role, l.ordinal) = (runs.dataset, 'quasi_identifier', runs.ordinal)
          AND level BETWEEN min_level AND max_level
        WINDOW same AS (PARTITION BY level, label_no))
    SELECT DISTINCT i, j
    FROM label, bounds, generate_series(low, high) i, generate_series(i, high) j
    WHERE CASE WHEN taxonomy THEN (i, j) = (low, high) ELSE level = max_level END
$$;

-- The bit strings of an attribute that are made of such runs.
CREATE FUNCTION pg_temp.strings(dataset text, ordinal int, taxonomy boolean) RETURNS SETOF varbit
LANGUAGE sql AS $$
    WITH RECURSIVE run AS MATERIALIZED (SELECT * FROM pg_temp.runs(dataset, ordinal, taxonomy)),
    walk AS (
        SELECT '' AS bits, 1 AS place
        UNION ALL
        SELECT bits || CASE WHEN i > 1 THEN '1' ELSE '' END || repeat('0', j - i), j + 1
        FROM walk JOIN run ON i = place)
    SELECT bits::varbit FROM walk WHERE place > (SELECT max(j) FROM run)
$$;

-- The groups that an attribute's bits make, as runs of its labels.
CREATE FUNCTION pg_temp.groups_of(bits varbit) RETURNS TABLE (i int, j int)
LANGUAGE sql AS $$
    SELECT coalesce(lag(stop) OVER (ORDER BY stop), 0) + 1, stop
    FROM (SELECT length(bits) + 1 AS stop
          UNION ALL
          SELECT n FROM generate_series(1, length(bits)) n WHERE get_bit(bits::bit varying, n - 1) = 1) x
$$;

CREATE FUNCTION pg_temp.rows_of(call text) RETURNS text[]
LANGUAGE plpgsql AS $$
DECLARE
    rows text[];
BEGIN
    EXECUTE format('SELECT array_agg(x::text ORDER BY i) FROM ROWS FROM (anonopt.%s) WITH ORDINALITY x (%s)', call,
        CASE WHEN call LIKE 'efficiency%' THEN 'levels, k, necd, nwp, efficiency, ach, pref_dev, chosen, i'
             WHEN call LIKE 'nsga2%' THEN 'cuts, groups, k, necd, nwp, ach, pref_dev, feasible, chosen, i'
             ELSE 'step, reference, cuts, groups, k, necd, nwp, ach, pref_dev, i' END) INTO rows;
    RETURN coalesce(rows, '{}');
END $$;

-- What cuts measure, those suppressed who are in classes smaller than k where that is
-- allowed and leaves somebody, and nobody where it is not; no row for none.  An array
-- of cuts gives a row each, in their order, from two readings.
CREATE FUNCTION pg_temp.measured(dataset text, cuts varbit[], k_asked int) RETURNS SETOF anonopt.node
LANGUAGE plpgsql AS $$
BEGIN
    IF cuts IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY SELECT (CASE WHEN (s.node).feasible AND (s.node).classes > 0 THEN s.node ELSE w.node END).*
        FROM (SELECT e AS node, row_number() OVER () AS n FROM anonopt.evaluate_cuts(dataset, cuts, k => k_asked) e) s
        JOIN (SELECT e AS node, row_number() OVER () AS n FROM anonopt.evaluate_cuts(dataset, cuts, k => 1) e) w USING (n) ORDER BY n;
END $$;

-- The ach of the nearest level node that is feasible, if any is.
CREATE FUNCTION pg_temp.nearest_node(dataset text, k_asked int, p float8, q float8) RETURNS float8
LANGUAGE sql AS $$
    SELECT min(pg_temp.ach(necd, nwp, p, q)) FROM anonopt.lattice(dataset, k => k_asked) WHERE feasible AND classes > 0
$$;

-- What efficiency must return, each row against every other.
CREATE FUNCTION pg_temp.judged(dataset text, k_asked int, p float8, q float8) RETURNS text[]
LANGUAGE sql AS $$
    WITH node AS MATERIALIZED (
        SELECT levels, k, necd, nwp, pg_temp.ach(necd, nwp, p, q) AS ach, pg_temp.dev(necd, nwp, p, q) AS dev
        FROM ref.lattice(dataset, k => k_asked) WHERE feasible AND k IS NOT NULL),
    labelled AS (
        SELECT n.*,
               CASE WHEN NOT EXISTS (SELECT FROM node d WHERE d.necd <= n.necd AND d.nwp <= n.nwp
                                                          AND (d.necd < n.necd OR d.nwp < n.nwp)) THEN 'strong'
                    WHEN NOT EXISTS (SELECT FROM node d WHERE d.necd < n.necd AND d.nwp < n.nwp) THEN 'weak'
                    ELSE 'none' END AS efficiency,
               row_number() OVER (ORDER BY ach, dev, (SELECT sum(x) FROM unnest(levels) x), levels) AS i
        FROM node n)
    SELECT coalesce(array_agg(ROW(levels, k, necd, nwp, efficiency, ach, dev, i = 1, NULL::float8[], i)::text ORDER BY i), '{}')
    FROM labelled
$$;

-- What is wrong with rows of nsga2, or NULL, one check each.
CREATE TEMP TABLE found (i bigint, cuts varbit[], groups int[], k bigint, necd float8, nwp float8, ach float8,
                            pref_dev float8, feasible boolean, chosen boolean, further float8[]);
CREATE TEMP TABLE run (ordinal int, i int, j int);
CREATE FUNCTION pg_temp.faults(dataset text, k_asked int, p float8, q float8) RETURNS text[]
LANGUAGE sql AS $$
    SELECT ARRAY[
        (SELECT string_agg(format('row %s: measured %s, %s, %s', i, e.k, e.necd, e.nwp), '; ')
         FROM (SELECT *, row_number() OVER (ORDER BY i) AS n FROM found) f
         JOIN (SELECT *, row_number() OVER () AS n FROM pg_temp.measured(dataset, (SELECT array_agg(cuts ORDER BY i) FROM found), k_asked)) e USING (n)
         WHERE (e.k, e.necd, e.nwp) IS DISTINCT FROM (f.k, f.necd, f.nwp)),
        (SELECT string_agg(format('row %s has %s', i, groups), '; ')
         FROM found
         WHERE groups IS DISTINCT FROM ARRAY(SELECT 1 + length(replace(c::text, '0', ''))
                                             FROM unnest(cuts) WITH ORDINALITY x (c, n) ORDER BY n)),
        (SELECT string_agg(format('row %s', i), '; ')
         FROM found
         WHERE (ach, pref_dev, feasible) IS DISTINCT FROM
               (pg_temp.ach(necd, nwp, p, q), pg_temp.dev(necd, nwp, p, q), k >= k_asked)),
        (SELECT string_agg(format('row %s by %s', f.i, g.i), '; ')
         FROM found f JOIN found g ON g.i <> f.i AND g.ach <= f.ach AND g.k >= f.k),
        (SELECT string_agg(format('row %s', b.i), '; ')
         FROM found a JOIN found b ON b.i = a.i + 1 AND b.ach <= a.ach),
        (SELECT format('chosen are %s', array_agg(i ORDER BY i) FILTER (WHERE chosen))
         FROM found
         HAVING array_agg(i ORDER BY i) FILTER (WHERE chosen) IS DISTINCT FROM
                (SELECT array_agg(i) FROM (SELECT i FROM found WHERE feasible ORDER BY ach, k DESC, pref_dev LIMIT 1) x)),
        (SELECT format('a level node of %s, chosen %s', nearest, f.ach)
         FROM pg_temp.nearest_node(dataset, k_asked, p, q) nearest LEFT JOIN found f ON f.chosen
         WHERE nearest IS NOT NULL AND (f.ach > nearest) IS NOT FALSE),
        (SELECT string_agg(format('row %s, attribute %s: %s', f.i, ordinal, bits), '; ')
         FROM found f, unnest(cuts) WITH ORDINALITY x (bits, ordinal)
         WHERE EXISTS (SELECT * FROM pg_temp.groups_of(bits)
                       EXCEPT SELECT run.i, run.j FROM run WHERE run.ordinal = x.ordinal))]
$$;

-- One random data set; what differs, all rolled back.
CREATE FUNCTION pg_temp.differences(seed int, OUT parameters text, OUT differing text[])
LANGUAGE plpgsql AS $$
DECLARE
    d text;
    k int;
    p float8;
    q float8;
    call text;
    first text[];
    faults text[];
    rows text[];
    walk text;
BEGIN
    differing := array_fill(NULL::text, ARRAY[15]);
    parameters := sample.data_set(seed);
    PERFORM ref.read(dataset), ref.declare(dataset) FROM ref.dataset;
    SELECT dataset INTO d FROM ref.dataset;
    k := 1 + sample.below(6);
    p := sample.pick(ARRAY[0, 1, round(random()::numeric, 2), random()]::float8[]);
    q := sample.pick(ARRAY[0, 1, round(random()::numeric, 2), random()]::float8[]);

    call := format('efficiency(%L, %s, %L, %L)', d, k, p, q);
    rows := pg_temp.rows_of(call);
    IF rows IS DISTINCT FROM pg_temp.judged(d, k, p, q) THEN
        differing[1] := format(E'\n%s\nwant %s\n got %s', call, pg_temp.judged(d, k, p, q), rows);
    END IF;
    differing[2] := pg_temp.differing_nodes(d);

    FOR taxonomy IN 0..1 LOOP
        call := format('nsga2(%L, %s, %L, %L, %s, %s, %L, %L, %s, %L)', d, k, p, q, 2 + sample.below(30),
                       32 + sample.below(300), random(), sample.pick(ARRAY[0, 0.001, 0.1, 1, random()]::float8[]),
                       seed, taxonomy = 1 AND seed % 2 = 0);
        -- with odd seeds, some columns only
        IF taxonomy = 1 AND seed % 2 = 1 THEN
            call := left(call, -1) || format(', taxonomy_columns => %L)',
                ARRAY(SELECT column_name FROM ref.attribute WHERE role = 'quasi_identifier' AND ordinal % 2 = 1));
        END IF;
        SET LOCAL anonopt.max_workers = 0;
        DELETE FROM found;
        DELETE FROM run;
        INSERT INTO run SELECT ordinal, r.* FROM ref.attribute, pg_temp.runs(d, ordinal, taxonomy = 1 AND (seed % 2 = 0 OR ordinal % 2 = 1)) r
                        WHERE role = 'quasi_identifier';
        EXECUTE format('INSERT INTO found SELECT row_number() OVER (), * FROM anonopt.%s', call);
        first := ARRAY(SELECT ROW(cuts, groups, f.k, necd, nwp, ach, pref_dev, feasible, chosen, further, i)::text
                       FROM found f ORDER BY i);
        faults := pg_temp.faults(d, k, p, q);
        FOR i IN 1..8 LOOP
            differing[2 + i] := coalesce(differing[2 + i], E'\n' || call || E'\n' || faults[i]);
        END LOOP;
        rows := pg_temp.rows_of(call);
        IF rows IS DISTINCT FROM first THEN
            differing[11] := format(E'\n%s\nonce  %s\ntwice %s', call, first, rows);
        END IF;
        SET LOCAL anonopt.max_workers = 2;
        rows := pg_temp.rows_of(call);
        IF rows IS DISTINCT FROM first THEN
            differing[12] := format(E'\n%s\nalone    %s\ntogether %s', call, first, rows);
        END IF;
        IF EXISTS (SELECT FROM ref.person WHERE dataset = d) <> (cardinality(rows) > 0) THEN
            differing[13] := E'\n' || call;
        END IF;
    END LOOP;

    -- a walk: rows that are measured and judged by their own reference; a feasible
    -- one at every step or at none
    call := format('reference_direction(%L, %s, %L, %L, %s, %s, %s, seed => %s, taxonomy => %L)', d, k, ARRAY[p, q],
                   ARRAY[random(), random()], 1 + sample.below(5), 2 + sample.below(20), 22 + sample.below(200), seed,
                   sample.chance(0.5));
    EXECUTE format('SELECT string_agg(format(''step %%s'', r.step), ''; '')
        FROM anonopt.%s r LEFT JOIN LATERAL pg_temp.measured(%L, r.cuts, %s) e ON true
        WHERE ROW(r.k, r.necd, r.nwp, r.ach, r.pref_dev) IS DISTINCT FROM
              ROW(e.k, e.necd, e.nwp, pg_temp.ach(e.necd, e.nwp, reference[1], reference[2]),
                  pg_temp.dev(e.necd, e.nwp, reference[1], reference[2]))
           OR r.k < %3$s
           OR (r.k IS NULL) <> (pg_temp.nearest_node(%2$L, %3$s, 0.1, 0.1) IS NULL)
           OR r.ach > pg_temp.nearest_node(%2$L, %3$s, reference[1], reference[2])',
        call, d, k) INTO walk;
    differing[14] := E'\n' || call || E'\n' || walk;
    IF pg_temp.rows_of(call) IS DISTINCT FROM pg_temp.rows_of(call) THEN
        differing[15] := E'\n' || call;
    END IF;
    RAISE SQLSTATE 'ROLLB';
EXCEPTION
    WHEN SQLSTATE 'ROLLB' THEN
        NULL;
    WHEN OTHERS THEN
        differing := array_fill(format(E'\n%s: %s', SQLSTATE, SQLERRM), ARRAY[15]);
END $$;

CREATE FUNCTION pg_temp.check_set(seed int) RETURNS SETOF text
LANGUAGE sql AS $$
    SELECT v FROM pg_temp.differences(seed) d, sample.verdicts(seed, d.parameters, d.differing, ARRAY[
        'efficiency', 'every node as cuts', 'nsga2 measures', 'groups',
        'ach, pref_dev and feasible', 'no row beats another', 'nearest first', 'the chosen one',
        'no level node is nearer', 'groups that may be', 'the same seed twice', 'workers change nothing',
        'rows wherever there are people', 'reference_direction', 'reference_direction twice']) v
$$;

SET client_min_messages = error;
SELECT pg_temp.check_set(seed) FROM generate_series(2001, 2000 + pg_temp.few(120, 10)) seed;

-- The closest of all cuts of a small space, by trying every one.
CREATE FUNCTION pg_temp.missed(seed int, OUT cuts_tried bigint, OUT missed text)
LANGUAGE plpgsql AS $$
DECLARE
    d text;
    k_asked int;
    p float8 := round(random()::numeric, 2);
    q float8 := round(random()::numeric, 2);
    along_tree boolean := seed % 3 = 0;
    best text;
    got text;
BEGIN
    PERFORM sample.data_set(seed);
    PERFORM ref.read(dataset), ref.declare(dataset) FROM ref.dataset;
    SELECT dataset INTO d FROM ref.dataset;
    k_asked := 1 + sample.below(4);
    CREATE TEMP TABLE cut ON COMMIT DROP AS
        WITH RECURSIVE string AS MATERIALIZED (
            SELECT ordinal, bits FROM ref.attribute, pg_temp.strings(d, ordinal, along_tree) bits
            WHERE role = 'quasi_identifier'),
        product AS (
            SELECT '{}'::varbit[] AS cuts
            UNION ALL
            SELECT cuts || bits FROM product JOIN string ON ordinal = cardinality(cuts) + 1)
        SELECT cuts FROM product WHERE cardinality(cuts) = (SELECT max(ordinal) FROM string);
    SELECT count(*) INTO cuts_tried FROM cut;
    SELECT ROW(ach, k, dev)::text INTO best
    FROM (SELECT k, pg_temp.ach(necd, nwp, p, q) AS ach, pg_temp.dev(necd, nwp, p, q) AS dev
          FROM pg_temp.measured(d, (SELECT array_agg(cuts) FROM cut), k_asked)) x
    WHERE k >= k_asked ORDER BY ach, k DESC, dev LIMIT 1;
    SELECT ROW(ach, k, pref_dev)::text INTO got
    FROM anonopt.nsga2(d, k_asked, p, q, 50, 20000, mutation => 0.1, seed => seed, taxonomy => along_tree) WHERE chosen;
    IF got IS DISTINCT FROM best THEN
        missed := format('of %s cuts the best is %s, chosen %s', cuts_tried, best, got);
    END IF;
    RAISE SQLSTATE 'ROLLB';
EXCEPTION
    WHEN SQLSTATE 'ROLLB' THEN
        NULL;
    WHEN OTHERS THEN
        missed := format('%s: %s', SQLSTATE, SQLERRM);
END $$;

-- Sets of at most twelve bits
CREATE FUNCTION pg_temp.bits_of(seed int, OUT bits bigint)
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM sample.data_set(seed);
    PERFORM ref.read(dataset) FROM ref.dataset;
    SELECT sum(labels - 1) INTO bits
    FROM (SELECT count(DISTINCT label_no) AS labels
          FROM ref.attribute a JOIN ref.label USING (dataset, role, ordinal)
          WHERE role = 'quasi_identifier' AND level = a.min_level GROUP BY ordinal) x;
    RAISE SQLSTATE 'ROLLB';
EXCEPTION WHEN SQLSTATE 'ROLLB' THEN
    NULL;
END $$;

CREATE TABLE sample.small AS
    SELECT seed FROM generate_series(3001, 3000 + pg_temp.few(160)) seed, pg_temp.bits_of(seed) bits
    WHERE seed % 10 <> 0 AND bits BETWEEN 3 AND 12 ORDER BY seed LIMIT pg_temp.few(40);
SELECT is((SELECT count(*)::int FROM sample.small), pg_temp.few(40), 'small spaces');
SELECT is(missed, NULL, format('set %s: the nearest of all %s cuts', seed, cuts_tried))
FROM sample.small, pg_temp.missed(seed);

-- ---------------------------------------------------------------------------
-- Keys
-- ---------------------------------------------------------------------------

SELECT setseed(0.25) \g /dev/null
SELECT anonopt.create_interval_hierarchy('sample.hundred', 0, 99, '{5,10,50}'),
       anonopt.create_interval_hierarchy('sample.byte', 0, 255, '{16,64}'),
       anonopt.create_interval_hierarchy('sample.thousands', 0, 4999, '{10,100,1000}'),
       anonopt.create_interval_hierarchy('sample.only', 7, 7, '{1}') \g /dev/null
SELECT format('CREATE TABLE sample.wide AS SELECT 7 AS only_one, 7 AS one_more, floor(5000 * random())::int AS v, %s, %s
               FROM generate_series(1, pg_temp.few(300, 60))',
              string_agg(format('floor(100 * power(random(), 2))::int AS h%s', i), ', '),
              string_agg(format('floor(256 * random())::int AS b%s', i), ', '))
FROM generate_series(1, 12) i \gexec
SELECT anonopt.create_dataset(d, 'sample.wide') FROM unnest('{wide,exact,long}'::text[]) d \g /dev/null
SELECT anonopt.add_quasi_identifier('wide', ('h' || i)::name, 'sample.hundred') FROM generate_series(1, 12) i \g /dev/null
-- 64 bits, with fields of none before, between and behind them
SELECT anonopt.add_quasi_identifier('exact', 'only_one', 'sample.only') \g /dev/null
SELECT anonopt.add_quasi_identifier('exact', ('b' || i)::name, 'sample.byte') FROM generate_series(1, 8) i \g /dev/null
SELECT anonopt.add_quasi_identifier('exact', 'one_more', 'sample.only') \g /dev/null
-- a field of more bits than are translated at once
SELECT anonopt.add_quasi_identifier('long', c::name, h) FROM (VALUES ('h1', 'sample.hundred'::regclass), ('only_one', 'sample.only'),
    ('v', 'sample.thousands'), ('b1', 'sample.byte'), ('h2', 'sample.hundred')) x (c, h) \g /dev/null

SELECT is(
    (SELECT array_agg(x::text) FROM
        (WITH n AS MATERIALIZED (SELECT row_number() OVER () AS nr, n.*
             FROM anonopt.nsga2(d, 3, 0.5, 0.3, 50, pg_temp.few(1500), mutation => 0.01, seed => 1, taxonomy => t) n)
         SELECT count(*) > 1, count(*) FILTER (WHERE (e.k, e.necd, e.nwp) IS DISTINCT FROM (n.k, n.necd, n.nwp)),
                count(*) FILTER (WHERE chosen)
         FROM n FULL JOIN (SELECT row_number() OVER () AS nr, e.* FROM pg_temp.measured(d, (SELECT array_agg(cuts ORDER BY nr) FROM n), 3) e) e
             USING (nr)) x),
    '{"(t,0,1)"}'::text[], format('keys of data set %s, taxonomy %s', d, t))
FROM unnest('{wide,exact,long}'::text[]) d, unnest('{f,t}'::boolean[]) t;
SELECT is((SELECT tuples FROM anonopt.last_search())::int, pg_temp.few(300, 60), 'of all different people');

-- ---------------------------------------------------------------------------
-- Preferences for measures beside bias and loss, and promises of every kind
-- ---------------------------------------------------------------------------

SELECT setseed(0.61);
CREATE SCHEMA f;
CREATE TABLE f.people AS
SELECT i AS id, floor(random() * 10)::int AS age, 't' || floor(random() * 6) AS town, (ARRAY['flu', 'gout', 'cold'])[1 + floor(random() * 3)::int] AS ill,
       random() < 0.4 AS smokes
FROM generate_series(1, 150) i;
CREATE TABLE f.register AS SELECT age, town FROM f.people UNION ALL SELECT floor(random() * 10)::int, 't' || floor(random() * 6) FROM generate_series(1, 150);
SELECT anonopt.create_interval_hierarchy('f.ages', 0, 9, '{2,4}'), anonopt.create_csv_hierarchy('f.towns', E't0;a;*\nt1;a;*\nt2;b;*\nt3;b;*\nt4;c;*\nt5;c;*') \g /dev/null
SELECT anonopt.create_dataset('f', 'f.people', max_suppression => 0.1) \g /dev/null
SELECT anonopt.add_quasi_identifier('f', 'age', 'f.ages'), anonopt.add_quasi_identifier('f', 'town', 'f.towns', 2),
       anonopt.add_sensitive('f', 'ill'), anonopt.set_class_label('f', 'smokes') \g /dev/null

\ir achievement.inc
CREATE FUNCTION pg_temp.measure(n anonopt.node, name text) RETURNS float8 LANGUAGE sql AS $$ SELECT (to_jsonb(n) ->> name)::float8 $$;
CREATE FUNCTION pg_temp.sign(name text) RETURNS int LANGUAGE sql AS $$ SELECT CASE WHEN name IN ('k', 'l', 'entropy_l', 'sum_k', 'sum_l', 'sum_other', 'k_map') THEN -1 ELSE 1 END $$;

-- What is asked: further measures, what is preferred of them, weights and ideal of all, ideal in full where none is named
CREATE TABLE f.asked (nr int, measures text[], preferred float8[], weights float8[], ideal float8[], means float8[]);
INSERT INTO f.asked VALUES
    (1, '{glm}', '{60}', NULL, NULL, '{0,0,0}'),
    (2, '{t,suppressed}', '{0.2,5}', NULL, NULL, '{0,0,0,0}'),
    (3, '{k}', '{10}', NULL, NULL, '{0,0,150}'),
    (4, '{cm,dcn}', '{0.3,4000}', '{1,2,3,0.5}', NULL, '{0,0,0,0}'),
    (5, '{l,entropy_l}', '{2,1.5}', '{1,1,1,1}', '{0,0,3,3}', '{0,0,3,3}'),
    (6, '{sum_k,classes}', '{1500,10}', NULL, '{0,0,22500,1}', '{0,0,22500,1}'),
    (7, NULL, NULL, '{1,3}', '{0.01,0.02}', '{0.01,0.02}');

CREATE TABLE f.judged AS
SELECT a.nr, e.* FROM f.asked a, anonopt.efficiency('f', 2, 0.2, 0.3, measures => a.measures, preferences => a.preferred, weights => a.weights, ideal => a.ideal) e;
SELECT is((SELECT count(*) FROM f.judged j JOIN f.asked a USING (nr), anonopt.evaluate('f', j.levels, k => 2) n
           WHERE coalesce(j.further, '{}') <> ARRAY(SELECT pg_temp.measure(n, m) FROM unnest(a.measures) WITH ORDINALITY x (m, i) ORDER BY i)
              OR (j.k, j.necd, j.nwp) IS DISTINCT FROM (n.k, n.necd, n.nwp) OR NOT n.feasible), 0::bigint, 'efficiency: measures as evaluate has them');
SELECT is((SELECT count(*) FROM f.asked, anonopt.lattice('f', k => 2) n WHERE n.feasible), (SELECT count(*) FROM f.judged), 'of every feasible node');
SELECT is((SELECT count(*) FROM f.judged WHERE (further IS NULL) <> (nr = 7)), 0::bigint, 'NULL where nothing is asked');

-- all as costs
CREATE VIEW pg_temp.cost AS
SELECT j.nr, j.levels, j.ach, j.pref_dev, j.efficiency, j.chosen,
       ARRAY[j.necd, j.nwp] || ARRAY(SELECT v * pg_temp.sign(m) FROM unnest(j.further, a.measures) WITH ORDINALITY x (v, m, i) ORDER BY i) AS v,
       ARRAY[0.2, 0.3] || ARRAY(SELECT p * pg_temp.sign(m) FROM unnest(a.preferred, a.measures) WITH ORDINALITY x (p, m, i) ORDER BY i) AS p,
       coalesce(a.weights, ARRAY(SELECT 1 FROM unnest(a.means))) AS w,
       ARRAY(SELECT d * coalesce(pg_temp.sign(m), 1) FROM unnest(a.means, '{necd,nwp}' || a.measures) WITH ORDINALITY x (d, m, i) ORDER BY i) AS ideal
FROM f.judged j JOIN f.asked a USING (nr);
CREATE TABLE f.costs AS TABLE pg_temp.cost;
SELECT is((SELECT count(*) FROM f.costs WHERE abs(ach - pg_temp.ach(v, p, w, ideal)) > 1e-9 * (1 + abs(ach))), 0::bigint, 'achievement by the formula');
SELECT is((SELECT count(*) FROM f.costs WHERE abs(pref_dev - (SELECT sum(x) FROM unnest(v) x) + (SELECT sum(x) FROM unnest(p) x)) > 1e-6), 0::bigint, 'deviation');
SELECT is((SELECT count(*) FROM f.costs a WHERE efficiency IS DISTINCT FROM CASE
              WHEN EXISTS (SELECT FROM f.costs b WHERE a.nr = b.nr AND (SELECT bool_and(x < y) FROM unnest(b.v, a.v) z (x, y))) THEN 'none'
              WHEN EXISTS (SELECT FROM f.costs b WHERE a.nr = b.nr AND b.v <> a.v AND (SELECT bool_and(x <= y) FROM unnest(b.v, a.v) z (x, y))) THEN 'weak'
              ELSE 'strong' END), 0::bigint, 'efficiency by every pair');
SELECT is((SELECT count(*) FROM f.costs a WHERE chosen AND ach > (SELECT min(ach) FROM f.costs b WHERE a.nr = b.nr)), 0::bigint, 'the nearest is chosen');
SELECT is((SELECT count(*) FROM f.costs WHERE chosen), 7::bigint, 'one each');

-- Partitions ---------------------------------------------------------------------------

CREATE TABLE f.found AS
SELECT a.nr, s.* FROM f.asked a, anonopt.nsga2('f', 2, 0.2, 0.3, 20, 600, mutation => 0.05, seed => 5, measures => a.measures, preferences => a.preferred,
                                               weights => a.weights, ideal => a.ideal) s;
SELECT is((SELECT count(*) FROM f.found s JOIN f.asked a USING (nr), anonopt.evaluate_cuts('f', s.cuts, k => 2) n
           WHERE s.feasible AND ((s.k, s.necd, s.nwp) IS DISTINCT FROM (n.k, n.necd, n.nwp) OR NOT n.feasible
              OR coalesce(s.further, '{}') <> ARRAY(SELECT pg_temp.measure(n, m) FROM unnest(a.measures) WITH ORDINALITY x (m, i) ORDER BY i))),
          0::bigint, 'nsga2: measures as evaluate_cuts has them');
SELECT is((SELECT count(*) FROM f.found s JOIN f.asked a USING (nr), anonopt.evaluate_cuts('f', s.cuts, k => 1) n
           WHERE NOT s.feasible AND coalesce(s.further, '{}') <> ARRAY(SELECT pg_temp.measure(n, m) FROM unnest(a.measures) WITH ORDINALITY x (m, i) ORDER BY i)),
          0::bigint, 'with nobody suppressed where it is not feasible');
SELECT is((SELECT count(*) FROM (SELECT s.nr, s.ach, ARRAY[s.necd, s.nwp] || ARRAY(SELECT v * pg_temp.sign(m) FROM unnest(s.further, a.measures) WITH ORDINALITY x (v, m, i) ORDER BY i) AS v
                                 FROM f.found s JOIN f.asked a USING (nr)) s JOIN (SELECT DISTINCT nr, p, w, ideal FROM f.costs) c USING (nr)
           WHERE abs(ach - pg_temp.ach(v, p, w, ideal)) > 1e-9 * (1 + abs(ach))), 0::bigint, 'achievement by the formula');
SELECT is((SELECT count(*) FROM f.found s JOIN f.costs c USING (nr) WHERE s.chosen AND c.chosen AND s.ach > c.ach), 0::bigint, 'never farther than the nearest level node');
SELECT is((SELECT count(*) FROM f.found WHERE chosen), 7::bigint, 'one chosen each');
SELECT is((SELECT count(*) FROM f.found a JOIN f.found b USING (nr) WHERE a.ach <= b.ach AND a.k >= b.k AND (a.ach, a.k) <> (b.ach, b.k)), 0::bigint, 'none beaten in ach and k');
SET anonopt.max_workers = 2;
SELECT results_eq($$SELECT s.* FROM f.asked a, anonopt.nsga2('f', 2, 0.2, 0.3, 20, 600, mutation => 0.05, seed => 5, measures => a.measures, preferences => a.preferred,
                   weights => a.weights, ideal => a.ideal) s WHERE nr = 4$$,
                  'SELECT cuts, groups, k, necd, nwp, ach, pref_dev, feasible, chosen, further FROM f.found WHERE nr = 4', 'the same seed, the same rows');

-- A walk -------------------------------------------------------------------------------

CREATE TABLE f.walk AS SELECT * FROM anonopt.reference_direction('f', 2, '{0.5,0.5,0.9,1}', '{0.1,0.2,0.1,3}', 4, 20, 800, mutation => 0.05, seed => 3, measures => '{t,l}');
SELECT is((SELECT array_agg(ARRAY(SELECT round(x::numeric, 6) FROM unnest(reference) x) ORDER BY step) FROM f.walk),
          '{{0.4,0.425,0.7,1.5},{0.3,0.35,0.5,2},{0.2,0.275,0.3,2.5},{0.1,0.2,0.1,3}}'::numeric[], 'the references of a walk');
SELECT is((SELECT count(*) FROM f.walk w, anonopt.evaluate_cuts('f', w.cuts, k => 2) n WHERE w.further <> ARRAY[n.t, n.l]), 0::bigint, 'and its measures');
SELECT is((SELECT count(*) FROM f.walk WHERE abs(ach - pg_temp.ach(ARRAY[necd, nwp, further[1], -further[2]], ARRAY[reference[1], reference[2], reference[3], -reference[4]],
                                                                    '{1,1,1,1}', '{0,0,0,-3}')) > 1e-9), 0::bigint, 'and its achievement');

-- Measures that are infinite, or huge beside the utopian point --------------------------------

SELECT cmp_ok((SELECT count(*) FROM anonopt.efficiency('f', 1, 0.2, 0.3, measures => '{disclosure}', preferences => '{1}') WHERE further[1] = 'Infinity'), '>', 0::bigint,
              'nodes whose classes lack a value');
SELECT is((SELECT count(*) FROM anonopt.efficiency('f', 1, 0.2, 0.3, measures => '{disclosure}', preferences => '{1}', weights => '{1,1,0}') x
           FULL JOIN anonopt.efficiency('f', 1, 0.2, 0.3, weights => '{1,1}') y USING (levels) WHERE (abs(x.ach - y.ach) < 1e-12) IS NOT TRUE), 0::bigint,
          'a measure of no weight does not count');
SELECT ok(abs(a - 2) < 1e-5, 'an ideal so large that the utopian point is rounded') FROM anonopt.achievement_of('{2,1e20}', '{1,1e20}', ideal => '{0,1e20}') a;

-- Promises of every kind ------------------------------------------------------------------

CREATE FUNCTION pg_temp.under(says text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    DROP TABLE IF EXISTS f.under;
    CREATE TABLE f.under AS SELECT * FROM anonopt.nsga2('f', 2, 0.2, 0.3, 20, 400, mutation => 0.05, seed => 9, measures => '{t}', preferences => '{0.3}');
    RETURN NEXT is((SELECT count(*) FROM f.under u, anonopt.evaluate_cuts('f', u.cuts, k => 2) n
                    WHERE u.feasible AND (NOT n.feasible OR (u.k, u.necd, u.nwp, u.further) IS DISTINCT FROM (n.k, n.necd, n.nwp, ARRAY[n.t])) OR NOT u.feasible AND n.feasible AND n.classes > 0),
                   0::bigint, says || ': partitions');
    RETURN NEXT is((SELECT count(*) FROM anonopt.efficiency('f', 2, 0.2, 0.3) e FULL JOIN (SELECT * FROM anonopt.lattice('f', k => 2) WHERE feasible AND classes > 0) n USING (levels)
                    WHERE (e.k, e.necd, e.nwp) IS DISTINCT FROM (n.k, n.necd, n.nwp)), 0::bigint, says || ': level nodes');
    RETURN NEXT is((SELECT count(*) FROM anonopt.reference_direction('f', 2, '{0.5,0.5}', '{0.1,0.2}', 2, 20, 400, seed => 1) w, anonopt.evaluate_cuts('f', w.cuts, k => 2) n
                    WHERE NOT n.feasible OR (w.k, w.necd, w.nwp) IS DISTINCT FROM (n.k, n.necd, n.nwp)), 0::bigint, says || ': a walk');
END $$;
SELECT anonopt.add_promise('f', 'l', 2, 'ill') \g /dev/null
SELECT pg_temp.under('l');
SELECT anonopt.drop_promise('f', 'l', 'ill'), anonopt.add_promise('f', 't', 0.35, 'ill') \g /dev/null
SELECT pg_temp.under('t');
SELECT anonopt.drop_promise('f', 't', 'ill'), anonopt.add_promise('f', 'recursive_l', 2, 'ill', c => 3) \g /dev/null
SELECT pg_temp.under('recursive_l');
SELECT anonopt.drop_promise('f', 'recursive_l', 'ill'), anonopt.add_promise('f', 'beta', 1, 'ill') \g /dev/null
SELECT pg_temp.under('beta');
SELECT anonopt.drop_promise('f', 'beta', 'ill'), anonopt.add_promise('f', 'k_map', 8, population => 'f.register') \g /dev/null
SELECT pg_temp.under('k_map');
SELECT anonopt.drop_promise('f', 'k_map'), anonopt.add_promise('f', 'average_risk', 0.2) \g /dev/null
SELECT pg_temp.under('average_risk');
SELECT anonopt.drop_promise('f', 'average_risk') \g /dev/null

-- Wrong arguments ---------------------------------------------------------------------------

SELECT throws_ok(format('SELECT * FROM anonopt.efficiency(''f'', 2, 0.2, 0.3, %s)', arguments), '22023', NULL, arguments)
FROM (VALUES ($$measures => '{necd}', preferences => '{1}'$$), ($$measures => '{glm}'$$), ($$preferences => '{1}'$$), ($$measures => '{glm,t}', preferences => '{1}'$$),
    ($$measures => '{glm}', preferences => '{NaN}'$$), ($$measures => '{glm}', preferences => '{-1}'$$), ($$measures => '{finer}', preferences => '{1}'$$),
    ($$measures => '{k}', preferences => '{151}'$$), ($$weights => '{1}'$$), ($$weights => '{-1,2}'$$), ($$ideal => '{0.5,0}'$$)) x (arguments);

SELECT * FROM finish();
ROLLBACK;
