-- analysts.sql: what statistics of a release of Adult say, beside those of the data: labels, of which a person counts
-- in equal parts for every leaf, middles of labels, and permuted values
--
-- Six quasi-identifiers; the class of salary and the occupation are shown as they are. k = 10.

CALL declare_adult('analysts', 'adult', 7);
SELECT anonopt.drop_attribute('analysts', 'native_country');
SELECT anonopt.set_class_label('analysts', 'salary_class'), anonopt.add_sensitive('analysts', 'occupation');
SELECT levels AS node FROM anonopt.optimize('analysts', k => 10) \gset
SELECT anonopt.create_recoding('analysts_recoded', 'analysts', k => 10, seed => 1);
SET anonopt.composition = off;
CREATE TABLE analysts_form (method text, form text, PRIMARY KEY (method, form));
INSERT INTO analysts_form SELECT m, f FROM unnest('{node,recoding}'::text[]) AS m, unnest('{text,middle,permuted}'::text[]) AS f;
SELECT anonopt.publish_table(format('analysts_%s_%s', method, form), 'analysts', CASE method WHEN 'node' THEN :'node'::int[] END, k => 10,
	recoding => CASE method WHEN 'recoding' THEN 'analysts_recoded'::regclass END,
	columns_as => CASE form WHEN 'middle' THEN 'middle' ELSE 'text' END, show => CASE form WHEN 'permuted' THEN 'permuted' ELSE 'labels' END)
FROM analysts_form;

-- The leaves of each label; the rows of a release as weighted rows of leaves, for two or three of its columns
CREATE TABLE analysts_leaf (name name, label text, leaf text, share float8, PRIMARY KEY (name, label, leaf));
SELECT format('INSERT INTO analysts_leaf SELECT %L, label, leaf, 1.0 / count(*) OVER (PARTITION BY label)'
	' FROM (SELECT DISTINCT h.leaf::text AS leaf, l.value AS label FROM %I AS h, jsonb_each_text(to_jsonb(h)) AS l) AS s', name, 'adult_' || name)
FROM quasi_identifier WHERE name NOT IN ('native_country', 'salary_class') \gexec

-- Total variation between the joint distribution of some columns in the data and in a release
CREATE FUNCTION analysts_distance(method text, form text, columns text[]) RETURNS float8
LANGUAGE plpgsql AS $$
DECLARE
	names text := array_to_string(columns, ', ');
	leaves text := (SELECT string_agg(format('l%s.leaf AS %I', i, c), ', ') FROM unnest(columns) WITH ORDINALITY AS x (c, i));
	shares text := (SELECT string_agg(format('l%s.share', i), ' * ') FROM unnest(columns) WITH ORDINALITY AS x (c, i));
	joins text := (SELECT string_agg(format(' JOIN analysts_leaf AS l%s ON l%1$s.name = %2$L AND l%1$s.label = r.%2$I', i, c), '') FROM unnest(columns) WITH ORDINALITY AS x (c, i));
	release text := format('analysts_%s_%s', method, form);
	found float8;
BEGIN
	EXECUTE format('WITH truth AS (SELECT %1$s, count(*) / (SELECT count(*) FROM adult)::float8 AS p FROM adult GROUP BY %1$s),'
		' shown AS (%2$s) SELECT sum(abs(coalesce(p, 0) - coalesce(q, 0))) / 2 FROM truth FULL JOIN shown USING (%1$s)',
		names, CASE form WHEN 'permuted' THEN format('SELECT %s, count(*) / (SELECT count(*) FROM %s)::float8 AS q FROM %2$s GROUP BY %1$s', names, release)
			ELSE format('SELECT %s, sum(n * %s) / (SELECT count(*) FROM %s) AS q FROM (SELECT %s, count(*) AS n FROM %3$s GROUP BY %4$s) AS r%s GROUP BY %s',
				(SELECT string_agg(format('l%s.leaf%s AS %I', i, CASE c WHEN 'age' THEN '::int' ELSE '' END, c), ', ') FROM unnest(columns) WITH ORDINALITY AS x (c, i)), shares, release, names, joins,
				(SELECT string_agg(i::text, ', ') FROM generate_subscripts(columns, 1) AS i)) END) INTO found;
	RETURN found;
END $$;

-- The logit of a high salary on age and, as a number, sex, by Newton's method; the two slopes
CREATE FUNCTION analysts_logit(relation text, sexes text) RETURNS float8[]
LANGUAGE plpgsql AS $$
DECLARE
	b float8[] := '{0,0,0}';
	s float8[];
	d float8;
BEGIN
	FOR step IN 1..12 LOOP
		EXECUTE format('SELECT ARRAY[sum(w), sum(w * x), sum(w * z), sum(w * x * x), sum(w * x * z), sum(w * z * z), sum(e), sum(e * x), sum(e * z)]'
			' FROM (SELECT x, z, p * (1 - p) AS w, y - p AS e FROM (SELECT x, z, y, 1 / (1 + exp(-($1[1] + $1[2] * x + $1[3] * z))) AS p'
			' FROM (SELECT age::float8 / 10 AS x, %s AS z, (salary_class LIKE ''>%%'')::int AS y FROM %s) AS v) AS q) AS r', sexes, relation) INTO s USING b;
		-- the inverse of a symmetric matrix of three rows, by its cofactors
		d := s[1] * (s[4] * s[6] - s[5] ^ 2) - s[2] * (s[2] * s[6] - s[5] * s[3]) + s[3] * (s[2] * s[5] - s[4] * s[3]);
		b := ARRAY[
			b[1] + ((s[4] * s[6] - s[5] ^ 2) * s[7] + (s[3] * s[5] - s[2] * s[6]) * s[8] + (s[2] * s[5] - s[3] * s[4]) * s[9]) / d,
			b[2] + ((s[3] * s[5] - s[2] * s[6]) * s[7] + (s[1] * s[6] - s[3] ^ 2) * s[8] + (s[2] * s[3] - s[1] * s[5]) * s[9]) / d,
			b[3] + ((s[2] * s[5] - s[3] * s[4]) * s[7] + (s[2] * s[3] - s[1] * s[5]) * s[8] + (s[1] * s[4] - s[2] ^ 2) * s[9]) / d];
	END LOOP;
	RETURN b[2:3];
END $$;

CREATE TABLE analysts_figure (what text, method text, form text, figure float8, PRIMARY KEY (what, method, form));
INSERT INTO analysts_figure SELECT 'mean age of high salaries', 'data', 'data', avg(age) FROM adult WHERE salary_class LIKE '>%';
INSERT INTO analysts_figure SELECT x.what, 'data', 'data', l[x.i] FROM analysts_logit('adult', '(sex = ''Male'')::int::float8') AS l, (VALUES ('logit: ten years', 1), ('logit: male', 2)) AS x (what, i);
SELECT format('INSERT INTO analysts_figure SELECT ''mean age of high salaries'', %L, %L, avg(age) FROM analysts_%1$s_%2$s WHERE salary_class LIKE ''>%%''', method, form)
FROM analysts_form WHERE form <> 'text' \gexec
INSERT INTO analysts_figure SELECT x.what, method, form, l[x.i] FROM analysts_form, LATERAL analysts_logit(format('analysts_%s_%s', method, form),
	'CASE sex WHEN ''Male'' THEN 1 WHEN ''Female'' THEN 0 ELSE 0.5 END::float8') AS l, (VALUES ('logit: ten years', 1), ('logit: male', 2)) AS x (what, i) WHERE form <> 'text';
-- Marginals of one, two and three columns, the mean of all
INSERT INTO analysts_figure SELECT format('%s-way distance', cardinality(c)), method, form, avg(analysts_distance(method, form, c))
FROM analysts_form, (SELECT ARRAY[a] AS c FROM unnest('{age,workclass,education,marital_status,race,sex}'::text[]) AS a
	UNION ALL SELECT ARRAY[a, b] FROM unnest('{age,workclass,education,marital_status,race,sex}'::text[]) AS a, unnest('{age,workclass,education,marital_status,race,sex}'::text[]) AS b WHERE a < b
	UNION ALL SELECT ARRAY[a, b, c] FROM unnest('{workclass,education,marital_status,race,sex}'::text[]) AS a, unnest('{workclass,education,marital_status,race,sex}'::text[]) AS b,
		unnest('{workclass,education,marital_status,race,sex}'::text[]) AS c WHERE a < b AND b < c) AS m
WHERE form <> 'middle' GROUP BY cardinality(c), method, form;
TABLE analysts_figure ORDER BY what, method, form;
INSERT INTO bench.result (measurement, ours, ours_is, beside, beside_is, side_unit, figure, unit)
SELECT format('%s marginals of permuted values', initcap(o.method)), o.figure, 'permuted', b.figure, 'labels in equal parts', 'distance', o.figure / b.figure, '×'
FROM analysts_figure AS o JOIN analysts_figure AS b USING (what, method) WHERE what = '2-way distance' AND o.form = 'permuted' AND b.form = 'text' ORDER BY o.method;
