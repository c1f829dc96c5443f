#!/usr/bin/env perl
#
# A restore is not a refresh: it fills a materialized release only with what reveals
# no more than was shown before, and says that it did; otherwise it leaves the view
# without rows, names the function that fills it, and goes on.  Figures are computed
# by plain SQL on the restored source.

use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Server;
use Test::More;

my $dumps = PostgreSQL::Test::Utils::tempdir;
my $here = Server->new('here');
my $there = Server->new('there');

for my $node ($here, $there)
{
	$node->init;
	$node->start;
	$node->safe_psql('postgres', "CREATE ROLE $_ LOGIN") for qw(owner other);
}

sub ask
{
	my ($node, $database, $sql, $role) = @_;
	$node->psql($database, $sql, stdout => \my $answer, stderr => \my $told, extra_params => [ '-U', $role // 'owner' ]);
	return $told =~ /ERROR/ ? $told : $answer;
}

sub create
{
	my ($node, $database, $owner) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $database OWNER " . ($owner // 'owner'));
}

# Restores; returns whether all succeeded, and what was said.
sub restore
{
	my ($database, $role, @options) = @_;
	IPC::Run::run([ 'pg_restore', '-U', $role, @options, '-d', $there->connstr($database), "$dumps/dumped" ], '>', \my $out, '2>', \my $told);
	return ($? == 0, $told);
}

# What is recorded of the releases, and their k by plain SQL; "empty" for one without rows.
my $known = q{SELECT string_agg(concat_ws(' ', r.name, r.filled_by, r.verified_ok), ', ' ORDER BY r.name COLLATE "C") FROM anonopt.release r};
my $counted = q{SELECT format('%s of %s', min(n), sum(n)) FROM (SELECT count(*) AS n FROM people GROUP BY age / 5) c};

sub shown
{
	my ($database, $relation, $role) = @_;
	my $answer = ask($there, $database, "SELECT format('%s of %s', min(n), sum(n)) FROM (SELECT count(*) AS n FROM $relation GROUP BY age) c", $role);
	return $answer =~ /has not been populated/ ? 'empty' : $answer;
}

# another number than that of a database there: the clusters are copies of one
create($here, $_) for qw(first origin);
ask($here, 'origin', q{
	CREATE EXTENSION anonopt;
	CREATE TABLE people AS SELECT i AS id, 20 + i % 20 AS age, i % 3 AS ill FROM generate_series(1, 600) i;
	SELECT anonopt.create_interval_hierarchy('ages', 20, 39, '{5,10}');
	SELECT anonopt.create_dataset('d', 'people', 0.1), anonopt.add_quasi_identifier('d', 'age', 'ages'), anonopt.add_sensitive('d', 'ill');
	SELECT anonopt.create_view('seen', 'd', '{1}', k => 20, l => 2), anonopt.publish_table('listed', 'd', '{1}', k => 20);
	SELECT anonopt.create_recoding('classes', 'd', 20);
	SELECT anonopt.create_view('recoded', 'd', recoding => 'classes', k => 20)});
is(ask($here, 'origin', $known), 'public.listed publishing t, public.recoded publishing t, public.seen publishing t', 'three releases are published');
$here->command_ok([ 'pg_dump', '-U', 'owner', '-Fc', '-f', "$dumps/dumped", '-d', $here->connstr('origin') ], 'and dumped');

# ---------------------------------------------------------------- unchanged data

for my $case ([ 'whole', 'owner' ], [ 'by_jobs', 'owner', '-j', 3 ], [ 'at_once', 'owner', '-1' ], [ 'of_another', 'other', '-O', '-x' ])
{
	my ($database, $role, @options) = @$case;

	create($there, $database, $role);
	my ($well, $told) = restore($database, $role, @options);
	is($told, '', "$database: restored without a word");
	is(ask($there, $database, $known, $role), 'public.listed publishing t, public.recoded restore t, public.seen restore t', 'views say that a restore has filled them');
	is(shown($database, 'seen', $role), ask($there, $database, $counted, $role), 'with the rows that they showed');
	is( ask($there, $database, q{SELECT string_agg(concat_ws(' ', v.k >= v.promised_k, v.ok, v.filled_by), ', ' ORDER BY r.name COLLATE "C")
			FROM anonopt.release r, anonopt.verify(r.release) v}, $role),
		't t publishing, t t restore, t t restore', 'which verify confirms');
	is(ask($there, $database, 'SELECT count(*) FROM anonopt.published_content WHERE version > 0', $role), '0', 'and nothing else was shown');
}
is(ask($there, 'whole', "SELECT anonopt.refresh_release('seen'); SELECT filled_by FROM anonopt.verify('seen')"), "\nrefresh", 'a refresh is one');
is(ask($there, 'whole', "REFRESH MATERIALIZED VIEW recoded; SELECT filled_by FROM anonopt.verify('recoded')"), 'refresh', 'by PostgreSQL, too');

# ------------------------------------------------------------------ changed data

# The source gets other rows before the views are filled.
for my $case (
	[ 'fewer', 'DELETE FROM people WHERE id <= 3', qr/differs from what was shown before by/ ],
	[ 'unknown', 'INSERT INTO people VALUES (1000, 99, 1)', qr/without a leaf/ ],
	[ 'alike', 'UPDATE people SET ill = 1', qr/promise/ ],
	[ 'relabelled', "UPDATE ages SET level1 = 'x' || level1", qr/hierarchies of release .* have changed/ ])
{
	my ($database, $change, $reason) = @$case;

	create($there, $database);
	my ($well, $told) = restore($database, 'owner', '--section=pre-data', '--section=data');
	is($told, '', "$database: data are restored");
	ask($there, $database, $change);
	($well, $told) = restore($database, 'owner', '--section=post-data');
	ok(!$well, 'the rest is not restored without errors');
	like($told, qr/ERROR:.*$reason/, 'which give the reason');
	like($told, qr/HINT:  The restored view public\.seen has no rows until anonopt\.refresh_release fills it\./, 'and name the function');
	is(shown($database, 'seen'), 'empty', 'the view has no rows');
	like(ask($there, $database, $known), qr/^public\.listed publishing t, public\.recoded( restore t)?, public\.seen$/, 'and does not say that it has');
	like(ask($there, $database, "SELECT indexdef FROM pg_indexes WHERE tablename = 'ages'"), qr/UNIQUE INDEX/, 'what comes after is restored');
}
like(ask($there, 'fewer', "SET anonopt.composition = refuse; SELECT anonopt.refresh_release('seen')"), qr/differs from what was shown before by/, 'a refresh refuses, if it is to');
ask($there, 'fewer', "SET anonopt.composition = warn; SELECT anonopt.refresh_release('seen')");
is(shown('fewer', 'seen'), ask($there, 'fewer', $counted), 'or warns and fills it');
like(ask($there, 'fewer', $known), qr/public\.seen refresh t$/, 'and says so');

# Enough people have come: every promise is kept towards what was shown.
create($there, 'more');
restore('more', 'owner', '--section=pre-data', '--section=data');
ask($there, 'more', 'INSERT INTO people SELECT 1000 + i, 20 + i % 20, i % 3 FROM generate_series(1, 3000) i');
my ($well, $told) = restore('more', 'owner', '--section=post-data');
is($told, '', 'more: restored without a word');
is(shown('more', 'seen'), ask($there, 'more', $counted), 'with the rows of now');
is(ask($there, 'more', "SELECT filled_by, smallest_difference >= 20 FROM anonopt.release WHERE name = 'public.seen'"), 'restore|t', 'which is said, with the difference');

# --------------------------------------------------------------------- in parts

# Our tables are missing, or come later.
create($there, 'schema_first');
($well, $told) = restore('schema_first', 'owner', '-s');
like($told, qr/there is no release with id/, 'schema only: the views are not known yet') if $told ne '';
is(shown('schema_first', 'seen'), 'empty', 'and have no rows');
($well, $told) = restore('schema_first', 'owner', '-a');
is($told, '', 'the data follow without a word');
is(shown('schema_first', 'seen'), 'empty', 'and do not fill the views');
ask($there, 'schema_first', "SELECT anonopt.refresh_release('seen')");
is(shown('schema_first', 'seen'), ask($there, 'schema_first', $counted), 'refresh_release does');

# A role that may not restore our tables.
$there->safe_psql('postgres', 'CREATE DATABASE guest');
$there->safe_psql('guest', 'CREATE EXTENSION anonopt; GRANT CREATE ON SCHEMA public TO other');
($well, $told) = restore('guest', 'other', '-O', '-x');
like($told, qr/permission denied for table published/, 'who may not write our tables');
like($told, qr/there is no release with id .*\n.*\nHINT: .*refresh_release/, 'is told how to go on');
is(shown('guest', 'seen', 'other'), 'empty', 'the views have no rows');
is(shown('guest', 'listed', 'other'), ask($here, 'origin', $counted), 'a table has');
$here->stop;
$there->stop;
done_testing();
