# Calls.pm
#
# Generates calls of the functions of a schema, read from pg_proc, so that new
# functions are called, too.
#
# A call starts as a valid one: its arguments are chosen by name and type and
# suit one data set. Then, mostly, one of them is made invalid, because pure
# noise would fail at the first check. Everything is drawn from one seed.

package Calls;

use strict;
use warnings;

sub new
{
	my ($class, %given) = @_;
	my $self = bless {%given}, $class;    # functions, contexts, seed

	# no SQL makes a value for them
	$_->{internal} = grep { $_->{type} eq 'internal' } @{ $_->{arguments} } for @{ $given{functions} };
	$self->{context} = { map { $_->{dataset} => $_ } @{ $given{contexts} } };
	return $self;
}

# --------------------------------------------------------------------- chance

sub begin { my ($self, $seed) = @_; srand($seed); rand() for 1 .. 5; return }
sub chance { return rand() < $_[0] }
sub pick { return $_[ int rand @_ ] }
sub between { my ($low, $high) = @_; return $low + int rand($high - $low + 1) }
sub some { my ($least, $most, $make) = @_; return map { $make->($_) } 1 .. between($least, $most) }

# ------------------------------------------------------------------ SQL texts

sub quoted { my ($text) = @_; $text =~ s/'/''/g; return $text =~ /\\/ ? "E'" . $text =~ s/\\/\\\\/gr . "'" : "'$text'" }
sub array { my ($type, @values) = @_; return 'ARRAY[' . join(', ', @values) . "]::$type\[]" }
sub vector { my (@values) = @_; return "'{" . join(',', @values) . "}'" }

# Ordinary names, and malicious ones
my @noise = (
	q~''~, q~' '~, q~'nothing'~, q~'"'~, q~'""'~, q~''''~, q~E'\\\\'~, q~E'\n\t\r'~, q~E'\x01'~, q~'%s%n%I%L'~, q~'a.b.c.d'~, q~'.'~, q~'a.'~,
	q~'; SELECT nextval(''fuzz.canary'');--'~, q~''' || nextval(''fuzz.canary'') || '''~, q~'" || nextval(''fuzz.canary'') || "'~,
	q~'"x"; SELECT nextval(''fuzz.canary''); --'~, q~'$$; SELECT nextval(''fuzz.canary''); $$'~, q~'x) AS y; SELECT nextval(''fuzz.canary''); --'~,
	q~'{'~, q~'{}'~, q~'NULL'~, q~'null'~, q~'*'~, q~'ctid'~, q~'tableoid'~, q~'xmin'~, q~'oid'~, q~'anonopt_suppressed'~, q~'pg_temp.x'~, q~'pg_catalog.x'~,
	q~'information_schema.x'~, q~'nowhere.x'~, q~'"odd ""name"""'~, q~U&'\+01F600'~, q~'ÄÖÜß'~, q~repeat('x', 64)~, q~repeat('ö', 40)~, q~repeat('"', 63)~,
	q~repeat('x', 100000)~, q~'<script>alert(1)</script>'~, q~E'a\u200Db'~, q~'true'~, q~'0'~, q~'-1'~, q~'NaN'~, q~'99999999999999999999'~, q~'1e400'~);
my @huge = (q~repeat('long ', 1000000)~, q~repeat('"', 3000000)~, q~repeat('{', 1000000)~, q~repeat(E'\n', 2000000)~);
my @integers = qw(0 1 -1 2 3 5 63 64 65 100 1000 65535 65536 1000000 2147483647 -2147483648 2147483646);
my @bigints = (@integers, qw(9223372036854775807 -9223372036854775808 4294967295 4294967296 4611686018427387904 9007199254740993));
my @floats = qw('NaN' 'Infinity' '-Infinity' 0 '-0' 1 -1 0.5 0.1 1e-300 -1e-300 4.9e-324 2.2250738585072014e-308 1e308 1.7976931348623157e308
	-1.7976931348623157e308 1e-6 0.9999999999999999 1.0000000000000002 2147483648 9007199254740993 3.5 100 1e15 1e18 9.3e18 -9.3e18);
my @numerics = (qw('NaN' 'Infinity' '-Infinity' 0 -0.0 1 -1 0.5 1e-1000 1e1000 1e130000 -1e130000 9223372036854775807 9223372036854775808 2147483648 -2147483649
	99999999999999999999999999 0.1 0.3333333333333333333333333333333333333 10 100 1e6), '(1e100 + 1e-100)');
my @relations = (
	qw(people nobody nulls strays forbidden forbidden_towns wide large parts parts_aix a_view failing snapshot elsewhere secured types things mine my_towns
	counted counted_as_written counted_once counted_wrongly too_many no_columns only_leaf towns ages pays days infinite floats forest tall unsound_twice unsound_nest unsound_ranges
	unsound_empty unsound_levels multirange edges circle weights weights_unsound town_weights later_unsound later_higher released released_view
	released_live made_0 made_1 canary an_index composite pg_class pg_statistic pg_toast.pg_toast_1255 pg_authid pg_stat_activity information_schema.tables
	anonopt.dataset anonopt.attribute anonopt.published anonopt.published_content anonopt.release anonopt.progress anonopt.node),
	'"odd ""table""; SELECT nextval(\'canary\')--"');
my @oids = qw(0 1 4294967295 1259 2147483648 16384 999999);
my %words = (
	role => [qw(quasi_identifier sensitive class_label identifier insensitive pseudonym)], distance => [qw(equal ordered hierarchical)],
	loss => [qw(glm nwp dcn cm necd suppressed)], property => [qw(class_size sensitive_count others_count loss utility weighted_loss weighted_utility)],
	index => [qw(p_rank p_cov p_spr p_hv p_binary dominance rank cov spr hv binary)], risk => [qw(sensitivity identity entropy)], loss_counts => [qw(leaves occurring range)],
	utility => [qw(depth leaves log_leaves xiao_tao lm path)], algorithm => [qw(btda aruba frontier)], suppressed => [qw(omit star)], columns_as => [qw(text range bounds middle)], show => [qw(labels permuted)], mask => [qw(* x)], delimiter => [ ';', ',' ], separator => [qw(. -)], other => [qw(other rest)],
	csv => [ "1;a;*\n2;b;*", '3,x', "Aix;\"a\";*" ],
	form => ['table', 'materialized view', 'live view'], what => [qw(write insert update delete publish refresh drop)], objective => [qw(k glm t nwp)]);
my %word_lists = (
	measures => [qw(k l t suppressed classes glm dcn cm)],
	objectives => [qw(k l entropy_l sum_k sum_l sum_other t suppressed classes glm nwp dcn cm necd)],
	properties => [qw(class_size sensitive_count others_count loss utility weighted_loss weighted_utility)], units => ['20 years', '40 years', qw(hour day weekday week month quarter year decade century)]);
my @intervals = ("'50 ms'", "'0'", "'-1 day'", "'1 microsecond'", "'178000000 years'", "'-178000000 years'", "'1 month -30 days'");
my @dates = ("'2024-01-01'", "'2024-02-29'", "'infinity'", "'-infinity'", "'4713-01-01 BC'", "'5874897-12-31'", "'0001-01-01'", "'9999-12-31'", "'2000-01-01'");

# ------------------------------------------------------------- good arguments

# The name of an object to create: one of a few, so that calls meet objects of
# other calls.
sub creation { return quoted('made_' . between(0, 2)) }

sub good_levels
{
	my ($context) = @_;
	return map { between(0, $_) } @{ $context->{heights} };
}

sub good_cuts
{
	my ($context) = @_;
	return map { 'B' . quoted($_ > 5000 ? '1' x $_ : join '', map { between(0, 1) } 1 .. $_) } @{ $context->{bits} };
}

sub good_hierarchy { return pick(qw(ages towns days pays one illnesses floats infinite forest tall my_towns)) }

# Numbers by name, small enough for the call to be quick
my %number = (
	k => [ 1, 2, 3 ], l => [ 1, 2 ], t => [ 0.3, 1 ], depth => [ 1, 2 ], population => [ 2, 5 ], evaluations => [ 10, 60 ], iterations => [ 1, 5 ],
	steps => [ 1, 3 ], seed => [ 1, 7 ], low => [ 0, 1 ], high => [ 10, 20 ], step => [ 1, 5 ], min_level => [ 0, 1 ], max_level => [ 1, 2 ],
	top => [ 5, 8 ], bottom => [ 2, 4 ], minimum => [ 1, 3 ],
	level => [ 0, 1, 2 ], weight => [ 0.5, 1 ], max_nodes => [ 5, 100 ], max_suppression => [ 0, 0.1 ], min_utility => [ 0, 1, 2 ], max_risk => [ 0.1, 0.5, 1 ],
	similarity => [ 0.7, 1 ], value => [ 1, 3 ]);
my %numbers = (widths => [ 2, 4 ], steps => [ 1, 5 ], lengths => [ 2, 1 ], buckets => [ 4, 2 ], epsilon => [ 1, 0.5 ], candidates => [ 1, 2 ]);

sub good
{
	my ($self, $context, $function, $argument) = @_;
	my ($name, $type) = @$argument{qw(name type)};
	my $column = sub { quoted(pick(@{ $context->{columns} || [] }, @{ $context->{table_columns} })) };

	if ($type eq 'text' || $type eq 'name')
	{
		return quoted($context->{dataset}) if $name eq 'dataset';
		return $function->{name} =~ /^create_.*hierarchy$/ ? creation() : quoted('ages') if $name eq 'hierarchy';
		return creation() if $name =~ /^(?:view_|table_)?name$/ && $type eq 'text';
		return quoted(pick(@{ $words{$name} })) if $words{$name};
		return chance(0.5) ? 'NULL' : $column->() if $name =~ /^(?:person|count_column)$/;
		return $column->() if $type eq 'name' && $name ne 'published_by';
		return quoted(pick('ill 1', 'Aix', '7', 'martha', 'marhta'));
	}
	if ($type eq 'regclass')
	{
		return quoted(pick('released', 'released_view', 'released_live', 'made_0', 'made_1')) if $name eq 'release';
		return quoted(good_hierarchy()) if $name eq 'hierarchy';
		return quoted(pick('weights', 'town_weights')) if $name eq 'weights';
		return quoted('edges') if $name eq 'edges';
		return chance(0.6) ? 'NULL' : quoted($context->{relation}) if $name eq 'dictionary';
		return quoted($context->{relation});
	}
	return chance(0.2)
	  ? 'ARRAY[' . join(', ', some(1, 3, sub { vector(good_levels($context)) . '::int[]' })) . ']'
	  : vector(good_levels($context))
	  if $type eq 'integer[]' && $name =~ /^(?:levels|a|b)$/;
	# of what excludes other arguments or needs them, mostly nothing
	return 'NULL' if $name =~ /^(?:dictionaries|dictionary_weights|weights|ideal)$/ && $type =~ /\[\]$/ && chance(0.8);
	return 'NULL' if $name eq 'measures' && chance(0.6) || $name eq 'preferences' && $function->{name} ne 'achievement_of' && chance(0.6);
	return array('regclass', map { quoted($context->{relation}) } 1 .. between(1, 2)) if $name eq 'dictionaries';
	return array('varbit', good_cuts($context)) if $type eq 'bit varying[]';
	return array($type =~ s/\[\]//r, map { quoted($_) } distinct(@{ $word_lists{$name} })) if $word_lists{$name};
	return array('name', map { quoted($_) } distinct(@{ $context->{columns} || [] }, @{ $context->{table_columns} })) if $type eq 'name[]';
	return array('text', some(0, 3, sub { quoted(pick(qw(a b * 1))) })) if $type eq 'text[]';
	return vector($numbers{$name} ? @{ $numbers{$name} } : some(2, 2, sub { pick(0, 1, 0.25, 0.5) })) if $type =~ /^(?:integer|numeric|double precision)\[\]$/;
	return pick(@{ $number{$name} || [ 0, 0.5, 1 ] }) . ($type =~ /int/ ? '::numeric::int' : '') if $type =~ /^(?:integer|bigint|numeric|double precision)$/;
	return pick('true', 'false') if $type eq 'boolean';
	return pick(qw('2024-01-01' '2024-02-15')) if $type eq 'date';
	return pick("'50 ms'", "'1 s'") if $type eq 'interval';
	return "(SELECT p FROM anonopt.published p LIMIT 1)" if $type eq 'anonopt.published';
	return "(SELECT id FROM anonopt.published LIMIT 1)" if $type eq 'uuid';
	return pick('7', "'Aix'::text", "date '2024-01-02'", '3.5::numeric', '4::float8') if $type eq 'anyelement' || $type eq '"any"';
	return "'people'::regclass::oid" if $type eq 'oid';
	return 'NULL';
}

sub distinct
{
	my @from = @_;
	my %seen;
	return grep { !$seen{$_}++ } some(1, 2, sub { pick(@from) });
}

# -------------------------------------------------------------- bad arguments

# An array of some elements, in a form that few expect
sub odd_array
{
	my ($element, @elements) = @_;
	my $cast = "::$element\[]";
	my $list = join ', ', @elements;

	return pick(
		"'{}'$cast", "NULL$cast", "ARRAY[NULL]$cast", "ARRAY[NULL, NULL, $list]$cast", "ARRAY[$list]$cast", "ARRAY[$list, $list, $list]$cast",
		"ARRAY[ARRAY[$list], ARRAY[$list]]$cast", "ARRAY[ARRAY[ARRAY[$list]]]$cast", "ARRAY[ARRAY[ARRAY[$list], ARRAY[$list]], ARRAY[ARRAY[$list], ARRAY[$list]]]$cast",
		"ARRAY['{}'$cast, '{}'$cast]", "array_fill($elements[0]" . "::$element, ARRAY[3], ARRAY[-2])", "array_fill($elements[0]" . "::$element, ARRAY[2, 2], ARRAY[5, 0])",
		"array_fill($elements[0]" . "::$element, ARRAY[0, 3])", "array_fill(NULL::$element, ARRAY[1, " . between(1, 70) . '])', "array_fill($elements[0]" . "::$element, ARRAY[2147483])",
		"array_fill($elements[0]" . "::$element, ARRAY[1, 100000])", "array_fill($elements[0]" . "::$element, ARRAY[100000, 1])", "array_fill($elements[0]" . "::$element, ARRAY[1], ARRAY[2147483646])");
}

sub bad
{
	my ($self, $context, $function, $argument) = @_;
	my ($name, $type) = @$argument{qw(name type)};
	my $other = $self->{contexts}[ int rand @{ $self->{contexts} } ];

	return 'NULL' if chance(0.08);
	return $self->good($other, $function, $argument) if chance(0.25);    # good elsewhere
	if ($type =~ /^(.*)\[\]$/)
	{
		my $element = $1;
		return odd_array($element, some(1, 4, sub { $self->bad_scalar($other, $function, $element) }));
	}
	return $self->bad_scalar($other, $function, $type);
}

sub bad_scalar
{
	my ($self, $context, $function, $type) = @_;

	if ($type eq 'text' || $type eq 'name' || $type eq 'cstring')
	{
		return pick(@huge) . ($type eq 'name' ? '::name' : '') if $type ne 'cstring' && chance(0.01);
		return pick(@noise) . ($type eq 'name' ? '::name' : '') if $type ne 'cstring' && chance(0.8);
		return quoted(pick(map { @$_ } values %words, values %word_lists));
	}
	return chance(0.1) ? pick(@oids) . '::oid' : quoted(pick(@relations)) if $type eq 'regclass' || $type eq 'oid' && chance(0.5);
	return pick(@integers) if $type eq 'integer';
	return pick(@bigints) . '::bigint' if $type eq 'bigint';
	return pick(@floats) . '::float8' if $type eq 'double precision';
	return pick(@numerics) . '::numeric' if $type eq 'numeric';
	return pick("B''", "B'0'", "B'1'", "B'" . '01' x between(1, 60) . "'", "repeat('1', 100000)::varbit", "B'" . '1' x between(1, 12) . "'") if $type eq 'bit varying';
	return pick(@dates) . '::date' if $type eq 'date';
	return pick(@intervals) . '::interval' if $type eq 'interval';
	return pick(@oids) . '::oid' if $type eq 'oid';
	return pick('NULL::int', "ARRAY[1, NULL]", "'NaN'::float8", "'[1,2)'::int4range", "'{}'::jsonb", "B'101'", "ROW(1, 'a')", "'x'::name", "'infinity'::date", 'now()',
		"'(1,2)'::point", "'\\x00'::bytea", "'x'::\"char\"", 'ROW()', "'1 day'::interval", 'true', "repeat('x', 100000)", "'<a/>'::xml", '1e1000::numeric') if $type eq 'anyelement' || $type eq '"any"';
	return pick("'\\x'", "'\\xdeadbeef'", "decode(repeat('ff', 1000), 'hex')") . '::bytea' if $type eq 'bytea';
	return pick("'00000000-0000-0000-0000-000000000000'", 'gen_random_uuid()') . '::uuid' if $type eq 'uuid';
	return pick('NULL', 'ROW(' . join(', ', ('NULL') x 21) . ')::anonopt.published') if $type eq 'anonopt.published';
	return pick('true', 'false', 'NULL') if $type eq 'boolean';
	return 'NULL';
}

# ---------------------------------------------------------------------- calls

sub arguments
{
	my ($self, $context, $function) = @_;
	my @arguments = @{ $function->{arguments} };
	my $mood = rand();
	my $spoiled = $mood < 0.2 ? -1 : int rand(@arguments || 1);    # none, one, or else every third
	my $wild = $mood > 0.85;
	my @values = map {
		my $make = $wild ? (chance(0.35) ? 'bad' : 'good') : $_ == $spoiled ? 'bad' : 'good';
		$self->$make($context, $function, $arguments[$_])
	} 0 .. $#arguments;

	return map { ($arguments[$_]{variadic} ? 'VARIADIC ' : '') . typed($values[$_], $arguments[$_]{type}) } 0 .. $#values;
}

# A value with an explicit type, if an overload is chosen by it
sub typed
{
	my ($value, $type) = @_;
	return $value if $type =~ /^(?:any|"any"|internal|cstring)/;
	return "($value)::$type";
}

# In order up to some position, by name from there on; some with defaults are
# omitted
sub argument_list
{
	my ($self, $function, @values) = @_;
	my @arguments = @{ $function->{arguments} };
	my $required = @arguments - $function->{defaults};
	my $unnamed = grep { $_->{name} eq '' || $_->{variadic} } @arguments;

	return join ', ', @values[ 0 .. between($required, scalar @arguments) - 1 ] if $unnamed || !@arguments || chance(0.6);
	my $first = between(0, $required);
	my @shown = map { qq{"$arguments[$_]{name}" => $values[$_]} } grep { $_ < $required || chance(0.6) } $first .. $#arguments;
	return join ', ', @values[ 0 .. $first - 1 ], @shown;
}

sub aggregate
{
	my ($self, $function, $name, $rows) = @_;
	my @values = map { "v.a$_" } 0 .. $#{ $function->{arguments} };
	my $call = "$name(" . pick('', '', '', 'DISTINCT ', 'ALL ') . join(', ', @values) . pick('', '', " ORDER BY $values[-1]") . ')';
	my $columns = join ', ', map { "a$_" } 0 .. $#values;
	my $from = "(VALUES $rows) v ($columns)";

	return pick(
		"SELECT $call FROM $from",
		"SELECT $call FROM $from WHERE false",
		"SELECT $call FILTER (WHERE random() < 0.5) FROM $from, generate_series(1, 20)",
		"SELECT $name(" . join(', ', @values) . ") OVER (ORDER BY $values[-1] ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM $from, generate_series(1, 5)",
		"SELECT $name(" . join(', ', @values) . ") OVER (PARTITION BY $values[0]) FROM $from, generate_series(1, 3)",
		"SELECT $call FROM $from, generate_series(1, 3) g GROUP BY ROLLUP (g, $values[0])",
		"SELECT g, $call FROM $from, generate_series(1, 3) g GROUP BY g");
}

# One statement that calls a function.
sub statement
{
	my ($self, $context, $function) = @_;
	my $name = "anonopt.\"$function->{name}\"";
	my $tuple = sub { '(' . join(', ', $self->arguments($context, $function)) . ')' };

	return $self->aggregate($function, $name, join ', ', some(1, 4, $tuple)) if $function->{kind} eq 'a';
	my $call = "$name(" . $self->argument_list($function, $self->arguments($context, $function)) . ')';
	return pick(
		("SELECT * FROM $call") x 8, "SELECT $call", "SELECT $call", "SELECT $call FROM generate_series(1, 2)", "SELECT f FROM generate_series(1, 2) g, LATERAL $call f",
		"SELECT f.* FROM $call WITH ORDINALITY f", "SELECT $call LIMIT 1", "SELECT * FROM $call LIMIT 0", "EXPLAIN SELECT * FROM $call", "EXPLAIN ANALYZE SELECT $call",
		"SELECT ($call)::text", "SELECT count(*) FROM $call x, $call y", "SELECT (SELECT f::text FROM $call f LIMIT 1)", "CREATE TEMPORARY TABLE t ON COMMIT DROP AS SELECT * FROM $call",
		"DECLARE c CURSOR FOR SELECT $call \\; FETCH 1 FROM c \\; FETCH ALL FROM c \\; CLOSE c", "SELECT CASE WHEN g = 2 THEN ($call)::text END FROM generate_series(1, 3) g LIMIT 2",
		"DO " . quoted("DECLARE r record; BEGIN FOR r IN SELECT * FROM $call LOOP EXIT; END LOOP; END"));
}

# Work in a worker; the setting's name depends on the version
my $workers = q{DO 'BEGIN PERFORM pg_catalog.set_config(name, ''on'', true) FROM pg_catalog.pg_settings
	WHERE name OPERATOR(pg_catalog.=) ANY (''{force_parallel_mode,debug_parallel_query}''); END'};

# Settings that may hold between one call and the next
my @settings = (
	('') x 12, 'SET LOCAL anonopt.max_workers = 0', 'SET LOCAL anonopt.read_mode = group_by', 'SET LOCAL anonopt.read_mode = aggregate', 'SET LOCAL anonopt.memory = 1024',
	'SET LOCAL work_mem = 64', "SET LOCAL search_path = ''", 'SET LOCAL search_path = anonopt, pg_temp, fuzz', 'SET LOCAL timezone = "Pacific/Apia"', "SET LOCAL datestyle = 'German'",
	'SET LOCAL extra_float_digits = -15', 'SET LOCAL row_security = off',
	'SET LOCAL standard_conforming_strings = off', 'SET LOCAL lc_messages = "C"', $workers, 'SET LOCAL default_table_access_method = heap', 'SET LOCAL bytea_output = escape');

# The statements of a transaction: some settings, then one to five calls, of one data set mostly.
sub transaction
{
	my ($self, $seed) = @_;

	$self->begin($seed);
	my @names = map { $_->{dataset} } @{ $self->{contexts} };
	my $small = chance(0.97);
	my $context = chance(0.4) ? $self->{context}{people} : $self->{context}{ pick($small ? grep { !/^(?:large|wide|forest)$/ } @names : @names) };
	my $guest = chance(0.3);
	my $setting = pick(@settings);
	# an argument of texts_over is a statement, which it runs as the caller
	my @functions = grep { $_->{name} ne 'texts_over' && (!$_->{internal} || chance(0.02)) } @{ $self->{functions} };

	return {
		guest => $guest,
		settings => [ grep { $_ } pick(('BEGIN') x 8, 'BEGIN READ ONLY', 'BEGIN ISOLATION LEVEL SERIALIZABLE'), $setting, $guest ? 'SET LOCAL ROLE fuzz_guest' : '' ],
		calls => [ some(1, 4, sub { $self->statement($context, pick(@functions)) }) ] };
}

1;
