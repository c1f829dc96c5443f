-- preferences.sql: searches by preference, as their paper tells of them: what
-- 50,000 evaluations take, and what becomes of bias and loss by k, population,
-- weights and preferred bias, as means over seeds, beside the best level node
--
-- The paper's data: nine attributes, age by ranges of five years, 105 bits.
-- adult_occupation stands since workers.sql.

SELECT anonopt.create_range_hierarchy('adult_age5', 0, 100, 5, '{10,20,40}');

-- Weights by the name of a data set: equal where it names none
CREATE TABLE weighting (dataset text, ordinal int GENERATED ALWAYS AS IDENTITY, says text, heavy name[]);
INSERT INTO weighting (dataset, says, heavy) VALUES
	('prefer_equal', 'equal', '{}'),
	('prefer_person', 'age and education ten times', '{age,education}'),
	('prefer_work', 'workclass and occupation ten times', '{workclass,occupation}');

-- nobody is suppressed in the paper
SELECT anonopt.create_dataset(dataset, 'adult', max_suppression => 0) FROM weighting;
SELECT anonopt.add_quasi_identifier(dataset, name,
	('adult_' || CASE name WHEN 'age' THEN 'age5' ELSE name END)::regclass, CASE WHEN name = ANY (heavy) THEN 10 ELSE 1 END)
FROM weighting, (SELECT ordinal, name FROM quasi_identifier UNION ALL VALUES (9, 'occupation')) AS each (place, name)
ORDER BY dataset, place;

-- Time: one core beside one worker more, and what was evaluated

SELECT format('SELECT count(*) FROM anonopt.nsga2(''prefer_equal'', 5, 1.0, 0.2, evaluations => %s, seed => 1)', :evaluations) AS search,
	format('SELECT count(*) FROM anonopt.reference_direction(''prefer_equal'', 5, ''{1.0,0.5}'', ''{0.1,0.1}'', evaluations => %s, seed => 1)',
		:evaluations) AS walk,
	bench.number(:evaluations) AS evaluations_shown \gset

INSERT INTO bench.result (measurement, figure, unit)
VALUES ('preferences, idle before', bench.idle_processors(), 'processors');
CALL bench.alternate('preferences, ' || :'evaluations_shown' || ' evaluations',
	'1 core', 'SET anonopt.max_workers = 0; ' || :'search', '1 worker', 'SET anonopt.max_workers = 1; ' || :'search',
	:few_times, NULL);
INSERT INTO bench.result (measurement, figure, unit)
SELECT 'preferences, worker', ours / beside, '×' FROM bench.result WHERE measurement LIKE 'preferences, % evaluations';
UPDATE bench.result SET figure = ours / 1000, unit = 's', target = 10 WHERE measurement LIKE 'preferences, % evaluations';

SET anonopt.max_workers = 0;
SELECT * FROM anonopt.nsga2('prefer_equal', 5, 1.0, 0.2, evaluations => :evaluations, seed => 1);
INSERT INTO bench.result (measurement, figure, unit)
SELECT 'preferences, evaluated in full', evaluated, 'cuts' FROM anonopt.last_search()
UNION ALL
SELECT 'preferences, remembered', :evaluations - evaluated, 'cuts' FROM anonopt.last_search();
CALL bench.alternate('preferences, walk of 10 steps', 'walk', :'walk', 'one search', :'search', :few_times, 3);

-- Quality

CREATE TABLE preferred (dataset text, asked int, necd_pref float8, population int, seed int, necd float8, nwp float8,
	ach float8, feasible boolean);

CREATE PROCEDURE measure_preference(dataset text, asked int, necd_pref float8, population int, evaluations int, seeds int)
LANGUAGE sql AS $$
	INSERT INTO preferred
	SELECT dataset, asked, necd_pref, population, seed, necd, nwp, ach, feasible
	FROM generate_series(1, seeds) AS seed
	LEFT JOIN LATERAL (
		SELECT * FROM anonopt.nsga2(dataset, asked, necd_pref, 0.2, population, greatest(evaluations, population), seed => seed)
		WHERE chosen) AS chosen ON true
$$;

SELECT format('CALL measure_preference(%L, %s, %s, %s, %s, %s)', dataset, asked, necd_pref, population, :evaluations, :preference_seeds)
FROM (
	SELECT 'prefer_equal' AS dataset, 1.0 AS necd_pref, population FROM unnest('{100,250,500}'::int[]) AS population
	UNION ALL SELECT dataset, 1.0, 100 FROM weighting WHERE dataset <> 'prefer_equal'
	UNION ALL SELECT 'prefer_equal', necd_pref, 100 FROM unnest('{.5,.1,.05,.01}'::numeric[]) AS necd_pref) AS each,
	unnest('{2,5,10,25,50,100}'::int[]) AS asked \gexec

-- The best level node of each
CREATE TABLE preferred_level AS
SELECT DISTINCT ON (dataset, necd_pref, asked) dataset, necd_pref, asked, node.*
FROM (SELECT DISTINCT dataset, necd_pref FROM preferred) AS each,
	anonopt.efficiency(dataset, 1, necd_pref, 0.2) AS node, unnest('{2,5,10,25,50,100}'::int[]) AS asked
WHERE k >= asked
ORDER BY dataset, necd_pref, asked, ach, pref_dev;

INSERT INTO bench.result (measurement, figure, unit, target)
SELECT 'preferences, searches without a feasible solution', count(*) FILTER (WHERE preferred.feasible IS NOT TRUE), 'searches', 0
FROM preferred
UNION ALL
SELECT 'preferences, farther than the best level node', count(*) FILTER (WHERE preferred.ach > node.ach), 'searches', 0
FROM preferred JOIN preferred_level AS node USING (dataset, necd_pref, asked);

-- A cell: mean loss, and mean bias
CREATE FUNCTION preferred_cell(nwp float8, necd float8) RETURNS text
LANGUAGE sql AS $$ SELECT format('%s, %s', round(nwp::numeric, 3), round(necd::numeric, 3)) $$;

CREATE VIEW preferred_mean AS
SELECT dataset, necd_pref, asked, population, preferred_cell(avg(nwp), avg(necd)) AS found
FROM preferred GROUP BY dataset, necd_pref, asked, population
UNION ALL
SELECT dataset, necd_pref, asked, NULL, preferred_cell(nwp, necd) FROM preferred_level;

INSERT INTO bench.document (line)
VALUES (''), ('| k | population 100 | 250 | 500 | best level node |'), ('|--:|---|---|---|---|');
INSERT INTO bench.document (line)
SELECT format('| %s | %s |', asked, string_agg(found, ' | ' ORDER BY population))
FROM preferred_mean WHERE (dataset, necd_pref) = ('prefer_equal', 1.0) GROUP BY asked ORDER BY asked;

INSERT INTO bench.document (line)
SELECT '' UNION ALL
SELECT format('| k | %s |', string_agg(says || ' | level node', ' | ' ORDER BY ordinal)) FROM weighting UNION ALL
SELECT '|--:' || repeat('|---', 2 * count(*)::int) || '|' FROM weighting;
INSERT INTO bench.document (line)
SELECT format('| %s | %s |', asked, string_agg(found, ' | ' ORDER BY ordinal, population))
FROM preferred_mean JOIN weighting USING (dataset) WHERE necd_pref = 1.0 AND coalesce(population, 100) = 100
GROUP BY asked ORDER BY asked;

INSERT INTO bench.document (line)
SELECT '' UNION ALL
SELECT format('| k | %s |', string_agg('NECD ' || necd_pref, ' | ' ORDER BY necd_pref DESC))
FROM (SELECT DISTINCT necd_pref FROM preferred) AS each UNION ALL
SELECT '|--:' || repeat('|---', count(DISTINCT necd_pref)::int) || '|' FROM preferred;
INSERT INTO bench.document (line)
SELECT format('| %s | %s |', asked, string_agg(found, ' | ' ORDER BY necd_pref DESC))
FROM preferred_mean WHERE (dataset, population) = ('prefer_equal', 100) GROUP BY asked ORDER BY asked;
INSERT INTO bench.document (line)
SELECT format('| %s, level | %s |', asked, string_agg(found, ' | ' ORDER BY necd_pref DESC))
FROM preferred_mean WHERE dataset = 'prefer_equal' AND population IS NULL GROUP BY asked ORDER BY asked;
