-- The objects for the calls of test/fuzz/run: data sets small and large, sound and not, and
-- relations of every kind. Every value of fuzz.forbidden begins with "forbidden-" and must never
-- be shown to fuzz_guest, who may not read it.

SET client_min_messages = error;
CREATE EXTENSION btree_gist;
CREATE EXTENSION anonopt;
CREATE EXTENSION postgres_fdw;
CREATE SCHEMA fuzz;
GRANT ALL ON SCHEMA fuzz TO PUBLIC;
ALTER DATABASE :"DBNAME" SET search_path = fuzz;
SET search_path = fuzz;

-- How much work of a processor this session has had; 0 where the system does not tell.
CREATE FUNCTION seconds_worked() RETURNS float8 LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
	SELECT coalesce(sum(ticks[i]::float8) / 100, 0)
	FROM unnest(ARRAY[12, 13]) i, string_to_array(substring(pg_read_file('/proc/self/stat', 0, 10000, true) FROM '.*\) (.*)'), ' ') ticks
$$;

-- Called if a name is spliced into SQL; its trace is not rolled back.
CREATE SEQUENCE canary;
GRANT ALL ON SEQUENCE canary TO PUBLIC;

-- Hierarchies ---------------------------------------------------------------

SELECT anonopt.create_interval_hierarchy('ages', 0, 99, '{5,10,50}'), anonopt.create_interval_hierarchy('one', 1, 1, '{}'),
	anonopt.create_range_hierarchy('pays', 0, 100, 5, '{25,50}'), anonopt.create_date_hierarchy('days', '2024-01-01', '2024-03-01', '{month,quarter}'),
	anonopt.create_interval_hierarchy('hundred_thousand', 1, 100000, '{10,1000,50000}');
CREATE TABLE towns (town text UNIQUE, region text, country text, anything text);
INSERT INTO towns VALUES ('Aix', 'south', 'F', '*'), ('Nice', 'south', 'F', '*'), ('Lille', 'north', 'F', '*'),
	('', 'north', 'F', '*'), ('it''s "odd", \{}', 'west', 'B', '*'), (repeat('long', 300), 'west', 'B', '*'), (NULL, 'unknown', 'unknown', '*');
CREATE TABLE illnesses (illness text PRIMARY KEY, kind text, anything text);
INSERT INTO illnesses SELECT 'ill ' || i, 'kind ' || i / 3, '*' FROM generate_series(0, 8) i;
CREATE TABLE floats (f float8 UNIQUE, sign text, anything text);
INSERT INTO floats VALUES (0, 'none', '*'), (-1e308, 'minus', '*'), (1e308, 'plus', '*'), (4.9e-324, 'plus', '*'), ('Infinity', 'plus', '*'), ('-Infinity', 'minus', '*');
CREATE TABLE forest (n int, half text, third text);
INSERT INTO forest SELECT i, (i % 6)::text, (i % 3)::text FROM generate_series(0, 20) i;
CREATE TABLE infinite (r daterange, era text, anything text);
INSERT INTO infinite VALUES ('(,2000-01-01)', 'old', '*'), ('[2000-01-01,2024-02-01)', 'new', '*'), ('[2024-02-01,)', 'now', '*');
CREATE TABLE tall AS SELECT i AS c0, 'a' || i / 2 AS c1, 'b' || i / 4 AS c2, 'c' || i / 8 AS c3, 'd' || i / 16 AS c4, 'e' || i / 32 AS c5, 'f' || i / 64 AS c6, '*'::text AS c7
	FROM generate_series(0, 127) i;

CREATE TABLE unsound_twice (v int, a text);
INSERT INTO unsound_twice VALUES (1, '*'), (1, '*'), (2, '*');
CREATE TABLE unsound_nest (v text, a text, b text);
INSERT INTO unsound_nest VALUES ('a', 'x', 'y'), ('b', 'x', 'z'), ('c', NULL, 'z');
CREATE TABLE unsound_ranges (v int4range, a text);
INSERT INTO unsound_ranges VALUES ('[0,50)', 'low'), ('[40,100)', 'high'), ('empty', 'none'), ('empty', 'nothing');
CREATE TABLE unsound_empty (v int, a text);
CREATE TABLE unsound_levels (v int, a text, b int, c float8);
INSERT INTO unsound_levels SELECT i, i::text, i / 2, 'NaN' FROM generate_series(0, 99) i;
CREATE TABLE no_columns ();
INSERT INTO no_columns DEFAULT VALUES;
CREATE TABLE only_leaf (v int);
INSERT INTO only_leaf SELECT generate_series(0, 99);
CREATE TABLE multirange (v nummultirange, a text);
INSERT INTO multirange VALUES ('{[0,1),[5,6)}', '*');
CREATE TABLE edges (child text, parent text);
INSERT INTO edges VALUES ('a', 'b'), ('c', 'b'), ('b', 'd'), ('e', 'd');
CREATE TABLE circle (child text, parent text);
INSERT INTO circle VALUES ('a', 'b'), ('b', 'c'), ('c', 'a'), ('x', 'x'), (NULL, 'a'), ('y', NULL);
CREATE TABLE weights (illness text, weight float8);
INSERT INTO weights VALUES ('ill 0', 0), ('ill 1', 1e308), ('ill 2', 4.9e-324), ('ill 3', 1);
CREATE TABLE weights_unsound (illness text, weight float8);
INSERT INTO weights_unsound VALUES ('ill 0', -1), ('ill 1', 'NaN'), ('ill 2', 'Infinity'), ('ill 2', NULL);
CREATE TABLE town_weights AS SELECT town, row_number() OVER () / 3.0 AS weight FROM towns;

-- Relations -----------------------------------------------------------------

CREATE TABLE people (id int PRIMARY KEY, age int, town text, pay numeric, day date, ill text, paid boolean, f float8, people int);
INSERT INTO people SELECT i, i * 7 % 40, (ARRAY['Aix', 'Nice', 'Lille', '', NULL])[1 + i % 5], i * 3 % 60 + 0.5, date '2024-01-01' + i % 9,
	'ill ' || i % 4, i % 3 = 0, (ARRAY[0, -1e308, 1e308, 4.9e-324, 'Infinity'])[1 + i % 5], 1 + i % 3 FROM generate_series(1, 40) i;
CREATE TABLE nobody (LIKE people);
CREATE TABLE single (id int, age int, town text, ill text);
INSERT INTO single VALUES (1, 1, 'Aix', 'ill 0');
CREATE TABLE nulls (id int, age int, town text, ill text);
INSERT INTO nulls SELECT FROM generate_series(1, 6);
CREATE TABLE strays (id int, age int, town text, f float8, pay float8);
INSERT INTO strays VALUES (1, -1, 'Atlantis', 'NaN', 'NaN'), (2, 2147483647, 'Aix', '-Infinity', 'Infinity'), (3, 4, 'Nice', '-0', -0.0);
CREATE TABLE counted (id bigint, age int, ill text, n bigint);
INSERT INTO counted VALUES (1, 5, 'ill 0', 4611686018427387904), (2, 6, 'ill 1', 4611686018427387903), (3, 7, 'ill 0', 1);
CREATE TABLE counted_wrongly (id bigint, age int, ill text, n numeric);
INSERT INTO counted_wrongly VALUES (1, 5, 'ill 0', -1), (2, 6, 'ill 1', 'NaN'), (3, 7, NULL, NULL), (4, 8, 'ill 2', 1e30), (5, 8, 'ill 2', 0);
CREATE TABLE too_many (id int, age int, n bigint);
INSERT INTO too_many SELECT i, i, 9223372036854775807 FROM generate_series(1, 4) i;
CREATE TABLE forbidden (id text, age int, town text, ill text);
INSERT INTO forbidden SELECT 'forbidden-' || i, i % 50, 'forbidden-town ' || i % 5, 'forbidden-ill ' || i % 5 FROM generate_series(1, 20) i;
CREATE TABLE forbidden_towns AS SELECT DISTINCT town, 'forbidden-region'::text AS region, '*'::text AS anything FROM forbidden;
CREATE TABLE "odd ""table""; SELECT nextval('canary')--" ("it's ""odd""" int, "SELECT" text, "a""||nextval('canary')||""" text);
INSERT INTO "odd ""table""; SELECT nextval('canary')--" SELECT i % 20, 'Aix', 'ill 1' FROM generate_series(1, 9) i;
SELECT format('CREATE TABLE wide (id int, %s)', string_agg(format('q%s int', i), ', ')) FROM generate_series(1, 70) i \gexec
SELECT format('INSERT INTO wide SELECT n, %s FROM generate_series(1, 12) n', string_agg(format('(n * %s) %% 10', i), ', ')) FROM generate_series(1, 70) i \gexec
CREATE TABLE large AS SELECT i AS id, i * 37 % 100000 + 1 AS n, i % 128 AS c0, 'ill ' || i % 4 AS ill FROM generate_series(1, 2000) i;
CREATE TABLE parts (id int, age int, town text, ill text) PARTITION BY LIST (town);
CREATE TABLE parts_aix PARTITION OF parts FOR VALUES IN ('Aix');
CREATE TABLE parts_else PARTITION OF parts DEFAULT;
INSERT INTO parts SELECT id, age, town, ill FROM people;
CREATE VIEW a_view AS SELECT id, age, town, ill FROM people;
CREATE VIEW failing AS SELECT id, age / (id - id) AS age, town, ill FROM people;
CREATE MATERIALIZED VIEW snapshot AS SELECT id, age, town, ill FROM people;
CREATE SERVER nowhere FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '/nonexistent');
CREATE USER MAPPING FOR PUBLIC SERVER nowhere OPTIONS (user 'nobody');
CREATE FOREIGN TABLE elsewhere (id int, age int, town text, ill text) SERVER nowhere;
CREATE TYPE composite AS (age int, town text);
CREATE INDEX an_index ON people (age);
CREATE TABLE secured (id int, age int, town text, ill text);
INSERT INTO secured SELECT id, age, town, ill FROM people;
ALTER TABLE secured ENABLE ROW LEVEL SECURITY;
CREATE POLICY even ON secured USING (id % 2 = 0);
CREATE TABLE types (id int, j jsonb, js json, x xml, p point, b bytea, a int[], r int4range, u uuid, o oid, c composite, n name, i interval, e "char", bits varbit, m money, t tsvector);
INSERT INTO types SELECT i, '{"a":1}', '{}', NULL, '(1,2)', '\x00', '{1,2}', '[1,2)', NULL, i, '(1,2)', 'x', '1 day', 'x', B'101', '1', 'a' FROM generate_series(1, 4) i;
-- a server built without libxml does not accept values of type xml
DO $$ BEGIN UPDATE types SET x = '<a/>'; EXCEPTION WHEN feature_not_supported THEN NULL; END $$;
CREATE TABLE things AS SELECT NULL::int AS dropped, i AS age, 'Aix'::text AS town, 'ill 1'::text AS ill FROM generate_series(1, 9) i;
ALTER TABLE things DROP COLUMN dropped;

-- Data sets -----------------------------------------------------------------

CREATE FUNCTION declare(dataset text, relation regclass, quasi_identifiers text[], sensitive name, limit_ float8) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
	PERFORM anonopt.create_dataset(dataset, relation, limit_);
	FOR i IN 1 .. COALESCE(array_length(quasi_identifiers, 1), 0) LOOP
		PERFORM anonopt.add_quasi_identifier(dataset, quasi_identifiers[i][1]::name, quasi_identifiers[i][2]::regclass);
	END LOOP;
	IF sensitive IS NOT NULL THEN
		PERFORM anonopt.add_sensitive(dataset, sensitive);
	END IF;
END $$;

SELECT declare('people', 'people', '{{age,ages},{town,towns},{day,days}}', 'ill', 0.1),
	declare('pays', 'people', '{{pay,pays},{day,infinite},{f,floats}}', 'ill', 0),
	declare('one', 'people', '{{age,ages}}', NULL, 1),
	declare('nobody', 'nobody', '{{age,ages},{town,towns}}', 'ill', 0.1),
	declare('single', 'single', '{{age,one},{town,towns}}', 'ill', 0),
	declare('nulls', 'nulls', '{{age,ages},{town,towns}}', 'ill', 0.5),
	declare('strays', 'strays', '{{age,ages},{f,floats}}', NULL, 0),
	declare('stray pays', 'strays', '{{pay,pays}}', 'f', 0),
	declare('forbidden', 'forbidden', '{{age,ages},{town,forbidden_towns}}', 'ill', 0.1),
	declare('wide', 'wide', ARRAY(SELECT ARRAY['q' || i, 'ages'] FROM generate_series(1, 64) i), 'q70', 0),
	declare('large', 'large', '{{n,hundred_thousand},{c0,tall}}', 'ill', 0.01),
	declare('parts', 'parts', '{{age,ages},{town,towns}}', 'ill', 0.2),
	declare('a view', 'a_view', '{{age,ages},{town,towns}}', 'ill', 0.2),
	declare('failing', 'failing', '{{age,ages}}', 'ill', 0.2),
	declare('snapshot', 'snapshot', '{{age,ages},{town,towns}}', 'ill', 0.2),
	declare('elsewhere', 'elsewhere', '{{age,ages},{town,towns}}', 'ill', 0.2),
	declare('secured', 'secured', '{{age,ages},{town,towns}}', 'ill', 0.2),
	declare('forest', 'large', '{{c0,tall}}', 'ill', 0.2),
	declare('no role', 'people', '{}', NULL, 0),
	declare('things', 'things', '{{age,ages},{town,towns}}', 'ill', 0);
SELECT anonopt.create_dataset('odd', 'fuzz."odd ""table""; SELECT nextval(''canary'')--"', 0.1),
	anonopt.add_quasi_identifier('odd', 'it''s "odd"', 'ages', 1e308), anonopt.add_quasi_identifier('odd', 'SELECT', 'towns', 4.9e-324, 1, 2),
	anonopt.add_sensitive('odd', 'a"||nextval(''canary'')||"', 'hierarchical', 'illnesses');
SELECT anonopt.create_dataset(name, 'counted', 0, NULL, 'n'), anonopt.add_quasi_identifier(name, 'age', 'ages', 3),
	anonopt.add_sensitive(name, 'ill', 'hierarchical', 'illnesses') FROM unnest('{counted}'::text[]) name;
SELECT anonopt.create_dataset('counted wrongly', 'counted_wrongly', 0, NULL, 'n'), anonopt.add_quasi_identifier('counted wrongly', 'age', 'ages');
SELECT anonopt.create_dataset('too many', 'too_many', 0, NULL, 'n'), anonopt.add_quasi_identifier('too many', 'age', 'ages');
SELECT anonopt.set_class_label('people', 'paid'), anonopt.set_identifier('people', 'id'), anonopt.add_sensitive('people', 'pay', 'ordered'),
	anonopt.set_sensitivity('people', 'town', 'town_weights'), anonopt.set_class_label('parts', 'ill');
-- read from stores: a current and an outdated one
CREATE TABLE counted_as_written AS SELECT id, age, town, ill FROM people;
CREATE TABLE counted_once AS SELECT id, age, town, ill FROM people;
SELECT declare('tracked', 'counted_as_written', '{{age,ages},{town,towns}}', 'ill', 0.2), declare('behind', 'counted_once', '{{age,ages},{town,towns}}', 'ill', 0.2);
SELECT anonopt.create_tuple_store('tracked', track => true), anonopt.create_tuple_store('behind');
UPDATE counted_as_written SET age = age + 1 WHERE id < 5;
INSERT INTO counted_as_written VALUES (41, 3, NULL, 'ill 7');
DELETE FROM counted_once WHERE id < 5;
-- declared as they were, before they changed
CREATE TABLE gone (id int, age int); CREATE TABLE changed (id int, age int, ill text); CREATE TABLE shrunk (id int, age int, ill text);
CREATE TABLE later_unsound (v int, a text); CREATE TABLE later_gone (v int, a text); CREATE TABLE later_higher (v int, a text);
INSERT INTO later_unsound VALUES (1, '*'); INSERT INTO later_gone VALUES (1, '*'); INSERT INTO later_higher VALUES (1, '*');
INSERT INTO changed VALUES (1, 1, 'x'); INSERT INTO shrunk VALUES (1, 1, 'x');
SELECT declare('gone', 'gone', '{{age,ages}}', NULL, 0), declare('changed', 'changed', '{{age,ages}}', 'ill', 0), declare('shrunk', 'shrunk', '{{age,ages}}', 'ill', 0),
	declare('later unsound', 'single', '{{age,later_unsound}}', NULL, 0), declare('later gone', 'single', '{{age,later_gone}}', NULL, 0), declare('later higher', 'single', '{{age,later_higher}}', NULL, 0);
DROP TABLE gone, later_gone;
ALTER TABLE changed ALTER age TYPE text; ALTER TABLE shrunk DROP ill;
INSERT INTO later_unsound VALUES (1, '*');
ALTER TABLE later_higher ADD higher text;

SELECT anonopt.publish_table('released', 'people', '{2,2,2}', k => 2), anonopt.create_view('released_view', 'snapshot', '{2,2}', k => 2),
	anonopt.create_view('released_live', 'one', '{3}', k => 2, materialized => false);

-- Rights of fuzz_guest: everything except fuzz.forbidden, and its own data sets.
GRANT SELECT ON ALL TABLES IN SCHEMA fuzz TO fuzz_guest;
REVOKE ALL ON forbidden, forbidden_towns, released, released_view, released_live FROM fuzz_guest;
SET ROLE fuzz_guest;
CREATE TABLE mine AS SELECT id, age, town, ill FROM people;
CREATE TABLE my_towns AS SELECT * FROM towns;
SELECT declare('mine', 'mine', '{{age,ages},{town,my_towns}}', 'ill', 0.2);
RESET ROLE;

-- Facts about them for the generator
-- ---------------------------------------------

CREATE TABLE context AS
SELECT d.dataset, c.relation, a.columns, a.heights, array_fill(1, ARRAY[COALESCE(cardinality(a.heights), 0)]) AS bits, t.columns AS table_columns
FROM anonopt.dataset d
CROSS JOIN LATERAL (SELECT d.relation::text AS relation) c
CROSS JOIN LATERAL (SELECT array_agg(column_name::text ORDER BY ordinal) AS columns, array_agg(n::int - 1 ORDER BY ordinal) AS heights
	FROM anonopt.attribute q CROSS JOIN LATERAL (SELECT count(*) AS n FROM pg_attribute p WHERE p.attrelid = q.hierarchy AND p.attnum > 0 AND NOT p.attisdropped) h
	WHERE q.dataset = d.dataset AND q.role = 'quasi_identifier') a
CROSS JOIN LATERAL (SELECT array_agg(attname::text ORDER BY attnum) AS columns FROM pg_attribute p WHERE p.attrelid = d.relation AND p.attnum > 0 AND NOT p.attisdropped) t;
-- the boundaries between the leaves, which data may add to by a NULL
DO $$
DECLARE
	q record;
	n bigint;
BEGIN
	FOR q IN SELECT a.*, row_number() OVER (PARTITION BY a.dataset ORDER BY ordinal) AS nth FROM anonopt.attribute a
		JOIN pg_class ON oid = hierarchy WHERE role = 'quasi_identifier' LOOP
		EXECUTE format('SELECT count(*) - 1 FROM %s', q.hierarchy) INTO n;
		UPDATE context SET bits[q.nth] = n WHERE dataset = q.dataset;
	END LOOP;
END $$;
ANALYZE;
