-- The employees of the papers on preferences: twelve people, of whom nobody is
-- suppressed, measured as printed.  The domain of the code is the twelve codes of
-- the table itself: with it, and with no other, the printed numbers come out.
\ir begin.inc
\ir reference.inc

SELECT plan(15);

\ir employees.inc

CREATE TABLE paper.printed (levels int[], necd numeric, nwp numeric, k bigint);
INSERT INTO paper.printed VALUES
    ('{1,0}', .27, .07, 2), ('{2,0}', .18, .09, 3), ('{3,0}', .18, .15, 3), ('{4,0}', .18, .30, 3),
    ('{1,1}', .27, .27, 2), ('{2,1}', .18, .29, 3), ('{3,1}', .18, .36, 3), ('{4,1}', .18, .50, 5);

SELECT results_eq(
    'SELECT levels, round(necd::numeric, 2), round(nwp::numeric, 2), k
     FROM ref.lattice(''employee'') WHERE levels[1] > 0 ORDER BY levels',
    'SELECT * FROM paper.printed ORDER BY levels',
    'the reference gives the printed numbers');

SELECT results_eq(
    'SELECT levels, round(necd::numeric, 2), round(nwp::numeric, 2), k
     FROM anonopt.lattice(''employee'') WHERE levels[1] > 0 ORDER BY levels',
    'SELECT * FROM paper.printed ORDER BY levels',
    'lattice gives the printed numbers');

SELECT results_eq(
    'SELECT levels, round(necd::numeric, 2), round(nwp::numeric, 2), k
     FROM anonopt.evaluate(''employee'', (SELECT array_agg(levels) FROM paper.printed))
     ORDER BY levels',
    'SELECT * FROM paper.printed ORDER BY levels',
    'evaluate gives the printed numbers');

SELECT is(
    ref.difference(
        ARRAY(SELECT (levels, k, l, entropy_l, t, suppressed, classes, glm, nwp, dcn, cm, necd,
                      sum_k, sum_l, feasible, sum_other)::ref.node
              FROM anonopt.lattice('employee')),
        ARRAY(SELECT n FROM ref.lattice('employee') n)),
    NULL, 'every measure of all ten nodes');

SELECT is((SELECT sum(suppressed) FROM anonopt.lattice('employee')), 0::numeric,
          'nobody is suppressed');

-- Table 2's other cells: ach of the eight nodes under the five preferences, and how far each
-- is from the last of them, as printed; and the paper's formulas over the reference's exact
-- numbers, for the deviations from the other four, too.
CREATE TABLE paper.preferred (nr int, necd_pref float8, nwp_pref float8);
INSERT INTO paper.preferred VALUES (1, .3, .08), (2, .2, .15), (3, .15, .05), (4, .25, .05), (5, .1, .5);
CREATE TABLE paper.judged (levels int[], ach numeric[], pref_dev numeric);
INSERT INTO paper.judged VALUES
    ('{1,0}', '{.06,.12,.07,.06,.23}', -.26), ('{2,0}', '{.07,.08,.06,.07,.15}', -.33), ('{3,0}', '{.12,.09,.12,.13,.15}', -.26),
    ('{4,0}', '{.24,.17,.23,.25,.15}', -.12), ('{1,1}', '{.22,.16,.20,.23,.23}', -.05), ('{2,1}', '{.23,.17,.22,.24,.15}', -.13),
    ('{3,1}', '{.28,.20,.27,.30,.15}', -.06), ('{4,1}', '{.40,.29,.38,.42,.15}', .09);
CREATE TABLE paper.cell AS
SELECT p.nr, e.levels, e.ach, e.pref_dev, greatest(w * (n.necd + 1e-6), (1 - w) * (n.nwp + 1e-6)) AS exact_ach,
       n.necd + n.nwp - necd_pref - nwp_pref AS exact_dev
FROM paper.preferred p, LATERAL (SELECT 1 / (necd_pref + 1e-6) / (1 / (necd_pref + 1e-6) + 1 / (nwp_pref + 1e-6)) AS w) x,
     ref.lattice('employee') n JOIN LATERAL (SELECT levels, ach, pref_dev FROM anonopt.efficiency('employee', 2, necd_pref, nwp_pref)) e USING (levels);
SELECT results_eq(
    'SELECT levels, array_agg(round(ach::numeric, 2) ORDER BY nr), max(round(pref_dev::numeric, 2)) FILTER (WHERE nr = 5)
     FROM paper.cell WHERE levels[1] > 0 GROUP BY levels ORDER BY levels',
    'SELECT * FROM paper.judged ORDER BY levels', 'ach under five preferences and the deviation from the fifth, as printed');
SELECT is((SELECT array_agg(format('%s under q%s: %s, %s', levels, nr, ach, pref_dev)) FROM paper.cell
           WHERE abs(ach - exact_ach) > 1e-12 OR abs(pref_dev - exact_dev) > 1e-12),
          NULL, 'ach and deviation by the formulas');

-- Example 7: with a loss of .2 preferred, (4,1) ties no more, and the deviation decides
CREATE TABLE paper.example7 AS
SELECT levels, k, round(ach::numeric, 9) AS ach, min(round(ach::numeric, 9)) OVER () AS least, chosen FROM anonopt.efficiency('employee', 2, .1, .2);
SELECT is((SELECT array_agg(levels ORDER BY levels) FROM paper.example7 WHERE ach = least), '{{2,0},{2,1},{3,0},{3,1},{4,0}}'::int[], 'five nodes tie');
SELECT is((SELECT ROW(levels, k) FROM paper.example7 WHERE chosen), ROW('{2,0}'::int[], 3::bigint), 'and (2,0) deviates least');

-- (2,0) as cuts: the codes in their order are 81521..23, 81630..39, 82635..48.
SELECT is(
    (SELECT ROW(levels, k, round(necd::numeric, 2), round(nwp::numeric, 2))
     FROM anonopt.evaluate_cuts('employee', ARRAY[B'00100001000', B'11'])),
    ROW(NULL::int[], 3::bigint, .18, .09), 'cuts between the codes, not at a level''s bidding');

-- Group boundaries that no level has: 81521..22 | 81523, 81630..39 | 82635..48.
SELECT is(
    ref.difference(
        ARRAY(SELECT (levels, k, l, entropy_l, t, suppressed, classes, glm, nwp, dcn, cm, necd,
                      sum_k, sum_l, feasible, sum_other)::ref.node
              FROM anonopt.evaluate_cuts('employee', ARRAY[B'01000001000', B'01'])),
        ARRAY(SELECT n FROM ref.evaluate_cuts('employee', ARRAY[B'01000001000', B'01']) n)),
    NULL, 'cuts that no node has');

-- The comparing paper's ten people: the utility it prints for each.  It gives no formula; 1 - n/D
-- a column has these numbers, where a label covers n of the D values that occur.  xiao_tao is 1 - (n - 1)/D for all columns
-- together, so the printed numbers are it plus what 1/D is for each.
CREATE TABLE paper.person (nr int, zip text, age int, status text);
INSERT INTO paper.person VALUES
    (1, '13053', 28, 'CF-Spouse'), (2, '13268', 41, 'Separated'), (3, '13268', 39, 'Never Married'), (4, '13053', 26, 'CF-Spouse'),
    (5, '13253', 50, 'Divorced'), (6, '13253', 55, 'Spouse Absent'), (7, '13250', 49, 'Divorced'), (8, '13052', 31, 'Spouse Present'),
    (9, '13269', 42, 'Separated'), (10, '13250', 47, 'Separated');
CREATE TABLE paper.zips AS SELECT DISTINCT zip, left(zip, 4) || '*' AS one, left(zip, 3) || '**' AS two FROM paper.person;
CREATE TABLE paper.ages AS SELECT age, (age - 6) / 10 * 10 + 5 || '+' AS tens, CASE WHEN age <= 35 THEN '15+' ELSE '35+' END AS twenties FROM paper.person;
CREATE TABLE paper.statuses AS
    SELECT DISTINCT status, CASE WHEN status IN ('CF-Spouse', 'Spouse Present') THEN 'Married' ELSE 'Not Married' END AS kind FROM paper.person;
CREATE FUNCTION pg_temp.utility(levels int[]) RETURNS numeric[] LANGUAGE plpgsql AS $$
DECLARE
    result numeric[];
BEGIN
    PERFORM anonopt.create_dataset('ten', 'paper.person'), anonopt.add_quasi_identifier('ten', 'zip', 'paper.zips', 1, levels[1], levels[1]),
        anonopt.add_quasi_identifier('ten', 'age', 'paper.ages', 1, levels[2], levels[2]), anonopt.add_quasi_identifier('ten', 'status', 'paper.statuses', 1, levels[3], levels[3]);
    result := (SELECT array_agg(round((utility + 2 - 1 / 6.0 - 1 / 10.0 - 1 / 6.0)::numeric, 2) ORDER BY record::int)
               FROM anonopt.aruba('ten', -10, 'identity', 'xiao_tao', key => 'nr'));
    PERFORM anonopt.drop_dataset('ten');
    RETURN result;
END $$;
SELECT is(pg_temp.utility('{1,1,1}'), '{2.03,1.70,1.70,2.03,1.60,1.60,1.60,2.03,1.70,1.60}', 'the printed utility of T3a');
SELECT is(pg_temp.utility('{2,2,1}'), '{2.03,0.97,0.97,2.03,0.97,0.97,0.97,2.03,0.97,0.97}', 'the printed utility of T3b');
SELECT is((SELECT anonopt.p_cov(a, b) FROM unnest(pg_temp.utility('{1,1,1}')::float8[], pg_temp.utility('{2,2,1}')::float8[]) x (a, b)), 1::float8,
          'T3a covers T3b by utility');
SELECT is((SELECT anonopt.p_cov(b, a) FROM unnest(pg_temp.utility('{1,1,1}')::float8[], pg_temp.utility('{2,2,1}')::float8[]) x (a, b)), 0.3::float8,
          'and is covered in three of ten');

SELECT * FROM finish();
ROLLBACK;
