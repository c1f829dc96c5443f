-- POkA by depth with DCN, and with CM over seven columns (8,960 nodes), the class
-- label being salary_class.  Data: Adult; 1 % suppressed.
TRUNCATE approximated;
CALL approximate('dcn', 1, 1);
CALL approximate('dcn', 1, 2);
CALL approximate('dcn', 1, 3);
CALL approximate('dcn', 1, 6);
CALL approximate('cm', 1, 1);
CALL approximate('cm', 1, 2);
CALL approximate('cm', 1, 3);
CALL approximate('cm', 1, 6);
SELECT approximated_lines();
