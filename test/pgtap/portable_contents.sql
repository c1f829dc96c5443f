-- What releases showed is written down in the same bytes on every machine: numbers with their least significant byte first, and
-- digests of values, which are computed here anew: FNV-1a of a text, whose bits are scattered as by MurmurHash3.
\ir begin.inc
SELECT * FROM no_plan();
SET client_min_messages = error;
SET anonopt.composition = off;

CREATE FUNCTION word(n numeric) RETURNS bigint LANGUAGE sql AS
    $$SELECT (CASE WHEN mod(n, 18446744073709551616) >= 9223372036854775808 THEN mod(n, 18446744073709551616) - 18446744073709551616 ELSE mod(n, 18446744073709551616) END)::bigint$$;
CREATE FUNCTION unsigned(n bigint) RETURNS numeric LANGUAGE sql AS $$SELECT CASE WHEN n < 0 THEN n + 18446744073709551616 ELSE n::numeric END$$;
CREATE FUNCTION scatter(n bigint) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    n := n # trunc(unsigned(n) / 8589934592)::bigint;
    n := word(unsigned(n) * 18397679294719823053);
    n := n # trunc(unsigned(n) / 8589934592)::bigint;
    n := word(unsigned(n) * 14181476777654086739);
    RETURN n # trunc(unsigned(n) / 8589934592)::bigint;
END $$;
CREATE FUNCTION digest_of(bytes bytea) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    digest bigint := word(14695981039346656037);
BEGIN
    FOR i IN 0 .. length(bytes) - 1 LOOP
        digest := word(unsigned(digest # get_byte(bytes, i)) * 1099511628211);
    END LOOP;
    RETURN scatter(digest);
END $$;
CREATE FUNCTION little(n bigint, size int) RETURNS text LANGUAGE sql AS
    $$SELECT string_agg(substr(lpad(to_hex(n), 16, '0'), 17 - 2 * i, 2), '' ORDER BY i) FROM generate_series(1, size) i$$;

CREATE TABLE h (v text PRIMARY KEY, top text);
INSERT INTO h VALUES ('a', '*'), ('b', '*');

-- A sensitive column, and the digests of its two values
CREATE FUNCTION check_type(type text, first text, second text, digests bigint[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    want text[];
    got text[];
BEGIN
    EXECUTE format('CREATE TABLE people AS SELECT (ARRAY[''a'', ''b''])[1 + i %% 2] AS v, (ARRAY[%L, %L]::%s[])[1 + i / 2 %% 2] AS s FROM generate_series(1, 40) i', first, second, type);
    PERFORM anonopt.create_dataset('d', 'people', 1);
    PERFORM anonopt.add_quasi_identifier('d', 'v', 'h');
    PERFORM anonopt.add_sensitive('d', 's');
    PERFORM anonopt.publish_table('shown', 'd', '{0}', k => 2);
    SELECT array_agg(little(code, 4) || little(d, 8) || little(10, 8) ORDER BY little(code, 4) || little(d, 8)) INTO want FROM generate_series(0, 1) code, unnest(digests) d;
    SELECT array_agg(x ORDER BY x) INTO got FROM anonopt.published_content,
        LATERAL (SELECT substr(encode(rows, 'hex'), 1 + 40 * i, 40) FROM generate_series(0, length(rows) / 20 - 1) i) y (x);
    RETURN NEXT is(got, want, type);
    PERFORM anonopt.drop_release('shown');
    PERFORM anonopt.drop_dataset('d');
    DELETE FROM anonopt.published_content;
    DROP TABLE people;
END $$;
SELECT is(digest_of(''), scatter(word(14695981039346656037)), 'no bytes');
SELECT is(scatter(1), -5451962507482445012, 'one bit, as published with MurmurHash3');
SELECT check_type('text', 'flu', 'Grippe ü', ARRAY[digest_of('flu'), digest_of(convert_to('Grippe ü', 'UTF8'))]);
-- whole numbers of any type are compared by their digits
SELECT check_type('int', '7', '-3', ARRAY[digest_of('7'), digest_of('-3')]);
SELECT check_type('numeric', '1.50', '-200', ARRAY[digest_of('1.5'), digest_of('-200')]);
SELECT check_type('float8', '-0', '2.5', ARRAY[digest_of('0'), digest_of('2.5')]);
SELECT check_type('interval', '1 month 2 hours', '-1 day', ARRAY[digest_of(decode(little((30 * 24 + 2) * 3600000000, 8) || repeat('00', 8), 'hex')),
    digest_of(decode(little(-24 * 3600000000, 8) || repeat('ff', 8), 'hex'))]);
SELECT check_type('uuid', '3f1c9e5e-5d4b-4ce0-9f0f-0a4b7c2d1e00', '00000000-0000-0000-0000-000000000000',
    ARRAY[digest_of('3f1c9e5e-5d4b-4ce0-9f0f-0a4b7c2d1e00'), digest_of('00000000-0000-0000-0000-000000000000')]);
SELECT * FROM finish();
ROLLBACK;
