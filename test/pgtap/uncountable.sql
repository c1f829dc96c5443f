-- A lattice of more nodes than can be counted.
\ir begin.inc
SELECT plan(3);
DO $$
BEGIN
    EXECUTE 'CREATE TABLE people AS SELECT i % 2 AS s, ' || (SELECT string_agg(format('i %% 4 AS q%s', g), ', ') FROM generate_series(1, 40) g) || ' FROM generate_series(1, 64) i';
    PERFORM anonopt.create_interval_hierarchy('fours', 0, 7, '{2,4}'), anonopt.create_dataset('d', 'people', 0), anonopt.add_sensitive('d', 's');
    FOR i IN 1..40 LOOP
        PERFORM anonopt.add_quasi_identifier('d', ('q' || i)::name, 'fours');
    END LOOP;
    PERFORM anonopt.add_promise('d', 'l', 1, column_name => 's');
END $$;
CREATE FUNCTION pg_temp.counted() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN (SELECT count(*) FROM anonopt.lattice('d'));
EXCEPTION WHEN query_canceled THEN
    RETURN 'cancelled';
END $$;
SELECT anonopt.pareto('d', '{entropy_l,glm}', time_limit => '0.3 s') \g /dev/null
SELECT is((SELECT exact FROM anonopt.last_search()), false, 'its front is not proven in a moment');
SET statement_timeout = '0.3 s';
SELECT is(pg_temp.counted(), 'cancelled', 'nor are its nodes listed');
RESET statement_timeout;
SELECT is((SELECT count(*) FROM anonopt.policy_check('d') WHERE attainable), (SELECT count(*) FROM anonopt.policy_check('d')), 'what everybody keeps is attainable');
SELECT * FROM finish();
ROLLBACK;
