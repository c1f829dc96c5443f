-- Preferences, Figures 3, 4 and 5: loss and bias by population, weights and preferred
-- bias, with the k that came of it and the groups each column keeps.  One seed (means over
-- five stand in docs/preferences.md); nobody suppressed; nine columns, age by ranges of five years, 105 bits.
SELECT FROM anonopt.create_range_hierarchy('age5', 0, 100, 5, '{10,20,40}');
CREATE TABLE work AS SELECT * FROM (SELECT DISTINCT occupation AS leaf, '*' AS level1 FROM adult) AS x;
CREATE TABLE weighting (dataset text, says text, heavy name[]);
INSERT INTO weighting VALUES ('equal', 'equal weights', '{}'), ('person', 'age and education ten times', '{age,education}'),
	('work', 'workclass and occupation ten times', '{workclass,occupation}');
SELECT FROM weighting, anonopt.create_dataset(dataset, 'adult', max_suppression => 0);
SELECT anonopt.add_quasi_identifier(dataset, name, (CASE name WHEN 'age' THEN 'age5' WHEN 'occupation' THEN 'work' ELSE 'adult_' || name END)::regclass,
	CASE WHEN name = ANY (heavy) THEN 10 ELSE 1 END) AS done
FROM weighting, (SELECT ordinal, name FROM quasi_identifier UNION ALL VALUES (9, 'occupation')) AS each (place, name) ORDER BY dataset, place \g /dev/null
CREATE TABLE setting AS
SELECT 'Figure 3' AS figure, format('population %s', population) AS says, 'equal' AS dataset, 1.0 AS necd_pref, population FROM unnest('{100,250,500}'::int[]) AS population
UNION ALL SELECT 'Figure 4', says, dataset, 1.0, 100 FROM weighting WHERE dataset <> 'equal'
UNION ALL SELECT 'Figure 5', format('NECD %s preferred', necd_pref), 'equal', necd_pref, 100 FROM unnest('{0.5,0.1,0.05,0.01}'::float8[]) AS necd_pref;
CREATE TABLE level_node AS
SELECT dataset, asked, necd_pref, round(nwp::numeric, 3) || ', ' || round(necd::numeric, 3) AS best
FROM (SELECT DISTINCT dataset, necd_pref::float8 FROM setting) AS s, unnest('{2,5,10,25,50,100}'::int[]) AS asked,
	LATERAL anonopt.efficiency(dataset, asked, necd_pref, 0.2) WHERE chosen;
SELECT line('figure', 'setting', 'k asked', 'k found', 'NWP', 'NECD', 'groups a column', 'NWP, NECD of the best level node');
SELECT rule(8);
SELECT line(figure, says, asked.asked::text, k::text, round(nwp::numeric, 3)::text, round(necd::numeric, 3)::text, groups::text, best)
FROM setting, unnest('{2,5,10,25,50,100}'::int[]) AS asked (asked),
	level_node AS l, LATERAL (SELECT * FROM anonopt.nsga2(setting.dataset, asked.asked, setting.necd_pref::float8, 0.2, population, :evaluations, seed => 1)
		WHERE chosen) AS found
WHERE (l.dataset, l.asked, l.necd_pref) = (setting.dataset, asked.asked, setting.necd_pref::float8)
ORDER BY figure, population, says, asked.asked;
