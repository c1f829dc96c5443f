-- Unusual arguments: each is understood, or the error names it.
SET search_path = public;
\set VERBOSITY sqlstate
CREATE TABLE arg_person (age int, town text);
INSERT INTO arg_person SELECT i % 8, 'T' || i % 2 FROM generate_series(1, 24) i;

-- arrays that begin elsewhere than at 1
SELECT anonopt.create_interval_hierarchy('arg_one', 0, 9, '{5}'), anonopt.create_interval_hierarchy('arg_other', 0, 9, '[-3:-3]={5}') \g /dev/null
SELECT count(*) AS differences FROM (TABLE arg_one EXCEPT TABLE arg_other) d;
DROP TABLE arg_one, arg_other;
SELECT anonopt.create_range_hierarchy('arg_one', 0, 9, 1, '{3,6}'), anonopt.create_range_hierarchy('arg_other', 0, 9, 1, '[7:8]={3,6}') \g /dev/null
SELECT count(*) AS differences FROM (TABLE arg_one EXCEPT TABLE arg_other) d;
DROP TABLE arg_one, arg_other;
SELECT anonopt.create_quantile_hierarchy('arg_one', 'arg_person', 'age', '{4,2}'), anonopt.create_quantile_hierarchy('arg_other', 'arg_person', 'age', '[0:1]={4,2}') \g /dev/null
SELECT count(*) AS differences FROM (TABLE arg_one EXCEPT TABLE arg_other) d;
DROP TABLE arg_one, arg_other;

SELECT anonopt.create_interval_hierarchy('arg_ages', 0, 7, '{}'), anonopt.create_dataset('arg', 'arg_person') \g /dev/null
SELECT anonopt.add_quasi_identifier('arg', 'age', 'arg_ages') \g /dev/null
BEGIN;
SELECT anonopt.publish_table('arg_release', 'arg', '{1}', k => 2, columns => '[0:0]={town}') \g /dev/null
SELECT town, count(*) FROM arg_release GROUP BY town ORDER BY town;
ROLLBACK;
SELECT anonopt.publish_records('arg_release', 'arg', 0, 'age', columns => '{town,NULL}');
SELECT anonopt.publish_records('arg_release', 'arg', 0, NULL);
SELECT anonopt.publish_records('arg_release', 'arg', 0, '');
SELECT anonopt.drop_dataset('arg') \g /dev/null
DROP TABLE arg_ages;

-- nothing that distinguishes people
SELECT anonopt.k_anonymity('arg_person', '{}');
SELECT anonopt.risk('arg_person', '{}');
SELECT anonopt.l_diversity('arg_person', '{}', 'town');

-- quantiles of a type without a min aggregate
ALTER TABLE arg_person ADD adult boolean;
UPDATE arg_person SET adult = age > 3;
SELECT anonopt.create_quantile_hierarchy('arg_one', 'arg_person', 'adult', '{2}') \g /dev/null
TABLE arg_one ORDER BY value;
DROP TABLE arg_one;

-- null, which describes nothing
\set VERBOSITY terse
SELECT anonopt.create_interval_hierarchy(NULL, 0, 9, '{5}');
SELECT anonopt.create_interval_hierarchy('arg_one', 0, 9, NULL);
SELECT anonopt.create_range_hierarchy('arg_one', 0, NULL, 1, '{5}');
SELECT anonopt.create_date_hierarchy('arg_one', '2000-01-01', '2000-12-31', NULL);
SELECT anonopt.create_top_coded_hierarchy('arg_one', NULL, 9, 5);
SELECT anonopt.create_rounding_hierarchy('arg_one', 0, 9, '{2}', NULL);
SELECT anonopt.create_mask_hierarchy('arg_one', 'arg_person', 'town', NULL);
SELECT anonopt.create_quantile_hierarchy('arg_one', NULL, 'age', '{4,2}');
SELECT anonopt.create_frequency_hierarchy('arg_one', 'arg_person', 'town', 5, other => NULL);
SELECT anonopt.create_prefix_hierarchy('arg_one', 'arg_person', NULL, '{1}');
SELECT anonopt.create_tree_hierarchy('arg_one', NULL);
SELECT anonopt.create_csv_hierarchy('arg_one', csv => NULL);
SELECT to_regclass('arg_one') IS NULL AS none_was_made;
\set VERBOSITY sqlstate

-- widths that nothing is a multiple of
SELECT anonopt.create_range_hierarchy('arg_one', 0, 10, 1, '{0,5}');

-- relations that do not exist, by OID
SELECT anonopt.check_hierarchy(1::oid::regclass);
SELECT anonopt.generalize('x'::text, 1::oid::regclass, 0);
SELECT anonopt.create_tree_hierarchy('arg_tree', 1::oid::regclass);
SELECT anonopt.suggest_quasi_identifiers(1::oid::regclass);
SELECT anonopt.suggest_quasi_identifiers(NULL);

-- names that nothing can have
SELECT anonopt.create_interval_hierarchy('""', 0, 9, '{5}');
SELECT anonopt.create_interval_hierarchy('', 0, 9, '{5}');

-- data sets that do not exist, or have nothing to generalize
SELECT anonopt.create_dataset('arg_nothing', 'arg_person') \g /dev/null
SELECT anonopt.publish_records('arg_release', 'arg_unknown', 0, 'age');
SELECT anonopt.publish_records('arg_release', 'arg_nothing', 0, 'age');
SELECT anonopt.drop_dataset('arg_nothing') \g /dev/null

-- numbers beyond what others show
SELECT v, anonopt.short_number(v), anonopt.tick_label(v) FROM unnest('{1e15,-2.5e15,1.7e308,Infinity,-Infinity,NaN}'::float8[]) v;
DROP TABLE arg_person;
