#!/usr/bin/env perl
#
# Every source file is formatted as test/indent would.

use strict;
use warnings;
use FindBin;
use Test::More;

chdir "$FindBin::RealBin/../.." or die "cannot enter the project's root: $!";

my @files = sort glob 'src/*/*.[ch] test/fuzz/engine/*.[ch]';

system('test/indent');
plan skip_all => 'pg_bsd_indent 2.1.1 is not installed' if $? >> 8 == 77;
plan skip_all => 'no sources' unless @files;
plan tests => scalar @files;

for my $file (@files)
{
	my $changes = qx(test/indent --check $file 2>&1);

	ok($? == 0, "$file is formatted")
	  or diag("test/indent $file would change it:\n$changes");
}
