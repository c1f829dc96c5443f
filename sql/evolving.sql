-- PBG-EA as users call it: rows, quality, the archive's updator, and errors.
SET search_path = public;
\pset null NULL
CREATE TABLE visitor (age int, town text, dish text, paid boolean);
INSERT INTO visitor VALUES (21, 'A1', 'soup', true), (22, 'A1', 'soup', false), (24, 'A2', 'fish', true), (27, 'B1', 'soup', true),
	(31, 'B1', 'fish', true), (33, 'B2', 'rice', false), (36, 'A1', 'rice', true), (38, 'A2', 'fish', false);
SELECT anonopt.create_interval_hierarchy('visitor_age', 20, 39, '{5,10}') \g /dev/null
SELECT anonopt.create_mask_hierarchy('visitor_town', 'visitor', 'town') \g /dev/null
SELECT anonopt.create_dataset('visitors', 'visitor', max_suppression => 0.25) \g /dev/null
SELECT anonopt.add_quasi_identifier('visitors', 'age', 'visitor_age'), anonopt.add_quasi_identifier('visitors', 'town', 'visitor_town') \g /dev/null
SELECT levels, k, glm, nwp, sum_k FROM anonopt.lattice('visitors') ORDER BY k DESC, glm, levels;
-- all twelve nodes are soon visited: then the archive is the front, at a resolution of boxes
-- of one
SELECT levels, k, glm FROM anonopt.pbg_ea('visitors', seed => 1);
SELECT algorithm, dataset, rows, tuples, nodes, evaluated, workers, exact, seed FROM anonopt.last_search();
SELECT levels, k, glm FROM anonopt.pareto('visitors');
-- boxes of two and four
SELECT levels, k, glm FROM anonopt.pbg_ea('visitors', '{k,glm}', '{2,4}', seed => 1);
SELECT levels, sum_k, nwp FROM anonopt.pbg_ea('visitors', '{sum_k,nwp}', seed => -7);
SELECT levels, k, glm FROM anonopt.pbg_ea('visitors', '{glm,k}', '{100,100}', seed => 1);
-- few nodes
SELECT levels, k, glm FROM anonopt.pbg_ea('visitors', population => 2, iterations => 1, crossover => 0, mutation => 0, seed => 3);
SELECT evaluated FROM anonopt.last_search();
SELECT count(*) > 0 AS some FROM anonopt.pbg_ea('visitors', local_search => 1, max_nodes => 5, seed => 3);
SELECT evaluated FROM anonopt.last_search();
-- quality: of the front, of a part of it, of what is not in it, of nothing
SELECT q.* FROM anonopt.archive_quality('visitors', '{k,glm}', (SELECT array_agg(levels) FROM anonopt.pareto('visitors'))) q;
SELECT algorithm, evaluated, exact, seed FROM anonopt.last_search();
SELECT ce, round(rr::numeric, 3) AS rr, minimal, boxes FROM anonopt.archive_quality('visitors', '{k,glm}', '{{3,2},{0,0},{3,2}}');
SELECT round(ce::numeric, 6) AS ce, rr, minimal, boxes FROM anonopt.archive_quality('visitors', '{k,glm}', '{0,1}', '{2,4}');
SELECT * FROM anonopt.archive_quality('visitors', '{k,glm}', '{}');
SELECT * FROM anonopt.archive_quality('visitors', '{k,glm}', '{}', NULL);
-- the updator: a better one removes others, a box has one, the order matters
SELECT anonopt.box_archive('{{1,5},{5,1},{3,3},{2,2}}', '{1,1}');
SELECT anonopt.box_archive('{{1,5},{1,6},{2,6}}', '{1,1}');
SELECT anonopt.box_archive('{{1,5},{0,9},{5,1},{4,4},{3,3}}', '{4,4}');
SELECT anonopt.box_archive('{{0.2,0.7},{0.7,0.2}}', '{1,1}'), anonopt.box_archive('{{0.7,0.2},{0.2,0.7}}', '{1,1}');
SELECT anonopt.box_archive('{{1,1},{1,1}}', '{0.5,0.5}'), anonopt.box_archive('{{3}}', '{1}'), anonopt.box_archive('{{3},{4},{2}}', '{1}');
SELECT anonopt.box_archive('{}', '{1,1}'), anonopt.box_archive(NULL, '{1}'), anonopt.box_archive('{{1,1}}', NULL);
-- what cannot be asked
SELECT * FROM anonopt.pbg_ea('visitors', '{k}');
SELECT * FROM anonopt.pbg_ea('visitors', '{}');
SELECT * FROM anonopt.pbg_ea('visitors', '{k,beauty}');
SELECT * FROM anonopt.pbg_ea('visitors', '{k,k}');
SELECT * FROM anonopt.pbg_ea('visitors', '{k,NULL}');
SELECT * FROM anonopt.pbg_ea('visitors', '{k,l}');
SELECT * FROM anonopt.pbg_ea('visitors', '{k,cm}');
SELECT * FROM anonopt.pbg_ea('visitors', '{k,glm}', '{1}');
SELECT * FROM anonopt.pbg_ea('visitors', '{k,glm}', '{1,1,1}');
SELECT * FROM anonopt.pbg_ea('visitors', '{k,glm}', '{}');
SELECT * FROM anonopt.pbg_ea('visitors', '{k,glm}', '{{1,1}}');
SELECT * FROM anonopt.pbg_ea('visitors', '{k,glm}', '{1,0}');
SELECT * FROM anonopt.pbg_ea('visitors', '{k,glm}', '{-1,1}');
SELECT * FROM anonopt.pbg_ea('visitors', '{k,glm}', '{NaN,1}');
SELECT * FROM anonopt.pbg_ea('visitors', '{k,glm}', '{1,Infinity}');
SELECT * FROM anonopt.pbg_ea('visitors', '{k,glm}', '{1,NULL}');
SELECT * FROM anonopt.pbg_ea('visitors', population => 1);
SELECT * FROM anonopt.pbg_ea('visitors', population => 10001);
SELECT * FROM anonopt.pbg_ea('visitors', population => NULL);
SELECT * FROM anonopt.pbg_ea('visitors', iterations => 0);
SELECT * FROM anonopt.pbg_ea('visitors', iterations => NULL);
SELECT * FROM anonopt.pbg_ea('visitors', crossover => -0.1);
SELECT * FROM anonopt.pbg_ea('visitors', crossover => NULL);
SELECT * FROM anonopt.pbg_ea('visitors', mutation => 1.1);
SELECT * FROM anonopt.pbg_ea('visitors', mutation => 'NaN');
SELECT * FROM anonopt.pbg_ea('visitors', local_search => 2);
SELECT * FROM anonopt.pbg_ea('visitors', max_nodes => 1);
SELECT * FROM anonopt.pbg_ea('visitors', NULL);
SELECT * FROM anonopt.pbg_ea(NULL);
SELECT * FROM anonopt.pbg_ea('nobody knows');
\set VERBOSITY sqlstate
SELECT * FROM anonopt.pbg_ea('visitors', '{k}');
SELECT * FROM anonopt.pbg_ea('visitors', '{k,glm}', '{1}');
SELECT * FROM anonopt.pbg_ea('visitors', '{k,glm}', '{1,0}');
SELECT * FROM anonopt.pbg_ea('visitors', population => 1);
SELECT * FROM anonopt.pbg_ea('visitors', crossover => 2);
SELECT * FROM anonopt.archive_quality('visitors', '{k,glm}', '{0}');
SELECT anonopt.box_archive('{{1,-1}}', '{1,1}');
\set VERBOSITY default
SELECT * FROM anonopt.archive_quality('visitors', '{k}', '{0,0}');
SELECT * FROM anonopt.archive_quality('visitors', NULL, '{0,0}');
SELECT * FROM anonopt.archive_quality('visitors', '{k,glm}', NULL);
SELECT * FROM anonopt.archive_quality('visitors', '{k,glm}', '{0}');
SELECT * FROM anonopt.archive_quality('visitors', '{k,glm}', '{{0,0,0}}');
SELECT * FROM anonopt.archive_quality('visitors', '{k,glm}', '{{0,0},{0,NULL}}');
SELECT * FROM anonopt.archive_quality('visitors', '{k,glm}', '{4,0}');
SELECT * FROM anonopt.archive_quality('visitors', '{k,glm}', '{{{0,0}}}');
SELECT * FROM anonopt.archive_quality('visitors', '{k,glm}', '{0,0}', '{1}');
SELECT * FROM anonopt.archive_quality('visitors', '{k,glm}', '{}', '{0,1}');
SELECT * FROM anonopt.archive_quality(NULL, '{k,glm}', '{0,0}');
SELECT anonopt.box_archive('{1,2}', '{1,1}');
SELECT anonopt.box_archive('{{1,2}}', '{1}');
SELECT anonopt.box_archive('{{1,NULL}}', '{1,1}');
SELECT anonopt.box_archive('{{1,-1}}', '{1,1}');
SELECT anonopt.box_archive('{{1,NaN}}', '{1,1}');
SELECT anonopt.box_archive('{{1,Infinity}}', '{1,1}');
SELECT anonopt.box_archive('{{1,5},{5,1}}', '{5e-324,1}');
SELECT anonopt.box_archive('{{1e308,5}}', '{1e-9,1}');
SELECT anonopt.box_archive('{{1,2}}', '{1,0}');
SELECT anonopt.box_archive('{{1,2}}', '{1,NULL}');
SELECT anonopt.box_archive('{{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25}}', '{1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}');
-- what a set covers, and how far it falls short
SELECT anonopt.hypervolume('visitors', '{k,glm}', '{{3,2},{0,0}}'), anonopt.hypervolume('visitors', '{k,glm}', '{}'),
	anonopt.hypervolume('visitors', '{k,glm}', '{{3,2},{1,1},{0,0}}', '{1,20}');
SELECT round(anonopt.igd_plus('visitors', '{k,glm}', '{{3,2},{0,0}}')::numeric, 6) AS igd_plus,
	anonopt.igd_plus('visitors', '{k,glm}', (SELECT array_agg(levels) FROM anonopt.pareto('visitors'))) AS exact,
	anonopt.igd_plus('visitors', '{k,glm}', '{}') AS of_none;
SELECT anonopt.hypervolume('visitors', '{k}', '{0,0}');
SELECT anonopt.hypervolume('visitors', '{k,glm}', '{0,0}', '{1}');
SELECT anonopt.hypervolume('visitors', '{k,glm}', '{0,0}', '{1,NULL}');
SELECT anonopt.hypervolume('visitors', '{k,glm}', '{0,0}', '{1,Infinity}');
SELECT anonopt.hypervolume('visitors', '{k,glm}', NULL);
SELECT anonopt.hypervolume('nobody', '{k,glm}', '{0,0}');
-- switches
SELECT levels, k, glm FROM anonopt.pbg_ea('visitors', seed => 1, bounds => false, reflect => true, copies => true);
SELECT * FROM anonopt.pbg_ea('visitors', bounds => NULL);
SELECT * FROM anonopt.pbg_ea('visitors', reflect => NULL);
SELECT * FROM anonopt.pbg_ea('visitors', copies => NULL);
-- with what was missing
SELECT anonopt.add_sensitive('visitors', 'dish'), anonopt.set_class_label('visitors', 'paid') \g /dev/null
SELECT levels, k, l, round(t::numeric, 3) AS t, cm FROM anonopt.pbg_ea('visitors', '{l,t,cm}', seed => 1);
-- a lattice of one node, one quasi-identifier; nobody
SELECT anonopt.create_dataset('one', 'visitor') \g /dev/null
SELECT anonopt.add_quasi_identifier('one', 'age', 'visitor_age', min_level => 3) \g /dev/null
SELECT levels, k FROM anonopt.pbg_ea('one', seed => 1);
SELECT evaluated FROM anonopt.last_search();
SELECT * FROM anonopt.archive_quality('one', '{k,glm}', '{3}');
SELECT * FROM anonopt.archive_quality('one', '{k,glm}', '{{0},{3}}');
TRUNCATE visitor;
SELECT * FROM anonopt.pbg_ea('visitors', seed => 1);
SELECT algorithm, rows, evaluated, seed FROM anonopt.last_search();
SELECT * FROM anonopt.archive_quality('visitors', '{k,glm}', '{0,0}');
SELECT anonopt.hypervolume('visitors', '{k,glm}', '{0,0}'), anonopt.igd_plus('visitors', '{k,glm}', '{0,0}');
SELECT anonopt.drop_dataset(dataset) FROM anonopt.dataset \g /dev/null
