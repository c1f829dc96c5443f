#!/usr/bin/env perl
#
# Reports and pictures of fronts, as a browser shows them.
#
# A test page loads reports in frames of given widths, inspects the results, and
# reports them; Chromium prints that page, or takes a screenshot. To start it takes
# longer than to show a report, so a page has as many frames as possible.
# xmllint checks what the browser cannot, such as whether a picture is
# well-formed XML. Without one of the two programs its part is skipped,
# visibly.
#
# It uses the server it finds, in a database of its own.

use strict;
use warnings;
use File::Temp qw(tempdir);
use JSON::PP;
use Test::More;

my $scratch = tempdir(CLEANUP => 1);
my ($chromium) = grep { -x } map { ("$_/chromium", "$_/chromium-browser", "$_/google-chrome") } split /:/, $ENV{PATH};
my ($xmllint) = grep { -x } map { "$_/xmllint" } split /:/, $ENV{PATH};
my $json = JSON::PP->new->utf8;
my $pages = 0;

# What the test page reports about its frames
my $look = <<'END';
// What the page tells when a point is chosen
function tell(page) {
	const point = page.querySelector('.anonopt-front [tabindex]'), told = page.getElementById('told');
	if (point) point.dispatchEvent(new Event('focus'));
	return told ? told.textContent : '';
}
function look(frame) {
	const page = frame.contentDocument, root = page.documentElement;
	const all = (selector) => Array.from(page.querySelectorAll(selector));
	const style = (selector) => page.querySelector(selector) && frame.contentWindow.getComputedStyle(page.querySelector(selector));
	const boxes = (selector) => all(selector).map((each) => each.getBoundingClientRect());
	const picture = page.querySelector('svg');
	return {
		width: root.clientWidth, needed: root.scrollWidth, height: root.scrollHeight,
		title: page.title, heads: all('h1,h2,h3').map((each) => each.textContent),
		text: page.body.textContent,
		tables: all('table').map((table) => Array.from(table.tBodies[0].rows).map((row) => Array.from(row.cells).map((cell) => cell.textContent))),
		points: all('svg circle').length, tips: all('svg circle > title').map((each) => each.textContent),
		far: boxes('svg circle, svg text').filter((box) => { const around = picture.getBoundingClientRect();
			return box.left < around.left - 1 || box.right > around.right + 1 || box.top < around.top - 1 || box.bottom > around.bottom + 1; }).length,
		letters: picture && all('svg text').length ? parseFloat(style('svg text').fontSize) * picture.getBoundingClientRect().width / 700 : 0,
		strange: all('img, link, iframe, object, embed, form, [onerror], [onload], [onclick], [src], a[href]').length,
		scripts: all('script').length, told: tell(page),
		fetched: frame.contentWindow.performance.getEntriesByType('resource').length,
		hacked: window.hacked || frame.contentWindow.hacked || 0,
		paper: style('body').backgroundColor, ink: style('body').color, picture_ink: picture && style('svg text') && style('svg text').fill,
	};
}
addEventListener('load', () => {
	document.getElementById('told').textContent = JSON.stringify(Array.from(document.querySelectorAll('iframe'), look));
});
END

make_database();
test_sample();
test_hostile();
test_without();
test_several_rows();
test_promises();
test_populations();
test_objectives();
psql_in('postgres', 'DROP DATABASE anonopt_report');
done_testing();

# ------------------------------------------------------------ what is looked at

# The demo's sample: everything a report has
sub test_sample
{
	sql("SELECT * FROM anonopt.auto_dataset('patients', 'hospital', '{age,sex,postcode}')",
		"SELECT anonopt.add_sensitive('patients', 'diagnosis')",
		"SELECT anonopt.create_view('patients_public', 'patients', levels => '{3,0,2}', k => 10, l => 5)",
		"SELECT anonopt.publish_table('patients_table', 'patients', levels => '{3,0,2}', k => 10)");
	my $front = value("SELECT count(*) FROM anonopt.pareto('patients')");
	my $report = value("SELECT anonopt.report('patients')");

	check_self_contained($report, 'report');
	check_xml(value("SELECT anonopt.front_svg('patients')"), 'front');
	my ($desktop, $phone) = browse(['--blink-settings=preferredColorScheme=1'], [ $report, 1200 ], [ $report, 390 ]);
	for ([ 1200, 'desktop', $desktop ], [ 390, 'phone', $phone ])
	{
		my ($width, $name, $told) = @$_;
	  SKIP:
		{
			skip("$name: no Chromium", 12) unless $told;
			is($told->{width}, $width, "$name: the frame is as wide as it is to be");
			cmp_ok($told->{needed}, '<=', $width, "$name: nothing is wider than the page");
			is_deeply([ grep { /^(?:Verdict|The original data|The trade-off|Releases|Declaration)$/ } @{ $told->{heads} } ],
				[ 'Verdict', 'The trade-off', 'Releases', 'Declaration' ], "$name: all sections are there");
			is($told->{points}, $front + 2, "$name: a point a node of the front, a ring a release");
			like($told->{told}, qr/^levels \{[\d,]+\}, k [\d,]+/, "$name: a point that is chosen tells its numbers");
			cmp_ok($told->{scripts}, '<=', 1, "$name: by the one script there is");
			is(scalar(grep { /^levels \{[\d,]+\}\nk [\d,]+\n/ } @{ $told->{tips} }), $front, "$name: each tells its levels and measures");
			is($told->{far}, 0, "$name: nothing is drawn outside of the picture");
			cmp_ok($told->{letters}, '>=', 9, "$name: its letters are large enough to read");
			is($told->{fetched}, 0, "$name: nothing is fetched");
			is($told->{strange}, 0, "$name: nothing in it could be");
			check_picture($report, $width, $name);
		}
	}
  SKIP:
	{
		my $told = $desktop or skip('no Chromium', 6);
		is($told->{title}, 'Anonymization of patients', 'the title names the data set');
		is_deeply([ sort grep { /^public\.\w+$/ } @{ $told->{heads} } ], [ 'public.patients_public', 'public.patients_table' ],
			'every release has a section');
		ok(scalar(grep { @$_ == $front && $_->[0][0] =~ /^age \d/ } @{ $told->{tables} }), 'the front is a table, too');
		like($told->{text}, qr/l = 5 in diagnosis/, 'the promise is told');
		like($told->{text}, qr/no promise covers: diagnosis/, 'and what it does not cover');
		unlike($told->{text}, qr/NaN|Infinity|undefined/, 'no number is none');
	}
	check_dark($report, $desktop);
	check_print($report);
	for my $what ('<td>singling out: can somebody be isolated\?</td><td>Whoever knows', '<td>inference: can a value be deduced\?</td><td>',
		'<li>With k = 10, l = 5, no node loses less than ', '<th>public.patients_public</th><th>public.patients_table</th><th>best node for k = 5</th>')
	{
		like($report, qr{$what}, "it has $what");
	}
	my $small = value("SET anonopt.memory = '1MB'; SELECT anonopt.report('patients')");
	like($small, qr/needs more memory than anonopt\.memory allows: .*release public\.patients_table measured now,.*recodings/, 'what does not fit into memory is left out, not the page');
	like($small, qr/19,952 people are shown/, 'which has the figures that were kept');
	unlike(value("SELECT anonopt.report('patients', threshold => 0.09)"), qr/people above 20\.0 %/, 'the threshold is the reader\'s');
}

# Names and labels that would be markup if they were not escaped, or fields if they were templates
sub test_hostile
{
	my $evil = q{<script>window.top.hacked=1</script><img src=x onerror="window.top.hacked=2"> & "it''s" {{name}} {{&name}}};
	(my $column = $evil) =~ s/"/""/g;
	$column =~ s/''/'/g;
	$column = substr $column, 0, 60;

	sql(qq{CREATE TABLE "<b>people</b> & ""co""" ("<i>a</i>&" text NOT NULL, "<u>""s" text NOT NULL)},
		qq{INSERT INTO "<b>people</b> & ""co""" SELECT CASE i % 2 WHEN 0 THEN 'a' ELSE '$evil' END, 'x' || i FROM generate_series(1, 40) i},
		qq{CREATE TABLE "<em>h</em>" (leaf text PRIMARY KEY, anything text NOT NULL)},
		qq{INSERT INTO "<em>h</em>" VALUES ('a', '</td></table><script>window.top.hacked=3</script>'), ('$evil', '</td></table><script>window.top.hacked=3</script>')},
		qq{SELECT anonopt.create_dataset('$evil', '"<b>people</b> & ""co"""')},
		qq{SELECT anonopt.add_quasi_identifier('$evil', '<i>a</i>&', '"<em>h</em>"'), anonopt.add_sensitive('$evil', '<u>"s')},
		qq{SELECT anonopt.create_view('"<s>view</s> & ""1"""', '$evil', levels => '{0}', k => 5)},
		qq{SELECT anonopt.publish_table('"<s>table</s>"', '$evil', levels => '{1}', k => 5)});
	my $report = value("SELECT anonopt.report('$evil')");
	my $picture = value("SELECT anonopt.front_svg('$evil')");

	check_self_contained($report, 'hostile report');
	unlike(without_script($report), qr/<(?:script|img|b|i|u|s|em)\b/, 'no name becomes markup');
	check_xml($picture, 'hostile front');
	unlike($picture, qr/<script/, 'nor in the picture');
  SKIP:
	{
		my ($told) = browse([], [ $report, 390 ]) or skip('no Chromium', 6);
		(my $name = $evil) =~ s/''/'/g;
		is($told->{hacked}, 0, 'nothing of the names is run');
		is($told->{strange}, 0, 'nothing of the names is an element');
		is($told->{title}, "Anonymization of $name", 'the title is the name as it is');
		is(scalar(grep { /^public\."<s>view<\/s> & ""1"""$/ } @{ $told->{heads} }), 1, 'so are the heads');
		like($told->{text}, qr/\Q$name\E/, 'and the labels');
		cmp_ok($told->{needed}, '<=', 390, 'long names do not make the page wider');
	}
}

# What may be missing: releases, sensitive columns, a choice
sub test_without
{
	sql("CREATE TABLE plain AS SELECT i % 10 AS a, i % 3 AS b FROM generate_series(1, 300) i",
		"SELECT * FROM anonopt.auto_dataset('plain', 'plain', '{a,b}')");
	my $report = value("SELECT anonopt.report('plain')");
	like($report, qr/Nothing has been published yet/, 'a report without releases says so');
	check_self_contained($report, 'report without releases');
	sql("SELECT anonopt.create_view('plain_view', 'plain', levels => '{1,0}', k => 10)");
	is(value("SELECT (anonopt.verify('plain_view')).ok"), 't', 'a release without a sensitive column is verified');
	$report = value("SELECT anonopt.report('plain')");
	like($report, qr/plain_view/, 'and reported');
	sql("SELECT anonopt.drop_release('plain_view')");
	like(value("SELECT anonopt.report('plain')"), qr/Nothing has been published yet/, 'until it is dropped');

	sql("CREATE TABLE alike AS SELECT 1 AS a FROM generate_series(1, 10)",
		"CREATE TABLE alike_levels (value int PRIMARY KEY, anything text NOT NULL)", "INSERT INTO alike_levels VALUES (1, '*')",
		"SELECT anonopt.create_dataset('alike', 'alike'), anonopt.add_quasi_identifier('alike', 'a', 'alike_levels')");
	my $picture = value("SELECT anonopt.front_svg('alike')");
	is(() = $picture =~ /<circle/g, 1, 'a front of one node is one point');
	unlike($picture, qr/NaN|Infinity/, 'and it has a place');
	check_xml($picture, 'front of one node');
  SKIP:
	{
		my ($told) = browse([], [ value("SELECT anonopt.report('alike')"), 390 ]) or skip('no Chromium', 2);
		is($told->{points}, 1, 'the report shows it');
		is($told->{far}, 0, 'inside of the picture');
	}
}

# People with several rows: rows are called rows, and losses are shares of them.
sub test_several_rows
{
	sql("CREATE TABLE visit AS SELECT i AS id, i % 100 AS patient, i % 12 AS month, 'd' || i % 5 AS diagnosis FROM generate_series(1, 1000) i",
		"SELECT anonopt.create_interval_hierarchy('month_levels', 0, 11, '{3,6}'), anonopt.create_dataset('visits', 'visit', person => 'patient')",
		"SELECT anonopt.add_quasi_identifier('visits', 'month', 'month_levels'), anonopt.set_pseudonym('visits', 'patient')",
		"SET anonopt.composition = off; SELECT anonopt.publish_table('visits_open', 'visits', levels => '{1}', k => 5)");
	my $report = value("SELECT anonopt.report('visits')");
	my $loss = value("SELECT round(nwp::numeric * 100, 1) FROM anonopt.evaluate('visits', '{1}')");

	like($report, qr/<li>1,000 rows are shown\./, 'rows are not called people');
	like($report, qr{<th scope="row">people</th><td>100</td>}, 'people are counted beside them');
	like($report, qr{GLM: detail lost, all columns equally</td><td class="number">\Q$loss\E %</td>}, 'the loss is a share of the rows');
	like($report, qr/<li>Nobody is left out\.</, 'nobody is left out');
	like($report, qr/Shown as pseudonyms, which link the rows of one person: patient\./, 'pseudonyms are named');
	unlike($report, qr/covered by no promise/, 'as what they are');
}

# Promises beside k, l and t, in words, and measured
sub test_promises
{
	sql("SELECT anonopt.create_dataset('promising', 'hospital'), anonopt.add_quasi_identifier('promising', 'age', 'hospital_age_hierarchy')",
		"SELECT anonopt.add_sensitive('promising', 'diagnosis'), anonopt.add_promise('promising', 'l', 3, 'diagnosis'),
			anonopt.add_promise('promising', 'alpha', 0.5, 'diagnosis'), anonopt.add_promise('promising', 'average_risk', 0.01),
			anonopt.add_promise('promising', 'share_above', 0.1, c => 0.2), anonopt.add_promise('promising', 'presence', 1, population => 'hospital')",
		"SET anonopt.composition = off; SELECT anonopt.publish_table('promising_table', 'promising', levels => '{3}', k => 20)");
	my $report = value("SELECT anonopt.report('promising')");

	my $promised = 'k = 20 by age; l = 3 in diagnosis; no sensitive value has more than 50.0 % of a class in diagnosis; an average risk of at most 1.0 %; '
	  . 'the chance that a person is in the data is at most 100.0 %; at most 10.0 % of the people have a risk above 20.0 %.';
	like($report, qr{<li>Promised: \Q$promised\E</li>}, 'promises in words');
	like($report, qr{<td>alpha</td><td>no sensitive value [^<]*</td><td class="number">0\.\d+</td><td class="number">0\.\d+</td>}, 'each measured');

	# against people who know some columns, or several rows of a person
	sql("SELECT anonopt.create_dataset('knowing', 'hospital'), anonopt.add_quasi_identifier('knowing', 'age', 'hospital_age_hierarchy'),
			anonopt.add_quasi_identifier('knowing', 'sex', 'hospital_sex_hierarchy'), anonopt.add_sensitive('knowing', 'diagnosis')",
		"SELECT anonopt.add_promise('knowing', 'k', 2), anonopt.add_promise('knowing', 'k', 30, columns_known => 1),
			anonopt.add_promise('knowing', 'l', 3, 'diagnosis', columns_known => 1)",
		"SET anonopt.composition = off; SELECT anonopt.publish_table('knowing_table', 'knowing', levels => '{3,0}')",
		"CREATE TABLE stay AS SELECT i / 3 AS who, i * 7 % 5 AS day FROM generate_series(1, 600) i",
		"SELECT anonopt.create_interval_hierarchy('stay_day', 0, 4, '{2}')", "SELECT anonopt.create_dataset('stays', 'stay', 0.5, person => 'who'),
			anonopt.add_quasi_identifier('stays', 'day', 'stay_day'), anonopt.add_promise('stays', 'k', 4, rows_known => 2)",
		"SELECT anonopt.publish_table('stay_table', 'stays', levels => '{1}')");
	my $knows = 'anyone who knows any 1 of a person\S{1,6} generalized columns finds at least';
	like(value("SELECT anonopt.report('knowing')"), qr{<li>Promised: k = 2 by age, sex; $knows 30 people; $knows 3 different sensitive values in diagnosis\.</li>}, 'to whom it promises');
	my $stays = value("SELECT anonopt.report('stays')");
	like($stays, qr{<li>Promised: k = 4 by day; anyone who knows any 2 rows of a person finds at least 4 people with such rows\.</li>}, 'or to whom of several rows');
	like($stays, qr{not all of the promise can be measured}, 'which no release without persons shows');
	# a recoding that was published before
	sql("SELECT anonopt.create_dataset('before', 'hospital'), anonopt.add_quasi_identifier('before', 'age', 'hospital_age_hierarchy')",
		"SELECT anonopt.create_recoding('before_recoding', 'before', k => 20)",
		"SET anonopt.composition = off; SELECT anonopt.publish_table('before_table', 'before', recoding => 'before_recoding', k => 20)",
		"SELECT anonopt.add_promise('before', 'k', 30, columns_known => 1)");
	like(value("SELECT anonopt.report('before')"), qr{Promises that were declared since, or cannot be measured now, keep this release from being made again}, 'nor does a recoding keep them');
}

# A promise whose population cannot be read
sub test_populations
{
	sql("CREATE TABLE crowd AS SELECT i AS id, i % 20 AS age, 't' || i % 3 AS town FROM generate_series(1, 600) i", 'CREATE TABLE sampled AS SELECT * FROM crowd WHERE id % 2 = 0',
		"SELECT anonopt.create_interval_hierarchy('crowd_age', 0, 19, '{5}'), anonopt.create_mask_hierarchy('crowd_town', 'crowd', 'town')",
		"SELECT anonopt.create_dataset('sampled', 'sampled'), anonopt.add_quasi_identifier('sampled', 'age', 'crowd_age'), anonopt.add_quasi_identifier('sampled', 'town', 'crowd_town'),
			anonopt.add_promise('sampled', 'k_map', 10, population => 'crowd')",
		"SELECT anonopt.publish_table('sampled_table', 'sampled', levels => '{1,0}')");
	unlike(value("SELECT anonopt.report('sampled')"), qr/cannot be measured/, 'a promise about a population is measured');
	for my $case ([ 'ALTER TABLE crowd DROP COLUMN town', 'column &quot;town&quot; of relation public.crowd does not exist', 'NOT kept' ],
		[ 'DROP TABLE crowd', 'population of promise k_map of data set &quot;sampled&quot; is gone', 'NOT kept', 'the population is gone' ],
		[ 'ALTER TABLE crowd ALTER age TYPE text', 'column &quot;age&quot; does not match hierarchy public.crowd_age', '' ],
		[ "ALTER TABLE crowd RENAME TO hidden; CREATE VIEW crowd AS SELECT (CASE WHEN id = 7 THEN 'Erika' ELSE age::text END)::int AS age, town FROM hidden; SELECT anonopt.drop_promise('sampled', 'k_map');
			SELECT anonopt.add_promise('sampled', 'k_map', 10, population => 'crowd')", 'public.crowd: reading it fails with SQLSTATE 22P02', '' ])
	{
		my ($loss, $reason, $verdict, $problem) = @$case;
		my $report = value("BEGIN; $loss; SELECT anonopt.report('sampled'); ROLLBACK") =~ s/\A(?:\w*\n)*//r;
		like($report, qr{<p class="warning">A promise cannot be measured now \([^<]*\Q$reason\E\), so these are left out: [^<]*the trade-off, recodings\. Releases among them [^<]*</p>}, "$loss: the report says why, and goes on");
		like($report, qr{sampled_table: [^<]*$verdict}, 'with the release') if $verdict ne '';
		like($report, qr{</html>}, 'and is whole');
		unlike($report, qr/Erika/, 'without a value');
		is(value("BEGIN; $loss; SELECT problem FROM anonopt.describe('sampled') WHERE role LIKE 'promise%'; ROLLBACK") =~ s/\A\w*\n//r, $problem, 'as describe says') if $problem;
	}
	sql('CREATE ROLE keeper', 'GRANT SELECT ON sampled TO keeper', "GRANT SELECT ON crowd_age, crowd_town TO keeper");
	like(value("SET ROLE keeper; SELECT anonopt.report('sampled')"), qr/permission denied for table crowd\), so these are left out: the trade-off, recodings/, 'one that may not be read');
	sql('DROP OWNED BY keeper', 'DROP ROLE keeper');
}

# Every objective can be an axis
sub test_objectives
{
	sql("SELECT anonopt.set_class_label('patients', 'discharged_to')");
	my @objectives = map { "{$_}" } split / /, 'l,t k,t k,nwp k,dcn suppressed,glm classes,necd entropy_l,cm sum_k,sum_other k,l,glm';
	my %picture = map { $_ => value("SELECT anonopt.front_svg('patients', '$_')") } @objectives;
	my @told = browse([], map { [ "<!DOCTYPE html><body>$picture{$_}", 700 ] } @objectives);
	for (@objectives)
	{
		my ($x, $y) = /(\w+),(\w+)/;
		my ($picture, $told) = ($picture{$_}, shift @told);
		my $nodes = value("SELECT count(*) FROM anonopt.pareto('patients', '$_') WHERE $x IS NOT NULL AND $y IS NOT NULL");

		is(() = $picture =~ /<circle/g, $nodes, "$_: a point a node");
		unlike($picture, qr/NaN|Infinity/, "$_: each has a place");
		like($picture, qr/>\Q$x\E \(.*>\Q$y\E \(/s, "$_: the axes have names and units");
		check_xml($picture, $_);
	  SKIP:
		{
			skip("$_: no Chromium", 1) unless $told;
			is($told->{far}, 0, "$_: nothing is drawn outside of the picture");
		}
	}

	# what can be had for a k is had at the next point that has more, until the next that loses less
	my ($line) = value("SELECT anonopt.front_svg('patients', '{k,nwp}')") =~ /<path class="front" d="([^"]*)"/;
	like($line, qr/^M[\d.]+ [\d.]+(?:H[\d.]+V[\d.]+)+$/, 'the line leaves each point level');
	unlike(value("SELECT anonopt.front_svg('patients', '{k,l,glm}')"), qr/<path class="front" d="M[^"]*[HV]/,
		'three objectives have no line: it would not be a border');
}

# ------------------------------------------------------------ what is asked of all

# A page without its own script, which only shows what a point's title says
sub without_script { return $_[0] =~ s{<script>\n/\* shows a point's numbers below the picture[^<]*</script>}{}r }

# There is nothing that a browser would fetch or run
sub check_self_contained
{
	my ($page, $name) = @_;
	(my $rest = $page) =~ s{xmlns="http://www\.w3\.org/2000/svg"}{}g;
	$rest =~ s/&lt;.*?&gt;//gs;
	$rest = without_script($rest);
	unlike($rest, qr{https?:|//\w|<script|<link|<img|<iframe|\@import|url\(|\ssrc\s*=}i, "$name: nothing to fetch or to run");
}

sub check_xml
{
	my ($picture, $name) = @_;
  SKIP:
	{
		skip("$name: no xmllint", 1) unless $xmllint;
		write_file("$scratch/picture.svg", $picture);
		my $said = `'$xmllint' --noout --nonet '$scratch/picture.svg' 2>&1`;
		is($? . $said, '0', "$name: sound XML");
	}
}

# Dark if the reader prefers it, and readable, including the picture
sub check_dark
{
	my ($report, $light) = @_;
  SKIP:
	{
		my ($dark) = browse(['--blink-settings=preferredColorScheme=0'], [ $report, 1200 ]) or skip('dark: no Chromium', 4);
		cmp_ok(brightness($light->{paper}) - brightness($light->{ink}), '>', 400, 'light: dark ink on light paper');
		cmp_ok(brightness($dark->{ink}) - brightness($dark->{paper}), '>', 400, 'dark: light ink on dark paper');
		cmp_ok(brightness($light->{paper}) - brightness($light->{picture_ink}), '>', 400, 'light: the picture can be read');
		cmp_ok(brightness($dark->{picture_ink}) - brightness($dark->{paper}), '>', 400, 'dark: the picture can be read');
	}
}

# It prints to two to six A4 pages.
sub check_print
{
	my ($report) = @_;
  SKIP:
	{
		skip('print: no Chromium', 2) unless $chromium;
		my $file = "$scratch/print.pdf";

		write_file("$scratch/print.html", $report);
		chromium("--print-to-pdf=$file", '--no-pdf-header-footer', "file://$scratch/print.html");
		my $pdf = read_file($file);
		my @pages = $pdf =~ m{/Type\s*/Page\b[^s]}g;
		cmp_ok(scalar(@pages), '>=', 2, 'print: at least two pages');
		cmp_ok(scalar(@pages), '<=', 6, 'print: at most six');
		like($pdf, qr{/MediaBox\s*\[0 0 59[45][.\d]* 84[12]}, 'print: A4');
	}
}

# Red, green and blue together, from 0 to 765
sub brightness
{
	my ($color) = @_;
	my $sum = 0;
	$sum += $_ for ($color =~ /(\d+)/g)[ 0 .. 2 ];
	return $sum;
}

# A screenshot of the page has the expected size, and more than one colour.
sub check_picture
{
	my ($report, $width, $name) = @_;
	my $page = make_page([ $report, $width ]);
	my $file = "$scratch/shot.png";
	my $height = 2400;

	chromium("--window-size=1300,$height", "--screenshot=$file", "file://$page");
	my ($wide, $high) = unpack 'x16 NN', read_file($file);
	ok($wide == 1300 && $high >= 1000 && -s $file > 20000, "$name: it has a picture")
	  or diag("$wide by $high points, " . -s $file . ' bytes');
}

# ------------------------------------------------------------ the browser

# What our page tells of reports in frames so wide; nothing without Chromium.
sub browse
{
	my ($options, @frames) = @_;
	return unless $chromium;
	my $page = make_page(@frames);
	my $dump = chromium(@$options, '--dump-dom', "file://$page");
	my ($told) = $dump =~ m{<pre id="told"[^>]*>(.*?)</pre>}s;

	die "Chromium shows no page\n" unless defined $told && $told ne '';
	$told =~ s/&lt;/</g;
	$told =~ s/&gt;/>/g;
	$told =~ s/&nbsp;/\xc2\xa0/g;
	$told =~ s/&amp;/&/g;
	return @{ $json->decode($told) };
}

# A frame has the width it is given, while a window may have a least one.
sub make_page
{
	my @frames = @_;
	my $file = sprintf '%s/page%d.html', $scratch, ++$pages;
	my $body = '';

	for (@frames)
	{
		my ($report, $width) = @$_;

		$report =~ s/&/&amp;/g;
		$report =~ s/"/&quot;/g;
		$body .= qq{<iframe style="width: ${width}px; height: 2400px" srcdoc="$report"></iframe>\n};
	}
	write_file($file, <<"END");
<!DOCTYPE html>
<html><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><style>body { margin: 0 } iframe { border: 0 }</style></head>
<body><pre id="told" hidden></pre><script>$look</script>
$body</body></html>
END
	return $file;
}

sub chromium
{
	my @arguments = @_;
	my @command = ('timeout', 120, $chromium, qw(--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage
		--no-first-run --disable-extensions --disable-background-networking --disable-component-update --disable-sync
		--hide-scrollbars --virtual-time-budget=5000), '--window-size=1300,2600', "--user-data-dir=$scratch/profile", @arguments);

	open my $saved, '>&', \*STDERR or die "cannot keep standard error: $!\n";
	open STDERR, '>', "$scratch/chromium.log" or die "cannot write $scratch/chromium.log: $!\n";
	open my $pipe, '-|', @command or die "cannot run $chromium: $!\n";
	local $/;
	my $output = <$pipe> // '';
	close $pipe;
	open STDERR, '>&', $saved or die "cannot restore standard error: $!\n";
	diag("Chromium ended with status $?: " . read_file("$scratch/chromium.log")) if $?;
	return $output;
}

# ------------------------------------------------------------ the server

sub make_database
{
	psql_in('postgres', 'DROP DATABASE IF EXISTS anonopt_report');
	psql_in('postgres', 'CREATE DATABASE anonopt_report');
	sql('CREATE EXTENSION anonopt', '\i demo/hospital.sql');
}

sub sql { psql_in('anonopt_report', @_) }

# What one statement returns, as it is
sub value
{
	my $output = psql_in('anonopt_report', @_);
	chomp $output;
	return $output;
}

sub psql_in
{
	my ($database, @statements) = @_;
	local $ENV{PGOPTIONS} = '-c client_min_messages=error';
	write_file("$scratch/input.sql", join '', map { /^\\/ ? "$_\n" : "$_;\n" } @statements);
	my $output = qx(psql -XAtq -v ON_ERROR_STOP=1 -d $database -f '$scratch/input.sql' 2>'$scratch/errors');
	fail("statements succeed: $statements[0]"), diag(read_file("$scratch/errors")) if $?;
	return $output;
}

sub write_file
{
	my ($file, $text) = @_;
	open my $handle, '>', $file or die "cannot write $file: $!\n";
	print $handle $text;
	close $handle or die "cannot write $file: $!\n";
}

sub read_file
{
	my ($file) = @_;
	open my $handle, '<', $file or return '';
	local $/;
	return <$handle> // '';
}
