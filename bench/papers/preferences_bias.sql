-- Preferences, section 8.4: loss and bias by the bias preferred; population 100, NWP .2
-- preferred, equal weights, while Figure 5 has others.  Data: Adult, nine columns; seed 1.
TRUNCATE preferred;
CALL prefer(1, 'NECD .5', 'equal', 0.5, 100, :evaluations);
CALL prefer(2, 'NECD .1', 'equal', 0.1, 100, :evaluations);
CALL prefer(3, 'NECD .05', 'equal', 0.05, 100, :evaluations);
CALL prefer(4, 'NECD .01', 'equal', 0.01, 100, :evaluations);
SELECT preferred_lines();
