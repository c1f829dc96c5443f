-- ARUBA, Figure 6: which nodes of the printed lattice ARUBA visits, for a utility of 18.
-- Within a cube it has no order: the printed cubes are parted by commas.
SELECT line('printed', 'ours', 'best, printed', 'ours');
SELECT rule(4);
SELECT line('a c f j, e i n, b d h m', visits, 'e', best) FROM walk_printed('aruba');
