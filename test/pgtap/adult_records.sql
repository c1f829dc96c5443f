-- A generalization per record of the Adult data: ARUBA and BTDA find the same, and a
-- sample of people has nothing better among all nodes.
\ir adult.inc
\if :unreadable
\quit
\endif

SELECT plan(10);

ALTER TABLE adult.people ADD nr int GENERATED ALWAYS AS IDENTITY PRIMARY KEY;
SELECT anonopt.create_dataset('census', 'adult.people') \g /dev/null
SELECT anonopt.add_quasi_identifier('census', c::name, ('adult.' || c)::regclass)
FROM unnest('{age,workclass,education,marital_status,race,sex,native_country,salary_class}'::text[]) WITH ORDINALITY x (c, i)
ORDER BY i \g /dev/null

-- Half of the 22 levels there are to climb, and as much of the other utilities
CREATE TABLE adult.found AS
    SELECT u.utility AS utility_model, r AS risk_model, a.*
    FROM (VALUES ('depth', 11::float8), ('leaves', 2), ('log_leaves', 6)) u (utility, bound), unnest('{sensitivity,identity}'::text[]) r,
         anonopt.aruba('census', u.bound, r, u.utility, key => 'nr') a;
SELECT is((SELECT count(*) FROM adult.found), 6 * 30162::bigint, 'a row for everybody');

-- BTDA takes longer: of every fortieth person, as long as `make check-long` does not ask for all
CREATE VIEW adult.some AS SELECT * FROM adult.people WHERE nr % 40 = 0 OR current_setting('test.thorough', true) = 'on';
SELECT anonopt.create_dataset('some', 'adult.some') \g /dev/null
SELECT anonopt.add_quasi_identifier('some', column_name, hierarchy::regclass) FROM anonopt.attribute WHERE dataset = 'census' ORDER BY ordinal \g /dev/null
CREATE TABLE adult.found_from_bottom AS
    SELECT u.utility AS utility_model, r AS risk_model, a.*
    FROM (VALUES ('depth', 11::float8), ('leaves', 2), ('log_leaves', 6)) u (utility, bound), unnest('{sensitivity,identity}'::text[]) r,
         anonopt.aruba('some', u.bound, r, u.utility, key => 'nr') a;
CREATE TABLE adult.found_from_top AS
    SELECT u.utility AS utility_model, r AS risk_model, a.*
    FROM (VALUES ('depth', 11::float8), ('leaves', 2), ('log_leaves', 6)) u (utility, bound), unnest('{sensitivity,identity}'::text[]) r,
         anonopt.btda('some', u.bound, r, u.utility, key => 'nr') a;
SELECT is((SELECT count(*) FROM adult.found_from_bottom a FULL JOIN adult.found_from_top b USING (risk_model, utility_model, record)
           WHERE (risk_model, utility_model) = (r, u)
             AND (a.levels, a.generalized, a.risk, a.utility) IS DISTINCT FROM (b.levels, b.generalized, b.risk, b.utility)),
          0::bigint, format('%s and %s: ARUBA and BTDA agree', r, u))
FROM unnest('{sensitivity,identity}'::text[]) r, unnest('{depth,leaves,log_leaves}'::text[]) u;
SELECT cmp_ok((SELECT avg(visited) FROM adult.found_from_bottom WHERE utility_model = 'depth'), '<',
              (SELECT avg(visited) FROM adult.found_from_top WHERE utility_model = 'depth'), 'ARUBA visits fewer nodes than BTDA');

-- The labels of three people, and of everybody, as the hierarchies spell them
CREATE TABLE adult.spelled AS
    SELECT nr, ARRAY[to_jsonb(a), to_jsonb(w), to_jsonb(e), to_jsonb(m), to_jsonb(r), to_jsonb(s), to_jsonb(n), to_jsonb(c)] AS chains
    FROM adult.people p JOIN adult.age a USING (age) JOIN adult.workclass w USING (workclass) JOIN adult.education e USING (education)
    JOIN adult.marital_status m USING (marital_status) JOIN adult.race r USING (race) JOIN adult.sex s USING (sex)
    JOIN adult.native_country n USING (native_country) JOIN adult.salary_class c USING (salary_class);
SELECT is((SELECT count(*) FROM adult.spelled), 30162::bigint, 'everybody has all labels');

-- How many levels up another person is like one, in each column; then every node.
CREATE FUNCTION pg_temp.least_risk(person int, bound int) RETURNS float8
LANGUAGE sql
SET jit = off AS $$
    WITH height AS (SELECT i, h FROM unnest('{6,3,3,3,1,1,4,1}'::int[]) WITH ORDINALITY x (h, i)),
    meets AS MATERIALIZED (
        SELECT array_agg(level ORDER BY i) AS levels, o.nr
        FROM adult.spelled p, adult.spelled o, height,
             LATERAL (SELECT CASE WHEN p.chains[i] = o.chains[i] THEN 0
                             ELSE (SELECT min(l) FROM generate_series(1, h) l
                                   WHERE p.chains[i] ->> ('level' || l) = o.chains[i] ->> ('level' || l)) END AS level) x
        WHERE p.nr = person GROUP BY o.nr),
    class AS MATERIALIZED (SELECT levels, count(*) AS people FROM meets GROUP BY levels),
    node AS MATERIALIZED (
        SELECT ARRAY[a, w, e, m, r, s, n, c] AS levels
        FROM generate_series(0, 6) a, generate_series(0, 3) w, generate_series(0, 3) e, generate_series(0, 3) m,
             generate_series(0, 1) r, generate_series(0, 1) s, generate_series(0, 4) n, generate_series(0, 1) c
        WHERE 22 - a - w - e - m - r - s - n - c = bound)
    -- risk falls with every step up, so that the least has no more than the bound
    SELECT 1.0::float8 / max(people)
    FROM (SELECT n.levels, sum(people) AS people FROM node n JOIN class c
          ON c.levels[1] <= n.levels[1] AND c.levels[2] <= n.levels[2] AND c.levels[3] <= n.levels[3] AND c.levels[4] <= n.levels[4]
             AND c.levels[5] <= n.levels[5] AND c.levels[6] <= n.levels[6] AND c.levels[7] <= n.levels[7] AND c.levels[8] <= n.levels[8]
          GROUP BY n.levels) x
$$;
SELECT is((SELECT array_agg(pg_temp.least_risk(nr, 11) ORDER BY nr) FROM unnest('{17}'::int[]) nr),
          (SELECT array_agg(risk ORDER BY record::int) FROM adult.found
           WHERE (risk_model, utility_model) = ('identity', 'depth') AND record IN ('17')), 'nobody''s risk can be less');
SELECT * FROM finish();
ROLLBACK;
