-- A table that changes: new values, NULLs and days, growing hierarchies, changing
-- promises.
\pset null NULL
CREATE SCHEMA living;
SET search_path = living, public;

-- one time zone per data set, whoever asks
CREATE TABLE stay AS SELECT i AS id, timestamptz '2024-01-01 20:00+00' + (i % 10) * interval '12 hours' AS came, 'd' || i % 4 AS diagnosis
	FROM generate_series(1, 2000) i;
CREATE TABLE day (held daterange, month text, anything text, EXCLUDE USING gist (held WITH &&));
INSERT INTO day SELECT daterange(d::date, d::date + 1), to_char(d, 'YYYY-MM'), '*' FROM generate_series(date '2023-12-01', date '2024-02-29', interval '1 day') d;
SELECT anonopt.create_dataset('stays', 'stay'), anonopt.create_dataset('stays in Tokyo', 'stay', timezone => 'Asia/Tokyo') \g /dev/null
SELECT anonopt.add_quasi_identifier(d, 'came', 'day'), anonopt.add_sensitive(d, 'diagnosis') FROM unnest('{stays,stays in Tokyo}'::text[]) d \g /dev/null
SELECT anonopt.create_dataset('nowhere', 'stay', timezone => 'Nowhere/Land');
SELECT anonopt.create_dataset('nowhere', 'stay', timezone => 'MET');
SELECT anonopt.create_dataset('nowhere', 'stay', timezone => NULL);
SET timezone = 'America/New_York';
SELECT (SELECT array_agg(n ORDER BY d) FROM (SELECT (came AT TIME ZONE 'UTC')::date AS d, count(*) AS n FROM stay GROUP BY 1) x) AS utc,
	(SELECT array_agg(n ORDER BY d) FROM (SELECT (came AT TIME ZONE 'Asia/Tokyo')::date AS d, count(*) AS n FROM stay GROUP BY 1) x) AS tokyo;
SELECT k, classes FROM anonopt.evaluate('stays', '{0}');
SELECT k, classes FROM anonopt.evaluate('stays in Tokyo', '{0}');
SELECT anonopt.publish_table('stay_table', 'stays in Tokyo', '{0}', k => 2), anonopt.create_view('stay_view', 'stays in Tokyo', '{0}', k => 2) \g /dev/null
SET client_min_messages = error;
SELECT anonopt.create_view('stay_live', 'stays in Tokyo', '{0}', k => 2, materialized => false) \g /dev/null
RESET client_min_messages;
SELECT came, count(*) FROM stay_table GROUP BY came ORDER BY came;
SELECT count(*) FROM ((TABLE stay_table EXCEPT ALL TABLE stay_live) UNION ALL (TABLE stay_live EXCEPT ALL TABLE stay_table)
	UNION ALL (TABLE stay_table EXCEPT ALL TABLE stay_view) UNION ALL (TABLE stay_view EXCEPT ALL TABLE stay_table)) x;
SET timezone = 'Asia/Tokyo';
SET datestyle = 'ISO, YMD';
REFRESH MATERIALIZED VIEW stay_view;
SELECT came, count(*) FROM stay_view GROUP BY came ORDER BY came;
SELECT column_name, observed, timezone FROM anonopt.describe('stays in Tokyo');
SELECT column_name FROM anonopt.auto_dataset('stays by themselves', 'stay', '{came}');
SELECT anonopt.publish_table('stay_alone', 'stays by themselves', '{1}', k => 2) \g /dev/null
RESET timezone;
RESET datestyle;

-- t along leaves that are timestamps
CREATE TABLE moment AS SELECT DISTINCT came, to_char(came AT TIME ZONE 'Asia/Tokyo', 'DD') AS day, '*' AS anything FROM stay;
ALTER TABLE moment ADD PRIMARY KEY (came);
SELECT anonopt.create_mask_hierarchy('diagnoses', 'stay', 'diagnosis') \g /dev/null
SELECT anonopt.create_dataset('moments', 'stay', 0.2, timezone => 'Asia/Tokyo'), anonopt.add_quasi_identifier('moments', 'diagnosis', 'diagnoses'),
	anonopt.add_sensitive('moments', 'came', 'hierarchical', 'moment') \g /dev/null
SET client_min_messages = error;
SELECT anonopt.publish_table('moment_table', 'moments', '{0}', k => 2, t => 1) \g /dev/null
RESET client_min_messages;
SELECT v.ok, v.t = (SELECT t FROM anonopt.evaluate('moments', '{0}')) AS same FROM anonopt.verify('moment_table') v;
SELECT anonopt.drop_release('moment_table'), anonopt.drop_dataset('moments') \g /dev/null

-- hierarchies grow
CREATE TABLE person AS SELECT i AS id, 20 + i % 4 AS age, (ARRAY['a', 'b', 'c', 'd'])[1 + i / 4 % 4] AS town, 'x' || i % 3 AS illness FROM generate_series(0, 799) i;
SELECT anonopt.create_interval_hierarchy('age', 20, 23, '{2}') \g /dev/null
CREATE TABLE town (town text PRIMARY KEY, county text, anywhere text);
INSERT INTO town VALUES ('a', 'A', '*'), ('b', 'A', '*'), ('c', 'C', '*'), ('d', 'C', '*');
SELECT anonopt.create_dataset('people', 'person', 0.1), anonopt.add_quasi_identifier('people', 'age', 'age'),
	anonopt.add_quasi_identifier('people', 'town', 'town'), anonopt.add_sensitive('people', 'illness') \g /dev/null
SET client_min_messages = error;
SELECT anonopt.publish_table('people_table', 'people', '{1,0}', k => 5) \g /dev/null
SELECT anonopt.create_view('people_view', 'people', '{1,0}', k => 5) \g /dev/null
SELECT anonopt.create_view('people_cut', 'people', cuts => ARRAY[B'010', B'100'], k => 5) \g /dev/null
SELECT anonopt.create_view('people_live', 'people', '{1,0}', k => 5, materialized => false) \g /dev/null
RESET client_min_messages;
CREATE ROLE regress_reader;
GRANT USAGE ON SCHEMA living TO regress_reader;
GRANT SELECT ON people_table, people_view, people_cut TO regress_reader;
CREATE VIEW counts AS SELECT (SELECT count(*) FROM people_table) AS in_table, (SELECT count(*) FROM people_view) AS in_view, (SELECT count(*) FROM people_cut) AS in_cut;
CREATE INDEX ON people_view (town);
TABLE counts;
INSERT INTO person SELECT 1000 + i, 20 + i % 4, 'e', 'x' || i % 3 FROM generate_series(0, 199) i;
SELECT anonopt.refresh_release('people_view');
INSERT INTO town VALUES ('e', 'C', '*');
SET client_min_messages = error;
SELECT anonopt.refresh_release(r) FROM unnest('{people_table,people_view}'::regclass[]) r \g /dev/null
RESET client_min_messages;
TABLE counts;
SELECT anonopt.refresh_release('people_cut');
SELECT town, count(*) FROM people_view GROUP BY town ORDER BY town;
SELECT count(*) FROM ((TABLE people_table EXCEPT ALL TABLE people_live) UNION ALL (TABLE people_live EXCEPT ALL TABLE people_table)) x;
-- the definition follows
REFRESH MATERIALIZED VIEW people_view;
SELECT count(*) FROM ((TABLE people_table EXCEPT ALL TABLE people_view) UNION ALL (TABLE people_view EXCEPT ALL TABLE people_table)) x;
-- a first NULL
INSERT INTO person SELECT 2000 + i, 20 + i % 4, NULL, 'x' || i % 3 FROM generate_series(0, 199) i;
SET client_min_messages = error;
SELECT anonopt.refresh_release(r) FROM unnest('{people_table,people_view}'::regclass[]) r \g /dev/null
RESET client_min_messages;
SELECT town, count(*) FROM people_view GROUP BY town ORDER BY town;
REFRESH MATERIALIZED VIEW people_view;
SELECT count(*) FROM ((TABLE people_table EXCEPT ALL TABLE people_view) UNION ALL (TABLE people_view EXCEPT ALL TABLE people_table)) x;
SELECT k, ok FROM anonopt.verify('people_table');
-- also where cuts were made before there was one
CREATE TABLE guest AS SELECT i, (ARRAY['a', 'b', 'c', 'd'])[1 + i % 4] AS town, 'x' || i % 3 AS illness FROM generate_series(0, 79) i;
SELECT anonopt.create_dataset('guests', 'guest', 0.1), anonopt.add_quasi_identifier('guests', 'town', 'town') \g /dev/null
SELECT anonopt.publish_table('guests_cut', 'guests', cuts => ARRAY[B'0100'], k => 5), anonopt.create_view('guests_seen', 'guests', cuts => ARRAY[B'0100'], k => 5) \g /dev/null
INSERT INTO guest SELECT i, NULL, 'x' FROM generate_series(100, 139) i;
SET client_min_messages = error;
SELECT anonopt.refresh_release(r) FROM unnest('{guests_cut,guests_seen}'::regclass[]) r \g /dev/null
RESET client_min_messages;
REFRESH MATERIALIZED VIEW guests_seen;
SELECT town, count(*), (SELECT count(*) FROM guests_seen s WHERE s.town IS NOT DISTINCT FROM c.town) FROM guests_cut c GROUP BY town ORDER BY town;
-- existing leaves must keep their labels, or the refresh fails
UPDATE town SET county = 'A' WHERE town = 'e';
SELECT anonopt.refresh_release('people_table');
SELECT ok FROM anonopt.verify('people_table');
UPDATE town SET county = 'C' WHERE town = 'e';
SELECT ok FROM anonopt.verify('people_table');
DELETE FROM town WHERE town = 'e';
SELECT anonopt.refresh_release('people_view');
INSERT INTO town VALUES ('e', 'C', '*');

-- another promise, another generalization, the same relation
CREATE TABLE oids AS SELECT 'people_table'::regclass::oid AS t, 'people_view'::regclass::oid AS v, 'people_live'::regclass::oid AS l, 'people_cut'::regclass::oid AS c;
SET client_min_messages = error;
SELECT anonopt.republish(r, levels => '{1,1}', k => 20) FROM unnest('{people_table,people_view,people_live}'::regclass[]) r \g /dev/null
SELECT anonopt.republish('people_cut', cuts => ARRAY[B'010', B'10001']) \g /dev/null
RESET client_min_messages;
SELECT 'people_table'::regclass = t, 'people_view'::regclass = v, 'people_live'::regclass = l, 'people_cut'::regclass = c FROM oids;
SET ROLE regress_reader;
SELECT age, town, count(*) FROM people_table GROUP BY age, town ORDER BY age, town;
SELECT count(*) FROM people_view;
SELECT town, count(*) FROM people_cut GROUP BY town ORDER BY town;
RESET ROLE;
TABLE counts;
SELECT count(*) FROM ((TABLE people_table EXCEPT ALL TABLE people_live) UNION ALL (TABLE people_live EXCEPT ALL TABLE people_table)
	UNION ALL (TABLE people_table EXCEPT ALL TABLE people_view) UNION ALL (TABLE people_view EXCEPT ALL TABLE people_table)) x;
REFRESH MATERIALIZED VIEW people_cut;
SELECT town, count(*) FROM people_cut GROUP BY town ORDER BY town;
SELECT release, levels, k, dropped FROM anonopt.release WHERE dataset = 'people' ORDER BY release::text;
SELECT regexp_replace(obj_description('people_view'::regclass, 'pg_class'), 'release [0-9a-f-]+', 'release');
SELECT promised_k, k, ok FROM anonopt.verify('people_table');
SELECT count(*) FROM pg_description WHERE description LIKE 'key of anonopt release %' AND objoid IN (SELECT oid FROM pg_class WHERE relnamespace = 'living'::regnamespace);
SELECT anonopt.republish('people_table', levels => '{0,0}', k => 200);
SELECT anonopt.republish('people_table', levels => '{0,0}', cuts => ARRAY[B'0', B'0']);
SELECT anonopt.republish('town', levels => '{0,0}');
SET ROLE regress_reader;
SELECT anonopt.republish('people_table', levels => '{1,1}');
RESET ROLE;
SELECT count(*) FROM people_table;

-- values without a leaf, as the last label
SELECT anonopt.create_dataset('open', 'person', 0.2) \g /dev/null
SELECT anonopt.add_quasi_identifier('open', 'age', 'age', unknown => '?');
SELECT anonopt.add_quasi_identifier('open', 'age', 'age'), anonopt.add_quasi_identifier('open', 'town', 'town', unknown => '*') \g /dev/null
INSERT INTO person SELECT 3000 + i, 20 + i % 4, 'f' || i % 7, 'x' || i % 3 FROM generate_series(0, 79) i;
SELECT levels, k, classes, suppressed FROM anonopt.evaluate('open', '{{1,0},{1,1},{1,2}}', k => 5);
SELECT count(*), min(n) FROM (SELECT count(*) AS n FROM (SELECT age / 2 AS age, CASE WHEN town LIKE 'f%' THEN '*' ELSE town END AS town FROM person) x GROUP BY age, town) g;
SET client_min_messages = error;
SELECT anonopt.publish_table('open_table', 'open', '{1,1}', k => 5), anonopt.create_view('open_view', 'open', '{1,1}', k => 5),
	anonopt.create_view('open_live', 'open', '{1,1}', k => 5, materialized => false) \g /dev/null
SELECT anonopt.publish_table('open_cut', 'open', cuts => ARRAY[B'010', B'010011'], k => 5) \g /dev/null
SELECT anonopt.create_view('open_cuts', 'open', cuts => ARRAY[B'010', B'010011'], k => 5) \g /dev/null
SELECT anonopt.create_recoding('open_recoding', 'open', k => 5);
SELECT column_name, role, domain, observed, nulls, unknown, memory > 4000000 AS estimated FROM anonopt.describe('open');
SELECT town, count(*) FROM open_table GROUP BY town ORDER BY town;
SELECT town, count(*) FROM open_cut GROUP BY town ORDER BY town;
REFRESH MATERIALIZED VIEW open_view;
SELECT count(*) FROM ((TABLE open_table EXCEPT ALL TABLE open_live) UNION ALL (TABLE open_live EXCEPT ALL TABLE open_table)
	UNION ALL (TABLE open_table EXCEPT ALL TABLE open_view) UNION ALL (TABLE open_view EXCEPT ALL TABLE open_table)) x;
INSERT INTO person SELECT 4000 + i, 20 + i % 4, 'g', 'x' || i % 3 FROM generate_series(0, 79) i;
RESET client_min_messages;
SELECT anonopt.refresh_release('open_table');
SELECT town, count(*) FROM open_table GROUP BY town ORDER BY town;
REFRESH MATERIALIZED VIEW open_cuts;
SELECT count(*) FROM ((TABLE open_cut EXCEPT ALL TABLE open_cuts) UNION ALL (TABLE open_cuts EXCEPT ALL TABLE open_cut)) x;
SELECT k, suppressed FROM anonopt.evaluate_recoding('open', 'open_recoding');
SELECT count(*), bool_and(c.class IS NOT DISTINCT FROM d.class) FROM open_recoding c JOIN open_recoding d ON c.age = d.age AND c.town LIKE 'f%' AND d.town LIKE 'f%';
-- leaves come at the level that is cut: inside a group, beside one, and for values that had none
SET client_min_messages = error;
SELECT anonopt.refresh_release(r) FROM unnest('{open_cut,open_cuts}'::regclass[]) r \g /dev/null
SELECT name, cuts FROM anonopt.release WHERE name LIKE 'living.open_cut%' ORDER BY name;
SELECT town, count(*) FROM open_cut GROUP BY town ORDER BY town;
INSERT INTO town VALUES ('aa', 'A', '*'), ('f1', 'C', '*');
INSERT INTO person SELECT 5000 + i, 20 + i % 4, 'aa', 'x' || i % 3 FROM generate_series(0, 79) i;
SELECT anonopt.refresh_release(r) FROM unnest('{open_cut,open_cuts,open_cut}'::regclass[]) r \g /dev/null
SELECT name, cuts FROM anonopt.release WHERE name LIKE 'living.open_cut%' ORDER BY name;
SELECT town, count(*) FROM open_cut GROUP BY town ORDER BY town;
SELECT count(*) FROM ((TABLE open_cut EXCEPT ALL TABLE open_cuts) UNION ALL (TABLE open_cuts EXCEPT ALL TABLE open_cut)) x;
REFRESH MATERIALIZED VIEW open_cuts;
SELECT count(*) FROM ((TABLE open_cut EXCEPT ALL TABLE open_cuts) UNION ALL (TABLE open_cuts EXCEPT ALL TABLE open_cut)) x;
SELECT ok FROM unnest('{open_cut,open_cuts}'::regclass[]) r, anonopt.verify(r);
RESET client_min_messages;
SELECT anonopt.create_view('open_recoded', 'open', recoding => 'open_recoding', k => 5);
CREATE TABLE county (town text PRIMARY KEY, county text);
INSERT INTO county SELECT town, county FROM town;
SELECT anonopt.create_dataset('half open', 'person'), anonopt.add_quasi_identifier('half open', 'town', 'county', unknown => '*');

SET client_min_messages = error;
DROP SCHEMA living CASCADE;
RESET client_min_messages;
SELECT anonopt.drop_dataset(dataset) FROM anonopt.dataset WHERE dataset IN ('stays', 'stays in Tokyo', 'stays by themselves', 'people', 'open', 'guests') \g /dev/null
DROP ROLE regress_reader;
RESET search_path;
