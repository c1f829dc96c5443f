/*
 * view_sql.c
 *	  A release as one plain SQL statement, for pipelines without the extension.
 *
 * It shows levels, cuts or the classes of a recoding, under promises of k and
 * l, which window functions count again at each run.  All names are qualified,
 * because whoever runs it has a search_path of their own.  A value without a
 * leaf leaves its row out.  Different people and values are counted by ranking them;
 * NULL counts as one.
 */
#include "release/release.h"

#include "access/htup_details.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

/* A quasi-identifier in the statement; its tables have its number. */
typedef struct Joined
{
	int			number;
	const Declared *declared;
	const Attribute *attr;
	const Recoding *recoding;	/* by a level or a cut, or NULL */
	const char **labels;
	bool		is_cut;
	int			level;			/* to be shown, or cut */
	const char *column;			/* quoted */
	const char *leaf;			/* quoted */
} Joined;

/* The level of a hierarchy's column, by name. */
static const char *
hierarchy_column(Oid hierarchy, int level)
{
	int			found = -1;

	for (AttrNumber number = 1;; number++)
	{
		const char *name = get_attname(hierarchy, number, true);

		if (name == NULL)
			elog(ERROR, "hierarchy %u has no level %d", hierarchy, level);
		if (OidIsValid(column_type(hierarchy, name)) && ++found == level)
			return name;
	}
}

static Joined
joined_attribute(const Release *release, int a)
{
	Joined		joined = {.number = a + 1};

	joined.declared = declared_attribute(release->dataset, a);
	joined.attr = &release->population->attrs[a];
	joined.recoding = release->classes->node != NULL ? release->classes->node[a] : NULL;
	joined.labels = release->classes->labels[a];
	joined.is_cut = release->by.kind == BY_CUTS;
	joined.level = release->by.kind == BY_LEVELS ? release->by.levels[a] : joined.attr->min_level;
	joined.column = quote_identifier(joined.declared->column);
	joined.leaf = quote_identifier(hierarchy_column(joined.declared->hierarchy, 0));
	return joined;
}

const char *
own_name(const Release *release, const char *wanted)
{
	char	   *name = psprintf("anonopt_%s", wanted);

	for (int i = 0; i < release->ncolumns; i++)
		if (strcmp(release->columns[i].name, name) == 0)
		{
			name = psprintf("%s_", name);
			i = -1;
		}
	return quote_identifier(name);
}

static const char *
numbered_name(const Release *release, const char *wanted, int number)
{
	return own_name(release, psprintf("%s%d", wanted, number + 1));
}

static const char *
literal(const char *string)
{
	return string == NULL ? "NULL" : quote_literal_cstr(string);
}

/* ------------------------------------------------------------------ leaves */

static char *
equality_operator(Oid type)
{
	Oid			operator = lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr;
	HeapTuple	tuple = SearchSysCache1(OPEROID, ObjectIdGetDatum(operator));
	char	   *name;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "type %u has no equality", type);
	name = psprintf("OPERATOR(%s.%s)",
					quote_identifier(get_namespace_name(((Form_pg_operator) GETSTRUCT(tuple))->oprnamespace)),
					NameStr(((Form_pg_operator) GETSTRUCT(tuple))->oprname));
	ReleaseSysCache(tuple);
	return name;
}

/*
 * A row's value converted to the type of leaves, in the data set's zone and
 * never in that of the session; NULL, which has no leaf, instead of an error.
 */
static const char *
cast_value(const Release *release, const char *value, Oid from, Oid to, const char *form)
{
	char	   *condition = cast_condition(value, from, to);

	/* above all numbers, so that a range without an upper end contains it */
	if (to == NUMERICOID && (type_is_float(from) || from == NUMERICOID))
		condition = psprintf("%s OPERATOR(pg_catalog.<>) 'NaN'::%s", value, format_type_be_qualified(from));
	value = sql_as(form, value_in_zone(value, from, to, release->dataset->timezone));
	return condition == NULL ? value : psprintf("(CASE WHEN %s THEN %s END)", condition, value);
}

/*
 * Joins a hierarchy's own rows, without children's, by the leaf of a row's
 * value; each leaf once: floats that differ for its key may be equal when
 * compared as numbers.
 */
static void
append_hierarchy(StringInfo sql, const Release *release, const Joined *joined)
{
	const char *name = relation_sql_name(joined->declared->hierarchy);
	Oid			type = column_type(release->dataset->relation, joined->declared->column);
	Oid			leaf_type = hierarchy_leaf_type(joined->declared->hierarchy);
	char	   *value = psprintf("r.%s", joined->column);
	char	   *leaf = psprintf("h%d.%s", joined->number, joined->leaf);
	TypeMatch	match;
	const char *collate;
	const char *own;

	if (!match_types(type, leaf_type, &match))
		elog(ERROR, "column \"%s\" does not match its hierarchy", joined->declared->column);
	own = sql_as(match.leaf_form, psprintf("f.%s", joined->leaf));
	collate = match.data_type == TEXTOID ? " COLLATE pg_catalog.\"C\"" : "";
	appendStringInfo(sql, "\n\t\t\tLEFT JOIN %s h%d ON ",
					 !type_is_float(leaf_type) ? psprintf("ONLY %s", name) :
					 psprintf("(SELECT DISTINCT ON (%s) f.* FROM ONLY %s f ORDER BY %s)", own, name, own),
					 joined->number);
	if (type_is_range(leaf_type) && type != leaf_type)
		appendStringInfo(sql, "%s OPERATOR(pg_catalog.@>) %s", leaf,
						 cast_value(release, value, type, match.data_type, match.data_form));
	else
		appendStringInfo(sql, "%s%s %s %s%s", sql_as(match.data_form, value), collate,
						 type_is_integer(match.data_type) ? "OPERATOR(pg_catalog.=)" :
						 equality_operator(match.data_type),
						 sql_as(match.leaf_form, leaf), collate);
}

/* ------------------------------------------------------------------ labels */

static char *
level_sql(const Joined *joined)
{
	Oid			hierarchy = joined->declared->hierarchy;
	const char *name = hierarchy_column(hierarchy, joined->level);

	return psprintf("%s COLLATE pg_catalog.\"C\"", sql_as(text_form(column_type(hierarchy, name)),
														  psprintf("h%d.%s", joined->number,
																   quote_identifier(name))));
}

/* The label shown for a leaf that no row of the hierarchy has, in SQL. */
static const char *
label_of_leaf(const Joined *joined, uint32 leaf)
{
	return literal(joined->labels[joined->recoding->label_of[leaf]]);
}

static void
append_label(StringInfo sql, const Joined *joined)
{
	const Hierarchy *hierarchy = joined->attr->hierarchy;
	char	   *found = joined->is_cut ? psprintf("c%d.shown COLLATE pg_catalog.\"C\"", joined->number) :
	level_sql(joined);
	const char *of_null = "NULL";

	if (hierarchy->null_leaf != NO_LEAF)
		of_null = label_of_leaf(joined, hierarchy->null_leaf);
	/* if no NULL has occurred yet, it would join a single label at the top */
	else if (joined->level > 0 && joined->level == hierarchy->height &&
			 hierarchy->levels[joined->level].nlabels == 1)
		of_null = literal(hierarchy->labels[joined->level][0]);
	if (strcmp(of_null, "NULL") == 0 && joined->attr->unknown_leaf == NO_LEAF)
	{
		appendStringInfoString(sql, found);
		return;
	}
	appendStringInfo(sql, "CASE WHEN r.%s IS NULL THEN %s", joined->column, of_null);
	if (joined->attr->unknown_leaf != NO_LEAF)
		appendStringInfo(sql, " WHEN h%d.%s IS NULL THEN %s", joined->number, joined->leaf,
						 label_of_leaf(joined, joined->attr->unknown_leaf));
	appendStringInfo(sql, " ELSE %s END", found);
}

/* Joins the groups of the labels that are cut. */
static void
append_groups(StringInfo sql, const Joined *joined)
{
	const Recoding *finer = &joined->attr->hierarchy->levels[joined->level];
	Oid			leaf_type = hierarchy_leaf_type(joined->declared->hierarchy);
	TypeMatch	match;

	/* by their values, because the text of a value may depend on settings */
	bool		by_value = joined->level == 0 && !match_types(leaf_type, TEXTOID, &match) &&
	type_input_is_safe(leaf_type);
	const char *type = by_value ? format_type_be_qualified(leaf_type) : "pg_catalog.text";
	int			n = joined->number;

	/* a domain that contains only NULL has no label to look up */
	appendStringInfo(sql, "\n\t\t\tLEFT JOIN (VALUES (NULL::%s, NULL::pg_catalog.text)", type);
	for (uint32 label = 0; label < finer->nlabels; label++)
	{
		const char *name = joined->attr->hierarchy->labels[joined->level][label];

		/* no row has the label of NULL, or of values without a leaf */
		if (name != NULL && finer->first_leaf[label] != joined->attr->unknown_leaf)
			appendStringInfo(sql, ", (%s, %s)", quote_literal_cstr(name),
							 label_of_leaf(joined, finer->first_leaf[label]));
	}
	appendStringInfo(sql, ") c%d (finer, shown) ON c%d.finer", n, n);
	if (by_value)
		appendStringInfo(sql, " %s h%d.%s", equality_operator(leaf_type), n, joined->leaf);
	else
		appendStringInfo(sql, " COLLATE pg_catalog.\"C\" OPERATOR(pg_catalog.=) %s", level_sql(joined));
}

/* A value in the form by which it is compared: texts by their bytes. */
static const char *
compared_form(const Release *release, const char *column, const char *value)
{
	Oid			type = column_type(release->dataset->relation, column);
	TypeMatch	match;

	if (!match_types(type, TEXTOID, &match) || type_is_enum(type))
		return psprintf("%s::%s", value, format_type_be_qualified(getBaseType(type)));
	return psprintf("%s COLLATE pg_catalog.\"C\"", sql_as(match.data_form, value));
}

/*
 * Joins the rows of a recoding's table, by the values of all columns, and the
 * labels of its classes.
 */
static void
append_recoding(StringInfo sql, const Release *release)
{
	const TableRecoding *recoding = release->recoding_rows;
	const Population *population = release->population;
	const Classes *classes = release->classes;
	int			nattrs = population->nattrs;
	bool	   *listed = palloc0(sizeof(bool) * ((Size) recoding->nclasses + 1));
	const char *separator = "";

	appendStringInfo(sql, "\n\t\t\tLEFT JOIN ONLY %s t ON ", release->by.recoding_name);
	for (int a = 0; a < nattrs; a++)
	{
		const char *column = population->attrs[a].name;
		const char *name = quote_identifier(column);
		const char *ours = compared_form(release, column, psprintf("r.%s", name));
		const char *theirs = compared_form(release, column, psprintf("t.%s", name));

		appendStringInfoString(sql, a > 0 ? " AND " : "");
		/* NULL has NULL, as in arrays, whose equality can be hashed */
		if (OidIsValid(get_element_type(getBaseType(column_type(release->dataset->relation, column)))))
			appendStringInfo(sql, "(%s OPERATOR(pg_catalog.=) %s OR (r.%s IS NULL AND t.%s IS NULL))", ours,
							 theirs, name, name);
		else
			appendStringInfo(sql, "ARRAY[%s] OPERATOR(pg_catalog.=) ARRAY[%s]", ours, theirs);
	}
	appendStringInfoString(sql, "\n\t\t\tLEFT JOIN (VALUES ");
	for (uint32 tuple = 0; tuple < population->tuples->ntuples; tuple++)
	{
		uint32		class = recoding->class_of[tuple];
		uint32		shown = classes->class_of[tuple];

		if (tuple % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		if (shown == NO_CLASS || listed[class])
			continue;
		listed[class] = true;
		appendStringInfo(sql, "%s(" INT64_FORMAT "::pg_catalog.int8", separator, recoding->numbers[class]);
		separator = ",\n\t\t\t\t";
		for (int a = 0; a < nattrs; a++)
			appendStringInfo(sql, ", %s::pg_catalog.text",
							 literal(classes->labels[a][classes->codes[class_at(classes, shown, a)]]));
		appendStringInfoChar(sql, ')');
	}
	appendStringInfoString(sql, ") q (class");
	for (int a = 0; a < nattrs; a++)
		appendStringInfo(sql, ", shown%d", a + 1);
	appendStringInfoString(sql, ") ON q.class OPERATOR(pg_catalog.=) t." CLASS_COLUMN);
}

/* ------------------------------------------------------------------- rows */

/*
 * A column unchanged but flat, because a value's compression would reveal
 * properties of its original row.
 */
static char *
flat_sql(Oid relation, const char *column)
{
	Oid			type = column_type(relation, column);
	const char *name = quote_identifier(column);

	if (get_typlen(type) != -1)
		return psprintf("r.%s", name);
	return psprintf(OidIsValid(get_element_type(type)) ? "pg_catalog.trim_array(r.%s, 0)" :
					"(ARRAY[r.%s])[1]", name);
}

/* What is ranked to be counted: the people, or rows without them, and the values of l. */
typedef struct Ranked
{
	const char *column;
	const char *value;			/* names of ours */
	const char *rank;
	const char *hidden_rank;
	const char *hidden_count;
	int64		least;
} Ranked;

/* The person, of whom each class has k, and columns of which each has l values. */
static int
choose_ranked(const Release *release, Ranked *all)
{
	const Dataset *dataset = release->dataset;
	int			n = 0;

	for (int j = dataset->person != NULL ? -1 : 0; j < release->population->nsensitive; j++)
	{
		const char *column = j < 0 ? dataset->person : release->population->columns[j]->name;
		int64		least = j < 0 ? release->promise.k : 0;

		for (int i = 0; i < dataset->npromises && j >= 0; i++)
			if (dataset->promises[i].model == MODEL_L && promise_is_about(&dataset->promises[i], column))
				least = Max(least, (int64) dataset->promises[i].threshold);
		if (least == 0)
			continue;
		all[n] = (Ranked)
		{
			column, numbered_name(release, "value", n), numbered_name(release, "rank", n),
				numbered_name(release, "hidden_rank", n), numbered_name(release, "hidden_count", n), least
		};
		n++;
	}
	return n;
}

/* The rows with labels, and whether a recoding has a class for them. */
static void
append_base(StringInfo sql, const Release *release, const Ranked *counted, int n)
{
	bool		by_recoding = release->by.kind == BY_RECODING;
	Joined	   *joined = palloc(sizeof(Joined) * (release->population->nattrs + 1));
	StringInfoData joins;
	StringInfoData complete;

	initStringInfo(&joins);
	initStringInfo(&complete);
	for (int a = 0; a < release->population->nattrs && !by_recoding; a++)
	{
		bool		has_unknown = release->population->attrs[a].unknown_leaf != NO_LEAF;
		char	   *leaf;

		joined[a] = joined_attribute(release, a);
		append_hierarchy(&joins, release, &joined[a]);
		if (joined[a].is_cut)
			append_groups(&joins, &joined[a]);

		/*
		 * values must have a label; those without a leaf have one if that is
		 * declared
		 */
		leaf = psprintf("h%d.%s", a + 1, joined[a].leaf);
		if (!has_unknown || joined[a].is_cut)
			appendStringInfo(&complete, "%s(%s IS NULL OR %s IS NOT NULL)", complete.len > 0 ? " AND " : "",
							 has_unknown ? leaf : psprintf("r.%s", joined[a].column),
							 joined[a].is_cut ? psprintf("c%d.finer", a + 1) : leaf);
	}
	if (by_recoding)
		append_recoding(&joins, release);
	appendStringInfoString(sql, "SELECT ");
	for (int i = 0; i < release->ncolumns; i++)
	{
		int			a = release->columns[i].attr;

		if (a < 0)
			appendStringInfoString(sql, flat_sql(release->dataset->relation, release->columns[i].name));
		else if (by_recoding)
			appendStringInfo(sql, "q.shown%d COLLATE pg_catalog.\"C\"", a + 1);
		else
			append_label(sql, &joined[a]);
		appendStringInfo(sql, " AS %s,\n\t\t\t\t", quote_identifier(release->columns[i].name));
	}
	for (int i = 0; i < n; i++)
		appendStringInfo(sql, "%s AS %s,\n\t\t\t\t",
						 compared_form(release, counted[i].column,
									   flat_sql(release->dataset->relation, counted[i].column)),
						 counted[i].value);
	appendStringInfo(sql, "%s AS %s", by_recoding ? "q.class IS NOT NULL" : "true",
					 own_name(release, "classed"));
	appendStringInfo(sql, "\n\t\t\tFROM %s r%s", relation_sql_name(release->dataset->relation), joins.data);
	if (complete.len > 0)
		appendStringInfo(sql, "\n\t\t\tWHERE %s", complete.data);
}

/* The columns that define classes, of an alias. */
static char *
class_columns(const Release *release, const char *alias)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "%s.%s", alias, own_name(release, "classed"));
	for (int i = 0; i < release->ncolumns; i++)
		if (release->columns[i].attr >= 0)
			appendStringInfo(&sql, ", %s.%s", alias, quote_identifier(release->columns[i].name));
	return sql.data;
}

/* Rows with the counts of their classes, and whether each is hidden. */
static void
append_marked(StringInfo sql, const Release *release, const Ranked *counted, int n)
{
	bool		by_rows = release->dataset->person == NULL;

	appendStringInfo(sql, "SELECT c.*,\n\t\tNOT (c.%s", own_name(release, "classed"));
	if (by_rows)
		appendStringInfo(sql, " AND c.%s OPERATOR(pg_catalog.>=) " INT64_FORMAT, own_name(release, "size"),
						 release->promise.k);
	for (int i = 0; i < n; i++)
		appendStringInfo(sql, "\n\t\t\tAND pg_catalog.max(c.%s) OVER (PARTITION BY %s)"
						 " OPERATOR(pg_catalog.>=) " INT64_FORMAT, counted[i].rank,
						 class_columns(release, "c"), counted[i].least);
	appendStringInfo(sql, ") AS %s\n\tFROM (\n\t\tSELECT b.*", own_name(release, "hidden"));
	if (by_rows)
		appendStringInfo(sql, ",\n\t\t\tpg_catalog.count(*) OVER (PARTITION BY %s) AS %s",
						 class_columns(release, "b"), own_name(release, "size"));
	for (int i = 0; i < n; i++)
		appendStringInfo(sql, ",\n\t\t\tpg_catalog.dense_rank() OVER (PARTITION BY %s ORDER BY b.%s) AS %s",
						 class_columns(release, "b"),
						 counted[i].value, counted[i].rank);
	appendStringInfoString(sql, "\n\t\tFROM (\n\t\t\t");
	append_base(sql, release, counted, n);
	appendStringInfoString(sql, "\n\t\t) b\n\t) c");
}

/* The hidden rows' own counts, which decide whether they are shown as stars. */
static void
append_starred(StringInfo sql, const Release *release, const Ranked *counted, int n)
{
	const char *hidden = own_name(release, "hidden");

	appendStringInfo(sql, "SELECT v.*, pg_catalog.count(*) OVER (PARTITION BY v.%s) AS %s", hidden,
					 own_name(release, "hidden_size"));
	for (int i = 0; i < n; i++)
		appendStringInfo(sql, ", pg_catalog.max(v.%s) OVER (PARTITION BY v.%s) AS %s",
						 counted[i].hidden_rank, hidden, counted[i].hidden_count);
	appendStringInfoString(sql, "\n\tFROM (\n\tSELECT u.*");
	for (int i = 0; i < n; i++)
		appendStringInfo(sql, ", pg_catalog.dense_rank() OVER (PARTITION BY u.%s ORDER BY u.%s) AS %s",
						 hidden, counted[i].value, counted[i].hidden_rank);
	appendStringInfoString(sql, "\n\tFROM (\n\t");
	append_marked(sql, release, counted, n);
	appendStringInfoString(sql, "\n\t) u\n\t) v");
}

/* Orders by the labels, then at random, so that positions reveal nothing. */
static void
append_order(StringInfo sql, const Release *release)
{
	appendStringInfoString(sql, "\nORDER BY ");
	if (release->star)
		appendStringInfo(sql, "w.%s, ", own_name(release, "hidden"));
	for (int i = 0; i < release->ncolumns; i++)
	{
		const char *name = quote_identifier(release->columns[i].name);

		if (release->columns[i].attr >= 0 && release->star)
			appendStringInfo(sql, "CASE WHEN NOT w.%s THEN w.%s END, ", own_name(release, "hidden"), name);
		else if (release->columns[i].attr >= 0)
			appendStringInfo(sql, "w.%s, ", name);
	}
	appendStringInfoString(sql, "pg_catalog.random()");
}

char *
view_sql(const Release *release)
{
	Ranked	   *counted = palloc(sizeof(Ranked) * (release->population->nsensitive + 1));
	int			n = choose_ranked(release, counted);
	const char *hidden = own_name(release, "hidden");
	const char *separator = "";
	StringInfoData sql;

	for (int i = 0; i < release->dataset->npromises; i++)
		if (promise_is_of_known(&release->dataset->promises[i]) ||
			(release->dataset->promises[i].model != MODEL_K &&
			 release->dataset->promises[i].model != MODEL_L))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("a plain statement can only keep promises of k and l of each class"),
					 errhint("Call anonopt.create_view or anonopt.publish_table.")));
	for (int i = 0; i < release->ncolumns; i++)
		if (release->columns[i].labelled)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("a plain statement cannot show sensitive column \"%s\" at a level",
							release->columns[i].name),
					 errhint("Call anonopt.create_view or anonopt.publish_table.")));
	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (int i = 0; i < release->ncolumns; i++)
	{
		const char *name = quote_identifier(release->columns[i].name);

		if (release->star && release->columns[i].attr >= 0)
			appendStringInfo(&sql, "%sCASE WHEN w.%s THEN '*' ELSE w.%s END AS %s", i > 0 ? ", " : "",
							 hidden, name, name);
		else
			appendStringInfo(&sql, "%sw.%s", i > 0 ? ", " : "", name);
	}
	appendStringInfo(&sql, release->star ? ", w.%s AS anonopt_suppressed\nFROM (\n\t" : "\nFROM (\n\t",
					 hidden);
	if (release->star)
		append_starred(&sql, release, counted, n);
	else
		append_marked(&sql, release, counted, n);
	appendStringInfo(&sql, "\n) w\nWHERE NOT w.%s", hidden);
	/* or if all hidden rows together keep the promise */
	if (release->star)
	{
		appendStringInfoString(&sql, " OR (");
		if (release->dataset->person == NULL)
		{
			appendStringInfo(&sql, "w.%s OPERATOR(pg_catalog.>=) " INT64_FORMAT,
							 own_name(release, "hidden_size"), release->promise.k);
			separator = " AND ";
		}
		for (int i = 0; i < n; i++, separator = " AND ")
			appendStringInfo(&sql, "%sw.%s OPERATOR(pg_catalog.>=) " INT64_FORMAT, separator,
							 counted[i].hidden_count, counted[i].least);
		appendStringInfoChar(&sql, ')');
	}
	append_order(&sql, release);
	return sql.data;
}
