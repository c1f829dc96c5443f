-- hypervolume.sql: PBG-EA where no search can be exhaustive: sixteen
-- quasi-identifiers, and how much its archive covers by nodes measured
--
-- The hypervolume of k and what is not lost is the area under the archive, as
-- a share of what a node with k = all and no loss would cover.

-- A number below n, the same in every run
CREATE FUNCTION draw(row_number int, column_number int, n int) RETURNS int
LANGUAGE sql IMMUTABLE AS $$
	SELECT ('x' || left(md5(row_number || '.' || column_number), 7))::bit(28)::int % n
$$;

-- 8, 16 and 32 leaves in turn, on three to five levels.  Small values are many, and
-- people come in hundreds who are mostly alike: in one column of ten they go their own way.
SELECT anonopt.create_interval_hierarchy('wide_8', 0, 7, '{2,4}'),
	anonopt.create_interval_hierarchy('wide_16', 0, 15, '{2,4,8}'),
	anonopt.create_interval_hierarchy('wide_32', 0, 31, '{2,4,8,16}');
SELECT format('CREATE TABLE wide AS SELECT %s FROM generate_series(1, %s) AS i',
	string_agg(format('(SELECT least(draw(j, %s, %s), draw(j, %s, %2$s), draw(j, %s, %2$s))'
		' FROM (VALUES (CASE WHEN draw(i, %s, 10) = 0 THEN i ELSE -i / 100 END)) AS x (j)) AS v%1$s',
		c, 8 << c % 3, 100 + c, 200 + c, 300 + c), ', ' ORDER BY c), :wide)
FROM generate_series(1, 16) AS c \gexec
SELECT anonopt.create_dataset('wide', 'wide', max_suppression => 0.01);
SELECT anonopt.add_quasi_identifier('wide', ('v' || c)::name, ('wide_' || (8 << c % 3))::regclass)
FROM generate_series(1, 16) AS c;

-- Corners from the highest k down: each adds the k that the next one lacks, as high as it is itself
CREATE FUNCTION hypervolume(dataset text, seed int, local_search float8, max_nodes int) RETURNS float8
LANGUAGE sql VOLATILE AS $$
	WITH corner AS (
		SELECT k, people * attributes - glm AS kept, lead(k, 1, 0::bigint) OVER (ORDER BY k DESC) AS next_k,
			people, attributes
		FROM anonopt.pbg_ea(dataset, iterations => 1000, seed => seed, local_search => local_search, max_nodes => max_nodes,
			bounds => false, reflect => true),
			(SELECT count(*) AS people FROM wide) AS p,
			(SELECT count(*) AS attributes FROM anonopt.attribute WHERE attribute.dataset = 'wide') AS a)
	SELECT sum((k - next_k) * kept) / max(people ^ 2 * attributes) FROM corner
$$;

CREATE TABLE covered AS
SELECT local_search, max_nodes, seed, hypervolume('wide', seed, local_search, max_nodes) AS share
FROM unnest('{0,0.5}'::float8[]) AS local_search, unnest('{250,500,1000,2000}'::int[]) AS max_nodes,
	generate_series(1, :wide_seeds) AS seed;

INSERT INTO bench.result (measurement, figure, unit, target, at_least)
SELECT format('PBG-EA of %s nodes, hypervolume at %s', round(anonopt.lattice_size('wide') / 1e9) || ' billion', 2000),
	100 * avg(share) FILTER (WHERE local_search = 0), '%', NULL::float8, false
FROM covered WHERE max_nodes = 2000;

INSERT INTO bench.document (line)
VALUES (''), ('| nodes measured | share of the lattice | hypervolume | of the largest seen | with local search | of the largest seen |'),
	('|--:|--:|--:|--:|--:|--:|');
INSERT INTO bench.document (line)
SELECT format('| %s | %s | %s%% | %s%% | %s%% | %s%% |', bench.number(max_nodes),
	trim(to_char(max_nodes / anonopt.lattice_size('wide'), '9.9EEEE')),
	round(100 * plain, 2), round(100 * plain / largest, 1), round(100 * local, 2), round(100 * local / largest, 1))
FROM (SELECT max_nodes, avg(share) FILTER (WHERE local_search = 0)::numeric AS plain,
		avg(share) FILTER (WHERE local_search > 0)::numeric AS local
	FROM covered GROUP BY max_nodes) AS mean,
	(SELECT max(share)::numeric AS largest FROM covered) AS best
ORDER BY max_nodes;
