-- Losses that count the width of ranges, compared with plain SQL.
\ir begin.inc
\ir reference.inc
\ir random_data.inc

-- The loss of people for a column at each level: the width of the part of their label between the smallest and the largest value, as a share
-- of the total.
CREATE FUNCTION pg_temp.losses(relation regclass, column_name name, hierarchy regclass, suffix text) RETURNS float8[]
LANGUAGE plpgsql AS $$
DECLARE
    found float8[];
BEGIN
    EXECUTE format($q$
        WITH extent AS (SELECT min(%1$I)::numeric AS low, max(%1$I)::numeric %4$s AS high FROM %2$s WHERE abs(%1$I::numeric) < 'Infinity'),
        leaf AS (SELECT value, greatest(least(coalesce(upper(value)::numeric, high), high) - greatest(coalesce(lower(value)::numeric, low), low), 0) / nullif(high - low, 0) AS width,
            ARRAY[value::text, %5$s] AS labels FROM %3$s, extent),
        label AS (SELECT i, labels[i] AS label, sum(width) AS width FROM leaf, generate_subscripts(labels, 1) i GROUP BY 1, 2)
        SELECT array_agg(lost ORDER BY i) FROM (SELECT i, sum(coalesce(w.width, 0))::float8 AS lost FROM %2$s r JOIN leaf ON value @> r.%1$I CROSS JOIN generate_subscripts(labels, 1) i
            JOIN label w USING (i) WHERE w.label = labels[i] GROUP BY i) s$q$,
        column_name, relation, hierarchy, suffix, (SELECT string_agg(quote_ident(c), ', ') FROM unnest((ref.columns(hierarchy))[2:]) c)) INTO found;
    RETURN found;
END $$;

CREATE FUNCTION pg_temp.range_problem(seed int) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    wanted_a float8[]; wanted_b float8[]; problem text; people int;
BEGIN
    PERFORM setseed(seed / 1000.0);
    DROP TABLE IF EXISTS sample.ranged, sample.coded, sample.ints;
    CREATE TABLE sample.ranged AS SELECT CASE WHEN sample.chance(0.05) THEN sample.below(5000) - 1000 ELSE sample.below(100) END / 4.0 AS a,
        sample.below(40) - 10 AS b, sample.below(3) AS c FROM generate_series(1, 1 + sample.below(150)) i;
    IF sample.chance(0.2) THEN
        UPDATE sample.ranged SET a = 3;
    END IF;
    SELECT count(*) INTO people FROM sample.ranged;
    PERFORM anonopt.create_top_coded_hierarchy('sample.coded', 0, 25, 20 + sample.below(4), sample.below(4), '{5,10}', 2.5);
    CREATE TABLE sample.ints (value int4range, level1 text NOT NULL, level2 text NOT NULL, EXCLUDE USING gist (value WITH &&));
    INSERT INTO sample.ints SELECT int4range(CASE WHEN x > -10 THEN x END, CASE WHEN x < 26 THEN x + 4 END), 'g' || (x + 10) / 12, '*' FROM generate_series(-10, 26, 4) x;
    PERFORM anonopt.create_dataset('ranged', 'sample.ranged', 0), anonopt.add_quasi_identifier('ranged', 'a', 'sample.coded', range_loss => true),
        anonopt.add_quasi_identifier('ranged', 'b', 'sample.ints', 2, range_loss => true);
    wanted_a := pg_temp.losses('sample.ranged', 'a', 'sample.coded', '');
    wanted_b := pg_temp.losses('sample.ranged', 'b', 'sample.ints', '+ 1');
    SELECT string_agg(format('%s: %s instead of %s', n.levels, n.glm, wanted_a[n.levels[1] + 1] + wanted_b[n.levels[2] + 1]), '; ') INTO problem
    FROM anonopt.lattice('ranged', k => 1) n WHERE abs(n.glm - (wanted_a[n.levels[1] + 1] + wanted_b[n.levels[2] + 1])) > 1e-7 * people
        OR abs(n.nwp - (wanted_a[n.levels[1] + 1] + 2 * wanted_b[n.levels[2] + 1]) / 3 / people) > 1e-7;
    -- who is suppressed loses all, where there is something to lose
    SELECT concat_ws('; ', problem, (SELECT string_agg(s.levels::text || ' suppressed', '; ') FROM anonopt.lattice('ranged', k => 1000) s
        WHERE abs(s.glm - people * ((CASE WHEN wanted_a[4] > 0 THEN 1 ELSE 0 END) + 1)) > 1e-6)) INTO problem;
    -- searches agree with all nodes, with workers and without, and records with their sum
    SELECT concat_ws('; ', nullif(problem, ''), CASE WHEN (SELECT glm FROM anonopt.optimize('ranged', k => 3)) IS DISTINCT FROM
        (SELECT min(glm) FROM anonopt.lattice('ranged', k => 3) WHERE feasible) THEN 'optimum' END,
        CASE WHEN (SELECT abs(sum(value) - (SELECT glm FROM anonopt.evaluate('ranged', '{1,1}'))) > 1e-6 FROM anonopt.property_vector('ranged', '{1,1}', 'loss')) THEN 'records' END,
        (SELECT string_agg(d.column_name, ', ') FROM anonopt.node_detail('ranged', '{2,1}') d
         WHERE abs(d.loss - CASE d.column_name WHEN 'a' THEN wanted_a[3] ELSE wanted_b[2] END / people) > 1e-7)) INTO problem;
    PERFORM anonopt.drop_dataset('ranged');
    RETURN nullif(problem, '') || format(E'\nof seed %s', seed);
END $$;

SELECT plan(40 + 8 + 12);
SELECT is(pg_temp.range_problem(seed), NULL, format('table %s', seed)) FROM generate_series(1, 40) seed;

-- no recoding loses more than the best node
CREATE FUNCTION pg_temp.beyond_best_node(seed int) RETURNS float8
LANGUAGE plpgsql AS $$
DECLARE
    best float8; lost float8;
BEGIN
    PERFORM setseed(seed / 1000.0);
    DROP TABLE IF EXISTS sample.outlying, sample.outlying_coded, sample.outlying_recoded;
    CREATE TABLE sample.outlying AS SELECT CASE WHEN random() < 0.02 THEN 99999 ELSE random() * random() * 400 END::int AS a FROM generate_series(1, 500);
    PERFORM anonopt.create_top_coded_hierarchy('sample.outlying_coded', 0, 100, 80 + seed % 3 * 5, seed % 4 * 5, '{5,20}', 5);
    PERFORM anonopt.create_dataset('outlying', 'sample.outlying', 0.06), anonopt.add_quasi_identifier('outlying', 'a', 'sample.outlying_coded', range_loss => true);
    SELECT glm INTO best FROM anonopt.optimize('outlying', k => 20);
    PERFORM anonopt.create_recoding('sample.outlying_recoded', 'outlying', k => 20, seed => seed);
    SELECT glm INTO lost FROM anonopt.evaluate_recoding('outlying', 'sample.outlying_recoded', k => 20);
    PERFORM anonopt.drop_dataset('outlying');
    RETURN CASE WHEN lost > best + 1e-9 THEN lost - best END;
END $$;
SELECT is(pg_temp.beyond_best_node(seed), NULL, format('recoding %s loses no more than the best node', seed)) FROM generate_series(8, 41, 3) seed;

-- cuts and recodings lose what nodes of the same classes do
CREATE TABLE sample.people AS SELECT i % 60 AS b, CASE WHEN i = 7 THEN 9999 ELSE i * 7 % 100 END AS a FROM generate_series(1, 500) i;
SELECT anonopt.create_top_coded_hierarchy('sample.a_levels', 0, 100, 80, 20, '{20}', 10), anonopt.create_interval_hierarchy('sample.b_levels', 0, 59, '{5,30}') \g /dev/null
SELECT anonopt.create_dataset('people', 'sample.people'), anonopt.add_quasi_identifier('people', 'a', 'sample.a_levels', range_loss => true), anonopt.add_quasi_identifier('people', 'b', 'sample.b_levels') \g /dev/null
SELECT is((SELECT round(nwp::numeric, 9) FROM anonopt.evaluate_cuts('people', ARRAY['0000000', repeat('0', 59)]::varbit[], k => 1)),
    (SELECT round(nwp::numeric, 9) FROM anonopt.evaluate('people', '{2,3}', k => 1)), 'a cut');
SELECT is((SELECT round(nwp::numeric, 9) FROM anonopt.evaluate_cuts('people', ARRAY['1111111', repeat('1', 59)]::varbit[], k => 1)),
    (SELECT round(nwp::numeric, 9) FROM anonopt.evaluate('people', '{0,0}', k => 1)), 'the finest cut');
SELECT anonopt.create_recoding('sample.recoded', 'people', k => 5, seed => 1) \g /dev/null
SELECT is((SELECT round((sum(loss * people) / 500)::numeric, 9) FROM anonopt.recoding_classes('people', 'sample.recoded')),
    (SELECT round((glm / 1000)::numeric, 9) FROM anonopt.evaluate_recoding('people', 'sample.recoded')), 'a recoding');
SELECT is((SELECT jsonb_object_agg(column_name, range_loss) FROM anonopt.describe('people')), '{"a": true, "b": false}'::jsonb, 'describe says of which columns');
-- other declarations are unaffected
SELECT anonopt.drop_attribute('people', 'a'), anonopt.add_quasi_identifier('people', 'a', 'sample.a_levels') \g /dev/null
SELECT is((SELECT glm FROM anonopt.evaluate('people', '{0,0}', k => 1)), 0::float8, 'without range_loss leaves lose nothing');
SELECT throws_ok($$SELECT anonopt.add_quasi_identifier('people', 'b', 'sample.b_levels', range_loss => true)$$, '22023', NULL, 'leaves must be ranges');
SELECT throws_ok($$SELECT anonopt.add_quasi_identifier('people', 'b', 'sample.b_levels', range_loss => NULL)$$, '22023', NULL, 'and it must be said');
UPDATE anonopt.attribute SET range_loss = true WHERE dataset = 'people' AND column_name = 'b';
SELECT throws_ok($$SELECT * FROM anonopt.evaluate('people', '{0,0}')$$, '23514', NULL, 'a declaration that somebody wrote is checked');
SELECT * FROM finish();
ROLLBACK;
