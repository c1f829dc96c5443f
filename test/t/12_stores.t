#!/usr/bin/env perl
#
# Tuple stores: whatever happens to a relation, its store equals a recount, or
# is not used and describe() says so; and a store does not show more than the
# relation does, nor allow more.

use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Server;
use Test::More;

my $scratch = PostgreSQL::Test::Utils::tempdir;
my $ways = '(?:INSERT|UPDATE|DELETE|TRUNCATE)';

my $node = Server->new('stores');
$node->init(allows_streaming => 'logical');
$node->append_conf('postgresql.conf', <<'END');
max_prepared_transactions = 2
deadlock_timeout = 200ms
END
$node->start;
make_helpers();

check_statements();
check_transactions();
check_moments();
check_old_snapshots();
check_values();
check_its_table();
check_relations_that_change();
check_columns_that_change();
check_triggers();
check_relatives();
check_kinds();
check_counting_and_dropping();
check_rights();
check_attacks();
check_names();
check_isolation();
check_writers();
check_load();
check_replication();
check_dump();
check_crash();
$node->stop;
done_testing();

# ------------------------------------------------------------------- what is asked

# state(d) is "kept" where the store of d is read, equals a recount and gives the
# answers that the relation gives; "read: why" where the relation is read instead.
sub make_helpers
{
	$node->safe_psql('postgres', <<'END');
CREATE EXTENSION anonopt;
GRANT CREATE ON SCHEMA public TO PUBLIC;
CREATE ROLE owner; CREATE ROLE reader; CREATE ROLE stranger; CREATE ROLE heir;

SELECT anonopt.create_interval_hierarchy('ages', 0, 99, '{5,10,50}'), anonopt.create_interval_hierarchy('bands', 0, 9, '{5}');
CREATE TABLE towns (town text PRIMARY KEY, region text, anything text);
INSERT INTO towns SELECT 'T' || i, 'R' || i / 3, '*' FROM generate_series(0, 9) i;
CREATE TABLE illnesses (illness text PRIMARY KEY, kind text, anything text);
INSERT INTO illnesses SELECT 'I' || i, 'K' || i / 2, '*' FROM generate_series(0, 5) i;
GRANT SELECT ON ages, bands, towns, illnesses TO PUBLIC;

-- A relation with a generated column, rows and a data set of its name.
CREATE PROCEDURE make(name text, kind text DEFAULT '') LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE %s TABLE %I (id int, age int, town text, ill text, paid boolean, band int GENERATED ALWAYS AS (age / 10) STORED)', kind, name);
	EXECUTE format('INSERT INTO %I SELECT i, 20 + i %% 23, nullif(''T'' || i %% 7, ''T3''), nullif(''I'' || i * i %% 6, ''I4''), i %% 3 = 0
		FROM generate_series(1, 400) i', name);
	PERFORM declare(name, format('%I', name)::regclass);
END $$;
CREATE FUNCTION declare(name text, relation regclass) RETURNS void LANGUAGE sql AS $$
	SELECT anonopt.create_dataset(name, relation, 0), anonopt.add_quasi_identifier(name, 'age', 'ages'),
		anonopt.add_quasi_identifier(name, 'town', 'towns'), anonopt.add_quasi_identifier(name, 'band', 'bands'),
		anonopt.add_sensitive(name, 'ill', 'hierarchical', 'illnesses'), anonopt.set_class_label(name, 'paid')
$$;

CREATE FUNCTION answers(d text, mode text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	answer text;
BEGIN
	PERFORM set_config('anonopt.read_mode', mode, true);
	SELECT md5(string_agg(x::text, E'\n' ORDER BY x::text)) INTO answer FROM anonopt.lattice(d) x;
	PERFORM set_config('anonopt.read_mode', 'auto', true);
	RETURN answer;
END $$;

CREATE FUNCTION differing_tuples(store regclass, relation regclass) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	columns text := (SELECT string_agg(quote_ident(attname) || CASE WHEN attcollation <> 0 THEN ' COLLATE "C"' ELSE '' END, ', ') FROM pg_attribute
		WHERE attrelid = store AND attnum > 0 AND attnum < (SELECT relnatts FROM pg_class WHERE oid = store));
	counts text := (SELECT quote_ident(attname) FROM pg_attribute JOIN pg_class c ON c.oid = attrelid WHERE attrelid = store AND attnum = relnatts);
	n bigint;
BEGIN
	EXECUTE format('SELECT count(*) FROM (SELECT 1 FROM (SELECT %1$s, %4$s AS counts FROM %2$s UNION ALL SELECT %1$s, -1 FROM %3$s) u
		GROUP BY %1$s HAVING sum(counts) <> 0) d', columns, store, relation, counts) INTO n;
	RETURN n;
END $$;

CREATE FUNCTION state(d text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	store regclass;
	why text;
	used boolean;
BEGIN
	IF answers(d, 'auto') IS DISTINCT FROM answers(d, 'aggregate') THEN
		RETURN 'WRONG ANSWERS';
	END IF;
	SELECT hierarchy, problem INTO store, why FROM anonopt.describe(d) WHERE role = 'tuple_store';
	IF NOT FOUND THEN
		RETURN CASE WHEN anonopt.read_sql(d) ~ 'stored_tuples' THEN 'USED ALTHOUGH THERE IS NONE' ELSE 'no store' END;
	END IF;
	used := anonopt.read_sql(d) ~ 'stored_tuples';
	RETURN CASE WHEN used AND differing_tuples(store, (SELECT relation FROM anonopt.dataset WHERE dataset = d)) > 0 THEN 'WRONG STORE'
		WHEN used AND why IS NULL THEN 'kept' WHEN used THEN 'USED ALTHOUGH ' || why ELSE 'read: ' || coalesce(why, 'NOBODY SAYS WHY') END;
END $$;
END
}

# What statements print, or the error that ended them.
sub sql { return sql_in('postgres', $_[0]) }

sub sql_in
{
	my ($database, $sql) = @_;
	my ($status, $printed, $error) = $node->psql($database, $sql);
	return $status == 0 ? $printed : $error;
}

# What an error says first, or nothing.
sub error_of
{
	my ($sql) = @_;
	my ($status, $printed, $error) = $node->psql('postgres', $sql, extra_params => [ '-v', 'VERBOSITY=verbose' ]);
	return $error =~ /(?:ERROR|FATAL):\s+(.*)/ ? $1 : '';
}

sub as_role { return "SET ROLE $_[0];\n$_[1];\nRESET ROLE;\n" }

# The table of a store, as the catalog numbers it
sub table_of
{
	my ($name) = @_;
	return sql("SELECT 'anonopt_tuples_' || number FROM anonopt.tuple_store WHERE dataset = '$name'");
}

sub trigger_of
{
	my ($name, $kind) = @_;
	return sql("SELECT 'anonopt_store_' || number || '_$kind' FROM anonopt.tuple_store WHERE dataset = '$name'");
}

sub make_tracked
{
	my ($name, $kind) = @_;
	sql("CALL make('$name', '" . ($kind // '') . "'); SELECT anonopt.create_tuple_store('$name', true)");
}

# A state after statements that must succeed.
sub state_is
{
	my ($name, $sql, $expected, $what) = @_;
	my $error = error_of($sql);
	my $state = $error ? "failed: $error" : sql("SELECT state('$name')");

	return ref $expected ? like($state, $expected, $what) : is($state, $expected, $what);
}

# --------------------------------------------------------------------- statements

sub check_statements
{
	make_tracked('people');
	is(sql("SELECT state('people')"), 'kept', 'a store just made');
	my @statements = (
		['INSERT', "INSERT INTO people VALUES (401, 30, 'T1', 'I1', true), (402, 30, 'T1', 'I1', true), (403, NULL, NULL, NULL, NULL)"],
		['INSERT of no row', 'INSERT INTO people SELECT 1, 2 WHERE false'],
		['UPDATE of what is declared', "UPDATE people SET age = age + 1, town = 'T2' WHERE id % 5 = 0"],
		['UPDATE of something else', 'UPDATE people SET id = id + 1000'],
		['UPDATE of a generated column', 'UPDATE people SET age = 9 WHERE id % 7 = 0'],
		['UPDATE to NULL and back', "UPDATE people SET ill = NULL WHERE id % 3 = 0; UPDATE people SET ill = 'I5' WHERE ill IS NULL"],
		['DELETE', 'DELETE FROM people WHERE id % 11 = 0'],
		['DELETE with USING', "DELETE FROM people USING towns WHERE towns.town = people.town AND region = 'R2'"],
		['two statements in one', "WITH gone AS (DELETE FROM people WHERE id % 13 = 0 RETURNING *)
			INSERT INTO people SELECT id, age + 1, town, ill, paid FROM gone"],
		['three statements in one', "WITH a AS (INSERT INTO people VALUES (1, 1, 'T1', 'I1')), b AS (INSERT INTO people VALUES (2, 2, 'T1', 'I1')),
			c AS (UPDATE people SET age = 50 WHERE id % 17 = 0) DELETE FROM people WHERE id % 19 = 0"],
		['COPY', "COPY people (id, age, town, ill) FROM PROGRAM 'echo 7,33,T4,I2; echo 8,33,T4,I2' (FORMAT csv)"],
		['COPY of many rows', "COPY people (id, age) FROM PROGRAM 'seq -s \"\n\" 1 3000 | sed ''s/\$/,44/''' (FORMAT csv)"],
		['ON CONFLICT', "DELETE FROM people WHERE ctid NOT IN (SELECT min(ctid) FROM people GROUP BY id); ALTER TABLE people ADD PRIMARY KEY (id);
			INSERT INTO people SELECT id + 1, age, 'T6', ill FROM people ON CONFLICT (id) DO UPDATE SET town = 'T5', age = excluded.age + 2;
			INSERT INTO people SELECT id, age FROM people ON CONFLICT DO NOTHING"],
		['a cursor', "BEGIN; DECLARE c CURSOR FOR SELECT * FROM people FOR UPDATE; FETCH 3 FROM c;
			DELETE FROM people WHERE CURRENT OF c; FETCH c; UPDATE people SET age = 61 WHERE CURRENT OF c; COMMIT"],
		['TRUNCATE', "TRUNCATE people; INSERT INTO people VALUES (1, 20, 'T1', 'I1', true), (2, 21, 'T2', 'I2', false)"],
		['TRUNCATE of nothing and twice', 'BEGIN; TRUNCATE people; TRUNCATE people; COMMIT'],
		['rows after it', "INSERT INTO people SELECT i, i % 90, 'T' || i % 8, 'I' || i % 5 FROM generate_series(1, 500) i"],
		['VACUUM and ANALYZE', 'VACUUM ANALYZE people']);
	push @statements, ['MERGE', "MERGE INTO people p USING (SELECT id * 2 AS id, age FROM people) s ON p.id = s.id
		WHEN MATCHED AND p.id % 3 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET age = s.age, town = NULL
		WHEN NOT MATCHED THEN INSERT (id, age, town) VALUES (s.id, s.age, 'T0')"] if sql('SHOW server_version_num') >= 150000;
	state_is('people', $_->[1], 'kept', $_->[0]) for @statements;

	make_tracked('ruled');
	state_is('ruled', <<'END', 'kept', 'rules and views that are written through');
CREATE VIEW young AS SELECT * FROM ruled WHERE age < 40;
CREATE RULE also AS ON INSERT TO ruled DO ALSO UPDATE ruled SET age = 77 WHERE ruled.id = 5;
CREATE RULE instead AS ON DELETE TO ruled WHERE old.id < 10 DO INSTEAD UPDATE ruled SET town = 'T9' WHERE id = old.id;
INSERT INTO ruled (id, age) VALUES (5, 5), (6, 6);
DELETE FROM ruled WHERE id < 20;
INSERT INTO young (id, age, town) VALUES (900, 31, 'T1'); UPDATE young SET ill = 'I0'; DELETE FROM young WHERE town = 'T2';
END
	make_tracked('follower');
	state_is('follower', <<'END', 'kept', 'cascades of foreign keys');
CREATE TABLE leader (id int PRIMARY KEY, town text UNIQUE);
INSERT INTO leader SELECT i, CASE WHEN i < 10 THEN 'T' || i END FROM generate_series(0, 400) i;
ALTER TABLE follower ADD FOREIGN KEY (id) REFERENCES leader ON DELETE CASCADE ON UPDATE CASCADE,
	ADD FOREIGN KEY (town) REFERENCES leader (town) ON UPDATE CASCADE ON DELETE SET NULL;
DELETE FROM leader WHERE id BETWEEN 20 AND 90; DELETE FROM leader WHERE id = 5;
UPDATE leader SET id = id + 1000 WHERE id > 300; UPDATE leader SET town = 'T9' WHERE town = 'T1' AND NOT EXISTS (SELECT FROM leader WHERE town = 'T9');
UPDATE leader SET town = 'T8' WHERE id = 8; INSERT INTO leader VALUES (5000); TRUNCATE leader CASCADE;
END
	make_tracked('meddled');
	state_is('meddled', <<'END', 'kept', 'triggers that change rows, skip them and write again');
CREATE FUNCTION meddle() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	new.town := 'T2';
	RETURN CASE WHEN new.id % 2 = 0 THEN new END;
END $$;
CREATE FUNCTION echo() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO meddled (id, age) SELECT new.id + 10001, new.age WHERE new.id < 10000;
	UPDATE meddled SET age = age + 1 WHERE id = new.id - 10;
	RETURN NULL;
END $$;
CREATE TRIGGER a BEFORE INSERT ON meddled FOR EACH ROW EXECUTE FUNCTION meddle();
CREATE TRIGGER z AFTER INSERT ON meddled FOR EACH ROW EXECUTE FUNCTION echo();
INSERT INTO meddled (id, age) SELECT i, 30 FROM generate_series(500, 530) i;
END
	state_is('meddled', "DROP TRIGGER a ON meddled; ALTER TABLE meddled ENABLE TRIGGER z; INSERT INTO meddled (id, age) VALUES (9000, 3)", 'kept',
		'a row that another trigger adds');
	make_tracked('replica');
	state_is('replica', "SET session_replication_role = replica; UPDATE replica SET age = 1 WHERE id < 99; DELETE FROM replica WHERE id > 300",
		'kept', 'session_replication_role = replica');
}

sub check_transactions
{
	make_tracked('tx');
	state_is('tx', 'BEGIN; DELETE FROM tx; ROLLBACK', 'kept', 'a rollback');
	state_is('tx', 'BEGIN; TRUNCATE tx; INSERT INTO tx (id, age) VALUES (1, 1); ROLLBACK', 'kept', 'a TRUNCATE that is rolled back');
	state_is('tx', <<'END', 'kept', 'savepoints');
BEGIN;
DELETE FROM tx WHERE id < 50;
SAVEPOINT a; UPDATE tx SET age = 1; ROLLBACK TO a;
SAVEPOINT b; INSERT INTO tx (id, age) VALUES (1, 5); SAVEPOINT c; TRUNCATE tx; ROLLBACK TO c; RELEASE b;
COMMIT;
END
	is(sql(<<'END'), "kept\nkept\nkept", 'within a transaction, what it did itself counts');
BEGIN;
UPDATE tx SET town = 'T0';
SELECT state('tx');
TRUNCATE tx;
SELECT state('tx');
INSERT INTO tx (id, age) VALUES (1, 5);
SELECT state('tx');
COMMIT;
END
	state_is('tx', "DO \$\$ BEGIN INSERT INTO tx (id, age) VALUES (1, 6); PERFORM 1 / 0; EXCEPTION WHEN division_by_zero THEN NULL; END \$\$",
		'kept', 'an error that is caught');
	state_is('tx', "BEGIN; INSERT INTO tx (id, age) VALUES (1, 6); PREPARE TRANSACTION 'p'", 'kept', 'a prepared transaction, before it is committed');
	state_is('tx', "COMMIT PREPARED 'p'", 'kept', 'and after');
	state_is('tx', "BEGIN; DELETE FROM tx; PREPARE TRANSACTION 'q'; ROLLBACK PREPARED 'q'", 'kept', 'one that is rolled back');
	make_tracked('watched');
	is(sql(<<'END'), "f\nkept", 'a trigger that reads while rows are counted never gets a wrong answer');
CREATE TABLE seen (state text);
CREATE FUNCTION watch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO seen SELECT state('watched'); RETURN NULL; END $$;
CREATE TRIGGER a AFTER INSERT ON watched FOR EACH ROW EXECUTE FUNCTION watch();
CREATE TRIGGER aa AFTER INSERT ON watched EXECUTE FUNCTION watch();
INSERT INTO watched (id, age) VALUES (1, 1);
SELECT bool_or(state LIKE 'WRONG%') FROM seen;
SELECT state('watched');
END
}

# Moments when a write is visible but its count is not: no answer is ever
# wrong.
sub check_moments
{
	make_tracked($_) for qw(cascaded cursed emptied);
	is(sql(<<'END'), "f\nread: a statement or trigger of this session has not ended\nkept", 'between a cascade and its count');
CREATE TABLE master (id int PRIMARY KEY);
INSERT INTO master SELECT generate_series(0, 400);
ALTER TABLE cascaded ADD FOREIGN KEY (id) REFERENCES master ON DELETE CASCADE;
CREATE TABLE seen_then (state text);
CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO seen_then SELECT state('cascaded'); RETURN NULL; END $$;
CREATE TRIGGER z AFTER DELETE ON master FOR EACH ROW EXECUTE FUNCTION look();
DELETE FROM master WHERE id BETWEEN 20 AND 25;
SELECT bool_or(state LIKE 'WRONG%') FROM seen_then;
SELECT DISTINCT state FROM seen_then;
SELECT state('cascaded');
END
	is(sql(<<'END'), "398|398\nkept", 'a cursor that a trigger opened between a write and its count');
CREATE FUNCTION people_of(d text) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
	PERFORM FROM anonopt.lattice(d);
	RETURN (SELECT rows FROM anonopt.last_search());
END $$;
CREATE FUNCTION open_cursor() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	kept CURSOR FOR SELECT (SELECT count(*) FROM cursed), people_of('cursed');
BEGIN
	PERFORM set_config('application_name', 'x', true);
	INSERT INTO seen_then VALUES ('x');
	kept := 'kept';
	OPEN kept;
	RETURN NULL;
END $$;
CREATE TRIGGER a AFTER DELETE ON cursed EXECUTE FUNCTION open_cursor();
BEGIN;
DELETE FROM cursed WHERE id < 3;
FETCH FROM kept;
COMMIT;
SELECT state('cursed');
END
	like(sql(<<'END'), qr/pending trigger events/, 'PostgreSQL lets nobody TRUNCATE between a cascade and its count');
DELETE FROM emptied WHERE id NOT IN (SELECT id FROM master);
ALTER TABLE emptied ADD FOREIGN KEY (id) REFERENCES master ON DELETE CASCADE;
CREATE FUNCTION sweep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN TRUNCATE emptied; RETURN NULL; END $$;
DROP TRIGGER z ON master;
CREATE TRIGGER z AFTER DELETE ON master EXECUTE FUNCTION sweep();
DELETE FROM master WHERE id BETWEEN 30 AND 35;
END
	is(sql("SELECT state('emptied')"), 'kept', 'and it stays kept');
	make_tracked('at once');
	is(sql(<<'END'), "t\nkept", 'a statement that writes and reads');
WITH w AS (DELETE FROM "at once" WHERE id < 99 RETURNING 1) SELECT answers('at once', 'auto') = answers('at once', 'aggregate') FROM w LIMIT 1;
SELECT state('at once');
END
	is(sql(<<'END'), "read: its triggers have been changed, disabled or dropped\nkept", 'what one transaction does and undoes');
CALL make('undoing');
BEGIN;
SELECT FROM anonopt.create_tuple_store('undoing', true);
ALTER TABLE undoing DISABLE TRIGGER ALL;
DELETE FROM undoing WHERE id < 50;
DO $$ DECLARE t record; BEGIN
	FOR t IN SELECT tgname FROM pg_trigger WHERE tgrelid = 'undoing'::regclass AND tgfoid = 'anonopt.count_changes'::regproc LOOP
		EXECUTE format('ALTER TABLE undoing ENABLE ALWAYS TRIGGER %I', t.tgname);
	END LOOP;
END $$;
SELECT state('undoing');
COMMIT;
BEGIN;
SELECT FROM anonopt.refresh_tuple_store('undoing');
SAVEPOINT s; ALTER TABLE undoing DISABLE TRIGGER ALL; DELETE FROM undoing; ROLLBACK TO s;
COMMIT;
SELECT state('undoing');
END
	like(error_of("SELECT anonopt.refresh_tuple_store('at once') FROM \"at once\""), qr/^55006: /, 'refused: counting what a statement is reading');
	like(error_of("BEGIN READ ONLY; SELECT anonopt.$_('at once')"), qr/^25006: /, "refused in a transaction that only reads: $_")
	  for qw(create_tuple_store refresh_tuple_store drop_tuple_store);
	is(sql("BEGIN; SELECT count(*) > 0 FROM anonopt.pareto('at once');
		SELECT pg_stat_get_xact_numscans('\"at once\"'::regclass); COMMIT"), "t\n0", 'pareto does not look at a row');
	is(sql("SELECT count(*) > 0 FROM anonopt.pareto('at once'); SELECT rows = (SELECT count(*) FROM \"at once\"), tuples < rows FROM anonopt.last_search()"), "t\nt|t",
		'and knows how many there are');
}

# Sessions whose snapshot is older than what others have done since.
sub check_old_snapshots
{
	my %since = (
		'created' => "SELECT anonopt.create_tuple_store('NAME', true)",
		'created, and written' => "SELECT anonopt.create_tuple_store('NAME', true); DELETE FROM NAME WHERE id < 99",
		'refreshed' => "SELECT anonopt.create_tuple_store('NAME', true); ALTER TABLE NAME DISABLE TRIGGER ALL; DELETE FROM NAME WHERE id < 50 --
			SELECT anonopt.refresh_tuple_store('NAME')",
		'refreshed after a doubt' => "SELECT anonopt.create_tuple_store('NAME', true); CREATE TABLE NAME_child () INHERITS (NAME); UPDATE NAME SET age = 3; DROP TABLE NAME_child; ANALYZE NAME --
			SELECT anonopt.refresh_tuple_store('NAME')",
		'truncated' => "SELECT anonopt.create_tuple_store('NAME', true) -- TRUNCATE NAME; INSERT INTO NAME (id, age) VALUES (1, 1)",
		'dropped' => "SELECT anonopt.create_tuple_store('NAME', true) -- SELECT anonopt.drop_tuple_store('NAME')",
		'dropped and created' => "SELECT anonopt.create_tuple_store('NAME', true) -- DELETE FROM NAME WHERE id < 9; SELECT anonopt.drop_tuple_store('NAME');
			SELECT anonopt.create_tuple_store('NAME', true)");
	my $n = 0;

	for my $what (sort keys %since)
	{
		my $name = 'old' . ++$n;
		my ($before, $after) = $since{$what} =~ / --\s/ ? split(/ --\s/, $since{$what}) : ('SELECT 1', $since{$what});
		sql("CALL make('$name'); INSERT INTO $name (id, age) VALUES (77, 7)");
		is(error_of($before =~ s/NAME/$name/gr), '', "$what: before");
		my @sessions = map { $node->background_psql('postgres', on_error_stop => 0) } 1 .. 2;
		$_->query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1;') for @sessions;
		is(error_of($after =~ s/NAME/$name/gr), '', "$what: after");
		is($sessions[0]->query("SELECT answers('$name', 'auto') IS NOT DISTINCT FROM answers('$name', 'aggregate');"), 't', "a reader with an older snapshot than a store's that was $what");
		$sessions[0]->query('COMMIT;');
		$sessions[1]->query("INSERT INTO $name (id, age) VALUES (78, 8); SAVEPOINT a; TRUNCATE $name; ROLLBACK TO a; INSERT INTO $name (id, age) VALUES (79, 9);");
		is($sessions[1]->query("SELECT answers('$name', 'auto') = answers('$name', 'aggregate');"), 't', "a writer with one: $what");
		$sessions[1]->query('COMMIT;');
		$_->quit for @sessions;
		is(sql("SELECT state('$name')"), $what eq 'dropped' ? 'no store' : 'kept', "$what: every write is counted");
	}
	make_tracked('swept');
	my $session = $node->background_psql('postgres', on_error_stop => 0);
	$session->query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1;');
	sql("TRUNCATE swept; INSERT INTO swept (id, age) VALUES (1, 1)");
	like($session->query("TRUNCATE swept; INSERT INTO swept (id, age) VALUES (2, 2); SELECT state('swept'); COMMIT;"), qr/^read: /, 'an older snapshot truncates');
	$session->quit;
	is(sql("SELECT state('swept')"), 'kept', 'and commits');

	# counted twice, by another and by itself, under a snapshot that is older than both
	make_tracked('recounted');
	$session = $node->background_psql('postgres', on_error_stop => 0);
	for my $level ('REPEATABLE READ', 'SERIALIZABLE')
	{
		$session->query("BEGIN ISOLATION LEVEL $level; SELECT 1;");
		sql("INSERT INTO recounted (id, age) VALUES (1, 1); SELECT anonopt.refresh_tuple_store('recounted')");
		is($session->query("SELECT anonopt.refresh_tuple_store('recounted'); SELECT state('recounted');"), "\nread: this transaction has counted it", "$level: an older snapshot counts");
		$session->query('COMMIT;');
		is(sql("SELECT state('recounted')"), 'kept', 'and commits');
	}
	$session->quit;
}

# Values that are told apart in ways of their own.
sub check_values
{
	state_is('odd values', <<'END', 'kept', 'types and values of all kinds');
CREATE COLLATION lax (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE DOMAIN grade AS int CHECK (VALUE < 100);
CREATE DOMAIN loud AS text COLLATE lax;
CREATE TYPE mood AS ENUM ('low', 'high');
CREATE TABLE odd (id int, age grade, lax text COLLATE lax, loud loud, padded char(5), amount numeric(8, 3), share float8, mood mood, long text, label name,
	span int4range, "n" int, "n_" varchar(3), at timestamptz(0), list int[]);
CREATE FUNCTION odd_row(i int) RETURNS odd LANGUAGE sql AS $$
	SELECT i, i % 40, CASE i % 3 WHEN 0 THEN 'Jane' WHEN 1 THEN 'jane' END, CASE i % 4 WHEN 0 THEN 'A' WHEN 1 THEN 'a' END, 'ab' || repeat(' ', i % 3),
		CASE WHEN i % 2 = 0 THEN 1.5 ELSE 1.50 END, CASE i % 5 WHEN 0 THEN float8 '-0' WHEN 1 THEN 0 WHEN 2 THEN float8 'NaN' WHEN 3 THEN 'infinity' ELSE i END,
		CASE i % 3 WHEN 0 THEN 'low'::mood WHEN 1 THEN 'high' END, (SELECT string_agg(md5((i % 5 || 'x' || j)), '') FROM generate_series(1, 400) j), 'l' || i % 3,
		int4range(i % 3, i % 7 + 3), i % 2, i % 3, '2020-01-01'::timestamptz + i % 2 * interval '1 day', ARRAY[i % 2, NULL]
$$;
INSERT INTO odd SELECT (odd_row(i)).* FROM generate_series(1, 60) i;
SELECT anonopt.create_dataset('odd values', 'odd', 0), anonopt.add_quasi_identifier('odd values', 'age', 'ages'), anonopt.set_class_label('odd values', 'mood');
SELECT anonopt.add_sensitive('odd values', c) FROM unnest('{lax,loud,padded,amount,share,long,label,span,n,n_,at,list}'::name[]) c;
SELECT anonopt.create_tuple_store('odd values', true);
END
	return if sql("SELECT state('odd values')") ne 'kept';
	state_is('odd values', $_->[0], 'kept', "odd values: $_->[1]") for (
		['INSERT INTO odd SELECT (odd_row(i)).* FROM generate_series(30, 90) i', 'many'],
		['INSERT INTO odd SELECT (odd_row(7)).*', 'one'],
		["UPDATE odd SET padded = 'ab', amount = 1.500 WHERE id < 40", 'equal and not the same'],
		["UPDATE odd SET lax = upper(lax), share = -share WHERE id > 50", 'different by their bytes'],
		["UPDATE odd SET lax = 'JANE' WHERE id = 7", 'one row by its bytes'],
		['DELETE FROM odd WHERE id % 3 = 0', 'deleted'],
		['DELETE FROM odd WHERE id = 7', 'one deleted'],
		['UPDATE odd SET age = NULL, long = NULL', 'all NULL']);
	is(error_of("UPDATE odd SET age = 5; ALTER DOMAIN grade ADD CHECK (VALUE = 5); ALTER TYPE mood RENAME VALUE 'low' TO 'lower'"), '',
		'a domain may get a check that what was counted before would break');
	is(sql("SELECT state('odd values')"), 'kept', 'and a value another name');
	like(error_of("CREATE TABLE unequal (age int, j json); SELECT anonopt.create_dataset('unequal', 'unequal'), anonopt.add_quasi_identifier('unequal', 'age', 'ages'),
		anonopt.add_sensitive('unequal', 'j'); SELECT anonopt.create_tuple_store('unequal')"), qr/^42883: /, 'refused: values that cannot be compared');
}

# The owner of the store's table may do anything with it: writes continue to work, and a changed table is not trusted.
sub check_its_table
{
	my @changes = ('ALTER TABLE TABLE ADD COLUMN more int', 'ALTER TABLE TABLE DROP COLUMN ill', 'ALTER TABLE TABLE ALTER age TYPE bigint', 'CREATE INDEX ON TABLE (n)',
		'UPDATE TABLE SET town = age::text, age = 1 WHERE town IS NULL; ALTER TABLE TABLE ALTER age SET NOT NULL', 'ALTER TABLE TABLE OWNER TO heir',
		'ALTER TABLE TABLE ENABLE ROW LEVEL SECURITY', 'ALTER TABLE TABLE SET UNLOGGED', 'CREATE RULE r AS ON INSERT TO TABLE DO INSTEAD NOTHING',
		'CREATE TABLE heirloom () INHERITS (TABLE)', 'ALTER TABLE TABLE RENAME TO renamed_tuples');
	my $n = 0;

	for my $change (@changes)
	{
		my $name = 'table' . ++$n;
		make_tracked($name);
		my $table = table_of($name);
		is(error_of($change =~ s/TABLE(?! (?:TABLE|heirloom))/$table/gr =~ s/ALTER TABLE TABLE/ALTER TABLE $table/gr), '', $change);
		state_is($name, "INSERT INTO $name (id, age) SELECT i, NULL FROM generate_series(1, 50) i; UPDATE $name SET age = 3 WHERE id = 1; DELETE FROM $name WHERE id = 2",
			qr/^read: /, 'rows are written, and read');
		sql('DROP TABLE IF EXISTS heirloom');
		state_is($name, "SELECT anonopt.refresh_tuple_store('$name'); DELETE FROM $name WHERE id < 9", 'kept', 'and a refresh');
	}
}

# ------------------------------------------------------- relations that change shape

sub check_relations_that_change
{
	make_tracked($_) for qw(renamed moved rewritten clustered logged grown handed);
	state_is('renamed', 'ALTER TABLE renamed RENAME TO named; INSERT INTO named (id, age) VALUES (1, 1)', 'kept', 'renamed');
	state_is('moved', 'CREATE SCHEMA elsewhere; ALTER TABLE moved SET SCHEMA elsewhere; DELETE FROM elsewhere.moved WHERE id < 9',
		'kept', 'moved to another schema');
	state_is('rewritten', 'VACUUM FULL rewritten', qr/^read: .*rewritten/, 'VACUUM FULL');
	state_is('rewritten', "SELECT anonopt.refresh_tuple_store('rewritten'); UPDATE rewritten SET age = 4", 'kept', 'and a refresh');
	state_is('clustered', 'CREATE INDEX i ON clustered (age); CLUSTER clustered USING i; DELETE FROM clustered WHERE id < 30', qr/^read: .*rewritten/, 'CLUSTER');
	state_is('clustered', "SELECT anonopt.refresh_tuple_store('clustered')", 'kept', 'and a refresh');
	state_is('grown', "ALTER TABLE grown ADD COLUMN more int DEFAULT 4; UPDATE grown SET more = 5; DELETE FROM grown WHERE id < 9", 'kept', 'a column more');
	state_is('grown', "ALTER TABLE grown DROP COLUMN more; DELETE FROM grown WHERE id < 19", 'kept', 'and less');
	state_is('grown', "ALTER TABLE grown ALTER id TYPE bigint; DELETE FROM grown WHERE id < 29", qr/^read: .*rewritten/, 'another column has another type');
	state_is('handed', 'ALTER TABLE handed OWNER TO heir; INSERT INTO handed (id, age) VALUES (1, 1)', qr/^(?:kept|read: .+)$/, 'another owner');
	state_is('handed', 'TRUNCATE handed', qr/^(?:kept|read: .+)$/, 'another owner, and TRUNCATE');
	state_is('handed', as_role('heir', "INSERT INTO handed (id, age) VALUES (1, 1); TRUNCATE handed; INSERT INTO handed (id, age) VALUES (1, 1)"),
		qr/^(?:kept|read: .+)$/, 'the new owner writes');
	is(sql("SELECT relowner::regrole FROM pg_class WHERE oid = '" . table_of('handed') . "'::regclass"), 'postgres', 'the old owner still has what was counted before');
	state_is('handed', as_role('heir', "SELECT anonopt.refresh_tuple_store('handed')"), 'kept', 'the new owner counts anew');
	is(sql("SELECT relowner::regrole FROM pg_class WHERE oid = '" . table_of('handed') . "'::regclass"), 'heir', 'and has the table then');
	is(error_of(as_role('heir', "SELECT anonopt.drop_tuple_store('handed')")), '', 'and may drop it');
}

# Whatever happens to a column, rows can be written, and the store can be dropped and created
# again.
sub check_columns_that_change
{
	my %changes = (
		'renamed' => 'ALTER TABLE %1$s RENAME COLUMN ill TO illness',
		'dropped' => 'ALTER TABLE %1$s DROP COLUMN ill',
		'of another type' => 'ALTER TABLE %1$s ALTER ill TYPE varchar(30)',
		'of another collation' => 'ALTER TABLE %1$s ALTER ill TYPE text COLLATE "C"',
		'replaced' => 'ALTER TABLE %1$s DROP COLUMN ill; ALTER TABLE %1$s ADD COLUMN ill text',
		'of another kind' => 'ALTER TABLE %1$s ALTER ill TYPE int USING 4');
	my $n = 0;

	for (sort keys %changes)
	{
		my $name = 'shape' . ++$n;
		make_tracked($name);
		sql(sprintf $changes{$_}, $name);
		unlike(sql("SELECT state('$name')"), qr/WRONG|USED/, "a column $_: the store is not used");
		is(error_of("INSERT INTO $name (id, age) VALUES (1, 1); UPDATE $name SET age = 2; DELETE FROM $name WHERE id = 1; TRUNCATE $name;
			INSERT INTO $name (id, age) VALUES (1, 1)"), '', "a column $_: rows are written as ever");
		like(sql("SELECT problem FROM anonopt.describe('$name') WHERE role = 'tuple_store'"), qr/columns|rewritten|does not match/, "a column $_: describe tells");
		my $error = error_of("SELECT anonopt.refresh_tuple_store('$name')");
		like($error, qr/^(?:23514|0A000|)/, "a column $_: a refresh works or says what has changed");
		is(error_of("SELECT anonopt.drop_tuple_store('$name')"), '', "a column $_: the store is dropped");
	}
}

sub check_triggers
{
	make_tracked($_) for qw(disabled origin undone bereft);
	state_is('disabled', 'ALTER TABLE disabled DISABLE TRIGGER ALL; DELETE FROM disabled WHERE id < 20', qr/^read: .*trigger/, 'DISABLE TRIGGER ALL');
	state_is('disabled', 'ALTER TABLE disabled ' . join(', ', map { 'ENABLE ALWAYS TRIGGER ' . trigger_of('disabled', $_) } qw(insert update delete truncate)),
		qr/^read: /, 'triggers enabled again do not know what they missed');
	state_is('disabled', "SELECT anonopt.refresh_tuple_store('disabled')", 'kept', 'until a refresh');
	state_is('origin', 'ALTER TABLE origin ENABLE TRIGGER USER; SET session_replication_role = replica; DELETE FROM origin WHERE id < 20',
		qr/^read: .*trigger/, 'triggers that are not always enabled');
	state_is('undone', 'DROP TRIGGER ' . trigger_of('undone', 'delete') . ' ON undone; DELETE FROM undone', qr/^read: .*trigger/, 'a trigger that was dropped');
	state_is('bereft', 'DROP TABLE ' . table_of('bereft') . '; INSERT INTO bereft (id, age) VALUES (1, 1)', qr/^(?:no store|read: .+)$/, 'a store that was dropped by hand');
	is(error_of("SELECT anonopt.drop_tuple_store('bereft')"), '', 'what is left of it is dropped');
	state_is('bereft', "INSERT INTO bereft (id, age) VALUES (1, 1); SELECT anonopt.create_tuple_store('bereft', true)", 'kept', 'and made anew');
}

sub check_relatives
{
	make_tracked($_) for qw(parent child leaf);
	state_is('parent', 'CREATE TABLE young_one () INHERITS (parent); INSERT INTO young_one (id, age) VALUES (1, 1); DELETE FROM parent WHERE id < 9',
		qr/^read: .*children/, 'a child that came later');
	state_is('parent', 'DROP TABLE young_one; ANALYZE parent', qr/^read: .*could not be counted/, 'and went');
	state_is('parent', "SELECT anonopt.refresh_tuple_store('parent')", 'kept', 'until a refresh');

	# a parent without columns leaves no trace on a child: there can be none
	my $columns = '(id int, age int, town text, ill text, paid boolean, band int GENERATED ALWAYS AS (age / 10) STORED)';
	for (["CREATE TABLE above $columns; ALTER TABLE child INHERIT above", 'a parent'], ['CREATE TABLE nothing (); ALTER TABLE child INHERIT nothing', 'one without columns'],
		["CREATE TABLE whole $columns PARTITION BY RANGE (id); ALTER TABLE whole ATTACH PARTITION leaf FOR VALUES FROM (0) TO (100000)", 'a partitioned table'])
	{
		like(error_of($_->[0]), qr/no_parent" prevents table/, "no parent afterwards: $_->[1]");
	}
	is(sql("SELECT state('child'), state('leaf')"), 'kept|kept', 'and both stay kept');
	state_is('child', 'ALTER TABLE child ENABLE TRIGGER ALL; DELETE FROM child WHERE id < 20', qr/^read: .*trigger/, 'every trigger enabled: rows are written as ever');
	state_is('child', "SELECT anonopt.refresh_tuple_store('child')", 'kept', 'and a refresh');
	state_is('child', 'DROP TRIGGER ' . trigger_of('child', 'no_parent') . ' ON child; CREATE TABLE nought (); ALTER TABLE child INHERIT nought; DELETE FROM nought;
		ALTER TABLE child NO INHERIT nought', qr/^read: .*trigger/, 'what keeps parents away is a trigger too');
	sql(<<'END');
CREATE TABLE source (id int, age int, town text, ill text, paid boolean, band int);
CREATE TABLE offspring () INHERITS (source);
CREATE TABLE parts (LIKE source) PARTITION BY RANGE (id);
CREATE TABLE part PARTITION OF parts FOR VALUES FROM (0) TO (9);
CREATE VIEW window_on AS TABLE source;
END
	for (['source', 'a parent'], ['offspring', 'a child'], ['parts', 'a partitioned table'], ['part', 'a partition'], ['window_on', 'a view'])
	{
		sql("SELECT declare('of_$_->[0]', '$_->[0]')");
		like(error_of("SELECT anonopt.create_tuple_store('of_$_->[0]', true)"), qr/^(?:42809|0A000): /, "refused: $_->[1]");
	}
}

sub check_kinds
{
	sql('CALL make(\'base\'); CREATE MATERIALIZED VIEW picture AS TABLE base; SELECT declare(\'picture\', \'picture\')');
	for my $track ('true', 'false')
	{
		like(error_of("SELECT anonopt.create_tuple_store('picture', $track)"), qr/^42809: /, "refused: a materialized view, $track");
		for my $kind ('TEMP', 'UNLOGGED')
		{
			like(error_of("CALL make('brief', '$kind'); SELECT anonopt.create_tuple_store('brief', $track)"), qr/^42809: /, "refused: $kind, $track");
			sql("SELECT anonopt.drop_dataset('brief'); DROP TABLE IF EXISTS brief");
		}
	}
	sql("CALL make('untracked'); SELECT anonopt.create_tuple_store('untracked')");
	state_is('untracked', 'SELECT 1', 'read: it is not tracked', 'a table whose writes are not tracked');
	is(sql("SELECT count(*) FROM pg_trigger WHERE tgrelid = 'untracked'::regclass"), '0', 'has no triggers');
	is(sql("SELECT answers('untracked', 'store') = answers('untracked', 'aggregate')"), 't', 'is read if one wants');
	sql('DELETE FROM untracked WHERE id < 100');
	my (undef, undef, $notice) = $node->psql('postgres', "SELECT answers('untracked', 'store')");
	like($notice, qr/NOTICE:  tuple store public\.anonopt_tuples_\d+ is read although it is not current\nDETAIL:  Its tuples were counted at .*: it is not tracked/, 'and said when');
	is(sql("SELECT answers('untracked', 'store') = answers('untracked', 'aggregate')"), 'f', 'as it was counted');
	sql("SELECT anonopt.refresh_tuple_store('untracked')");
	is(sql("SELECT answers('untracked', 'store') = answers('untracked', 'aggregate')"), 't', 'and anew');
	sql("CALL make('counted'); SELECT anonopt.create_dataset('by_count', 'counted', count_column => 'id'), anonopt.add_quasi_identifier('by_count', 'age', 'ages')");
	like(error_of("SELECT anonopt.create_tuple_store('by_count', true)"), qr/^0A000: .*count/, 'refused: a count column');
}

sub check_counting_and_dropping
{
	make_tracked('dropped');
	like(error_of("SELECT anonopt.create_tuple_store('dropped', true)"), qr/^42710: /, 'refused: a second store of a data set');
	sql("SELECT declare('dropped again', 'dropped')");
	is(sql("SELECT anonopt.read_sql('dropped again') ~ 'stored_tuples'"), 't', 'another data set reads the store of its relation');
	is(error_of("SELECT anonopt.create_tuple_store('dropped again', true)"), '', 'a second data set of the relation may have a store of its own');
	is(sql("SELECT state('dropped again')"), 'kept', 'which is kept');
	like(error_of("SELECT anonopt.refresh_tuple_store('base')"), qr/^42704: /, 'no store to refresh');
	like(error_of("SELECT anonopt.drop_tuple_store('base')"), qr/^42704: /, 'no store to drop');
	like(error_of("SELECT anonopt.$_('nobody')"), qr/^42704: /, "$_: no such data set") for qw(create_tuple_store refresh_tuple_store drop_tuple_store);
	like(error_of("SELECT anonopt.$_(NULL)"), qr/^(?:22004|22023|42704): /, "$_: NULL") for qw(create_tuple_store refresh_tuple_store drop_tuple_store);
	my $table = table_of('dropped');
	is(sql("SELECT pg_relation_size('$table') > 0"), 't', 'the store is a table');
	sql("UPDATE dropped SET age = age + 1; UPDATE dropped SET age = age - 1");
	is(sql("SELECT count(*) > (SELECT count(*) FROM (SELECT DISTINCT age, town, band, ill, paid FROM dropped) d) FROM $table"), 't', 'what is appended');
	is(sql("SELECT FROM anonopt.refresh_tuple_store('dropped');
		SELECT count(*) = (SELECT count(*) FROM (SELECT DISTINCT age, town, band, ill, paid FROM dropped) d) FROM $table"), 't', 'a refresh compacts');
	sql("SELECT anonopt.drop_dataset('dropped again'), anonopt.drop_tuple_store('dropped')");
	is(sql("SELECT (SELECT count(*) FROM pg_trigger WHERE tgrelid = 'dropped'::regclass), to_regclass('$table') IS NULL, state('dropped'),
		(SELECT count(*) FROM pg_proc WHERE proname LIKE 'dropped%')"), '0|t|no store|0', 'nothing is left of a store that was dropped');

	make_tracked('gone');
	$table = table_of('gone');
	sql('DROP TABLE gone');
	is(sql("SELECT to_regclass('$table') IS NULL"), 't', 'with its relation goes the store, which holds its rows');
	sql("SELECT anonopt.drop_dataset('gone')");
	is(error_of("CALL make('gone'); SELECT anonopt.create_tuple_store('gone', true)"), '', 'a relation and a data set of those names can have a store');
	is(error_of("SELECT state('gone')"), '', 'and be asked');

	make_tracked('undeclared');
	$table = table_of('undeclared');
	sql("SELECT anonopt.drop_dataset('undeclared')");
	is(sql("SELECT (SELECT count(*) FROM pg_trigger WHERE tgrelid = 'undeclared'::regclass), to_regclass('$table') IS NULL"), '0|t',
		'with its data set goes the store');
}

# ------------------------------------------------------------------------- rights

sub check_rights
{
	sql(<<'END');
CALL make('private');
ALTER TABLE private OWNER TO owner;
GRANT SELECT (age, town, band, ill, paid) ON private TO reader;
SELECT declare('of the reader', 'private');
UPDATE anonopt.dataset SET owner = 'owner' WHERE dataset = 'private';
END
	like(error_of(as_role($_, "SELECT anonopt.create_tuple_store('private', true)")), qr/^42501: /, "$_ cannot create a store") for qw(reader stranger);
	is(error_of(as_role('owner', "SELECT anonopt.create_tuple_store('private', true)")), '', 'its owner can');
	like(error_of(as_role($_->[0], "SELECT anonopt.$_->[1]('private')")), qr/^42501: /, "$_->[0] cannot call $_->[1]")
	  for ['reader', 'refresh_tuple_store'], ['reader', 'drop_tuple_store'], ['stranger', 'refresh_tuple_store'], ['stranger', 'drop_tuple_store'];
	is(sql("GRANT reader TO postgres;\n" . as_role('reader', "SELECT answers('private', 'auto') = answers('private', 'aggregate')")), 't', 'who may read the columns gets the same answers');
	is(sql(as_role('reader', "SELECT anonopt.read_sql('private') ~ 'stored_tuples'")), 't', 'from the store');
	my $table = table_of('private');
	like(error_of(as_role($_, "SELECT * FROM $table")), qr/^42501: /, "$_ cannot read the store") for qw(reader stranger);
	like(error_of(as_role('stranger', "SELECT answers('private', 'auto')")), qr/^42501: /, 'who may not read the columns gets none');
	sql('REVOKE SELECT (ill) ON private FROM reader');
	like(error_of(as_role('reader', "SELECT answers('private', 'auto')")), qr/^42501: /, 'nor who may not read one of them');
	sql('GRANT SELECT ON private TO reader; CREATE SCHEMA closed AUTHORIZATION owner; ALTER TABLE private SET SCHEMA closed');
	like(error_of(as_role('reader', "SELECT answers('private', 'auto')")), qr/^42501: /, 'nor who may not look into the schema');
	sql('ALTER TABLE closed.private SET SCHEMA public; ALTER TABLE private ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON private FOR SELECT USING (age < 30)');
	is(sql(as_role('reader', "SELECT answers('private', 'auto') = answers('private', 'aggregate'); SELECT rows < 400 FROM anonopt.last_search();
		SELECT anonopt.read_sql('private') ~ 'stored_tuples'; SELECT problem IS NULL FROM anonopt.describe('private') WHERE role = 'tuple_store'")),
		"t\nt\nf\nf", 'row security: the relation is read, and describe tells');
	is(sql("SELECT state('private')"), 'kept', 'not so for whom no row security applies');
	sql('ALTER TABLE private FORCE ROW LEVEL SECURITY');
	is(sql("GRANT owner TO postgres;\n" . as_role('owner', "SELECT answers('private', 'auto') = answers('private', 'aggregate');
		SELECT anonopt.read_sql('private') ~ 'stored_tuples'")), "t\nf", 'forced on the owner');
	sql('DROP POLICY p ON private; ALTER TABLE private DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY');

	sql('GRANT INSERT, TRUNCATE, DELETE, SELECT ON private TO reader');
	state_is('private', as_role('reader', 'INSERT INTO private (id, age) VALUES (1, 1); DELETE FROM private WHERE id < 9'), 'kept', 'a writer who is not the owner');
	state_is('private', as_role('reader', 'TRUNCATE private; INSERT INTO private (id, age) VALUES (1, 1)'), 'kept', 'and may truncate');

	sql("CALL make('theirs'); ALTER TABLE theirs OWNER TO owner; SELECT anonopt.create_tuple_store('theirs', true)");
	is(sql("SELECT relowner::regrole FROM pg_class WHERE oid = '" . table_of('theirs') . "'::regclass"), 'owner', 'a store that somebody else creates belongs to the owner');
	is(sql("SELECT state('theirs')"), 'kept', 'and is kept');
	is(sql('SELECT count(*) FROM pg_proc WHERE proname LIKE \'theirs%\' AND proowner <> \'owner\'::regrole'), '0', 'and so is what counts');
}

sub check_attacks
{
	sql(<<'END');
ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO stranger;
ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO stranger;
CALL make('granted');
REVOKE ALL ON granted FROM stranger;
SELECT anonopt.create_tuple_store('granted', true);
ALTER DEFAULT PRIVILEGES REVOKE ALL ON TABLES FROM stranger;
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM stranger;
END
	like(error_of(as_role('stranger', 'SELECT * FROM ' . table_of('granted'))), qr/^42501: /, 'default privileges do not open a store');

	make_tracked('forged');
	my $counter = sql("SELECT tgfoid::regproc FROM pg_trigger WHERE tgrelid = 'forged'::regclass AND tgname LIKE '%insert'");
	like(error_of(as_role('stranger', "CREATE TABLE mine (age int, town text, band int, ill text, paid boolean);
		CREATE TRIGGER t AFTER INSERT ON mine REFERENCING NEW TABLE AS new_rows EXECUTE FUNCTION $counter();
		INSERT INTO mine (age) SELECT 1 FROM generate_series(1, 100)")), qr/^\w{5}: /, 'another relation cannot count itself into a store');
	is(sql("SELECT state('forged')"), 'kept', 'and did not');

	# a name that stands before pg_catalog, or in the caller's temporary schema, is not met
	make_tracked('trapped');
	state_is('trapped', <<'END', 'kept', 'names before pg_catalog');
GRANT CREATE ON DATABASE postgres TO stranger;
GRANT INSERT, SELECT ON trapped TO stranger;
SET ROLE stranger;
CREATE SCHEMA trap;
CREATE FUNCTION trap.count() RETURNS bigint LANGUAGE sql AS 'SELECT 1 / 0::bigint';
CREATE FUNCTION trap.plus(bigint) RETURNS bigint LANGUAGE sql AS 'SELECT 0::bigint';
CREATE OPERATOR trap.+ (RIGHTARG = bigint, FUNCTION = trap.plus);
CREATE TEMP TABLE stored_tuples (age int);
CREATE TEMP TABLE tuple_store (age int);
CREATE TEMP TABLE new_rows (age int);
CREATE TEMP TABLE pg_class (oid int);
SET search_path = trap, pg_temp, pg_catalog, public;
INSERT INTO public.trapped (id, age) VALUES (1, 1);
END

	# Checks of another role's type, which call a function, must not run as the relation's
	# owner.
	sql(<<'END');
CALL make('bait');
ALTER TABLE bait OWNER TO owner;
CREATE TABLE treasure AS SELECT 'the key'::text AS secret;
ALTER TABLE treasure OWNER TO owner;
GRANT SELECT ON bait TO stranger;
SET ROLE stranger;
CREATE TABLE loot (who name);
GRANT ALL ON loot TO PUBLIC;
CREATE DOMAIN odd AS int;
CREATE TYPE odd_range AS RANGE (subtype = odd);
CREATE TABLE odd_ages (ages odd_range, anything text);
INSERT INTO odd_ages VALUES ('[0,50)', '*'), ('[50,100)', '*');
GRANT SELECT ON odd_ages TO PUBLIC;
SELECT anonopt.create_dataset('baited', 'bait'), anonopt.add_quasi_identifier('baited', 'age', 'odd_ages');
CREATE FUNCTION snatch(i int) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO public.loot SELECT current_user FROM public.treasure;
	RETURN true;
EXCEPTION WHEN insufficient_privilege THEN
	RETURN true;
END $$;
RESET ROLE;
END
	error_of(as_role('owner', "SELECT anonopt.create_tuple_store('baited', true)"));
	error_of(as_role('stranger', "ALTER DOMAIN odd ADD CHECK (public.snatch(VALUE)) NOT VALID; SELECT FROM anonopt.lattice('baited')"));
	is(sql('SELECT count(*) FROM loot'), '0', 'nothing of the caller runs as the owner of the relation');
}

sub check_names
{
	my %names = (plain => [ q{it's a "%s" $$;--}, q{c'"%I\\} ], percent => [ '100%', '50%s' ],
		long => [ 'x' x 63, 'y' x 63 ], reserved => [ 'select', 'table' ], ours => [ 'tuples', 'n' ], rows => [ 'new_rows', 'r' ], stored => [ 'stored_tuples', 's' ]);
	for (sort keys %names)
	{
		my ($relation, $column) = map { s/"/""/gr } @{ $names{$_} };
		my ($literal, $column_literal) = map { s/'/''/gr } $relation, $names{$_}[1];
		my $error = error_of(<<"END");
CREATE TABLE "$relation" ("$column" int, other int);
INSERT INTO "$relation" SELECT i % 10 FROM generate_series(1, 100) i;
SELECT anonopt.create_dataset('named $_', '"$literal"', 0), anonopt.add_quasi_identifier('named $_', '$column_literal', 'ages');
SELECT anonopt.create_tuple_store('named $_', true);
END
		is($error, '', "names, $_: a store");
		next if $error;
		state_is("named $_", "INSERT INTO \"$relation\" VALUES (12), (13); UPDATE \"$relation\" SET \"$column\" = 4 WHERE \"$column\" = 5", 'kept', "names, $_: kept");
		is(error_of("SELECT anonopt.refresh_tuple_store('named $_'); SELECT anonopt.drop_tuple_store('named $_')"), '', "names, $_: refreshed and dropped");
	}
	for (["\xc3\xa4" x 31, 'letters of two bytes'], ["\xe2\x82\xac" x 21, 'letters of three'], ['x' x 60 . 'a', 'a long name'], ['x' x 60 . 'b', 'one like it'])
	{
		my ($name, $what) = @$_;
		my $error = error_of("CREATE TABLE \"$name\" (age int); SELECT anonopt.create_dataset('$what', '\"$name\"', 0), anonopt.add_quasi_identifier('$what', 'age', 'ages');
			SELECT anonopt.create_tuple_store('$what', true)");
		is($error, '', "$what: a store");
		state_is($what, "INSERT INTO \"$name\" VALUES (4)", 'kept', "$what: kept") unless $error;
	}
}

# -------------------------------------------------------------- several sessions

# In a session of another isolation level, while others write.
sub check_isolation
{
	for my $level ('READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE')
	{
		my $name = 'of ' . lc $level;
		sql("CALL make('$name')");
		my $session = $node->background_psql('postgres', on_error_stop => 0);

		$session->query("BEGIN ISOLATION LEVEL $level; SELECT count(*) FROM \"$name\";");
		sql("INSERT INTO \"$name\" (id, age) SELECT i, 1 FROM generate_series(1000, 1050) i");
		$session->query("SELECT anonopt.create_tuple_store('$name', true);");
		$session->query('COMMIT;');
		$session->quit;
		my $state = sql("SELECT state('$name')");
		like($state, qr/^(?:kept|no store)$/, "created in $level after others wrote: kept, or refused");
		sql("SELECT anonopt.create_tuple_store('$name', true)") if $state ne 'kept' && $state eq 'no store';
		sql("SELECT anonopt.drop_tuple_store('$name'); SELECT anonopt.create_tuple_store('$name', true)") if $state =~ /WRONG/;

		$session = $node->background_psql('postgres', on_error_stop => 0);
		$session->query("BEGIN ISOLATION LEVEL $level; SELECT count(*) FROM \"$name\";");
		sql("UPDATE \"$name\" SET age = 2 WHERE id < 99");
		is($session->query("SELECT answers('$name', 'auto') = answers('$name', 'aggregate');"), 't', "$level: a reader while others write");
		sql("BEGIN; ALTER TABLE \"$name\" DISABLE TRIGGER ALL; COMMIT") if $level eq 'READ COMMITTED';
		$session->query("SELECT anonopt.refresh_tuple_store('$name');") if $level ne 'READ COMMITTED';
		$session->query('COMMIT;');
		$session->quit;
		like(sql("SELECT state('$name')"), $level eq 'READ COMMITTED' ? qr/^read: / : qr/^kept$/, "$level: and after it refreshed");
	}
}

# Two sessions that write at once do not wait for each other, nor for a reader.
sub check_writers
{
	make_tracked('shared');
	my @sessions = map { $node->background_psql('postgres', on_error_stop => 0) } 1 .. 3;
	my $errors = 0;

	$_->query("SET lock_timeout = '1s'; BEGIN;") for @sessions;
	for my $step (
		[ 0, "INSERT INTO shared (id, age, town) VALUES (1, 1, 'T1');" ], [ 1, "INSERT INTO shared (id, age, town) VALUES (2, 1, 'T1');" ],
		[ 2, "SELECT count(*) > 0 FROM anonopt.lattice('shared');" ],
		[ 1, 'UPDATE shared SET age = 30 WHERE id BETWEEN 100 AND 150;' ], [ 0, 'DELETE FROM shared WHERE id BETWEEN 200 AND 250;' ],
		[ 1, "INSERT INTO shared (id, age, town) VALUES (3, 1, 'T1'); SAVEPOINT a; DELETE FROM shared WHERE id BETWEEN 300 AND 350; ROLLBACK TO a;" ],
		[ 0, 'UPDATE shared SET age = 31 WHERE id BETWEEN 160 AND 190;' ], [ 2, "SELECT count(*) > 0 FROM anonopt.lattice('shared');" ])
	{
		$sessions[ $step->[0] ]->query($step->[1]);
		$errors++ if $sessions[ $step->[0] ]->{stderr} =~ /ERROR/;
	}
	is($errors, 0, 'two writers and a reader do not wait for each other');
	is(sql("SELECT state('shared')"), 'kept', 'before they commit');
	$sessions[0]->query('COMMIT;');
	is(sql("SELECT state('shared')"), 'kept', 'when one has');
	$sessions[1]->query('ROLLBACK;');
	$sessions[2]->query('COMMIT;');
	is(sql("SELECT state('shared')"), 'kept', 'when the other has rolled back');
	$_->quit for @sessions;

	# else a TRUNCATE would come between, and wait for the store while who read it waits for the relation
	is(sql("BEGIN; SELECT count(*) > 0 FROM anonopt.lattice('shared');
		SELECT count(*) > 0 FROM pg_locks WHERE relation = 'shared'::regclass AND pid = pg_backend_pid(); COMMIT"), "t\nt", 'who reads a store holds its relation');

	# creation waits for who is writing, and misses nothing
	sql("CALL make('awaited')");
	my $writer = $node->background_psql('postgres', on_error_stop => 0);
	my $creator = $node->background_psql('postgres', on_error_stop => 0);
	$writer->query("BEGIN; UPDATE awaited SET town = 'T8';");
	$creator->query_until(qr/^begun/m, "\\echo begun\nSELECT anonopt.create_tuple_store('awaited', true);\n");
	$node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_locks WHERE NOT granted AND relation = 'awaited'::regclass") or die 'nobody waits';
	$writer->query("INSERT INTO awaited (id, age) VALUES (1, 1); COMMIT;");
	$creator->query('SELECT 1;');
	is(sql("SELECT state('awaited')"), 'kept', 'a store made while somebody writes');
	$_->quit for $writer, $creator;
}

# Random statements from several clients, with readers beside them.
sub check_load
{
	make_tracked('busy');
	sql('CREATE INDEX ON busy (id)');
	append_to_file("$scratch/write.sql", <<'END');
\set i random(1, 400)
\set a random(0, 99)
\set what random(1, 8)
\set level random(:first, 3)
\set rare random(1, 20)
\if :level = 1
	BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1;
\elif :level = 2
	BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT 1;
\else
	BEGIN;
\endif
SAVEPOINT s;
\if :rare = 1
	TRUNCATE busy; ROLLBACK TO s;
\elif :rare = 2
	TRUNCATE busy; INSERT INTO busy SELECT i, 20, 'T1', 'I1' FROM generate_series(1, 400) i;
\endif
\if :what < 3
	INSERT INTO busy SELECT i, :a, 'T' || i % 10, 'I' || i % 6 FROM generate_series(:i, :i + 3) i;
\elif :what < 5
	UPDATE busy SET age = :a, town = 'T' || :a % 10 WHERE id = :i;
\elif :what < 6
	DELETE FROM busy WHERE id = :i;
\elif :what < 7
	DELETE FROM busy WHERE id = :i; ROLLBACK TO s; UPDATE busy SET ill = NULL WHERE id = :i + 1;
\else
	WITH gone AS (DELETE FROM busy WHERE id = :i RETURNING *) INSERT INTO busy SELECT id + 1, age, town, ill FROM gone;
\endif
\set end random(1, 4)
\if :end = 1
	ROLLBACK;
\else
	COMMIT;
\endif
END
	append_to_file("$scratch/read.sql", <<'END');
CREATE TABLE IF NOT EXISTS states (state text);
BEGIN ISOLATION LEVEL REPEATABLE READ;
INSERT INTO states SELECT state('busy');
COMMIT;
\sleep 100 ms
END
	append_to_file("$scratch/refresh.sql", "SELECT anonopt.refresh_tuple_store('busy');\n\\sleep 400 ms\n");
	sql('CREATE TABLE states (state text)');
	my @bench = ('pgbench', '-n', '-d', $node->connstr('postgres'));
	my @output = ('', '', '');
	# rows in one order cannot deadlock by themselves; 14 tries once, which READ COMMITTED can do with
	my @tries = sql('SHOW server_version_num') >= 150000 ? qw(--max-tries=5 -D first=1) : qw(-D first=3);
	my @runs = map { my $i = $_; IPC::Run::start([ @bench, @{ ([ '-c', 4, '-t', 500, @tries, '-f', "$scratch/write.sql" ], [ '-t', 25, '-f', "$scratch/read.sql" ],
				[ '-t', 8, '-f', "$scratch/refresh.sql" ])[$i] } ], '>&', \$output[$i]) } 0 .. 2;

	$_->finish for @runs;
	unlike("@output[0,1]", qr/aborted|FATAL|PANIC/, 'random writers: no client failed');
	like($output[0], qr/number of transactions actually processed: \d{2,}/, 'random writers: they wrote');
	is(sql("SELECT state('busy')"), 'kept', 'random writers: kept');
	is(sql("SELECT count(*) FILTER (WHERE state = 'kept') > 1, string_agg(DISTINCT state, ', ') FILTER (WHERE state NOT LIKE 'kept' AND state NOT LIKE 'read: the relation has been rewritten since')
		FROM states"), 't|', 'random writers: and at every time, if nobody truncated since');
}

sub check_replication
{
	make_tracked('sent');
	sql('CREATE DATABASE copied; CREATE PUBLICATION p FOR TABLE sent; ALTER TABLE sent ADD PRIMARY KEY (id)');
	my $dump = sql("SELECT string_agg(format('INSERT INTO towns VALUES (%L, %L, %L);', town, region, anything), ' ') FROM towns");
	sql_in('copied', "CREATE EXTENSION anonopt; CREATE TABLE towns (town text, region text, anything text); $dump
		CREATE TABLE sent (id int PRIMARY KEY, age int, town text, ill text, paid boolean);
		SELECT anonopt.create_interval_hierarchy('ages', 0, 99, '{5,10,50}');
		SELECT anonopt.create_dataset('sent', 'sent', 0), anonopt.add_quasi_identifier('sent', 'age', 'ages'), anonopt.add_quasi_identifier('sent', 'town', 'towns');
		SELECT anonopt.create_tuple_store('sent', true)");
	my $compare = "SET anonopt.read_mode = '%s'; SELECT md5(string_agg(x::text, ',')) FROM anonopt.lattice('sent') x;";
	my $conn = $node->connstr('postgres') =~ s/'/''/gr;
	sql("SELECT pg_create_logical_replication_slot('s', 'pgoutput')");
	sql_in('copied', "CREATE SUBSCRIPTION s CONNECTION '$conn' PUBLICATION p WITH (create_slot = false, slot_name = 's')");
	$node->poll_query_until('copied', "SELECT count(*) = 400 FROM sent") or die 'no rows came';
	sql('DELETE FROM sent WHERE id < 100');
	$node->poll_query_until('copied', "SELECT count(*) = 301 FROM sent") or die 'nothing was deleted';
	my ($auto, $aggregate) = map { sql_in('copied', sprintf $compare, $_) } 'auto', 'aggregate';
	is($auto, $aggregate, 'a relation that is the target of a subscription is read');
	is(sql_in('copied', "SELECT problem FROM anonopt.describe('sent') WHERE role = 'tuple_store'"), 'changes could not be counted', 'its store is doubted');
	like(sql_in('copied', "SELECT anonopt.refresh_tuple_store('sent')"), qr/is the target of a subscription/, 'and cannot be counted meanwhile');
	sql_in('copied', 'ALTER SUBSCRIPTION s DISABLE; ALTER SUBSCRIPTION s SET (slot_name = NONE); DROP SUBSCRIPTION s');
	($auto, $aggregate) = map { sql_in('copied', sprintf $compare, $_) } 'auto', 'aggregate';
	is($auto, $aggregate, 'and when it is not any more');
	is(sql_in('copied', "SELECT FROM anonopt.refresh_tuple_store('sent'); DELETE FROM sent WHERE id < 200; SELECT problem IS NULL FROM anonopt.describe('sent') WHERE role = 'tuple_store'"),
		't', 'until it is counted anew');
	sql("SELECT pg_drop_replication_slot('s')");
}

# OIDs are meaningless after a restore: a relation that happens to have the OID
# of a store or of its function is left alone.
sub check_dump
{
	sql("CREATE DATABASE first");
	$node->safe_psql('first', <<'END');
CREATE EXTENSION anonopt;
CREATE TABLE kept (age int);
INSERT INTO kept SELECT i % 10 FROM generate_series(1, 100) i;
SELECT anonopt.create_interval_hierarchy('ages', 0, 99, '{5,10,50}'), anonopt.create_dataset('kept', 'kept', 0);
SELECT anonopt.add_quasi_identifier('kept', 'age', 'ages'), anonopt.create_tuple_store('kept', true);
END
	my $answers = "SET anonopt.read_mode = '%s'; SELECT md5(string_agg(x::text, ',')) FROM anonopt.lattice('kept') x;";
	$node->command_ok([ 'pg_dump', '-d', $node->connstr('first'), '-f', "$scratch/dump.sql" ], 'pg_dump');
	sql('CREATE DATABASE second');
	my ($status, undef, $error) = $node->psql('second', "\\i $scratch/dump.sql", on_error_stop => 0);
	unlike($error, qr/ERROR/, 'restored');
	is(sql_in('second', 'INSERT INTO kept VALUES (7), (8); UPDATE kept SET age = 9 WHERE age = 8; SELECT count(*) FROM kept'), '102', 'rows are written there');
	my ($auto, $aggregate) = map { sql_in('second', sprintf $answers, $_) } 'auto', 'aggregate';
	is($auto, $aggregate, 'restored: the right answers');
	$node->command_ok([ 'pg_dump', '-Fd', '-j', 2, '-d', $node->connstr('first'), '-f', "$scratch/dump" ], 'pg_dump in parallel');
	sql('CREATE DATABASE third');
	$node->command_ok([ 'pg_restore', '-e', '-j', 3, '-d', $node->connstr('third'), "$scratch/dump" ], 'pg_restore in parallel');
	is(sql_in('third', "SELECT FROM anonopt.refresh_tuple_store('kept'); DELETE FROM kept WHERE age < 3; SELECT problem IS NULL FROM anonopt.describe('kept') WHERE role = 'tuple_store'"),
		't', 'and counted anew there');
	sql('CREATE DATABASE fourth TEMPLATE first');
	is(sql_in('fourth', "SELECT problem FROM anonopt.describe('kept') WHERE role = 'tuple_store'"), 'it was restored and has not been counted since', 'a copy of the database is another');
	is(sql_in('fourth', 'DROP TABLE kept; DROP EXTENSION anonopt'), '', 'where everything can be dropped');

	is(sql_in('second', "SELECT problem FROM anonopt.describe('kept') WHERE role = 'tuple_store'"), 'it was restored and has not been counted since', 'and the store is not believed');
	is(sql_in('second', "SELECT FROM anonopt.refresh_tuple_store('kept'); SELECT problem IS NULL FROM anonopt.describe('kept') WHERE role = 'tuple_store'"), 't', 'before it is counted anew');
	is(sql_in('second', "UPDATE kept SET age = 3 WHERE age = 2; SELECT count(*) FROM pg_trigger WHERE tgrelid = 'kept'::regclass"), '6', 'by the triggers it has then');
	($auto, $aggregate) = map { sql_in('second', sprintf $answers, $_) } 'auto', 'aggregate';
	is($auto, $aggregate, 'refreshed: the right answers');
	is(sql_in('second', "SELECT FROM anonopt.drop_tuple_store('kept'); SELECT count(*) FROM pg_trigger WHERE tgrelid = 'kept'::regclass"), '0', 'it is dropped like another');
	($status, undef, $error) = $node->psql('second', "SELECT anonopt.create_tuple_store('kept', true)");
	is($error, '', 'restored, dropped and made anew');
	($auto, $aggregate) = map { sql_in('second', sprintf $answers, $_) } 'auto', 'aggregate';
	is($auto, $aggregate, 'and right');
}

# A crash empties what is not logged.
sub check_crash
{
	make_tracked('durable');
	my $writer = $node->background_psql('postgres', on_error_stop => 0);
	$writer->query("BEGIN; DELETE FROM durable WHERE id < 200; SAVEPOINT a; UPDATE durable SET age = 3 WHERE id BETWEEN 200 AND 300;");
	sql("INSERT INTO durable (id, age) SELECT i, 4 FROM generate_series(1, 3000) i; BEGIN; DELETE FROM durable WHERE id = 399; PREPARE TRANSACTION 'p'; CHECKPOINT; INSERT INTO durable (id, age) VALUES (1, 5)");
	$node->stop('immediate');
	$node->start;
	eval { $writer->quit };
	is(sql("SELECT state('durable')"), 'kept', 'a crash in the middle of a write');
	sql("COMMIT PREPARED 'p'");
	is(sql("SELECT state('durable')"), 'kept', 'and what was prepared then');
	is(error_of("DROP EXTENSION anonopt"), '', 'the extension goes');
	is(error_of('INSERT INTO durable (id, age) VALUES (1, 1); TRUNCATE durable'), '', 'and rows are written as ever');
}
