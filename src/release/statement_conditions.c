/*
 * statement_conditions.c
 *	  Conditions on the values of a column, in SQL.
 *
 * They use the tables that statement_distance.c builds, with one row per class
 * and value, and the numbers of people in the class and in all who have it.
 * Divisions are done as in the engine, so that both agree.
 */
#include "release/statement_parts.h"

#include "common/shortest_dec.h"

/* Computed entropies of equally frequent values are this close to a logarithm. */
#define ENTROPY_ROUNDING "1e-12"

char *
number_sql(double number)
{
	char text[	DOUBLE_SHORTEST_DECIMAL_LEN];

	double_to_shortest_decimal_buf(number, text);
	return psprintf("'%s'::pg_catalog.float8", text);
}

static void
append_few_values(StringInfo sql, const char *table, double l)
{
	appendStringInfo(sql, "SELECT d.class FROM %s d WHERE d.own OPERATOR(pg_catalog.>) 0 GROUP BY d.class"
					 " HAVING pg_catalog.count(*)::pg_catalog.float8 OPERATOR(pg_catalog.>=) %s", table, number_sql(l));
}

static void
append_entropy(StringInfo sql, const char *table, double l)
{
	appendStringInfo(sql, "SELECT d.class FROM %s d WHERE d.own OPERATOR(pg_catalog.>) 0 GROUP BY d.class, d.people"
					 " HAVING pg_catalog.sum(d.own::pg_catalog.float8 OPERATOR(pg_catalog.*)"
					 " (pg_catalog.ln(d.people::pg_catalog.float8) OPERATOR(pg_catalog.-) pg_catalog.ln(d.own::pg_catalog.float8)) ORDER BY d.number)"
					 " OPERATOR(pg_catalog./) d.people::pg_catalog.float8 OPERATOR(pg_catalog.>=)"
					 " (pg_catalog.ln(%s) OPERATOR(pg_catalog.-) " ENTROPY_ROUNDING "::pg_catalog.float8)", table, number_sql(l));
}

static void
append_recursive(StringInfo sql, const char *table, const Condition *condition)
{
	appendStringInfo(sql, "SELECT d.class FROM (SELECT e.class, e.own, pg_catalog.row_number() OVER"
					 " (PARTITION BY e.class ORDER BY e.own DESC) AS rank FROM %s e) d GROUP BY d.class"
					 " HAVING pg_catalog.max(d.own)::pg_catalog.float8 OPERATOR(pg_catalog.<) (%s OPERATOR(pg_catalog.*)"
					 " COALESCE(pg_catalog.sum(d.own) FILTER (WHERE d.rank OPERATOR(pg_catalog.>=) %.0f), 0)::pg_catalog.float8)",
					 table, number_sql(condition->c), condition->threshold);
}

static void
append_alpha(StringInfo sql, const char *table, double alpha)
{
	appendStringInfo(sql, "SELECT d.class FROM %s d GROUP BY d.class, d.people"
					 " HAVING pg_catalog.max(d.own)::pg_catalog.float8 OPERATOR(pg_catalog./) d.people::pg_catalog.float8"
					 " OPERATOR(pg_catalog.<=) %s", table, number_sql(alpha));
}

static void
append_beta(StringInfo sql, const char *table, double beta)
{
	appendStringInfo(sql, "SELECT d.class FROM %s d GROUP BY d.class"
					 " HAVING pg_catalog.bool_and(d.difference OPERATOR(pg_catalog.<=) 0 OR d.difference::pg_catalog.float8"
					 " OPERATOR(pg_catalog./) (d.everyone::pg_catalog.numeric OPERATOR(pg_catalog.*) d.people)::pg_catalog.float8"
					 " OPERATOR(pg_catalog.<=) LEAST(%s, OPERATOR(pg_catalog.-) pg_catalog.ln(d.everyone::pg_catalog.float8"
					 " OPERATOR(pg_catalog./) d.all_people::pg_catalog.float8)))", table, number_sql(beta));
}

static void
append_disclosure(StringInfo sql, const char *table, const Condition *condition)
{
	appendStringInfo(sql, "SELECT d.class FROM %s d GROUP BY d.class"
					 " HAVING pg_catalog.bool_and(CASE WHEN d.own OPERATOR(pg_catalog.=) 0 THEN %s ELSE"
					 " pg_catalog.abs(pg_catalog.ln((d.own::pg_catalog.numeric OPERATOR(pg_catalog.*) d.all_people)::pg_catalog.float8"
					 " OPERATOR(pg_catalog./) (d.everyone::pg_catalog.numeric OPERATOR(pg_catalog.*) d.people)::pg_catalog.float8))"
					 " OPERATOR(pg_catalog.<) %s END)", table, condition->c == 0 ? "true" : "false", number_sql(condition->threshold));
}

/* The classes in a table of differences that keep a condition. */
static void
append_keeping(StringInfo sql, const Specification *spec, int sensitive, const char *tables, const Condition *condition)
{
	const char *table = psprintf("%s%d", tables, sensitive + 1);

	switch (condition->model)
	{
		case MODEL_L:
			append_few_values(sql, table, condition->threshold);
			break;
		case MODEL_ENTROPY_L:
			append_entropy(sql, table, condition->threshold);
			break;
		case MODEL_RECURSIVE_L:
			append_recursive(sql, table, condition);
			break;
		case MODEL_T:
			append_within(sql, spec, sensitive, tables, condition->threshold);
			break;
		case MODEL_ALPHA:
			append_alpha(sql, table, condition->threshold);
			break;
		case MODEL_BETA:
			append_beta(sql, table, condition->threshold);
			break;
		case MODEL_DISCLOSURE:
			append_disclosure(sql, table, condition);
			break;
		default:
			elog(ERROR, "no such condition");
	}
}

void
append_conditions(StringInfo sql, const Specification *spec, int sensitive)
{
	const Histograms *column = spec->population->columns[sensitive];

	for (int i = 0; i < column->nconditions; i++)
	{
		appendStringInfoString(sql, " AND EXISTS (SELECT FROM (");
		append_keeping(sql, spec, sensitive, "anonopt_differences", &column->conditions[i]);
		appendStringInfo(sql, ") x WHERE x.class OPERATOR(pg_catalog.=) s.%s)", own_name(spec, "class"));
	}
}

void
append_hidden_conditions(StringInfo sql, const Specification *spec, int sensitive)
{
	const Histograms *column = spec->population->columns[sensitive];

	for (int i = 0; i < column->nconditions; i++)
	{
		appendStringInfoString(sql, " AND EXISTS (SELECT FROM (");
		append_keeping(sql, spec, sensitive, "anonopt_hidden", &column->conditions[i]);
		appendStringInfoString(sql, ") x WHERE x.class)");
	}
}
