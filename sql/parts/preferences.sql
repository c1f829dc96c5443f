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
	preferences float8[] DEFAULT NULL, weights float8[] DEFAULT NULL, ideal float8[] DEFAULT NULL,
	plain boolean DEFAULT false, time_limit interval DEFAULT NULL, taxonomy_columns name[] DEFAULT NULL,
	OUT cuts varbit[], OUT groups int[], OUT k bigint,
	OUT necd float8, OUT nwp float8, OUT ach float8, OUT pref_dev float8, OUT feasible boolean, OUT chosen boolean,
	OUT further float8[])
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_nsga2' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.reference_direction(dataset text, k int, start float8[], aspiration float8[],
	steps int DEFAULT 10, population int DEFAULT 100, evaluations int DEFAULT 50000, crossover float8 DEFAULT 0.8,
	mutation float8 DEFAULT 0.001, seed bigint DEFAULT NULL, taxonomy boolean DEFAULT false, seeds boolean DEFAULT true,
	copies boolean DEFAULT false, l int DEFAULT NULL, t float8 DEFAULT NULL, measures text[] DEFAULT NULL,
	weights float8[] DEFAULT NULL, ideal float8[] DEFAULT NULL, plain boolean DEFAULT false,
	taxonomy_columns name[] DEFAULT NULL, OUT step int, OUT reference float8[], OUT cuts varbit[],
	OUT groups int[], OUT k bigint, OUT necd float8, OUT nwp float8, OUT ach float8, OUT pref_dev float8, OUT further float8[])
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_reference_direction' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

