-- ARUBA, Figure 7 a in the paper's setting: the share of frontier nodes by the utility c, for 64
-- columns (the paper has up to 70; 64 is our limit) with hierarchies of 1 to 5 levels in turn.
-- The utility is the depth, so the frontier is the nodes of depth c, which are counted as the
-- coefficients of a product of polynomials.
CREATE FUNCTION nodes_by_depth(columns int) RETURNS numeric[] LANGUAGE plpgsql AS $$
DECLARE
	counts numeric[] := '{1}';
BEGIN
	FOR i IN 1..columns LOOP
		counts := (SELECT array_agg((SELECT sum(counts[d + 1 - l]) FROM generate_series(0, 1 + i % 5) AS l WHERE d - l BETWEEN 0 AND cardinality(counts) - 1) ORDER BY d)
			FROM generate_series(0, cardinality(counts) + i % 5) AS d);
	END LOOP;
	RETURN counts;
END $$;
SELECT line('columns', 'nodes', 'c', 'of the depth', 'frontier nodes, share');
SELECT rule(5);
SELECT line('64', to_char((SELECT sum(n) FROM unnest(counts) AS n), '9.9EEEE'), c::text, round(100.0 * c / (cardinality(counts) - 1)) || ' %',
	round(100 * counts[c + 1] / (SELECT sum(n) FROM unnest(counts) AS n), 6) || ' %')
FROM nodes_by_depth(64) AS counts, generate_series(30, 180, 15) AS c ORDER BY c;
