-- Releases that promise something against people who know any so many columns, on small random tables: plain SQL counts the
-- released rows by every set of columns, also after refreshes and of tampered tables, and verify says the same.
\ir ../begin.inc

SET client_min_messages = error;
SET anonopt.composition = off;

CREATE TABLE people (id int, person int, a int, b int, c int, d int, s text, u int);
-- also of those who have left
CREATE TABLE persons (id int PRIMARY KEY, person int);
SELECT anonopt.create_interval_hierarchy('h_a', 0, 7, '{2,4}'), anonopt.create_interval_hierarchy('h_b', 0, 4, '{2}'),
    anonopt.create_interval_hierarchy('h_c', 0, 3, '{2}'), anonopt.create_interval_hierarchy('h_d', 0, 1, '{}') \g /dev/null

CREATE FUNCTION pg_temp.people(n int, skew float8) RETURNS void LANGUAGE sql AS $$
    INSERT INTO people
    SELECT i, CASE WHEN random() > 0.1 THEN floor(n * 0.7 * random()) END, floor(8 * random() ^ skew), CASE WHEN random() > 0.1 THEN floor(5 * random() ^ skew) END,
        floor(4 * random() ^ skew), floor(2 * random()), (ARRAY['x', 'y', NULL, 'z'])[1 + floor(4 * random() ^ skew)::int], floor(3 * random())
    FROM generate_series((SELECT coalesce(max(id), 0) + 1 FROM persons), (SELECT coalesce(max(id), 0) + n FROM persons)) i;
    INSERT INTO persons SELECT id, person FROM people ON CONFLICT DO NOTHING
$$;

CREATE FUNCTION pg_temp.deal(with_person boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    skew float8 := 1 + 2 * random();
BEGIN
    DELETE FROM people; DELETE FROM persons;
    -- nothing was shown before
    DELETE FROM anonopt.published; DELETE FROM anonopt.published_content; DELETE FROM anonopt.published_source; DELETE FROM anonopt.published_promise;
    PERFORM anonopt.drop_dataset(dataset) FROM anonopt.dataset;
    PERFORM pg_temp.people(40 + (random() * 80)::int, skew);
    PERFORM anonopt.create_dataset('d', 'people', (ARRAY[0.3, 0.6, 1])[1 + floor(3 * random())::int], person => CASE WHEN with_person THEN 'person'::name END);
    PERFORM anonopt.add_quasi_identifier('d', x::name, ('h_' || x)::regclass) FROM unnest('{a,b,c,d}'::text[]) x;
    PERFORM anonopt.add_sensitive('d', 's'), anonopt.add_sensitive('d', 'u'), anonopt.set_insensitive('d', 'id');
    PERFORM anonopt.add_promise('d', 'k', 2 + floor(random() * 8), columns_known => m) FROM generate_series(1, 5) m WHERE random() < 0.4;
    PERFORM anonopt.add_promise('d', 'l', 2, x::name, columns_known => m) FROM generate_series(1, 3) m, unnest('{s,u}'::text[]) x WHERE random() < 0.2;
    IF random() < 0.5 THEN PERFORM anonopt.add_promise('d', 'k', 2 + floor(random() * 2)); END IF;
    IF random() < 0.3 THEN PERFORM anonopt.add_promise('d', 'l', 2, 's'); END IF;
    IF NOT EXISTS (SELECT FROM anonopt.promise WHERE columns_known > 0) THEN PERFORM anonopt.add_promise('d', 'k', 5, columns_known => 2); END IF;
END $$;

-- All sets of some of the columns, or of all if there are fewer
CREATE FUNCTION pg_temp.sets(m int) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT string_agg(col, ', ' ORDER BY col) FROM generate_series(1, 15) bits, LATERAL (
        SELECT col FROM unnest('{a,b,c,d}'::text[]) WITH ORDINALITY x (col, i) WHERE bits >> (i - 1)::int & 1 = 1) y
    GROUP BY bits HAVING count(*) = least(coalesce(m, 4), 4)
$$;

-- What the rows of a release say of each of its promises: the least figure by any set, and people who are not rows
CREATE FUNCTION pg_temp.found(release text, star boolean) RETURNS TABLE (model text, col text, threshold float8, columns_known int, fewest bigint)
LANGUAGE plpgsql AS $$
DECLARE
    promise record;
    figure text;
    key text;
    n bigint;
BEGIN
    FOR promise IN
        SELECT p.model, p."column", p.threshold, p.columns_known FROM anonopt.release r,
            jsonb_to_recordset(r.promises || jsonb_build_object('model', 'k', 'threshold', r.k)) p (model text, "column" text, threshold float8, columns_known int)
        WHERE r.name = 'public.' || $1 AND NOT r.dropped
    LOOP
        figure := CASE WHEN promise.model = 'l' THEN format('count(DISTINCT r.%1$s) + bool_or(r.%1$s IS NULL)::int', promise."column")
            WHEN (SELECT d.person IS NULL FROM anonopt.dataset d) THEN 'count(*)' ELSE 'count(DISTINCT person) + bool_or(person IS NULL)::int' END;
        model := promise.model; col := promise."column"; threshold := promise.threshold; columns_known := promise.columns_known; fewest := NULL;
        FOR key IN SELECT * FROM pg_temp.sets(promise.columns_known) LOOP
            -- stars are alike, and nobody else's labels
            EXECUTE format('SELECT min(n) FROM (SELECT %s AS n FROM %s r JOIN persons p USING (id) GROUP BY %s) x', figure, release,
                regexp_replace(key, '(\w)', 'r.\1', 'g') || CASE WHEN star THEN ', anonopt_suppressed' ELSE '' END) INTO n;
            fewest := least(fewest, n);
        END LOOP;
        RETURN NEXT;
    END LOOP;
END $$;

-- verify compared with the rows; of several columns of a model, those that it tells first
CREATE FUNCTION pg_temp.wrong_verdict(release text, star boolean) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    got record;
    want record;
    told jsonb;
    by_people boolean := (SELECT d.person IS NOT NULL FROM anonopt.dataset d) AND EXISTS (SELECT FROM people GROUP BY person HAVING count(*) > 1);
    every boolean := true;
BEGIN
    SELECT * INTO got FROM anonopt.verify(release::regclass);
    FOR want IN SELECT * FROM pg_temp.found(release, star) LOOP
        -- a release does not show whose rows are whose
        every := every AND (coalesce(want.fewest >= want.threshold, true) OR (by_people AND want.model = 'k'));
        CONTINUE WHEN want.columns_known IS NULL;
        told := got.others -> (want.model || CASE want.columns_known WHEN 1 THEN ' for any column' ELSE format(' for any %s columns', want.columns_known) END);
        IF told ? 'columns' THEN told := told #> ARRAY['columns', want.col]; END IF;
        IF (told ->> 'promised')::float8 IS DISTINCT FROM want.threshold OR (told ->> 'columns_known')::int IS DISTINCT FROM want.columns_known THEN
            RETURN NEXT format('%s: %s is told as %s', release, want, told);
        END IF;
        IF by_people AND want.model = 'k' THEN
            IF (told ->> 'ok')::boolean IS NOT NULL AND (want.fewest >= want.threshold OR (told ->> 'ok')::boolean) THEN
                RETURN NEXT format('%s: people of %s are told as %s', release, want, told);
            END IF;
        ELSIF (told ->> 'measured')::bigint IS DISTINCT FROM want.fewest OR (told ->> 'ok')::boolean IS DISTINCT FROM coalesce(want.fewest >= want.threshold, true) THEN
            RETURN NEXT format('%s: %s is measured as %s', release, want, told);
        END IF;
    END LOOP;
    IF NOT by_people AND got.ok IS DISTINCT FROM every THEN RETURN NEXT format('%s: verify says %s, rows say %s', release, got.ok, every); END IF;
    IF by_people AND got.ok AND NOT every THEN RETURN NEXT format('%s: verify says %s of %s', release, got.ok, (SELECT array_agg(f) FROM pg_temp.found(release, star) f)); END IF;
END $$;

-- A release keeps all that it promises, and shows as many as may be shown
CREATE FUNCTION pg_temp.wrong_rows(release text, star boolean, suppressed bigint) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    shown bigint;
BEGIN
    EXECUTE format('SELECT count(*) FROM %s r %s', release, CASE WHEN star THEN 'WHERE NOT anonopt_suppressed' ELSE '' END) INTO shown;
    IF shown + suppressed <> (SELECT count(*) FROM people) THEN
        RETURN NEXT format('%s: %s are shown and %s suppressed, of %s', release, shown, suppressed, (SELECT count(*) FROM people));
    END IF;
    RETURN QUERY SELECT format('%s: broken %s', release, f) FROM pg_temp.found(release, star) f WHERE f.fewest < f.threshold;
    RETURN QUERY SELECT * FROM pg_temp.wrong_verdict(release, star);
END $$;

CREATE TABLE done (what text);
CREATE FUNCTION pg_temp.wrong_release(turn int, with_person boolean, call text, star boolean) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    node int[];
    found record;
BEGIN
    PERFORM pg_temp.deal(with_person);
    node := ARRAY[floor(random() * 4), floor(random() * 3), floor(random() * 3), floor(random() * 2)];
    IF random() < 0.5 THEN node := coalesce((SELECT levels FROM anonopt.optimize('d')), node); END IF;
    SELECT * INTO found FROM anonopt.evaluate('d', node, k => 1);
    PERFORM set_config('anonopt.composition', CASE WHEN turn % 3 = 0 AND NOT with_person THEN 'hold_back' ELSE 'off' END, true);
    BEGIN
        EXECUTE format(call, node);
    EXCEPTION WHEN invalid_parameter_value THEN
        IF found.feasible AND found.classes > 0 AND (found.k > 1 OR call LIKE '%k =>%') AND NOT (call LIKE '%materialized => false%') THEN
            RETURN NEXT format('%s refused: %s, of %s', call, SQLERRM, found);
        END IF;
        INSERT INTO done VALUES ('refused');
        RETURN;
    END;
    INSERT INTO done VALUES (CASE WHEN found.suppressed > 0 THEN 'published with suppression' ELSE 'published' END);
    RETURN QUERY SELECT call || ' ' || w FROM pg_temp.wrong_rows('r', star, found.suppressed) w;
    -- other people, and what is declared withdrawn, or more: a release keeps its own, or stays as it is
    PERFORM anonopt.drop_promise('d', p.model, p.column_name, p.columns_known) FROM anonopt.promise p WHERE random() < 0.5;
    IF random() < 0.3 AND NOT EXISTS (SELECT FROM anonopt.promise p WHERE p.model = 'k' AND p.columns_known = 3) THEN
        PERFORM anonopt.add_promise('d', 'k', 4, columns_known => 3);
    END IF;
    IF call NOT LIKE '%materialized => false%' THEN
        DELETE FROM people WHERE random() < 0.1 + 0.5 * (turn % 2);
        PERFORM pg_temp.people(20, 1);
        BEGIN
            PERFORM anonopt.refresh_release('r');
            INSERT INTO done VALUES ('refreshed');
            INSERT INTO done SELECT 'held back' FROM anonopt.verify('r') v WHERE v.held_back > 0;
            IF call LIKE '%create_view%' AND current_setting('anonopt.composition') = 'off' THEN EXECUTE 'REFRESH MATERIALIZED VIEW r'; END IF;
            RETURN QUERY SELECT format('refreshed %s %s', call, f) FROM pg_temp.found('r', star) f WHERE f.fewest < f.threshold;
            RETURN QUERY SELECT format('refreshed %s %s', call, w) FROM pg_temp.wrong_verdict('r', star) w;
            RETURN QUERY SELECT format('%s does not record %s', call, p) FROM anonopt.promise p WHERE p.columns_known > 0
                AND NOT EXISTS (SELECT FROM pg_temp.found('r', star) f WHERE (f.model, f.columns_known) = (p.model, p.columns_known)
                    AND f.col IS NOT DISTINCT FROM p.column_name::text AND f.threshold >= p.threshold);
        EXCEPTION WHEN invalid_parameter_value OR object_not_in_prerequisite_state THEN INSERT INTO done VALUES ('not refreshed');
        END;
    END IF;
    IF call LIKE '%publish_table%' THEN
        EXECUTE 'DELETE FROM r WHERE random() < 0.2';
        RETURN QUERY SELECT format('tampered %s %s', call, w) FROM pg_temp.wrong_verdict('r', star) w;
    END IF;
    PERFORM anonopt.drop_release('r');
END $$;

SELECT plan(17);
SELECT setseed(0.29) \g /dev/null
SELECT is_empty(format('SELECT w FROM generate_series(1, pg_temp.few(%s)) i, pg_temp.wrong_release(i, %L, %L, %L) w', n, with_person, call, star), call)
FROM (VALUES (25, false, 'SELECT anonopt.publish_table(''r'', ''d'', levels => %L, k => 1, columns => ''{a,b,c,d,s,u,id}'')', false),
    (15, false, 'SELECT anonopt.publish_table(''r'', ''d'', levels => %L, suppressed => ''star'', columns => ''{a,b,c,d,s,u,id}'')', true),
    (10, false, 'SELECT anonopt.create_view(''r'', ''d'', levels => %L, k => 1, columns => ''{a,b,c,d,s,u,id}'')', false),
    (10, false, 'SELECT anonopt.create_view(''r'', ''d'', levels => %L, k => 1, materialized => false, columns => ''{a,b,c,d,s,u,id}'')', false),
    (20, true, 'SELECT anonopt.publish_table(''r'', ''d'', levels => %L, k => 1, columns => ''{a,b,c,d,s,u,id}'')', false)) x (n, with_person, call, star);
-- Who came is hidden among as many people as are promised to whoever knows the least
DELETE FROM people \g /dev/null
SELECT anonopt.drop_dataset(dataset) FROM anonopt.dataset \g /dev/null
DELETE FROM anonopt.published \g /dev/null
SET anonopt.composition = refuse;
INSERT INTO people SELECT i, i, i % 8, i % 5, i % 4, i % 2, 'x' || i % 3, i % 3 FROM generate_series(1, 640) i \g /dev/null
SELECT anonopt.create_dataset('d', 'people') \g /dev/null
SELECT anonopt.add_quasi_identifier('d', x::name, ('h_' || x)::regclass) FROM unnest('{a,b}'::text[]) x \g /dev/null
SELECT anonopt.add_promise('d', 'k', 2), anonopt.add_promise('d', 'k', 10, columns_known => 1) \g /dev/null
SELECT anonopt.publish_table('r', 'd', '{1,1}') \g /dev/null
INSERT INTO people SELECT 1000 + i, 1000 + i, 0, 0, 0, 0, 'x', 0 FROM generate_series(1, 5) i \g /dev/null
SELECT throws_ok($$SELECT anonopt.refresh_release('r')$$, '55000', NULL, 'five newcomers are too few for those who know a column');
INSERT INTO people SELECT 2000 + i, 2000 + i, 0, 0, 0, 0, 'x', 0 FROM generate_series(1, 5) i \g /dev/null
SELECT lives_ok($$SELECT anonopt.refresh_release('r')$$, 'ten are not');
-- Classes over all columns, five people each, are as small as is promised of all columns, also those of two releases together
DELETE FROM people \g /dev/null
DELETE FROM anonopt.published \g /dev/null
INSERT INTO people SELECT i, i, i % 8, i / 8 % 4, 0, 0, 'x', 0 FROM generate_series(0, 159) i \g /dev/null
SELECT anonopt.publish_table('fine', 'd', '{0,0}') \g /dev/null
SELECT lives_ok($$SELECT anonopt.publish_table('coarse', 'd', '{1,1}')$$, 'a coarser release of the same people tells nothing new');
SELECT results_eq($$SELECT k, smallest FROM anonopt.release_risk('d') ORDER BY cardinality(releases) DESC LIMIT 1$$, 'VALUES (2::bigint, 5::bigint)',
    'release_risk compares classes over all columns with what is promised of them');
DELETE FROM anonopt.published \g /dev/null
SELECT anonopt.add_promise('d', 'k', 10, columns_known => 2) \g /dev/null
SELECT lives_ok($$SELECT anonopt.publish_table('by_b', 'd', '{1,0}')$$, 'ten people share two columns of one');
SELECT throws_ok($$SELECT anonopt.publish_table('by_a', 'd', '{0,1}')$$, '55000', NULL, 'a promise for as many columns as there are is one for all');
SET anonopt.composition = off;

SELECT cmp_ok((SELECT count(*) FROM done WHERE what = w), '>', 0::bigint, 'enough were ' || w)
FROM unnest('{published,published with suppression,refused,refreshed,not refreshed,held back}'::text[]) w;
SELECT finish();
ROLLBACK;
