-- Publisher preferences on the Adult data: nine attributes, age by ranges of five
-- years, 105 bits; always a feasible solution, never worse than the best level node.
-- Nobody is suppressed, as in the paper; then one person in a hundred.
\ir adult.inc
\if :unreadable
\quit
\endif

CREATE TABLE adult.occupation (occupation text, level1 text, level2 text);
\set cmd '\\copy adult.occupation FROM ''' :adult_dir '/hierarchy_occupation.csv'' (FORMAT csv, DELIMITER '';'')'
:cmd
SELECT anonopt.create_range_hierarchy('adult.age5', 0, 100, 5, '{10,20,40}') \g /dev/null

SELECT plan(4 + 3 * 5 + 7 + 6);

SELECT anonopt.create_dataset('nine', 'adult.people', 0), anonopt.create_dataset('nine_suppressed', 'adult.people', 0.01) \g /dev/null
SELECT anonopt.add_quasi_identifier(d, c::name, ('adult.' || CASE c WHEN 'age' THEN 'age5' ELSE c END)::regclass)
FROM unnest('{age,workclass,education,marital_status,race,sex,native_country,salary_class,occupation}'::text[])
     WITH ORDINALITY x (c, i), unnest('{nine,nine_suppressed}'::text[]) d ORDER BY d, i \g /dev/null

SET anonopt.max_workers = 0;
CREATE TABLE adult.found AS
    SELECT row_number() OVER () AS nr, asked, n.* FROM unnest('{2,5,25}'::int[]) asked,
                           anonopt.nsga2('nine', asked, 1.0, 0.2, evaluations => 5000, seed => 1) n;
-- Rows measured again, all by one reading
CREATE FUNCTION pg_temp.again(relation regclass, dataset text, promised int) RETURNS TABLE (nr bigint, k bigint, suppressed bigint, necd float8, nwp float8)
LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT ordinality, e.k, e.suppressed, e.necd, e.nwp
        FROM anonopt.evaluate_cuts(%L, (SELECT array_agg(cuts ORDER BY nr) FROM %s), k => %s) WITH ORDINALITY e', dataset, relation, promised);
END $$;
SELECT is((SELECT count(*) FROM adult.found WHERE (SELECT sum(length(c)) FROM unnest(cuts) c) <> 105), 0::bigint, '105 bits');
SELECT is((SELECT count(*) FROM adult.found JOIN pg_temp.again('adult.found', 'nine', 1) e USING (nr)
           WHERE (e.k, e.necd, e.nwp) IS DISTINCT FROM (found.k, found.necd, found.nwp)), 0::bigint, 'every row is measured right');
CREATE TABLE adult.found_again AS SELECT a, e.* FROM unnest('{2,5,25}'::int[]) a, pg_temp.again('adult.found', 'nine', a) e;
SELECT is((SELECT count(*) FROM adult.found JOIN adult.found_again e ON (a, e.nr) = (asked, found.nr)
           WHERE found.feasible AND e.suppressed > 0), 0::bigint, 'a feasible row suppresses nobody');
SELECT is((SELECT count(*) FROM adult.found f JOIN adult.found g ON g.asked = f.asked AND g.cuts <> f.cuts
                                                                AND g.ach <= f.ach AND g.k >= f.k), 0::bigint, 'no row beats another');

CREATE FUNCTION pg_temp.check_k(asked int) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
    chosen record;
    level_node record;
BEGIN
    SELECT * INTO chosen FROM adult.found f WHERE f.asked = check_k.asked AND f.chosen;
    SELECT * INTO level_node FROM anonopt.efficiency('nine', asked, 1.0, 0.2) e WHERE e.chosen;
    RETURN NEXT isnt(chosen.k, NULL, format('k %s: a feasible solution', asked));
    RETURN NEXT cmp_ok(chosen.k, '>=', asked::bigint, format('k %s: as anonymous as asked', asked));
    RETURN NEXT cmp_ok(chosen.ach, '<=', level_node.ach, format('k %s: no level node is nearer', asked));
    RETURN NEXT cmp_ok(chosen.nwp, '<', 0.95 * level_node.nwp, format('k %s: much less is lost', asked));
    SELECT * INTO chosen FROM anonopt.nsga2('nine', asked, 1.0, 0.2, evaluations => 5000, seed => 1, taxonomy => true) n
    WHERE n.chosen;
    RETURN NEXT cmp_ok(chosen.ach, '<=', level_node.ach, format('k %s: nor along the trees', asked));
END $$;
SELECT pg_temp.check_k(asked) FROM unnest('{2,5,25}'::int[]) asked;

-- a walk shares what it has evaluated
CREATE TABLE adult.walk AS
    SELECT * FROM anonopt.reference_direction('nine', 5, '{1.0,0.5}', '{0.1,0.2}', 5, evaluations => 5000, seed => 1);
SELECT cmp_ok((SELECT evaluated FROM anonopt.last_search()), '<=', 5000::bigint, 'five steps evaluate no more than one search');
SELECT is((SELECT count(*) FROM adult.walk WHERE k >= 5), 5::bigint, 'each finds a feasible solution');
SELECT is((SELECT count(*) FROM adult.walk w, anonopt.efficiency('nine', 5, reference[1], reference[2]) e
           WHERE e.chosen AND e.ach < w.ach), 0::bigint, 'none farther than a level node');

-- what was evaluated is remembered
CREATE TABLE adult.alone AS SELECT * FROM anonopt.nsga2('nine', 5, 1.0, 0.2, evaluations => 20000, seed => 1);
SELECT cmp_ok((SELECT evaluated FROM anonopt.last_search()), '<', 10000::bigint, 'repeated solutions are not evaluated again');
SELECT is((SELECT tuples FROM anonopt.last_search()), 13334::bigint, 'of 13,334 different people');

-- workers help, and change nothing
SET anonopt.max_workers = 2;
CREATE TABLE adult.together AS SELECT * FROM anonopt.nsga2('nine', 5, 1.0, 0.2, evaluations => 20000, seed => 1);
SELECT cmp_ok((SELECT workers FROM anonopt.last_search()), '>=', 1, 'workers were launched');
SET anonopt.max_workers = 0;
SELECT is((SELECT count(*) FROM (TABLE adult.alone EXCEPT TABLE adult.together) x), 0::bigint, 'and found the very same rows');

-- one in a hundred may be suppressed
CREATE TABLE adult.suppressing AS
    SELECT row_number() OVER () AS nr, asked, n.* FROM unnest('{5,25}'::int[]) asked,
                           anonopt.nsga2('nine_suppressed', asked, 1.0, 0.2, evaluations => 20000, seed => 1) n;
CREATE TABLE adult.again AS
    SELECT a, e.* FROM unnest('{5,25}'::int[]) a, pg_temp.again('adult.suppressing', 'nine_suppressed', a) e;
SELECT is((SELECT count(*) FROM adult.suppressing s JOIN adult.again e ON (a, e.nr) = (asked, s.nr)
           WHERE s.feasible AND (e.k, e.necd, e.nwp) IS DISTINCT FROM (s.k, s.necd, s.nwp)), 0::bigint,
          'a feasible row is measured right');
SELECT is((SELECT count(*) FROM adult.suppressing s JOIN adult.again e ON (a, e.nr) = (asked, s.nr)
           WHERE s.feasible <> (e.suppressed <= 301)), 0::bigint, 'and suppresses at most 301 people of 30,162');
SELECT is((SELECT count(*) FROM adult.suppressing s JOIN pg_temp.again('adult.suppressing', 'nine_suppressed', 1) e USING (nr)
           WHERE NOT s.feasible AND (e.k, e.necd, e.nwp) IS DISTINCT FROM (s.k, s.necd, s.nwp)), 0::bigint,
          'another is measured with nobody suppressed');
SELECT cmp_ok((SELECT nwp FROM adult.suppressing WHERE asked = 5 AND chosen), '<',
              (SELECT 0.85 * nwp FROM anonopt.optimize('nine_suppressed', 5, loss => 'nwp')),
              'k 5: much less is lost than by the optimal level node');
SELECT cmp_ok((SELECT nwp FROM adult.suppressing s WHERE s.asked = a AND chosen), '<',
              (SELECT 0.9 * nwp FROM adult.found f WHERE f.asked = a AND chosen), format('k %s: than with nobody suppressed, too', a))
FROM unnest('{5,25}'::int[]) a;

SELECT * FROM finish();
ROLLBACK;
