-- poka.sql: what POkA finds and measures, as its paper tells it: by depth, and
-- by the number of attributes at the default depth
--
-- Nodes whose k is 1 are not looked for, and not counted.

CREATE TABLE front (attributes int, k bigint, glm float8);
CREATE TABLE poka_search (attributes int, depth int, nodes numeric, measured bigint);
CREATE TABLE poka_found (attributes int, depth int, k bigint, glm float8);

CREATE PROCEDURE search_poka(attributes int, depth int)
LANGUAGE sql AS $$
	INSERT INTO poka_found
	SELECT attributes, depth, k, glm FROM anonopt.poka('adult_' || attributes, 'glm', depth) WHERE k > 1;
	INSERT INTO poka_search
	SELECT attributes, depth, nodes, evaluated FROM anonopt.last_search();
$$;

-- The mean height of the first hierarchies, rounded up
CREATE FUNCTION default_depth(attributes int) RETURNS int
LANGUAGE sql AS 'SELECT ceil(avg(levels)) FROM quasi_identifier WHERE ordinal <= attributes';

SET max_parallel_workers_per_gather = 0;
SELECT format('CALL declare_adult(%L, %L, %s)', 'adult_' || attributes, 'adult', attributes),
	format('INSERT INTO front SELECT %s, k, glm FROM anonopt.pareto(%L) WHERE k > 1', attributes, 'adult_' || attributes),
	format('CALL search_poka(%s, default_depth(%1$s))', attributes)
FROM generate_series(2, 8) AS attributes \gexec
SELECT format('CALL search_poka(8, %s)', depth)
FROM generate_series(1, 6) AS depth WHERE depth <> default_depth(8) \gexec

CREATE VIEW poka_result AS
SELECT *, 100.0 * measured / nodes AS share,
	(SELECT count(*) FROM poka_found WHERE (attributes, depth) = (search.attributes, search.depth)) AS found,
	(SELECT count(*) FROM poka_found JOIN front USING (attributes, k, glm)
		WHERE (attributes, depth) = (search.attributes, search.depth)) AS hits,
	(SELECT count(*) FROM front WHERE attributes = search.attributes) AS front
FROM poka_search AS search;

INSERT INTO bench.result (measurement, figure, unit, target, at_least)
SELECT format('POkA at depth %s, of the front', depth), hits, 'nodes', front, true
FROM poka_result WHERE (attributes, depth) = (8, default_depth(8))
UNION ALL
SELECT format('POkA at depth %s, measured', depth), share, '%', 33, false
FROM poka_result WHERE (attributes, depth) = (8, default_depth(8));

INSERT INTO bench.document (line)
VALUES (''), ('| depth | nodes measured | share | found | of the front |'), ('|--:|--:|--:|--:|--:|');
INSERT INTO bench.document (line)
SELECT format('| %s | %s | %s%% | %s | %s of %s |',
	depth, bench.number(measured), round(share, 1), found, hits, front)
FROM poka_result WHERE attributes = 8 ORDER BY depth;

INSERT INTO bench.document (line)
VALUES (''), ('| attributes | nodes | depth | nodes measured | share | found | of the front |'),
	('|--:|--:|--:|--:|--:|--:|--:|');
INSERT INTO bench.document (line)
SELECT format('| %s | %s | %s | %s | %s%% | %s | %s of %s |',
	attributes, bench.number(nodes::bigint), depth, bench.number(measured), round(share, 1), found, hits, front)
FROM poka_result WHERE depth = default_depth(attributes) ORDER BY attributes;
