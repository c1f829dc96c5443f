#!/usr/bin/env perl
#
# Declarations and releases survive a dump, an update of the extension, and the
# promotion of a standby; and the user's objects survive the extension.

use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Server;
use Test::More;

my $dumps = PostgreSQL::Test::Utils::tempdir;
my $node = Server->new('lasting');

# Queries whose answers must be the same, by name
my %questions = (
	describe => q{describe('people')},
	lattice => q{lattice('people', l => 2, t => 0.9)},
	counted => q{lattice('counted', l => 2)},
	pareto => q{pareto('people', '{k,t,nwp}')},
	poka => q{poka('people')},
	pbg_ea => q{pbg_ea('people', iterations => 20, seed => 1)},
	efficiency => q{efficiency('people', 3, 0.1, 0.1)},
	nsga2 => q{nsga2('people', 3, 0.1, 0.1, 20, 200, seed => 1)},
	reference_direction => q{reference_direction('people', 3, '{0.1,0.1}', '{0.3,0.3}', 2, 20, 100, seed => 1)},
	aruba => q{aruba('people', 2, key => 'nr')},
	btda => q{btda('people', 2, 'identity', 'leaves', 'words', key => 'nr')},
	property_vector => q{property_vector('people', '{1,1}', 'others_count', 'nr')},
	compare => q{compare('people', '{1,1}', '{2,2}')},
	check_hierarchy => q{check_hierarchy('ages')},
	generalize => q{generalize('17', 'ages', 1)},
	t_closeness => q{t_closeness('people', '{age}', 'illness', 'hierarchical', 'illnesses')},
	risk => q{risk('people', '{age,zip}')},
	suggest => q{suggest_quasi_identifiers('people')},
	read_sql => q{read_sql('people')},
	view_sql => q{view_sql('x', 'people', '{2,2}', k => 2, l => 2)},
	front_svg => q{front_svg('people')},
	report => q{report('people')},
	(map { ("verify_$_" => "verify('$_')") } qw(seen shown starred live records recoded_seen recoded_shown recoded_live)),
	recoding => q{evaluate_recoding('some', 'classes', k => 3)},
	recoding_classes => q{recoding_classes('some', 'classes')},
	release => 'release',
	attribute => 'attribute',
	release_risk => q{release_risk('people')});

sub make_data
{
	ask($node, 'clinic', q{
		CREATE EXTENSION anonopt;
		CREATE TABLE people AS SELECT i AS nr, i * 7 % 40 AS age, (ARRAY['111', '112', '121', '2'])[1 + i % 4] AS zip,
			(ARRAY['flu', 'cold', 'gout'])[1 + i * i % 3] AS illness FROM generate_series(1, 300) i;
		ALTER TABLE people ADD PRIMARY KEY (nr);
		CREATE TABLE words AS SELECT age, zip FROM people WHERE nr % 3 > 0;
		CREATE TABLE weights AS SELECT '111'::text AS value, 2.0::float8 AS weight;
		CREATE TABLE illnesses (value text PRIMARY KEY, kind text, anything text);
		INSERT INTO illnesses VALUES ('flu', 'infection', '*'), ('cold', 'infection', '*'), ('gout', 'other', '*');
		SELECT anonopt.create_interval_hierarchy('ages', 0, 39, '{5,20}'), anonopt.create_mask_hierarchy('zips', 'people', 'zip');
		SELECT anonopt.create_dataset('people', 'people', 0.1, person => 'nr'), anonopt.add_quasi_identifier('people', 'age', 'ages', 2.5),
			anonopt.add_quasi_identifier('people', 'zip', 'zips', 1, 1), anonopt.set_sensitivity('people', 'zip', 'weights'),
			anonopt.add_sensitive('people', 'illness', 'hierarchical', 'illnesses'), anonopt.set_identifier('people', 'nr');
		CREATE TABLE counted AS TABLE people;
		SELECT anonopt.create_dataset('counted', 'counted'), anonopt.add_quasi_identifier('counted', 'age', 'ages'),
			anonopt.add_sensitive('counted', 'illness'), anonopt.create_tuple_store('counted', track => true);
		SELECT anonopt.create_dataset('some', 'people'), anonopt.add_quasi_identifier('some', 'age', 'ages'), anonopt.add_sensitive('some', 'illness');
		SELECT anonopt.create_view('seen', 'people', '{2,2}', k => 2, l => 2), anonopt.publish_table('shown', 'people', '{1,3}', k => 2, t => 0.9),
			anonopt.publish_table('starred', 'some', '{1}', k => 2, suppressed => 'star'), anonopt.publish_records('records', 'some', 1, 'nr', k => 1),
			anonopt.create_view('live', 'some', '{2}', k => 2, materialized => false);
		SELECT anonopt.create_recoding('classes', 'some', k => 3, seed => 1);
		SELECT anonopt.create_view('recoded_seen', 'some', k => 2, recoding => 'classes'), anonopt.publish_table('recoded_shown', 'some', k => 2, recoding => 'classes', labels => 'range'),
			anonopt.create_view('recoded_live', 'some', k => 2, materialized => false, recoding => 'classes');
		INSERT INTO people VALUES (301, 3, '111', 'flu'), (302, 3, '111', 'cold');
		SELECT anonopt.refresh_release('seen'), anonopt.refresh_release('shown'), anonopt.refresh_release('records'), anonopt.refresh_release('recoded_seen');
		-- of people enough for workers
		CREATE TABLE large AS SELECT abs(hashint4(i) % 40) AS a, abs(hashint4(i + 1) % 40) AS b, abs(hashint4(i * 3) % 40) AS c, abs(hashint4(i * 5) % 40) AS d,
			abs(hashint4(i * 7) % 40) AS e
		FROM generate_series(1, 52000) i;
		SELECT anonopt.create_dataset('large', 'large');
		SELECT anonopt.add_quasi_identifier('large', q, 'ages') FROM unnest('{a,b,c,d,e}'::name[]) q}, 'boss');
}

# ------------------------------------------------------------------ questions

sub ask
{
	my ($on, $database, $sql, @role) = @_;
	my $status = $on->psql($database, "SET client_min_messages = error;\n$sql", stdout => \my $answer, stderr => \my $told, extra_params => [ map { ('-U', $_) } @role ]);

	if ($status != 0)
	{
		fail('what must succeed does');
		diag(substr($sql, 0, 300), "\n", $told);
	}
	return $answer;
}

sub refusal
{
	my ($on, $database, $sql, @role) = @_;
	$on->psql($database, $sql, stderr => \my $told, extra_params => [ '-v', 'VERBOSITY=sqlstate', map { ('-U', $_) } @role ]);
	return $told =~ /ERROR:  (\w{5})/ ? $1 : $told;
}

# The answers to all questions, a line each; numbers of relations and times of making are no answer
sub answers
{
	my ($on, $database, @role) = @_;
	my $sql = join "\nUNION ALL ", map {
		"SELECT '$_ ' || coalesce(string_agg(regexp_replace(x::text, 'made on [^.]*[.]|<td>date</td><td>[^<]*', '', 'g'), '; ' ORDER BY x::text COLLATE \"C\"), '') FROM anonopt.$questions{$_} x" }
	  sort keys %questions;

	return ask($on, $database, $sql, @role);
}

# Compares much text, and shows where it begins to differ
sub same
{
	my ($got, $expected, $what) = @_;
	my @got = split /\n/, $got;
	my @expected = split /\n/, $expected;

	return if ok($got eq $expected, $what);
	for my $i (0 .. $#expected)
	{
		next if ($got[$i] // '') eq $expected[$i];
		diag('got      ', substr($got[$i] // 'nothing', 0, 2000), "\nexpected ", substr($expected[$i], 0, 2000));
		return;
	}
}

# --------------------------------------------------------------- dump and restore

# Two cases that other tests do not cover: restoring with other owners, and in parts.
sub check_dumps
{
	my $elsewhere = Server->new('elsewhere');
	my $before = answers($node, 'clinic', 'boss');
	my $lines = () = $before =~ /^/mg;

	$elsewhere->init(extra => [ '-U', 'keeper' ]);
	$elsewhere->start;
	cmp_ok(length $before, '>', 20000, 'there is much to compare');
	cmp_ok($lines, '>=', keys %questions, 'of every kind');

	# the roles that are written down are not there
	$node->command_ok([ 'pg_dump', '-Fc', '-f', "$dumps/whole", '-d', $node->connstr('clinic') ], 'a superuser dumps');
	ask($elsewhere, 'postgres', 'CREATE ROLE heir LOGIN; CREATE DATABASE inherited OWNER heir', 'keeper');
	$elsewhere->command_ok([ 'pg_restore', '-U', 'heir', '--no-owner', '--no-acl', '-d', $elsewhere->connstr('inherited'), "$dumps/whole" ],
		'another who is none restores elsewhere, where the owner is not');
	same(answers($elsewhere, 'inherited', 'heir'), $before, 'with the same answers');
	is( ask($elsewhere, 'inherited', q{SELECT anonopt.drop_attribute('people', 'illness'), anonopt.drop_dataset('some'); SELECT count(*) FROM anonopt.dataset}, 'heir'),
		"|\n3", 'and changes what is declared, since it is their database');

	# schema and data apart, as pg_upgrade and careful people do
	$node->command_ok([ 'pg_dump', '-Fp', "--section=$_", '-f', "$dumps/$_", '-d', $node->connstr('clinic') ], "the section $_") for qw(pre-data data post-data);
	ask($elsewhere, 'postgres', 'CREATE ROLE boss LOGIN; CREATE DATABASE parts OWNER boss', 'keeper');
	$elsewhere->command_ok([ 'psql', '-Xq', '-U', 'boss', '-v', 'ON_ERROR_STOP=1', '-f', "$dumps/$_", '-d', $elsewhere->connstr('parts') ], "is restored: $_")
	  for qw(pre-data data post-data);
	same(answers($elsewhere, 'parts', 'boss'), $before, 'with the same answers');

	# and once more from there
	$elsewhere->command_ok([ 'pg_dump', '-U', 'boss', '-Fd', '-f', "$dumps/again", '-d', $elsewhere->connstr('parts') ], 'it is dumped again');
	$node->safe_psql('postgres', 'CREATE DATABASE returned OWNER boss');
	$node->command_ok([ 'pg_restore', '-U', 'boss', '-j', 2, '-d', $node->connstr('returned'), "$dumps/again" ], 'and restored at home');
	same(answers($node, 'returned', 'boss'), $before, 'with the same answers');
	is(ask($node, 'returned', "SELECT problem FROM anonopt.describe('counted') WHERE role = 'tuple_store'", 'boss'), 'it was restored and has not been counted since',
		'a tuple store that was restored is not believed');
	is(ask($node, 'returned', "SELECT FROM anonopt.refresh_tuple_store('counted'); SELECT problem IS NULL FROM anonopt.describe('counted') WHERE role = 'tuple_store'", 'boss'), 't',
		'before it is counted anew');
	same(answers($node, 'returned', 'boss'), $before, 'and then there are the same answers');
	is(ask($node, 'returned', "SELECT anonopt.refresh_release('seen'), anonopt.refresh_release('records'); SELECT anonopt.drop_release('live')", 'boss'), "|\n",
		'releases are made anew and dropped there');
	is(ask($node, 'returned', "INSERT INTO people VALUES (303, 39, '2', 'gout'), (304, 38, '2', 'gout'); SELECT anonopt.refresh_release('recoded_' || f) FROM unnest('{seen,shown,live}'::text[]) f;
			SELECT (SELECT count(*) FROM recoded_seen) - count(*), (SELECT count(*) FROM recoded_shown) - count(*), (SELECT count(*) FROM recoded_live) - count(*) FROM people", 'boss'),
		"\n\n\n0|0|0", 'and find their recoding and its tuples');
	$elsewhere->stop;
}

# ------------------------------------------------------------------- versions

# Everything that belongs to the extension, as it is defined
my $objects = q{
	SELECT identity || ': ' || concat_ws(' ',
		CASE WHEN m.classid = 'pg_proc'::regclass AND p.prokind <> 'a' THEN pg_get_functiondef(m.objid) END,
		p.procost, p.proacl, (SELECT (a.aggfnoid::regprocedure, a.aggkind, a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggserialfn, a.aggdeserialfn, a.aggtranstype::regtype, a.agginitval, p.proparallel)::text FROM pg_aggregate a WHERE m.classid = 'pg_proc'::regclass AND a.aggfnoid = m.objid),
		CASE WHEN m.classid = 'pg_class'::regclass AND c.relkind = 'v' THEN pg_get_viewdef(m.objid) END,
		c.relkind, c.relacl, c.reloptions, c.relpersistence,
		(SELECT string_agg(concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attacl, pg_get_expr(d.adbin, d.adrelid)), ', ' ORDER BY a.attnum)
			FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
			WHERE m.classid = 'pg_class'::regclass AND a.attrelid = m.objid AND a.attnum > 0 AND NOT a.attisdropped),
		(SELECT string_agg(conname || ' ' || pg_get_constraintdef(oid), ', ' ORDER BY conname) FROM pg_constraint WHERE m.classid = 'pg_class'::regclass AND conrelid = m.objid),
		(SELECT string_agg(pg_get_indexdef(indexrelid), ', ' ORDER BY indexrelid::regclass::text) FROM pg_index WHERE m.classid = 'pg_class'::regclass AND indrelid = m.objid),
		(SELECT string_agg(pg_get_triggerdef(oid), ', ' ORDER BY tgname) FROM pg_trigger WHERE m.classid = 'pg_class'::regclass AND tgrelid = m.objid AND NOT tgisinternal),
		(SELECT extcondition[i] FROM unnest(e.extconfig) WITH ORDINALITY x (o, i) WHERE m.classid = 'pg_class'::regclass AND o = m.objid),
		(SELECT nspacl FROM pg_namespace WHERE m.classid = 'pg_namespace'::regclass AND oid = m.objid),
		(SELECT string_agg(concat_ws(' ', typtype, typcategory, typlen, typacl), '') FROM pg_type WHERE m.classid = 'pg_type'::regclass AND oid = m.objid),
		obj_description(m.objid, m.classid::regclass::name))
	FROM pg_extension e JOIN pg_depend m ON m.refclassid = 'pg_extension'::regclass AND m.refobjid = e.oid AND m.deptype = 'e'
		CROSS JOIN LATERAL pg_identify_object(m.classid, m.objid, 0)
		LEFT JOIN pg_proc p ON m.classid = 'pg_proc'::regclass AND p.oid = m.objid
		LEFT JOIN pg_class c ON m.classid = 'pg_class'::regclass AND c.oid = m.objid
	WHERE e.extname = 'anonopt' ORDER BY 1};

# Updates from every released version to the current one: the same objects as if it had been created now, and the same answers. A
# release leaves its install script in sql/, beside the script that leads from it to the next.
sub check_versions
{
	my ($default) = slurp_file("$ENV{TESTDIR}/anonopt.control") =~ /^default_version = '(.*)'/m;
	my @scripts = map { m{anonopt--(.*)\.sql$} } glob "$ENV{TESTDIR}/sql/anonopt--*.sql";
	my @versions = sort { version->parse($a) <=> version->parse($b) } grep { !/--/ } @scripts;
	my ($data) = slurp_file("$ENV{TESTDIR}/Makefile") =~ /^DATA_built = (.*)/m;

	like(slurp_file("$ENV{TESTDIR}/META.json"), qr/"version": "\Q$default\E/, "META.json tells of version $default");
	is($versions[-1], $default, 'the newest version is the default one');
	is(join(' ', sort grep { !/\*/ } split ' ', $data), join(' ', sort map { "sql/anonopt--$_.sql" } @scripts), 'all scripts are installed') unless $data =~ /\*/;
	ask($node, 'postgres', 'CREATE DATABASE fresh');
	ask($node, 'fresh', 'CREATE EXTENSION anonopt');
	my $fresh = ask($node, 'fresh', $objects);
	cmp_ok(() = $fresh =~ /^\S+.*: /mg, '>', 120, 'the extension has many objects');

	# the comparison sees what differs
	for my $change ('ALTER FUNCTION anonopt.jaro COST 77', 'REVOKE EXECUTE ON FUNCTION anonopt.jaro FROM PUBLIC', 'COMMENT ON TABLE anonopt.dataset IS NULL',
		'ALTER TABLE anonopt.published ADD x int', 'CREATE INDEX more ON anonopt.published (name)', 'GRANT SELECT ON anonopt.published TO PUBLIC',
		'ALTER TABLE anonopt.attribute DROP CONSTRAINT attribute_weight_check', 'ALTER EXTENSION anonopt DROP VIEW anonopt.progress')
	{
		isnt(ask($node, 'fresh', "BEGIN; $change; $objects"), $fresh, "a difference is seen: $change");
	}

	for my $version (@versions)
	{
		my $database = "from_$version" =~ s/\W/_/gr;
		is($node->safe_psql('postgres', "SELECT count(*) FROM pg_extension_update_paths('anonopt') WHERE source = '$version' AND target = '$default' AND path IS NULL"),
			0, "a path leads from $version");
		ask($node, 'postgres', "CREATE DATABASE $database");
		ask($node, $database, "CREATE EXTENSION anonopt VERSION '$version'");
		make_rows($database);
		my $before = rows($database);
		ask($node, $database, 'ALTER EXTENSION anonopt UPDATE');
		is(ask($node, $database, "SELECT extversion FROM pg_extension WHERE extname = 'anonopt'"), $default, "$version becomes $default");
		same(ask($node, $database, $objects), $fresh, 'with the same objects as a new one');
		is(rows($database), $before, 'declarations and releases give the same answers');
	}
	note 'There is one version as yet, which leads to itself.' if @versions == 1;
}

# What every version can declare and publish
sub make_rows
{
	my ($database) = @_;
	ask($node, $database, q{
		CREATE TABLE numbers AS SELECT i % 10 AS a, 's' || i % 3 AS s FROM generate_series(1, 100) i;
		SELECT anonopt.create_interval_hierarchy('tens', 0, 9, '{5}');
		SELECT anonopt.create_dataset('numbers', 'numbers'), anonopt.add_quasi_identifier('numbers', 'a', 'tens'), anonopt.add_sensitive('numbers', 's');
		SELECT anonopt.publish_table('shown', 'numbers', '{1}', k => 2), anonopt.create_view('seen', 'numbers', '{1}', k => 2)});
}

sub rows
{
	my ($database) = @_;
	return ask($node, $database, q{
		SELECT levels, k, l, glm FROM anonopt.lattice('numbers') ORDER BY levels;
		SELECT name, v.k, v.ok FROM anonopt.release r, anonopt.verify(r.release) v ORDER BY name;
		SELECT releases, k, smallest FROM anonopt.release_risk('numbers')});
}

# -------------------------------------------------------------- without the extension

sub check_drop
{
	my $rows = $Server::define_contents . q{SELECT c.oid::regclass, c.relkind, pg_temp.contents(c.oid)
		FROM pg_class c WHERE relkind IN ('r', 'm', 'v') AND relnamespace = 'public'::regnamespace
			AND relname NOT LIKE 'anonopt_tuples_%' ORDER BY c.oid};

	$node->safe_psql('postgres', 'CREATE DATABASE leaving OWNER boss TEMPLATE clinic');
	my $before = ask($node, 'leaving', $rows, 'boss');
	ask($node, 'leaving', 'DROP EXTENSION anonopt', 'boss');
	same(ask($node, 'leaving', $rows, 'boss'), $before, 'tables, hierarchies and releases outlive the extension, which goes without CASCADE');
	is(ask($node, 'leaving', q{SELECT count(*) FROM pg_namespace WHERE nspname = 'anonopt'}, 'boss'), 0, 'it leaves no schema');
	ask($node, 'leaving', 'REFRESH MATERIALIZED VIEW seen', 'boss');
	is(ask($node, 'leaving', 'SELECT count(*) > 0 FROM seen', 'boss'), 't', 'a materialized view can still be refreshed');
	ask($node, 'leaving', 'CREATE EXTENSION anonopt', 'boss');
	is(ask($node, 'leaving', q{SELECT (SELECT count(*) FROM anonopt.dataset), (SELECT count(*) FROM anonopt.release)}, 'boss'), '0|0', 'a new one knows nothing');
}

# ----------------------------------------------------------------------- standby

sub check_standby
{
	my $standby = Server->new('standby');
	my $before = answers($node, 'clinic', 'boss');

	$node->backup('copy');
	$standby->init_from_backup($node, 'copy', has_streaming => 1);
	$standby->start;
	$node->wait_for_catchup($standby, 'replay', $node->lsn('flush'));
	same(answers($standby, 'clinic', 'boss'), $before, 'a standby gives the same answers');
	is( ask($standby, 'clinic', q{SET anonopt.max_workers = 2; SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET min_parallel_table_scan_size = 0;
			SELECT md5(string_agg(x::text, ' ' ORDER BY x::text)) FROM anonopt.lattice('large') x; SELECT workers > 0 FROM anonopt.last_search()}),
		ask($node, 'clinic', q{SELECT md5(string_agg(x::text, ' ' ORDER BY x::text)) FROM anonopt.lattice('large') x}) . "\nt",
		'with workers, too');
	for my $call (q{create_dataset('new', 'people')}, q{drop_dataset('people')}, q{add_quasi_identifier('some', 'zip', 'zips')}, q{drop_attribute('people', 'age')},
		q{set_class_label('people', 'zip')}, q{set_sensitivity('people', 'age', 'weights')}, q{auto_dataset('new', 'people', '{age}')},
		q{create_interval_hierarchy('new', 0, 9, '{5}')}, q{create_mask_hierarchy('new', 'people', 'zip')}, q{create_view('new', 'people', '{2,2}')},
		q{create_view('new', 'some', '{2}', k => 2, materialized => false)}, q{publish_table('new', 'people', '{2,2}')}, q{publish_records('new', 'some', 1, 'nr')},
		q{refresh_release('seen')}, q{refresh_release('shown')}, q{drop_release('seen')})
	{
		is(refusal($standby, 'clinic', "SELECT anonopt.$call", 'boss'), '25006', "refused there: $call");
	}

	# what the primary declares comes over
	ask($node, 'clinic', q{SELECT anonopt.create_dataset('later', 'people'), anonopt.add_quasi_identifier('later', 'age', 'ages')}, 'boss');
	$node->wait_for_catchup($standby, 'replay', $node->lsn('flush'));
	is(ask($standby, 'clinic', q{SELECT count(*) FROM anonopt.lattice('later')}, 'boss'), 4, 'what is declared meanwhile comes over');
	$standby->promote;
	is( ask($standby, 'clinic', q{SELECT anonopt.refresh_release('seen'); SELECT anonopt.publish_table('new', 'people', '{2,2}', k => 2); SELECT anonopt.drop_dataset('later');
			SELECT ok FROM anonopt.verify('new')}, 'boss'),
		"\nnew\n\nt", 'once promoted, it does all');
	is(ask($node, 'clinic', q{SELECT to_regclass('new') IS NULL, count(*) FROM anonopt.lattice('later')}, 'boss'), 't|4', 'the old primary knows nothing of that');
	$standby->stop;
}

# --------------------------------------------------------------------- the run

$node->init(allows_streaming => 1);
$node->append_conf('postgresql.conf', "autovacuum = off\nclient_min_messages = warning\n");
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE boss LOGIN; CREATE DATABASE clinic OWNER boss');
$node->psql('clinic', 'GRANT CREATE ON SCHEMA public TO boss');
make_data();
check_dumps();
check_versions();
check_drop();
check_standby();
$node->stop;
done_testing();
