-- Preferences, Figure 5 and section 8.4: loss, bias and k by the bias preferred, with weights
-- that stress native country ten times, as wv2 does by more or less; k 5, population 100, NWP .2
-- preferred; means and standard deviations.  Data: Adult, nine columns; seeds 1 to 5.
TRUNCATE preferred;
SELECT format('CALL prefer(%s, %L, ''country'', 5, %2$L, 100, %s, least(%s, 5))', nr, bias, :evaluations, :seeds)
FROM unnest('{1.0,0.5,0.1,0.05,0.02,0.01}'::numeric[]) WITH ORDINALITY AS p (bias, nr) ORDER BY nr \gexec
SELECT line('NECD preferred', 'k found', 'NWP', 'NECD', 'deviation');
SELECT rule(5);
SELECT line(says, string_agg(k::text, ', ' ORDER BY k), mean(array_agg(nwp)), mean(array_agg(necd)), mean(array_agg(deviation))) FROM preferred GROUP BY ordinal, says ORDER BY ordinal;
