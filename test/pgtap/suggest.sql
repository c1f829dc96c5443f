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
    -- the order, and the combinations: of the six most distinguishing columns, excluding those
    -- that identify 90 % or more
    SELECT concat_ws('; ', nullif(problem, ''), CASE WHEN array_agg(o ORDER BY uniques DESC, separation DESC, cardinality(columns), columns::text[] COLLATE "C") <> array_agg(o ORDER BY o)
        THEN 'order' END) INTO problem FROM anonopt.suggest_quasi_identifiers('sample.suggested') WITH ORDINALITY s (columns, distinction, separation, uniques, labelled, identifier, estimated, o);
    RETURN nullif(problem, '');
END $$;

SELECT plan(30 + 12);

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

SELECT * FROM finish();
ROLLBACK;
