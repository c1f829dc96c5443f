-- Reports -----------------------------------------------------------------------

-- A share in per cent.
CREATE FUNCTION anonopt.percent(share float8) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN share IS NULL THEN '' WHEN share <> 0 AND abs(share) < 0.001 THEN '< 0.1 %' ELSE round(share::numeric * 100, 1)::text || ' %' END
$$;

-- A number of people, in words, and what is said of them.
CREATE FUNCTION anonopt.people_text(people float8, said text DEFAULT NULL) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN people = 1 THEN '1 person' WHEN people IS NOT NULL THEN anonopt.short_number(people) || ' people' END || coalesce(CASE WHEN people = 1 THEN ' is ' ELSE ' are ' END || said, '')
$$;

-- A bound on a chance, in words.
CREATE FUNCTION anonopt.chance_text(chance float8) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN chance < 0.001 THEN 'less than 0.1 %' ELSE 'at most ' || anonopt.percent(chance) END
$$;

-- What the measures of a release count where people have several rows: rows.
CREATE FUNCTION anonopt.rows_text(rows float8, measures jsonb, said text DEFAULT NULL) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN measures ? 'rows' THEN replace(replace(x, 'person', 'row'), 'people', 'rows') ELSE x END FROM anonopt.people_text(rows, said) x
$$;

-- Who shares a class of so many people with somebody.
CREATE FUNCTION anonopt.others_text(k float8) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN k = 1 THEN 'Somebody is the only one with all their generalized values' WHEN k > 1 THEN format('Everybody shares all generalized values with at least %s %s',
		anonopt.short_number(k - 1), CASE WHEN k = 2 THEN 'other person' ELSE 'others' END) END
$$;

-- The number of rows that a release was made from.
CREATE FUNCTION anonopt.rows_measured(measures jsonb) RETURNS float8
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT coalesce(anonopt.json_number(measures -> 'rows'), anonopt.json_number(measures -> 'people'))
$$;

-- A release for the report: its entry, its current state, and what an officer asks about it.
CREATE TYPE anonopt.reported AS (
	release regclass,
	name text,
	entry jsonb,
	unchanged name[],
	sensitive name[],
	pseudonyms name[],
	verified jsonb,
	before jsonb,
	after jsonb,
	-- of release_bands, with the column's name and place; NULL for a release by records or a sample
	values jsonb,
	-- above which a risk is too high; and how many people share each value that is named
	threshold float8,
	least int,
	-- what anonopt.evidence says; and whether all else is from there, because the release could not be measured now
	evidence jsonb,
	kept boolean
);

-- Which promise an error of reading its population is about, and why, for the page: names, but no value, which errors of other
-- words may have; NULL if it is about something else.
CREATE FUNCTION anonopt.report_unmeasured(state text, message text, context text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN message LIKE 'population of promise %' THEN message
		ELSE substring(context, '(?n)^population of promise .*$') || ': '
			|| CASE WHEN message ~ '^(permission denied for |column "[^"]*" of relation .* does not exist$|column "[^"]*" does not match hierarchy )' THEN message
				ELSE format('reading it fails with SQLSTATE %s', state) END END
$$;

-- Measures an existing release.
CREATE FUNCTION anonopt.report_measure(dataset text, release regclass, source_risk jsonb, threshold float8 DEFAULT 0.2) RETURNS anonopt.reported
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	found anonopt.reported;
	entry record;
	context text;
BEGIN
	found.release := release;
	found.verified := to_jsonb(anonopt.verify(release));
	-- the following is planned as the caller, and may run the owner's expressions in statistics or
	-- indexes
	IF (SELECT c.relowner FROM pg_class c WHERE c.oid = release) <> (SELECT o.oid FROM pg_roles o WHERE o.rolname = current_user) THEN
		RAISE EXCEPTION 'must be owner of release %', release USING ERRCODE = '42501',
			HINT = format('SET ROLE %s first.', (SELECT c.relowner::regrole FROM pg_class c WHERE c.oid = release));
	END IF;
	SELECT r.* INTO STRICT entry FROM anonopt.release r WHERE r.release = report_measure.release AND NOT r.dropped ORDER BY r.published_at DESC LIMIT 1;
	found.name := release::text;
	found.threshold := threshold;
	found.least := greatest(2, ceil(1 / threshold), anonopt.json_number(found.verified -> 'promised_k'));
	found.entry := to_jsonb(entry);
	-- the comment says so too, but the release's owner may replace it
	found.unchanged := ARRAY(SELECT c.attname FROM pg_attribute c WHERE c.attrelid = release AND c.attnum > 0 AND NOT c.attisdropped
		AND c.attname <> ALL (entry.generalized || entry.class_columns || '{anonopt_suppressed}'::name[]) ORDER BY c.attnum);
	found.sensitive := ARRAY(SELECT c FROM unnest(found.unchanged) c WHERE EXISTS (SELECT FROM anonopt.attribute a
		WHERE a.dataset = entry.dataset AND a.role = 'sensitive' AND a.column_name = c));
	found.pseudonyms := ARRAY(SELECT c FROM unnest(found.unchanged) c WHERE EXISTS (SELECT FROM anonopt.attribute a
		WHERE a.dataset = entry.dataset AND a.role = 'pseudonym' AND a.column_name = c));
	found.before := source_risk;
	-- a release does not show whose rows it has
	IF NOT entry.measures ? 'rows' THEN
		found.after := (SELECT to_jsonb(r) FROM anonopt.risk(release, entry.class_columns, threshold) r);
	END IF;
	-- nor whom it leaves out with all their rows, and a sample whom it draws
	IF entry.epsilon IS NULL AND (entry.levels IS NOT NULL OR entry.cuts IS NOT NULL OR entry.recoding IS NOT NULL)
		AND NOT EXISTS (SELECT FROM jsonb_array_elements(entry.promises) p WHERE p ->> 'rows_known' IS NOT NULL)
		AND NOT EXISTS (SELECT FROM anonopt.promise p WHERE p.dataset = report_measure.dataset AND (p.rows_known IS NOT NULL
			-- which no recoding can keep, so that this one cannot be made again
			OR (entry.recoding IS NOT NULL AND (p.columns_known IS NOT NULL OR p.model = 'presence')))) THEN
		BEGIN
			found.values := (SELECT jsonb_agg(to_jsonb(d)) FROM anonopt.release_bands(dataset, release,
				-- bands count rows: so many that no fewer people have them, if nobody has more than the most; or no number is enough
				CASE WHEN entry.measures ? 'rows' OR (SELECT p.person IS NOT NULL FROM anonopt.dataset p WHERE p.dataset = report_measure.dataset)
					THEN least(coalesce((found.least - 1) * anonopt.json_number(source_risk -> 'most_rows') + 1, 'Infinity'), 2147483647)::int ELSE found.least END) d);
		EXCEPTION WHEN OTHERS THEN
			GET STACKED DIAGNOSTICS context = PG_EXCEPTION_CONTEXT;
			-- which the rest of the report says
			IF anonopt.report_unmeasured(SQLSTATE, SQLERRM, context) IS NULL THEN
				RAISE;
			END IF;
		END;
	END IF;
	found.evidence := anonopt.evidence(release);
	RETURN found;
END $$;

-- A release as its entry and the evidence have it, for whoever may not read it, or has not the time or memory to measure it.
CREATE FUNCTION anonopt.report_kept(entry jsonb, evidence jsonb, threshold float8) RETURNS anonopt.reported
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	found anonopt.reported;
	verified jsonb := nullif(evidence -> 'verified' -> 'found', 'null');
	residual jsonb := anonopt.risk_of_sizes(evidence -> 'risk' -> 'residual', threshold);
	measures jsonb := entry -> 'measures';
	risk jsonb;
BEGIN
	found.name := entry ->> 'name';
	found.entry := entry;
	found.threshold := threshold;
	found.evidence := evidence;
	found.kept := true;
	found.unchanged := ARRAY(SELECT (c ->> 'column')::name FROM jsonb_path_query(evidence, '$.columns[*] ? (@.shown == "sensitive" || @.shown == "unchanged" || @.shown == "pseudonyms")') c);
	found.sensitive := ARRAY(SELECT (c ->> 'column')::name FROM jsonb_path_query(evidence, '$.columns[*] ? (@.shown == "sensitive")') c);
	found.pseudonyms := ARRAY(SELECT (c ->> 'column')::name FROM jsonb_path_query(evidence, '$.columns[*] ? (@.shown == "pseudonyms")') c);
	found.verified := jsonb_build_object('promised_k', entry -> 'k', 'promised_l', entry -> 'l', 'promised_t', entry -> 't', 'ok', entry -> 'verified_ok',
		-- a class has no more people than rows
		'k', coalesce(anonopt.json_number(verified -> 'k' -> 'measured'), least(anonopt.json_number(residual -> 'smallest'), CASE WHEN residual ->> 'counted' = 'rows' OR residual IS NULL
			THEN anonopt.json_number(measures -> 'k') END)),
		'l', anonopt.json_number(CASE WHEN verified IS NULL THEN measures -> 'l' ELSE verified -> 'l' -> 'measured' END),
		't', anonopt.json_number(CASE WHEN verified IS NULL THEN measures -> 't' ELSE verified -> 't' -> 'measured' END),
		'rows', coalesce(anonopt.json_number(verified -> 'rows'), anonopt.json_number(residual -> 'rows'), anonopt.json_number(residual -> 'people')), 'others', verified -> 'others',
		'held_back', evidence -> 'missing' -> 'held_back', 'held_since', evidence -> 'missing' -> 'held_since');
	risk := anonopt.risk_of_sizes(evidence -> 'risk' -> 'initial', threshold);
	found.before := jsonb_build_object('highest', anonopt.json_number(risk -> 'highest'), 'average', anonopt.json_number(risk -> 'average'),
		'uniques', anonopt.json_number(risk -> 'alone'), 'share_above', risk -> 'prosecutor' -> 'above');
	IF residual ->> 'counted' IS DISTINCT FROM 'rows' THEN
		found.after := jsonb_build_object('average', anonopt.json_number(residual -> 'average'), 'uniques', anonopt.json_number(residual -> 'alone'),
			'share_above', residual -> 'prosecutor' -> 'above');
	END IF;
	RETURN found;
END $$;

-- A promise other than k, l and t of each class, in words.
CREATE FUNCTION anonopt.promise_text(model text, threshold float8, c float8, columns_known int, rows_known int) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN columns_known IS NOT NULL THEN format('anyone who knows any %s of a person''s generalized columns finds at least %s',
			anonopt.short_number(columns_known), CASE WHEN model LIKE 'l%' THEN anonopt.short_number(threshold) || ' different sensitive values' ELSE anonopt.people_text(threshold) END)
		WHEN rows_known IS NOT NULL THEN format('anyone who knows any %s rows of a person finds at least %s with such rows',
			anonopt.short_number(rows_known), anonopt.people_text(threshold))
		ELSE CASE model WHEN 'l' THEN format('l = %s', anonopt.short_number(threshold))
		WHEN 't' THEN format('t = %s', anonopt.short_number(threshold))
		WHEN 'alpha' THEN format('no sensitive value has more than %s of a class', anonopt.percent(threshold))
		WHEN 'entropy_l' THEN format('entropy l-diversity of at least %s', anonopt.short_number(threshold))
		WHEN 'recursive_l' THEN format('recursive (c, l)-diversity with c = %s, l = %s', anonopt.short_number(c), anonopt.short_number(threshold))
		WHEN 'beta' THEN format('beta-likeness of at most %s', anonopt.short_number(threshold))
		WHEN 'disclosure' THEN format('delta-disclosure of at most %s', anonopt.short_number(threshold))
		WHEN 'k_map' THEN format('each class fits at least %s of the population', anonopt.people_text(threshold))
		WHEN 'presence' THEN format('the chance that a person is in the data is at most %s', anonopt.percent(threshold)) || CASE WHEN c > 0 THEN ' and at least ' || anonopt.percent(c) ELSE '' END
		WHEN 'average_risk' THEN format('an average risk of at most %s', anonopt.percent(threshold))
		WHEN 'share_above' THEN format('at most %s of the people have a risk above %s', anonopt.percent(threshold), anonopt.percent(c))
		WHEN 'possible_tuples' THEN format('in a class with several combinations of values under its labels, at least %s are possible', anonopt.short_number(threshold))
		ELSE format('%s: %s', model, anonopt.short_number(threshold)) END END
$$;

-- A release's promises other than k, l and t of each class: what is declared of single columns, people elsewhere, or what attackers know.
CREATE FUNCTION anonopt.report_others(r anonopt.reported, OUT model text, OUT "column" text, OUT promise text, OUT written float8, OUT measured float8) RETURNS SETOF record
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT p.model, p."column", anonopt.promise_text(p.model, p.threshold, p.c, p.columns_known, p.rows_known) || coalesce(' in ' || p."column", ''),
		(SELECT anonopt.json_number(e -> 'measured') FROM jsonb_path_query(r.evidence, '$.promises[*]') e WHERE (e ->> 'model', e ->> 'column', e -> 'columns_known', e -> 'rows_known', e -> 'threshold')
			IS NOT DISTINCT FROM (p.model, p."column", coalesce(to_jsonb(p.columns_known), 'null'), coalesce(to_jsonb(p.rows_known), 'null'), to_jsonb(p.threshold)) LIMIT 1),
		anonopt.json_number(anonopt.found_of(r.verified -> 'others', p.model, p."column", p.columns_known, p.rows_known))
	FROM jsonb_to_recordset(r.entry -> 'promises') p (model text, "column" text, threshold float8, c float8, columns_known int, rows_known int)
	-- what is promised of all columns stands there
	WHERE p.columns_known IS NOT NULL OR p.rows_known IS NOT NULL
		OR p.threshold IS DISTINCT FROM CASE p.model WHEN 'l' THEN r.verified ->> 'promised_l' WHEN 't' THEN r.verified ->> 'promised_t' END::float8
	ORDER BY coalesce(p.columns_known, p.rows_known) IS NOT NULL, coalesce(p.columns_known, p.rows_known) IS NULL AND p.model NOT IN ('l', 't'), p.model, p."column", p.columns_known NULLS FIRST, p.rows_known NULLS FIRST
$$;

-- What is promised of a model, l or t: of all columns, or of some.
CREATE FUNCTION anonopt.report_promised(r anonopt.reported, model text) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT coalesce(r.verified ->> ('promised_' || report_promised.model),
		(SELECT string_agg(o.promise, '; ') FROM anonopt.report_others(r) o WHERE o.model = report_promised.model AND o.promise LIKE o.model || ' =%'), 'not promised')
$$;

-- The promises of a release, in words.
CREATE FUNCTION anonopt.report_promise(r anonopt.reported) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT concat_ws('; ', format('k = %s by %s', r.verified ->> 'promised_k',
			(SELECT string_agg(g, ', ' ORDER BY i) FROM jsonb_array_elements_text(r.entry -> 'generalized') WITH ORDINALITY x (g, i))),
		'l = ' || (r.verified ->> 'promised_l') || ' in ' || array_to_string(r.sensitive, ', '),
		't = ' || (r.verified ->> 'promised_t') || ' in ' || array_to_string(r.sensitive, ', '),
		(SELECT string_agg(o.promise, '; ') FROM anonopt.report_others(r) o))
$$;

-- Columns that are shown without a promise about them; NULL if there are none.
CREATE FUNCTION anonopt.report_uncovered(r anonopt.reported) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN r.kept AND jsonb_typeof(r.evidence -> 'columns') IS NOT DISTINCT FROM 'array' AND r.evidence -> 'uncovered' = 'null' THEN 'which columns is not known' ELSE string_agg(c, ', ' ORDER BY i) END
	FROM unnest(r.unchanged) WITH ORDINALITY x (c, i)
	WHERE r.entry ->> 'epsilon' IS NULL AND c <> ALL (r.pseudonyms)
		AND (c <> ALL (r.sensitive) OR coalesce(r.verified ->> 'promised_l', r.verified ->> 'promised_t') IS NULL)
		AND NOT EXISTS (SELECT FROM jsonb_array_elements(r.entry -> 'promises') p WHERE p ->> 'column' = c)
$$;

-- What is spent, in words; NULL if nothing is.
CREATE FUNCTION anonopt.privacy_text(spent jsonb) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT format('epsilon = %s and delta = %s', spent ->> 'epsilon', spent ->> 'delta') WHERE spent ->> 'epsilon' IS NOT NULL
$$;

-- The bands of values of which a release shows nobody, at most five; NULL if there are none.
CREATE FUNCTION anonopt.report_gone(r anonopt.reported) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT string_agg(format('%s %s (%s)', column_name, coalesce(value, 'of other values'), anonopt.people_text(people)), ', ' ORDER BY i)
		|| CASE WHEN max(n) > 5 THEN format(' and in %s more groups.', max(n) - 5) ELSE '.' END
	FROM (SELECT column_name, value, people, count(*) OVER () AS n, row_number() OVER (ORDER BY people DESC, column_name, value) AS i
		FROM jsonb_to_recordset(r.values) v (column_name text, value text, people bigint, left_out bigint)
		WHERE people > 0 AND left_out = people) g
	WHERE i <= 5
$$;

-- A moment of the evidence, to the minute.
CREATE FUNCTION anonopt.moment_text(moment text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT replace(left(moment, 16), 'T', ' ') || ' UTC'
$$;

-- When figures of a release that is not measured now were counted; NULL if it is.
CREATE FUNCTION anonopt.report_dates(r anonopt.reported) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN verified THEN format('What verify found on %s: the smallest class, the rows, and whether promises are kept.', anonopt.moment_text(r.evidence -> 'verified' ->> 'at'))
		ELSE 'Nobody has called verify since ' || CASE WHEN filled IS NULL THEN 'it was published.' ELSE 'its rows were written.' END END
		|| CASE WHEN filled IS NULL THEN ' It shows other rows at every reading, which are not counted.'
			ELSE format(' All%s figures were counted when its rows were written, on %s.', CASE WHEN verified THEN ' other' ELSE '' END, filled) END
	FROM (SELECT jsonb_typeof(r.evidence -> 'verified' -> 'found') = 'object' IS TRUE AS verified, anonopt.moment_text(r.evidence -> 'release' ->> 'filled_at') AS filled) x
	WHERE r.release IS NULL
$$;

-- The verdict on a release: whether it keeps its promises, which risks remain, and who is missing.
CREATE FUNCTION anonopt.report_verdict(r anonopt.reported, together bigint) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT anonopt.fill($html$
<section class="verdict {{class}}">
<h3>{{name}}: {{verdict}}</h3>
<ul>
<li>Promised: {{promise}}.</li>
<li>{{rows}}. {{others}}, so an attacker who knows these values picks the right row with a chance of {{chance}}{{before}}.</li>
<li>Nobody is {{shown}}.</li>
<li>Each class holds at least {{l}} different sensitive values.</li>
<li>Each class holds at least {{one}} different sensitive value. In a class with one value everybody has it, so an attacker learns it without picking a row.</li>
<li>Differentially private, if levels and hierarchies were chosen without looking at the data: {{private}}. That cannot be measured.</li>
<li class="warning">This page counts the {{original}}. It is not differentially private, and not for the readers of the release.</li>
<li>Nobody is {{nobody}}.</li>
<li>Left out or shown only as stars: {{left_out}}.{{gone}}</li>
<li>Held back, and not shown as they are now: {{held}}. Their classes would differ from what was shown before by too few people.</li>
<li>Shown, and covered by no promise: {{uncovered}}.</li>
<li>Shown as pseudonyms, which link the rows of one person: {{pseudonyms}}.</li>
<li>{{dates}}</li>
<li class="warning">Of {{alone}}: whoever knows such a value finds the row, whatever the other columns show.</li>
<li class="warning">Together with other releases of the same data, the smallest class is {{together}}: anyone who has all of them can learn more than this release promises.</li>
</ul>
</section>$html$, jsonb_build_object(
		'class', CASE WHEN kept AND (broken_together OR alone IS NOT NULL) THEN 'warned' WHEN kept THEN 'kept' ELSE 'broken' END,
		'name', r.name,
		'verdict', CASE WHEN kept THEN 'the promise is kept' || CASE WHEN broken_together THEN ' by this release alone' WHEN alone IS NOT NULL THEN ', but values tell people apart' ELSE '' END
			WHEN NOT kept THEN 'the promise is NOT kept' ELSE 'not all of the promise can be measured' END,
		'promise', anonopt.report_promise(r),
		'rows', anonopt.rows_text(anonopt.json_number(r.verified -> 'rows'), measures, 'shown'),
		'others', anonopt.others_text(anonopt.json_number(r.verified -> 'k')),
		'chance', anonopt.chance_text(1 / nullif(anonopt.json_number(r.verified -> 'k'), 0)),
		'dates', anonopt.report_dates(r),
		'before', coalesce(' (before: ' || nullif(anonopt.percent(anonopt.json_number(r.before -> 'highest')), '') || ')', ''),
		'l', nullif(r.verified ->> 'l', '1'),
		'one', CASE WHEN r.verified ->> 'l' = '1' THEN '1' END,
		'private', 'all contents of the release together spend ' || anonopt.privacy_text(r.entry),
		'original', CASE WHEN r.entry ->> 'epsilon' IS NOT NULL THEN 'original data' END,
		'shown', CASE WHEN r.verified ->> 'rows' = '0' THEN 'shown' END,
		'nobody', CASE WHEN suppressed = 0 AND NOT coalesce(anonopt.json_number(r.verified -> 'held_back') > 0, false) THEN 'left out' END,
		'left_out', CASE WHEN suppressed <> 0 THEN format('%s of %s', anonopt.rows_text(suppressed, measures), anonopt.short_number(anonopt.rows_measured(measures))) END,
		'gone', coalesce(' Nobody is shown with ' || anonopt.report_gone(r), ''),
		'held', CASE WHEN anonopt.json_number(r.verified -> 'held_back') > 0 THEN concat(anonopt.rows_text(anonopt.json_number(r.verified -> 'held_back'), measures),
			', some since ' || left(r.verified ->> 'held_since', 10)) END,
		'uncovered', anonopt.report_uncovered(r),
		'pseudonyms', nullif(array_to_string(r.pseudonyms, ', '), ''),
		'alone', alone,
		'together', CASE WHEN broken_together THEN together END))
	FROM (SELECT (SELECT string_agg(format('%s, %s', c ->> 'column', anonopt.rows_text(anonopt.json_number(c -> 'alone'), r.entry -> 'measures', 'shown with a value that nobody else has')), '; ')
			FROM jsonb_path_query(r.evidence, '$.questions.linkability.alone_by_value[*] ? (@.alone > 0)') c) AS alone,  (r.verified ->> 'ok')::boolean AS kept, r.entry -> 'measures' AS measures, anonopt.json_number(r.entry -> 'measures' -> 'suppressed') AS suppressed,
		r.entry ->> 'epsilon' IS NULL AND coalesce(together < (r.verified ->> 'promised_k')::bigint, false) AS broken_together) x
$$;

-- Risks before and after, the releases side by side.
CREATE FUNCTION anonopt.report_risk(before jsonb, releases anonopt.reported[], threshold float8) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	WITH risk AS (
		SELECT i, nullif(anonopt.json_number(r.verified -> 'k'), 0) AS k, r.after IS NULL AS hidden, a.* FROM unnest(releases) WITH ORDINALITY
			r (release, name, entry, unchanged, sensitive, pseudonyms, verified, before, after, "values", threshold, least, evidence, kept, i)
		CROSS JOIN LATERAL jsonb_to_record(coalesce(r.after, '{}')) a (average float8, share_above float8, uniques float8)),
	figure AS (
		SELECT x.* FROM jsonb_to_record(coalesce(before, '{}')) b (highest float8, average float8, share_above float8, journalist_highest float8, marketer float8, uniques float8)
		CROSS JOIN LATERAL (VALUES
			(1, 'prosecutor: knows that the person is in the data', 'highest', anonopt.percent(b.highest), (SELECT array_agg(anonopt.percent(1 / k) ORDER BY i) FROM risk)),
			(2, '', 'average', anonopt.percent(b.average), (SELECT array_agg(CASE WHEN hidden THEN 'not shown whose rows they are' ELSE anonopt.percent(average) END ORDER BY i) FROM risk)),
			(3, '', 'people above ' || anonopt.percent(threshold), anonopt.percent(b.share_above),
				(SELECT array_agg(CASE WHEN hidden THEN CASE WHEN k * threshold >= 1 THEN '0.0 %' END ELSE anonopt.percent(share_above) END ORDER BY i) FROM risk)),
			(4, 'journalist: does not know whether the person is in the data', 'highest', coalesce(nullif(anonopt.percent(b.journalist_highest), ''), 'at most ' || anonopt.percent(b.highest)),
				(SELECT array_agg('at most ' || anonopt.percent(1 / k) ORDER BY i) FROM risk)),
			(5, 'marketer: wants to recognize as many as possible', 'expected share of people', anonopt.percent(coalesce(b.marketer, b.average)),
				(SELECT array_agg(anonopt.percent(average) ORDER BY i) FROM risk)),
			(6, '', 'people alone in their class', anonopt.short_number(b.uniques),
				(SELECT array_agg(CASE WHEN hidden AND k > 1 THEN '0' ELSE anonopt.short_number(uniques) END ORDER BY i) FROM risk))) x (i, attacker, what, before, after))
	SELECT anonopt.html_table('{attacker,risk,before}'::text[] || (SELECT array_agg(name ORDER BY i) FROM unnest(releases) WITH ORDINALITY
			r (release, name, entry, unchanged, sensitive, pseudonyms, verified, before, after, "values", threshold, least, evidence, kept, i)),
		ARRAY(SELECT anonopt.html_cells(VARIADIC ARRAY[f.attacker, f.what, f.before] || f.after) FROM figure f ORDER BY f.i))
		|| coalesce((SELECT string_agg(format('<p class="note">%s: %s</p>', anonopt.html((releases[j]).name), anonopt.report_dates(releases[j])), E'\n' ORDER BY j)
			FROM generate_subscripts(releases, 1) j
			WHERE (releases[j]).release IS NULL AND (releases[j]).verified -> 'k' IS DISTINCT FROM (releases[j]).evidence -> 'risk' -> 'residual' -> 'smallest'), '')
$$;

-- The names of columns in json, for a sentence.
CREATE FUNCTION anonopt.json_names(names jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT string_agg(n #>> '{}', ', ' ORDER BY i) FROM jsonb_path_query(names, '$[*]') WITH ORDINALITY x (n, i)
$$;

-- One of the three questions about a release, in a sentence, by its evidence.
CREATE FUNCTION anonopt.report_answer(question text, r anonopt.reported) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE question
		WHEN 'singling out' THEN coalesce((SELECT format('Whoever knows %s finds %s of %s for certain; a match is right with a chance of at most %s, and %s on average.',
				coalesce(anonopt.json_names(q -> 'known'), 'all generalized columns'), anonopt.short_number(coalesce(anonopt.json_number(q -> 'certain'), anonopt.json_number(q -> 'alone'))),
				CASE WHEN q ->> 'counted' = 'rows' THEN anonopt.rows_text(anonopt.json_number(q -> 'people'), '{"rows": 0}') ELSE anonopt.people_text(anonopt.json_number(q -> 'people')) END,
				anonopt.percent(anonopt.json_number(q -> 'highest')), anonopt.percent(coalesce(anonopt.json_number(q -> 'expected'), anonopt.json_number(q -> 'average'))))
			-- the most that can be known, or what the classes tell
			FROM (SELECT q, jsonb_array_length(jsonb_path_query_array(q, '$.known[*]')) AS known FROM jsonb_path_query(r.evidence, '$.questions.singling_out[*] ? (@.known.size() > 0)') q
				UNION ALL SELECT r.evidence -> 'risk' -> 'residual', 0) x
			WHERE anonopt.json_number(q -> 'people') IS NOT NULL ORDER BY known DESC LIMIT 1), 'Not counted.')
		WHEN 'linkability' THEN concat_ws(' ',
			(SELECT string_agg(format('Of %s of %s, %s linked with %s for certain, and %s of all links are expected to be right.%s', anonopt.rows_text(anonopt.json_number(q -> 'people'), m),
				CASE WHEN q ->> 'of' = r.evidence -> 'release' ->> 'name' THEN 'this release' ELSE q ->> 'of' END,
				CASE WHEN anonopt.json_number(q -> 'certain') = 1 THEN '1 is' ELSE anonopt.short_number(anonopt.json_number(q -> 'certain')) || ' are' END,
				CASE WHEN q ->> 'target' = r.evidence -> 'release' ->> 'name' THEN 'this one' ELSE coalesce(q ->> 'target', 'a release of others') END,
				anonopt.percent(anonopt.json_number(q -> 'expected')),
				coalesce(' Not compared: ' || anonopt.json_names(q -> 'not_compared') || ', so there may be more.', '')), ' ')
			FROM jsonb_path_query(r.evidence, '$.questions.linkability.attack[*]') q),
			'Links with ' || anonopt.json_names(r.evidence -> 'questions' -> 'linkability' -> 'uncounted') || ' are not counted.',
			(SELECT format('Together with the other releases, the smallest group that can be told apart has %s.', anonopt.people_text(together)) WHERE together > 0),
			(SELECT CASE WHEN jsonb_typeof(r.evidence -> 'questions' -> 'linkability' -> 'alone_by_value') IS DISTINCT FROM 'array' THEN 'Values that nobody else has are not counted.'
				WHEN count(*) = 0 THEN 'No shown value is one person''s alone.' ELSE format('Values that nobody else has link %s.',
				string_agg(format('%s by %s', anonopt.rows_text(anonopt.json_number(q -> 'alone'), m), q ->> 'column'), ', ')) END
			FROM jsonb_path_query(r.evidence, '$.questions.linkability.alone_by_value[*]') q))
		ELSE coalesce(
			(SELECT string_agg(format('The best guess of %s is right for %s of the %s, and would be for %s if their own rows were missing, and for %s with nothing known; it is certain for %s.', q ->> 'target',
				anonopt.percent(anonopt.json_number(q -> 'expected')), CASE WHEN m ? 'rows' THEN 'rows' ELSE 'people' END, anonopt.percent(anonopt.json_number(q -> 'baseline')),
				(SELECT anonopt.percent(anonopt.json_number(n -> 'expected')) FROM jsonb_path_query(r.evidence, '$.questions.inference[*] ? (@.known.size() == 0)') n WHERE n -> 'target' = q -> 'target' LIMIT 1),
				anonopt.rows_text(anonopt.json_number(q -> 'certain'), m)), ' ')
			FROM jsonb_path_query(r.evidence, '$.questions.inference[*] ? (@.known.size() > 0)') q),
			CASE WHEN cardinality(r.sensitive) = 0 THEN 'No sensitive column is shown.'
				WHEN r.verified ->> 'l' IS NOT NULL THEN format('Each class has %s or more different sensitive values.', r.verified ->> 'l') ELSE 'Not measured.' END) END
	FROM (SELECT r.entry -> 'measures' AS m, anonopt.json_number(r.evidence -> 'questions' -> 'linkability' -> 'smallest_together') AS together) x
$$;

-- The three questions that the Article 29 Working Party asks of anonymous data, the releases side by side.
CREATE FUNCTION anonopt.report_questions(releases anonopt.reported[]) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT anonopt.html_table('{question}'::text[] || array_agg((releases[i]).name ORDER BY i),
		ARRAY(SELECT anonopt.html_cells(VARIADIC ARRAY[format('%s: %s', q, asks)] || (SELECT array_agg(anonopt.report_answer(q, releases[j]) ORDER BY j) FROM generate_subscripts(releases, 1) j))
			FROM (VALUES (1, 'singling out', 'can somebody be isolated?'), (2, 'linkability', 'can records of a person be linked?'),
				(3, 'inference', 'can a value be deduced?')) v (place, q, asks) ORDER BY place))
		|| coalesce('<p class="note">Counted when rows were written: ' || (SELECT string_agg(anonopt.html(format('%s on %s', (releases[j]).name, anonopt.moment_text((releases[j]).evidence -> 'release' ->> 'filled_at'))), ', ' ORDER BY j)
			FROM generate_subscripts(releases, 1) j WHERE (releases[j]).evidence -> 'release' ->> 'filled_at' IS NOT NULL) || '.</p>', '')
	FROM generate_subscripts(releases, 1) i HAVING count(*) > 0
$$;

-- Who is left out, by band; those that lose the largest share come first.
CREATE FUNCTION anonopt.report_left_out(r anonopt.reported) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN r.entry ->> 'epsilon' IS NOT NULL THEN '<p>Who is shown was drawn by chance, and who is left out is recorded nowhere.</p>'
		WHEN r.kept AND jsonb_typeof(r.evidence -> 'missing' -> 'columns') IS DISTINCT FROM 'array' THEN '<p>Not counted.</p>'
		WHEN r.kept THEN anonopt.html_table(CASE WHEN r.entry -> 'measures' ? 'rows' THEN '{column,values,values of which nobody is shown,rows with those,largest share that a value loses}'
			ELSE '{column,values,values of which nobody is shown,people with those,largest share that a value loses}' END::text[],
			ARRAY(SELECT anonopt.html_cells(c ->> 'column', anonopt.short_number(anonopt.json_number(c -> 'values')), anonopt.short_number(anonopt.json_number(c -> 'values_gone')),
				anonopt.short_number(anonopt.json_number(c -> 'people_gone')), anonopt.percent(anonopt.json_number(c -> 'largest_share')))
				FROM jsonb_path_query(r.evidence, '$.missing.columns[*]') c))
		WHEN r.values IS NULL THEN format('<p>%s; who is left out is not counted.</p>', CASE
			WHEN coalesce(r.entry ->> 'levels', r.entry ->> 'cuts', r.entry ->> 'recoding') IS NULL THEN 'This release generalizes record by record'
			WHEN r.entry -> 'measures' ? 'rows' THEN 'This release does not show whose rows are whose'
			ELSE 'Promises that were declared since, or cannot be measured now, keep this release from being made again' END)
		WHEN count(*) = 0 THEN '<p>Nobody.</p>'
		ELSE anonopt.html_table('{column,label or band,people,left out,share of all,share of those shown}', array_agg(
				anonopt.html_cells(column_name) || anonopt.fill('<td>{{value}}</td>', jsonb_build_object('value', coalesce(value, 'other values')))
				|| anonopt.html_cells(anonopt.short_number(people), anonopt.short_number(left_out), anonopt.percent(people / nullif(everybody, 0)),
					coalesce(anonopt.percent((people - left_out) / nullif(everybody - nobody, 0)), ''))
				ORDER BY i) FILTER (WHERE i <= 8))
			|| CASE WHEN count(*) > 8 THEN format('<p class="note">%s more groups lose a smaller share of their people.</p>', count(*) - 8) ELSE '' END END
	FROM (SELECT *, row_number() OVER (ORDER BY left_out / people DESC, left_out DESC, column_name, value) AS i
		FROM (SELECT *, sum(people) OVER w AS everybody, sum(left_out) OVER w AS nobody
			FROM jsonb_to_recordset(r.values) v (column_name text, value text, people float8, left_out float8) WINDOW w AS (PARTITION BY column_name)) s
		WHERE left_out > 0) l
$$;

-- A column's distribution before and after, as bars for its bands.
CREATE FUNCTION anonopt.report_bars(r anonopt.reported, column_name text) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	WITH run AS (
		SELECT coalesce(v ->> 'value', 'other values') AS label, coalesce(anonopt.json_number(v -> 'people') / nullif(sum(anonopt.json_number(v -> 'people')) OVER (), 0), 0) AS before,
			coalesce(anonopt.json_number(v -> 'shown') / nullif(sum(anonopt.json_number(v -> 'shown')) OVER (), 0), 0) AS after, i AS place
		FROM jsonb_array_elements(r.values) WITH ORDINALITY x (v, i) WHERE v ->> 'column_name' = report_bars.column_name)
	SELECT anonopt.fill($html$
<table class="bars">
<caption>{{column}}</caption>
<thead><tr><th>label or band</th><th>before</th><th>after</th><th></th></tr></thead>
<tbody>{{&bars}}
</tbody>
</table>$html$, jsonb_build_object('column', column_name, 'bars', string_agg(anonopt.fill($html$
<tr>
<th>{{label}}</th>
<td class="number">{{before}}</td>
<td class="number">{{after}}</td>
<td aria-hidden="true"><span style="width:{{before_width}}%"></span><span class="after" style="width:{{after_width}}%"></span></td>
</tr>$html$, jsonb_build_object(
		'label', label,
		'before', anonopt.percent(before),
		'after', anonopt.percent(after),
		'before_width', round(before::numeric * 100, 1),
		'after_width', round(after::numeric * 100, 1))), '' ORDER BY place)))
	FROM run
$$;

-- What a release is still good for: distributions, associations, and the rest, side by side.
CREATE FUNCTION anonopt.report_utility(dataset text, release regclass) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	WITH utility AS (SELECT * FROM anonopt.utility(dataset, release, 200) WITH ORDINALITY u (measure, columns, before, after, value, i)),
	by_column AS (
		SELECT anonopt.html_cells(u.columns[1], round(u.value::numeric, 3)::text, round(m.value::numeric, 3)::text) AS cells, u.i
		FROM utility u LEFT JOIN utility m ON m.measure = 'earth_movers' AND m.columns = u.columns WHERE u.measure = 'total_variation'),
	pair AS (
		SELECT anonopt.html_cells(array_to_string(u.columns, ', '), round(u.before::numeric, 3)::text, round(u.after::numeric, 3)::text) AS cells, u.i
		FROM utility u WHERE u.measure = 'cramers_v'),
	other AS (
		SELECT anonopt.html_cells(coalesce(m.what, u.measure) || coalesce(' of ' || array_to_string(u.columns, ', '), ''),
			round(u.before::numeric, 3)::text, round(coalesce(u.after, u.value)::numeric, 3)::text) AS cells, u.i
		FROM utility u LEFT JOIN (VALUES
			('range_query_error', 'mean error of random counts'),
			('range_query_error_median', 'median error of random counts'),
			('majority', 'share of the most frequent label'),
			('accuracy', 'accuracy of a classifier'),
			('auc', 'area under the curve of a classifier')) m (measure, what) ON m.measure = u.measure
		WHERE u.measure NOT IN ('total_variation', 'earth_movers', 'cramers_v'))
	SELECT anonopt.fill($html$<div class="columns">
{{&distributions}}
{{&associations}}
{{&others}}
</div>$html$, jsonb_build_object(
		'distributions', (SELECT anonopt.html_part('Change of distributions, 0 to 1',
			anonopt.html_table('{column,total variation,earth mover''s}', array_agg(cells ORDER BY i))) FROM by_column HAVING count(*) > 0),
		'associations', (SELECT anonopt.html_part('Associations (Cramér''s V), 0 to 1',
			anonopt.html_table('{columns,before,after}', array_agg(cells ORDER BY i))) FROM pair HAVING count(*) > 0),
		'others', (SELECT anonopt.html_part('Counts and predictions',
			anonopt.html_table('{measure,before,after}', array_agg(cells ORDER BY i))) FROM other HAVING count(*) > 0)))
$$;

-- The texts that a query over one relation returns, of which no other can take the name.
CREATE FUNCTION anonopt.texts_over(relation regclass, query text) RETURNS text[]
AS 'MODULE_PATHNAME', 'anonopt_texts_over' LANGUAGE C STABLE PARALLEL RESTRICTED STRICT;

-- The sizes of a release's classes, by powers of two.
CREATE FUNCTION anonopt.report_sizes(release regclass, class_columns name[]) RETURNS text[]
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT anonopt.texts_over(release, format($query$
		SELECT anonopt.html_cells(CASE WHEN s.low = s.high THEN anonopt.short_number(s.low)
				ELSE format('%%s to %%s', anonopt.short_number(s.low), anonopt.short_number(s.high)) END,
			anonopt.short_number(s.classes), anonopt.short_number(s.rows))
		FROM (SELECT min(c.n) AS low, max(c.n) AS high, count(*) AS classes, sum(c.n)::float8 AS rows
			FROM (SELECT count(*) AS n FROM %s r GROUP BY %s) c GROUP BY floor(log(2, c.n))) s
		ORDER BY s.low$query$, release, (SELECT string_agg(format('r.%I', q), ', ') FROM unnest(class_columns) q)))
$$;

-- The same by the evidence, which lists small sizes.
CREATE FUNCTION anonopt.report_kept_sizes(residual jsonb) RETURNS text[]
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	WITH size AS (SELECT n, anonopt.json_number(s -> 1) AS classes
		FROM jsonb_path_query(residual, '$.sizes[*]') s CROSS JOIN LATERAL (SELECT anonopt.json_number(s -> 0) AS n) x WHERE n BETWEEN 1 AND 100),
	band AS (
		SELECT min(n) AS low, CASE WHEN min(n) = max(n) THEN anonopt.short_number(min(n)) ELSE format('%s to %s', anonopt.short_number(min(n)), anonopt.short_number(max(n))) END AS sizes,
			sum(classes) AS classes, sum(n * classes) AS people FROM size GROUP BY floor(log(2, n::numeric))
		UNION ALL
		SELECT 101, 'more than 100', classes, people FROM (SELECT anonopt.json_number(residual -> 'classes') - coalesce(sum(classes), 0) AS classes,
			anonopt.json_number(residual -> 'people') - coalesce(sum(n * classes), 0) AS people FROM size) x WHERE classes > 0)
	SELECT array_agg(anonopt.html_cells(sizes, anonopt.short_number(classes), anonopt.short_number(people)) ORDER BY low) FROM band
$$;

-- What a release's generalized columns show: hierarchy, level, and some of the labels.
CREATE FUNCTION anonopt.report_columns(r anonopt.reported, generalized name[]) RETURNS text[]
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	hierarchies text[] := ARRAY(SELECT (SELECT a.hierarchy::text FROM anonopt.attribute a WHERE a.dataset = r.entry ->> 'dataset'
		AND a.role = 'quasi_identifier' AND a.column_name = g) FROM unnest(generalized) WITH ORDINALITY x (g, i) ORDER BY i);
	cells text[];
	labels text[];
	examples text[];
BEGIN
	FOR i IN 1 .. cardinality(generalized) LOOP
		-- those that few people have are counted, and are no examples; true values have none
		labels := anonopt.texts_over(r.release, format($query$
			SELECT CASE WHEN count(*) >= %3$s THEN coalesce(label, 'NULL') END FROM (SELECT format('%%s', %1$s) AS label FROM %2$s r WHERE %1$s IS NOT NULL
				UNION ALL SELECT NULL FROM %2$s r WHERE %1$s IS NULL) l GROUP BY label ORDER BY label$query$,
			CASE WHEN r.entry -> 'columns_as' ->> (i - 1) = 'bounds' THEN format('nullif(concat_ws('' to '', r.%I, r.%I), '''')', generalized[i] || '_low', generalized[i] || '_high')
				ELSE format('r.%I', generalized[i]) END, r.release, CASE WHEN r.entry ->> 'shown' = 'permuted' THEN '''Infinity''::float8'
			-- whose rows they are is not shown, but that each class has enough people
			WHEN r.entry -> 'measures' ? 'rows' THEN CASE WHEN anonopt.json_number(r.verified -> 'promised_k') >= r.least THEN '0' ELSE '''Infinity''::float8' END
			ELSE r.least::text END));
		examples := ARRAY(SELECT l FROM unnest(labels) WITH ORDINALITY x (l, place) WHERE l IS NOT NULL ORDER BY place LIMIT 4);
		cells := cells || anonopt.html_cells(generalized[i]::text, hierarchies[i], coalesce(r.entry -> 'levels' ->> (i - 1),
				CASE WHEN r.entry ->> 'recoding' IS NOT NULL THEN 'by class' WHEN r.entry ->> 'cuts' IS NOT NULL THEN 'cut' ELSE 'by record' END),
			cardinality(labels)::text, array_to_string(examples, '; ') || CASE WHEN cardinality(labels) > cardinality(examples) AND cardinality(examples) > 0 THEN '; …' ELSE '' END);
	END LOOP;
	RETURN cells;
END $$;

-- The details of a release, after its verdict.
CREATE FUNCTION anonopt.report_release(r anonopt.reported) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	generalized name[] := ARRAY(SELECT g::name FROM jsonb_array_elements_text(r.entry -> 'generalized') WITH ORDINALITY x (g, i) ORDER BY i);
	measures jsonb := r.entry -> 'measures';
	residual jsonb := r.evidence -> 'risk' -> 'residual';
	cells float8 := anonopt.rows_measured(measures) * cardinality(generalized);
	-- by verify, now or since its rows were written
	verified boolean := r.release IS NOT NULL OR jsonb_typeof(r.evidence -> 'verified' -> 'found') = 'object' IS TRUE;
	kept text := CASE (r.verified ->> 'ok')::boolean WHEN true THEN 'yes' WHEN false THEN 'no' ELSE 'not all can be measured' END;
	promises text[] := ARRAY(SELECT anonopt.html_cells(what, promised, written, CASE WHEN verified THEN since END) FROM (VALUES
			(1, 'k: people in the smallest class', r.verified ->> 'promised_k', anonopt.short_number(anonopt.json_number(measures -> 'k')), anonopt.short_number(anonopt.json_number(r.verified -> 'k'))),
			(2, 'l: different sensitive values in a class', anonopt.report_promised(r, 'l'), measures ->> 'l', r.verified ->> 'l'),
			(3, 't: how far a class''s sensitive values are from all', anonopt.report_promised(r, 't'),
				anonopt.short_number(anonopt.json_number(measures -> 't')), anonopt.short_number(anonopt.json_number(r.verified -> 't'))),
			(4, 'rows shown', '', anonopt.short_number(coalesce(anonopt.json_number(residual -> 'rows'), anonopt.json_number(residual -> 'people'),
				anonopt.rows_measured(measures) - anonopt.json_number(measures -> 'suppressed'))), anonopt.short_number(anonopt.json_number(r.verified -> 'rows'))),
			(5, 'the promise is kept', '', CASE WHEN NOT verified THEN kept END, kept)) x (i, what, promised, written, since) ORDER BY i)
		|| ARRAY(SELECT anonopt.html_cells(o.model, o.promise, anonopt.short_number(o.written), anonopt.short_number(o.measured)) FROM anonopt.report_others(r) o);
	losses text[] := ARRAY(SELECT anonopt.html_cells(m.what, m.value) FROM (VALUES
			(1, 'GLM: detail lost, all columns equally', anonopt.percent(anonopt.json_number(measures -> 'glm') / nullif(cells, 0))),
			(2, 'NWP: detail lost, columns by weight', anonopt.percent(anonopt.json_number(measures -> 'nwp'))),
			(3, format('CM: %s outside their class''s majority', CASE WHEN measures ? 'rows' THEN 'rows' ELSE 'people' END), anonopt.percent(anonopt.json_number(measures -> 'cm'))),
			(4, 'NECD: bias of class sizes', anonopt.percent(anonopt.json_number(measures -> 'necd'))),
			(5, format('DCN: discernibility, %s squared', CASE WHEN measures ? 'rows' THEN 'rows' ELSE 'people' END), anonopt.short_number(anonopt.json_number(measures -> 'dcn'))),
			(6, 'classes', anonopt.short_number(anonopt.json_number(measures -> 'classes')))) m (i, what, value)
		WHERE m.value <> '' ORDER BY m.i);
BEGIN
	RETURN anonopt.fill($html$<h3>{{name}}</h3>
<p>Promised: {{promise}}{{uncovered}}. Published by {{publisher}} on {{published}}.</p>
<div class="columns">
{{&promises}}
{{&losses}}
{{&sizes}}
{{&columns}}
</div>$html$, jsonb_build_object(
		'name', r.name,
		'promise', anonopt.report_promise(r),
		'uncovered', coalesce('; no promise covers: ' || anonopt.report_uncovered(r), ''),
		'publisher', r.entry ->> 'published_by',
		'published', left(r.entry ->> 'published_at', 10),
		'promises', anonopt.html_part('Promises', anonopt.html_table(ARRAY['what', 'promised', CASE WHEN r.entry ->> 'filled_at' IS NULL THEN 'when published' ELSE 'when rows were written' END, CASE WHEN r.release IS NOT NULL THEN 'measured now'
			WHEN verified THEN 'found by verify on ' || anonopt.moment_text(r.evidence -> 'verified' ->> 'at')
			ELSE 'not measured since' END], promises)),
		'losses', anonopt.html_part(CASE WHEN r.entry ->> 'filled_at' IS NULL THEN 'Loss when published' ELSE 'Loss when rows were written' END, anonopt.html_table('{measure,value}', losses)),
		'sizes', anonopt.html_part('Sizes of classes', anonopt.html_table(
			CASE WHEN CASE WHEN r.kept THEN residual ->> 'counted' = 'rows' ELSE measures ? 'rows' END THEN '{rows in a class,classes,rows}' ELSE '{people in a class,classes,people}' END::text[],
			CASE WHEN r.kept THEN anonopt.report_kept_sizes(residual)
			ELSE anonopt.report_sizes(r.release, ARRAY(SELECT g::name FROM jsonb_array_elements_text(r.entry -> 'class_columns') WITH ORDINALITY x (g, i) ORDER BY i)) END)),
		'columns', anonopt.html_part('What the columns show', anonopt.html_table('{column,hierarchy,level,labels,for example}', CASE WHEN r.kept THEN ARRAY(
			SELECT anonopt.html_cells(c ->> 'column', c ->> 'hierarchy', c ->> 'level', c ->> 'labels', '') FROM jsonb_path_query(r.evidence, '$.columns[*]') c)
			ELSE anonopt.report_columns(r, generalized) END))));
END $$;

-- A release beside the data that it was made from: who is left out, distributions, and what it is still good for.
CREATE FUNCTION anonopt.report_comparison(r anonopt.reported) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT anonopt.fill($html$
<h2>Who is left out of {{name}}</h2>
{{&left_out}}
<section class="picture"><h2>Distributions, before and after: {{of_values}}</h2><p>The people with a label are divided evenly among its values.</p><div class="columns">{{&bars}}</div></section>
<h2>What {{of_values}} is still good for</h2>
{{&utility}}$html$, jsonb_build_object(
		'name', r.name,
		'left_out', anonopt.report_left_out(r),
		'bars', coalesce((SELECT string_agg(anonopt.report_bars(r, c), '' ORDER BY place) FROM (SELECT v ->> 'column_name' AS c, min(j) AS place
			FROM jsonb_array_elements(r.values) WITH ORDINALITY z (v, j) GROUP BY 1) columns), ''),
		'of_values', CASE WHEN r.values IS NOT NULL THEN r.name END,
		'utility', CASE WHEN r.values IS NOT NULL THEN anonopt.report_utility(r.entry ->> 'dataset', r.release) END))
$$;

-- The measures in a row of the report's tables; losses are in per cent of the cells.
CREATE FUNCTION anonopt.measure_cells(n anonopt.node, cells float8) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT ARRAY[anonopt.short_number(n.k), anonopt.short_number(n.l), anonopt.short_number(n.suppressed), anonopt.short_number(n.classes),
		anonopt.percent(n.glm / nullif(cells, 0)), anonopt.percent(n.nwp)]
$$;

-- A node, with the names of its columns.
CREATE FUNCTION anonopt.levels_text(columns name[], levels int[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT string_agg(format('%s %s', c, levels[i]), ', ' ORDER BY i) FROM unnest(columns) WITH ORDINALITY x (c, i)
$$;

-- The smallest classes of releases together, and by how many of them.
CREATE FUNCTION anonopt.report_together(combined jsonb) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT anonopt.fill($html$<h3>All of them together</h3>
<p>Anyone with several releases knows a person's labels in each. These are the smallest groups of people with the same labels in all,
including dropped releases and earlier contents. A group smaller than promised does not break any single release, but the promise
does not hold for all of them together.</p>
{{&groups}}$html$, jsonb_build_object('groups', anonopt.html_table('{releases,promised k,smallest group}',
		array_agg(anonopt.html_cells(c ->> 'names', c ->> 'k', coalesce(c ->> 'smallest', 'not known'))))))
	FROM jsonb_array_elements(combined) c HAVING count(*) > 1
$$;

-- What could have been published instead, as json: for what each release promises the best node, and those for the next smaller
-- and larger usual k.
CREATE FUNCTION anonopt.report_choices(dataset text, promised jsonb, deadline timestamptz) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT jsonb_agg(jsonb_build_object('asked', x.k, 'of', p, 'node', to_jsonb(n), 'exact', (SELECT s.exact FROM anonopt.last_search() s WHERE n.k IS NOT NULL)) ORDER BY p, x.k)
	FROM (SELECT DISTINCT p FROM jsonb_array_elements(promised) p) d
	CROSS JOIN LATERAL (
		SELECT (p ->> 'k')::int AS k UNION (SELECT k FROM unnest('{2,3,5,10,20,50,100}'::int[]) k WHERE k < (p ->> 'k')::int ORDER BY k DESC LIMIT 1)
		UNION (SELECT k FROM unnest('{2,3,5,10,20,50,100}'::int[]) k WHERE k > (p ->> 'k')::int ORDER BY k LIMIT 1)) x
	CROSS JOIN LATERAL anonopt.optimize(dataset, x.k, (p ->> 'l')::int, anonopt.json_number(p -> 't'),
		time_limit => CASE WHEN deadline IS NOT NULL THEN greatest((deadline - clock_timestamp()) / 10, interval '1 ms') END) n
$$;

-- Releases and these choices side by side, and in words what each costs.
CREATE FUNCTION anonopt.report_options(releases anonopt.reported[], qis name[], choices jsonb, curve anonopt.node[], bounds jsonb, cells float8) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	WITH choice AS (
		SELECT c -> 'of' AS promised, (c ->> 'asked')::int AS asked, (c -> 'of' ->> 'k')::int AS k, (c ->> 'exact')::boolean AS exact, n AS node
		FROM jsonb_array_elements(choices) c CROSS JOIN LATERAL jsonb_populate_record(NULL::anonopt.node, c -> 'node') n),
	option AS (
		SELECT x.name, 0 AS i, x.place, ARRAY[x.verified ->> 'promised_k', anonopt.short_number(anonopt.json_number(x.verified -> 'k')), x.verified ->> 'l',
			anonopt.short_number(anonopt.json_number(x.entry -> 'measures' -> 'suppressed')),
			anonopt.percent(anonopt.json_number(x.entry -> 'measures' -> 'glm') / nullif(anonopt.rows_measured(x.entry -> 'measures') * cardinality(qis), 0)),
			anonopt.percent(1 / nullif(anonopt.json_number(x.verified -> 'k'), 0)), anonopt.percent(anonopt.json_number(x.after -> 'average'))] AS figures
		FROM unnest(releases) WITH ORDINALITY x
			(release, name, entry, unchanged, sensitive, pseudonyms, verified, before, after, "values", threshold, least, evidence, kept, place)
		UNION ALL
		(SELECT DISTINCT ON (o.asked) format('best node for k = %s', o.asked), 1, o.asked, ARRAY[o.asked::text, anonopt.short_number((o.node).k),
			anonopt.short_number((o.node).l), anonopt.short_number((o.node).suppressed), anonopt.percent((o.node).glm / nullif(cells, 0)),
			anonopt.percent(1 / nullif((o.node).k, 0)::float8), ''] FROM choice o ORDER BY o.asked, (o.node).glm DESC)
		UNION ALL
		SELECT format('recoding for k = %s', n.k), 2, n.k, ARRAY[n.k::text, anonopt.short_number(n.k), anonopt.short_number(n.l), anonopt.short_number(n.suppressed),
			anonopt.percent(n.glm / nullif(cells, 0)), anonopt.percent(1 / nullif(n.k, 0)::float8), ''] FROM unnest(curve) n WHERE n.k IN (SELECT c.k FROM choice c))
	SELECT anonopt.fill($html$<ul>
{{&reasons}}
</ul>
{{&options}}$html$, jsonb_build_object(
		'reasons', (SELECT string_agg(anonopt.fill('<li>With {{promise}}, {{least}} {{loss}} of the detail: {{node}}.{{others}}</li>', jsonb_build_object(
				'promise', concat_ws(', ', 'k = ' || c.asked, 'l = ' || (c.promised ->> 'l'), 't = ' || (c.promised ->> 't')),
				'least', CASE WHEN c.exact THEN 'no node loses less than' ELSE 'the best node that was found in time loses' END,
				'loss', anonopt.percent((c.node).glm / nullif(cells, 0)),
				'node', anonopt.levels_text(qis, (c.node).levels),
				'others', coalesce((SELECT string_agg(format(' With k = %s it would be %s.', o.asked, anonopt.percent((o.node).glm / nullif(cells, 0))), '' ORDER BY o.asked)
					FROM choice o WHERE o.promised = c.promised AND o.asked <> o.k), '')
					|| coalesce((SELECT format(' A recoding for k = %s, found by a short search, loses %s', n.k, anonopt.percent(n.glm / nullif(cells, 0)))
						|| coalesce('; no recoding loses less than ' || anonopt.percent(anonopt.json_number(bounds -> c.asked::text) / nullif(cells, 0))
							|| coalesce(', so that is at most ' || anonopt.percent(greatest(n.glm
								/ nullif(anonopt.json_number(bounds -> c.asked::text), 0) - 1, 0)) || ' above the least possible', ''), '') || '.'
						FROM unnest(curve) n WHERE n.k >= c.asked ORDER BY n.k, n.glm LIMIT 1), ''))), E'\n' ORDER BY c.promised)
			FROM choice c WHERE c.asked = c.k),
		'options', (SELECT anonopt.html_table('{""}'::text[] || array_agg(o.name ORDER BY o.i, o.place),
				ARRAY(SELECT anonopt.html_cells(VARIADIC what || (SELECT array_agg(p.figures[row] ORDER BY p.i, p.place) FROM option p))
					FROM unnest(ARRAY['k asked for', 'k', 'l', CASE WHEN releases[1].entry -> 'measures' ? 'rows' THEN 'rows left out' ELSE 'people left out' END, 'detail lost (GLM)', 'highest risk', 'average risk']) WITH ORDINALITY w (what, row) ORDER BY row))
			FROM option o)))
$$;

-- When a time limit ends; NULL if it limits nothing.
CREATE FUNCTION anonopt.deadline(time_limit interval) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'anonopt_deadline' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

-- Cancels what this session does at a moment, or no longer; and whether that has happened.
CREATE FUNCTION anonopt.stop_at(moment timestamptz) RETURNS void
AS 'MODULE_PATHNAME', 'anonopt_stop_at' LANGUAGE C VOLATILE PARALLEL RESTRICTED;
CREATE FUNCTION anonopt.has_stopped() RETURNS boolean
AS 'MODULE_PATHNAME', 'anonopt_has_stopped' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

-- Begins or ends that data sets, and these relations, are read only if that runs no code of others; and whether any was refused since.
CREATE FUNCTION anonopt.own_code("only" boolean, relation regclass DEFAULT NULL, other regclass DEFAULT NULL) RETURNS boolean
AS 'MODULE_PATHNAME', 'anonopt_own_code' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

-- A part of the report, by a query over $1 to $4; until the deadline and within memory, or it is missing, and why is noted.
CREATE FUNCTION anonopt.report_part(INOUT missing jsonb, name text, query text, dataset text, relation regclass, facts jsonb, deadline timestamptz, of_release boolean DEFAULT false, OUT part jsonb)
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	why text;
	refused boolean;
	context text;
	unmeasured text;
BEGIN
	IF deadline IS NOT NULL THEN
		PERFORM anonopt.stop_at(deadline);
	END IF;
	-- an auditor or a superuser runs nothing of the publisher's; what reads for a release sees to that itself
	IF NOT of_release THEN
		PERFORM anonopt.own_code(true, (facts ->> 'relation')::oid::regclass, relation);
	END IF;
	EXECUTE query INTO part USING dataset, relation, facts, deadline;
	PERFORM anonopt.own_code(false);
	IF deadline IS NOT NULL THEN
		PERFORM anonopt.stop_at(NULL);
	END IF;
EXCEPTION WHEN query_canceled OR OTHERS THEN
	GET STACKED DIAGNOSTICS context = PG_EXCEPTION_CONTEXT;
	unmeasured := anonopt.report_unmeasured(SQLSTATE, SQLERRM, context);
	refused := anonopt.own_code(false) AND SQLSTATE = '42501'
		AND (SELECT has_any_column_privilege(d.relation, 'SELECT') FROM anonopt.dataset d WHERE d.dataset = report_part.dataset);
	why := CASE WHEN SQLSTATE = '57014' AND anonopt.has_stopped() THEN 'time' WHEN SQLSTATE IN ('53200', '54000') THEN 'memory' WHEN refused THEN 'code'
		-- an auditor gets what is on record
		WHEN SQLSTATE <> '57014' AND has_table_privilege('anonopt.auditor', 'SELECT') AND (SQLSTATE = '42501'
			OR (SELECT has_any_column_privilege(d.relation, 'SELECT') FROM anonopt.dataset d WHERE d.dataset = report_part.dataset) IS NOT TRUE) THEN 'rights'
		WHEN SQLSTATE <> '57014' AND unmeasured IS NOT NULL THEN 'promise' END;
	IF why IS NULL THEN
		RAISE;
	END IF;
	IF why <> 'time' AND deadline IS NOT NULL THEN
		PERFORM anonopt.stop_at(NULL);
	END IF;
	missing := jsonb_set(missing, ARRAY[why], to_jsonb(coalesce(missing ->> why || ', ', '') || name));
	IF why = 'promise' THEN
		IF unmeasured LIKE '%reading it fails with SQLSTATE %' AND NOT missing ? 'unmeasured' THEN
			RAISE WARNING 'a promise of data set "%" cannot be measured', dataset USING ERRCODE = SQLSTATE, DETAIL = SQLERRM;
		END IF;
		missing := jsonb_set(missing, '{unmeasured}', to_jsonb(unmeasured));
	END IF;
	part := NULL;
END $$;

-- Holds the extension while the report is made, whose statements name its functions.
CREATE FUNCTION anonopt.report(dataset text, purpose text DEFAULT NULL, recipient text DEFAULT NULL, author text DEFAULT NULL,
	review date DEFAULT NULL, population regclass DEFAULT NULL, time_limit interval DEFAULT '1 minute', threshold float8 DEFAULT 0.2)
RETURNS text AS 'MODULE_PATHNAME', 'anonopt_guarded' LANGUAGE C STABLE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.report_body(dataset text, purpose text, recipient text, author text, review date, population regclass, time_limit interval, threshold float8) RETURNS text
-- the planner overestimates many short queries, and compiling them would take longer than running them
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
	deadline timestamptz := anonopt.deadline(time_limit);
	missing jsonb := '{}';
	declared anonopt.dataset := (SELECT d FROM anonopt.dataset d WHERE d.dataset = report_body.dataset);
	qis name[] := ARRAY(SELECT a.column_name FROM anonopt.attribute a WHERE a.dataset = report_body.dataset AND a.role = 'quasi_identifier' ORDER BY a.ordinal);
	declaration jsonb;
	found jsonb;
	front anonopt.node[];
	curve anonopt.node[];
	cut text[];
	choices jsonb;
	risk jsonb;
	cells float8;
	part jsonb;
	releases anonopt.reported[] := '{}';
	comparisons text := '';
	details text := '';
	combined jsonb;
	one anonopt.reported;
	kept anonopt.reported;
	shown jsonb;
	entries jsonb[];
	published boolean := false;
	dropped_names text;
	least bigint;
BEGIN
	IF (threshold > 0 AND threshold <= 1) IS NOT TRUE THEN
		RAISE EXCEPTION 'threshold must be more than 0 and at most 1, not %', threshold USING ERRCODE = '22023',
			HINT = 'Give the highest risk that you accept: 0.2, or 0.09 as the EMA has it.';
	END IF;
	IF has_table_privilege('anonopt.auditor', 'SELECT') THEN
		entries := ARRAY(SELECT to_jsonb(r) || jsonb_build_object('id_now', r.release::oid::bigint)
			FROM anonopt.auditor r WHERE r.dataset = report_body.dataset ORDER BY r.published_at);
	ELSE
		entries := ARRAY(SELECT to_jsonb(r) || jsonb_build_object('id_now', r.release::oid::bigint)
			FROM anonopt.release r WHERE r.dataset = report_body.dataset ORDER BY r.published_at);
	END IF;
	IF declared IS NULL AND cardinality(entries) = 0 THEN
		-- there is no such data set, which this says
		PERFORM FROM anonopt.describe(dataset);
	END IF;
	SELECT p.missing, p.part INTO missing, declaration FROM anonopt.report_part(missing, 'the declaration', $query$
		SELECT jsonb_agg(to_jsonb(anonopt.html_cells(d.column_name::text, d.role, d.hierarchy::text, d.levels::text,
			anonopt.short_number(d.domain), anonopt.short_number(d.observed), anonopt.short_number(d.nulls)))) FROM anonopt.describe($1) d
		WHERE d.column_name IS NOT NULL$query$, dataset, NULL, NULL, deadline) p;
	SELECT p.missing, p.part INTO missing, risk FROM anonopt.report_part(missing, 'the risk of the data', $query$
		SELECT to_jsonb(r) || jsonb_build_object('most_rows', CASE WHEN $3 ->> 'person' IS NOT NULL THEN
			(anonopt.texts_over(($3 ->> 'relation')::oid::regclass, format('SELECT max(n)::text FROM (SELECT count(*) AS n FROM %s r GROUP BY r.%I) x',
				($3 ->> 'relation')::oid::regclass, $3 ->> 'person')))[1]::bigint END) FROM anonopt.risk(($3 ->> 'relation')::oid::regclass, ARRAY(SELECT jsonb_array_elements_text($3 -> 'qis'))::name[],
			($3 ->> 'threshold')::float8, population => $2, person => ($3 ->> 'person')::name) r$query$,
		dataset, population, to_jsonb(declared) || jsonb_build_object('relation', declared.relation::oid::bigint, 'qis', qis, 'threshold', threshold), deadline) p;
	cells := anonopt.json_number(risk -> 'records') * cardinality(qis);
	FOREACH shown IN ARRAY entries LOOP
		CONTINUE WHEN (shown ->> 'dropped')::boolean;
		SELECT p.missing, p.part INTO missing, part FROM anonopt.report_part(missing, format('release %s measured now', shown ->> 'name'),
			'SELECT to_jsonb(anonopt.report_measure($1, $2, $3 -> ''risk'', ($3 ->> ''threshold'')::float8))', dataset, (shown ->> 'id_now')::oid::regclass,
			jsonb_build_object('risk', risk, 'threshold', threshold), deadline, true) p;
		published := true;
		releases := releases || CASE WHEN part IS NOT NULL THEN jsonb_populate_record(NULL::anonopt.reported, part)
			-- without the promises that it was found to keep, if one of them cannot be measured
			ELSE anonopt.report_kept(CASE WHEN missing ? 'promise' AND shown ->> 'verified_ok' = 'true' THEN shown - 'verified_ok' ELSE shown END, anonopt.evidence((shown ->> 'id_now')::oid::regclass), threshold) END;
	END LOOP;
	SELECT p.missing, p.part INTO missing, combined FROM anonopt.report_part(missing, 'the releases together', $query$
		SELECT jsonb_agg(jsonb_build_object(
			'names', (SELECT string_agg(coalesce((SELECT c.name FROM anonopt.release c WHERE c.release = x LIMIT 1), x::text), ', ') FROM unnest(r.releases) x),
			'n', cardinality(r.releases), 'k', r.k, 'smallest', r.smallest, 'epsilon', r.epsilon, 'delta', r.delta))
		FROM anonopt.release_risk($1) r$query$, dataset, NULL, NULL, deadline) p;
	least := CASE WHEN combined IS NOT NULL THEN (SELECT min((c ->> 'smallest')::bigint) FROM jsonb_array_elements(combined) c WHERE (c ->> 'n')::int > 1)
		-- or as it was when the last of them was published
		ELSE (SELECT min(anonopt.json_number(s)) FROM unnest(releases) r CROSS JOIN LATERAL jsonb_path_query(r.evidence -> 'combined', '$.**.smallest_together') s) END;
	dropped_names := (SELECT string_agg(e ->> 'name', ', ' ORDER BY i) FROM unnest(entries) WITH ORDINALITY x (e, i) WHERE (e ->> 'dropped')::boolean);
	IF cardinality(releases) > 0 THEN
		SELECT p.missing, p.part INTO missing, choices FROM anonopt.report_part(missing, 'what else could have been published', 'SELECT anonopt.report_choices($1, $3, $4)',
			dataset, NULL, (SELECT jsonb_agg(jsonb_build_object('k', r.entry -> 'k', 'l', r.entry -> 'l', 't', r.entry -> 't')) FROM unnest(releases) r
				WHERE r.entry ->> 'epsilon' IS NULL), deadline) p;
	END IF;
	-- the front may take half of the time that is left
	SELECT p.missing, p.part INTO missing, found FROM anonopt.report_part(missing, 'the trade-off', $query$
		SELECT jsonb_build_object('nodes', (SELECT jsonb_agg(to_jsonb(n)) FROM anonopt.pareto($1,
				time_limit => CASE WHEN $4 IS NOT NULL THEN greatest(($4 - clock_timestamp()) / 2, interval '1 ms') END) n),
			'exact', (SELECT s.exact FROM anonopt.last_search() s))$query$, dataset, NULL, NULL, deadline) p;
	front := ARRAY(SELECT n FROM jsonb_populate_recordset(NULL::anonopt.node, nullif(found -> 'nodes', 'null')) n);
	IF NOT (found ->> 'exact')::boolean THEN
		cut := cut || 'The time limit ended the search for nodes, so others may be better.'::text;
	END IF;
	found := NULL;
	-- recodings keep no presence, nor what is promised against people who know some columns or rows
	IF NOT EXISTS (SELECT FROM anonopt.promise p WHERE p.dataset = report_body.dataset
		AND (p.model = 'presence' OR p.columns_known > 0 OR p.rows_known > 0)) THEN
		SELECT p.missing, p.part INTO missing, found FROM anonopt.report_part(missing, 'recodings', $query$
			SELECT jsonb_agg(to_jsonb(n) ORDER BY n.k DESC) FROM anonopt.recoding_curve($1,
				time_limit => CASE WHEN $4 IS NOT NULL THEN greatest(($4 - clock_timestamp()) * 0.6, interval '1 ms') END) n$query$,
			dataset, NULL, NULL, deadline) p;
		curve := ARRAY(SELECT n FROM jsonb_populate_recordset(NULL::anonopt.node, found) n);
		IF cardinality(curve) > 0 AND choices IS NOT NULL THEN
			SELECT p.missing, p.part INTO missing, found FROM anonopt.report_part(missing, 'what no recoding loses less than', $query$
				SELECT jsonb_object_agg(k, anonopt.recoding_bound($1, k, time_limit =>
					least(greatest(($4 - clock_timestamp()) / 10, interval '1 ms'), interval '1 s')))
				FROM (SELECT DISTINCT (c ->> 'asked')::int AS k FROM jsonb_array_elements($3) c WHERE c -> 'asked' = c -> 'of' -> 'k') x$query$,
				dataset, NULL, choices, deadline) p;
		END IF;
		IF deadline IS NOT NULL AND cardinality(curve) < 7 AND missing::text NOT LIKE '%recodings%' THEN
			cut := cut || 'The time limit may have left out recodings for some k.'::text;
		END IF;
	END IF;
	FOREACH one IN ARRAY releases LOOP
		SELECT p.missing, p.part INTO missing, part FROM anonopt.report_part(missing, format('%s beside the data', one.name),
			'SELECT to_jsonb(anonopt.report_comparison(jsonb_populate_record(NULL::anonopt.reported, $3)))', dataset, NULL, to_jsonb(one), deadline, true) p;
		kept := one;
		kept.kept := true;
		kept.values := NULL;
		comparisons := concat_ws(E'\n', nullif(comparisons, ''), coalesce(part #>> '{}', anonopt.report_comparison(kept)));
		SELECT p.missing, p.part INTO missing, part FROM anonopt.report_part(missing, format('details of %s', one.name),
			'SELECT to_jsonb(anonopt.report_release(jsonb_populate_record(NULL::anonopt.reported, $3)))', dataset, NULL, to_jsonb(one), deadline, true) p;
		details := concat_ws(E'\n', nullif(details, ''), coalesce(part #>> '{}', anonopt.report_release(kept)));
	END LOOP;
	RETURN anonopt.report_page(jsonb_build_object(
		'dataset', dataset,
		'missing', missing ->> 'time',
		'too_large', missing ->> 'memory',
		'hidden', missing ->> 'rights',
		'code', missing ->> 'code',
		'promise', missing ->> 'promise',
		'unmeasured', missing ->> 'unmeasured',
		'limit', time_limit,
		'verdicts', CASE WHEN published THEN (SELECT string_agg(anonopt.report_verdict(releases[i], least), E'\n' ORDER BY i)
			FROM generate_subscripts(releases, 1) i) ELSE '<p>Nothing has been published yet.</p>' END,
		'about', (SELECT string_agg(anonopt.fill('<tr><th scope="row">{{what}}</th><td>{{value}}</td></tr>', to_jsonb(a)), E'\n' ORDER BY a.i) FROM (VALUES
				(1, 'data set', dataset),
				(2, 'relation', declared.relation::text),
				(3, 'rows', anonopt.short_number(coalesce(anonopt.json_number(risk -> 'records'), anonopt.rows_measured(releases[1].entry -> 'measures')))),
				(4, 'people', CASE WHEN declared.person IS NOT NULL THEN anonopt.short_number(coalesce(anonopt.json_number(risk -> 'people'), anonopt.json_number(releases[1].entry -> 'measures' -> 'people'))) END),
				(5, 'purpose', purpose),
				(6, 'recipient', recipient),
				(7, 'author', author),
				(8, 'date', to_char(now(), 'YYYY-MM-DD HH24:MI TZ')),
				(9, 'to be reviewed on', review::text),
				(10, 'dropped releases', dropped_names),
				(11, 'spent for differential privacy, by all releases of these people', (SELECT anonopt.privacy_text(c) FROM jsonb_array_elements(combined) c
					ORDER BY anonopt.json_number(c -> 'epsilon') DESC NULLS LAST LIMIT 1))) a (i, what, value)),
		'original', CASE WHEN NOT published THEN anonopt.fill(E'<h2>The original data</h2>\n{{&table}}', jsonb_build_object(
			'table', anonopt.html_table('{what,measured}', ARRAY[
				anonopt.html_cells('classes', anonopt.short_number(anonopt.json_number(risk -> 'classes'))),
				anonopt.html_cells('people alone in their class', anonopt.short_number(anonopt.json_number(risk -> 'uniques'))),
				anonopt.html_cells('highest risk of being recognized', anonopt.percent(anonopt.json_number(risk -> 'highest'))),
				anonopt.html_cells('average risk', anonopt.percent(anonopt.json_number(risk -> 'average'))),
				anonopt.html_cells('share of people at a risk above ' || anonopt.percent(threshold), anonopt.percent(anonopt.json_number(risk -> 'share_above')))]))) END,
		'comparisons', nullif(comparisons, ''),
		'options', CASE WHEN choices IS NOT NULL THEN anonopt.report_options(releases, qis, choices, curve, found, cells) END,
		'questions', anonopt.report_questions(releases),
		'risks', CASE WHEN cardinality(releases) > 0 THEN anonopt.report_risk(coalesce(risk, releases[1].before), releases, threshold) END,
		'trade_off', anonopt.report_trade_off(CASE WHEN cardinality(front) > 0 OR cardinality(curve) > 0 THEN jsonb_build_object(
			'front', anonopt.draw_front('{k,loss}',
				ARRAY(SELECT to_jsonb(n) || jsonb_build_object('loss', round((n.glm / nullif(cells, 0) * 100)::numeric, 2)) FROM unnest(front) n),
				ARRAY(SELECT to_jsonb(n) || jsonb_build_object('loss', round((n.glm / nullif(cells, 0) * 100)::numeric, 2)) FROM unnest(curve) n),
				ARRAY(SELECT jsonb_build_object('name', x.name, 'k', x.verified -> 'k', 'ring', i, 'loss', round((anonopt.json_number(x.entry -> 'measures' -> 'glm')
						/ nullif(anonopt.rows_measured(x.entry -> 'measures') * cardinality(qis), 0) * 100)::numeric, 2))
					FROM unnest(releases) WITH ORDINALITY x
						(release, name, entry, unchanged, sensitive, pseudonyms, verified, before, after, "values", threshold, least, evidence, kept, i) WHERE x.verified ->> 'k' IS NOT NULL AND x.entry -> 'measures' ->> 'glm' IS NOT NULL)),
			'rings', coalesce((SELECT format(' (%s)', string_agg(format('%s: %s', i, (releases[i]).name), '; ' ORDER BY i)) FROM generate_subscripts(releases, 1) i), ''),
			'cut', array_to_string(cut, ' '),
			'nodes', CASE WHEN cardinality(front) > 0 THEN anonopt.html_table('{levels,k,l,suppressed,classes,GLM,NWP}',
				ARRAY(SELECT anonopt.html_cells(VARIADIC anonopt.levels_text(qis, n.levels) || anonopt.measure_cells(n, cells)) FROM unnest(front) n)) END,
			'recodings', CASE WHEN cardinality(curve) > 0 THEN anonopt.html_table('{recoding,k,l,suppressed,classes,GLM,NWP}',
				ARRAY(SELECT anonopt.html_cells(VARIADIC 'local'::text || anonopt.measure_cells(n, cells)) FROM unnest(curve) n)) END) END,
			missing::text NOT LIKE '%the trade-off%'),
		'releases', CASE WHEN published THEN details ELSE '<p>Nothing has been published yet.</p>' END,
		'together', anonopt.report_together(combined),
		'dropped', dropped_names,
		'declaration', CASE WHEN declaration IS NOT NULL THEN anonopt.html_table('{column,role,hierarchy,levels,domain,observed,nulls}', ARRAY(SELECT c #>> '{}' FROM jsonb_array_elements(declaration) c)) END,
		'promises', (SELECT anonopt.fill(E'<h3>Promises declared</h3>\n{{&table}}', jsonb_build_object('table',
				anonopt.html_table('{model,threshold,column,c,population,known to an attacker}', array_agg(anonopt.html_cells(p.model, anonopt.short_number(p.threshold),
					p.column_name::text, anonopt.short_number(p.c), p.population::text, CASE WHEN p.columns_known > 0 THEN format('any %s columns', p.columns_known)
					WHEN p.rows_known > 0 THEN format('any %s rows of a person', p.rows_known) ELSE 'all columns' END)
					ORDER BY p.model, p.column_name, p.columns_known NULLS FIRST, p.rows_known NULLS FIRST))))
			FROM anonopt.promise p WHERE p.dataset = report_body.dataset HAVING count(*) > 0)));
END $$;
