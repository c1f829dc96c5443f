-- Promises against people who know several rows of a person: random visits, each node of them measured by plain SQL,
-- which takes away people until nobody's rows are those of too few.
\ir begin.inc
SET client_min_messages = error;

SELECT no_plan();

CREATE SCHEMA known;
SELECT setseed(0.29) \g /dev/null
CREATE TABLE known.ages AS SELECT i AS value, i / 2 AS level1, i / 4 AS level2, 0 AS level3 FROM generate_series(0, 7) i;
CREATE TABLE known.zips AS SELECT i AS value, i / 2 AS level1, 0 AS level2 FROM generate_series(0, 3) i;
ALTER TABLE known.ages ADD PRIMARY KEY (value);
ALTER TABLE known.zips ADD PRIMARY KEY (value);
CREATE TABLE known.visit (nr int, who text, age int, zip int, ill int, label int);
SELECT anonopt.create_dataset('v', 'known.visit', 0.5, person => 'who'), anonopt.add_quasi_identifier('v', 'age', 'known.ages'),
    anonopt.add_quasi_identifier('v', 'zip', 'known.zips'), anonopt.add_sensitive('v', 'ill'), anonopt.set_class_label('v', 'label'),
    anonopt.set_insensitive('v', 'nr') \g /dev/null

-- Some people have one row, some many; some rows are alike; some have nobody.
CREATE FUNCTION known.fill(seed int) RETURNS void LANGUAGE sql AS $$
    TRUNCATE known.visit;
    SELECT setseed(seed / 1000.0);
    INSERT INTO known.visit
    SELECT i, CASE WHEN random() < 0.98 THEN 'p' || w END,
           CASE WHEN random() < own THEN w % 8 ELSE floor(8 * power(random(), skew))::int END,
           CASE WHEN random() < own THEN w * 3 % 4 ELSE floor(4 * power(random(), skew))::int END,
           floor(random() * 3)::int, floor(random() * 2)::int
    FROM (SELECT random() * 0.9 AS own, 0.5 + 2 * random() AS skew, 4 + floor(16 * random())::int AS people, 1 + random() AS uneven) s,
         LATERAL (SELECT i, floor(power(random(), uneven) * people)::int AS w FROM generate_series(1, 10 + floor(25 * random())::int) i) r
$$;

-- Every node's shown people, and each row's class.
CREATE TABLE known.shown (levels int[], who text);
CREATE TABLE known.seen (levels int[], nr int, who text, class text, ill int, label int);

-- One round of taking people away; says whether anybody went.
CREATE FUNCTION known.take(r int, fewest int, least_l int) RETURNS boolean LANGUAGE sql AS $$
    WITH RECURSIVE row AS (
        SELECT levels, who, class, row_number() OVER w AS i, count(*) OVER (PARTITION BY levels, who) AS n
        FROM known.seen JOIN known.shown USING (levels, who) WINDOW w AS (PARTITION BY levels, who ORDER BY class)
    ), held AS (SELECT levels, who, class, count(*) AS n FROM row GROUP BY 1, 2, 3
    ), part AS (
        SELECT levels, who, i, ARRAY[class] AS classes FROM row WHERE n > r
        UNION ALL
        SELECT s.levels, s.who, t.i, s.classes || t.class FROM part s
        JOIN row t ON t.levels = s.levels AND t.who = s.who AND t.i > s.i WHERE cardinality(s.classes) < r
    ), set AS (
        SELECT DISTINCT levels, who, classes FROM part WHERE cardinality(classes) = r
        UNION ALL
        SELECT levels, who, array_agg(class ORDER BY class) FROM row WHERE n <= r GROUP BY 1, 2
    ), wanted AS (SELECT DISTINCT levels, classes FROM set
    ), need AS (SELECT levels, classes, class, count(*) AS n FROM wanted, unnest(classes) class GROUP BY 1, 2, 3
    ), fits AS (
        SELECT levels, classes, who FROM need JOIN held h USING (levels, class) WHERE h.n >= need.n
        GROUP BY levels, classes, who HAVING count(*) = (SELECT count(DISTINCT c) FROM unnest(classes) c)
    ), rare AS (SELECT levels, classes FROM fits GROUP BY 1, 2 HAVING count(*) < fewest
    ), poor AS (
        SELECT levels, class FROM known.seen JOIN known.shown USING (levels, who) GROUP BY 1, 2 HAVING count(DISTINCT ill) < least_l
    ), gone AS (
        DELETE FROM known.shown s WHERE EXISTS (SELECT FROM set JOIN rare USING (levels, classes) WHERE set.levels = s.levels AND set.who = s.who)
            OR EXISTS (SELECT FROM held JOIN poor USING (levels, class) WHERE held.levels = s.levels AND held.who = s.who)
        RETURNING 1
    )
    SELECT EXISTS (SELECT FROM gone)
$$;

-- For each person, the fewest who have some so many rows of theirs, of all people and at the lowest levels.
CREATE FUNCTION known.rarest(r int) RETURNS TABLE (who text, n bigint) LANGUAGE sql AS $$
    WITH RECURSIVE row AS (
        SELECT who, class, row_number() OVER w AS i, count(*) OVER (PARTITION BY who) AS n FROM known.seen WHERE levels = '{0,0}' WINDOW w AS (PARTITION BY who ORDER BY class)
    ), part AS (
        SELECT who, i, ARRAY[class] AS classes FROM row WHERE n > r
        UNION ALL
        SELECT s.who, t.i, s.classes || t.class FROM part s JOIN row t ON t.who = s.who AND t.i > s.i WHERE cardinality(s.classes) < r
    ), set AS (
        SELECT DISTINCT who, classes FROM part WHERE cardinality(classes) = r
        UNION ALL
        SELECT who, array_agg(class ORDER BY class) FROM row WHERE n <= r GROUP BY 1
    )
    SELECT s.who, min((SELECT count(*) FROM (SELECT DISTINCT who FROM row) p WHERE NOT EXISTS (
        SELECT FROM unnest(s.classes) c GROUP BY c HAVING count(*) > (SELECT count(*) FROM row h WHERE h.who = p.who AND h.class = c))))
    FROM set s GROUP BY s.who
$$;

CREATE FUNCTION known.solve(rows int[], fewest int[], least_l int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    more boolean := true;
BEGIN
    TRUNCATE known.shown, known.seen;
    INSERT INTO known.seen
    SELECT ARRAY[a, z], nr, coalesce(who, '-'), (ARRAY[ages.value, level1, level2, level3])[a + 1] || '|' || (ARRAY[zips.value, z1, z2])[z + 1], ill, label
    FROM known.visit JOIN known.ages ON ages.value = age JOIN (SELECT value, level1, level2 FROM known.zips) zips (value, z1, z2) ON zips.value = zip,
         generate_series(0, 3) a, generate_series(0, 2) z;
    INSERT INTO known.shown SELECT DISTINCT levels, who FROM known.seen;
    WHILE more LOOP
        more := false;
        FOR i IN 1 .. cardinality(rows) LOOP
            more := known.take(rows[i], fewest[i], least_l) OR more;
        END LOOP;
    END LOOP;
END $$;

-- What plain SQL measures of each node.
CREATE VIEW known.node AS
WITH kept AS (SELECT s.* FROM known.seen s JOIN known.shown USING (levels, who)),
class AS (
    SELECT levels, class, count(*) AS n, count(DISTINCT who) AS people, count(DISTINCT ill) AS l,
           count(*) - greatest(count(*) FILTER (WHERE label = 0), count(*) FILTER (WHERE label = 1)) AS minority,
           (SELECT sum(c * c) FROM unnest(ARRAY[count(*) FILTER (WHERE ill = 0), count(*) FILTER (WHERE ill = 1), count(*) FILTER (WHERE ill = 2)]) c) AS own
    FROM kept GROUP BY 1, 2),
loss AS (SELECT levels, ((ARRAY[0, 1, 3, 7])[levels[1] + 1] / 7.0 + (ARRAY[0, 1, 3])[levels[2] + 1] / 3.0)::numeric AS one
         FROM (SELECT DISTINCT levels FROM known.seen) n),
all_rows AS (SELECT count(*) AS n FROM known.visit)
SELECT levels, min(people) AS k, min(l) AS l, r.n - coalesce(sum(c.n), 0) AS suppressed, count(class) AS classes,
       round(coalesce(sum(c.n), 0) * one + (r.n - coalesce(sum(c.n), 0)) * 2, 9) AS glm,
       coalesce(sum(c.n * c.n), 0) + r.n * (r.n - coalesce(sum(c.n), 0)) AS dcn, coalesce(sum(minority), 0) + r.n - coalesce(sum(c.n), 0) AS cm,
       coalesce(sum(own), 0) AS sum_l, (max(people) - min(people)) AS necd, r.n - coalesce(sum(c.n), 0) <= floor(r.n * 0.5) AS feasible
FROM loss CROSS JOIN all_rows r LEFT JOIN class c USING (levels) GROUP BY levels, one, r.n;

CREATE VIEW known.measured AS
SELECT levels, k, l, suppressed, classes, round(glm::numeric, 9) AS glm, dcn, round(cm * (SELECT count(*) FROM known.visit)) AS cm, sum_l,
       round(necd * nullif((SELECT count(DISTINCT coalesce(who, '-')) FROM known.visit) - 1, 0)) AS necd, feasible
FROM anonopt.lattice('v');

-- What differs between the two: nothing; and, that a more general node leaves out nobody whom a finer one shows.
CREATE FUNCTION known.faults() RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM known.node n FULL JOIN known.measured m USING (levels)
    WHERE (n.k, n.l, n.suppressed, n.classes, n.glm, n.dcn, n.cm, n.sum_l, n.feasible) IS DISTINCT FROM
          (m.k, m.l, m.suppressed, m.classes, m.glm::numeric, m.dcn::numeric, m.cm::numeric, m.sum_l::numeric, m.feasible)
        OR (n.necd <> m.necd)
$$;
CREATE FUNCTION known.lost_above() RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM known.shown s, (SELECT DISTINCT levels FROM known.seen) n
    WHERE n.levels[1] >= s.levels[1] AND n.levels[2] >= s.levels[2] AND NOT EXISTS (SELECT FROM known.shown t WHERE t.levels = n.levels AND t.who = s.who)
$$;

CREATE TABLE known.result (seed int, rows int[], k int[], l int, faults bigint, lost_above bigint, partly bigint, optimum boolean, front boolean);
DO $$
DECLARE
    r int[];
    fewest int[];
    l int;
BEGIN
    FOR seed IN 1 .. pg_temp.few(50) LOOP
        PERFORM known.fill(seed);
        FOREACH r SLICE 1 IN ARRAY ARRAY[[1, 0], [2, 0], [3, 0], [4, 0], [99, 0], [1, 3]] LOOP
            fewest := CASE WHEN r[2] > 0 THEN ARRAY[3, 2] ELSE ARRAY[2 + seed % 3] END;
            r := array_remove(r, 0);
            l := CASE WHEN seed % 4 = 0 THEN 2 ELSE 1 END;
            FOR i IN 1 .. cardinality(r) LOOP
                PERFORM anonopt.add_promise('v', 'k', fewest[i], rows_known => r[i]);
            END LOOP;
            IF l > 1 THEN
                PERFORM anonopt.add_promise('v', 'l', l, 'ill');
            END IF;
            PERFORM known.solve(r, fewest, l);
            INSERT INTO known.result
            SELECT seed, r, fewest, l, known.faults(), known.lost_above(), (SELECT count(*) FROM known.node WHERE suppressed > 0 AND classes > 0),
                   (SELECT bool_and((SELECT round(min(CASE c WHEN 'glm' THEN n.glm WHEN 'dcn' THEN n.dcn ELSE n.cm END), 9) FROM known.node n WHERE n.feasible AND classes > 0)
                       IS NOT DISTINCT FROM (SELECT round((CASE c WHEN 'glm' THEN o.glm WHEN 'dcn' THEN o.dcn ELSE o.cm * (SELECT count(*) FROM known.visit) END)::numeric, 9)
                                             FROM anonopt.optimize('v', loss => c) o))
                    FROM unnest('{glm,dcn,cm}'::text[]) c),
                   (SELECT count(*) FROM anonopt.pareto('v')) =
                   (SELECT count(DISTINCT (n.k, n.glm)) FROM known.node n WHERE n.feasible AND NOT EXISTS (
                       SELECT FROM known.node m WHERE m.feasible AND coalesce(m.k, -1) >= coalesce(n.k, -1) AND m.glm <= n.glm AND (coalesce(m.k, -1), m.glm) <> (coalesce(n.k, -1), n.glm)));
            FOR i IN 1 .. cardinality(r) LOOP
                PERFORM anonopt.drop_promise('v', 'k', rows_known => r[i]);
            END LOOP;
            IF l > 1 THEN
                PERFORM anonopt.drop_promise('v', 'l', 'ill');
            END IF;
        END LOOP;
    END LOOP;
END $$;

SELECT is((SELECT array_agg((seed, rows, k, l, faults)::text) FROM known.result WHERE faults > 0), NULL, 'nodes are measured as by plain SQL');
SELECT is((SELECT sum(lost_above) FROM known.result), 0::numeric, 'more general nodes leave out nobody more');
SELECT cmp_ok((SELECT sum(partly) FROM known.result), '>', 100::numeric, 'many nodes leave out some');
SELECT is((SELECT array_agg((seed, rows, k, l)::text) FROM known.result WHERE NOT optimum), NULL, 'optimize finds the best node of all');
SELECT is((SELECT array_agg((seed, rows, k, l)::text) FROM known.result WHERE NOT front), NULL, 'pareto finds the front of all nodes');

-- Releases show the rows of those who are shown, and no others; classes that suppressed_classes lists lack the rest.
SET anonopt.composition = off;
SELECT anonopt.create_dataset('w', 'known.visit', 1, person => 'who'), anonopt.add_quasi_identifier('w', 'age', 'known.ages'),
    anonopt.add_quasi_identifier('w', 'zip', 'known.zips'), anonopt.set_insensitive('w', 'nr'), anonopt.add_promise('w', 'k', 3, rows_known => 2) \g /dev/null
CREATE TABLE known.released (what text, seed int, levels int[], faults bigint, n bigint);
CREATE FUNCTION known.compare(what text, seed int, node int[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO known.released
    SELECT what, seed, node, count(*) FILTER (WHERE s.nr IS NULL OR w.nr IS NULL), count(w.nr)
    FROM (SELECT nr, class FROM known.seen JOIN known.shown USING (levels, who) WHERE levels = node) s
    FULL JOIN (SELECT nr, age || '|' || zip AS class FROM known.release) w USING (nr, class);
END $$;
DO $$
DECLARE
    node int[];
    nodes int[];
BEGIN
    FOR seed IN 1 .. pg_temp.few(50) LOOP
        PERFORM known.fill(seed);
        PERFORM known.solve('{2}', '{3}', 1);
        INSERT INTO known.released
        SELECT 'left out', seed, levels, count(*), sum(size) FROM (
            SELECT l.levels, c.labels[1] || '|' || c.labels[2] AS class, c.size FROM (SELECT DISTINCT levels FROM known.seen) l, anonopt.suppressed_classes('w', l.levels) c) c
        FULL JOIN (SELECT levels, class, count(DISTINCT who) AS size FROM known.seen s
                   WHERE NOT EXISTS (SELECT FROM known.shown t WHERE t.levels = s.levels AND t.who = s.who) GROUP BY 1, 2) t USING (levels, class, size)
        WHERE t.class IS NULL OR c.class IS NULL GROUP BY levels;
        nodes := ARRAY(SELECT levels FROM known.shown GROUP BY levels HAVING count(*) < (SELECT count(DISTINCT who) FROM known.seen) ORDER BY levels LIMIT 2);
        FOR i IN 1 .. cardinality(nodes) / 2 LOOP
            node := ARRAY[nodes[i][1], nodes[i][2]];
            PERFORM anonopt.publish_table('known.release', 'w', node, columns => '{nr}');
            PERFORM known.compare('table', seed, node);
            PERFORM anonopt.drop_release('known.release');
            PERFORM anonopt.create_view('known.release', 'w', node, columns => '{nr}');
            PERFORM known.compare('view', seed, node);
            -- somebody's rows change, and others have two rows as somebody has
            UPDATE known.visit SET age = (age + 1) % 8 WHERE nr % 7 = 0;
            INSERT INTO known.visit SELECT nr + 1000 * c, 'new' || c, age, zip, ill, label
            FROM (SELECT nr, age, zip, ill, label FROM known.visit WHERE who = 'p0' LIMIT 2) v, generate_series(1, 2) c;
            PERFORM known.solve('{2}', '{3}', 1);
            IF EXISTS (SELECT FROM known.shown WHERE levels = node) THEN
                PERFORM anonopt.refresh_release('known.release');
                PERFORM known.compare('refresh', seed, node);
            END IF;
            PERFORM anonopt.drop_release('known.release');
            DELETE FROM known.visit WHERE who LIKE 'new%';
            UPDATE known.visit SET age = (age + 7) % 8 WHERE nr % 7 = 0;
            PERFORM known.solve('{2}', '{3}', 1);
        END LOOP;
    END LOOP;
END $$;
SELECT is((SELECT array_agg(r::text) FROM known.released r WHERE faults > 0), NULL, 'releases lack the people left out, with all their rows');
SELECT cmp_ok((SELECT count(*) FROM known.released WHERE n > 0), '>', 10::bigint, 'many of them show some');

-- risk: the people of whom some so many rows are those of few.
CREATE TABLE known.risk (seed int, r int, faults bigint);
DO $$
DECLARE
    r int;
BEGIN
    FOR seed IN 1 .. pg_temp.few(50) LOOP
        PERFORM known.fill(seed);
        PERFORM known.solve('{1}', '{1}', 1);
        FOREACH r IN ARRAY '{1,2,3,99}'::int[] LOOP
            INSERT INTO known.risk
            SELECT seed, r, count(*) FROM anonopt.risk('known.visit', '{age,zip}', 0.4, person => 'who', rows_known => r) e,
                (SELECT min(n) AS least, count(*) FILTER (WHERE n = 1) AS alone, count(*) FILTER (WHERE n <= 2) / count(*)::float8 AS few FROM known.rarest(r)) p
            WHERE (round(1 / e.highest::numeric), e.singled_out, e.share_above) IS DISTINCT FROM (p.least, p.alone, p.few);
        END LOOP;
    END LOOP;
END $$;
SELECT is((SELECT array_agg(r::text) FROM known.risk r WHERE faults > 0), NULL, 'risk counts whom rows single out as plain SQL does');

-- Workers measure the same: there are enough nodes that leave out some for all processes to get such.
CREATE TABLE known.wide AS SELECT floor(2000 * power(random(), 1.5))::int AS who, floor(8 * random())::int AS a, floor(8 * random())::int AS b,
    floor(8 * power(random(), 2))::int AS c, floor(3 * random())::int AS ill FROM generate_series(1, 6000);
SELECT anonopt.create_dataset('x', 'known.wide', 0.1, person => 'who'), anonopt.add_quasi_identifier('x', 'a', 'known.ages'),
    anonopt.add_quasi_identifier('x', 'b', 'known.ages'), anonopt.add_quasi_identifier('x', 'c', 'known.ages'),
    anonopt.add_sensitive('x', 'ill'), anonopt.add_promise('x', 'k', 3, rows_known => 2), anonopt.add_promise('x', 'l', 2, 'ill') \g /dev/null
CREATE TABLE known.lattice AS SELECT 0 AS workers, n.* FROM anonopt.lattice('x') n LIMIT 0;
SET anonopt.max_workers = 0;
INSERT INTO known.lattice SELECT 0, n.* FROM anonopt.lattice('x') n;
SET anonopt.max_workers = 2;
INSERT INTO known.lattice SELECT 2, n.* FROM anonopt.lattice('x') n;
SELECT cmp_ok((SELECT workers FROM anonopt.last_search()), '>', 0, 'workers help');
SELECT is((SELECT array_agg(levels) FROM (SELECT levels, count(*) OVER (PARTITION BY levels, k, l, suppressed, glm, sum_l, entropy_l) AS alike FROM known.lattice) x WHERE alike <> 2),
          NULL, 'workers measure the same');
SELECT cmp_ok((SELECT count(*) FROM known.lattice WHERE suppressed > 0 AND classes > 0), '>', 20::bigint, 'of nodes that leave out some');

-- Errors: what cannot be kept, and too many sets of rows to count, which are none if all rows are known.
SELECT anonopt.add_promise('v', 'k', 2, rows_known => 2) \g /dev/null
SELECT throws_ok($$SELECT * FROM anonopt.poka('v')$$, '0A000', NULL, 'poka refuses');
SELECT anonopt.add_promise('v', 't', 0.5, 'ill') \g /dev/null
SELECT throws_ok($$SELECT * FROM anonopt.lattice('v')$$, '0A000', NULL, 't is refused beside');
TRUNCATE known.visit;
CREATE TABLE known.many (nr int, who int, age int, ward int);
INSERT INTO known.many SELECT who * 100 + i, who, i % 8, i / 8 FROM generate_series(1, 3) who, generate_series(0, 31) i;
CREATE TABLE known.wards AS SELECT i AS value, 0 AS any FROM generate_series(0, 3) i;
ALTER TABLE known.wards ADD PRIMARY KEY (value);
SELECT anonopt.create_dataset('m', 'known.many', 0, person => 'who'), anonopt.add_quasi_identifier('m', 'age', 'known.ages'),
    anonopt.add_quasi_identifier('m', 'ward', 'known.wards'), anonopt.add_promise('m', 'k', 3, rows_known => 12) \g /dev/null
SELECT throws_ok($$SELECT * FROM anonopt.evaluate('m', '{0,0}')$$, '54000', NULL, 'too many sets of twelve rows are refused');
SELECT is((SELECT suppressed FROM anonopt.evaluate('m', '{3,1}')), 0::bigint, 'but not where few of them look different');
SELECT anonopt.drop_promise('m', 'k', rows_known => 12), anonopt.add_promise('m', 'k', 3, rows_known => 32) \g /dev/null
SELECT is((SELECT suppressed FROM anonopt.evaluate('m', '{0,0}')), 0::bigint, 'all rows of everybody can be known');
DELETE FROM known.many WHERE nr = 105;
SELECT is((SELECT suppressed FROM anonopt.evaluate('m', '{0,0}')), 95::bigint, 'and then one row that two people lack matters');

-- A release promises of the persons that it was made by, whatever its data set calls a person later.
CREATE TABLE known.stay AS SELECT i AS nr, i AS number, i / 2 AS who, i / 2 % 4 + i % 2 * 4 AS age, i / 8 % 4 AS zip FROM generate_series(0, 199) i;
CREATE FUNCTION known.declare(person name) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
    PERFORM anonopt.drop_dataset(d.dataset) FROM anonopt.dataset d WHERE d.dataset = 's';
    PERFORM anonopt.create_dataset('s', 'known.stay', 1, person => person);
    PERFORM anonopt.add_quasi_identifier('s', 'age', 'known.ages'), anonopt.add_quasi_identifier('s', 'zip', 'known.zips'), anonopt.set_insensitive('s', 'number');
END $$;
SELECT known.declare('who') \g /dev/null
SELECT anonopt.add_promise('s', 'k', 4, rows_known => 2) \g /dev/null
SELECT anonopt.publish_table('known.stays', 's', '{2,1}', columns => '{number}') \g /dev/null
SELECT known.declare('number') \g /dev/null
SELECT is((SELECT ok FROM anonopt.verify('known.stays')), NULL, 'people are not counted by a column that was none of persons');
SELECT known.declare('nr') \g /dev/null
SELECT throws_ok($$SELECT anonopt.refresh_release('known.stays')$$, '23514', NULL, 'rows of other persons are not shown instead');
SELECT known.declare(NULL) \g /dev/null
SELECT throws_ok($$SELECT anonopt.refresh_release('known.stays')$$, '23514', NULL, 'nor rows of nobody');
SELECT known.declare('who') \g /dev/null
SELECT lives_ok($$SELECT anonopt.refresh_release('known.stays')$$, 'but those of the same');
-- Where the release shows them, they are what k counts, too
SELECT anonopt.drop_release('known.stays'), anonopt.set_pseudonym('s', 'who'), anonopt.add_promise('s', 'k', 50), anonopt.add_promise('s', 'k', 4, columns_known => 1) \g /dev/null
SELECT anonopt.publish_table('known.stays', 's', '{3,2}', columns => '{number,who}') \g /dev/null
DELETE FROM known.stays WHERE number < 104 \g /dev/null
SELECT results_eq($$SELECT k, ok FROM anonopt.verify('known.stays')$$, $$SELECT count(DISTINCT who), false FROM known.stays$$, 'k is counted by the pseudonym');
SELECT * FROM finish();
ROLLBACK;
