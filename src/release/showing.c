/*
 * showing.c
 *	  The statement that shows a relation generalized, and keeps a promise.
 *
 * It joins the hierarchy tables, because a view's tables are read with its
 * owner's rights, and names everything in full, because whoever runs it has
 * a search_path of their own.  Nothing in it fails for what the data hold: a
 * value without a leaf makes its row suppressed.
 *
 * Classes are counted by window functions over one sort, which is also the
 * order in which a snapshot is written.
 */
#include "release/showing.h"

#include "access/htup_details.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "read/hierarchy_read.h"
#include "release/showing_parts.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

const char *
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

static bool
is_float(Oid type)
{
	return type == FLOAT4OID || type == FLOAT8OID;
}

/* The declaration of a quasi-identifier. */
static const Declared *
declared_attribute(const Dataset *dataset, int attr)
{
	for (int i = 0; i < dataset->nattributes; i++)
		if (dataset->attributes[i].role == ROLE_QUASI_IDENTIFIER && attr-- == 0)
			return &dataset->attributes[i];
	elog(ERROR, "no such quasi-identifier");
	return NULL;
}

/* What a column is shown as, or whether it is shown at all. */
static bool
choose_column(const Showing *showing, const char *name, const char *const *named, int nnamed, ShownColumn *shown)
{
	const Dataset *dataset = showing->dataset;
	bool		wanted = false;
	int			attr = 0;

	shown->name = pstrdup(name);
	shown->attr = -1;
	shown->promised = false;
	for (int i = 0; i < dataset->nattributes; i++)
	{
		const Declared *declared = &dataset->attributes[i];
		bool		same = strcmp(declared->column, name) == 0;

		if (same && declared->role == ROLE_QUASI_IDENTIFIER)
			shown->attr = attr;
		attr += declared->role == ROLE_QUASI_IDENTIFIER;
		if (same && declared->role == ROLE_SENSITIVE)
			shown->promised = true;
		wanted = wanted || (same && declared->role != ROLE_IDENTIFIER && declared->role != ROLE_INSENSITIVE);
	}
	for (int i = 0; i < nnamed; i++)
		wanted = wanted || strcmp(named[i], name) == 0;
	return wanted;
}

void
showing_choose_columns(Showing *showing, const char *const *named, int nnamed)
{
	Oid			relation = showing->dataset->relation;

	showing->ncolumns = 0;
	showing->columns = palloc(sizeof(ShownColumn) * MaxTupleAttributeNumber);
	for (AttrNumber number = 1;; number++)
	{
		const char *name = get_attname(relation, number, true);

		if (name == NULL)
			return;
		if (OidIsValid(column_type(relation, name)) &&
			choose_column(showing, name, named, nnamed, &showing->columns[showing->ncolumns]))
			showing->ncolumns++;
	}
}

void
showing_choose_cut(Showing *showing, const Recoding **cut)
{
	int			nattrs = showing->population->nattrs;

	showing->cut = cut;
	showing->cut_labels = palloc(sizeof(char **) * (nattrs + 1));
	for (int a = 0; a < nattrs; a++)
		showing->cut_labels[a] = group_labels(&showing->population->attrs[a], cut[a]);
}

/*
 * Whether rows are kept that have a value without a leaf, to be starred.  A
 * distance from all cannot be told of such, they are omitted where t is
 * promised.
 */
static bool
keeps_incomplete(const Showing *showing)
{
	return showing->star && !showing->promise.has_t;
}

/* A quasi-identifier, as the statement has to do with it. */
typedef struct Joined
{
	int			number;			/* of its aliases */
	const Declared *declared;
	const Attribute *attr;
	const Recoding *cut;		/* or NULL */
	char	  **cut_labels;		/* by group */
	int			level;			/* that is shown, or that is cut */
	bool		nullable;
	const char *column;			/* quoted */
	const char *leaf;			/* quoted */
	uint32		radix;			/* of its label's number among the packed; 0:
								 * its label is not packed */
} Joined;

static bool
is_nullable(Oid relation, const char *column)
{
	HeapTuple	tuple = SearchSysCacheAttName(relation, column);
	bool		nullable;

	if (!HeapTupleIsValid(tuple))
		relation_has_changed(relation);
	nullable = !((Form_pg_attribute) GETSTRUCT(tuple))->attnotnull;
	ReleaseSysCache(tuple);
	return nullable || get_rel_relkind(relation) != RELKIND_RELATION;
}

/* The label that NULL is shown as; NULL for NULL. */
static const char *
label_of_null(const Joined *joined)
{
	const Hierarchy *hierarchy = joined->attr->hierarchy;
	const Recoding *recoding = &hierarchy->levels[joined->level];

	if (hierarchy->null_leaf == NO_LEAF)
	{
		/* none has come yet: it would join a single label at the top */
		if (joined->cut != NULL || joined->level == 0 || joined->level < hierarchy->height || recoding->nlabels > 1)
			return NULL;
		return hierarchy->labels[joined->level][0];
	}
	if (joined->cut != NULL)
		return joined->cut_labels[joined->cut->label_of[hierarchy->null_leaf]];
	return hierarchy->labels[joined->level][recoding->label_of[hierarchy->null_leaf]];
}

/*
 * Labels that are numbered in the order of their texts are packed into one
 * integer, as digits: sorted and compared faster than they.  Not where NULL
 * has a label that others have too, nor where numbering would take longer.
 */
#define MAX_NUMBERED_LEAVES 10000

/* The values that a label's number can take; 0 where it has none. */
static uint32
label_radix(const Showing *showing, int a)
{
	const Declared *declared = declared_attribute(showing->dataset, a);
	Hierarchy  *hierarchy = showing->population->attrs[a].hierarchy;
	const char *leaf = hierarchy_column(declared->hierarchy, 0);
	Joined		joined = {0};

	joined.attr = &showing->population->attrs[a];
	joined.level = showing->cut != NULL ? 0 : showing->levels[a];
	if (showing->cut != NULL || hierarchy->nleaves > MAX_NUMBERED_LEAVES || is_float(hierarchy_leaf_type(declared->hierarchy)) ||
		strcmp(leaf, "label") == 0 || strcmp(leaf, "number") == 0 ||
		(is_nullable(showing->dataset->relation, declared->column) && label_of_null(&joined) != NULL))
		return 0;

	/*
	 * Numbers begin with 1; one above all labels is of rows without any.  A
	 * live view leaves room for labels that its hierarchy may come to have.
	 */
	return (showing->snapshot ? 1 : 2) * hierarchy->levels[joined.level].nlabels + (showing->snapshot ? 2 : 10);
}

/* The same of every quasi-identifier, as long as all that are packed fit. */
static uint32 *
choose_radixes(const Showing *showing)
{
	uint32	   *radixes = palloc0(sizeof(uint32) * (showing->population->nattrs + 1));
	uint64		room = PG_INT64_MAX;

	for (int a = 0; a < showing->population->nattrs; a++)
	{
		uint32		radix = label_radix(showing, a);

		if (radix == 0 || room / radix == 0)
			continue;
		radixes[a] = radix;
		room /= radix;
	}
	return radixes;
}

static uint32
packed_radix(const Showing *showing, int a)
{
	return showing->radixes != NULL ? showing->radixes[a] : 0;
}

static Joined
prepare_join(const Showing *showing, int a)
{
	Joined		joined = {0};

	joined.number = a + 1;
	joined.declared = declared_attribute(showing->dataset, a);
	joined.attr = &showing->population->attrs[a];
	joined.cut = showing->cut != NULL ? showing->cut[a] : NULL;
	joined.cut_labels = showing->cut != NULL ? showing->cut_labels[a] : NULL;
	joined.level = showing->cut != NULL ? joined.attr->min_level : showing->levels[a];
	joined.nullable = is_nullable(showing->dataset->relation, joined.declared->column);
	joined.column = quote_identifier(joined.declared->column);
	joined.leaf = quote_identifier(hierarchy_column(joined.declared->hierarchy, 0));
	joined.radix = packed_radix(showing, a);
	return joined;
}

/* The operator by which two values of a type are the same. */
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

/* The condition under which a value can be cast, where not all can; NULL where they can. */
static char *
castable(const char *value, Oid from, Oid to)
{
	if (to == INT4OID && !(from == INT2OID || from == INT4OID))
		return psprintf("%s OPERATOR(pg_catalog.>) -2147483648.5 AND %s OPERATOR(pg_catalog.<) 2147483647.5", value, value);
	if (to == INT8OID && is_float(from))
		return psprintf("%s OPERATOR(pg_catalog.>=) -9223372036854775808::pg_catalog.float8"
						" AND %s OPERATOR(pg_catalog.<) 9223372036854775808::pg_catalog.float8", value, value);
	if (to == INT8OID && from == NUMERICOID)
		return psprintf("%s OPERATOR(pg_catalog.>) -9223372036854775808.5"
						" AND %s OPERATOR(pg_catalog.<) 9223372036854775807.5", value, value);
	if (to == NUMERICOID && (is_float(from) || from == NUMERICOID))
		return psprintf("%s OPERATOR(pg_catalog.<>) 'NaN'::%s", value, format_type_be_qualified(from));
	if ((to == TIMESTAMPOID || to == TIMESTAMPTZOID) && from == DATEOID)
		return psprintf("(%s OPERATOR(pg_catalog.<) '294276-01-01'::pg_catalog.date OR NOT pg_catalog.isfinite(%s))", value, value);
	return NULL;
}

/* A value as its leaves' type; NULL, which has no leaf, rather than an error. */
static void
append_cast(StringInfo sql, const char *value, Oid from, Oid to, const char *form)
{
	char	   *condition = castable(value, from, to);

	if (condition == NULL)
		appendStringInfoString(sql, sql_as(form, value));
	else
		appendStringInfo(sql, "(CASE WHEN %s THEN %s END)", condition, sql_as(form, value));
}

void
append_leaf_match(StringInfo sql, const Showing *showing, const char *column, Oid hierarchy, const char *alias)
{
	Oid			type = column_type(showing->dataset->relation, column);
	Oid			leaf_type = hierarchy_leaf_type(hierarchy);
	const char *leaf = quote_identifier(hierarchy_column(hierarchy, 0));
	TypeMatch	match;
	const char *collate;

	if (!match_types(type, leaf_type, &match))
		elog(ERROR, "column \"%s\" does not match its hierarchy", column);
	collate = match.data_type == TEXTOID ? " COLLATE pg_catalog.\"C\"" : "";
	if (type != leaf_type && type_is_range(leaf_type))
	{
		appendStringInfo(sql, "%s.%s OPERATOR(pg_catalog.@>) ", alias, leaf);
		append_cast(sql, psprintf("r.%s", quote_identifier(column)), type, match.data_type, match.data_form);
	}
	else
		appendStringInfo(sql, "%s%s %s %s%s", sql_as(match.data_form, psprintf("r.%s", quote_identifier(column))), collate,
						 type_is_integer(match.data_type) ? "OPERATOR(pg_catalog.=)" : equality_operator(match.data_type),
						 sql_as(match.leaf_form, psprintf("%s.%s", alias, leaf)), collate);
}

char *
label_sql(const char *alias, Oid hierarchy, int level)
{
	const char *name = hierarchy_column(hierarchy, level);

	return psprintf("%s COLLATE pg_catalog.\"C\"",
					sql_as(text_form(column_type(hierarchy, name)), psprintf("%s.%s", alias, quote_identifier(name))));
}

/* The label of the level that is shown or cut. */
static void
append_level(StringInfo sql, const Joined *joined)
{
	if (joined->radix > 0)
		appendStringInfo(sql, "h%d.label", joined->number);
	else
		appendStringInfoString(sql, label_sql(psprintf("h%d", joined->number), joined->declared->hierarchy, joined->level));
}

/* A text for a statement: no backslash in it means anything. */
static void
append_literal(StringInfo sql, const char *string)
{
	appendStringInfoString(sql, string == NULL ? "NULL" : quote_literal_cstr(string));
}

/* The label of a quasi-identifier. */
static void
append_label(StringInfo sql, const Showing *showing, const Joined *joined)
{
	const char *label = joined->nullable ? label_of_null(joined) : NULL;
	int			n = joined->number;

	if (label != NULL)
		appendStringInfo(sql, "CASE WHEN r.%s IS NULL THEN %s ELSE ", joined->column,
						 showing->key == NULL || joined->cut == NULL ? quote_literal_cstr(label) :
						 psprintf("(SELECT k.shown%d FROM ONLY %s k WHERE k.finer%d IS NULL AND k.shown%d IS NOT NULL)"
								  " COLLATE pg_catalog.\"C\"", n, showing->key, n, n));
	if (joined->cut != NULL)
		appendStringInfo(sql, "c%d.shown COLLATE pg_catalog.\"C\"", joined->number);
	else
		append_level(sql, joined);
	if (label != NULL)
		appendStringInfoString(sql, " END");
}

/* The condition under which a row's value has a leaf. */
static void
append_has_leaf(StringInfo sql, const Joined *joined)
{
	const char *found = joined->cut != NULL ? psprintf("c%d.finer", joined->number) :
	psprintf("h%d.%s", joined->number, joined->leaf);

	if (joined->nullable)
		appendStringInfo(sql, "(r.%s IS NULL OR %s IS NOT NULL)", joined->column, found);
	else
		appendStringInfo(sql, "%s IS NOT NULL", found);
}

/*
 * Whether labels that are cut are told by their values: how a value is
 * written may depend on settings, what it is does not.
 */
static bool
cut_by_value(const Joined *joined)
{
	Oid			leaf_type = hierarchy_leaf_type(joined->declared->hierarchy);
	TypeMatch	match;

	return joined->level == 0 && !match_types(leaf_type, TEXTOID, &match) && type_input_is_safe(leaf_type);
}

const char *
finer_type(const Showing *showing, int attr)
{
	Joined		joined = prepare_join(showing, attr);

	return cut_by_value(&joined) ? format_type_be_qualified(hierarchy_leaf_type(joined.declared->hierarchy)) :
		"pg_catalog.text";
}

void
append_groups(StringInfo sql, const Showing *showing, int attr)
{
	Joined		joined = prepare_join(showing, attr);
	const Recoding *finer = &joined.attr->hierarchy->levels[joined.level];
	const char *separator = "";

	for (uint32 label = 0; label < finer->nlabels; label++)
	{
		const char *name = joined.attr->hierarchy->labels[joined.level][label];

		if (name == NULL)
			continue;
		appendStringInfo(sql, "%s(%s::%s, ", separator, quote_literal_cstr(name), finer_type(showing, attr));
		append_literal(sql, joined.cut_labels[joined.cut->label_of[finer->first_leaf[label]]]);
		appendStringInfoString(sql, "::pg_catalog.text)");
		separator = ", ";
	}
	/* a domain of NULL alone has no label to be found by */
	if (*separator == '\0')
		appendStringInfo(sql, "(NULL::%s, NULL::pg_catalog.text)", finer_type(showing, attr));
}

/* Joins the groups of labels that are cut. */
static void
append_group_join(StringInfo sql, const Showing *showing, int attr, const char *join)
{
	Joined		joined = prepare_join(showing, attr);
	int			n = joined.number;

	appendStringInfo(sql, "\n\t\t\t%s (", join);
	if (showing->key != NULL)
		appendStringInfo(sql, "SELECT k.finer%d, k.shown%d FROM ONLY %s k", n, n, showing->key);
	else
	{
		appendStringInfoString(sql, "VALUES ");
		append_groups(sql, showing, attr);
	}
	appendStringInfo(sql, ") c%d (finer, shown) ON c%d.finer", n, n);
	if (cut_by_value(&joined))
		appendStringInfo(sql, " %s h%d.%s", equality_operator(hierarchy_leaf_type(joined.declared->hierarchy)), n, joined.leaf);
	else
	{
		appendStringInfoString(sql, " COLLATE pg_catalog.\"C\" OPERATOR(pg_catalog.=) ");
		append_level(sql, &joined);
	}
}

/*
 * A hierarchy's own rows, none of a child's, each leaf once: floats that its key tells apart may be
 * one number once they are compared as numbers.
 */
static char *
hierarchy_rows(const Showing *showing, const Joined *joined)
{
	Oid			hierarchy = joined->declared->hierarchy;
	Oid			leaf_type = hierarchy_leaf_type(hierarchy);
	TypeMatch	match;

	if (joined->radix > 0)
	{
		char	   *label = label_sql("f", hierarchy, joined->level);

		return psprintf("(SELECT f.%s, %s, pg_catalog.dense_rank() OVER (ORDER BY %s) FROM ONLY %s f)", joined->leaf, label,
						label, relation_sql_name(hierarchy));
	}
	if (!is_float(leaf_type) || !match_types(column_type(showing->dataset->relation, joined->declared->column), leaf_type, &match))
		return psprintf("ONLY %s", relation_sql_name(hierarchy));
	return psprintf("(SELECT DISTINCT ON (%s) f.* FROM ONLY %s f ORDER BY %s)",
					sql_as(match.leaf_form, psprintf("f.%s", joined->leaf)), relation_sql_name(hierarchy),
					sql_as(match.leaf_form, psprintf("f.%s", joined->leaf)));
}

static void
append_joins(StringInfo sql, const Showing *showing)
{
	for (int a = 0; a < showing->population->nattrs; a++)
	{
		Joined		joined = prepare_join(showing, a);
		const char *join = keeps_incomplete(showing) || joined.nullable ? "LEFT JOIN" : "JOIN";

		appendStringInfo(sql, "\n\t\t\t%s %s h%d ", join, hierarchy_rows(showing, &joined), joined.number);
		if (joined.radix > 0)
			appendStringInfo(sql, "(%s, label, number) ", joined.leaf);
		appendStringInfoString(sql, "ON ");
		append_leaf_match(sql, showing, joined.declared->column, joined.declared->hierarchy,
						  psprintf("h%d", joined.number));
		/* labels that have come since would not fit */
		if (joined.radix > 0)
			appendStringInfo(sql, " AND h%d.number OPERATOR(pg_catalog.<=) %u", joined.number, joined.radix - 2);
		if (joined.cut != NULL)
			append_group_join(sql, showing, a, join);
	}
}

/* Whether every value of a row has a leaf; without the joins that see to it themselves. */
static void
append_leaves_condition(StringInfo sql, const Showing *showing, const char *before)
{
	for (int a = 0; a < showing->population->nattrs; a++)
	{
		Joined		joined = prepare_join(showing, a);

		if (!keeps_incomplete(showing) && !joined.nullable)
			continue;
		appendStringInfoString(sql, before);
		append_has_leaf(sql, &joined);
		before = " AND ";
	}
	append_places_condition(sql, showing, before);
}

/* Names of ours that no shown column has. */
const char *
own_name(const Showing *showing, const char *wanted)
{
	char	   *name = psprintf("anonopt_%s", wanted);

	for (int i = 0; i < showing->ncolumns; i++)
		if (strcmp(showing->columns[i].name, name) == 0)
		{
			name = psprintf("%s_", name);
			i = -1;
		}
	return quote_identifier(name);
}

/* The same, one a sensitive column. */
const char *
own_name_of(const Showing *showing, const char *wanted, int sensitive)
{
	return own_name(showing, psprintf("%s%d", wanted, sensitive + 1));
}

/* Whether a promise is about sensitive values. */
static bool
needs_values(const Showing *showing)
{
	return showing->promise.has_l || showing->promise.has_t;
}

/* A sensitive value, by what tells it apart: texts by their bytes. */
void
append_value(StringInfo sql, const Showing *showing, const char *alias, int sensitive)
{
	Oid			type = column_type(showing->dataset->relation, showing->population->columns[sensitive]->name);
	TypeMatch	match;
	bool		is_text = match_types(type, TEXTOID, &match) && !type_is_enum(type);

	appendStringInfoString(sql, sql_as(is_text ? match.data_form : "%v", psprintf("%s.%s", alias, own_name_of(showing, "value", sensitive))));
	if (is_text)
		appendStringInfoString(sql, " COLLATE pg_catalog.\"C\"");
}

/* Whether any labels are packed. */
static bool
packs(const Showing *showing)
{
	for (int a = 0; a < showing->population->nattrs; a++)
		if (packed_radix(showing, a) > 0)
			return true;
	return false;
}

/* The packed labels of a row. */
static void
append_packed(StringInfo sql, const Showing *showing)
{
	StringInfoData packed;

	initStringInfo(&packed);
	for (int i = 0; i < showing->ncolumns; i++)
	{
		int			a = showing->columns[i].attr;
		Joined		joined;
		const char *number;

		if (a < 0 || packed_radix(showing, a) == 0)
			continue;
		joined = prepare_join(showing, a);
		number = psprintf(joined.nullable || keeps_incomplete(showing) ? "COALESCE(h%d.number, %u)" : "h%d.number", joined.number,
						  joined.radix - 1);
		if (packed.len == 0)
			appendStringInfoString(&packed, number);
		else
		{
			char	   *higher = pstrdup(packed.data);

			resetStringInfo(&packed);
			appendStringInfo(&packed, "((%s OPERATOR(pg_catalog.*) %u) OPERATOR(pg_catalog.+) %s)", higher, joined.radix, number);
		}
	}
	appendStringInfo(sql, ",\n\t\t\t\t%s AS %s", packed.data, own_name(showing, "labels"));
}

/* The columns that tell classes apart, of a subquery; none that are packed. */
static void
append_unpacked(StringInfo sql, const Showing *showing, const char *alias, const char *separator)
{
	for (int i = 0; i < showing->ncolumns; i++)
	{
		if (showing->columns[i].attr < 0 || packed_radix(showing, showing->columns[i].attr) > 0)
			continue;
		appendStringInfo(sql, "%s%s.%s", separator, alias, quote_identifier(showing->columns[i].name));
		separator = ", ";
	}
}

/* The same, and what packs the others. */
void
append_class_columns(StringInfo sql, const Showing *showing, const char *alias)
{
	const char *separator = "";

	if (keeps_incomplete(showing))
	{
		appendStringInfo(sql, "%s.%s", alias, own_name(showing, "complete"));
		separator = ", ";
	}
	if (packs(showing))
	{
		appendStringInfo(sql, "%s%s.%s", separator, alias, own_name(showing, "labels"));
		separator = ", ";
	}
	append_unpacked(sql, showing, alias, separator);
}

/*
 * The values that promises of l and t are about, where the statement does
 * not show them as they are; and their places in the order of a hierarchy.
 */
static void
append_raw_values(StringInfo sql, const Showing *showing)
{
	for (int j = 0; j < showing->population->nsensitive; j++)
	{
		if (!needs_values(showing))
			return;
		appendStringInfo(sql, ",\n\t\t\t\tr.%s AS %s", quote_identifier(showing->population->columns[j]->name),
						 own_name_of(showing, "value", j));
		if (needs_places(showing, j))
			append_place(sql, showing, j);
	}
}

/*
 * A column as it is, but flat: compressed or not, a value would tell of the
 * row that it was stored in.
 */
static void
append_flat(StringInfo sql, Oid relation, const char *column)
{
	Oid			type = column_type(relation, column);
	const char *name = quote_identifier(column);

	if (get_typlen(type) != -1)
		appendStringInfo(sql, "r.%s", name);
	else if (OidIsValid(get_element_type(type)))
		appendStringInfo(sql, "pg_catalog.trim_array(r.%s, 0)", name);
	else
		appendStringInfo(sql, "(ARRAY[r.%s])[1]", name);
}

/* The relation's rows with their labels. */
static void
append_base(StringInfo sql, const Showing *showing)
{
	appendStringInfoString(sql, "SELECT ");
	for (int i = 0; i < showing->ncolumns; i++)
	{
		const ShownColumn *column = &showing->columns[i];
		const char *name = quote_identifier(column->name);

		appendStringInfoString(sql, i > 0 ? ",\n\t\t\t\t" : "");
		if (column->attr >= 0)
		{
			Joined		joined = prepare_join(showing, column->attr);

			append_label(sql, showing, &joined);
		}
		else
			append_flat(sql, showing->dataset->relation, column->name);
		appendStringInfo(sql, " AS %s", name);
	}
	if (packs(showing))
		append_packed(sql, showing);
	append_raw_values(sql, showing);
	if (keeps_incomplete(showing))
	{
		append_leaves_condition(sql, showing, ",\n\t\t\t\t");
		appendStringInfo(sql, " AS %s", own_name(showing, "complete"));
	}
	appendStringInfo(sql, "\n\t\t\tFROM %s r", relation_sql_name(showing->dataset->relation));
	append_joins(sql, showing);
	append_place_joins(sql, showing);
	if (!keeps_incomplete(showing))
		append_leaves_condition(sql, showing, "\n\t\t\tWHERE ");
}

/* Counts people and, for a promise of l, ranks values in every class; over one window, to pass rows once. */
static void
append_counts(StringInfo sql, const Showing *showing)
{
	int			nvalues = showing->promise.has_l ? showing->population->nsensitive : 0;

	appendStringInfo(sql, "SELECT b.*,\n\t\t\tpg_catalog.count(*) OVER w1 AS %s", own_name(showing, "size"));
	for (int j = 0; j < nvalues; j++)
		appendStringInfo(sql, ",\n\t\t\tpg_catalog.dense_rank() OVER w%d AS %s", j + 1, own_name_of(showing, "rank", j));
	if (showing->promise.has_t)
		appendStringInfoString(sql, "\n\t\tFROM anonopt_rows b");
	else
	{
		appendStringInfoString(sql, "\n\t\tFROM (\n\t\t\t");
		append_base(sql, showing);
		appendStringInfoString(sql, "\n\t\t) b");
	}
	appendStringInfoString(sql, "\n\t\tWINDOW ");
	for (int j = 0; j < Max(nvalues, 1); j++)
	{
		appendStringInfo(sql, "%sw%d AS (PARTITION BY ", j > 0 ? ",\n\t\t\t" : "", j + 1);
		append_class_columns(sql, showing, "b");
		if (nvalues > 0)
		{
			appendStringInfoString(sql, " ORDER BY ");
			append_value(sql, showing, "b", j);
			appendStringInfoString(sql, " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING");
		}
		appendStringInfoChar(sql, ')');
	}
}

/* The counts and, for a promise of l, the most values of every class. */
static void
append_measured(StringInfo sql, const Showing *showing)
{
	if (!showing->promise.has_l)
	{
		append_counts(sql, showing);
		return;
	}
	appendStringInfoString(sql, "SELECT c.*");
	for (int j = 0; j < showing->population->nsensitive; j++)
	{
		appendStringInfo(sql, ",\n\t\tpg_catalog.max(c.%s) OVER (PARTITION BY ", own_name_of(showing, "rank", j));
		append_class_columns(sql, showing, "c");
		appendStringInfo(sql, ") AS %s", own_name_of(showing, "values", j));
	}
	appendStringInfoString(sql, "\n\tFROM (\n\t\t");
	append_counts(sql, showing);
	appendStringInfoString(sql, "\n\t) c");
}

/* The condition under which a row's class keeps the promise. */
static void
append_promise(StringInfo sql, const Showing *showing)
{
	if (keeps_incomplete(showing))
		appendStringInfo(sql, "s.%s AND ", own_name(showing, "complete"));
	appendStringInfo(sql, "s.%s OPERATOR(pg_catalog.>=) " INT64_FORMAT, own_name(showing, "size"), showing->promise.k);
	for (int j = 0; j < showing->population->nsensitive; j++)
	{
		if (showing->promise.has_l)
			appendStringInfo(sql, " AND s.%s OPERATOR(pg_catalog.>=) " INT64_FORMAT, own_name_of(showing, "values", j),
							 showing->promise.l);
		if (showing->promise.has_t)
			append_t_condition(sql, showing, j);
	}
}

static void
append_shown(StringInfo sql, const Showing *showing, const char *alias)
{
	for (int i = 0; i < showing->ncolumns; i++)
		appendStringInfo(sql, "%s%s.%s", i > 0 ? ", " : "", alias, quote_identifier(showing->columns[i].name));
}

/* By the labels, then at random: no place tells of anybody. */
static void
append_order(StringInfo sql, const Showing *showing, const char *alias)
{
	const char *separator = "\nORDER BY ";

	if (showing->star)
	{
		appendStringInfo(sql, "%s%s.%s", separator, alias, own_name(showing, "hidden"));
		separator = ", ";
	}
	if (packs(showing))
	{
		const char *labels = own_name(showing, "labels");

		if (showing->star)
			appendStringInfo(sql, "%sCASE WHEN %s.%s THEN NULL ELSE %s.%s END", separator, alias, own_name(showing, "hidden"), alias, labels);
		else
			appendStringInfo(sql, "%s%s.%s", separator, alias, labels);
		separator = ", ";
	}
	append_unpacked(sql, showing, alias, separator);
	appendStringInfoString(sql, ", pg_catalog.random()");
}

/* Rows of classes that keep the promise, no others. */
static void
append_omitting(StringInfo sql, const Showing *showing)
{
	appendStringInfoString(sql, "SELECT ");
	append_shown(sql, showing, "s");
	appendStringInfoString(sql, "\nFROM (\n\t");
	append_measured(sql, showing);
	appendStringInfoString(sql, "\n) s\nWHERE ");
	append_promise(sql, showing);
	append_order(sql, showing, "s");
}

/* All rows, and whether each is hidden. */
static void
append_marked(StringInfo sql, const Showing *showing)
{
	appendStringInfoString(sql, "SELECT s.*, NOT (");
	append_promise(sql, showing);
	appendStringInfo(sql, ") AS %s FROM (\n\t", own_name(showing, "hidden"));
	append_measured(sql, showing);
	appendStringInfoString(sql, "\n\t\t\t) s");
}

/* The others too, as stars, where all together keep the promise. */
static void
append_starring(StringInfo sql, const Showing *showing)
{
	const char *hidden = own_name(showing, "hidden");

	appendStringInfoString(sql, "SELECT ");
	append_shown(sql, showing, "w");
	appendStringInfo(sql, ", w.%s AS anonopt_suppressed\nFROM (\n\tSELECT ", hidden);
	for (int i = 0; i < showing->ncolumns; i++)
	{
		const char *name = quote_identifier(showing->columns[i].name);

		if (showing->columns[i].attr >= 0)
			appendStringInfo(sql, "CASE WHEN v.%s THEN '*' ELSE v.%s END AS %s, ", hidden, name, name);
		else
			appendStringInfo(sql, "v.%s, ", name);
	}
	if (packs(showing))
		appendStringInfo(sql, "v.%s, ", own_name(showing, "labels"));
	appendStringInfo(sql, "v.%s,\n\t\tpg_catalog.count(*) OVER (PARTITION BY v.%s) AS %s", hidden, hidden,
					 own_name(showing, "hidden_size"));
	for (int j = 0; j < showing->population->nsensitive && showing->promise.has_l; j++)
		appendStringInfo(sql, ",\n\t\tpg_catalog.max(v.%s) OVER (PARTITION BY v.%s) AS %s", own_name_of(showing, "hidden_rank", j),
						 hidden, own_name_of(showing, "hidden_values", j));
	appendStringInfo(sql, "\n\tFROM (\n\t\tSELECT u.*");
	for (int j = 0; j < showing->population->nsensitive && showing->promise.has_l; j++)
	{
		appendStringInfo(sql, ", pg_catalog.dense_rank() OVER (PARTITION BY u.%s ORDER BY ", hidden);
		append_value(sql, showing, "u", j);
		appendStringInfo(sql, ") AS %s", own_name_of(showing, "hidden_rank", j));
	}
	if (showing->promise.has_t)
		appendStringInfoString(sql, "\n\t\tFROM anonopt_marked u\n\t) v\n) w");
	else
	{
		appendStringInfoString(sql, "\n\t\tFROM (\n\t\t\t");
		append_marked(sql, showing);
		appendStringInfoString(sql, "\n\t\t) u\n\t) v\n) w");
	}
	appendStringInfo(sql, "\nWHERE NOT w.%s OR (w.%s OPERATOR(pg_catalog.>=) " INT64_FORMAT, hidden,
					 own_name(showing, "hidden_size"), showing->promise.k);
	for (int j = 0; j < showing->population->nsensitive && showing->promise.has_l; j++)
		appendStringInfo(sql, " AND w.%s OPERATOR(pg_catalog.>=) " INT64_FORMAT, own_name_of(showing, "hidden_values", j),
						 showing->promise.l);
	for (int j = 0; j < showing->population->nsensitive && showing->promise.has_t; j++)
		append_hidden_condition(sql, showing, j);
	appendStringInfoChar(sql, ')');
	append_order(sql, showing, "w");
}

bool
showing_tells_leaves(const Showing *showing)
{
	for (int j = 0; j < showing->population->nsensitive; j++)
		if (needs_places(showing, j))
			return true;
	return showing->cut != NULL;
}

/* The groups of an attribute that is cut, for the key; that of NULL beside no label. */
static char *
key_groups(const Showing *showing, int attr)
{
	Joined		joined = prepare_join(showing, attr);
	const char *label = label_of_null(&joined);
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "INSERT INTO %s (finer%d, shown%d) VALUES ", showing->key, joined.number, joined.number);
	append_groups(&sql, showing, attr);
	if (label != NULL)
		appendStringInfo(&sql, ", (NULL, %s)", quote_literal_cstr(label));
	return sql.data;
}

List *
showing_key_sql(const Showing *showing)
{
	StringInfoData create;
	const char *separator = "";
	List	   *statements = NIL;

	initStringInfo(&create);
	appendStringInfo(&create, "CREATE TABLE %s (", showing->key);
	for (int a = 0; a < showing->population->nattrs && showing->cut != NULL; a++)
	{
		appendStringInfo(&create, "%sfiner%d %s, shown%d pg_catalog.text", separator, a + 1, finer_type(showing, a), a + 1);
		statements = lappend(statements, key_groups(showing, a));
		separator = ", ";
	}
	for (int j = 0; j < showing->population->nsensitive; j++)
	{
		StringInfoData insert;

		if (!needs_places(showing, j))
			continue;
		appendStringInfo(&create, "%sleaf%d pg_catalog.text, place%d pg_catalog.int4", separator, j + 1, j + 1);
		initStringInfo(&insert);
		appendStringInfo(&insert, "INSERT INTO %s (leaf%d, place%d) VALUES ", showing->key, j + 1, j + 1);
		append_places(&insert, showing, j);
		statements = lappend(statements, insert.data);
		separator = ", ";
	}
	appendStringInfoChar(&create, ')');
	return lcons(create.data, statements);
}

char *
showing_sql(const Showing *wanted)
{
	Showing		packed = *wanted;
	const Showing *showing = &packed;
	StringInfoData sql;
	StringInfoData part;

	packed.radixes = choose_radixes(wanted);
	initStringInfo(&sql);
	initStringInfo(&part);
	if (showing->promise.has_t)
	{
		append_base(&part, showing);
		append_t_tables(&sql, showing, part.data);
	}
	if (showing->promise.has_t && showing->star)
	{
		resetStringInfo(&part);
		append_marked(&part, showing);
		append_hidden_tables(&sql, showing, part.data);
	}
	if (showing->promise.has_t)
		appendStringInfoChar(&sql, '\n');
	if (showing->star)
		append_starring(&sql, showing);
	else
		append_omitting(&sql, showing);
	return sql.data;
}
