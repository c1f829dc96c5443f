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

