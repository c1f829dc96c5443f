-- ARUBA, Figure 7 d: nodes for a record, in the mean, by the number of columns, c being
-- half of their depth.  aruba counts the frontier nodes whose risk it computes, BTDA all
-- that it visits; what ARUBA's walk visits is in aruba_branch_and_bound.  Data: Adult; depth.
CALL compare_walks('{3,4,5,6,7,8}', NULL);
SELECT line('columns', 'nodes', 'c', 'frontier nodes, by aruba', 'BTDA visits');
SELECT rule(5);
SELECT line(columns::text, nodes::text, c::text, round(aruba_visits)::text, round(btda_visits)::text) FROM walk ORDER BY columns, c;
