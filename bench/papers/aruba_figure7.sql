-- ARUBA, Figure 7: nodes visited a record, in the mean, by the utility asked (depth, eight
-- columns), and by the number of columns, c being half of their depth
CREATE PROCEDURE declare_all() LANGUAGE plpgsql AS $$
BEGIN
	FOR n IN 3..8 LOOP
		CALL declare_adult('columns_' || n, 'adult', n);
	END LOOP;
END $$;
CALL declare_all();
CREATE TABLE asked AS
SELECT 8 AS columns, c FROM unnest('{2,5,8,11,14,17,20}'::int[]) AS c
UNION SELECT n, (SELECT (sum(levels) / 2)::int FROM quasi_identifier WHERE ordinal <= n) FROM generate_series(3, 7) AS n;
SELECT line('columns', 'nodes', 'c', 'ARUBA visits', 'BTDA visits', 'fewer');
SELECT rule(6);
SELECT line(columns::text, anonopt.lattice_size('columns_' || columns)::text, c::text, round(a.v)::text, round(b.v)::text,
	CASE WHEN a.v < b.v THEN 'ARUBA' ELSE 'BTDA' END)
FROM asked, LATERAL (SELECT avg(visited) AS v FROM anonopt.aruba('columns_' || columns, c)) AS a,
	LATERAL (SELECT avg(visited) AS v FROM anonopt.btda('columns_' || columns, c)) AS b ORDER BY columns, c;
