#!/usr/bin/env perl
#
# Random worlds beside plain SQL (test/fuzz/worlds), in a server of its own.
# `make check-long` makes thousands.

use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Server;
use Test::More;

my $worlds = 6;
my $server = Server->new('worlds');
$server->init;
$server->append_conf('postgresql.conf', "autovacuum = off\njit = off\n");
$server->start;
$ENV{PGHOST} = $server->host;
$ENV{PGPORT} = $server->port;

sub begin
{
	my ($seed) = @_;
	open my $pipe, '-|', "$FindBin::RealBin/../fuzz/worlds --worlds $worlds --seed $seed --database worlds_$seed 2>&1" or die "cannot run test/fuzz/worlds: $!";
	return $pipe;
}

# both at once
my @halves = map { [ $_, begin($_) ] } 1, 2;
for (@halves)
{
	my ($seed, $pipe) = @$_;
	my $said = join '', <$pipe>;
	my $is_ok = close $pipe;

	ok($is_ok, "seed $seed: releases and measures are those of plain SQL") or diag($said);
	note($said);
	for my $what ('worlds', 'generalizations measured', 'tables', 'materialized views', 'live views', 'refused', 'refreshed', 'republished', 'left as they were', 'views read again')
	{
		cmp_ok($said =~ /\b(\d+) $what\b/ ? $1 : 0, '>', 0, "seed $seed: $what");
	}
}
$server->stop;
done_testing();
