-- Comparing, Figure 1: class sizes person by person, of all three releases
SELECT line('person', 'T3a', 'T3b', 'T4');
SELECT rule(4);
SELECT line(nr::text, (of('T3a', 'class_size'))[nr]::text, (of('T3b', 'class_size'))[nr]::text, (of('T4', 'class_size'))[nr]::text) FROM generate_series(1, 10) AS nr;
