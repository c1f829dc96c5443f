-- A generalization per record with owners' weights, and with several dictionaries of
-- attackers, compared with trying every node in plain SQL.
\ir begin.inc

SELECT plan(34);

SELECT setseed(0.37);
CREATE SCHEMA own;
CREATE TABLE own.town (town text PRIMARY KEY, level1 text NOT NULL, level2 text NOT NULL);
INSERT INTO own.town SELECT 't' || i, 'c' || i / 3, '*' FROM generate_series(0, 7) i;
CREATE TABLE own.age (age int PRIMARY KEY, level1 text NOT NULL, level2 text NOT NULL, level3 text NOT NULL);
INSERT INTO own.age SELECT i, format('[%s,%s]', i / 2 * 2, i / 2 * 2 + 1), format('[%s,%s]', i / 4 * 4, i / 4 * 4 + 3), '*' FROM generate_series(0, 11) i;
CREATE TABLE own.people AS
SELECT i AS id, 't' || floor(random() * 8) AS town, floor(random() * 12)::int AS age,
       (ARRAY[0, 0.5, 1, 2, 7])[1 + floor(random() * 5)::int]::numeric AS town_weight, nullif(floor(random() * 4)::int, 3) AS age_weight
FROM generate_series(1, 60) i;
-- two registers, each with a town that has no leaf
CREATE TABLE own.voters AS SELECT 't' || floor(random() * 9) AS town, floor(random() * 12)::int AS age FROM generate_series(1, 90);
CREATE TABLE own.patients AS SELECT 't' || floor(random() * 9) AS town, floor(random() * 12)::int AS age FROM generate_series(1, 25);
CREATE TABLE own.town_weight (town text, weight float8);
INSERT INTO own.town_weight VALUES ('t0', 3), ('t4', 0.25), ('t7', 0);
SELECT anonopt.create_dataset('own', 'own.people') \g /dev/null
SELECT anonopt.add_quasi_identifier('own', 'town', 'own.town'), anonopt.add_quasi_identifier('own', 'age', 'own.age') \g /dev/null

-- Every node of every record, in plain SQL ----------------------------------------

-- labels of a value by level, how many leaves each covers, whether it covers all
CREATE VIEW own.shown AS
SELECT 'town' AS column, t.town AS value, level, label, n, n = 8 AS whole
FROM own.town t, LATERAL (VALUES (0, t.town), (1, t.level1), (2, t.level2)) l (level, label),
     LATERAL (SELECT count(*) AS n FROM own.town u WHERE (ARRAY[u.town, u.level1, u.level2])[level + 1] = label) c
UNION ALL
SELECT 'age', a.age::text, level, label, n, n = 12
FROM own.age a, LATERAL (VALUES (0, a.age::text), (1, a.level1), (2, a.level2), (3, a.level3)) l (level, label),
     LATERAL (SELECT count(*) AS n FROM own.age b WHERE (ARRAY[b.age::text, b.level1, b.level2, b.level3])[level + 1] = label) c;
-- a label's weight: 1/Σ(1/child), so 1/Σ(1/leaf) as long as no leaf weighs 0
CREATE FUNCTION pg_temp.weight(which text, at int, shown text) RETURNS float8 LANGUAGE sql AS $$
    SELECT CASE WHEN bool_or(whole) OR bool_or(w = 0) THEN 0 ELSE 1 / sum(1 / nullif(w, 0)) END
    FROM (SELECT whole, CASE WHEN EXISTS (SELECT FROM anonopt.attribute WHERE dataset = 'own' AND column_name = which AND sensitivity IS NOT NULL)
                        THEN coalesce((SELECT weight FROM own.town_weight x WHERE x.town = s.value), 1) ELSE 1 END AS w
          FROM own.shown s WHERE (s.column, s.level, s.label) = (which, at, shown)) x
$$;
CREATE FUNCTION pg_temp.nodes(relations regclass[], weights float8[], owners boolean)
RETURNS TABLE (id int, i int, j int, phi float8, rho float8[], share float8[]) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    CREATE TEMP TABLE entry (nr bigint, town text, age text) ON COMMIT DROP;
    FOR nr IN 1..cardinality(relations) LOOP
        EXECUTE format('INSERT INTO entry SELECT %s, town, age::text FROM %s', nr, relations[nr]);
    END LOOP;
    RETURN QUERY
    WITH labelled AS MATERIALIZED (
        -- a value without a leaf has a label of its own where not all have one
        SELECT e.nr, i, j, CASE WHEN i < 2 THEN coalesce(a.label, 'none') ELSE '*' END AS town, CASE WHEN j < 3 THEN coalesce(b.label, 'none') ELSE '*' END AS age, count(*) AS n
        FROM entry e CROSS JOIN generate_series(0, 2) i CROSS JOIN generate_series(0, 3) j
             LEFT JOIN own.shown a ON (a.column, a.value, a.level) = ('town', e.town, i) LEFT JOIN own.shown b ON (b.column, b.value, b.level) = ('age', e.age, j)
        GROUP BY 1, 2, 3, 4, 5),
    weighed AS MATERIALIZED (SELECT s.column, s.level, label, pg_temp.weight(s.column, s.level, label) AS w FROM own.shown s GROUP BY 1, 2, 3),
    fit AS (
        SELECT a.value AS town, b.value AS age, a.level AS i, b.level AS j, d.nr, coalesce(l.n, 0) AS n, w1.w AS w1, w2.w AS w2
        FROM (SELECT DISTINCT p.town, p.age::text FROM own.people p) p JOIN own.shown a ON a.column = 'town' AND a.value = p.town
             JOIN own.shown b ON b.column = 'age' AND b.value = p.age CROSS JOIN generate_series(1, cardinality(relations)) d (nr)
             JOIN weighed w1 ON (w1.column, w1.level, w1.label) = ('town', a.level, a.label) JOIN weighed w2 ON (w2.column, w2.level, w2.label) = ('age', b.level, b.label)
             LEFT JOIN labelled l ON (l.nr, l.i, l.j, l.town, l.age) = (d.nr, a.level, b.level, a.label, b.label))
    SELECT p.id, f.i, f.j, CASE WHEN owners THEN f.w1 * coalesce(p.town_weight, 1)::float8 + f.w2 * coalesce(p.age_weight, 1) ELSE f.w1 + f.w2 END,
           array_agg(greatest(n, 1)::float8 ORDER BY nr), array_agg(weights[nr] / (SELECT sum(w) FROM unnest(weights) w) ORDER BY nr)
    FROM own.people p JOIN fit f ON f.town = p.town AND f.age = p.age::text GROUP BY p.id, f.i, f.j, f.w1, f.w2, p.town_weight, p.age_weight;
    DROP TABLE entry;
END $$;
CREATE FUNCTION pg_temp.risk(model text, phi float8, rho float8[], share float8[]) RETURNS float8 LANGUAGE sql AS $$
    SELECT sum(s * CASE model WHEN 'identity' THEN 1 / r WHEN 'entropy' THEN phi * ln(1 / r) ELSE phi / r END) FROM unnest(rho, share) x (r, s)
$$;
-- The optimum: of equals the most useful, then the least levels; utility is depth
CREATE TABLE own.judged (setting text, model text, goal text, bound float8, id int, risk float8, utility float8);
CREATE PROCEDURE pg_temp.judge(setting text, relations regclass[], weights float8[], owners boolean) LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO own.judged
    SELECT DISTINCT ON (m, g.goal, n.id) setting, m, g.goal, g.bound, n.id, r.risk, 5 - n.i - n.j
    FROM pg_temp.nodes(relations, weights, owners) n, unnest('{sensitivity,identity,entropy}'::text[]) m,
         LATERAL (SELECT round(pg_temp.risk(m, n.phi, n.rho, n.share)::numeric, 12) AS risk) r,
         (VALUES ('risk', 2::float8), ('budget', 0.1), ('balance', 0.05)) g (goal, bound)
    WHERE CASE g.goal WHEN 'risk' THEN 5 - n.i - n.j >= g.bound WHEN 'budget' THEN r.risk <= g.bound ELSE true END
    ORDER BY m, g.goal, n.id, CASE g.goal WHEN 'risk' THEN r.risk WHEN 'budget' THEN n.i + n.j ELSE r.risk - g.bound * (5 - n.i - n.j) END, r.risk, n.i + n.j;
END $$;
-- Logarithms that are equal may be told apart by their last digit: there, the less useful of equals is right too.
CREATE FUNCTION pg_temp.differ(setting_ text, call text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    found bigint := 0;
    one bigint;
    c record;
BEGIN
    FOR c IN SELECT m, f.* FROM unnest('{sensitivity,identity,entropy}'::text[]) m,
            (VALUES ('risk', 'aruba', 2::float8), ('risk', 'btda', 2), ('budget', 'aruba_budget', 0.1), ('balance', 'aruba_balance', 0.05)) f (goal, name, bound) LOOP
        EXECUTE format('SELECT count(*) FROM anonopt.%1$I(''own'', %2$s, %3$L, key => ''id'' %4$s) a FULL JOIN (SELECT * FROM own.judged WHERE (setting, model, goal) = (%5$L, %3$L, %6$L)) w
                ON w.id::text = a.record WHERE (a.levels IS NULL) <> (w.id IS NULL) OR abs(a.risk - w.risk) > 1e-9
                OR (abs(a.risk - w.risk) <= 1e-11 AND a.utility < w.utility AND w.model <> ''entropy'')', c.name, c.bound, c.m, call, setting_, c.goal) INTO one;
        found := found + one;
    END LOOP;
    RETURN found;
END $$;

CALL pg_temp.judge('plain', '{own.people}', '{1}', false);
SELECT is(pg_temp.differ('plain', ''), 0::bigint, 'without options');
SELECT cmp_ok((SELECT count(*) FROM own.judged), '>=', 400::bigint, 'there are answers');

-- Several dictionaries ---------------------------------------------------------------

CALL pg_temp.judge('two', '{own.voters,own.patients}', '{3,1}', false);
SELECT is(pg_temp.differ('two', $$, dictionaries => '{own.voters,own.patients}', dictionary_weights => '{3,1}'$$), 0::bigint, 'two dictionaries, weighed');
SELECT is(pg_temp.differ('two', $$, dictionaries => '{own.voters,own.patients,own.voters}', dictionary_weights => '{30,20,30}'$$), 0::bigint,
          'weights are scaled; one twice is one with both weights');
CALL pg_temp.judge('three', '{own.people,own.voters,own.patients}', '{1,1,1}', false);
SELECT is(pg_temp.differ('three', $$, dictionaries => '{own.people,own.voters,own.patients}'$$), 0::bigint, 'three, alike unless told; the relation among them');
SELECT is((SELECT count(*) FROM anonopt.aruba('own', 2, dictionary => 'own.voters', key => 'id') a
           FULL JOIN anonopt.aruba('own', 2, dictionaries => '{own.voters,own.patients}', dictionary_weights => '{5,0}', key => 'id') b USING (record)
           WHERE (a.levels, a.risk) IS DISTINCT FROM (b.levels, b.risk)), 0::bigint, 'one that weighs nothing');
SELECT is((SELECT count(*) FROM anonopt.aruba('own', 2, dictionary => 'own.voters', key => 'id') a
           FULL JOIN anonopt.aruba('own', 2, dictionaries => '{own.voters}', key => 'id') b USING (record) WHERE a IS DISTINCT FROM b), 0::bigint, 'one is one');
SELECT throws_ok($$SELECT * FROM anonopt.aruba('own', 2, dictionary => 'own.voters', dictionaries => '{own.voters}')$$, '22023', NULL, 'not both');
SELECT throws_ok($$SELECT * FROM anonopt.aruba('own', 2, dictionary_weights => '{1}')$$, '22023', NULL, 'weights of nothing');
SELECT throws_ok(format('SELECT * FROM anonopt.aruba(''own'', 2, dictionaries => %L, dictionary_weights => %L)', d, w), '22023', NULL, format('%s by %s', d, w))
FROM (VALUES ('{own.voters,own.patients}', '{1}'), ('{own.voters}', '{-1}'), ('{own.voters}', '{0}'), ('{own.voters}', '{NaN}'), ('{own.voters}', '{Infinity}'),
             ('{own.voters,NULL}', '{1,1}'), ('{}', '{}'), ('{own.voters}', '{NULL}'), ('{own.voters,own.patients}', '{1e308,1e308}')) x (d, w);
SELECT throws_ok($$SELECT * FROM anonopt.aruba('own', 2, dictionaries => '{own.voters,own.town_weight}')$$, '42703', NULL, 'a dictionary without a column');

-- Owners' weights ----------------------------------------------------------------------

SELECT anonopt.set_owner_sensitivity('own', 'town', 'town_weight'), anonopt.set_owner_sensitivity('own', 'age', 'age_weight') \g /dev/null
CALL pg_temp.judge('owners', '{own.people}', '{1}', true);
SELECT is(pg_temp.differ('owners', ''), 0::bigint, 'owners'' weights');
CALL pg_temp.judge('owners and two', '{own.voters,own.patients}', '{3,1}', true);
SELECT is(pg_temp.differ('owners and two', $$, dictionaries => '{own.voters,own.patients}', dictionary_weights => '{3,1}'$$), 0::bigint, 'and two dictionaries');
SELECT anonopt.set_sensitivity('own', 'town', 'own.town_weight') \g /dev/null
CALL pg_temp.judge('owners and table', '{own.people}', '{1}', true);
SELECT is(pg_temp.differ('owners and table', ''), 0::bigint, 'multiplied by a table''s weights');
SELECT cmp_ok((SELECT count(*) FROM (SELECT FROM own.people p JOIN anonopt.aruba('own', 2, key => 'id') a ON a.record = p.id::text
                                     GROUP BY town, age HAVING count(DISTINCT a.risk) > 1) x), '>', 0::bigint, 'records of one tuple differ');
SELECT throws_ok($$SELECT anonopt.set_owner_sensitivity('own', 'town', 'town')$$, '22023', NULL, 'a column of no numbers');
SELECT throws_ok($$SELECT anonopt.set_owner_sensitivity('own', 'town', 'nowhere')$$, '42703', NULL, 'no such column');
SELECT throws_ok($$SELECT anonopt.set_owner_sensitivity('own', 'id', 'age_weight')$$, '22023', NULL, 'not of a quasi-identifier');
SELECT throws_ok($$SELECT anonopt.publish_records('own.published', 'own', 2, 'id')$$, '0A000', NULL, 'not in a release');
UPDATE own.people SET age_weight = -1 WHERE id = 7;
SELECT throws_ok($$SELECT * FROM anonopt.aruba('own', 2, key => 'id')$$, '22023', 'column "age_weight" holds a weight that is negative or not finite', 'a negative weight');
SELECT lives_ok($$SELECT * FROM anonopt.aruba('own', 2, 'identity', key => 'id')$$, 'identity asks for no weights');
SELECT anonopt.set_owner_sensitivity('own', 'town', NULL), anonopt.set_owner_sensitivity('own', 'age', NULL) \g /dev/null
UPDATE anonopt.attribute SET sensitivity = NULL WHERE dataset = 'own';
SELECT is(pg_temp.differ('plain', ''), 0::bigint, 'NULL takes them back');

-- 64 columns, the most there are: what is feasible is found in time, unproven ---------------

CREATE TABLE own.bit AS SELECT v, '*' AS top FROM generate_series(0, 1) v;
SELECT format('CREATE TABLE own.wide AS SELECT i AS id, %s FROM generate_series(1, 200) i', string_agg(format('(random() < 0.3)::int AS c%s', c), ', '))
FROM generate_series(1, 64) c \gexec
SELECT anonopt.create_dataset('wide', 'own.wide') \g /dev/null
SELECT anonopt.add_quasi_identifier('wide', ('c' || c)::name, 'own.bit') FROM generate_series(1, 64) c ORDER BY c \g /dev/null
SET client_min_messages = error;
SELECT is((SELECT ARRAY[count(levels), min(utility), max(cardinality(levels))]::numeric[] FROM anonopt.aruba('wide', 20, time_limit => '1 s', key => 'id')),
          '{200,20,64}', '64 columns, c = 20: an answer for everybody');
SELECT is((SELECT ROW(nodes, exact)::text FROM anonopt.last_search()), '(18446744073709551616,f)', 'not proven');
SELECT is((SELECT count(*) FROM anonopt.aruba('wide', 20, time_limit => '1 s', key => 'id') a JOIN own.wide w ON w.id::text = a.record
           WHERE a.risk > (20 - (SELECT count(*) FROM unnest(levels) l WHERE l = 1) + 44)), 0::bigint, 'no riskier than its labels, each of which weighs 1, for one person');
ALTER TABLE own.wide ADD c65 int;
SELECT throws_ok($$SELECT anonopt.add_quasi_identifier('wide', 'c65', 'own.bit')$$, '22023', NULL, 'a 65th column is refused');

SELECT * FROM finish();
ROLLBACK;
