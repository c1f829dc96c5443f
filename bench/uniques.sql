-- Estimates of population uniques: samples are drawn from populations whose
-- uniques are known, and risk() estimates from each sample alone.  Prints, by
-- population and share drawn, the mean and the spread of estimate / truth.
--
--   test/cluster psql -qX -f bench/uniques.sql
--
-- anonopt_test's tables or any of your own do as well: add a line to population.
\pset pager off
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS anonopt;

SELECT setseed(0.5) \g /dev/null

-- Four shapes: few large classes and many rare ones, classes of much the same
-- size, heavy tails, and what a census looks like.
CREATE TABLE zipf AS SELECT floor(exp(random() * ln(40000)))::int AS a FROM generate_series(1, 100000) i;
CREATE TABLE flat AS SELECT floor(random() * 60000)::int AS a FROM generate_series(1, 100000) i;
CREATE TABLE heavy AS SELECT floor(power(random(), -0.9))::int % 1000000 AS a, floor(random() * 8)::int AS b FROM generate_series(1, 100000) i;
CREATE TABLE census AS
	SELECT least(floor(90 * power(random(), 1.3)), 90)::int AS a, (random() < 0.5)::int AS b, floor(16 * power(random(), 2))::int AS c,
	       floor(300 * power(random(), 2.5))::int AS d, floor(40 * power(random(), 4))::int AS e FROM generate_series(1, 100000) i;
CREATE TABLE population (relation regclass, columns name[]);
INSERT INTO population VALUES ('zipf', '{a}'), ('flat', '{a}'), ('heavy', '{a,b}'), ('census', '{a,b,c,d,e}');

CREATE TABLE estimate (relation regclass, fraction float8, truth float8, zayatz float8, pitman float8, believed float8);
CREATE TABLE sample ();
DO $$
DECLARE
	p population;
	f float8;
	truth float8;
BEGIN
	FOR p IN SELECT * FROM population LOOP
		SELECT uniques INTO truth FROM anonopt.risk(p.relation, p.columns);
		FOREACH f IN ARRAY '{0.01,0.05,0.1,0.2,0.5}'::float8[] LOOP
			FOR i IN 1..20 LOOP
				DROP TABLE sample;
				EXECUTE format('CREATE TEMP TABLE sample AS SELECT * FROM %s WHERE random() < %s', p.relation, f);
				INSERT INTO estimate SELECT p.relation, f, truth, zayatz_uniques, pitman_uniques, population_uniques
				FROM anonopt.risk('sample', p.columns, sampling_fraction => f);
			END LOOP;
		END LOOP;
	END LOOP;
END $$;
SELECT relation, fraction, max(truth)::int AS uniques,
	round(avg(zayatz / truth)::numeric, 2) AS zayatz, round(stddev(zayatz / truth)::numeric, 3) AS spread,
	round(avg(pitman / truth)::numeric, 2) AS pitman, round(stddev(pitman / truth)::numeric, 3) AS spread_,
	round(avg(believed / truth)::numeric, 2) AS believed
FROM estimate GROUP BY relation, fraction ORDER BY relation, fraction;
