-- The employees of the papers on preferences: twelve people, of whom nobody is
-- suppressed, measured as printed.  The domain of the code is the twelve codes of
-- the table itself: with it, and with no other, the printed numbers come out.
\ir begin.inc
\ir reference.inc

SELECT plan(7);

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
