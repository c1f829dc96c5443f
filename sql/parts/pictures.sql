-- Pictures and reports --------------------------------------------------------

CREATE FUNCTION anonopt.html(value text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT replace(replace(replace(replace(value, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;')
$$;

-- Fills a template. {{name}} is a field's text, {{&name}} a field that is markup already. A line is left out if one of
-- its fields is null.
CREATE FUNCTION anonopt.fill(template text, fields jsonb) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	line text;
	lines text[];
	parts text[];
BEGIN
	FOREACH line IN ARRAY string_to_array(template, E'\n') LOOP
		-- every second part is a name
		parts := regexp_split_to_array(line, '\{\{|\}\}');
		FOR i IN 2 .. cardinality(parts) BY 2 LOOP
			parts[i] := CASE WHEN parts[i] ^@ '&' THEN fields ->> substr(parts[i], 2) ELSE anonopt.html(fields ->> parts[i]) END;
		END LOOP;
		IF array_position(parts, NULL) IS NULL THEN
			lines := lines || array_to_string(parts, '');
		END IF;
	END LOOP;
	RETURN array_to_string(lines, E'\n');
END $$;

CREATE FUNCTION anonopt.objective_unit(objective text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN objective IN ('k', 'suppressed') THEN 'people' WHEN objective IN ('l', 'entropy_l') THEN 'values'
		WHEN objective = 'classes' THEN 'classes' WHEN objective = 'glm' THEN 'cells lost' WHEN objective = 'loss' THEN 'per cent of the detail'
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

-- A tick's number, in a short form.
CREATE FUNCTION anonopt.tick_label(value float8) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN abs(value) >= 1e9 THEN anonopt.short_number(value / 1e9) || ' bn'
		WHEN abs(value) >= 1e6 THEN anonopt.short_number(value / 1e6) || ' m' ELSE anonopt.short_number(value) END
$$;

-- The position of a value on its axis, from 0 to 1.
CREATE FUNCTION anonopt.axis_place(value float8, low float8, high float8, logarithmic boolean) RETURNS float8
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN high = low OR value IS NULL THEN 0.5 WHEN logarithmic THEN (log(value) - log(low)) / (log(high) - log(low))
		ELSE (value - low) / (high - low) END
$$;

-- The positions of an axis's ticks.
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

-- The tooltip of a point: its origin, then its measures.
CREATE FUNCTION anonopt.front_tip(origin text, node jsonb, objectives text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT '<title>' || anonopt.html(origin) || '&#10;'
		|| string_agg(format('%s %s', m, anonopt.short_number((node ->> m)::float8)), '&#10;' ORDER BY j) || '</title>'
	FROM (SELECT m, min(j) AS j FROM unnest('{k,l,t,suppressed,classes,glm,nwp,dcn,cm,necd}'::text[] || objectives) WITH ORDINALITY z (m, j)
		GROUP BY m) measure
	WHERE node ->> m IS NOT NULL
$$;

-- The loss that recodings minimize when they are drawn beside a front.
CREATE FUNCTION anonopt.curve_loss(objectives text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT coalesce((SELECT o FROM unnest(objectives) WITH ORDINALITY z (o, i) WHERE o IN ('glm', 'nwp', 'dcn', 'cm') ORDER BY i LIMIT 1), 'glm')
$$;

-- Draws nodes of a front as dots, recodings as diamonds, and published nodes as rings with a number, since a name may have no room; recodings are NULL if
-- none were searched.
CREATE FUNCTION anonopt.draw_front(objectives text[], nodes jsonb[], recodings jsonb[], published jsonb[] DEFAULT '{}') RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	x text := objectives[1];
	y text := coalesce(objectives[2], objectives[1]);
	shown jsonb[] := nodes || coalesce(recodings, '{}') || published;
	apart int := -1000;
	low float8[] := ARRAY[(SELECT min((n ->> x)::float8) FROM unnest(shown) n), (SELECT min((n ->> y)::float8) FROM unnest(shown) n)];
	high float8[] := ARRAY[(SELECT max((n ->> x)::float8) FROM unnest(shown) n), (SELECT max((n ->> y)::float8) FROM unnest(shown) n)];
	-- values that span decades get a logarithmic axis
	logs boolean[] := ARRAY[low[1] > 0 AND high[1] >= 100 * low[1], low[2] > 0 AND high[2] >= 100 * low[2]];
	px numeric;
	py numeric;
	ticks text[] := '{}';
	lines text[] := '{"",""}';
	points text[] := '{}';
	tick float8;
	place float8;
	kind int;
	rings int := 0;
BEGIN
	FOR a IN 1 .. 2 LOOP
		IF NOT coalesce(logs[a], false) THEN
			low[a] := least(low[a], 0);
		END IF;
		FOREACH tick IN ARRAY anonopt.axis_ticks(coalesce(low[a], 0), coalesce(high[a], 1), coalesce(logs[a], false)) LOOP
			place := anonopt.axis_place(tick, low[a], high[a], logs[a]);
			ticks := ticks || anonopt.fill(CASE a WHEN 1 THEN $svg$
<path class="grid" d="M{{x}} 20V380"/>
<text x="{{x}}" y="398" text-anchor="middle">{{label}}</text>$svg$ ELSE $svg$
<path class="grid" d="M80 {{y}}H680"/>
<text x="72" y="{{y}}" dy="4" text-anchor="end">{{label}}</text>$svg$ END, jsonb_build_object(
				'x', round((80 + 600 * place)::numeric, 1),
				'y', round((380 - 360 * place)::numeric, 1),
				'label', anonopt.tick_label(tick)));
		END LOOP;
	END LOOP;
	FOR i IN 1 .. cardinality(shown) LOOP
		CONTINUE WHEN shown[i] ->> x IS NULL OR shown[i] ->> y IS NULL;
		kind := CASE WHEN i <= cardinality(nodes) THEN 1 WHEN i <= cardinality(nodes) + cardinality(coalesce(recodings, '{}')) THEN 2 ELSE 3 END;
		rings := rings + (kind = 3)::int;
		px := round((80 + 600 * anonopt.axis_place((shown[i] ->> x)::float8, low[1], high[1], logs[1]))::numeric, 1);
		py := round((380 - 360 * anonopt.axis_place((shown[i] ->> y)::float8, low[2], high[2], logs[2]))::numeric, 1);
		IF kind < 3 AND cardinality(objectives) <= 2 THEN
			lines[kind] := lines[kind] || format(CASE lines[kind] WHEN '' THEN 'M%s %s' ELSE 'H%sV%s' END, px, py);
		END IF;
		-- a point's numbers are printed beside it if there is room
		IF kind = 1 AND cardinality(objectives) = 2 AND abs(px - apart) >= 70 THEN
			apart := px;
			points := points || anonopt.fill(CASE WHEN px > 600 THEN $svg$
<text class="note" x="{{x}}" y="{{y}}" dx="-7" text-anchor="end">{{numbers}}</text>$svg$ ELSE $svg$
<text class="note" x="{{x}}" y="{{y}}" dx="7" text-anchor="start">{{numbers}}</text>$svg$ END, jsonb_build_object(
				'x', px,
				'y', least(py + 14, 376),
				'numbers', format('%s; %s', anonopt.tick_label((shown[i] ->> x)::float8), anonopt.tick_label((shown[i] ->> y)::float8))));
		END IF;
		points := points || anonopt.fill(CASE kind WHEN 1 THEN $svg$
<circle cx="{{x}}" cy="{{y}}" r="4" tabindex="0" role="img">{{&tip}}</circle>$svg$ WHEN 2 THEN $svg$
<path class="recoding" d="M{{x}} {{y}}m0 -5l5 5 -5 5 -5 -5z" tabindex="0" role="img">{{&tip}}</path>$svg$ ELSE $svg$
<circle class="published" cx="{{x}}" cy="{{y}}" r="8" tabindex="0" role="img">{{&tip}}</circle>
<text class="name" x="{{x}}" y="{{y}}" dx="{{apart}}" dy="4" text-anchor="{{anchor}}">{{name}}</text>$svg$ END, jsonb_build_object(
			'x', px,
			'y', py,
			'tip', anonopt.front_tip(CASE kind WHEN 1 THEN format('levels %s', translate((shown[i] -> 'levels')::text, '[] ', '{}'))
				WHEN 2 THEN 'local recoding' ELSE format('release %s', shown[i] ->> 'name') END, shown[i], objectives),
			'apart', (12 + 14 * (rings - 1)) * CASE WHEN px > 400 THEN -1 ELSE 1 END,
			'anchor', CASE WHEN px > 400 THEN 'end' ELSE 'start' END,
			'name', shown[i] ->> 'ring'));
	END LOOP;
	IF recodings IS NOT NULL THEN
		points := points || $svg$
<path class="dot" d="M506 424a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z"/>
<text x="520" y="428">nodes</text>
<path class="recoding" d="M580 419l5 5 -5 5 -5 -5z"/>
<text x="590" y="428">local recodings</text>$svg$::text;
	END IF;
	RETURN anonopt.fill($svg$<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 700 440" role="group" aria-label="Front of {{x}} and {{y}}">
<style>
.anonopt-front text { font: 12px system-ui, sans-serif; fill: #333 }
.anonopt-front .grid { stroke: #ddd }
.anonopt-front .axis { stroke: #333; fill: none }
.anonopt-front .front { stroke: #2563a8; stroke-width: 1.5; fill: none }
.anonopt-front circle, .anonopt-front .dot { fill: #2563a8 }
.anonopt-front .curve { stroke: #15803d; stroke-width: 1.5; fill: none; stroke-dasharray: 4 3 }
.anonopt-front .recoding { fill: #15803d }
.anonopt-front circle:hover, .anonopt-front circle:focus { fill: #c2410c; r: 6px; outline: none }
.anonopt-front .recoding:hover, .anonopt-front .recoding:focus { fill: #c2410c; outline: none }
.anonopt-front .published { fill: none; stroke: #c2410c; stroke-width: 2; pointer-events: all }
.anonopt-front circle.published:hover, .anonopt-front circle.published:focus { fill: none; r: 10px }
.anonopt-front text.note, .anonopt-front text.name { paint-order: stroke; stroke: Canvas; stroke-width: 3px }
.anonopt-front text.note { font-size: 10px }
.anonopt-front text.name { font-weight: 600 }
@media (prefers-color-scheme: dark) {
	.anonopt-front text { fill: #ddd }
	.anonopt-front .grid { stroke: #444 }
	.anonopt-front .axis { stroke: #ddd }
	.anonopt-front .front { stroke: #7db4ee }
	.anonopt-front circle, .anonopt-front .dot { fill: #7db4ee }
	.anonopt-front .curve { stroke: #86d9a2 }
	.anonopt-front .recoding { fill: #86d9a2 }
	.anonopt-front .published { stroke: #fb923c }
}
</style>
<g class="anonopt-front">{{&ticks}}
<path class="axis" d="M80 20V380H680"/>
<text x="380" y="428" text-anchor="middle">{{x}} ({{x_unit}})</text>
<text transform="translate(18 200) rotate(-90)" text-anchor="middle">{{y}} ({{y_unit}})</text>
<path class="front" d="{{front}}"/>
<path class="curve" d="{{curve}}"/>{{&points}}
</g>
</svg>$svg$, jsonb_build_object(
		'x', x,
		'x_unit', anonopt.objective_unit(x) || CASE WHEN logs[1] THEN ', log scale' ELSE '' END,
		'y', y,
		'y_unit', anonopt.objective_unit(y) || CASE WHEN logs[2] THEN ', log scale' ELSE '' END,
		'ticks', array_to_string(ticks, ''),
		'front', lines[1],
		'curve', lines[2],
		'points', array_to_string(points, '')));
END $$;

CREATE FUNCTION anonopt.front_svg(dataset text, objectives text[] DEFAULT '{k,glm}', recodings boolean DEFAULT false)
RETURNS text AS 'MODULE_PATHNAME', 'anonopt_guarded' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION anonopt.front_svg_body(dataset text, objectives text[], recodings boolean) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN anonopt.draw_front(objectives, ARRAY(SELECT to_jsonb(n) FROM anonopt.pareto(dataset, objectives) n),
		CASE WHEN recodings THEN ARRAY(SELECT to_jsonb(n) FROM anonopt.recoding_curve(dataset, loss => anonopt.curve_loss(objectives)) n
			ORDER BY n.k DESC) END);
END $$;
