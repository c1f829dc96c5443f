-- PBG-EA, Figure 2: the exact sets of the sums of k and GLM, and of the sums of k, of l and
-- GLM, as circles, and what the search finds at 916 nodes as crosses.  Data: Adult, 1 % suppressed; seed 1.
TRUNCATE drawn;
CALL evolve(1, 'adult_sensitive', '{sum_k,glm}', 'sum_k', 'glm');
CALL evolve(2, 'adult_sensitive', '{sum_k,sum_l,glm}', 'sum_k', 'glm');
CALL evolve(3, 'adult_sensitive', '{sum_k,sum_l,glm}', 'sum_k', 'sum_l');
SELECT drawing();
