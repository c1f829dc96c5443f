-- ARUBA, Figure 7 a: the share of frontier nodes by the utility c asked for, eight columns.
-- The utility is the depth, so the frontier is the nodes of depth c, the same for every
-- record; they are counted one by one.  Data: the lattice of Adult.
CREATE TABLE depth AS
SELECT q.levels - (SELECT sum(x) FROM unnest(ARRAY[a, b, c, d, e, f, g, h]) AS x) AS depth
FROM (SELECT sum(levels) AS levels, array_agg(levels ORDER BY ordinal) AS most FROM quasi_identifier WHERE ordinal <= 8) AS q,
	generate_series(0, most[1]) AS a, generate_series(0, most[2]) AS b, generate_series(0, most[3]) AS c, generate_series(0, most[4]) AS d,
	generate_series(0, most[5]) AS e, generate_series(0, most[6]) AS f, generate_series(0, most[7]) AS g, generate_series(0, most[8]) AS h;
SELECT line('columns', 'nodes', 'c', 'frontier nodes', 'of the lattice');
SELECT rule(5);
SELECT line('8', nodes::text, depth::text, count(*)::text, round(100.0 * count(*) / nodes, 2) || ' %')
FROM depth, (SELECT count(*) AS nodes FROM depth) AS lattice WHERE depth > 0 GROUP BY nodes, depth ORDER BY depth;
