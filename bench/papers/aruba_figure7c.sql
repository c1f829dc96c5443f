-- ARUBA, Figure 7 c: nodes visited for a record, in the mean, by the number of columns,
-- c being half of their depth.  Data: Adult; depth.
CALL compare_walks('{3,4,5,6,7,8}', NULL);
SELECT line('columns', 'nodes', 'c', 'ARUBA visits', 'BTDA visits', 'fewer');
SELECT rule(6);
SELECT line(columns::text, nodes::text, c::text, round(aruba_visits)::text, round(btda_visits)::text, CASE WHEN aruba_visits < btda_visits THEN 'ARUBA' ELSE 'BTDA' END)
FROM walk ORDER BY columns, c;
