#!/usr/bin/env perl
#
# Workers really read relations and measure lattices, and no result depends on
# them: the same rows are returned with no, one and two workers, from
# partitions, views and foreign tables, and if no worker is available.
#
# auto_explain writes the plan of every query into the server's log, also of
# those that the extension runs, with the number of workers launched.

use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Server;
use Test::More;

my $node = Server->new('main');
$node->init;
$node->append_conf('postgresql.conf', <<'END');
session_preload_libraries = 'auto_explain'
auto_explain.log_min_duration = 0
auto_explain.log_analyze = on
auto_explain.log_timing = off
auto_explain.log_nested_statements = on
log_statement = none
client_min_messages = warning
parallel_setup_cost = 0
parallel_tuple_cost = 0
min_parallel_table_scan_size = 0
END
$node->start;

# Columns of every kind, with nulls, equal numbers written with different
# scales, and values that workers meet in another order than a serial scan.
$node->safe_psql('postgres', <<'END');
CREATE EXTENSION anonopt;
CREATE TYPE mood AS ENUM ('sad', 'merry', 'fair');
CREATE TABLE people (id int, age int, zip text, pay numeric, born date, mood mood,
	illness text, stage numeric, icd varchar, wage float8, vote text, n int);
INSERT INTO people
SELECT i,
	CASE WHEN i % 89 > 0 THEN i * 7919 % 90 END,
	CASE WHEN i % 101 > 0 THEN (10000 + i * 13 % 500)::text END,
	CASE WHEN i % 113 > 0 THEN round(i * 31337::bigint % 100000 / 100.0, i % 3) END,
	date '2000-01-01' + i * 13 % 730,
	CASE WHEN i % 97 > 0 THEN (enum_range(NULL::mood))[1 + i * 11 % 3] END,
	CASE WHEN i % 31 > 0 THEN 'illness ' || i % 1009 * (i % 1009) % 40 END,
	(i * 7 % 11)::numeric * CASE WHEN i % 2 = 0 THEN 1 ELSE 1.000 END,
	CASE WHEN i % 53 > 0 THEN chr(65 + i % 5) || i * 3 % 9 END,
	CASE WHEN i % 17 = 0 THEN float8 '-0' ELSE (i * 271 % 400) / 4.0 END,
	CASE WHEN i % 7 > 0 THEN (ARRAY['yes', 'no', 'perhaps'])[1 + i * 5 % 3] END,
	i % 4
FROM generate_series(1, 50000) i;

CREATE TABLE ages AS
SELECT int4range(a, a + 5) AS value, a / 30 || ' x 30' AS thirty, '*'::text AS anything FROM generate_series(0, 85, 5) a;
SELECT anonopt.create_mask_hierarchy('zips', 'people', 'zip'),
	anonopt.create_range_hierarchy('pays', 0, 1001, 1, '{10,100}'),
	anonopt.create_date_hierarchy('dates', '2000-01-01', '2001-12-31', '{month,year}'),
	anonopt.create_range_hierarchy('wages', 0, 100, 5, '{25}');
CREATE TABLE moods (value mood UNIQUE, good text, anything text);
INSERT INTO moods VALUES ('sad', 'no', '*'), ('fair', 'yes', '*'), ('merry', 'yes', '*'), (NULL, 'no', '*');
CREATE TABLE icds AS
SELECT chapter || number AS value, chapter, '*'::text AS anything
FROM unnest('{A,B,C,D,E}'::text[]) chapter, generate_series(0, 8) number;

-- Declares two data sets over a relation that has the columns of people: one
-- with everything, and one whose tuples fit in a word and carry nothing.
CREATE FUNCTION declare(relation text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM anonopt.create_dataset(relation, relation::regclass, 0.02, count_column => 'n');
	PERFORM anonopt.add_quasi_identifier(relation, 'age', 'ages');
	PERFORM anonopt.add_quasi_identifier(relation, 'zip', 'zips', 2, 4);
	PERFORM anonopt.add_quasi_identifier(relation, 'pay', 'pays', 1, 2);
	PERFORM anonopt.add_quasi_identifier(relation, 'born', 'dates', 0.5, 2);
	PERFORM anonopt.add_quasi_identifier(relation, 'mood', 'moods', 1, 1);
	PERFORM anonopt.add_sensitive(relation, 'illness');
	PERFORM anonopt.add_sensitive(relation, 'stage', 'ordered');
	PERFORM anonopt.add_sensitive(relation, 'icd', 'hierarchical', 'icds');
	PERFORM anonopt.add_sensitive(relation, 'wage', 'ordered', 'wages');
	PERFORM anonopt.add_sensitive(relation, 'mood', 'hierarchical', 'moods');
	PERFORM anonopt.set_class_label(relation, 'vote');
	PERFORM anonopt.create_dataset(relation || ' narrow', relation::regclass);
	PERFORM anonopt.add_quasi_identifier(relation || ' narrow', 'age', 'ages');
	PERFORM anonopt.add_quasi_identifier(relation || ' narrow', 'born', 'dates');
	PERFORM anonopt.add_quasi_identifier(relation || ' narrow', 'mood', 'moods');
END $$;
SELECT declare('people');

-- Workers are worth it for a large lattice only; one that is tall is cheap.
SELECT format('CREATE TABLE tall_moods AS SELECT m.*, %s FROM moods m', string_agg('text ''*'' AS more' || i, ', '))
FROM generate_series(1, 42) i \gexec
SELECT anonopt.create_dataset(name, 'people', 0.02),
	anonopt.add_quasi_identifier(name, 'age', 'ages'), anonopt.add_quasi_identifier(name, 'zip', 'zips', 1, 4),
	anonopt.add_quasi_identifier(name, 'pay', 'pays', 1, 2), anonopt.add_quasi_identifier(name, 'born', 'dates', 1, 2),
	anonopt.add_quasi_identifier(name, 'mood', 'tall_moods')
FROM unnest('{tall,tall and wide}'::text[]) name;
SELECT anonopt.add_sensitive('tall and wide', 'icd', 'hierarchical', 'icds'),
	anonopt.add_sensitive('tall and wide', 'wage', 'ordered', 'wages'),
	anonopt.set_class_label('tall and wide', 'vote');
ANALYZE;
END

# Queries for every relation, whose name is written as RELATION
my @calls = (
	q{SELECT x FROM anonopt.lattice('RELATION') x},
	q{SELECT x FROM anonopt.lattice('RELATION narrow') x},
	q{SELECT anonopt.k_anonymity('RELATION', '{age,mood}')},
	q{SELECT anonopt.l_diversity('RELATION', '{mood,vote}', 'zip'), anonopt.l_diversity('RELATION', '{vote}', 'born')},
	q{SELECT anonopt.t_closeness('RELATION', '{age}', 'illness'), anonopt.t_closeness('RELATION', '{age}', 'mood', 'ordered')});

# Further queries for a table
my @more_calls = (
	q{SELECT x FROM anonopt.lattice('RELATION', k => 20, l => 3, t => 0.6) x},
	q{SELECT x FROM anonopt.evaluate('RELATION', '{{0,0,0,0,0},{1,4,2,1,1}}', t => 0.8) x},
	q{SELECT x FROM anonopt.evaluate_cuts('RELATION narrow', ARRAY[repeat('10', 9)::varbit, repeat('0100100100', 73)::varbit, B'100']) x},
	q{SELECT x FROM anonopt.node_detail('RELATION', '{1,4,2,2,1}') x},
	q{SELECT x FROM anonopt.suppressed_classes('RELATION', '{1,5,3,1,1}', k => 10) x},
	q{SELECT x FROM anonopt.describe('RELATION') x},
	q{SELECT anonopt.k_anonymity('RELATION', '{stage,wage,icd,vote}')},
	q{SELECT anonopt.entropy_l_diversity('RELATION', '{zip}', 'pay'), anonopt.entropy_l_diversity('RELATION', '{age}', 'mood')},
	q{SELECT anonopt.t_closeness('RELATION', '{born}', 'icd', 'hierarchical', 'icds')},
	q{SELECT anonopt.risk('RELATION', '{age,zip,mood}')});

# Run statements in a session with some settings; return their output and what
# they added to the log.  An error's text is without the place in the sources.
sub run
{
	my ($settings, @statements) = @_;
	my $start = -s $node->logfile;
	my %output;

	$node->psql('postgres', join(";\n", map({ "SET $_" } @$settings), @statements),
		on_error_stop => 0, stdout => \$output{out}, stderr => \$output{err},
		extra_params => [ '-v', 'VERBOSITY=verbose', '-v', 'SHOW_CONTEXT=never' ]);
	$output{err} =~ s/^psql:\S+ //mg;
	$output{err} =~ s/^LOCATION: .*\n?//mg;
	$output{log} = slurp_file($node->logfile, $start);
	return \%output;
}

# The plans by which the extension read relations, or of other queries that
# begin in some way.
sub plans
{
	my ($log, $beginning) = @_;
	$beginning //= 'SELECT anonopt.tuples(';

	return grep { /Query Text: \Q$beginning\E/ } split /^(?=\d{4}-\d\d-\d\d )/m, $log;
}

# How many workers each of them had, as a set
sub launched
{
	my %numbers = map { (/Workers Launched: (\d+)/ ? $1 : 0, 1) } @_;

	return join ',', sort keys %numbers;
}

sub about
{
	my ($relation, @asked) = @_;

	return map { s/RELATION/$relation/gr } @asked;
}

# The first line in which two outputs differ is enough to know.
sub same
{
	my ($got, $expected, $name) = @_;
	my @got = split /\n/, $got;
	my @expected = split /\n/, $expected;

	return pass($name) if $got eq $expected;
	shift @got, shift @expected while @got && @expected && $got[0] eq $expected[0];
	is($got[0], $expected[0], $name);
}

# -------------------------------------------- no, one, two and absent workers

my @all = about('people', @calls, @more_calls);
my $serial = run(['max_parallel_workers_per_gather = 0'], @all);
is($serial->{err}, '', 'a serial read succeeds');
is(launched(plans($serial->{log})), '0', 'without workers');
cmp_ok(scalar(plans($serial->{log})), '>=', @all, 'each call reads the relation');
cmp_ok(() = $serial->{out} =~ /\n/g, '>', 100, 'and there is something to compare');

for my $case (
	[ 'one worker', 1, 'max_parallel_workers_per_gather = 1' ],
	[ 'two workers', 2, 'max_parallel_workers_per_gather = 2' ],
	[ 'two workers and an idle leader', 2,
		'max_parallel_workers_per_gather = 2', 'parallel_leader_participation = off' ],
	[ 'no worker to be had', 0, 'max_parallel_workers_per_gather = 2', 'max_parallel_workers = 0' ])
{
	my ($name, $workers, @settings) = @$case;
	my $parallel = run(\@settings, @all);

	is($parallel->{err}, '', "$name: the read succeeds");
	is(launched(plans($parallel->{log})), $workers, "$name: $workers launched for each");
	same($parallel->{out}, $serial->{out}, "$name: the same rows");
}

# --------------------------------------------------- workers measure a lattice

# The nodes are the same, in whatever order they come.
sub measured
{
	my (@settings) = @_;

	return run(\@settings, map { (
		"SELECT x FROM anonopt.lattice('$_') x ORDER BY levels",
		'SELECT workers FROM anonopt.last_search()') } 'tall', 'tall and wide');
}

# Nodes are rows of fields in parentheses; how many workers there were is not.
sub split_measured
{
	my ($output) = @_;
	my @lines = split /\n/, $output;

	return (join("\n", grep { /^\(/ } @lines), join(' ', grep { !/^\(/ } @lines));
}

my ($nodes, $workers) = split_measured(measured('anonopt.max_workers = 0')->{out});
is(() = $nodes =~ /^/mg, 2 * 3 * 2 * 2 * 2 * 45, 'every node is measured');
is($workers, '0 0', 'by the leader alone');

for my $case (
	[ 'one worker', '1 1', 'anonopt.max_workers = 1' ],
	[ 'two workers', '2 2', 'max_parallel_workers_per_gather = 2' ],
	[ 'no worker to be had', '0 0', 'anonopt.max_workers = 2', 'max_parallel_workers = 0' ])
{
	my ($name, $expected, @settings) = @$case;
	my $together = measured(@settings);
	my ($got, $helpers) = split_measured($together->{out});

	is($together->{err}, '', "lattice, $name: measured");
	is($helpers, $expected, "lattice, $name: by as many");
	same($got, $nodes, "lattice, $name: the same nodes");
}

# Rows that count nobody do not count as rows.
$node->safe_psql('postgres', q{
	CREATE TABLE empty (LIKE people);
	SELECT declare('empty');
	INSERT INTO empty SELECT id, age, zip, pay, born, mood, illness, stage, icd, wage, vote, 0 FROM people LIMIT 5000;
	ANALYZE empty});
my @nobody = (q{SELECT x FROM anonopt.lattice('empty') x}, q{SELECT x FROM anonopt.describe('empty') x});
is( run(['max_parallel_workers_per_gather = 2'], @nobody)->{out},
	run(['max_parallel_workers_per_gather = 0'], @nobody)->{out},
	'a count column of zeros: the same rows with and without workers');

# ------------------------------------------------------ errors seen by workers

# A change that only workers get to see, in a transaction that is rolled back
sub failure
{
	my ($change, $workers) = @_;
	my $output = run([ "max_parallel_workers_per_gather = $workers", 'parallel_leader_participation = off' ],
		'BEGIN', "UPDATE people SET $change WHERE id = 31234",
		q{SELECT x FROM anonopt.evaluate('people', '{0,4,1,1,1}') x}, 'ROLLBACK');

	return $output->{err};
}

for my $case (
	[ 'an integer without a range', 'age = 90', '22000', q{Among them: '90'\.} ],
	[ 'a text without a leaf', "zip = 'none'", '22000', q{Among them: 'none'\.} ],
	[ 'a date without a leaf', "born = '1999-12-31'", '22000', q{Among them: '1999-12-31'\.} ],
	[ 'not a number', "wage = 'NaN'", '22000', q{Among them: 'NaN'\.} ],
	[ 'a sensitive value without a leaf', "icd = 'Z1'", '22000', q{Among them: 'Z1'\.} ],
	[ 'a count that is null', 'n = NULL', '22004', 'count column holds a null value' ],
	[ 'a negative count', 'n = -1', '22000', 'count column holds a negative value' ])
{
	my ($name, $change, $state, $text) = @$case;
	my $error = failure($change, 2);

	like($error, qr/^ERROR:  $state: .*$text/s, "$name is refused");
	is($error, failure($change, 0), 'with the same words in a worker');
}

# ------------------------------------------------------- relations of all kinds

sub has_extension
{
	my ($name) = @_;

	return $node->safe_psql('postgres',
		"SELECT count(*) FROM pg_available_extensions WHERE name = '$name'");
}

my $expected = run(['max_parallel_workers_per_gather = 0'], about('people', @calls));

# The answers about another relation with the same rows, however it is read
sub same_answers
{
	my ($relation, $name, %options) = @_;
	my $setting = $options{setting} // 'enable_partitionwise_aggregate = off';

	$node->safe_psql('postgres', "SELECT declare('$relation')") unless $options{declared};
	for my $workers ($options{serially} ? 0 : (), 2)
	{
		my $output = run([ "max_parallel_workers_per_gather = $workers", $setting ], about($relation, @calls));

		is($output->{err}, '', "$name: $workers workers read it");
		same($output->{out}, $expected->{out}, "$name: the same rows");
		is(launched(plans($output->{log})), $workers, "$name: $workers launched") if $options{parallel};
		next unless $options{partials};
		my ($fewest) = sort { $a <=> $b } map { scalar(() = /Partial Aggregate/g) } plans($output->{log});
		is($fewest, $options{partials}, "$name: partitions are counted apart");
	}
}

my $port = $node->port;
my $host = $node->host;
$node->safe_psql('postgres', q{
	CREATE TABLE parts (LIKE people) PARTITION BY HASH (id);
	SELECT format('CREATE TABLE parts_%s PARTITION OF parts FOR VALUES WITH (MODULUS 4, REMAINDER %s)', r, r)
	FROM generate_series(0, 3) r \gexec
	INSERT INTO parts TABLE people;
	CREATE VIEW plain_view AS TABLE people;
	CREATE VIEW folded_view AS
	SELECT id, age, zip, pay, born, mood, illness, stage, icd, wage, vote, max(n) AS n FROM people
	GROUP BY id, age, zip, pay, born, mood, illness, stage, icd, wage, vote;
	CREATE MATERIALIZED VIEW materialized AS TABLE people;
	ANALYZE});

same_answers('parts', 'a partitioned table', parallel => 1);
same_answers('parts', 'its partitions one by one', declared => 1, serially => 1, partials => 4,
	setting => 'enable_partitionwise_aggregate = on');
same_answers('plain_view', 'a view', parallel => 1);
same_answers('folded_view', 'a view that aggregates');
same_answers('materialized', 'a materialized view', parallel => 1);

SKIP:
{
	skip 'file_fdw is not installed', 2 unless has_extension('file_fdw');
	my $file = $node->basedir . '/people.csv';

	$node->safe_psql('postgres', qq{
		COPY people TO '$file' (FORMAT csv);
		CREATE EXTENSION file_fdw;
		CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
		CREATE FOREIGN TABLE file (id int, age int, zip text, pay numeric, born date, mood mood, illness text,
			stage numeric, icd varchar, wage float8, vote text, n int) SERVER files
		OPTIONS (filename '$file', format 'csv')});
	same_answers('file', 'a foreign table over a file');
}

SKIP:
{
	skip 'postgres_fdw is not installed', 6 unless has_extension('postgres_fdw');

	$node->safe_psql('postgres', qq{
		CREATE EXTENSION postgres_fdw;
		CREATE SERVER itself FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'postgres');
		CREATE USER MAPPING FOR CURRENT_USER SERVER itself;
		CREATE TABLE late AS SELECT * FROM people WHERE id > 30000;
		CREATE FOREIGN TABLE remote (id int, age int, zip text, pay numeric, born date, mood mood, illness text,
			stage numeric, icd varchar, wage float8, vote text, n int) SERVER itself OPTIONS (table_name 'people');
		CREATE TABLE mixed (LIKE people) PARTITION BY RANGE (id);
		CREATE TABLE mixed_early PARTITION OF mixed FOR VALUES FROM (0) TO (30001);
		CREATE FOREIGN TABLE mixed_late PARTITION OF mixed FOR VALUES FROM (30001) TO (MAXVALUE)
		SERVER itself OPTIONS (table_name 'late');
		INSERT INTO mixed SELECT * FROM people WHERE id <= 30000;
		ANALYZE mixed_early});
	same_answers('remote', 'a foreign table');
	same_answers('mixed', 'partitions here and there', serially => 1, setting => 'enable_partitionwise_aggregate = on');
}

# ----------------------------------------------------- generalize() in workers

my $generalize = q{SELECT anonopt.generalize(zip, 'zips', 2), anonopt.generalize(age, 'ages', 1),
	anonopt.generalize(mood, 'moods', 1), sum(n) FROM people GROUP BY 1, 2, 3 ORDER BY 1, 2, 3};
my $alone = run(['max_parallel_workers_per_gather = 0'], $generalize);
my $helped = run(['max_parallel_workers_per_gather = 2'], $generalize);
is($helped->{err}, '', 'generalize() runs in workers');
is(launched(plans($helped->{log}, 'SELECT anonopt.generalize(')), '2', 'two of them');
same($helped->{out}, $alone->{out}, 'with the same labels');

$node->stop;
done_testing();
