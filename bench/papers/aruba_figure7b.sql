-- ARUBA, Figure 7 b: CPU time for all records together, by the utility c asked for,
-- eight columns.  Data: Adult; depth; one core.
CALL compare_walks(NULL, '{2,5,8,11,14,17,20}');
SELECT line('columns', 'nodes', 'c', 'ARUBA, CPU', 'BTDA, CPU', 'faster');
SELECT rule(6);
SELECT line(columns::text, nodes::text, c::text, round(aruba_ms / 1000.0, 2) || ' s', round(btda_ms / 1000.0, 2) || ' s', CASE WHEN aruba_ms < btda_ms THEN 'ARUBA' ELSE 'BTDA' END)
FROM walk ORDER BY columns, c;
