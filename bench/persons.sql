-- persons.sql: a million visits of 200,000 people, with `person` and without;
-- quasi-identifiers that belong to the visit, and such that belong to the person
\ir lib.sql

CREATE TABLE visit AS
SELECT i AS nr, person, age, region, 1 + floor(365 * random())::int AS day, floor(24 * power(random(), 2))::int AS ward,
	floor(30 * power(random(), 2))::int AS stay, floor(40 * power(random(), 3))::int AS illness
FROM (SELECT i, floor(200000 * power(random(), 1.5))::int AS person FROM generate_series(1, 1000000) i) v,
	LATERAL (SELECT person * 7919::bigint % 90 AS age, person * 104729::bigint % 100 AS region) p;
VACUUM ANALYZE visit;
SELECT anonopt.create_interval_hierarchy('visit_age', 0, 89, '{5,10,30}'), anonopt.create_interval_hierarchy('visit_region', 0, 99, '{10,50}'),
	anonopt.create_interval_hierarchy('visit_day', 1, 365, '{7,28,364}'), anonopt.create_interval_hierarchy('visit_ward', 0, 23, '{4,12}'),
	anonopt.create_interval_hierarchy('visit_stay', 0, 29, '{3,15}');
SELECT anonopt.create_dataset('visits', 'visit'), anonopt.create_dataset('visits_of_people', 'visit', person => 'person'),
	anonopt.create_dataset('own', 'visit'), anonopt.create_dataset('own_of_people', 'visit', person => 'person');
SELECT anonopt.add_quasi_identifier(d, c, ('visit_' || c)::regclass)
FROM unnest('{visits,visits_of_people}'::text[]) d, unnest('{age,region,day,ward,stay}'::name[]) c;
SELECT anonopt.add_quasi_identifier(d, c, ('visit_' || c)::regclass)
FROM unnest('{own,own_of_people}'::text[]) d, unnest('{age,region}'::name[]) c;
SET maintenance_work_mem = '2GB';
SET anonopt.max_workers = 0;
SET max_parallel_workers_per_gather = 0;

CALL bench.alternate('lattice of a million visits', 'person', 'SELECT count(*) FROM anonopt.lattice(''visits_of_people'')',
	'rows', 'SELECT count(*) FROM anonopt.lattice(''visits'')', :times, 4, 'bench.processor_milliseconds');
CALL bench.alternate('front of a million visits', 'person', 'SELECT count(*) FROM anonopt.pareto(''visits_of_people'')',
	'rows', 'SELECT count(*) FROM anonopt.pareto(''visits'')', :times, 4, 'bench.processor_milliseconds');
CALL bench.alternate('optimum of a million visits, k = 10', 'person', 'SELECT count(*) FROM anonopt.optimize(''visits_of_people'', k => 10)',
	'rows', 'SELECT count(*) FROM anonopt.optimize(''visits'', k => 10)', :times, 4, 'bench.processor_milliseconds');
CALL bench.alternate('lattice of a million visits, columns of the person', 'person', 'SELECT count(*) FROM anonopt.lattice(''own_of_people'')',
	'rows', 'SELECT count(*) FROM anonopt.lattice(''own'')', :times, 4, 'bench.processor_milliseconds');
