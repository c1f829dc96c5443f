-- The statement that reads a data set says the same whatever session runs it, as that of a shard does:
-- every cast in it depends on the data set's zone and on no setting.
\i test/pgtap/begin.inc
SELECT plan(14);

CREATE TABLE seen (id int, moment timestamptz, stamp timestamp, day date, amount numeric, share float8, ratio float4, small int2,
	word text, name varchar(20), code char(4), mood text);
INSERT INTO seen SELECT i, '2026-03-08 00:00+00'::timestamptz + i * interval '37 minutes', '2026-03-07 20:00'::timestamp + i * interval '37 minutes',
	'2026-03-07'::date + i / 40, i / 7::numeric, i / 3::float8, i / 3::float4, i % 50, 'w' || i % 9, 'n' || i % 9, 'c' || i % 9, 'm' || i % 3
FROM generate_series(1, 200) AS i;

-- Leaves of every kind that a value of another type may lie in
CREATE TABLE by_day AS SELECT daterange('2026-03-05'::date + i, '2026-03-06'::date + i) AS leaf, 'all' AS l1 FROM generate_series(0, 20) AS i;
CREATE TABLE by_stamp AS SELECT tsrange('2026-03-05'::timestamp + i * interval '6 hours', '2026-03-05'::timestamp + (i + 1) * interval '6 hours') AS leaf, 'all' AS l1
	FROM generate_series(0, 60) AS i;
CREATE TABLE by_moment AS SELECT tstzrange('2026-03-05 00:00+00'::timestamptz + i * interval '6 hours', '2026-03-05 00:00+00'::timestamptz + (i + 1) * interval '6 hours') AS leaf,
	'all' AS l1 FROM generate_series(0, 60) AS i;
CREATE TABLE by_number AS SELECT numrange(10 * i, 10 * i + 10) AS leaf, 'all' AS l1 FROM generate_series(0, 30) AS i;
CREATE TABLE by_integer AS SELECT int4range(10 * i, 10 * i + 10) AS leaf, 'all' AS l1 FROM generate_series(0, 30) AS i;
CREATE TABLE by_word AS SELECT DISTINCT word AS leaf, 'all' AS l1 FROM seen UNION SELECT DISTINCT name, 'all' FROM seen UNION SELECT DISTINCT code::text, 'all' FROM seen;

-- The rows of a statement in a session with certain settings, as values and not as texts
CREATE FUNCTION rows_there(statement text, elsewhere boolean) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
BEGIN
	IF elsewhere THEN
		SET LOCAL timezone = 'Asia/Kolkata'; SET LOCAL datestyle = 'SQL, DMY'; SET LOCAL extra_float_digits = -5;
		SET LOCAL intervalstyle = 'sql_standard'; SET LOCAL bytea_output = 'escape';
	END IF;
	EXECUTE format('CREATE TEMP TABLE %I ON COMMIT DROP AS SELECT * FROM (%s) AS rows', CASE WHEN elsewhere THEN 'there' ELSE 'here' END, statement);
	GET DIAGNOSTICS n = ROW_COUNT;
	SET LOCAL timezone = 'UTC'; SET LOCAL datestyle = 'ISO, MDY'; SET LOCAL extra_float_digits = 1;
	RETURN n;
END $$;

CREATE FUNCTION says_the_same(columns name, leaves regclass) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	statement text;
	differences bigint;
	groups bigint;
BEGIN
	PERFORM anonopt.create_dataset('seen', 'seen', timezone => 'America/New_York');
	PERFORM anonopt.add_quasi_identifier('seen', columns, leaves);
	SET LOCAL anonopt.read_mode = 'group_by';
	statement := anonopt.read_sql('seen');
	groups := rows_there(statement, false);
	PERFORM rows_there(statement, true);
	EXECUTE 'SELECT count(*) FROM ((TABLE here EXCEPT ALL TABLE there) UNION ALL (TABLE there EXCEPT ALL TABLE here)) AS d' INTO differences;
	DROP TABLE here, there;
	PERFORM anonopt.drop_dataset('seen');
	RETURN is(differences, 0::bigint, format('%s by %s: %s groups anywhere', columns, leaves, groups));
END $$;

SELECT says_the_same(columns, leaves) FROM (VALUES ('moment'::name, 'by_day'::regclass), ('moment', 'by_stamp'), ('moment', 'by_moment'),
	('stamp', 'by_day'), ('stamp', 'by_stamp'), ('stamp', 'by_moment'), ('day', 'by_day'), ('day', 'by_stamp'), ('day', 'by_moment'),
	('amount', 'by_number'), ('share', 'by_number'), ('small', 'by_integer'), ('name', 'by_word'), ('code', 'by_word')) AS pairs (columns, leaves);

SELECT * FROM finish();
ROLLBACK;
