#!/usr/bin/env perl
#
# Parallel workers: they are launched, they change no answer, and the session
# stays usable whatever stops them or the search.  ANONOPT_LONG=1 lets a single
# worker help every search, not only some, and more of them run, also side by side.

use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Server;
use Sessions;
use Test::More;
use Time::HiRes qw(sleep);

my $long = $ENV{ANONOPT_LONG};

# Processes for workers; one more is the server's own.
my $slots = 3;

# The searches. Each call is worth workers; see is_worth_workers().
my @calls = (
	q{lattice('narrow')},
	q{lattice('narrow', k => 5)},
	q{lattice('wide')},
	q{lattice('rich')},
	q{lattice('rich', k => 3, l => 2, t => 0.4)},
	q{pareto('narrow', '{suppressed,dcn,classes,necd}')},
	q{pareto('rich', '{l,t,cm,sum_other}')},
	q{pbg_ea('rich', '{l,t,glm}', seed => 7)},
	q{pbg_ea('rich', '{k,cm,sum_l}', '{5,0.01,1000}', 40, 80, seed => -7, local_search => 0.5, max_nodes => 700)},
	q{lattice('visits')},
	q{lattice('visits', k => 3)},
	q{poka('lasting', depth => 3)},
	q{lattice('lasting')});
my $call = $calls[0];
my $nodes = 6 * 7 * 4 * 4 * 4;

my $node = Server->new('workers');
$node->init;
$node->append_conf('postgresql.conf',
	'max_worker_processes = ' . ($slots + 1) . "\nrestart_after_crash = on");
$node->start;
make_data();

check_answers($_) for grep { $long || $_ !~ /^[1359]$/ } 0 .. $#calls;
check_setting();
check_without_workers();
check_places();
check_two_sessions();
check_large_lattice();
check_late_worker();
check_stops($node, 'lattice', q{lattice('endless')}, comparison($call));
check_late($node, 'pareto', q{pareto('endless', '{dcn,t}')}, comparison($call), 0.8);
check_caught();
check_memory();
check_crew();
check_bounded();
check_many_sessions();
check_reading_in_a_worker();
$node->stop;
done_testing();

# ------------------------------------------------------------------- data sets

# narrow   keys of one word, nothing but counts
# wide     keys of two words
# rich     histograms of a text, of two sensitive columns whose leaves are ranges,
#          and of a class label; weights, NULLs, a level that is not searched
# lasting  a lattice that takes longer than a test needs to find its workers
# endless  as rich, on more nodes than any test waits for
# vast     few tuples, and nodes beyond number
# visits   people with several rows
# small    not worth workers
sub make_data
{
	make_helpers($node);
	$node->safe_psql('postgres', <<'END');
CREATE EXTENSION btree_gist;
CREATE EXTENSION anonopt;

SELECT anonopt.create_interval_hierarchy('years', 0, 99, '{5,10,20,40}'),
       anonopt.create_interval_hierarchy('codes', 0, 1999, '{10,20,100,500,1000}'),
       anonopt.create_interval_hierarchy('serials', 0, 21999, '{20,40,80,160,320,640,1280,2560,5120,10240}'),
       anonopt.create_interval_hierarchy('ranks', 0, 26, '{3,9}'),
       anonopt.create_interval_hierarchy('points', 0, 4095, '{8,64}'),
       anonopt.create_interval_hierarchy('points_by_two', 0, 4095, '{2,4,8,16,32,64,128,256,512,1024,2048}'),
       anonopt.create_interval_hierarchy('digits', 0, 15, '{2,4,8}'),
       anonopt.create_range_hierarchy('amounts', 0, 1000, 100, '{200,400}');

CREATE TABLE people AS
SELECT i - 1 AS serial, nullif(draw(i, 1, 101), 100) AS age, draw(i, 2, 2000) AS code,
       draw(i, 3, 27) AS a, nullif(draw(i, 4, 28), 27) AS b, draw(i, 5, 27) AS c,
       nullif(draw(i / 700, 6, 27), 25) AS d, draw(i / 2000, 7, 27) AS e, draw(i / 1000, 8, 6) AS f,
       draw(i / 500, 9, 1000)::float8 + 0.25 AS income,
       nullif('illness ' || draw(i, 10, 7), 'illness 6') AS illness, draw(i, 11, 40) * 25 + 0.5 AS pay,
       nullif(draw(i, 12, 30) * 30, 60) AS score, nullif(draw(i, 13, 3), 0) AS label,
       draw(i, 14, 4096) AS p, draw(i, 15, 4096) AS q, draw(i, 16, 4096) AS r,
       nullif(draw(i, 17, 4096), 7) AS s, draw(i, 18, 4096) AS t, draw(i, 19, 4096) AS u
FROM generate_series(1, 22000) i;

DO $$
BEGIN
    EXECUTE (SELECT format('CREATE TABLE sample AS SELECT %s FROM generate_series(1, 2000) i',
                           string_agg(format('draw(i, %s, 16) AS v%1$s', c), ', '))
             FROM generate_series(1, 16) c);
END $$;
SELECT anonopt.create_dataset('vast', 'sample');
SELECT anonopt.add_quasi_identifier('vast', ('v' || c)::name, 'digits') FROM generate_series(1, 16) c;

SELECT anonopt.create_dataset('visits', 'people', 0.02, person => 'p');
SELECT anonopt.add_quasi_identifier('visits', c, h)
FROM (VALUES ('age'::name, 'years'::regclass), ('code', 'codes'), ('a', 'ranks'), ('b', 'ranks'), ('c', 'ranks')) v (c, h);
SELECT anonopt.create_dataset(d, 'people', 0.02) FROM unnest('{narrow,wide,rich,lasting,endless,small}'::text[]) d;
SELECT anonopt.add_quasi_identifier(d, c, h, w, 0, m)
FROM (VALUES ('narrow', 'age'::name, 'years'::regclass, 1, NULL::int), ('narrow', 'code', 'codes', 1, NULL),
             ('narrow', 'a', 'ranks', 1, NULL), ('narrow', 'b', 'ranks', 1, NULL), ('narrow', 'c', 'ranks', 1, NULL),
             ('rich', 'serial', 'serials', 1, NULL), ('rich', 'd', 'ranks', 2, NULL), ('rich', 'e', 'ranks', 0.5, NULL),
             ('rich', 'f', 'ranks', 1, 2), ('rich', 'income', 'amounts', 3, NULL),
             ('lasting', 'age', 'years', 1, NULL), ('lasting', 'code', 'codes', 1, NULL),
             ('lasting', 'serial', 'serials', 1, NULL), ('lasting', 'a', 'ranks', 1, NULL), ('lasting', 'b', 'ranks', 1, NULL),
             ('small', 'age', 'years', 1, NULL)) v (d, c, h, w, m);
SELECT anonopt.add_quasi_identifier('wide', c::name, 'points'),
       anonopt.add_quasi_identifier('endless', c::name, 'points_by_two')
FROM unnest('{p,q,r,s,t,u}'::text[]) c;
SELECT anonopt.add_sensitive(d, 'illness'),
       anonopt.add_sensitive(d, 'pay', 'hierarchical', 'amounts'),
       anonopt.add_sensitive(d, 'score', 'ordered', 'amounts'),
       anonopt.set_class_label(d, 'label')
FROM unnest('{rich,endless}'::text[]) d;

-- How many workers a call had.
CREATE FUNCTION workers_of(call text) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE 'SELECT FROM anonopt.' || call;
    RETURN (SELECT workers FROM anonopt.last_search());
END $$;
END
}

# ------------------------------------------------------------- asking the server

# What statements print in a session of their own, with so many workers allowed.
sub ask
{
	my ($workers, $sql) = @_;
	return $node->safe_psql('postgres', "SET anonopt.max_workers = $workers;\n$sql");
}

# The table that keeps what a call returned without workers.
sub answer
{
	my ($call) = @_;
	my ($number) = grep { $calls[$_] eq $call } 0 .. $#calls;
	return "answer_$number";
}

# Statements that print how many rows of a call differ from those of a table,
# and how many workers there were.
sub comparison
{
	my ($call, $table) = @_;
	$table //= answer($call);
	$call =~ s/'/''/g;
	return "SELECT differing('$table', '$call');\nSELECT workers FROM anonopt.last_search();\n";
}

# ------------------------------------------------------------------ same answer

sub check_answers
{
	my ($number) = @_;
	my $call = $calls[$number];
	my $table = answer($call);

	is( ask(0, "CREATE TABLE $table AS SELECT * FROM anonopt.$call;\n"
			. "SELECT count(*) > 1 FROM $table;\n"
			. "SELECT workers, nodes * tuples >= 5e7 FROM anonopt.last_search()"),
		"t\n0|t", "$call: serial where no worker is allowed");
	is(ask($_, comparison($call)), "0\n$_", "$call: the same rows, workers: $_") for $long || $number % 8 == 0 ? (1, 2) : 2;
}

sub check_setting
{
	my $search = "SELECT workers_of(\$call\$$call\$call\$);\n";

	is( $node->safe_psql('postgres', "LOAD 'anonopt';\nSHOW anonopt.max_workers;\n"
			. "SET max_parallel_workers_per_gather = 2;\n$search"
			. "SET max_parallel_workers_per_gather = 1;\n$search"
			. "SET max_parallel_workers_per_gather = 0;\n$search"
			. "SET anonopt.max_workers = 1;\n$search"),
		"-1\n2\n1\n0\n1", 'anonopt.max_workers is max_parallel_workers_per_gather by default');
	is(ask(2, q{SELECT workers_of($$lattice('small')$$)}), 0, 'no worker for what is measured at once');
}

# ---------------------------------------------------------- no worker to be had

sub check_without_workers
{
	is(ask(2, "SET max_parallel_workers = 0;\n" . comparison($call)), "0\n0",
		'max_parallel_workers = 0: serial, the same rows');

	my $sleeper = begin_session($node, 'sleeper', <<"END");
CREATE TABLE bed AS SELECT FROM people;
ALTER TABLE bed SET (parallel_workers = $slots);
SET max_parallel_workers_per_gather = $slots;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET parallel_leader_participation = off;
SELECT count(*) FROM bed WHERE pg_sleep(3600) IS NOT NULL;
END
	wait_for_workers($node, $slots);
	is(ask(2, comparison($call) . 'SELECT count(*) FROM worker'), "0\n0\n$slots",
		'every worker process is taken: serial, the same rows');
	signal_session($node, 'pg_cancel_backend', 'sleeper');
	end_session($sleeper);
}

# ------------------------------------------------------------ where it is called

sub check_places
{
	my $compare = comparison($call);
	my $answer = answer($call);

	is( ask(2, <<"END"), "2\n0", 'in CREATE TABLE AS');
CREATE TABLE made AS SELECT * FROM anonopt.$call;
SELECT workers FROM anonopt.last_search();
SELECT count(*) FROM (SELECT x::text FROM made x EXCEPT ALL SELECT x::text FROM $answer x) y;
END

	is( ask(2, <<"END"), "0\n2\n22001\n0\n2", 'in a transaction that has written, and after it');
BEGIN;
INSERT INTO people SELECT * FROM people WHERE serial = 7;
UPDATE people SET age = 77 WHERE serial = 8;
SET LOCAL anonopt.max_workers = 0;
CREATE TABLE changed AS SELECT * FROM anonopt.$call;
SET LOCAL anonopt.max_workers = 2;
@{[comparison($call, 'changed')]}
SELECT rows FROM anonopt.last_search();
DELETE FROM people WHERE serial = 9;
ROLLBACK;
$compare
END

	is(ask(2, "BEGIN ISOLATION LEVEL SERIALIZABLE;\n$compare COMMIT"), "0\n2", 'in a serializable transaction');

	is( ask(2, <<"END"), "0\n2\n0\n2", 'in a subtransaction, and after it');
BEGIN;
SAVEPOINT s;
CREATE TABLE gone ();
$compare
ROLLBACK TO s;
$compare
COMMIT;
END

	is( ask(2, <<"END"), "$nodes\n2\n0\n2", 'in PL/pgSQL, where an error is caught');
CREATE FUNCTION search_carefully() RETURNS bigint LANGUAGE plpgsql AS \$\$
DECLARE
    node anonopt.node;
    n bigint := 0;
BEGIN
    BEGIN
        PERFORM FROM anonopt.$call;
        CREATE TABLE gone ();
        PERFORM 1 / 0;
    EXCEPTION WHEN division_by_zero THEN
        FOR node IN SELECT * FROM anonopt.$call LOOP
            n := n + 1;
        END LOOP;
    END;
    RETURN n;
END \$\$;
SELECT search_carefully();
SELECT workers FROM anonopt.last_search();
$compare
END

	my @rows = split /\n/, ask(2, <<"END");
BEGIN;
DECLARE c CURSOR WITH HOLD FOR SELECT * FROM anonopt.$call;
MOVE 5 IN c;
SELECT workers FROM anonopt.last_search();
$compare
COMMIT;
FETCH ALL FROM c;
END
	is("@rows[0 .. 2]", '2 0 2', 'in a cursor, with another search beside it');
	is(@rows - 3, $nodes - 5, 'whose rows outlive the transaction');

	is( ask(2, <<"END"), "t\n$nodes\nt", 'in a query that has workers of its own');
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
CREATE FUNCTION plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS \$\$
BEGIN
    RETURN QUERY EXECUTE 'EXPLAIN ' || query;
END \$\$;
PREPARE q AS SELECT (SELECT count(*) + 0 * serial FROM anonopt.$call) FROM people WHERE serial = 8;
SELECT count(*) = 1 FROM plan('EXECUTE q') line WHERE line LIKE '%Gather%';
EXECUTE q;
SELECT workers >= 1 FROM anonopt.last_search();
END

	is( ask(2, <<"END"), "0\n2", 'as a role that may only read');
CREATE ROLE reader;
GRANT SELECT ON people, years, codes, ranks, $answer TO reader;
SET ROLE reader;
$compare
END
}

sub check_two_sessions
{
	my @sessions = map { begin_session($node, "session $_", comparison($calls[4])) } 1, 2;

	for my $i (1, 2)
	{
		my ($differing, $workers) = end_session($sessions[ $i - 1 ]);
		is($differing, 0, "two sessions at once: the same rows in session $i");
		cmp_ok($workers, '>=', 1, "and workers for session $i");
	}
}

# A part of such a lattice takes hours: nobody waits for another one's to end.
sub check_large_lattice
{
	my $session = begin_session($node, 'vast', <<"END");
SELECT seconds_worked(pg_backend_pid()) AS before \\gset
SELECT count(*) > 0 FROM anonopt.pareto('vast', '{dcn,classes}', time_limit => '1500 ms');
SELECT workers, exact, seconds_worked(pg_backend_pid()) - :before < 3 * 1.5 + 1 FROM anonopt.last_search();
END
	my $idle = 0;

	wait_for_workers($node, 2);
	for (1 .. 6)
	{
		sleep 0.1;
		$idle += $node->safe_psql('postgres',
			"SELECT count(*) FROM pg_stat_activity JOIN worker USING (pid) WHERE wait_event = 'MessageQueueSend'");
	}
	cmp_ok($idle, '<', 6, 'a large lattice: workers do not wait for the leader');
	is(join(' ', end_session($session)), 't 2|f|t', 'a large lattice: a time limit ends what workers do, too')
	  or diag($session->{err});
}

# A worker is held until the leader has nothing left but to wait for it or for its end, and
# the leader until the worker has done its part: then nothing else will wake it up.
sub check_late_worker
{
	my $session = begin_session($node, 'patient', "SET statement_timeout = '3 min';\n" . comparison($calls[-1]));

	wait_for_workers($node, 2);
	my ($leader, $worker) = split /\|/, $node->safe_psql('postgres', <<'END');
SELECT leader_pid, min(pid) FROM worker GROUP BY leader_pid
END
	kill 'STOP', $worker;
	$node->poll_query_until('postgres', "SELECT wait_event_type IN ('Extension', 'IPC') FROM pg_stat_activity WHERE pid = $leader")
	  or die "the leader does not wait\n";
	kill 'STOP', $leader;
	kill 'CONT', $worker;
	# until it waits for more, or for what the leader holds
	for (1 .. 50)
	{
		last if $node->safe_psql('postgres', "SELECT wait_event_type = 'Extension' FROM pg_stat_activity WHERE pid = $worker") eq 't';
		sleep 0.1;
	}
	kill 'CONT', $leader;
	is(join(' ', end_session($session)), '0 2', 'a late worker: the leader does not miss its end')
	  or diag($session->{err});
}

# --------------------------------------------------------------- what stops them

sub check_caught
{
	is( ask(2, <<"END"), "0\n2", 'statement timeout that PL/pgSQL catches: the transaction goes on');
CREATE FUNCTION search_in_time() RETURNS bigint LANGUAGE plpgsql AS \$\$
BEGIN
    PERFORM FROM anonopt.lattice('endless');
    RETURN NULL;
EXCEPTION WHEN query_canceled THEN
    RETURN differing('@{[answer($call)]}', \$call\$$call\$call\$);
END \$\$;
SET statement_timeout = '1 s';
SELECT search_in_time();
SELECT workers FROM anonopt.last_search();
END
}

# More and more memory, until it suffices.
sub check_memory
{
	my $session = begin_session($node, 'large', <<'END' . comparison($calls[2]));
SET anonopt.memory = '1MB';
SELECT count(*) FROM anonopt.lattice('wide');
SELECT count(*) FROM worker;
DO $$
BEGIN
    FOR mb IN 2..64 BY 3 LOOP
        PERFORM set_config('anonopt.memory', mb || 'MB', false);
        BEGIN
            PERFORM FROM anonopt.lattice('wide');
            EXIT;
        EXCEPTION WHEN out_of_memory THEN
            IF EXISTS (SELECT FROM worker) THEN
                RAISE 'workers are left';
            END IF;
        END;
    END LOOP;
END $$;
END
	my @printed = end_session($session);

	like($session->{err}, qr/\AERROR:  53200.*anonopt.memory(?!.*ERROR)/s, 'anonopt.memory = 1MB: an ordinary error');
	is("@printed", '0 0 2', 'and with more of it the same rows');
}

# ------------------------------------------------------ workers that stay for a search

# Those of pbg_ea wait between its generations, and its leader for them.
sub check_crew
{
	my $endless = q{pbg_ea('endless', '{l,t,glm}', population => 50, iterations => 1000000, seed => 1)};

	check_stops($node, 'pbg_ea', $endless, comparison($calls[7]));
	check_late($node, 'pbg_ea', $endless, comparison($calls[7]), 0.8);

	# a worker that is held in a batch, or between two
	my $long = $endless =~ s/1000000/45, max_nodes => 300/r;
	ask(0, "CREATE TABLE long_answer AS SELECT * FROM anonopt.$long");
	my $session = begin_session($node, 'crew patient', "SET statement_timeout = '3 min';\n" . comparison($long, 'long_answer'));
	wait_for_workers($node, 2);
	my $worker = $node->safe_psql('postgres', 'SELECT min(pid) FROM worker');
	kill 'STOP', $worker;
	$node->poll_query_until('postgres',
		"SELECT wait_event_type IN ('Extension', 'IPC') FROM pg_stat_activity WHERE application_name = 'crew patient' AND backend_type = 'client backend'")
	  or die "the leader does not wait\n";
	kill 'CONT', $worker;
	is(join(' ', end_session($session)), '0 2', 'pbg_ea, a late worker: the leader waits for it')
	  or diag($session->{err});

	my $quality = q{SELECT anonopt.archive_quality('rich', '{l,t,glm}', '{{0,0,0,0,0},{3,1,1,1,1},{11,2,2,2,3}}')};
	my $workers = ";\nSELECT workers FROM anonopt.last_search()";
	is(ask(2, $quality . $workers), ask(0, $quality) . "\n2", 'archive_quality: the same with workers');

	is(ask(2, "SET max_parallel_workers = 0;\n" . comparison($calls[7])), "0\n0", 'pbg_ea, no worker to be had: the same rows');
	is( ask(2, <<"END"), "0\n2", 'pbg_ea, an error that PL/pgSQL catches: the transaction goes on');
DO \$\$
BEGIN
    PERFORM 1 / (count(*) - count(*)) FROM anonopt.$calls[7];
EXCEPTION WHEN division_by_zero THEN
    CREATE TABLE gone ();
END \$\$;
@{[comparison($calls[7])]}
END

	# memory that runs out: in the leader or in a worker, before the search or in it
	# (twice what was enough once: another time one process may do more of the work)
	$session = begin_session($node, 'crew large', <<'END' . comparison($calls[7]));
DO $$
BEGIN
    FOR kb IN 1024..40960 BY 5120 LOOP
        PERFORM set_config('anonopt.memory', kb || 'kB', false);
        BEGIN
            PERFORM FROM anonopt.pbg_ea('rich', '{l,t,glm}', seed => 7);
            EXIT;
        EXCEPTION WHEN out_of_memory THEN
            IF EXISTS (SELECT FROM worker) THEN
                RAISE 'workers are left';
            END IF;
        END;
    END LOOP;
END $$;
SELECT set_config('anonopt.memory', pg_size_bytes(current_setting('anonopt.memory')) / 512 || 'kB', false) <> '2MB';
END
	is(join(' ', end_session($session)), 't 0 2', 'pbg_ea, more and more memory: ordinary errors, then the same rows')
	  or diag($session->{err});
}

# ----------------------------------------------------------- searches by bounds

# Optima by boxes, fronts in parts, and POkA: whatever stops them leaves an
# ordinary session behind.
sub check_bounded
{
	my %endless = (
		optimize => q{optimize('vast', k => 5)},
		pareto => q{pareto('vast')},
		poka => q{poka('endless', depth => 6)});

	check_stops($node, $_, $endless{$_}, comparison($call)) for sort keys %endless;
}

# Several at the same time, which share the places for workers: each finds
# what it finds alone.
sub check_many_sessions
{
	my %search = (
		optimize => q{optimize('wide', k => 2)},
		pareto => q{pareto('narrow')},
		poka => q{poka('narrow')},
		promised => q{pareto('rich', '{suppressed,glm}', k => 3, t => 0.4)});
	my %session;

	ask(0, "CREATE TABLE alone_$_ AS SELECT * FROM anonopt.$search{$_}") for keys %search;
	for my $turn ($long ? (1, 2) : 1)
	{
		$session{$_} = begin_session($node, "beside $_ $turn", comparison($search{$_}, "alone_$_") x 2) for sort keys %search;
		for my $name (sort keys %search)
		{
			my @printed = end_session($session{$name});
			is("$printed[0] $printed[2]", '0 0', "$name beside others, time $turn: the same rows") or diag($session{$name}{err});
		}
	}
}

# ------------------------------------------------------------- reading in a worker

# A setting may make the server run any parallel-safe query in a worker; the
# one that reads a relation must not, because it returns its result as a
# pointer.
sub check_reading_in_a_worker
{
	my $setting = $node->safe_psql('postgres',
		"SELECT name FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')");
	my ($status, $printed, $error) = $node->psql('postgres', "SET $setting = on;\n" . comparison($call));

	is($printed, "0\n2", "$setting = on: the same rows") or diag($error);
	$node->poll_query_until('postgres', 'SELECT true');
}
