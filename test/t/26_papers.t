#!/usr/bin/env perl
#
# docs/papers.md shows what bench/papers/results holds, and the results of the papers'
# small examples are what the code gives now.
#
# The others take minutes: `make papers` measures them anew.

use strict;
use warnings;
use FindBin;
use Test::More;

chdir "$FindBin::RealBin/../.." or die "cannot enter the project's root: $!";

my @small = qw(preferences_table2 comparing_tables comparing_utility comparing_table4 comparing_figure1 comparing_indices aruba_figure5 aruba_figure6);
is(system('bench/papers/weave', '--check'), 0, 'docs/papers.md shows the results as they are');

my $document = slurp('docs/papers.md');
for my $script (map { m{([^/]+)\.sql$} } glob 'bench/papers/*.sql')
{
	next if $script eq 'begin';
	like($document, qr/\b$script\b/, "$script is told of");
}
ok(-s, "$_ is there") for map { "bench/papers/results/$_.md" } grep { $_ ne 'end' } $document =~ /<!-- (\w+) -->/g;

SKIP:
{
	skip 'ADULT_DIR names no directory with adult.csv', scalar @small unless -r ($ENV{ADULT_DIR} // '') . '/adult.csv';
	my %got = `bench/papers/run @small` =~ /\G==> (\w+) <==\n((?:(?!==>).*\n)*)/g;
	is($got{$_}, slurp("bench/papers/results/$_.md"), "$_: as it was") for @small;
}
done_testing();

sub slurp
{
	my ($file) = @_;
	open my $in, '<:raw', $file or die "$file: $!";
	local $/;
	return scalar <$in>;
}
