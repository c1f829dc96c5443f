-- Preferences, section 8.3: loss and bias by weights, which are not those of Figure 4; population 100, NECD 1 and NWP .2
-- preferred.  Data: Adult, nine columns; seed 1.
TRUNCATE preferred;
CALL prefer(1, 'equal weights', 'equal', 1, 100, :evaluations);
CALL prefer(2, 'age and education ten times', 'person', 1, 100, :evaluations);
CALL prefer(3, 'workclass and occupation ten times', 'work', 1, 100, :evaluations);
SELECT preferred_lines();
