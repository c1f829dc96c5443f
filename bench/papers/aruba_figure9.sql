-- ARUBA, Figure 9: mean risk by the utility kept (depth), for all three models of risk, of
-- nodes of the front of k and GLM, the same for everybody, beside a node a record.
-- Entropy is negative where anything is shown, and 0 where nothing is.
CREATE TABLE node AS
SELECT levels, k, 22 - (SELECT sum(l) FROM unnest(levels) AS l)::int AS depth FROM anonopt.pareto('adult') WHERE k IN (1, 7, 15, 37, 80, 138, 1110, 14721);
CREATE TABLE risk (k bigint, depth int, model text, of_node float8, of_record float8);
-- a node alone is what levels narrowed to it leave
CREATE PROCEDURE measure_all() LANGUAGE plpgsql AS $$
DECLARE
	n node;
	model text;
BEGIN
	FOR n IN SELECT * FROM node LOOP
		PERFORM anonopt.create_dataset('narrowed', 'adult');
		PERFORM anonopt.add_quasi_identifier('narrowed', name, ('adult_' || name)::regclass, 1, n.levels[ordinal], n.levels[ordinal])
		FROM (SELECT * FROM quasi_identifier ORDER BY ordinal) AS one;
		FOREACH model IN ARRAY '{sensitivity,identity,entropy}'::text[] LOOP
			INSERT INTO risk SELECT n.k, n.depth, model, (SELECT avg(a.risk) FROM anonopt.aruba('narrowed', 0, model) AS a),
				(SELECT avg(a.risk) FROM anonopt.aruba('adult', n.depth, model) AS a);
		END LOOP;
		PERFORM anonopt.drop_dataset('narrowed');
	END LOOP;
END $$;
CALL measure_all();
SELECT line('k', 'depth kept', 'sensitivity: node', 'a record', 'identity: node', 'a record', 'entropy: node', 'a record');
SELECT rule(8);
SELECT line(VARIADIC ARRAY[k::text, depth::text] || array_agg(round(x::numeric, 6)::text ORDER BY array_position('{sensitivity,identity,entropy}', model), which))
FROM risk, LATERAL (VALUES (1, of_node), (2, of_record)) AS each (which, x) GROUP BY k, depth ORDER BY k;
