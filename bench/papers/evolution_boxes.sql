-- PBG-EA, three sizes of boxes, of k and GLM, and of k, l and GLM: RR and CE over seeds 1
-- to :seeds.  As it is unless told: 100 iterations; with levels that stay at their ends, at
-- the paper's nodes; with bounds too, at no more nodes than the paper.
CREATE TABLE vector (ordinal int, objectives text[], epsilon float8[], rr text, nodes int);
INSERT INTO vector VALUES (1, '{k,glm}', '{5,100}', '.95', 916), (2, '{k,glm}', '{10,1000}', '.98', 916), (3, '{k,glm}', '{50,10000}', '1.0', 916),
	(4, '{k,l,glm}', '{5,2,100}', NULL, 946), (5, '{k,l,glm}', '{10,4,1000}', NULL, 946), (6, '{k,l,glm}', '{50,6,10000}', NULL, 946);
CREATE TABLE search (ordinal int, kind int, rr float8, ce float8, boxes bigint, evaluated bigint);
CREATE PROCEDURE go(nr int, kind int, options text, seeds int) LANGUAGE plpgsql AS $$
DECLARE
	v vector := (SELECT x FROM vector AS x WHERE ordinal = nr);
	nodes int[];
	measured bigint;
BEGIN
	FOR seed IN 1..seeds LOOP
		EXECUTE format('SELECT array_agg(levels) FROM anonopt.pbg_ea(''adult_sensitive'', %L, %L, seed => %s%s)', v.objectives, v.epsilon, seed, options) INTO nodes;
		SELECT evaluated INTO measured FROM anonopt.last_search();
		INSERT INTO search SELECT v.ordinal, kind, q.rr, q.ce, q.boxes, measured
		FROM anonopt.archive_quality('adult_sensitive', v.objectives, nodes, v.epsilon) AS q;
	END LOOP;
END $$;
SELECT format('CALL go(%s, %s, %L, %s)', ordinal, kind, options, :seeds)
FROM vector, LATERAL (VALUES (1, ''), (2, format(', reflect => false, iterations => 1000, max_nodes => %s', nodes)),
	(3, format(', bounds => true, reflect => false, iterations => 1000, max_nodes => %s', nodes))) AS way (kind, options) ORDER BY ordinal, kind \gexec
SELECT line('objectives', 'boxes of', 'there are', 'search', 'paper: RR', 'ours: RR', 'CE', 'nodes');
SELECT rule(8);
SELECT line(array_to_string(objectives, ', '), array_to_string(epsilon, ', '), max(boxes)::text, (ARRAY['as it is', 'levels stay', 'bounds, levels stay'])[kind],
	v.rr, round(avg(s.rr)::numeric, 3)::text, round(avg(ce)::numeric, 4)::text, round(avg(evaluated))::text)
FROM search AS s JOIN vector AS v USING (ordinal) GROUP BY ordinal, objectives, epsilon, v.rr, kind ORDER BY ordinal, kind;
