-- recoding.sql: what local recodings of Adult lose, beside the best node, strict
-- Mondrian and the start of the search alone; and how long the search takes
--
-- Losses are per record and attribute, and medians of some seeds. reach is the best
-- known result of others; the target is 10 % below. Other targets are losses within
-- seconds of a processor, by effort.

CREATE TABLE recoding_reach (k int, labels text, reach float8, PRIMARY KEY (k, labels));
INSERT INTO recoding_reach VALUES
	(2, 'hierarchy', 0.0100), (5, 'hierarchy', 0.0263), (10, 'hierarchy', 0.0410), (50, 'hierarchy', 0.0919),
	(100, 'hierarchy', 0.1240), (2, 'range', 0.0044), (5, 'range', 0.0162), (10, 'range', 0.0299),
	(50, 'range', 0.0794), (100, 'range', 0.1200);

CALL declare_adult('recoded', 'adult');
CALL declare_adult('recoded_diverse', 'adult');
SELECT anonopt.add_sensitive('recoded_diverse', 'occupation');
SELECT anonopt.create_dataset(name, 'adult', max_suppression => 1) FROM unnest('{recoded_any,recoded_any_diverse}'::text[]) AS name;
SELECT anonopt.add_quasi_identifier(dataset, name, ('adult_' || name)::regclass)
FROM quasi_identifier, unnest('{recoded_any,recoded_any_diverse}'::text[]) AS dataset ORDER BY dataset, ordinal;
SELECT anonopt.add_sensitive('recoded_any_diverse', 'occupation');

-- Strict Mondrian halves a box at the median person of the column with the most
-- loss in it, or of the next one if a half would be too small, until no box can be
-- halved.  Leaves are numbered as in the engine, labels by their smallest leaf.
CREATE TABLE mondrian_leaf (name name, leaf text, code bigint, PRIMARY KEY (name, leaf));
CREATE TABLE mondrian_label (name name, level text, label text, low bigint, high bigint);
SELECT format('INSERT INTO mondrian_leaf SELECT %L, leaf, row_number() OVER (ORDER BY %s leaf) FROM (SELECT leaf, %s FROM %I) AS h', name,
		(SELECT string_agg(format('first%s,', level), ' ' ORDER BY level DESC) FROM generate_series(1, levels) AS level),
		(SELECT string_agg(format('min(leaf) OVER (PARTITION BY level%s) AS first%1$s', level), ', ') FROM generate_series(1, levels) AS level),
		'adult_' || name),
	format('INSERT INTO mondrian_label SELECT %L, l.key, l.value, min(code), max(code) FROM %I AS h, jsonb_each_text(to_jsonb(h)) AS l, '
		'mondrian_leaf AS m WHERE m.name = %1$L AND m.leaf = h.leaf::text GROUP BY 2, 3', name, 'adult_' || name)
FROM quasi_identifier \gexec

-- A person's loss in a box
CREATE FUNCTION mondrian_loss(name, low bigint, high bigint, shown text) RETURNS float8
LANGUAGE sql STABLE AS $$
	SELECT (CASE shown WHEN 'range' THEN $3 - $2
			ELSE (SELECT min(l.high - l.low) FROM mondrian_label AS l WHERE l.name = $1 AND l.low <= $2 AND l.high >= $3) END)::float8
		/ (SELECT max(l.high) - 1 FROM mondrian_label AS l WHERE l.name = $1)
$$;

CREATE PROCEDURE recode_by_mondrian(recoding text, k int, shown text)
LANGUAGE plpgsql SET enable_nestloop = off AS $$
DECLARE
	rounds int := 0;
	columns text := (SELECT string_agg(name, ', ' ORDER BY ordinal) FROM quasi_identifier);
BEGIN
	EXECUTE format('CREATE TEMP TABLE tuple AS SELECT %s, count(*) AS people, row_number() OVER () AS nr FROM adult GROUP BY %1$s', columns);
	CREATE TEMP TABLE value AS
	SELECT nr, people, 0::bigint AS class, 0 AS made, q.ordinal, q.name, l.code
	FROM tuple AS t, quasi_identifier AS q, mondrian_leaf AS l WHERE l.name = q.name AND l.leaf = to_jsonb(t) ->> q.name;
	CREATE TEMP TABLE half (class bigint, ordinal int, last bigint);
	CREATE INDEX ON value (nr);
	LOOP
		TRUNCATE half;
		ANALYZE value;
		INSERT INTO half
		WITH counted AS (SELECT class, ordinal, name, code, sum(people) AS people FROM value WHERE made = rounds GROUP BY 1, 2, 3, 4),
		running AS (
			SELECT *, sum(people) OVER (PARTITION BY class, ordinal ORDER BY code) AS up_to, sum(people) OVER one AS whole,
				min(code) OVER one AS low, max(code) OVER one AS high
			FROM counted WINDOW one AS (PARTITION BY class, ordinal)),
		median AS (
			SELECT class, ordinal, coalesce(min(code) FILTER (WHERE up_to >= whole - div(whole, 2)), max(code)) AS code
			FROM running WHERE code < high GROUP BY 1, 2)
		SELECT DISTINCT ON (class) class, ordinal, code
		FROM median JOIN running USING (class, ordinal, code)
		WHERE least(up_to, whole - up_to) >= k
		ORDER BY class, mondrian_loss(name, low, high, shown) DESC, ordinal;
		EXIT WHEN NOT FOUND;
		UPDATE value AS v SET class = 2 * v.class + 1 + (h.last < u.code)::int, made = rounds + 1
		FROM half AS h JOIN value AS u USING (class, ordinal) WHERE u.nr = v.nr;
		rounds := rounds + 1;
	END LOOP;
	EXECUTE format('CREATE TABLE %I AS SELECT %s, class FROM tuple JOIN (SELECT DISTINCT nr, class FROM value) AS v USING (nr)', recoding, columns);
	DROP TABLE tuple, value, half;
END $$;

-- Each search has a fresh name: a recoding is never overwritten.
CREATE SEQUENCE recoding_number;
CREATE FUNCTION new_recoding() RETURNS text
LANGUAGE sql VOLATILE AS $$ SELECT 'recoding_' || nextval('recoding_number') $$;

CREATE TABLE recoding_found (k int, labels text, what text, loss float8, seconds float8, effort float8, seed int);
CREATE TABLE recoding_effort (k int, labels text, effort float8, target float8, target_seconds float8, PRIMARY KEY (k, labels, effort));
INSERT INTO recoding_effort SELECT k, labels, 1 FROM recoding_reach;
INSERT INTO recoding_effort VALUES
	(2, 'hierarchy', 4, 0.0088, 6), (5, 'hierarchy', 3, 0.0250, 5), (10, 'hierarchy', 3.5, 0.0392, 6), (50, 'hierarchy', 4, 0.0892, 8),
	(100, 'hierarchy', 3, 0.1216, 8), (2, 'hierarchy', 10, 0.0087, 15), (5, 'hierarchy', 9, 0.0243, 15), (10, 'hierarchy', 11, 0.0387, 18),
	(50, 'hierarchy', 11, 0.0887, 20), (100, 'hierarchy', 8, 0.1208, 20), (5, 'hierarchy', 20, 0.0238, 35),
	(2, 'range', 4, 0.0037, 15), (5, 'range', 4, 0.0135, 15), (10, 'range', 4, 0.0260, 15), (50, 'range', 4, 0.0723, 15), (100, 'range', 3, 0.1005, 15);

CREATE FUNCTION loss_of(node anonopt.node) RETURNS float8
LANGUAGE sql AS $$ SELECT (node).glm / 8 / (SELECT count(*) FROM adult) $$;

CREATE PROCEDURE measure_recoding(asked int, shown text, seeds int)
LANGUAGE plpgsql AS $$
DECLARE
	name text;
	halved text := new_recoding();
	spent float8;
	effort float8;
	bound text := format('SELECT anonopt.recoding_bound(''recoded'', %s, time_limit => ''15 s'')', asked);
BEGIN
	CALL recode_by_mondrian(halved, asked, shown);
	FOR effort IN SELECT e.effort FROM recoding_effort AS e WHERE e.k = asked AND e.labels = shown LOOP
		FOR seed IN 1 .. seeds LOOP
			name := new_recoding();
			spent := bench.processor_milliseconds(format(
				'SELECT anonopt.create_recoding(%L, ''recoded'', k => %s, labels => %L, seed => %s, effort => %s)', name, asked, shown, seed, effort)) / 1000;
			INSERT INTO recoding_found SELECT asked, shown, 'found', loss_of(n), spent, effort, seed
			FROM anonopt.evaluate_recoding('recoded', name::regclass, asked, labels => shown) AS n;
			EXECUTE format('DROP TABLE %s', name);
		END LOOP;
	END LOOP;
	IF shown = 'hierarchy' THEN
		spent := bench.processor_milliseconds(bound) / 1000;
		INSERT INTO recoding_found SELECT asked, shown, 'bound', (anonopt.last_search()).bound / 8 / (SELECT count(*) FROM adult), spent;
	END IF;
	INSERT INTO recoding_found
	SELECT asked, shown, 'start', loss_of(n), NULL::float8 FROM anonopt.recoding_curve('recoded', ARRAY[asked], labels => shown) AS n
	UNION ALL
	SELECT asked, shown, 'mondrian', loss_of(n), NULL FROM anonopt.evaluate_recoding('recoded', halved::regclass, asked, labels => shown) AS n
	UNION ALL
	SELECT asked, shown, 'node', loss_of(n), NULL FROM anonopt.optimize('recoded', k => asked) AS n
	UNION ALL
	SELECT asked, shown, 'node, any suppressed', loss_of(n), NULL FROM anonopt.optimize('recoded_any', k => asked) AS n;
END $$;

SET max_parallel_workers_per_gather = 0;
SELECT format('CALL measure_recoding(%s, %L, %s)', k, labels, :few_times) FROM recoding_reach ORDER BY labels, k \gexec

CREATE VIEW recoding_median AS
SELECT k, labels, what, effort, percentile_cont(0.5) WITHIN GROUP (ORDER BY loss) AS loss,
	percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS seconds
FROM recoding_found GROUP BY k, labels, what, effort;

INSERT INTO bench.result (measurement, ours, ours_is, beside, beside_is, side_unit, figure, unit, target)
SELECT format('recoding, %s labels, k = %s', labels, k), 1e4 * found.loss, 'at rest', 1e4 * node.loss, 'best node', 'per 10,000',
	1e4 * found.loss, 'per 10,000', 0.9e4 * reach
FROM recoding_reach JOIN recoding_median AS found USING (k, labels) JOIN recoding_median AS node USING (k, labels)
WHERE found.what = 'found' AND found.effort = 1 AND node.what = 'node' ORDER BY labels, k;

INSERT INTO bench.result (measurement, ours, ours_is, beside, beside_is, side_unit, figure, unit, target)
SELECT format('recoding, %s labels, k = %s, effort %s', labels, k, effort), seconds, 'search', target_seconds, 'time asked', 's',
	1e4 * loss, 'per 10,000', 1e4 * target
FROM recoding_effort JOIN recoding_median USING (k, labels, effort) WHERE effort > 1 ORDER BY labels, k, effort;

-- How far it can be from the best
INSERT INTO bench.result (measurement, ours, ours_is, beside, beside_is, side_unit, figure, unit, target)
SELECT format('recoding above the bound, k = %s, effort %s', k, found.effort), 1e4 * found.loss, 'at rest', 1e4 * bound.loss, 'proven', 'per 10,000',
	100 * (found.loss / bound.loss - 1), '%', NULL
FROM recoding_median AS found JOIN recoding_median AS bound USING (k, labels) WHERE found.what = 'found' AND bound.what = 'bound'
ORDER BY k, found.effort;

-- k = 5 with three occupations a class
SELECT bench.processor_milliseconds($$SELECT anonopt.create_recoding('recoding_diverse', 'recoded_diverse', k => 5, l => 3, seed => 1)$$) / 1000
	AS seconds \gset diverse_
INSERT INTO bench.result (measurement, ours, ours_is, beside, beside_is, side_unit, figure, unit, target)
SELECT 'recoding, hierarchy labels, k = 5, l = 3', 1e4 * loss_of(r), 'at rest', 1e4 * loss_of(o), 'best node', 'per 10,000',
	1e4 * loss_of(r), 'per 10,000', 0.9e4 * 0.0295
FROM anonopt.evaluate_recoding('recoded_diverse', 'recoding_diverse', k => 5, l => 3) AS r,
	anonopt.optimize('recoded_diverse', k => 5, l => 3) AS o;

-- The first answer, and the whole search, by the processor's time
CALL bench.alternate('first recoding, k = 5', 'start', $$SELECT * FROM anonopt.recoding_curve('recoded', '{5}')$$,
	'GROUP BY', group_by('adult'), :times, 10, 'bench.processor_milliseconds');
CALL bench.alternate('recoding at rest, k = 5', 'search',
	$$SELECT anonopt.create_recoding(new_recoding(), 'recoded', k => 5, seed => 1)$$,
	'evaluate', $$SELECT * FROM anonopt.evaluate('recoded', '{0,0,0,0,0,0,0,0}')$$, :few_times, 0.5, 'bench.processor_milliseconds');
UPDATE bench.result SET figure = ours / 1000, unit = 's' WHERE measurement = 'recoding at rest, k = 5';

-- Sizes and shapes: seconds of a search, and its loss beside the best node's
CREATE TABLE recoding_shape (ordinal int GENERATED ALWAYS AS IDENTITY, what text, tuples bigint, workers int, seconds float8,
	processor float8, loss float8, node_loss float8);
CREATE PROCEDURE measure_shape(what text, dataset text, workers int, beside_node boolean DEFAULT true)
LANGUAGE plpgsql AS $$
DECLARE
	name text;
	spent float8;
	search record;
	columns int := (SELECT count(*) FROM anonopt.attribute a WHERE a.dataset = measure_shape.dataset AND a.role = 'quasi_identifier');
	lost float8;
	node float8;
BEGIN
	PERFORM set_config('anonopt.max_workers', workers::text, false);
	-- a short search is repeated
	spent := bench.processor_milliseconds(format('SELECT anonopt.create_recoding(new_recoding(), %L, k => 5, seed => 1)', dataset)) / 1000;
	name := 'recoding_' || currval('recoding_number');
	SELECT * INTO search FROM anonopt.last_search();
	SELECT glm / columns INTO lost FROM anonopt.evaluate_recoding(dataset, name::regclass, k => 5);
	IF beside_node THEN
		-- of a large lattice, the best that is found in time
		SELECT glm / columns INTO node FROM anonopt.optimize(dataset, k => 5, time_limit => '1 min');
	END IF;
	EXECUTE format('DROP TABLE %s', name);
	INSERT INTO recoding_shape (what, tuples, workers, seconds, processor, loss, node_loss)
	VALUES (what, search.tuples, workers, (search.read_ms + search.search_ms) / 1000, spent, lost / search.rows, node / search.rows);
END $$;

-- Ages in days: hardly two people alike
SET anonopt.memory = '2GB';
CREATE UNLOGGED TABLE recoded_days AS
SELECT 365 * age + (1 + copy * 7919 + row_number() OVER ()) % 365 AS age, workclass, education, marital_status, race, sex,
	native_country, salary_class, row_number() OVER () AS nr
FROM adult, generate_series(1, greatest(:tuples / 20000, 1)) AS copy;
CREATE VIEW recoded_days_half AS SELECT * FROM recoded_days WHERE nr % 2 = 0;
ANALYZE recoded_days;
SELECT anonopt.create_interval_hierarchy('adult_days', 365 * 10, 365 * 100 - 1, ARRAY[365, 365 * 5, 365 * 10, 365 * 30]);
SELECT anonopt.create_dataset(name, relation) FROM (VALUES ('days', 'recoded_days'::regclass), ('days_half', 'recoded_days_half')) AS one (name, relation);
SELECT anonopt.add_quasi_identifier(dataset, name, CASE name WHEN 'age' THEN 'adult_days' ELSE 'adult_' || name END::regclass)
FROM quasi_identifier, unnest('{days,days_half}'::text[]) AS dataset ORDER BY dataset, ordinal;
CALL measure_shape('ages in days, half of them', 'days_half', 0, false);
CALL measure_shape('ages in days', 'days', 0, false);
CALL measure_shape('ages in days', 'days', 1, false);

-- Sixteen columns; wide domains; few tuples; many rows
CREATE TABLE recoded_sixteen AS
SELECT a.*, b.age AS age2, b.workclass AS workclass2, b.education AS education2, b.marital_status AS marital_status2, b.race AS race2,
	b.sex AS sex2, b.native_country AS native_country2, b.salary_class AS salary_class2
FROM (SELECT *, row_number() OVER () AS nr FROM adult LIMIT :statistics * 100) AS a
JOIN (SELECT *, row_number() OVER () AS nr FROM adult) AS b ON b.nr = a.nr * 3;
SELECT anonopt.create_dataset('sixteen', 'recoded_sixteen');
SELECT anonopt.add_quasi_identifier('sixteen', (name || suffix)::name, ('adult_' || name)::regclass)
FROM quasi_identifier, unnest(ARRAY['', '2']) AS suffix ORDER BY suffix, ordinal;
CALL measure_shape('16 columns', 'sixteen', 0);
CREATE TABLE recoded_wide AS
SELECT ((random() * random()) * 99999)::int AS x, (random() * 99999)::int AS y, (random() * 99999)::int AS z FROM generate_series(1, 10000);
SELECT anonopt.create_interval_hierarchy('wide_levels', 0, 99999, '{10,100,1000,10000}');
SELECT anonopt.create_dataset('wide_domains', 'recoded_wide');
SELECT anonopt.add_quasi_identifier('wide_domains', name, 'wide_levels') FROM unnest('{x,y,z}'::name[]) AS name;
CALL measure_shape('wide domains', 'wide_domains', 0);
CREATE TABLE recoded_few AS SELECT sex, race, salary_class FROM adult;
SELECT anonopt.create_dataset('few_tuples', 'recoded_few');
SELECT anonopt.add_quasi_identifier('few_tuples', name, ('adult_' || name)::regclass) FROM unnest('{sex,race,salary_class}'::name[]) AS name;
CALL measure_shape('few tuples', 'few_tuples', 0);
CALL declare_adult('recoded_large', 'adult_large');
CALL measure_shape('rows of Adult: ' || bench.number(:large), 'recoded_large', 1);
RESET anonopt.memory;
RESET anonopt.max_workers;
RESET max_parallel_workers_per_gather;

INSERT INTO bench.result (measurement, ours, ours_is, beside, beside_is, side_unit, figure, unit, target)
SELECT format('recoding of %s tuples, k = 5', bench.number(w.tuples)), w.seconds, 'one worker', h.seconds, 'none', 's', w.seconds, 's', 20
FROM recoding_shape AS w JOIN recoding_shape AS h USING (what, tuples) WHERE w.workers = 1 AND h.workers = 0;
INSERT INTO bench.result (measurement, ours, ours_is, beside, beside_is, side_unit, figure, unit, target)
SELECT 'recoding of twice the tuples', w.processor, bench.number(w.tuples) || ' tuples', h.processor, bench.number(h.tuples) || ' tuples', 's',
	w.processor / h.processor / (w.tuples::float8 / h.tuples) * 2, '×', 2.4
FROM recoding_shape AS w, recoding_shape AS h WHERE w.what = 'ages in days' AND w.workers = 0 AND h.what = 'ages in days, half of them';

INSERT INTO bench.document (line)
VALUES (''), ('| k | labels | best node, 1 % suppressed | best node, any suppressed | strict Mondrian | start alone | at rest (CPU) | proven bound (CPU) |'),
	('|--:|---|--:|--:|--:|--:|--:|--:|');
INSERT INTO bench.document (line)
SELECT format('| %s | %s | %s | %s | %s | %s | %s (%s s) | %s |', k, labels,
	max(round(loss::numeric, 4)) FILTER (WHERE what = 'node'),
	max(round(loss::numeric, 4)) FILTER (WHERE what = 'node, any suppressed'),
	max(round(loss::numeric, 4)) FILTER (WHERE what = 'mondrian'),
	max(round(loss::numeric, 4)) FILTER (WHERE what = 'start'),
	max(round(loss::numeric, 4)) FILTER (WHERE what = 'found' AND effort = 1), max(round(seconds::numeric, 1)) FILTER (WHERE what = 'found' AND effort = 1),
	coalesce(max(format('%s (%s s)', round(loss::numeric, 5), round(seconds::numeric))) FILTER (WHERE what = 'bound'), ''))
FROM recoding_median GROUP BY k, labels ORDER BY labels, k;
INSERT INTO bench.document (line)
SELECT format('| 5, l = 3 | hierarchy | %s | %s | | | %s (%s s) | |', round(loss_of(o)::numeric, 4), round(loss_of(a)::numeric, 4),
	round(loss_of(r)::numeric, 4), round(:'diverse_seconds'::numeric, 1))
FROM anonopt.evaluate_recoding('recoded_diverse', 'recoding_diverse', k => 5, l => 3) AS r,
	anonopt.optimize('recoded_diverse', k => 5, l => 3) AS o, anonopt.optimize('recoded_any_diverse', k => 5, l => 3) AS a;
INSERT INTO bench.document (line)
VALUES (''), ('| data, k = 5 | distinct tuples | workers | seconds | CPU of the leader (s) | loss | best node |'), ('|---|--:|--:|--:|--:|--:|--:|');
INSERT INTO bench.document (line)
SELECT format('| %s | %s | %s | %s | %s | %s | %s |', what, bench.number(tuples), workers, round(seconds::numeric, 1), round(processor::numeric, 1),
	round(loss::numeric, 4), round(node_loss::numeric, 4))
FROM recoding_shape ORDER BY ordinal;
