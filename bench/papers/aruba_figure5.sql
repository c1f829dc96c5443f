-- ARUBA, Figure 5: which nodes of the printed lattice BTDA visits, for a utility of 18, in
-- their order.
SELECT line('printed', 'ours', 'best, printed', 'ours');
SELECT rule(4);
SELECT line('t s r p q o k l m g n h d i j e f b', visits, 'e', best) FROM walk_printed('btda');
