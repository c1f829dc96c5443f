-- adult.sql: the Adult census data from :adult_dir, and two larger tables of
-- the same distinct tuples

CREATE TABLE adult (
	age int, workclass text, education text, marital_status text, race text, sex text,
	native_country text, salary_class text, occupation text)
	WITH (autovacuum_enabled = false);
SELECT format('COPY adult FROM %L (FORMAT csv, HEADER)', :'adult_dir' || '/adult.csv') \gexec

CREATE TABLE quasi_identifier (ordinal int, name name, type regtype, levels int);
INSERT INTO quasi_identifier VALUES
	(1, 'age', 'int', 6), (2, 'workclass', 'text', 3), (3, 'education', 'text', 3),
	(4, 'marital_status', 'text', 3), (5, 'race', 'text', 1), (6, 'sex', 'text', 1),
	(7, 'native_country', 'text', 4), (8, 'salary_class', 'text', 1);

-- Their hierarchies: adult_age and so on
SELECT format('CREATE TABLE %I (leaf %s PRIMARY KEY%s)', 'adult_' || name, type,
		(SELECT string_agg(format(', level%s text NOT NULL', level), '' ORDER BY level)
		 FROM generate_series(1, levels) AS level)),
	format('COPY %I FROM %L (FORMAT csv, DELIMITER '';'')', 'adult_' || name,
		format('%s/hierarchy_%s.csv', :'adult_dir', name))
FROM quasi_identifier ORDER BY ordinal \gexec

-- Fills a table like adult with a number of rows: adult over and over.
CREATE PROCEDURE repeat_adult(relation regclass, wanted bigint)
LANGUAGE plpgsql AS $$
DECLARE
	missing bigint := wanted;
	added bigint;
BEGIN
	WHILE missing > 0 LOOP
		EXECUTE format('INSERT INTO %s SELECT * FROM adult LIMIT %s', relation, missing);
		GET DIAGNOSTICS added = ROW_COUNT;
		missing := missing - added;
	END LOOP;
END $$;

-- Vacuumed now, so that autovacuum does not run during a measurement
CREATE UNLOGGED TABLE adult_middle (LIKE adult) WITH (autovacuum_enabled = false);
CREATE UNLOGGED TABLE adult_large (LIKE adult) WITH (autovacuum_enabled = false);
CALL repeat_adult('adult_middle', :middle);
CALL repeat_adult('adult_large', :large);

-- Lets the planner know how many groups GROUP BY returns; otherwise it guesses
-- a million, and no workers.
SET default_statistics_target = :statistics;
SELECT format('CREATE STATISTICS %I (ndistinct) ON %s FROM %I',
	relation || '_groups', string_agg(name, ', ' ORDER BY ordinal), relation)
FROM quasi_identifier, unnest('{adult,adult_middle,adult_large}'::text[]) AS relation
GROUP BY relation \gexec
VACUUM ANALYZE;

-- A data set with the eight quasi-identifiers, or the first of them
CREATE PROCEDURE declare_adult(dataset text, relation regclass, attributes int DEFAULT 8)
LANGUAGE plpgsql AS $$
BEGIN
	PERFORM anonopt.create_dataset(dataset, relation, max_suppression => 0.01);
	PERFORM anonopt.add_quasi_identifier(dataset, name, 'adult_' || name)
	FROM (SELECT name FROM quasi_identifier WHERE ordinal <= attributes ORDER BY ordinal) AS one;
END $$;

-- GROUP BY of the same columns, to compare with a call that reads them; it
-- counts its groups, so that it need not return them either
CREATE FUNCTION group_by(relation regclass) RETURNS text
LANGUAGE sql AS $$
	SELECT format('SELECT count(*), max(size) FROM'
		' (SELECT %s, count(*) AS size FROM %s GROUP BY %1$s) AS groups',
		string_agg(name, ', ' ORDER BY ordinal), relation)
	FROM quasi_identifier
$$;

CALL declare_adult('adult', 'adult');
CALL declare_adult('adult_middle', 'adult_middle');
CALL declare_adult('adult_large', 'adult_large');
CALL declare_adult('adult_sensitive', 'adult');
SELECT anonopt.add_sensitive('adult_sensitive', 'occupation');
