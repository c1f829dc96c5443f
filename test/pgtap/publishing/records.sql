-- Releases by records: the classes they show, against plain SQL over what aruba finds,
-- and how many people they may leave out.
\ir ../begin.inc
SET search_path = public;
SET anonopt.composition = off;

CREATE TABLE visitor AS
    SELECT nr, floor(100 * power(random(), 2))::int AS age, floor(27 * power(random(), 3))::int AS place
    FROM generate_series(1, 1500) nr, setseed(0.3);
SELECT anonopt.create_interval_hierarchy('ages', 0, 99, '{5,10,50}'),
       anonopt.create_interval_hierarchy('places', 0, 26, '{3,9}') \g /dev/null
SELECT anonopt.create_dataset('tenth', 'visitor', 0.1), anonopt.create_dataset('none', 'visitor', 0),
       anonopt.create_dataset('anybody', 'visitor', 1) \g /dev/null
SELECT anonopt.add_quasi_identifier(d, 'age', 'ages'), anonopt.add_quasi_identifier(d, 'place', 'places')
FROM unnest('{tenth,none,anybody}'::text[]) d \g /dev/null

-- Seven levels in all: what is not climbed is utility.
CREATE FUNCTION pg_temp.shown(min_utility float8, k int)
RETURNS TABLE (age text, place text, people bigint)
LANGUAGE sql AS $$
    WITH record AS MATERIALIZED (
        SELECT v.nr, v.age AS own_age, v.place AS own_place, levels, generalized
        FROM anonopt.aruba('anybody', min_utility, key => 'nr') a JOIN visitor v ON v.nr::text = a.record),
    alike AS MATERIALIZED (
        SELECT generalized, count(*) AS n FROM record WHERE levels IS NOT NULL GROUP BY generalized),
    large AS MATERIALIZED (
        SELECT DISTINCT levels, generalized, n FROM record JOIN alike USING (generalized) WHERE n >= k),
    joined AS (
        SELECT coalesce(j.generalized, CASE WHEN a.n >= k THEN r.generalized END) AS generalized
        FROM record r JOIN alike a USING (generalized) LEFT JOIN LATERAL (
            SELECT l.generalized FROM large l
            WHERE a.n < k AND 7 - l.levels[1] - l.levels[2] >= min_utility
              AND anonopt.generalize(own_age::text, 'ages', l.levels[1]) = l.generalized[1]
              AND anonopt.generalize(own_place::text, 'places', l.levels[2]) = l.generalized[2]
            ORDER BY n DESC, levels LIMIT 1) j ON true)
    SELECT generalized[1], generalized[2], count(*) FROM joined WHERE generalized IS NOT NULL GROUP BY generalized
$$;

CREATE FUNCTION pg_temp.check_release(min_utility float8, k int) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
    made regclass;
    small bigint;
    left_out bigint;
BEGIN
    made := anonopt.publish_records('made', 'anybody', min_utility, 'nr', k => k);
    RETURN NEXT set_eq(
        'SELECT age, place, count(*) FROM made GROUP BY age, place',
        format('SELECT * FROM pg_temp.shown(%s, %s)', min_utility, k),
        format('utility %s, k %s: the classes', min_utility, k));
    SELECT 1500 - count(*) INTO left_out FROM made;
    SELECT sum(n) INTO small FROM (
        SELECT count(*) AS n FROM anonopt.aruba('anybody', min_utility, key => 'nr') GROUP BY generalized) x WHERE n < k;
    RETURN NEXT cmp_ok(left_out, '<=', coalesce(small, 0), 'no more are left out than alone are too few');
    PERFORM anonopt.drop_release(made);
    IF left_out > 150 THEN
        RETURN NEXT throws_matching(format('SELECT anonopt.publish_records(''made'', ''tenth'', %s, ''nr'', k => %s)', min_utility, k),
            'too many people are in classes that break the promise', 'more than may be are not left out');
    ELSE
        RETURN NEXT lives_ok(format('SELECT anonopt.publish_records(''made'', ''tenth'', %s, ''nr'', k => %s)',
            min_utility, k), 'as many as may be are left out');
        PERFORM anonopt.drop_release('made');
    END IF;
    IF left_out > 0 THEN
        RETURN NEXT throws_ok(format('SELECT anonopt.publish_records(''made'', ''none'', %s, ''nr'', k => %s)', min_utility, k),
            '22023', 'too many people are in classes that break the promise', 'nobody is, where nobody may be');
    ELSE
        RETURN NEXT lives_ok(format('SELECT anonopt.publish_records(''made'', ''none'', %s, ''nr'', k => %s)',
            min_utility, k), 'nobody has to be');
        PERFORM anonopt.drop_release('made');
    END IF;
END $$;

SELECT plan(4 * 4 * 3 + 3);
SELECT pg_temp.check_release(u, k) FROM unnest('{1,3,4,5}'::float8[]) u, unnest('{2,5,20}'::int[]) k;
SELECT throws_ok('SELECT anonopt.publish_records(''made'', ''anybody'', 7, ''nr'', k => 1000)', '22023',
    'no class keeps the promise', 'a release of nobody');
SELECT throws_ok('SELECT anonopt.publish_records(''made'', ''anybody'', 8, ''nr'', k => 1)', '22023',
    'no class keeps the promise', 'nor one of a utility that no generalization has');

-- a refresh keeps the models that were chosen
SELECT anonopt.publish_records('modelled', 'anybody', 1, 'nr', 2, risk => 'identity', utility => 'leaves') \g /dev/null
SELECT anonopt.refresh_release('modelled') \g /dev/null
SELECT is((SELECT array[measures ->> 'risk', measures ->> 'utility'] FROM anonopt.release WHERE release = 'modelled'::regclass), '{identity,leaves}'::text[],
    'a release by records keeps its models when it is refreshed');

SELECT * FROM finish();
ROLLBACK;
