-- What the papers have beside their main functions, held against plain SQL: preferences
-- with weights and an ideal point, dominance of sets, weighted properties, partitions in
-- comparisons, more utilities of a record, and NSGA-II without help.
\ir begin.inc
SET jit = off;
\ir reference.inc

SELECT plan(35);

\ir employees.inc
SELECT setseed(0.2);

-- Achievement -----------------------------------------------------------------

\ir achievement.inc
CREATE TABLE asked AS
SELECT nr, ARRAY(SELECT random() FROM generate_series(1, n) WHERE nr > 0) AS v,
       ARRAY(SELECT 0.1 + random() FROM generate_series(1, n) WHERE nr > 0) AS preferred,
       ARRAY(SELECT random() FROM generate_series(1, n) WHERE nr > 0) AS weights,
       ARRAY(SELECT random() / 10 FROM generate_series(1, n) WHERE nr > 0) AS ideal, n
FROM (SELECT nr, 2 + nr % 4 AS n FROM generate_series(1, 200) nr) x;
SELECT is((SELECT count(*) FROM asked WHERE abs(anonopt.achievement_of(v, preferred, weights, ideal) - pg_temp.ach(v, preferred, weights, ideal)) > 1e-12),
          0::bigint, 'achievement of any number of values');
SELECT is((SELECT count(*) FROM asked WHERE n = 2 AND preferred[1] < 1 AND preferred[2] < 1
           AND abs(anonopt.achievement(v[1], v[2], preferred[1], preferred[2], weights, ideal) - pg_temp.ach(v, preferred, weights, ideal)) > 1e-12),
          0::bigint, 'achievement of a bias and a loss');
SELECT is((SELECT count(*) FROM asked WHERE n = 2 AND preferred[1] < 1 AND preferred[2] < 1
           AND abs(anonopt.achievement(v[1], v[2], preferred[1], preferred[2]) - anonopt.achievement_of(v[:2], preferred[:2])) > 1e-12),
          0::bigint, 'without weights and an ideal point both forms agree');
SELECT throws_ok($$SELECT anonopt.achievement_of('{1,2}', '{1,1}', '{-1,2}')$$, '22023', NULL, 'a negative weight');
SELECT throws_ok($$SELECT anonopt.achievement_of('{1,2}', '{1,1}', NULL, '{2,0}')$$, '22023', NULL, 'a preference better than ideal');
SELECT throws_ok($$SELECT anonopt.achievement_of('{1,2}', '{1,1,1}')$$, '22023', NULL, 'one preference too many');
SELECT ok(anonopt.achievement(0.1, NULL, 0.1, 0.1) IS NULL AND anonopt.achievement_of(NULL, '{1}') IS NULL, 'achievement of NULL');

-- Dominance of sets: that of all properties' values taken together -------------

CREATE TABLE vector AS
SELECT s, p, r, floor(random() * 2) + CASE WHEN s % 3 = 0 THEN 1 ELSE 0 END AS d1, floor(random() * 2) + CASE WHEN s % 3 = 1 THEN 1 ELSE 0 END AS d2
FROM generate_series(1, 300) s, generate_series(1, 3) p, generate_series(1, 2) r;
SELECT is((SELECT count(*) FROM
               (SELECT s, anonopt.dominance(d1, d2) AS whole FROM vector GROUP BY s) w
               JOIN (SELECT s, anonopt.set_dominance(array_agg(d)) AS parts
                     FROM (SELECT s, p, anonopt.dominance(d1, d2) AS d FROM vector GROUP BY s, p) x GROUP BY s) y USING (s)
           WHERE whole <> parts), 0::bigint, 'dominance of sets, by property and as a whole');
SELECT cmp_ok((SELECT count(DISTINCT d) FROM (SELECT anonopt.dominance(d1, d2) AS d FROM vector GROUP BY s) x), '>=', 3::bigint, 'of several kinds');
SELECT throws_ok($$SELECT anonopt.set_dominance('{}')$$, '22023', NULL, 'no property');
SELECT throws_ok($$SELECT anonopt.set_dominance('{better,finer}')$$, '22023', NULL, 'no such dominance');
SELECT is(ARRAY[anonopt.p_rank_order(3, 4), anonopt.p_rank_order(4, 3), anonopt.p_rank_order(3, 4, 1), anonopt.p_rank_order(3, 4, 0.99), anonopt.p_rank_order(3, 3)],
          '{1,-1,0,1,0}', 'ranks within a tolerance are equal');
SELECT throws_ok($$SELECT anonopt.p_rank_order(1, 2, -1)$$, '22023', NULL, 'a negative tolerance');

-- Weighted properties: their mean is NWP ----------------------------------------

SELECT is((SELECT count(*) FROM anonopt.lattice('employee') n
           WHERE abs(nwp - (SELECT avg(value) FROM anonopt.property_vector('employee', n.levels, 'weighted_loss', 'code'))) > 1e-12
              OR abs(1 - nwp - (SELECT avg(value) FROM anonopt.property_vector('employee', n.levels, 'weighted_utility', 'code'))) > 1e-12),
          0::bigint, 'the mean weighted loss is NWP');
SELECT is((SELECT better FROM anonopt.compare('employee', '{1,0}', '{2,0}', '{weighted_loss}') WHERE index = 'p_spr'), 'a', 'of a weighted loss less is better');

-- Partitions beside nodes ---------------------------------------------------------

CREATE FUNCTION pg_temp.differs(a varbit[], b int[], property text) RETURNS bigint
LANGUAGE sql AS $$
    WITH v AS (
        SELECT x.value AS a, y.value AS b
        FROM anonopt.property_vector('employee', NULL, property, 'code', cuts => differs.a) x
        JOIN anonopt.property_vector('employee', differs.b, property, 'code') y USING (record)),
    want (index, ab, ba) AS (
        SELECT t.* FROM (SELECT anonopt.p_cov(a, b), anonopt.p_cov(b, a), anonopt.p_spr(a, b), anonopt.p_spr(b, a),
                              anonopt.p_binary(a, b), anonopt.p_binary(b, a) FROM v) s (c1, c2, s1, s2, b1, b2),
            LATERAL (VALUES ('p_cov', c1, c2), ('p_spr', s1, s2), ('p_binary', b1, b2)) t (index, ab, ba))
    SELECT count(*) FROM want JOIN anonopt.compare('employee', differs.a, differs.b, ARRAY[property]) USING (index)
    WHERE abs(ab - a_over_b) + abs(ba - b_over_a) > 1e-9 OR a_levels IS NOT NULL OR b_levels <> differs.b
$$;
SELECT is((SELECT sum(pg_temp.differs(c, levels, p)) FROM (VALUES (ARRAY[B'00100001000', B'11']::varbit[]), (ARRAY[B'01000001000', B'01'])) x (c),
           anonopt.lattice('employee'), unnest('{class_size,utility,weighted_loss}'::text[]) p), 0::numeric, 'partitions against nodes');
SELECT is((SELECT count(*) FROM anonopt.compare('employee', ARRAY[B'00100001000', B'11']::varbit[], '{1,0}'::int[]) x
           JOIN anonopt.compare('employee', '{2,0}', '{1,0}') y USING (property, index)
           WHERE (x.a_over_b, x.b_over_a) IS DISTINCT FROM (y.a_over_b, y.b_over_a) OR x.better IS DISTINCT FROM y.better),
          0::bigint, 'a partition that is a node compares as the node');

-- Utilities of a record -------------------------------------------------------------

CREATE FUNCTION pg_temp.brute(min_utility float8, model text) RETURNS TABLE (record text, risk float8, utility float8)
LANGUAGE sql AS $$
    WITH shown AS (
        SELECT e.code AS record, i, j, (ARRAY[c.code, c.level1, c.level2, c.level3, c.level4])[i + 1] AS code, (ARRAY[k.class, k.level1])[j + 1] AS class
        FROM paper.employee e JOIN paper.code c USING (code) JOIN paper.class k USING (class), generate_series(0, 4) i, generate_series(0, 1) j),
    node AS (
        SELECT record, i, j, count(*) OVER (PARTITION BY i, j, code, class) AS people,
            (SELECT count(*) FROM paper.code c WHERE (ARRAY[c.code, c.level1, c.level2, c.level3, c.level4])[i + 1] = s.code) - 1 AS n1,
            (SELECT count(*) FROM paper.class c WHERE (ARRAY[c.class, c.level1])[j + 1] = s.class) - 1 AS n2
        FROM shown s),
    useful AS (
        SELECT record, 1::float8 / people AS risk,
            CASE model WHEN 'xiao_tao' THEN 1 - (n1 / 12::float8 + n2 / 3::float8) ELSE 2 - (n1 / 11::float8 + n2 / 2::float8) END AS utility
        FROM node)
    SELECT DISTINCT ON (record) record, risk, utility FROM useful WHERE utility >= min_utility - 1e-9 ORDER BY record, risk, utility DESC
$$;
-- each side once for every bound, not once for every row of the other
CREATE TABLE bound AS
SELECT 'xiao_tao' AS model, unnest('{0,0.21,0.4,0.66,0.9,1}'::float8[]) AS u UNION ALL SELECT 'lm', unnest('{0,0.5,1.2,1.5,1.95,2}'::float8[]);
CREATE TABLE brute AS SELECT model, u, b.* FROM bound, LATERAL pg_temp.brute(u, model) b;
CREATE TABLE ours AS SELECT model, u, a.record, a.risk, a.utility FROM bound, LATERAL anonopt.aruba('employee', u - 1e-9, 'identity', model, key => 'code') a;
SELECT is((SELECT count(*) FROM ours a FULL JOIN brute b USING (model, u, record)
           WHERE model = 'xiao_tao' AND (abs(a.risk - b.risk) + abs(a.utility - b.utility) < 1e-9) IS NOT TRUE), 0::bigint, 'Xiao and Tao''s utility');
SELECT is((SELECT count(*) FROM ours a FULL JOIN brute b USING (model, u, record)
           WHERE model = 'lm' AND (abs(a.risk - b.risk) + abs(a.utility - b.utility) < 1e-9) IS NOT TRUE), 0::bigint, 'the loss metric''s utility');

-- Beyond 300,000 nodes, with domains of one size: then each bound of one is a bound of the other
SELECT anonopt.create_interval_hierarchy('paper.four', 0, 3, '{2}') \g /dev/null
SELECT format('CREATE TABLE paper.wide AS SELECT i AS id, %s FROM generate_series(1, 4) i',
              string_agg(format('(i * %s + i / 3) %% 4 AS v%s', c % 3 + 1, c), ', ')) FROM generate_series(1, 12) c \gexec
SELECT anonopt.create_dataset('wide', 'paper.wide') \g /dev/null
SELECT anonopt.add_quasi_identifier('wide', ('v' || c)::name, 'paper.four') FROM generate_series(1, 12) c ORDER BY c \g /dev/null
SELECT cmp_ok(anonopt.lattice_size('wide'), '>', 300000::numeric, 'a wide lattice');
-- by the frontier, and by bounds where risk is not monotone
CREATE TABLE far AS
SELECT u, model, a.* FROM unnest('{-1,-3}'::float8[]) u, unnest('{identity,entropy}'::text[]) model,
    LATERAL anonopt.aruba('wide', u - 1e-9, model, 'xiao_tao', key => 'id') a;
CREATE TABLE near AS
SELECT u, model, a.* FROM unnest('{-1,-3}'::float8[]) u, unnest('{identity,entropy}'::text[]) model,
    LATERAL anonopt.aruba('wide', 12 - (1 - u) * 4 / 3 - 1e-9, model, 'lm', key => 'id') a;
SELECT is((SELECT count(*) FROM far a JOIN near b USING (u, model, record)
           WHERE (a.levels = b.levels AND a.risk = b.risk) IS NOT TRUE), 0::bigint, 'both utilities by the frontier and by bounds');
SELECT is((SELECT count(*) FROM far JOIN near USING (u, model, record)), 16::bigint, 'of every record');

-- Branch and bound on random lattices, risk and utility rising with every step down
CREATE TABLE lattice AS
SELECT nr, array_agg(risk ORDER BY i) AS risk, array_agg(utility ORDER BY i) AS utility FROM (
    SELECT nr, i, array_agg(risk ORDER BY j) AS risk, array_agg(utility ORDER BY j) AS utility FROM (
        SELECT nr, i, j, sum(a) OVER w AS risk, sum(b) OVER w AS utility
        FROM (SELECT nr, i, j, floor(random() * 5) AS a, floor(random() * 5) AS b FROM generate_series(1, 100) nr, generate_series(0, 5) i, generate_series(0, 4) j) x
        WINDOW w AS (PARTITION BY nr ORDER BY i + j RANGE UNBOUNDED PRECEDING)) y GROUP BY nr, i) z GROUP BY nr;
CREATE TABLE walked AS
SELECT nr, c, risk[b.best[1] + 1][b.best[2] + 1] AS found, cardinality(b.visited) / 2 AS visited,
    (SELECT min(risk[i][j]) FROM generate_series(1, 6) i, generate_series(1, 5) j WHERE utility[i][j] >= c) AS least
FROM lattice, unnest('{0,20,60,100}'::float8[]) c, LATERAL anonopt.record_walk('branch_and_bound', risk, utility, c) b;
SELECT is((SELECT count(*) FROM walked WHERE found IS DISTINCT FROM least), 0::bigint, 'branch and bound finds the least risk');
SELECT cmp_ok((SELECT min(visited) FROM walked), '<', 5, 'without visiting every node');

-- NSGA-II without help ----------------------------------------------------------------

CREATE TABLE plain AS SELECT * FROM anonopt.nsga2('employee', 2, 0.2, 0.1, 20, 2000, mutation => 0.1, seed => 3, seeds => false, copies => true);
SELECT is((SELECT count(*) FROM plain p, anonopt.evaluate_cuts('employee', cuts, k => 1) e
           WHERE (p.k, p.necd, p.nwp) IS DISTINCT FROM (e.k, e.necd, e.nwp)), 0::bigint, 'plain: measures of its cuts');
SELECT results_eq($$SELECT * FROM anonopt.nsga2('employee', 2, 0.2, 0.1, 20, 2000, mutation => 0.1, seed => 3, seeds => false, copies => true)$$,
                  'SELECT * FROM plain', 'plain: the same seed, the same rows');
SELECT cmp_ok((SELECT min(ach) FROM plain WHERE feasible), '<=', (SELECT ach + 0.02 FROM anonopt.efficiency('employee', 2, 0.2, 0.1) WHERE chosen),
              'plain: near the best level node, of which it was not told');

-- The paper's NSGA-II in one word: a first generation whose bits are as often set as not, however
-- many they are, where ours by default has cuts of any density; an answer from the last generation,
-- no larger than it; and the chosen one its closest feasible row.
CREATE TABLE paper.aged AS SELECT i % 60 AS age FROM generate_series(1, 400) i;
SELECT anonopt.create_interval_hierarchy('paper.ages', 0, 59, '{10}') \g /dev/null
SELECT anonopt.create_dataset('aged', 'paper.aged'), anonopt.add_quasi_identifier('aged', 'age', 'paper.ages') \g /dev/null
CREATE TABLE drawn AS
SELECT plain, length(replace(cuts[1]::text, '0', '')) / 59.0 AS share
FROM unnest('{f,t}'::boolean[]) plain, generate_series(1, 20) seed,
    LATERAL anonopt.nsga2('aged', 2, 0.5, 0.5, 50, 50, seed => seed, seeds => false, copies => true, plain => plain) r;
SELECT is((SELECT count(*) FROM drawn WHERE plain AND share NOT BETWEEN 0.2 AND 0.8), 0::bigint, 'plain: the first cuts have half of the bits');
SELECT cmp_ok((SELECT count(*) FROM drawn WHERE NOT plain AND share NOT BETWEEN 0.2 AND 0.8), '>', 0::bigint, 'others have any number');
CREATE TABLE answered AS
SELECT plain, seed, count(*) AS rows, bool_or(r.chosen) AS some_chosen, bool_or(feasible) AS some_feasible,
    min(ach) FILTER (WHERE r.chosen) AS chosen, min(ach) FILTER (WHERE feasible) AS least, count(DISTINCT k) AS ks,
    array_agg(k ORDER BY ach) = array_agg(k ORDER BY k) AS apart, array_agg(r ORDER BY ach)::text AS answer
FROM unnest('{f,t}'::boolean[]) plain, generate_series(1, 20) seed,
    LATERAL anonopt.nsga2('employee', 3, 0.2, 0.1, 2, 400, mutation => 0.1, seed => seed, seeds => false, copies => true, plain => plain) r
GROUP BY plain, seed;
SELECT is((SELECT max(rows) FROM answered WHERE plain) <= 2, true, 'plain: the last generation answers');
SELECT cmp_ok((SELECT max(rows) FROM answered WHERE NOT plain), '>', 2::bigint, 'others answer from every generation');
SELECT cmp_ok((SELECT count(*) FROM answered WHERE plain AND some_feasible), '>', 0::bigint, 'plain searches find something feasible');
SELECT is((SELECT array_agg(seed) FROM answered WHERE some_chosen <> some_feasible OR chosen <> least OR ks < rows OR NOT apart), NULL,
          'the closest feasible row is chosen, and no row beats another');
SELECT is((SELECT array_agg(seed) FROM answered a WHERE plain AND answer IS DISTINCT FROM
              (SELECT array_agg(r ORDER BY ach)::text FROM anonopt.nsga2('employee', 3, 0.2, 0.1, 2, 400, mutation => 0.1, seed => a.seed, plain => true) r)),
          NULL, 'plain is all of it in one word, and the same seed gives the same rows');
SELECT results_eq($$SELECT count(*), count(*) FILTER (WHERE k < 2), count(k) > 0
                    FROM anonopt.reference_direction('employee', 2, '{1,0.5}', '{0.5,0.2}', 3, 20, 2000, mutation => 0.1, seed => 1, plain => true)$$,
                  'VALUES (3::bigint, 0::bigint, true)', 'a walk by it has all its steps, feasible or empty');

SELECT * FROM finish();
ROLLBACK;
