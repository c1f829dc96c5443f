-- begin.sql: what every script here begins with: the extension, the census data and
-- how a line of a table is printed.  Variables: adult_dir, seeds, evaluations.
\set ON_ERROR_STOP on
SET client_min_messages = warning;
SET anonopt.max_workers = 0;
\set middle 1
\set large 1
\set statistics 10
CREATE EXTENSION anonopt;
\ir ../adult.sql

-- A line of a table: its arguments, with a dash for NULL
CREATE FUNCTION line(VARIADIC cells text[]) RETURNS text
LANGUAGE sql AS $$ SELECT '| ' || string_agg(coalesce(c, '–'), ' | ' ORDER BY i) || ' |' FROM unnest(cells) WITH ORDINALITY x (c, i) $$;

-- The line below a table's head
CREATE FUNCTION rule(columns int) RETURNS text
LANGUAGE sql AS $$ SELECT '|' || repeat('---|', columns) $$;
