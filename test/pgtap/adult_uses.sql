-- Which loss suits which use: the table of docs/measures.md.
\ir adult.inc
\if :unreadable
\quit
\endif

SELECT plan(3);
SET anonopt.composition = off;
SELECT format('ALTER TABLE adult.%1$s ADD PRIMARY KEY (%1$s)', c)
FROM unnest('{age,workclass,education,marital_status,race,sex,native_country}'::text[]) c \gexec
SELECT anonopt.create_dataset('uses', 'adult.people') \g /dev/null
SELECT anonopt.add_quasi_identifier('uses', c::name, ('adult.' || c)::regclass)
FROM unnest('{age,workclass,education,marital_status,race,sex,native_country}'::text[]) WITH ORDINALITY x (c, i) ORDER BY i \g /dev/null
SELECT anonopt.set_class_label('uses', 'salary_class') \g /dev/null

-- A release of the node that a loss prefers, and what it is good for.
CREATE FUNCTION pg_temp.uses(loss text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    node anonopt.node;
    used record;
BEGIN
    SELECT * INTO node FROM anonopt.optimize('uses', k => 10, loss => uses.loss);
    PERFORM anonopt.publish_table('adult.' || loss, 'uses', levels => node.levels, k => 10);
    SELECT max(after) FILTER (WHERE measure = 'accuracy') AS accuracy, max(after) FILTER (WHERE measure = 'auc') AS auc,
        max(value) FILTER (WHERE measure = 'range_query_error') AS counts
    INTO used FROM anonopt.utility('uses', ('adult.' || loss)::regclass, 300);
    RETURN format('%s %s %s %s %s %s', node.levels, round(node.nwp::numeric, 3), round(node.cm::numeric, 3), round(used.accuracy::numeric, 3),
                  round(used.auc::numeric, 3), round(used.counts::numeric, 1));
END $$;
SELECT is(pg_temp.uses('glm'), '{5,2,2,2,0,0,3} 0.358 0.213 0.793 0.811 3.1', 'by GLM');
SELECT is(pg_temp.uses('cm'), '{4,3,0,1,1,1,4} 0.645 0.183 0.820 0.860 6.3', 'by CM');
SELECT is(pg_temp.uses('dcn'), '{0,3,3,3,1,0,4} 0.715 0.249 0.751 0.759 5.4', 'by DCN');
SELECT * FROM finish();
ROLLBACK;
