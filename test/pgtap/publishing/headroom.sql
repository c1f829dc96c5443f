-- What an optimum leaves of the people who may be suppressed, and what a refresh that fails proposes.
\ir ../begin.inc
\ir ../reference.inc
\ir ../random_data.inc

-- The node of least loss within a part of the limit, found among all nodes.
CREATE FUNCTION pg_temp.headroom_problem(seed int) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    least float8; got float8; allowed bigint; problem text := '';
BEGIN
    PERFORM setseed(seed / 1000.0);
    DROP TABLE IF EXISTS sample.roomy, sample.roomy_a, sample.roomy_b;
    CREATE TABLE sample.roomy AS SELECT sample.below(20) AS a, sample.below(8) AS b FROM generate_series(1, 200) i;
    PERFORM anonopt.create_interval_hierarchy('sample.roomy_a', 0, 19, '{2,4,8}'), anonopt.create_interval_hierarchy('sample.roomy_b', 0, 7, '{2,4}');
    PERFORM anonopt.create_dataset('roomy', 'sample.roomy', sample.below(100) / 200.0), anonopt.add_quasi_identifier('roomy', 'a', 'sample.roomy_a'),
        anonopt.add_quasi_identifier('roomy', 'b', 'sample.roomy_b');
    FOR room IN 0..4 LOOP
        SELECT floor((1 - room / 4.0) * max_suppression::numeric * 200) INTO allowed FROM anonopt.dataset WHERE dataset = 'roomy';
        SELECT min(glm) INTO least FROM anonopt.lattice('roomy', k => 5) WHERE suppressed <= allowed AND classes > 0;
        SELECT glm INTO got FROM anonopt.optimize('roomy', k => 5, headroom => room / 4.0);
        IF got IS DISTINCT FROM least THEN
            problem := concat_ws('; ', nullif(problem, ''), format('%s: %s, not %s', room, got, least));
        END IF;
    END LOOP;
    PERFORM anonopt.drop_dataset('roomy');
    RETURN nullif(problem, '');
END $$;

SELECT plan(11);
SELECT is((SELECT string_agg(p, '; ') FROM generate_series(1, 20) s, pg_temp.headroom_problem(s) p), NULL, 'the best node within a part of the limit');
SELECT throws_ok(format('SELECT * FROM anonopt.optimize(%L, k => 2, headroom => %s)', 'none', h), '42704') FROM unnest('{0,1}'::float8[]) h;

-- a refresh that fails names the node that fits now
CREATE TABLE sample.night AS SELECT i, i % 16 AS a, i % 3 AS b FROM generate_series(0, 479) i;
SELECT anonopt.create_interval_hierarchy('sample.night_a', 0, 15, '{2,4,8}'), anonopt.create_interval_hierarchy('sample.night_b', 0, 2, '{}');
SELECT anonopt.create_dataset('night', 'sample.night', 0.1), anonopt.add_quasi_identifier('night', 'a', 'sample.night_a'), anonopt.add_quasi_identifier('night', 'b', 'sample.night_b');
SELECT throws_ok(format('SELECT * FROM anonopt.optimize(%L, k => 2, headroom => %L)', 'night', h), '22023', 'headroom must be between 0 and 1')
FROM unnest('{-0.1,1.1,NaN}'::float8[]) h;
SELECT anonopt.publish_table('sample.night_shown', 'night', '{0,0}', k => 10);
DELETE FROM sample.night WHERE a % 4 > 0 AND i / 48 % 2 = 0;

CREATE FUNCTION pg_temp.proposed(OUT call text, OUT problem text)
LANGUAGE plpgsql AS $$
DECLARE
    hint text;
BEGIN
    PERFORM anonopt.refresh_release('sample.night_shown');
EXCEPTION WHEN invalid_parameter_value THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    problem := SQLERRM;
    call := substring(hint FROM '^Call (anonopt\.republish\(.*\)), whose node fits now, or allow more suppression for data set "night"\.$');
END $$;

SELECT is(problem, 'too many people are in classes that break the promise', 'a refresh fails') FROM pg_temp.proposed();
SELECT is(call, format('anonopt.republish(%L, levels => %L)', 'sample.night_shown',
                       (SELECT levels FROM anonopt.optimize('night', k => 10) WHERE NOT EXISTS (SELECT FROM anonopt.lattice('night', k => 10) n WHERE n.levels = '{0,0}' AND n.feasible))),
          'and names the node of least loss') FROM pg_temp.proposed();
SELECT lives_ok('SELECT ' || call, 'the call that it names can be made') FROM pg_temp.proposed();
SELECT ok(v.ok, 'and keeps the promise') FROM anonopt.verify('sample.night_shown') v;
SELECT is((SELECT problem FROM pg_temp.proposed()), NULL, 'now it is refreshed');
SELECT * FROM finish();
ROLLBACK;
