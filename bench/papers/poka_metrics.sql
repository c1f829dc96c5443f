-- POkA, its tables: nodes of the exact front with k > 1 that it finds, and the share of the
-- lattice it measures, by metric, depth and suppression.  GLM and DCN over eight columns
-- (17,920 nodes), CM over seven (8,960 nodes) with salary_class the class label.
CREATE TABLE setting AS
SELECT metric, suppression, depth, format('adult_%s_%s', metric, suppression) AS dataset
FROM unnest('{glm,dcn,cm}'::text[]) AS metric, unnest('{0,1,2,5,10}'::int[]) AS suppression, unnest('{1,2,3,6}'::int[]) AS depth
WHERE suppression = 1 OR depth = 3;
CREATE PROCEDURE declare_all() LANGUAGE plpgsql AS $$
DECLARE
	s record;
BEGIN
	FOR s IN SELECT DISTINCT metric, suppression, dataset FROM setting LOOP
		PERFORM anonopt.create_dataset(s.dataset, 'adult', max_suppression => s.suppression / 100.0);
		PERFORM anonopt.add_quasi_identifier(s.dataset, name, ('adult_' || name)::regclass)
		FROM (SELECT name FROM quasi_identifier WHERE ordinal <= CASE s.metric WHEN 'cm' THEN 7 ELSE 8 END ORDER BY ordinal) AS one;
		IF s.metric = 'cm' THEN
			PERFORM anonopt.set_class_label(s.dataset, 'salary_class');
		END IF;
	END LOOP;
END $$;
CALL declare_all();
CREATE TABLE front (dataset text, k bigint, loss float8);
CREATE TABLE found (dataset text, depth int, k bigint, loss float8);
CREATE TABLE measured (dataset text, depth int, nodes numeric, evaluated bigint);
CREATE PROCEDURE search_all() LANGUAGE plpgsql AS $$
DECLARE
	s record;
BEGIN
	FOR s IN SELECT DISTINCT metric, dataset FROM setting LOOP
		EXECUTE format('INSERT INTO front SELECT %L, k, %I FROM anonopt.pareto(%1$L, ARRAY[''k'', %2$L]) WHERE k > 1', s.dataset, s.metric);
	END LOOP;
	FOR s IN SELECT * FROM setting LOOP
		EXECUTE format('INSERT INTO found SELECT %L, %s, k, %I FROM anonopt.poka(%1$L, %3$L, %2$s) WHERE k > 1', s.dataset, s.depth, s.metric);
		INSERT INTO measured SELECT s.dataset, s.depth, nodes, evaluated FROM anonopt.last_search();
	END LOOP;
END $$;
CALL search_all();
SELECT line('metric', 'suppression', 'depth', 'front, k > 1', 'found of it', 'nodes measured', 'of the lattice');
SELECT rule(7);
SELECT line(upper(metric), suppression || ' %', depth::text, (SELECT count(*)::text FROM front WHERE front.dataset = s.dataset),
	(SELECT count(DISTINCT (k, loss))::text FROM found JOIN front USING (dataset, k, loss) WHERE dataset = s.dataset AND found.depth = s.depth),
	evaluated::text, round(100.0 * evaluated / nodes, 1) || ' %')
FROM setting AS s JOIN measured USING (dataset, depth) ORDER BY array_position('{glm,dcn,cm}', metric), suppression = 1 DESC, suppression, depth;
