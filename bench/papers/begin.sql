-- begin.sql: what every script here begins with: the extension, the census data and
-- how a line of a table is printed.  Variables: adult_dir, seeds, evaluations.
\set ON_ERROR_STOP on
SET client_min_messages = warning;
SET anonopt.max_workers = 0;
\set middle 1
\set large 1
\set statistics 10
CREATE EXTENSION anonopt;
\ir ../adult.sql

-- A line of a table: its arguments, with a dash for NULL
CREATE FUNCTION line(VARIADIC cells text[]) RETURNS text
LANGUAGE sql AS $$ SELECT '| ' || string_agg(coalesce(c, '–'), ' | ' ORDER BY i) || ' |' FROM unnest(cells) WITH ORDINALITY x (c, i) $$;

-- The line below a table's head
CREATE FUNCTION rule(columns int) RETURNS text
LANGUAGE sql AS $$ SELECT '|' || repeat('---|', columns) $$;

-- CPU time of this session so far, in ms: what a loaded machine does not stretch
CREATE FUNCTION cpu_ms() RETURNS bigint LANGUAGE sql VOLATILE AS
	$$ SELECT 10 * (f[12]::bigint + f[13]::bigint) FROM string_to_array(regexp_replace(pg_read_file('/proc/self/stat'), '^.*\) ', ''), ' ') AS f $$;

-- The preferences paper's data: nine columns, age by ranges of five years, 105 bits, nobody
-- suppressed; weights equal, or more of them for some columns
CREATE TABLE weighting (ordinal int, dataset text, says text, weights float8[]);
INSERT INTO weighting VALUES (1, 'equal', 'equal', '{1,1,1,1,1,1,1,1,1}'), (2, 'country', 'native country ten times', '{1,1,1,1,1,1,10,1,1}'),
	(3, 'size', 'the size of the domain', '{20,7,16,7,5,2,41,2,14}'), (4, 'person', 'age and education ten times', '{10,1,10,1,1,1,1,1,1}'),
	(5, 'origin', 'native country and occupation ten times', '{1,1,1,1,1,1,10,1,10}');
SELECT FROM anonopt.create_range_hierarchy('age5', 0, 100, 5, '{10,20,40}');
CREATE TABLE work AS SELECT * FROM (SELECT DISTINCT occupation AS leaf, '*' AS level1 FROM adult) AS x;
SELECT FROM weighting, anonopt.create_dataset(dataset, 'adult', max_suppression => 0);
SELECT anonopt.add_quasi_identifier(dataset, name, (CASE name WHEN 'age' THEN 'age5' WHEN 'occupation' THEN 'work' ELSE 'adult_' || name END)::regclass,
	weights[place]) AS done
FROM weighting, (SELECT ordinal, name FROM quasi_identifier UNION ALL VALUES (9, 'occupation')) AS each (place, name) ORDER BY dataset, place \g /dev/null

-- What searches return, a row each: how many solutions, how many of them feasible, of these of
-- the least ach and undominated in NWP and NECD; the chosen one
CREATE TABLE preferred (ordinal int, says text, asked int, seed int, solutions int, feasible int, least int, undominated int,
	is_undominated boolean, k bigint, nwp float8, necd float8, deviation float8, evaluated bigint, groups int[]);
CREATE PROCEDURE prefer(ordinal int, says text, dataset text, asked int, necd_pref float8, population int, evaluations int, seeds int)
LANGUAGE plpgsql AS $$
DECLARE
	measured bigint;
BEGIN
	FOR seed IN 1..seeds LOOP
		CREATE TEMP TABLE solution ON COMMIT DROP AS SELECT * FROM anonopt.nsga2(dataset, asked, necd_pref, 0.2, population, evaluations, seed => seed);
		SELECT evaluated INTO measured FROM anonopt.last_search();
		INSERT INTO preferred SELECT ordinal, says, asked, seed, (SELECT count(*) FROM solution), count(*), count(*) FILTER (WHERE s.ach = c.ach),
			count(*) FILTER (WHERE NOT beaten), bool_and(NOT beaten) FILTER (WHERE s.chosen), c.k, c.nwp, c.necd, c.pref_dev, measured, c.groups
		FROM (SELECT *, EXISTS (SELECT FROM solution AS o WHERE o.feasible AND o.nwp <= s.nwp AND o.necd <= s.necd AND (o.nwp, o.necd) <> (s.nwp, s.necd)) AS beaten
			FROM solution AS s WHERE feasible) AS s, (SELECT * FROM solution WHERE chosen) AS c
		GROUP BY c.k, c.nwp, c.necd, c.pref_dev, c.groups;
		DROP TABLE solution;
	END LOOP;
END $$;
-- A mean and, in parentheses, the standard deviation over the seeds
CREATE FUNCTION mean(float8[]) RETURNS text LANGUAGE sql AS
	$$ SELECT format('%s (%s)', round(avg(x)::numeric, 3), round(coalesce(stddev(x), 0)::numeric, 3)) FROM unnest($1) AS x $$;

-- Points of a picture: a panel's circles are the exact ones, its crosses those found
CREATE TABLE drawn (panel int, title text, x float8, y float8, exact boolean, found boolean);
CREATE FUNCTION drawing(wide boolean DEFAULT true) RETURNS SETOF text LANGUAGE sql AS $$
	WITH scale AS (
		SELECT panel, title, min(x) AS x0, max(x) AS x1, min(y) AS y0, max(y) AS y1 FROM drawn GROUP BY panel, title),
	place AS (
		SELECT DISTINCT panel, exact, found, round((320 * (panel - 1) + 40 + 260 * CASE WHEN wide AND x0 > 0 THEN ln(x / x0) / ln(x1 / x0) ELSE (x - x0) / (x1 - x0) END)::numeric, 1) AS px,
			round((240 - 200 * (y - y0) / (y1 - y0))::numeric, 1) AS py FROM drawn JOIN scale USING (panel))
	SELECT format('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s 280" font-family="sans-serif" font-size="11">', 320 * (SELECT max(panel) FROM scale))
	UNION ALL SELECT format('<path fill="none" stroke="#333" d="M%1$s 30V245H%2$s"/><text x="%1$s" y="20">%3$s</text><text x="%1$s" y="260">%4$s</text>'
		'<text x="%2$s" y="260" text-anchor="end">%5$s</text><text x="%6$s" y="42">%7$s</text><text x="%6$s" y="240">%8$s</text>',
		320 * (panel - 1) + 35, 320 * panel - 15, anonopt.html(title), anonopt.short_number(x0), anonopt.short_number(x1), 320 * (panel - 1) + 40,
		anonopt.short_number(y1), anonopt.short_number(y0)) FROM scale
	UNION ALL SELECT format('<path fill="none" stroke="#c2410c" d="%s"/>%s', string_agg(format('M%s %sl4 4m0 -4l-4 4', px - 2, py - 2), '' ORDER BY px, py) FILTER (WHERE found),
		string_agg(format('<circle fill="none" stroke="#2563a8" cx="%s" cy="%s" r="3"/>', px, py), '' ORDER BY px, py) FILTER (WHERE exact)) FROM place GROUP BY panel
	UNION ALL SELECT '</svg>'
$$;

-- ARUBA and BTDA beside each other: so many columns each with half of their depth as the
-- utility, or eight columns with so much utility each
CREATE TABLE walk (columns int, nodes numeric, c int, aruba_visits numeric, btda_visits numeric, aruba_ms bigint, btda_ms bigint);
CREATE PROCEDURE compare_walks(columns_ int[], utilities int[]) LANGUAGE plpgsql AS $$
DECLARE
	w walk;
	began bigint;
BEGIN
	TRUNCATE walk;
	FOR w.columns, w.c IN
		SELECT n, (SELECT (sum(levels) / 2)::int FROM quasi_identifier WHERE ordinal <= n) FROM unnest(columns_) AS n
		UNION ALL SELECT 8, u FROM unnest(utilities) AS u
	LOOP
		CALL declare_adult('columns', 'adult', w.columns);
		w.nodes := anonopt.lattice_size('columns');
		began := cpu_ms();
		w.aruba_visits := (SELECT avg(visited) FROM anonopt.aruba('columns', w.c));
		w.aruba_ms := cpu_ms() - began;
		began := cpu_ms();
		w.btda_visits := (SELECT avg(visited) FROM anonopt.btda('columns', w.c));
		w.btda_ms := cpu_ms() - began;
		INSERT INTO walk VALUES (w.*);
		PERFORM anonopt.drop_dataset('columns');
	END LOOP;
END $$;

-- POkA on a metric, a share suppressed, a depth: what it finds of the exact front with k > 1,
-- and how many of its rows are not on it
CREATE TABLE approximated (metric text, suppression int, depth int, front bigint, hits bigint, others bigint, evaluated bigint, nodes numeric, options text);
CREATE PROCEDURE approximate(metric text, suppression int, depth int, options text DEFAULT '') LANGUAGE plpgsql AS $$
DECLARE
	a approximated;
BEGIN
	PERFORM anonopt.create_dataset('poka', 'adult', max_suppression => suppression / 100.0);
	PERFORM anonopt.add_quasi_identifier('poka', name, ('adult_' || name)::regclass)
	FROM (SELECT name FROM quasi_identifier WHERE ordinal <= CASE metric WHEN 'cm' THEN 7 ELSE 8 END ORDER BY ordinal) AS one;
	IF metric = 'cm' THEN
		PERFORM anonopt.set_class_label('poka', 'salary_class');
	END IF;
	EXECUTE format('CREATE TEMP TABLE front ON COMMIT DROP AS SELECT k, %1$I AS loss FROM anonopt.pareto(''poka'', ARRAY[''k'', %1$L]) WHERE k > 1', metric);
	EXECUTE format('CREATE TEMP TABLE found ON COMMIT DROP AS SELECT k, %I AS loss FROM anonopt.poka(''poka'', %1$L, %s%s) WHERE k > 1', metric, depth, options);
	INSERT INTO approximated SELECT metric, suppression, depth, (SELECT count(*) FROM front), (SELECT count(DISTINCT (k, loss)) FROM found JOIN front USING (k, loss)),
		(SELECT count(*) FROM found WHERE (k, loss) NOT IN (SELECT k, loss FROM front)), evaluated, nodes, options FROM anonopt.last_search();
	DROP TABLE front, found;
	PERFORM anonopt.drop_dataset('poka');
END $$;
CREATE FUNCTION approximated_lines() RETURNS SETOF text LANGUAGE sql AS $$
	SELECT line('metric', 'suppression', 'depth', 'front, k > 1', 'found of it', 'not on it', 'nodes measured', 'of the lattice')
	UNION ALL SELECT rule(8)
	UNION ALL (SELECT line(upper(metric), suppression || ' %', depth::text, front::text, hits::text, others::text, evaluated::text, round(100.0 * evaluated / nodes, 1) || ' %')
		FROM approximated ORDER BY array_position('{glm,dcn,cm}', metric), suppression, depth)
$$;

-- PBG-EA: the exact set of some objectives, drawn by two of them, and what the search of seed 1 finds
CREATE PROCEDURE evolve(panel int, dataset text, objectives text[], x text, y text, epsilon float8[] DEFAULT NULL) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('INSERT INTO drawn SELECT %s, %L, coalesce(e.%4$I, f.%4$I), coalesce(e.%5$I, f.%5$I), e.levels IS NOT NULL, f.levels IS NOT NULL
		FROM (SELECT DISTINCT ON (%6$s) * FROM anonopt.pareto(%3$L, %7$L) ORDER BY %6$s) AS e
		FULL JOIN (SELECT DISTINCT ON (%6$s) * FROM anonopt.pbg_ea(%3$L, %7$L, %8$L, iterations => 1000, max_nodes => 916, seed => 1) ORDER BY %6$s) AS f USING (%6$s)',
		panel, format('%s: %s against %s', array_to_string(objectives, ', '), y, x), dataset, x, y, array_to_string(objectives, ','), objectives, epsilon);
END $$;

-- The comparing paper's ten people, in the releases T3a, T3b and T4
CREATE TABLE person (nr int PRIMARY KEY, zip text, age int, status text);
INSERT INTO person VALUES
	(1, '13053', 28, 'CF-Spouse'), (2, '13268', 41, 'Separated'), (3, '13268', 39, 'Never Married'),
	(4, '13053', 26, 'CF-Spouse'), (5, '13253', 50, 'Divorced'), (6, '13253', 55, 'Spouse Absent'),
	(7, '13250', 49, 'Divorced'), (8, '13052', 31, 'Spouse Present'), (9, '13269', 42, 'Separated'), (10, '13250', 47, 'Separated');
CREATE TABLE zip AS SELECT DISTINCT zip, left(zip, 4) || '*' AS one, left(zip, 3) || '**' AS two, left(zip, 2) || '***' AS three FROM person;
CREATE TABLE age AS SELECT age, CASE WHEN age <= 25 THEN '(15,25]' WHEN age <= 35 THEN '(25,35]' WHEN age <= 45 THEN '(35,45]' ELSE '(45,55]' END AS tens,
	CASE WHEN age <= 35 THEN '(15,35]' ELSE '(35,55]' END AS twenties FROM generate_series(16, 55) AS age;
CREATE TABLE age_t4 AS SELECT age, CASE WHEN age <= 40 THEN '(20,40]' ELSE '(40,60]' END AS twenties FROM generate_series(21, 60) AS age;
CREATE TABLE status AS SELECT DISTINCT status, CASE WHEN status IN ('CF-Spouse', 'Spouse Present') THEN 'Married' ELSE 'Not Married' END AS kind,
	'*' AS anything FROM person;
SELECT FROM anonopt.create_dataset('t3', 'person', max_suppression => 0);
SELECT FROM anonopt.create_dataset('t4', 'person', max_suppression => 0);
SELECT FROM anonopt.add_quasi_identifier('t3', 'zip', 'zip');
SELECT FROM anonopt.add_quasi_identifier('t3', 'age', 'age');
SELECT FROM anonopt.add_sensitive('t3', 'status');
SELECT FROM anonopt.add_quasi_identifier('t4', 'zip', 'zip');
SELECT FROM anonopt.add_quasi_identifier('t4', 'age', 'age_t4');
SELECT FROM anonopt.add_quasi_identifier('t4', 'status', 'status');
CREATE TABLE shown AS
SELECT release, property, record::int AS nr, value
FROM (VALUES ('T3a', 't3', '{1,1}'::int[]), ('T3b', 't3', '{2,2}'), ('T4', 't4', '{3,1,2}')) AS r (release, dataset, levels),
	unnest('{class_size,sensitive_count}'::text[]) AS property, LATERAL anonopt.property_vector(dataset, levels, property, 'nr')
WHERE dataset = 't3' OR property <> 'sensitive_count';
CREATE FUNCTION of(release text, property text) RETURNS float8[] LANGUAGE sql AS
	$$ SELECT array_agg(value ORDER BY nr) FROM shown AS v WHERE (v.release, v.property) = ($1, $2) $$;
CREATE FUNCTION index(aggregate text, a float8[], b float8[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT anonopt.%I(a, b)::text FROM unnest($1, $2) AS x (a, b)', aggregate) INTO result USING a, b;
	RETURN result;
END $$;

-- The printed utility.  The paper names its measure, but no formula; 1 - n/D a column gives its
-- numbers, where a label covers n of the D values that there are.  Ours by Xiao and Tao is 1 - (n - 1)/D for all columns together, measured
-- a record by aruba if its levels are one node.
CREATE TABLE age_seen AS SELECT age.* FROM age WHERE age IN (SELECT age FROM person);
CREATE FUNCTION printed_utility(levels int[]) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE
	result float8[];
BEGIN
	PERFORM anonopt.create_dataset('seen', 'person'), anonopt.add_quasi_identifier('seen', 'zip', 'zip', 1, levels[1], levels[1]),
		anonopt.add_quasi_identifier('seen', 'age', 'age_seen', 1, levels[2], levels[2]), anonopt.add_quasi_identifier('seen', 'status', 'status', 1, levels[3], levels[3]);
	result := (SELECT array_agg(utility - 1 + 3 - 1 / 6.0 - 1 / 10.0 - 1 / 6.0 ORDER BY record::int) FROM anonopt.aruba('seen', -100, 'identity', 'xiao_tao', key => 'nr'));
	PERFORM anonopt.drop_dataset('seen');
	RETURN result;
END $$;

-- ARUBA's printed lattice, Figure 5; (0, 0) is the most general node.  Figure 6 prints the risk
-- and utility of t s r p q o k l j e f b; the picture of Figure 5 is not at hand, so the numbers
-- of the other eight may be ours.
CREATE TABLE figure (name text, x int, y int, risk float8, utility float8);
INSERT INTO figure VALUES
	('t', 0, 0, 0, 0), ('r', 1, 0, 12, 2), ('s', 0, 1, 10, 4), ('o', 2, 0, 14, 5), ('p', 1, 1, 15, 7),
	('q', 0, 2, 21, 9), ('k', 3, 0, 16, 8), ('l', 2, 1, 22, 11), ('m', 1, 2, 28, 13), ('n', 0, 3, 32, 13),
	('g', 3, 1, 25, 12), ('h', 2, 2, 36, 14), ('i', 1, 3, 45, 16), ('j', 0, 4, 55, 17), ('d', 3, 2, 50, 17),
	('e', 2, 3, 60, 21), ('f', 1, 4, 62, 18), ('b', 3, 3, 63, 23), ('c', 2, 4, 70, 25), ('a', 3, 4, 80, 30);
CREATE VIEW printed_lattice AS
SELECT array_agg(risk ORDER BY x) AS risk, array_agg(utility ORDER BY x) AS utility
FROM (SELECT x, array_agg(risk ORDER BY y) AS risk, array_agg(utility ORDER BY y) AS utility FROM figure GROUP BY x) AS line;

-- The nodes of it that a walk visits for a utility of 18, in their order, and the best
CREATE FUNCTION walk_printed(algorithm text, OUT visits text, OUT best text) LANGUAGE sql AS $$
	SELECT (SELECT string_agg(name, ' ' ORDER BY i) FROM generate_subscripts(visited, 1) AS i JOIN figure ON (x, y) = (visited[i][1], visited[i][2])),
		(SELECT name FROM figure WHERE ARRAY[x, y] = w.best)
	FROM printed_lattice AS l, anonopt.record_walk(algorithm, l.risk, l.utility, 18) AS w
$$;
