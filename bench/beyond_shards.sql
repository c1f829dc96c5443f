-- beyond_shards.sql: how many rows travel from shards, beside the distinct
-- tuples that there are on each; and what one that travels costs
--
-- The shards are databases of this server without the extension: they transfer
-- the same rows, and do the same work, as remote ones.

CREATE EXTENSION postgres_fdw;
CREATE TABLE everybody (id int, a int, b int, c text, d int, e int) PARTITION BY RANGE (id);
SELECT split_part(current_setting('unix_socket_directories'), ',', 1) AS socket, current_setting('port') AS port,
	current_database() AS here, :middle AS rows, :tuples AS tuples \gset
SET client_min_messages = warning;
SELECT format('DROP DATABASE IF EXISTS %I', :'here' || '_' || i) FROM generate_series(1, 2) AS i \gexec
SELECT format('CREATE DATABASE %I', :'here' || '_' || i) FROM generate_series(1, 2) AS i \gexec
SELECT format('CREATE SERVER shard_%s FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host %L, port %L, dbname %L, async_capable ''true'', fetch_size ''10000'')',
	i, :'socket', :'port', :'here' || '_' || i) FROM generate_series(1, 2) AS i \gexec
SELECT format('CREATE USER MAPPING FOR CURRENT_USER SERVER shard_%s', i) FROM generate_series(1, 2) AS i \gexec
SELECT format('CREATE FOREIGN TABLE in_shard_%1$s PARTITION OF everybody FOR VALUES FROM (%2$s) TO (%3$s) SERVER shard_%1$s OPTIONS (table_name ''crowd'')',
	i, i * 100000000::bigint, (i + 1) * 100000000::bigint) FROM generate_series(1, 2) AS i \gexec
CREATE FOREIGN TABLE each_elsewhere (a int, b int, c int, d int) SERVER shard_1 OPTIONS (table_name 'each');


-- each shard has its own 30,000 tuples
\set shard 1
SELECT :'here' || '_1' AS database \gset
\connect :database
\ir beyond_shard.sql
\set shard 2
SELECT :'here' || '_2' AS database \gset
\connect :database
\ir beyond_shard.sql
\connect :here

SELECT anonopt.create_dataset('everybody', 'everybody'), anonopt.create_dataset('each elsewhere', 'each_elsewhere');
SELECT anonopt.add_quasi_identifier('everybody', each, CASE each WHEN 'c' THEN 'beyond_letters' ELSE 'beyond_hundred' END::regclass)
FROM unnest('{a,b,c,d,e}'::name[]) AS each;
SELECT anonopt.add_quasi_identifier('each elsewhere', each, 'beyond_hundred') FROM unnest('{a,b,c,d}'::name[]) AS each;
ANALYZE in_shard_1, in_shard_2, each_elsewhere;

-- The number of rows that foreign scans returned.
CREATE FUNCTION travelled(statement text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT json) ' || statement INTO plan;
	RETURN (SELECT sum((node->>'Actual Rows')::bigint)
		FROM jsonb_path_query(plan, 'strict $.** ? (@."Node Type" == "Foreign Scan")') AS node);
END $$;
INSERT INTO bench.result (measurement, ours, ours_is, beside, beside_is, side_unit, figure, unit, target)
SELECT format('rows that travel, of %s on two shards', bench.number(2 * :rows)), travelled, 'travel', tuples, 'distinct on each',
	'rows', travelled::float8 / tuples, '×', 1.1
FROM travelled(anonopt.read_sql('everybody')) AS travelled,
	(SELECT sum(n) AS tuples FROM (SELECT count(*) AS n FROM (SELECT DISTINCT a, b, c, d, e FROM in_shard_1) AS one
		UNION ALL SELECT count(*) FROM (SELECT DISTINCT a, b, c, d, e FROM in_shard_2) AS two) AS either) AS there;

SELECT set_config('max_parallel_workers_per_gather', '0', false);
CALL bench.alternate(format('reading %s rows of two shards', bench.number(2 * :rows)),
	'group_by', $q$SET anonopt.read_mode = auto; SELECT * FROM anonopt.evaluate('everybody', '{2,2,1,2,2}')$q$,
	'every row', $q$SET anonopt.read_mode = aggregate; SELECT * FROM anonopt.evaluate('everybody', '{2,2,1,2,2}')$q$, :few_times, NULL);
RESET anonopt.read_mode;
SET anonopt.memory = '2GB';
CALL measure_alone(format('a tuple that travels, of %s', bench.number(:tuples)),
	$q$SELECT * FROM anonopt.evaluate('each elsewhere', '{2,2,2,2}')$q$, :tuples, 'ns', :few_times);
INSERT INTO bench.result (measurement, ours, ours_is, beside, beside_is, side_unit, figure, unit)
SELECT 'a row on a shard, while the other works', read.ours, 'both', travel, 'to travel', 'ms', (read.ours - travel) * 1e6 / :rows, 'ns'
FROM bench.result AS read, (SELECT figure / 1e6 * 60000 AS travel FROM bench.result WHERE measurement LIKE 'a tuple that travels%') AS there
WHERE read.measurement LIKE 'reading % rows of two shards';
SELECT format('DROP DATABASE %I WITH (FORCE)', :'here' || '_' || i) FROM generate_series(1, 2) AS i \gexec
