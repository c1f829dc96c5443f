-- Declared promises compared with plain SQL, on small random tables: measures, suppression,
-- searches.
\ir begin.inc

SET client_min_messages = error;
SELECT setseed(0.17) \g /dev/null

SELECT anonopt.create_interval_hierarchy('h_a', 0, 7, '{2,4}') \g /dev/null
SELECT anonopt.create_interval_hierarchy('h_b', 0, 4, '{2}') \g /dev/null
SELECT anonopt.create_interval_hierarchy('h_c', 0, 3, '{2}') \g /dev/null
CREATE TABLE people (a int, b int, c int, s int, u text);
CREATE TABLE everybody (a int, b int, c int);
SELECT anonopt.create_dataset('d', 'people', 0.3) \g /dev/null
SELECT anonopt.add_quasi_identifier('d', 'a', 'h_a'), anonopt.add_quasi_identifier('d', 'b', 'h_b', 2),
       anonopt.add_quasi_identifier('d', 'c', 'h_c', 0.5) \g /dev/null
SELECT anonopt.add_sensitive('d', 's'), anonopt.add_sensitive('d', 'u') \g /dev/null

-- Other people and other values, and promises of some of the models
CREATE FUNCTION pg_temp.deal(people int, with_population boolean) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    skew float8 := 1 + 3 * random();
    column_name text;
    models text[] := '{k,average_risk,share_above}';
BEGIN
    DELETE FROM people; DELETE FROM everybody; DELETE FROM anonopt.promise;
    INSERT INTO people
    SELECT floor(8 * random() ^ skew), floor(5 * random()), floor(4 * random() ^ skew), floor(4 * random() ^ skew),
           (ARRAY['x', 'y', NULL, 'z', 'w'])[1 + floor(5 * random() ^ skew)::int]
    FROM generate_series(1, people);
    INSERT INTO everybody SELECT a, b, c FROM people;
    INSERT INTO everybody SELECT floor(8 * random()), floor(5 * random()), floor(4 * random()) FROM generate_series(1, people * 2);
    FOREACH column_name IN ARRAY '{s,u}'::text[] LOOP
        IF random() < 0.3 THEN PERFORM anonopt.add_promise('d', 'l', 2 + floor(random() * 2), column_name); END IF;
        IF random() < 0.3 THEN PERFORM anonopt.add_promise('d', 'entropy_l', 1 + 2 * random(), column_name); END IF;
        IF random() < 0.3 THEN PERFORM anonopt.add_promise('d', 'recursive_l', 1 + floor(random() * 3), column_name, 0.5 + 2 * random()); END IF;
        IF random() < 0.3 THEN PERFORM anonopt.add_promise('d', 't', 0.1 + 0.5 * random(), column_name); END IF;
        IF random() < 0.3 THEN PERFORM anonopt.add_promise('d', 'alpha', (3 + floor(random() * 7)) / 10, column_name); END IF;
        IF random() < 0.3 THEN PERFORM anonopt.add_promise('d', 'beta', 0.2 + 2 * random(), column_name); END IF;
        IF random() < 0.2 THEN PERFORM anonopt.add_promise('d', 'disclosure', 0.3 + 2 * random(), column_name, (ARRAY[0, 1, NULL])[1 + floor(random() * 3)::int]); END IF;
    END LOOP;
    IF random() < 0.4 THEN PERFORM anonopt.add_promise('d', 'k', 1 + floor(random() * 8)); END IF;
    IF random() < 0.2 THEN PERFORM anonopt.add_promise('d', 'average_risk', 0.05 + 0.5 * random()); END IF;
    IF random() < 0.2 THEN PERFORM anonopt.add_promise('d', 'share_above', random() * 0.5, c => 0.05 + 0.5 * random()); END IF;
    IF with_population AND random() < 0.7 THEN
        PERFORM anonopt.add_promise('d', 'k_map', 2 + floor(random() * 20), population => 'everybody');
    END IF;
    IF with_population AND random() < 0.7 THEN
        PERFORM anonopt.add_promise('d', 'presence', 0.3 + 0.5 * random(), c => random() * 0.25, population => 'everybody');
    END IF;
END $$;

-- The labels of a value at a level
CREATE FUNCTION pg_temp.label(hierarchy text, value int, level int) RETURNS text
LANGUAGE plpgsql STABLE AS $$
DECLARE
    columns text[] := ARRAY(SELECT attname FROM pg_attribute WHERE attrelid = hierarchy::regclass AND attnum > 0 ORDER BY attnum);
    label text;
BEGIN
    EXECUTE format('SELECT %I::text FROM %s WHERE %I = $1', columns[level + 1], hierarchy, columns[1]) INTO label USING value;
    RETURN label;
END $$;
CREATE TABLE shown AS
SELECT h, v, l, pg_temp.label('h_' || h, v, l) AS label
FROM (VALUES ('a', 7, 3), ('b', 4, 2), ('c', 3, 2)) x (h, most, height), generate_series(0, most) v, generate_series(0, height) l;

CREATE TYPE pg_temp.class AS (labels text[], size bigint, breaks text);
CREATE TYPE pg_temp.truth AS (levels int[], k bigint, suppressed bigint, feasible boolean, alpha float8, beta float8, disclosure float8,
    k_map bigint, presence float8, average_risk float8);

-- Every class of a node: its size, and what it breaks.
CREATE FUNCTION pg_temp.classes(levels int[]) RETURNS TABLE (labels text[], size bigint, outside bigint, breaks text,
    alpha float8, beta float8, disclosure float8)
LANGUAGE sql STABLE AS $$
    WITH person AS MATERIALIZED (
        SELECT ARRAY[la.label, lb.label, lc.label] AS labels, s::text AS s, u
        FROM people p JOIN shown la ON la.h = 'a' AND la.v = p.a AND la.l = levels[1]
        JOIN shown lb ON lb.h = 'b' AND lb.v = p.b AND lb.l = levels[2]
        JOIN shown lc ON lc.h = 'c' AND lc.v = p.c AND lc.l = levels[3]),
    outsider AS (
        SELECT ARRAY[la.label, lb.label, lc.label] AS labels, count(*) AS people
        FROM everybody p JOIN shown la ON la.h = 'a' AND la.v = p.a AND la.l = levels[1]
        JOIN shown lb ON lb.h = 'b' AND lb.v = p.b AND lb.l = levels[2]
        JOIN shown lc ON lc.h = 'c' AND lc.v = p.c AND lc.l = levels[3] GROUP BY 1),
    own AS (
        SELECT labels, x.column_name, coalesce(x.value, 'NULL!') AS value FROM person, LATERAL (VALUES ('s', s), ('u', u)) x (column_name, value)),
    class AS (SELECT labels, count(*) AS size FROM person GROUP BY 1),
    all_values AS (SELECT column_name, value, count(*)::float8 / (SELECT count(*) FROM person) AS q, count(*) AS everyone FROM own GROUP BY 1, 2),
    share AS (
        SELECT c.labels, c.size, v.column_name, v.value, v.q, v.everyone,
               (SELECT count(*) FROM own o WHERE o.labels = c.labels AND o.column_name = v.column_name AND o.value = v.value) AS n
        FROM class c CROSS JOIN all_values v),
    ranked AS (
        SELECT *, n::float8 / size AS p, row_number() OVER (PARTITION BY labels, column_name ORDER BY n DESC) AS rank,
               (n * (SELECT count(*) FROM person))::numeric - everyone * size AS surplus FROM share),
    verdict AS (
        SELECT r.labels, p.model,
            CASE p.model
            WHEN 'l' THEN count(*) FILTER (WHERE n > 0) >= p.threshold
            WHEN 'entropy_l' THEN -sum(CASE WHEN n > 0 THEN r.p * ln(r.p) ELSE 0 END) >= ln(p.threshold) - 1e-11
            WHEN 'recursive_l' THEN max(n) < p.c * coalesce(sum(n) FILTER (WHERE rank >= p.threshold), 0)
            WHEN 't' THEN sum(abs(surplus)) / 2 / max(size) / (SELECT count(*) FROM person) <= p.threshold
            WHEN 'alpha' THEN max(n)::float8 / max(size) <= p.threshold
            WHEN 'beta' THEN bool_and(surplus <= 0 OR surplus::float8 / (everyone * size)::float8 <= least(p.threshold, -ln(r.q)))
            WHEN 'disclosure' THEN bool_and(CASE WHEN n = 0 THEN coalesce(p.c, 1) = 0 ELSE
                abs(ln(r.p / r.q)) < p.threshold END)
            END AS keeps
        FROM ranked r JOIN anonopt.promise p USING (column_name) GROUP BY r.labels, p.model, p.column_name, p.threshold, p.c
        UNION ALL
        SELECT c.labels, p.model, c.size >= p.threshold FROM class c, anonopt.promise p WHERE p.model = 'k'
        UNION ALL
        SELECT c.labels, p.model, CASE p.model WHEN 'k_map' THEN o.people >= p.threshold
            ELSE c.size::float8 / o.people BETWEEN coalesce(p.c, 0) AND p.threshold END
        FROM class c JOIN outsider o USING (labels), anonopt.promise p WHERE p.model IN ('k_map', 'presence'))
    SELECT c.labels, c.size, (SELECT o.people FROM outsider o WHERE o.labels = c.labels),
        (SELECT string_agg(DISTINCT model, ', ') FROM verdict v WHERE v.labels = c.labels AND NOT keeps),
        (SELECT max(n)::float8 / c.size FROM ranked r WHERE r.labels = c.labels AND
            column_name IN (SELECT p.column_name FROM anonopt.promise p WHERE p.model = 'alpha')),
        (SELECT max(greatest(surplus, 0)::float8 / (everyone * size)::float8) FROM ranked r WHERE r.labels = c.labels AND
            column_name IN (SELECT p.column_name FROM anonopt.promise p WHERE p.model = 'beta')),
        (SELECT max(CASE WHEN n > 0 THEN abs(ln(r.p / r.q)) WHEN coalesce(m.c, 1) = 0 THEN 0 ELSE 'Infinity' END)
            FROM ranked r JOIN anonopt.promise m ON m.model = 'disclosure' AND m.column_name = r.column_name WHERE r.labels = c.labels)
    FROM class c
$$;

CREATE FUNCTION pg_temp.truth(levels int[]) RETURNS pg_temp.truth
LANGUAGE sql STABLE AS $$
    WITH class AS MATERIALIZED (SELECT * FROM pg_temp.classes(levels)),
    kept AS (SELECT * FROM class WHERE breaks IS NULL),
    total AS (SELECT count(*) AS people FROM people),
    sums AS (SELECT min(size) AS k, count(*) AS classes, coalesce(sum(size), 0) AS shown, max(alpha) AS alpha, max(beta) AS beta,
        max(disclosure) AS disclosure, min(outside) AS k_map, max(size::float8 / outside) AS presence FROM kept)
    SELECT levels, k, (people - shown)::bigint,
        people - shown <= floor(0.3 * people) AND coalesce(
            (SELECT bool_and(CASE model WHEN 'average_risk' THEN classes = 0 OR classes::float8 / shown <= threshold
             WHEN 'share_above' THEN shown = 0 OR (SELECT coalesce(sum(size) FILTER (WHERE 1.0::float8 / size > c), 0) FROM kept) / shown::float8 <= threshold
             ELSE true END) FROM anonopt.promise), true),
        alpha, beta, disclosure,
        CASE WHEN EXISTS (SELECT FROM anonopt.promise WHERE model = 'k_map') THEN k_map END,
        CASE WHEN EXISTS (SELECT FROM anonopt.promise WHERE model = 'presence') THEN presence END,
        CASE WHEN shown > 0 AND EXISTS (SELECT FROM anonopt.promise WHERE model = 'average_risk') THEN classes / shown::float8 END
    FROM sums, total
$$;

-- Differences between the lattice and the truth
CREATE FUNCTION pg_temp.close(a float8, b float8) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$ SELECT a IS NOT DISTINCT FROM b OR abs(a - b) < 1e-9 $$;
CREATE FUNCTION pg_temp.wrong_nodes() RETURNS SETOF text
LANGUAGE sql STABLE AS $$
    SELECT format('%s is not %s', (n.levels, n.k, n.suppressed, n.feasible, n.alpha, n.beta, n.disclosure, n.k_map, n.presence, n.average_risk), t)
    FROM anonopt.lattice('d') n, pg_temp.truth(n.levels) t
    WHERE (n.k, n.suppressed, n.feasible, n.k_map) IS DISTINCT FROM (t.k, t.suppressed, t.feasible, t.k_map)
        OR NOT pg_temp.close(n.alpha, t.alpha) OR NOT pg_temp.close(n.beta, t.beta) OR NOT pg_temp.close(n.disclosure, t.disclosure)
        OR NOT pg_temp.close(n.presence, t.presence) OR NOT pg_temp.close(n.average_risk, t.average_risk)
$$;

-- The classes that a node suppresses
CREATE FUNCTION pg_temp.wrong_classes(levels int[]) RETURNS SETOF text
LANGUAGE sql STABLE AS $$
    SELECT x::text FROM (
        (SELECT labels, size, ARRAY(SELECT b FROM unnest(string_to_array(breaks, ', ')) b ORDER BY b) FROM anonopt.suppressed_classes('d', levels)
         EXCEPT SELECT labels, size, string_to_array(breaks, ', ') FROM pg_temp.classes(levels) WHERE breaks IS NOT NULL)
        UNION ALL
        (SELECT labels, size, string_to_array(breaks, ', ') FROM pg_temp.classes(levels) WHERE breaks IS NOT NULL
         EXCEPT SELECT labels, size, ARRAY(SELECT b FROM unnest(string_to_array(breaks, ', ')) b ORDER BY b) FROM anonopt.suppressed_classes('d', levels))) x
$$;

-- The best node by the lattice, beside optimize; and the front of two objectives beside pareto
CREATE FUNCTION pg_temp.wrong_optima() RETURNS SETOF text
LANGUAGE plpgsql STABLE AS $$
DECLARE
    loss text;
    want int[];
    got int[];
    wants text[];
    gots text[];
BEGIN
    FOREACH loss IN ARRAY '{glm,nwp,dcn,suppressed,classes,necd,alpha,beta}'::text[] LOOP
        EXECUTE format('SELECT levels FROM anonopt.pareto(''d'', %L) LIMIT 1', ARRAY[loss]) INTO want;
        EXECUTE format('SELECT levels FROM anonopt.optimize(''d'', loss => %L)', loss) INTO got;
        IF got IS DISTINCT FROM want THEN RETURN NEXT format('%s: optimize %s, pareto %s', loss, got, want); END IF;
        CONTINUE WHEN loss IN ('alpha', 'beta');
        EXECUTE format('SELECT levels FROM anonopt.lattice(''d'') WHERE feasible AND %1$I IS NOT NULL'
            ' ORDER BY %1$I, (SELECT sum(x) FROM unnest(levels) x), levels LIMIT 1', loss) INTO want;
        IF got IS DISTINCT FROM want AND loss <> 'necd' THEN RETURN NEXT format('%s: optimize %s, truth %s', loss, got, want); END IF;
    END LOOP;
    wants := ARRAY(SELECT DISTINCT (k, glm)::text FROM anonopt.lattice('d') n WHERE feasible AND k IS NOT NULL AND NOT EXISTS (
        SELECT FROM anonopt.lattice('d') o WHERE o.feasible AND o.k >= n.k AND o.glm <= n.glm AND (o.k > n.k OR o.glm < n.glm)) ORDER BY 1);
    gots := ARRAY(SELECT (k, glm)::text FROM anonopt.pareto('d') WHERE k IS NOT NULL ORDER BY 1);
    IF wants <> gots THEN RETURN NEXT format('front %s, truth %s', gots, wants); END IF;
END $$;

-- efficiency beside the lattice, and what nsga2 says of a cut beside evaluate_cuts
CREATE FUNCTION pg_temp.wrong_preferences(seed int) RETURNS SETOF text
LANGUAGE sql VOLATILE AS $$
    (SELECT 'efficiency ' || levels::text FROM anonopt.lattice('d', k => 2, l => 2) WHERE feasible AND k IS NOT NULL
     EXCEPT SELECT 'efficiency ' || levels::text FROM anonopt.efficiency('d', 2, 0.1, 0.3, l => 2))
    UNION ALL
    (SELECT 'efficiency ' || levels::text FROM anonopt.efficiency('d', 2, 0.1, 0.3, l => 2)
     EXCEPT SELECT 'efficiency ' || levels::text FROM anonopt.lattice('d', k => 2, l => 2) WHERE feasible AND k IS NOT NULL)
    UNION ALL
    SELECT format('nsga2 %s: %s is not %s', s.cuts, (s.k, s.necd, s.nwp), (e.k, e.necd, e.nwp))
    FROM anonopt.nsga2('d', 2, 0.1, 0.3, population => 10, evaluations => 60, seed => seed, l => 2) s,
        LATERAL anonopt.evaluate_cuts('d', s.cuts, k => 2, l => 2) e
    WHERE s.feasible IS DISTINCT FROM (e.feasible AND e.k IS NOT NULL)
        OR (s.feasible AND (s.k, s.necd, s.nwp) IS DISTINCT FROM (e.k, e.necd, e.nwp))
    UNION ALL
    SELECT 'nsga2 finds none' WHERE EXISTS (SELECT FROM anonopt.lattice('d', k => 2, l => 2) WHERE feasible AND k IS NOT NULL)
        AND NOT EXISTS (SELECT FROM anonopt.nsga2('d', 2, 0.1, 0.3, population => 10, evaluations => 60, seed => seed, l => 2) WHERE chosen)
$$;

CREATE FUNCTION pg_temp.verdict(seed int, with_population boolean) RETURNS SETOF text
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM setseed(seed / 1000.0), pg_temp.deal(20 + seed % 90, with_population);
    RETURN QUERY SELECT is(ARRAY(SELECT pg_temp.wrong_nodes()), '{}', format('seed %s: every node', seed));
    RETURN QUERY SELECT is(ARRAY(SELECT pg_temp.wrong_classes(levels)), '{}', format('seed %s: classes of %s', seed, levels))
        FROM (VALUES (ARRAY[0, 0, 0]), (ARRAY[2, 1, 1])) x (levels);
    IF EXISTS (SELECT FROM anonopt.promise) THEN
        RETURN QUERY SELECT is(ARRAY(SELECT pg_temp.wrong_optima()), '{}', format('seed %s: optima', seed));
    END IF;
    RETURN QUERY SELECT is(ARRAY(SELECT pg_temp.wrong_preferences(seed)), '{}', format('seed %s: preferences', seed));
END $$;

SELECT no_plan();
SELECT pg_temp.verdict(seed, seed % 2 = 0) FROM generate_series(1, pg_temp.few(40)) seed;

-- By hand: what breaks at the border, and what is just kept.
CREATE TABLE hand (g text, s text);
INSERT INTO hand SELECT g, s FROM (VALUES ('a', 'x', 3), ('a', 'y', 7), ('b', 'x', 4), ('b', 'y', 6), ('c', 'x', 6), ('c', 'y', 2), ('c', 'z', 1),
    ('d', 'x', 5), ('d', 'y', 2), ('d', 'z', 1)) v (g, s, n), generate_series(1, n);
CREATE TABLE hand_g (g text PRIMARY KEY, top text);
INSERT INTO hand_g SELECT DISTINCT g, '*' FROM hand;
SELECT anonopt.create_dataset('hand', 'hand', 1), anonopt.add_quasi_identifier('hand', 'g', 'hand_g'), anonopt.add_sensitive('hand', 's') \g /dev/null
CREATE FUNCTION pg_temp.broken(model text, threshold float8, c float8 DEFAULT NULL) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    broken text;
BEGIN
    DELETE FROM anonopt.promise;
    PERFORM anonopt.add_promise('hand', model, threshold, CASE WHEN model NOT IN ('average_risk', 'share_above') THEN 's' END, c);
    SELECT string_agg(labels[1], '' ORDER BY labels[1]) INTO broken FROM anonopt.suppressed_classes('hand', '{0}');
    RETURN coalesce(broken, '');
END $$;
SELECT is(pg_temp.broken('alpha', 0.7), '', 'seven of ten, six of nine, five of eight keep an alpha of 0.7');
SELECT is(pg_temp.broken('alpha', 0.6), 'acd', 'six of ten keep one of 0.6');
-- c: 6 < 2 (2 + 1) does not hold; d: 5 < 2 (2 + 1) does; a: 7 < 2 * 3 does not; b: 6 < 2 * 4 does
SELECT is(pg_temp.broken('recursive_l', 2, 2), 'ac', 'recursive (2,2)-diversity is strict');
SELECT is(pg_temp.broken('recursive_l', 3, 5.5), 'abc', 'recursive (5.5,3): two values are too few; 6 < 5.5 does not hold, 5 < 5.5 does');
-- 37 people: 18 x, 17 y, 2 z.  z in c: p/q = 37/18, so (p - q)/q = 19/18; in d: 37/16, 21/16
SELECT is(pg_temp.broken('beta', 21.0 / 16), '', 'beta: just kept');
SELECT is(pg_temp.broken('beta', 20.0 / 16), 'd', 'beta: z is too frequent in d');
SELECT is(pg_temp.broken('disclosure', 5), 'ab', 'disclosure: a and b lack z');
SELECT is(pg_temp.broken('disclosure', 5, 0), '', 'unless only values that are present count');
SELECT is(pg_temp.broken('average_risk', 0.01), '', 'average_risk suppresses nothing');
SELECT is((SELECT feasible FROM anonopt.evaluate('hand', '{0}')), false, 'but the node is not feasible');
SELECT throws_ok(format('SELECT anonopt.add_promise(''hand'', %L, %L, %L, %L)', m, t, col, c), state, NULL, format('%s %s %s %s is refused', m, t, col, c))
FROM (VALUES ('bogus', '1', NULL, NULL, '22023'), ('alpha', 'NaN', 's', NULL, '22023'), ('alpha', '0.5', NULL, NULL, '22023'), ('alpha', '0', 's', NULL, '22023'),
    ('k', '2.5', NULL, NULL, '22023'), ('k', '3', 's', NULL, '22023'), ('recursive_l', '2', 's', NULL, '22023'), ('presence', '0.1', NULL, '0.5', '22023'),
    ('k_map', '5', NULL, NULL, '22023'), ('alpha', '0.5', 'g', NULL, '22023'), ('beta', 'Infinity', 's', NULL, '22023'),
    ('average_risk', '0.5', NULL, NULL, '42710')) v (m, t, col, c, state);

SELECT * FROM finish();
ROLLBACK;
