-- hierarchy.sql: seconds of a call that loads a large hierarchy, all
-- postcodes of five digits, beside the same call with one of a single leaf

CREATE TABLE postcode AS
	SELECT lpad(i::text, 5, '0') AS postcode FROM generate_series(0, :leaves - 1) AS i;
CREATE TABLE address AS SELECT '00000' AS postcode;
SELECT anonopt.create_mask_hierarchy('postcode_levels', 'postcode', 'postcode');
SELECT anonopt.create_mask_hierarchy('address_levels', 'address', 'postcode');
VACUUM ANALYZE postcode_levels;
SELECT anonopt.create_dataset(name, 'address') FROM unnest('{large,small}'::text[]) AS name;
SELECT anonopt.add_quasi_identifier('large', 'postcode', 'postcode_levels'),
	anonopt.add_quasi_identifier('small', 'postcode', 'address_levels');

SELECT format('loading %s leaves, 5 levels', bench.number(:leaves)) AS loading \gset
CALL bench.alternate(:'loading',
	'evaluate', $$SELECT * FROM anonopt.evaluate('large', '{5}')$$,
	'one leaf', $$SELECT * FROM anonopt.evaluate('small', '{5}')$$,
	:times, 1);
UPDATE bench.result SET figure = ours / 1000, unit = 's' WHERE measurement = :'loading';
