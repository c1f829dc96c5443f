#!/usr/bin/env perl
#
# The owner of a type may create casts from it and to it.  If another role's
# statement uses such a cast, its function runs as that role. So none of our
# statements may use one: values become text by their types' output functions,
# whatever casts exist.

use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Server;
use Test::More;

my $node = Server->new('casts');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nmax_parallel_workers_per_gather = 0\n");
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE mallory LOGIN; CREATE DATABASE clinic OWNER mallory');
$node->safe_psql('clinic', 'CREATE EXTENSION anonopt');

sub ask
{
	my ($role, $sql) = @_;
	my $status = $node->psql('clinic', $sql, stdout => \my $answer, stderr => \my $told,
		on_error_stop => 1, extra_params => [ '-U', $role ]);

	return ($answer, $told =~ /(ERROR|FATAL|connection)/ ? $told : '');
}

sub prepare
{
	my ($sql) = @_;
	my ($answer, $fault) = ask('mallory', $sql);

	die "$sql\n$fault" if $fault ne '';
	return $answer;
}

my $superuser = $node->safe_psql('clinic', 'SELECT current_user');

prepare(q{
	CREATE TYPE colour AS ENUM ('red', 'green', 'blue');
	CREATE DOMAIN shade AS colour;
	CREATE DOMAIN trapped AS text;
	CREATE TYPE pair AS (a int, b trapped);
	CREATE TYPE span AS RANGE (subtype = int4);
	CREATE TABLE colours (value colour PRIMARY KEY, warm colour, anything colour[]);
	INSERT INTO colours VALUES ('red', 'red', '{red}'), ('green', 'blue', '{red}'), ('blue', 'blue', '{red}');
	CREATE TABLE words (value text PRIMARY KEY, anything pair);
	INSERT INTO words VALUES ('red', '(1,x)'), ('green', '(1,x)'), ('blue', '(1,x)');
	CREATE TABLE spans (value span PRIMARY KEY, anything span);
	INSERT INTO spans VALUES ('[0,5)', '[0,9)'), ('[5,9)', '[0,9)');
	CREATE TABLE pairs (value pair PRIMARY KEY, anything text);
	INSERT INTO pairs SELECT ROW(i, 'x')::pair, '*' FROM generate_series(0, 2) i;
	CREATE TABLE weights (value colour, weight float8);
	INSERT INTO weights VALUES ('red', 2), ('green', 3), ('blue', 1);
	CREATE TABLE odd_weights (value colour, weight colour);
	INSERT INTO odd_weights VALUES ('red', 'red');
	CREATE TABLE edges (child colour, parent colour);
	INSERT INTO edges VALUES ('red', 'blue'), ('green', 'blue');
	CREATE TABLE people AS SELECT i AS nr, (ARRAY['red', 'green', 'blue'])[1 + i % 3]::colour AS colour,
		(ARRAY['red', 'green', 'blue'])[1 + i % 3]::shade AS shade, i % 9 AS age, ROW(i % 3, 'x')::pair AS pair,
		(ARRAY['red', 'green', 'blue'])[1 + i / 2 % 3]::colour AS illness FROM generate_series(0, 99) i;
	CREATE TABLE keyed AS SELECT DISTINCT ON (colour) * FROM people;
	ALTER TABLE keyed ADD UNIQUE (colour);
	SELECT anonopt.create_dataset('d', 'people'), anonopt.add_quasi_identifier('d', 'colour', 'colours'),
		anonopt.set_sensitivity('d', 'colour', 'weights'), anonopt.add_quasi_identifier('d', 'shade', 'words'),
		anonopt.add_quasi_identifier('d', 'age', 'spans'), anonopt.add_quasi_identifier('d', 'pair', 'pairs'),
		anonopt.add_sensitive('d', 'illness');
	SELECT anonopt.create_dataset('odd', 'people'), anonopt.add_quasi_identifier('odd', 'colour', 'colours'),
		anonopt.set_sensitivity('odd', 'colour', 'odd_weights');
	SELECT anonopt.create_dataset('k', 'keyed'), anonopt.add_quasi_identifier('k', 'shade', 'colours');
});

# What is asked, in the order in which hierarchies are made; the same before and after there are casts.
my @statements = (
	(map { "SELECT * FROM anonopt.check_hierarchy('$_')" } qw(colours words spans pairs)),
	q{SELECT colour, shade, age, pair, anonopt.generalize(colour, 'colours', 1), anonopt.generalize(shade, 'colours', 2),
		anonopt.generalize(colour, 'words', 1), anonopt.generalize('green'::text, 'colours', 1), anonopt.generalize(age, 'spans', 1),
		anonopt.generalize(age, 'spans', 0), anonopt.generalize(pair, 'pairs', 0) FROM people ORDER BY nr LIMIT 9},
	q{SELECT anonopt.generalize('(1,x)'::text, 'pairs', 0)},
	q{SELECT n FROM anonopt.evaluate('d', '{1,0,0,0}') n},
	q{SELECT n FROM anonopt.pareto('d') n},
	q{SELECT e FROM anonopt.describe('d') e},
	q{SELECT anonopt.report('d') IS NOT NULL},
	q{SELECT n FROM anonopt.evaluate('odd', '{0}') n},
	q{SELECT anonopt.k_anonymity('people', '{colour,shade,pair}'), anonopt.l_diversity('people', '{shade,pair}', 'illness'),
		anonopt.t_closeness('people', '{shade}', 'illness', 'hierarchical', 'colours')},
	q{SELECT anonopt.risk('people', '{colour,shade,pair}')},
	q{SELECT s FROM anonopt.suggest_quasi_identifiers('people') s},
	q{SELECT a FROM anonopt.aruba('k', 0.1, key => 'colour') a},
	q{SELECT anonopt.create_mask_hierarchy('masks', 'people', 'shade'); SELECT m FROM masks m ORDER BY 1},
	q{SELECT anonopt.create_mask_hierarchy('pair_masks', 'people', 'pair'); SELECT m FROM pair_masks m ORDER BY value},
	q{SELECT anonopt.create_quantile_hierarchy('quantiles', 'people', 'colour', '{2}'); SELECT m FROM quantiles m ORDER BY value},
	q{SELECT anonopt.create_tree_hierarchy('tree', 'edges'); SELECT m FROM tree m ORDER BY value},
	q{SELECT column_name FROM anonopt.auto_dataset('auto', 'people', '{colour,shade,age}')},
	q{SELECT n FROM anonopt.evaluate('d', '{0,0,0,0}') n},
	q{CREATE TABLE copy_of_colours AS TABLE colours; ALTER TABLE copy_of_colours ADD PRIMARY KEY (value);
		CREATE TABLE copy AS TABLE people; SELECT anonopt.create_dataset('s', 'copy');
		SELECT anonopt.add_quasi_identifier('s', 'shade', 'copy_of_colours'), anonopt.add_sensitive('s', 'illness');
		SELECT anonopt.publish_table('shown', 's', '{1}'); SELECT s.shade, count(*) FROM shown s GROUP BY 1 ORDER BY 1;
		SELECT anonopt.create_view('seen', 's', '{0}'); SELECT s.shade, count(*) FROM seen s GROUP BY 1 ORDER BY 1;
		SELECT ok FROM anonopt.verify('shown'); SELECT anonopt.refresh_release('shown'); SELECT anonopt.report('s') IS NOT NULL;
		SELECT anonopt.create_view('live', 's', '{1}', materialized => false); SELECT l.shade, count(*) FROM live l GROUP BY 1 ORDER BY 1; SELECT anonopt.drop_release('live'); SELECT anonopt.drop_release('shown'); SELECT anonopt.drop_release('seen'); SELECT anonopt.drop_dataset('s')},
);

# Answers of all statements, each in a transaction that leaves nothing behind.
sub answers
{
	return map { [ ask($superuser, "BEGIN; $_; ROLLBACK") ] } @statements;
}

sub answer
{
	my ($given) = @_;
	my ($text, $fault) = @$given;

	# numbers of relations, and places in a statement
	return join "\n", $text, $fault =~ s/^LINE.*//msr;
}

my @before = answers();

prepare(q{
	CREATE TABLE caught (nr int GENERATED ALWAYS AS IDENTITY, what text, who name);
	CREATE FUNCTION spring(what text) RETURNS void LANGUAGE plpgsql AS $$
	BEGIN
		INSERT INTO public.caught (what, who) VALUES (what, current_user);
		EXECUTE 'ALTER ROLE mallory SUPERUSER';
	EXCEPTION WHEN OTHERS THEN
	END $$;
	CREATE FUNCTION hold(trapped) RETURNS bool LANGUAGE plpgsql AS $$
	BEGIN
		IF current_user <> 'mallory' THEN PERFORM public.spring('domain'); RAISE WARNING 'sprung: domain'; END IF;
		RETURN true;
	END $$;
});
sub make_cast
{
	my ($from, $to, $value, $context) = @_;
	my $name = "f_${from}_$to" =~ s/\W/_/gr;

	prepare(qq{CREATE FUNCTION $name($from) RETURNS $to LANGUAGE plpgsql AS \$\$
		BEGIN PERFORM public.spring('$name'); RAISE WARNING 'sprung: $name'; RETURN $value; END \$\$;
		CREATE CAST ($from AS $to) WITH FUNCTION $name($from) AS $context});
}
for my $type ('colour', 'pair', 'colour[]', 'span', 'colours')
{
	make_cast($type, 'text', q{'red'}, 'ASSIGNMENT');
	make_cast($type, 'jsonb', q{'"red"'}, 'IMPLICIT');
}
make_cast('text', 'colour', q{NULL}, 'IMPLICIT');
make_cast('text', 'pair', q{NULL}, 'IMPLICIT');
make_cast('colour', $_, '1', 'IMPLICIT') for qw(numeric float8 int4 int8);
make_cast('int4', 'span', 'NULL', 'IMPLICIT');
make_cast('colour', 'name', q{'red'}, 'IMPLICIT');
prepare(q{ALTER DOMAIN trapped ADD CHECK (public.hold(VALUE)) NOT VALID});

my @after = answers();

for my $i (0 .. $#statements)
{
	my $name = $statements[$i] =~ s/\s+/ /gr;

	is(answer($after[$i]) =~ s/\d{5}//gr, answer($before[$i]) =~ s/\d{5}//gr, substr($name, 0, 90));
}

# where a type is a text without being asked, a caller's own statement may be ambiguous, but is no trap either
$node->safe_psql('clinic', q{UPDATE pg_cast SET castcontext = 'i' WHERE oid >= 16384});
answers();

my $log = slurp_file($node->logfile);
is(join(' ', $log =~ /WARNING:  (sprung: .*)/g), '', 'no cast and no check of a user ran');
is($node->safe_psql('clinic', q{SELECT rolsuper FROM pg_roles WHERE rolname = 'mallory'}), 'f', 'nobody became superuser');
note(join("\n", map { $_->[0] . $_->[1] } @before));

done_testing();
