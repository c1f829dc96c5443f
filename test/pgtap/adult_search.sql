-- Searches of the Adult data: the front that is known, how many nodes it takes, what
-- POkA finds at which depth, and workers that change nothing.
\ir adult.inc
\if :unreadable
\quit
\endif

SELECT plan(26);

-- eight quasi-identifiers; and seven, the eighth being the class label
SELECT anonopt.create_dataset('plain', 'adult.people'), anonopt.create_dataset('labelled', 'adult.people') \g /dev/null
SELECT anonopt.add_quasi_identifier(d, c::name, ('adult.' || c)::regclass)
FROM unnest('{plain,labelled}'::text[]) d,
     unnest('{age,workclass,education,marital_status,race,sex,native_country,salary_class}'::text[]) WITH ORDINALITY x (c, i)
WHERE d = 'plain' OR c <> 'salary_class' ORDER BY d, i \g /dev/null
SELECT anonopt.set_class_label('labelled', 'salary_class') \g /dev/null

SET anonopt.max_workers = 0;
CREATE TABLE adult.nodes AS SELECT * FROM anonopt.lattice('plain');
SELECT is((SELECT workers FROM anonopt.last_search()), 0, 'no worker where none may help');
CREATE TABLE adult.front AS SELECT * FROM anonopt.pareto('plain');

SELECT is((SELECT count(*) FROM adult.front), 46::bigint, 'the front of k and glm');
SELECT is((SELECT count(*) FROM adult.front WHERE k > 1), 45::bigint, 'but for the bottom');
SELECT cmp_ok((SELECT evaluated FROM anonopt.last_search()), '<=', 1100::bigint, 'few nodes are measured');
SELECT ok((SELECT exact FROM anonopt.last_search()), 'and the front is proven');
SELECT is((SELECT nodes FROM anonopt.last_search()), 17920::numeric, 'of the whole lattice');
SELECT is((SELECT count(*) FROM adult.front f
           WHERE EXISTS (SELECT FROM adult.nodes n WHERE (n.k >= f.k AND n.glm < f.glm) OR (n.k > f.k AND n.glm <= f.glm))),
          0::bigint, 'no node beats one of the front');
SELECT is((SELECT count(*) FROM adult.nodes n
           WHERE NOT EXISTS (SELECT FROM adult.front f WHERE f.k >= n.k AND f.glm <= n.glm)),
          0::bigint, 'every node is reached by one of the front');
SELECT is((SELECT count(*) FROM anonopt.pareto('plain', '{k,dcn}')), 25::bigint, 'the front of k and dcn');
SELECT is((SELECT count(*) FROM anonopt.pareto('plain', '{k,nwp}')), 46::bigint,
          'with equal weights nwp has the same front as glm');

SELECT is((SELECT levels FROM anonopt.optimize('plain', k => 5)),
          (SELECT levels FROM anonopt.lattice('plain', k => 5)
           WHERE feasible ORDER BY glm, (SELECT sum(x) FROM unnest(levels) x), levels LIMIT 1),
          'the optimum for k = 5');
SELECT anonopt.optimize('plain', k => 5) \g /dev/null
SELECT cmp_ok((SELECT evaluated FROM anonopt.last_search()), '<', 1000::bigint, 'takes fewer nodes than the front');

-- POkA by depth: how much of the front it finds, and how much of the lattice it measures
CREATE FUNCTION pg_temp.poka(dataset text, loss text, depth int, OUT hits bigint, OUT share numeric)
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SELECT count(*) FROM anonopt.poka(%1$L, %2$L, %3$s) p
                    WHERE k > 1 AND EXISTS (SELECT FROM anonopt.pareto(%1$L, ARRAY[''k'', %2$L]) f
                                            WHERE f.k = p.k AND f.%2$I = p.%2$I)', dataset, loss, depth) INTO hits;
    PERFORM anonopt.poka(dataset, loss, depth);
    SELECT evaluated / nodes INTO share FROM anonopt.last_search();
END $$;
CREATE TABLE adult.poka AS SELECT depth, p.* FROM unnest('{1,2,3,6}'::int[]) depth, pg_temp.poka('plain', 'glm', depth) p;
SELECT is((SELECT hits FROM adult.poka WHERE depth = 3), 45::bigint, 'depth 3 finds the whole front');
SELECT cmp_ok((SELECT share FROM adult.poka WHERE depth = 3), '<=', 0.33, 'with a third of the nodes at most');
SELECT cmp_ok((SELECT hits FROM adult.poka WHERE depth = 1), '<', 45::bigint, 'depth 1 misses some');
SELECT cmp_ok((SELECT hits FROM adult.poka WHERE depth = 2), '<', 45::bigint, 'depth 2 misses some');
SELECT is((SELECT hits FROM adult.poka WHERE depth = 6), 45::bigint, 'depth 6 finds no more');
SELECT cmp_ok((SELECT share FROM adult.poka WHERE depth = 6), '>', 0.6, 'but measures most nodes');
SELECT results_eq('SELECT * FROM anonopt.poka(''plain'')', 'SELECT * FROM anonopt.poka(''plain'', ''glm'', 3)',
                  'depth 3 is the default, the mean height');
SELECT is((SELECT array_agg(k) FROM anonopt.poka('plain')),
          (SELECT array_agg(k ORDER BY k DESC) FROM anonopt.poka('plain')), 'found from the top down');
SELECT cmp_ok((SELECT hits FROM pg_temp.poka('plain', 'dcn', 3)), '>=', 23::bigint, 'of the 24 for dcn');
SELECT is((SELECT count(*) FROM anonopt.pareto('labelled', '{k,cm}') WHERE k > 1), 24::bigint, 'the front of k and cm');
SELECT cmp_ok((SELECT hits FROM pg_temp.poka('labelled', 'cm', 3)), '>=', 20::bigint, 'of the 24 for cm');

-- workers help, and change nothing
SET anonopt.max_workers = 2;
CREATE TABLE adult.together AS SELECT * FROM anonopt.lattice('plain');
SELECT cmp_ok((SELECT workers FROM anonopt.last_search()), '>=', 1, 'workers were launched');
SELECT is((SELECT count(*) FROM (SELECT * FROM adult.together EXCEPT SELECT * FROM adult.nodes) x), 0::bigint,
          'and measured the very same numbers');
SELECT is((SELECT count(*) FROM adult.together), 17920::bigint, 'of every node');

SELECT * FROM finish();
ROLLBACK;
