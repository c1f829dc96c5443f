#!/usr/bin/env perl
#
# Doors that once stood open: ways in which a publisher, a reader, a database
# owner or the owner of a source became superuser, crashed the server, saw what
# a release hides, or made a release or the record of releases tell a lie.
#
# Each of these attacks has worked once.  The harm is asserted first, then what
# the server says.  Tests that state what has always held are marked "still".

use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use IPC::Run;
use PostgreSQL::Test::Utils;
use Server;
use Test::More;

my $superuser = 'postgres';
my $scratch = PostgreSQL::Test::Utils::tempdir;
my $node = Server->new('doors');
my $crashes = 0;

$node->init(allows_streaming => 'logical');
# what an earlier run said
unlink $node->logfile;
# after a crash the rest shall run, too
$node->append_conf('postgresql.conf', "autovacuum = off\nclient_encoding = utf8\nrestart_after_crash = on\n");
$node->start;
$node->safe_psql('postgres', join ' ', map { "CREATE ROLE $_ LOGIN;" } qw(mallory dbo pub reader app alice bob));
$node->safe_psql('postgres', "CREATE DATABASE $_") for qw(clinic typed);
$node->safe_psql('postgres', 'CREATE DATABASE owned OWNER mallory');
$node->safe_psql('postgres', "CREATE DATABASE $_ OWNER dbo") for qw(ruled lived);
$node->safe_psql('clinic', q{CREATE EXTENSION anonopt; CREATE SCHEMA p AUTHORIZATION pub; GRANT USAGE ON SCHEMA p TO reader, app;
	CREATE SCHEMA app AUTHORIZATION app; GRANT USAGE ON SCHEMA app TO pub; CREATE SCHEMA su});

# What a role gets as an answer in a database, and the messages beside it.
sub hear
{
	my ($database, $role, $sql) = @_;

	$node->psql($database, "SET client_min_messages = warning; $sql", stdout => \my $answer, stderr => \my $messages,
		on_error_stop => 0, extra_params => [ '-U', $role, '-v', 'VERBOSITY=verbose' ]);
	$node->poll_query_until('postgres', 'SELECT true') if $messages =~ /server closed the connection/;
	return "$answer\n$messages";
}

# The answer alone, for what must succeed.
sub ask
{
	my ($database, $role, $sql) = @_;
	my $status = $node->psql($database, "SET client_min_messages = error; $sql", stdout => \my $answer, stderr => \my $messages,
		extra_params => [ '-U', $role ]);

	$status == 0 or fail("$role is not refused"), diag("$sql\n$messages");
	return $answer;
}

# No process of the server has been ended by a signal since the last question.
sub check_alive
{
	my ($what) = @_;
	my $seen = () = slurp_file($node->logfile) =~ /was terminated by signal/g;

	is($seen - $crashes, 0, "no process of the server has crashed: $what");
	$crashes = $seen;
}

# Begins a session that goes on while others act.
sub begin_session
{
	my ($database, $role, $name, $sql) = @_;
	my $session = { name => $name, in => "\\echo begun\n$sql\n\\q\n", out => '', err => '' };
	my $timeout = IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default);

	$session->{run} = IPC::Run::start([ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-U', $role, '-d', $node->connstr($database) . " application_name=$name" ],
		'<', \$session->{in}, '>', \$session->{out}, '2>', \$session->{err}, $timeout);
	pump_until($session->{run}, $timeout, \$session->{out}, qr/begun/) or die "$name has not begun\n";
	return $session;
}

# Waits until a session has ended or waits for a lock; whether it waits.
sub waits
{
	my ($session) = @_;
	my $of = "FROM pg_stat_activity WHERE application_name = '$session->{name}' AND wait_event_type";

	$node->poll_query_until('postgres', "SELECT count(*) = 0 $of IS DISTINCT FROM 'Lock'") or die "$session->{name} goes on\n";
	return $node->safe_psql('postgres', "SELECT count(*) $of = 'Lock'");
}

# Waits until a session has ended; what it printed.
sub end_session
{
	my ($session) = @_;

	$session->{run}->finish;
	return "$session->{out}\n$session->{err}";
}

# Functions by which a role becomes superuser once a superuser runs them. A sequence tells that it was run, even after a
# rollback.
sub make_trap
{
	my ($database, $role) = @_;

	ask($database, $role, qq{
		CREATE SEQUENCE $role.sprung; GRANT ALL ON SEQUENCE $role.sprung TO PUBLIC;
		CREATE FUNCTION $role.trap() RETURNS int LANGUAGE plpgsql AS \$\$
		BEGIN
			IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN PERFORM nextval('$role.sprung'); ALTER ROLE $role SUPERUSER; END IF;
			RETURN 0;
		END \$\$;
		-- may stand in an index: what is immutable may call what is not
		CREATE FUNCTION $role.quiet() RETURNS int IMMUTABLE LANGUAGE plpgsql AS \$\$ BEGIN RETURN (SELECT $role.trap()); END \$\$});
}

sub check_trap
{
	my ($database, $role, $what) = @_;

	is($node->safe_psql($database, "SELECT is_called, (SELECT rolsuper FROM pg_roles WHERE rolname = '$role') FROM $role.sprung"), 'f|f', $what);
	$node->safe_psql($database, "ALTER ROLE $role NOSUPERUSER; ALTER SEQUENCE $role.sprung RESTART");
}

# Expressions that the planner evaluates for whoever plans a statement over a table, and how to undo them.
my %planted = (
	'an index' => [ 'CREATE INDEX planted ON %1$s ((%2$s.quiet() + nr))', 'DROP INDEX %2$s.planted' ],
	'the condition of an index' => [ 'CREATE INDEX planted ON %1$s (nr) WHERE %2$s.quiet() = 0', 'DROP INDEX %2$s.planted' ],
	'statistics' => [ 'CREATE STATISTICS %2$s.planted ON (%2$s.quiet() + nr), age FROM %1$s; ANALYZE %1$s', 'DROP STATISTICS %2$s.planted' ],
	'a constraint' => [ 'ALTER TABLE %1$s ADD CONSTRAINT planted CHECK (%2$s.quiet() = 0)', 'ALTER TABLE %1$s DROP CONSTRAINT planted' ]);

# Sixty people in two classes, with three illnesses.
my $sixty = q{SELECT i AS nr, i % 2 AS age, 'i' || i % 3 AS illness FROM generate_series(1, 60) i};

# A data set over a relation, or over a table that is made of a query, by a role that has a schema for it.
sub declare
{
	my ($database, $role, $name, $source) = @_;
	my $schema = $role eq $superuser ? 'su' : 'p';
	my $is_query = $source =~ /^SELECT/;

	ask($database, $role, ($is_query ? "CREATE TABLE $schema.$name AS $source; " : '') . qq{
		CREATE TABLE $schema.${name}_levels (value int PRIMARY KEY, label text); INSERT INTO $schema.${name}_levels VALUES (0, '*'), (1, '*');
		SELECT anonopt.create_dataset('$name', '@{[ $is_query ? "$schema.$name" : $source ]}'), anonopt.add_sensitive('$name', 'illness'),
			anonopt.add_quasi_identifier('$name', 'age', '$schema.${name}_levels'), anonopt.set_insensitive('$name', 'nr')});
	return $schema;
}

# The same, and a release that is a table and shows the number of each row.
sub publish
{
	my ($database, $role, $name, $source, $promise) = @_;
	my $schema = declare($database, $role, $name, $source);

	ask($database, $role, ($promise // '') . "SELECT anonopt.publish_table('$schema.${name}_release', '$name', '{1}', k => 5, columns => '{nr}')");
}

# The same as a live view, which a reader may read.
sub publish_live
{
	my ($database, $role, $name, $source) = @_;
	my $schema = declare($database, $role, $name, $source);

	ask($database, $role, qq{
		SELECT anonopt.create_view('$schema.${name}_live', '$name', '{1}', k => 5, materialized => false);
		GRANT SELECT ON $schema.${name}_live TO reader; GRANT EXECUTE ON FUNCTION $schema.${name}_live_rows() TO reader});
}

# A function for an index of a release, which does something once: when it is called at all, or in the swap, when readers are
# locked out or an index is hidden.
sub make_actor
{
	my ($name, $when, $action) = @_;
	my $release = "'p.${name}_release'::regclass";
	my $in_swap = "(EXISTS (SELECT FROM pg_index WHERE indrelid = $release AND NOT indislive)
				OR EXISTS (SELECT FROM pg_locks WHERE relation = $release AND mode = 'AccessExclusiveLock' AND pid = pg_backend_pid()))";

	ask('clinic', 'pub', qq{
		CREATE TABLE p.${name}_armed (x int);
		CREATE FUNCTION p.${name}_act() RETURNS int LANGUAGE plpgsql AS \$\$
		DECLARE c refcursor := 'left_open'; x record;
		BEGIN
			IF EXISTS (SELECT FROM p.${name}_armed) AND @{[ $when eq 'in the swap' ? $in_swap : 'true' ]} THEN DELETE FROM p.${name}_armed; $action; END IF;
			RETURN 1;
		END \$\$;
		CREATE FUNCTION p.${name}_one(text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS \$\$ BEGIN PERFORM p.${name}_act(); RETURN \$1; END \$\$});
}

# ------------------------------------------------------------- the extension is dropped

# A view in a hierarchy's place dropped the extension while it was read, and made a function that returns an address.
sub check_dropped_within_call
{
	my $heard = hear('owned', 'mallory', q{
		CREATE EXTENSION anonopt;
		CREATE SCHEMA m; CREATE TABLE m.t AS SELECT 1 AS age; CREATE TABLE m.armed (x int);
		CREATE FUNCTION m.trap() RETURNS int LANGUAGE plpgsql AS $$
		BEGIN
			IF EXISTS (SELECT FROM m.armed) AND to_regclass('anonopt.published') IS NOT NULL THEN
				DROP EXTENSION anonopt;
				CREATE SCHEMA anonopt; CREATE DOMAIN anonopt.opaque AS bytea;
				CREATE FUNCTION anonopt.tuples(anonopt.opaque, int) RETURNS anonopt.opaque LANGUAGE sql
					AS $f$ SELECT '\x704141414141414141'::bytea::anonopt.opaque $f$;
				CREATE TABLE anonopt.tuple_store(number int8, dataset text, relation regclass, columns name[], tracked bool, fingerprint text[], counted_at timestamptz);
			END IF;
			RETURN 1;
		END $$;
		CREATE VIEW m.levels AS SELECT m.trap() AS value, '*'::text AS label;
		SELECT anonopt.create_dataset('d', 'm.t'), anonopt.add_quasi_identifier('d', 'age', 'm.levels');
		INSERT INTO m.armed VALUES (1);
		SELECT * FROM anonopt.evaluate('d', '{0}');
		SELECT 'it answers'});

	check_alive('the extension is dropped within a call');
	like($heard, qr/^it answers$/m, 'the session goes on');
	is($node->safe_psql('owned', q{SELECT count(*) FROM pg_extension WHERE extname = 'anonopt'}), 1, 'the extension is there');
	like($heard, qr/ERROR:  55006/, 'it cannot be dropped within a call');
}

# The same by a cursor: the next row called the C function again, which read columns of other types as addresses.
sub check_dropped_between_rows
{
	my $heard = hear('owned', 'mallory', q{
		DROP EXTENSION IF EXISTS anonopt; DROP SCHEMA IF EXISTS anonopt, m CASCADE; CREATE EXTENSION anonopt;
		CREATE SCHEMA m; CREATE TABLE m.t AS SELECT 1 AS age; CREATE TABLE m.levels AS SELECT 1 AS value, '*'::text AS label;
		SELECT anonopt.create_dataset('d', 'm.t'), anonopt.add_quasi_identifier('d', 'age', 'm.levels');
		CREATE TABLE m.dataset AS TABLE anonopt.dataset; CREATE TABLE m.attribute AS TABLE anonopt.attribute; CREATE TABLE m.promise AS TABLE anonopt.promise;
		CREATE TABLE m.tuple_store (number int8, dataset int8, relation regclass, columns int8, tracked bool, fingerprint int8, counted_at timestamptz);
		INSERT INTO m.tuple_store VALUES (1, x'4141414141414141'::int8, 'm.t', x'4141414141414141'::int8, true, x'4141414141414141'::int8, now());
		BEGIN; DECLARE c CURSOR FOR SELECT i, anonopt.read_sql('d') FROM generate_series(1, 3) i; FETCH 1 FROM c;
		DROP EXTENSION anonopt;
		CREATE SCHEMA anonopt; ALTER TABLE m.dataset SET SCHEMA anonopt; ALTER TABLE m.attribute SET SCHEMA anonopt; ALTER TABLE m.promise SET SCHEMA anonopt;
		ALTER TABLE m.tuple_store SET SCHEMA anonopt;
		FETCH 1 FROM c; ROLLBACK; SELECT 'it answers'});

	check_alive('the extension is dropped between rows');
	like($heard, qr/^it answers$/m, 'the session goes on');
	like($heard, qr/ERROR:  55000/, 'no row comes after the extension was dropped');
}

# A database owner locked the record of releases, so that verify waited as superuser; dropped the extension; and made tables
# and functions of the same names, which verify then ran.
sub check_dropped_while_waiting
{
	my @tables = qw(published published_promise published_values published_cover published_source published_content published_link published_held same_people dataset attribute promise);

	ask('owned', 'mallory', q{DROP EXTENSION IF EXISTS anonopt; DROP SCHEMA IF EXISTS anonopt, m CASCADE; CREATE EXTENSION anonopt; CREATE SCHEMA mallory; CREATE SCHEMA p});
	make_trap('owned', 'mallory');
	publish('owned', 'mallory', 'known', $sixty);
	ask('owned', 'mallory', join ' ', map { "CREATE TABLE mallory.$_ AS TABLE anonopt.$_;" } @tables);
	my $dropper = $node->background_psql('owned', extra_params => [ '-U', 'mallory' ], on_error_stop => 0);
	$dropper->query(q{SET client_min_messages = error; SET lock_timeout = '20s'; BEGIN; LOCK TABLE anonopt.published IN ACCESS EXCLUSIVE MODE});
	my $waiting = begin_session('owned', 'mallory', 'verifying', q{SELECT anonopt.verify('p.known_release'); SELECT 'it answers';});
	waits($waiting);
	$dropper->query(join ' ', 'DROP EXTENSION anonopt; CREATE SCHEMA anonopt;', (map { "ALTER TABLE mallory.$_ SET SCHEMA anonopt;" } @tables), q{
		CREATE FUNCTION anonopt.this_database() RETURNS text LANGUAGE sql AS $$ SELECT 'x'::text $$;
		CREATE FUNCTION anonopt.find_release(uuid, bigint, bigint, text, name) RETURNS oid LANGUAGE plpgsql AS
			$$ BEGIN PERFORM mallory.trap(); RETURN 'p.known_release'::regclass; END $$});
	$dropper->query('COMMIT');
	my $heard = end_session($waiting);

	check_trap('owned', 'mallory', 'a database owner does not become superuser by dropping the extension under verify');
	like($heard, qr/ERROR:  (?:40P01|42P01|55000)|it answers/, 'verify ends, if only because the two wait for each other');
	like($heard, qr/^it answers$/m, 'and the other session goes on');
	$dropper->quit;
	check_alive('the extension is dropped while verify waits');
}

# The function of a live view called anonopt.live_rows by name, which anybody could make once the extension was gone.
sub check_dropped_under_live_view
{
	ask('lived', 'dbo', 'CREATE EXTENSION anonopt; CREATE SCHEMA dbo');
	make_trap('lived', 'dbo');
	ask('lived', $superuser, 'CREATE SCHEMA su; GRANT USAGE ON SCHEMA su TO reader, dbo');
	publish_live('lived', $superuser, 'known', $sixty);
	my $left = q{SELECT to_regclass('su.known_live') IS NOT NULL, to_regproc('su.known_live_rows') IS NOT NULL};
	my $forge = q{CREATE SCHEMA anonopt; GRANT USAGE ON SCHEMA anonopt, dbo TO PUBLIC;
		CREATE FUNCTION anonopt.live_rows(text, text[]) RETURNS SETOF record LANGUAGE plpgsql AS $$ BEGIN PERFORM dbo.trap(); RETURN QUERY SELECT ''::text, ''::text, 0::bigint; END $$};
	my ($read, $dump) = ('SELECT count(*) FROM su.known_live', "$scratch/lived.sql");

	$node->command_ok([ 'pg_dump', '-f', $dump, '-d', $node->connstr('lived') ], 'still: a database with a live view is dumped');
	$node->safe_psql('postgres', 'CREATE DATABASE lived_again OWNER dbo TEMPLATE template0');
	# whoever creates the extension owns it
	ask('lived_again', 'dbo', 'CREATE EXTENSION anonopt');
	$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-f', $dump, '-d', $node->connstr('lived_again') ], 'still: and restored');
	for my $case ([ 'lived', 'made' ], [ 'lived', 'made anew' ], [ 'lived_again', 'restored' ])
	{
		my ($database, $when) = @$case;

		ask('lived', $superuser, q{SELECT anonopt.republish('su.known_live', '{1}', k => 6)}) if $when eq 'made anew';
		is(ask($database, 'reader', $read), 60, "still: readers read a live view that was $when");
		my $heard = hear($database, 'dbo', "BEGIN; DROP EXTENSION anonopt; $forge; COMMIT");
		hear($database, 'reader', $read);
		check_trap($database, 'dbo', "a forged function is not run by a live view that was $when");
		like($heard, qr/ERROR:  2BP01/, "the extension cannot be dropped under a live view that was $when");
		is($node->safe_psql($database, $left), 't|t', "which is there: $when");
	}
	for my $database ('lived', 'lived_again')
	{
		ask($database, 'dbo', 'DROP EXTENSION anonopt CASCADE');
		is($node->safe_psql($database, $left), 'f|f', "in $database, CASCADE takes the live view and its function along");
		hear($database, 'dbo', $forge);
		hear($database, 'reader', $read);
		hear($database, $superuser, $read);
		check_trap($database, 'dbo', "and in $database, nobody runs a forged function");
	}
}

# --------------------------------------------------------- readers who write the source by another door

# A publisher's data set, whose only person of 77 no release shows.
sub make_hidden
{
	my ($name) = @_;

	ask('clinic', 'pub', qq{
		CREATE TABLE p.${name}_ages AS SELECT unnest('{30,40,50,77}'::int[]) AS age; ALTER TABLE p.${name}_ages ADD PRIMARY KEY (age);
		CREATE TABLE p.$name (age int DEFAULT 30, illness text);
		INSERT INTO p.$name SELECT 30 + i % 2 * 10, 'i' || i % 5 FROM generate_series(1, 20) i; INSERT INTO p.$name VALUES (77, 'secret');
		CREATE TABLE p.${name}_levels AS SELECT v AS value, v::text AS l1, '*'::text AS l2 FROM unnest('{30,40,50,77}'::int[]) v;
		ALTER TABLE p.${name}_levels ADD PRIMARY KEY (value);
		CREATE TABLE p.${name}_everybody AS SELECT age FROM p.$name, generate_series(1, 9);
		SELECT anonopt.create_dataset('$name', 'p.$name', 0.2), anonopt.add_quasi_identifier('$name', 'age', 'p.${name}_levels'), anonopt.add_sensitive('$name', 'illness');
		SELECT anonopt.add_promise('$name', 'k_map', 5, population => 'p.${name}_everybody')});
}

# Doors to a relation %1$s: what makes them, the relation to grant rights on, the rights, and what a reader does with it.
my $reference = 'ALTER TABLE %1$s ADD FOREIGN KEY (%3$s) REFERENCES %2$s_ages';
my $fill = q{INSERT INTO %2$s_door SELECT 77, 'mine' FROM generate_series(1, 4)};
my $lump = 'UPDATE %2$s_door SET age = 30 WHERE age = 77';
my %door = (
	'a partitioned table' => [ 'CREATE TABLE %2$s_door (LIKE %1$s) PARTITION BY LIST (age); ALTER TABLE %2$s_door ATTACH PARTITION %1$s DEFAULT', 'door', 'INSERT', $fill ],
	'a table of partitioned tables' => [ 'CREATE TABLE %2$s_door (LIKE %1$s) PARTITION BY LIST (age); CREATE TABLE %2$s_hall PARTITION OF %2$s_door DEFAULT PARTITION BY LIST (age);
		ALTER TABLE %2$s_hall ATTACH PARTITION %1$s DEFAULT', 'door', 'INSERT', $fill ],
	'a view of a partitioned table' => [ 'CREATE TABLE %2$s_hall (LIKE %1$s) PARTITION BY LIST (age); ALTER TABLE %2$s_hall ATTACH PARTITION %1$s DEFAULT;
		CREATE VIEW %2$s_door AS TABLE %2$s_hall', 'door', 'INSERT', $fill ],
	'a parent' => [ 'CREATE TABLE %2$s_door (LIKE %1$s); ALTER TABLE %1$s INHERIT %2$s_door', 'door', 'SELECT (%3$s), UPDATE (%3$s)', $lump ],
	'a parent that may be emptied' => [ 'CREATE TABLE %2$s_door (LIKE %1$s); ALTER TABLE %1$s INHERIT %2$s_door', 'door', 'TRUNCATE' ],
	'a parent of a parent' => [ 'CREATE TABLE %2$s_door (LIKE %1$s); CREATE TABLE %2$s_hall () INHERITS (%2$s_door); ALTER TABLE %1$s INHERIT %2$s_hall', 'door', 'SELECT, DELETE' ],
	'a view of a parent' => [ 'CREATE TABLE %2$s_hall (LIKE %1$s); ALTER TABLE %1$s INHERIT %2$s_hall; CREATE VIEW %2$s_door AS TABLE %2$s_hall', 'door', 'SELECT, UPDATE', $lump ],
	'ON UPDATE CASCADE' => [ "$reference ON UPDATE CASCADE", 'ages', 'SELECT, UPDATE' ],
	'ON UPDATE SET NULL' => [ "$reference ON UPDATE SET NULL", 'ages', 'SELECT, UPDATE (age)' ],
	'ON DELETE CASCADE' => [ "$reference ON DELETE CASCADE", 'ages', 'SELECT, DELETE' ],
	'ON DELETE SET NULL' => [ "$reference ON DELETE SET NULL", 'ages', 'SELECT, DELETE' ],
	'ON DELETE SET DEFAULT' => [ "$reference ON DELETE SET DEFAULT", 'ages', 'SELECT, DELETE', 'DELETE FROM %2$s_ages WHERE age = 77' ],
	'a view of a referenced table' => [ "$reference ON DELETE CASCADE; CREATE VIEW \%2\$s_door AS TABLE \%2\$s_ages", 'door', 'SELECT, DELETE' ],
	'a parent of a referenced table' => [ "$reference ON DELETE CASCADE; CREATE TABLE \%2\$s_door (age int); ALTER TABLE \%2\$s_ages INHERIT \%2\$s_door", 'door', 'SELECT, DELETE' ],
	'a chain of references' => [ "$reference ON UPDATE CASCADE; CREATE TABLE \%2\$s_door (age int PRIMARY KEY); INSERT INTO \%2\$s_door TABLE \%2\$s_ages;
		ALTER TABLE \%2\$s_ages ADD FOREIGN KEY (age) REFERENCES \%2\$s_door ON UPDATE CASCADE", 'door', 'SELECT, UPDATE' ]);

# A reader padded or lumped a class through a parent of the source, or through a table that it references; or through one of
# the population of a promise, or of a hierarchy.
sub check_doors
{
	my $made = 0;

	for my $case ((map { [ $_, '', 'age' ] } sort keys %door), map { ([ $_, '_everybody', 'age' ], [ $_, '_levels', 'value' ]) } 'a parent', 'ON DELETE CASCADE')
	{
		my ($what, $of, $column) = @$case;
		my ($make, $at, $rights, $attack) = @{ $door{$what} };
		my $name = 'door' . ++$made;
		my ($read, $count) = map { "SELECT $_ FROM p.${name}_live" } q{string_agg(illness, ' ')}, 'count(*)';

		make_hidden($name);
		ask('clinic', 'pub', "SELECT anonopt.create_view('p.${name}_live', '$name', '{1}', k => 5, materialized => false);
			GRANT SELECT ON p.${name}_live TO reader; GRANT EXECUTE ON FUNCTION p.${name}_live_rows() TO reader");
		ask('clinic', 'pub', sprintf($make, "p.$name$of", "p.$name", $column));
		is(ask('clinic', 'reader', $count), 20, "still: who may not write reads in spite of $what: $name$of");
		ask('clinic', 'pub', sprintf("GRANT $rights ON p.${name}_$at TO reader", '', '', $column));
		unlike(hear('clinic', 'reader', 'BEGIN; ' . sprintf("$attack; $read; ROLLBACK", "p.$name", "p.$name")), qr/secret/, "no reader learns the secret through $what")
		  if $attack && !$of;
		like(hear('clinic', 'reader', $read), qr/ERROR:  42501/, "who may write through $what may not read: $name$of");
		ask('clinic', 'pub', "REVOKE ALL ON p.${name}_$at FROM reader");
		is(ask('clinic', 'reader', $count), 20, "still: and reads again without the right: $what: $name$of");
	}
}

# A reader's settings print no plan of what is read, and a reader that waits while a table is written anew does not take it for empty.
sub check_waiting_reader
{
	my $read = 'SELECT count(*) FROM p.waited_live';

	make_hidden('waited');
	ask('clinic', 'pub', q{SELECT anonopt.create_view('p.waited_live', 'waited', '{1}', k => 5, materialized => false);
		GRANT SELECT ON p.waited_live TO reader; GRANT EXECUTE ON FUNCTION p.waited_live_rows() TO reader});
	my $oid = $node->safe_psql('clinic', q{SELECT 'p.waited'::regclass::oid});
	my $told = hear('clinic', 'reader', "SET client_min_messages = log; SET debug_print_plan = on; $read");
	like($told, qr/:relid \d/, 'a reader prints plans');
	unlike($told, qr/:relid $oid\b/, 'but none of the source');
	my $owner = $node->background_psql('clinic', extra_params => [ '-U', 'pub' ], on_error_stop => 0);
	$owner->query('BEGIN; ALTER TABLE p.waited ADD later float8 DEFAULT random()');
	my ($out, $err) = ('', '');
	my $reader = IPC::Run::start([ 'psql', '-XAtq', '-U', 'reader', '-d', $node->connstr('clinic'), '-c', $read ], '<', '/dev/null', '>', \$out, '2>', \$err);
	ok($node->poll_query_until('clinic', q{SELECT count(*) > 0 FROM pg_locks WHERE NOT granted AND relation = 'p.waited'::regclass}), 'a reader waits');
	$owner->query('COMMIT');
	$reader->finish;
	like("$out$err", qr/relation p\.waited was altered meanwhile/, 'and is told so');
	is(ask('clinic', 'reader', $read), 20, 'and reads again');
	$owner->quit;
}

# A live view was made over a table that everybody writes through its parent.
sub check_public_doors
{
	my $made = 0;

	for my $case (map { ([ $_, '' ], [ $_, '_everybody' ]) } 'a parent', 'a view of a parent', 'a parent of a parent', 'ON UPDATE CASCADE', 'ON DELETE SET NULL', 'a chain of references')
	{
		my ($what, $of) = @$case;
		my ($make, $at, $rights) = @{ $door{$what} };
		my $name = 'open' . ++$made;
		my $create = "SELECT anonopt.create_view('p.${name}_live', '$name', '{1}', k => 5, materialized => false)";

		make_hidden($name);
		ask('clinic', 'pub', sprintf($make, "p.$name$of", "p.$name", 'age'));
		like(hear('clinic', 'pub', "BEGIN; $create; ROLLBACK"), qr/^p\.${name}_live$/m, "still: a live view is made beside $what: $name$of");
		ask('clinic', 'pub', sprintf("GRANT $rights ON p.${name}_$at TO PUBLIC", '', '', 'age'));
		like(hear('clinic', 'pub', $create), qr/ERROR:  22023/, "but not where everybody may write through $what: $name$of");
	}
}

# ------------------------------------------------------------- new rows for a release

# A refresh stored values that do not fit the release's columns, so that a dump could not be restored.
sub check_types
{
	my %widened = (
		varchar => [ 'varchar(5)', q{'i' || i % 3}, 'varchar(50)', q{'a very long illness'} ],
		numeric => [ 'numeric(4,1)', '1.5 + i % 3', 'numeric(30,10)', '123456789.123456' ],
		char => [ 'char(3)', q{'a' || i % 3}, 'char(30)', q{'abcdefghij'} ],
		moment => [ 'timestamp(0)', q{'2020-02-02'}, 'timestamp(6)', q{'2020-02-02 02:02:02.020202'} ]);
	my ($made, $rows) = (0, q{SELECT count(*), md5(string_agg(r::text, ',' ORDER BY r::text)) FROM %s r});

	$node->safe_psql('typed', 'CREATE EXTENSION anonopt; CREATE SCHEMA p AUTHORIZATION pub');
	ask('typed', 'pub', 'CREATE DOMAIN p.positive AS int CHECK (value > 0)');
	my $source = q{SELECT i AS nr, i %% 2 AS age, (%s)::%s AS illness FROM generate_series(1, 60) i};
	my $check = sub {
		my ($name, $change, $code, $what) = @_;
		my $before = ask('typed', 'pub', sprintf $rows, "p.${name}_release");
		my $heard = hear('typed', 'pub', "$change; SELECT anonopt.refresh_release('p.${name}_release')");

		is(ask('typed', 'pub', sprintf $rows, "p.${name}_release"), $before, "the release keeps its rows: $what");
		like($heard, qr/ERROR:  $code/, "a refresh is refused: $what");
	};

	for my $type (sort keys %widened)
	{
		my ($narrow, $value, $wide, $long) = @{ $widened{$type} };

		publish('typed', 'pub', $type, sprintf $source, $value, $narrow);
		unlike(hear('typed', 'pub', "SELECT anonopt.refresh_release('p.${type}_release')"), qr/ERROR/, "still: a release of $narrow is refreshed");
		$check->($type, "ALTER TABLE p.$type ALTER illness TYPE $wide; UPDATE p.$type SET illness = $long", 23514, "$narrow has become $wide");
	}
	publish('typed', 'pub', 'domain', sprintf $source, 'i % 3 + 1', 'int');
	$check->('domain', 'ALTER TABLE p.domain_release ALTER illness TYPE p.positive; UPDATE p.domain SET illness = -illness', 23514, 'the column of the release was given a domain');
	publish('typed', 'pub', 'own', sprintf $source, 'i % 3 + 1', 'p.positive');
	unlike(hear('typed', 'pub', q{SELECT anonopt.refresh_release('p.own_release')}), qr/ERROR/, 'still: a release of a column with a domain is refreshed');

	for my $constraint ('ALTER nr SET NOT NULL', 'ADD PRIMARY KEY (nr)')
	{
		my $name = 'constrained' . ++$made;

		publish('typed', 'pub', $name, sprintf $source, 'i % 3', 'int');
		ask('typed', 'pub', "ALTER TABLE p.${name}_release $constraint; UPDATE p.$name SET illness = 7 WHERE illness = 1; SELECT anonopt.refresh_release('p.${name}_release')");
		is(ask('typed', 'pub', "SELECT count(*) FROM p.${name}_release WHERE illness = 7"), 20, "without a NULL a release is refreshed: $constraint");
		$check->($name, "UPDATE p.$name SET nr = NULL WHERE nr = 3", 23502, "$constraint, and a NULL");
	}

	$node->safe_psql('postgres', 'CREATE DATABASE typed_again TEMPLATE template0');
	$node->command_ok([ 'pg_dump', '-f', "$scratch/typed.sql", '-d', $node->connstr('typed') ], 'still: the database is dumped');
	$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-f', "$scratch/typed.sql", '-d', $node->connstr('typed_again') ], 'and restored');
}

# Whether the indexes of a relation have an entry for each row.
sub check_indexes
{
	my ($relation, $condition, $what) = @_;
	my $has = $node->safe_psql('clinic', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'amcheck'});

  SKIP:
	{
		skip "amcheck is not installed: $what", 1 unless $has;
		unlike(hear('clinic', $superuser, "CREATE EXTENSION IF NOT EXISTS amcheck; SELECT bt_index_check(indexrelid, true) FROM pg_index WHERE indrelid = '$relation'::regclass AND $condition"),
			qr/ERROR/, "the indexes have an entry for each row: $what");
	}
}

# The index of an exclusion constraint, built while the others were hidden, ran a function that updated the release.
sub check_swap_function
{
	publish('clinic', 'pub', 'hot', $sixty);
	make_actor('hot', 'in the swap', q{UPDATE p.hot_release SET nr = 1, illness = 'moved' WHERE nr <= 10});
	ask('clinic', 'pub', q{ALTER TABLE p.hot_release ADD PRIMARY KEY (nr); CREATE INDEX ON p.hot_release (illness);
		-- of ranges that are empty, and so never overlap, by a column that is not updated
		ALTER TABLE p.hot_release ADD EXCLUDE USING gist (int4range(0, 0 * length(p.hot_one(age))) WITH &&); INSERT INTO p.hot_armed VALUES (1)});
	hear('clinic', 'pub', q{SELECT anonopt.refresh_release('p.hot_release')});
	my %counted = map { $_ => ask('clinic', 'pub', qq{SET enable_seqscan = $_; SET enable_bitmapscan = off; SET enable_indexscan = @{[ $_ eq 'on' ? 'off' : 'on' ]};
		SELECT (SELECT count(*) FROM p.hot_release WHERE illness = 'moved'), (SELECT count(*) FROM p.hot_release WHERE nr BETWEEN 1 AND 10)}) } 'on', 'off';

	is($counted{off}, $counted{on}, 'rows are found by an index as they are without');
	is(ask('clinic', 'pub', 'SELECT count(*), count(DISTINCT nr) FROM p.hot_release'), '60|60', 'and no value of the primary key is there twice');
	check_indexes('p.hot_release', 'indexprs IS NULL', 'a function changed rows in the swap');
}

# An index's function left a cursor open on the release, whose files were then exchanged.
sub check_swap_cursor
{
	publish('clinic', 'pub', 'long', q{SELECT repeat(md5((i % 7)::text), 300) AS nr, i % 2 AS age, 'i' || i % 3 AS illness FROM generate_series(1, 6000) i});
	make_actor('long', 'at once', 'OPEN c FOR SELECT ctid, * FROM p.long_release; FETCH c INTO x');
	ask('clinic', 'pub', 'CREATE INDEX ON p.long_release (p.long_one(age)); INSERT INTO p.long_armed VALUES (1)');
	my $state = q{SELECT count(*), count(DISTINCT nr), pg_relation_filenode('p.long_release') FROM p.long_release};
	my $before = ask('clinic', 'pub', $state);
	my $heard = hear('clinic', 'pub', q{BEGIN; SELECT anonopt.refresh_release('p.long_release'); MOVE 2000 FROM left_open; COMMIT});

	check_alive('a cursor is left open on a release');
	is((split /\n/, hear('clinic', 'pub', $state))[0], $before, 'the release keeps its rows and its file');
	like($heard, qr/ERROR:  55006/, 'a release that a cursor reads is not refreshed');
	ask('clinic', 'pub', q{DELETE FROM p.long_armed; SELECT anonopt.refresh_release('p.long_release')});
	is((split /\n/, hear('clinic', 'pub', 'SELECT count(*), count(DISTINCT nr) FROM p.long_release'))[0], '6000|7', 'without one, it is');
}

# Readers waited while indexes were built: an index's function tells what its session has locked meanwhile.
sub check_swap_locks
{
	publish('clinic', 'pub', 'locked', $sixty);
	ask('clinic', 'pub', 'CREATE SEQUENCE p.locked_out');
	make_actor('locked', 'in the swap', q{PERFORM nextval('p.locked_out')});
	ask('clinic', 'pub', q{ALTER TABLE p.locked_release ADD PRIMARY KEY (nr); CREATE INDEX ON p.locked_release (illness);
		CREATE INDEX ON p.locked_release (age, illness); CREATE INDEX ON p.locked_release (p.locked_one(illness)); INSERT INTO p.locked_armed VALUES (1)});
	my $indexes = q{SELECT string_agg(concat_ws(' ', indexrelid, indisvalid, indisready, indislive), ', ' ORDER BY indexrelid) FROM pg_index WHERE indrelid = 'p.locked_release'::regclass};
	my $files = q{SELECT string_agg(pg_relation_filenode(indexrelid)::text, ' ' ORDER BY indexrelid) FROM pg_index WHERE indrelid = 'p.locked_release'::regclass};
	my $before = ask('clinic', 'pub', $indexes);
	my %old = map { $_ => 1 } split / /, ask('clinic', 'pub', $files);

	ask('clinic', 'pub', q{UPDATE p.locked SET illness = 'other'; SELECT anonopt.refresh_release('p.locked_release')});
	is(ask('clinic', 'pub', 'SELECT is_called FROM p.locked_out'), 'f', 'no index is built while readers are locked out');
	is(ask('clinic', 'pub', $indexes), $before, 'still: the indexes of a release keep their numbers, and are valid');
	is(join(' ', grep { $old{$_} } split / /, ask('clinic', 'pub', $files)), '', 'still: and each has a new file');
	is(ask('clinic', 'pub', q{SET enable_seqscan = off; SELECT count(*) FROM p.locked_release WHERE illness = 'other'}), 60, 'still: by which the new rows are found');
	check_indexes('p.locked_release', 'true', 'a refresh');
}

# Rows that were swapped in never reached the subscribers of a publication, and nobody said so.
sub check_publications
{
	my @forms = ('FOR TABLE p.sent_release', 'FOR ALL TABLES', $node->safe_psql('postgres', 'SHOW server_version_num') >= 150000 ? 'FOR TABLES IN SCHEMA p' : ());
	my $refresh = q{UPDATE p.sent SET illness = '%s'; SELECT anonopt.refresh_release('p.sent_release')};
	my $made = 0;

	publish('clinic', 'pub', 'sent', $sixty);
	$node->safe_psql('clinic', 'ALTER TABLE p.sent REPLICA IDENTITY FULL; ALTER TABLE p.sent_release REPLICA IDENTITY FULL');
	for my $form (@forms)
	{
		my $new = 'new' . ++$made;

		$node->safe_psql('clinic', "CREATE PUBLICATION sent $form; SELECT pg_create_logical_replication_slot('sent', 'pgoutput')");
		my $heard = hear('clinic', 'pub', sprintf $refresh, $new);
		# messages to a subscriber begin with what they are: an insertion, a deletion, a truncation
		my $sent = $node->safe_psql('clinic', qq{
			SELECT count(*) FILTER (WHERE message LIKE 'I%$new%') = 60 AND (count(*) FILTER (WHERE message LIKE 'D%') >= 60 OR count(*) FILTER (WHERE message LIKE 'T%') = 1)
			FROM (SELECT encode(data, 'escape') AS message FROM pg_logical_slot_get_binary_changes('sent', NULL, NULL, 'proto_version', '1', 'publication_names', 'sent')) m});

		unlike($heard, qr/ERROR/, "a release in a publication is refreshed: $form");
		ok($sent eq 't' || $heard =~ /WARNING:.*publication/s, "the new rows reach subscribers, or the owner is told: $form") or diag($heard);
		$node->safe_psql('clinic', q{SELECT pg_drop_replication_slot('sent'); DROP PUBLICATION sent});
	}
	unlike(hear('clinic', 'pub', sprintf $refresh, 'newest'), qr/publication|ERROR/, 'still: without one, nothing is said');
}

# A refresh that had waited for republish went on by the entry of before, and undid it.
sub check_republish
{
	declare('clinic', 'pub', 'lost', $sixty);
	ask('clinic', 'pub', q{SELECT anonopt.publish_table('p.lost_release', 'lost', cuts => ARRAY[B'1'], k => 5)});
	my $shown = q{SELECT string_agg(age || ' ' || n, ', ' ORDER BY age) FROM (SELECT age, count(*) AS n FROM p.lost_release GROUP BY age) x;
		SELECT cuts FROM anonopt.release WHERE name = 'p.lost_release'};
	my $first = $node->background_psql('clinic', extra_params => [ '-U', 'pub' ]);

	$first->query_safe(q{SET anonopt.composition = off; BEGIN; SELECT anonopt.republish('p.lost_release', cuts => ARRAY[B'0'], k => 5)});
	my $republished = $first->query_safe($shown);
	my $second = begin_session('clinic', 'pub', 'refreshing', q{SET anonopt.composition = off; SELECT anonopt.refresh_release('p.lost_release');});
	is(waits($second), 1, 'still: a refresh waits for a republish');
	$first->query_safe('COMMIT');
	my $heard = end_session($second);
	is(ask('clinic', 'pub', $shown), $republished, 'and shows what was republished');
	unlike($heard, qr/ERROR/, 'without an error');
	$first->quit;
}

# ------------------------------------------------------------- a superuser's release

# A database owner redirected a superuser's data set, or its promises, to relations of his own, which refresh_release and
# verify then read as superuser.
sub check_redirection
{
	my @record = qw(dataset attribute promise published published_promise);
	my $to_view = q{UPDATE anonopt.dataset SET relation = 'dbo.v', row_type = 'dbo.v'::regtype};
	my $to_table = q{UPDATE anonopt.dataset SET relation = 'dbo.t', row_type = 'dbo.t'::regtype};
	my $source = q{UPDATE anonopt.published SET source = '%1$s'::regclass::oid::int8, source_name = '%1$s'};
	my $promise = q{INSERT INTO anonopt.published_promise SELECT id, 1, '%s', NULL, %s, NULL, 'dbo.v'::regclass::oid::int8, 'dbo.v' FROM anonopt.published};
	my %forgery = (
		'the data set' => $to_view,
		'the data set and the record' => "$to_view; " . sprintf($source, 'dbo.v'),
		'the data set, to a table' => $to_table,
		'the data set and the record, to a table' => "$to_table; " . sprintf($source, 'dbo.t'),
		'the hierarchy of a sensitive column' => q{UPDATE anonopt.attribute SET hierarchy = 'dbo.h', distance = 'hierarchical', hierarchy_type = 'dbo.h'::regtype WHERE role = 'sensitive'},
		'the weights of a column' => q{UPDATE anonopt.attribute SET sensitivity = 'dbo.w', sensitivity_type = 'dbo.w'::regtype WHERE role = 'quasi_identifier'},
		'the hierarchies on record' => q{UPDATE anonopt.published SET hierarchies[1] = 'dbo.h'::regclass::oid::int8, hierarchy_names[1] = 'dbo.h'},
		'the recoding on record' => q{UPDATE anonopt.published SET levels = NULL, recoding = 'dbo.v'::regclass::oid::int8, recoding_name = 'dbo.v', labels = 'hierarchy'},
		'the population of a promise' => q{INSERT INTO anonopt.promise (dataset, model, threshold, population, population_type) VALUES ('sd', 'k_map', 1, 'dbo.v', 'dbo.v'::regtype)},
		'the population of a promise on record' => sprintf($promise, 'k_map', 2),
		'a share of the population on record' => sprintf($promise, 'presence', 0.9));

	$node->safe_psql('ruled', 'CREATE EXTENSION anonopt; CREATE SCHEMA su');
	publish('ruled', $superuser, 'sd', $sixty, q{SELECT anonopt.publish_records('su.sd_records', 'sd', 0, 'nr', k => 2);});
	ask('ruled', $superuser, join '; ', map { "CREATE TABLE su.kept_$_ AS TABLE anonopt.$_" } @record);
	ask('ruled', 'dbo', 'CREATE SCHEMA dbo');
	make_trap('ruled', 'dbo');
	ask('ruled', 'dbo', qq{
		CREATE VIEW dbo.v AS SELECT nr, age + dbo.trap() AS age, illness FROM ($sixty) x; CREATE TABLE dbo.t AS $sixty;
		CREATE VIEW dbo.h AS SELECT 'i' || i AS value, (dbo.trap() || '*')::text AS label FROM generate_series(0, 2) i;
		CREATE VIEW dbo.w AS SELECT i AS value, (1 + dbo.trap())::float8 AS weight FROM generate_series(0, 1) i;
		CREATE INDEX ON dbo.t ((dbo.quiet() + nr))});
	for my $what (sort keys %forgery)
	{
		ask('ruled', 'dbo', $forgery{$what});
		my $heard = join '', map { hear('ruled', $superuser, "SELECT anonopt.refresh_release('$_')") } 'su.sd_release', 'su.sd_records';
		check_trap('ruled', 'dbo', "refresh_release runs nothing of a database owner who redirected $what");
		like($heard, qr/ERROR:  23514:.*HINT:.*anonopt\.republish/s, 'and says how to adopt that') if $what eq 'the data set';
		hear('ruled', $superuser, "SELECT ok FROM anonopt.verify('$_')") for 'su.sd_release', 'su.sd_records';
		check_trap('ruled', 'dbo', "nor does verify: $what");
		ask('ruled', $superuser, join '; ', map { "DELETE FROM anonopt.$_; INSERT INTO anonopt.$_ TABLE su.kept_$_" } @record);
	}
	unlike(hear('ruled', $superuser, q{SELECT anonopt.refresh_release('su.sd_release')}), qr/ERROR/, 'still: without a forgery, it is refreshed');
}

# The owner of the source, or of the population, planted an expression that a superuser's refresh and verify then ran.
sub check_owners_of_sources
{
	my $call = q{SET constraint_exclusion = on; SELECT * FROM anonopt.%2$s('su.%1$s_release')};
	my %table = (of_source => 'app.source', of_register => 'app.register');

	make_trap('clinic', 'app');
	ask('clinic', 'app', qq{CREATE TABLE app.source AS $sixty; CREATE TABLE app.register AS SELECT x.* FROM ($sixty) x, generate_series(1, 9)});
	publish('clinic', $superuser, 'of_source', 'app.source');
	publish('clinic', $superuser, 'of_register', $sixty, q{SELECT anonopt.add_promise('of_register', 'k_map', 5, population => 'app.register');});
	for my $what (sort keys %planted)
	{
		for my $name (sort keys %table)
		{
			ask('clinic', 'app', sprintf($planted{$what}[0], $table{$name}, 'app'));
			for my $function ('refresh_release', 'verify')
			{
				hear('clinic', $superuser, sprintf $call, $name, $function);
				check_trap('clinic', 'app', "nothing of the owner of $table{$name} runs as superuser in $function: $what");
			}
			ask('clinic', 'app', sprintf($planted{$what}[1], $table{$name}, 'app'));
		}
	}

	# what everybody may plant
	ask('clinic', 'app', join '; ', map { "CREATE INDEX ON app.$_ (lower(illness)); CREATE INDEX ON app.$_ (abs(nr)) WHERE length(illness) > 1" } 'source', 'register');
	for my $name (sort keys %table)
	{
		unlike(hear('clinic', $superuser, sprintf $call, $name, 'refresh_release'), qr/ERROR/, "in spite of an ordinary index, it is refreshed: $name");
		like(hear('clinic', $superuser, sprintf $call, $name, 'verify'), qr/^5\|(?:\d*\|){4}t\|/m, "and verified: $name");
	}
}

# The same, where the source is a view that its owner replaces, or a table that becomes a view (up to PostgreSQL 15).
sub check_views_as_sources
{
	ask('clinic', 'app', qq{CREATE TABLE app.behind AS $sixty; CREATE VIEW app.window AS TABLE app.behind; CREATE TABLE app.turned AS $sixty});
	publish('clinic', $superuser, "of_$_", "app.$_") for 'window', 'turned';
	my $definition = 'AS SELECT nr, age + app.trap() AS age, illness FROM app.behind';
	hear('clinic', 'app', "CREATE OR REPLACE VIEW app.window $definition");
	hear('clinic', 'app', 'DELETE FROM app.turned; CREATE RULE "_RETURN" AS ON SELECT TO app.turned DO INSTEAD ' . $definition =~ s/^AS //r);
	for my $call (map { ("refresh_release('su.of_${_}_release')", "verify('su.of_${_}_release')") } 'window', 'turned')
	{
		hear('clinic', $superuser, "SELECT anonopt.$call");
		check_trap('clinic', 'app', "nothing of a view's owner runs as superuser: $call");
	}
}

# The same for a live view: whoever owned its source ran code as its publisher once somebody read.
sub check_owners_of_live_sources
{
	ask('clinic', 'app', qq{CREATE TABLE app.lively AS $sixty; GRANT SELECT ON app.lively TO pub;
		CREATE SEQUENCE app.heard; GRANT ALL ON SEQUENCE app.heard TO PUBLIC;
		CREATE OR REPLACE FUNCTION app.trap() RETURNS int LANGUAGE plpgsql AS \$\$
		BEGIN
			IF current_user = 'pub' THEN PERFORM nextval('app.heard'); GRANT SELECT ON p.secret TO app; END IF;
			RETURN 0;
		END \$\$});
	ask('clinic', 'pub', q{CREATE TABLE p.secret AS SELECT 'of the publisher'::text AS secret});
	publish_live('clinic', 'pub', 'lively', 'app.lively');
	my $read = 'SET constraint_exclusion = %s; SELECT count(*) FROM p.lively_live';

	for my $what (sort keys %planted)
	{
		ask('clinic', 'app', sprintf($planted{$what}[0], 'app.lively', 'app'));
		hear('clinic', 'reader', sprintf $read, $_) for 'partition', 'on';
		unlike(hear('clinic', 'app', 'TABLE p.secret'), qr/of the publisher/, "the owner of the source cannot read what is the publisher's: $what");
		is($node->safe_psql('clinic', q{SELECT is_called, has_table_privilege('app', 'p.secret', 'SELECT') FROM app.heard}), 'f|f', "and nothing of theirs runs as the publisher: $what");
		$node->safe_psql('clinic', 'REVOKE ALL ON p.secret FROM app; ALTER SEQUENCE app.heard RESTART');
		ask('clinic', 'app', sprintf($planted{$what}[1], 'app.lively', 'app'));
	}
	is(ask('clinic', 'reader', sprintf $read, $_), 60, "still: with none of these, readers read: $_") for 'partition', 'on';
	ask('clinic', 'app', 'CREATE INDEX ON app.lively (lower(illness))');
	is(ask('clinic', 'reader', sprintf $read, 'on'), 60, 'and in spite of an ordinary index');
}

# Another server answered any number where a bucket was asked for: an index into an array here.
sub check_answers_of_shards
{
	my ($host, $port) = ($node->host, $node->port);

	$node->safe_psql('postgres', 'CREATE DATABASE evil');
	$node->safe_psql('evil', q{
		CREATE TABLE people AS SELECT i::numeric AS age FROM generate_series(0, 9) i;
		SET allow_system_table_mods = on;
		ALTER FUNCTION pg_catalog.width_bucket(anycompatible, anycompatiblearray) RENAME TO width_bucket_honest;
		CREATE TABLE answer (n int);
		CREATE FUNCTION pg_catalog.width_bucket(numeric, numeric[]) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN (SELECT n FROM public.answer); END $$;
		-- texts there, numbers here: "01" and "1" are one number, but no neighbours
		CREATE TABLE doubled AS SELECT * FROM (VALUES ('01', 'a'), ('02', 'a'), ('1', 'b')) v (value, label)});
	ask('clinic', $superuser, qq{
		CREATE EXTENSION postgres_fdw; CREATE SCHEMA shard;
		CREATE SERVER evil FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'evil');
		CREATE USER MAPPING FOR postgres SERVER evil OPTIONS (user 'postgres');
		CREATE FOREIGN TABLE shard.people (age numeric) SERVER evil OPTIONS (schema_name 'public', table_name 'people');
		CREATE FOREIGN TABLE shard.doubled (value int, label text) SERVER evil OPTIONS (schema_name 'public', table_name 'doubled');
		CREATE TABLE shard.levels (value numrange, label text); INSERT INTO shard.levels VALUES ('[0,5)', '*'), ('[5,10)', '*');
		CREATE TABLE shard.here AS SELECT 1 + i % 2 AS age FROM generate_series(1, 10) i;
		SELECT anonopt.create_dataset('shard', 'shard.people'), anonopt.add_quasi_identifier('shard', 'age', 'shard.levels');
		SELECT anonopt.create_dataset('doubled', 'shard.here')});
	for my $answer (123456789, -5, 2147483647)
	{
		$node->safe_psql('evil', "TRUNCATE answer; INSERT INTO answer VALUES ($answer)");
		my $heard = hear('clinic', $superuser, q{SELECT * FROM anonopt.evaluate('shard', '{0}'); SELECT 'it answers'});
		check_alive("another server answers $answer");
		like($heard, qr/^it answers$/m, "the session goes on: $answer");
		like($heard, qr/ERROR:  HV000/, "which is no answer: $answer");
	}
	is(ask('clinic', $superuser, q{SELECT string_agg(value::text, ' ') FROM (SELECT value FROM shard.doubled ORDER BY value) x}), '1 2 1', 'still: another server sorts as it likes');
	my $heard = hear('clinic', $superuser, q{SELECT anonopt.add_quasi_identifier('doubled', 'age', 'shard.doubled'); SELECT * FROM anonopt.evaluate('doubled', '{0}')});
	check_alive('a foreign hierarchy is not sorted');
	like($heard, qr/ERROR:  23514/, 'a leaf that another server returns twice, but not one after the other, is found');
}

# ------------------------------------------------------------- the record of releases

# Two publishers compared their releases with what was committed before, and so not with each other's.
sub check_composition_race
{
	my $publish = q{SELECT anonopt.publish_table('p.%1$s_%2$s', '%1$s', '{1}', k => 5)};
	my $make = sub {
		my ($name) = @_;

		ask('clinic', 'pub', qq{
			CREATE TABLE p.$name AS SELECT i AS nr, 20 + i % 20 AS age, (ARRAY['cold', 'flu', 'gout'])[1 + i / 20 % 3] AS illness FROM generate_series(1, 80) i;
			SELECT anonopt.create_interval_hierarchy('p.${name}_levels', 0, 99, '{10,50}');
			SELECT anonopt.create_dataset('$name', 'p.$name', 0.2), anonopt.add_quasi_identifier('$name', 'age', 'p.${name}_levels'), anonopt.add_sensitive('$name', 'illness')});
	};
	my $settings = q{SET client_min_messages = error; SET anonopt.composition = 'refuse'};
	my $first = $node->background_psql('clinic', extra_params => [ '-U', 'pub' ]);

	$first->query_safe($settings);
	$make->('race');
	$first->query_safe('BEGIN; ' . sprintf $publish, 'race', 'one');
	ask('clinic', 'pub', q{INSERT INTO p.race VALUES (1001, 21, 'gout')});
	my $second = begin_session('clinic', 'pub', 'publishing', "$settings; " . sprintf("$publish;", 'race', 'two'));
	my $waits = waits($second);
	$first->query_safe('COMMIT');
	my $heard = end_session($second);
	is(ask('clinic', 'pub', q{SELECT to_regclass('p.race_two') IS NULL}), 't', 'of two releases that are made at once, and differ by a person, one is not made');
	is($waits, 1, 'the second publisher waits for the first');
	like($heard, qr/ERROR:  55000/, 'and is refused then');

	# the second one's snapshot is from before
	$make->('past');
	$first->query_safe('SELECT pg_advisory_lock(77)');
	$second = begin_session('clinic', 'pub', 'publishing', "$settings; BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM p.past;
		SELECT pg_advisory_lock_shared(77) IS NULL; " . sprintf("$publish; COMMIT;", 'past', 'two'));
	is(waits($second), 1, 'still: a transaction has begun');
	$first->query_safe(q{INSERT INTO p.past VALUES (1001, 21, 'gout'); } . sprintf $publish, 'past', 'one');
	$first->query_safe('SELECT pg_advisory_unlock(77)');
	$heard = end_session($second);
	is(ask('clinic', 'pub', q{SELECT to_regclass('p.past_one') IS NULL, to_regclass('p.past_two') IS NULL}), 'f|t', 'nor is one by data from before the other');
	like($heard, qr/ERROR:  (?:55000|40001)/, 'it is refused');

	# so did publishers of two views of one table
	$make->('viewed');
	ask('clinic', 'pub', q{CREATE TABLE p.viewed_more AS SELECT 1 AS x; CREATE VIEW p.viewed_ab AS SELECT v.* FROM p.viewed v, p.viewed_more;
		CREATE VIEW p.viewed_ba AS SELECT v.* FROM p.viewed_more, p.viewed v;
		SELECT anonopt.create_dataset(x, ('p.' || x)::regclass, 0.2), anonopt.add_quasi_identifier(x, 'age', 'p.viewed_levels'), anonopt.add_sensitive(x, 'illness')
		FROM unnest('{viewed_ab,viewed_ba}'::text[]) x});
	$first->query_safe('BEGIN; ' . sprintf $publish, 'viewed_ab', 'one');
	ask('clinic', 'pub', q{INSERT INTO p.viewed VALUES (1001, 21, 'gout')});
	$second = begin_session('clinic', 'pub', 'publishing', "$settings; " . sprintf("$publish;", 'viewed_ba', 'two'));
	$waits = waits($second);
	$first->query_safe('COMMIT');
	$heard = end_session($second);
	is(ask('clinic', 'pub', q{SELECT to_regclass('p.viewed_ba_two') IS NULL}), 't', 'nor one of two views of a table that are published at once');
	is($waits, 1, 'the second publisher waits, too');
	like($heard, qr/ERROR:  55000/, 'and is refused');
	my $often = q{DO $$ BEGIN FOR i IN 1..15 LOOP PERFORM anonopt.publish_table('p.often_%1$s', '%1$s', '{1}', k => 5); DROP TABLE p.often_%1$s; COMMIT; END LOOP; END $$;};
	my @both = map { begin_session('clinic', 'pub', $_, "SET client_min_messages = error; SET anonopt.composition = off; " . sprintf($often, $_)) } qw(viewed_ab viewed_ba);
	unlike(join('', map { end_session($_) } @both), qr/ERROR/, 'publishers of two views do not lock each other out');
	$first->quit;
}

# Contents by copies of one hierarchy were not compared by class: one's own, dropped and made anew, and another publisher's.
sub check_composition_of_copies
{
	my $declare = q{SELECT anonopt.create_dataset('%1$s', 'su.copied'), anonopt.add_quasi_identifier('%1$s', 'age', '%2$s'), anonopt.add_sensitive('%1$s', 'illness');};
	my $levels = q{SELECT anonopt.create_interval_hierarchy('%s', 0, 99, '{10}');};
	my $check = sub {
		my ($role, $set, $what) = @_;
		my $publish = "SELECT anonopt.publish_table('$role.second', '$set', '{1}', k => 5)";
		my $refused = hear('clinic', $role, "BEGIN; SET anonopt.composition = 'refuse'; $publish; ROLLBACK");
		my $warned = hear('clinic', $role, "BEGIN; SET anonopt.composition = 'warn'; $publish; SELECT 'risk ' || min(smallest) FROM anonopt.release_risk('$set'); ROLLBACK");

		unlike($refused, qr/^(?:$role\.)?second$/m, "no release that tells ten people from those before: $what");
		like($refused, qr/ERROR:  55000/, "it is refused: $what");
		like($warned, qr/^(?:$role\.)?second$/m, "unless a warning will do: $what");
		like($warned, qr/WARNING/, "which is given: $what");
		like($warned, qr/^risk 1$/m, "release_risk reports it: $what");
	};

	ask('clinic', $superuser, q{
		CREATE SCHEMA alice AUTHORIZATION alice; CREATE SCHEMA bob AUTHORIZATION bob; GRANT USAGE ON SCHEMA su TO alice, bob;
		CREATE TABLE su.copied AS SELECT i AS nr, i % 100 AS age, 'i' || i % 3 AS illness FROM generate_series(1, 1000) i; GRANT SELECT ON su.copied TO alice, bob});
	ask('clinic', 'alice', sprintf($levels, 'alice.levels') . sprintf($declare, 'hers', 'alice.levels') . q{SELECT anonopt.publish_table('alice.first', 'hers', '{1}', k => 5)});
	# a newcomer in each of ten classes
	ask('clinic', $superuser, q{INSERT INTO su.copied SELECT 10000 + i, i * 10, 'i' || i % 3 FROM generate_series(0, 9) i});
	$check->('alice', 'hers', 'still: by the same hierarchy');
	for my $name ('levels', 'ages')
	{
		ask('clinic', 'bob', sprintf($levels, "bob.$name") . sprintf($declare, "his_$name", "bob.$name"));
		$check->('bob', "his_$name", "by another publisher's copy that is named $name");
	}
	ask('clinic', 'bob', q{CREATE TABLE bob.written AS SELECT value AS years, level1 AS decade, level2 AS anything FROM bob.levels; ALTER TABLE bob.written ADD PRIMARY KEY (years);} .
		sprintf($declare, 'his_written', 'bob.written'));
	$check->('bob', 'his_written', 'by a copy with the same labels in other columns');
	ask('clinic', 'alice', q{SELECT anonopt.drop_dataset('hers'); DROP TABLE alice.levels;} . sprintf($levels, 'alice.levels') . sprintf($declare, 'hers', 'alice.levels'));
	$check->('alice', 'hers', 'by a hierarchy that was dropped and made anew');
}

# A view of one's own that only names another's table, or whose owner may not read it, told what that table's releases show, hid
# classes of them and locked them.
sub check_views_of_others
{
	my $make = q{CREATE TABLE %1$s.named AS SELECT i AS nr, 20 + i %% 10 AS age, CASE WHEN i %% 10 < 5 AND i <= 37 THEN 'gout' ELSE 'flu' END AS illness FROM generate_series(1, %2$s) i;
		SELECT anonopt.create_interval_hierarchy('%1$s.named_levels', 0, 99, '{5}');};
	my $declare = q{SELECT anonopt.create_dataset('%1$s', '%2$s'), anonopt.add_quasi_identifier('%1$s', 'age', '%3$s.named_levels'), anonopt.add_sensitive('%1$s', 'illness'), anonopt.set_insensitive('%1$s', 'illness');};
	my $publish = q{SET anonopt.composition = '%1$s'; SELECT anonopt.publish_table('bob.probe', 'guess', '{1}', k => 500);};
	my $locks = q{SELECT 'locks ' || count(*) FROM pg_locks WHERE classid = 'anonopt.published'::regclass AND objid = '%s' AND pid = pg_backend_pid();};

	$node->safe_psql('clinic', sprintf($make, 'su', 200) . 'GRANT USAGE ON SCHEMA su TO alice, bob; GRANT SELECT ON su.named TO alice');
	ask('clinic', 'alice', q{SELECT anonopt.create_interval_hierarchy('alice.named_levels', 0, 99, '{5}');} . sprintf($declare, 'named', 'su.named', 'alice') . q{SELECT anonopt.publish_table('alice.named_release', 'named', '{1}', k => 10)});
	my $oid = $node->safe_psql('clinic', q{SELECT 'su.named'::regclass::oid});
	ask('clinic', 'bob', sprintf($make, 'bob', 1000));
	my $guess = sub {
		my ($view) = @_;

		ask('clinic', 'bob', "CREATE OR REPLACE VIEW bob.guess AS $view; " . sprintf($declare, 'guess', 'bob.guess', 'bob'));
		my $heard = hear('clinic', 'bob', "BEGIN; " . sprintf($publish, 'warn') . q{SELECT 'told ' || smallest_difference FROM anonopt.release WHERE name = 'bob.probe';
			SELECT 'risk ' || array_to_string(releases, ',') || ' ' || smallest FROM anonopt.release_risk('guess') ORDER BY cardinality(releases) DESC LIMIT 1;} . sprintf($locks, $oid) . 'ROLLBACK');
		ask('clinic', 'bob', q{SELECT anonopt.drop_dataset('guess')});
		return $heard;
	};
	for my $view ("SELECT * FROM bob.named WHERE '$oid'::regclass IS NOT NULL", 'SELECT b.* FROM bob.named b LEFT JOIN (SELECT FROM su.named LIMIT 0) n ON true')
	{
		my $heard = $guess->($view);

		unlike($heard, qr/alice|people|told [1-9]/, "nothing is told of a table that a view names: $view");
		unlike($heard, qr/locks [1-9]/, "nor is it locked: $view");
	}
	# recorded, with the right to one column only; the figure is not told
	$node->safe_psql('clinic', 'GRANT SELECT (nr) ON su.named TO bob');
	unlike($guess->("SELECT * FROM bob.named WHERE '$oid'::regclass IS NOT NULL"), qr/alice|people|locks [1-9]/, 'a constant is not read by those who may, either');
	my $told = $guess->('SELECT b.* FROM bob.named b LEFT JOIN (SELECT FROM su.named LIMIT 0) n ON true');

	like($told, qr/WARNING:  01000: release bob.probe would single out people of another role's release$/m, 'a release of the same people is told of');
	unlike($told, qr/alice|WARNING.*\d people|DETAIL.*[1-9]/, 'neither its name nor a figure is');
	like($told, qr/^told 1$/m, 'nor in the record');
	like($told, qr/^risk -,probe 1$/m, 'nor as a risk');
	ask('clinic', $superuser, 'GRANT pg_monitor TO bob');
	like($guess->('SELECT b.* FROM bob.named b LEFT JOIN (SELECT FROM su.named LIMIT 0) n ON true'), qr/WARNING.* by \d+ (?:person|people)\n.*alice\.named_release/ms, 'but to roles that monitor the server');
	ask('clinic', $superuser, 'REVOKE pg_monitor FROM bob');
	$node->safe_psql('clinic', 'REVOKE SELECT (nr) ON su.named FROM bob');
	ask('clinic', 'bob', "CREATE OR REPLACE VIEW bob.guess AS SELECT * FROM bob.named WHERE '$oid'::regclass IS NOT NULL; " . sprintf($declare, 'guess', 'bob.guess', 'bob') . sprintf($publish, 'off'));
	is($node->safe_psql('clinic', q{SELECT string_agg(relation_name, ' ' ORDER BY relation_name) FROM anonopt.published_source s JOIN anonopt.published p USING (id) WHERE p.name = 'bob.probe'}),
		'bob.guess bob.named', 'what it names is not recorded as read');
	check_alive('views of others');
}

# Forged columns of an entry, by the name of a release, and of a content. None of them may be taken for sound.
my %forged = (
	cut => [ q{levels = '{-1000,99}'}, q{levels = '{1,1}'}, q{levels = '{2147483647,-2147483648}'}, q{levels = '{1}'}, q{levels = '[0:1]={1,1}'},
		q{recoding = 1, recoding_name = 'p.forged_classes', labels = 'hierarchy'}, q{levels = '{1,1}', cuts = NULL},
		q{cuts = ARRAY[B'00100100100']::varbit[]},
		q{cuts = ARRAY[B'00100100100', B'0101', B'1']::varbit[]}, q{cuts = ARRAY[B'00100100100', NULL]::varbit[]}, q{cuts = ARRAY[ARRAY[B'00100100100', B'0101']]::varbit[]},
		q{cuts = '{}'}, q{cuts = '[0:1]={00100100100,0101}'::varbit[]} ],
	node => [ q{levels = '{1}'}, q{levels = '{1,1,1}'}, q{levels = '{-1,1}'}, q{levels = '{-2147483648,1}'}, q{levels = '{{1,1}}'}, q{levels = '{}'},
		q{levels = '{1,NULL}'}, q{levels = NULL}, q{cuts = ARRAY[B'00100100100', B'0101']::varbit[]},
		q{generalized = '{age}'}, q{generalized = '{age,zip,age}'}, q{generalized = '{}'}, q{generalized = '{NULL,zip}'}, q{generalized = '{{age,zip}}'}, q{generalized = '{none,zip}'},
		q{generalized = '{zip,age}'}, q{generalized = '{age,age}'}, q{sensitive = '{}'}, q{sensitive = '{NULL}'}, q{sensitive = '{{illness}}'}, q{sensitive = '{illness,illness}'},
		q{hierarchies = '{}'}, q{hierarchies = hierarchies[1:1]}, q{hierarchies = hierarchies || hierarchies}, q{hierarchies = '{NULL,NULL}'}, q{hierarchies = ARRAY[hierarchies]},
		q{hierarchies = '{-1,99999999999}'}, q{hierarchies = ARRAY[hierarchies[2], hierarchies[1]]}, q{hierarchies = '[-5:-4]={1,2}'}, q{hierarchy_names = '{}'},
		q{hierarchy_names = '{NULL,NULL}'}, q{hierarchy_names = '{{a,b}}'}, q{digests = '{}'}, q{digests = ARRAY['\x01'::bytea, '\x']}, q{digests = ARRAY[NULL, NULL]::bytea[]},
		q{digests = ARRAY[digests]}, q{columns = '{NULL}'}, q{columns = '{{zip}}'},
		q{columns_as = '{range}'}, q{columns_as = '{range,NULL}'}, q{columns_as = '{{range,range}}'}, q{columns_as = '{bounds,bounds,bounds}'},
		q{others_as = '{NULL}'}, q{others_as = NULL}, q{others_as = '{{-1}}'}, q{others_as = '{-1,-1}'}, q{others_as = '{0}'}, q{others_as = '{-2}'} ],
	recoded => [ q{levels = '{1,1}'}, q{cuts = ARRAY[B'00100100100', B'0101']::varbit[]}, q{levels = '{-1000,99}', cuts = ARRAY[B'1', B'1']::varbit[]} ]);
my @forged_content = (q{nlabels = '{-1,5}'}, q{nlabels = '{-2147483648,-2147483648}'}, q{nlabels = '{2147483647,2147483647}'}, q{nlabels = '{1}'}, q{nlabels = '{1,1,1}'}, q{nlabels = '{}'},
	q{nlabels = ARRAY[nlabels]}, q{nlabels = '{NULL,1}'}, q{nlabels = NULL}, q{nlabels = '{0,0}'}, q{labels = '{}'}, q{labels = NULL}, q{labels = ARRAY[labels]},
	q{labels = labels || labels}, q{rows = '\x'}, q{rows = substring(rows FOR 3)}, q{rows = substring(rows FOR length(rows) - 1)},
	q{rows = rows || '\xff'}, q{rows = rows || rows}, q{rows = decode(repeat('ff', length(rows)), 'hex')}, q{rows = decode(repeat('00', length(rows)), 'hex')}, q{compared = '{NULL}'},
	q{compared = ARRAY[compared]}, q{compared = '{}'}, q{compared = compared || compared}, q{compared = NULL}, q{compared_levels = '{1,2,3}'}, q{compared_levels = '{NULL}'}, q{tuples = '\x'}, q{tuples = '\x01'}, q{tuples = substring(tuples FOR length(tuples) - 1)},
	q{tuples = decode(repeat('ff', length(tuples)), 'hex')}, q{tuples = NULL}, q{version = -2147483648}, q{part = 1}, q{part = -1}, q{difference = -5},
	q{difference = 9223372036854775807});

# These are of the right shape, but say something else: they may be refused in other words, too.
my %pretended = (
	cut => [ q{cuts = ARRAY[B'1', B'1']::varbit[]}, q{cuts = ARRAY[repeat('01', 500)::varbit, B'0101']::varbit[]}, q{cuts = ARRAY[B'', B'']::varbit[]} ],
	node => [ q{levels = '{99,99}'}, q{levels = NULL, cuts = ARRAY[B'0', B'0']::varbit[]}, q{columns = '{none}'}, q{source = -1}, q{relation = 99999999999}, q{people_k = -1}, q{people_k = 9223372036854775807},
		q{min_utility = 'NaN'}, q{min_utility = 0, key_column = '', risk = 'none', utility = ''}, q{measures = '[]'},
		q{form = 'live view'}, q{form = 'materialized view'}, q{suppressed = 'star'}, q{columns_as = '{range,bounds}'}, q{columns_as = '{bounds,middle}'}, q{shown = 'permuted'} ],
	recoded => [ q{recoding_name = 'none'}, q{recoding = 'p.forged_h'::regclass::oid::int8, recoding_name = 'p.forged_h'}, q{recoding = 1, recoding_name = ''}, q{labels = 'range'},
		q{recoding = NULL, recoding_name = NULL, labels = NULL} ]);

# What becomes of a forgery: an answer, or an error of the codes that are allowed.
sub check_forged
{
	my ($update, $allowed) = @_;
	my ($name) = $update =~ /(p\.forged_\w+)'$/;
	my $calls = join '; ', map { "SELECT FROM anonopt.$_; ROLLBACK TO before" } q{release_risk('forged')}, q{publish_table('p.forged_again', 'forged', '{2,1}', k => 2)},
		map { ("refresh_release('$_')", "refresh_release('$_', true)") } $name // map { "p.forged_$_" } sort keys %forged;
	my $heard = hear('clinic', $superuser, "BEGIN; $update; INSERT INTO p.forged VALUES (1, 1, 'i1'); SET LOCAL ROLE pub; SAVEPOINT before; $calls; ROLLBACK; SELECT 'it answers'");
	# where a constraint refuses the forgery itself, nothing more is done
	my @wrong = grep { !/^(?:25P02|3B001)$/ && !/$allowed/ } $heard =~ /ERROR:  (\w{5})/g;

	is(join(' ', $heard =~ /^it answers$/m ? 'it answers' : 'it crashes', @wrong), 'it answers', $update) or diag($heard);
}

# The owner of a schema gave its name, and so the names in statements that were written before, to another with views of the same
# names.  One of four calls of verify ran their functions.
sub check_swapped_schemas
{
	my $other = 'swapped';

	$node->safe_psql('postgres', "CREATE DATABASE $other OWNER dbo");
	ask($other, $superuser, q{
		CREATE EXTENSION anonopt;
		CREATE TABLE public.people AS SELECT i % 40 AS age, 'i' || i % 3 AS illness FROM generate_series(1, 400) i;
		SELECT anonopt.create_interval_hierarchy('public.ages', 0, 59, '{10,20}');
		SELECT anonopt.create_dataset('people', 'public.people', 0.5), anonopt.add_quasi_identifier('people', 'age', 'public.ages'), anonopt.add_sensitive('people', 'illness');
		SELECT anonopt.publish_table('public.shown', 'people', '{1}', k => 3)});
	ask($other, 'dbo', 'CREATE SCHEMA dbo');
	make_trap($other, 'dbo');
	ask($other, 'dbo', q{
		CREATE SCHEMA guise;
		CREATE VIEW guise.people AS SELECT i % 40 + dbo.trap() AS age, 'flu'::text AS illness FROM generate_series(1, 400) i;
		CREATE VIEW guise.shown AS SELECT (dbo.trap() + i)::text AS age, 'flu'::text AS illness FROM generate_series(1, 40) i;
		CREATE PROCEDURE dbo.swap() LANGUAGE plpgsql AS $$
		BEGIN
			WHILE NOT EXISTS (SELECT FROM dbo.enough) LOOP
				ALTER SCHEMA public RENAME TO passing; ALTER SCHEMA guise RENAME TO public; ALTER SCHEMA passing RENAME TO guise;
				COMMIT;
			END LOOP;
		END $$;
		CREATE TABLE dbo.enough (x int)});
	my $release = $node->safe_psql($other, q{SELECT 'public.shown'::regclass::oid});
	my $swapper = begin_session($other, 'dbo', 'swapping', 'CALL dbo.swap()');
	for my $call ('verify', 'refresh_release')
	{
		ask($other, $superuser, qq{
			SET anonopt.composition = off;
			DO \$\$ BEGIN
				FOR i IN 1 .. 60 LOOP
					BEGIN
						PERFORM anonopt.$call($release);
					EXCEPTION WHEN object_not_in_prerequisite_state OR undefined_table OR undefined_object OR invalid_schema_name OR object_in_use OR insufficient_privilege OR deadlock_detected THEN
					END;
				END LOOP;
			END \$\$});
	}
	ask($other, 'dbo', 'INSERT INTO dbo.enough VALUES (1)');
	end_session($swapper);
	check_trap($other, 'dbo', 'a database owner does not become superuser by exchanging schemas');
	check_alive('schemas are exchanged');
}

# A database owner wrote an entry, or a content, of another shape: whoever compared with it crashed the server.
sub check_forged_shapes
{
	ask('clinic', 'pub', q{
		CREATE TABLE p.forged AS SELECT i % 12 AS age, i % 5 AS zip, 'i' || i % 4 AS illness FROM generate_series(1, 200) i;
		CREATE TABLE p.forged_h AS SELECT v AS value, (v / 3)::text AS l1, '*'::text AS l2 FROM generate_series(0, 11) v; ALTER TABLE p.forged_h ADD PRIMARY KEY (value);
		CREATE TABLE p.forged_z AS SELECT v AS value, '*'::text AS l1 FROM generate_series(0, 4) v; ALTER TABLE p.forged_z ADD PRIMARY KEY (value);
		SELECT anonopt.create_dataset('forged', 'p.forged', 0.9), anonopt.add_quasi_identifier('forged', 'age', 'p.forged_h'), anonopt.add_quasi_identifier('forged', 'zip', 'p.forged_z'),
			anonopt.add_sensitive('forged', 'illness');
		SELECT anonopt.create_recoding('p.forged_classes', 'forged', k => 3, seed => 1);
		SELECT anonopt.publish_table('p.forged_cut', 'forged', cuts => ARRAY[B'00100100100', B'0101'], k => 2), anonopt.publish_table('p.forged_node', 'forged', '{1,1}', k => 2),
			anonopt.publish_table('p.forged_recoded', 'forged', recoding => 'p.forged_classes', k => 3)});
	my $content = q{UPDATE anonopt.published_content SET %s WHERE id IN (SELECT id FROM anonopt.published WHERE dataset = 'forged')};
	my @forged_parts = map { "$_ WHERE name = 'p.forged_node'" }
		q{INSERT INTO anonopt.published_promise SELECT id, 1, 'k_map', NULL, 2 FROM anonopt.published},
		q{INSERT INTO anonopt.published_promise SELECT id, 1, 'k_map', NULL, 'NaN', NULL, 5, 'x' FROM anonopt.published},
		q{UPDATE anonopt.published_promise SET threshold = 9223372036854775807 FROM anonopt.published},
		q{UPDATE anonopt.published_promise SET model = 'l' FROM anonopt.published},
		q{INSERT INTO anonopt.published_values SELECT id, 1, '', '', 1, '{}', '{x}', '{-1}' FROM anonopt.published},
		q{INSERT INTO anonopt.published_values SELECT id, 1, 'illness', 'equal', -1, '{{i0}}', NULL, '{NULL}' FROM anonopt.published},
		q{INSERT INTO anonopt.published_cover SELECT id, 1, '{x}', '{}', '{NULL}', '{NULL}' FROM anonopt.published};
	my $entries = sub {
		my ($forged) = @_;

		return map { my $name = $_; map { "UPDATE anonopt.published SET $_ WHERE name = 'p.forged_$name'" } @{ $forged->{$name} } } sort keys %$forged;
	};

	check_forged($_, qr/^23514$/) for $entries->(\%forged), map { sprintf $content, $_ } @forged_content;
	check_forged($_, qr/^(?!XX)/) for $entries->(\%pretended), @forged_parts,
	  map { sprintf $content, $_ } 'version = 2147483647', 'labels = array_fill(NULL::text, ARRAY[cardinality(labels)])';
	check_alive('forged entries and contents');
}

# A view by a recoding compared texts with an array.
sub check_array
{
	ask('clinic', 'pub', q{
		CREATE TABLE p.arrays AS SELECT ('{' || i % 4 || '}')::text[] AS a FROM generate_series(1, 40) i;
		CREATE TABLE p.arrays_levels AS SELECT DISTINCT a AS v, '*'::text AS l FROM p.arrays; ALTER TABLE p.arrays_levels ADD PRIMARY KEY (v);
		SELECT anonopt.create_dataset('arrays', 'p.arrays'), anonopt.add_quasi_identifier('arrays', 'a', 'p.arrays_levels');
		SELECT anonopt.create_recoding('p.arrays_classes', 'arrays', k => 5, seed => 1)});
	unlike(hear('clinic', 'pub', q{SELECT anonopt.create_view('p.arrays_view', 'arrays', recoding => 'p.arrays_classes', k => 5)}), qr/ERROR/, 'a view by a recoding of arrays is made');
	like(hear('clinic', 'pub', q{SELECT sum(n), min(n) >= 5 FROM (SELECT count(*) AS n FROM p.arrays_view GROUP BY a) x}), qr/^40\|t$/m, 'and shows everybody in classes of five or more');
	# an array of an empty array is empty, as is one of NULL
	ask('clinic', 'pub', q{
		INSERT INTO p.arrays_levels VALUES ('{}', '*');
		CREATE TABLE p.odd_arrays AS SELECT NULLIF('{}'::text[], CASE WHEN i % 3 = 0 THEN '{}'::text[] END) AS a FROM generate_series(1, 30) i;
		SELECT anonopt.create_dataset('odd_arrays', 'p.odd_arrays', 1), anonopt.add_quasi_identifier('odd_arrays', 'a', 'p.arrays_levels');
		CREATE TABLE p.odd_arrays_classes AS SELECT DISTINCT a, 1::bigint AS class FROM p.odd_arrays;
		SELECT anonopt.create_view('p.odd_arrays_view', 'odd_arrays', recoding => 'p.odd_arrays_classes', k => 5)});
	is($node->safe_psql('clinic', 'REFRESH MATERIALIZED VIEW p.odd_arrays_view; SELECT count(*) FROM p.odd_arrays_view'), 30, 'and no row twice where arrays are empty or NULL');
}

# A function of a source ran while a hierarchy was extended by its rows.  It crashed the server by extending another, gave a
# superuser's hierarchy labels of its own by building one, and made itself superuser by a trigger.
sub check_extended
{
	my $other = 'extended';
	my $arm = sub { ask($other, 'mallory', "DELETE FROM mallory.armed; INSERT INTO mallory.armed VALUES ('$_[0]'); INSERT INTO mallory.base SELECT 'c' || 100 + count(*), 'i1' FROM mallory.base") };
	my $labels = q{SELECT count(*) FILTER (WHERE value = 'c121' OR value = 'c122'), count(*) FILTER (WHERE value LIKE 'z%' OR level1 <> left(value, 1)) FROM su.codes};

	$node->safe_psql('postgres', "CREATE DATABASE $other OWNER dbo");
	ask($other, $superuser, 'CREATE EXTENSION anonopt; CREATE SCHEMA su; CREATE SCHEMA mallory AUTHORIZATION mallory; GRANT USAGE ON SCHEMA su TO mallory');
	make_trap($other, 'mallory');
	ask($other, 'mallory', q{
		CREATE TABLE mallory.armed (what text);
		CREATE TABLE mallory.base AS SELECT 'c' || i AS code, 'i' || i % 4 AS ill FROM generate_series(1, 20) i;
		CREATE FUNCTION mallory.fire() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM mallory.trap(); RETURN NEW; END $$;
		CREATE FUNCTION mallory.act(code text) RETURNS text LANGUAGE plpgsql AS $$
		DECLARE now text := (SELECT what FROM mallory.armed);
		BEGIN
			IF now = 'nested' THEN RETURN 'z' || code; END IF;
			UPDATE mallory.armed SET what = 'nested' WHERE what <> 'nested';
			IF now = 'extend' THEN PERFORM anonopt.extend_hierarchy('mallory.other');
			ELSIF now = 'build' THEN PERFORM anonopt.create_frequency_hierarchy('mallory.nothing', 'mallory.s', 'code', 1000, 'by no rule');
			ELSIF now = 'fire' THEN CREATE TRIGGER fire BEFORE INSERT ON su.codes FOR EACH ROW EXECUTE FUNCTION mallory.fire(); END IF;
			DELETE FROM mallory.armed;
			RETURN code;
		END $$;
		CREATE VIEW mallory.s AS SELECT CASE WHEN current_user = 'mallory' THEN mallory.act(code) ELSE code END AS code, ill FROM mallory.base;
		SELECT anonopt.create_mask_hierarchy('mallory.other', 'mallory.base', 'code'), anonopt.create_prefix_hierarchy('mallory.own', 'mallory.s', 'code', '{1}')});
	$arm->('extend');
	like(hear($other, 'mallory', q{SELECT anonopt.extend_hierarchy('mallory.own'); SELECT 'it answers'}), qr/^1\nit answers$/m, 'a source extends another hierarchy');
	check_alive('a source extends another hierarchy');
	ask($other, $superuser, q{SELECT anonopt.create_prefix_hierarchy('su.codes', 'mallory.base', 'code', '{1}');
		SELECT anonopt.create_dataset('codes', 'mallory.s'), anonopt.add_quasi_identifier('codes', 'code', 'su.codes', grow => true), anonopt.add_sensitive('codes', 'ill')});
	$arm->('build');
	hear($other, $superuser, q{SELECT anonopt.publish_table('su.shown', 'codes', '{2}', k => 5)});
	is(ask($other, $superuser, $labels), '1|0', 'what a source builds meanwhile adds no label');
	ask($other, $superuser, 'GRANT ALL ON su.codes TO mallory');
	$arm->('fire');
	my $heard = hear($other, $superuser, q{SELECT anonopt.refresh_release('su.shown')});
	check_trap($other, 'mallory', 'the owner of a source does not become superuser by a trigger on a hierarchy');
	like($heard, qr/ERROR:  42501/, 'which none but its owner may create');
	# a database owner wrote a rule for a table that is no hierarchy
	ask($other, $superuser, q{DELETE FROM mallory.armed; REVOKE TRIGGER ON su.codes FROM mallory; CREATE TABLE su.acl (username text PRIMARY KEY, rights text NOT NULL, scope text NOT NULL)});
	for my $role ('insensitive', 'quasi_identifier')
	{
		$heard = hear($other, 'dbo', qq{
			DELETE FROM anonopt.hierarchy_rule WHERE word = 'admin'; DELETE FROM anonopt.attribute WHERE ordinal = 99;
			INSERT INTO anonopt.attribute (dataset, ordinal, column_name, role, hierarchy, hierarchy_type, grow)
				SELECT 'codes', 99, 'ill', '$role', oid, reltype, true FROM pg_class WHERE relname = 'acl';
			INSERT INTO anonopt.hierarchy_rule (hierarchy, hierarchy_type, builder, column_name, word, minimum, from_data, salt)
				SELECT oid, reltype, 'frequency', 'ill', 'admin', 1000000, true, gen_random_uuid() FROM pg_class WHERE relname = 'acl'});
		$heard .= hear($other, $superuser, q{SELECT anonopt.refresh_release('su.shown'); SELECT anonopt.publish_table('su.again', 'codes', '{2,1}', k => 5)});
		is(ask($other, $superuser, 'SELECT count(*) FROM su.acl'), 0, "a forged rule adds no row to any table: $role");
		like($heard, qr/ERROR:  23514: .*(?:is not marked with the rule|is not sound)/, "but is refused: $role");
	}
}

# ------------------------------------------------------------------- the run

$_->() for \&check_dropped_within_call, \&check_dropped_between_rows, \&check_dropped_while_waiting, \&check_dropped_under_live_view;
$_->() for \&check_doors, \&check_public_doors, \&check_waiting_reader;
$_->() for \&check_types, \&check_swap_function, \&check_swap_cursor, \&check_swap_locks, \&check_publications, \&check_republish;
$_->() for \&check_redirection, \&check_owners_of_sources, \&check_views_as_sources, \&check_owners_of_live_sources, \&check_answers_of_shards;
$_->() for \&check_swapped_schemas, \&check_composition_race, \&check_composition_of_copies, \&check_views_of_others, \&check_forged_shapes, \&check_array, \&check_extended;
check_alive('all attacks');
$node->stop;
done_testing();
