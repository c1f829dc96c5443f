-- The Adult data, read from the directory that ADULT_DIR names: numbers known from
-- elsewhere, and the reference on nodes across the lattice.
\ir adult.inc
\if :unreadable
\quit
\endif
\ir reference.inc

SELECT plan(8);

INSERT INTO ref.dataset VALUES ('adult', 'adult.people', 0.01);
INSERT INTO ref.attribute (dataset, role, ordinal, column_name, hierarchy) VALUES
    ('adult', 'quasi_identifier', 1, 'age', 'adult.age'),
    ('adult', 'quasi_identifier', 2, 'workclass', 'adult.workclass'),
    ('adult', 'quasi_identifier', 3, 'education', 'adult.education'),
    ('adult', 'quasi_identifier', 4, 'marital_status', 'adult.marital_status'),
    ('adult', 'quasi_identifier', 5, 'race', 'adult.race'),
    ('adult', 'quasi_identifier', 6, 'sex', 'adult.sex'),
    ('adult', 'quasi_identifier', 7, 'native_country', 'adult.native_country'),
    ('adult', 'quasi_identifier', 8, 'salary_class', 'adult.salary_class'),
    ('adult', 'sensitive', 1, 'occupation', NULL);
SELECT ref.read('adult'), ref.declare('adult') \g /dev/null

-- Across the lattice: the bottom, the top, a known one, and twenty drawn once, of which some are in the short form.
CREATE TABLE adult.nodes AS
    SELECT (ARRAY[
        [0,0,0,0,0,0,0,0], [6,3,3,3,1,1,4,1], [3,2,0,0,1,1,4,1],
        [5,1,3,2,0,1,2,0], [2,3,1,3,1,0,0,1], [4,0,2,1,1,0,4,0], [6,2,0,3,0,0,1,1],
        [1,1,1,1,1,1,1,1], [3,3,3,0,0,0,4,0], [0,3,3,3,1,1,4,1], [6,0,3,3,1,1,4,1],
        [6,3,0,3,1,1,4,1], [6,3,3,0,1,1,4,1], [6,3,3,3,0,1,4,0], [4,2,2,2,0,0,3,0],
        [5,2,1,3,1,1,0,0], [2,1,2,1,0,1,3,1], [4,3,2,0,1,1,2,0], [3,1,3,3,0,0,2,1],
        [1,0,0,2,1,0,4,0], [5,3,0,1,0,1,4,1], [6,1,2,2,1,0,3,0], [2,2,3,2,1,1,4,0]])[1:3 + pg_temp.few(20)] AS levels;
CREATE TABLE adult.measured AS
    SELECT * FROM anonopt.evaluate('adult', (SELECT levels FROM adult.nodes));

SELECT is((SELECT count(*) FROM adult.people), 30162::bigint, 'all people are here');
SELECT is(
    (SELECT ROW(k, l, suppressed, classes, round(glm::numeric, 6), dcn, round(necd::numeric, 10),
                sum_k, sum_l, feasible)
     FROM adult.measured WHERE levels = '{3,2,0,0,1,1,4,1}'),
    ROW(3::bigint, 1::bigint, 243::bigint, 355::bigint, 141625.530303, 30520227::float8,
        0.0670733729, 23190861::float8, 3534779::float8, true),
    'a node that is known');
SELECT is(
    (SELECT ROW(k, l, glm, suppressed, classes) FROM adult.measured
     WHERE levels = '{6,3,3,3,1,1,4,1}'),
    ROW(30162::bigint, 14::bigint, 241296::float8, 0::bigint, 1::bigint),
    'the top');
SELECT is(
    (SELECT ROW(k, classes, suppressed, glm) FROM adult.measured
     WHERE levels = '{0,0,0,0,0,0,0,0}'),
    ROW(1::bigint, 12458::bigint, 0::bigint, 0::float8),
    'the bottom');
SELECT is((SELECT count(*) FROM anonopt.lattice('adult')), 17920::bigint,
          'the lattice has all its nodes');

-- The same nodes under three rules, in plain SQL and by the extension.
CREATE TABLE adult.truth AS
    SELECT rule_no, array_agg(node) AS nodes
    FROM ref.evaluate('adult', (SELECT levels FROM adult.nodes), ARRAY[ROW(NULL, NULL, NULL), ROW(5, NULL, NULL), ROW(3, 2, 0.45)]::ref.rule[])
    GROUP BY rule_no;
CREATE FUNCTION pg_temp.evaluated(rule text) RETURNS ref.node[]
LANGUAGE plpgsql AS $$
DECLARE
    nodes ref.node[];
BEGIN
    EXECUTE format($q$
        SELECT array_agg(ROW(levels, k, l, entropy_l, t, suppressed, classes, glm, nwp, dcn, cm,
                             necd, sum_k, sum_l, feasible, sum_other)::ref.node)
        FROM anonopt.evaluate('adult', (SELECT levels FROM adult.nodes)%s)$q$, rule)
    INTO nodes;
    RETURN nodes;
END $$;

SELECT is(ref.difference(pg_temp.evaluated(rule), nodes), NULL, 'nodes against the reference' || rule)
FROM (VALUES (1, ''), (2, ', k => 5'), (3, ', k => 3, l => 2, t => 0.45')) r(rule_no, rule) JOIN adult.truth USING (rule_no);

SELECT * FROM finish();
ROLLBACK;
