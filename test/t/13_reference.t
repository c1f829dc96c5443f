#!/usr/bin/env perl
#
# Every public object has a comment and a page with its exact signature.
#
# Public objects are the extension's functions, aggregates and settings, its composite types,
# and the views and tables that everybody may read, except those whose comment says "internal".
# All others must say so.  The page docs/reference/NAME.md begins with the name and a
# description; its first block is the signature from the catalogs; it has all required parts,
# and docs/reference/README.md lists it. There are no other pages.
#
# All names of the extension that documents use must exist, and links must resolve.
#
# Rights are as documented: a role that may read nothing learns only the declaration of a data
# set.

use strict;
use warnings;
use FindBin;
use Test::More;

my $database = 'anonopt_reference';
my $stranger = 'anonopt_reference_stranger';
my $pages = 'docs/reference';

chdir "$FindBin::RealBin/../.." or die "cannot enter the project's root: $!";
statements('postgres', "DROP DATABASE IF EXISTS $database", "CREATE DATABASE $database",
	"DROP ROLE IF EXISTS $stranger", "CREATE ROLE $stranger");
statements($database, 'CREATE EXTENSION anonopt');

my %public = public_objects();
check_comment($_, $public{$_}) for sort keys %public;
check_page($_, $public{$_}) for sort keys %public;
check_no_other_pages();
check_internal();
my %names = names_there();
check_names($_) for 'README.md', glob('docs/*.md docs/*/*.md');

check_stranger();

statements('postgres', "DROP DATABASE $database", "DROP ROLE $stranger");
done_testing();

# ------------------------------------------------------------ what is there

# The public objects by name: their kind, comments and signatures, one per overload.
sub public_objects
{
	my %objects;

	for (rows(functions_query(), relations_query(), settings_query()))
	{
		my ($name, $kind, $comment, $signature) = @$_;
		$objects{$name}{kind} = $kind;
		push @{ $objects{$name}{comments} }, $comment;
		push @{ $objects{$name}{signatures} }, $signature;
	}
	return %objects;
}

# Types as pages name them
sub short_types
{
	my ($text) = @_;
	return "replace(replace(replace($text, 'double precision', 'float8'), 'integer', 'int'), 'bit varying', 'varbit')";
}

sub functions_query
{
	my $argument = "name || ' ' || format_type(type, NULL)";
	my $default = "COALESCE(' DEFAULT ' || regexp_replace(pg_get_function_arg_default(p.oid, i::int), '::[a-z ]+(\\[\\])?\$', ''), '')";

	return q{SELECT p.proname, 'function', COALESCE(obj_description(p.oid, 'pg_proc'), ''), p.proname || '(' || }
	  . short_types("COALESCE(taken, '')") . q{ || ') → ' || }
	  . short_types("CASE WHEN given IS NULL THEN pg_get_function_result(p.oid)
			ELSE CASE WHEN p.proretset THEN 'SETOF ' ELSE '' END || '(' || given || ')' END") . qq{
		FROM pg_proc p CROSS JOIN LATERAL (
			SELECT string_agg($argument || $default, ', ' ORDER BY i) FILTER (WHERE COALESCE(mode, 'i') IN ('i', 'v')) AS taken,
				string_agg($argument, ', ' ORDER BY i) FILTER (WHERE mode IN ('o', 't')) AS given
			FROM unnest(COALESCE(p.proallargtypes, p.proargtypes::oid[]), p.proargnames, p.proargmodes)
				WITH ORDINALITY AS a (type, name, mode, i)) AS arguments
		WHERE p.pronamespace = 'anonopt'::regnamespace
			AND COALESCE(obj_description(p.oid, 'pg_proc'), '') !~ '^internal(:|\$)'
		ORDER BY p.oid};
}

sub relations_query
{
	return q{SELECT c.relname, 'relation', COALESCE(obj_description(c.oid, 'pg_class'), obj_description(c.reltype, 'pg_type'), ''),
		c.relname || ' (' || } . short_types("string_agg(a.attname || ' ' || format_type(a.atttypid, NULL), ', ' ORDER BY a.attnum)") . q{ || ')'
		FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
		WHERE c.relnamespace = 'anonopt'::regnamespace
			AND (c.relkind = 'c' AND COALESCE(obj_description(c.reltype, 'pg_type'), '') NOT LIKE 'internal%' OR c.relkind IN ('r', 'v') AND (has_table_privilege('public', c.oid, 'SELECT') OR c.relname = 'auditor'))
		GROUP BY c.oid, c.relname, c.reltype};
}

sub settings_query
{
	return q{SELECT substr(name, 9), 'setting', short_desc,
		format('%s %s DEFAULT %s', name, } . short_types('vartype') . q{, boot_val)
		FROM pg_settings WHERE name LIKE 'anonopt.%'};
}

# ------------------------------------------------------------ the assertions

sub check_comment
{
	my ($name, $object) = @_;
	ok(!(grep { $_ eq '' } @{ $object->{comments} }), "$name has a comment");
}

sub check_page
{
	my ($name, $object) = @_;
	my $file = "$pages/$name.md";

	unless (ok(-e $file, "$name has a page")) { return }
	my $page = contents($file);
	my ($shown) = $page =~ /^```\n(.*?)^```$/ms;

	like($page, qr/\A# \Q$name\E\n\n\S.*\n\n```\n/, "$file begins with what it is");
	is(one_line($shown), join(' ', @{ $object->{signatures} }), "$file has the signature");
	my @missing = grep { $page !~ $_->[1] } (
		['what it costs', $object->{kind} eq 'relation' ? qr// : qr/^\*\*Cost\.\*\* /m],
		['errors', $object->{kind} eq 'relation' ? qr// : qr/^\*\*Errors\.\*\* /m],
		['rights', qr/^\*\*Rights\.\*\* /m],
		['an example with its output', qr/^```sql\n.*?^```\n```\n/ms],
		['since which version', qr/^Since \d/m],
		['what else to see', qr/See\s+also \[/]);
	is("@{[ map { $_->[0] } @missing ]}", '', "$file has every part");
	my $listed = () = contents("$pages/README.md") =~ /\]\(\Q$name\E\.md\) \|/g;
	is($listed, 1, "$pages/README.md lists $name");
}

sub check_no_other_pages
{
	for my $file (glob "$pages/*.md")
	{
		my ($name) = $file =~ m{([^/]+)\.md$};
		next if $name eq 'README' || $public{$name};
	  TODO: {
			local $TODO = contents($file) =~ /<!-- test: skip -->/ ? 'what the page tells of is not there yet' : undef;
			fail("$file tells of something public");
		}
	}
}

# Internal objects say so, and no function is SECURITY DEFINER.
sub check_internal
{
	my @silent = grep { !$public{$_} } map { $_->[0] } rows(q{SELECT c.relname FROM pg_class c
		WHERE c.relnamespace = 'anonopt'::regnamespace AND c.relkind IN ('r', 'v', 'm', 'f', 'p')
			AND COALESCE(obj_description(c.oid, 'pg_class'), '') !~ '^internal(:|$)'
		UNION SELECT y.typname FROM pg_type y WHERE y.typnamespace = 'anonopt'::regnamespace
			AND y.typrelid = 0 AND y.typelem = 0 AND COALESCE(obj_description(y.oid, 'pg_type'), '') !~ '^internal(:|$)'});
	is("@silent", '', 'tables and types that are not public say so');

	my @definers = map { $_->[0] } rows(q{SELECT p.proname FROM pg_proc p
		WHERE p.pronamespace = 'anonopt'::regnamespace AND p.prosecdef});
	is("@definers", '', 'no function runs as another than its caller');
}

# Everything that may follow "anonopt."
sub names_there
{
	return map { $_->[0] => 1 } rows(q{SELECT proname FROM pg_proc WHERE pronamespace = 'anonopt'::regnamespace
		UNION SELECT relname FROM pg_class WHERE relnamespace = 'anonopt'::regnamespace
		UNION SELECT typname FROM pg_type WHERE typnamespace = 'anonopt'::regnamespace
		UNION SELECT substr(name, 9) FROM pg_settings WHERE name LIKE 'anonopt.%'});
}

# The names and links in a document
sub check_names
{
	my ($file) = @_;
	my $text = contents($file);
	my ($directory) = $file =~ m{^(.*/)};
	my %used = map { $_ => 1 } $text =~ /\banonopt\.([a-z_0-9]+)\b/g;
	my %links = map { $_ => 1 } $text =~ /\]\((?!https?:|#)([^)#]+)/g;
	my @unknown = sort grep { !$names{$_} } keys %used;
	my @broken = sort grep { !-e ($directory // '') . $_ } keys %links;

  TODO: {
		local $TODO = $text =~ /<!-- test: skip -->/ ? 'some of what the document shows is not run' : undef;
		is("@unknown", '', "$file names nothing of anonopt's that is not there");
	}
	is("@broken", '', "$file links to what is there");
}

# Calls by a role without rights on another's data set, with only the required arguments: each
# function is refused, except those that show only the declaration.
sub check_stranger
{
	statements($database, 'CREATE TABLE secret AS SELECT i AS id, i % 7 AS age, i % 3 AS illness FROM generate_series(1, 100) AS i',
		q{CREATE TABLE open AS SELECT 1 AS a, 1.0 AS b},
		map({ "DO 'BEGIN PERFORM anonopt.$_; END'" } q{create_interval_hierarchy(''ages'', 0, 7, ''{4}'')},
			q{create_dataset(''own'', ''secret'')}, q{add_quasi_identifier(''own'', ''age'', ''ages'')},
			q{add_sensitive(''own'', ''illness'')}, q{publish_table(''shown'', ''own'', levels => ''{2}'', k => 5)}),
		qq{GRANT ALL ON SCHEMA public TO $stranger; GRANT SELECT ON open TO $stranger});
	my %given = (properties => q{'{loss}'}, dataset => q{'own'}, column_name => q{'age'}, hierarchy => q{'ages'}, weights => q{'open'}, levels => q{'{1}'},
		objectives => q{'{k,glm}'}, cuts => q{ARRAY[B'1111111']}, k => 2, necd_pref => .5, nwp_pref => .5, start => q{'{.5,.5}'}, buckets => q{'{2}'}, minimum => 2,
		aspiration => q{'{.4,.4}'}, min_utility => 1, max_risk => 1, lambda => 1, property => q{'loss'}, index => q{'p_cov'},
		a => q{'{1}'}, b => q{'{2}'}, view_name => q{'mine'}, table_name => q{'mine'}, key => q{'id'}, relation => q{'secret'}, other => q{'open'},
		quasi_identifiers => q{'{age}'}, sensitive => q{'illness'}, release => q{'shown'}, name => q{'mine'});

	for (rows(q{SELECT proname, (proargnames)[1 : pronargs - pronargdefaults] FROM pg_proc
		WHERE pronamespace = 'anonopt'::regnamespace AND obj_description(oid, 'pg_proc') NOT LIKE 'internal%'
			AND proargnames[1 : pronargs - pronargdefaults] && '{dataset,relation,release}' ORDER BY proname, oid}))
	{
		my ($function, $arguments) = @$_;
		local $given{hierarchy} = q{'fresh'} if $function =~ /^create_/;
		local $given{release} = q{'3f1c9e5e-5d4b-4ce0-9f0f-0a4b7c2d1e00'} if $function eq 'released_rows';
		local $given{recoding} = $function =~ /^create_/ ? q{'mine'} : q{'secret'};
		# a string could be a number of columns, or their names
		local $given{sensitive} = q{'{illness}'} if $function eq 'attack';
		my $call = join ', ', map { ($function eq 'attack' ? "$_ => " : '') . ($given{$_} // 'NULL') } $arguments =~ /\w+/g;
		$call .= ', k => 2' if $function =~ /^(optimize|create_recoding)$/;
		my $said = as_stranger("SELECT * FROM anonopt.$function($call)" . ($function eq 'released_rows' ? ' AS x (age text)' : ''));

		if ($function eq 'lattice_size') { unlike($said, qr/ERROR/, 'a stranger may ask for lattice_size') }
		else { like($said, qr/ERROR:  42501:/, "a stranger is refused $function") }
	}
	is(as_stranger('SELECT count(*) FROM anonopt.release'), "0\n", 'a stranger sees no release');
}

sub as_stranger
{
	my ($statement) = @_;
	local $ENV{PGOPTIONS} = '-c client_min_messages=error';
	open my $psql, '-|', qq(psql -XAtq -d $database -v VERBOSITY=verbose -c "SET ROLE $stranger" -c "$statement" 2>&1)
	  or die "cannot run psql: $!\n";
	local $/;
	return <$psql>;
}

# ------------------------------------------------------------ the database and files

# The rows of queries, each an array of texts
sub rows
{
	local $ENV{PGCLIENTENCODING} = 'UTF8';
	local $ENV{PGOPTIONS} = '-c session_preload_libraries=anonopt';
	my @rows;

	for my $query (@_)
	{
		open my $psql, '-|', 'psql', '-XAtq', '-F', "\t", '-d', $database, '-v', 'ON_ERROR_STOP=1', '-c', $query
		  or die "cannot run psql: $!\n";
		push @rows, map { chomp; [split /\t/, $_, -1] } <$psql>;
		close $psql or die "psql failed: $query\n";
	}
	return @rows;
}

sub statements
{
	my ($where, @statements) = @_;

	local $ENV{PGOPTIONS} = '-c client_min_messages=warning';
	system('psql', '-Xq', '-d', $where, '-v', 'ON_ERROR_STOP=1', map { ('-c', $_) } @statements) == 0
	  or die "cannot run: @statements\n";
}

sub contents
{
	my ($file) = @_;
	open my $handle, '<', $file or die "cannot read $file: $!\n";
	local $/;
	return <$handle>;
}

sub one_line
{
	my ($text) = @_;
	return '' unless defined $text;
	$text =~ s/\s+/ /g;
	return $text =~ s/^ | $//gr;
}
