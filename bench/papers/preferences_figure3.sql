-- Preferences, Figure 3 and section 8.2: loss, bias and deviation by the size of the population,
-- k 5, NECD 1 and NWP .2 preferred, equal weights; means and, in parentheses, standard
-- deviations.  Data: Adult, nine columns; seeds 1 to 5.
TRUNCATE preferred;
SELECT format('CALL prefer(%s, NULL, ''equal'', 5, 1, %1$s, %s, least(%s, 5))', size, :evaluations, :seeds) FROM unnest('{100,250,500}'::int[]) AS size \gexec
SELECT line('population', 'k found', 'NWP', 'NECD', 'deviation', 'evaluated in full');
SELECT rule(6);
SELECT line(ordinal::text, string_agg(k::text, ', ' ORDER BY k), mean(array_agg(nwp)), mean(array_agg(necd)), mean(array_agg(deviation)), round(avg(evaluated))::text)
FROM preferred GROUP BY ordinal ORDER BY ordinal;
