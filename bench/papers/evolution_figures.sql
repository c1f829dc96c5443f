-- PBG-EA, what Figures 1 to 3 draw, in numbers: the points of the exact set of each figure's
-- objectives, how many of them the search finds, and how many others it returns, at 916 nodes.
-- Data: Adult, 1 % suppressed, with CM seven columns; seed 1.
TRUNCATE drawn;
CALL declare_adult('figured', 'adult', 7);
SELECT FROM anonopt.set_class_label('figured', 'salary_class');
CALL evolve(1, 'adult_sensitive', '{k,glm}', 'k', 'glm');
CALL evolve(2, 'adult_sensitive', '{k,l,glm}', 'k', 'glm');
CALL evolve(3, 'adult_sensitive', '{sum_k,glm}', 'sum_k', 'glm');
CALL evolve(4, 'adult_sensitive', '{sum_k,sum_l,glm}', 'sum_k', 'glm');
CALL evolve(5, 'figured', '{k,glm,cm}', 'k', 'glm');
SELECT anonopt.drop_dataset('figured') \g /dev/null
SELECT line('figure', 'objectives', 'points of the exact set', 'found', 'others returned');
SELECT rule(5);
SELECT line((ARRAY['1, left', '1, right', '2', '2', '3'])[panel], split_part(title, ':', 1), count(*) FILTER (WHERE exact) || '', count(*) FILTER (WHERE exact AND found) || '',
	count(*) FILTER (WHERE NOT exact) || '') FROM drawn GROUP BY panel, title ORDER BY panel;
