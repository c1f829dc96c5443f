#!/usr/bin/env perl
#
# Rows of the extension's catalogs are input: the owner of a database writes
# them, to restore a dump, and a hierarchy's own code may change them while
# they are used. Neither can end a session, lock other roles' objects, or
# exceed a limit. Also labels that look alike, default privileges on a new
# hierarchy, counts that are not whole numbers, and the state after an error.

use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Server;
use Sessions;
use Test::More;

my $node = Server->new('input');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nmax_parallel_workers_per_gather = 0\nstatement_timeout = '3min'\nrestart_after_crash = on\n");
$node->start;
my $super = 'postgres';
$node->safe_psql('postgres', "CREATE ROLE boss LOGIN; CREATE ROLE alice LOGIN; CREATE ROLE blind LOGIN; CREATE DATABASE clinic OWNER boss");

# What a role gets as an answer, and what it is told beside; it never waits long
sub hear
{
	my ($role, $sql) = @_;

	$node->psql('clinic', $sql, stdout => \my $answer, stderr => \my $told, on_error_stop => 0, timeout => 240,
		timed_out => \my $late, extra_params => [ '-U', $role, '-v', 'VERBOSITY=verbose' ]);
	return ($late ? "LATE\n" : '') . ($answer // '') . "\n" . ($told // '');
}

# The answer alone, for what must succeed
sub ask
{
	my ($role, $sql) = @_;
	my $status = $node->psql('clinic', $sql, stdout => \my $answer, stderr => \my $told, extra_params => [ '-U', $role ]);

	if ($status != 0)
	{
		fail("$role is not refused");
		diag("$sql\n$told");
	}
	return $answer;
}

# A role is refused with a certain error, and its session continues.
sub refused
{
	my ($role, $sql, $state, $what) = @_;
	my $answer = hear($role, "$sql; ROLLBACK; SELECT 'alive'");

	like($answer, qr/ERROR:  $state/, $what);
	like($answer, qr/^alive$/m, 'and the session goes on');
	return $answer;
}

# ------------------------------------------------------- more than may be declared

# A hierarchy declares another column while it is read; the owner writes as many rows as they like.
sub check_many
{
	ask('boss', q{
		SELECT format('CREATE TABLE wide AS SELECT %s FROM generate_series(1, 20) i', string_agg(format('i %% 10 AS c%s', c), ', ' ORDER BY c))
		FROM generate_series(1, 80) c \gexec
		SELECT anonopt.create_dataset('wide', 'wide');
		SELECT count(anonopt.add_quasi_identifier('wide', 'c' || c, 'tens', max_level => 0)) FROM generate_series(1, 63) c;
		CREATE FUNCTION declare_more() RETURNS boolean LANGUAGE plpgsql AS $$
		BEGIN
			IF (SELECT count(*) FROM anonopt.attribute WHERE dataset = 'wide') = 63 THEN
				PERFORM anonopt.add_quasi_identifier('wide', 'c64', 'tens', max_level => 0);
			END IF;
			RETURN true;
		END $$;
		CREATE VIEW greedy AS SELECT * FROM tens WHERE declare_more()});
	refused('boss', q{SELECT anonopt.add_quasi_identifier('wide', 'c65', 'greedy')}, '22023', 'a hierarchy that declares the last column that may be');
	is(ask('boss', q{SELECT count(*) FROM anonopt.attribute WHERE dataset = 'wide'}), '63', 'nothing was declared');
	ask('boss', q{DELETE FROM anonopt.attribute WHERE dataset = 'wide' AND ordinal > 63});

	ask('boss', q{INSERT INTO anonopt.attribute (dataset, ordinal, column_name, role, hierarchy, hierarchy_type, max_level)
		SELECT 'wide', c, 'c' || c, 'quasi_identifier', 'tens', 'tens', 0 FROM generate_series(64, 80) c});
	for my $call (q{lattice('wide')}, q{optimize('wide', k => 2)}, q{poka('wide')}, q{pbg_ea('wide', iterations => 1)},
		q{evaluate('wide', array_fill(0, '{80}'))}, q{node_detail('wide', array_fill(0, '{80}'))}, q{lattice_size('wide')},
		q{suppressed_classes('wide', array_fill(0, '{80}'), k => 3)}, q{evaluate_cuts('wide', array_fill(B'111111111', '{80}'))},
		q{nsga2('wide', 2, 0.1, 0.1, 10, 20)}, q{aruba('wide', 0)}, q{btda('wide', 0)}, q{record_walk('wide', 0, 'btda')},
		q{compare('wide', array_fill(0, '{80}'), array_fill(0, '{80}'))}, q{property_vector('wide', array_fill(0, '{80}'), 'loss')},
		q{release_risk('wide')}, q{read_sql('wide')}, q{describe('wide')}, q{report('wide')},
		q{publish_table('wide_1', 'wide', array_fill(0, '{80}'), k => 2)}, q{create_tuple_store('wide')}, q{refresh_tuple_store('wide')},
		q{add_sensitive('wide', 'c1')})
	{
		my $answer = hear('boss', "SELECT count(*) FROM anonopt.$call; SELECT 'alive'");
		like($answer, qr/ERROR:  (?:23514|42883|42704)/, "80 quasi-identifiers: $call") or diag($answer);
		like($answer, qr/^alive$/m, 'and the session goes on');
	}
	ask('boss', q{SELECT count(anonopt.drop_attribute('wide', 'c' || c)) FROM generate_series(65, 80) c});
	is(ask('boss', q{SELECT count(*) FROM anonopt.lattice('wide')}), '1', 'what is too much can be dropped');
	ask('boss', q{INSERT INTO anonopt.attribute (dataset, ordinal, column_name, role)
		SELECT 'wide', c, 'x' || c, 'insensitive' FROM generate_series(100, 20100) c});
	refused('boss', q{SELECT count(*) FROM anonopt.lattice('wide')}, '23514', 'more columns than a relation can have');
	ask('boss', q{SELECT anonopt.drop_dataset('wide')});
	is(ask('boss', q{SELECT count(*) FROM anonopt.attribute}), '0', 'a data set with too many columns can be dropped');
}

# --------------------------------------------------------------------- false rows

# Rows that a stranger could have typed
sub check_relations
{
	ask('boss', q{
		CREATE TABLE numbers AS SELECT i % 10 AS a, i % 7 AS b, 'x' || i % 3 AS s FROM generate_series(1, 100) i;
		CREATE SEQUENCE numbered;
		CREATE TYPE pair AS (value int, label text);
		CREATE TABLE factors AS SELECT 1 AS value, 2.0 AS weight;
		SELECT anonopt.create_dataset('numbers', 'numbers'), anonopt.add_quasi_identifier('numbers', 'a', 'tens'),
			anonopt.add_quasi_identifier('numbers', 'b', 'tens'), anonopt.add_sensitive('numbers', 's'),
			anonopt.set_sensitivity('numbers', 'a', 'factors')});
	for my $kind (qw(tens_pkey numbered pair pg_catalog.pg_authid pg_catalog.pg_class pg_catalog.pg_roles pg_toast.pg_toast_1255 pg_toast.pg_toast_1255_index
		information_schema.tables))
	{
		for my $false ("dataset SET relation = '$kind', row_type = (SELECT reltype FROM pg_class WHERE oid = '$kind'::regclass)",
			"attribute SET hierarchy = '$kind', hierarchy_type = (SELECT reltype FROM pg_class WHERE oid = '$kind'::regclass) WHERE ordinal = 1",
			"attribute SET hierarchy = '$kind', hierarchy_type = NULL WHERE ordinal = 1",
			"attribute SET sensitivity = '$kind', sensitivity_type = (SELECT reltype FROM pg_class WHERE oid = '$kind'::regclass) WHERE ordinal = 1")
		{
			my $answer = hear($super, "BEGIN; UPDATE anonopt.$false; SELECT count(*) FROM anonopt.aruba('numbers', 0); ROLLBACK; SELECT 'alive'");
			like($answer, qr/ERROR:  23514/, "found: $false") or diag($answer);
			like($answer, qr/^alive$/m, 'and the session goes on');
		}
	}
	refused('boss', "BEGIN; UPDATE anonopt.dataset SET count_column = 's'; SELECT count(*) FROM anonopt.lattice('numbers')", '23514', 'a count column of texts');
	refused('boss', "BEGIN; UPDATE anonopt.dataset SET $_ = 'ctid'; SELECT count(*) FROM anonopt.lattice('numbers')", '23514', "a system column: $_")
	  for qw(person count_column);
	refused('boss', "BEGIN; UPDATE anonopt.attribute SET owner_sensitivity = '$_' WHERE ordinal = 1; SELECT count(*) FROM anonopt.aruba('numbers', 0)", '23514', "owners' weights in a column $_")
	  for qw(s ctid nowhere);
	refused($super, "SELECT anonopt.add_quasi_identifier('numbers', 's', 'pg_catalog.pg_authid')", '42809', 'a catalog is no hierarchy');
	ask('boss', q{SELECT anonopt.drop_dataset('numbers')});
}

# A promise that nobody declared
sub check_promises
{
	ask('boss', q{
		CREATE TABLE IF NOT EXISTS numbers AS SELECT i % 10 AS a, i % 7 AS b, 'x' || i % 3 AS s FROM generate_series(1, 100) i;
		CREATE TABLE everybody AS SELECT a, b FROM numbers, generate_series(1, 3);
		CREATE TABLE texts AS SELECT a::text AS a FROM everybody;
		CREATE SEQUENCE promised;
		CREATE TYPE couple AS (a int, b text);
		SELECT anonopt.create_dataset('numbers', 'numbers', 1), anonopt.add_quasi_identifier('numbers', 'a', 'tens'),
			anonopt.add_sensitive('numbers', 's')});
	my $insert = q{INSERT INTO anonopt.promise (dataset, model, column_name, threshold, c, population, population_type) VALUES ('numbers', %s)};
	my $type_of = q{(SELECT reltype FROM pg_class WHERE oid = '%s'::regclass)};
	my @false = (
		q{'K', NULL, 2, NULL, NULL, NULL}, q{'', NULL, 2, NULL, NULL, NULL}, q{'k', NULL, 0, NULL, NULL, NULL}, q{'k', NULL, 'NaN', NULL, NULL, NULL},
		q{'k', NULL, 2.5, NULL, NULL, NULL}, q{'k', NULL, 1e300, NULL, NULL, NULL}, q{'k', 's', 2, NULL, NULL, NULL}, q{'k', NULL, 2, 1, NULL, NULL},
		q{'l', NULL, 2, NULL, NULL, NULL}, q{'l', 'a', 2, NULL, NULL, NULL}, q{'l', 'gone', 2, NULL, NULL, NULL}, q{'l', 'ctid', 2, NULL, NULL, NULL},
		q{'l', 's', 'Infinity', NULL, NULL, NULL}, q{'l', 's', -1, NULL, NULL, NULL}, q{'entropy_l', 's', 0.5, NULL, NULL, NULL}, q{'entropy_l', 's', 'Infinity', NULL, NULL, NULL},
		q{'recursive_l', 's', 2, NULL, NULL, NULL}, q{'recursive_l', 's', 2, 0, NULL, NULL}, q{'recursive_l', 's', 2, 'NaN', NULL, NULL}, q{'recursive_l', 's', 3e9, 2, NULL, NULL},
		q{'t', 's', 1.5, NULL, NULL, NULL}, q{'alpha', 's', 0, NULL, NULL, NULL}, q{'beta', 's', 'Infinity', NULL, NULL, NULL}, q{'disclosure', 's', 1, 0.5, NULL, NULL},
		q{'average_risk', NULL, 0, NULL, NULL, NULL}, q{'share_above', NULL, 0.5, NULL, NULL, NULL}, q{'share_above', NULL, 0.5, 'NaN', NULL, NULL},
		q{'k_map', NULL, 2, NULL, NULL, NULL}, q{'k', NULL, 2, NULL, 'everybody', } . sprintf($type_of, 'everybody'),
		q{'presence', NULL, 0.5, 0.6, 'everybody', } . sprintf($type_of, 'everybody'), q{'presence', NULL, 'NaN', 0, 'everybody', } . sprintf($type_of, 'everybody'),
		q{'k_map', NULL, 2, NULL, 'everybody', NULL}, q{'k_map', NULL, 2, NULL, 'everybody', } . sprintf($type_of, 'numbers'),
		q{'k_map', NULL, 2, NULL, 4294967295, 4294967295},
		(map { sprintf(q{%s, NULL, NULL, NULL); UPDATE anonopt.promise SET (columns_known, rows_known) = (%s}, @$_) }
			[ q{'k', NULL, 2}, '0, NULL' ], [ q{'k', NULL, 2}, 'NULL, -2147483648' ], [ q{'k', NULL, 2}, '2, 2' ], [ q{'k', NULL, 2}, 'NULL, 2' ],
			[ q{'k', NULL, 1}, '2, NULL' ], [ q{'l', 's', 2}, 'NULL, 2' ], [ q{'l', NULL, 2}, '2, NULL' ], [ q{'alpha', 's', 1}, '2, NULL' ], [ q{'average_risk', NULL, 1}, '2, NULL' ]),
		(map { "'k_map', NULL, 2, NULL, '$_', " . sprintf($type_of, $_) } qw(tens_pkey promised couple pg_catalog.pg_authid pg_catalog.pg_class pg_toast.pg_toast_1255)));
	for my $false (@false)
	{
		for my $call (q{lattice('numbers')}, q{publish_table('numbers_1', 'numbers', '{1}', k => 2)}, q{describe('numbers')}, q{policy_check('numbers')})
		{
			my $answer = hear($super, 'BEGIN; ' . sprintf($insert, $false) . "; SELECT count(*) FROM anonopt.$call; ROLLBACK; SELECT 'alive'");
			# whoever describes a data set must see what is wrong with it
			like($answer, $call =~ /describe/ ? qr/ERROR:  23514|^\d+$/m : qr/ERROR:  23514/, "$call finds $false") or diag($answer);
			like($answer, qr/^alive$/m, 'and the session goes on');
		}
	}
	# columns that a population lacks, or has of another type, are found by whoever reads it
	for my $case ([ 'texts', '23514|42804|22023' ], [ 'tens', '42703|23514|22023' ])
	{
		my ($population, $states) = @$case;
		my $answer = hear('boss', 'BEGIN; ' . sprintf($insert, "'k_map', NULL, 2, NULL, '$population', " . sprintf($type_of, $population))
			. "; SELECT count(*) FROM anonopt.lattice('numbers'); ROLLBACK; SELECT 'alive'");
		like($answer, qr/ERROR:  (?:$states)|^\d+$/m, "a population $population") or diag($answer);
		unlike($answer, qr/XX000|server closed/, 'no fault of ours') or diag($answer);
		like($answer, qr/^alive$/m, 'and the session goes on');
	}
	# more than anybody declares, and one of a data set that is not there
	refused('boss', q{BEGIN; INSERT INTO anonopt.promise (dataset, model, column_name, threshold) SELECT 'numbers', 'l', 's' || i, 2 FROM generate_series(1, 300) i;
		SELECT count(*) FROM anonopt.lattice('numbers')}, '23514', '300 promises');
	is(ask('boss', sprintf($insert, q{'k', NULL, 2, NULL, NULL, NULL}) =~ s/'numbers'/'nobody'/r . q{; SELECT k FROM anonopt.evaluate('numbers', '{1}');
		DELETE FROM anonopt.promise WHERE dataset = 'nobody'}), '50', 'a promise of no data set is nobody\'s');
	# a person who may not read the population learns nothing of it
	ask('boss', sprintf($insert, q{'k_map', NULL, 2, NULL, 'everybody', } . sprintf($type_of, 'everybody')) . '; GRANT SELECT ON numbers, tens TO blind');
	refused('blind', q{SELECT count(*) FROM anonopt.lattice('numbers')}, '42501', 'a population that the caller may not read');
	# what is false can be dropped
	ask($super, q{UPDATE anonopt.promise SET model = 'none of ours' WHERE dataset = 'numbers'});
	ask('boss', q{SELECT anonopt.drop_promise('numbers', 'none of ours')});
	is(ask('boss', q{SELECT count(*) FROM anonopt.promise}), '0', 'what is false can be dropped');

	# what is written down of a release: promises, and what its labels cover
	ask('boss', q{
		SELECT anonopt.add_promise('numbers', 'k_map', 2, population => 'everybody');
		CREATE TABLE rel AS SELECT anonopt.publish_table('numbers_1', 'numbers', cuts => ARRAY[B'000010000'], k => 2)});
	is(ask('boss', q{SELECT ok, others #>> '{k_map,measured}' FROM anonopt.verify('numbers_1')}), 't|150', 'a cut of a population is verified');
	for my $false (q{published_cover SET firsts = '{}'}, q{published_cover SET lasts = lasts || lasts}, q{published_cover SET ordinal = 2}, q{published_cover SET ordinal = 0},
		q{published_cover SET ordinal = 2147483647}, q{published_cover SET labels = ARRAY[labels]}, q{published_cover SET unknown = '{{x}}'},
		q{published_promise SET model = 'none of ours'}, q{published_promise SET model = 'k'}, q{published_promise SET threshold = 'NaN'}, q{published_promise SET population = -5},
		q{published_promise SET model = 'alpha'}, q{published_promise SET c = 1}, q{published_promise SET columns_known = 0}, q{published_promise SET columns_known = -1},
		q{published_promise SET rows_known = 0}, q{published_promise SET (columns_known, rows_known) = (1, 1)}, q{published_promise SET columns_known = 2 WHERE model = 'k_map'})
	{
		my $answer = hear('boss', "BEGIN; UPDATE anonopt.$false; SELECT ok FROM anonopt.verify('numbers_1'); ROLLBACK; SELECT 'alive'");
		like($answer, qr/ERROR:  (?:23514|22\w{3})/, "found: $false") or diag($answer);
		like($answer, qr/^alive$/m, 'and the session goes on');
	}
	for my $false (q{DELETE FROM anonopt.published_cover}, q{UPDATE anonopt.published_cover SET labels = '{}', firsts = '{}', lasts = '{}'},
		q{UPDATE anonopt.published_cover SET labels = '{x}', firsts = '{0}', lasts = '{4}'},
		q{UPDATE anonopt.published_cover SET labels = '{x}', firsts = '{0}', lasts = '{nowhere}', unknown = '{x}'},
		q{UPDATE anonopt.published_promise SET population = 1, population_name = 'gone'})
	{
		is(ask('boss', "BEGIN; $false; SELECT ok FROM anonopt.verify('numbers_1'); ROLLBACK"), 'f', "not ok: $false");
	}
	ask('boss', q{SELECT anonopt.drop_release('numbers_1'); SELECT anonopt.drop_dataset('numbers'); DROP TABLE numbers, everybody, texts, rel; DROP SEQUENCE promised; DROP TYPE couple});
}

# Logins never wait for the owner of a database.
sub check_locks
{
	my $locks = q{SELECT coalesce(string_agg(relation::regclass || ' ' || mode, ', '), 'none') FROM pg_locks
		WHERE pid = pg_backend_pid() AND relation = ANY (%s) AND mode NOT IN ('AccessShareLock', 'RowShareLock')};
	my $of = sub { sprintf $locks, "ARRAY['$_[0]']::regclass[]" };

	ask('alice', q{CREATE TABLE hers AS SELECT 1 AS a});
	for my $other (qw(pg_catalog.pg_authid public.hers))
	{
		ask('boss', qq{DELETE FROM anonopt.tuple_store; SELECT anonopt.drop_dataset(dataset) FROM anonopt.dataset;
			CREATE TABLE IF NOT EXISTS counted AS SELECT i % 10 AS a FROM generate_series(1, 100) i;
			SELECT anonopt.create_dataset('counted', 'counted'), anonopt.add_quasi_identifier('counted', 'a', 'tens');
			SELECT anonopt.create_tuple_store('counted', true);
			UPDATE anonopt.tuple_store SET relation = '$other'});
		for my $false ('', "UPDATE anonopt.dataset SET relation = '$other', row_type = (SELECT reltype FROM pg_class WHERE oid = '$other'::regclass);")
		{
			for my $call (qw(drop_tuple_store refresh_tuple_store drop_dataset create_tuple_store))
			{
				for my $role ('boss', $super)
				{
					# what succeeds keeps its locks until its transaction ends
					my $answer = hear($role, "BEGIN; $false
						DO \$\$ BEGIN PERFORM anonopt.$call('counted'); EXCEPTION WHEN OTHERS THEN RAISE NOTICE 'failed: % %', SQLSTATE, SQLERRM; END \$\$;
						" . $of->($other) . "; ROLLBACK; SELECT 'alive'");
					like($answer, qr/^none$/m, "$role, $call, $other" . ($false && ', its data set too') . ': it is not locked') or diag($answer);
					like($answer, qr/^alive$/m, 'and the session goes on');
				}
			}
		}
		ask($super, q{DELETE FROM anonopt.tuple_store; DROP TABLE counted; SELECT anonopt.drop_dataset('counted')});
	}
}

# What a store's entry says of columns is not what its relation has.
sub check_columns
{
	for my $case ([ '{ctid}', 'tid', '-1:27:-1:0' ], [ '{tableoid}', 'oid', '-6:26:-1:0' ], [ '{xmin}', 'xid', '-2:28:-1:0' ], [ '{gone}', 'int', 'gone' ],
		[ '{a,a}', 'int', '1:23:-1:0 1:23:-1:0' ], [ '{}', 'int', '' ])
	{
		my ($columns, $type, $print) = @$case;

		ask('boss', qq{
			CREATE TABLE counted AS SELECT i % 10 AS a FROM generate_series(1, 100) i;
			SELECT anonopt.create_dataset('counted', 'counted'), anonopt.add_quasi_identifier('counted', 'a', 'tens');
			SELECT anonopt.create_tuple_store('counted', true);
			SELECT format('ALTER TABLE anonopt_tuples_%s ALTER a TYPE $type USING NULL', number) FROM anonopt.tuple_store \\gexec
			SELECT format('ALTER TABLE anonopt_tuples_%s DROP COLUMN n, ADD m $type, ADD n bigint', number) FROM anonopt.tuple_store WHERE '$columns' = '{a,a}' \\gexec});
		my $forged = hear('boss', qq{UPDATE anonopt.tuple_store SET columns = '$columns', fingerprint[5] = '} . ($print eq '' ? '' : " $print") . q{'});
		next if $columns eq '{}' && $forged =~ /23514/;
		my $answer = hear('boss', q{
			INSERT INTO counted VALUES (1);
			INSERT INTO counted SELECT i % 10 FROM generate_series(1, 100) i;
			UPDATE counted SET a = 1 WHERE a = 2; DELETE FROM counted WHERE a = 3;
			SET anonopt.read_mode = store; SELECT k FROM anonopt.evaluate('counted', '{2}'); RESET anonopt.read_mode;
			SELECT k FROM anonopt.evaluate('counted', '{2}');
			SELECT problem IS NOT NULL FROM anonopt.describe('counted') WHERE role = 'tuple_store';
			SELECT anonopt.refresh_tuple_store('counted');
			SELECT anonopt.drop_tuple_store('counted');
			SELECT 'alive'});
		like($answer, qr/^alive$/m, "columns $columns: the session goes on") or diag($answer);
		unlike($answer, qr/XX000|server closed/, 'and finds no fault of its own') or diag($answer);
		like($answer, qr/^181$/m, 'and the relation is read') or diag($answer);
		is(ask('boss', q{SELECT count(*) FROM counted}), '181', 'no write was refused');
		ask('boss', q{SELECT anonopt.drop_dataset('counted'); DROP TABLE counted});
	}
}

# ---------------------------------------------------------------- labels of a cut

sub check_labels
{
	ask('boss', q{
		CREATE TABLE letters (leaf text PRIMARY KEY, l1 text, top text);
		INSERT INTO letters VALUES ('a', 'x', '*'), ('b', 'x', '*'), ('other', 'M', '*'), ('x', 'M', '*'), ('y', 'other', '*'), ('z', 'other', '*');
		CREATE TABLE written AS SELECT leaf AS c FROM letters, generate_series(1, 3);
		SELECT anonopt.create_dataset('written', 'written'), anonopt.add_quasi_identifier('written', 'c', 'letters')});
	my $answer = hear('boss', q{
		CREATE TABLE shown AS SELECT FROM anonopt.publish_table('shown_1', 'written', cuts => ARRAY[B'00100'], k => 2);
		SELECT string_agg(DISTINCT c COLLATE "C", ' | ' ORDER BY c COLLATE "C") FROM shown_1});
	unlike($answer, qr/LATE|ERROR/, 'labels that look alike end');
	like($answer, qr/^\{"x", "other"\} \| \{\{"x", "other"\}\}$/m, 'and two groups differ') or diag($answer);

	# names that look like sets of others, to any depth
	ask('boss', q{
		CREATE TABLE braces (leaf text PRIMARY KEY, l1 text, top text);
		INSERT INTO braces SELECT chr(97 + i), CASE WHEN i < 2 THEN 'n' ELSE repeat('{', i) || '"n", "m"' || repeat('}', i) END, '*'
		FROM generate_series(0, 9) i;
		INSERT INTO braces VALUES ('m', 'q', '*'), ('n', 'm1', '*');
		CREATE TABLE braced AS SELECT leaf AS c FROM braces, generate_series(1, 3);
		SELECT anonopt.create_dataset('braced', 'braced'), anonopt.add_quasi_identifier('braced', 'c', 'braces')});
	my @alike;
	for my $cut (map { my $i = $_; map { my $b = '0' x 11; substr($b, $i, 1) = 1; substr($b, $_, 1) = 1; $b } $i .. 10 } 0 .. 10)
	{
		my $groups = 1 + ($cut =~ tr/1//);
		my $labels = ask('boss', qq{BEGIN; SELECT FROM anonopt.publish_table('braced_1', 'braced', cuts => ARRAY[B'$cut'], k => 1);
			SELECT count(DISTINCT c) FROM braced_1; ROLLBACK});
		push @alike, "cut $cut: $groups groups, $labels labels" if $labels ne $groups;
	}
	is("@alike", '', 'groups of all cuts have labels of their own');
	ask('boss', q{SELECT anonopt.drop_release(release) FROM anonopt.release WHERE NOT dropped; SELECT anonopt.drop_dataset('written'), anonopt.drop_dataset('braced')});
}

# ---------------------------------------------------------- rights of hierarchies

sub check_default_privileges
{
	ask('boss', q{
		ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO PUBLIC, blind;
		ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO alice WITH GRANT OPTION;
		CREATE TABLE ill AS SELECT i AS nr, 'code-' || i AS code, 0.5 * i AS share, date '2020-01-01' + i AS day, 'k' || i % 3 AS kind
		FROM generate_series(1, 50) i;
		CREATE TABLE branch AS SELECT 'HIV' AS child, 'virus' AS parent;
		SELECT anonopt.create_mask_hierarchy('made_masks', 'ill', 'code'), anonopt.create_quantile_hierarchy('made_quantiles', 'ill', 'nr', '{4,2}'),
			anonopt.create_tree_hierarchy('made_tree', 'branch');
		SELECT * FROM anonopt.auto_dataset('ill', 'ill', '{nr,code,share,day,kind}')});
	is( ask('boss', q{SELECT string_agg(c.oid::regclass || ':' || a.grantee::regrole || ':' || a.privilege_type, ' ' ORDER BY c.oid)
			FROM pg_class c, aclexplode(c.relacl) a WHERE (relname LIKE 'made\_%' OR relname LIKE 'ill\_%\_hierarchy') AND a.grantee <> c.relowner}),
		'', 'default privileges open no hierarchy that was made from data');
	is(ask('boss', q{SELECT count(*) FROM pg_class WHERE relkind = 'r' AND (relname LIKE 'made\_%' OR relname LIKE 'ill\_%\_hierarchy')}), '8', 'all were made');
	ask('boss', q{ALTER DEFAULT PRIVILEGES REVOKE ALL ON TABLES FROM PUBLIC, blind, alice;
		SELECT anonopt.drop_dataset('ill')});
}

# ----------------------------------------------------------------- count columns

sub check_counts
{
	for my $type (qw(numeric float8 float4))
	{
		ask('boss', qq{CREATE TABLE heads AS SELECT i AS a, 2::$type AS n FROM generate_series(0, 9) i;
			SELECT anonopt.create_dataset('heads', 'heads', count_column => 'n'), anonopt.add_quasi_identifier('heads', 'a', 'tens'),
				anonopt.add_sensitive('heads', 'a')});
		is(ask('boss', q{SELECT k FROM anonopt.evaluate('heads', '{2}')}), '20', "$type: whole numbers are counted");
		is(ask('boss', q{SELECT count(*) FROM anonopt.aruba('heads', 0)}), '10', 'row by row too');
		for my $case ([ '1.5', '22000' ], [ '0.25', '22000' ], [ '-0.5', '22000' ], [ "'NaN'", '22\w{3}' ], [ "'Infinity'", '22\w{3}' ], [ "'-Infinity'", '22\w{3}' ],
			[ '1e30', '22003' ], [ '-1', '22000' ], [ 'NULL', '22004' ], [ '9223372036854775808', '22003' ])
		{
			my ($value, $state) = @$case;
			for my $call (q{evaluate('heads', '{2}')}, q{aruba('heads', 0)}, q{publish_table('heads_1', 'heads', '{2}')})
			{
				my $answer = hear('boss', "BEGIN; UPDATE heads SET n = $value WHERE a = 3; SELECT count(*) FROM anonopt.$call; ROLLBACK");
				like($answer, $call =~ /publish/ ? qr/ERROR:  (?:$state|0A000)/ : qr/ERROR:  $state/, "$type, a row that stands for $value: $call") or diag($answer);
				$answer = hear('boss', "BEGIN; SET LOCAL anonopt.read_mode = group_by; UPDATE heads SET n = $value WHERE a = 3; SELECT count(*) FROM anonopt.$call; ROLLBACK");
				like($answer, $call =~ /publish/ ? qr/ERROR:  (?:$state|0A000)/ : qr/ERROR:  $state/, "and grouped") or diag($answer);
			}
		}
		ask('boss', q{SELECT anonopt.drop_dataset('heads'); DROP TABLE heads});
	}
	# a double is not rounded on its way
	ask('boss', q{CREATE TABLE heads AS SELECT 1 AS a, 140737488355327::float8 AS n;
		SELECT anonopt.create_dataset('heads', 'heads', count_column => 'n'), anonopt.add_quasi_identifier('heads', 'a', 'tens')});
	is(ask('boss', q{SELECT k FROM anonopt.evaluate('heads', '{2}')}), '140737488355327', 'a double is counted as it is');
	ask('boss', q{SELECT anonopt.drop_dataset('heads'); DROP TABLE heads});
}

# ------------------------------------------------------------------- long chains

sub check_chain
{
	ask('boss', q{
		CREATE TABLE chain AS SELECT i AS child, i + 1 AS parent FROM generate_series(1, 100000) i;
		CREATE TABLE circle AS SELECT i AS child, i % 5 + 1 AS parent FROM generate_series(1, 5) i UNION ALL VALUES (10, 11);
		CREATE TABLE levels AS SELECT i AS child, i + 1 AS parent FROM generate_series(1, 300) i});
	my $answer = refused('boss', metered(q{SELECT anonopt.create_tree_hierarchy('chained', 'chain')}), '22023', 'a chain of 100,000 edges has too many levels');
	cmp_ok(work_of($answer), '<', 10, 'which is found with little work');
	refused('boss', q{SELECT anonopt.create_tree_hierarchy('chained', 'circle')}, '23514', 'a circle is found');
	ask('boss', q{INSERT INTO chain VALUES (100001, 1)});
	$answer = refused('boss', metered(q{SELECT anonopt.create_tree_hierarchy('chained', 'chain')}), '23514', 'and a long one');
	cmp_ok(work_of($answer), '<', 10, 'with as little');
	ask('boss', q{SELECT anonopt.create_tree_hierarchy('chained', 'levels')});
	is(ask('boss', q{SELECT count(*) FROM pg_attribute WHERE attrelid = 'chained'::regclass AND attnum > 0}), '301', 'as many levels as a table holds are made');
}

# ------------------------------------------------------- what an error leaves behind

sub check_errors
{
	is( ask('boss', q{SELECT string_agg(DISTINCT proparallel::text, '') FROM pg_proc WHERE pronamespace = 'anonopt'::regnamespace AND proname = 'generalize'}),
		'r', 'generalize, which reads what a transaction may have changed, stays in its process');
	ask($super, q{
		CREATE EXTENSION postgres_fdw;
		SELECT format('CREATE SERVER here FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host %L, port %L, dbname %L)', split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port'), 'clinic') \gexec
		CREATE USER MAPPING FOR boss SERVER here OPTIONS (user 'boss', password_required 'false');
		GRANT USAGE ON FOREIGN SERVER here TO boss});
	ask('boss', q{
		CREATE TABLE near (a int); INSERT INTO near SELECT i % 10 FROM generate_series(1, 20) i;
		CREATE FOREIGN TABLE far (a int) SERVER here OPTIONS (table_name 'near');
		CREATE FOREIGN TABLE lost (a int) SERVER here OPTIONS (table_name 'nowhere');
		SELECT anonopt.create_dataset('far', 'far'), anonopt.add_quasi_identifier('far', 'a', 'tens');
		SELECT anonopt.create_dataset('lost', 'lost'), anonopt.add_quasi_identifier('lost', 'a', 'tens')});
	my $answer = hear('boss', q{
		SET search_path = public, pg_temp;
		DO $$
		DECLARE
			call text; context text;
		BEGIN
			FOREACH call IN ARRAY ARRAY[$q$lattice('lost')$q$, $q$lattice('nobody')$q$, $q$create_interval_hierarchy('tens', 0, 9, '{}')$q$,
				$q$create_interval_hierarchy('new', 9, 0, '{}')$q$, $q$create_mask_hierarchy('new', 'lost', 'a')$q$, $q$auto_dataset('auto', 'lost', '{a}')$q$,
				$q$create_dataset('far', 'far')$q$, $q$add_sensitive('far', 'b')$q$, $q$create_tree_hierarchy('new', 'near')$q$] LOOP
				BEGIN
					EXECUTE 'SELECT count(*) FROM anonopt.' || call;
					RAISE NOTICE 'UNREFUSED %', call;
				EXCEPTION WHEN OTHERS THEN
					GET STACKED DIAGNOSTICS context = PG_EXCEPTION_CONTEXT;
					RAISE NOTICE 'caught % %', SQLSTATE, context ~ 'reading foreign tables: public.lost on server "here"';
				END;
				BEGIN
					PERFORM 1 / 0;
				EXCEPTION WHEN OTHERS THEN
					GET STACKED DIAGNOSTICS context = PG_EXCEPTION_CONTEXT;
					RAISE NOTICE 'then % % %', context ~ 'foreign tables', current_user, current_setting('search_path');
				END;
			END LOOP;
		END $$;
		SELECT k FROM anonopt.evaluate('far', '{2}')});
	my @then = $answer =~ /then (.*)/g;
	is(scalar @then, 9, 'nine calls fail') or diag($answer);
	is(scalar(grep { $_ ne 'f boss public, pg_temp' } @then), 0, 'none leaves a context, a user or a setting behind') or diag($answer);
	like($answer, qr/caught \w+ t$/m, 'an error of a foreign table names its server') or diag($answer);
	unlike($answer, qr/UNREFUSED/, 'each fails') or diag($answer);
	like($answer, qr/^20$/m, 'the session reads on');
	ask('boss', q{SELECT anonopt.drop_dataset('far'), anonopt.drop_dataset('lost')});
}

# ----------------------------------------------------------------- whose code runs

sub check_describe
{
	ask($super, 'CREATE TABLE ran (who name); GRANT INSERT, SELECT ON ran TO PUBLIC');
	ask('alice', q{
		CREATE TABLE seen AS SELECT i % 10 AS a, i % 5 AS b FROM generate_series(1, 50) i;
		CREATE FUNCTION spy() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN INSERT INTO ran VALUES (current_user); RETURN true; END $$;
		CREATE TABLE plain AS SELECT i AS value, '*' AS top FROM generate_series(0, 9) i;
		CREATE VIEW spied AS SELECT * FROM plain WHERE spy();
		CREATE VIEW spied_rows AS SELECT * FROM seen WHERE spy();
		GRANT SELECT ON plain, spied, spied_rows, seen TO boss;
		SELECT anonopt.create_dataset('seen', 'seen'), anonopt.add_quasi_identifier('seen', 'a', 'spied'), anonopt.add_quasi_identifier('seen', 'b', 'plain');
		SELECT anonopt.create_dataset('seen rows', 'spied_rows'), anonopt.add_quasi_identifier('seen rows', 'b', 'plain');
		CREATE TABLE guarded AS TABLE seen;
		CREATE POLICY p ON guarded USING (spy());
		GRANT SELECT ON guarded TO boss;
		SELECT anonopt.create_dataset('guarded', 'guarded'), anonopt.add_quasi_identifier('guarded', 'b', 'plain');
		ALTER TABLE guarded ENABLE ROW LEVEL SECURITY});
	my $describe = q{SELECT column_name || ':' || coalesce(observed::text, '-') || ':' || coalesce(problem, 'none') FROM anonopt.describe('%s')};

	is(ask('alice', sprintf $describe, 'seen'), "a:10:none\nb:5:none", 'to their owner, views are nothing to tell of');
	is(ask('alice', sprintf $describe, 'seen rows'), 'b:5:none', 'nor is a relation that is one');
	is(ask('boss', sprintf $describe, 'seen'), qq{a:10:the hierarchy is a view of role "alice", whose code runs as you\nb:5:none},
		q{somebody else is told whose code runs});
	like(ask('boss', sprintf $describe, 'guarded'), qr/^b:5:the relation has row security of role "alice", whose code runs as you$/, 'of row security too');
	is(ask($super, sprintf $describe, 'guarded'), 'b:5:none', 'which does not apply to a superuser');
	ask($super, 'TRUNCATE ran');
	is(ask($super, sprintf $describe, 'seen'), qq{a:-:not read: the hierarchy is a view of role "alice", whose code would run as you\nb:5:none},
		'a superuser is told, and it does not run');
	is(ask($super, sprintf $describe, 'seen rows'), qq{b:-:not read: the relation is a view of role "alice", whose code would run as you}, 'of the relation too');
	is(ask($super, q{SELECT count(*) FROM ran}), '0', 'no code of theirs has run');
	ask('alice', q{SELECT anonopt.drop_dataset('seen'), anonopt.drop_dataset('seen rows'), anonopt.drop_dataset('guarded')});
}

# --------------------------------------------------------------------- the run

$node->safe_psql('clinic', $Sessions::define_seconds_worked);
ask('boss', 'CREATE EXTENSION anonopt; GRANT CREATE ON SCHEMA public TO alice; SELECT anonopt.create_interval_hierarchy(\'tens\', 0, 9, \'{5}\')');
my %part = (many => \&check_many, relations => \&check_relations, promises => \&check_promises, locks => \&check_locks, columns => \&check_columns, privileges => \&check_default_privileges,
	counts => \&check_counts, chain => \&check_chain, errors => \&check_errors, describe => \&check_describe, labels => \&check_labels);
$part{$_}->() for $ENV{PART} ? split ' ', $ENV{PART} : qw(many relations promises locks columns privileges counts chain errors describe labels);
unlike(slurp_file($node->logfile), qr/was terminated by signal/, 'no backend has crashed');
$node->stop;
done_testing();
