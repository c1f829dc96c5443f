-- PBG-EA, Figure 1: the exact sets of k and GLM, and of k, l and GLM, as circles, and what the
-- search finds at 916 nodes as crosses.  Data: Adult, 1 % suppressed; seed 1.
TRUNCATE drawn;
CALL evolve(1, 'adult_sensitive', '{k,glm}', 'k', 'glm');
CALL evolve(2, 'adult_sensitive', '{k,l,glm}', 'k', 'glm');
CALL evolve(3, 'adult_sensitive', '{k,l,glm}', 'k', 'l');
SELECT drawing();
