#!/usr/bin/env perl
#
# The ways in which somebody gets the extension: a distribution for PGXN, Debian and
# RPM packages, images.  META.json obeys its specification; what it says of the
# maintainers is said in all of them; the distribution holds what META.json names;
# what a public host runs are targets of the Makefile; and a server of PostgreSQL 18
# or later finds the extension in the folders of which an image is made.

use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use IO::Uncompress::Unzip qw($UnzipError);
use JSON::PP;
use PostgreSQL::Test::Utils;
use Server;
use Test::More;

my $root = "$FindBin::RealBin/../..";
my ($major) = `pg_config --version` =~ /^PostgreSQL (\d+)/;
my $meta = JSON::PP->new->utf8->decode(slurp_file("$root/META.json"));

check_meta();
check_places();
check_dist();
check_workflows();
check_image();
done_testing();

# ------------------------------------------------------------------- META.json

# Version 1.0.0 of PGXN's specification, https://pgxn.org/spec/
sub check_meta
{
	my $string = sub { defined $_[0] && !ref $_[0] && $_[0] ne '' };
	my $term = sub { $string->($_[0]) && $_[0] =~ m{\A[^\s[:cntrl:]/\\]{2,}\z} };
	my $tag = sub { $string->($_[0]) && $_[0] =~ m{\A[^[:cntrl:]/\\]{1,256}\z} };
	my $version = sub { $string->($_[0]) && $_[0] =~ /\A(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}(?:-[0-9A-Za-z-]+)?\z/ };
	my $range = sub { $string->($_[0]) && !grep { !/\A\s*(?:[<>=!]=|[<>])?\s*(.*?)\s*\z/ || !($1 eq '0' || $version->($1)) } split /,/, $_[0] };
	my $url = sub { $string->($_[0]) && $_[0] =~ m{\A[a-z][a-z0-9+.-]*://[^/?#\s]+\S*\z} };
	my $licenses = join '|', qw(agpl_3 apache_1_1 apache_2_0 artistic_1 artistic_2 bsd freebsd gfdl_1_2 gfdl_1_3 gpl_1 gpl_2 gpl_3 lgpl_2_1 lgpl_3_0 mit mozilla_1_0
		mozilla_1_1 openssl perl_5 postgresql qpl_1_0 ssleay sun zlib open_source restricted unrestricted unknown);
	my $list_of = sub { my ($of) = @_; sub { my @list = ref $_[0] eq 'ARRAY' ? @{ $_[0] } : $_[0]; @list > 0 && !grep { !$of->($_) } @list } };
	my $map_of = sub {
		my ($name, $of) = @_;
		sub { ref $_[0] eq 'HASH' && !grep { !$name->($_) || !$of->($_[0]{$_}) } keys %{ $_[0] } }
	};
	# of the names before the bar, all are required
	my $map = sub {
		my ($names, %of) = @_;
		my ($required) = split /\|/, $names;
		sub {
			my ($found) = @_;
			ref $found eq 'HASH' && !(grep { !defined $found->{$_} } split ' ', $required) && !grep { !/\A[xX]_/ && !($of{$_} && $of{$_}->($found->{$_})) } keys %$found;
		}
	};
	my %fields = (
		name => $term, version => $version, abstract => $string, description => $string, maintainer => $list_of->($string), generated_by => $string,
		license => $list_of->(sub { $string->($_[0]) && $_[0] =~ /\A(?:$licenses)\z/ }),
		release_status => sub { $string->($_[0]) && $_[0] =~ /\A(?:stable|testing|unstable)\z/ },
		'meta-spec' => $map->('version|', version => sub { ($_[0] // '') eq '1.0.0' }, url => $url),
		provides => $map_of->($term, $map->('file version|', file => $string, version => $version, abstract => $string, docfile => $string)),
		prereqs => $map_of->(sub { $_[0] =~ /\A(?:configure|build|test|runtime|develop)\z/ },
			$map_of->(sub { $_[0] =~ /\A(?:requires|recommends|suggests|conflicts)\z/ }, $map_of->($term, $range))),
		resources => $map->('|', homepage => $url, license => $list_of->($url), bugtracker => $map->('|', web => $url, mailto => sub { $_[0] =~ /\A[^@\s]+@[^@\s]+\z/ }),
			repository => $map->('|', url => $url, web => $url, type => sub { $_[0] =~ /\A[a-z]+\z/ })),
		no_index => $map->('|', file => $list_of->($string), directory => $list_of->($string)),
		tags => $list_of->($tag));

	ok(exists $meta->{$_}, "META.json has $_") for qw(name version abstract maintainer license provides meta-spec), qw(resources no_index tags);
	ok($fields{$_} && $fields{$_}->($meta->{$_}), "META.json: $_") for grep { !/\A[xX]_/ } sort keys %$meta;
	# the check itself
	ok(!$fields{ $_->[0] }->($_->[1]), "not as $_->[0]: $_->[2]") for [ version => '1.0', 'two numbers' ], [ name => 'a b', 'a space' ], [ license => 'pgsql', 'another name' ],
	  [ resources => { homepage => 'anonopt.example' }, 'no scheme' ], [ resources => { home => 'https://anonopt.example' }, 'an unknown name' ], [ tags => ['a/b'], 'a slash' ],
	  [ provides => { anonopt => { version => '1.0.0' } }, 'no file' ], [ prereqs => { run => {} }, 'another phase' ], [ 'meta-spec' => { version => '2.0.0' }, 'another version' ];
	ok(-d "$root/$_", "$_, which is not to be indexed") for @{ $meta->{no_index}{directory} };
}

# META.json is the one place for the maintainers and their addresses.
sub check_places
{
	is(`perl $root/packaging/fill 2>&1`, '', 'all packages say what META.json does: else call make fill');
	unlike(slurp_file("$root/$_"), qr/anonopt\.example/, "$_ names no other place") for 'README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'Makefile', '.github/workflows/test.yml';
}

# ------------------------------------------------------------------------ files

# `make dist` packs a commit, so the tree becomes one
sub check_dist
{
	my $tree = PostgreSQL::Test::Utils::tempdir;
	my $name = "anonopt-$meta->{version}";
	my %size;

  SKIP:
	{
		skip 'git is not installed', 4 if system('git --version >/dev/null 2>&1') != 0;
		my $made = `cd $root && tar -c --exclude=.git --exclude=tmp_check --exclude='*.o' --exclude='*.so' . | tar -x -C $tree && cd $tree && git init -q . && git add -A . &&
			git -c user.name=x -c user.email=x\@x commit -q -m x && make -s dist 2>&1`;
		is($made, '', 'a distribution is made');
		my $zip = IO::Uncompress::Unzip->new("$tree/dist/$name.zip") or die "no distribution: $UnzipError\n";
		for (my $more = 1; $more > 0; $more = $zip->nextStream)
		{
			my ($content, $bytes) = ('');
			1 while ($bytes = $zip->read($content, 65536, length $content)) > 0;
			$size{ $zip->getHeaderInfo->{Name} } = length $content;
		}
		is(join(' ', grep { !/^\Q$name\E\// } keys %size), '', 'in one folder');
		ok($size{"$name/$_"}, "with $_") for 'META.json', 'Makefile', 'LICENSE', 'anonopt.control', map { @$_{qw(file docfile)} } values %{ $meta->{provides} };
	}
}

# What runs is a make target, after what a target needs was installed.
sub check_workflows
{
	my ($targets) = slurp_file("$root/Makefile") =~ /^PRIVATE = (.*)$/m;
	my @runs = slurp_file("$root/.github/workflows/test.yml") =~ /^\s*- run: (.*)$/mg;
	my @others = grep { !/^apt-get update && apt-get install / && !(/^make (\S+)(?: \w+=[^;&|]+)?$/ && " $targets " =~ / $1 /) } @runs;

	cmp_ok(scalar @runs, '>', 5, 'a public host runs something');
	is(join("\n", @others), '', 'which are targets of the Makefile');
}

# ------------------------------------------------------------------------ image

sub check_image
{
	my $made = `cd $root && PG_CONFIG=\$(which pg_config) packaging/image/build 2>&1`;

	if ($major < 18)
	{
		like($made, qr/PostgreSQL $major has no extension_control_path/, 'no image for a server that would not find it');
		return;
	}
	like($made, qr{dist/image: \d+ kB for PostgreSQL $major}, 'folders of an image, which are small enough');
	like(slurp_file("$root/dist/image/Containerfile"), qr/^FROM scratch$/m, 'and what makes one of them');
	my $server = Server->new('image');
	$server->init;
	$server->append_conf('postgresql.conf', "extension_control_path = '$root/dist/image/share:\$system'\ndynamic_library_path = '$root/dist/image/lib:\$libdir'\n");
	$server->start;
	$server->safe_psql('postgres', 'CREATE EXTENSION anonopt');
	is($server->safe_psql('postgres', q{CREATE TABLE t AS SELECT i % 3 AS a FROM generate_series(1, 9) i; SELECT anonopt.k_anonymity('t', '{a}')}), '3', 'a server finds the extension there');
	like($server->safe_psql('postgres', q{LOAD 'anonopt'; SELECT pg_read_file('/proc/self/maps')}), qr{dist/image/lib/anonopt\.so}, 'and its library');
	$server->stop;
}
