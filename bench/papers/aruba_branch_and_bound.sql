-- ARUBA beside branch and bound, depth first from the most general node: nodes visited, on the
-- printed lattice of Figures 5 and 6 for a utility of 18, and in the mean over 200 random
-- lattices of 7 * 6 * 5 nodes, whose risk and utility rise with every step down, for a tenth,
-- a half and nine tenths of the utility there is.  Random numbers: setseed(0.5).
SELECT setseed(0.5) \g /dev/null
CREATE TABLE lattice (what text, risk float8[], utility float8[], c float8);
INSERT INTO lattice SELECT 'the printed lattice, utility 18', risk, utility, 18
FROM (SELECT '{{0,10,21,32,55},{12,15,28,45,62},{14,22,36,60,70},{16,25,50,63,80}}'::float8[] AS risk,
	'{{0,4,9,13,17},{2,7,13,16,18},{5,11,14,21,25},{8,12,17,23,30}}'::float8[] AS utility) AS printed;
-- a node's numbers: what each of its coordinates adds, drawn once for a step in a dimension
CREATE TABLE step AS
SELECT nr, d, s, sum(random() * (s > 0)::int) OVER (PARTITION BY nr, d ORDER BY s) AS risk, sum(random() * (s > 0)::int) OVER (PARTITION BY nr, d ORDER BY s) AS utility
FROM generate_series(1, 200) AS nr, (VALUES (1, 6), (2, 5), (3, 4)) AS v (d, most), LATERAL generate_series(0, most) AS s ORDER BY nr, d, s;
CREATE TABLE cube AS
SELECT nr, array_agg(risk ORDER BY i) AS risk, array_agg(utility ORDER BY i) AS utility FROM (
	SELECT nr, i, array_agg(risk ORDER BY j) AS risk, array_agg(utility ORDER BY j) AS utility FROM (
		SELECT a.nr, a.s AS i, b.s AS j, array_agg((a.risk + b.risk + c.risk) ORDER BY c.s) AS risk, array_agg(a.utility + b.utility + c.utility ORDER BY c.s) AS utility
		FROM step AS a JOIN step AS b USING (nr) JOIN step AS c USING (nr) WHERE (a.d, b.d, c.d) = (1, 2, 3) GROUP BY a.nr, a.s, b.s) AS x GROUP BY nr, i) AS y GROUP BY nr;
INSERT INTO lattice SELECT format('random, %s of the utility', share), risk, utility, share * utility[7][6][5] FROM cube, unnest('{0.1,0.5,0.9}'::float8[]) AS share;
CREATE FUNCTION visits(algorithm text, risk float8[], utility float8[], c float8) RETURNS int LANGUAGE sql AS
	$$ SELECT array_length(visited, 1) FROM anonopt.record_walk($1, $2, $3, $4) $$;
SELECT line('lattice', 'nodes', 'ARUBA', 'BTDA', 'branch and bound');
SELECT rule(5);
SELECT line(what, max(cardinality(risk))::text, round(avg(visits('aruba', risk, utility, c)), 1)::text, round(avg(visits('btda', risk, utility, c)), 1)::text,
	round(avg(visits('branch_and_bound', risk, utility, c)), 1)::text) FROM lattice GROUP BY what ORDER BY what;
