-- ARUBA, Figures 7 b, c and d in the paper's setting, as far as it goes: a table of 400,000
-- invented items of up to 64 columns with hierarchies of 1 to 5 levels, in which 50 of its
-- records are looked up; every value has a random weight.  CPU time, nodes for a record and risk
-- by c, six columns, and by columns, c being half of their depth: means of five weightings.
-- ARUBA counts the frontier nodes whose risk it computes, BTDA all that it visits.
-- Random numbers: setseed(0.5).
SELECT setseed(0.5) \g /dev/null
SELECT format('CREATE TABLE h%s AS SELECT v::int2 AS v%s FROM generate_series(0, %s) AS v', h, string_agg(format(', v / %s AS l%s', 2 ^ l, l), '' ORDER BY l), 2 ^ h - 1)
FROM generate_series(1, 5) AS h, generate_series(1, h) AS l GROUP BY h ORDER BY h \gexec
SELECT format('CREATE TABLE item AS SELECT nr, %s FROM generate_series(1, 400000) AS nr',
	string_agg(format('floor(random() ^ 3 * %s)::int2 AS a%s', 2 ^ (1 + i % 5), i), ', ' ORDER BY i)) FROM generate_series(1, 64) AS i \gexec
CREATE TABLE disclosed AS SELECT * FROM item WHERE nr <= 50;
CREATE TABLE weight AS SELECT w, i, v, random() AS weight FROM generate_series(1, 5) AS w, generate_series(1, 7) AS i, generate_series(0, (2 ^ (1 + i % 5))::int - 1) AS v;
CREATE TABLE went (columns int, c int, algorithm text, ms bigint, visited float8, risk float8);
CREATE PROCEDURE walk(columns int, c int, weightings int) LANGUAGE plpgsql AS $$
DECLARE
	algorithm text;
	began bigint;
BEGIN
	FOR w IN 1..weightings LOOP
		PERFORM anonopt.create_dataset('items', 'disclosed');
		FOR i IN 1..columns LOOP
			EXECUTE format('CREATE TABLE w%s AS SELECT v::int2 AS v, weight FROM weight WHERE (w, i) = (%s, %1$s)', i, w);
			PERFORM anonopt.add_quasi_identifier('items', ('a' || i)::name, ('h' || 1 + i % 5)::regclass), anonopt.set_sensitivity('items', ('a' || i)::name, ('w' || i)::regclass);
		END LOOP;
		FOREACH algorithm IN ARRAY '{aruba,btda}'::text[] LOOP
			began := cpu_ms();
			EXECUTE format('INSERT INTO went SELECT %s, %s, %L, NULL, avg(visited), avg(risk) FROM anonopt.%3$I(''items'', %2$s, dictionary => ''item'')', columns, c, algorithm);
			UPDATE went SET ms = cpu_ms() - began WHERE ms IS NULL;
		END LOOP;
		PERFORM anonopt.drop_dataset('items');
		EXECUTE (SELECT 'DROP TABLE ' || string_agg('w' || i, ', ') FROM generate_series(1, columns) AS i);
	END LOOP;
END $$;
SELECT format('CALL walk(%s, %s, 5)', columns, c) FROM (SELECT 6, unnest('{2,5,8,11,14}'::int[]) UNION
	SELECT n, (SELECT sum(1 + i % 5) / 2 FROM generate_series(1, n) AS i) FROM generate_series(2, 6) AS n) AS v (columns, c) ORDER BY columns, c \gexec
SELECT line('columns', 'c', 'ARUBA, CPU', 'BTDA, CPU', 'frontier nodes, by aruba', 'BTDA visits', 'risk of both');
SELECT rule(7);
SELECT line(columns::text, c::text, round(avg(ms) FILTER (WHERE algorithm = 'aruba') / 1000, 2) || ' s', round(avg(ms) FILTER (WHERE algorithm = 'btda') / 1000, 2) || ' s',
	round(avg(visited) FILTER (WHERE algorithm = 'aruba'))::text, round(avg(visited) FILTER (WHERE algorithm = 'btda'))::text,
	trim(to_char(avg(risk) FILTER (WHERE algorithm = 'aruba'), '9.99EEEE')) || CASE WHEN abs(avg(risk) FILTER (WHERE algorithm = 'aruba') - avg(risk) FILTER (WHERE algorithm = 'btda')) < 1e-12 THEN '' ELSE ', not alike' END)
FROM went GROUP BY columns, c ORDER BY columns = 6, columns, c;
