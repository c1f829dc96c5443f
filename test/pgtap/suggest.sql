-- suggest_quasi_identifiers compared with GROUP BY: exact if all keys are kept, otherwise
-- close.
\ir begin.inc
\ir reference.inc
\ir random_data.inc

-- What GROUP BY says of some columns.
CREATE FUNCTION pg_temp.grouped(relation regclass, columns name[], OUT distinction float8, OUT separation float8, OUT uniques bigint)
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SELECT count(*)::float8 / sum(n), 1 - coalesce((sum(n::numeric * (n - 1)) / nullif(sum(n)::numeric * (sum(n) - 1), 0))::float8, 1),
        count(*) FILTER (WHERE n = 1) FROM (SELECT count(*) AS n FROM %s GROUP BY %s) g', relation,
        (SELECT string_agg(quote_ident(c), ', ') FROM unnest(columns) c)) INTO distinction, separation, uniques;
END $$;

CREATE FUNCTION pg_temp.suggestion_problem(seed int) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    problem text;
BEGIN
    PERFORM setseed(seed / 1000.0);
    DROP TABLE IF EXISTS sample.suggested;
    CREATE TABLE sample.suggested AS SELECT i AS id, nullif(sample.below(4), 1) AS "A b", 't' || sample.below(5) AS town, sample.below(9)::numeric / 2 AS n,
        (sample.below(3) - 1)::float8 * 0 AS zero, date '2024-01-01' + sample.below(40) AS d, sample.below(2) = 1 AS yes, ARRAY[sample.below(3), 1] AS list,
        chr(97 + sample.below(4))::char(5) AS c, sample.below(6)::text::money AS m, numrange(sample.below(3), NULL) AS r, sample.below(5)::bit(3) AS b, '{}'::json AS j
        FROM generate_series(1, 1 + sample.below(200)) i;
    SELECT string_agg(s.columns::text, '; ') INTO problem
    FROM anonopt.suggest_quasi_identifiers('sample.suggested') s, pg_temp.grouped('sample.suggested', s.columns) g
    WHERE s.uniques <> g.uniques OR abs(s.distinction - g.distinction) > 1e-12 OR abs(s.separation - g.separation) > 1e-12 OR s.estimated
        OR s.identifier <> (cardinality(s.columns) = 1 AND g.uniques >= 0.9 * (SELECT count(*) FROM sample.suggested) AND (SELECT count(*) FROM sample.suggested) > 1);
    SELECT concat_ws('; ', problem, string_agg('no ' || c, '; ')) INTO problem FROM unnest('{id,"A b",town,n,zero,d,yes,list,c,m,r,b}'::name[]) c
    WHERE NOT EXISTS (SELECT FROM anonopt.suggest_quasi_identifiers('sample.suggested') s WHERE s.columns = ARRAY[c]);
    -- the order: identifiers, then the share of unique rows times how likely the column known least is known; town is known, and numbers
    -- with fractions are measured
    SELECT concat_ws('; ', nullif(problem, ''), CASE WHEN array_agg(o ORDER BY identifier DESC, uniques / n * CASE WHEN identifier THEN 1 ELSE likely END DESC, likely DESC,
            separation DESC, cardinality(columns) DESC, columns::text[] COLLATE "C") <> array_agg(o ORDER BY o) THEN 'order' END) INTO problem
    FROM anonopt.suggest_quasi_identifiers('sample.suggested') WITH ORDINALITY s (columns, distinction, separation, uniques, labelled, identifier, estimated, o),
        LATERAL (SELECT CASE WHEN columns && '{n,zero}' THEN 0.02::float8 WHEN columns = '{town}' THEN 0.5 ELSE 0.2 END AS likely, (SELECT count(*) FROM sample.suggested)::float8 AS n) k;
    RETURN nullif(problem, '');
END $$;

SELECT plan(30 + 12 + 18);

SELECT is(pg_temp.suggestion_problem(seed), NULL, format('table %s', seed)) FROM generate_series(1, 30) seed;

-- More values than are kept
CREATE TABLE sample.many AS SELECT i AS id, i AS serial, hashint4(i) % 40000 AS half, CASE WHEN i % 2 = 0 THEN 0 ELSE hashint4(i) END AS skewed,
    hashint4(i + 1) % 300 AS few, hashint4(i + 2) % 500 AS further FROM generate_series(1, 200000) i;
ALTER TABLE sample.many ADD PRIMARY KEY (id);
CREATE TEMP TABLE told AS SELECT s.*, g.distinction AS true_distinction, g.separation AS true_separation, g.uniques AS true_uniques
FROM anonopt.suggest_quasi_identifiers('sample.many') s, pg_temp.grouped('sample.many', s.columns) g;
SELECT is((SELECT string_agg(t::text, '; ') FROM told t WHERE abs(uniques - true_uniques) > 200000 * 0.02 OR abs(distinction - true_distinction) > 0.02
    OR abs(separation - true_separation) > 0.01), NULL, 'estimates are near');
SELECT ok((SELECT NOT estimated AND uniques = 0 AND distinction = true_distinction FROM told WHERE columns = '{few}'), 'few values are counted');
SELECT ok((SELECT estimated FROM told WHERE columns = '{half}'), 'many are estimated');
SELECT is((SELECT array_agg(columns ORDER BY columns) FROM told WHERE identifier), ARRAY['{id}'::name[], '{serial}'::name[]], 'identifiers are told');
SELECT ok((SELECT uniques = 200000 AND NOT estimated FROM told WHERE columns = '{id}'), 'a key is not estimated');
SELECT is((SELECT count(*) FROM told WHERE cardinality(columns) > 1 AND columns && '{id,serial}'), 0::bigint, 'nor combined');

-- Column grants
CREATE ROLE regress_suggest;
GRANT USAGE ON SCHEMA sample TO regress_suggest;
GRANT SELECT (few, further) ON sample.many TO regress_suggest;
SET ROLE regress_suggest;
SELECT is((SELECT count(*) FROM anonopt.suggest_quasi_identifiers('sample.many') WHERE columns <@ '{few,further}'), 3::bigint, 'who may read two columns is told of two');
SELECT is((SELECT count(*) FROM anonopt.suggest_quasi_identifiers('sample.many')), 3::bigint, 'and of nothing else');
RESET ROLE;
REVOKE SELECT (few, further) ON sample.many FROM regress_suggest;
SET ROLE regress_suggest;
SELECT throws_ok($$SELECT * FROM anonopt.suggest_quasi_identifiers('sample.many')$$, '42501', NULL, 'who may read none is refused');
RESET ROLE;

CREATE TABLE sample.nobody (a int);
SELECT is((SELECT count(*) FROM anonopt.suggest_quasi_identifiers('sample.nobody')), 0::bigint, 'no rows, no suggestion');
CREATE TABLE sample.formless (j json);
INSERT INTO sample.formless VALUES ('{}');
SELECT is((SELECT count(*) FROM anonopt.suggest_quasi_identifiers('sample.formless')), 0::bigint, 'no column that has an order, none');
CREATE TABLE sample.keyed (id int PRIMARY KEY);
INSERT INTO sample.keyed VALUES (1), (2);
SELECT results_eq($$SELECT columns, uniques, identifier FROM anonopt.suggest_quasi_identifiers('sample.keyed')$$,
    $$VALUES ('{id}'::name[], 2::bigint, true)$$, 'only keys, which need no counting');

-- Who is who: a clinic's patients, with everything that should not lead the list
CREATE TABLE sample.clinic AS SELECT i AS "patientNo", 'Last' || hashint4(i) % 700 AS last_name, 'f' || hashint4(i + 1) % 300 AS "firstName", date '1930-01-01' + (abs(hashint4(i + 2)) % 29000) AS "birthDate",
    (ARRAY['f', 'm'])[1 + i % 2] AS sex, lpad((abs(hashint4(i + 3)) % 60)::text, 5, '10') AS "Postcode", '+49' || abs(hashint4(i + 4)) AS phone, 'u' || i % 3000 || '@x.org' AS "eMail",
    (random() * 1e5)::float8 AS charges, round((18 + random() * 20)::numeric, 3) AS bmi, i % 5 AS ward, (ARRAY['flu', 'gout', 'pox'])[1 + i % 3] AS diagnosis, i % 4 AS marital_status, 'n' || i % 1500 AS "contactName",
    gen_random_uuid() AS case_uuid, i % 9 AS wages, 'A' || i % 11 AS agent FROM generate_series(1, 4000) i;
CREATE TEMP TABLE hinted AS SELECT * FROM anonopt.suggest_quasi_identifiers('sample.clinic') WITH ORDINALITY s (columns, distinction, separation, uniques, labelled, identifier, estimated, o);
CREATE FUNCTION pg_temp.sorted(columns name[]) RETURNS name[] LANGUAGE sql AS $$ SELECT array_agg(c ORDER BY c COLLATE "C") FROM unnest(columns) c $$;
SELECT is((SELECT pg_temp.sorted(columns) FROM hinted WHERE cardinality(columns) > 1 ORDER BY o LIMIT 1), '{Postcode,birthDate,sex}'::name[], 'birth, sex and postcode lead the combinations');
SELECT is((SELECT string_agg(columns::text, ', ') FROM hinted WHERE cardinality(columns) > 1 AND columns && '{patientNo,last_name,firstName,contactName,phone,eMail,case_uuid}'), NULL, 'names, phones, mail and keys are in none');
SELECT is((SELECT string_agg(columns::text, ', ') FROM hinted WHERE cardinality(columns) > 1 AND columns && '{charges,bmi,diagnosis,wages}'), NULL, 'nor, while others are known, are measurements and secrets');
SELECT ok((SELECT bool_or('marital_status' = ANY (columns)) FROM hinted WHERE cardinality(columns) > 1), 'but what colleagues know is');
SELECT is((SELECT array_agg(columns[1] ORDER BY columns[1]) FROM hinted WHERE identifier), (SELECT array_agg(c ORDER BY c) FROM unnest('{patientNo,case_uuid,phone,charges,birthDate}'::name[]) c
    WHERE (SELECT g.uniques FROM pg_temp.grouped('sample.clinic', ARRAY[c]) g) >= 3600), 'identifiers are what is unique');
SELECT ok((SELECT bool_and(identifier OR o > 1) FROM hinted) AND (SELECT max(o) FILTER (WHERE identifier) < min(o) FILTER (WHERE NOT identifier) FROM hinted), 'and come first');
-- so they do in a small table, where every day of birth is unique
CREATE TABLE sample.few AS SELECT * FROM sample.clinic LIMIT 40;
SELECT is((SELECT pg_temp.sorted(columns) FROM anonopt.suggest_quasi_identifiers('sample.few') WITH ORDINALITY s (columns, distinction, separation, uniques, labelled, identifier, estimated, o)
    WHERE cardinality(columns) > 1 ORDER BY o LIMIT 1), '{Postcode,birthDate,sex}'::name[], 'in a small table, too');
-- a survey in German, of 60 columns
DO $$ BEGIN EXECUTE (SELECT 'CREATE TABLE sample.umfrage AS SELECT i AS lfd, date ''1950-01-01'' + (i * 37 % 20000) AS geburtsdatum, (ARRAY[''m'', ''w'', ''d''])[1 + i % 3] AS "Geschlecht", 10000 + i * 7 % 900 AS plz, '
    || string_agg(format('(i * %s %% %s) AS frage_%s', 2 * n + 1, 5 + n, n), ', ') || ' FROM generate_series(1, 5000) i' FROM generate_series(1, 56) n); END $$;
SELECT is((SELECT pg_temp.sorted(columns) FROM anonopt.suggest_quasi_identifiers('sample.umfrage') WITH ORDINALITY s (columns, distinction, separation, uniques, labelled, identifier, estimated, o)
    WHERE cardinality(columns) > 1 ORDER BY o LIMIT 1), '{Geschlecht,geburtsdatum,plz}'::name[], 'in other languages');
-- named columns, and no others
CREATE TEMP TABLE named AS SELECT * FROM anonopt.suggest_quasi_identifiers('sample.clinic', '{charges,last_name,ward}');
SELECT is((SELECT count(*) FROM named), 7::bigint, 'three columns make seven rows');
SELECT ok((SELECT bool_and(columns <@ '{charges,last_name,ward}') FROM named), 'of nothing else, though they would not be combined otherwise');
SELECT is((SELECT count(*) FROM named n, pg_temp.grouped('sample.clinic', n.columns) g WHERE n.uniques <> g.uniques OR abs(n.distinction - g.distinction) > 1e-12), 0::bigint, 'with the figures of GROUP BY');
SELECT throws_ok($$SELECT * FROM anonopt.suggest_quasi_identifiers('sample.clinic', '{no}')$$, '42703', NULL, 'no such column');
SELECT throws_ok($$SELECT * FROM anonopt.suggest_quasi_identifiers('sample.clinic', columns => '{ward,ward}')$$, '22023', NULL, 'a column twice');
SELECT throws_ok($$SELECT * FROM anonopt.suggest_quasi_identifiers('sample.clinic', '{}')$$, '22023', NULL, 'none at all');
SELECT throws_ok($$SELECT * FROM anonopt.suggest_quasi_identifiers('sample.formless', '{j}')$$, '22023', NULL, 'one that cannot be compared');
GRANT SELECT (ward) ON sample.clinic TO regress_suggest;
SET ROLE regress_suggest;
SELECT throws_ok($$SELECT * FROM anonopt.suggest_quasi_identifiers('sample.clinic', '{ward,bmi}')$$, '42501', NULL, 'a named column that may not be read');
RESET ROLE;
-- a unique column has as many uniques as rows, though it is estimated, and read in part
SELECT is((SELECT array_agg(uniques ORDER BY columns) FROM told WHERE columns IN ('{id}', '{serial}')), '{200000,200000}', 'as many uniques as rows');
CREATE TABLE sample.huge AS SELECT i AS serial, i % 100 AS few FROM generate_series(1, 1100000) i;
SELECT results_eq($$SELECT uniques, distinction, estimated FROM anonopt.suggest_quasi_identifiers('sample.huge') WHERE columns = '{serial}'$$, $$VALUES (1100000::bigint, 1::float8, true)$$, 'in a table that is read in part');

SELECT * FROM finish();
ROLLBACK;
