-- The parameters of differential privacy, compared with sums of exact numbers.
\ir begin.inc
SELECT plan(17);

-- The least k by the definition: the sums for every n from where it begins, until the exponential bound of their tail is below delta
CREATE FUNCTION pg_temp.least_k(epsilon numeric, delta numeric, beta numeric) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    g numeric := (exp(epsilon) - 1 + beta) / exp(epsilon);
    odds numeric := beta / (1 - beta);
    least int := 1;
    n int := 0;
    j int;
    term numeric;
    tail numeric;
BEGIN
    LOOP
        n := n + 1;
        j := floor(g * n) + 1;
        -- Chernoff's bound decreases with n
        EXIT WHEN exp(-n * (g * ln(g / beta) - (g - beta))) <= delta;
        CONTINUE WHEN j > n;
        -- with many digits, since it is small
        term := round(beta, 300) ^ n;
        tail := term;
        FOR i IN REVERSE n - 1 .. j LOOP
            term := term * (i + 1) / (n - i) / odds;
            tail := tail + term;
        END LOOP;
        -- n counts for all k with ceil(k / g - 1) <= n
        IF tail > delta THEN least := greatest(least, floor(g * (n + 1))::int + 1); END IF;
    END LOOP;
    RETURN greatest(least, 2);
END $$;

SELECT is((round(p.beta::numeric, 3), p.k)::text, e.expected, 'as published: ' || e.expected)
FROM (VALUES (1, 1e-5, '(0.632,61)'), (1, 1e-6, '(0.632,74)'), (2, 1e-6, '(0.865,131)')) e (epsilon, delta, expected),
    anonopt.privacy_parameters(epsilon, delta) p;

SELECT setseed(0.4) \g /dev/null
CREATE TEMPORARY TABLE cases AS
SELECT e.epsilon, e.delta, CASE WHEN i % 2 = 0 THEN round(((1 - exp(-e.epsilon)) * random())::numeric, 6)::float8 + 1e-6 * (1 - exp(-e.epsilon)) END AS beta
FROM generate_series(1, pg_temp.few(100)) i,
    LATERAL (SELECT round((0.3 + 2 * random() ^ 2 + i * 0)::numeric, 2)::float8 AS epsilon, round(10 ^ (-1 - 7 * random() - i * 0.01)::numeric, 12)::float8 AS delta) e;
SELECT is((SELECT count(*) FROM cases c, anonopt.privacy_parameters(c.epsilon, c.delta, c.beta) p
    WHERE p.k <> pg_temp.least_k(c.epsilon::text::numeric, c.delta::text::numeric, p.beta::text::numeric)), 0::bigint, 'the least k of random parameters');
SELECT is((SELECT count(*) FROM cases c, anonopt.privacy_parameters(c.epsilon, c.delta) p
    WHERE p.beta::text::numeric > 1 - exp(-c.epsilon::text::numeric) OR p.beta < (1 - exp(-c.epsilon)) * (1 - 1e-11)), 0::bigint,
    'beta is 1 - e^-epsilon, and never more');
SELECT ok(bool_and(k <= before) IS NOT FALSE, 'a larger delta needs no larger k')
FROM (SELECT p.k, lag(p.k) OVER (ORDER BY d) AS before FROM generate_series(1, 60) d, anonopt.privacy_parameters(1, exp(-0.2 * (61 - d))) p) s;
SELECT is((SELECT k FROM anonopt.privacy_parameters(1e-9, 1e-6)), 60, 'an epsilon of nearly nothing is answered');
SELECT is((SELECT k FROM anonopt.privacy_parameters(15, 1e-6)), (SELECT ceil(ln(1e-6::numeric) / ln(p.beta::text::numeric))::int FROM anonopt.privacy_parameters(15, 1e-6) p),
    'with a large one, a class must be drawn whole');
SELECT throws_ok('SELECT anonopt.privacy_parameters(20, 1e-6)', '54000', NULL, 'a k that is no integer is an error');
SELECT throws_ok('SELECT anonopt.privacy_parameters(1e-300, 1e-6)', '54000', NULL, 'so are more rows than there can be');
SELECT is((SELECT count(*) FROM anonopt.privacy_parameters(1000, 0.5, 0.5)), 1::bigint, 'no epsilon is too large up to a thousand');
SELECT throws_ok(format('SELECT anonopt.privacy_parameters(%s, 0.5, 0.5)', e), '22023', NULL, 'not ' || e)
FROM unnest('{1001,1.7e308,''Infinity'',''NaN'',0,-1}'::text[]) e;
SELECT * FROM finish();
ROLLBACK;
