-- ARUBA: nodes for a record, in the mean, by the utility c asked for, eight columns, which
-- the paper does not show.  aruba counts the frontier nodes whose risk it computes, BTDA
-- all that it visits.  Data: Adult; depth.
CALL compare_walks(NULL, '{2,5,8,11,14,17,20}');
SELECT line('columns', 'nodes', 'c', 'frontier nodes, by aruba', 'BTDA visits');
SELECT rule(5);
SELECT line(columns::text, nodes::text, c::text, round(aruba_visits)::text, round(btda_visits)::text) FROM walk ORDER BY columns, c;
