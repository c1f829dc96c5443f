-- A generalization per record, against all nodes of random small data sets in plain
-- SQL; lattices too large to go through; the paper's figures; Jaro similarity; from
-- the result to a release.
\ir begin.inc
SET client_min_messages = error;
\ir reference.inc
\ir random_data.inc

SELECT plan(91 + pg_temp.few(200));

-- The error of a call, or that it returned.
CREATE FUNCTION pg_temp.outcome(call text) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE call;
    RETURN 'returned';
EXCEPTION WHEN OTHERS THEN
    RETURN format('%s: %s', SQLSTATE, SQLERRM);
END $$;

-- The paper's figures 5 and 6 ---------------------------------------------------

CREATE TABLE pg_temp.figure (name text, x int, y int, risk float8, utility float8);
INSERT INTO figure VALUES
    ('t', 0, 0, 0, 0), ('r', 1, 0, 12, 2), ('s', 0, 1, 10, 4), ('o', 2, 0, 14, 5), ('p', 1, 1, 15, 7),
    ('q', 0, 2, 21, 9), ('k', 3, 0, 16, 8), ('l', 2, 1, 22, 11), ('m', 1, 2, 28, 13), ('n', 0, 3, 32, 13),
    ('g', 3, 1, 25, 12), ('h', 2, 2, 36, 14), ('i', 1, 3, 45, 16), ('j', 0, 4, 55, 17), ('d', 3, 2, 50, 17),
    ('e', 2, 3, 60, 21), ('f', 1, 4, 62, 18), ('b', 3, 3, 63, 23), ('c', 2, 4, 70, 25), ('a', 3, 4, 80, 30);

CREATE FUNCTION pg_temp.walk(algorithm text, enough float8, OUT visited text, OUT best text)
LANGUAGE sql AS $$
    WITH line AS (
        SELECT x, array_agg(risk ORDER BY y) AS risk, array_agg(utility ORDER BY y) AS utility
        FROM figure GROUP BY x),
    walk AS (
        SELECT w.* FROM (SELECT array_agg(risk ORDER BY x) AS risk, array_agg(utility ORDER BY x) AS utility FROM line) a,
             anonopt.record_walk(algorithm, risk, utility, enough) w)
    SELECT (SELECT string_agg(name, ' ' ORDER BY i)
            FROM walk CROSS JOIN generate_subscripts(visited, 1) i JOIN figure ON ARRAY[x, y] = ARRAY[visited[i][1], visited[i][2]]),
           (SELECT name FROM walk, figure WHERE best = ARRAY[x, y])
$$;

-- The neighbours in one cube have no order of their own.
CREATE FUNCTION pg_temp.in_groups(visited text, first int, second int, third int) RETURNS text
LANGUAGE sql AS $$
    SELECT string_agg(part, ' | ' ORDER BY part_no)
    FROM (SELECT (i > first)::int + (i > second)::int + (i > third)::int AS part_no,
                 string_agg(name, ' ' ORDER BY CASE WHEN i > first THEN name ELSE chr(64 + i::int) END) AS part
          FROM string_to_table(visited, ' ') WITH ORDINALITY x (name, i) GROUP BY 1) y
$$;

SELECT is((pg_temp.walk('btda', 18)).visited, 't s r p q o k l m g n h d i j e f b', 'BTDA visits the nodes of Figure 5');
SELECT is((pg_temp.walk('btda', 18)).best, 'e', 'and finds e');
SELECT is(pg_temp.in_groups((pg_temp.walk('aruba', 18)).visited, 4, 7, 11), 'a c f j | e i n | b d h m',
          'ARUBA visits the nodes of Figure 6');
SELECT is((pg_temp.walk('aruba', 18)).best, 'e', 'and finds e');
SELECT is(best, 't', algorithm || ': nothing is asked of utility')
FROM unnest('{btda,aruba}'::text[]) algorithm, pg_temp.walk(algorithm, -1);
SELECT is(best, NULL, algorithm || ': nothing is useful enough')
FROM unnest('{btda,aruba}'::text[]) algorithm, pg_temp.walk(algorithm, 31);
SELECT is((anonopt.record_walk('btda', '{0,1,2,3}', '{0,1,2,3}', 2)).best, '{2}', 'one dimension');
SELECT is((anonopt.record_walk('aruba', '{{{{{{7}}}}}}', '{{{{{{7}}}}}}', 7)).best, '{0,0,0,0,0,0}', 'six dimensions, one node');
SELECT is((anonopt.record_walk(algorithm, array_fill(1::float8, ARRAY[3,2,3,2,2,2]), array_fill(1::float8, ARRAY[3,2,3,2,2,2]), 1)).best,
          '{0,0,0,0,0,0}', algorithm || ': of equals the most general') FROM unnest('{btda,aruba}'::text[]) algorithm;

-- Random lattices of several shapes, whose risk and utility rise with every step down: a node's
-- number is at least what each node above has, or the sum of what its levels add.  Brute force
-- finds the least risk, and the frontier, which ARUBA's walk must visit whole.
CREATE FUNCTION pg_temp.rising(dims int[], strides int[], by_level boolean) RETURNS float8[]
LANGUAGE plpgsql AS $$
DECLARE
    numbers float8[] := '{0}';
    steps float8[] := ARRAY(SELECT random() FROM generate_series(1, 10 * cardinality(dims)));
    number float8;
BEGIN
    FOR i IN 1..dims[1] * strides[1] - 1 LOOP
        number := 0;
        FOR d IN 1..cardinality(dims) LOOP
            IF i / strides[d] % dims[d] > 0 AND by_level THEN
                number := numbers[i - strides[d] + 1] + steps[10 * d - i / strides[d] % dims[d]];
            ELSIF i / strides[d] % dims[d] > 0 THEN
                number := greatest(number, numbers[i - strides[d] + 1]);
            END IF;
        END LOOP;
        numbers[i + 1] := number + CASE WHEN by_level THEN 0 ELSE floor(random() * 4) END;
    END LOOP;
    RETURN numbers;
END $$;
-- Numbers in row-major order as an array of several dimensions.
CREATE FUNCTION pg_temp.shaped(numbers float8[], dims int[]) RETURNS float8[]
LANGUAGE plpgsql AS $$
DECLARE
    parts text[] := numbers::text[];
BEGIN
    FOR d IN REVERSE cardinality(dims)..1 LOOP
        parts := ARRAY(SELECT '{' || string_agg(part, ',' ORDER BY i) || '}'
                       FROM unnest(parts) WITH ORDINALITY x (part, i) GROUP BY (i - 1) / dims[d] ORDER BY (i - 1) / dims[d]);
    END LOOP;
    RETURN parts[1];
END $$;
-- What is wrong with the walks in a random lattice, or NULL.
CREATE FUNCTION pg_temp.fault(dims int[], by_level boolean) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    strides int[] := '{1}';
    risk float8[];
    utility float8[];
    enough float8;
    least float8;
    best int;
    algorithm text;
    walk record;
    shaped_risk float8[];
    shaped_utility float8[];
    visited int[];
    frontier int[] := '{}';
BEGIN
    FOR d IN REVERSE cardinality(dims)..2 LOOP
        strides := dims[d] * strides[1] || strides;
    END LOOP;
    risk := pg_temp.rising(dims, strides, by_level);
    utility := pg_temp.rising(dims, strides, by_level);
    enough := utility[ceil(random() * cardinality(utility))];
    least := (SELECT min(r) FROM unnest(risk, utility) x (r, u) WHERE u >= enough);
    FOR i IN 0..cardinality(risk) - 1 LOOP
        FOR d IN 1..cardinality(dims) LOOP
            IF utility[i + 1] >= enough AND i / strides[d] % dims[d] > 0 AND utility[i + 1 - strides[d]] < enough THEN
                frontier := frontier || i;
            END IF;
        END LOOP;
    END LOOP;
    shaped_risk := pg_temp.shaped(risk, dims);
    shaped_utility := pg_temp.shaped(utility, dims);
    FOREACH algorithm IN ARRAY '{btda,branch_and_bound,aruba}'::text[] LOOP
        walk := anonopt.record_walk(algorithm, shaped_risk, shaped_utility, enough);
        best := 1;
        FOR d IN 1..cardinality(dims) LOOP
            best := best + walk.best[d] * strides[d];
        END LOOP;
        IF (risk[best] = least AND utility[best] >= enough) IS NOT TRUE THEN
            RETURN format('%s: %s is not the least risk with %s of %s and %s', algorithm, walk.best, enough, shaped_risk, shaped_utility);
        END IF;
    END LOOP;
    visited := ARRAY(SELECT sum(place * strides[1 + (nr - 1) % cardinality(dims)])
                     FROM unnest(walk.visited) WITH ORDINALITY x (place, nr) GROUP BY (nr - 1) / cardinality(dims));
    -- those of ARUBA, which was the last
    IF NOT frontier <@ visited THEN
        RETURN format('ARUBA leaves out some of %s with %s of %s', frontier, enough, shaped_utility);
    END IF;
    RETURN NULL;
END $$;
SELECT is((SELECT min(pg_temp.fault(dims, by_level))
           FROM (VALUES ('{6,4,3}'::int[], 1200), ('{7,6,5}', 200), ('{3,3}', 300), ('{1,5,1,4}', 200), ('{9}', 100),
                        ('{3,2,2,3,2}', 200), ('{2,2,2,2,2,2}', 200)) v (dims, n),
                unnest('{t,f}'::boolean[]) by_level, generate_series(1, pg_temp.few(n / 2))),
          NULL, 'walks in random lattices find the least risk, and ARUBA''s visits the whole frontier');
SELECT is((anonopt.record_walk('aruba', '{{0,10,21},{12,15,28},{14,20,36}}', '{{0,4,9},{2,7,13},{5,11,14}}', 9)).best, '{2,1}',
          'the climb to the frontier does not pass a frontier node by');

SELECT matches(pg_temp.outcome(c), '^22023: ', c) FROM unnest(ARRAY[
    $$SELECT anonopt.record_walk('btda', '{1,2}', '{1,2,3}', 1)$$,
    $$SELECT anonopt.record_walk('btda', '{}', '{}', 1)$$,
    $$SELECT anonopt.record_walk('dijkstra', '{1}', '{1}', 1)$$]) c;

-- Jaro similarity -----------------------------------------------------------------

SELECT is(round(anonopt.jaro(a, b)::numeric, 3), want, format('jaro of %L and %L', a, b))
FROM (VALUES ('MARTHA', 'MARHTA', 0.944), ('DIXON', 'DICKSONX', 0.767), ('JELLYFISH', 'SMELLYFISH', 0.896),
             ('DWAYNE', 'DUANE', 0.822), ('', '', 1), ('', 'a', 0), ('a', 'a', 1), ('a', 'A', 0), ('ab', 'ba', 0),
             -- of characters, not of bytes
             ('日本語学', '日語本学', 0.917), ('é', 'è', 0), ('naïve', 'naive', 0.867)) v (a, b, want);

-- The definition once more, over arrays.
CREATE FUNCTION pg_temp.jaro(a text, b text) RETURNS float8
LANGUAGE plpgsql AS $$
DECLARE
    x text[] := string_to_array(a, NULL);
    y text[] := string_to_array(b, NULL);
    far int := greatest(length(a), length(b)) / 2 - 1;
    from_x text[] := '{}';
    place int;
    taken int[] := '{}';
    m float8;
BEGIN
    IF a = '' AND b = '' THEN
        RETURN 1;
    END IF;
    FOR i IN 1..cardinality(x) LOOP
        SELECT min(j) INTO place FROM generate_subscripts(y, 1) j
        WHERE y[j] = x[i] AND abs(i - j) <= greatest(far, 0) AND j <> ALL (taken);
        IF place IS NOT NULL THEN
            taken := taken || place;
            from_x := from_x || x[i];
        END IF;
    END LOOP;
    m := cardinality(taken);
    IF m = 0 THEN
        RETURN 0;
    END IF;
    RETURN (m / length(a) + m / length(b)
            + (m - (SELECT count(*) FROM (SELECT row_number() OVER (ORDER BY j) AS i, y[j] AS c FROM unnest(taken) j) s
                    WHERE from_x[i] <> c) / 2.0) / m) / 3;
END $$;

CREATE TABLE pg_temp.word AS
    SELECT i, (SELECT coalesce(string_agg(substr('aabéß日x', 1 + floor(random() * 7)::int, 1), ''), '')
               FROM generate_series(1, floor(random() * 9 + i * 0)::int)) AS word
    FROM generate_series(1, 60) i;
SELECT is((SELECT count(*) FROM word a, word b WHERE anonopt.jaro(a.word, b.word) <> pg_temp.jaro(a.word, b.word)),
          0::bigint, 'jaro of random words is that of the definition');
SELECT is((SELECT count(*) FROM word a, word b
           WHERE NOT anonopt.jaro(a.word, b.word) BETWEEN 0 AND 1 OR (a.word = b.word AND anonopt.jaro(a.word, b.word) <> 1)),
          0::bigint, 'it lies in [0,1], and is 1 for equal words');
SELECT is((SELECT count(*) FROM (VALUES ('MARTHA', 'MARHTA'), ('DIXON', 'DICKSONX'), ('日本語学', '日語本学'), ('abc', 'cab')) v (a, b)
           WHERE anonopt.jaro(a, b) <> anonopt.jaro(b, a)), 0::bigint, 'and the same both ways');

-- Every node of random data sets ---------------------------------------------------

-- Leaves' labels with all that risk and utility need of them
CREATE TABLE pg_temp.leaf_weight (ordinal int, leaf_no int, weight float8);
CREATE TABLE pg_temp.shown_as (
    ordinal int, level int, leaf_no int, label_no int, label text, whole boolean,
    weight float8, depth float8, leaves float8, log_leaves float8, path float8);
-- Records, and their leaves; tuples alike are one
CREATE TABLE pg_temp.tuple (tuple_no int, leaves int[], records text[]);
CREATE TABLE pg_temp.node (node_no int, levels int[], height bigint);
CREATE TABLE pg_temp.right_above (node_no int, above_no int);
CREATE TABLE pg_temp.seen (tuple_no int, node_no int, weight float8, depth float8, leaves float8, log_leaves float8, path float8, labels text[]);
CREATE TABLE pg_temp.entry (variant int, entry_no bigint, leaves int[], people bigint);
CREATE TABLE pg_temp.fitting (variant int, tuple_no int, node_no int, entries bigint);
-- A variant's other arguments
CREATE TABLE pg_temp.variant (variant int, similarity float8, dictionary text);

-- Tables (value, weight): values of the data or leaves of the hierarchy; not all of them.
CREATE FUNCTION pg_temp.make_weights() RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    a ref.attribute;
    d ref.dataset;
    first_column name;
BEGIN
    SELECT * INTO d FROM ref.dataset;
    FOR a IN SELECT * FROM ref.attribute WHERE role = 'quasi_identifier' AND random() < 0.6 LOOP
        first_column := (ref.columns(a.hierarchy))[1];
        INSERT INTO leaf_weight
            SELECT a.ordinal, leaf_no, sample.pick('{0,0.1,0.3,1,2,7.25,100}'::float8[])
            FROM ref.label WHERE ordinal = a.ordinal AND role = a.role AND level = 0 AND random() < 0.7;
        IF random() < 0.5 THEN
            EXECUTE format('CREATE TABLE sample.w%s AS SELECT h.%I AS v, weight::%s
                FROM leaf_weight w JOIN ref.label l USING (ordinal, leaf_no)
                JOIN %s h ON h.%2$I::text = l.label OR (h.%2$I IS NULL AND l.label IS NULL)
                WHERE l.level = 0 AND l.role = %5$L AND ordinal = %1$s', a.ordinal, first_column, sample.pick('{float8,numeric}'::text[]),
                a.hierarchy, a.role);
            -- a NULL that only the data has
            DELETE FROM leaf_weight w USING ref.label l
            WHERE (w.ordinal, w.leaf_no) = (l.ordinal, l.leaf_no) AND w.ordinal = a.ordinal AND l.role = a.role AND l.level = 0
              AND l.label IS NULL AND NOT EXISTS (SELECT FROM ref.walk(a.hierarchy, false) x WHERE x.level = 0 AND x.label IS NULL);
        ELSE
            DELETE FROM leaf_weight w WHERE w.ordinal = a.ordinal
              AND leaf_no NOT IN (SELECT s.leaf_no FROM ref.seen s WHERE s.ordinal = a.ordinal AND s.role = a.role);
            EXECUTE format('CREATE TABLE sample.w%s AS SELECT DISTINCT ON (w.leaf_no) p.%I AS v, w.weight
                FROM leaf_weight w JOIN ref.seen s USING (ordinal, leaf_no)
                JOIN %s p ON s.written = ref.mark(p.%2$I::text)
                WHERE s.role = %4$L AND ordinal = %1$s', a.ordinal, a.column_name, d.relation, a.role);
        END IF;
        -- what nobody can be weighs nothing
        IF random() < 0.3 AND ref.family(ref.column_type(format('sample.w%s', a.ordinal)::regclass, 'v')) = 'number' THEN
            EXECUTE format('INSERT INTO sample.w%s VALUES (7776, 3)', a.ordinal);
            IF EXISTS (SELECT FROM ref.label WHERE ordinal = a.ordinal AND role = a.role AND label LIKE '%,)') THEN
                EXECUTE format('DELETE FROM sample.w%s WHERE v = 7776', a.ordinal);
            END IF;
        END IF;
        PERFORM anonopt.set_sensitivity(a.dataset, a.column_name, format('sample.w%s', a.ordinal)::regclass);
    END LOOP;
END $$;

-- Labels' weights climb from level to level, in the domain's order.
CREATE FUNCTION pg_temp.tabulate_labels() RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO shown_as
        SELECT l.ordinal, l.level, l.leaf_no, l.label_no, l.label,
               count(*) FILTER (WHERE l.leaf_no = l.label_no) OVER level = 1,
               CASE l.level WHEN 0 THEN coalesce(w.weight, 1) END,
               ref.levels_of(a.hierarchy) - l.level, 1.0::float8 / l.counted,
               ln(ref.domain(l.dataset, l.ordinal)::float8 / l.counted),
               (SELECT count(*) FROM ref.label x JOIN ref.label y USING (dataset, role, ordinal, leaf_no)
                WHERE (x.dataset, x.role, x.ordinal, x.leaf_no) = (l.dataset, l.role, l.ordinal, l.leaf_no)
                  AND x.level >= l.level AND y.level = x.level + 1 AND x.label IS DISTINCT FROM y.label)
        FROM ref.label l JOIN ref.attribute a USING (dataset, role, ordinal) LEFT JOIN leaf_weight w USING (ordinal, leaf_no)
        WHERE role = 'quasi_identifier'
        WINDOW level AS (PARTITION BY l.ordinal, l.level);
    FOR height IN 1..(SELECT max(level) FROM shown_as) LOOP
        UPDATE shown_as s SET weight = parent.weight
        FROM (SELECT p.ordinal, p.label_no,
                     CASE WHEN bool_or(c.weight = 0) THEN 0 WHEN count(*) = 1 THEN min(c.weight)
                          ELSE least(1 / sum(1 / nullif(c.weight, 0) ORDER BY c.label_no), min(c.weight)) END AS weight
              FROM shown_as p JOIN shown_as c ON (c.ordinal, c.leaf_no) = (p.ordinal, p.leaf_no) AND c.level = p.level - 1
              WHERE p.level = height AND c.leaf_no = c.label_no
              GROUP BY p.ordinal, p.label_no) parent
        WHERE s.level = height AND (s.ordinal, s.label_no) = (parent.ordinal, parent.label_no);
    END LOOP;
    UPDATE shown_as SET weight = 0 WHERE whole;
END $$;

CREATE FUNCTION pg_temp.tabulate_tuples() RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    d ref.dataset;
BEGIN
    SELECT * INTO d FROM ref.dataset;
    EXECUTE (SELECT format('INSERT INTO tuple SELECT row_number() OVER (), ARRAY[%s], array_agg(d.nr::text)
            FROM %s d %s WHERE %s GROUP BY 2',
            string_agg(format('s%s.leaf_no', ordinal), ', ' ORDER BY ordinal), d.relation,
            string_agg(format('JOIN ref.seen s%s ON s%1$s.role = ''quasi_identifier'' AND s%1$s.ordinal = %1$s AND s%1$s.written = ref.mark(d.%I::text)',
                              ordinal, column_name), ' ' ORDER BY ordinal),
            CASE WHEN d.count_column IS NULL THEN 'true' ELSE format('d.%I > 0', d.count_column) END)
        FROM ref.attribute WHERE role = 'quasi_identifier');
    INSERT INTO node
        SELECT row_number() OVER (ORDER BY levels), levels, (SELECT sum(x) FROM unnest(levels) x)
        FROM (SELECT (SELECT array_agg(nodes[i][j] ORDER BY j) FROM generate_subscripts(nodes, 2) j) AS levels
              FROM ref.nodes(d.dataset) nodes, generate_subscripts(nodes, 1) i) x;
    INSERT INTO right_above
        SELECT n.node_no, m.node_no FROM node n JOIN node m ON m.height = n.height + 1
        WHERE NOT EXISTS (SELECT FROM unnest(n.levels, m.levels) x (low, high) WHERE low > high);
    INSERT INTO seen
        SELECT tuple_no, node_no, sum(s.weight ORDER BY s.ordinal), sum(s.depth ORDER BY s.ordinal),
               sum(s.leaves ORDER BY s.ordinal), sum(s.log_leaves ORDER BY s.ordinal), sum(s.path ORDER BY s.ordinal), array_agg(s.label ORDER BY s.ordinal)
        FROM tuple t CROSS JOIN node n JOIN shown_as s ON s.level = n.levels[s.ordinal] AND s.leaf_no = t.leaves[s.ordinal]
        GROUP BY tuple_no, node_no;
END $$;

-- Another relation as dictionary: the data's values in new combinations, NULLs, values
-- that have no leaf; columns in another order and of another type.
CREATE FUNCTION pg_temp.make_dictionary() RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    relation text := (SELECT d.relation::text FROM ref.dataset d);
    kind text := sample.pick('{TABLE,"MATERIALIZED VIEW",TABLE}'::text[]);
BEGIN
    EXECUTE (SELECT format('CREATE TABLE sample.spelled AS SELECT %s FROM generate_series(1, %s) g (line_no)',
            string_agg(format('(CASE WHEN random() < 0.1 THEN NULL WHEN random() < %s THEN %L
                                ELSE (SELECT p.%I::text FROM %s p ORDER BY random() + g.line_no * 0 LIMIT 1) END)::%s AS %3$I',
                CASE WHEN family = 'other' AND type = 'boolean'::regtype THEN 0 ELSE 0.15 END,
                CASE family WHEN 'number' THEN '7777' WHEN 'text' THEN 'nowhere' ELSE '1999-01-01' END,
                column_name, relation,
                CASE WHEN family = 'number' AND type <> ALL ('{real,float8}'::regtype[]) THEN sample.pick('{numeric,float8}'::text[])
                     WHEN family = 'text' THEN sample.pick('{text,varchar}'::text[])
                     ELSE type::text END), ', ' ORDER BY ordinal DESC), sample.below(12))
        FROM (SELECT *, ref.column_type(relation::regclass, column_name) AS type,
                     ref.family(ref.column_type(relation::regclass, column_name)) AS family
              FROM ref.attribute WHERE role = 'quasi_identifier') a);
    EXECUTE format('CREATE %s sample.dictionary AS TABLE sample.spelled', kind);
    EXECUTE (SELECT format('INSERT INTO entry SELECT 1, row_number() OVER (), leaves, people
            FROM (SELECT ARRAY[%s] AS leaves, count(*) AS people FROM sample.dictionary d %s GROUP BY 1) x',
            string_agg(format('l%s.leaf_no', ordinal), ', ' ORDER BY ordinal),
            string_agg(format('LEFT JOIN %s h%s ON %s
                LEFT JOIN ref.label l%2$s ON l%2$s.role = ''quasi_identifier'' AND l%2$s.ordinal = %2$s AND l%2$s.level = 0
                    AND (l%2$s.label = h%2$s.%4$I::text OR (l%2$s.label IS NULL AND d.%5$I IS NULL))',
                hierarchy, ordinal, ref.matches(format('h%s.%I', ordinal, leaf), ref.column_type(hierarchy, leaf), format('d.%I', column_name)),
                leaf, column_name), ' ' ORDER BY ordinal))
        FROM (SELECT *, (ref.columns(hierarchy))[1] AS leaf FROM ref.attribute WHERE role = 'quasi_identifier') a);
END $$;

-- Matching entries, by node: one bit per level at which the two labels agree.
CREATE FUNCTION pg_temp.tabulate_fitting(which int, similarity float8) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO fitting
        WITH agrees AS (
            SELECT a.ordinal, a.leaf_no AS leaf, b.leaf_no AS other, sum(1 << a.level) AS levels
            FROM shown_as a JOIN shown_as b USING (ordinal, level)
            WHERE a.label_no = b.label_no OR anonopt.jaro(a.label, b.label) >= similarity
            GROUP BY 1, 2, 3
            UNION ALL
            -- a value without a leaf
            SELECT ordinal, leaf_no, NULL, coalesce(sum(1 << level) FILTER (WHERE whole), 0) FROM shown_as GROUP BY 1, 2),
        pair AS MATERIALIZED (
            SELECT tuple_no, entry_no, people, array_agg(coalesce(levels, 0) ORDER BY i) AS levels
            FROM tuple t CROSS JOIN entry e CROSS JOIN generate_subscripts(t.leaves, 1) i
            LEFT JOIN agrees a ON a.ordinal = i AND a.leaf = t.leaves[i] AND a.other IS NOT DISTINCT FROM e.leaves[i]
            WHERE e.variant = which % 2
            GROUP BY 1, 2, 3)
        SELECT which, tuple_no, node_no, greatest(sum(people) FILTER (WHERE fits), 1)
        FROM tuple CROSS JOIN node LEFT JOIN LATERAL (
            SELECT people,
                   coalesce(p.levels[1] >> n.levels[1] & 1, 1) & coalesce(p.levels[2] >> n.levels[2] & 1, 1)
                   & coalesce(p.levels[3] >> n.levels[3] & 1, 1) & coalesce(p.levels[4] >> n.levels[4] & 1, 1) = 1 AS fits
            FROM pair p, (SELECT node.levels) n WHERE p.tuple_no = tuple.tuple_no) x ON true
        GROUP BY tuple_no, node_no
$$;

-- Where an answer differs from the best of all nodes; NULL where it does not.
CREATE FUNCTION pg_temp.difference(call text, bound float8, goal text, which int, risk_model text, utility_model text)
RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    difference text;
BEGIN
    EXECUTE format($q$
        WITH got AS MATERIALIZED (SELECT * FROM anonopt.%1$s),
        candidate AS MATERIALIZED (
            SELECT *, %4$s AS feasible, %5$s AS cost
            FROM (SELECT tuple_no, node_no, levels, height, labels, %3$s AS utility,
                         CASE %2$L WHEN 'identity' THEN 1.0::float8 / entries WHEN 'entropy' THEN weight * ln(1.0::float8 / entries)
                         ELSE weight / entries END AS risk
                  FROM seen JOIN fitting USING (tuple_no, node_no) JOIN node USING (node_no)
                  WHERE variant = %6$s) x),
        best AS MATERIALIZED (
            SELECT DISTINCT ON (tuple_no) * FROM candidate WHERE feasible
            ORDER BY tuple_no, cost, risk, utility DESC, height, levels),
        above AS MATERIALIZED (
            SELECT a.tuple_no, r.node_no, bool_or(a.feasible) AS feasible, min(a.risk) FILTER (WHERE NOT a.feasible) AS least_beyond
            FROM right_above r JOIN candidate a ON a.node_no = r.above_no GROUP BY 1, 2),
        counted AS (
            SELECT c.tuple_no, count(*) AS nodes, count(*) FILTER (WHERE c.feasible) AS feasible,
                   count(*) FILTER (WHERE c.feasible AND a.feasible IS NOT TRUE) AS frontier,
                   count(*) FILTER (WHERE c.height = (SELECT max(height) FROM node)
                                       OR a.least_beyond <= coalesce(b.risk, 'Infinity')) AS from_top
            FROM candidate c LEFT JOIN best b USING (tuple_no)
            LEFT JOIN above a ON (a.tuple_no, a.node_no) = (c.tuple_no, c.node_no) GROUP BY c.tuple_no),
        want AS (
            SELECT record, levels, labels, risk, utility,
                   -- bounds rule nodes out where risk is not monotone
                   CASE WHEN %7$s THEN CASE %8$L WHEN 'btda' THEN from_top ELSE frontier END ELSE 1 END AS least_visited,
                   CASE WHEN %7$s AND %8$L = 'btda' THEN from_top
                        WHEN %7$s AND %8$L = 'aruba' THEN counted.feasible ELSE nodes END AS most_visited
            FROM tuple CROSS JOIN unnest(records) record JOIN counted USING (tuple_no) LEFT JOIN best USING (tuple_no))
        SELECT format('record %%s: got %%s, want %%s, least visited %%s', record, g, w, least_visited)
        FROM got g FULL JOIN want w USING (record)
        WHERE (g.record, g.levels, g.generalized, g.risk, g.utility) IS DISTINCT FROM (w.record, w.levels, w.labels, w.risk, w.utility)
           OR visited NOT BETWEEN least_visited AND most_visited
        LIMIT 1$q$,
        call, risk_model, utility_model,
        CASE goal WHEN 'budget' THEN 'risk <= $1' WHEN 'balance' THEN 'true' ELSE 'utility >= $1' END,
        CASE goal WHEN 'budget' THEN '-utility' WHEN 'balance' THEN 'risk - $1 * utility' ELSE 'risk' END,
        which, (goal IN ('aruba', 'btda') AND risk_model <> 'entropy' AND which < 2)::text, goal)
    INTO difference USING bound;
    RETURN difference;
EXCEPTION WHEN OTHERS THEN
    RETURN format('%s: %s', SQLSTATE, SQLERRM);
END $$;

-- A bound that some node just meets, or lies between, or nothing meets.
CREATE FUNCTION pg_temp.some_bound(goal text, which int, risk_model text, utility_model text) RETURNS float8
LANGUAGE plpgsql AS $$
DECLARE
    bound float8;
BEGIN
    IF goal = 'balance' THEN
        RETURN sample.pick('{0,0.01,0.1,0.3,1,5}'::float8[]);
    END IF;
    EXECUTE format('SELECT %s FROM seen JOIN fitting USING (tuple_no, node_no) WHERE variant = $1 ORDER BY random() LIMIT 1',
        CASE WHEN goal <> 'budget' THEN utility_model
             WHEN risk_model = 'identity' THEN '1.0::float8 / entries'
             WHEN risk_model = 'entropy' THEN 'weight * ln(1.0::float8 / entries)' ELSE 'weight / entries' END)
        INTO bound USING which;
    RETURN coalesce(bound, 1) + CASE WHEN random() < 0.7 THEN 0 ELSE random() - 0.5 END
           + CASE WHEN random() < 0.05 THEN CASE goal WHEN 'budget' THEN -1000 ELSE 1000 END ELSE 0 END;
END $$;

-- One random data set: every risk and utility, with goals and variants in turn; what
-- differs, all rolled back.
CREATE FUNCTION pg_temp.differences(seed int, OUT parameters text, OUT differing text)
LANGUAGE plpgsql AS $$
DECLARE
    set_name text;
    goal text;
    call text;
    bound float8;
    v variant;
    model int := 0;
    risk_model text;
    utility_model text;
BEGIN
    parameters := sample.data_set(seed);
    SELECT dataset INTO set_name FROM ref.dataset;
    PERFORM ref.read(set_name), ref.declare(set_name);
    PERFORM pg_temp.make_weights();
    PERFORM pg_temp.tabulate_labels(), pg_temp.tabulate_tuples(), pg_temp.make_dictionary();
    INSERT INTO entry SELECT 0, row_number() OVER (), leaves, sum(people) FROM ref.person GROUP BY leaves;
    -- even without a dictionary, odd with one; from 2 on alike labels will do
    INSERT INTO variant VALUES (0, NULL, 'NULL'), (1, NULL, '''sample.dictionary'''),
        (2, sample.pick('{0.6,0.8,1}'::float8[]), 'NULL'), (3, sample.pick('{0.6,0.8,1}'::float8[]), '''sample.dictionary''');
    PERFORM pg_temp.tabulate_fitting(x.variant, x.similarity) FROM variant x;
    FOREACH risk_model IN ARRAY '{sensitivity,identity,entropy}'::text[] LOOP
        FOREACH utility_model IN ARRAY '{depth,leaves,log_leaves,path}'::text[] LOOP
            model := model + 1;
            goal := ('{aruba,btda,budget,balance}'::text[])[1 + (seed + model) % 4];
            SELECT * INTO v FROM variant x WHERE x.variant = (seed / 4 + model) % 4;
            bound := pg_temp.some_bound(goal, v.variant, risk_model, utility_model);
            call := format('%s(%L, $1, %L, %L, %s, %L, ''nr'')', CASE WHEN goal IN ('budget', 'balance') THEN 'aruba_' ELSE '' END || goal,
                           set_name, risk_model, utility_model, v.dictionary, v.similarity);
            differing := format(E'\n%s, bound %s\n', call, bound)
                         || pg_temp.difference(call, bound, goal, v.variant, risk_model, utility_model);
            IF differing IS NOT NULL THEN
                RAISE SQLSTATE 'ROLLB';
            END IF;
        END LOOP;
    END LOOP;
    RAISE SQLSTATE 'ROLLB';
EXCEPTION
    WHEN SQLSTATE 'ROLLB' THEN
        NULL;
    WHEN OTHERS THEN
        differing := format(E'\n%s: %s', SQLSTATE, SQLERRM);
END $$;

SET jit = off;
SELECT is(CASE WHEN differing IS NOT NULL THEN format(E'%s\nof %s', differing, parameters) END, NULL, format('set %s: a generalization per record', seed))
FROM generate_series(2001, 2000 + pg_temp.few(200)) seed, pg_temp.differences(seed);

-- Depth as ARUBA's paper counts it in its Figure 1: a short branch is not padded.  A record keeps all of it where
-- risk is of no matter.
CREATE TABLE pg_temp.place AS SELECT * FROM (VALUES (1, 'Lafayette'), (2, 'Dayton'), (3, 'West Lafayette')) AS v (nr, place);
CREATE TABLE pg_temp.edge AS SELECT * FROM (VALUES ('Lafayette', 'Greater Lafayette'), ('West Lafayette', 'Greater Lafayette'),
    ('Greater Lafayette', 'Tippecanoe'), ('Dayton', 'Tippecanoe'), ('Tippecanoe', 'Indiana'), ('Indiana', 'Midwest'), ('Midwest', '*'))
    AS v (child, parent);
SELECT anonopt.create_tree_hierarchy('pg_temp.places', 'pg_temp.edge') \g /dev/null
SELECT anonopt.create_dataset('places', 'pg_temp.place'), anonopt.add_quasi_identifier('places', 'place', 'pg_temp.places') \g /dev/null
SELECT is((SELECT array_agg(utility ORDER BY record) FROM anonopt.aruba_budget('places', 100, utility => utility_model, key => 'nr')), want,
          format('utility %s of a short branch', utility_model))
FROM (VALUES ('path', '{5,4,5}'::float8[]), ('depth', '{5,5,5}')) AS v (utility_model, want);

-- Lattices too large to go through ---------------------------------------------------

-- Several hundred thousand nodes and more: a tuple's best is found by adding one attribute
-- after another to all beginnings that differ, in the entries they fit, in weight or in utility.
CREATE SCHEMA beyond;
CREATE TABLE beyond.beginning (
    variant int, tuple_no int, entries int, weight float8, depth float8, leaves float8, log_leaves float8, height int, levels int[]);
CREATE TABLE beyond.seen (
    variant int, tuple_no int, node_no int, weight float8, depth float8, leaves float8, log_leaves float8, entries bigint);

-- Values near to each other, so that records have something in common; a dictionary with
-- values that have no leaf, and weights of one column.
CREATE FUNCTION pg_temp.make_set(name text, rows int, hierarchies text[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM ref.dataset;
    DELETE FROM ref.attribute;
    EXECUTE (SELECT format('CREATE TABLE beyond.%I AS SELECT nr, %s FROM generate_series(1, %s) nr', name,
                string_agg(format('(CASE WHEN random() < 0.6 THEN 5 ELSE floor(random() * 16 + nr * 0) END)::int AS v%s', i), ', '), rows)
             FROM generate_subscripts(hierarchies, 1) i);
    EXECUTE (SELECT format('CREATE TABLE beyond.%I AS SELECT %s FROM generate_series(1, 7) nr', name || '_known',
                string_agg(format('(CASE WHEN random() < 0.1 THEN NULL WHEN random() < 0.7 THEN 5
                                    ELSE floor(random() * 30 - 5 + nr * 0) END)::bigint AS v%s', i), ', '))
             FROM generate_subscripts(hierarchies, 1) i);
    INSERT INTO ref.dataset VALUES (name, format('beyond.%I', name)::regclass);
    INSERT INTO ref.attribute (dataset, role, ordinal, column_name, hierarchy)
        SELECT name, 'quasi_identifier', i, 'v' || i, h::regclass FROM unnest(hierarchies) WITH ORDINALITY x (h, i);
    PERFORM ref.read(name), ref.declare(name);
    INSERT INTO leaf_weight
        SELECT 2, leaf_no, CASE label::int % 3 WHEN 0 THEN 0.5 WHEN 1 THEN 3 ELSE 0 END
        FROM ref.label WHERE dataset = name AND ordinal = 2 AND level = 0 AND label::int % 7 <> 3;
    EXECUTE format('CREATE TABLE beyond.%I AS SELECT label::int AS v, weight FROM leaf_weight JOIN ref.label USING (ordinal, leaf_no)
                    WHERE dataset = %L AND level = 0', name || '_weight', name);
    PERFORM anonopt.set_sensitivity(name, 'v2', format('beyond.%I', name || '_weight')::regclass);
    PERFORM pg_temp.tabulate_labels();
    EXECUTE (SELECT format('INSERT INTO tuple SELECT row_number() OVER (), ARRAY[%s], array_agg(nr::text) FROM beyond.%I d %s GROUP BY 2',
                string_agg(format('s%s.leaf_no', ordinal), ', ' ORDER BY ordinal), name,
                string_agg(format('JOIN ref.seen s%s ON s%1$s.dataset = %L AND s%1$s.ordinal = %1$s AND s%1$s.written = ref.mark(d.v%1$s::text)',
                                  ordinal, name), ' ' ORDER BY ordinal))
             FROM ref.attribute);
    INSERT INTO entry SELECT 0, row_number() OVER (), leaves, sum(people) FROM ref.person WHERE dataset = name GROUP BY leaves;
    EXECUTE (SELECT format('INSERT INTO entry SELECT 1, row_number() OVER (), ARRAY[%s], 1 FROM beyond.%I d',
                string_agg(format('(SELECT leaf_no FROM ref.label WHERE dataset = %L AND ordinal = %s AND level = 0 AND label = d.v%2$s::text)',
                                  name, ordinal), ', ' ORDER BY ordinal), name || '_known')
             FROM ref.attribute);
END $$;

CREATE FUNCTION pg_temp.add_attributes(attributes int) RETURNS void
LANGUAGE plpgsql
SET work_mem = '256MB' SET enable_nestloop = off AS $$
BEGIN
    INSERT INTO beyond.beginning SELECT variant, tuple_no, 127, 0, 0, 0, 0, 0, '{}' FROM variant, tuple;
    FOR i IN 1..attributes LOOP
        CREATE TABLE beyond.longer AS
            SELECT DISTINCT ON (variant, tuple_no, entries, weight, depth, leaves, log_leaves) *
            FROM (SELECT b.variant, b.tuple_no, (b.entries & fit.entries)::int AS entries, b.weight + s.weight AS weight,
                         b.depth + s.depth AS depth, b.leaves + s.leaves AS leaves, b.log_leaves + s.log_leaves AS log_leaves,
                         b.height + s.level AS height, b.levels || s.level AS levels
                  FROM beyond.beginning b JOIN tuple t USING (tuple_no)
                  JOIN shown_as s ON s.ordinal = i AND s.leaf_no = t.leaves[i]
                  JOIN (SELECT v.variant, a.level, a.leaf_no,
                               coalesce(sum(1 << (entry_no::int - 1)) FILTER (
                                   WHERE CASE WHEN o.leaf_no IS NULL THEN a.whole
                                         ELSE a.label_no = o.label_no OR anonopt.jaro(a.label, o.label) >= v.similarity END), 0) AS entries
                        FROM variant v JOIN entry e ON e.variant = v.variant % 2 CROSS JOIN shown_as a
                        LEFT JOIN shown_as o ON (o.ordinal, o.level, o.leaf_no) = (i, a.level, e.leaves[i])
                        WHERE a.ordinal = i GROUP BY 1, 2, 3) fit
                  ON (fit.variant, fit.level, fit.leaf_no) = (b.variant, s.level, s.leaf_no)) x
            ORDER BY variant, tuple_no, entries, weight, depth, leaves, log_leaves, height, levels;
        DELETE FROM beyond.beginning;
        INSERT INTO beyond.beginning TABLE beyond.longer;
        DROP TABLE beyond.longer;
    END LOOP;
    -- as nodes that are seen
    INSERT INTO node SELECT row_number() OVER (), levels, height FROM (SELECT DISTINCT levels, height FROM beyond.beginning) x;
    INSERT INTO beyond.seen
        SELECT b.variant, tuple_no, node_no, weight, depth, leaves, log_leaves, greatest(fits, 1)
        FROM beyond.beginning b JOIN node USING (levels)
        JOIN (SELECT x.variant, x.entries, coalesce(sum(people) FILTER (WHERE x.entries >> (entry_no::int - 1) & 1 = 1), 0) AS fits
              FROM (SELECT DISTINCT variant, entries FROM beyond.beginning) x JOIN entry e ON e.variant = x.variant % 2
              GROUP BY 1, 2) f USING (variant, entries);
    ANALYZE beyond.seen;
END $$;

CREATE FUNCTION pg_temp.difference_beyond(call text, bound float8, goal text, which int, risk_model text, utility_model text)
RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    difference text;
BEGIN
    EXECUTE format($q$
        WITH got AS MATERIALIZED (SELECT * FROM anonopt.%1$s),
        best AS MATERIALIZED (
            SELECT DISTINCT ON (tuple_no) *
            FROM (SELECT tuple_no, levels, height, %3$s AS utility,
                         CASE %2$L WHEN 'identity' THEN 1.0::float8 / entries WHEN 'entropy' THEN weight * ln(1.0::float8 / entries)
                         ELSE weight / entries END AS risk
                  FROM beyond.seen JOIN node USING (node_no) WHERE variant = %6$s) x
            WHERE %4$s
            ORDER BY tuple_no, %5$s, risk, utility DESC, height, levels),
        want AS (
            SELECT record, levels, risk, utility,
                   (SELECT array_agg(s.label ORDER BY ordinal) FROM shown_as s
                    WHERE s.level = levels[ordinal] AND s.leaf_no = tuple.leaves[ordinal]) AS labels
            FROM tuple CROSS JOIN unnest(records) record LEFT JOIN best USING (tuple_no))
        SELECT format('record %%s: got %%s, want %%s', record, g, w)
        FROM got g FULL JOIN want w USING (record)
        WHERE (g.record, g.levels, g.generalized, g.risk, g.utility) IS DISTINCT FROM (w.record, w.levels, w.labels, w.risk, w.utility)
           OR visited < 1
        LIMIT 1$q$,
        call, risk_model, utility_model,
        CASE goal WHEN 'budget' THEN 'risk <= $1' WHEN 'balance' THEN 'true' ELSE 'utility >= $1' END,
        CASE goal WHEN 'budget' THEN '-utility' WHEN 'balance' THEN 'risk - $1 * utility' ELSE 'risk' END, which)
    INTO difference USING bound;
    RETURN difference;
EXCEPTION WHEN OTHERS THEN
    RETURN format('%s: %s', SQLSTATE, SQLERRM);
END $$;

-- A set: every goal, each with every risk and utility.
CREATE FUNCTION pg_temp.check_beyond(set_name text, rows int, hierarchies text[], similarities float8[]) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
    goals text[] := '{aruba,btda,budget,balance}';
    differing text[] := array_fill(NULL::text, ARRAY[4]);
    v variant;
    call text;
    bound float8;
    difference text;
    model int := 0;
    risk_model text;
    utility_model text;
BEGIN
    DELETE FROM leaf_weight;
    DELETE FROM shown_as;
    DELETE FROM tuple;
    DELETE FROM node;
    DELETE FROM entry;
    DELETE FROM variant;
    DELETE FROM beyond.beginning;
    DELETE FROM beyond.seen;
    PERFORM setseed(rows / 10.0);
    PERFORM pg_temp.make_set(set_name, rows, hierarchies);
    INSERT INTO variant SELECT i - 1, s, CASE i % 2 WHEN 1 THEN 'NULL' ELSE format('''beyond.%I''', set_name || '_known') END
        FROM unnest(similarities) WITH ORDINALITY x (s, i);
    PERFORM pg_temp.add_attributes(cardinality(hierarchies));
    RETURN NEXT cmp_ok(anonopt.lattice_size(set_name), '>', 300000::numeric, format('%s: a large lattice', set_name));
    FOREACH risk_model IN ARRAY '{sensitivity,identity,entropy}'::text[] LOOP
        FOREACH utility_model IN ARRAY '{depth,leaves,log_leaves}'::text[] LOOP
            FOR i IN 1..4 LOOP
                model := model + 1;
                -- a third of them in a quick run, another of each set
                CONTINUE WHEN (model / 4 + rows % 4 + i) % pg_temp.few(1, 3) > 0;
                SELECT * INTO v FROM variant x WHERE x.variant = (model / 4 + model) % cardinality(similarities);
                EXECUTE format('SELECT %s FROM beyond.seen WHERE variant = %s ORDER BY random() LIMIT 1',
                    CASE WHEN i <= 2 THEN utility_model
                         WHEN risk_model = 'identity' THEN '1.0::float8 / entries'
                         WHEN risk_model = 'entropy' THEN 'weight * ln(1.0::float8 / entries)' ELSE 'weight / entries' END, v.variant)
                    INTO bound;
                IF i = 4 THEN
                    bound := sample.pick('{0,0.03,0.2,1}'::float8[]);
                END IF;
                call := format('%s(%L, $1, %L, %L, %s, %L, ''nr'')', CASE WHEN i > 2 THEN 'aruba_' ELSE '' END || goals[i],
                               set_name, risk_model, utility_model, v.dictionary, v.similarity);
                difference := pg_temp.difference_beyond(call, bound, goals[i], v.variant, risk_model, utility_model);
                IF difference IS NOT NULL THEN
                    differing[i] := format(E'\n%s, bound %s\n%s', call, bound, difference);
                END IF;
            END LOOP;
        END LOOP;
    END LOOP;
    FOR i IN 1..4 LOOP
        RETURN NEXT is(differing[i], NULL, format('%s: %s', set_name, (ARRAY['least risk', 'the same from the top', 'most utility', 'balance'])[i]));
    END LOOP;
END $$;

SELECT anonopt.create_interval_hierarchy('beyond.digits', 0, 15, '{2,4,8}') \g /dev/null
SELECT pg_temp.check_beyond('broad', 6, array_fill('beyond.digits'::text, ARRAY[8]), '{NULL,NULL}');
SELECT pg_temp.check_beyond('few', 3, array_fill('beyond.digits'::text, ARRAY[8]), '{NULL,NULL}');
SELECT pg_temp.check_beyond('alike', 1, array_fill('beyond.digits'::text, ARRAY[8]), '{0.8,0.6}');
SELECT is((SELECT count(levels) FROM anonopt.aruba('broad', bound)), CASE WHEN bound < 0 THEN 6 ELSE 0 END::bigint,
          format('least risk with utility at least %s', bound))
FROM unnest('{-1e300,-1e9,49,1e9,1e300}'::float8[]) bound;

-- A search ended by its time limit returns what it has found, which is feasible and
-- correct.
CREATE TABLE beyond.crowd AS
    SELECT nr, (SELECT array_agg(floor(16 * random() * random() + nr * 0)::int ORDER BY i) FROM generate_series(1, 20) i) AS v
    FROM generate_series(1, 2000) nr;
SELECT format('CREATE VIEW beyond.crowded AS SELECT nr, %s FROM beyond.crowd', string_agg(format('v[%s] AS v%1$s', i), ', '))
FROM generate_series(1, 20) i \gexec
SELECT anonopt.create_dataset('crowd', 'beyond.crowded') \g /dev/null
SELECT anonopt.add_quasi_identifier('crowd', ('v' || i)::name, 'beyond.digits') FROM generate_series(1, 20) i \g /dev/null

CREATE FUNCTION pg_temp.check_timed(goal text, bound float8, promise text) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
    began float8 := pg_temp.seconds_worked();
    call text := format('%s(''crowd'', %s, key => ''nr'', time_limit => ''700 ms'')', goal, bound);
    wrong bigint;
BEGIN
    EXECUTE format('CREATE TABLE beyond.hurried AS SELECT * FROM anonopt.%s', call);
    RETURN NEXT cmp_ok(pg_temp.seconds_worked() - began, '<', 3.0::float8, call || ' ends');
    RETURN NEXT ok(NOT exact, 'and says that it is not proven') FROM anonopt.last_search();
    EXECUTE format('SELECT count(*) FROM beyond.hurried WHERE NOT %s', promise) INTO wrong;
    RETURN NEXT is(wrong, 0::bigint, 'what it has found is feasible');
    RETURN NEXT is((SELECT count(*) FROM beyond.hurried), 2000::bigint, 'there is a row for everybody');
    RETURN NEXT is((
        SELECT count(*)
        FROM (SELECT * FROM beyond.hurried WHERE levels IS NOT NULL ORDER BY record LIMIT 50) h JOIN beyond.crowd c ON c.nr::text = h.record
        CROSS JOIN LATERAL (SELECT 80 - sum(l) AS depth, sum(CASE l WHEN 4 THEN 0 ELSE 1.0::float8 / 2 ^ l END) AS weight FROM unnest(levels) l) own
        CROSS JOIN LATERAL (
            SELECT count(*) AS fits FROM beyond.crowd o
            WHERE NOT EXISTS (SELECT FROM unnest(c.v, o.v, levels) x (a, b, l) WHERE a >> l <> b >> l)) all_of_them
        WHERE risk <> weight / fits OR utility <> depth),
        0::bigint, 'and as it says');
    DROP TABLE beyond.hurried;
END $$;
SELECT pg_temp.check_timed('aruba', 40, 'coalesce(utility >= 40, false)');
SELECT pg_temp.check_timed('btda', 40, 'coalesce(utility >= 40, false)');
SELECT pg_temp.check_timed('aruba_budget', 0.01, 'coalesce(risk <= 0.01, false)');
SELECT pg_temp.check_timed('aruba_balance', 0.02, 'levels IS NOT NULL');

-- From the result to a release -----------------------------------------------------------

CREATE TABLE beyond.guest (id int PRIMARY KEY, v1 int, v2 int, dish text);
INSERT INTO beyond.guest SELECT i, i * 7 % 16, i * i % 16, 'dish ' || i % 3 FROM generate_series(1, 40) i;
SELECT anonopt.create_dataset('guests', 'beyond.guest') \g /dev/null
SELECT anonopt.add_quasi_identifier('guests', c, 'beyond.digits') FROM unnest('{v1,v2}'::name[]) c \g /dev/null
CREATE TABLE beyond.release AS
    SELECT g.* FROM anonopt.aruba('guests', 3) a, anonopt.unpack(a.generalized) AS g (first text, second text)
    ORDER BY g, random();
SELECT is((SELECT count(*) FROM beyond.release), 40::bigint, 'a release has all records');
SELECT is(array_agg(attname::text ORDER BY attnum), '{first,second}', 'and the labels alone')
FROM pg_attribute WHERE attrelid = 'beyond.release'::regclass AND attnum > 0;
SELECT is(anonopt.k_anonymity('beyond.release', '{first,second}'),
          (SELECT min(n) FROM (SELECT count(*) AS n FROM beyond.release GROUP BY first, second) x), 'its k can be measured');
SELECT results_eq('SELECT first, second FROM beyond.release ORDER BY ctid', 'SELECT first, second FROM beyond.release ORDER BY 1, 2',
                  'rows stand in the order of their labels');
SELECT results_eq($$SELECT array_to_string(generalized, '|', '-') FROM anonopt.aruba('guests', 3, key => 'id') ORDER BY record$$,
                  $$SELECT concat_ws('|', g.a, g.b) FROM anonopt.aruba('guests', 3, key => 'id') r, anonopt.unpack(r.generalized) AS g (a text, b text) ORDER BY record$$,
                  'unpack names labels');
SELECT is((SELECT r FROM anonopt.unpack('{x,NULL,""}') AS r (a text, b text, c text))::text, '(x,,"")', 'also those that are NULL or empty');
SELECT is((SELECT count(*) FROM anonopt.aruba('guests', 100) a, anonopt.unpack(a.generalized) AS g (a text, b text)
           WHERE g.a IS NULL AND g.b IS NULL), 40::bigint, 'no generalization is a row of NULLs');
SELECT matches(pg_temp.outcome(c), m, c) FROM (VALUES
    ('SELECT * FROM anonopt.unpack(''{a,b}'') AS g (a text)', '^22023: columns do not match the labels'),
    ('SELECT * FROM anonopt.unpack(''{a}'') AS g (a text, b text)', '^22023: columns do not match the labels'),
    ('SELECT * FROM anonopt.unpack(''{}'') AS g (a text)', '^22023: '),
    ('SELECT * FROM anonopt.unpack(''{a}'') AS g (a int)', '^42804: column "a" must be of type text'),
    ('SELECT * FROM anonopt.unpack(''{a}'') AS g (a name)', '^42804: '),
    ('SELECT anonopt.unpack(''{a}'')', '^42601: columns of unpack must be named')) v (c, m);

-- Names of rows ----------------------------------------------------------------------------

CREATE TABLE beyond.parted (LIKE beyond.guest) PARTITION BY HASH (id);
CREATE TABLE beyond.parted_0 PARTITION OF beyond.parted FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE beyond.parted_1 PARTITION OF beyond.parted FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO beyond.parted TABLE beyond.guest;
CREATE VIEW beyond.viewed AS TABLE beyond.guest;
SELECT anonopt.create_dataset('p', 'beyond.parted'), anonopt.create_dataset('v', 'beyond.viewed') \g /dev/null
SELECT anonopt.add_quasi_identifier(d, c, 'beyond.digits') FROM unnest('{p,v}'::text[]) d, unnest('{v1,v2}'::name[]) c \g /dev/null
SELECT results_eq('SELECT record, levels FROM anonopt.aruba(''guests'', 3) ORDER BY 1',
    'SELECT g.ctid::text, levels FROM beyond.guest g JOIN anonopt.aruba(''guests'', 3, key => ''id'') ON record = id::text ORDER BY 1', 'a table''s rows by ctid');
SELECT results_eq('SELECT record, levels FROM anonopt.aruba(''p'', 3) ORDER BY 1',
    'SELECT g.tableoid || '':'' || g.ctid, levels FROM beyond.parted g JOIN anonopt.aruba(''guests'', 3, key => ''id'') ON record = id::text ORDER BY 1',
    'a partitioned table''s by table and ctid');
SELECT results_eq('SELECT record, levels, risk FROM anonopt.aruba(''v'', 3, key => ''id'') ORDER BY 1',
    'SELECT record, levels, risk FROM anonopt.aruba(''guests'', 3, key => ''id'') ORDER BY 1', 'a view''s by a key');
SELECT matches(pg_temp.outcome('SELECT * FROM anonopt.aruba(''v'', 3)'), '^22023: ', 'a view has no rows with a place');

SELECT * FROM finish();
ROLLBACK;
