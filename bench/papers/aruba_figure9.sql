-- ARUBA, Figure 9: mean risk by utility, for all three models of risk: of ten random k-anonymous
-- nodes a k, the same for everybody, and of a node a record that keeps as much depth as they do in
-- the mean.  Data: every tenth person of Adult, eight columns, 1 % suppressed in the nodes.
-- Entropy is negative where anything is shown, and 0 where nothing is.  Random numbers: setseed(0.5).
SELECT setseed(0.5) \g /dev/null
CREATE TABLE tenth AS SELECT * FROM adult OFFSET 0;
DELETE FROM tenth WHERE ctid IN (SELECT ctid FROM (SELECT ctid, row_number() OVER (ORDER BY ctid) AS nr FROM tenth) AS x WHERE nr % 10 <> 0);
CREATE PROCEDURE declare_tenth(name text, levels int[]) LANGUAGE sql AS $$
	SELECT anonopt.create_dataset(declare_tenth.name, 'tenth');
	SELECT anonopt.add_quasi_identifier(declare_tenth.name, q.name, ('adult_' || q.name)::regclass, 1, coalesce(declare_tenth.levels[q.ordinal], 0), declare_tenth.levels[q.ordinal]) FROM (SELECT * FROM quasi_identifier ORDER BY ordinal) AS q
$$;
CALL declare_tenth('tenth', NULL);
CREATE TABLE node AS
SELECT asked, levels, depth FROM unnest('{2,5,10,20,50,100}'::int[]) AS asked, LATERAL (
	SELECT levels, 22 - (SELECT sum(l) FROM unnest(levels) AS l)::int AS depth FROM anonopt.lattice('tenth', k => asked) WHERE feasible ORDER BY random() LIMIT 10) AS n;
CREATE TABLE risk (asked int, model text, of_nodes float8, of_records float8);
CREATE PROCEDURE measure_all() LANGUAGE plpgsql AS $$
DECLARE
	n node;
	a int;
	model text;
BEGIN
	FOR n IN SELECT * FROM node LOOP
		CALL declare_tenth('narrowed', n.levels);
		INSERT INTO risk SELECT n.asked, m, (SELECT avg(a.risk) FROM anonopt.aruba('narrowed', 0, m) AS a), NULL FROM unnest('{sensitivity,identity,entropy}'::text[]) AS m;
		PERFORM anonopt.drop_dataset('narrowed');
	END LOOP;
	FOR a IN SELECT DISTINCT asked FROM node LOOP
		INSERT INTO risk SELECT a, m, NULL, (SELECT avg(x.risk) FROM anonopt.aruba('tenth', (SELECT round(avg(depth)) FROM node WHERE asked = a), m) AS x)
		FROM unnest('{sensitivity,identity,entropy}'::text[]) AS m;
	END LOOP;
END $$;
CALL measure_all();
SELECT line('k', 'depth kept', 'sensitivity: ten nodes', 'a record', 'identity: ten nodes', 'a record', 'entropy: ten nodes', 'a record');
SELECT rule(8);
SELECT line(VARIADIC ARRAY[asked::text, (SELECT round(avg(depth), 1) FROM node AS n WHERE n.asked = r.asked)::text] || array_agg(round(x::numeric, 6)::text ORDER BY array_position('{sensitivity,identity,entropy}', model), which))
FROM (SELECT asked, model, avg(of_nodes) AS of_nodes, avg(of_records) AS of_records FROM risk GROUP BY asked, model) AS r, LATERAL (VALUES (1, of_nodes), (2, of_records)) AS each (which, x)
GROUP BY asked ORDER BY asked;
