#!/usr/bin/env perl
#
# Scripts beside the extension: the demo leaves its report, hierarchies are
# loaded from a directory of ARX's CSV files, and `make papers` says at once
# what ADULT_DIR lacks.
#
# They use the server that they find, in databases of their own.

use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use Test::More;

chdir "$FindBin::RealBin/../.." or die "cannot enter the project's root: $!";
my $scratch = tempdir(CLEANUP => 1);

sub write_file
{
	my ($file, $text) = @_;
	open my $handle, '>', $file or die "cannot write $file: $!\n";
	print $handle $text;
	close $handle or die "cannot write $file: $!\n";
}

# What a command prints, errors included, and its status
sub run
{
	my ($command) = @_;
	my $printed = qx($command 2>&1);
	return ($printed, $? >> 8);
}

sub make_database
{
	$ENV{PGDATABASE} = 'postgres';
	$ENV{PGOPTIONS} = '-c client_min_messages=warning';
	system('dropdb', '--if-exists', 'anonopt_scripts') == 0 && system('createdb', 'anonopt_scripts') == 0 or die "cannot create a database\n";
	$ENV{PGDATABASE} = 'anonopt_scripts';
}

sub ask { my ($sql) = @_; return (run(qq(psql -XAtq -v ON_ERROR_STOP=1 -c "$sql")))[0] =~ s/\n\z//r }

# ------------------------------------------------------------------------- demo

make_database();
my ($printed, $status) = run("demo/run 9>$scratch/report.html");
is($status, 0, 'the demo runs') or diag($printed);
cmp_ok(-s "$scratch/report.html", '>', 10000, 'and leaves its report where it is told');
unlike($printed, qr/ERROR|\/tmp/, 'without a complaint');
run('psql -Xqc "DROP OWNED BY demo_researcher" -c "DROP ROLE demo_researcher"');

# ------------------------------------------------------- a directory of hierarchies

make_database();
my $arx = "$scratch/A dir with 'quotes'";
mkdir $arx or die "cannot make $arx: $!\n";
# a mark of byte order, other ends of lines, no end of the last line, a delimiter, a quote and a line break in quotes, an empty line
write_file("$arx/x_hierarchy_age.csv", "\xEF\xBB\xBF" . join "\r\n", map { sprintf '%d;%d-%d;*', $_, $_ - $_ % 5, $_ - $_ % 5 + 4 } 0 .. 99);
write_file("$arx/x_hierarchy_marital-status.csv", qq("a;b";"say ""no""";*\n\nc;"two\nlines";*\n));
write_file("$arx/status.csv", "s;*\n");
write_file("$arx/x_hierarchy_nobody.csv", "n;*\n");
ask(q{CREATE EXTENSION btree_gist; CREATE EXTENSION anonopt; CREATE DOMAIN years AS smallint;
	CREATE TABLE "People" (age years, "Marital Status" varchar(9), status text, other int); INSERT INTO "People" VALUES (7, 'c', 's')} =~ s/"/\\"/gr);
my $load = qq(psql -X -v "directory=$arx" -v 'relation="People"' -v dataset=people -f demo/load_arx.sql);
($printed, $status) = run($load);
is($status, 0, 'a directory of hierarchies is loaded') or diag($printed);
like($printed, qr/^ x_hierarchy_nobody +\| +\| *$/m, 'a file without a column is told');
is( ask(q{SELECT string_agg(concat_ws(' ', column_name, hierarchy, levels, domain), ', ' ORDER BY ordinality) FROM anonopt.describe('people') WITH ORDINALITY}),
	q{age "People_age_hierarchy" 2 100, Marital Status "People_Marital Status_hierarchy" 2 2, status "People_status_hierarchy" 1 1},
	'each of the others is the hierarchy of the column that it names best');
is( ask(q{SELECT string_agg(x::text, ' ' ORDER BY x) FROM \"People_Marital Status_hierarchy\" x}), qq{(a;b,"say ""no""",*) (c,"two\nlines",*)}, 'with quotes, delimiters and line breaks');
is( ask(q{SELECT count(*) FROM \"People_age_hierarchy\" WHERE level1 <> value - value % 5 || '-' || value - value % 5 + 4}), 0, 'and values of the column\'s type');
($printed, $status) = run($load);
is($status, 3, 'once more: refused');
like($printed, qr/already exists/, 'since they are there');
($printed, $status) = run($load =~ s/directory=[^"]*/directory=$scratch\/nothing/r);
is($status, 3, 'no such directory: refused');
make_database();
ask(q{CREATE EXTENSION anonopt; CREATE TABLE people (a int)});
write_file("$scratch/x_a.csv", "1;*\n2\n");
($printed, $status) = run("psql -X -v directory=$scratch -v relation=people -f demo/load_arx.sql");
is($status . ask(q{SELECT count(*) FROM pg_class WHERE relname LIKE '%hierarchy'}), '30', 'a faulty file: nothing is left') or diag($printed);
$ENV{PGDATABASE} = 'postgres';
system('dropdb', 'anonopt_scripts');

# ------------------------------------------------------------------ the papers' data

my %fields = (age => 7, workclass => 4, education => 4, marital_status => 4, race => 2, sex => 2, native_country => 5, salary_class => 2, occupation => 3);
my $adult = "$scratch/adult";
my $header = 'age,workclass,education,marital_status,race,sex,native_country,salary_class,occupation';
mkdir $adult or die "cannot make $adult: $!\n";
$ENV{ADULT_DIR} = $adult;
sub refused { my ($what, $pattern) = @_; my ($printed, $status) = run('bench/papers/check'); is($status, 1, "$what: refused"); like($printed, $pattern, "$what: said") }

refused('nothing there', qr/no directory with adult\.csv.*"The Adult data"/s);
write_file("$adult/adult.csv", ($header =~ s/race,sex/sex,race/r) . "\n");
refused('columns in another order', qr/does not name the nine columns in their order/);
write_file("$adult/adult.csv", "$header\r\n");
write_file("$adult/hierarchy_$_.csv", 'x' . ';*' x ($fields{$_} - 1) . "\n") for grep { $_ ne 'sex' } keys %fields;
refused('a hierarchy less', qr/no directory with hierarchy_sex\.csv/);
write_file("$adult/hierarchy_sex.csv", "x;y;*\n");
refused('a level more', qr/first line of hierarchy_sex\.csv has 3 fields, not 2/);
write_file("$adult/hierarchy_sex.csv", "x;*\n");
is((run('bench/papers/check'))[1], 0, 'all there');
done_testing();
