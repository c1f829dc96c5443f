-- Recodings -----------------------------------------------------------------

CREATE FUNCTION anonopt.create_recoding(recoding text, dataset text, k int DEFAULT NULL, l int DEFAULT NULL,
	t float8 DEFAULT NULL, loss text DEFAULT 'glm', labels text DEFAULT 'hierarchy', time_limit interval DEFAULT NULL,
	seed bigint DEFAULT NULL, possible int DEFAULT NULL, proof interval DEFAULT NULL,
	effort float8 DEFAULT 1)
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
RETURNS SETOF anonopt.node AS 'MODULE_PATHNAME', 'anonopt_evaluate_recoding' LANGUAGE C STABLE PARALLEL RESTRICTED;

-- resolves string constants, which may be a name or an array of names
CREATE FUNCTION anonopt.evaluate_recoding(dataset text, recoding text, k int DEFAULT NULL, l int DEFAULT NULL,
	t float8 DEFAULT NULL, labels text DEFAULT 'hierarchy')
RETURNS SETOF anonopt.node AS 'MODULE_PATHNAME', 'anonopt_evaluate_recoding' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.recoding_classes(dataset text, recoding regclass, labels text DEFAULT 'hierarchy',
	OUT class bigint, OUT shown text[], OUT people bigint, OUT tuples bigint, OUT loss float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_recoding_classes' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.recoding_refinement(dataset text, recoding regclass, labels text DEFAULT 'hierarchy',
	OUT column_name name, OUT people_wide bigint, OUT leaves_shown float8, OUT leaves_left float8, OUT people_branch_out bigint,
	OUT people_certain_given_rest bigint, OUT least_possible bigint, OUT people_below_k bigint)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_recoding_refinement' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.recoding_curve(dataset text, k int[] DEFAULT '{2,3,5,10,20,50,100}', loss text DEFAULT 'glm',
	labels text DEFAULT 'hierarchy', seed bigint DEFAULT 1, time_limit interval DEFAULT NULL, proof interval DEFAULT NULL)
RETURNS SETOF anonopt.node AS 'MODULE_PATHNAME', 'anonopt_recoding_curve' LANGUAGE C STABLE PARALLEL RESTRICTED;


CREATE FUNCTION anonopt.recoding_bound(dataset text, k int, loss text DEFAULT 'glm', labels text DEFAULT 'hierarchy',
	time_limit interval DEFAULT '10 s')
RETURNS float8 AS 'MODULE_PATHNAME', 'anonopt_recoding_bound' LANGUAGE C STABLE PARALLEL RESTRICTED;
