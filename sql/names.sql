-- Names that do harm if they are pasted into a statement.
SET search_path = public;
CREATE SCHEMA "S; DROP";
CREATE TABLE "S; DROP"."x'; DROP TABLE y; --" ("B c" int, "sel""ect" text, "  " text);
INSERT INTO "S; DROP"."x'; DROP TABLE y; --" VALUES (1, 'a', 'u'), (1, 'b', 'v'), (2, 'a', 'u');
CREATE TABLE y (still int);
SELECT anonopt.create_dataset('d'' "; --', '"S; DROP"."x''; DROP TABLE y; --"');
SELECT anonopt.create_interval_hierarchy('"S; DROP"."B c"', 0, 9, '{5}');
SELECT anonopt.create_mask_hierarchy('"S; DROP"."it''s "" quoted"', '"S; DROP"."x''; DROP TABLE y; --"', 'sel"ect', '''');
SELECT anonopt.add_quasi_identifier('d'' "; --', 'B c', '"S; DROP"."B c"');
SELECT anonopt.add_quasi_identifier('d'' "; --', 'sel"ect', '"S; DROP"."it''s "" quoted"');
SELECT anonopt.add_sensitive('d'' "; --', '  ');
SELECT levels, k, l, classes FROM anonopt.lattice('d'' "; --') ORDER BY levels;
SELECT * FROM anonopt.describe('d'' "; --');
SELECT * FROM anonopt.node_detail('d'' "; --', '{1,1}');
SELECT * FROM anonopt.suppressed_classes('d'' "; --', '{0,0}', k => 2, l => 2, t => 0.1);
SELECT anonopt.k_anonymity('"S; DROP"."x''; DROP TABLE y; --"', '{"B c"}');
SELECT column_name, hierarchy, levels FROM anonopt.auto_dataset('auto', '"S; DROP"."x''; DROP TABLE y; --"', ARRAY['B c', 'sel"ect']::name[]);
-- 63 bytes of UTF-8
CREATE TABLE ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffäf (äääääääääääääääääääääääääääääää int);
INSERT INTO ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffäf VALUES (1), (2);
SELECT column_name, hierarchy, levels FROM anonopt.auto_dataset('long', 'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffäf',
	'{äääääääääääääääääääääääääääääää}');
SELECT levels, k FROM anonopt.lattice('long') ORDER BY levels;
-- the caller's own operators and functions are not used
CREATE SCHEMA hostile;
CREATE FUNCTION hostile.eq(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT 1/0 > 0';
CREATE OPERATOR hostile.= (LEFTARG = text, RIGHTARG = text, FUNCTION = hostile.eq);
CREATE FUNCTION hostile.count(int) RETURNS bigint LANGUAGE sql AS 'SELECT 1/0::bigint';
CREATE FUNCTION hostile.floor(numeric) RETURNS numeric LANGUAGE sql AS 'SELECT 1/0::numeric';
SET search_path = hostile, pg_catalog, public;
SELECT levels, k FROM anonopt.evaluate('d'' "; --', '{1,1}');
SELECT anonopt.create_interval_hierarchy('public.calm_h', 0, 4, '{5}') \g /dev/null
SELECT * FROM anonopt.check_hierarchy('calm_h');
SELECT * FROM anonopt.describe('long');
SET search_path = public;
SELECT anonopt.drop_dataset(dataset) FROM anonopt.dataset \g /dev/null
TABLE y;
DROP SCHEMA hostile, "S; DROP" CASCADE;
