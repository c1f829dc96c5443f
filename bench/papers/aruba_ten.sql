-- ARUBA on ten columns: whether answers are proven, and the CPU time of the call; entropy is
-- given 30 s.  Data: Adult, eight columns, occupation by three levels and hours made up
-- of each row's number; 322,560 nodes; one core.
CREATE TABLE occupation AS SELECT leaf, CASE WHEN leaf IN ('Exec-managerial', 'Prof-specialty', 'Tech-support', 'Adm-clerical', 'Sales') THEN 'office'
	WHEN leaf IN ('Craft-repair', 'Machine-op-inspct', 'Transport-moving', 'Handlers-cleaners', 'Farming-fishing') THEN 'hand' ELSE 'service' END AS level1, '*' AS level2
FROM (SELECT DISTINCT occupation AS leaf FROM adult) AS x;
CREATE TABLE ten AS SELECT a.*, (hashint4(row_number() OVER (ORDER BY a)::int) & 2147483647) % 60 + 10 AS hours FROM adult AS a;
SELECT FROM anonopt.create_interval_hierarchy('hours', 0, 99, '{5,10,20,40}');
SELECT FROM anonopt.create_dataset('ten', 'ten', max_suppression => 0.01);
SELECT anonopt.add_quasi_identifier('ten', name, ('adult_' || name)::regclass) FROM (SELECT * FROM quasi_identifier ORDER BY ordinal) AS x \g /dev/null
SELECT FROM anonopt.add_quasi_identifier('ten', 'occupation', 'occupation');
SELECT FROM anonopt.add_quasi_identifier('ten', 'hours', 'hours');
CREATE TABLE proven (ordinal int, risk text, utility text, c float8, mean_risk float8, visited numeric, exact boolean, ms bigint);
CREATE PROCEDURE prove(ordinal int, risk text, utility text, c float8, time_limit interval) LANGUAGE plpgsql AS $$
DECLARE
	began bigint := cpu_ms();
BEGIN
	INSERT INTO proven SELECT prove.ordinal, prove.risk, prove.utility, prove.c, avg(a.risk), avg(a.visited)
	FROM anonopt.aruba('ten', prove.c, prove.risk, prove.utility, time_limit => prove.time_limit) AS a;
	UPDATE proven AS p SET exact = l.exact, ms = cpu_ms() - began FROM anonopt.last_search() AS l WHERE p.ordinal = prove.ordinal;
END $$;
CALL prove(1, 'sensitivity', 'depth', 14, '600 s');
CALL prove(2, 'identity', 'depth', 14, '600 s');
CALL prove(3, 'sensitivity', 'leaves', 2, '600 s');
CALL prove(4, 'sensitivity', 'lm', 6, '600 s');
CALL prove(5, 'entropy', 'depth', 14, '30 s');
SELECT line('risk', 'utility', 'c', 'mean risk', 'nodes visited a record', 'proven', 'CPU');
SELECT rule(7);
SELECT line(risk, utility, c::text, round(mean_risk::numeric, 6)::text, round(visited)::text, CASE WHEN exact THEN 'yes' ELSE 'no' END,
	CASE WHEN exact THEN round(ms / 1000.0, 1) || ' s' END) FROM proven ORDER BY ordinal;
