-- publishing.sql: the cost of a promise when publishing or reading a release
--
-- Each is compared with the same generalization by hand, which consists of
-- joins only.

-- The joins of a node of an adult data set
CREATE FUNCTION joined_adult(node int[]) RETURNS text
LANGUAGE sql AS $$
	SELECT format('SELECT %s, r.occupation FROM adult r%s',
		string_agg(format('h%s.%s AS %I', ordinal, CASE node[ordinal] WHEN 0 THEN 'leaf' ELSE 'level' || node[ordinal] END, name),
			', ' ORDER BY ordinal),
		string_agg(format(' JOIN adult_%s h%s ON h%2$s.leaf = r.%1$I', name, ordinal), '' ORDER BY ordinal))
	FROM quasi_identifier
$$;

-- A live view, read to its end

SELECT levels AS node FROM anonopt.optimize('adult_sensitive', k => 5) \gset
SELECT levels AS node_l FROM anonopt.optimize('adult_sensitive', k => 5, l => 3) \gset
SET client_min_messages = error;
SELECT anonopt.create_view('live_k', 'adult_sensitive', :'node', k => 5, materialized => false),
	anonopt.create_view('live_l', 'adult_sensitive', :'node_l', k => 5, l => 3, materialized => false);
RESET client_min_messages;
CALL bench.alternate('a live view of 30,162 rows', 'view', 'SELECT * FROM live_k',
	'joins', joined_adult(:'node'), :times, 3);
CALL bench.alternate('a live view of 30,162 rows, with l', 'view', 'SELECT * FROM live_l',
	'joins', joined_adult(:'node_l'), :times, 4);
SELECT anonopt.drop_release('live_k'), anonopt.drop_release('live_l');

-- A large table, published as a table: five columns of unevenly distributed
-- people, with as much memory as for building an index on such a table

SET maintenance_work_mem = '1GB';
SET anonopt.memory = '1GB';

CREATE TABLE people (age int NOT NULL, sex text NOT NULL, region text NOT NULL, born_in text NOT NULL, job text NOT NULL,
	illness text NOT NULL) WITH (autovacuum_enabled = false);
SELECT setseed(0.5);
INSERT INTO people
SELECT 99 * random() * random(), CASE WHEN random() < 0.5 THEN 'female' ELSE 'male' END,
	lpad((99 * random() ^ 3)::int::text, 2, '0'), 'country ' || (11 * random() ^ 4)::int, 'job ' || (11 * random() ^ 2)::int,
	'illness ' || (40 * random())::int
FROM generate_series(1, :large);

CREATE TABLE people_sex (sex text PRIMARY KEY, anybody text NOT NULL);
INSERT INTO people_sex VALUES ('female', '*'), ('male', '*');
SELECT anonopt.create_interval_hierarchy('people_age', 0, 99, '{5,10,20,40}'),
	anonopt.create_mask_hierarchy('people_region', 'people', 'region');
CREATE TABLE people_born_in (country text PRIMARY KEY, continent text NOT NULL, anywhere text NOT NULL);
INSERT INTO people_born_in SELECT 'country ' || c, 'continent ' || c / 3, '*' FROM generate_series(0, 11) AS c;
CREATE TABLE people_job (job text PRIMARY KEY, trade text NOT NULL, anything text NOT NULL);
INSERT INTO people_job SELECT 'job ' || j, 'trade ' || j / 3, '*' FROM generate_series(0, 11) AS j;
VACUUM ANALYZE people;
ANALYZE people_age, people_sex, people_region, people_born_in, people_job;

SELECT anonopt.create_dataset('people', 'people'), anonopt.add_sensitive('people', 'illness'),
	anonopt.add_quasi_identifier('people', 'age', 'people_age'), anonopt.add_quasi_identifier('people', 'sex', 'people_sex'),
	anonopt.add_quasi_identifier('people', 'region', 'people_region'),
	anonopt.add_quasi_identifier('people', 'born_in', 'people_born_in'), anonopt.add_quasi_identifier('people', 'job', 'people_job');

CREATE TABLE published_in (promise text, ours_ms float8, beside_ms float8);

-- Each in its own transaction, so that disk space is freed. Earlier releases
-- are deleted, because they would count towards the risk of the next.
CREATE PROCEDURE time_publishing(promise text, times int, ours text, beside text)
LANGUAGE plpgsql AS $$
DECLARE
	ours_ms float8;
BEGIN
	FOR i IN 1..times LOOP
		ours_ms := bench.milliseconds(ours);
		DROP TABLE people_ours;
		TRUNCATE anonopt.published, anonopt.published_content;
		COMMIT;
		INSERT INTO published_in VALUES (promise, ours_ms, bench.milliseconds(beside));
		DROP TABLE people_beside;
		COMMIT;
	END LOOP;
END $$;

SELECT 'CREATE TABLE people_beside AS SELECT h1.level2 AS age, r.sex, h3.level1 AS region, h4.continent AS born_in,'
	' h5.trade AS job, r.illness FROM people r JOIN people_age h1 ON h1.value = r.age JOIN people_sex h2 ON h2.sex = r.sex'
	' JOIN people_region h3 ON h3.value = r.region JOIN people_born_in h4 ON h4.country = r.born_in'
	' JOIN people_job h5 ON h5.job = r.job' AS beside \gset
CALL time_publishing('', :few_times, 'SELECT anonopt.publish_table(''people_ours'', ''people'', ''{2,0,1,1,1}'', k => 5)', :'beside');
CALL time_publishing(', with l', :few_times, 'SELECT anonopt.publish_table(''people_ours'', ''people'', ''{2,0,1,1,1}'', k => 5, l => 3)',
	:'beside');

INSERT INTO bench.result (measurement, ours, ours_is, beside, beside_is, side_unit, figure, unit, target)
SELECT format('publishing %s rows%s', bench.number(:large), promise), bench.median(array_agg(ours_ms)), 'publish_table',
	bench.median(array_agg(beside_ms)), 'joins', 'ms', bench.median(array_agg(ours_ms)) / bench.median(array_agg(beside_ms)), '×',
	CASE promise WHEN '' THEN 1.5 ELSE 1.6 END
FROM published_in GROUP BY promise ORDER BY promise;
DROP TABLE people;
