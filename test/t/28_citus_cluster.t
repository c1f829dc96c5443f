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
	joined => 'SELECT s.id, s.age, e.town, s.ill, s.paid, s.people, s.who FROM spread s JOIN everywhere e USING (id)',
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
CREATE TABLE plain (id int NOT NULL, age int NOT NULL, town text, ill text, paid boolean, people int, who int);
INSERT INTO plain SELECT i, 20 + i % 23, 'T' || i % 7, 'I' || i * i % 6, i % 3 = 0, 1 + i % 4, i / 2 FROM generate_series(1, 2400) i;
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
check_refusals();
check_writers();
$_->stop for $hub, @workers;
unlike(slurp_file($_->logfile), qr/terminated by signal|TRAP/, $_->name . ' stayed up') for $hub, @workers;
done_testing();
