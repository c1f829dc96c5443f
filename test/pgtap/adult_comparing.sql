-- Comparing anonymizations of the Adult data: a tournament over the front of k and
-- GLM, and property vectors whose sums are the measures of the nodes.
\ir adult.inc
\if :unreadable
\quit
\endif

SELECT plan(16);

-- Nobody is suppressed in the first, up to one in a hundred in the second.
SELECT anonopt.create_dataset('all', 'adult.people', max_suppression => 0), anonopt.create_dataset('most', 'adult.people') \g /dev/null
SELECT anonopt.add_quasi_identifier(d, c::name, ('adult.' || c)::regclass)
FROM unnest('{all,most}'::text[]) d,
     unnest('{age,workclass,education,marital_status,race,sex,native_country,salary_class}'::text[]) WITH ORDINALITY x (c, i)
ORDER BY d, i \g /dev/null
SELECT anonopt.add_sensitive(d, 'occupation') FROM unnest('{all,most}'::text[]) d \g /dev/null

CREATE TABLE adult.front AS SELECT row_number() OVER () AS nr, * FROM anonopt.pareto('most', '{k,glm}');
SELECT is((SELECT count(*) FROM adult.front), 46::bigint, 'the front of k and glm');

-- Everybody against everybody: 1,035 comparisons from one reading
CREATE TABLE adult.played AS
    SELECT property, index, t.* FROM (VALUES ('class_size', 'p_cov'), ('class_size', 'p_rank'), ('loss', 'p_spr'), ('class_size', 'ln_p_hv')) x (property, index),
         LATERAL anonopt.tournament('most', (SELECT array_agg(levels) FROM adult.front), property, index) t;
SELECT is((SELECT array_agg(DISTINCT wins + losses + ties) FROM adult.played), '{45}', 'every node meets the 45 others');
SELECT is((SELECT array_agg(games ORDER BY property, index) FROM (SELECT property, index, sum(wins + losses + ties) / 2 AS games FROM adult.played GROUP BY property, index) x),
          '{1035,1035,1035,1035}', 'which makes 1,035 comparisons');
SELECT is((SELECT count(*) FROM (SELECT property, index FROM adult.played GROUP BY property, index HAVING sum(wins) <> sum(losses)) x), 0::bigint,
          'as many are lost as are won');

-- the winners, which one number per node decides
SELECT is((SELECT array_agg(levels ORDER BY wins DESC) FROM adult.played WHERE (property, index) = ('loss', 'p_spr')),
          (SELECT array_agg(levels ORDER BY glm) FROM adult.front), 'by the spread of loss the front is ordered as by glm');
SELECT is((SELECT levels FROM adult.played WHERE (property, index) = ('class_size', 'p_rank') ORDER BY wins DESC LIMIT 1),
          (SELECT levels FROM adult.front WHERE k = 30162), 'nothing is nearer to the best class size than one class of all');

-- The same pairs, one by one
CREATE TABLE adult.compared AS
    SELECT c.* FROM (SELECT array_agg(a.levels ORDER BY a.nr, b.nr) AS a, array_agg(b.levels ORDER BY a.nr, b.nr) AS b
                     FROM adult.front a JOIN adult.front b ON a.nr < b.nr) x,
         LATERAL anonopt.compare('most', a, b, '{class_size,loss}') c;
SELECT is((SELECT count(*) FROM adult.compared), 2 * 7 * 1035::bigint, 'compare tells every index of the same pairs');
SELECT is((SELECT count(*) FROM adult.played p
           WHERE (wins, losses) <> (SELECT count(*) FILTER (WHERE better = CASE WHEN a_levels = p.levels THEN 'a' ELSE 'b' END),
                                           count(*) FILTER (WHERE better = CASE WHEN a_levels = p.levels THEN 'b' ELSE 'a' END)
                                    FROM adult.compared c
                                    WHERE p.levels IN (a_levels, b_levels) AND (c.property, c.index) = (p.property, p.index))),
          0::bigint, 'and agrees with the tournament');
SELECT is((SELECT count(*) FROM adult.compared WHERE index = 'ln_p_hv' AND (a_over_b = 'Infinity' OR a_over_b = 'NaN')), 0::bigint,
          'no logarithm of a volume is beyond float8');

-- Vectors of three nodes of the front: their sums are what evaluate says.
CREATE TABLE adult.vector AS
    SELECT d AS dataset, levels, property, v.*
    FROM unnest('{all,most}'::text[]) d, (SELECT levels FROM adult.front WHERE nr IN (2, 20, 35)) f,
         unnest('{class_size,sensitive_count,others_count,loss}'::text[]) property, LATERAL anonopt.property_vector(d, levels, property) v;
SELECT is((SELECT array_agg(DISTINCT n) FROM (SELECT count(*) AS n FROM adult.vector GROUP BY dataset, levels, property) x), '{30162}',
          'a value a person');
SELECT is((SELECT count(DISTINCT record) FROM adult.vector), 30162::bigint, 'and each by its place');
CREATE TABLE adult.sums AS
    SELECT dataset, levels, property, sum(value) AS sum FROM adult.vector GROUP BY dataset, levels, property;
SELECT results_eq(
    $$SELECT levels, sum FROM adult.sums WHERE (dataset, property) = ('all', 'class_size') ORDER BY levels$$,
    $$SELECT levels, sum_k FROM anonopt.evaluate('all', (SELECT array_agg(DISTINCT levels) FROM adult.sums)) ORDER BY levels$$,
    'class sizes sum to sum_k');
SELECT results_eq(
    $$SELECT levels, sum FROM adult.sums WHERE (dataset, property) = ('all', 'sensitive_count') ORDER BY levels$$,
    $$SELECT levels, sum_l FROM anonopt.evaluate('all', (SELECT array_agg(DISTINCT levels) FROM adult.sums)) ORDER BY levels$$,
    'counts of the own occupation to sum_l');
SELECT results_eq(
    $$SELECT levels, sum FROM adult.sums WHERE (dataset, property) = ('all', 'others_count') ORDER BY levels$$,
    $$SELECT levels, sum_other FROM anonopt.evaluate('all', (SELECT array_agg(DISTINCT levels) FROM adult.sums)) ORDER BY levels$$,
    'and of others'' to sum_other');
SELECT is((SELECT count(*) FROM adult.sums s, anonopt.evaluate(s.dataset, s.levels) e
           WHERE property = 'loss' AND abs(sum - glm) > 1e-9 * glm), 0::bigint, 'losses sum to glm, suppressed or not');
-- suppressed people form a class, which sum_k does not include
SELECT is((SELECT count(*) FROM adult.sums s, anonopt.evaluate('most', s.levels) e
           WHERE (dataset, property) = ('most', 'class_size') AND sum <> sum_k + suppressed::float8 * suppressed), 0::bigint,
          'with their own class of the suppressed, class sizes sum to sum_k and its square');

SELECT * FROM finish();
ROLLBACK;
