#!/usr/bin/env perl
#
# Each room of src/ includes only what ARCHITECTURE.md allows it, and is as long as that says; no files of a room need each other
# in a circle; no header of ours has the path of one of the server's; and only the room promise names a model, but for k, l, t and
# beta, which are arguments of functions.

use strict;
use warnings;
use FindBin;
use Test::More;

chdir "$FindBin::RealBin/../.." or die "cannot enter the project's root: $!";

my (%may, %lines, @rooms);
open my $architecture, '<', 'ARCHITECTURE.md' or die "ARCHITECTURE.md: $!";
while (<$architecture>)
{
	my ($room, $includes, $lines) = /^\| (\w+) \| [^|]+ \| ([\w, –]+) \| ([\d,]+) \|$/ or next;
	next if !-d "src/$room";
	$lines{$room} = $lines =~ tr/,//dr;
	$may{$room} = $includes =~ /^all/ ? "@rooms" : join ' ', grep { $_ ne '–' } split /, /, $includes;
	push @rooms, $room;
}
is("@{[sort @rooms]}", "@{[sort map { m{src/(\w+)/} } glob 'src/*/']}", 'ARCHITECTURE.md lists the rooms');
for my $room (@rooms)
{
	my $lines = 0;
	for my $file (glob "src/$room/*.[ch]")
	{
		open my $source, '<', $file or die "$file: $!";
		$lines++ while <$source>;
	}
	cmp_ok(abs($lines - $lines{$room}), '<=', 0.03 * $lines, "$room has the lines that ARCHITECTURE.md says: $lines");
}
SKIP:
{
	skip 'no object files: test/cluster builds them', scalar @rooms if !glob 'src/*/*.o';
	for my $room (@rooms)
	{
		is(join('; ', circles($room)), '', "no files of $room need each other in a circle");
	}
}
chomp(my $server = `pg_config --includedir-server`);
my $names = join '|', grep { !/^(?:k|l|t|entropy_l|beta)$/ } `cat src/promise/*.c` =~ /\.name = "(\w+)"/g;
like($names, qr/alpha.*share_above/s, 'the room promise has models');

for my $file (glob 'src/*.[ch] src/*/*.[ch]')
{
	my ($path, $room) = $file =~ m{^src/((\w+)/.*)} or fail("$file is in a room"), next;
	open my $source, '<', $file or die "$file: $!";
	my %included = map { m{^#include "((\w+)/[^"]+)"} && -e "src/$1" ? ($2 => 1) : () } <$source>;
	my @wrong = grep { " $may{$room} $room " !~ / $_ / } sort keys %included;
	is("@wrong", '', "$file includes what it may");
	ok(!-e "$server/$path", "$file hides no header of the server");
	is(join(' ', models_named($file)), '', "$file names no model") if $room ne 'promise';
}

# The files of a room that need themselves by way of others, each with those and the names it takes from them: by the symbols
# of their object files.
sub circles
{
	my ($room) = @_;
	my (%home, %wants, %needs, @circles);

	for my $object (glob "src/$room/*.o")
	{
		my ($file) = $object =~ m{([^/]+)\.o$};
		next if !-e "src/$room/$file.c";
		for (`nm $object`)
		{
			my ($kind, $name) = /(\w) (\w+)$/ or next;
			if ($kind eq 'U') { push @{ $wants{$file} }, $name }
			elsif ($kind =~ /[TDBRC]/) { $home{$name} = $file }
		}
	}
	for my $file (keys %wants)
	{
		push @{ $needs{$file}{ $home{$_} } }, $_ for grep { ($home{$_} // $file) ne $file } @{ $wants{$file} };
	}
	for my $file (sort keys %needs)
	{
		push @circles, map { "$file takes @{$needs{$file}{$_}} of $_" }
		  grep { reaches(\%needs, $_, $file) } sort keys %{ $needs{$file} };
	}
	return @circles;
}

# Whether a file needs another one, itself or by way of others
sub reaches
{
	my ($needs, $from, $to) = @_;
	my %seen;

	for (my @next = ($from); defined(my $file = shift @next);)
	{
		return 1 if $file eq $to;
		push @next, keys %{ $needs->{$file} // {} } if !$seen{$file}++;
	}
	return 0;
}

# The models that a file's code names: constants, rows of the table, and names in literals.
sub models_named
{
	my ($file) = @_;
	my %named;

	open my $source, '<', $file or die "$file: $!";
	while (<$source>)
	{
		next if m{^\s*(?:/\*|\*|#include)};
		$named{$1} = 1 while /\b(MODEL_(?!BIT\b|[KLT]\b)[A-Z_]+|(?:$names|k|l|t|entropy_l)_model)\b/g;
		$named{$1} = 1 while /"(?:[^"\\]|\\.)*?\b($names)\b/g;
	}
	return sort keys %named;
}
done_testing();
