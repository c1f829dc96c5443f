# World.pm
#
# A random world for test/fuzz/worlds: tables, hierarchies and a data set as SQL, with the same in
# terms of truth.sql. The same seed makes the same world.

package World;

use strict;
use warnings;
use utf8;
use Exporter 'import';

our @EXPORT_OK = qw(below chance pick shuffled lit name list);

sub below { my ($n) = @_; return int rand $n }
sub chance { my ($p) = @_; return rand() < $p }
sub pick { return $_[ below(scalar @_) ] }
sub shuffled { my %order = map { $_ => rand } 0 .. $#_; return @_[ sort { $order{$a} <=> $order{$b} } 0 .. $#_ ] }
sub skewed { my ($skew, @from) = @_; return $from[ int(rand()**$skew * @from) ] }
sub lit { my ($text) = @_; return defined $text ? q(') . $text =~ s/'/''/gr . q(') : 'NULL' }
sub name { my ($text) = @_; return q(") . $text =~ s/"/""/gr . q(") }
sub list { return "'{" . join(',', map { q(") . s/(["\\])/\\$1/gr =~ s/'/''/gr . q(") } @_) . "}'" }

# ---------------------------------------------------------------------- values

my @words = ('a', 'B', 'b', 'Ab', 'aB', 'é', 'z z', '', q(it's), '"q"', '{x,y}', 'NULL', '*', '10', '9', '_', '\\', '日本', ' lead', 'a,b', 'ß', '%s');
my @moods = ('zeal', 'awe', 'Bliss', 'calm', q(d"'d), 'Envy', 'a,b', '*', '%v');
my @integers = qw(smallint int bigint);
my @floats = qw(real float8);
my @texts = ('text', 'varchar(12)', 'character(8)', 'name', 'mood');

sub day { my ($i) = @_; return sprintf '2024-%02d-%02d', 1 + int($i / 28), 1 + $i % 28 }
sub hour { my ($i) = @_; return sprintf '2024-11-%02d %02d:30', 1 + int($i / 24), $i % 24 }

# By kind of quasi-identifier: the column's types, the leaves' types, leaves, and values that have none. A leaf is a text, or
# has other texts of values that belong to it.
my %kind = (
	smallint => [ ['smallint'], [ @integers, 'numeric' ], [ -9 .. 20, 32767 ], [ -32768, 999 ] ],
	int => [ ['int'], [ 'int', 'bigint', 'numeric', 'float8' ], [ -9 .. 20, 2147483647, -2147483648 ], [ 2147483646, -999 ] ],
	bigint => [ ['bigint'], [ 'bigint', 'numeric' ], [ -9 .. 20, '9223372036854775807', '-9223372036854775808' ], ['9223372036854775806'] ],
	numeric => [ [ 'numeric', 'numeric(9,3)' ], [ 'numeric', 'float8' ], [ (map { [ $_, $_, "$_.0", "$_.000" ] } -5 .. 5), (map { [ $_, $_, "${_}0" ] } qw(0.1 0.25 -2.5)) ], ['777.7'] ],
	whole => [ [ 'numeric', @floats ], [ 'int', 'bigint' ], [ map { [ $_, $_, "$_.0" ] } -5 .. 9 ], [ '0.5', 'NaN' ] ],
	real => [ ['real'], [ 'real', 'numeric' ], [ (map { [ $_, $_, "${_}e0" ] } 1 .. 9), [ 0, '0', '-0' ], '0.1', '0.7', '-2.5' ], [ 'NaN', 'Infinity', '0.71' ] ],
	float8 => [ ['float8'], [ 'float8', 'numeric' ], [ (1 .. 9), [ 0, '0', '-0' ], '0.1', '1e15', '-2.5' ], [ 'NaN', '-Infinity', '0.11' ] ],
	text => [ ['text'], \@texts, \@words, [ 'nowhere', 'A' ] ],
	varchar => [ ['varchar(12)'], \@texts, \@words, ['nowhere'] ],
	char => [ ['character(8)'], \@texts, [ map { [ $_, $_, substr("$_  ", 0, 8) ] } @words ], ['nowhere'] ],
	name => [ ['name'], \@texts, \@words, ['nowhere'] ],
	enum => [ ['mood'], [ 'mood', 'text', 'name' ], \@moods, ['hope'] ],
	boolean => [ ['boolean'], ['boolean'], [ 'true', 'false' ], [] ],
	date => [ ['date'], ['date'], [ (map { day($_) } 0 .. 30), 'infinity', '4714-11-24 BC' ], [ '-infinity', '5874897-12-31', '2020-02-29' ] ],
	timestamp => [ ['timestamp'], ['timestamp'], [ (map { hour($_) } 0 .. 30), '-infinity' ], [ 'infinity', '2020-02-29' ] ],
	timestamptz => [ ['timestamptz'], ['timestamptz'], [ (map { hour(48 + $_) . '+00' } 0 .. 20), 'infinity' ], ['2020-02-29 12:00+00'] ],
	time => [ ['time'], ['time'], [ '00:00', '24:00', '12:30:15.5', '12:30:15', map { "0$_:00" } 1 .. 9 ], ['13:13'] ],
	uuid => [ ['uuid'], ['uuid'], [ map { sprintf '%08x-0000-4000-8000-00000000000%d', 7919 * $_, $_ } 1 .. 9 ], ['ffffffff-0000-4000-8000-000000000000'] ],
	inet => [ ['inet'], ['inet'], [ '10.0.0.1', '10.0.0.0/8', '10.0.0.0/9', '::1', '192.168.1.5/24', map { "172.16.$_.1" } 1 .. 5 ], ['8.8.8.8'] ],
	interval => [ ['interval'], ['interval'], [ [ '1 mon', '1 mon', '30 days' ], [ '1 day', '24:00:00', '1 day' ], map { "$_ hours" } 1 .. 6 ], ['99 years'] ],
	domain => [ [ 'small', 'int' ], [ 'small', 'int' ], [ 0 .. 20 ], [99] ],
	array => [ ['text[]'], ['text[]'], [ '{}', '{a}', '{a,b}', '{b,a}', '{NULL}', '{"x,y"}', '{"NULL"}', '{{a},{b}}' ], ['{q}'] ],
	json => [ ['jsonb'], ['jsonb'], [ 'null', '1', '"1"', '{"a": 1}', '[]', '[1, 2]', 'true' ], ['{}'] ],
	bytes => [ ['bytea'], ['bytea'], [ map { "\\x$_" } '', qw(00 ff 0000 61 6100) ], ['\\x1234'] ],
	int4range => [ [ @integers, 'numeric', @floats ], ['int4range'], 'range', [ 9999, -9999 ] ],
	int8range => [ [ 'int', 'bigint', 'numeric', 'float8' ], ['int8range'], 'range', [ 9999, -9999 ] ],
	numrange => [ [ 'int', 'numeric', @floats ], ['numrange'], 'range', [ 9999, -9999 ] ],
	daterange => [ [ 'date', 'timestamp', 'timestamptz' ], ['daterange'], 'range', [ '2030-01-01', 'infinity' ] ],
	tsrange => [ [ 'timestamp', 'date', 'timestamptz' ], ['tsrange'], 'range', ['2030-01-01'] ],
	tstzrange => [ [ 'timestamptz', 'timestamp', 'date' ], ['tstzrange'], 'range', ['2030-01-01'] ]);
our @kinds = sort keys %kind;

# By type of sensitive column: values, some of which are equal, but written in another way.
my %own = (
	text => [ 'flu', 'Flu', 'gout', 'it\'s', '', 'ä' ], int => [ 1, 2, 3, -4 ], numeric => [ '1', '1.0', '1.00', '2.5', '2.50', 'NaN' ], date => [ map { day($_) } 1 .. 4 ],
	boolean => [ 'true', 'false' ], mood => [ @moods[ 0 .. 4 ] ], jsonb => [ '1', '1.0', '{"a": 1, "b": 2}', 'null' ], bytea => [ '\\x', '\\x00', '\\x0001' ],
	inet => [ '10.0.0.1', '10.0.0.1/8', '::1' ], 'character(4)' => [ 'a', 'a   ', 'b', 'B' ], float8 => [ '0', '-0', '1e300', 'NaN', '0.1' ], interval => [ '1 mon', '30 days', '2 days' ],
	timestamptz => [ map { hour($_) . '+00' } 1 .. 4 ], 'text[]' => [ '{a}', '{a,b}', '{NULL}', '{}' ], uuid => [ map { "0000000$_-0000-4000-8000-000000000000" } 1 .. 4 ]);

# Neighbouring ranges: their bounds, and values in them.
sub ranges
{
	my ($leaf_type, $type, $n, $zone) = @_;
	my $low = below(20) - 10;
	my $bounds = $leaf_type eq 'numrange' && $type ne 'int' && chance(0.4) ? '(]' : '[)';
	my ($open, $days) = (chance(0.3), $leaf_type =~ /^[dt]/);
	my @leaves;

	$low += 30 if $days;
	for my $i (1 .. $n)
	{
		my $high = $low + 1 + below(5);
		my @inside = $bounds eq '[)' ? ($low .. $high - 1) : ($low + 1 .. $high);
		my @times = $type eq 'date' ? '' : map { $type eq 'timestamptz' ? "$_ $zone" : $_ } ' 00:00', ' 12:00';
		my @values = $days ? map { my $day = day($_); map { "$day$_" } @times } @inside : @inside;

		push @values, $low + 0.5 if !$days && $leaf_type eq 'numrange' && $type ne 'int';
		push @values, $low + 0.25, $high - 0.75 if $leaf_type =~ /^int/ && $type !~ /int/;
		push @values, 'infinity' if $open && $i == $n && $days && $leaf_type ne 'tstzrange';
		my ($from, $to) = $days ? (day($low), day($high)) : ($low, $high);
		($from, $to) = map { "$_ 00:00 $zone" } $from, $to if $leaf_type eq 'tstzrange';
		push @leaves, [ substr($bounds, 0, 1) . ($open && $i == 1 ? '' : $from) . ',' . ($open && $i == $n ? '' : $to) . substr($bounds, 1), @values ];
		$low = $high + (chance(0.7) ? 0 : below(3));
	}
	return @leaves;
}

# ------------------------------------------------------------------ hierarchies

# Gives each leaf its labels: leaves fall into groups, and those into others.
sub grow
{
	my ($attr) = @_;
	my @leaves = @{ $attr->{leaves} };
	my @group = (0 .. $#leaves);
	my $style = pick(qw(plain shared member quoted number));
	my $star = $attr->{root} && $style ne 'number' && chance(0.7);

	for my $level (1 .. $attr->{depth})
	{
		my %seen = map { $_ => 1 } @group;
		my $width = $level == $attr->{depth} && $attr->{root} ? 1 : 1 + below(scalar keys %seen);
		my %target = map { $_ => below($width) } sort { $a <=> $b } keys %seen;
		@group = map { $target{$_} } @group;
		for my $i (0 .. $#leaves)
		{
			my ($first) = grep { $group[$_] == $group[$i] } 0 .. $#leaves;
			push @{ $leaves[$i]{labels} }, $star && $level == $attr->{depth} ? '*'
			  : $style eq 'plain' ? chr(96 + $level) . $group[$i] : $style eq 'shared' ? "g$group[$i]"
			  : $style eq 'member' ? $leaves[$first]{leaf} // 'unknown' : $style eq 'quoted' ? qq("$level', {$group[$i]}\\) : $group[$i];
		}
	}
	$attr->{label_type} = $style eq 'number' ? pick('int', 'numeric', 'text') : $style eq 'plain' ? pick('text', 'varchar', 'name', 'character(9)') : pick('text', 'varchar');
}

# Whether a label below the top, or a leaf, is written as the top is; then values without a leaf are refused.
sub looks_like_top
{
	my ($attr) = @_;
	my $top = $attr->{leaves}[0]{labels}[-1];

	for my $leaf (@{ $attr->{leaves} })
	{
		my @labels = ($leaf->{leaf} // '', @{ $leaf->{labels} });
		pop @labels;
		return 1 if grep { $_ eq $top } @labels;
	}
	return;
}

sub add_attr
{
	my ($self, $nr, $kind, $column) = @_;
	my ($types, $leaf_types, $from, $outside) = @{ $kind{$kind} };
	my %attr = (kind => $kind, column => $column, type => pick(@$types), leaf_type => pick(@$leaf_types), table => "h$nr", nr => $nr,
		depth => pick(1, 2, 2, 3), root => chance(0.8), weight => pick(1, 1, 1, 0.3, 2.5),
		outside => $outside, leaf_column => pick('value', 'leaf', 'Level 0', 'label', 'number', 'place', 'a'));
	my $n = 3 + below(8);

	$from = \@moods if $attr{leaf_type} eq 'mood';
	$from = [ grep { !/^[-\d]{9,}/ } @$from ] if $kind eq 'int' && $attr{leaf_type} eq 'float8';
	my @drawn = ref $from ? (shuffled(@$from))[ 0 .. ($n < @$from ? $n : @$from) - 1 ] : ranges($attr{leaf_type}, $attr{type}, $n, $self->{zone});
	$attr{leaves} = [ map { my @texts = ref $_ ? @$_ : ($_, $_); { leaf => shift @texts, values => \@texts } } @drawn ];
	push @{ $attr{leaves} }, { leaf => undef, values => [undef] } if chance(0.15);
	grow(\%attr);
	$attr{unknown} = $attr{root} && @{ $attr{outside} } && !looks_like_top(\%attr) && chance(0.35);
	$attr{nulls} = pick(0, 0, 0.1);
	$attr{not_null} = !$attr{nulls} && !grep({ !defined $_->{leaf} } @{ $attr{leaves} }) && chance(0.3);
	$attr{skew} = pick(1, 1.5, 3);
	$attr{min_level} = chance(0.2) ? below(1 + $attr{depth}) : 0;
	# some leaves come later
	$_->{later} = 1 for chance(0.6) && @drawn > 3 ? (shuffled(grep { defined $_->{leaf} } @{ $attr{leaves} }))[ 0 .. below(2) ] : ();
	$attr{occurring} = chance(0.3);
	push @{ $self->{attrs} }, \%attr;
}

sub value
{
	my ($self, $attr, $later) = @_;
	return if !$attr->{not_null} && chance($attr->{nulls});
	return pick(@{ $attr->{outside} }) if $attr->{unknown} && chance(0.06);
	return pick(@{ skewed($attr->{skew}, grep { $later || !$_->{later} } @{ $attr->{leaves} })->{values} });
}

# -------------------------------------------------------------------- the world

sub new
{
	my ($class, $number) = @_;
	my $self = bless { number => $number, attrs => [] }, $class;
	my @names = shuffled('age', 'Zip Code', 'a"b', 'select', 'été', 'x.y', 'value', 'level', 'label', 'number', 'n', 'people', 'own', 'place', 'size', 'row', 'x');

	$self->{zone} = pick('UTC', 'UTC', 'America/New_York', 'Asia/Kolkata');
	$self->{session_zone} = pick('UTC', 'Asia/Tokyo');
	$self->{datestyle} = pick('ISO, MDY', 'German', 'SQL, DMY');
	# every kind comes up, whatever the seed
	$self->add_attr(1, $kinds[ $number % @kinds ], shift @names);
	$self->add_attr($_, pick(@kinds), shift @names) for 2 .. pick(1, 2, 2, 3, 3);
	for (1 .. pick(0, 1, 1, 1, 1, 2, 2))
	{
		my $type = pick(sort keys %own);
		push @{ $self->{own} }, { column => shift @names, type => $type, values => $own{$type}, skew => pick(1, 2), nulls => pick(0, 0, 0.1), distance => pick('equal', 'equal', 'ordered') };
	}
	$self->{own} //= [];
	$self->{person} = chance(0.25);
	$self->{class_label} = chance(0.3);
	$self->{relation} = pick('table', 'table', 'table', 'table', 'partitioned', 'view');
	$self->{max_suppression} = pick(0.1, 0.3, 0.5, 1, 1);
	$self->{rows} = 20 + below(pick(40, 100, 181));
	$self->{k} = pick(1, 2, 2, 3, 3, 4, 6);
	$self->{l} = @{ $self->{own} } && chance(0.4) ? pick(1, 2, 2, 3) : undef;
	$self->{t} = @{ $self->{own} } && chance(0.15) ? pick(0.25, 0.4, 0.6) : undef;
	$self->{promises} = [ $self->promises ];
	return $self;
}

# Declared promises: model, threshold, number of the sensitive column, c.
sub promises
{
	my ($self) = @_;
	my @promises;

	return if chance(0.55);
	push @promises, [ 'k', pick(2, 3) ] if chance(0.3);
	push @promises, [ 'average_risk', pick(0.2, 0.3) ] if chance(0.1);
	push @promises, [ 'share_above', pick(0, 0.3), undef, pick(0.25, 0.5) ] if chance(0.1);
	for my $col (1 .. @{ $self->{own} })
	{
		push @promises, grep { chance(0.2) } [ 'l', 2, $col ], [ 'entropy_l', pick(1.3, 1.8, 2), $col ], [ 'recursive_l', pick(1, 2), $col, pick(1, 2, 3) ], [ 't', pick(0.3, 0.5), $col ],
		  [ 'alpha', pick(0.5, 0.6, 0.9), $col ], [ 'beta', pick(0.5, 1, 2), $col ], [ 'disclosure', pick(1, 2), $col, pick(0, undef) ];
	}
	return @promises;
}

# Rows leave, come and change; leaves come, too. Returns what does that.
sub changes
{
	my ($self, $grow) = @_;
	my @sql;

	my @gone = grep { chance(0.1) } @{ $self->{ids} };
	push @sql, 'DELETE FROM people WHERE id IN (' . join(', ', @gone) . ')' if @gone;
	$self->{ids} = [ grep { my $id = $_; !grep { $_ == $id } @gone } @{ $self->{ids} } ];
	for (1 .. below(4))
	{
		my $attr = pick(@{ $self->{attrs} }, @{ $self->{own} });
		my $value = $attr->{leaves} ? $self->value($attr, $grow) : skewed(1, @{ $attr->{values} });
		push @sql, 'UPDATE people SET ' . name($attr->{column}) . ' = ' . lit($value) . ' WHERE id IN (' . join(', ', map { pick(@{ $self->{ids} }) } 1 .. 1 + below(4)) . ')';
	}
	# values before their leaves, or after them
	my @leaves;
	for my $attr ($grow ? @{ $self->{attrs} } : ())
	{
		my @new = grep { $_->{later} } @{ $attr->{leaves} } or next;
		delete $_->{later} for @new;
		push @leaves, $self->leaf_rows($attr, @new);
	}
	$_->{nulls} ||= chance(0.2) && !$_->{not_null} && 0.1 for @{ $self->{attrs} };
	push @sql, $self->insert(map { $self->row(!$grow && chance(0.05)) } 1 .. 2 + below(30));
	return (@leaves, @sql);
}

# A row's values by column, as SQL.
sub row
{
	my ($self, $later) = @_;
	my %row = (id => ++$self->{last_id}, note => lit(pick('x', 'y')));

	push @{ $self->{ids} }, $row{id};
	$row{person} = chance(0.1) ? 'NULL' : below(int $self->{rows} * 0.7) if $self->{person};
	$row{class_label} = below(3) if $self->{class_label};
	$row{ $_->{column} } = lit($self->value($_, $later)) for @{ $self->{attrs} };
	$row{ $_->{column} } = chance($_->{nulls}) ? 'NULL' : lit(skewed($_->{skew}, @{ $_->{values} })) for @{ $self->{own} };
	return \%row;
}

sub insert
{
	my ($self, @rows) = @_;
	my @columns = sort keys %{ $rows[0] };
	return 'INSERT INTO people (' . join(', ', map { name($_) } @columns) . ") VALUES\n\t" . join(",\n\t", map { my $r = $_; '(' . join(', ', @$r{@columns}) . ')' } @rows);
}

sub leaf_rows
{
	my ($self, $attr, @leaves) = @_;
	return "INSERT INTO $attr->{table} VALUES " . join ', ', map { '(' . join(', ', map { lit($_) } $_->{leaf}, @{ $_->{labels} }) . ')' } @leaves;
}

# The statements that make the tables and declare the data set.
sub statements
{
	my ($self) = @_;
	my @columns = ('id int', 'note text', $self->{person} ? 'person int' : (), $self->{class_label} ? 'class_label int' : (),
		(map { name($_->{column}) . " $_->{type}" . ($_->{not_null} ? ' NOT NULL' : '') } @{ $self->{attrs} }), map { name($_->{column}) . " $_->{type}" } @{ $self->{own} });
	my @sql = ('CREATE TYPE mood AS ENUM (' . join(', ', map { lit($_) } @moods, 'hope') . ')', 'CREATE DOMAIN small AS int CHECK (VALUE < 1000)',
		'CREATE TABLE people (' . join(', ', shuffled(@columns)) . ')' . ($self->{relation} eq 'partitioned' ? ' PARTITION BY HASH (id)' : ''));

	push @sql, map { "CREATE TABLE people_$_ PARTITION OF people FOR VALUES WITH (MODULUS 2, REMAINDER $_)" } 0, 1 if $self->{relation} eq 'partitioned';
	push @sql, 'CREATE VIEW seen AS SELECT * FROM people' if $self->{relation} eq 'view';
	for my $attr (@{ $self->{attrs} })
	{
		my $leaf = name($attr->{leaf_column});
		my $key = $attr->{leaf_type} =~ /range$/ ? "EXCLUDE USING gist ($leaf WITH &&)" : grep({ !defined $_->{leaf} } @{ $attr->{leaves} }) ? "UNIQUE ($leaf)" : "PRIMARY KEY ($leaf)";
		push @sql, "CREATE TABLE $attr->{table} ($leaf $attr->{leaf_type}, " . join(', ', map { "level$_ $attr->{label_type}" } 1 .. $attr->{depth}) . ", $key)",
		  $self->leaf_rows($attr, grep { !$_->{later} } @{ $attr->{leaves} });
	}
	push @sql, $self->insert(map { $self->row } 1 .. $self->{rows});
	my $relation = $self->{relation} eq 'view' ? 'seen' : 'people';
	push @sql, "SELECT anonopt.create_dataset('d', '$relation', $self->{max_suppression}, timezone => '$self->{zone}'" . ($self->{person} ? ", person => 'person')" : ')'),
	  (map { "SELECT anonopt.add_quasi_identifier('d', " . lit($_->{column}) . ", '$_->{table}', $_->{weight}, $_->{min_level}" . ($_->{unknown} ? ", unknown => '*'" : '') . ($_->{occurring} ? ", loss_counts => 'occurring')" : ')') } @{ $self->{attrs} }),
	  (map { "SELECT anonopt.add_sensitive('d', " . lit($_->{column}) . ", '$_->{distance}')" } @{ $self->{own} }), "SELECT anonopt.set_insensitive('d', 'id'), anonopt.set_insensitive('d', 'note')";
	push @sql, "SELECT anonopt.set_class_label('d', 'class_label')" if $self->{class_label};
	for (@{ $self->{promises} })
	{
		my ($model, $threshold, $col, $c) = @$_;
		push @sql, "SELECT anonopt.add_promise('d', '$model', $threshold" . ($col ? ', ' . lit($self->{own}[ $col - 1 ]{column}) : '') . (defined $c ? ", c => $c)" : ')');
	}
	return @sql;
}

# ------------------------------------------------------------- the same as truth

# The condition under which a value belongs to a leaf.
sub match
{
	my ($attr, $leaf, $value) = @_;
	my ($type, $leaf_type) = @$attr{qw(type leaf_type)};
	my %subtype = (int4range => 'int', int8range => 'bigint', numrange => 'numeric', daterange => 'date', tsrange => 'timestamp', tstzrange => 'timestamptz');

	if (my $subtype = $subtype{$leaf_type})
	{
		my $guard = $leaf_type eq 'int4range' ? "${value}::numeric BETWEEN -2147483648 AND 2147483647" : $leaf_type eq 'numrange' && $type !~ /int/ ? "$value <> 'NaN'" : 'true';
		return "$leaf @> CASE WHEN $guard THEN ${value}::$subtype END";
	}
	return "${leaf}::numeric = ${value}::numeric" if $type =~ /^(?:smallint|int|bigint|small|real|float8|numeric.*)$/;
	return qq(${leaf}::text COLLATE "C" = ${value}::text COLLATE "C") if grep { $type eq $_ } @texts;
	return "$leaf = $value";
}

sub by_bytes { my ($type) = @_; return $type =~ /^(?:text|varchar.*|character.*|name)$/ ? ' COLLATE "C"' : '' }

sub truth
{
	my ($self) = @_;
	my (@walk, @leaf);

	for my $attr (@{ $self->{attrs} })
	{
		my ($nr, $leaf, $value) = ($attr->{nr}, 'h.' . name($attr->{leaf_column}), 'r.' . name($attr->{column}));
		my $labels = 'ARRAY[' . join(', ', map { "${_}::text" } $leaf, map { "h.level$_" } 1 .. $attr->{depth}) . ']';
		push @walk, "INSERT INTO truth.stored SELECT $nr, row_number() OVER (ORDER BY $leaf" . by_bytes($attr->{leaf_type}) . " NULLS LAST), $labels, truth.key($labels) FROM $attr->{table} h;",
		  "PERFORM truth.add_leaves($nr, " . ($attr->{unknown} ? 'true' : 'false') . ", EXISTS (SELECT FROM people r WHERE $value IS NULL));";
		push @leaf, "CASE WHEN $value IS NULL THEN (SELECT leaf_no FROM truth.leaf WHERE attr = $nr AND key[1] = 'NULL')
			ELSE COALESCE((SELECT l.leaf_no FROM $attr->{table} h JOIN truth.leaf l ON l.attr = $nr AND l.key[1] = '=' || ${leaf}::text WHERE " . match($attr, $leaf, $value) . "),
				(SELECT leaf_no FROM truth.leaf WHERE attr = $nr AND key[1] = '?')) END";
	}
	my $leaves = 'ARRAY[' . join(",\n\t\t", @leaf) . ']';
	my $own = 'ARRAY[' . join(', ', map { 'dense_rank() OVER (ORDER BY r.' . name($_->{column}) . by_bytes($_->{type}) . ' NULLS LAST)' } @{ $self->{own} }) . ']::int[]';
	my $other = 'ARRAY[' . join(', ', map { 'r.' . name($_) . '::text' } $self->others) . ']';
	my $settings = "LANGUAGE plpgsql SET datestyle = 'ISO, MDY' SET intervalstyle = 'postgres' SET bytea_output = 'hex' SET extra_float_digits = 1 SET timezone";
	my ($person, $class_label) = ($self->{person} ? 'person' : 'NULL', $self->{class_label} ? 'class_label' : 'NULL');

	return ("CREATE FUNCTION truth.read() RETURNS void $settings = '$self->{zone}' AS \$\$\nBEGIN
	DELETE FROM truth.stored; DELETE FROM truth.leaf; DELETE FROM truth.person;\n\t" . join("\n\t", @walk) . "
	PERFORM truth.walk();
	INSERT INTO truth.person SELECT id, $person, $leaves, $own, $class_label, NULL FROM people r;
	UPDATE truth.leaf l SET counts = EXISTS (SELECT FROM truth.person p WHERE p.leaf[l.attr] = l.leaf_no) FROM truth.attr a WHERE a.attr = l.attr AND a.occurring;
	PERFORM truth.write();\nEND \$\$",
		"CREATE FUNCTION truth.write() RETURNS void $settings = 'UTC' AS \$\$\nBEGIN\n\tUPDATE truth.person p SET other = $other FROM people r WHERE r.id = p.id;\nEND \$\$",
		"CREATE FUNCTION truth.read_recoding(recoding regclass) RETURNS void $settings = '$self->{zone}' AS \$\$\nBEGIN
	DELETE FROM truth.tuple;\n\tEXECUTE format(\$f\$INSERT INTO truth.tuple SELECT DISTINCT $leaves, class FROM \%s r\$f\$, recoding);\nEND \$\$",
		"INSERT INTO truth.dataset VALUES ($self->{max_suppression}, " . ($self->{person} ? 'true' : 'false') . ')',
		(map { "INSERT INTO truth.attr VALUES ($_->{nr}, $_->{min_level}, $_->{weight}, " . ($_->{occurring} ? 'true' : 'false') . ')' } @{ $self->{attrs} }),
		(map { 'INSERT INTO truth.own VALUES (' . ($_ + 1) . ", '$self->{own}[$_]{distance}')" } 0 .. $#{ $self->{own} }));
}

# Columns that are no quasi-identifiers and may be shown; the last two only if they are asked for.
sub others { my ($self) = @_; return ((map { $_->{column} } @{ $self->{own} }), $self->{class_label} ? 'class_label' : (), 'note', 'id') }

1;
