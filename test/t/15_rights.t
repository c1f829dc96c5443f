#!/usr/bin/env perl
#
# Rights: nobody can read hidden data, through any function or error; nobody
# can create objects in the extension's schema; and a caller's own names,
# operators and types, however similar to PostgreSQL's, change nothing.
#
# The extension is installed by a role that owns its database and is not a
# superuser. HIDDEN marks data that must not be shown.

use strict;
use warnings;
use utf8;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Server;
use Test::More;

my $long = $ENV{ANONOPT_LONG};
my $node = Server->new('rights');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nclient_encoding = utf8\nmax_parallel_workers_per_gather = 0\n");
$node->start;
$node->safe_psql('postgres', join ';', map { "CREATE ROLE $_ LOGIN" } qw(boss alice blind table_reader hierarchy_reader));

# ------------------------------------------------------------------ questions

# The answer to a role, and its messages.
sub hear
{
	my ($role, $sql, $database) = @_;

	$node->psql($database // 'clinic', $sql, stdout => \my $answer, stderr => \my $told,
		on_error_stop => 0, extra_params => [ '-U', $role, '-v', 'VERBOSITY=verbose' ]);
	return "$answer\n$told";
}

# The answer alone, for what must succeed.
sub ask
{
	my ($role, $sql, $database) = @_;
	my $status = $node->psql($database // 'clinic', $sql, stdout => \my $answer, stderr => \my $told,
		extra_params => [ '-U', $role ]);

	if ($status != 0)
	{
		fail("$role is not refused");
		diag("$sql\n$told");
	}
	return $answer;
}

# --------------------------------------------------------------- installation

# With a schema whose objects match better than PostgreSQL's own.
sub check_installation
{
	for my $case ([ 'clinic', '' ], [ 'elsewhere', ' SCHEMA trap' ])
	{
		my ($database, $where) = @$case;
		$node->safe_psql('postgres', "CREATE DATABASE $database OWNER boss");
		ask('boss', q{
			CREATE SCHEMA trap;
			CREATE FUNCTION trap.eq(oid, regclass) RETURNS boolean LANGUAGE sql AS 'SELECT 1 / 0 > 0';
			CREATE OPERATOR public.= (LEFTARG = oid, RIGHTARG = regclass, FUNCTION = trap.eq);
			CREATE OPERATOR trap.= (LEFTARG = oid, RIGHTARG = regclass, FUNCTION = trap.eq);
			CREATE FUNCTION public.starts_with(text, varchar) RETURNS boolean LANGUAGE sql AS 'SELECT 1 / 0 > 0';
			CREATE FUNCTION trap.pg_has_role(oid, varchar) RETURNS boolean LANGUAGE sql AS 'SELECT 1 / 0 > 0'},
			$database);
		ask('boss', "CREATE EXTENSION anonopt$where", $database);
		is( ask('boss', q{SET search_path = pg_catalog; SELECT count(*) FROM pg_depend d
				WHERE d.refclassid IN ('pg_operator'::regclass, 'pg_proc'::regclass, 'pg_type'::regclass) AND d.deptype = 'n'
					AND coalesce((SELECT oprnamespace FROM pg_operator WHERE d.refclassid = 'pg_operator'::regclass AND oid = d.refobjid),
						(SELECT pronamespace FROM pg_proc WHERE d.refclassid = 'pg_proc'::regclass AND oid = d.refobjid),
						(SELECT typnamespace FROM pg_type WHERE d.refclassid = 'pg_type'::regclass AND oid = d.refobjid))
						IN ('trap'::regnamespace, 'public'::regnamespace)
					AND d.classid <> 'pg_operator'::regclass}, $database),
			0, "an owner who is no superuser installs$where, and none of their operators, functions and types is taken");
	}
	is($node->safe_psql('postgres', 'SHOW shared_preload_libraries'), '', 'nothing is preloaded');
	$node->safe_psql('postgres', 'CREATE DATABASE taken OWNER boss');
	ask('boss', 'CREATE SCHEMA anonopt', 'taken');
	like(hear('boss', 'CREATE EXTENSION anonopt', 'taken'), qr/ERROR:  42P06/, 'a schema that somebody made before is not taken over');
}

# Owners of objects, and their open rights.
sub check_catalogs
{
	is( ask('boss', q{SELECT string_agg(p.oid::regprocedure::text, ' ') FROM pg_proc p
			WHERE pronamespace = 'anonopt'::regnamespace AND prosecdef}),
		'', 'no function runs as anybody but its caller');
	is( ask('boss', q{SELECT string_agg(p.oid::regprocedure::text, ' ') FROM pg_proc p JOIN pg_language l ON l.oid = prolang
			WHERE pronamespace = 'anonopt'::regnamespace AND lanname IN ('sql', 'plpgsql') AND prosqlbody IS NULL
				AND NOT coalesce('search_path=pg_catalog, pg_temp' = ANY (proconfig), false)}),
		'', 'every function whose body is text has a search_path of its own');
	is( ask('boss', q{SELECT string_agg(DISTINCT rolname || '/' || rolsuper, ' ') FROM
			(SELECT proowner AS o FROM pg_proc WHERE pronamespace = 'anonopt'::regnamespace
			 UNION SELECT relowner FROM pg_class WHERE relnamespace = 'anonopt'::regnamespace
			 UNION SELECT typowner FROM pg_type WHERE typnamespace = 'anonopt'::regnamespace
			 UNION SELECT nspowner FROM pg_namespace WHERE nspname = 'anonopt') s JOIN pg_roles r ON r.oid = o}),
		'postgres/true', 'all that is in the schema belongs to the superuser, so that nobody else changes what it is');
	is( ask('boss', q{SELECT string_agg(c.relname || ' ' || a.privilege_type, ', ' ORDER BY 1, c.relname)
			FROM pg_class c, aclexplode(c.relacl) a WHERE relnamespace = 'anonopt'::regnamespace AND a.grantee = 0}),
		'attribute SELECT, dataset SELECT, progress SELECT, promise SELECT, release SELECT, same_people SELECT', 'declarations and two views are readable by all, nothing else is open');
	is( ask('boss', q{SELECT string_agg(c.relname, ' ') FROM pg_class c, pg_attribute a
			WHERE relnamespace = 'anonopt'::regnamespace AND attrelid = c.oid AND attacl IS NOT NULL}),
		'', 'nor is any column');

	# a type, a rule or a trigger of the database's owner would run as any role that uses or dumps the
	# table
	for my $table (qw(dataset attribute published published_promise published_values published_cover published_content published_held))
	{
		for my $change ("ALTER TABLE anonopt.$table ADD x int", "CREATE RULE r AS ON INSERT TO anonopt.$table DO INSTEAD NOTHING",
			"CREATE TRIGGER t BEFORE INSERT ON anonopt.$table EXECUTE FUNCTION suppress_redundant_updates_trigger()",
			"CREATE POLICY p ON anonopt.$table", "TRUNCATE anonopt.$table", "DROP TABLE anonopt.$table")
		{
			like(hear('boss', $change), qr/ERROR:  42501/, "not for the database's owner: $change");
		}
		for my $role (qw(alice blind))
		{
			like(hear($role, $_), qr/ERROR:  42501/, "not for others: $_")
			  for "DELETE FROM anonopt.$table", "INSERT INTO anonopt.$table DEFAULT VALUES", "BEGIN; LOCK anonopt.$table IN ROW EXCLUSIVE MODE; ROLLBACK";
		}
	}
	like(hear('boss', 'CREATE FUNCTION anonopt.mine() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$'), qr/ERROR:  42501/,
		'nobody adds to the schema');
	$node->command_ok([ 'pg_dump', '-U', 'boss', '-f', '/dev/null', '-d', $node->connstr('clinic') ], 'the owner may dump them all');
}

# The database's owner may write rows, to restore them, but not rows that no function
# would write.
sub check_false_rows
{
	ask('boss', q{
		CREATE TABLE numbers AS SELECT i % 10 AS a, i % 7 AS b, 'x' || i % 3 AS s FROM generate_series(1, 100) i;
		SELECT anonopt.create_interval_hierarchy('tens', 0, 9, '{5}');
		SELECT anonopt.create_dataset('numbers', 'numbers'), anonopt.add_quasi_identifier('numbers', 'a', 'tens'),
			anonopt.add_quasi_identifier('numbers', 'b', 'tens'), anonopt.add_sensitive('numbers', 's');
		SELECT anonopt.publish_table('numbers_1', 'numbers', '{1,1}', k => 2), anonopt.publish_table('numbers_2', 'numbers', '{2,1}', k => 2)});
	for my $false ("attribute SET min_level = -5", "attribute SET min_level = 2, max_level = 1", "attribute SET max_level = -1",
		"attribute SET weight = 'NaN'", "attribute SET weight = 'Infinity'", "attribute SET weight = -1",
		"attribute SET hierarchy = NULL WHERE role = 'quasi_identifier'", "attribute SET distance = 'hierarchical' WHERE role = 'sensitive'",
		"attribute SET role = 'none'", "attribute SET distance = 'none'", "dataset SET max_suppression = 'NaN'", "dataset SET max_suppression = 2",
		"published SET levels = '{1,NULL}'", "published SET levels = '{{1,1}}'", "published SET levels = NULL, cuts = '{101,NULL}'",
		"published_promise SET threshold = 0", "published_promise SET threshold = 'NaN'", "published SET suppressed = 'hide'")
	{
		like(hear('boss', "UPDATE anonopt.$false"), qr/ERROR:  23514|ERROR:  0A000/, "refused: $false");
	}
	# what a constraint cannot know is found when it is used
	for my $false ("attribute SET min_level = 3 WHERE ordinal = 1", "attribute SET max_level = 3 WHERE ordinal = 1",
		"attribute SET hierarchy = 'tens_pkey' WHERE ordinal = 1", "attribute SET hierarchy_type = 'int' WHERE ordinal = 1",
		"attribute SET column_name = 'ctid' WHERE ordinal = 1", "dataset SET relation = 'tens'", "dataset SET row_type = 'int'")
	{
		my $answer = hear('boss', "BEGIN; UPDATE anonopt.$false; SELECT count(*) FROM anonopt.lattice('numbers'); ROLLBACK; SELECT 'alive'");
		like($answer, qr/ERROR:  23514/, "found: $false");
		like($answer, qr/^alive$/m, 'and the session goes on');
	}
	my $turn = 0;
	for my $false (q{'{"levels":[1,null]}'}, q{'{"levels":null,"cuts":["101",null]}'}, q{'{"levels":[[1,1]]}'}, q{'{"levels":[9,-9]}'},
		q{'{"levels":null,"cuts":["1","1"]}'}, q{'{"generalized":[]}'}, q{'{"generalized":[null]}'}, q{'{"hierarchies":null}'}, q{'{"hierarchies":[]}'},
		q{'{"hierarchies":[-1,99999999999]}'}, q{'{"hierarchy_names":["a.b.c.d","\\"","x"]}'}, q{'{"relation":-1}'},
		q{'{"people_k":-1}'}, q{'{"min_utility":"NaN","risk":"none"}'}, q{'{}'})
	{
		my $k = $false =~ /"relation"/ ? 99999999999 : 2;
		for my $content (q{'{}'}, q{'{"nlabels":[9,9]}'}, q{'{"nlabels":[-1,3]}'}, q{'{"nlabels":[1]}'}, q{'{"labels":null}'}, q{'{"told":[null]}'},
			q{'{"rows":"\\\\x00"}'}, q{'{"rows":"\\\\xffffffffffffffffffffffffffffffffffffffffffffffff"}'}, q{'{"difference":-5}'})
		{
			# in a quick run, each entry with a quarter of the contents
			next if !$long && $turn++ % 4 > 0;
			my $answer = hear('boss', qq{BEGIN;
				INSERT INTO anonopt.published SELECT (jsonb_populate_record(p, jsonb_build_object('id', '00000000-0000-0000-0000-000000000001') || $false)).*
					FROM anonopt.published p WHERE name = 'public.numbers_1';
				INSERT INTO anonopt.published_promise (id, ordinal, model, threshold) VALUES ('00000000-0000-0000-0000-000000000001', 0, 'k', $k);
				INSERT INTO anonopt.published_content SELECT (jsonb_populate_record(c, jsonb_build_object('id', '00000000-0000-0000-0000-000000000001') || $content)).*
					FROM anonopt.published_content c JOIN anonopt.published p USING (id) WHERE p.name = 'public.numbers_1';
				SELECT count(*) FROM anonopt.release_risk('numbers'); ROLLBACK;
				SELECT 'alive', count(*) FROM anonopt.release_risk('numbers')});
			like($answer, qr/^alive\|2$/m, "an entry that says $false and a content that says $content harm nobody") or diag($answer);
		}
	}
	ask('boss', q{SELECT anonopt.drop_release(release) FROM anonopt.release; SELECT anonopt.drop_dataset('numbers')});
}

# -------------------------------------------------------------- foreign objects

# Three times the same: with rows, without, and with faults that an error would tell.
sub make_people
{
	ask('boss', 'GRANT CREATE ON DATABASE clinic TO alice, blind, table_reader, hierarchy_reader');
	for my $schema (qw(whole empty odd))
	{
		ask('alice', qq{
			CREATE SCHEMA $schema;
			GRANT USAGE ON SCHEMA $schema TO PUBLIC;
			SET search_path = $schema;
			CREATE TABLE people AS SELECT i AS nr, 20 + i % 10 AS age, 'z' || i % 4 AS zip, 'HIDDEN row ' || i % 3 AS illness
			FROM generate_series(1, 80) i;
			SELECT anonopt.create_interval_hierarchy('ages', 0, 99, '{10}');
			CREATE TABLE zips (value text PRIMARY KEY, kind text, anything text);
			INSERT INTO zips SELECT 'z' || i, 'HIDDEN leaf', '*' FROM generate_series(0, 3) i;
			CREATE TABLE weights AS SELECT 'z0'::text AS value, 2.0::float8 AS weight;
			CREATE TABLE words AS SELECT age, zip FROM people;
			CREATE TABLE edges AS SELECT 'HIDDEN leaf'::text AS child, 'x'::text AS parent;
			SELECT anonopt.create_dataset('$schema', 'people'), anonopt.add_quasi_identifier('$schema', 'age', 'ages'),
				anonopt.add_quasi_identifier('$schema', 'zip', 'zips'), anonopt.set_sensitivity('$schema', 'zip', 'weights'),
				anonopt.add_sensitive('$schema', 'illness');
			SELECT anonopt.publish_table('as_table', '$schema', '{1,1}', k => 2);
			SELECT anonopt.create_view('as_view', '$schema', '{1,2}', k => 2, materialized => false)});
	}
	ask('alice', q{
		DELETE FROM empty.people; DELETE FROM empty.zips; DELETE FROM empty.words; DELETE FROM empty.edges; DELETE FROM empty.as_table;
		INSERT INTO odd.people VALUES (1, NULL, 'HIDDEN row', NULL), (1, 12345, 'z0', 'HIDDEN row');
		ALTER TABLE odd.zips DROP CONSTRAINT zips_pkey;
		INSERT INTO odd.zips VALUES ('z0', 'HIDDEN leaf', '-'), ('z0', NULL, '-');
		INSERT INTO odd.weights VALUES ('HIDDEN leaf', -1), ('HIDDEN leaf', 'NaN');
		INSERT INTO odd.edges VALUES ('HIDDEN leaf', 'HIDDEN leaf');
		GRANT SELECT ON whole.people, empty.people, odd.people TO table_reader;
		GRANT SELECT ON whole.ages, whole.zips, whole.weights, whole.edges, empty.ages, empty.zips, empty.weights, empty.edges,
			odd.ages, odd.zips, odd.weights, odd.edges TO hierarchy_reader});
	for my $role (qw(blind table_reader hierarchy_reader))
	{
		ask($role, qq{
			CREATE SCHEMA AUTHORIZATION $role;
			CREATE TABLE people AS SELECT i AS nr, i AS age FROM generate_series(0, 9) i;
			SELECT anonopt.create_interval_hierarchy('ages', 0, 9, '{5}');
			SELECT anonopt.create_dataset('$role', 'people'), anonopt.add_quasi_identifier('$role', 'age', 'ages');
			-- what a statement gives or says, in all its parts
			CREATE FUNCTION try(statement text, OUT state text, OUT said text) LANGUAGE plpgsql AS \$\$
			DECLARE
				message text; detail text; hint text; context text;
			BEGIN
				EXECUTE 'SELECT string_agg(x::text, E''\\n'') FROM ' || statement || ' x' INTO said;
				state := '00000';
			EXCEPTION WHEN OTHERS THEN
				GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL,
					hint = PG_EXCEPTION_HINT, context = PG_EXCEPTION_CONTEXT;
				said := concat_ws(' | ', message, detail, hint, context);
			END \$\$});
	}
}

# What stands for an argument: by name and type, by name, or by type.  SCHEMA is one of the three.
my %argument = (
	dataset => 'SCHEMA', relation => 'SCHEMA.people', other => 'SCHEMA.words', source => 'SCHEMA.people', release => 'SCHEMA.RELEASE', made => 'SCHEMA.RELEASE',
	'hierarchy regclass' => 'SCHEMA.zips', dictionary => 'SCHEMA.words', edges => 'SCHEMA.edges', 'weights regclass' => 'SCHEMA.weights',
	'hierarchy text' => 'NEW', view_name => 'NEW', table_name => 'NEW', name => 'NEW',
	'relation oid' => 'SCHEMA.people', 'relation bigint' => '1', row_type => '1', id => '00000000-0000-0000-0000-000000000000', 'forget_release id' => 'NULL',
	column_name => 'zip', 'check_release_column column_name' => 'nr', 'check_release_columns columns' => '{nr}', columns => '{illness}', shown => '{illness}', uncovered => '{}', generalized => '{a,b}', class_columns => '{age,zip}', quasi_identifiers => '{age,zip}',
	key => 'nr', person => 'nr', count_column => 'nr', sensitive => 'illness', 'sensitive name[]' => '{illness}', role => 'sensitive', published_by => 'alice',
	levels => '{1,1}', a => '{1,1}', b => '{2,2}', 'a text' => 'a', 'b text' => 'b', 'a bit varying[]' => '{111,111}', 'b bit varying[]' => '{111,111}', cuts => '{111,111}', level => '1', min_level => '0', max_level => '2', columns_known => '1', rows_known => 'NULL', known => 'NULL', register => 'NULL', missing => '{}', facts => '{}', deadline => 'NULL', query => 'SELECT to_jsonb(p) FROM SCHEMA.people p',
	objectives => '{k,glm}', objective => 'k', epsilon => '{1,1}', 'epsilon double precision' => '1', start => '{0.1,0.1}', 'poka start' => '{1,1}', aspiration => '{0.2,0.2}', 'tournament_of epsilon' => 'NULL', candidates => '{{1,1}}',
	properties => '{loss}', property => 'loss', index => 'p_rank', algorithm => 'btda', distance => 'equal', loss => 'glm',
	'risk text' => 'identity', 'utility text' => 'depth', 'risk double precision[]' => '{1}', 'utility double precision[]' => '{1}',
	dictionaries => 'NULL', dictionary_weights => 'NULL', weight_column => 'age', measures => 'NULL', 'nsga2 preferences' => 'NULL', 'efficiency preferences' => 'NULL', 'efficiency weights' => '{1,1}', 'nsga2 weights' => '{1,1}', 'reference_direction weights' => '{1,1}', ideal => 'NULL',
	population => '10', 'population regclass' => 'SCHEMA.people', model => 'k', threshold => '2', 'risk threshold' => '0.2', (map { ("$_ threshold" => '0.2') } qw(report report_body report_measure report_kept report_risk risk_of_sizes evidence_of)), standard => 'wp29', fewest => '5', promised => '[{"k": 2}]', choices => '[]', queries => '5', review => '2027-01-01', source_risk => '{}', 'drop_promise column_name' => 'illness', 'add_promise column_name' => 'illness', c => '1', iterations => '1', evaluations => '20', steps => '1', depth => '1', max_nodes => '10', k => '2', l => '1', possible => '2', proof => '1 s', effort => '1', seed => '1',
	taxonomy_columns => '{age}', value => 'VALUE', mask => '*', low => '1', high => '2', 'low date' => '2020-01-01', 'high date' => '2020-01-02', step => '1', widths => '{}',
	buckets => '{2}', minimum => '2', lengths => '{1}', units => '{month}', what => 'measures', form => 'table', suppressed => 'omit', time_limit => '1 s',
	'entry text' => '{}', cells => '{a}', labels => 'hierarchy', 'recoding regclass' => 'SCHEMA.people', 'recoding regclass[]' => '{SCHEMA.people}', 'recoding text' => 'NEW', 'k integer[]' => '{2}', 'a regclass' => 'SCHEMA.people', 'b regclass' => 'SCHEMA.people', people => '{1}', made_in => '1', was => 'NULL', number => '1', rows_function => 'FORM', head => '{a}', rows => '{a}', text => 'x', text_array => '{a}', boolean => 'true',
	p => '{1}', p12 => '{1}', p21 => '{1}', goal => '{1}', weights => '{1}', 'double precision' => '0.5', 'double precision[]' => '{1}');

my $entry = q{jsonb_populate_record(NULL::anonopt.published,
	'{"id":"00000000-0000-0000-0000-000000000001","form":"FORM","dataset":"SCHEMA","k":2,"suppressed":"omit","levels":[1,1],"statement":"SELECT age::text AS age, zip FROM SCHEMA.people",
	"generalized":["age","zip"],"sensitive":["illness"],"hierarchies":["SCHEMA.ages","SCHEMA.zips"],"hashes":["",""],"measures":{}}')};

# What tells facts of the catalogs only, which everybody may read, or makes of its arguments what reads as the caller.
my %open = map { $_ => 1 } qw(is_restored this_database find_release as_oid is_same_relation may_repeat lattice_size reads_release check_release_hierarchy records_statement records_columns
	creation_name check_release release_comment create_live);

# Every function that SQL can call, with its arguments' names and types
sub functions
{
	return map { [ split /\|/, $_, -1 ] } split /\n/, ask('boss', q{
		SELECT p.proname, p.oid, string_agg(concat_ws(':', coalesce(x.n, ''), format_type(x.t, NULL)), ';' ORDER BY x.i)
		FROM pg_proc p LEFT JOIN LATERAL unnest(coalesce(p.proargnames, '{}')::text[], p.proargtypes::oid[]) WITH ORDINALITY x (n, t, i) ON x.t IS NOT NULL
		WHERE pronamespace = 'anonopt'::regnamespace AND prokind = 'f'
			AND NOT proargtypes::oid[] && '{internal,cstring,anonopt.opaque}'::regtype[]::oid[]
		GROUP BY p.oid, p.proname ORDER BY p.oid::regprocedure::text});
}

# The arguments of a call, or undef with a fault where one is not known above.
sub arguments
{
	my ($function, $types) = @_;
	my @arguments;

	for my $argument (split /;/, $types)
	{
		my ($name, $type) = split /:/, $argument;
		$type = 'text' if $type eq 'anyelement';
		if ($type eq 'anonopt.published') { push @arguments, $entry; next }
		my $value = $argument{"$function $name"} // $argument{"$name $type"} // $argument{$name} // $argument{$type};
		if (!defined $value)
		{
			fail("an argument is known for $function, $name $type");
			return;
		}
		$type =~ s/^regclass$/text::regclass/;
		push @arguments, $value eq 'NULL' ? "NULL::$type" : "'$value'::$type";
	}
	return join ', ', @arguments;
}

# Every function that takes a foreign object, on objects of one schema, as SQL literals
my $names = 0;

sub foreign_calls
{
	my ($schema, $release, $value) = @_;
	my @calls;

	$names = 0;
	for my $function (functions())
	{
		my ($name, $oid, $types) = @$function;
		next if $open{$name} || $types !~ /\bdataset:|\brelation:oid|:regclass|:anonopt\.published/;
		my $arguments = arguments($name, $types) // next;
		push @calls, "anonopt.$name($arguments)";
	}
	# of a data set of one's own
	push @calls, map { "anonopt.$_" } q{add_quasi_identifier('ROLE', 'nr', 'SCHEMA.ages')}, q{add_sensitive('ROLE', 'nr', 'hierarchical', 'SCHEMA.ages')},
	  q{set_sensitivity('ROLE', 'age', 'SCHEMA.weights')}, q{aruba('ROLE', 0, dictionaries => '{SCHEMA.words}')}, q{aruba('ROLE', 0, dictionary => 'SCHEMA.words')},
	  q{t_closeness('people', '{age}', 'nr', 'hierarchical', 'SCHEMA.ages')}, q{create_dataset('other', 'SCHEMA.people')},
	  q{create_dataset('other', 'SCHEMA.people', person => 'nr')}, q{create_dataset('other', 'SCHEMA.people', count_column => 'zip')},
	  q{auto_dataset('other', 'SCHEMA.people', '{age}')};
	my $form = $release eq 'as_view' ? 'live view' : 'table';
	s/SCHEMA/$schema/g, s/RELEASE/$release/g, s/FORM/$form/g, s/VALUE/$value/g, s/NEW/'ROLE.made' . ++$names/ge for @calls;
	return @calls;
}

# What a role hears of each call, and how many rows of the tables were read for it
sub try_calls
{
	my ($role, @calls) = @_;
	my @quoted = map { my $call = $_; $call =~ s/ROLE/$role/g; "\$try\$$call\$try\$" } @calls;
	my $answer = ask($role, "BEGIN; SELECT state || ' ' || replace(said, E'\\n', ' ') FROM unnest(ARRAY[\n"
		. join(",\n", @quoted) . q{]) WITH ORDINALITY c (call, i), try(call) ORDER BY i;
		SELECT sum(pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_tuples_fetched(oid)) FROM pg_class
		WHERE relnamespace IN ('whole'::regnamespace, 'empty'::regnamespace, 'odd'::regnamespace); ROLLBACK});
	my @heard = split /\n/, $answer;
	return (pop @heard, @heard);
}

# A role that may read nothing learns nothing: not from errors, nor from what would be read.
sub check_blind
{
	my @expected;

	for my $case ([ 'whole', 'as_table', 'z0' ], [ 'whole', 'as_table', 'none' ], [ 'whole', 'as_view', 'z0' ], [ 'empty', 'as_table', 'z0' ], [ 'empty', 'as_view', 'z0' ],
		[ 'odd', 'as_table', 'z0' ], [ 'odd', 'as_table', 'HIDDEN leaf' ])
	{
		my ($schema, $release, $value) = @$case;
		my $what = "$schema.$release" . ($value eq 'z0' ? '' : ", $value");
		my @calls = foreign_calls($schema, $release, $value);
		my ($read, @heard) = try_calls('blind', @calls);

		cmp_ok(scalar @calls, '>', 60, 'most functions take a foreign object') if !@expected;
		for my $i (0 .. $#calls)
		{
			like($heard[$i] // '', qr/^42501 /, "42501 for $calls[$i]") if ($heard[$i] // '') !~ /^42501 /;
		}
		is(scalar(grep { /^42501 / } @heard), scalar @calls, "$what: every one of them is refused with 42501");
		is($read, 0, "$what: no row is read before");
		my @told = map { s/\b$schema\b/SCHEMA/gr =~ s/\b$release\b/RELEASE/gr =~ s/\Q$value\E/VALUE/gr =~ s/"form":"[^"]*"/"form"/gr } @heard;
		@expected = @told unless @expected;
		my @differing = grep { $told[$_] ne $expected[$_] } 0 .. $#told;
		# what is a view is called so
		@differing = grep { $calls[$_] !~ /as_view/ } @differing;
		is_deeply([ map { "$calls[$_]: $heard[$_]" } @differing ], [], "$what: what is said does not depend on what is there");
	}
	is( ask('boss', q{SELECT string_agg(dataset || ':' || owner, ' ' ORDER BY dataset) FROM anonopt.dataset}),
		'blind:blind empty:alice hierarchy_reader:hierarchy_reader odd:alice table_reader:table_reader whole:alice',
		'nothing was declared');
	# what the open ones say, all may know
	for my $function (grep { $open{ $_->[0] } } functions())
	{
		my ($name, $oid, $types) = @$function;
		my %heard;
		for my $schema (qw(whole empty odd))
		{
			my $call = "anonopt.$name(" . arguments($name, $types) . ')' =~ s/SCHEMA/$schema/gr =~ s/RELEASE/as_table/gr =~ s/NEW/made0/gr;
			$call =~ s/SCHEMA/$schema/g;
			my ($read, $said) = try_calls('blind', $call);
			$heard{ $said =~ s/\b$schema\b/SCHEMA/gr } = 1;
			is($read, 0, "$name reads no row of $schema");
		}
		is(scalar(keys %heard), 1, "$name says the same of all") unless $name eq 'check_release_hierarchy';
	}
}

# A role that may read one side learns nothing about the other.
sub check_half_sighted
{
	my %hidden = (table_reader => 'leaf', hierarchy_reader => 'row');

	for my $role (sort keys %hidden)
	{
		for my $schema (qw(whole empty odd))
		{
			my @calls = foreign_calls($schema, 'as_table', 'z0');
			my ($read, @heard) = try_calls($role, @calls);
			my @told = grep { $heard[$_] =~ /HIDDEN $hidden{$role}/ && $calls[$_] !~ /HIDDEN/ } 0 .. $#heard;
			is_deeply([ map { "$calls[$_]: $heard[$_]" } @told ], [], "a $role is not told what is in $schema");
			my @open = grep { $heard[$_] =~ /^00000/ } 0 .. $#heard;
			my $may = $role eq 'table_reader'
			  ? qr/^anonopt\.(k_anonymity|l_diversity|entropy_l_diversity|risk|attack|suggest_|create_(dataset|mask|quantile|frequency|prefix)|auto_dataset|check_release_columns?|report(_part)?|keep_private|known_risk|warn_of_combination)/
			  : qr/^anonopt\.(generalize|check_hierarchy|read_sql|hierarchy_hash|create_tree|changed_hier|add_|set_sensitivity|t_closeness\('people)/;
			is_deeply([ grep { $_ !~ $may } @calls[@open] ], [], "and may call on $schema only what reads the side they see");
		}
	}
}

# Whatever argument is omitted, no session ends and nothing is written.
sub check_nulls
{
	my $written = q{SELECT md5(string_agg(x, ' ' ORDER BY x)) FROM (SELECT d::text AS x FROM anonopt.dataset d UNION ALL SELECT a::text FROM anonopt.attribute a
		UNION ALL SELECT p::text FROM anonopt.published p UNION ALL SELECT c::text FROM anonopt.published_content c) s};
	my $before = ask('boss', $written);
	my $session = 0;
	my @calls;

	for my $function (functions())
	{
		my ($name, $oid, $types) = @$function;
		my @types = map { (split /:/)[-1] } split /;/, $types;
		s/^anyelement$/text/, s/^"any"$/text/ for @types;
		push @calls, "anonopt.$name(" . join(', ', map { "NULL::$_" } @types) . ')';
		push @calls, "anonopt.$name(" . join(', ', map { $types[$_] eq 'regclass' ? '0::oid::regclass' : "NULL::$types[$_]" } 0 .. $#types) . ')';
	}
	my $answer = hear('blind', join(";\n", map { "SELECT $_" } @calls) . ";\nSELECT 'alive'");
	like($answer, qr/^alive$/m, scalar(@calls) . ' calls with nothing: the session lives');
	unlike($answer, qr/server closed|XX00[12]/, 'and so does the server');
	my @internal = $answer =~ /(ERROR:  XX000: .*)/g;
	is_deeply([ grep { !/could not open relation with OID 0|cache lookup failed|nothing is written/ } @internal ], [], 'no error is internal');
	is(ask('boss', $written), $before, 'nothing is written');
}

# After SET ROLE, a session does not reveal what the first role did.
sub check_sessions
{
	$node->safe_psql('postgres', 'GRANT blind TO alice');
	is( ask('alice', q{
			SELECT count(*) FROM anonopt.lattice('whole');
			SELECT rows FROM anonopt.last_search();
			SET ROLE blind;
			SELECT count(rows) FROM anonopt.last_search();
			SELECT count(*) FROM anonopt.lattice('blind');
			RESET ROLE;
			SELECT rows FROM anonopt.last_search()}),
		"9\n80\n0\n3\n10", 'last_search tells a role only what it may become');
	ask('alice', q{
		SET search_path = whole;
		CREATE FUNCTION label(text) RETURNS text LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN anonopt.generalize($1, 'whole.zips'::regclass, 1); END $$;
		CREATE FUNCTION first_label() RETURNS text LANGUAGE sql STABLE SECURITY DEFINER AS $$ SELECT whole.label('z0') $$});
	like(hear('blind', q{SELECT whole.first_label(), whole.label('z1')}), qr/ERROR:  42501.*table zips/, 'a hierarchy read as one role is not used by another');
	is(ask('blind', q{SELECT whole.first_label()}), 'HIDDEN leaf', 'though it is for the first');
	$node->safe_psql('postgres', 'REVOKE blind FROM alice');
}

# ------------------------------------------------------- the whole way, by any name

# Every kind of call, as a template: {i:x} is an identifier, {l:x} a literal and
# {q:x} a literal of a qualified name.  Templates that show names begin with a
# dash.
my @way = (
	q{SELECT anonopt.create_interval_hierarchy({q:ages}, 0, 99, '{10,50}') IS NULL},
	q{SELECT anonopt.create_range_hierarchy({q:pays}, 0, 100, 10, '{50}') IS NULL},
	q{SELECT anonopt.create_mask_hierarchy({q:zips}, {q:people}, {l:zip}) IS NULL},
	q{SELECT anonopt.create_date_hierarchy({q:dates}, '2024-01-01', '2024-12-31', '{month,quarter}') IS NULL},
	q{SELECT anonopt.create_quantile_hierarchy({q:quantiles}, {q:people}, {l:age}, '{4,2}') IS NULL},
	q{SELECT anonopt.create_tree_hierarchy({q:tree}, {q:edges}) IS NULL},
	q{SELECT anonopt.create_top_coded_hierarchy({q:coded}, 0, 99, 90, 18) IS NULL},
	q{SELECT anonopt.create_rounding_hierarchy({q:rounded}, 0, 99, '{5}') IS NULL},
	q{SELECT anonopt.create_frequency_hierarchy({q:frequent}, {q:people}, {l:zip}, 2) IS NULL},
	q{SELECT anonopt.create_prefix_hierarchy({q:prefixes}, {q:people}, {l:zip}, '{2,1}', '0') IS NULL},
	q{SELECT anonopt.create_csv_hierarchy({q:csv}, E'1;a;*\n2;b;*\n1;a;*', type => 'integer') IS NULL},
	(map { "SELECT * FROM {i:schema}.{i:$_}" } qw(ages pays zips dates quantiles tree coded rounded frequent prefixes csv)),
	q{SELECT anonopt.create_dataset({l:set}, {q:people}, 0.05, person => {l:nr})},
	q{SELECT anonopt.add_quasi_identifier({l:set}, {l:age}, {q:ages}, 2), anonopt.add_quasi_identifier({l:set}, {l:zip}, {q:zips}),
		anonopt.add_quasi_identifier({l:set}, {l:pay}, {q:pays}), anonopt.add_quasi_identifier({l:set}, {l:born}, {q:dates}, max_level => 3)},
	q{SELECT anonopt.add_sensitive({l:set}, {l:illness}, 'hierarchical', {q:tree}), anonopt.set_class_label({l:set}, {l:illness}),
		anonopt.set_identifier({l:set}, {l:nr}), anonopt.set_insensitive({l:set}, {l:illness}), anonopt.set_sensitivity({l:set}, {l:zip}, {q:weights})},
	q{SELECT anonopt.set_owner_sensitivity({l:set}, {l:zip}, {l:age})},
	q{SELECT levels, generalized, risk FROM anonopt.aruba({l:set}, 2, key => {l:nr}, dictionaries => ARRAY[{q:people}, {q:people}]::pg_catalog.regclass[], dictionary_weights => '{1,2}') x ORDER BY x},
	q{SELECT anonopt.set_owner_sensitivity({l:set}, {l:zip}, NULL)},
	q{-SELECT * FROM anonopt.describe({l:set})},
	q{-SELECT anonopt.read_sql({l:set})},
	q{SELECT role, levels, domain, observed, nulls, weight, problem FROM anonopt.describe({l:set})},
	q{SELECT * FROM anonopt.check_hierarchy({q:zips})},
	q{SELECT anonopt.generalize('17', {q:ages}, 1), anonopt.generalize(17, {q:ages}, 2), anonopt.generalize(12.5, {q:pays}, 1)},
	q{SELECT anonopt.lattice_size({l:set})},
	q{SELECT * FROM anonopt.lattice({l:set}, l => 2) x ORDER BY x LIMIT 100},
	q{SELECT * FROM anonopt.evaluate({l:set}, '{1,1,1,1}', k => 2, t => 0.9)},
	q{SELECT levels, feasible, k, t, suppressed FROM anonopt.optimize({l:set}, k => 3)},
	q{SELECT level, labels, loss FROM anonopt.node_detail({l:set}, '{1,1,1,1}')},
	q{SELECT * FROM anonopt.suppressed_classes({l:set}, '{1,1,1,1}', k => 3)},
	q{SELECT anonopt.k_anonymity({q:people}, ARRAY[{l:age},{l:zip}]::pg_catalog.name[]), anonopt.l_diversity({q:people}, ARRAY[{l:age}]::pg_catalog.name[], {l:illness}),
		anonopt.entropy_l_diversity({q:people}, ARRAY[{l:age}]::pg_catalog.name[], {l:illness}),
		anonopt.t_closeness({q:people}, ARRAY[{l:age}]::pg_catalog.name[], {l:illness}, 'hierarchical', {q:tree})},
	q{SELECT * FROM anonopt.risk({q:people}, ARRAY[{l:age},{l:zip}]::pg_catalog.name[])},
	q{SELECT attack, people, certain, highest, expected, baseline FROM anonopt.attack({q:people}, quasi_identifiers => ARRAY[{l:age},{l:zip}]::pg_catalog.name[], sensitive => ARRAY[{l:illness}]::pg_catalog.name[],
		known => ARRAY[{l:zip},{l:illness}]::pg_catalog.name[])},
	q{SELECT * FROM anonopt.pareto({l:set}, '{k,t,nwp}')},
	q{SELECT * FROM anonopt.poka({l:set})},
	q{SELECT * FROM anonopt.pbg_ea({l:set}, iterations => 10, seed => 1)},
	q{SELECT * FROM anonopt.archive_quality({l:set}, '{k,glm}', '{{1,1,1,1},{2,2,2,2}}')},
	q{SELECT anonopt.hypervolume({l:set}, '{k,glm}', '{{1,1,1,1},{2,2,2,2}}')},
	q{SELECT anonopt.igd_plus({l:set}, '{k,glm}', '{{1,1,1,1},{2,2,2,2}}')},
	q{SELECT algorithm, rows, tuples, nodes, evaluated, exact FROM anonopt.last_search()},
	q{SELECT * FROM anonopt.progress},
	q{SELECT * FROM anonopt.efficiency({l:set}, 3, 0.1, 0.1) x ORDER BY x LIMIT 50},
	q{SELECT * FROM anonopt.nsga2({l:set}, 3, 0.1, 0.1, 20, 200, seed => 1)},
	q{SELECT * FROM anonopt.reference_direction({l:set}, 3, '{0.1,0.1}', '{0.3,0.3}', 2, 20, 100, seed => 1)},
	q{SELECT * FROM anonopt.aruba({l:set}, 3, key => {l:nr}) ORDER BY 1},
	q{SELECT * FROM anonopt.btda({l:set}, 3, 'entropy', 'leaves', {q:words}, 0.8) ORDER BY 1 LIMIT 10},
	q{SELECT * FROM anonopt.aruba_budget({l:set}, 0.2, key => {l:nr}) ORDER BY 1 LIMIT 10},
	q{SELECT * FROM anonopt.property_vector({l:set}, '{1,1,1,1}', 'others_count', {l:nr}) ORDER BY 1},
	q{SELECT * FROM anonopt.compare({l:set}, '{1,1,1,1}', '{2,2,2,2}')},
	q{SELECT * FROM anonopt.tournament({l:set}, '{{1,1,1,1},{2,2,2,2}}', 'class_size', 'p_spr')},
	q{-SELECT anonopt.view_sql('x', {l:set}, '{2,2,1,3}', k => 2, l => 2)},
	q{SELECT anonopt.create_view({q:seen}, {l:set}, '{2,2,1,3}', k => 2) IS NULL},
	q{SELECT anonopt.publish_table({q:shown}, {l:set}, '{3,3,2,3}', k => 2, l => 2, columns => ARRAY[{l:illness}]::pg_catalog.name[], suppressed => 'star') IS NULL},
	q{SELECT anonopt.publish_table({q:close}, {l:set}, '{3,3,2,3}', k => 2, t => 0.9) IS NULL},
	q{SELECT anonopt.create_dataset({l:other}, {q:people}, 0.05), anonopt.add_quasi_identifier({l:other}, {l:age}, {q:ages})},
	q{SELECT anonopt.create_view({q:live}, {l:other}, '{1}', k => 2, materialized => false) IS NULL},
	q{SELECT anonopt.publish_table({q:cut}, {l:other}, cuts => ARRAY[pg_catalog.repeat('0', 99)::pg_catalog.varbit], k => 2) IS NULL},
	q{SELECT anonopt.publish_records({q:records}, {l:other}, 1, {l:nr}, k => 1) IS NULL},
	(map { "SELECT * FROM {i:schema}.{i:$_} x ORDER BY x" } qw(seen shown close live cut records)),
	(map { "SELECT promised_k, k, promised_l, l, rows, ok, promised_t, t, others, filled_at IS NULL FROM anonopt.verify({q:$_})" } qw(seen shown close live cut records)),
	(map { "SELECT anonopt.refresh_release({q:$_})" } qw(seen shown close cut records)),
	q{SELECT * FROM {i:schema}.{i:shown} x ORDER BY x},
	q{-SELECT * FROM anonopt.release_risk({l:set})},
	q{SELECT k, smallest FROM anonopt.release_risk({l:set})},
	q{-SELECT release, dataset, levels, cuts, k, l, t, measures, published_by, dropped, name, form FROM anonopt.release ORDER BY name},
	q{-SELECT anonopt.report({l:set})},
	q{SELECT anonopt.front_svg({l:set})},
	q{SELECT distinction, separation, uniques, labelled FROM anonopt.suggest_quasi_identifiers({q:people}) ORDER BY 1, 2, 3},
	(map { "SELECT anonopt.drop_release({q:$_})" } qw(seen shown close live cut records)),
	q{SELECT levels FROM anonopt.auto_dataset({l:third}, {q:people}, ARRAY[{l:age},{l:zip},{l:pay},{l:born}]::pg_catalog.name[])},
	q{SELECT k, classes, glm FROM anonopt.poka({l:third})},
	q{SELECT anonopt.drop_attribute({l:set}, {l:illness}, 'class_label')},
	q{SELECT anonopt.drop_dataset({l:set}), anonopt.drop_dataset({l:other}), anonopt.drop_dataset({l:third})});

sub identifier { return '"' . $_[0] =~ s/"/""/gr . '"' }
sub literal { return "E'" . $_[0] =~ s/([\\'])/$1$1/gr . "'" }

# A template, by names that a function makes of those in it
sub filled
{
	my ($template, $name) = @_;

	return $template =~ s/\{([ilq]):(\w+)\}/
		$1 eq 'i' ? identifier($name->($2))
		: $1 eq 'l' ? literal($name->($2))
		: literal(identifier($name->('schema')) . '.' . identifier($name->($2)))/gexr;
}

# Go all the way, under a setting: what was answered, and the errors
sub go
{
	my ($name, $setting, $before, @statements) = @_;
	my $schema = identifier($name->('schema'));

	ask('boss', 'DELETE FROM anonopt.dataset; DELETE FROM anonopt.attribute; DELETE FROM anonopt.published');
	ask('alice', filled(qq{DROP SCHEMA IF EXISTS $schema CASCADE; CREATE SCHEMA $schema;
		CREATE TABLE $schema.{i:people} AS
		SELECT i AS {i:nr}, 20 + i * 7 % 30 AS {i:age}, (ARRAY['111', '112', '121', '2'])[1 + i % 4] AS {i:zip}, (i * 13 % 90)::numeric AS {i:pay},
			date '2024-01-01' + i * 11 % 90 AS {i:born}, (ARRAY['flu', 'cold', 'gout'])[1 + i * i % 3] AS {i:illness}
		FROM generate_series(1, 60) i;
		CREATE TABLE $schema.{i:edges} (child text, parent text);
		INSERT INTO $schema.{i:edges} VALUES ('flu', 'infection'), ('cold', 'infection'), ('gout', 'other'), ('infection', '*'), ('other', '*');
		CREATE TABLE $schema.{i:weights} AS SELECT '111'::text AS value, 2.0::float8 AS weight;
		CREATE TABLE $schema.{i:words} AS TABLE $schema.{i:people}}, $name));
	$node->psql('clinic', join(";\n", $before, $setting, map { filled($_, $name) } @statements), stdout => \my $answer, stderr => \my $told,
		on_error_stop => 0, extra_params => [ '-U', 'alice' ]);
	return ($answer =~ s/made on [^.]*\.//r, join '', grep { /ERROR:/ } split /^/, $told);
}

sub check_names
{
	my @statements = grep { !/^-/ } @way;
	my ($expected, $told) = go(sub { "plain_$_[0]" }, 'SET search_path = public', 'SELECT', @statements);

	is($told, '', 'plain names are served');
	for my $odd ("it's", 'say "so"', "two\nlines ", '$$; DROP TABLE x; --', '\\\' %s %I $1', 'SELECT', 'ü' x 26)
	{
		my ($answer, $told) = go(sub { "$odd$_[0]" }, 'SET search_path = public', 'SELECT', @statements);
		my $shown = $odd =~ s/\n/ /r;

		is($told, '', "names like $shown are served");
		is($answer, $expected, 'with the same numbers');
	}
}

# ------------------------------------------------------------------ what hides others

# A schema of operators, functions, types and relations like PostgreSQL's own, each of which reports when it is
# called.
sub make_hostile
{
	$node->safe_psql('clinic', q{
		SET check_function_bodies = off;
		CREATE SCHEMA hostile;
		CREATE SEQUENCE hostile.calls;
		GRANT USAGE ON SCHEMA hostile TO PUBLIC;
		GRANT USAGE ON SEQUENCE hostile.calls TO PUBLIC;
		CREATE FUNCTION hostile.make(name text, arguments text, result text) RETURNS void LANGUAGE plpgsql AS $$
		BEGIN
			EXECUTE format('CREATE FUNCTION hostile.%I(%s) RETURNS %s LANGUAGE plpgsql SET search_path = pg_catalog AS %L', name, arguments, result,
				format('BEGIN PERFORM nextval(''hostile.calls''); RAISE EXCEPTION ''hostile %s''; END', replace(name, '''', '')));
		END $$;
		DO $$
		DECLARE
			o record;
			made int := 0;
		BEGIN
			FOR o IN SELECT oid, oprname, oprleft, oprright, oprresult FROM pg_operator WHERE oprnamespace = 'pg_catalog'::regnamespace AND oprcode <> 0
					AND oprleft NOT IN ('"any"'::regtype) AND oprright NOT IN ('"any"'::regtype) LOOP
				PERFORM hostile.make('operator_' || o.oid, concat_ws(', ', nullif(o.oprleft, 0)::regtype, o.oprright::regtype), o.oprresult::regtype::text);
				EXECUTE format('CREATE OPERATOR hostile.%s (%s RIGHTARG = %s, FUNCTION = hostile.%I)', o.oprname,
					'LEFTARG = ' || nullif(o.oprleft, 0)::regtype || ',', o.oprright::regtype, 'operator_' || o.oid);
			END LOOP;
			FOR o IN SELECT proname, pg_get_function_identity_arguments(p.oid) AS arguments, pg_get_function_result(p.oid) AS result, prokind, p.oid, proargtypes
					FROM pg_proc p WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind IN ('f', 'a') AND provariadic = 0
					AND NOT EXISTS (SELECT FROM unnest(array_append(proargtypes::oid[], prorettype)) t
						JOIN pg_type y ON y.oid = t WHERE y.typtype = 'p' AND typname NOT LIKE 'any_%') LOOP
				BEGIN
					IF o.prokind = 'f' THEN
						PERFORM hostile.make(o.proname, oidvectortypes(o.proargtypes), regexp_replace(o.result, '^TABLE.*', 'SETOF record'));
					ELSE
						PERFORM hostile.make('step_' || o.oid, concat_ws(', ', 'int', nullif(oidvectortypes(o.proargtypes), '')), 'int');
						EXECUTE format('CREATE AGGREGATE hostile.%I(%s) (SFUNC = hostile.%I, STYPE = int)', o.proname,
							coalesce(nullif(oidvectortypes(o.proargtypes), ''), '*'), 'step_' || o.oid);
					END IF;
					made := made + 1;
				EXCEPTION WHEN OTHERS THEN
				END;
			END LOOP;
			IF made < 1500 THEN
				RAISE EXCEPTION 'only % functions are hostile', made;
			END IF;
			PERFORM hostile.make('format', 'text, VARIADIC text[]', 'text'), hostile.make('concat', 'VARIADIC text[]', 'text'),
				hostile.make('num_nonnulls', 'VARIADIC anyarray', 'int');
			FOR o IN SELECT typname FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype IN ('b', 'r') AND typcategory <> 'A'
					AND typname NOT LIKE 'pg\_%' LOOP
				EXECUTE format('CREATE DOMAIN hostile.%I AS pg_catalog.%1$I CHECK (false)', o.typname);
			END LOOP;
			FOR o IN SELECT relname, string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)), ', ' ORDER BY attnum) AS columns
					FROM pg_class c JOIN pg_attribute a ON attrelid = c.oid
					WHERE relkind IN ('r', 'v') AND relnamespace IN ('pg_catalog'::regnamespace, 'anonopt'::regnamespace) AND relname !~ '^pg_stat'
						AND attnum > 0 AND NOT attisdropped AND atttypid <> 'anyarray'::regtype AND attname <> 'xmin' GROUP BY relname LOOP
				EXECUTE format('CREATE TABLE hostile.%I (%s)', o.relname, o.columns);
			END LOOP;
			CREATE COLLATION hostile."C" FROM "POSIX";
			CREATE COLLATION hostile."default" FROM "POSIX";
		END $$;
		GRANT SELECT ON ALL TABLES IN SCHEMA hostile TO PUBLIC});
}

sub check_hostile
{
	my $name = sub { $_[0] eq 'schema' ? 'flow' : $_[0] };
	my @statements = map { s/^-//r } @way;
	my ($expected, $told) = go($name, 'SET search_path = public', 'SELECT', @statements);
	my $date = qr{>date</th><td>\K[^<]*};
	my $moment = qr{\d{4}-\d\d-\d\d \d\d:\d\d UTC};
	$expected =~ s/$date|$moment//g;
	# of the caller's own session, which is looked at first unless said otherwise
	my $temporary = join ';', 'SET search_path = public',
	  (map { "CREATE TEMP TABLE $_ (LIKE hostile.$_)" } qw(pg_class pg_attribute pg_type pg_proc pg_roles pg_depend pg_description pg_index pg_constraint
		pg_rewrite pg_opclass pg_am pg_seclabel)),
	  (map { "CREATE TEMP TABLE $_ (LIKE hostile.$_)" } qw(dataset attribute published published_content release)),
	  (map { "CREATE DOMAIN pg_temp.$_ AS pg_catalog.$_ CHECK (false)" } qw(text int4 int8 name float8 numeric jsonb oid regclass bool varbit)),
	  'CREATE TEMP VIEW people AS SELECT 1 AS nr', 'CREATE TEMP TABLE anonopt_suggestion (x int)';

	is($told, '', 'the whole way is gone');
	cmp_ok(() = $expected =~ /\n/g, '>', 900, 'and tells much');
	like(hear('alice', 'SET search_path = hostile, pg_catalog; SELECT 1 + 1'), qr/hostile operator/, 'hostile operators work');
	like(hear('alice', 'SET search_path = hostile, pg_catalog; SELECT count(*) FROM pg_catalog.pg_class'), qr/hostile step/, 'so do aggregates');
	like(hear('alice', "SET search_path = hostile, pg_catalog; SELECT 'x'::text"), qr/violates check/, 'and types');
	$node->safe_psql('clinic', 'ALTER SEQUENCE hostile.calls RESTART');
	for my $path ('hostile, pg_catalog, public', 'pg_temp, hostile, public, pg_catalog', 'hostile', 'pg_catalog, pg_temp, hostile')
	{
		my ($answer, $told) = go($name, "SET search_path = $path", $temporary, @statements);
		$answer =~ s/$date|$moment//g;

		is($told, '', "the whole way is gone by $path");
		ok($answer eq $expected, 'all answers are the same') or differ($expected, $answer);
		is($node->safe_psql('clinic', 'SELECT is_called FROM hostile.calls'), 'f', 'and nothing hostile was called');
	}
}

# Where two texts begin to differ
sub differ
{
	my @lines = map { [ split /\n/ ] } @_;

	for my $i (0 .. $#{ $lines[0] })
	{
		next if $lines[0][$i] eq ($lines[1][$i] // '');
		diag("expected $lines[0][$i]\nbut got  ", $lines[1][$i] // 'nothing');
		return;
	}
}

# --------------------------------------------------------------------- the run

check_installation();
check_catalogs();
check_false_rows();
make_people();
check_blind();
check_half_sighted();
check_nulls();
check_sessions();
make_hostile();
check_hostile();
check_names();
unlike(slurp_file($node->logfile), qr/was terminated by signal/, 'no backend has crashed');
$node->stop;
done_testing();
