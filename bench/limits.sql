-- limits.sql: how far each call that has a time limit goes beyond it, on tables with
-- many columns.  The figure is the time of the call without writing; the target is the
-- limit, plus a tenth or a second, and whatever reading takes beyond the limit.

-- People of some kinds, who deviate now and then in each column: the given number of
-- rows and of quasi-identifiers, a sensitive column and a key
CREATE PROCEDURE make_limited(name text, rows int, columns int)
LANGUAGE plpgsql AS $$
BEGIN
	PERFORM setseed(0.5);
	EXECUTE (SELECT format('CREATE TABLE %I AS SELECT i AS id, floor(7 * random())::int AS disease, %s
		FROM (SELECT i, floor(%s * random() ^ 2)::int AS kind FROM generate_series(1, %s) AS i) AS x', name,
		string_agg(format('CASE WHEN random() < 0.2 THEN floor(random() * %s)::int ELSE (hashint4(kind * 64 + %s) & 65535) %% %1$s END AS c%2$s', leaves, c), ', '),
		rows / 30 + 1, rows)
		FROM generate_series(1, columns) AS c, LATERAL (SELECT (ARRAY[2, 5, 12, 40, 100])[1 + c % 5] AS leaves) AS l);
	EXECUTE format('ALTER TABLE %I ADD PRIMARY KEY (id)', name);
	EXECUTE format('ANALYZE %I', name);
	PERFORM anonopt.create_dataset(name, name::regclass, max_suppression => 0.02), anonopt.add_sensitive(name, 'disease');
	PERFORM anonopt.add_quasi_identifier(name, ('c' || c)::name, (ARRAY['two', 'five', 'twelve', 'forty', 'hundred'])[1 + c % 5]::regclass)
	FROM generate_series(1, columns) AS c;
END $$;
SELECT anonopt.create_interval_hierarchy('two', 0, 1, '{}'), anonopt.create_interval_hierarchy('five', 0, 4, '{2}'),
	anonopt.create_interval_hierarchy('twelve', 0, 11, '{2,4}'), anonopt.create_interval_hierarchy('forty', 0, 39, '{2,10,20}'),
	anonopt.create_interval_hierarchy('hundred', 0, 99, '{5,10,50}');
CALL make_limited('wide', :limited, 23);
CALL make_limited('long', :middle, 8);

INSERT INTO bench.document (line) VALUES (''), ('| call | rows | limit | reading | searching | writing | beyond the limit, reading apart | loss |'),
	('|---|--:|--:|--:|--:|--:|--:|--:|');
SET client_min_messages = warning;

-- A call's limit against what last_search says, in seconds; the loss of a recoding
CREATE PROCEDURE measure_limit(call text, dataset text, time_limit interval)
LANGUAGE plpgsql AS $$
DECLARE
	allowed float8 := extract(epoch FROM time_limit);
	name text := regexp_replace(call, '^(\w+)\((''(\w*recoding|extended_\w+)'', )?''\w+'',? ?(.*?),? ?((seed|key|time_limit) => .*)?\)$', '\1(\4)');
	was record;
	loss float8;
	late float8;
BEGIN
	DROP TABLE IF EXISTS limited_recoding;
	EXECUTE format('SELECT count(*) FROM anonopt.%s', replace(call, 'LIMIT', quote_literal(time_limit)));
	SELECT rows, read_ms / 1000 AS read, search_ms / 1000 AS search, write_ms / 1000 AS write INTO was FROM anonopt.last_search();
	late := greatest(was.read + was.search - greatest(allowed, was.read), 0);
	IF to_regclass('limited_recoding') IS NOT NULL THEN
		EXECUTE format('SELECT glm / %s / rows FROM anonopt.evaluate_recoding(%L, ''limited_recoding''), anonopt.last_search()',
			(SELECT count(*) FROM anonopt.attribute a WHERE a.dataset = measure_limit.dataset AND role = 'quasi_identifier'), dataset) INTO loss;
	END IF;
	INSERT INTO bench.document (line) SELECT format('| `%s` | %s | %s s | %s s | %s s | %s | %s s | %s |', name, bench.number(was.rows),
		allowed, round(was.read::numeric, 1), round(was.search::numeric, 1), coalesce(round(was.write::numeric, 1) || ' s', ''), round(late::numeric, 1), coalesce(to_char(loss, 'FM0.0000'), ''));
	INSERT INTO bench.result (measurement, figure, unit, target)
	SELECT format('%s, %s rows, limit %s s: beyond', name, bench.number(was.rows), allowed), late, 's', greatest(allowed / 10, 1);
	COMMIT;
END $$;
SELECT format('CALL measure_limit(%L, %L, %L)', replace(call, 'DATASET', dataset), dataset, time_limit)
FROM unnest('{wide,long}'::text[]) WITH ORDINALITY AS d (dataset, d), unnest('{1 s,10 s,30 s}'::interval[]) AS time_limit,
	unnest(ARRAY[
		'create_recoding(''limited_recoding'', ''DATASET'', k => 5, seed => 1, time_limit => LIMIT)',
		'create_recoding(''limited_recoding'', ''DATASET'', k => 5, l => 3, labels => ''range'', seed => 1, time_limit => LIMIT)',
		'pareto(''DATASET'', time_limit => LIMIT)', 'pareto(''DATASET'', ''{entropy_l,glm}'', time_limit => LIMIT)',
		'optimize(''DATASET'', k => 5, time_limit => LIMIT)', 'optimize(''DATASET'', k => 5, l => 2, time_limit => LIMIT)',
		'optimize(''DATASET'', t => 0.3, loss => ''dcn'', time_limit => LIMIT)',
		'aruba(''DATASET'', 10, risk => ''identity'', key => ''id'', time_limit => LIMIT)', 'aruba(''DATASET'', 10, risk => ''entropy'', key => ''id'', time_limit => LIMIT)',
		'btda(''DATASET'', 10, risk => ''identity'', key => ''id'', time_limit => LIMIT)', 'aruba_budget(''DATASET'', 0.1, risk => ''identity'', key => ''id'', time_limit => LIMIT)',
		'aruba_balance(''DATASET'', 0.1, risk => ''identity'', key => ''id'', time_limit => LIMIT)']) WITH ORDINALITY AS c (call, c)
WHERE time_limit = '1 s' OR (c <= 2 AND (d = 1 OR time_limit = '30 s')) ORDER BY d, c, time_limit \gexec

-- New tuples: a third of the rows
SELECT anonopt.create_recoding('extended_' || dataset, dataset, k => 5, seed => 1, time_limit => '5 s') FROM unnest('{wide,long}'::text[]) AS dataset;
DELETE FROM extended_wide WHERE hashint4(c1 + 100 * c2) % 3 = 0;
DELETE FROM extended_long WHERE hashint4(c1 + 100 * c2) % 3 = 0;
CALL measure_limit('extend_recoding(''extended_wide'', ''wide'', k => 5, time_limit => LIMIT)', 'wide', '1 s');
CALL measure_limit('extend_recoding(''extended_long'', ''long'', k => 5, time_limit => LIMIT)', 'long', '10 s');
