-- The truth about a random world of test/fuzz/worlds, in plain SQL: who is in which class, which classes keep the promises, what
-- is measured, and which rows a release shows.  Nothing here calls the extension.
--
-- The world defines truth.read(), which numbers leaves and people, and truth.read_recoding().  A leaf has a label and a key at each
-- level, from 0.  Keys are never NULL, and differ even where labels look alike: NULL is 'NULL', a value without a leaf is '?' below
-- the last level, and any other key is an equals sign and the label.

DO $$ BEGIN CREATE ROLE world_owner; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$;
DO $$ BEGIN CREATE ROLE world_reader; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO world_owner', current_database()); END $$;
CREATE SCHEMA truth AUTHORIZATION world_owner;
SET ROLE world_owner;
SET check_function_bodies = off;

-- What is declared; quasi-identifiers and sensitive columns by number
CREATE TABLE truth.dataset (max_suppression float8, counts_people boolean);
CREATE TABLE truth.attr (attr int, min_level int, weight float8, occurring boolean);
CREATE TABLE truth.own (col int, distance text);
CREATE TABLE truth.promise (model text, col int, threshold float8, c float8, declared boolean);
-- What was read: rows of hierarchies in their type's order, leaves in preorder, people, and the tuples of a recoding
CREATE TABLE truth.stored (attr int, rank int, label text[], key text[]);
CREATE TABLE truth.leaf (attr int, leaf_no int, label text[], key text[], counts boolean DEFAULT true);
CREATE TABLE truth.person (id int, person int, leaf int[], own int[], class_label int, other text[]);
CREATE TABLE truth.tuple (leaf int[], class bigint);
-- A generalization: the group of each leaf, everybody's class, and those who have none because a view has no labels for them
CREATE TABLE truth.grp (attr int, leaf_no int, class text, shown text, loss int);
CREATE TABLE truth.placed (id int, class text[], shown text[], loss int[]);
CREATE TABLE truth.outside (id int);
-- Its classes, the promises that they break, and figures of each sensitive column
CREATE TABLE truth.class (class text[], rows numeric, people numeric, broken text[]);
CREATE TABLE truth.figure (class text[], col int, l bigint, entropy float8, t float8, alpha float8, beta float8, likely boolean,
	near float8, lacks boolean, counts numeric[], squares numeric);
-- What was known when a family of releases was made: the groups of its labels, or the classes of its tuples
CREATE TABLE truth.kept (name text, attr int, key text, lowest text, class text, position int);
-- The labels that a release gave to people, and the rows that were read last
CREATE TABLE truth.learned (id int, shown text[]);
CREATE TABLE truth.got (id int, label text[], other text[], starred boolean);

-- ------------------------------------------------------------------------ reading

-- Numbers the leaves in preorder, siblings by their smallest leaf.
CREATE FUNCTION truth.walk() RETURNS void LANGUAGE sql AS $$
	WITH chain AS (
		SELECT attr, rank, level, min(rank) OVER (PARTITION BY attr, level, key[level]) AS smallest
		FROM truth.stored, generate_subscripts(key, 1) AS level),
	path AS (SELECT attr, rank, array_agg(smallest ORDER BY level DESC) AS path FROM chain GROUP BY 1, 2)
	INSERT INTO truth.leaf SELECT attr, row_number() OVER (PARTITION BY attr ORDER BY path), label, key FROM path JOIN truth.stored USING (attr, rank)
$$;

-- Adds the leaf of values without one, and that of a NULL that the hierarchy does not name.
CREATE FUNCTION truth.add_leaves(a int, unknown boolean, has_null boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	height int := (SELECT min(cardinality(label)) - 1 FROM truth.stored WHERE attr = a);
	tops text[] := ARRAY(SELECT DISTINCT label[height + 1] FROM truth.stored WHERE attr = a);
BEGIN
	IF unknown THEN
		INSERT INTO truth.stored SELECT a, max(rank) + 1, array_fill(tops[1], ARRAY[height + 1]), array_fill('?'::text, ARRAY[height]) || ('=' || tops[1])
		FROM truth.stored WHERE attr = a;
	END IF;
	IF has_null AND NOT EXISTS (SELECT FROM truth.stored WHERE attr = a AND key[1] = 'NULL') THEN
		INSERT INTO truth.stored SELECT a, max(rank) + 1,
			array_fill(NULL::text, ARRAY[height]) || CASE WHEN cardinality(tops) = 1 AND height > 0 THEN tops[1] END,
			array_fill('NULL'::text, ARRAY[height]) || CASE WHEN cardinality(tops) = 1 AND height > 0 THEN '=' || tops[1] ELSE 'NULL' END
		FROM truth.stored WHERE attr = a;
	END IF;
END $$;

-- Keys of labels, for rows of a hierarchy.
CREATE FUNCTION truth.key(label text[]) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
	SELECT array_agg(coalesce('=' || l, 'NULL') ORDER BY i) FROM unnest(label) WITH ORDINALITY u (l, i)
$$;

-- ----------------------------------------------------------------- generalizations

-- A node's groups, apart by what they are or by what they look like.
CREATE FUNCTION truth.by_node(levels int[], apart boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM truth.grp;
	INSERT INTO truth.grp
	SELECT attr, leaf_no, CASE WHEN apart THEN key[levels[attr] + 1] ELSE coalesce('=' || label[levels[attr] + 1], 'NULL') END, label[levels[attr] + 1],
		greatest(count(*) FILTER (WHERE counts) OVER (PARTITION BY attr, key[levels[attr] + 1]), 1) - 1
	FROM truth.leaf;
	PERFORM truth.place();
END $$;

-- The labels at min_level, in their order.
CREATE VIEW truth.lowest AS
	SELECT attr, leaf_no, min_level, counts, dense_rank() OVER (PARTITION BY attr ORDER BY first) AS position FROM (
		SELECT attr, leaf_no, min_level, counts, min(leaf_no) OVER (PARTITION BY attr, key[min_level + 1]) AS first FROM truth.leaf JOIN truth.attr USING (attr)) x;

CREATE FUNCTION truth.by_cuts(cuts text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM truth.grp;
	INSERT INTO truth.grp
	SELECT attr, leaf_no, run, NULL, greatest(count(*) FILTER (WHERE counts) OVER (PARTITION BY attr, run), 1) - 1
	FROM (SELECT attr, leaf_no, counts, length(replace(left(cuts[attr], position::int - 1), '0', ''))::text AS run FROM truth.lowest) x;
	PERFORM truth.place();
END $$;

CREATE FUNCTION truth.place() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM truth.placed;
	INSERT INTO truth.placed
	SELECT id, array_agg(class ORDER BY attr), array_agg(g.shown ORDER BY attr), array_agg(loss ORDER BY attr)
	FROM truth.person, unnest(leaf) WITH ORDINALITY u (leaf_no, attr) JOIN truth.grp g USING (attr, leaf_no)
	GROUP BY id, leaf HAVING count(*) = cardinality(leaf);
	DELETE FROM truth.outside;
	INSERT INTO truth.outside SELECT id FROM truth.person WHERE id NOT IN (SELECT id FROM truth.placed);
END $$;

-- A cut's groups, remembered by their labels at min_level.
CREATE FUNCTION truth.keep(called text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM truth.kept WHERE name = called;
	INSERT INTO truth.kept SELECT called, attr, key[1], key[min_level + 1], class, position
	FROM truth.grp JOIN truth.leaf USING (attr, leaf_no) JOIN truth.lowest USING (attr, leaf_no);
END $$;

-- The same in a hierarchy that has grown: a new label joins the group on both of its sides, or is a group.  The old ones must be in
-- their order.
CREATE VIEW truth.grown AS
	SELECT name, attr, position, old, class, coalesce(class, CASE WHEN before = after THEN after END, 'new ' || key) AS run FROM (
		SELECT *, (array_remove(array_agg(class) OVER (PARTITION BY name, attr ORDER BY position ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING), NULL))[1] AS after,
			(array_remove(array_agg(class) OVER (PARTITION BY name, attr ORDER BY position DESC ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING), NULL))[1] AS before
		FROM (SELECT n.name, w.attr, w.position, min(l.key[min_level + 1]) AS key, min(k.position) AS old, min(k.class) AS class
			FROM truth.lowest w JOIN truth.leaf l USING (attr, leaf_no) CROSS JOIN (SELECT DISTINCT name FROM truth.kept) n
			LEFT JOIN truth.kept k ON (k.name, k.attr, k.lowest) = (n.name, l.attr, l.key[min_level + 1]) GROUP BY 1, 2, 3) x) y;
CREATE FUNCTION truth.by_grown(called text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM truth.grp;
	INSERT INTO truth.grp
	SELECT attr, leaf_no, run, NULL, count(*) OVER (PARTITION BY attr, run) - 1 FROM truth.lowest JOIN truth.grown USING (attr, position) WHERE name = called;
	PERFORM truth.place();
END $$;
CREATE FUNCTION truth.is_in_order(called text) RETURNS boolean LANGUAGE sql AS $$
	SELECT coalesce(bool_and(old > before), true) FROM (
		SELECT old, lag(old) OVER (PARTITION BY attr ORDER BY position) AS before FROM truth.grown WHERE name = called AND old IS NOT NULL) x WHERE before IS NOT NULL
$$;

-- Whether every label with a leaf that was known begins with one; if not, its place may have changed.
CREATE FUNCTION truth.begins_as_before(called text) RETURNS boolean LANGUAGE sql AS $$
	SELECT coalesce(bool_and(NOT known OR first_known), true) FROM (
		SELECT bool_or(k.key IS NOT NULL) AS known, (array_agg(k.key IS NOT NULL ORDER BY l.leaf_no))[1] AS first_known
		FROM truth.leaf l JOIN truth.attr USING (attr) CROSS JOIN generate_subscripts(l.key, 1) AS level LEFT JOIN truth.kept k ON (k.name, k.attr, k.key) = (called, l.attr, l.key[1])
		WHERE level > min_level GROUP BY l.attr, level, l.key[level]) x
$$;

-- A recoding's classes: a column shows the lowest label that covers the tuples that somebody has, or their run in the order.
CREATE FUNCTION truth.by_recoding(labels text, apart boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM truth.placed;
	DELETE FROM truth.outside;
	INSERT INTO truth.outside SELECT id FROM truth.person WHERE array_position(leaf, NULL) IS NOT NULL;
	WITH member AS MATERIALIZED (
		SELECT DISTINCT t.class, t.leaf FROM truth.tuple t JOIN truth.person p USING (leaf) WHERE t.class IS NOT NULL),
	one AS (SELECT m.class, l.attr, l.leaf_no, l.label, l.key, w.position, w.min_level FROM member m, unnest(m.leaf) WITH ORDINALITY u (leaf_no, attr)
		JOIN truth.leaf l USING (attr, leaf_no) JOIN truth.lowest w USING (attr, leaf_no)),
	run AS (SELECT class, attr, min(position) AS first, max(position) AS last FROM one GROUP BY 1, 2),
	cover AS (
		SELECT class, attr, level, min(key[level]) AS key, min(label[level]) AS label,
			row_number() OVER (PARTITION BY class, attr ORDER BY level) AS nth
		FROM one, generate_subscripts(key, 1) AS level WHERE level > min_level
		GROUP BY class, attr, level HAVING count(DISTINCT key[level]) = 1),
	look AS (
		SELECT class, attr, first || ' to ' || last AS key, NULL AS shown,
			(SELECT greatest(count(*) FILTER (WHERE counts), 1) - 1 FROM truth.lowest w WHERE w.attr = run.attr AND w.position BETWEEN first AND last) AS loss
		FROM run WHERE labels = 'range'
		UNION ALL
		SELECT class, attr, CASE WHEN apart THEN level || key ELSE coalesce('=' || label, 'NULL') END, label,
			(SELECT greatest(count(*) FILTER (WHERE counts), 1) - 1 FROM truth.leaf x WHERE x.attr = c.attr AND x.key[level] = c.key)
		FROM cover c WHERE nth = 1 AND labels = 'hierarchy'),
	class AS (SELECT class, array_agg(key ORDER BY attr) AS key, array_agg(shown ORDER BY attr) AS shown, array_agg(loss::int ORDER BY attr) AS loss FROM look GROUP BY 1)
	INSERT INTO truth.placed SELECT p.id, c.key, c.shown, c.loss FROM truth.person p JOIN truth.tuple t USING (leaf) JOIN class c USING (class);
END $$;

-- ------------------------------------------------------------------------ classes

-- Measures every class, and judges it by the promises; without any, by the k that leaves out as many as may be.  Shares are
-- compared with those of everybody that a view has labels for.
CREATE FUNCTION truth.judge() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM truth.class;
	INSERT INTO truth.class
	SELECT class, count(*), truth.people(array_agg(person))
	FROM truth.placed JOIN truth.person USING (id) GROUP BY class;
	DELETE FROM truth.figure;
	WITH person AS (SELECT * FROM truth.person WHERE id NOT IN (SELECT id FROM truth.outside)),
	total AS (SELECT count(*)::numeric AS everybody FROM person),
	base AS (SELECT col, v, count(*)::numeric AS everyone FROM person, unnest(own) WITH ORDINALITY u (v, col) GROUP BY 1, 2),
	mine AS (SELECT class, col, v, count(*)::numeric AS n FROM truth.placed JOIN truth.person USING (id), unnest(own) WITH ORDINALITY u (v, col) GROUP BY 1, 2, 3),
	share AS (SELECT c.class, b.col, b.v, coalesce(n, 0) AS n, rows, everyone, everybody, coalesce(n, 0) * everybody - everyone * rows AS surplus
		FROM truth.class c CROSS JOIN base b CROSS JOIN total LEFT JOIN mine m ON (m.class, m.col, m.v) = (c.class, b.col, b.v)),
	heap AS (SELECT *, sum(surplus) OVER (PARTITION BY class, col ORDER BY v) AS heap FROM share)
	INSERT INTO truth.figure
	SELECT class, col, count(*) FILTER (WHERE n > 0), -sum(CASE WHEN n > 0 THEN (n / rows)::float8 * ln((n / rows)::float8) ELSE 0 END),
		CASE distance WHEN 'equal' THEN sum(abs(surplus))::float8 / (2 * max(rows * everybody))::float8
			ELSE sum(abs(heap))::float8 / (greatest(count(*) - 1, 1) * max(rows * everybody))::float8 END,
		max(n)::float8 / max(rows)::float8, max(greatest(surplus, 0)::float8 / (everyone * rows)::float8),
		bool_and(surplus <= 0 OR surplus::float8 / (everyone * rows)::float8 <= -ln((everyone / everybody)::float8)),
		max(abs(ln(CASE WHEN n > 0 THEN (n * everybody)::float8 / (everyone * rows)::float8 END))), bool_or(n = 0), array_agg(n ORDER BY n DESC), sum(n * n)
	FROM heap JOIN truth.own USING (col) GROUP BY class, col, distance;
	UPDATE truth.class x SET broken = ARRAY(
		SELECT DISTINCT model FROM truth.promise p LEFT JOIN truth.figure f ON f.class = x.class AND f.col = p.col
		WHERE NOT CASE model WHEN 'k' THEN people >= threshold WHEN 'l' THEN f.l >= threshold WHEN 'entropy_l' THEN exp(entropy) >= threshold - 1e-11
			WHEN 'recursive_l' THEN counts[1]::float8 < c * coalesce((SELECT sum(n) FROM unnest(counts[threshold::int:]) n), 0)::float8
			WHEN 't' THEN f.t <= threshold WHEN 'alpha' THEN alpha <= threshold WHEN 'beta' THEN beta <= threshold AND likely
			WHEN 'disclosure' THEN near < threshold AND NOT (lacks AND c IS DISTINCT FROM 0) ELSE true END ORDER BY 1);
	UPDATE truth.class SET broken = CASE WHEN people < truth.own_k() THEN '{k}'::text[] ELSE '{}' END
	WHERE NOT EXISTS (SELECT FROM truth.promise);
END $$;

-- How many people rows belong to; NULL is one.
CREATE FUNCTION truth.people(persons int[]) RETURNS numeric LANGUAGE sql STABLE AS $$
	SELECT CASE WHEN (SELECT counts_people FROM truth.dataset) THEN (SELECT count(DISTINCT p) + (count(*) > count(p))::int FROM unnest(persons) p) ELSE cardinality(persons) END
$$;
CREATE FUNCTION truth.may_hide() RETURNS numeric LANGUAGE sql STABLE AS $$
	SELECT floor(max_suppression * (SELECT count(*) FROM truth.person))::numeric FROM truth.dataset
$$;
CREATE FUNCTION truth.own_k() RETURNS numeric LANGUAGE sql STABLE AS $$
	SELECT coalesce(min(people) FILTER (WHERE up_to > truth.may_hide()), max(people)) FROM (SELECT people, sum(rows) OVER (ORDER BY people) AS up_to FROM truth.class) x
$$;

-- The promises about all classes that are shown.
CREATE FUNCTION truth.keeps_limits() RETURNS boolean LANGUAGE sql STABLE AS $$
	SELECT coalesce(bool_and(CASE p.model WHEN 'average_risk' THEN classes / people ELSE coalesce(risky, 0) / people END <= threshold), true)
	FROM truth.promise p, LATERAL (
		SELECT count(*)::float8 AS classes, sum(people)::float8 AS people, (sum(people) FILTER (WHERE 1 / people::float8 > p.c))::float8 AS risky
		FROM truth.class WHERE broken = '{}' AND class <> '{star}') x
	WHERE p.model IN ('average_risk', 'share_above')
$$;

CREATE FUNCTION truth.measures() RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
	RETURN (WITH kept AS (SELECT * FROM truth.class WHERE broken = '{}'),
	figure AS (SELECT f.* FROM truth.figure f JOIN kept USING (class)),
	own AS (SELECT min(l) AS l, exp(min(entropy)) AS entropy_l, max(t) AS t, sum(squares) FILTER (WHERE col = 1) AS squares FROM figure),
	total AS (SELECT count(*)::numeric AS n, truth.people(array_agg(person)) AS people FROM truth.person),
	held AS (SELECT count(*) AS classes, coalesce(sum(rows), 0) AS rows, min(people) AS least, max(people) AS most, coalesce(sum(rows * rows), 0) AS squares FROM kept),
	shown AS MATERIALIZED (SELECT p.*, q.class_label FROM truth.placed p JOIN kept USING (class) JOIN truth.person q USING (id)),
	lost AS (
		SELECT attr, weight, (coalesce((SELECT sum(loss[attr]) FROM shown), 0) + (n - rows) * (domain - 1))::float8 / greatest(domain - 1, 1) AS lost
		FROM truth.attr a, total, held, LATERAL (SELECT greatest(count(*) FILTER (WHERE counts), 1) AS domain FROM truth.leaf l WHERE l.attr = a.attr) d),
	majority AS (SELECT sum(most) AS most FROM (SELECT max(n) AS most FROM (SELECT class, class_label, count(*) AS n FROM shown GROUP BY 1, 2) x GROUP BY class) y)
	SELECT jsonb_build_object('k', least, 'l', l, 'entropy_l', entropy_l, 't', t, 'suppressed', n - rows, 'classes', classes,
		'glm', (SELECT sum(lost) FROM lost), 'nwp', (SELECT sum(lost * weight) / sum(weight) FROM lost) / n::float8, 'dcn', held.squares + n * (n - rows),
		'cm', CASE WHEN EXISTS (SELECT FROM truth.person WHERE class_label IS NOT NULL) THEN (n - coalesce(majority.most, 0)) / n END,
		'necd', (held.most - least) / greatest(total.people - 1, 1), 'sum_k', held.squares,
		'sum_l', CASE WHEN has_own THEN coalesce(own.squares, 0) END, 'sum_other', CASE WHEN has_own THEN held.squares - coalesce(own.squares, 0) END,
		'feasible', n - rows <= truth.may_hide() AND truth.keeps_limits()) || coalesce((
			SELECT jsonb_object_agg(model, value) FROM (
				SELECT model, max(CASE model WHEN 'alpha' THEN alpha WHEN 'beta' THEN beta ELSE CASE WHEN lacks AND c IS DISTINCT FROM 0 THEN 'Infinity' ELSE near END END) AS value
				FROM figure JOIN truth.promise USING (col) WHERE model IN ('alpha', 'beta', 'disclosure') GROUP BY model
				UNION ALL SELECT model, classes / nullif((SELECT sum(people) FROM kept), 0)::float8 FROM truth.promise WHERE model = 'average_risk') x), '{}')
	FROM own, total, held, majority, (SELECT EXISTS (SELECT FROM truth.own) AS has_own) o);
END $$;

-- Moves those who are not shown into one class, which is judged, too; people without a leaf are left out.
CREATE FUNCTION truth.star() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM truth.placed p USING truth.class c WHERE c.class = p.class AND broken <> '{}';
	INSERT INTO truth.placed
	SELECT id, '{star}', (SELECT array_agg('*'::text) FROM truth.attr), NULL FROM truth.person
	WHERE id NOT IN (SELECT id FROM truth.placed) AND id NOT IN (SELECT id FROM truth.outside);
	PERFORM truth.judge();
	-- one more class, whose risk must not exceed what is allowed
	UPDATE truth.class SET broken = '{risk}' WHERE class = '{star}' AND EXISTS (
		SELECT FROM truth.promise WHERE model = 'average_risk' AND 1 / people::float8 > threshold OR model = 'share_above' AND 1 / people::float8 > c);
END $$;

-- ----------------------------------------------------------------------- releases

-- Reads a release; values are written as truth.read() does.
CREATE FUNCTION truth.take(release regclass, labels text[], others text[], star boolean) RETURNS void LANGUAGE plpgsql
SET datestyle = 'ISO, MDY' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET bytea_output = 'hex' SET extra_float_digits = 1 AS $$
BEGIN
	DELETE FROM truth.got;
	EXECUTE format('INSERT INTO truth.got SELECT %s, ARRAY[%s]::text[], ARRAY[%s]::text[], %s FROM %s', CASE WHEN 'id' = ANY (others) THEN 'id' ELSE 'NULL' END,
		(SELECT string_agg(format('%I::text', c), ', ' ORDER BY i) FROM unnest(labels) WITH ORDINALITY u (c, i)),
		(SELECT string_agg(format('%I::text', c), ', ' ORDER BY i) FROM unnest(others) WITH ORDINALITY u (c, i)),
		CASE WHEN star THEN 'anonopt_suppressed' ELSE 'false' END, release);
END $$;

-- Whether a label covers a leaf: it is one of its labels, lists one, or is an interval of values between two leaves, or of numbers.
-- NULL and values without a leaf joined a last level as long as it had one label.
CREATE FUNCTION truth.covers(shown text, a int, n int) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE
	own truth.leaf := (SELECT l FROM truth.leaf l WHERE l.attr = a AND l.leaf_no = n);
	lowest text := own.label[1 + (SELECT min_level FROM truth.attr WHERE attr = a)];
	place int := (SELECT rank FROM truth.stored WHERE attr = a AND key = own.key);
	low numeric;
	high numeric;
BEGIN
	IF shown IS NULL THEN
		RETURN lowest IS NULL;
	ELSIF shown = ANY (own.label) OR (own.key[1] IN ('NULL', '?') AND EXISTS (SELECT FROM truth.stored WHERE attr = a AND label[cardinality(label)] = shown)) THEN
		RETURN true;
	ELSIF shown LIKE '{%' THEN
		RETURN EXISTS (SELECT FROM unnest(own.label) l WHERE strpos(shown, coalesce(l, 'NULL')) > 0 OR strpos(shown, replace(replace(l, '\', '\\'), '"', '\"')) > 0);
	ELSIF EXISTS (SELECT FROM truth.stored f, truth.stored t
			WHERE f.attr = a AND t.attr = a AND place BETWEEN f.rank AND t.rank AND format('[%s, %s]', f.label[1], t.label[1]) = shown) THEN
		RETURN true;
	END IF;
	low := substring(shown FROM '^\[(.*), ');
	high := substring(shown FROM ', (.*)[])]$');
	RETURN lowest IS NOT NULL AND CASE WHEN lowest ~ '^[[(]' THEN substring(lowest FROM '^.(.*),')::numeric >= low AND substring(lowest FROM ', *(.*).$')::numeric <= high
		ELSE lowest::numeric >= low AND (lowest::numeric < high OR lowest::numeric = high AND shown LIKE '%]') END;
EXCEPTION WHEN invalid_text_representation THEN
	RETURN false;
END $$;

-- Tells whether a release is as it was.
CREATE FUNCTION truth.digest() RETURNS text LANGUAGE sql AS $$
	SELECT count(*) || md5(string_agg(x::text, ' ' ORDER BY x::text)) FROM truth.got x
$$;

-- What is wrong with the rows taken: nothing if they are those of the classes that keep the promise. Rows are compared with their
-- labels, with any labels that tell the same classes apart, or only by the sizes of classes.
CREATE FUNCTION truth.fault(others int[], how text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
	RETURN (WITH want AS MATERIALIZED (
		SELECT id, class, CASE WHEN how = 'labels' OR class = '{star}' THEN shown END AS label,
			ARRAY(SELECT other[i] FROM unnest(others) WITH ORDINALITY u (i, nr) ORDER BY nr) AS other, class = '{star}' AS starred
		FROM truth.placed JOIN truth.class USING (class) JOIN truth.person USING (id) WHERE broken = '{}' AND truth.keeps_limits()),
	want_row AS (SELECT label, other, starred FROM want),
	got_row AS (SELECT CASE WHEN how = 'labels' OR starred THEN label END AS label, other, starred FROM truth.got),
	pair AS (SELECT DISTINCT ROW(got.label, got.starred) AS label, want.class FROM truth.got JOIN want USING (id)),
	want_size AS (SELECT count(*) FROM want GROUP BY class),
	got_size AS (SELECT count(*) FROM truth.got GROUP BY label, starred)
	SELECT string_agg(line, E'\n') FROM (
		(SELECT 'shown: ' || x FROM (TABLE got_row EXCEPT ALL TABLE want_row) x LIMIT 5)
		UNION ALL (SELECT 'missing: ' || x FROM (TABLE want_row EXCEPT ALL TABLE got_row) x LIMIT 5)
		UNION ALL SELECT 'a class of another size: ' || x FROM ((TABLE got_size EXCEPT ALL TABLE want_size) UNION ALL (TABLE want_size EXCEPT ALL TABLE got_size)) x
		UNION ALL SELECT format('%s looks, %s classes, %s pairs', looks, classes, pairs) FROM (SELECT count(DISTINCT label) AS looks, count(DISTINCT class) AS classes, count(*) AS pairs FROM pair) x
			WHERE looks <> pairs OR classes <> pairs
		UNION ALL (SELECT format('%L does not cover leaf %s of attribute %s', s, l, i) FROM truth.got JOIN truth.person p USING (id), unnest(label, leaf) WITH ORDINALITY u (s, l, i)
			WHERE how = 'classes' AND NOT starred AND NOT truth.covers(s, i::int, l) LIMIT 3)) f (line));
END $$;

-- The values in which two objects differ; floats may by a billionth.
CREATE FUNCTION truth.differing(got jsonb, want jsonb) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT string_agg(format('%s: got %s, want %s', key, got ->> key, value), '; ') FROM jsonb_each_text(want)
	WHERE got ->> key IS DISTINCT FROM value
	AND NOT coalesce(key NOT IN ('feasible', 'ok') AND abs((got ->> key)::float8 - value::float8) <= 1e-9 * greatest(abs(value::float8), 1e-3), false)
$$;

GRANT USAGE ON SCHEMA truth TO world_reader;
GRANT SELECT, INSERT, DELETE ON truth.got TO world_reader;
RESET ROLE;
