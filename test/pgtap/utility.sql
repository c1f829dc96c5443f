-- What a release is good for, and who is missing from it: against plain SQL over its rows.
\ir begin.inc
SET search_path = public;
SET anonopt.composition = off;

CREATE TABLE guest AS
    SELECT nr, floor(40 * power(random(), 2))::int AS age, (ARRAY['a', 'b', 'c', 'd', 'e'])[1 + floor(5 * power(random(), 3))::int] AS town,
        NULL::text AS illness, NULL::boolean AS paid
    FROM generate_series(1, 800) nr, setseed(0.4);
UPDATE guest SET illness = 'i' || (age / 10 + floor(2 * random())::int) % 4, paid = random() < 0.2 + age / 60.0 + CASE town WHEN 'a' THEN 0.2 ELSE 0 END;
SELECT anonopt.create_interval_hierarchy('ages', 0, 39, '{5,10,20}') \g /dev/null
CREATE TABLE towns (leaf text PRIMARY KEY, region text NOT NULL, anywhere text NOT NULL);
INSERT INTO towns VALUES ('a', 'north', '*'), ('b', 'north', '*'), ('c', 'south', '*'), ('d', 'south', '*'), ('e', 'south', '*'), ('f', 'south', '*');
SELECT anonopt.create_dataset('guests', 'guest', 0.5), anonopt.add_quasi_identifier('guests', 'age', 'ages'),
    anonopt.add_quasi_identifier('guests', 'town', 'towns'), anonopt.add_sensitive('guests', 'illness'),
    anonopt.set_class_label('guests', 'paid') \g /dev/null

-- Labels of any level, and the leaves under each.
CREATE TEMP TABLE age_leaves AS
    SELECT DISTINCT label, value AS leaf FROM ages, unnest(ARRAY[value::text, level1, level2, level3, level4]) label;
CREATE TEMP TABLE town_leaves AS
    SELECT DISTINCT label, leaf FROM towns, unnest(ARRAY[leaf, region, anywhere]) label;

-- People by pair of leaves, divided evenly as a reader of the release would.
CREATE FUNCTION pg_temp.spread(release regclass) RETURNS TABLE (age int, town text, illness text, paid boolean, people float8)
LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT a.leaf, t.leaf, r.illness, r.paid,
        1.0::float8 / (SELECT count(*) FROM age_leaves x WHERE x.label = r.age) / (SELECT count(*) FROM town_leaves x WHERE x.label = r.town)
        FROM %s r JOIN age_leaves a ON a.label = r.age JOIN town_leaves t ON t.label = r.town', release);
END $$;

-- Cramér's V of pairs with people, of which so many values each are there in the data.
CREATE FUNCTION pg_temp.cramers_v(pairs text, smaller int) RETURNS float8
LANGUAGE plpgsql AS $$
DECLARE
    v float8;
BEGIN
    EXECUTE format('WITH n AS (SELECT x, y, sum(people) AS n FROM (%s) p (x, y, people) GROUP BY x, y),
        r AS (SELECT x, sum(n) AS r FROM n GROUP BY x), c AS (SELECT y, sum(n) AS c FROM n GROUP BY y)
        SELECT sqrt(greatest(sum(n * n / (r * c)) - 1, 0) / %s) FROM n JOIN r USING (x) JOIN c USING (y)', pairs, smaller - 1) INTO v;
    RETURN v;
END $$;

-- The accuracy and the area under the curve of naive Bayes learned from pairs of people with a label.
CREATE FUNCTION pg_temp.classifier(source text) RETURNS float8[]
LANGUAGE plpgsql SET enable_nestloop = off AS $$
DECLARE
    quality float8[];
BEGIN
    EXECUTE format('WITH s AS MATERIALIZED (SELECT age, town, paid, people FROM %s),
        c AS (SELECT v.paid, coalesce(sum(people), 0) AS n FROM (VALUES (false), (true)) v (paid) LEFT JOIN s USING (paid) GROUP BY 1),
        a AS (SELECT l.leaf, v.paid, ln((coalesce(sum(people), 0) + 1) / (c.n + 40)) AS p FROM (SELECT value AS leaf FROM ages) l
            CROSS JOIN (VALUES (false), (true)) v (paid) JOIN c USING (paid) LEFT JOIN s ON s.age = l.leaf AND s.paid = v.paid GROUP BY 1, 2, c.n),
        t AS (SELECT l.leaf, v.paid, ln((coalesce(sum(people), 0) + 1) / (c.n + 6)) AS p FROM towns l
            CROSS JOIN (VALUES (false), (true)) v (paid) JOIN c USING (paid) LEFT JOIN s ON s.town = l.leaf AND s.paid = v.paid GROUP BY 1, 2, c.n),
        scored AS MATERIALIZED (SELECT g.nr, g.paid, round((
                ln(ct.n + 1) + at.p + tt.p - ln(cf.n + 1) - af.p - tf.p)::numeric, 9) AS score
            FROM guest g JOIN a at ON at.leaf = g.age AND at.paid JOIN a af ON af.leaf = g.age AND NOT af.paid
            JOIN t tt ON tt.leaf = g.town AND tt.paid JOIN t tf ON tf.leaf = g.town AND NOT tf.paid
            JOIN c ct ON ct.paid JOIN c cf ON NOT cf.paid)
        SELECT ARRAY[avg((paid = (score > 0))::int), (
            WITH g AS MATERIALIZED (SELECT score, count(*) FILTER (WHERE paid) AS yes, count(*) FILTER (WHERE NOT paid) AS no FROM scored GROUP BY score)
            SELECT sum(x.yes * y.no * CASE WHEN x.score > y.score THEN 1 WHEN x.score = y.score THEN 0.5 ELSE 0 END) / sum(x.yes * y.no) FROM g x, g y)] FROM scored', source) INTO quality;
    RETURN quality;
END $$;

CREATE FUNCTION pg_temp.check_release(release regclass) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
    shown float8;
BEGIN
    DROP TABLE IF EXISTS pg_temp.after, pg_temp.used, pg_temp.told;
    CREATE TEMP TABLE after AS SELECT * FROM pg_temp.spread(release);
    CREATE TEMP TABLE used AS SELECT * FROM anonopt.utility('guests', release, queries => 50);
    CREATE TEMP TABLE told AS SELECT * FROM anonopt.release_distribution('guests', release);
    SELECT sum(people) INTO shown FROM after;
    RETURN NEXT set_eq('SELECT value::int, people, round(shown::numeric, 6) FROM told WHERE column_name = ''age''',
        'SELECT value, (SELECT count(*) FROM guest WHERE age = value), coalesce(round((SELECT sum(people) FROM after WHERE age = value)::numeric, 6), 0)
         FROM ages WHERE value IN (SELECT age FROM guest) OR value IN (SELECT age FROM after)', release || ': ages before and after');
    RETURN NEXT set_eq('SELECT value, people, left_out, round(shown::numeric, 6) FROM told WHERE column_name = ''illness''',
        'SELECT illness, count(*), count(*) - (SELECT round(coalesce(sum(people), 0)) FROM after a WHERE a.illness = g.illness)::bigint,
            (SELECT round(coalesce(sum(people), 0)::numeric, 6) FROM after a WHERE a.illness = g.illness) FROM guest g GROUP BY illness',
        release || ': illnesses before and after');
    RETURN NEXT results_eq('SELECT sum(left_out)::bigint FROM told WHERE column_name = ''town''',
        format('SELECT 800 - count(*) FROM %s WHERE age <> ''*'' OR town <> ''*'' OR NOT EXISTS (SELECT FROM pg_attribute
            WHERE attrelid = %L::regclass AND attname = ''anonopt_suppressed'')', release, release), release || ': who is left out');
    RETURN NEXT results_eq('SELECT round(value::numeric, 9) FROM used WHERE measure = ''total_variation'' AND columns = ''{town}''',
        format('SELECT round((sum(abs((SELECT count(*) FROM guest WHERE town = leaf) / 800.0::float8
            - (SELECT coalesce(sum(people), 0) FROM after WHERE town = leaf) / %s)) / 2)::numeric, 9) FROM towns', shown), release || ': total variation');
    RETURN NEXT results_eq('SELECT round(value::numeric, 9) FROM used WHERE measure = ''earth_movers'' AND columns = ''{age}''',
        format('SELECT round((sum(abs(ahead)) / 39)::numeric, 9) FROM (SELECT (SELECT count(*) FROM guest WHERE age <= value) / 800.0::float8
            - (SELECT coalesce(sum(people), 0) FROM after WHERE age <= value) / %s AS ahead FROM ages) d', shown), release || ': earth mover''s distance');
    RETURN NEXT results_eq('SELECT round(before::numeric, 9), round(after::numeric, 9), round(value::numeric, 9) FROM used
            WHERE measure = ''cramers_v'' AND columns = ''{town,illness}''',
        'SELECT round(b::numeric, 9), round(a::numeric, 9), round(abs(a - b)::numeric, 9) FROM (SELECT
            pg_temp.cramers_v(''SELECT town, illness, 1::float8 FROM guest'', 4) AS b,
            pg_temp.cramers_v(''SELECT town, illness, people FROM after'', 4) AS a) v', release || ': association');
    RETURN NEXT results_eq('SELECT measure, round(before::numeric, 6), round(after::numeric, 6) FROM used WHERE measure IN (''accuracy'', ''auc'') ORDER BY 1',
        'SELECT m, round(b[i]::numeric, 6), round(a[i]::numeric, 6) FROM unnest(''{accuracy,auc}''::text[]) WITH ORDINALITY m (m, i),
            pg_temp.classifier(''(SELECT age, town, paid, 1::float8 AS people FROM guest) g'') b, pg_temp.classifier(''after'') a ORDER BY 1',
        release || ': the classifier');
END $$;

SELECT anonopt.publish_table('by_stars', 'guests', levels => '{1,0}', k => 9, suppressed => 'star'),
    anonopt.publish_table('with_l', 'guests', levels => '{2,0}', k => 3, l => 2), anonopt.create_view('live', 'guests', levels => '{0,2}', k => 5, materialized => false),
    anonopt.create_recoding('recoded', 'guests', k => 6, l => 2, seed => 1) \g /dev/null
SELECT anonopt.publish_table('by_recoding', 'guests', k => 6, l => 2, recoding => 'recoded') \g /dev/null
SELECT * FROM no_plan();
SELECT pg_temp.check_release(r) FROM unnest('{by_stars,with_l,live,by_recoding}'::regclass[]) r;

-- Data shown unchanged: nothing is lost.
SELECT anonopt.publish_table('as_it_is', 'guests', levels => '{0,0}', k => 1) \g /dev/null
SELECT is_empty($$SELECT * FROM anonopt.utility('guests', 'as_it_is') WHERE measure <> 'majority' AND value <> 0$$, 'what is shown as it is loses nothing');
SELECT results_eq($$SELECT value FROM anonopt.utility('guests', 'as_it_is') WHERE measure = 'majority'$$,
    $$SELECT greatest(avg(paid::int), 1 - avg(paid::int))::float8 FROM guest$$, 'the most frequent label');
SELECT is_empty($$SELECT * FROM anonopt.release_distribution('guests', 'as_it_is') WHERE left_out <> 0 OR shown <> people$$, 'and nobody');
-- Cuts: all ages apart but the last two, all towns together.
SELECT anonopt.publish_table('by_cuts', 'guests', cuts => ARRAY[repeat('1', 38) || '0', '00000']::varbit[], k => 1) \g /dev/null
SELECT results_eq($$SELECT value::int, shown FROM anonopt.release_distribution('guests', 'by_cuts') WHERE column_name = 'age' AND value::int < 38$$,
    $$SELECT age, count(*)::float8 FROM guest WHERE age < 38 GROUP BY age ORDER BY age$$, 'cuts: ages that are apart');
SELECT results_eq($$SELECT DISTINCT round(shown::numeric, 6) FROM anonopt.release_distribution('guests', 'by_cuts') WHERE column_name = 'town'$$,
    'SELECT round(800::numeric / 6, 6)', 'cuts: towns that are together');
SELECT results_eq($$SELECT value FROM anonopt.utility('guests', 'by_cuts', seed => 5) WHERE measure LIKE 'range%'$$,
    $$SELECT value FROM anonopt.utility('guests', 'by_cuts', seed => 5) WHERE measure LIKE 'range%'$$, 'the same seed, the same queries');

-- Two people are hidden, and as one class of stars they would be above an average risk that is promised.
CREATE TABLE few AS SELECT greatest(i - 19, 1) AS v FROM generate_series(1, 22) i;
SELECT anonopt.create_interval_hierarchy('few_v', 1, 3, '{}') \g /dev/null
SELECT anonopt.create_dataset('few', 'few', 1), anonopt.add_quasi_identifier('few', 'v', 'few_v'), anonopt.add_promise('few', 'average_risk', 0.3) \g /dev/null
SELECT anonopt.publish_table('few_shown', 'few', levels => '{0}', k => 2, suppressed => 'star') \g /dev/null
SELECT results_eq($$SELECT sum(shown)::bigint FROM anonopt.release_distribution('few', 'few_shown')$$, 'SELECT count(*) FROM few_shown',
    'stars that a promise about all classes forbids are not shown');

SELECT throws_ok($$SELECT anonopt.utility('guests', 'guest')$$, '42704', NULL, 'no release');
SELECT throws_ok($$SELECT anonopt.utility('nobody', 'by_cuts')$$, '22023', NULL, 'another data set');
SELECT throws_ok($$SELECT anonopt.utility('guests', 'by_cuts', -1)$$, '22023', NULL, 'too few queries');
SELECT throws_ok($$SELECT anonopt.utility('guests', NULL)$$, '22023', NULL, 'no release given');
SELECT anonopt.publish_records('by_records', 'guests', 1, 'nr') \g /dev/null
SELECT throws_ok($$SELECT anonopt.release_distribution('guests', 'by_records')$$, '0A000', NULL, 'records generalized one by one');
CREATE ROLE regress_utility_stranger;
GRANT SELECT ON by_cuts TO regress_utility_stranger;
SET ROLE regress_utility_stranger;
SELECT throws_ok($$SELECT anonopt.utility('guests', 'by_cuts')$$, '42501', NULL, 'another''s release');
SELECT throws_ok($$SELECT anonopt.release_distribution('guests', 'by_cuts')$$, '42501', NULL, 'another''s release again');
RESET ROLE;
TRUNCATE guest;
SELECT is_empty($$SELECT anonopt.utility('guests', 'by_cuts')$$, 'nobody is left to measure');

SELECT * FROM finish();
ROLLBACK;
