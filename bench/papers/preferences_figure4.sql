-- Preferences, Figure 4 and section 8.3: loss, bias and groups of native country by weights;
-- the figure has five vectors of weights, whose numbers are not in the text: of ours, the second
-- and the fifth stress native country, as wv2 and wv5 do.  k 5, population 100, NECD 1 and NWP
-- .2 preferred; means and standard deviations.  Data: Adult, nine columns; seeds 1 to 5.
TRUNCATE preferred;
SELECT format('CALL prefer(%s, %L, %L, 5, 1, 100, %s, least(%s, 5))', ordinal, says, dataset, :evaluations, :seeds) FROM weighting ORDER BY ordinal \gexec
SELECT line('weights', 'k found', 'NWP', 'NECD', 'groups of native country', 'of all columns, seed 1');
SELECT rule(6);
SELECT line(says, string_agg(k::text, ', ' ORDER BY k), mean(array_agg(nwp)), mean(array_agg(necd)), string_agg(groups[7]::text, ', ' ORDER BY groups[7]),
	max(array_to_string(groups, ' ')) FILTER (WHERE seed = 1)) FROM preferred GROUP BY ordinal, says ORDER BY ordinal;
