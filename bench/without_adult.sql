-- without_adult.sql: says what is skipped where there is no census data

INSERT INTO bench.result (measurement, ours_is) VALUES
	('reading', 'skipped: ADULT_DIR names no directory with adult.csv'),
	('search', 'skipped: the same'),
	('fronts', 'skipped: the same'),
	('POkA', 'skipped: the same'),
	('PBG-EA', 'skipped: the same'),
	('comparing', 'skipped: the same'),
	('per record', 'skipped: the same'),
	('workers', 'skipped: the same'),
	('preferences', 'skipped: the same'),
	('publishing', 'skipped: the same'),
	('progress', 'skipped: the same'),
	('memory by rows', 'skipped: the same');
