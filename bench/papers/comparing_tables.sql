-- Comparing, Tables 1 to 3: the releases of ten people, by their classes' sizes and who
-- shares the own status
SELECT line('what', 'printed', 'ours');
SELECT rule(3);
SELECT line(VARIADIC ARRAY['class sizes of ' || r, p, of(r, 'class_size')::text]) FROM (VALUES ('T3a', '{3,3,3,3,4,4,4,3,3,4}'), ('T3b', '{3,7,7,3,7,7,7,3,7,7}'),
	('T4', '{4,6,4,4,6,6,6,4,6,6}')) AS v (r, p);
SELECT line('who shares the status in T3a', '{2,2,1,2,2,1,2,1,2,1}', of('T3a', 'sensitive_count')::text);
