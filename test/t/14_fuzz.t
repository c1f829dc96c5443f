#!/usr/bin/env perl
#
# Smoke tests with random calls of every function (test/fuzz/run), random
# inputs to the engine outside a server (test/fuzz/engine), and every function
# under valgrind (test/fuzz/valgrind).  `make check-long` does much more.

use strict;
use warnings;
use FindBin;
use Test::More;

chdir "$FindBin::RealBin/../.." or die "cannot enter the project's root: $!";

# A command's status and what it says.
sub begin { my ($command) = @_; open my $pipe, '-|', "$command 2>&1" or die "$command: $!"; return $pipe }

sub end
{
	my ($pipe) = @_;
	my $said = join '', <$pipe>;
	close $pipe;
	return ($? >> 8, $said);
}

sub installed { my ($program) = @_; return grep { -x "$_/$program" } split /:/, $ENV{PATH} }

my $database = 'anonopt_fuzz';
{
	my ($status, $said) = end(begin("test/fuzz/run --calls 1500 --seed 1 --timeout 500 --database $database"));

	is($status, 0, 'calls with odd arguments: no crash, only errors that are foreseen, nothing told or run that must not be') or diag($said);
	my ($ncalls, $nfunctions) = $said =~ /^# (\d+) calls of (\d+) functions/m;
	cmp_ok($ncalls // 0, '>=', 1500, 'as many as that');
	note($said);
}

SKIP:
{
	my ($status, $said) = end(begin('test/fuzz/engine/run 2'));

	skip 'clang with libFuzzer is not installed', 1 if $status == 77;
	is($status, 0, 'the engine outside a server, its corpus and two seconds more') or diag($said);
	note($said);
}

{
	my ($status, $said) = end(begin('test/fuzz/engine/gap 200'));

	is($status, 0, 'recodings of small tables: nine of ten lose no more than the best of all partitions') or diag($said);
	note($said);
}

my $smoke = do { open my $file, '<', 'test/fuzz/smoke.sql' or die $!; local $/; <$file> };
my @functions = split /\n/, qx(psql -XAtq -d $database -c "SELECT DISTINCT proname FROM pg_proc WHERE pronamespace = 'anonopt'::regnamespace AND obj_description(oid, 'pg_proc') NOT LIKE 'internal%'");
cmp_ok(scalar @functions, '>', 50, 'the functions that users call are known');
is(join(' ', grep { $smoke !~ /anonopt\.$_\b/ } @functions), '', 'smoke.sql calls each');

SKIP:
{
	skip 'valgrind is not installed', 1 unless installed('valgrind');
	my ($status, $said) = end(begin('test/fuzz/valgrind psql -Xq -f test/fuzz/smoke.sql'));

	is($status, 0, 'valgrind finds nothing') or diag($said);
	note($said);
}
system('dropdb', '--if-exists', $database);
done_testing();
