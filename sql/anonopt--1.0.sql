\echo Use "CREATE EXTENSION anonopt" to load this file. \quit

-- Nothing that somebody made in the schema of CREATE EXTENSION gets into what follows.
SET LOCAL search_path = pg_catalog, pg_temp;

-- A schema of that name that somebody made before is not taken over.
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
	-- tells the relation from a later one that inherits its number
	row_type regtype NOT NULL
);

-- No foreign key: a parallel restore may fill this table first.
CREATE TABLE anonopt.attribute (
	dataset text NOT NULL,
	ordinal int NOT NULL,
	column_name name NOT NULL,
	role text NOT NULL CHECK (role IN ('quasi_identifier', 'sensitive', 'class_label', 'identifier', 'insensitive')),
	hierarchy regclass,
	weight float8 NOT NULL DEFAULT 1 CHECK (weight >= 0 AND weight < 'Infinity'),
	min_level int NOT NULL DEFAULT 0 CHECK (min_level >= 0),
	max_level int CHECK (max_level >= min_level),
	distance text NOT NULL DEFAULT 'equal' CHECK (distance IN ('equal', 'ordered', 'hierarchical')),
	sensitivity regclass,
	hierarchy_type regtype,
	sensitivity_type regtype,
	PRIMARY KEY (dataset, ordinal),
	UNIQUE (dataset, column_name, role),
	CHECK (hierarchy IS NOT NULL OR (role <> 'quasi_identifier' AND distance <> 'hierarchical'))
);

-- Whoever owns a database may restore it, and so fill these.  As their owner they could
-- give them types, rules and triggers, which would run as whoever uses or dumps them.
-- REVOKE: whatever default privileges say
REVOKE ALL ON anonopt.dataset, anonopt.attribute FROM PUBLIC;
GRANT SELECT ON anonopt.dataset, anonopt.attribute TO PUBLIC;
GRANT SELECT, INSERT, UPDATE, DELETE ON anonopt.dataset, anonopt.attribute TO pg_database_owner;

-- Whether a restore finds a relation's name when it fills these tables: not that of a
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

CREATE FUNCTION anonopt.create_dataset(dataset text, relation regclass, max_suppression float8 DEFAULT 0.01,
	person name DEFAULT NULL, count_column name DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_create_dataset' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.drop_dataset(dataset text)
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_drop_dataset' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.add_quasi_identifier(dataset text, column_name name, hierarchy regclass,
	weight float8 DEFAULT 1, min_level int DEFAULT 0, max_level int DEFAULT NULL)
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

CREATE FUNCTION anonopt.set_sensitivity(dataset text, column_name name, weights regclass)
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_set_sensitivity' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.drop_attribute(dataset text, column_name name, role text DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_drop_attribute' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.auto_dataset(dataset text, relation regclass, quasi_identifiers name[],
	OUT column_name name, OUT hierarchy regclass, OUT levels int)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_auto_dataset' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.describe(dataset text, OUT column_name name, OUT role text, OUT hierarchy regclass,
	OUT levels int, OUT domain bigint, OUT observed bigint, OUT nulls bigint, OUT weight float8, OUT problem text)
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

CREATE FUNCTION anonopt.check_hierarchy(hierarchy regclass, OUT problem text, OUT level int, OUT labels text[])
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_check_hierarchy' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.generalize(value text, hierarchy regclass, level int)
RETURNS text AS 'MODULE_PATHNAME', 'anonopt_generalize' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.generalize(value anyelement, hierarchy regclass, level int)
RETURNS text AS 'MODULE_PATHNAME', 'anonopt_generalize' LANGUAGE C STABLE PARALLEL RESTRICTED;

-- Reading -------------------------------------------------------------------

-- Handed to and by the aggregate within the extension: no SQL makes a value of it.
CREATE TYPE anonopt.opaque;

CREATE FUNCTION anonopt.opaque_in(cstring)
RETURNS anonopt.opaque AS 'MODULE_PATHNAME', 'anonopt_opaque_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION anonopt.opaque_out(anonopt.opaque)
RETURNS cstring AS 'MODULE_PATHNAME', 'anonopt_opaque_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE anonopt.opaque (INPUT = anonopt.opaque_in, OUTPUT = anonopt.opaque_out);

-- Reads a count column that is no integer, and rounds nothing.
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
	sum_other float8
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
	OUT records bigint, OUT classes bigint, OUT uniques bigint, OUT highest float8, OUT average float8,
	OUT lowest float8, OUT share_above float8)
RETURNS record AS 'MODULE_PATHNAME', 'anonopt_risk' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;

-- Searching -----------------------------------------------------------------

CREATE FUNCTION anonopt.pareto(dataset text, objectives text[] DEFAULT '{k,glm}', k int DEFAULT NULL,
	l int DEFAULT NULL, t float8 DEFAULT NULL, time_limit interval DEFAULT NULL)
RETURNS SETOF anonopt.node AS 'MODULE_PATHNAME', 'anonopt_pareto' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.optimize(dataset text, k int DEFAULT NULL, l int DEFAULT NULL, t float8 DEFAULT NULL,
	loss text DEFAULT 'glm', time_limit interval DEFAULT NULL)
RETURNS SETOF anonopt.node AS 'MODULE_PATHNAME', 'anonopt_optimize' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.poka(dataset text, loss text DEFAULT 'glm', depth int DEFAULT NULL)
RETURNS SETOF anonopt.node AS 'MODULE_PATHNAME', 'anonopt_poka' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.pbg_ea(dataset text, objectives text[] DEFAULT '{k,glm}', epsilon float8[] DEFAULT NULL,
	population int DEFAULT 25, iterations int DEFAULT 100, crossover float8 DEFAULT 0.8, mutation float8 DEFAULT NULL,
	seed bigint DEFAULT NULL, local_search float8 DEFAULT 0, max_nodes int DEFAULT NULL)
RETURNS SETOF anonopt.node AS 'MODULE_PATHNAME', 'anonopt_pbg_ea' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.archive_quality(dataset text, objectives text[], levels int[], epsilon float8[] DEFAULT NULL,
	OUT ce float8, OUT rr float8, OUT minimal bigint, OUT boxes bigint)
RETURNS record AS 'MODULE_PATHNAME', 'anonopt_archive_quality' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.box_archive(candidates float8[], epsilon float8[])
RETURNS int[] AS 'MODULE_PATHNAME', 'anonopt_box_archive' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION anonopt.last_search(OUT algorithm text, OUT dataset text, OUT rows bigint, OUT tuples bigint,
	OUT nodes numeric, OUT evaluated bigint, OUT workers int, OUT read_ms float8, OUT search_ms float8, OUT exact boolean,
	OUT seed bigint)
RETURNS record AS 'MODULE_PATHNAME', 'anonopt_last_search' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.progress_entries(OUT pid int, OUT dataset_relation regclass, OUT algorithm text,
	OUT phase text, OUT done bigint, OUT total bigint, OUT found bigint)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_progress' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

CREATE VIEW anonopt.progress AS SELECT * FROM anonopt.progress_entries();
GRANT SELECT ON anonopt.progress TO PUBLIC;

-- Preferences ---------------------------------------------------------------

CREATE FUNCTION anonopt.achievement(necd float8, nwp float8, necd_pref float8, nwp_pref float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'anonopt_achievement' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION anonopt.efficiency(dataset text, k int, necd_pref float8, nwp_pref float8, OUT levels int[],
	OUT k bigint, OUT necd float8, OUT nwp float8, OUT efficiency text, OUT ach float8, OUT pref_dev float8,
	OUT chosen boolean)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_efficiency' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.nsga2(dataset text, k int, necd_pref float8, nwp_pref float8, population int DEFAULT 100,
	evaluations int DEFAULT 50000, crossover float8 DEFAULT 0.8, mutation float8 DEFAULT 0.001,
	seed bigint DEFAULT NULL, taxonomy boolean DEFAULT false, OUT cuts varbit[], OUT groups int[], OUT k bigint,
	OUT necd float8, OUT nwp float8, OUT ach float8, OUT pref_dev float8, OUT feasible boolean, OUT chosen boolean)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_nsga2' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.reference_direction(dataset text, k int, start float8[], aspiration float8[],
	steps int DEFAULT 10, population int DEFAULT 100, evaluations int DEFAULT 50000, crossover float8 DEFAULT 0.8,
	mutation float8 DEFAULT 0.001, seed bigint DEFAULT NULL, taxonomy boolean DEFAULT false, OUT step int,
	OUT reference float8[], OUT cuts varbit[], OUT groups int[], OUT k bigint, OUT necd float8, OUT nwp float8,
	OUT ach float8, OUT pref_dev float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_reference_direction' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

-- Per record ----------------------------------------------------------------

CREATE FUNCTION anonopt.aruba(dataset text, min_utility float8, risk text DEFAULT 'sensitivity',
	utility text DEFAULT 'depth', dictionary regclass DEFAULT NULL, similarity float8 DEFAULT NULL,
	key name DEFAULT NULL, time_limit interval DEFAULT NULL)
RETURNS TABLE (record text, levels int[], generalized text[], risk float8, utility float8, visited bigint)
AS 'MODULE_PATHNAME', 'anonopt_aruba' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.btda(dataset text, min_utility float8, risk text DEFAULT 'sensitivity',
	utility text DEFAULT 'depth', dictionary regclass DEFAULT NULL, similarity float8 DEFAULT NULL,
	key name DEFAULT NULL, time_limit interval DEFAULT NULL)
RETURNS TABLE (record text, levels int[], generalized text[], risk float8, utility float8, visited bigint)
AS 'MODULE_PATHNAME', 'anonopt_btda' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.aruba_budget(dataset text, max_risk float8, risk text DEFAULT 'sensitivity',
	utility text DEFAULT 'depth', dictionary regclass DEFAULT NULL, similarity float8 DEFAULT NULL,
	key name DEFAULT NULL, time_limit interval DEFAULT NULL)
RETURNS TABLE (record text, levels int[], generalized text[], risk float8, utility float8, visited bigint)
AS 'MODULE_PATHNAME', 'anonopt_aruba_budget' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.aruba_balance(dataset text, lambda float8, risk text DEFAULT 'sensitivity',
	utility text DEFAULT 'depth', dictionary regclass DEFAULT NULL, similarity float8 DEFAULT NULL,
	key name DEFAULT NULL, time_limit interval DEFAULT NULL)
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
	OUT record text, OUT value float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_property_vector' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.compare(dataset text, a int[], b int[], properties text[] DEFAULT '{class_size,utility}',
	OUT property text, OUT index text, OUT a_over_b float8, OUT b_over_a float8, OUT better text,
	OUT a_levels int[], OUT b_levels int[])
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_compare' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.tournament(dataset text, levels int[], property text, index text)
RETURNS TABLE (levels int[], wins int, losses int, ties int)
AS 'MODULE_PATHNAME', 'anonopt_tournament' LANGUAGE C STABLE PARALLEL RESTRICTED;

-- Sums over pairs of values, a record each; what they come to is asked last.
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
CREATE TABLE anonopt.tuple_store_doubt (
	number bigint NOT NULL
);
CREATE INDEX tuple_store_doubt_number ON anonopt.tuple_store_doubt (number);
CREATE SEQUENCE anonopt.tuple_store_number;

REVOKE ALL ON anonopt.tuple_store, anonopt.tuple_store_doubt FROM PUBLIC;
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

-- Publishing ----------------------------------------------------------------

-- What was published.  A release is known by the number of its relation and row type, which
-- mean it in the database they were written in, and elsewhere by its id, which the relation's
-- comment tells.
CREATE TABLE anonopt.published (
	id uuid PRIMARY KEY,
	relation bigint NOT NULL,
	row_type bigint NOT NULL,
	made_in text NOT NULL,
	name text NOT NULL,
	form text NOT NULL CHECK (form IN ('materialized view', 'table', 'live view')),
	dataset text NOT NULL,
	levels int[] CHECK (array_ndims(levels) = 1 AND array_position(levels, NULL) IS NULL),
	cuts varbit[] CHECK (array_ndims(cuts) = 1 AND array_position(cuts, NULL) IS NULL),
	k bigint NOT NULL,
	l bigint,
	t float8,
	columns name[],
	suppressed text NOT NULL,
	statement text NOT NULL,
	key text,
	generalized name[] NOT NULL,
	sensitive name[] NOT NULL,
	hierarchies text[] NOT NULL,
	hashes text[] NOT NULL,
	measures jsonb NOT NULL,
	published_by name NOT NULL,
	published_at timestamptz NOT NULL
);

-- The classes that each snapshot showed, earlier ones of a refreshed release too: readers may have kept them.
CREATE TABLE anonopt.published_content (
	id uuid NOT NULL,
	version int NOT NULL,
	made_at timestamptz NOT NULL,
	labels text[] NOT NULL,
	people bigint[] NOT NULL CHECK (array_position(people, NULL) IS NULL),
	PRIMARY KEY (id, version)
);

REVOKE ALL ON anonopt.published, anonopt.published_content FROM PUBLIC;
GRANT SELECT, INSERT, UPDATE, DELETE ON anonopt.published, anonopt.published_content TO pg_database_owner;
SELECT pg_catalog.pg_extension_config_dump('anonopt.published', '');
SELECT pg_catalog.pg_extension_config_dump('anonopt.published_content', '');

-- No other database is called the same, but a copy of all its files.
CREATE FUNCTION anonopt.this_database() RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT s.system_identifier || '/' || d.oid FROM pg_catalog.pg_control_system() s, pg_catalog.pg_database d
	WHERE d.datname = current_database();
END;

-- The comment is believed only of a relation that belongs to whoever published it or, where they are
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

-- Of whom the caller is a member; names of roles may be gone after a restore.
CREATE VIEW anonopt.release WITH (security_barrier) AS
SELECT COALESCE(r.found, p.relation::oid)::regclass AS release, p.dataset, p.levels, p.cuts, p.k, p.l, p.t, p.measures,
	p.published_by, p.published_at, r.found IS NULL AS dropped, p.name, p.form
FROM anonopt.published p CROSS JOIN LATERAL (SELECT anonopt.find_release(p.id, p.relation, p.row_type, p.made_in, p.published_by) AS found) r
WHERE EXISTS (SELECT FROM pg_catalog.pg_roles o WHERE o.rolname = p.published_by AND pg_has_role(o.oid, 'MEMBER'))
	OR has_table_privilege('anonopt.published', 'SELECT');
GRANT SELECT ON anonopt.release TO PUBLIC;

CREATE FUNCTION anonopt.creation_name(name text)
RETURNS text AS 'MODULE_PATHNAME', 'anonopt_creation_name' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.release_query(dataset text, levels int[], cuts varbit[], k int, l int, t float8, columns name[],
	star boolean, snapshot boolean, OUT statement text, OUT promised_k bigint, OUT measures text, OUT generalized name[],
	OUT sensitive name[], OUT uncovered name[])
RETURNS record AS 'MODULE_PATHNAME', 'anonopt_release_query' LANGUAGE C STABLE PARALLEL RESTRICTED;

-- A release is made like an index: with the memory for that; labels look the same whatever the caller's settings.
CREATE FUNCTION anonopt.fill_release(dataset text, levels int[], cuts varbit[], k int, l int, t float8, columns name[],
	star boolean, snapshot boolean, form text, name text, OUT statement text, OUT promised_k bigint, OUT measures text,
	OUT generalized name[], OUT sensitive name[], OUT uncovered name[], OUT definition text, OUT key text,
	OUT labels text[], OUT people bigint[])
RETURNS record AS 'MODULE_PATHNAME', 'anonopt_fill_release' LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	SET datestyle = 'ISO, MDY' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = '1' SET bytea_output = 'hex';

CREATE FUNCTION anonopt.release_entry(release regclass)
RETURNS text AS 'MODULE_PATHNAME', 'anonopt_release_entry' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.write_release(what text, release regclass, entry text)
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_write_release' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

CREATE FUNCTION anonopt.write_content(release regclass, labels text[], people bigint[])
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_write_content' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

-- The entry of a release, or an error.
CREATE FUNCTION anonopt.known_release(release regclass) RETURNS anonopt.published
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	entry text := anonopt.release_entry(release);
BEGIN
	IF entry IS NULL THEN
		RAISE EXCEPTION 'relation % is no release of anonopt', release
			USING ERRCODE = '42704', HINT = 'See anonopt.release.';
	END IF;
	-- another relation of that name would be no release
	IF entry::jsonb ->> 'form' IS DISTINCT FROM (SELECT CASE c.relkind WHEN 'm' THEN 'materialized view' WHEN 'r' THEN 'table' WHEN 'v' THEN 'live view' END
			FROM pg_class c WHERE c.oid = release) THEN
		RAISE EXCEPTION 'relation % is no longer what was published', release
			USING ERRCODE = '23514', HINT = 'Drop it and publish anew.';
	END IF;
	RETURN jsonb_populate_record(NULL::anonopt.published, entry::jsonb);
END $$;

CREATE FUNCTION anonopt.hierarchy_hash(hierarchy regclass) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
	SET datestyle = 'ISO, MDY' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = '1' SET bytea_output = 'hex' AS $$
DECLARE
	hash text;
BEGIN
	EXECUTE format('SELECT encode(sha256(convert_to(coalesce(string_agg(h::text, E''\n'' ORDER BY h::text COLLATE "C"), ''''), ''UTF8'')), ''hex'') FROM %s h',
		hierarchy) INTO hash;
	RETURN hash;
END $$;

-- A release rests on hierarchies whose leaves cannot be doubled and that are the publisher's.
CREATE FUNCTION anonopt.check_release_hierarchy(hierarchy regclass, column_name name) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	class pg_class := (SELECT c FROM pg_class c WHERE c.oid = hierarchy);
	leaf int2 := (SELECT min(attnum) FROM pg_attribute WHERE attrelid = hierarchy AND attnum > 0 AND NOT attisdropped);
	is_range boolean := (SELECT y.typtype = 'r' FROM pg_attribute a JOIN pg_type y ON y.oid = a.atttypid
		WHERE a.attrelid = hierarchy AND a.attnum = leaf);
BEGIN
	IF class.relkind <> 'r' OR class.relhassubclass OR NOT pg_has_role(class.relowner, 'MEMBER') THEN
		RAISE EXCEPTION 'hierarchy % of column "%" is not an ordinary table of yours', hierarchy, column_name
			USING ERRCODE = '23514', DETAIL = 'Whoever may change it could lift a class of one.',
				HINT = 'Copy it to a table of your own and declare the column with that.';
	END IF;
	IF NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = hierarchy AND i.indisunique AND i.indisvalid AND i.indimmediate
			AND i.indnkeyatts = 1 AND i.indkey[0] = leaf AND i.indpred IS NULL AND NOT is_range)
		AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conrelid = hierarchy AND c.contype = 'x' AND c.conkey = ARRAY[leaf]
			AND c.conexclop = ARRAY['pg_catalog.&&(anyrange,anyrange)'::regoperator::oid] AND NOT c.condeferrable
			AND EXISTS (SELECT FROM pg_index i WHERE i.indexrelid = c.conindid AND i.indpred IS NULL AND i.indisvalid))
	THEN
		RAISE EXCEPTION 'hierarchy % of column "%" could hold a leaf twice', hierarchy, column_name
			USING ERRCODE = '23514', HINT = CASE WHEN is_range THEN 'Add an exclusion constraint: EXCLUDE USING gist (... WITH &&).'
				ELSE 'Add a primary key or a unique index on its first column.' END;
	END IF;
END $$;

-- Whether a relation is a release, or a view that reads one.
CREATE FUNCTION anonopt.reads_release(relation regclass) RETURNS boolean
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	WITH RECURSIVE source (oid) AS (
		SELECT relation::oid
		UNION
		SELECT d.refobjid FROM source s
		JOIN pg_rewrite w ON w.ev_class = s.oid
		JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
			AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> s.oid)
	SELECT EXISTS (SELECT FROM source s JOIN pg_description d ON d.objoid = s.oid AND d.classoid = 'pg_class'::regclass
		AND d.objsubid = 0 AND starts_with(d.description, 'anonopt release '))
$$;

-- A column shown as it is must not single people out.
CREATE FUNCTION anonopt.check_release_column(dataset text, relation regclass, column_name name, k bigint) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	roles text[] := ARRAY(SELECT a.role FROM anonopt.attribute a
		WHERE a.dataset = check_release_column.dataset AND a.column_name = check_release_column.column_name);
	rare bigint;
	all_values bigint;
BEGIN
	IF 'identifier' = ANY (roles) THEN
		RAISE EXCEPTION 'column "%" is an identifier and is never published', column_name
			USING ERRCODE = '22023';
	END IF;
	IF roles && '{quasi_identifier,sensitive,class_label,insensitive}' THEN
		RETURN;
	END IF;
	EXECUTE format('SELECT coalesce(sum(n) FILTER (WHERE n < $1), 0), coalesce(sum(n), 0) FROM
		(SELECT count(*) AS n FROM %s r WHERE r.%I IS NOT NULL GROUP BY r.%2$I) g', relation, column_name)
		INTO rare, all_values USING k;
	IF rare > 0.01 * all_values THEN
		RAISE EXCEPTION 'column "%" would single people out', column_name
			USING ERRCODE = '22023', DETAIL = format('%s of its %s values occur fewer than %s times.', rare, all_values, k),
				HINT = 'Declare it as a quasi-identifier, or say anonopt.set_insensitive if it may be published as it is.';
	END IF;
END $$;

CREATE FUNCTION anonopt.star_argument(suppressed text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF suppressed IS NULL OR suppressed NOT IN ('omit', 'star') THEN
		RAISE EXCEPTION 'unknown way to suppress "%"', suppressed
			USING ERRCODE = '22023', HINT = 'Rows are suppressed by omit or star.';
	END IF;
	RETURN suppressed = 'star';
END $$;

-- What is asked of a release before there is one.
CREATE FUNCTION anonopt.check_release(dataset text, t float8) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	source regclass := (SELECT d.relation FROM anonopt.dataset d WHERE d.dataset = check_release.dataset);
	attribute anonopt.attribute;
BEGIN
	IF anonopt.reads_release(source) THEN
		RAISE EXCEPTION 'relation % shows a release already', source
			USING ERRCODE = '22023', HINT = 'Generalize from the source of that release.';
	END IF;
	FOR attribute IN SELECT a.* FROM anonopt.attribute a WHERE a.dataset = check_release.dataset AND a.role = 'identifier'
			AND EXISTS (SELECT FROM anonopt.attribute o WHERE o.dataset = a.dataset AND o.column_name = a.column_name
				AND o.role IN ('quasi_identifier', 'sensitive', 'class_label')) LOOP
		RAISE EXCEPTION 'column "%" is an identifier and is never published', attribute.column_name
			USING ERRCODE = '22023', HINT = 'Take one of its roles from it with anonopt.drop_attribute.';
	END LOOP;
	FOR attribute IN SELECT a.* FROM anonopt.attribute a WHERE a.dataset = check_release.dataset AND a.hierarchy IS NOT NULL
			AND (a.role = 'quasi_identifier' OR (a.role = 'sensitive' AND t IS NOT NULL)) LOOP
		PERFORM anonopt.check_release_hierarchy(attribute.hierarchy, attribute.column_name);
	END LOOP;
END $$;

-- And of the columns that are shown as they are, once k is known.
CREATE FUNCTION anonopt.check_release_columns(dataset text, columns name[], k bigint) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	shown name;
BEGIN
	IF EXISTS (SELECT FROM unnest(columns) c WHERE c IS NULL) THEN
		RAISE EXCEPTION 'columns must not be null' USING ERRCODE = '22023';
	END IF;
	FOREACH shown IN ARRAY coalesce(columns, '{}') LOOP
		PERFORM anonopt.check_release_column(dataset, (SELECT d.relation FROM anonopt.dataset d
			WHERE d.dataset = check_release_columns.dataset), shown, k);
	END LOOP;
END $$;

CREATE FUNCTION anonopt.view_sql(view_name text, dataset text, levels int[] DEFAULT NULL, cuts varbit[] DEFAULT NULL,
	k int DEFAULT NULL, l int DEFAULT NULL, columns name[] DEFAULT NULL, materialized boolean DEFAULT true,
	suppressed text DEFAULT 'omit', t float8 DEFAULT NULL) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	query record;
BEGIN
	SELECT * INTO query FROM anonopt.release_query(dataset, levels, cuts, k, l, t, columns, anonopt.star_argument(suppressed),
		coalesce(materialized, true));
	PERFORM anonopt.check_release(dataset, t);
	PERFORM anonopt.check_release_columns(dataset, columns, query.promised_k);
	RETURN query.statement;
END $$;

-- What a release promises of which columns, for its comment.
CREATE FUNCTION anonopt.release_comment(entry anonopt.published, uncovered name[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT concat('anonopt release ', entry.id, ': k = ', entry.k, ' by ', array_to_string(entry.generalized, ', '),
		'; l = ' || entry.l || ' in ' || array_to_string(entry.sensitive, ', '),
		'; t = ' || entry.t || ' in ' || array_to_string(entry.sensitive, ', '),
		'; no promise covers: ' || nullif(array_to_string(uncovered
			|| CASE WHEN entry.l IS NULL AND entry.t IS NULL THEN entry.sensitive ELSE '{}'::name[] END, ', '), ''), '.')
$$;

-- The classes that a snapshot shows, by their labels.
CREATE FUNCTION anonopt.keep_content(release regclass, entry anonopt.published) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	SET datestyle = 'ISO, MDY' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = '1' SET bytea_output = 'hex' AS $$
DECLARE
	labels text := (SELECT string_agg(format('r.%I', q), ', ') FROM unnest(entry.generalized) q);
	shown text[];
	people bigint[];
BEGIN
	EXECUTE format('SELECT coalesce(array_agg(c.labels), ''{}''), coalesce(array_agg(c.people), ''{}'')
		FROM (SELECT ARRAY[%s]::text[] AS labels, count(*) AS people FROM %s r %s GROUP BY %1$s) c', labels, release,
		CASE WHEN entry.suppressed = 'star' THEN 'WHERE NOT r.anonopt_suppressed' ELSE '' END) INTO shown, people;
	PERFORM anonopt.write_content(release, shown, people);
END $$;

CREATE FUNCTION anonopt.known_risk(dataset text, known_only boolean, OUT releases regclass[], OUT k bigint, OUT smallest bigint)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_release_risk' LANGUAGE C STABLE PARALLEL RESTRICTED;

-- Readers may learn more from several releases than from one.
CREATE FUNCTION anonopt.warn_of_combination(dataset text, k bigint) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	risk record;
BEGIN
	SELECT min(r.smallest) AS smallest INTO risk FROM anonopt.known_risk(dataset, true) r;
	IF risk.smallest < k THEN
		RAISE WARNING 'together, the releases of data set "%" single out classes of %', dataset, risk.smallest
			USING DETAIL = format('%s is promised.', k), HINT = 'See anonopt.release_risk; drop this release or make it by the same levels as the others.';
	END IF;
END $$;

-- A name after a live view's, cut to be as long as there may be, that no function of its kind has.
CREATE FUNCTION anonopt.rows_function_name(schema name, view name) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	name text := concat(view, '_rows');
	tried int := 0;
BEGIN
	LOOP
		WHILE octet_length(name) > current_setting('max_identifier_length')::int LOOP
			view := left(view, -1);
			name := concat(view, '_rows', nullif(tried, 0));
		END LOOP;
		EXIT WHEN to_regprocedure(format('%I.%I()', schema, name)) IS NULL;
		tried := tried + 1;
		name := concat(view, '_rows', tried);
	END LOOP;
	RETURN format('%I.%I', schema, name);
END $$;

-- A live view is read through a function of its owner's, so that no filter, function or plan reaches a hidden row.
-- At every reading it refuses whoever may write what it reads, as any role that is open to them.
CREATE FUNCTION anonopt.create_live(name text, source regclass, entry anonopt.published, definition text) RETURNS regclass
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	-- to check a body is to keep it as long as the session lasts, and the statement in it has been tried
	SET check_function_bodies = off AS $$
DECLARE
	parts text[] := parse_ident(name);
	rows_function text := anonopt.rows_function_name(parts[1], parts[2]);
	guarded text := (SELECT string_agg(format('%L::regclass', g), ', ') FROM unnest(ARRAY[source::text] || entry.hierarchies || entry.key) g WHERE g IS NOT NULL);
	shape text;
	shown text;
BEGIN
	IF (SELECT c.relkind <> 'r' OR c.relhassubclass OR c.relispartition FROM pg_class c WHERE c.oid = source)
			OR EXISTS (SELECT FROM anonopt.dataset d WHERE d.dataset = entry.dataset AND d.person IS NOT NULL) THEN
		RAISE EXCEPTION 'relation % cannot be published live', source
			USING ERRCODE = '22023', DETAIL = 'A live view is made of a plain table, a row a person.',
				HINT = 'Publish a snapshot instead: materialized => true.';
	END IF;
	IF EXISTS (SELECT FROM pg_class c WHERE c.oid = source AND (c.relrowsecurity OR c.relforcerowsecurity)) THEN
		RAISE EXCEPTION 'row security applies to %', source
			USING ERRCODE = '22023', HINT = 'Publish a snapshot instead: materialized => true.';
	END IF;
	IF has_any_column_privilege('public', source, 'INSERT, UPDATE') OR has_table_privilege('public', source, 'DELETE, TRUNCATE') THEN
		RAISE EXCEPTION 'everybody may write %', source
			USING ERRCODE = '22023', DETAIL = 'A reader who can add rows can lift a class of one.',
				HINT = 'Publish a snapshot instead: materialized => true.';
	END IF;
	EXECUTE format('CREATE VIEW %s AS %s', name, definition);
	SELECT string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', ' ORDER BY a.attnum),
		string_agg(format('%I', a.attname) || CASE WHEN a.attname = ANY (entry.generalized) THEN format(' COLLATE pg_catalog."C" AS %I', a.attname) ELSE '' END,
			', ' ORDER BY a.attnum)
	INTO shape, shown FROM pg_attribute a WHERE a.attrelid = name::regclass AND a.attnum > 0 AND NOT a.attisdropped;
	EXECUTE format('DROP VIEW %s', name);
	EXECUTE format('CREATE FUNCTION %s() RETURNS TABLE (%s) LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED'
		' SET search_path = pg_catalog, pg_temp SET work_mem = ''64MB'' SET datestyle = ''ISO, MDY'' SET intervalstyle = ''postgres'''
		' SET timezone = ''UTC'' SET extra_float_digits = ''1'' SET bytea_output = ''hex'' AS %L', rows_function, shape, format('
#variable_conflict use_column
BEGIN
	IF EXISTS (SELECT FROM pg_class c WHERE c.oid = %1$L::regclass AND (c.relrowsecurity OR c.relforcerowsecurity OR c.relhassubclass)) THEN
		RAISE EXCEPTION ''the source of a live release has changed'' USING ERRCODE = ''42501'';
	END IF;
	IF NOT EXISTS (SELECT FROM pg_rewrite e JOIN pg_depend d ON d.classid = ''pg_rewrite''::regclass AND d.objid = e.oid
			WHERE e.ev_class = to_regclass(%4$L) AND d.refclassid = ''pg_proc''::regclass AND d.refobjid = to_regprocedure(%5$L)) THEN
		RAISE EXCEPTION ''the live release has been dropped'' USING ERRCODE = ''42501'';
	END IF;
	IF NOT has_table_privilege(session_user, %1$L::regclass, ''SELECT'') AND EXISTS (
			WITH RECURSIVE writable (w) AS (
				SELECT g::oid FROM unnest(ARRAY[%2$s]) g
				UNION
				SELECT e.ev_class FROM writable v
				JOIN pg_depend d ON d.refclassid = ''pg_class''::regclass AND d.refobjid = v.w AND d.classid = ''pg_rewrite''::regclass
				JOIN pg_rewrite e ON e.oid = d.objid)
			SELECT FROM pg_roles o CROSS JOIN writable
			WHERE pg_has_role(session_user, o.oid, ''MEMBER'') AND (has_any_column_privilege(o.oid, w, ''INSERT, UPDATE'')
				OR has_table_privilege(o.oid, w, ''DELETE, TRUNCATE''))) THEN
		RAISE EXCEPTION ''whoever may write the source of a live release may not read it'' USING ERRCODE = ''42501'';
	END IF;
	RETURN QUERY %3$s;
END', source::text, guarded, definition, name, rows_function || '()'));
	EXECUTE format('REVOKE ALL ON FUNCTION %s() FROM PUBLIC', rows_function);
	EXECUTE format('CREATE VIEW %s WITH (security_barrier) AS SELECT %s FROM %s()', name, shown, rows_function);
	RAISE WARNING 'a live view promises one reading by one reader'
		USING DETAIL = 'Two readings around a change can tell more.',
			HINT = format('Grant SELECT on the view together with EXECUTE on function %s(); or publish a snapshot.', rows_function);
	RETURN name::regclass;
END $$;

-- Takes from everybody but its owner what default privileges may have given.
CREATE FUNCTION anonopt.keep_private(relation regclass) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	grantee oid;
BEGIN
	FOR grantee IN SELECT DISTINCT a.grantee FROM pg_class c CROSS JOIN aclexplode(c.relacl) a WHERE c.oid = relation AND a.grantee <> c.relowner LOOP
		EXECUTE format('REVOKE ALL ON %s FROM %s', relation, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END);
	END LOOP;
END $$;

-- Tells what a relation is a release of, and whether it is one too many.
CREATE FUNCTION anonopt.note_release(release regclass, entry anonopt.published, uncovered name[]) RETURNS regclass
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	EXECUTE format('COMMENT ON %s %s IS %L', CASE entry.form WHEN 'live view' THEN 'VIEW' ELSE upper(entry.form) END, release,
		anonopt.release_comment(entry, uncovered));
	PERFORM anonopt.write_release('entry', release, to_jsonb(entry)::text);
	RETURN release;
END $$;

CREATE FUNCTION anonopt.publish(name text, form text, dataset text, levels int[], cuts varbit[], k int, l int, columns name[],
	suppressed text, t float8) RETURNS regclass
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET work_mem = '64MB' AS $$
DECLARE
	entry anonopt.published;
	query record;
	made regclass;
BEGIN
	PERFORM set_config('work_mem', current_setting('maintenance_work_mem'), true);
	SELECT * INTO query FROM anonopt.fill_release(dataset, levels, cuts, k, l, t, columns, anonopt.star_argument(suppressed),
		form <> 'live view', form, name);
	PERFORM anonopt.check_release(dataset, t);
	entry.id := gen_random_uuid();
	IF query.key IS NOT NULL THEN
		PERFORM anonopt.keep_private(query.key::regclass);
		-- by which drop_release knows it, whatever it is called then
		EXECUTE format('COMMENT ON TABLE %s IS %L', query.key, 'key of anonopt release ' || entry.id);
	END IF;
	PERFORM anonopt.check_release_columns(dataset, columns, query.promised_k);
	entry.form := form;
	entry.dataset := dataset;
	-- one dimension, however the node was given
	IF levels IS NOT NULL THEN
		entry.levels := ARRAY(SELECT v FROM unnest(levels) WITH ORDINALITY x (v, i) ORDER BY i);
	END IF;
	IF cuts IS NOT NULL THEN
		entry.cuts := ARRAY(SELECT v FROM unnest(cuts) WITH ORDINALITY x (v, i) ORDER BY i);
	END IF;
	entry.k := query.promised_k;
	entry.l := l;
	entry.t := t;
	entry.columns := columns;
	entry.suppressed := suppressed;
	entry.statement := query.statement;
	entry.key := query.key;
	entry.generalized := query.generalized;
	entry.sensitive := query.sensitive;
	SELECT array_agg(a.hierarchy::regclass::text ORDER BY a.role, a.ordinal), array_agg(anonopt.hierarchy_hash(a.hierarchy) ORDER BY a.role, a.ordinal)
	INTO entry.hierarchies, entry.hashes
	FROM anonopt.attribute a WHERE a.dataset = publish.dataset AND a.hierarchy IS NOT NULL
		AND (a.role = 'quasi_identifier' OR (a.role = 'sensitive' AND publish.t IS NOT NULL));
	entry.measures := query.measures::jsonb;
	IF form = 'live view' THEN
		made := anonopt.note_release(anonopt.create_live(name, (SELECT d.relation FROM anonopt.dataset d WHERE d.dataset = publish.dataset), entry, query.definition),
			entry, query.uncovered);
	ELSE
		made := anonopt.note_release(name::regclass, entry, query.uncovered);
		IF query.labels IS NOT NULL THEN
			PERFORM anonopt.write_content(made, query.labels, query.people);
		ELSE
			PERFORM anonopt.keep_content(made, entry);
		END IF;
	END IF;
	PERFORM anonopt.warn_of_combination(dataset, entry.k);
	RETURN made;
END $$;

-- These alone see the caller's search_path, for the name of what is made.
CREATE FUNCTION anonopt.create_view(view_name text, dataset text, levels int[] DEFAULT NULL, cuts varbit[] DEFAULT NULL,
	k int DEFAULT NULL, l int DEFAULT NULL, columns name[] DEFAULT NULL, materialized boolean DEFAULT true,
	suppressed text DEFAULT 'omit', t float8 DEFAULT NULL) RETURNS regclass
LANGUAGE sql VOLATILE PARALLEL UNSAFE
BEGIN ATOMIC
	SELECT anonopt.publish(anonopt.creation_name(view_name), CASE WHEN materialized IS DISTINCT FROM false THEN 'materialized view' ELSE 'live view' END,
		dataset, levels, cuts, k, l, columns, suppressed, t);
END;

CREATE FUNCTION anonopt.publish_table(table_name text, dataset text, levels int[] DEFAULT NULL, cuts varbit[] DEFAULT NULL,
	k int DEFAULT NULL, l int DEFAULT NULL, columns name[] DEFAULT NULL, suppressed text DEFAULT 'omit', t float8 DEFAULT NULL)
RETURNS regclass
LANGUAGE sql VOLATILE PARALLEL UNSAFE
BEGIN ATOMIC
	SELECT anonopt.publish(anonopt.creation_name(table_name), 'table', dataset, levels, cuts, k, l, columns, suppressed, t);
END;

-- Only as the very owner: what a relation of another's holds, triggers and all, must not run as somebody mightier.
CREATE FUNCTION anonopt.check_owner(release regclass) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	owner name := (SELECT o.rolname FROM pg_class c JOIN pg_roles o ON o.oid = c.relowner WHERE c.oid = release);
BEGIN
	IF owner IS DISTINCT FROM current_user THEN
		RAISE EXCEPTION 'must be owner of release %', release
			USING ERRCODE = '42501', HINT = format('If you are a member of it, SET ROLE %I first.', owner);
	END IF;
END $$;

-- Which of a release's hierarchies are no longer what they were.
CREATE FUNCTION anonopt.changed_hierarchies(entry anonopt.published) RETURNS text[]
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	changed text[] := '{}';
BEGIN
	FOR i IN 1 .. cardinality(entry.hierarchies) LOOP
		IF to_regclass(entry.hierarchies[i]) IS NULL
				OR anonopt.hierarchy_hash(to_regclass(entry.hierarchies[i])) <> entry.hashes[i] THEN
			changed := changed || entry.hierarchies[i];
		END IF;
	END LOOP;
	RETURN changed;
END $$;

CREATE FUNCTION anonopt.refresh_release(release regclass) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	SET datestyle = 'ISO, MDY' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = '1' SET bytea_output = 'hex' SET work_mem = '64MB' AS $$
DECLARE
	entry anonopt.published := anonopt.known_release(release);
	changed text[] := anonopt.changed_hierarchies(entry);
	query record;
	statement text;
BEGIN
	PERFORM anonopt.check_owner(release);
	PERFORM set_config('work_mem', current_setting('maintenance_work_mem'), true);
	IF entry.form = 'live view' THEN
		RAISE EXCEPTION 'release % is a live view: there is nothing to refresh', release USING ERRCODE = '22023';
	END IF;
	IF changed <> '{}' THEN
		RAISE EXCEPTION 'hierarchies of release % have changed since', release
			USING ERRCODE = '23514', DETAIL = array_to_string(changed, ', '), HINT = 'Drop the release and publish anew.';
	END IF;
	IF num_nonnulls(entry.levels, entry.cuts) > 0 THEN
		SELECT * INTO query FROM anonopt.release_query(entry.dataset, entry.levels, entry.cuts, entry.k::int, entry.l::int, entry.t,
			entry.columns, entry.suppressed = 'star', true);
		PERFORM anonopt.check_release(entry.dataset, entry.t);
		PERFORM anonopt.check_release_columns(entry.dataset, entry.columns, entry.k);
		IF query.statement <> entry.statement THEN
			RAISE EXCEPTION 'release % would be made in another way now', release
				USING ERRCODE = '23514', DETAIL = 'The declaration has changed, or values or NULLs have come that change what is shown.',
					HINT = 'Drop the release and publish anew.';
		END IF;
		PERFORM anonopt.write_release('measures', release, query.measures);
		statement := query.statement;
	ELSE
		PERFORM anonopt.check_release(entry.dataset, NULL);
		PERFORM anonopt.check_release_columns(entry.dataset, entry.columns, entry.k);
		-- built anew: no statement that was written down is ever run
		statement := anonopt.records_statement(entry.dataset, (entry.measures ->> 'min_utility')::float8, (entry.measures ->> 'key')::name, entry.k::int,
			entry.measures ->> 'risk', entry.measures ->> 'utility', anonopt.records_columns(entry.dataset, entry.columns));
		IF statement <> entry.statement THEN
			RAISE EXCEPTION 'release % would be made in another way now', release
				USING ERRCODE = '23514', HINT = 'Drop the release and publish anew.';
		END IF;
	END IF;
	IF entry.form = 'table' THEN
		EXECUTE format('TRUNCATE %s', release);
		EXECUTE format('INSERT INTO %s %s', release, statement);
	ELSE
		EXECUTE format('REFRESH MATERIALIZED VIEW %s', release);
	END IF;
	IF num_nonnulls(entry.levels, entry.cuts) > 0 THEN
		PERFORM anonopt.keep_content(release, entry);
	END IF;
	PERFORM anonopt.warn_of_combination(entry.dataset, entry.k);
END $$;

CREATE FUNCTION anonopt.drop_release(release regclass) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	entry anonopt.published := anonopt.known_release(release);
	-- the owner's, whatever somebody else may say of a table of theirs
	keys regclass[] := ARRAY(SELECT c.oid FROM pg_description d JOIN pg_class c ON c.oid = d.objoid
		WHERE d.classoid = 'pg_class'::regclass AND d.objsubid = 0 AND d.description = 'key of anonopt release ' || entry.id
			AND c.relkind = 'r' AND c.relowner = (SELECT r.relowner FROM pg_class r WHERE r.oid = release));
	key regclass;
	rows_function regprocedure;
BEGIN
	IF entry.form = 'live view' THEN
		rows_function := (SELECT d.refobjid FROM pg_rewrite w JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
			AND d.refclassid = 'pg_proc'::regclass JOIN pg_proc p ON p.oid = d.refobjid
			JOIN pg_class c ON c.oid = w.ev_class AND c.relowner = p.proowner
			WHERE w.ev_class = release AND p.pronargs = 0 AND p.prosecdef LIMIT 1);
		EXECUTE format('DROP VIEW %s', release);
		IF rows_function IS NOT NULL THEN
			EXECUTE format('DROP FUNCTION %s', rows_function);
		END IF;
	ELSE
		EXECUTE format('DROP %s %s', upper(entry.form), release);
	END IF;
	FOREACH key IN ARRAY keys LOOP
		EXECUTE format('DROP TABLE %s', key);
	END LOOP;
END $$;

-- Measured anew on the release itself, by plain SQL.
CREATE FUNCTION anonopt.verify(release regclass, OUT promised_k bigint, OUT k bigint, OUT promised_l bigint, OUT l bigint,
	OUT rows bigint, OUT ok boolean) RETURNS record
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	entry anonopt.published := anonopt.known_release(release);
	changed text[] := anonopt.changed_hierarchies(entry);
	classes text := (SELECT string_agg(format('r.%I', q), ', ') FROM unnest(entry.generalized) q)
		|| CASE WHEN entry.suppressed = 'star' THEN ', r.anonopt_suppressed' ELSE '' END;
	least_values text := (SELECT string_agg(format('count(DISTINCT r.%I) + (count(*) > count(r.%1$I))::int', s), ', ') FROM unnest(entry.sensitive) s);
BEGIN
	-- a superuser may: tables and materialized views run no code when they are read
	IF entry.form = 'live view' OR NOT (SELECT o.rolsuper FROM pg_roles o WHERE o.rolname = current_user) THEN
		PERFORM anonopt.check_owner(release);
	END IF;
	promised_k := entry.k;
	promised_l := entry.l;
	EXECUTE format('SELECT min(c.people), min(c.least), coalesce(sum(c.people), 0)::bigint FROM
		(SELECT count(*) AS people, %s::bigint AS least FROM %s r GROUP BY %s) c',
		coalesce('least(' || least_values || ')', 'NULL'), release, classes) INTO k, l, rows;
	ok := changed = '{}' AND coalesce(k >= promised_k, true) AND coalesce(l >= promised_l, rows = 0 OR promised_l IS NULL OR entry.sensitive = '{}');
	IF changed <> '{}' THEN
		RAISE NOTICE 'hierarchies of release % have changed since: %', release, array_to_string(changed, ', ');
	END IF;
END $$;

CREATE FUNCTION anonopt.release_risk(dataset text, OUT releases regclass[], OUT k bigint, OUT smallest bigint)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_release_risk' LANGUAGE C STABLE PARALLEL RESTRICTED;

-- A table of per-record generalizations: columns of labels, and what else is shown, joined by a key.
CREATE FUNCTION anonopt.records_statement(dataset text, min_utility float8, key name, k int, risk text, utility text,
	shown name[]) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	source regclass := (SELECT d.relation FROM anonopt.dataset d WHERE d.dataset = records_statement.dataset);
	qis name[] := ARRAY(SELECT a.column_name FROM anonopt.attribute a
		WHERE a.dataset = records_statement.dataset AND a.role = 'quasi_identifier' ORDER BY a.ordinal);
	labels text := (SELECT string_agg(format('g.%I', q), ', ' ORDER BY i) FROM unnest(qis) WITH ORDINALITY x (q, i));
	others text := (SELECT string_agg(format(', r.%I', s), '' ORDER BY i) FROM unnest(shown) WITH ORDINALITY x (s, i));
	names text := (SELECT string_agg(format('s.%I', n), ', ' ORDER BY i) FROM unnest(qis || shown) WITH ORDINALITY x (n, i));
BEGIN
	RETURN format($sql$SELECT %1$s
FROM (
	SELECT %2$s%3$s, pg_catalog.count(*) OVER (PARTITION BY %2$s) AS anonopt_size
	FROM anonopt.aruba(%4$L, %5$L::pg_catalog.float8, %6$L, %7$L, key => %8$L) a
	JOIN %9$s r ON r.%8$I::pg_catalog.text OPERATOR(pg_catalog.=) a.record
	CROSS JOIN LATERAL anonopt.unpack(a.generalized) AS g (%10$s)
	WHERE a.levels IS NOT NULL
) s
WHERE s.anonopt_size OPERATOR(pg_catalog.>=) %11$s
ORDER BY %12$s, pg_catalog.random()$sql$, names, labels, coalesce(others, ''), dataset, min_utility, risk, utility, key, source,
		(SELECT string_agg(format('%I pg_catalog.text', q), ', ' ORDER BY i) FROM unnest(qis) WITH ORDINALITY x (q, i)), k,
		(SELECT string_agg(format('s.%I', q), ', ' ORDER BY i) FROM unnest(qis) WITH ORDINALITY x (q, i)));
END $$;

-- What is shown beside the labels.
CREATE FUNCTION anonopt.records_columns(dataset text, columns name[]) RETURNS name[]
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT ARRAY(SELECT a.attname FROM pg_attribute a
		WHERE a.attrelid = (SELECT s.relation FROM anonopt.dataset s WHERE s.dataset = records_columns.dataset)
		AND a.attnum > 0 AND NOT a.attisdropped
		AND (a.attname = ANY (columns) OR EXISTS (SELECT FROM anonopt.attribute d WHERE d.dataset = records_columns.dataset
			AND d.column_name = a.attname AND d.role IN ('sensitive', 'class_label')))
		AND NOT EXISTS (SELECT FROM anonopt.attribute d WHERE d.dataset = records_columns.dataset
			AND d.column_name = a.attname AND d.role = 'quasi_identifier') ORDER BY a.attnum)
$$;

CREATE FUNCTION anonopt.publish_record_rows(name text, dataset text, min_utility float8, key name, k int, risk text, utility text,
	columns name[]) RETURNS regclass
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET work_mem = '64MB'
	SET datestyle = 'ISO, MDY' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = '1' SET bytea_output = 'hex' AS $$
DECLARE
	entry anonopt.published;
	shown name[];
BEGIN
	IF k IS NULL OR k < 1 THEN
		RAISE EXCEPTION 'k must be at least 1, not %', k USING ERRCODE = '22023';
	END IF;
	IF coalesce(key, '') = '' THEN
		RAISE EXCEPTION 'argument "key" must name a column' USING ERRCODE = '22023';
	END IF;
	PERFORM set_config('work_mem', current_setting('maintenance_work_mem'), true);
	-- first what is wrong with the declaration, then with the caller's rights, and only then what else
	PERFORM anonopt.lattice_size(dataset);
	EXECUTE format('SELECT FROM %s LIMIT 0', (SELECT d.relation FROM anonopt.dataset d WHERE d.dataset = publish_record_rows.dataset));
	PERFORM anonopt.check_release(dataset, NULL);
	PERFORM anonopt.check_release_columns(dataset, columns, k);
	entry.sensitive := ARRAY(SELECT a.column_name FROM anonopt.attribute a WHERE a.dataset = publish_record_rows.dataset
		AND a.role = 'sensitive' AND NOT EXISTS (SELECT FROM anonopt.attribute q WHERE q.dataset = a.dataset
			AND q.column_name = a.column_name AND q.role = 'quasi_identifier') ORDER BY a.ordinal);
	shown := anonopt.records_columns(dataset, columns);
	entry.id := gen_random_uuid();
	entry.form := 'table';
	entry.dataset := dataset;
	entry.k := k;
	entry.columns := columns;
	entry.suppressed := 'omit';
	entry.statement := anonopt.records_statement(dataset, min_utility, key, k, risk, utility, shown);
	SELECT array_agg(a.column_name ORDER BY a.ordinal), array_agg(a.hierarchy::regclass::text ORDER BY a.ordinal),
		array_agg(anonopt.hierarchy_hash(a.hierarchy) ORDER BY a.ordinal)
	INTO entry.generalized, entry.hierarchies, entry.hashes
	FROM anonopt.attribute a WHERE a.dataset = publish_record_rows.dataset AND a.role = 'quasi_identifier';
	entry.measures := jsonb_build_object('min_utility', min_utility, 'key', key, 'risk', risk, 'utility', utility);
	EXECUTE format('CREATE TABLE %s AS %s', name, entry.statement);
	RETURN anonopt.note_release(name::regclass, entry, ARRAY(SELECT unnest(shown) EXCEPT SELECT unnest(entry.sensitive)));
END $$;

CREATE FUNCTION anonopt.publish_records(table_name text, dataset text, min_utility float8, key name, k int DEFAULT 2,
	risk text DEFAULT 'sensitivity', utility text DEFAULT 'depth', columns name[] DEFAULT NULL) RETURNS regclass
LANGUAGE sql VOLATILE PARALLEL UNSAFE
BEGIN ATOMIC
	SELECT anonopt.publish_record_rows(anonopt.creation_name(table_name), dataset, min_utility, key, k, risk, utility, columns);
END;

-- Which columns and small combinations of them single people out.
CREATE FUNCTION anonopt.suggest_quasi_identifiers(relation regclass, OUT columns name[], OUT distinction float8,
	OUT separation float8, OUT uniques bigint, OUT labelled boolean) RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	usable name[] := ARRAY(SELECT a.attname FROM pg_attribute a JOIN pg_type y ON y.oid = a.atttypid
		WHERE a.attrelid = relation AND a.attnum > 0 AND NOT a.attisdropped
			AND EXISTS (SELECT FROM pg_opclass o JOIN pg_am m ON m.oid = o.opcmethod WHERE m.amname = 'btree' AND o.opcdefault
				AND (o.opcintype IN (a.atttypid, y.typbasetype) OR y.typtype IN ('e', 'r') OR y.typcategory = 'A'
					OR (y.typcategory = 'S' AND o.opcintype = 'text'::regtype)))
		ORDER BY a.attnum);
	labelled_columns name[] := ARRAY(SELECT a.attname FROM pg_seclabel s JOIN pg_attribute a ON a.attrelid = s.objoid AND a.attnum = s.objsubid
		WHERE s.objoid = relation AND s.classoid = 'pg_class'::regclass AND s.provider IN ('k_anonymity', 'anon')
			AND s.label ~* '^ *(quasi|indirect) +identifier *$');
	people bigint;
	sampled text;
	telling name[];
	-- of each set of columns; no table, which a server that only reads could not make
	found jsonb[] := '{}';
	one jsonb;
BEGIN
	IF NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = relation) THEN
		RAISE EXCEPTION 'relation % does not exist', relation USING ERRCODE = '42P01';
	END IF;
	EXECUTE format('SELECT count(*) FROM %s', relation) INTO people;
	sampled := format('(SELECT * FROM %s r%s)', relation,
		CASE WHEN people > 1000000 THEN format(' WHERE random() < %s', 1e6 / people) ELSE '' END);
	FOR i IN 1 .. cardinality(usable) LOOP
		EXECUTE format('SELECT to_jsonb(c) FROM (SELECT ARRAY[%L]::name[] AS columns, count(*) AS tuples, sum(n) AS people, sum(n::numeric * (n - 1)) AS pairs,
			count(*) FILTER (WHERE n = 1) AS uniques FROM (SELECT count(*) AS n FROM %s s GROUP BY %I) g) c', usable[i], sampled, usable[i]) INTO one;
		found := found || one;
	END LOOP;
	-- combinations of the columns that part people most, but do not yet name them
	telling := ARRAY(SELECT s.columns[1] FROM unnest(found) f, jsonb_to_record(f) AS s (columns name[], tuples bigint, people bigint, pairs numeric, uniques bigint)
		WHERE s.tuples > 1 AND s.uniques < 0.9 * s.people ORDER BY s.pairs, s.columns LIMIT 6);
	FOR i IN 1 .. cardinality(telling) LOOP
		FOR j IN i + 1 .. cardinality(telling) LOOP
			FOR m IN j .. cardinality(telling) LOOP
				EXECUTE format('SELECT to_jsonb(c) FROM (SELECT $1 AS columns, count(*) AS tuples, sum(n) AS people, sum(n::numeric * (n - 1)) AS pairs,
					count(*) FILTER (WHERE n = 1) AS uniques FROM (SELECT count(*) AS n FROM %s s GROUP BY %I, %I, %I) g) c',
					sampled, telling[i], telling[j], telling[m]) INTO one
				USING CASE WHEN m = j THEN ARRAY[telling[i], telling[j]] ELSE ARRAY[telling[i], telling[j], telling[m]] END;
				found := found || one;
			END LOOP;
		END LOOP;
	END LOOP;
	RETURN QUERY SELECT s.columns, s.tuples::float8 / s.people, 1 - coalesce((s.pairs / nullif(s.people::numeric * (s.people - 1), 0))::float8, 1),
			s.uniques, s.columns && labelled_columns
		FROM unnest(found) f, jsonb_to_record(f) AS s (columns name[], tuples bigint, people bigint, pairs numeric, uniques bigint) WHERE s.people > 0
		ORDER BY s.uniques::float8 / s.people DESC, s.pairs, cardinality(s.columns), s.columns;
END $$;

-- Pictures and reports --------------------------------------------------------

CREATE FUNCTION anonopt.html(value text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT replace(replace(replace(replace(value, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;')
$$;

CREATE FUNCTION anonopt.objective_unit(objective text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN objective IN ('k', 'suppressed') THEN 'people' WHEN objective IN ('l', 'entropy_l') THEN 'values'
		WHEN objective = 'classes' THEN 'classes' WHEN objective = 'glm' THEN 'cells lost'
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

-- A tick's number, which must be short.
CREATE FUNCTION anonopt.tick_label(value float8) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN abs(value) >= 1e9 THEN anonopt.short_number(value / 1e9) || ' bn'
		WHEN abs(value) >= 1e6 THEN anonopt.short_number(value / 1e6) || ' m' ELSE anonopt.short_number(value) END
$$;

-- Where an axis has its ticks.
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

CREATE FUNCTION anonopt.front_svg(dataset text, objectives text[] DEFAULT '{k,glm}') RETURNS text
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	nodes jsonb[] := ARRAY(SELECT to_jsonb(n) FROM anonopt.pareto(dataset, objectives) n);
	x text := objectives[1];
	y text := coalesce(objectives[2], objectives[1]);
	xs float8[] := ARRAY(SELECT (n ->> x)::float8 FROM unnest(nodes) n);
	ys float8[] := ARRAY(SELECT (n ->> y)::float8 FROM unnest(nodes) n);
	low float8[] := ARRAY[(SELECT min(v) FROM unnest(xs) v), (SELECT min(v) FROM unnest(ys) v)];
	high float8[] := ARRAY[(SELECT max(v) FROM unnest(xs) v), (SELECT max(v) FROM unnest(ys) v)];
	-- values that span decades are shown by their magnitude
	logs boolean[] := ARRAY[low[1] > 0 AND high[1] >= 100 * low[1], low[2] > 0 AND high[2] >= 100 * low[2]];
	px float8[];
	py float8[];
	ticks text := '';
	line text := '';
	points text := '';
	tick float8;
	place float8;
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
	FOR i IN 1 .. cardinality(nodes) LOOP
		CONTINUE WHEN xs[i] IS NULL OR ys[i] IS NULL;
		px[i] := round((80 + 600 * anonopt.axis_place(xs[i], low[1], high[1], logs[1]))::numeric, 1);
		py[i] := round((380 - 360 * anonopt.axis_place(ys[i], low[2], high[2], logs[2]))::numeric, 1);
		line := line || CASE WHEN cardinality(objectives) > 2 THEN '' WHEN line = '' THEN format('M%s %s', px[i], py[i]) ELSE format('H%sV%s', px[i], py[i]) END;
		points := points || format('<circle cx="%s" cy="%s" r="4" tabindex="0"><title>levels %s&#10;%s</title></circle>', px[i], py[i],
			anonopt.html(translate((nodes[i] -> 'levels')::text, '[] ', '{}')),
			(SELECT string_agg(format('%s %s', m, anonopt.short_number((nodes[i] ->> m)::float8)), '&#10;' ORDER BY j)
			 FROM unnest('{k,l,t,suppressed,classes,glm,nwp,dcn,cm,necd}'::text[] || objectives) WITH ORDINALITY z (m, j)
			 WHERE nodes[i] ->> m IS NOT NULL AND j = (SELECT min(j2) FROM unnest('{k,l,t,suppressed,classes,glm,nwp,dcn,cm,necd}'::text[] || objectives)
				WITH ORDINALITY z2 (m2, j2) WHERE m2 = m)));
	END LOOP;
	RETURN format($svg$<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 700 440" role="img" aria-label="Front of %s and %s">
<style>
.anonopt-front text { font: 12px system-ui, sans-serif; fill: #333 }
.anonopt-front .grid { stroke: #ddd } .anonopt-front .axis { stroke: #333; fill: none }
.anonopt-front .front { stroke: #2563a8; stroke-width: 1.5; fill: none } .anonopt-front circle { fill: #2563a8 }
.anonopt-front circle:hover, .anonopt-front circle:focus { fill: #c2410c; r: 6px; outline: none }
@media (prefers-color-scheme: dark) { .anonopt-front text { fill: #ddd } .anonopt-front .grid { stroke: #444 }
.anonopt-front .axis { stroke: #ddd } .anonopt-front .front { stroke: #7db4ee } .anonopt-front circle { fill: #7db4ee } }
</style>
<g class="anonopt-front">%s
<path class="axis" d="M80 20V380H680"/>
<text x="380" y="428" text-anchor="middle">%s (%s%s)</text>
<text transform="translate(18 200) rotate(-90)" text-anchor="middle">%s (%s%s)</text>
<path class="front" d="%s"/>
%s</g>
</svg>$svg$, anonopt.html(x), anonopt.html(y), ticks, x, anonopt.objective_unit(x), CASE WHEN logs[1] THEN ', log scale' ELSE '' END,
		y, anonopt.objective_unit(y), CASE WHEN logs[2] THEN ', log scale' ELSE '' END, line, points);
END $$;

-- How far along its axis a value stands, from 0 to 1.
CREATE FUNCTION anonopt.axis_place(value float8, low float8, high float8, logarithmic boolean) RETURNS float8
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN high = low OR value IS NULL THEN 0.5 WHEN logarithmic THEN (log(value) - log(low)) / (log(high) - log(low))
		ELSE (value - low) / (high - low) END
$$;

-- A table of a page, from rows that are cells already.
CREATE FUNCTION anonopt.html_table(head text[], rows text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT concat('<div class="wide"><table><thead><tr>', (SELECT string_agg('<th>' || anonopt.html(h) || '</th>', '' ORDER BY i)
			FROM unnest(head) WITH ORDINALITY x (h, i)),
		'</tr></thead><tbody>', (SELECT string_agg('<tr>' || r || '</tr>', E'\n' ORDER BY i) FROM unnest(rows) WITH ORDINALITY x (r, i)),
		'</tbody></table></div>')
$$;

CREATE FUNCTION anonopt.html_cells(VARIADIC cells text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT string_agg(CASE WHEN c ~ '^[-0-9.,]+$' THEN '<td class="number">' ELSE '<td>' END || coalesce(anonopt.html(c), '') || '</td>', '' ORDER BY i)
	FROM unnest(cells) WITH ORDINALITY x (c, i)
$$;

-- A release of a report: its promise and measures, how large its classes are, and what its columns show.
CREATE FUNCTION anonopt.report_release(release regclass) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	entry anonopt.published := anonopt.known_release(release);
	verified record := anonopt.verify(release);
	classes text := (SELECT string_agg(format('r.%I', q), ', ') FROM unnest(entry.generalized) q);
	sizes text[];
	shown text[];
	samples text[];
BEGIN
	EXECUTE format('SELECT array_agg(anonopt.html_cells(format(''%%s to %%s'', s.low, s.low * 2 - 1), s.classes::text, s.people::text) ORDER BY s.low)
		FROM (SELECT (2 ^ floor(log(2, c.n)))::bigint AS low, count(*) AS classes, sum(c.n) AS people
			FROM (SELECT count(*) AS n FROM %s r GROUP BY %s) c GROUP BY 1) s', release, classes) INTO sizes;
	FOR i IN 1 .. cardinality(entry.generalized) LOOP
		EXECUTE format('SELECT array_agg(DISTINCT coalesce(r.%I, ''NULL'')) FROM %s r', entry.generalized[i], release) INTO samples;
		shown := shown || anonopt.html_cells(entry.generalized[i]::text, coalesce(entry.levels[i]::text, 'cut'), cardinality(samples)::text,
			array_to_string(samples[1:4], '; ') || CASE WHEN cardinality(samples) > 4 THEN '; …' ELSE '' END);
	END LOOP;
	RETURN concat('<h3>', anonopt.html(release::text), '</h3><p>', anonopt.html(regexp_replace(obj_description(release, 'pg_class'), '^anonopt release [^:]*: ', 'Promised: ')),
		'</p>', anonopt.html_table('{what,promised,measured now}', ARRAY[
			anonopt.html_cells('k: people in the smallest class', verified.promised_k::text, verified.k::text),
			anonopt.html_cells('l: different sensitive values in a class', coalesce(verified.promised_l::text, 'nothing'), coalesce(verified.l::text, '')),
			anonopt.html_cells('rows', '', anonopt.short_number(verified.rows)),
			anonopt.html_cells('the promise holds', '', CASE WHEN verified.ok THEN 'yes' ELSE 'no' END)]),
		'<h4>When it was published</h4>' || anonopt.html_table('{measure,value}', (SELECT array_agg(anonopt.html_cells(m.what,
				anonopt.short_number((entry.measures ->> m.measure)::float8)) ORDER BY m.i)
			FROM (VALUES (1, 'people', 'people in the data'), (2, 'suppressed', 'people left out or starred'), (3, 'classes', 'classes'),
				(4, 't', 't: how far a class''s sensitive values are from all'), (5, 'glm', 'GLM: cells lost'), (6, 'nwp', 'NWP: weighted share lost'),
				(7, 'dcn', 'DCN: discernibility'), (8, 'cm', 'CM: people out of their class''s majority'), (9, 'necd', 'NECD: bias of class sizes'))
				m (i, measure, what)
			WHERE entry.measures ->> m.measure IS NOT NULL)),
		'<h4>Sizes of classes</h4>', anonopt.html_table('{people in a class,classes,people}', sizes),
		'<h4>What the columns show</h4>', anonopt.html_table('{column,level,labels,for example}', shown));
END $$;

CREATE FUNCTION anonopt.report(dataset text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	source regclass := (SELECT d.relation FROM anonopt.dataset d WHERE d.dataset = report.dataset);
	declaration text[] := ARRAY(SELECT anonopt.html_cells(d.column_name::text, d.role, d.hierarchy::text, d.levels::text,
		anonopt.short_number(d.domain), anonopt.short_number(d.observed), anonopt.short_number(d.nulls)) FROM anonopt.describe(dataset) d
		WHERE d.role <> 'tuple_store');
	qis name[] := ARRAY(SELECT a.column_name FROM anonopt.attribute a WHERE a.dataset = report.dataset AND a.role = 'quasi_identifier' ORDER BY a.ordinal);
	risk record;
	front text[] := ARRAY(SELECT anonopt.html_cells(n.levels::text, anonopt.short_number(n.k), anonopt.short_number(n.l), anonopt.short_number(n.suppressed),
		anonopt.short_number(n.classes), anonopt.short_number(n.glm), round(n.nwp::numeric, 3)::text) FROM anonopt.pareto(dataset) n);
	releases text := (SELECT string_agg(anonopt.report_release(r.release), E'\n' ORDER BY r.published_at) FROM anonopt.release r
		WHERE r.dataset = report.dataset AND NOT r.dropped)
		|| coalesce((SELECT '<h3>All of them together</h3><p>Who has several releases knows a person''s labels in each. These are the smallest classes of people with the same labels in all, dropped releases and earlier contents included.</p>'
				|| anonopt.html_table('{releases,promised k,smallest class}', array_agg(anonopt.html_cells(array_to_string(r.releases, ', '), r.k::text,
					coalesce(r.smallest::text, 'not known'))))
			FROM anonopt.release_risk(dataset) r HAVING count(*) > 1), '');
BEGIN
	SELECT * INTO risk FROM anonopt.risk(source, qis);
	RETURN format($html$<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Anonymization of %1$s</title>
<style>
:root { color-scheme: light dark; --ink: #222; --paper: #fff; --line: #ccc; --soft: #f3f4f6 }
@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --paper: #16181c; --line: #444; --soft: #22252b } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 0 auto; max-width: 60rem; padding: 1rem }
h1 { font-size: 1.6rem } h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line) }
.wide { overflow-x: auto } table { border-collapse: collapse; margin: .5rem 0 } th, td { padding: .3rem .7rem; border: 1px solid var(--line); text-align: left }
th { background: var(--soft) } td.number { text-align: right; font-variant-numeric: tabular-nums } svg { width: 100%%; min-width: 34rem; height: auto }
h1, h2, h3, p { overflow-wrap: anywhere }
footer { margin-top: 3rem; font-size: .85rem; opacity: .8 }
</style>
</head>
<body>
<h1>Anonymization of %1$s</h1>
<p>Relation %2$s, %3$s rows; made on %4$s.</p>
<h2>Declaration</h2>
%5$s
<h2>The data as they are</h2>
%6$s
<h2>The trade-off</h2>
<p>Each point is a way to generalize that no other beats both in k, the size of the smallest class, and in GLM, the cells lost.</p>
<div class="wide">%7$s</div>
%8$s
<h2>Releases</h2>
%9$s
<footer><p>k: everybody shown stands in a class of at least so many who look the same. l: each class holds at least so many different
sensitive values. A promise holds for the columns it names and for one release by itself; several releases together can tell more.</p></footer>
</body>
</html>$html$, anonopt.html(dataset), anonopt.html(source::text), anonopt.short_number(risk.records),
		to_char(now(), 'YYYY-MM-DD HH24:MI TZ'),
		anonopt.html_table('{column,role,hierarchy,levels,domain,observed,nulls}', declaration),
		anonopt.html_table('{what,measured}', ARRAY[
			anonopt.html_cells('classes', anonopt.short_number(risk.classes)),
			anonopt.html_cells('people who stand alone', anonopt.short_number(risk.uniques)),
			anonopt.html_cells('highest risk of being recognized', round(risk.highest::numeric, 3)::text),
			anonopt.html_cells('average risk', round(risk.average::numeric, 3)::text),
			anonopt.html_cells('share of people at a risk above 0.2', round(risk.share_above::numeric, 3)::text)]),
		anonopt.front_svg(dataset), anonopt.html_table('{levels,k,l,suppressed,classes,GLM,NWP}', front),
		coalesce(releases, '<p>Nothing has been published yet.</p>'));
END $$;

-- \dd+ and \df+ anonopt.* are a manual -----------------------------------------

COMMENT ON SCHEMA anonopt IS 'privacy and utility of tables, measured and searched';
COMMENT ON TABLE anonopt.dataset IS 'declared data sets; changed by anonopt.create_dataset and anonopt.drop_dataset';
COMMENT ON TABLE anonopt.attribute IS 'columns of declared data sets and their roles; changed by anonopt.add_quasi_identifier and the like';
COMMENT ON TYPE anonopt.node IS 'one generalization of a data set and its measures';
COMMENT ON TYPE anonopt.opaque IS 'internal: passed to and from anonopt.tuples';
COMMENT ON AGGREGATE anonopt.tuples(anonopt.opaque, "any") IS 'internal: distinct tuples of what was read';

COMMENT ON FUNCTION anonopt.is_restored(oid) IS 'internal: which declarations pg_dump takes along';
COMMENT ON FUNCTION anonopt.create_dataset(text, regclass, float8, name, name) IS 'declares a relation, a row a person, as a data set';
COMMENT ON FUNCTION anonopt.drop_dataset(text) IS 'forgets a declaration; the relation stays';
COMMENT ON FUNCTION anonopt.add_quasi_identifier(text, name, regclass, float8, int, int) IS 'declares a column by which people may be recognized, and its hierarchy';
COMMENT ON FUNCTION anonopt.add_sensitive(text, name, text, regclass) IS 'declares a column that must not be learned of anyone';
COMMENT ON FUNCTION anonopt.set_class_label(text, name) IS 'declares the column that others will want to predict';
COMMENT ON FUNCTION anonopt.set_identifier(text, name) IS 'declares a column that is never published';
COMMENT ON FUNCTION anonopt.set_insensitive(text, name) IS 'declares a column that may be published as it is';
COMMENT ON FUNCTION anonopt.set_sensitivity(text, name, regclass) IS 'names a table (value, weight) of how sensitive a quasi-identifier''s values are';
COMMENT ON FUNCTION anonopt.drop_attribute(text, name, text) IS 'takes a role from a column, or all its roles';
COMMENT ON FUNCTION anonopt.auto_dataset(text, regclass, name[]) IS 'builds hierarchies that suit the columns, beside the relation, and declares them';
COMMENT ON FUNCTION anonopt.describe(text) IS 'the declaration of a data set beside what its data hold';
COMMENT ON FUNCTION anonopt.read_sql(text) IS 'the statement that reads a data set, to be explained';
COMMENT ON FUNCTION anonopt.create_interval_hierarchy(text, numeric, numeric, numeric[]) IS 'hierarchy of integers: each value, intervals of each width, *';
COMMENT ON FUNCTION anonopt.create_range_hierarchy(text, numeric, numeric, numeric, numeric[]) IS 'hierarchy of any numbers: ranges of one step, intervals of each width, *';
COMMENT ON FUNCTION anonopt.create_mask_hierarchy(text, regclass, name, text) IS 'hierarchy of a column''s texts: one character more masked from the right each level';
COMMENT ON FUNCTION anonopt.create_date_hierarchy(text, date, date, text[]) IS 'hierarchy of days: weeks, or months to centuries, then *';
COMMENT ON FUNCTION anonopt.create_quantile_hierarchy(text, regclass, name, int[]) IS 'hierarchy of a column''s values: groups of equal frequency, then *';
COMMENT ON FUNCTION anonopt.create_tree_hierarchy(text, regclass) IS 'hierarchy from a table of edges (child, parent)';
COMMENT ON FUNCTION anonopt.check_hierarchy(regclass) IS 'every fault of a hierarchy table; no row means sound';
COMMENT ON FUNCTION anonopt.generalize(text, regclass, int) IS 'the label of a value at a level';
COMMENT ON FUNCTION anonopt.generalize(anyelement, regclass, int) IS 'the label of a value at a level';
COMMENT ON FUNCTION anonopt.evaluate(text, int[], int, int, float8) IS 'measures of a node, or of several, from one reading';
COMMENT ON FUNCTION anonopt.lattice(text, int, int, float8) IS 'measures of every node within the declared levels';
COMMENT ON FUNCTION anonopt.lattice_size(text) IS 'how many nodes lattice returns';
COMMENT ON FUNCTION anonopt.evaluate_cuts(text, varbit[], int, int, float8) IS 'measures of a partition of each ordered domain into runs';
COMMENT ON FUNCTION anonopt.node_detail(text, int[]) IS 'labels and loss of each quasi-identifier at a node';
COMMENT ON FUNCTION anonopt.suppressed_classes(text, int[], int, int, float8) IS 'the classes that a node suppresses, and what they break';
COMMENT ON FUNCTION anonopt.pareto(text, text[], int, int, float8, interval) IS 'the exact front of any objectives';
COMMENT ON FUNCTION anonopt.optimize(text, int, int, float8, text, interval) IS 'the exact node of least loss that keeps a promise';
COMMENT ON FUNCTION anonopt.poka(text, text, int) IS 'POkA: the front of k against a loss, by depth and height search';
COMMENT ON FUNCTION anonopt.pbg_ea(text, text[], float8[], int, int, float8, float8, bigint, float8, int) IS 'PBG-EA: a bounded archive of nodes for two objectives or more, by evolution';
COMMENT ON FUNCTION anonopt.archive_quality(text, text[], int[], float8[]) IS 'how well a set of nodes stands for the exact non-dominated set';
COMMENT ON FUNCTION anonopt.box_archive(float8[], float8[]) IS 'which of a stream of vectors PBG-EA''s archive holds in the end';
COMMENT ON AGGREGATE anonopt.p_rank(float8, float8) IS 'how far a property vector is from the best one';
COMMENT ON AGGREGATE anonopt.p_cov(float8, float8) IS 'share of records where d1 is no less than d2';
COMMENT ON AGGREGATE anonopt.p_spr(float8, float8) IS 'sum of what d1 is more than d2';
COMMENT ON AGGREGATE anonopt.p_hv(float8, float8) IS 'hypervolume that d1 covers and d2 does not';
COMMENT ON AGGREGATE anonopt.ln_p_hv(float8, float8) IS 'natural logarithm of p_hv';
COMMENT ON AGGREGATE anonopt.p_hv_order(float8, float8) IS 'whether p_hv of d1 over d2 is more (1), less (-1) or no other (0) than of d2 over d1';
COMMENT ON AGGREGATE anonopt.p_binary(float8, float8) IS 'records where d1 is more than d2';
COMMENT ON AGGREGATE anonopt.dominance(float8, float8) IS 'equal, better, worse or incomparable';
COMMENT ON FUNCTION anonopt.p_wtd(float8[], float8[]) IS 'weighted sum of indices, one a property';
COMMENT ON FUNCTION anonopt.p_lex(float8[], float8[], float8[]) IS 'first property in which the first side leads by more than epsilon';
COMMENT ON FUNCTION anonopt.p_goal(float8[], float8[]) IS 'squared distance of indices from a goal';
COMMENT ON FUNCTION anonopt.property_vector(text, int[], text, name) IS 'a property of every record under a node';
COMMENT ON FUNCTION anonopt.compare(text, int[], int[], text[]) IS 'two nodes compared person by person, by every index';
COMMENT ON FUNCTION anonopt.tournament(text, int[], text, text) IS 'nodes ranked against each other by one index of one property';
COMMENT ON FUNCTION anonopt.achievement(float8, float8, float8, float8) IS 'how near a bias and a loss come to those preferred; less is nearer';
COMMENT ON FUNCTION anonopt.efficiency(text, int, float8, float8) IS 'every k-anonymous level node: whether another is better in bias and loss, and how near it comes to a preference';
COMMENT ON FUNCTION anonopt.nsga2(text, int, float8, float8, int, int, float8, float8, bigint, boolean) IS 'NSGA-II: the partition of each ordered domain that comes nearest to a preference';
COMMENT ON FUNCTION anonopt.reference_direction(text, int, float8[], float8[], int, int, int, float8, float8, bigint, boolean) IS 'the nearest partitions along a line of preferences';
COMMENT ON FUNCTION anonopt.aruba(text, float8, text, text, regclass, float8, name, interval) IS 'a generalization per record: least risk with enough utility';
COMMENT ON FUNCTION anonopt.btda(text, float8, text, text, regclass, float8, name, interval) IS 'the same, visited from the most general node by risk';
COMMENT ON FUNCTION anonopt.aruba_budget(text, float8, text, text, regclass, float8, name, interval) IS 'a generalization per record: most utility under a bound of risk';
COMMENT ON FUNCTION anonopt.aruba_balance(text, float8, text, text, regclass, float8, name, interval) IS 'a generalization per record: least risk - lambda * utility';
COMMENT ON FUNCTION anonopt.unpack(text[]) IS 'labels as a row, whose columns the caller names';
COMMENT ON FUNCTION anonopt.jaro(text, text) IS 'Jaro similarity of two texts, by character';
COMMENT ON FUNCTION anonopt.record_walk(text, float8[], float8[], float8) IS 'what BTDA or ARUBA visit and find in one record''s lattice, given as arrays';
COMMENT ON TABLE anonopt.published IS 'internal: releases, as they were published; shown by anonopt.release';
COMMENT ON TABLE anonopt.published_content IS 'internal: the classes that each snapshot of a release showed';
COMMENT ON TABLE anonopt.tuple_store IS 'internal: tuple counts that are kept, and what they rely on';
COMMENT ON TABLE anonopt.tuple_store_doubt IS 'internal: tuple stores that missed a change, until they are counted anew';
COMMENT ON FUNCTION anonopt.whole_number(numeric) IS 'internal: a count as a bigint, or an error for a fraction';
COMMENT ON FUNCTION anonopt.whole_number(float8) IS 'internal: a count as a bigint, or an error for a fraction';
COMMENT ON SEQUENCE anonopt.tuple_store_number IS 'numbers of tuple stores';
COMMENT ON FUNCTION anonopt.create_tuple_store(text, boolean) IS 'keeps a data set''s tuple counts, right under writes if tracked; no function of it is a SECURITY DEFINER';
COMMENT ON FUNCTION anonopt.refresh_tuple_store(text) IS 'counts a tuple store anew';
COMMENT ON FUNCTION anonopt.drop_tuple_store(text) IS 'drops a tuple store and its triggers';
COMMENT ON FUNCTION anonopt.count_changes() IS 'internal: counts what a statement changed, as whoever wrote';
COMMENT ON FUNCTION anonopt.note_row() IS 'internal: a row that a subscription wrote is not counted';
COMMENT ON VIEW anonopt.release IS 'what was published, by whom, from which generalization, with its measures';
COMMENT ON FUNCTION anonopt.view_sql(text, text, int[], varbit[], int, int, name[], boolean, text, float8) IS 'the statement that anonopt.create_view would create';
COMMENT ON FUNCTION anonopt.create_view(text, text, int[], varbit[], int, int, name[], boolean, text, float8) IS 'publishes a generalization as a materialized view, or as a live one';
COMMENT ON FUNCTION anonopt.publish_table(text, text, int[], varbit[], int, int, name[], text, float8) IS 'publishes a generalization as a table: the form to dump or copy';
COMMENT ON FUNCTION anonopt.publish_records(text, text, float8, name, int, text, text, name[]) IS 'publishes per-record generalizations as a table';
COMMENT ON FUNCTION anonopt.refresh_release(regclass) IS 'measures a release on the data of now, and makes it anew if it keeps its promise';
COMMENT ON FUNCTION anonopt.drop_release(regclass) IS 'drops a release; what it showed stays known';
COMMENT ON FUNCTION anonopt.verify(regclass) IS 'measures a release anew, by plain SQL';
COMMENT ON FUNCTION anonopt.release_risk(text) IS 'the smallest class of several releases together';
COMMENT ON FUNCTION anonopt.suggest_quasi_identifiers(regclass) IS 'columns and small combinations that single people out, most dangerous first';
COMMENT ON FUNCTION anonopt.front_svg(text, text[]) IS 'the front as an SVG picture';
COMMENT ON FUNCTION anonopt.report(text) IS 'a self-contained HTML page about a data set and its releases';
COMMENT ON FUNCTION anonopt.this_database() IS 'internal';
COMMENT ON FUNCTION anonopt.find_release(uuid, bigint, bigint, text, name) IS 'internal';
COMMENT ON FUNCTION anonopt.creation_name(text) IS 'internal';
COMMENT ON FUNCTION anonopt.release_query(text, int[], varbit[], int, int, float8, name[], boolean, boolean) IS 'internal';
COMMENT ON FUNCTION anonopt.release_entry(regclass) IS 'internal';
COMMENT ON FUNCTION anonopt.write_release(text, regclass, text) IS 'internal';
COMMENT ON FUNCTION anonopt.known_release(regclass) IS 'internal';
COMMENT ON FUNCTION anonopt.hierarchy_hash(regclass) IS 'internal';
COMMENT ON FUNCTION anonopt.check_release_hierarchy(regclass, name) IS 'internal';
COMMENT ON FUNCTION anonopt.reads_release(regclass) IS 'internal';
COMMENT ON FUNCTION anonopt.check_release_column(text, regclass, name, bigint) IS 'internal';
COMMENT ON FUNCTION anonopt.star_argument(text) IS 'internal';
COMMENT ON FUNCTION anonopt.check_release(text, float8) IS 'internal';
COMMENT ON FUNCTION anonopt.check_release_columns(text, name[], bigint) IS 'internal';
COMMENT ON FUNCTION anonopt.release_comment(anonopt.published, name[]) IS 'internal';
COMMENT ON FUNCTION anonopt.keep_content(regclass, anonopt.published) IS 'internal';
COMMENT ON FUNCTION anonopt.warn_of_combination(text, bigint) IS 'internal';
COMMENT ON FUNCTION anonopt.rows_function_name(name, name) IS 'internal';
COMMENT ON FUNCTION anonopt.create_live(text, regclass, anonopt.published, text) IS 'internal';
COMMENT ON FUNCTION anonopt.keep_private(regclass) IS 'internal';
COMMENT ON FUNCTION anonopt.known_risk(text, boolean) IS 'internal';
COMMENT ON FUNCTION anonopt.note_release(regclass, anonopt.published, name[]) IS 'internal';
COMMENT ON FUNCTION anonopt.fill_release(text, int[], varbit[], int, int, float8, name[], boolean, boolean, text, text) IS 'internal';
COMMENT ON FUNCTION anonopt.write_content(regclass, text[], bigint[]) IS 'internal';
COMMENT ON FUNCTION anonopt.publish(text, text, text, int[], varbit[], int, int, name[], text, float8) IS 'internal';
COMMENT ON FUNCTION anonopt.check_owner(regclass) IS 'internal';
COMMENT ON FUNCTION anonopt.changed_hierarchies(anonopt.published) IS 'internal';
COMMENT ON FUNCTION anonopt.records_statement(text, float8, name, int, text, text, name[]) IS 'internal';
COMMENT ON FUNCTION anonopt.publish_record_rows(text, text, float8, name, int, text, text, name[]) IS 'internal';
COMMENT ON FUNCTION anonopt.html(text) IS 'internal';
COMMENT ON FUNCTION anonopt.objective_unit(text) IS 'internal';
COMMENT ON FUNCTION anonopt.short_number(float8) IS 'internal';
COMMENT ON FUNCTION anonopt.tick_label(float8) IS 'internal';
COMMENT ON FUNCTION anonopt.records_columns(text, name[]) IS 'internal';
COMMENT ON FUNCTION anonopt.axis_ticks(float8, float8, boolean) IS 'internal';
COMMENT ON FUNCTION anonopt.axis_place(float8, float8, float8, boolean) IS 'internal';
COMMENT ON FUNCTION anonopt.html_table(text[], text[]) IS 'internal';
COMMENT ON FUNCTION anonopt.html_cells(text[]) IS 'internal';
COMMENT ON FUNCTION anonopt.report_release(regclass) IS 'internal';
COMMENT ON VIEW anonopt.progress IS 'searches that run now, of every session the caller may see';
COMMENT ON FUNCTION anonopt.progress_entries() IS 'internal: what anonopt.progress shows';
COMMENT ON FUNCTION anonopt.last_search() IS 'what this session''s last search read, measured and took';
COMMENT ON FUNCTION anonopt.k_anonymity(regclass, name[]) IS 'size of the smallest class of a relation';
COMMENT ON FUNCTION anonopt.l_diversity(regclass, name[], name) IS 'fewest distinct sensitive values in a class of a relation';
COMMENT ON FUNCTION anonopt.entropy_l_diversity(regclass, name[], name) IS 'exponential of the smallest entropy of the sensitive value in a class';
COMMENT ON FUNCTION anonopt.t_closeness(regclass, name[], name, text, regclass) IS 'largest distance of a class''s sensitive values from everyone''s';
COMMENT ON FUNCTION anonopt.risk(regclass, name[], float8) IS 'risk of being recognized, a record''s being 1 over its class''s size';
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
