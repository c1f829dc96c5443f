-- Preferences for measures beside bias and loss, and searches under promises of every
-- kind: beside evaluate, evaluate_cuts and the formula in plain SQL.
\ir begin.inc
SET jit = off;

SELECT plan(50);

SELECT setseed(0.61);
CREATE SCHEMA f;
CREATE TABLE f.people AS
SELECT i AS id, floor(random() * 10)::int AS age, 't' || floor(random() * 6) AS town, (ARRAY['flu', 'gout', 'cold'])[1 + floor(random() * 3)::int] AS ill,
       random() < 0.4 AS smokes
FROM generate_series(1, 150) i;
CREATE TABLE f.register AS SELECT age, town FROM f.people UNION ALL SELECT floor(random() * 10)::int, 't' || floor(random() * 6) FROM generate_series(1, 150);
SELECT anonopt.create_interval_hierarchy('f.ages', 0, 9, '{2,4}'), anonopt.create_csv_hierarchy('f.towns', E't0;a;*\nt1;a;*\nt2;b;*\nt3;b;*\nt4;c;*\nt5;c;*') \g /dev/null
SELECT anonopt.create_dataset('f', 'f.people', max_suppression => 0.1) \g /dev/null
SELECT anonopt.add_quasi_identifier('f', 'age', 'f.ages'), anonopt.add_quasi_identifier('f', 'town', 'f.towns', 2),
       anonopt.add_sensitive('f', 'ill'), anonopt.set_class_label('f', 'smokes') \g /dev/null

\ir achievement.inc
CREATE FUNCTION pg_temp.measure(n anonopt.node, name text) RETURNS float8 LANGUAGE sql AS $$ SELECT (to_jsonb(n) ->> name)::float8 $$;
CREATE FUNCTION pg_temp.sign(name text) RETURNS int LANGUAGE sql AS $$ SELECT CASE WHEN name IN ('k', 'l', 'entropy_l', 'sum_k', 'sum_l', 'sum_other', 'k_map') THEN -1 ELSE 1 END $$;

-- What is asked: further measures, what is preferred of them, weights and ideal of all, ideal in full where none is named
CREATE TABLE f.asked (nr int, measures text[], preferred float8[], weights float8[], ideal float8[], means float8[]);
INSERT INTO f.asked VALUES
    (1, '{glm}', '{60}', NULL, NULL, '{0,0,0}'),
    (2, '{t,suppressed}', '{0.2,5}', NULL, NULL, '{0,0,0,0}'),
    (3, '{k}', '{10}', NULL, NULL, '{0,0,150}'),
    (4, '{cm,dcn}', '{0.3,4000}', '{1,2,3,0.5}', NULL, '{0,0,0,0}'),
    (5, '{l,entropy_l}', '{2,1.5}', '{1,1,1,1}', '{0,0,3,3}', '{0,0,3,3}'),
    (6, '{sum_k,classes}', '{1500,10}', NULL, '{0,0,22500,1}', '{0,0,22500,1}'),
    (7, NULL, NULL, '{1,3}', '{0.01,0.02}', '{0.01,0.02}');

CREATE TABLE f.judged AS
SELECT a.nr, e.* FROM f.asked a, anonopt.efficiency('f', 2, 0.2, 0.3, measures => a.measures, preferences => a.preferred, weights => a.weights, ideal => a.ideal) e;
SELECT is((SELECT count(*) FROM f.judged j JOIN f.asked a USING (nr), anonopt.evaluate('f', j.levels, k => 2) n
           WHERE coalesce(j.further, '{}') <> ARRAY(SELECT pg_temp.measure(n, m) FROM unnest(a.measures) WITH ORDINALITY x (m, i) ORDER BY i)
              OR (j.k, j.necd, j.nwp) IS DISTINCT FROM (n.k, n.necd, n.nwp) OR NOT n.feasible), 0::bigint, 'efficiency: measures as evaluate has them');
SELECT is((SELECT count(*) FROM f.asked, anonopt.lattice('f', k => 2) n WHERE n.feasible), (SELECT count(*) FROM f.judged), 'of every feasible node');
SELECT is((SELECT count(*) FROM f.judged WHERE (further IS NULL) <> (nr = 7)), 0::bigint, 'NULL where nothing is asked');

-- all as costs
CREATE VIEW pg_temp.cost AS
SELECT j.nr, j.levels, j.ach, j.pref_dev, j.efficiency, j.chosen,
       ARRAY[j.necd, j.nwp] || ARRAY(SELECT v * pg_temp.sign(m) FROM unnest(j.further, a.measures) WITH ORDINALITY x (v, m, i) ORDER BY i) AS v,
       ARRAY[0.2, 0.3] || ARRAY(SELECT p * pg_temp.sign(m) FROM unnest(a.preferred, a.measures) WITH ORDINALITY x (p, m, i) ORDER BY i) AS p,
       coalesce(a.weights, ARRAY(SELECT 1 FROM unnest(a.means))) AS w,
       ARRAY(SELECT d * coalesce(pg_temp.sign(m), 1) FROM unnest(a.means, '{necd,nwp}' || a.measures) WITH ORDINALITY x (d, m, i) ORDER BY i) AS ideal
FROM f.judged j JOIN f.asked a USING (nr);
CREATE TABLE f.costs AS TABLE pg_temp.cost;
SELECT is((SELECT count(*) FROM f.costs WHERE abs(ach - pg_temp.ach(v, p, w, ideal)) > 1e-9 * (1 + abs(ach))), 0::bigint, 'achievement by the formula');
SELECT is((SELECT count(*) FROM f.costs WHERE abs(pref_dev - (SELECT sum(x) FROM unnest(v) x) + (SELECT sum(x) FROM unnest(p) x)) > 1e-6), 0::bigint, 'deviation');
SELECT is((SELECT count(*) FROM f.costs a WHERE efficiency IS DISTINCT FROM CASE
              WHEN EXISTS (SELECT FROM f.costs b WHERE a.nr = b.nr AND (SELECT bool_and(x < y) FROM unnest(b.v, a.v) z (x, y))) THEN 'none'
              WHEN EXISTS (SELECT FROM f.costs b WHERE a.nr = b.nr AND b.v <> a.v AND (SELECT bool_and(x <= y) FROM unnest(b.v, a.v) z (x, y))) THEN 'weak'
              ELSE 'strong' END), 0::bigint, 'efficiency by every pair');
SELECT is((SELECT count(*) FROM f.costs a WHERE chosen AND ach > (SELECT min(ach) FROM f.costs b WHERE a.nr = b.nr)), 0::bigint, 'the nearest is chosen');
SELECT is((SELECT count(*) FROM f.costs WHERE chosen), 7::bigint, 'one each');

-- Partitions ---------------------------------------------------------------------------

CREATE TABLE f.found AS
SELECT a.nr, s.* FROM f.asked a, anonopt.nsga2('f', 2, 0.2, 0.3, 20, 600, mutation => 0.05, seed => 5, measures => a.measures, preferences => a.preferred,
                                               weights => a.weights, ideal => a.ideal) s;
SELECT is((SELECT count(*) FROM f.found s JOIN f.asked a USING (nr), anonopt.evaluate_cuts('f', s.cuts, k => 2) n
           WHERE s.feasible AND ((s.k, s.necd, s.nwp) IS DISTINCT FROM (n.k, n.necd, n.nwp) OR NOT n.feasible
              OR coalesce(s.further, '{}') <> ARRAY(SELECT pg_temp.measure(n, m) FROM unnest(a.measures) WITH ORDINALITY x (m, i) ORDER BY i))),
          0::bigint, 'nsga2: measures as evaluate_cuts has them');
SELECT is((SELECT count(*) FROM f.found s JOIN f.asked a USING (nr), anonopt.evaluate_cuts('f', s.cuts, k => 1) n
           WHERE NOT s.feasible AND coalesce(s.further, '{}') <> ARRAY(SELECT pg_temp.measure(n, m) FROM unnest(a.measures) WITH ORDINALITY x (m, i) ORDER BY i)),
          0::bigint, 'with nobody suppressed where it is not feasible');
SELECT is((SELECT count(*) FROM (SELECT s.nr, s.ach, ARRAY[s.necd, s.nwp] || ARRAY(SELECT v * pg_temp.sign(m) FROM unnest(s.further, a.measures) WITH ORDINALITY x (v, m, i) ORDER BY i) AS v
                                 FROM f.found s JOIN f.asked a USING (nr)) s JOIN (SELECT DISTINCT nr, p, w, ideal FROM f.costs) c USING (nr)
           WHERE abs(ach - pg_temp.ach(v, p, w, ideal)) > 1e-9 * (1 + abs(ach))), 0::bigint, 'achievement by the formula');
SELECT is((SELECT count(*) FROM f.found s JOIN f.costs c USING (nr) WHERE s.chosen AND c.chosen AND s.ach > c.ach), 0::bigint, 'never farther than the nearest level node');
SELECT is((SELECT count(*) FROM f.found WHERE chosen), 7::bigint, 'one chosen each');
SELECT is((SELECT count(*) FROM f.found a JOIN f.found b USING (nr) WHERE a.ach <= b.ach AND a.k >= b.k AND (a.ach, a.k) <> (b.ach, b.k)), 0::bigint, 'none beaten in ach and k');
SET anonopt.max_workers = 2;
SELECT results_eq($$SELECT s.* FROM f.asked a, anonopt.nsga2('f', 2, 0.2, 0.3, 20, 600, mutation => 0.05, seed => 5, measures => a.measures, preferences => a.preferred,
                   weights => a.weights, ideal => a.ideal) s WHERE nr = 4$$,
                  'SELECT cuts, groups, k, necd, nwp, ach, pref_dev, feasible, chosen, further FROM f.found WHERE nr = 4', 'the same seed, the same rows');

-- A walk -------------------------------------------------------------------------------

CREATE TABLE f.walk AS SELECT * FROM anonopt.reference_direction('f', 2, '{0.5,0.5,0.9,1}', '{0.1,0.2,0.1,3}', 4, 20, 800, mutation => 0.05, seed => 3, measures => '{t,l}');
SELECT is((SELECT array_agg(ARRAY(SELECT round(x::numeric, 6) FROM unnest(reference) x) ORDER BY step) FROM f.walk),
          '{{0.4,0.425,0.7,1.5},{0.3,0.35,0.5,2},{0.2,0.275,0.3,2.5},{0.1,0.2,0.1,3}}'::numeric[], 'the references of a walk');
SELECT is((SELECT count(*) FROM f.walk w, anonopt.evaluate_cuts('f', w.cuts, k => 2) n WHERE w.further <> ARRAY[n.t, n.l]), 0::bigint, 'and its measures');
SELECT is((SELECT count(*) FROM f.walk WHERE abs(ach - pg_temp.ach(ARRAY[necd, nwp, further[1], -further[2]], ARRAY[reference[1], reference[2], reference[3], -reference[4]],
                                                                    '{1,1,1,1}', '{0,0,0,-3}')) > 1e-9), 0::bigint, 'and its achievement');

-- Measures that are infinite, or huge beside the utopian point --------------------------------

SELECT cmp_ok((SELECT count(*) FROM anonopt.efficiency('f', 1, 0.2, 0.3, measures => '{disclosure}', preferences => '{1}') WHERE further[1] = 'Infinity'), '>', 0::bigint,
              'nodes whose classes lack a value');
SELECT is((SELECT count(*) FROM anonopt.efficiency('f', 1, 0.2, 0.3, measures => '{disclosure}', preferences => '{1}', weights => '{1,1,0}') x
           FULL JOIN anonopt.efficiency('f', 1, 0.2, 0.3, weights => '{1,1}') y USING (levels) WHERE (abs(x.ach - y.ach) < 1e-12) IS NOT TRUE), 0::bigint,
          'a measure of no weight does not count');
SELECT ok(abs(a - 2) < 1e-5, 'an ideal so large that the utopian point is rounded') FROM anonopt.achievement_of('{2,1e20}', '{1,1e20}', ideal => '{0,1e20}') a;

-- Promises of every kind ------------------------------------------------------------------

CREATE FUNCTION pg_temp.under(says text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    DROP TABLE IF EXISTS f.under;
    CREATE TABLE f.under AS SELECT * FROM anonopt.nsga2('f', 2, 0.2, 0.3, 20, 400, mutation => 0.05, seed => 9, measures => '{t}', preferences => '{0.3}');
    RETURN NEXT is((SELECT count(*) FROM f.under u, anonopt.evaluate_cuts('f', u.cuts, k => 2) n
                    WHERE u.feasible AND (NOT n.feasible OR (u.k, u.necd, u.nwp, u.further) IS DISTINCT FROM (n.k, n.necd, n.nwp, ARRAY[n.t])) OR NOT u.feasible AND n.feasible AND n.classes > 0),
                   0::bigint, says || ': partitions');
    RETURN NEXT is((SELECT count(*) FROM anonopt.efficiency('f', 2, 0.2, 0.3) e FULL JOIN (SELECT * FROM anonopt.lattice('f', k => 2) WHERE feasible AND classes > 0) n USING (levels)
                    WHERE (e.k, e.necd, e.nwp) IS DISTINCT FROM (n.k, n.necd, n.nwp)), 0::bigint, says || ': level nodes');
    RETURN NEXT is((SELECT count(*) FROM anonopt.reference_direction('f', 2, '{0.5,0.5}', '{0.1,0.2}', 2, 20, 400, seed => 1) w, anonopt.evaluate_cuts('f', w.cuts, k => 2) n
                    WHERE NOT n.feasible OR (w.k, w.necd, w.nwp) IS DISTINCT FROM (n.k, n.necd, n.nwp)), 0::bigint, says || ': a walk');
END $$;
SELECT anonopt.add_promise('f', 'l', 2, 'ill') \g /dev/null
SELECT pg_temp.under('l');
SELECT anonopt.drop_promise('f', 'l', 'ill'), anonopt.add_promise('f', 't', 0.35, 'ill') \g /dev/null
SELECT pg_temp.under('t');
SELECT anonopt.drop_promise('f', 't', 'ill'), anonopt.add_promise('f', 'recursive_l', 2, 'ill', c => 3) \g /dev/null
SELECT pg_temp.under('recursive_l');
SELECT anonopt.drop_promise('f', 'recursive_l', 'ill'), anonopt.add_promise('f', 'beta', 1, 'ill') \g /dev/null
SELECT pg_temp.under('beta');
SELECT anonopt.drop_promise('f', 'beta', 'ill'), anonopt.add_promise('f', 'k_map', 8, population => 'f.register') \g /dev/null
SELECT pg_temp.under('k_map');
SELECT anonopt.drop_promise('f', 'k_map'), anonopt.add_promise('f', 'average_risk', 0.2) \g /dev/null
SELECT pg_temp.under('average_risk');
SELECT anonopt.drop_promise('f', 'average_risk') \g /dev/null

-- Wrong arguments ---------------------------------------------------------------------------

SELECT throws_ok(format('SELECT * FROM anonopt.efficiency(''f'', 2, 0.2, 0.3, %s)', arguments), '22023', NULL, arguments)
FROM (VALUES ($$measures => '{necd}', preferences => '{1}'$$), ($$measures => '{glm}'$$), ($$preferences => '{1}'$$), ($$measures => '{glm,t}', preferences => '{1}'$$),
    ($$measures => '{glm}', preferences => '{NaN}'$$), ($$measures => '{glm}', preferences => '{-1}'$$), ($$measures => '{finer}', preferences => '{1}'$$),
    ($$measures => '{k}', preferences => '{151}'$$), ($$weights => '{1}'$$), ($$weights => '{-1,2}'$$), ($$ideal => '{0.5,0}'$$)) x (arguments);

SELECT * FROM finish();
ROLLBACK;
