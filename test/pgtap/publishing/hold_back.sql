-- Refreshes that hold back what others could subtract: a year of random nights on small random tables.  A copy of
-- everything shown is kept, and after each night every one is compared with the last, in plain SQL.
\ir ../begin.inc
SELECT * FROM no_plan();
SET client_min_messages = error;
SET jit = off;

CREATE TABLE person (id int PRIMARY KEY, a int, b text, ill text, big text);
CREATE TABLE a_tree AS SELECT i AS value, (i / 2 * 2)::text AS level1, (i / 4 * 4) || '+' AS level2, '*'::text AS level3 FROM generate_series(0, 7) i;
CREATE TABLE b_tree (value text PRIMARY KEY, level1 text, level2 text);
INSERT INTO b_tree VALUES ('u', 'uv', '*'), ('v', 'uv', '*'), ('w', 'wx', '*'), ('x', 'wx', '*');
ALTER TABLE a_tree ADD PRIMARY KEY (value);

-- A label of a level, and what it is at a higher one.
CREATE TABLE higher (attribute text, level int, label text, to_level int, to_label text);
INSERT INTO higher
    SELECT DISTINCT 'a', f.i, f.label, t.i, t.label FROM a_tree h,
        unnest(ARRAY[value::text, level1, level2, level3]) WITH ORDINALITY f (label, i), unnest(ARRAY[value::text, level1, level2, level3]) WITH ORDINALITY t (label, i) WHERE f.i <= t.i
    UNION SELECT DISTINCT 'b', f.i, f.label, t.i, t.label FROM b_tree h,
        unnest(ARRAY[value, level1, level2]) WITH ORDINALITY f (label, i), unnest(ARRAY[value, level1, level2]) WITH ORDINALITY t (label, i) WHERE f.i <= t.i;

-- Everything ever shown; stars have no level.
CREATE TABLE content (nr serial PRIMARY KEY, release text, levels int[]);
CREATE TABLE shown (nr int, a text, b text, starred boolean, ill text, id int);
CREATE INDEX ON shown (nr);

CREATE FUNCTION random_int(n int) RETURNS int LANGUAGE sql VOLATILE AS 'SELECT floor(random() * n)::int';

-- Some people come, leave, move or are corrected.
CREATE FUNCTION change_people(coming int, leaving int, changing int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM person WHERE id IN (SELECT id FROM person ORDER BY random() LIMIT leaving);
    UPDATE person SET ill = CASE WHEN random_int(8) = 0 THEN NULL ELSE 'i' || random_int(4) END,
        a = CASE WHEN random_int(3) = 0 THEN random_int(8) ELSE a END
    WHERE id IN (SELECT id FROM person ORDER BY random() LIMIT changing);
    INSERT INTO person SELECT coalesce((SELECT max(id) FROM person), 0) + 1000 + i, random_int(8), chr(117 + random_int(4)), 'i' || random_int(4),
        CASE WHEN random_int(20) = 0 THEN (SELECT string_agg(md5(random()::text), '') FROM generate_series(1, 200)) END
        FROM generate_series(1, coming) i;
END $$;

-- People as a content would show them now.
CREATE FUNCTION now_shown(the_content int) RETURNS TABLE (id int, a text, b text, ill text) LANGUAGE sql STABLE AS $$
    SELECT p.id, ha.to_label, hb.to_label, coalesce(p.ill, '-') FROM person p, content c, higher ha, higher hb
    WHERE c.nr = the_content AND ha.attribute = 'a' AND ha.level = 1 AND ha.label = p.a::text AND ha.to_level = c.levels[1] + 1
      AND hb.attribute = 'b' AND hb.level = 1 AND hb.label = p.b AND hb.to_level = c.levels[2] + 1
$$;

-- What is wrong with the last content of a release, beside all that were shown before.
CREATE FUNCTION fault(the_release text, the_k int, the_l int, keep_deleted boolean) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    new int := (SELECT max(nr) FROM content WHERE content.release = the_release);
    old int := (SELECT max(nr) FROM content WHERE content.release = the_release AND nr < new);
    found text;
BEGIN
    SELECT format('class %s, %s has %s people with %s values', a, b, count(*), count(DISTINCT coalesce(ill, '-'))) INTO found
        FROM shown WHERE nr = new GROUP BY a, b, starred
        HAVING count(*) < the_k OR count(DISTINCT coalesce(ill, '-')) < the_l LIMIT 1;
    IF found IS NOT NULL THEN RETURN found; END IF;
    -- both sides of every difference, at the coarser of the levels, unless it was there before
    WITH view AS (
        SELECT o.nr, greatest(o.levels[1], n.levels[1]) + 1 AS level_a, greatest(o.levels[2], n.levels[2]) + 1 AS level_b
        FROM content o, content n WHERE n.nr = new AND o.nr < new),
    side AS (
        SELECT v.nr, k.kind, ha.to_label AS a, hb.to_label AS b, s.starred, coalesce(s.ill, '-') AS ill
        FROM view v CROSS JOIN LATERAL (VALUES ('new', new), ('earlier', v.nr), ('last', old)) k (kind, nr)
        JOIN shown s ON s.nr = k.nr JOIN content c ON c.nr = s.nr
        LEFT JOIN higher ha ON NOT s.starred AND ha.attribute = 'a' AND ha.level = c.levels[1] + 1 AND ha.label = s.a AND ha.to_level = v.level_a
        LEFT JOIN higher hb ON NOT s.starred AND hb.attribute = 'b' AND hb.level = c.levels[2] + 1 AND hb.label = s.b AND hb.to_level = v.level_b),
    rest AS (
        SELECT nr, a, b, starred, ill, count(*) FILTER (WHERE kind = 'new') - count(*) FILTER (WHERE kind = 'earlier') AS n,
            count(*) FILTER (WHERE kind = 'new') <> count(*) FILTER (WHERE kind = 'last') AS is_other FROM side GROUP BY 1, 2, 3, 4, 5)
    SELECT format('content %s differs from content %s in class %s, %s by %s and %s people', new, nr, a, b, sum(greatest(n, 0)), sum(greatest(-n, 0))) INTO found
        FROM rest GROUP BY nr, a, b, starred
        HAVING bool_or(is_other) AND (sum(greatest(n, 0)) BETWEEN 1 AND the_k - 1 OR sum(greatest(-n, 0)) BETWEEN 1 AND the_k - 1
            OR count(*) FILTER (WHERE n > 0) BETWEEN 1 AND the_l - 1 OR count(*) FILTER (WHERE n < 0) BETWEEN 1 AND the_l - 1) LIMIT 1;
    IF found IS NOT NULL THEN RETURN found; END IF;
    -- rows are those of now, or those that were shown
    SELECT format('person %s is shown as nobody was', s.id) INTO found FROM shown s WHERE s.nr = new
        AND NOT EXISTS (SELECT FROM shown o WHERE o.nr = old AND (o.a, o.b, o.starred, o.id, coalesce(o.ill, '-')) = (s.a, s.b, s.starred, s.id, coalesce(s.ill, '-')))
        AND NOT EXISTS (SELECT FROM now_shown(new) p WHERE p.id = s.id AND p.ill = coalesce(s.ill, '-') AND (s.starred OR (p.a, p.b) = (s.a, s.b))) LIMIT 1;
    IF found IS NOT NULL THEN RETURN found; END IF;
    SELECT format('person %s was deleted and is shown', id) INTO found FROM shown s
        WHERE nr = new AND NOT keep_deleted AND NOT EXISTS (SELECT FROM person p WHERE p.id = s.id) LIMIT 1;
    IF found IS NOT NULL THEN RETURN found; END IF;
    SELECT format('verify says %s', v) INTO found FROM anonopt.verify(the_release) v
        WHERE v.ok IS NOT TRUE OR v.rows <> (SELECT count(*) FROM shown WHERE nr = new)
           -- if nobody has to be left out, all others are shown as they are
           OR v.held_back <> (SELECT count(*) FROM now_shown(new) p WHERE NOT EXISTS (SELECT FROM shown s
                    WHERE s.nr = new AND NOT s.starred AND (s.id, s.a, s.b, coalesce(s.ill, '-')) = (p.id, p.a, p.b, p.ill)))
                AND NOT EXISTS (SELECT FROM now_shown(new) p GROUP BY a, b HAVING count(*) < the_k OR count(DISTINCT ill) < the_l);
    RETURN found;
END $$;

-- What has happened in a year.
CREATE TABLE met (what text, n bigint);

CREATE FUNCTION keep_content(the_release text, the_levels int[], star boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO content (release, levels) VALUES (the_release, the_levels);
    EXECUTE format('INSERT INTO shown SELECT currval(''content_nr_seq''), a, b, %s, ill, id FROM %I', CASE WHEN star THEN 'anonopt_suppressed' ELSE 'false' END, the_release);
END $$;

-- A year on a table of some people; NULL if all is well.
CREATE FUNCTION year(seed int, nights int, the_k int, the_l int, star boolean, keep_deleted boolean, nreleases int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    all_levels constant int[] := '{{1,0},{2,1},{0,1},{1,1},{2,0}}';
    levels int[];
    one text;
    found text;
    r int;
BEGIN
    PERFORM setseed(seed / 1000.0);
    TRUNCATE person, content, shown;
    PERFORM change_people(40 + random_int(40) * the_k / 2, 0, 0);
    PERFORM anonopt.create_dataset('d', 'person', 1), anonopt.add_quasi_identifier('d', 'a', 'a_tree'), anonopt.add_quasi_identifier('d', 'b', 'b_tree');
    PERFORM anonopt.add_sensitive('d', 'ill'), anonopt.set_insensitive('d', 'id'), anonopt.set_insensitive('d', 'big');
    SET LOCAL anonopt.composition = off;
    FOR r IN 1..nreleases LOOP
        levels := ARRAY[all_levels[(seed + r) % 5 + 1][1], all_levels[(seed + r) % 5 + 1][2]];
        PERFORM anonopt.publish_table('r' || r, 'd', levels, k => the_k, l => the_l, columns => '{id,big}', suppressed => CASE WHEN star THEN 'star' ELSE 'omit' END);
        PERFORM keep_content('r' || r, levels, star);
    END LOOP;
    SET LOCAL anonopt.composition = hold_back;
    FOR night IN 1..nights LOOP
        CASE random_int(8)
            WHEN 0 THEN PERFORM change_people(0, 0, 0);
            WHEN 1 THEN PERFORM change_people(3 * the_k + random_int(20), 0, 0);
            WHEN 2 THEN PERFORM change_people(0, the_k + random_int(10), 0);
            WHEN 3 THEN DELETE FROM person WHERE a = random_int(8);
            WHEN 4 THEN PERFORM change_people(random_int(2 * the_k), random_int(3), random_int(3));
            ELSE PERFORM change_people(random_int(the_k + 1), random_int(10) / 8, random_int(10) / 8);
        END CASE;
        r := 1 + random_int(nreleases);
        one := 'r' || r;
        IF night = 5 AND seed % 3 = 0 THEN
            -- what it showed before remains known
            SET LOCAL anonopt.composition = off;
            levels := ARRAY[all_levels[(seed + r + 2) % 5 + 1][1], all_levels[(seed + r + 2) % 5 + 1][2]];
            BEGIN
                PERFORM anonopt.republish(one, levels);
                PERFORM keep_content(one, levels, star);
            EXCEPTION WHEN invalid_parameter_value THEN
                IF SQLERRM <> 'no class keeps the promise' THEN RAISE; END IF;
            END;
            SET LOCAL anonopt.composition = hold_back;
            CONTINUE;
        END IF;
        BEGIN
            PERFORM anonopt.refresh_release(one, keep_deleted => year.keep_deleted);
        EXCEPTION WHEN invalid_parameter_value THEN
            IF SQLERRM <> 'no class keeps the promise' THEN RAISE; END IF;
            CONTINUE;
        END;
        PERFORM keep_content(one, (SELECT c.levels FROM content c WHERE release = one ORDER BY nr DESC LIMIT 1), star);
        found := fault(one, the_k, the_l, keep_deleted);
        IF found IS NOT NULL THEN RETURN format('night %s: %s', night, found); END IF;
        INSERT INTO met SELECT CASE WHEN h.people = 0 THEN 'hidden' WHEN h.departed > 0 THEN 'deleted and shown' ELSE 'held' END, count(*) FROM anonopt.published_held h GROUP BY 1;
    END LOOP;
    RETURN NULL;
END $$;

CREATE FUNCTION year_undone(seed int, nights int, the_k int, the_l int, star boolean, keep_deleted boolean, nreleases int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    found text;
    happened text[];
BEGIN
    BEGIN
        found := year(seed, nights, the_k, the_l, star, keep_deleted, nreleases);
        happened := ARRAY(SELECT DISTINCT what FROM met);
        RAISE SQLSTATE 'UNDO0';
    EXCEPTION WHEN SQLSTATE 'UNDO0' THEN
        INSERT INTO met SELECT unnest(happened), 1;
    END;
    RETURN found;
END $$;

SELECT is(year_undone(seed, pg_temp.few(25), 2 + seed % 4, CASE seed % 3 WHEN 0 THEN 2 WHEN 1 THEN NULL ELSE 3 END, seed % 4 > 1, seed % 2 = 0, 1 + seed % 5 / 2), NULL,
    format('year %s', seed))
FROM generate_series(1, pg_temp.few(30)) seed;
SELECT bag_eq('SELECT DISTINCT what FROM met', ARRAY['hidden', 'held', 'deleted and shown'], 'all happened');
SELECT * FROM finish();
ROLLBACK;
