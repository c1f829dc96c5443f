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

