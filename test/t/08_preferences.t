#!/usr/bin/env perl
#
# Searches by preference with parallel workers: they are launched, they change
# no row, and the session stays usable whatever stops them or the search.

use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Server;
use Sessions;
use Test::More;

# The searches. Each call is worth workers; see is_worth_workers() in nsga2.c.
my @calls = (
	q{nsga2('narrow', 5, 0.3, 0.2, evaluations => 12000, seed => 1)},
	q{nsga2('narrow', 5, 0.3, 0.2, evaluations => 12000, mutation => 0.01, seed => 1, taxonomy => true)},
	q{reference_direction('narrow', 5, '{1,0.5}', '{0.1,0.1}', 3, evaluations => 12000, seed => 1)},
	q{nsga2('wide', 5, 0.3, 0.2, population => 20, evaluations => 50000, crossover => 0.01, mutation => 0.000002, seed => 1)});
my $endless = q{nsga2('narrow', 5, 0.3, 0.2, evaluations => 2000000000, mutation => 0.01, seed => 1)};

my $node = Server->new('preferences');
$node->init;
$node->append_conf('postgresql.conf', 'max_worker_processes = 4');
$node->start;
make_data();

check_rows($_) for 0 .. $#calls;
check_few();
check_places();
check_stops($node, 'nsga2', $endless, comparison(0), sub {
	is($node->safe_psql('postgres', "SELECT algorithm, phase, total FROM anonopt.progress"),
		'nsga2|searching|2000000000', 'progress shows the search');
});
check_late($node, 'reference_direction', $endless =~ s/nsga2\('narrow', 5, 0.3, 0.2/reference_direction('narrow', 5, '{0,0}', '{1,1}'/r,
	comparison(0), 0.7);
check_growth();
$node->stop;
done_testing();

# ------------------------------------------------------------------- data sets

# narrow   keys of one word
# wide     keys of two words, few tuples
# few      not worth workers
sub make_data
{
	make_helpers($node);
	$node->safe_psql('postgres', <<'END');
CREATE EXTENSION anonopt;

SELECT anonopt.create_interval_hierarchy('years', 0, 99, '{5,10,50}'),
       anonopt.create_interval_hierarchy('ranks', 0, 26, '{3,9}'),
       anonopt.create_interval_hierarchy('points', 0, 2047, '{8,64,512}');
CREATE TABLE people AS
SELECT i AS serial, nullif(draw(i, 1, 101), 100) AS age, draw(i, 2, 27) AS a, draw(i, 3, 27) AS b, draw(i, 4, 27) AS c
FROM generate_series(1, 20000) i;
CREATE TABLE group_of_few AS TABLE people LIMIT 500;
CREATE TABLE crowd AS
SELECT draw(i, 1, 2048) AS p, draw(i, 2, 2048) AS q, draw(i, 3, 2048) AS r, draw(i, 4, 2048) AS s, draw(i, 5, 2048) AS t,
       draw(i, 6, 2048) AS u
FROM generate_series(1, 4000) i;
SELECT anonopt.create_dataset('narrow', 'people'), anonopt.create_dataset('wide', 'crowd'),
       anonopt.create_dataset('few', 'group_of_few');
SELECT anonopt.add_quasi_identifier('narrow', c::name, h)
FROM (VALUES ('age', 'years'::regclass), ('a', 'ranks'), ('b', 'ranks'), ('c', 'ranks')) v (c, h);
SELECT anonopt.add_quasi_identifier('wide', c::name, 'points') FROM unnest('{p,q,r,s,t,u}'::text[]) c;
SELECT anonopt.add_quasi_identifier('few', 'a', 'ranks');
END
}

# ------------------------------------------------------------- asking the server

# What statements print in a session of their own, with so many workers allowed.
sub ask
{
	my ($workers, $sql) = @_;
	return $node->safe_psql('postgres', "SET anonopt.max_workers = $workers;\n$sql");
}

# Statements that print how many rows of a call differ from those without
# workers, and how many workers there were.
sub comparison
{
	my ($number) = @_;
	my $call = $calls[$number] =~ s/'/''/gr;
	return "SELECT differing('answer_$number', '$call');\nSELECT workers FROM anonopt.last_search();\n";
}

# --------------------------------------------------------------------- same rows

sub check_rows
{
	my ($number) = @_;
	my $name = $calls[$number] =~ s/,.*taxonomy/, taxonomy/r =~ s/, .*seed => 1\)/, …)/r;

	is( ask(0, "CREATE TABLE answer_$number AS SELECT * FROM anonopt.$calls[$number];\n"
			. "SELECT count(*) > 1 FROM answer_$number;\n"
			. 'SELECT workers FROM anonopt.last_search()'),
		"t\n0", "$name: serial where no worker is allowed");
	is(ask($_, comparison($number)), "0\n$_", "$name: the same rows, workers: $_") for $number == 0 ? (1, 2) : 2;
}

sub check_few
{
	is( ask(2, "SELECT count(*) > 0 FROM anonopt.nsga2('few', 5, 0.3, 0.2, evaluations => 12000, seed => 1);\n"
			. 'SELECT workers FROM anonopt.last_search()'),
		"t\n0", 'no worker for what is evaluated at once');
	is(ask(2, "SET max_parallel_workers = 0;\n" . comparison(0)), "0\n0", 'no worker to be had: the same rows');
}

sub check_places
{
	my $compare = comparison(0);

	is( ask(2, <<"END"), "t\n0\n2", 'where an error is caught, and after it');
CREATE FUNCTION search_carefully() RETURNS boolean LANGUAGE plpgsql AS \$\$
BEGIN
    PERFORM FROM anonopt.$calls[0];
    PERFORM 1 / 0;
EXCEPTION WHEN division_by_zero THEN
    RETURN true;
END \$\$;
SELECT search_carefully();
$compare
END

	is( ask(2, <<"END"), "t\n0\n2", 'in a cursor, with another search beside it');
BEGIN;
DECLARE c CURSOR FOR SELECT * FROM anonopt.$calls[2];
MOVE 1 IN c;
SELECT count(*) = 1 FROM pg_cursors WHERE name = 'c';
$compare
COMMIT;
END

	my $setting = $node->safe_psql('postgres',
		"SELECT name FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')");
	is(ask(2, "SET $setting = on;\n$compare"), "0\n2", "$setting = on: the same rows");
}

# One session, call after call: memory does not grow after the first ones.
sub check_growth
{
	is( ask(0, <<'END'), 't', 'three hundred searches leave no memory behind');
CREATE FUNCTION search_often(times int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1..times LOOP
        PERFORM FROM anonopt.nsga2('few', 5, 0.3, 0.2, 20, 200, seed => i);
        PERFORM FROM anonopt.reference_direction('few', 5, '{0,0}', '{1,1}', 2, 20, 40, seed => i, taxonomy => true);
        PERFORM FROM anonopt.efficiency('few', 5, 0.3, 0.2);
    END LOOP;
END $$;
CREATE VIEW memory AS SELECT sum(total_bytes) AS bytes FROM pg_backend_memory_contexts;
SELECT FROM search_often(5);
SELECT bytes FROM memory \gset
SELECT FROM search_often(100);
SELECT bytes <= :bytes + 65536 FROM memory;
END
}
