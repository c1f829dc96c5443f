-- The employees of the papers on preferences: twelve people, of whom nobody is
-- suppressed, measured as printed.  The domain of the code is the twelve codes of
-- the table itself: with it, and with no other, the printed numbers come out.
\ir begin.inc
\ir reference.inc

SELECT plan(9);

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

-- Table 2's other cells: ach of the eight nodes under the five preferences, and how far
-- each is from them.  What the paper prints there is not at hand, so these are its
-- formulas over the reference's exact numbers, and again over the printed ones, which
-- may differ by what rounding them to two digits makes of it.
CREATE TABLE paper.preferred (necd_pref float8, nwp_pref float8);
INSERT INTO paper.preferred VALUES (.3, .08), (.25, .05), (.2, .15), (.15, .05), (.1, .5);
CREATE TABLE paper.cell AS
SELECT levels, p.*, greatest(w * (n.necd + 1e-6), (1 - w) * (n.nwp + 1e-6)) AS ach, n.necd + n.nwp - necd_pref - nwp_pref AS pref_dev,
       greatest(w * (printed.necd + 1e-6), (1 - w) * (printed.nwp + 1e-6)) AS printed_ach,
       printed.necd + printed.nwp - necd_pref - nwp_pref AS printed_dev
FROM paper.preferred p, LATERAL (SELECT 1 / (necd_pref + 1e-6) / (1 / (necd_pref + 1e-6) + 1 / (nwp_pref + 1e-6)) AS w) x,
     ref.lattice('employee') n
     JOIN (SELECT levels, necd::float8, nwp::float8 FROM paper.printed) printed USING (levels);
SELECT is((SELECT array_agg(format('%s under (%s, %s): %s, %s', levels, necd_pref, nwp_pref, e.ach, e.pref_dev))
           FROM paper.cell c JOIN LATERAL (SELECT levels, ach, pref_dev FROM anonopt.efficiency('employee', 2, necd_pref, nwp_pref)) e USING (levels)
           WHERE abs(e.ach - c.ach) > 1e-12 OR abs(e.pref_dev - c.pref_dev) > 1e-12
              OR abs(e.ach - printed_ach) > 0.005 OR abs(e.pref_dev - printed_dev) > 0.01),
          NULL, 'ach and deviation of eight nodes under five preferences');
SELECT is((SELECT count(*) FROM paper.cell), 40::bigint, 'forty of each');

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

SELECT * FROM finish();
ROLLBACK;
