-- POkA at depth 3, the mean of the hierarchies' lengths, with each of the paper's metrics, by
-- default and without our bounds; and the mean share of the three, which the paper gives.
-- Data: Adult, eight columns, for CM seven; 1 % suppressed.
TRUNCATE approximated;
SELECT format('CALL approximate(%L, 1, 3, %L)', metric, options)
FROM unnest('{"",", bounds => false"}'::text[]) AS options, unnest('{glm,dcn,cm}'::text[]) AS metric \gexec
SELECT line('search', 'metric', 'front, k > 1', 'found of it', 'not on it', 'nodes measured', 'of the lattice', 'mean share');
SELECT rule(8);
SELECT line(coalesce(nullif(substr(options, 3), ''), 'by default'), upper(metric), front::text, hits::text, others::text, evaluated::text, round(100.0 * evaluated / nodes, 1) || ' %',
	round(avg(100.0 * evaluated / nodes) OVER (PARTITION BY options), 1) || ' %')
FROM approximated ORDER BY length(options), array_position('{glm,dcn,cm}', metric);
