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
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_compare' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.compare(dataset text, a varbit[], b varbit[],
	properties text[] DEFAULT '{class_size,utility}', labels text DEFAULT 'hierarchy',
	OUT property text, OUT index text, OUT a_over_b float8, OUT b_over_a float8, OUT better text,
	OUT a_levels int[], OUT b_levels int[])
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_compare' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.compare(dataset text, a varbit[], b int[],
	properties text[] DEFAULT '{class_size,utility}', labels text DEFAULT 'hierarchy',
	OUT property text, OUT index text, OUT a_over_b float8, OUT b_over_a float8, OUT better text,
	OUT a_levels int[], OUT b_levels int[])
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_compare' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.compare(dataset text, a varbit[], b regclass,
	properties text[] DEFAULT '{class_size,utility}', labels text DEFAULT 'hierarchy',
	OUT property text, OUT index text, OUT a_over_b float8, OUT b_over_a float8, OUT better text,
	OUT a_levels int[], OUT b_levels int[])
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_compare' LANGUAGE C STABLE PARALLEL RESTRICTED;

-- resolves string constants, which may be levels or names
CREATE FUNCTION anonopt.compare(dataset text, a text, b text,
	properties text[] DEFAULT '{class_size,utility}', labels text DEFAULT 'hierarchy',
	OUT property text, OUT index text, OUT a_over_b float8, OUT b_over_a float8, OUT better text,
	OUT a_levels int[], OUT b_levels int[])
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_compare' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.tournament(dataset text, levels int[], property text, index text)
RETURNS TABLE (levels int[], wins int, losses int, ties int)
AS 'MODULE_PATHNAME', 'anonopt_tournament' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.tournament_of(dataset text, levels int[], properties text[], index text,
	weights float8[] DEFAULT NULL, epsilon float8[] DEFAULT NULL)
RETURNS TABLE (levels int[], wins int, losses int, ties int)
AS 'MODULE_PATHNAME', 'anonopt_tournament_of' LANGUAGE C STABLE PARALLEL RESTRICTED;

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
RETURNS float8 AS 'MODULE_PATHNAME', 'anonopt_p_rank' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE AGGREGATE anonopt.p_rank(d float8, d_max float8) (
	SFUNC = anonopt.squares_step, STYPE = internal, FINALFUNC = anonopt.p_rank_final,
	COMBINEFUNC = anonopt.pairs_combine, SERIALFUNC = anonopt.pairs_serialize,
	DESERIALFUNC = anonopt.pairs_deserialize, PARALLEL = SAFE
);

CREATE FUNCTION anonopt.p_cov_final(internal)
RETURNS float8 AS 'MODULE_PATHNAME', 'anonopt_p_cov' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE AGGREGATE anonopt.p_cov(d1 float8, d2 float8) (
	SFUNC = anonopt.counts_step, STYPE = internal, FINALFUNC = anonopt.p_cov_final,
	COMBINEFUNC = anonopt.pairs_combine, SERIALFUNC = anonopt.pairs_serialize,
	DESERIALFUNC = anonopt.pairs_deserialize, PARALLEL = SAFE
);

CREATE FUNCTION anonopt.p_spr_final(internal)
RETURNS float8 AS 'MODULE_PATHNAME', 'anonopt_p_spr' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE AGGREGATE anonopt.p_spr(d1 float8, d2 float8) (
	SFUNC = anonopt.spread_step, STYPE = internal, FINALFUNC = anonopt.p_spr_final,
	COMBINEFUNC = anonopt.pairs_combine, SERIALFUNC = anonopt.pairs_serialize,
	DESERIALFUNC = anonopt.pairs_deserialize, PARALLEL = SAFE
);

CREATE FUNCTION anonopt.p_hv_final(internal)
RETURNS float8 AS 'MODULE_PATHNAME', 'anonopt_p_hv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE AGGREGATE anonopt.p_hv(d1 float8, d2 float8) (
	SFUNC = anonopt.volume_step, STYPE = internal, FINALFUNC = anonopt.p_hv_final,
	COMBINEFUNC = anonopt.pairs_combine, SERIALFUNC = anonopt.pairs_serialize,
	DESERIALFUNC = anonopt.pairs_deserialize, PARALLEL = SAFE
);

CREATE FUNCTION anonopt.ln_p_hv_final(internal)
RETURNS float8 AS 'MODULE_PATHNAME', 'anonopt_ln_p_hv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE AGGREGATE anonopt.ln_p_hv(d1 float8, d2 float8) (
	SFUNC = anonopt.volume_step, STYPE = internal, FINALFUNC = anonopt.ln_p_hv_final,
	COMBINEFUNC = anonopt.pairs_combine, SERIALFUNC = anonopt.pairs_serialize,
	DESERIALFUNC = anonopt.pairs_deserialize, PARALLEL = SAFE
);

CREATE FUNCTION anonopt.p_hv_order_final(internal)
RETURNS int AS 'MODULE_PATHNAME', 'anonopt_p_hv_order' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE AGGREGATE anonopt.p_hv_order(d1 float8, d2 float8) (
	SFUNC = anonopt.volume_step, STYPE = internal, FINALFUNC = anonopt.p_hv_order_final,
	COMBINEFUNC = anonopt.pairs_combine, SERIALFUNC = anonopt.pairs_serialize,
	DESERIALFUNC = anonopt.pairs_deserialize, PARALLEL = SAFE
);

CREATE FUNCTION anonopt.p_binary_final(internal)
RETURNS float8 AS 'MODULE_PATHNAME', 'anonopt_p_binary' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE AGGREGATE anonopt.p_binary(d1 float8, d2 float8) (
	SFUNC = anonopt.counts_step, STYPE = internal, FINALFUNC = anonopt.p_binary_final,
	COMBINEFUNC = anonopt.pairs_combine, SERIALFUNC = anonopt.pairs_serialize,
	DESERIALFUNC = anonopt.pairs_deserialize, PARALLEL = SAFE
);

CREATE FUNCTION anonopt.dominance_final(internal)
RETURNS text AS 'MODULE_PATHNAME', 'anonopt_dominance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

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
