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

