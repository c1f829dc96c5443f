-- Tuple stores --------------------------------------------------------------

-- Tuple counts that are kept: an entry each for a table anonopt_tuples_<number>
-- beside the relation.
-- The fingerprint is what they rely on; it holds nowhere else, so that what is
-- restored is not used before it is counted anew.
CREATE TABLE anonopt.tuple_store (
	number bigint PRIMARY KEY,
	dataset text NOT NULL UNIQUE,
	relation regclass NOT NULL,
	columns name[] NOT NULL CHECK (array_ndims(columns) = 1 AND array_position(columns, NULL) IS NULL),
	tracked boolean NOT NULL,
	fingerprint text[] NOT NULL CHECK (array_ndims(fingerprint) = 1 AND array_position(fingerprint, NULL) IS NULL),
	counted_at timestamptz NOT NULL
);

-- A row where something could not be counted: only added to, so that nobody waits.
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

-- They run as whoever writes: nothing that they do needs a right.
CREATE FUNCTION anonopt.count_changes()
RETURNS trigger AS 'MODULE_PATHNAME', 'anonopt_count_changes' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.note_row()
RETURNS trigger AS 'MODULE_PATHNAME', 'anonopt_note_row' LANGUAGE C VOLATILE PARALLEL UNSAFE;

REVOKE ALL ON FUNCTION anonopt.count_changes(), anonopt.note_row() FROM PUBLIC;
-- who restores a database makes its triggers
GRANT EXECUTE ON FUNCTION anonopt.count_changes(), anonopt.note_row() TO pg_database_owner;

