-- PBG-EA, Table 2a: three sizes of boxes, of k and GLM, and of k, l and GLM: RR and CE over
-- seeds 1 to :seeds, means and, in parentheses, variances.  By default and with the paper's
-- operators, each at the paper's nodes for these objectives, and for 100 iterations.
CREATE TABLE vector (ordinal int, objectives text[], epsilon float8[], rr text, ce text, nodes int);
INSERT INTO vector VALUES (1, '{k,glm}', '{5,100}', '.95 (1.6e-3)', '4.3e-4 (2.6e-7)', 916), (2, '{k,glm}', '{10,1000}', '.98 (8.2e-4)', '1.6e-4 (8.0e-8)', 916), (3, '{k,glm}', '{50,10000}', '1.0 (0.0)', '1.7e-4 (1.1e-8)', 916),
	(4, '{k,l,glm}', '{5,2,100}', '.92 (1.2e-3)', '4.9e-3 (2.5e-7)', 946), (5, '{k,l,glm}', '{10,4,1000}', '.92 (7.0e-4)', '7.4e-3 (9.3e-7)', 946), (6, '{k,l,glm}', '{50,6,10000}', '.88 (1.7e-3)', '1.8e-2 (8.2e-6)', 946);
CREATE TABLE search (ordinal int, kind int, rows int, rr float8, ce float8, boxes bigint, evaluated bigint);
CREATE PROCEDURE go(nr int, kind int, options text, seeds int) LANGUAGE plpgsql AS $$
DECLARE
	v vector := (SELECT x FROM vector AS x WHERE ordinal = nr);
	nodes int[];
	measured bigint;
BEGIN
	FOR seed IN 1..seeds LOOP
		EXECUTE format('SELECT array_agg(levels) FROM anonopt.pbg_ea(''adult_sensitive'', %L, %L, seed => %s%s)', v.objectives, v.epsilon, seed, options) INTO nodes;
		SELECT evaluated INTO measured FROM anonopt.last_search();
		INSERT INTO search SELECT v.ordinal, kind, array_length(nodes, 1), q.rr, q.ce, q.boxes, measured
		FROM anonopt.archive_quality('adult_sensitive', v.objectives, nodes, v.epsilon) AS q;
	END LOOP;
END $$;
SELECT format('CALL go(%s, %s, %L, %s)', ordinal, kind, options, :seeds)
FROM vector, LATERAL (VALUES (1, format(', iterations => 1000, max_nodes => %s', nodes)), (2, ''),
	(3, format(', bounds => false, copies => true, mutation => 0.125, iterations => 1000, max_nodes => %s', nodes)),
	(4, ', bounds => false, copies => true, mutation => 0.125')) AS way (kind, options) ORDER BY ordinal, kind \gexec
SELECT line('objectives', 'boxes of', 'there are', 'search', 'paper: RR', 'CE', 'ours: RR', 'CE', 'CE a row', 'nodes');
SELECT rule(10);
SELECT line(array_to_string(objectives, ', '), array_to_string(epsilon, ', '), max(boxes)::text, (ARRAY['by default, as many nodes', 'by default', 'the paper''s operators, as many nodes', 'the paper''s operators'])[kind],
	v.rr, v.ce, format('%s (%s)', round(avg(s.rr)::numeric, 3), round(variance(s.rr)::numeric, 5)), format('%s (%s)', round(avg(s.ce)::numeric, 4), round(variance(s.ce)::numeric, 6)),
	round(avg(s.ce / rows)::numeric, 6)::text, round(avg(evaluated))::text)
FROM search AS s JOIN vector AS v USING (ordinal) GROUP BY ordinal, objectives, epsilon, v.rr, v.ce, kind ORDER BY ordinal, kind;
