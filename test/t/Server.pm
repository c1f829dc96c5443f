# Server.pm
#
# PostgreSQL::Test::Cluster, but independent of the environment's encoding, locale,
# time zone and user.  It drops LC_ALL, so a machine that sets no LANG would have
# clusters in SQL_ASCII; and PGUSER, so the superuser would have the caller's name.

package Server;

use strict;
use warnings;
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

sub init
{
	my ($self, %options) = @_;

	$self->SUPER::init(%options, extra => [ '--username=postgres', '--locale=C.UTF-8', '--encoding=UTF8', @{ $options{extra} // [] } ]);
	$self->append_conf('postgresql.conf', "timezone = 'UTC'\n");
}

1;
