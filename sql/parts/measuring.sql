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
	average_risk float8,
	k_known bigint,
	gini float8,
	below_2k float8,
	sum_ln_k float8
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
RETURNS SETOF anonopt.node AS 'MODULE_PATHNAME', 'anonopt_evaluate' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.node_detail(dataset text, levels int[], OUT column_name name, OUT level int,
	OUT labels bigint, OUT loss float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_node_detail' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.suppressed_classes(dataset text, levels int[], k int DEFAULT NULL, l int DEFAULT NULL,
	t float8 DEFAULT NULL, OUT labels text[], OUT size bigint, OUT breaks text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_suppressed_classes' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.policy_check(dataset text, OUT model text, OUT column_name name, OUT threshold float8,
	OUT attainable boolean, OUT least_suppression float8, OUT promise text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_policy_check' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.k_anonymity(relation regclass, quasi_identifiers name[], columns_known int DEFAULT NULL)
RETURNS bigint AS 'MODULE_PATHNAME', 'anonopt_k_anonymity' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.l_diversity(relation regclass, quasi_identifiers name[], sensitive name, columns_known int DEFAULT NULL)
RETURNS bigint AS 'MODULE_PATHNAME', 'anonopt_l_diversity' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.entropy_l_diversity(relation regclass, quasi_identifiers name[], sensitive name)
RETURNS float8 AS 'MODULE_PATHNAME', 'anonopt_entropy_l_diversity' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.t_closeness(relation regclass, quasi_identifiers name[], sensitive name,
	distance text DEFAULT 'equal', hierarchy regclass DEFAULT NULL)
RETURNS float8 AS 'MODULE_PATHNAME', 'anonopt_t_closeness' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.risk(relation regclass, quasi_identifiers name[], threshold float8 DEFAULT 0.2,
	population regclass DEFAULT NULL, sampling_fraction float8 DEFAULT NULL, person name DEFAULT NULL,
	columns_known int DEFAULT NULL, rows_known int DEFAULT NULL, OUT records bigint, OUT classes bigint, OUT uniques bigint, OUT highest float8, OUT average float8,
	OUT lowest float8, OUT share_above float8, OUT people bigint,
	OUT journalist_highest float8, OUT journalist_average float8, OUT journalist_share_above float8, OUT marketer float8,
	OUT population_uniques float8, OUT zayatz_uniques float8, OUT pitman_uniques float8, OUT worst name[], OUT singled_out bigint)
RETURNS record AS 'MODULE_PATHNAME', 'anonopt_risk' LANGUAGE C STABLE PARALLEL RESTRICTED;

