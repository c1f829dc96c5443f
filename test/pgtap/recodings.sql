-- Recodings, against plain SQL on random small data sets.
\ir begin.inc
\ir reference.inc
\ir random_data.inc

CREATE FUNCTION pg_temp.promise() RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    rule text := CASE WHEN EXISTS (SELECT FROM ref.attribute WHERE role = 'sensitive')
                      THEN sample.pick(ARRAY['k', 'k', 'l', 't', 'kl', 'kt', 'klt']) ELSE 'k' END;
BEGIN
    RETURN format('k => %s, l => %s, t => %s',
        CASE WHEN rule LIKE '%k%' THEN (1 + sample.below(6))::text ELSE 'NULL' END,
        CASE WHEN rule LIKE '%l%' THEN (1 + sample.below(3))::text ELSE 'NULL' END,
        CASE WHEN rule LIKE '%t%' THEN round(random()::numeric, 2)::text ELSE 'NULL' END);
END $$;

CREATE FUNCTION pg_temp.quasi_identifiers() RETURNS text[]
LANGUAGE sql AS $$
    SELECT array_agg(quote_ident(column_name) ORDER BY ordinal) FROM ref.attribute WHERE role = 'quasi_identifier'
$$;

-- The tuples of a recoding's classes, and how each is shown: as first leaf and number of leaves per
-- attribute; labels are found level by level.
CREATE FUNCTION pg_temp.boxes(recoding regclass, labels text)
RETURNS TABLE (leaves int[], shown int[], people bigint, loss float8)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    EXECUTE format($q$
        CREATE TEMP TABLE member ON COMMIT DROP AS
        SELECT DISTINCT (SELECT array_agg(s.leaf_no ORDER BY s.ordinal)
                FROM ref.seen s, unnest(ARRAY[%s]::text[]) WITH ORDINALITY v (written, ordinal)
                WHERE s.role = 'quasi_identifier' AND s.ordinal = v.ordinal AND s.written = v.written) AS leaves, class
        FROM %s f$q$, (SELECT string_agg(format('ref.mark(f.%s::text)', c), ', ') FROM unnest(pg_temp.quasi_identifiers()) c), recoding);
    RETURN QUERY
    WITH bounds AS (
        SELECT m.class, a.ordinal, a.min_level, min(m.leaves[a.ordinal]) AS low, max(m.leaves[a.ordinal]) AS high
        FROM member m, ref.attribute a WHERE a.role = 'quasi_identifier' AND m.class IS NOT NULL GROUP BY 1, 2, 3),
    looks AS (
        SELECT b.class, b.ordinal, first, CASE labels WHEN 'range' THEN last ELSE first + n - 1 END - first + 1 AS n
        FROM bounds b, LATERAL (
            SELECT x.label_no AS first, x.leaves AS n, y.label_no + y.leaves - 1 AS last
            FROM ref.label x JOIN ref.label y USING (dataset, role, ordinal, level)
            WHERE x.role = 'quasi_identifier' AND x.ordinal = b.ordinal AND x.leaf_no = b.low AND y.leaf_no = b.high
              AND x.level >= b.min_level AND (x.label_no = y.label_no OR labels = 'range')
            ORDER BY x.level LIMIT 1) s),
    whole AS (
        SELECT ordinal, ref.domain(dataset, ordinal) - 1 AS most FROM ref.attribute WHERE role = 'quasi_identifier'),
    class_looks AS (
        SELECT class, array_agg(ARRAY[first, n::int] ORDER BY ordinal) AS shown,
               avg(CASE WHEN most = 0 THEN 0 ELSE (ref.counted((SELECT dataset FROM ref.dataset), ordinal, first, first + n::int - 1) - 1)::float8 / most END) AS loss
        FROM looks JOIN whole USING (ordinal) GROUP BY class)
    SELECT m.leaves, c.shown, sum(p.people)::bigint, min(c.loss)
    FROM class_looks c JOIN member m USING (class) JOIN ref.person p USING (leaves)
    GROUP BY m.leaves, c.shown;
    DROP TABLE member;
END $$;

-- A recoding's classes by their labels.
CREATE FUNCTION pg_temp.looks(recoding regclass, labels text)
RETURNS TABLE (shown int[], people bigint, tuples bigint, loss float8)
LANGUAGE sql AS $$
    SELECT shown, sum(people)::bigint, count(*), min(loss) FROM pg_temp.boxes(recoding, labels) GROUP BY shown
$$;

-- What exact classes tell about wider ones: every tuple under the labels of every class is listed.
CREATE FUNCTION pg_temp.refined(recoding regclass, labels text)
RETURNS TABLE (ordinal int, people_wide bigint, leaves_shown float8, leaves_left float8, people_branch_out bigint,
    people_certain_given_rest bigint, least_possible bigint, people_below_k bigint)
LANGUAGE sql AS $$
    WITH RECURSIVE box AS MATERIALIZED (SELECT * FROM pg_temp.boxes(recoding, labels)),
    look AS (SELECT shown, sum(people) AS people FROM box GROUP BY shown),
    part (shown, tuple, ordinal) AS (
        SELECT shown, '{}'::int[], 0 FROM look
        UNION ALL
        SELECT shown, tuple || leaf, ordinal + 1 FROM part, generate_series(shown[ordinal + 1][1], shown[ordinal + 1][1] + shown[ordinal + 1][2] - 1) leaf
        WHERE ordinal < array_length(shown, 1)),
    covered AS MATERIALIZED (SELECT shown, tuple FROM part WHERE ordinal = array_length(shown, 1)),
    size AS (SELECT shown, count(*) AS tuples FROM covered GROUP BY shown),
    exact AS MATERIALIZED (SELECT tuple FROM covered JOIN size USING (shown) WHERE tuples = 1),
    possible AS MATERIALIZED (SELECT shown, tuple FROM covered JOIN size USING (shown) WHERE tuples > 1 AND tuple NOT IN (SELECT tuple FROM exact)),
    wide AS (SELECT shown, people, tuples, (SELECT count(*) FROM possible p WHERE p.shown = look.shown) AS possible FROM look JOIN size USING (shown) WHERE tuples > 1),
    part_of AS (  -- a wide class's leaves in a column, each with its branch: the label at the highest level that divides them
        SELECT w.shown, a.ordinal, l.leaf_no, (SELECT up.label_no FROM ref.label up
                WHERE (up.role, up.ordinal, up.leaf_no) = (l.role, l.ordinal, l.leaf_no) AND up.level = (
                    SELECT max(x.level) FROM ref.label x JOIN ref.label y USING (role, ordinal, level)
                    WHERE x.role = l.role AND x.ordinal = l.ordinal AND x.leaf_no = w.shown[a.ordinal][1]
                      AND y.leaf_no = w.shown[a.ordinal][1] + w.shown[a.ordinal][2] - 1 AND x.label_no <> y.label_no)) AS branch,
            EXISTS (SELECT FROM possible p WHERE p.shown = w.shown AND p.tuple[a.ordinal] = l.leaf_no) AS is_left
        FROM wide w, ref.attribute a JOIN ref.label l USING (role, ordinal)
        WHERE a.role = 'quasi_identifier' AND l.level = 0 AND w.shown[a.ordinal][2] > 1
          AND l.leaf_no BETWEEN w.shown[a.ordinal][1] AND w.shown[a.ordinal][1] + w.shown[a.ordinal][2] - 1),
    class_column AS (
        SELECT shown, ordinal, count(*) AS leaves, count(*) FILTER (WHERE is_left) AS leaves_left,
            EXISTS (SELECT FROM part_of o WHERE (o.shown, o.ordinal) = (p.shown, p.ordinal) GROUP BY branch HAVING NOT bool_or(is_left)) AS branch_out
        FROM part_of p GROUP BY shown, ordinal),
    certain AS (  -- whose other leaves leave one of this column
        SELECT b.shown, b.leaves, b.people, c.ordinal FROM box b JOIN class_column c USING (shown)
        WHERE (SELECT count(*) FROM possible p WHERE p.shown = b.shown
               AND NOT EXISTS (SELECT FROM generate_subscripts(b.leaves, 1) o WHERE o <> c.ordinal AND p.tuple[o] <> b.leaves[o])) = 1)
    SELECT ordinal, sum(people)::bigint, sum(people * leaves)::float8 / sum(people)::float8, sum(people * leaves_left)::float8 / sum(people)::float8,
        coalesce(sum(people) FILTER (WHERE branch_out), 0)::bigint, (SELECT coalesce(sum(people), 0) FROM certain e WHERE e.ordinal = c.ordinal)::bigint,
        min(possible), coalesce(sum(people) FILTER (WHERE possible < (SELECT min(people) FROM look)), 0)::bigint
    FROM class_column c JOIN wide USING (shown) GROUP BY ordinal
    UNION ALL
    SELECT NULL, sum(people)::bigint, sum(people * tuples)::float8 / sum(people)::float8, sum(people * possible)::float8 / sum(people)::float8,
        coalesce(sum(people) FILTER (WHERE EXISTS (SELECT FROM class_column c WHERE c.shown = w.shown AND branch_out)), 0)::bigint,
        (SELECT coalesce(sum(people), 0) FROM (SELECT DISTINCT shown, leaves, people FROM certain) e)::bigint,
        min(possible), coalesce(sum(people) FILTER (WHERE possible < (SELECT min(people) FROM look)), 0)::bigint
    FROM wide w HAVING count(*) > 0
$$;

-- What recoding_refinement says of columns with wide classes that differs from that.
CREATE FUNCTION pg_temp.refinement_differs(set_name text, recoding regclass, labels text) RETURNS text
LANGUAGE sql AS $$
    SELECT string_agg(format('%s, but want %s', got, want), E'\n')
    FROM (SELECT a.ordinal, r.* FROM anonopt.recoding_refinement(set_name, recoding, labels) r
          LEFT JOIN ref.attribute a ON a.role = 'quasi_identifier' AND a.column_name = r.column_name WHERE people_wide > 0) got
    FULL JOIN pg_temp.refined(recoding, labels) want ON coalesce(want.ordinal, 0) = coalesce(got.ordinal, 0)
    WHERE NOT coalesce((got.people_wide, got.people_branch_out, got.people_certain_given_rest, got.least_possible, got.people_below_k) =
            (want.people_wide, want.people_branch_out, want.people_certain_given_rest, want.least_possible, want.people_below_k)
        AND ref.close(got.leaves_shown, want.leaves_shown) AND ref.close(got.leaves_left, want.leaves_left), false)
$$;

-- What breaks a floor of possible tuples in sample.raised, or its promise.
CREATE FUNCTION pg_temp.below_floor(set_name text, rule text, labels text, floor int) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    least bigint := (SELECT least_possible FROM pg_temp.refined('sample.raised', labels) WHERE ordinal IS NULL);
    node anonopt.node;
BEGIN
    EXECUTE format('SELECT * FROM anonopt.evaluate_recoding(%L, ''sample.raised'', %s, labels => %L)', set_name, rule, labels) INTO node;
    RETURN CASE WHEN least < floor THEN format('%s possible, not %s', least, floor) WHEN NOT node.feasible THEN node::text END;
END $$;

-- How many tuples the domain has.
CREATE FUNCTION pg_temp.domain_size() RETURNS float8
LANGUAGE sql AS $$
    SELECT exp(sum(ln(leaves))) FROM (SELECT count(*) AS leaves FROM ref.label WHERE role = 'quasi_identifier' AND level = 0 GROUP BY ordinal) l
$$;

-- A node as cuts: labels of the lowest level that are one at the node's.
CREATE FUNCTION pg_temp.cuts_of(levels int[]) RETURNS varbit[]
LANGUAGE sql AS $$
    SELECT array_agg(coalesce(bits, '')::varbit ORDER BY ordinal)
    FROM (SELECT ordinal, string_agg(CASE WHEN label_no = before THEN '0' ELSE '1' END, '' ORDER BY first) FILTER (WHERE before IS NOT NULL) AS bits
          FROM (SELECT ordinal, first, label_no, lag(label_no) OVER (PARTITION BY ordinal ORDER BY first) AS before
                FROM (SELECT DISTINCT a.ordinal, low.label_no AS first, up.label_no
                      FROM ref.attribute a JOIN ref.label low ON (low.role, low.ordinal, low.level) = (a.role, a.ordinal, a.min_level)
                      JOIN ref.label up ON (up.role, up.ordinal, up.leaf_no, up.level) = (low.role, low.ordinal, low.leaf_no, levels[a.ordinal])
                      WHERE a.role = 'quasi_identifier') l) b GROUP BY ordinal) c
$$;

-- Differences between two ways to compute a property of everybody.
CREATE FUNCTION pg_temp.vectors_differ(a text, b text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    difference text;
BEGIN
    EXECUTE format($q$SELECT string_agg(format('record %%s: %%s, but %%s', record, a.value, b.value), ', ')
        FROM anonopt.property_vector(%s) a FULL JOIN anonopt.property_vector(%s) b USING (record)
        WHERE a.value IS DISTINCT FROM b.value$q$, a, b) INTO difference;
    RETURN difference;
END $$;

-- How many people have which class size and loss, where a recoding promises nothing.
CREATE FUNCTION pg_temp.people_by_loss(set_name text, recoding regclass, labels text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    columns bigint := (SELECT count(*) FROM ref.attribute WHERE role = 'quasi_identifier');
    everybody bigint := (SELECT sum(people) FROM ref.person);
    smallest bigint := (SELECT k FROM anonopt.evaluate_recoding(set_name, recoding, labels => people_by_loss.labels));
    told text;
BEGIN
    WITH shown AS (SELECT x.people, round((x.loss * columns)::numeric, 9) AS loss FROM pg_temp.looks(recoding, labels) x WHERE x.people >= smallest),
    sizes AS (SELECT people, loss, people AS n FROM shown
        UNION ALL SELECT everybody - s, columns, everybody - s FROM (SELECT coalesce(sum(people), 0) AS s FROM shown) t WHERE s < everybody)
    SELECT string_agg(format('%s: %s %s', n, people, trim_scale(loss)), ', ' ORDER BY people, loss) INTO told
    FROM (SELECT people, loss, sum(n) AS n FROM sizes GROUP BY 1, 2) s;
    RETURN told;
END $$;

-- One random data set; what is wrong, all rolled back.
CREATE FUNCTION pg_temp.faults(seed int, OUT parameters text, OUT wrong text[])
LANGUAGE plpgsql AS $$
DECLARE
    rule text;
    labels text;
    loss text;
    set_name text;
    everybody bigint;
    optimum anonopt.node;
    got anonopt.node;
    want record;
    n int;
    levels int[];
    node anonopt.node;
    listed text;
    names text;
    counted text;
    which text;
    floor int;
BEGIN
    wrong := array_fill(NULL::text, ARRAY[13]);
    parameters := sample.data_set(seed);
    PERFORM ref.read(dataset), ref.declare(dataset) FROM ref.dataset;
    SELECT dataset INTO set_name FROM ref.dataset;
    rule := pg_temp.promise();
    labels := sample.pick('{hierarchy,range}'::text[]);
    loss := sample.pick(CASE WHEN EXISTS (SELECT FROM ref.attribute WHERE role = 'class_label') THEN '{glm,nwp,dcn,cm}'::text[] ELSE '{glm,glm,nwp,dcn}' END);
    parameters := format('%s'' %s, %s, loss %s', rule, labels, loss, parameters);
    SELECT coalesce(sum(p.people), 0) INTO everybody FROM ref.person p;
    IF everybody = 0 THEN
        RAISE SQLSTATE 'ROLLB';
    END IF;
    EXECUTE format('SELECT * FROM anonopt.optimize(%L, %s, loss => %L)', set_name, rule, loss) INTO optimum;
    SELECT 'WHERE ' || quote_ident(count_column) || ' > 0' INTO counted FROM ref.dataset WHERE count_column IS NOT NULL;
    names := array_to_string(pg_temp.quasi_identifiers(), ', ');
    BEGIN
        EXECUTE format('SELECT anonopt.create_recoding(''sample.found'', %L, %s, loss => %L, labels => %L, seed => %s, effort => pg_temp.few(64) / 64.0)',
                       set_name, rule, loss, labels, seed);
    EXCEPTION WHEN invalid_parameter_value THEN
        wrong[1] := CASE WHEN optimum.feasible THEN SQLERRM END;
        RAISE SQLSTATE 'ROLLB';
    END;
    EXECUTE format('SELECT * FROM anonopt.evaluate_recoding(%L, ''sample.found'', %s, labels => %L)', set_name, rule, labels) INTO got;
    IF NOT got.feasible THEN
        wrong[1] := got::text;
    END IF;
    IF (to_jsonb(got) ->> loss)::float8 > (to_jsonb(optimum) ->> loss)::float8 * (1 + 1e-12) THEN
        wrong[2] := format('%s, but the best node is %s', got, optimum);
    END IF;
    -- a row a distinct tuple, and nobody is suppressed beside those who have no class
    EXECUTE format('SELECT count(*) FROM sample.found') INTO n;
    EXECUTE format('SELECT count(*) FROM (SELECT DISTINCT %s FROM %s %s) s', names, (SELECT relation FROM ref.dataset), counted) INTO want;
    IF want.count <> n THEN
        wrong[3] := format('%s rows for %s tuples', n, want.count);
    END IF;
    SELECT count(*) AS classes, coalesce(min(x.people), 0) AS k, everybody - coalesce(sum(x.people), 0) AS suppressed,
           coalesce(sum(x.people * x.loss), 0) * (SELECT count(*) FROM ref.attribute WHERE role = 'quasi_identifier') AS shown_loss,
           string_agg(format('%s %s %s', x.people, x.tuples, round(x.loss::numeric, 9)), ', ' ORDER BY x.loss DESC, x.people, x.tuples) AS listed
    INTO want FROM pg_temp.looks('sample.found', labels) x;
    IF (got.classes, coalesce(got.k, 0), got.suppressed) IS DISTINCT FROM (want.classes, want.k::bigint, want.suppressed::bigint)
       OR NOT ref.close(got.glm, want.shown_loss + want.suppressed::float8 * (SELECT count(*) FROM ref.attribute a
           WHERE a.role = 'quasi_identifier' AND ref.domain(a.dataset, a.ordinal) > 1)) THEN
        wrong[4] := format('%s, but want %s', got, want);
    END IF;
    EXECUTE format('SELECT string_agg(format(''%%s %%s %%s'', people, tuples, round(loss::numeric, 9)), '', '' ORDER BY round(loss::numeric, 9) DESC, people, tuples)
        FROM anonopt.recoding_classes(%L, ''sample.found'', %L)', set_name, labels) INTO listed;
    IF listed IS DISTINCT FROM (SELECT string_agg(format('%s %s %s', x.people, x.tuples, round(x.loss::numeric, 9)), ', '
                                                  ORDER BY round(x.loss::numeric, 9) DESC, x.people, x.tuples)
                                FROM pg_temp.looks('sample.found', labels) x) THEN
        wrong[5] := format('%s, but want %s', listed, want.listed);
    END IF;
    IF pg_temp.domain_size() < 5000 THEN
        wrong[12] := pg_temp.refinement_differs(set_name, 'sample.found', labels);
    END IF;
    EXECUTE format('SELECT count(*) AS n, count(DISTINCT shown) AS looks FROM anonopt.recoding_classes(%L, ''sample.found'', ''range'')', set_name) INTO want;
    EXECUTE format('SELECT anonopt.create_recoding(''sample.again'', %L, %s, loss => %L, labels => %L, seed => %s, effort => pg_temp.few(64) / 64.0)',
                   set_name, rule, loss, labels, seed);
    EXECUTE format('SELECT count(*) FROM (SELECT %1$s, class FROM sample.found EXCEPT ALL SELECT %1$s, class FROM sample.again) s', names) INTO n;
    IF n > 0 OR (labels = 'range' AND want.n <> want.looks) THEN
        wrong[6] := format('%s rows differ', n);
    END IF;
    -- without any time to search there is an answer, and it keeps the promise
    EXECUTE format('SELECT anonopt.create_recoding(''sample.early'', %L, %s, loss => %L, labels => %L, seed => %s, time_limit => ''1 microsecond'')',
                   set_name, rule, loss, labels, seed);
    EXECUTE format('SELECT * FROM anonopt.evaluate_recoding(%L, ''sample.early'', %s, labels => %L)', set_name, rule, labels) INTO got;
    EXECUTE format('SELECT count(*) FROM (SELECT %1$s FROM sample.found EXCEPT ALL SELECT %1$s FROM sample.early) s', names) INTO n;
    SELECT count(*) AS classes, coalesce(min(x.people), 0) AS k, everybody - coalesce(sum(x.people), 0) AS suppressed
    INTO want FROM pg_temp.looks('sample.early', labels) x;
    IF NOT got.feasible OR n > 0 OR (got.classes, coalesce(got.k, 0), got.suppressed) IS DISTINCT FROM (want.classes, want.k::bigint, want.suppressed::bigint) THEN
        wrong[11] := format('%s, but want %s, and %s rows differ', got, want, n);
    END IF;
    -- a floor of possible tuples holds, also when tuples come
    floor := 2 + sample.below(7);
    IF pg_temp.domain_size() < 5000 AND sample.chance(0.5) THEN
        BEGIN
            EXECUTE format('SELECT anonopt.create_recoding(''sample.raised'', %L, %s, loss => %L, labels => %L, seed => %s, possible => %s, effort => pg_temp.few(64) / 64.0)',
                           set_name, rule, loss, labels, seed, floor);
            wrong[13] := pg_temp.below_floor(set_name, rule, labels, floor);
            EXECUTE format('DELETE FROM sample.raised WHERE hashtext(raised::text) %% 3 = 0');
            EXECUTE format('SELECT anonopt.extend_recoding(''sample.raised'', %L, %s, labels => %L)', set_name, rule, labels);
            wrong[13] := coalesce(wrong[13], pg_temp.below_floor(set_name, rule, labels, floor));
        EXCEPTION WHEN invalid_parameter_value THEN
            wrong[13] := CASE WHEN pg_temp.domain_size() >= floor AND labels = 'range' AND rule NOT LIKE '%t => 0%' THEN SQLERRM END;
        END;
    END IF;
    -- the classes of a node keep what the node keeps
    SELECT x.levels INTO levels FROM anonopt.lattice(set_name) x ORDER BY hashint4(seed + x.levels[1]), random() LIMIT 1;
    EXECUTE format('CREATE TABLE sample.of_node AS SELECT s.*, dense_rank() OVER (ORDER BY %s) - 5 AS class FROM (SELECT DISTINCT %s FROM %s %s) s',
        (SELECT string_agg(format('(SELECT label_no FROM ref.label l JOIN ref.seen USING (role, ordinal, leaf_no)
             WHERE role = ''quasi_identifier'' AND ordinal = %s AND l.level = %s AND written = ref.mark(s.%I::text))',
             ordinal, levels[ordinal], column_name), ', ') FROM ref.attribute WHERE role = 'quasi_identifier'),
        names, (SELECT relation FROM ref.dataset), counted);
    EXECUTE format('SELECT * FROM anonopt.evaluate(%L, %L, %s)', set_name, levels, rule) INTO node;
    EXECUTE format('SELECT * FROM anonopt.evaluate_recoding(%L, ''sample.of_node'', %s)', set_name, rule) INTO got;
    IF to_jsonb(got) - '{levels,glm,nwp}'::text[] <> to_jsonb(node) - '{levels,glm,nwp}'::text[] OR got.glm > node.glm THEN
        wrong[7] := format('%s, but the node is %s', got, node);
    END IF;
    -- person by person: node, cuts and the table of its classes
    FOREACH which IN ARRAY CASE WHEN EXISTS (SELECT FROM ref.attribute WHERE role = 'sensitive') THEN '{class_size,loss,sensitive_count}'::text[] ELSE '{class_size,loss}' END LOOP
        wrong[8] := coalesce(wrong[8],
            pg_temp.vectors_differ(format('%L, %L, %L, ''nr''', set_name, levels, which), format('%L, NULL, %L, ''nr'', cuts => %L', set_name, which, pg_temp.cuts_of(levels))),
            CASE WHEN which <> 'loss' THEN pg_temp.vectors_differ(format('%L, %L, %L, ''nr''', set_name, levels, which),
                format('%L, NULL, %L, ''nr'', recoding => ''sample.of_node''', set_name, which)) END);
    END LOOP;
    IF counted IS NULL THEN
        EXECUTE format('SELECT string_agg(format(''%%s: %%s %%s'', n, size, trim_scale(loss)), '', '' ORDER BY size, loss)
            FROM (SELECT s.value::bigint AS size, round(l.value::numeric, 9) AS loss, count(*) AS n
                FROM anonopt.property_vector(%1$L, NULL, ''class_size'', ''nr'', recoding => ''sample.found'', labels => %2$L) s
                JOIN anonopt.property_vector(%1$L, NULL, ''loss'', ''nr'', recoding => ''sample.found'', labels => %2$L) l USING (record) GROUP BY 1, 2) x', set_name, labels) INTO listed;
        IF listed IS DISTINCT FROM pg_temp.people_by_loss(set_name, 'sample.found', labels) THEN
            wrong[9] := format('%s, but want %s', listed, pg_temp.people_by_loss(set_name, 'sample.found', labels));
        END IF;
        -- both sides' indices are those of the two vectors
        EXECUTE format('SELECT string_agg(format(''%%s: %%s %%s, but want %%s %%s'', c.index, c.a_over_b, c.b_over_a, w.ab, w.ba), '', '')
            FROM anonopt.compare(%1$L, ''sample.found''::regclass, ''sample.of_node''::regclass, ''{class_size}'', labels => %2$L) c
            JOIN (SELECT v.* FROM (SELECT anonopt.p_cov(a.value, b.value) AS cov, anonopt.p_cov(b.value, a.value) AS cov_back,
                        anonopt.p_spr(a.value, b.value) AS spr, anonopt.p_spr(b.value, a.value) AS spr_back,
                        anonopt.p_binary(a.value, b.value) AS n, anonopt.p_binary(b.value, a.value) AS n_back
                    FROM anonopt.property_vector(%1$L, NULL, ''class_size'', ''nr'', recoding => ''sample.found'', labels => %2$L) a
                    JOIN anonopt.property_vector(%1$L, NULL, ''class_size'', ''nr'', recoding => ''sample.of_node'', labels => %2$L) b USING (record)) s,
                LATERAL (VALUES (''p_cov'', cov, cov_back), (''p_spr'', spr, spr_back), (''p_binary'', n, n_back)) v (index, ab, ba)) w USING (index)
            WHERE NOT ref.close(c.a_over_b, w.ab) OR NOT ref.close(c.b_over_a, w.ba)', set_name, labels) INTO listed;
        wrong[10] := listed;
    END IF;
    RAISE SQLSTATE 'ROLLB';
EXCEPTION
    WHEN SQLSTATE 'ROLLB' THEN
        NULL;
    WHEN OTHERS THEN
        wrong := array_fill(format(E'\n%s: %s', SQLSTATE, SQLERRM), ARRAY[13]);
END $$;

-- Sets whose best node loses less.
CREATE TABLE pg_temp.behind (seed int, what text);

CREATE FUNCTION pg_temp.check_set(seed int) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
    set_of_seed record;
BEGIN
    SELECT * INTO set_of_seed FROM pg_temp.faults(seed);
    INSERT INTO pg_temp.behind SELECT seed, set_of_seed.wrong[2] WHERE set_of_seed.wrong[2] IS NOT NULL;
    RETURN QUERY SELECT v FROM sample.verdicts(seed, set_of_seed.parameters, set_of_seed.wrong[1:1] || set_of_seed.wrong[3:], ARRAY[
        'feasible where a node is', 'a row a tuple', 'measures of what is shown',
        'its classes', 'same seed, same table', 'a node''s classes', 'people under a node, cuts and classes',
        'people under the recoding', 'compared', 'feasible without any time', 'what exact classes tell', 'a floor of possible tuples']) v;
END $$;

-- Enough tuples for several blocks: the workers' answer is the leader's.
CREATE TABLE pg_temp.many AS
SELECT i AS nr, (i * 7919) % 97 AS age, (i * 104729) % 89 AS zip, (i * 31) % 13 AS job, i % 5 AS illness
FROM generate_series(1, 17000) i;
CREATE TABLE public.recoding_many AS TABLE pg_temp.many;
SELECT anonopt.create_interval_hierarchy('public.recoding_ages', 0, 99, '{5,10,50}');
SELECT anonopt.create_interval_hierarchy('public.recoding_jobs', 0, 15, '{2,4}');
SELECT anonopt.create_dataset('many', 'public.recoding_many');
SELECT anonopt.add_quasi_identifier('many', 'age', 'public.recoding_ages');
SELECT anonopt.add_quasi_identifier('many', 'zip', 'public.recoding_ages');
SELECT anonopt.add_quasi_identifier('many', 'job', 'public.recoding_jobs');
SELECT anonopt.add_sensitive('many', 'illness');

SELECT plan(pg_temp.few(200) * 12 + 30 + CASE WHEN pg_temp.few(8) = 8 THEN 3 ELSE 0 END);
SET anonopt.max_workers = 0;
SELECT anonopt.create_recoding('public.recoding_alone', 'many', k => 2, seed => 3);
CREATE TABLE pg_temp.curve_alone AS SELECT row_number() OVER () AS nr, c.* FROM anonopt.recoding_curve('many', '{2,7}') c;
SET anonopt.max_workers = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT anonopt.create_recoding('public.recoding_helped', 'many', k => 2, seed => 3);
SELECT cmp_ok(workers, '>', 0, 'workers helped') FROM anonopt.last_search();
SELECT set_eq('TABLE public.recoding_alone', 'TABLE public.recoding_helped', 'the same table, whoever helps');
SELECT is(feasible, true, 'and feasible') FROM anonopt.evaluate_recoding('many', 'public.recoding_helped', k => 2);
SELECT cmp_ok(glm, '<', (SELECT glm FROM anonopt.optimize('many', k => 2)), 'and better than any node')
FROM anonopt.evaluate_recoding('many', 'public.recoding_helped', k => 2);
SELECT is((SELECT array_agg(to_jsonb(a) = to_jsonb(h)) FROM (SELECT row_number() OVER () AS nr, c.* FROM anonopt.recoding_curve('many', '{2,7}') c) a
    JOIN pg_temp.curve_alone h USING (nr)), '{t,t}'::boolean[], 'the same curve, whoever helps');
SET anonopt.max_workers = 0;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
SELECT anonopt.create_recoding('public.recoding_short', 'many', k => 2, seed => 3, time_limit => '1 ms');
SELECT is(feasible, true, 'a search that is ended early has an answer') FROM anonopt.evaluate_recoding('many', 'public.recoding_short', k => 2);
SELECT cmp_ok(glm, '>', (SELECT glm FROM anonopt.evaluate_recoding('many', 'public.recoding_alone', k => 2)), 'which loses more')
FROM anonopt.evaluate_recoding('many', 'public.recoding_short', k => 2);
SELECT ok(search_ms > 0 AND write_ms > 0 AND NOT exact, 'searching and writing took their time') FROM anonopt.last_search();
-- new tuples that come when there is no time, either
DELETE FROM public.recoding_alone WHERE hashint4(age * 100 + zip) % 3 = 0;
CREATE TABLE pg_temp.kept AS TABLE public.recoding_alone;
SELECT is(anonopt.extend_recoding('public.recoding_alone', 'many', k => 2, seed => 3, time_limit => '1 microsecond'),
    (SELECT count(*) FROM (SELECT DISTINCT age, zip, job FROM public.recoding_many) m) - (SELECT count(*) FROM pg_temp.kept), 'all new tuples are added');
SELECT ok(feasible AND suppressed = 0, 'and have classes') FROM anonopt.evaluate_recoding('many', 'public.recoding_alone', k => 2);
SELECT is((SELECT count(*) FROM pg_temp.kept o JOIN public.recoding_alone n USING (age, zip, job) WHERE n.class <> o.class
        AND o.class IN (SELECT class FROM pg_temp.kept GROUP BY class HAVING count(*) > 1)), 0::bigint, 'and nobody has left a class that still keeps the promise');
-- many columns: every phase ends in time, whether of all tuples at once or of blocks
SELECT anonopt.create_interval_hierarchy('public.recoding_digits', 0, 15, '{2,4,8}');
SELECT format('CREATE TABLE public.recoding_wide AS SELECT i, %s FROM generate_series(1, 18000) i', string_agg(format('hashint4(i * 32 + %s) & 15 AS c%1$s', c), ', '))
FROM generate_series(1, 24) c \gexec
CREATE VIEW public.recoding_less_wide AS SELECT * FROM public.recoding_wide WHERE i <= 6000;
SELECT anonopt.create_dataset(d, ('public.recoding_' || d)::regclass), anonopt.add_quasi_identifier(d, ('c' || c)::name, 'public.recoding_digits')
FROM unnest('{wide,less_wide}'::text[]) d, generate_series(1, 24) c WHERE c = 1;
SELECT anonopt.add_quasi_identifier(d, ('c' || c)::name, 'public.recoding_digits') FROM unnest('{wide,less_wide}'::text[]) d, generate_series(2, 24) c
WHERE d = 'less_wide' OR c <= 8;
CREATE FUNCTION pg_temp.check_time(set_name text, seconds float8) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
    begun float8 := pg_temp.seconds_worked();
BEGIN
    PERFORM anonopt.create_recoding('public.recoding_in_time', set_name, k => 5, seed => 3, time_limit => seconds * interval '1 s');
    RETURN NEXT cmp_ok(pg_temp.seconds_worked() - begun, '<', seconds + 1, format('%s: a limit of %s s is one', set_name, seconds));
    RETURN NEXT ok(feasible, 'and there is an answer') FROM anonopt.evaluate_recoding(set_name, 'public.recoding_in_time', k => 5);
    DELETE FROM public.recoding_in_time WHERE hashint4(c1 * 16 + c2) % 3 = 0;
    begun := pg_temp.seconds_worked();
    PERFORM anonopt.extend_recoding('public.recoding_in_time', set_name, k => 5, time_limit => seconds * interval '1 s');
    RETURN NEXT cmp_ok(pg_temp.seconds_worked() - begun, '<', seconds + 1, 'also of an extension');
    RETURN NEXT ok(feasible, 'and there is one') FROM anonopt.evaluate_recoding(set_name, 'public.recoding_in_time', k => 5);
    DROP TABLE public.recoding_in_time;
END $$;
SELECT pg_temp.check_time(set_name, seconds) FROM (VALUES ('wide', 1.5), ('less_wide', 0.5)) v (set_name, seconds);
-- little memory: an answer, or a clean refusal that leaves nothing
CREATE FUNCTION pg_temp.in_little_memory(memory text) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('anonopt.memory', memory, true);
    PERFORM anonopt.create_recoding('public.recoding_little', 'many', k => 2, seed => 3);
    RETURN (SELECT CASE WHEN feasible THEN 'works' END FROM anonopt.evaluate_recoding('many', 'public.recoding_little', k => 2));
EXCEPTION WHEN out_of_memory THEN
    RETURN CASE WHEN to_regclass('public.recoding_little') IS NULL THEN 'refused' END;
END $$;
SELECT is(pg_temp.in_little_memory('1MB'), 'refused', 'a megabyte is too little');
SELECT is(pg_temp.in_little_memory('64MB'), 'works', '64 are enough');
RESET anonopt.memory;
-- levels to stay within
SELECT anonopt.create_dataset('levelled', 'public.recoding_many');
SELECT anonopt.add_quasi_identifier('levelled', 'age', 'public.recoding_ages', min_level => 1, max_level => 2);
SELECT anonopt.add_quasi_identifier('levelled', 'job', 'public.recoding_jobs', max_level => 1);
SELECT anonopt.create_recoding('public.recoding_levelled', 'levelled', k => 20, seed => 3);
SELECT is((SELECT count(*) FROM anonopt.recoding_classes('levelled', 'public.recoding_levelled')
    WHERE NOT (shown[1] = ANY (ARRAY(SELECT unnest(ARRAY[level1, level2]) FROM public.recoding_ages))
        AND shown[2] = ANY (ARRAY(SELECT unnest(ARRAY[value::text, level1]) FROM public.recoding_jobs)))), 0::bigint, 'labels of min_level to max_level');
SELECT pg_temp.check_set(seed) FROM generate_series(2001, 2000 + pg_temp.few(200)) seed;
SELECT is(string_agg(format(E'\n%s: %s', seed, what), ''), NULL, 'no node loses less') FROM pg_temp.behind;
-- sizes count, and classes that look alike are one
CREATE TABLE public.recoding_mixed AS
    SELECT floor(power(random(), 2) * 25)::int AS age, floor(random() * 12)::int AS job, 's' || floor(random() * 4) AS illness
    FROM generate_series(1, 900), setseed(0.3);
SELECT anonopt.create_dataset('mixed', 'public.recoding_mixed');
SELECT anonopt.add_quasi_identifier('mixed', 'age', 'public.recoding_ages'), anonopt.add_quasi_identifier('mixed', 'job', 'public.recoding_jobs'),
    anonopt.add_sensitive('mixed', 'illness');
SELECT anonopt.create_recoding('public.recoding_by_sizes', 'mixed', k => 40, l => 2, loss => 'dcn', seed => 3);
SELECT cmp_ok(dcn, '<=', (SELECT dcn FROM anonopt.optimize('mixed', k => 40, l => 2, loss => 'dcn')), 'no node has smaller classes')
FROM anonopt.evaluate_recoding('mixed', 'public.recoding_by_sizes', k => 40, l => 2);
-- a newcomer whom no label covers together with others
CREATE TABLE public.recoding_halves (value int PRIMARY KEY, half text);
INSERT INTO public.recoding_halves VALUES (0, 'low'), (1, 'low'), (2, 'high'), (3, 'high');
CREATE TABLE public.recoding_low (a int);
INSERT INTO public.recoding_low VALUES (0), (0), (1), (1);
SELECT anonopt.create_dataset(d, 'public.recoding_low', s), anonopt.add_quasi_identifier(d, 'a', 'public.recoding_halves') FROM (VALUES ('low', 0), ('lower', 0.5)) x (d, s);
SELECT anonopt.create_recoding('public.recoding_of_low', 'low', k => 2, seed => 1);
INSERT INTO public.recoding_low VALUES (3);
SELECT throws_ok($$SELECT anonopt.extend_recoding('public.recoding_of_low', 'low', k => 2, seed => 1)$$, '22023', NULL, 'joins no class that no label covers');
SELECT is(anonopt.extend_recoding('public.recoding_of_low', 'lower', k => 2, seed => 1), 1::bigint, 'and may be left out');
SELECT results_eq($$SELECT k, suppressed, classes FROM anonopt.evaluate_recoding('lower', 'public.recoding_of_low', k => 2)$$, 'VALUES (2::bigint, 1::bigint, 2::bigint)',
    'as the only one');
-- labels of ranges are exactly what the leaves of a class are, the last of which holds its end
CREATE TABLE public.recoding_range (x numeric);
INSERT INTO public.recoding_range SELECT i % 21 FROM generate_series(0, 399) i;
SELECT anonopt.create_range_hierarchy('public.recoding_ranges', 0, 20, 5, '{20}');
SELECT anonopt.create_dataset('ranges', 'public.recoding_range'), anonopt.add_quasi_identifier('ranges', 'x', 'public.recoding_ranges');
SELECT anonopt.create_recoding('public.recoding_by_range', 'ranges', k => 150, labels => 'range', seed => 1);
CREATE VIEW public.range_of_class AS SELECT c.class, range_merge(range_agg(h.value)) AS leaves, count(DISTINCT h.value) AS n
FROM public.recoding_by_range c JOIN public.recoding_ranges h ON c.x <@ h.value GROUP BY c.class;
SELECT is((SELECT max(n) FROM public.range_of_class), 2::bigint, 'classes of two leaves');
SELECT results_eq($$SELECT class, shown[1]::numrange, loss FROM anonopt.recoding_classes('ranges', 'public.recoding_by_range', 'range') ORDER BY class$$,
    $$SELECT class, leaves, (n - 1) / 3::float8 FROM public.range_of_class ORDER BY class$$, 'show them, and lose as much');
-- so many people that their squares are beyond 64 bits
CREATE TABLE public.recoding_billions AS SELECT a, 60000000000::int8 + a AS n FROM generate_series(0, 3) a;
SELECT anonopt.create_dataset('billions', 'public.recoding_billions', 0, count_column => 'n'), anonopt.add_quasi_identifier('billions', 'a', 'public.recoding_halves');
SELECT anonopt.create_recoding('public.recoding_of_billions', 'billions', k => 2, loss => 'dcn', seed => 1);
SELECT is(classes, 4::bigint, 'classes of billions stay apart') FROM anonopt.evaluate_recoding('billions', 'public.recoding_of_billions');
-- many different people, whose groups do not all fit into the memory for them, and of whom nodes are tried on a part
SELECT pg_temp.few(8) = 8 AS thorough \gset
\if :thorough
CREATE TABLE public.recoding_crowd AS SELECT DISTINCT floor(3000 * random() * random())::int AS a, floor(1000 * random())::int AS b, floor(4 * random())::int AS c
FROM generate_series(1, 700000), setseed(0.4);
SELECT anonopt.create_interval_hierarchy('public.recoding_a', 0, 2999, '{10,100}'), anonopt.create_interval_hierarchy('public.recoding_b', 0, 999, '{5,50}'),
    anonopt.create_interval_hierarchy('public.recoding_c', 0, 3, '{}');
SELECT anonopt.create_dataset('crowd', 'public.recoding_crowd');
SELECT anonopt.add_quasi_identifier('crowd', c, 'public.recoding_' || c) FROM unnest('{a,b,c}'::text[]) c;
SELECT anonopt.create_recoding('public.recoding_of_crowd', 'crowd', k => 2, labels => 'range', seed => 3, effort => 0);
CREATE TEMP TABLE crowd_class AS SELECT class, count(*) AS people, (max(a) - min(a)) / 2999.0 + (max(b) - min(b)) / 999.0 + (max(c) - min(c)) / 3.0 AS lost
FROM public.recoding_of_crowd r JOIN public.recoding_crowd USING (a, b, c) GROUP BY class;
SELECT is((SELECT (sum(people), min(people) >= 2, count(class) = count(*)) FROM crowd_class), (SELECT (count(*)::numeric, true, true) FROM public.recoding_crowd),
    'classes of many people keep the promise');
SELECT cmp_ok(abs(e.glm - (SELECT sum(people * lost) FROM crowd_class)::float8), '<', 1::float8, 'and lose what is told') FROM anonopt.evaluate_recoding('crowd', 'public.recoding_of_crowd', labels => 'range') e;
SELECT cmp_ok((SELECT sum(people * lost) FROM crowd_class), '<', 0.5 * (SELECT glm FROM anonopt.optimize('crowd', k => 2))::numeric, 'half of a node''s');
\endif
SELECT * FROM finish();
ROLLBACK;
