/*
 * tuple_estimate.c
 *	  Whether nearly every row of a distributed relation is a tuple of its own.
 *
 * Then grouping the rows where they are stored only costs time, because as many
 * groups are transferred as there are rows.  The coordinator has no statistics
 * of a distributed relation, so a sample tells: among n rows drawn from d
 * equally frequent tuples, about n² / 2d pairs are equal.  Where frequencies
 * differ, or rows that are stored together are alike, more pairs are equal, so
 * that fewer tuples are estimated; rows are then grouped, which is never much
 * slower.
 */
#include "read/tuple_estimate.h"

#include "catalog/pg_type.h"
#include "catalog/sql.h"

#define SAMPLED_ROWS 20000

/* A number that a statement returns. */
static double
number_of(const char *statement, Oid relation, int column)
{
	bool		isnull;

	(void) sql_read_over(statement, list_make1_oid(relation), NULL, 0, NULL, NULL);
	return (double) DatumGetInt64(sql_value(column, INT8OID, &isnull));
}

bool
rows_are_tuples(const char *rows, Oid relation, const char *names)
{
	StringInfoData sql;
	double		sampled;
	double		groups;
	bool		found;
	bool		isnull;

	sql_connect();
	initStringInfo(&sql);
	appendStringInfo(&sql, "WITH sampled (%s, n) AS MATERIALIZED (%s LIMIT %d) SELECT (SELECT pg_catalog.count(*) FROM sampled),"
					 " (SELECT pg_catalog.count(*) FROM (SELECT FROM sampled GROUP BY %s) g)", names, rows, SAMPLED_ROWS, names);
	sampled = number_of(sql.data, relation, 1);
	groups = (double) DatumGetInt64(sql_value(2, INT8OID, &isnull));
	found = sampled >= SAMPLED_ROWS &&
		(groups == sampled || number_of(psprintf("SELECT pg_catalog.count(*) FROM %s", relation_sql_name(relation)), relation, 1) <= sampled * sampled / 2 / (sampled - groups));
	sql_finish();
	return found;
}
