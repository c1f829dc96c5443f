#!/usr/bin/env perl
#
# A real Citus: a coordinator and two workers.  Whatever Citus makes of a table,
# every function answers as it does for a plain table of the same rows, or says
# why it does not.  Skipped where Citus is not installed.

use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Server;
use Test::More;

my $sharedir = `pg_config --sharedir`;
chomp $sharedir;
plan skip_all => 'Citus is not installed' unless -e "$sharedir/extension/citus.control";
my $has_columnar = -e "$sharedir/extension/citus_columnar.control";

my ($hub, @workers) = map { Server->new($_) } qw(hub east west);

# Distributed in every way, and views over it.  Each is a relation of the rows of plain.
my %relations = (
	spread => "CREATE TABLE spread (LIKE plain); SELECT create_distributed_table('spread', 'id', shard_count => 4)",
	everywhere => "CREATE TABLE everywhere (LIKE plain); SELECT create_reference_table('everywhere')",
	single => "CREATE TABLE single (LIKE plain); SELECT create_distributed_table('single', NULL)",
	appended => "CREATE TABLE appended (LIKE plain); SELECT create_distributed_table('appended', 'id', 'append'); SELECT master_create_empty_shard('appended')",
	managed => "CREATE TABLE managed (LIKE plain); SELECT citus_add_local_table_to_metadata('managed')",
	parted => "CREATE TABLE parted (LIKE plain) PARTITION BY RANGE (age); CREATE TABLE parted_young PARTITION OF parted FOR VALUES FROM (0) TO (40);
		CREATE TABLE parted_old PARTITION OF parted DEFAULT; SELECT create_distributed_table('parted', 'id', shard_count => 4)",
	$has_columnar ? (columns => "CREATE TABLE columns (LIKE plain) USING columnar",
		spread_columns => "CREATE TABLE spread_columns (LIKE plain) USING columnar; SELECT create_distributed_table('spread_columns', 'id', shard_count => 4)") : ());
my %views = (
	(map { ("seen_$_" => "SELECT * FROM $_ WHERE id > 0") } keys %relations),
	joined => 'SELECT s.id, s.age, e.town, s.ill, s.paid, s.people, s.who, s.place FROM spread s JOIN everywhere e USING (id)',
	nested => 'SELECT s.* FROM seen_spread s');

# What is asked of a data set %1$s over a relation %2$s, which gives a row a line in any order
my %questions = (
	evaluate => q{anonopt.evaluate('%1$s', '{{0,0},{1,1},{3,2}}')},
	'evaluate with promises' => q{anonopt.evaluate('%1$s', '{1,1}', k => 3, l => 2, t => 0.6)},
	lattice => q{anonopt.lattice('%1$s')},
	evaluate_cuts => q{anonopt.evaluate_cuts('%1$s', ARRAY[repeat('1', 99)::varbit, repeat('0', 6)::varbit])},
	node_detail => q{anonopt.node_detail('%1$s', '{1,1}')},
	suppressed_classes => q{anonopt.suppressed_classes('%1$s', '{0,0}', k => 40)},
	policy_check => q{anonopt.policy_check('%1$s')},
	pareto => q{anonopt.pareto('%1$s', '{k,l,t,glm}')},
	optimize => q{anonopt.optimize('%1$s', k => 5, l => 2)},
	poka => q{anonopt.poka('%1$s')},
	pbg_ea => q{anonopt.pbg_ea('%1$s', '{k,nwp}', iterations => 20, seed => 7)},
	archive_quality => q{anonopt.archive_quality('%1$s', '{k,glm}', '{{1,1},{2,2}}')},
	efficiency => q{anonopt.efficiency('%1$s', 2, 0.3, 0.5)},
	nsga2 => q{anonopt.nsga2('%1$s', 2, 0.3, 0.5, population => 20, evaluations => 400, seed => 1)},
	reference_direction => q{anonopt.reference_direction('%1$s', 2, '{0.1,0.1}', '{0.3,0.3}', 2, 20, 400, seed => 1)},
	property_vector => q{anonopt.property_vector('%1$s', '{2,1}', 'others_count', 'id')},
	compare => q{anonopt.compare('%1$s', '{1,1}', '{2,0}')},
	aruba => q{anonopt.aruba('%1$s', 1, key => 'id')},
	btda => q{anonopt.btda('%1$s', 1, risk => 'identity', dictionary => '%2$s', key => 'id')},
	aruba_budget => q{anonopt.aruba_budget('%1$s', 0.1, risk => 'identity', key => 'id')},
	recoding_curve => q{anonopt.recoding_curve('%1$s', '{2,5}')},
	front_svg => q{anonopt.front_svg('%1$s')},
	k_anonymity => q{anonopt.k_anonymity('%2$s', '{age,town}')},
	l_diversity => q{anonopt.l_diversity('%2$s', '{town}', 'ill')},
	entropy_l_diversity => q{anonopt.entropy_l_diversity('%2$s', '{town}', 'ill')},
	t_closeness => q{anonopt.t_closeness('%2$s', '{town}', 'ill')},
	risk => q{anonopt.risk('%2$s', '{age,town}')},
	'risk with a population' => q{anonopt.risk('%2$s', '{age,town}', population => '%2$s')},
	'risk of persons' => q{anonopt.risk('%2$s', '{age,town}', person => 'who')},
	'auto_dataset, dry' => q{(SELECT column_name, levels, role, reason FROM anonopt.auto_dataset('auto', '%2$s', '{age,town,ill}', dry_run => true)) x},
	'evaluate with a count' => q{anonopt.evaluate('%1$s counted', '{{0,0},{1,1},{3,2}}')},
	'lattice with a count' => q{anonopt.lattice('%1$s counted')},
	'property_vector with a count' => q{anonopt.property_vector('%1$s counted', '{2,1}', 'class_size', 'id')},
	'evaluate of persons' => q{anonopt.evaluate('%1$s persons', '{{0,0},{1,1},{3,2}}')},
	'lattice of persons' => q{anonopt.lattice('%1$s persons')},
	'describe' => q{(SELECT column_name, role, levels, domain, observed, nulls, unknown, rows, people FROM anonopt.describe('%1$s')) x},
	'evaluate with a population' => q{anonopt.evaluate('%1$s known', '{{0,0},{1,1},{3,2}}')},
	# workers have neither the function nor the hierarchy
	'generalize over a column' => q{(WITH r AS MATERIALIZED (SELECT age FROM %2$s) SELECT anonopt.generalize(age, 'ages', 1) g, count(*) FROM r GROUP BY 1) x});

# Statements that write, run in a transaction which is rolled back, and what they leave
my %writings = (
	create_mask_hierarchy => q{SELECT anonopt.create_mask_hierarchy('made', '%2$s', 'town'); SELECT x FROM made x ORDER BY x::text},
	create_quantile_hierarchy => q{SELECT anonopt.create_quantile_hierarchy('made', '%2$s', 'people', '{2}'); SELECT x FROM made x ORDER BY x::text},
	create_frequency_hierarchy => q{SELECT anonopt.create_frequency_hierarchy('made', '%2$s', 'ill', 700); SELECT x FROM made x ORDER BY x::text},
	'hierarchies of a varchar' => q{SELECT anonopt.create_mask_hierarchy('masks', '%2$s', 'place'), anonopt.create_frequency_hierarchy('frequent', '%2$s', 'place', 20),
		anonopt.create_prefix_hierarchy('prefixes', '%2$s', 'place', '{2}', '.'), anonopt.create_quantile_hierarchy('quantiles', '%2$s', 'place', '{4,2}');
		SELECT x FROM masks x ORDER BY x::text; SELECT x FROM frequent x ORDER BY x::text; SELECT x FROM prefixes x ORDER BY x::text; SELECT x FROM quantiles x ORDER BY x::text},
	'auto_dataset of a varchar' => q{SELECT column_name, levels, role, reason FROM anonopt.auto_dataset('auto', '%2$s', '{age,place}'); SELECT x FROM anonopt.lattice('auto') x ORDER BY x::text LIMIT 20},
	'read_mode = aggregate' => q{SET LOCAL anonopt.read_mode = aggregate; SELECT x FROM anonopt.lattice('%1$s') x ORDER BY x::text; SELECT x FROM anonopt.lattice('%1$s counted') x ORDER BY x::text;
		SELECT x FROM anonopt.lattice('%1$s persons') x ORDER BY x::text; SELECT x FROM anonopt.risk('%2$s', '{age,town}', population => '%2$s') x},
	'a small max_intermediate_result_size' => q{SET LOCAL citus.max_intermediate_result_size = 1; SELECT x FROM anonopt.lattice('%1$s') x ORDER BY x::text},
	'promises about a population' => q{SELECT anonopt.publish_table('shown', '%1$s known', '{3,1}');
		SELECT to_jsonb(v) - 'filled_at' FROM anonopt.verify('shown') v; SELECT length(anonopt.report('%1$s known', population => '%2$s')) > 10000; SELECT anonopt.refresh_release('shown');
		SELECT anonopt.create_recoding('made', '%1$s known', k => 10, seed => 1); SELECT anonopt.publish_table('recoded', '%1$s known', recoding => 'made'); SELECT to_jsonb(v) - 'filled_at' FROM anonopt.verify('recoded') v},
	auto_dataset => q{SELECT column_name, levels, role, reason FROM anonopt.auto_dataset('auto', '%2$s', '{age,town,ill}'); SELECT x FROM anonopt.lattice('auto') x ORDER BY x::text LIMIT 20},
	suggest_quasi_identifiers => q{SELECT columns, labelled, identifier FROM anonopt.suggest_quasi_identifiers('%2$s') ORDER BY columns},
	create_recoding => q{SELECT anonopt.create_recoding('made', '%1$s', k => 10, seed => 1); SELECT x FROM made x ORDER BY x::text;
		SELECT x FROM anonopt.evaluate_recoding('%1$s', 'made') x; SELECT x FROM anonopt.recoding_classes('%1$s', 'made') x ORDER BY x::text;
		SELECT x FROM anonopt.compare('%1$s', 'made', 'made') x ORDER BY x::text;
		DELETE FROM made WHERE age = 30; SELECT anonopt.extend_recoding('made', '%1$s', k => 10, seed => 1); SELECT x FROM made x ORDER BY x::text;
		SELECT anonopt.publish_table('shown', '%1$s', recoding => 'made'); SELECT x FROM shown x ORDER BY x::text},
	publish_table => q{SELECT anonopt.publish_table('shown', '%1$s', '{3,1}', k => 5, l => 2); SELECT x FROM shown x ORDER BY x::text; SELECT to_jsonb(v) - 'filled_at' FROM anonopt.verify('shown') v;
		SELECT u FROM anonopt.utility('%1$s', 'shown', 50) u ORDER BY u::text; SELECT u FROM anonopt.release_distribution('%1$s', 'shown') u ORDER BY u::text;
		SELECT anonopt.refresh_release('shown'); SELECT anonopt.republish('shown', '{3,2}'); SELECT x FROM shown x ORDER BY x::text;
		SELECT k, smallest FROM anonopt.release_risk('%1$s'); SELECT length(anonopt.report('%1$s')) > 10000; SELECT anonopt.drop_release('shown')},
	'publish_table with stars' => q{SELECT anonopt.publish_table('shown', '%1$s', '{0,0}', k => 15, suppressed => 'star'); SELECT x FROM shown x ORDER BY x::text},
	'publish_table of persons' => q{SELECT anonopt.publish_table('shown', '%1$s persons', '{3,1}', k => 5); SELECT x FROM shown x ORDER BY x::text; SELECT to_jsonb(v) - 'filled_at' FROM anonopt.verify('shown') v},
	create_view => q{SELECT anonopt.create_view('shown', '%1$s', '{3,1}', k => 5); SELECT x FROM shown x ORDER BY x::text; SELECT anonopt.refresh_release('shown'); SELECT to_jsonb(v) - 'filled_at' FROM anonopt.verify('shown') v},
	publish_records => q{SELECT anonopt.publish_records('shown', '%1$s', 1, 'id'); SELECT x FROM shown x ORDER BY x::text; SELECT to_jsonb(v) - 'filled_at' FROM anonopt.verify('shown') v},
	unpack => q{SELECT g.a, g.t, count(*) FROM anonopt.aruba('%1$s', 1, key => 'id') r, anonopt.unpack(r.generalized) AS g (a text, t text) GROUP BY 1, 2 ORDER BY 1, 2});

$_->init, $_->append_conf('postgresql.conf', <<"END"), $_->start for $hub, @workers;
shared_preload_libraries = 'citus'
max_prepared_transactions = 100
max_connections = 60
citus.node_conninfo = 'sslmode=prefer'
citus.use_citus_managed_tables = off
citus.enable_change_data_capture = off
wal_level = logical
END
# nothing may depend on what is set where the rows are
$_->append_conf('postgresql.conf', "citus.local_hostname = '" . $_->host . "'\n"), $_->restart for $hub, @workers;
$_->append_conf('postgresql.conf', <<"END"), $_->restart for @workers;
timezone = 'Asia/Kolkata'
datestyle = 'SQL, DMY'
intervalstyle = 'sql_standard'
extra_float_digits = -5
bytea_output = 'escape'
END

# What statements print, or the error that ended them.
sub ask
{
	my ($sql) = @_;
	my ($status, $printed, $error) = $hub->psql('postgres', "\\set VERBOSITY verbose\n$sql");
	return $status == 0 ? $printed : $error =~ s/^psql:\S+ //mgr;
}

sub make_cluster
{
	$_->safe_psql('postgres', 'CREATE EXTENSION citus') for $hub, @workers;
	$_->safe_psql('postgres', 'CREATE EXTENSION citus_columnar') for grep { $has_columnar } $hub, @workers;
	$hub->safe_psql('postgres', sprintf "SELECT citus_set_coordinator_host('%s', %d)", $hub->host, $hub->port);
	$hub->safe_psql('postgres', sprintf "SELECT citus_add_node('%s', %d)", $_->host, $_->port) for @workers;
}

sub make_data
{
	# nothing of ours is on the workers
	$hub->safe_psql('postgres', 'SET citus.enable_ddl_propagation = off; CREATE EXTENSION anonopt');
	$hub->safe_psql('postgres', <<'END');
CREATE TABLE plain (id int NOT NULL, age int NOT NULL, town text, ill text, paid boolean, people int, who int, place varchar(12));
INSERT INTO plain SELECT i, 20 + i % 23, 'T' || i % 7, 'I' || i * i % 6, i % 3 = 0, 1 + i % 4, i / 2, 'P' || i * i % 97 || '.' || i % 3 FROM generate_series(1, 2400) i;
CREATE TABLE population AS TABLE plain;
INSERT INTO population TABLE plain;
SELECT anonopt.create_interval_hierarchy('ages', 0, 99, '{5,10,50}'), anonopt.create_mask_hierarchy('towns', 'plain', 'town');
CREATE FUNCTION declare(relation regclass) RETURNS void LANGUAGE sql AS $$
	SELECT anonopt.create_dataset(relation::text, relation, 0.1), anonopt.create_dataset(relation || ' counted', relation, 0.02, count_column => 'people'),
		anonopt.create_dataset(relation || ' persons', relation, 0.02, person => 'who'), anonopt.create_dataset(relation || ' known', relation, 0.02);
	SELECT anonopt.add_quasi_identifier(relation || d, 'age', 'ages'), anonopt.add_quasi_identifier(relation || d, 'town', 'towns')
		FROM unnest('{"", " counted", " persons", " known"}'::text[]) d;
	SELECT anonopt.add_sensitive(relation::text, 'ill'), anonopt.set_class_label(relation::text, 'paid'), anonopt.add_promise(relation || ' known', 'k_map', 2, population => relation)
$$;
SELECT declare('plain');
END
}

sub make_relation
{
	my ($name, $sql) = @_;

	my $insert = $name eq 'appended' ? q{SELECT format('COPY (TABLE plain) TO %L; COPY appended FROM %1$L WITH (append_to_shard %s)', $$} . "$FindBin::RealBin/../../tmp_check/rows" .
		q{$$, shardid) FROM pg_dist_shard WHERE logicalrelid = 'appended'::regclass \\gexec} : "INSERT INTO $name TABLE plain";
	my $made = ask("BEGIN; $sql; COMMIT; $insert");
	is(ask("SELECT count(*) FROM $name"), 2400, "$name is made") or diag($made);
}

# The answer to a question, about a data set over a relation
sub answer
{
	my ($template, $name) = @_;
	return ask(sprintf "SELECT x FROM $template x ORDER BY x::text", $name, $name) unless $template =~ /x$/ || $template =~ /WHERE/;
	return ask(sprintf "SELECT x FROM $template ORDER BY x::text", $name, $name);
}

sub written
{
	my ($template, $name) = @_;
	return ask(sprintf "BEGIN; $template; ROLLBACK", $name, $name) =~ s/\b\Q$name\E\b/plain/gr;
}

# Compares long answers, and shows the first line where they part.
sub same
{
	my ($got, $expected, $what) = @_;
	my @got = split /\n/, $got;
	my @expected = split /\n/, $expected;

	return if ok($got eq $expected && $expected !~ /^ERROR/m, $what);
	my ($line) = grep { ($got[$_] // '') ne ($expected[$_] // '') } 0 .. $#got;
	$line //= @got;
	diag(join "\n", 'got:', @got[ $line .. ($line + 3 < $#got ? $line + 3 : $#got) ], 'expected:', $expected[$line] // '(nothing)');
}

# What is no number of people is found where the rows are.
sub check_counts
{
	for my $type (qw(int numeric float8))
	{
		ask("CREATE TABLE heads (id int, age int, people $type); SELECT create_distributed_table('heads', 'id', shard_count => 4);
			INSERT INTO heads SELECT id, age, 2 FROM plain; SELECT anonopt.create_dataset('heads', 'heads', count_column => 'people'), anonopt.add_quasi_identifier('heads', 'age', 'ages')");
		is(ask("SELECT k, sum_k FROM anonopt.evaluate('heads', '{4}')"), '4800|23040000', "$type: numbers of people add up");
		is(ask("SELECT sum(value) FROM anonopt.property_vector('heads', '{4}', 'class_size', 'id')"), '11520000', 'and are read row by row');
		for my $case ([ 'NULL', '22004' ], [ '-1', '22000' ], $type eq 'int' ? () : ([ '0.5', '22000' ], [ "'NaN'", '22003' ], [ "'Infinity'", '22003' ]))
		{
			my ($value, $state) = @$case;
			like(ask("BEGIN; UPDATE heads SET people = $value WHERE id = 7; SELECT k FROM anonopt.evaluate('heads', '{1}'); ROLLBACK"),
				qr/ERROR:  $state: count column holds/, "$type, a row that stands for $value");
		}
		ask("SELECT anonopt.drop_dataset('heads'); DROP TABLE heads");
	}
}

# Where a local table would be trusted
sub check_refusals
{
	for my $name (grep { $_ ne 'columns' } sort keys %relations)
	{
		like(ask("SELECT anonopt.create_tuple_store('$name', track => true)"), qr/ERROR:  42809/, "$name: no tuple store");
		like(ask("SELECT anonopt.property_vector('$name', '{1,1}', 'class_size')"), qr/ERROR:  22023: rows of public.$name cannot be identified by their place/, "$name: rows need a key");
		like(ask("SELECT anonopt.create_view('live', '$name', '{3,2}', k => 2, materialized => false)"), qr/ERROR:  22023: relation public.$name cannot be published live/, "$name: no live view");
	}
	ask('CREATE UNIQUE INDEX ON appended (id)');
	ask(sprintf q{SELECT master_create_empty_shard('appended') AS shard \\gset
		COPY appended FROM '%s' WITH (append_to_shard :shard)}, "$FindBin::RealBin/../../tmp_check/rows");
	like(ask("SELECT anonopt.property_vector('appended', '{1,1}', 'class_size', 'id')"), qr/ERROR:  22023: column "id" does not identify rows of public.appended/,
		'an index of an append-distributed table proves nothing');
}

# A tree is walked through its edges, wherever they are.
sub check_tree
{
	ask(q{CREATE TABLE edge (child text, parent text); INSERT INTO edge SELECT 'leaf ' || i, 'branch ' || i / 10 FROM generate_series(0, 199) i;
		INSERT INTO edge SELECT 'branch ' || i, CASE WHEN i < 20 THEN '*' END FROM generate_series(0, 19) i; SELECT anonopt.create_tree_hierarchy('tree', 'edge')});
	my $expected = ask('SELECT t FROM tree t ORDER BY t::text');
	like($expected, qr/leaf 199","branch 19",\*/, 'a tree of local edges');
	for my $distributed (q{create_distributed_table('spread_edge', 'child')}, q{create_reference_table('spread_edge')}, q{create_distributed_table('spread_edge', NULL)})
	{
		ask("DROP TABLE IF EXISTS spread_tree, spread_edge; CREATE TABLE spread_edge (LIKE edge)");
		ask("SELECT $distributed");
		ask('INSERT INTO spread_edge TABLE edge');
		is(ask("SELECT anonopt.create_tree_hierarchy('spread_tree', 'spread_edge'); SELECT t FROM spread_tree t ORDER BY t::text"), "spread_tree\n$expected", "a tree of edges by $distributed");
	}
}

# Rows that nearly all are tuples of their own are not grouped first.
sub check_bare_rows
{
	ask('CREATE TABLE unlike (id int, age int, nr int)');
	ask("SELECT create_distributed_table('unlike', 'id', shard_count => 4)");
	ask(q{INSERT INTO unlike SELECT i, i % 100, i / 100 FROM generate_series(1, 30000) i; CREATE TABLE unlike_here AS TABLE unlike;
		SELECT anonopt.create_interval_hierarchy('numbers', 0, 300, '{10}');
		SELECT anonopt.create_dataset(d, d::regclass, 0), anonopt.add_quasi_identifier(d, 'age', 'ages'), anonopt.add_quasi_identifier(d, 'nr', 'numbers') FROM unnest('{unlike,unlike_here}'::text[]) d});
	unlike(ask("SELECT anonopt.read_sql('unlike')"), qr/GROUP BY|ERROR/, 'rows are read as they are');
	same(answer(q{anonopt.lattice('%1$s')}, 'unlike'), answer(q{anonopt.lattice('%1$s')}, 'unlike_here'), 'with the same answers');
	like(ask("SET anonopt.read_mode = group_by; SELECT anonopt.read_sql('unlike')"), qr/GROUP BY/, 'unless they are to be grouped');
	ask(q{CREATE TABLE cycle (LIKE unlike); SELECT create_distributed_table('cycle', 'id', shard_count => 4)});
	ask(q{INSERT INTO cycle SELECT i, i % 100, i / 100 % 100 FROM generate_series(1, 200000) i; SELECT anonopt.create_dataset('cycle', 'cycle', 0), anonopt.add_quasi_identifier('cycle', 'age', 'ages'), anonopt.add_quasi_identifier('cycle', 'nr', 'numbers')});
	like(ask("SELECT anonopt.read_sql('cycle')"), qr/GROUP BY/, 'a table that was loaded in order does not look distinct');
	my $hint = qr/53200: .*HINT:  Set anonopt.memory to '(\d+) MB'/s;
	like(ask("SET anonopt.memory = '1MB'; SELECT count(*) FROM anonopt.lattice('unlike')"), $hint, 'too little memory');
	my ($enough) = ask("SET anonopt.memory = '1MB'; SELECT count(*) FROM anonopt.lattice('unlike')") =~ $hint;
	is(ask("SET anonopt.memory = '$enough MB'; SELECT count(*) FROM anonopt.lattice('unlike')"), 15, "the hint of $enough MB suffices");
}

# Columns of every type, as leaves, as ranges, as sensitive values and as keys, where other settings hold than here
sub check_types
{
	my %leaves = (moment => [ 'by_day', 'by_stamp', 'by_moment' ], stamp => [ 'by_day', 'by_stamp' ], day => [ 'by_day', 'by_stamp', 'days' ], amount => ['by_number'], share => ['by_number'], ratio => ['by_number'],
		small => ['by_integer'], word => ['words'], name => ['words'], code => ['words'], mood => ['moods'], flag => ['flags'], clock => ['clocks']);
	my @others = qw(span bits address raw uid zoned cash);

	ask(<<'END');
CREATE TYPE mood AS ENUM ('good', 'bad', 'so');
CREATE TABLE typed (id int, moment timestamptz, stamp timestamp, day date, amount numeric, share float8, ratio float4, small int2, word text, name varchar(20), code char(4), mood mood, flag boolean,
	clock time, span interval, bits bit(3), address inet, raw bytea, uid uuid, zoned timetz, cash money);
INSERT INTO typed SELECT i, '2026-03-08 00:00+00'::timestamptz + i * interval '37 minutes', '2026-03-07 20:00'::timestamp + i * interval '37 minutes', '2026-03-07'::date + i / 40, i / 7::numeric, i / 3::float8, 1e6 + i / 3::float4,
	i % 50, 'w' || i % 9, 'n' || i % 9, 'c' || i % 9, (ARRAY['good', 'bad', 'so'])[1 + i % 3]::mood, i % 2 = 0, time '00:00' + i % 48 * interval '30 minutes', i % 50 * interval '1 month 3 days 7 minutes',
	(i % 8)::bit(3), '10.0.0.0'::inet + i % 20, decode(lpad(to_hex(i % 90), 4, '0'), 'hex'), md5((i % 40)::text)::uuid, timetz '01:00+02' + i % 7 * interval '1 hour', (i % 30)::numeric::money FROM generate_series(1, 400) i;
CREATE TABLE typed_there (LIKE typed);
SELECT create_distributed_table('typed_there', 'id', shard_count => 4);
INSERT INTO typed_there TABLE typed;
CREATE TABLE by_day AS SELECT daterange('2026-03-05'::date + i, '2026-03-06'::date + i) AS leaf, 'all' AS l1 FROM generate_series(0, 30) AS i;
CREATE TABLE days AS SELECT DISTINCT day AS leaf, extract(isodow FROM day)::text AS l1 FROM typed;
CREATE TABLE by_stamp AS SELECT tsrange('2026-03-05'::timestamp + i * interval '6 hours', '2026-03-05'::timestamp + (i + 1) * interval '6 hours') AS leaf, 'all' AS l1 FROM generate_series(0, 100) AS i;
CREATE TABLE by_moment AS SELECT tstzrange('2026-03-05 00:00+00'::timestamptz + i * interval '6 hours', '2026-03-05 00:00+00'::timestamptz + (i + 1) * interval '6 hours') AS leaf, 'all' AS l1 FROM generate_series(0, 100) AS i;
CREATE TABLE by_number AS SELECT numrange(i, i + 1) AS leaf, i / 10 || '0s' AS l1 FROM generate_series(0, 400) AS i UNION ALL SELECT numrange(1000000 + i, 1000000 + i + 1), 'many' FROM generate_series(0, 400) AS i;
CREATE TABLE by_integer AS SELECT int4range(10 * i, 10 * i + 10) AS leaf, 'all' AS l1 FROM generate_series(0, 30) AS i;
CREATE TABLE words AS SELECT DISTINCT word AS leaf, 'all' AS l1 FROM typed UNION SELECT DISTINCT name, 'all' FROM typed UNION SELECT DISTINCT code::text, 'all' FROM typed;
CREATE TABLE moods AS SELECT DISTINCT mood AS leaf, 'all' AS l1 FROM typed;
CREATE TABLE flags AS SELECT DISTINCT flag AS leaf, 'all' AS l1 FROM typed;
CREATE TABLE clocks AS SELECT DISTINCT clock AS leaf, 'all' AS l1 FROM typed;
SELECT format(CASE WHEN h::text LIKE 'by%' THEN 'ALTER TABLE %s ADD EXCLUDE USING gist (leaf WITH &&)' ELSE 'CREATE UNIQUE INDEX ON %s (leaf)' END, h)
	FROM unnest('{by_day,days,by_stamp,by_moment,by_number,by_integer,words,moods,flags,clocks}'::regclass[]) h \gexec
END
	my $read = sub {
		my ($relation, $column, $leaves, $counts, $mode) = @_;
		return ask("SET anonopt.read_mode = $mode; BEGIN; SELECT anonopt.create_dataset('typed', '$relation', 0.2, timezone => 'America/New_York'),
			anonopt.add_quasi_identifier('typed', '$column', '$leaves', loss_counts => '$counts'), anonopt.add_sensitive('typed', 'uid'); SELECT x FROM anonopt.lattice('typed') x ORDER BY x::text;
			SELECT x FROM anonopt.property_vector('typed', '{0}', 'loss', 'id') x ORDER BY x::text; SELECT anonopt.publish_table('shown', 'typed', '{1}', k => 2, l => 1); SELECT x FROM shown x ORDER BY x::text; ROLLBACK") =~ s/typed_there/typed/gr;
	};
	for my $column (sort keys %leaves)
	{
		for my $leaves (@{ $leaves{$column} })
		{
			for my $counts ('leaves', $leaves =~ /^by/ ? 'range' : ())
			{
				same($read->('typed_there', $column, $leaves, $counts, $_), $read->('typed', $column, $leaves, $counts, 'auto'), "$column by $leaves, $counts, $_") for 'group_by', 'aggregate';
			}
		}
	}
	for my $column (@others, keys %leaves)
	{
		my $sql = "SELECT anonopt.l_diversity('%1\$s', '{small}', '$column'), anonopt.t_closeness('%1\$s', '{small}', '$column', 'ordered'), anonopt.k_anonymity('%1\$s', '{$column}');
			BEGIN; SELECT column_name, levels, role, reason FROM anonopt.auto_dataset('auto', '%1\$s', '{$column}'); SELECT x FROM anonopt.lattice('auto') x ORDER BY x::text; ROLLBACK";
		my ($there, $here) = map { ask(sprintf $sql, $_) =~ s/typed_there/typed/gr } qw(typed_there typed);
		is($there, $here, "a column $column");
		my $as_text = ask("SET citus.enable_binary_protocol = off; SELECT anonopt.k_anonymity('typed_there', '{$column}')");
		if ($column =~ /^(?:moment|stamp|day|share|ratio|span|cash)$/)
		{
			like($as_text, qr/ERROR:  55000: workers have other settings/, 'would come as text of other settings');
		}
		else
		{
			is($as_text, ask("SELECT anonopt.k_anonymity('typed', '{$column}')"), 'comes as text');
		}
	}
	# a day is one of the session's zone, also when a hierarchy grows
	my ($grown_there, $grown_here) = map { ask("BEGIN; SELECT count(*) FROM anonopt.auto_dataset('grown', '$_', '{moment}'); INSERT INTO $_ (id, moment) VALUES (9999, '2036-06-30 23:30+00');
		SELECT anonopt.extend_hierarchy(hierarchy), (SELECT count(*) FROM anonopt.check_hierarchy(hierarchy)) FROM anonopt.attribute WHERE dataset = 'grown'; SELECT domain FROM anonopt.describe('grown') WHERE role = 'quasi_identifier'; ROLLBACK") } qw(typed_there typed);
	like($grown_here, qr/^1\n\d+\|0\n\d+$/, 'a hierarchy of days grows');
	is($grown_there, $grown_here, 'by the same days');
	# values name records as they do here
	for my $column (qw(moment stamp share ratio amount))
	{
		my ($there, $here) = map { answer("anonopt.property_vector('$_ keys', '{0}', 'class_size', '$column')", $_) } map { ask("SELECT anonopt.create_dataset('$_ keys', '$_', 0), anonopt.add_quasi_identifier('$_ keys', 'small', 'by_integer')"); $_ } qw(typed_there typed);
		same($there, $here, "$column as a key");
	}
}

# While a shard moves, a transaction that keeps its snapshot does not answer, and others answer rightly.
sub check_moves
{
	my $count = "SELECT sum(size) FROM (SELECT (unnest(anonopt.evaluate('spread', '{{0,0},{3,2}}'))).k AS size) x";
	for my $level ('REPEATABLE READ', 'READ COMMITTED')
	{
		for my $question (q{evaluate('spread', '{{0,0},{3,2}}')}, q{lattice('spread')}, q{lattice('nested')}, q{k_anonymity('spread', '{age,town}')}, q{suggest_quasi_identifiers('spread')}, q{auto_dataset('moved', 'spread', '{age,town}', dry_run => true)})
		{
			my $session = $hub->background_psql('postgres', on_error_stop => 0);
			my ($shard, $from, $to) = split /\|/, ask("SELECT s.shardid, s.nodeport, n.nodeport FROM citus_shards s JOIN pg_dist_node n ON n.nodeport <> s.nodeport AND n.groupid > 0 WHERE s.table_name = 'spread'::regclass ORDER BY s.shardid LIMIT 1");

			$session->query("\\set VERBOSITY verbose\nBEGIN ISOLATION LEVEL $level; SELECT count(*) FROM spread;");
			is(ask("SELECT citus_move_shard_placement($shard, '" . $hub->host . "', $from, '" . $hub->host . "', $to, 'block_writes')"), '', 'a shard moves');
			my $rows = $session->query("SELECT x FROM anonopt.$question x ORDER BY x::text;");
			if ($level eq 'READ COMMITTED')
			{
				is($rows =~ s/spread/plain/gr, ask("SELECT x FROM anonopt." . ($question =~ s/spread|nested/plain/r) . ' x ORDER BY x::text'), "$level: $question answers rightly");
			}
			else
			{
				like($session->{stderr}, qr/ERROR:  40001: shards of relation public\.\w+ have moved/, "$level: $question does not answer");
			}
			$session->{stderr} = '';
			is($session->query('ROLLBACK; SELECT count(*) FROM anonopt.lattice(\'spread\');'), 15, 'and the next transaction does');
			$session->quit;
		}
	}
}

# A promise whose population cannot be read costs a report only what has to keep it.
sub check_populations
{
	for my $distributed (q{create_distributed_table('crowd', 'id', shard_count => 4)}, q{create_reference_table('crowd')}, q{create_distributed_table('crowd', NULL)})
	{
		ask("DROP TABLE IF EXISTS crowd CASCADE; CREATE TABLE crowd (LIKE plain)");
		ask("SELECT $distributed");
		ask(q{INSERT INTO crowd TABLE plain; CREATE VIEW failing AS SELECT id, 1 / (age - 20) AS age, town FROM crowd});
		for my $case ([ 'ALTER TABLE crowd DROP COLUMN town CASCADE', 'column &quot;town&quot; of relation public.crowd does not exist' ], [ 'DROP TABLE crowd CASCADE', 'population of promise k_map of data set &quot;sampled&quot; is gone' ],
			[ q{SELECT anonopt.drop_promise('sampled', 'k_map'), anonopt.add_promise('sampled', 'k_map', 2, population => 'failing')}, 'public.failing: reading it fails with SQLSTATE 22012' ])
		{
			my ($loss, $reason) = @$case;
			my $page = ask("BEGIN; SELECT anonopt.create_dataset('sampled', 'spread', 0.1), anonopt.add_quasi_identifier('sampled', 'age', 'ages'), anonopt.add_quasi_identifier('sampled', 'town', 'towns'),
				anonopt.add_promise('sampled', 'k_map', 2, population => 'crowd'), anonopt.publish_table('sampled_shown', 'sampled', '{3,1}'); $loss; SELECT anonopt.report('sampled'); ROLLBACK");
			like($page, qr{A promise cannot be measured now \([^<]*\Q$reason\E\), so these are left out: [^<]*the trade-off, recodings\. .*sampled_shown.*</html>}s, "$distributed, $loss: the report goes on");
		}
	}
	ask('DROP TABLE crowd CASCADE');
}

# A relation that becomes a distributed one, or ceases to be.
sub check_conversions
{
	ask("CREATE TABLE changing (LIKE plain); INSERT INTO changing TABLE plain; SELECT declare('changing'), anonopt.create_tuple_store('changing'), anonopt.publish_table('changing_shown', 'changing', '{3,1}', k => 5)");
	ask("SELECT create_distributed_table('changing', 'id', shard_count => 4); INSERT INTO changing SELECT 0, 80, town, ill, paid, people, who, place FROM plain; CREATE TABLE changing_here AS TABLE changing; SELECT declare('changing_here')");
	for my $mode (qw(auto store aggregate group_by))
	{
		same(ask("SET anonopt.read_mode = $mode; SELECT x FROM anonopt.lattice('changing') x ORDER BY x::text"), answer(q{anonopt.lattice('%1$s')}, 'changing_here'), "$mode: a store made before is not read");
	}
	for my $conversion (q{alter_distributed_table('changing', shard_count := 6, cascade_to_colocated := false)}, q{undistribute_table('changing')})
	{
		ask("SELECT $conversion");
		like(ask("SELECT k FROM anonopt.evaluate('changing', '{1,1}')"), qr/23514: relation of data set "changing" is gone\nHINT:  If it was made again, call anonopt.move_dataset/, "$conversion: a hint");
		is(ask("SELECT anonopt.move_dataset('changing', 'changing')"), '', 'it is followed');
		same(answer(q{anonopt.lattice('%1$s')}, 'changing'), answer(q{anonopt.lattice('%1$s')}, 'changing_here'), 'with the same answers');
		is(ask("SELECT anonopt.refresh_release('changing_shown'); SELECT ok, rows FROM anonopt.verify('changing_shown')"), "\nt|4800", 'and the release is refreshed');
	}
}

# A promise holds in what is published while every shard changes.
sub check_writers
{
	my $script = "$FindBin::RealBin/../../tmp_check/write.sql";
	my $output = '';

	unlink $script;
	append_to_file($script, "UPDATE spread SET ill = translate(ill, '012345', '123450');\n");
	my $writer = IPC::Run::start([ 'pgbench', '-n', '-T', 20, '-c', 1, '-f', $script, '-d', $hub->connstr('postgres') ], '>&', \$output);
	my ($published, $broken) = (0, '');
	for (1 .. 15)
	{
		$published++ if ask("SELECT anonopt.publish_table('racing', 'spread', '{1,1}', k => 5, l => 2)") eq 'racing';
		$broken .= ask('SELECT * FROM (SELECT age, town, count(*), count(DISTINCT ill) AS l FROM racing GROUP BY 1, 2) x WHERE count < 5 OR l < 2');
		ask("SELECT anonopt.drop_release('racing')");
	}
	$writer->finish;
	like($output, qr/number of transactions actually processed: [1-9]/, 'rows were written');
	cmp_ok($published, '>', 0, "$published of 15 releases while they were");
	is($broken, '', 'keep their promises');
}

make_cluster();
make_data();
make_relation($_, $relations{$_}) for sort keys %relations;
ask("CREATE VIEW $_ AS $views{$_}") for sort { ($a eq 'nested') <=> ($b eq 'nested') } keys %views;
for my $name (sort(keys %relations), sort keys %views)
{
	is(ask("SELECT declare('$name')"), '', "$name is declared");
	for my $question (sort keys %questions)
	{
		# one shard is asked whole
		next if $question =~ /^generalize/ && $name =~ /single/;
		same(answer($questions{$question}, $name), answer($questions{$question}, 'plain'), "$name: $question");
	}
	for my $writing (sort keys %writings)
	{
		same(written($writings{$writing}, $name), written($writings{$writing}, 'plain'), "$name: $writing");
	}
}
check_counts();
check_tree();
check_bare_rows();
check_types();
check_populations();
check_conversions();
check_refusals();
check_moves();
check_writers();
$_->stop for $hub, @workers;
unlike(slurp_file($_->logfile), qr/terminated by signal|TRAP/, $_->name . ' stayed up') for $hub, @workers;
done_testing();
