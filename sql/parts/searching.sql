-- Searching -----------------------------------------------------------------

CREATE FUNCTION anonopt.pareto(dataset text, objectives text[] DEFAULT '{k,glm}', k int DEFAULT NULL,
	l int DEFAULT NULL, t float8 DEFAULT NULL, time_limit interval DEFAULT NULL)
RETURNS SETOF anonopt.node AS 'MODULE_PATHNAME', 'anonopt_pareto' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.optimize(dataset text, k int DEFAULT NULL, l int DEFAULT NULL, t float8 DEFAULT NULL,
	loss text DEFAULT 'glm', time_limit interval DEFAULT NULL, headroom float8 DEFAULT 0)
RETURNS SETOF anonopt.node AS 'MODULE_PATHNAME', 'anonopt_optimize' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.poka(dataset text, loss text DEFAULT 'glm', depth int DEFAULT NULL, start int[] DEFAULT NULL,
	bounds boolean DEFAULT true, repair boolean DEFAULT false)
RETURNS SETOF anonopt.node AS 'MODULE_PATHNAME', 'anonopt_poka' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.pbg_ea(dataset text, objectives text[] DEFAULT '{k,glm}', epsilon float8[] DEFAULT NULL,
	population int DEFAULT 25, iterations int DEFAULT 100, crossover float8 DEFAULT 0.8, mutation float8 DEFAULT NULL,
	seed bigint DEFAULT NULL, local_search float8 DEFAULT 0, max_nodes int DEFAULT NULL,
	bounds boolean DEFAULT true, reflect boolean DEFAULT false, copies boolean DEFAULT false,
	time_limit interval DEFAULT NULL)
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
	OUT seed bigint, OUT bound float8, OUT people bigint, OUT write_ms float8)
RETURNS record AS 'MODULE_PATHNAME', 'anonopt_last_search' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.progress_entries(OUT pid int, OUT dataset_relation regclass, OUT algorithm text,
	OUT phase text, OUT done bigint, OUT total bigint, OUT found bigint, OUT loss float8,
	OUT bound float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_progress' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

CREATE VIEW anonopt.progress AS SELECT * FROM anonopt.progress_entries();
GRANT SELECT ON anonopt.progress TO PUBLIC;

