-- Searches under each declared promise, of two sensitive columns, beside the least of the lattice.
\ir begin.inc

SET client_min_messages = error;
\ir search_people.inc

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
BEGIN
    PERFORM pg_temp.replace_people(seed);
    PERFORM anonopt.create_dataset('d', 'people', share, person => CASE WHEN seed % 3 = 0 THEN 'person'::name END);
    PERFORM anonopt.add_quasi_identifier('d', x::name, ('h_' || x)::regclass) FROM unnest('{a,b,c}'::text[]) x;
    PERFORM anonopt.add_sensitive('d', 's'), anonopt.add_sensitive('d', 'u');
    PERFORM pg_temp.promise_one('d', model, '{s,u}') FROM unnest(models) model;
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
