-- Tuple stores --------------------------------------------------------------

-- Tuple stores: one entry for each table anonopt_tuples_<number> beside its relation. The
-- fingerprint is the state that the counts rely on; it does not match in another database, so that
-- a restored store is not used until it is recounted.
CREATE TABLE anonopt.tuple_store (
	number bigint PRIMARY KEY,
	dataset text NOT NULL UNIQUE,
	relation regclass NOT NULL,
	columns name[] NOT NULL CHECK (array_ndims(columns) = 1 AND array_position(columns, NULL) IS NULL),
	tracked boolean NOT NULL,
	fingerprint text[] NOT NULL CHECK (array_ndims(fingerprint) = 1 AND array_position(fingerprint, NULL) IS NULL),
	counted_at timestamptz NOT NULL
);

-- One row for each change that could not be counted; rows are only added, so that nobody waits.
CREATE TABLE anonopt.tuple_store_uncounted (
	number bigint NOT NULL
);
CREATE INDEX tuple_store_uncounted_number ON anonopt.tuple_store_uncounted (number);
CREATE SEQUENCE anonopt.tuple_store_number;

REVOKE ALL ON anonopt.tuple_store, anonopt.tuple_store_uncounted FROM PUBLIC;
REVOKE ALL ON SEQUENCE anonopt.tuple_store_number FROM PUBLIC;
GRANT SELECT, INSERT, UPDATE, DELETE ON anonopt.tuple_store TO pg_database_owner;
SELECT pg_catalog.pg_extension_config_dump('anonopt.tuple_store', 'WHERE anonopt.is_restored(relation)');

CREATE FUNCTION anonopt.create_tuple_store(dataset text, track boolean DEFAULT false)
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_create_tuple_store' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.refresh_tuple_store(dataset text)
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_refresh_tuple_store' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.drop_tuple_store(dataset text)
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_drop_tuple_store' LANGUAGE C VOLATILE PARALLEL UNSAFE;

-- The triggers run as the writing role, and nothing that they do needs rights.
CREATE FUNCTION anonopt.count_changes()
RETURNS trigger AS 'MODULE_PATHNAME', 'anonopt_count_changes' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.note_row()
RETURNS trigger AS 'MODULE_PATHNAME', 'anonopt_note_row' LANGUAGE C VOLATILE PARALLEL UNSAFE;

REVOKE ALL ON FUNCTION anonopt.count_changes(), anonopt.note_row() FROM PUBLIC;
-- the role that restores a database creates its triggers
GRANT EXECUTE ON FUNCTION anonopt.count_changes(), anonopt.note_row() TO pg_database_owner;

