-- load_arx.sql: hierarchies from a directory of ARX's CSV files, one for each column
--
--   psql -v directory=DIRECTORY -v relation=TABLE [-v dataset=NAME] -f demo/load_arx.sql
--
-- A file holds a value and its labels in each line, separated by semicolons, without a header.
-- It belongs to the column whose name its own ends with: hierarchy_age.csv to age, and
-- adult_hierarchy_marital-status.csv to marital_status.  Each becomes a table of the current
-- schema, TABLE_COLUMN_hierarchy.  With a dataset, that is declared, too, with these columns as its
-- quasi-identifiers.  All is done, or nothing.

\set ON_ERROR_STOP on
\if :{?relation}
\else
\set relation ''
\endif
\if :{?directory}
\setenv ARX_DIRECTORY :directory
\else
\setenv ARX_DIRECTORY /nowhere
\endif
BEGIN;
SELECT :'relation'::regclass \g /dev/null

CREATE TEMP TABLE arx_line (n bigint GENERATED ALWAYS AS IDENTITY, file text, line text) ON COMMIT DROP;
\copy arx_line (file, line) FROM PROGRAM 'cd -- "$ARX_DIRECTORY" && LC_ALL=C awk ''FNR == 1 { sub(/^\357\273\277/, "") } { sub(/\r$/, ""); print FILENAME "\001" $0 }'' ./*.csv' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')

-- The files as they are, and each one's column
CREATE TEMP TABLE arx_file ON COMMIT DROP AS
SELECT file, csv, attname, attnum, value_type
FROM (SELECT substring(file FROM '^\./(.*)\.csv$') AS file, string_agg(coalesce(line, ''), E'\n' ORDER BY n) AS csv
		FROM arx_line GROUP BY 1) f
	LEFT JOIN LATERAL (
		SELECT attname, attnum, coalesce(nullif(typbasetype, 0), t.oid)::regtype AS value_type
		FROM pg_attribute a JOIN pg_type t ON t.oid = atttypid,
			regexp_replace(lower(attname), '[^[:alnum:]]+', '_', 'g') AS plain
		WHERE attrelid = :'relation'::regclass AND attnum > 0 AND NOT attisdropped
			AND right('_' || regexp_replace(lower(file), '[^[:alnum:]]+', '_', 'g'), length(plain) + 1) = '_' || plain
		ORDER BY length(plain) DESC LIMIT 1) a ON true;

CREATE TEMP TABLE arx_hierarchy ON COMMIT DROP AS
SELECT file, attname AS column_name, attnum,
	anonopt.create_csv_hierarchy(quote_ident(relname || '_' || attname || '_hierarchy'), csv, type => value_type) AS hierarchy
FROM arx_file, pg_class c WHERE c.oid = :'relation'::regclass AND attname IS NOT NULL;
SELECT file, column_name, hierarchy FROM arx_file LEFT JOIN arx_hierarchy h USING (file) ORDER BY h.attnum, file;

\if :{?dataset}
SELECT anonopt.create_dataset(:'dataset', :'relation') \g /dev/null
SELECT anonopt.add_quasi_identifier(:'dataset', column_name, hierarchy) FROM arx_hierarchy ORDER BY attnum \g /dev/null
\endif
COMMIT;
