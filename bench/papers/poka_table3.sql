-- POkA, Table 3: nodes measured by depth, with GLM, and what is found of the exact front with
-- k > 1; the last two columns are with repair => true.  Beside it what the paper's text and
-- captions say; the numbers in the body of its table are not at hand.  Data: Adult, eight
-- columns, 17,920 nodes; 1 % suppressed.
TRUNCATE approximated;
SELECT format('CALL approximate(''glm'', 1, %s, %L)', depth, options) FROM unnest('{1,2,3,6}'::int[]) AS depth, unnest('{"",", repair => true"}'::text[]) AS options \gexec
CREATE TABLE says (depth int, text text);
INSERT INTO says VALUES (1, 'a number of them missed'), (2, 'some misidentified'), (3, 'all identified'), (6, 'more than 60 % measured');
SELECT line('depth', 'the paper says', 'front, printed', 'ours', 'found of it', 'not on it', 'nodes measured', 'of the lattice', 'repaired: found', 'not on it');
SELECT rule(10);
SELECT line(depth::text, text, '45', a.front::text, a.hits::text, a.others::text, a.evaluated::text, round(100.0 * a.evaluated / a.nodes, 1) || ' %', b.hits::text, b.others::text)
FROM approximated AS a JOIN approximated AS b USING (depth) JOIN says USING (depth) WHERE (a.options, b.options) = ('', ', repair => true') ORDER BY depth;
