-- POkA by the share that may be suppressed, 0 to 10 %, at depth 3, all three metrics.
-- Data: Adult; eight columns, for CM seven.
TRUNCATE approximated;
CALL approximate('glm', 0, 3);
CALL approximate('glm', 1, 3);
CALL approximate('glm', 2, 3);
CALL approximate('glm', 5, 3);
CALL approximate('glm', 10, 3);
CALL approximate('dcn', 0, 3);
CALL approximate('dcn', 1, 3);
CALL approximate('dcn', 2, 3);
CALL approximate('dcn', 5, 3);
CALL approximate('dcn', 10, 3);
CALL approximate('cm', 0, 3);
CALL approximate('cm', 1, 3);
CALL approximate('cm', 2, 3);
CALL approximate('cm', 5, 3);
CALL approximate('cm', 10, 3);
SELECT approximated_lines();
