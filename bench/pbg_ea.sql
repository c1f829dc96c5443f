-- pbg_ea.sql: what PBG-EA finds of Adult's exact sets and what it measures for
-- that, beside its paper; and one call beside GROUP BY
--
-- Every figure is a mean over seeds 1 to :seeds.  Quality is against the exact
-- set, for which archive_quality measures the whole lattice.

CALL declare_adult('adult_labelled', 'adult', 7);
SELECT anonopt.set_class_label('adult_labelled', 'salary_class');

CREATE TABLE pbg_form (ordinal int PRIMARY KEY, dataset text, objectives text[], paper_rr numeric, paper_nodes int,
	target_rr float8);
INSERT INTO pbg_form VALUES
	(1, 'adult_sensitive', '{k,glm}', 0.94, 916, 0.94), (2, 'adult_sensitive', '{k,l,glm}', 0.93, 946, 0.93),
	(3, 'adult_sensitive', '{sum_k,glm}', 0.84, 1136, 0.84), (4, 'adult_sensitive', '{sum_k,sum_l,glm}', 0.83, 1197, 0.83),
	(5, 'adult_labelled', '{k,glm,cm}', NULL, 1073, NULL);

-- A row a search of as many nodes as the paper's: kind is 'paper' or the vector of the boxes' sides
CREATE TABLE pbg_search (ordinal int, kind text, seed int, found int, measured int,
	ce float8, rr float8, boxes int);

CREATE PROCEDURE search_pbg(form int, kind text, epsilon float8[] DEFAULT NULL)
LANGUAGE plpgsql AS $$
DECLARE
	f pbg_form := (SELECT p FROM pbg_form AS p WHERE ordinal = form);
	nodes int[];
	measured int;
BEGIN
	FOR seed IN 1..current_setting('bench.seeds')::int LOOP
		EXECUTE format('SELECT array_agg(levels) FROM anonopt.pbg_ea(%L, %L, %L, iterations => 1000, max_nodes => %s, seed => %s)',
			f.dataset, f.objectives, epsilon, f.paper_nodes, seed) INTO nodes;
		SELECT evaluated INTO measured FROM anonopt.last_search();
		INSERT INTO pbg_search
		SELECT form, kind, seed, array_length(nodes, 1), measured, ce, rr, boxes
		FROM anonopt.archive_quality(f.dataset, f.objectives, nodes, epsilon);
	END LOOP;
END $$;

CREATE VIEW pbg_mean AS
SELECT ordinal, kind, avg(measured) AS measured, avg(found) AS found, max(boxes) AS boxes,
	avg(rr) AS rr, variance(rr) AS rr_variance, avg(ce) AS ce, variance(ce) AS ce_variance
FROM pbg_search GROUP BY ordinal, kind;

SELECT set_config('bench.seeds', :'seeds', false);
SELECT format('CALL search_pbg(%s, ''paper'')', ordinal) FROM pbg_form ORDER BY ordinal \gexec
SELECT format('CALL search_pbg(%s, %L, %2$L)', form, epsilon)
FROM (VALUES (1, 1, '{5,100}'), (1, 2, '{10,1000}'), (1, 3, '{50,10000}'),
	(2, 1, '{5,2,100}'), (2, 2, '{10,4,1000}'), (2, 3, '{50,6,10000}')) AS vector (form, ordinal, epsilon)
ORDER BY form, ordinal \gexec

INSERT INTO bench.result (measurement, figure, unit, target, at_least)
SELECT format('PBG-EA of %s, %s', array_to_string(objectives, ' and '), what), figure, unit, target, at_least
FROM pbg_form JOIN pbg_mean USING (ordinal),
	LATERAL (VALUES (1, 'RR', rr, '', target_rr, true), (2, 'measured', measured::float8, 'nodes', 1197, false))
		AS each (nr, what, figure, unit, target, at_least)
WHERE kind = 'paper'
ORDER BY ordinal, nr;

SET max_parallel_workers_per_gather = 0;
CALL bench.alternate('PBG-EA of k and glm',
	'pbg_ea', $$SELECT * FROM anonopt.pbg_ea('adult', seed => 1)$$,
	'GROUP BY', group_by('adult'),
	:times, 5);

INSERT INTO bench.document (line)
VALUES (''), ('| objectives | boxes | RR | variance | paper''s RR | CE | variance | nodes measured | paper''s |'),
	('|---|--:|--:|--:|--:|--:|--:|--:|--:|');
INSERT INTO bench.document (line)
SELECT format('| %s | %s | %s | %s | %s | %s | %s | %s | %s |', array_to_string(objectives, ', '), paper.boxes,
	round(paper.rr::numeric, 3), round(paper.rr_variance::numeric, 5), coalesce(paper_rr::text, '–'),
	round(paper.ce::numeric, 3), round(paper.ce_variance::numeric, 5),
	bench.number(round(paper.measured)::bigint), bench.number(paper_nodes))
FROM pbg_form
JOIN pbg_mean AS paper USING (ordinal)
WHERE paper.kind = 'paper'
ORDER BY ordinal;

INSERT INTO bench.document (line)
VALUES (''), ('| objectives | epsilon | boxes | rows | RR | variance | CE | variance | nodes measured |'),
	('|---|---|--:|--:|--:|--:|--:|--:|--:|');
INSERT INTO bench.document (line)
SELECT format('| %s | %s | %s | %s | %s | %s | %s | %s | %s |', array_to_string(objectives, ', '),
	array_to_string(kind::float8[], ', '), boxes, round(found, 1), round(rr::numeric, 3), round(rr_variance::numeric, 5),
	round(ce::numeric, 3), round(ce_variance::numeric, 5), bench.number(round(measured)::bigint))
FROM pbg_form JOIN pbg_mean USING (ordinal)
WHERE kind LIKE '{%' ORDER BY ordinal, (kind::float8[])[1];
