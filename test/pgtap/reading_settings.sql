-- The statement that reads a data set says the same whatever session runs it, as that of a shard does:
-- every cast in it depends on the data set's zone and on no setting.
\i test/pgtap/begin.inc
SELECT plan(28);

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

-- Moments are placed between instants, also where clocks go back over midnight, by half an hour, or by a whole day
CREATE FUNCTION places_moments(zone text, around timestamptz, leaf_type text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	local text := CASE leaf_type WHEN 'daterange' THEN 'date' ELSE 'timestamp' END;
	known bigint;
	found bigint[];
BEGIN
	EXECUTE format('CREATE TEMP TABLE moments ON COMMIT DROP AS SELECT m AS moment, (m AT TIME ZONE %L)::%s AS local FROM (
			SELECT $1 + i * interval ''29 seconds'' FROM generate_series(-400, 400) AS i UNION ALL SELECT $1 + i * interval ''7 hours'' FROM generate_series(-500, 500) AS i
			UNION ALL SELECT $1 + i * interval ''1 second'' FROM generate_series(-100, 100) AS i) AS all_of_them (m)', zone, local) USING around;
	EXECUTE format('CREATE TEMP TABLE leaves ON COMMIT DROP AS SELECT %s(d, d + interval ''1 day'') AS leaf, ''all'' AS l1
			FROM generate_series(%L::timestamp - interval ''200 days'', %2$L::timestamp + interval ''200 days'', ''1 day'') AS d', CASE leaf_type WHEN 'daterange' THEN 'pg_temp.days_of' ELSE leaf_type END,
		date_trunc('day', around AT TIME ZONE zone));
	EXECUTE format('SELECT count(DISTINCT leaf) FROM moments JOIN leaves ON leaf @> local') INTO known;
	PERFORM anonopt.create_dataset('moments', 'moments', 0, timezone => zone), anonopt.add_quasi_identifier('moments', 'moment', 'leaves'),
		anonopt.add_quasi_identifier('moments', 'local', 'leaves');
	SET LOCAL anonopt.read_mode = 'group_by';
	SELECT array_agg(classes) INTO found FROM anonopt.evaluate('moments', '{{0,0},{0,1},{1,0}}');
	SET LOCAL anonopt.read_mode = 'aggregate';
	SELECT found || array_agg(classes) INTO found FROM anonopt.evaluate('moments', '{{0,0},{0,1},{1,0}}');
	PERFORM anonopt.drop_dataset('moments');
	DROP TABLE moments, leaves;
	RETURN is(found, array_fill(known, '{6}'), format('%s around %s by %s', zone, around, leaf_type));
END $$;
CREATE FUNCTION pg_temp.days_of(a timestamp, b timestamp) RETURNS daterange LANGUAGE sql AS $$ SELECT daterange(a::date, b::date) $$;

SELECT places_moments(zone, around, leaf_type) FROM (VALUES ('America/New_York', '2026-11-01 06:00+00'::timestamptz), ('America/St_Johns', '1988-10-30 01:31+00'),
	('Australia/Lord_Howe', '2026-04-04 15:00+00'), ('Pacific/Apia', '2011-12-30 10:00+00'), ('America/Sao_Paulo', '2018-02-18 02:00+00'),
	('Africa/Monrovia', '1972-01-07 00:44:30+00'), ('Europe/Amsterdam', '1937-07-01 00:00+00')) AS zones (zone, around), (VALUES ('daterange'), ('tsrange')) AS types (leaf_type);

SELECT * FROM finish();
ROLLBACK;
