-- Evidence ------------------------------------------------------------------------

-- What standards ask for, clause by clause, and the figures that answer: paths into the evidence, or NULL.
CREATE TABLE anonopt.clause (
	standard text NOT NULL,
	ordinal int NOT NULL,
	clause text NOT NULL,
	asks text NOT NULL,
	answer jsonpath,
	PRIMARY KEY (standard, ordinal)
);
REVOKE ALL ON anonopt.clause FROM PUBLIC;
INSERT INTO anonopt.clause VALUES
	('wp29', 1, 'singling out', 'Can somebody be isolated?', '$.questions.singling_out'),
	('wp29', 2, 'linkability', 'Can records of one person be linked?', '$.questions.linkability'),
	('wp29', 3, 'inference', 'Can a value be deduced from others?', '$.questions.inference'),
	('wp29', 4, 'means reasonably likely to be used', 'Who could try, with what?', NULL),
	('ema', 1, 'variables', 'Which variables identify, and what was done to each?', '$.columns'),
	('ema', 2, 'initial risk', 'What was the risk of the data?', '$.risk.initial'),
	('ema', 3, 'threshold', 'Which risk is accepted? 0.09 in most cases: for the highest risk, a k of 12.', '$.threshold'),
	('ema', 4, 'residual risk', 'What is the risk of the release?', '$.risk.residual'),
	('ema', 5, 'residual risk by variable', 'What does each variable show?', '$.columns'),
	('ema', 6, 'three criteria', 'Singling out, linkability and inference, where the risk is not assessed', '$.questions'),
	('ema', 7, 'data utility', 'What is the release still good for?', '$.loss'),
	('ema', 8, 'context', 'Who gets it, under which terms?', '$.recipient'),
	('hipaa', 1, '164.514(b)(1)(i)', 'Is the risk very small that a recipient identifies somebody?', '$.risk.residual'),
	('hipaa', 2, '164.514(b)(1)(ii)', 'Methods and results', '$.promises'),
	('hipaa', 3, '164.514(b)(2)(i)', 'Which of the eighteen kinds of identifiers are shown? See each column.', '$.columns'),
	('hipaa', 4, '164.514(b)(2)(ii)', 'Does the entity know that somebody could be identified?', NULL),
	('hipaa', 5, '164.514(c)', 'Which codes re-identify?', '$.columns[*] ? (@.shown == "pseudonyms")'),
	('iso27559', 1, '6.2', 'Threat modelling: practices, motives and capacity of recipients', NULL),
	('iso27559', 2, '6.3', 'Transparency and impact assessment', NULL),
	('iso27559', 3, '7.2.2', 'Data principals', '$.people'),
	('iso27559', 4, '7.2.4', 'Types of attributes', '$.columns'),
	('iso27559', 5, '7.2.5', 'Properties of the data set', '$.missing'),
	('iso27559', 6, '7.3.2', 'Maximum or average risk', '$.risk'),
	('iso27559', 7, '7.3.3', 'Attack on a population or on a sample', '$.risk.residual.journalist'),
	('iso27559', 8, '7.3.4', 'Models of privacy', '$.promises'),
	('iso27559', 9, '8.2.2', 'Quantified identifiability', '$.risk.residual'),
	('iso27559', 10, '8.2.3', 'Adversarial testing', '$.questions'),
	('iso27559', 11, '8.3.2', 'Reconfiguring the environment', NULL),
	('iso27559', 12, '8.3.3', 'Transforming the data', '$.technique'),
	('iso27559', 13, '8.3.4', 'Re-evaluation', '$.verified'),
	('iso27559', 14, '9.2', 'Governance before data are made available', NULL),
	('iso27559', 15, '9.3', 'Monitoring after data are made available', '$.combined');

-- A number in json, which somebody may have written by hand; NULL if it is none, or of a size that nothing has here: then
-- products and sums of those that remain are numbers, too.
CREATE FUNCTION anonopt.json_number(value jsonb) RETURNS float8
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT CASE WHEN jsonb_typeof(value) = 'number' AND (value = '0' OR abs(value::text::numeric) BETWEEN 1e-30 AND 1e30) THEN value::float8 END;
END;

-- The version that makes a release, and a digest of what is declared of its data set.
CREATE FUNCTION anonopt.origin(dataset text) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT jsonb_build_object('version', (SELECT e.extversion FROM pg_catalog.pg_extension e WHERE e.extname = 'anonopt'),
		'declaration', encode(sha256(convert_to(concat_ws(E'\n', (SELECT string_agg(concat_ws(' ', a.ordinal, quote_ident(a.column_name), a.role, quote_literal(a.hierarchy),
				a.weight, a.min_level, a.max_level, a.distance, a.unknown, a.loss_counts), E'\n' ORDER BY a.ordinal) FROM anonopt.attribute a WHERE a.dataset = origin.dataset),
			(SELECT string_agg(concat_ws(' ', p.model, quote_ident(p.column_name), p.threshold, p.c, quote_literal(p.population), p.columns_known, p.rows_known),
				E'\n' ORDER BY p.model, p.column_name, p.columns_known, p.rows_known) FROM anonopt.promise p WHERE p.dataset = origin.dataset)), 'UTF8')), 'hex'));
END;

REVOKE ALL ON FUNCTION anonopt.origin(text) FROM PUBLIC;

-- A moment, whatever the session's time zone.
CREATE FUNCTION anonopt.utc_text(moment timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT to_char(timezone('UTC', moment), 'YYYY-MM-DD"T"HH24:MI:SS"Z"');
END;

-- What verify found of a promise about single columns, or against who knows some columns or rows, among the others it found.
CREATE FUNCTION anonopt.found_of(others jsonb, model text, "column" text, columns_known int, rows_known int) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT COALESCE(f.found -> 'columns' -> found_of."column", f.found) -> 'measured' FROM (SELECT others -> (model || CASE
		WHEN columns_known = 1 THEN ' for any column' WHEN columns_known > 1 THEN format(' for any %s columns', columns_known)
		WHEN rows_known = 1 THEN ' for any row of a person' WHEN rows_known > 1 THEN format(' for any %s rows of a person', rows_known) ELSE '' END)) f (found);
END;

-- Risks by attacker, of the sizes of classes that figures have; a threshold must be more than a hundredth.
CREATE FUNCTION anonopt.risk_of_sizes(figures jsonb, threshold float8) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT figures || jsonb_build_object('prosecutor', jsonb_build_object('highest', figures -> 'highest', 'average', figures -> 'average',
			'above', (SELECT COALESCE(sum(anonopt.json_number(s -> 0) * anonopt.json_number(s -> 1)), 0) / NULLIF(anonopt.json_number(figures -> 'people'), 0)
				FROM jsonb_path_query(figures, '$.sizes[*]') s WHERE 1 / NULLIF(anonopt.json_number(s -> 0), 0) > threshold)),
		'journalist', jsonb_build_object('highest_at_most', figures -> 'highest'),
		'marketer', jsonb_build_object('expected', figures -> 'average'))
	WHERE jsonb_typeof(figures) = 'object';
END;

-- The evidence about a release, by its entry alone: nothing else is read, so that who may read no data gets the same as its owner.
-- Names of releases of which the reader is not told are left out.
CREATE FUNCTION anonopt.evidence_of(a anonopt.auditor, reader oid, threshold float8, standard text, recipient text) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL RESTRICTED
BEGIN ATOMIC
	WITH combined AS (
		-- the newer of two releases has counted their links; those of an older one of the same name are among them
		SELECT COALESCE(jsonb_agg(jsonb_build_object('name', o.name, 'published_at', anonopt.utc_text(o.published_at), 'smallest_together', o.figures -> 'together',
			'linkage', (SELECT COALESCE(jsonb_agg(jsonb_build_object('of', o.name) || l.l ORDER BY l.i), '[]')
				FROM jsonb_path_query(o.figures, '$.links[*] ? (@.target == $name)', jsonb_build_object('name', a.name)) WITH ORDINALITY l (l, i))) ORDER BY o.published_at, o.id), '[]') AS releases,
			least(min(anonopt.json_number(o.figures -> 'together')), anonopt.json_number(a.figures -> 'together')) AS together,
			-- what is drawn by chance is linked with nothing
			COALESCE(jsonb_agg(o.name ORDER BY o.published_at, o.id) FILTER (WHERE a.epsilon IS NULL AND o.epsilon IS NULL AND NOT COALESCE(
				jsonb_path_exists(o.figures, '$.links[*] ? (@.target == $name)', jsonb_build_object('name', a.name))
				OR jsonb_path_exists(a.figures, '$.links[*] ? (@.target == $name)', jsonb_build_object('name', o.name)), false)), '[]') AS uncounted
		FROM anonopt.published p CROSS JOIN LATERAL anonopt.releases_of_people(
			CASE WHEN p.made_in = anonopt.this_database() THEN anonopt.as_oid(p.source) ELSE to_regclass(left(p.source_name, 300)) END,
			(SELECT r.oid FROM pg_catalog.pg_roles r WHERE r.rolname = p.published_by)) r (id)
		JOIN anonopt.published o ON o.id = r.id AND o.id <> p.id
		WHERE p.id = a.id AND (has_table_privilege(reader, 'anonopt.auditor', 'SELECT') OR anonopt.is_told_of(reader, o.published_by))),
	-- columns that show values as they are; NULL: nobody has counted
	plain AS (SELECT CASE WHEN jsonb_typeof(a.figures -> 'columns') = 'array'
		THEN jsonb_path_query_array(a.figures, '$.columns[*] ? (@.shown == "sensitive" || @.shown == "unchanged")') END AS columns),
	fact AS (
		SELECT jsonb_build_object(
			'schema', 1,
			'extension', 'anonopt ' || (a.figures ->> 'version'),
			'release', jsonb_build_object('name', a.name, 'id', a.id, 'form', a.form, 'dataset', a.dataset, 'source', a.source,
				'published_by', a.published_by, 'published_at', anonopt.utc_text(a.published_at),
				'filled_by', a.filled_by, 'filled_at', anonopt.utc_text(a.filled_at)),
			'recipient', recipient,
			'declaration_sha256', a.figures -> 'declaration',
			'technique', jsonb_build_object('generalization', CASE WHEN a.levels IS NOT NULL THEN 'levels' WHEN a.cuts IS NOT NULL THEN 'cuts'
					WHEN a.recoding IS NOT NULL THEN 'recoding' ELSE 'records' END,
				'levels', a.levels, 'recoding', a.recoding, 'labels', a.labels, 'columns_as', a.columns_as, 'shown', a.shown, 'suppressed', a.suppressed,
				'epsilon', a.epsilon, 'delta', a.delta, 'beta', a.beta, 'hierarchies_vouched', CASE WHEN a.epsilon IS NOT NULL THEN a.vouched = 'yes' END),
			'columns', (SELECT COALESCE(jsonb_agg(CASE WHEN h.place IS NULL THEN c.c ELSE c.c || jsonb_build_object(
					'hierarchy', a.hierarchies[h.place], 'hierarchy_sha256', a.hierarchy_hashes[h.place]) END ORDER BY c.i), '[]')
				FROM jsonb_path_query(a.figures, '$.columns[*]') WITH ORDINALITY c (c, i)
				LEFT JOIN LATERAL (SELECT array_position(a.generalized::text[], c.c ->> 'column') AS place) h ON jsonb_typeof(c.c) = 'object'),
			'promises', (SELECT COALESCE(jsonb_agg(jsonb_build_object('model', p.model, 'column', p."column", 'columns_known', p.columns_known,
					'rows_known', p.rows_known, 'threshold', p.threshold, 'c', p.c, 'population', p.population,
					'measured', jsonb_path_query_array(a.figures, '$.measured[*]') -> (p.place - 1)::int,
					'verified', CASE WHEN p.general THEN a.verified -> p.model -> 'measured'
						ELSE anonopt.found_of(a.verified -> 'others', p.model, p."column", p.columns_known, p.rows_known) END) ORDER BY p.place), '[]')
				FROM (SELECT row_number() OVER (ORDER BY x.general DESC, x.i) AS place, x.* FROM (
					SELECT true AS general, g.i, g.model, NULL AS "column", NULL::int AS columns_known, NULL::int AS rows_known, g.threshold, NULL::float8 AS c, NULL AS population
					FROM (VALUES (1, 'k', a.k::float8), (2, 'l', a.l::float8), (3, 't', a.t)) g (i, model, threshold) WHERE g.threshold IS NOT NULL
					UNION ALL
					SELECT false, d.i, d.model, d."column", d.columns_known, d.rows_known, d.threshold, d.c, d.population
					FROM jsonb_array_elements(a.promises) WITH ORDINALITY e (e, i) CROSS JOIN LATERAL (SELECT e.i, e.e ->> 'model' AS model, e.e ->> 'column' AS "column",
						(e.e ->> 'columns_known')::int AS columns_known, (e.e ->> 'rows_known')::int AS rows_known, (e.e ->> 'threshold')::float8 AS threshold,
						(e.e ->> 'c')::float8 AS c, e.e ->> 'population' AS population) d) x) p),
			'uncovered', (SELECT CASE WHEN plain.columns IS NOT NULL THEN COALESCE(jsonb_agg(c.c ->> 'column' ORDER BY c.i), '[]') END FROM jsonb_array_elements(plain.columns) WITH ORDINALITY c (c, i)
				WHERE a.epsilon IS NULL AND (c.c ->> 'shown' = 'unchanged' OR (COALESCE(a.l::float8, a.t) IS NULL
					AND NOT EXISTS (SELECT FROM jsonb_array_elements(a.promises) q WHERE q ->> 'column' = c.c ->> 'column')))),
			'verified', jsonb_build_object('at', anonopt.utc_text(a.verified_at), 'ok', a.verified_ok,
				'by', CASE WHEN a.verified IS NULL THEN 'publishing' ELSE 'verify' END, 'found', a.verified),
			'people', COALESCE(a.measures -> 'people', a.figures -> 'attacks' -> 'initial' -> 'people'),
			'threshold', threshold,
			'k_of_threshold', ceil(1 / threshold),
			'risk', jsonb_build_object('initial', anonopt.risk_of_sizes(a.figures -> 'attacks' -> 'initial', threshold), 'residual', anonopt.risk_of_sizes(a.figures -> 'residual', threshold)),
			'missing', jsonb_build_object('left_out', a.measures -> 'suppressed', 'starred', a.measures -> 'starred',
				'held_back', held.people, 'held_since', held.since, 'columns', a.figures -> 'missing'),
			'loss', jsonb_build_object('glm', a.measures -> 'glm', 'nwp', a.measures -> 'nwp', 'cm', a.measures -> 'cm'),
			'combined', jsonb_build_object('smallest_together', c.together, 'smallest_difference', a.smallest_difference, 'releases', c.releases),
			'questions', jsonb_build_object(
				'singling_out', jsonb_path_query_array(a.figures, '$.attacks.residual[*] ? (@.attack == "singling_out")'),
				'linkability', jsonb_build_object(
					'alone_by_value', CASE WHEN NOT jsonb_path_exists(plain.columns, '$[*] ? (!exists(@.alone))') THEN jsonb_path_query_array(plain.columns, '$[*] ? (@.alone > 0)') END,
					'smallest_together', c.together,
					-- the reader may be told of fewer releases than who published this one
					'attack', (SELECT COALESCE(jsonb_agg(jsonb_build_object('of', a.name) || l.l || CASE WHEN jsonb_path_exists(c.releases, '$[*] ? (@.name == $name)', jsonb_build_object('name', l.l -> 'target'))
						THEN '{}'::jsonb ELSE '{"target": null}'::jsonb END ORDER BY l.i), '[]') FROM jsonb_path_query(a.figures, '$.links[*] ? (@.type() == "object")') WITH ORDINALITY l (l, i))
						|| jsonb_path_query_array(c.releases, '$[*].linkage[*]'),
					'uncounted', c.uncounted),
				'inference', jsonb_path_query_array(a.figures, '$.attacks.residual[*] ? (@.attack == "inference")'))) AS doc
		FROM combined c CROSS JOIN plain CROSS JOIN (SELECT least(COALESCE(sum(h.waiting), 0), 9223372036854775807) AS people, anonopt.utc_text(min(h.since)) AS since
			FROM anonopt.published_held h WHERE h.id = a.id) held)
	SELECT f.doc || CASE WHEN standard IS NULL THEN '{}' ELSE jsonb_build_object('standard', standard, 'clauses',
		(SELECT jsonb_agg(jsonb_build_object('clause', c.clause, 'asks', c.asks, 'answer',
			COALESCE(NULLIF(NULLIF(CASE WHEN c.answer IS NOT NULL THEN jsonb_path_query_first(f.doc, c.answer) END, 'null'), '[]'), '"not answered"')) ORDER BY c.ordinal)
		FROM anonopt.clause c WHERE c.standard = evidence_of.standard)) END
	FROM fact f;
END;

CREATE FUNCTION anonopt.evidence(release regclass, standard text DEFAULT NULL, recipient text DEFAULT NULL)
RETURNS jsonb AS 'MODULE_PATHNAME', 'anonopt_evidence' LANGUAGE C STABLE PARALLEL RESTRICTED;
