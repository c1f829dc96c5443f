# Server.pm
#
# PostgreSQL::Test::Cluster, but for what it takes from the environment of whoever
# runs the tests: encoding, locale and time zone.  It drops LC_ALL, so a machine
# that sets no LANG would have clusters in SQL_ASCII.

package Server;

use strict;
use warnings;
use PostgreSQL::Test::Cluster;

our @ISA = ('PostgreSQL::Test::Cluster');

sub init
{
	my ($self, %options) = @_;

	$self->SUPER::init(%options, extra => [ '--locale=C.UTF-8', '--encoding=UTF8', @{ $options{extra} // [] } ]);
	$self->append_conf('postgresql.conf', "timezone = 'UTC'\n");
}

1;
