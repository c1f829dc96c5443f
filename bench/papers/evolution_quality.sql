-- PBG-EA, Tables 1b and 2b: RR, CE and nodes by objectives: 25 nodes, boxes of the default
-- size, seeds 1 to :seeds, means and, in parentheses, variances.  By default and with the
-- paper's operators, each at the paper's number of nodes, and for 100 iterations.
CALL declare_adult('labelled', 'adult', 7);
SELECT FROM anonopt.set_class_label('labelled', 'salary_class');
CREATE TABLE form (ordinal int, dataset text, objectives text[], rr text, ce text, nodes int, share text);
INSERT INTO form VALUES (1, 'adult_sensitive', '{k,glm}', '.94 (8e-4)', '3.7e-4 (6.5e-9)', 916, '5.1'), (2, 'adult_sensitive', '{k,l,glm}', '.93 (1.1e-3)', '3.3e-4 (1.1e-7)', 946, '5.3'),
	(3, 'adult_sensitive', '{sum_k,glm}', '.84 (1.7e-3)', '5.7e-4 (2.5e-7)', 1136, '6.3'), (4, 'adult_sensitive', '{sum_k,sum_l,glm}', '.83 (1.4e-3)', '6.6e-4 (2.0e-7)', 1197, '6.7'),
	(5, 'labelled', '{k,glm,cm}', NULL, NULL, 1073, '11.9');
CREATE TABLE search (ordinal int, kind int, seed int, rows int, measured int, rr float8, ce float8, igd_plus float8);
CREATE PROCEDURE go(nr int, kind int, options text, seeds int) LANGUAGE plpgsql AS $$
DECLARE
	form form := (SELECT f FROM form AS f WHERE ordinal = nr);
	nodes int[];
	measured int;
BEGIN
	FOR seed IN 1..seeds LOOP
		EXECUTE format('SELECT array_agg(levels) FROM anonopt.pbg_ea(%L, %L, seed => %s%s)', form.dataset, form.objectives, seed, options) INTO nodes;
		SELECT evaluated INTO measured FROM anonopt.last_search();
		INSERT INTO search SELECT form.ordinal, kind, seed, array_length(nodes, 1), measured, q.rr, q.ce, q.igd_plus
		FROM anonopt.archive_quality(form.dataset, form.objectives, nodes) AS q;
	END LOOP;
END $$;
SELECT format('CALL go(%s, %s, %L, %s)', ordinal, kind, options, :seeds)
FROM form, LATERAL (VALUES (1, format(', iterations => 1000, max_nodes => %s', nodes)), (2, ''),
	(3, format(', bounds => false, copies => true, mutation => 0.125, iterations => 1000, max_nodes => %s', nodes)),
	(4, ', bounds => false, copies => true, mutation => 0.125')) AS way (kind, options) ORDER BY ordinal, kind \gexec
SELECT line('objectives', 'search', 'paper: RR', 'CE', 'nodes', 'ours: RR', 'CE', 'CE a row', 'IGD+', 'nodes');
SELECT rule(10);
SELECT line(array_to_string(objectives, ', '), (ARRAY['by default, as many nodes', 'by default', 'the paper''s operators, as many nodes', 'the paper''s operators'])[kind], form.rr, form.ce, format('%s (%s %%)', nodes, share),
	format('%s (%s)', round(avg(s.rr)::numeric, 3), round(variance(s.rr)::numeric, 5)), format('%s (%s)', round(avg(s.ce)::numeric, 4), round(variance(s.ce)::numeric, 6)),
	round(avg(s.ce / rows)::numeric, 6)::text, round(avg(igd_plus)::numeric, 6)::text, round(avg(measured))::text)
FROM search AS s JOIN form USING (ordinal) GROUP BY ordinal, objectives, form.rr, form.ce, nodes, share, kind ORDER BY ordinal, kind;
