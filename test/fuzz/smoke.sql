-- Every function that users call, once or twice on a few rows: for valgrind.
\set ON_ERROR_STOP on
\o /dev/null
SET client_min_messages = error;
-- the loader of compiled expressions reads beyond what valgrind knows of
SET jit = off;
CREATE EXTENSION IF NOT EXISTS btree_gist;
CREATE EXTENSION IF NOT EXISTS anonopt;

CREATE TABLE people (id int PRIMARY KEY, age int, town text, pay numeric, day date, ill text, paid boolean);
INSERT INTO people SELECT i, i * 7 % 20, (ARRAY['Aix', 'Nice', 'Lille', 'Lens', NULL])[1 + i % 5], i * 3 % 60 + 0.5, date '2024-01-01' + i % 9,
	'ill ' || i % 4, i % 3 = 0 FROM generate_series(1, 30) i;
CREATE TABLE edges (child text, parent text);
INSERT INTO edges VALUES ('Aix', 'south'), ('Nice', 'south'), ('Lille', 'north'), ('Lens', 'north'), ('south', '*'), ('north', '*');

-- hierarchies
SELECT anonopt.create_interval_hierarchy('ages', 0, 19, '{5,10}'), anonopt.create_range_hierarchy('pays', 0, 100, 25, '{50}'),
	anonopt.create_mask_hierarchy('masks', 'people', 'town'), anonopt.create_date_hierarchy('days', '2024-01-01', '2024-02-01', '{month,quarter}'),
	anonopt.create_quantile_hierarchy('quantiles', 'people', 'age', '{4,2}'), anonopt.create_tree_hierarchy('towns', 'edges');
SELECT anonopt.create_top_coded_hierarchy('coded', 0, 19, 15, 5, '{4}'), anonopt.create_top_coded_hierarchy('coded_ranges', 0, 19, 15, step => 0.5),
	anonopt.create_rounding_hierarchy('rounded', 0, 19, '{5,25}'), anonopt.create_rounding_hierarchy('rounded_ranges', 0, 19, '{0.5,5}', true),
	anonopt.create_frequency_hierarchy('frequent', 'people', 'town', 2), anonopt.create_prefix_hierarchy('prefixes', 'people', 'town', '{2,1}', 'i'),
	anonopt.create_csv_hierarchy('csv', E'1;"a;"";";*\r\n2;b;*\n1;"a;"";";*', type => 'integer'),
	anonopt.create_date_hierarchy('hours', '2024-01-01', '2024-01-08', '{hour,day,weekday}');
INSERT INTO edges VALUES ('south', 'north');
SELECT anonopt.check_hierarchy('edges');
SELECT anonopt.generalize(age, 'ages', 1), anonopt.generalize(town, 'towns', 1), anonopt.generalize('3', 'pays', 1) FROM people;

-- declarations
SELECT anonopt.create_dataset('people', 'people', 0.2, 'id');
SELECT anonopt.add_quasi_identifier('people', 'age', 'ages'), anonopt.add_quasi_identifier('people', 'town', 'towns', 2),
	anonopt.add_quasi_identifier('people', 'pay', 'pays'), anonopt.add_sensitive('people', 'ill', 'ordered'), anonopt.set_class_label('people', 'paid'),
	anonopt.set_insensitive('people', 'day'), anonopt.set_identifier('people', 'id');
CREATE TABLE weights AS SELECT age, age / 10.0 AS weight FROM generate_series(0, 19) age;
SELECT anonopt.set_owner_sensitivity('people', 'age', 'pay'), anonopt.set_owner_sensitivity('people', 'age', NULL);
SELECT anonopt.set_sensitivity('people', 'age', 'weights'), anonopt.drop_attribute('people', 'id', 'identifier');
SELECT anonopt.auto_dataset('auto', 'people', '{age,town,day}');
SELECT anonopt.describe('people'), anonopt.read_sql('people');
SELECT anonopt.create_dataset('passing', 'people'), anonopt.drop_dataset('passing');
CREATE TABLE moving AS TABLE people;
SELECT anonopt.create_dataset('moving', 'moving');
DROP TABLE moving;
CREATE TABLE moving AS TABLE people;
SELECT anonopt.move_dataset('moving', 'moving'), anonopt.drop_dataset('moving');

-- measures
SELECT anonopt.evaluate('people', '{{0,0,0},{1,1,1},{2,2,2}}', 2, 2, 0.5), anonopt.lattice('people'), anonopt.lattice_size('people'),
	anonopt.evaluate_cuts('people', ARRAY[repeat('01', 9) || '0', '1010', '010']::varbit[]), anonopt.node_detail('people', '{1,1,1}'),
	anonopt.suppressed_classes('people', '{1,1,1}', 3, 2);
SET anonopt.read_mode = group_by;
SELECT anonopt.evaluate('people', '{1,2,1}', t => 0.4);
RESET anonopt.read_mode;
SELECT anonopt.k_anonymity('people', '{age,town}'), anonopt.l_diversity('people', '{age,town}', 'ill'), anonopt.entropy_l_diversity('people', '{age,town}', 'ill'),
	anonopt.t_closeness('people', '{age}', 'town', 'hierarchical', 'towns'), anonopt.risk('people', '{age,town}');

-- recodings
SELECT anonopt.create_recoding('recoded', 'people', k => 2, seed => 1), anonopt.create_recoding('hasty', 'people', k => 2, l => 2, time_limit => '1 us');
SELECT anonopt.evaluate_recoding('people', 'recoded', k => 2), anonopt.recoding_classes('people', 'recoded'), anonopt.recoding_refinement('people', 'recoded', 'range'),
	anonopt.recoding_curve('people', '{2,3}'), anonopt.recoding_curve('people', '{2}', 'cm', 'range');
-- not beside those, because what returns one value is called again for each of their rows
SELECT anonopt.extend_recoding('recoded', 'people', k => 2), anonopt.recoding_bound('people', 2), anonopt.recoding_bound('people', 3, 'nwp', 'range', '1 s'),
	anonopt.create_recoding('proven', 'people', k => 2, proof => '1 s');
SELECT anonopt.property_vector('people', NULL, 'loss', 'id', recoding => 'recoded'), anonopt.property_vector('people', NULL, 'class_size', 'id',
		cuts => ARRAY[repeat('01', 9) || '0', '1010', '010']::varbit[]), anonopt.compare('people', 'recoded'::regclass, 'recoded'),
	anonopt.compare('people', '{1,1,1}', 'recoded', '{class_size,loss,sensitive_count}', 'range');

-- tuple stores
SELECT anonopt.create_dataset('stored', 'people'), anonopt.create_dataset('counted', 'people');
SELECT anonopt.add_quasi_identifier(d, 'age', 'ages'), anonopt.add_quasi_identifier(d, 'town', 'towns'), anonopt.add_sensitive(d, 'ill')
FROM unnest('{stored,counted}'::text[]) d;
SELECT anonopt.create_tuple_store('stored'), anonopt.create_tuple_store('counted', track => true);
SELECT anonopt.evaluate(d, '{1,1}') FROM unnest('{stored,counted}'::text[]) d;
UPDATE people SET age = age + 1 WHERE id % 7 = 0 AND age < 19;
SELECT anonopt.evaluate(d, '{1,1}') FROM unnest('{stored,counted}'::text[]) d;
SELECT anonopt.refresh_tuple_store('stored'), anonopt.evaluate('stored', '{1,1}');
SELECT anonopt.drop_tuple_store('stored'), anonopt.drop_tuple_store('counted'), anonopt.drop_dataset('stored'), anonopt.drop_dataset('counted');

-- calls anonopt.released_rows
SELECT anonopt.create_view('people_filled', 'people', '{1,1,1}', k => 1);
REFRESH MATERIALIZED VIEW people_filled;
SELECT anonopt.drop_release('people_filled');

CREATE TABLE people_of_now AS SELECT age, ill FROM people;
SELECT anonopt.create_dataset('now', 'people_of_now', 0.2), anonopt.add_quasi_identifier('now', 'age', 'ages');
-- calls anonopt.released_rows
SELECT anonopt.create_view('people_now', 'now', '{1}', k => 1, materialized => false);
SELECT count(*) FROM people_now;
SELECT anonopt.drop_release('people_now'), anonopt.drop_dataset('now');

-- searches
SELECT anonopt.pareto('people'), anonopt.pareto('people', '{k,t,cm,sum_l}', 2, time_limit => '1 min'), anonopt.optimize('people', 3, 2, 0.6),
	anonopt.poka('people'), anonopt.pbg_ea('people', '{k,glm,sum_k}', NULL, 6, 5, seed => 1, local_search => 0.5), anonopt.last_search();
SELECT anonopt.archive_quality('people', '{k,glm}', '{{2,2,2},{1,1,1}}'), anonopt.box_archive('{{1,2},{2,1},{3,3}}', '{0.5,0.5}');
TABLE anonopt.progress;
SELECT anonopt.achievement(0.1, 0.2, 0.3, 0.4), anonopt.efficiency('people', 1, 0.1, 0.1);
SELECT anonopt.nsga2('people', 2, 0.1, 0.2, 6, 60, seed => 1), anonopt.nsga2('people', 2, 0.1, 0.2, 6, 60, seed => 1, taxonomy => true),
	anonopt.reference_direction('people', 2, '{0,1}', '{0.5,0.5}', 2, 6, 30, seed => 1);

SELECT anonopt.achievement_of('{0.1,0.2,0.3}', '{0.2,0.2,0.2}'), anonopt.hypervolume('people', '{k,glm}', '{{2,2,2},{1,1,1}}'),
	anonopt.igd_plus('people', '{k,glm}', '{{2,2,2},{1,1,1}}'), anonopt.p_rank_order(1, 2, 0.5), anonopt.set_dominance('{better,equal}');

-- promises
SELECT anonopt.add_promise('people', 'alpha', 0.9, 'ill'), anonopt.add_promise('people', 'entropy_l', 1.1, 'ill');
SELECT anonopt.policy_check('people'), anonopt.evaluate('people', '{2,2,2}');
SELECT anonopt.privacy_parameters(1, 1e-6);
SELECT anonopt.drop_promise('people', 'alpha', 'ill'), anonopt.drop_promise('people', 'entropy_l', 'ill');

-- records
SELECT g.* FROM anonopt.aruba('people', 2, key => 'id') a, anonopt.unpack(a.generalized) AS g (age text, town text, pay text);
SELECT anonopt.btda('people', 2, 'identity', 'leaves'), anonopt.aruba_budget('people', 0.3, utility => 'log_leaves'), anonopt.aruba_balance('people', 0.1, 'entropy'),
	anonopt.aruba('people', 1, dictionary => 'people', similarity => 0.8), anonopt.jaro('martha', 'marhta');
SELECT anonopt.record_walk('aruba', '{{1,2},{3,4}}', '{{0,1},{1,2}}', 1), anonopt.record_walk('btda', '{{1,2},{3,4}}', '{{0,1},{1,2}}', 1);

-- comparisons
SELECT anonopt.property_vector('people', '{1,1,1}', 'class_size', 'id'),
	anonopt.compare('people', '{1,1,1}', '{2,1,0}', '{class_size,loss,utility,sensitive_count,others_count}');
SELECT * FROM anonopt.tournament('people', '{{1,1,1},{2,1,0},{0,1,2}}', 'class_size', 'p_hv');
SELECT * FROM anonopt.tournament_of('people', '{{1,1,1},{2,1,0},{0,1,2}}', '{class_size,loss}', 'p_cov', '{1,2}');
SELECT anonopt.p_rank(id, 30), anonopt.p_cov(id, age), anonopt.p_spr(id, age), anonopt.p_hv(id, age + 1), anonopt.ln_p_hv(id, age + 1),
	anonopt.p_hv_order(id, age), anonopt.p_binary(id, age), anonopt.dominance(id, age) FROM people;
SELECT anonopt.p_wtd('{1,2}', '{0.5,0.5}'), anonopt.p_lex('{1,2}', '{1,3}', '{0.1,0.1}'), anonopt.p_goal('{1,2}', '{2,2}');

-- releases
SELECT anonopt.publish_table('shown', 'people', '{2,2,1}', k => 2), anonopt.create_view('shown_view', 'people', '{2,1,2}', k => 2, l => 2),
	anonopt.view_sql('shown_sql', 'people', cuts => ARRAY[repeat('0', 9) || '1' || repeat('0', 9), '0000', '010']::varbit[], k => 2);
SELECT anonopt.publish_records('shown_records', 'people', 1, 'id', 1);
SELECT anonopt.utility('people', 'shown', 20), anonopt.release_distribution('people', 'shown');
SELECT anonopt.verify('shown'), anonopt.release_risk('people'), anonopt.attack('shown'), anonopt.attack('shown', 1),
	anonopt.attack('people', quasi_identifiers => '{age,town}', sensitive => '{ill}', known => '{town,ill}');
SELECT anonopt.refresh_release('shown'), anonopt.evidence('shown', 'ema', 'x');
SELECT anonopt.republish('shown', '{2,2,2}', k => 2);
SELECT anonopt.create_dataset('keyed', 'people', 0.5);
SELECT anonopt.add_quasi_identifier('keyed', 'age', (SELECT hierarchy FROM anonopt.attribute WHERE dataset = 'people' AND column_name = 'age' AND hierarchy IS NOT NULL LIMIT 1)),
	anonopt.set_pseudonym('keyed', 'id', 'sixteen bytes and more');
SELECT anonopt.publish_table('shown_keyed', 'keyed', '{2}', k => 2);
SELECT anonopt.suggest_quasi_identifiers('people');
SELECT anonopt.front_svg('people', '{k,glm}', recodings => true), anonopt.report('keyed');
SELECT anonopt.publish_codebook('shown_codes', 'shown');
SELECT anonopt.refresh_release('shown', hold_back => true);
SELECT anonopt.drop_release('shown_view');
SELECT anonopt.publish_table('tried', 'people', '{2,2,2}', k => 2, columns_as => 'bounds');
SELECT anonopt.forget_release('tried');
CREATE TABLE other_people AS TABLE people;
SELECT anonopt.same_people('people', 'other_people');
SELECT anonopt.extend_hierarchy('ages');

-- tuple stores
SELECT anonopt.create_tuple_store('people', track => true);
UPDATE people SET town = 'Aix' WHERE id = 1;
SELECT count(*) FROM anonopt.lattice('people');
SELECT anonopt.refresh_tuple_store('people'), anonopt.drop_tuple_store('people');

-- in workers
-- which is force_parallel_mode up to PostgreSQL 15
SELECT name AS parallel_mode FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query') \gset
SET :parallel_mode = regress;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT anonopt.k_anonymity('people', '{age,town}'), count(*) FROM anonopt.lattice('people');
SELECT count(anonopt.generalize(age, 'ages', 1)) FROM people;
