-- records.sql: a generalization per record, beside a GROUP BY of the same
-- columns; nodes and time against utility and attributes, where Figure 7 of
-- ARUBA's paper has frontier nodes and time, then time and nodes; risk against utility beside k-anonymous nodes, its
-- Figure 9; and what a time limit leaves of a search that would not end

SET max_parallel_workers_per_gather = 0;

-- Half of all depth there is; of the other utilities a middling amount
CREATE TABLE asked (utility text, bound float8, target float8);
INSERT INTO asked VALUES ('depth', 11, 2), ('leaves', 2, 10), ('log_leaves', 6, 10);

CREATE PROCEDURE time_records(measurement text, call text, beside text, times int, target float8)
LANGUAGE plpgsql AS $$
BEGIN
	CALL bench.alternate(measurement, 'a generalization per record', call, 'GROUP BY', beside, times, NULL);
	INSERT INTO bench.result (measurement, figure, unit, target)
	SELECT r.measurement || ', seconds', ours / 1000, 's', time_records.target
	FROM bench.result AS r WHERE r.measurement = time_records.measurement;
END $$;

SELECT format('CALL time_records(%L, %L, group_by(%L), %s, %s)', 'ARUBA, ' || utility,
	format('SELECT count(*) FROM anonopt.aruba(%L, %s, utility => %L)', 'adult', bound, utility), 'adult', :few_times, target)
FROM asked \gexec
SELECT format('CALL time_records(%L, %L, group_by(%L), 1, 30)', 'BTDA, depth',
	'SELECT count(*) FROM anonopt.btda(''adult'', 11)', 'adult') \gexec

-- The paper's scale: five attributes with hierarchies of one to five levels
CREATE TABLE generated AS
	SELECT floor(2 * random())::int AS a, floor(8 * random())::int AS b, floor(16 * random() * random())::int AS c,
		floor(32 * random())::int AS d, floor(64 * random() * random())::int AS e
	FROM generate_series(1, :tuples * 2 / 5);
VACUUM ANALYZE generated;
CREATE TABLE generated_a (leaf int PRIMARY KEY, level1 text NOT NULL);
INSERT INTO generated_a VALUES (0, '*'), (1, '*');
SELECT anonopt.create_interval_hierarchy('generated_b', 0, 7, '{4}'), anonopt.create_interval_hierarchy('generated_c', 0, 15, '{4,8}'),
	anonopt.create_interval_hierarchy('generated_d', 0, 31, '{4,8,16}'), anonopt.create_interval_hierarchy('generated_e', 0, 63, '{4,8,16,32}');
SELECT anonopt.create_dataset('generated', 'generated');
SELECT anonopt.add_quasi_identifier('generated', name::name, 'generated_' || name) FROM unnest('{a,b,c,d,e}'::text[]) AS name;
CALL time_records('ARUBA, generated', 'SELECT count(*) FROM anonopt.aruba(''generated'', 7)',
	'SELECT count(*), max(size) FROM (SELECT a, b, c, d, e, count(*) AS size FROM generated GROUP BY a, b, c, d, e) AS groups', :few_times, 5);

-- By utility, then by attributes
CREATE TABLE record_result (attributes int, bound int, algorithm text, visited float8, ms float8, risk float8, utility float8);
CREATE PROCEDURE search_records(algorithm text, attributes int, bound int)
LANGUAGE plpgsql AS $$
DECLARE
	begun timestamptz := clock_timestamp();
	found record;
BEGIN
	EXECUTE format('SELECT avg(visited) AS visited, avg(risk) AS risk, avg(utility) AS utility FROM anonopt.%I(%L, %s)',
		algorithm, 'adult_first_' || attributes, bound) INTO found;
	INSERT INTO record_result VALUES (attributes, bound, algorithm, found.visited,
		1000 * extract(epoch FROM clock_timestamp() - begun), found.risk, found.utility);
END $$;
SELECT format('CALL declare_adult(%L, %L, %s)', 'adult_first_' || attributes, 'adult', attributes)
FROM generate_series(3, 8) AS attributes \gexec
CREATE VIEW total_depth AS
	SELECT n AS attributes, sum(levels)::int AS depth FROM generate_series(3, 8) AS n JOIN quasi_identifier ON ordinal <= n GROUP BY n;
SELECT format('CALL search_records(%L, 8, %s)', algorithm, bound)
FROM unnest('{2,5,8,11,14,17,20}'::int[]) AS bound, unnest('{aruba,btda}'::text[]) AS algorithm \gexec
SELECT format('CALL search_records(%L, %s, %s)', algorithm, attributes, depth / 2)
FROM total_depth, unnest('{aruba,btda}'::text[]) AS algorithm WHERE attributes < 8 \gexec

CREATE VIEW side_by_side AS
SELECT attributes, bound, a.visited AS aruba, b.visited AS btda, a.ms AS aruba_ms, b.ms AS btda_ms
FROM record_result AS a JOIN record_result AS b USING (attributes, bound) WHERE (a.algorithm, b.algorithm) = ('aruba', 'btda');
INSERT INTO bench.document (line)
VALUES (''), ('| c | frontier nodes | BTDA visits | ARUBA, ms | BTDA, ms |'), ('|--:|--:|--:|--:|--:|');
INSERT INTO bench.document (line)
SELECT format('| %s | %s | %s | %s | %s |', bound, bench.number(aruba::bigint), bench.number(btda::bigint),
	bench.number(aruba_ms::bigint), bench.number(btda_ms::bigint))
FROM side_by_side WHERE attributes = 8 ORDER BY bound;
INSERT INTO bench.document (line)
VALUES (''), ('| attributes | nodes | c | frontier nodes | BTDA visits | ARUBA, ms | BTDA, ms |'), ('|--:|--:|--:|--:|--:|--:|--:|');
INSERT INTO bench.document (line)
SELECT format('| %s | %s | %s | %s | %s | %s | %s |', attributes, bench.number(anonopt.lattice_size('adult_first_' || attributes)::bigint),
	bound, bench.number(aruba::bigint), bench.number(btda::bigint), bench.number(aruba_ms::bigint), bench.number(btda_ms::bigint))
FROM side_by_side JOIN total_depth USING (attributes) WHERE bound = depth / 2 ORDER BY attributes;

-- Figure 9: the mean risk of one node for all, at the utility it has, beside
-- that of a node a record.  A node alone is what levels narrowed to it leave.
CREATE PROCEDURE declare_node(node int[])
LANGUAGE plpgsql AS $$
BEGIN
	PERFORM anonopt.create_dataset('adult_node', 'adult');
	PERFORM anonopt.add_quasi_identifier('adult_node', name, 'adult_' || name, 1, node[ordinal], node[ordinal])
	FROM (SELECT * FROM quasi_identifier ORDER BY ordinal) AS one;
END $$;
CREATE TABLE node_risk (k bigint, levels int[], utility float8, risk float8);
CREATE PROCEDURE measure_node(k bigint, levels int[])
LANGUAGE plpgsql AS $$
BEGIN
	CALL declare_node(levels);
	INSERT INTO node_risk SELECT measure_node.k, measure_node.levels, avg(a.utility), avg(a.risk) FROM anonopt.aruba('adult_node', 0) AS a;
	PERFORM anonopt.drop_dataset('adult_node');
END $$;
SELECT format('CALL measure_node(%s, %L)', k, levels)
FROM (SELECT k, levels, row_number() OVER (ORDER BY k) AS place FROM anonopt.pareto('adult', '{k,glm}')) AS front WHERE place % 6 = 1 \gexec
SELECT format('CALL search_records(''aruba'', 8, %s)', bound)
FROM (SELECT DISTINCT utility::int AS bound FROM node_risk) AS each
WHERE bound NOT IN (SELECT r.bound FROM record_result AS r WHERE attributes = 8) \gexec
INSERT INTO bench.document (line)
VALUES (''), ('| k | depth kept | mean risk of the node | ARUBA''s mean risk, as much kept |'), ('|--:|--:|--:|--:|');
INSERT INTO bench.document (line)
SELECT DISTINCT ON (k) format('| %s | %s | %s | %s |', bench.number(k), n.utility, to_char(n.risk, 'FM0.000000'), to_char(r.risk, 'FM0.000000'))
FROM node_risk AS n JOIN record_result AS r ON (r.attributes, r.algorithm, r.bound) = (8, 'aruba', n.utility::int) ORDER BY k;

-- Twenty attributes: 95,367,431,640,625 nodes
SELECT format('CREATE TABLE twenty AS SELECT %s FROM generate_series(1, 5000) AS nr',
	string_agg(format('floor(16 * random() * random() + nr * 0)::int AS v%s', i), ', '))
FROM generate_series(1, 20) AS i \gexec
SELECT anonopt.create_interval_hierarchy('sixteen', 0, 15, '{2,4,8}'), anonopt.create_dataset('twenty', 'twenty');
SELECT anonopt.add_quasi_identifier('twenty', ('v' || i)::name, 'sixteen') FROM generate_series(1, 20) AS i;
INSERT INTO bench.result (measurement, figure, unit, target)
SELECT 'ARUBA, 20 attributes, time_limit 5 s', bench.milliseconds('SELECT count(*) FROM anonopt.aruba(''twenty'', 40, time_limit => ''5 s'')') / 1000, 's', 7;
