-- Preferences, Figure 2 as a picture: the feasible solutions that no other beats in NWP and
-- NECD, and the chosen one as a cross, for k 5, 25 and 100.  Data: Adult, nine columns; seed 1.
TRUNCATE drawn;
CREATE TABLE solution (k int, nwp float8, necd float8, chosen boolean);
SELECT format('INSERT INTO solution SELECT %s, nwp, necd, chosen FROM anonopt.nsga2(''equal'', %1$s, 1, 0.2, 100, %s, seed => 1) WHERE feasible', k, :evaluations)
FROM unnest('{5,25,100}'::int[]) AS k \gexec
INSERT INTO drawn SELECT array_position('{5,25,100}', k), format('k %s: NECD against NWP', k), nwp, necd, true, chosen FROM solution AS s
WHERE NOT EXISTS (SELECT FROM solution AS o WHERE o.k = s.k AND o.nwp <= s.nwp AND o.necd <= s.necd AND (o.nwp, o.necd) <> (s.nwp, s.necd));
SELECT drawing(false);
