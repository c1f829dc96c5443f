-- PBG-EA, the tables of RR, CE and nodes by objectives: 25 nodes, boxes of the default
-- size, seeds 1 to :seeds.  As ours is unless told; with levels that stay at their ends
-- and copies, at the paper's nodes; with bounds too, at no more nodes than the paper.
CALL declare_adult('labelled', 'adult', 7);
SELECT FROM anonopt.set_class_label('labelled', 'salary_class');
CREATE TABLE form (ordinal int, dataset text, objectives text[], rr text, ce text, nodes int);
INSERT INTO form VALUES (1, 'adult_sensitive', '{k,glm}', '.94', '3.7e-4', 916), (2, 'adult_sensitive', '{k,l,glm}', '.93', NULL, 946),
	(3, 'adult_sensitive', '{sum_k,glm}', '.84', NULL, 1136), (4, 'adult_sensitive', '{sum_k,sum_l,glm}', '.83', NULL, 1197),
	(5, 'labelled', '{k,glm,cm}', NULL, NULL, 1073);
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
FROM form, LATERAL (VALUES (1, ''), (2, format(', reflect => false, copies => true, iterations => 1000, max_nodes => %s', nodes)),
	(3, format(', bounds => true, reflect => false, max_nodes => %s', nodes))) AS way (kind, options) ORDER BY ordinal, kind \gexec
SELECT line('objectives', 'search', 'paper: RR', 'CE', 'nodes', 'ours: RR', 'variance', 'CE', 'CE a row', 'IGD+', 'nodes');
SELECT rule(11);
SELECT line(array_to_string(objectives, ', '), (ARRAY['as it is', 'levels stay, copies', 'bounds, levels stay'])[kind], form.rr, form.ce, nodes::text,
	round(avg(s.rr)::numeric, 3)::text, round(variance(s.rr)::numeric, 5)::text, round(avg(s.ce)::numeric, 4)::text,
	round(avg(s.ce / rows)::numeric, 6)::text, round(avg(igd_plus)::numeric, 6)::text, round(avg(measured))::text)
FROM search AS s JOIN form USING (ordinal) GROUP BY ordinal, objectives, form.rr, form.ce, nodes, kind ORDER BY ordinal, kind;
