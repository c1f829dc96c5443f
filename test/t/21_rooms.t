#!/usr/bin/env perl
#
# Each room of src/ includes only what ARCHITECTURE.md allows it, and no
# header of ours has the path of one of the server's.

use strict;
use warnings;
use FindBin;
use Test::More;

chdir "$FindBin::RealBin/../.." or die "cannot enter the project's root: $!";

my $engine = 'base engine';
my $between = "$engine catalog store";
my $all = "$between search record compare read release";
my %may = (base => '', engine => 'base', search => $engine, record => $engine, compare => $engine, catalog => 'base',
	store => 'base catalog', read => $between, release => $all, sql => $all);
chomp(my $server = `pg_config --includedir-server`);

for my $file (glob 'src/*.[ch] src/*/*.[ch]')
{
	my ($path, $room) = $file =~ m{^src/((\w+)/.*)} or fail("$file is in a room"), next;
	open my $source, '<', $file or die "$file: $!";
	my %included = map { m{^#include "((\w+)/[^"]+)"} && -e "src/$1" ? ($2 => 1) : () } <$source>;
	my @wrong = grep { " $may{$room} $room " !~ / $_ / } sort keys %included;
	is("@wrong", '', "$file includes what it may");
	ok(!-e "$server/$path", "$file hides no header of the server");
}
done_testing();
