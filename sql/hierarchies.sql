-- Hierarchies as users create, check and use them.
CREATE EXTENSION anonopt;
SET search_path = public;
\pset null NULL

SELECT anonopt.create_interval_hierarchy('age_h', 0, 19, '{5,10}');
TABLE age_h;
\d age_h
SELECT anonopt.create_range_hierarchy('income_h', 0, 100, 25, '{50}');
TABLE income_h;
SELECT anonopt.create_range_hierarchy('short_h', -0.5, 1, 0.4, '{0.8}');
TABLE short_h;
SELECT anonopt.create_date_hierarchy('day_h', '2024-02-28', '2024-03-02', '{month,quarter,year,decade,century}');
TABLE day_h;
SELECT anonopt.create_date_hierarchy('week_h', '2024-12-29', '2024-12-30', '{week}');
TABLE week_h;

CREATE TABLE person (zip text, age int, job text);
INSERT INTO person VALUES ('47906', 20, 'nurse'), ('47905', 21, 'nurse'), ('479', 25, 'smith'), (NULL, 30, NULL);
SELECT anonopt.create_mask_hierarchy('zip_h', 'person', 'zip');
SELECT * FROM zip_h ORDER BY value COLLATE "C";
SELECT anonopt.create_mask_hierarchy('"Zip x"', 'person', 'zip', 'x');
SELECT level3 FROM "Zip x" ORDER BY 1;
SELECT anonopt.create_quantile_hierarchy('quart_h', 'person', 'age', '{4,2}');
SELECT * FROM quart_h ORDER BY 1;

CREATE TABLE edges (child text, parent text);
INSERT INTO edges VALUES ('nurse', 'care'), ('doctor', 'care'), ('care', 'services'), ('smith', 'crafts'),
	('crafts', 'any'), ('services', 'any'), ('unemployed', 'any');
SELECT anonopt.create_tree_hierarchy('job_h', 'edges');
SELECT * FROM job_h ORDER BY 1;

-- values: in any type, NULL, as text where the leaf is no text
SELECT anonopt.generalize(7, 'age_h', 1), anonopt.generalize(7.0, 'age_h', 1), anonopt.generalize('7', 'age_h', 2),
	anonopt.generalize(7::float8, 'age_h', 3), anonopt.generalize(NULL::int, 'age_h', 1), anonopt.generalize(NULL::int, 'age_h', 3);
SELECT anonopt.generalize(12.5, 'income_h', 0), anonopt.generalize(100, 'income_h', 1), anonopt.generalize('99.99', 'income_h', 2);
SELECT anonopt.generalize('nurse', 'job_h', g), anonopt.generalize('nurse'::varchar, 'job_h', g),
	anonopt.generalize('unemployed'::name, 'job_h', g) FROM generate_series(0, 3) g;
SELECT anonopt.generalize(date '2024-02-29', 'day_h', 2), anonopt.generalize('2024-03-01', 'day_h', 1);
SELECT anonopt.generalize('47906', 'zip_h', NULL), anonopt.generalize('47906', NULL, 1);
SELECT anonopt.generalize('nobody', 'job_h', 1);
SELECT anonopt.generalize('NaN'::float8, 'income_h', 1);
SELECT anonopt.generalize(20, 'age_h', 4);
SELECT anonopt.generalize(7, 'age_h', 4);
SELECT anonopt.generalize('seven', 'age_h', 1);
SELECT anonopt.generalize(true, 'age_h', 1);

-- a change is visible at once, even within one function
CREATE FUNCTION labels_around_a_change() RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE found text[];
BEGIN
	FOR i IN 1..3 LOOP
		found := found || anonopt.generalize('smith', 'job_h', 1);
		UPDATE job_h SET level1 = 'crafts ' || i WHERE value = 'smith';
	END LOOP;
	BEGIN
		UPDATE job_h SET level1 = 'undone' WHERE value = 'smith';
		found := found || anonopt.generalize('smith', 'job_h', 1);
		RAISE division_by_zero;
	EXCEPTION WHEN division_by_zero THEN
		found := found || anonopt.generalize('smith', 'job_h', 1);
	END;
	RETURN found;
END $$;
SELECT labels_around_a_change();

-- every fault at once
CREATE TABLE bad_h (v text, l1 text, l2 text, l3 text);
INSERT INTO bad_h VALUES ('a', 'x', 'p', '*'), ('b', 'x', 'q', '*'), ('c', 'y', 'q', '#'), ('a', 'x', 'p', '*'),
	('d', NULL, 'q', '*'), (NULL, 'z', 'q', '*'), (NULL, 'z', 'q', '*');
SELECT * FROM anonopt.check_hierarchy('bad_h');
SELECT * FROM anonopt.check_hierarchy('job_h');
CREATE TABLE bad_ranges (r int4range, l1 text);
INSERT INTO bad_ranges VALUES ('[0,10)', '*'), ('[5,6)', '*'), ('[8,20)', '*'), ('[20,30)', '*'), ('empty', '*');
SELECT * FROM anonopt.check_hierarchy('bad_ranges');
SELECT anonopt.generalize('b', 'bad_h', 1);

-- what builders refuse
SELECT anonopt.create_interval_hierarchy('age_h', 0, 9, '{5}');
SELECT anonopt.create_interval_hierarchy('no.such.name.at.all', 0, 9, '{5}');
SELECT anonopt.create_interval_hierarchy('nowhere.h', 0, 9, '{5}');
SELECT anonopt.create_interval_hierarchy('h', 0.5, 9, '{5}');
SELECT anonopt.create_interval_hierarchy('h', 9, 0, '{5}');
SELECT anonopt.create_interval_hierarchy('h', 0, 'Infinity', '{5}');
SELECT anonopt.create_interval_hierarchy('h', 0, 1e12, '{5}');
SELECT anonopt.create_interval_hierarchy('h', 0, 9, '{5,7}');
SELECT anonopt.create_interval_hierarchy('h', 0, 9, '{10,5}');
SELECT anonopt.create_interval_hierarchy('h', 0, 9, '{5,NULL}');
SELECT anonopt.create_interval_hierarchy('h', 0, 9, '{NaN}');
SELECT anonopt.create_range_hierarchy('h', 0, 9, 0, '{5}');
SELECT anonopt.create_range_hierarchy('h', 0, 9, 2, '{5}');
SELECT anonopt.create_date_hierarchy('h', '2024-01-01', '2023-01-01', '{week}');
SELECT anonopt.create_date_hierarchy('h', '2024-01-01', 'infinity', '{week}');
SELECT anonopt.create_date_hierarchy('h', '2024-01-01', '2024-01-02', '{week,month}');
SELECT anonopt.create_date_hierarchy('h', '2024-01-01', '2024-01-02', '{year,month}');
SELECT anonopt.create_date_hierarchy('h', '2024-01-01', '2024-01-02', '{fortnight}');
SELECT anonopt.create_mask_hierarchy('h', 'person', 'no_such');
SELECT anonopt.create_mask_hierarchy('h', 'person', 'zip', '**');
SELECT anonopt.create_quantile_hierarchy('h', 'person', 'age', '{4,3}');
SELECT anonopt.create_quantile_hierarchy('h', 'person', 'age', '{0}');
CREATE TABLE bad_edges (child text, parent text);
SELECT anonopt.create_tree_hierarchy('h', 'bad_edges');
INSERT INTO bad_edges VALUES ('a', 'b'), ('b', 'c'), ('c', 'a'), ('d', 'e');
SELECT anonopt.create_tree_hierarchy('h', 'bad_edges');
TRUNCATE bad_edges;
INSERT INTO bad_edges VALUES ('a', 'b'), ('a', 'c');
SELECT anonopt.create_tree_hierarchy('h', 'bad_edges');
TRUNCATE bad_edges;
INSERT INTO bad_edges VALUES (NULL, 'b');
SELECT anonopt.create_tree_hierarchy('h', 'bad_edges');
SELECT to_regclass('h') AS nothing_is_left, current_setting('search_path') AS unchanged;
