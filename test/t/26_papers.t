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

my @small = qw(preferences_table2 comparing_tables comparing_utility comparing_table4 comparing_figure1 comparing_indices aruba_figure6 aruba_figure7a
	aruba_items_frontier aruba_jaro poka_table1);
is(system('bench/papers/weave', '--check'), 0, 'docs/papers.md shows the results as they are');

my $document = slurp('docs/papers.md');
for my $script (map { m{([^/]+)\.sql$} } glob 'bench/papers/*.sql')
{
	next if $script eq 'begin';
	like($document, qr/\b$script\b/, "$script is told of");
}
ok(-s, "$_ is there") for map { "bench/papers/results/$_.md" } grep { $_ ne 'end' } $document =~ /<!-- (\w+) -->/g;

# Beside what a paper prints stands the same: "ours" after "printed".  What is only said stands in parentheses.
for my $script (@small, 'poka_table3')
{
	my ($head, undef, @rows) = map { [ split / \| /, s/^\| | \|$//gr ] } split /\n/, slurp("bench/papers/results/$script.md");
	for my $column (grep { $head->[$_] =~ /printed$/ && $head->[ $_ + 1 ] =~ /^ours/ } 0 .. $#$head - 1)
	{
		is_printed("$script: $_->[0]", @$_[$column, $column + 1]) for @rows;
	}
}

# What PBG-EA's paper prints stands beside ours as its script has it
for my $script (qw(evolution_quality evolution_boxes))
{
	my @printed = slurp("bench/papers/$script.sql") =~ /'([\d.e-]+ \([\d.e-]+\))'/g;
	ok(@printed >= 8, "$script: has what is printed");
	my $results = slurp("bench/papers/results/$script.md");
	like($results, qr/\| \Q$_\E \|/, "$script: $_") for @printed;
	# from as many nodes as the paper's search, ours finds at least as much
	my @both = $results =~ /\| by default, as many nodes \| ([\d.]+) \(.*?\| ([\d.]+) \([\d.]+\) \|/g;
	ok(@both >= 8, "$script: has what both find");
	cmp_ok($both[ 2 * $_ + 1 ], '>=', $both[ 2 * $_ ], "$script: ours finds as much, row $_") for 0 .. @both / 2 - 1;
}

SKIP:
{
	skip 'ADULT_DIR names no directory with adult.csv', scalar @small unless -r ($ENV{ADULT_DIR} // '') . '/adult.csv';
	my %got = `bench/papers/run @small` =~ /\G==> (\w+) <==\n((?:(?!==>).*\n)*)/g;
	is($got{$_}, slurp("bench/papers/results/$_.md"), "$_: as it was") for @small;
}
done_testing();

# A dash says nothing, a fraction is a number, and parts between commas that are of several names have no order.
sub is_printed
{
	my ($name, $printed, $ours) = @_;
	return if $printed =~ /^(?:–$|\()/;
	$printed = $1 / $2 if $printed =~ m{^(\d+)/(\d+)$};
	if ($printed =~ /^\w \w.*, /)
	{
		my @names = split / /, $ours;
		$ours = join ', ', map { join ' ', sort splice @names, 0, 1 + tr/ // } split /, /, $printed;
		$printed = join ', ', map { join ' ', sort split / / } split /, /, $printed;
	}
	is($ours, $printed, "$name: $printed");
}

sub slurp
{
	my ($file) = @_;
	open my $in, '<:raw', $file or die "$file: $!";
	local $/;
	return scalar <$in>;
}
