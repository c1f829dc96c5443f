-- ARUBA beside branch and bound, depth first from the most general node: nodes visited, on
-- the printed lattice of Figures 5 and 6 for a utility of 18; in the mean over 200 random
-- lattices of 7 * 6 * 5 nodes, whose risk and utility rise with every step down, for a
-- tenth, a half and nine tenths of the utility there is; and in the mean over all 30,162
-- records of Adult, with three, four and five columns, for half of their depth.
-- Random numbers: setseed(0.5).
SELECT setseed(0.5) \g /dev/null
CREATE TABLE lattice (place int, what text, risk float8[], utility float8[], c float8, records bigint);
INSERT INTO lattice SELECT 1, 'the printed lattice, utility 18', risk, utility, 18, 1 FROM printed_lattice;
-- a node's numbers: what each of its coordinates adds, drawn once for a step in a dimension
CREATE TABLE step AS
SELECT nr, d, s, sum(random() * (s > 0)::int) OVER (PARTITION BY nr, d ORDER BY s) AS risk, sum(random() * (s > 0)::int) OVER (PARTITION BY nr, d ORDER BY s) AS utility
FROM generate_series(1, 200) AS nr, (VALUES (1, 6), (2, 5), (3, 4)) AS v (d, most), LATERAL generate_series(0, most) AS s ORDER BY nr, d, s;
CREATE TABLE cube AS
SELECT nr, array_agg(risk ORDER BY i) AS risk, array_agg(utility ORDER BY i) AS utility FROM (
	SELECT nr, i, array_agg(risk ORDER BY j) AS risk, array_agg(utility ORDER BY j) AS utility FROM (
		SELECT a.nr, a.s AS i, b.s AS j, array_agg((a.risk + b.risk + c.risk) ORDER BY c.s) AS risk, array_agg(a.utility + b.utility + c.utility ORDER BY c.s) AS utility
		FROM step AS a JOIN step AS b USING (nr) JOIN step AS c USING (nr) WHERE (a.d, b.d, c.d) = (1, 2, 3) GROUP BY a.nr, a.s, b.s) AS x GROUP BY nr, i) AS y GROUP BY nr;
INSERT INTO lattice SELECT 2, format('random, %s of the utility', share), risk, utility, share * utility[7][6][5], 1 FROM cube, unnest('{0.1,0.5,0.9}'::float8[]) AS share;

-- Adult: every leaf of a column by levels from the most general: a label's number, and its weight
CREATE TABLE shown (ordinal int, leaf text, labels int[], weights float8[]);
CREATE PROCEDURE show(column_no int) LANGUAGE plpgsql AS $$
DECLARE
	q quasi_identifier := (SELECT i FROM quasi_identifier AS i WHERE ordinal = column_no);
BEGIN
	EXECUTE format('INSERT INTO shown SELECT %s, leaf, array_agg(nr::int ORDER BY level DESC), array_agg(weight ORDER BY level DESC) FROM (
		SELECT leaf, level, dense_rank() OVER (PARTITION BY level ORDER BY label) AS nr,
			CASE WHEN count(*) OVER (PARTITION BY level, label) < count(*) OVER (PARTITION BY level) THEN 1.0 / count(*) OVER (PARTITION BY level, label) ELSE 0 END AS weight
		FROM (SELECT h.leaf::text, level, (ARRAY[h.leaf::text%s])[level + 1] AS label FROM %I AS h, generate_series(0, %s) AS level) AS x) AS y GROUP BY leaf',
		column_no, (SELECT string_agg(', h.level' || i, '') FROM generate_series(1, q.levels) AS i), 'adult_' || q.name, q.levels);
END $$;
CALL show(1); CALL show(2); CALL show(3); CALL show(4); CALL show(5);
-- the risk and the depth of each distinct record at each node; columns that are left out stay at the top
CREATE PROCEDURE tell_adult(columns int) LANGUAGE plpgsql AS $$
DECLARE
	top int[] := (SELECT array_agg(CASE WHEN ordinal <= columns THEN levels ELSE 0 END ORDER BY ordinal) FROM quasi_identifier WHERE ordinal <= 5);
BEGIN
	CREATE TEMP TABLE tuple ON COMMIT DROP AS
	SELECT row_number() OVER () AS nr, n, a.labels AS l1, b.labels AS l2, c.labels AS l3, d.labels AS l4, e.labels AS l5,
		a.weights AS w1, b.weights AS w2, c.weights AS w3, d.weights AS w4, e.weights AS w5
	FROM (SELECT age::text AS v1, workclass AS v2, education AS v3, CASE WHEN columns > 3 THEN marital_status END AS v4,
			CASE WHEN columns > 4 THEN race END AS v5, count(*) AS n FROM adult GROUP BY 1, 2, 3, 4, 5) AS t
		JOIN shown AS a ON (a.ordinal, a.leaf) = (1, v1) JOIN shown AS b ON (b.ordinal, b.leaf) = (2, v2) JOIN shown AS c ON (c.ordinal, c.leaf) = (3, v3)
		LEFT JOIN shown AS d ON (d.ordinal, d.leaf) = (4, v4) LEFT JOIN shown AS e ON (e.ordinal, e.leaf) = (5, v5);
	CREATE TEMP TABLE told ON COMMIT DROP AS
	SELECT nr, n, x1, x2, x3, x4, x5, (x1 + x2 + x3 + x4 + x5)::float8 AS utility,
		(w1[x1 + 1] + w2[x2 + 1] + w3[x3 + 1] + coalesce(w4[x4 + 1], 0) + coalesce(w5[x5 + 1], 0))
			/ sum(n) OVER (PARTITION BY x1, x2, x3, x4, x5, l1[x1 + 1], l2[x2 + 1], l3[x3 + 1], l4[x4 + 1], l5[x5 + 1])::float8 AS risk
	FROM tuple, generate_series(0, top[1]) AS x1, generate_series(0, top[2]) AS x2, generate_series(0, top[3]) AS x3,
		generate_series(0, top[4]) AS x4, generate_series(0, top[5]) AS x5;
	INSERT INTO lattice
	SELECT 3, format('Adult, %s columns, utility %s', columns, (top[1] + top[2] + top[3] + top[4] + top[5]) / 2),
		array_agg(risk ORDER BY x1), array_agg(utility ORDER BY x1), (top[1] + top[2] + top[3] + top[4] + top[5]) / 2, n FROM (
		SELECT nr, n, x1, array_agg(risk ORDER BY x2) AS risk, array_agg(utility ORDER BY x2) AS utility FROM (
			SELECT nr, n, x1, x2, array_agg(risk ORDER BY x3) AS risk, array_agg(utility ORDER BY x3) AS utility FROM (
				SELECT nr, n, x1, x2, x3, array_agg(risk ORDER BY x4) AS risk, array_agg(utility ORDER BY x4) AS utility FROM (
					SELECT nr, n, x1, x2, x3, x4, array_agg(risk ORDER BY x5) AS risk, array_agg(utility ORDER BY x5) AS utility
					FROM told GROUP BY nr, n, x1, x2, x3, x4) AS p GROUP BY nr, n, x1, x2, x3) AS q GROUP BY nr, n, x1, x2) AS r GROUP BY nr, n, x1) AS s GROUP BY nr, n;
	DROP TABLE tuple, told;
END $$;
CALL tell_adult(3); CALL tell_adult(4); CALL tell_adult(5);

CREATE FUNCTION visits(algorithm text, risk float8[], utility float8[], c float8) RETURNS int LANGUAGE sql AS
	$$ SELECT array_length(visited, 1) FROM anonopt.record_walk($1, $2, $3, $4) $$;
-- The paper's branch and bound is a heuristic, of which it tells no more: here it is the first
-- dive, from the most general node on by the step of least risk, until a node is useful enough.
CREATE FUNCTION dive(risk float8[], utility float8[], c float8, OUT visited int, OUT reached float8) LANGUAGE plpgsql AS $$
DECLARE
	size int[] := ARRAY(SELECT coalesce(array_length(risk, d), 1) FROM generate_series(1, 5) AS d);
	place int[] := '{0,0,0,0,0}';
	risks float8[] := ARRAY(SELECT r FROM unnest(risk) AS r);
	utilities float8[] := ARRAY(SELECT u FROM unnest(utility) AS u);
	best int;
	at int;
	next int;
BEGIN
	visited := 1;
	LOOP
		at := 1 + (((place[1] * size[2] + place[2]) * size[3] + place[3]) * size[4] + place[4]) * size[5] + place[5];
		reached := risks[at];
		EXIT WHEN utilities[at] >= c;
		best := NULL;
		FOR d IN 1..5 LOOP
			CONTINUE WHEN place[d] + 1 >= size[d];
			next := at + CASE d WHEN 1 THEN size[2] * size[3] * size[4] * size[5] WHEN 2 THEN size[3] * size[4] * size[5] WHEN 3 THEN size[4] * size[5] WHEN 4 THEN size[5] ELSE 1 END;
			visited := visited + 1;
			IF best IS NULL OR risks[next] < reached THEN
				best := d;
				reached := risks[next];
			END IF;
		END LOOP;
		EXIT WHEN best IS NULL;
		place[best] := place[best] + 1;
	END LOOP;
END $$;
SELECT line('lattice', 'nodes', 'records', 'ARUBA''s walk', 'BTDA''s walk', 'branch and bound', 'its first dive', 'risk of that', 'least risk');
SELECT rule(9);
SELECT line(what, max(cardinality(risk))::text, sum(records)::text, round(sum(records * visits('aruba', risk, utility, c)) / sum(records), 1)::text,
	round(sum(records * visits('btda', risk, utility, c)) / sum(records), 1)::text,
	round(sum(records * visits('branch_and_bound', risk, utility, c)) / sum(records), 1)::text,
	round(sum(records * d.visited)::numeric / sum(records), 1)::text, round((sum(records * d.reached) / sum(records))::numeric, 4)::text,
	round((sum(records * (SELECT min(r) FROM unnest(risk, utility) AS x (r, u) WHERE u >= c)) / sum(records))::numeric, 4)::text)
FROM lattice, LATERAL dive(risk, utility, c) AS d GROUP BY place, what ORDER BY place, what;
