-- hospital.sql: the discharges of an invented hospital
--
-- Creates the table hospital, 20,000 patients of 2022 to 2024, and the table
-- profession_tree, which assigns each profession to a kind.
--
-- The table is the same every time, on every machine: what looks random is a
-- hash of the patient's number.  The columns depend on each other as they
-- would in life (age on diagnosis, sex on age, profession on age and sex,
-- season on diagnosis, stay and outcome on diagnosis and age), because
-- independent columns are much easier to anonymize than real ones.

-- A random-looking number in (0,1) for a patient and a purpose.
CREATE FUNCTION pg_temp.dice(patient bigint, purpose text) RETURNS float8
LANGUAGE sql IMMUTABLE AS $$
	SELECT ((hashtextextended(purpose, patient) & 9007199254740991)::float8 + 0.5)
		/ 9007199254740992::float8
$$;

-- To choose one of several things by weight, give each an exponentially
-- distributed waiting time, shorter for greater weights; the first to arrive
-- is chosen. Unlike a search in cumulated weights, this allows every patient
-- their own weights.
CREATE FUNCTION pg_temp.wait(patient bigint, thing text, weight float8)
RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
	SELECT -ln(pg_temp.dice(patient, thing)) / weight
$$;

-- Patients, by age: newborns, some children, a hump of mothers, then growing
-- into the seventies and few beyond a hundred
CREATE TEMP TABLE age_band (youngest int, oldest int, weight float8, women float8);
INSERT INTO age_band VALUES
	(  0,   0,  6.5,  .49), (  1,   5,  4.5,  .44), (  6,  14, 4.0, .45),
	( 15,  19,  2.6,  .52), ( 20,  24,  3.8,  .60), ( 25,  34, 9.0, .68),
	( 35,  44,  7.5,  .58), ( 45,  54, 10.0,  .48), ( 55,  64, 15.0, .46),
	( 65,  74, 17.0,  .47), ( 75,  84, 16.0,  .52), ( 85,  89, 5.0, .60),
	( 90,  94,  2.2,  .68), ( 95,  99,  0.5,  .75), (100, 102, 0.06, .8),
	(103, 107,  0.015, .9);

-- Where they live: a city, its surroundings, the countryside, and a few from
-- far away.  A town's first postcodes have the most people.
CREATE TEMP TABLE town (prefix text, districts int, weight float8);
INSERT INTO town VALUES
	('470', 24, 40), ('471', 12, 14), ('472', 8, 9), ('473', 6, 7),
	('475', 9, 6), ('478', 14, 5), ('460', 10, 4), ('462', 8, 3),
	('465', 16, 2.5), ('467', 5, 1.5), ('481', 12, 2), ('484', 15, 1.2),
	('487', 6, 0.8), ('490', 12, 0.8), ('452', 12, 0.6), ('510', 15, 0.5),
	('203', 20, 0.3), ('104', 20, 0.3), ('808', 20, 0.25), ('603', 20, 0.25);

-- Professions: their range of ages, and the percentage of women
CREATE TEMP TABLE profession
	(name text, kind text, weight float8, youngest int, oldest int, women float8);
INSERT INTO profession VALUES
	('child at home',       'education',      50,  0,   6, .5),
	('pupil',               'education',     500,  6,  18, .5),
	('apprentice',          'education',      20, 16,  24, .4),
	('student',             'education',      25, 18,  32, .52),
	('retired',             'not working',    12, 57,  64, .5),
	('retired',             'not working',   500, 65, 120, .5),
	('homemaker',           'household',       9, 20,  99, .93),
	('unemployed',          'household',       9, 18,  64, .45),
	('nurse',               'care',            7, 19,  66, .84),
	('care worker',         'care',            6, 18,  66, .82),
	('childcare worker',    'care',            5, 18,  66, .92),
	('physician',           'care',            2, 26,  70, .48),
	('school teacher',      'teaching',        5, 25,  66, .72),
	('lecturer',            'teaching',        1, 25,  68, .42),
	('shop assistant',      'trade',           8, 17,  66, .76),
	('sales representative','trade',           4, 20,  66, .35),
	('wholesale merchant',  'trade',           2, 24,  70, .4),
	('cook',                'hospitality',     4, 17,  66, .45),
	('waiter',              'hospitality',     3, 17,  66, .62),
	('hotel clerk',         'hospitality',     1, 17,  66, .7),
	('cleaner',             'hospitality',     5, 18,  68, .83),
	('lorry driver',        'transport',       5, 19,  66, .05),
	('bus driver',          'transport',       1, 22,  66, .15),
	('warehouse worker',    'transport',       6, 18,  66, .28),
	('office clerk',        'administration', 11, 18,  66, .72),
	('accountant',          'administration',  4, 20,  66, .68),
	('bank clerk',          'administration',  3, 19,  66, .56),
	('civil servant',       'administration',  6, 19,  66, .54),
	('lawyer',              'law and media', 1.3, 27,  72, .42),
	('journalist',          'law and media', 0.6, 24,  68, .5),
	('software developer',  'technology',      5, 21,  66, .2),
	('engineer',            'technology',      5, 24,  67, .18),
	('technician',          'technology',      4, 19,  66, .15),
	('electrician',         'crafts',          4, 17,  66, .04),
	('plumber',             'crafts',          2, 17,  66, .03),
	('carpenter',           'crafts',          2, 17,  66, .05),
	('hairdresser',         'crafts',          2, 16,  66, .87),
	('bricklayer',          'building',        3, 17,  65, .02),
	('painter',             'building',        2, 17,  65, .1),
	('roofer',              'building',        1, 17,  62, .02),
	('machine operator',    'industry',        7, 18,  66, .25),
	('metalworker',         'industry',        6, 17,  66, .06),
	('chemical worker',     'industry',        2, 18,  66, .22),
	('farmer',              'land',            2, 18,  80, .3),
	('gardener',            'land',            2, 17,  66, .35),
	('forester',            'land',          0.3, 20,  65, .1);

CREATE TABLE profession_tree (child text PRIMARY KEY, parent text NOT NULL);
INSERT INTO profession_tree
	SELECT DISTINCT name, kind FROM profession
	UNION ALL VALUES
	('education',      'not working'), ('household',    'not working'),
	('care',           'services'),    ('teaching',     'services'),
	('trade',          'services'),    ('hospitality',  'services'),
	('transport',      'services'),    ('law and media','office'),
	('administration', 'office'),      ('technology',   'office'),
	('crafts',         'production'),  ('building',     'production'),
	('industry',       'production'),  ('land',         'production'),
	('not working', '*'), ('services', '*'), ('office', '*'), ('production', '*');

-- Diagnoses: typical age, percentage of women, how much more often in winter,
-- usual stay in days, and how dangerous it is
CREATE TEMP TABLE diagnosis
	(name text, weight float8, peak int, spread float8, women float8,
	 winter float8, days float8, danger float8);
INSERT INTO diagnosis VALUES
	('healthy newborn',             200,  0, 0.4, .5,  0,   3,  .001),
	('preterm birth',                27,  0, 0.4, .48, 0,  18,  .03),
	('neonatal jaundice',            33,  0, 0.4, .45, 0,   3,  .001),
	('bronchiolitis',                 8,  1, 1.6, .42, .9,  4,  .002),
	('febrile seizure',               5,  2, 2.2, .45, .5,  2,  .001),
	('gastroenteritis',               4,  5,  30, .52, .4,  3,  .005),
	('tonsillitis',                   5,  9,  10, .52, .4,  4,  .001),
	('asthma',                        3, 12,  20, .48, .3,  4,  .004),
	('epilepsy',                    1.5, 25,  35, .47, 0,   5,  .01),
	('appendicitis',                  6, 17,  14, .46, 0,   4,  .003),
	('concussion',                    6, 16,  22, .40, .1,  2,  .004),
	('fracture of the forearm',       5, 14,  22, .50, .1,  2,  .001),
	('delivery',                     80, 30,   6, 1,   0,   3,  .0002),
	('caesarean section',            34, 32,   6, 1,   0,   5,  .0005),
	('miscarriage',                  10, 32,   7, 1,   0,   1,  .0002),
	('endometriosis',                 5, 34,   9, 1,   0,   3,  .0002),
	('knee injury',                   6, 34,  16, .40, .2,  3,  .0005),
	('drug poisoning',                3, 27,  11, .40, 0,   2,  .03),
	('schizophrenia',                 3, 36,  14, .42, 0,  28,  .003),
	('depression',                    8, 44,  18, .62, .2, 26,  .004),
	('alcohol dependence',            8, 48,  13, .25, 0,   9,  .01),
	('HIV disease',                 0.5, 43,  13, .20, 0,   8,  .03),
	('herniated disc',                6, 51,  14, .46, 0,   6,  .001),
	('kidney stones',                 6, 49,  16, .33, 0,   3,  .002),
	('gallstones',                    8, 56,  18, .64, 0,   5,  .004),
	('inguinal hernia',               6, 59,  20, .12, 0,   2,  .001),
	('breast cancer',                 8, 62,  13, .99, 0,   6,  .03),
	('prostate cancer',               7, 69,   9, 0,   0,   7,  .03),
	('lung cancer',                   6, 68,  10, .38, 0,   9,  .16),
	('colorectal cancer',             6, 70,  12, .44, 0,  11,  .08),
	('diabetes',                      6, 65,  18, .47, 0,   8,  .015),
	('hypertension',                  8, 70,  14, .62, .1,  4,  .004),
	('coronary heart disease',       13, 69,  11, .30, 0,   4,  .012),
	('myocardial infarction',         9, 69,  13, .34, .2,  7,  .08),
	('atrial fibrillation',           9, 74,  11, .47, 0,   4,  .01),
	('heart failure',                14, 80,  10, .52, .3,  9,  .09),
	('stroke',                       10, 76,  12, .49, .1, 10,  .08),
	('COPD',                          8, 70,   9, .45, .6,  8,  .05),
	('pneumonia',                     8, 74,  25, .44, .8,  9,  .10),
	('influenza',                     3, 60,  40, .50, 3,   6,  .03),
	('osteoarthritis of the hip',     8, 71,   9, .60, 0,   8,  .002),
	('osteoarthritis of the knee',    8, 70,   9, .62, 0,   8,  .002),
	('fracture of the femur',         9, 84,   8, .72, .2, 14,  .06),
	('cataract',                      3, 76,   8, .56, 0,   1,  .0005),
	('dementia',                      3, 83,   6, .62, 0,  14,  .03),
	('Parkinson''s disease',          2, 75,   8, .38, 0,  12,  .01),
	('urinary tract infection',       5, 78,  18, .66, 0,   6,  .02),
	('sepsis',                        3, 75,  16, .44, .1, 13,  .25);

CREATE TABLE hospital (
	patient_id      int PRIMARY KEY,
	age             int NOT NULL,
	sex             text NOT NULL,
	postcode        text NOT NULL,
	admitted        date NOT NULL,
	profession      text,            -- NULL: nobody asked
	insurance       text NOT NULL,
	diagnosis       text NOT NULL,
	length_of_stay  int NOT NULL,    -- days
	discharged_to   text NOT NULL);

WITH aged AS MATERIALIZED (
	SELECT id, women, youngest + floor((oldest - youngest + 1) * pg_temp.dice(id, 'year'))::int AS age
	FROM generate_series(1, 20000) AS id,
		LATERAL (SELECT * FROM age_band
			ORDER BY pg_temp.wait(id, 'age' || youngest, weight) LIMIT 1) AS band
), person AS MATERIALIZED (
	SELECT id, age, CASE
		WHEN pg_temp.dice(id, 'other') < .002 THEN 'other'
		WHEN pg_temp.dice(id, 'sex') < women THEN 'female'
		ELSE 'male' END AS sex
	FROM aged
)
INSERT INTO hospital
SELECT id, age, sex, postcode, admitted, profession, insurance, d.name,
	length_of_stay, discharged_to
FROM person,
	LATERAL (SELECT prefix || lpad(floor(districts * pg_temp.dice(id, 'district') ^ 2)::text, 2, '0') AS postcode
		FROM town ORDER BY pg_temp.wait(id, prefix, weight) LIMIT 1) AS p,
	LATERAL (SELECT * FROM diagnosis AS d
		ORDER BY pg_temp.wait(id, name, 1e-9 + weight * exp(-least(((age - peak) / spread) ^ 2, 100))
			* CASE sex WHEN 'female' THEN d.women WHEN 'male' THEN 1 - d.women ELSE 0.2 END) LIMIT 1) AS d,
	-- Weekends are quiet, and some diseases prefer the winter: of eight days
	-- drawn by lot, one is chosen by these weights.
	LATERAL (SELECT day AS admitted
		FROM generate_series(1, 8) AS lot,
			LATERAL (SELECT date '2022-01-01' + floor(1096 * pg_temp.dice(id, 'day' || lot))::int AS day) AS drawn
		ORDER BY pg_temp.wait(id, 'lot' || lot,
			CASE WHEN extract(isodow FROM day) > 5 THEN .45 ELSE 1 END
			* exp(winter * cos(2 * pi() * (extract(doy FROM day) - 20)::float8 / 365))) LIMIT 1) AS t,
	LATERAL (SELECT CASE WHEN pg_temp.dice(id, 'asked') < .96 THEN name END AS profession, kind
		FROM profession AS w
		WHERE age BETWEEN w.youngest AND w.oldest
		ORDER BY pg_temp.wait(id, name, weight
			* CASE sex WHEN 'female' THEN w.women WHEN 'male' THEN 1 - w.women ELSE .5 END) LIMIT 1) AS w,
	LATERAL (SELECT insurance FROM (VALUES
			('statutory', 87.0),
			('private', CASE WHEN profession IN ('civil servant', 'physician', 'lawyer', 'school teacher',
				'engineer', 'lecturer') THEN 80 WHEN age < 20 THEN 7 ELSE 9 END),
			('employer', CASE WHEN kind IN ('building', 'industry', 'crafts', 'land')
				AND d.name IN ('knee injury', 'concussion', 'fracture of the forearm') THEN 60 ELSE 0.1 END),
			('none', CASE WHEN profession = 'unemployed' THEN 6 ELSE 0.6 END)) AS i (insurance, weight)
		ORDER BY pg_temp.wait(id, insurance, weight) LIMIT 1) AS i,
	-- A stay varies around the usual one by a factor, the product of many
	-- small causes, and old patients recover slowly.
	LATERAL (SELECT least(120, greatest(1, round(days * (.8 + age / 250.0)
		* exp(1.1 * (pg_temp.dice(id, 'stay') + pg_temp.dice(id, 'heal')
			+ pg_temp.dice(id, 'luck') - 1.5)))))::int AS length_of_stay) AS l,
	LATERAL (SELECT place AS discharged_to FROM (VALUES
			('home', 1.0),
			('rehabilitation', CASE WHEN d.name ~ 'stroke|infarction|femur|osteoarthritis' THEN .9 ELSE .012 END),
			('nursing home', CASE WHEN age < 70 THEN .002 ELSE exp((age - 100) / 9.0) END
				* CASE WHEN d.name ~ 'dementia|stroke|femur|Parkinson' THEN 3 ELSE 1 END),
			('another hospital', .02),
			('died', danger * exp((age - 70) / 28.0))) AS o (place, weight)
		ORDER BY pg_temp.wait(id, place, weight) LIMIT 1) AS o
ORDER BY id;

ANALYZE hospital;
