-- POkA, Table 1: nodes of the exact front with k > 1 that it finds, by depth, with GLM.
-- Data: Adult, eight columns, 17,920 nodes; 1 % suppressed.
TRUNCATE approximated;
CALL approximate('glm', 1, 1);
CALL approximate('glm', 1, 2);
CALL approximate('glm', 1, 3);
CALL approximate('glm', 1, 6);
SELECT approximated_lines();
