#!/usr/bin/env perl
#
# Faults during calls of the extension: no memory, a full disk, a session or a
# worker that is terminated or killed, a shutdown. The call may fail in an
# orderly way; the server stays up, or comes up again, and the state is that
# from before or after the call.
#
# SEED repeats the random moments of a run; ANONOPT_LONG=1 makes many more of
# them, and ten thousand calls where there are some hundreds.

use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Server;
use Test::More;
use Time::HiRes qw(sleep time);

my $long = $ENV{ANONOPT_LONG};
my $seed = srand($ENV{SEED} || time);
note "SEED=$seed";

my $node = Server->new('faults');

# ------------------------------------------------------------------- the calls

# What reads: by name, as a query; each takes some tenths of a second at most.
my %reading = (
	lattice => q{lattice('people', l => 2)},
	pareto => q{pareto('people', '{k,t,nwp}')},
	optimize => q{optimize('people', k => 5)},
	poka => q{poka('people')},
	pbg_ea => q{pbg_ea('people', '{k,glm,t}', iterations => 30, seed => 1)},
	archive_quality => q{archive_quality('people', '{k,glm}', '{{1,1,1},{2,2,2}}')},
	evaluate => q{evaluate('people', '{1,1,1}', k => 3)},
	evaluate_cuts => q{evaluate_cuts('people', ARRAY[repeat('01', 49) || '0', repeat('10', 49) || '1', repeat('1', 99)]::varbit[])},
	efficiency => q{efficiency('people', 3, 0.1, 0.1)},
	nsga2 => q{nsga2('people', 3, 0.1, 0.1, 20, 200, seed => 1)},
	reference_direction => q{reference_direction('people', 3, '{0.1,0.1}', '{0.3,0.3}', 2, 10, 50, seed => 1)},
	aruba => q{aruba('people', 3)},
	btda => q{btda('people', 3, 'identity', 'leaves')},
	aruba_similar => q{aruba('few', 1, similarity => 0.9)},
	property_vector => q{property_vector('people', '{1,1,1}', 'class_size')},
	compare => q{compare('people', '{1,1,1}', '{2,2,2}')},
	tournament => q{tournament('people', '{{1,1,1},{2,2,2},{0,1,2}}', 'loss', 'p_spr')},
	node_detail => q{node_detail('people', '{1,1,1}')},
	suppressed_classes => q{suppressed_classes('people', '{0,0,0}', k => 2)},
	describe => q{describe('people')},
	t_closeness => q{t_closeness('people', '{a}', 's', 'ordered')},
	risk => q{risk('people', '{a,b,c}')},
	check_hierarchy => q{check_hierarchy('hundred')},
	release_risk => q{release_risk('people')},
	verify => q{verify('shown')},
	view_sql => q{view_sql('x', 'people', '{3,3,3}', k => 2)},
	report => q{report('people')},
	suggest => q{suggest_quasi_identifiers('people')});

# Calls that fail halfway.
my %failing = (
	no_leaf => q{lattice('leafless')},
	no_leaf_record => q{aruba('leafless', 1)},
	unsound => q{describe('unsound')},
	too_much => q{evaluate('heavy', '{0}')},
	no_promise => q{publish_table('made', 'people', '{0,0,0}', k => 1000)},
	taken => q{create_interval_hierarchy('hundred', 0, 9, '{}')},
	wrong_levels => q{evaluate('people', '{9,9,9}')},
	unknown => q{lattice('unknown')},
	generalize => q{generalize(1000, 'hundred', 1)},
	no_key => q{property_vector('people', '{1,1,1}', 'loss', 'a')});

# Calls that write, and roll back.
my %writing = (
	interval => [ q{create_interval_hierarchy('made', 0, 20000, '{10,100}')}, 'DROP TABLE made' ],
	mask => [ q{create_mask_hierarchy('made', 'people', 'z')}, 'DROP TABLE made' ],
	auto => [ q{auto_dataset('made', 'few', '{a,b}')}, q{SELECT anonopt.drop_dataset('made'); DROP TABLE few_a_hierarchy, few_b_hierarchy} ],
	declare => [ q{create_dataset('made', 'people')}, q{SELECT anonopt.drop_dataset('made')} ],
	table => [ q{publish_table('made', 'people', '{3,3,3}', k => 2)}, q{SELECT anonopt.drop_release('made')} ],
	view => [ q{create_view('made', 'people', '{3,3,3}', k => 2)}, q{SELECT anonopt.drop_release('made')} ],
	live => [ q{create_view('made', 'people', '{3,3,3}', k => 2, materialized => false)}, q{SELECT anonopt.drop_release('made')} ],
	recoding => [ q{create_recoding('made', 'few', k => 3, seed => 1)}, 'DROP TABLE made' ],
	recoded => [ q{publish_table('made', 'few', k => 2, recoding => 'classes')}, q{SELECT anonopt.drop_release('made')} ],
	recoded_view => [ q{create_view('made', 'few', k => 2, recoding => 'classes')}, q{SELECT anonopt.drop_release('made')} ],
	recoded_live => [ q{create_view('made', 'few', k => 2, recoding => 'classes', materialized => false)}, q{SELECT anonopt.drop_release('made')} ],
	refresh_recoded => [ q{refresh_release('recoded')}, 'SELECT' ],
	records => [ q{publish_records('made', 'few', 1, 'nr', k => 1)}, q{SELECT anonopt.drop_release('made')} ],
	refresh => [ q{refresh_release('shown')}, 'SELECT' ],
	refresh_view => [ q{refresh_release('seen')}, 'SELECT' ]);

sub make_data
{
	$node->safe_psql('postgres', q{
		CREATE EXTENSION anonopt;
		CREATE TABLE people AS SELECT i AS nr, i * 7919::bigint % 100 AS a, i * 104729::bigint % 97 AS b, i * 31 % 89 AS c, 'z' || i % 50 AS z,
			(i * i % 11)::int AS s FROM generate_series(1, 6000::bigint) i;
		ALTER TABLE people ADD PRIMARY KEY (nr);
		CREATE TABLE few AS SELECT * FROM people LIMIT 300;
		ALTER TABLE few ADD PRIMARY KEY (nr);
		CREATE TABLE leafless AS SELECT * FROM people;
		INSERT INTO leafless VALUES (0, 500, 1, 1, 'z', 1);
		SELECT anonopt.create_interval_hierarchy('hundred', 0, 99, '{2,10,50}');
		CREATE TABLE twice AS TABLE hundred;
		CREATE TABLE heavy AS SELECT i AS a, repeat(md5(i::text), 20) AS s FROM generate_series(0, 19999) i;
		SELECT anonopt.create_interval_hierarchy('many', 0, 29999, '{10,1000}');
		SELECT anonopt.create_dataset(d, d::regclass, 0.1), anonopt.add_quasi_identifier(d, 'a', 'hundred'), anonopt.add_quasi_identifier(d, 'b', 'hundred'),
			anonopt.add_quasi_identifier(d, 'c', 'hundred'), anonopt.add_sensitive(d, 's', 'ordered') FROM unnest('{people,few,leafless}'::text[]) d;
		SELECT anonopt.create_dataset('unsound', 'people'), anonopt.add_quasi_identifier('unsound', 'a', 'twice');
		INSERT INTO twice SELECT * FROM twice;
		SELECT anonopt.create_dataset('heavy', 'heavy', 0), anonopt.add_quasi_identifier('heavy', 'a', 'many'), anonopt.add_sensitive('heavy', 's');
		SELECT anonopt.publish_table('shown', 'people', '{3,3,3}', k => 2), anonopt.create_view('seen', 'people', '{3,3,4}', k => 2);
		SELECT anonopt.create_recoding('classes', 'few', k => 3, seed => 1);
		SELECT anonopt.create_view('recoded', 'few', k => 2, recoding => 'classes');
		CREATE TABLE known AS SELECT oid FROM pg_class;
		ANALYZE});
}

# ------------------------------------------------------------------ questions

sub ask
{
	my ($sql) = @_;
	return $node->safe_psql('postgres', $sql);
}

# A client that runs on while we do something to it
my $scripts = PostgreSQL::Test::Utils::tempdir;
my $clients = 0;

sub start_client
{
	my ($sql) = @_;
	my $client = { out => '', err => '' };
	my $script = "$scripts/" . ++$clients;

	append_to_file($script, $sql);
	$client->{run} = IPC::Run::start(
		[ 'psql', '-XqAt', '-d', $node->connstr('postgres') . ' application_name=client', '-f', $script ],
		'>', \$client->{out}, '2>', \$client->{err});
	return $client;
}

sub end_client
{
	my ($client) = @_;
	eval { $client->{run}->finish; 1 } or note $@;
	return $client->{out};
}

# A digest of what a call answers, in an order of its own; random ids, times and orders are left out
sub digest
{
	my ($call) = @_;
	return "SELECT md5(string_agg(regexp_replace(x::text, 'made on [^.]*\\.|>date</th><td>[^<]*', '', 'g'), ' ' ORDER BY x::text COLLATE \"C\")) FROM anonopt.$call x";
}

# Whether nothing is half done: releases, their entries, and other objects
sub check_sound
{
	my ($what) = @_;

	is( ask($Server::define_contents . q{
			SELECT 'entry without relation ' || name FROM anonopt.release WHERE NOT dropped AND to_regclass(name) IS NULL
			UNION ALL SELECT 'not verified ' || r.name FROM anonopt.release r, anonopt.verify(r.release) v WHERE NOT r.dropped AND NOT v.ok
			UNION ALL SELECT 'relation without entry ' || objoid::regclass FROM pg_description d JOIN pg_class c ON c.oid = d.objoid
				WHERE d.classoid = 'pg_class'::regclass AND starts_with(description, 'anonopt release ')
				AND NOT EXISTS (SELECT FROM anonopt.published p WHERE starts_with(description, 'anonopt release ' || p.id))
			UNION ALL SELECT 'content that is not shown of ' || p.name FROM anonopt.published p
				LEFT JOIN LATERAL (SELECT c.rows, 4 * cardinality(c.nlabels) + 8 * cardinality(c.compared) + 8 AS width FROM anonopt.published_content c WHERE c.id = p.id ORDER BY version DESC LIMIT 1) c ON true
				WHERE p.form <> 'live view' AND p.levels IS NOT NULL AND to_regclass(p.name) IS NOT NULL
				AND EXISTS (SELECT FROM anonopt.release r WHERE r.name = p.name AND NOT r.dropped AND r.published_at = p.published_at)
				AND (SELECT sum(get_byte(c.rows, at) + 256 * get_byte(c.rows, at + 1)) FROM generate_series(c.width - 8, length(c.rows) - 8, c.width) at)::numeric IS DISTINCT FROM
					(SELECT count(*) FROM regexp_split_to_table(pg_temp.contents(to_regclass(p.name)), E'\n'))
			UNION ALL SELECT 'content without entry' FROM anonopt.published_content c WHERE NOT EXISTS (SELECT FROM anonopt.published p WHERE p.id = c.id)
			UNION ALL SELECT 'function without view ' || proname FROM pg_proc f WHERE pronamespace = 'public'::regnamespace AND proname LIKE '%\_rows'
				AND to_regclass(regexp_replace(proname, '_rows$', '')) IS NULL
			UNION ALL SELECT 'attribute without data set' FROM anonopt.attribute a WHERE NOT EXISTS (SELECT FROM anonopt.dataset d WHERE d.dataset = a.dataset)
			UNION ALL SELECT 'relation ' || oid::regclass FROM pg_class c WHERE relname !~ '^(made|few_|pg_)' AND relkind <> 't'
				AND relfilenode <> 0 AND relnamespace <> 'pg_catalog'::regnamespace AND relnamespace <> 'pg_toast'::regnamespace
				AND oid NOT IN (SELECT oid FROM known) AND relname <> 'known' AND relpersistence <> 't'
			UNION ALL SELECT 'search ' || algorithm FROM anonopt.progress}),
		'', "$what: all that is there is whole");
}

# Take away what a client may have made.
sub clean_up
{
	ask(q{SET client_min_messages = error;
		SELECT anonopt.drop_release(release) FROM anonopt.release WHERE name = 'public.made' AND NOT dropped;
		SELECT anonopt.drop_dataset(dataset) FROM anonopt.dataset WHERE dataset = 'made';
		DROP TABLE IF EXISTS made, few_a_hierarchy, few_b_hierarchy});
}

# --------------------------------------------------------------------- memory

sub status_kb
{
	my ($pid, $field) = @_;
	my ($kb) = slurp_file("/proc/$pid/status") =~ /^$field:\s+(\d+)/m;
	return $kb;
}

# Call after call in a process with limited memory: each returns its usual answer or fails with 53200.
sub check_address_space
{
	my @names = $long ? sort keys %reading : qw(lattice nsga2 aruba report pbg_ea);
	my (%answer, %states, @wrong);

	plan_skip('prlimit is not there', 3) or return;
	ask('CREATE TABLE roomy AS SELECT i % 2000 AS a, i % 1999 AS b, i % 1997 AS c, md5(i::text) AS s FROM generate_series(1, 12000) i;'
		. q{SELECT anonopt.create_interval_hierarchy('thousands', 0, 1999, '{10,100}');
		SELECT anonopt.create_dataset('roomy', 'roomy', 0), anonopt.add_quasi_identifier('roomy', 'a', 'thousands'), anonopt.add_quasi_identifier('roomy', 'b', 'thousands'),
			anonopt.add_quasi_identifier('roomy', 'c', 'thousands'), anonopt.add_sensitive('roomy', 's'); INSERT INTO known SELECT oid FROM pg_class});
	my %roomy = map { $_ => $reading{$_} =~ s/'people', '\{a,b,c\}'|'people'/'roomy'/r =~ s/iterations => 30/iterations => 3/r } @names;
	$roomy{evaluate} = q{evaluate('roomy', '{0,0,0}')};
	my $postmaster = $node->{_pid};
	my $size = status_kb($postmaster, 'VmSize');
	$answer{$_} = ask("SET anonopt.memory = '1GB'; SET anonopt.max_workers = 0; " . digest($roomy{$_})) for keys %roomy;
	for my $megabytes ($long ? (5 .. 40, map { $_ * 10 } 5 .. 20) : (8, 20))
	{
		# what the postmaster starts from now on has no more
		system_or_bail('prlimit', '--pid', $postmaster, '--as=' . (($size + 1024 * $megabytes) * 1024) . ':');
		for my $workers (0, 2)
		{
			for my $name (sort keys %roomy)
			{
				my $client = start_client("SET anonopt.memory = '1GB'; SET anonopt.max_workers = $workers; SET max_parallel_workers_per_gather = $workers;"
					. digest($roomy{$name}) . ";\n\\echo :SQLSTATE\nSELECT 1;\n");
				my ($state) = end_client($client) =~ /^([0-9A-Z]{5})\n1$/m;
				if ($client->{err} =~ /FATAL:|could not fork/) { $state = 'no session' }
				elsif (!defined $state) { push @wrong, "$name in $megabytes MB, $workers workers: $client->{err} $client->{out}" }
				elsif ($state eq '00000') { push @wrong, "$name: another answer" if $client->{out} !~ /^$answer{$name}$/m }
				elsif ($state ne '53200') { push @wrong, "$name in $megabytes MB, $workers workers: $client->{err}" }
				$states{$state // 'none'}++;
			}
		}
	}
	system_or_bail('prlimit', '--pid', $postmaster, '--as=unlimited:');
	note join ', ', map { "$_: $states{$_}" } sort keys %states;
	is_deeply(\@wrong, [], 'memory that cannot be had: the right answer or 53200, and the session goes on');
	cmp_ok($states{'53200'} // 0, '>', 3, 'memory that cannot be had: met');
	is(slurp_file("$node->{_basedir}/pgdata/postmaster.pid") =~ s/\n.*//sr, $postmaster, 'the server stayed up');
	ask(q{SELECT anonopt.drop_dataset('roomy'); DROP TABLE roomy, thousands});
	check_sound('after that');
}

# True where prlimit is; otherwise so many tests are skipped.
sub plan_skip
{
	my ($why, $tests) = @_;
	return 1 if system('prlimit --version > /dev/null 2>&1') == 0;
  SKIP: { skip $why, $tests }
	return 0;
}

# Bytes of a session's memory but for PostgreSQL's caches, and kilobytes of its process beside what it shares
# (18 shows a context's path in place of its parent's name; this query's own tuplestore has a row for each
# context, those of cached plans among them)
my $in_cache = qx(pg_config --version) =~ /(\d+)/ && $1 >= 18
  ? q{path[level - 1] = (SELECT path[level] FROM context WHERE name = 'CacheMemoryContext')}
  : q{parent = 'CacheMemoryContext'};
my $memory = qq{WITH context AS MATERIALIZED (SELECT * FROM pg_backend_memory_contexts)
	SELECT sum(total_bytes) FROM context
	WHERE NOT (name ~ 'Cache|^index info|^relation rules|RelCache|TableSpace|^CachedPlan|event trigger|^tuplestore tuples' OR $in_cache)};

# Statements one after the other, so many times over; some may fail
sub call_often
{
	my ($session, $times, @statements) = @_;
	my $array = join ', ', map { "\$call\$$_\$call\$" } @statements;

	$session->query("\\set VERBOSITY sqlstate\n\\o /dev/null\nSELECT s FROM generate_series(1, $times) g, unnest(ARRAY[$array]) WITH ORDINALITY x (s, i) ORDER BY g, i \\gexec\n\\o\n");
	$session->{stderr} = '';
}

# Any number of calls leaves a session as large as it was.
sub check_flat_memory
{
	my $times = $long ? 10000 : 8;
	my $session = $node->background_psql('postgres', on_error_stop => 0);
	my $pid = $session->query_safe('SELECT pg_backend_pid()');
	my %statements = (
		(map { ($_ => [ "SELECT count(*) FROM anonopt.$reading{$_} x" ]) } keys %reading),
		(map { ("failing $_" => [ "SELECT count(*) FROM anonopt.$failing{$_} x" ]) } keys %failing),
		(map { ("writing $_" => [ "SELECT count(*) FROM anonopt.$writing{$_}[0] x", split /; /, $writing{$_}[1] ]) } keys %writing));
	# those that take long are called less often
	my %slow = map { $_ => 1 } 'failing too_much', qw(aruba_similar report suggest btda);
	my (@grown, %round);

	$session->query_safe("SET client_min_messages = error; SET anonopt.memory = '8MB'; SET maintenance_work_mem = '8MB'; SET anonopt.max_workers = 0; SET max_parallel_workers_per_gather = 0");
	for my $round (1 .. 3)
	{
		# the first makes the caches what they will be
		for my $name (sort keys %statements)
		{
			my $calls = $round == 1 ? 1 : $times / ($slow{$name} ? 12 : $name =~ /^writing/ ? 4 : 2);
			my $begun = time;
			call_often($session, int($calls) || 1, @{ $statements{$name} });
			note sprintf '%s: %.2f s', $name, time - $begun if time - $begun > 1;
		}
		push @{ $round{''}{bytes} }, $session->query_safe($memory);
		push @{ $round{''}{rss} }, status_kb($pid, 'RssAnon');
	}
	my ($first, $second, $third) = @{ $round{''}{bytes} };
	note sprintf 'memory: %d, %d, %d bytes; %s kB', $first, $second, $third, join ', ', @{ $round{''}{rss} };
	cmp_ok($third - $second, '<', 65536, 'calls without number: no memory context grows');
	# what the allocator keeps for itself comes and goes
	cmp_ok($round{''}{rss}[2] - $round{''}{rss}[0], '<', 16384, 'nor does the process');
	is($session->query_safe(q{SELECT count(*) FROM pg_backend_memory_contexts WHERE name LIKE 'anonopt%'}), 0, 'and none of ours is left');

	# within one transaction, what fails frees what it had
	my $failures = join '; ', map { "BEGIN PERFORM FROM anonopt.$failing{$_}; EXCEPTION WHEN OTHERS THEN failed := failed + 1; END" } sort keys %failing;
	my $rounds = $long ? 1000 : 20;
	$session->query_safe("BEGIN; DO \$\$ DECLARE failed int := 0; BEGIN FOR i IN 1 .. 2 LOOP $failures; END LOOP; END \$\$");
	my $before = $session->query_safe($memory);
	$session->query_safe("DO \$\$ DECLARE failed int := 0; BEGIN FOR i IN 1 .. $rounds LOOP $failures; END LOOP;
		IF failed <> $rounds * " . keys(%failing) . " THEN RAISE 'only % failed', failed; END IF; END \$\$");
	cmp_ok($session->query_safe($memory) - $before, '<', 65536, 'what fails within a transaction leaves it no memory');
	is($session->query_safe(q{SELECT count(*) FROM pg_backend_memory_contexts WHERE name LIKE 'anonopt%'}), 0, 'none of ours is left in it');
	$session->query_safe('COMMIT');
	$session->quit;
	check_sound('after many calls');
}

# A hundred sessions, each of which searches the same data set, in one of four ways; a small one, since their number is the point
sub check_hundred_sessions
{
	my $script = $node->basedir . '/search.sql';
	my @names = qw(pareto pbg_ea nsga2 compare);
	my $times = $long ? 40 : 1;

	ask('CREATE TABLE answers (call text, answer text); INSERT INTO known SELECT oid FROM pg_class');
	append_to_file($script, "\\set way :client_id % 4\n" . join '', map {
			"\\if :way = $_\nINSERT INTO answers SELECT '$names[$_]', (" . digest($reading{ $names[$_] } =~ s/'people'/'few'/r) . ");\n\\endif\n" } 0 .. 3);
	$node->command_ok([ 'pgbench', '-n', '-c', 100, '-j', 2, '-t', $times, '-f', $script, $node->connstr('postgres') ],
		'a hundred sessions search the same data set');
	is( ask(q{SELECT count(*) FROM (SELECT call, count(*), count(DISTINCT answer) FROM answers GROUP BY call HAVING count(*) = 25 * } . $times . q{ AND count(DISTINCT answer) = 1) a}),
		4, 'all answers are equal');
	ask('DROP TABLE answers');
}

# -------------------------------------------------------------- ended and killed

# Sessions that are ended, by request or by force, in the middle of each call that writes or takes long
sub check_terminated
{
	my @calls = ((map { $writing{$_}[0] } sort keys %writing), @reading{qw(nsga2 aruba compare report suggest release_risk efficiency)});
	my (@wrong, $ended);

	for my $call (@calls)
	{
		for (1 .. ($long ? 20 : 1))
		{
			my $client = start_client("SELECT pg_backend_pid();\nSELECT count(*) FROM anonopt.$call, generate_series(1, " . ($call =~ /^(create|publish|auto)/ ? 1 : 50) . ");\n");
			pump_until($client->{run}, IPC::Run::timer(30), \$client->{out}, qr/^\d+\n/);
			my ($pid) = $client->{out} =~ /^(\d+)/;
			my $way = rand() < 0.5 ? 'terminate' : 'cancel';
			sleep rand(0.04);
			ask("SELECT pg_${way}_backend($pid)");
			end_client($client);
			push @wrong, "$call: $client->{err}"
			  if $client->{err} =~ /ERROR|FATAL/ && $client->{err} !~ /canceling statement due to user request|terminating connection due to administrator command/;
			$ended++ if $client->{err} ne '';
			clean_up();
		}
	}
	is_deeply(\@wrong, [], 'ended in the middle: in the ordinary way');
	note "$ended of ", @calls * ($long ? 20 : 1), ' were met in the middle';
	cmp_ok($ended, '>', @calls / 2, 'and in the middle');
	check_sound('after that');
}

# Killing a worker or a session ends all sessions, but nothing else is lost.
sub check_killed
{
	my $answer = ask(digest($reading{pareto}));

	my $columns = join ', ', map { "abs(hashint8(nr * 10 + $_) % 100) AS q$_" } 1 .. 8;
	ask("CREATE TABLE endless AS SELECT $columns, s FROM people;" . q{
		SELECT anonopt.create_dataset('endless', 'endless'), anonopt.add_sensitive('endless', 's', 'ordered');
		SELECT anonopt.add_quasi_identifier('endless', ('q' || i)::name, 'hundred') FROM generate_series(1, 8) i;
		INSERT INTO known SELECT oid FROM pg_class;
		ANALYZE endless});
	for my $whom ('parallel worker', 'client backend')
	{
		my $client = start_client("SET anonopt.max_workers = 2; SELECT count(*) FROM anonopt.lattice('endless');\n");
		$node->poll_query_until('postgres', q{SELECT count(*) = 2 FROM pg_stat_activity WHERE backend_type = 'parallel worker'})
		  or die "no workers\n";
		my $pid = ask("SELECT min(pid) FROM pg_stat_activity WHERE backend_type = '$whom' AND application_name = 'client'");
		kill 'KILL', $pid;
		end_client($client);
		like($client->{err}, qr/terminating connection because of crash of another server process|server closed the connection/, "a $whom is killed: sessions end");
		$node->poll_query_until('postgres', 'SELECT true') or die "the server does not come back\n";
		is(ask(digest($reading{pareto})), $answer, 'the server comes back, with the same answers');
		is(ask(q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'parallel worker'}), 0, 'and no worker');
		check_sound("after a $whom was killed");
	}
	ask(q{SELECT anonopt.drop_dataset('endless'); DROP TABLE endless});
}

# Releases published, refreshed and dropped in a loop, while the server is stopped
sub check_shutdown
{
	my @cycle = map { "SELECT anonopt.$_;" } (
		map({ ($writing{$_}[0], q{drop_release('made')}) } qw(table view live records)),
		q{refresh_release('shown')}, q{refresh_release('seen')});
	my %met;

	# a refresh that makes another content each time
	unshift @cycle, 'UPDATE people SET a = (a + 10) % 100 WHERE nr % 10 = 0;';
	for (1 .. ($long ? 60 : 3))
	{
		my $client = start_client("SET client_min_messages = error;\n" . join "\n", (@cycle) x 20);
		$node->poll_query_until('postgres', "SELECT count(*) > 0 FROM pg_stat_activity WHERE application_name = 'client'");
		sleep 0.1 + rand($long ? 1.2 : 0.6);
		my $during = ask("SELECT max(substring(query FROM 'anonopt\\.(\\w+)')) FROM pg_stat_activity WHERE application_name = 'client'");
		$met{$during}++;
		$node->stop('immediate');
		end_client($client);
		$node->start;
		check_sound("an immediate shutdown in $during");
		clean_up();
	}
	is(ask(q{SELECT count(*) FROM anonopt.release WHERE NOT dropped}), 3, 'the releases that stay are there');
	note 'met: ', join ', ', map { "$_ $met{$_}" } sort keys %met;
}

# --------------------------------------------------------------------- the disk

# Temporary files past temp_file_limit, and files larger than they may be
sub check_file_limits
{
	my @calls = (q{property_vector('heavy', '{0}', 'loss')}, q{aruba('heavy', 0)}, q{publish_table('made', 'heavy', '{1}', k => 2)}, q{refresh_release('shown_heavy')});
	my (@wrong, %states);

	ask(q{SELECT anonopt.publish_table('shown_heavy', 'heavy', '{1}', k => 2); INSERT INTO known SELECT oid FROM pg_class});
	my $before = ask('SELECT md5(string_agg(x::text, $$ $$ ORDER BY x::text)) FROM shown_heavy x');
	for my $call (@calls)
	{
		for my $limit (64, 1024)
		{
			my $client = start_client("SET client_min_messages = error; SET work_mem = '64kB'; SET maintenance_work_mem = '1GB'; SET temp_file_limit = '${limit}kB';"
				. "SELECT count(*) FROM anonopt.$call;\n\\echo :SQLSTATE\nSELECT 1;\n");
			my ($state) = end_client($client) =~ /^([0-9A-Z]{5})\n1$/m;
			$states{$state // 'none'}++;
			push @wrong, "$call: $client->{err}" unless ($state // '') =~ /^(00000|53400)$/;
			clean_up();
		}
	}
	note join ', ', map { "$_: $states{$_}" } sort keys %states;
	is_deeply(\@wrong, [], 'temp_file_limit: the call fails with 53400, the session goes on');
	cmp_ok($states{53400} // 0, '>', 0, 'temp_file_limit: met');
	is(ask('SELECT md5(string_agg(x::text, $$ $$ ORDER BY x::text)) FROM shown_heavy x'), $before, 'a release that could not be made anew is what it was');
	ask(q{SELECT anonopt.drop_release('shown_heavy')});
	check_sound('after that');
}

# A disk that is really full: a file system of some megabytes that only this server sees
sub check_full_disk
{
	my $disk = PostgreSQL::Test::Utils::tempdir;
	my $full = Server->new('full');
	my $try = "unshare -Urm sh -c 'mount -t tmpfs -o size=1m tmpfs $disk && exec unshare -U --map-user=$< --map-group=" . (split ' ', $()[0] . " true'";

  SKIP:
	{
		skip 'no file system may be mounted here', 6 if system("$try > /dev/null 2>&1") != 0;
		$full->init;
		$full->append_conf('postgresql.conf', "shared_buffers = 8MB\nwork_mem = 64kB\nmaintenance_work_mem = 1GB\nmax_parallel_workers_per_gather = 0\nautovacuum = off\n");
		my $start = $try =~ s/size=1m/size=3m/r =~ s/ true'$/ pg_ctl -w -s -D $full->{_basedir}\/pgdata -l $full->{_logfile} -o "--cluster-name=full" start'/r;
		is(system($start), 0, 'a server with a disk of 3 MB');
		$full->_update_pid(1);
		my $path = "$disk/space";
		$full->safe_psql('postgres', 'CREATE EXTENSION anonopt');
		$full->safe_psql('postgres', "COPY (SELECT 1) TO PROGRAM 'mkdir -m 700 $path'");
		$full->safe_psql('postgres', "CREATE TABLESPACE small LOCATION '$path'");
		$full->safe_psql('postgres', q{
			CREATE TABLE people AS SELECT i AS nr, i % 100 AS a, md5(i::text) AS s FROM generate_series(1, 60000) i;
			SELECT anonopt.create_interval_hierarchy('hundred', 0, 99, '{10}');
			SELECT anonopt.create_dataset('people', 'people'), anonopt.add_quasi_identifier('people', 'a', 'hundred'), anonopt.add_sensitive('people', 's');
			SELECT anonopt.publish_table('shown', 'people', '{1}', k => 2)});
		my $held = 'SELECT (SELECT count(*) FROM pg_class), (SELECT count(*) FROM anonopt.published), (SELECT count(*) FROM shown), (SELECT count(*) FROM anonopt.attribute)';
		my $before = $full->safe_psql('postgres', $held);
		my %states;
		for my $call (q{property_vector('people', '{0}', 'loss')}, q{aruba('people', 0)}, q{publish_table('made', 'people', '{1}', k => 2)},
			q{create_view('made', 'people', '{1}', k => 2)}, q{create_interval_hierarchy('made', 0, 100000, '{10}')}, q{auto_dataset('made', 'people', '{s}')},
			q{refresh_release('shown')})
		{
			$full->psql('postgres', "SET temp_tablespaces = small; SET default_tablespace = small;\nSELECT count(*) FROM anonopt.$call;\n\\echo :SQLSTATE\nSELECT 1 + 1;",
				on_error_stop => 0, stdout => \my $out, stderr => \my $err);
			my ($state) = $out =~ /^([0-9A-Z]{5})\n2$/m;
			$states{$state // "none: $call $err"}++;
		}
		note join ', ', map { "$_: $states{$_}" } sort keys %states;
		is_deeply([ grep { !/^(00000|53100)$/ } keys %states ], [], 'a full disk: calls fail with 53100, sessions go on');
		cmp_ok($states{53100} // 0, '>', 4, 'a full disk: met');
		is($full->safe_psql('postgres', $held), $before, 'and nothing is left, nor lost');
		is($full->safe_psql('postgres', "SELECT count(*) FROM pg_ls_tmpdir((SELECT oid FROM pg_tablespace WHERE spcname = 'small'))"), 0, 'no temporary file either');
		$full->stop;
		unlike(slurp_file($full->logfile), qr/terminated by signal|PANIC/, 'the server stayed up');
	}
}

# --------------------------------------------------------------------- the run

$node->init;
$node->append_conf('postgresql.conf', <<'END');
shared_buffers = 8MB
max_connections = 120
max_worker_processes = 16
max_parallel_workers = 4
parallel_setup_cost = 0
parallel_tuple_cost = 0
min_parallel_table_scan_size = 0
autovacuum = off
restart_after_crash = on
log_statement = none
jit = off
client_min_messages = warning
END
$node->start;
make_data();
check_sound('at first');
for my $check ([ \&check_address_space, 'address space' ], [ \&check_flat_memory, 'flat memory' ], [ \&check_hundred_sessions, 'hundred sessions' ],
	[ \&check_terminated, 'terminated' ], [ \&check_killed, 'killed' ], [ \&check_shutdown, 'shutdown' ], [ \&check_file_limits, 'file limits' ],
	[ \&check_full_disk, 'full disk' ])
{
	my $begun = time;
	$check->[0]->();
	note sprintf '%s: %.1f s', $check->[1], time - $begun;
}
$node->stop;
my @signals = slurp_file($node->logfile) =~ /(terminated by signal (?!9\b).*)/g;
is_deeply(\@signals, [], 'no process was ended but by us');
done_testing();
