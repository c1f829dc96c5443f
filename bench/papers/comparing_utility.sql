-- Comparing, the utility vectors of section 5.5.  The paper names a measure, but no formula; 1 - n/D
-- a column gives its numbers, where a label covers n of the D different values that there are.
-- Beside it our property 'utility' of three columns, by (n - 1)/(D - 1).  The text at hand has
-- nine numbers for T3b; one .97 of its seven is missing there.
CREATE FUNCTION two(x float8[]) RETURNS text LANGUAGE sql AS
	$$ SELECT '{' || string_agg(replace(to_char(u, 'FM90.00'), '0.', '.'), ',' ORDER BY i) || '}' FROM unnest(x) WITH ORDINALITY AS y (u, i) $$;
CREATE FUNCTION by_leaves(levels int[]) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE
	result float8[];
BEGIN
	PERFORM anonopt.create_dataset('seen', 'person', max_suppression => 0), anonopt.add_quasi_identifier('seen', 'zip', 'zip'),
		anonopt.add_quasi_identifier('seen', 'age', 'age_seen'), anonopt.add_quasi_identifier('seen', 'status', 'status');
	result := (SELECT array_agg(value ORDER BY record::int) FROM anonopt.property_vector('seen', levels, 'utility', 'nr'));
	PERFORM anonopt.drop_dataset('seen');
	RETURN result;
END $$;
SELECT line('release', 'printed', 'ours, by 1 − n/D', 'ours, property utility');
SELECT rule(4);
SELECT line(release, printed, two(printed_utility(levels)), two(by_leaves(levels)))
FROM (VALUES ('T3a', '{2.03,1.70,1.70,2.03,1.60,1.60,1.60,2.03,1.70,1.60}', '{1,1,1}'::int[]),
	('T3b', '{2.03,.97,.97,2.03,.97,.97,.97,2.03,.97,.97}', '{2,2,1}')) AS v (release, printed, levels);
