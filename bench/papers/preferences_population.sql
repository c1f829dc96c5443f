-- Preferences, section 8.2: loss and bias by the size of the population; equal weights, NECD 1
-- and NWP .2 preferred.  Data: Adult, nine columns; seed 1.
-- Figure 3 is for k 5.
TRUNCATE preferred;
CALL prefer(1, 'population 100', 'equal', 1, 100, :evaluations);
CALL prefer(2, 'population 250', 'equal', 1, 250, :evaluations);
CALL prefer(3, 'population 500', 'equal', 1, 500, :evaluations);
SELECT preferred_lines();
