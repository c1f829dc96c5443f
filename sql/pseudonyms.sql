-- Keys shown as keyed hashes, and the people they single out.
\pset null NULL
CREATE SCHEMA pseudonyms;
SET search_path = pseudonyms, public;
CREATE TABLE patient AS SELECT i AS id, 20 + i * 7 % 40 AS age, 'p' || i % 3 AS blood FROM generate_series(1, 400) i;
CREATE TABLE visit AS SELECT (i * 7919) % 400 + 1 AS patient, ('x' || left(md5(i::text), 4))::bit(16)::int % 12 AS month, 'd' || i % 5 AS diagnosis FROM generate_series(1, 1200) i;
SELECT anonopt.create_interval_hierarchy('age', 20, 59, '{10,20}'), anonopt.create_interval_hierarchy('month', 0, 11, '{3,6}') \g /dev/null
SELECT anonopt.create_dataset('patients', 'patient', 0.1), anonopt.create_dataset('visits', 'visit', 0.1) \g /dev/null
SELECT anonopt.add_quasi_identifier('patients', 'age', 'age'), anonopt.add_quasi_identifier('visits', 'month', 'month') \g /dev/null
SELECT anonopt.add_sensitive('patients', 'blood'), anonopt.add_sensitive('visits', 'diagnosis') \g /dev/null
SELECT anonopt.set_pseudonym('patients', 'id', 'short');
SELECT anonopt.set_pseudonym('patients', 'age', 'a secret of thirty-two bytes, or so');
SELECT anonopt.set_pseudonym('patients', 'id', 'a secret of thirty-two bytes, or so');
SELECT column_name, role FROM anonopt.attribute WHERE dataset = 'patients' ORDER BY ordinal;
-- one row per person: alone it keeps its promise
SELECT anonopt.publish_table('patients_open', 'patients', '{1}', k => 50) \g /dev/null
-- HMAC-SHA-256 as RFC 2104 has it
CREATE FUNCTION hmac(secret bytea, value bytea) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
	inside bytea := decode(repeat('36', 64), 'hex');
	outside bytea := decode(repeat('5c', 64), 'hex');
BEGIN
	FOR i IN 0 .. length(secret) - 1 LOOP
		inside := set_byte(inside, i, get_byte(inside, i) # get_byte(secret, i));
		outside := set_byte(outside, i, get_byte(outside, i) # get_byte(secret, i));
	END LOOP;
	RETURN left(encode(sha256(outside || sha256(inside || value)), 'hex'), 32);
END $$;
SELECT count(*) AS people, count(*) FILTER (WHERE p.blood = o.blood AND p.age / 10 = substring(o.age FROM '\d+')::int / 10) AS theirs
FROM patients_open o JOIN patient p ON hmac('a secret of thirty-two bytes, or so', p.id::text::bytea) = o.id;
-- no view has a secret
SELECT anonopt.create_view('patients_view', 'patients', '{1}', k => 50);
SELECT anonopt.create_view('patients_view', 'patients', '{1}', k => 50, materialized => false);
SELECT anonopt.view_sql('patients_view', 'patients', '{1}', k => 50);
-- several rows per person, by another secret: the release alone singles people
-- out
SELECT anonopt.set_pseudonym('visits', 'patient');
SELECT anonopt.publish_table('visits_alone', 'visits', '{1}', k => 50);
SELECT min(n), sum(n) FILTER (WHERE n < 50) FROM (SELECT count(*) AS n FROM
	(SELECT patient, array_agg(month ORDER BY month) AS months FROM visits_alone GROUP BY patient) x GROUP BY months) g;
SELECT count(*) AS linked FROM visits_alone v JOIN patients_open p ON p.id = v.patient;
-- each refresh has another secret
CREATE TABLE before AS TABLE visits_alone;
SET client_min_messages = error;
SELECT anonopt.refresh_release('visits_alone') \g /dev/null
RESET client_min_messages;
SELECT count(*) FROM visits_alone v JOIN before b USING (patient);
-- by the same one: joined with the patients
SELECT anonopt.set_pseudonym('visits', 'patient', 'a secret of thirty-two bytes, or so');
SELECT anonopt.publish_table('visits_open', 'visits', '{1}', k => 50);
SELECT min(n), sum(n) FILTER (WHERE n < 50) FROM (SELECT count(*) AS n FROM
	(SELECT p.id, p.age, array_agg(v.month ORDER BY v.month) AS months FROM patients_open p LEFT JOIN visits_open v ON v.patient = p.id GROUP BY p.id, p.age) x
	GROUP BY age, months) g;
SELECT releases, k, smallest FROM anonopt.release_risk('patients');
SELECT releases, k, smallest FROM anonopt.release_risk('visits');
SET anonopt.composition = refuse;
SELECT anonopt.refresh_release('visits_open');
RESET anonopt.composition;
SELECT promised_k, k, ok FROM anonopt.verify('visits_open');
-- the key of people with several rows: classes count people, and the rows of
-- each are linked
SELECT anonopt.create_dataset('visits_of', 'visit', 0.1, person => 'patient'), anonopt.add_quasi_identifier('visits_of', 'month', 'month') \g /dev/null
SELECT anonopt.publish_table('refused', 'visits_of', '{1}', k => 50, columns => '{patient}');
SELECT anonopt.set_pseudonym('visits_of', 'patient', 'a secret of thirty-two bytes, or so');
SELECT anonopt.publish_table('visits_of_open', 'visits_of', '{1}', k => 50);
SELECT min(n), sum(n) FILTER (WHERE n < 50) FROM (SELECT count(*) AS n FROM
	(SELECT id, p.age, p.all_months, v.months FROM
		(SELECT p.id, p.age, array_agg(v.month ORDER BY v.month) AS all_months FROM patients_open p LEFT JOIN visits_open v ON v.patient = p.id GROUP BY p.id, p.age) p
		LEFT JOIN (SELECT patient AS id, array_agg(month ORDER BY month) AS months FROM visits_of_open GROUP BY patient) v USING (id)) x
	GROUP BY age, all_months, months) g;
SELECT min(n) AS k, (SELECT k FROM anonopt.evaluate('visits_of', '{1}', k => 50)) AS evaluated
FROM (SELECT count(DISTINCT patient) AS n FROM visits_of_open GROUP BY month) g;
SELECT releases[cardinality(releases)], k, smallest FROM anonopt.release_risk('visits_of') ORDER BY cardinality(releases) DESC LIMIT 1;
SELECT promised_k, k, ok FROM anonopt.verify('visits_of_open');
SET anonopt.composition = refuse;
SELECT anonopt.refresh_release('visits_of_open');
RESET anonopt.composition;
SELECT anonopt.drop_dataset('visits_of') \g /dev/null
-- nobody reads a secret
CREATE ROLE regress_curious;
SET ROLE regress_curious;
SELECT count(*) FROM anonopt.pseudonym_secret;
SELECT count(*) FROM anonopt.published_link;
RESET ROLE;
DROP ROLE regress_curious;
SELECT count(*) FROM anonopt.pseudonym_secret;
SELECT anonopt.drop_attribute('visits', 'patient'), anonopt.drop_dataset('patients') \g /dev/null
SELECT count(*) FROM anonopt.pseudonym_secret;
DELETE FROM anonopt.pseudonym_secret;
SELECT anonopt.drop_dataset('visits') \g /dev/null
SET client_min_messages = error;
DROP SCHEMA pseudonyms CASCADE;
RESET client_min_messages;
RESET search_path;
