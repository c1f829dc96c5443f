-- The employees of the papers on preferences: twelve people, of whom nobody is
-- suppressed, measured as printed.  The domain of the code is the twelve codes of
-- the table itself: with it, and with no other, the printed numbers come out.
\set ON_ERROR_STOP 1
\set QUIET 1
\pset format unaligned
\pset tuples_only true
\pset pager off
SET client_min_messages = warning;
BEGIN;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS anonopt;
\ir reference.inc

SELECT plan(7);

CREATE SCHEMA paper;
CREATE TABLE paper.employee (code text, class text);
INSERT INTO paper.employee VALUES
    ('81521', 'C1'), ('81522', 'C1'), ('81523', 'C1'),
    ('82635', 'C2'), ('82636', 'C2'), ('82647', 'C2'), ('82648', 'C2'),
    ('81634', 'C3'), ('81631', 'C3'), ('81632', 'C3'), ('81639', 'C3'), ('81630', 'C3');

CREATE TABLE paper.code AS
    SELECT code, left(code, 4) || '*' AS level1, left(code, 3) || '**' AS level2,
           left(code, 2) || '***' AS level3, left(code, 1) || '****' AS level4
    FROM paper.employee;
CREATE TABLE paper.class (class text, level1 text);
INSERT INTO paper.class VALUES ('C1', '{C1,C2}'), ('C2', '{C1,C2}'), ('C3', 'C3');

INSERT INTO ref.dataset VALUES ('employee', 'paper.employee', 0);
INSERT INTO ref.attribute (dataset, role, ordinal, column_name, hierarchy, weight) VALUES
    ('employee', 'quasi_identifier', 1, 'code', 'paper.code', 0.3),
    ('employee', 'quasi_identifier', 2, 'class', 'paper.class', 0.7);
SELECT ref.read('employee'), ref.declare('employee') \g /dev/null

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
