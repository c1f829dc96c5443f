-- PBG-EA, three sizes of boxes for k and GLM: RR and CE over seeds 1 to :seeds
CREATE TABLE vector (ordinal int, epsilon float8[], rr text);
INSERT INTO vector VALUES (1, '{5,100}', '.95'), (2, '{10,1000}', '.98'), (3, '{50,10000}', '1.0');
CREATE TABLE search (ordinal int, kind int, rr float8, ce float8, boxes bigint, evaluated bigint);
CREATE PROCEDURE go(seeds int) LANGUAGE plpgsql AS $$
DECLARE
	v vector;
	nodes int[];
	measured bigint;
BEGIN
	FOR v IN SELECT * FROM vector LOOP
		FOR kind IN 1..2 LOOP
			FOR seed IN 1..seeds LOOP
				SELECT array_agg(levels) INTO nodes FROM anonopt.pbg_ea('adult_sensitive', '{k,glm}', v.epsilon, iterations => 1000,
					max_nodes => 916, seed => seed, bounds => kind = 2, reflect => false);
				SELECT evaluated INTO measured FROM anonopt.last_search();
				INSERT INTO search SELECT v.ordinal, kind, q.rr, q.ce, q.boxes, measured
				FROM anonopt.archive_quality('adult_sensitive', '{k,glm}', nodes, v.epsilon) AS q;
			END LOOP;
		END LOOP;
	END LOOP;
END $$;
CALL go(:seeds);
SELECT line('boxes of', 'there are', 'paper''s RR', 'levels stay: RR', 'CE', 'nodes', 'with bounds: RR', 'CE', 'nodes');
SELECT rule(9);
SELECT line(array_to_string(epsilon, ', '), max(boxes)::text, v.rr, round(avg(s.rr) FILTER (WHERE kind = 1)::numeric, 3)::text,
	round(avg(ce) FILTER (WHERE kind = 1)::numeric, 4)::text, round(avg(evaluated) FILTER (WHERE kind = 1))::text,
	round(avg(s.rr) FILTER (WHERE kind = 2)::numeric, 3)::text, round(avg(ce) FILTER (WHERE kind = 2)::numeric, 4)::text,
	round(avg(evaluated) FILTER (WHERE kind = 2))::text)
FROM search AS s JOIN vector AS v USING (ordinal) GROUP BY ordinal, epsilon, v.rr ORDER BY ordinal;
