-- ARUBA, Figure 6: which nodes of the printed lattice ARUBA visits, for a utility of 18.
-- Within a cube it has no order: the printed cubes are parted by commas.
CREATE TABLE figure (name text, x int, y int, risk float8, utility float8);
INSERT INTO figure VALUES
	('t', 0, 0, 0, 0), ('r', 1, 0, 12, 2), ('s', 0, 1, 10, 4), ('o', 2, 0, 14, 5), ('p', 1, 1, 15, 7),
	('q', 0, 2, 21, 9), ('k', 3, 0, 16, 8), ('l', 2, 1, 22, 11), ('m', 1, 2, 28, 13), ('n', 0, 3, 32, 13),
	('g', 3, 1, 25, 12), ('h', 2, 2, 36, 14), ('i', 1, 3, 45, 16), ('j', 0, 4, 55, 17), ('d', 3, 2, 50, 17),
	('e', 2, 3, 60, 21), ('f', 1, 4, 62, 18), ('b', 3, 3, 63, 23), ('c', 2, 4, 70, 25), ('a', 3, 4, 80, 30);
CREATE TABLE walked AS
SELECT algorithm, w.* FROM (SELECT array_agg(risk ORDER BY x) AS risk, array_agg(utility ORDER BY x) AS utility
	FROM (SELECT x, array_agg(risk ORDER BY y) AS risk, array_agg(utility ORDER BY y) AS utility FROM figure GROUP BY x) AS l) AS a,
	unnest('{aruba}'::text[]) AS algorithm, LATERAL anonopt.record_walk(algorithm, risk, utility, 18) AS w;
SELECT line('printed', 'ours', 'best, printed', 'ours');
SELECT rule(4);
SELECT line('a c f j, e i n, b d h m',
	(SELECT string_agg(name, ' ' ORDER BY i) FROM generate_subscripts(visited, 1) AS i JOIN figure ON (x, y) = (visited[i][1], visited[i][2])),
	'e', (SELECT name FROM figure WHERE ARRAY[x, y] = best))
FROM walked;
