#!/usr/bin/env perl
#
# What is released lasts.  A database in which the extension was updated holds the
# same objects as one in which it was created, and answers as before; a dump of an
# old version restores; and the objects of a released version do not change.
#
# `make keep` keeps a version in test/released: its install script, and a dump of
# example.sql that holds the answers of then.  Every version that CHANGELOG.md dates
# must be there.  The scripts sql/anonopt--OLD--NEW.sql bring each up to the default
# version.  Until there are such scripts, an empty update shows that equal objects
# compare as equal, and updates that change each kind of object that differences are
# found.

use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Server;
use Test::More;

my $root = "$FindBin::RealBin/../..";
chomp(my $share = `pg_config --sharedir`);
my ($default) = slurp_file("$root/anonopt.control") =~ /default_version = '(.*)'/;
my $node = Server->new('upgrade');
my $databases = 0;
my $dumps = PostgreSQL::Test::Utils::tempdir;

$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nclient_min_messages = warning\n");
$node->start;
$ENV{PGHOST} = $node->host;
$ENV{PGPORT} = $node->port;

# Everything an extension holds, catalog by catalog, a line an object, without oids.
my $objects = q{
	WITH member AS (SELECT classid, objid FROM pg_depend WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
			AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'anonopt')),
	-- names of toast tables have oids in them
	part AS (SELECT * FROM member UNION ALL SELECT d.classid, d.objid FROM pg_depend d JOIN member m ON d.refclassid = m.classid AND d.refobjid = m.objid
		WHERE d.deptype IN ('a', 'i') AND d.classid IN ('pg_constraint'::regclass, 'pg_attrdef'::regclass, 'pg_trigger'::regclass, 'pg_rewrite'::regclass, 'pg_class'::regclass, 'pg_type'::regclass, 'pg_policy'::regclass)
			AND NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = d.objid AND d.classid = 'pg_class'::regclass AND c.relnamespace = 'pg_toast'::regnamespace)),
	what (object, says) AS (
		SELECT pg_describe_object(classid, objid, 0), coalesce(obj_description(objid, classid::regclass::name), '') FROM part
		UNION ALL SELECT 'function ' || p.oid::regprocedure, CASE WHEN prokind = 'a' THEN (SELECT to_jsonb(a) - 'aggfnoid' || jsonb_build_object('args', pg_get_function_arguments(p.oid)) FROM pg_aggregate a
				WHERE a.aggfnoid = p.oid)::text ELSE pg_get_functiondef(p.oid) END || coalesce(proacl::text, '') || proowner::regrole
			FROM pg_proc p JOIN part ON objid = p.oid AND classid = 'pg_proc'::regclass
		UNION ALL SELECT 'relation ' || c.oid::regclass, concat_ws(' ', relkind, relpersistence, relacl, reloptions, relowner::regrole, relrowsecurity, relforcerowsecurity,
				CASE WHEN relkind = 'v' THEN pg_get_viewdef(c.oid) WHEN relkind = 'i' THEN pg_get_indexdef(c.oid) END)
			FROM pg_class c JOIN part ON objid = c.oid AND classid = 'pg_class'::regclass
		UNION ALL SELECT 'column ' || c.oid::regclass || '.' || attname, concat_ws(' ', attnum, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, attcollation::regcollation, attacl, attstorage,
				pg_get_expr(adbin, adrelid), col_description(c.oid, attnum))
			FROM pg_class c JOIN part ON objid = c.oid AND classid = 'pg_class'::regclass JOIN pg_attribute a ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped
				LEFT JOIN pg_attrdef ON adrelid = c.oid AND adnum = attnum
		UNION ALL SELECT 'constraint ' || conname || ' of ' || conrelid::regclass || ' ' || contypid::regtype, pg_get_constraintdef(n.oid)
			FROM pg_constraint n JOIN part ON objid = n.oid AND classid = 'pg_constraint'::regclass
		UNION ALL SELECT 'trigger ' || tgname || ' of ' || tgrelid::regclass, concat_ws(' ', pg_get_triggerdef(t.oid), tgenabled)
			FROM pg_trigger t JOIN part ON objid = t.oid AND classid = 'pg_trigger'::regclass WHERE NOT tgisinternal
		UNION ALL SELECT 'type ' || t.oid::regtype, concat_ws(' ', typtype, typlen, typbyval, typinput, typoutput, typreceive, typsend, typalign, typstorage, typacl, typowner::regrole, typbasetype::regtype)
			FROM pg_type t JOIN part ON objid = t.oid AND classid = 'pg_type'::regclass
		UNION ALL SELECT 'configured ' || u.relation::regclass, e.extcondition[u.i] FROM pg_extension e, unnest(extconfig) WITH ORDINALITY u (relation, i) WHERE extname = 'anonopt'
		UNION ALL SELECT 'extension', concat_ws(' ', extrelocatable, extnamespace::regnamespace, extowner::regrole) FROM pg_extension WHERE extname = 'anonopt'
		UNION ALL SELECT 'schema', coalesce(nspacl::text, '') FROM pg_namespace WHERE nspname = 'anonopt')
	SELECT object || ': ' || replace(says, E'\n', ' ') FROM what ORDER BY 1};

# The objects in a new database after some statements, as a set.
sub objects_after
{
	my ($sql) = @_;
	my $database = 'upgrade_' . ++$databases;

	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->safe_psql($database, $sql);
	return { map { $_ => 1 } split /\n/, $node->safe_psql($database, "SET search_path = ''; $objects") };
}

# Objects that only one of two databases has.
sub differences
{
	my ($one, $other) = @_;
	return (map({ "- $_" } grep { !$other->{$_} } sort keys %$one), map { "+ $_" } grep { !$one->{$_} } sort keys %$other);
}

sub write_script
{
	my ($name, $text) = @_;
	open my $file, '>', "$share/extension/$name" or die "$name: $!";
	print $file $text;
	close $file;
}

my $fresh = objects_after('CREATE EXTENSION anonopt');
cmp_ok(scalar keys %$fresh, '>', 300, 'what the extension holds is known');

# ------------------------------------------------------------- the default version

my $changelog = slurp_file("$root/CHANGELOG.md");
my ($newest, $state) = $changelog =~ /^## ([\d.]+) \((.*)\)$/m;
my ($debian, $suite) = slurp_file("$root/debian/changelog") =~ /^anonopt \((\S+)-\d+\) (\w+);/;
my $meta = slurp_file("$root/META.json");
my $is_released = $state ne 'unreleased';

like($newest, qr/^\Q$default\E\.\d+$/, 'the newest version in CHANGELOG.md has the SQL objects of the default version');
like($state, qr/^\d{4}-\d\d-\d\d$/, 'its release is dated') if $is_released;
is(() = $meta =~ /^(?: {3}| {9})"version": "\Q$newest\E"/mg, 2, 'META.json names it twice');
like($meta, $is_released ? qr/"release_status": "stable"/ : qr/"release_status": "(?:un|test)/, 'and whether it is released');
like($meta, qr{"file": "sql/anonopt--\Q$default\E\.sql"}, 'and its install script');
like($debian, $is_released ? qr/^\Q$newest\E$/ : qr/^\Q$newest\E~/, 'so does debian/changelog');
is($suite ne 'UNRELEASED', $is_released, 'and for whom');

# ------------------------------------------------------------- released versions

# Restores a dump as its owner; the extension may be there already, in the version of then.
sub restore
{
	my ($dump, $version) = @_;
	my $database = 'upgrade_' . ++$databases;

	$node->safe_psql('postgres', "CREATE DATABASE $database OWNER regress_keeper TEMPLATE template0");
	$node->safe_psql($database, "CREATE EXTENSION anonopt VERSION '$version'", extra_params => [ '-U', 'regress_keeper' ]) if $version;
	IPC::Run::run([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-U', 'regress_keeper', '-d', $database, '-f', $dump ], '>', \my $said, '2>', \my $error);
	is($error, '', "$dump is restored" . ($version ? " into $version" : ''));
	return $database;
}

# Holds what a restored database answers against what it answered when it was dumped.
sub check_answers
{
	my ($database, $what) = @_;

	my $answers = $node->safe_psql($database, q{
		SET search_path = pg_catalog, public;
		SELECT 'asked', count(*), count(answer) FROM answer;
		SELECT question, answer, answer_to(question) FROM answer WHERE answer IS DISTINCT FROM answer_to(question)}, extra_params => [ '-U', 'regress_keeper' ]);
	like($answers, qr/\Aasked\|(\d\d)\|\1\z/, "$what answers as it did");
	# what is published and counted there can be renewed
	is( $node->safe_psql($database, q{
			SET client_min_messages = error;
			INSERT INTO people VALUES (400, 3, '111', 'flu'), (401, 3, '111', 'cold'), (402, 3, '111', 'gout');
			INSERT INTO counted VALUES (400, 3, '111', 'flu');
			SELECT anonopt.set_pseudonym('promised', 'nr', 'a secret of thirty-two bytes, or so') \g /dev/null
			SELECT anonopt.refresh_tuple_store('counted') \g /dev/null
			SELECT anonopt.refresh_release(release) FROM unnest('{seen,shown,starred,records,recoded_seen,recoded_shown,pseudonymous}'::regclass[]) release \g /dev/null
			SELECT bool_and(v.ok), count(*) FROM anonopt.release r, anonopt.verify(r.release) v;
			SELECT n.k = anonopt.k_anonymity('counted', '{age}') FROM anonopt.evaluate('counted', '{0}', k => 1) n}, extra_params => [ '-U', 'regress_keeper' ]),
		"t|9\nt", 'its releases and stores are renewed');
}

my %kept = map { m{anonopt--([\d.]+)\.sql$} ? ($1 => 1) : () } glob "$root/test/released/anonopt--*.sql";
my %dated = map { /^(\d+\.\d+)/ ? ($1 => 1) : () } $changelog =~ /^## ([\d.]+) \(\d{4}-/mg;
is_deeply([ sort keys %kept ], [ sort keys %dated ], 'every released version is kept in test/released: see `make keep`');
for my $version (sort keys %kept)
{
	my $kept = $version eq $default ? "$version.kept" : $version;
	write_script("anonopt--$kept.sql", slurp_file("$root/test/released/anonopt--$version.sql"));
	my $update = $version eq $default ? '' : 'ALTER EXTENSION anonopt UPDATE';
	my @different = differences($fresh, objects_after("CREATE EXTENSION anonopt VERSION '$kept'; $update"));
	is_deeply(\@different, [], $version eq $default ? "the released $version still has the same objects; else raise default_version, and write sql/anonopt--$version--NEW.sql"
		: "$version updated to $default is $default");
}

# the default version as it would be kept today, then those that are kept
my $today = "$dumps/today.dump";
system("$root/test/released/dump > $today") == 0 or die 'the example cannot be dumped';
check_answers(restore($today), 'a dump of today');
for my $version (sort keys %kept)
{
	my $dump = "$root/test/released/anonopt--$version.dump";

	check_answers(restore($dump), "a dump of $version");
	next if $version eq $default;
	my $database = restore($dump, $version);
	$node->safe_psql($database, 'ALTER EXTENSION anonopt UPDATE', extra_params => [ '-U', 'regress_keeper' ]);
	check_answers($database, "$version, updated,");
}

# ---------------------------------------------------------------- the comparison

sub differences_after
{
	my ($version, $script) = @_;
	write_script("anonopt--$default--$version.sql", $script);
	return differences($fresh, objects_after("CREATE EXTENSION anonopt; ALTER EXTENSION anonopt UPDATE TO '$version'"));
}

is_deeply([ differences_after('9.0', '') ], [], 'an update that changes nothing leaves the same objects');
my %changes = (
	'a function' => q{ALTER FUNCTION anonopt.risk COST 77},
	'a grant' => q{REVOKE EXECUTE ON FUNCTION anonopt.report FROM PUBLIC},
	'a comment' => q{COMMENT ON FUNCTION anonopt.report IS 'other'},
	'a column' => q{ALTER TABLE anonopt.dataset ADD COLUMN other int},
	'a default' => q{ALTER TABLE anonopt.dataset ALTER COLUMN max_suppression SET DEFAULT 0.5},
	'a constraint' => q{ALTER TABLE anonopt.dataset ADD CHECK (max_suppression < 7)},
	'a view' => q{CREATE OR REPLACE VIEW anonopt.progress AS SELECT * FROM anonopt.progress_entries() WHERE true},
	'an object too many' => q{CREATE FUNCTION anonopt.other() RETURNS int LANGUAGE sql AS 'SELECT 1'},
	'an object too few' => q{DROP FUNCTION anonopt.jaro},
	'what is dumped' => q{SELECT pg_catalog.pg_extension_config_dump('anonopt.dataset', 'WHERE false')});
my $number = 1;
for my $change (sort keys %changes)
{
	my @different = eval { differences_after('9.' . $number++, "$changes{$change};\n") };
	cmp_ok(scalar @different, '>', 0, "$change is found") or diag($@);
}
$node->stop;
done_testing();
