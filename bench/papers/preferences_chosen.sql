-- Preferences, section 8.1: what a search returns for six k: how many solutions, how many of
-- them feasible, how many of these with the least ach, and the chosen one; whether no other
-- feasible one beats it in NWP and NECD.  As ours is, with seeds => false, copies => true, and
-- with plain => true.
-- Population 100, equal weights, NECD 1 and NWP .2 preferred.  Data: Adult, nine columns; seed 1.
CREATE TABLE returned (k_asked int, way int, k bigint, nwp float8, necd float8, ach float8, feasible boolean, chosen boolean, groups int[]);
SELECT format('INSERT INTO returned SELECT %s, %s, k, nwp, necd, ach, feasible, chosen, groups
	FROM anonopt.nsga2(''equal'', %1$s, 1, 0.2, 100, %3$s, seed => 1%4$s)', k, way, :evaluations, options)
FROM unnest('{2,5,10,25,50,100}'::int[]) AS k, unnest('{"",", seeds => false, copies => true",", plain => true"}'::text[]) WITH ORDINALITY AS w (options, way) \gexec
SELECT line('search', 'k asked', 'solutions', 'feasible', 'of least ach', 'k found', 'NWP', 'NECD', 'undominated', 'groups a column');
SELECT rule(10);
SELECT line((ARRAY['by default', 'no seeds, copies', 'plain'])[way], k_asked::text, count(*)::text, (count(*) FILTER (WHERE feasible))::text,
	nullif(count(*) FILTER (WHERE feasible AND ach = (SELECT ach FROM returned AS o WHERE (o.k_asked, o.way, o.chosen) = (r.k_asked, r.way, true))), 0)::text,
	max(k) FILTER (WHERE chosen) || '', round(max(nwp) FILTER (WHERE chosen)::numeric, 3)::text, round(max(necd) FILTER (WHERE chosen)::numeric, 3)::text,
	CASE WHEN bool_or(chosen) THEN CASE WHEN EXISTS (SELECT FROM returned AS o JOIN returned AS c USING (k_asked, way)
			WHERE (k_asked, way, o.feasible, c.chosen) = (r.k_asked, r.way, true, true) AND o.nwp <= c.nwp AND o.necd <= c.necd AND (o.nwp, o.necd) <> (c.nwp, c.necd))
		THEN 'no' ELSE 'yes' END END, max(array_to_string(groups, ' ')) FILTER (WHERE chosen))
FROM returned AS r GROUP BY way, k_asked ORDER BY way, k_asked;
