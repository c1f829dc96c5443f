-- One of each thing that is declared, stored or published; what is kept here must last.
CREATE EXTENSION anonopt;
CREATE TABLE people AS SELECT i AS nr, i * 7 % 40 AS age, (ARRAY['111', '112', '121', '2'])[1 + i % 4] AS zip,
	(ARRAY['flu', 'cold', 'gout'])[1 + i * i % 3] AS illness FROM generate_series(1, 300) i;
ALTER TABLE people ADD PRIMARY KEY (nr);
CREATE TABLE words AS SELECT age, zip FROM people WHERE nr % 3 > 0;
CREATE TABLE weights AS SELECT '111'::text AS value, 2.0::float8 AS weight;
CREATE TABLE illnesses (value text PRIMARY KEY, kind text, anything text);
INSERT INTO illnesses VALUES ('flu', 'infection', '*'), ('cold', 'infection', '*'), ('gout', 'other', '*');
SELECT anonopt.create_interval_hierarchy('ages', 0, 39, '{5,20}'), anonopt.create_mask_hierarchy('zips', 'people', 'zip');
SELECT anonopt.create_dataset('people', 'people', 0.1, person => 'nr'), anonopt.add_quasi_identifier('people', 'age', 'ages', 2.5),
	anonopt.add_quasi_identifier('people', 'zip', 'zips', 1, 1), anonopt.set_sensitivity('people', 'zip', 'weights'),
	anonopt.add_sensitive('people', 'illness', 'hierarchical', 'illnesses'), anonopt.set_identifier('people', 'nr');
CREATE TABLE counted AS TABLE people;
SELECT anonopt.create_dataset('counted', 'counted'), anonopt.add_quasi_identifier('counted', 'age', 'ages'),
	anonopt.add_sensitive('counted', 'illness'), anonopt.create_tuple_store('counted', track => true);
SELECT anonopt.create_dataset('some', 'people'), anonopt.add_quasi_identifier('some', 'age', 'ages'), anonopt.add_sensitive('some', 'illness');
SELECT anonopt.create_view('seen', 'people', '{2,2}', k => 2, l => 2), anonopt.publish_table('shown', 'people', '{1,3}', k => 2, t => 0.9),
	anonopt.publish_table('starred', 'some', '{1}', k => 2, suppressed => 'star'), anonopt.publish_records('records', 'some', 1, 'nr', k => 1),
	anonopt.create_view('live', 'some', '{2}', k => 2, materialized => false);
SELECT anonopt.create_recoding('classes', 'some', k => 3, seed => 1);
SELECT anonopt.create_view('recoded_seen', 'some', k => 2, recoding => 'classes'), anonopt.publish_table('recoded_shown', 'some', k => 2, recoding => 'classes', labels => 'range'),
	anonopt.create_view('recoded_live', 'some', k => 2, materialized => false, recoding => 'classes');
INSERT INTO people VALUES (301, 3, '111', 'flu'), (302, 3, '111', 'cold');
SELECT anonopt.refresh_release('seen'), anonopt.refresh_release('shown'), anonopt.refresh_release('records'), anonopt.refresh_release('recoded_seen');
SELECT anonopt.create_dataset('promised', 'people', 0.2), anonopt.add_quasi_identifier('promised', 'age', 'ages'), anonopt.add_quasi_identifier('promised', 'zip', 'zips'),
	anonopt.add_sensitive('promised', 'illness'), anonopt.set_class_label('promised', 'illness'), anonopt.set_pseudonym('promised', 'nr', 'a secret of thirty-two bytes, or so');
SELECT anonopt.add_promise('promised', 'k', 3), anonopt.add_promise('promised', 'recursive_l', 2, 'illness', c => 3), anonopt.add_promise('promised', 'alpha', 0.9, 'illness'),
	anonopt.add_promise('promised', 'k_map', 2, population => 'words');
SELECT anonopt.publish_table('pseudonymous', 'promised', '{2,2}');
