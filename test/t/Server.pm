# Server.pm
#
# PostgreSQL::Test::Cluster, but independent of the environment's encoding, locale,
# time zone and user.  It drops LC_ALL, so a machine that sets no LANG would have
# clusters in SQL_ASCII; and PGUSER, so the superuser would have the caller's name.

package Server;

use strict;
use warnings;
use Fcntl qw(:flock);
use PostgreSQL::Test::Cluster;

our @ISA = ('PostgreSQL::Test::Cluster');

$ENV{PGUSER} = 'postgres';

# Defines pg_temp.contents(relation): its rows in their order, a line each.  Not
# every server is built with functions for XML, which would do.
our $define_contents = q{CREATE FUNCTION pg_temp.contents(relation regclass) RETURNS text LANGUAGE plpgsql STRICT AS $$
	DECLARE
		contents text;
	BEGIN
		EXECUTE format('SELECT string_agg(x::text, %L ORDER BY x::text) FROM %s x', E'\n', relation) INTO contents;
		RETURN contents;
	END $$;
};

# initdb takes longer than all else that most scripts ask of a new server, so it runs once, and later ones are copies.
sub init
{
	my ($self, %options) = @_;
	my $run = \&PostgreSQL::Test::Utils::system_or_bail;

	no warnings 'redefine';
	local *PostgreSQL::Test::Utils::system_or_bail = sub {
		my ($program, $option, $directory, @others) = @_;
		return $program eq 'initdb' ? $run->('cp', '-RPp', cluster_of(@others), $directory) : $run->(@_);
	};
	$self->SUPER::init(%options, extra => [ '--username=postgres', '--locale=C.UTF-8', '--encoding=UTF8', @{ $options{extra} // [] } ]);
	# nor compiled expressions: see test/cluster
	$self->append_conf('postgresql.conf', "timezone = 'UTC'\njit = off\n");
}

# The directory of a cluster that initdb has made with some options for all scripts of this run
sub cluster_of
{
	my @options = @_;
	my $directory = join '_', "$PostgreSQL::Test::Utils::tmp_check/cluster", map { s/\W//gr } @options;

	open my $lock, '>', "$directory.lock" or die "$directory.lock: $!\n";
	flock $lock, LOCK_EX or die "$directory.lock: $!\n";
	if (!-d $directory)
	{
		PostgreSQL::Test::Utils::system_log('initdb', '-D', "$directory.new", @options) == 0 or die "cannot run initdb\n";
		rename "$directory.new", $directory or die "$directory: $!\n";
	}
	return $directory;
}

1;
