-- PBG-EA, a row of Table 2a: the points of the exact front of k and GLM, and which the search finds,
-- with boxes of 5 in k and 100 in GLM.  Data: Adult, 1 % suppressed; seed 1.
SELECT front_lines('{5,100}');
