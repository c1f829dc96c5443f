-- Publisher preferences as users call them: rows, notices and errors.
SET search_path = public;
\pset null NULL
CREATE TABLE player (age int, team text);
INSERT INTO player VALUES (21, 'A1'), (22, 'A1'), (24, 'A2'), (27, 'B1'), (31, 'B1'), (33, 'B2'), (36, 'A1'), (38, 'A2');
SELECT anonopt.create_range_hierarchy('player_age', 20, 40, 5, '{10}') \g /dev/null
SELECT anonopt.create_mask_hierarchy('player_team', 'player', 'team') \g /dev/null
SELECT anonopt.create_dataset('members', 'player') \g /dev/null
SELECT anonopt.add_quasi_identifier('members', 'age', 'player_age'), anonopt.add_quasi_identifier('members', 'team', 'player_team') \g /dev/null
-- how near a bias and a loss come to those preferred
SELECT round(anonopt.achievement(0.3, 0.2, 0.3, 0.2)::numeric, 6) AS as_preferred,
	round(anonopt.achievement(0.3, 0.1, 0.3, 0.2)::numeric, 6) AS less_lost,
	round(anonopt.achievement(0.3, 0.4, 0.3, 0.2)::numeric, 6) AS more_lost, anonopt.achievement(NULL, 0, 0, 0) AS nothing;
SELECT anonopt.achievement(0, 0, 1.5, 0);
SELECT anonopt.achievement(0, -0.5, 1, 0);
-- level nodes
SELECT levels, k, round(necd::numeric, 3) AS necd, round(nwp::numeric, 3) AS nwp, efficiency,
	round(ach::numeric, 3) AS ach, round(pref_dev::numeric, 3) AS pref_dev, chosen
FROM anonopt.efficiency('members', 2, 0.2, 0.4);
SELECT algorithm, dataset, rows, nodes, evaluated, exact FROM anonopt.last_search();
-- partitions: bits between the labels' neighbours
SELECT cuts, groups, k, round(necd::numeric, 3) AS necd, round(nwp::numeric, 3) AS nwp,
	round(ach::numeric, 3) AS ach, round(pref_dev::numeric, 3) AS pref_dev, feasible, chosen
FROM anonopt.nsga2('members', 2, 0.2, 0.4, population => 20, evaluations => 1000, mutation => 0.1, seed => 1);
SELECT algorithm, dataset, rows, tuples, nodes, evaluated, workers, exact, seed FROM anonopt.last_search();
-- along the tree
SELECT cuts, groups, k, round(necd::numeric, 3) AS necd, round(nwp::numeric, 3) AS nwp, feasible, chosen
FROM anonopt.nsga2('members', 2, 0.2, 0.4, population => 20, evaluations => 1000, mutation => 0.1, seed => 1, taxonomy => true);
-- a walk
SELECT step, ARRAY(SELECT round(r::numeric, 2) FROM unnest(reference) r) AS reference, cuts, groups, k,
	round(necd::numeric, 3) AS necd, round(nwp::numeric, 3) AS nwp
FROM anonopt.reference_direction('members', 2, '{0,1}', '{0.2,0.2}', 4, 20, 1000, mutation => 0.1, seed => 1, taxonomy => true);
SELECT algorithm, exact FROM anonopt.last_search();
-- more than there are
SELECT levels, k FROM anonopt.efficiency('members', 9, 0.2, 0.4);
SELECT groups, k, feasible, chosen FROM anonopt.nsga2('members', 9, 1, 0, 20, 1000, mutation => 0.1, seed => 1);
-- without seeds a search does not know what there is
SELECT count(*) FILTER (WHERE feasible) AS feasible FROM anonopt.nsga2('members', 9, 1, 0, 20, 1000, seed => 1, plain => true);
SELECT step, cuts, k, ach FROM anonopt.reference_direction('members', 9, '{0,0}', '{1,1}', 2, 20, 100, seed => 1);
-- what cannot be asked
SELECT * FROM anonopt.efficiency('members', 0, 0.2, 0.4);
SELECT * FROM anonopt.efficiency('members', 2, 1.2, 0.4);
SELECT * FROM anonopt.efficiency('members', 2, 0.2, 'NaN');
SELECT * FROM anonopt.efficiency('members', NULL, 0.2, 0.4);
SELECT * FROM anonopt.efficiency('members', 2, NULL, 0.4);
SELECT * FROM anonopt.efficiency('nobody knows', 2, 0.2, 0.4);
SELECT * FROM anonopt.nsga2('nobody knows', 2, 0.2, 0.4);
SELECT * FROM anonopt.nsga2(NULL, 2, 0.2, 0.4);
SELECT * FROM anonopt.nsga2('members', 0, 0.2, 0.4);
SELECT * FROM anonopt.nsga2('members', NULL, 0.2, 0.4);
SELECT * FROM anonopt.nsga2('members', 2, -0.1, 0.4);
SELECT * FROM anonopt.nsga2('members', 2, 'NaN', 0.4);
SELECT * FROM anonopt.nsga2('members', 2, 0.2, NULL);
SELECT * FROM anonopt.nsga2('members', 2, 0.2, 0.4, population => 1);
SELECT * FROM anonopt.nsga2('members', 2, 0.2, 0.4, population => 100001);
SELECT * FROM anonopt.nsga2('members', 2, 0.2, 0.4, population => 100, evaluations => 99);
SELECT * FROM anonopt.nsga2('members', 2, 0.2, 0.4, evaluations => NULL);
SELECT * FROM anonopt.nsga2('members', 2, 0.2, 0.4, crossover => 1.1);
SELECT * FROM anonopt.nsga2('members', 2, 0.2, 0.4, mutation => 'NaN');
SELECT * FROM anonopt.nsga2('members', 2, 0.2, 0.4, mutation => NULL);
SELECT * FROM anonopt.nsga2('members', 2, 0.2, 0.4, taxonomy => NULL);
SELECT * FROM anonopt.nsga2('members', 2, 0.2, 0.4, taxonomy_columns => '{nothing}');
SELECT * FROM anonopt.reference_direction('members', 2, '{0.1}', '{0.1,0.1}');
SELECT * FROM anonopt.reference_direction('members', 2, '{0.1,NULL}', '{0.1,0.1}');
SELECT * FROM anonopt.reference_direction('members', 2, '{0.1,0.1}', '{0.1,0.1,0.1}');
SELECT * FROM anonopt.reference_direction('members', 2, '{0.1,0.1}', '{{0.1,0.1}}');
SELECT * FROM anonopt.reference_direction('members', 2, '{0.1,0.1}', '{0.1,2}');
SELECT * FROM anonopt.reference_direction('members', 2, '{0.1,0.1}', NULL);
SELECT * FROM anonopt.reference_direction('members', 2, '{0.1,0.1}', '{0.1,0.1}', steps => 0);
SELECT * FROM anonopt.reference_direction('members', 2, '{0.1,0.1}', '{0.1,0.1}', evaluations => 50);
SELECT * FROM anonopt.evaluate_cuts('members', ARRAY[B'000', B'00']);
-- domains of one leaf: nothing to part
CREATE TABLE player_club (club text, level1 text);
INSERT INTO player_club VALUES ('chess', '*');
ALTER TABLE player ADD club text DEFAULT 'chess';
SELECT anonopt.create_dataset('club', 'player') \g /dev/null
SELECT anonopt.add_quasi_identifier('club', 'club', 'player_club') \g /dev/null
SELECT * FROM anonopt.nsga2('club', 2, 0.2, 0.3, seed => 1);
SELECT levels, k, efficiency, chosen FROM anonopt.efficiency('club', 2, 0.2, 0.3);
SELECT step, reference, cuts, k FROM anonopt.reference_direction('club', 2, '{1,1}', '{0,0}', 2, seed => 1);
-- who counts not at all, and nobody
SELECT anonopt.create_dataset('weightless', 'player') \g /dev/null
SELECT anonopt.add_quasi_identifier('weightless', 'age', 'player_age', weight => 0) \g /dev/null
SELECT * FROM anonopt.nsga2('weightless', 2, 0.2, 0.4);
TRUNCATE player;
SELECT * FROM anonopt.efficiency('members', 2, 0.2, 0.4);
SELECT * FROM anonopt.nsga2('members', 2, 0.2, 0.4, seed => 1);
SELECT * FROM anonopt.reference_direction('members', 2, '{0,0}', '{1,1}', seed => 1);
SELECT algorithm, rows, evaluated, seed FROM anonopt.last_search();
SELECT anonopt.drop_dataset(dataset) FROM anonopt.dataset \g /dev/null
