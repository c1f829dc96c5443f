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
	unchanged name[],
	sensitive name[],
	pseudonyms name[],
	verified jsonb,
	before jsonb,
	after jsonb,
	-- of release_distribution: column, value, people, left_out, shown; NULL for a release by records or a sample
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
	found.unchanged := ARRAY(SELECT c.attname FROM pg_attribute c WHERE c.attrelid = release AND c.attnum > 0 AND NOT c.attisdropped
		AND c.attname <> ALL (entry.generalized || entry.class_columns || '{anonopt_suppressed}'::name[]) ORDER BY c.attnum);
	found.sensitive := ARRAY(SELECT c FROM unnest(found.unchanged) c WHERE EXISTS (SELECT FROM anonopt.attribute a
		WHERE a.dataset = entry.dataset AND a.role = 'sensitive' AND a.column_name = c));
	found.pseudonyms := ARRAY(SELECT c FROM unnest(found.unchanged) c WHERE EXISTS (SELECT FROM anonopt.attribute a
		WHERE a.dataset = entry.dataset AND a.role = 'pseudonym' AND a.column_name = c));
	found.before := source_risk;
	-- a release does not show whose rows it has
	IF NOT entry.measures ? 'rows' THEN
		found.after := (SELECT to_jsonb(r) FROM anonopt.risk(release, entry.class_columns) r);
	END IF;
	-- nor whom it leaves out with all their rows, and a sample whom it draws
	IF entry.epsilon IS NULL AND (entry.levels IS NOT NULL OR entry.cuts IS NOT NULL OR entry.recoding IS NOT NULL)
		AND NOT EXISTS (SELECT FROM jsonb_array_elements(entry.promises) p WHERE p ->> 'rows_known' IS NOT NULL)
		AND NOT EXISTS (SELECT FROM anonopt.promise p WHERE p.dataset = report_measure.dataset AND (p.rows_known IS NOT NULL
			-- which no recoding can keep, so that this one cannot be made again
			OR (entry.recoding IS NOT NULL AND (p.columns_known IS NOT NULL OR p.model = 'presence')))) THEN
		found.values := (SELECT jsonb_agg(to_jsonb(d)) FROM anonopt.release_distribution(dataset, release) d);
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
		ELSE CASE model WHEN 'alpha' THEN format('no sensitive value has more than %s of a class', anonopt.percent(threshold))
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

-- A release's promises other than k, l and t of each class.
CREATE FUNCTION anonopt.report_others(r anonopt.reported, OUT model text, OUT promise text, OUT measured float8) RETURNS SETOF record
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT m.key, anonopt.promise_text(m.key, (m.value ->> 'promised')::float8, (m.value ->> 'c')::float8,
		(m.value ->> 'columns_known')::int, (m.value ->> 'rows_known')::int), (m.value ->> 'measured')::float8
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

-- Columns that are shown without a promise about them; NULL if there are none.
CREATE FUNCTION anonopt.report_uncovered(r anonopt.reported) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT string_agg(c, ', ' ORDER BY i) FROM unnest(r.unchanged) WITH ORDINALITY x (c, i)
	WHERE r.entry ->> 'epsilon' IS NULL AND c <> ALL (r.pseudonyms) AND (c <> ALL (r.sensitive) OR (coalesce(r.verified ->> 'promised_l', r.verified ->> 'promised_t') IS NULL
		AND NOT EXISTS (SELECT FROM jsonb_object_keys(CASE WHEN jsonb_typeof(r.verified -> 'others') = 'object' THEN r.verified -> 'others' ELSE '{}' END) m
			WHERE m !~ '^(k for any .*|k_map|presence|average_risk|share_above|possible_tuples)$')))
$$;

-- What is spent, in words; NULL if nothing is.
CREATE FUNCTION anonopt.privacy_text(spent jsonb) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT format('epsilon = %s and delta = %s', spent ->> 'epsilon', spent ->> 'delta') WHERE spent ->> 'epsilon' IS NOT NULL
$$;

-- The values of which a release shows nobody, at most five; NULL if there are none.
CREATE FUNCTION anonopt.report_gone(r anonopt.reported) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT string_agg(format('%s %s (%s)', column_name, value, anonopt.people_text(people)), ', ' ORDER BY i)
		|| CASE WHEN max(n) > 5 THEN format(' and %s more %s.', max(n) - 5, CASE WHEN max(n) = 6 THEN 'value' ELSE 'values' END) ELSE '.' END
	FROM (SELECT column_name, coalesce(value, 'NULL') AS value, people, count(*) OVER () AS n,
			row_number() OVER (ORDER BY people DESC, column_name, value) AS i
		FROM jsonb_to_recordset(r.values) v (column_name text, value text, people bigint, left_out bigint)
		WHERE people > 0 AND left_out = people) g
	WHERE i <= 5
$$;

-- The verdict on a release: whether it keeps its promises, which risks remain, and who is missing.
CREATE FUNCTION anonopt.report_verdict(r anonopt.reported, together bigint) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT anonopt.fill($html$
<section class="verdict {{class}}">
<h3>{{name}}: {{verdict}}</h3>
<ul>
<li>Promised: {{promise}}.</li>
<li>{{rows}} are shown. Everybody shares all generalized values with at least {{others}} others, so an attacker who knows these values picks the right row with a chance of {{chance}} (before: {{before}}).</li>
<li>Nobody is {{shown}}.</li>
<li>Each class holds at least {{l}} different sensitive values.</li>
<li>Each class holds at least {{one}} different sensitive value. In a class with one value everybody has it, so an attacker learns it without picking a row.</li>
<li>Differentially private, if levels and hierarchies were chosen without looking at the data: {{private}}. That cannot be measured.</li>
<li class="warning">This page counts the {{original}}. It is not differentially private, and not for the readers of the release.</li>
<li>Nobody is {{nobody}}.</li>
<li>Left out or shown only as stars: {{left_out}}.{{gone}}</li>
<li>Not shown as they are now: {{held}}. Their classes would differ from what was shown before by too few people.</li>
<li>Shown unchanged, and covered by no promise: {{uncovered}}.</li>
<li>Shown as pseudonyms, which link the rows of one person: {{pseudonyms}}.</li>
<li class="warning">Together with other releases of the same data, the smallest class is {{together}}: anyone who has all of them can learn more than this release promises.</li>
</ul>
</section>$html$, jsonb_build_object(
		'class', CASE WHEN kept THEN 'kept' ELSE 'broken' END,
		'name', r.name,
		'verdict', CASE WHEN kept THEN 'the promise is kept' || CASE WHEN broken_together THEN ' by this release alone' ELSE '' END
			WHEN NOT kept THEN 'the promise is NOT kept' ELSE 'not all of the promise can be measured' END,
		'promise', anonopt.report_promise(r),
		'rows', anonopt.rows_text((r.verified ->> 'rows')::float8, measures),
		'others', CASE WHEN r.verified ->> 'k' IS NOT NULL THEN anonopt.short_number((r.verified ->> 'k')::float8 - 1) END,
		'chance', anonopt.chance_text(1 / (r.verified ->> 'k')::float8),
		'before', anonopt.percent((r.before ->> 'highest')::float8),
		'l', nullif(r.verified ->> 'l', '1'),
		'one', CASE WHEN r.verified ->> 'l' = '1' THEN '1' END,
		'private', 'all contents of the release together spend ' || anonopt.privacy_text(r.entry),
		'original', CASE WHEN r.entry ->> 'epsilon' IS NOT NULL THEN 'original data' END,
		'shown', CASE WHEN r.verified ->> 'rows' = '0' THEN 'shown' END,
		'nobody', CASE WHEN suppressed = 0 THEN 'left out' END,
		'left_out', CASE WHEN suppressed <> 0 THEN format('%s of %s', anonopt.rows_text(suppressed, measures), anonopt.short_number(anonopt.rows_measured(measures))) END,
		'gone', coalesce(' Nobody is shown with ' || anonopt.report_gone(r), ''),
		'held', CASE WHEN (r.verified ->> 'held_back')::float8 > 0 THEN format('%s, some since %s', anonopt.rows_text((r.verified ->> 'held_back')::float8, measures),
			((r.verified ->> 'held_since')::timestamptz)::date) END,
		'uncovered', anonopt.report_uncovered(r),
		'pseudonyms', nullif(array_to_string(r.pseudonyms, ', '), ''),
		'together', CASE WHEN broken_together THEN together END))
	FROM (SELECT (r.verified ->> 'ok')::boolean AS kept, r.entry -> 'measures' AS measures, (r.entry -> 'measures' ->> 'suppressed')::float8 AS suppressed,
		r.entry ->> 'epsilon' IS NULL AND coalesce(together < (r.verified ->> 'promised_k')::bigint, false) AS broken_together) x
$$;

-- Risks before and after.
CREATE FUNCTION anonopt.report_risk(r anonopt.reported) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT anonopt.html_table('{attacker,risk,before,after}', ARRAY[
		anonopt.html_cells('prosecutor: knows that the person is in the data', 'highest',
			anonopt.percent(before.highest), anonopt.percent(1 / k)),
		anonopt.html_cells('', 'average',
			anonopt.percent(before.average), CASE WHEN r.after IS NULL THEN 'not shown whose rows they are' ELSE anonopt.percent(after.average) END),
		anonopt.html_cells('', 'people above 20 %',
			anonopt.percent(before.share_above), CASE WHEN r.after IS NULL AND k >= 5 THEN '0.0 %' ELSE anonopt.percent(after.share_above) END),
		anonopt.html_cells('journalist: does not know whether the person is in the data', 'highest',
			anonopt.percent(before.journalist_highest), 'at most the prosecutor''s'),
		anonopt.html_cells('marketer: wants to recognize as many as possible', 'expected share of people',
			anonopt.percent(coalesce(before.marketer, before.average)), anonopt.percent(after.average)),
		anonopt.html_cells('', 'people alone in their class',
			anonopt.short_number(before.uniques), CASE WHEN r.after IS NULL AND k > 1 THEN '0' ELSE anonopt.short_number(after.uniques) END)])
	FROM (SELECT (r.verified ->> 'k')::float8 AS k) promised,
		jsonb_to_record(r.before) before (highest float8, average float8, share_above float8, journalist_highest float8, marketer float8, uniques float8),
		jsonb_to_record(coalesce(r.after, '{}')) after (average float8, share_above float8, uniques float8)
$$;

-- Who is left out, by value; values that lose the largest share come first.
CREATE FUNCTION anonopt.report_left_out(r anonopt.reported) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN r.entry ->> 'epsilon' IS NOT NULL THEN '<p>Who is shown was drawn by chance, and who is left out is recorded nowhere.</p>'
		WHEN r.values IS NULL THEN format('<p>%s; who is left out is not counted by value.</p>', CASE
			WHEN coalesce(r.entry ->> 'levels', r.entry ->> 'cuts', r.entry ->> 'recoding') IS NULL THEN 'This release generalizes record by record'
			WHEN r.entry -> 'measures' ? 'rows' THEN 'This release does not show whose rows are whose'
			ELSE 'Promises that were declared since keep this release from being made again' END)
		WHEN count(*) = 0 THEN '<p>Nobody.</p>'
		ELSE anonopt.html_table('{column,value,people,left out,share}', array_agg(
				anonopt.html_cells(column_name) || anonopt.fill('<td>{{value}}</td>', jsonb_build_object('value', coalesce(value, 'NULL')))
				|| anonopt.html_cells(anonopt.short_number(people), anonopt.short_number(left_out), anonopt.percent(left_out / people))
				ORDER BY i) FILTER (WHERE i <= 12))
			|| CASE WHEN count(*) > 12 THEN format('<p>%s more values lose a smaller share of their people.</p>', count(*) - 12) ELSE '' END END
	FROM (SELECT *, row_number() OVER (ORDER BY left_out / people DESC, left_out DESC, column_name, value) AS i
		FROM jsonb_to_recordset(r.values) v (column_name text, value text, people float8, left_out float8)
		WHERE left_out > 0) l
$$;

-- A column's distribution before and after, as at most twelve bars, for runs of leaves or for the most frequent sensitive
-- values.
CREATE FUNCTION anonopt.report_bars(r anonopt.reported, column_name text) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	WITH own AS (
		SELECT coalesce(v ->> 'value', 'NULL') AS value, (v ->> 'people')::float8 AS people, (v ->> 'shown')::float8 AS shown,
			row_number() OVER (ORDER BY i) AS i, row_number() OVER (ORDER BY (v ->> 'people')::float8 DESC, i) AS rank, count(*) OVER () AS n,
			sum((v ->> 'people')::float8) OVER () AS all_people, sum((v ->> 'shown')::float8) OVER () AS all_shown,
			column_name::name = ANY (r.sensitive) AS sensitive
		FROM jsonb_array_elements(r.values) WITH ORDINALITY x (v, i) WHERE v ->> 'column_name' = report_bars.column_name),
	run AS (
		SELECT CASE WHEN count(*) = 1 THEN min(value) WHEN bool_and(sensitive) THEN format('%s others', count(*))
				ELSE (array_agg(value ORDER BY i))[1] || ' … ' || (array_agg(value ORDER BY i DESC))[1] END AS label,
			coalesce(sum(people) / nullif(max(all_people), 0), 0) AS before, coalesce(sum(shown) / nullif(max(all_shown), 0), 0) AS after,
			min(place) AS place
		FROM (SELECT *, CASE WHEN n <= 12 THEN i WHEN sensitive THEN least(rank, 12) ELSE (i - 1) * 12 / n END AS place FROM own) p
		GROUP BY p.place)
	SELECT anonopt.fill($html$
<table class="bars">
<caption>{{column}}</caption>
<thead><tr><th>value</th><th>before</th><th>after</th><th></th></tr></thead>
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

-- What a release's generalized columns show: hierarchy, level, and some of the labels.
CREATE FUNCTION anonopt.report_columns(r anonopt.reported, generalized name[]) RETURNS text[]
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	hierarchies text[] := ARRAY(SELECT (SELECT a.hierarchy::text FROM anonopt.attribute a WHERE a.dataset = r.entry ->> 'dataset'
		AND a.role = 'quasi_identifier' AND a.column_name = g) FROM unnest(generalized) WITH ORDINALITY x (g, i) ORDER BY i);
	cells text[];
	labels text[];
BEGIN
	FOR i IN 1 .. cardinality(generalized) LOOP
		labels := anonopt.texts_over(r.release, format($query$
			SELECT DISTINCT CASE WHEN %1$s IS NULL THEN 'NULL' ELSE format('%%s', %1$s) END FROM %2$s r ORDER BY 1$query$,
			CASE WHEN r.entry -> 'columns_as' ->> (i - 1) = 'bounds' THEN format('nullif(concat_ws('' to '', r.%I, r.%I), '''')', generalized[i] || '_low', generalized[i] || '_high')
				ELSE format('r.%I', generalized[i]) END, r.release));
		cells := cells || anonopt.html_cells(generalized[i]::text, hierarchies[i], coalesce(r.entry -> 'levels' ->> (i - 1),
				CASE WHEN r.entry ->> 'recoding' IS NOT NULL THEN 'by class' WHEN r.entry ->> 'cuts' IS NOT NULL THEN 'cut' ELSE 'by record' END),
			cardinality(labels)::text, array_to_string(labels[1:4], '; ') || CASE WHEN cardinality(labels) > 4 THEN '; …' ELSE '' END);
	END LOOP;
	RETURN cells;
END $$;

-- The details of a release, after its verdict.
CREATE FUNCTION anonopt.report_release(r anonopt.reported) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	generalized name[] := ARRAY(SELECT g::name FROM jsonb_array_elements_text(r.entry -> 'generalized') WITH ORDINALITY x (g, i) ORDER BY i);
	measures jsonb := r.entry -> 'measures';
	cells float8 := anonopt.rows_measured(measures) * cardinality(generalized);
	promises text[] := ARRAY[
		anonopt.html_cells('k: people in the smallest class', r.verified ->> 'promised_k',
			anonopt.short_number((measures ->> 'k')::float8), anonopt.short_number((r.verified ->> 'k')::float8)),
		anonopt.html_cells('l: different sensitive values in a class', coalesce(r.verified ->> 'promised_l', 'not promised'),
			measures ->> 'l', r.verified ->> 'l'),
		anonopt.html_cells('t: how far a class''s sensitive values are from all', coalesce(r.verified ->> 'promised_t', 'not promised'),
			anonopt.short_number((measures ->> 't')::float8), anonopt.short_number((r.verified ->> 't')::float8)),
		anonopt.html_cells('rows shown', '',
			anonopt.short_number(anonopt.rows_measured(measures) - (measures ->> 'suppressed')::float8), anonopt.short_number((r.verified ->> 'rows')::float8)),
		anonopt.html_cells('the promise is kept', '', '',
			CASE (r.verified ->> 'ok')::boolean WHEN true THEN 'yes' WHEN false THEN 'no' ELSE 'not all can be measured' END)]
		|| ARRAY(SELECT anonopt.html_cells(o.model, o.promise, '', anonopt.short_number(o.measured)) FROM anonopt.report_others(r) o ORDER BY o.model);
	losses text[] := ARRAY(SELECT anonopt.html_cells(m.what, m.value) FROM (VALUES
			(1, 'GLM: detail lost, all columns equally', anonopt.percent((measures ->> 'glm')::float8 / nullif(cells, 0))),
			(2, 'NWP: detail lost, columns by weight', anonopt.percent((measures ->> 'nwp')::float8)),
			(3, 'CM: people outside their class''s majority', anonopt.percent((measures ->> 'cm')::float8)),
			(4, 'NECD: bias of class sizes', anonopt.percent((measures ->> 'necd')::float8)),
			(5, 'DCN: discernibility, people squared', anonopt.short_number((measures ->> 'dcn')::float8)),
			(6, 'classes', anonopt.short_number((measures ->> 'classes')::float8))) m (i, what, value)
		WHERE m.value <> '' ORDER BY m.i);
BEGIN
	RETURN anonopt.fill($html$<h3>{{name}}</h3>
<p>Promised: {{promise}}{{uncovered}}. Published by {{publisher}} on {{published}}.</p>
{{&promises}}
<div class="columns">
{{&losses}}
{{&sizes}}
</div>
<h4>What the columns show</h4>
{{&columns}}$html$, jsonb_build_object(
		'name', r.name,
		'promise', anonopt.report_promise(r),
		'uncovered', coalesce('; no promise covers: ' || anonopt.report_uncovered(r), ''),
		'publisher', r.entry ->> 'published_by',
		'published', left(r.entry ->> 'published_at', 10),
		'promises', anonopt.html_table('{what,promised,when published,measured now}', promises),
		'losses', anonopt.html_part('Loss when published', anonopt.html_table('{measure,value}', losses)),
		'sizes', anonopt.html_part('Sizes of classes', anonopt.html_table(
			CASE WHEN measures ? 'rows' THEN '{rows in a class,classes,rows}' ELSE '{people in a class,classes,people}' END::text[],
			anonopt.report_sizes(r.release, ARRAY(SELECT g::name FROM jsonb_array_elements_text(r.entry -> 'class_columns') WITH ORDINALITY x (g, i) ORDER BY i)))),
		'columns', anonopt.html_table('{column,hierarchy,level,labels,for example}', anonopt.report_columns(r, generalized))));
END $$;

-- A release beside the data that it was made from: risks, who is left out, distributions, and what it is still good for.
CREATE FUNCTION anonopt.report_comparison(r anonopt.reported) RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	SELECT anonopt.fill($html$
<h2>Risk, before and after: {{name}}</h2>
{{&risk}}
<h2>Who is left out of {{name}}</h2>
{{&left_out}}
<h2>Distributions, before and after: {{of_values}}</h2><p>The people with a label are divided evenly among its values.</p>
<div class="columns">{{&bars}}
</div>
<h2>What {{of_values}} is still good for</h2>
{{&utility}}$html$, jsonb_build_object(
		'name', r.name,
		'risk', anonopt.report_risk(r),
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

-- When a time limit ends; NULL if it limits nothing.
CREATE FUNCTION anonopt.deadline(time_limit interval) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'anonopt_deadline' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

-- Cancels what this session does at a moment, or no longer; and whether that has happened.
CREATE FUNCTION anonopt.stop_at(moment timestamptz) RETURNS void
AS 'MODULE_PATHNAME', 'anonopt_stop_at' LANGUAGE C VOLATILE PARALLEL RESTRICTED;
CREATE FUNCTION anonopt.has_stopped() RETURNS boolean
AS 'MODULE_PATHNAME', 'anonopt_has_stopped' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

-- A part of the report, by a query over $1 to $4; until the deadline, or it is missing.
CREATE FUNCTION anonopt.report_part(INOUT missing text[], name text, query text, dataset text, relation regclass, facts jsonb, deadline timestamptz, OUT part jsonb)
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF deadline IS NULL THEN
		EXECUTE query INTO part USING dataset, relation, facts, deadline;
		RETURN;
	END IF;
	BEGIN
		PERFORM anonopt.stop_at(deadline);
		EXECUTE query INTO part USING dataset, relation, facts, deadline;
		PERFORM anonopt.stop_at(NULL);
	EXCEPTION WHEN query_canceled THEN
		-- unless somebody else canceled it
		IF NOT anonopt.has_stopped() THEN
			RAISE;
		END IF;
		missing := missing || name;
		part := NULL;
	END;
END $$;

-- Holds the extension while the report is made, whose statements name its functions.
CREATE FUNCTION anonopt.report(dataset text, purpose text DEFAULT NULL, recipient text DEFAULT NULL, author text DEFAULT NULL,
	review date DEFAULT NULL, population regclass DEFAULT NULL, time_limit interval DEFAULT NULL)
RETURNS text AS 'MODULE_PATHNAME', 'anonopt_guarded' LANGUAGE C STABLE PARALLEL UNSAFE;

CREATE FUNCTION anonopt.report_body(dataset text, purpose text, recipient text, author text, review date, population regclass, time_limit interval) RETURNS text
-- the planner overestimates many short queries, and compiling them would take longer than running them
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
	deadline timestamptz := anonopt.deadline(time_limit);
	missing text[] := '{}';
	declared anonopt.dataset := (SELECT d FROM anonopt.dataset d WHERE d.dataset = report_body.dataset);
	qis name[] := ARRAY(SELECT a.column_name FROM anonopt.attribute a WHERE a.dataset = report_body.dataset AND a.role = 'quasi_identifier' ORDER BY a.ordinal);
	declaration jsonb;
	found jsonb;
	front anonopt.node[];
	curve anonopt.node[];
	cut text[];
	risk jsonb;
	cells float8;
	part jsonb;
	releases anonopt.reported[] := '{}';
	comparisons text := '';
	details text := '';
	combined jsonb;
	one anonopt.reported;
	shown record;
	published boolean := false;
	dropped_names text := (SELECT string_agg(r.name, ', ' ORDER BY r.published_at) FROM anonopt.release r WHERE r.dataset = report_body.dataset AND r.dropped);
	least bigint;
BEGIN
	SELECT p.missing, p.part INTO missing, declaration FROM anonopt.report_part(missing, 'the declaration', $query$
		SELECT jsonb_agg(to_jsonb(anonopt.html_cells(d.column_name::text, d.role, d.hierarchy::text, d.levels::text,
			anonopt.short_number(d.domain), anonopt.short_number(d.observed), anonopt.short_number(d.nulls)))) FROM anonopt.describe($1) d
		WHERE d.column_name IS NOT NULL$query$, dataset, NULL, NULL, deadline) p;
	SELECT p.missing, p.part INTO missing, risk FROM anonopt.report_part(missing, 'the risk of the data', $query$
		SELECT to_jsonb(r) FROM anonopt.risk(($3 ->> 'relation')::regclass, ARRAY(SELECT jsonb_array_elements_text($3 -> 'qis'))::name[],
			population => $2, person => ($3 ->> 'person')::name) r$query$,
		dataset, population, to_jsonb(declared) || jsonb_build_object('qis', qis), deadline) p;
	cells := (risk ->> 'records')::float8 * cardinality(qis);
	FOR shown IN SELECT x.* FROM (SELECT DISTINCT ON (r.release) r.release, r.published_at FROM anonopt.release r
			WHERE r.dataset = report_body.dataset AND NOT r.dropped ORDER BY r.release, r.published_at DESC) x ORDER BY x.published_at LOOP
		SELECT p.missing, p.part INTO missing, part FROM anonopt.report_part(missing, format('release %s', shown.release),
			'SELECT to_jsonb(anonopt.report_measure($1, $2, $3))', dataset, shown.release, risk, deadline) p;
		published := true;
		IF part IS NOT NULL THEN
			releases := releases || jsonb_populate_record(NULL::anonopt.reported, part);
		END IF;
	END LOOP;
	SELECT p.missing, p.part INTO missing, combined FROM anonopt.report_part(missing, 'the releases together', $query$
		SELECT jsonb_agg(jsonb_build_object(
			'names', (SELECT string_agg(coalesce((SELECT c.name FROM anonopt.release c WHERE c.release = x LIMIT 1), x::text), ', ') FROM unnest(r.releases) x),
			'n', cardinality(r.releases), 'k', r.k, 'smallest', r.smallest, 'epsilon', r.epsilon, 'delta', r.delta))
		FROM anonopt.release_risk($1) r$query$, dataset, NULL, NULL, deadline) p;
	least := (SELECT min((c ->> 'smallest')::bigint) FROM jsonb_array_elements(combined) c WHERE (c ->> 'n')::int > 1);
	-- the front may take half of the time that is left
	SELECT p.missing, p.part INTO missing, found FROM anonopt.report_part(missing, 'the trade-off', $query$
		SELECT jsonb_build_object('nodes', (SELECT jsonb_agg(to_jsonb(n)) FROM anonopt.pareto($1,
				time_limit => CASE WHEN $4 IS NOT NULL THEN greatest(($4 - clock_timestamp()) / 2, interval '1 ms') END) n),
			'exact', (SELECT s.exact FROM anonopt.last_search() s))$query$, dataset, NULL, NULL, deadline) p;
	front := ARRAY(SELECT n FROM jsonb_populate_recordset(NULL::anonopt.node, nullif(found -> 'nodes', 'null')) n);
	IF NOT (found ->> 'exact')::boolean THEN
		cut := cut || 'The time limit ended the search for nodes, so others may be better.'::text;
	END IF;
	-- recodings keep no presence, nor what is promised against people who know some columns or rows
	IF NOT EXISTS (SELECT FROM anonopt.promise p WHERE p.dataset = report_body.dataset
		AND (p.model = 'presence' OR p.columns_known > 0 OR p.rows_known > 0)) THEN
		SELECT p.missing, p.part INTO missing, found FROM anonopt.report_part(missing, 'recodings', $query$
			SELECT jsonb_agg(to_jsonb(n) ORDER BY n.k DESC) FROM anonopt.recoding_curve($1,
				time_limit => CASE WHEN $4 IS NOT NULL THEN greatest(($4 - clock_timestamp()) * 0.6, interval '1 ms') END) n$query$,
			dataset, NULL, NULL, deadline) p;
		curve := ARRAY(SELECT n FROM jsonb_populate_recordset(NULL::anonopt.node, found) n);
		IF deadline IS NOT NULL AND cardinality(curve) < 7 AND 'recodings' <> ALL (missing) THEN
			cut := cut || 'The time limit may have left out recodings for some k.'::text;
		END IF;
	END IF;
	FOREACH one IN ARRAY releases LOOP
		SELECT p.missing, p.part INTO missing, part FROM anonopt.report_part(missing, format('%s beside the data', one.name),
			'SELECT to_jsonb(anonopt.report_comparison(jsonb_populate_record(NULL::anonopt.reported, $3)))', dataset, NULL, to_jsonb(one), deadline) p;
		comparisons := concat_ws(E'\n', nullif(comparisons, ''), part #>> '{}');
		SELECT p.missing, p.part INTO missing, part FROM anonopt.report_part(missing, format('details of %s', one.name),
			'SELECT to_jsonb(anonopt.report_release(jsonb_populate_record(NULL::anonopt.reported, $3)))', dataset, NULL, to_jsonb(one), deadline) p;
		details := concat_ws(E'\n', nullif(details, ''), part #>> '{}');
	END LOOP;
	RETURN anonopt.report_page(jsonb_build_object(
		'dataset', dataset,
		'missing', nullif(array_to_string(missing, ', '), ''),
		'limit', time_limit,
		'cut', array_to_string(cut, ' '),
		'verdicts', CASE WHEN published THEN (SELECT string_agg(anonopt.report_verdict(releases[i], least), E'\n' ORDER BY i)
			FROM generate_subscripts(releases, 1) i) ELSE '<p>Nothing has been published yet.</p>' END,
		'about', (SELECT string_agg(anonopt.fill('<tr><th scope="row">{{what}}</th><td>{{value}}</td></tr>', to_jsonb(a)), E'\n' ORDER BY a.i) FROM (VALUES
				(1, 'data set', dataset),
				(2, 'relation', declared.relation::text),
				(3, 'rows', anonopt.short_number((risk ->> 'records')::float8)),
				(4, 'people', CASE WHEN declared.person IS NOT NULL THEN anonopt.short_number((risk ->> 'people')::float8) END),
				(5, 'purpose', purpose),
				(6, 'recipient', recipient),
				(7, 'author', author),
				(8, 'date', to_char(now(), 'YYYY-MM-DD HH24:MI TZ')),
				(9, 'to be reviewed on', review::text),
				(10, 'dropped releases', dropped_names),
				(11, 'spent for differential privacy, by all releases of these people', (SELECT anonopt.privacy_text(c) FROM jsonb_array_elements(combined) c
					ORDER BY (c ->> 'epsilon')::float8 DESC NULLS LAST LIMIT 1))) a (i, what, value)),
		'original', CASE WHEN NOT published THEN anonopt.fill(E'<h2>The original data</h2>\n{{&table}}', jsonb_build_object(
			'table', anonopt.html_table('{what,measured}', ARRAY[
				anonopt.html_cells('classes', anonopt.short_number((risk ->> 'classes')::float8)),
				anonopt.html_cells('people alone in their class', anonopt.short_number((risk ->> 'uniques')::float8)),
				anonopt.html_cells('highest risk of being recognized', anonopt.percent((risk ->> 'highest')::float8)),
				anonopt.html_cells('average risk', anonopt.percent((risk ->> 'average')::float8)),
				anonopt.html_cells('share of people at a risk above 20 %', anonopt.percent((risk ->> 'share_above')::float8))]))) END,
		'comparisons', nullif(comparisons, ''),
		'front', anonopt.draw_front('{k,loss}',
			ARRAY(SELECT to_jsonb(n) || jsonb_build_object('loss', round((n.glm / nullif(cells, 0) * 100)::numeric, 2)) FROM unnest(front) n),
			ARRAY(SELECT to_jsonb(n) || jsonb_build_object('loss', round((n.glm / nullif(cells, 0) * 100)::numeric, 2)) FROM unnest(curve) n),
			ARRAY(SELECT jsonb_build_object('name', x.name, 'k', x.verified -> 'k', 'loss', round(((x.entry -> 'measures' ->> 'glm')::float8
					/ nullif(anonopt.rows_measured(x.entry -> 'measures') * cardinality(qis), 0) * 100)::numeric, 2))
				FROM unnest(releases) x WHERE x.verified ->> 'k' IS NOT NULL AND x.entry -> 'measures' ->> 'glm' IS NOT NULL)),
		'nodes', anonopt.html_table('{levels,k,l,suppressed,classes,GLM,NWP}',
			ARRAY(SELECT anonopt.html_cells(VARIADIC anonopt.levels_text(qis, n.levels) || anonopt.measure_cells(n, cells)) FROM unnest(front) n)),
		'recodings', anonopt.html_table('{recoding,k,l,suppressed,classes,GLM,NWP}',
			ARRAY(SELECT anonopt.html_cells(VARIADIC 'local'::text || anonopt.measure_cells(n, cells)) FROM unnest(curve) n)),
		'releases', CASE WHEN published THEN details ELSE '<p>Nothing has been published yet.</p>' END,
		'together', anonopt.report_together(combined),
		'dropped', dropped_names,
		'declaration', anonopt.html_table('{column,role,hierarchy,levels,domain,observed,nulls}', ARRAY(SELECT c #>> '{}' FROM jsonb_array_elements(declaration) c)),
		'promises', (SELECT anonopt.fill(E'<h3>Promises declared</h3>\n{{&table}}', jsonb_build_object('table',
				anonopt.html_table('{model,threshold,column,c,population,known to an attacker}', array_agg(anonopt.html_cells(p.model, anonopt.short_number(p.threshold),
					p.column_name::text, anonopt.short_number(p.c), p.population::text, CASE WHEN p.columns_known > 0 THEN format('any %s columns', p.columns_known)
					WHEN p.rows_known > 0 THEN format('any %s rows of a person', p.rows_known) ELSE 'all columns' END)
					ORDER BY p.model, p.column_name, p.columns_known NULLS FIRST, p.rows_known NULLS FIRST))))
			FROM anonopt.promise p WHERE p.dataset = report_body.dataset HAVING count(*) > 0)));
END $$;
