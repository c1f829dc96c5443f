-- Searches under each declared promise, of two sensitive columns, beside the least of the lattice.
\ir begin.inc

SET client_min_messages = error;
CREATE TABLE people (person int, a int, b int, c int, s int, u text);
CREATE TABLE everybody (a int, b int, c int);
SELECT anonopt.create_interval_hierarchy('h_a', 0, 7, '{2,4}'), anonopt.create_interval_hierarchy('h_b', 0, 4, '{2}'),
       anonopt.create_interval_hierarchy('h_c', 0, 3, '{2}') \g /dev/null

CREATE FUNCTION pg_temp.promise_one(model text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    col name;
BEGIN
    IF model IN ('k', 'k_map') THEN
        PERFORM anonopt.add_promise('d', model, 2 + floor(6 * random()), population => CASE WHEN model = 'k_map' THEN 'everybody'::regclass END);
    ELSIF model = 'presence' THEN
        PERFORM anonopt.add_promise('d', model, 0.3 + 0.5 * random(), c => 0.2 * random(), population => 'everybody');
    ELSIF model = 'average_risk' THEN
        PERFORM anonopt.add_promise('d', model, 0.05 + 0.3 * random());
    ELSIF model = 'share_above' THEN
        PERFORM anonopt.add_promise('d', model, 0.3 * random(), c => 0.1 + 0.3 * random());
    ELSE
        FOREACH col IN ARRAY '{s,u}'::name[] LOOP
            PERFORM anonopt.add_promise('d', model, CASE model WHEN 'l' THEN 2 + floor(2 * random()) WHEN 'entropy_l' THEN 1.2 + 1.5 * random()
                WHEN 'recursive_l' THEN 1 + floor(3 * random()) WHEN 't' THEN 0.1 + 0.4 * random() WHEN 'alpha' THEN 0.4 + 0.5 * random()
                WHEN 'beta' THEN 0.3 + 2 * random() ELSE 0.5 + 2 * random() END, col,
                CASE model WHEN 'recursive_l' THEN 0.5 + 2 * random() WHEN 'disclosure' THEN floor(2 * random()) END);
        END LOOP;
    END IF;
END $$;

-- Losses of the best nodes, and fronts of two objectives, where search and lattice disagree
CREATE FUNCTION pg_temp.wrong_searches() RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
    loss text;
    best int[];
    want int[];
    fronts text[];
    wants text[];
BEGIN
    CREATE TEMP TABLE node AS SELECT * FROM anonopt.lattice('d');
    FOREACH loss IN ARRAY '{glm,nwp,dcn,suppressed}'::text[] LOOP
        EXECUTE format('SELECT levels FROM node WHERE feasible AND classes > 0 ORDER BY %I, (SELECT sum(x) FROM unnest(levels) x), levels LIMIT 1', loss) INTO want;
        SELECT levels INTO best FROM anonopt.optimize('d', loss => loss);
        IF best IS DISTINCT FROM want THEN RETURN NEXT format('optimize %s: %s, not %s', loss, best, want); END IF;
    END LOOP;
    FOREACH loss IN ARRAY '{glm,dcn,suppressed,t}'::text[] LOOP
        EXECUTE format('SELECT array_agg(DISTINCT (k, %1$I)::text ORDER BY (k, %1$I)::text) FROM node n WHERE feasible AND k IS NOT NULL AND NOT EXISTS ('
            'SELECT FROM node o WHERE o.feasible AND o.k >= n.k AND o.%1$I <= n.%1$I AND (o.k > n.k OR o.%1$I < n.%1$I))', loss) INTO wants;
        EXECUTE format('SELECT array_agg((k, %1$I)::text ORDER BY (k, %1$I)::text) FROM anonopt.pareto(''d'', %2$L) WHERE k IS NOT NULL', loss, ARRAY['k', loss]) INTO fronts;
        IF fronts IS DISTINCT FROM wants THEN RETURN NEXT format('pareto %s: %s, not %s', loss, fronts, wants); END IF;
    END LOOP;
    DROP TABLE node;
END $$;

CREATE FUNCTION pg_temp.verdict(seed int, models text[], share float8) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
    skew float8;
BEGIN
    PERFORM setseed(seed / 1000.0);
    skew := 1 + 3 * random();
    DELETE FROM people; DELETE FROM everybody;
    PERFORM anonopt.drop_dataset(dataset) FROM anonopt.dataset;
    INSERT INTO people
    SELECT floor(25 * random()), floor(8 * random() ^ skew), CASE WHEN random() > 0.1 THEN floor(5 * random()) END, floor(4 * random() ^ skew),
           floor(4 * random() ^ skew), (ARRAY['x', 'y', NULL, 'z', 'w'])[1 + floor(5 * random() ^ skew)::int]
    FROM generate_series(1, 40 + seed % 50);
    INSERT INTO everybody SELECT a, b, c FROM people UNION ALL SELECT floor(8 * random()), floor(5 * random()), floor(4 * random()) FROM generate_series(1, 150);
    PERFORM anonopt.create_dataset('d', 'people', share, person => CASE WHEN seed % 3 = 0 THEN 'person'::name END);
    PERFORM anonopt.add_quasi_identifier('d', x::name, ('h_' || x)::regclass) FROM unnest('{a,b,c}'::text[]) x;
    PERFORM anonopt.add_sensitive('d', 's'), anonopt.add_sensitive('d', 'u');
    PERFORM pg_temp.promise_one(model) FROM unnest(models) model;
    RETURN QUERY SELECT is(ARRAY(SELECT pg_temp.wrong_searches()), '{}', format('seed %s: %s, of at most %s suppressed', seed, models, share));
END $$;

SELECT no_plan();
SELECT pg_temp.verdict(nr::int * 3 + place::int + repeat * 100, models, share)
FROM unnest(ARRAY['k', 'l', 'entropy_l', 'recursive_l', 't', 'alpha', 'beta', 'disclosure', 'k_map', 'presence', 'average_risk', 'share_above',
    'k l', 'k t alpha', 'alpha beta', 'k entropy_l presence', 'average_risk t']) WITH ORDINALITY x (listed, nr),
    LATERAL (SELECT string_to_array(listed, ' ') AS models) y,
    unnest('{0,0.1,0.5}'::float8[]) WITH ORDINALITY z (share, place), generate_series(1, 1) repeat;

SELECT * FROM finish();
ROLLBACK;
