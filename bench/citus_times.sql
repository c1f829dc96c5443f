-- citus_times.sql: the measurements of citus.sql, whose tables stand

-- The groups go nowhere, so that only Citus's work is beside ours.
CALL bench.alternate('optimize, 524,288 tuples', 'optimize', $q$SELECT * FROM anonopt.optimize('524,288 tuples', 5)$q$,
	'GROUP BY', $q$COPY (SELECT age, zip, count(*) FROM crowd GROUP BY age, zip) TO '/dev/null' (FORMAT binary)$q$, :few_times, 1.15);
CALL bench.alternate('optimize, 65,536 tuples', 'optimize', $q$SELECT * FROM anonopt.optimize('65,536 tuples', 5)$q$,
	'GROUP BY', $q$COPY (SELECT age, region, count(*) FROM crowd GROUP BY age, region) TO '/dev/null' (FORMAT binary)$q$, :few_times, 1.15);

-- What was chosen, beside what was not
CALL bench.alternate('grouped, 524,288 tuples', 'as chosen', $q$SET anonopt.read_mode = auto; SELECT * FROM anonopt.evaluate('524,288 tuples', '{0,0}')$q$,
	'bare rows', $q$SET anonopt.read_mode = aggregate; SELECT * FROM anonopt.evaluate('524,288 tuples', '{0,0}')$q$, :few_times, 1.2);
CALL bench.alternate('grouped, 65,536 tuples', 'as chosen', $q$SET anonopt.read_mode = auto; SELECT * FROM anonopt.evaluate('65,536 tuples', '{0,0}')$q$,
	'bare rows', $q$SET anonopt.read_mode = aggregate; SELECT * FROM anonopt.evaluate('65,536 tuples', '{0,0}')$q$, :few_times, 1.2);
CALL bench.alternate('grouped, 20,000 tuples in order', 'as chosen', $q$SET anonopt.read_mode = auto; SELECT * FROM anonopt.evaluate('20,000 tuples in order', '{0,0}')$q$,
	'bare rows', $q$SET anonopt.read_mode = aggregate; SELECT * FROM anonopt.evaluate('20,000 tuples in order', '{0,0}')$q$, :few_times, 1.2);
CALL bench.alternate('not grouped, 300,000 rows that differ', 'as chosen', $q$SET anonopt.read_mode = auto; SELECT * FROM anonopt.evaluate('300,000 rows that differ', '{0,0}')$q$,
	'grouped', $q$SET anonopt.read_mode = group_by; SELECT * FROM anonopt.evaluate('300,000 rows that differ', '{0,0}')$q$, :few_times, 1.2);
RESET anonopt.read_mode;
