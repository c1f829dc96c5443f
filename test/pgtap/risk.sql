-- Risk against a population and estimates without one, compared with plain
-- SQL.
\ir begin.inc
SET client_min_messages = error;

SELECT no_plan();

CREATE SCHEMA risky;
SELECT setseed(0.31) \g /dev/null
CREATE TABLE risky.population AS
    SELECT i AS who, NULLIF(floor(9 * random()), 0)::bigint AS a, NULLIF(chr(97 + floor(12 * power(random(), 2))::int), 'b')::text AS b,
           ('2020-01-01'::date + floor(9 * power(random(), 3))::int) AS c FROM generate_series(1, 1500) i;
CREATE TABLE risky.sample AS SELECT who, a::int, b::varchar(3), c FROM risky.population WHERE who % 5 = 0;
INSERT INTO risky.sample SELECT * FROM risky.sample WHERE who % 3 = 0;
UPDATE risky.sample SET who = NULL WHERE who % 17 = 0;
-- one who is missing from the population
INSERT INTO risky.sample VALUES (1, 1, 'zz', '2020-01-01'), (2, 1, 'zz', '2020-01-01');

CREATE FUNCTION risky.close(a float8, b float8) RETURNS boolean LANGUAGE sql AS $$
    SELECT a IS NOT DISTINCT FROM b OR abs(a - b) <= 1e-9 * greatest(abs(a), abs(b)) $$;

-- Sizes by plain SQL: f people in the relation, g in the population, never fewer.
CREATE FUNCTION risky.sizes(columns text, person text) RETURNS TABLE (rows bigint, f bigint, g bigint) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format($q$
        SELECT s.rows, s.f, greatest(coalesce((SELECT count(*) FROM risky.population p WHERE (%2$s) IS NOT DISTINCT FROM s.k), 0), s.f)
        FROM (SELECT %2$s AS k, count(*) AS rows, %3$s AS f FROM risky.sample GROUP BY %1$s) s $q$,
        columns, format('ROW(%s)::text', columns),
        CASE WHEN person IS NULL THEN 'count(*)' ELSE 'count(DISTINCT who) + max((who IS NULL)::int)' END);
END $$;
CREATE FUNCTION risky.agrees(columns text, person text, threshold float8) RETURNS boolean LANGUAGE sql AS $$
    SELECT row(r.records, r.classes, r.uniques, r.people) = row(sum(rows)::bigint, count(*), count(*) FILTER (WHERE f = 1),
                CASE WHEN person IS NULL THEN (SELECT count(*) FROM risky.sample) ELSE (SELECT count(DISTINCT who) + 1 FROM risky.sample) END)
       AND risky.close(r.highest, 1 / min(f)::float8) AND risky.close(r.lowest, 1 / max(f)::float8)
       AND risky.close(r.average, count(*) / sum(f)::float8)
       AND risky.close(r.share_above, coalesce(sum(f) FILTER (WHERE 1 / f::float8 > threshold), 0) / sum(f)::float8)
       AND risky.close(r.journalist_highest, 1 / min(g)::float8)
       AND risky.close(r.journalist_average, sum(f / g::float8) / sum(f)::float8)
       AND risky.close(r.journalist_share_above, coalesce(sum(f) FILTER (WHERE 1 / g::float8 > threshold), 0) / sum(f)::float8)
       AND risky.close(r.marketer, sum(f / g::float8) / sum(f)::float8)
    FROM risky.sizes(columns, person) s, anonopt.risk('risky.sample', string_to_array(columns, ',')::name[], threshold, 'risky.population', person => person::name) r
    GROUP BY r.*, r.records, r.classes, r.uniques, r.people, r.highest, r.lowest, r.average, r.share_above, r.journalist_highest, r.journalist_average,
        r.journalist_share_above, r.marketer
$$;
SELECT ok(risky.agrees(columns, person, threshold), format('risk of %s, person %s, threshold %s', columns, person, threshold))
FROM unnest('{"a","b","a,b","b,c","a,b,c"}'::text[]) columns, unnest('{NULL,who}'::text[]) person, unnest('{0.1,0.2,0.5}'::float8[]) threshold;
SELECT is(population_uniques::bigint, (SELECT count(*) FROM (SELECT FROM risky.population GROUP BY a, b, c HAVING count(*) = 1) x), 'uniques of the population are counted')
FROM anonopt.risk('risky.sample', '{a,b,c}', population => 'risky.population');

-- Zayatz's formula, and Pitman's by its definition: the likelihood as a product
-- of what each person's coming was worth, and the chance to stay alone likewise.
CREATE FUNCTION risky.zayatz(sizes bigint[], fraction float8) RETURNS float8 LANGUAGE sql AS $$
    SELECT coalesce(max(c) FILTER (WHERE size = 1)::float8 ^ 2 / sum(c * size * (1 - fraction) ^ (size - 1)) / fraction, 0)
    FROM (SELECT size, count(*)::float8 AS c FROM unnest(sizes) size GROUP BY size) x $$;
CREATE FUNCTION risky.likelihood(sizes bigint[], theta float8, alpha float8) RETURNS float8 LANGUAGE sql AS $$
    SELECT (SELECT coalesce(sum(ln(theta + i * alpha)), 0) FROM generate_series(1, cardinality(sizes) - 1) i)
         - (SELECT coalesce(sum(ln(theta + i)), 0) FROM generate_series(1, (SELECT sum(s)::int FROM unnest(sizes) s) - 1) i)
         + (SELECT coalesce(sum(ln(i - alpha)), 0) FROM unnest(sizes) s, generate_series(1, s - 1) i) $$;
CREATE FUNCTION risky.alone(people int, theta float8, alpha float8) RETURNS float8 LANGUAGE sql AS $$
    SELECT people * exp(sum(ln((theta + alpha + i - 1) / (theta + i)))) FROM generate_series(1, people - 1) i $$;
-- Climbs from a grid to the likeliest parameters.
CREATE FUNCTION risky.pitman(sizes bigint[], fraction float8) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    best float8 := '-Infinity'; t float8; a float8; l float8; step float8 := 1;
    theta float8; alpha float8;
BEGIN
    FOR i IN 0..18 LOOP FOR j IN -2..16 LOOP
        a := i * 0.055; t := exp(j * 0.6) - a;
        l := risky.likelihood(sizes, t, a);
        IF l > best THEN best := l; theta := t; alpha := a; END IF;
    END LOOP; END LOOP;
    WHILE step > 1e-6 LOOP
        DECLARE moved boolean := false; BEGIN
            FOR i IN -1..1 LOOP FOR j IN -1..1 LOOP
                a := alpha + i * step * 0.05; t := exp(ln(theta + alpha) + j * step * 0.6) - a;
                CONTINUE WHEN a < 0 OR a >= 1 OR t + a <= 0;
                l := risky.likelihood(sizes, t, a);
                IF l > best THEN best := l; theta := t; alpha := a; moved := true; END IF;
            END LOOP; END LOOP;
            IF NOT moved THEN step := step / 2; END IF;
        END;
    END LOOP;
    RETURN risky.alone((((SELECT sum(s) FROM unnest(sizes) s)) / fraction)::int, theta, alpha);
END $$;
CREATE TABLE risky.drawn (i int, kind int, a int);
INSERT INTO risky.drawn SELECT i, kind, CASE kind WHEN 1 THEN floor(exp(random() * 5)) WHEN 2 THEN floor(random() * 90) ELSE floor(power(random(), -0.8)) END
FROM generate_series(1, 120) i, generate_series(1, 3) kind;
CREATE VIEW risky.one AS SELECT a FROM risky.drawn WHERE kind = 1;
CREATE VIEW risky.two AS SELECT a FROM risky.drawn WHERE kind = 2;
CREATE VIEW risky.three AS SELECT a FROM risky.drawn WHERE kind = 3;
SELECT ok(risky.close(zayatz_uniques, risky.zayatz(sizes, fraction)) AND abs(pitman_uniques - p) <= 1e-3 * p
          AND population_uniques = CASE WHEN fraction <= 0.1 THEN pitman_uniques ELSE least(pitman_uniques, zayatz_uniques) END,
          format('%s, %s: %s, Pitman %s and %s', relation, fraction, zayatz_uniques, pitman_uniques, p))
FROM (VALUES ('risky.one'::regclass, 1), ('risky.two', 2), ('risky.three', 3)) v (relation, kind), unnest('{0.05,0.3}'::float8[]) fraction,
     LATERAL (SELECT array_agg(c) AS sizes FROM (SELECT count(*) AS c FROM risky.drawn d WHERE d.kind = v.kind GROUP BY a) x) s,
     LATERAL (SELECT risky.pitman(sizes, fraction) AS p) p, anonopt.risk(relation, '{a}', sampling_fraction => fraction);
SELECT ok(risky.close(population_uniques, 3600) AND risky.close(zayatz_uniques, 3600) AND risky.close(pitman_uniques, 3600), 'everybody alone: all of the population')
FROM anonopt.risk('risky.drawn', '{i,kind}', sampling_fraction => 0.1);
SELECT is(row(population_uniques, zayatz_uniques, pitman_uniques), row(0::float8, 0::float8, 0::float8), 'nobody alone')
FROM anonopt.risk('risky.drawn', '{kind}', sampling_fraction => 0.1);

-- What is refused
SELECT throws_ok($$SELECT anonopt.risk('risky.sample', '{a}', sampling_fraction => 0)$$, '22023', NULL, 'a share of nothing');
SELECT throws_ok($$SELECT anonopt.risk('risky.sample', '{a}', sampling_fraction => 'NaN')$$, '22023', NULL, 'a share that is no number');
SELECT throws_ok($$SELECT anonopt.risk('risky.sample', '{a}', population => 'risky.drawn', person => 'no')$$, '42703', NULL, 'a person that is not there');
SELECT throws_ok($$SELECT anonopt.risk('risky.sample', '{b}', population => 'risky.drawn')$$, '42703', NULL, 'a population without the column');
SELECT throws_ok($$SELECT anonopt.risk('risky.sample', '{c}', population => 'risky.other')$$, '42P01', NULL, 'no population');
CREATE TABLE risky.other AS SELECT 'x'::text AS a;
SELECT throws_ok($$SELECT anonopt.risk('risky.sample', '{a}', population => 'risky.other')$$, '42804', NULL, 'a population of other types');
SELECT is(anonopt.risk(NULL, '{a}'), NULL, 'no relation');

SELECT * FROM finish();
ROLLBACK;
