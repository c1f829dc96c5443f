#!/usr/bin/env perl
#
# Attacks on publishing: by a publisher who wants to become superuser, by a
# stranger who wants to be a publisher, and by a reader who compares what a
# release showed yesterday with what it shows today.
#
# Each of these attacks has worked once, most of them in several of the calls
# that are tried.  Tests that state what has always held are marked "still".

use strict;
use warnings;
use utf8;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Server;
use Test::More;

my $superuser = 'postgres';
my $node = Server->new('holes');
$node->init;
# few buffers, since a process that touches them seems to need their memory
$node->append_conf('postgresql.conf', "autovacuum = off\nclient_encoding = utf8\nshared_buffers = 8MB\n");
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE ROLE mallory LOGIN; CREATE ROLE reader LOGIN; CREATE DATABASE clinic');
$node->safe_psql('clinic', 'CREATE EXTENSION anonopt; GRANT CREATE ON SCHEMA public TO owner; CREATE SCHEMA mallory AUTHORIZATION mallory');

# ------------------------------------------------------------------- questions

# What a role gets as an answer, and the messages beside it.
sub hear
{
	my ($role, $sql) = @_;

	$node->psql('clinic', $sql, stdout => \my $answer, stderr => \my $messages,
		on_error_stop => 0, extra_params => [ '-U', $role, '-v', 'VERBOSITY=verbose' ]);
	return "$answer\n$messages";
}

# The answer alone, for what must succeed.
sub ask
{
	my ($role, $sql) = @_;
	my $status = $node->psql('clinic', $sql, stdout => \my $answer, stderr => \my $messages, extra_params => [ '-U', $role ]);

	if ($status != 0)
	{
		fail("$role is not refused");
		diag("$sql\n$messages");
	}
	return $answer;
}

sub make_levels
{
	ask('owner', q{SELECT anonopt.create_interval_hierarchy('age_levels', 0, 99, '{10,50}')});
}

# Eighty patients in two classes of forty, with three illnesses, and a data set of the same name.
sub make_patients
{
	my ($name) = @_;

	ask('owner', qq{
		CREATE TABLE $name AS
		SELECT i AS nr, 20 + i % 20 AS age, (ARRAY['cold', 'flu', 'gout'])[1 + i / 20 % 3] AS illness FROM generate_series(1, 80) i;
		SELECT anonopt.create_dataset('$name', '$name', 0.2), anonopt.add_quasi_identifier('$name', 'age', 'age_levels'),
			anonopt.add_sensitive('$name', 'illness')});
}

# ------------------------------------------------ nobody becomes superuser through a release

# Code that Mallory gets to run as a superuser makes him one, and leaves a trace that survives a
# rollback.
sub make_trap
{
	ask('mallory', q{
		CREATE SEQUENCE mallory.sprung;
		CREATE FUNCTION mallory.trap() RETURNS int LANGUAGE plpgsql AS $$
		BEGIN
			IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
				PERFORM nextval('mallory.sprung');
				ALTER ROLE mallory SUPERUSER;
			END IF;
			RETURN 1;
		END $$;
		-- may stand in an index: what is immutable may call what is not
		CREATE FUNCTION mallory.quiet_trap() RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT mallory.trap()); END $$});
}

# Let a superuser call something, and see what came of it.
sub check_trap
{
	my ($call, $what) = @_;
	my $answer = hear($superuser, "SELECT * FROM anonopt.$call");

	is($node->safe_psql('clinic', q{SELECT is_called, (SELECT rolsuper FROM pg_roles WHERE rolname = 'mallory') FROM mallory.sprung}),
		'f|f', "$what: nothing of Mallory's runs as a superuser in $call");
	$node->safe_psql('clinic', 'ALTER ROLE mallory NOSUPERUSER; ALTER SEQUENCE mallory.sprung RESTART');
	return $answer;
}

# A release of Mallory's, by a hierarchy whose labels have a type.
sub make_bait
{
	my ($name, $type) = @_;

	ask('mallory', qq{
		CREATE TABLE mallory.${name}_data AS SELECT i AS nr, i % 2 AS age, i % 3 AS illness FROM generate_series(1, 60) i;
		CREATE TABLE mallory.${name}_levels (value int PRIMARY KEY, label $type);
		INSERT INTO mallory.${name}_levels VALUES (0, '*'), (1, '*');
		SELECT anonopt.create_dataset('$name', 'mallory.${name}_data'),
			anonopt.add_quasi_identifier('$name', 'age', 'mallory.${name}_levels'), anonopt.add_sensitive('$name', 'illness');
		SELECT anonopt.publish_table('mallory.${name}_table', '$name', '{1}', k => 2)});
}

sub check_superusers
{
	make_trap();

	my $view = q{CREATE VIEW mallory.%1$s_levels AS SELECT mallory.trap() AS value, '*'::text AS label};
	my $cast = q{CREATE FUNCTION mallory.%1$s_text(mallory.%2$s) RETURNS text LANGUAGE plpgsql AS
		$$ BEGIN PERFORM mallory.trap(); RETURN format('%%s', $1); END $$;
		CREATE CAST (mallory.%2$s AS text) WITH FUNCTION mallory.%1$s_text(mallory.%2$s) AS IMPLICIT};
	my @ways = (
		[ 'a view under the name of a hierarchy', 'renamed', 'text', "ALTER TABLE mallory.renamed_levels RENAME TO moved; " . sprintf($view, 'renamed') ],
		[ 'a view in the place of a hierarchy', 'replaced', 'text', "DROP TABLE mallory.replaced_levels; " . sprintf($view, 'replaced') ],
		[ 'a cast of a hierarchy\'s rows', 'rows', 'text', sprintf($cast, 'rows', 'rows_levels') ],
		[ 'a cast of labels', 'labels', 'mallory.label', sprintf($cast, 'labels', 'label') ],
		[ 'a column of a release that has another type', 'retyped', 'text', q{CREATE TYPE mallory.retype AS ENUM ('*', 'NULL');
			ALTER TABLE mallory.retyped_table ALTER age TYPE mallory.retype USING '*'; } . sprintf($cast, 'retyped', 'retype') ],
		[ 'an index of a hierarchy', 'indexed', 'text', 'CREATE INDEX ON mallory.indexed_levels ((value + mallory.quiet_trap()))' ],
		[ 'an index of a release', 'indexed_release', 'text', 'CREATE INDEX ON mallory.indexed_release_table ((illness + mallory.quiet_trap()))' ]);

	ask('mallory', q{CREATE TYPE mallory.label AS ENUM ('*')});
	for my $way (@ways)
	{
		my ($what, $name, $type, $attack) = @$way;

		make_bait($name, $type);
		ask('mallory', $attack);
		check_trap("verify('mallory.${name}_table')", $what);
		check_trap("refresh_release('mallory.${name}_table')", $what);
		# a superuser who searches somebody's data plans statements over their tables: see docs/security.md
		check_trap("report('$name')", $what) unless $name =~ /^indexed/;
		check_trap("release_risk('$name')", $what) unless $name =~ /^indexed/;
		check_trap("generalize(1, 'mallory.${name}_levels', 1)", $what) if $name =~ /^(?:rows|labels)$/;
		check_trap("publish_table('taken_$name', '$name', '{1}', k => 2)", $what);
		check_trap("drop_release('mallory.${name}_table')", $what);
	}
}

# A superuser is a member of every role, but can publish only by hierarchies of their own.
sub check_superusers_as_publishers
{
	make_bait('lent', 'text');
	for my $call (q{publish_table('lent_1', 'lent', '{1}', k => 2)}, q{create_view('lent_2', 'lent', '{1}', k => 2)},
		q{create_view('lent_3', 'lent', '{1}', k => 2, materialized => false)}, q{view_sql('lent_4', 'lent', '{1}', k => 2)},
		q{publish_records('lent_5', 'lent', 0, 'nr')})
	{
		like(hear($superuser, "SELECT anonopt.$call"), qr/ERROR:  23514: hierarchy mallory\.lent_levels of column "age" is not an ordinary table that you own/,
			"not by a hierarchy of Mallory's: $call");
	}
	is($node->safe_psql('clinic', q{SELECT count(*) FROM pg_class WHERE relname ~ '^lent_[1-5]'}), 0, 'nothing has been made');
}

sub check_changed_hierarchies
{
	my %change = (
		'is written' => q{UPDATE mallory.%1$s_levels SET label = 'x'},
		'is gone' => q{DROP TABLE mallory.%1$s_levels},
		'is another table' => q{DROP TABLE mallory.%1$s_levels; CREATE TABLE mallory.%1$s_levels (value int PRIMARY KEY, label text)},
		'is a view' => q{DROP TABLE mallory.%1$s_levels; CREATE VIEW mallory.%1$s_levels AS SELECT i AS value, '*' AS label FROM generate_series(0, 1) i});
	my $made = 0;

	for my $what (sort keys %change)
	{
		my $name = 'changed' . ++$made;

		make_bait($name, 'text');
		is(ask('mallory', "SELECT ok FROM anonopt.verify('mallory.${name}_table')"), 't', 'still: a release that nobody touched is right');
		ask('mallory', sprintf($change{$what}, $name));
		for my $role ('mallory', $superuser)
		{
			like(hear($role, "SELECT ok FROM anonopt.verify('mallory.${name}_table')"),
				qr/^f\n.*NOTICE:.*hierarchies of release mallory\.${name}_table have changed/s, "verify tells $role that a hierarchy $what");
		}
		like(hear('mallory', "SELECT anonopt.refresh_release('mallory.${name}_table')"), qr/ERROR:  23514: .*(?:have changed|is gone)/,
			"still: no refresh once a hierarchy $what");
	}
}

# ---------------------------------------------------------------- the record of releases

# Every function that anybody may call, with arguments that would make a table a release.
sub check_forgery
{
	for my $gone (qw(write_release write_content keep_content note_release fill_release release_query known_risk publish))
	{
		is($node->safe_psql('clinic', "SELECT count(*) FROM pg_proc WHERE proname = '$gone' AND pronamespace = 'anonopt'::regnamespace"),
			0, "no function $gone");
	}

	my $record = q{SELECT (SELECT md5(coalesce(string_agg((to_jsonb(p) - '{verified_at,verified_ok,verified}'::text[])::text, ',' ORDER BY p.id), '')) FROM anonopt.published p),
		(SELECT md5(coalesce(string_agg(c::text, ',' ORDER BY c::text), '')) FROM anonopt.published_content c)};
	my $before = $node->safe_psql('clinic', $record);
	my $called = ask('mallory', q{
		CREATE TABLE mallory.forged AS SELECT '*'::text AS age, 'flu'::text AS illness;
		CREATE TABLE mallory.calls (function text, error text);
		SET statement_timeout = '20s'; SET client_min_messages = error;
		DO $$
		DECLARE
			target text;
			entry text;
			f record;
		BEGIN
			FOREACH target IN ARRAY '{mallory.forged,mallory.lent_table}'::text[] LOOP
				entry := json_build_object('id', gen_random_uuid(), 'form', 'table', 'dataset', 'lent', 'levels', ARRAY[1], 'k', 1000, 'suppressed', 'omit',
					'statement', 'SELECT 1', 'generalized', ARRAY['age'], 'sensitive', ARRAY['illness'], 'hierarchies', ARRAY[]::text[],
					'hashes', ARRAY[]::text[], 'measures', json_build_object('k', 1000), 'columns', NULL, 'relation', target::regclass::oid,
					'row_type', 0, 'made_in', 'here', 'name', target, 'published_by', 'mallory', 'published_at', now());
				FOR f IN
					-- as the first text of a call: what to do, where a function does several things
					SELECT p.oid::regprocedure::text AS function, w.what, format('SELECT anonopt.%I(%s)', p.proname, string_agg(
						CASE format_type(a.type, NULL)
							WHEN 'regclass' THEN quote_literal(target) || '::regclass'
							WHEN 'text' THEN CASE WHEN a.i = 1 THEN quote_literal(w.what) ELSE quote_literal(entry) END || '::text'
							WHEN 'text[]' THEN '''{*}''::text[]'
							WHEN 'name[]' THEN '''{age}''::name[]'
							WHEN 'bigint[]' THEN '''{1000}''::bigint[]'
							WHEN 'anonopt.published' THEN format('jsonb_populate_record(NULL::anonopt.published, %L)', entry)
							ELSE 'NULL::' || format_type(a.type, NULL) END, ', ' ORDER BY a.i)) AS call
					FROM pg_proc p CROSS JOIN unnest('{entry,measures,lent}'::text[]) w (what),
						unnest(p.proargtypes::oid[]) WITH ORDINALITY a (type, i)
					WHERE p.pronamespace = 'anonopt'::regnamespace AND p.prokind = 'f' AND has_function_privilege('public', p.oid, 'EXECUTE')
						AND p.proname NOT IN ('create_view', 'publish_table', 'publish_records', 'refresh_release', 'drop_release', 'forget_release', 'verify')
						AND NOT EXISTS (SELECT FROM unnest(p.proargtypes::oid[]) t JOIN pg_type y ON y.oid = t WHERE y.typtype = 'p')
					GROUP BY p.oid, p.proname, w.what ORDER BY p.oid
				LOOP
					BEGIN
						EXECUTE f.call;
						INSERT INTO mallory.calls VALUES (f.function, NULL);
					EXCEPTION WHEN OTHERS THEN
						INSERT INTO mallory.calls VALUES (f.function, SQLERRM);
					END;
				END LOOP;
			END LOOP;
		END $$;
		SELECT count(DISTINCT function) FROM mallory.calls});
	cmp_ok($called, '>', 40, 'many functions have been called');
	is($node->safe_psql('clinic', $record), $before, 'and none of them wrote the record of releases');
	is(ask('mallory', q{SELECT count(*) FROM anonopt.release WHERE name = 'mallory.forged' OR k = 1000 OR measures ->> 'k' = '1000'}), 0,
		'no table of one row is a release of k = 1000');
}

# ---------------------------------------------------------------------- promises of t

# Thirty people by three classes and four illnesses.  Nobody is suppressed, so that the data
# and the release have one distribution.
sub make_close
{
	ask('owner', q{
		CREATE TABLE close (nr int, age int, illness text);
		INSERT INTO close SELECT row_number() OVER (), age, illness FROM (VALUES
			(25, 'angina', 4), (25, 'cold', 3), (25, 'flu', 2), (25, 'gout', 3), (35, 'angina', 2), (35, 'cold', 2), (35, 'flu', 4), (35, 'gout', 1),
			(45, 'angina', 2), (45, 'cold', 3), (45, 'flu', 2), (45, 'gout', 2)) v (age, illness, n), generate_series(1, n);
		CREATE TABLE illness_levels (value text PRIMARY KEY, kind text, anything text);
		INSERT INTO illness_levels VALUES ('angina', 'infection', '*'), ('cold', 'infection', '*'), ('flu', 'infection', '*'), ('gout', 'other', '*')});
}

# The largest distance of a class from all rows of a relation, in slow and plain SQL.
my %distance = (
	equal => q{
		SELECT max(distance) FROM (SELECT age, sum(abs(p - q)) / 2 AS distance FROM share GROUP BY age) c},
	ordered => q{
		SELECT max(distance) FROM (SELECT age, sum(abs(surplus)) / (SELECT count(DISTINCT illness) - 1 FROM share) AS distance
			FROM (SELECT age, sum(p - q) OVER (PARTITION BY age ORDER BY illness COLLATE "C") AS surplus FROM share) s GROUP BY age) c},
	hierarchical => q{
		SELECT max(distance) FROM (SELECT age, sum(height / 2.0 * least(surplus, deficit)) AS distance FROM
			(SELECT age, 1 AS height, kind AS label, sum(greatest(p - q, 0)) AS surplus, sum(greatest(q - p, 0)) AS deficit
				FROM share JOIN illness_levels ON value = illness GROUP BY age, kind
			 UNION ALL
			 SELECT age, 2, '*', sum(greatest(more, 0)), sum(greatest(-more, 0))
				FROM (SELECT age, kind, sum(p - q) AS more FROM share JOIN illness_levels ON value = illness GROUP BY age, kind) k GROUP BY age) n
			GROUP BY age) c});

sub measure_distance
{
	my ($relation, $distance) = @_;

	return ask('owner', qq{
		WITH share AS (
			SELECT c.age, v.illness, count(r.age)::float8 / c.n AS p, v.n::float8 / (SELECT count(*) FROM $relation) AS q
			FROM (SELECT age, count(*) AS n FROM $relation GROUP BY age) c
			CROSS JOIN (SELECT illness, count(*) AS n FROM $relation GROUP BY illness) v
			LEFT JOIN $relation r ON r.age = c.age AND r.illness = v.illness GROUP BY c.age, c.n, v.illness, v.n)
		$distance{$distance}});
}

sub check_closeness
{
	make_close();
	for my $distance (sort keys %distance)
	{
		my $name = "close_$distance";
		my $hierarchy = $distance eq 'hierarchical' ? q{, 'illness_levels'} : '';

		ask('owner', qq{
			CREATE TABLE ${name}_data AS TABLE close;
			SELECT anonopt.create_dataset('$name', '${name}_data', 0), anonopt.add_quasi_identifier('$name', 'age', 'age_levels'),
				anonopt.add_sensitive('$name', 'illness', '$distance'$hierarchy);
			SELECT anonopt.publish_table('$name', '$name', '{1}', k => 5, t => 0.3), anonopt.create_view('${name}_view', '$name', '{1}', k => 5, t => 0.3)});
		my $truth = measure_distance($name, $distance);
		cmp_ok($truth, '>', 0.05, "still: classes differ by the $distance distance");
		for my $release ($name, "${name}_view")
		{
			like(hear('owner', "SELECT promised_t, abs(t - $truth) < 1e-12, ok FROM anonopt.verify('$release')"), qr/^0\.3\|t\|t$/m,
				"verify measures t anew on $release");
		}
		like(hear('owner', "SELECT v.t - anonopt.t_closeness('$name', '{age}', 'illness', '$distance'$hierarchy) FROM anonopt.verify('$name') v"),
			qr/^0$/m, "and as t_closeness does: $distance");

		ask('owner', "UPDATE $name SET illness = 'gout' WHERE age = '[20, 30)'");
		cmp_ok(measure_distance($name, $distance), '>', 0.3, "still: t = 0.3 is broken by the $distance distance");
		is(ask('owner', "SELECT k >= promised_k, ok FROM anonopt.verify('$name')"), 't|f', "verify tells that t is broken: $distance");
		like(hear('owner', "SELECT t > 0.3 FROM anonopt.verify('$name')"), qr/^t$/m, "and by how much: $distance");
		like(ask('owner', "SELECT anonopt.report('$name')"), qr{the promise is kept(?:</?td[^>]*>|\s)*no\b}, "report does not vouch for it: $distance");
	}
	make_patients('distant');
	like(hear('owner', q{SELECT anonopt.publish_table('distant_release', 'distant', '{1}', k => 5);
			SELECT promised_t IS NULL, ok, pg_typeof(promised_t), pg_typeof(t), pg_typeof(others) FROM anonopt.verify('distant_release')}),
		qr/^t\|t\|double precision\|double precision\|jsonb$/m, 'a release without a promise of t is right without one');
	is( $node->safe_psql('clinic', q{SELECT proargnames FROM pg_proc WHERE oid = 'anonopt.verify'::regproc}),
		'{release,promised_k,k,promised_l,l,rows,ok,promised_t,t,others,filled_at,held_back,held_since,filled_by}', 'verify says so after what it always said');
}

# ------------------------------------------------------------- one content less another

# That one person can be told by what differs
my $of_one = qr/WARNING:[^\n]*(?:\n(?:DETAIL|HINT):[^\n]*)*\b1\b/;

# A person is older than 49 here only who is suppressed.
my %difference_of_one = (
	'one leaves and one comes in the same class' => q{DELETE FROM %1$s WHERE nr = 1; INSERT INTO %1$s VALUES (1001, 21, 'gout')},
	'a diagnosis is corrected' => q{UPDATE %1$s SET illness = 'gout' WHERE nr = 1},
	'one comes' => q{INSERT INTO %1$s VALUES (1001, 21, 'gout')},
	'one leaves' => q{DELETE FROM %1$s WHERE nr = 1},
	'one moves to another class' => q{UPDATE %1$s SET age = age + 10 WHERE nr = 1});

sub check_composition
{
	my $made = 0;

	for my $what (sort keys %difference_of_one)
	{
		for my $maker (qw(publish_table create_view))
		{
			my $name = 'composed' . ++$made;
			my $content = "SELECT age, illness, count(*) FROM ${name}_release GROUP BY 1, 2 ORDER BY 1, 2";

			make_patients($name);
			ask('owner', "SELECT anonopt.$maker('${name}_release', '$name', '{1}', k => 5)");
			my $before = ask('owner', $content);
			unlike(hear('owner', "SELECT anonopt.refresh_release('${name}_release')"), qr/WARNING|ERROR/, "still: no warning where nothing has changed: $maker");
			ask('owner', sprintf($difference_of_one{$what}, $name));
			like(hear('owner', "BEGIN; SELECT anonopt.refresh_release('${name}_release'); ROLLBACK"), $of_one, "$what, then a refresh: $maker");
			like(hear('owner', "BEGIN; SELECT anonopt.$maker('${name}_again', '$name', '{1}', k => 5); ROLLBACK"), $of_one,
				"$what, then another release of the same levels: $maker");
			like(hear('owner', "BEGIN; SELECT anonopt.drop_release('${name}_release'); SELECT anonopt.$maker('${name}_again', '$name', '{1}', k => 5); ROLLBACK"),
				$of_one, "$what after the release was dropped, then another: $maker");

			my $refused = hear('owner', "SET anonopt.composition = 'refuse'; SELECT anonopt.refresh_release('${name}_release')");
			like($refused, qr/ERROR:  (?:22023|55000):/, "$what: a refresh is refused where that is asked for: $maker");
			is(ask('owner', $content), $before, "the content of before stays: $maker, $what");
			like(hear('owner', "SET anonopt.composition = 'refuse'; SELECT anonopt.$maker('${name}_again', '$name', '{1}', k => 5)"),
				qr/ERROR:  (?:22023|55000):/, "so is another release: $maker, $what");
			is($node->safe_psql('clinic', "SELECT to_regclass('${name}_again'), (SELECT count(*) FROM anonopt.published WHERE name = 'public.${name}_again')"),
				'|0', "which leaves nothing behind: $maker, $what");
			like(hear('owner', "SET anonopt.composition = 'off'; SHOW anonopt.composition; SELECT anonopt.refresh_release('${name}_release')"),
				qr/\Aoff\n\s*\z/, "and silence where that is asked for: $maker, $what");
		}
	}

	# so many that nobody is told apart
	make_patients('grown');
	ask('owner', q{SELECT anonopt.publish_table('grown_release', 'grown', '{1}', k => 5);
		INSERT INTO grown SELECT 1000 + i, 20 + i % 20, v FROM generate_series(1, 20) i, unnest('{cold,flu,gout}'::text[]) v});
	unlike(hear('owner', q{SELECT anonopt.refresh_release('grown_release')}), qr/WARNING|ERROR/, 'still: no warning where ten of each kind have come');
	unlike(hear('owner', q{SET anonopt.composition = 'refuse'; SELECT anonopt.refresh_release('grown_release')}), qr/WARNING|ERROR/,
		'nor a refusal where nothing has changed since');

	# those who are starred are shown, too
	for my $maker (qw(publish_table create_view))
	{
		my $name = "starred_$maker";

		make_patients($name);
		ask('owner', qq{INSERT INTO $name SELECT 500 + i, 35 + i * 10, 'flu' FROM generate_series(1, 6) i;
			SELECT anonopt.$maker('${name}_release', '$name', '{1}', k => 5, suppressed => 'star')});
		is(ask('owner', "SELECT count(*) FROM ${name}_release WHERE anonopt_suppressed"), 6, "still: six are starred: $maker");
		ask('owner', "INSERT INTO $name VALUES (1001, 2, 'gout')");
		like(hear('owner', "SELECT anonopt.refresh_release('${name}_release')"), $of_one, "one newcomer who is starred: $maker");
		is(ask('owner', "SELECT count(*) FROM ${name}_release WHERE anonopt_suppressed"), 7, "still: seven are starred: $maker");
	}
}

# Releases of other data sets over the relation, and releases per record
sub check_composition_of_others
{
	make_patients('shared');
	ask('owner', q{
		SELECT anonopt.create_dataset('shared_too', 'shared', 0.2), anonopt.add_quasi_identifier('shared_too', 'age', 'age_levels'),
			anonopt.add_sensitive('shared_too', 'illness');
		SELECT anonopt.publish_table('shared_1', 'shared', '{1}', k => 5);
		INSERT INTO shared VALUES (1001, 21, 'gout')});
	like(hear('owner', q{SELECT anonopt.publish_table('shared_2', 'shared_too', '{1}', k => 5)}), $of_one,
		'two data sets over one relation, and one newcomer between');

	make_patients('recorded');
	ask('owner', q{SELECT anonopt.publish_records('recorded_1', 'recorded', 0, 'nr', k => 5)});
	unlike(hear('owner', q{SELECT anonopt.refresh_release('recorded_1')}), qr/WARNING|ERROR/, 'still: no warning where no record has changed');
	ask('owner', q{UPDATE recorded SET illness = 'gout' WHERE nr = 1});
	like(hear('owner', q{BEGIN; SELECT anonopt.refresh_release('recorded_1'); ROLLBACK}), $of_one, 'a corrected diagnosis in a release per record');
	like(hear('owner', q{SELECT anonopt.publish_records('recorded_2', 'recorded', 0, 'nr', k => 5)}), $of_one, 'and in another one');
}

# One leaves and one comes elsewhere, with one illness: nobody is told apart by totals.
my $one_for_another = q{DELETE FROM mixed WHERE nr = 1; INSERT INTO mixed VALUES (1000, 45, 'i0')};

# Releases that show a column in different ways: by nodes, cuts, records and recodings, and by other hierarchies.
my %shown_as = (
	'a node' => q{SELECT anonopt.publish_table('%s', 'mixed_1', '{1}', k => 5)},
	'a higher node' => q{SELECT anonopt.publish_table('%s', 'mixed_1', '{2}', k => 5)},
	'a copy of the hierarchy' => q{SELECT anonopt.publish_table('%s', 'mixed_2', '{1}', k => 5)},
	'finer labels of another hierarchy' => q{SELECT anonopt.publish_table('%s', 'mixed_3', '{1}', k => 5)},
	'a cut of another hierarchy' => q{SELECT anonopt.publish_table('%s', 'mixed_3', cuts => ARRAY[repeat('01', 49) || '0']::varbit[], k => 5)},
	'records' => q{SELECT anonopt.publish_records('%s', 'mixed_1', 0.3, 'nr', k => 5)},
	'a recoding' => q{SELECT anonopt.create_recoding('%1$s_classes', 'mixed_1', k => 12); SELECT anonopt.publish_table('%1$s', 'mixed_1', recoding => '%1$s_classes', k => 5)});

sub check_composition_of_forms
{
	ask('owner', q{
		CREATE TABLE mixed AS SELECT i AS nr, 20 + i % 40 AS age, 'i' || i / 40 % 3 AS illness FROM generate_series(0, 239) i;
		SELECT anonopt.create_interval_hierarchy('mixed_levels_1', 0, 99, '{10,20}'), anonopt.create_interval_hierarchy('mixed_levels_2', 0, 99, '{10,20}'),
			anonopt.create_interval_hierarchy('mixed_levels_3', 0, 99, '{5,10,50}');
		SELECT anonopt.create_dataset('mixed_' || i, 'mixed'), anonopt.add_quasi_identifier('mixed_' || i, 'age', ('mixed_levels_' || i)::regclass),
			anonopt.add_sensitive('mixed_' || i, 'illness') FROM generate_series(1, 3) i});
	for my $first (sort keys %shown_as)
	{
		for my $second (sort keys %shown_as)
		{
			my ($before, $after) = map { sprintf($shown_as{$_->[0]}, $_->[1]) } [ $first, 'mixed_before' ], [ $second, 'mixed_after' ];

			my ($changed, $still) = split /^still$/m,
			  hear('owner', "BEGIN; $before; SAVEPOINT s; $one_for_another; $after; ROLLBACK TO s;\n\\warn still\n$after; ROLLBACK");

			like($changed, $of_one, "one for another between $first and $second");
			unlike($still // 'by 1 person', qr/by 1 person/, "still: none between $first and $second") if $first ne $second;
		}
	}
	# the hierarchy of before has gone
	like(hear('owner', "BEGIN; SELECT anonopt.publish_table('mixed_before', 'mixed_1', '{1}', k => 5); SELECT anonopt.drop_dataset('mixed_1');
		DROP TABLE mixed_levels_1; $one_for_another; SELECT anonopt.publish_table('mixed_after', 'mixed_2', '{1}', k => 5); ROLLBACK"),
		qr/^mixed_after$/m, 'still: without the hierarchy of before, a release is made');
}

sub check_composition_setting
{
	like(hear('owner', q{SELECT anonopt.lattice_size('shared'); SHOW anonopt.composition}), qr/^warn$/m,
		'a difference of one is warned of unless told');
	like(hear('owner', q{SELECT anonopt.lattice_size('shared'); SET anonopt.composition = 'maybe'}),
		qr/ERROR:  22023: .*anonopt\.composition.*\n.*HINT:.*off.*warn|ERROR:  22023: .*anonopt\.composition.*\n.*HINT:.*warn.*off/s,
		'other words are refused, and the right ones named');
}

# ---------------------------------------------------------------------------- live views

sub check_live_order
{
	ask('owner', q{
		CREATE TABLE lively AS SELECT i AS nr, 20 + i % 20 AS age FROM generate_series(1, 200) i;
		SELECT anonopt.create_dataset('lively', 'lively'), anonopt.add_quasi_identifier('lively', 'age', 'age_levels'), anonopt.set_insensitive('lively', 'nr');
		SELECT anonopt.create_view('lively_rows', 'lively', '{1}', k => 5, columns => '{nr}', materialized => false)});
	my ($first, $second) = map { ask('owner', 'SELECT age, nr FROM lively_rows') } 1, 2;
	my @labels = map { /^(.*)\|/ } split /\n/, $first;

	is(scalar @labels, 200, 'still: a live view shows everybody');
	is_deeply(\@labels, [ sort @labels ], 'a live view shows rows by their labels');
	isnt($first, $second, 'and in another order each time');
	# a reader decides what random() gives next
	($first, $second) = map { ask('owner', 'SELECT NULL FROM setseed(0.5); SELECT age, nr FROM lively_rows') } 1, 2;
	isnt($first, $second, 'also after setseed');
	for my $label ('[20, 30)', '[30, 40)')
	{
		my @nrs = map { /^\Q$label\E\|(\d+)/ } split /\n/, $first;
		isnt("@nrs", join(' ', sort { $a <=> $b } @nrs), "not in the source's order within $label");
	}
}

# -------------------------------------------------------------------------------- memory

sub check_memory
{
SKIP:
	{
		skip 'no /proc/self/status tells what memory a process has used', 3 unless -r '/proc/self/status' && slurp_file('/proc/self/status') =~ /VmHWM/;

		# 32 MB to read and count by, as much again for the sort and for the figures that are kept, and what a process takes beside;
		# a view is filled by a statement of its own, which takes work_mem several times
		my $allowed = 124 * 1024;
		$node->safe_psql('clinic', q{CREATE FUNCTION peak() RETURNS int LANGUAGE sql SECURITY DEFINER AS
			$$ SELECT substring(pg_read_file('/proc/self/status') FROM 'VmHWM:\s+(\d+)')::int $$});
		# long labels, which the reading holds once and a content once a class
		ask('owner', q{
			CREATE TABLE many_levels AS SELECT format('%s, one of fifty places with a long name, by the river', i) AS value, '*' AS anything FROM generate_series(0, 49) i;
			ALTER TABLE many_levels ADD PRIMARY KEY (value);
			CREATE TABLE many AS SELECT a.value AS a, b.value AS b, c.value AS c, i % 2 AS illness
			FROM generate_series(0, 199999) i
			JOIN many_levels a ON split_part(a.value, ',', 1)::int = i % 50
			JOIN many_levels b ON split_part(b.value, ',', 1)::int = i / 50 % 50
			JOIN many_levels c ON split_part(c.value, ',', 1)::int = i / 2500 % 40;
			SELECT anonopt.create_dataset('many', 'many', 0), anonopt.add_quasi_identifier('many', 'a', 'many_levels'),
				anonopt.add_quasi_identifier('many', 'b', 'many_levels'), anonopt.add_quasi_identifier('many', 'c', 'many_levels'),
				anonopt.add_sensitive('many', 'illness')});
		for my $call (q{publish_table('many_rows', 'many', '{0,0,0}', k => 2)}, q{refresh_release('many_rows')},
			q{create_view('many_seen', 'many', '{0,0,0}', k => 2)})
		{
			my $answer = hear('owner', "SET anonopt.memory = '32MB'; SET maintenance_work_mem = '32MB'; SELECT peak(); SELECT anonopt.$call; SELECT peak()");
			my ($before, $after) = $answer =~ /\A(\d+)\n(?:many\w+)?\n(\d+)\n\s*\z/;
			cmp_ok(defined $after ? $after - $before : 'inf', '<=', $call =~ /view/ ? $allowed + 16 * 1024 : $allowed, "100,000 classes keep to the memory allowed: $call")
			  or diag($answer);
		}
	}
}

# ----------------------------------------------------------- what values look like inside

# A value's neighbours decide whether it is compressed, so compression must not
# reveal them.
sub check_stored_form
{
	ask('owner', q{
		CREATE TABLE wide (nr int, age int, note text, hidden bytea);
		ALTER TABLE wide ALTER hidden SET STORAGE MAIN;
		INSERT INTO wide SELECT i, 20 + i % 20, repeat('x', 1200),
			CASE WHEN i % 2 = 0 THEN (SELECT string_agg(sha256(convert_to(i || '.' || j, 'UTF8')), '') FROM generate_series(1, 40) j) ELSE '' END
		FROM generate_series(1, 40) i;
		ALTER TABLE wide ALTER note SET STORAGE EXTERNAL;
		INSERT INTO wide SELECT 40 + i, 20 + i % 20, repeat('y', 5000), '' FROM generate_series(1, 20) i;
		ALTER TABLE wide ALTER note SET STORAGE EXTENDED;
		INSERT INTO wide SELECT 60 + i, 20 + i % 20, repeat('y', 5000), '' FROM generate_series(1, 20) i});
	is(ask('owner', q{SELECT left(note, 1), count(DISTINCT pg_column_size(note)) > 1 FROM wide GROUP BY 1 ORDER BY 1}), "x|t\ny|t",
		'still: equal values are stored in several forms in the source');
	ask('owner', q{
		SELECT anonopt.create_dataset('wide', 'wide'), anonopt.add_quasi_identifier('wide', 'age', 'age_levels'), anonopt.add_sensitive('wide', 'note')});
	for my $call (q{publish_table('wide_%s', 'wide', '{1}', k => 5)}, q{create_view('wide_%s', 'wide', '{1}', k => 5)},
		q{create_view('wide_%s', 'wide', '{1}', k => 5, materialized => false)}, q{publish_records('wide_%s', 'wide', 0, 'nr', k => 5)})
	{
		our $number++;
		my $sql = sprintf $call, $number;

		ask('owner', "SELECT anonopt.$sql");
		is( ask('owner', "SELECT left(note, 1), count(*), count(DISTINCT pg_column_size(note)), count(DISTINCT coalesce(pg_column_compression(note), 'none'))
				FROM wide_$number GROUP BY 1 ORDER BY 1"),
			"x|40|1|1\ny|40|1|1", "nobody sees how the source stores a value: $sql");
	}
	# the form does not make equal values different either
	ask('owner', q{SELECT anonopt.create_dataset('wide_shown', 'wide'), anonopt.add_quasi_identifier('wide_shown', 'age', 'age_levels')});
	like(hear('owner', q{SELECT anonopt.publish_table('wide_shown', 'wide_shown', '{1}', k => 30, columns => '{note}')}), qr/^wide_shown$/m,
		'still: values that are stored in several forms are one value');
}

# Values that are equal and look different single people out where they are shown, and are no
# diversity where they must not be learned.
sub check_equal_values
{
	my %kind = (
		'numbers of several scales' => [ 'numeric', q{('1.' || repeat('0', 1 + i % 20))::numeric}, '1.00', '1.0' ],
		'a negative zero' => [ 'float8', q{CASE WHEN i IN (20, 50) THEN '-0' ELSE '0' END::float8}, '0', '-0' ],
		'spellings that collate as equal' => [ 'text COLLATE any_case', q{CASE WHEN i IN (20, 50) THEN 'FLU' ELSE 'flu' END}, 'flu', 'FLU' ]);
	my $has_icu = $node->safe_psql('clinic', q{SELECT count(*) > 0 FROM pg_collation WHERE collprovider = 'i'}) eq 't';
	my $made = 0;

	ask('owner', q{CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)}) if $has_icu;
	for my $what (sort keys %kind)
	{
	SKIP:
		{
			my ($type, $value, $common, $odd) = @{ $kind{$what} };
			skip "no collation of ICU: $what", 6 if $type =~ /any_case/ && !$has_icu;

			my $name = 'equal' . ++$made;
			ask('owner', qq{
				CREATE TABLE $name (nr int, age int, shown $type);
				INSERT INTO $name SELECT i, 20 + i % 20, $value FROM generate_series(1, 80) i;
				SELECT anonopt.create_dataset('$name', '$name'), anonopt.add_quasi_identifier('$name', 'age', 'age_levels')});
			is(ask('owner', "SELECT count(DISTINCT shown) FROM $name"), 1, "still: all are equal: $what");
			for my $call ("publish_table('${name}_table', '$name', '{1}', k => 5, columns => '{shown}')",
				"create_view('${name}_view', '$name', '{1}', k => 5, columns => '{shown}')", "publish_records('${name}_records', '$name', 0, 'nr', k => 5, columns => '{shown}')")
			{
				like(hear('owner', "SELECT anonopt.$call"), qr/ERROR:  22023: column "shown" would single people out/,
					"columns are shown by their bytes, $what: $call");
			}
			ask('owner', qq{
				SELECT anonopt.create_dataset('${name}_l', '$name'), anonopt.add_quasi_identifier('${name}_l', 'age', 'age_levels'),
					anonopt.add_sensitive('${name}_l', 'shown')});
			# texts are told apart by their bytes, whatever their collation
			my $values = $type =~ /any_case/ ? 2 : 1;
			like(hear('owner', "SELECT anonopt.publish_table('${name}_diverse', '${name}_l', '{1}', k => 5, l => 2)"),
				$values > 1 ? qr/^${name}_diverse$/m : qr/ERROR:  22023/, "a promise of l = 2 by $values values, $what");
			ask('owner', qq{
				UPDATE $name SET shown = '$common';
				SELECT anonopt.publish_table('${name}_l', '${name}_l', '{1}', k => 5);
				UPDATE ${name}_l SET shown = '$odd' WHERE ctid IN (SELECT min(ctid) FROM ${name}_l GROUP BY age)});
			is(ask('owner', "SELECT l FROM anonopt.verify('${name}_l')"), $values, "verify counts the same values: $what");
		}
	}
SKIP:
	{
		skip 'no collation of ICU', 2 unless $has_icu;
		ask('owner', q{
			CREATE TABLE cased AS SELECT i AS nr, (ARRAY['north', 'south'])[1 + i % 2] AS region FROM generate_series(1, 40) i;
			CREATE TABLE cased_levels (value text PRIMARY KEY, anything text); INSERT INTO cased_levels VALUES ('north', '*'), ('south', '*');
			SELECT anonopt.create_dataset('cased', 'cased'), anonopt.add_quasi_identifier('cased', 'region', 'cased_levels');
			SELECT anonopt.publish_table('cased_shown', 'cased', '{0}', k => 5);
			ALTER TABLE cased_shown ALTER region TYPE text COLLATE any_case;
			UPDATE cased_shown SET region = 'NORTH' WHERE ctid = (SELECT min(ctid) FROM cased_shown WHERE region = 'north')});
		is(ask('owner', q{SELECT k, ok FROM anonopt.verify('cased_shown')}), '1|f', 'verify tells labels apart by their bytes');
		is(ask('owner', q{SELECT min(n) FROM (SELECT count(*) AS n FROM cased_shown GROUP BY region) c}), 20, 'still: which collate as equal');
	}
}

# ------------------------------------------------------------------------------- unique columns

# A unique index whose equality is finer than the column's does not prove that
# the column's values are unique.
sub check_unique_columns
{
	my $has_icu = $node->safe_psql('clinic', q{SELECT count(*) > 0 FROM pg_collation WHERE collprovider = 'i'}) eq 't';
	my %kind = (
		'numbers of several scales in a row type' => [ 'one_number', q{ROW(CASE WHEN i = 2 THEN '1.0' ELSE i::text END::numeric)::one_number}, 'record_image_ops', 'record_ops' ],
		'NULLs' => [ 'int', 'CASE WHEN i > 2 THEN i END', 'int4_ops', undef ],
		$has_icu ? ('spellings that collate as equal' => [ 'text COLLATE any_case', q{CASE i WHEN 2 THEN 'V1' ELSE 'v' || i END}, 'COLLATE "C"', 'COLLATE any_case' ]) : ());

	ask('owner', 'CREATE TYPE one_number AS (n numeric)');
	for my $what (sort keys %kind)
	{
		my ($type, $value, $finer, $same) = @{ $kind{$what} };
		my $not_null = $what eq 'NULLs' ? '' : 'NOT NULL';
		my $call = q{SELECT count(*) FROM anonopt.property_vector('keys', '{0}', 'class_size', 'nr')};

		ask('owner', qq{
			CREATE TABLE keys (nr $type $not_null, age int); INSERT INTO keys SELECT $value, 20 + i % 20 FROM generate_series(1, 40) i; CREATE UNIQUE INDEX keys_nr ON keys (nr $finer);
			SELECT anonopt.create_dataset('keys', 'keys'), anonopt.add_quasi_identifier('keys', 'age', 'age_levels')});
		is(ask('owner', 'SELECT count(*) FROM (SELECT nr FROM keys GROUP BY nr) x'), 39, "still: a value twice in spite of a unique index: $what");
		like(hear('owner', $call), qr/ERROR:  22023: column "nr" does not identify (rows|every row) of public\.keys/, "an index does not prove that a key is unique: $what");
		if (defined $same)
		{
			ask('owner', "DROP INDEX keys_nr; DELETE FROM keys WHERE ctid = (SELECT max(ctid) FROM keys k WHERE (SELECT count(*) FROM keys o WHERE o.nr = k.nr) > 1); CREATE UNIQUE INDEX keys_nr ON keys (nr $same)");
			is(ask('owner', $call), 39, "unless it takes the same for equal: $what");
		}
		ask('owner', q{SELECT anonopt.drop_dataset('keys'); DROP TABLE keys});
	}
}

# ------------------------------------------------------------------------------- refreshes

# A transaction that began before the refresh never finds a release empty.
sub check_swap
{
	my $kept = q{SELECT oid, relacl, obj_description(oid) FROM pg_class WHERE relname = '%1$s';
		SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = '%1$s'::regclass};

	for my $maker (qw(publish_table create_view))
	{
		my $name = "swapped_$maker";

		make_patients("${name}_data");
		ask('owner', qq{
			SELECT anonopt.$maker('$name', '${name}_data', '{1}', k => 5);
			GRANT SELECT ON $name TO reader; CREATE INDEX ON $name (age);
			CREATE VIEW ${name}_counted AS SELECT count(*) FROM $name; GRANT SELECT ON ${name}_counted TO reader});
		my $before = ask('owner', sprintf $kept, $name);
		my @sessions = map { $node->background_psql('clinic', extra_params => [ '-U', 'reader' ]) } 0, 1;
		$_->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class') for @sessions;
		ask('owner', "INSERT INTO ${name}_data SELECT 1000 + i, 20 + i % 20, v FROM generate_series(1, 20) i, unnest('{cold,flu,gout}'::text[]) v");
		ask('owner', "SELECT anonopt.refresh_release('$name')");
		my ($found) = map { $sessions[0]->query_safe("SELECT count(*) FROM $name") } 1;
		# rows that are swapped in are frozen, as PostgreSQL does with those of a materialized view
		like($found, qr/^(?:80|140)$/, "a transaction that began before the refresh sees no empty release: $maker");
		like($sessions[1]->query_safe("SELECT * FROM ${name}_counted"), qr/^(?:80|140)$/, "through a view, too: $maker");
		$_->query_safe('COMMIT') for @sessions;
		is($sessions[0]->query_safe("SELECT count(*) FROM $name"), 140, "still: afterwards it sees the new ones: $maker");
		is($sessions[1]->query_safe("SELECT * FROM ${name}_counted"), 140, "still: and what depends on the release remains: $maker");
		$_->quit for @sessions;
		is(ask('owner', sprintf $kept, $name), $before, "still: number, grants, comment and indexes of the release are as before: $maker");

		# one that fails late, and one that is rolled back
		ask('owner', "BEGIN; DELETE FROM ${name}_data WHERE nr > 40; SET client_min_messages = error; SELECT anonopt.refresh_release('$name'); ROLLBACK");
		is(ask('reader', "SELECT count(*) FROM $name"), 140, "still: a refresh that is rolled back changes nothing: $maker");
	}
}

# --------------------------------------------------------------------------------- failures

# DDL commands are counted in a sequence, which survives a rollback.
sub check_nothing_before_checks
{
	$node->safe_psql('clinic', q{
		CREATE SEQUENCE made; GRANT ALL ON SEQUENCE made TO PUBLIC;
		CREATE FUNCTION count_made() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM nextval('public.made'); END $$});
	make_patients('checked');
	ask('owner', q{
		SELECT anonopt.publish_table('checked_release', 'checked', '{1}', k => 5);
		CREATE VIEW checked_view AS TABLE checked_release;
		SELECT anonopt.create_dataset('checked_twice', 'checked_view'), anonopt.add_quasi_identifier('checked_twice', 'illness', 'illness_levels');
		CREATE TABLE bare_levels AS TABLE age_levels;
		SELECT anonopt.create_dataset('checked_bare', 'checked'), anonopt.add_quasi_identifier('checked_bare', 'age', 'bare_levels'),
			anonopt.add_sensitive('checked_bare', 'illness');
		SELECT anonopt.create_dataset('checked_twofold', 'checked', 0.2), anonopt.add_quasi_identifier('checked_twofold', 'age', 'age_levels'),
			anonopt.add_sensitive('checked_twofold', 'illness'), anonopt.set_identifier('checked_twofold', 'illness');
		UPDATE checked SET illness = 'gout' WHERE nr = 1});
	my $state = q{SELECT (SELECT count(*) FROM pg_class), (SELECT count(*) FROM pg_proc), (SELECT count(*) FROM anonopt.published),
		(SELECT count(*) FROM anonopt.published_content)};
	my $before = $node->safe_psql('clinic', $state);
	my %reason = (
		'a hierarchy that could hold a leaf twice' => [ 'checked_bare', '{1}', 'k => 5', qr/could hold a leaf twice/ ],
		'the same, and cuts' => [ 'checked_bare', undef, q{cuts => ARRAY[repeat('0', 99)::varbit], k => 5}, qr/could hold a leaf twice/ ],
		'a source that is a release' => [ 'checked_twice', '{1}', 'k => 1', qr/is a release or reads one/ ],
		'a column that singles people out' => [ 'checked', '{1}', q{k => 5, columns => '{nr}'}, qr/would single people out/ ],
		'an identifier' => [ 'checked_twofold', '{1}', 'k => 5', qr/is an identifier/ ],
		'too many people suppressed' => [ 'checked', '{0}', 'k => 30', qr/too many people|no class keeps the promise/ ],
		'a difference of one' => [ 'checked', '{1}', 'k => 5', qr/ERROR:  (?:22023|55000)/, q{SET anonopt.composition = 'refuse'} ]);

	$node->safe_psql('clinic', 'CREATE EVENT TRIGGER count_made ON ddl_command_end EXECUTE FUNCTION count_made()');
	for my $reason (sort keys %reason)
	{
		my ($set, $levels, $arguments, $error, $setting) = @{ $reason{$reason} };
		my $node_or_cuts = defined $levels ? "'$levels', $arguments" : $arguments;

		for my $call ("publish_table('refused', '$set', $node_or_cuts)", "create_view('refused', '$set', $node_or_cuts)",
			"create_view('refused', '$set', $node_or_cuts, materialized => false)")
		{
			# the rows of a live view are those of the moment of reading
			next if $setting && $call =~ /materialized => false/;
			my $made = $node->safe_psql('clinic', 'SELECT last_value, is_called FROM made');
			my $answer = hear('owner', $setting ? "$setting; BEGIN; SELECT anonopt.$call; ROLLBACK" : "SELECT anonopt.$call");
			like($answer, $error, ($setting ? '' : 'still: ') . "refused for $reason: $call");
			is($node->safe_psql('clinic', 'SELECT last_value, is_called FROM made'), $made, "and nothing was made before: $reason, $call");
		}
	}
	$node->safe_psql('clinic', 'DROP EVENT TRIGGER count_made');
	is($node->safe_psql('clinic', $state), $before, 'what was refused left no relation, function or record');
}

# --------------------------------------------------------------------- the run

make_levels();

check_superusers();
check_superusers_as_publishers();
check_changed_hierarchies();
check_forgery();
check_closeness();
check_composition();
check_composition_of_others();
check_composition_of_forms();
check_composition_setting();
check_live_order();
check_memory();
check_stored_form();
check_equal_values();
check_unique_columns();
check_swap();
check_nothing_before_checks();
unlike(slurp_file($node->logfile), qr/was terminated by signal/, 'no backend has crashed');
$node->stop;
done_testing();
