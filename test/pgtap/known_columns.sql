-- Promises against people who know any so many columns, beside plain SQL that takes away what breaks them until
-- nothing does: in every node of small random data sets, with several promises at once.
\ir begin.inc

SET anonopt.composition = off;

CREATE SCHEMA known;

-- One random data set at a time: a hierarchy by attribute and leaf, rows, and promises.
CREATE TABLE known.hierarchy (attr int, leaf int, labels text[]);
CREATE TABLE known.data (r serial, q1 int, q2 int, q3 int, q4 int, s text, who int, n int);
CREATE TABLE known.promise (model text, threshold float8, columns int);
CREATE TABLE known.data_set (nattrs int, persons boolean, share float8);

-- Rows that are still shown at each node, and how many classes and rows of each are hidden.
CREATE TABLE known.shown (levels int[], r int, labels text[], s text, who int, n int);
CREATE TABLE known.hidden (levels int[], labels text[], people bigint);

CREATE FUNCTION known.below(n int) RETURNS int LANGUAGE sql VOLATILE AS $$ SELECT floor(random() * n)::int $$;

-- Declares a random data set named d.
CREATE FUNCTION known.make(seed int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	nattrs int;
	leaves int;
	levels int;
	kind int := seed % 4;		-- 0, 1: a row is a person, 2: rows count people, 3: a person may have several
	n int;
BEGIN
	PERFORM setseed((seed % 1000) / 1000.0);
	PERFORM anonopt.drop_dataset(dataset) FROM anonopt.dataset WHERE dataset = 'd';
	TRUNCATE known.hierarchy, known.data, known.promise, known.data_set, known.shown, known.hidden;
	DROP TABLE IF EXISTS known.h1, known.h2, known.h3, known.h4;
	nattrs := 2 + known.below(3);
	n := 4 + known.below(CASE WHEN seed % 5 = 0 THEN 8 ELSE 80 END);
	FOR a IN 1..nattrs LOOP
		leaves := 1 + known.below(5);
		levels := 1 + known.below(CASE WHEN nattrs < 4 THEN 3 ELSE 2 END);
		INSERT INTO known.hierarchy
		SELECT a, leaf, ARRAY[leaf::text] || CASE WHEN levels > 1 THEN ARRAY['a' || leaf / 2] END || CASE WHEN levels > 2 THEN ARRAY['b' || leaf / 4] END
			|| CASE WHEN a = 1 AND seed % 7 = 0 THEN NULL ELSE ARRAY['*'] END
		FROM generate_series(0, leaves) leaf;
		EXECUTE format('CREATE TABLE known.h%s AS SELECT leaf%s FROM known.hierarchy WHERE attr = %1$s', a,
			(SELECT string_agg(format(', labels[%s] AS l%s', i + 1, i), '' ORDER BY i)
			 FROM generate_series(1, (SELECT cardinality(h.labels) - 1 FROM known.hierarchy h WHERE attr = a LIMIT 1)) i));
		EXECUTE format('ALTER TABLE known.h%s ADD PRIMARY KEY (leaf)', a);
	END LOOP;
	INSERT INTO known.data (q1, q2, q3, q4, s, who, n)
	SELECT CASE WHEN random() < 0.08 THEN NULL ELSE x[1] END, CASE WHEN random() < 0.05 THEN 99 ELSE x[2] END, x[3], x[4],
		chr(97 + known.below(3)), 1 + known.below(n * 2 / 3), CASE kind WHEN 2 THEN 1 + known.below(3) ELSE 1 END
	FROM generate_series(1, n) i, LATERAL (
		SELECT array_agg(floor((SELECT max(leaf) + 1 FROM known.hierarchy WHERE attr = least(a, nattrs))
							   * random() ^ (1 + i % 3 + a % 2))::int ORDER BY a) AS x
		FROM generate_series(1, 4) a) y;
	INSERT INTO known.data_set VALUES (nattrs, kind = 3, (ARRAY[0, 0.1, 0.2, 0.35, 0.6, 1])[1 + known.below(6)]);
	PERFORM anonopt.create_dataset('d', 'known.data', (SELECT share FROM known.data_set),
		CASE kind WHEN 3 THEN 'who'::name END, CASE kind WHEN 2 THEN 'n'::name END);
	PERFORM anonopt.add_quasi_identifier('d', ('q' || a)::name, ('known.h' || a)::regclass, unknown => CASE a WHEN 2 THEN '*' END)
	FROM generate_series(1, nattrs) a ORDER BY a;
	PERFORM anonopt.add_sensitive('d', 's');
	-- 0: of each class by itself
	INSERT INTO known.promise
	SELECT m, 2 + known.below(CASE m WHEN 'k' THEN 4 ELSE 2 END), CASE WHEN i > 1 AND random() < 0.3 THEN 0 ELSE 1 + known.below(nattrs + 1) END
	FROM generate_series(1, 1 + known.below(4)) i, LATERAL (SELECT CASE WHEN random() + 0 * i < 0.65 THEN 'k' ELSE 'l' END AS m) x;
	DELETE FROM known.promise p WHERE EXISTS (
		SELECT FROM known.promise o WHERE (o.model, o.columns) = (p.model, p.columns) AND o.ctid > p.ctid);
	IF seed % 6 = 5 THEN
		INSERT INTO known.promise VALUES ('alpha', 0.6, 0);
	END IF;
	PERFORM anonopt.add_promise('d', model, threshold, CASE WHEN model <> 'k' THEN 's'::name END, columns_known => nullif(columns, 0))
	FROM known.promise;
END $$;

-- All sets of so many numbers up to n.
CREATE FUNCTION known.sets(n int, size int) RETURNS SETOF int[] LANGUAGE sql AS $$
	WITH RECURSIVE sets AS (SELECT '{}'::int[] AS s UNION ALL
		SELECT s || i FROM sets, generate_series(coalesce(s[cardinality(s)], 0) + 1, n) i WHERE cardinality(s) < size)
	SELECT s FROM sets WHERE cardinality(s) = size
$$;

-- Takes away, at every node, the rows whose class by a set of columns breaks a promise; returns their number.
CREATE FUNCTION known.take_away(columns int[], promise known.promise) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	class text := CASE WHEN columns = '{}' THEN 'labels' ELSE
		'ARRAY[' || (SELECT string_agg(format('labels[%s]', c), ',') FROM unnest(columns) c) || ']' END;
	taken bigint;
BEGIN
	IF promise.model = 'alpha' THEN
		DELETE FROM known.shown x USING (
			SELECT levels, labels FROM (SELECT y.levels, y.labels, s, sum(n) AS n FROM known.shown y GROUP BY 1, 2, 3) z
			GROUP BY 1, 2 HAVING max(n) / sum(n) > promise.threshold) b WHERE (x.levels, x.labels) = (b.levels, b.labels);
		RETURN 0;
	END IF;
	EXECUTE format('DELETE FROM known.shown x USING (SELECT y.levels, %1$s AS class FROM known.shown y GROUP BY 1, 2 HAVING %2$s < %3$s) b'
		' WHERE x.levels = b.levels AND %4$s = b.class', class, CASE WHEN promise.model = 'l' THEN 'count(DISTINCT s)'
			WHEN (SELECT persons FROM known.data_set) THEN 'count(DISTINCT who)' ELSE 'sum(n)' END,
		promise.threshold, replace(class, 'labels', 'x.labels'));
	GET DIAGNOSTICS taken = ROW_COUNT;
	RETURN taken;
END $$;

-- The label of a value at a level.
CREATE FUNCTION known.label(a int, value int, level int) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT CASE
		WHEN EXISTS (SELECT FROM known.hierarchy WHERE attr = a AND leaf = value) THEN
			(SELECT labels[level + 1] FROM known.hierarchy WHERE attr = a AND leaf = value)
		WHEN value IS NOT NULL OR
			(SELECT count(DISTINCT labels[level + 1]) = 1 AND max(cardinality(labels)) = level + 1 FROM known.hierarchy WHERE attr = a)
			THEN (SELECT max(labels[cardinality(labels)]) FROM known.hierarchy WHERE attr = a)
		ELSE '(null)' END
$$;

-- Shows at every node what keeps all promises.
CREATE FUNCTION known.show() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	p known.promise;
	columns int[];
	taken bigint := 1;
	n int := (SELECT nattrs FROM known.data_set);
BEGIN
	CREATE TEMP TABLE label_of ON COMMIT DROP AS
	SELECT a, value, level, known.label(a, value, level) AS label
	FROM generate_series(1, n) a, LATERAL (SELECT max(cardinality(labels)) AS size FROM known.hierarchy WHERE attr = a) h,
		generate_series(0, size - 1) level, LATERAL (SELECT DISTINCT (ARRAY[q1, q2, q3, q4])[a] AS value FROM known.data) v;
	INSERT INTO known.shown
	WITH RECURSIVE node AS (
		SELECT '{}'::int[] AS levels, d.r, '{}'::text[] AS labels, ARRAY[q1, q2, q3, q4] AS x, s, who, d.n FROM known.data d
		UNION ALL
		SELECT levels || l.level, r, labels || l.label, x, s, who, node.n
		FROM node JOIN label_of l ON l.a = cardinality(levels) + 1 AND l.value IS NOT DISTINCT FROM x[l.a])
	SELECT levels, r, labels, s, who, node.n FROM node WHERE cardinality(levels) = (SELECT nattrs FROM known.data_set);
	DROP TABLE label_of;
	CREATE TEMP TABLE everybody ON COMMIT DROP AS SELECT * FROM known.shown;
	FOR p IN SELECT * FROM known.promise q WHERE q.columns = 0 LOOP
		PERFORM known.take_away('{}', p);
	END LOOP;
	WHILE taken > 0 LOOP
		taken := 0;
		FOR p IN SELECT * FROM known.promise q WHERE q.columns > 0 LOOP
			FOR columns IN SELECT c FROM known.sets(n, least(p.columns, n)) c LOOP
				taken := taken + known.take_away(columns, p);
			END LOOP;
		END LOOP;
	END LOOP;
	INSERT INTO known.hidden
	SELECT levels, labels, CASE WHEN (SELECT persons FROM known.data_set) THEN count(DISTINCT who) ELSE sum(e.n) END
	FROM everybody e WHERE (levels, r) NOT IN (SELECT s.levels, s.r FROM known.shown s) GROUP BY 1, 2;
	DROP TABLE everybody;
END $$;

-- People in classes of what is shown.
CREATE FUNCTION known.least_people(n int, size int) RETURNS TABLE (levels int[], people bigint) LANGUAGE plpgsql AS $$
DECLARE
	persons boolean := (SELECT d.persons FROM known.data_set d);
BEGIN
	RETURN QUERY
	SELECT c.levels, min(c.people) FROM (
		SELECT s.levels, CASE WHEN persons THEN count(DISTINCT s.who) ELSE sum(s.n) END AS people
		FROM known.shown s, known.sets(least_people.n, least(size, least_people.n)) columns
		GROUP BY s.levels, columns, (SELECT array_agg(s.labels[i]) FROM unnest(columns) i)) c
	GROUP BY 1;
END $$;

-- What lattice should say: node, suppressed rows, classes, k, k_known, feasible.
CREATE FUNCTION known.expected() RETURNS TABLE (node text) LANGUAGE sql AS $$
	WITH all_people AS (SELECT sum(n) AS people FROM known.data),
	node AS (
		SELECT n.levels, a.people - coalesce(sum(s.n), 0) AS suppressed, count(DISTINCT s.labels) AS classes
		FROM (SELECT levels FROM known.shown UNION SELECT levels FROM known.hidden) n
			LEFT JOIN known.shown s USING (levels), all_people a GROUP BY n.levels, a.people)
	SELECT concat_ws(' ', levels, suppressed, classes, coalesce(k.people, -1), coalesce(x.people, -1),
		suppressed <= floor(share::numeric * a.people))
	FROM node CROSS JOIN known.data_set d CROSS JOIN all_people a
		CROSS JOIN (SELECT coalesce(max(columns), 0) AS columns FROM known.promise WHERE model = 'k') of_k
		LEFT JOIN LATERAL (SELECT * FROM known.least_people(d.nattrs, d.nattrs)) k USING (levels)
		LEFT JOIN LATERAL (SELECT * FROM known.least_people(d.nattrs, of_k.columns) WHERE of_k.columns > 0) x USING (levels)
$$;

-- What differs from that for a data set: of every node, and of the functions that look at one or search.
CREATE FUNCTION known.differences(seed int) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	chosen int[];
BEGIN
	PERFORM known.make(seed);
	PERFORM known.show();
	CREATE TEMP TABLE node ON COMMIT DROP AS SELECT * FROM anonopt.lattice('d');
	SELECT levels INTO chosen FROM node ORDER BY random() LIMIT 1;
	RETURN QUERY
	WITH got AS (SELECT concat_ws(' ', levels, suppressed, classes, coalesce(k, -1), coalesce(k_known, -1), feasible) AS node FROM node)
	SELECT seed || ' lattice has ' || node FROM (TABLE got EXCEPT SELECT known.expected()) x
	UNION ALL SELECT seed || ' lattice lacks ' || node FROM (SELECT known.expected() AS node EXCEPT TABLE got) x
	UNION ALL SELECT seed || ' evaluate of ' || chosen::text WHERE (SELECT e FROM anonopt.evaluate('d', chosen) e)::text
		IS DISTINCT FROM (SELECT n FROM node n WHERE levels = chosen)::text
	UNION ALL SELECT seed || ' suppressed_classes of ' || chosen::text
	WHERE EXISTS (SELECT labels::text, size FROM anonopt.suppressed_classes('d', chosen)
			EXCEPT ALL SELECT replace(labels::text, '(null)', 'NULL'), people FROM known.hidden WHERE levels = chosen)
		OR (SELECT count(*) FROM anonopt.suppressed_classes('d', chosen)) <> (SELECT count(*) FROM known.hidden WHERE levels = chosen)
	UNION ALL SELECT seed || ' more is suppressed at ' || u.levels::text FROM node l, node u
	WHERE u.suppressed > l.suppressed AND NOT EXISTS (SELECT FROM known.promise WHERE model = 'alpha') AND NOT EXISTS (SELECT FROM unnest(l.levels, u.levels) x(a, b) WHERE a > b)
	UNION ALL SELECT seed || ' optimize by ' || loss FROM unnest('{glm,suppressed,dcn,cm,nwp,necd}'::text[]) loss
	WHERE loss <> 'cm' AND (SELECT o.levels FROM anonopt.optimize('d', loss => loss) o) IS DISTINCT FROM (
		SELECT levels FROM node n WHERE feasible
		ORDER BY (to_jsonb(n) ->> loss)::float8 NULLS LAST, (SELECT sum(x) FROM unnest(levels) x), levels LIMIT 1)
	UNION ALL SELECT seed || ' pareto' WHERE EXISTS (
		SELECT suppressed, glm FROM anonopt.pareto('d', '{suppressed,glm}') EXCEPT ALL
		SELECT DISTINCT suppressed, glm FROM node n WHERE feasible AND NOT EXISTS (SELECT FROM node m WHERE m.feasible
			AND m.suppressed <= n.suppressed AND m.glm <= n.glm AND (m.suppressed < n.suppressed OR m.glm < n.glm)))
	UNION ALL SELECT seed || ' policy_check' FROM (SELECT least_suppression FROM anonopt.policy_check('d') ORDER BY model = 'all' DESC LIMIT 1) c
	WHERE least_suppression IS DISTINCT FROM (SELECT min(suppressed) FROM node WHERE classes > 0)::float8 / (SELECT sum(n) FROM known.data)
		AND ((SELECT count(*) FROM known.promise) > 1 OR NOT EXISTS (SELECT FROM node WHERE classes > 0));
	DROP TABLE node;
END $$;

-- What differs in releases of the optimum: a table, and a view that stars whom it leaves out if that keeps the promises.
CREATE FUNCTION known.differences_of_releases(seed int) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	best int[];
	n int;
	class text;
	p known.promise;
	columns int[];
BEGIN
	PERFORM known.make(seed);
	PERFORM known.show();
	SELECT levels INTO best FROM anonopt.optimize('d');
	SELECT nattrs INTO n FROM known.data_set;
	IF best IS NULL OR NOT EXISTS (SELECT FROM known.shown WHERE levels = best) THEN
		RETURN;
	END IF;
	PERFORM anonopt.publish_table('known.released', 'd', levels => best,
		k => CASE WHEN 'k' IN (SELECT model FROM known.promise) THEN NULL ELSE 1 END);
	PERFORM anonopt.create_view('known.starred', 'd', levels => best, k => 1, suppressed => 'star');
	class := (SELECT 'ARRAY[' || string_agg(format('q%s::text', a), ',' ORDER BY a) || ']' FROM generate_series(1, n) a);
	RETURN QUERY EXECUTE format('WITH expected AS (SELECT replace(labels::text, ''(null)'', ''NULL'') AS labels, s FROM known.shown WHERE levels = %L),'
		' got AS (SELECT %s::text AS labels, s FROM known.released)'
		' SELECT %s || '' released has '' || labels FROM (TABLE got EXCEPT ALL TABLE expected) x'
		' UNION ALL SELECT %3$s || '' released lacks '' || labels FROM (TABLE expected EXCEPT ALL TABLE got) x', best, class, seed);
	RETURN QUERY SELECT seed || ' is verified as ' || v::text FROM anonopt.verify('known.released') v WHERE NOT v.ok OR EXISTS (
		SELECT FROM jsonb_each(v.others) o WHERE (o.value ->> 'ok')::boolean IS NOT TRUE AND NOT (SELECT persons FROM known.data_set));
	-- whoever is a star has the labels of all stars; persons are not told
	IF NOT (SELECT persons FROM known.data_set) THEN
		EXECUTE format('TRUNCATE known.shown; INSERT INTO known.shown SELECT ''{}'', 0, %s, s, 0, 1 FROM known.starred', class);
		FOR p IN SELECT * FROM known.promise LOOP
			RETURN QUERY SELECT seed || ' starred breaks ' || p::text FROM known.sets(n, CASE p.columns WHEN 0 THEN n ELSE least(p.columns, n) END) c
				WHERE known.take_away(c, p) > 0;
		END LOOP;
	END IF;
	DROP TABLE known.released;
	DROP MATERIALIZED VIEW known.starred;
END $$;

SELECT plan(7);
SELECT is_empty($$SELECT known.differences(seed) FROM generate_series(1, pg_temp.few(60)) seed$$,
	'every node shows what plain SQL does, and searches find the best of them');
SELECT is_empty($$SELECT known.differences_of_releases(seed) FROM generate_series(101, 100 + pg_temp.few(60)) seed WHERE seed % 4 <> 2$$,
	'so do releases, with stars or without');
-- Too many sets to be remembered, whoever looks; and fewer bounds where memory is short or sets are many
SELECT format('CREATE TABLE known.wide AS SELECT %s FROM generate_series(1, 30) i',
	string_agg(format('i * %s %% 7 AS c%1$s', c), ', ')) FROM generate_series(1, 40) c \gexec
SELECT anonopt.create_interval_hierarchy('known.sevens', 0, 6, '{2}'), anonopt.create_dataset('w', 'known.wide', 0.2) \g /dev/null
SELECT anonopt.add_quasi_identifier('w', ('c' || c)::name, 'known.sevens') FROM generate_series(1, 40) c \g /dev/null
SELECT anonopt.add_promise('w', 'k', 3, columns_known => 20) \g /dev/null
SELECT throws_ok(call, '54000', 'too many sets of columns', call) FROM unnest(ARRAY[
	$$SELECT anonopt.optimize('w')$$, $$SELECT anonopt.evaluate('w', array_fill(2, ARRAY[40]))$$]) call;
SELECT anonopt.drop_promise('w', 'k', columns_known => 20), anonopt.add_promise('w', 'k', 3, columns_known => 3) \g /dev/null
SELECT set_config('anonopt.memory', '8MB', true) \g /dev/null
SELECT results_eq($$SELECT k_known >= 3 AND feasible FROM anonopt.optimize('w', time_limit => '1 s')$$, $$VALUES (true)$$, 'little memory');
-- alpha dooms a part of a class that the others take away whole: it counts once, so that the finest node is not given up
CREATE TABLE known.doomed AS SELECT 0 AS a, 0 AS b, CASE WHEN i <= 17 THEN 0 ELSE 1 END AS s FROM generate_series(1, 18) i
	UNION ALL SELECT 1, 0, CASE WHEN i <= 90 THEN 0 ELSE 1 + i % 2 END FROM generate_series(1, 180) i
	UNION ALL SELECT 1, 1, CASE WHEN i <= 18 THEN 0 ELSE 1 END FROM generate_series(1, 20) i;
SELECT anonopt.create_interval_hierarchy('known.two', 0, 1, '{}'), anonopt.create_dataset('doomed', 'known.doomed', 40.5 / 218) \g /dev/null
SELECT anonopt.add_quasi_identifier('doomed', 'a', 'known.two'), anonopt.add_quasi_identifier('doomed', 'b', 'known.two'), anonopt.add_sensitive('doomed', 's'),
	anonopt.add_promise('doomed', 'alpha', 0.5, 's'), anonopt.add_promise('doomed', 'k', 20, columns_known => 1) \g /dev/null
SELECT results_eq($$SELECT levels, suppressed FROM anonopt.pareto('doomed')$$, $$SELECT levels, suppressed FROM anonopt.lattice('doomed') WHERE feasible$$,
	'a class that is taken away by two promises counts once');
-- Where there was no time to count what sets of columns suppress, that bounds nothing
SELECT anonopt.optimize('doomed', time_limit => '1 microsecond') \g /dev/null
SELECT cmp_ok(coalesce((SELECT bound FROM anonopt.last_search()), 0), '<=', (SELECT min(glm) FROM anonopt.lattice('doomed') WHERE feasible), 'without time');
SELECT * FROM finish();
ROLLBACK;
