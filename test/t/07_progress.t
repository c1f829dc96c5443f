#!/usr/bin/env perl
#
# What others see of a running search (anonopt.progress), what its own session
# can see afterwards (anonopt.last_search()), and the messages to its caller.

use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Server;
use Sessions;
use Test::More;

my $node = Server->new('progress');
$node->init;
$node->start;
make_data();

check_running('lattice', q{lattice('gated')}, 'gated');
check_running('pareto', q{pareto('gated')}, 'gated');
check_running('optimize', q{optimize('gated', k => 5)}, 'gated');
check_running('poka', q{poka('gated')}, 'gated');
check_running('pbg_ea', q{pbg_ea('gated', iterations => 1000000, seed => 1)}, 'gated');
check_running('pareto', q{pareto('immense')}, 'immense');
check_recoding();
my %told = map { ($_->[0] => begin_session($node, "told $_->[0]", <<"END")) }
SET anonopt.notice_progress = on;
SET anonopt.max_workers = 0;
SET statement_timeout = '$_->[1] s';
SELECT anonopt.$_->[2];
END
  [ nodes => 10.5, q{optimize('tardy', k => 5)} ],
  [ steps => 60, q{create_recoding('tardy_recoding', 'tardy', k => 5, seed => 1, time_limit => '11 s')} ],
  [ rows => 60, q{create_recoding('slow_recoding', 'slow', k => 5, seed => 1)} ];
check_gone();
check_rights();
check_copy();
check_last_search();
check_messages();
check_notices();
$node->stop;
done_testing();

# ------------------------------------------------------------------- data sets

# vast     more nodes than any test waits for
# gated    the same, but its relation is not read while someone holds lock 1
# immense  the same, but of more nodes than a bigint can count
# small    sixteen nodes
# faulty   cannot be read
# empty    has no rows
# slow     takes more than ten seconds to be read
# tardy    as vast, but nine seconds pass before it is read
# nested   its relation searches another data set
sub make_data
{
	make_helpers($node);
	$node->safe_psql('postgres', <<'END');
CREATE EXTENSION btree_gist;
CREATE EXTENSION anonopt;
CREATE ROLE alice LOGIN;
CREATE ROLE bob LOGIN;
CREATE ROLE carol LOGIN IN ROLE alice;
CREATE ROLE warden LOGIN IN ROLE pg_read_all_stats;

SELECT anonopt.create_interval_hierarchy('digits', 0, 15, '{2,4,8}');
DO $$
BEGIN
    EXECUTE (SELECT format('CREATE TABLE sample AS SELECT %s FROM generate_series(1, 2000) i',
                           string_agg(format('draw(i, %s, 16) AS v%1$s', c), ', '))
             FROM generate_series(1, 30) c);
END $$;
CREATE VIEW gated AS SELECT * FROM sample WHERE (SELECT true FROM pg_advisory_xact_lock_shared(1));
CREATE VIEW slow AS SELECT s.* FROM sample s, generate_series(1, 5) g WHERE pg_sleep(0.0013) IS NOT NULL;
CREATE VIEW tardy AS SELECT * FROM sample WHERE (SELECT pg_sleep(9) IS NOT NULL);
CREATE VIEW faulty AS SELECT v1 / (v1 - v1) AS v1, v2 FROM sample;
CREATE VIEW empty AS SELECT * FROM sample WHERE v1 < 0;
CREATE VIEW nested AS SELECT s.* FROM sample s WHERE (SELECT count(*) > 0 FROM anonopt.pareto('small'));
GRANT SELECT ON sample, digits TO alice;

SELECT anonopt.create_dataset(d, r)
FROM (VALUES ('vast', 'sample'::regclass), ('gated', 'gated'), ('immense', 'gated'), ('small', 'sample'), ('slow', 'slow'), ('tardy', 'tardy'),
             ('faulty', 'faulty'), ('empty', 'empty'), ('nested', 'nested')) v (d, r);
SELECT anonopt.add_quasi_identifier(d, ('v' || c)::name, 'digits', max_level => m)
FROM (VALUES ('vast', 16, NULL::int), ('tardy', 16, NULL), ('gated', 16, NULL), ('immense', 30, NULL), ('small', 2, 3), ('slow', 2, 3),
             ('faulty', 2, NULL), ('empty', 2, NULL), ('nested', 2, NULL)) v (d, n, m), generate_series(1, n) c;
END
}

# -------------------------------------------------------------- sessions beside

# The condition that a row of pg_stat_activity or the like is a session's.
sub is_of
{
	my ($session) = @_;
	return "pid = (SELECT pid FROM pg_stat_activity"
	  . " WHERE application_name = '$session->{name}' AND backend_type = 'client backend')";
}

sub cancel
{
	my ($session) = @_;
	$node->safe_psql('postgres',
		'SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE ' . is_of($session));
}

# Wait until a condition holds for a row of a view, a session's.
sub wait_until
{
	my ($session, $view, $condition) = @_;
	$node->poll_query_until('postgres',
		"SELECT count(*) = 1 FROM $view WHERE " . is_of($session) . " AND $condition")
	  or die "$session->{name}: never $condition\n";
}

# The columns of a session's row in anonopt.progress, or nothing.
sub progress
{
	my ($session, $columns, @options) = @_;
	return $node->safe_psql('postgres',
		"SELECT $columns FROM anonopt.progress WHERE " . is_of($session), @options);
}

# -------------------------------------------------------------------- a search

# A session that keeps the gated relation from being read, until it is cancelled.
sub keep_gate
{
	my $keeper = begin_session($node, 'keeper', "SELECT pg_advisory_lock(1);\nSELECT pg_sleep(3600);\n");

	wait_until($keeper, 'pg_stat_activity', "query LIKE '%pg_sleep%'");
	return $keeper;
}

# A search from its start until it is cancelled, seen from here.
sub check_running
{
	my ($algorithm, $call, $dataset) = @_;
	my $what = "$algorithm of $dataset";
	my $keeper = keep_gate();
	my $session = begin_session($node, 'searcher', "SELECT count(*) FROM anonopt.$call;\nSELECT pg_sleep(3600);\n");
	wait_until($session, 'pg_stat_activity', "wait_event = 'advisory'");
	is( progress($session, 'dataset_relation, algorithm, phase, done, total, found'),
		"gated|$algorithm|reading|0||0", "$what: reading");

	cancel($keeper);
	end_session($keeper);
	wait_until($session, 'anonopt.progress', 'done > 0');
	my $size = $node->safe_psql('postgres',
		"SELECT nullif(size, greatest(size, 1e18)) FROM anonopt.lattice_size('$dataset') size");
	is( progress($session, 'dataset_relation, algorithm, phase, total, found > 0, (SELECT count(*) FROM anonopt.progress)'),
		"gated|$algorithm|searching|$size|t|1", "$what: searching, in one row");
	my $done = progress($session, 'done');
	ok($node->poll_query_until('postgres', 'SELECT done > ' . $done . ' AND done <= coalesce(total, done) FROM anonopt.progress WHERE ' . is_of($session)),
		"$what: goes on");

	cancel($session);
	wait_until($session, 'pg_stat_activity', "query LIKE '%pg_sleep%'");
	is(progress($session, '*'), '', "$what: gone when cancelled");
	cancel($session);
	end_session($session);
}

# A recoding is searched in steps, whose lengths differ, and then written: a lock on what becomes its name holds it there.
sub check_recoding
{
	my $keeper = begin_session($node, 'recoding keeper', <<'END');
CREATE TABLE held (LIKE sample INCLUDING ALL);
SELECT anonopt.create_dataset('held', 'sample'), anonopt.add_quasi_identifier('held', 'v1', 'digits');
SELECT anonopt.create_recoding('held_recoding', 'held', k => 2, seed => 1);
DELETE FROM held_recoding WHERE v1 = 0;
CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock_shared(2); RETURN NULL; END';
CREATE TRIGGER wait AFTER INSERT ON held_recoding EXECUTE FUNCTION wait();
SELECT pg_advisory_lock(2);
SELECT pg_sleep(3600);
END
	wait_until($keeper, 'pg_stat_activity', "query LIKE '%pg_sleep%'");
	my $session = begin_session($node, 'recoder', <<'END');
SELECT anonopt.create_recoding('endless_recoding', 'vast', k => 5, seed => 1, time_limit => '1 min');
SELECT anonopt.extend_recoding('held_recoding', 'held', k => 2, seed => 1);
SELECT search_ms > 0 AND write_ms > 0 FROM anonopt.last_search();
END
	wait_until($session, 'anonopt.progress', "phase = 'searching' AND done > 0 AND done <= total AND loss IS NOT NULL AND found > 0");
	is(progress($session, 'algorithm, bound IS NULL'), 'create_recoding|t', 'create_recoding: what a step has done, and the best loss');
	cancel($session);
	wait_until($session, 'pg_stat_activity', "wait_event = 'advisory'");
	is(progress($session, 'algorithm, phase'), 'extend_recoding|writing', 'extend_recoding: writing');
	cancel($keeper);
	end_session($keeper);
	is(join(' ', end_session($session)), '1 t', 'and how long that took') or diag($session->{err});
}

# Rows are gone when searches are over, however they ended.
sub check_gone
{
	my $mine = 'SELECT count(*) FROM anonopt.progress WHERE pid = pg_backend_pid();';
	my $session = begin_session($node, 'unlucky', <<"END");
SELECT count(*) FROM anonopt.lattice('small');
$mine
SELECT count(*) FROM anonopt.lattice('faulty');
$mine
SET statement_timeout = '300 ms';
SELECT count(*) FROM anonopt.pareto('vast');
RESET statement_timeout;
$mine
CREATE FUNCTION search_carefully() RETURNS text LANGUAGE plpgsql AS \$\$
BEGIN
    PERFORM FROM anonopt.pareto('faulty');
EXCEPTION WHEN division_by_zero THEN
    RETURN 'caught';
END \$\$;
BEGIN;
SELECT search_carefully();
$mine
COMMIT;
SELECT count(*) FROM anonopt.lattice('empty');
$mine
SELECT count(*) FROM anonopt.lattice('small', k => 0);
$mine
END
	is(join(' ', end_session($session)), '16 0 0 0 caught 0 0 0 0', 'gone after the end, errors, no rows')
	  or diag($session->{err});
	is(join(' ', $session->{err} =~ /^ERROR:  (\w+)/mg), '22012 57014 22023', 'which were the expected ones');
}

# ------------------------------------------------------------------ who sees it

sub check_rights
{
	my $session = begin_session($node, 'private', "SELECT count(*) FROM anonopt.pareto('vast');", 'alice');
	my %sees = (postgres => 1, alice => 1, bob => 0, carol => 1, warden => 1);

	wait_until($session, 'anonopt.progress', 'done > 0');
	for my $role (sort keys %sees)
	{
		is( $node->safe_psql('postgres', <<'END', extra_params => [ '-U', $role ]), "$sees{$role}|$sees{$role}",
SELECT (SELECT count(*) FROM anonopt.progress p JOIN pg_stat_activity a USING (pid) WHERE a.usename = 'alice'),
       (SELECT count(*) FROM pg_stat_activity WHERE usename = 'alice' AND query LIKE '%anonopt.pareto%' AND pid <> pg_backend_pid())
END
			$sees{$role} ? "$role sees alice's search" : "$role does not see alice's search");
	}
	is( $node->safe_psql('postgres', 'SET ROLE bob; SELECT count(*) FROM anonopt.progress'),
		'0', 'nor does who acts as bob');
	cancel($session);
	end_session($session);
}

# ------------------------------------------------------------------------- COPY

# A search called by COPY cannot use the status entry, which COPY uses.
sub check_copy
{
	my $keeper = keep_gate();
	my $session = begin_session($node, 'copier', <<'END');
COPY (SELECT levels, k FROM anonopt.lattice('small')) TO STDOUT;
COPY (SELECT levels, k FROM anonopt.lattice('gated')) TO '/dev/null';
SELECT count(*) FROM pg_stat_progress_copy;
SELECT count(*) FROM anonopt.pareto('vast');
END
	wait_until($session, 'pg_stat_activity', "query LIKE '%null%' AND wait_event = 'advisory'");
	is( $node->safe_psql('postgres',
			'SELECT command, type, tuples_processed FROM pg_stat_progress_copy WHERE ' . is_of($session)),
		'COPY TO|FILE|0', 'COPY keeps its own row');
	is(progress($session, '*'), '', 'and a search within it has none');
	cancel($session);
	wait_until($session, 'anonopt.progress', 'done > 0');
	is(progress($session, 'dataset_relation, algorithm, phase'), 'sample|pareto|searching', 'but the next one, by itself, has');
	cancel($session);
	my @printed = end_session($session);
	cancel($keeper);
	end_session($keeper);
	is(scalar(grep { /^\{\d,\d\}\t\d+$/ } @printed), 16, 'COPY writes every node');
	is($printed[-1], '0', 'and has no row any more');
}

# ------------------------------------------------------------------ last_search

# What a session remembers after statements.
sub remembered
{
	my ($sql, $columns) = @_;
	return $node->safe_psql('postgres', <<"END");
SET client_min_messages = error;
\\o /dev/null
$sql;
\\o
SELECT $columns FROM anonopt.last_search();
END
}

sub check_last_search
{
	my $all = 'algorithm, dataset, rows, tuples, nodes, workers, exact,'
	  . ' evaluated BETWEEN 1 AND nodes AND read_ms > 0 AND search_ms > 0';
	my $search = 'SELECT * FROM anonopt.';
	my ($tuples, $immense) = split /\|/, $node->safe_psql('postgres', <<'END');
SELECT count(*), anonopt.lattice_size('immense') FROM (SELECT DISTINCT v1, v2 FROM sample) s
END

	is(remembered('SELECT', 'count(*), num_nulls(max(algorithm), max(dataset), max(rows), max(exact::int))'), '1|4',
		'last_search: nothing before a search');
	is(remembered("${search}lattice('small')", "$all, evaluated"), "lattice|small|2000|$tuples|16|0|t|t|16",
		'last_search: lattice');
	is(remembered("${search}pareto('small')", $all), "pareto|small|2000|$tuples|16|0|t|t", 'last_search: pareto');
	is(remembered("${search}optimize('small', k => 5)", $all), "optimize|small|2000|$tuples|16|0|t|t",
		'last_search: optimize');
	is(remembered("${search}poka('small')", $all), "poka|small|2000|$tuples|16|0|f|t",
		'last_search: poka, which proves nothing');
	# its times fit into those of the statement, however long that was
	is( remembered("SELECT clock_timestamp() AS began \\gset\n${search}pareto('immense', time_limit => '300 ms')",
			q{nodes, exact, read_ms + search_ms BETWEEN 250 AND 1000 * extract(epoch FROM clock_timestamp() - :'began')}),
		"$immense|f|t", 'last_search: a search that ran out of time');
	is(remembered("${search}lattice('empty')", 'algorithm, rows, tuples, nodes, evaluated, workers'), 'lattice|0|0|25|0|0',
		'last_search: no rows');
	is(remembered("${search}pareto('small');\n\\set ON_ERROR_STOP 0\n${search}lattice('small', k => 0)", 'algorithm'), 'pareto',
		'last_search: a call that was refused is none');
	is(remembered("${search}lattice('nested')", 'algorithm, dataset, nodes, evaluated'), 'lattice|nested|25|25',
		'last_search: a search whose relation searches, too');
}

# ---------------------------------------------------------------------- messages

# What a statement prints on standard error.
sub messages
{
	my ($sql) = @_;
	my ($status, $printed, $error) = $node->psql('postgres', $sql);
	return $error;
}

sub check_messages
{
	my $closest = $node->safe_psql('postgres', "SELECT min(suppressed) FROM anonopt.lattice('small', k => 500)");
	my $nothing = qr/NOTICE:  no node is feasible\n(psql\S* )?DETAIL:  The closest suppresses $closest of 2000 people, 20 may be\./;

	cmp_ok($closest, '>', 20, 'no node is feasible');
	like(messages("SELECT * FROM anonopt.optimize('small', k => 500)"), $nothing, 'optimize tells of the closest miss');
	like(messages("SELECT * FROM anonopt.pareto('small', k => 500)"), $nothing, 'so does pareto');
	is(messages("SELECT * FROM anonopt.pareto('small', time_limit => '1 min')"), '', 'nothing is said of what is proven');
	like(messages("SELECT * FROM anonopt.pareto('vast', time_limit => '300 ms')"),
		qr/\A\S* ?WARNING:  time limit ended the search: .* not proven\nDETAIL:  \d+ nodes were measured\.\nHINT:  .*\z/,
		'a warning of what is not');
}

# Who asks for it is told every ten seconds where a search is; the first was cancelled soon after that.
sub check_notices
{
	my %printed = map { ($_ => join ' ', end_session($told{$_})) } keys %told;
	my %notices = map { ($_ => [ $told{$_}{err} =~ /^NOTICE:  (?:\w+: )?(.* in 1\d s)$/mg ]) } keys %told;

	is("$printed{rows} $printed{steps}", 'slow_recoding tardy_recoding', 'a search that tells goes on');
	is(scalar @{ $notices{$_} }, 1, "$_: told every ten seconds") or diag($told{$_}{err}) for sort keys %told;
	like($notices{nodes}[0], qr/^optimize has measured \d+ of \d+ nodes \(\d+\.\d %\)/, 'of nodes');
	like($told{nodes}{err}, qr/^DETAIL:  The best answer so far loses [\d.e+-]+; none loses less than [\d.e+-]+\.$/m, 'of the best answer, and its bound');
	like($notices{rows}[0], qr/^create_recoding has read \d{4,5} rows/, 'of rows');
	like($notices{steps}[0], qr/^create_recoding has (?:visited|merged|tried) \d+ of \d+ (?:nodes|tuples|changes) \(\d+\.\d %\)/, 'of what a step has done');
	like($told{steps}{err}, qr/^DETAIL:  The best answer so far loses [\d.e+-]+\.$/m, 'and of the best answer');
	unlike(messages("SELECT * FROM anonopt.pareto('vast', time_limit => '300 ms')"), qr/NOTICE/, 'others are not told');
}
