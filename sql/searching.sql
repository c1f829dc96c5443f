-- Searches as users call them: rows, notices, warnings and errors.
SET search_path = public;
\pset null NULL
CREATE TABLE guest (age int, town text, dish text, paid boolean);
INSERT INTO guest VALUES (21, 'A1', 'soup', true), (22, 'A1', 'soup', false), (24, 'A2', 'fish', true), (27, 'B1', 'soup', true),
	(31, 'B1', 'fish', true), (33, 'B2', 'rice', false), (36, 'A1', 'rice', true), (38, 'A2', 'fish', false);
SELECT anonopt.create_interval_hierarchy('guest_age', 20, 39, '{5,10}') \g /dev/null
SELECT anonopt.create_mask_hierarchy('guest_town', 'guest', 'town') \g /dev/null
SELECT anonopt.create_dataset('guests', 'guest', max_suppression => 0.25) \g /dev/null
SELECT anonopt.add_quasi_identifier('guests', 'age', 'guest_age'), anonopt.add_quasi_identifier('guests', 'town', 'guest_town') \g /dev/null
SELECT (anonopt.last_search()).algorithm;
SELECT * FROM anonopt.pareto('guests');
SELECT levels, k, glm, feasible FROM anonopt.lattice('guests') ORDER BY k DESC, glm, levels;
SELECT algorithm, dataset, rows, tuples, nodes, evaluated, workers, exact FROM anonopt.last_search();
SELECT levels, k, suppressed, glm FROM anonopt.optimize('guests', k => 3);
SELECT levels, k, suppressed, dcn FROM anonopt.optimize('guests', k => 3, loss => 'dcn');
SELECT levels, k, glm FROM anonopt.poka('guests');
SELECT levels, k, glm FROM anonopt.poka('guests', depth => 1);
SELECT algorithm, exact FROM anonopt.last_search();
-- nothing is feasible
SELECT levels, k FROM anonopt.optimize('guests', k => 9);
SELECT levels, k FROM anonopt.pareto('guests', k => 9);
-- no time
SELECT count(*) <= 12 AS few FROM anonopt.pareto('guests', time_limit => '1 microsecond');
SELECT exact FROM anonopt.last_search();
-- what cannot be asked, and which call would allow it
SELECT * FROM anonopt.pareto('guests', '{k,l}');
SELECT * FROM anonopt.pareto('guests', '{k,sum_other}');
SELECT * FROM anonopt.pareto('guests', '{k,cm}');
SELECT * FROM anonopt.pareto('guests', l => 2);
SELECT * FROM anonopt.pareto('guests', '{k,beauty}');
SELECT * FROM anonopt.pareto('guests', '{k,glm,k}');
SELECT * FROM anonopt.pareto('guests', '{k,NULL}');
SELECT * FROM anonopt.pareto('guests', '{}');
SELECT * FROM anonopt.pareto('guests', NULL);
SELECT * FROM anonopt.pareto('guests', time_limit => '0');
SELECT * FROM anonopt.optimize('guests');
SELECT * FROM anonopt.optimize('guests', k => 2, loss => 'k');
SELECT * FROM anonopt.optimize('guests', k => 2, loss => NULL);
SELECT * FROM anonopt.optimize('guests', k => 2, loss => 't');
SELECT * FROM anonopt.poka('guests', depth => 0);
SELECT * FROM anonopt.poka('guests', 'entropy_l');
SELECT * FROM anonopt.pareto('nobody knows');
-- with what was missing
SELECT anonopt.add_sensitive('guests', 'dish'), anonopt.set_class_label('guests', 'paid') \g /dev/null
SELECT levels, k, l, round(t::numeric, 3) AS t, cm FROM anonopt.pareto('guests', '{l,t,glm}', k => 2);
SELECT levels, k, l, glm FROM anonopt.optimize('guests', k => 2, l => 2, t => 0.4);
SELECT levels, k, cm FROM anonopt.poka('guests', 'cm');
-- a lattice of one node; nobody
SELECT anonopt.create_dataset('one', 'guest') \g /dev/null
SELECT anonopt.add_quasi_identifier('one', 'age', 'guest_age', min_level => 3) \g /dev/null
SELECT levels, k FROM anonopt.pareto('one');
SELECT levels, k FROM anonopt.optimize('one', k => 2);
SELECT levels, k FROM anonopt.poka('one');
TRUNCATE guest;
SELECT * FROM anonopt.pareto('guests');
SELECT * FROM anonopt.poka('guests');
SELECT algorithm, rows, evaluated, exact FROM anonopt.last_search();
SELECT * FROM anonopt.progress;
SET anonopt.max_workers = -2;
SELECT anonopt.drop_dataset(dataset) FROM anonopt.dataset \g /dev/null
