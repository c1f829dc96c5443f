#!/usr/bin/env perl
#
# Declarations are stored in tables of the extension, so pg_dump must include
# them and the owner of a database must be able to restore them: here a role
# that is not a superuser does both, into a second database and into another
# cluster.

use strict;
use warnings;
use utf8;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Server;
use Test::More;

my $owner = 'regress_owner';
my $dumps = PostgreSQL::Test::Utils::tempdir;

# Names that need quotes, in a schema that needs them too.
my $declarations = <<'END';
CREATE EXTENSION anonopt;
CREATE SCHEMA "Odd Schema";
CREATE TYPE mood AS ENUM ('sad', 'fair', 'merry');

CREATE TABLE "Odd Schema"."Patient's list" (
	id int PRIMARY KEY, "Zip Code" text, "select" int, pay numeric(8,2), born date, mood mood,
	"Krankheit, ärztlich" text, "how ""many""" int NOT NULL);
INSERT INTO "Odd Schema"."Patient's list"
SELECT i, CASE WHEN i % 13 > 0 THEN 47900 + i * 7 % 20 END, i * 11 % 40, i * 17 % 100 + 0.5, date '2020-01-01' + i % 90,
	(enum_range(NULL::mood))[1 + i % 3], (ARRAY['flu', 'cold', 'gout', NULL])[1 + i * i % 4], 1 + i % 2
FROM generate_series(1, 300) i;

SELECT anonopt.create_mask_hierarchy('"Odd Schema"."Zip Code''s levels"', '"Odd Schema"."Patient''s list"', 'Zip Code');
SELECT anonopt.create_interval_hierarchy('"ORDER"', 0, 39, '{5,20}');
SELECT anonopt.create_range_hierarchy('pays', 0, 100, 10, '{50}');
SELECT anonopt.create_date_hierarchy('dates', '2020-01-01', '2020-12-31', '{month,quarter}');
CREATE TABLE moods (value mood PRIMARY KEY, good text, anything text);
INSERT INTO moods VALUES ('sad', 'no', '*'), ('fair', 'yes', '*'), ('merry', 'yes', '*');
CREATE TABLE illnesses (value text PRIMARY KEY, kind text, anything text);
INSERT INTO illnesses VALUES ('flu', 'infection', '*'), ('cold', 'infection', '*'), ('gout', 'other', '*');
CREATE TABLE "weight of ZIPs" (value text, weight float8);
INSERT INTO "weight of ZIPs" VALUES ('47900', 2), ('47901', 0.5);

SELECT anonopt.create_dataset('it''s "odd"', '"Odd Schema"."Patient''s list"', 0.05, NULL, 'how "many"');
SELECT anonopt.add_quasi_identifier('it''s "odd"', 'Zip Code', '"Odd Schema"."Zip Code''s levels"', 2.5, 1, 4),
	anonopt.add_quasi_identifier('it''s "odd"', 'select', '"ORDER"'),
	anonopt.add_quasi_identifier('it''s "odd"', 'pay', 'pays'),
	anonopt.add_quasi_identifier('it''s "odd"', 'born', 'dates', 1, 1),
	anonopt.add_quasi_identifier('it''s "odd"', 'mood', 'moods');
SELECT anonopt.add_sensitive('it''s "odd"', 'Krankheit, ärztlich', 'hierarchical', 'illnesses'),
	anonopt.add_sensitive('it''s "odd"', 'pay', 'ordered');
SELECT anonopt.set_class_label('it''s "odd"', 'mood'), anonopt.set_identifier('it''s "odd"', 'id'),
	anonopt.set_insensitive('it''s "odd"', 'how "many"');
SELECT anonopt.set_sensitivity('it''s "odd"', 'Zip Code', '"weight of ZIPs"'),
	anonopt.set_owner_sensitivity('it''s "odd"', 'pay', 'how "many"');

-- Every model, of a population whose name needs quotes
CREATE TABLE "Odd Schema"."every One" AS SELECT "Zip Code", "select", pay, born, mood FROM "Odd Schema"."Patient's list", generate_series(1, 3);
SELECT anonopt.add_promise('it''s "odd"', model, threshold, CASE WHEN of_column THEN 'Krankheit, ärztlich' END, c,
	CASE WHEN of_others THEN '"Odd Schema"."every One"'::regclass END)
FROM (VALUES ('k', 2.0::float8, false, NULL::float8, false), ('l', 2, true, NULL, false), ('entropy_l', 1.1, true, NULL, false), ('recursive_l', 2, true, 2.5, false),
	('t', 0.9, true, NULL, false), ('alpha', 0.95, true, NULL, false), ('beta', 1e300, true, NULL, false), ('disclosure', 7.1, true, 0, false),
	('k_map', 3, false, NULL, true), ('presence', 1, false, 1e-7, true), ('average_risk', 0.1 + 0.2, false, NULL, false), ('share_above', 1, false, 0.3, false))
	p (model, threshold, of_column, c, of_others);
-- and against people who know some of the columns, or some rows of a person
SELECT anonopt.add_promise('it''s "odd"', 'k', 2 + m, columns_known => m), anonopt.add_promise('it''s "odd"', 'l', 2, 'Krankheit, ärztlich', columns_known => m)
FROM generate_series(1, 3) m;
CREATE TABLE stays AS SELECT i / 3 AS patient, i * 7 % 40 AS age FROM generate_series(1, 200) i;
SELECT anonopt.create_dataset('stays', 'stays', person => 'patient'), anonopt.add_quasi_identifier('stays', 'age', '"ORDER"'),
	anonopt.add_promise('stays', 'k', 2, rows_known => 2), anonopt.add_promise('stays', 'k', 3);

-- Relations of other kinds.  pg_dump leaves a view that groups by a primary
-- key until the end, and puts a view of nulls in its place until then.
CREATE VIEW visits AS SELECT id, "select" AS age, count(*) FROM "Odd Schema"."Patient's list" GROUP BY id;
CREATE MATERIALIZED VIEW young AS SELECT "select" AS age FROM "Odd Schema"."Patient's list" WHERE "select" < 20;
CREATE TABLE parted (age int) PARTITION BY RANGE (age);
CREATE TABLE parted_low PARTITION OF parted FOR VALUES FROM (0) TO (20);
CREATE TABLE parted_high PARTITION OF parted FOR VALUES FROM (20) TO (40);
INSERT INTO parted SELECT "select" FROM "Odd Schema"."Patient's list";
SELECT anonopt.create_dataset(name, name::regclass), anonopt.add_quasi_identifier(name, 'age', '"ORDER"')
FROM unnest('{visits,young,parted}'::text[]) name;
END

# What a dump cannot include, beside what it must: one data set has two temporary
# hierarchies and a permanent one, two have a temporary relation.
my $passing = <<'END';
CREATE TABLE partly (a int, b int, c int, d int);
INSERT INTO partly SELECT i % 40, i % 3, i % 5, i % 2 FROM generate_series(1, 60) i;
CREATE TEMP TABLE temporary_levels AS SELECT value, '*' AS anything FROM generate_series(0, 9) value;
CREATE TABLE dropped_levels AS TABLE temporary_levels;
CREATE TABLE dropped_weights (value int, weight float8);
CREATE TABLE kept_levels AS TABLE temporary_levels;
SET client_min_messages = warning;
SELECT anonopt.create_dataset('partly', 'partly');
SELECT anonopt.add_quasi_identifier('partly', 'b', 'temporary_levels'),
	anonopt.add_quasi_identifier('partly', 'c', 'dropped_levels'),
	anonopt.add_quasi_identifier('partly', 'a', '"ORDER"'),
	anonopt.add_quasi_identifier('partly', 'd', 'kept_levels');
SELECT anonopt.add_sensitive('partly', 'b');
SELECT anonopt.set_sensitivity('partly', 'd', 'dropped_weights');

CREATE TEMP TABLE temporary_people AS TABLE partly;
CREATE TABLE dropped_people AS TABLE partly;
SELECT anonopt.create_dataset(name, name::regclass), anonopt.add_quasi_identifier(name, 'a', '"ORDER"')
FROM unnest('{temporary_people,dropped_people}'::text[]) name;
SELECT anonopt.add_promise('partly', 'k', 2), anonopt.add_promise('temporary_people', 'k', 2);
CREATE TABLE dropped_population AS SELECT "select" AS age FROM "Odd Schema"."Patient's list";
SELECT anonopt.add_promise('young', 'k_map', 2, population => 'dropped_population'), anonopt.add_promise('young', 'k', 1);
DROP TABLE dropped_levels, dropped_weights, dropped_people, dropped_population;
END

# What must be the same on both sides of a dump.
my $declared = <<'END';
SELECT dataset, relation, row_type, max_suppression, owner, person, count_column FROM anonopt.dataset ORDER BY dataset;
SELECT * FROM anonopt.attribute ORDER BY dataset, ordinal;
SELECT dataset, model, column_name, threshold, c, population, population_type, columns_known, rows_known FROM anonopt.promise
	ORDER BY dataset, model, column_name, columns_known, rows_known;
SELECT to_jsonb(r) - 'relation' - 'relation_type', r.relation::regclass, col_description(r.hierarchy, 1) FROM anonopt.hierarchy_rule r ORDER BY r.hierarchy::text;
END
my $measured = <<'END';
SELECT d.dataset, x.* FROM anonopt.dataset d, anonopt.describe(d.dataset) x ORDER BY d.dataset;
SELECT d.dataset, x.* FROM anonopt.dataset d, anonopt.lattice(d.dataset) x ORDER BY d.dataset;
SELECT anonopt.lattice_size(dataset) FROM anonopt.dataset ORDER BY dataset;
END

sub start_cluster
{
	my ($name) = @_;
	my $node = Server->new($name);

	$node->init;
	$node->start;
	$node->safe_psql('postgres', "CREATE ROLE $owner LOGIN");
	return $node;
}

sub create_database
{
	my ($node, $database) = @_;

	$node->safe_psql('postgres', "CREATE DATABASE $database OWNER $owner TEMPLATE template0");
}

# The answer to the owner of a database, which may be an error.
sub ask
{
	my ($node, $database, $sql) = @_;

	$node->psql($database, $sql, extra_params => [ '-U', $owner ], stdout => \my $answer, stderr => \my $error);
	diag($error) if $error ne '';
	return $error eq '' ? $answer : $error;
}

sub client
{
	my ($program, $node, $database, @arguments) = @_;

	return [ $program, '-U', $owner, '-h', $node->host, '-p', $node->port, '-d', $database, @arguments ];
}

sub dump_database
{
	my ($node, $database, $file, @arguments) = @_;

	$node->command_ok(client('pg_dump', $node, $database, '-f', $file, @arguments),
		"the owner dumps $database to " . ($file =~ m{([^/]+)$})[0]);
	return $file;
}

# Restore a dump; any output on standard error is a failure.
sub restore
{
	my ($node, $database, $file, @arguments) = @_;
	my $command =
	    $file =~ /\.sql$/
	  ? client('psql', $node, $database, '-Xq', '-v', 'ON_ERROR_STOP=1', '-f', $file)
	  : client('pg_restore', $node, $database, @arguments, $file);
	my ($stdout, $stderr);

	create_database($node, $database);
	IPC::Run::run($command, '>', \$stdout, '2>', \$stderr);
	is($stderr, '', 'the owner restores into ' . $node->name . ", $database");
}

# A dump in the form in which two of them can be compared: without the key that
# newer versions put around psql's commands.
sub dumped_text
{
	my ($file) = @_;
	my $text = slurp_file($file);

	$text =~ s/^\\(un)?restrict .*\n//mg;
	return $text;
}

my $first = start_cluster('first');
my $second = start_cluster('second');

create_database($first, 'original');
ask($first, 'original', $declarations);
is(ask($first, 'original', "SELECT rolsuper FROM pg_roles WHERE rolname = '$owner'"),
	'f', 'the owner is no superuser');
my $declared_before = ask($first, 'original', $declared);
my $measured_before = ask($first, 'original', $measured);
cmp_ok(() = $measured_before =~ /\n/g, '>', 300, 'there is something to compare');
is(() = $declared_before =~ /^it's "odd"\|(?:k_map|presence)\|.*"Odd Schema"\."every One"/mg, 2, 'promises of a population among it');

# ------------------------------------------------------- to and fro, unchanged

my $plain = dump_database($first, 'original', "$dumps/original.sql");
my $custom = dump_database($first, 'original', "$dumps/original.dump", '-Fc');

for my $case ([ $first, 'from_plain', $plain ], [ $first, 'from_custom', $custom ],
	[ $second, 'from_plain', $plain ], [ $second, 'from_custom', $custom ],
	[ $second, 'by_two_jobs', $custom, '-j', 2 ])
{
	my ($node, $database, @arguments) = @$case;

	restore($node, $database, @arguments);
	is(ask($node, $database, $declared), $declared_before, 'the declarations are the same');
	is(ask($node, $database, $measured), $measured_before, 'so are descriptions and lattices');
}

my $again = dump_database($second, 'from_custom', "$dumps/again.sql");
ok(dumped_text($again) eq dumped_text($plain), 'a dump of what was restored is the same dump');

# Only the owner may change the restored declarations.
is( ask($second, 'from_plain', q{
		SELECT anonopt.drop_attribute('young', 'age');
		SELECT anonopt.add_quasi_identifier('young', 'age', '"ORDER"', max_level => 1);
		SELECT anonopt.drop_dataset('parted');
		SELECT anonopt.lattice_size('young'), count(*) FROM anonopt.dataset}),
	"\n\n\n2|4",
	'the owner changes restored declarations');

# a hierarchy grows by a rule that was restored, and so does one whose source has moved with it
is( ask($second, 'from_custom', q{
		INSERT INTO "Odd Schema"."Patient's list" SELECT 1000, '99999', 59, 1, '2021-01-05', 'sad', 'flu', 1;
		SELECT anonopt.extend_hierarchy('"Odd Schema"."Zip Code''s levels"'), anonopt.extend_hierarchy('"ORDER"'), anonopt.extend_hierarchy('dates');
		SELECT level1 FROM "Odd Schema"."Zip Code's levels" WHERE value = '99999'}),
	"1|20|90\n9999*", 'a hierarchy grows by a rule that was restored');
$second->safe_psql('postgres', 'CREATE ROLE regress_stranger LOGIN');
my $stranger = $second->psql('from_plain', "SELECT anonopt.drop_dataset('young')",
	extra_params => [ '-U', 'regress_stranger' ], stderr => \my $refusal);
like($refusal, qr/must be owner of data set "young"/, 'a stranger does not');

# --------------------------------------------------- what a dump cannot carry

# The session that has the temporary tables lives on while the dump is made.
my $session = $first->background_psql('original', extra_params => [ '-U', $owner ]);
$session->query_safe($passing);
is( $session->query_safe('SELECT count(*) FROM anonopt.dataset'), 8,
	'data sets over temporary and dropped relations are declared');
my $passed = dump_database($first, 'original', "$dumps/passed.dump", '-Fc');
$session->quit;

restore($second, 'passed', $passed);
is( ask($second, 'passed', 'SELECT dataset FROM anonopt.dataset ORDER BY 1'),
	join("\n", q(it's "odd"), qw(parted partly stays visits young)),
	'a temporary or dropped relation is left out, the others are there');
is( ask($second, 'passed', q{SELECT ordinal, column_name, role, hierarchy, sensitivity FROM anonopt.attribute
		WHERE dataset = 'partly' ORDER BY ordinal}),
	qq(3|a|quasi_identifier|"ORDER"|\n5|b|sensitive||),
	'so is a column whose hierarchy or sensitivity is temporary or dropped');
is( ask($second, 'passed', q{SELECT count(*) FROM anonopt.lattice('partly')}), 4,
	'what is left of it can be measured');
is(ask($second, 'passed', 'SELECT owner_sensitivity FROM anonopt.attribute WHERE owner_sensitivity IS NOT NULL'), 'how "many"',
	'a column of owners\' weights is restored');
is( ask($second, 'passed', q{SELECT dataset, model FROM anonopt.promise WHERE dataset <> 'it''s "odd"' ORDER BY 1, 2}), "partly|k\nstays|k\nstays|k\nyoung|k",
	'a promise goes with its data set, or with its population');
ask($second, 'passed', "SELECT anonopt.drop_dataset('partly')");
ask($second, 'passed', "SELECT anonopt.drop_promise('young', 'k')");
is(ask($second, 'passed', $measured), $measured_before, 'the others are measured as before');

# pg_dump creates a materialized view that groups by a primary key after it has
# restored all rows.  One such data set must not take the others with it.
create_database($first, 'grouped');
ask($first, 'grouped', q{
	CREATE EXTENSION anonopt;
	CREATE TABLE people (id int PRIMARY KEY, age int);
	INSERT INTO people SELECT i, i % 10 FROM generate_series(1, 100) i;
	SELECT anonopt.create_interval_hierarchy('ages', 0, 9, '{5}');
	CREATE MATERIALIZED VIEW visits AS SELECT id, age, count(*) FROM people GROUP BY id;
	SELECT anonopt.create_dataset(name, name::regclass), anonopt.add_quasi_identifier(name, 'age', 'ages')
	FROM unnest('{visits,people}'::text[]) name});
restore($second, 'grouped', dump_database($first, 'grouped', "$dumps/grouped.dump", '-Fc'));
is( ask($second, 'grouped', "SELECT count(*) FROM anonopt.dataset WHERE dataset = 'people'"), 1,
	'a materialized view that is restored late does not take other data sets with it');

# ------------------------------------------------------------- DROP EXTENSION

# Every row of every table outside the system's and the extension's schemas
sub user_rows
{
	my ($node, $database) = @_;

	return ask($node, $database, $Server::define_contents . q{
		SELECT c.oid::regclass, c.relkind, pg_temp.contents(c.oid)
		FROM pg_class c
		WHERE relkind IN ('r', 'p', 'v', 'm') AND relnamespace IN ('public'::regnamespace, '"Odd Schema"'::regnamespace)
		ORDER BY c.oid});
}

my $rows = user_rows($second, 'from_custom');
ask($second, 'from_custom', 'DROP EXTENSION anonopt');
like($rows, qr/\n.*\n/, 'there are rows');
is(user_rows($second, 'from_custom'), $rows, 'dropping the extension leaves the user every relation and row');
is( ask($second, 'from_custom', q{SELECT count(*) FROM pg_namespace WHERE nspname = 'anonopt'}), 0,
	'and nothing of its own');
ask($second, 'from_custom', 'CREATE EXTENSION anonopt');
is( ask($second, 'from_custom', 'SELECT count(*) FROM anonopt.dataset'), 0, 'a new one begins without declarations');

$first->stop;
$second->stop;
done_testing();
