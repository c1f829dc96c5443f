/*
 * read_plan.c
 *	  How a relation is read: by our aggregate, or grouped where its rows are
 *	  stored.
 *
 * Our aggregate runs where the extension is installed, so all rows of foreign
 * tables would be transferred to it.  Instead, an ordinary statement groups
 * them, which their own server can run, and only distinct tuples are
 * transferred.  For a partitioned table the planner does not push grouping
 * down to foreign partitions; so each leaf partition is grouped separately,
 * and their counts are added up:
 *
 *		SELECT … FROM (SELECT c1, …, sum(n) FROM (
 *			SELECT r.a AS c1, …, count(*) AS n FROM leaf r GROUP BY …
 *			UNION ALL …) u GROUP BY c1, …) g
 *
 * If nearly every row of a distributed relation is a tuple of its own, its rows
 * are not grouped at all; see row_sample.c.
 *
 * Values are transferred unchanged and encoded here.  Only if leaves are
 * ranges is a bucket number transferred instead, because there are fewer.
 *
 * If there is a tuple store, it is read instead of the relation.
 */
#include "read/reading.h"

#include "catalog/own_objects.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "catalog/trusted_code.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

typedef enum ReadMode
{
	READ_AUTO,
	READ_AGGREGATE,
	READ_GROUP_BY,
	READ_STORE
} ReadMode;

static const struct config_enum_entry read_modes[] = {
	{"auto", READ_AUTO, false},
	{"aggregate", READ_AGGREGATE, false},
	{"group_by", READ_GROUP_BY, false},
	{"store", READ_STORE, false},
	{NULL, 0, false}
};

static int	read_mode = READ_AUTO;

void
read_plan_define_settings(void)
{
	DefineCustomEnumVariable("anonopt.read_mode",
							 "Sets how a relation is read.",
							 "aggregate encodes rows locally, group_by groups them where they are stored, store reads a tuple store even if it is not current,"
							 " auto chooses a current store, and group_by for rows stored elsewhere.",
							 &read_mode, READ_AUTO, read_modes, PGC_USERSET, 0, NULL, NULL, NULL);
}

Oid *
reading_types(const Reading *reading)
{
	Oid		   *types = palloc(sizeof(Oid) * (reading->ncolumns + 1));

	for (int i = 0; i < reading->ncolumns; i++)
		types[i] = reading->columns[i].buckets != NULL ? INT4OID : reading->set.encoders[i].type.type;
	types[reading->ncolumns] = INT8OID;
	return types;
}

/*
 * Buckets of a column whose leaves are ranges that thresholds can separate;
 * NULL for others.
 */
static Buckets *
make_buckets(const Reading *reading, int column)
{
	const ReadColumn *read = &reading->columns[column];
	Buckets    *buckets;
	Oid			type;
	StringInfoData array;
	char	  **thresholds;
	bool		closed;
	bool		found;
	int			level;

	/* the sensitive value itself is needed as well */
	if (read->loaded == NULL || read->values_column != column)
		return NULL;
	buckets = palloc0(sizeof(Buckets));

	/*
	 * values must print so that the other server reads back the same,
	 * whatever its settings
	 */
	level = NewGUCNestLevel();
	sql_set("datestyle", "ISO, MDY");
	sql_set("extra_float_digits", "3");
	sql_set("timezone", "UTC");
	found = encoder_thresholds(&reading->set.encoders[column], &type, &buckets->n, &buckets->names, &buckets->codes,
							   &closed);
	thresholds = buckets->names;
	if (found && !closed && read->type == TIMESTAMPTZOID && type != TIMESTAMPTZOID && reading->dataset->timezone != NULL)
		buckets->as_stored = place_moments(buckets, reading->dataset->timezone, &thresholds);
	AtEOXact_GUC(false, level);
	if (!found || !type_input_is_safe(type))
		return NULL;
	if (buckets->as_stored)
		type = TIMESTAMPTZOID;
	initStringInfo(&array);
	appendStringInfoString(&array, "ARRAY[");
	for (int i = 0; i < buckets->n; i++)
		appendStringInfo(&array, "%s%s", i > 0 ? ", " : "", quote_literal_cstr(thresholds[i]));
	appendStringInfo(&array, "]::%s[]", format_type_be_qualified(type));
	buckets->thresholds = array.data;
	if (closed)
		buckets->last = psprintf("%s::%s", quote_literal_cstr(buckets->names[buckets->n - 1]), format_type_be_qualified(type));
	return buckets;
}

/* What a column is grouped by. */
static char *
grouped_by(const Reading *reading, int i, const char *alias)
{
	const ReadColumn *column = &reading->columns[i];
	const Buckets *buckets = reading->columns[i].buckets;
	char	   *name = psprintf("%s.%s", alias, reading_column_name(reading, i));
	bool		is_foreign = reading->leaves != NIL || get_rel_relkind(reading->dataset->relation) == RELKIND_FOREIGN_TABLE;
	char	   *value;

	if (buckets == NULL && column->by_bytes)
		return psprintf("(%s COLLATE pg_catalog.\"C\")", name);
	if (buckets == NULL)
		return is_foreign ? text_of_foreign(column->type, name) : name;
	value = sql_as(buckets->as_stored ? "%v" : column->form, name);
	/* a value equal to the inclusive upper end belongs to the last range */
	if (buckets->last != NULL)
		return psprintf("(pg_catalog.width_bucket(%s, %s) OPERATOR(pg_catalog.-) (%s OPERATOR(pg_catalog.=) %s)::pg_catalog.int4)",
						value, buckets->thresholds, value, buckets->last);
	return psprintf("pg_catalog.width_bucket(%s, %s)", value, buckets->thresholds);
}

/* The value of a group as it is returned. */
static char *
handed_on(const Reading *reading, int i, const char *grouped)
{
	return sql_as(reading->columns[i].buckets != NULL ? "%v" : reading->columns[i].form, grouped);
}

/*
 * The grouped rows of one relation, under its own name, which errors mention.
 * Columns are cast here or, if hand_on is false, by a statement around this one.
 */
static void
append_grouping(StringInfo sql, const Reading *reading, Oid relation, bool hand_on)
{
	const char *alias = quote_identifier(get_rel_name(relation));

	appendStringInfoString(sql, "SELECT ");
	for (int i = 0; i < reading->ncolumns; i++)
	{
		char	   *grouped = grouped_by(reading, i, alias);

		if (hand_on)
			appendStringInfo(sql, "%s, ", handed_on(reading, i, grouped));
		else
			appendStringInfo(sql, "%s AS c%d, ", grouped, i + 1);
	}
	/* a table with children has rows of its own */
	appendStringInfo(sql, "%s AS n FROM %s%s GROUP BY ", group_count_sql(reading->dataset, alias),
					 reading->leaves != NIL && has_subclass(relation) ? "ONLY " : "", relation_sql_name(relation));
	for (int i = 0; i < reading->ncolumns; i++)
		appendStringInfo(sql, "%s%s", i > 0 ? ", " : "", grouped_by(reading, i, alias));
}

/* The names of grouped columns. */
static char *
numbered_columns(const Reading *reading, const char *prefix)
{
	StringInfoData names;

	initStringInfo(&names);
	for (int i = 1; i <= reading->ncolumns; i++)
		appendStringInfo(&names, "%s%sc%d", i > 1 ? ", " : "", prefix, i);
	return names.data;
}

/*
 * Foreign servers only compute the groups, and casts are done here.  For other
 * relations there is no subquery, because Citus would write its rows to a file
 * and read them again.
 */
static char *
grouped_statement(const Reading *reading)
{
	Oid			relation = reading->dataset->relation;
	StringInfoData sql;

	initStringInfo(&sql);
	if (reading->leaves == NIL && get_rel_relkind(relation) != RELKIND_FOREIGN_TABLE)
	{
		append_grouping(&sql, reading, relation, true);
		return sql.data;
	}
	appendStringInfoString(&sql, "SELECT ");
	for (int i = 0; i < reading->ncolumns; i++)
		appendStringInfo(&sql, "%s, ", handed_on(reading, i, psprintf("g.c%d", i + 1)));
	appendStringInfoString(&sql, "g.n FROM (\n");
	if (reading->leaves == NIL)
		append_grouping(&sql, reading, relation, false);
	else
	{
		/* the groups of all leaf partitions, added up */
		char	   *columns = numbered_columns(reading, "u.");
		ListCell   *cell;

		appendStringInfo(&sql, "SELECT %s, pg_catalog.sum(u.n)::pg_catalog.int8 AS n FROM (\n", columns);
		foreach(cell, reading->leaves)
		{
			appendStringInfoString(&sql, cell == list_head(reading->leaves) ? "\t" : "\n\tUNION ALL\n\t");
			append_grouping(&sql, reading, lfirst_oid(cell), false);
		}
		appendStringInfo(&sql, "\n) u GROUP BY %s", columns);
	}
	appendStringInfoString(&sql, "\n) g");
	return sql.data;
}

/* The rows themselves, to be counted here. */
static char *
bare_statement(const Reading *reading)
{
	Oid			relation = reading->dataset->relation;
	const char *alias = quote_identifier(get_rel_name(relation));
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (int i = 0; i < reading->ncolumns; i++)
		appendStringInfo(&sql, "%s, ", handed_on(reading, i, grouped_by(reading, i, alias)));
	appendStringInfo(&sql, "1::pg_catalog.int8 AS n FROM %s", relation_sql_name(relation));
	return sql.data;
}

/* The statement with our aggregate, over the relation or a store's rows. */
static char *
aggregate_statement(const Reading *reading)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT %s.tuples($1", own_schema_name());
	append_read_columns(reading, &sql);
	if (reading->store == NULL)
		appendStringInfo(&sql, ") FROM %s r", relation_sql_name(reading->dataset->relation));
	else
		appendStringInfo(&sql, ", r.%s) FROM %s", store_count_name(reading->store->store), store_source(reading->store));
	return sql.data;
}

void
plan_store_statement(Reading *reading)
{
	store_read_scan(reading->store);
	reading->places = NULL;
	reading->statement = aggregate_statement(reading);
}

/*
 * Whether to group rows where they are stored, and in which leaf partitions,
 * if the parent cannot.
 */
static bool
choose_grouping(Reading *reading)
{
	Oid			relation = reading->dataset->relation;
	bool		elsewhere = foreign_leaves(relation) != NIL;
	List	   *columns = NIL;

	if (read_mode == READ_AGGREGATE)
		return is_distributed(relation);
	/* adding up partitions' sums would hide bad values */
	if (reading->dataset->count_column != NULL && elsewhere)
		return false;
	if (read_mode != READ_GROUP_BY && !elsewhere && !is_distributed(relation))
		return false;
	if (!elsewhere || get_rel_relkind(relation) == RELKIND_FOREIGN_TABLE)
		return true;
	/* reading partitions must not bypass a protection of the parent */
	for (int i = 0; i < reading->ncolumns; i++)
		columns = lappend(columns, reading->columns[i].declared->column);
	reading->leaves = readable_leaves(relation, columns);
	if (reading->leaves != NIL)
		return true;
	ereport(NOTICE,
			(errmsg("partitions of %s are read through it, row by row", relation_sql_name(relation)),
			 errdetail("Row security applies to it or to a partition, or you may not select from every partition.")));
	return false;
}

/*
 * The positions of all columns in a store's table if none needs a cast;
 * otherwise NULL.
 */
static int *
places_in_store(const Reading *reading, const StoreRead *store)
{
	int		   *places = palloc(sizeof(int) * (reading->ncolumns + 1));

	for (int i = 0; i < reading->ncolumns; i++)
	{
		const ReadColumn *column = &reading->columns[i];
		Oid			type;

		places[i] = store_read_place(store, column->declared->column, &type);
		if (places[i] < 0)
			return NULL;
		/* a varchar needs no cast to text */
		if (strcmp(column->form, "%v") != 0 &&
			!(strcmp(column->form, text_form(TEXTOID)) == 0 && (type == TEXTOID || type == VARCHAROID)))
			return NULL;
	}
	return places;
}

/*
 * Whether the rows of a distributed relation are read as they are: our aggregate
 * is not where they are.  A view could take as long for its first rows as for
 * all, and is read once.
 */
static bool
is_read_bare(const Reading *reading)
{
	Oid			relation = reading->dataset->relation;

	if (read_mode == READ_GROUP_BY || reading->leaves != NIL || reading->dataset->count_column != NULL || !is_distributed(relation))
		return false;
	return read_mode == READ_AGGREGATE ||
		(get_rel_relkind(relation) != RELKIND_VIEW && !grouping_pays_off(reading, bare_statement(reading), reading_types(reading)));
}

void
plan_read(Reading *reading)
{
	/* a store counts equal rows but does not know whose they are */
	if (reading->may_use_store && reading->person == NULL && (read_mode == READ_AUTO || read_mode == READ_STORE))
		reading->store = store_to_read(reading->dataset, reading->relation, read_mode == READ_STORE);
	if (reading->store != NULL)
	{
		reading->places = places_in_store(reading, reading->store);
		if (reading->places == NULL)
			plan_store_statement(reading);
		return;
	}
	reading->grouped = choose_grouping(reading);
	require_exact_values(reading);
	for (int i = 0; i < reading->ncolumns && reading->grouped; i++)
		reading->columns[i].buckets = make_buckets(reading, i);
	reading->statement = !reading->grouped ? aggregate_statement(reading) :
		is_read_bare(reading) ? bare_statement(reading) : grouped_statement(reading);
}
