-- Attacks beside plain SQL that finds every candidate of every person, set by set, in releases of every kind of small
-- random tables, and in the tables themselves.
\ir begin.inc

SET anonopt.composition = off;

CREATE SCHEMA attack;
CREATE TABLE attack.data (id int PRIMARY KEY, q1 int, q2 int, q3 int, s text, u int, who int);

-- What the rows of a release show, and whose they are; what can be known of the people whom it shows.
CREATE TABLE attack.shown (id int, cells text[], who int);
CREATE TABLE attack.person (id int, x text[], s text, u text, who int);
-- People of another relation.
CREATE TABLE attack.register (q2 int, name text, q1 int);
-- Whether a row covers what is known of a person, by column: three quasi-identifiers, then s and u.
CREATE TABLE attack.covers (person int, shown int, c boolean[]);

CREATE TABLE attack.leaves AS SELECT v AS value, format('[%s, %s)', v / 2 * 2, v / 2 * 2 + 2) AS l1, format('[%s, %s)', v / 4 * 4, v / 4 * 4 + 4) AS l2, '*' AS l3
FROM generate_series(0, 7) v;
ALTER TABLE attack.leaves ADD PRIMARY KEY (value);

CREATE TABLE attack.halves AS SELECT value, CASE WHEN value < 3 THEN 'low' ELSE 'high' END AS l1, '*' AS l2 FROM attack.leaves;
ALTER TABLE attack.halves ADD PRIMARY KEY (value);

CREATE FUNCTION attack.below(n int) RETURNS int LANGUAGE sql VOLATILE AS $$ SELECT floor(random() * n)::int $$;

CREATE FUNCTION attack.sets(size int) RETURNS SETOF int[] LANGUAGE sql AS $$
	WITH RECURSIVE sets AS (SELECT '{}'::int[] AS s UNION ALL
		SELECT s || i FROM sets, generate_series(coalesce(s[cardinality(s)], 0) + 1, 3) i WHERE cardinality(s) < size)
	SELECT s FROM sets WHERE cardinality(s) = size
$$;

-- Declares random rows as data set d.
CREATE FUNCTION attack.make(seed int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	n int;
BEGIN
	PERFORM setseed((seed % 1000) / 1000.0);
	PERFORM anonopt.drop_dataset(dataset) FROM anonopt.dataset WHERE dataset IN ('d', 'e');
	PERFORM anonopt.forget_release(release) FROM anonopt.release;
	n := 6 + attack.below(CASE WHEN seed % 3 = 0 THEN 60 ELSE 25 END);
	TRUNCATE attack.data, attack.shown, attack.person, attack.covers, attack.register;
	INSERT INTO attack.data
	SELECT i, CASE WHEN random() < 0.1 AND seed % 9 <> 4 THEN NULL ELSE floor(8 * random() ^ 2) END,
		CASE WHEN random() < 0.1 AND seed % 9 <> 4 THEN 99 ELSE attack.below(4) END, floor(6 * random() ^ 1.5), CASE WHEN random() < 0.07 THEN NULL ELSE chr(97 + attack.below(3)) END,
		CASE seed % 2 WHEN 0 THEN attack.below(n) ELSE attack.below(2) END, attack.below(n * 2 / 3)
	FROM generate_series(1, n) i;
	INSERT INTO attack.register SELECT CASE WHEN random() < 0.1 AND seed % 9 <> 4 THEN 99 ELSE attack.below(5) END, i::text, CASE WHEN random() < 0.1 THEN NULL ELSE attack.below(8) END
	FROM generate_series(1, 3 + attack.below(25)) i;
	PERFORM anonopt.create_dataset('d', 'attack.data', 1, CASE WHEN seed % 8 = 7 THEN 'who'::name END);
	PERFORM anonopt.add_quasi_identifier('d', ('q' || a)::name, 'attack.leaves', unknown => '*') FROM generate_series(1, 3) a ORDER BY a;
	PERFORM anonopt.add_sensitive('d', 's'), anonopt.add_sensitive('d', 'u');
	-- the same people by another hierarchy
	PERFORM anonopt.create_dataset('e', 'attack.data', 1);
	PERFORM anonopt.add_quasi_identifier('e', ('q' || a)::name, CASE a WHEN 1 THEN 'attack.halves'::regclass ELSE 'attack.leaves' END, unknown => '*')
	FROM generate_series(1, 3) a ORDER BY a;
	PERFORM anonopt.add_sensitive('e', 's'), anonopt.add_sensitive('e', 'u'), anonopt.set_insensitive('e', 'id');
	PERFORM anonopt.set_insensitive('d', c) FROM unnest('{id}'::name[]) c;
END $$;

-- A value's label at a level; all that it has.
CREATE FUNCTION attack.label(value text, level int) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN level = 3 OR value = '99' THEN '*' ELSE (SELECT (ARRAY[h.value::text, l1, l2])[level + 1] FROM attack.leaves h WHERE h.value::text = label.value) END
$$;
CREATE FUNCTION attack.may_show(label text, value text) RETURNS boolean LANGUAGE sql AS $$
	SELECT coalesce(label = '*', false) OR EXISTS (SELECT FROM generate_series(0, 3) level WHERE attack.label(value, level) IS NOT DISTINCT FROM label)
$$;

-- Notes which rows of a relation cover which people: with equal values, or labels at given levels, or any, ranges, or
-- permuted values of a class.
CREATE FUNCTION attack.note(relation text, how text, levels int[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('INSERT INTO attack.shown SELECT id, ARRAY[r.q1::text, r.q2::text, r.q3::text, r.s::text, r.u::text, %s], d.who FROM %s r JOIN attack.data d USING (id)',
		CASE how WHEN 'permuted' THEN 'anonopt_class::text' ELSE 'to_jsonb(r) ->> ''anonopt_suppressed''' END, relation);
	INSERT INTO attack.person SELECT id, ARRAY[q1, q2, q3, NULL, NULL]::text[], s, u, who FROM attack.data WHERE id IN (SELECT id FROM attack.shown);
	INSERT INTO attack.covers
	SELECT p.id, r.id, (SELECT array_agg(CASE
			WHEN a > 3 THEN r.cells[a] IS NOT DISTINCT FROM CASE a WHEN 4 THEN p.s ELSE p.u END
			WHEN how = 'equal' THEN r.cells[a] IS NOT DISTINCT FROM p.x[a]
			WHEN how = 'node' THEN coalesce(r.cells[6] = 'true', false) OR r.cells[a] IS NOT DISTINCT FROM attack.label(p.x[a], levels[a])
			WHEN how = 'range' THEN p.x[a]::int <@ r.cells[a]::int4range
			WHEN how = 'permuted' THEN EXISTS (SELECT FROM attack.shown o WHERE o.cells[6] = r.cells[6] AND o.cells[a] IS NOT DISTINCT FROM p.x[a])
			ELSE attack.may_show(r.cells[a], p.x[a]) END
			ORDER BY a) FROM generate_series(1, 5) a)
	FROM attack.person p, attack.shown r;
END $$;

-- What plain SQL counts for a set: of people, or of rows of people who have several.
CREATE FUNCTION attack.singled_out(set int[], persons boolean) RETURNS TABLE (people bigint, certain bigint, highest numeric, expected numeric, baseline numeric)
LANGUAGE sql AS $$
	WITH candidate AS (
		SELECT p.id, p.who, array_agg(c.shown ORDER BY c.shown) AS rows, CASE WHEN persons THEN count(DISTINCT s.who) ELSE count(*) END AS n
		FROM attack.person p JOIN attack.covers c ON c.person = p.id JOIN attack.shown s ON s.id = c.shown
		WHERE (SELECT coalesce(bool_and(c.c[a]), true) FROM unnest(set) a) GROUP BY p.id, p.who),
	-- a person counts once for each way to look
	one AS (SELECT CASE WHEN persons THEN who ELSE c.id END AS who,
			CASE WHEN persons THEN (SELECT array_agg(coalesce(CASE a WHEN 4 THEN s WHEN 5 THEN u ELSE x[a] END, '') ORDER BY a) FROM unnest(set) a) END AS look,
			min(n) AS n
		FROM candidate c JOIN attack.person p USING (id, who) GROUP BY 1, 2)
	SELECT count(*), count(*) FILTER (WHERE n = 1), max(1.0 / n), avg(1.0 / n),
		1.0 / (SELECT CASE WHEN persons THEN count(DISTINCT who) ELSE count(*) END FROM attack.person)
	FROM one
$$;

-- The chance that the best guess among some values is right; everybody's, where there are none.
CREATE FUNCTION attack.right_guess(own text, among text[], otherwise text[]) RETURNS numeric LANGUAGE sql AS $$
	WITH value AS (SELECT coalesce(v, '?') AS v, count(*) AS n FROM unnest(CASE WHEN among = '{}' THEN otherwise ELSE among END) v GROUP BY 1),
	best AS (SELECT v FROM value WHERE n = (SELECT max(n) FROM value))
	SELECT CASE WHEN coalesce(own, '?') IN (SELECT v FROM best) THEN 1.0 / (SELECT count(*) FROM best) ELSE 0 END
$$;

CREATE FUNCTION attack.inferred(set int[], target int) RETURNS TABLE (people bigint, certain bigint, highest numeric, expected numeric, baseline numeric)
LANGUAGE sql AS $$
	WITH candidate AS (
		SELECT p.id, CASE target WHEN 4 THEN p.s ELSE p.u END AS own,
			array_agg(s.cells[target]) AS all_values, coalesce(array_agg(s.cells[target]) FILTER (WHERE s.id <> p.id), '{}') AS others
		FROM attack.person p JOIN attack.covers c ON c.person = p.id JOIN attack.shown s ON s.id = c.shown
		WHERE (SELECT coalesce(bool_and(c.c[a]), true) FROM unnest(set) a) GROUP BY p.id, own)
	SELECT count(*), count(*) FILTER (WHERE (SELECT count(DISTINCT coalesce(v, '?')) = 1 FROM unnest(all_values) v)),
		max((SELECT count(*)::numeric / cardinality(all_values) FROM unnest(all_values) v WHERE v IS NOT DISTINCT FROM own)),
		avg(attack.right_guess(own, all_values, '{}')),
		avg(attack.right_guess(own, others, ARRAY(SELECT s.cells[target] FROM attack.shown s WHERE s.id <> candidate.id)))
	FROM candidate
$$;

CREATE FUNCTION attack.names(set int[]) RETURNS name[] LANGUAGE sql AS $$ SELECT coalesce(array_agg(('{q1,q2,q3,s,u}'::name[])[a] ORDER BY a), '{}') FROM unnest(set) a $$;

CREATE TYPE attack.figures AS (attack text, known name[], target name, people bigint, certain bigint, highest numeric, expected numeric, baseline numeric);

CREATE FUNCTION attack.line(x attack.figures) RETURNS text LANGUAGE sql AS $$
	SELECT concat_ws(' ', x.attack, coalesce(x.known::text, '-'), coalesce(x.target, '-'), x.people, x.certain, round(x.highest, 7), round(x.expected, 7),
		round(x.baseline, 7))
$$;

-- What attack should return.
CREATE FUNCTION attack.expected(persons boolean) RETURNS SETOF attack.figures LANGUAGE sql AS $$
	WITH each AS (SELECT m, c AS set, x.* FROM generate_series(1, 3) m, attack.sets(m) c, attack.singled_out(c, persons) x),
	worst AS (SELECT DISTINCT ON (m) * FROM each ORDER BY m, certain DESC, round(highest, 9) DESC, round(expected, 9) DESC, set),
	guess AS (SELECT t, c AS set, x.* FROM unnest('{4,5}'::int[]) t, unnest(ARRAY['', '1,2,3']) k, CAST('{' || k || '}' AS int[]) c, attack.inferred(c, t) x)
	SELECT 'singling_out', attack.names(set), NULL::name, people, certain, highest, expected, baseline FROM worst
	UNION ALL SELECT 'singling_out', NULL, CASE m WHEN 1 THEN 'any column' ELSE 'any ' || m || ' columns' END,
		round(avg(people)), round(avg(certain)::float8), avg(highest), avg(expected), min(baseline) FROM each GROUP BY m
	UNION ALL SELECT 'inference', attack.names(set), CASE t WHEN 4 THEN 's' ELSE 'u' END, people, certain, highest, expected, baseline FROM guess
$$;

-- The same of an attacker who knows a neighbour's s.
CREATE FUNCTION attack.expected_by(set int[], target int, persons boolean) RETURNS SETOF attack.figures LANGUAGE sql AS $$
	SELECT 'singling_out', attack.names(set), NULL::name, people, certain, highest, expected, baseline FROM attack.singled_out(set, persons)
	UNION ALL SELECT 'inference', attack.names(c), 'u', people, certain, highest, expected, baseline
	FROM generate_series(1, 2) i, LATERAL (SELECT CASE i WHEN 1 THEN '{}' ELSE set END AS c) y, attack.inferred(c, target)
$$;

-- How often rows are linked to the right ones of the register: row by row, or group by group of equal labels.
CREATE FUNCTION attack.registered(how text, levels int[]) RETURNS SETOF attack.figures LANGUAGE sql AS $$
	WITH labels AS (
		SELECT CASE how WHEN 'node' THEN ARRAY[attack.label(q1::text, levels[1]), attack.label(q2::text, levels[2])] ELSE ARRAY[q1, q2]::text[] END AS x FROM attack.register),
	shown AS (SELECT id, cells, cells[1 : 2] AS x FROM attack.shown),
	grouped AS (
		SELECT f, (SELECT count(*) FROM labels l WHERE l.x IS NOT DISTINCT FROM s.x) AS g FROM (SELECT x, count(*) AS f FROM shown GROUP BY x) s),
	row AS (
		SELECT (SELECT count(*) FROM attack.register r WHERE CASE how
			WHEN 'range' THEN coalesce(r.q1, 8) <@ s.cells[1]::int4range AND r.q2 <@ s.cells[2]::int4range
			WHEN 'permuted' THEN EXISTS (SELECT FROM attack.shown o WHERE o.cells[6] = s.cells[6] AND o.cells[1] IS NOT DISTINCT FROM r.q1::text)
				AND EXISTS (SELECT FROM attack.shown o WHERE o.cells[6] = s.cells[6] AND o.cells[2] IS NOT DISTINCT FROM r.q2::text)
			WHEN 'node' THEN s.cells[6] = 'true' OR (attack.label(r.q1::text, levels[1]) IS NOT DISTINCT FROM s.x[1] AND attack.label(r.q2::text, levels[2]) IS NOT DISTINCT FROM s.x[2])
			ELSE attack.may_show(s.x[1], r.q1::text) AND attack.may_show(s.x[2], r.q2::text) END) AS g FROM shown s),
	every AS (SELECT (SELECT count(*) FROM shown) AS f, (SELECT count(*) FROM attack.register) AS g)
	SELECT 'linkage', '{q1,q2}'::name[], 'register'::name, f, c, h, e, b FROM (
		SELECT sum(f)::bigint AS f, coalesce(sum(f) FILTER (WHERE f = 1 AND g = 1), 0)::bigint AS c, coalesce(max(1.0 / greatest(f, g)) FILTER (WHERE g > 0), 0) AS h,
			sum(least(f, g)::numeric / greatest(f, g)) / sum(f) AS e, (SELECT least(f, g)::numeric / greatest(f, g) / f FROM every) AS b
		FROM grouped WHERE how = 'equal' OR (how = 'node' AND NOT EXISTS (SELECT FROM shown WHERE cells[6] = 'true'))
		UNION ALL
		SELECT count(*), count(*) FILTER (WHERE g = 1), coalesce(max(1.0 / nullif(g, 0)), 0), avg(coalesce(1.0 / nullif(g, 0), 0)), (SELECT 1.0 / g FROM every)
		FROM row WHERE how NOT IN ('equal', 'node') OR (how = 'node' AND EXISTS (SELECT FROM shown WHERE cells[6] = 'true'))) x
	WHERE f > 0
$$;

-- To those of another release, attack.other, with levels of its own.
CREATE FUNCTION attack.linked() RETURNS SETOF attack.figures LANGUAGE plpgsql AS $$
BEGIN
	CREATE TEMP TABLE meet ON COMMIT DROP AS
	SELECT a, b, EXISTS (SELECT FROM unnest('{0,1,2,3,4,5,6,7,99,NULL}'::text[]) v WHERE attack.may_show(a, v)
		AND (attack.may_show(b, v) OR (b = 'low' AND v::int < 3) OR (b = 'high' AND v::int BETWEEN 3 AND 7))) AS meet
	FROM (SELECT DISTINCT c AS a FROM attack.shown, unnest(cells[1 : 3]) c) a,
		(SELECT DISTINCT c AS b FROM attack.other o, unnest(ARRAY[o.q1, o.q2, o.q3]) c) b;
	RETURN QUERY
	WITH row AS (SELECT count(o.id) AS n FROM attack.shown s LEFT JOIN attack.other o ON o.s IS NOT DISTINCT FROM s.cells[4] AND o.u::text = s.cells[5]
		AND (s.cells[6] = 'true' IS TRUE OR NOT EXISTS (SELECT FROM unnest(s.cells[1 : 3], ARRAY[o.q1, o.q2, o.q3]) x(a, b)
			JOIN meet ON meet.a IS NOT DISTINCT FROM x.a AND meet.b IS NOT DISTINCT FROM x.b WHERE NOT meet.meet))
		GROUP BY s.id)
	SELECT 'linkage', '{q1,q2,q3,s,u}'::name[], 'attack.other'::name, count(*), count(*) FILTER (WHERE n = 1), max(1.0 / nullif(n, 0)), avg(coalesce(1.0 / nullif(n, 0), 0)),
		(SELECT 1.0 / count(*) FROM attack.other)
	FROM row;
	DROP TABLE meet;
END $$;

CREATE TABLE attack.tried (seed int, line text);

-- What differs for one seed, whose remainder is the kind of release.
CREATE FUNCTION attack.differences(seed int) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	kind int := seed % 9;
	persons boolean := seed % 8 = 7 AND kind <> 1;
	call text := 'attack.released';
	how text := 'label';
	options text := format('k => %s, columns => %L', 1 + attack.below(3), '{id}');
	recoding text;
	levels int[];
	links boolean;
	knows_values boolean := NOT persons OR kind BETWEEN 3 AND 7;
BEGIN
	PERFORM attack.make(seed);
	DROP TABLE IF EXISTS attack.released, attack.other, attack.recoding;
	IF kind = 1 THEN
		how := 'equal';
		PERFORM attack.note('attack.data', how, NULL);
		call := $c$'attack.data', quasi_identifiers => '{q1,q2,q3}', sensitive => '{s,u}'$c$;
	ELSIF kind = 5 THEN
		PERFORM anonopt.publish_records('attack.released', 'd', 0.3, 'id', 1 + attack.below(3), columns => '{id}');
	ELSE
		IF kind IN (3, 4, 6) THEN
			recoding := CASE kind WHEN 4 THEN 'range' ELSE 'hierarchy' END;
			PERFORM anonopt.create_recoding('attack.recoding', 'd', k => CASE WHEN seed % 2 = 0 AND kind = 3 THEN 1 ELSE 3 END, labels => recoding, seed => 1);
			options := options || format(', recoding => %L, labels => %L', 'attack.recoding', recoding);
		ELSE
			levels := ARRAY[attack.below(4), attack.below(2), attack.below(3)];
			options := options || format(', levels => %L', levels);
			how := 'node';
		END IF;
		IF kind = 2 OR (kind = 3 AND seed % 2 = 0) THEN
			options := options || $o$, suppressed => 'star'$o$;
		ELSIF kind = 4 THEN
			options := options || $o$, columns_as => 'range'$o$;
			how := 'range';
		ELSIF kind IN (6, 7) THEN
			options := options || $o$, show => 'permuted'$o$;
			how := 'permuted';
		END IF;
		BEGIN
			EXECUTE format('SELECT anonopt.publish_table(%L, %L, %s)', 'attack.released', 'd', options);
		EXCEPTION WHEN invalid_parameter_value THEN
			-- nobody keeps the promise
			RETURN;
		END;
	END IF;
	IF kind <> 1 THEN
		PERFORM attack.note('attack.released', how, levels);
		-- people with several rows count once for each way to look, which are labels where they do not overlap
		IF kind IN (0, 2, 8) AND NOT EXISTS (SELECT FROM attack.shown WHERE cells[6] = 'true') THEN
			UPDATE attack.person p SET x = r.cells FROM attack.shown r WHERE r.id = p.id;
		END IF;
		call := quote_literal(call);
	END IF;
	links := kind IN (0, 2, 3, 5, 8) AND NOT seed % 8 = 7;
	IF links THEN
		PERFORM anonopt.publish_table('attack.other', CASE seed % 4 WHEN 0 THEN 'e' ELSE 'd' END, levels => ARRAY[attack.below(3), attack.below(3), attack.below(4)],
			k => 1, columns => '{id}');
	END IF;
	EXECUTE format('INSERT INTO attack.tried SELECT %s, attack.line(ROW(attack, known, target, people, certain, highest, expected, baseline)::attack.figures)'
		' FROM (SELECT * FROM anonopt.attack(%s) UNION ALL SELECT * FROM anonopt.attack(%2$s, register => ''attack.register'') WHERE attack = ''linkage'''
		' UNION ALL SELECT * FROM anonopt.attack(%2$s, known => ''{q1,s}'') WHERE %L) x', seed, call, knows_values);
	CREATE TEMP TABLE refined (line text) ON COMMIT DROP;
	-- a release may hide or star some of a recoding's classes
	IF kind IN (3, 4) AND (seed % 2 = 1 OR kind = 4) THEN
		INSERT INTO refined SELECT attack.line(ROW('refinement', '{q1,q2,q3}', NULL, people_wide, people_certain_given_rest, coalesce(1.0 / least_possible, 0),
			coalesce(1 / leaves_left::numeric, 0), coalesce(1 / leaves_shown::numeric, 0))::attack.figures)
		FROM anonopt.recoding_refinement('d', 'attack.recoding', recoding) WHERE column_name IS NULL;
	END IF;
	RETURN QUERY
	WITH got AS (SELECT line FROM attack.tried t WHERE t.seed = differences.seed AND (line NOT LIKE 'refinement%' OR EXISTS (SELECT FROM refined))), expected AS (SELECT attack.line(x) AS line FROM attack.expected(persons) x UNION ALL SELECT attack.line(x) FROM attack.registered(how, levels) x
		UNION ALL SELECT attack.line(x) FROM attack.linked() x WHERE links
		UNION ALL SELECT line FROM refined
		UNION ALL SELECT attack.line(x) FROM attack.expected_by('{1,4}', 5, persons) x WHERE knows_values)
	SELECT seed || ' has ' || line FROM (TABLE got EXCEPT ALL TABLE expected) x
	UNION ALL SELECT seed || ' lacks ' || line FROM (TABLE expected EXCEPT ALL TABLE got) x;
	DROP TABLE refined;
END $$;

-- Releases by cuts, with stars or without, that show s at a level, beside another by levels that shows it at a level of its own, or
-- as it is. A value's group is the number of boundaries before it.
CREATE FUNCTION attack.group_of(cut varbit, v int) RETURNS int LANGUAGE sql AS $$ SELECT length(replace(left(cut::text, v), '0', '')) $$;
CREATE FUNCTION attack.s_label(v int, level int) RETURNS text LANGUAGE sql AS $$ SELECT attack.label(v::text, greatest(level, 0)) $$;
CREATE FUNCTION attack.cut_differences(seed int) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	cuts varbit[];
	levels int[];
	s_levels int[];
	stars boolean := seed % 2 = 1;
	n int;
BEGIN
	PERFORM setseed((seed % 1000) / 1000.0);
	PERFORM anonopt.drop_dataset(dataset) FROM anonopt.dataset WHERE dataset IN ('c', 'f');
	PERFORM anonopt.forget_release(release) FROM anonopt.release;
	DROP TABLE IF EXISTS attack.cut, attack.leveled;
	TRUNCATE attack.shown, attack.person, attack.covers;
	DROP TABLE IF EXISTS attack.born;
	n := 10 + attack.below(40);
	CREATE TABLE attack.born AS SELECT i AS id, attack.below(8) AS q1, attack.below(6) AS q2, attack.below(8) AS q3,
		CASE WHEN random() < 0.1 THEN NULL ELSE attack.below(8) END AS s, attack.below(3) AS u FROM generate_series(1, n) i;
	cuts := ARRAY(SELECT (attack.below(128))::bit(7)::varbit FROM generate_series(1, 3));
	levels := ARRAY[attack.below(4), attack.below(4), attack.below(4)];
	s_levels := ARRAY[attack.below(5) - 1, attack.below(5) - 1];
	FOR i IN 1 .. 2 LOOP
		PERFORM anonopt.create_dataset(x, 'attack.born', 1), anonopt.add_quasi_identifier(x, 'q1', 'attack.leaves'), anonopt.add_quasi_identifier(x, 'q2', 'attack.leaves'),
			anonopt.add_quasi_identifier(x, 'q3', 'attack.leaves'), anonopt.set_insensitive(x, 'id'), anonopt.add_sensitive(x, 'u') FROM substr('cf', i, 1) x;
		IF s_levels[i] < 0 THEN
			PERFORM anonopt.add_sensitive(substr('cf', i, 1), 's');
		ELSE
			PERFORM anonopt.add_sensitive(substr('cf', i, 1), 's', hierarchy => 'attack.leaves', level => s_levels[i]);
		END IF;
	END LOOP;
	BEGIN
		PERFORM anonopt.publish_table('attack.cut', 'c', cuts => cuts, k => 1 + attack.below(3), suppressed => CASE WHEN stars THEN 'star' ELSE 'omit' END, columns => '{id}');
	EXCEPTION WHEN invalid_parameter_value THEN
		RETURN;
	END;
	PERFORM anonopt.publish_table('attack.leveled', 'f', levels => levels, k => 1, columns => '{id}');
	EXECUTE format('INSERT INTO attack.shown SELECT id, ARRAY[r.q1::text, r.q2::text, r.q3::text, attack.s_label(d.s, %s), d.u::text, %s], id FROM attack.cut r JOIN attack.born d USING (id, u)'
		' WHERE r.s::text IS NOT DISTINCT FROM attack.s_label(d.s, %1$s)', s_levels[1], CASE WHEN stars THEN 'anonopt_suppressed::text' ELSE 'NULL' END);
	RETURN QUERY SELECT seed || ' shows other rows' WHERE (SELECT count(*) FROM attack.cut) <> (SELECT count(*) FROM attack.shown);
	INSERT INTO attack.person SELECT id, NULL, attack.s_label(s, s_levels[1]), u, id FROM attack.born JOIN attack.shown USING (id);
	INSERT INTO attack.covers SELECT p.id, r.id, ARRAY[coalesce(x.cells[6] = 'true', false) OR attack.group_of(cuts[1], p.q1) = attack.group_of(cuts[1], r.q1),
			coalesce(x.cells[6] = 'true', false) OR attack.group_of(cuts[2], p.q2) = attack.group_of(cuts[2], r.q2),
			coalesce(x.cells[6] = 'true', false) OR attack.group_of(cuts[3], p.q3) = attack.group_of(cuts[3], r.q3),
			attack.s_label(p.s, s_levels[1]) IS NOT DISTINCT FROM attack.s_label(r.s, s_levels[1]), p.u = r.u]
		FROM attack.born p JOIN attack.shown y ON y.id = p.id, attack.born r JOIN attack.shown x ON x.id = r.id;
	RETURN QUERY
	WITH got AS (SELECT attack.line(ROW(attack, known, target, people, certain, highest, expected, baseline)::attack.figures) AS line
		FROM (SELECT * FROM anonopt.attack('attack.cut') UNION ALL SELECT * FROM anonopt.attack('attack.cut', known => '{q1,s}')) x),
	expected AS (SELECT attack.line(x) AS line FROM attack.expected(false) x UNION ALL SELECT attack.line(x) FROM attack.expected_by('{1,4}', 5, false) x
		UNION ALL
		SELECT attack.line(ROW('linkage', '{q1,q2,q3,s,u}', 'attack.leveled', count(*), count(*) FILTER (WHERE others = 1), coalesce(max(1.0 / nullif(others, 0)), 0), avg(coalesce(1.0 / nullif(others, 0), 0)),
			(SELECT 1.0 / count(*) FROM attack.leveled))::attack.figures)
		FROM (SELECT (SELECT count(*) FROM attack.leveled z JOIN attack.born o USING (id) WHERE o.u = p.u
			AND attack.s_label(o.s, greatest(s_levels[1], s_levels[2])) IS NOT DISTINCT FROM attack.s_label(p.s, greatest(s_levels[1], s_levels[2]))
			AND (coalesce(x.cells[6] = 'true', false) OR NOT EXISTS (SELECT FROM (VALUES (p.q1, o.q1, 1), (p.q2, o.q2, 2), (p.q3, o.q3, 3)) q (a, b, i) WHERE NOT EXISTS (
				SELECT FROM generate_series(0, 7) v WHERE attack.group_of(cuts[i], v) = attack.group_of(cuts[i], a)
				AND attack.label(v::text, levels[i]) = attack.label(b::text, levels[i]))))) AS others
			FROM attack.shown x JOIN attack.born p USING (id)) y)
	SELECT seed || ' has ' || line FROM (TABLE got EXCEPT ALL TABLE expected) x
	UNION ALL SELECT seed || ' lacks ' || line FROM (TABLE expected EXCEPT ALL TABLE got) x;
END $$;

SELECT plan(30);
SELECT is_empty($$SELECT attack.cut_differences(seed) FROM generate_series(1, pg_temp.few(60, 8)) seed$$, 'likewise of cuts, and of what is shown at levels');
SELECT is_empty($$SELECT attack.differences(seed) FROM generate_series(1, pg_temp.few(144, 12)) seed$$, 'every figure is what plain SQL counts');

-- Planted leaks: six people for each combination of values but 1, 1, 1, which one has; all with 2, 2, 2 are ill; incomes to the cent.
CREATE TABLE attack.planted AS
SELECT row_number() OVER () AS id, q1, q2, q3, CASE WHEN (q1, q2, q3) = (2, 2, 2) THEN 'ill' ELSE 'abc'::char(1) || i % 3 END AS s,
	(1000 + 7.01 * row_number() OVER ())::numeric(8, 2) AS income
FROM generate_series(0, 3) q1, generate_series(0, 3) q2, generate_series(0, 3) q3, generate_series(1, 6) i WHERE (q1, q2, q3) <> (1, 1, 1) OR i = 1;
SELECT results_eq($$SELECT known, certain, highest FROM anonopt.attack('attack.planted', quasi_identifiers => '{q1,q2,q3}', sensitive => '{s}', columns_known => 3)
	WHERE attack = 'singling_out' AND known IS NOT NULL$$, $$VALUES ('{q1,q2,q3}'::name[], 1::bigint, 1::float8)$$, 'a person alone for three known columns');
SELECT is((SELECT max(certain) FROM anonopt.attack('attack.planted', quasi_identifiers => '{q1,q2,q3}', sensitive => '{s}', columns_known => 2)
	WHERE attack = 'singling_out'), 0::bigint, 'and not for two');
SELECT is((SELECT certain FROM anonopt.attack('attack.planted', quasi_identifiers => '{q1,q2,q3}', sensitive => '{s}') WHERE attack = 'inference' AND known <> '{}'),
	7::bigint, 'a class in which all are ill, and the person alone');
SELECT anonopt.create_dataset('planted', 'attack.planted') \g /dev/null
SELECT anonopt.add_quasi_identifier('planted', q, 'attack.leaves') FROM unnest('{q1,q2,q3}'::name[]) q \g /dev/null
SELECT anonopt.add_sensitive('planted', 's'), anonopt.add_sensitive('planted', 'income'), anonopt.set_identifier('planted', 'id') \g /dev/null
SELECT anonopt.publish_table('attack.one', 'planted', levels => '{0,3,3}', k => 5), anonopt.publish_table('attack.two', 'planted', levels => '{3,0,3}', k => 5) \g /dev/null
SELECT results_eq($$SELECT people, certain, expected FROM anonopt.attack('attack.one') WHERE attack = 'linkage' AND target = 'attack.two'$$,
	$$SELECT count(*), count(*), 1::float8 FROM attack.planted$$, 'incomes to the cent link two releases');
-- The same column at two levels, as it is, and as a quasi-identifier; the hierarchy of two that have the same labels is not known
CREATE TABLE attack.other_leaves AS SELECT value, CASE WHEN value < 3 THEN '[0, 2)' ELSE '[2, 4)' END AS l1, '*' AS l2 FROM attack.leaves;
ALTER TABLE attack.other_leaves ADD PRIMARY KEY (value);
SELECT anonopt.create_dataset(d, 'attack.planted', 1), anonopt.add_quasi_identifier(d, 'q1', 'attack.leaves'), anonopt.set_identifier(d, 'id') FROM unnest('{as_it_is,at_a_level,known_by_it,ambiguous}'::text[]) d \g /dev/null
SELECT anonopt.add_sensitive('as_it_is', 'q2'), anonopt.add_sensitive('at_a_level', 'q2', hierarchy => 'attack.leaves', level => 1),
	anonopt.add_quasi_identifier('known_by_it', 'q2', 'attack.leaves'), anonopt.add_sensitive('ambiguous', 'q2', hierarchy => 'attack.leaves', level => 1),
	anonopt.add_sensitive('ambiguous', 'q3', hierarchy => 'attack.other_leaves', level => 1) \g /dev/null
SELECT anonopt.publish_table('attack.r_' || d, d, levels => l, k => 1) FROM (VALUES ('as_it_is', '{3}'::int[]), ('at_a_level', '{3}'), ('known_by_it', '{3,1}'), ('ambiguous', '{3}')) v (d, l) \g /dev/null
SELECT results_eq($$SELECT target, known, highest FROM anonopt.attack('attack.r_as_it_is') WHERE attack = 'linkage' AND target LIKE 'attack.r%' ORDER BY target$$,
	$$VALUES ('attack.r_ambiguous'::name, '{q1}'::name[], 1 / 379::float8), ('attack.r_at_a_level', '{q1,q2}', (SELECT 1 / min(n)::float8 FROM (SELECT count(*) AS n FROM attack.planted GROUP BY q2 / 2) x)),
		('attack.r_known_by_it', '{q1}', 1 / 379::float8)$$, 'a column at a level links with the same one as it is');
SELECT is((SELECT jsonb_object_agg(q ->> 'of', q -> 'not_compared') FROM jsonb_path_query(anonopt.evidence('attack.r_as_it_is'), '$.questions.linkability.attack[*] ? (exists(@.not_compared) && @.target == "attack.r_as_it_is")') q),
	'{"attack.r_known_by_it": ["q2"], "attack.r_ambiguous": ["q2"]}', 'what is not compared has a name, in the older one''s evidence, too');
SELECT alike(anonopt.report('as_it_is'), '%Of 379 people of attack.r_ambiguous, 0 are linked with this one for certain, % Not compared: q2, so there may be more.%', 'and in the report');
SELECT anonopt.create_dataset('sampled', 'attack.planted') \g /dev/null
SELECT anonopt.add_quasi_identifier('sampled', 'q1', 'attack.leaves'), anonopt.add_sensitive('sampled', 's'), anonopt.set_identifier('sampled', 'id') \g /dev/null
SELECT anonopt.publish_table('attack.sample', 'sampled', levels => '{3}', epsilon => 1, delta => 0.01, trusted => true) \g /dev/null
SELECT is_empty($$SELECT * FROM anonopt.attack('attack.sample') WHERE attack = 'linkage' UNION ALL
	SELECT * FROM anonopt.attack('attack.one') WHERE target = 'attack.sample'$$, 'a sample is not linked');
-- What cannot be
SELECT throws_ok($$SELECT * FROM anonopt.attack('attack.one', known => '{q1,id}')$$, '22023', 'column "id" cannot be known', 'a column that is not shown');
SELECT throws_ok($$SELECT * FROM anonopt.attack('attack.one', columns_known => 4)$$, '22023', NULL, 'more columns than there are');
CREATE TABLE attack.dated AS SELECT now() AS q1;
SELECT throws_ok($$SELECT * FROM anonopt.attack('attack.one', register => 'attack.dated')$$, '42804', NULL, 'a register of another type');
SELECT throws_ok($$SELECT * FROM anonopt.attack('attack.one', register => 'attack.covers')$$, '42703', NULL, 'a register with no such column');
-- More columns than can be counted together
CREATE TABLE attack.wide (id int);
SELECT format('ALTER TABLE attack.wide ADD v%s int DEFAULT %1$s', i) FROM generate_series(1, 65) i \gexec
INSERT INTO attack.wide SELECT generate_series(1, 9);
SELECT throws_ok($$SELECT * FROM anonopt.attack('attack.wide', ARRAY(SELECT ('v' || i)::name FROM generate_series(1, 64) i), '{v65}', known => '{v65}', register => 'attack.wide')$$,
	'54000', NULL, 'more known columns than quasi-identifiers can be');
CREATE TABLE attack.single AS SELECT v AS value, '*' AS l1 FROM generate_series(1, 64) v;
ALTER TABLE attack.single ADD PRIMARY KEY (value);
SELECT anonopt.create_dataset('wide', 'attack.wide', 1) \g /dev/null
SELECT anonopt.add_quasi_identifier('wide', ('v' || i)::name, 'attack.single') FROM generate_series(1, 64) i \g /dev/null
SELECT anonopt.add_sensitive('wide', 'v65'), anonopt.set_identifier('wide', 'id') \g /dev/null
-- one person is a star
INSERT INTO attack.wide (id, v1) VALUES (10, 2), (11, 3), (12, 3);
SELECT anonopt.publish_table('attack.wide_release', 'wide', levels => array_fill(0, ARRAY[64]), k => 1),
	anonopt.publish_table('attack.wide_stars', 'wide', levels => array_fill(0, ARRAY[64]), k => 2, suppressed => 'star') \g /dev/null
SELECT throws_ok($$SELECT * FROM anonopt.attack('attack.wide_stars', known => '{v1,v65}')$$, '54000', NULL, 'the same of a release whose source is read');
SELECT results_eq($$SELECT people, certain FROM anonopt.attack('attack.wide_release', known => '{v1,v65}') WHERE attack = 'singling_out'$$, 'VALUES (12::bigint, 1::bigint)',
	'where labels do not overlap, only known columns are read');

-- Entries that no function would write
SAVEPOINT forged;
UPDATE anonopt.published SET generalized = '{q1,q1,q1}' WHERE generalized = '{q1,q2,q3}';
SELECT is((SELECT cardinality(known) FROM anonopt.attack('attack.one') WHERE attack = 'linkage' AND target = 'attack.two'), 5, 'a column that is generalized thrice is linked once each');
ROLLBACK TO forged;
UPDATE anonopt.published_content SET compared = ARRAY(SELECT ('v' || i)::name FROM generate_series(1, 1500) i), rows = ''
WHERE id IN (SELECT id FROM anonopt.published WHERE generalized = '{q1,q2,q3}');
SELECT is((SELECT cardinality(known) FROM anonopt.attack('attack.one') WHERE attack = 'linkage' AND target = 'attack.two'), 1503, 'many values are linked');
ROLLBACK TO forged;
UPDATE anonopt.published_content c SET compared_levels = array_fill(l, ARRAY[cardinality(compared)]) FROM anonopt.published p, (VALUES ('attack.r_as_it_is', -7), ('attack.r_at_a_level', -2000000000),
	('attack.r_ambiguous', 2147483647)) v (name, l) WHERE p.name = v.name AND p.id = c.id;
SELECT throws_ok(format('SELECT anonopt.attack(%L)', r), '23514', NULL, 'levels that are none: ' || r) FROM unnest('{attack.r_as_it_is,attack.r_at_a_level,attack.r_ambiguous}'::text[]) r;
ROLLBACK TO forged;

-- A column that is generalized and sensitive shows labels alone
CREATE TABLE attack.both AS SELECT i AS id, i * i % 8 AS q1, i % 4 AS q2, i % 3 AS s FROM generate_series(1, 60) i;
SELECT anonopt.create_dataset('both', 'attack.both', 1) \g /dev/null
SELECT anonopt.add_quasi_identifier('both', q, 'attack.leaves') FROM unnest('{q1,q2}'::name[]) q \g /dev/null
SELECT anonopt.add_sensitive('both', 'q2'), anonopt.add_sensitive('both', 's'), anonopt.set_identifier('both', 'id') \g /dev/null
SELECT anonopt.create_recoding('attack.both_recoding', 'both', k => 3, seed => 1) \g /dev/null
SELECT anonopt.publish_table('attack.both_left_out', 'both', levels => '{2,1}', k => 2), anonopt.publish_table('attack.both_stars', 'both', levels => '{2,1}', k => 2, suppressed => 'star'),
	anonopt.publish_table('attack.both_recoded', 'both', recoding => 'attack.both_recoding', k => 3),
	anonopt.publish_table('attack.both_permuted', 'both', recoding => 'attack.both_recoding', k => 3, show => 'permuted') \g /dev/null
SELECT results_eq(format($$SELECT DISTINCT target FROM anonopt.attack(%L) WHERE attack = 'inference'$$, r), $$VALUES ('s'::name)$$, 'what is guessed of ' || r)
FROM unnest('{attack.both_left_out,attack.both_stars,attack.both_recoded,attack.both_permuted}'::text[]) r;
SELECT is((SELECT array_agg(DISTINCT q ->> 'target') FROM unnest('{attack.both_left_out,attack.both_stars,attack.both_recoded,attack.both_permuted}'::regclass[]) r,
	jsonb_path_query(anonopt.evidence(r), '$.questions.inference[*]') q), '{s}', 'and by their evidence');

-- What is held back is shown, and what waits is not: neither is counted by classes of the source
CREATE TABLE attack.held AS SELECT i AS id, i % 6 AS q1, i % 5 AS q2, i % 2 AS s FROM generate_series(1, 200) i;
SELECT anonopt.create_dataset('held', 'attack.held', 1) \g /dev/null
SELECT anonopt.add_quasi_identifier('held', q, 'attack.leaves') FROM unnest('{q1,q2}'::name[]) q \g /dev/null
SELECT anonopt.add_sensitive('held', 's'), anonopt.set_identifier('held', 'id') \g /dev/null
SELECT anonopt.publish_table('attack.held_release', 'held', levels => '{0,2}', k => 3) \g /dev/null
INSERT INTO attack.held VALUES (1001, 0, 0, 7), (1002, 3, 1, 8);
INSERT INTO attack.held SELECT 2000 + i, 5, 4, i % 2 FROM generate_series(1, 20) i;
SET anonopt.composition = refuse;
SELECT anonopt.refresh_release('attack.held_release', hold_back => true) \g /dev/null
SELECT ok(e -> 'missing' -> 'columns' IS NOT DISTINCT FROM 'null' AND e -> 'questions' -> 'singling_out' = '[]' AND e -> 'questions' -> 'inference' = '[]'
	AND (e -> 'missing' ->> 'held_back')::int = (SELECT count(*) FROM attack.held) - (SELECT count(*) FROM attack.held_release)
	AND (e -> 'risk' -> 'residual' ->> 'people')::int = (SELECT count(*) FROM attack.held_release), 'classes that are held back are not attacked in the evidence')
FROM anonopt.evidence('attack.held_release') e;
SELECT isnt((SELECT count(*) FROM attack.held_release), (SELECT count(*) FROM attack.held), 'some are held back');
-- A class that is not held back, but thinned, since some left and more came: who waits for it is in the source, and not shown
CREATE FUNCTION attack.thinned(gone int, came int) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	e jsonb;
	shown bigint;
BEGIN
	PERFORM anonopt.drop_release('attack.held_release');
	PERFORM anonopt.forget_release(id => id) FROM anonopt.published WHERE name = 'attack.held_release';
	TRUNCATE attack.held;
	INSERT INTO attack.held SELECT i AS id, i % 2 AS q1, i % 5 AS q2, i / 2 % 5 AS s FROM generate_series(1, 60) i;
	PERFORM anonopt.publish_table('attack.held_release', 'held', levels => '{0,2}', k => 3);
	FOR n IN 1 .. 3 LOOP
		DELETE FROM attack.held WHERE id IN (SELECT id FROM attack.held WHERE q1 = 0 ORDER BY random() LIMIT gone);
		INSERT INTO attack.held SELECT 1000 * n + i, 0, i % 5, attack.below(6) FROM generate_series(1, came) i;
		PERFORM anonopt.refresh_release('attack.held_release', hold_back => true);
		e := anonopt.evidence('attack.held_release');
		SELECT count(*) INTO shown FROM attack.held_release;
		RETURN QUERY SELECT format('%s gone, %s come, night %s: %s shown of %s, evidence says %s, attacks %s', gone, came, n, shown, (SELECT count(*) FROM attack.held), e -> 'risk' -> 'residual' -> 'people', q -> 'people')
		FROM jsonb_array_elements(coalesce(nullif(e -> 'questions' -> 'singling_out', '[]'), '[null]')) q
		WHERE (e -> 'risk' -> 'residual' ->> 'people')::bigint <> shown OR (q ->> 'people')::bigint <> shown;
	END LOOP;
END $$;
SET client_min_messages = error;
SELECT setseed(.1);
SELECT is_empty($$SELECT attack.thinned(g, c) FROM generate_series(1, 3) g, generate_series(3, pg_temp.few(48), 3) c$$, 'nobody who is left out of a thinned class is counted');
SELECT * FROM finish();
ROLLBACK;
