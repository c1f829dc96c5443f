-- Publishing ----------------------------------------------------------------

-- Published releases.  In the database where an entry was written, relations are identified by OID
-- and, for a release, row type; in any other, a release is identified by the id in its comment, and
-- other relations by name.
CREATE TABLE anonopt.published (
	id uuid PRIMARY KEY,
	relation bigint NOT NULL,
	row_type bigint NOT NULL,
	made_in text NOT NULL,
	name text NOT NULL,
	form text NOT NULL CHECK (form IN ('materialized view', 'table', 'live view')),
	dataset text NOT NULL,
	source bigint NOT NULL,
	source_name text NOT NULL,
	levels int[] CHECK (array_ndims(levels) = 1 AND array_position(levels, NULL) IS NULL),
	cuts varbit[] CHECK (array_ndims(cuts) = 1 AND array_position(cuts, NULL) IS NULL),
	columns name[],
	suppressed text NOT NULL CHECK (suppressed IN ('omit', 'star')),
	generalized name[] NOT NULL,
	sensitive name[] NOT NULL,
	hierarchies bigint[] NOT NULL,
	hierarchy_names text[] NOT NULL,
	-- for each hierarchy a digest of every row, so that rows may be added
	digests bytea[] NOT NULL,
	measures jsonb NOT NULL,
	-- what evidence says of it, taken when its rows were written: counts, levels and names, no values
	figures jsonb CHECK (jsonb_typeof(figures) = 'object'),
	-- people in the smallest class, if rows belong to people; its rows do not tell
	people_k bigint,
	-- whose rows were one person's
	person name,
	-- of a release by records
	min_utility float8,
	key_column name,
	risk text,
	utility text,
	published_by name NOT NULL,
	published_at timestamptz NOT NULL,
	-- when its rows were written last, and by what; a live view has none
	filled_at timestamptz,
	-- through whom others could read it when it was dropped or replaced, empty if there was nobody; NULL: unknown
	read_by text,
	filled_by text CHECK (filled_by IN ('publishing', 'refresh', 'restore')),
	-- what verify found last, or publishing, which keeps every promise; NULL where it could not be measured
	verified_at timestamptz,
	verified_ok boolean,
	-- all that verify found then; NULL: nothing since its rows were written
	verified jsonb CHECK (jsonb_typeof(verified) = 'object'),
	recoding bigint,
	recoding_name text,
	labels text CHECK (labels IN ('hierarchy', 'range')),
	-- the labels that cuts part, of one quasi-identifier after another
	cut_labels text[],
	-- labels, or true values that are permuted within each class
	shown text NOT NULL DEFAULT 'labels' CHECK (shown IN ('labels', 'permuted')),
	-- how generalized columns are shown, unless all are text
	columns_as text[] CHECK (columns_as <@ '{text,range,bounds,middle}'),
	-- of a sample: what each content spends, with what probability a row is drawn, whether the publisher vouches for the hierarchies
	epsilon float8 CHECK (epsilon > 0 AND epsilon <= 1000),
	delta float8 CHECK (delta > 0 AND delta < 1),
	beta float8 CHECK (beta > 0 AND beta < 1),
	vouched text NOT NULL DEFAULT 'no' CHECK (vouched IN ('no', 'yes')),
	-- what the other columns show, in order: -2 for pseudonyms, -1 for values as they are, or labels of a level
	others_as int[],
	CHECK ((recoding IS NULL) = (labels IS NULL) AND (recoding IS NULL) = (recoding_name IS NULL))
);

-- Promises: k, and l and t for all columns, by ordinals up to 0; those declared from 1.
CREATE TABLE anonopt.published_promise (
	id uuid NOT NULL,
	ordinal int NOT NULL,
	model text NOT NULL,
	column_name name,
	threshold float8 NOT NULL CHECK (CASE WHEN model IN ('k', 'l') THEN threshold BETWEEN 1 AND 2147483647
		WHEN model = 't' THEN threshold BETWEEN 0 AND 1 ELSE threshold >= 0 AND threshold < 'Infinity' END),
	c float8,
	population bigint,
	population_name text,
	-- as in anonopt.promise
	columns_known int,
	rows_known int,
	PRIMARY KEY (id, ordinal)
);

-- How many of all people have each sensitive value, if its shares are promised: values in the order of the
-- distance, with their leaves if a hierarchy, given by its place among the entry's, defines that.
CREATE TABLE anonopt.published_values (
	id uuid NOT NULL,
	ordinal int NOT NULL,
	column_name name NOT NULL,
	distance text NOT NULL,
	hierarchy int,
	"values" text[] NOT NULL,
	leaves text[],
	people bigint[] NOT NULL,
	-- at which the column is shown, so that its values are labels of that level; NULL if it is shown as it is
	level int,
	PRIMARY KEY (id, ordinal)
);

-- What the labels of each quasi-identifier cover, where people of another relation are counted and no level of a
-- hierarchy defines that: runs from a first to a last leaf, and the labels that cover values without a leaf.
CREATE TABLE anonopt.published_cover (
	id uuid NOT NULL,
	ordinal int NOT NULL,
	labels text[] NOT NULL,
	firsts text[] NOT NULL,
	lasts text[] NOT NULL,
	unknown text[] NOT NULL,
	PRIMARY KEY (id, ordinal)
);

-- The relations whose rows a release showed, when it was published and at every refresh: the source, what it reads, and
-- the parents of these, of which it reads a part.
CREATE TABLE anonopt.published_source (
	id uuid NOT NULL,
	relation bigint NOT NULL,
	relation_name text NOT NULL,
	is_read boolean NOT NULL,
	is_view boolean NOT NULL,
	made_in text NOT NULL,
	PRIMARY KEY (id, relation_name, relation, is_read, made_in)
);

-- Relations whose people are the same, or all others, as somebody has declared.
CREATE TABLE anonopt.same_people (
	relation bigint NOT NULL,
	relation_name text NOT NULL,
	other bigint NOT NULL,
	other_name text NOT NULL,
	made_in text NOT NULL,
	declared_by name NOT NULL,
	same boolean NOT NULL DEFAULT true,
	PRIMARY KEY (relation_name, other_name, relation, other, made_in, same)
);

-- What each snapshot showed, including earlier contents of a refreshed release, because readers may
-- have kept them. The rows are packed: the number of a label for each quasi-identifier, a digest of
-- each other value, and the number of people.
CREATE TABLE anonopt.published_content (
	id uuid NOT NULL,
	version int NOT NULL,
	part int NOT NULL,
	made_at timestamptz NOT NULL,
	-- the other columns, whose values are compared
	compared name[],
	labels text[],
	nlabels int[],
	rows bytea NOT NULL,
	-- for a recoding: a digest of the leaves of each tuple shown, and its class
	tuples bytea,
	-- people in the smallest difference to an earlier content, or whom values that both show link; NULL if not compared
	difference bigint,
	-- at which levels the compared columns are shown, if any is: -1 for one that is shown as it is
	compared_levels int[],
	-- what differential privacy of the content spends, in the first part; NULL if it is no sample
	epsilon float8 CHECK (epsilon > 0 AND epsilon <= 1000),
	delta float8 CHECK (delta > 0 AND delta < 1),
	-- how the release generalized, in the first part, if it was republished since; NULL: as it does now
	levels int[],
	cuts varbit[],
	cut_labels text[],
	recoding_name text,
	recoding_labels text,
	hierarchies bigint[],
	hierarchy_names text[],
	source bigint,
	source_name text,
	made_in text,
	PRIMARY KEY (id, version, part)
);

-- Contents, each with the generalization and the source that it was made by: the entry's, unless a republish has written
-- down others. A release without any is one row.
CREATE VIEW anonopt.made_content AS
SELECT p.id, p.name, p.relation, p.row_type, p.published_by, p.published_at, p.dataset, p.generalized, p.people_k,
	c.version, c.difference, c.epsilon, c.delta, c.made_at, g.*
FROM anonopt.published p LEFT JOIN anonopt.published_content c ON c.id = p.id AND c.part = 0
CROSS JOIN LATERAL (
	SELECT p.levels, p.cuts, p.cut_labels, p.recoding, p.recoding_name, p.labels, p.hierarchies, p.hierarchy_names, p.source,
		p.source_name, p.made_in WHERE c.made_in IS NULL
	UNION ALL
	SELECT c.levels, c.cuts, c.cut_labels, 0, c.recoding_name, c.recoding_labels, c.hierarchies, c.hierarchy_names, c.source,
		c.source_name, c.made_in WHERE c.made_in IS NOT NULL) g;

-- The people whom a content's pseudonyms link with other contents by the same secret: the beginning of
-- each person's pseudonym, and a digest of the classes that show the person. The secret cannot be derived
-- from its name.
CREATE TABLE anonopt.published_link (
	id uuid NOT NULL,
	version int NOT NULL,
	part int NOT NULL,
	column_name name NOT NULL,
	secret_name bytea NOT NULL,
	people bytea NOT NULL,
	PRIMARY KEY (id, column_name, version, part)
);

-- Classes that a refresh did not show as they are: their labels, none for stars, and since when; the
-- people whom each shows, those who wait to be shown as they are, and those shown who were deleted.
CREATE TABLE anonopt.published_held (
	id uuid NOT NULL,
	ordinal bigint NOT NULL,
	labels text[] NOT NULL,
	since timestamptz NOT NULL,
	people bigint NOT NULL CHECK (people >= 0),
	waiting bigint NOT NULL CHECK (waiting >= 0),
	departed bigint NOT NULL CHECK (departed >= 0),
	PRIMARY KEY (id, ordinal)
);

REVOKE ALL ON anonopt.published, anonopt.published_promise, anonopt.published_values, anonopt.published_cover,
	anonopt.published_source, anonopt.published_content, anonopt.published_link, anonopt.published_held, anonopt.same_people FROM PUBLIC;
GRANT SELECT, INSERT, UPDATE, DELETE ON anonopt.published, anonopt.published_promise, anonopt.published_values, anonopt.published_cover,
	anonopt.published_source, anonopt.published_content, anonopt.published_link, anonopt.published_held, anonopt.same_people TO pg_database_owner;
GRANT SELECT ON anonopt.same_people TO PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('anonopt.published', '');
SELECT pg_catalog.pg_extension_config_dump('anonopt.published_promise', '');
SELECT pg_catalog.pg_extension_config_dump('anonopt.published_values', '');
SELECT pg_catalog.pg_extension_config_dump('anonopt.published_cover', '');
SELECT pg_catalog.pg_extension_config_dump('anonopt.published_source', '');
SELECT pg_catalog.pg_extension_config_dump('anonopt.published_content', '');
SELECT pg_catalog.pg_extension_config_dump('anonopt.published_link', '');
SELECT pg_catalog.pg_extension_config_dump('anonopt.published_held', '');
SELECT pg_catalog.pg_extension_config_dump('anonopt.same_people', '');

-- Identifies this database; only a copy of all its files has the same identifier.
CREATE FUNCTION anonopt.this_database() RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT s.system_identifier || '/' || d.oid FROM pg_catalog.pg_control_system() s, pg_catalog.pg_database d
	WHERE d.datname = current_database();
END;

-- A number that is no OID, which somebody wrote into the record, is that of nothing.
CREATE FUNCTION anonopt.as_oid(number bigint) RETURNS oid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT CASE WHEN number BETWEEN 0 AND 4294967295 THEN number::oid ELSE 0::oid END;
END;

-- A comment is trusted only on a relation that belongs to the role that published it, to the owner of the
-- database, who may write the record, or to a superuser: a restore may give a release another owner.
CREATE FUNCTION anonopt.find_release(id uuid, relation bigint, row_type bigint, made_in text, published_by name) RETURNS oid
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT COALESCE(
		(SELECT c.oid FROM pg_catalog.pg_class c WHERE c.oid = anonopt.as_oid(relation) AND c.reltype = anonopt.as_oid(row_type)
			AND made_in = anonopt.this_database()),
		(SELECT d.objoid FROM pg_catalog.pg_description d
		 JOIN pg_catalog.pg_class c ON c.oid = d.objoid
		 JOIN pg_catalog.pg_roles o ON o.oid = c.relowner
		 WHERE d.classoid = 'pg_catalog.pg_class'::regclass AND d.objsubid = 0
		   AND (o.rolname = published_by OR o.rolsuper
			OR o.oid = (SELECT b.datdba FROM pg_catalog.pg_database b WHERE b.datname = current_database()))
		   AND starts_with(d.description, 'anonopt release ' || id::text)
		 ORDER BY o.rolname = published_by DESC, d.objoid LIMIT 1));
END;

-- What a relation is called from one session to another: those of temporary ones have schemas of their own.
CREATE FUNCTION anonopt.lasting_name(schema name, relation name) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT format('%I.%I', CASE WHEN starts_with(schema::text, 'pg_temp_') THEN 'pg_temp' ELSE schema::text END, relation);
END;

-- The relations in the range tables of a rule's action: what it only names, as a constant, is not read.
CREATE FUNCTION anonopt.relations_of_rule(action pg_node_tree)
RETURNS oid[] AS 'MODULE_PATHNAME', 'anonopt_relations_of_rule' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

-- The relations whose rows a relation shows, with itself: those that a view reads, the children of a table. Also the parents
-- of these, which are not read whole. The relation is given by number or by name, and may be gone. What a function in a
-- view reads is not seen, nor what the view's owner may not read: anybody can make a view of anything. With whether the
-- reader, unknown if NULL, may read each as well.
CREATE FUNCTION anonopt.relations_read(number oid, name text, reader oid)
RETURNS TABLE (relation oid, relation_name text, is_read boolean, is_view boolean, may_read boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
BEGIN ATOMIC
	WITH RECURSIVE reached (relation, relation_name, is_read, is_view, may_read, viewer) AS (
		SELECT f.relation, f.relation_name, true, f.is_view, has_any_column_privilege(reader, f.relation, 'SELECT') IS NOT FALSE, reader FROM (
			SELECT number AS relation, name AS relation_name, true AS is_view WHERE name IS NOT NULL
			UNION
			SELECT c.oid, anonopt.lasting_name(n.nspname, c.relname), c.relkind IN ('v', 'm') FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
			WHERE c.oid = number
			UNION
			SELECT c.oid, name, c.relkind IN ('v', 'm') FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
			WHERE name IS NOT NULL AND anonopt.lasting_name(n.nspname, c.relname) = name AND NOT EXISTS (
				SELECT FROM pg_catalog.pg_class k JOIN pg_catalog.pg_namespace m ON m.oid = k.relnamespace
				WHERE k.oid = number AND anonopt.lasting_name(m.nspname, k.relname) = name)) f
		UNION
		SELECT c.oid, anonopt.lasting_name(n.nspname, c.relname), x.is_read, c.relkind IN ('v', 'm'), x.may_read, x.viewer
		FROM reached r CROSS JOIN LATERAL (
			SELECT o.oid, true, has_any_column_privilege(reader, o.oid, 'SELECT') IS NOT FALSE, v.viewer
			FROM pg_catalog.pg_class c JOIN pg_catalog.pg_rewrite w ON w.ev_class = c.oid AND w.ev_type = '1'
			CROSS JOIN LATERAL (SELECT CASE WHEN EXISTS (SELECT FROM pg_options_to_table(c.reloptions) t
				WHERE t.option_name = 'security_invoker' AND t.option_value::boolean) THEN r.viewer ELSE c.relowner END) v (viewer)
			CROSS JOIN LATERAL unnest(anonopt.relations_of_rule(w.ev_action)) o (oid)
			WHERE r.is_read AND c.oid = r.relation AND o.oid <> c.oid AND has_any_column_privilege(v.viewer, o.oid, 'SELECT') IS NOT FALSE
			UNION ALL
			SELECT i.inhrelid, true, r.may_read, r.viewer FROM pg_catalog.pg_inherits i WHERE r.is_read AND i.inhparent = r.relation
			UNION ALL
			SELECT i.inhparent, false, r.may_read, r.viewer FROM pg_catalog.pg_inherits i WHERE i.inhrelid = r.relation) x (oid, is_read, may_read, viewer)
		JOIN pg_catalog.pg_class c ON c.oid = x.oid AND c.oid >= 16384 AND c.relkind IN ('r', 'p', 'f', 'v', 'm')
		JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace)
	SELECT r.relation, r.relation_name, r.is_read, r.is_view, bool_or(r.may_read) FROM reached r GROUP BY 1, 2, 3, 4;
END;

-- Those that show the same people: the relations that it reads, and those declared by same_people to have the people of one,
-- while whoever declared it may read both sides, or is gone.
-- Relations are the same by number or by name, since one that was made again is; two parts of a parent are not.
CREATE FUNCTION anonopt.relations_of_people(source oid, reader oid) RETURNS TABLE (relation oid, relation_name text, is_read boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
BEGIN ATOMIC
	WITH RECURSIVE declared AS (
		SELECT row_number() OVER () AS pair, p.made_in = anonopt.this_database() AS is_here, p.* FROM anonopt.same_people p WHERE p.same),
	sides AS MATERIALIZED (
		SELECT p.pair, e.side, r.* FROM declared p
		CROSS JOIN LATERAL (VALUES (1, p.relation, p.relation_name), (2, p.other, p.other_name)) e (side, number, name)
		CROSS JOIN LATERAL anonopt.relations_read(CASE WHEN p.is_here THEN anonopt.as_oid(e.number) ELSE 0 END, e.name,
			(SELECT o.oid FROM pg_catalog.pg_roles o WHERE o.rolname = p.declared_by)) r),
	ends AS MATERIALIZED (
		SELECT s.* FROM sides s WHERE s.pair NOT IN (SELECT n.pair FROM sides n WHERE n.is_read AND NOT n.may_read)),
	near (relation, relation_name, is_read) AS (
		SELECT r.relation, r.relation_name, r.is_read FROM anonopt.relations_read(source, NULL, reader) r
		UNION
		SELECT o.relation, o.relation_name, o.is_read FROM near n
		JOIN ends e ON ((e.relation = n.relation AND n.relation <> 0) OR e.relation_name = n.relation_name) AND (e.is_read OR n.is_read)
		JOIN ends o ON o.pair = e.pair AND o.side <> e.side)
	SELECT n.relation, n.relation_name, n.is_read FROM near n;
END;

-- Whether a relation that was read is the same as one that is: by number or by name; two parts of a parent are not.
CREATE FUNCTION anonopt.is_same_relation(was anonopt.published_source, relation oid, relation_name text, is_read boolean) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT ((was.relation = is_same_relation.relation::bigint AND is_same_relation.relation <> 0 AND was.made_in = anonopt.this_database())
		OR was.relation_name = is_same_relation.relation_name) AND (was.is_read OR is_same_relation.is_read);
END;

-- Whether a table may have several rows of a person, by the name of that column: it has it, and not as a key. One that is gone may.
CREATE FUNCTION anonopt.may_repeat(relation oid, person name) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT NOT EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = relation) OR EXISTS (
		SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid = relation AND a.attname = person AND NOT a.attisdropped AND NOT EXISTS (
			SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = relation AND i.indisunique AND i.indisvalid
			AND i.indpred IS NULL AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum));
END;

-- Whether a release may have shown rows that a relation shows, behind whatever views: both read a table of such rows. Where a
-- side reads tables that have several rows of a person, its other ones, registers and codes, do not tell. In doubt, it may.
CREATE FUNCTION anonopt.may_share_rows(id uuid, source oid, reader oid, person name) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	WITH now AS MATERIALIZED (
		SELECT r.*, anonopt.may_repeat(r.relation, person) AS repeats FROM anonopt.relations_read(source, NULL, reader) r WHERE NOT r.is_view),
	before AS MATERIALIZED (
		SELECT s AS was, anonopt.may_repeat(CASE WHEN s.made_in = anonopt.this_database() THEN anonopt.as_oid(s.relation) ELSE 0 END, person) AS repeats
		FROM anonopt.published_source s WHERE s.id = may_share_rows.id AND NOT s.is_view)
	SELECT NOT EXISTS (SELECT FROM now) OR NOT EXISTS (SELECT FROM before) OR EXISTS (
		SELECT FROM now n JOIN before b ON anonopt.is_same_relation(b.was, n.relation, n.relation_name, n.is_read)
		WHERE (n.repeats OR NOT EXISTS (SELECT FROM now o WHERE o.repeats)) AND (b.repeats OR NOT EXISTS (SELECT FROM before o WHERE o.repeats)));
END;

-- Pairs of relations that were declared to have no people in common, by a role that still owns both, unless somebody has declared
-- that they have the same. They are these very relations, not what reads them, which may show the people of both.
CREATE VIEW anonopt.other_people AS
WITH named AS (
	SELECT c.oid, c.relowner, anonopt.lasting_name(n.nspname, c.relname) AS name
	FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace),
pair AS (
	SELECT r.oid AS relation, r.relowner, r.name AS relation_name, o.oid AS other, o.relowner AS other_owner, o.name AS other_name, p.declared_by, p.same
	FROM anonopt.same_people p
	JOIN named r ON CASE WHEN p.made_in = anonopt.this_database() THEN r.oid = anonopt.as_oid(p.relation) ELSE r.name = p.relation_name END
	JOIN named o ON CASE WHEN p.made_in = anonopt.this_database() THEN o.oid = anonopt.as_oid(p.other) ELSE o.name = p.other_name END)
SELECT e.relation, e.other, e.other_name, p.declared_by FROM pair p
JOIN pg_catalog.pg_roles d ON d.rolname = p.declared_by AND pg_has_role(d.oid, p.relowner, 'USAGE') AND pg_has_role(d.oid, p.other_owner, 'USAGE')
CROSS JOIN LATERAL (VALUES (p.relation, p.other, p.other_name), (p.other, p.relation, p.relation_name)) e (relation, other, other_name)
WHERE NOT p.same AND NOT EXISTS (
	SELECT FROM pair q WHERE q.same AND q.relation IN (p.relation, p.other) AND q.other IN (p.relation, p.other));

-- Who is told of a release: members of the role that published it, and roles that monitor the server or read the record.
CREATE FUNCTION anonopt.is_told_of(reader oid, published_by name) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT EXISTS (SELECT FROM pg_catalog.pg_roles o WHERE o.rolname = published_by AND pg_has_role(reader, o.oid, 'MEMBER'))
		OR has_table_privilege(reader, 'anonopt.published', 'SELECT') OR pg_has_role(reader, 'pg_monitor', 'USAGE');
END;

-- The releases that have shown people whom a relation shows. Anybody can name a temporary table as others do.
CREATE FUNCTION anonopt.releases_of_people(source oid, reader oid) RETURNS SETOF uuid
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT DISTINCT s.id FROM anonopt.relations_of_people(source, reader) r JOIN anonopt.published_source s
	ON anonopt.is_same_relation(s, r.relation, r.relation_name, r.is_read) JOIN anonopt.published p ON p.id = s.id
	WHERE s.relation = r.relation::bigint OR NOT starts_with(s.relation_name, 'pg_temp.') OR anonopt.is_told_of(reader, p.published_by);
END;

-- What all samples of the people of a relation have spent, with those of one release, whatever it showed: basic composition.
CREATE FUNCTION anonopt.privacy_spent(source oid, reader oid, id uuid, OUT epsilon numeric, OUT delta numeric, OUT contents bigint)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT COALESCE(sum(c.epsilon::numeric), 0), COALESCE(sum(c.delta::numeric), 0), count(*) FROM anonopt.published_content c
	WHERE c.epsilon IS NOT NULL AND (c.id = privacy_spent.id OR c.id IN (SELECT anonopt.releases_of_people(privacy_spent.source, reader)));
END;

-- The columns that tell a release's classes apart.
CREATE FUNCTION anonopt.class_columns(generalized name[], columns_as text[], shown text) RETURNS name[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT CASE WHEN shown = 'permuted' THEN '{anonopt_class}'::name[]
		ELSE ARRAY(SELECT (g || suffix)::name FROM unnest(generalized) WITH ORDINALITY x (g, i)
			CROSS JOIN unnest(CASE WHEN columns_as[i] = 'bounds' THEN '{_low,_high}'::text[] ELSE '{""}' END) WITH ORDINALITY y (suffix, j)
			ORDER BY i, j) END;
END;

-- All releases, for whoever may judge them without a right on the data: the right to read this view is that of evidence, too.
-- After a restore, roles may be missing.
CREATE VIEW anonopt.auditor AS
SELECT COALESCE(r.found, anonopt.as_oid(p.relation))::regclass AS release, p.dataset, p.levels, p.cuts, g.k, g.l, g.t,
	CASE WHEN p.min_utility IS NULL THEN p.measures
		ELSE p.measures || jsonb_build_object('min_utility', p.min_utility, 'key', p.key_column, 'risk', p.risk, 'utility', p.utility) END AS measures,
	p.published_by, p.published_at, r.found IS NULL AS dropped, p.name, p.form, p.generalized,
	p.recoding_name AS recoding, p.labels,
	(SELECT COALESCE(jsonb_agg(jsonb_build_object('model', q.model, 'threshold', q.threshold, 'c', q.c, 'column', q.column_name,
		'population', q.population_name, 'population_number', COALESCE(q.population, 0), 'columns_known', q.columns_known,
		'rows_known', q.rows_known) ORDER BY q.ordinal), '[]')
		FROM anonopt.published_promise q WHERE q.id = p.id AND q.ordinal > 0) AS promises,
	p.shown, p.columns_as, anonopt.class_columns(p.generalized, p.columns_as, p.shown) AS class_columns,
	f.filled_at, f.filled_by, f.verified_at, f.verified_ok,
	(SELECT COALESCE(min(c.difference) FILTER (WHERE c.difference > 0), max(c.difference))
		FROM anonopt.published_content c WHERE c.id = p.id AND c.part = 0) AS smallest_difference, p.id,
	s.epsilon, s.delta, p.source_name AS source, p.suppressed, p.sensitive, p.hierarchy_names AS hierarchies,
	ARRAY(SELECT encode(sha256(d), 'hex') FROM unnest(p.digests) WITH ORDINALITY x (d, i) ORDER BY i) AS hierarchy_hashes,
	p.beta, p.vouched, f.verified, p.figures
FROM anonopt.published p CROSS JOIN LATERAL (SELECT anonopt.find_release(p.id, p.relation, p.row_type, p.made_in, p.published_by) AS found) r
CROSS JOIN LATERAL (SELECT max(q.threshold) FILTER (WHERE q.model = 'k')::bigint AS k, max(q.threshold) FILTER (WHERE q.model = 'l')::bigint AS l,
	max(q.threshold) FILTER (WHERE q.model = 't') AS t FROM anonopt.published_promise q WHERE q.id = p.id AND q.ordinal <= 0) g
-- a restore may have left a materialized view without rows
LEFT JOIN LATERAL (SELECT p.filled_at, p.filled_by, p.verified_at, p.verified_ok, p.verified
	WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = r.found AND NOT c.relispopulated)) f ON true
CROSS JOIN LATERAL (SELECT sum(c.epsilon::numeric)::float8 AS epsilon, sum(c.delta::numeric)::float8 AS delta
	FROM anonopt.published_content c WHERE c.id = p.id) s;
REVOKE ALL ON anonopt.auditor FROM PUBLIC;
GRANT SELECT ON anonopt.auditor TO pg_database_owner WITH GRANT OPTION;

-- Releases of roles that the caller is a member of, and all for a role that monitors the server.
CREATE VIEW anonopt.release WITH (security_barrier) AS
SELECT a.release, a.dataset, a.levels, a.cuts, a.k, a.l, a.t, a.measures, a.published_by, a.published_at, a.dropped, a.name, a.form,
	a.generalized, a.recoding, a.labels, a.promises, a.shown, a.columns_as, a.class_columns, a.filled_at, a.filled_by, a.verified_at,
	a.verified_ok, a.smallest_difference, a.id, a.epsilon, a.delta
FROM anonopt.auditor a WHERE anonopt.is_told_of(to_regrole(quote_ident(current_user)), a.published_by);
GRANT SELECT ON anonopt.release TO PUBLIC;

-- What differential privacy asks for: the probability with which rows are drawn, and how many of those must look alike.
CREATE FUNCTION anonopt.privacy_parameters(epsilon float8, delta float8, beta float8 DEFAULT NULL, OUT beta float8, OUT k int)
RETURNS record AS 'MODULE_PATHNAME', 'anonopt_privacy_parameters' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION anonopt.view_sql(view_name text, dataset text, levels int[] DEFAULT NULL, cuts varbit[] DEFAULT NULL,
	k int DEFAULT NULL, l int DEFAULT NULL, columns name[] DEFAULT NULL, materialized boolean DEFAULT true,
	suppressed text DEFAULT 'omit', t float8 DEFAULT NULL, recoding regclass DEFAULT NULL, labels text DEFAULT 'hierarchy')
RETURNS text AS 'MODULE_PATHNAME', 'anonopt_view_sql' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.create_view(view_name text, dataset text, levels int[] DEFAULT NULL, cuts varbit[] DEFAULT NULL,
	k int DEFAULT NULL, l int DEFAULT NULL, columns name[] DEFAULT NULL, materialized boolean DEFAULT true,
	suppressed text DEFAULT 'omit', t float8 DEFAULT NULL, recoding regclass DEFAULT NULL, labels text DEFAULT 'hierarchy',
	columns_as text DEFAULT 'text', show text DEFAULT 'labels',
	epsilon float8 DEFAULT NULL, delta float8 DEFAULT NULL, beta float8 DEFAULT NULL, trusted boolean DEFAULT false)
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_publish' LANGUAGE C VOLATILE PARALLEL UNSAFE;

-- called by materialized views, while PostgreSQL fills them, and by live views at every reading
CREATE FUNCTION anonopt.released_rows(release uuid)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_released_rows' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

CREATE FUNCTION anonopt.publish_table(table_name text, dataset text, levels int[] DEFAULT NULL, cuts varbit[] DEFAULT NULL,
	k int DEFAULT NULL, l int DEFAULT NULL, columns name[] DEFAULT NULL, suppressed text DEFAULT 'omit', t float8 DEFAULT NULL,
	recoding regclass DEFAULT NULL, labels text DEFAULT 'hierarchy',
	columns_as text DEFAULT 'text', show text DEFAULT 'labels', replace boolean DEFAULT false,
	epsilon float8 DEFAULT NULL, delta float8 DEFAULT NULL, beta float8 DEFAULT NULL, trusted boolean DEFAULT false)
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_publish' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.publish_records(table_name text, dataset text, min_utility float8, key name, k int DEFAULT 2,
	risk text DEFAULT 'sensitivity', utility text DEFAULT 'depth', columns name[] DEFAULT NULL)
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_publish' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.publish_codebook(name text, release regclass)
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_publish_codebook' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.refresh_release(release regclass, hold_back boolean DEFAULT NULL, keep_deleted boolean DEFAULT false)
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_refresh_release' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.republish(release regclass, levels int[] DEFAULT NULL, cuts varbit[] DEFAULT NULL, k int DEFAULT NULL,
	l int DEFAULT NULL, t float8 DEFAULT NULL, recoding regclass DEFAULT NULL, labels text DEFAULT 'hierarchy')
RETURNS regclass AS 'MODULE_PATHNAME', 'anonopt_republish' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.drop_release(release regclass)
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_drop_release' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.forget_release(release regclass DEFAULT NULL, id uuid DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_forget_release' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.verify(release regclass, OUT promised_k bigint, OUT k bigint, OUT promised_l bigint, OUT l bigint,
	OUT rows bigint, OUT ok boolean, OUT promised_t float8, OUT t float8, OUT others jsonb, OUT filled_at timestamptz, OUT held_back bigint,
	OUT held_since timestamptz, OUT filled_by text)
RETURNS record AS 'MODULE_PATHNAME', 'anonopt_verify' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.same_people(relation regclass, other regclass, same boolean DEFAULT true)
RETURNS void AS 'MODULE_PATHNAME', 'anonopt_same_people' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.attack(release regclass, columns_known int DEFAULT NULL, known name[] DEFAULT NULL,
	register regclass DEFAULT NULL,
	OUT attack text, OUT known name[], OUT target name, OUT people bigint, OUT certain bigint, OUT highest float8,
	OUT expected float8, OUT baseline float8, OUT gain float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_attack_release' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.attack(relation regclass, quasi_identifiers name[], sensitive name[], columns_known int DEFAULT NULL,
	known name[] DEFAULT NULL, register regclass DEFAULT NULL,
	OUT attack text, OUT known name[], OUT target name, OUT people bigint, OUT certain bigint, OUT highest float8,
	OUT expected float8, OUT baseline float8, OUT gain float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_attack_relation' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.release_risk(dataset text, OUT releases regclass[], OUT k bigint, OUT smallest bigint,
	OUT epsilon float8, OUT delta float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_release_risk' LANGUAGE C STABLE PARALLEL RESTRICTED;

-- Columns and small combinations that single people out.
CREATE FUNCTION anonopt.suggest_quasi_identifiers(relation regclass, columns name[] DEFAULT NULL, OUT columns name[],
	OUT distinction float8, OUT separation float8, OUT uniques bigint, OUT labelled boolean, OUT identifier boolean, OUT estimated boolean)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_suggest_quasi_identifiers' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.utility(dataset text, release regclass, queries int DEFAULT 1000, seed bigint DEFAULT 1,
	OUT measure text, OUT columns name[], OUT before float8, OUT after float8, OUT value float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_utility' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.release_distribution(dataset text, release regclass, OUT column_name name, OUT value text,
	OUT people bigint, OUT left_out bigint, OUT shown float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_release_distribution' LANGUAGE C STABLE PARALLEL RESTRICTED;

-- The same by labels and bands that so many people have: what is named is nobody's own.
CREATE FUNCTION anonopt.release_bands(dataset text, release regclass, fewest int, OUT column_name name, OUT value text,
	OUT people bigint, OUT left_out bigint, OUT shown float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'anonopt_release_distribution' LANGUAGE C STABLE PARALLEL RESTRICTED;
