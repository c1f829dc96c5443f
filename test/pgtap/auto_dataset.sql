-- What auto_dataset builds for columns of all kinds, suggests, refuses and drops.
\ir begin.inc
\ir reference.inc
\ir random_data.inc
SET client_min_messages = warning;

CREATE TABLE sample.all_kinds AS SELECT i AS id, 20 + i % 50 AS age, CASE WHEN i = 1 THEN 99999999 ELSE (exp(8 + i % 1000 / 200.0))::int END AS pay,
    CASE WHEN i = 2 THEN 1e9 ELSE i % 700 - 300 END AS score, CASE WHEN i % 100 < 99 THEN 0 ELSE i END AS mostly, (ARRAY['Meyer', 'Smith', 'Jones', 'Li', 'Okafor', 'Garcia', 'Ali', 'Novak', 'Sato',
    'Silva', 'Khan', 'Ivanov', 'Berg'])[1 + i % 13] || CASE WHEN i > 1890 THEN i::text ELSE '' END AS calls, 'user' || i || '@Example' || i % 3 || '.org' AS mail,
    date '2020-02-29' - i % 700 AS day, timestamptz '2020-01-01 23:30+00' + i % 90 * interval '1 day' AS moment, time '00:00' + i % 1440 * interval '1 min' AS hour,
    date '1900-01-01' + CASE WHEN i = 3 THEN 3000000 ELSE 40000 + i % 100 END AS odd_day, CASE WHEN i = 4 THEN 'infinity' ELSE date '2020-01-01' END AS endless,
    gen_random_uuid() AS u, ARRAY[i] AS list, '{}'::jsonb AS j, int4range(i, i + 2) AS r, i % 3 = 0 AS yes, lpad((i % 1000)::text, 5, '0') AS zip,
    CASE i % 3 WHEN 0 THEN 'a' WHEN 1 THEN 'b' END AS diagnosis, 'Lorem ipsum dolor sit amet, consectetur adipiscing elit nr ' || i AS prose, 1 AS one, NULL::text AS nothing
FROM generate_series(1, 2000) i;
ALTER TABLE sample.all_kinds ADD PRIMARY KEY (id);
CREATE SCHEMA kept;

SELECT plan(55 + 33);

-- what would be
CREATE TEMP TABLE told AS SELECT * FROM anonopt.auto_dataset('all', 'sample.all_kinds', NULL, dry_run => true);
SELECT is((SELECT array_agg(column_name) FROM told), ARRAY(SELECT attname FROM pg_attribute WHERE attrelid = 'sample.all_kinds'::regclass AND attnum > 0 ORDER BY attnum), 'a row a column');
SELECT is((SELECT role FROM told WHERE column_name = c), role, c || ' would be ' || role)
FROM (VALUES ('id', 'identifier'), ('age', 'quasi_identifier'), ('pay', 'quasi_identifier'), ('mail', 'identifier'), ('u', 'identifier'), ('list', 'drop'), ('j', 'drop'), ('r', 'drop'),
    ('yes', 'quasi_identifier'), ('zip', 'quasi_identifier'), ('diagnosis', 'sensitive'), ('prose', 'drop'), ('one', 'insensitive'), ('nothing', 'insensitive'), ('hour', 'quasi_identifier')) v (c, role);
SELECT is((SELECT count(*) FROM told WHERE reason IS NULL OR reason = ''), 0::bigint, 'always with a reason');
SELECT is((SELECT count(*) FROM anonopt.dataset WHERE dataset = 'all') + (SELECT count(*) FROM pg_class WHERE relname LIKE 'all_kinds%hierarchy'), 0::bigint, 'nothing is made');

-- what is refused, at once and by name
CREATE FUNCTION pg_temp.heard(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    message text; detail text; state text;
BEGIN
    EXECUTE statement;
    RETURN NULL;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, state = RETURNED_SQLSTATE;
    RETURN concat_ws(' | ', state, message, nullif(detail, ''));
END $$;
SELECT matches(pg_temp.heard(format('SELECT * FROM anonopt.auto_dataset(''all'', ''sample.all_kinds'', ''{%s}'')', c)), format('^22023 \| column "%s" cannot be a quasi-identifier', c), c || ' is refused by name')
FROM unnest('{u,list,j,r}'::text[]) c;
SELECT is(pg_temp.heard('SELECT * FROM anonopt.auto_dataset(''all'', ''sample.all_kinds'', ''{no}'')'), '42703 | column "no" of relation sample.all_kinds does not exist', 'one fault is told as it is');
SELECT matches(pg_temp.heard('SELECT * FROM anonopt.auto_dataset(''all'', ''sample.all_kinds'', ''{age,list,no,age,u}'')'),
    '^22023 \| 4 columns .*column "list".*column "no".*column "age" is named twice.*column "u"', 'all faults are told at once');
SELECT matches(pg_temp.heard('SELECT * FROM anonopt.auto_dataset(''all'', ''sample.all_kinds'', ''{age}'', ''nowhere'')'), '^3F000', 'a schema that is not there');
SELECT matches(pg_temp.heard('SELECT * FROM anonopt.auto_dataset(''all'', ''sample.all_kinds'', ''{}'')'), '^22023', 'no column');
SELECT matches(pg_temp.heard('SELECT * FROM anonopt.auto_dataset(''all'', ''pg_class'', ''{relname}'')'), '^42809', 'no catalog');

-- what is made
CREATE TEMP TABLE made AS SELECT * FROM anonopt.auto_dataset('all', 'sample.all_kinds', '{age,pay,score,mostly,calls,mail,day,moment,hour,odd_day,endless,yes,zip,nothing}', 'kept');
SELECT is((SELECT array_agg(column_name::text) FROM made WHERE hierarchy <> format('kept.all_kinds_%s_hierarchy', column_name)::regclass), NULL, 'hierarchies are where they are wanted');
SELECT is((SELECT string_agg(m.column_name || ': ' || f, '; ') FROM made m, LATERAL anonopt.check_hierarchy(m.hierarchy) f), NULL, 'they are sound');
SELECT is((SELECT array_agg(d.column_name::text) FROM anonopt.describe('all') d WHERE d.problem IS NOT NULL), NULL, 'every value has a leaf');
SELECT is((SELECT array_agg(m.column_name::text) FROM made m JOIN told t USING (column_name) WHERE m.levels <> t.levels), NULL, 'with as many levels as was told');
SELECT is((SELECT array_agg(hierarchy::text) FROM made WHERE has_table_privilege('public', hierarchy, 'SELECT')), NULL, 'and nobody else''s');

-- outliers: no leaf holds nearly everybody, the ends are open, edges are round
SELECT is((SELECT count(*) FROM kept.all_kinds_pay_hierarchy WHERE lower_inf(value)) + (SELECT count(*) FROM kept.all_kinds_pay_hierarchy WHERE upper_inf(value)), 2::bigint, 'two open ends');
SELECT cmp_ok((SELECT max(n) FROM (SELECT count(*) AS n FROM sample.all_kinds JOIN kept.all_kinds_pay_hierarchy ON value @> pay::numeric GROUP BY value) s), '<', 400::bigint, 'bins part people');
SELECT cmp_ok((SELECT max(n) FROM (SELECT count(*) AS n FROM sample.all_kinds JOIN kept.all_kinds_score_hierarchy ON value @> score::numeric GROUP BY value) s), '<', 200::bigint, 'quantiles, too');
SELECT is((SELECT array_agg(value::text) FROM kept.all_kinds_pay_hierarchy WHERE lower(value)::text !~ '^[1-9]0*$'), NULL, 'bins by logarithms have round edges');
SELECT is((SELECT array_agg(c) FROM (VALUES ('pay'), ('score')) v (c) WHERE (SELECT count(*) FROM sample.all_kinds k WHERE (to_jsonb(k) ->> c)::numeric > 1000000) <> 1), NULL, 'the data have an outlier');
SELECT cmp_ok((SELECT count(*) FROM sample.all_kinds JOIN kept.all_kinds_pay_hierarchy ON value @> pay::numeric WHERE lower_inf(value)), '<=', 20::bigint, 'at most 1 % lie below');
SELECT cmp_ok((SELECT count(*) FROM sample.all_kinds JOIN kept.all_kinds_pay_hierarchy ON value @> pay::numeric WHERE upper_inf(value)), '<=', 20::bigint, 'at most 1 % above');

-- dates
SELECT is((SELECT max(value) FROM kept.all_kinds_day_hierarchy), date '2030-02-28', 'ten years ahead');
SELECT is((SELECT min(value) FROM kept.all_kinds_day_hierarchy), (SELECT min(day) FROM sample.all_kinds), 'from the first');
SELECT is((SELECT max(upper(value)) - 1 FROM kept.all_kinds_moment_hierarchy), date '2030-03-30', 'by days in UTC');
SELECT ok((SELECT count(*) < 10000 AND bool_or(lower_inf(value)) AND bool_or(upper_inf(value)) FROM kept.all_kinds_odd_day_hierarchy), 'strange dates are beyond open ends');

-- texts
SELECT is((SELECT level1 FROM kept.all_kinds_mail_hierarchy WHERE value = 'user7@Example1.org'), '*@example1.org', 'mail');
SELECT is((SELECT level1 FROM kept.all_kinds_calls_hierarchy WHERE value = 'Meyer'), 'Meyer', 'names are not masked');
SELECT is((SELECT array_agg(DISTINCT level1) FROM kept.all_kinds_calls_hierarchy WHERE value ~ '[0-9]'), '{other}', 'rare ones are one');
SELECT is((SELECT level2 FROM kept.all_kinds_hour_hierarchy WHERE value = '13:37'), '[12:00, 18:00)', 'times of day');
CREATE TABLE sample.shift AS SELECT i AS nr, time '08:00' + i * interval '7 min' AS starts, time '08:00' + i * interval '11 s' AS ends,
    time '08:00' + i * interval '0.5 s' AS pause FROM generate_series(1, 50) i;
SELECT anonopt.auto_dataset('shifts', 'sample.shift', '{starts,ends,pause}', 'kept') \g /dev/null
SELECT results_eq('SELECT value FROM kept.shift_starts_hierarchy ORDER BY 1',
    $$SELECT time '00:00' + i * interval '1 min' FROM generate_series(0, 1439) i ORDER BY 1$$, 'whole minutes: tomorrow''s have leaves');
SELECT is((SELECT count(*) FROM kept.shift_ends_hierarchy), 86400::bigint, 'so do whole seconds');
SELECT is((SELECT array_agg(value ORDER BY value) FROM kept.shift_pause_hierarchy), (SELECT array_agg(DISTINCT pause) FROM sample.shift), 'finer times are as they occur');
SELECT anonopt.drop_dataset('shifts', hierarchies => true) \g /dev/null

CREATE TABLE sample.member AS SELECT i AS nr, 'NAM' || chr(65 + i % 26) || chr(65 + i % 7) AS surname FROM generate_series(1, 500) i;
SELECT is((SELECT reason FROM anonopt.auto_dataset('members', 'sample.member', '{surname}', 'kept')), 'too many values for one step, unless you build a hierarchy', 'nor in capitals of one length');
SELECT anonopt.drop_dataset('members', hierarchies => true) \g /dev/null

-- taken back
CREATE ROLE regress_auto;
GRANT USAGE ON SCHEMA kept TO regress_auto;
ALTER TABLE kept.all_kinds_zip_hierarchy OWNER TO regress_auto;
COMMENT ON TABLE kept.all_kinds_yes_hierarchy IS 'mine';
SELECT anonopt.create_dataset('other', 'sample.all_kinds'), anonopt.add_quasi_identifier('other', 'age', 'kept.all_kinds_age_hierarchy') \g /dev/null
CREATE TABLE kept.forged AS TABLE kept.all_kinds_yes_hierarchy;
SELECT anonopt.drop_dataset('all', hierarchies => true) \g /dev/null
SELECT is((SELECT array_agg(relname::text ORDER BY relname) FROM pg_class WHERE relnamespace = 'kept'::regnamespace AND relkind = 'r'),
    '{all_kinds_age_hierarchy,all_kinds_yes_hierarchy,all_kinds_zip_hierarchy,forged}', 'what others own or use, or is not marked, stays');
SELECT is((SELECT count(*) FROM anonopt.attribute WHERE dataset = 'all'), 0::bigint, 'the declaration is gone');
SELECT anonopt.drop_dataset('other', true) \g /dev/null
SELECT ok(to_regclass('kept.all_kinds_age_hierarchy') IS NOT NULL, 'a hierarchy goes with the data set it was made for alone');

-- only an index that holds for every row at every time makes a column unique
CREATE TABLE sample.keyed AS SELECT i AS held, i AS deferred, i AS partly, i AS together FROM generate_series(1, 1000) i;
ALTER TABLE sample.keyed ADD UNIQUE (held), ADD UNIQUE (deferred) DEFERRABLE, ADD UNIQUE (together, held);
CREATE UNIQUE INDEX ON sample.keyed (partly) WHERE partly > 10;
SELECT results_eq($$SELECT column_name FROM anonopt.auto_dataset('keyed', 'sample.keyed', NULL, dry_run => true) WHERE reason LIKE 'it is unique by an index%'$$,
    $$VALUES ('held'::name)$$, 'a deferred, partial or wider index makes nothing unique');

-- Codes as people type them: postcodes of five countries, with blanks and without, small and large, and a few that are none.
CREATE TABLE sample.subscriber AS SELECT i AS nr, CASE WHEN i % 997 = 0 THEN (ARRAY['n/a', '', 'unknown address, see file 17 of the archive'])[1 + i % 3]
    ELSE CASE WHEN i % 3 = 0 THEN lower(code) WHEN i % 3 = 1 THEN replace(code, ' ', '') ELSE code END END AS postcode, country, land || code AS with_country,
    CASE WHEN i % 100 < 3 THEN 'yes' END AS opted, CASE WHEN i % 33 > 0 THEN format('10.%s.%s.%s', i % 3, i % 50, i % 200) ELSE '2001:db8:' || to_hex(i % 7) || '::' || to_hex(i) END AS ip_text,
    CASE WHEN i % 7 = 0 THEN format('2001:db8:%s:%s::1', to_hex(i % 7), to_hex(i % 90))::inet ELSE format('192.168.%s.%s', i % 90, i % 250)::inet END AS ip,
    date '1921-03-01' + (i * 7919 % 38000) AS born, 1921 + i * 13 % 105 AS year_of_birth, 'Wort' || i || ' und mehr' AS remark
FROM (SELECT i, CASE i % 5 WHEN 0 THEN 'D' WHEN 1 THEN 'NL' WHEN 2 THEN 'GB' WHEN 3 THEN 'CH' ELSE 'PL' END AS country, CASE i % 5 WHEN 0 THEN 'D-' WHEN 1 THEN 'nl ' WHEN 2 THEN 'GB ' WHEN 3 THEN 'CH - ' ELSE 'PL-' END AS land,
        CASE i % 5 WHEN 0 THEN (10000 + i * 17 % 9000)::text WHEN 1 THEN format('%s %s', 1000 + i * 7 % 900, chr(65 + i % 20) || chr(66 + i % 7))
        WHEN 2 THEN format('%s%s %s%s', (ARRAY['SW', 'E', 'M', 'EC'])[1 + i % 4], 1 + i % 9, i % 9, chr(65 + i % 9) || 'X') WHEN 3 THEN (8000 + i % 700)::text ELSE format('%s-%s', 10 + i % 80, 100 + i % 800) END AS code
    FROM generate_series(1, 4000) i) s;
CREATE TEMP TABLE forecast AS SELECT * FROM anonopt.auto_dataset('subscribers', 'sample.subscriber', NULL, dry_run => true);
SELECT is((SELECT role FROM forecast WHERE column_name = 'opted'), 'quasi_identifier', 'one value or none are two');
CREATE TEMP TABLE became AS SELECT * FROM anonopt.auto_dataset('subscribers', 'sample.subscriber', '{postcode,with_country,opted,ip_text,ip,born,year_of_birth}', 'kept');
SELECT is((SELECT string_agg(b.column_name || ': ' || f, '; ') FROM became b, LATERAL anonopt.check_hierarchy(b.hierarchy) f), NULL, 'they are sound');
SELECT is((SELECT array_agg(b.column_name::text) FROM became b JOIN forecast f USING (column_name) WHERE b.levels <> f.levels), NULL, 'with as many levels as was told');
SELECT is((SELECT array_agg(d.column_name::text) FROM anonopt.describe('subscribers') d WHERE d.problem IS NOT NULL), NULL, 'every value has a leaf');
-- spellings become one, by plain SQL
SELECT is((SELECT count(*) FROM (SELECT upper(translate(value, E' -\t', '')) AS code, count(DISTINCT level1) AS labels FROM kept.subscriber_postcode_hierarchy GROUP BY 1) s WHERE labels > 1), 0::bigint, 'spellings of a code have one label');
SELECT is((SELECT count(*) FROM (SELECT level1, count(DISTINCT upper(translate(value, E' -\t', ''))) AS codes FROM kept.subscriber_postcode_hierarchy GROUP BY 1) s WHERE codes > 1), 0::bigint, 'and no two codes the same');
SELECT is((SELECT max(labels - codes) FROM (SELECT count(DISTINCT left(upper(translate(value, E' -\t', '')), 2)) AS codes, count(DISTINCT to_jsonb(h) ->> ('level' || (SELECT levels - 2 FROM became WHERE column_name = 'postcode'))) AS labels FROM kept.subscriber_postcode_hierarchy h WHERE length(translate(value, ' -', '')) > 2) s),
    0::bigint, 'levels are prefixes');
SELECT is((SELECT count(*) FROM kept.subscriber_postcode_hierarchy WHERE level3 = '*' OR level3 LIKE '%other%'), 0::bigint, 'nobody is swallowed');
SELECT is((SELECT array_agg(h ORDER BY h) FROM (SELECT DISTINCT to_jsonb(h) ->> ('level' || (SELECT levels - 1 FROM became WHERE column_name = 'with_country')) AS h FROM kept.subscriber_with_country_hierarchy h) s),
    '{CH-*,D-*,GB-*,NL-*,PL-*}', 'with countries, the last level but one is the country');
SELECT is((SELECT count(*) FROM sample.subscriber s JOIN kept.subscriber_with_country_hierarchy h ON h.value = s.with_country
    WHERE h.level1 <> s.country || '-' || upper(translate(substr(s.with_country, length((regexp_match(s.with_country, '^[A-Za-z]+ *-? *'))[1]) + 1), ' -', ''))), 0::bigint, 'the first is the code, as SQL writes it');
-- addresses
SELECT is((SELECT count(*) FROM kept.subscriber_ip_hierarchy WHERE level1 <> network(set_masklen(value, CASE family(value) WHEN 4 THEN 24 ELSE 64 END))::text
    OR level2 <> network(set_masklen(value, CASE family(value) WHEN 4 THEN 16 ELSE 48 END))::text OR level3 <> network(set_masklen(value, CASE family(value) WHEN 4 THEN 8 ELSE 32 END))::text OR level4 <> '*'), 0::bigint, 'networks');
SELECT is((SELECT count(*) FROM kept.subscriber_ip_text_hierarchy WHERE level1 <> network(set_masklen(value::inet, CASE family(value::inet) WHEN 4 THEN 24 ELSE 64 END))::text
    OR level3 <> network(set_masklen(value::inet, CASE family(value::inet) WHEN 4 THEN 8 ELSE 32 END))::text), 0::bigint, 'of texts, too');
CREATE TABLE sample.log AS SELECT i AS nr, CASE WHEN i <= 300 THEN '10.0.' || i % 256 || '.' || i % 100 ELSE (ARRAY['999.1.1.1', '1.2.3', '1.2.3.4.', '1.2.3.4.5', ':::', '1::2::3', '1:2:3:4:5:6:7:8:9', '12345::', 'g::1', ':1:2:3:4:5:6:7', '01.2.3.4', '1.2.3.4
'])[i - 300] END AS address FROM generate_series(1, 312) i;
SELECT lives_ok($$SELECT anonopt.auto_dataset('log', 'sample.log', '{address}', 'kept')$$, 'what only looks like an address is none');
SELECT is((SELECT array_agg(value ORDER BY value) FROM kept.log_address_hierarchy WHERE level1 = 'no address'), (SELECT array_agg(address ORDER BY address COLLATE "C") FROM sample.log WHERE nr > 300 AND address <> '01.2.3.4'), 'and is said to be');
CREATE TABLE sample.forms AS SELECT unnest('{::,::1,1::,fe80::1,1:2:3:4:5:6:7:8,FE80::AB:1,0.0.0.0,255.255.255.255,1:2:3::4:5:6:7}'::text[]) AS address;
SELECT anonopt.auto_dataset('forms', 'sample.forms', '{address}', 'kept') \g /dev/null
SELECT is((SELECT count(*) FROM kept.forms_address_hierarchy WHERE level2 = 'no address'), 0::bigint, 'addresses of all forms are recognized');
-- years between a decade and everything
SELECT is((SELECT count(*) FROM kept.subscriber_born_hierarchy WHERE level4 <> (extract(year FROM value)::int / 10 * 10) || 's' OR level5 <> format('%s-%s', extract(year FROM value)::int / 20 * 20, extract(year FROM value)::int / 20 * 20 + 19)
    OR level6 <> format('%s-%s', extract(year FROM value)::int / 40 * 40, extract(year FROM value)::int / 40 * 40 + 39) OR level7 <> '*'), 0::bigint, 'twenty and forty years');
SELECT cmp_ok((SELECT min(labels) FROM (SELECT count(DISTINCT level3) AS labels FROM kept.subscriber_year_of_birth_hierarchy h JOIN sample.subscriber s ON s.year_of_birth = h.value) c), '<=', 5::bigint, 'of integers, too: at most five labels before the last level');
CREATE TABLE sample.century AS SELECT date '1895-01-01' + 30 * i AS day FROM generate_series(1, 2000) i;
SELECT lives_ok($$SELECT anonopt.create_date_hierarchy('kept.centuries', '1895-01-01', '2095-01-01', '{decade,20 years,century}')$$, 'decades and twenties nest in centuries');
SELECT is((SELECT count(*) FROM anonopt.check_hierarchy('kept.centuries')), 0::bigint, 'soundly');
SELECT is((SELECT array_agg(DISTINCT level3 ORDER BY level3) FROM kept.centuries), '{"19th century","20th century","21st century"}', 'of which there are three');
SELECT throws_ok($$SELECT anonopt.create_date_hierarchy('kept.wrong', '1895-01-01', '2095-01-01', '{40 years,century}')$$, '22023', NULL, 'forty years do not');
-- a prefix of nothing that is one value
CREATE TABLE sample.odd AS SELECT i AS nr, (ARRAY['A1', 'a1', ' a1', 'A-1', '7', '1-', ' 1', '1*', 'A1*', 'a1*', 'A1 B', 'ö1', 'Ö1', '1 2', 'x-1', 'X 1'])[1 + i % 16] AS code FROM generate_series(1, 64) i;
SELECT lives_ok($$SELECT anonopt.auto_dataset('odd', 'sample.odd', '{code}', 'kept')$$, 'codes of odd characters');
SELECT is((SELECT count(*) FROM anonopt.check_hierarchy('kept.odd_code_hierarchy')), 0::bigint, 'are sound');
-- sensitive columns: numbers and dates that nearly nobody shares, in bands
CREATE TABLE sample.paid AS SELECT i AS nr, 20 + i % 40 AS age, 20000 + (i * 7919 % 50021) * 1.37 AS income, date '1950-01-01' + i * 7 % 18000 AS born, i % 9 AS grade, 'ill ' || i % 20 AS ill
    FROM generate_series(1, 3000) i;
CREATE TEMP TABLE paid AS SELECT * FROM anonopt.auto_dataset('paid', 'sample.paid', '{age}', 'kept', sensitive => '{income,born,grade,ill}') WHERE role = 'sensitive';
SELECT is((SELECT array_agg(column_name::text ORDER BY column_name) FROM paid WHERE hierarchy IS NOT NULL), '{born,income}', 'those that would single people out have bands');
CREATE FUNCTION pg_temp.rare(col text, hierarchy regclass, level int) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
    found numeric;
BEGIN
    EXECUTE format('SELECT sum(n) FILTER (WHERE n < 10) / sum(n) FROM (SELECT count(*) AS n FROM sample.paid p JOIN %s h ON %s GROUP BY h.level%s) x', hierarchy,
        CASE col WHEN 'income' THEN 'h.value @> p.income' ELSE 'h.value = p.born' END, level) INTO found;
    RETURN coalesce(found, 0);
END $$;
SELECT is(a.min_level, (SELECT min(l) FROM generate_series(1, p.levels) l WHERE pg_temp.rare(p.column_name::text, p.hierarchy, l) <= 0.01), 'the lowest level that enough people share: ' || p.column_name)
FROM paid p JOIN anonopt.attribute a ON a.dataset = 'paid' AND a.role = 'sensitive' AND a.column_name = p.column_name WHERE p.hierarchy IS NOT NULL;
SET anonopt.composition = refuse;
SELECT lives_ok($$SELECT anonopt.publish_table('sample.paid_shown', 'paid', '{1}', k => 10)$$, 'and can be published');
RESET anonopt.composition;
SELECT throws_ok($$SELECT anonopt.auto_dataset('none', 'sample.paid', '{age}', sensitive => '{wage}')$$, '42703', NULL, 'a sensitive column that is not there');

-- a dry run creates nothing, so it needs no right to
CREATE ROLE looker;
GRANT USAGE ON SCHEMA sample TO looker;
GRANT SELECT ON sample.paid TO looker;
SET ROLE looker;
SELECT isnt_empty($$SELECT * FROM anonopt.auto_dataset('looked', 'sample.paid', '{age}', dry_run => true)$$, 'a dry run where one may not create');
SELECT throws_ok($$SELECT anonopt.auto_dataset('looked', 'sample.paid', '{age}')$$, '42501', 'permission denied for schema sample', 'unlike the call');
CREATE FUNCTION pg_temp.hint_of(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    hint text;
BEGIN
    EXECUTE call;
    RETURN 'none';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    RETURN hint;
END $$;
SELECT alike(pg_temp.hint_of($$SELECT anonopt.auto_dataset('looked', 'sample.paid', NULL)$$), '%dry_run%', 'who names no columns hears of a dry run');
SELECT alike(pg_temp.hint_of(format('SELECT anonopt.create_interval_hierarchy(%L, 0, 9, %L)', name, '{5}')), '%double quotes%', 'a name that needs quotes: ' || name) FROM unnest('{pg_temp.my levels,"\"my"}'::text[]) name;
RESET ROLE;

SELECT * FROM finish();
ROLLBACK;
