# Sessions.pm
#
# psql sessions that work while a test script continues, and queries to a
# server for such scripts.

package Sessions;

use strict;
use warnings;
use Exporter qw(import);
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

our @EXPORT = qw(make_helpers begin_session end_session wait_for_workers signal_session check_stops check_late);

my $scratch = PostgreSQL::Test::Utils::tempdir;

# Functions for data, and a view of workers.
sub make_helpers
{
	my ($node) = @_;
	$node->safe_psql('postgres', <<'END');
-- A number below n, the same in every run.
CREATE FUNCTION draw(i int, column_number int, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
$$ SELECT ('x' || left(md5(i || '.' || column_number), 7))::bit(28)::int % n $$;

-- How many rows a call returns that a table has not, or lacks; to the last bit.
CREATE FUNCTION differing(expected regclass, call text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    n bigint;
BEGIN
    EXECUTE format('WITH wanted AS (SELECT x::text FROM %s x), got AS MATERIALIZED (SELECT x::text FROM anonopt.%s x)
        SELECT count(*) FROM ((TABLE wanted EXCEPT ALL TABLE got) UNION ALL (TABLE got EXCEPT ALL TABLE wanted)) y',
        expected, call) INTO n;
    RETURN n;
END $$;

CREATE VIEW worker AS SELECT pid, leader_pid FROM pg_stat_activity WHERE backend_type = 'parallel worker';
END
}

# Begin a session.  It has a name in pg_stat_activity, two workers, and goes on
# after an error.
sub begin_session
{
	my ($node, $name, $sql, $role) = @_;
	my $file = "$scratch/" . $name =~ s/ /_/gr;
	my @psql = ('psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-d', $node->connstr('postgres'));

	push @psql, '-U', $role if $role;
	unlink "$file.sql";
	append_to_file("$file.sql", "SET application_name = '$name';\nSET anonopt.max_workers = 2;\n$sql");
	return { file => $file, name => $name,
		run => IPC::Run::start(\@psql, '<', "$file.sql", '>', "$file.out", '2>', "$file.err",
			IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default)) };
}

# Wait until a session has ended; return the lines that it printed.
sub end_session
{
	my ($session) = @_;
	$session->{run}->finish;
	$session->{err} = slurp_file("$session->{file}.err");
	return split /\n/, slurp_file("$session->{file}.out");
}

# Wait until so many workers run, and a little longer, so that they are at work.
sub wait_for_workers
{
	my ($node, $n) = @_;
	$node->poll_query_until('postgres', "SELECT count(*) >= $n FROM worker")
	  or die "no $n workers\n";
	sleep 0.2;
}

sub signal_session
{
	my ($node, $function, $name) = @_;
	$node->safe_psql('postgres',
		"SELECT $function(pid) FROM pg_stat_activity WHERE application_name = '$name'");
}

# Prints when it runs.
my $clock = "SELECT extract(epoch FROM clock_timestamp());\n";

# Prints when a search was over, how many workers are left, and what a
# comparison says of the next search.
sub aftermath
{
	my ($comparison) = @_;
	return $clock . "SELECT count(*) FROM worker;\n" . $comparison;
}

# Stop a search that does not end by itself: cancel it, then end a worker, then
# its leader. A hook runs while the first one works.
sub check_stops
{
	my ($node, $what, $search, $comparison, $hook) = @_;
	my $script = "SELECT FROM anonopt.$search;\n" . aftermath($comparison);

	my $session = begin_session($node, "$what cancelled", $script);
	wait_for_workers($node, 2);
	$hook->() if $hook;
	my $stopped = time;
	signal_session($node, 'pg_cancel_backend', $session->{name});
	check_stopped("$what, cancel", 57014, $session, $stopped, end_session($session));

	$session = begin_session($node, "$what bereft", $script);
	wait_for_workers($node, 2);
	$stopped = time;
	$node->safe_psql('postgres', 'SELECT pg_terminate_backend(pid) FROM worker LIMIT 1');
	check_stopped("$what, SIGTERM of a worker", '57P01', $session, $stopped, end_session($session));

	$session = begin_session($node, "$what killed", $script);
	wait_for_workers($node, 2);
	signal_session($node, 'pg_terminate_backend', $session->{name});
	end_session($session);
	ok($node->poll_query_until('postgres', 'SELECT count(*) = 0 FROM worker'), "$what, SIGTERM of the leader: no worker is left");
}

# Let the server's time limit stop it.
sub check_late
{
	my ($node, $what, $search, $comparison, $seconds) = @_;
	my $session = begin_session($node, "$what late", <<"END" . aftermath($comparison));
SET statement_timeout = '$seconds s';
$clock
SELECT FROM anonopt.$search;
RESET statement_timeout;
END
	wait_for_workers($node, 2);
	my ($began, @printed) = end_session($session);
	check_stopped("$what, statement timeout", 57014, $session, $began + $seconds, @printed);
}

# Check what a session printed of a search that was to stop at a time.
sub check_stopped
{
	my ($what, $error, $session, $stopped, $over, @printed) = @_;

	like($session->{err}, qr/\AERROR:  $error:[^\n]*\n(?!.*ERROR)/s, "$what: an ordinary error");
	cmp_ok($over - $stopped, '<', 1, "$what: within a second");
	is("@printed", '0 0 2', "$what: no worker is left, and the session goes on");
}

1;
