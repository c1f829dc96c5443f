-- Every measure of section 3, on random small data sets, against reference.inc.
\ir begin.inc
\ir reference.inc
\ir random_data.inc

-- The answers of both sides, as ref.node.
CREATE FUNCTION pg_temp.answer(side text, call text) RETURNS ref.node[]
LANGUAGE plpgsql AS $$
DECLARE
    nodes ref.node[];
BEGIN
    EXECUTE format($q$
        SELECT array_agg(ROW(levels, k, l, entropy_l, t, suppressed, classes, glm, nwp, dcn, cm, necd,
                             sum_k, sum_l, feasible, sum_other)::ref.node)
        FROM %I.%s$q$, side, call) INTO nodes;
    RETURN coalesce(nodes, '{}');
END $$;

-- Where two answers differ; an error is a difference, too.
CREATE FUNCTION pg_temp.difference(side_a text, call_a text, side_b text, call_b text,
                                   exactly boolean)
RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    difference text;
BEGIN
    difference := ref.difference(pg_temp.answer(side_a, call_a), pg_temp.answer(side_b, call_b),
                                 exactly);
    RETURN E'\n' || side_a || '.' || call_a || E'\n' || difference;
EXCEPTION WHEN OTHERS THEN
    RETURN format(E'\n%s.%s\n%s: %s', side_a, call_a, SQLSTATE, SQLERRM);
END $$;

-- One random data set: what is compared, and where it differs.  All of it is
-- rolled back at once, so that hundreds of data sets need no more locks than one:
-- a long function, as only one block can be rolled back as one.
CREATE FUNCTION pg_temp.differences(seed int, sensitive_ranges boolean,
                                    OUT parameters text, OUT differing text[])
LANGUAGE plpgsql AS $$
DECLARE
    set_name text;
    set_sql text;
    rule text;
    nodes int[];
    anywhere int[];
    cuts varbit[];
    node int[];
    bounds ref.node;
    difference text;
BEGIN
    differing := array_fill(NULL::text, ARRAY[7]);
    parameters := sample.data_set(seed, sensitive_ranges);
    PERFORM ref.read(dataset), ref.declare(dataset) FROM ref.dataset;
    SELECT dataset INTO set_name FROM ref.dataset;
    set_sql := quote_literal(set_name);
    nodes := ref.nodes(set_name);

    -- k, l and t, at least one of them; l and t only with a sensitive column
    rule := CASE WHEN EXISTS (SELECT FROM ref.attribute WHERE role = 'sensitive')
        THEN sample.pick(ARRAY['k', 'l', 't', 'kl', 'kt', 'lt', 'klt']) ELSE 'k' END;
    rule := format('k => %s, l => %s, t => %s',
        CASE WHEN rule LIKE '%k%' THEN (1 + sample.below(6))::text ELSE 'NULL' END,
        CASE WHEN rule LIKE '%l%' THEN (1 + sample.below(4))::text ELSE 'NULL' END,
        CASE WHEN rule LIKE '%t%' THEN random()::text ELSE 'NULL' END);

    differing[1] := pg_temp.difference('anonopt', format('lattice(%s)', set_sql),
                                   'ref', format('lattice(%s)', set_sql), false);
    differing[2] := pg_temp.difference('anonopt', format('lattice(%s, %s)', set_sql, rule),
                                   'ref', format('lattice(%s, %s)', set_sql, rule), false);

    -- any node of the hierarchies, within min_level and max_level or not
    SELECT array_agg(DISTINCT drawn) INTO anywhere
    FROM (SELECT array_agg(sample.below(1 + ref.levels_of(hierarchy)) ORDER BY ordinal) AS drawn
          FROM ref.attribute, generate_series(1, 5) i
          WHERE role = 'quasi_identifier' GROUP BY i) x;
    node := ARRAY(SELECT unnest(anywhere[1:1]));
    differing[3] := coalesce(
        pg_temp.difference('anonopt', format('evaluate(%s, %L, %s)', set_sql, anywhere, rule),
                           'ref', format('evaluate(%s, %L, %s)', set_sql, anywhere, rule), false),
        pg_temp.difference('anonopt', format('evaluate(%s, %L)', set_sql, node),
                           'ref', format('evaluate(%s, %L)', set_sql, node), false));

    -- cuts that equal a node
    FOR i IN 1..least(12, array_length(nodes, 1)) LOOP
        node := ARRAY(SELECT unnest(nodes[x:x])
                      FROM (SELECT CASE WHEN array_length(nodes, 1) <= 12 THEN i
                                   ELSE 1 + sample.below(array_length(nodes, 1)) END AS x) y);
        cuts := ref.cuts_of(set_name, node);
        BEGIN
            difference := ref.difference(
                ARRAY(SELECT (levels, k, l, entropy_l, t, suppressed, classes, glm, nwp, dcn, cm,
                              necd, sum_k, sum_l, feasible, sum_other)::ref.node
                      FROM anonopt.evaluate_cuts(set_name, cuts)),
                ARRAY(SELECT (NULL, k, l, entropy_l, t, suppressed, classes, glm, nwp, dcn, cm,
                              necd, sum_k, sum_l, feasible, sum_other)::ref.node
                      FROM anonopt.evaluate(set_name, node)), true);
        EXCEPTION WHEN OTHERS THEN
            difference := format('%s: %s', SQLSTATE, SQLERRM);
        END;
        differing[4] := coalesce(differing[4], format(E'\ncuts %s of node %s\n', cuts, node) || difference);
    END LOOP;

    -- any cuts
    FOR i IN 1..3 LOOP
        cuts := ARRAY(
            SELECT (SELECT coalesce(string_agg(sample.chance(0.4)::int::text, ''), '')
                    FROM generate_series(2, labels))::varbit
            FROM (SELECT ordinal, count(DISTINCT label_no) AS labels
                  FROM ref.attribute a JOIN ref.label USING (dataset, role, ordinal)
                  WHERE role = 'quasi_identifier' AND level = a.min_level
                  GROUP BY ordinal) x
            ORDER BY ordinal);
        difference := pg_temp.difference(
            'anonopt', format('evaluate_cuts(%s, %L, %s)', set_sql, cuts, rule),
            'ref', format('evaluate_cuts(%s, %L, %s)', set_sql, cuts, rule), false);
        differing[5] := coalesce(differing[5], difference);
    END LOOP;

    -- the same people in other rows: the same numbers to the last bit
    PERFORM sample.deal_again();
    PERFORM ref.declare('again');
    differing[6] := coalesce(
        pg_temp.difference('anonopt', 'lattice(''again'')',
                           'anonopt', format('lattice(%s)', set_sql), true),
        pg_temp.difference('anonopt', format('lattice(''again'', %s)', rule),
                           'anonopt', format('lattice(%s, %s)', set_sql, rule), true));

    -- a node keeps everybody under its own k, l and t, because numbers are not
    -- rounded between being reported and being compared
    BEGIN
        FOR bounds IN
            SELECT levels, k, l, entropy_l, t, suppressed, classes, glm, nwp, dcn, cm, necd,
                   sum_k, sum_l, feasible, sum_other
            FROM anonopt.lattice(set_name, k => 1) LIMIT 12
        LOOP
            SELECT format(E'\nevaluate(%s, %L, k => %s, l => %s, t => %s): %s suppressed',
                          set_sql, bounds.levels, bounds.k, bounds.l, bounds.t, e.suppressed)
            INTO difference
            FROM anonopt.evaluate(set_name, bounds.levels, bounds.k::int, bounds.l::int, bounds.t) e
            WHERE e.suppressed > 0;
            differing[7] := coalesce(differing[7], difference);
        END LOOP;
    EXCEPTION WHEN OTHERS THEN
        differing[7] := format(E'\n%s: %s', SQLSTATE, SQLERRM);
    END;

    RAISE SQLSTATE 'ROLLB';
EXCEPTION
    WHEN SQLSTATE 'ROLLB' THEN
        NULL;
    WHEN OTHERS THEN
        differing := array_fill(format(E'\n%s: %s', SQLSTATE, SQLERRM), ARRAY[7]);
END $$;

CREATE FUNCTION pg_temp.check_set(seed int, sensitive_ranges boolean) RETURNS SETOF text
LANGUAGE sql AS $$
    SELECT v FROM pg_temp.differences(seed, sensitive_ranges) d, sample.verdicts(seed, d.parameters, d.differing, ARRAY[
        'lattice', 'lattice with k, l, t', 'evaluate', 'cuts of nodes', 'random cuts',
        'the same people in other rows', 'a node under its own k, l, t']) v
$$;

SELECT plan((pg_temp.few(225, 18) + pg_temp.few(32)) * 7 + 10);

-- ---------------------------------------------------------------------------
-- Four people, worked out by hand
-- ---------------------------------------------------------------------------

-- The NULL age is a fourth leaf that only the last level takes in.
CREATE TABLE sample.four (age int, ill text, wants text);
INSERT INTO sample.four VALUES (1, 'flu', 'yes'), (2, 'flu', 'no'), (3, 'cough', 'yes'), (NULL, NULL, 'yes');
CREATE TABLE sample.ages (age int, level1 text, level2 text);
INSERT INTO sample.ages VALUES (1, 'a', '*'), (2, 'a', '*'), (3, 'b', '*');
CREATE TABLE sample.organs (ill text, organ text);
INSERT INTO sample.organs VALUES ('flu', 'body'), ('cough', 'lung');

INSERT INTO ref.dataset VALUES
    ('equal', 'sample.four', 0), ('ordered', 'sample.four', 0), ('hierarchical', 'sample.four', 0),
    ('half', 'sample.four', 0.5), ('all', 'sample.four', 1);
INSERT INTO ref.attribute (dataset, role, ordinal, column_name, hierarchy, distance)
    SELECT d.dataset, a.*
    FROM ref.dataset d, (VALUES
        ('quasi_identifier', 1, 'age'::name, 'sample.ages'::regclass, 'equal'),
        ('sensitive', 1, 'ill', NULL, 'equal'),
        ('class_label', 1, 'wants', NULL, 'equal')) a;
UPDATE ref.attribute SET distance = dataset, hierarchy = CASE dataset WHEN 'hierarchical'
                                                         THEN 'sample.organs'::regclass END
WHERE role = 'sensitive' AND dataset IN ('ordered', 'hierarchical');
SELECT ref.read(dataset), ref.declare(dataset) FROM ref.dataset \g /dev/null

-- Both sides must give the row that was worked out.
CREATE FUNCTION pg_temp.by_hand(call text, want ref.node, description text) RETURNS text
LANGUAGE sql AS $$
    SELECT is(coalesce('reference: ' || ref.difference(pg_temp.answer('ref', call), ARRAY[want]),
                       'extension: ' || ref.difference(pg_temp.answer('anonopt', call), ARRAY[want])),
              NULL, 'by hand: ' || description)
$$;

-- columns: levels, k, l, entropy_l, t, suppressed, classes, glm, nwp, dcn, cm, necd,
--          sum_k, sum_l, feasible, sum_other
SELECT pg_temp.by_hand($$evaluate('equal', '{0}')$$, ROW('{0}', 1, 1, 1, 0.75, 0, 4, 0, 0, 4,
    0, 0, 4, 4, true, 0), 'everybody alone');
SELECT pg_temp.by_hand($$evaluate('equal', '{1}')$$, ROW('{1}', 1, 1, 1, 0.75, 0, 3, 2 / 3.0, 1 / 6.0, 6,
    0.25, 1 / 3.0, 6, 6, true, 0), 'below the last level NULL stays by itself');
SELECT pg_temp.by_hand($$evaluate('equal', '{2}')$$, ROW('{2}', 4, 3, power(2, 1.5), 0, 0, 1, 4, 1, 16,
    0.25, 0, 16, 6, true, 10), 'all in one class');
SELECT pg_temp.by_hand($$evaluate('equal', '{1}', k => 2)$$, ROW('{1}', 2, 1, 1, 0.5, 2, 1, 8 / 3.0,
    2 / 3.0, 12, 0.75, 0, 4, 4, false, 0), 'two suppressed who may not be');
SELECT pg_temp.by_hand($$evaluate('equal', '{2}', k => 5)$$, ROW('{2}', NULL, NULL, NULL, NULL, 4, 0, 4,
    1, 16, 1, NULL, 0, 0, false, 0), 'nothing remains');
SELECT pg_temp.by_hand($$evaluate('half', '{1}')$$, ROW('{1}', 2, 1, 1, 0.5, 2, 1, 8 / 3.0,
    2 / 3.0, 12, 0.75, 0, 4, 4, true, 0), 'as many suppressed as may be');
SELECT pg_temp.by_hand($$evaluate('all', '{1}')$$, ROW('{1}', 2, 1, 1, 0.5, 2, 1, 8 / 3.0,
    2 / 3.0, 12, 0.75, 0, 4, 4, true, 0), 'where all may be, the largest classes remain');
SELECT pg_temp.by_hand($$evaluate('ordered', '{1}')$$, ROW('{1}', 1, 1, 1, 0.5, 0, 3, 2 / 3.0, 1 / 6.0, 6,
    0.25, 1 / 3.0, 6, 6, true, 0), 'cough, flu, NULL in this order');
SELECT pg_temp.by_hand($$evaluate('hierarchical', '{1}')$$, ROW('{1}', 1, 1, 1, 0.75, 0, 3, 2 / 3.0,
    1 / 6.0, 6, 0.25, 1 / 3.0, 6, 6, true, 0), 'trees without a common root are far apart');
-- 1, 2 | 3, NULL: a group that no level has, of two leaves each
SELECT pg_temp.by_hand($$evaluate_cuts('equal', ARRAY[B'010'])$$, ROW(NULL, 2, 1, 1, 0.5, 0, 2, 4 / 3.0,
    1 / 3.0, 8, 0.25, 0, 8, 6, true, 2), 'cuts');

-- ---------------------------------------------------------------------------
-- Random data sets
-- ---------------------------------------------------------------------------

SELECT pg_temp.check_set(seed, false) FROM generate_series(1, pg_temp.few(225, 18)) seed;

-- Sensitive columns whose hierarchy has ranges for leaves: values of one leaf stay
-- distinct values, at no distance for `hierarchical`, in their own order for `ordered`.
SELECT pg_temp.check_set(seed, true) FROM generate_series(301, 300 + pg_temp.few(32)) seed;

SELECT * FROM finish();
ROLLBACK;
