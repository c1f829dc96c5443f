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
	range_loss boolean NOT NULL DEFAULT false,
	-- column of the relation: the weight of each record's own value
	owner_sensitivity name,
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
	population_type regtype
);
CREATE UNIQUE INDEX promise_key ON anonopt.promise (dataset, model, COALESCE(column_name, ''));

-- The owner of a database may restore it, and so fill these tables, but must not own them: they
-- could add types, rules and triggers, which would run as any role that uses or dumps the tables.
-- REVOKE overrides default privileges.
REVOKE ALL ON anonopt.dataset, anonopt.attribute, anonopt.promise FROM PUBLIC;
GRANT SELECT ON anonopt.dataset, anonopt.attribute, anonopt.promise TO PUBLIC;
GRANT SELECT, INSERT, UPDATE, DELETE ON anonopt.dataset, anonopt.attribute, anonopt.promise TO pg_database_owner;

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

SELECT pg_catalog.pg_extension_config_dump('anonopt.promise',
	'WHERE (population IS NULL OR anonopt.is_restored(population))'
	' AND EXISTS (SELECT FROM anonopt.dataset d WHERE d.dataset = anonopt.promise.dataset'
	' AND anonopt.is_restored(d.relation))');

CREATE FUNCTION anonopt.create_dataset(dataset text, relation regclass, max_suppression float8 DEFAULT 0.01,
	person name DEFAULT NULL, count_column name DEFAULT NULL, timezone text DEFAULT 'UTC')
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_create_dataset' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.drop_dataset(dataset text, hierarchies boolean DEFAULT false)
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_drop_dataset' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.add_quasi_identifier(dataset text, column_name name, hierarchy regclass,
	weight float8 DEFAULT 1, min_level int DEFAULT 0, max_level int DEFAULT NULL, unknown text DEFAULT NULL,
	range_loss boolean DEFAULT false)
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_add_quasi_identifier' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.add_sensitive(dataset text, column_name name, distance text DEFAULT 'equal',
	hierarchy regclass DEFAULT NULL)
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
	c float8 DEFAULT NULL, population regclass DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_add_promise' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.drop_promise(dataset text, model text, column_name name DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_drop_promise' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.auto_dataset(dataset text, relation regclass, quasi_identifiers name[], schema text DEFAULT NULL,
	dry_run boolean DEFAULT false, OUT column_name name, OUT hierarchy regclass, OUT levels int, OUT role text, OUT reason text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_auto_dataset' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.describe(dataset text, OUT column_name name, OUT role text, OUT hierarchy regclass,
	OUT levels int, OUT domain bigint, OUT observed bigint, OUT nulls bigint, OUT weight float8, OUT problem text, OUT timezone text,
	OUT unknown bigint, OUT memory bigint, OUT rows bigint, OUT people bigint, OUT range_loss boolean)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_describe' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.read_sql(dataset text)
RETURNS text AS 'MODULE_PATHNAME', 'anonopt_read_sql' LANGUAGE C STABLE PARALLEL RESTRICTED;

-- Hierarchies ---------------------------------------------------------------

CREATE FUNCTION anonopt.create_interval_hierarchy(hierarchy text, low numeric, high numeric, widths numeric[])
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_create_interval_hierarchy' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

CREATE FUNCTION anonopt.create_range_hierarchy(hierarchy text, low numeric, high numeric, step numeric, widths numeric[])
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_create_range_hierarchy' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

CREATE FUNCTION anonopt.create_mask_hierarchy(hierarchy text, relation regclass, column_name name, mask text DEFAULT '*')
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_create_mask_hierarchy' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

CREATE FUNCTION anonopt.create_date_hierarchy(hierarchy text, low date, high date, units text[])
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_create_date_hierarchy' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

CREATE FUNCTION anonopt.create_quantile_hierarchy(hierarchy text, relation regclass, column_name name, buckets int[])
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_create_quantile_hierarchy' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

CREATE FUNCTION anonopt.create_tree_hierarchy(hierarchy text, edges regclass)
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_create_tree_hierarchy' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

CREATE FUNCTION anonopt.create_top_coded_hierarchy(hierarchy text, low numeric, high numeric, top numeric DEFAULT NULL,
	bottom numeric DEFAULT NULL, widths numeric[] DEFAULT '{}', step numeric DEFAULT NULL)
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_create_top_coded_hierarchy' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.create_rounding_hierarchy(hierarchy text, low numeric, high numeric, steps numeric[],
	continuous boolean DEFAULT false)
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_create_rounding_hierarchy' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

CREATE FUNCTION anonopt.create_frequency_hierarchy(hierarchy text, relation regclass, column_name name, minimum bigint,
	other text DEFAULT 'other')
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_create_frequency_hierarchy' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

CREATE FUNCTION anonopt.create_prefix_hierarchy(hierarchy text, relation regclass, column_name name,
	lengths int[] DEFAULT NULL, separator text DEFAULT NULL)
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_create_prefix_hierarchy' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.create_csv_hierarchy(hierarchy text, csv text, delimiter text DEFAULT ';', type regtype DEFAULT 'text')
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_create_csv_hierarchy' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

CREATE FUNCTION anonopt.check_hierarchy(hierarchy regclass, OUT problem text, OUT level int, OUT labels text[])
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_check_hierarchy' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.generalize(value text, hierarchy regclass, level int, unknown text DEFAULT NULL)
RETURNS text AS 'MODULE_PATHNAME', 'anonopt_generalize' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.generalize(value anyelement, hierarchy regclass, level int, unknown text DEFAULT NULL)
RETURNS text AS 'MODULE_PATHNAME', 'anonopt_generalize' LANGUAGE C STABLE PARALLEL RESTRICTED;

-- Reading -------------------------------------------------------------------

-- Passed to and from the aggregate within the extension; SQL cannot create a value of it.
CREATE TYPE anonopt.opaque;

CREATE FUNCTION anonopt.opaque_in(cstring)
RETURNS anonopt.opaque AS 'MODULE_PATHNAME', 'anonopt_opaque_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION anonopt.opaque_out(anonopt.opaque)
RETURNS cstring AS 'MODULE_PATHNAME', 'anonopt_opaque_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE anonopt.opaque (INPUT = anonopt.opaque_in, OUTPUT = anonopt.opaque_out);

-- Reads a count column that is not an integer, without rounding.
CREATE FUNCTION anonopt.whole_number(number numeric)
RETURNS bigint AS 'MODULE_PATHNAME', 'anonopt_whole_number_numeric' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION anonopt.whole_number(number float8)
RETURNS bigint AS 'MODULE_PATHNAME', 'anonopt_whole_number_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION anonopt.tuples_step(internal, anonopt.opaque, VARIADIC "any")
RETURNS internal AS 'MODULE_PATHNAME', 'anonopt_tuples_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION anonopt.tuples_combine(internal, internal)
RETURNS internal AS 'MODULE_PATHNAME', 'anonopt_tuples_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION anonopt.tuples_serialize(internal)
RETURNS bytea AS 'MODULE_PATHNAME', 'anonopt_tuples_serialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION anonopt.tuples_deserialize(bytea, internal)
RETURNS internal AS 'MODULE_PATHNAME', 'anonopt_tuples_deserialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION anonopt.tuples_final(internal)
RETURNS anonopt.opaque AS 'MODULE_PATHNAME', 'anonopt_tuples_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE anonopt.tuples(anonopt.opaque, VARIADIC "any") (
	SFUNC = anonopt.tuples_step,
	STYPE = internal,
	COMBINEFUNC = anonopt.tuples_combine,
	SERIALFUNC = anonopt.tuples_serialize,
	DESERIALFUNC = anonopt.tuples_deserialize,
	FINALFUNC = anonopt.tuples_final,
	FINALFUNC_MODIFY = READ_WRITE,
	PARALLEL = SAFE
);

-- Measuring -----------------------------------------------------------------

CREATE TYPE anonopt.node AS (
	levels int[],
	k bigint,
	l bigint,
	entropy_l float8,
	t float8,
	suppressed bigint,
	classes bigint,
	glm float8,
	nwp float8,
	dcn float8,
	cm float8,
	necd float8,
	sum_k float8,
	sum_l float8,
	feasible boolean,
	sum_other float8,
	alpha float8,
	beta float8,
	disclosure float8,
	k_map bigint,
	presence float8,
	average_risk float8
);

CREATE FUNCTION anonopt.evaluate(dataset text, levels int[], k int DEFAULT NULL, l int DEFAULT NULL,
	t float8 DEFAULT NULL)
RETURNS SETOF anonopt.node AS 'MODULE_PATHNAME', 'anonopt_evaluate' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.lattice(dataset text, k int DEFAULT NULL, l int DEFAULT NULL, t float8 DEFAULT NULL)
RETURNS SETOF anonopt.node AS 'MODULE_PATHNAME', 'anonopt_lattice' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.lattice_size(dataset text)
RETURNS numeric AS 'MODULE_PATHNAME', 'anonopt_lattice_size' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.evaluate_cuts(dataset text, cuts varbit[], k int DEFAULT NULL, l int DEFAULT NULL,
	t float8 DEFAULT NULL)
RETURNS SETOF anonopt.node AS 'MODULE_PATHNAME', 'anonopt_evaluate_cuts' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.node_detail(dataset text, levels int[], OUT column_name name, OUT level int,
	OUT labels bigint, OUT loss float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_node_detail' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.suppressed_classes(dataset text, levels int[], k int DEFAULT NULL, l int DEFAULT NULL,
	t float8 DEFAULT NULL, OUT labels text[], OUT size bigint, OUT breaks text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_suppressed_classes' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.policy_check(dataset text, OUT model text, OUT column_name name, OUT threshold float8,
	OUT attainable boolean, OUT least_suppression float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_policy_check' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.k_anonymity(relation regclass, quasi_identifiers name[])
RETURNS bigint AS 'MODULE_PATHNAME', 'anonopt_k_anonymity' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.l_diversity(relation regclass, quasi_identifiers name[], sensitive name)
RETURNS bigint AS 'MODULE_PATHNAME', 'anonopt_l_diversity' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.entropy_l_diversity(relation regclass, quasi_identifiers name[], sensitive name)
RETURNS float8 AS 'MODULE_PATHNAME', 'anonopt_entropy_l_diversity' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.t_closeness(relation regclass, quasi_identifiers name[], sensitive name,
	distance text DEFAULT 'equal', hierarchy regclass DEFAULT NULL)
RETURNS float8 AS 'MODULE_PATHNAME', 'anonopt_t_closeness' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.risk(relation regclass, quasi_identifiers name[], threshold float8 DEFAULT 0.2,
	population regclass DEFAULT NULL, sampling_fraction float8 DEFAULT NULL, person name DEFAULT NULL,
	OUT records bigint, OUT classes bigint, OUT uniques bigint, OUT highest float8, OUT average float8,
	OUT lowest float8, OUT share_above float8, OUT people bigint,
	OUT journalist_highest float8, OUT journalist_average float8, OUT journalist_share_above float8, OUT marketer float8,
	OUT population_uniques float8, OUT zayatz_uniques float8, OUT pitman_uniques float8)
RETURNS record AS 'MODULE_PATHNAME', 'anonopt_risk' LANGUAGE C STABLE PARALLEL RESTRICTED;

-- Searching -----------------------------------------------------------------

CREATE FUNCTION anonopt.pareto(dataset text, objectives text[] DEFAULT '{k,glm}', k int DEFAULT NULL,
	l int DEFAULT NULL, t float8 DEFAULT NULL, time_limit interval DEFAULT NULL)
RETURNS SETOF anonopt.node AS 'MODULE_PATHNAME', 'anonopt_pareto' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.optimize(dataset text, k int DEFAULT NULL, l int DEFAULT NULL, t float8 DEFAULT NULL,
	loss text DEFAULT 'glm', time_limit interval DEFAULT NULL)
RETURNS SETOF anonopt.node AS 'MODULE_PATHNAME', 'anonopt_optimize' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.poka(dataset text, loss text DEFAULT 'glm', depth int DEFAULT NULL, start int[] DEFAULT NULL)
RETURNS SETOF anonopt.node AS 'MODULE_PATHNAME', 'anonopt_poka' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.pbg_ea(dataset text, objectives text[] DEFAULT '{k,glm}', epsilon float8[] DEFAULT NULL,
	population int DEFAULT 25, iterations int DEFAULT 100, crossover float8 DEFAULT 0.8, mutation float8 DEFAULT NULL,
	seed bigint DEFAULT NULL, local_search float8 DEFAULT 0, max_nodes int DEFAULT NULL,
	bounds boolean DEFAULT false, reflect boolean DEFAULT true, copies boolean DEFAULT false)
RETURNS SETOF anonopt.node AS 'MODULE_PATHNAME', 'anonopt_pbg_ea' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.archive_quality(dataset text, objectives text[], levels int[], epsilon float8[] DEFAULT NULL,
	OUT ce float8, OUT rr float8, OUT minimal bigint, OUT boxes bigint,
	OUT igd_plus float8)
RETURNS record AS 'MODULE_PATHNAME', 'anonopt_archive_quality' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.igd_plus(dataset text, objectives text[], levels int[])
RETURNS float8 LANGUAGE sql STABLE PARALLEL RESTRICTED
BEGIN ATOMIC
	SELECT q.igd_plus FROM anonopt.archive_quality(dataset, objectives, levels) AS q;
END;

CREATE FUNCTION anonopt.hypervolume(dataset text, objectives text[], levels int[], reference float8[] DEFAULT NULL)
RETURNS float8 AS 'MODULE_PATHNAME', 'anonopt_hypervolume' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.box_archive(candidates float8[], epsilon float8[])
RETURNS int[] AS 'MODULE_PATHNAME', 'anonopt_box_archive' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION anonopt.last_search(OUT algorithm text, OUT dataset text, OUT rows bigint, OUT tuples bigint,
	OUT nodes numeric, OUT evaluated bigint, OUT workers int, OUT read_ms float8, OUT search_ms float8, OUT exact boolean,
	OUT seed bigint, OUT bound float8, OUT people bigint)
RETURNS record AS 'MODULE_PATHNAME', 'anonopt_last_search' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.progress_entries(OUT pid int, OUT dataset_relation regclass, OUT algorithm text,
	OUT phase text, OUT done bigint, OUT total bigint, OUT found bigint, OUT loss float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_progress' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

CREATE VIEW anonopt.progress AS SELECT * FROM anonopt.progress_entries();
GRANT SELECT ON anonopt.progress TO PUBLIC;

-- Recodings -----------------------------------------------------------------

CREATE FUNCTION anonopt.create_recoding(recoding text, dataset text, k int DEFAULT NULL, l int DEFAULT NULL,
	t float8 DEFAULT NULL, loss text DEFAULT 'glm', labels text DEFAULT 'hierarchy', time_limit interval DEFAULT NULL,
	seed bigint DEFAULT NULL)
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_create_recoding' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.extend_recoding(recoding regclass, dataset text, k int DEFAULT NULL, l int DEFAULT NULL,
	t float8 DEFAULT NULL, loss text DEFAULT 'glm', labels text DEFAULT 'hierarchy', time_limit interval DEFAULT NULL,
	seed bigint DEFAULT NULL)
RETURNS bigint AS 'MODULE_PATHNAME', 'anonopt_extend_recoding' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.evaluate_recoding(dataset text, recoding regclass, k int DEFAULT NULL, l int DEFAULT NULL,
	t float8 DEFAULT NULL, labels text DEFAULT 'hierarchy')
RETURNS SETOF anonopt.node AS 'MODULE_PATHNAME', 'anonopt_evaluate_recoding' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.evaluate_recoding(dataset text, recoding regclass[], k int DEFAULT NULL, l int DEFAULT NULL,
	t float8 DEFAULT NULL, labels text DEFAULT 'hierarchy')
RETURNS SETOF anonopt.node AS 'MODULE_PATHNAME', 'anonopt_evaluate_recodings' LANGUAGE C STABLE PARALLEL RESTRICTED;

-- resolves string constants, which may be a name or an array of names
CREATE FUNCTION anonopt.evaluate_recoding(dataset text, recoding text, k int DEFAULT NULL, l int DEFAULT NULL,
	t float8 DEFAULT NULL, labels text DEFAULT 'hierarchy')
RETURNS SETOF anonopt.node AS 'MODULE_PATHNAME', 'anonopt_evaluate_recoding_named' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.recoding_classes(dataset text, recoding regclass, labels text DEFAULT 'hierarchy',
	OUT class bigint, OUT shown text[], OUT people bigint, OUT tuples bigint, OUT loss float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_recoding_classes' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.recoding_curve(dataset text, k int[] DEFAULT '{2,3,5,10,20,50,100}', loss text DEFAULT 'glm',
	labels text DEFAULT 'hierarchy', seed bigint DEFAULT 1)
RETURNS SETOF anonopt.node AS 'MODULE_PATHNAME', 'anonopt_recoding_curve' LANGUAGE C STABLE PARALLEL RESTRICTED;

-- Preferences ---------------------------------------------------------------

CREATE FUNCTION anonopt.achievement(necd float8, nwp float8, necd_pref float8, nwp_pref float8,
	weights float8[] DEFAULT NULL, ideal float8[] DEFAULT NULL)
RETURNS float8 AS 'MODULE_PATHNAME', 'anonopt_achievement' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION anonopt.achievement_of("values" float8[], preferences float8[], weights float8[] DEFAULT NULL,
	ideal float8[] DEFAULT NULL)
RETURNS float8 AS 'MODULE_PATHNAME', 'anonopt_achievement_of' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION anonopt.efficiency(dataset text, k int, necd_pref float8, nwp_pref float8,
	l int DEFAULT NULL, t float8 DEFAULT NULL, measures text[] DEFAULT NULL, preferences float8[] DEFAULT NULL,
	weights float8[] DEFAULT NULL, ideal float8[] DEFAULT NULL, OUT levels int[],
	OUT k bigint, OUT necd float8, OUT nwp float8, OUT efficiency text, OUT ach float8, OUT pref_dev float8,
	OUT chosen boolean, OUT further float8[])
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_efficiency' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.nsga2(dataset text, k int, necd_pref float8, nwp_pref float8, population int DEFAULT 100,
	evaluations int DEFAULT 50000, crossover float8 DEFAULT 0.8, mutation float8 DEFAULT 0.001,
	seed bigint DEFAULT NULL, taxonomy boolean DEFAULT false, seeds boolean DEFAULT true,
	copies boolean DEFAULT false, l int DEFAULT NULL, t float8 DEFAULT NULL, measures text[] DEFAULT NULL,
	preferences float8[] DEFAULT NULL, weights float8[] DEFAULT NULL, ideal float8[] DEFAULT NULL, OUT cuts varbit[],
	OUT groups int[], OUT k bigint, OUT necd float8, OUT nwp float8, OUT ach float8, OUT pref_dev float8, OUT feasible boolean,
	OUT chosen boolean, OUT further float8[])
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_nsga2' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.reference_direction(dataset text, k int, start float8[], aspiration float8[],
	steps int DEFAULT 10, population int DEFAULT 100, evaluations int DEFAULT 50000, crossover float8 DEFAULT 0.8,
	mutation float8 DEFAULT 0.001, seed bigint DEFAULT NULL, taxonomy boolean DEFAULT false, seeds boolean DEFAULT true,
	copies boolean DEFAULT false, l int DEFAULT NULL, t float8 DEFAULT NULL, measures text[] DEFAULT NULL,
	weights float8[] DEFAULT NULL, ideal float8[] DEFAULT NULL, OUT step int, OUT reference float8[], OUT cuts varbit[],
	OUT groups int[], OUT k bigint, OUT necd float8, OUT nwp float8, OUT ach float8, OUT pref_dev float8, OUT further float8[])
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_reference_direction' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

-- Per record ----------------------------------------------------------------

CREATE FUNCTION anonopt.aruba(dataset text, min_utility float8, risk text DEFAULT 'sensitivity',
	utility text DEFAULT 'depth', dictionary regclass DEFAULT NULL, similarity float8 DEFAULT NULL,
	key name DEFAULT NULL, time_limit interval DEFAULT NULL, dictionaries regclass[] DEFAULT NULL,
	dictionary_weights float8[] DEFAULT NULL)
RETURNS TABLE (record text, levels int[], generalized text[], risk float8, utility float8, visited bigint)
AS 'MODULE_PATHNAME', 'anonopt_aruba' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.btda(dataset text, min_utility float8, risk text DEFAULT 'sensitivity',
	utility text DEFAULT 'depth', dictionary regclass DEFAULT NULL, similarity float8 DEFAULT NULL,
	key name DEFAULT NULL, time_limit interval DEFAULT NULL, dictionaries regclass[] DEFAULT NULL,
	dictionary_weights float8[] DEFAULT NULL)
RETURNS TABLE (record text, levels int[], generalized text[], risk float8, utility float8, visited bigint)
AS 'MODULE_PATHNAME', 'anonopt_btda' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.aruba_budget(dataset text, max_risk float8, risk text DEFAULT 'sensitivity',
	utility text DEFAULT 'depth', dictionary regclass DEFAULT NULL, similarity float8 DEFAULT NULL,
	key name DEFAULT NULL, time_limit interval DEFAULT NULL, dictionaries regclass[] DEFAULT NULL,
	dictionary_weights float8[] DEFAULT NULL)
RETURNS TABLE (record text, levels int[], generalized text[], risk float8, utility float8, visited bigint)
AS 'MODULE_PATHNAME', 'anonopt_aruba_budget' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.aruba_balance(dataset text, lambda float8, risk text DEFAULT 'sensitivity',
	utility text DEFAULT 'depth', dictionary regclass DEFAULT NULL, similarity float8 DEFAULT NULL,
	key name DEFAULT NULL, time_limit interval DEFAULT NULL, dictionaries regclass[] DEFAULT NULL,
	dictionary_weights float8[] DEFAULT NULL)
RETURNS TABLE (record text, levels int[], generalized text[], risk float8, utility float8, visited bigint)
AS 'MODULE_PATHNAME', 'anonopt_aruba_balance' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.unpack(generalized text[])
RETURNS record AS 'MODULE_PATHNAME', 'anonopt_unpack' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION anonopt.jaro(a text, b text)
RETURNS float8 AS 'MODULE_PATHNAME', 'anonopt_jaro' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION anonopt.record_walk(algorithm text, risk float8[], utility float8[], min_utility float8,
	OUT visited int[], OUT best int[])
RETURNS record AS 'MODULE_PATHNAME', 'anonopt_record_walk' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

-- Comparing -----------------------------------------------------------------

CREATE FUNCTION anonopt.property_vector(dataset text, levels int[], property text, key name DEFAULT NULL,
	cuts varbit[] DEFAULT NULL, recoding regclass DEFAULT NULL, labels text DEFAULT 'hierarchy', OUT record text, OUT value float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_property_vector' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.compare(dataset text, a int[], b int[], properties text[] DEFAULT '{class_size,utility}',
	OUT property text, OUT index text, OUT a_over_b float8, OUT b_over_a float8, OUT better text,
	OUT a_levels int[], OUT b_levels int[])
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_compare' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.compare(dataset text, a regclass, b regclass,
	properties text[] DEFAULT '{class_size,utility}', labels text DEFAULT 'hierarchy',
	OUT property text, OUT index text, OUT a_over_b float8, OUT b_over_a float8, OUT better text,
	OUT a_levels int[], OUT b_levels int[])
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_compare_recodings' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.compare(dataset text, a varbit[], b varbit[],
	properties text[] DEFAULT '{class_size,utility}', labels text DEFAULT 'hierarchy',
	OUT property text, OUT index text, OUT a_over_b float8, OUT b_over_a float8, OUT better text,
	OUT a_levels int[], OUT b_levels int[])
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_compare_cuts' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.compare(dataset text, a varbit[], b int[],
	properties text[] DEFAULT '{class_size,utility}', labels text DEFAULT 'hierarchy',
	OUT property text, OUT index text, OUT a_over_b float8, OUT b_over_a float8, OUT better text,
	OUT a_levels int[], OUT b_levels int[])
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_compare_cuts_with_node' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.compare(dataset text, a varbit[], b regclass,
	properties text[] DEFAULT '{class_size,utility}', labels text DEFAULT 'hierarchy',
	OUT property text, OUT index text, OUT a_over_b float8, OUT b_over_a float8, OUT better text,
	OUT a_levels int[], OUT b_levels int[])
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_compare_cuts_with_recoding' LANGUAGE C STABLE PARALLEL RESTRICTED;

-- resolves string constants, which may be levels or names
CREATE FUNCTION anonopt.compare(dataset text, a text, b text,
	properties text[] DEFAULT '{class_size,utility}', labels text DEFAULT 'hierarchy',
	OUT property text, OUT index text, OUT a_over_b float8, OUT b_over_a float8, OUT better text,
	OUT a_levels int[], OUT b_levels int[])
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_compare_named' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.tournament(dataset text, levels int[], property text, index text)
RETURNS TABLE (levels int[], wins int, losses int, ties int)
AS 'MODULE_PATHNAME', 'anonopt_tournament' LANGUAGE C STABLE PARALLEL RESTRICTED;

-- Sums over pairs of values, one pair per record; the final function picks the result.
CREATE FUNCTION anonopt.counts_step(internal, float8, float8)
RETURNS internal AS 'MODULE_PATHNAME', 'anonopt_counts_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION anonopt.spread_step(internal, float8, float8)
RETURNS internal AS 'MODULE_PATHNAME', 'anonopt_spread_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION anonopt.squares_step(internal, float8, float8)
RETURNS internal AS 'MODULE_PATHNAME', 'anonopt_squares_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION anonopt.volume_step(internal, float8, float8)
RETURNS internal AS 'MODULE_PATHNAME', 'anonopt_volume_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION anonopt.pairs_combine(internal, internal)
RETURNS internal AS 'MODULE_PATHNAME', 'anonopt_pairs_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION anonopt.pairs_serialize(internal)
RETURNS bytea AS 'MODULE_PATHNAME', 'anonopt_pairs_serialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION anonopt.pairs_deserialize(bytea, internal)
RETURNS internal AS 'MODULE_PATHNAME', 'anonopt_pairs_deserialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION anonopt.p_rank_final(internal)
RETURNS float8 AS 'MODULE_PATHNAME', 'anonopt_p_rank' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE anonopt.p_rank(d float8, d_max float8) (
	SFUNC = anonopt.squares_step, STYPE = internal, FINALFUNC = anonopt.p_rank_final,
	COMBINEFUNC = anonopt.pairs_combine, SERIALFUNC = anonopt.pairs_serialize,
	DESERIALFUNC = anonopt.pairs_deserialize, PARALLEL = SAFE
);

CREATE FUNCTION anonopt.p_cov_final(internal)
RETURNS float8 AS 'MODULE_PATHNAME', 'anonopt_p_cov' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE anonopt.p_cov(d1 float8, d2 float8) (
	SFUNC = anonopt.counts_step, STYPE = internal, FINALFUNC = anonopt.p_cov_final,
	COMBINEFUNC = anonopt.pairs_combine, SERIALFUNC = anonopt.pairs_serialize,
	DESERIALFUNC = anonopt.pairs_deserialize, PARALLEL = SAFE
);

CREATE FUNCTION anonopt.p_spr_final(internal)
RETURNS float8 AS 'MODULE_PATHNAME', 'anonopt_p_spr' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE anonopt.p_spr(d1 float8, d2 float8) (
	SFUNC = anonopt.spread_step, STYPE = internal, FINALFUNC = anonopt.p_spr_final,
	COMBINEFUNC = anonopt.pairs_combine, SERIALFUNC = anonopt.pairs_serialize,
	DESERIALFUNC = anonopt.pairs_deserialize, PARALLEL = SAFE
);

CREATE FUNCTION anonopt.p_hv_final(internal)
RETURNS float8 AS 'MODULE_PATHNAME', 'anonopt_p_hv' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE anonopt.p_hv(d1 float8, d2 float8) (
	SFUNC = anonopt.volume_step, STYPE = internal, FINALFUNC = anonopt.p_hv_final,
	COMBINEFUNC = anonopt.pairs_combine, SERIALFUNC = anonopt.pairs_serialize,
	DESERIALFUNC = anonopt.pairs_deserialize, PARALLEL = SAFE
);

CREATE FUNCTION anonopt.ln_p_hv_final(internal)
RETURNS float8 AS 'MODULE_PATHNAME', 'anonopt_ln_p_hv' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE anonopt.ln_p_hv(d1 float8, d2 float8) (
	SFUNC = anonopt.volume_step, STYPE = internal, FINALFUNC = anonopt.ln_p_hv_final,
	COMBINEFUNC = anonopt.pairs_combine, SERIALFUNC = anonopt.pairs_serialize,
	DESERIALFUNC = anonopt.pairs_deserialize, PARALLEL = SAFE
);

CREATE FUNCTION anonopt.p_hv_order_final(internal)
RETURNS int AS 'MODULE_PATHNAME', 'anonopt_p_hv_order' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE anonopt.p_hv_order(d1 float8, d2 float8) (
	SFUNC = anonopt.volume_step, STYPE = internal, FINALFUNC = anonopt.p_hv_order_final,
	COMBINEFUNC = anonopt.pairs_combine, SERIALFUNC = anonopt.pairs_serialize,
	DESERIALFUNC = anonopt.pairs_deserialize, PARALLEL = SAFE
);

CREATE FUNCTION anonopt.p_binary_final(internal)
RETURNS float8 AS 'MODULE_PATHNAME', 'anonopt_p_binary' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE anonopt.p_binary(d1 float8, d2 float8) (
	SFUNC = anonopt.counts_step, STYPE = internal, FINALFUNC = anonopt.p_binary_final,
	COMBINEFUNC = anonopt.pairs_combine, SERIALFUNC = anonopt.pairs_serialize,
	DESERIALFUNC = anonopt.pairs_deserialize, PARALLEL = SAFE
);

CREATE FUNCTION anonopt.dominance_final(internal)
RETURNS text AS 'MODULE_PATHNAME', 'anonopt_dominance' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE anonopt.dominance(d1 float8, d2 float8) (
	SFUNC = anonopt.counts_step, STYPE = internal, FINALFUNC = anonopt.dominance_final,
	COMBINEFUNC = anonopt.pairs_combine, SERIALFUNC = anonopt.pairs_serialize,
	DESERIALFUNC = anonopt.pairs_deserialize, PARALLEL = SAFE
);

CREATE FUNCTION anonopt.p_wtd(p float8[], weights float8[])
RETURNS float8 AS 'MODULE_PATHNAME', 'anonopt_p_wtd' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION anonopt.p_lex(p12 float8[], p21 float8[], epsilon float8[])
RETURNS int AS 'MODULE_PATHNAME', 'anonopt_p_lex' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION anonopt.p_goal(p float8[], goal float8[])
RETURNS float8 AS 'MODULE_PATHNAME', 'anonopt_p_goal' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION anonopt.p_rank_order(p12 float8, p21 float8, tolerance float8 DEFAULT 0)
RETURNS int AS 'MODULE_PATHNAME', 'anonopt_p_rank_order' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION anonopt.set_dominance(dominances text[])
RETURNS text AS 'MODULE_PATHNAME', 'anonopt_set_dominance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
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

-- Publishing ----------------------------------------------------------------

-- Published releases.  In the database where an entry was written, relations are identified by OID
-- and, for a release, row type; in any other, a release is identified by the id in its comment, and
-- other relations by name.
CREATE TABLE anonopt.published (
	id uuid PRIMARY KEY,
	relation bigint NOT NULL,
	row_type bigint NOT NULL,
	made_in text NOT NULL,
	name text NOT NULL,
	form text NOT NULL CHECK (form IN ('materialized view', 'table', 'live view')),
	dataset text NOT NULL,
	source bigint NOT NULL,
	source_name text NOT NULL,
	levels int[] CHECK (array_ndims(levels) = 1 AND array_position(levels, NULL) IS NULL),
	cuts varbit[] CHECK (array_ndims(cuts) = 1 AND array_position(cuts, NULL) IS NULL),
	k bigint NOT NULL CHECK (k > 0),
	l bigint CHECK (l > 0),
	t float8 CHECK (t BETWEEN 0 AND 1),
	columns name[],
	suppressed text NOT NULL CHECK (suppressed IN ('omit', 'star')),
	statement text,
	generalized name[] NOT NULL,
	sensitive name[] NOT NULL,
	hierarchies bigint[] NOT NULL,
	hierarchy_names text[] NOT NULL,
	-- for each hierarchy a digest of every row, so that rows may be added
	digests bytea[] NOT NULL,
	measures jsonb NOT NULL,
	-- frequencies of each sensitive value among all people, if its shares are promised
	distributions jsonb NOT NULL,
	published_by name NOT NULL,
	published_at timestamptz NOT NULL,
	recoding bigint,
	recoding_name text,
	labels text CHECK (labels IN ('hierarchy', 'range')),
	-- promises other than k, l, and t for all columns
	promises jsonb NOT NULL DEFAULT '[]',
	-- where people of another relation are counted, what labels cover that no level of a hierarchy defines: by
	-- quasi-identifier a label with its first and its last leaf, or alone if it covers values without a leaf
	covers jsonb,
	CHECK ((recoding IS NULL) = (labels IS NULL) AND (recoding IS NULL) = (recoding_name IS NULL))
);

-- What each snapshot showed, including earlier contents of a refreshed release, because readers may
-- have kept them. The rows are packed: the number of a label for each quasi-identifier, a digest of
-- each other value, and the number of people.
CREATE TABLE anonopt.published_content (
	id uuid NOT NULL,
	version int NOT NULL,
	part int NOT NULL,
	made_at timestamptz NOT NULL,
	told name[],
	labels text[],
	nlabels int[],
	rows bytea NOT NULL,
	-- for a recoding: a digest of the leaves of each tuple shown, and its class
	tuples bytea,
	-- people in the smallest difference to an earlier content; NULL if not compared
	difference bigint,
	PRIMARY KEY (id, version, part)
);

-- The people whom a content's pseudonyms link with other contents by the same secret: the beginning of
-- each person's pseudonym, and a digest of the classes that show the person. The secret cannot be derived
-- from its name.
CREATE TABLE anonopt.published_link (
	id uuid NOT NULL,
	version int NOT NULL,
	part int NOT NULL,
	column_name name NOT NULL,
	secret_name bytea NOT NULL,
	people bytea NOT NULL,
	PRIMARY KEY (id, column_name, version, part)
);
REVOKE ALL ON anonopt.published_link FROM PUBLIC;
GRANT SELECT, INSERT, UPDATE, DELETE ON anonopt.published_link TO pg_database_owner;
SELECT pg_catalog.pg_extension_config_dump('anonopt.published_link', '');

REVOKE ALL ON anonopt.published, anonopt.published_content FROM PUBLIC;
GRANT SELECT, INSERT, UPDATE, DELETE ON anonopt.published, anonopt.published_content TO pg_database_owner;
SELECT pg_catalog.pg_extension_config_dump('anonopt.published', '');
SELECT pg_catalog.pg_extension_config_dump('anonopt.published_content', '');

-- Identifies this database; only a copy of all its files has the same identifier.
CREATE FUNCTION anonopt.this_database() RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT s.system_identifier || '/' || d.oid FROM pg_catalog.pg_control_system() s, pg_catalog.pg_database d
	WHERE d.datname = current_database();
END;

-- A comment is trusted only on a relation that belongs to the role that published it or, if that is
-- unknown, to the owner of the database.
CREATE FUNCTION anonopt.find_release(id uuid, relation bigint, row_type bigint, made_in text, published_by name) RETURNS oid
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT COALESCE(
		(SELECT c.oid FROM pg_catalog.pg_class c WHERE c.oid = relation::oid AND c.reltype = row_type::oid
			AND made_in = anonopt.this_database()),
		(SELECT d.objoid FROM pg_catalog.pg_description d
		 JOIN pg_catalog.pg_class c ON c.oid = d.objoid
		 WHERE d.classoid = 'pg_catalog.pg_class'::regclass AND d.objsubid = 0
		   AND c.relowner = COALESCE((SELECT o.oid FROM pg_catalog.pg_roles o WHERE o.rolname = published_by),
			(SELECT b.datdba FROM pg_catalog.pg_database b WHERE b.datname = current_database()))
		   AND starts_with(d.description, 'anonopt release ' || id::text) ORDER BY d.objoid LIMIT 1));
END;

-- Releases of roles that the caller is a member of; after a restore, roles may be missing.
CREATE VIEW anonopt.release WITH (security_barrier) AS
SELECT COALESCE(r.found, p.relation::oid)::regclass AS release, p.dataset, p.levels, p.cuts, p.k, p.l, p.t, p.measures,
	p.published_by, p.published_at, r.found IS NULL AS dropped, p.name, p.form, p.generalized,
	p.recoding_name AS recoding, p.labels, p.promises
FROM anonopt.published p CROSS JOIN LATERAL (SELECT anonopt.find_release(p.id, p.relation, p.row_type, p.made_in, p.published_by) AS found) r
WHERE EXISTS (SELECT FROM pg_catalog.pg_roles o WHERE o.rolname = p.published_by AND pg_has_role(o.oid, 'MEMBER'))
	OR has_table_privilege('anonopt.published', 'SELECT');
GRANT SELECT ON anonopt.release TO PUBLIC;

CREATE FUNCTION anonopt.view_sql(view_name text, dataset text, levels int[] DEFAULT NULL, cuts varbit[] DEFAULT NULL,
	k int DEFAULT NULL, l int DEFAULT NULL, columns name[] DEFAULT NULL, materialized boolean DEFAULT true,
	suppressed text DEFAULT 'omit', t float8 DEFAULT NULL, recoding regclass DEFAULT NULL, labels text DEFAULT 'hierarchy')
RETURNS text AS 'MODULE_PATHNAME', 'anonopt_view_sql' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.create_view(view_name text, dataset text, levels int[] DEFAULT NULL, cuts varbit[] DEFAULT NULL,
	k int DEFAULT NULL, l int DEFAULT NULL, columns name[] DEFAULT NULL, materialized boolean DEFAULT true,
	suppressed text DEFAULT 'omit', t float8 DEFAULT NULL, recoding regclass DEFAULT NULL, labels text DEFAULT 'hierarchy')
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_create_view' LANGUAGE C VOLATILE PARALLEL UNSAFE;

-- called by the functions of live views
CREATE FUNCTION anonopt.live_rows(statement text, columns text[])
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_live_rows' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.publish_table(table_name text, dataset text, levels int[] DEFAULT NULL, cuts varbit[] DEFAULT NULL,
	k int DEFAULT NULL, l int DEFAULT NULL, columns name[] DEFAULT NULL, suppressed text DEFAULT 'omit', t float8 DEFAULT NULL,
	recoding regclass DEFAULT NULL, labels text DEFAULT 'hierarchy')
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_publish_table' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.publish_records(table_name text, dataset text, min_utility float8, key name, k int DEFAULT 2,
	risk text DEFAULT 'sensitivity', utility text DEFAULT 'depth', columns name[] DEFAULT NULL)
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_publish_records' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.refresh_release(release regclass)
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_refresh_release' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.republish(release regclass, levels int[] DEFAULT NULL, cuts varbit[] DEFAULT NULL, k int DEFAULT NULL,
	l int DEFAULT NULL, t float8 DEFAULT NULL, recoding regclass DEFAULT NULL, labels text DEFAULT 'hierarchy')
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_republish' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.drop_release(release regclass)
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_drop_release' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.verify(release regclass, OUT promised_k bigint, OUT k bigint, OUT promised_l bigint, OUT l bigint,
	OUT rows bigint, OUT ok boolean, OUT promised_t float8, OUT t float8, OUT others jsonb)
RETURNS record AS 'MODULE_PATHNAME', 'anonopt_verify' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.release_risk(dataset text, OUT releases regclass[], OUT k bigint, OUT smallest bigint)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_release_risk' LANGUAGE C STABLE PARALLEL RESTRICTED;

-- Columns and small combinations that single people out.
CREATE FUNCTION anonopt.suggest_quasi_identifiers(relation regclass, OUT columns name[], OUT distinction float8,
	OUT separation float8, OUT uniques bigint, OUT labelled boolean, OUT identifier boolean, OUT estimated boolean)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_suggest_quasi_identifiers' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.utility(dataset text, release regclass, queries int DEFAULT 1000, seed bigint DEFAULT 1,
	OUT measure text, OUT columns name[], OUT before float8, OUT after float8, OUT value float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_utility' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.release_distribution(dataset text, release regclass, OUT column_name name, OUT value text,
	OUT people bigint, OUT left_out bigint, OUT shown float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_release_distribution' LANGUAGE C STABLE PARALLEL RESTRICTED;
-- Pictures and reports --------------------------------------------------------

CREATE FUNCTION anonopt.html(value text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT replace(replace(replace(replace(value, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;')
$$;

CREATE FUNCTION anonopt.objective_unit(objective text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN objective IN ('k', 'suppressed') THEN 'people' WHEN objective IN ('l', 'entropy_l') THEN 'values'
		WHEN objective = 'classes' THEN 'classes' WHEN objective = 'glm' THEN 'cells lost' WHEN objective = 'loss' THEN 'per cent of the detail'
		WHEN objective IN ('nwp', 'cm', 'necd', 't') THEN 'share, 0 to 1' ELSE 'people squared' END
$$;

-- A number as an axis or a table shows it.
CREATE FUNCTION anonopt.short_number(value float8) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN value IS NULL THEN '' WHEN value = 0 THEN '0'
		WHEN abs(value) >= 1e15 THEN CASE WHEN abs(value) < 'Infinity' THEN trim(to_char(value, '9.9EEEE')) ELSE value::text END
		WHEN abs(value) >= 1000 THEN to_char(value, 'FM999G999G999G999G999')
		ELSE trim_scale(round(value::numeric, 4 - least(floor(log(abs(value::numeric)))::int + 1, 4)))::text END
$$;

-- A tick's number, in a short form.
CREATE FUNCTION anonopt.tick_label(value float8) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN abs(value) >= 1e9 THEN anonopt.short_number(value / 1e9) || ' bn'
		WHEN abs(value) >= 1e6 THEN anonopt.short_number(value / 1e6) || ' m' ELSE anonopt.short_number(value) END
$$;

-- The positions of an axis's ticks.
CREATE FUNCTION anonopt.axis_ticks(low float8, high float8, logarithmic boolean) RETURNS float8[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	step float8;
BEGIN
	IF logarithmic THEN
		RETURN ARRAY(SELECT 10.0::float8 ^ e FROM generate_series(ceil(log(low) - 1e-9)::int, floor(log(high) + 1e-9)::int) e);
	END IF;
	IF high <= low THEN
		RETURN ARRAY[low];
	END IF;
	step := 10.0::float8 ^ floor(log((high - low) / 4));
	step := step * CASE WHEN (high - low) / step >= 20 THEN 5 WHEN (high - low) / step >= 8 THEN 2 ELSE 1 END;
	RETURN ARRAY(SELECT i * step FROM generate_series(ceil(low / step - 1e-9)::bigint, floor(high / step + 1e-9)::bigint) i);
END $$;

-- The tooltip of a point: its origin, then its measures.
CREATE FUNCTION anonopt.front_tip(origin text, node jsonb, objectives text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT '<title>' || anonopt.html(origin) || '&#10;' || string_agg(format('%s %s', m, anonopt.short_number((node ->> m)::float8)), '&#10;' ORDER BY j)
		|| '</title>'
	FROM (SELECT m, min(j) AS j FROM unnest('{k,l,t,suppressed,classes,glm,nwp,dcn,cm,necd}'::text[] || objectives) WITH ORDINALITY z (m, j)
		GROUP BY m) measure
	WHERE node ->> m IS NOT NULL
$$;

-- The loss that recodings minimize when they are drawn beside a front.
CREATE FUNCTION anonopt.curve_loss(objectives text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT coalesce((SELECT o FROM unnest(objectives) WITH ORDINALITY z (o, i) WHERE o IN ('glm', 'nwp', 'dcn', 'cm') ORDER BY i LIMIT 1), 'glm')
$$;

-- Draws nodes of a front as dots, recodings as diamonds, and published nodes as rings with a name; recodings are NULL if
-- none were searched.
CREATE FUNCTION anonopt.draw_front(objectives text[], nodes jsonb[], recodings jsonb[], published jsonb[] DEFAULT '{}') RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	x text := objectives[1];
	y text := coalesce(objectives[2], objectives[1]);
	shown jsonb[] := nodes || coalesce(recodings, '{}') || published;
	apart int := -1000;
	low float8[] := ARRAY[(SELECT min((n ->> x)::float8) FROM unnest(shown) n), (SELECT min((n ->> y)::float8) FROM unnest(shown) n)];
	high float8[] := ARRAY[(SELECT max((n ->> x)::float8) FROM unnest(shown) n), (SELECT max((n ->> y)::float8) FROM unnest(shown) n)];
	-- values that span decades get a logarithmic axis
	logs boolean[] := ARRAY[low[1] > 0 AND high[1] >= 100 * low[1], low[2] > 0 AND high[2] >= 100 * low[2]];
	px numeric;
	py numeric;
	ticks text := '';
	lines text[] := '{"",""}';
	points text := '';
	tick float8;
	place float8;
	kind int;
BEGIN
	FOR a IN 1 .. 2 LOOP
		IF NOT coalesce(logs[a], false) THEN
			low[a] := least(low[a], 0);
		END IF;
	END LOOP;
	FOR a IN 1 .. 2 LOOP
		FOREACH tick IN ARRAY anonopt.axis_ticks(coalesce(low[a], 0), coalesce(high[a], 1), coalesce(logs[a], false)) LOOP
			place := anonopt.axis_place(tick, low[a], high[a], logs[a]);
			IF a = 1 THEN
				ticks := ticks || format('<path class="grid" d="M%s 20V380"/><text x="%1$s" y="398" text-anchor="middle">%s</text>',
					round((80 + 600 * place)::numeric, 1), anonopt.tick_label(tick));
			ELSE
				ticks := ticks || format('<path class="grid" d="M80 %sH680"/><text x="72" y="%s" text-anchor="end">%s</text>',
					round((380 - 360 * place)::numeric, 1), round((384 - 360 * place)::numeric, 1), anonopt.tick_label(tick));
			END IF;
		END LOOP;
	END LOOP;
	FOR i IN 1 .. cardinality(shown) LOOP
		CONTINUE WHEN shown[i] ->> x IS NULL OR shown[i] ->> y IS NULL;
		kind := CASE WHEN i <= cardinality(nodes) THEN 1 WHEN i <= cardinality(nodes) + cardinality(coalesce(recodings, '{}')) THEN 2 ELSE 3 END;
		px := round((80 + 600 * anonopt.axis_place((shown[i] ->> x)::float8, low[1], high[1], logs[1]))::numeric, 1);
		py := round((380 - 360 * anonopt.axis_place((shown[i] ->> y)::float8, low[2], high[2], logs[2]))::numeric, 1);
		IF kind = 3 THEN
			points := points || format('<circle class="published" cx="%s" cy="%s" r="8" tabindex="0" role="img">%s</circle><text class="name" x="%s" y="%s" text-anchor="%s">%s</text>',
				px, py, anonopt.front_tip(format('release %s', shown[i] ->> 'name'), shown[i], objectives), CASE WHEN px > 400 THEN px - 12 ELSE px + 12 END, py + 4,
				CASE WHEN px > 400 THEN 'end' ELSE 'start' END, anonopt.html(shown[i] ->> 'name'));
			CONTINUE;
		END IF;
		lines[kind] := lines[kind] || CASE WHEN cardinality(objectives) > 2 THEN '' WHEN lines[kind] = '' THEN format('M%s %s', px, py) ELSE format('H%sV%s', px, py) END;
		-- a point's numbers are printed beside it if there is room
		IF kind = 1 AND cardinality(objectives) = 2 AND abs(px - apart) >= 70 THEN
			apart := px;
			points := points || format('<text class="note" x="%s" y="%s" text-anchor="%s">%s; %s</text>', CASE WHEN px > 600 THEN px - 7 ELSE px + 7 END,
				least(py + 14, 376), CASE WHEN px > 600 THEN 'end' ELSE 'start' END,
				anonopt.tick_label((shown[i] ->> x)::float8), anonopt.tick_label((shown[i] ->> y)::float8));
		END IF;
		points := points || CASE kind WHEN 1 THEN format('<circle cx="%s" cy="%s" r="4" tabindex="0" role="img">%s</circle>', px, py,
				anonopt.front_tip(format('levels %s', translate((shown[i] -> 'levels')::text, '[] ', '{}')), shown[i], objectives))
			ELSE format('<path class="recoding" d="M%s %sl5 5 -5 5 -5 -5z" tabindex="0" role="img">%s</path>', px, py - 5,
				anonopt.front_tip('local recoding', shown[i], objectives)) END;
	END LOOP;
	IF recodings IS NOT NULL THEN
		points := points || '<path class="dot" d="M506 424a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z"/><text x="520" y="428">nodes</text>'
			'<path class="recoding" d="M580 419l5 5 -5 5 -5 -5z"/><text x="590" y="428">local recodings</text>';
	END IF;
	RETURN format($svg$<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 700 440" role="group" aria-label="Front of %s and %s">
<style>
.anonopt-front text { font: 12px system-ui, sans-serif; fill: #333 }
.anonopt-front .grid { stroke: #ddd } .anonopt-front .axis { stroke: #333; fill: none }
.anonopt-front .front { stroke: #2563a8; stroke-width: 1.5; fill: none } .anonopt-front circle, .anonopt-front .dot { fill: #2563a8 }
.anonopt-front .curve { stroke: #15803d; stroke-width: 1.5; fill: none; stroke-dasharray: 4 3 } .anonopt-front .recoding { fill: #15803d }
.anonopt-front circle:hover, .anonopt-front circle:focus { fill: #c2410c; r: 6px; outline: none }
.anonopt-front .recoding:hover, .anonopt-front .recoding:focus { fill: #c2410c; outline: none }
.anonopt-front .published { fill: none; stroke: #c2410c; stroke-width: 2; pointer-events: all } .anonopt-front circle.published:hover, .anonopt-front circle.published:focus { fill: none; r: 10px }
.anonopt-front text.note, .anonopt-front text.name { paint-order: stroke; stroke: Canvas; stroke-width: 3px }
.anonopt-front text.note { font-size: 10px } .anonopt-front text.name { font-weight: 600 }
@media (prefers-color-scheme: dark) { .anonopt-front text { fill: #ddd } .anonopt-front .grid { stroke: #444 }
.anonopt-front .axis { stroke: #ddd } .anonopt-front .front { stroke: #7db4ee } .anonopt-front circle, .anonopt-front .dot { fill: #7db4ee }
.anonopt-front .curve { stroke: #86d9a2 } .anonopt-front .recoding { fill: #86d9a2 } .anonopt-front .published { stroke: #fb923c } }
</style>
<g class="anonopt-front">%s
<path class="axis" d="M80 20V380H680"/>
<text x="380" y="428" text-anchor="middle">%s (%s%s)</text>
<text transform="translate(18 200) rotate(-90)" text-anchor="middle">%s (%s%s)</text>
<path class="front" d="%s"/><path class="curve" d="%s"/>
%s</g>
</svg>$svg$, anonopt.html(x), anonopt.html(y), ticks, x, anonopt.objective_unit(x), CASE WHEN logs[1] THEN ', log scale' ELSE '' END,
		y, anonopt.objective_unit(y), CASE WHEN logs[2] THEN ', log scale' ELSE '' END, lines[1], lines[2], points);
END $$;

CREATE FUNCTION anonopt.front_svg(dataset text, objectives text[] DEFAULT '{k,glm}', recodings boolean DEFAULT false) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN anonopt.draw_front(objectives, ARRAY(SELECT to_jsonb(n) FROM anonopt.pareto(dataset, objectives) n),
		CASE WHEN recodings THEN ARRAY(SELECT to_jsonb(n) FROM anonopt.recoding_curve(dataset, loss => anonopt.curve_loss(objectives)) n
			ORDER BY n.k DESC) END);
END $$;

-- The position of a value on its axis, from 0 to 1.
CREATE FUNCTION anonopt.axis_place(value float8, low float8, high float8, logarithmic boolean) RETURNS float8
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN high = low OR value IS NULL THEN 0.5 WHEN logarithmic THEN (log(value) - log(low)) / (log(high) - log(low))
		ELSE (value - low) / (high - low) END
$$;

-- An HTML table, from rows that already consist of cells.
CREATE FUNCTION anonopt.html_table(head text[], rows text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT concat('<div class="wide"><table><thead><tr>', (SELECT string_agg('<th>' || anonopt.html(h) || '</th>', '' ORDER BY i)
			FROM unnest(head) WITH ORDINALITY x (h, i)),
		'</tr></thead><tbody>', (SELECT string_agg('<tr>' || r || '</tr>', E'\n' ORDER BY i) FROM unnest(rows) WITH ORDINALITY x (r, i)),
		'</tbody></table></div>')
$$;

CREATE FUNCTION anonopt.html_cells(VARIADIC cells text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT string_agg(CASE WHEN c ~ '^(< )?-?[0-9][0-9,]*(\.[0-9]+)?( %)?$' THEN '<td class="number">' ELSE '<td>' END || coalesce(anonopt.html(c), '') || '</td>', '' ORDER BY i)
	FROM unnest(cells) WITH ORDINALITY x (c, i)
$$;
-- Reports -----------------------------------------------------------------------

-- A share in per cent.
CREATE FUNCTION anonopt.percent(share float8) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN share IS NULL THEN '' WHEN share <> 0 AND abs(share) < 0.001 THEN '< 0.1 %' ELSE round(share::numeric * 100, 1)::text || ' %' END
$$;

-- A number of people, in words.
CREATE FUNCTION anonopt.people_text(people float8) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN people = 1 THEN '1 person' ELSE anonopt.short_number(people) || ' people' END
$$;

-- A bound on a chance, in words.
CREATE FUNCTION anonopt.chance_text(chance float8) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN chance < 0.001 THEN 'less than 0.1 %' ELSE 'at most ' || anonopt.percent(chance) END
$$;

-- What the measures of a release count where people have several rows: rows.
CREATE FUNCTION anonopt.rows_text(rows float8, measures jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN NOT measures ? 'rows' THEN anonopt.people_text(rows) WHEN rows = 1 THEN '1 row' ELSE anonopt.short_number(rows) || ' rows' END
$$;

-- The number of rows that a release was made from.
CREATE FUNCTION anonopt.rows_measured(measures jsonb) RETURNS float8
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT coalesce(measures ->> 'rows', measures ->> 'people')::float8
$$;

-- A release for the report: its entry, its current state, and what an officer asks about it.
CREATE TYPE anonopt.reported AS (
	release regclass,
	name text,
	entry jsonb,
	told name[],
	sensitive name[],
	pseudonyms name[],
	verified jsonb,
	before jsonb,
	after jsonb,
	-- of release_distribution: column, value, people, left_out, shown; NULL for a release by records
	values jsonb
);

-- Measures an existing release.
CREATE FUNCTION anonopt.report_measure(dataset text, release regclass, source_risk jsonb) RETURNS anonopt.reported
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	found anonopt.reported;
	entry record;
BEGIN
	found.release := release;
	found.verified := to_jsonb(anonopt.verify(release));
	-- the following is planned as the caller, and may run the owner's expressions in statistics or
	-- indexes
	IF (SELECT c.relowner FROM pg_class c WHERE c.oid = release) <> (SELECT o.oid FROM pg_roles o WHERE o.rolname = current_user) THEN
		RAISE EXCEPTION 'must be owner of release %', release USING ERRCODE = '42501',
			HINT = format('SET ROLE %s first.', (SELECT c.relowner::regrole FROM pg_class c WHERE c.oid = release));
	END IF;
	SELECT r.* INTO STRICT entry FROM anonopt.release r WHERE r.release = report_measure.release AND NOT r.dropped ORDER BY r.published_at DESC LIMIT 1;
	found.name := release::text;
	found.entry := to_jsonb(entry);
	-- the comment says so too, but the release's owner may replace it
	found.told := ARRAY(SELECT c.attname FROM pg_attribute c WHERE c.attrelid = release AND c.attnum > 0 AND NOT c.attisdropped
		AND c.attname <> ALL (entry.generalized || '{anonopt_suppressed}'::name[]) ORDER BY c.attnum);
	found.sensitive := ARRAY(SELECT c FROM unnest(found.told) c WHERE EXISTS (SELECT FROM anonopt.attribute a
		WHERE a.dataset = entry.dataset AND a.role = 'sensitive' AND a.column_name = c));
	found.pseudonyms := ARRAY(SELECT c FROM unnest(found.told) c WHERE EXISTS (SELECT FROM anonopt.attribute a
		WHERE a.dataset = entry.dataset AND a.role = 'pseudonym' AND a.column_name = c));
	found.before := source_risk;
	-- a release does not show whose rows it has
	IF NOT entry.measures ? 'rows' THEN
		found.after := (SELECT to_jsonb(r) FROM anonopt.risk(release, entry.generalized) r);
	END IF;
	IF entry.levels IS NOT NULL OR entry.cuts IS NOT NULL OR entry.recoding IS NOT NULL THEN
		found.values := (SELECT jsonb_agg(to_jsonb(d)) FROM anonopt.release_distribution(dataset, release) d);
	END IF;
	RETURN found;
END $$;

-- A promise other than k, l and t, in words.
CREATE FUNCTION anonopt.promise_text(model text, threshold float8, c float8) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE model WHEN 'alpha' THEN format('no sensitive value has more than %s of a class', anonopt.percent(threshold))
		WHEN 'entropy_l' THEN format('entropy l-diversity of at least %s', anonopt.short_number(threshold))
		WHEN 'recursive_l' THEN format('recursive (c, l)-diversity with c = %s, l = %s', anonopt.short_number(c), anonopt.short_number(threshold))
		WHEN 'beta' THEN format('beta-likeness of at most %s', anonopt.short_number(threshold))
		WHEN 'disclosure' THEN format('delta-disclosure of at most %s', anonopt.short_number(threshold))
		WHEN 'k_map' THEN format('each class fits at least %s of the population', anonopt.people_text(threshold))
		WHEN 'presence' THEN format('the chance that a person is in the data is at most %s', anonopt.percent(threshold)) || CASE WHEN c > 0 THEN ' and at least ' || anonopt.percent(c) ELSE '' END
		WHEN 'average_risk' THEN format('an average risk of at most %s', anonopt.percent(threshold))
		WHEN 'share_above' THEN format('at most %s of the people have a risk above %s', anonopt.percent(threshold), anonopt.percent(c))
		ELSE format('%s: %s', model, anonopt.short_number(threshold)) END
$$;

-- A release's promises other than k, l and t.
CREATE FUNCTION anonopt.report_others(r anonopt.reported, OUT model text, OUT promise text, OUT measured float8) RETURNS SETOF record
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT m.key, anonopt.promise_text(m.key, (m.value ->> 'promised')::float8, (m.value ->> 'c')::float8), (m.value ->> 'measured')::float8
	FROM jsonb_each(CASE WHEN jsonb_typeof(r.verified -> 'others') = 'object' THEN r.verified -> 'others' ELSE '{}' END) m
	WHERE m.key NOT IN ('k', 'l', 't') ORDER BY m.key
$$;

-- The promises of a release, in words.
CREATE FUNCTION anonopt.report_promise(r anonopt.reported) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT concat_ws('; ', format('k = %s by %s', r.verified ->> 'promised_k',
			(SELECT string_agg(g, ', ' ORDER BY i) FROM jsonb_array_elements_text(r.entry -> 'generalized') WITH ORDINALITY x (g, i))),
		'l = ' || (r.verified ->> 'promised_l') || ' in ' || array_to_string(r.sensitive, ', '),
		't = ' || (r.verified ->> 'promised_t') || ' in ' || array_to_string(r.sensitive, ', '),
		(SELECT string_agg(o.promise, '; ' ORDER BY o.model) FROM anonopt.report_others(r) o))
$$;

-- Columns that are shown without a promise about them.
CREATE FUNCTION anonopt.report_uncovered(r anonopt.reported) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT array_to_string(ARRAY(SELECT c FROM unnest(r.told) c WHERE c <> ALL (r.pseudonyms) AND (c <> ALL (r.sensitive)
		OR (coalesce(r.verified ->> 'promised_l', r.verified ->> 'promised_t') IS NULL AND coalesce(r.verified -> 'others', 'null') IN ('null', '{}')))), ', ')
$$;

-- The verdict on a release: whether it keeps its promises, which risks remain, and who is missing.
CREATE FUNCTION anonopt.report_verdict(r anonopt.reported, together bigint) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT concat('<section class="verdict ', CASE WHEN kept THEN 'kept' ELSE 'broken' END, '"><h3>', anonopt.html(r.name), ': ',
		CASE WHEN kept THEN 'the promise is kept' || CASE WHEN broken_together THEN ' by this release alone' ELSE '' END WHEN NOT kept THEN 'the promise is NOT kept' ELSE 'not all of the promise can be measured' END, '</h3><ul><li>Promised: ', anonopt.html(anonopt.report_promise(r)), '.</li>',
		'<li>', anonopt.rows_text((r.verified ->> 'rows')::float8, r.entry -> 'measures'), ' are shown. Everybody shares all generalized values with at least ',
		anonopt.short_number((r.verified ->> 'k')::float8 - 1), ' others, so an attacker who knows these values picks the right row with a chance of ',
		anonopt.chance_text(1 / (r.verified ->> 'k')::float8), ' (before: ', anonopt.html(anonopt.percent((r.before ->> 'highest')::float8)), ').</li>',
		CASE WHEN r.verified ->> 'l' IS NULL THEN '' ELSE concat('<li>Each class holds at least ', r.verified ->> 'l', ' different sensitive value',
			CASE WHEN r.verified ->> 'l' = '1' THEN '. In a class with one value everybody has it, so an attacker learns it without picking a row' ELSE 's' END, '.</li>') END,
		CASE WHEN r.entry -> 'measures' ->> 'suppressed' IS NULL THEN '' WHEN r.entry -> 'measures' ->> 'suppressed' = '0' THEN '<li>Nobody is left out.</li>'
			ELSE concat('<li>Left out or shown only as stars: ', anonopt.rows_text((r.entry -> 'measures' ->> 'suppressed')::float8, r.entry -> 'measures'), ' of ',
				anonopt.short_number(anonopt.rows_measured(r.entry -> 'measures')), '.', coalesce(' Nobody is shown with ' || gone, ''), '</li>') END,
		CASE WHEN uncovered <> '' THEN '<li>Shown unchanged, and covered by no promise: ' || anonopt.html(uncovered) || '.</li>' ELSE '' END,
		CASE WHEN cardinality(r.pseudonyms) > 0 THEN concat('<li>Shown as pseudonyms, which link the rows of one person: ', anonopt.html(array_to_string(r.pseudonyms, ', ')), '.</li>') ELSE '' END,
		CASE WHEN broken_together THEN concat('<li class="warning">Together with other releases of the same data, the smallest class is ',
			together, ': anyone who has all of them can learn more than this release promises.</li>') ELSE '' END, '</ul></section>')
	FROM (SELECT (r.verified ->> 'ok')::boolean AS kept, anonopt.report_uncovered(r) AS uncovered, coalesce(together < (r.verified ->> 'promised_k')::bigint, false) AS broken_together,
		(SELECT string_agg(format('%s %s (%s)', anonopt.html(v ->> 'column_name'), anonopt.html(coalesce(v ->> 'value', 'NULL')),
				anonopt.people_text((v ->> 'people')::float8)), ', ') || CASE WHEN max(n) > 5 THEN format(' and %s more %s.', max(n) - 5, CASE WHEN max(n) = 6 THEN 'value' ELSE 'values' END) ELSE '.' END
			FROM (SELECT v, row_number() OVER (ORDER BY (v ->> 'people')::bigint DESC, v ->> 'column_name', v ->> 'value') AS i, count(*) OVER () AS n
				FROM jsonb_array_elements(r.values) v WHERE (v ->> 'people')::bigint > 0 AND (v ->> 'left_out')::bigint = (v ->> 'people')::bigint) g
			WHERE i <= 5) AS gone) x
$$;

-- Risks before and after.
CREATE FUNCTION anonopt.report_risk(r anonopt.reported) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT anonopt.html_table('{attacker,risk,before,after}', ARRAY[
		anonopt.html_cells('prosecutor: knows that the person is in the data', 'highest', anonopt.percent((r.before ->> 'highest')::float8), anonopt.percent(1 / (r.verified ->> 'k')::float8)),
		anonopt.html_cells('', 'average', anonopt.percent((r.before ->> 'average')::float8), CASE WHEN r.after IS NULL THEN 'not shown whose rows they are' ELSE anonopt.percent((r.after ->> 'average')::float8) END),
		anonopt.html_cells('', 'people above 20 %', anonopt.percent((r.before ->> 'share_above')::float8), CASE WHEN r.after IS NULL AND (r.verified ->> 'k')::bigint >= 5 THEN '0.0 %' ELSE anonopt.percent((r.after ->> 'share_above')::float8) END),
		anonopt.html_cells('journalist: does not know whether the person is in the data', 'highest', coalesce(anonopt.percent((r.before ->> 'journalist_highest')::float8),
			''), 'at most the prosecutor''s'),
		anonopt.html_cells('marketer: wants to recognize as many as possible', 'expected share of people', anonopt.percent(coalesce(r.before ->> 'marketer', r.before ->> 'average')::float8),
			anonopt.percent((r.after ->> 'average')::float8)),
		anonopt.html_cells('', 'people alone in their class', anonopt.short_number((r.before ->> 'uniques')::float8), CASE WHEN r.after IS NULL AND (r.verified ->> 'k')::bigint > 1 THEN '0' ELSE anonopt.short_number((r.after ->> 'uniques')::float8) END)])
$$;

-- Who is left out, by value; values that lose the largest share come first.
CREATE FUNCTION anonopt.report_left_out(r anonopt.reported) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN r.values IS NULL THEN '<p>This release generalizes record by record; who is left out is not counted by value.</p>'
		WHEN count(*) = 0 THEN '<p>Nobody.</p>'
		ELSE anonopt.html_table('{column,value,people,left out,share}', array_agg(format('%s<td>%s</td>%s', anonopt.html_cells(column_name), anonopt.html(coalesce(value, 'NULL')),
				anonopt.html_cells(anonopt.short_number(people), anonopt.short_number(left_out), anonopt.percent(left_out / people))) ORDER BY i) FILTER (WHERE i <= 12))
			|| CASE WHEN count(*) > 12 THEN format('<p>%s more values lose a smaller share of their people.</p>', count(*) - 12) ELSE '' END END
	FROM (SELECT v ->> 'column_name' AS column_name, v ->> 'value' AS value, (v ->> 'people')::float8 AS people, (v ->> 'left_out')::float8 AS left_out,
			row_number() OVER (ORDER BY (v ->> 'left_out')::float8 / (v ->> 'people')::float8 DESC, (v ->> 'left_out')::bigint DESC, v ->> 'column_name', v ->> 'value') AS i
		FROM jsonb_array_elements(r.values) v WHERE (v ->> 'left_out')::bigint > 0) l
$$;

-- A column's distribution before and after, as at most twelve bars, for runs of leaves or for the most frequent sensitive
-- values.
CREATE FUNCTION anonopt.report_bars(r anonopt.reported, column_name text) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	WITH own AS (
		SELECT coalesce(v ->> 'value', 'NULL') AS value, (v ->> 'people')::float8 AS people, (v ->> 'shown')::float8 AS shown, row_number() OVER (ORDER BY i) AS i,
			row_number() OVER (ORDER BY (v ->> 'people')::float8 DESC, i) AS rank, count(*) OVER () AS n,
			sum((v ->> 'people')::float8) OVER () AS all_people, sum((v ->> 'shown')::float8) OVER () AS all_shown,
			column_name::name = ANY (r.sensitive) AS sensitive
		FROM jsonb_array_elements(r.values) WITH ORDINALITY x (v, i) WHERE v ->> 'column_name' = report_bars.column_name),
	run AS (
		SELECT CASE WHEN count(*) = 1 THEN min(value) WHEN bool_and(sensitive) THEN format('%s others', count(*))
				ELSE (array_agg(value ORDER BY i))[1] || ' … ' || (array_agg(value ORDER BY i DESC))[1] END AS label,
			coalesce(sum(people) / nullif(max(all_people), 0), 0) AS before, coalesce(sum(shown) / nullif(max(all_shown), 0), 0) AS after, min(place) AS place
		FROM (SELECT *, CASE WHEN n <= 12 THEN i WHEN sensitive THEN least(rank, 12) ELSE (i - 1) * 12 / n END AS place FROM own) p GROUP BY p.place)
	SELECT concat('<table class="bars"><caption>', anonopt.html(column_name), '</caption><thead><tr><th>value</th><th>before</th><th>after</th><th></th></tr></thead><tbody>',
		string_agg(format('<tr><th>%s</th><td class="number">%s</td><td class="number">%s</td><td aria-hidden="true"><span style="width:%s%%"></span><span class="after" style="width:%s%%"></span></td></tr>',
			anonopt.html(label), anonopt.percent(before), anonopt.percent(after), round(before::numeric * 100, 1), round(after::numeric * 100, 1)), E'\n' ORDER BY place),
		'</tbody></table>') FROM run
$$;

-- What a release is still good for: distributions, associations, and the rest, side by side.
CREATE FUNCTION anonopt.report_utility(dataset text, release regclass) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	WITH utility AS (SELECT * FROM anonopt.utility(dataset, release, 200) WITH ORDINALITY u (measure, columns, before, after, value, i)),
	by_column AS (
		SELECT anonopt.html_cells(u.columns[1], round(u.value::numeric, 3)::text, coalesce(round(m.value::numeric, 3)::text, '')) AS cells, u.i
		FROM utility u LEFT JOIN utility m ON m.measure = 'earth_movers' AND m.columns = u.columns WHERE u.measure = 'total_variation'),
	pair AS (
		SELECT anonopt.html_cells(array_to_string(u.columns, ', '), round(u.before::numeric, 3)::text, round(u.after::numeric, 3)::text) AS cells, u.i
		FROM utility u WHERE u.measure = 'cramers_v'),
	other AS (
		SELECT anonopt.html_cells(coalesce(m.what, u.measure) || coalesce(' of ' || array_to_string(u.columns, ', '), ''), coalesce(round(u.before::numeric, 3)::text, ''),
			round(coalesce(u.after, u.value)::numeric, 3)::text) AS cells, u.i
		FROM utility u LEFT JOIN (VALUES ('range_query_error', 'mean error of random counts'), ('range_query_error_median', 'median error of random counts'),
			('majority', 'share of the most frequent label'), ('accuracy', 'accuracy of a classifier'), ('auc', 'area under the curve of a classifier')) m (measure, what)
			ON m.measure = u.measure
		WHERE u.measure NOT IN ('total_variation', 'earth_movers', 'cramers_v'))
	SELECT concat('<div class="columns">',
		(SELECT '<div><h4>Change of distributions, 0 to 1</h4>' || anonopt.html_table('{column,total variation,earth mover''s}', array_agg(cells ORDER BY i)) || '</div>'
			FROM by_column HAVING count(*) > 0),
		(SELECT '<div><h4>Associations (Cramér''s V), 0 to 1</h4>' || anonopt.html_table('{columns,before,after}', array_agg(cells ORDER BY i)) || '</div>' FROM pair HAVING count(*) > 0),
		(SELECT '<div><h4>Counts and predictions</h4>' || anonopt.html_table('{measure,before,after}', array_agg(cells ORDER BY i)) || '</div>' FROM other HAVING count(*) > 0), '</div>')
$$;

-- The details of a release, after its verdict.
CREATE FUNCTION anonopt.report_release(r anonopt.reported) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	generalized name[] := ARRAY(SELECT g::name FROM jsonb_array_elements_text(r.entry -> 'generalized') WITH ORDINALITY x (g, i) ORDER BY i);
	hierarchies text[] := ARRAY(SELECT (SELECT a.hierarchy::text FROM anonopt.attribute a WHERE a.dataset = r.entry ->> 'dataset' AND a.role = 'quasi_identifier'
		AND a.column_name = g) FROM unnest(generalized) WITH ORDINALITY x (g, i) ORDER BY i);
	measures jsonb := r.entry -> 'measures';
	cells float8 := anonopt.rows_measured(measures) * cardinality(generalized);
	sizes text[];
	shown text[];
	samples text[];
BEGIN
	EXECUTE format('SELECT array_agg(anonopt.html_cells(CASE WHEN s.low = s.high THEN anonopt.short_number(s.low)
				ELSE format(''%%s to %%s'', anonopt.short_number(s.low), anonopt.short_number(s.high)) END, anonopt.short_number(s.classes), anonopt.short_number(s.rows)) ORDER BY s.low)
		FROM (SELECT min(c.n) AS low, max(c.n) AS high, count(*) AS classes, sum(c.n)::float8 AS rows
			FROM (SELECT count(*) AS n FROM %s r GROUP BY %s) c GROUP BY floor(log(2, c.n))) s', r.release, (SELECT string_agg(format('r.%I', q), ', ') FROM unnest(generalized) q)) INTO sizes;
	FOR i IN 1 .. cardinality(generalized) LOOP
		EXECUTE format('SELECT array_agg(DISTINCT CASE WHEN r.%1$I IS NULL THEN ''NULL'' ELSE format(''%%s'', r.%1$I) END) FROM %2$s r', generalized[i], r.release) INTO samples;
		shown := shown || anonopt.html_cells(generalized[i]::text, hierarchies[i], coalesce(r.entry -> 'levels' ->> (i - 1),
				CASE WHEN r.entry ->> 'recoding' IS NOT NULL THEN 'by class' WHEN r.entry ->> 'cuts' IS NOT NULL THEN 'cut' ELSE 'by record' END),
			cardinality(samples)::text, array_to_string(samples[1:4], '; ') || CASE WHEN cardinality(samples) > 4 THEN '; …' ELSE '' END);
	END LOOP;
	RETURN concat('<h3>', anonopt.html(r.name), '</h3><p>Promised: ', anonopt.html(anonopt.report_promise(r)), coalesce('; no promise covers: ' || nullif(anonopt.html(anonopt.report_uncovered(r)), ''), ''),
		'. Published by ', anonopt.html(r.entry ->> 'published_by'), ' on ', left(r.entry ->> 'published_at', 10), '.</p>',
		anonopt.html_table('{what,promised,when published,measured now}', ARRAY[
			anonopt.html_cells('k: people in the smallest class', r.verified ->> 'promised_k', anonopt.short_number((measures ->> 'k')::float8), anonopt.short_number((r.verified ->> 'k')::float8)),
			anonopt.html_cells('l: different sensitive values in a class', coalesce(r.verified ->> 'promised_l', 'not promised'), measures ->> 'l', coalesce(r.verified ->> 'l', '')),
			anonopt.html_cells('t: how far a class''s sensitive values are from all', coalesce(r.verified ->> 'promised_t', 'not promised'), anonopt.short_number((measures ->> 't')::float8),
				anonopt.short_number((r.verified ->> 't')::float8)),
			anonopt.html_cells('rows shown', '', anonopt.short_number(anonopt.rows_measured(measures) - (measures ->> 'suppressed')::float8), anonopt.short_number((r.verified ->> 'rows')::float8)),
			anonopt.html_cells('the promise is kept', '', '', CASE WHEN (r.verified ->> 'ok')::boolean THEN 'yes' WHEN NOT (r.verified ->> 'ok')::boolean THEN 'no' ELSE 'not all can be measured' END)]
			|| ARRAY(SELECT anonopt.html_cells(o.model, o.promise, '', anonopt.short_number(o.measured)) FROM anonopt.report_others(r) o ORDER BY o.model)),
		'<div class="columns"><div><h4>Loss when published</h4>', anonopt.html_table('{measure,value}', (SELECT array_agg(anonopt.html_cells(m.what, m.value) ORDER BY m.i)
			FROM (VALUES (1, 'GLM: detail lost, all columns equally', anonopt.percent((measures ->> 'glm')::float8 / nullif(cells, 0))),
				(2, 'NWP: detail lost, columns by weight', anonopt.percent((measures ->> 'nwp')::float8)),
				(3, 'CM: people outside their class''s majority', anonopt.percent((measures ->> 'cm')::float8)),
				(4, 'NECD: bias of class sizes', anonopt.percent((measures ->> 'necd')::float8)),
				(5, 'DCN: discernibility, people squared', anonopt.short_number((measures ->> 'dcn')::float8)),
				(6, 'classes', anonopt.short_number((measures ->> 'classes')::float8))) m (i, what, value) WHERE m.value <> '')),
		'</div><div><h4>Sizes of classes</h4>', anonopt.html_table(CASE WHEN measures ? 'rows' THEN '{rows in a class,classes,rows}' ELSE '{people in a class,classes,people}' END::text[], sizes),
		'</div></div><h4>What the columns show</h4>', anonopt.html_table('{column,hierarchy,level,labels,for example}', shown));
END $$;

-- The measures in a row of the report's tables; losses are in per cent of the cells.
CREATE FUNCTION anonopt.measure_cells(n anonopt.node, cells float8) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT ARRAY[anonopt.short_number(n.k), anonopt.short_number(n.l), anonopt.short_number(n.suppressed), anonopt.short_number(n.classes),
		anonopt.percent(n.glm / nullif(cells, 0)), anonopt.percent(n.nwp)]
$$;

-- A node, with the names of its columns.
CREATE FUNCTION anonopt.levels_text(columns name[], levels int[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT string_agg(format('%s %s', c, levels[i]), ', ' ORDER BY i) FROM unnest(columns) WITH ORDINALITY x (c, i)
$$;

CREATE FUNCTION anonopt.report(dataset text, purpose text DEFAULT NULL, recipient text DEFAULT NULL, author text DEFAULT NULL, review date DEFAULT NULL,
	population regclass DEFAULT NULL) RETURNS text
-- the planner overestimates many short queries, and compiling them would take longer than running them
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
	source regclass := (SELECT d.relation FROM anonopt.dataset d WHERE d.dataset = report.dataset);
	declaration text[] := ARRAY(SELECT anonopt.html_cells(d.column_name::text, d.role, d.hierarchy::text, d.levels::text,
		anonopt.short_number(d.domain), anonopt.short_number(d.observed), anonopt.short_number(d.nulls)) FROM anonopt.describe(dataset) d
		WHERE d.column_name IS NOT NULL);
	qis name[] := ARRAY(SELECT a.column_name FROM anonopt.attribute a WHERE a.dataset = report.dataset AND a.role = 'quasi_identifier' ORDER BY a.ordinal);
	front anonopt.node[] := ARRAY(SELECT n FROM anonopt.pareto(dataset) n);
	-- recodings keep no presence
	curve anonopt.node[] := CASE WHEN EXISTS (SELECT FROM anonopt.promise p WHERE p.dataset = report.dataset AND p.model = 'presence') THEN '{}'
		ELSE ARRAY(SELECT n FROM anonopt.recoding_curve(dataset) n ORDER BY n.k DESC) END;
	risk jsonb := (SELECT to_jsonb(r) FROM anonopt.risk(source, qis, population => report.population,
		person => (SELECT d.person FROM anonopt.dataset d WHERE d.dataset = report.dataset)) r);
	cells float8 := (risk ->> 'records')::float8 * cardinality(qis);
	releases anonopt.reported[] := ARRAY(SELECT anonopt.report_measure(dataset, r.release, risk) FROM (SELECT DISTINCT ON (r.release) r.release, r.published_at FROM anonopt.release r
		WHERE r.dataset = report.dataset AND NOT r.dropped ORDER BY r.release, r.published_at DESC) r ORDER BY r.published_at);
	dropped_names text := (SELECT string_agg(r.name, ', ' ORDER BY r.published_at) FROM anonopt.release r WHERE r.dataset = report.dataset AND r.dropped);
	combined jsonb := (SELECT jsonb_agg(jsonb_build_object('names', (SELECT string_agg(coalesce((SELECT c.name FROM anonopt.release c
				WHERE c.release = x LIMIT 1), x::text), ', ') FROM unnest(r.releases) x), 'n', cardinality(r.releases), 'k', r.k, 'smallest', r.smallest))
		FROM anonopt.release_risk(dataset) r);
	together text := (SELECT '<h3>All of them together</h3><p>Anyone with several releases knows a person''s labels in each. These are the smallest groups of people with the same labels in all, including dropped releases and earlier contents. A group smaller than promised does not break any single release, but the promise does not hold for all of them together.</p>'
			|| anonopt.html_table('{releases,promised k,smallest group}', array_agg(anonopt.html_cells(c ->> 'names', c ->> 'k', coalesce(c ->> 'smallest', 'not known'))))
		FROM jsonb_array_elements(combined) c HAVING count(*) > 1);
	least bigint := (SELECT min((c ->> 'smallest')::bigint) FROM jsonb_array_elements(combined) c WHERE (c ->> 'n')::int > 1);
	about text[] := ARRAY(SELECT format('<th scope="row">%s</th><td>%s</td>', a.what, anonopt.html(a.value)) FROM (VALUES (1, 'data set', dataset), (2, 'relation', source::text), (3, 'rows', anonopt.short_number((risk ->> 'records')::float8)),
		(3.5, 'people', CASE WHEN (SELECT d.person FROM anonopt.dataset d WHERE d.dataset = report.dataset) IS NOT NULL THEN anonopt.short_number((risk ->> 'people')::float8) END),
		(4, 'purpose', purpose), (5, 'recipient', recipient), (6, 'author', author), (7, 'date', to_char(now(), 'YYYY-MM-DD HH24:MI TZ')),
		(8, 'to be reviewed on', review::text), (9, 'dropped releases', dropped_names)) a (i, what, value) WHERE a.value IS NOT NULL ORDER BY a.i);
BEGIN
	RETURN concat($html$<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Anonymization of $html$, anonopt.html(dataset), $html$</title>
<style>
:root { color-scheme: light dark; --ink: #222; --paper: #fff; --line: #ccc; --soft: #f3f4f6; --good: #15803d; --bad: #b91c1c; --bar: #2563a8; --after: #c2410c }
@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --paper: #16181c; --line: #444; --soft: #22252b; --good: #86d9a2; --bad: #fca5a5; --bar: #7db4ee; --after: #fb923c } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 0 auto; max-width: 60rem; padding: 1rem }
h1 { font-size: 1.6rem } h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line) }
.wide { overflow-x: auto } table { border-collapse: collapse; margin: .5rem 0 } th, td { padding: .3rem .7rem; border: 1px solid var(--line); text-align: left }
th { background: var(--soft) } td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap } svg { width: 100%; min-width: 34rem; height: auto }
h1, h2, h3, p, li, .bars th { overflow-wrap: anywhere }
.verdict { border-left: .4rem solid var(--good); padding: .1rem 1rem; margin: 1rem 0; background: var(--soft) } .verdict.broken { border-color: var(--bad) }
.verdict h3 { margin: .5rem 0; color: var(--good) } .verdict.broken h3, .warning { color: var(--bad) }
.columns { display: flex; flex-wrap: wrap; gap: 1rem; align-items: flex-start } .columns > div { min-width: 0; max-width: 100%; margin-right: 1rem } .bars { font-size: .85rem } .bars caption { text-align: left; font-weight: 600 }
.bars th, .bars td { padding: .1rem .5rem; border: 0 } .bars tbody th { font-weight: normal; background: none; max-width: 10rem } .bars td:last-child { width: 5rem }
.bars th, .bars td { line-height: 1.2 }
.bars span { display: block; height: .45rem; background: var(--bar); min-width: 1px } .bars .after { background: var(--after) }
#told { min-height: 1.5em } summary { cursor: pointer }
footer { margin-top: 3rem; font-size: .85rem; opacity: .8 }
@media (max-width: 30rem) { th, td { padding: .2rem .3rem; font-size: .85rem } }
@media print { body { font-size: 9pt; line-height: 1.3; max-width: none; padding: 0 } @page { size: A4; margin: 13mm } h2 { margin-top: 1rem; break-after: avoid } h4 { margin: .5rem 0 0 } h3, h4 { break-after: avoid }
table, .verdict, svg { break-inside: avoid } th, td { padding: .1rem .4rem } .bars { font-size: 7pt } .bars th, .bars td { padding: 0 .2rem } .bars td:last-child { width: 2.5rem } .columns { gap: .5rem }
svg { min-width: 0; max-height: 9cm } .wide { overflow: visible } #told, details { display: none } }
</style>
</head>
<body>
<h1>Anonymization of $html$, anonopt.html(dataset), '</h1><h2>Verdict</h2>',
		CASE WHEN cardinality(releases) = 0 THEN '<p>Nothing has been published yet.</p>' ELSE (SELECT string_agg(anonopt.report_verdict(releases[i], least), E'\n' ORDER BY i)
			FROM generate_subscripts(releases, 1) i) END,
		'<div class="wide"><table><tbody>', array_to_string(ARRAY(SELECT '<tr>' || a || '</tr>' FROM unnest(about) a), E'\n'), '</tbody></table></div>',
		CASE WHEN cardinality(releases) = 0 THEN '<h2>The original data</h2>' || anonopt.html_table('{what,measured}', ARRAY[
			anonopt.html_cells('classes', anonopt.short_number((risk ->> 'classes')::float8)),
			anonopt.html_cells('people alone in their class', anonopt.short_number((risk ->> 'uniques')::float8)),
			anonopt.html_cells('highest risk of being recognized', anonopt.percent((risk ->> 'highest')::float8)),
			anonopt.html_cells('average risk', anonopt.percent((risk ->> 'average')::float8)),
			anonopt.html_cells('share of people at a risk above 20 %', anonopt.percent((risk ->> 'share_above')::float8))]) END,
		(SELECT string_agg(concat('<h2>Risk, before and after: ', anonopt.html((releases[i]).name), '</h2>', anonopt.report_risk(releases[i]),
				'<h2>Who is left out of ', anonopt.html((releases[i]).name), '</h2>', anonopt.report_left_out(releases[i]),
				'<h2>Distributions, before and after: ', anonopt.html((releases[i]).name), '</h2><p>The people with a label are divided evenly among its values.</p><div class="columns">',
				(SELECT string_agg(anonopt.report_bars(releases[i], c), E'\n' ORDER BY place) FROM (SELECT v ->> 'column_name' AS c, min(j) AS place
					FROM jsonb_array_elements((releases[i]).values) WITH ORDINALITY z (v, j) GROUP BY 1) columns), '</div>',
				CASE WHEN (releases[i]).values IS NOT NULL THEN concat('<h2>What ', anonopt.html((releases[i]).name), ' is still good for</h2>', anonopt.report_utility(dataset, (releases[i]).release)) END), E'\n' ORDER BY i)
			FROM generate_subscripts(releases, 1) i),
		$html$<h2>The trade-off</h2>
<p>Each dot is a node, one level for each column, that no other node beats both in k, the size of the smallest class, and in GLM, the detail lost in per cent.
Each diamond is a local recoding, which generalizes each class separately, as a short search finds it for k = 2, 3, 5, 10, 20, 50 and 100. Rings mark releases.
The nodes here leave out the smallest classes up to the limit of the data set; a release leaves out exactly the classes that break its promise, so its k and loss can differ from those of its node.</p>
<div class="wide">$html$, anonopt.draw_front('{k,loss}',
			ARRAY(SELECT to_jsonb(n) || jsonb_build_object('loss', round((n.glm / nullif(cells, 0) * 100)::numeric, 2)) FROM unnest(front) n),
			ARRAY(SELECT to_jsonb(n) || jsonb_build_object('loss', round((n.glm / nullif(cells, 0) * 100)::numeric, 2)) FROM unnest(curve) n),
			ARRAY(SELECT jsonb_build_object('name', x.name, 'k', x.verified -> 'k', 'loss', round(((x.entry -> 'measures' ->> 'glm')::float8
					/ nullif(anonopt.rows_measured(x.entry -> 'measures') * cardinality(qis), 0) * 100)::numeric, 2))
				FROM unnest(releases) x WHERE x.verified ->> 'k' IS NOT NULL AND x.entry -> 'measures' ->> 'glm' IS NOT NULL)), '</div><p id="told" role="status"></p>',
		'<details><summary>The nodes as a table</summary>', anonopt.html_table('{levels,k,l,suppressed,classes,GLM,NWP}',
			ARRAY(SELECT anonopt.html_cells(VARIADIC anonopt.levels_text(qis, n.levels) || anonopt.measure_cells(n, cells)) FROM unnest(front) n)), '</details>',
		'<details><summary>The recodings as a table</summary>', anonopt.html_table('{recoding,k,l,suppressed,classes,GLM,NWP}',
			ARRAY(SELECT anonopt.html_cells(VARIADIC 'local'::text || anonopt.measure_cells(n, cells)) FROM unnest(curve) n)), '</details>',
		'<h2>Releases</h2>', coalesce((SELECT string_agg(anonopt.report_release(releases[i]), E'\n' ORDER BY i)
			FROM generate_subscripts(releases, 1) i),
			'<p>Nothing has been published yet.</p>'), together,
		'<p>Dropped releases, which readers may have kept: ' || anonopt.html(dropped_names) || '.</p>',
		'<h2>Declaration</h2>', anonopt.html_table('{column,role,hierarchy,levels,domain,observed,nulls}', declaration),
		(SELECT '<h3>Promises declared</h3>' || anonopt.html_table('{model,threshold,column,c,population}', array_agg(anonopt.html_cells(p.model, anonopt.short_number(p.threshold),
				p.column_name::text, anonopt.short_number(p.c), p.population::text) ORDER BY p.model, p.column_name)) FROM anonopt.promise p WHERE p.dataset = report.dataset HAVING count(*) > 0),
		$html$<footer><p>k: everybody shown is in a class of at least k people who look the same. l: each class has at least l different
sensitive values. t: how far a class's sensitive values are from everybody's. A promise covers the columns it names, in a single release; several releases together can reveal more.</p></footer>
<script>
/* shows a point's numbers below the picture; the page has the same numbers without it */
for (const point of document.querySelectorAll('.anonopt-front [tabindex]'))
	for (const event of ['pointerenter', 'focus', 'click'])
		point.addEventListener(event, () => { document.getElementById('told').textContent = point.querySelector('title').textContent.replace(/\n/g, ', '); });
</script>
</body>
</html>$html$);
END $$;
-- \dd+ and \df+ anonopt.* are a manual -----------------------------------------

COMMENT ON SCHEMA anonopt IS 'measuring, searching and publishing anonymizations of tables';
COMMENT ON TABLE anonopt.dataset IS 'declared data sets; changed by anonopt.create_dataset and anonopt.drop_dataset';
COMMENT ON TABLE anonopt.attribute IS 'columns of declared data sets and their roles; changed by anonopt.add_quasi_identifier and the like';
COMMENT ON TABLE anonopt.promise IS 'promises of declared data sets; changed by anonopt.add_promise and anonopt.drop_promise';
COMMENT ON TYPE anonopt.node IS 'one generalization of a data set and its measures';
COMMENT ON TYPE anonopt.opaque IS 'internal: passed to and from anonopt.tuples';
COMMENT ON AGGREGATE anonopt.tuples(anonopt.opaque, "any") IS 'internal: distinct tuples of the rows read';

COMMENT ON FUNCTION anonopt.is_restored(oid) IS 'internal: whether pg_dump includes a declaration';
COMMENT ON FUNCTION anonopt.create_dataset(text, regclass, float8, name, name, text) IS 'declares a relation as a data set';
COMMENT ON FUNCTION anonopt.drop_dataset(text, boolean) IS 'drops a declaration and, on request, the hierarchies that auto_dataset made for it; the relation stays';
COMMENT ON FUNCTION anonopt.add_quasi_identifier(text, name, regclass, float8, int, int, text, boolean) IS 'declares a column by which people could be recognized, and its hierarchy';
COMMENT ON FUNCTION anonopt.add_sensitive(text, name, text, regclass) IS 'declares a column whose values must not be learned about anyone';
COMMENT ON FUNCTION anonopt.set_class_label(text, name) IS 'declares the column that readers will want to predict';
COMMENT ON FUNCTION anonopt.set_identifier(text, name) IS 'declares a column that is never published';
COMMENT ON FUNCTION anonopt.set_insensitive(text, name) IS 'declares a column that may be published unchanged';
COMMENT ON TABLE anonopt.pseudonym_secret IS 'internal: secrets of pseudonyms';
COMMENT ON TABLE anonopt.published_link IS 'internal: people whom pseudonyms link across releases';
COMMENT ON FUNCTION anonopt.set_pseudonym(text, name, text) IS 'shows a key as keyed hashes, which match in two releases only if both use the same secret';
COMMENT ON FUNCTION anonopt.set_owner_sensitivity(text, name, name) IS 'names a column that says how sensitive a quasi-identifier is to each record''s owner';
COMMENT ON FUNCTION anonopt.set_sensitivity(text, name, regclass) IS 'names a table (value, weight) that says how sensitive each value of a quasi-identifier is';
COMMENT ON FUNCTION anonopt.add_promise(text, text, float8, name, float8, regclass) IS 'declares a promise that every release of a data set must keep';
COMMENT ON FUNCTION anonopt.policy_check(text) IS 'which promises a node can keep, and the least suppression each one needs';
COMMENT ON FUNCTION anonopt.drop_promise(text, text, name) IS 'withdraws a promise of a data set';
COMMENT ON FUNCTION anonopt.drop_attribute(text, name, text) IS 'removes one role of a column, or all its roles';
COMMENT ON FUNCTION anonopt.auto_dataset(text, regclass, name[], text, boolean) IS 'builds a suitable hierarchy for each column and declares it; with dry_run, only says what would suit';
COMMENT ON FUNCTION anonopt.describe(text) IS 'shows a declaration beside what the data hold';
COMMENT ON FUNCTION anonopt.read_sql(text) IS 'the statement that reads a data set, for EXPLAIN';
COMMENT ON FUNCTION anonopt.create_interval_hierarchy(text, numeric, numeric, numeric[]) IS 'hierarchy of integers: each value, intervals of each width, *';
COMMENT ON FUNCTION anonopt.create_range_hierarchy(text, numeric, numeric, numeric, numeric[]) IS 'hierarchy of any numbers: ranges of one step, intervals of each width, *';
COMMENT ON FUNCTION anonopt.create_mask_hierarchy(text, regclass, name, text) IS 'hierarchy of a column''s texts: each level masks one more character from the right';
COMMENT ON FUNCTION anonopt.create_date_hierarchy(text, date, date, text[]) IS 'hierarchy of days or hours: weeks, weekdays, or months to centuries, then *';
COMMENT ON FUNCTION anonopt.create_quantile_hierarchy(text, regclass, name, int[]) IS 'hierarchy of a column''s values: groups of equal frequency, then *';
COMMENT ON FUNCTION anonopt.create_tree_hierarchy(text, regclass) IS 'hierarchy from a table of edges (child, parent)';
COMMENT ON FUNCTION anonopt.create_top_coded_hierarchy(text, numeric, numeric, numeric, numeric, numeric[], numeric) IS 'hierarchy of numbers with top or bottom coding: intervals of each width between the ends, then *';
COMMENT ON FUNCTION anonopt.create_rounding_hierarchy(text, numeric, numeric, numeric[], boolean) IS 'hierarchy of numbers rounded to each step in turn, then *';
COMMENT ON FUNCTION anonopt.create_frequency_hierarchy(text, regclass, name, bigint, text) IS 'hierarchy of a column''s values: rare values share one label, then *';
COMMENT ON FUNCTION anonopt.create_prefix_hierarchy(text, regclass, name, int[], text) IS 'hierarchy of a column''s codes by prefix: cut at separators, then to the given lengths';
COMMENT ON FUNCTION anonopt.create_csv_hierarchy(text, text, text, regtype) IS 'hierarchy from the text of a CSV file in ARX''s format, one leaf per line';
COMMENT ON FUNCTION anonopt.check_hierarchy(regclass) IS 'every fault of a hierarchy table; no rows if it is sound';
COMMENT ON FUNCTION anonopt.generalize(text, regclass, int, text) IS 'the label of a value at a level';
COMMENT ON FUNCTION anonopt.generalize(anyelement, regclass, int, text) IS 'the label of a value at a level';
COMMENT ON FUNCTION anonopt.evaluate(text, int[], int, int, float8) IS 'measures of a node, or of several nodes, from one reading';
COMMENT ON FUNCTION anonopt.lattice(text, int, int, float8) IS 'measures of every node within the declared levels';
COMMENT ON FUNCTION anonopt.lattice_size(text) IS 'how many nodes lattice returns';
COMMENT ON FUNCTION anonopt.evaluate_cuts(text, varbit[], int, int, float8) IS 'measures of a partition of each ordered domain into runs';
COMMENT ON FUNCTION anonopt.node_detail(text, int[]) IS 'labels and loss of each quasi-identifier at a node';
COMMENT ON FUNCTION anonopt.suppressed_classes(text, int[], int, int, float8) IS 'the classes that a node suppresses, and the promises they break';
COMMENT ON FUNCTION anonopt.pareto(text, text[], int, int, float8, interval) IS 'the exact front for any objectives';
COMMENT ON FUNCTION anonopt.optimize(text, int, int, float8, text, interval) IS 'the node with the least loss that keeps a promise, exactly';
COMMENT ON FUNCTION anonopt.create_recoding(text, text, int, int, float8, text, text, interval, bigint) IS 'searches for a local recoding that keeps a promise at little loss, and writes it as a table';
COMMENT ON FUNCTION anonopt.extend_recoding(regclass, text, int, int, float8, text, text, interval, bigint) IS 'adds new tuples of the data to a recoding';
COMMENT ON FUNCTION anonopt.evaluate_recoding(text, regclass, int, int, float8, text) IS 'measures of a recoding';
COMMENT ON FUNCTION anonopt.evaluate_recoding(text, regclass[], int, int, float8, text) IS 'measures of several recodings, from one reading';
COMMENT ON FUNCTION anonopt.evaluate_recoding(text, text, int, int, float8, text) IS 'measures of a recoding, or of several in braces';
COMMENT ON FUNCTION anonopt.recoding_classes(text, regclass, text) IS 'the classes of a recoding and their labels, worst first';
COMMENT ON FUNCTION anonopt.recoding_curve(text, int[], text, text, bigint) IS 'the loss of local recodings at several k, from one reading';
COMMENT ON FUNCTION anonopt.poka(text, text, int, int[]) IS 'POkA: the front of k against a loss, by depth search and height search';
COMMENT ON FUNCTION anonopt.pbg_ea(text, text[], float8[], int, int, float8, float8, bigint, float8, int, boolean, boolean, boolean) IS 'PBG-EA: evolutionary search for two or more objectives, with a bounded archive of nodes';
COMMENT ON FUNCTION anonopt.archive_quality(text, text[], int[], float8[]) IS 'how well a set of nodes represents the exact front';
COMMENT ON FUNCTION anonopt.igd_plus(text, text[], int[]) IS 'how much better the exact front is than a set of nodes, on average';
COMMENT ON FUNCTION anonopt.hypervolume(text, text[], int[], float8[]) IS 'the volume that a set of nodes dominates, up to a reference point';
COMMENT ON FUNCTION anonopt.box_archive(float8[], float8[]) IS 'which vectors of a stream are in PBG-EA''s archive at the end';
COMMENT ON AGGREGATE anonopt.p_rank(float8, float8) IS 'how far a property vector is from the best one';
COMMENT ON AGGREGATE anonopt.p_cov(float8, float8) IS 'share of records where d1 is at least d2';
COMMENT ON AGGREGATE anonopt.p_spr(float8, float8) IS 'sum of the amounts by which d1 exceeds d2';
COMMENT ON AGGREGATE anonopt.p_hv(float8, float8) IS 'hypervolume that d1 covers and d2 does not';
COMMENT ON AGGREGATE anonopt.ln_p_hv(float8, float8) IS 'natural logarithm of p_hv';
COMMENT ON AGGREGATE anonopt.p_hv_order(float8, float8) IS 'whether p_hv of d1 over d2 is greater than (1), less than (-1) or equal to (0) that of d2 over d1';
COMMENT ON AGGREGATE anonopt.p_binary(float8, float8) IS 'number of records where d1 exceeds d2';
COMMENT ON AGGREGATE anonopt.dominance(float8, float8) IS 'equal, better, worse or incomparable';
COMMENT ON FUNCTION anonopt.p_wtd(float8[], float8[]) IS 'weighted sum of indices, one per property';
COMMENT ON FUNCTION anonopt.p_lex(float8[], float8[], float8[]) IS 'first property in which the first side leads by more than epsilon';
COMMENT ON FUNCTION anonopt.p_goal(float8[], float8[]) IS 'squared distance of indices from a goal';
COMMENT ON FUNCTION anonopt.property_vector(text, int[], text, name, varbit[], regclass, text) IS 'a property of every record under a node, cuts or a recoding';
COMMENT ON FUNCTION anonopt.compare(text, int[], int[], text[]) IS 'two nodes compared person by person, by every index';
COMMENT ON FUNCTION anonopt.compare(text, regclass, regclass, text[], text) IS 'two recodings compared person by person, by every index';
COMMENT ON FUNCTION anonopt.compare(text, text, text, text[], text) IS 'two nodes or recodings compared person by person, by every index';
COMMENT ON FUNCTION anonopt.compare(text, varbit[], varbit[], text[], text) IS 'two partitions compared person by person, by every index';
COMMENT ON FUNCTION anonopt.compare(text, varbit[], int[], text[], text) IS 'a partition and a node compared person by person, by every index';
COMMENT ON FUNCTION anonopt.compare(text, varbit[], regclass, text[], text) IS 'a partition and a recoding compared person by person, by every index';
COMMENT ON FUNCTION anonopt.p_rank_order(float8, float8, float8) IS 'which of two ranks is better by more than a tolerance: 1, -1 or 0';
COMMENT ON FUNCTION anonopt.set_dominance(text[]) IS 'dominance of sets of property vectors, from that of each property';
COMMENT ON FUNCTION anonopt.tournament(text, int[], text, text) IS 'nodes ranked against each other by one index of one property';
COMMENT ON FUNCTION anonopt.achievement(float8, float8, float8, float8, float8[], float8[]) IS 'how close a bias and a loss come to the preferred ones; less is closer';
COMMENT ON FUNCTION anonopt.achievement_of(float8[], float8[], float8[], float8[]) IS 'how close any values come to the preferred ones; less is closer';
COMMENT ON FUNCTION anonopt.efficiency(text, int, float8, float8, int, float8, text[], float8[], float8[], float8[]) IS 'every node that keeps the promises: whether another is better in bias and loss, and how close it comes to a preference';
COMMENT ON FUNCTION anonopt.nsga2(text, int, float8, float8, int, int, float8, float8, bigint, boolean, boolean, boolean, int, float8, text[], float8[], float8[], float8[]) IS 'NSGA-II: the partition of each ordered domain that comes closest to a preference';
COMMENT ON FUNCTION anonopt.reference_direction(text, int, float8[], float8[], int, int, int, float8, float8, bigint, boolean, boolean, boolean, int, float8, text[], float8[], float8[]) IS 'the closest partitions along a line of preferences';
COMMENT ON FUNCTION anonopt.aruba(text, float8, text, text, regclass, float8, name, interval, regclass[], float8[]) IS 'a generalization per record: least risk with enough utility';
COMMENT ON FUNCTION anonopt.btda(text, float8, text, text, regclass, float8, name, interval, regclass[], float8[]) IS 'the same result as aruba, by a search from the most general node in order of risk';
COMMENT ON FUNCTION anonopt.aruba_budget(text, float8, text, text, regclass, float8, name, interval, regclass[], float8[]) IS 'a generalization per record: most utility under a bound of risk';
COMMENT ON FUNCTION anonopt.aruba_balance(text, float8, text, text, regclass, float8, name, interval, regclass[], float8[]) IS 'a generalization per record: least risk - lambda * utility';
COMMENT ON FUNCTION anonopt.unpack(text[]) IS 'labels as a row whose columns the caller names';
COMMENT ON FUNCTION anonopt.jaro(text, text) IS 'Jaro similarity of two texts, by character';
COMMENT ON FUNCTION anonopt.record_walk(text, float8[], float8[], float8) IS 'the nodes that BTDA or ARUBA visit in one record''s lattice, given as arrays, and the best of them';
COMMENT ON TABLE anonopt.published IS 'internal: releases as they were published; anonopt.release shows them';
COMMENT ON TABLE anonopt.published_content IS 'internal: what each snapshot of a release showed';
COMMENT ON TABLE anonopt.tuple_store IS 'internal: stored tuple counts and what they rely on';
COMMENT ON TABLE anonopt.tuple_store_uncounted IS 'internal: tuple stores that missed a change and must be recounted';
COMMENT ON FUNCTION anonopt.whole_number(numeric) IS 'internal: a count as a bigint, or an error for a fraction';
COMMENT ON FUNCTION anonopt.whole_number(float8) IS 'internal: a count as a bigint, or an error for a fraction';
COMMENT ON SEQUENCE anonopt.tuple_store_number IS 'numbers of tuple stores';
COMMENT ON FUNCTION anonopt.create_tuple_store(text, boolean) IS 'stores a data set''s tuple counts, which triggers keep current if tracked; nothing in it is SECURITY DEFINER';
COMMENT ON FUNCTION anonopt.refresh_tuple_store(text) IS 'recounts a tuple store';
COMMENT ON FUNCTION anonopt.drop_tuple_store(text) IS 'drops a tuple store and its triggers';
COMMENT ON FUNCTION anonopt.count_changes() IS 'internal: counts what a statement changed, as the role that ran it';
COMMENT ON FUNCTION anonopt.note_row() IS 'internal: notes that a subscription wrote a row that is not counted';
COMMENT ON VIEW anonopt.release IS 'what was published, by whom, from which generalization, and its measures';
COMMENT ON FUNCTION anonopt.view_sql(text, text, int[], varbit[], int, int, name[], boolean, text, float8, regclass, text) IS 'the statement that anonopt.create_view would create';
COMMENT ON FUNCTION anonopt.create_view(text, text, int[], varbit[], int, int, name[], boolean, text, float8, regclass, text) IS 'publishes a generalization as a materialized view or a live view';
COMMENT ON FUNCTION anonopt.live_rows(text, text[]) IS 'called by live views: runs a statement once its relations are checked';
COMMENT ON FUNCTION anonopt.publish_table(text, text, int[], varbit[], int, int, name[], text, float8, regclass, text) IS 'publishes a generalization as a table, which can be dumped or copied';
COMMENT ON FUNCTION anonopt.publish_records(text, text, float8, name, int, text, text, name[]) IS 'publishes per-record generalizations as a table';
COMMENT ON FUNCTION anonopt.republish(regclass, int[], varbit[], int, int, float8, regclass, text) IS 'gives a release another generalization or promise; it stays the same relation';
COMMENT ON FUNCTION anonopt.refresh_release(regclass) IS 'measures a release on the current data, and rebuilds it if it keeps its promise';
COMMENT ON FUNCTION anonopt.drop_release(regclass) IS 'drops a release; what it showed stays on record';
COMMENT ON FUNCTION anonopt.verify(regclass) IS 'measures a release again, by plain SQL';
COMMENT ON FUNCTION anonopt.utility(text, regclass, int, bigint) IS 'measures what a release is good for: distributions, associations, range queries and a classifier, before and after';
COMMENT ON FUNCTION anonopt.release_distribution(text, regclass) IS 'counts people by value before a release and in it, and those left out';
COMMENT ON FUNCTION anonopt.release_risk(text) IS 'the smallest class when several releases are combined';
COMMENT ON FUNCTION anonopt.suggest_quasi_identifiers(regclass) IS 'columns and small combinations that single people out, most dangerous first';
COMMENT ON FUNCTION anonopt.front_svg(text, text[], boolean) IS 'the front as an SVG picture, with recodings if requested';
COMMENT ON FUNCTION anonopt.report(text, text, text, text, date, regclass) IS 'a self-contained HTML page about a data set and its releases';
COMMENT ON FUNCTION anonopt.this_database() IS 'internal';
COMMENT ON FUNCTION anonopt.find_release(uuid, bigint, bigint, text, name) IS 'internal';
COMMENT ON FUNCTION anonopt.html(text) IS 'internal';
COMMENT ON FUNCTION anonopt.objective_unit(text) IS 'internal';
COMMENT ON FUNCTION anonopt.short_number(float8) IS 'internal';
COMMENT ON FUNCTION anonopt.tick_label(float8) IS 'internal';
COMMENT ON FUNCTION anonopt.axis_ticks(float8, float8, boolean) IS 'internal';
COMMENT ON FUNCTION anonopt.axis_place(float8, float8, float8, boolean) IS 'internal';
COMMENT ON FUNCTION anonopt.front_tip(text, jsonb, text[]) IS 'internal';
COMMENT ON FUNCTION anonopt.curve_loss(text[]) IS 'internal';
COMMENT ON FUNCTION anonopt.draw_front(text[], jsonb[], jsonb[], jsonb[]) IS 'internal';
COMMENT ON FUNCTION anonopt.measure_cells(anonopt.node, float8) IS 'internal';
COMMENT ON FUNCTION anonopt.html_table(text[], text[]) IS 'internal';
COMMENT ON FUNCTION anonopt.html_cells(text[]) IS 'internal';
COMMENT ON FUNCTION anonopt.report_release(anonopt.reported) IS 'internal';
COMMENT ON FUNCTION anonopt.report_measure(text, regclass, jsonb) IS 'internal';
COMMENT ON FUNCTION anonopt.report_promise(anonopt.reported) IS 'internal';
COMMENT ON FUNCTION anonopt.report_uncovered(anonopt.reported) IS 'internal';
COMMENT ON FUNCTION anonopt.report_verdict(anonopt.reported, bigint) IS 'internal';
COMMENT ON FUNCTION anonopt.report_risk(anonopt.reported) IS 'internal';
COMMENT ON FUNCTION anonopt.report_utility(text, regclass) IS 'internal';
COMMENT ON FUNCTION anonopt.report_left_out(anonopt.reported) IS 'internal';
COMMENT ON FUNCTION anonopt.report_bars(anonopt.reported, text) IS 'internal';
COMMENT ON FUNCTION anonopt.percent(float8) IS 'internal';
COMMENT ON FUNCTION anonopt.people_text(float8) IS 'internal';
COMMENT ON FUNCTION anonopt.chance_text(float8) IS 'internal';
COMMENT ON FUNCTION anonopt.promise_text(text, float8, float8) IS 'internal';
COMMENT ON FUNCTION anonopt.report_others(anonopt.reported) IS 'internal';
COMMENT ON FUNCTION anonopt.rows_text(float8, jsonb) IS 'internal';
COMMENT ON FUNCTION anonopt.rows_measured(jsonb) IS 'internal';
COMMENT ON FUNCTION anonopt.levels_text(name[], int[]) IS 'internal';
COMMENT ON TYPE anonopt.reported IS 'internal';
COMMENT ON VIEW anonopt.progress IS 'running searches, in every session the caller may see';
COMMENT ON FUNCTION anonopt.progress_entries() IS 'internal: what anonopt.progress shows';
COMMENT ON FUNCTION anonopt.last_search() IS 'what this session''s last search read and measured, and how long it took';
COMMENT ON FUNCTION anonopt.k_anonymity(regclass, name[]) IS 'size of the smallest class of a relation';
COMMENT ON FUNCTION anonopt.l_diversity(regclass, name[], name) IS 'fewest distinct sensitive values in a class of a relation';
COMMENT ON FUNCTION anonopt.entropy_l_diversity(regclass, name[], name) IS 'exponential of the smallest entropy of the sensitive value in a class';
COMMENT ON FUNCTION anonopt.t_closeness(regclass, name[], name, text, regclass) IS 'largest distance between a class''s sensitive values and everyone''s';
COMMENT ON FUNCTION anonopt.risk(regclass, name[], float8, regclass, float8, name) IS 'risk of being recognized: 1 over the size of a record''s class';
COMMENT ON FUNCTION anonopt.opaque_in(cstring) IS 'internal';
COMMENT ON FUNCTION anonopt.opaque_out(anonopt.opaque) IS 'internal';
COMMENT ON FUNCTION anonopt.tuples_step(internal, anonopt.opaque, "any") IS 'internal';
COMMENT ON FUNCTION anonopt.tuples_combine(internal, internal) IS 'internal';
COMMENT ON FUNCTION anonopt.tuples_serialize(internal) IS 'internal';
COMMENT ON FUNCTION anonopt.tuples_deserialize(bytea, internal) IS 'internal';
COMMENT ON FUNCTION anonopt.tuples_final(internal) IS 'internal';
COMMENT ON FUNCTION anonopt.counts_step(internal, float8, float8) IS 'internal';
COMMENT ON FUNCTION anonopt.spread_step(internal, float8, float8) IS 'internal';
COMMENT ON FUNCTION anonopt.squares_step(internal, float8, float8) IS 'internal';
COMMENT ON FUNCTION anonopt.volume_step(internal, float8, float8) IS 'internal';
COMMENT ON FUNCTION anonopt.pairs_combine(internal, internal) IS 'internal';
COMMENT ON FUNCTION anonopt.pairs_serialize(internal) IS 'internal';
COMMENT ON FUNCTION anonopt.pairs_deserialize(bytea, internal) IS 'internal';
COMMENT ON FUNCTION anonopt.p_rank_final(internal) IS 'internal';
COMMENT ON FUNCTION anonopt.p_cov_final(internal) IS 'internal';
COMMENT ON FUNCTION anonopt.p_spr_final(internal) IS 'internal';
COMMENT ON FUNCTION anonopt.p_hv_final(internal) IS 'internal';
COMMENT ON FUNCTION anonopt.ln_p_hv_final(internal) IS 'internal';
COMMENT ON FUNCTION anonopt.p_hv_order_final(internal) IS 'internal';
COMMENT ON FUNCTION anonopt.p_binary_final(internal) IS 'internal';
COMMENT ON FUNCTION anonopt.dominance_final(internal) IS 'internal';
