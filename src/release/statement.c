/*
 * statement.c
 *	  Builds the statement that generalizes a relation and keeps a promise.
 *
 * It joins the hierarchy tables, because a view's tables are read with its
 * owner's rights, and qualifies all names, because its readers have their own
 * search_path.  Nothing in it fails because of the data: a value without a
 * leaf suppresses its row.
 *
 * Window functions over a single sort count the classes; this is also the
 * order in which a snapshot is written.  A live view counts them after rows
 * that look alike have been merged.  Different people and different values are
 * counted by ranking them; NULL counts as one.
 */
#include "release/statement_parts.h"

#include "access/htup_details.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "read/hierarchy_read.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

/* Names of our own that differ from all shown columns. */
const char *
own_name(const Specification *spec, const char *wanted)
{
	char	   *name = psprintf("anonopt_%s", wanted);

	for (int i = 0; i < spec->ncolumns; i++)
		if (strcmp(spec->columns[i].name, name) == 0)
		{
			name = psprintf("%s_", name);
			i = -1;
		}
	return quote_identifier(name);
}

/* The same, one per sensitive column. */
const char *
own_name_of(const Specification *spec, const char *wanted, int sensitive)
{
	return own_name(spec, psprintf("%s%d", wanted, sensitive + 1));
}

/* Whether a promise is about sensitive values. */
static bool
needs_values(const Specification *spec)
{
	return spec->promise.has_l || by_shares(spec);
}

/*
 * Whether class sizes count different people.  Even if nobody has two rows
 * now, somebody may when a view is read later.
 */
static bool
counts_people(const Specification *spec)
{
	return spec->dataset->person != NULL;
}

/*
 * A column's value under another name, in the form in which it is compared:
 * texts by their bytes.
 */
static void
append_told_apart(StringInfo sql, const Specification *spec, const char *column, const char *value)
{
	Oid			type = column_type(spec->dataset->relation, column);
	TypeMatch	match;
	bool		is_text = match_types(type, TEXTOID, &match) && !type_is_enum(type);

	appendStringInfoString(sql, sql_as(is_text ? match.data_form : "%v", value));
	if (is_text)
		appendStringInfoString(sql, " COLLATE pg_catalog.\"C\"");
}

void
append_value(StringInfo sql, const Specification *spec, const char *alias, int sensitive)
{
	const char *column = spec->population->columns[sensitive]->name;

	append_told_apart(sql, spec, column, psprintf("%s.%s", alias, spec->alike ? quote_identifier(column) :
												  own_name_of(spec, "value", sensitive)));
}

/* Ranks the people among the rows of a partition. */
static void
append_person_rank(StringInfo sql, const Specification *spec, const char *alias)
{
	appendStringInfoString(sql, " ORDER BY ");
	append_told_apart(sql, spec, spec->dataset->person, psprintf("%s.%s", alias, own_name(spec, "person")));
}

bool
packs(const Specification *spec)
{
	if (spec->recoded != NULL)
		return true;
	for (int a = 0; a < spec->population->nattrs; a++)
		if (packed_radix(spec, a) > 0)
			return true;
	return false;
}

/*
 * The number of a row's label; NULL, which makes all of the row's packed
 * labels NULL, if it has none.
 */
static const char *
row_number_sql(const Specification *spec, const Joined *joined)
{
	StringInfoData sql;

	initStringInfo(&sql);
	if (joined->lookup != NULL)
		append_looked_up_number(&sql, spec, joined);
	else if (spec->alike && joined->nullable)
		appendStringInfo(&sql, "COALESCE(h%d.number, CASE WHEN r.%s IS NULL THEN %u END)", joined->number, joined->column,
						 joined->radix - 1);
	else
		appendStringInfo(&sql, joined->nullable || keeps_incomplete(spec) ? "COALESCE(h%d.number, %u)" : "h%d.number",
						 joined->number, joined->radix - 1);
	return sql.data;
}

/* The packed labels of a row. */
static void
append_packed(StringInfo sql, const Specification *spec)
{
	StringInfoData packed;

	initStringInfo(&packed);
	if (spec->recoded != NULL)
		appendStringInfoString(&packed, "q.class");
	for (int i = 0; i < spec->ncolumns; i++)
	{
		int			a = spec->columns[i].attr;
		Joined		joined;
		const char *number;

		if (a < 0 || packed_radix(spec, a) == 0)
			continue;
		joined = prepare_join(spec, a);
		number = row_number_sql(spec, &joined);
		if (packed.len == 0)
			appendStringInfoString(&packed, number);
		else
		{
			char	   *higher = pstrdup(packed.data);

			resetStringInfo(&packed);
			appendStringInfo(&packed, "((%s OPERATOR(pg_catalog.*) %u) OPERATOR(pg_catalog.+) %s)", higher, joined.radix, number);
		}
	}
	appendStringInfo(sql, "%s AS %s", packed.data, own_name(spec, "labels"));
}

/* The columns of a subquery that define classes, except packed ones. */
static void
append_unpacked(StringInfo sql, const Specification *spec, const char *alias, const char *separator)
{
	for (int i = 0; i < spec->ncolumns; i++)
	{
		if (spec->recoded != NULL || spec->columns[i].attr < 0 || packed_radix(spec, spec->columns[i].attr) > 0)
			continue;
		appendStringInfo(sql, "%s%s.%s", separator, alias, quote_identifier(spec->columns[i].name));
		separator = ", ";
	}
}

/* The same, and the packed labels. */
void
append_class_columns(StringInfo sql, const Specification *spec, const char *alias)
{
	const char *separator = "";

	if (keeps_incomplete(spec))
	{
		appendStringInfo(sql, "%s.%s", alias, own_name(spec, "complete"));
		separator = ", ";
	}
	if (packs(spec))
	{
		/*
		 * not a column, because then all rows would be sorted by it instead
		 * of hashed
		 */
		appendStringInfo(sql, spec->alike ? "%s(%s.%s OPERATOR(pg_catalog.+) 0)" : "%s%s.%s", separator, alias,
						 own_name(spec, "labels"));
		separator = ", ";
	}
	append_unpacked(sql, spec, alias, separator);
}

/*
 * The values for promises of l and t, if the statement does not show them
 * unchanged; and their positions in the order of a hierarchy.
 */
static void
append_raw_values(StringInfo sql, const Specification *spec)
{
	for (int j = 0; j < spec->population->nsensitive; j++)
	{
		if (!needs_values(spec) || spec->alike)
			return;
		appendStringInfo(sql, ",\n\t\t\t\tr.%s AS %s", quote_identifier(spec->population->columns[j]->name),
						 own_name_of(spec, "value", j));
		if (needs_places(spec, j))
			append_place(sql, spec, j);
	}
}

/*
 * A column unchanged but flat, because a value's compression would reveal
 * properties of its original row.
 */
static void
append_flat(StringInfo sql, const char *alias, Oid relation, const char *column)
{
	Oid			type = column_type(relation, column);
	const char *name = quote_identifier(column);

	if (get_typlen(type) != -1)
		appendStringInfo(sql, "%s.%s", alias, name);
	else if (OidIsValid(get_element_type(type)))
		appendStringInfo(sql, "pg_catalog.trim_array(%s.%s, 0)", alias, name);
	else
		appendStringInfo(sql, "(ARRAY[%s.%s])[1]", alias, name);
}

/* The FROM clause of the relation's rows and their labels. */
static void
append_from(StringInfo sql, const Specification *spec)
{
	appendStringInfo(sql, "\n\t\t\tFROM %s r", relation_sql_name(spec->dataset->relation));
	append_joins(sql, spec);
	append_place_joins(sql, spec);
	if (!keeps_incomplete(spec))
		append_leaves_condition(sql, spec, "\n\t\t\tWHERE ");
}

void
append_base(StringInfo sql, const Specification *spec)
{
	appendStringInfoString(sql, "SELECT ");
	for (int i = 0; i < spec->ncolumns; i++)
	{
		const ShownColumn *column = &spec->columns[i];
		const char *name = quote_identifier(column->name);

		appendStringInfoString(sql, i > 0 ? ",\n\t\t\t\t" : "");
		if (column->attr >= 0)
		{
			Joined		joined = prepare_join(spec, column->attr);

			append_label(sql, spec, &joined);
		}
		else
			append_flat(sql, "r", spec->dataset->relation, column->name);
		appendStringInfo(sql, " AS %s", name);
	}
	if (packs(spec))
	{
		appendStringInfoString(sql, ",\n\t\t\t\t");
		append_packed(sql, spec);
	}
	append_raw_values(sql, spec);
	if (counts_people(spec))
		appendStringInfo(sql, ",\n\t\t\t\tr.%s AS %s", quote_identifier(spec->dataset->person), own_name(spec, "person"));
	if (keeps_incomplete(spec))
	{
		append_leaves_condition(sql, spec, ",\n\t\t\t\t");
		appendStringInfo(sql, " AS %s", own_name(spec, "complete"));
	}
	append_from(sql, spec);
}

/* The shown columns of a row, with packed labels instead of the labels themselves. */
static void
append_alike_columns(StringInfo sql, const Specification *spec)
{
	for (int i = 0; i < spec->ncolumns; i++)
	{
		const ShownColumn *column = &spec->columns[i];
		const char *name = quote_identifier(column->name);

		if (column->attr >= 0 && packed_radix(spec, column->attr) > 0)
			continue;
		if (column->attr >= 0)
		{
			Joined		joined = prepare_join(spec, column->attr);

			append_label(sql, spec, &joined);
		}
		else
			appendStringInfo(sql, "r.%s", name);
		appendStringInfo(sql, " AS %s,\n\t\t\t\t", name);
	}
	if (packs(spec))
		append_packed(sql, spec);
	else
		appendStringInfo(sql, "0 AS %s", own_name(spec, "labels"));
}

/*
 * One row for all that look alike.  They are grouped outside a subquery: the
 * planner would take every combination of values for a group otherwise, and
 * make a hash table that does not fit into the processor's caches.
 */
static void
append_alike(StringInfo sql, const Specification *spec)
{
	StringInfoData keys;

	initStringInfo(&keys);
	for (int i = 0; i < spec->ncolumns; i++)
		if (spec->columns[i].attr < 0 || packed_radix(spec, spec->columns[i].attr) == 0)
			appendStringInfo(&keys, "o.%s, ", quote_identifier(spec->columns[i].name));
	appendStringInfo(&keys, "o.%s", own_name(spec, "labels"));
	appendStringInfo(sql, "SELECT %s, pg_catalog.count(*) AS %s FROM (\n\t\t\tSELECT ", keys.data, own_name(spec, "rows"));
	append_alike_columns(sql, spec);
	append_from(sql, spec);
	appendStringInfo(sql, "\n\t\t\tOFFSET 0) o GROUP BY %s", keys.data);
}

/*
 * Counts people and, for a promise of l, ranks values in every class, over a
 * single window to pass rows once.
 */
static void
append_counts(StringInfo sql, const Specification *spec)
{
	int			nvalues = spec->promise.has_l ? spec->population->nsensitive : 0;

	if (counts_people(spec))
		appendStringInfo(sql, "SELECT b.*,\n\t\t\tpg_catalog.dense_rank() OVER w0 AS %s", own_name(spec, "person_rank"));
	else
		appendStringInfo(sql, "SELECT b.*,\n\t\t\t%s OVER w1 AS %s", spec->alike ?
						 psprintf("pg_catalog.sum(b.%s::pg_catalog.float8)", own_name(spec, "rows")) : "pg_catalog.count(*)", own_name(spec, "size"));
	for (int j = 0; j < nvalues; j++)
		appendStringInfo(sql, ",\n\t\t\tpg_catalog.dense_rank() OVER w%d AS %s", j + 1, own_name_of(spec, "rank", j));
	if (by_shares(spec))
		appendStringInfoString(sql, "\n\t\tFROM anonopt_rows b");
	else
	{
		appendStringInfoString(sql, "\n\t\tFROM (\n\t\t\t");
		if (spec->alike)
			append_alike(sql, spec);
		else
			append_base(sql, spec);
		appendStringInfoString(sql, "\n\t\t) b");
	}
	appendStringInfoString(sql, "\n\t\tWINDOW ");
	if (counts_people(spec))
	{
		appendStringInfoString(sql, "w0 AS (PARTITION BY ");
		append_class_columns(sql, spec, "b");
		append_person_rank(sql, spec, "b");
		appendStringInfoString(sql, "),\n\t\t\t");
	}
	for (int j = 0; j < Max(nvalues, 1); j++)
	{
		appendStringInfo(sql, "%sw%d AS (PARTITION BY ", j > 0 ? ",\n\t\t\t" : "", j + 1);
		append_class_columns(sql, spec, "b");
		if (nvalues > 0)
		{
			appendStringInfoString(sql, " ORDER BY ");
			append_value(sql, spec, "b", j);
			appendStringInfoString(sql, " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING");
		}
		appendStringInfoChar(sql, ')');
	}
}

/* The last rank in every class. */
static void
append_last_rank(StringInfo sql, const Specification *spec, const char *rank, const char *name)
{
	appendStringInfo(sql, ",\n\t\tpg_catalog.max(c.%s) OVER (PARTITION BY ", rank);
	append_class_columns(sql, spec, "c");
	appendStringInfo(sql, ") AS %s", name);
}

/* The counts and, if values or people are ranked, the number of each class. */
static void
append_measured(StringInfo sql, const Specification *spec)
{
	if (!spec->promise.has_l && !counts_people(spec))
	{
		append_counts(sql, spec);
		return;
	}
	appendStringInfoString(sql, "SELECT c.*");
	if (counts_people(spec))
		append_last_rank(sql, spec, own_name(spec, "person_rank"), own_name(spec, "size"));
	for (int j = 0; j < spec->population->nsensitive && spec->promise.has_l; j++)
		append_last_rank(sql, spec, own_name_of(spec, "rank", j), own_name_of(spec, "values", j));
	appendStringInfoString(sql, "\n\tFROM (\n\t\t");
	append_counts(sql, spec);
	appendStringInfoString(sql, "\n\t) c");
}

/* The condition under which a row's class keeps the promise. */
static void
append_promise(StringInfo sql, const Specification *spec)
{
	if (keeps_incomplete(spec))
		appendStringInfo(sql, "s.%s AND ", own_name(spec, "complete"));
	/* here and not below, where it would be tested for every row */
	if (spec->alike && packs(spec))
		appendStringInfo(sql, "s.%s IS NOT NULL AND ", own_name(spec, "labels"));
	if (spec->recoded != NULL)
		appendStringInfo(sql, "s.%s OPERATOR(pg_catalog.>=) 0 AND ", own_name(spec, "labels"));
	appendStringInfo(sql, "s.%s OPERATOR(pg_catalog.>=) " INT64_FORMAT, own_name(spec, "size"), spec->promise.k);
	for (int j = 0; j < spec->population->nsensitive; j++)
	{
		if (spec->promise.has_l)
			appendStringInfo(sql, " AND s.%s OPERATOR(pg_catalog.>=) " INT64_FORMAT, own_name_of(spec, "values", j),
							 spec->promise.l);
		if (spec->promise.has_t)
			append_t_condition(sql, spec, j);
		append_conditions(sql, spec, j);
	}
	append_outside_conditions(sql, spec);
}

/* The columns shown for rows that look alike, and their number. */
static void
append_shown_alike(StringInfo sql, const Specification *spec)
{
	for (int i = 0; i < spec->ncolumns; i++)
	{
		const ShownColumn *column = &spec->columns[i];
		const char *name = quote_identifier(column->name);

		if (column->attr < 0)
			append_flat(sql, "s", spec->dataset->relation, column->name);
		else if (packed_radix(spec, column->attr) > 0)
			appendStringInfo(sql, "l%d.label", column->attr + 1);
		else
			appendStringInfo(sql, "s.%s", name);
		appendStringInfo(sql, " AS %s, ", name);
	}
	appendStringInfo(sql, "s.%s", own_name(spec, "rows"));
}

static void
append_shown(StringInfo sql, const Specification *spec, const char *alias)
{
	for (int i = 0; i < spec->ncolumns; i++)
		appendStringInfo(sql, "%s%s.%s", i > 0 ? ", " : "", alias, quote_identifier(spec->columns[i].name));
}

/*
 * Orders by the labels, then at random, so that positions reveal nothing.
 * Readers of a live view may have called setseed and so know the output of
 * random(), which is therefore hashed with a secret of the reading.
 */
static void
append_order(StringInfo sql, const Specification *spec, const char *alias)
{
	const char *separator = "\nORDER BY ";

	if (spec->star)
	{
		appendStringInfo(sql, "%s%s.%s", separator, alias, own_name(spec, "hidden"));
		separator = ", ";
	}
	if (packs(spec))
	{
		const char *labels = own_name(spec, "labels");

		if (spec->star)
			appendStringInfo(sql, "%sCASE WHEN %s.%s THEN NULL ELSE %s.%s END", separator, alias, own_name(spec, "hidden"), alias, labels);
		else
			appendStringInfo(sql, "%s%s.%s", separator, alias, labels);
		separator = ", ";
	}
	append_unpacked(sql, spec, alias, separator);
	appendStringInfoString(sql, ", pg_catalog.uuid_hash_extended((SELECT pg_catalog.gen_random_uuid()),"
						   " pg_catalog.hashfloat8extended(pg_catalog.random(), 0))");
}

/* Rows of classes that keep the promise, following the expressions to select. */
static void
append_kept(StringInfo sql, const Specification *spec)
{
	appendStringInfoString(sql, "\nFROM (\n\t");
	append_measured(sql, spec);
	appendStringInfoString(sql, "\n) s");
	if (spec->alike)
		append_label_joins(sql, spec, psprintf("s.%s", own_name(spec, "labels")));
	appendStringInfoString(sql, "\nWHERE ");
	append_promise(sql, spec);
}

/*
 * Only those rows; if there is a promise about all classes together, from a
 * table of them.
 */
static void
append_omitting(StringInfo sql, const Specification *spec)
{
	appendStringInfoString(sql, "SELECT ");
	if (spec->alike)
		append_shown_alike(sql, spec);
	else
		append_shown(sql, spec, "s");
	if (has_limits(spec))
	{
		appendStringInfoString(sql, "\nFROM anonopt_kept s");
		append_limits(sql, spec, "\nWHERE ", "anonopt_kept", "");
	}
	else
		append_kept(sql, spec);
	append_order(sql, spec, "s");
}

/* All rows, and whether each is hidden. */
static void
append_marked(StringInfo sql, const Specification *spec)
{
	appendStringInfoString(sql, "SELECT s.*, NOT (");
	append_promise(sql, spec);
	appendStringInfo(sql, ") AS %s FROM (\n\t", own_name(spec, "hidden"));
	append_measured(sql, spec);
	appendStringInfoString(sql, "\n\t\t\t) s");
}

/* The others too, as stars, if all of them together keep the promise. */
static void
append_starring(StringInfo sql, const Specification *spec)
{
	const char *hidden = own_name(spec, "hidden");

	appendStringInfoString(sql, "SELECT ");
	append_shown(sql, spec, "w");
	appendStringInfo(sql, ", w.%s AS anonopt_suppressed\nFROM (\n\tSELECT ", hidden);
	for (int i = 0; i < spec->ncolumns; i++)
	{
		const char *name = quote_identifier(spec->columns[i].name);

		if (spec->columns[i].attr >= 0)
			appendStringInfo(sql, "CASE WHEN v.%s THEN '*' ELSE v.%s END AS %s, ", hidden, name, name);
		else
			appendStringInfo(sql, "v.%s, ", name);
	}
	if (packs(spec))
		appendStringInfo(sql, "v.%s, ", own_name(spec, "labels"));
	if (counts_people(spec))
		appendStringInfo(sql, "v.%s,\n\t\tpg_catalog.max(v.%s) OVER (PARTITION BY v.%s) AS %s", hidden, own_name(spec, "hidden_person"),
						 hidden, own_name(spec, "hidden_size"));
	else
		appendStringInfo(sql, "v.%s,\n\t\tpg_catalog.count(*) OVER (PARTITION BY v.%s) AS %s", hidden, hidden,
						 own_name(spec, "hidden_size"));
	for (int j = 0; j < spec->population->nsensitive && spec->promise.has_l; j++)
		appendStringInfo(sql, ",\n\t\tpg_catalog.max(v.%s) OVER (PARTITION BY v.%s) AS %s", own_name_of(spec, "hidden_rank", j),
						 hidden, own_name_of(spec, "hidden_values", j));
	appendStringInfo(sql, "\n\tFROM (\n\t\tSELECT u.*");
	if (counts_people(spec))
	{
		appendStringInfo(sql, ", pg_catalog.dense_rank() OVER (PARTITION BY u.%s", hidden);
		append_person_rank(sql, spec, "u");
		appendStringInfo(sql, ") AS %s", own_name(spec, "hidden_person"));
	}
	for (int j = 0; j < spec->population->nsensitive && spec->promise.has_l; j++)
	{
		appendStringInfo(sql, ", pg_catalog.dense_rank() OVER (PARTITION BY u.%s ORDER BY ", hidden);
		append_value(sql, spec, "u", j);
		appendStringInfo(sql, ") AS %s", own_name_of(spec, "hidden_rank", j));
	}
	if (by_shares(spec) || has_limits(spec))
		appendStringInfoString(sql, "\n\t\tFROM anonopt_marked u\n\t) v\n) w");
	else
	{
		appendStringInfoString(sql, "\n\t\tFROM (\n\t\t\t");
		append_marked(sql, spec);
		appendStringInfoString(sql, "\n\t\t) u\n\t) v\n) w");
	}
	appendStringInfo(sql, "\nWHERE %sNOT w.%s OR (w.%s OPERATOR(pg_catalog.>=) " INT64_FORMAT, has_limits(spec) ? "(" : "", hidden,
					 own_name(spec, "hidden_size"), spec->promise.k);
	for (int j = 0; j < spec->population->nsensitive && spec->promise.has_l; j++)
		appendStringInfo(sql, " AND w.%s OPERATOR(pg_catalog.>=) " INT64_FORMAT, own_name_of(spec, "hidden_values", j),
						 spec->promise.l);
	for (int j = 0; j < spec->population->nsensitive && spec->promise.has_t; j++)
		append_hidden_condition(sql, spec, j);
	for (int j = 0; j < spec->population->nsensitive; j++)
		append_hidden_conditions(sql, spec, j);
	append_hidden_limits(sql, spec, psprintf("w.%s", own_name(spec, "hidden_size")));
	appendStringInfoChar(sql, ')');
	append_limits(sql, spec, ")\n\tAND ", "anonopt_marked", psprintf(" WHERE NOT f.%s", hidden));
	append_order(sql, spec, "w");
}

/* The common table expressions of the statement, if it needs any. */
static void
append_tables(StringInfo sql, const Specification *spec)
{
	const char *before = append_outside_tables(sql, spec, "WITH ");
	StringInfoData part;

	initStringInfo(&part);
	if (by_shares(spec))
	{
		append_base(&part, spec);
		append_t_tables(sql, spec, before, part.data);
		before = ",\n";
	}
	if (spec->star ? by_shares(spec) || has_limits(spec) : has_limits(spec))
	{
		appendStringInfo(sql, "%s%s AS MATERIALIZED (\n\t", before, spec->star ? "anonopt_marked" : "anonopt_kept");
		if (spec->star)
			append_marked(sql, spec);
		else
		{
			appendStringInfoString(sql, "SELECT s.*");
			append_kept(sql, spec);
		}
		appendStringInfoString(sql, "\n)");
		before = ",\n";
	}
	if (by_shares(spec) && spec->star)
		append_hidden_tables(sql, spec);
	if (*before == ',')
		appendStringInfoChar(sql, '\n');
}

char *
release_statement(const Specification *wanted)
{
	Specification packed = *wanted;
	const Specification *spec = &packed;
	StringInfoData sql;

	packed.radixes = choose_radixes(wanted);
	initStringInfo(&sql);
	if (spec->alike)
	{
		packed.lookups = choose_lookups(spec);
		append_lookup_tables(&sql, spec);
	}
	append_tables(&sql, spec);
	if (spec->star)
		append_starring(&sql, spec);
	else
		append_omitting(&sql, spec);
	return sql.data;
}

const char *
live_count_name(const Specification *spec)
{
	return own_name(spec, "rows");
}

char *
live_statement(const Specification *wanted)
{
	Specification spec = *wanted;

	spec.alike = can_count_alike(wanted);
	if (spec.alike)
		return release_statement(&spec);
	return psprintf("SELECT x.*, 1::pg_catalog.int8 AS %s FROM (%s) x", own_name(&spec, "rows"), release_statement(&spec));
}
