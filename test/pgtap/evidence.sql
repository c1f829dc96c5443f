-- Figures of the evidence are counted again in plain SQL, on random tables; nobody's value is in it, nor in the report; rows of the
-- record that somebody has forged do no harm; and an auditor without any right on the data gets what is kept, and nothing else.
\ir begin.inc
SELECT * FROM no_plan();
SET client_min_messages = error;
SET anonopt.composition = off;
SELECT setseed(.30);

CREATE FUNCTION pg_temp.hint_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	hint text;
BEGIN
	EXECUTE statement;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN hint;
END $$;
CREATE FUNCTION pg_temp.raises(statement text, state text, what text) RETURNS text LANGUAGE sql AS $$SELECT throws_ok(statement, state, NULL, what)$$;

-- A random table with rare values, its hierarchies, and releases of each kind
CREATE TABLE word (v text PRIMARY KEY, pair text, top text);
INSERT INTO word SELECT 'v' || i, 'p' || i / 2, '*' FROM generate_series(0, 7) i;
CREATE TABLE trial (n int, form text);
CREATE FUNCTION pg_temp.make(rows int, form text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	DROP TABLE IF EXISTS people, recoded;
	CREATE TABLE people AS SELECT i AS id, 'v' || floor(8 * random() ^ 2) AS a, 'v' || floor(8 * random()) AS b, 's' || floor(6 * random() ^ 3) AS s,
		(1000 * random() ^ 2)::numeric(9, 2) AS income FROM generate_series(1, rows) i;
	PERFORM anonopt.create_dataset('d', 'people', 1), anonopt.add_quasi_identifier('d', 'a', 'word'), anonopt.add_quasi_identifier('d', 'b', 'word'),
		anonopt.add_sensitive('d', 's'), anonopt.add_sensitive('d', 'income');
	PERFORM anonopt.add_promise('d', 'l', 2, 's');
	IF form = 'recoding' THEN
		PERFORM anonopt.create_recoding('recoded', 'd', k => 3, seed => 1);
		PERFORM anonopt.publish_table('shown', 'd', recoding => 'recoded', k => 3);
	ELSIF form = 'star' THEN
		PERFORM anonopt.publish_table('shown', 'd', levels => '{0,1}', k => 2, suppressed => 'star');
	ELSIF form = 'view' THEN
		PERFORM anonopt.create_view('shown', 'd', levels => '{1,0}', k => 3);
	ELSE
		PERFORM anonopt.publish_table('shown', 'd', levels => '{1,1}', k => 4);
	END IF;
END $$;
CREATE FUNCTION pg_temp.clear() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM anonopt.drop_release('shown');
	DELETE FROM anonopt.published;
	DELETE FROM anonopt.published_content;
	PERFORM anonopt.drop_dataset('d');
END $$;

-- What risk has of the sizes of classes, in plain SQL
CREATE FUNCTION pg_temp.risk_of(relation text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	found jsonb;
BEGIN
	EXECUTE format($q$WITH class AS (SELECT count(*) AS n FROM %s GROUP BY a, b),
		size AS (SELECT n, count(*) AS classes FROM class GROUP BY n)
		SELECT jsonb_build_object('people', sum(n), 'classes', count(*), 'alone', count(*) FILTER (WHERE n = 1), 'smallest', min(n), 'highest', 1.0::float8 / min(n),
			'average', count(*)::float8 / sum(n), 'above', coalesce(sum(n) FILTER (WHERE n < 5), 0)::float8 / sum(n),
			'sizes', (SELECT jsonb_agg(jsonb_build_array(n, classes) ORDER BY n) FROM size WHERE n <= 100)) FROM class$q$, relation) INTO found;
	RETURN found;
END $$;
CREATE FUNCTION pg_temp.told_risk(risk jsonb) RETURNS jsonb LANGUAGE sql AS
	$$SELECT risk - '{prosecutor,journalist,marketer,singling_out,counted}'::text[] || jsonb_build_object('above', risk -> 'prosecutor' -> 'above')$$;

CREATE FUNCTION pg_temp.check_figures(form text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	e jsonb := anonopt.evidence('shown');
	col record;
	want jsonb;
BEGIN
	RETURN NEXT is(pg_temp.told_risk(e -> 'risk' -> 'initial'), pg_temp.risk_of('people'), form || ': the risk of the data');
	RETURN NEXT is(pg_temp.told_risk(e -> 'risk' -> 'residual'), pg_temp.risk_of('shown'), form || ': the risk of the release');
	FOR col IN SELECT x ->> 'column' AS name, x FROM jsonb_array_elements(e -> 'columns') x LOOP
		EXECUTE format('SELECT jsonb_build_array(count(*), count(*) FILTER (WHERE n = 1)) FROM (SELECT count(*) AS n FROM shown WHERE $1 OR %1$I::text <> ''*'' GROUP BY %1$I) v', col.name)
			INTO want USING form <> 'star';
		RETURN NEXT is(jsonb_build_array(coalesce(col.x -> 'labels', col.x -> 'values'), col.x -> 'alone'), want, form || ': what column ' || col.name || ' shows');
	END LOOP;
	RETURN NEXT is((e -> 'missing' ->> 'left_out')::bigint, (SELECT count(*) FROM people) - (SELECT count(*) FROM shown WHERE a <> '*' OR b <> '*' OR form = 'recoding'), form || ': who is left out');
	RETURN NEXT is(e -> 'promises' @> '[{"model": "l", "column": "s", "threshold": 2}]', true, form || ': the promise of a column');
	RETURN NEXT is(e -> 'uncovered', '["income"]', form || ': the column without one');
	RETURN NEXT is(e -> 'questions' -> 'linkability' -> 'alone_by_value' @> '[{"column": "income"}]', true, form || ': unique incomes link');
	RETURN NEXT is(e::text, anonopt.evidence('shown')::text, form || ': the same bytes');
	-- attacks, as anonopt.attack counts them, and in plain SQL where no labels overlap
	RETURN NEXT is((SELECT count(*) FROM jsonb_path_query(e -> 'questions', '$.*[*] ? (@.attack == "singling_out" || @.attack == "inference")') q),
		(SELECT count(*) FROM anonopt.attack('shown') WHERE attack IN ('singling_out', 'inference')), form || ': as many attacks');
	RETURN NEXT is((SELECT count(*) FROM anonopt.attack('shown') a WHERE a.attack IN ('singling_out', 'inference') AND NOT EXISTS (SELECT FROM jsonb_path_query(e -> 'questions', '$.*[*]') q
		WHERE (q ->> 'attack', q ->> 'target', q -> 'people', q -> 'certain', q -> 'highest', q -> 'expected', q -> 'baseline', nullif(q -> 'known', 'null'))
			IS NOT DISTINCT FROM (a.attack, a.target::text, to_jsonb(a.people), to_jsonb(a.certain), to_jsonb(a.highest), to_jsonb(a.expected), to_jsonb(a.baseline), to_jsonb(a.known)))),
		0::bigint, form || ': the same figures as the attack''s');
	RETURN NEXT is((SELECT q - '{attack,target,known,baseline}'::text[] FROM jsonb_path_query(e -> 'risk' -> 'initial' -> 'singling_out', '$[*] ? (@.known.size() == 2)') q),
		(SELECT jsonb_build_object('people', r -> 'people', 'certain', r -> 'alone', 'highest', r -> 'highest', 'expected', r -> 'average') FROM pg_temp.risk_of('people') r), form || ': singling out in the data');
	IF form IN ('table', 'view') THEN
		RETURN NEXT is((SELECT q - '{attack,target,known,baseline}'::text[] FROM jsonb_path_query(e -> 'questions' -> 'singling_out', '$[*] ? (@.known.size() == 2)') q),
			(SELECT jsonb_build_object('people', r -> 'people', 'certain', r -> 'alone', 'highest', r -> 'highest', 'expected', r -> 'average') FROM pg_temp.risk_of('shown') r), form || ': singling out');
		RETURN NEXT is((SELECT round((q ->> 'expected')::numeric, 12) FROM jsonb_path_query(e -> 'questions' -> 'inference', '$[*] ? (@.known.size() == 2 && @.target == "s")') q),
			(SELECT round(sum(best) / (SELECT count(*) FROM shown), 12) FROM (SELECT max(n) AS best FROM (SELECT a, b, count(*) AS n FROM shown GROUP BY a, b, s) v GROUP BY a, b) c), form || ': inference');
	END IF;
	-- whose values nobody is shown, by column
	IF form = 'table' THEN
		RETURN NEXT is((SELECT jsonb_agg(jsonb_build_array(x -> 'values', x -> 'values_gone', x -> 'people_gone') ORDER BY x ->> 'column') FROM jsonb_array_elements(e -> 'missing' -> 'columns') x),
			(WITH kept AS (SELECT wa.pair AS a, wb.pair AS b, EXISTS (SELECT FROM shown r WHERE r.a = wa.pair AND r.b = wb.pair) AS is_shown
					FROM people p JOIN word wa ON wa.v = p.a JOIN word wb ON wb.v = p.b),
				v AS (SELECT 'a' AS c, a AS v, count(*) AS n, bool_or(is_shown) AS is_shown FROM kept GROUP BY a UNION ALL SELECT 'b', b, count(*), bool_or(is_shown) FROM kept GROUP BY b)
			SELECT jsonb_agg(x ORDER BY c) FROM (SELECT c, jsonb_build_array(count(*), count(*) FILTER (WHERE NOT is_shown), coalesce(sum(n) FILTER (WHERE NOT is_shown), 0)) AS x FROM v GROUP BY c) y),
			'whose values are gone');
	END IF;
	-- no value that somebody has is a string in it, nor on the page
	RETURN NEXT is((SELECT count(*) FROM jsonb_path_query(e, '$.** ? (@.type() == "string")') t JOIN (SELECT a AS v FROM people UNION SELECT s FROM people UNION SELECT income::text FROM people) p ON p.v = t #>> '{}'),
		0::bigint, form || ': nobody''s value');
	PERFORM anonopt.verify('shown');
	RETURN NEXT is((anonopt.evidence('shown') -> 'verified' -> 'found' -> 'rows')::bigint, (SELECT count(*) FROM shown), form || ': what verify found');
	RETURN NEXT is((anonopt.evidence('shown') -> 'verified' -> 'found' -> 'others' -> 'l' -> 'measured')::bigint,
		(SELECT min(n) FROM (SELECT count(DISTINCT s) AS n FROM shown GROUP BY a, b) c), form || ': the l that verify found');
END $$;
CREATE FUNCTION pg_temp.check_all() RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. pg_temp.few(24) LOOP
		PERFORM pg_temp.make(20 + 10 * i + (random() * 200)::int, f) FROM unnest(ARRAY['table']) f;
		RETURN QUERY SELECT pg_temp.check_figures('table');
		PERFORM pg_temp.clear();
	END LOOP;
	FOR i IN 1 .. 3 LOOP
		PERFORM pg_temp.make(300, (ARRAY['recoding', 'star', 'view'])[i]);
		RETURN QUERY SELECT pg_temp.check_figures((ARRAY['recoding', 'star', 'view'])[i]);
		PERFORM pg_temp.clear();
	END LOOP;
END $$;
SELECT pg_temp.check_all();

-- Planted: one person's income, a value that three people have, and one that is left out
SELECT pg_temp.make(400, 'none');
SELECT anonopt.drop_release('shown');
INSERT INTO word VALUES ('PLANTED-QI', 'p9', '*');
INSERT INTO people VALUES (1001, 'PLANTED-QI', 'v0', 'PLANTED-ILL', 142742.39), (1002, 'v0', 'v0', 'PLANTED-ILL', 142742.39), (1003, 'v0', 'v1', 'PLANTED-ILL', 142742.39);
SELECT anonopt.publish_table('shown', 'd', levels => '{1,1}', k => 4);
SELECT unnest(ARRAY[unalike(anonopt.evidence('shown')::text, '%PLANTED%', 'no planted value in the evidence'), unalike(anonopt.evidence('shown')::text, '%142742%', 'nor a number')]);
SELECT unnest(ARRAY[unalike(p, '%PLANTED%', 'no planted value in the report'), unalike(p, '%142742%', 'nor a number'),
	alike(p, '%; l = 2 in s.%', 'the promise of a column is told'), alike(p, '%covered by no promise: income.%', 'and which column has none'),
	alike(p, '%<td>l = 2 in s</td>%', 'in the table, too'), alike(p, '%verdict warned%', 'amber: incomes that nobody else has'), unalike(p, '%verdict kept%', 'not green')]) FROM anonopt.report('d') p;
SELECT alike(obj_description('shown'::regclass), '%l >= 2 in s; no promise covers: income.', 'the comment tells it, too');
SELECT unnest(ARRAY[is((SELECT count(*) FROM anonopt.release_bands('d', 'shown', 5) b WHERE b.value IS NOT NULL AND b.people < 5), 0::bigint, 'no band of few people has a name'),
	is((SELECT sum(b.people) FROM anonopt.release_bands('d', 'shown', 5) b WHERE b.column_name = c), 403::numeric, 'bands of ' || c || ' have everybody')]) FROM unnest('{a,b,s,income}'::text[]) c;

-- Two releases are linked by incomes that nobody else has
SELECT anonopt.publish_table('second', 'd', levels => '{2,0}', k => 4);
SELECT unnest(ARRAY[is((SELECT count(*) FROM anonopt.attack('second') a WHERE a.attack = 'linkage' AND EXISTS (SELECT FROM jsonb_path_query(e, '$.questions.linkability.attack[*]') q
		WHERE (q ->> 'target', q -> 'known', q -> 'people', q -> 'certain', q -> 'highest', q -> 'expected') = (a.target, to_jsonb(a.known), to_jsonb(a.people), to_jsonb(a.certain), to_jsonb(a.highest), to_jsonb(a.expected)))),
		2::bigint, 'linkage, as attack counts it'),
	ok((SELECT max((q -> 'certain')::int) >= (SELECT count(*) FROM (SELECT income FROM people GROUP BY income HAVING count(*) = 1) i JOIN second USING (income) JOIN shown USING (income))
		FROM jsonb_path_query(e, '$.questions.linkability.attack[*]') q), 'each unique income in both links for certain'),
	is(anonopt.evidence('shown') -> 'combined' -> 'releases' @> '[{"name": "public.second", "linkage": [{"target": "public.shown"}]}]', true, 'the older one tells of it, too'),
	alike(anonopt.report('d'), '%Of % people of this release, % linked with public.shown for certain%', 'and the report')]) FROM anonopt.evidence('second') e;
UPDATE anonopt.published SET published_by = 'somebody else' WHERE name = 'public.shown';
CREATE ROLE regress_told;
ALTER TABLE second OWNER TO regress_told;
GRANT USAGE, CREATE ON SCHEMA public TO regress_told;
SET ROLE regress_told;
SELECT unnest(ARRAY[is((SELECT count(*) FROM jsonb_path_query(e, '$.questions.linkability.attack[*]')), 2::bigint, 'links are told'),
	unalike(e::text, '%public.shown%', 'but no release of which somebody is not told')]) FROM anonopt.evidence('second') e;
RESET ROLE;
SELECT anonopt.drop_release('second');

-- Standards
SELECT unnest(ARRAY[is((e -> 'threshold')::text || (e -> 'k_of_threshold')::text, '0.0912', 'the EMA''s threshold is a k of 12'),
	is(e -> 'risk' -> 'residual' -> 'prosecutor' -> 'above', to_jsonb((SELECT coalesce(sum(n) FILTER (WHERE n < 12), 0)::float8 / sum(n) FROM (SELECT count(*) AS n FROM shown GROUP BY a, b) c)), 'risk above it')]) FROM anonopt.evidence('shown', 'ema') e;
SELECT is((SELECT jsonb_agg(c -> 'clause') FROM jsonb_array_elements(anonopt.evidence('shown', 'iso27559', 'a university') -> 'clauses') c WHERE c -> 'answer' = '"not answered"'),
	'["6.2", "6.3", "8.3.2", "9.2"]', 'clauses that no figure answers say so');
SELECT is(anonopt.evidence('shown', 'ema', 'a university') @> '{"recipient": "a university"}', true, 'the recipient');
SELECT pg_temp.raises($$SELECT anonopt.evidence('shown', 'gdpr')$$, '22023', 'an unknown standard');
SELECT pg_temp.raises($$SELECT anonopt.evidence('people')$$, '42704', 'no release');
SELECT pg_temp.raises($$SELECT anonopt.report('d', threshold => 0)$$, '22023', 'a threshold that is no risk');
SELECT unalike(anonopt.report('d', threshold => 0.09), '%people above 20.0 \%%', 'the report''s threshold is the caller''s');

-- An auditor without any right on the data
CREATE ROLE regress_auditor;
CREATE SCHEMA secret;
ALTER TABLE people SET SCHEMA secret;
ALTER TABLE shown SET SCHEMA secret;
SET ROLE regress_auditor;
SELECT pg_temp.raises($$SELECT * FROM anonopt.auditor$$, '42501', 'nobody reads the view without the right');
RESET ROLE;
SELECT 'secret.shown'::regclass::oid AS shown \gset
SET ROLE regress_auditor;
SELECT pg_temp.raises(format($$SELECT anonopt.evidence(%s::regclass)$$, :shown), '42501', 'nor gets evidence');
RESET ROLE;
GRANT SELECT ON anonopt.auditor TO regress_auditor;
SELECT anonopt.evidence(:shown) AS own \gset
SET ROLE regress_auditor;
SELECT is(anonopt.evidence(:shown), :'own'::jsonb, 'an auditor gets the owner''s evidence');
SELECT unnest(ARRAY[alike(p, '%you have no right on the data: the declaration%', 'the report says what needs the data'), alike(p, '%public.shown: the promise is kept%', 'shows the releases'),
	alike(p, '%; l = 2 in s.%', 'what they promise'), unalike(p, '%PLANTED%', 'and no value')]) FROM anonopt.report('d') p;
SELECT is((SELECT count(*) FROM anonopt.auditor), 3::bigint, 'sees all releases');
SELECT pg_temp.raises(s, '42501', 'but not ' || s) FROM unnest(ARRAY['SELECT * FROM anonopt.published', 'SELECT * FROM anonopt.published_content', 'SELECT * FROM anonopt.clause',
	'SELECT * FROM anonopt.published_values', format('SELECT anonopt.verify(%s::regclass)', :shown), 'SELECT * FROM anonopt.release_risk(''d'')', 'SELECT * FROM anonopt.describe(''d'')']) s;
RESET ROLE;

-- What somebody has written into the record by hand
CREATE FUNCTION pg_temp.forge(figures jsonb, what text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	UPDATE anonopt.published SET figures = forge.figures, verified = forge.figures WHERE relation <> 0;
	RETURN NEXT lives_ok($q$SELECT anonopt.evidence(s, n) FROM unnest('{NULL,wp29,ema,hipaa,iso27559}'::text[]) n, (SELECT release FROM anonopt.auditor WHERE NOT dropped) r (s)$q$, 'evidence: ' || what);
	SET LOCAL ROLE regress_auditor;
	RETURN NEXT lives_ok($q$SELECT anonopt.report('d')$q$, 'the report: ' || what);
	RETURN NEXT unalike(anonopt.report('d'), '%<script>evil%', 'no markup: ' || what);
	RESET ROLE;
END $$;
SELECT pg_temp.forge(f::jsonb, coalesce(f, 'nothing')) FROM unnest(ARRAY[NULL, '{}', '{"columns": 7, "initial": [], "residual": "<script>evil", "missing": {"a": null}, "measured": "x", "attack": [1, null, {"attack": "singling_out", "people": "many"}], "together": "<script>evil"}',
	'{"columns": [{"column": "<script>evil", "shown": "sensitive", "alone": 1e400}, null, []], "initial": {"people": 0, "sizes": [[0, 0], ["a", {}], 5, [1e-400, 1]], "highest": "<script>evil"}, "k": {"measured": {"a": 1}}, "rows": [], "others": 5}',
	'{"columns": [{"column": "s", "shown": "sensitive", "alone": 9e299, "labels": 1e300}], "together": 1e299, "attacks": {"initial": {"people": 1e300, "alone": 1e299, "highest": 1e300, "average": 1e-300, "sizes": [[1e299, 1e299], [1, 1e300]]}, "residual": [{"attack": "singling_out", "known": ["a"], "people": 1e300, "certain": 9e299, "highest": 1e300, "expected": 1e300}]},
	"residual": {"people": 1e300, "classes": 1e300, "rows": 1e300, "smallest": 1e300, "average": 1e300, "sizes": [[1e300, 1e300], [2, 1e300], [3, 1e300]]}, "missing": [{"column": "a", "values": 1e300, "largest_share": 1e300}], "measured": [1e300], "links": [{"target": "x", "people": 1e300, "expected": 1e300}],
	"k": {"measured": 0}, "l": {"measured": 1e300}, "t": {"measured": 1e300}, "rows": 1e300, "others": {"l": {"measured": 1e300}}}']) f;
SELECT pg_temp.raises($$UPDATE anonopt.published SET figures = '[]'$$, '23514', 'figures are an object');

-- A sample's entry tells nothing of who was not drawn: one person without a value changes none but what the rows show
CREATE TABLE drawn AS SELECT 'v' || i % 2 AS a, 's' || i % 2 AS s FROM generate_series(1, 1000) i;
SELECT anonopt.create_dataset('sample', 'drawn', 1), anonopt.add_quasi_identifier('sample', 'a', 'word');
SELECT anonopt.publish_table('sample_1', 'sample', levels => '{1}', epsilon => 1, delta => 1e-6, trusted => true);
INSERT INTO drawn VALUES (NULL, 's0');
SELECT anonopt.publish_table('sample_2', 'sample', levels => '{1}', epsilon => 1, delta => 1e-6, trusted => true);
SELECT is(count(DISTINCT f.figures #- '{residual}')::int, 1, 'a person who is not shown changes no figure') FROM anonopt.auditor f WHERE f.dataset = 'sample';
SELECT unnest(ARRAY[is(f.figures - '{residual,declaration}'::text[], '{"version": "1.0", "measured": [null], "columns": [{"column": "a", "shown": "generalized", "level": 1, "labels": 1, "alone": 0}]}', f.name || ': nothing else'),
	is((f.figures -> 'residual' ->> 'people')::bigint, CASE f.name WHEN 'public.sample_1' THEN (SELECT count(*) FROM sample_1) ELSE (SELECT count(*) FROM sample_2) END, f.name || ': its rows')])
	FROM anonopt.auditor f WHERE f.dataset = 'sample';

-- What one person has in many rows is not named, nor with threshold 1 what one person has
CREATE TABLE visit AS SELECT g % 50 AS who, 'v' || CASE g % 50 WHEN 7 THEN 7 ELSE g % 2 END AS a, CASE g % 50 WHEN 7 THEN 'PLANTED-ILL' ELSE 'flu' || g % 2 END AS s,
	CASE g % 50 WHEN 7 THEN 142742.39 ELSE g % 4 END AS income FROM generate_series(1, 1000) g;
SELECT anonopt.create_dataset('visits', 'visit', 1, person => 'who'), anonopt.add_quasi_identifier('visits', 'a', 'word'), anonopt.add_sensitive('visits', 's'), anonopt.add_sensitive('visits', 'income');
SELECT anonopt.publish_table('visits_shown', 'visits', levels => '{0}', k => 1);
CREATE TABLE once AS SELECT DISTINCT ON (who) a, s, income FROM visit ORDER BY who;
SELECT anonopt.create_dataset('once', 'once', 1), anonopt.add_quasi_identifier('once', 'a', 'word'), anonopt.add_sensitive('once', 's'), anonopt.add_sensitive('once', 'income');
SELECT anonopt.publish_table('once_shown', 'once', levels => '{0}', k => 1);
SELECT is(string_agg(v, ',' ORDER BY v), 'PLANTED-ILL', 'one person has it') FROM (SELECT s AS v FROM visit GROUP BY s HAVING count(DISTINCT who) < 2) x;
SELECT unnest(ARRAY[unalike(p, '%PLANTED%', d || ': not named'), unalike(p, '%142742%', d || ': nor a number'), unalike(p, '%v7%', d || ': nor a label'), alike(p, '%>flu0<%', d || ': what many have is')])
	FROM unnest('{visits,once}'::text[]) d CROSS JOIN LATERAL anonopt.report(d, threshold => 1) p;
SELECT unnest(ARRAY[unalike(p, '%PLANTED%', d || ': not named'), unalike(p, '%142742%', d || ': nor a number'), alike(p, '%>flu0<%', d || ': what many have is')])
	FROM unnest('{visits,once}'::text[]) d CROSS JOIN LATERAL anonopt.report(d) p;

-- A report runs no code of a publisher as an auditor, or a superuser
CREATE ROLE regress_publisher;
CREATE ROLE regress_member;
GRANT regress_publisher TO regress_member;
CREATE SCHEMA sly AUTHORIZATION regress_publisher;
SET ROLE regress_publisher;
CREATE TABLE sly.loot (who text);
GRANT USAGE ON SCHEMA sly TO PUBLIC;
GRANT INSERT ON sly.loot TO PUBLIC;
CREATE FUNCTION sly.take(t text) RETURNS text LANGUAGE plpgsql AS $$BEGIN INSERT INTO sly.loot VALUES (current_user); RETURN t; EXCEPTION WHEN read_only_sql_transaction THEN RETURN t; END$$;
CREATE TABLE sly.people AS SELECT 'v' || i % 3 AS a FROM generate_series(1, 60) i;
CREATE TABLE sly.word (v text PRIMARY KEY, pair text, top text);
INSERT INTO sly.word SELECT 'v' || i, 'p' || i / 2, '*' FROM generate_series(0, 2) i;
CREATE VIEW sly.taking AS SELECT sly.take(a) AS a FROM sly.people;
CREATE VIEW sly.words AS SELECT sly.take(v) AS v, pair, top FROM sly.word;
GRANT SELECT ON ALL TABLES IN SCHEMA sly TO PUBLIC;
SELECT anonopt.create_dataset('sly', 'sly.taking', 1), anonopt.add_quasi_identifier('sly', 'a', 'sly.word');
SELECT anonopt.create_dataset('words', 'sly.people', 1), anonopt.add_quasi_identifier('words', 'a', 'sly.words');
SELECT unalike(anonopt.report(d), '%could run code%', d || ': the owner gets all of it') FROM unnest('{sly,words}'::text[]) d;
SELECT ok(count(*) > 0 AND bool_and(who = 'regress_publisher'), 'and runs it') FROM sly.loot;
SET ROLE regress_auditor;
SELECT alike(anonopt.report(d), '%could run code of the data''s owner, or of others, as you: the declaration, the risk of the data, %', d || ': an auditor gets a sentence') FROM unnest('{sly,words}'::text[]) d;
RESET ROLE;
SELECT alike(anonopt.report(d), '%could run code%the declaration%', d || ': so does a superuser') FROM unnest('{sly,words}'::text[]) d;
SET ROLE regress_member;
SELECT unalike(anonopt.report('words'), '%could run code%', 'a member of the role gets all');
RESET ROLE;
SELECT is(array_agg(DISTINCT who ORDER BY who), '{regress_member,regress_publisher}', 'nobody else has run it') FROM sly.loot;
SELECT lives_ok($$SELECT * FROM anonopt.describe('words')$$, 'after a report, other calls are as they were');

-- Of a live view, values that nobody else has are not counted, which nobody may take for none
SELECT anonopt.create_view('read_now', 'd', levels => '{2,0}', k => 4, materialized => false) \g /dev/null
SELECT unnest(ARRAY[is(anonopt.evidence('read_now') -> 'questions' -> 'linkability' -> 'alone_by_value', 'null', 'values of a live view are not counted'),
	alike(p, '%Values that nobody else has are not counted.%', 'and the report says so'), alike(p, '%Not counted.%', 'of singling out, too')]) FROM anonopt.report('d') p;
SELECT anonopt.drop_release('read_now') \g /dev/null

-- One unit where people have several rows, before anybody has called verify: classes and risks of people
CREATE TABLE stay AS SELECT i % 90 AS who, 'v' || i % 7 AS a, 's' || i % 90 % 4 AS s FROM generate_series(1, 600) i;
SELECT anonopt.create_dataset('stays', 'stay', 1, person => 'who'), anonopt.add_quasi_identifier('stays', 'a', 'word'), anonopt.add_sensitive('stays', 's');
SELECT anonopt.publish_table('stays_shown', 'stays', levels => '{1}', k => 3);
CREATE TABLE stay_class AS SELECT pair, count(DISTINCT who) AS people, count(*) AS n FROM stay JOIN word ON v = a GROUP BY pair;
GRANT SELECT ON stay_class TO regress_auditor;
SELECT unnest(ARRAY[is(e - '{prosecutor,journalist,marketer}'::text[], (SELECT jsonb_build_object('people', sum(people), 'rows', sum(n), 'counted', 'people', 'classes', count(*), 'alone', count(*) FILTER (WHERE people = 1),
		'smallest', min(people), 'highest', 1::float8 / min(people), 'average', count(*)::float8 / sum(people), 'sizes', (SELECT jsonb_agg(jsonb_build_array(people, m) ORDER BY people)
		FROM (SELECT people, count(*) AS m FROM stay_class WHERE people <= 100 GROUP BY people) z)) FROM stay_class), 'classes of people, not of rows'),
	is(e -> 'prosecutor' -> 'highest', (SELECT to_jsonb(1::float8 / min(people)) FROM stay_class), 'and risks')]) FROM (SELECT anonopt.evidence('stays_shown') -> 'risk' -> 'residual') x (e);
SET ROLE regress_auditor;
SELECT unnest(ARRAY[alike(p, '%<li>600 rows are shown. Everybody shares all generalized values with at least ' || (SELECT min(people) - 1 FROM stay_class) || ' others,%', 'rows are rows and people people'),
	alike(p, '%<li>Nobody has called verify since its rows were written. All figures were counted when its rows were written, on %', 'and when they were counted'),
	alike(p, '%>not measured since<%', 'nothing is said to be measured now')]) FROM anonopt.report('stays') p;
RESET ROLE;

-- What verify found is beside what was found when rows were written, in evidence and on the page, with dates
CREATE TABLE spoiled AS SELECT 'v' || i % 6 AS a, 's' || i % 5 AS s FROM generate_series(1, 300) i;
GRANT SELECT ON spoiled TO regress_auditor;
SELECT anonopt.create_dataset('spoiled', 'spoiled', 1), anonopt.add_quasi_identifier('spoiled', 'a', 'word'), anonopt.add_sensitive('spoiled', 's'), anonopt.add_promise('spoiled', 'alpha', 0.5, 's');
SELECT anonopt.publish_table('spoiled_shown', 'spoiled', levels => '{1}', k => 10, l => 2);
SELECT 'spoiled_shown'::regclass::oid AS spoiled \gset
UPDATE spoiled_shown SET a = 'alone' WHERE ctid = (SELECT min(ctid) FROM spoiled_shown);
SELECT * FROM anonopt.verify('spoiled_shown');
CREATE FUNCTION pg_temp.figure_of(relation text, wanted text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE found jsonb;
BEGIN
	EXECUTE format('SELECT jsonb_build_object(''k'', min(n), ''l'', min(l), ''alpha'', max(most / n::float8)) -> %L FROM (SELECT sum(m) AS n, count(*) AS l, max(m) AS most FROM (SELECT a, s, count(*) AS m FROM %s GROUP BY a, s) v GROUP BY a) c', wanted, relation) INTO found;
	RETURN found;
END $$;
CREATE VIEW spoiled_before AS SELECT pair AS a, s FROM spoiled JOIN word ON v = a;
SELECT unnest(ARRAY[is(round((p ->> 'measured')::numeric, 9), round(pg_temp.figure_of('spoiled_before', p ->> 'model')::numeric, 9), p ->> 'model' || ', measured when rows were written'),
	is(round((p ->> 'verified')::numeric, 9), round(pg_temp.figure_of('spoiled_shown', p ->> 'model')::numeric, 9), p ->> 'model' || ', found by verify')])
	FROM jsonb_array_elements(anonopt.evidence('spoiled_shown') -> 'promises') p;
SET ROLE regress_auditor;
SELECT unnest(ARRAY[alike(p, '%verdict broken%Somebody is the only one with all their generalized values,%', 'red, in words'), alike(p, '%<th>when rows were written</th><th>found by verify on 20__-__-__ __:__ UTC</th>%', 'with dates'),
	alike(p, '%What verify found on 20__-__-__ __:__ UTC: the smallest class, the rows, and whether promises are kept. All other figures were counted when its rows were written, on 20__-__-__ __:__ UTC.%', 'and which is which'),
	alike(p, '%<td>k: people in the smallest class</td><td class="number">10</td><td class="number">100</td><td class="number">1</td>%', 'of k'),
	alike(p, '%<p class="note">public.spoiled_shown: What verify found on %', 'and below the risks'),
	unalike(p, '%with at least 0 others%', 'nobody has 0 others')]) FROM anonopt.report('spoiled') p;
RESET ROLE;
SELECT unnest(ARRAY[alike(p, '%<th>when rows were written</th><th>measured now</th>%', 'what its owner measures now says so'), unalike(p, '%<p class="note">public.spoiled_shown: %', 'and needs no note')]) FROM anonopt.report('spoiled') p;

-- An auditor's page: all sizes of classes, no empty picture, and who is held back
CREATE TABLE many AS SELECT 'v' || i % 8 AS a, 'v' || j % 8 AS b FROM generate_series(0, 7) i, generate_series(0, 7) j, generate_series(1, 3 + 9 * i * j % 200) n;
SELECT anonopt.create_dataset('many', 'many', 1), anonopt.add_quasi_identifier('many', 'a', 'word'), anonopt.add_quasi_identifier('many', 'b', 'word');
SELECT anonopt.publish_table('many_shown', 'many', levels => '{0,0}', k => 2);
CREATE TABLE many_at_first AS TABLE many;
GRANT SELECT ON many_at_first TO regress_auditor;
INSERT INTO many VALUES ('v0', 'v0');
SELECT anonopt.refresh_release('many_shown', hold_back => true);
SET ROLE regress_auditor;
SELECT unnest(ARRAY[unalike(p, '%<svg%', 'no picture where nothing was searched'), alike(p, '%<h2>The trade-off</h2><p>What else could be published was not searched for: the top of the page says why.</p>%', 'but why'),
	alike(p, '%<li>Held back, and not shown as they are now: 1 person, some since 20%', 'who is held back is told'), unalike(p, '%Nobody is left out%', 'not that nobody is left out'),
	is(split_part(split_part(p, '<h4>Sizes of classes</h4>', 2), '</table>', 1), E'\n<div class="wide">\n<table>\n<thead><tr><th>people in a class</th><th>classes</th><th>people</th></tr></thead>\n<tbody>\n<tr>'
		|| (SELECT string_agg(anonopt.html_cells(CASE WHEN x.low > 100 THEN 'more than 100' WHEN x.low = x.high THEN x.low::text ELSE x.low || ' to ' || x.high END, x.classes::text, anonopt.short_number(x.people)), E'</tr>\n<tr>' ORDER BY x.low)
			FROM (SELECT min(n) AS low, max(n) AS high, count(*) AS classes, sum(n)::float8 AS people FROM (SELECT count(*) AS n FROM many_at_first GROUP BY a, b) c GROUP BY CASE WHEN n > 100 THEN 99 ELSE floor(log(2, n)) END) x) || E'</tr>\n</tbody>\n', 'all sizes')])
	FROM anonopt.report('many') p;
RESET ROLE;

-- The older of two releases does not look clean; a live view among them hides nothing
CREATE TABLE rare AS SELECT i AS id, 'v' || i % 8 AS a, 'v' || i / 8 % 8 AS b, i * 1.01 AS income FROM generate_series(1, 128) i;
SELECT anonopt.create_dataset('rare', 'rare', 1), anonopt.add_quasi_identifier('rare', 'a', 'word'), anonopt.add_quasi_identifier('rare', 'b', 'word'), anonopt.add_sensitive('rare', 'income'), anonopt.set_identifier('rare', 'id');
SELECT anonopt.publish_table('rare_old', 'rare', levels => '{0,2}', k => 2);
SELECT anonopt.create_view('rare_live', 'rare', levels => '{2,2}', k => 2, materialized => false);
SET anonopt.composition = warn;
SELECT anonopt.publish_table('rare_new', 'rare', levels => '{2,0}', k => 2);
SET anonopt.composition = off;
SELECT unnest(ARRAY[is((SELECT jsonb_agg(q - '{attack,known,highest,expected,baseline}'::text[]) FROM jsonb_path_query(e, '$.clauses[*] ? (@.clause == "linkability").answer.attack[*]') q),
		'[{"of": "public.rare_new", "target": "public.rare_old", "people": 128, "certain": 128}]', 'the links of the newer release are the older one''s'),
	is(e -> 'combined' -> 'smallest_together', e -> 'questions' -> 'linkability' -> 'smallest_together', 'one figure, in both places'),
	is(e -> 'questions' -> 'linkability' -> 'uncounted', '["public.rare_live"]', 'a live view is not linked, and that is said')]) FROM anonopt.evidence('rare_old', 'wp29') e;
SELECT is(anonopt.evidence(r) -> 'combined' ->> 'smallest_together', (SELECT min(n)::text FROM (SELECT count(*) AS n FROM rare GROUP BY a, b) c), 'what all together single out, with ' || r)
FROM unnest('{rare_old,rare_live,rare_new}'::regclass[]) r;
SELECT unnest(ARRAY[alike(p, '%Of 128 people of public.rare_new, 128 are linked with this one for certain,%', 'the page says so'), alike(p, '%Links with public.rare_live are not counted.%', 'and what is not counted'),
	unalike(p, '%Of ,%', 'nothing is empty')]) FROM anonopt.report('rare') p;

-- Hints for an auditor
SET ROLE regress_auditor;
SELECT is(pg_temp.hint_of(format(s, :spoiled)), 'If you are a member of it, SET ROLE postgres first. What is on record of it is in anonopt.evidence, which needs no right on it.', s)
FROM unnest('{SELECT anonopt.attack(%s::regclass),SELECT anonopt.verify(%s::regclass)}'::text[]) s;
RESET ROLE;

-- A superuser gets the report about tables of others that run none of their code, and locks these against it
SET ROLE regress_publisher;
SELECT anonopt.create_dataset('plain', 'sly.people', 1), anonopt.add_quasi_identifier('plain', 'a', 'sly.word');
RESET ROLE;
SELECT unalike(anonopt.report('plain'), '%could run code%', 'plain tables run no code of their owner');
SELECT is((SELECT array_agg(relation::regclass::text ORDER BY relation::regclass::text) FROM pg_locks WHERE mode = 'ShareUpdateExclusiveLock' AND granted AND relation IN ('sly.people'::regclass, 'sly.word'::regclass)),
	'{sly.people,sly.word}', 'nor can anybody give them some meanwhile');
TRUNCATE sly.loot;
SET ROLE regress_publisher;
CREATE FUNCTION sly.constant(t text) RETURNS text IMMUTABLE LANGUAGE sql AS $$SELECT t$$;
SAVEPOINT sly;
CREATE INDEX ON sly.people (sly.constant(a));
RESET ROLE;
SELECT alike(anonopt.report('plain'), '%could run code%the declaration%', 'but not with an index of theirs');
ROLLBACK TO sly;
CREATE STATISTICS sly.s ON (sly.constant(a)), a FROM sly.people;
RESET ROLE;
SELECT alike(anonopt.report('plain'), '%could run code%the declaration%', 'nor with statistics');
ROLLBACK TO sly;
ALTER TABLE sly.word ADD CHECK (sly.constant(v) IS NOT NULL);
RESET ROLE;
SELECT alike(anonopt.report('plain'), '%could run code%the declaration%', 'nor with a constraint of a hierarchy');
ROLLBACK TO sly;
CREATE TABLE sly.child () INHERITS (sly.people);
CREATE INDEX ON sly.child (sly.constant(a));
RESET ROLE;
SELECT alike(anonopt.report('plain'), '%could run code%the declaration%', 'nor with an index of a child');
ROLLBACK TO sly;
RESET ROLE;
SET ROLE regress_auditor;
SELECT alike(anonopt.report('plain'), '%could run code%the declaration%', 'an auditor, who may not lock them, gets a sentence');
RESET ROLE;

SELECT * FROM finish();
ROLLBACK;
