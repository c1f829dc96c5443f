-- Where searches end: arguments that are refused, data sets that leave nothing to
-- search, and lattices of which nobody could measure every node.
\ir begin.inc
SET client_min_messages = error;

SELECT plan(138);

-- A number below n, the same in every run.
CREATE FUNCTION pg_temp.draw(i int, column_number int, n int) RETURNS int
LANGUAGE sql AS $$ SELECT ('x' || left(md5(i || '.' || column_number), 7))::bit(28)::int % n $$;

-- plain has nothing but quasi-identifiers, told all there can be; the others are
-- what their names say.
CREATE TABLE pg_temp.people AS
    SELECT i, pg_temp.draw(i, 1, 16) AS a, pg_temp.draw(i, 2, 16) AS b,
           'illness ' || pg_temp.draw(i, 3, 4) AS illness, pg_temp.draw(i, 4, 2) AS label
    FROM generate_series(1, 200) i;
CREATE VIEW pg_temp.nobody AS SELECT * FROM people WHERE i < 0;
CREATE VIEW pg_temp.one AS SELECT * FROM people WHERE i = 1;
DO $$
BEGIN
    EXECUTE (SELECT format('CREATE TABLE pg_temp.sample AS SELECT %s, pg_temp.draw(i, 17, 5) AS illness FROM generate_series(1, 2000) i',
                           string_agg(format('pg_temp.draw(i, %s, 16) AS v%1$s', c), ', '))
             FROM generate_series(1, 16) c);
    PERFORM anonopt.create_interval_hierarchy('pg_temp.digits', 0, 15, '{2,4,8}');
    PERFORM anonopt.create_dataset(d, r, s)
    FROM (VALUES ('plain', 'people'::regclass, 0), ('told', 'people', 0), ('empty', 'nobody', 0.5),
                 ('alone', 'one', 0), ('single_node', 'people', 0), ('lax', 'people', 1),
                 ('bare', 'people', 0), ('large', 'sample', 0.01)) v (d, r, s);
    PERFORM anonopt.add_quasi_identifier(d, c, 'digits', 1, low, high)
    FROM unnest('{plain,told,empty,alone,single_node,lax}'::text[]) d, unnest('{a,b}'::name[]) c,
         LATERAL (SELECT CASE d WHEN 'single_node' THEN 2 ELSE 0 END AS low,
                         CASE d WHEN 'single_node' THEN 2 END AS high) x;
    PERFORM anonopt.add_quasi_identifier('large', ('v' || c)::name, 'digits') FROM generate_series(1, 16) c;
    PERFORM anonopt.add_sensitive(d, 'illness') FROM unnest('{told,empty,alone,single_node,lax,large}'::text[]) d;
    PERFORM anonopt.set_class_label(d, 'label') FROM unnest('{told,empty,alone,single_node,lax}'::text[]) d;
END $$;

-- The error of a call, or the number of rows it returned.
CREATE FUNCTION pg_temp.outcome(call text, OUT state text, OUT message text, OUT hint text)
LANGUAGE plpgsql AS $$
BEGIN
    state := 'returned';
    EXECUTE 'SELECT count(*) FROM anonopt.' || call INTO message;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
END $$;

CREATE FUNCTION pg_temp.refused(call text, message text, hint text DEFAULT '', state text DEFAULT '22023') RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    got record := pg_temp.outcome(call);
    refused boolean := got.state = state AND got.message ~ message AND got.hint ~ hint;
BEGIN
    RETURN ok(refused, call) || CASE WHEN refused THEN '' ELSE E'\n' || diag(format('%s: %s; hint: %s', got.state, got.message, got.hint)) END;
END $$;

CREATE FUNCTION pg_temp.returned(call text, rows bigint) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    got record := pg_temp.outcome(call);
BEGIN
    RETURN is(got.state || ' ' || got.message, 'returned ' || rows, call || ': number of rows');
END $$;

-- Objectives ------------------------------------------------------------------

SELECT pg_temp.refused(c, m, h) FROM (VALUES
    ('pareto(''told'', ''{k,loss}'')', '^unknown objective "loss"$',
     '^Objectives are k, l, entropy_l, t, suppressed, classes, glm, nwp, dcn, cm, necd, sum_k, sum_l, sum_other, gini, below_2k, sum_ln_k, alpha, beta, disclosure, k_map, presence, average_risk.$'),
    ('pareto(''told'', ''{K,glm}'')', '^unknown objective "K"$', 'Objectives are'),
    ('pareto(''told'', ''{k,""}'')', '^unknown objective ""$', 'Objectives are'),
    ('pareto(''told'', ''{k,levels}'')', '^unknown objective "levels"$', 'Objectives are'),
    ('pareto(''told'', ''{k,glm,k}'')', '^objective "k" is named twice$', ''),
    ('pareto(''told'', ''{}'')', 'between 1 and 24', ''),
    (format('pareto(''told'', ''{k%s}'')', repeat(',k', 24)), 'between 1 and 24 .* not 25', ''),
    ('pareto(''told'', ''{k,NULL}'')', 'must not be null', ''),
    ('pareto(''told'', NULL)', '"objectives" must not be null', ''),
    ('optimize(''told'', k => 2, loss => ''cost'')', '^unknown loss "cost"$',
     '^Losses are t, suppressed, classes, glm, nwp, dcn, cm, necd, gini, below_2k, alpha, beta, disclosure, presence, average_risk.$'),
    ('optimize(''told'', k => 2, loss => ''k'')', '^unknown loss "k"$', 'Losses are'),
    ('optimize(''told'', k => 2, loss => ''sum_l'')', '^unknown loss "sum_l"$', 'Losses are'),
    ('optimize(''told'', k => 2, loss => NULL)', '"loss" must not be null', ''),
    ('poka(''told'', ''GLM'')', '^unknown loss "GLM"$', 'Losses are'),
    ('poka(''told'', ''l'')', '^unknown loss "l"$', 'Losses are'),
    ('poka(''told'', NULL)', '"loss" must not be null', '')) v (c, m, h);

SELECT pg_temp.refused(format('pareto(''plain'', ''{k,%s}'')', o), format('^%s needs a sensitive column', o), 'anonopt\.add_sensitive')
FROM unnest('{l,entropy_l,t,sum_l,sum_other}'::text[]) o;
SELECT pg_temp.refused(c, 'needs a sensitive column', 'anonopt\.add_sensitive') FROM unnest(ARRAY[
    'optimize(''plain'', k => 2, loss => ''t'')', 'poka(''plain'', ''t'')',
    'pareto(''plain'', l => 2)', 'pareto(''plain'', t => 0.5)', 'optimize(''plain'', l => 2)', 'optimize(''plain'', t => 0.5)',
    'lattice(''plain'', l => 2)']) c;
SELECT pg_temp.refused(c, '^cm needs a class label', 'anonopt\.set_class_label') FROM unnest(ARRAY[
    'pareto(''plain'', ''{k,cm}'')', 'optimize(''plain'', k => 2, loss => ''cm'')', 'poka(''plain'', ''cm'')']) c;

-- Other arguments ---------------------------------------------------------------

SELECT pg_temp.refused(c, m, h) FROM (VALUES
    ('optimize(''told'')', 'nothing is promised', 'k, l or t'),
    ('optimize(''told'', NULL, NULL, NULL, ''dcn'', ''1 s'')', 'nothing is promised', 'k, l or t'),
    ('optimize(''told'', k => 0)', 'k must be at least 1, not 0', ''),
    ('pareto(''told'', k => -1)', 'k must be at least 1, not -1', ''),
    ('pareto(''told'', l => 0)', 'l must be at least 1, not 0', ''),
    ('optimize(''told'', t => -0.1)', 't must be between 0 and 1', ''),
    ('optimize(''told'', t => 1.1)', 't must be between 0 and 1', ''),
    ('pareto(''told'', t => ''NaN'')', 't must be between 0 and 1', ''),
    ('poka(''told'', start => ''{0}'')', 'wrong number of levels', 'Give one'),
    ('poka(''single_node'', start => ''{0,0}'')', 'start is outside the declared levels of column "a"', 'declared from 2 to 2'),
    ('poka(''told'', depth => 0)', 'depth must be at least 1, not 0', ''),
    ('poka(''told'', depth => -3)', 'depth must be at least 1, not -3', ''),
    ('pareto(''told'', time_limit => ''0'')', 'time limit must be positive', ''),
    ('pareto(''told'', time_limit => ''-1 s'')', 'time limit must be positive', ''),
    ('optimize(''told'', k => 2, time_limit => ''0'')', 'time limit must be positive', ''),
    ('optimize(''told'', k => 2, time_limit => ''-1 month'')', 'time limit must be positive', ''),
    ('optimize(''told'', k => 2, time_limit => ''-178000000 years'')', 'time limit must be positive', ''),
    ('pareto(NULL)', '"dataset" must not be null', ''),
    ('optimize(NULL, k => 2)', '"dataset" must not be null', ''),
    ('poka(NULL)', '"dataset" must not be null', '')) v (c, m, h);
SELECT pg_temp.refused(c, 'nowhere', '', '42704')
FROM unnest(ARRAY['pareto(''nowhere'')', 'optimize(''nowhere'', k => 2)', 'poka(''nowhere'')']) c;
SELECT pg_temp.refused(c, 'no quasi-identifier', 'anonopt\.add_quasi_identifier', '23514')
FROM unnest(ARRAY['pareto(''bare'')', 'optimize(''bare'', k => 2)', 'poka(''bare'')']) c;

-- Little or nothing to search -----------------------------------------------------

SELECT pg_temp.returned(c, 0) FROM unnest(ARRAY[
    'lattice(''empty'')', 'pareto(''empty'')', 'pareto(''empty'', ''{t,cm}'')', 'pareto(''empty'', k => 2)',
    'optimize(''empty'', k => 2)', 'poka(''empty'')']) c;

SELECT pg_temp.returned(c, 1) FROM unnest(ARRAY[
    'lattice(''single_node'')', 'pareto(''single_node'')', 'pareto(''single_node'', ''{l,t,cm}'')',
    'optimize(''single_node'', k => 1)', 'poka(''single_node'')', 'poka(''single_node'', depth => 7)']) c;
SELECT results_eq('SELECT * FROM anonopt.pareto(''single_node'')', 'SELECT * FROM anonopt.evaluate(''single_node'', ''{2,2}'')',
                  'the only node is measured');

SELECT results_eq('SELECT levels, k FROM anonopt.pareto(''alone'')', 'VALUES (''{0,0}''::int[], 1::bigint)',
                  'one person: the front is the bottom');
SELECT results_eq('SELECT levels, k FROM anonopt.poka(''alone'')', 'VALUES (''{4,4}''::int[], 1::bigint)',
                  'one person: POkA stays at the top');

SELECT pg_temp.returned(c, 0) FROM unnest(ARRAY[
    'optimize(''told'', k => 201)', 'optimize(''told'', l => 5)', 'optimize(''told'', k => 2, t => 0, l => 5, loss => ''cm'')',
    'pareto(''told'', k => 201)', 'pareto(''told'', ''{l,t}'', l => 5)']) c;
SELECT results_eq('SELECT levels, k, classes, suppressed FROM anonopt.optimize(''lax'', k => 201)',
                  'VALUES (''{0,0}''::int[], NULL::bigint, 0::bigint, 200::bigint)',
                  'where all may be suppressed, every node is feasible');

-- Lattices too large ----------------------------------------------------------------

-- A search with a time limit: what it returned, how it went.
CREATE TYPE pg_temp.timed AS (state text, rows bigint, wrong bigint, exact boolean, worked float8);

CREATE FUNCTION pg_temp.timed(call text, evaluation text) RETURNS pg_temp.timed
LANGUAGE plpgsql AS $$
DECLARE
    r pg_temp.timed;
    found anonopt.node[];
    began float8 := pg_temp.seconds_worked();
BEGIN
    EXECUTE format('SELECT array_agg(x::anonopt.node) FROM anonopt.%s x', call) INTO found;
    r.worked := pg_temp.seconds_worked() - began;
    r.state := 'returned';
    r.rows := cardinality(found);
    SELECT exact INTO r.exact FROM anonopt.last_search();
    -- every row is the measure of its node
    EXECUTE format('SELECT count(*) FROM (SELECT f::text FROM unnest($1) f EXCEPT
        SELECT e::text FROM anonopt.evaluate(''large'', (SELECT array_agg(levels) FROM unnest($1))%s) e) x', evaluation)
        INTO r.wrong USING found;
    RETURN r;
EXCEPTION
    WHEN query_canceled THEN
        r.state := 'never ended';
        RETURN r;
    WHEN OTHERS THEN
        r.state := format('%s: %s', SQLSTATE, SQLERRM);
        RETURN r;
END $$;

-- A search of the large lattice: within its limit it is proven or, if it must be,
-- unfinished; it returns what it has.  No other process of the machine changes how much it works.
CREATE FUNCTION pg_temp.check_timed(call text, evaluation text, time_limit interval, must_be_unfinished boolean)
RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
    r pg_temp.timed := pg_temp.timed(format('%s, time_limit => %L)', call, time_limit), evaluation);
BEGIN
    RETURN NEXT is(r.state, 'returned', format('%s, time_limit => %L) ends', call, time_limit));
    RETURN NEXT cmp_ok(r.rows, '>=', 1::bigint, 'with rows');
    RETURN NEXT is(r.wrong, 0::bigint, 'that are true');
    RETURN NEXT cmp_ok(r.worked, '<', extract(epoch FROM time_limit)::float8 + 1, 'in time');
    IF must_be_unfinished THEN
        RETURN NEXT is(r.exact, false, 'and says that they are not proven');
    END IF;
END $$;

-- A process's memory in MB, where the system tells.
CREATE FUNCTION pg_temp.memory(what text) RETURNS float8
LANGUAGE sql AS $$
    SELECT substring(pg_read_file('/proc/self/status', 0, 100000, true) FROM what || ':\s*(\d+) kB')::float8 / 1024
$$;

SELECT cmp_ok(anonopt.lattice_size('large'), '>', 1e8, 'a large lattice');
SET anonopt.memory = '64MB';
SELECT pg_temp.memory('VmRSS') AS before \gset

SET statement_timeout = '3 min';
SET anonopt.max_workers = 0;
SELECT pg_temp.check_timed('pareto(''large''', '', '1 s', true);
SELECT pg_temp.check_timed('pareto(''large'', ''{dcn,t,classes}''', '', '500 ms', true);
SELECT pg_temp.check_timed('pareto(''large'', ''{k,nwp}'', k => 3, l => 2', ', k => 3, l => 2', '500 ms', true);
SELECT pg_temp.check_timed('optimize(''large'', k => 5', ', k => 5', '1 s', false);
SELECT pg_temp.check_timed('optimize(''large'', t => 0.3, loss => ''dcn''', ', t => 0.3', '500 ms', false);
SET anonopt.max_workers = 2;
SELECT pg_temp.check_timed('pareto(''large'', ''{dcn,t,classes}''', '', '1 s', true);
SELECT pg_temp.check_timed('pareto(''large'', ''{entropy_l,glm}''', '', '500 ms', true);

SELECT CASE WHEN :'before' = '' THEN skip('this system does not tell of memory')
       ELSE cmp_ok(pg_temp.memory('VmHWM') - nullif(:'before', '')::float8, '<', 64::float8,
                   'all that takes no more than anonopt.memory') END;

-- The cache of measured nodes grows only as far as memory allows: with little more than
-- the data need, a search takes longer but does not fail.
CREATE FUNCTION pg_temp.least_memory() RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    FOR kb IN 1024..65536 BY 128 LOOP
        PERFORM set_config('anonopt.memory', kb || 'kB', false);
        BEGIN
            PERFORM FROM anonopt.pareto('large', time_limit => '50 ms');
            RETURN current_setting('anonopt.memory');
        EXCEPTION WHEN out_of_memory THEN
        END;
    END LOOP;
END $$;
SET anonopt.max_workers = 0;
SELECT pg_temp.least_memory() AS least \gset
-- the tables of the path are made as the search comes to need them: 2 MB for those
SELECT set_config('anonopt.memory', pg_size_bytes(:'least') / 1024 + 2048 || 'kB', false) \g /dev/null
SELECT pg_temp.check_timed('pareto(''large''', '', '2 s', true);

SELECT is((SELECT o::text FROM anonopt.optimize('told', k => 2, time_limit => '178000000 years') o), (SELECT o::text FROM anonopt.optimize('told', k => 2) o), 'a limit beyond the end of time is none');

-- Searches that never end by themselves, and a report, are as good as without a limit that is far away; with one that is
-- near, their answers are true, if fewer.
RESET anonopt.memory;
SELECT pg_temp.refused(call, '^time limit must be positive$') FROM unnest(ARRAY['pbg_ea(''told'', time_limit => ''0'')', 'nsga2(''told'', 2, 0.3, 0.3, time_limit => ''-1 s'')',
    'recoding_curve(''told'', time_limit => ''-1 day'')', 'report(''told'', time_limit => ''0 s'')']) call;
CREATE FUNCTION pg_temp.answers(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    answer text;
BEGIN
    EXECUTE format('SELECT string_agg(r::text, E''\n'') FROM anonopt.%s r', call) INTO answer;
    RETURN answer;
END $$;
SELECT is(pg_temp.answers(format(call, ', time_limit => ''1 day''')), pg_temp.answers(format(call, '')), call || ': as without a limit')
FROM unnest(ARRAY['pbg_ea(''told'', seed => 7%s)', 'nsga2(''told'', 2, 0.3, 0.3, evaluations => 1000, seed => 7%s)', 'recoding_curve(''told'', ''{2,20}''%s)', 'report(''plain''%s)']) call;
SELECT is((SELECT count(*)::int FROM anonopt.pbg_ea('large', seed => 7, iterations => 1000000, time_limit => l) f, anonopt.evaluate('large', f.levels) e
    WHERE (f.k, f.glm) IS DISTINCT FROM (e.k, e.glm)), 0, 'nodes found within ' || l || ' have their measures')
FROM unnest('{1 us,300 ms}'::interval[]) l;
SELECT isnt((SELECT count(*)::int FROM anonopt.pbg_ea('large', seed => 7, iterations => 1000000, time_limit => '1 us')), 0, 'and there is always one');
SELECT is((WITH f AS MATERIALIZED (SELECT * FROM anonopt.nsga2('large', 2, 0.3, 0.3, evaluations => 100000000, seed => 7, time_limit => l) WITH ORDINALITY)
    SELECT count(*)::int FROM f JOIN anonopt.evaluate_cuts('large', (SELECT array_agg(cuts ORDER BY ordinality) FROM f), k => 2) WITH ORDINALITY e USING (ordinality)
    WHERE f.feasible AND f.k <> e.k), 0, 'cuts found within ' || l || ' have their measures')
FROM unnest('{1 us,300 ms}'::interval[]) l;
SELECT is_empty($$SELECT k FROM anonopt.recoding_curve('told', '{2,5,20}', time_limit => '5 ms') s WHERE NOT EXISTS (
        SELECT FROM anonopt.recoding_curve('told', '{2,5,20}') w WHERE w.k = s.k AND w.glm < s.glm + 1e-9)$$,
    'recodings that are shown lose no less than without a limit');
SELECT is((SELECT count(*)::int FROM anonopt.recoding_curve('told', '{2,5,20}', time_limit => '1 us')), 0, 'and none is, if there is no time at all');
SELECT alike(anonopt.report('told', time_limit => '1 us'), '%Left out, because the time limit of % had passed: the declaration, the risk of the data, the releases together, the trade-off, recodings.%',
    'a report names what it left out');
SELECT unalike(anonopt.report('told', time_limit => '1 day'), '%class="warning"%', 'and does not, if that is nothing');
-- nobody else's cancel is taken for the limit
CREATE FUNCTION pg_temp.canceled() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN left(anonopt.report('large', time_limit => '1 day'), 15);
EXCEPTION WHEN query_canceled THEN RETURN SQLSTATE;
END $$;
SET statement_timeout = '300 ms';
SELECT pg_temp.canceled() AS canceled \gset
RESET statement_timeout;
SELECT is(:'canceled'::text, '57014', 'a report that is canceled ends');
SELECT pg_temp.refused('report(''nothing'', time_limit => ''1 day'')', 'does not exist', '', '42704');
SELECT * FROM finish();
ROLLBACK;
