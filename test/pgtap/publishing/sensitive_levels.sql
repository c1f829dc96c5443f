-- Sensitive columns that are shown at a level: as if the column held the labels.  A view that looks them up, with the
-- levels above as its hierarchy, is measured and published beside it.
\ir ../begin.inc
SELECT * FROM no_plan();
SET client_min_messages = error;
SET anonopt.composition = off;
CREATE EXTENSION IF NOT EXISTS btree_gist;
CREATE TABLE people (id int, age int, income numeric);
CREATE TABLE ages (v int PRIMARY KEY, l1 text NOT NULL, l2 text NOT NULL);
INSERT INTO ages SELECT i, 'about ' || i / 3, '*' FROM generate_series(0, 8) i;
-- leaves are ranges, of which two values are two, unless only their label is shown
CREATE TABLE incomes (v numrange, l1 text NOT NULL, l2 text NOT NULL, l3 text NOT NULL, EXCLUDE USING gist (v WITH &&));
INSERT INTO incomes SELECT numrange(i, i + 1), 'b' || i / 2, 'c' || i / 6, '*' FROM generate_series(0, 11) i;
CREATE VIEW seen AS SELECT p.id, p.age, h.l1 AS income FROM people p LEFT JOIN incomes h ON h.v @> p.income;
CREATE TABLE seen_incomes AS SELECT DISTINCT l1, l2, l3 FROM incomes;
ALTER TABLE seen_incomes ADD PRIMARY KEY (l1);

CREATE FUNCTION pg_temp.beside(n int, distance text, levels int[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    k int := 1 + random() * 3;
    l int := 1 + random() * 3;
    t float8 := round(random()::numeric, 2);
    said text := format('%s people, %s, %s, k = %s, l = %s, t = %s', n, distance, levels, k, l, t);
    failed text[] := '{}';
    x text;
BEGIN
    DELETE FROM people;
    INSERT INTO people SELECT i, random() * 8, CASE WHEN random() > 0.1 THEN floor(random() ^ 2 * 119) / 10 END FROM generate_series(1, n) i;
    PERFORM anonopt.drop_release(r.release) FROM anonopt.release r WHERE NOT r.dropped;
    PERFORM anonopt.drop_dataset(d.dataset) FROM anonopt.dataset d;
    PERFORM anonopt.create_dataset(d, d::regclass, 1), anonopt.add_quasi_identifier(d, 'age', 'ages'), anonopt.set_insensitive(d, 'id')
    FROM unnest('{people,seen}'::text[]) d;
    PERFORM anonopt.add_sensitive('people', 'income', distance, 'incomes', level => 1), anonopt.add_sensitive('seen', 'income', distance, 'seen_incomes');
    RETURN NEXT is((SELECT array_agg(e ORDER BY e.levels) FROM anonopt.lattice('people') e), (SELECT array_agg(e ORDER BY e.levels) FROM anonopt.lattice('seen') e), 'measured: ' || said);
    RETURN NEXT is((SELECT array_agg(e ORDER BY e.levels) FROM anonopt.lattice('people', k, l, t) e), (SELECT array_agg(e ORDER BY e.levels) FROM anonopt.lattice('seen', k, l, t) e), 'promised: ' || said);
    FOREACH x IN ARRAY '{people,seen}'::text[] LOOP
        BEGIN
            PERFORM anonopt.publish_table(x || '_shown', x, levels, k => k, l => l, t => t, columns => '{id}', suppressed => 'star');
        EXCEPTION WHEN invalid_parameter_value THEN
            failed := failed || x;
        END;
    END LOOP;
    RETURN NEXT ok(cardinality(failed) <> 1, 'both can be published, or neither: ' || said);
    IF cardinality(failed) = 0 THEN
        RETURN NEXT bag_eq('TABLE people_shown', 'TABLE seen_shown', 'they show the same: ' || said);
        RETURN NEXT is((SELECT row(v.promised_k, v.k, v.promised_l, v.l, v.rows, v.ok, v.promised_t, v.t)::text FROM anonopt.verify('people_shown') v),
            (SELECT row(v.promised_k, v.k, v.promised_l, v.l, v.rows, v.ok, v.promised_t, v.t)::text FROM anonopt.verify('seen_shown') v), 'verified: ' || said);
        RETURN NEXT ok((SELECT v.ok FROM anonopt.verify('people_shown') v), 'and kept: ' || said);
        RETURN NEXT is((SELECT array_agg(d::text ORDER BY d::text) FROM anonopt.release_distribution('people', 'people_shown') d), (SELECT array_agg(d::text ORDER BY d::text) FROM anonopt.release_distribution('seen', 'seen_shown') d), 'distributed: ' || said);
        PERFORM anonopt.refresh_release('people_shown');
        RETURN NEXT bag_eq('TABLE people_shown', 'TABLE seen_shown', 'refreshed: ' || said);
    END IF;
END $$;
SELECT f FROM generate_series(1, pg_temp.few(20)) i, LATERAL pg_temp.beside(5 + i * 3, (ARRAY['equal', 'ordered', 'hierarchical'])[1 + i % 3], ARRAY[i % 3]) f;

-- the last level, where NULL joins the only label
SELECT anonopt.drop_attribute('people', 'income', 'sensitive'), anonopt.add_sensitive('people', 'income', 'hierarchical', 'incomes', level => 3);
SELECT is((SELECT array_agg(DISTINCT e.l) FROM anonopt.lattice('people') e), '{1}', 'one label is one value');
SELECT anonopt.publish_table('last', 'people', '{2}', k => 1, t => 0.1);
SELECT is((SELECT array_agg(DISTINCT coalesce(income, 'NULL')) FROM last), '{*}', 'and all show it');
SELECT ok((SELECT v.ok AND v.l = 1 AND v.t = 0 FROM anonopt.verify('last') v), 'as verify finds');
-- the text of every leaf, in a view that is filled and one that is live
SELECT anonopt.drop_attribute('people', 'income', 'sensitive'), anonopt.add_sensitive('people', 'income', 'ordered', 'incomes', level => 0);
SELECT anonopt.create_view('filled', 'people', '{2}', k => 1, t => 0.9, columns => '{id}'), anonopt.create_view('live', 'people', '{2}', k => 1, t => 0.9, columns => '{id}', materialized => false);
REFRESH MATERIALIZED VIEW filled;
SELECT bag_eq('SELECT id, income FROM ' || r, 'SELECT p.id, h.v::text FROM people p LEFT JOIN incomes h ON h.v @> p.income', r || ' shows the ranges')
FROM unnest('{filled,live}'::text[]) r;
SELECT ok((SELECT v.ok FROM anonopt.verify(r) v), r || ' is verified') FROM unnest('{filled,live}'::regclass[]) r;
SELECT throws_ok($$SELECT anonopt.view_sql('x', 'people', '{2}', k => 1)$$, '0A000', NULL, 'a plain statement has no labels of sensitive columns');

-- what cannot be subtracted is said
CREATE TABLE others AS TABLE people;
SELECT anonopt.create_dataset('others', 'others', 1), anonopt.add_quasi_identifier('others', 'age', 'ages'), anonopt.add_sensitive('others', 'income', 'equal', 'incomes', level => 0);
SET anonopt.composition = refuse;
SELECT anonopt.publish_table('first', 'others', '{2}', k => 1);
SELECT anonopt.drop_attribute('others', 'income', 'sensitive'), anonopt.add_sensitive('others', 'income', 'equal', 'incomes', level => 1);
SELECT throws_like($$SELECT anonopt.publish_table('second', 'others', '{2}', k => 1)$$, '%cannot be compared%income%', 'labels of two levels');
SELECT throws_like($$SELECT anonopt.republish('first', '{2}')$$, '%cannot be compared%income%', 'of one release, too');
SET anonopt.composition = off;

-- What a column shows stays, whatever is written into the declaration or the entry
CREATE TABLE keyed AS SELECT id::text, age, income FROM people;
SELECT anonopt.create_dataset(d, 'keyed', 1), anonopt.add_quasi_identifier(d, 'age', 'ages'), anonopt.add_sensitive(d, 'income', 'equal', 'incomes', level => 1)
FROM unnest('{keyed,lasting}'::text[]) d;
SELECT anonopt.set_pseudonym('keyed', 'id', repeat('secret', 6));
SELECT anonopt.publish_table('kept', 'keyed', '{2}', k => 1), anonopt.create_view('kept_filled', 'lasting', '{2}', k => 1), anonopt.create_view('kept_live', 'lasting', '{2}', k => 1, materialized => false);
SELECT is(others_as, CASE WHEN dataset = 'keyed' THEN '{-2,1}' ELSE '{1}' END::int[], 'it is recorded of ' || name) FROM anonopt.published WHERE name ~ 'kept';
CREATE TABLE as_shown AS TABLE kept;
CREATE TABLE declared AS TABLE anonopt.attribute;
CREATE FUNCTION pg_temp.forged(forgery text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    call text;
    entries jsonb := (SELECT jsonb_object_agg(id, others_as) FROM anonopt.published);
BEGIN
    EXECUTE forgery;
    FOREACH call IN ARRAY ARRAY['SELECT anonopt.refresh_release(''kept'')', 'REFRESH MATERIALIZED VIEW kept_filled', 'TABLE kept_live'] LOOP
        CONTINUE WHEN call !~ '''kept''' AND forgery LIKE '%pseudonym%';
        RETURN NEXT throws_ok(call, CASE WHEN call <> 'TABLE kept_live' THEN '23514' END, NULL, call || ' is refused: ' || forgery);
    END LOOP;
    RETURN NEXT bag_eq('TABLE kept', 'TABLE as_shown', 'nothing else is shown: ' || forgery);
    UPDATE anonopt.attribute a SET role = d.role, min_level = d.min_level, max_level = d.max_level FROM declared d WHERE (a.dataset, a.ordinal) = (d.dataset, d.ordinal);
    UPDATE anonopt.published SET others_as = CASE WHEN entries ->> id::text IS NOT NULL THEN translate(entries ->> id::text, '[]', '{}')::int[] END;
END $$;
SELECT f FROM unnest('{"UPDATE anonopt.attribute SET min_level = 0, max_level = 0 WHERE role = ''sensitive''", "UPDATE anonopt.attribute SET min_level = 2, max_level = 2 WHERE role = ''sensitive''",
    "UPDATE anonopt.attribute SET min_level = 0, max_level = NULL WHERE role = ''sensitive''", "UPDATE anonopt.attribute SET role = ''class_label'' WHERE role = ''pseudonym''",
    "UPDATE anonopt.published SET others_as = ''{0,0}''", "UPDATE anonopt.published SET others_as = ''{-2,1,1}''", "UPDATE anonopt.published SET others_as = NULL",
    "UPDATE anonopt.published SET others_as = ''{NULL,1}''", "UPDATE anonopt.published SET others_as = ''{{-2,1}}''"}'::text[]) x, LATERAL pg_temp.forged(x) f;
SELECT lives_ok($$SELECT anonopt.refresh_release('kept')$$, 'as it was declared, it is refreshed');
UPDATE anonopt.attribute SET min_level = 0, max_level = 0 WHERE dataset IN ('keyed', 'lasting') AND role = 'sensitive';
SELECT anonopt.republish(r::regclass, '{2}') FROM unnest('{kept,kept_live}'::text[]) r;
SELECT anonopt.refresh_release('kept');
SELECT bag_eq('SELECT income FROM ' || r, 'SELECT h.v::text FROM people p LEFT JOIN incomes h ON h.v @> p.income', r || ' is republished with another level') FROM unnest('{kept,kept_live}'::text[]) r;
SELECT is(others_as, CASE WHEN dataset = 'keyed' THEN '{-2,0}' ELSE '{0}' END::int[], 'which is recorded') FROM anonopt.published WHERE name ~ '(kept|kept_live)$';

SELECT throws_ok($$SELECT anonopt.add_sensitive('seen', 'id', level => 1)$$, '22023', NULL, 'a level needs a hierarchy');
SELECT anonopt.drop_attribute('seen', 'income', 'sensitive');
SELECT throws_ok(format($$SELECT anonopt.add_sensitive('seen', 'income', 'equal', 'seen_incomes', level => %s)$$, x), '22023', NULL, 'there is no level ' || x) FROM unnest('{-1,3}'::int[]) x;
UPDATE anonopt.attribute SET min_level = 0, max_level = 1 WHERE dataset = 'people' AND role = 'sensitive';
SELECT throws_ok($$SELECT * FROM anonopt.evaluate('people', '{1}')$$, '23514', NULL, 'two levels of a sensitive column are not sound');
UPDATE anonopt.attribute SET min_level = 9, max_level = 9 WHERE dataset = 'people' AND role = 'sensitive';
SELECT throws_ok($$SELECT * FROM anonopt.evaluate('people', '{1}')$$, '23514', NULL, 'nor is one that the hierarchy lacks');
SELECT * FROM finish();
ROLLBACK;
