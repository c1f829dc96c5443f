-- What a dump of example.sql answers, now and in every later version: questions name
-- the columns that they have now, because later ones may add some.
CREATE TABLE answer (question text PRIMARY KEY, answer text);
CREATE FUNCTION answer_to(question text) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		answer text;
	BEGIN
		EXECUTE format('SELECT string_agg(x::text, %L ORDER BY x::text COLLATE "C") FROM (%s) x', E'\n', question) INTO answer;
		RETURN answer;
	END $$;
INSERT INTO answer (question)
SELECT format('SELECT levels, k, l, round(t::numeric, 9), suppressed, classes, round(glm::numeric, 9), round(nwp::numeric, 9), dcn, round(cm::numeric, 9), round(necd::numeric, 9),'
	' sum_k, feasible FROM anonopt.lattice(%L)', dataset) FROM unnest('{people,counted,some,promised}'::text[]) dataset
UNION ALL
SELECT format('SELECT column_name, role, hierarchy, levels, domain, observed, nulls, weight FROM anonopt.describe(%L)', dataset) FROM unnest('{people,counted,some,promised}'::text[]) dataset
UNION ALL
SELECT format('SELECT promised_k, k, promised_l, l, rows, ok, round(promised_t::numeric, 9), round(t::numeric, 9) FROM anonopt.verify(%L)', release)
FROM unnest('{seen,shown,starred,live,records,recoded_seen,recoded_shown,recoded_live,pseudonymous}'::text[]) release
UNION ALL
SELECT format('SELECT * FROM %I', relation) FROM unnest('{people,ages,zips,classes,shown,starred,live,records,recoded_shown,recoded_live,pseudonymous}'::text[]) relation
UNION ALL
VALUES ('SELECT dataset, relation, max_suppression, owner, person, count_column FROM anonopt.dataset'),
	('SELECT dataset, column_name, role, hierarchy, weight, min_level, max_level, distance, sensitivity FROM anonopt.attribute'),
	('SELECT dataset, model, column_name, threshold, c, population FROM anonopt.promise'),
	('SELECT release, dataset, levels, cuts, k, l, t, published_by, published_at, dropped FROM anonopt.release'),
	('SELECT releases, k, smallest FROM anonopt.release_risk(''people'')'),
	('SELECT model, column_name, threshold, attainable, round(least_suppression::numeric, 9) FROM anonopt.policy_check(''promised'')'),
	('SELECT levels, k, round(nwp::numeric, 9) FROM anonopt.pareto(''people'', ''{k,nwp}'')'),
	('SELECT levels, k, round(glm::numeric, 9) FROM anonopt.optimize(''promised'', k => 5)'),
	('SELECT record, levels, round(risk::numeric, 9), round(utility::numeric, 9) FROM anonopt.aruba(''people'', 2, key => ''nr'')'),
	('SELECT k, l, suppressed, classes, round(glm::numeric, 9) FROM anonopt.evaluate_recoding(''some'', ''classes'', k => 3)'),
	('SELECT class, shown, people, tuples, round(loss::numeric, 9) FROM anonopt.recoding_classes(''some'', ''classes'')'),
	('SELECT record, value FROM anonopt.property_vector(''people'', ''{1,1}'', ''others_count'', ''nr'')'),
	('SELECT anonopt.generalize(''17''::text, ''ages'', 1) AS label');
UPDATE answer SET answer = answer_to(question);
