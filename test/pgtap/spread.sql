-- How unlike classes' sizes are, as objectives: against every node of a random table in plain SQL, and
-- beside the comparators of which two of them are the order.
\ir begin.inc

SELECT plan(26);
CREATE SCHEMA sample;
SELECT setseed(0.3) \g /dev/null
CREATE TABLE sample.r AS SELECT floor(random() ^ 2 * 16)::int AS a, floor(random() * 8)::int AS b, floor(random() ^ 3 * 4)::int AS c FROM generate_series(1, 150);
CREATE TABLE sample.h AS SELECT v, v / 2 AS l1, v / 4 AS l2, v / 8 AS l3, 0 AS l4 FROM generate_series(0, 15) v;
SELECT anonopt.create_dataset('none', 'sample.r', max_suppression => 0), anonopt.create_dataset('some', 'sample.r', max_suppression => 0.1) \g /dev/null
SELECT anonopt.add_quasi_identifier(d, c::name, 'sample.h') FROM unnest('{none,some}'::text[]) d, unnest('{a,b,c}'::text[]) c \g /dev/null

-- Classes that remain are those of at least k; the figures by their definitions
CREATE TABLE sample.node AS
WITH class AS (
    SELECT d, n.levels, n.k, n.glm, count(*) AS size
    FROM unnest('{none,some}'::text[]) d, LATERAL anonopt.lattice(d) n, sample.r
    GROUP BY d, n.levels, n.k, n.glm, a >> n.levels[1], b >> n.levels[2], c >> n.levels[3]),
remains AS (SELECT * FROM class WHERE size >= k)
SELECT d, levels, max(k) AS k, max(glm) AS glm, sum(size * ln(size)) AS sum_ln_k, sum(size ^ 2) AS sum_k,
    sum(size) FILTER (WHERE size < 2 * k)::float8 / sum(size) AS below_2k,
    (SELECT sum(x.size * y.size * abs(x.size - y.size))::float8 / (2 * sum(x.size * y.size * x.size))
     FROM remains x JOIN remains y USING (d, levels) WHERE (d, levels) = (r.d, r.levels)) AS gini
FROM remains r GROUP BY d, levels;

CREATE FUNCTION pg_temp.front(set text, objective text, sign int) RETURNS TABLE (value numeric, glm numeric) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT DISTINCT round(%1$I::numeric, 9), round(glm::numeric, 9) FROM sample.node n WHERE d = %2$L AND NOT EXISTS (
        SELECT FROM sample.node o WHERE o.d = n.d AND %3$s * o.%1$I <= %3$s * n.%1$I AND o.glm <= n.glm
            AND (%3$s * o.%1$I < %3$s * n.%1$I - 1e-9 OR o.glm < n.glm - 1e-9)) ORDER BY 2', objective, set, sign);
END $$;
CREATE FUNCTION pg_temp.found(set text, objective text) RETURNS TABLE (value numeric, glm numeric) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT round(%1$I::numeric, 9), round(glm::numeric, 9) FROM anonopt.pareto(%2$L, %3$L) ORDER BY 2', objective, set, ARRAY[objective, 'glm']);
END $$;
SELECT results_eq(format('SELECT * FROM pg_temp.found(%L, %L)', d, o), format('SELECT * FROM pg_temp.front(%L, %L, %s)', d, o, s), format('%s: the front of %s', d, o))
FROM unnest('{none,some}'::text[]) d, (VALUES ('gini', 1), ('below_2k', 1), ('sum_ln_k', -1)) v (o, s);
SELECT is((SELECT round((n).gini::numeric, 12) FROM anonopt.optimize(d, k => 4, loss => 'gini') n),
          (SELECT round(min(gini)::numeric, 12) FROM sample.node WHERE node.d = x.d AND k >= 4), d || ': the least gini with a k of 4')
FROM unnest('{none}'::text[]) x (d);
SELECT is((SELECT count(*) FROM anonopt.lattice('none') WHERE gini IS NOT NULL OR below_2k IS NOT NULL OR sum_ln_k IS NOT NULL), 0::bigint, 'NULL where nobody asks');
SELECT is((SELECT (gini, below_2k, sum_ln_k)::text FROM anonopt.pareto('none', '{gini,below_2k,sum_ln_k}') WHERE levels = '{4,3,2}'),
          format('(0,1,%s)', 150 * ln(150::float8)), 'one class of everybody');

-- The order of P_spr is that of sum_k, the order of P_hv that of sum_ln_k: who is better than how many
CREATE TABLE sample.played AS
SELECT i AS index, t.* FROM unnest('{p_spr,p_hv}'::text[]) i,
    LATERAL anonopt.tournament('none', (SELECT array_agg(levels) FROM (SELECT levels FROM sample.node WHERE d = 'none' ORDER BY levels) x), 'class_size', i) t;
SELECT is((SELECT count(*) FROM sample.played p JOIN sample.node n USING (levels)
           WHERE n.d = 'none' AND p.index = 'p_spr' AND wins <> (SELECT count(*) FROM sample.node o WHERE o.d = 'none' AND o.sum_k < n.sum_k)), 0::bigint, 'P_spr and sum_k');
SELECT is((SELECT count(*) FROM sample.played p JOIN sample.node n USING (levels)
           WHERE n.d = 'none' AND p.index = 'p_hv' AND wins <> (SELECT count(*) FROM sample.node o WHERE o.d = 'none' AND o.sum_ln_k < n.sum_ln_k - 1e-9)), 0::bigint, 'P_hv and sum_ln_k');
SELECT is((SELECT levels FROM anonopt.pareto('none', ARRAY[o], k => 1)), '{4,3,2}'::int[], o || ' alone is best at the top') FROM unnest('{sum_k,sum_ln_k}'::text[]) o;
SELECT is((SELECT count(*) FROM anonopt.pbg_ea('none', '{gini,glm}', '{0.01,1}', seed => 1) f JOIN sample.node n USING (levels) WHERE n.d = 'none' AND abs(f.gini - n.gini) > 1e-12),
          0::bigint, 'pbg_ea measures the same');

-- Several properties: P_WTD and P_LEX of what compare says of every pair
CREATE TABLE sample.pair (a_levels int[], b_levels int[], index text, p12 float8[], p21 float8[]);
CREATE TABLE sample.contestant AS SELECT * FROM (VALUES ('{0,0,0}'::int[]), ('{1,1,1}'), ('{2,2,1}'), ('{3,1,2}'), ('{2,3,0}'), ('{4,3,2}')) v (levels);
INSERT INTO sample.pair
SELECT a.levels, b.levels, c.index, array_agg(CASE WHEN c.index = 'p_rank' OR c.property = 'loss' THEN b_over_a ELSE a_over_b END ORDER BY property),
    array_agg(CASE WHEN c.index = 'p_rank' OR c.property = 'loss' THEN a_over_b ELSE b_over_a END ORDER BY property)
FROM sample.contestant a JOIN sample.contestant b ON a.levels <> b.levels, LATERAL anonopt.compare('some', a.levels, b.levels, '{class_size,loss}') c GROUP BY 1, 2, 3;
SELECT results_eq(format('SELECT levels, wins, losses FROM anonopt.tournament_of(%L, (SELECT array_agg(levels) FROM sample.contestant), %L, %L, %s) ORDER BY levels', 'some', '{class_size,loss}', i, rule),
    format('SELECT a_levels, count(*) FILTER (WHERE lead > 0)::int, count(*) FILTER (WHERE lead < 0)::int FROM (SELECT a_levels, %s AS lead FROM sample.pair WHERE index = %L) x GROUP BY 1 ORDER BY 1', truth, i), format('%s, %s', i, rule))
FROM unnest('{p_cov,p_spr,p_binary,p_rank}'::text[]) i, (VALUES
    ('weights => ''{0.25,0.75}''', '0.25 * (p12[1] - p21[1]) + 0.75 * (p12[2] - p21[2])'),
    ('epsilon => ''{0.3,0}''', 'coalesce(anonopt.p_lex(p21, p12, ''{0.3,0}''), 3) - coalesce(anonopt.p_lex(p12, p21, ''{0.3,0}''), 3)')) v (rule, truth);
SELECT results_eq($$SELECT * FROM anonopt.tournament_of('some', (SELECT array_agg(levels) FROM sample.contestant), '{class_size}', 'p_cov')$$,
    $$SELECT * FROM anonopt.tournament('some', (SELECT array_agg(levels) FROM sample.contestant), 'class_size', 'p_cov')$$, 'one property is a tournament');
SELECT throws_ok(format('SELECT anonopt.tournament_of(%L, %L, %L, %L, %s)', 'some', '{{0,0,0},{1,1,1}}', '{class_size,loss}', i, rule), '22023', NULL, format('refused: %s, %s', i, rule))
FROM (VALUES ('p_cov', '''{1}'''), ('p_cov', '''{1,-1}'''), ('p_hv', '''{1,1}''')) v (i, rule);

SELECT * FROM finish();
ROLLBACK;
