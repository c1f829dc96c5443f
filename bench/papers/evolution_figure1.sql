-- PBG-EA, Figure 1, its first half: the points of the exact front of k and GLM, and which the
-- search finds, with boxes of the default size, 1 of each.  Data: Adult, 1 % suppressed; seed 1.
SELECT front_lines(NULL);
