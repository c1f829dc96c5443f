-- refinement.sql: what the shape of local recodings tells beyond their labels, on
-- Adult and on the demo's hospital, whose domains are wide; and what guards cost
--
-- Boxes are found in plain SQL, so that other rules than the search's can be
-- tried.  The guess of a hidden cell knows how often any two values occur
-- together in the data, which is generous: it is the likeliest leaf under the
-- label, given the leaves that the class shows; then the likeliest of those that
-- exact classes leave possible.

\ir ../demo/hospital.sql
SET client_min_messages = warning;
SELECT anonopt.auto_dataset('hospital', 'hospital', '{age,sex,postcode}');
CALL declare_adult('census', 'adult');
SELECT anonopt.add_sensitive('census', 'occupation');

-- Leaves in the order of the domain, and the runs of them under labels
CREATE TABLE shape_leaf (dataset text, ordinal int, leaf text, no int, PRIMARY KEY (dataset, ordinal, leaf));
CREATE TABLE shape_label (dataset text, ordinal int, low int, high int);
CREATE TABLE shape_tuple (dataset text, codes int[], people bigint);
CREATE FUNCTION quasi_identifiers(dataset text) RETURNS TABLE (ordinal int, name name, hierarchy regclass)
LANGUAGE sql STABLE AS $$
	SELECT row_number() OVER (ORDER BY a.ordinal)::int, column_name, a.hierarchy FROM anonopt.attribute AS a
	WHERE a.dataset = $1 AND role = 'quasi_identifier'
$$;

CREATE FUNCTION codes_of(dataset text, relation text) RETURNS text
LANGUAGE sql STABLE AS $$
	SELECT format('%s r %s', relation, string_agg(format('JOIN shape_leaf l%1$s ON (l%1$s.dataset, l%1$s.ordinal, l%1$s.leaf) = (%2$L, %1$s, r.%3$I::text)',
			ordinal, $1, name), ' ' ORDER BY ordinal))
	FROM quasi_identifiers($1)
$$;
CREATE FUNCTION codes(dataset text) RETURNS text
LANGUAGE sql STABLE AS $$ SELECT format('ARRAY[%s]', string_agg(format('l%s.no', ordinal), ', ' ORDER BY ordinal)) FROM quasi_identifiers($1) $$;

CREATE PROCEDURE read_shape(dataset text, relation text)
LANGUAGE plpgsql AS $$
DECLARE
	q record;
	columns text[];
BEGIN
	FOR q IN SELECT * FROM quasi_identifiers(dataset) LOOP
		columns := ARRAY(SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = q.hierarchy AND attnum > 0 AND NOT attisdropped ORDER BY attnum);
		EXECUTE format('CREATE TEMP TABLE numbered AS SELECT row_number() OVER (ORDER BY %s %s) AS leaf_no, h.* FROM (SELECT *%s FROM %s) h',
			(SELECT string_agg(format('first_%s,', i), ' ' ORDER BY i DESC) FROM generate_series(2, cardinality(columns)) i), columns[1],
			(SELECT string_agg(format(', min(%s) OVER (PARTITION BY %s) AS first_%s', columns[1], columns[i], i), '') FROM generate_series(2, cardinality(columns)) i), q.hierarchy);
		EXECUTE format('INSERT INTO shape_leaf SELECT %L, %s, %s::text, leaf_no FROM numbered', dataset, q.ordinal, columns[1]);
		FOR i IN 1 .. cardinality(columns) LOOP
			EXECUTE format('INSERT INTO shape_label SELECT %L, %s, min(leaf_no), max(leaf_no) FROM numbered GROUP BY %s', dataset, q.ordinal, columns[i]);
		END LOOP;
		DROP TABLE numbered;
	END LOOP;
	EXECUTE format('INSERT INTO shape_tuple SELECT %L, %s, count(*) FROM %s GROUP BY 2', dataset, codes(dataset), codes_of(dataset, relation));
END $$;
CALL read_shape('census', 'adult');
CALL read_shape('hospital', 'hospital');
CREATE TABLE shape_pair AS
SELECT dataset, a, codes[a] AS v, b, codes[b] AS w, sum(people) AS n
FROM shape_tuple, generate_subscripts(codes, 1) AS a, generate_subscripts(codes, 1) AS b GROUP BY 1, 2, 3, 4, 5;
CREATE INDEX ON shape_pair (dataset, a, v, b, w);
CREATE INDEX ON shape_label (dataset, ordinal);
ANALYZE;

-- The run of leaves that a class shows
CREATE FUNCTION shown_run(dataset text, ordinal int, low int, high int, labels text) RETURNS int[]
LANGUAGE sql STABLE AS $$
	SELECT CASE WHEN labels = 'range' OR $3 = $4 THEN ARRAY[$3, $4]
		ELSE (SELECT ARRAY[l.low, l.high] FROM shape_label AS l WHERE l.dataset = $1 AND l.ordinal = $2 AND l.low <= $3 AND l.high >= $4 ORDER BY l.high - l.low LIMIT 1) END
$$;

-- A recoding's members, and then its boxes
CREATE TEMP TABLE member (class bigint, codes int[], people bigint);
CREATE TEMP TABLE box (class bigint PRIMARY KEY, lows int[], highs int[], people bigint, wide int, tuples float8);
CREATE PROCEDURE find_boxes(dataset text, labels text)
LANGUAGE sql AS $$
	TRUNCATE box;
	INSERT INTO box
	SELECT class, array_agg(run[1] ORDER BY o), array_agg(run[2] ORDER BY o), min(people), count(*) FILTER (WHERE run[1] < run[2]),
		exp(sum(ln(run[2] - run[1] + 1)))
	FROM (SELECT class, o, shown_run(dataset, o, min(codes[o]), max(codes[o]), labels) AS run, sum(people) AS people
		FROM member, generate_subscripts(codes, 1) AS o GROUP BY class, o) AS r GROUP BY class;
	ANALYZE member;
	ANALYZE box;
$$;

-- Who is suppressed loses everything.
CREATE FUNCTION loss_of_boxes(dataset text) RETURNS float8
LANGUAGE sql STABLE AS $$
	SELECT 1 - sum(people * (1 - (SELECT avg((highs[o] - lows[o]) / (domain - 1.0)) FROM (
			SELECT ordinal AS o, count(*) AS domain FROM shape_leaf AS l WHERE l.dataset = $1 GROUP BY 1) AS d))) / (SELECT sum(people) FROM shape_tuple AS t WHERE t.dataset = $1) FROM box
$$;

-- The share of hidden cells that are guessed right: of the leaves under the label, and of those that are left
CREATE TEMP TABLE cell (class bigint, a int, v int, n float8, is_out boolean);
CREATE TEMP TABLE shown (class bigint, b int, w int);
CREATE PROCEDURE find_cells(dataset text)
LANGUAGE sql AS $$
	TRUNCATE cell, shown;
	INSERT INTO shown SELECT class, b, lows[b] FROM box, generate_subscripts(lows, 1) AS b WHERE lows[b] = highs[b];
	INSERT INTO cell
	SELECT c.class, c.a, c.v, o.n, e.class IS NOT NULL
	FROM (SELECT class, a, v, CASE wide WHEN 1 THEN lows[:a - 1] || v || lows[a + 1:] END AS tuple
		FROM box, generate_subscripts(lows, 1) AS a, generate_series(lows[a], highs[a]) AS v WHERE lows[a] < highs[a]) AS c
	JOIN shape_pair AS o ON (o.dataset, o.a, o.v, o.b, o.w) = ($1, c.a, c.v, c.a, c.v)
	LEFT JOIN box AS e ON e.wide = 0 AND e.lows = c.tuple;
	ANALYZE cell;
	ANALYZE shown;
$$;
CREATE FUNCTION guessed(dataset text, OUT by_labels float8, OUT by_all float8)
LANGUAGE sql STABLE AS $$
	WITH scored AS (
		SELECT c.class, c.a, c.v, c.is_out, ln(c.n) + coalesce(sum(ln((coalesce(p.n, 0) + 0.1) / (c.n + 1))) FILTER (WHERE s.b IS NOT NULL), 0) AS score
		FROM cell AS c LEFT JOIN shown AS s USING (class)
		LEFT JOIN (SELECT * FROM shape_pair AS p WHERE p.dataset = $1) AS p ON (p.a, p.v, p.b, p.w) = (c.a, c.v, s.b, s.w)
		GROUP BY c.class, c.a, c.v, c.n, c.is_out),
	best AS (
		SELECT class, a, (array_agg(v ORDER BY score DESC, v))[1] AS v, (array_agg(v ORDER BY is_out, score DESC, v))[1] AS v_left FROM scored GROUP BY class, a)
	SELECT sum(people * (codes[a] = v)::int)::float8 / sum(people), sum(people * (codes[a] = v_left)::int)::float8 / sum(people)
	FROM best JOIN member USING (class)
$$;

CREATE TABLE refined (ordinal int GENERATED ALWAYS AS IDENTITY, dataset text, k int, labels text, what text, loss float8, wide float8, by_labels float8,
	certain float8, branch_out float8, certain_cells bigint, guess_labels float8, guess_all float8, finer_false float8, finer_true float8);

-- Figures of the boxes; shares are of the people in wide classes
CREATE PROCEDURE note_boxes(dataset text, k int, labels text, what text)
LANGUAGE sql AS $$
	CALL find_cells(dataset);
	INSERT INTO refined (dataset, k, labels, what, loss, wide, by_labels, guess_labels, guess_all, finer_false, finer_true)
	SELECT dataset, k, labels, what, loss_of_boxes(dataset), sum(people) FILTER (WHERE wide > 0) / sum(people),
		coalesce(sum(people) FILTER (WHERE wide > 0 AND round(tuples) < k), 0) / sum(people) FILTER (WHERE wide > 0), g.by_labels, g.by_all,
		avg(m.has_k) FILTER (WHERE wide > 0), sum(m.fewer) FILTER (WHERE wide > 0) / sum(people) FILTER (WHERE wide > 0)
	FROM box JOIN (SELECT class, max((people >= k)::int) AS has_k, sum(people) FILTER (WHERE people < k) AS fewer FROM member GROUP BY class) AS m USING (class),
		guessed(dataset) AS g GROUP BY g.by_labels, g.by_all
$$;

CREATE PROCEDURE note_recoding(dataset text, recoding text, k int, labels text, what text)
LANGUAGE plpgsql AS $$
BEGIN
	TRUNCATE member;
	EXECUTE format('INSERT INTO member SELECT class, t.codes, t.people FROM (SELECT %s AS codes, class FROM %s WHERE class IS NOT NULL) r JOIN shape_tuple t ON t.dataset = %L AND t.codes = r.codes',
		codes(dataset), codes_of(dataset, recoding), dataset);
	CALL find_boxes(dataset, labels);
	CALL note_boxes(dataset, k, labels, what);
	UPDATE refined AS f SET certain = r.people_below_k / r.people_wide::float8, branch_out = r.people_branch_out / r.people_wide::float8,
		certain_cells = r.people_certain_given_rest
	FROM anonopt.recoding_refinement(note_recoding.dataset, recoding::regclass, note_recoding.labels) AS r
	WHERE r.column_name IS NULL AND (f.dataset, f.k, f.labels, f.what) = (note_recoding.dataset, note_recoding.k, note_recoding.labels, note_recoding.what);
END $$;

-- Guards at random, on a tenth of all classes: each is merged with the nearest, or its first column is shown a level higher
CREATE PROCEDURE note_guards(dataset text, k int, labels text)
LANGUAGE plpgsql AS $$
BEGIN
	CREATE TEMP TABLE kept AS TABLE member;
	UPDATE member AS m SET class = n.near FROM (
			WITH place AS MATERIALIZED (SELECT *, row_number() OVER (ORDER BY lows) AS nr FROM box),
			domain AS MATERIALIZED (SELECT array_agg(most ORDER BY ordinal) AS most FROM (
				SELECT ordinal, max(no)::float8 AS most FROM shape_leaf AS l WHERE l.dataset = note_guards.dataset GROUP BY 1) AS d)
			SELECT DISTINCT ON (one.class) one.class, two.class AS near
			FROM place AS one JOIN place AS two ON two.nr BETWEEN one.nr - 100 AND one.nr + 100, domain
			WHERE hashint8(one.class) % 10 = 0 AND hashint8(two.class) % 10 <> 0
			ORDER BY one.class, (SELECT sum((greatest(one.highs[o], two.highs[o]) - least(one.lows[o], two.lows[o])) / most[o]) FROM generate_subscripts(most, 1) AS o)) AS n
	WHERE n.class = m.class;
	CALL find_boxes(dataset, labels);
	CALL note_boxes(dataset, k, labels, 'a tenth merged at random');
	TRUNCATE member;
	INSERT INTO member TABLE kept;
	CALL find_boxes(dataset, labels);
	UPDATE box SET lows[1] = l.low, highs[1] = l.high FROM (
			SELECT class, l.low, l.high, row_number() OVER (PARTITION BY class ORDER BY l.high - l.low) AS nr
			FROM box JOIN shape_label AS l ON l.dataset = note_guards.dataset AND l.ordinal = 1 AND l.low <= lows[1] AND l.high >= highs[1]
				AND l.high - l.low > highs[1] - lows[1]) AS l
	WHERE nr = 1 AND l.class = box.class AND hashint8(box.class) % 10 = 0;
	UPDATE box SET wide = (SELECT count(*) FROM generate_subscripts(lows, 1) AS o WHERE lows[o] < highs[o]),
		tuples = (SELECT exp(sum(ln(highs[o] - lows[o] + 1))) FROM generate_subscripts(lows, 1) AS o);
	CALL note_boxes(dataset, k, labels, 'a tenth lifted at random');
	DROP TABLE kept;
END $$;

-- How far the table of one search shows people differently than another's
CREATE TABLE shown_otherwise (ordinal int GENERATED ALWAYS AS IDENTITY, dataset text, k int, labels text, what text, share float8);
CREATE PROCEDURE note_difference(dataset text, a text, b text, k int, labels text, what text)
LANGUAGE plpgsql AS $$
BEGIN
	CREATE TEMP TABLE side (side text, codes int[], people bigint, shown text);
	FOREACH a IN ARRAY ARRAY[a, b] LOOP
		CALL note_recoding(dataset, a, k, labels, 'difference');
		INSERT INTO side SELECT a, codes, m.people, concat(lows, highs) FROM member AS m JOIN box USING (class);
	END LOOP;
	DELETE FROM refined WHERE refined.what = 'difference';
	INSERT INTO shown_otherwise (dataset, k, labels, what, share)
	SELECT dataset, k, labels, what, 1 - sum(people) FILTER (WHERE shown = 1) / sum(people) FROM (
		SELECT codes, min(side.people) AS people, count(DISTINCT side.shown) AS shown FROM side GROUP BY codes) AS s;
	DROP TABLE side;
END $$;

CREATE PROCEDURE note_all(dataset text, k int, labels text)
LANGUAGE plpgsql AS $$
DECLARE
	made text := format('refined_%s_%s_%s', dataset, k, labels);
	floors int[] := ARRAY[3, 5];
	floor int;
BEGIN
	-- the start of the search alone, where the version can be asked for it
	IF (SELECT 'effort' = ANY (proargnames) FROM pg_proc WHERE proname = 'create_recoding') THEN
		EXECUTE format('SELECT anonopt.create_recoding(%L, %L, k => %s, labels => %L, seed => 1, effort => 0)', made || '_start', dataset, k, labels);
		CALL note_recoding(dataset, made || '_start', k, labels, 'start alone');
	END IF;
	PERFORM anonopt.create_recoding(made || '_' || s, dataset, k, labels => labels, seed => s) FROM generate_series(1, 2) AS s;
	FOREACH floor IN ARRAY floors LOOP
		PERFORM anonopt.create_recoding(made || '_floor_' || floor, dataset, k, labels => labels, seed => 1, possible => floor);
		CALL note_recoding(dataset, made || '_floor_' || floor, k, labels, format('possible => %s', floor));
	END LOOP;
	CALL note_recoding(dataset, made || '_2', k, labels, 'another seed');
	CALL note_difference(dataset, made || '_1', made || '_2', k, labels, 'another seed');
	CALL note_recoding(dataset, made || '_1', k, labels, 'at rest');
	-- on other data, losses may count leaves otherwise
	IF dataset = 'census' AND NOT (SELECT abs(loss_of_boxes(dataset) * (SELECT sum(people) FROM shape_tuple AS t WHERE t.dataset = note_all.dataset) * count(*) / max(e.glm) - 1) < 1e-9
			FROM quasi_identifiers(dataset), anonopt.evaluate_recoding(dataset, (made || '_1')::regclass, k, labels => labels) AS e) THEN
		RAISE 'boxes of % lose otherwise than the extension says', made;
	END IF;
	CALL note_guards(dataset, k, labels);
END $$;
SELECT format('CALL note_all(%L, %s, %L)', dataset, k, labels) FROM unnest('{census,hospital}'::text[]) AS dataset, unnest('{5,10}'::int[]) AS k,
	unnest('{hierarchy,range}'::text[]) AS labels ORDER BY dataset, labels, k \gexec

-- Promises about values, and CM: the same people with the same sensitive values, but not each with their own
CREATE TABLE adult_shuffled AS
SELECT age, workclass, education, marital_status, race, sex, native_country, salary_class, o.occupation
FROM (SELECT *, row_number() OVER () AS nr FROM adult) AS a JOIN (
	SELECT occupation, row_number() OVER (ORDER BY hashint8(b.nr), b.nr) AS nr FROM (SELECT occupation, row_number() OVER () AS nr FROM adult) AS b) AS o USING (nr);
CALL declare_adult('shuffled', 'adult_shuffled');
SELECT anonopt.add_sensitive('shuffled', 'occupation'), anonopt.set_class_label('shuffled', 'occupation'), anonopt.set_class_label('census', 'occupation');
CREATE PROCEDURE note_values(what text, arguments text)
LANGUAGE plpgsql AS $$
DECLARE
	dataset text;
BEGIN
	FOREACH dataset IN ARRAY '{census,shuffled}'::text[] LOOP
		EXECUTE format('SELECT anonopt.create_recoding(%L, %L, k => 5, seed => 1, %s)', 'valued_' || dataset, dataset, arguments);
	END LOOP;
	CALL note_difference('census', 'valued_census', 'valued_shuffled', 5, 'hierarchy', what);
	DROP TABLE valued_census, valued_shuffled;
END $$;
CALL note_values('shuffled, k alone', 'loss => ''glm''');
CALL note_values('shuffled, l = 3', 'l => 3');
CALL note_values('shuffled, t = .5', 't => 0.5');
CALL note_values('shuffled, CM', 'loss => ''cm''');

-- The tables of docs/recoding.md, and what its text says
CREATE FUNCTION percent(float8) RETURNS text
LANGUAGE sql AS $$ SELECT round(100 * $1::numeric, 1) || ' %' $$;
INSERT INTO bench.document (line)
VALUES (''), ('| data | k | labels | loss | people in wide classes | fewer than k tuples, by labels → possible | a branch is out | leaf certain, given the others | hidden leaf guessed, by labels → possible |'),
	('|---|--:|---|--:|--:|--:|--:|--:|--:|');
INSERT INTO bench.document (line)
SELECT format('| %s | %s | %s | %s | %s | %s → %s | %s | %s | %s → %s |', dataset, k, labels, round(loss::numeric, 4), percent(wide), percent(by_labels),
	percent(certain), percent(branch_out), certain_cells, percent(guess_labels), percent(guess_all))
FROM refined WHERE what = 'at rest' ORDER BY dataset, labels, k;
INSERT INTO bench.document (line)
VALUES (''), ('| data | k | labels | | loss | fewer than k possible tuples | a branch is out | hidden leaf guessed |'), ('|---|--:|---|---|--:|--:|--:|--:|');
INSERT INTO bench.document (line)
SELECT format('| %s | %s | %s | %s | %s%s %% | %s | %s | %s |', f.dataset, f.k, f.labels, f.what, CASE WHEN f.loss >= r.loss THEN '+' END,
	round(100 * (f.loss / r.loss - 1)::numeric, 1), percent(f.certain), percent(f.branch_out), percent(f.guess_all))
FROM refined AS f JOIN refined AS r USING (dataset, k, labels) WHERE r.what = 'at rest' AND f.what <> 'at rest' ORDER BY dataset, labels, k, f.what LIKE 'a tenth%', f.what;
INSERT INTO bench.document (line)
VALUES (''), ('| data | k | labels | | wide classes with a tuple of k people | people of wide classes whose tuple has fewer |'), ('|---|--:|---|---|--:|--:|');
INSERT INTO bench.document (line)
SELECT format('| %s | %s | %s | %s | %s | %s |', dataset, k, labels, what, percent(finer_false), percent(finer_true))
FROM refined WHERE what IN ('at rest', 'start alone') ORDER BY dataset, labels, k, what;
INSERT INTO bench.document (line)
VALUES (''), ('| data | k | labels | search | shown otherwise |'), ('|---|--:|---|---|--:|');
INSERT INTO bench.document (line)
SELECT format('| %s | %s | %s | %s | %s |', dataset, k, labels, what, percent(share)) FROM shown_otherwise ORDER BY ordinal;
