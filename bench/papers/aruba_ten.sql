-- ARUBA on ten columns: every risk and utility with every goal: whether answers are proven,
-- and the CPU time of the call; 60 s each at most.  Data: Adult, eight columns, occupation
-- by three levels and hours made up of each row's number; 322,560 nodes; one core.
CREATE TABLE occupation AS SELECT leaf, CASE WHEN leaf IN ('Exec-managerial', 'Prof-specialty', 'Tech-support', 'Adm-clerical', 'Sales') THEN 'office'
	WHEN leaf IN ('Craft-repair', 'Machine-op-inspct', 'Transport-moving', 'Handlers-cleaners', 'Farming-fishing') THEN 'hand' ELSE 'service' END AS level1, '*' AS level2
FROM (SELECT DISTINCT occupation AS leaf FROM adult) AS x;
CREATE TABLE ten AS SELECT a.*, (hashint4(row_number() OVER (ORDER BY a)::int) & 2147483647) % 60 + 10 AS hours FROM adult AS a;
SELECT FROM anonopt.create_interval_hierarchy('hours', 0, 99, '{5,10,20,40}');
SELECT FROM anonopt.create_dataset('ten', 'ten', max_suppression => 0.01);
SELECT anonopt.add_quasi_identifier('ten', name, ('adult_' || name)::regclass) FROM (SELECT * FROM quasi_identifier ORDER BY ordinal) AS x \g /dev/null
SELECT FROM anonopt.add_quasi_identifier('ten', 'occupation', 'occupation');
SELECT FROM anonopt.add_quasi_identifier('ten', 'hours', 'hours');
CREATE TABLE proven (goal text, risk text, utility text, bound float8, mean_risk float8, mean_utility float8, visited numeric, exact boolean, ms bigint);
CREATE PROCEDURE prove(goal text, risk text, utility text, bound float8) LANGUAGE plpgsql AS $$
DECLARE
	began bigint := cpu_ms();
	p proven;
BEGIN
	EXECUTE format('SELECT avg(risk), avg(utility), avg(visited) FROM anonopt.%I(''ten'', $1, $2, $3, time_limit => ''60 s'')', goal)
		INTO p.mean_risk, p.mean_utility, p.visited USING bound, risk, utility;
	INSERT INTO proven SELECT prove.goal, prove.risk, prove.utility, prove.bound, p.mean_risk, p.mean_utility, p.visited, exact, cpu_ms() - began FROM anonopt.last_search();
END $$;
CREATE TABLE asked AS
SELECT row_number() OVER () AS nr, * FROM (
	SELECT 'aruba' AS goal, risk, utility, c AS bound FROM unnest('{sensitivity,identity,entropy}'::text[]) AS risk,
		(VALUES ('depth', 14.0), ('leaves', 2), ('log_leaves', 9), ('xiao_tao', -3), ('lm', 6)) AS v (utility, c)
	UNION ALL SELECT 'aruba_budget', risk, utility, bound FROM (VALUES ('sensitivity', 0.001), ('identity', 0.001), ('entropy', -25)) AS v (risk, bound),
		unnest('{depth,leaves,log_leaves,xiao_tao,lm}'::text[]) AS utility
	UNION ALL SELECT 'aruba_balance', risk, utility, bound FROM (VALUES ('sensitivity', 0.001), ('identity', 0.001), ('entropy', 1)) AS v (risk, bound),
		unnest('{depth,leaves,log_leaves,xiao_tao,lm}'::text[]) AS utility) AS x;
SELECT format('CALL prove(%L, %L, %L, %s)', goal, risk, utility, bound) FROM asked ORDER BY nr \gexec
SELECT line('goal', 'risk', 'utility', 'bound', 'mean risk', 'mean utility', 'nodes visited a record', 'proven', 'CPU');
SELECT rule(9);
SELECT line(goal, risk, utility, bound::text, round(mean_risk::numeric, 6)::text, round(mean_utility::numeric, 3)::text, round(visited)::text,
	CASE WHEN exact THEN 'yes' ELSE 'no' END, CASE WHEN exact THEN round(ms / 1000.0, 1) || ' s' END)
FROM asked JOIN proven USING (goal, risk, utility, bound) ORDER BY nr;
