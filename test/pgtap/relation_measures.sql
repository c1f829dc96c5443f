-- The measures of any relation, which need no declaration, on random small tables
-- against plain SQL.
\ir begin.inc
\ir reference.inc
\ir random_data.inc

-- A table sample."People, all" with few values a column, so that classes are large;
-- the sensitive column is "Own \"Value\"", its hierarchy sample.hierarchy_of_own.
CREATE FUNCTION pg_temp.random_table(seed int, OUT quasi_identifiers name[], OUT parameters text)
LANGUAGE plpgsql AS $$
DECLARE
    n int;
    names name[];
    kind text;
    data_type text;
    leaf_type text;
    leaves sample.leaf[];
    drawn text[];
    definition text := '';
    columns text := '';
BEGIN
    PERFORM setseed((seed % 1000) / 1000.0);
    n := CASE seed % 12 WHEN 0 THEN 0 WHEN 6 THEN 1 ELSE 2 + sample.below(60) END;
    names := sample.shuffled(ARRAY['age', 'Zip Code', 'a"b', 'select', 'été', 'x.y', '$1']::name[]);
    quasi_identifiers := names[1:1 + sample.below(4)];
    parameters := format('random_table(%s): %s rows', seed, n);

    FOR q IN 1..cardinality(quasi_identifiers) LOOP
        kind := sample.pick('{text,integer,fraction,boolean,date,enum,float8}'::text[]);
        IF kind = 'float8' THEN
            -- as GROUP BY has it: NaN is itself, and the two zeros are one
            data_type := kind;
            drawn := ARRAY(SELECT sample.pick('{NaN,0,-0,1.5,Infinity}'::text[])
                           FROM generate_series(1, n));
        ELSE
            data_type := sample.data_type(kind);
            drawn := sample.values(sample.domain(kind, 1 + sample.below(3), data_type), n);
        END IF;
        definition := definition || format('%I %s, ', names[q], data_type);
        columns := columns || format('unnest(%L::text[]::%s[]), ', drawn, data_type);
        parameters := parameters || ', ' || data_type;
    END LOOP;

    kind := sample.pick('{text,integer,fraction,boolean,date,enum,timestamp}'::text[]);
    data_type := sample.data_type(kind);
    leaf_type := sample.leaf_type(kind);
    leaves := sample.domain(kind, 1 + sample.below(7), data_type);
    drawn := sample.values(leaves, n);
    PERFORM sample.hierarchy('hierarchy_of_own', leaf_type, leaves, 1 + sample.below(4),
                             sample.chance(0.7), false);
    parameters := parameters || format(', sensitive %s with leaves %s', data_type, leaf_type);
    EXECUTE format('CREATE TABLE sample."People, all" (%s"Own ""Value""" %s)', definition, data_type);
    EXECUTE format('INSERT INTO sample."People, all" '
                   'SELECT * FROM ROWS FROM (%sunnest(%L::text[]::%s[]))', columns, drawn, data_type);
END $$;

-- The calls that are compared, on either side.
CREATE FUNCTION pg_temp.calls(quasi_identifiers name[]) RETURNS text[]
LANGUAGE sql VOLATILE AS $$
    WITH arguments AS (
        SELECT format('%L::regclass, %L::name[]', 'sample."People, all"', quasi_identifiers) AS q,
               quote_literal('Own "Value"') AS s,
               '''sample.hierarchy_of_own''::regclass' AS h)
    SELECT ARRAY[
        format('k_anonymity(%s)', q),
        format('l_diversity(%s, %s)', q, s),
        format('entropy_l_diversity(%s, %s)', q, s),
        format('t_closeness(%s, %s)', q, s),
        format('t_closeness(%s, %s, ''ordered'')', q, s),
        format('t_closeness(%s, %s, ''ordered'', %s)', q, s, h),
        format('t_closeness(%s, %s, ''hierarchical'', %s)', q, s, h),
        format('risk(%s)', q),
        format('risk(%s, %s)', q, sample.pick('{0,0.1,0.25,0.3333,0.5,1}'::text[]))]
    FROM arguments
$$;

-- The numbers that a call gives, one or several.
CREATE FUNCTION pg_temp.numbers(side text, call text) RETURNS float8[]
LANGUAGE plpgsql AS $$
DECLARE
    numbers float8[];
BEGIN
    IF call LIKE 'risk%' THEN
        EXECUTE format('SELECT ARRAY[records, classes, uniques, highest, average, lowest, share_above] '
                       'FROM %I.%s', side, call) INTO STRICT numbers;
    ELSE
        EXECUTE format('SELECT ARRAY[%I.%s]', side, call) INTO STRICT numbers;
    END IF;
    RETURN numbers;
END $$;

CREATE FUNCTION pg_temp.differences(seed int, OUT parameters text, OUT calls text[],
                                    OUT differing text[])
LANGUAGE plpgsql AS $$
DECLARE
    quasi_identifiers name[];
    got float8[];
    want float8[];
BEGIN
    SELECT * INTO quasi_identifiers, parameters FROM pg_temp.random_table(seed);
    calls := pg_temp.calls(quasi_identifiers);
    FOR i IN 1..cardinality(calls) LOOP
        want := pg_temp.numbers('ref', calls[i]);
        BEGIN
            got := pg_temp.numbers('anonopt', calls[i]);
            differing[i] := CASE WHEN NOT (SELECT bool_and(ref.close(g, w))
                                           FROM unnest(got, want) u(g, w))
                THEN format('got %s, want %s', got, want) END;
        EXCEPTION WHEN OTHERS THEN
            differing[i] := format('%s: %s', SQLSTATE, SQLERRM);
        END;
    END LOOP;
    RAISE SQLSTATE 'ROLLB';
EXCEPTION WHEN SQLSTATE 'ROLLB' THEN
    NULL;
END $$;

CREATE FUNCTION pg_temp.check_table(seed int) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
    parameters text;
    calls text[];
    differing text[];
BEGIN
    SELECT * INTO parameters, calls, differing FROM pg_temp.differences(seed);
    FOR i IN 1..cardinality(calls) LOOP
        RETURN NEXT is(CASE WHEN differing[i] IS NOT NULL
                            THEN format(E'%s\nof %s', differing[i], parameters) END, NULL,
                       format('table %s: %s', seed, calls[i]));
    END LOOP;
END $$;

SELECT plan(pg_temp.few(120) * 9 + 9);

-- The reference, too, answers to something: six people, worked out by hand.
CREATE TABLE sample.hand (zip text, ward text, ill text);
INSERT INTO sample.hand VALUES
    ('1', 'a', 'flu'), ('1', 'a', 'flu'), ('1', 'a', NULL),
    ('2', NULL, 'cough'), ('2', NULL, 'flu'), ('2', 'b', 'cough');
CREATE TABLE sample.illness (ill text, organ text, every text);
INSERT INTO sample.illness VALUES
    ('cough', 'lung', '*'), ('flu', 'body', '*'), ('ache', 'body', '*');
SELECT is(ref.k_anonymity('sample.hand', '{zip,ward}'), 1::bigint, 'by hand: k');
SELECT is(ref.k_anonymity('sample.hand', '{zip}'), 3::bigint, 'by hand: k of one column');
SELECT is(ref.l_diversity('sample.hand', '{zip}', 'ill'), 2::bigint, 'by hand: NULL is a value');
SELECT ok(ref.close(ref.entropy_l_diversity('sample.hand', '{zip}', 'ill'),
                    3 / power(4, 1 / 3.0::float8)), 'by hand: entropy of 1/3 and 2/3');
-- q: cough 2/6, flu 3/6, NULL 1/6; p of zip 1: 0, 2/3, 1/3; of zip 2: 2/3, 1/3, 0
SELECT ok(ref.close(ref.t_closeness('sample.hand', '{zip}', 'ill'), 1 / 3.0::float8),
          'by hand: t, equal');
SELECT ok(ref.close(ref.t_closeness('sample.hand', '{zip}', 'ill', 'ordered'), 1 / 4.0::float8),
          'by hand: t, ordered, the sum of 1/3 and 1/6 over 2');
-- body (flu) gains 1/6 and NULL 1/6 what lung (cough) loses: all of it over the root
SELECT ok(ref.close(ref.t_closeness('sample.hand', '{zip}', 'ill', 'hierarchical', 'sample.illness'),
                    1 / 3.0::float8), 'by hand: t, hierarchical');
SELECT is((SELECT ROW(records, classes, uniques, highest, lowest) FROM
           ref.risk('sample.hand', '{zip,ward}')),
          ROW(6::bigint, 3::bigint, 1::bigint, 1::float8, 1 / 3.0::float8), 'by hand: risk');
SELECT ok(ref.close(share_above, 0.5) AND ref.close(average, 0.5), 'by hand: risk above a threshold')
FROM ref.risk('sample.hand', '{zip,ward}', 0.4);

SELECT pg_temp.check_table(seed) FROM generate_series(1, pg_temp.few(120)) seed;

SELECT * FROM finish();
ROLLBACK;
