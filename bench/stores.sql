-- stores.sql: a tuple store beside a table of its distinct tuples, and what it costs to write
--
-- pareto() with a tracked store of the large table stands beside pareto() of a
-- table that has each distinct tuple once, with a count column.  Writing is
-- INSERT, in one statement and row by row, into the same table with its
-- triggers and into one without; the inserts are rolled back.

CREATE TABLE stay (id int, age int, place int, month int, cost int);
INSERT INTO stay SELECT i, hashint4(i) & 63, hashint4(i + 1) & 31, hashint4(i + 2) & 7, hashint4(i + 3) & 3 FROM generate_series(1, :stored) i;
CREATE TABLE free_stay (LIKE stay);
INSERT INTO free_stay TABLE stay;
CREATE TABLE stay_tuple AS SELECT age, place, month, cost, count(*) AS people FROM stay GROUP BY age, place, month, cost;
VACUUM ANALYZE stay, free_stay, stay_tuple;

SELECT anonopt.create_interval_hierarchy('stay_ages', 0, 63, '{4,16}'), anonopt.create_interval_hierarchy('stay_places', 0, 31, '{2,8}'),
	anonopt.create_interval_hierarchy('stay_months', 0, 7, '{2,4}');
SELECT anonopt.create_dataset('stays', 'stay'), anonopt.create_dataset('stay tuples', 'stay_tuple', count_column => 'people');
SELECT anonopt.add_quasi_identifier(d, 'age', 'stay_ages'), anonopt.add_quasi_identifier(d, 'place', 'stay_places'),
	anonopt.add_quasi_identifier(d, 'month', 'stay_months'), anonopt.add_sensitive(d, 'cost')
FROM unnest('{stays,stay tuples}'::text[]) d;
SELECT anonopt.create_tuple_store('stays', track => true);
SELECT problem IS NULL AS current FROM anonopt.describe('stays') WHERE role = 'tuple_store' \gset
\if :current
\else
	\warn 'the tuple store is not current'
\endif

SELECT bench.number(:stored) AS people \gset
CALL bench.alternate('pareto from a tuple store, ' || :'people' || ' rows', 'the store', $$ SELECT count(*) FROM anonopt.pareto('stays') $$,
	'its tuples', $$ SELECT count(*) FROM anonopt.pareto('stay tuples') $$, :times, 2);
CALL bench.alternate('pareto from a tuple store or from ' || :'people' || ' rows', 'the store', $$ SELECT count(*) FROM anonopt.pareto('stays') $$,
	'every row', $$ DO 'BEGIN
		PERFORM set_config(''anonopt.read_mode'', ''aggregate'', true);
		PERFORM FROM anonopt.pareto(''stays'');
		PERFORM set_config(''anonopt.read_mode'', ''auto'', true);
	END' $$,
	:few_times, NULL);

-- Writes, and rolls back
CREATE FUNCTION insert_rows(relation regclass, n int, statements int) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1..statements LOOP
		EXECUTE format('INSERT INTO %s SELECT i, i & 63, i & 31, i & 7, i & 3 FROM generate_series(1, $1) i', relation) USING n / statements;
	END LOOP;
	RAISE EXCEPTION USING ERRCODE = 'P0099';
EXCEPTION WHEN SQLSTATE 'P0099' THEN
	NULL;
END $$;

CALL bench.alternate('INSERT of 100,000 rows into a tracked table', 'tracked', $$ SELECT insert_rows('stay', 100000, 1) $$,
	'not', $$ SELECT insert_rows('free_stay', 100000, 1) $$, :times, NULL);
CALL bench.alternate('10,000 INSERTs of a row into a tracked table', 'tracked', $$ SELECT insert_rows('stay', 10000, 10000) $$,
	'not', $$ SELECT insert_rows('free_stay', 10000, 10000) $$, :times, NULL);
