-- Every promise with every loss, and fronts of any objectives, on random small data sets: what searches find,
-- beside all nodes; with time limits that fall anywhere, with little memory, and with a worker.
-- ANONOPT_LONG makes many more of them.
\ir begin.inc
\set rounds `echo ${ANONOPT_LONG:+8}`
SELECT coalesce(nullif(:'rounds', ''), '1') AS rounds \gset

SET client_min_messages = error;
SET anonopt.max_workers = 0;
\ir search_people.inc
\ir search_help.inc
CREATE TEMP TABLE node OF anonopt.node;

-- Random people, and data sets that promise them the same: one for each loss that wants a promise of its own.
CREATE FUNCTION pg_temp.make_data(seed int, models text[], share float8) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    own text;
    name text;
BEGIN
    PERFORM pg_temp.replace_people(seed);
    FOREACH own IN ARRAY ARRAY[NULL, 'alpha', 'beta', 'disclosure', 'presence', 'average_risk'] LOOP
        name := coalesce(own, 'd');
        PERFORM anonopt.create_dataset(name, 'people', share, person => CASE WHEN seed % 3 = 0 THEN 'person'::name END);
        PERFORM anonopt.add_quasi_identifier(name, x::name, ('h_' || x)::regclass) FROM unnest('{a,b,c}'::text[]) x;
        PERFORM anonopt.add_sensitive(name, 's', CASE WHEN seed % 2 = 0 THEN 'ordered' ELSE 'equal' END), anonopt.add_sensitive(name, 'u');
        PERFORM anonopt.set_class_label(name, 'label');
        PERFORM pg_temp.promise_one(name, model, CASE WHEN random() < 0.5 THEN '{s,u}' ELSE '{u}' END::name[]) FROM unnest(models) model;
        IF own IS NOT NULL AND own <> ALL (models) THEN
            PERFORM pg_temp.promise_one(name, own, '{s,u}');
        END IF;
    END LOOP;
END $$;

-- An optimum: its levels and cost, what the search says of itself, and why it is wrong, beside the best of all nodes.
CREATE FUNCTION pg_temp.why_wrong(name text, arguments text, loss text, time_limit text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    best int[];
    truth float8;
    found int[];
    cost float8;
    told record;
BEGIN
    EXECUTE format('SELECT levels, coalesce(%I::float8, ''Infinity'') FROM node WHERE feasible ORDER BY 2, (SELECT sum(x) FROM unnest(levels) x), levels LIMIT 1', loss)
        INTO best, truth;
    EXECUTE format('SELECT levels, coalesce(%I::float8, ''Infinity'') FROM anonopt.optimize(%L, %s loss => %L, time_limit => %L) WHERE feasible',
        loss, name, arguments || CASE WHEN arguments <> '' THEN ',' ELSE '' END, loss, time_limit) INTO found, cost;
    SELECT exact, bound INTO told FROM anonopt.last_search();
    RETURN CASE WHEN told.exact AND found IS DISTINCT FROM best THEN format('%s, not %s', found, best)
        WHEN told.bound > truth THEN format('%s is no bound of %s', told.bound, truth)
        WHEN told.exact AND told.bound < truth THEN format('%s is proven, not %s', truth, told.bound)
        WHEN time_limit IS NULL AND NOT told.exact THEN 'it ended early'
        WHEN cost < truth THEN format('%s is less than %s', cost, truth) END;
END $$;

-- A front, beside the nodes that no other beats; one stands for all of its costs.
CREATE FUNCTION pg_temp.why_wrong_front(name text, arguments text, objectives text[]) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    costs text := (SELECT string_agg(CASE WHEN o IN ('k', 'l', 'entropy_l', 'sum_k', 'sum_l', 'sum_other', 'k_map')
        THEN format('coalesce(-%I::float8, ''Infinity'')', o) ELSE format('coalesce(%I::float8, ''Infinity'')', o) END, ', ') FROM unnest(objectives) o);
    covers text := (SELECT string_agg(format('x.costs[%s] <= n.costs[%1$s]', i), ' AND ') FROM generate_series(1, cardinality(objectives)) i);
    want text;
    found text;
BEGIN
    EXECUTE format('WITH n AS MATERIALIZED (SELECT DISTINCT ON (costs) * FROM (SELECT levels, ARRAY[%s] AS costs FROM node WHERE feasible) y
            ORDER BY costs, (SELECT sum(x) FROM unnest(levels) x), levels)
        SELECT string_agg(levels::text, '' '' ORDER BY levels) FROM n WHERE NOT EXISTS (SELECT FROM n x WHERE x.costs <> n.costs AND %s)', costs, covers) INTO want;
    EXECUTE format('SELECT string_agg(levels::text, '' '' ORDER BY levels) FROM anonopt.pareto(%L, %L%s)', name, objectives,
        CASE WHEN arguments <> '' THEN ', ' || arguments ELSE '' END) INTO found;
    RETURN CASE WHEN found IS DISTINCT FROM want THEN format('%s, not %s', found, want) END;
END $$;

CREATE FUNCTION pg_temp.wrong_searches(arguments text) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
    name text;
    loss text;
    own text[];
    objectives text[];
    why text;
BEGIN
    FOREACH name IN ARRAY '{d,alpha,beta,disclosure,presence,average_risk}'::text[] LOOP
        own := CASE name WHEN 'd' THEN '{glm,nwp,dcn,cm,necd,suppressed,classes,t}' ELSE ARRAY[name] END;
        DELETE FROM node;
        EXECUTE format('INSERT INTO node SELECT * FROM anonopt.lattice(%L%s)', name, CASE WHEN arguments <> '' THEN ', ' || arguments ELSE '' END);
        FOREACH loss IN ARRAY own LOOP
            why := coalesce(pg_temp.why_wrong(name, arguments, loss, NULL),
                pg_temp.why_wrong(name, arguments, loss, floor(20 + 600 * random() ^ 2) || ' us'));
            IF why IS NOT NULL THEN
                RETURN NEXT format('optimize %s of %s: %s', loss, name, why);
            END IF;
        END LOOP;
        FOR i IN 1..CASE name WHEN 'd' THEN 4 ELSE 1 END LOOP
            objectives := ARRAY(SELECT o FROM unnest('{k,l,entropy_l,t,suppressed,classes,glm,nwp,dcn,cm,necd,sum_k,sum_l,sum_other}'::text[]) o
                ORDER BY random() LIMIT 1 + floor(3 * random())) || CASE name WHEN 'd' THEN '{}' ELSE ARRAY[name] END;
            why := pg_temp.why_wrong_front(name, arguments, objectives);
            IF why IS NOT NULL THEN
                RETURN NEXT format('front %s of %s: %s', objectives, name, why);
            END IF;
        END LOOP;
    END LOOP;
END $$;

CREATE FUNCTION pg_temp.verdict(seed int, models text[], arguments text, share float8) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_temp.make_data(seed, models, share);
    RETURN is(ARRAY(SELECT pg_temp.wrong_searches(arguments)), '{}', format('seed %s: %s %s, of at most %s suppressed', seed, models, arguments, share));
END $$;

SELECT no_plan();
SELECT pg_temp.verdict(nr::int * 4 + place::int + repeat * 100, ARRAY(SELECT replace(x, '_any', ' for some') FROM string_to_table(listed, ' ') x), arguments, share)
FROM unnest(ARRAY['k', 'l', 'entropy_l', 'recursive_l', 't', 'alpha', 'beta', 'disclosure', 'k_map', 'presence', 'average_risk', 'share_above',
        'k t alpha', 'k_map entropy_l', '', '', '', 'alpha', 'k_any', 'l_any', 'k_any l_any t', 'k_any k_map recursive_l', 'k_any presence average_risk', 'k_any share_above'],
    ARRAY['', '', '', '', '', '', '', '', '', '', '', '', '', '', 'k => 3', 'l => 2', 't => 0.35', 'k => 2, l => 2, t => 0.5', '', '', '', '', '', 'k => 2'])
        WITH ORDINALITY x (listed, arguments, nr),
    unnest('{0,0.1,0.4}'::float8[]) WITH ORDINALITY z (share, place), generate_series(1, :rounds) repeat
WHERE :rounds > 1 OR place = 1 + nr % 3;

-- People enough for workers, and for memory to end: kinds of them, who in each column go their own way now and then.
SELECT format('CREATE TABLE crowd AS SELECT %s, floor(6 * pg_temp.draw(i, 300) ^ 2)::int AS s, floor(3 * pg_temp.draw(i, 301) ^ 2)::int AS label FROM (
        SELECT i, -1 - floor(200 * pg_temp.draw(i, 0) ^ 3)::int AS kind FROM generate_series(1, pg_temp.few(6000, 3000)) i) x',
    string_agg(format('floor(8 * pg_temp.draw(CASE WHEN pg_temp.draw(i, 100 + %s) < 0.2 THEN i ELSE kind END, %1$s) ^ 2)::int AS c%1$s', c), ', '))
FROM generate_series(1, 8) c \gexec
SELECT anonopt.create_interval_hierarchy('crowd_levels', 0, 7, '{3}') \g /dev/null

-- The optimum alone, with a worker, and with little memory, for one promise and loss.
CREATE FUNCTION pg_temp.check_crowd(model text, threshold float8, loss text) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
    name text := model || ' ' || loss;
    call text := format('SELECT levels FROM anonopt.optimize(%L, loss => %L)', name, loss);
    alone int[];
    together int[];
    told record;
BEGIN
    PERFORM anonopt.create_dataset(name, 'crowd', 0.02);
    PERFORM anonopt.add_quasi_identifier(name, ('c' || c)::name, 'crowd_levels') FROM generate_series(1, 8) c;
    PERFORM anonopt.add_sensitive(name, 's'), anonopt.set_class_label(name, 'label');
    PERFORM anonopt.add_promise(name, model, threshold, CASE WHEN model NOT IN ('k', 'average_risk', 'share_above') THEN 's'::name END,
        CASE model WHEN 'recursive_l' THEN 2 WHEN 'disclosure' THEN 0 WHEN 'share_above' THEN 0.2 END);
    EXECUTE call INTO alone;
    PERFORM set_config('anonopt.max_workers', '1', true);
    EXECUTE call INTO together;
    SELECT exact, workers INTO told FROM anonopt.last_search();
    PERFORM set_config('anonopt.max_workers', '0', true);
    RETURN NEXT is((together, told.exact), (alone, true), format('%s, %s: with %s worker', model, loss, told.workers));
    RETURN NEXT is(pg_temp.with_least_memory(call), alone::text, 'with little memory');
END $$;
SELECT pg_temp.check_crowd(model, threshold, loss)
FROM (VALUES ('k', 4, 'glm'), ('l', 3, 'dcn'), ('entropy_l', 2, 'suppressed'), ('recursive_l', 3, 'glm'), ('t', 0.4, 'nwp'), ('alpha', 0.7, 'classes'),
    ('beta', 1.5, 'glm'), ('disclosure', 1.5, 'dcn'), ('k', 3, 'cm'), ('t', 0.45, 'cm')) v (model, threshold, loss);

SELECT * FROM finish();
ROLLBACK;
