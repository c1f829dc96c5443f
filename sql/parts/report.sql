-- Reports -----------------------------------------------------------------------

-- A share in per cent.
CREATE FUNCTION anonopt.percent(share float8) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN share IS NULL THEN '' WHEN share <> 0 AND abs(share) < 0.001 THEN '< 0.1 %' ELSE round(share::numeric * 100, 1)::text || ' %' END
$$;

-- A number of people, in words.
CREATE FUNCTION anonopt.people_text(people float8) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN people = 1 THEN '1 person' ELSE anonopt.short_number(people) || ' people' END
$$;

-- A bound on a chance, in words.
CREATE FUNCTION anonopt.chance_text(chance float8) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN chance < 0.001 THEN 'less than 0.1 %' ELSE 'at most ' || anonopt.percent(chance) END
$$;

-- What the measures of a release count where people have several rows: rows.
CREATE FUNCTION anonopt.rows_text(rows float8, measures jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN NOT measures ? 'rows' THEN anonopt.people_text(rows) WHEN rows = 1 THEN '1 row' ELSE anonopt.short_number(rows) || ' rows' END
$$;

-- The number of rows that a release was made from.
CREATE FUNCTION anonopt.rows_measured(measures jsonb) RETURNS float8
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT coalesce(measures ->> 'rows', measures ->> 'people')::float8
$$;

-- A release for the report: its entry, its current state, and what an officer asks about it.
CREATE TYPE anonopt.reported AS (
	release regclass,
	name text,
	entry jsonb,
	told name[],
	sensitive name[],
	pseudonyms name[],
	verified jsonb,
	before jsonb,
	after jsonb,
	-- of release_distribution: column, value, people, left_out, shown; NULL for a release by records
	values jsonb
);

-- Measures an existing release.
CREATE FUNCTION anonopt.report_measure(dataset text, release regclass, source_risk jsonb) RETURNS anonopt.reported
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	found anonopt.reported;
	entry record;
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
	found.entry := to_jsonb(entry);
	-- the comment says so too, but the release's owner may replace it
	found.told := ARRAY(SELECT c.attname FROM pg_attribute c WHERE c.attrelid = release AND c.attnum > 0 AND NOT c.attisdropped
		AND c.attname <> ALL (entry.generalized || '{anonopt_suppressed}'::name[]) ORDER BY c.attnum);
	found.sensitive := ARRAY(SELECT c FROM unnest(found.told) c WHERE EXISTS (SELECT FROM anonopt.attribute a
		WHERE a.dataset = entry.dataset AND a.role = 'sensitive' AND a.column_name = c));
	found.pseudonyms := ARRAY(SELECT c FROM unnest(found.told) c WHERE EXISTS (SELECT FROM anonopt.attribute a
		WHERE a.dataset = entry.dataset AND a.role = 'pseudonym' AND a.column_name = c));
	found.before := source_risk;
	-- a release does not show whose rows it has
	IF NOT entry.measures ? 'rows' THEN
		found.after := (SELECT to_jsonb(r) FROM anonopt.risk(release, entry.generalized) r);
	END IF;
	IF entry.levels IS NOT NULL OR entry.cuts IS NOT NULL OR entry.recoding IS NOT NULL THEN
		found.values := (SELECT jsonb_agg(to_jsonb(d)) FROM anonopt.release_distribution(dataset, release) d);
	END IF;
	RETURN found;
END $$;

-- A promise other than k, l and t, in words.
CREATE FUNCTION anonopt.promise_text(model text, threshold float8, c float8) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE model WHEN 'alpha' THEN format('no sensitive value has more than %s of a class', anonopt.percent(threshold))
		WHEN 'entropy_l' THEN format('entropy l-diversity of at least %s', anonopt.short_number(threshold))
		WHEN 'recursive_l' THEN format('recursive (c, l)-diversity with c = %s, l = %s', anonopt.short_number(c), anonopt.short_number(threshold))
		WHEN 'beta' THEN format('beta-likeness of at most %s', anonopt.short_number(threshold))
		WHEN 'disclosure' THEN format('delta-disclosure of at most %s', anonopt.short_number(threshold))
		WHEN 'k_map' THEN format('each class fits at least %s of the population', anonopt.people_text(threshold))
		WHEN 'presence' THEN format('the chance that a person is in the data is at most %s', anonopt.percent(threshold)) || CASE WHEN c > 0 THEN ' and at least ' || anonopt.percent(c) ELSE '' END
		WHEN 'average_risk' THEN format('an average risk of at most %s', anonopt.percent(threshold))
		WHEN 'share_above' THEN format('at most %s of the people have a risk above %s', anonopt.percent(threshold), anonopt.percent(c))
		ELSE format('%s: %s', model, anonopt.short_number(threshold)) END
$$;

-- A release's promises other than k, l and t.
CREATE FUNCTION anonopt.report_others(r anonopt.reported, OUT model text, OUT promise text, OUT measured float8) RETURNS SETOF record
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT m.key, anonopt.promise_text(m.key, (m.value ->> 'promised')::float8, (m.value ->> 'c')::float8), (m.value ->> 'measured')::float8
	FROM jsonb_each(CASE WHEN jsonb_typeof(r.verified -> 'others') = 'object' THEN r.verified -> 'others' ELSE '{}' END) m
	WHERE m.key NOT IN ('k', 'l', 't') ORDER BY m.key
$$;

-- The promises of a release, in words.
CREATE FUNCTION anonopt.report_promise(r anonopt.reported) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT concat_ws('; ', format('k = %s by %s', r.verified ->> 'promised_k',
			(SELECT string_agg(g, ', ' ORDER BY i) FROM jsonb_array_elements_text(r.entry -> 'generalized') WITH ORDINALITY x (g, i))),
		'l = ' || (r.verified ->> 'promised_l') || ' in ' || array_to_string(r.sensitive, ', '),
		't = ' || (r.verified ->> 'promised_t') || ' in ' || array_to_string(r.sensitive, ', '),
		(SELECT string_agg(o.promise, '; ' ORDER BY o.model) FROM anonopt.report_others(r) o))
$$;

-- Columns that are shown without a promise about them.
CREATE FUNCTION anonopt.report_uncovered(r anonopt.reported) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT array_to_string(ARRAY(SELECT c FROM unnest(r.told) c WHERE c <> ALL (r.pseudonyms) AND (c <> ALL (r.sensitive)
		OR (coalesce(r.verified ->> 'promised_l', r.verified ->> 'promised_t') IS NULL AND coalesce(r.verified -> 'others', 'null') IN ('null', '{}')))), ', ')
$$;

-- The verdict on a release: whether it keeps its promises, which risks remain, and who is missing.
CREATE FUNCTION anonopt.report_verdict(r anonopt.reported, together bigint) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT concat('<section class="verdict ', CASE WHEN kept THEN 'kept' ELSE 'broken' END, '"><h3>', anonopt.html(r.name), ': ',
		CASE WHEN kept THEN 'the promise is kept' || CASE WHEN broken_together THEN ' by this release alone' ELSE '' END WHEN NOT kept THEN 'the promise is NOT kept' ELSE 'not all of the promise can be measured' END, '</h3><ul><li>Promised: ', anonopt.html(anonopt.report_promise(r)), '.</li>',
		'<li>', anonopt.rows_text((r.verified ->> 'rows')::float8, r.entry -> 'measures'), ' are shown. Everybody shares all generalized values with at least ',
		anonopt.short_number((r.verified ->> 'k')::float8 - 1), ' others, so an attacker who knows these values picks the right row with a chance of ',
		anonopt.chance_text(1 / (r.verified ->> 'k')::float8), ' (before: ', anonopt.html(anonopt.percent((r.before ->> 'highest')::float8)), ').</li>',
		CASE WHEN r.verified ->> 'l' IS NULL THEN '' ELSE concat('<li>Each class holds at least ', r.verified ->> 'l', ' different sensitive value',
			CASE WHEN r.verified ->> 'l' = '1' THEN '. In a class with one value everybody has it, so an attacker learns it without picking a row' ELSE 's' END, '.</li>') END,
		CASE WHEN r.entry -> 'measures' ->> 'suppressed' IS NULL THEN '' WHEN r.entry -> 'measures' ->> 'suppressed' = '0' THEN '<li>Nobody is left out.</li>'
			ELSE concat('<li>Left out or shown only as stars: ', anonopt.rows_text((r.entry -> 'measures' ->> 'suppressed')::float8, r.entry -> 'measures'), ' of ',
				anonopt.short_number(anonopt.rows_measured(r.entry -> 'measures')), '.', coalesce(' Nobody is shown with ' || gone, ''), '</li>') END,
		CASE WHEN uncovered <> '' THEN '<li>Shown unchanged, and covered by no promise: ' || anonopt.html(uncovered) || '.</li>' ELSE '' END,
		CASE WHEN cardinality(r.pseudonyms) > 0 THEN concat('<li>Shown as pseudonyms, which link the rows of one person: ', anonopt.html(array_to_string(r.pseudonyms, ', ')), '.</li>') ELSE '' END,
		CASE WHEN broken_together THEN concat('<li class="warning">Together with other releases of the same data, the smallest class is ',
			together, ': anyone who has all of them can learn more than this release promises.</li>') ELSE '' END, '</ul></section>')
	FROM (SELECT (r.verified ->> 'ok')::boolean AS kept, anonopt.report_uncovered(r) AS uncovered, coalesce(together < (r.verified ->> 'promised_k')::bigint, false) AS broken_together,
		(SELECT string_agg(format('%s %s (%s)', anonopt.html(v ->> 'column_name'), anonopt.html(coalesce(v ->> 'value', 'NULL')),
				anonopt.people_text((v ->> 'people')::float8)), ', ') || CASE WHEN max(n) > 5 THEN format(' and %s more %s.', max(n) - 5, CASE WHEN max(n) = 6 THEN 'value' ELSE 'values' END) ELSE '.' END
			FROM (SELECT v, row_number() OVER (ORDER BY (v ->> 'people')::bigint DESC, v ->> 'column_name', v ->> 'value') AS i, count(*) OVER () AS n
				FROM jsonb_array_elements(r.values) v WHERE (v ->> 'people')::bigint > 0 AND (v ->> 'left_out')::bigint = (v ->> 'people')::bigint) g
			WHERE i <= 5) AS gone) x
$$;

-- Risks before and after.
CREATE FUNCTION anonopt.report_risk(r anonopt.reported) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT anonopt.html_table('{attacker,risk,before,after}', ARRAY[
		anonopt.html_cells('prosecutor: knows that the person is in the data', 'highest', anonopt.percent((r.before ->> 'highest')::float8), anonopt.percent(1 / (r.verified ->> 'k')::float8)),
		anonopt.html_cells('', 'average', anonopt.percent((r.before ->> 'average')::float8), CASE WHEN r.after IS NULL THEN 'not shown whose rows they are' ELSE anonopt.percent((r.after ->> 'average')::float8) END),
		anonopt.html_cells('', 'people above 20 %', anonopt.percent((r.before ->> 'share_above')::float8), CASE WHEN r.after IS NULL AND (r.verified ->> 'k')::bigint >= 5 THEN '0.0 %' ELSE anonopt.percent((r.after ->> 'share_above')::float8) END),
		anonopt.html_cells('journalist: does not know whether the person is in the data', 'highest', coalesce(anonopt.percent((r.before ->> 'journalist_highest')::float8),
			''), 'at most the prosecutor''s'),
		anonopt.html_cells('marketer: wants to recognize as many as possible', 'expected share of people', anonopt.percent(coalesce(r.before ->> 'marketer', r.before ->> 'average')::float8),
			anonopt.percent((r.after ->> 'average')::float8)),
		anonopt.html_cells('', 'people alone in their class', anonopt.short_number((r.before ->> 'uniques')::float8), CASE WHEN r.after IS NULL AND (r.verified ->> 'k')::bigint > 1 THEN '0' ELSE anonopt.short_number((r.after ->> 'uniques')::float8) END)])
$$;

-- Who is left out, by value; values that lose the largest share come first.
CREATE FUNCTION anonopt.report_left_out(r anonopt.reported) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN r.values IS NULL THEN '<p>This release generalizes record by record; who is left out is not counted by value.</p>'
		WHEN count(*) = 0 THEN '<p>Nobody.</p>'
		ELSE anonopt.html_table('{column,value,people,left out,share}', array_agg(format('%s<td>%s</td>%s', anonopt.html_cells(column_name), anonopt.html(coalesce(value, 'NULL')),
				anonopt.html_cells(anonopt.short_number(people), anonopt.short_number(left_out), anonopt.percent(left_out / people))) ORDER BY i) FILTER (WHERE i <= 12))
			|| CASE WHEN count(*) > 12 THEN format('<p>%s more values lose a smaller share of their people.</p>', count(*) - 12) ELSE '' END END
	FROM (SELECT v ->> 'column_name' AS column_name, v ->> 'value' AS value, (v ->> 'people')::float8 AS people, (v ->> 'left_out')::float8 AS left_out,
			row_number() OVER (ORDER BY (v ->> 'left_out')::float8 / (v ->> 'people')::float8 DESC, (v ->> 'left_out')::bigint DESC, v ->> 'column_name', v ->> 'value') AS i
		FROM jsonb_array_elements(r.values) v WHERE (v ->> 'left_out')::bigint > 0) l
$$;

-- A column's distribution before and after, as at most twelve bars, for runs of leaves or for the most frequent sensitive
-- values.
CREATE FUNCTION anonopt.report_bars(r anonopt.reported, column_name text) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	WITH own AS (
		SELECT coalesce(v ->> 'value', 'NULL') AS value, (v ->> 'people')::float8 AS people, (v ->> 'shown')::float8 AS shown, row_number() OVER (ORDER BY i) AS i,
			row_number() OVER (ORDER BY (v ->> 'people')::float8 DESC, i) AS rank, count(*) OVER () AS n,
			sum((v ->> 'people')::float8) OVER () AS all_people, sum((v ->> 'shown')::float8) OVER () AS all_shown,
			column_name::name = ANY (r.sensitive) AS sensitive
		FROM jsonb_array_elements(r.values) WITH ORDINALITY x (v, i) WHERE v ->> 'column_name' = report_bars.column_name),
	run AS (
		SELECT CASE WHEN count(*) = 1 THEN min(value) WHEN bool_and(sensitive) THEN format('%s others', count(*))
				ELSE (array_agg(value ORDER BY i))[1] || ' … ' || (array_agg(value ORDER BY i DESC))[1] END AS label,
			coalesce(sum(people) / nullif(max(all_people), 0), 0) AS before, coalesce(sum(shown) / nullif(max(all_shown), 0), 0) AS after, min(place) AS place
		FROM (SELECT *, CASE WHEN n <= 12 THEN i WHEN sensitive THEN least(rank, 12) ELSE (i - 1) * 12 / n END AS place FROM own) p GROUP BY p.place)
	SELECT concat('<table class="bars"><caption>', anonopt.html(column_name), '</caption><thead><tr><th>value</th><th>before</th><th>after</th><th></th></tr></thead><tbody>',
		string_agg(format('<tr><th>%s</th><td class="number">%s</td><td class="number">%s</td><td aria-hidden="true"><span style="width:%s%%"></span><span class="after" style="width:%s%%"></span></td></tr>',
			anonopt.html(label), anonopt.percent(before), anonopt.percent(after), round(before::numeric * 100, 1), round(after::numeric * 100, 1)), E'\n' ORDER BY place),
		'</tbody></table>') FROM run
$$;

-- What a release is still good for: distributions, associations, and the rest, side by side.
CREATE FUNCTION anonopt.report_utility(dataset text, release regclass) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	WITH utility AS (SELECT * FROM anonopt.utility(dataset, release, 200) WITH ORDINALITY u (measure, columns, before, after, value, i)),
	by_column AS (
		SELECT anonopt.html_cells(u.columns[1], round(u.value::numeric, 3)::text, coalesce(round(m.value::numeric, 3)::text, '')) AS cells, u.i
		FROM utility u LEFT JOIN utility m ON m.measure = 'earth_movers' AND m.columns = u.columns WHERE u.measure = 'total_variation'),
	pair AS (
		SELECT anonopt.html_cells(array_to_string(u.columns, ', '), round(u.before::numeric, 3)::text, round(u.after::numeric, 3)::text) AS cells, u.i
		FROM utility u WHERE u.measure = 'cramers_v'),
	other AS (
		SELECT anonopt.html_cells(coalesce(m.what, u.measure) || coalesce(' of ' || array_to_string(u.columns, ', '), ''), coalesce(round(u.before::numeric, 3)::text, ''),
			round(coalesce(u.after, u.value)::numeric, 3)::text) AS cells, u.i
		FROM utility u LEFT JOIN (VALUES ('range_query_error', 'mean error of random counts'), ('range_query_error_median', 'median error of random counts'),
			('majority', 'share of the most frequent label'), ('accuracy', 'accuracy of a classifier'), ('auc', 'area under the curve of a classifier')) m (measure, what)
			ON m.measure = u.measure
		WHERE u.measure NOT IN ('total_variation', 'earth_movers', 'cramers_v'))
	SELECT concat('<div class="columns">',
		(SELECT '<div><h4>Change of distributions, 0 to 1</h4>' || anonopt.html_table('{column,total variation,earth mover''s}', array_agg(cells ORDER BY i)) || '</div>'
			FROM by_column HAVING count(*) > 0),
		(SELECT '<div><h4>Associations (Cramér''s V), 0 to 1</h4>' || anonopt.html_table('{columns,before,after}', array_agg(cells ORDER BY i)) || '</div>' FROM pair HAVING count(*) > 0),
		(SELECT '<div><h4>Counts and predictions</h4>' || anonopt.html_table('{measure,before,after}', array_agg(cells ORDER BY i)) || '</div>' FROM other HAVING count(*) > 0), '</div>')
$$;

-- The details of a release, after its verdict.
-- The texts that a query over one relation returns, of which no other can take the name.
CREATE FUNCTION anonopt.texts_over(relation regclass, query text) RETURNS text[]
AS 'MODULE_PATHNAME', 'anonopt_texts_over' LANGUAGE C STABLE PARALLEL RESTRICTED STRICT;

CREATE FUNCTION anonopt.report_release(r anonopt.reported) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	generalized name[] := ARRAY(SELECT g::name FROM jsonb_array_elements_text(r.entry -> 'generalized') WITH ORDINALITY x (g, i) ORDER BY i);
	hierarchies text[] := ARRAY(SELECT (SELECT a.hierarchy::text FROM anonopt.attribute a WHERE a.dataset = r.entry ->> 'dataset' AND a.role = 'quasi_identifier'
		AND a.column_name = g) FROM unnest(generalized) WITH ORDINALITY x (g, i) ORDER BY i);
	measures jsonb := r.entry -> 'measures';
	cells float8 := anonopt.rows_measured(measures) * cardinality(generalized);
	sizes text[];
	shown text[];
	samples text[];
BEGIN
	sizes := anonopt.texts_over(r.release, format('SELECT anonopt.html_cells(CASE WHEN s.low = s.high THEN anonopt.short_number(s.low)
				ELSE format(''%%s to %%s'', anonopt.short_number(s.low), anonopt.short_number(s.high)) END, anonopt.short_number(s.classes), anonopt.short_number(s.rows))
		FROM (SELECT min(c.n) AS low, max(c.n) AS high, count(*) AS classes, sum(c.n)::float8 AS rows
			FROM (SELECT count(*) AS n FROM %s r GROUP BY %s) c GROUP BY floor(log(2, c.n))) s ORDER BY s.low', r.release, (SELECT string_agg(format('r.%I', q), ', ') FROM unnest(generalized) q)));
	FOR i IN 1 .. cardinality(generalized) LOOP
		samples := anonopt.texts_over(r.release, format('SELECT DISTINCT CASE WHEN r.%1$I IS NULL THEN ''NULL'' ELSE format(''%%s'', r.%1$I) END FROM %2$s r ORDER BY 1', generalized[i], r.release));
		shown := shown || anonopt.html_cells(generalized[i]::text, hierarchies[i], coalesce(r.entry -> 'levels' ->> (i - 1),
				CASE WHEN r.entry ->> 'recoding' IS NOT NULL THEN 'by class' WHEN r.entry ->> 'cuts' IS NOT NULL THEN 'cut' ELSE 'by record' END),
			cardinality(samples)::text, array_to_string(samples[1:4], '; ') || CASE WHEN cardinality(samples) > 4 THEN '; …' ELSE '' END);
	END LOOP;
	RETURN concat('<h3>', anonopt.html(r.name), '</h3><p>Promised: ', anonopt.html(anonopt.report_promise(r)), coalesce('; no promise covers: ' || nullif(anonopt.html(anonopt.report_uncovered(r)), ''), ''),
		'. Published by ', anonopt.html(r.entry ->> 'published_by'), ' on ', left(r.entry ->> 'published_at', 10), '.</p>',
		anonopt.html_table('{what,promised,when published,measured now}', ARRAY[
			anonopt.html_cells('k: people in the smallest class', r.verified ->> 'promised_k', anonopt.short_number((measures ->> 'k')::float8), anonopt.short_number((r.verified ->> 'k')::float8)),
			anonopt.html_cells('l: different sensitive values in a class', coalesce(r.verified ->> 'promised_l', 'not promised'), measures ->> 'l', coalesce(r.verified ->> 'l', '')),
			anonopt.html_cells('t: how far a class''s sensitive values are from all', coalesce(r.verified ->> 'promised_t', 'not promised'), anonopt.short_number((measures ->> 't')::float8),
				anonopt.short_number((r.verified ->> 't')::float8)),
			anonopt.html_cells('rows shown', '', anonopt.short_number(anonopt.rows_measured(measures) - (measures ->> 'suppressed')::float8), anonopt.short_number((r.verified ->> 'rows')::float8)),
			anonopt.html_cells('the promise is kept', '', '', CASE WHEN (r.verified ->> 'ok')::boolean THEN 'yes' WHEN NOT (r.verified ->> 'ok')::boolean THEN 'no' ELSE 'not all can be measured' END)]
			|| ARRAY(SELECT anonopt.html_cells(o.model, o.promise, '', anonopt.short_number(o.measured)) FROM anonopt.report_others(r) o ORDER BY o.model)),
		'<div class="columns"><div><h4>Loss when published</h4>', anonopt.html_table('{measure,value}', (SELECT array_agg(anonopt.html_cells(m.what, m.value) ORDER BY m.i)
			FROM (VALUES (1, 'GLM: detail lost, all columns equally', anonopt.percent((measures ->> 'glm')::float8 / nullif(cells, 0))),
				(2, 'NWP: detail lost, columns by weight', anonopt.percent((measures ->> 'nwp')::float8)),
				(3, 'CM: people outside their class''s majority', anonopt.percent((measures ->> 'cm')::float8)),
				(4, 'NECD: bias of class sizes', anonopt.percent((measures ->> 'necd')::float8)),
				(5, 'DCN: discernibility, people squared', anonopt.short_number((measures ->> 'dcn')::float8)),
				(6, 'classes', anonopt.short_number((measures ->> 'classes')::float8))) m (i, what, value) WHERE m.value <> '')),
		'</div><div><h4>Sizes of classes</h4>', anonopt.html_table(CASE WHEN measures ? 'rows' THEN '{rows in a class,classes,rows}' ELSE '{people in a class,classes,people}' END::text[], sizes),
		'</div></div><h4>What the columns show</h4>', anonopt.html_table('{column,hierarchy,level,labels,for example}', shown));
END $$;

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

-- Holds the extension while the report is made, whose statements name its functions.
CREATE FUNCTION anonopt.report(dataset text, purpose text DEFAULT NULL, recipient text DEFAULT NULL, author text DEFAULT NULL, review date DEFAULT NULL,
	population regclass DEFAULT NULL) RETURNS text AS 'MODULE_PATHNAME', 'anonopt_guarded' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.report_body(dataset text, purpose text, recipient text, author text, review date, population regclass) RETURNS text
-- the planner overestimates many short queries, and compiling them would take longer than running them
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
	source regclass := (SELECT d.relation FROM anonopt.dataset d WHERE d.dataset = report_body.dataset);
	declaration text[] := ARRAY(SELECT anonopt.html_cells(d.column_name::text, d.role, d.hierarchy::text, d.levels::text,
		anonopt.short_number(d.domain), anonopt.short_number(d.observed), anonopt.short_number(d.nulls)) FROM anonopt.describe(dataset) d
		WHERE d.column_name IS NOT NULL);
	qis name[] := ARRAY(SELECT a.column_name FROM anonopt.attribute a WHERE a.dataset = report_body.dataset AND a.role = 'quasi_identifier' ORDER BY a.ordinal);
	front anonopt.node[] := ARRAY(SELECT n FROM anonopt.pareto(dataset) n);
	-- recodings keep no presence
	curve anonopt.node[] := CASE WHEN EXISTS (SELECT FROM anonopt.promise p WHERE p.dataset = report_body.dataset AND p.model = 'presence') THEN '{}'
		ELSE ARRAY(SELECT n FROM anonopt.recoding_curve(dataset) n ORDER BY n.k DESC) END;
	risk jsonb := (SELECT to_jsonb(r) FROM anonopt.risk(source, qis, population => report_body.population,
		person => (SELECT d.person FROM anonopt.dataset d WHERE d.dataset = report_body.dataset)) r);
	cells float8 := (risk ->> 'records')::float8 * cardinality(qis);
	releases anonopt.reported[] := ARRAY(SELECT anonopt.report_measure(dataset, r.release, risk) FROM (SELECT DISTINCT ON (r.release) r.release, r.published_at FROM anonopt.release r
		WHERE r.dataset = report_body.dataset AND NOT r.dropped ORDER BY r.release, r.published_at DESC) r ORDER BY r.published_at);
	dropped_names text := (SELECT string_agg(r.name, ', ' ORDER BY r.published_at) FROM anonopt.release r WHERE r.dataset = report_body.dataset AND r.dropped);
	combined jsonb := (SELECT jsonb_agg(jsonb_build_object('names', (SELECT string_agg(coalesce((SELECT c.name FROM anonopt.release c
				WHERE c.release = x LIMIT 1), x::text), ', ') FROM unnest(r.releases) x), 'n', cardinality(r.releases), 'k', r.k, 'smallest', r.smallest))
		FROM anonopt.release_risk(dataset) r);
	together text := (SELECT '<h3>All of them together</h3><p>Anyone with several releases knows a person''s labels in each. These are the smallest groups of people with the same labels in all, including dropped releases and earlier contents. A group smaller than promised does not break any single release, but the promise does not hold for all of them together.</p>'
			|| anonopt.html_table('{releases,promised k,smallest group}', array_agg(anonopt.html_cells(c ->> 'names', c ->> 'k', coalesce(c ->> 'smallest', 'not known'))))
		FROM jsonb_array_elements(combined) c HAVING count(*) > 1);
	least bigint := (SELECT min((c ->> 'smallest')::bigint) FROM jsonb_array_elements(combined) c WHERE (c ->> 'n')::int > 1);
	about text[] := ARRAY(SELECT format('<th scope="row">%s</th><td>%s</td>', a.what, anonopt.html(a.value)) FROM (VALUES (1, 'data set', dataset), (2, 'relation', source::text), (3, 'rows', anonopt.short_number((risk ->> 'records')::float8)),
		(3.5, 'people', CASE WHEN (SELECT d.person FROM anonopt.dataset d WHERE d.dataset = report_body.dataset) IS NOT NULL THEN anonopt.short_number((risk ->> 'people')::float8) END),
		(4, 'purpose', purpose), (5, 'recipient', recipient), (6, 'author', author), (7, 'date', to_char(now(), 'YYYY-MM-DD HH24:MI TZ')),
		(8, 'to be reviewed on', review::text), (9, 'dropped releases', dropped_names)) a (i, what, value) WHERE a.value IS NOT NULL ORDER BY a.i);
BEGIN
	RETURN concat($html$<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Anonymization of $html$, anonopt.html(dataset), $html$</title>
<style>
:root { color-scheme: light dark; --ink: #222; --paper: #fff; --line: #ccc; --soft: #f3f4f6; --good: #15803d; --bad: #b91c1c; --bar: #2563a8; --after: #c2410c }
@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --paper: #16181c; --line: #444; --soft: #22252b; --good: #86d9a2; --bad: #fca5a5; --bar: #7db4ee; --after: #fb923c } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 0 auto; max-width: 60rem; padding: 1rem }
h1 { font-size: 1.6rem } h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line) }
.wide { overflow-x: auto } table { border-collapse: collapse; margin: .5rem 0 } th, td { padding: .3rem .7rem; border: 1px solid var(--line); text-align: left }
th { background: var(--soft) } td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap } svg { width: 100%; min-width: 34rem; height: auto }
h1, h2, h3, p, li, .bars th { overflow-wrap: anywhere }
.verdict { border-left: .4rem solid var(--good); padding: .1rem 1rem; margin: 1rem 0; background: var(--soft) } .verdict.broken { border-color: var(--bad) }
.verdict h3 { margin: .5rem 0; color: var(--good) } .verdict.broken h3, .warning { color: var(--bad) }
.columns { display: flex; flex-wrap: wrap; gap: 1rem; align-items: flex-start } .columns > div { min-width: 0; max-width: 100%; margin-right: 1rem } .bars { font-size: .85rem } .bars caption { text-align: left; font-weight: 600 }
.bars th, .bars td { padding: .1rem .5rem; border: 0 } .bars tbody th { font-weight: normal; background: none; max-width: 10rem } .bars td:last-child { width: 5rem }
.bars th, .bars td { line-height: 1.2 }
.bars span { display: block; height: .45rem; background: var(--bar); min-width: 1px } .bars .after { background: var(--after) }
#told { min-height: 1.5em } summary { cursor: pointer }
footer { margin-top: 3rem; font-size: .85rem; opacity: .8 }
@media (max-width: 30rem) { th, td { padding: .2rem .3rem; font-size: .85rem } }
@media print { body { font-size: 9pt; line-height: 1.3; max-width: none; padding: 0 } @page { size: A4; margin: 13mm } h2 { margin-top: 1rem; break-after: avoid } h4 { margin: .5rem 0 0 } h3, h4 { break-after: avoid }
table, .verdict, svg { break-inside: avoid } th, td { padding: .1rem .4rem } .bars { font-size: 7pt } .bars th, .bars td { padding: 0 .2rem } .bars td:last-child { width: 2.5rem } .columns { gap: .5rem }
svg { min-width: 0; max-height: 9cm } .wide { overflow: visible } #told, details { display: none } }
</style>
</head>
<body>
<h1>Anonymization of $html$, anonopt.html(dataset), '</h1><h2>Verdict</h2>',
		CASE WHEN cardinality(releases) = 0 THEN '<p>Nothing has been published yet.</p>' ELSE (SELECT string_agg(anonopt.report_verdict(releases[i], least), E'\n' ORDER BY i)
			FROM generate_subscripts(releases, 1) i) END,
		'<div class="wide"><table><tbody>', array_to_string(ARRAY(SELECT '<tr>' || a || '</tr>' FROM unnest(about) a), E'\n'), '</tbody></table></div>',
		CASE WHEN cardinality(releases) = 0 THEN '<h2>The original data</h2>' || anonopt.html_table('{what,measured}', ARRAY[
			anonopt.html_cells('classes', anonopt.short_number((risk ->> 'classes')::float8)),
			anonopt.html_cells('people alone in their class', anonopt.short_number((risk ->> 'uniques')::float8)),
			anonopt.html_cells('highest risk of being recognized', anonopt.percent((risk ->> 'highest')::float8)),
			anonopt.html_cells('average risk', anonopt.percent((risk ->> 'average')::float8)),
			anonopt.html_cells('share of people at a risk above 20 %', anonopt.percent((risk ->> 'share_above')::float8))]) END,
		(SELECT string_agg(concat('<h2>Risk, before and after: ', anonopt.html((releases[i]).name), '</h2>', anonopt.report_risk(releases[i]),
				'<h2>Who is left out of ', anonopt.html((releases[i]).name), '</h2>', anonopt.report_left_out(releases[i]),
				'<h2>Distributions, before and after: ', anonopt.html((releases[i]).name), '</h2><p>The people with a label are divided evenly among its values.</p><div class="columns">',
				(SELECT string_agg(anonopt.report_bars(releases[i], c), E'\n' ORDER BY place) FROM (SELECT v ->> 'column_name' AS c, min(j) AS place
					FROM jsonb_array_elements((releases[i]).values) WITH ORDINALITY z (v, j) GROUP BY 1) columns), '</div>',
				CASE WHEN (releases[i]).values IS NOT NULL THEN concat('<h2>What ', anonopt.html((releases[i]).name), ' is still good for</h2>', anonopt.report_utility(dataset, (releases[i]).release)) END), E'\n' ORDER BY i)
			FROM generate_subscripts(releases, 1) i),
		$html$<h2>The trade-off</h2>
<p>Each dot is a node, one level for each column, that no other node beats both in k, the size of the smallest class, and in GLM, the detail lost in per cent.
Each diamond is a local recoding, which generalizes each class separately, as a short search finds it for k = 2, 3, 5, 10, 20, 50 and 100. Rings mark releases.
The nodes here leave out the smallest classes up to the limit of the data set; a release leaves out exactly the classes that break its promise, so its k and loss can differ from those of its node.</p>
<div class="wide">$html$, anonopt.draw_front('{k,loss}',
			ARRAY(SELECT to_jsonb(n) || jsonb_build_object('loss', round((n.glm / nullif(cells, 0) * 100)::numeric, 2)) FROM unnest(front) n),
			ARRAY(SELECT to_jsonb(n) || jsonb_build_object('loss', round((n.glm / nullif(cells, 0) * 100)::numeric, 2)) FROM unnest(curve) n),
			ARRAY(SELECT jsonb_build_object('name', x.name, 'k', x.verified -> 'k', 'loss', round(((x.entry -> 'measures' ->> 'glm')::float8
					/ nullif(anonopt.rows_measured(x.entry -> 'measures') * cardinality(qis), 0) * 100)::numeric, 2))
				FROM unnest(releases) x WHERE x.verified ->> 'k' IS NOT NULL AND x.entry -> 'measures' ->> 'glm' IS NOT NULL)), '</div><p id="told" role="status"></p>',
		'<details><summary>The nodes as a table</summary>', anonopt.html_table('{levels,k,l,suppressed,classes,GLM,NWP}',
			ARRAY(SELECT anonopt.html_cells(VARIADIC anonopt.levels_text(qis, n.levels) || anonopt.measure_cells(n, cells)) FROM unnest(front) n)), '</details>',
		'<details><summary>The recodings as a table</summary>', anonopt.html_table('{recoding,k,l,suppressed,classes,GLM,NWP}',
			ARRAY(SELECT anonopt.html_cells(VARIADIC 'local'::text || anonopt.measure_cells(n, cells)) FROM unnest(curve) n)), '</details>',
		'<h2>Releases</h2>', coalesce((SELECT string_agg(anonopt.report_release(releases[i]), E'\n' ORDER BY i)
			FROM generate_subscripts(releases, 1) i),
			'<p>Nothing has been published yet.</p>'), together,
		'<p>Dropped releases, which readers may have kept: ' || anonopt.html(dropped_names) || '.</p>',
		'<h2>Declaration</h2>', anonopt.html_table('{column,role,hierarchy,levels,domain,observed,nulls}', declaration),
		(SELECT '<h3>Promises declared</h3>' || anonopt.html_table('{model,threshold,column,c,population}', array_agg(anonopt.html_cells(p.model, anonopt.short_number(p.threshold),
				p.column_name::text, anonopt.short_number(p.c), p.population::text) ORDER BY p.model, p.column_name)) FROM anonopt.promise p WHERE p.dataset = report_body.dataset HAVING count(*) > 0),
		$html$<footer><p>k: everybody shown is in a class of at least k people who look the same. l: each class has at least l different
sensitive values. t: how far a class's sensitive values are from everybody's. A promise covers the columns it names, in a single release; several releases together can reveal more.</p></footer>
<script>
/* shows a point's numbers below the picture; the page has the same numbers without it */
for (const point of document.querySelectorAll('.anonopt-front [tabindex]'))
	for (const event of ['pointerenter', 'focus', 'click'])
		point.addEventListener(event, () => { document.getElementById('told').textContent = point.querySelector('title').textContent.replace(/\n/g, ', '); });
</script>
</body>
</html>$html$);
END $$;
