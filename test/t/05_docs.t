#!/usr/bin/env perl
#
# The outputs in the documents are what PostgreSQL prints.
#
# README.md and all *.md below docs/ are run, each in a fresh database of its own
# and in one psql session, as a reader would paste them, from the project's root,
# two at a time:
#
#   ```sql    statements for psql.  A block without a language that follows,
#             with nothing between but blank lines, the word "gives", or a
#             paragraph that ends in a colon, is what they print, errors and
#             command tags included.  Other such blocks are not looked at.
#   ```sh     is run only where it is told so, and then like ```sql.
#
# A comment before a block, or before the statements it belongs to, says more:
#
#   <!-- test: skip -->       is not run, or not compared
#   <!-- test: unordered -->  the lines may come in any order
#   <!-- test: run -->        run these shell commands
#
# The comparison ignores only blanks at the end of a line or of the output, the
# decimals of a plan's rows, which PostgreSQL 18 prints, and the position of an
# error: LINE with its caret, and CONTEXT. Statements that show no output must
# not fail.  A document that never creates the extension finds it there.  Where a
# directory's README.md has statements, the others of that directory find what
# these leave.  Inventing the demo's hospital takes longer than most documents, so
# that is done once, and other documents get copies of its tables, unless they
# show what it prints.

use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use POSIX ();
use Storable qw(store retrieve);
use Test::More;

my $processes = 2;
my %sample;    # by directory: the database that its README.md leaves
my $scratch = tempdir(CLEANUP => 1);
my $marker = '== test/t/05_docs.t step';
my $failure = qr/^(?:psql:\S+: )?(?:(?:ERROR|FATAL|PANIC|error): |invalid command |\S+: No such file)/m;

chdir "$FindBin::RealBin/../.." or die "cannot enter the project's root: $!";
my @documents = grep { -e } @ARGV ? @ARGV : ('README.md', (sort glob 'docs/*.md'), sort glob 'docs/*/*.md');

plan skip_all => 'no documents' unless @documents;
keep_hospital();
make_samples();
run_documents($_) for 1 .. $processes;
1 while wait > 0;
check_document($_) for 0 .. $#documents;
check_picture('front.svg');
administer(map { "DROP DATABASE IF EXISTS $_" } values %sample, map { "anonopt_docs_$_" } 1 .. $processes);
done_testing();

# Run demo/hospital.sql, and write a script that makes the same tables from their rows.
sub keep_hospital
{
	my $invented = do { open my $file, '<', 'demo/hospital.sql' or die "demo/hospital.sql: $!\n"; local $/; <$file> };
	my %made = $invented =~ /^(?=CREATE TABLE (\w+))(CREATE TABLE .*?;)$/msg;
	my @tables = sort keys %made;

	administer('DROP DATABASE IF EXISTS anonopt_docs_hospital', 'CREATE DATABASE anonopt_docs_hospital');
	chmod 0777, $scratch or die "$scratch: $!\n";
	system('psql', '-Xq', '-d', 'anonopt_docs_hospital', '-v', 'ON_ERROR_STOP=1', '-f', 'demo/hospital.sql', map { ('-c', "COPY $_ TO '$scratch/$_.rows'") } @tables) == 0
	  or die "cannot run demo/hospital.sql\n";
	write_file("$scratch/hospital.sql", map({ "$made{$_}\nCOPY $_ FROM '$scratch/$_.rows';\n" } @tables), "ANALYZE hospital;\n");
	administer('DROP DATABASE anonopt_docs_hospital');
}

# ------------------------------------------------------------ several at once

# The database that a directory's README.md leaves, for the others of that
# directory.
sub make_samples
{
	for my $directory (sort map { m{^(docs/.+)/} } @documents)
	{
		my $readme = "$directory/README.md";
		next if exists $sample{$directory} || !-e $readme;
		my @steps = grep { !$_->{skip} } read_steps($readme) or next;

		$sample{$directory} = 'anonopt_docs_sample_' . keys %sample;
		run_steps($sample{$directory}, 'template1', @steps);
		keep_outputs($_, @steps) for grep { $documents[$_] eq $readme } 0 .. $#documents;
	}
}

# For another process: what steps of a document printed.
sub keep_outputs
{
	my ($i, @steps) = @_;
	store([ map { $_->{printed} } @steps ], "$scratch/$i.printed");
}

# Run every so many documents in a process of its own, which leaves the outputs in files.
sub run_documents
{
	my ($process) = @_;

	defined(my $child = fork) or die "cannot fork: $!\n";
	return if $child;
	for (my $i = $process - 1; $i < @documents; $i += $processes)
	{
		next if -e "$scratch/$i.printed";
		my ($directory) = $documents[$i] =~ m{^(.+)/(?!README\.md$)};
		my @steps = grep { !$_->{skip} } read_steps($documents[$i]);
		run_steps("anonopt_docs_$process", $sample{ $directory // '' } // 'template1', @steps) if @steps;
		keep_outputs($i, @steps);
	}
	POSIX::_exit(0);
}

sub check_document
{
	my ($i) = @_;
	my @steps = read_steps($documents[$i]);
	my @run = grep { !$_->{skip} } @steps;
	my $printed = -e "$scratch/$i.printed" ? retrieve("$scratch/$i.printed") : [];

	note("$documents[$i] has no statements to run") unless @run;
	$run[$_]{printed} = $printed->[$_] for 0 .. $#run;
	check_step($_) for @steps;
}

# A picture in docs/ is what the README's statements draw.
sub check_picture
{
	my ($file) = @_;
	my ($drawn, $kept) = map { -e $_ ? do { open my $picture, '<', $_ or die "$_: $!\n"; local $/; <$picture> } : undef } $file, "docs/$file";

	return unless grep { $_ eq 'README.md' } @documents;
	ok(defined $drawn && $drawn eq $kept, "docs/$file is what README.md draws");
	unlink $file;
}

# ------------------------------------------------------------ what a document says

# The steps of a document: statements, and what they show if it follows.
sub read_steps
{
	my ($document) = @_;
	my @steps;
	my $step;    # whose output may come next

	for my $block (read_blocks($document))
	{
		my $name = "$document:$block->{line}";
		my $runs = $block->{language} eq 'sql'
		  || $block->{language} eq 'sh' && $block->{told}{run};

		if ($runs)
		{
			push @steps, $step = { %$block, name => $name, skip => $block->{told}{skip} };
		}
		elsif ($step && $block->{language} eq '' && is_link($block->{before}))
		{
			$step->{shown} = $block->{text};
			$step->{name} = $name;
			$step->{unordered} = $step->{told}{unordered} || $block->{told}{unordered};
			$step->{incomparable} = $block->{told}{skip};
			undef $step;
		}
		else { undef $step }
	}
	return @steps;
}

# The fenced blocks of a document, each with its language, its first line's
# number, what the comments before it tell, and the prose before it.
sub read_blocks
{
	my ($document) = @_;
	my @blocks;
	my $block;
	my $before = '';

	open my $handle, '<', $document or die "cannot read $document: $!\n";
	while (my $line = <$handle>)
	{
		if ($block && $line =~ /^\s*\Q$block->{fence}\E\s*$/)
		{
			push @blocks, $block;
			undef $block;
			$before = '';
		}
		elsif ($block) { $block->{text} .= $line =~ s/^\Q$block->{indent}\E//r }
		elsif (my ($indent, $fence, $language) = $line =~ /^(\s*)(`{3,}|~{3,})\s*([^\s`]*)[^`]*$/)
		{
			my %told = map { $_ => 1 } $before =~ /<!--\s*test:\s*(\w+)\s*-->/g;
			$before =~ s/<!--.*?-->//gs;
			$block = { indent => $indent, fence => $fence, language => $language,
				line => $. + 1, told => \%told, before => $before, text => '' };
		}
		else { $before .= $line }
	}
	die "$document: the block of line $block->{line} does not end\n" if $block;
	return @blocks;
}

# Whether prose between two blocks says that the second is the first's output
sub is_link
{
	my ($prose) = @_;
	$prose =~ s/^\s+|\s+$//g;
	return $prose =~ /^(?:gives)?[.:]?$/ || $prose !~ /\n\s*\n/ && $prose =~ /:$/;
}

# ------------------------------------------------------------ what PostgreSQL prints

# Run steps in one session, in a database that is a copy of another, and give each what it printed.
sub run_steps
{
	my ($database, $template, @steps) = @_;

	local $ENV{PGCLIENTENCODING} = 'UTF8';
	administer("DROP DATABASE IF EXISTS $database", "CREATE DATABASE $database TEMPLATE $template");
	unless ($template ne 'template1' || grep { $_->{text} =~ /CREATE EXTENSION[^;]* anonopt\b/i } @steps)
	{
		system('psql', '-Xq', '-d', $database, '-c', 'CREATE EXTENSION anonopt') == 0
		  or die "cannot create the extension in the database $database\n";
	}

	my $output = run_session($database, map { session_input("$database.$_", $steps[$_]) } 0 .. $#steps);
	for my $i (0 .. $#steps)
	{
		($steps[$i]{printed}) = $output =~ /^\Q$marker $database.$i\E begins\n(.*?)^\Q$marker $database.$i\E ends$/ms;
	}
}

# Run statements on no document's database.
sub administer
{
	local $ENV{PGOPTIONS} = '-c client_min_messages=warning';
	system('psql', '-Xq', '-d', 'postgres', '-v', 'ON_ERROR_STOP=1', map { ('-c', $_) } @_) == 0
	  or die "cannot run: @_\n";
}

# A step for psql, between markers.  A statement that lacks its semicolon is
# forgotten before the next step.
sub session_input
{
	my ($number, $step) = @_;
	my $text = $step->{text};

	$text =~ s{^\\i demo/hospital\.sql$}{\\i $scratch/hospital.sql}mg unless defined $step->{shown};
	if ($step->{language} eq 'sh')
	{
		write_file("$scratch/$number.sh", $text);
		$text = "\\! bash $scratch/$number.sh 2>&1\n";
	}
	return "\\echo '$marker' $number begins\n$text\n\\echo '$marker' $number ends\n\\r\n";
}

# Everything that psql prints of an input.  Standard error comes in its place,
# since psql empties its buffer before it writes there.
sub run_session
{
	my ($database, @input) = @_;

	# to compile statements takes longer than to run them
	local $ENV{PGOPTIONS} = '-c jit=off';
	write_file("$scratch/$database", "\\set SHOW_CONTEXT never\n", @input);
	my $output = qx(psql -X -d $database <'$scratch/$database' 2>&1);

	$output =~ s/^LINE \d+: .*\n *\^\n//mg;
	return $output;
}

# ------------------------------------------------------------ the assertions

sub check_step
{
	my ($step) = @_;
	my $name = $step->{name};

	if ($step->{skip} || $step->{incomparable})
	{
	  SKIP: { skip("$name: the document says so", 1) }
	}
	elsif (!defined $step->{printed})
	{
		fail("$name: the statements end");
		diag('psql did not come to their end: is a quote or a parenthesis open?');
	}
	elsif (!defined $step->{shown})
	{
		ok($step->{printed} !~ $failure, "$name: the statements succeed")
		  or diag($step->{printed});
	}
	else { check_output($step) }
}

sub check_output
{
	my ($step) = @_;
	my ($shown, $printed) = map { comparable($_, $step->{unordered}) } $step->{shown}, $step->{printed};

	ok($shown eq $printed, "$step->{name}: the output is as shown")
	  or diag(difference($shown, $printed));
}

sub comparable
{
	my ($text, $unordered) = @_;
	$text =~ s/[ \t]+$//mg;
	$text =~ s/\(actual rows=\d+\K\.00\b//g;
	$text =~ s/\n+\z//;
	return $unordered ? join("\n", sort split /\n/, $text) : $text;
}

sub difference
{
	my ($shown, $printed) = @_;
	write_file("$scratch/shown", "$shown\n");
	write_file("$scratch/printed", "$printed\n");
	return scalar qx(diff -U 100 --label shown --label printed '$scratch/shown' '$scratch/printed');
}

sub write_file
{
	my ($file, @text) = @_;
	open my $handle, '>', $file or die "cannot write $file: $!\n";
	print $handle @text;
	close $handle or die "cannot write $file: $!\n";
}
