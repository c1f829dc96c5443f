-- report.sql: prints what was measured

-- A number with three digits that mean something, a whole number as it is;
-- and its unit
CREATE FUNCTION bench.show(value float8, unit text) RETURNS text
LANGUAGE sql AS $$
	SELECT round(value::numeric, CASE WHEN value = trunc(value) THEN 0
			WHEN value < 10 THEN 2 WHEN value < 100 THEN 1 ELSE 0 END)
		|| ' ' || unit
$$;

\pset footer off
SELECT measurement,
	concat_ws(' ', ours_is, bench.show(ours, side_unit)) AS ours,
	concat_ws(' ', beside_is, bench.show(beside, side_unit)) AS beside,
	bench.show(figure, unit) AS figure,
	CASE WHEN at_least THEN 'at least ' ELSE '' END || bench.show(target, unit) AS target,
	CASE WHEN figure = target OR (figure > target) = at_least THEN 'met'
		WHEN figure <> target THEN 'MISSED' END AS " "
FROM bench.result ORDER BY ordinal;

\echo figures
\pset tuples_only
\pset format unaligned
SELECT unnest(ARRAY[
	'server: PostgreSQL ' || current_setting('server_version'),
	format('processors: %s, %s', processors, processor),
	'load before: ' || load])
FROM bench.machine
UNION ALL
(SELECT line FROM bench.result,
	LATERAL (VALUES
		(1, measurement || ', ' || ours_is || ': ' || bench.show(ours, side_unit)),
		(2, measurement || ', ' || beside_is || ': ' || bench.show(beside, side_unit)),
		(3, measurement || ': ' || coalesce(bench.show(figure, unit), ours_is))) AS each (part, line)
WHERE line IS NOT NULL ORDER BY ordinal, part);

SELECT line FROM bench.document ORDER BY ordinal;
