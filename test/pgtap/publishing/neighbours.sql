-- Releases of the same people from different relations: which are compared, and what sensitive values link, beside plain SQL.
\ir ../begin.inc
SELECT * FROM no_plan();
SET client_min_messages = error;

-- What a call says under refuse; what it did is undone. 'made' if it is not refused.
CREATE FUNCTION pg_temp.refusal(call text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    detail text;
BEGIN
    PERFORM set_config('anonopt.composition', 'refuse', true);
    EXECUTE call;
    RAISE SQLSTATE 'ROLLB';
EXCEPTION
    WHEN SQLSTATE 'ROLLB' THEN
        RETURN 'made';
    WHEN object_not_in_prerequisite_state THEN
        GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
        RETURN SQLERRM || coalesce(', in groups of ' || substring(detail FROM '^Values of .* The smallest group .* is (\d+);'), '');
END $$;

-- A hierarchy of the values of a column, and of *
CREATE FUNCTION pg_temp.levels(name text, of_values anyarray) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE %I AS SELECT x AS value, ''*''::text AS anything FROM unnest(%L::%s) x', name, of_values, pg_typeof(of_values));
    EXECUTE format('ALTER TABLE %I ADD PRIMARY KEY (value)', name);
END $$;
SELECT pg_temp.levels('ages', '{1,2,3}'::int[]), pg_temp.levels('zips', '{a,b,c}'::text[]), pg_temp.levels('sexes', '{f,m}'::text[]),
    pg_temp.levels('jobs', '{x,y,z}'::text[]) \g /dev/null

-- ------------------------------------------------------------ values that link rows of two views

CREATE TABLE person (nr int, age int, zip text, sex text, job text, income int, ill text, region int);
CREATE VIEW by_place AS SELECT age, zip, income, ill FROM person;
CREATE VIEW by_job AS SELECT sex, job, income::numeric AS income, ill::varchar AS ill FROM person;
SELECT anonopt.create_dataset('placed', 'by_place', 0.4), anonopt.add_quasi_identifier('placed', 'age', 'ages'), anonopt.add_quasi_identifier('placed', 'zip', 'zips'),
    anonopt.create_dataset('employed', 'by_job', 0.4), anonopt.add_quasi_identifier('employed', 'sex', 'sexes'), anonopt.add_quasi_identifier('employed', 'job', 'jobs') \g /dev/null

-- People whose values are rare or common, and values that both, one or none of the releases show, by random levels
CREATE FUNCTION pg_temp.populate(incomes int, ills int, mixed float8) RETURNS void LANGUAGE sql AS $$
    TRUNCATE person;
    INSERT INTO person SELECT i, 1 + floor(random() * 2)::int, chr(97 + floor(random() * 2)::int), CASE WHEN random() < mixed THEN 'f' ELSE 'm' END,
        chr(120 + floor(random() * 3 * mixed)::int), CASE WHEN random() < 0.9 THEN floor(random() * incomes)::int END, 'i' || floor(random() * ills)::int, i % 2
    FROM generate_series(1, 20 + floor(random() * 60)::int) i;
$$;

-- The smallest group of people whose rows values link, by what the two releases show, and the people in groups below k. A value, or combination of values,
-- that one of them shows in one class only, and for no fewer people than the other, says where the other's rows belong.
CREATE FUNCTION pg_temp.linked(k int, OUT smallest bigint, OUT below bigint) LANGUAGE plpgsql AS $$ BEGIN
    WITH a AS (SELECT to_jsonb(s) - 'income' - 'ill' AS class, coalesce(income::text, '-') || '/' || coalesce(to_jsonb(s) ->> 'ill', '') AS v, count(*) AS n FROM shown_place s GROUP BY 1, 2),
    b AS (SELECT to_jsonb(s) - 'income' - 'ill' AS class, coalesce(income::text, '-') || '/' || coalesce(to_jsonb(s) ->> 'ill', '') AS v, count(*) AS n FROM shown_job s GROUP BY 1, 2),
    totals AS (SELECT v, greatest((SELECT sum(n) FROM a WHERE a.v = x.v), (SELECT sum(n) FROM b WHERE b.v = x.v)) AS n FROM (SELECT v FROM a UNION SELECT v FROM b) x)
    SELECT coalesce(min(n), 0), coalesce(sum(n) FILTER (WHERE n < k), 0) INTO smallest, below FROM (
        SELECT a.class, b.class, sum(CASE WHEN b.n = t.n THEN a.n ELSE b.n END) AS n
        FROM a JOIN b USING (v) JOIN totals t USING (v) WHERE a.n = t.n OR b.n = t.n GROUP BY 1, 2) g;
END $$;

-- Those of whom that is true, on the people themselves, where the labels are the values: the smallest group of people with one age, place, sex and job
CREATE FUNCTION pg_temp.smallest_group() RETURNS bigint LANGUAGE sql AS
    $$ SELECT min(n) FROM (SELECT count(*) AS n FROM person GROUP BY age, zip, sex, job) g $$;

-- NULL, or what is wrong in a random case
CREATE FUNCTION pg_temp.fault(seed float8) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    k int := 2 + floor(random() * 5)::int;
    fine boolean := random() < 0.5;
    every boolean := random() < 0.3;
    with_ill boolean := random() < 0.5;
    first text := format('SELECT anonopt.publish_table(''shown_place'', ''placed'', ''%s'', k => %s, suppressed => ''%s'')',
        CASE WHEN fine THEN '{0,0}' ELSE format('{%s,%s}', floor(random() * 2), floor(random() * 2)) END, k, CASE WHEN random() < 0.5 THEN 'star' ELSE 'omit' END);
    second text := format('SELECT anonopt.publish_table(''shown_job'', ''employed'', ''%s'', k => %s, suppressed => ''%s'')',
        CASE WHEN fine THEN '{0,0}' ELSE format('{%s,%s}', floor(random() * 2), floor(random() * 2)) END, k, CASE WHEN random() < 0.5 THEN 'star' ELSE 'omit' END);
    want bigint;
    below bigint;
    risk bigint;
    people bigint;
    heard text;
BEGIN
    PERFORM pg_temp.populate(CASE WHEN random() < 0.5 THEN 4 ELSE 100 END, CASE WHEN random() < 0.5 THEN 2 ELSE 6 END, 0.3 + 0.7 * random());
    IF every THEN
        UPDATE person SET income = nr;
    END IF;
    PERFORM set_config('anonopt.composition', 'off', true);
    IF with_ill THEN
        PERFORM anonopt.add_sensitive(d, 'ill') FROM unnest('{placed,employed}'::text[]) d;
    END IF;
    EXECUTE first;
    BEGIN
        EXECUTE second;
        SELECT l.smallest, l.below INTO want, below FROM pg_temp.linked(k) l;
        people := (SELECT least((SELECT count(*) FROM shown_place), (SELECT count(*) FROM shown_job)) - (SELECT count(*) FROM person));
        risk := (SELECT smallest FROM anonopt.release_risk('employed') ORDER BY cardinality(releases) DESC LIMIT 1);
        RAISE SQLSTATE 'ROLLC';
    EXCEPTION WHEN SQLSTATE 'ROLLC' THEN
    END;
    heard := substring(pg_temp.refusal(second) FROM 'together single out (.*)');
    IF regexp_replace(heard, 'people, in|person, in', 'in') IS DISTINCT FROM (CASE WHEN below > 0 THEN format('%s in groups of %s', below, want) END) THEN
        RAISE SQLSTATE 'ROLLB' USING MESSAGE = format('%s heard of %s, not %s of %s: k %s, %s; %s', seed, heard, below, want, k, first, second);
    END IF;
    IF want > 0 AND risk > want THEN
        RAISE SQLSTATE 'ROLLB' USING MESSAGE = format('%s a risk of %s, not %s', seed, risk, want);
    END IF;
    -- where nobody is left out and everybody's value is known, what is linked is true of everybody
    IF every AND fine AND people = 0 AND first || second !~ 'star' AND want <> pg_temp.smallest_group() THEN
        RAISE SQLSTATE 'ROLLB' USING MESSAGE = format('%s links %s of %s', seed, want, pg_temp.smallest_group());
    END IF;
    RAISE SQLSTATE 'ROLLB' USING MESSAGE = '', DETAIL = CASE WHEN heard IS NULL THEN 'silent' ELSE 'heard' END;
EXCEPTION
    WHEN SQLSTATE 'ROLLB' THEN
        RETURN nullif(SQLERRM, '');
    WHEN invalid_parameter_value THEN
        RETURN NULL;   -- no such release
END $$;
SELECT anonopt.add_sensitive(d, 'income'), anonopt.set_insensitive(d, 'income'), anonopt.set_insensitive(d, 'ill') FROM unnest('{placed,employed}'::text[]) d \g /dev/null
SELECT setseed(0.25) \g /dev/null
SELECT is(pg_temp.fault(i), NULL, 'values link rows as plain SQL says, ' || i) FROM generate_series(1, pg_temp.few(40)) i;

-- Rows of both kinds of cases: 30 incomes in each of 4 places, of which one or ten are in each job
CREATE FUNCTION pg_temp.people_of(per_value int) RETURNS void LANGUAGE sql AS $$
    TRUNCATE person;
    INSERT INTO person SELECT i, 1 + i % 2, chr(97 + i / 2 % 2), 'f', chr(120 + i / per_value % 2), i / per_value, 'i' FROM generate_series(0, 239) i;
$$;
SELECT pg_temp.people_of(1) \g /dev/null
SELECT anonopt.publish_table('shown_place', 'placed', '{0,0}', k => 10) \g /dev/null
SELECT is(pg_temp.refusal($$SELECT anonopt.publish_table('shown_job', 'employed', '{0,0}', k => 100)$$),
    'release public.shown_job and a content of public.shown_place together single out 240 people, in groups of 60', 'an income of each single person joins ages with jobs');
SELECT is(pg_temp.refusal($$SELECT anonopt.publish_table('shown_job', 'employed', '{0,0}', k => 60)$$),
    'release public.shown_job cannot be combined with a content of public.shown_place', 'as many as are promised are not told apart by it; what else they tell is not known');
SELECT anonopt.drop_release('shown_place') \g /dev/null
SELECT is(pg_temp.refusal($$SELECT anonopt.publish_table('shown_job', 'employed', '{0,0}', k => 100)$$),
    'release public.shown_job and a content of public.shown_place together single out 240 people, in groups of 60', 'readers may have kept what was dropped');
SELECT anonopt.create_dataset('coarse', 'by_job'), anonopt.add_quasi_identifier('coarse', 'sex', 'sexes') \g /dev/null
SELECT is(pg_temp.refusal($$SELECT anonopt.publish_table('shown_job', 'coarse', '{1}', k => 100)$$),
    'release public.shown_job cannot be combined with a content of public.shown_place', 'without a value that both show, no row is linked');

-- people with several rows: rows do not tell how many they are
DO $$ BEGIN
    CREATE VIEW visits AS SELECT nr % 40 AS nr, sex, job, income FROM person;
    PERFORM anonopt.create_dataset('visits', 'visits', 1, person => 'nr'), anonopt.add_quasi_identifier('visits', 'job', 'jobs'), anonopt.add_sensitive('visits', 'income'), anonopt.set_insensitive('visits', 'income');
END $$;
SELECT is(pg_temp.refusal($$SELECT anonopt.publish_table('shown_visits', 'visits', '{1}', k => 5)$$),
    'rows that release public.shown_visits and a content of public.shown_place single out together may all be one person''s, in groups of 1', 'linked rows may all be one person''s');

-- -------------------------------------------------------------- what is compared with what

CREATE FUNCTION pg_temp.declare(name text, relation regclass) RETURNS void LANGUAGE sql AS $$
    SELECT anonopt.create_dataset(name, relation), anonopt.add_quasi_identifier(name, 'age', 'ages'), anonopt.add_sensitive(name, 'ill'),
        anonopt.set_insensitive(name, 'ill')
$$;
CREATE FUNCTION pg_temp.publishing(name text) RETURNS text LANGUAGE sql AS
    $$ SELECT format('SELECT anonopt.publish_table(%L, %L, ''{0}'', k => 5)', 'r_' || name, name) $$;
CREATE FUNCTION pg_temp.publish(name text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE pg_temp.publishing(name); END $$;
CREATE TABLE crowd (nr int, age int, ill text);
INSERT INTO crowd SELECT i, 1 + i % 3, 'i' || i % 2 FROM generate_series(1, 120) i;

-- relations over the table, before and after one more person came
CREATE VIEW of_crowd AS SELECT * FROM crowd;
CREATE VIEW of_view AS SELECT age, ill FROM of_crowd;
CREATE MATERIALIZED VIEW kept_crowd AS SELECT age, ill FROM of_view;
CREATE VIEW of_kept AS SELECT * FROM kept_crowd;
CREATE FUNCTION crowded() RETURNS TABLE (age int, ill text) LANGUAGE sql AS 'SELECT age, ill FROM public.crowd';
CREATE VIEW of_function AS SELECT * FROM crowded();
CREATE TABLE like_crowd AS TABLE crowd;
SELECT pg_temp.declare(x, x::regclass) FROM unnest('{crowd,of_crowd,of_view,kept_crowd,of_kept,of_function,like_crowd}'::text[]) x \g /dev/null
INSERT INTO crowd VALUES (121, 1, 'i1');
REFRESH MATERIALIZED VIEW kept_crowd;
CREATE FUNCTION pg_temp.compared(first text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    x text;
BEGIN
    SET LOCAL anonopt.composition = off;
    DELETE FROM crowd WHERE nr = 121; REFRESH MATERIALIZED VIEW kept_crowd;
    PERFORM pg_temp.publish(first);
    INSERT INTO crowd VALUES (121, 1, 'i1'); REFRESH MATERIALIZED VIEW kept_crowd;
    INSERT INTO like_crowd VALUES (121, 1, 'i1');
    FOR x IN SELECT r FROM unnest('{crowd,of_crowd,of_view,of_kept,of_function,like_crowd}'::text[]) r WHERE r <> first LOOP
        IF pg_temp.refusal(pg_temp.publishing(x)) = format('release public.r_%s differs from what was shown before by 1 person', x) THEN
            RETURN NEXT x;
        ELSIF pg_temp.refusal(pg_temp.publishing(x)) <> 'made' THEN
            RETURN NEXT 'else ' || x;
        END IF;
    END LOOP;
    PERFORM anonopt.drop_release(('r_' || first)::regclass);
    DELETE FROM anonopt.published;
    DELETE FROM like_crowd WHERE nr = 121;
END $$;
SELECT is(ARRAY(SELECT pg_temp.compared('crowd')), '{of_crowd,of_view,of_kept}', 'views of views and materialized ones are followed to a table');
SELECT is(ARRAY(SELECT pg_temp.compared('of_kept')), '{crowd,of_crowd,of_view}', 'to what is below of all of them');
SELECT is(ARRAY(SELECT pg_temp.compared('of_function')), '{}', 'what a function in a view reads is not seen');
SELECT is(ARRAY(SELECT pg_temp.compared('like_crowd')), '{}', 'nor that tables hold the same people');

-- what somebody declares
SELECT anonopt.same_people('of_function', 'of_view'), anonopt.same_people('of_view', 'of_function'), anonopt.same_people('of_function', 'of_view') \g /dev/null
SELECT is((SELECT format('%s %s %s', count(*), min(relation_name || ' ' || other_name), min(declared_by)) FROM anonopt.same_people),
    '1 public.of_view public.of_function ' || current_user, 'a pair is declared once');
SELECT is(ARRAY(SELECT pg_temp.compared('crowd')), '{of_crowd,of_view,of_kept,of_function}', 'relations of the same people are compared, over what they read');
SELECT is(ARRAY(SELECT pg_temp.compared('of_function')), '{crowd,of_crowd,of_view,of_kept}', 'in either direction');
SELECT anonopt.same_people('like_crowd', 'of_function') \g /dev/null
SELECT is(ARRAY(SELECT pg_temp.compared('like_crowd')), '{crowd,of_crowd,of_view,of_kept,of_function}', 'and by several pairs');
UPDATE anonopt.same_people SET made_in = 'elsewhere';
SELECT is(ARRAY(SELECT pg_temp.compared('like_crowd')), '{crowd,of_crowd,of_view,of_kept,of_function}', 'in another database, by name');
DELETE FROM anonopt.same_people;
SELECT is(ARRAY(SELECT pg_temp.compared('like_crowd')), '{}', 'the owner of the database takes it back');

SELECT throws_ok($$SELECT anonopt.same_people('crowd', 'crowd')$$, '22023', NULL, 'a relation with itself');
SELECT throws_ok($$SELECT anonopt.same_people('crowd', 'pg_class')$$, '42809', NULL, 'with a catalog');
SELECT anonopt.create_view('shown_crowd', 'crowd', '{0}', k => 5) \g /dev/null
CREATE VIEW of_shown_crowd AS TABLE shown_crowd;
SELECT throws_ok(format('SELECT anonopt.same_people(%L, %L)', 'like_crowd', x), '22023', NULL, 'with a release, which others may read: ' || x) FROM unnest('{shown_crowd,of_shown_crowd}'::text[]) x;
DROP MATERIALIZED VIEW shown_crowd CASCADE;
SELECT throws_ok($$SELECT anonopt.same_people('crowd', NULL)$$, '22023', NULL, 'with nothing');
SELECT throws_ok($$SELECT anonopt.same_people('crowd', '0')$$, '42P01', NULL, 'with what is not there');
CREATE ROLE regress_neighbour;
GRANT SELECT ON crowd TO regress_neighbour;
SET LOCAL ROLE regress_neighbour;
SELECT throws_ok($$SELECT anonopt.same_people('crowd', 'like_crowd')$$, '42501', NULL, 'with what one may not read');
RESET ROLE;
GRANT SELECT (age) ON like_crowd TO regress_neighbour;
SET LOCAL ROLE regress_neighbour;
SELECT lives_ok($$SELECT anonopt.same_people('crowd', 'like_crowd')$$, 'with what one may read');
SELECT throws_ok($$SELECT anonopt.same_people('of_view', 'like_crowd')$$, '42501', NULL, 'not a view that one may not read');
RESET ROLE;
GRANT SELECT ON of_kept TO regress_neighbour;
SET LOCAL ROLE regress_neighbour;
SELECT throws_ok($$SELECT anonopt.same_people('of_kept', 'like_crowd')$$, '42501', NULL, 'nor one that reads what one may not');
SELECT throws_ok('DELETE FROM anonopt.same_people', '42501', NULL, 'only the owner of the database takes it back');
SELECT is((SELECT declared_by::text FROM anonopt.same_people), 'regress_neighbour', 'everybody sees who declared it');
RESET ROLE;
SELECT is(ARRAY(SELECT pg_temp.compared('like_crowd')), '{crowd,of_crowd,of_view,of_kept}', 'it counts');
REVOKE SELECT ON crowd FROM regress_neighbour;
SELECT is(ARRAY(SELECT pg_temp.compared('like_crowd')), '{}', 'while who declared it may read both: the owner of either takes it back');
GRANT SELECT ON crowd TO regress_neighbour;
DELETE FROM anonopt.same_people;

-- --------------------------------------------------- a release's own earlier contents

-- A table or view is dropped and made again with one more person, the data set declared again.
CREATE FUNCTION pg_temp.again(kind text, gone text, made text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    found text;
BEGIN
    CREATE TABLE born AS TABLE crowd;
    CREATE VIEW seen AS TABLE born;
    PERFORM pg_temp.declare('born', kind::regclass);
    PERFORM pg_temp.publish('born');
    PERFORM anonopt.drop_dataset('born');
    EXECUTE gone;
    EXECUTE made;
    INSERT INTO born VALUES (500, 1, 'i1');
    PERFORM pg_temp.declare('born', kind::regclass);
    BEGIN
        PERFORM anonopt.refresh_release('r_born');
    EXCEPTION WHEN check_violation THEN
        GET STACKED DIAGNOSTICS found = PG_EXCEPTION_DETAIL;
        IF found <> format('Relation public.%s was dropped and made again.', kind) THEN
            RAISE SQLSTATE 'ROLLC' USING MESSAGE = found;
        END IF;
    END;
    found := concat_ws(', ', pg_temp.refusal($q$SELECT anonopt.republish('r_born')$q$), pg_temp.refusal('SELECT anonopt.drop_release(''r_born''); ' || pg_temp.publishing('born')));
    PERFORM set_config('anonopt.composition', 'off', true);
    PERFORM anonopt.republish('r_born');
    INSERT INTO born VALUES (501, 2, 'i1');
    found := concat_ws(', ', found, pg_temp.refusal($q$SELECT anonopt.refresh_release('r_born')$q$), (SELECT min(smallest) FROM anonopt.release_risk('born')));
    RAISE SQLSTATE 'ROLLC' USING MESSAGE = replace(found, 'release public.r_born differs from what was shown before by 1 person', 'one');
EXCEPTION
    WHEN SQLSTATE 'ROLLC' THEN
        RETURN SQLERRM;
END $$;
SELECT is(pg_temp.again('born', 'DROP TABLE born CASCADE', 'CREATE TABLE born AS TABLE crowd'), 'one, one, one, 1', 'a table of the same name is the same people');
SELECT is(pg_temp.again('seen', 'DROP VIEW seen', 'CREATE VIEW seen AS TABLE born'), 'one, one, one, 1', 'so is a view');
SELECT is(pg_temp.again('seen', 'ALTER TABLE born RENAME TO reborn; DROP VIEW seen', 'CREATE TABLE born AS TABLE reborn; CREATE VIEW seen AS TABLE reborn; INSERT INTO reborn VALUES (500, 1, ''i1'')'),
    'one, one, one, 1', 'a table that was renamed is, too, beside a new one of that name');
SELECT is(pg_temp.again('seen', 'DROP TABLE born CASCADE', 'CREATE TABLE other AS TABLE crowd; CREATE TABLE born AS TABLE crowd; CREATE VIEW seen AS SELECT * FROM other UNION ALL SELECT * FROM born WHERE nr > 499'),
    'one, one, one, 1', 'a view of the same name over another table');
CREATE TABLE moved AS TABLE crowd;
SELECT pg_temp.declare('moved', 'moved'), pg_temp.publish('moved'), anonopt.drop_dataset('moved') \g /dev/null
CREATE TABLE removed AS TABLE moved;
INSERT INTO removed VALUES (500, 1, 'i1');
SELECT pg_temp.declare('moved', 'removed') \g /dev/null
SELECT is(pg_temp.refusal($$SELECT anonopt.republish('r_moved')$$), 'release public.r_moved differs from what was shown before by 1 person', 'a release is compared with itself, whatever its source is now');
SELECT is(pg_temp.refusal(replace(pg_temp.publishing('moved'), 'r_moved', 'r_removed')), 'made', 'another release of another table is not');
SET LOCAL anonopt.composition = off;
SELECT anonopt.republish('r_moved') \g /dev/null
SELECT is((SELECT array_agg(DISTINCT relation_name ORDER BY relation_name) FROM anonopt.published_source s JOIN anonopt.published p USING (id) WHERE p.name = 'public.r_moved'),
    '{public.moved,public.removed}', 'its entry remembers whom it showed before');
INSERT INTO moved VALUES (501, 2, 'i1');
SELECT pg_temp.declare('unmoved', 'moved') \g /dev/null
SELECT is(pg_temp.refusal(pg_temp.publishing('unmoved')), 'release public.r_unmoved differs from what was shown before by 1 person', 'so others are compared with that');

-- a temporary table of another session, which has another schema
CREATE TEMP TABLE passing AS TABLE crowd;
SELECT pg_temp.declare('passing', 'passing'), pg_temp.publish('passing') \g /dev/null
SELECT is((SELECT string_agg(relation_name, ' ') FROM anonopt.published_source s JOIN anonopt.published p USING (id) WHERE p.dataset = 'passing'), 'pg_temp.passing', 'a temporary table is called the same in every session');
UPDATE anonopt.published_source SET relation = 1 WHERE relation_name = 'pg_temp.passing';
INSERT INTO passing VALUES (500, 1, 'i1');
SELECT is(pg_temp.refusal(replace(pg_temp.publishing('passing'), 'r_passing', 'r_passed')), 'release public.r_passed differs from what was shown before by 1 person', 'and is the same people');

SELECT is(ARRAY(SELECT count(*) FROM anonopt.releases_of_people('passing'::regclass, o::regrole)), '{1}', 'to ' || o) FROM unnest(ARRAY[quote_ident(current_user), 'pg_monitor']) o;
SELECT is_empty($$SELECT anonopt.releases_of_people('passing'::regclass, 'regress_neighbour'::regrole)$$, 'not to roles that are not told of the release');

-- ------------------------------------- rows of several tables about the same people

ALTER TABLE crowd ADD UNIQUE (nr);
CREATE TABLE visit AS SELECT nr, v FROM crowd, generate_series(1, 1 + nr % 3) v WHERE nr <= 120;
CREATE TABLE drug AS SELECT nr, d FROM crowd, generate_series(1, 1 + nr % 2) d WHERE nr <= 120;
CREATE VIEW visited AS SELECT nr, age, ill FROM visit JOIN crowd USING (nr);
CREATE VIEW visited_again AS SELECT nr, age, ill FROM crowd JOIN visit USING (nr);
CREATE VIEW treated AS SELECT nr, age, ill FROM drug JOIN crowd USING (nr);
DO $$ BEGIN
    PERFORM anonopt.create_dataset(x, x::regclass, person => 'nr'), anonopt.add_quasi_identifier(x, 'age', 'ages'), anonopt.add_sensitive(x, 'ill'), anonopt.set_insensitive(x, 'ill')
    FROM unnest('{visited,visited_again,treated}'::text[]) x;
END $$;
DELETE FROM anonopt.published;
SELECT pg_temp.publish('visited') \g /dev/null
SELECT is(pg_temp.refusal(pg_temp.publishing(x)), 'made', 'rows of visits are not subtracted from others about the same people: ' || x) FROM unnest('{treated,crowd}'::text[]) x;
SELECT is(pg_temp.refusal(pg_temp.publishing('visited_again')), 'made', 'nor is there a difference between two views of the same visits');
INSERT INTO visit VALUES (1, 9);
SELECT is(pg_temp.refusal(pg_temp.publishing('visited_again')), 'release public.r_visited_again differs from what was shown before by rows that may all be one person''s', 'until there is one');
SELECT is(pg_temp.refusal($$SELECT anonopt.refresh_release('r_visited')$$), 'release public.r_visited differs from what was shown before by rows that may all be one person''s', 'or in the release itself');

-- the rows are the same whatever they are joined with, and whichever part of them has come since
CREATE TABLE names AS SELECT 'i' || i AS ill, 'latin' AS latin FROM generate_series(0, 1) i;
CREATE VIEW visited_named AS SELECT nr, age, ill FROM visit JOIN crowd USING (nr) LEFT JOIN names USING (ill);
CREATE VIEW visited_renamed AS SELECT nr AS who, age, ill FROM visit JOIN crowd USING (nr);
CREATE VIEW coded AS SELECT nr, age, ill FROM drug JOIN crowd USING (nr) JOIN names USING (ill);
CREATE TABLE stay (nr int, age int, ill text, month int) PARTITION BY LIST (month);
CREATE TABLE stay_1 PARTITION OF stay FOR VALUES IN (1);
INSERT INTO stay SELECT nr, age, ill, 1 FROM visit JOIN crowd USING (nr);
DO $$ BEGIN
    PERFORM anonopt.create_dataset(x, x::regclass, person => CASE x WHEN 'visited_renamed' THEN 'who' ELSE 'nr' END::name), anonopt.add_quasi_identifier(x, 'age', 'ages'), anonopt.add_sensitive(x, 'ill'),
        anonopt.set_insensitive(x, 'ill')
    FROM unnest('{visited_named,visited_renamed,coded,stay}'::text[]) x;
END $$;
SELECT is(pg_temp.refusal(pg_temp.publishing(x)), format('release public.r_%s differs from what was shown before by rows that may all be one person''s', x), 'rows are the same: ' || x)
FROM unnest('{visited_named,visited_renamed}'::text[]) x;
SELECT pg_temp.publish('visited_named'), pg_temp.publish('stay') \g /dev/null
SELECT is(pg_temp.refusal(pg_temp.publishing('coded')), 'made', 'codes that both are joined with do not make them so');
CREATE TABLE stay_2 PARTITION OF stay FOR VALUES IN (2);
INSERT INTO stay VALUES (1, 2, 'i0', 1);
SELECT is(pg_temp.refusal(replace(pg_temp.publishing('stay'), 'r_stay', 'r_again')), 'release public.r_again differs from what was shown before by rows that may all be one person''s', 'rows are the same with a new partition');

-- ---------------------------------------------------------------- partitions and children

CREATE TABLE whole (nr int, age int, ill text) PARTITION BY LIST (age);
CREATE TABLE part_1 PARTITION OF whole FOR VALUES IN (1);
CREATE TABLE part_2 PARTITION OF whole FOR VALUES IN (2) PARTITION BY LIST (ill);
CREATE TABLE part_2_1 PARTITION OF part_2 DEFAULT;
CREATE VIEW of_part_1 AS TABLE part_1;
INSERT INTO whole SELECT i, 1 + i % 2, 'i' || i % 2 FROM generate_series(1, 100) i;
SELECT pg_temp.declare(x, x::regclass) FROM unnest('{whole,part_1,part_2,part_2_1,of_part_1}'::text[]) x \g /dev/null
CREATE FUNCTION pg_temp.parts_compared(first text, person text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    x text;
BEGIN
    SET LOCAL anonopt.composition = off;
    PERFORM pg_temp.publish(first);
    EXECUTE person;
    FOR x IN SELECT r FROM unnest('{whole,part_1,part_2,part_2_1,of_part_1}'::text[]) r WHERE r <> first LOOP
        IF pg_temp.refusal(pg_temp.publishing(x)) = format('release public.r_%s differs from what was shown before by 1 person', x) THEN
            RETURN NEXT x;
        END IF;
    END LOOP;
    PERFORM anonopt.drop_release(('r_' || first)::regclass);
    DELETE FROM anonopt.published;
    DELETE FROM whole WHERE nr > 100;
END $$;
SELECT is(ARRAY(SELECT pg_temp.parts_compared('whole', $$INSERT INTO whole VALUES (101, 1, 'i1')$$)), '{part_1,of_part_1}', 'a partition is compared with its parent');
SELECT is(ARRAY(SELECT pg_temp.parts_compared('part_2_1', $$INSERT INTO whole VALUES (101, 2, 'i1')$$)), '{whole,part_2}', 'and parents with it, of any degree');
SELECT is(ARRAY(SELECT pg_temp.parts_compared('of_part_1', $$INSERT INTO whole VALUES (101, 1, 'i1')$$)), '{whole,part_1}', 'also behind views; partitions beside each other are not');
SET LOCAL anonopt.composition = off;
SELECT pg_temp.publish('whole') \g /dev/null
INSERT INTO whole VALUES (101, 1, 'i1');
ALTER TABLE whole DETACH PARTITION part_1;
CREATE TABLE part_3 PARTITION OF whole FOR VALUES IN (1);
INSERT INTO part_3 TABLE part_1;
SELECT pg_temp.declare('part_3', 'part_3') \g /dev/null
SELECT is(pg_temp.refusal(pg_temp.publishing('part_1')), 'release public.r_part_1 differs from what was shown before by 1 person', 'one that was detached since');
SELECT is(pg_temp.refusal(pg_temp.publishing('part_3')), 'release public.r_part_3 differs from what was shown before by 1 person', 'and one that was attached');

-- a forged record is not trusted, and harms nobody
INSERT INTO anonopt.same_people SELECT n, x, n + 1, x || '.', 'y', 'z' FROM unnest(ARRAY['', 'a.b.c.d', '"', 'public.whole', repeat('x.', 2000)]) WITH ORDINALITY t (x, n);
INSERT INTO anonopt.same_people VALUES (-1, 'public.whole', 99999999999, 'public.whole', anonopt.this_database(), 'z');
INSERT INTO anonopt.published_source SELECT p.id, n, x, true, false, made FROM anonopt.published p, (VALUES (-1, ''), (9999999999999, '"')) t (n, x), unnest(ARRAY['', anonopt.this_database()]) made;
SELECT is(pg_temp.refusal(pg_temp.publishing('part_3')), 'release public.r_part_3 differs from what was shown before by 1 person', 'whatever else the database''s owner writes');
DELETE FROM anonopt.same_people; DELETE FROM anonopt.published;

-- ------------------------------------------------------------- sensitive values that are keys

CREATE TABLE exact (age int, pay numeric, ill text, class int);
SELECT anonopt.create_dataset('exact', 'exact', 1), anonopt.add_quasi_identifier('exact', 'age', 'ages'), anonopt.add_sensitive('exact', 'pay'),
    anonopt.set_class_label('exact', 'class') \g /dev/null
CREATE FUNCTION pg_temp.said(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    detail text;
BEGIN
    EXECUTE call;
    RETURN NULL;
EXCEPTION WHEN invalid_parameter_value THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    RETURN SQLERRM || ': ' || detail;
END $$;
CREATE FUNCTION pg_temp.exact_fault(k int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    said text;
    want text;
BEGIN
    PERFORM set_config('anonopt.composition', 'refuse', true);
    TRUNCATE exact;
    INSERT INTO exact SELECT 1, CASE WHEN random() < 0.95 THEN (floor(random() ^ 3 * CASE WHEN k % 2 = 0 THEN 5 ELSE 60 END) || CASE WHEN random() < 0.5 THEN '.0' ELSE '.000' END)::numeric END,
        'i', i FROM generate_series(1, 100 + floor(random() * 500)::int) i;
    SELECT format('column "pay" would single people out: People with a value that fewer than %s have: %s of %s.', k, rare, n) INTO want
    FROM (SELECT sum(c) FILTER (WHERE c < k) AS rare, sum(c) AS n FROM (SELECT count(*) AS c FROM exact WHERE pay IS NOT NULL GROUP BY pay) v) t WHERE rare > 0.01 * n;
    said := pg_temp.said(format($q$SELECT anonopt.publish_table('r_exact', 'exact', '{0}', k => %s)$q$, k));
    IF said IS NULL THEN
        PERFORM anonopt.drop_release('r_exact');
    END IF;
    DELETE FROM anonopt.published;
    RETURN CASE WHEN said IS DISTINCT FROM want THEN format('%s, not %s', said, want) END;
END $$;
SELECT is(pg_temp.exact_fault(2 + i), NULL, 'rare values are counted as plain SQL does, ' || i) FROM generate_series(1, pg_temp.few(20)) i;
TRUNCATE exact;
INSERT INTO exact SELECT 1, i, 'i' || i, i FROM generate_series(1, 100) i;
SET LOCAL anonopt.composition = refuse;
SELECT isnt(pg_temp.said(call), NULL, 'refused: ' || call) FROM unnest(ARRAY[$$SELECT anonopt.publish_table('r_exact', 'exact', '{0}', k => 5)$$,
    $$SELECT anonopt.create_view('r_exact', 'exact', '{0}', k => 5)$$, $$SELECT anonopt.create_view('r_exact', 'exact', '{0}', k => 5, materialized => false)$$,
    $$SELECT anonopt.publish_records('r_exact', 'exact', 0, 'class', k => 5)$$]) call;
SET LOCAL anonopt.composition = off;
SELECT is(pg_temp.said($$SELECT anonopt.publish_table('r_exact', 'exact', '{0}', k => 5)$$), NULL, 'not where releases are not compared');
SET LOCAL anonopt.composition = refuse;
SELECT is(pg_temp.said($$SELECT anonopt.refresh_release('r_exact')$$), NULL, 'a night is not refused for it');
SELECT anonopt.drop_attribute('exact', 'pay'), anonopt.add_sensitive('exact', 'ill') \g /dev/null
SELECT matches(pg_temp.said($$SELECT anonopt.publish_table('r_ill', 'exact', '{0}', k => 5)$$), 'column "ill" .* 100 of 100', 'of whatever type, after other columns');
CREATE TABLE ills AS SELECT 'i' || i AS value, 'i' || i % 20 AS kind, '*'::text AS anything FROM generate_series(1, 100) i;
ALTER TABLE ills ADD PRIMARY KEY (value);
CREATE FUNCTION pg_temp.shown_at(level int) RETURNS text LANGUAGE sql AS $$
    SELECT anonopt.drop_attribute('exact', 'ill'), anonopt.add_sensitive('exact', 'ill', hierarchy => 'ills', level => level);
    SELECT pg_temp.said($q$SELECT anonopt.publish_table('r_ill', 'exact', '{0}', k => 5); DROP TABLE r_ill$q$)
$$;
SELECT matches(pg_temp.shown_at(0), 'column "ill" .* 100 of 100', 'a level that shows the values');
SELECT is(pg_temp.shown_at(1), NULL, 'nor where labels are shown that k people have: the remedy that the hint names');
DELETE FROM anonopt.published;
SELECT anonopt.set_insensitive('exact', 'ill'), anonopt.drop_attribute('exact', 'ill', 'sensitive'), anonopt.add_sensitive('exact', 'ill') \g /dev/null
SELECT is(pg_temp.said($$SELECT anonopt.publish_table('r_ill', 'exact', '{0}', k => 5)$$), NULL, 'nor where somebody says that they may be shown');
SELECT is((SELECT count(DISTINCT ill) FROM r_ill), 100::bigint, 'which they are');
SELECT * FROM finish();
ROLLBACK;
