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
use Time::HiRes qw(sleep);

our @EXPORT = qw(make_helpers begin_session end_session wait_for_workers signal_session check_stops check_late metered work_of);

my $scratch = PostgreSQL::Test::Utils::tempdir;

# Defines seconds_worked(leader): how much work of a processor a session has had, its workers and all sessions that have
# ended; 0 where the system does not tell.  Other processes of the machine change a clock, but not this.
our $define_seconds_worked = q{
CREATE FUNCTION seconds_worked(leader int) RETURNS float8 LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
	WITH process AS (
		SELECT leader AS pid, ARRAY[12, 13] AS fields
		UNION ALL SELECT pid, ARRAY[12, 13] FROM pg_stat_activity WHERE leader_pid = leader AND pid <> leader
		UNION ALL SELECT substring(pg_read_file('postmaster.pid') FROM '^\d+')::int, ARRAY[14, 15])
	SELECT coalesce(sum(ticks[i]::float8) / 100, 0)
	FROM process, unnest(fields) i,
		string_to_array(substring(pg_read_file('/proc/' || pid || '/stat', 0, 10000, true) FROM '.*\) (.*)'), ' ') ticks
$$;
};

# Statements of one session, which then says how much it has worked for them.
sub metered
{
	my ($sql) = @_;
	return "SELECT public.seconds_worked(pg_backend_pid()) AS begun \\gset\n$sql;\nSELECT 'worked ' || (public.seconds_worked(pg_backend_pid()) - :begun);\n";
}

# How much that was, by what it printed
sub work_of
{
	my ($printed) = @_;
	return $printed =~ /^worked (\S+)$/m ? $1 : 'inf';
}

# Functions for data, and a view of workers.
sub make_helpers
{
	my ($node) = @_;
	$node->safe_psql('postgres', $define_seconds_worked . <<'END');
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

# Wait until so many workers run, and a moment longer, so that they are at work.
sub wait_for_workers
{
	my ($node, $n) = @_;
	$node->poll_query_until('postgres', "SELECT count(*) >= $n FROM worker")
	  or die "no $n workers\n";
	sleep 0.1;
}

sub signal_session
{
	my ($node, $function, $name) = @_;
	$node->safe_psql('postgres',
		"SELECT $function(pid) FROM pg_stat_activity WHERE application_name = '$name'");
}

# Prints how much was worked until then.
my $meter = "SELECT seconds_worked(pg_backend_pid());\n";

# Prints how much was worked until a search was over, how many workers are left,
# and what a comparison says of the next search.
sub aftermath
{
	my ($comparison) = @_;
	return $meter . "SELECT count(*) FROM worker;\n" . $comparison;
}

# How much was worked for a session by now; nothing if it is over
sub worked
{
	my ($node, $session) = @_;
	return $node->safe_psql('postgres',
		"SELECT seconds_worked(pid) FROM pg_stat_activity WHERE application_name = '$session->{name}' AND backend_type = 'client backend'");
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
	signal_session($node, 'pg_cancel_backend', $session->{name});
	check_stopped("$what, cancel", 57014, $session, worked($node, $session), end_session($session));

	$session = begin_session($node, "$what bereft", $script);
	wait_for_workers($node, 2);
	$node->safe_psql('postgres', 'SELECT pg_terminate_backend(pid) FROM worker LIMIT 1');
	check_stopped("$what, SIGTERM of a worker", '57P01', $session, worked($node, $session), end_session($session));

	$session = begin_session($node, "$what killed", $script);
	wait_for_workers($node, 2);
	signal_session($node, 'pg_terminate_backend', $session->{name});
	end_session($session);
	ok($node->poll_query_until('postgres', 'SELECT count(*) = 0 FROM worker'), "$what, SIGTERM of the leader: no worker is left");
}

# Let the server's time limit stop it, when it and two workers have worked no longer than that each.
sub check_late
{
	my ($node, $what, $search, $comparison, $seconds) = @_;
	my $session = begin_session($node, "$what late", <<"END" . aftermath($comparison));
SET statement_timeout = '$seconds s';
$meter
SELECT FROM anonopt.$search;
RESET statement_timeout;
END
	wait_for_workers($node, 2);
	my ($began, @printed) = end_session($session);
	check_stopped("$what, statement timeout", 57014, $session, $began + 3 * $seconds, @printed);
}

# Check what a session printed of a search that was to stop when so much had been worked.
sub check_stopped
{
	my ($what, $error, $session, $stopped, $over, @printed) = @_;

	like($session->{err}, qr/\AERROR:  $error:[^\n]*\n(?!.*ERROR)/s, "$what: an ordinary error");
	cmp_ok($over - ($stopped eq '' ? $over : $stopped), '<', 1, "$what: after less than a second's work");
	is("@printed", '0 0 2', "$what: no worker is left, and the session goes on");
}

1;
