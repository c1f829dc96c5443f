-- proofs_data.sql: a table whose lattice has 85,030,560 nodes
--
-- Sixteen columns of 73,489 people: two of six levels, one of five, three of two and ten of three.
-- People are of 4,000 kinds, common ones and rare ones; in each column a fifth goes its own way.

CREATE TABLE many_column (number int PRIMARY KEY, leaves int NOT NULL, widths bigint[] NOT NULL);
INSERT INTO many_column VALUES
	(1, 100, '{5,10,20,40}'), (2, 64, '{4,8,16,32}'), (3, 40, '{5,10,20}'),
	(4, 2, '{}'), (5, 2, '{}'), (6, 5, '{}'),
	(7, 9, '{3}'), (8, 16, '{4}'), (9, 6, '{3}'), (10, 24, '{6}'), (11, 15, '{5}'),
	(12, 12, '{4}'), (13, 20, '{5}'), (14, 30, '{10}'), (15, 8, '{4}'), (16, 18, '{6}');

-- A number from 0 to below 1, the same in every run
CREATE FUNCTION part_of_one(row_number int, column_number int) RETURNS float8
LANGUAGE sql IMMUTABLE AS $$
	SELECT (('x' || left(md5(row_number || '.' || column_number), 7))::bit(28)::int) / 268435456.0::float8
$$;

-- The value of a kind or of a person: small ones are common
CREATE FUNCTION value_of(who int, column_number int, leaves int) RETURNS int
LANGUAGE sql IMMUTABLE AS $$
	SELECT floor(leaves * part_of_one(who, column_number) ^ 2.5)::int
$$;

SELECT format('CREATE TABLE many AS SELECT %s FROM (SELECT i, -1 - floor(4000 * part_of_one(i, 0) ^ 3)::int AS kind'
		' FROM generate_series(1, 73489) AS i) AS person',
	string_agg(format('value_of(CASE WHEN part_of_one(i, 100 + %s) < 0.2 THEN i ELSE kind END, %1$s, %s) AS c%1$s',
		number, leaves), ', ' ORDER BY number))
FROM many_column \gexec
