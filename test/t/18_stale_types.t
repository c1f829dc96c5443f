#!/usr/bin/env perl
#
# Changes by a caller's own code while a call reads: a hierarchy may be a view,
# and its function may rename, drop or retype the columns that are read next.
# The call then uses the current state, or fails in an orderly way; it never
# decodes a value of one type as another.
#
# Everything is done by a role that is not a superuser. The odd columns hold
# integers that would be pointers if decoded as texts.

use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Server;
use Test::More;

my $node = Server->new('stale');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nmax_parallel_workers_per_gather = 0\nrestart_after_crash = on\n");
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE mallory LOGIN; CREATE DATABASE clinic OWNER mallory');
$node->safe_psql('clinic', 'CREATE EXTENSION anonopt');

sub hear
{
	my ($sql) = @_;

	$node->psql('clinic', $sql, stdout => \my $answer, stderr => \my $told,
		on_error_stop => 0, extra_params => [ '-U', 'mallory', '-v', 'VERBOSITY=verbose' ]);
	return ($answer, $told);
}

sub ask
{
	my ($sql) = @_;
	my ($answer, $told) = hear($sql);

	die "$sql\n$told" if $told =~ /ERROR|FATAL|connection/;
	return $answer;
}

# ------------------------------------------------------------------- relations

# The hierarchy "zips" is a view whose function runs a statement at a given call.
sub make_relations
{
	ask(q{
		CREATE TABLE words (value text PRIMARY KEY, half text, anything text);
		INSERT INTO words SELECT 'w' || i, 'h' || i / 4, '*' FROM generate_series(0, 7) i;
		CREATE TABLE codes (value uuid PRIMARY KEY, anything text);
		INSERT INTO codes SELECT md5(i::text)::uuid, '*' FROM generate_series(0, 7) i;
		CREATE TABLE zip_rows (value text PRIMARY KEY, anything text);
		INSERT INTO zip_rows SELECT 'z' || i, '*' FROM generate_series(0, 3) i;
		CREATE FUNCTION springs() RETURNS SETOF zip_rows LANGUAGE plpgsql AS $$
		DECLARE
			calls int := coalesce(nullif(current_setting('trap.calls', true), ''), '0');
		BEGIN
			PERFORM set_config('trap.calls', (calls - 1)::text, false);
			IF calls = 1 THEN
				EXECUTE current_setting('trap.statement');
			END IF;
			RETURN QUERY SELECT * FROM zip_rows;
		END $$;
		CREATE VIEW zips AS SELECT * FROM springs();
		CREATE TABLE people AS SELECT i AS nr, 'w' || i % 8 AS word, md5((i % 8)::text)::uuid AS code, 'z' || i % 4 AS zip,
			'ill ' || i % 3 AS illness, 140000000000000 + i AS odd_word, 1 + i AS odd_code, 2::bigint + i AS odd_illness
		FROM generate_series(1, 2000) i;
		CREATE TABLE weights AS SELECT 'w' || i AS value, 140000000000000 + i AS odd, 2.0::float8 AS weight FROM generate_series(0, 7) i;
		SELECT anonopt.create_dataset('late', 'people'), anonopt.add_quasi_identifier('late', 'word', 'words'),
			anonopt.set_sensitivity('late', 'word', 'weights'), anonopt.add_quasi_identifier('late', 'code', 'codes'),
			anonopt.add_quasi_identifier('late', 'zip', 'zips'), anonopt.add_sensitive('late', 'illness');
		SELECT anonopt.create_dataset('early', 'people'), anonopt.add_quasi_identifier('early', 'zip', 'zips'),
			anonopt.add_quasi_identifier('early', 'word', 'words'), anonopt.add_quasi_identifier('early', 'code', 'codes'),
			anonopt.add_sensitive('early', 'illness')});
}

# Statements that replace one column by another.
sub swap
{
	my ($table, $column, $odd) = @_;

	return "ALTER TABLE $table RENAME $column TO moved; ALTER TABLE $table RENAME $odd TO $column; ALTER TABLE $table RENAME moved TO $odd";
}

# What a query says where a statement is run at one call of the trap; what it changes is taken back.
sub spring
{
	my ($statement, $call, $query, $before) = @_;

	$statement =~ s/'/''/g;
	return hear(join ";\n", $before // (), 'BEGIN', "SET trap.statement = '$statement'", "SET trap.calls = $call", $query,
		'ROLLBACK', 'RESET trap.calls', "SELECT 'alive'");
}

# A clean error or an answer, and the session continues.
sub survives
{
	my ($name, @how) = @_;
	my ($answer, $told) = spring(@how);

	like($answer, qr/^alive$/m, "$name: the session goes on") or diag($told);
	unlike($told, qr/ERROR:  XX|connection|FATAL|PANIC/, "$name: no error but of a user's kind");
	unlike($told, qr/1400000000000|\\x|\x7f/, "$name: nothing of the memory is told");
	return ($answer, $told);
}

# ------------------------------------------------------------------------ types

my %calls = (
	evaluate => q{SELECT * FROM anonopt.evaluate('late', '{1,0,0}')},
	lattice => q{SELECT count(*) FROM anonopt.lattice('late')},
	btda => q{SELECT count(*) FROM anonopt.btda('late', 2, 'identity', 'leaves', key => 'nr')},
	aruba => q{SELECT count(*) FROM anonopt.aruba('late', 2, key => 'nr')},
	node_detail => q{SELECT count(*) FROM anonopt.node_detail('late', '{0,0,0}')},
	describe => q{SELECT * FROM anonopt.describe('late')},
	read_sql => q{SELECT anonopt.read_sql('late')});

my %ways = (
	'one process' => undef,
	'workers' => q{SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
		SET min_parallel_table_scan_size = 0},
	'groups' => q{SET anonopt.read_mode = 'group_by'});

sub check_types
{
	for my $column ([ 'word', 'odd_word' ], [ 'code', 'odd_code' ], [ 'illness', 'odd_illness' ])
	{
		for my $way (sort keys %ways)
		{
			for my $call (sort keys %calls)
			{
				survives("$call, $way, $column->[1] for $column->[0]", swap('people', @$column), 1, $calls{$call}, $ways{$way});
			}
		}
	}
	my ($answer, $told) = survives('a sensitive column of other values', swap('people', 'illness', 'odd_illness'), 1, $calls{evaluate});
	like($answer, qr/2000/, 'what has no hierarchy is read as it is when all hierarchies are loaded') or diag($told);
	($answer, $told) = survives('a column of another type', swap('people', 'word', 'odd_word'), 1, $calls{evaluate});
	like($told, qr/ERROR:  55006: .*\nDETAIL:.*\nHINT:  Call the function again/, 'types that changed are refused');
	($answer, $told) = survives('a column retyped', "ALTER TABLE people ALTER word TYPE bytea USING ''", 1, $calls{evaluate});
	like($told, qr/ERROR:  55006/, 'what is being read cannot be altered, as in a running query');
	survives("$_, a column dropped", 'ALTER TABLE people DROP word', 1, $calls{evaluate}, $ways{$_}) for sort keys %ways;
	survives("$_, a column renamed", 'ALTER TABLE people RENAME word TO other', 1, $calls{evaluate}, $ways{$_}) for sort keys %ways;
	survives("$_, a sensitive column renamed", 'ALTER TABLE people RENAME illness TO other', 1, $calls{evaluate}, $ways{$_}) for sort keys %ways;
	survives("$_, the relation renamed", 'ALTER TABLE people RENAME TO persons; CREATE TABLE people AS SELECT nr, odd_word AS word, odd_code AS code, zip, odd_illness AS illness FROM persons',
		1, $calls{evaluate}, $ways{$_}) for sort keys %ways;
	survives("$_, the relation dropped", 'DROP TABLE people CASCADE', 1, $calls{evaluate}, $ways{$_}) for sort keys %ways;
}

# Each later call of the trap is when hierarchies are loaded again: for weights, for records, for fewer columns.
sub check_second_readings
{
	for my $call (sort keys %calls)
	{
		for my $at (2, 3)
		{
			survives("$call, at call $at of the trap", swap('people', 'word', 'odd_word'), $at, $calls{$call});
		}
	}
	ask(q{SELECT anonopt.create_dataset('weighed', 'people'), anonopt.add_quasi_identifier('weighed', 'zip', 'zips'),
		anonopt.set_sensitivity('weighed', 'zip', 'weights'), anonopt.add_sensitive('weighed', 'illness')});
	survives("$_, weights of another type, at call $_", swap('weights', 'value', 'odd'), $_,
		q{SELECT count(*) FROM anonopt.aruba('weighed', 2, key => 'nr')}) for 1, 2, 3;
	survives("$_, weights renamed, at call $_", 'ALTER TABLE weights RENAME value TO v', $_,
		q{SELECT count(*) FROM anonopt.aruba('weighed', 2, key => 'nr')}) for 1, 2, 3;
	survives("$_, the key's column", 'ALTER TABLE people DROP nr', $_, $calls{aruba}) for 1, 2;
	survives("$_, the key of other values", swap('people', 'nr', 'odd_illness'), $_, $calls{aruba}) for 1, 2;
}

# A hierarchy of another shape than when levels were checked.
sub check_levels
{
	for my $query (q{SELECT * FROM anonopt.evaluate('early', '{0,2,0}')}, q{SELECT count(*) FROM anonopt.node_detail('early', '{0,2,0}')},
		q{SELECT count(*) FROM anonopt.compare('early', '{0,2,0}', '{0,1,0}')}, q{SELECT * FROM anonopt.create_view('v', 'early', '{0,2,1}', k => 1)})
	{
		my ($answer, $told) = survives($query, 'ALTER TABLE words DROP anything', 1, $query);
		like($told, qr/ERROR/, "a hierarchy that is read next cannot lose a level: $query");
	}
	survives('a hierarchy with other leaves', 'ALTER TABLE words RENAME value TO v', 1, q{SELECT * FROM anonopt.evaluate('early', '{0,2,0}')});
	ask(q{CREATE TABLE pairs (value text, odd bigint, half text, anything text);
		INSERT INTO pairs SELECT value, 140000000000000, half, anything FROM words;
		CREATE VIEW shown AS SELECT value, half, anything FROM pairs;
		SELECT anonopt.create_dataset('by_view', 'people'), anonopt.add_quasi_identifier('by_view', 'zip', 'zips'),
			anonopt.add_quasi_identifier('by_view', 'word', 'shown'), anonopt.add_sensitive('by_view', 'illness')});
	survives('a view replaced', 'CREATE OR REPLACE VIEW shown AS SELECT value, half, anything FROM words', 1,
		q{SELECT * FROM anonopt.evaluate('by_view', '{0,2}')});
	survives('a view dropped and made again', 'DROP VIEW shown; CREATE VIEW shown AS SELECT odd AS value FROM pairs', 1,
		q{SELECT * FROM anonopt.evaluate('by_view', '{0,2}')});
	survives('columns of a view swapped', swap('shown', 'half', 'value'), 1, q{SELECT * FROM anonopt.evaluate('by_view', '{0,2}')});
}

# ----------------------------------------------------------------------- stores

sub check_stores
{
	my ($table, $told);

	ask(q{SELECT anonopt.create_tuple_store('late', track => true)});
	$table = ask(q{SELECT hierarchy FROM anonopt.describe('late') WHERE role = 'tuple_store'});
	for my $column ([ 'word', 'odd_word' ], [ 'illness', 'odd_illness' ], [ 'code', 'odd_code' ])
	{
		survives("stored, $column->[1] for $column->[0]", swap('people', @$column), 1, $calls{evaluate}, $_)
		  for "SET anonopt.read_mode = 'store'", undef;
		# the store's table too
		survives("stored both, $column->[1] for $column->[0]",
			swap('people', @$column) . "; ALTER TABLE $table ALTER $column->[0] TYPE bigint USING 140000000000000", 1, $calls{evaluate}, $_)
		  for "SET anonopt.read_mode = 'store'", undef;
	}
	(undef, $told) = hear("SET anonopt.read_mode = 'store'; SELECT k FROM anonopt.evaluate('late', '{1,0,0}')");
	unlike($told, qr/ERROR|NOTICE/, 'a store that is current is read');
	ask(q{SELECT anonopt.drop_tuple_store('late')});
}

# ------------------------------------------------------------------ two sessions

# A change that another session has made but not committed: the call waits for it.
sub check_waiting
{
	for my $statement (q{ALTER TABLE people ALTER word TYPE bigint USING 140000000000000},
		swap('people', 'word', 'odd_word'), swap('people', 'code', 'odd_code'), q{ALTER TABLE people ALTER illness TYPE bigint USING 1},
		q{ALTER TABLE words ALTER value TYPE bigint USING substr(value, 2)::int}, q{ALTER TABLE people DROP illness})
	{
		for my $call (qw(evaluate aruba))
		{
			my $other = $node->background_psql('clinic', on_error_die => 1);
			my ($answer, $told, $pid);

			$other->query_safe("BEGIN; $statement");
			$pid = fork // die;
			if (!$pid)
			{
				my @said = hear("$calls{$call}; SELECT 'alive'");
				open my $file, '>', "$PostgreSQL::Test::Utils::tmp_check/said" or die;
				print $file join "\n", @said;
				close $file;
				require POSIX;
				POSIX::_exit(0);
			}
			$node->poll_query_until('clinic', q{SELECT count(*) = 1 FROM pg_locks WHERE NOT granted}) or die 'nobody waits';
			$other->query_safe('COMMIT');
			waitpid $pid, 0;
			$answer = slurp_file("$PostgreSQL::Test::Utils::tmp_check/said");
			like($answer, qr/^alive$/m, "$call after $statement");
			unlike($answer, qr/ERROR:  XX|connection|1400000000000/, 'and fails, if at all, in an orderly way') or diag($answer);
			$other->quit;
			reset_relations();
		}
	}
}

sub reset_relations
{
	ask(q{SELECT anonopt.drop_dataset(dataset) FROM anonopt.dataset;
		DROP VIEW IF EXISTS zips, shown; DROP FUNCTION IF EXISTS springs;
		DROP TABLE IF EXISTS words, codes, zip_rows, people, weights, pairs});
	make_relations();
}

# ------------------------------------------------------------------- generalize

sub check_generalize
{
	my ($answer, $told) = hear(q{
		PREPARE labels AS SELECT DISTINCT anonopt.generalize(word, 'words', 1) FROM people ORDER BY 1;
		EXECUTE labels;
		BEGIN; ALTER TABLE people ALTER word TYPE bigint USING 140000000000000; EXECUTE labels; ROLLBACK;
		EXECUTE labels;
		SELECT 'alive'});
	like($answer, qr/^h0\nh1\nh0\nh1\nalive$/m, 'a prepared statement takes the type that a column has') or diag($told);
	like($told, qr/ERROR:  23514/, 'or refuses it');
	survives('a hierarchy that changes itself', 'ALTER VIEW zips RENAME value TO v; DROP VIEW zips CASCADE', 1,
		q{SELECT anonopt.generalize('z1'::text, 'zips', 1)});
	($answer, $told) = hear(q{CREATE TABLE opaque (x anonopt.opaque); INSERT INTO opaque VALUES (NULL);
		SELECT anonopt.tuples(x, 1) FROM opaque;
		SELECT anonopt.tuples(x, VARIADIC ARRAY[1]) FROM opaque;
		SELECT anonopt.tuples('x', 1);
		SELECT 'alive'});
	is(() = $told =~ /ERROR:  0A000/g, 3, 'nobody calls the aggregate but the extension');
	like($answer, qr/alive/, 'and the session goes on');
}

# ----------------------------------------------------------------------- memory

# The most memory a session had, after a statement that fails for want of it.
sub check_memory
{
	$node->safe_psql('clinic', q{CREATE VIEW many AS SELECT i AS value, i % 1000 AS l1, 0 AS l2, '*' AS l3 FROM generate_series(1, 1000000) i;
		CREATE VIEW odd_ones AS SELECT i AS value, NULL::text AS l1 FROM generate_series(1, 300000) i;
		CREATE VIEW wide AS SELECT i AS value, repeat(i::text, 100000) AS l1, '*' AS l2 FROM generate_series(1, 200) i;
		CREATE VIEW ranges AS SELECT int4range(i, i + 1) AS value, '*' AS l1 FROM generate_series(1, 1000000) i;
		CREATE TABLE numbers AS SELECT i AS a FROM generate_series(1, 10) i});
	for my $hierarchy (qw(many odd_ones wide ranges))
	{
		for my $query ("SELECT count(*) FROM anonopt.check_hierarchy('$hierarchy')", "SELECT anonopt.generalize(1, '$hierarchy', 1)",
			"SELECT anonopt.create_dataset('numbers', 'numbers'), anonopt.add_quasi_identifier('numbers', 'a', '$hierarchy')")
		{
			my ($answer, $told, $kb);

			$node->psql('clinic', "SET anonopt.memory = '16MB'; SET maintenance_work_mem = '16MB'; SET work_mem = '4MB'; BEGIN; $query; ROLLBACK; SELECT pg_read_file('/proc/self/status')",
				stdout => \$answer, stderr => \$told, on_error_stop => 0, extra_params => [ '-v', 'VERBOSITY=verbose' ]);
			like($told, qr/ERROR:  53200: .*\n.*\nHINT:  Set anonopt.memory/, "$query ends at the limit");
			($kb) = $answer =~ /VmHWM:\s*(\d+) kB/;
			cmp_ok($kb // 1e9, '<', 150_000, 'and not far beyond');
		}
	}
	is($node->safe_psql('clinic', q{SET anonopt.memory = '2GB'; SELECT count(*) FROM anonopt.check_hierarchy('many')}), 0, 'a hierarchy of a million leaves is read');
}

make_relations();
check_types();
check_second_readings();
check_levels();
check_stores();
check_generalize();
check_waiting();
check_memory();
unlike(slurp_file($node->logfile), qr/terminated by signal|TRAP/, 'no process crashed');
$node->stop;
done_testing();
