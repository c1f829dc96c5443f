-- Comparing anonymizations: the tables of the paper, the indices on random vectors
-- against numeric, and property vectors, compare and tournament on random small data
-- sets against plain SQL.
\ir begin.inc
\ir reference.inc
\ir random_data.inc

SELECT plan(36 + pg_temp.few(240) * 11 + 21 + (pg_temp.few(90, 8) + pg_temp.few(20)) * 5);

-- ---------------------------------------------------------------------------
-- The paper's tables
-- ---------------------------------------------------------------------------

CREATE SCHEMA paper;
CREATE TABLE paper.person (nr int PRIMARY KEY, zip text, age int, status text);
INSERT INTO paper.person VALUES
    (1, '13053', 28, 'CF-Spouse'), (2, '13268', 41, 'Separated'), (3, '13268', 39, 'Never Married'),
    (4, '13053', 26, 'CF-Spouse'), (5, '13253', 50, 'Divorced'), (6, '13253', 55, 'Spouse Absent'),
    (7, '13250', 49, 'Divorced'), (8, '13052', 31, 'Spouse Present'), (9, '13269', 42, 'Separated'),
    (10, '13250', 47, 'Separated');
CREATE TABLE paper.zip AS
    SELECT DISTINCT zip, left(zip, 4) || '*' AS one, left(zip, 3) || '**' AS two, left(zip, 2) || '***' AS three
    FROM paper.person;
CREATE TABLE paper.age AS
    SELECT age, CASE WHEN age <= 25 THEN '(15,25]' WHEN age <= 35 THEN '(25,35]'
                     WHEN age <= 45 THEN '(35,45]' ELSE '(45,55]' END AS tens,
           CASE WHEN age <= 35 THEN '(15,35]' ELSE '(35,55]' END AS twenties
    FROM generate_series(16, 55) age;
-- Twenties with another start do not nest with the tens, so they need their own hierarchy.
CREATE TABLE paper.age_t4 AS
    SELECT age, CASE WHEN age <= 40 THEN '(20,40]' ELSE '(40,60]' END AS twenties
    FROM generate_series(21, 60) age;
CREATE TABLE paper.status AS
    SELECT DISTINCT status,
           CASE WHEN status IN ('CF-Spouse', 'Spouse Present') THEN 'Married' ELSE 'Not Married' END AS kind,
           '*' AS anything
    FROM paper.person;

SELECT anonopt.create_dataset(d, 'paper.person', max_suppression => 0) FROM unnest('{t3,t4}'::text[]) d \g /dev/null
SELECT anonopt.add_quasi_identifier('t3', 'zip', 'paper.zip'), anonopt.add_quasi_identifier('t3', 'age', 'paper.age'),
       anonopt.add_sensitive('t3', 'status') \g /dev/null
SELECT anonopt.add_quasi_identifier('t4', 'zip', 'paper.zip'), anonopt.add_quasi_identifier('t4', 'age', 'paper.age_t4'),
       anonopt.add_quasi_identifier('t4', 'status', 'paper.status') \g /dev/null

-- What a release has for each of the ten.
CREATE TABLE paper.vector AS
    SELECT release, property, record::int AS nr, value
    FROM (VALUES ('t3a', 't3', '{1,1}'::int[]), ('t3b', 't3', '{2,2}'), ('t4', 't4', '{3,1,2}')) r (release, dataset, levels),
         unnest('{class_size,sensitive_count,others_count,loss,utility}'::text[]) property,
         LATERAL anonopt.property_vector(dataset, levels, property, 'nr')
    WHERE dataset = 't3' OR property IN ('class_size', 'loss', 'utility');
INSERT INTO paper.vector
    SELECT release, 'printed utility', nr, value
    FROM (VALUES ('t3a', '{2.03,1.7,1.7,2.03,1.6,1.6,1.6,2.03,1.7,1.6}'::float8[]),
                 ('t3b', '{2.03,.97,.97,2.03,.97,.97,.97,2.03,.97,.97}')) r (release, list),
         unnest(list) WITH ORDINALITY u (value, nr);

CREATE FUNCTION pg_temp.vector(release text, property text) RETURNS float8[]
LANGUAGE sql AS $$
    SELECT array_agg(value ORDER BY nr) FROM paper.vector v WHERE (v.release, v.property) = ($1, $2)
$$;

-- The result of an aggregate over two lists.
CREATE FUNCTION pg_temp.of(aggregate text, a float8[], b float8[]) RETURNS float8
LANGUAGE plpgsql AS $$
DECLARE
    result float8;
BEGIN
    EXECUTE format('SELECT anonopt.%I(a, b) FROM unnest($1, $2) x (a, b)', aggregate) INTO result USING a, b;
    RETURN result;
END $$;

CREATE FUNCTION pg_temp.dominance(a float8[], b float8[]) RETURNS text
LANGUAGE sql AS 'SELECT anonopt.dominance(a, b) FROM unnest($1, $2) x (a, b)';

SELECT is(pg_temp.vector('t3a', 'class_size'), '{3,3,3,3,4,4,4,3,3,4}', 'class sizes of T3a');
SELECT is(pg_temp.vector('t3b', 'class_size'), '{3,7,7,3,7,7,7,3,7,7}', 'class sizes of T3b');
SELECT is(pg_temp.vector('t4', 'class_size'), '{4,6,4,4,6,6,6,4,6,6}', 'class sizes of T4');
SELECT is(pg_temp.vector('t3a', 'sensitive_count'), '{2,2,1,2,2,1,2,1,2,1}', 'who shares my status in T3a');
SELECT is(pg_temp.vector('t3a', 'others_count'), '{1,1,2,1,2,3,2,2,1,3}', 'and who does not');
SELECT is(pg_temp.vector('t3b', 'sensitive_count'), '{2,3,1,2,2,1,2,1,3,3}', 'who shares my status in T3b');
-- six zips and forty ages, of which ten or twenty look alike
SELECT is((SELECT array_agg(round(value::numeric, 6) ORDER BY nr) FROM paper.vector WHERE release = 't3a' AND property = 'loss'),
    (SELECT array_agg(round(1 / 5.0 + 9 / 39.0, 6) ORDER BY nr) FROM paper.person), 'loss of T3a: one other of five zips, nine other of 39 ages');
SELECT is((SELECT array_agg(round(value::numeric, 6) ORDER BY nr) FROM paper.vector WHERE release = 't3b' AND property = 'loss'),
    (SELECT array_agg(round(CASE WHEN zip LIKE '130%' THEN 1 ELSE 3 END / 5.0 + 19 / 39.0, 6) ORDER BY nr) FROM paper.person),
    'loss of T3b: up to three other zips');
SELECT ok((SELECT bool_and(abs(u.value + l.value - CASE release WHEN 't4' THEN 3 ELSE 2 END) < 1e-15)
           FROM paper.vector u JOIN paper.vector l USING (release, nr) WHERE u.property = 'utility' AND l.property = 'loss'),
          'utility is what loss leaves of the quasi-identifiers');

SELECT is(pg_temp.of('p_binary', pg_temp.vector('t3a', 'class_size'), pg_temp.vector('t3b', 'class_size')), 0::float8,
          'P_binary(T3a, T3b)');
SELECT is(pg_temp.of('p_binary', pg_temp.vector('t3b', 'class_size'), pg_temp.vector('t3a', 'class_size')), 7::float8,
          'P_binary(T3b, T3a)');
SELECT is(pg_temp.of('p_cov', pg_temp.vector('t3a', 'class_size'), pg_temp.vector('t3b', 'class_size')), 0.3::float8,
          'P_cov(T3a, T3b)');
SELECT is(pg_temp.of('p_cov', pg_temp.vector('t3b', 'class_size'), pg_temp.vector('t3a', 'class_size')), 1::float8,
          'P_cov(T3b, T3a)');
SELECT is(pg_temp.of('p_cov', pg_temp.vector('t4', 'class_size'), pg_temp.vector('t3a', 'class_size')), 1::float8,
          'T4 covers T3a');
SELECT is(pg_temp.of('p_cov', pg_temp.vector('t3a', 'class_size'), pg_temp.vector('t4', 'class_size')), 0::float8,
          'T3a covers nobody of T4');
SELECT cmp_ok(pg_temp.of('p_cov', pg_temp.vector('t3b', 'class_size'), pg_temp.vector('t4', 'class_size')), '>',
              pg_temp.of('p_cov', pg_temp.vector('t4', 'class_size'), pg_temp.vector('t3b', 'class_size')),
              'T3b covers more of T4 than T4 of T3b');
SELECT is(pg_temp.of('p_cov', pg_temp.vector('t3b', 'class_size'), pg_temp.vector('t4', 'class_size')), 0.7::float8,
          'P_cov(T3b, T4)');
SELECT is(pg_temp.dominance(pg_temp.vector('t3b', 'class_size'), pg_temp.vector('t3a', 'class_size')), 'better',
          'nobody is in a smaller class in T3b than in T3a');
SELECT is(pg_temp.dominance(pg_temp.vector('t3a', 'class_size'), pg_temp.vector('t4', 'class_size')), 'worse',
          'everybody is in a larger class in T4 than in T3a');
SELECT is(pg_temp.dominance(pg_temp.vector('t3b', 'class_size'), pg_temp.vector('t4', 'class_size')), 'incomparable',
          'T3b is better for some, T4 for others');

SELECT is(pg_temp.of('p_cov', '{2,2,3,4,5}', '{3,2,4,2,3}'), 0.6::float8, 'five records: P_cov one way');
SELECT is(pg_temp.of('p_cov', '{3,2,4,2,3}', '{2,2,3,4,5}'), 0.6::float8, 'five records: and the other');
SELECT is(pg_temp.of('p_spr', '{2,2,3,4,5}', '{3,2,4,2,3}'), 4::float8, 'five records: P_spr one way');
SELECT is(pg_temp.of('p_spr', '{3,2,4,2,3}', '{2,2,3,4,5}'), 2::float8, 'five records: and the other');
SELECT is(pg_temp.of('p_spr', '{3,3,3,5,5,5,5,5,3,3,3,4,4,4,4}', '{2,2,6,6,6,6,6,6,3,3,3,4,4,4,4}'), 2::float8,
          'fifteen records: P_spr one way');
SELECT is(pg_temp.of('p_spr', '{2,2,6,6,6,6,6,6,3,3,3,4,4,4,4}', '{3,3,3,5,5,5,5,5,3,3,3,4,4,4,4}'), 8::float8,
          'fifteen records: and the other');
SELECT is(pg_temp.of('p_hv', '{3,3,3,5,5,5,5,5}', '{4,4,4,4,4,4,4,4}'), 56727::float8, 'eight records: P_hv one way');
SELECT is(pg_temp.of('p_hv', '{4,4,4,4,4,4,4,4}', '{3,3,3,5,5,5,5,5}'), 37888::float8, 'eight records: and the other');
-- all fifteen: what the others have is a factor
SELECT is(pg_temp.of('p_hv', '{3,3,3,5,5,5,5,5,3,3,3,4,4,4,4}', '{2,2,6,6,6,6,6,6,3,3,3,4,4,4,4}'),
          (84375 - 2 * 2 * 3 * 3125) * 27 * 256::float8, 'fifteen records: P_hv one way');

SELECT is(anonopt.p_wtd(ARRAY[pg_temp.of('p_cov', pg_temp.vector('t3a', 'class_size'), pg_temp.vector('t3b', 'class_size')),
                              pg_temp.of('p_cov', pg_temp.vector('t3a', 'printed utility'), pg_temp.vector('t3b', 'printed utility'))],
                        '{0.5,0.5}'),
          0.65::float8, 'P_WTD of class size and utility, one way');
SELECT is(anonopt.p_wtd(ARRAY[pg_temp.of('p_cov', pg_temp.vector('t3b', 'class_size'), pg_temp.vector('t3a', 'class_size')),
                              pg_temp.of('p_cov', pg_temp.vector('t3b', 'printed utility'), pg_temp.vector('t3a', 'printed utility'))],
                        '{0.5,0.5}'),
          0.65::float8, 'and the other: equally good');
SELECT is(anonopt.p_lex('{0.3,1}', '{1,0.3}', '{0.1,0.1}'), 2, 'P_LEX: T3a leads in the second property');
SELECT is(anonopt.p_lex('{1,0.3}', '{0.3,1}', '{0.1,0.1}'), 1, 'P_LEX: T3b in the first');
SELECT is(anonopt.p_lex('{1,0.3}', '{0.3,1}', '{0.7,0.1}'), NULL, 'P_LEX: by no more than is asked is no lead');
SELECT is(anonopt.p_goal('{0.5,1}', '{1,0.5}'), 0.5::float8, 'P_GOAL');
SELECT set_eq($$SELECT property, index, a_over_b, b_over_a, better FROM anonopt.compare('t3', '{1,1}', '{2,2}', '{class_size}')
                WHERE index IN ('p_cov', 'p_binary', 'p_spr', 'dominance')$$,
              $$VALUES ('class_size', 'p_cov', 0.3::float8, 1::float8, 'b'), ('class_size', 'p_binary', 0, 7, 'b'),
                       ('class_size', 'p_spr', 0, 24, 'b'), ('class_size', 'dominance', 0, 1, 'b')$$,
              'compare says the same of T3a and T3b');

-- ---------------------------------------------------------------------------
-- Indices of random vectors, against numeric
-- ---------------------------------------------------------------------------

CREATE FUNCTION pg_temp.up_to(n numeric) RETURNS numeric
LANGUAGE sql VOLATILE AS $$
    -- two draws, since one has fewer than 53 bits
    SELECT least(n, (floor(random() * 2 ^ 27)::bigint * 67108864::numeric + sample.below(67108864)) % (n + 1))
$$;

-- Values that float8 and numeric represent exactly: integers, and integers over a
-- power of 2.
CREATE FUNCTION pg_temp.draw(kind int) RETURNS numeric
LANGUAGE sql VOLATILE AS $$
    SELECT CASE kind
        WHEN 0 THEN 1 + sample.below(4)
        WHEN 1 THEN sample.below(4)
        WHEN 2 THEN (1 + sample.below(20480)) * 0.0009765625
        WHEN 3 THEN CASE WHEN sample.chance(0.2) THEN 9007199254740992 ELSE 1 + pg_temp.up_to(9007199254740991) END
        WHEN 4 THEN 1 + sample.below(1000)
        WHEN 5 THEN 1 + sample.below(6)
        WHEN 6 THEN (1 + pg_temp.up_to(9007199254740991)) * 0.00000095367431640625
        ELSE 1 + sample.below(30) END
$$;

-- Two vectors, each of one kind, then made similar in some way.
CREATE FUNCTION pg_temp.vectors(seed int, OUT kind int, OUT a numeric[], OUT b numeric[])
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    n int;
    likeness int;
    i int;
BEGIN
    PERFORM setseed((seed % 1000) / 1000.0);
    kind := seed % 8;
    likeness := seed / 8 % 5;
    n := 1 + sample.below(30);
    a := ARRAY(SELECT pg_temp.draw(kind) FROM generate_series(1, n));
    b := ARRAY(SELECT pg_temp.draw(kind) FROM generate_series(1, n));
    IF likeness = 1 THEN
        -- the same but for one or two
        b := a;
        FOR j IN 1..2 LOOP
            i := 1 + sample.below(n);
            b[i] := pg_temp.draw(kind);
        END LOOP;
    ELSIF likeness = 2 THEN
        -- nowhere less
        b := ARRAY(SELECT greatest(x, y) FROM unnest(a, b) u (x, y));
    ELSIF likeness = 3 THEN
        -- everywhere more, unless there is no room
        b := ARRAY(SELECT CASE WHEN kind IN (3, 6) THEN x ELSE x + y + 1 END FROM unnest(a, b) u (x, y));
    ELSIF likeness = 4 AND kind IN (0, 5) THEN
        -- the same values, each of another record
        b := sample.shuffled(a);
    END IF;
END $$;

-- Within a share of the expected value; shows both numbers in full.
CREATE FUNCTION pg_temp.near(got float8, want numeric, share numeric) RETURNS boolean
LANGUAGE sql AS $$
    SELECT CASE WHEN got IN ('Infinity', '-Infinity') THEN false
                ELSE abs(got::text::numeric - want) <= share * abs(want) END
$$;

CREATE FUNCTION pg_temp.product(list numeric[]) RETURNS numeric
LANGUAGE plpgsql AS $$
DECLARE
    product numeric := 1;
    factor numeric;
BEGIN
    FOREACH factor IN ARRAY list LOOP
        product := product * factor;
    END LOOP;
    RETURN product;
END $$;

CREATE FUNCTION pg_temp.check_vectors(seed int) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
    v record;
    n int;
    g record;
    s record;                   -- the same of the same pairs in another order
    above int;
    below int;
    sum_a numeric;
    sum_b numeric;
    spread numeric;
    squares numeric;
    product_a numeric;
    product_b numeric;
    product_min numeric;
    volume numeric;
    positive boolean;
    magnitude numeric;
    lead numeric;
    tie boolean;
    exact boolean;
    of_what text;
BEGIN
    SELECT * INTO v FROM pg_temp.vectors(seed);
    n := cardinality(v.a);
    of_what := format('vectors %s: ', seed);
    SELECT count(*) FILTER (WHERE a > b), count(*) FILTER (WHERE a < b), sum(a), sum(b),
           sum(greatest(a - b, 0)), sum((a - b) * (a - b)), bool_and(a > 0 AND b > 0),
           sum(abs(ln(nullif(a, 0))) + abs(ln(nullif(b, 0))))
    INTO above, below, sum_a, sum_b, spread, squares, positive, magnitude
    FROM unnest(v.a, v.b) u (a, b);
    product_a := pg_temp.product(v.a);
    product_b := pg_temp.product(v.b);
    product_min := pg_temp.product(ARRAY(SELECT least(a, b) FROM unnest(v.a, v.b) u (a, b)));
    volume := product_a - product_min;
    exact := product_a < 9007199254740992 AND v.kind NOT IN (2, 6);
    IF positive THEN
        lead := ln(round(product_a, 60)) - ln(round(product_b, 60));
        tie := above > 0 AND below > 0 AND abs(lead) < 1e-12 * magnitude;
    ELSE
        lead := product_a - product_b;
        tie := false;
    END IF;

    SELECT anonopt.p_rank(a, b) AS rank, anonopt.p_cov(a, b) AS cov, anonopt.p_cov(b, a) AS cov_ba,
           anonopt.p_spr(a, b) AS spr, anonopt.p_spr(b, a) AS spr_ba, anonopt.p_hv(a, b) AS hv,
           anonopt.ln_p_hv(a, b) AS ln_hv, anonopt.ln_p_hv(b, a) AS ln_hv_ba,
           anonopt.p_hv_order(a, b) AS order, anonopt.p_hv_order(b, a) AS order_ba,
           anonopt.p_binary(a, b) AS binary, anonopt.dominance(a, b) AS dominance
    INTO g FROM unnest(v.a::float8[], v.b::float8[]) u (a, b);
    -- with records of which one value is not known strewn in
    SELECT anonopt.p_rank(a, b) AS rank, anonopt.p_cov(a, b) AS cov, anonopt.p_cov(b, a) AS cov_ba,
           anonopt.p_spr(a, b) AS spr, anonopt.p_spr(b, a) AS spr_ba, anonopt.p_hv(a, b) AS hv,
           anonopt.ln_p_hv(a, b) AS ln_hv, anonopt.ln_p_hv(b, a) AS ln_hv_ba,
           anonopt.p_hv_order(a, b) AS order, anonopt.p_hv_order(b, a) AS order_ba,
           anonopt.p_binary(a, b) AS binary, anonopt.dominance(a, b) AS dominance
    INTO s FROM (SELECT a, b FROM unnest(v.a::float8[] || '{NULL,7,NULL}'::float8[], v.b::float8[] || '{7,NULL,NULL}'::float8[]) u (a, b)
                 ORDER BY random()) x;

    RETURN NEXT is(g.spr = 0, above = 0, of_what || 'no spread exactly where a is nowhere more');
    RETURN NEXT is(ARRAY[g.spr, g.spr_ba], ARRAY[spread, spread - sum_a + sum_b]::float8[], of_what || 'spread');
    RETURN NEXT is(sign(g.spr - g.spr_ba)::int, sign(sum_a - sum_b)::int, of_what || 'spreads are ordered as sums are');
    RETURN NEXT is(g.hv = 0 AND g.ln_hv = '-Infinity', CASE WHEN positive THEN above = 0 ELSE volume = 0 END,
        of_what || 'no volume exactly where a is nowhere more');
    RETURN NEXT is(ARRAY[(g.cov = 1 AND g.cov_ba = 0)::text, g.cov::text, g.cov_ba::text],
        ARRAY[(above = n)::text, ((n - below) / n::float8)::text, ((n - above) / n::float8)::text],
        of_what || 'covers all and is covered nowhere exactly where a is more everywhere');
    RETURN NEXT is(g.rank, sqrt(round(squares, 60))::float8, of_what || 'rank, to the last bit');
    RETURN NEXT ok(CASE WHEN exact THEN g.hv = volume::float8
                        WHEN volume = 0 THEN g.hv = 0
                        WHEN tie THEN g.ln_hv = g.ln_hv_ba
                        WHEN volume > 1.8e308 THEN g.hv = 'Infinity'
                        ELSE pg_temp.near(g.hv, volume, 1e-12) END,
        of_what || 'volume, ' || CASE WHEN exact THEN 'exact' WHEN tie THEN 'a tie' ELSE 'rounded' END);
    RETURN NEXT ok(CASE WHEN volume = 0 THEN g.ln_hv = '-Infinity'
                        WHEN tie THEN g.ln_hv = g.ln_hv_ba
                        ELSE abs(g.ln_hv::text::numeric - ln(round(volume, 60))) <= 1e-12 * greatest(1, ln(round(volume, 60))) END,
        of_what || 'logarithm of volume');
    RETURN NEXT is(ARRAY[g.order, g.order_ba], CASE WHEN tie THEN ARRAY[0, 0] ELSE ARRAY[sign(lead), -sign(lead)]::int[] END,
        of_what || 'order by volume');
    RETURN NEXT is(ARRAY[g.binary::text, g.dominance],
        ARRAY[above::text, CASE WHEN above > 0 AND below > 0 THEN 'incomparable' WHEN above > 0 THEN 'better'
                                WHEN below > 0 THEN 'worse' ELSE 'equal' END], of_what || 'where it is more, and dominance');
    RETURN NEXT is(s, g, of_what || 'in any order');
END $$;

SELECT pg_temp.check_vectors(seed) FROM generate_series(1, pg_temp.few(240)) seed;

-- ---------------------------------------------------------------------------
-- Ties, NULLs, what is refused; very many records
-- ---------------------------------------------------------------------------

SELECT is(pg_temp.of('p_hv_order', '{5,20}', '{10,10}'), 0::float8, 'ln 5 + ln 20 - 2 ln 10 is a tie');
SELECT is(pg_temp.of('ln_p_hv', '{5,20}', '{10,10}'), pg_temp.of('ln_p_hv', '{10,10}', '{5,20}'),
          'and both have the very same volume');
SELECT is(round(exp(pg_temp.of('ln_p_hv', '{5,20}', '{10,10}'))::numeric, 10), 50::numeric(12, 10), 'which is 100 - 50');
SELECT is(pg_temp.of('p_hv_order', '{0,9}', '{1,1}'), -1::float8, 'a product with a zero is less than any other');
SELECT is(pg_temp.of('p_hv_order', '{0,9}', '{3,0}'), 0::float8, 'but not than another with a zero');
SELECT is((SELECT ROW(anonopt.p_rank(a, b), anonopt.p_cov(a, b), anonopt.p_spr(a, b), anonopt.p_hv(a, b), anonopt.ln_p_hv(a, b),
                      anonopt.p_hv_order(a, b), anonopt.p_binary(a, b), anonopt.dominance(a, b))::text
           FROM (VALUES (1::float8, NULL::float8), (NULL, 2), (NULL, NULL)) x (a, b)), '(,,,,,,,)', 'no pair, no index');
-- Whether a statement is refused with an SQLSTATE.
CREATE FUNCTION pg_temp.refused(statement text, state text) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN false;
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE = state;
END $$;

SELECT is((SELECT count(*) FROM unnest('{NaN,Infinity,-Infinity}'::text[]) bad,
                  unnest('{p_rank,p_cov,p_spr,p_hv,ln_p_hv,p_hv_order,p_binary,dominance}'::text[]) f
           WHERE NOT pg_temp.refused(format('SELECT anonopt.%I(1, %L)', f, bad), '22023')
              OR NOT pg_temp.refused(format('SELECT anonopt.%I(%L, 1)', f, bad), '22023')), 0::bigint,
          'what is not finite is refused');
SELECT is((SELECT count(*) FROM unnest('{p_hv,ln_p_hv,p_hv_order}'::text[]) f
           WHERE NOT pg_temp.refused(format('SELECT anonopt.%I(1, -1e-300)', f), '22023')), 0::bigint,
          'and so is what is negative in a volume');

SELECT cmp_ok(abs(pg_temp.of('ln_p_hv', '{9007199254740991,3}', '{9007199254740990,3}') - ln(3::float8)), '<', 1e-12::float8,
              'values that differ by one in 2^53 keep their volume');

-- As often each of seven values, but for one record of very many: a million in `make check-long`
CREATE TABLE sample.many AS
    SELECT i, (1000 + i % 7)::float8 AS a, (1000 + i * 3 % 7)::float8 AS b, (1000 + i * 3 % 7 + (i = 50000)::int)::float8 AS c
    FROM generate_series(1, pg_temp.few(1000006, 100002)) i;
ANALYZE sample.many;

CREATE FUNCTION pg_temp.plan_of(statement text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    line text;
    plan text := '';
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || statement LOOP
        plan := plan || line || E'\n';
    END LOOP;
    RETURN plan;
END $$;

\set indices 'SELECT anonopt.p_rank(a, c), anonopt.p_cov(a, c), anonopt.p_spr(a, c), anonopt.p_spr(c, a) AS spr_ca, anonopt.p_hv(a, c), anonopt.ln_p_hv(a, c), anonopt.ln_p_hv(c, a) AS ln_ca, anonopt.p_hv_order(a, c), anonopt.p_binary(a, c), anonopt.dominance(a, c), anonopt.p_hv_order(a, b) AS tie FROM sample.many'
SET LOCAL max_parallel_workers_per_gather = 0;
CREATE TABLE sample.serial AS :indices;
SET LOCAL max_parallel_workers_per_gather = 2;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SELECT matches(pg_temp.plan_of(:'indices'), 'Partial Aggregate', 'a parallel plan adds up parts');
CREATE TABLE sample.parallel AS :indices;
SELECT name AS parallel_mode FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query') \gset
SET LOCAL :parallel_mode = on;
CREATE TABLE sample.backwards AS SELECT * FROM sample.many ORDER BY i DESC;
CREATE TABLE sample.parts AS :indices;
RESET :parallel_mode;
SET LOCAL max_parallel_workers_per_gather = 0;
SELECT is((SELECT p FROM sample.parallel p)::text, (SELECT s FROM sample.serial s)::text, 'and has the very same indices');
SELECT is((SELECT p FROM sample.parts p)::text, (SELECT s FROM sample.serial s)::text, 'in whatever parts');
SELECT is((SELECT ROW(anonopt.p_rank(a, c), anonopt.p_spr(a, c), anonopt.ln_p_hv(a, c), anonopt.ln_p_hv(c, a), anonopt.p_hv_order(a, c))::text
           FROM sample.backwards),
          (SELECT ROW(p_rank, p_spr, ln_p_hv, ln_ca, p_hv_order)::text FROM sample.serial), 'and from the last to the first');
SELECT is((SELECT tie FROM sample.serial), 0, 'very many records with the same values are a tie');
SELECT is((SELECT p_hv_order FROM sample.serial), -1, 'one of very many decides');
SELECT cmp_ok((SELECT ln_ca - ln_p_hv FROM sample.serial), '>', 0::float8, 'and shows in the logarithm, which is no infinity');
SELECT is((SELECT p_hv FROM sample.serial), 'Infinity'::float8, 'where the volume is');
SELECT is((SELECT spr_ca - p_spr FROM sample.serial), 1::float8, 'and in the spread');
SELECT is((SELECT round(p_rank::numeric, 9) FROM sample.serial),
          (SELECT round(sqrt(sum((a::bigint - c::bigint) ^ 2)::numeric), 9) FROM sample.many), 'the rank of very many records');

-- Integers as large as float8 counts: the sum holds what a float8 would lose.
SELECT is((SELECT anonopt.p_spr(a, 0) - 9007199254740992 FROM (SELECT 9007199254740992::float8 AS a UNION ALL SELECT 1 FROM generate_series(1, 1000)) x),
          1000::float8, 'a thousand ones beside 2^53');
SELECT is((SELECT anonopt.p_rank(a, 0) FROM (SELECT 1e8::float8 AS a UNION ALL SELECT 1e-4 FROM generate_series(1, 1000)) x),
          sqrt(1e16::numeric(60, 30) + 1000 * 1e-8)::float8, 'a thousand small ones beside a large one in a rank');

-- ---------------------------------------------------------------------------
-- Random data sets: property vectors, compare and tournament
-- ---------------------------------------------------------------------------

CREATE TABLE pg_temp.truth (node_no int, property text, record text, place text, people bigint, value float8, best float8);
CREATE TABLE pg_temp.got (node_no int, property text, record text, value float8);

-- The properties of every row at a node: the rows with their labels, then the remaining
-- classes.
CREATE FUNCTION pg_temp.find_truth(set_name text, nth int, levels int[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    d ref.dataset;
    a ref.attribute;
    kind "char";
    leaves text[] := '{}';
    joins text := '';
    own text := '0';
BEGIN
    SELECT * INTO STRICT d FROM ref.dataset x WHERE x.dataset = set_name;
    SELECT relkind INTO kind FROM pg_class WHERE oid = d.relation;
    FOR a IN SELECT * FROM ref.attribute x WHERE x.dataset = set_name AND role = 'quasi_identifier' ORDER BY ordinal LOOP
        leaves := leaves || format('q%s.leaf_no', a.ordinal);
        joins := joins || format(
            ' JOIN ref.seen q%1$s ON q%1$s.dataset = %2$L AND q%1$s.role = ''quasi_identifier'''
            ' AND q%1$s.ordinal = %1$s AND q%1$s.written = ref.mark(d.%3$I::text)', a.ordinal, set_name, a.column_name);
    END LOOP;
    SELECT * INTO a FROM ref.attribute x WHERE x.dataset = set_name AND role = 'sensitive' AND ordinal = 1;
    IF FOUND THEN
        own := format('dense_rank() OVER (ORDER BY %s NULLS LAST)',
                      ref.ordered(format('d.%I', a.column_name), ref.column_type(d.relation, a.column_name)));
    END IF;
    EXECUTE format($q$
        WITH quasi AS (
            SELECT ordinal, ref.domain(dataset, ordinal) AS domain FROM ref.attribute
            WHERE dataset = %1$L AND role = 'quasi_identifier'),
        line AS (
            SELECT d.nr::text AS record, %2$s AS place, %3$s AS people, ARRAY[%4$s]::int[] AS leaves, %5$s AS own
            FROM %6$s d%7$s WHERE %3$s > 0),
        shown AS (
            SELECT line.*, l.groups, l.loss
            FROM line, LATERAL (
                SELECT array_agg(label_no ORDER BY ordinal) AS groups,
                       sum((l.counted - 1)::float8 / greatest(domain - 1, 1) ORDER BY ordinal) AS loss
                FROM ref.label l JOIN quasi USING (ordinal)
                WHERE dataset = %1$L AND role = 'quasi_identifier'
                  AND level = ($1)[ordinal] AND leaf_no = line.leaves[ordinal]) l),
        class AS (
            SELECT groups, sum(people) AS size, sum(sum(people)) OVER (ORDER BY sum(people)) AS up_to
            FROM shown GROUP BY groups),
        smallest AS (
            SELECT coalesce(min(size) FILTER (WHERE up_to > floor($2::numeric * (SELECT sum(people) FROM line))), max(size)) AS k
            FROM class),
        judged AS (
            SELECT shown.*, CASE WHEN size >= k THEN groups END AS class
            FROM shown JOIN class USING (groups) CROSS JOIN smallest),
        counted AS (
            SELECT record, place, people, class,
                   sum(people) OVER (PARTITION BY class) AS size,
                   sum(people) OVER (PARTITION BY class, own) AS alike,
                   sum(people) OVER (PARTITION BY own) AS alike_anywhere,
                   sum(people) OVER () AS everybody,
                   cardinality($1) AS attributes,
                   CASE WHEN class IS NULL THEN cardinality($1) ELSE loss END AS loss
            FROM judged)
        INSERT INTO pg_temp.truth
        SELECT $3, property, record, place, people, value, best
        FROM counted, LATERAL (VALUES
            ('class_size', size, everybody),
            ('sensitive_count', alike, alike_anywhere),
            ('others_count', size - alike, everybody - alike_anywhere),
            ('loss', loss, 0),
            ('utility', attributes - loss, attributes)) p (property, value, best)
        WHERE %8$L OR property NOT IN ('sensitive_count', 'others_count')
        $q$, set_name,
        CASE kind WHEN 'v' THEN 'NULL' WHEN 'p' THEN 'd.tableoid::text || '':'' || d.ctid::text' ELSE 'd.ctid::text' END,
        coalesce('d.' || quote_ident(d.count_column) || '::bigint', '1'),
        array_to_string(leaves, ', '), own, d.relation, joins, a.column_name IS NOT NULL)
    USING levels, d.max_suppression, nth;
END $$;

-- Both sides of compare, as the aggregates see the two vectors.
CREATE FUNCTION pg_temp.compared(a int, b int)
RETURNS TABLE (property text, index text, a_over_b float8, b_over_a float8, better text)
LANGUAGE sql AS $$
    WITH sums AS (
        SELECT x.property, anonopt.p_rank(x.value, best) AS rank_a, anonopt.p_rank(y.value, best) AS rank_b,
               anonopt.p_cov(x.value, y.value) AS cov_a, anonopt.p_cov(y.value, x.value) AS cov_b,
               anonopt.p_spr(x.value, y.value) AS spr_a, anonopt.p_spr(y.value, x.value) AS spr_b,
               anonopt.p_hv(x.value, y.value) AS hv_a, anonopt.p_hv(y.value, x.value) AS hv_b,
               anonopt.ln_p_hv(x.value, y.value) AS ln_hv_a, anonopt.ln_p_hv(y.value, x.value) AS ln_hv_b,
               anonopt.p_binary(x.value, y.value) AS binary_a, anonopt.p_binary(y.value, x.value) AS binary_b,
               anonopt.p_hv_order(x.value, y.value) AS hv_order, anonopt.dominance(x.value, y.value) AS dominance
        FROM pg_temp.got x JOIN pg_temp.got y USING (property, record)
        JOIN pg_temp.truth t USING (property, record), generate_series(1, t.people)
        WHERE x.node_no = $1 AND y.node_no = $2 AND t.node_no = $1
        GROUP BY x.property),
    ordered AS (
        SELECT property, i.index, i.a, i.b,
               CASE WHEN i.index LIKE '%hv' THEN hv_order ELSE sign(i.a - i.b) END
               * CASE WHEN (property = 'loss') OR i.index = 'p_rank' THEN -1 ELSE 1 END AS lead,
               i.index = 'dominance' AND dominance = 'incomparable' AS open
        FROM sums, LATERAL (VALUES
            ('p_rank', rank_a, rank_b), ('p_cov', cov_a, cov_b), ('p_spr', spr_a, spr_b), ('p_hv', hv_a, hv_b),
            ('ln_p_hv', ln_hv_a, ln_hv_b), ('p_binary', binary_a, binary_b),
            ('dominance', (dominance IN ('better', 'equal'))::int, (dominance IN ('worse', 'equal'))::int)) i (index, a, b))
    SELECT property, index, a, b, CASE WHEN open THEN NULL WHEN lead > 0 THEN 'a' WHEN lead < 0 THEN 'b' ELSE 'equal' END
    FROM ordered
$$;

CREATE FUNCTION pg_temp.alike(got float8, want float8) RETURNS boolean
LANGUAGE sql AS $$
    SELECT got = want OR (abs(want) < 'Infinity' AND abs(got - want) <= 1e-13 * greatest(abs(want), 1e-3))
$$;

CREATE FUNCTION pg_temp.node(nodes int[], i int) RETURNS int[]
LANGUAGE sql AS $$ SELECT ARRAY(SELECT unnest(nodes[i:i])) $$;

-- One random data set: where vectors, comparisons and tournaments differ; all rolled back,
-- hence one long block.
CREATE FUNCTION pg_temp.differences(seed int, sensitive_ranges boolean, OUT parameters text, OUT differing text[])
LANGUAGE plpgsql AS $$
DECLARE
    set_name text;
    kind "char";
    nodes int[];
    n int;
    properties text[] := '{class_size,loss,utility}';
    which text;
    by_index text;
    single boolean;
    difference text;
BEGIN
    differing := array_fill(NULL::text, ARRAY[5]);
    parameters := sample.data_set(seed, sensitive_ranges);
    PERFORM ref.read(dataset), ref.declare(dataset) FROM ref.dataset;
    SELECT dataset, relkind INTO set_name, kind FROM ref.dataset JOIN pg_class ON oid = relation;
    IF EXISTS (SELECT FROM ref.attribute WHERE role = 'sensitive') THEN
        properties := properties || '{sensitive_count,others_count}'::text[];
    END IF;

    -- any nodes, but never one twice
    SELECT array_agg(DISTINCT drawn) INTO nodes
    FROM (SELECT array_agg(sample.below(1 + ref.levels_of(hierarchy)) ORDER BY ordinal) AS drawn
          FROM ref.attribute, generate_series(1, 4) i
          WHERE role = 'quasi_identifier' GROUP BY i) x;
    n := array_length(nodes, 1);

    FOR i IN 1..n LOOP
        PERFORM pg_temp.find_truth(set_name, i, pg_temp.node(nodes, i));
        FOREACH which IN ARRAY properties LOOP
            INSERT INTO pg_temp.got SELECT i, which, v.* FROM anonopt.property_vector(set_name, pg_temp.node(nodes, i), which, 'nr') v;
        END LOOP;
    END LOOP;
    SELECT string_agg(format(E'\nnode %s, %s of record %s: got %s, want %s', pg_temp.node(nodes, node_no), t.property, record, g.value, t.value), '')
    INTO difference
    FROM pg_temp.got g FULL JOIN pg_temp.truth t USING (node_no, property, record)
    WHERE (g.value = t.value) IS NOT TRUE
      AND (t.property NOT IN ('loss', 'utility') OR pg_temp.alike(g.value, t.value) IS NOT TRUE);
    differing[1] := difference;

    -- by their places, where they have some
    BEGIN
        FOREACH which IN ARRAY properties LOOP
            SELECT string_agg(format(E'\nnode %s, %s of the record at %s: got %s, want %s', pg_temp.node(nodes, 1), which,
                                     coalesce(g.record, t.place), g.value, t.value), '')
            INTO difference
            FROM anonopt.property_vector(set_name, pg_temp.node(nodes, 1), which) g
            FULL JOIN (SELECT * FROM pg_temp.truth x WHERE x.node_no = 1 AND x.property = which) t ON t.place = g.record
            WHERE pg_temp.alike(g.value, t.value) IS NOT TRUE;
            differing[2] := coalesce(differing[2], difference);
        END LOOP;
        IF kind = 'v' THEN
            differing[2] := E'\nrows of a view had places';
        END IF;
    EXCEPTION WHEN invalid_parameter_value THEN
        IF kind <> 'v' THEN
            differing[2] := format(E'\n%s', SQLERRM);
        END IF;
    END;

    -- two nodes, and a node with itself, in one call
    SELECT string_agg(format(E'\n%s and %s: got %s, want %s', c.a_levels, c.b_levels, c, w), '') INTO difference
    FROM (SELECT * FROM anonopt.compare(set_name, ARRAY[pg_temp.node(nodes, 1), pg_temp.node(nodes, n), pg_temp.node(nodes, 1)],
                                        ARRAY[pg_temp.node(nodes, n), pg_temp.node(nodes, greatest(n - 1, 1)), pg_temp.node(nodes, 1)], properties)) c
    FULL JOIN (SELECT pg_temp.node(nodes, a) AS a_levels, pg_temp.node(nodes, b) AS b_levels, w.*
               FROM (SELECT DISTINCT a, b FROM (VALUES (1, n), (n, greatest(n - 1, 1)), (1, 1)) p (a, b)) p,
                    pg_temp.compared(a, b) w) w
        USING (a_levels, b_levels, property, index)
    WHERE pg_temp.alike(c.a_over_b, w.a_over_b) IS NOT TRUE OR pg_temp.alike(c.b_over_a, w.b_over_a) IS NOT TRUE
       OR c.better IS DISTINCT FROM w.better;
    differing[3] := difference;

    -- everybody against everybody
    FOREACH which IN ARRAY properties LOOP
        by_index := sample.pick('{p_rank,p_cov,p_spr,p_hv,ln_p_hv,p_binary,dominance}'::text[]);
        SELECT string_agg(format(E'\n%s by %s: got %s, want %s', which, by_index, t, w), '') INTO difference
        FROM anonopt.tournament(set_name, nodes, which, by_index) WITH ORDINALITY t
        FULL JOIN (
            SELECT *, row_number() OVER (ORDER BY wins DESC, losses, (SELECT sum(x) FROM unnest(levels) x), levels) AS ordinality
            FROM (SELECT pg_temp.node(nodes, i) AS levels, count(*) FILTER (WHERE better = 'a')::int AS wins,
                         count(*) FILTER (WHERE better = 'b')::int AS losses,
                         count(*) FILTER (WHERE coalesce(better, 'equal') = 'equal')::int AS ties
                  FROM generate_series(1, n) i, generate_series(1, n) j,
                       LATERAL (SELECT * FROM anonopt.compare(set_name, pg_temp.node(nodes, i), pg_temp.node(nodes, j), ARRAY[which])) c
                  WHERE i <> j AND c.index = by_index GROUP BY i) x) w USING (levels, ordinality)
        WHERE ROW(t.wins, t.losses, t.ties) IS DISTINCT FROM ROW(w.wins, w.losses, w.ties);
        -- a single node has no opponent
        differing[4] := coalesce(differing[4], CASE WHEN n > 1 THEN difference END);
    END LOOP;

    -- what evaluate sums up: of those who remain; a domain of one leaf is no loss in glm
    -- even of the suppressed, whose loss is the number of quasi-identifiers here
    single := EXISTS (SELECT FROM ref.attribute a WHERE role = 'quasi_identifier' AND ref.domain(a.dataset, a.ordinal) = 1);
    SELECT string_agg(format(E'\n%s: sums %s, %s, %s of %s', levels, size, alike, loss, e), '') INTO difference
    FROM anonopt.evaluate(set_name, nodes) e
    JOIN (SELECT pg_temp.node(nodes, node_no) AS levels,
                 sum(value * people) FILTER (WHERE property = 'class_size') AS size,
                 sum(value * people) FILTER (WHERE property = 'sensitive_count') AS alike,
                 sum(value * people) FILTER (WHERE property = 'loss') AS loss
          FROM (SELECT t.node_no, t.property, g.value, t.people
                FROM pg_temp.truth t JOIN pg_temp.got g USING (node_no, property, record)) x
          GROUP BY node_no) s USING (levels)
    WHERE (NOT ref.close(e.glm, s.loss) AND (e.suppressed = 0 OR NOT single))
       OR (e.suppressed = 0 AND (e.sum_k <> size OR (e.sum_l <> alike) IS TRUE));
    differing[5] := difference;

    RAISE SQLSTATE 'ROLLB';
EXCEPTION
    WHEN SQLSTATE 'ROLLB' THEN
        NULL;
    WHEN OTHERS THEN
        differing := array_fill(format(E'\n%s: %s', SQLSTATE, SQLERRM), ARRAY[5]);
END $$;

CREATE FUNCTION pg_temp.check_set(seed int, sensitive_ranges boolean) RETURNS SETOF text
LANGUAGE sql AS $$
    SELECT v FROM pg_temp.differences(seed, sensitive_ranges) d, sample.verdicts(seed, d.parameters, d.differing, ARRAY[
        'property vectors', 'by the places of rows', 'compare', 'tournament',
        'sums as evaluate has them']) v
$$;

SELECT pg_temp.check_set(seed, false) FROM generate_series(2001, 2000 + pg_temp.few(90, 8)) seed;
SELECT pg_temp.check_set(seed, true) FROM generate_series(2201, 2200 + pg_temp.few(20)) seed;

SELECT * FROM finish();
ROLLBACK;
