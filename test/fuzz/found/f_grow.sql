-- A release by a cut cannot be refreshed after its hierarchy has grown, if leaves are inet, character(n), or timestamptz in a zone that is not UTC
-- (22023: cuts of column "v" have the wrong length): known leaves are written in another way than labels.
CREATE EXTENSION IF NOT EXISTS anonopt;
SET client_min_messages = error; SET anonopt.composition = off;
\set ON_ERROR_ROLLBACK on
CREATE FUNCTION try(type text, leaves text[], zone text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE TABLE h (v %s PRIMARY KEY, top text)', type);
	EXECUTE format('INSERT INTO h SELECT v, ''*'' FROM unnest(%L::%s[]) v', leaves[1:3], type);
	CREATE TABLE people AS SELECT v FROM h, generate_series(1, 10) i;
	PERFORM anonopt.create_dataset('d', 'people', 1, timezone => zone), anonopt.add_quasi_identifier('d', 'v', 'h');
	PERFORM anonopt.publish_table('t', 'd', cuts => '{01}', k => 3);
	EXECUTE format('INSERT INTO h SELECT v, ''*'' FROM unnest(%L::%s[]) v', leaves[4:], type);
	BEGIN
		PERFORM anonopt.refresh_release('t');
	EXCEPTION WHEN OTHERS THEN
		RAISE EXCEPTION USING errcode = 'AA000', message = type || ' ' || zone || ': ' || SQLERRM;
	END;
	RAISE EXCEPTION USING errcode = 'AA000', message = type || ' ' || zone || ': refreshed';
EXCEPTION WHEN SQLSTATE 'AA000' THEN RETURN SQLERRM;
END $$;
SELECT try('text', '{a,b,c,d}', 'UTC');
SELECT try('inet', '{10.0.0.1,10.0.0.2,10.0.0.3,10.0.0.4}', 'UTC');
SELECT try('character(3)', '{a,b,c,d}', 'UTC');
SELECT try('timestamptz', '{2024-01-01 00:00+00,2024-01-02 00:00+00,2024-01-03 00:00+00,2024-01-04 00:00+00}', 'UTC');
SELECT try('timestamptz', '{2024-01-01 00:00+00,2024-01-02 00:00+00,2024-01-03 00:00+00,2024-01-04 00:00+00}', 'Asia/Kolkata');
SELECT try('date', '{2024-01-01,2024-01-02,2024-01-03,2024-01-04}', 'UTC');
SET datestyle = german;
SELECT try('date', '{2024-01-01,2024-01-02,2024-01-03,2024-01-04}', 'UTC');
