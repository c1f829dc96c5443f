-- citus.sql: tables that Citus distributes, beside their own GROUP BY, and
-- whether grouping them was the right choice
--
-- Run it in a database of a coordinator that has workers, after lib.sql:
--
--   psql -v ON_ERROR_STOP=1 -v large=10000000 -v few_times=5 -f bench/lib.sql -f bench/citus.sql -f bench/report.sql
--
-- crowd    :large rows: 524,288 tuples of age and zip, 65,536 of age and region
-- cycle    a tenth of them, loaded in order: 20,000 tuples
-- unlike   300,000 rows that all differ

SET client_min_messages = warning;
CREATE TABLE crowd (id int, age int, zip int, region int);
CREATE TABLE cycle (id int, age int, nr int);
CREATE TABLE unlike (id int, age int, nr int);
SELECT create_distributed_table(name, 'id', shard_count => 4) FROM unnest('{crowd,cycle,unlike}'::text[]) AS name;
INSERT INTO crowd SELECT i, (i::bigint * 7919 % 128)::int, (i::bigint * 104729 / 128 % 4096)::int, (i::bigint * 104729 / 128 % 512)::int
FROM generate_series(1, :large) AS i;
INSERT INTO cycle SELECT i, i % 100, i / 100 % 200 FROM generate_series(1, :large / 10) AS i;
INSERT INTO unlike SELECT i, i % 100, i / 100 FROM generate_series(1, 300000) AS i;
VACUUM ANALYZE crowd, cycle, unlike;

SELECT anonopt.create_interval_hierarchy('of_ages', 0, 127, '{4,16,64}'), anonopt.create_interval_hierarchy('of_zips', 0, 4095, '{16,256}'),
	anonopt.create_interval_hierarchy('of_regions', 0, 511, '{8,64}'), anonopt.create_interval_hierarchy('of_numbers', 0, 3000, '{10,100}');
SELECT anonopt.create_dataset('524,288 tuples', 'crowd'), anonopt.create_dataset('65,536 tuples', 'crowd'),
	anonopt.create_dataset('20,000 tuples in order', 'cycle'), anonopt.create_dataset('300,000 rows that differ', 'unlike');
SELECT anonopt.add_quasi_identifier(dataset, 'age', 'of_ages') FROM anonopt.dataset;
SELECT anonopt.add_quasi_identifier('524,288 tuples', 'zip', 'of_zips'), anonopt.add_quasi_identifier('65,536 tuples', 'region', 'of_regions'),
	anonopt.add_quasi_identifier('20,000 tuples in order', 'nr', 'of_numbers'), anonopt.add_quasi_identifier('300,000 rows that differ', 'nr', 'of_numbers');
\ir citus_times.sql
