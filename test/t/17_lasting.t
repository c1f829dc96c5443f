#!/usr/bin/env perl
#
# Declarations and releases survive a dump and the promotion of a standby; and the
# user's objects survive the extension.  25_upgrade.t is about its versions.

use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Server;
use Test::More;

my $dumps = PostgreSQL::Test::Utils::tempdir;
my $node = Server->new('lasting');

# Queries whose answers must be the same, by name
my %questions = (
	describe => q{describe('people')},
	lattice => q{lattice('people', l => 2, t => 0.9)},
	counted => q{lattice('counted', l => 2)},
	pareto => q{pareto('people', '{k,t,nwp}')},
	poka => q{poka('people')},
	pbg_ea => q{pbg_ea('people', iterations => 20, seed => 1)},
	efficiency => q{efficiency('people', 3, 0.1, 0.1)},
	nsga2 => q{nsga2('people', 3, 0.1, 0.1, 20, 200, seed => 1)},
	reference_direction => q{reference_direction('people', 3, '{0.1,0.1}', '{0.3,0.3}', 2, 20, 100, seed => 1)},
	aruba => q{aruba('people', 2, key => 'nr')},
	btda => q{btda('people', 2, 'identity', 'leaves', 'words', key => 'nr')},
	property_vector => q{property_vector('people', '{1,1}', 'others_count', 'nr')},
	compare => q{compare('people', '{1,1}', '{2,2}')},
	check_hierarchy => q{check_hierarchy('ages')},
	generalize => q{generalize('17', 'ages', 1)},
	t_closeness => q{t_closeness('people', '{age}', 'illness', 'hierarchical', 'illnesses')},
	risk => q{risk('people', '{age,zip}')},
	suggest => q{suggest_quasi_identifiers('people')},
	read_sql => q{read_sql('people')},
	view_sql => q{view_sql('x', 'people', '{2,2}', k => 2, l => 2)},
	front_svg => q{front_svg('people')},
	report => q{report('people')},
	(map { ("verify_$_" => "verify('$_') v CROSS JOIN LATERAL (SELECT to_jsonb(v) - '{filled_at,filled_by}'::text[])") } qw(seen shown starred live records recoded_seen recoded_shown recoded_live)),
	recoding => q{evaluate_recoding('some', 'classes', k => 3)},
	recoding_classes => q{recoding_classes('some', 'classes')},
	release => q{release r CROSS JOIN LATERAL (SELECT to_jsonb(r) - '{filled_at,filled_by,verified_at}'::text[])},
	attribute => 'attribute',
	release_risk => q{release_risk('people')});

sub make_data
{
	ask($node, 'clinic', slurp_file("$FindBin::RealBin/../released/example.sql") . q{
		-- of people enough for workers
		CREATE TABLE large AS SELECT abs(hashint4(i) % 40) AS a, abs(hashint4(i + 1) % 40) AS b, abs(hashint4(i * 3) % 40) AS c, abs(hashint4(i * 5) % 40) AS d,
			abs(hashint4(i * 7) % 40) AS e
		FROM generate_series(1, 52000) i;
		SELECT anonopt.create_dataset('large', 'large');
		SELECT anonopt.add_quasi_identifier('large', q, 'ages') FROM unnest('{a,b,c,d,e}'::name[]) q}, 'boss');
}

# ------------------------------------------------------------------ questions

sub ask
{
	my ($on, $database, $sql, @role) = @_;
	my $status = $on->psql($database, "SET client_min_messages = error;\n$sql", stdout => \my $answer, stderr => \my $told, extra_params => [ map { ('-U', $_) } @role ]);

	if ($status != 0)
	{
		fail('what must succeed does');
		diag(substr($sql, 0, 300), "\n", $told);
	}
	return $answer;
}

sub refusal
{
	my ($on, $database, $sql, @role) = @_;
	$on->psql($database, $sql, stderr => \my $told, extra_params => [ '-v', 'VERBOSITY=sqlstate', map { ('-U', $_) } @role ]);
	return $told =~ /ERROR:  (\w{5})/ ? $1 : $told;
}

# The answers to all questions, a line each; numbers of relations, and when something was made or filled, are no answer
sub answers
{
	my ($on, $database, @role) = @_;
	my $sql = join "\nUNION ALL ", map {
		"SELECT '$_ ' || coalesce(string_agg(regexp_replace(x::text, 'made on [^.]*[.]|>date</th><td>[^<]*|,\"[-0-9]* [0-9:.]*[+]00\"', '', 'g'), '; ' ORDER BY x::text COLLATE \"C\"), '') FROM anonopt.$questions{$_} x" }
	  sort keys %questions;

	return ask($on, $database, $sql, @role);
}

# Compares much text, and shows where it begins to differ
sub same
{
	my ($got, $expected, $what) = @_;
	my @got = split /\n/, $got;
	my @expected = split /\n/, $expected;

	return if ok($got eq $expected, $what);
	for my $i (0 .. $#expected)
	{
		next if ($got[$i] // '') eq $expected[$i];
		diag('got      ', substr($got[$i] // 'nothing', 0, 2000), "\nexpected ", substr($expected[$i], 0, 2000));
		return;
	}
}

# --------------------------------------------------------------- dump and restore

# Two cases that other tests do not cover: restoring with other owners, and in parts.
sub check_dumps
{
	my $elsewhere = Server->new('elsewhere');
	my $before = answers($node, 'clinic', 'boss');
	my $lines = () = $before =~ /^/mg;

	$elsewhere->init(extra => [ '-U', 'keeper' ]);
	$elsewhere->start;
	cmp_ok(length $before, '>', 20000, 'there is much to compare');
	cmp_ok($lines, '>=', keys %questions, 'of every kind');

	# the roles that are written down are not there
	$node->command_ok([ 'pg_dump', '-Fc', '-f', "$dumps/whole", '-d', $node->connstr('clinic') ], 'a superuser dumps');
	ask($elsewhere, 'postgres', 'CREATE ROLE heir LOGIN; CREATE DATABASE inherited OWNER heir', 'keeper');
	$elsewhere->command_ok([ 'pg_restore', '-U', 'heir', '--no-owner', '--no-acl', '-d', $elsewhere->connstr('inherited'), "$dumps/whole" ],
		'another who is none restores elsewhere, where the owner is not');
	same(answers($elsewhere, 'inherited', 'heir'), $before, 'with the same answers');
	is( ask($elsewhere, 'inherited', q{SELECT anonopt.drop_attribute('people', 'illness'), anonopt.drop_dataset('some'); SELECT count(*) FROM anonopt.dataset}, 'heir'),
		"|\n4", 'and changes what is declared, since it is their database');

	# a superuser, who gets what others owned
	ask($elsewhere, 'postgres', 'CREATE ROLE boss LOGIN; CREATE DATABASE taken', 'keeper');
	$elsewhere->command_ok([ 'pg_restore', '-U', 'keeper', '--no-owner', '--no-acl', '-d', $elsewhere->connstr('taken'), "$dumps/whole" ], 'a superuser takes all');
	is(ask($elsewhere, 'taken', 'SELECT count(*) > 0 FROM seen', 'keeper'), 't', 'and the rows of materialized views');

	# schema and data apart, as pg_upgrade and careful people do
	$node->command_ok([ 'pg_dump', '-Fp', "--section=$_", '-f', "$dumps/$_", '-d', $node->connstr('clinic') ], "the section $_") for qw(pre-data data post-data);
	ask($elsewhere, 'postgres', 'CREATE DATABASE parts OWNER boss', 'keeper');
	$elsewhere->command_ok([ 'psql', '-Xq', '-U', 'boss', '-v', 'ON_ERROR_STOP=1', '-f', "$dumps/$_", '-d', $elsewhere->connstr('parts') ], "is restored: $_")
	  for qw(pre-data data post-data);
	same(answers($elsewhere, 'parts', 'boss'), $before, 'with the same answers');

	# and once more from there
	$elsewhere->command_ok([ 'pg_dump', '-U', 'boss', '-Fd', '-f', "$dumps/again", '-d', $elsewhere->connstr('parts') ], 'it is dumped again');
	$node->safe_psql('postgres', 'CREATE DATABASE returned OWNER boss');
	$node->command_ok([ 'pg_restore', '-U', 'boss', '-j', 2, '-d', $node->connstr('returned'), "$dumps/again" ], 'and restored at home');
	same(answers($node, 'returned', 'boss'), $before, 'with the same answers');
	is(ask($node, 'returned', "SELECT problem FROM anonopt.describe('counted') WHERE role = 'tuple_store'", 'boss'), 'it was restored and has not been counted since',
		'a tuple store that was restored is not believed');
	is(ask($node, 'returned', "SELECT FROM anonopt.refresh_tuple_store('counted'); SELECT problem IS NULL FROM anonopt.describe('counted') WHERE role = 'tuple_store'", 'boss'), 't',
		'before it is counted anew');
	same(answers($node, 'returned', 'boss'), $before, 'and then there are the same answers');
	is(ask($node, 'returned', "SELECT anonopt.refresh_release('seen'), anonopt.refresh_release('records'); SELECT anonopt.drop_release('live')", 'boss'), "|\n",
		'releases are made anew and dropped there');
	is(ask($node, 'returned', "INSERT INTO people VALUES (303, 39, '2', 'gout'), (304, 38, '2', 'gout'); SELECT anonopt.refresh_release('recoded_' || f) FROM unnest('{seen,shown,live}'::text[]) f;
			SELECT (SELECT count(*) FROM recoded_seen) - count(*), (SELECT count(*) FROM recoded_shown) - count(*), (SELECT count(*) FROM recoded_live) - count(*) FROM people", 'boss'),
		"\n\n\n0|0|0", 'and find their recoding and its tuples');
	$elsewhere->stop;
}

# -------------------------------------------------------------- without the extension

sub check_drop
{
	my $rows = $Server::define_contents . q{SELECT c.oid::regclass, c.relkind, pg_temp.contents(c.oid)
		FROM pg_class c WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
			AND relname NOT LIKE 'anonopt_tuples_%' ORDER BY c.oid};

	$node->safe_psql('postgres', 'CREATE DATABASE leaving OWNER boss TEMPLATE clinic');
	my $before = ask($node, 'leaving', $rows, 'boss');
	for my $query ('anonopt.released_rows(%s) AS r (age text)', 'ROWS FROM (anonopt.released_rows(%s) AS (age text), generate_series(1, 3)) WITH ORDINALITY')
	{
		is(refusal($node, 'leaving', 'CREATE MATERIALIZED VIEW mine AS SELECT * FROM ' . sprintf($query, q{(SELECT id FROM anonopt.published WHERE name = 'public.seen')}), 'boss'),
			'42501', 'no other view gets the rows of a release');
	}
	my $live = ask($node, 'leaving', 'SELECT count(*) FROM live', 'boss');
	is(refusal($node, 'leaving', 'DROP EXTENSION anonopt', 'boss'), '2BP01', 'views depend on the extension');
	is(ask($node, 'leaving', 'SELECT count(*) FROM live', 'boss'), $live, 'which stays');
	ask($node, 'leaving', 'DROP EXTENSION anonopt CASCADE', 'boss');
	same(ask($node, 'leaving', $rows, 'boss'), $before, 'tables, published ones too, and hierarchies outlive the extension');
	is(refusal($node, 'leaving', "SELECT count(*) FROM $_", 'boss'), '42P01', "a view, whose rows it makes, goes with it: $_") for qw(live seen);
	is(ask($node, 'leaving', q{SELECT count(*) FROM pg_namespace WHERE nspname = 'anonopt'}, 'boss'), 0, 'it leaves no schema');
	ask($node, 'leaving', 'CREATE EXTENSION anonopt', 'boss');
	is(ask($node, 'leaving', q{SELECT (SELECT count(*) FROM anonopt.dataset), (SELECT count(*) FROM anonopt.release)}, 'boss'), '0|0', 'a new one knows nothing');
}

# ----------------------------------------------------------------------- standby

sub check_standby
{
	my $standby = Server->new('standby');
	my $before = answers($node, 'clinic', 'boss');

	$node->backup('copy');
	$standby->init_from_backup($node, 'copy', has_streaming => 1);
	$standby->start;
	$node->wait_for_catchup($standby, 'replay', $node->lsn('flush'));
	same(answers($standby, 'clinic', 'boss'), $before, 'a standby gives the same answers');
	is( ask($standby, 'clinic', q{SET anonopt.max_workers = 2; SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET min_parallel_table_scan_size = 0;
			SELECT md5(string_agg(x::text, ' ' ORDER BY x::text)) FROM anonopt.lattice('large') x; SELECT workers > 0 FROM anonopt.last_search()}),
		ask($node, 'clinic', q{SELECT md5(string_agg(x::text, ' ' ORDER BY x::text)) FROM anonopt.lattice('large') x}) . "\nt",
		'with workers, too');
	for my $call (q{create_dataset('new', 'people')}, q{drop_dataset('people')}, q{add_quasi_identifier('some', 'zip', 'zips')}, q{drop_attribute('people', 'age')},
		q{set_class_label('people', 'zip')}, q{set_sensitivity('people', 'age', 'weights')}, q{auto_dataset('new', 'people', '{age}')},
		q{create_interval_hierarchy('new', 0, 9, '{5}')}, q{create_mask_hierarchy('new', 'people', 'zip')}, q{create_view('new', 'people', '{2,2}')},
		q{create_view('new', 'some', '{2}', k => 2, materialized => false)}, q{publish_table('new', 'people', '{2,2}')}, q{publish_records('new', 'some', 1, 'nr')},
		q{refresh_release('seen')}, q{refresh_release('shown')}, q{drop_release('seen')})
	{
		is(refusal($standby, 'clinic', "SELECT anonopt.$call", 'boss'), '25006', "refused there: $call");
	}

	# what the primary declares comes over
	ask($node, 'clinic', q{SELECT anonopt.create_dataset('later', 'people'), anonopt.add_quasi_identifier('later', 'age', 'ages')}, 'boss');
	$node->wait_for_catchup($standby, 'replay', $node->lsn('flush'));
	is(ask($standby, 'clinic', q{SELECT count(*) FROM anonopt.lattice('later')}, 'boss'), 4, 'what is declared meanwhile comes over');
	$standby->promote;
	is( ask($standby, 'clinic', q{SELECT anonopt.refresh_release('seen'); SELECT anonopt.publish_table('new', 'people', '{2,2}', k => 2); SELECT anonopt.drop_dataset('later');
			SELECT ok FROM anonopt.verify('new')}, 'boss'),
		"\nnew\n\nt", 'once promoted, it does all');
	is(ask($node, 'clinic', q{SELECT to_regclass('new') IS NULL, count(*) FROM anonopt.lattice('later')}, 'boss'), 't|4', 'the old primary knows nothing of that');
	$standby->stop;
}

# --------------------------------------------------------------------- the run

$node->init(allows_streaming => 1);
$node->append_conf('postgresql.conf', "autovacuum = off\nclient_min_messages = warning\n");
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE boss LOGIN; CREATE DATABASE clinic OWNER boss');
$node->psql('clinic', 'GRANT CREATE ON SCHEMA public TO boss');
make_data();
check_dumps();
check_drop();
check_standby();
$node->stop;
done_testing();
