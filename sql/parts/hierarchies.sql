-- Hierarchies ---------------------------------------------------------------

CREATE FUNCTION anonopt.create_interval_hierarchy(hierarchy text, low numeric, high numeric, widths numeric[])
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_create_interval_hierarchy' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.create_range_hierarchy(hierarchy text, low numeric, high numeric, step numeric, widths numeric[])
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_create_range_hierarchy' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.create_mask_hierarchy(hierarchy text, relation regclass, column_name name, mask text DEFAULT '*')
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_create_mask_hierarchy' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.create_date_hierarchy(hierarchy text, low date, high date, units text[])
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_create_date_hierarchy' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.create_quantile_hierarchy(hierarchy text, relation regclass, column_name name, buckets int[])
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_create_quantile_hierarchy' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.create_tree_hierarchy(hierarchy text, edges regclass)
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_create_tree_hierarchy' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.create_top_coded_hierarchy(hierarchy text, low numeric, high numeric, top numeric DEFAULT NULL,
	bottom numeric DEFAULT NULL, widths numeric[] DEFAULT '{}', step numeric DEFAULT NULL)
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_create_top_coded_hierarchy' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.create_rounding_hierarchy(hierarchy text, low numeric, high numeric, steps numeric[],
	continuous boolean DEFAULT false)
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_create_rounding_hierarchy' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.create_frequency_hierarchy(hierarchy text, relation regclass, column_name name, minimum bigint,
	other text DEFAULT 'other')
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_create_frequency_hierarchy' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.create_prefix_hierarchy(hierarchy text, relation regclass, column_name name,
	lengths int[] DEFAULT NULL, separator text DEFAULT NULL)
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_create_prefix_hierarchy' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.create_csv_hierarchy(hierarchy text, csv text, delimiter text DEFAULT ';', type regtype DEFAULT 'text')
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_create_csv_hierarchy' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.extend_hierarchy(hierarchy regclass)
RETURNS bigint AS 'MODULE_PATHNAME', 'anonopt_extend_hierarchy' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.check_hierarchy(hierarchy regclass, OUT problem text, OUT level int, OUT labels text[])
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_check_hierarchy' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.generalize(value text, hierarchy regclass, level int, unknown text DEFAULT NULL)
RETURNS text AS 'MODULE_PATHNAME', 'anonopt_generalize' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.generalize(value anyelement, hierarchy regclass, level int, unknown text DEFAULT NULL)
RETURNS text AS 'MODULE_PATHNAME', 'anonopt_generalize' LANGUAGE C STABLE PARALLEL RESTRICTED;

