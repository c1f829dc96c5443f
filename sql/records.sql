-- A generalization per record as users call it: rows, notices, releases, and what is refused.
SET search_path = public;
\pset null NULL
CREATE TABLE diner (nr int, age int, town text, dish text);
INSERT INTO diner VALUES (1, 21, 'A1', 'soup'), (2, 22, 'A1', 'soup'), (3, 24, 'A2', 'fish'), (4, 27, 'B1', 'soup'),
	(5, 31, 'B1', 'fish'), (6, 33, 'B2', 'rice'), (7, 36, 'A1', 'rice'), (8, 38, 'A2', NULL);
SELECT anonopt.create_interval_hierarchy('diner_age', 20, 39, '{5,10}') \g /dev/null
SELECT anonopt.create_mask_hierarchy('diner_town', 'diner', 'town') \g /dev/null
SELECT anonopt.create_dataset('diners', 'diner') \g /dev/null
SELECT anonopt.add_quasi_identifier('diners', 'age', 'diner_age'), anonopt.add_quasi_identifier('diners', 'town', 'diner_town') \g /dev/null
-- five levels to climb in all; half of them
SELECT * FROM anonopt.aruba('diners', 2);
SELECT * FROM anonopt.btda('diners', 2, key => 'nr') WHERE record <= '2';
SELECT record, levels, generalized, risk, utility FROM anonopt.aruba('diners', 2, risk => 'identity', key => 'nr') WHERE record <= '2';
SELECT record, levels, round(risk::numeric, 4) AS risk, round(utility::numeric, 4) AS utility
FROM anonopt.aruba('diners', 1, 'entropy', 'log_leaves', key => 'nr') WHERE record <= '2';
SELECT record, levels, round(risk::numeric, 4) AS risk, round(utility::numeric, 4) AS utility
FROM anonopt.aruba('diners', 0.5, utility => 'leaves', key => 'nr') WHERE record <= '2';
SELECT record, levels, risk, utility FROM anonopt.aruba_budget('diners', 0.1, key => 'nr') WHERE record <= '2';
SELECT record, levels, risk, utility FROM anonopt.aruba_balance('diners', 0.05, key => 'nr') WHERE record <= '2';
SELECT algorithm, dataset, rows, tuples, nodes, exact FROM anonopt.last_search();
-- weights: A1 is nothing to hide, B2 is
CREATE TABLE town_weight (town text, weight numeric);
INSERT INTO town_weight VALUES ('A1', 0), ('B2', 4), ('Z9', 1);
SELECT anonopt.set_sensitivity('diners', 'town', 'town_weight') \g /dev/null
SELECT record, levels, risk, utility FROM anonopt.aruba('diners', 2, key => 'nr') WHERE record IN ('1', '6');
-- a dictionary: everybody in town; nobody
CREATE TABLE inhabitant (town varchar, born int, age bigint);
INSERT INTO inhabitant SELECT 'A' || i % 3, 1990, 20 + i FROM generate_series(1, 30) i;
SELECT record, levels, risk, utility FROM anonopt.aruba('diners', 2, dictionary => 'inhabitant', key => 'nr') WHERE record IN ('1', '6');
CREATE VIEW deserted AS SELECT * FROM inhabitant WHERE town = 'C1';
SELECT record, levels, risk, utility FROM anonopt.aruba('diners', 2, 'identity', dictionary => 'deserted', key => 'nr') WHERE record <= '2';
-- A1 and A2 are alike, two characters of which one matches: 2/3
SELECT round(anonopt.jaro('A1', 'A2')::numeric, 4) AS town, round(anonopt.jaro('[20, 25)', '[25, 30)')::numeric, 4) AS age;
SELECT record, levels, round(risk::numeric, 4) AS risk, utility FROM anonopt.aruba('diners', 4, 'identity', similarity => 0.6, key => 'nr') WHERE record <= '2';
-- unreachable
SELECT * FROM anonopt.aruba('diners', 6, key => 'nr') WHERE record = '1';
SELECT record, levels, utility FROM anonopt.aruba_budget('diners', -1, key => 'nr') WHERE record = '1';
SELECT count(levels), count(*) FROM anonopt.btda('diners', 0.9, utility => 'leaves', key => 'nr');
-- from the result to a release
CREATE TABLE published AS
	SELECT g.*, d.dish FROM anonopt.aruba('diners', 2, key => 'nr') a JOIN diner d ON d.nr::text = a.record,
		anonopt.unpack(a.generalized) AS g (age text, town text)
	ORDER BY g.age, g.town, random();
SELECT age, town, count(*) FROM published GROUP BY age, town ORDER BY age, town;
SELECT anonopt.k_anonymity('published', '{age,town}');
SELECT * FROM anonopt.unpack('{a,b}') AS g (age text);
SELECT * FROM anonopt.unpack('{a,b}') AS g (age text, town int);
SELECT anonopt.unpack('{a,b}');
-- how rows are named
CREATE VIEW diner_view AS TABLE diner;
SELECT anonopt.create_dataset('sights', 'diner_view') \g /dev/null
SELECT anonopt.add_quasi_identifier('sights', 'age', 'diner_age') \g /dev/null
SELECT * FROM anonopt.aruba('sights', 1);
SELECT * FROM anonopt.aruba('diners', 2, key => 'dish');
SELECT * FROM anonopt.aruba('diners', 2, key => 'nobody');
-- weights that are none
INSERT INTO town_weight VALUES ('A2', -1);
SELECT * FROM anonopt.aruba('diners', 2);
UPDATE town_weight SET weight = 'NaN' WHERE town = 'A2';
SELECT * FROM anonopt.aruba('diners', 2);
UPDATE town_weight SET weight = NULL WHERE town = 'A2';
SELECT * FROM anonopt.btda('diners', 2);
UPDATE town_weight SET weight = 1, town = 'A1' WHERE town = 'A2';
SELECT * FROM anonopt.aruba_budget('diners', 2);
DROP TABLE town_weight;
SELECT * FROM anonopt.aruba_balance('diners', 2);
CREATE TABLE town_weight (town text);
SELECT anonopt.set_sensitivity('diners', 'town', 'town_weight') \g /dev/null
SELECT * FROM anonopt.aruba('diners', 2);
ALTER TABLE town_weight ADD weight float8;
-- what cannot be asked
SELECT * FROM anonopt.aruba('diners', 2, 'danger');
SELECT * FROM anonopt.aruba('diners', 2, utility => 'beauty');
SELECT * FROM anonopt.aruba('diners', 2, NULL);
SELECT * FROM anonopt.aruba('diners', 2, utility => NULL);
SELECT * FROM anonopt.aruba('diners', NULL);
SELECT * FROM anonopt.aruba_budget('diners', NULL);
SELECT * FROM anonopt.aruba_balance('diners', NULL);
SELECT * FROM anonopt.aruba('diners', 'NaN');
SELECT * FROM anonopt.aruba_budget('diners', 'infinity');
SELECT * FROM anonopt.aruba_balance('diners', -0.5);
SELECT * FROM anonopt.aruba(NULL, 2);
SELECT * FROM anonopt.aruba('nobody knows', 2);
SELECT * FROM anonopt.aruba('diners', 2, similarity => 0);
SELECT * FROM anonopt.aruba('diners', 2, similarity => 1.01);
SELECT * FROM anonopt.aruba('diners', 2, similarity => 'NaN');
SELECT * FROM anonopt.aruba('diners', 2, dictionary => 'diner_age');
SELECT * FROM anonopt.aruba('diners', 2, dictionary => 'inhabitants');
SELECT * FROM anonopt.aruba('diners', 2, time_limit => '0');
SELECT * FROM anonopt.record_walk('aruba', '{1,2}', '{1,2,3}', 1);
SELECT * FROM anonopt.record_walk('aruba', '{1,NULL}', '{1,2}', 1);
SELECT * FROM anonopt.record_walk('dijkstra', '{1,2}', '{1,2}', 1);
-- the paper's lattice: what ARUBA visits, and what it finds
SELECT * FROM anonopt.record_walk('aruba',
	'{{0,10,21,32,55},{12,15,28,45,62},{14,22,36,60,70},{16,25,50,63,80}}',
	'{{0,4,9,13,17},{2,7,13,16,18},{5,11,14,21,25},{8,12,17,23,30}}', 18);
-- nobody
TRUNCATE diner;
SELECT * FROM anonopt.aruba('diners', 2);
SELECT * FROM anonopt.btda('diners', 2);
SELECT anonopt.drop_dataset(dataset) FROM anonopt.dataset \g /dev/null
