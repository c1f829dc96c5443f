#!/usr/bin/env perl
#
# The effects of Citus, without Citus: a catalog that lists distributed tables
# like its own, and a module that stores a query's rows and passes them on after
# the executor has ended, like its local execution (test/stored).

use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Server;
use Test::More;

my $node = Server->new('citus');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nmin_parallel_table_scan_size = 0\nparallel_setup_cost = 0\nparallel_tuple_cost = 0\n");
$node->start;

sub ask { my ($sql) = @_; return $node->safe_psql('postgres', $sql) }

# What a statement fails with.
sub failure
{
	my ($sql) = @_;

	$node->psql('postgres', "\\set VERBOSITY verbose\n$sql", stderr => \my $error);
	return $error;
}

ask(<<'END');
CREATE EXTENSION anonopt;
CREATE TABLE plain (id int PRIMARY KEY, age int NOT NULL, town text, ill text, paid boolean, people int);
INSERT INTO plain SELECT i, 20 + i % 23, 'T' || i % 7, 'I' || i * i % 6, i % 3 = 0, 1 + i % 4 FROM generate_series(1, 4000) i;
CREATE VIEW seen AS SELECT * FROM plain WHERE id > 0;
CREATE VIEW seen_again AS SELECT s.* FROM seen s, (SELECT 1) o;
CREATE MATERIALIZED VIEW kept AS TABLE plain;
CREATE TABLE here AS TABLE plain;
SELECT anonopt.create_interval_hierarchy('ages', 0, 99, '{5,10,50}'), anonopt.create_mask_hierarchy('towns', 'plain', 'town');
SELECT anonopt.create_dataset(d, d::regclass, 0), anonopt.add_quasi_identifier(d, 'age', 'ages'), anonopt.add_quasi_identifier(d, 'town', 'towns'),
	anonopt.add_sensitive(d, 'ill'), anonopt.set_class_label(d, 'paid') FROM unnest('{plain,seen,seen_again,kept,here}'::text[]) d;
SELECT anonopt.create_tuple_store('plain', track => true);
SELECT anonopt.create_dataset('counted', 'plain', 0, count_column => 'people'), anonopt.add_quasi_identifier('counted', 'age', 'ages');
SELECT anonopt.create_tuple_store('here', track => true);
ANALYZE;
END

# ------------------------------------------------------------------ stored rows

sub check_stored_rows
{
	my $made = qx(make -s -C $FindBin::RealBin/../stored with_llvm=no 2>&1);
	my $module = "$FindBin::RealBin/../stored/stored_rows.so";

	is($made, '', 'the module is built without a warning') or return;
	for my $call (q{lattice('plain')}, q{lattice('seen_again')}, q{evaluate('counted', '{1}')}, q{k_anonymity('plain', '{age,town}')}, q{risk('seen', '{age,town}')},
		q{t_closeness('plain', '{age}', 'ill', 'equal')}, q{pareto('plain', '{k,t,nwp}')}, q{suppressed_classes('plain', '{0,0}', k => 30)},
		q{property_vector('plain', '{1,1}', 'class_size', 'id')})
	{
		for my $workers (0, 2)
		{
			my $sql = "SET max_parallel_workers_per_gather = $workers; SET anonopt.read_mode = aggregate; SELECT x FROM anonopt.$call x ORDER BY x::text";

			is(ask("LOAD '$module'; $sql"), ask($sql), "stored rows, $workers workers: $call");
		}
	}
	is(ask("LOAD '$module'; BEGIN; SAVEPOINT s; SELECT k FROM anonopt.evaluate('plain', '{3,2}'); RELEASE s; SELECT k FROM anonopt.evaluate('seen', '{3,2}'); COMMIT"),
		"4000\n4000", 'in a subtransaction');
}

# ------------------------------------------------------------ distributed tables

sub check_distributed
{
	my $expected = ask("SELECT x FROM anonopt.lattice('plain') x ORDER BY x::text");

	like(ask("SELECT anonopt.read_sql('plain')"), qr/stored_tuples/, 'a local table is read from its store');
	ask("SET allow_system_table_mods = on; CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass);
		CREATE TABLE pg_catalog.pg_dist_shard (logicalrelid regclass, shardid bigint); CREATE TABLE pg_catalog.pg_dist_placement (placementid bigint, shardid bigint, groupid int);
		GRANT SELECT ON pg_catalog.pg_dist_partition, pg_catalog.pg_dist_shard, pg_catalog.pg_dist_placement TO PUBLIC; INSERT INTO pg_catalog.pg_dist_partition VALUES ('plain')");
	for (qw(plain seen seen_again))
	{
		like(ask("SELECT anonopt.read_sql('$_')"), qr/count\(\*\).*GROUP BY/, "$_ is grouped where its rows are");
		is(ask("SELECT x FROM anonopt.lattice('$_') x ORDER BY x::text"), $expected, "$_: the same answers");
		like(failure("SELECT anonopt.property_vector('$_', '{1,1}', 'class_size')"),
			qr/22023: rows of public\.$_ cannot be identified by their place.*HINT:  Name a column/s, "$_: a place names no record");
		is(ask("SELECT count(*) FROM anonopt.property_vector('$_', '{1,1}', 'class_size', 'id')"), 4000, "$_: a key does");
	}
	unlike(ask("SELECT anonopt.read_sql('kept')"), qr/GROUP BY/, 'a materialized view is here');
	like(ask("SELECT anonopt.read_sql('counted')"), qr/sum\(.*GROUP BY/, 'numbers of people are added up where they are');
	is(ask("SELECT x FROM anonopt.lattice('counted') x ORDER BY x::text"), ask("SET anonopt.read_mode = aggregate; SELECT x FROM anonopt.lattice('counted') x ORDER BY x::text"),
		'which gives the same answers');

	is(ask("SELECT problem FROM anonopt.describe('plain') WHERE role = 'tuple_store'"), 'the relation is distributed', 'a store made before it was is not read');
	unlike(ask("SET anonopt.read_mode = store; SELECT anonopt.read_sql('plain')"), qr/stored_tuples/, 'not even if stores are asked for');
	is(ask("SELECT coalesce(problem, 'current') FROM anonopt.describe('here') WHERE role = 'tuple_store'"), 'current', 'that of another table is');
	for my $sql (q{refresh_tuple_store('plain')}, q{create_tuple_store('distributed', track => true)}, q{create_tuple_store('distributed')})
	{
		ask("SELECT anonopt.drop_tuple_store('plain'); SELECT anonopt.drop_dataset('counted');
			SELECT anonopt.create_dataset('distributed', 'plain', 0), anonopt.add_quasi_identifier('distributed', 'age', 'ages')") if $sql =~ /track/;
		like(failure("SELECT anonopt.$sql"), qr/42809: relation public\.plain cannot have a tuple store\nDETAIL:  Its rows are on other servers/, "$sql is refused");
	}

	# an index that proves nothing, as that of an append-distributed table
	ask("UPDATE pg_index SET indisready = false WHERE indexrelid = 'plain_pkey'::regclass");
	ask('INSERT INTO plain SELECT 3, age, town, ill, paid, people FROM plain WHERE id = 4');
	ask("UPDATE pg_index SET indisready = true WHERE indexrelid = 'plain_pkey'::regclass");
	like(failure("SELECT anonopt.property_vector('plain', '{1,1}', 'class_size', 'id')"), qr/22023: column "id" does not identify rows of public\.plain/, 'uniqueness is counted');

	like(failure("SELECT anonopt.create_view('live', 'plain', '{3,2}', k => 2, materialized => false)"),
		qr/22023: relation public\.plain cannot be published live/, 'a live view is refused');
	is(ask("SELECT anonopt.publish_table('shown', 'plain', '{3,2}', k => 2); SELECT ok FROM anonopt.verify('shown')"), "shown\nt", 'a snapshot is not');

	ask(q{CREATE TABLE edge (child int, parent text); INSERT INTO edge SELECT i, 'b' || i / 5 FROM generate_series(0, 24) i;
		CREATE TABLE spread_edge AS TABLE edge; INSERT INTO pg_catalog.pg_dist_partition VALUES ('spread_edge');
		SELECT anonopt.create_tree_hierarchy('tree', 'edge'), anonopt.create_tree_hierarchy('spread_tree', 'spread_edge')});
	is(ask('SELECT string_agg(t::text, E\'\n\' ORDER BY t::text) FROM spread_tree t'), ask('SELECT string_agg(t::text, E\'\n\' ORDER BY t::text) FROM tree t'), 'a tree of distributed edges is fetched');

	# rows that nearly all are tuples of their own are not grouped first
	ask(q{CREATE TABLE unlike AS SELECT i AS id, i % 100 AS age, i / 100 AS nr, i % 3 AS ill FROM generate_series(1, 30000) i; INSERT INTO unlike SELECT 0, age, nr, ill FROM unlike WHERE id % 50 = 0;
		CREATE TABLE alike AS SELECT id, age % 30 AS age, nr % 20 AS nr, ill FROM unlike;
		CREATE TABLE cycle AS SELECT i AS id, i % 100 AS age, i / 100 % 100 AS nr, 0 AS ill FROM generate_series(1, 100000) i; CREATE VIEW unlike_seen AS TABLE unlike;
		INSERT INTO pg_catalog.pg_dist_partition VALUES ('unlike'), ('alike'), ('cycle'); INSERT INTO pg_catalog.pg_dist_shard SELECT logicalrelid, row_number() OVER () FROM pg_catalog.pg_dist_partition;
		INSERT INTO pg_catalog.pg_dist_placement SELECT shardid, shardid, 1 FROM pg_catalog.pg_dist_shard; SELECT anonopt.create_interval_hierarchy('numbers', 0, 300, '{10}');
		SELECT anonopt.create_dataset(d, d::regclass, 0), anonopt.add_quasi_identifier(d, 'age', 'ages'), anonopt.add_quasi_identifier(d, 'nr', 'numbers'), anonopt.add_sensitive(d, 'ill') FROM unnest('{unlike,unlike_seen,alike,cycle}'::text[]) d;
		SELECT anonopt.create_dataset('unlike people', 'unlike', 0, person => 'id'), anonopt.add_quasi_identifier('unlike people', 'age', 'ages'), anonopt.add_quasi_identifier('unlike people', 'nr', 'numbers')});
	for ([ 'unlike', 0 ], [ 'unlike_seen', 1 ], [ 'unlike people', 0 ], [ 'alike', 1 ], [ 'cycle', 1 ])
	{
		my ($name, $grouped) = @$_;
		is(ask("SELECT anonopt.read_sql('$name') ~ 'GROUP BY'"), $grouped ? 't' : 'f', "$name: " . ($grouped ? 'grouped' : 'read row by row'));
		is(ask("SET anonopt.read_mode = group_by; SELECT anonopt.read_sql('$name') ~ 'GROUP BY'"), 't', "$name: grouped on demand");
		is(ask("SELECT x FROM anonopt.lattice('$name') x ORDER BY x::text"), ask("SET anonopt.read_mode = aggregate; SELECT x FROM anonopt.lattice('$name') x ORDER BY x::text"),
			"$name: the same answers");
	}
	unlike(ask("SET anonopt.read_mode = aggregate; SELECT anonopt.read_sql('alike')"), qr/GROUP BY|anonopt/, 'row by row, without anything of ours');
	like(failure("SET anonopt.memory = '1MB'; SELECT k FROM anonopt.evaluate('unlike', '{1,1}')") =~ s/.*anonopt.memory to '(\d+) MB'.*/$1/sr, qr/^([89]|[123]\d)$/,
		'the hint of memory follows from the sample');
}

# A transaction that keeps a snapshot does not see the rows of a shard that has moved since; rows of a catalog stand for the moves.
sub check_moves
{
	my @questions = (q{evaluate('alike', '{1,1}')}, q{lattice('unlike_seen')}, q{k_anonymity('alike', '{age,nr}')}, q{suggest_quasi_identifiers('alike')}, q{create_frequency_hierarchy('ills', 'alike', 'ill', 7)});
	my %moves = (moved => 'UPDATE pg_catalog.pg_dist_placement SET groupid = groupid + 1', 'moved there and back' => 'UPDATE pg_catalog.pg_dist_placement SET groupid = groupid',
		split => q{INSERT INTO pg_catalog.pg_dist_shard SELECT 'alike', max(shardid) + 1 FROM pg_catalog.pg_dist_shard});

	for my $level ('REPEATABLE READ', 'SERIALIZABLE', 'READ COMMITTED')
	{
		my $fails = $level ne 'READ COMMITTED';
		for my $move (sort keys %moves)
		{
			for my $question ($move eq 'moved' ? @questions : $questions[0])
			{
				my $session = $node->background_psql('postgres', on_error_stop => 0);

				$session->query("\\set VERBOSITY verbose\nBEGIN ISOLATION LEVEL $level; SELECT count(*) FROM plain;");
				ask("SET allow_system_table_mods = on; $moves{$move}");
				$session->query("SELECT count(*) FROM anonopt.$question;");
				($fails ? \&like : \&unlike)->($session->{stderr}, qr/ERROR:  40001: shards of relation public\.\w+ have moved since the transaction's snapshot/,
					"$level, $move: $question " . ($fails ? 'does not answer' : 'answers'));
				$session->{stderr} = '';
				my $here = $session->query("ROLLBACK; BEGIN ISOLATION LEVEL $level; SELECT k FROM anonopt.evaluate('here', '{1,1}');");
				is($session->{stderr}, '', 'and the next transaction does');
				$session->quit;
			}
		}
	}
}

check_stored_rows();
check_distributed();
check_moves();
$node->stop;
unlike(slurp_file($node->logfile), qr/terminated by signal|TRAP/, 'the server stayed up');
done_testing();
