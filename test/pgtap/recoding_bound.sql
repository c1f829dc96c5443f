-- Bounds of recodings, beside the best of all partitions of small random tables, which plain SQL finds.
\ir begin.inc
SET client_min_messages = error;

SELECT plan(16);

CREATE TABLE pg_temp.held (person int, a int, b int, c int);
CREATE TABLE pg_temp.tuple (bit int, a int, b int, c int);
DO $$
BEGIN
    PERFORM anonopt.create_interval_hierarchy('pg_temp.eighths', 0, 7, '{2,4}');
    PERFORM anonopt.create_interval_hierarchy('pg_temp.thirds', 0, 5, '{3}');
    -- nobody may be suppressed, or everybody; people may have several rows
    PERFORM anonopt.create_dataset(d, 'held', s, person => p) FROM (VALUES ('strict', 0, NULL), ('lax', 1, NULL), ('persons', 0, 'person')) v (d, s, p);
    PERFORM anonopt.add_quasi_identifier(d, c, CASE c WHEN 'b' THEN 'thirds' ELSE 'eighths' END::regclass, CASE c WHEN 'a' THEN 2 ELSE 1 END,
        CASE c WHEN 'c' THEN 1 ELSE 0 END)
    FROM unnest('{strict,lax,persons}'::text[]) d, unnest('{a,b,c}'::name[]) c;
END $$;

-- The leaves of the lowest label over values of a column, whose labels are so wide, less one.
CREATE FUNCTION pg_temp.lost(low int, high int, widths int[], domain int) RETURNS int
LANGUAGE sql AS $$
    SELECT coalesce((SELECT min(w) FROM unnest(widths) w WHERE low / w = high / w), domain) - 1
$$;

-- The least loss over all partitions: tuples are bits of a set.
CREATE FUNCTION pg_temp.least(k int, lax boolean, persons boolean, weights int[]) RETURNS float8
LANGUAGE plpgsql AS $$
DECLARE
    n int;
    alone float8[];
    best float8[];
    least float8;
BEGIN
    TRUNCATE tuple;
    INSERT INTO tuple SELECT row_number() OVER () - 1, * FROM (SELECT DISTINCT a, b, c FROM held) h;
    SELECT count(*) INTO n FROM tuple;
    SELECT array_agg(cost ORDER BY s) INTO alone FROM (
        SELECT s, least(CASE WHEN CASE WHEN persons THEN count(DISTINCT h.person) ELSE count(*) END >= k THEN count(*)::float8 * (
                weights[1] * pg_temp.lost(min(a), max(a), '{1,2,4}', 8) / 7.0 + weights[2] * pg_temp.lost(min(b), max(b), '{1,3}', 6) / 5.0
                + weights[3] * pg_temp.lost(min(c), max(c), '{2,4}', 8) / 7.0) ELSE 'Infinity' END::float8,
            CASE WHEN lax THEN count(*)::float8 * (weights[1] + weights[2] + weights[3]) ELSE 'Infinity' END::float8) AS cost
        FROM generate_series(1, (1 << n) - 1) s JOIN tuple t ON (s >> t.bit & 1) = 1 JOIN held h USING (a, b, c) GROUP BY s) sets;
    FOR s IN 1 .. (1 << n) - 1 LOOP
        least := 'Infinity';
        FOR block IN 1 .. s LOOP
            -- with the first tuple of the set
            IF block & s = block AND block & (s & -s) > 0 THEN
                least := least(least, alone[block] + CASE WHEN block = s THEN 0 ELSE best[s - block] END);
            END IF;
        END LOOP;
        best[s] := least;
    END LOOP;
    RETURN best[(1 << n) - 1];
END $$;

CREATE FUNCTION pg_temp.compared(seed int, set_name text, loss text, OUT excess float8, OUT share float8)
LANGUAGE plpgsql AS $$
DECLARE
    k int := 1 + seed % 4;
    bound float8;
    truth float8;
BEGIN
    TRUNCATE held;
    PERFORM setseed(seed / 1e6);
    INSERT INTO held
    SELECT CASE WHEN random() < 0.3 THEN 1 ELSE i END, v[1 + i % 5] % 8, v[1 + i % 5] / 8 % 6, v[1 + i % 5] / 48 % 8
    FROM generate_series(1, 4 + seed % 9) i, (SELECT array_agg((random() * 383)::int) AS v FROM generate_series(1, 5)) values;
    bound := anonopt.recoding_bound(set_name, k, loss, time_limit => NULL);
    truth := pg_temp.least(k, set_name = 'lax', set_name = 'persons', CASE loss WHEN 'glm' THEN '{1,1,1}' ELSE '{2,1,1}' END::int[]);
    IF loss = 'nwp' THEN
        truth := truth / 4 / (SELECT count(*) FROM held);
    END IF;
    excess := bound - truth;
    share := CASE WHEN truth > 0 AND truth < 'Infinity' THEN bound / truth ELSE 1 END;
END $$;

SELECT unnest(ARRAY[is(max(excess) <= 1e-12, true, format('%s: %s is bounded by no more than the best partition has', set_name, loss)),
    cmp_ok(avg(share)::numeric, '>', 0.7, format('%s: the bound of %s is near', set_name, loss))])
FROM unnest('{strict,lax,persons}'::text[]) set_name, unnest('{glm,nwp}'::text[]) loss, generate_series(1, pg_temp.few(200)) seed,
    pg_temp.compared(seed, set_name, loss) GROUP BY set_name, loss;

-- what is said of a recoding
TRUNCATE held;
INSERT INTO held SELECT i, i % 8, i % 5, i * 7 % 8 FROM generate_series(1, 60) i;
SELECT anonopt.create_recoding('proven', 'strict', k => 3, seed => 1, proof => '5 s') \gset
SELECT ok(bound > 0 AND bound <= glm, 'last_search shows the bound of a recoding') FROM anonopt.last_search(), anonopt.evaluate_recoding('strict', 'proven', k => 3);
SELECT throws_ok($$SELECT anonopt.create_recoding('unproven', 'strict', k => 2, loss => 'dcn', proof => '1 s')$$, '22023',
    'nothing can be proven about the least possible dcn', 'no bound of dcn');
SELECT set_eq($$SELECT k, glm FROM anonopt.recoding_curve('strict', '{3}', proof => '5 s')$$, $$SELECT k, glm FROM anonopt.recoding_curve('strict', '{3}')$$,
    'a curve with proofs has the same recodings');
SELECT ok(glm >= anonopt.recoding_bound('strict', 3), 'none below the bound') FROM anonopt.recoding_curve('strict', '{3}');
SELECT * FROM finish();
ROLLBACK;
