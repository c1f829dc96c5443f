#!/usr/bin/env perl
#
# Whatever a call is doing, it reacts to a cancel request or statement_timeout
# after less than a second's work, the session continues, and nothing is left behind.
#
# The moments are random, one in each of a number of equal parts of the call's
# duration, so that no phase is missed.  SEED repeats a run; ANONOPT_LONG=1 makes
# the parts more and the calls longer.

use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Server;
use Sessions;
use Test::More;
use Time::HiRes qw(sleep time);

my $long = $ENV{ANONOPT_LONG};
my $patience = 1;        # seconds of work from the signal to the session's return, on however busy a machine
my $seed = srand($ENV{SEED} // time);
note "SEED=$seed";

my $node = Server->new('main');
$node->init;
$node->append_conf('postgresql.conf', <<'END');
anonopt.memory = '1GB'
parallel_setup_cost = 0
parallel_tuple_cost = 0
autovacuum = off
log_statement = none
client_min_messages = warning
END
$node->start;
$node->safe_psql('postgres', $Sessions::define_seconds_worked . <<'END');
CREATE EXTENSION anonopt;
CREATE TABLE small (a int);
INSERT INTO small VALUES (1), (1), (2), (2), (2);

-- a hierarchy that takes its time to load, for a table of one row
CREATE TABLE many_leaves AS
SELECT i AS value, (i / 10)::text AS ten, (i / 1000)::text AS thousand, '*'::text AS anything
FROM generate_series(0, 499999) i;
CREATE TABLE one_row AS SELECT 7 AS a;
SELECT anonopt.create_dataset('one_row', 'one_row'), anonopt.add_quasi_identifier('one_row', 'a', 'many_leaves');

-- many rows, many distinct values
CREATE TABLE rows AS
SELECT i * 7919::bigint % 1000 AS a, i * 104729::bigint % 977 AS b, i % 3 AS s FROM generate_series(1, 500000) i;

-- values without a hierarchy, which are slow to compare: they differ at the end
CREATE TABLE documents AS
SELECT to_jsonb(array_append(array_fill(1, ARRAY[15]), (i * 2654435761 % 1000003)::int)) AS document
FROM generate_series(1, 80000::bigint) i;

-- many nodes, of people enough for workers to be worth it, and of fewer
CREATE TABLE people AS
SELECT i * 7919::bigint % 100 AS a, i * 104729::bigint % 97 AS b, i * 31 % 89 AS c, i * 17 % 83 AS d, i % 7 AS s
FROM generate_series(1, 45000) i;
CREATE TABLE fewer AS SELECT * FROM people LIMIT 4000;
SELECT anonopt.create_interval_hierarchy('hundred', 0, 99, '{2,4,20,40}');
SELECT anonopt.create_dataset(name, relation::regclass),
	anonopt.add_quasi_identifier(name, 'a', 'hundred'), anonopt.add_quasi_identifier(name, 'b', 'hundred'),
	anonopt.add_quasi_identifier(name, 'c', 'hundred'), anonopt.add_quasi_identifier(name, 'd', 'hundred')
FROM (VALUES ('people', 'people'), ('patients', 'people'), ('fewer', 'fewer')) AS v (name, relation);
SELECT anonopt.add_sensitive(name, 's', 'ordered') FROM unnest('{patients,fewer}'::text[]) name;
CREATE TABLE nodes AS
SELECT array_agg(levels) AS levels FROM anonopt.lattice('fewer') WHERE levels[1] > 0;

CREATE TABLE calls AS SELECT unnest(ARRAY[
	$$SELECT anonopt.evaluate('fewer', '{0,1,2,3}', l => 2)$$,
	$$SELECT anonopt.t_closeness('fewer', '{a,b}', 's', 'ordered')$$,
	$$SELECT anonopt.describe('fewer')$$,
	$$SELECT anonopt.generalize(a, 'hundred', 1) FROM small$$,
	$$SELECT anonopt.suppressed_classes('fewer', '{1,1,1,1}', k => 3)$$,
	$$DO 'BEGIN PERFORM anonopt.k_anonymity(''fewer'', ''{none}''); EXCEPTION WHEN undefined_column THEN END'$$]) AS call;
ANALYZE;

-- Runs a statement that is to be cancelled, and goes on in the same
-- transaction: says what the cancelled call left behind.
CREATE FUNCTION survive(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	path text := current_setting('search_path');
BEGIN
	BEGIN
		EXECUTE statement;
		RETURN 'nothing';
	EXCEPTION WHEN query_canceled THEN
	END;
	RETURN CASE
		WHEN current_setting('search_path') <> path THEN 'search_path ' || current_setting('search_path')
		WHEN EXISTS (SELECT FROM pg_backend_memory_contexts WHERE name LIKE 'anonopt%') THEN 'memory'
		WHEN anonopt.k_anonymity('small', '{a}') <> 2 THEN 'a wrong answer'
		WHEN to_regclass('made') IS NOT NULL THEN 'a table'
		WHEN EXISTS (SELECT FROM anonopt.progress) THEN 'an entry of anonopt.progress'
		ELSE 'nothing' END;
END $$;
END

my $session = $node->background_psql('postgres', on_error_stop => 0);
my $other = $node->background_psql('postgres');
my $pid = $session->query_safe('SELECT pg_backend_pid()');

# ---------------------------------------------------------- running a statement

# Have the session begin a statement, and return once it has.
sub begin_statement
{
	my ($sql) = @_;

	$session->query_until(qr/^begun$/m, "\\echo begun\n$sql;\n\\echo ended :SQLSTATE\n\\warn ended\n");
}

# Wait until it has ended; return its SQLSTATE and output.
sub end_statement
{
	my $output = $session->query_until(qr/^ended \w{5}$/m, '');
	pump_until($session->{run}, $session->{timeout}, \$session->{stderr}, qr/^ended$/m);
	$session->{stderr} = '';
	my ($answer, $state) = $output =~ /^(.*?)\n?ended (\w{5})$/ms;
	return ($state, $answer);
}

# How much the session and its workers have worked
sub worked { return $other->query_safe("SELECT seconds_worked($pid)") }

sub full_duration
{
	my ($sql) = @_;
	my $start = time;

	begin_statement($sql);
	my ($state) = end_statement();
	BAIL_OUT("cannot run $sql: $state") if $state ne '00000';
	return time - $start;
}

# Cancel a statement after a delay; return its SQLSTATE, answer, and how much
# it worked before it reacted.
sub cancel_after
{
	my ($sql, $delay) = @_;

	begin_statement($sql);
	sleep $delay;
	$other->query_safe("SELECT pg_cancel_backend($pid)");
	my $signalled = worked();
	return (end_statement(), worked() - $signalled);
}

# The same by statement_timeout, until which each of so many processes may work
sub time_out_after
{
	my ($sql, $delay, $processes) = @_;
	my $milliseconds = int(1000 * $delay) || 1;

	$session->query_safe("SET statement_timeout = $milliseconds");
	my $begun = worked();
	begin_statement($sql);
	my ($state, $answer) = end_statement();
	my $late = worked() - $begun - $processes * $milliseconds / 1000;
	$session->query_safe('RESET statement_timeout');
	return ($state, $answer, $late);
}

# One random moment in each of a number of equal parts of a duration
sub moments
{
	my ($duration, $number) = @_;

	return map { 0.001 + ($_ + rand) / $number * $duration } 0 .. $number - 1;
}

# ------------------------------------------------------------ what may be left

sub relations { return $other->query_safe('SELECT count(*) FROM pg_class'); }

sub memory
{
	return $session->query_safe(
		'SELECT sum(total_bytes) FROM pg_backend_memory_contexts WHERE name NOT IN ($$CacheMemoryContext$$)');
}

# Anything wrong in the session after a call
sub damage
{
	my @damage;

	push @damage, 'wrong answer' if $session->query_safe("SELECT anonopt.k_anonymity('small', '{a}')") ne '2';
	push @damage, 'memory'
	  if $session->query_safe(
		"SELECT count(*) FROM pg_backend_memory_contexts WHERE name LIKE 'anonopt%'") ne '0';
	push @damage, 'progress' if $other->query_safe('SELECT count(*) FROM anonopt.progress') ne '0';
	push @damage, 'workers'
	  if $other->query_safe(
		"SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'parallel worker'") ne '0';
	return @damage;
}

# Interrupt a call at many moments, by turns in either way.
sub interrupt
{
	my ($name, $sql, %options) = @_;
	my $number = $long ? 5 : 3;
	my $settings = $options{settings} // 'SELECT';
	my (%states, %damage, @late);

	$session->query_safe($settings);
	my $duration = $options{duration} // full_duration($sql);
	is($session->query_safe('SELECT workers FROM anonopt.last_search()'),
		$options{workers}, "$name: $options{workers} workers help")
	  if $options{workers};
	my $relations = relations();
	my $memory = memory();
	my $turn = 0;
	for my $delay (moments($duration, $number))
	{
		my ($state, undef, $late) =
		  $turn++ % 2 ? time_out_after($sql, $delay, $settings =~ /= 2$/ ? 3 : 1) : cancel_after($sql, $delay);

		$states{$state}++;
		# a call that was quicker this time has made its table
		$session->query_safe('DROP TABLE IF EXISTS made') if $state eq '00000';
		$damage{$_}++ for damage();
		push @late, sprintf('%.2f s at %.2f s', $late, $delay) if $late > $patience;
	}
	$session->query_safe('RESET ALL');

	my $quick = delete $states{'00000'} // 0;
	note sprintf '%s: %.2f s, %d interrupted', $name, $duration, $number - $quick;
	is_deeply([ keys %states ], ['57014'], "$name: interrupted with query_canceled");
	cmp_ok($quick, '<', $number, "$name: before the end");
	is("@late", '', "$name: after less than $patience s of work");
	is_deeply(\%damage, {}, "$name: the session goes on, and nothing of the call does");
	is(relations(), $relations, "$name: no relation is left");
	cmp_ok(memory() - $memory, '<', 1 << 20, "$name: no memory is left elsewhere");
}

interrupt('loading a hierarchy', "SELECT * FROM anonopt.lattice('one_row')");
interrupt('reading serially', "SELECT anonopt.l_diversity('rows', '{a,b}', 's')",
	settings => 'SET max_parallel_workers_per_gather = 0');
interrupt('reading in workers', "SELECT anonopt.l_diversity('rows', '{a,b}', 's')",
	settings => 'SET max_parallel_workers_per_gather = 2');
interrupt('ordering values', "SELECT anonopt.k_anonymity('documents', '{document}')",
	settings => 'SET max_parallel_workers_per_gather = 0');
interrupt('visiting a lattice', "SELECT count(*) FROM anonopt.lattice('people', k => 5)",
	settings => 'SET anonopt.max_workers = 0');
interrupt('visiting a lattice in workers', "SELECT count(*) FROM anonopt.lattice('people', k => 5)",
	settings => 'SET anonopt.max_workers = 2', workers => 2);
# the next take longer than anybody would wait here
my $some_seconds = $long ? 1.5 : 0.8;
interrupt('comparing distributions in workers', "SELECT count(*) FROM anonopt.lattice('patients', t => 0.2)",
	settings => 'SET anonopt.max_workers = 2', duration => $some_seconds);
interrupt('searching a recoding', "SELECT anonopt.create_recoding('made', 'people', k => 20, seed => 1)",
	settings => 'SET anonopt.max_workers = 0', duration => $some_seconds);
interrupt('searching a recoding in workers', "SELECT anonopt.create_recoding('made', 'people', k => 20, seed => 1)",
	settings => 'SET anonopt.max_workers = 2', duration => $some_seconds);
interrupt('searching recodings', "SELECT count(*) FROM anonopt.recoding_curve('fewer', '{5,20}')",
	settings => 'SET anonopt.max_workers = 0');
interrupt('building a hierarchy', "SELECT anonopt.create_interval_hierarchy('made', 1, 3000000, '{10,100}')",
	duration => $some_seconds);
interrupt('measuring nodes', "SELECT count(*) FROM nodes, anonopt.evaluate('fewer', nodes.levels, l => 2)");
interrupt('searching', "SELECT count(*) FROM anonopt.pareto('fewer', '{entropy_l,t,nwp}')");


# -------------------------------------------- a caller that catches the cancel

for my $case (
	[ 'visiting a lattice', "SELECT count(*) FROM anonopt.lattice('people')" ],
	[ 'building a hierarchy', "SELECT anonopt.create_interval_hierarchy('made', 0, 99999, '{10}')" ])
{
	my ($name, $statement) = @$case;
	my $sql = "SELECT survive(\$\$$statement\$\$)";
	my (%left, @late);
	my $duration = full_duration($sql);

	for my $delay (moments(0.8 * $duration, $long ? 4 : 2))
	{
		$session->query_safe('DROP TABLE IF EXISTS made');
		my ($state, $left, $late) = cancel_after($sql, $delay);

		$left{ $state eq '00000' ? $left : $state }++;
		push @late, $late if $late > $patience;
	}
	is_deeply([ keys %left ], ['nothing'], "$name: a caller that catches the cancel finds nothing left");
	is("@late", '', "$name: and is back after less than $patience s of work");
}

# ------------------------------------------------------------ a long argument

# From 17 on, opening one relation often takes time in the square.
my (undef, undef, $late) = time_out_after("SELECT count(*) FROM anonopt.evaluate_recoding('fewer', array_fill('small'::regclass, ARRAY[300000]))", 0.3, 1);
cmp_ok($late, '<', $patience, 'opening 300,000 recodings reacts in time');

# -------------------------------------------------------- memory of many calls

# As many statements, each by itself
sub call_often
{
	my ($times) = @_;

	$session->query_safe(
		"\\o /dev/null\nSELECT call FROM calls, generate_series(1, $times / (SELECT count(*) FROM calls)) \\gexec\n\\o");
}

call_often(60);
my $before = memory();
call_often(300);
cmp_ok(memory() - $before, '<', 64 << 10, '300 calls take no more memory than 60');

# Within one statement, each call's memory must go before the next call's comes.
$session->query_safe('BEGIN');
$session->query_safe(q{SELECT count(*) FROM generate_series(1, 300) i, anonopt.evaluate('fewer', ARRAY[0, 1, 2, i % 6])});
$session->query_safe(q{SELECT max(anonopt.k_anonymity('small', CASE WHEN i > 0 THEN '{a}'::name[] END)) FROM generate_series(1, 300) i});
is( $session->query_safe("SELECT count(*) FROM pg_backend_memory_contexts WHERE name LIKE 'anonopt%'"),
	0, 'the transaction keeps none of the calls\' contexts');
$session->query_safe('COMMIT');

$session->quit;
$other->quit;
$node->stop;
done_testing();
