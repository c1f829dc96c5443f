-- The page of a report ------------------------------------------------------------

-- An HTML table, from rows that already consist of cells.
CREATE FUNCTION anonopt.html_table(head text[], rows text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT anonopt.fill($html$<div class="wide">
<table>
<thead><tr>{{&head}}</tr></thead>
<tbody>
{{&rows}}
</tbody>
</table>
</div>$html$, jsonb_build_object(
		'head', (SELECT string_agg('<th>' || anonopt.html(h) || '</th>', '' ORDER BY i) FROM unnest(head) WITH ORDINALITY x (h, i)),
		'rows', (SELECT string_agg('<tr>' || r || '</tr>', E'\n' ORDER BY i) FROM unnest(rows) WITH ORDINALITY x (r, i))))
$$;

-- The cells of a row; numbers stand on the right.
CREATE FUNCTION anonopt.html_cells(VARIADIC cells text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT string_agg(CASE WHEN c ~ '^(< )?-?[0-9][0-9,]*(\.[0-9]+)?( %)?$' THEN '<td class="number">' ELSE '<td>' END
		|| coalesce(anonopt.html(c), '') || '</td>', '' ORDER BY i)
	FROM unnest(cells) WITH ORDINALITY x (c, i)
$$;

-- A part of a page that stands beside others.
CREATE FUNCTION anonopt.html_part(head text, content text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT anonopt.fill($html$<div>
<h4>{{head}}</h4>
{{&content}}
</div>$html$, jsonb_build_object('head', head, 'content', content))
$$;

-- What could be published, as a picture and as tables; a sentence where nothing was searched.
CREATE FUNCTION anonopt.report_trade_off(fields jsonb, searched boolean) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN fields IS NULL THEN format('<h2>The trade-off</h2><p>%s</p>', CASE WHEN searched THEN 'Nothing could be published.'
		ELSE 'What else could be published was not searched for: the top of the page says why.' END) ELSE anonopt.fill($html$<section class="picture">
<h2>The trade-off</h2>
<p>Each dot is a node, one level for each column, that no other node beats both in k, the size of the smallest class, and in GLM,
the detail lost in per cent. Each diamond is a local recoding, which generalizes each class separately, as a short search finds it
for k = 2, 3, 5, 10, 20, 50 and 100. Rings mark releases{{rings}}. The nodes here leave out the smallest classes up to the limit of the data
set; a release leaves out exactly the classes that break its promise, so its k and loss can differ from those of its node.</p>
<p class="warning">{{cut}}</p>
<div class="wide">
{{&front}}
</div>
</section>
<p id="told" role="status"></p>
<details><summary>The nodes as a table</summary>{{&nodes}}</details>
<details><summary>The recodings as a table</summary>{{&recodings}}</details>$html$, fields) END
$$;

-- The whole page.
CREATE FUNCTION anonopt.report_page(fields jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT anonopt.fill($html$<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Anonymization of {{dataset}}</title>
<style>
:root {
	color-scheme: light dark;
	--ink: #222; --paper: #fff; --line: #ccc; --soft: #f3f4f6;
	--good: #15803d; --warn: #b45309; --bad: #b91c1c; --bar: #2563a8; --after: #c2410c
}
@media (prefers-color-scheme: dark) {
	:root {
		--ink: #ddd; --paper: #16181c; --line: #444; --soft: #22252b;
		--good: #86d9a2; --warn: #fcd34d; --bad: #fca5a5; --bar: #7db4ee; --after: #fb923c
	}
}
body {
	font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
	margin: 0 auto; max-width: 60rem; padding: 1rem
}
h1 { font-size: 1.6rem }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line) }
.wide { overflow-x: auto }
table { border-collapse: collapse; margin: .5rem 0 }
th, td { padding: .3rem .7rem; border: 1px solid var(--line); text-align: left }
th { background: var(--soft) }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
svg { width: 100%; min-width: 34rem; height: auto }
h1, h2, h3, p, li, .bars th { overflow-wrap: anywhere }
.verdict { border-left: .4rem solid var(--good); padding: .1rem 1rem; margin: 1rem 0; background: var(--soft) }
.warning { color: var(--bad) }
.verdict.warned { border-color: var(--warn) }
.verdict.warned h3, .verdict.warned .warning { color: var(--warn) }
.verdict.broken { border-color: var(--bad) }
.verdict h3 { margin: .5rem 0; color: var(--good) }
.verdict.broken h3 { color: var(--bad) }
.columns { display: flex; flex-wrap: wrap; gap: 1rem; align-items: flex-start }
.columns > div { min-width: 0; max-width: 100%; margin-right: 1rem }
.bars { font-size: .85rem }
.bars caption { text-align: left; font-weight: 600 }
.bars th, .bars td { padding: .1rem .5rem; border: 0; line-height: 1.2 }
.bars tbody th { font-weight: normal; background: none; max-width: 10rem }
.bars td:last-child { width: 5rem }
.bars span { display: block; height: .45rem; background: var(--bar); min-width: 1px }
.bars .after { background: var(--after) }
#told { min-height: 1.5em }
summary { cursor: pointer }
footer { margin-top: 3rem; font-size: .85rem; opacity: .8 }
@media (max-width: 30rem) {
	th, td { padding: .2rem .3rem; font-size: .85rem }
}
@media print {
	@page { size: A4; margin: 13mm }
	body { font-size: 9pt; line-height: 1.3; max-width: none; padding: 0 }
	h2 { margin-top: 1rem }
	h4 { margin: .5rem 0 0 }
	table, .verdict, .picture, .columns > div, tr, li { break-inside: avoid }
	h2, h3, h4, caption, .lead { break-after: avoid }
	.wide th, .wide td { overflow-wrap: anywhere }
	.wide td:first-child { overflow-wrap: break-word; min-width: 5rem }
	th, td { padding: .1rem .4rem }
	.bars { font-size: 7pt }
	.bars th, .bars td { padding: 0 .2rem }
	.bars td:last-child { width: 2.5rem }
	.note { break-before: avoid }
	.columns { gap: .2rem 1rem }
	.columns table { font-size: 7pt; line-height: 1.15 }
	p, ul { margin: .4rem 0 }
	svg { min-width: 0; max-height: 9cm }
	.wide { overflow: visible }
	#told, details { display: none }
}
</style>
</head>
<body>
<h1>Anonymization of {{dataset}}</h1>
<p class="warning">Left out, because the time limit of {{limit}} had passed: {{missing}}.</p>
<p class="warning">Left out, because you have no right on the data: {{hidden}}. Releases are shown by the figures that were kept when they were made.</p>
<p class="warning">Left out, because it could run code of the data's owner, or of others, as you: {{code}}. Releases are shown by the figures that were kept when they were made.</p>
<p class="warning">A promise cannot be measured now ({{unmeasured}}), so these are left out: {{promise}}. Releases among them are shown by the figures that were kept when they were made, or found last.</p>
<p class="warning">Left out, because it needs more memory than anonopt.memory allows: {{too_large}}.</p>
<h2>Verdict</h2>
{{&verdicts}}
<div class="wide">
<table>
<tbody>
{{&about}}
</tbody>
</table>
</div>
{{&original}}
<section><h2>The three questions</h2>{{&questions}}</section>
<h2>Risk, before and after</h2>{{&risks}}
<section><h2>Why this one</h2>{{&options}}</section>
{{&comparisons}}
{{&trade_off}}
<h2>Releases</h2>
{{&releases}}
{{&together}}
<p>Dropped releases, which readers may have kept: {{dropped}}.</p>
<section><h2>Declaration</h2>{{&declaration}}</section>
{{&promises}}
<footer>
<p>k: everybody shown is in a class of at least k people who look the same. l: each class has at least l different sensitive
values. t: how far a class's sensitive values are from everybody's. A promise covers the columns it names, in a single release;
several releases together can reveal more.</p>
</footer>
<script>
/* shows a point's numbers below the picture; the page has the same numbers without it */
for (const point of document.querySelectorAll('.anonopt-front [tabindex]'))
	for (const event of ['pointerenter', 'focus', 'click'])
		point.addEventListener(event, () => {
			document.getElementById('told').textContent = point.querySelector('title').textContent.replace(/\n/g, ', ');
		});
</script>
</body>
</html>$html$, fields)
$$;
