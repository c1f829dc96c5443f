-- ARUBA, Figure 7 c: CPU time for all records together, by the number of columns,
-- c being half of their depth.  Data: Adult; depth; one core.
CALL compare_walks('{3,4,5,6,7,8}', NULL);
SELECT line('columns', 'nodes', 'c', 'ARUBA, CPU', 'BTDA, CPU', 'faster');
SELECT rule(6);
SELECT line(columns::text, nodes::text, c::text, round(aruba_ms / 1000.0, 2) || ' s', round(btda_ms / 1000.0, 2) || ' s', CASE WHEN aruba_ms < btda_ms THEN 'ARUBA' ELSE 'BTDA' END)
FROM walk ORDER BY columns, c;
