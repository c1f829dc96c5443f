-- ARUBA, Figure 6: which nodes of the printed lattice, that of Figure 5, BTDA and ARUBA
-- visit for a utility of 18.  BTDA has an order; ARUBA has none within a cube, and the
-- printed cubes are parted by commas.
SELECT line('walk', 'printed', 'ours', 'nodes, printed', 'ours', 'best, printed', 'ours');
SELECT rule(7);
SELECT line(upper(algorithm), printed, visits, nodes, array_length(string_to_array(visits, ' '), 1)::text, 'e', best)
FROM (VALUES ('btda', 't s r p q o k l m g n h d i j e f b', '18'), ('aruba', 'a c f j, e i n, b d h m', '11')) AS v (algorithm, printed, nodes),
	walk_printed(algorithm);
