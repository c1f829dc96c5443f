#!/usr/bin/env perl
#
# Large, wide and numerous input: results stay exact, compared with plain SQL,
# and beyond a limit there is an error that a program can handle, never a
# crash. Also the effects of the caller's rights and snapshot, and of other
# sessions, on a reading.  ANONOPT_LONG=1 has more rows and calls where memory is too little.

use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Server;
use Test::More;

my $node = Server->new('main');
$node->init;
$node->append_conf('postgresql.conf', <<'END');
client_min_messages = warning
log_statement = none
parallel_setup_cost = 0
parallel_tuple_cost = 0
min_parallel_table_scan_size = 0
END
$node->start;
$node->safe_psql('postgres', <<'END');
CREATE EXTENSION anonopt;
CREATE TABLE small (a int, s text);
INSERT INTO small VALUES (1, 'x'), (1, 'y'), (2, 'x'), (2, 'x'), (2, 'y');
SELECT anonopt.create_interval_hierarchy('ten', 0, 9, '{5}');
SELECT anonopt.create_dataset('small', 'small'), anonopt.add_quasi_identifier('small', 'a', 'ten');
END

# ------------------------------------------------------------------- questions

# The answer to the last of some statements
sub ask
{
	my ($sql, %options) = @_;
	my $answer;

	$node->psql('postgres', $sql, on_error_stop => 1, stdout => \$answer, stderr => \my $error, %options);
	return $error eq '' ? (split /\n/, $answer)[-1] // '' : $error;
}

# SQLSTATE, message and hint of the error in which statements end; whatever it
# is, the next call in the same session must succeed.
sub failure
{
	my ($sql, $settings) = @_;
	my ($answer, $error);

	$node->psql('postgres', join(";\n", $settings // (), $sql, "SELECT 'next: ' || k FROM anonopt.evaluate('small', '{0}')"),
		on_error_stop => 0, stdout => \$answer, stderr => \$error,
		extra_params => [ '-v', 'VERBOSITY=verbose', '-v', 'SHOW_CONTEXT=never' ]);
	my ($state, $message) = $error =~ /ERROR:  (\w{5}): (.*)/;
	my ($hint) = $error =~ /^HINT:  (.*)/m;
	return {
		state => $state // 'none',
		message => $message // $answer,
		hint => $hint // '',
		next => $answer =~ /^next: 2$/m ? 'succeeds' : 'fails' };
}

sub refused
{
	my ($sql, $state, $name, %options) = @_;
	my $failure = failure($sql, $options{settings});

	like($failure->{state}, ref $state ? $state : qr/^$state$/, "$name: refused")
	  or diag($failure->{message});
	isnt($failure->{hint}, '', "$name: with a hint") if $options{hint};
	is($failure->{next}, 'succeeds', "$name: the session goes on");
}

# ------------------------------------------------------- 64 quasi-identifiers

# Each column holds 0 to 9, under intervals of five and *.
$node->safe_psql('postgres', q{
	SELECT format('CREATE TABLE wide (%s)', string_agg(format('q%s int', i), ', ')) FROM generate_series(1, 65) i \gexec
	SELECT format('INSERT INTO wide SELECT %s FROM generate_series(1, 400) n',
		string_agg(format('(n %% 40 * %s / 3 + n %% 3) %% 10', i), ', ' ORDER BY i))
	FROM generate_series(1, 65) i \gexec
	SELECT anonopt.create_dataset('wide', 'wide', 0);
	SELECT anonopt.add_quasi_identifier('wide', ('q' || i)::name, 'ten') FROM generate_series(1, 64) i});
is(ask("SELECT anonopt.lattice_size('wide') = 3::numeric ^ 64"), 't', '64 quasi-identifiers: lattice_size is right');
is(ask("SELECT anonopt.lattice_size('wide')"), '3433683820292512484657849089281', 'to the last digit');
refused("SELECT anonopt.add_quasi_identifier('wide', 'q65', 'ten')", '22023', 'the 65th quasi-identifier', hint => 1);
refused("SELECT anonopt.k_anonymity('wide', (SELECT array_agg(('q' || i)::name) FROM generate_series(1, 65) i))",
	'22023', 'k_anonymity of 65 columns', hint => 1);
refused("SELECT * FROM anonopt.lattice('wide')", '57014', 'the whole lattice',
	settings => 'SET statement_timeout = 200');

# A node's measures in plain SQL; shown has the columns at their levels.
sub shown
{
	my ($column, $level) = @_;

	return $column if $level == 0;
	return $level == 1 ? "$column / 5" : '0';
}

sub measured_by_sql
{
	my ($relation, @levels) = @_;
	my $columns = join ', ', map { shown('q' . ($_ + 1), $levels[$_]) } 0 .. $#levels;
	my $loss = join ' + ', map { (0, 4, 9)[$_] . ' / 9.0' } @levels;

	return ask(qq{
		SELECT min(n), count(*), sum(n * n), round(sum(n) * ($loss), 6), round((max(n) - min(n)) / (sum(n) - 1), 12)
		FROM (SELECT count(*) AS n FROM (SELECT ROW($columns) AS class FROM $relation) s GROUP BY class) classes});
}

sub measured
{
	my ($dataset, @levels) = @_;

	return ask(sprintf q{SELECT k, classes, dcn, round(glm::numeric, 6), round(necd::numeric, 12)
		FROM anonopt.evaluate('%s', '{%s}')}, $dataset, join(',', @levels));
}

my %nodes = (
	'at the bottom' => [ (0) x 64 ],
	'in the middle' => [ (1) x 64 ],
	'at the top' => [ (2) x 64 ],
	'of one column, the first' => [ 0, (2) x 63 ],
	'of one column, the last' => [ (2) x 63, 0 ],
	'of mixed levels' => [ map { $_ % 3 } 1 .. 64 ],
	'of few columns' => [ map { $_ % 16 == 5 ? 1 : 2 } 1 .. 64 ]);
for my $name (sort keys %nodes)
{
	my @levels = @{ $nodes{$name} };

	is(measured('wide', @levels), measured_by_sql('wide', @levels), "64 columns, a node $name: as GROUP BY has it");
}
is( ask("SELECT anonopt.k_anonymity('wide', (SELECT array_agg(('q' || i)::name) FROM generate_series(1, 64) i))"),
	ask('SELECT min(n) FROM (SELECT count(*) AS n FROM (SELECT ROW(w.*) AS class FROM wide w) s GROUP BY class) c'),
	'k_anonymity of 64 columns');

# ------------------------------------------------- keys of more than one word

# Six columns of 2000 leaves make keys of 66 bits.
$node->safe_psql('postgres', q{
	SELECT anonopt.create_interval_hierarchy('two_thousand', 0, 1999, '{1000}');
	CREATE TABLE keys AS
	SELECT n * 7 % 2000 AS q1, n % 3 * 777 AS q2, n * n % 2000 AS q3, n % 2 * 1999 AS q4, n * 13 % 2000 AS q5,
		n % 5 * 499 AS q6, 's' || n % 4 AS s FROM generate_series(1, 150) n;
	SELECT anonopt.create_dataset(name, 'keys', 0) FROM unnest('{keys,keys with values}'::text[]) name;
	SELECT anonopt.add_quasi_identifier(name, ('q' || i)::name, 'two_thousand')
	FROM unnest('{keys,keys with values}'::text[]) name, generate_series(1, 6) i ORDER BY name, i;
	SELECT anonopt.add_sensitive('keys with values', 's');
	-- every node of the lattice, by a row for each row of the table
	CREATE TABLE truth AS
	SELECT levels, min(n) AS k, min(values) AS l, count(*) AS classes, sum(n * n) AS dcn
	FROM (
		SELECT levels, count(*) AS n, count(DISTINCT s) AS values
		FROM keys, LATERAL (
			SELECT ARRAY[a, b, c, d, e, f] AS levels,
				ARRAY[q1 / (ARRAY[1, 1000, 2000])[a + 1], q2 / (ARRAY[1, 1000, 2000])[b + 1], q3 / (ARRAY[1, 1000, 2000])[c + 1],
					q4 / (ARRAY[1, 1000, 2000])[d + 1], q5 / (ARRAY[1, 1000, 2000])[e + 1],
					q6 / (ARRAY[1, 1000, 2000])[f + 1]] AS class
			FROM generate_series(0, 2) a, generate_series(0, 2) b, generate_series(0, 2) c, generate_series(0, 2) d,
				generate_series(0, 2) e, generate_series(0, 2) f) nodes
		GROUP BY levels, class) classes
	GROUP BY levels});
is(ask('SELECT count(*) FROM truth'), 729, 'wide keys: SQL measures every node');
is( ask(q{SELECT count(*) FROM truth JOIN anonopt.lattice('keys') x USING (levels)
		WHERE (x.k, x.classes, x.dcn) = (truth.k, truth.classes, truth.dcn::float8)}),
	729, 'the lattice has the same numbers');
is( ask(q{SELECT count(*) FROM truth JOIN anonopt.lattice('keys with values') x USING (levels)
		WHERE (x.k, x.l, x.classes, x.dcn) = (truth.k, truth.l, truth.classes, truth.dcn::float8)}),
	729, 'with a sensitive column too');
is( ask(q{SELECT count(*) FROM truth JOIN (SELECT * FROM anonopt.evaluate('keys with values',
			(SELECT array_agg(levels) FROM truth))) x USING (levels)
		WHERE (x.k, x.l, x.classes, x.dcn) = (truth.k, truth.l, truth.classes, truth.dcn::float8)}),
	729, 'and node by node');

# ---------------------------------------------------------------------- memory

$node->safe_psql('postgres', q{
	SELECT anonopt.create_interval_hierarchy('hundred_thousand', 0, 99999, '{10,1000}');
	CREATE TABLE many AS SELECT i AS a, i % 1000 AS b, md5(i::text) AS s FROM generate_series(0, 99999) i;
	SELECT anonopt.create_dataset('many', 'many', 0), anonopt.add_quasi_identifier('many', 'a', 'hundred_thousand');
	SELECT anonopt.create_dataset('many values', 'many', 0), anonopt.add_quasi_identifier('many values', 'a', 'hundred_thousand'),
		anonopt.add_sensitive('many values', 's');
	ANALYZE});

my %large = (
	'a hierarchy of 100,000 leaves' => [ "SELECT k, classes FROM anonopt.evaluate('many', '{2}')", '1000|100' ],
	'100,000 sensitive values' => [ "SELECT k, l FROM anonopt.evaluate('many values', '{1}')", '10|10' ],
	'a lattice of 100,000 tuples' => [ "SELECT sum(classes) FROM anonopt.lattice('many')", '110101' ],
	'recodings of 100,000 tuples' => [ "SELECT k >= 3, suppressed FROM anonopt.recoding_curve('many', '{3}')", 't|0' ],
	'100,000 values without a hierarchy' => [ "SELECT anonopt.k_anonymity('many', '{s}')", '1' ]);
for my $name (sort keys %large)
{
	my ($sql, $answer) = @{ $large{$name} };

	for my $workers (0, 2)
	{
		my $settings = "SET max_parallel_workers_per_gather = $workers";

		refused($sql, '53200', "$name in 1 MB, $workers workers", hint => 1,
			settings => "$settings; SET anonopt.memory = '1MB'");
		next if $workers > 0 && !$ENV{ANONOPT_LONG};
		is(ask("$settings; SET anonopt.memory = '256MB'; $sql"), $answer, "$name in 256 MB, $workers workers");
	}
}
# The figure that the hint names is enough.
$node->safe_psql('postgres', q{
	CREATE TABLE broad AS SELECT i AS id, i % 10 AS a, i / 10 % 10 AS b, i / 100 % 10 AS c, i / 1000 % 10 AS d, i / 10000 AS e, i % 7 AS s FROM generate_series(0, } . ($ENV{ANONOPT_LONG} ? 99999 : 49999) . q{) i;
	ANALYZE broad;
	SELECT anonopt.create_interval_hierarchy('ten_by_five', 0, 9, '{5}'), anonopt.create_dataset('broad', 'broad', 0.1), anonopt.create_dataset('broad values', 'broad', 0.1);
	SELECT anonopt.add_quasi_identifier(d, q, 'ten_by_five') FROM unnest('{broad,broad values}'::text[]) d, unnest('{a,b,c,d,e}'::name[]) q;
	ALTER TABLE broad ADD PRIMARY KEY (id);
	SELECT anonopt.add_sensitive('broad values', 's');
	SELECT anonopt.publish_table('broad_shown', 'broad', '{1,1,1,1,1}', k => 5)});
my $every = 0;
my @of_memory = (q{evaluate('broad', '{1,1,1,1,1}')}, q{evaluate('broad values', '{1,1,1,1,1}')}, q{lattice('broad')}, q{lattice('broad values')},
	q{pareto('broad values')}, q{optimize('broad', k => 5)}, q{optimize('broad values', k => 5, l => 3)}, q{poka('broad values')},
	q{pbg_ea('broad', iterations => 10, seed => 1)}, q{archive_quality('broad', '{k,glm}', '{{1,1,1,1,1}}')},
	q{nsga2('broad values', 5, 0.3, 0.3, 20, 40, seed => 1, l => 2)}, q{efficiency('broad values', 5, 0.3, 0.3, l => 2)},
	q{reference_direction('broad', 5, '{0.1,0.1}', '{0.3,0.3}', 2, 20, 40, seed => 1)}, q{k_anonymity('broad', '{a,b,c,d,e}')},
	q{risk('broad', '{a,b,c,d,e}', population => 'broad')}, q{property_vector('broad', '{1,1,1,1,1}', 'class_size', 'id')},
	q{create_recoding('broad_recoding', 'broad', k => 5, time_limit => '2 s')}, q{create_view('broad_seen', 'broad', k => 5, recoding => 'broad_recoding')},
	q{publish_table('broad_rows', 'broad', '{1,1,1,1,1}', k => 5)}, q{publish_table('broad_values', 'broad values', '{1,1,1,1,0}', k => 5, l => 2)},
	q{refresh_release('broad_shown')}, q{utility('broad', 'broad_shown', 50)}, q{aruba('broad values', 1, key => 'id')},
	q{btda('broad', 1, risk => 'identity', key => 'id')}, q{aruba_budget('broad', 0.1, risk => 'identity', key => 'id')}, q{aruba('broad', 1, risk => 'entropy', key => 'id')}, q{aruba_balance('broad', 0.01, key => 'id', dictionaries => '{broad,broad_shown}')},
	q{publish_records('broad_records', 'broad', 1, 'id', k => 5, risk => 'identity')});
# A view shows the recoding of the call before it.
for my $call (grep { $ENV{ANONOPT_LONG} || /recoding/ || $every++ % 3 == 0 } @of_memory)
{
	my ($memory, $steps) = ('2MB', 0);

	for (;;)
	{
		my $status = $node->psql('postgres', "SET anonopt.max_workers = 0; SET max_parallel_workers_per_gather = 0; SET anonopt.composition = off; SET anonopt.memory = '$memory'; SELECT count(*) FROM anonopt.$call",
			stderr => \my $errors);
		last if $status == 0 || $errors !~ /Set anonopt.memory to '(\d+) MB'/ || $steps++ > 4;
		$memory = "$1MB";
	}
	is($steps, 1, "the hint names enough: $call, $memory");
}
is( ask(q{SET anonopt.memory = '1MB'; SELECT k FROM anonopt.evaluate('small', '{0}')}),
	2, '1 MB is enough for a small table');
is( ask(q{SELECT domain, observed, levels FROM anonopt.describe('many')}),
	'100000|100000|3', 'a hierarchy of 100,000 leaves is described');

# Texts of a megabyte, twenty of them distinct
$node->safe_psql('postgres', q{
	CREATE TABLE long AS SELECT i % 3 AS a, repeat(md5((i % 20)::text), 32768) AS s FROM generate_series(1, 60) i;
	SELECT anonopt.create_dataset('long', 'long', 0), anonopt.add_quasi_identifier('long', 'a', 'ten');
	SELECT anonopt.add_sensitive('long', 's', 'ordered');
	ANALYZE long});
for my $workers (0, 2)
{
	is( ask(qq{SET max_parallel_workers_per_gather = $workers;
			SELECT string_agg(k || '/' || l || '/' || t, ' ' ORDER BY levels) FROM anonopt.lattice('long')}),
		'20/20/0 60/20/0 60/20/0', "values of a megabyte, $workers workers");
	is( ask(qq{SET max_parallel_workers_per_gather = $workers; SELECT anonopt.k_anonymity('long', '{s}')}),
		3, "as classes, $workers workers");
	refused("SELECT * FROM anonopt.lattice('long')", '53200', "in too little memory, $workers workers", hint => 1,
		settings => "SET max_parallel_workers_per_gather = $workers; SET anonopt.memory = '8MB'");
}

# --------------------------------------------------------------- many columns

$node->safe_psql('postgres', q{
	SELECT format('CREATE TABLE columns (a int, %s)', string_agg(format('s%s int', i), ', ' ORDER BY i))
	FROM generate_series(1, 1500) i \gexec
	INSERT INTO columns (a, s1, s90, s97) VALUES (1, 1, 1, 1), (1, 2, 1, 2), (1, 3, 1, 1), (2, 1, 1, 2), (2, 2, 2, 3);
	SELECT anonopt.create_dataset('columns', 'columns', 0), anonopt.add_quasi_identifier('columns', 'a', 'ten');
	SELECT anonopt.add_sensitive('columns', 's1')});
# As a restore does: a call for each would take longer than all else here.
sub add_columns
{
	my ($first, $last) = @_;

	ask(qq{INSERT INTO anonopt.attribute (dataset, ordinal, column_name, role)
		SELECT 'columns', i + 1, 's' || i, 'sensitive' FROM generate_series($first, $last) i});
}
add_columns(2, 97);
is( ask("SELECT k, l, sum_l FROM anonopt.evaluate('columns', '{0}')"),
	'2|1|5', 'many sensitive columns: the worst and the first count');
is(ask("SELECT count(*) FROM anonopt.describe('columns')"), 98, 'all are described');
my $limit_exceeded = qr/^(54\w{3}|22023)$/;
for my $add (98, 99, 100)
{
	refused(qq{SELECT anonopt.add_sensitive('columns', 's$add');
		SELECT * FROM anonopt.evaluate('columns', '{0}')},
		$limit_exceeded, "sensitive column $add", hint => 1);
}
add_columns(101, 400);
refused("SELECT * FROM anonopt.evaluate('columns', '{0}')", $limit_exceeded, '400 sensitive columns', hint => 1);
refused("SELECT anonopt.create_mask_hierarchy('masks', 'long', 's')", '22023', 'a level for each of a million characters');
refused("SELECT * FROM anonopt.evaluate('small', array_fill(0, ARRAY[1000000]))", '22023', 'a million levels');

# --------------------------------------------------------------- many people

$node->safe_psql('postgres', q{
	CREATE TABLE counted (a int, n bigint, s text);
	SELECT anonopt.create_dataset('counted', 'counted', 0, count_column => 'n');
	SELECT anonopt.add_quasi_identifier('counted', 'a', 'ten'), anonopt.add_sensitive('counted', 's')});

# One transaction, so that nothing of it stays
sub counting
{
	my ($rows, $sql) = @_;

	return "BEGIN; INSERT INTO counted $rows; $sql; ROLLBACK";
}

my $most = 2**47;
$node->safe_psql('postgres', q{
	CREATE VIEW counted_truth AS
	SELECT ARRAY[level] AS levels, min(size) AS k, min(values) AS l, count(*) AS classes,
		sum(size * size)::float8 AS sum_k, sum(own)::float8 AS sum_l, sum(size * size - own)::float8 AS sum_other,
		(sum(size) * (ARRAY[0, 4, 9])[level + 1])::float8 / 9 AS glm
	FROM (
		SELECT level, class, sum(n) AS size, sum(n * n) AS own, count(*) AS values
		FROM (
			SELECT level, a / (ARRAY[1, 5, 10])[level + 1] AS class, s, sum(n) AS n
			FROM counted, generate_series(0, 2) level GROUP BY 1, 2, 3) values
		GROUP BY level, class) classes
	GROUP BY level});
is( ask(counting("VALUES (1, $most - 3, 'x'), (1, 2, 'y'), (2, 1, 'x')", q{
		SELECT count(*) FROM anonopt.lattice('counted') x JOIN counted_truth t USING (levels)
		WHERE (x.k, x.l, x.classes, x.sum_k, x.sum_l, x.sum_other, x.glm) =
			(t.k, t.l, t.classes, t.sum_k, t.sum_l, t.sum_other, t.glm)})),
	3, '2^47 people: every sum is exact');

my $largest = '9223372036854775807';
for my $case (
	[ 'one person more', "VALUES (1, $most, 'x'), (2, 1, 'x')" ],
	[ 'in one class', "VALUES (1, $most, 'x'), (1, 1, 'x')" ],
	[ 'in one row', "VALUES (1, $most + 1, 'x')" ],
	[ 'a sum of 2^63', "SELECT 1, 4611686018427387904, 'x' FROM generate_series(1, 2)" ],
	[ 'a sum of 2^64', "SELECT 1, 4611686018427387904, 'x' FROM generate_series(1, 4)" ],
	[ 'a sum of 2^64 + 1', "VALUES (1, $largest, 'x'), (1, $largest, 'x'), (1, 3, 'x')" ],
	[ 'a sum of 2^64 in classes', "SELECT i, 4611686018427387904, 'x' FROM generate_series(1, 4) i" ],
	[ 'a sum of 2^64 by value', "SELECT 1, 4611686018427387904, i FROM generate_series(1, 4) i" ],
	[ 'a sum of 2^64 among others', "SELECT 1, CASE WHEN i % 10000 = 1 THEN 4611686018427387904 ELSE 1 END, 'x'
		FROM generate_series(0, 39999) i" ])
{
	my ($name, $rows) = @$case;

	for my $workers (0, 2)
	{
		refused(counting($rows, "SELECT k FROM anonopt.lattice('counted')"),
			'22003', "more than 2^47 people, $name, $workers workers",
			settings => "SET max_parallel_workers_per_gather = $workers");
	}
}

# -------------------------------------------------------- rights and volatility

$node->safe_psql('postgres', q{
	CREATE ROLE regress_reader LOGIN;
	CREATE TABLE guarded AS SELECT i % 4 AS a, i % 2 = 0 AS even FROM generate_series(1, 5000) i WHERE i % 4 > 0 OR i < 100;
	ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
	CREATE POLICY even ON guarded FOR SELECT TO regress_reader USING (even);
	GRANT SELECT ON guarded, ten TO regress_reader;
	SELECT anonopt.create_dataset('guarded', 'guarded', 0), anonopt.add_quasi_identifier('guarded', 'a', 'ten');
	ANALYZE guarded});
for my $workers (0, 2)
{
	my $sql = "SET max_parallel_workers_per_gather = $workers; SELECT k, classes, sum_k FROM anonopt.evaluate('guarded', '{0}')";
	my $truth = 'SELECT min(n), count(*), sum(n * n) FROM (SELECT count(*) AS n FROM guarded GROUP BY a) classes';
	my %reader = (extra_params => [ '-U', 'regress_reader' ]);

	is(ask($sql), ask($truth), "row security, $workers workers: its owner reads every row");
	is(ask($sql, %reader), ask($truth, %reader), "row security, $workers workers: others read theirs");
	isnt(ask($sql, %reader), ask($sql), "row security, $workers workers: which is not the same");
}

# A view that counts how often its rows are read, and looks different each time
$node->safe_psql('postgres', q{
	CREATE SEQUENCE readings;
	CREATE VIEW restless AS SELECT (a + nextval('readings') * 0)::int AS a, floor(random() * 10)::int AS b FROM guarded;
	SELECT anonopt.create_dataset('restless', 'restless', 0), anonopt.add_quasi_identifier('restless', 'a', 'ten'),
		anonopt.add_quasi_identifier('restless', 'b', 'ten')});
is( ask(q{SELECT count(*) FROM anonopt.lattice('restless')}), 9, 'a volatile view is measured');
is( ask('SELECT last_value - (SELECT count(*) FROM guarded) FROM readings'),
	0, 'its rows are read once for all nodes');
is( ask(q{SELECT count(DISTINCT dcn) FROM anonopt.lattice('restless') WHERE levels[2] = 2 AND levels[1] = 0}),
	1, 'what does not change is measured as ever');

# ---------------------------------------------------------------- other sessions

$node->safe_psql('postgres', 'CREATE TABLE answers (answer text)');
my $script = $node->basedir . '/ask.sql';
append_to_file($script, q{INSERT INTO answers SELECT md5(string_agg(x::text, ' ' ORDER BY levels))
	FROM anonopt.lattice('keys with values', l => 2) x;} . "\n");
$node->command_ok(
	[ 'pgbench', '-n', '-c', 20, '-j', 2, '-t', 2, '-f', $script, '-h', $node->host, '-p', $node->port, 'postgres' ],
	'twenty sessions measure the same lattice');
is(ask('SELECT count(*), count(DISTINCT answer) FROM answers'), '40|1', 'each with the same answer');

# What another session commits is not seen before this one's snapshot ends.
$node->safe_psql('postgres', q{
	CREATE TABLE changing AS SELECT value, level1, level2 FROM ten;
	CREATE TABLE readers AS SELECT i % 10 AS a FROM generate_series(1, 100) i;
	SELECT anonopt.create_dataset('readers', 'readers', 0), anonopt.add_quasi_identifier('readers', 'a', 'changing')});
my $session = $node->background_psql('postgres');
my $question = q{SELECT string_agg(classes || ' ' || k, ', ' ORDER BY levels) || ' ' || anonopt.generalize(7, 'changing', 1)
	FROM anonopt.lattice('readers')};
my $before = $session->query_safe($question);
is($before, '10 10, 2 50, 1 100 [5, 10)', 'a hierarchy, before it is altered');

$session->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ');
is($session->query_safe($question), $before, 'in a transaction of its own');
ask(q{UPDATE changing SET level1 = CASE WHEN value < 1 THEN 'none' ELSE 'some' END});
ask(q{INSERT INTO readers SELECT 0 FROM generate_series(1, 10)});
my $after = ask($question);
is($after, '10 10, 2 20, 1 110 some', 'other sessions see it altered');
is($session->query_safe($question), $before, 'the transaction does not');
ask(q{SELECT anonopt.drop_attribute('readers', 'a')});
ask(q{SELECT anonopt.add_quasi_identifier('readers', 'a', 'changing', max_level => 1)});
is($session->query_safe($question), $before, 'nor another declaration');
like(ask(q{SET lock_timeout = 100; ALTER TABLE changing DROP COLUMN level2}),
	qr/lock timeout/, 'and no column goes while it lasts');
$session->query_safe('COMMIT');
is($session->query_safe($question), '10 10, 2 20 some', 'after it ends, it does');
$session->quit;

$node->stop;
done_testing();
