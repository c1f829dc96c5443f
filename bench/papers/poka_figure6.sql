-- POkA, Figure 6: the share of the lattice that is measured as attributes are added, at
-- the default depth, with DCN as the paper has it and with GLM; 1 % suppression
CREATE PROCEDURE declare_all() LANGUAGE plpgsql AS $$
BEGIN
	FOR n IN 2..8 LOOP
		CALL declare_adult('first_' || n, 'adult', n);
	END LOOP;
END $$;
CALL declare_all();
CREATE TABLE front (n int, metric text, k bigint, loss float8);
CREATE TABLE found (n int, metric text, k bigint, loss float8);
CREATE TABLE measured (n int, metric text, nodes numeric, evaluated bigint);
CREATE PROCEDURE search_all() LANGUAGE plpgsql AS $$
DECLARE
	metric text;
BEGIN
	FOR n IN 2..8 LOOP
		FOREACH metric IN ARRAY '{dcn,glm}'::text[] LOOP
			EXECUTE format('INSERT INTO front SELECT %s, %L, k, %2$I FROM anonopt.pareto(%3$L, ARRAY[''k'', %2$L]) WHERE k > 1', n, metric, 'first_' || n);
			EXECUTE format('INSERT INTO found SELECT %s, %L, k, %2$I FROM anonopt.poka(%3$L, %2$L) WHERE k > 1', n, metric, 'first_' || n);
			INSERT INTO measured SELECT n, metric, nodes, evaluated FROM anonopt.last_search();
		END LOOP;
	END LOOP;
END $$;
CALL search_all();
SELECT line('attributes', 'nodes', 'DCN: measured', 'share', 'of the front', 'GLM: measured', 'share', 'of the front');
SELECT rule(8);
CREATE VIEW cell AS
SELECT *, (SELECT count(DISTINCT (k, loss)) FROM found AS f JOIN front USING (n, metric, k, loss) WHERE (f.n, f.metric) = (m.n, m.metric)) AS hits,
	(SELECT count(*) FROM front AS f WHERE (f.n, f.metric) = (m.n, m.metric)) AS front
FROM measured AS m;
SELECT line(n::text, d.nodes::text, d.evaluated::text, round(100 * d.evaluated / d.nodes, 1) || ' %', format('%s of %s', d.hits, d.front),
	g.evaluated::text, round(100 * g.evaluated / g.nodes, 1) || ' %', format('%s of %s', g.hits, g.front))
FROM cell AS d JOIN cell AS g USING (n) WHERE (d.metric, g.metric) = ('dcn', 'glm') ORDER BY n;
