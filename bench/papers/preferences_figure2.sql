-- Preferences, Figure 2: k asked and k found, what each column keeps: population 100, equal
-- weights, NECD 1 and NWP .2 preferred.  Data: Adult, nine columns; seed 1.
TRUNCATE preferred;
CALL prefer(1, 'equal weights', 'equal', 1, 100, :evaluations);
SELECT preferred_lines();
