-- ARUBA, Figure 7 a: nodes visited for a record, in the mean, by the utility c asked for,
-- eight columns.  Data: Adult; depth.
CALL compare_walks(NULL, '{2,5,8,11,14,17,20}');
SELECT line('columns', 'nodes', 'c', 'ARUBA visits', 'BTDA visits', 'fewer');
SELECT rule(6);
SELECT line(columns::text, nodes::text, c::text, round(aruba_visits)::text, round(btda_visits)::text, CASE WHEN aruba_visits < btda_visits THEN 'ARUBA' ELSE 'BTDA' END)
FROM walk ORDER BY columns, c;
