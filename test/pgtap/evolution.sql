-- PBG-EA, against plain SQL: its archive after every update of random streams; the
-- quality of random sets of nodes; and its searches of random small data sets.
\ir begin.inc
-- small statements whose cost the planner cannot know
SET jit = off;
\ir reference.inc
\ir random_data.inc

SELECT plan(pg_temp.few(400) * 4 + pg_temp.few(300, 18) * 12);

-- The archive ---------------------------------------------------------------------

CREATE TYPE pg_temp.vector AS (v float8[]);

-- Whether a vector is nowhere worse and somewhere better; more is better.
CREATE FUNCTION pg_temp.beats(a float8[], b float8[]) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    FOR i IN 1..cardinality(a) LOOP
        IF a[i] < b[i] THEN
            RETURN false;
        END IF;
    END LOOP;
    RETURN a <> b;
END $$;

CREATE FUNCTION pg_temp.box(v float8[], epsilon float8[]) RETURNS float8[]
LANGUAGE sql IMMUTABLE AS $$ SELECT array_agg(floor(x.v / x.e) ORDER BY i) FROM unnest(v, epsilon) WITH ORDINALITY x (v, e, i) $$;

-- By boxes where they differ, by values inside one.
CREATE FUNCTION pg_temp.box_beats(a float8[], b float8[], box_a float8[], box_b float8[]) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN CASE WHEN box_a = box_b THEN pg_temp.beats(a, b) ELSE pg_temp.beats(box_a, box_b) END;
END $$;

-- The product of all box counts but the largest.
CREATE FUNCTION pg_temp.bound(largest float8[], epsilon float8[]) RETURNS numeric
LANGUAGE sql IMMUTABLE AS $$
    SELECT round(exp(sum(ln(boxes)))) FROM
        (SELECT (floor(x.k / x.e) + 1)::numeric AS boxes FROM unnest(largest, epsilon) x (k, e)
         ORDER BY 1 LIMIT cardinality(epsilon) - 1) y
$$;

-- Up to 30 candidates with two to five values, more similar with more objectives.
CREATE FUNCTION pg_temp.candidates(objectives int) RETURNS pg_temp.vector[]
LANGUAGE plpgsql AS $$
DECLARE
    kinds text[] := ARRAY(SELECT sample.pick('{bit,small,large,quarter,fraction,share,zero}'::text[])
                          FROM generate_series(1, objectives));
    -- along a front: a gain in one is a loss in the other
    opposed boolean := sample.chance(0.5);
    u float8;
    stream pg_temp.vector[] := '{}';
BEGIN
    FOR i IN 1..10 + sample.below(21) LOOP
        u := random();
        IF i > 1 AND sample.chance(0.1) THEN
            stream := stream || stream[1 + sample.below(i - 1)];
            CONTINUE;
        END IF;
        stream := stream || ROW(ARRAY(
            SELECT CASE kind WHEN 'bit' THEN floor(2 * x) WHEN 'small' THEN floor(8 * x) WHEN 'large' THEN floor(30000 * x)
                             WHEN 'quarter' THEN floor(20 * x) / 4 WHEN 'fraction' THEN 9 * x WHEN 'share' THEN x ELSE 0 END
            FROM (SELECT kind, nr, CASE WHEN opposed AND nr = 1 THEN u
                                        WHEN opposed AND nr = 2 THEN (1 - u) * (0.9 + random() / 10)
                                        ELSE random() END AS x
                  FROM unnest(kinds) WITH ORDINALITY k (kind, nr)) y
            ORDER BY nr))::pg_temp.vector;
    END LOOP;
    RETURN stream;
END $$;

CREATE FUNCTION pg_temp.positions(stream pg_temp.vector[], epsilon float8[]) RETURNS int[]
LANGUAGE sql AS $$
    SELECT anonopt.box_archive((SELECT array_agg(v ORDER BY i) FROM unnest(stream) WITH ORDINALITY x (v, i)), epsilon)
$$;

-- One stream, checked after every update: the first fault of each kind.
CREATE FUNCTION pg_temp.check_stream(seed int) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
    stream pg_temp.vector[];
    epsilon float8[];
    boxes pg_temp.vector[];
    c float8[];
    b float8[];
    kept int[];
    members int[] := '{}';
    got int[];
    wrong text[] := array_fill(NULL::text, ARRAY[4]);
    largest float8[];
BEGIN
    PERFORM setseed(seed / 1000.0);
    stream := pg_temp.candidates(2 + seed % 4);
    epsilon := ARRAY(SELECT CASE WHEN seed % 7 = 0 THEN 1 ELSE sample.pick('{1e-9,0.01,0.3,0.5,1,1,2,3,10,1000}'::float8[]) END
                     FROM unnest(stream[1].v));
    boxes := ARRAY(SELECT ROW(pg_temp.box(v, epsilon))::pg_temp.vector FROM unnest(stream) WITH ORDINALITY x (v, i) ORDER BY i);
    FOR i IN 1..cardinality(stream) LOOP
        c := stream[i].v;
        b := boxes[i].v;
        -- the updator, as the paper has it
        kept := ARRAY(SELECT m FROM unnest(members) m WHERE NOT pg_temp.box_beats(c, stream[m].v, b, boxes[m].v));
        members := kept;
        IF NOT EXISTS (SELECT FROM unnest(kept) m
                       WHERE pg_temp.box_beats(stream[m].v, c, boxes[m].v, b) OR boxes[m].v = b) THEN
            members := kept || i;
        END IF;

        got := pg_temp.positions(stream[1:i], epsilon);
        IF got IS DISTINCT FROM members THEN
            wrong[1] := coalesce(wrong[1], format('after %s of %s, epsilon %s: want %s, got %s', i, stream, epsilon, members, got));
        END IF;
        -- a member from before was not beaten before
        IF EXISTS (SELECT FROM unnest(got) m WHERE pg_temp.beats(c, stream[m].v))
           OR i = ANY (got) AND EXISTS (SELECT FROM unnest(stream[1:i]) x (v) WHERE pg_temp.beats(v, c)) THEN
            wrong[2] := coalesce(wrong[2], format('after %s of %s, epsilon %s: %s', i, stream, epsilon, got));
        END IF;
        IF (SELECT count(*) <> count(DISTINCT boxes[m].v) FROM unnest(got) m) THEN
            wrong[3] := coalesce(wrong[3], format('after %s of %s, epsilon %s: %s', i, stream, epsilon, got));
        END IF;
        largest := ARRAY(SELECT greatest(x.l, x.c) FROM unnest(largest, c) WITH ORDINALITY x (l, c, nr) ORDER BY nr);
        IF cardinality(got) > pg_temp.bound(largest, epsilon) THEN
            wrong[4] := coalesce(wrong[4], format('after %s of %s, epsilon %s: %s', i, stream, epsilon, got));
        END IF;
    END LOOP;
    RETURN QUERY SELECT is(wrong[n], NULL, format('stream %s of %s: %s', seed, cardinality(stream), what))
    FROM unnest(ARRAY['the members', 'none is dominated by any that came', 'one a box', 'no more than the bound'])
         WITH ORDINALITY x (what, n);
END $$;

SELECT pg_temp.check_stream(seed) FROM generate_series(1, pg_temp.few(400)) seed;

-- Nodes' values ---------------------------------------------------------------------

-- The objectives that a data set allows.
CREATE FUNCTION pg_temp.askable() RETURNS text[]
LANGUAGE sql AS $$
    SELECT array_agg(o) FROM unnest('{k,suppressed,classes,glm,nwp,dcn,necd,sum_k,t,cm,l,entropy_l,sum_l,sum_other}'::text[]) o
    WHERE (o NOT IN ('t', 'l', 'entropy_l', 'sum_l', 'sum_other')
           OR EXISTS (SELECT FROM ref.attribute WHERE role = 'sensitive'))
      AND (o <> 'cm' OR EXISTS (SELECT FROM ref.attribute WHERE role = 'class_label'))
$$;

CREATE FUNCTION pg_temp.people() RETURNS float8 LANGUAGE sql AS $$ SELECT coalesce(sum(people), 0)::float8 FROM ref.person $$;

-- The worst value of a loss; 0 for objectives of which more is better.
CREATE FUNCTION pg_temp.worst(objective text) RETURNS float8
LANGUAGE sql AS $$
    SELECT CASE WHEN objective = 'suppressed' THEN pg_temp.people()
                WHEN objective = 'classes' THEN (SELECT count(DISTINCT leaves) FROM ref.person)
                WHEN objective = 'glm' THEN pg_temp.people() * (SELECT count(*) FROM ref.attribute WHERE role = 'quasi_identifier')
                WHEN objective = 'dcn' THEN pg_temp.people() ^ 2
                WHEN objective IN ('t', 'nwp', 'cm', 'necd') THEN 1 END
$$;

CREATE FUNCTION pg_temp.default_epsilon(objective text) RETURNS float8
LANGUAGE sql AS $$
    SELECT CASE WHEN objective IN ('nwp', 'cm', 'necd') THEN 1 / greatest(pg_temp.people(), 1)
                WHEN objective IN ('t', 'entropy_l') THEN 0.01 ELSE 1 END
$$;

-- One data set's nodes and their turned values: more is better, nothing is worst.
CREATE TEMP TABLE valued (levels int[], v float8[]);

CREATE FUNCTION pg_temp.value_nodes(set_name text, objectives text[]) RETURNS void
LANGUAGE sql AS $$
    DELETE FROM valued;
    WITH limits AS MATERIALIZED (
        SELECT o, i, pg_temp.worst(o) AS worst FROM unnest(objectives) WITH ORDINALITY x (o, i))
    INSERT INTO valued
    SELECT levels, (SELECT array_agg(coalesce(CASE WHEN worst IS NULL THEN value ELSE greatest(worst - value, 0) END, 0) ORDER BY i)
                    FROM limits, LATERAL (SELECT (node ->> o)::float8 AS value) y)
    FROM (SELECT levels, to_jsonb(n) AS node FROM anonopt.lattice(set_name) n) x
$$;

-- Quality -----------------------------------------------------------------------------

CREATE TYPE pg_temp.quality AS (ce float8, rr float8, minimal bigint, boxes bigint);

CREATE FUNCTION pg_temp.quality(nodes int[], epsilon float8[]) RETURNS pg_temp.quality
LANGUAGE sql AS $$
    WITH exact AS MATERIALIZED (
        SELECT levels, v, pg_temp.box(v, epsilon) AS b FROM valued x
        WHERE NOT EXISTS (SELECT FROM valued y WHERE pg_temp.beats(y.v, x.v))),
    largest AS MATERIALIZED (
        SELECT i, max(x) AS most FROM exact, unnest(v) WITH ORDINALITY u (x, i) GROUP BY i),
    exact_box AS MATERIALIZED (
        SELECT DISTINCT b FROM exact x WHERE NOT EXISTS (SELECT FROM exact y WHERE pg_temp.beats(y.b, x.b))),
    given AS MATERIALIZED (
        SELECT nr, v FROM generate_subscripts(nodes, 1) nr
        JOIN valued ON levels = ARRAY(SELECT nodes[nr][a] FROM generate_subscripts(nodes, 2) a ORDER BY a)),
    distance AS (
        SELECT nr, min((SELECT sqrt(sum(((x.g - x.e) / most) ^ 2)) FROM unnest(g.v, e.v) WITH ORDINALITY x (g, e, i)
                        JOIN largest USING (i) WHERE most > 0)) AS d
        FROM given g, exact e GROUP BY nr)
    SELECT CASE WHEN cardinality(nodes) > 0 THEN coalesce((SELECT sum(d) FROM distance), 0) END,
           CASE WHEN cardinality(nodes) > 0
                THEN (SELECT count(*) FILTER (WHERE b IN (SELECT pg_temp.box(v, epsilon) FROM given)) / count(*)::float8 FROM exact_box) END,
           (SELECT count(*) FROM exact), (SELECT count(*) FROM exact_box)
$$;

-- A convergence error is a sum that may be made in any order.
CREATE FUNCTION pg_temp.same_quality(a pg_temp.quality, b pg_temp.quality) RETURNS boolean
LANGUAGE sql AS $$
    SELECT ((a).rr, (a).minimal, (a).boxes) IS NOT DISTINCT FROM ((b).rr, (b).minimal, (b).boxes)
       AND coalesce(abs((a).ce - (b).ce) <= 1e-12 * (1 + (a).ce), (a).ce IS NULL AND (b).ce IS NULL)
$$;

CREATE FUNCTION pg_temp.some_nodes(n int) RETURNS int[]
LANGUAGE sql AS $$
    SELECT coalesce(array_agg(levels), '{}')
    FROM (SELECT levels FROM valued, generate_series(1, CASE WHEN sample.chance(0.2) THEN 2 ELSE 1 END)
          ORDER BY random() LIMIT n) x
$$;

-- How much the exact set is better than nodes, and the volume of these, by inclusion and exclusion
CREATE FUNCTION pg_temp.igd_plus(nodes int[]) RETURNS float8
LANGUAGE sql AS $$
    WITH exact AS MATERIALIZED (
        SELECT DISTINCT v FROM valued x WHERE NOT EXISTS (SELECT FROM valued y WHERE pg_temp.beats(y.v, x.v))),
    largest AS MATERIALIZED (
        SELECT i, max(x) AS most FROM exact, unnest(v) WITH ORDINALITY u (x, i) GROUP BY i),
    given AS MATERIALIZED (
        SELECT v FROM generate_subscripts(nodes, 1) nr
        JOIN valued ON levels = ARRAY(SELECT nodes[nr][a] FROM generate_subscripts(nodes, 2) a ORDER BY a)),
    shortfall AS (
        SELECT min((SELECT sqrt(sum((greatest(x.e - x.g, 0) / most) ^ 2)) FROM unnest(g.v, e.v) WITH ORDINALITY x (g, e, i)
                    JOIN largest USING (i) WHERE most > 0)) AS short
        FROM exact e, given g GROUP BY e.v)
    SELECT avg(coalesce(short, 0)) FROM shortfall
$$;

CREATE FUNCTION pg_temp.hypervolume(nodes int[], less float8[]) RETURNS float8
LANGUAGE sql AS $$
    WITH given AS MATERIALIZED (
        SELECT nr, v FROM generate_subscripts(nodes, 1) nr
        JOIN valued ON levels = ARRAY(SELECT nodes[nr][a] FROM generate_subscripts(nodes, 2) a ORDER BY a)),
    least AS (
        SELECT subset, i, greatest(min(x.v) - min(x.c), 0) AS side
        FROM generate_series(1, (1 << coalesce(array_length(nodes, 1), 0)) - 1) subset
        JOIN given ON subset & (1 << (nr - 1)) > 0, unnest(given.v, less) WITH ORDINALITY x (v, c, i)
        GROUP BY subset, i),
    volume AS (
        SELECT subset, CASE WHEN min(side) = 0 THEN 0 ELSE exp(sum(ln(nullif(side, 0)::numeric)))::float8 END AS volume
        FROM least GROUP BY subset)
    SELECT coalesce(sum(volume * CASE WHEN length(replace(subset::bit(6)::text, '0', '')) % 2 = 1 THEN 1 ELSE -1 END), 0) FROM volume
$$;

CREATE FUNCTION pg_temp.coverage_differs(set_name text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    objectives text[] := (sample.shuffled(pg_temp.askable()))[1:2 + sample.below(3)];
    nodes int[];
    less float8[];
    reference float8[];
    want float8;
    got float8;
BEGIN
    PERFORM pg_temp.value_nodes(set_name, objectives);
    nodes := pg_temp.some_nodes(sample.pick('{0,1,2,3}'::int[]));
    want := CASE WHEN EXISTS (SELECT FROM valued) THEN pg_temp.igd_plus(nodes) END;
    got := anonopt.igd_plus(set_name, objectives, nodes);
    IF (want IS NULL) <> (got IS NULL) OR abs(want - got) > 1e-9 * (1 + want) THEN
        RETURN format(E'\nIGD+ of %s by %s: want %s, got %s', nodes, objectives, want, got);
    END IF;
    -- up to the worst, or to a point somewhat better
    less := ARRAY(SELECT CASE WHEN sample.chance(0.5) THEN 0 ELSE (SELECT v[i] FROM valued ORDER BY random() LIMIT 1) / 2 END
                  FROM generate_subscripts(objectives, 1) i ORDER BY i);
    IF sample.chance(0.3) THEN
        less := array_fill(0::float8, ARRAY[cardinality(objectives)]);
    ELSE
        reference := ARRAY(SELECT CASE WHEN pg_temp.worst(o) IS NULL THEN l ELSE pg_temp.worst(o) - l END
                           FROM unnest(objectives, less) WITH ORDINALITY x (o, l, i) ORDER BY i);
    END IF;
    want := CASE WHEN EXISTS (SELECT FROM valued) THEN pg_temp.hypervolume(nodes, less) END;
    got := anonopt.hypervolume(set_name, objectives, nodes, reference);
    IF (want IS NULL) <> (got IS NULL) OR abs(want - got) > 1e-6 * (1 + want) THEN
        RETURN format(E'\nhypervolume of %s by %s up to %s: want %s, got %s', nodes, objectives, reference, want, got);
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION pg_temp.quality_differs(set_name text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    objectives text[] := (sample.shuffled(pg_temp.askable()))[1:2 + sample.below(4)];
    epsilon float8[] := CASE WHEN sample.chance(0.6)
        THEN ARRAY(SELECT pg_temp.default_epsilon(o) * sample.pick('{0.1,0.5,1,3,20}'::float8[]) FROM unnest(objectives) o) END;
    sides float8[] := coalesce(epsilon, ARRAY(SELECT pg_temp.default_epsilon(o) FROM unnest(objectives) WITH ORDINALITY x (o, i) ORDER BY i));
    nodes int[];
    want pg_temp.quality;
    got pg_temp.quality;
BEGIN
    PERFORM pg_temp.value_nodes(set_name, objectives);
    nodes := pg_temp.some_nodes(sample.pick('{0,1,2,5,12}'::int[]));
    want := pg_temp.quality(nodes, sides);
    SELECT ce, rr, minimal, boxes INTO got FROM anonopt.archive_quality(set_name, objectives, nodes, epsilon);
    IF NOT EXISTS (SELECT FROM valued) THEN
        want := NULL;
    END IF;
    IF NOT pg_temp.same_quality(want, got) THEN
        RETURN format(E'\nof %s by %s, epsilon %s: want %s, got %s', nodes, objectives, epsilon, want, got);
    END IF;
    RETURN NULL;
END $$;

-- The search ----------------------------------------------------------------------------

CREATE FUNCTION pg_temp.levels_of(found text[]) RETURNS int[]
LANGUAGE sql AS $$ SELECT coalesce(array_agg((f::anonopt.node).levels), '{}') FROM unnest(found) f $$;

CREATE FUNCTION pg_temp.values_of(found text[]) RETURNS SETOF float8[]
LANGUAGE sql AS $$ SELECT v FROM unnest(found) f JOIN valued n ON n.levels = (f::anonopt.node).levels $$;

-- Searches of one random data set; what differs, all rolled back, hence one long block.
CREATE FUNCTION pg_temp.differences(seed int, OUT parameters text, OUT differing text[])
LANGUAGE plpgsql AS $$
DECLARE
    set_name text;
    nodes numeric;
    list text[];
    epsilon float8[];
    sides float8[];
    call text;
    whole text;
    rows text[];
    other text[];
    most_nodes int;
    searched record;
BEGIN
    differing := array_fill(NULL::text, ARRAY[12]);
    parameters := sample.data_set(seed);
    PERFORM ref.read(dataset), ref.declare(dataset) FROM ref.dataset;
    SELECT dataset INTO set_name FROM ref.dataset;
    nodes := anonopt.lattice_size(set_name);
    FOR i IN 1..2 LOOP
        differing[i] := pg_temp.quality_differs(set_name);
    END LOOP;

    list := (sample.shuffled(pg_temp.askable()))[1:2 + sample.below(4)];
    IF sample.chance(0.5) THEN
        epsilon := ARRAY(SELECT pg_temp.default_epsilon(o) * sample.pick('{0.1,1,3,20}'::float8[]) FROM unnest(list) o);
    END IF;
    sides := coalesce(epsilon, ARRAY(SELECT pg_temp.default_epsilon(o) FROM unnest(list) WITH ORDINALITY x (o, i) ORDER BY i));
    PERFORM pg_temp.value_nodes(set_name, list);

    -- a short search
    call := format('pbg_ea(%L, %L, %L, %s, %s, %s, %L, %s, %s)', set_name, list, epsilon, 2 + sample.below(9), 1 + sample.below(9),
                   sample.pick('{0,0.8,1}'::float8[]), sample.pick('{NULL,0,0.3,1}'::float8[]), sample.below(1000000) - 500000,
                   sample.pick('{0,0.5,1}'::float8[]) || format(', NULL, %L, %L, %L', seed % 3 = 0, seed % 2 = 0, seed % 5 < 2));
    rows := sample.found(call);
    SELECT * INTO searched FROM anonopt.last_search();
    IF searched.algorithm <> 'pbg_ea' OR searched.exact <> (searched.rows = 0) OR searched.evaluated > nodes
       OR (cardinality(rows) = 0) <> (pg_temp.people() = 0) OR searched.evaluated < cardinality(rows) THEN
        differing[3] := format(E'\n%s: %s rows, %s', call, cardinality(rows), searched);
    END IF;
    other := '{}';
    IF cardinality(rows) > 0 THEN
        other := sample.found(format('evaluate(%L, %L)', set_name, pg_temp.levels_of(rows)));
    END IF;
    IF other <> rows THEN
        differing[4] := format(E'\n%s\nwant %s\n got %s', call, other, rows);
    END IF;
    IF EXISTS (SELECT FROM pg_temp.values_of(rows) a, pg_temp.values_of(rows) b WHERE pg_temp.beats(a, b))
       OR (SELECT count(*) <> count(DISTINCT pg_temp.box(a, sides)) FROM pg_temp.values_of(rows) a)
       OR cardinality(rows) > pg_temp.bound(
            (SELECT array_agg(most ORDER BY i) FROM
                (SELECT i, max(x) AS most FROM valued, unnest(v) WITH ORDINALITY u (x, i) GROUP BY i) y), sides) THEN
        differing[5] := format(E'\n%s\n got %s', call, rows);
    END IF;
    SET LOCAL anonopt.max_workers = 0;
    other := sample.found(call);
    SET LOCAL anonopt.max_workers = 2;
    IF other <> rows OR sample.found(call) <> rows THEN
        differing[6] := format(E'\n%s\n first %s\n then %s', call, rows, other);
    END IF;
    -- a seed that is shown afterwards
    call := format('pbg_ea(%L, %L, %L, 4, 3', set_name, list, epsilon);
    rows := sample.found(call || ')');
    call := call || format(', seed => %s)', (SELECT s.seed FROM anonopt.last_search() s));
    other := sample.found(call);
    IF other IS DISTINCT FROM rows THEN
        differing[7] := format(E'\n%s\n first %s\n then %s', call, rows, other);
    END IF;
    -- no more nodes than allowed
    most_nodes := 2 + sample.below(12);
    PERFORM sample.found(format('pbg_ea(%L, %L, seed => %s, local_search => 0.3, max_nodes => %s)', set_name, list, seed, most_nodes));
    SELECT * INTO searched FROM anonopt.last_search();
    IF searched.evaluated > least(most_nodes, nodes) OR searched.evaluated < least(2, nodes) AND searched.rows > 0 THEN
        differing[8] := format(E'\nmax_nodes => %s: %s', most_nodes, searched);
    END IF;

    -- long enough to meet every node: the archive holds nothing but exact nodes, one of every box
    whole := 'population => 20, iterations => 300, mutation => 0.6, local_search => 0.5, seed => 1, bounds => false)';
    call := format('pbg_ea(%L, %L, %L, %s', set_name, list, epsilon, whole);
    rows := sample.found(call);
    SELECT * INTO searched FROM anonopt.last_search();
    IF searched.rows > 0 AND (searched.evaluated <> nodes OR (SELECT (ce, rr, boxes) IS DISTINCT FROM (0::float8, 1::float8, cardinality(rows)::bigint)
        FROM pg_temp.quality(pg_temp.levels_of(rows), sides))) THEN
        differing[9] := format(E'\n%s: %s, %s', call, searched, rows);
    END IF;
    -- the same with bounds, by which no exact box is missed
    other := sample.found(replace(call, 'bounds => false', 'bounds => true'));
    SELECT * INTO searched FROM anonopt.last_search();
    IF searched.rows > 0 AND (searched.evaluated > nodes OR (SELECT (ce, rr, boxes) IS DISTINCT FROM (0::float8, 1::float8, cardinality(other)::bigint)
        FROM pg_temp.quality(pg_temp.levels_of(other), sides))) THEN
        differing[12] := format(E'\n%s with bounds: %s, %s', call, searched, other);
    END IF;
    -- and by plain dominance it is the exact front, row by row
    call := format('pbg_ea(%L, %L, %L, %s', set_name, list,
                   ARRAY(SELECT CASE WHEN o IN ('k', 'l', 'suppressed', 'classes', 'dcn', 'sum_k', 'sum_l', 'sum_other')
                                     THEN 1 ELSE 1e-9 END FROM unnest(list) WITH ORDINALITY x (o, i) ORDER BY i), whole);
    rows := sample.found(call);
    other := sample.found(format('pareto(%L, %L)', set_name, list));
    IF rows <> other THEN
        differing[10] := format(E'\n%s\nwant %s\n got %s', call, other, rows);
    END IF;
    differing[11] := pg_temp.coverage_differs(set_name);
    RAISE SQLSTATE 'ROLLB';
EXCEPTION
    WHEN SQLSTATE 'ROLLB' THEN
        NULL;
    WHEN OTHERS THEN
        differing := array_fill(format(E'\n%s: %s', SQLSTATE, SQLERRM), ARRAY[12]);
END $$;

CREATE FUNCTION pg_temp.check_set(seed int) RETURNS SETOF text
LANGUAGE sql AS $$
    SELECT v FROM pg_temp.differences(seed) d, sample.verdicts(seed, d.parameters, d.differing, ARRAY[
        'quality', 'quality by other objectives', 'what last_search tells', 'rows are measures of their nodes',
        'none is dominated by another, one a box, no more than the bound', 'the same seed, the same rows',
        'a seed that last_search tells', 'max_nodes', 'all nodes met: every exact box', 'all nodes met: the exact front',
        'IGD+ and hypervolume', 'bounds miss no exact box']) v
$$;

SELECT pg_temp.check_set(seed) FROM generate_series(1, pg_temp.few(300, 18)) seed;

SELECT * FROM finish();
ROLLBACK;
