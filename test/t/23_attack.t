#!/usr/bin/env perl
#
# Attacks by publishers and database owners on the server, on a superuser or on
# readers.
#
# Each of these attacks has worked once.

use strict;
use warnings;
use utf8;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Server;
use Sessions;
use Test::More;
use Time::HiRes qw(sleep);

my $superuser = 'postgres';
my $node = Server->new('attack');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nclient_encoding = utf8\n");
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE mallory LOGIN; CREATE ROLE reader LOGIN; CREATE DATABASE clinic OWNER mallory');
$node->safe_psql('clinic', $Sessions::define_seconds_worked . 'CREATE EXTENSION anonopt; CREATE SCHEMA mallory AUTHORIZATION mallory; GRANT USAGE ON SCHEMA mallory TO reader');

# The answer to a role, and its messages.
sub hear
{
	my ($role, $sql) = @_;

	$node->psql('clinic', "SET client_min_messages = warning; $sql", stdout => \my $answer, stderr => \my $messages,
		on_error_stop => 0, extra_params => [ '-U', $role, '-v', 'VERBOSITY=verbose' ]);
	return "$answer\n$messages";
}

# A data set, and a release of it that is a table.
sub make_release
{
	my ($name) = @_;

	my $made = hear('mallory', qq{
		CREATE TABLE mallory.$name AS SELECT i AS nr, i % 2 AS age, 'i' || i % 3 AS illness FROM generate_series(1, 60) i;
		CREATE TABLE mallory.${name}_levels (value int PRIMARY KEY, label text);
		INSERT INTO mallory.${name}_levels VALUES (0, '*'), (1, '*');
		CREATE TABLE mallory.${name}_illnesses (value text PRIMARY KEY, label text);
		INSERT INTO mallory.${name}_illnesses SELECT 'i' || i, '*' FROM generate_series(0, 2) i;
		SELECT anonopt.create_dataset('$name', 'mallory.$name'), anonopt.add_quasi_identifier('$name', 'age', 'mallory.${name}_levels'),
			anonopt.add_sensitive('$name', 'illness', 'hierarchical', 'mallory.${name}_illnesses');
		SELECT anonopt.publish_table('mallory.${name}_release', '$name', '{1}', k => 5, t => 0.5)});
	unlike($made, qr/ERROR/, "$name is published");
}

sub check_settings
{
	make_release('settings');
	hear('mallory', q{
		CREATE FUNCTION mallory.setting(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$
		BEGIN
			PERFORM set_config('search_path', 'mallory', false), set_config('anonopt.composition', 'off', false);
			RETURN $1;
		END $$;
		CREATE INDEX ON mallory.settings_release ((mallory.setting('x') || illness))});
	like(hear($superuser, q{SELECT ok FROM anonopt.verify('mallory.settings_release'); SHOW search_path; SHOW anonopt.composition}),
		qr/^t\n"\$user", public\nwarn$/m, 'settings that an index of a release makes end with verify');
}

sub check_report
{
	make_release('reported');
	hear('mallory', q{
		CREATE SEQUENCE mallory.sprung;
		CREATE FUNCTION mallory.trap() RETURNS text LANGUAGE plpgsql AS $$
		BEGIN
			IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN PERFORM nextval('mallory.sprung'); ALTER ROLE mallory SUPERUSER; END IF;
			RETURN 'x';
		END $$;
		CREATE FUNCTION mallory.quiet_trap() RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT mallory.trap()); END $$;
		CREATE STATISTICS mallory.told ON (mallory.quiet_trap() || illness), age FROM mallory.reported_release});
	for my $call (q{report_measure('reported', 'mallory.reported_release', NULL)}, q{verify('mallory.reported_release')}, q{report('reported')})
	{
		hear($superuser, "SELECT anonopt.$call");
		is($node->safe_psql('clinic', q{SELECT is_called, (SELECT rolsuper FROM pg_roles WHERE rolname = 'mallory') FROM mallory.sprung}),
			'f|f', "statistics of a release run nothing as a superuser in $call");
	}
	like(hear($superuser, q{SELECT anonopt.report('reported')}), qr/no right on the data: [^.]*release mallory\.reported_release measured now/,
		'a release is measured for its owner, and others get what was kept');
	like(hear($superuser, q{SET ROLE mallory; SELECT anonopt.report('reported')}), qr/the promise is kept/, 'or as its owner');
}

# A publisher's own comments on a release, or changes to it, are not promises.
sub check_claims
{
	make_release('claimed');
	hear('mallory', q{COMMENT ON TABLE mallory.claimed_release IS 'anonopt release 1: k = 1000 by everything'});
	my $report = hear('mallory', q{SELECT anonopt.report('claimed')});
	like($report, qr/Promised: k = 5 by age; t = 0\.5 in illness/, 'a report says what was promised');
	unlike($report, qr/k = 1000/, 'and not what a comment says');
	hear('mallory', q{ALTER TABLE mallory.claimed_release ADD name text; UPDATE mallory.claimed_release SET name = ctid::text});
	my $verified = hear('mallory', q{SET client_min_messages = notice; SELECT ok FROM anonopt.verify('mallory.claimed_release')});
	like($verified, qr/^f$/m, 'verify does not vouch for a column that was not published');
	like($verified, qr/columns that were not published: name/, 'and names it');
	like(hear('mallory', q{SELECT anonopt.report('claimed')}), qr/no promise covers: name/i, 'as does a report');
	hear('mallory', q{ALTER TABLE mallory.claimed_release DROP name});
	like(hear('mallory', q{SELECT ok FROM anonopt.verify('mallory.claimed_release')}), qr/^t$/m, 'still: without it, all is well');
}

# A hierarchy of many leaves has been looked through once a leaf: nobody could interrupt that.
sub check_many_values
{
	hear('mallory', q{
		CREATE TABLE mallory.many AS SELECT i % 2 AS age, i AS illness FROM generate_series(1, 60000) i;
		CREATE TABLE mallory.many_levels (value int PRIMARY KEY, label text);
		INSERT INTO mallory.many_levels VALUES (0, '*'), (1, '*');
		CREATE TABLE mallory.many_illnesses (value int PRIMARY KEY, label text);
		INSERT INTO mallory.many_illnesses SELECT i, '*' FROM generate_series(1, 60000) i;
		SELECT anonopt.create_dataset('many', 'mallory.many'), anonopt.add_quasi_identifier('many', 'age', 'mallory.many_levels'),
			anonopt.add_sensitive('many', 'illness', 'hierarchical', 'mallory.many_illnesses');
		SELECT anonopt.publish_table('mallory.many_release', 'many', '{1}', k => 5, t => 0.5)});
	my $verified = hear('mallory', metered(q{SELECT ok FROM anonopt.verify('mallory.many_release')}));
	like($verified, qr/^t$/m, 'a release of many values is verified');
	cmp_ok(work_of($verified), '<', 20, 'with work that grows with them, not with their square');
}

# Reading a column without NULLs must not search for one.
sub check_constraints
{
	make_release('nonnull');
	hear('mallory', q{ALTER TABLE mallory.nonnull_release ALTER illness SET NOT NULL;
		INSERT INTO mallory.nonnull_illnesses VALUES (NULL, '*');
		INSERT INTO mallory.nonnull SELECT i, i % 2, NULL FROM generate_series(1, 20) i;
		SELECT anonopt.drop_release('mallory.nonnull_release')});
	hear('mallory', q{SELECT anonopt.publish_table('mallory.nonnull_again', 'nonnull', '{1}', k => 5);
		DELETE FROM mallory.nonnull_again WHERE illness IS NULL; ALTER TABLE mallory.nonnull_again ALTER illness SET NOT NULL});
	like(hear('mallory', q{SELECT anonopt.refresh_release('mallory.nonnull_again')}), qr/ERROR:  23502: null value in column "illness"/,
		'a refresh puts no NULL where none may be');
	make_release('constrained');
	for my $constraint (q{CHECK (illness <> 'i9')}, q{FOREIGN KEY (illness) REFERENCES mallory.constrained_illnesses})
	{
		like(hear('mallory', qq{BEGIN; ALTER TABLE mallory.constrained_release ADD $constraint; SELECT anonopt.refresh_release('mallory.constrained_release'); ROLLBACK}),
			qr/ERROR:  55000: release mallory\.constrained_release has constraints/, "nor past a constraint: $constraint");
	}
	unlike(hear('mallory', q{SELECT anonopt.refresh_release('mallory.constrained_release')}), qr/ERROR/, 'without, it is made anew');
}

sub check_policies
{
	make_release('hidden');
	hear('mallory', q{GRANT SELECT ON mallory.hidden_release TO reader; INSERT INTO mallory.hidden_release VALUES ('secret', 'i0');
		ALTER TABLE mallory.hidden_release ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
		CREATE POLICY p ON mallory.hidden_release USING (age <> 'secret' OR current_user = 'reader')});
	is((split /\n/, hear('reader', q{SELECT count(*) FROM mallory.hidden_release}))[0], 61, 'a reader sees a class of one');
	for my $role ('mallory', $superuser)
	{
		like(hear($role, q{SELECT ok FROM anonopt.verify('mallory.hidden_release')}), qr/ERROR:  42501: query would be affected by row-level security/,
			"which no policy hides from verify: $role");
	}
}

# A schema is renamed while the data are read, so that its name means another
# one.
sub check_schema
{
	make_release('moving');
	hear('mallory', q{
		CREATE SCHEMA moved;
		CREATE FUNCTION mallory.move(int) RETURNS int LANGUAGE plpgsql AS $$
		BEGIN
			IF to_regnamespace('moved_before') IS NULL THEN
				ALTER SCHEMA moved RENAME TO moved_before;
				CREATE SCHEMA moved;
				CREATE TABLE moved_before.r (age text COLLATE "C", illness text) PARTITION BY LIST (age);
			END IF;
			RETURN $1;
		END $$;
		CREATE VIEW mallory.moving_view AS SELECT nr, mallory.move(age) AS age, illness FROM mallory.moving;
		SELECT anonopt.create_dataset('moving_view', 'mallory.moving_view'),
			anonopt.add_quasi_identifier('moving_view', 'age', 'mallory.moving_levels'), anonopt.add_sensitive('moving_view', 'illness')});
	like(hear('mallory', q{SELECT anonopt.publish_table('moved.r', 'moving_view', '{1}', k => 5)}), qr/ERROR:  55006: the schema of moved\.r was changed/,
		'nothing is written to another schema');
}

# A call is compared with what an earlier call in the same statement published.
sub check_statement
{
	make_release('told');
	hear('mallory', q{INSERT INTO mallory.told_levels VALUES (2, '+'); INSERT INTO mallory.told VALUES (61, 2, 'i0');
		SELECT anonopt.drop_release('mallory.told_release'); DELETE FROM anonopt.published WHERE dataset = 'told'; DELETE FROM anonopt.published_content;
		UPDATE anonopt.dataset SET max_suppression = 0.2 WHERE dataset = 'told'});
	like(hear('mallory', q{SET anonopt.composition = 'refuse';
		SELECT anonopt.publish_table('mallory.told_1', 'told', '{1}', k => 1), anonopt.publish_table('mallory.told_2', 'told', '{1}', k => 5)}),
		qr/ERROR:  55000: release mallory\.told_2 differs from what was shown before by 1 person/, 'two releases of one statement are compared');
}

# Each held a lock that the other's swap waited for.
sub check_refreshes
{
	make_release('twice');
	my @sessions = map { $node->background_psql('clinic', extra_params => [ '-U', 'mallory' ]) } 1 .. 2;

	$sessions[0]->query_safe(q{BEGIN; SELECT count(*) FROM mallory.twice});
	$sessions[0]->query_safe(q{SELECT anonopt.refresh_release('mallory.twice_release')});
	$sessions[1]->query_until(qr/waits/, qq{\\echo waits\nSELECT anonopt.refresh_release('mallory.twice_release');\n});
	ok($node->poll_query_until('clinic', q{SELECT count(*) = 1 FROM pg_locks WHERE NOT granted AND relation = 'mallory.twice_release'::regclass
		AND mode = 'ShareUpdateExclusiveLock'}), 'one refresh waits for another before it holds anything');
	$sessions[0]->query_safe('COMMIT');
	like($sessions[1]->query_safe(q{SELECT ok FROM anonopt.verify('mallory.twice_release')}), qr/^t$/m, 'and then goes on');
	$_->quit for @sessions;
}

sub check_record
{
	make_release('forged');
	for my $values ('DELETE FROM anonopt.published_values q', q{UPDATE anonopt.published_values q SET distance = 'hierarchical', hierarchy = 0, leaves = NULL},
		q{UPDATE anonopt.published_values q SET distance = 'hierarchical', hierarchy = 0, leaves = '{i0,i1,i2}'}, q{UPDATE anonopt.published_values q SET column_name = 'age'},
		q{UPDATE anonopt.published_values q SET hierarchy = 7}, q{UPDATE anonopt.published_values q SET people = '{20}'})
	{
		like(hear('mallory', qq{BEGIN; $values WHERE id = (SELECT id FROM anonopt.published WHERE name = 'mallory.forged_release');
			SELECT ok FROM anonopt.verify('mallory.forged_release'); ROLLBACK}), qr/ERROR:  23514: entry of release mallory\.forged_release is not sound/,
			"verify measures by no such values: $values");
	}
	# what is compared with it is read by hierarchies that the entry names
	hear('mallory', q{CREATE TABLE mallory.none_1 (p point, l text); INSERT INTO mallory.none_1 VALUES ('(1,1)', '*');
		CREATE TABLE mallory.none_2 (); CREATE TABLE mallory.none_3 (i int); CREATE VIEW mallory.none_4 AS SELECT 0 AS value, '*' AS label;
		CREATE TABLE mallory.none_5 AS SELECT NULL::int AS value, i::text AS label FROM generate_series(1, 2) i; CREATE TABLE mallory.none_6 AS SELECT '{}'::json AS value;
		CREATE TABLE mallory.forged_others AS TABLE mallory.forged_levels; ALTER TABLE mallory.forged_others ADD PRIMARY KEY (value);
		SELECT anonopt.create_dataset('forged_too', 'mallory.forged'), anonopt.add_quasi_identifier('forged_too', 'age', 'mallory.forged_others')});
	for my $table ((map { "mallory.none_$_" } 1 .. 6), 'pg_authid', 'pg_class_oid_index')
	{
		like(hear('mallory', qq{BEGIN; UPDATE anonopt.published SET hierarchies[1] = '$table'::regclass::oid::int8 WHERE name = 'mallory.forged_release';
			SELECT anonopt.publish_table('mallory.forged_again', 'forged_too', '{1}', k => 5); ROLLBACK}), qr/^(?:mallory\.)?forged_again$/m,
			"a release is made beside one that names $table as its hierarchy");
	}
}

# At a level where one snapshot serves a whole transaction, others' rows are there but not seen.
sub check_extensions
{
	make_release('extended');
	my $session = $node->background_psql('clinic', extra_params => [ '-U', 'mallory' ], on_error_stop => 0);
	my $extend = q{SELECT anonopt.extend_recoding('mallory.extended_classes', 'extended', k => 5)};

	hear('mallory', q{
		INSERT INTO mallory.extended_levels VALUES (2, '*');
		SELECT anonopt.create_recoding('mallory.extended_classes', 'extended', k => 5, seed => 1);
		SELECT anonopt.publish_table('mallory.extended_recoded', 'extended', k => 5, recoding => 'mallory.extended_classes');
		INSERT INTO mallory.extended SELECT i, 2, 'i0' FROM generate_series(1, 9) i});
	$session->query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM mallory.extended');
	unlike(hear('mallory', $extend), qr/ERROR/, 'one extends a recoding');
	$session->query(qq{DO \$\$ BEGIN EXECUTE \$x\$ $extend \$x\$; EXCEPTION WHEN serialization_failure THEN CREATE TABLE mallory.was_refused (); END \$\$});
	$session->query('COMMIT');
	$session->quit;
	is($node->safe_psql('clinic', q{SELECT count(*), to_regclass('mallory.was_refused') IS NOT NULL FROM mallory.extended_classes}), '3|t',
		'another that does not see it may not do so again');
	unlike(hear('mallory', q{BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT anonopt.refresh_release('mallory.extended_recoded'); COMMIT}), qr/ERROR/,
		'who sees all may');
}

# An index's expression runs its owner's functions while new rows are indexed.
sub check_index_functions
{
	hear('mallory', q{
		CREATE TABLE mallory.typed AS SELECT i % 2 AS age, 1000000 + i % 3 AS pay FROM generate_series(1, 60) i;
		CREATE TABLE mallory.typed_levels (value int PRIMARY KEY, label text);
		INSERT INTO mallory.typed_levels VALUES (0, '*'), (1, '*');
		SELECT anonopt.create_dataset('typed', 'mallory.typed'), anonopt.add_quasi_identifier('typed', 'age', 'mallory.typed_levels'),
			anonopt.add_sensitive('typed', 'pay');
		SELECT anonopt.publish_table('mallory.typed_release', 'typed', '{1}', k => 5);
		CREATE TABLE mallory.command (command text);
		CREATE FUNCTION mallory.act() RETURNS int LANGUAGE plpgsql AS $$
		DECLARE c text;
		BEGIN
			FOR c IN SELECT command FROM mallory.command LOOP EXECUTE replace(c, 'HEAP', 'mallory.pg_temp_' || 'mallory.typed_release'::regclass::oid::int8); END LOOP;
			RETURN 1;
		END $$;
		CREATE FUNCTION mallory.one(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM mallory.act(); RETURN $1; END $$;
		CREATE INDEX ON mallory.typed_release (mallory.one(length(age)));
		CREATE INDEX typed_pay ON mallory.typed_release (pay)});
	for my $command (
		'ALTER TABLE HEAP RENAME TO hidden; ALTER TABLE mallory.typed_release ALTER pay TYPE text',
		'ALTER TABLE mallory.typed_release ADD more text', 'ALTER TABLE mallory.typed_release ADD CHECK (pay < 0)',
		'ALTER TABLE HEAP ALTER pay TYPE text', 'DROP TABLE HEAP', 'CREATE INDEX ON HEAP (age)')
	{
		hear('mallory', "INSERT INTO mallory.command VALUES (\$\$$command\$\$)");
		like(hear('mallory', q{SELECT anonopt.refresh_release('mallory.typed_release')}), qr/ERROR:  55006/, "an index's function may not: $command");
		hear('mallory', 'DELETE FROM mallory.command');
	}
	# the next index was made on a table of the old name, and one of another type taken for it
	hear('mallory', q{INSERT INTO mallory.command VALUES ($$DO 'BEGIN IF to_regclass(''mallory.hidden'') IS NULL THEN
		ALTER TABLE HEAP RENAME TO hidden; CREATE TABLE HEAP (age text, pay int); END IF; END'$$)});
	unlike(hear('mallory', q{SELECT anonopt.refresh_release('mallory.typed_release')}), qr/ERROR/, 'rows that a function renames are found');
	hear('mallory', 'DELETE FROM mallory.command; DROP INDEX mallory.typed_pay');
	hear('mallory', q{CREATE INDEX typed_pay ON mallory.typed_release (pay);
		INSERT INTO mallory.command VALUES ('DROP INDEX mallory.typed_pay'), ('CREATE INDEX typed_pay ON mallory.typed_release (age)')});
	unlike(hear('mallory', q{SELECT anonopt.refresh_release('mallory.typed_release')}), qr/server closed/, 'an index that is replaced meanwhile is built again');
	hear('mallory', 'DELETE FROM mallory.command');
	like(hear('mallory', q{SET enable_seqscan = off; SELECT count(*) FROM mallory.typed_release WHERE age = '*'; SELECT ok FROM anonopt.verify('mallory.typed_release')}),
		qr/^60\nt$/m, 'and the release is whole');
}

# The body of a live view's function is bound to names.
sub check_live_names
{
	$node->safe_psql('clinic', 'CREATE ROLE stranger LOGIN; CREATE SCHEMA stranger AUTHORIZATION stranger; GRANT USAGE ON SCHEMA stranger TO PUBLIC');
	hear('stranger', q{
		CREATE TABLE stranger.everybody AS SELECT i % 2 AS age FROM generate_series(1, 500) i; GRANT SELECT ON stranger.everybody TO mallory;
		CREATE FUNCTION stranger.listen(int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'runs as %', current_user; RETURN 1; END $$;
		CREATE TYPE stranger.kind AS ENUM ('a');
		CREATE FUNCTION stranger.listen(stranger.kind) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'runs as %', current_user; RETURN 1; END $$;
		CREATE CAST (stranger.kind AS int) WITH FUNCTION stranger.listen(stranger.kind) AS IMPLICIT});
	make_release('named');
	hear('mallory', q{
		SELECT anonopt.add_promise('named', 'k_map', 20, population => 'stranger.everybody');
		SELECT anonopt.create_view('mallory.named_live', 'named', '{1}', k => 5, materialized => false);
		GRANT SELECT ON mallory.named_live TO reader; GRANT EXECUTE ON FUNCTION mallory.named_live_rows() TO reader});
	my $read = 'SELECT count(*) FROM mallory.named_live';
	like(hear('reader', $read), qr/^60$/m, 'a live view counts a population of another role');
	my %replaced = (
		'a view' => q{DROP TABLE stranger.everybody; CREATE VIEW stranger.everybody AS SELECT stranger.listen(1) AS age; GRANT SELECT ON stranger.everybody TO mallory},
		'another type' => q{DROP VIEW stranger.everybody; CREATE TABLE stranger.everybody AS SELECT 'a'::stranger.kind AS age FROM generate_series(1, 500); GRANT SELECT ON stranger.everybody TO mallory},
		'a policy' => q{ALTER TABLE stranger.everybody ENABLE ROW LEVEL SECURITY;
			CREATE POLICY p ON stranger.everybody USING (stranger.listen(1) = 1)});
	# a declaration knows a relation by itself, and a check comes before its name
	my %refused = ((map { $_ => '23514: population of promise k_map of data set "named" is gone' } 'a view', 'another type'),
		'a policy' => '42501: the source of a live release has changed');
	my $session = $node->background_psql('clinic', extra_params => [ '-U', 'reader' ], on_error_stop => 0);
	for my $what ('a view', 'another type', 'a policy')
	{
		# a snapshot from before shows the catalogs of then
		$session->query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
		hear('stranger', $replaced{$what});
		like(hear('reader', $read), qr/^\s*psql:<stdin>:\d+: ERROR:  \Q$refused{$what}\E/m, "a live view does not read $what in a population's place");
		my $answer = $session->query("DO \$\$ BEGIN PERFORM count(*) FROM mallory.named_live; EXCEPTION WHEN insufficient_privilege OR check_violation THEN PERFORM set_config('attack.refused', '$what', false); END \$\$;"
			. " SELECT current_setting('attack.refused', true)");
		like($answer, qr/$what/, "nor in a transaction from before");
		$session->query('ROLLBACK');
		$what eq 'another type' or next;
		hear('stranger', 'ALTER TABLE stranger.everybody ALTER age TYPE int USING 1');
		hear('mallory', q{SELECT anonopt.drop_release('mallory.named_live');
			SELECT anonopt.drop_promise('named', 'k_map'), anonopt.add_promise('named', 'k_map', 20, population => 'stranger.everybody');
			SELECT anonopt.create_view('mallory.named_live', 'named', '{1}', k => 5, materialized => false);
			GRANT SELECT ON mallory.named_live TO reader; GRANT EXECUTE ON FUNCTION mallory.named_live_rows() TO reader});
	}
	$session->quit;
	$node->safe_psql('clinic', 'ALTER TABLE stranger.everybody DISABLE ROW LEVEL SECURITY; ALTER TABLE stranger.everybody ALTER age TYPE int USING 1');
	like(hear('reader', $read), qr/^60$/m, 'and reads the population again');
	hear('mallory', q{CREATE TABLE mallory.kinds AS SELECT 'a'::stranger.kind AS kind FROM generate_series(1, 60);
		CREATE TABLE mallory.kind_levels (value text PRIMARY KEY, label text); INSERT INTO mallory.kind_levels VALUES ('a', '*');
		SELECT anonopt.create_dataset('kinds', 'mallory.kinds'), anonopt.add_quasi_identifier('kinds', 'kind', 'mallory.kind_levels')});
	like(hear('mallory', q{SELECT anonopt.create_view('mallory.kinds_live', 'kinds', '{1}', k => 5, materialized => false)}),
		qr/ERROR:  42501: the type of column "kind" of relation mallory\.kinds belongs to another role/, 'no live view reads a type of another role');
}

# What has been checked is what is read: a session that reads a live view waits
# for the check of its reader, and a stranger takes the place of a relation
# meanwhile.
sub check_live_race
{
	$node->safe_psql('clinic', 'GRANT CREATE ON DATABASE clinic TO stranger');
	make_release('raced');
	hear('mallory', q{
		SELECT anonopt.add_promise('raced', 'k_map', 20, population => 'stranger.everybody');
		SELECT anonopt.create_view('mallory.raced_live', 'raced', '{1}', k => 5, materialized => false);
		GRANT SELECT ON mallory.raced_live TO reader; GRANT EXECUTE ON FUNCTION mallory.raced_live_rows() TO reader});
	my $master = $node->background_psql('clinic', on_error_stop => 0);
	my $stranger = $node->background_psql('clinic', extra_params => [ '-U', 'stranger' ], on_error_stop => 0);
	my ($out, $err) = ('', '');
	my $waits = sub {
		my ($what) = @_;
		for (1 .. 100)
		{
			return 1 if $master->query("SELECT 'it waits' FROM pg_locks WHERE NOT granted AND $what") =~ /it waits/;
			sleep 0.1;
		}
		return 0;
	};

	$stranger->query("SET lock_timeout = '2s'; SELECT to_regclass('stranger.everybody')");
	$master->query('SELECT pg_advisory_lock(77)');
	my $reader = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('clinic'), '-U', 'reader', '-c', 'SELECT pg_advisory_lock_shared(77) IS NULL',
			'-c', 'SELECT count(*) FROM mallory.raced_live' ], '<', '/dev/null', '>', \$out, '2>', \$err);
	ok($waits->(q{locktype = 'advisory'}), 'a reader is about to read');
	# ways to write the relations are looked up there
	$master->query('BEGIN; LOCK TABLE pg_inherits IN ACCESS EXCLUSIVE MODE; SELECT pg_advisory_unlock(77)');
	ok($waits->(q{relation = 'pg_inherits'::regclass}), 'and waits within the check');
	$stranger->query('DROP TABLE stranger.everybody');
	like($stranger->query(q{SELECT 'is ' || COALESCE(to_regclass('stranger.everybody')::text, 'gone')}), qr/is (stranger\.)?everybody/, 'the population cannot be dropped meanwhile');
	$stranger->query(q{ALTER SCHEMA stranger RENAME TO elsewhere; CREATE SCHEMA stranger; GRANT USAGE ON SCHEMA stranger TO PUBLIC;
		CREATE VIEW stranger.everybody AS SELECT elsewhere.listen(1) AS age; GRANT SELECT ON stranger.everybody TO PUBLIC});
	like($stranger->query(q{SELECT 'is ' || relkind::text FROM pg_class WHERE oid = 'stranger.everybody'::regclass}), qr/is v/, 'still: a view is in its place');
	$master->query('COMMIT');
	$reader->finish;
	like($out, qr/^60$/m, 'the reader gets what was checked') or diag($err);
	unlike($err, qr/runs as/, 'and nobody else\'s code runs');
	like(hear('reader', 'SELECT count(*) FROM mallory.raced_live'), qr/^60$/m, 'the next reading counts the same population, wherever it is');
	$_->quit for $master, $stranger;
	$node->safe_psql('clinic', 'DROP SCHEMA stranger CASCADE; ALTER SCHEMA elsewhere RENAME TO stranger');
}

check_index_functions();
check_live_names();
check_live_race();
check_extensions();
check_settings();
check_report();
check_claims();
check_many_values();
check_constraints();
check_policies();
check_schema();
check_statement();
check_refreshes();
check_record();

$node->stop;
unlike(slurp_file($node->logfile), qr/was terminated by signal/, 'no backend has crashed');
done_testing();
