#!/usr/bin/env perl
#
# A relation whose partitions are on other servers without the extension: each
# groups and counts its rows, only distinct tuples are transferred, every answer
# equals that of a plain table with the same rows, and a failure there fails the
# call, with nothing half counted.

use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Server;
use Test::More;

my ($hub, $north, $south) = map { Server->new($_) } qw(hub north south);
my $columns = 'id int, age int, pay numeric(8,2), town text, ill text, paid boolean';

# Queries for every relation with the same rows; %s is the data set.
my %questions = (
	evaluate => q{evaluate('%s', '{{0,0,0},{1,1,0},{2,1,2},{3,2,2}}')},
	'evaluate with a promise' => q{evaluate('%s', '{1,1,1}', k => 3, l => 2, t => 0.6)},
	lattice => q{lattice('%s')},
	'lattice with a promise' => q{lattice('%s', 2, 2, 0.5)},
	pareto => q{pareto('%s', '{k,l,t,glm}')},
	poka => q{poka('%s')},
	pbg_ea => q{pbg_ea('%s', '{k,l,nwp}', iterations => 20, seed => 7)},
	optimize => q{optimize('%s', k => 5, l => 2)},
	node_detail => q{node_detail('%s', '{1,1,1}')},
	suppressed_classes => q{suppressed_classes('%s', '{0,0,0}', k => 9)});

$_->init for $hub, $north, $south;
$_->append_conf('postgresql.conf', "shared_preload_libraries = 'pg_stat_statements'\npg_stat_statements.track = top\n") for $north, $south;
$_->start for $north, $south;
$hub->append_conf('postgresql.conf', 'max_parallel_workers_per_gather = 2');
$hub->start;
make_shards();
make_hub();

check_answers();
check_plan();
check_travel();
check_modes();
check_guards();
check_other_relations();
check_persons();
check_populations();
check_leaves_and_collations();
check_columns_of_shards();
check_changes();
check_failures();
$_->stop for $hub, $north, $south;
done_testing();

# -------------------------------------------------------------------------- data

sub make_shards
{
	for ([ $north, 1 ], [ $south, 2 ])
	{
		my ($shard, $number) = @$_;
		$shard->safe_psql('postgres', <<"END");
CREATE EXTENSION pg_stat_statements;
CREATE ROLE remote LOGIN;
GRANT pg_read_all_stats TO remote;
CREATE TABLE people ($columns);
INSERT INTO people
SELECT i, nullif(20 + i % 9, 23), CASE i % 7 WHEN 0 THEN NULL WHEN 1 THEN 100 ELSE (i * 13 % 9999) / 100.0 END,
	nullif('T' || i / 5 % 4, 'T3'), nullif('I' || i * i % 5, 'I4'), i % $number = 0
FROM generate_series($number * 10000, $number * 10000 + 9999) i;
CREATE VIEW slow AS SELECT * FROM people WHERE id < 0 OR id % 10000 > 9 OR pg_sleep(0.2) IS NOT NULL;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO remote;
END
	}
}

sub make_hub
{
	$hub->safe_psql('postgres', <<"END");
CREATE EXTENSION anonopt;
CREATE EXTENSION postgres_fdw;
CREATE ROLE reader;
CREATE ROLE visitor;
CREATE TABLE people ($columns) PARTITION BY RANGE (id);
CREATE TABLE here PARTITION OF people FOR VALUES FROM (0) TO (10000);
INSERT INTO here SELECT i, 20 + i % 5, i % 101, 'T' || i % 3, 'I' || i % 4, true FROM generate_series(0, 499) i;
@{[map { server_sql($_) } $north, $south]}
CREATE FOREIGN TABLE in_north PARTITION OF people FOR VALUES FROM (10000) TO (20000) SERVER north OPTIONS (table_name 'people');
-- a partition of a partition
CREATE TABLE beyond PARTITION OF people FOR VALUES FROM (20000) TO (50000) PARTITION BY RANGE (id);
CREATE FOREIGN TABLE in_south PARTITION OF beyond FOR VALUES FROM (20000) TO (30000) SERVER south OPTIONS (table_name 'people');
CREATE TABLE plain AS TABLE people;

SELECT anonopt.create_interval_hierarchy('ages', 20, 39, '{5,10}'), anonopt.create_mask_hierarchy('towns', 'plain', 'town');
CREATE TABLE pays (pay numrange PRIMARY KEY, half text, anything text);
INSERT INTO pays VALUES ('[0,25)', 'less', '*'), ('[25,50)', 'less', '*'), ('[50,75)', 'more', '*'), ('[75,100]', 'more', '*');
CREATE TABLE illnesses (illness text PRIMARY KEY, kind text, anything text);
INSERT INTO illnesses SELECT 'I' || i, 'K' || i / 2, '*' FROM generate_series(0, 4) i;
CREATE FUNCTION declare(name text, relation regclass) RETURNS void LANGUAGE sql AS \$\$
	SELECT anonopt.create_dataset(name, relation, 0.02), anonopt.add_quasi_identifier(name, 'age', 'ages'),
		anonopt.add_quasi_identifier(name, 'pay', 'pays'), anonopt.add_quasi_identifier(name, 'town', 'towns'),
		anonopt.add_sensitive(name, 'ill', 'hierarchical', 'illnesses'), anonopt.set_class_label(name, 'paid')
\$\$;
SELECT declare('spread', 'people'), declare('plain', 'plain'), declare('rich', 'people'), declare('rich plain', 'plain');
-- a sensitive column whose leaves are ranges is read beside its buckets
SELECT anonopt.add_sensitive(name, 'pay', 'ordered', 'pays') FROM unnest('{rich,rich plain}'::text[]) name;
GRANT SELECT ON people, here, in_north, in_south, ages, towns, pays, illnesses TO reader, visitor;
END
}

sub server_sql
{
	my ($shard) = @_;
	my ($name, $host, $port) = ($shard->name, $shard->host, $shard->port);

	return <<"END";
CREATE SERVER $name FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'postgres', async_capable 'true');
CREATE USER MAPPING FOR postgres SERVER $name OPTIONS (user 'remote');
CREATE USER MAPPING FOR reader SERVER $name OPTIONS (user 'remote', password_required 'false');
END
}

# ------------------------------------------------------------------ asking the hub

# What statements print, or the error that ended them.
sub ask
{
	my ($sql) = @_;
	my ($status, $printed, $error) = $hub->psql('postgres', $sql);
	return $status == 0 ? $printed : $error;
}

# The same, in one line, with notices and the error's SQLSTATE.
sub failure
{
	my ($sql) = @_;
	my ($status, $printed, $error) = $hub->psql('postgres', $sql, extra_params => [ '-v', 'VERBOSITY=verbose' ]);
	return $printed . $error =~ s/^psql:\S+ //mgr;
}

sub rows_of
{
	my ($question, $dataset, $before) = @_;
	return ask(($before // '') . sprintf "SELECT x FROM anonopt.$questions{$question} x ORDER BY x::text", $dataset);
}

sub read_sql { return ask("SELECT anonopt.read_sql('$_[0]')") }

# ------------------------------------------------------------------------ answers

sub check_answers
{
	for my $question (sort keys %questions)
	{
		for (['plain', 'spread'], ['rich plain', 'rich'])
		{
			my ($expected, $got) = map { rows_of($question, $_) } @$_;
			like($expected, qr/^\(/, "$question of $_->[0]: rows");
			ok($expected eq $got, "$question of $_->[1]: the same");
		}
	}
	is( ask("SELECT column_name, role, levels, domain, observed, nulls FROM anonopt.describe('spread')"),
		ask("SELECT column_name, role, levels, domain, observed, nulls FROM anonopt.describe('plain')"), 'describe: the same');
	is(ask("SELECT count(*) FROM anonopt.lattice('spread'); SELECT rows FROM anonopt.last_search()") =~ s/^.*\n//r,
		ask('SELECT count(*) FROM plain'), 'every row was counted');
	is($_->safe_psql('postgres', "SELECT count(*) FROM pg_extension WHERE extname = 'anonopt'"), '0', $_->name . ' has nothing of ours') for $north, $south;
}

sub check_plan
{
	my $plan = ask("EXPLAIN (VERBOSE, COSTS OFF) " . read_sql('spread'));
	my @remote = $plan =~ /Remote SQL: (.*)/g;

	# 14 does so only right under an Append
	my $scan = ask('SHOW server_version_num') >= 150000 ? 'Async Foreign Scan' : 'Foreign Scan';
	is(scalar(() = $plan =~ /$scan/g), 2, 'both shards are asked at once');
	is(scalar(grep { /GROUP BY/ && /count\(\*\)/ && /width_bucket\(pay/ } @remote), 2, 'each groups, counts, and tells ranges by their bucket')
	  or diag($plan);
	unlike($plan, qr/anonopt/, 'with nothing of ours in the plan');
	like($plan, qr/Seq Scan on public\.here/, 'the partition that is here is read here');

	# moments, too, by the days of a zone that the shard knows nothing of; the table may be missing there
	ask(<<'END');
CREATE FOREIGN TABLE met (moment timestamptz) SERVER north;
CREATE TABLE days AS SELECT daterange('2026-03-05'::date + i, '2026-03-06'::date + i) AS leaf, '*' AS l1 FROM generate_series(0, 20) AS i;
SELECT anonopt.create_dataset('met', 'met', timezone => 'America/New_York'), anonopt.add_quasi_identifier('met', 'moment', 'days');
END
	like(ask('EXPLAIN (VERBOSE, COSTS OFF) ' . read_sql('met')), qr/Remote SQL: SELECT width_bucket\(moment, .*2026-03-08 05:00:00\+00.*2026-03-09 04:00:00\+00.* GROUP BY/,
		'days of a zone are told from moments');
	ask("SELECT anonopt.drop_dataset('met'); DROP FOREIGN TABLE met");
}

# How many rows came from the shards, beside the distinct tuples there are on each.
sub check_travel
{
	my $distinct = 0;
	my $rows = 0;

	for ('in_north', 'in_south')
	{
		$distinct += ask("SELECT count(*) FROM (SELECT DISTINCT age, CASE WHEN pay < 75 THEN floor(pay / 25) WHEN pay <= 100 THEN 3 END, town, ill, paid FROM $_) d");
		$rows += ask("SELECT count(*) FROM $_");
	}
	my $plan = ask('EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ' . read_sql('spread'));
	my $travelled = 0;
	$travelled += $1 while $plan =~ /Foreign Scan.*\(actual rows=(\d+)/g;
	cmp_ok($travelled, '>', 0, 'tuples travel');
	cmp_ok($travelled, '<=', 1.1 * $distinct, "what travels is distinct tuples, $distinct of $rows rows");

	$_->safe_psql('postgres', 'SELECT pg_stat_statements_reset()') for $north, $south;
	ask("SELECT count(*) FROM anonopt.lattice('spread')");
	my $fetched = 0;
	$fetched += $_->safe_psql('postgres', "SELECT coalesce(sum(rows), 0) FROM pg_stat_statements WHERE query LIKE 'FETCH%'") for $north, $south;
	cmp_ok($fetched, '>', 0, 'the shards say so');
	cmp_ok($fetched, '<=', 1.1 * $distinct, 'and no more');
}

sub check_modes
{
	my $expected = rows_of('lattice', 'plain');

	for my $mode (qw(auto aggregate group_by))
	{
		ok(rows_of('lattice', $_, "SET anonopt.read_mode = $mode;\n") eq $expected, "read_mode $mode: $_") for 'spread', 'plain';
	}
	like(ask("SELECT anonopt.read_sql('plain'); SET anonopt.read_mode = 'often'"), qr/invalid value.*\nHINT:.*auto, aggregate, group_by/, 'another mode');
	my $before = "SET extra_float_digits = -15; SET datestyle = 'Postgres, DMY'; SET intervalstyle = 'sql_standard'; SET timezone = 'Asia/Kolkata'; SET search_path = '';\n";
	is(rows_of('lattice', 'spread', $before), rows_of('lattice', 'plain', $before), 'whatever way this session writes values');

	# Citus knows its relations in a catalog of this name
	like(ask("SET allow_system_table_mods = on; CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass);
		GRANT SELECT ON pg_catalog.pg_dist_partition TO PUBLIC; SELECT anonopt.read_sql('plain')"), qr/anonopt\.tuples/, 'what Citus does not distribute is read as ever');
	like(ask("INSERT INTO pg_catalog.pg_dist_partition VALUES ('plain'); SELECT anonopt.read_sql('plain')"), qr/count\(\*\).*GROUP BY/, 'what it does is grouped');
	is(rows_of('lattice', 'plain'), $expected, 'for the same rows');
	unlike(ask("SET anonopt.read_mode = aggregate; SELECT anonopt.read_sql('plain')"), qr/GROUP BY/, 'unless told otherwise');
	ask('SET allow_system_table_mods = on; DROP TABLE pg_catalog.pg_dist_partition');

	# bounds are not what a session would print of them
	ask(<<'END');
CREATE TYPE floats AS RANGE (subtype = float8);
CREATE TABLE float_ranges (f floats, anything text);
INSERT INTO float_ranges VALUES (floats(0, 0.1::float8 + 0.2::float8), '*'), (floats(0.1::float8 + 0.2::float8, 1), '*');
CREATE TABLE fractions AS SELECT f FROM unnest('{0.1,0.30000000000000004,0.3,0.3,0.5}'::float8[]) f;
SELECT anonopt.create_dataset('fractions', 'fractions', 0), anonopt.add_quasi_identifier('fractions', 'f', 'float_ranges');
SET timezone = 'Asia/Kolkata';
CREATE TABLE hours (h tstzrange, anything text);
INSERT INTO hours SELECT tstzrange(d, d + interval '3 hours'), '*' FROM generate_series('2020-01-01'::timestamptz, '2020-01-03', interval '3 hours') d;
CREATE TABLE visits AS SELECT '2020-01-01'::timestamptz + i * interval '17 minutes' AS h FROM generate_series(0, 150) i;
SELECT anonopt.create_dataset('visits', 'visits', 0), anonopt.add_quasi_identifier('visits', 'h', 'hours');
END
	for (['fractions', 'extra_float_digits = 0'], ['visits', "timezone = 'Asia/Kolkata'; SET datestyle = 'Postgres, DMY'"], ['visits', "timezone = 'Asia/Kolkata'; SET datestyle = 'SQL'"])
	{
		my ($name, $setting) = @$_;
		my ($aggregate, $grouped) = map { rows_of('lattice', $name, "SET $setting; SET anonopt.read_mode = $_;\n") } 'aggregate', 'group_by';
		is($grouped, $aggregate, "the bounds of ranges with $setting");
	}
}

# --------------------------------------------------------------- rights, as caller

sub check_guards
{
	my $expected = rows_of('lattice', 'plain');
	my $as_reader = "SET ROLE reader;\n";
	my $notice = qr/NOTICE:\s+\w+: partitions of public\.people are read through it, row by row/;

	ok(rows_of('lattice', 'spread', $as_reader) eq $expected, 'who is no superuser, with a mapping: the same rows');
	unlike(failure("${as_reader}SELECT count(*) FROM anonopt.lattice('spread')"), qr/NOTICE/, 'with no notice');

	ask('REVOKE SELECT ON in_north FROM reader');
	like(failure("${as_reader}SELECT count(*) FROM anonopt.lattice('spread')"), $notice, 'a leaf that may not be selected from: a notice');
	ok(rows_of('lattice', 'spread', $as_reader) eq $expected, 'and the same rows, through the parent');
	ask('GRANT SELECT (age, pay, town, ill, paid) ON in_north TO reader');
	unlike(failure("${as_reader}SELECT count(*) FROM anonopt.lattice('spread')"), qr/NOTICE/, 'some columns are enough');
	ok(rows_of('lattice', 'spread', $as_reader) eq $expected, 'for the same rows');
	ask('REVOKE SELECT (paid) ON in_north FROM reader');
	like(failure("${as_reader}SELECT count(*) FROM anonopt.lattice('spread')"), $notice, 'but not one less');
	ask('REVOKE SELECT ON in_north FROM reader; GRANT SELECT ON in_north TO reader');

	ask('ALTER TABLE people ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON people FOR SELECT TO reader USING (age < 25)');
	like(failure("${as_reader}SELECT count(*) FROM anonopt.lattice('spread')"), $notice, 'row security on the parent: a notice');
	is(ask("${as_reader}SELECT count(*) FROM anonopt.lattice('spread'); SELECT rows FROM anonopt.last_search()") =~ s/^.*\n//r,
		ask('SELECT count(*) FROM plain WHERE age < 25'), 'and only its rows');
	ok(rows_of('lattice', 'spread') eq $expected, 'not so for whom it does not apply');
	like(failure("${as_reader}SET row_security = off; SELECT count(*) FROM anonopt.lattice('spread')"), qr/42501: .*row-level security/, 'nor is it turned off');
	ask('DROP POLICY p ON people; ALTER TABLE people DISABLE ROW LEVEL SECURITY; ALTER TABLE here ENABLE ROW LEVEL SECURITY');
	like(failure("${as_reader}SELECT count(*) FROM anonopt.lattice('spread')"), $notice, 'row security on a leaf: a notice');
	ok(rows_of('lattice', 'spread', $as_reader) eq $expected, 'and the rows that the parent shows');
	ask('ALTER TABLE here DISABLE ROW LEVEL SECURITY');

	like(failure("SET ROLE visitor; SELECT count(*) FROM anonopt.lattice('spread')"), qr/user mapping not found for (?:user )?"visitor"/, 'who has no mapping');
	ask('REVOKE SELECT ON people FROM visitor');
	like(failure("SET ROLE visitor; SELECT count(*) FROM anonopt.lattice('spread')"), qr/42501: permission denied for table people/, 'who may not read the parent');
}

# --------------------------------------------------------------- other relations

sub check_other_relations
{
	ask("SELECT declare('foreign', 'in_north'); CREATE TABLE north_plain AS TABLE in_north; SELECT declare('foreign plain', 'north_plain')");
	for my $question ('lattice', 'pareto', 'suppressed_classes')
	{
		is(rows_of($question, 'foreign'), rows_of($question, 'foreign plain'), "a foreign table: $question");
	}
	my ($guess, $plain) = map { ask("SELECT * FROM anonopt.auto_dataset('guessed', '$_', NULL, dry_run => true)") } qw(in_north north_plain);
	is($guess, $plain, 'a foreign table is profiled');
	$north->safe_psql('postgres', q{CREATE EXTENSION citext; CREATE TABLE folded AS SELECT i % 4 AS age, CASE WHEN i = 77 THEN 'BONN' ELSE 'Bonn' END::citext AS town FROM generate_series(1, 200) i; GRANT SELECT ON folded TO PUBLIC});
	ask('CREATE FOREIGN TABLE folded (age int, town text) SERVER north; CREATE TABLE folded_plain AS TABLE folded');
	($guess, $plain) = map { ask("SELECT * FROM anonopt.auto_dataset('guessed', '$_', NULL, dry_run => true)") } qw(folded folded_plain);
	is($guess, $plain, 'and values that its server holds equal are told apart');
	ask("CREATE TABLE folded_towns AS SELECT DISTINCT town, '*' AS any_town FROM folded_plain; SELECT anonopt.create_dataset(r, r::regclass, 0), anonopt.add_quasi_identifier(r, 'town', 'folded_towns') FROM unnest('{folded,folded_plain}'::text[]) r");
	is(ask("SELECT k, classes FROM anonopt.evaluate('folded', '{0}')"), ask('SELECT min(n), count(*) FROM (SELECT count(*) AS n FROM folded_plain GROUP BY town) x'), 'also in classes');
	$_->safe_psql('postgres', 'SELECT pg_stat_statements_reset()') for $north, $south;
	($guess, $plain) = map { ask("SELECT * FROM anonopt.auto_dataset('guessed', '$_', NULL, dry_run => true) WHERE column_name <> 'id'") } qw(people plain);
	is($guess, $plain, 'a table with foreign partitions is profiled');
	my $fetched = 0;
	$fetched += $_->safe_psql('postgres', "SELECT coalesce(sum(rows), 0) FROM pg_stat_statements WHERE query LIKE 'FETCH%'") for $north, $south;
	cmp_ok($fetched, '<', 80_000, 'by groups that its shards make, of which numbers without repetition have many, and by quantiles of two columns');
	is(ask("SELECT * FROM anonopt.suggest_quasi_identifiers('people')"), ask("SELECT * FROM anonopt.suggest_quasi_identifiers('plain')"), 'combinations are counted');
	is(ask("BEGIN; GRANT SELECT ON people TO visitor; REVOKE SELECT ON here, in_north, in_south FROM visitor; SET LOCAL ROLE visitor; SELECT anonopt.suggest_quasi_identifiers('people', '{age,town}'); ROLLBACK") =~
		  /user mapping not found/ ? 1 : 0, 1, 'who may read the parent only reads no partition without it');
	like(ask('EXPLAIN (VERBOSE, COSTS OFF) ' . read_sql('foreign')), qr/^Foreign Scan\n(?s:.*)Remote SQL: .*GROUP BY/, 'a foreign table groups by itself');

	ask("CREATE VIEW looking AS SELECT * FROM people; SELECT declare('looking', 'looking')");
	is(rows_of('lattice', 'looking'), rows_of('lattice', 'plain'), 'a view of the parent');
	is(rows_of('lattice', 'looking', "SET anonopt.read_mode = group_by;\n"), rows_of('lattice', 'plain'), 'grouped');

	my $expected = rows_of('lattice', 'plain');
	is(ask("CREATE TEMP TABLE brief AS TABLE plain; SELECT FROM declare('brief $_', 'brief'); SET anonopt.read_mode = $_;
		SELECT x FROM anonopt.lattice('brief $_') x ORDER BY x::text"), $expected, "a temporary table, read_mode $_") for 'auto', 'group_by';
	is(ask("CREATE TEMP TABLE halves ($columns) PARTITION BY RANGE (id); CREATE TEMP TABLE one PARTITION OF halves FOR VALUES FROM (0) TO (100000);
		INSERT INTO halves SELECT * FROM plain; SELECT FROM declare('halves', 'halves'); SET anonopt.read_mode = group_by;
		SELECT x FROM anonopt.lattice('halves') x ORDER BY x::text"), $expected, 'a temporary partitioned table, grouped');

	ask("SELECT anonopt.create_dataset('by count', 'people', 0, count_column => 'id'), anonopt.add_quasi_identifier('by count', 'town', 'towns');
		SELECT anonopt.create_dataset('by count plain', 'plain', 0, count_column => 'id'), anonopt.add_quasi_identifier('by count plain', 'town', 'towns')");
	is(ask("SELECT x FROM anonopt.lattice('by count') x"), ask("SELECT x FROM anonopt.lattice('by count plain') x"), 'a count column');

	# names that the statement must not take for its own
	ask(<<'END');
CREATE TABLE "r ""x"" anonopt.tuples($1" ("c1" int, "anonopt.tuples($1" int, "n" text);
INSERT INTO "r ""x"" anonopt.tuples($1" SELECT 20 + i % 5, 20 + i % 3, 'T' || i % 3 FROM generate_series(1, 60) i;
SELECT anonopt.create_dataset('odd', '"r ""x"" anonopt.tuples($1"', 0), anonopt.add_quasi_identifier('odd', 'c1', 'ages'),
	anonopt.add_quasi_identifier('odd', 'anonopt.tuples($1', 'ages'), anonopt.add_sensitive('odd', 'n');
END
	is(ask("SET anonopt.read_mode = group_by; SELECT x FROM anonopt.lattice('odd') x"), ask("SELECT x FROM anonopt.lattice('odd') x"), 'odd names, grouped');
	like(ask("SET anonopt.read_mode = $_; SELECT anonopt.read_sql('odd') \\gset\nEXPLAIN :read_sql"), qr/rows=/, "odd names: what read_sql says in mode $_ can be explained")
	  for 'group_by', 'aggregate';
	like(failure(read_sql('plain')), qr/0A000: /, 'what read_sql says of our aggregate cannot be run');
}

# --------------------------------------------------------- a person on two shards

# Patients 30 to 59 and those without a number, who are one, have rows on both shards, and
# number 999 one row on each, in a class of their own.
sub check_persons
{
	my $columns = 'shard int, patient text, age int, town text, ill text';

	for ([ $north, 1 ], [ $south, 2 ])
	{
		my ($shard, $number) = @$_;
		$shard->safe_psql('postgres', <<"END");
CREATE TABLE stays ($columns);
INSERT INTO stays SELECT $number, nullif('P' || 30 * ($number - 1) + i * 7 % 60, 'P40'), 20 + (i / 3 + $number) % 18, 'T' || i / 5 % 3, 'I' || i % 5 FROM generate_series(1, 700) i;
INSERT INTO stays VALUES ($number, 'P999', 39, 'T9', 'I0');
GRANT SELECT ON stays TO remote;
END
	}
	ask(<<"END");
CREATE TABLE stays ($columns) PARTITION BY LIST (shard);
CREATE FOREIGN TABLE stays_north PARTITION OF stays FOR VALUES IN (1) SERVER north OPTIONS (table_name 'stays');
CREATE FOREIGN TABLE stays_south PARTITION OF stays FOR VALUES IN (2) SERVER south OPTIONS (table_name 'stays');
CREATE TABLE stays_plain AS TABLE stays;
SELECT anonopt.create_mask_hierarchy('stays_towns', 'stays_plain', 'town');
CREATE FUNCTION declare_visits(name text, relation regclass) RETURNS void LANGUAGE sql AS \$\$
	SELECT anonopt.create_dataset(name, relation, 0.02, person => 'patient'), anonopt.add_quasi_identifier(name, 'age', 'ages'),
		anonopt.add_quasi_identifier(name, 'town', 'stays_towns'), anonopt.add_sensitive(name, 'ill')
\$\$;
SELECT declare_visits('stays spread', 'stays'), declare_visits('stays plain', 'stays_plain');
END
	is(ask('SELECT count(DISTINCT patient) FROM stays_north n JOIN stays_south s USING (patient)'), '30', 'people have rows on both shards');

	my $people = ask("SELECT count(DISTINCT patient) + 1 FROM stays_plain");
	is(ask("SELECT k FROM anonopt.evaluate('stays spread', '{3,2}')"), $people, 'each counts once in the class of all');
	is(ask("SELECT k FROM anonopt.evaluate('stays spread', '{0,0}', k => 1)"), '1', 'a class with a row of one person on each shard has one');
	is(ask("SELECT size FROM anonopt.suppressed_classes('stays spread', '{0,0}', k => 2)"), '1', 'which breaks k');
	is(ask("SELECT rows, people FROM anonopt.describe('stays spread') WHERE role = 'person'"), ask('SELECT count(*) FROM stays_plain') . "|$people", 'describe');
	for my $question (q{evaluate('%s', '{{0,0},{1,1},{2,1},{3,2}}')}, q{lattice('%s')}, q{lattice('%s', 4, 2)}, q{pareto('%s', '{k,l,glm}')}, q{poka('%s')},
		q{optimize('%s', k => 5)}, q{suppressed_classes('%s', '{1,0}', k => 12)}, q{release_risk('%s')})
	{
		my ($expected, $got) = map { ask(sprintf "SELECT x FROM anonopt.$question x ORDER BY x::text", $_) } 'stays plain', 'stays spread';
		is($got, $expected, sprintf "$question: the same", 'stays spread');
	}

	# every class of the lattice by plain SQL on the rows of both shards
	is(ask(<<'END'), '', 'the sizes of classes are the different people');
SELECT DISTINCT 'age ' || a || ', town ' || t FROM generate_series(0, 3) a, generate_series(0, 2) t,
	LATERAL (SELECT min(people) AS k FROM (SELECT count(DISTINCT patient) + (count(*) > count(patient))::int AS people FROM stays_plain
		GROUP BY anonopt.generalize(age, 'ages', a), anonopt.generalize(town, 'stays_towns', t)) c) x
WHERE k <> (SELECT k FROM anonopt.evaluate('stays spread', ARRAY[a, t], k => 1))
END

	my %risk = map { $_ => ask("SELECT x FROM anonopt.risk('$_', '{age,town}', person => 'patient') x") } qw(stays stays_plain);
	is($risk{stays}, $risk{stays_plain}, 'risk: the same');
	is(ask("SELECT records, people FROM anonopt.risk('stays', '{age,town}', person => 'patient')"), ask('SELECT count(*) FROM stays_plain') . "|$people", 'rows and people');

	ask("SELECT anonopt.publish_table('shown_$_', 'stays $_', '{1,1}', k => 6) FROM (SELECT set_config('anonopt.composition', 'off', false)) x") for qw(spread plain);
	my %shown = map { $_ => ask("SELECT age, town, ill, count(*) FROM shown_$_ GROUP BY 1, 2, 3 ORDER BY 1, 2, 3") } qw(spread plain);
	like($shown{spread}, qr/\|T/, 'a table is published');
	is($shown{spread}, $shown{plain}, 'publish_table: the same');
	my %verified = map { $_ => ask("SELECT (promised_k, k, promised_l, l, rows, ok, promised_t, t, others) FROM anonopt.verify('shown_$_')") } qw(spread plain);
	like($verified{spread}, qr/^\(6,\d+,.*,t,/, 'verify: it keeps its promise');
	is($verified{spread}, $verified{plain}, 'the same');
	is(ask("SELECT measures ->> 'rows', measures ->> 'people' FROM anonopt.release WHERE release::text = 'shown_spread'"),
		ask('SELECT count(*) FROM stays_plain') . "|$people", 'the release says how many rows and people there were');
}

# ------------------------------------------------------- people on the shards

sub check_populations
{
	like(ask(<<'END'), qr/map_there\nmap_here$/, 'promises about people on shards and here');
CREATE VIEW population AS TABLE people;
ALTER TABLE pays ADD EXCLUDE USING gist (pay WITH &&);
SELECT declare(n, 'plain'), anonopt.add_promise(n, 'k_map', 3, population => p) FROM (VALUES ('known there', 'population'::regclass), ('known here', 'plain')) x (n, p);
SELECT anonopt.publish_table('map_' || n, 'known ' || n, '{3,2,2}') FROM (SELECT set_config('anonopt.composition', 'off', false)) x, unnest('{there,here}'::text[]) n;
END
	my ($there, $here) = map { ask("SELECT to_jsonb(v) - 'filled_at' FROM anonopt.verify('map_$_') v") } qw(there here);
	like($there, qr/"k_map": \{"ok": true, "measured": \d+, "promised": 3\}/, 'a promise about people on shards is verified');
	is($there, $here, 'as one about people here');
	is(ask("SELECT length(anonopt.report('known there')) > 10000"), 't', 'and reported');
	ask('ALTER VIEW population RENAME COLUMN age TO years');
	is(ask("SELECT ok, others -> 'k_map' ->> 'ok' FROM anonopt.verify('map_there')"), 'f|false', 'a population that lacks a column keeps no promise');
	ask("SELECT anonopt.drop_release('map_' || n), anonopt.drop_dataset('known ' || n) FROM unnest('{there,here}'::text[]) n; DROP VIEW population");
}

# ----------------------------------------------------- leaves, collations, shards

sub check_leaves_and_collations
{
	for (['-0.01', 'below 0'], ['100.01', '100 or above'], ["'NaN'", '100 or above'])
	{
		my ($value, $told) = @$_;
		my $error = failure("BEGIN; INSERT INTO here VALUES (1, 20, $value); SELECT count(*) FROM anonopt.lattice('spread')");
		like($error, qr/ERROR:\s+22000: column "pay" holds values without a leaf in hierarchy public\.pays/, "$value has no leaf");
		like($error, qr/DETAIL:  Among them: '\Q$told\E'/, 'the bucket is told');
	}
	ask("DELETE FROM pays WHERE pay = '[25,50)'");
	like(failure("SELECT count(*) FROM anonopt.lattice('spread')"), qr/22000: .*pays\nDETAIL:  Among them: '25 or above'/, 'a gap');
	ask("INSERT INTO pays VALUES ('[25,50)', 'less', '*')");
	like(failure("BEGIN; INSERT INTO here VALUES (1, 20, 1, 'nowhere'); SELECT count(*) FROM anonopt.lattice('spread')"),
		qr/22000: column "town" holds values without a leaf.*\nDETAIL:  Among them: 'nowhere'/, 'a text without a leaf');
	is(rows_of('lattice', 'spread'), rows_of('lattice', 'plain'), 'and all is as before');

	# texts are compared by their bytes, even if their collation treats them as equal
	ask(<<'END');
CREATE COLLATION careless (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE loose (id int, town text COLLATE careless, ill text COLLATE careless) PARTITION BY RANGE (id);
CREATE TABLE loose_here PARTITION OF loose FOR VALUES FROM (0) TO (100);
CREATE FOREIGN TABLE loose_north PARTITION OF loose FOR VALUES FROM (100) TO (200) SERVER north OPTIONS (table_name 'loose');
INSERT INTO loose_here SELECT i, (ARRAY['t1', 'T1', 'T2'])[1 + i % 3], (ARRAY['i1', 'I1'])[1 + i % 2] FROM generate_series(1, 20) i;
CREATE TABLE loose_towns (town text, anything text);
INSERT INTO loose_towns VALUES ('t1', '*'), ('T1', '*'), ('T2', '*');
SELECT anonopt.create_dataset('loose', 'loose', 0), anonopt.add_quasi_identifier('loose', 'town', 'loose_towns'), anonopt.add_sensitive('loose', 'ill');
END
	$north->safe_psql('postgres', "CREATE TABLE loose (id int, town text, ill text); GRANT SELECT ON loose TO remote;
		INSERT INTO loose SELECT i, (ARRAY['t1', 'T1', 'T2'])[1 + i % 3], (ARRAY['i1', 'I1'])[1 + i % 2] FROM generate_series(100, 140) i");
	is( ask("SELECT x FROM anonopt.lattice('loose') x ORDER BY x::text"),
		ask("SET anonopt.read_mode = aggregate; SELECT x FROM anonopt.lattice('loose') x ORDER BY x::text"), 'a collation that is not deterministic here');
	is(ask("SET anonopt.read_mode = group_by; SELECT l FROM anonopt.lattice('loose') WHERE levels = '{0}'"), '2', 'values that it takes for the same are two');
}

# A shard whose columns differ from the declaration here.
sub check_columns_of_shards
{
	my %tables = (
		'text for a number' => 'id int, age text, pay numeric, town text, ill text, paid boolean',
		'text for a range' => 'id int, age int, pay text, town text, ill text, paid boolean',
		'a number for text' => 'id int, age int, pay numeric, town int, ill text, paid boolean',
		'a column too few' => 'id int, age int, pay numeric, town text, ill text',
		'fractions for a number' => 'id int, age numeric, pay numeric, town text, ill text, paid boolean');
	my %rows = ('text for a number' => "1, 'old', 1, 'T1', 'I1', true", 'text for a range' => "1, 20, 'much', 'T1', 'I1', true",
		'a number for text' => "1, 20, 1, 7, 'I1', true", 'a column too few' => "1, 20, 1, 'T1', 'I1'", 'fractions for a number' => "1, 20.5, 1, 'T1', 'I1', true");

	ask("CREATE FOREIGN TABLE other ($columns) SERVER south OPTIONS (table_name 'other'); SELECT declare('other', 'other')");
	for (sort keys %tables)
	{
		$south->safe_psql('postgres', "DROP TABLE IF EXISTS other; CREATE TABLE other ($tables{$_}); INSERT INTO other VALUES ($rows{$_}); GRANT SELECT ON other TO remote");
		my $error = failure("SELECT count(*) FROM anonopt.lattice('other')");
		like($error, qr/\AERROR:  \w{5}: /, "$_: an error");
		like($error, qr/south|foreign table "?(?:public\.)?other|FROM public\.other|leaf/, "$_: which names the shard, or the table there");
	}

	# A remote collation that treats different values as equal would count too few tuples with too many people.
	$south->safe_psql('postgres', <<"END");
DROP TABLE other;
CREATE COLLATION careless (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE other (id int, age int, pay numeric, town text COLLATE careless, ill text COLLATE careless, paid boolean);
INSERT INTO other SELECT i, 20, 1, 'T1', (ARRAY['I1', 'i1'])[1 + i % 2], true FROM generate_series(1, 10) i;
GRANT SELECT ON other TO remote;
END
	ask("INSERT INTO illnesses VALUES ('i1', 'K9', '*')");
	my ($got, $expected) = map { rows_of('lattice', 'other', "SET anonopt.read_mode = $_;\n") } 'auto', 'aggregate';
	like($got, qr/ERROR.*nondeterministic.*on server "south"/s, 'another collation there: an error that names the shard');
	unlike($expected, qr/ERROR/, 'which can be read row by row');
	ask("DELETE FROM illnesses WHERE illness = 'i1'");
}

# ------------------------------------------------------------ while it is being read

# A call that takes a while, and what became of it.
sub begin_slow
{
	my ($before) = @_;
	my $session = $hub->background_psql('postgres', on_error_stop => 0);

	$session->query_until(qr/^begun/m, ($before // '') . "\\echo begun\nSELECT count(*) FROM anonopt.lattice('spread');\n");
	$south->poll_query_until('postgres', "SELECT count(*) > 0 FROM pg_stat_activity WHERE usename = 'remote' AND wait_event = 'PgSleep'") or die 'nobody reads';
	return $session;
}

# Its rows and its error, and what the session answers next.
sub end_slow
{
	my ($session) = @_;
	my $printed = $session->query("SELECT 'next';");
	my $error = $session->{stderr} =~ s/background_psql:.*\n?//gr;

	$session->quit;
	return ($printed, $error);
}

sub slow_down { ask("ALTER FOREIGN TABLE in_south OPTIONS (SET table_name '" . ($_[0] ? 'slow' : 'people') . "')") }

sub works_again
{
	my ($what) = @_;
	is(rows_of('lattice', 'spread'), rows_of('lattice', 'plain'), "$what: the next call works");
}

sub check_changes
{
	slow_down(1);
	my $session = begin_slow();
	is(ask("SET lock_timeout = '500ms'; CREATE TABLE late (LIKE people); ALTER TABLE people ATTACH PARTITION late FOR VALUES FROM (60000) TO (70000); SELECT 1"), '1',
		'a partition comes while they are read');
	my ($printed, $error) = end_slow($session);
	like($error, qr/partitions of public\.people changed while they were read/, 'a partition that came: an error');
	is($printed, 'next', 'and nothing else');
	$session = begin_slow();
	like(ask("SET lock_timeout = '500ms'; ALTER TABLE people DETACH PARTITION late; ALTER TABLE people DETACH PARTITION here"), qr/lock timeout/, 'none can go meanwhile');
	($printed, $error) = end_slow($session);
	is("$printed$error", "36\nnext", 'and the call ends well') or diag($error);
	slow_down(0);
	ask('DROP TABLE IF EXISTS late');
	works_again('a partition that came');
}

sub check_failures
{
	my $call = "SELECT count(*) FROM anonopt.lattice('spread')";

	slow_down(1);
	my $session = begin_slow();
	$south->safe_psql('postgres', "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'remote'");
	my ($printed, $error) = end_slow($session);
	like($error, qr/ERROR:.*(?:terminating connection|server closed|could not receive)/, 'killed midway: the error of the shard');
	is($printed, 'next', 'killed midway: nothing else');
	slow_down(0);
	works_again('killed midway');

	slow_down(1);
	$session = begin_slow("SET application_name = 'impatient';\n");
	ask("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'impatient'");
	($printed, $error) = end_slow($session);
	like($error, qr/canceling statement due to user request/, 'cancelled here');
	$south->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE usename = 'remote' AND state = 'active'");
	$south->safe_psql('postgres', "ALTER ROLE remote SET statement_timeout = '300ms'");
	like(failure($call), qr/\AERROR:  57014: canceling statement due to statement timeout/, 'timing out: the error of the shard');
	$south->safe_psql('postgres', 'ALTER ROLE remote RESET statement_timeout');
	slow_down(0);
	works_again('timing out');

	$south->safe_psql('postgres', 'ALTER ROLE remote CONNECTION LIMIT 0');
	like(failure($call), qr/\AERROR:  08001: could not connect to server "south"\nDETAIL:.*too many connections/, 'no connection left');
	$south->safe_psql('postgres', 'ALTER ROLE remote CONNECTION LIMIT -1');
	works_again('no connection left');

	my $rules = $south->data_dir . '/pg_hba.conf';
	my $before = slurp_file($rules);
	open my $file, '>', $rules or die $!;
	print $file "local all remote reject\n$before";
	close $file;
	$south->reload;
	like(failure($call), qr/\AERROR:  08001: could not connect to server "south"\nDETAIL:.*pg_hba\.conf rejects/, 'refusing');
	open $file, '>', $rules or die $!;
	print $file $before;
	close $file;
	$south->reload;
	works_again('refusing');

	# a session that was connected already
	$session = $hub->background_psql('postgres', on_error_stop => 0);
	my $rows = $session->query("$call;");
	$south->stop('immediate');
	like(failure($call), qr/\AERROR:  08001: could not connect to server "south"/, 'down: the error names the shard');
	is($session->query("$call;"), '', 'down, in a session that was connected: nothing');
	like($session->{stderr}, qr/ERROR/, 'but an error');
	$session->{stderr} = '';
	$south->start;
	is($session->query("$call;"), $rows, 'and its next call works, when the shard is there again');
	$session->quit;
	works_again('down');

	$south->safe_psql('postgres', 'REVOKE SELECT ON people FROM remote');
	like(failure($call), qr/\AERROR:  42501: permission denied for table people\nCONTEXT:  remote SQL command:/, 'what may not be read there');
	$south->safe_psql('postgres', 'GRANT SELECT ON people TO remote');
	works_again('what may not be read there');
}
