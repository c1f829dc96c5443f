-- PBG-EA, Figure 3: the exact set of k, GLM and CM as circles, and what the search finds at 916
-- nodes as crosses.  Data: Adult, 1 % suppressed, seven columns; seed 1.
TRUNCATE drawn;
CALL declare_adult('figured', 'adult', 7);
SELECT FROM anonopt.set_class_label('figured', 'salary_class');
CALL evolve(1, 'figured', '{k,glm,cm}', 'k', 'glm');
CALL evolve(2, 'figured', '{k,glm,cm}', 'k', 'cm');
CALL evolve(3, 'figured', '{k,glm,cm}', 'glm', 'cm');
SELECT anonopt.drop_dataset('figured') \g /dev/null
SELECT drawing();
