-- attacks.sql: every attack on Adult and on a million rows, by all numbers of known columns, as processor time: on the
-- rows themselves, on a release of a node, and on one of a recoding, whose labels overlap

-- A million people who look like those of Adult column by column, few of whom are alike
CREATE UNLOGGED TABLE adult_mixed (LIKE adult) WITH (autovacuum_enabled = false);
CREATE TEMP TABLE numbered AS SELECT row_number() OVER () AS nr, * FROM adult;
SELECT setseed(0.5);
SELECT format('INSERT INTO adult_mixed (%s) SELECT %1$s FROM (SELECT %s FROM generate_series(1, %s), (SELECT count(*) AS n FROM adult) AS a) AS person %s',
	string_agg(name, ', '), string_agg(format('1 + floor(random() * n) AS %s_nr', name), ', '), :middle,
	string_agg(format('JOIN (SELECT nr AS %1$s_nr, %1$s FROM numbered) AS a_%1$s USING (%1$s_nr)', name), ' '))
FROM (SELECT name FROM quasi_identifier UNION ALL SELECT 'occupation') AS any_column \gexec
ANALYZE adult_mixed;

CREATE TABLE attacked (what text PRIMARY KEY, relation regclass, seconds float8);
INSERT INTO attacked VALUES ('Adult', 'adult', 1), ('Adult repeated', 'adult_middle', 10), ('a million people', 'adult_mixed', 10);
SET anonopt.composition = off;
SET client_min_messages = warning;
SELECT anonopt.create_dataset('attacked ' || relation, relation, max_suppression => 1) FROM attacked;
SELECT anonopt.add_quasi_identifier('attacked ' || relation, name, ('adult_' || name)::regclass)
FROM attacked, quasi_identifier ORDER BY relation, ordinal;
SELECT anonopt.add_sensitive('attacked ' || relation, 'occupation'),
	anonopt.publish_table('node_of_' || relation, 'attacked ' || relation, levels => '{2,1,1,1,0,0,2,0}', k => 5),
	anonopt.create_recoding('recoding_of_' || relation, 'attacked ' || relation, k => 5, seed => 1, time_limit => '1 s'),
	anonopt.publish_table('recoded_' || relation, 'attacked ' || relation, recoding => 'recoding_of_' || relation, k => 5)
FROM attacked;

CREATE FUNCTION attack_call(relation regclass, form text) RETURNS text LANGUAGE sql AS $$
	SELECT 'SELECT * FROM anonopt.attack(' || CASE form WHEN 'rows' THEN format('%L, quasi_identifiers => %L, sensitive => ''{occupation}'')', relation,
		(SELECT array_agg(name ORDER BY ordinal) FROM quasi_identifier)) ELSE format('%L)', replace(form, '%', relation::text)) END
$$;
CREATE TABLE attack_found AS
SELECT what, form, seconds, attack_call(relation, form) AS call, 0::float8 AS spent, 0::bigint AS numbers FROM attacked, unnest('{rows,node_of_%,recoded_%}'::text[]) AS form;
CREATE TABLE attack_numbers (call text PRIMARY KEY, numbers bigint);
DO $$
DECLARE
	one attack_found;
BEGIN
	FOR one IN SELECT * FROM attack_found LOOP
		UPDATE attack_found SET spent = bench.processor_milliseconds(format(
			'INSERT INTO attack_numbers SELECT %L, count(*) FROM (%s) AS x WHERE attack = ''singling_out'' AND known IS NOT NULL ON CONFLICT DO NOTHING',
			one.call, one.call)) / 1000 WHERE call = one.call;
	END LOOP;
	UPDATE attack_found AS f SET numbers = n.numbers FROM attack_numbers AS n WHERE n.call = f.call;
END $$;
INSERT INTO bench.result (measurement, figure, unit, target)
SELECT format('attack on %s, %s', what, CASE form WHEN 'rows' THEN 'rows' WHEN 'node_of_%' THEN 'release of a node' ELSE 'release of a recoding' END), spent, 's', seconds
FROM attack_found;
INSERT INTO bench.result (measurement, figure, unit, target, at_least)
SELECT format('attack on %s, %s: numbers of known columns', what, form), numbers, '', CASE WHEN seconds = 1 THEN 8 END, true FROM attack_found;
