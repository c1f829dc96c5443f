/*
 * matched_sizes.c
 *	  The sizes of a relation's classes beside those of the same classes in
 *	  another relation.
 *
 * A single statement groups both relations, and adds up their counts for each
 * combination of values.
 */
#include "read/population_read.h"

#include "catalog/pg_type.h"
#include "catalog/relations.h"
#include "catalog/sql.h"
#include "catalog/type_match.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* A column of both relations, and the form in which its values are compared. */
typedef struct ComparedColumn
{
	const char *own_form;
	const char *their_form;
	bool		is_text;
} ComparedColumn;

static ComparedColumn
compare_column(Oid relation, Oid population, const char *column)
{
	ComparedColumn compared = {0};
	Oid			own = column_type(relation, column);
	Oid			theirs = column_type(population, column);
	TypeMatch	match;

	if (!OidIsValid(theirs))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of relation %s does not exist", column, relation_sql_name(population)),
				 errhint("A population must have the columns of the relation, under the same names.")));
	if (!match_types(getBaseType(theirs), getBaseType(own), &match) ||
		(type_is_range(getBaseType(own)) && getBaseType(own) != getBaseType(theirs)))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" has type %s in %s and %s in %s", column, format_type_be(own), relation_sql_name(relation),
						format_type_be(theirs), relation_sql_name(population)),
				 errhint("Declare a view of the population that casts it.")));
	compared.own_form = match.leaf_form;
	compared.their_form = match.data_form;
	compared.is_text = match.data_type == TEXTOID;
	return compared;
}

void
require_comparable(Oid relation, Oid population, const char *column)
{
	(void) compare_column(relation, population, column);
}

/* The number of people in a relation with each combination of values. */
static void
append_sizes(StringInfo sql, Oid relation, const Dataset *dataset, const ComparedColumn *columns, bool own, const char *person)
{
	appendStringInfoString(sql, "SELECT ");
	for (int i = 0; i < dataset->nattributes; i++)
	{
		const char *name = dataset->attributes[i].column;
		const char *value = psprintf("r.%s", quote_identifier(name));

		if (columns[i].is_text)
			appendStringInfo(sql, "%s COLLATE pg_catalog.\"C\" AS c%d, ", column_text(relation, column_type(relation, name), value), i + 1);
		else
			appendStringInfo(sql, "%s AS c%d, ", sql_as(own ? columns[i].own_form : columns[i].their_form, value), i + 1);
	}
	appendStringInfo(sql, "%s AS own, %s AS theirs FROM %s r GROUP BY ", own ? person : "0::pg_catalog.int8",
					 own ? "0::pg_catalog.int8" : person, relation_sql_name(relation));
	for (int i = 0; i < dataset->nattributes; i++)
		appendStringInfo(sql, "%s%d", i > 0 ? ", " : "", i + 1);
}

/*
 * The expression that counts people in a group: different ones, if there is a
 * person column.
 */
static char *
people_sql(Oid relation, const char *person)
{
	Oid			type = person != NULL ? column_type(relation, person) : InvalidOid;
	char	   *value;

	if (!OidIsValid(type))
		return pstrdup("pg_catalog.count(*)");
	value = psprintf("r.%s%s", quote_identifier(person), OidIsValid(get_typcollation(type)) ? " COLLATE pg_catalog.\"C\"" : "");
	return psprintf("pg_catalog.count(DISTINCT %s) OPERATOR(pg_catalog.+) pg_catalog.max(CASE WHEN r.%s IS NULL THEN 1 ELSE 0 END)",
					value, quote_identifier(person));
}

QueryRows *
read_matched_sizes(const Dataset *dataset, Oid population)
{
	ComparedColumn *columns = palloc(sizeof(ComparedColumn) * (dataset->nattributes + 1));
	Oid			types[3] = {INT8OID, INT8OID, INT8OID};
	StringInfoData sql;

	for (int i = 0; i < dataset->nattributes; i++)
		columns[i] = compare_column(dataset->relation, population, dataset->attributes[i].column);
	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT s.own, s.theirs, pg_catalog.count(*) FROM (SELECT pg_catalog.sum(u.own)::pg_catalog.int8 AS own,"
						   " pg_catalog.sum(u.theirs)::pg_catalog.int8 AS theirs FROM (\n\t");
	append_sizes(&sql, dataset->relation, dataset, columns, true, people_sql(dataset->relation, dataset->person));
	appendStringInfoString(&sql, "\n\tUNION ALL\n\t");
	append_sizes(&sql, population, dataset, columns, false, people_sql(population, dataset->person));
	appendStringInfoString(&sql, "\n) u GROUP BY ");
	for (int i = 0; i < dataset->nattributes; i++)
		appendStringInfo(&sql, "%su.c%d", i > 0 ? ", " : "", i + 1);
	appendStringInfoString(&sql, ") s GROUP BY s.own, s.theirs ORDER BY s.theirs, s.own");
	return rows_of_query(sql.data, list_make2_oid(dataset->relation, population), NULL, NULL, 3, types);
}
