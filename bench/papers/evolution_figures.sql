-- PBG-EA, Figures 1 to 3: the points of the exact set of k and GLM, and whether the
-- search of seed 1 has them, as it is and with larger boxes
CREATE TABLE found AS
SELECT kind, k, glm FROM (VALUES (1, NULL::float8[]), (2, '{5,100}'), (3, '{50,10000}')) AS way (kind, epsilon),
	LATERAL anonopt.pbg_ea('adult_sensitive', '{k,glm}', epsilon, seed => 1);
SELECT line('k', 'GLM', 'found, boxes of 1, 1', '5, 100', '50, 10,000');
SELECT rule(5);
SELECT line(VARIADIC ARRAY[k::text, round(glm::numeric, 1)::text] || ARRAY(
	SELECT CASE WHEN EXISTS (SELECT FROM found AS f WHERE (f.kind, f.k, f.glm) = (kind_, p.k, p.glm)) THEN '×' END FROM generate_series(1, 3) AS kind_ ORDER BY kind_))
FROM anonopt.pareto('adult_sensitive') AS p ORDER BY k;
