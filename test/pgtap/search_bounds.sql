-- Optima of lattices that take a while: results at a time limit, and with workers.
\ir begin.inc

SET client_min_messages = error;

\ir search_help.inc

-- People of some kinds, who deviate now and then in each column.
SELECT format('CREATE TABLE people AS SELECT %s, floor(7 * pg_temp.draw(i, 300))::int AS disease FROM (
        SELECT i, -1 - floor(300 * pg_temp.draw(i, 0) ^ 3)::int AS kind FROM generate_series(1, 9000) i) x',
    string_agg(format('floor(16 * pg_temp.draw(CASE WHEN pg_temp.draw(i, 100 + %s) < 0.15 THEN i ELSE kind END, %1$s) ^ 2)::int AS c%1$s', c), ', '))
FROM generate_series(1, 16) c \gexec
SELECT anonopt.create_interval_hierarchy('people_levels', 0, 15, '{4}') \g /dev/null
SELECT anonopt.create_dataset('people', 'people', max_suppression => 0.02) \g /dev/null
SELECT anonopt.create_dataset('some', 'people', max_suppression => 0.02) \g /dev/null
SELECT anonopt.add_quasi_identifier('people', ('c' || c)::name, 'people_levels') FROM generate_series(1, 16) c \g /dev/null
SELECT anonopt.add_quasi_identifier('some', ('c' || c)::name, 'people_levels') FROM generate_series(1, 6) c \g /dev/null
SELECT anonopt.add_sensitive(d, 'disease') FROM unnest('{people,some}'::text[]) d \g /dev/null

-- An optimum, and the statistics of the search.
CREATE TYPE pg_temp.answer AS (levels int[], cost float8, feasible boolean, bound float8, exact boolean, evaluated bigint, workers int);
CREATE FUNCTION pg_temp.optimum(dataset text, promise text, loss text, time_limit text) RETURNS pg_temp.answer
LANGUAGE plpgsql AS $$
DECLARE
    a pg_temp.answer;
BEGIN
    EXECUTE format('SELECT levels, %I, feasible FROM anonopt.optimize(%L, %s, loss => %L, time_limit => %L)', loss, dataset, promise, loss, time_limit)
        INTO a.levels, a.cost, a.feasible;
    SELECT s.bound, s.exact, s.evaluated, s.workers INTO a.bound, a.exact, a.evaluated, a.workers FROM anonopt.last_search() s;
    RETURN a;
END $$;

-- Every promise and every loss that has bounds, against all nodes; then time limits that fall anywhere.
CREATE FUNCTION pg_temp.check_limits(promise text) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
    loss text;
    truth float8;
    best int[];
    a pg_temp.answer;
    wrong text[] := '{}';
    begun timestamptz;
    took float8;
BEGIN
    EXECUTE format('CREATE TEMP TABLE feasible ON COMMIT DROP AS SELECT *, (SELECT sum(x) FROM unnest(levels) x) AS height FROM anonopt.lattice(''some'', %s) WHERE feasible', promise);
    FOREACH loss IN ARRAY '{glm,nwp,dcn,suppressed,classes}'::text[] LOOP
        EXECUTE format('SELECT %I, levels FROM feasible ORDER BY %1$I, height, levels LIMIT 1', loss) INTO truth, best;
        wrong := '{}';
        begun := clock_timestamp();
        a := pg_temp.optimum('some', promise, loss, NULL);
        took := extract(epoch FROM clock_timestamp() - begun);
        RETURN NEXT is(a.levels, best, format('%s, %s: the best of all nodes', promise, loss));
        RETURN NEXT is((a.exact, a.bound), (true, truth), 'proven, with its loss as the bound');
        FOR i IN 1..pg_temp.few(6) LOOP
            a := pg_temp.optimum('some', promise, loss, took * i / (1 + pg_temp.few(6)) || ' s');
            IF a.bound > truth OR (a.exact AND a.levels IS DISTINCT FROM best) OR NOT a.feasible OR a.cost < a.bound THEN
                wrong := wrong || a::text;
            END IF;
        END LOOP;
        RETURN NEXT is(wrong, '{}', 'no time limit makes it say what is not so');
    END LOOP;
    DROP TABLE feasible;
END $$;

SELECT no_plan();
SELECT pg_temp.check_limits(promise)
FROM unnest('{k => 3,k => 20,l => 3,"k => 5, l => 2",t => 0.4,"k => 4, t => 0.5"}'::text[]) promise;

-- A search that is long enough for workers, and for little memory.
SET anonopt.max_workers = 0;
CREATE TEMP TABLE alone AS SELECT * FROM pg_temp.optimum('people', 'k => 5', 'glm', NULL);
SET anonopt.max_workers = 1;
CREATE TEMP TABLE together AS SELECT * FROM pg_temp.optimum('people', 'k => 5', 'glm', NULL);
SELECT is((t.levels, t.cost, t.bound, t.exact), (a.levels, a.cost, a.bound, a.exact), 'a worker finds the same') FROM alone a, together t;
SELECT cmp_ok((SELECT bound FROM alone), '=', (SELECT cost FROM alone), 'which is proven');
SELECT cmp_ok(workers, '>=', 1, 'a worker was called') FROM together;
SELECT ok(bound <= (SELECT cost FROM alone) AND cost >= (SELECT cost FROM alone), 'time ends a search with a worker: its bound is true')
FROM unnest('{300 ms,600 ms}'::text[]) time_limit, pg_temp.optimum('people', 'k => 5', 'glm', time_limit) a;
SET anonopt.max_workers = 0;

-- The nodes of a call, in its order, with the least memory that suffices.
CREATE FUNCTION pg_temp.levels_with_least_memory(call text) RETURNS text
LANGUAGE sql AS $$
    SELECT pg_temp.with_least_memory(format('SELECT string_agg(levels::text, '' '' ORDER BY n) FROM (SELECT levels, row_number() OVER () AS n FROM anonopt.%s) f', call))
$$;
SELECT is(pg_temp.levels_with_least_memory($$optimize('people', k => 5)$$), (SELECT levels::text FROM alone), 'where little is remembered, the same is found');

-- Fronts that are searched in parts, and POkA: against all nodes, alone, with a worker, and where little is remembered.
SELECT anonopt.create_dataset('middle', 'people', max_suppression => 0.02) \g /dev/null
SELECT anonopt.add_quasi_identifier('middle', ('c' || c)::name, 'people_levels') FROM generate_series(1, 7) c \g /dev/null
SELECT anonopt.add_sensitive('middle', 'disease') \g /dev/null

-- The front of two objectives, by comparing all nodes.
CREATE FUNCTION pg_temp.front(objectives text[], promise text, OUT nodes text)
LANGUAGE plpgsql AS $$
DECLARE
    costs text[] := ARRAY(SELECT CASE o WHEN 'k' THEN '-k' ELSE o END FROM unnest(objectives) WITH ORDINALITY u (o, i) ORDER BY i);
BEGIN
    EXECUTE format('WITH node AS MATERIALIZED (SELECT DISTINCT ON (x, y) levels, x, y FROM (SELECT levels, %s AS x, %s AS y
                FROM anonopt.lattice(''middle'', %s) WHERE %s) n ORDER BY x, y, (SELECT sum(l) FROM unnest(levels) l), levels),
        beside AS (SELECT levels, x, y, min(y) OVER (ORDER BY x, y ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS least FROM node)
        SELECT string_agg(levels::text, '' '' ORDER BY x) FROM beside WHERE least IS NULL OR y < least',
        costs[1], costs[2], coalesce(promise, 'NULL'), CASE WHEN promise IS NULL THEN 'true' ELSE 'feasible' END) INTO nodes;
END $$;
CREATE FUNCTION pg_temp.found(objectives text[], promise text, time_limit text DEFAULT NULL) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    nodes text;
BEGIN
    EXECUTE format('SELECT string_agg(levels::text, '' '' ORDER BY n) FROM (SELECT levels, row_number() OVER () AS n
        FROM anonopt.pareto(''middle'', %L, %s time_limit => %L)) f', objectives, coalesce(promise || ',', ''), time_limit) INTO nodes;
    RETURN nodes;
END $$;
CREATE FUNCTION pg_temp.check_front(objectives text[], promise text) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
    truth text := pg_temp.front(objectives, promise);
    name text := format('%s, %s', objectives, coalesce(promise, 'no promise'));
BEGIN
    PERFORM set_config('anonopt.max_workers', '0', true);
    RETURN NEXT is(pg_temp.found(objectives, promise), truth, name || ': the front of all nodes');
    PERFORM set_config('anonopt.max_workers', '1', true);
    RETURN NEXT is(pg_temp.found(objectives, promise), truth, 'with a worker');
    RETURN NEXT ok((pg_temp.found(objectives, promise, '30 ms'), (anonopt.last_search()).exact) IS DISTINCT FROM (NULL::text, true),
        'time ends it anywhere');
    PERFORM set_config('anonopt.max_workers', '0', true);
END $$;
SELECT pg_temp.check_front(objectives::text[], promise) FROM (VALUES ('{k,glm}', NULL), ('{k,nwp}', NULL),
    ('{suppressed,glm}', 'k => 5'), ('{classes,nwp}', 'k => 3, l => 2'), ('{glm,suppressed}', 't => 0.4'), ('{t,glm}', 't => 0.5')) v (objectives, promise);
SELECT anonopt.create_dataset('large', 'people', max_suppression => 0.02) \g /dev/null
SELECT anonopt.add_quasi_identifier('large', ('c' || c)::name, 'people_levels') FROM generate_series(1, 10) c \g /dev/null
CREATE TEMP TABLE large_alone AS SELECT * FROM anonopt.pareto('large', '{suppressed,glm}', k => 5);
SET anonopt.max_workers = 1;
SELECT results_eq($$SELECT * FROM anonopt.pareto('large', '{suppressed,glm}', k => 5)$$, 'TABLE large_alone', 'a larger front, with a worker');
SELECT cmp_ok((anonopt.last_search()).workers, '>=', 1, 'who was called');
SET anonopt.max_workers = 0;
CREATE TEMP TABLE poka_alone AS SELECT * FROM anonopt.poka('middle');
CREATE TEMP TABLE front_alone AS SELECT * FROM anonopt.pareto('middle');
SELECT is(pg_temp.levels_with_least_memory($$pareto('middle')$$), (SELECT string_agg(levels::text, ' ' ORDER BY k DESC) FROM front_alone),
    'the front, where little is remembered');
SELECT is(pg_temp.levels_with_least_memory($$poka('middle')$$), (SELECT string_agg(levels::text, ' ' ORDER BY n) FROM (SELECT levels, row_number() OVER () AS n FROM poka_alone) p),
    'POkA, where few tables are kept');
SET anonopt.max_workers = 1;
SELECT results_eq('SELECT * FROM anonopt.poka(''middle'')', 'TABLE poka_alone', 'POkA with a worker');
SELECT results_eq($$SELECT * FROM anonopt.poka('middle', start => (SELECT levels FROM poka_alone ORDER BY k DESC OFFSET 3 LIMIT 1)) OFFSET 1 LIMIT 1$$,
    'SELECT * FROM poka_alone ORDER BY k DESC OFFSET 4 LIMIT 1', 'POkA from one of its nodes goes on with the next');

-- POkA without bounds: the same rows from no fewer nodes.  Repaired: no node below a row has as much k and less loss; without
-- repair, some has.
CREATE TABLE compared (seed int, plain text, unbounded text, plain_evaluated bigint, evaluated bigint, beaten bigint, beaten_repaired bigint);
CREATE FUNCTION pg_temp.compare_poka(seed int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    loss text := (ARRAY['glm', 'nwp', 'dcn', 'suppressed'])[1 + seed % 4];
    depth int := 1 + seed % 3;
    c compared;
BEGIN
    c.seed := seed;
    CREATE TABLE guest AS SELECT floor(random() * 4)::int AS a, floor(random() * 8)::int AS b, floor(random() * 4)::int AS c FROM generate_series(1, 5 + floor(random() * 40)::int);
    PERFORM anonopt.create_dataset('guest', 'guest', max_suppression => (seed % 2) / 10.0),
        anonopt.add_quasi_identifier('guest', 'a', 'guest_four'), anonopt.add_quasi_identifier('guest', 'b', 'guest_eight'),
        anonopt.add_quasi_identifier('guest', 'c', 'guest_four');
    CREATE TABLE node AS SELECT levels, k, (to_jsonb(n) ->> loss)::float8 AS loss FROM anonopt.lattice('guest') n;
    c.plain := (SELECT string_agg(levels::text, ' ' ORDER BY k DESC) FROM anonopt.poka('guest', loss, depth));
    c.plain_evaluated := (SELECT evaluated FROM anonopt.last_search());
    c.unbounded := (SELECT string_agg(levels::text, ' ' ORDER BY k DESC) FROM anonopt.poka('guest', loss, depth, bounds => false));
    c.evaluated := (SELECT evaluated FROM anonopt.last_search());
    SELECT count(*) FILTER (WHERE NOT repaired), count(*) FILTER (WHERE repaired) INTO c.beaten, c.beaten_repaired
    FROM unnest('{f,t}'::boolean[]) repaired, LATERAL anonopt.poka('guest', loss, depth, repair => repaired) r JOIN node n USING (levels)
    WHERE n.levels <> '{2,3,2}' AND EXISTS (SELECT FROM node b WHERE b.k = n.k AND b.loss < n.loss
        AND b.levels[1] <= n.levels[1] AND b.levels[2] <= n.levels[2] AND b.levels[3] <= n.levels[3]);
    INSERT INTO compared VALUES (c.*);
    PERFORM anonopt.drop_dataset('guest');
    DROP TABLE guest, node;
END $$;
SELECT setseed(0.25) \g /dev/null
SELECT anonopt.create_interval_hierarchy('guest_four', 0, 3, '{2}'), anonopt.create_interval_hierarchy('guest_eight', 0, 7, '{2,4}') \g /dev/null
SELECT pg_temp.compare_poka(seed) FROM generate_series(1, pg_temp.few(150)) seed \g /dev/null
SELECT is((SELECT array_agg(seed) FROM compared WHERE plain IS DISTINCT FROM unbounded), NULL, 'POkA without bounds has the same rows');
SELECT is((SELECT array_agg(seed) FROM compared WHERE plain_evaluated > evaluated), NULL, 'and measures no fewer nodes');
SELECT cmp_ok((SELECT sum(evaluated - plain_evaluated) FROM compared), '>', 0::numeric, 'but more');
SELECT is((SELECT array_agg(seed) FROM compared WHERE beaten_repaired > 0), NULL, 'no node below a repaired row has its k and less loss');
SELECT cmp_ok((SELECT sum(beaten) FROM compared), '>', 0::numeric, 'as some has below others');

SELECT * FROM finish();
ROLLBACK;
