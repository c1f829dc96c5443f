#!/usr/bin/env perl
#
# Releases against their readers, against careless owners, and through dumps,
# refreshes and pipelines.
#
# The source has eighty patients in two classes of forty, and one alone whose
# illness is "secret": a reader must never see the word.

use strict;
use warnings;
use utf8;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Server;
use Test::More;

my $dumps = PostgreSQL::Test::Utils::tempdir;
my $node = Server->new('publishing');
my $elsewhere = Server->new('elsewhere');
my $made = 0;

for my $each ($node, $elsewhere)
{
	$each->init;
	$each->append_conf('postgresql.conf', "autovacuum = off\nclient_encoding = utf8\n");
	$each->start;
	$each->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE ROLE reader LOGIN; CREATE ROLE stranger LOGIN');
}
make_data();

check_padding();
check_steering();
check_two_readings();
check_plans();
check_definitions();
check_order();
check_row_security();
check_catalogs();
check_false_entries();
check_rights();
check_columns();
check_names();
check_dumps();
check_pipelines();
check_hierarchies();
check_refresh();
check_readers();
check_indexes();
check_failures();
check_labels();
check_declared_anew();
$node->stop;
$elsewhere->stop;
done_testing();

# ------------------------------------------------------------------- data sets

sub make_data
{
	$node->safe_psql('postgres', 'CREATE DATABASE clinic OWNER owner');
	$node->safe_psql('clinic', 'CREATE EXTENSION btree_gist; CREATE EXTENSION anonopt; GRANT CREATE ON SCHEMA public TO owner, stranger');
	say_as('owner', <<'END');
CREATE TABLE patient (nr int PRIMARY KEY, age int, zip text, illness text);
INSERT INTO patient SELECT i, 20 + i % 10, '4790' || i % 2, (ARRAY['flu', 'gout', 'cold'])[1 + i * i % 3] FROM generate_series(1, 80) i;
INSERT INTO patient VALUES (81, 77, '10115', 'secret');
SELECT anonopt.create_interval_hierarchy('age_levels', 0, 99, '{10,50}');
SELECT anonopt.create_mask_hierarchy('zip_levels', 'patient', 'zip');
END
	declare_patients('patients', 'patient');
}

sub declare_patients
{
	my ($set, $relation) = @_;
	say_as('owner', qq{
		SELECT anonopt.create_dataset('$set', '$relation', 0.05);
		SELECT anonopt.add_quasi_identifier('$set', 'age', 'age_levels'), anonopt.add_quasi_identifier('$set', 'zip', 'zip_levels');
		SELECT anonopt.add_sensitive('$set', 'illness')});
}

# The answer to a role, then its messages.
sub hear
{
	my ($role, $sql, $database, $on) = @_;
	my ($stdout, $stderr);
	($on // $node)->psql($database // 'clinic', $sql, stdout => \$stdout, stderr => \$stderr,
		on_error_stop => 0, extra_params => [ '-U', $role ]);
	return "$stdout\n$stderr";
}

# The answer alone, for what must succeed.
sub say_as
{
	my ($role, $sql, $database, $on) = @_;
	my ($stdout, $stderr);
	my $status = ($on // $node)->psql($database // 'clinic', $sql, stdout => \$stdout, stderr => \$stderr,
		extra_params => [ '-U', $role ]);
	if ($status != 0)
	{
		fail("$role is not refused");
		diag("$sql\n$stderr");
	}
	return $stdout;
}

# A live view of a data set, and what its reader needs.  It may be refused.
sub make_live
{
	my ($set, $levels, @arguments) = @_;
	my $name = 'live' . ++$made;
	my $arguments = join '', map { ", $_" } @arguments;
	my $answer = hear('owner', qq{
		SELECT anonopt.create_view('$name', '$set', '$levels', k => 5, materialized => false$arguments);
		GRANT SELECT ON $name TO PUBLIC;
		GRANT EXECUTE ON FUNCTION ${name}_rows() TO PUBLIC});
	return ($name, $answer);
}

sub is_silent
{
	my ($answer, $what) = @_;
	unlike($answer, qr/secret/, $what) or diag($answer);
}

# ---------------------------------------------------------- readers of live views

# Rows that are rolled back enlarge the class of the one who is alone.
sub check_padding
{
	my $four = q{SELECT 1000 + i, 77, '10115', 'flu' FROM generate_series(1, 4) i};
	my @cases = (
		[ 'a writer of the table', 'padded', '', 'GRANT INSERT ON padded TO reader', "INSERT INTO padded $four" ],
		[ 'a writer of its columns', 'padded', '', 'GRANT INSERT (nr, age, zip, illness) ON padded TO reader',
			"INSERT INTO padded $four" ],
		[ 'one who may update columns', 'padded', '', 'GRANT UPDATE (age, zip) ON padded TO reader',
			"UPDATE padded SET age = 77, zip = '10115'" ],
		[ 'one who may become a writer', 'padded', '', 'GRANT INSERT ON padded TO writer',
			"SET ROLE writer; INSERT INTO padded $four; RESET ROLE" ],
		[ 'a writer of a partition', 'parted', '', 'GRANT INSERT ON parted_all TO reader', "INSERT INTO parted_all $four" ],
		[ 'a writer of a child', 'padded', 'CREATE TABLE padded_child () INHERITS (padded)', 'GRANT INSERT ON padded_child TO reader',
			"INSERT INTO padded_child $four" ],
		[ 'a writer below a view', 'seen', 'CREATE VIEW seen AS TABLE padded', 'GRANT INSERT ON padded TO reader',
			"INSERT INTO padded $four" ],
		[ 'one who may write through a view', 'padded', 'CREATE VIEW seen AS TABLE padded', 'GRANT INSERT ON seen TO reader',
			"INSERT INTO seen $four" ],
		[ 'one who may change the hierarchy', 'padded', '', 'GRANT SELECT, UPDATE ON age_levels, zip_levels TO reader',
			"UPDATE age_levels SET level1 = '[70, 80)'; UPDATE zip_levels SET level1 = '1011*'" ],
		[ 'one who may write the hierarchy\'s columns', 'padded', '', 'GRANT SELECT, UPDATE (level1) ON age_levels, zip_levels TO reader',
			"UPDATE age_levels SET level1 = '[70, 80)'; UPDATE zip_levels SET level1 = '1011*'" ]);

	$node->safe_psql('postgres', 'CREATE ROLE writer; ALTER ROLE reader NOINHERIT; GRANT writer TO reader');
	for my $case (@cases)
	{
		my ($who, $relation, $before, $grant, $attack) = @$case;
		for my $late (0, 1)
		{
			say_as('owner', "
				CREATE TABLE padded AS TABLE patient;
				CREATE TABLE parted (LIKE patient) PARTITION BY RANGE (age);
				CREATE TABLE parted_all PARTITION OF parted FOR VALUES FROM (0) TO (1000);
				INSERT INTO parted TABLE patient; $before");
			declare_patients('padded', $relation);
			say_as('owner', $grant) unless $late;
			my ($name) = make_live('padded', '{1,1}');
			say_as('owner', $grant) if $late;
			is_silent(hear('reader', "BEGIN; $attack; SELECT * FROM $name; SELECT * FROM ${name}_rows(); ROLLBACK"),
				"$who, a grantee " . ($late ? 'afterwards' : 'before') . ', learns nothing by rows that are rolled back');
			hear('owner', "
				SELECT anonopt.drop_release('$name');
				SELECT anonopt.drop_dataset('padded');
				DROP TABLE padded, parted CASCADE;
				REVOKE ALL ON age_levels, zip_levels FROM reader;
				REVOKE ALL (level1) ON age_levels FROM reader; REVOKE ALL (level1) ON zip_levels FROM reader");
		}
	}

	# a release is for those who cannot write; the rest of us read snapshots
	say_as('owner', 'CREATE TABLE plain AS TABLE patient');
	declare_patients('plain', 'plain');
	my ($name, $answer) = make_live('plain', '{1,1}');
	is(say_as('reader', "SELECT count(*) FROM $name"), 80, 'who may only read the view does');
	$node->safe_psql('postgres', 'ALTER ROLE reader INHERIT; REVOKE writer FROM reader');
}

# Session settings must not move anybody to another class.
sub check_steering
{
	say_as('owner', q{
		CREATE TABLE measured (weight float8, illness text);
		INSERT INTO measured SELECT 1.25, 'flu' FROM generate_series(1, 20);
		INSERT INTO measured VALUES (1.2500000001, 'secret');
		CREATE TABLE weights (value float8 PRIMARY KEY, anything text);
		INSERT INTO weights VALUES (1.25, '*'), (1.2500000001, '*');
		SELECT anonopt.create_dataset('measured', 'measured', 0.05), anonopt.add_quasi_identifier('measured', 'weight', 'weights'),
			anonopt.add_sensitive('measured', 'illness');
		CREATE VIEW of_setting AS SELECT * FROM patient WHERE nr <> current_setting('clinic.but', true)::int
			OR current_setting('clinic.but', true) IS NULL;
		CREATE TABLE stamped (day timestamp, illness text);
		INSERT INTO stamped SELECT '2024-01-02 12:00', 'flu' FROM generate_series(1, 20);
		INSERT INTO stamped VALUES ('2024-01-01 23:30', 'secret');
		CREATE TABLE days (value tstzrange, anything text, EXCLUDE USING gist (value WITH &&));
		INSERT INTO days SELECT tstzrange(d, d + interval '1 day'), '*' FROM generate_series(timestamptz '2024-01-01 00:00Z', '2024-01-03 00:00Z', '1 day') d;
		SELECT anonopt.create_dataset('stamped', 'stamped', 0.05), anonopt.add_quasi_identifier('stamped', 'day', 'days'),
			anonopt.add_sensitive('stamped', 'illness')});
	my ($name) = make_live('measured', '{0}');
	is_silent(hear('reader', "SET extra_float_digits = -8; SELECT * FROM $name"), 'digits of numbers move nobody');
	($name) = make_live('stamped', '{0}');
	is_silent(hear('reader', "SET timezone = 'Etc/GMT+5'; SELECT * FROM $name"), 'time zones move nobody');

	declare_patients('of_setting', 'of_setting');
	($name) = make_live('of_setting', '{1,1}');
	my $counts = hear('reader', "SELECT count(*) FROM $name; SET clinic.but = 1; SELECT count(*) FROM $name");
	unlike($counts, qr/^80\n79$/m, 'settings that a view below reads move nobody');
}

sub check_two_readings
{
	my ($name, $answer) = make_live('patients', '{1,1}');
	like($answer, qr/WARNING:.*live view.*Readings before and after a change can reveal more/s, 'what a live view cannot promise is said');
	say_as('owner', q{SELECT anonopt.publish_table('still', 'patients', '{1,1}', k => 5); SELECT anonopt.create_view('still_seen', 'patients', '{1,1}', k => 5)});
	my $before = say_as('owner', "SELECT count(*) FROM $name; SELECT count(*) FROM still; SELECT count(*) FROM still_seen");
	say_as('owner', q{INSERT INTO patient VALUES (90, 21, '47901', 'flu')});
	is($before, "80\n80\n80", 'before a change all show the same');
	is(say_as('owner', "SELECT count(*) FROM $name; SELECT count(*) FROM still; SELECT count(*) FROM still_seen"), "81\n80\n80",
		'after it only the live view shows it');
	say_as('owner', q{SELECT anonopt.refresh_release('still'), anonopt.refresh_release('still_seen')});
	is(say_as('owner', 'SELECT count(*) FROM still; SELECT count(*) FROM still_seen'), "81\n81", 'and snapshots once they are made anew');
	say_as('owner', q{DELETE FROM patient WHERE nr = 90});
}

# Neither plans nor functions of the reader get a hidden row.
sub check_plans
{
	my ($name) = make_live('plain', '{1,1}');
	my $answer = hear('reader', qq{
		CREATE FUNCTION pg_temp.tell(text) RETURNS boolean COST 0.0000001 LANGUAGE plpgsql AS \$\$ BEGIN RAISE NOTICE 'seen %', \$1; RETURN true; END \$\$;
		SET jit = off;
		EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT * FROM $name WHERE pg_temp.tell(illness) AND age = '[70, 80)';
		EXPLAIN (ANALYZE, VERBOSE, TIMING OFF, BUFFERS OFF) SELECT * FROM $name WHERE pg_temp.tell(illness);
		SELECT count(*) FROM $name WHERE pg_temp.tell(illness || zip);
		SELECT count(*) FROM ${name}_rows() WHERE pg_temp.tell(illness || zip)});
	is_silent($answer, 'no function and no plan of a reader meets a hidden row');
	unlike($answer, qr/10115|rows=81|Removed by Filter: 81/, 'nor a hidden count');
	my $notices = () = $answer =~ /NOTICE:  seen/g;
	cmp_ok($notices, '>=', 160, 'but the rows that are shown');
	is_silent(hear('reader', "SELECT * FROM patient; SELECT * FROM age_levels; SELECT * FROM pg_stats WHERE tablename = 'patient'"),
		'a reader of the view reads nothing else');
	is(say_as('stranger', "SELECT has_function_privilege('${name}_rows()', 'EXECUTE')"), 't', 'the function is granted with the view');
	my ($bare) = 'bare' . ++$made;
	say_as('owner', "SELECT anonopt.create_view('$bare', 'plain', '{1,1}', k => 5, materialized => false)");
	is(say_as('stranger', "SELECT has_function_privilege('${bare}_rows()', 'EXECUTE') OR has_table_privilege('$bare', 'SELECT')"), 'f',
		'and to nobody before');
	say_as('owner', "DROP VIEW $name");
	unlike(hear('reader', "SELECT count(*) FROM ${name}_rows()"), qr/^80$/m, 'a view that is dropped by plain SQL is read no more');
}

# Everybody may read definitions, so they must not contain a hidden value.
sub check_definitions
{
	my $cuts = q{cuts => ARRAY[repeat('0', 99)::varbit, '11']};
	my $live = 'live' . ++$made;
	say_as('owner', qq{
		SELECT anonopt.create_view('cut_seen', 'patients', $cuts, k => 5);
		SELECT anonopt.publish_table('cut_table', 'patients', $cuts, k => 5);
		SELECT anonopt.create_view('$live', 'patients', $cuts, k => 5, materialized => false);
		GRANT SELECT ON cut_seen, cut_table, $live TO reader;
		CREATE TABLE illness_tree (value text PRIMARY KEY, kind text, anything text);
		INSERT INTO illness_tree VALUES ('flu', 'a', '*'), ('cold', 'a', '*'), ('gout', 'b', '*'), ('secret', 'b', '*');
		CREATE TABLE told AS TABLE patient});
	say_as('owner', q{
		SELECT anonopt.create_dataset('told', 'told', 0.05), anonopt.add_quasi_identifier('told', 'age', 'age_levels'),
			anonopt.add_sensitive('told', 'illness', 'ordered', 'illness_tree');
		SELECT anonopt.create_view('told_seen', 'told', '{1}', k => 5, t => 1)});
	for my $role (qw(reader stranger))
	{
		my $answer = hear($role, qq{
			SELECT definition FROM pg_matviews; SELECT definition FROM pg_views WHERE schemaname = 'public';
			SELECT pg_get_viewdef(oid) FROM pg_class WHERE relkind IN ('v', 'm') AND relnamespace = 'public'::regnamespace;
			SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prokind = 'f';
			SELECT description FROM pg_description WHERE objoid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)});
		unlike($answer, qr/10115|secret/, "definitions and comments tell a $role no value that is not shown");
	}
	is(say_as('reader', 'SELECT count(*) FROM cut_table'), 80, 'who reads it');
}

# ------------------------------------------------------------------- snapshots

sub check_order
{
	say_as('owner', q{
		CREATE TABLE numbered AS TABLE patient;
		SELECT anonopt.create_dataset('numbered', 'numbered', 0.05), anonopt.add_quasi_identifier('numbered', 'age', 'age_levels'),
			anonopt.set_insensitive('numbered', 'nr');
		SELECT anonopt.publish_table('numbered_1', 'numbered', '{1}', k => 5, columns => '{nr}');
		SELECT anonopt.create_view('numbered_2', 'numbered', '{1}', k => 5, columns => '{nr}');
		SELECT anonopt.publish_table('numbered_3', 'numbered', '{1}', k => 5)});
	my ($first, $second) = map { say_as('owner', "SELECT nr FROM $_ ORDER BY ctid") } qw(numbered_1 numbered_2);
	isnt($first, $second, 'rows of a class stand in another order each time');
	isnt($first, join("\n", 1 .. 80), 'and not in that of the source');
	say_as('owner', q{SELECT anonopt.refresh_release('numbered_1')});
	isnt(say_as('owner', 'SELECT nr FROM numbered_1 ORDER BY ctid'), $first, 'nor the next time');
	is( say_as('owner', q{
			SELECT count(*) FROM (SELECT age, lag(age) OVER (ORDER BY ctid) AS before FROM still) x WHERE age < before;
			SELECT string_agg(attname, ',') FROM pg_attribute WHERE attrelid = 'numbered_3'::regclass AND attnum > 0;
			SELECT count(*) FROM pg_attrdef WHERE adrelid = 'numbered_1'::regclass;
			SELECT count(*) FROM pg_attribute WHERE attrelid = 'numbered_1'::regclass AND (attidentity <> '' OR atthasdef);
			SELECT count(*) FROM pg_index WHERE indrelid = 'numbered_1'::regclass;
			SELECT count(DISTINCT xmin::text) FROM numbered_1}),
		"0\nage\n0\n0\n0\n1",
		'labels are sorted; no key, default or other column comes along');
}

sub check_row_security
{
	say_as('owner', 'CREATE TABLE secured AS TABLE patient');
	declare_patients('secured', 'secured');
	for my $clause ('ENABLE', 'FORCE')
	{
		say_as('owner', "ALTER TABLE secured $clause ROW LEVEL SECURITY");
		my ($name, $answer) = make_live('secured', '{1,1}');
		like($answer, qr/row security applies to public.secured/, "no live view with row security: $clause");
		unlike(hear('owner', "SELECT '$name'::regclass"), qr/^$name$/m, 'none is left behind');
		say_as('owner', 'ALTER TABLE secured DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY');
	}
	my ($name) = make_live('secured', '{1,1}');
	say_as('owner', q{
		ALTER TABLE secured ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
		CREATE POLICY all_but ON secured USING (nr::text <> coalesce(current_setting('clinic.but', true), ''))});
	my $answer = hear('reader', "SELECT count(*) FROM $name; SET clinic.but = '1'; SELECT count(*) FROM $name");
	unlike($answer, qr/^80\n79$/m, 'row security that comes later lets nobody choose rows');
	say_as('owner', q{CREATE VIEW secured_seen AS TABLE secured});
	declare_patients('secured_seen', 'secured_seen');
	($name) = make_live('secured_seen', '{1,1}');
	$answer = hear('reader', "SELECT count(*) FROM $name; SET clinic.but = '1'; SELECT count(*) FROM $name");
	unlike($answer, qr/^80\n79$/m, 'nor does that of a table below a view');
}

# --------------------------------------------------------- catalogs and their rights

sub check_catalogs
{
	like(hear('reader', 'SELECT count(*) FROM anonopt.published'), qr/permission denied for table published/, 'entries are nobody\'s');
	like(hear('reader', 'SELECT count(*) FROM anonopt.published_content'), qr/permission denied for table published_content/, 'nor contents');
	my $answer = hear('stranger', q{
		CREATE FUNCTION pg_temp.tell(text) RETURNS boolean COST 0.0000001 LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'seen %', $1; RETURN true; END $$;
		SELECT count(*) FROM anonopt.release WHERE pg_temp.tell(dataset || name || measures)});
	unlike($answer, qr/seen/, 'no function of a stranger meets an entry of others');
	is(say_as('stranger', 'SELECT count(*) FROM anonopt.release'), 0, 'who sees none');
	cmp_ok(say_as('owner', 'SELECT count(*) FROM anonopt.release'), '>', 5, 'the publisher sees them all');
	for my $call ("refresh_release('still')", "drop_release('still')", "verify('still')")
	{
		like(hear('stranger', "SELECT anonopt.$call"), qr/permission denied|must be owner/, "no stranger's: $call");
	}
	say_as('owner', 'GRANT SELECT ON still TO reader');
	for my $call ("refresh_release('still')", "drop_release('still')")
	{
		like(hear('reader', "SELECT anonopt.$call"), qr/permission denied|must be owner/, "no reader's: $call");
	}
	is(say_as('owner', 'SELECT count(*) FROM still'), 80 + 1, 'it is as it was');
	say_as('owner', q{SELECT anonopt.refresh_release('still')});
}

# An entry that a role writes about its own relation is not trusted for others.
sub check_false_entries
{
	say_as('stranger', q{
		CREATE TABLE bait (x int); CREATE TABLE bait_2 (x int); CREATE TABLE numbers AS SELECT 1 AS x;
		SELECT anonopt.create_interval_hierarchy('bait_levels', 0, 9, '{}');
		SELECT anonopt.create_dataset('bait', 'numbers'), anonopt.add_quasi_identifier('bait', 'x', 'bait_levels');
		CREATE FUNCTION become() RETURNS int LANGUAGE plpgsql AS
		$$ BEGIN EXECUTE 'alter role stranger superuser'; RETURN 1; EXCEPTION WHEN OTHERS THEN RETURN 1; END $$;
		CREATE VIEW trap AS SELECT become() AS x;
		CREATE FUNCTION trip() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM become(); RETURN new; END $$;
		SELECT anonopt.publish_table('tripping', 'bait', '{0}', k => 1);
		CREATE TRIGGER trip BEFORE INSERT ON tripping FOR EACH ROW EXECUTE FUNCTION trip()});
	hear('postgres', q{SELECT anonopt.refresh_release(oid) FROM pg_class WHERE relname IN ('bait', 'tripping')});
	hear('postgres', "SELECT anonopt.refresh_release('$_')") for qw(bait tripping);
	hear('postgres', "SELECT anonopt.verify('$_')") for qw(bait trap tripping);
	hear('postgres', q{SELECT anonopt.report('bait')});
	hear('postgres', "SELECT anonopt.drop_release('$_')") for qw(bait trap tripping);
	is(say_as('postgres', q{SELECT rolsuper FROM pg_roles WHERE rolname = 'stranger'}), 'f',
		'a superuser who refreshes, verifies, reports or drops what is another\'s runs nothing of theirs as superuser');
	$node->safe_psql('postgres', 'ALTER ROLE stranger NOSUPERUSER');

	# the owner of the database may write entries, but they are trusted only for the publisher's own objects
	like(hear('stranger', q{INSERT INTO anonopt.published SELECT * FROM anonopt.published}), qr/permission denied/, 'a stranger writes no entry');

	# ids and comments are no secret, and no proof
	say_as('owner', q{SELECT anonopt.publish_table('passed', 'patients', '{1,1}', k => 5)});
	my $comment = say_as('owner', q{SELECT obj_description('passed'::regclass)});
	say_as('owner', 'DROP TABLE passed');
	say_as('stranger', "CREATE TABLE heir (x int); COMMENT ON TABLE heir IS '$comment'");
	like(hear('stranger', q{SELECT anonopt.verify('heir')}), qr/is not a release of anonopt/, 'a comment does not make a stranger an heir');
	is(say_as('owner', q{SELECT dropped FROM anonopt.release WHERE name = 'public.passed'}), 't', 'nor a release live again');
}

sub check_rights
{
	say_as('owner', 'CREATE SCHEMA closed');
	like(hear('stranger', q{SELECT anonopt.publish_table('closed.none', 'bait', '{0}', k => 1)}), qr/permission denied for schema closed/,
		'nobody publishes where they may not create');
	like(hear('stranger', q{SELECT anonopt.publish_table('stolen', 'patients', '{1,1}')}), qr/permission denied for table/,
		'nor from what they may not read');
	is(say_as('stranger', q{SELECT to_regclass('stolen') IS NULL}), 't', 'nothing is left behind');
	say_as('owner', 'GRANT SELECT ON patient, age_levels, zip_levels TO stranger');
	like(hear('stranger', q{SELECT anonopt.publish_table('stolen', 'patients', '{1,1}')}), qr/is not an ordinary table that you own/,
		'nor through hierarchies of others');
	say_as('owner', 'REVOKE SELECT ON patient, age_levels, zip_levels FROM stranger');

	# functions with their owner's rights find nothing of the reader's
	is( say_as('owner', q{
			SELECT count(*) FROM pg_proc p WHERE p.prosecdef AND NOT coalesce(p.proconfig::text LIKE '%search_path=pg_catalog, pg_temp%', false)
				AND p.pronamespace IN ('public'::regnamespace, 'anonopt'::regnamespace)}),
		0, 'every function with its owner\'s rights has a search_path of its own');
	my ($name) = make_live('plain', '{1,1}', 'l => 2', 't => 0.9');
	my $answer = hear('stranger', qq{
		CREATE SCHEMA AUTHORIZATION stranger;
		CREATE FUNCTION pg_temp.session_user() RETURNS name LANGUAGE sql AS \$\$ SELECT 'postgres'::name \$\$;
		CREATE TEMP TABLE patient AS SELECT 1 AS nr, 77 AS age, '10115' AS zip, 'x' AS illness FROM generate_series(1, 9);
		CREATE TEMP TABLE plain AS TABLE patient; CREATE TEMP TABLE anonopt_rows AS TABLE patient;
		CREATE TEMP TABLE pg_class (oid oid); CREATE DOMAIN pg_temp.text AS pg_catalog.text CHECK (false);
		CREATE FUNCTION pg_temp.yes(bigint, bigint) RETURNS boolean LANGUAGE plpgsql AS \$\$ BEGIN RAISE NOTICE 'taken in'; RETURN true; END \$\$;
		CREATE OPERATOR pg_temp.= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = pg_temp.yes);
		CREATE OPERATOR pg_temp.>= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = pg_temp.yes);
		SET search_path = pg_temp, stranger, public, pg_catalog;
		SELECT count(*) FROM public.$name});
	like($answer, qr/^80$/m, 'a reader with names of their own reads the same rows');
	unlike($answer, qr/taken in/, 'and meets none of theirs');
}

# Columns that are never shown, whatever their other roles.
sub check_columns
{
	say_as('owner', q{
		SELECT anonopt.create_dataset('roles', 'patient', 0.05), anonopt.add_quasi_identifier('roles', 'age', 'age_levels')});
	for my $role (q{add_sensitive('roles', 'nr')}, q{set_class_label('roles', 'nr')})
	{
		hear('owner', "SELECT anonopt.set_identifier('roles', 'nr'); SELECT anonopt.$role; SELECT anonopt.publish_table('roles_shown', 'roles', '{1}', k => 5)");
		is(say_as('owner', q{SELECT count(*) FROM pg_attribute WHERE attrelid = to_regclass('roles_shown') AND attname = 'nr'}), 0,
			"an identifier is not shown after $role");
		hear('owner', q{SELECT anonopt.drop_release('roles_shown'); SELECT anonopt.drop_attribute('roles', 'nr')});
	}
	my $answer = hear('owner', q{SELECT anonopt.create_view('unclear', 'patients', '{1,1}', k => 5, materialized => NULL)});
	is(say_as('owner', q{SELECT count(*) FROM pg_class WHERE relname = 'unclear' AND relkind = 'v'}), 0, 'a live view is made only where it is asked for');
}

sub check_names
{
	my @names = ('a b', "it's", 'say "so"', "two\nlines", 'x; DROP TABLE patient; --', '\\', 'SELECT', 'ü' x 31, 'n' x 63, '$$', '%s %I');
	my $quote = sub { '"' . $_[0] =~ s/"/""/gr . '"' };
	my $literal = sub { "E'" . $_[0] =~ s/([\\'])/$1$1/gr . "'" };

	for my $name (@names)
	{
		my $ident = $quote->($name);
		my ($set, $view, $table, $hierarchy) = map { $literal->($_) } $name, "$ident.$ident", $quote->(substr($name, 0, 20) . 't'), "$ident.levels";
		(my $shown = $name) =~ s/\n/ /;
		for my $conforming (qw(on off))
		{
			my $answer = hear('owner', qq{
				SET standard_conforming_strings = $conforming; SET escape_string_warning = off; SET backslash_quote = on;
				CREATE SCHEMA $ident;
				CREATE TABLE $ident.source ($ident text, "what''s" text);
				INSERT INTO $ident.source SELECT v, 'x' FROM generate_series(1, 5), unnest(ARRAY[$set, E'q\\'\\\\', NULL]) v;
				ALTER TABLE $ident.source RENAME TO "source of 'them'";
				CREATE TABLE $ident.levels ($ident text PRIMARY KEY, "one\\""two" text);
				INSERT INTO $ident.levels VALUES ($set, $set), (E'q\\'\\\\', E'\\\\\\'; --');
				SELECT anonopt.create_dataset($set, (SELECT oid FROM pg_class WHERE relname = E'source of \\'them\\'' AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $set)));
				SELECT anonopt.add_quasi_identifier($set, $set, (SELECT oid FROM pg_class WHERE relname = 'levels' AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $set)));
				SELECT anonopt.create_view($view, $set, '{1}', k => 2);
				SELECT anonopt.publish_table($table, $set, '{0}', k => 2);
				SELECT anonopt.create_view($table || '', $set, '{0}') IS NULL;
				SELECT anonopt.publish_table(E'cut_of_it', $set, cuts => '{10}', k => 2);
				SELECT anonopt.create_view(E'live_of_it', $set, cuts => '{01}', k => 2, materialized => false);
				SELECT 'shown', count(*), count(DISTINCT $ident) FROM $ident.$ident;
				SELECT 'shown', count(*), count(DISTINCT $ident) FROM cut_of_it;
				SELECT 'shown', count(*), count(DISTINCT $ident) FROM live_of_it;
				SELECT anonopt.refresh_release('cut_of_it');
				SELECT 'ok', (anonopt.verify('cut_of_it')).k, (anonopt.verify('live_of_it')).rows;
				SELECT anonopt.drop_release(release) FROM anonopt.release WHERE dataset = $set AND NOT dropped;
				SELECT 'left', count(*) FROM anonopt.release WHERE dataset = $set AND NOT dropped;
				SELECT anonopt.drop_dataset($set);
				DROP SCHEMA $ident CASCADE});
			like($answer, qr/already exists/, "a name that is taken: $shown");
			like($answer, qr/shown\|15\|2.*shown\|15\|2.*shown\|15\|1.*ok\|5\|15.*left\|0/s, "a name of $shown, strings conforming: $conforming")
			  or diag($answer);
			hear('owner', "DROP SCHEMA IF EXISTS $ident CASCADE; DROP TABLE IF EXISTS cut_of_it; DROP VIEW IF EXISTS live_of_it; DROP FUNCTION IF EXISTS live_of_it_rows(); SELECT anonopt.drop_dataset($set)");
		}
	}
	is(say_as('owner', 'SELECT count(*) FROM patient'), 81, 'no name was taken for a statement');
}

# ----------------------------------------------------------------- dump and restore

sub check_dumps
{
	$node->safe_psql('postgres', 'CREATE DATABASE dumped OWNER owner');
	hear('owner', 'CREATE EXTENSION anonopt', 'dumped');
	say_as('owner', q{
		CREATE TABLE person AS SELECT 20 + i % 10 AS age, i % 3 AS illness FROM generate_series(1, 60) i;
		SELECT anonopt.create_interval_hierarchy('ages', 0, 99, '{10}');
		SELECT anonopt.create_dataset('persons', 'person'), anonopt.add_quasi_identifier('persons', 'age', 'ages'), anonopt.add_sensitive('persons', 'illness');
		SELECT anonopt.create_view('a_view', 'persons', '{1}', k => 2, l => 3), anonopt.publish_table('a_table', 'persons', '{1}', k => 2),
			anonopt.create_view('a_live_view', 'persons', '{1}', k => 2, materialized => false), anonopt.publish_table('gone', 'persons', '{1}', k => 2);
		DROP TABLE gone;
		CREATE TABLE copied AS TABLE person;
		SELECT anonopt.same_people('copied', 'person')}, 'dumped');
	my $entries = 'SELECT release, dataset, levels, k, l, measures, published_by, published_at, dropped, form FROM anonopt.release WHERE NOT dropped ORDER BY name;'
	  . 'SELECT DISTINCT p.name, s.relation_name, s.is_read FROM anonopt.published_source s JOIN anonopt.published p USING (id) ORDER BY 1, 2; TABLE anonopt.same_people;'
	  . 'SELECT name, dropped FROM anonopt.release ORDER BY name';
	my $before = say_as('owner', $entries, 'dumped');
	$node->command_ok([ 'pg_dump', '-U', 'owner', '-Fd', '-f', "$dumps/dumped", '-d', $node->connstr('dumped') ], 'a publisher dumps releases');
	for my $jobs (1, 3)
	{
		my $database = "restored_$jobs";
		# other numbers of relations than they had
		$elsewhere->safe_psql('postgres', "CREATE DATABASE $database OWNER owner");
		$elsewhere->safe_psql($database, 'CREATE SCHEMA other; CREATE TABLE other.first_of_all (x int)');
		$elsewhere->command_ok([ 'pg_restore', '-U', 'owner', '-j', $jobs, '-d', $elsewhere->connstr($database), "$dumps/dumped" ],
			"restores them elsewhere, $jobs at a time");
		is(say_as('owner', $entries, $database, $elsewhere), $before, 'the releases are known there');
		is( say_as('owner', q{SELECT r.release, v.k, v.rows, v.ok FROM anonopt.release r, anonopt.verify(r.release) v WHERE NOT r.dropped ORDER BY r.name},
				$database, $elsewhere),
			"a_live_view|60|60|t\na_table|60|60|t\na_view|60|60|t",
			'and verified');
		like( hear('owner', q{INSERT INTO copied VALUES (21, 1); SELECT anonopt.create_dataset('copies', 'copied'), anonopt.add_quasi_identifier('copies', 'age', 'ages'),
					anonopt.add_sensitive('copies', 'illness'); SELECT anonopt.publish_table('copies_shown', 'copies', '{1}', k => 2)}, $database, $elsewhere),
			qr/WARNING.*differs from what was shown before by 1 person/, 'and compared, with what is published of the same people, too');
		say_as('owner', q{SELECT anonopt.refresh_release('a_view'), anonopt.refresh_release('a_table'); DROP TABLE a_table; SELECT anonopt.drop_release('a_live_view')},
			$database, $elsewhere);
		is( say_as('owner', 'SELECT name, dropped FROM anonopt.release ORDER BY name', $database, $elsewhere),
			"public.a_live_view|t\npublic.a_table|t\npublic.a_view|f\npublic.copies_shown|f\npublic.gone|t", 'what is dropped there shows as dropped');
	}
}

sub check_pipelines
{
	say_as('owner', q{
		CREATE SCHEMA shelf; GRANT USAGE ON SCHEMA shelf TO reader;
		SELECT anonopt.publish_table('shelf.patients', 'patients', '{1,1}', k => 5, l => 2);
		GRANT SELECT ON shelf.patients TO reader});
	is( say_as('reader', q{
			CREATE TEMP TABLE mine (age text, zip text, illness text);
			COPY (SELECT age, zip, illness FROM shelf.patients) TO STDOUT;
			INSERT INTO mine SELECT * FROM shelf.patients;
			SELECT count(*) FROM mine}) =~ tr/\n//,
		80, 'a role that can read nothing else copies the release out');
	like(hear('reader', 'SELECT * FROM patient'), qr/permission denied for table patient/, 'and not the source');
	$node->command_ok([ 'pg_dump', '-U', 'owner', '-n', 'shelf', '-O', '-x', '-f', "$dumps/shelf.sql", '-d', $node->connstr('clinic') ], 'a schema of releases is dumped');
	$elsewhere->safe_psql('postgres', 'CREATE DATABASE bare');
	$elsewhere->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-f', "$dumps/shelf.sql", '-d', $elsewhere->connstr('bare') ],
		'and restored where neither source nor extension is');
	is($elsewhere->safe_psql('bare', 'SELECT count(*) FROM shelf.patients; SELECT count(*) FROM pg_extension WHERE extname = $$anonopt$$'), "80\n0", 'with its rows');
	unlike(slurp_file("$dumps/shelf.sql"), qr/secret|10115|public\.patient/, 'the dump holds nothing else');
}

# ------------------------------------------------------------ hierarchies and refreshes

# Copies of a leaf must not make a class look larger.
sub check_hierarchies
{
	my @ways = (
		[ 'a child of the table', 'PRIMARY KEY (value)', 'int', q{CREATE TABLE copied_more () INHERITS (copied); INSERT INTO copied_more SELECT 77, 'x7' FROM generate_series(1, 4)} ],
		[ 'an index that waits', 'PRIMARY KEY (value) DEFERRABLE INITIALLY DEFERRED', 'int', q{BEGIN; INSERT INTO copied SELECT 77, 'x7' FROM generate_series(1, 4)} ],
		[ 'an exclusion of some', 'EXCLUDE USING gist (value WITH &&) WHERE (lower(value) < 0)', 'int4range', q{INSERT INTO copied SELECT '[77,78)', 'x7' FROM generate_series(1, 4)} ],
		[ 'a numeric twin', 'PRIMARY KEY (value)', 'float8', q{INSERT INTO copied SELECT 77 + i * 1.5e-14, 'x7' FROM generate_series(1, 3) i} ]);
	for my $way (@ways)
	{
		my ($what, $key, $type, $copy) = @$way;
		hear('owner', qq{
			CREATE TABLE copied (value $type, anything text, $key);
			INSERT INTO copied SELECT CASE WHEN '$type' LIKE '%range' THEN format('[%s,%s)', i, i + 1) ELSE i::text END::$type, 'x' || i / 10 FROM generate_series(0, 99) i;
			CREATE TABLE of_copied AS SELECT age, illness FROM patient;
			SELECT anonopt.create_dataset('copied', 'of_copied', 0.05), anonopt.add_quasi_identifier('copied', 'age', 'copied'),
				anonopt.add_sensitive('copied', 'illness');
			SELECT anonopt.create_view('copied_live', 'copied', '{1}', k => 3, materialized => false);
			SELECT anonopt.create_view('copied_seen', 'copied', '{1}', k => 3)});
		is_silent(hear('owner', "$copy; SELECT * FROM copied_live; REFRESH MATERIALIZED VIEW copied_seen; SELECT * FROM copied_seen"),
			"no leaf is doubled by $what");
		hear('owner', q{SELECT anonopt.drop_release(release) FROM anonopt.release WHERE dataset = 'copied' AND NOT dropped;
			SELECT anonopt.drop_dataset('copied'); DROP TABLE copied, of_copied CASCADE});
	}
	# that of a sensitive column, which a promise of t reads
	hear('owner', q{
		CREATE TABLE loose_tree AS TABLE illness_tree;
		SELECT anonopt.create_dataset('loose', 'told', 0.05), anonopt.add_quasi_identifier('loose', 'age', 'age_levels'),
			anonopt.add_sensitive('loose', 'illness', 'ordered', 'loose_tree');
		SELECT anonopt.create_view('loose_seen', 'loose', '{1}', k => 5, t => 1);
		SELECT anonopt.create_view('loose_live', 'loose', '{1}', k => 5, t => 1, materialized => false);
		INSERT INTO loose_tree SELECT 'secret', 'b', '*' FROM generate_series(1, 4)});
	is_silent(hear('owner', 'REFRESH MATERIALIZED VIEW loose_seen; SELECT * FROM loose_seen; SELECT * FROM loose_live'),
		'nor by the hierarchy of a sensitive column');

	like(hear('owner', q{INSERT INTO age_levels SELECT * FROM age_levels WHERE value = 77}), qr/duplicate key/, 'a key refuses a leaf that is there');
	say_as('owner', q{SELECT anonopt.publish_table('hashed', 'patients', '{1,1}', k => 5); UPDATE age_levels SET level2 = 'x' WHERE value >= 50});
	like(hear('owner', q{SELECT ok FROM anonopt.verify('hashed')}), qr/^f\n.*hierarchies of release .* have changed/s, 'a change of a hierarchy is found');
	like(hear('owner', q{SELECT anonopt.refresh_release('hashed')}), qr/hierarchies of release public.hashed have changed/, 'and nothing made of it');
	say_as('owner', q{UPDATE age_levels SET level2 = '[50, 100)' WHERE value >= 50});
	is(say_as('owner', q{SELECT ok FROM anonopt.verify('hashed')}), 't', 'until it is put right');
	is(say_as('owner', "SET $_; SELECT ok FROM anonopt.verify('hashed')"), 't', "the same with $_")
	  for q{datestyle = 'German'}, q{extra_float_digits = -5}, q{timezone = 'Asia/Tokyo'}, q{bytea_output = 'escape'}, q{intervalstyle = 'iso_8601'};
}

sub check_refresh
{
	# settings of whoever makes a snapshot anew
	say_as('owner', q{
		CREATE TABLE stay (day date, weight float8);
		INSERT INTO stay SELECT date '2024-01-01' + i % 3, (i % 2) + 0.1 FROM generate_series(1, 60) i;
		SELECT anonopt.create_date_hierarchy('stay_days', '2024-01-01', '2024-01-31', '{month}');
		CREATE TABLE stay_weights (value float8 PRIMARY KEY, anything text); INSERT INTO stay_weights VALUES (0.1, '*'), (1.1, '*');
		SELECT anonopt.create_dataset('stays', 'stay'), anonopt.add_quasi_identifier('stays', 'day', 'stay_days'), anonopt.add_quasi_identifier('stays', 'weight', 'stay_weights');
		SELECT anonopt.create_view('stays', 'stays', cuts => ARRAY[repeat('1', 30)::varbit, '1'], k => 2);
		SET datestyle = 'German'; SET extra_float_digits = -5; REFRESH MATERIALIZED VIEW stays});
	is(say_as('owner', 'SELECT count(*) FROM stays'), 60, 'a refresh under other settings shows as many');
	is(say_as('owner', q{SET datestyle = 'German'; SELECT anonopt.refresh_release('stays'); SELECT count(*) FROM stays}), "\n60", 'so does refresh_release');

	# if the promise is no longer kept, the refresh fails and the old rows stay
	say_as('owner', q{SELECT anonopt.publish_table('kept', 'patients', '{1,1}', k => 5), anonopt.create_view('kept_seen', 'patients', '{1,1}', k => 5);
		INSERT INTO patient SELECT 200 + i, 30 + 10 * (i % 4), '10115', 'rare' FROM generate_series(1, 16) i});
	for my $release (qw(kept kept_seen))
	{
		like(hear('owner', "SELECT anonopt.refresh_release('$release')"), qr/too many people|promise/, "$release is not made where too many would be left out");
		cmp_ok(say_as('owner', "SELECT count(*) FROM $release"), '==', 80, 'and is as it was');
	}
	say_as('owner', 'DELETE FROM patient WHERE nr >= 200');
	say_as('owner', q{SELECT anonopt.set_class_label('patients', 'zip')});
	hear('owner', q{SELECT anonopt.drop_attribute('patients', 'illness')});
	like(hear('owner', q{SELECT anonopt.refresh_release('kept')}), qr/would be made differently now/, 'nor after the declaration changed');
	is(say_as('owner', 'SELECT count(*) FROM kept'), 80, 'and is as it was then, too');
	say_as('owner', q{SELECT anonopt.add_sensitive('patients', 'illness'), anonopt.drop_attribute('patients', 'zip', 'class_label')});
	say_as('owner', q{SELECT anonopt.refresh_release('kept')});

	# a column that became an identifier is gone from the next content of per-record releases
	say_as('owner', q{
		SELECT anonopt.create_dataset('recorded', 'patient'), anonopt.add_quasi_identifier('recorded', 'age', 'age_levels');
		SELECT anonopt.publish_records('recorded', 'recorded', 0, 'nr', k => 1, columns => '{illness}')});
	say_as('owner', q{SELECT anonopt.set_identifier('recorded', 'illness')});
	like(hear('owner', q{SELECT anonopt.refresh_release('recorded')}), qr/ERROR/, 'a column that became an identifier is not published again');
	is(say_as('owner', q{SELECT ok FROM anonopt.verify('still')}), 't', 'a release without a promise of l is verified');
	say_as('owner', q{
		SELECT anonopt.create_dataset('harmless', 'patient', 0.05), anonopt.add_quasi_identifier('harmless', 'age', 'age_levels');
		SELECT anonopt.publish_table('harmless', 'harmless', '{1}', k => 5)});
	is(say_as('owner', q{SELECT k, l, rows, ok FROM anonopt.verify('harmless')}), '80||80|t', 'and one without a sensitive column');
	like(say_as('owner', q{SELECT anonopt.report('harmless')}), qr/the promise is kept/, 'which is reported, too');
}

sub check_failures
{
	# a reader who writes while a release is being made, and compares it
	# afterwards
	my $writer = $node->background_psql('clinic', extra_params => [ '-U', 'owner' ]);
	$writer->query_safe(q{BEGIN; INSERT INTO patient VALUES (301, 22, '47900', 'flu')});
	say_as('owner', q{SELECT anonopt.publish_table('meanwhile', 'patients', '{1,1}', k => 5), anonopt.refresh_release('kept_seen')});
	$writer->query_safe('COMMIT');
	is(say_as('owner', 'SELECT count(*) FROM meanwhile; SELECT count(*) FROM kept_seen'), "80\n80", 'what is not committed is not published');
	is(say_as('owner', q{SELECT measures ->> 'people' FROM anonopt.release WHERE release = 'meanwhile'::regclass}), 81, 'nor measured');
	say_as('owner', 'DELETE FROM patient WHERE nr = 301');

	# two who give the same name at once
	$writer->query_safe(q{SET client_min_messages = error; BEGIN; SELECT anonopt.publish_table($$named$$, $$patients$$, $${1,1}$$, k => 5)});
	my $late = $node->background_psql('clinic', on_error_stop => 0, extra_params => [ '-U', 'owner' ]);
	$late->query_until(qr/begun/, qq{\\set VERBOSITY verbose\n\\echo begun\nSELECT anonopt.publish_table('named', 'patients', '{1,1}', k => 5);\n});
	$node->poll_query_until('clinic', q{SELECT count(*) > 0 FROM pg_locks WHERE NOT granted});
	$writer->query_safe('COMMIT');
	$late->query('SELECT 1');
	like($late->{stderr}, qr/ERROR:  42710: relation public\.named already exists\nHINT/, 'of two who give the same name at once, the second is told');
	$late->quit;
	say_as('owner', q{SELECT anonopt.drop_release('named')});

	# two who refresh at once
	$writer->query_safe(q{SET client_min_messages = error; BEGIN; SELECT anonopt.refresh_release($$kept$$)});
	my $waiting = $node->background_psql('clinic', extra_params => [ '-U', 'owner' ]);
	$waiting->query_until(qr/begun/, qq{\\echo begun\nSET client_min_messages = error; SELECT anonopt.refresh_release('kept');\n});
	$node->poll_query_until('clinic', q{SELECT count(*) > 0 FROM pg_locks WHERE NOT granted});
	$writer->query_safe('COMMIT');
	$waiting->quit;
	$writer->quit;
	is(say_as('owner', 'SELECT count(*) FROM kept'), 80, 'two who refresh at once do so one after another');
	is( $node->safe_psql('clinic', q{SELECT count(*) FROM anonopt.published_content c JOIN anonopt.published p USING (id) WHERE p.name = 'public.kept'}),
		4, 'and every content is known');

	# cancelled, or failing at the end
	my $count = q{SELECT (SELECT count(*) FROM anonopt.published), (SELECT count(*) FROM pg_class), (SELECT count(*) FROM pg_proc)};
	my $before = $node->safe_psql('clinic', $count);
	for my $call (q{publish_table('broken', 'patients', '{1,1}', k => 5)}, q{create_view('broken', 'patients', '{1,1}', k => 5)},
		q{create_view('broken', 'patients', '{1,1}', k => 5, materialized => false)})
	{
		hear('owner', "BEGIN; SELECT anonopt.$call; SELECT 1 / 0; COMMIT");
		hear('owner', "SET statement_timeout = 1; SELECT anonopt.$call FROM generate_series(1, 2), pg_sleep(0.01)");
		hear('owner', "BEGIN; SET LOCAL client_min_messages = error; SELECT anonopt.$call; ROLLBACK");
	}
	is($node->safe_psql('clinic', $count), $before, 'what fails or is cancelled leaves nothing behind');
}

sub check_labels
{
	$node->safe_psql('clinic', q{INSERT INTO pg_seclabel SELECT 'patient'::regclass, 'pg_class'::regclass, attnum, provider, label
		FROM pg_attribute, (VALUES ('age', 'k_anonymity', 'QUASI IDENTIFIER'), ('zip', 'anon', ' indirect  identifier '), ('illness', 'anon', 'MASKED WITH VALUE NULL'),
			('nr', 'other', 'quasi identifier')) v (name, provider, label) WHERE attrelid = 'patient'::regclass AND attname = name});
	is( say_as('owner', q{SELECT columns[1], labelled FROM anonopt.suggest_quasi_identifiers('patient') WHERE cardinality(columns) = 1 ORDER BY 1}),
		"age|t\nillness|f\nnr|f\nzip|t", 'columns labelled for PostgreSQL Anonymizer are marked');
	is( say_as('owner', q{SELECT bool_and(labelled) FROM anonopt.suggest_quasi_identifiers('patient') WHERE 'age' = ANY (columns)}),
		't', 'so are combinations with them');
	like(hear('stranger', q{SELECT * FROM anonopt.suggest_quasi_identifiers('patient')}), qr/permission denied/, 'only who reads the relation is told');
	$node->safe_psql('clinic', q{DELETE FROM pg_seclabel});
}

# While a refresh waits for its source, readers see the old rows, and nobody waits.
sub check_readers
{
	say_as('owner', q{
		CREATE TABLE slow AS SELECT 20 + i % 10 AS age, 'x' || i % 3 AS illness FROM generate_series(1, 80) i;
		CREATE VIEW slowly AS SELECT s.* FROM slow s, (SELECT pg_advisory_xact_lock_shared(8)) x;
		SELECT anonopt.create_dataset('slowly', 'slowly'), anonopt.add_quasi_identifier('slowly', 'age', 'age_levels');
		SELECT anonopt.publish_table('slow_rows', 'slowly', '{1}', k => 5, columns => '{illness}'), anonopt.create_view('slow_seen', 'slowly', '{1}', k => 5);
		GRANT SELECT ON slow_rows, slow_seen TO reader;
		INSERT INTO slow SELECT 25, 'x' FROM generate_series(1, 20)});
	for my $release ('slow_rows', 'slow_seen')
	{
		my $keeper = $node->background_psql('clinic', extra_params => [ '-U', 'owner' ]);
		my $refresh = $node->background_psql('clinic', extra_params => [ '-U', 'owner' ]);
		my $waits = qq{SELECT count(*) = 1 FROM pg_stat_activity WHERE query LIKE '%refresh_release(''$release'')%' AND wait_event = 'advisory'};

		$keeper->query_safe('SELECT pg_advisory_lock(8)');
		$refresh->query_until(qr/begun/, "\\echo begun\nSELECT anonopt.refresh_release('$release');\n");
		ok($node->poll_query_until('clinic', $waits), "a refresh of $release waits for the source");
		is(hear($_, "SET lock_timeout = '500 ms'; SELECT count(*) FROM $release; SELECT count(*) FROM $release"), "80\n80\n", "which $_ reads meanwhile")
		  for qw(owner reader);
		is($node->safe_psql('clinic', $waits), 't', 'and it still waits');
		$keeper->query_safe('SELECT pg_advisory_unlock(8)');
		$keeper->quit;
		$refresh->quit;
		is(hear('owner', "SELECT count(*) FROM $release"), "100\n", 'and then it has the new rows');
	}
	say_as('owner', q{SELECT anonopt.drop_release('slow_rows'), anonopt.drop_release('slow_seen'), anonopt.drop_dataset('slowly')});
}

# Indexes are built before the swap, while readers go on; each stays what it was, but for its file.
sub check_indexes
{
	my $kept = q{SELECT string_agg(concat_ws(' ', c.oid, c.relname, pg_get_indexdef(c.oid), i.indisclustered, i.indisreplident, i.indisprimary,
		i.indisvalid, i.indislive, i.indisready, obj_description(c.oid), (SELECT array_agg(a.attstattarget) FROM pg_attribute a WHERE a.attrelid = c.oid),
		(SELECT string_agg(o.conname || o.condeferrable, ',') FROM pg_constraint o WHERE o.conindid = c.oid)), E'\n' ORDER BY c.oid)
		FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid IN ('indexed'::regclass, 'indexed_seen'::regclass)};
	my $files = q{SELECT indexrelid, pg_relation_filenode(indexrelid) FROM pg_index WHERE indrelid IN ('indexed'::regclass, 'indexed_seen'::regclass)};

	say_as('owner', q{
		CREATE TABLE source AS SELECT i AS nr, 20 + i % 10 AS age, 'x' || i % 3 AS illness FROM generate_series(1, 80) i;
		CREATE FUNCTION awaited(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock_shared(7); RETURN $1; END $$;
		SELECT anonopt.create_dataset('source', 'source'), anonopt.add_quasi_identifier('source', 'age', 'age_levels'),
			anonopt.set_insensitive('source', 'nr'), anonopt.set_insensitive('source', 'illness');
		SELECT anonopt.publish_table('indexed', 'source', '{1}', k => 5, columns => '{illness,nr}'),
			anonopt.create_view('indexed_seen', 'source', '{1}', k => 5, columns => '{illness,nr}');
		ALTER TABLE indexed ADD PRIMARY KEY (nr), ADD CONSTRAINT "ON USING it" UNIQUE (illness, nr) DEFERRABLE INITIALLY DEFERRED,
			ADD CONSTRAINT apart EXCLUDE USING hash (nr WITH =);
		ALTER TABLE indexed CLUSTER ON indexed_pkey, REPLICA IDENTITY USING INDEX indexed_pkey;
		CREATE INDEX part ON indexed (lower(age), illness DESC NULLS LAST) INCLUDE (nr) WITH (fillfactor = 70) WHERE age <> 'x';
		ALTER INDEX part ALTER COLUMN 1 SET STATISTICS 77;
		COMMENT ON INDEX part IS 'a part';
		CREATE INDEX ON indexed USING hash (illness);
		CREATE INDEX ON indexed (awaited(illness));
		CREATE INDEX ON indexed_seen (awaited(illness));
		CREATE UNIQUE INDEX ON indexed_seen (nr);
		INSERT INTO source SELECT i, 25, 'x' FROM generate_series(81, 100) i});
	my $before = hear('owner', $kept);
	my %file = map { split /\|/ } split /\n/, hear('owner', $files);

	for my $release ('indexed', 'indexed_seen')
	{
		my $keeper = $node->background_psql('clinic', extra_params => [ '-U', 'owner' ]);
		my $refresh = $node->background_psql('clinic', extra_params => [ '-U', 'owner' ]);
		my $waits = qq{SELECT count(*) > 0 FROM pg_stat_activity WHERE query LIKE '%refresh_release(''$release'')%' AND wait_event = 'advisory'};

		$keeper->query_safe('SELECT pg_advisory_lock(7)');
		$refresh->query_until(qr/begun/, "\\echo begun\nSELECT anonopt.refresh_release('$release');\n");
		ok($node->poll_query_until('clinic', $waits), "an index of $release takes long to be built");
		is(hear('owner', "SET lock_timeout = '500 ms'; SET enable_seqscan = off; SELECT count(*) FROM $release; SELECT count(*) FROM $release WHERE nr = 80"),
			"80\n1\n", 'while readers have the old rows, by the old indexes');
		$keeper->query_safe('SELECT pg_advisory_unlock(7)');
		$keeper->quit;
		$refresh->quit;
		is(hear('owner', "SET enable_seqscan = off; SELECT count(*) FROM $release; SELECT count(*) FROM $release WHERE nr = 100; SELECT count(*) FROM $release WHERE nr = 101"),
			"100\n1\n0\n", 'and then the new rows, by the new indexes');
	}
	is(hear('owner', $kept), $before, 'indexes keep their numbers, names, constraints, comments, statistics targets and marks');
	my %now = map { split /\|/ } split /\n/, hear('owner', $files);
	is(scalar(grep { $now{$_} == $file{$_} } keys %file), 0, 'and have other files');
	is(hear('owner', q{SELECT count(*) FROM pg_class WHERE relname LIKE 'pg_temp_%'}), "0\n", 'nothing is left behind');
	say_as('owner', q{INSERT INTO source VALUES (100, 25, 'x')});
	like(hear('owner', q{SELECT anonopt.refresh_release('indexed')}), qr/could not create unique index/, 'what is no longer unique is refused');
	is(hear('owner', 'SELECT count(*) FROM indexed'), "100\n", 'and the old rows stay');
	say_as('owner', q{SELECT anonopt.drop_release('indexed'), anonopt.drop_release('indexed_seen'), anonopt.drop_dataset('source'); DROP TABLE source});
}

# A data set was declared again differently, and has releases of the old
# declaration.
sub check_declared_anew
{
	say_as('owner', q{
		CREATE TABLE few (value int PRIMARY KEY, anything text); INSERT INTO few SELECT i, '*' FROM generate_series(0, 99) i;
		SELECT anonopt.create_dataset('anew', 'patient', 0.05), anonopt.add_quasi_identifier('anew', 'zip', 'zip_levels');
		SELECT anonopt.publish_table('anew_1', 'anew', '{5}'), anonopt.publish_table('anew_2', 'anew', cuts => '{01}')});
	# after an additional value, the old cut no longer fits
	say_as('owner', q{INSERT INTO zip_levels SELECT '20095', '2009*', '200**', '20***', '2****', '*****'});
	like(hear('owner', q{SELECT anonopt.publish_table('anew_3', 'anew', '{4}')}), qr/^anew_3$/m, 'a hierarchy that has grown does not end publishing');
	say_as('owner', q{
		SELECT anonopt.drop_attribute('anew', 'zip'), anonopt.add_quasi_identifier('anew', 'age', 'few')});
	like(hear('owner', q{SELECT anonopt.publish_table('anew_4', 'anew', '{1}')}), qr/^anew_4$/m, 'nor does another declaration');
	is(hear('postgres', 'SELECT 1'), "1\n", 'the server lives');
	unlike(slurp_file($node->logfile), qr/terminated by signal (?!2\b)/, 'and always has');
}
