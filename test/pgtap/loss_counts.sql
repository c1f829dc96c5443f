-- What losses count, compared with plain SQL: the width of ranges, and the leaves that occur. Random data sets of
-- reference.inc, which most other tests use, count the leaves that occur in one column of three.
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
    PERFORM anonopt.create_dataset('ranged', 'sample.ranged', 0), anonopt.add_quasi_identifier('ranged', 'a', 'sample.coded', loss_counts => 'range'),
        anonopt.add_quasi_identifier('ranged', 'b', 'sample.ints', 2, loss_counts => 'range');
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

SELECT plan(pg_temp.few(80) + 8 + 12 + pg_temp.few(40) + 17);
SELECT is(pg_temp.range_problem(seed), NULL, format('table %s', seed)) FROM generate_series(1, pg_temp.few(80)) seed;

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
    PERFORM anonopt.create_dataset('outlying', 'sample.outlying', 0.06), anonopt.add_quasi_identifier('outlying', 'a', 'sample.outlying_coded', loss_counts => 'range');
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
SELECT anonopt.create_dataset('people', 'sample.people'), anonopt.add_quasi_identifier('people', 'a', 'sample.a_levels', loss_counts => 'range'), anonopt.add_quasi_identifier('people', 'b', 'sample.b_levels') \g /dev/null
SELECT is((SELECT round(nwp::numeric, 9) FROM anonopt.evaluate_cuts('people', ARRAY['0000000', repeat('0', 59)]::varbit[], k => 1)),
    (SELECT round(nwp::numeric, 9) FROM anonopt.evaluate('people', '{2,3}', k => 1)), 'a cut');
SELECT is((SELECT round(nwp::numeric, 9) FROM anonopt.evaluate_cuts('people', ARRAY['1111111', repeat('1', 59)]::varbit[], k => 1)),
    (SELECT round(nwp::numeric, 9) FROM anonopt.evaluate('people', '{0,0}', k => 1)), 'the finest cut');
SELECT anonopt.create_recoding('sample.recoded', 'people', k => 5, seed => 1) \g /dev/null
SELECT is((SELECT round((sum(loss * people) / 500)::numeric, 9) FROM anonopt.recoding_classes('people', 'sample.recoded')),
    (SELECT round((glm / 1000)::numeric, 9) FROM anonopt.evaluate_recoding('people', 'sample.recoded')), 'a recoding');
SELECT is((SELECT jsonb_object_agg(column_name, loss_counts) FROM anonopt.describe('people')), '{"a": "range", "b": "leaves"}'::jsonb, 'describe says what counts');
-- other declarations are unaffected
SELECT anonopt.drop_attribute('people', 'a'), anonopt.add_quasi_identifier('people', 'a', 'sample.a_levels') \g /dev/null
SELECT is((SELECT glm FROM anonopt.evaluate('people', '{0,0}', k => 1)), 0::float8, 'if leaves count, they lose nothing');
SELECT throws_ok($$SELECT anonopt.add_quasi_identifier('people', 'b', 'sample.b_levels', loss_counts => 'range')$$, '22023', NULL, 'leaves must be ranges');
SELECT throws_ok($$SELECT anonopt.add_quasi_identifier('people', 'b', 'sample.b_levels', loss_counts => NULL)$$, '22023', NULL, 'and it must be said');
UPDATE anonopt.attribute SET loss_counts = 'range' WHERE dataset = 'people' AND column_name = 'b';
SELECT throws_ok($$SELECT * FROM anonopt.evaluate('people', '{0,0}')$$, '23514', NULL, 'a declaration that somebody wrote is checked');

-- Leaves that occur: a telecom's sparse table, its losses from SQL alone. The label of each value at each level, and how many values that occur share
-- it; nothing else is needed.
CREATE FUNCTION pg_temp.shares(column_name name, hierarchy regclass) RETURNS TABLE (level int, lost float8, labels bigint)
LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format($q$
        WITH shown AS (SELECT c.%1$I AS value, coalesce(to_jsonb(h) ->> k, CASE WHEN level = top AND one THEN '*' END) AS label, level
            FROM sample.calls c LEFT JOIN %2$s h ON h.value IS NOT DISTINCT FROM c.%1$I
            CROSS JOIN unnest($1) WITH ORDINALITY u (k, ordinal) CROSS JOIN LATERAL (SELECT ordinal::int - 1 AS level, cardinality($1) - 1 AS top, true AS one) l),
        label AS (SELECT level, label, count(DISTINCT value) + (CASE WHEN bool_or(value IS NULL) THEN 1 ELSE 0 END) AS n, count(*) AS people FROM shown GROUP BY 1, 2)
        SELECT level, sum(people * (n - 1))::float8 / greatest(max(sum(n)) OVER () - 1, 1), count(*) FROM label GROUP BY level$q$, column_name, hierarchy) USING ref.columns(hierarchy)::text[];
END $$;

CREATE FUNCTION pg_temp.occurring_problem(seed int) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    problem text; people int;
BEGIN
    PERFORM setseed(seed / 1000.0);
    DROP TABLE IF EXISTS sample.calls, sample.days, sample.cells;
    CREATE TABLE sample.calls AS SELECT CASE WHEN NOT sample.chance(0.1) THEN date '2026-01-01' + sample.below(1 + sample.below(365)) END AS made,
        CASE WHEN sample.chance(0.7) THEN 4 * sample.below(5) ELSE sample.below(100) END AS cell FROM generate_series(1, 1 + sample.below(120)) i;
    SELECT count(*) INTO people FROM sample.calls;
    PERFORM anonopt.create_date_hierarchy('sample.days', '2020-01-01', '2035-12-31', '{month,quarter,year,decade}'),
        anonopt.create_interval_hierarchy('sample.cells', 0, 99, '{5,20}');
    PERFORM anonopt.create_dataset('calls', 'sample.calls', 0), anonopt.add_quasi_identifier('calls', 'made', 'sample.days', loss_counts => 'occurring'),
        anonopt.add_quasi_identifier('calls', 'cell', 'sample.cells', 3, loss_counts => 'occurring');
    SELECT string_agg(format('%s: %s and %s instead of %s and %s', n.levels, n.glm, n.nwp, m.lost + c.lost, (m.lost + 3 * c.lost) / 4 / people), '; ') INTO problem
    FROM anonopt.lattice('calls', k => 1) n JOIN pg_temp.shares('made', 'sample.days') m ON m.level = n.levels[1] JOIN pg_temp.shares('cell', 'sample.cells') c ON c.level = n.levels[2]
    WHERE NOT ref.close(n.glm, m.lost + c.lost) OR NOT ref.close(n.nwp, (m.lost + 3 * c.lost) / 4 / people);
    SELECT concat_ws('; ', problem, (SELECT string_agg(format('%s of %s labels, %s of %s', d.labels, s.labels, d.loss * people, s.lost), '; ')
        FROM generate_series(0, 3) i, anonopt.node_detail('calls', ARRAY[i + 1, i]) d, LATERAL (SELECT * FROM pg_temp.shares(d.column_name, CASE d.column_name WHEN 'made' THEN 'sample.days'::regclass
            ELSE 'sample.cells' END) s WHERE s.level = d.level) s WHERE d.labels <> s.labels OR NOT ref.close(d.loss * people, s.lost))) INTO problem;
    SELECT concat_ws('; ', nullif(problem, ''), (SELECT string_agg(loss, ', ') FROM unnest('{glm,nwp}'::text[]) loss,
            LATERAL (SELECT min(to_jsonb(l) ->> loss)::float8 AS least FROM (SELECT glm, nwp FROM anonopt.lattice('calls', k => 4) WHERE feasible ORDER BY CASE loss WHEN 'glm' THEN glm ELSE nwp END LIMIT 1) l) x
            WHERE (SELECT CASE loss WHEN 'glm' THEN glm ELSE nwp END FROM anonopt.optimize('calls', k => 4, loss => loss)) IS DISTINCT FROM x.least),
        CASE WHEN (SELECT NOT ref.close(sum(value), (SELECT glm FROM anonopt.evaluate('calls', '{2,1}'))) FROM anonopt.property_vector('calls', '{2,1}', 'loss')) THEN 'records' END) INTO problem;
    PERFORM anonopt.drop_dataset('calls');
    RETURN nullif(problem, '') || format(E'\nof seed %s', seed);
END $$;
SELECT is(pg_temp.occurring_problem(seed), NULL, format('calls %s', seed)) FROM generate_series(1, pg_temp.few(40)) seed;

-- Everybody is of one year, and the hierarchy has ten.
CREATE TABLE sample.event AS SELECT date '2026-01-01' + (i * 7919 % 365) AS day, i * 31 % 40 AS age, i % 7 AS kind FROM generate_series(1, 3000) i;
SELECT anonopt.create_date_hierarchy('sample.event_days', '2026-01-01', '2035-12-31', '{month,quarter,year}'), anonopt.create_interval_hierarchy('sample.event_ages', 0, 39, '{5,20}') \g /dev/null
SELECT anonopt.create_dataset('events', 'sample.event', 0), anonopt.add_quasi_identifier('events', 'day', 'sample.event_days', loss_counts => 'occurring'),
    anonopt.add_quasi_identifier('events', 'age', 'sample.event_ages') \g /dev/null
SELECT is((SELECT array_agg(round(loss::numeric, 12) ORDER BY i) FROM generate_series(0, 4) i, anonopt.node_detail('events', ARRAY[i, 0]) d WHERE column_name = 'day'),
    (SELECT ARRAY[0, round(month::numeric, 12), round(quarter::numeric, 12), 1, 1]::numeric[] FROM (SELECT sum(people * (days - 1)) / 3000 / 364 AS month FROM (SELECT count(*)::float8 AS people, count(DISTINCT day) AS days FROM sample.event GROUP BY date_trunc('month', day)) s) m,
        (SELECT sum(people * (days - 1)) / 3000 / 364 AS quarter FROM (SELECT count(*)::float8 AS people, count(DISTINCT day) AS days FROM sample.event GROUP BY date_trunc('quarter', day)) s) q), 'the year of all loses all');
SELECT is((SELECT array_agg(labels ORDER BY i) FROM generate_series(0, 4) i, anonopt.node_detail('events', ARRAY[i, 0]) d WHERE column_name = 'day'), '{365,12,4,1,1}', 'labels are those that occur');
SELECT is((SELECT glm FROM anonopt.optimize('events', k => 2000)), 6000::float8, 'nothing is left at k = 2000, and the loss says so');
SELECT is((SELECT levels FROM anonopt.optimize('events', k => 20)), (SELECT levels FROM anonopt.lattice('events', k => 20) WHERE feasible ORDER BY glm, levels[1] + levels[2], levels LIMIT 1), 'the optimum is the least of all');
SELECT is((SELECT jsonb_object_agg(column_name, loss_counts) FROM anonopt.describe('events')), '{"day": "occurring", "age": "leaves"}'::jsonb, 'describe says of which columns');
-- a release, whose reading need not tell leaves apart, records what evaluate says
SELECT anonopt.publish_table('sample.event_shown', 'events', levels => '{2,1}', k => 20) \g /dev/null
SELECT is((SELECT (measures ->> 'glm')::float8 FROM anonopt.release WHERE release = 'sample.event_shown'::regclass), (SELECT glm FROM anonopt.evaluate('events', '{2,1}', k => 20)), 'a release');
SELECT is((SELECT glm FROM anonopt.evaluate_cuts('events', (SELECT ARRAY[string_agg(CASE WHEN extract(day FROM d) = 1 AND extract(month FROM d) IN (1, 4, 7, 10) THEN '1' ELSE '0' END, '' ORDER BY d), string_agg('1', '') FILTER (WHERE d <= '2026-01-01'::date + 39)]::varbit[]
    FROM generate_series(timestamp '2026-01-02', '2035-12-31', '1 day') d), k => 1)), (SELECT glm FROM anonopt.evaluate('events', '{2,0}', k => 1)), 'cuts');
SELECT anonopt.create_recoding('sample.event_recoded', 'events', k => 20, seed => 1) \g /dev/null
SELECT ok((SELECT ref.close(sum(loss * people) * 2, (SELECT glm FROM anonopt.evaluate_recoding('events', 'sample.event_recoded'))) FROM anonopt.recoding_classes('events', 'sample.event_recoded')), 'a recoding''s classes');
SELECT cmp_ok((SELECT glm FROM anonopt.evaluate_recoding('events', 'sample.event_recoded')), '<=', (SELECT glm FROM anonopt.optimize('events', k => 20)), 'it loses no more than the best node');
-- workers and a store say the same
SET LOCAL anonopt.max_workers = 0;
CREATE TEMP TABLE alone AS SELECT * FROM anonopt.lattice('events', k => 20);
SET LOCAL anonopt.max_workers = 2;
SELECT set_eq('SELECT * FROM anonopt.lattice(''events'', k => 20)', 'TABLE alone', 'workers');
SELECT anonopt.create_tuple_store('events') \g /dev/null
SELECT set_eq('SELECT * FROM anonopt.lattice(''events'', k => 20)', 'TABLE alone', 'a store');
-- the default is what the papers define
SELECT anonopt.drop_tuple_store('events'), anonopt.drop_attribute('events', 'day'), anonopt.drop_attribute('events', 'age'), anonopt.add_quasi_identifier('events', 'day', 'sample.event_days') \g /dev/null
SELECT is((SELECT glm FROM anonopt.evaluate('events', '{3}', k => 1)), 3000 * 364::float8 / (date '2035-12-31' - date '2026-01-01'), 'by default every leaf counts');
SELECT throws_ok($$SELECT anonopt.add_quasi_identifier('events', 'age', 'sample.event_ages', loss_counts => 'some')$$, '22023', NULL, 'unknown rules are refused');
-- auto_dataset counts what occurs
SELECT set_eq($$SELECT column_name FROM anonopt.auto_dataset('automatic', 'sample.event', '{day,age,kind}')$$, '{day,age,kind}'::name[], 'automatic hierarchies');
SELECT is((SELECT array_agg(DISTINCT loss_counts) FROM anonopt.describe('automatic')), '{occurring}', 'count the leaves that occur');

SELECT is((SELECT loss FROM anonopt.node_detail('automatic', '{3,0,0}') WHERE column_name = 'day'), 1::float8, 'so that a year of ten loses all if everybody shows it');
SELECT is((SELECT count(*) FROM anonopt.optimize('automatic', k => 2000) WHERE nwp < 1), 0::bigint, 'and no optimum says that something is left');

SELECT * FROM finish();
ROLLBACK;
