-- Preferences, Figure 2 and section 8.1: what searches for six k return, in the mean of five
-- seeds: solutions, how many of them feasible, and of these undominated in NWP and NECD; in how
-- many searches the least ach is one solution's alone, and undominated; the chosen one.
-- Population 100, equal weights, NECD 1 and NWP .2 preferred.  Data: Adult, nine columns; seeds 1 to 5.
TRUNCATE preferred;
SELECT format('CALL prefer(%s, NULL, ''equal'', %1$s, 1, 100, %s, least(%s, 5))', k, :evaluations, :seeds) FROM unnest('{2,5,10,25,50,100}'::int[]) AS k \gexec
SELECT line('k asked', 'solutions', 'feasible', 'undominated in NWP, NECD', 'least ach alone', 'and undominated', 'k found', 'NWP', 'NECD');
SELECT rule(9);
SELECT line(asked::text, round(avg(solutions), 1)::text, round(avg(feasible), 1)::text, round(avg(undominated), 1)::text,
	format('%s of %s', count(*) FILTER (WHERE least = 1), count(*)), format('%s of %s', count(*) FILTER (WHERE is_undominated), count(*)),
	string_agg(k::text, ', ' ORDER BY k), mean(array_agg(nwp)), mean(array_agg(necd))) FROM preferred GROUP BY asked ORDER BY asked;
