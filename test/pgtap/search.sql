-- Fronts and optima, against every node of random small data sets in plain SQL.
\ir begin.inc
\ir reference.inc
\ir random_data.inc

-- A node's vector of costs: less is better, and NULL is worst.
CREATE FUNCTION pg_temp.costs(node anonopt.node, objectives text[]) RETURNS float8[]
LANGUAGE sql AS $$
    SELECT array_agg(coalesce(CASE WHEN o IN ('k', 'l', 'entropy_l', 'sum_k', 'sum_l', 'sum_other')
                                   THEN -1 ELSE 1 END * (to_jsonb(node) ->> o)::float8, 'Infinity')
                     ORDER BY i)
    FROM unnest(objectives) WITH ORDINALITY x (o, i)
$$;

CREATE FUNCTION pg_temp.sum_of(levels int[]) RETURNS bigint
LANGUAGE sql AS $$ SELECT sum(x) FROM unnest(levels) x $$;

-- The front of a lattice: not dominated, one node a vector, in the contract's order.
CREATE FUNCTION pg_temp.front(call text, objectives text[], promised boolean) RETURNS text[]
LANGUAGE plpgsql AS $$
DECLARE
    front text[];
BEGIN
    EXECUTE format('WITH candidate AS MATERIALIZED (
            SELECT DISTINCT ON (costs) n.levels, n::anonopt.node AS node, pg_temp.costs(n, %L) AS costs
            FROM anonopt.%s n WHERE feasible OR NOT %L
            ORDER BY costs, pg_temp.sum_of(levels), levels)
        SELECT array_agg(node::text ORDER BY costs)
        FROM candidate c
        WHERE NOT EXISTS (
            SELECT FROM candidate d
            WHERE d.costs <> c.costs
              AND NOT EXISTS (SELECT FROM unnest(d.costs, c.costs) x (d, c) WHERE x.d > x.c))', objectives, call, promised)
    INTO front;
    RETURN coalesce(front, '{}');
END $$;

-- The objectives that a data set allows.
CREATE FUNCTION pg_temp.askable(losses boolean) RETURNS text[]
LANGUAGE sql AS $$
    SELECT array_agg(o) FROM unnest('{k,suppressed,classes,glm,nwp,dcn,necd,sum_k,t,cm,l,entropy_l,sum_l,sum_other}'::text[]) o
    WHERE (o NOT IN ('t', 'l', 'entropy_l', 'sum_l', 'sum_other')
           OR EXISTS (SELECT FROM ref.attribute WHERE role = 'sensitive'))
      AND (o <> 'cm' OR EXISTS (SELECT FROM ref.attribute WHERE role = 'class_label'))
      AND (NOT losses OR o IN ('suppressed', 'classes', 'glm', 'nwp', 'dcn', 'necd', 't', 'cm'))
$$;

CREATE FUNCTION pg_temp.promise() RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    rule text := CASE WHEN EXISTS (SELECT FROM ref.attribute WHERE role = 'sensitive')
                      THEN sample.pick(ARRAY['k', 'l', 't', 'kl', 'kt', 'lt', 'klt']) ELSE 'k' END;
BEGIN
    RETURN format('k => %s, l => %s, t => %s',
        CASE WHEN rule LIKE '%k%' THEN (1 + sample.below(6))::text ELSE 'NULL' END,
        CASE WHEN rule LIKE '%l%' THEN (1 + sample.below(4))::text ELSE 'NULL' END,
        CASE WHEN rule LIKE '%t%' THEN round(random()::numeric, 2)::text ELSE 'NULL' END);
END $$;

-- Six searches of one random data set; what differs, all rolled back.
CREATE FUNCTION pg_temp.differences(seed int, OUT parameters text, OUT differing text[])
LANGUAGE plpgsql AS $$
DECLARE
    set_sql text;
    list text[];
    lists text[][];
    rule text;
    call text;
    want text[];
    got text[];
BEGIN
    differing := array_fill(NULL::text, ARRAY[6]);
    parameters := sample.data_set(seed);
    PERFORM ref.read(dataset), ref.declare(dataset) FROM ref.dataset;
    SELECT quote_literal(dataset) INTO set_sql FROM ref.dataset;
    FOR i IN 1..6 LOOP
        rule := pg_temp.promise();
        list := CASE i
            WHEN 1 THEN '{k,glm}'::text[]
            WHEN 2 THEN sample.shuffled('{k,glm,nwp}'::text[])
            WHEN 3 THEN (sample.shuffled(pg_temp.askable(false)))[1:2 + sample.below(4)]
            WHEN 4 THEN (sample.shuffled(pg_temp.askable(false)))[1:2 + sample.below(2)]
            ELSE (sample.shuffled(pg_temp.askable(true)))[1:1] END;
        IF i = 5 THEN
            list := '{glm}';
        END IF;
        call := CASE WHEN i <= 3 THEN format('pareto(%s, %L)', set_sql, list)
                     WHEN i = 4 THEN format('pareto(%s, %L, %s)', set_sql, list, rule)
                     ELSE format('optimize(%s, %s, loss => %L)', set_sql, rule, list[1]) END;
        want := pg_temp.front(format('lattice(%s%s)', set_sql, CASE WHEN i > 3 THEN ', ' || rule ELSE '' END),
                              list, i > 3);
        BEGIN
            got := sample.found(call);
        EXCEPTION WHEN OTHERS THEN
            got := ARRAY[format('%s: %s', SQLSTATE, SQLERRM)];
        END;
        IF got IS DISTINCT FROM want THEN
            differing[i] := format(E'\n%s\nwant %s\n got %s', call, want, got);
        END IF;
    END LOOP;
    RAISE SQLSTATE 'ROLLB';
EXCEPTION
    WHEN SQLSTATE 'ROLLB' THEN
        NULL;
    WHEN OTHERS THEN
        differing := array_fill(format(E'\n%s: %s', SQLSTATE, SQLERRM), ARRAY[6]);
END $$;

CREATE FUNCTION pg_temp.check_set(seed int) RETURNS SETOF text
LANGUAGE sql AS $$
    SELECT v FROM pg_temp.differences(seed) d, sample.verdicts(seed, d.parameters, d.differing, ARRAY[
        'front of k and glm', 'front of k, glm and nwp', 'front of any objectives',
        'front of feasible nodes', 'least glm', 'least loss of any kind']) v
$$;

SELECT plan(pg_temp.few(300) * 6);
SELECT pg_temp.check_set(seed) FROM generate_series(1001, 1000 + pg_temp.few(300)) seed;
SELECT * FROM finish();
ROLLBACK;
