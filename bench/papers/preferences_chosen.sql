-- Preferences, section 8.1: what a search returns for six k: how many solutions, how many of
-- them feasible, how many of these with the least ach, and the chosen one; whether no other
-- feasible one beats it in NWP and NECD.  As ours is, and with seeds => false, copies => true.
-- Population 100, equal weights, NECD 1 and NWP .2 preferred.  Data: Adult, nine columns; seed 1.
CREATE TABLE returned (k_asked int, plain boolean, k bigint, nwp float8, necd float8, ach float8, feasible boolean, chosen boolean, groups int[]);
SELECT format('INSERT INTO returned SELECT %s, %L, k, nwp, necd, ach, feasible, chosen, groups
	FROM anonopt.nsga2(''equal'', %1$s, 1, 0.2, 100, %3$s, seed => 1, seeds => not %2$L::boolean, copies => %2$L)', k, plain, :evaluations)
FROM unnest('{2,5,10,25,50,100}'::int[]) AS k, unnest('{f,t}'::boolean[]) AS plain \gexec
SELECT line('search', 'k asked', 'solutions', 'feasible', 'of least ach', 'k found', 'NWP', 'NECD', 'undominated', 'groups a column');
SELECT rule(10);
SELECT line(CASE WHEN plain THEN 'no seeds, copies' ELSE 'by default' END, k_asked::text,
	(SELECT count(*) FROM returned AS o WHERE (o.k_asked, o.plain) = (r.k_asked, r.plain))::text,
	(SELECT count(*) FROM returned AS o WHERE (o.k_asked, o.plain, o.feasible) = (r.k_asked, r.plain, true))::text,
	(SELECT count(*) FROM returned AS o WHERE (o.k_asked, o.plain, o.feasible, o.ach) = (r.k_asked, r.plain, true, r.ach))::text,
	k::text, round(nwp::numeric, 3)::text, round(necd::numeric, 3)::text,
	CASE WHEN EXISTS (SELECT FROM returned AS o WHERE (o.k_asked, o.plain, o.feasible) = (r.k_asked, r.plain, true) AND o.nwp <= r.nwp AND o.necd <= r.necd
		AND (o.nwp, o.necd) <> (r.nwp, r.necd)) THEN 'no' ELSE 'yes' END, array_to_string(groups, ' '))
FROM returned AS r WHERE chosen ORDER BY plain, k_asked;
