-- A person may have many rows: class sizes count different people, everything
-- else counts rows.  Random visits, each node of them measured by plain SQL.
\ir begin.inc
SET client_min_messages = error;

SELECT no_plan();

CREATE SCHEMA visits;
SELECT setseed(0.17) \g /dev/null

-- Three hierarchies, told as tables.
CREATE TABLE visits.ages AS SELECT i AS value, i / 2 AS level1, i / 6 AS level2, 0 AS level3 FROM generate_series(0, 11) i;
CREATE TABLE visits.zips AS SELECT i AS value, i / 3 AS level1, 0 AS level2 FROM generate_series(0, 8) i;
CREATE TABLE visits.wards AS SELECT i AS value, 0 AS level1 FROM generate_series(0, 2) i;
ALTER TABLE visits.ages ADD PRIMARY KEY (value);
ALTER TABLE visits.zips ADD PRIMARY KEY (value);
ALTER TABLE visits.wards ADD PRIMARY KEY (value);

-- The parameters of a data set: rows, persons, the share without one, how often a row keeps its person's own
-- values.
CREATE TABLE visits.shape (dataset text, n int, persons int, unknown float8, constant float8, suppression float8);
INSERT INTO visits.shape VALUES
    ('few', 200, 9, 0, 0, 0.1), ('many', 300, 120, 0.02, 0.3, 0.1), ('constant', 300, 60, 0, 1, 0.05),
    ('almost', 250, 100, 0.1, 0.9, 0), ('one', 40, 1, 0, 0, 0.2), ('nobody', 60, 5, 1, 0, 0.1),
    ('loose', 250, 50, 0, 0.5, 1), ('long', 2500, 400, 0.01, 0.2, 0.02), ('single', 150, 0, 0, 0, 0.1);

CREATE FUNCTION visits.make(shape visits.shape) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format($q$
        CREATE TABLE visits.%1$I AS
        SELECT i AS nr, i AS tag,
               CASE WHEN %4$s > random() THEN NULL WHEN %3$s = 0 THEN 'p' || i ELSE 'p' || w END AS who,
               CASE WHEN random() < %5$s THEN w %% 12 ELSE floor(random() * 12)::int END AS age,
               CASE WHEN random() < %5$s THEN (w * 7) %% 9 ELSE floor(random() * 9)::int END AS zip,
               CASE WHEN random() < %5$s THEN (w * 5) %% 3 ELSE floor(random() * 3)::int END AS ward,
               floor(random() * 5)::int AS ill, floor(random() * 2)::int AS label
        FROM (SELECT i, floor(power(random(), 2) * greatest(%3$s, 1))::int AS w FROM generate_series(1, %2$s) i) r
        $q$, shape.dataset, shape.n, shape.persons, shape.unknown, shape.constant);
    PERFORM anonopt.create_dataset(shape.dataset, ('visits.' || quote_ident(shape.dataset))::regclass, shape.suppression, person => 'who'),
            anonopt.add_quasi_identifier(shape.dataset, 'age', 'visits.ages'),
            anonopt.add_quasi_identifier(shape.dataset, 'zip', 'visits.zips'),
            anonopt.add_quasi_identifier(shape.dataset, 'ward', 'visits.wards'),
            anonopt.add_sensitive(shape.dataset, 'ill'), anonopt.set_class_label(shape.dataset, 'label'),
            anonopt.set_insensitive(shape.dataset, 'tag');
END $$;
SELECT visits.make(s) FROM visits.shape s \g /dev/null

-- Every class of every node, by plain SQL: rows, different people (all rows without one are one's), values.
CREATE TABLE visits.class (dataset text, levels int[], label int[], n bigint, people bigint, l bigint, minority bigint, own numeric);
DO $$
DECLARE
    d text;
BEGIN
    FOR d IN SELECT dataset FROM visits.shape LOOP
        EXECUTE format($q$
            INSERT INTO visits.class
            SELECT %1$L, ARRAY[a, z, w], label, count(*), count(DISTINCT who) + coalesce(max((who IS NULL)::int), 0),
                   count(DISTINCT ill), count(*) - greatest(count(*) FILTER (WHERE v.label_value = 0), count(*) FILTER (WHERE v.label_value = 1)),
                   (SELECT sum(c * c) FROM (VALUES (count(*) FILTER (WHERE ill = 0)), (count(*) FILTER (WHERE ill = 1)), (count(*) FILTER (WHERE ill = 2)),
                        (count(*) FILTER (WHERE ill = 3)), (count(*) FILTER (WHERE ill = 4))) x (c))
            FROM (SELECT a, z, w, who, ill, d.label AS label_value,
                         ARRAY[(ARRAY[ages.value, ages.level1, ages.level2, ages.level3])[a + 1],
                               (ARRAY[zips.value, zips.level1, zips.level2])[z + 1], (ARRAY[wards.value, wards.level1])[w + 1]] AS label
                  FROM visits.%1$I d JOIN visits.ages ON ages.value = age JOIN visits.zips ON zips.value = zip JOIN visits.wards ON wards.value = ward,
                       generate_series(0, 3) a, generate_series(0, 2) z, generate_series(0, 1) w) v
            GROUP BY a, z, w, label $q$, d);
    END LOOP;
END $$;
CREATE INDEX ON visits.class (dataset, levels);
CREATE TABLE visits.size AS
    SELECT dataset, n, floor(suppression::numeric * n)::bigint AS spare,
           (SELECT people FROM visits.class c WHERE c.dataset = s.dataset AND levels = '{3,2,1}') AS people
    FROM visits.shape s;

-- A node by plain SQL: with k, or with the k that follows from what may be suppressed.
CREATE FUNCTION visits.node(dataset text, levels int[], given bigint DEFAULT NULL, given_l bigint DEFAULT NULL,
    OUT k bigint, OUT l bigint, OUT suppressed bigint, OUT classes bigint, OUT dcn float8, OUT cm float8, OUT necd float8,
    OUT sum_k float8, OUT sum_l float8, OUT feasible boolean, OUT sum_other float8)
LANGUAGE sql STABLE AS $$
    WITH class AS (SELECT c.* FROM visits.class c WHERE c.dataset = node.dataset AND c.levels = node.levels),
    cumulated AS (SELECT people, sum(sum(n)) OVER (ORDER BY people) AS upto FROM class GROUP BY people),
    size AS (SELECT * FROM visits.size s WHERE s.dataset = node.dataset),
    threshold AS (SELECT coalesce(given, CASE WHEN given_l IS NOT NULL THEN 0 END, (SELECT min(cumulated.people) FROM cumulated, size WHERE upto > spare),
                                  (SELECT max(people) FROM class)) AS least),
    kept AS (SELECT class.* FROM class, threshold WHERE people >= least AND (given_l IS NULL OR class.l >= given_l)),
    lost AS (SELECT size.n - coalesce((SELECT sum(kept.n) FROM kept), 0) AS n FROM size)
    SELECT min(kept.people), min(kept.l), max(lost.n)::bigint, count(kept.n),
           (coalesce(sum(kept.n * kept.n), 0) + max(size.n) * max(lost.n))::float8,
           ((coalesce(sum(kept.minority), 0) + max(lost.n))::float8 / max(size.n)),
           CASE WHEN count(kept.n) = 0 THEN NULL WHEN max(size.people) > 1 THEN (max(kept.people) - min(kept.people))::float8 / (max(size.people) - 1) ELSE 0 END,
           coalesce(sum(kept.n * kept.n), 0)::float8, coalesce(sum(kept.own), 0)::float8,
           max(lost.n) <= max(size.spare), coalesce(sum(kept.n * kept.n) - sum(kept.own), 0)::float8
    FROM size CROSS JOIN lost LEFT JOIN kept ON true
$$;

CREATE FUNCTION visits.differences(dataset text, given int DEFAULT NULL, given_l int DEFAULT NULL) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT format('%s: %s, not %s', m.levels, row(m.k, m.l, m.suppressed, m.classes, m.dcn, m.cm, m.necd, m.sum_k, m.sum_l, m.feasible, m.sum_other), r)
    FROM anonopt.lattice(dataset, given, given_l) m, visits.node(dataset, m.levels, given, given_l) r
    WHERE row(m.k, m.l, m.suppressed, m.classes, m.dcn, m.cm, m.necd, m.sum_k, m.sum_l, m.feasible, m.sum_other) IS DISTINCT FROM r
$$;

SELECT is_empty(format('SELECT visits.differences(%L)', dataset), dataset || ': every node') FROM visits.shape;
SELECT is_empty(format('SELECT visits.differences(%L, %s)', dataset, k), format('%s: every node, k = %s', dataset, k))
FROM visits.shape, unnest('{1,3,8}'::int[]) k;
SELECT is_empty(format('SELECT visits.differences(%L, %s, %s)', dataset, coalesce(k::text, 'NULL'), l), format('%s: every node, k = %s, l = %s', dataset, k, l))
FROM visits.shape, (VALUES (4, 3), (NULL, 4)) p (k, l);
SELECT is(count(*), 24::bigint, 'all nodes are there') FROM anonopt.lattice('many');

-- Nodes one by one, in any order, and the classes that are suppressed.
SELECT is_empty(format('SELECT * FROM anonopt.evaluate(%1$L, ''{{2,1,0},{0,0,0},{3,2,1},{1,0,1}}'') EXCEPT SELECT * FROM anonopt.lattice(%1$L)', dataset),
    dataset || ': evaluate') FROM visits.shape;
SELECT results_eq(format($q$SELECT size, count(*) FROM anonopt.suppressed_classes(%L, '{1,1,0}', k => 4) GROUP BY size ORDER BY size$q$, dataset),
    format($q$SELECT people, count(*) FROM visits.class WHERE dataset = %L AND levels = '{1,1,0}' AND people < 4 GROUP BY people ORDER BY people$q$, dataset),
    dataset || ': suppressed classes') FROM visits.shape;

-- The front and the optimum are those among all nodes.
CREATE FUNCTION visits.front(dataset text, objectives text[], given int DEFAULT NULL) RETURNS SETOF anonopt.node LANGUAGE sql AS $$
    WITH node AS (SELECT n.*, to_jsonb(n) AS j FROM anonopt.lattice(dataset, given) n WHERE given IS NULL OR n.feasible),
    cost AS (SELECT levels, (SELECT array_agg(CASE WHEN o IN ('k', 'l', 'sum_k') THEN -1 ELSE 1 END
                    * coalesce((j ->> o)::numeric, CASE WHEN o IN ('k', 'l') THEN 0 ELSE 1e9 END) ORDER BY i) FROM unnest(objectives) WITH ORDINALITY u (o, i)) AS c FROM node)
    SELECT n.* FROM anonopt.lattice(dataset, given) n JOIN cost USING (levels)
    WHERE NOT EXISTS (SELECT FROM cost other WHERE other.c <> cost.c AND (SELECT bool_and(a <= b) FROM unnest(other.c, cost.c) x (a, b)))
      AND NOT EXISTS (SELECT FROM cost other WHERE other.c = cost.c AND
            ((SELECT sum(x) FROM unnest(other.levels) x), other.levels) < ((SELECT sum(x) FROM unnest(cost.levels) x), cost.levels))
$$;
SELECT set_eq(format('SELECT * FROM anonopt.pareto(%L, %L, %s)', dataset, o, coalesce(k::text, 'NULL')),
    format('SELECT * FROM visits.front(%L, %L, %s)', dataset, o, coalesce(k::text, 'NULL')), format('%s: front of %s, k = %s', dataset, o, k))
FROM visits.shape, unnest('{"{k,glm}","{k,nwp}","{k,l,glm}","{necd,glm}","{k,dcn}"}'::text[]) o, unnest('{NULL,4}'::int[]) k
WHERE NOT (o LIKE '%necd%' AND k IS NOT NULL);
CREATE FUNCTION visits.best(dataset text, loss text, given int, given_l int DEFAULT NULL) RETURNS SETOF anonopt.node LANGUAGE sql AS $$
    SELECT n.* FROM anonopt.lattice(dataset, given, given_l) n WHERE feasible
    ORDER BY (to_jsonb(n) ->> loss)::float8, (SELECT sum(x) FROM unnest(levels) x), levels LIMIT 1
$$;
SELECT results_eq(format('SELECT * FROM anonopt.optimize(%L, k => %s, l => %s, loss => %L)', dataset, k, coalesce(l::text, 'NULL'), loss),
    format('SELECT * FROM visits.best(%L, %L, %s, %s)', dataset, loss, k, coalesce(l::text, 'NULL')), format('%s: least %s, k = %s, l = %s', dataset, loss, k, l))
FROM visits.shape, unnest('{glm,nwp,dcn,suppressed,classes,cm,necd}'::text[]) loss, (VALUES (2, NULL), (5, NULL), (15, NULL), (4, 3)) p (k, l);

-- Recodings: every class that is made has k different people.
CREATE FUNCTION visits.recoded(dataset text, given int, kind text, loss text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    made regclass;
BEGIN
    DROP TABLE IF EXISTS visits.recoding;
    made := anonopt.create_recoding('visits.recoding', dataset, k => given, labels => kind, loss => loss, effort => pg_temp.few(64) / 64.0);
    IF made IS NULL THEN RETURN; END IF;
    RETURN QUERY EXECUTE format($q$
        WITH class AS (SELECT class, count(*) AS n, count(DISTINCT who) + coalesce(max((who IS NULL)::int), 0) AS people
                       FROM visits.%1$I JOIN visits.recoding USING (age, zip, ward) GROUP BY class),
        measured AS (SELECT * FROM anonopt.evaluate_recoding(%1$L, 'visits.recoding', k => %2$s, labels => %3$L))
        SELECT 'class of ' || people || ' people' FROM class WHERE class IS NOT NULL AND people < %2$s
        UNION ALL SELECT 'suppressed ' || class.n FROM class, visits.size WHERE size.dataset = %1$L AND class IS NULL AND class.n > spare
        UNION ALL SELECT format('k is %%s', k) FROM measured WHERE k < %2$s OR NOT feasible
        UNION ALL SELECT format('class %%s has %%s people', c.class, c.people) FROM anonopt.recoding_classes(%1$L, 'visits.recoding', %3$L) c
            JOIN class USING (class) WHERE c.people <> class.people $q$, dataset, given, kind);
END $$;
SELECT is_empty(format('SELECT visits.recoded(%L, %s, %L, %L)', dataset, k, kind, loss), format('%s: recoding, k = %s, %s, %s', dataset, k, kind, loss))
FROM visits.shape, unnest('{2,5}'::int[]) k, unnest('{hierarchy,range}'::text[]) kind, unnest('{glm,dcn,cm}'::text[]) loss
WHERE dataset NOT IN ('one', 'nobody') AND (pg_temp.few(2) = 2 OR (k = 2) = (kind = 'hierarchy'));

-- Free partitions: k and necd of every solution, of what is not left out.
CREATE FUNCTION visits.cut_look(cuts varbit[], col int, value int) RETURNS int LANGUAGE sql IMMUTABLE AS $$
    SELECT length(replace(left(cuts[col]::text, value), '0', ''))
$$;
CREATE FUNCTION visits.partitions(dataset text, given int) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format($q$
        WITH solution AS MATERIALIZED (SELECT * FROM anonopt.nsga2(%1$L, %2$s, 0.3, 0.3, population => 20, evaluations => 400, seed => 5)),
        class AS (SELECT s.cuts, count(*) AS n, count(DISTINCT who) + coalesce(max((who IS NULL)::int), 0) AS people
                  FROM solution s, visits.%1$I d
                  GROUP BY s.cuts, visits.cut_look(s.cuts, 1, age), visits.cut_look(s.cuts, 2, zip), visits.cut_look(s.cuts, 3, ward)),
        total AS (SELECT cuts, coalesce(sum(n) FILTER (WHERE people < %2$s), 0) AS below, min(people) AS smallest,
                         min(people) FILTER (WHERE people >= %2$s) AS kept, max(people) AS largest FROM class GROUP BY cuts),
        judged AS (SELECT total.*, floor(d.max_suppression::numeric * size.n) >= below AND kept IS NOT NULL AS suppresses, size.people
                   FROM total, visits.size, anonopt.dataset d WHERE size.dataset = %1$L AND d.dataset = %1$L)
        SELECT format('%%s: k %%s, necd %%s', s.cuts, s.k, s.necd) FROM solution s JOIN judged j USING (cuts)
        WHERE s.k <> CASE WHEN suppresses THEN kept ELSE smallest END
           OR s.necd <> CASE WHEN people > 1 THEN (largest - CASE WHEN suppresses THEN kept ELSE smallest END)::float8 / (people - 1) ELSE 0 END
        $q$, dataset, given);
END $$;
SELECT is_empty(format('SELECT visits.partitions(%L, %s)', dataset, k), format('%s: nsga2, k = %s', dataset, k))
FROM visits.shape, unnest('{2,6}'::int[]) k;

-- Records: whoever fits a record's labels counts once, whatever rows they have.
CREATE TABLE visits.looks (dataset text, nr int, who text, ages int[], zips int[], wards int[]);
SELECT format('INSERT INTO visits.looks SELECT %1$L, nr, who, ARRAY[age, a.level1, a.level2, a.level3], ARRAY[zip, z.level1, z.level2], ARRAY[ward, w.level1]
    FROM visits.%1$I JOIN visits.ages a ON a.value = age JOIN visits.zips z ON z.value = zip JOIN visits.wards w ON w.value = ward', dataset)
FROM visits.shape \gexec
CREATE INDEX ON visits.looks (dataset, nr);
CREATE FUNCTION visits.record_people(dataset text, record int, levels int[]) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT count(DISTINCT o.who) + (count(*) > count(o.who))::int FROM visits.looks d JOIN visits.looks o USING (dataset)
    WHERE d.dataset = $1 AND d.nr = $2 AND o.ages[levels[1] + 1] = d.ages[levels[1] + 1]
      AND o.zips[levels[2] + 1] = d.zips[levels[2] + 1] AND o.wards[levels[3] + 1] = d.wards[levels[3] + 1]
$$;
SELECT is_empty(format($q$SELECT record, levels, risk FROM anonopt.aruba(%1$L, %2$s, risk => 'identity', key => 'nr')
    WHERE levels IS NOT NULL AND abs(risk * visits.record_people(%1$L, record::int, levels) - 1) > 1e-12$q$, dataset, utility),
    format('%s: aruba, utility %s', dataset, utility))
FROM visits.shape, unnest('{1,3,5}'::int[]) utility WHERE dataset <> 'long';
-- none of the 24 nodes of enough utility has less risk
SELECT is_empty(format($q$SELECT r.record FROM anonopt.aruba(%1$L, 3, risk => 'identity', key => 'nr') r,
        generate_series(0, 3) a, generate_series(0, 2) z, generate_series(0, 1) w
    WHERE 6 - a - z - w >= 3 AND 1.0 / visits.record_people(%1$L, r.record::int, ARRAY[a, z, w]) < r.risk - 1e-12$q$, dataset), dataset || ': least risk')
FROM visits.shape WHERE dataset IN ('few', 'one', 'nobody');
SELECT is_empty(format($q$SELECT record FROM anonopt.%3$s(%1$L, %2$s, risk => 'identity', key => 'nr')
    WHERE levels IS NOT NULL AND (abs(risk * visits.record_people(%1$L, record::int, levels) - 1) > 1e-12)$q$, dataset, bound, how), dataset || ': ' || how)
FROM visits.shape, (VALUES ('btda', 3), ('aruba_budget', 0.1), ('aruba_balance', 0.01)) h (how, bound) WHERE dataset IN ('few', 'many', 'almost');
SELECT throws_ok($$SELECT * FROM anonopt.aruba('many', 3, similarity => 0.8)$$, '0A000', NULL, 'people are not counted by similarity');
SELECT lives_ok($$SELECT * FROM anonopt.aruba('many', 3, similarity => 0.8, dictionary => 'visits.many')$$, 'entries of a dictionary are');

-- Published records: every class shown has k different people.
SET anonopt.composition = 'off';
CREATE FUNCTION visits.records_released(dataset text, k int, utility int) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    shown int;
BEGIN
    UPDATE anonopt.dataset d SET max_suppression = 1 WHERE d.dataset = records_released.dataset;
    BEGIN
        PERFORM anonopt.publish_records('visits.shown_records', dataset, utility, 'nr', k, columns => '{tag}');
    EXCEPTION WHEN invalid_parameter_value THEN
        RETURN;
    END;
    RETURN QUERY EXECUTE format($q$
        WITH class AS (SELECT count(*) AS n, count(DISTINCT who) + (count(*) > count(who))::int AS people
                       FROM visits.shown_records s JOIN visits.%1$I d ON d.tag = s.tag GROUP BY s.age, s.zip, s.ward)
        SELECT format('a class of %%s people', people) FROM class WHERE people < %2$s
        UNION ALL SELECT format('verify: %%s', v) FROM anonopt.verify('visits.shown_records') v WHERE NOT ok OR v.k <> (SELECT min(people) FROM class)
        UNION ALL SELECT format('measures: %%s', measures) FROM anonopt.release r WHERE r.release = 'visits.shown_records'::regclass
            AND ((measures ->> 'k')::int <> (SELECT min(people) FROM class) OR (measures ->> 'rows')::int <> (SELECT count(*) FROM visits.%1$I))
        $q$, dataset, k);
    PERFORM anonopt.drop_release('visits.shown_records');
END $$;
SELECT is_empty(format('SELECT visits.records_released(%L, %s, %s)', dataset, k, utility), format('%s: records, k = %s, utility %s', dataset, k, utility))
FROM visits.shape, unnest('{2,6}'::int[]) k, unnest('{1,3}'::int[]) utility WHERE dataset IN ('few', 'many', 'constant', 'almost');
UPDATE anonopt.dataset d SET max_suppression = s.suppression FROM visits.shape s WHERE d.dataset = s.dataset;

-- Recodings at several k, and one that is extended.
SELECT is_empty($$SELECT k FROM anonopt.recoding_curve('few', '{4}') WHERE k < 4 OR NOT feasible$$, 'recoding_curve');
CREATE TABLE visits.growing AS SELECT * FROM visits.almost;
SELECT anonopt.create_dataset('growing', 'visits.growing', 0.1, person => 'who'), anonopt.add_quasi_identifier('growing', 'age', 'visits.ages'),
    anonopt.add_quasi_identifier('growing', 'zip', 'visits.zips'), anonopt.add_quasi_identifier('growing', 'ward', 'visits.wards') \g /dev/null
SELECT anonopt.create_recoding('visits.grown', 'growing', k => 4) \g /dev/null
INSERT INTO visits.growing SELECT 1000 + i, 1000 + i, 'p' || i % 7, i % 12, i % 9, i % 3, 0, 0 FROM generate_series(1, 60) i;
SELECT anonopt.extend_recoding('visits.grown', 'growing', k => 4) \g /dev/null
SELECT is_empty($$SELECT class, count(DISTINCT who) FROM visits.growing JOIN visits.grown USING (age, zip, ward) WHERE class IS NOT NULL
    GROUP BY class HAVING count(DISTINCT who) + (count(*) > count(who))::int < 4$$, 'extend_recoding');
SELECT is_empty($$SELECT count(*) FROM visits.growing LEFT JOIN visits.grown USING (age, zip, ward) WHERE class IS NULL HAVING count(*) > 31$$, 'and few are left out');

-- Persons of any type, and one that is a quasi-identifier too.
CREATE TABLE visits.typed AS
    SELECT who, age, zip, hashtext(coalesce(who, ''))::int4 AS as_int4, hashtext(who)::int8 AS as_int8, hashtext(who)::numeric / 7 AS as_numeric,
        hashtext(who)::float8 / 7 AS as_float8, md5(who)::uuid AS as_uuid, ('2000-01-01'::date + abs(hashtext(who)) % 90000) AS as_date,
        to_timestamp(hashtext(who)) AS as_timestamptz, who::char(30) AS as_bpchar, who::name AS as_name, who::bytea AS as_bytea,
        hashtext(who) % 2 = 0 AS as_boolean, ARRAY[who, 'x'] AS as_array, row(who, 1)::record IS NULL AS as_bool, int4range(abs(hashtext(who)) % 100000, 200000) AS as_range,
        make_interval(hours => abs(hashtext(who)) % 100000) AS as_interval, ('0.0.0.0'::inet + abs(hashtext(who))) AS as_inet
    FROM visits.many;
SELECT anonopt.create_dataset('as ' || c, 'visits.typed', 0.1, person => c::name), anonopt.add_quasi_identifier('as ' || c, 'age', 'visits.ages')
FROM (SELECT attname::text AS c FROM pg_attribute WHERE attrelid = 'visits.typed'::regclass AND attnum > 0 AND attname LIKE 'as\_%') x \g /dev/null
CREATE FUNCTION visits.typed_k(c text, level int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    k bigint;
BEGIN
    EXECUTE format('SELECT min(people) FROM (SELECT count(DISTINCT %1$I) + (count(*) > count(%1$I))::int AS people FROM visits.typed
        GROUP BY anonopt.generalize(age, %2$L, %3$s)) x', c, 'visits.ages', level) INTO k;
    RETURN k;
END $$;
SELECT is((SELECT array_agg(k ORDER BY levels) FROM anonopt.lattice('as ' || c, k => 1)), ARRAY(SELECT visits.typed_k(c, l) FROM generate_series(0, 3) l), 'persons: ' || c)
FROM (SELECT attname::text AS c FROM pg_attribute WHERE attrelid = 'visits.typed'::regclass AND attnum > 0 AND attname LIKE 'as\_%') x;
SELECT anonopt.create_dataset('own age', 'visits.typed', 0.1, person => 'age'), anonopt.add_quasi_identifier('own age', 'age', 'visits.ages') \g /dev/null
SELECT results_eq($$SELECT k, classes FROM anonopt.lattice('own age', k => 1) ORDER BY levels$$, $$VALUES (1::bigint, 12::bigint), (2, 6), (6, 2), (12, 1)$$,
    'a person that is a quasi-identifier');
SELECT throws_ok($$SELECT anonopt.publish_table('visits.never', 'many', '{2,1,1}', k => 2, columns => '{who}')$$, '22023', NULL, 'the person is not shown');
SELECT throws_ok($$SELECT anonopt.publish_records('visits.never', 'many', 2, 'nr', columns => '{who}')$$, '22023', NULL, 'nor with records');
SELECT throws_ok($$SELECT anonopt.create_dataset('both', 'visits.many', person => 'who', count_column => 'nr')$$, '22023', NULL, 'a person or a count');
CREATE VIEW visits.seen AS SELECT * FROM visits.many WHERE age < 20;
SELECT anonopt.create_dataset('seen', 'visits.seen', 0.1, person => 'who'), anonopt.add_quasi_identifier('seen', 'age', 'visits.ages'),
    anonopt.add_quasi_identifier('seen', 'zip', 'visits.zips'), anonopt.add_quasi_identifier('seen', 'ward', 'visits.wards'),
    anonopt.add_sensitive('seen', 'ill'), anonopt.set_class_label('seen', 'label') \g /dev/null
SELECT set_eq($$SELECT * FROM anonopt.lattice('seen', 3)$$, $$SELECT * FROM anonopt.lattice('many', 3)$$, 'a view');
SELECT set_eq($$SELECT * FROM anonopt.evaluate_cuts('many', ARRAY[B'01010101010', B'00100100', B'11'], 3)$$,
    $$SELECT * FROM anonopt.evaluate_cuts('seen', ARRAY[B'01010101010', B'00100100', B'11'], 3)$$, 'cuts of it');
SELECT throws_ok($$SELECT anonopt.create_tuple_store('many')$$, '0A000', NULL, 'no store holds them');

-- Property vectors and their comparison: every row has its class's different people.
SELECT is_empty(format($q$SELECT * FROM anonopt.property_vector(%1$L, '{1,1,0}', 'class_size', key => 'nr') p
    JOIN visits.%1$I d ON d.nr = p.record::int JOIN visits.ages ON ages.value = age JOIN visits.zips ON zips.value = zip
    JOIN visits.class c ON c.dataset = %1$L AND c.levels = '{1,1,0}' AND c.label = ARRAY[ages.level1, zips.level1, ward]
    WHERE c.people >= (SELECT k FROM visits.node(%1$L, '{1,1,0}')) AND p.value <> c.people$q$, dataset), dataset || ': property vector')
FROM visits.shape;

-- The reported figures, compared with counts.
SELECT results_eq($$SELECT column_name = 'who', observed, nulls, rows, people FROM anonopt.describe('many') WHERE role = 'person'$$,
    $$SELECT true, count(DISTINCT who) + 1, count(*) FILTER (WHERE who IS NULL), count(*), count(DISTINCT who) + 1 FROM visits.many$$, 'describe');
SELECT count(*) FROM anonopt.pareto('many') \g /dev/null
SELECT results_eq('SELECT rows, people FROM anonopt.last_search()', $$SELECT count(*), count(DISTINCT who) + 1 FROM visits.many$$, 'last_search');

-- Releases: every class shown has k different people; a view's own statement counts them too.
SET anonopt.composition = 'off';
CREATE FUNCTION visits.released(dataset text, k int, l int, made text, star boolean) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    promise text := format('%L, %L, %L, k => %s, l => %s, suppressed => %L', 'visits.shown', dataset, '{1,1,0}', k, coalesce(l::text, 'NULL'),
                           CASE WHEN star THEN 'star' ELSE 'omit' END);
BEGIN
    IF NOT EXISTS (SELECT FROM visits.class c WHERE c.dataset = released.dataset AND levels = '{1,1,0}' AND c.people >= released.k AND c.l >= coalesce(released.l, 0)) THEN
        RETURN;
    END IF;
    EXECUTE format('SELECT anonopt.%s(%s)', made, promise);
    RETURN QUERY EXECUTE format($q$
        WITH class AS (SELECT label, n, people FROM visits.class c WHERE c.dataset = %1$L AND levels = '{1,1,0}'
                       AND c.people >= %2$s AND c.l >= %3$s),
        hidden AS (SELECT count(*) AS n, count(DISTINCT who) + coalesce(max((who IS NULL)::int), 0) AS people, count(DISTINCT ill) AS l
                   FROM visits.%1$I d JOIN visits.ages ON ages.value = age JOIN visits.zips ON zips.value = zip
                   WHERE ARRAY[ages.level1, zips.level1, ward] NOT IN (SELECT label FROM class)),
        shown AS (SELECT age, zip, ward, count(*) AS n FROM visits.shown GROUP BY age, zip, ward)
        SELECT format('shown: %%s', s) FROM (SELECT age, zip, ward, n FROM shown EXCEPT
            (SELECT label[1]::text, label[2]::text, label[3]::text, n FROM class UNION ALL
             SELECT '*', '*', '*', n FROM hidden WHERE %4$L AND people >= %2$s AND l >= %3$s)) s
        UNION ALL SELECT format('not shown: %%s', c) FROM class c WHERE NOT EXISTS (SELECT FROM shown s
            WHERE row(s.age, s.zip, s.ward) = row(c.label[1]::text, c.label[2]::text, c.label[3]::text))
        UNION ALL SELECT 'stars are missing' FROM hidden WHERE %4$L AND people >= greatest(%2$s, 1) AND l >= %3$s AND n > 0
            AND NOT EXISTS (SELECT FROM shown WHERE age = '*')
        UNION ALL SELECT format('verify: %%s', v) FROM anonopt.verify('visits.shown') v WHERE NOT ok
        $q$, dataset, k, coalesce(l, 0), star);
    PERFORM anonopt.drop_release('visits.shown');
END $$;
UPDATE anonopt.dataset SET max_suppression = 1 WHERE relation::text LIKE 'visits.%';
SELECT is_empty(format('SELECT visits.released(%L, %s, %s, %L, %L)', dataset, k, coalesce(l::text, 'NULL'), made, star),
    format('%s: %s, k = %s, l = %s, stars: %s', dataset, made, k, l, star))
FROM visits.shape, (VALUES (2, NULL), (4, NULL), (3, 2)) p (k, l), unnest('{create_view,publish_table}'::text[]) made, unnest('{t,f}'::bool[]) star
WHERE dataset IN ('few', 'many', 'constant', 'almost', 'single');

-- Records in a lattice too large to go through.  Columns with one value divide nobody: shown as they are, they only
-- add utility, so that the least risk is that of the other columns, which the frontier finds.
CREATE TABLE visits.wide AS
SELECT i AS id, i % 9 AS who, floor(random() * 16)::int AS v1, floor(random() * 16)::int AS v2, floor(4 * random())::int AS v3, floor(random() * 16)::int AS v4, floor(random() * 2)::int AS v5
FROM generate_series(1, 60) i;
ALTER TABLE visits.wide ADD w1 int DEFAULT 3, ADD w2 int DEFAULT 3, ADD w3 int DEFAULT 3, ADD w4 int DEFAULT 3, ADD w5 int DEFAULT 3, ADD w6 int DEFAULT 3, ADD w7 int DEFAULT 3, ADD w8 int DEFAULT 3;
SELECT anonopt.create_interval_hierarchy('visits.digits', 0, 15, '{2,4,8}') \g /dev/null
SELECT anonopt.create_dataset(d, 'visits.wide', person => CASE WHEN d LIKE '%_people' THEN 'who' END::name) FROM unnest('{near_people,far_people,near_rows,far_rows}'::text[]) d \g /dev/null
SELECT anonopt.add_quasi_identifier(d, c::name, 'visits.digits') FROM unnest('{near_people,far_people,near_rows,far_rows}'::text[]) d,
    unnest('{v1,v2,v3,v4,v5,w1,w2,w3,w4,w5,w6,w7,w8}'::text[]) WITH ORDINALITY x (c, i) WHERE d LIKE 'far%' OR c LIKE 'v%' ORDER BY d, i \g /dev/null
SELECT cmp_ok(anonopt.lattice_size('far_people') * 60, '>', 1e9, 'too many nodes for the frontier');
SELECT is((SELECT count(*) FROM anonopt.aruba('near_' || what, c, 'identity', key => 'id') a
           JOIN anonopt.aruba('far_' || what, c + 8 * 4, 'identity', key => 'id') b USING (record) WHERE (a.risk, a.utility + 32) = (b.risk, b.utility)), 60::bigint,
          format('least risk of %s with a utility of %s', what, c))
FROM unnest('{people,rows}'::text[]) what, unnest('{2,7,12,18}'::int[]) c;
SELECT cmp_ok((SELECT avg(risk) FROM anonopt.aruba('far_people', 44, 'identity')), '>', (SELECT avg(risk) FROM anonopt.aruba('far_rows', 44, 'identity')),
              'a person with several rows is one');

-- releases of persons with conditions on several columns are compared
CREATE TABLE visits.twice AS SELECT i / 2 AS who, i % 6 AS a, i % 5 AS b, i % 3 AS s1, i % 2 AS s2 FROM generate_series(1, 60) i;
SELECT anonopt.create_interval_hierarchy('visits.six', 0, 5, '{2}') \g /dev/null
SELECT anonopt.create_dataset('twice', 'visits.twice', 0.3, person => 'who'), anonopt.add_quasi_identifier('twice', 'a', 'visits.six'),
    anonopt.add_quasi_identifier('twice', 'b', 'visits.six'), anonopt.add_sensitive('twice', 's1'), anonopt.add_sensitive('twice', 's2') \g /dev/null
SELECT anonopt.publish_table('visits.twice_' || i, 'twice', ARRAY[1, i], k => 2, l => 2) FROM generate_series(1, 2) i \g /dev/null
SELECT is((SELECT min(smallest) FROM anonopt.release_risk('twice')), (SELECT min(n) FROM (SELECT count(DISTINCT who) AS n FROM visits.twice GROUP BY a / 2, b / 2) x),
    'what two releases of persons reveal together');

SELECT * FROM finish();
ROLLBACK;
