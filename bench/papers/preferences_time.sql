-- Preferences, the time of section 8.5: 50,000 evaluations on one core, CPU time of the whole
-- call, reading included; of a walk of ten steps too.  Data: Adult, nine columns, 105 bits; seed 1.
CREATE TABLE timed (ordinal int, what text, printed text, ms bigint, evaluated bigint);
CREATE PROCEDURE measure() LANGUAGE plpgsql AS $$
DECLARE
	began bigint;
BEGIN
	PERFORM count(*) FROM anonopt.nsga2('equal', 5, 1, 0.2, 100, 100, seed => 1);
	began := cpu_ms();
	PERFORM count(*) FROM anonopt.nsga2('equal', 5, 1, 0.2, 100, 50000, seed => 1);
	INSERT INTO timed SELECT 1, 'a search', '15 minutes', cpu_ms() - began, evaluated FROM anonopt.last_search();
	began := cpu_ms();
	PERFORM count(*) FROM anonopt.reference_direction('equal', 5, '{1,0.5}', '{0.1,0.2}', 10, 100, 50000, seed => 1);
	INSERT INTO timed SELECT 2, 'a walk of ten steps', NULL, cpu_ms() - began, evaluated FROM anonopt.last_search();
END $$;
CALL measure();
SELECT line('50,000 evaluations of', 'printed', 'ours, CPU', 'evaluated in full');
SELECT rule(4);
SELECT line(what, printed, round(ms / 1000.0, 1) || ' s', evaluated::text) FROM timed ORDER BY ordinal;
