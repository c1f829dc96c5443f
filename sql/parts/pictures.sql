-- Pictures and reports --------------------------------------------------------

CREATE FUNCTION anonopt.html(value text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT replace(replace(replace(replace(value, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;')
$$;

CREATE FUNCTION anonopt.objective_unit(objective text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN objective IN ('k', 'suppressed') THEN 'people' WHEN objective IN ('l', 'entropy_l') THEN 'values'
		WHEN objective = 'classes' THEN 'classes' WHEN objective = 'glm' THEN 'cells lost'
		WHEN objective IN ('nwp', 'cm', 'necd', 't') THEN 'share, 0 to 1' ELSE 'people squared' END
$$;

-- A number as an axis or a table shows it.
CREATE FUNCTION anonopt.short_number(value float8) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN value IS NULL THEN '' WHEN value = 0 THEN '0'
		WHEN abs(value) >= 1e15 THEN CASE WHEN abs(value) < 'Infinity' THEN trim(to_char(value, '9.9EEEE')) ELSE value::text END
		WHEN abs(value) >= 1000 THEN to_char(value, 'FM999G999G999G999G999')
		ELSE trim_scale(round(value::numeric, 4 - least(floor(log(abs(value::numeric)))::int + 1, 4)))::text END
$$;

-- A tick's number, which must be short.
CREATE FUNCTION anonopt.tick_label(value float8) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN abs(value) >= 1e9 THEN anonopt.short_number(value / 1e9) || ' bn'
		WHEN abs(value) >= 1e6 THEN anonopt.short_number(value / 1e6) || ' m' ELSE anonopt.short_number(value) END
$$;

-- Where an axis has its ticks.
CREATE FUNCTION anonopt.axis_ticks(low float8, high float8, logarithmic boolean) RETURNS float8[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	step float8;
BEGIN
	IF logarithmic THEN
		RETURN ARRAY(SELECT 10.0::float8 ^ e FROM generate_series(ceil(log(low) - 1e-9)::int, floor(log(high) + 1e-9)::int) e);
	END IF;
	IF high <= low THEN
		RETURN ARRAY[low];
	END IF;
	step := 10.0::float8 ^ floor(log((high - low) / 4));
	step := step * CASE WHEN (high - low) / step >= 20 THEN 5 WHEN (high - low) / step >= 8 THEN 2 ELSE 1 END;
	RETURN ARRAY(SELECT i * step FROM generate_series(ceil(low / step - 1e-9)::bigint, floor(high / step + 1e-9)::bigint) i);
END $$;

-- What a point tells when the pointer rests on it: where it comes from, then its measures.
CREATE FUNCTION anonopt.front_tip(origin text, node jsonb, objectives text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT '<title>' || anonopt.html(origin) || '&#10;' || string_agg(format('%s %s', m, anonopt.short_number((node ->> m)::float8)), '&#10;' ORDER BY j)
		|| '</title>'
	FROM (SELECT m, min(j) AS j FROM unnest('{k,l,t,suppressed,classes,glm,nwp,dcn,cm,necd}'::text[] || objectives) WITH ORDINALITY z (m, j)
		GROUP BY m) measure
	WHERE node ->> m IS NOT NULL
$$;

-- The loss that recodings are searched for, so that they stand beside a front.
CREATE FUNCTION anonopt.curve_loss(objectives text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT coalesce((SELECT o FROM unnest(objectives) WITH ORDINALITY z (o, i) WHERE o IN ('glm', 'nwp', 'dcn', 'cm') ORDER BY i LIMIT 1), 'glm')
$$;

-- Nodes of a front as dots, and recodings as diamonds; recodings are NULL where none were searched.
CREATE FUNCTION anonopt.draw_front(objectives text[], nodes jsonb[], recodings jsonb[]) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	x text := objectives[1];
	y text := coalesce(objectives[2], objectives[1]);
	shown jsonb[] := nodes || coalesce(recodings, '{}');
	low float8[] := ARRAY[(SELECT min((n ->> x)::float8) FROM unnest(shown) n), (SELECT min((n ->> y)::float8) FROM unnest(shown) n)];
	high float8[] := ARRAY[(SELECT max((n ->> x)::float8) FROM unnest(shown) n), (SELECT max((n ->> y)::float8) FROM unnest(shown) n)];
	-- values that span decades are shown by their magnitude
	logs boolean[] := ARRAY[low[1] > 0 AND high[1] >= 100 * low[1], low[2] > 0 AND high[2] >= 100 * low[2]];
	px numeric;
	py numeric;
	ticks text := '';
	lines text[] := '{"",""}';
	points text := '';
	tick float8;
	place float8;
	kind int;
BEGIN
	FOR a IN 1 .. 2 LOOP
		IF NOT coalesce(logs[a], false) THEN
			low[a] := least(low[a], 0);
		END IF;
	END LOOP;
	FOR a IN 1 .. 2 LOOP
		FOREACH tick IN ARRAY anonopt.axis_ticks(coalesce(low[a], 0), coalesce(high[a], 1), coalesce(logs[a], false)) LOOP
			place := anonopt.axis_place(tick, low[a], high[a], logs[a]);
			IF a = 1 THEN
				ticks := ticks || format('<path class="grid" d="M%s 20V380"/><text x="%1$s" y="398" text-anchor="middle">%s</text>',
					round((80 + 600 * place)::numeric, 1), anonopt.tick_label(tick));
			ELSE
				ticks := ticks || format('<path class="grid" d="M80 %sH680"/><text x="72" y="%s" text-anchor="end">%s</text>',
					round((380 - 360 * place)::numeric, 1), round((384 - 360 * place)::numeric, 1), anonopt.tick_label(tick));
			END IF;
		END LOOP;
	END LOOP;
	FOR i IN 1 .. cardinality(shown) LOOP
		CONTINUE WHEN shown[i] ->> x IS NULL OR shown[i] ->> y IS NULL;
		kind := CASE WHEN i <= cardinality(nodes) THEN 1 ELSE 2 END;
		px := round((80 + 600 * anonopt.axis_place((shown[i] ->> x)::float8, low[1], high[1], logs[1]))::numeric, 1);
		py := round((380 - 360 * anonopt.axis_place((shown[i] ->> y)::float8, low[2], high[2], logs[2]))::numeric, 1);
		lines[kind] := lines[kind] || CASE WHEN cardinality(objectives) > 2 THEN '' WHEN lines[kind] = '' THEN format('M%s %s', px, py) ELSE format('H%sV%s', px, py) END;
		points := points || CASE kind WHEN 1 THEN format('<circle cx="%s" cy="%s" r="4" tabindex="0">%s</circle>', px, py,
				anonopt.front_tip(format('levels %s', translate((shown[i] -> 'levels')::text, '[] ', '{}')), shown[i], objectives))
			ELSE format('<path class="recoding" d="M%s %sl5 5 -5 5 -5 -5z" tabindex="0">%s</path>', px, py - 5,
				anonopt.front_tip('local recoding', shown[i], objectives)) END;
	END LOOP;
	IF recodings IS NOT NULL THEN
		points := points || '<path class="dot" d="M506 10a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z"/><text x="520" y="14">nodes</text>'
			'<path class="recoding" d="M580 5l5 5 -5 5 -5 -5z"/><text x="590" y="14">local recodings</text>';
	END IF;
	RETURN format($svg$<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 700 440" role="img" aria-label="Front of %s and %s">
<style>
.anonopt-front text { font: 12px system-ui, sans-serif; fill: #333 }
.anonopt-front .grid { stroke: #ddd } .anonopt-front .axis { stroke: #333; fill: none }
.anonopt-front .front { stroke: #2563a8; stroke-width: 1.5; fill: none } .anonopt-front circle, .anonopt-front .dot { fill: #2563a8 }
.anonopt-front .curve { stroke: #15803d; stroke-width: 1.5; fill: none; stroke-dasharray: 4 3 } .anonopt-front .recoding { fill: #15803d }
.anonopt-front circle:hover, .anonopt-front circle:focus { fill: #c2410c; r: 6px; outline: none }
.anonopt-front .recoding:hover, .anonopt-front .recoding:focus { fill: #c2410c; outline: none }
@media (prefers-color-scheme: dark) { .anonopt-front text { fill: #ddd } .anonopt-front .grid { stroke: #444 }
.anonopt-front .axis { stroke: #ddd } .anonopt-front .front { stroke: #7db4ee } .anonopt-front circle, .anonopt-front .dot { fill: #7db4ee }
.anonopt-front .curve { stroke: #86d9a2 } .anonopt-front .recoding { fill: #86d9a2 } }
</style>
<g class="anonopt-front">%s
<path class="axis" d="M80 20V380H680"/>
<text x="380" y="428" text-anchor="middle">%s (%s%s)</text>
<text transform="translate(18 200) rotate(-90)" text-anchor="middle">%s (%s%s)</text>
<path class="front" d="%s"/><path class="curve" d="%s"/>
%s</g>
</svg>$svg$, anonopt.html(x), anonopt.html(y), ticks, x, anonopt.objective_unit(x), CASE WHEN logs[1] THEN ', log scale' ELSE '' END,
		y, anonopt.objective_unit(y), CASE WHEN logs[2] THEN ', log scale' ELSE '' END, lines[1], lines[2], points);
END $$;

CREATE FUNCTION anonopt.front_svg(dataset text, objectives text[] DEFAULT '{k,glm}', recodings boolean DEFAULT false) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN anonopt.draw_front(objectives, ARRAY(SELECT to_jsonb(n) FROM anonopt.pareto(dataset, objectives) n),
		CASE WHEN recodings THEN ARRAY(SELECT to_jsonb(n) FROM anonopt.recoding_curve(dataset, loss => anonopt.curve_loss(objectives)) n
			ORDER BY n.k DESC) END);
END $$;

-- How far along its axis a value stands, from 0 to 1.
CREATE FUNCTION anonopt.axis_place(value float8, low float8, high float8, logarithmic boolean) RETURNS float8
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN high = low OR value IS NULL THEN 0.5 WHEN logarithmic THEN (log(value) - log(low)) / (log(high) - log(low))
		ELSE (value - low) / (high - low) END
$$;

-- A table of a page, from rows that are cells already.
CREATE FUNCTION anonopt.html_table(head text[], rows text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT concat('<div class="wide"><table><thead><tr>', (SELECT string_agg('<th>' || anonopt.html(h) || '</th>', '' ORDER BY i)
			FROM unnest(head) WITH ORDINALITY x (h, i)),
		'</tr></thead><tbody>', (SELECT string_agg('<tr>' || r || '</tr>', E'\n' ORDER BY i) FROM unnest(rows) WITH ORDINALITY x (r, i)),
		'</tbody></table></div>')
$$;

CREATE FUNCTION anonopt.html_cells(VARIADIC cells text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT string_agg(CASE WHEN c ~ '^[-0-9.,]+$' THEN '<td class="number">' ELSE '<td>' END || coalesce(anonopt.html(c), '') || '</td>', '' ORDER BY i)
	FROM unnest(cells) WITH ORDINALITY x (c, i)
$$;

-- A release of a report: its promise and measures, how large its classes are, and what its columns show.
CREATE FUNCTION anonopt.report_release(release regclass) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	entry record;
	verified record := anonopt.verify(release);
	classes text;
	sizes text[];
	shown text[];
	samples text[];
	promised text;
	told name[];
	sensitive name[];
BEGIN
	-- what follows is planned as the caller, and may run what the owner says in statistics or indexes
	IF (SELECT c.relowner FROM pg_class c WHERE c.oid = release) <> (SELECT o.oid FROM pg_roles o WHERE o.rolname = current_user) THEN
		RAISE EXCEPTION 'must be owner of release %', release USING ERRCODE = '42501',
			HINT = format('SET ROLE %s first.', (SELECT c.relowner::regrole FROM pg_class c WHERE c.oid = release));
	END IF;
	SELECT r.* INTO STRICT entry FROM anonopt.release r WHERE r.release = report_release.release AND NOT r.dropped ORDER BY r.published_at DESC LIMIT 1;
	classes := (SELECT string_agg(format('r.%I', q), ', ') FROM unnest(entry.generalized) q);
	-- the comment says so too, but whoever owns the release may write another
	told := ARRAY(SELECT c.attname FROM pg_attribute c WHERE c.attrelid = release AND c.attnum > 0 AND NOT c.attisdropped
		AND c.attname <> ALL (entry.generalized || '{anonopt_suppressed}'::name[]) ORDER BY c.attnum);
	sensitive := ARRAY(SELECT c FROM unnest(told) c WHERE EXISTS (SELECT FROM anonopt.attribute a
		WHERE a.dataset = entry.dataset AND a.role = 'sensitive' AND a.column_name = c));
	promised := concat_ws('; ', format('Promised: k = %s by %s', verified.promised_k, array_to_string(entry.generalized, ', ')),
		'l = ' || verified.promised_l || ' in ' || array_to_string(sensitive, ', '),
		't = ' || verified.promised_t || ' in ' || array_to_string(sensitive, ', '),
		'no promise covers: ' || nullif(array_to_string(ARRAY(SELECT c FROM unnest(told) c
			WHERE c <> ALL (sensitive) OR coalesce(verified.promised_l, verified.promised_t) IS NULL), ', '), ''));
	EXECUTE format('SELECT array_agg(anonopt.html_cells(format(''%%s to %%s'', s.low, s.low * 2 - 1), s.classes::text, s.people::text) ORDER BY s.low)
		FROM (SELECT (2 ^ floor(log(2, c.n)))::bigint AS low, count(*) AS classes, sum(c.n) AS people
			FROM (SELECT count(*) AS n FROM %s r GROUP BY %s) c GROUP BY 1) s', release, classes) INTO sizes;
	FOR i IN 1 .. cardinality(entry.generalized) LOOP
		EXECUTE format('SELECT array_agg(DISTINCT CASE WHEN r.%1$I IS NULL THEN ''NULL'' ELSE format(''%%s'', r.%1$I) END) FROM %2$s r', entry.generalized[i], release) INTO samples;
		shown := shown || anonopt.html_cells(entry.generalized[i]::text, coalesce(entry.levels[i]::text, 'cut'), cardinality(samples)::text,
			array_to_string(samples[1:4], '; ') || CASE WHEN cardinality(samples) > 4 THEN '; …' ELSE '' END);
	END LOOP;
	RETURN concat('<h3>', anonopt.html(release::text), '</h3><p>', anonopt.html(promised), '</p>', anonopt.html_table('{what,promised,measured now}', ARRAY[
			anonopt.html_cells('k: people in the smallest class', verified.promised_k::text, verified.k::text),
			anonopt.html_cells('l: different sensitive values in a class', coalesce(verified.promised_l::text, 'nothing'), coalesce(verified.l::text, '')),
			anonopt.html_cells('t: how far a class''s sensitive values are from all', coalesce(verified.promised_t::text, 'nothing'), anonopt.short_number(verified.t)),
			anonopt.html_cells('rows', '', anonopt.short_number(verified.rows)),
			anonopt.html_cells('the promise holds', '', CASE WHEN verified.ok THEN 'yes' ELSE 'no' END)]),
		'<h4>When it was published</h4>' || anonopt.html_table('{measure,value}', (SELECT array_agg(anonopt.html_cells(m.what,
				anonopt.short_number((entry.measures ->> m.measure)::float8)) ORDER BY m.i)
			FROM (VALUES (1, 'people', 'people in the data'), (2, 'suppressed', 'people left out or starred'), (3, 'classes', 'classes'),
				(4, 't', 't: how far a class''s sensitive values are from all'), (5, 'glm', 'GLM: cells lost'), (6, 'nwp', 'NWP: weighted share lost'),
				(7, 'dcn', 'DCN: discernibility'), (8, 'cm', 'CM: people out of their class''s majority'), (9, 'necd', 'NECD: bias of class sizes'))
				m (i, measure, what)
			WHERE entry.measures ->> m.measure IS NOT NULL)),
		'<h4>Sizes of classes</h4>', anonopt.html_table('{people in a class,classes,people}', sizes),
		'<h4>What the columns show</h4>', anonopt.html_table('{column,level,labels,for example}', shown));
END $$;

-- The measures of a row of the report's tables.
CREATE FUNCTION anonopt.measure_cells(n anonopt.node) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT ARRAY[anonopt.short_number(n.k), anonopt.short_number(n.l), anonopt.short_number(n.suppressed), anonopt.short_number(n.classes),
		anonopt.short_number(n.glm), round(n.nwp::numeric, 3)::text]
$$;

CREATE FUNCTION anonopt.report(dataset text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	source regclass := (SELECT d.relation FROM anonopt.dataset d WHERE d.dataset = report.dataset);
	declaration text[] := ARRAY(SELECT anonopt.html_cells(d.column_name::text, d.role, d.hierarchy::text, d.levels::text,
		anonopt.short_number(d.domain), anonopt.short_number(d.observed), anonopt.short_number(d.nulls)) FROM anonopt.describe(dataset) d
		WHERE d.role <> 'tuple_store');
	qis name[] := ARRAY(SELECT a.column_name FROM anonopt.attribute a WHERE a.dataset = report.dataset AND a.role = 'quasi_identifier' ORDER BY a.ordinal);
	risk record;
	front anonopt.node[] := ARRAY(SELECT n FROM anonopt.pareto(dataset) n);
	curve anonopt.node[] := ARRAY(SELECT n FROM anonopt.recoding_curve(dataset) n ORDER BY n.k DESC);
	releases text := (SELECT string_agg(anonopt.report_release(r.release), E'\n' ORDER BY r.published_at) FROM anonopt.release r
		WHERE r.dataset = report.dataset AND NOT r.dropped)
		|| coalesce((SELECT '<h3>All of them together</h3><p>Who has several releases knows a person''s labels in each. These are the smallest classes of people with the same labels in all, dropped releases and earlier contents included.</p>'
				|| anonopt.html_table('{releases,promised k,smallest class}', array_agg(anonopt.html_cells(array_to_string(r.releases, ', '), r.k::text,
					coalesce(r.smallest::text, 'not known'))))
			FROM anonopt.release_risk(dataset) r HAVING count(*) > 1), '');
BEGIN
	SELECT * INTO risk FROM anonopt.risk(source, qis);
	RETURN format($html$<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Anonymization of %1$s</title>
<style>
:root { color-scheme: light dark; --ink: #222; --paper: #fff; --line: #ccc; --soft: #f3f4f6 }
@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --paper: #16181c; --line: #444; --soft: #22252b } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 0 auto; max-width: 60rem; padding: 1rem }
h1 { font-size: 1.6rem } h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line) }
.wide { overflow-x: auto } table { border-collapse: collapse; margin: .5rem 0 } th, td { padding: .3rem .7rem; border: 1px solid var(--line); text-align: left }
th { background: var(--soft) } td.number { text-align: right; font-variant-numeric: tabular-nums } svg { width: 100%%; min-width: 34rem; height: auto }
h1, h2, h3, p { overflow-wrap: anywhere }
footer { margin-top: 3rem; font-size: .85rem; opacity: .8 }
</style>
</head>
<body>
<h1>Anonymization of %1$s</h1>
<p>Relation %2$s, %3$s rows; made on %4$s.</p>
<h2>Declaration</h2>
%5$s
<h2>The data as they are</h2>
%6$s
<h2>The trade-off</h2>
<p>Each dot is a node, one level a column, that no other node beats both in k, the size of the smallest class, and in GLM, the cells lost.
Each diamond is a local recoding, which generalizes each class by itself: what a short search finds for k = 2, 3, 5, 10, 20, 50 and 100.</p>
<div class="wide">%7$s</div>
%8$s
%9$s
<h2>Releases</h2>
%10$s
<footer><p>k: everybody shown stands in a class of at least so many who look the same. l: each class holds at least so many different
sensitive values. A promise holds for the columns it names and for one release by itself; several releases together can tell more.</p></footer>
</body>
</html>$html$, anonopt.html(dataset), anonopt.html(source::text), anonopt.short_number(risk.records),
		to_char(now(), 'YYYY-MM-DD HH24:MI TZ'),
		anonopt.html_table('{column,role,hierarchy,levels,domain,observed,nulls}', declaration),
		anonopt.html_table('{what,measured}', ARRAY[
			anonopt.html_cells('classes', anonopt.short_number(risk.classes)),
			anonopt.html_cells('people who stand alone', anonopt.short_number(risk.uniques)),
			anonopt.html_cells('highest risk of being recognized', round(risk.highest::numeric, 3)::text),
			anonopt.html_cells('average risk', round(risk.average::numeric, 3)::text),
			anonopt.html_cells('share of people at a risk above 0.2', round(risk.share_above::numeric, 3)::text)]),
		anonopt.draw_front('{k,glm}', ARRAY(SELECT to_jsonb(n) FROM unnest(front) n), ARRAY(SELECT to_jsonb(n) FROM unnest(curve) n)),
		anonopt.html_table('{levels,k,l,suppressed,classes,GLM,NWP}', ARRAY(SELECT anonopt.html_cells(VARIADIC n.levels::text || anonopt.measure_cells(n))
			FROM unnest(front) n)),
		anonopt.html_table('{recoding,k,l,suppressed,classes,GLM,NWP}', ARRAY(SELECT anonopt.html_cells(VARIADIC 'local'::text || anonopt.measure_cells(n))
			FROM unnest(curve) n)),
		coalesce(releases, '<p>Nothing has been published yet.</p>'));
END $$;

