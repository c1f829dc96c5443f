\echo Use "CREATE EXTENSION anonopt" to load this file. \quit

-- Keeps objects in the schema of CREATE EXTENSION out of the following statements.
SET LOCAL search_path = pg_catalog, pg_temp;

-- An existing schema with that name is not taken over.
CREATE SCHEMA anonopt;
GRANT USAGE ON SCHEMA anonopt TO PUBLIC;

-- Declarations ------------------------------------------------------------

CREATE TABLE anonopt.dataset (
	dataset text PRIMARY KEY,
	relation regclass NOT NULL,
	max_suppression float8 NOT NULL CHECK (max_suppression BETWEEN 0 AND 1),
	owner name NOT NULL,
	person name,
	count_column name,
	-- distinguishes the relation from a later one that reuses its OID
	row_type regtype NOT NULL,
	-- in which a timestamp becomes a day, whoever reads
	timezone text NOT NULL DEFAULT 'UTC'
);

-- No foreign key, because a parallel restore may fill this table first.
CREATE TABLE anonopt.attribute (
	dataset text NOT NULL,
	ordinal int NOT NULL,
	column_name name NOT NULL,
	role text NOT NULL CHECK (role IN ('quasi_identifier', 'sensitive', 'class_label', 'identifier', 'insensitive', 'pseudonym')),
	hierarchy regclass,
	weight float8 NOT NULL DEFAULT 1 CHECK (weight >= 0 AND weight < 'Infinity'),
	min_level int NOT NULL DEFAULT 0 CHECK (min_level >= 0),
	max_level int CHECK (max_level >= min_level),
	distance text NOT NULL DEFAULT 'equal' CHECK (distance IN ('equal', 'ordered', 'hierarchical')),
	sensitivity regclass,
	hierarchy_type regtype,
	sensitivity_type regtype,
	-- how a value without a leaf is shown; NULL if it is an error
	unknown text CHECK (unknown = '*'),
	loss_counts text NOT NULL DEFAULT 'leaves' CHECK (loss_counts IN ('leaves', 'occurring', 'range')),
	-- column of the relation: the weight of each record's own value
	owner_sensitivity name,
	-- whether refreshes add leaves for new values
	grow boolean NOT NULL DEFAULT false,
	PRIMARY KEY (dataset, ordinal),
	UNIQUE (dataset, column_name, role),
	CHECK (hierarchy IS NOT NULL OR (role <> 'quasi_identifier' AND distance <> 'hierarchical'))
);

-- Ranges are checked when a promise is declared and when it is loaded.
CREATE TABLE anonopt.promise (
	dataset text NOT NULL,
	model text NOT NULL,
	column_name name,
	threshold float8 NOT NULL,
	c float8,
	population regclass,
	population_type regtype,
	-- of which an attacker knows any so many: columns, or rows of a person; NULL: all columns of one row
	columns_known int,
	rows_known int
);
CREATE UNIQUE INDEX promise_key ON anonopt.promise
	(dataset, model, COALESCE(column_name, ''), COALESCE(columns_known, 0), COALESCE(rows_known, 0));

-- The rules by which hierarchies were built, to add leaves for new values. Bounds may come from data, so nobody else may
-- read them. The builder checks its arguments again.
CREATE TABLE anonopt.hierarchy_rule (
	hierarchy regclass PRIMARY KEY,
	-- distinguishes it from a later table that reuses its OID
	hierarchy_type regtype NOT NULL,
	builder text NOT NULL,
	relation regclass,
	relation_type regtype,
	column_name name,
	-- numbers, or days since 2000-01-01
	low numeric,
	high numeric,
	step numeric,
	top numeric,
	bottom numeric,
	-- widths or steps
	numbers numeric[],
	units text[],
	-- lengths or buckets
	lengths int[],
	-- a mask, a separator or the label of rare values
	word text,
	-- of people, or the length of codes
	minimum bigint,
	-- the table's leaves are values that somebody has
	from_data boolean NOT NULL,
	-- of the digest in the comment of the table's first column, which proves the rule
	salt uuid NOT NULL,
	-- the name of relation
	source text
);

-- The owner of a database may restore it, and so fill these tables, but must not own them: they
-- could add types, rules and triggers, which would run as any role that uses or dumps the tables.
-- REVOKE overrides default privileges.
REVOKE ALL ON anonopt.dataset, anonopt.attribute, anonopt.promise, anonopt.hierarchy_rule FROM PUBLIC;
GRANT SELECT ON anonopt.dataset, anonopt.attribute, anonopt.promise TO PUBLIC;
GRANT SELECT, INSERT, UPDATE, DELETE ON anonopt.dataset, anonopt.attribute, anonopt.promise, anonopt.hierarchy_rule TO pg_database_owner;

-- Whether a restore can resolve a relation's name when it fills these tables: not that of a
-- temporary or dropped one, nor that of a materialized view that waits for a primary key.
CREATE FUNCTION anonopt.is_restored(relation oid) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT EXISTS (
		SELECT FROM pg_catalog.pg_class c
		WHERE c.oid = relation AND c.relpersistence <> 't' AND NOT (c.relkind = 'm' AND EXISTS (
			SELECT FROM pg_catalog.pg_rewrite r
			JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_rewrite'::regclass AND d.objid = r.oid
			WHERE r.ev_class = c.oid AND d.refclassid = 'pg_catalog.pg_constraint'::regclass)));
END;

SELECT pg_catalog.pg_extension_config_dump('anonopt.dataset', 'WHERE anonopt.is_restored(relation)');
SELECT pg_catalog.pg_extension_config_dump('anonopt.attribute',
	'WHERE (hierarchy IS NULL OR anonopt.is_restored(hierarchy))'
	' AND (sensitivity IS NULL OR anonopt.is_restored(sensitivity))'
	' AND EXISTS (SELECT FROM anonopt.dataset d WHERE d.dataset = anonopt.attribute.dataset'
	' AND anonopt.is_restored(d.relation))');

SELECT pg_catalog.pg_extension_config_dump('anonopt.hierarchy_rule',
	'WHERE anonopt.is_restored(hierarchy) AND (relation IS NULL OR anonopt.is_restored(relation))');
SELECT pg_catalog.pg_extension_config_dump('anonopt.promise',
	'WHERE (population IS NULL OR anonopt.is_restored(population))'
	' AND EXISTS (SELECT FROM anonopt.dataset d WHERE d.dataset = anonopt.promise.dataset'
	' AND anonopt.is_restored(d.relation))');

CREATE FUNCTION anonopt.create_dataset(dataset text, relation regclass, max_suppression float8 DEFAULT 0.01,
	person name DEFAULT NULL, count_column name DEFAULT NULL, timezone text DEFAULT 'UTC')
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_create_dataset' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.move_dataset(dataset text, relation regclass)
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_move_dataset' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.drop_dataset(dataset text, hierarchies boolean DEFAULT false)
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_drop_dataset' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.add_quasi_identifier(dataset text, column_name name, hierarchy regclass,
	weight float8 DEFAULT 1, min_level int DEFAULT 0, max_level int DEFAULT NULL, unknown text DEFAULT NULL,
	loss_counts text DEFAULT 'leaves', grow boolean DEFAULT false)
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_add_quasi_identifier' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.add_sensitive(dataset text, column_name name, distance text DEFAULT 'equal',
	hierarchy regclass DEFAULT NULL, level int DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_add_sensitive' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.set_class_label(dataset text, column_name name)
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_set_class_label' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.set_identifier(dataset text, column_name name)
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_set_identifier' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.set_insensitive(dataset text, column_name name)
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_set_insensitive' LANGUAGE C VOLATILE PARALLEL UNSAFE;

-- Secrets of columns shown as keyed hashes; NULL means a new secret each time. Only for the extension's owner, and not dumped.
CREATE TABLE anonopt.pseudonym_secret (
	dataset text NOT NULL,
	column_name name NOT NULL,
	secret bytea,
	PRIMARY KEY (dataset, column_name)
);
REVOKE ALL ON anonopt.pseudonym_secret FROM PUBLIC;

CREATE FUNCTION anonopt.set_pseudonym(dataset text, column_name name, secret text DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_set_pseudonym' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.set_sensitivity(dataset text, column_name name, weights regclass)
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_set_sensitivity' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.set_owner_sensitivity(dataset text, column_name name, weight_column name)
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_set_owner_sensitivity' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.drop_attribute(dataset text, column_name name, role text DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_drop_attribute' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.add_promise(dataset text, model text, threshold float8, column_name name DEFAULT NULL,
	c float8 DEFAULT NULL, population regclass DEFAULT NULL, columns_known int DEFAULT NULL, rows_known int DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_add_promise' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.drop_promise(dataset text, model text, column_name name DEFAULT NULL,
	columns_known int DEFAULT NULL, rows_known int DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_drop_promise' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.auto_dataset(dataset text, relation regclass, quasi_identifiers name[], schema text DEFAULT NULL,
	dry_run boolean DEFAULT false, sensitive name[] DEFAULT NULL, OUT column_name name, OUT hierarchy regclass, OUT levels int, OUT role text, OUT reason text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_auto_dataset' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.describe(dataset text, OUT column_name name, OUT role text, OUT hierarchy regclass,
	OUT levels int, OUT domain bigint, OUT observed bigint, OUT nulls bigint, OUT weight float8, OUT problem text, OUT timezone text,
	OUT unknown bigint, OUT memory bigint, OUT rows bigint, OUT people bigint, OUT loss_counts text,
	OUT grow boolean)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_describe' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.read_sql(dataset text)
RETURNS text AS 'MODULE_PATHNAME', 'anonopt_read_sql' LANGUAGE C STABLE PARALLEL RESTRICTED;

