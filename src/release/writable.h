/*
 * writable.h
 *	  Relations through which others are written.
 *
 * Rows of a table also change when somebody writes a parent or a partitioned
 * table, a view, or a table that a foreign key refers to with CASCADE, SET NULL
 * or SET DEFAULT.  Adding rows to a referenced table changes nothing.
 */
#ifndef ANONOPT_WRITABLE_H
#define ANONOPT_WRITABLE_H

/*
 * The beginning of a query: writable (w, adds) are the relations through which
 * those of an array of OIDs can be written, and whether by INSERT.
 */
#define WRITABLE_CLOSURE(relations) \
	"WITH RECURSIVE writable (w, adds) AS (SELECT g, true FROM pg_catalog.unnest(" relations ") g" \
	" UNION SELECT x.relation, v.adds AND x.adds FROM writable v CROSS JOIN LATERAL (" \
	"SELECT e.ev_class, true FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_rewrite e ON e.oid OPERATOR(pg_catalog.=) d.objid" \
	" JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) e.ev_class AND c.relkind OPERATOR(pg_catalog.<>) 'm'" \
	" WHERE d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjid OPERATOR(pg_catalog.=) v.w" \
	" AND d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::pg_catalog.regclass" \
	" UNION ALL SELECT i.inhparent, true FROM pg_catalog.pg_inherits i WHERE i.inhrelid OPERATOR(pg_catalog.=) v.w" \
	" UNION ALL SELECT f.confrelid, false FROM pg_catalog.pg_constraint f WHERE f.contype OPERATOR(pg_catalog.=) 'f'" \
	" AND f.conrelid OPERATOR(pg_catalog.=) v.w AND (f.confupdtype OPERATOR(pg_catalog.=) ANY ('{c,n,d}'::pg_catalog.\"char\"[])" \
	" OR f.confdeltype OPERATOR(pg_catalog.=) ANY ('{c,n,d}'::pg_catalog.\"char\"[]))) x (relation, adds))"

/* Whether a role may change rows of a relation among them. */
#define MAY_WRITE(role) \
	"(pg_catalog.has_any_column_privilege(" role ", w, 'UPDATE') OR pg_catalog.has_table_privilege(" role ", w, 'DELETE, TRUNCATE')" \
	" OR (adds AND pg_catalog.has_any_column_privilege(" role ", w, 'INSERT')))"

#endif
