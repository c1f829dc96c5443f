-- ARUBA, the setting of section VI: entries match from a Jaro similarity of 80 %.  Mean risk of
-- 100 people of Adult who are looked up among 2,000, three columns of words, by the depth kept,
-- beside the risk by equal labels.
CREATE TABLE looked_up AS SELECT * FROM adult LIMIT 2000;
CREATE TABLE told AS SELECT row_number() OVER () AS nr, * FROM looked_up LIMIT 100;
SELECT anonopt.create_dataset('told', 'told') \g /dev/null
SELECT anonopt.add_quasi_identifier('told', name, ('adult_' || name)::regclass) FROM (SELECT * FROM quasi_identifier WHERE name IN ('workclass', 'education', 'marital_status') ORDER BY ordinal) AS q \g /dev/null
SELECT line('c', 'equal labels: risk', 'similar labels: risk', 'people at less risk than by equal labels', 'at more');
SELECT rule(5);
SELECT line(c::text, round(avg(e.risk)::numeric, 6)::text, round(avg(s.risk)::numeric, 6)::text, count(*) FILTER (WHERE s.risk < e.risk) || '', count(*) FILTER (WHERE s.risk > e.risk) || '')
FROM generate_series(2, 8, 2) AS c, LATERAL anonopt.aruba('told', c, dictionary => 'looked_up', key => 'nr') AS e
JOIN LATERAL anonopt.aruba('told', c, dictionary => 'looked_up', similarity => 0.8, key => 'nr') AS s ON s.record = e.record GROUP BY c ORDER BY c;
