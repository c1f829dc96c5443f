-- Refreshes that hold back classes of which ranges, bounds or middles are shown, beside plain SQL.
\ir ../begin.inc
SELECT * FROM no_plan();
SET client_min_messages = error;
SET jit = off;
CREATE TABLE person (id int PRIMARY KEY, age int, born date, town text, ill text);
CREATE TABLE towns AS SELECT chr(97 + i) AS value, chr(97 + i / 2 * 2) || '.' AS level1, '*'::text AS level2 FROM generate_series(0, 3) i;
ALTER TABLE towns ADD PRIMARY KEY (value);
SELECT anonopt.create_interval_hierarchy('ages', 0, 39, '{10,20}'), anonopt.create_date_hierarchy('days', '2000-01-01', '2003-12-31', '{month,year}') \g /dev/null
SELECT anonopt.create_dataset('d', 'person', 1), anonopt.add_quasi_identifier('d', 'age', 'ages'), anonopt.add_quasi_identifier('d', 'born', 'days'),
    anonopt.add_quasi_identifier('d', 'town', 'towns'), anonopt.add_sensitive('d', 'ill'), anonopt.set_insensitive('d', 'id') \g /dev/null
CREATE FUNCTION come(n int) RETURNS void LANGUAGE sql AS $$
    INSERT INTO person SELECT coalesce((SELECT max(id) FROM person), 0) + i, CASE WHEN random() < 0.1 THEN NULL ELSE (random() * 39)::int END,
        date '2000-01-01' + (random() * 700)::int, chr(97 + (random() * 3)::int), 'i' || (random() * 3)::int FROM generate_series(1, n) i
$$;
CREATE TABLE kept (night int, class text, ill text, id int);
-- What is wrong with the last night beside an earlier one; NULL if all is well.
CREATE FUNCTION fault(the_k int) RETURNS text LANGUAGE sql AS $$
    WITH last AS (SELECT max(night) AS night FROM kept),
    class AS (
        SELECT o.night, class, ill, count(*) FILTER (WHERE k.night = l.night) - count(*) FILTER (WHERE k.night = o.night) AS more,
            sum(count(*) FILTER (WHERE k.night = l.night)) OVER w AS now, sum(count(*) FILTER (WHERE k.night = o.night)) OVER w AS before
        FROM last l, (SELECT DISTINCT night FROM kept) o, kept k WHERE o.night < l.night AND k.night IN (l.night, o.night) GROUP BY 1, 2, 3 WINDOW w AS (PARTITION BY o.night, class))
    SELECT format('night %s beside %s: class %s', l.night, c.night, c.class) FROM class c, last l WHERE c.now > 0 AND c.before > 0 GROUP BY l.night, c.night, c.class
        HAVING sum(greatest(more, 0)) BETWEEN 1 AND the_k - 1 OR sum(greatest(-more, 0)) BETWEEN 1 AND the_k - 1
    UNION ALL SELECT format('night %s: %s was deleted', l.night, k.id) FROM last l JOIN kept k USING (night) LEFT JOIN person p USING (id) WHERE p.id IS NULL
    UNION ALL SELECT format('night %s: class %s has %s', l.night, class, count(*)) FROM last l JOIN kept k USING (night) GROUP BY l.night, class HAVING count(*) < the_k
    LIMIT 1
$$;
CREATE FUNCTION nights(form text, seed int, OUT fault text, OUT held bigint) LANGUAGE plpgsql AS $$
DECLARE
    result record;
    columns text := CASE form WHEN 'bounds' THEN 'age_low, age_high, born_low, born_high, town' ELSE 'age, born, town' END;
BEGIN
    PERFORM setseed(seed / 100.0);
    TRUNCATE person, kept;
    PERFORM come(400);
    PERFORM anonopt.publish_table('shown', 'd', '{1,2,1}', k => 5, columns => '{id}', columns_as => form, suppressed => CASE WHEN seed % 2 = 0 THEN 'star' ELSE 'omit' END);
    held := 0;
    FOR night IN 0..pg_temp.few(10) LOOP
        IF night > 0 THEN
            PERFORM come((random() * 6)::int);
            DELETE FROM person WHERE id IN (SELECT id FROM person ORDER BY random() LIMIT 2);
            UPDATE person SET ill = 'i0' WHERE id IN (SELECT id FROM person ORDER BY random() LIMIT 1);
            PERFORM anonopt.refresh_release('shown', true);
            SELECT * INTO result FROM anonopt.verify('shown');
            held := held + result.held_back;
            IF NOT result.ok THEN fault := 'verify says no'; END IF;
        END IF;
        EXECUTE format('INSERT INTO kept SELECT %s, concat_ws(''/'', %s, %s), ill, id FROM shown', night, columns, CASE WHEN seed % 2 = 0 THEN 'anonopt_suppressed' ELSE '0' END);
        fault := coalesce(fault, fault(5));
    END LOOP;
    PERFORM anonopt.drop_release('shown');
    DELETE FROM anonopt.published;
END $$;
CREATE TEMP TABLE outcome AS SELECT form, n.* FROM unnest('{range,bounds,middle,text}'::text[]) form, generate_series(1, pg_temp.few(5)) seed, LATERAL nights(form, seed) n;
SELECT is((SELECT array_agg(form || ', ' || fault) FILTER (WHERE fault IS NOT NULL) FROM outcome), NULL, 'no class differs by fewer people than k, nobody who was deleted is shown, and k is kept');
SELECT ok((SELECT sum(held) > 0 FROM outcome o WHERE o.form = f), 'some wait, where columns are shown as ' || f) FROM unnest('{range,bounds,middle,text}'::text[]) f;
SELECT * FROM finish();
ROLLBACK;
