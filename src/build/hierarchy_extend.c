/*
 * hierarchy_extend.c
 *	  Adds leaves to hierarchies for values that came later.
 *
 * To extend a hierarchy, its builder is called again with its rule's arguments, on the values of today, and its rows are collected instead of
 * being written (hierarchy_table.c).  Those whose leaves the table lacks are
 * added.  No row is changed or deleted, so releases by the hierarchy stay valid.
 * If a row that is there differs from the one by the rule, nothing is added.
 *
 * What a rule takes from data is kept as it was: the number of levels, the
 * frequent values, the ends of quantiles.  So a new value gets the label that it
 * would have got then: longer texts lose their ends, and a value between two
 * leaves gets the labels of the one below.  Bounds move by whole steps of the
 * widest interval, which keeps all intervals; a range that was cut off at the
 * old bound keeps its label, and the new leaves around it have a label with the
 * same beginning.
 *
 * The rule's row is input: the owner of the database may write it.  So only the
 * very owner of a hierarchy extends it, by a rule that the table's mark proves
 * (hierarchy_rule.c), the source is read by a role that trusts its code
 * (trusted_code.h), and the builder checks all arguments again.
 *
 * New ends come from the rule: whole steps, or units of time, beyond the old
 * ones.  So they say no more of a value than the highest label below *, and
 * what was built from bounds does not become made from data.
 */
#include "build/hierarchy_table.h"

#include "access/relation.h"
#include "catalog/dataset.h"
#include "catalog/own_objects.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "catalog/relations.h"
#include "catalog/trusted_code.h"
#include "catalog/type_match.h"
#include "catalog/typed_rows.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

/*
 * Moves the bounds of a rule to cover the values of its column, but never by more
 * than they are apart, or by a thousand leaves or ten years: a value far off is
 * rather a mistake than the first of many.
 */
static void
cover(HierarchyRule *rule, Oid leaf_type)
{
	Oid			type = column_type(rule->relation, rule->column);
	bool		days = rule->builder == BUILDER_DATES || rule->builder == BUILDER_DATES_AS_RANGES;
	bool		integers = type_is_integer(leaf_type);
	const Oid	types[2] = {NUMERICOID, NUMERICOID};
	const char *value = psprintf("r.%s", quote_identifier(rule->column));
	const char *below = "$1 - ceil(($1 - lowest) / w) * w";
	const char *above = "$1 + ceil((highest - $1) / w) * w";
	ParamListInfo params = add_value(add_value(NULL, NUMERICOID, rule->low, false), NUMERICOID, rule->high, false);
	QueryRows  *rows;
	bool		isnull;

	if (days ? !type_is_moment(type) : !type_is_number(type))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of relation %s has another type than the hierarchy", rule->column, relation_sql_name(rule->relation)),
				 errdetail("Its type is %s.", format_type_be(type))));
	params = add_value(params, NUMERICARRAYOID, rule->numbers, days);
	params = add_value(params, NUMERICOID, rule->step, rule->step == 0);
	if (days)
	{
		value = psprintf("CASE WHEN isfinite(%s) THEN %s::date - date '2000-01-01' END", value,
						 value_in_zone(value, type, DATEOID, pg_get_timezone_name(session_timezone)));
		below = psprintf("%s - date '2000-01-01'", unit_end(rule->units, "(date '2000-01-01' + lowest::int)", false));
		above = psprintf("%s - date '2000-01-01'", unit_end(rule->units, "(date '2000-01-01' + highest::int)", true));
	}
	else if (integers)
	{
		/* a bound is the last leaf, not where it ends */
		below = psprintf("floor(%s)", below);
		above = "ceil($1 + ceil((highest + 1 - $1) / w) * w) - 1";
	}
	rows = rows_of_query(psprintf("SELECT CASE WHEN lowest < $1 THEN least($1, %s) ELSE $1 END,"
								  " CASE WHEN highest > $2 THEN greatest($2, %s) ELSE $2 END FROM"
								  " (SELECT w, greatest(min(v), $1 - far) AS lowest, least(max(v), $2 + far) AS highest FROM"
								  " (SELECT w, greatest($2 - $1, %d * w) AS far FROM (SELECT coalesce($3[cardinality($3)], $4, 1) AS w) t) f,"
								  " (SELECT (%s)::numeric AS v FROM %s r) s WHERE abs(v) < 'Infinity' GROUP BY w, far) b",
								  below, above, days ? 3653 : 1000, value, relation_sql_name(rule->relation)),
						 list_make1_oid(rule->relation), params, NULL, 2, types);
	if (rows->n == 0)
		return;
	rule->low = row_value(rows, 0, 0, &isnull);
	rule->high = row_value(rows, 0, 1, &isnull);
}

/* ------------------------------------------------------------------ new leaves */

/* Columns from one on, between other texts, with commas. */
static char *
columns_of(List *names, int from, const char *before, const char *after)
{
	StringInfoData columns;

	initStringInfo(&columns);
	for (int i = from; i < list_length(names); i++)
		appendStringInfo(&columns, "%s%s%s%s", i > from ? ", " : "", before, quote_identifier(list_nth(names, i)), after);
	return columns.data;
}

/* What follows SELECT in the statement that adds the rows that are new, called new_leaves, to a table. */
static char *
new_rows(const NewLeaves *leaves, const HierarchyRule *rule, List *names)
{
	const char *table = relation_sql_name(leaves->hierarchy);
	const char *value = quote_identifier(linitial(names));
	const char *collation = type_is_text(leaves->leaf_type) ? " COLLATE \"C\"" : "";

	/* what no leaf covers */
	if (type_is_range(leaves->leaf_type))
		return psprintf("r, %s FROM (SELECT range_agg(h.%s) AS leaves FROM %s h) k, new_leaves n, unnest(multirange(n.%s) - k.leaves) r",
						columns_of(names, 1, "n.", ""), value, table, value);
	/* the labels of the greatest leaf below, or else of the least */
	if (rule->builder == BUILDER_QUANTILES)
		return psprintf("n.%s, %s FROM new_leaves n JOIN %s h ON h.%s = coalesce((SELECT max(l.%s%s) FROM %s l WHERE l.%s%s <= n.%s%s),"
						" (SELECT min(l.%s%s) FROM %s l)) ON CONFLICT DO NOTHING", value, columns_of(names, 1, "h.", ""), table, value,
						value, collation, table, value, collation, value, collation, value, collation, table);
	return "n.* FROM new_leaves n ON CONFLICT DO NOTHING";
}

/*
 * Fails if a row that was there is not by the rule.  A range may have been cut
 * off at an old bound, and a rare value may have become frequent, or the other
 * way round.
 */
static void
check_rule(const NewLeaves *leaves, const HierarchyRule *rule, List *names, QueryEnvironment *environment)
{
	const char *table = relation_sql_name(leaves->hierarchy);
	const char *value = quote_identifier(linitial(names));
	const char *labels = columns_of(names, rule->builder == BUILDER_FREQUENCIES ? 2 : 1, "", "");
	const Oid	type = TEXTOID;
	char	   *differing;
	char	   *found;

	if (rule->builder == BUILDER_QUANTILES)
		return;
	differing = type_is_range(leaves->leaf_type) ?
		psprintf("SELECT n.%s AS v FROM new_leaves n JOIN %s h ON lower(h.%s) = lower(n.%s) WHERE ROW(%s) IS DISTINCT FROM ROW(%s)", value, table,
				 value, value, columns_of(names, 1, "split_part(h.", ", ',', 1)"), columns_of(names, 1, "split_part(n.", ", ',', 1)")) :
		psprintf("SELECT %s AS v, %s FROM new_leaves EXCEPT SELECT %s, %s FROM %s", value, labels, value, labels, table);
	see_own_changes();
	/* of any five, the planner would compare each with each */
	found = row_text(rows_of_query(psprintf("SELECT string_agg(v, ', ' ORDER BY v) FROM (SELECT quote_literal(left(%s, 100)) AS v"
											" FROM (%s) d ORDER BY 1 LIMIT 5) s", sql_as(text_form(leaves->leaf_type), "d.v"), differing),
								   list_make1_oid(leaves->hierarchy), NULL, environment, 1, &type), 0, 0);
	PopActiveSnapshot();
	if (found != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("hierarchy %s has other labels than its rule gives", table),
				 errdetail("Among the leaves: %s.", found),
				 errhint("Its rows were changed, or the source of its rule. Add leaves with INSERT, or build another hierarchy.")));
}

/* Whether a role other than its owner may create triggers on a table. */
static bool
others_may_trigger(Oid table)
{
	const Oid	type = INT4OID;

	return read_own_changes("SELECT 1 FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = $1 AND a.privilege_type = 'TRIGGER'"
							" AND a.grantee <> c.relowner LIMIT 1", add_oid(NULL, table), 1, &type)->n > 0;
}

/*
 * Fails if rows that are added would run code of others, or could be changed.  A
 * source's function may create a trigger, so this is asked again before rows
 * are added.
 */
static void
require_plain(Relation table)
{
	Oid			hierarchy = RelationGetRelid(table);
	List	   *columns = live_columns(table);

	if (table->rd_rel->relkind != RELKIND_RELATION || table->rd_rules != NULL || table->trigdesc != NULL || table->rd_rel->relrowsecurity ||
		columns == NIL || (!type_is_range(hierarchy_leaf_type(hierarchy)) &&
						   !index_keeps_unique(table, ((Form_pg_attribute) linitial(columns))->attnum)))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("hierarchy %s cannot be extended", relation_sql_name(hierarchy)),
				 errdetail("It is no ordinary table, has rules, triggers or row security, or lacks a primary key or unique index on its first column.")));
	if (others_may_trigger(hierarchy))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("others may create triggers on hierarchy %s", relation_sql_name(hierarchy)),
				 errhint("REVOKE TRIGGER from all roles but its owner.")));
	require_trusted_relation(hierarchy);
}

/* Opens a hierarchy for one who may extend it, alone until the transaction ends. */
static Relation
open_to_extend(Oid hierarchy)
{
	Relation	table = relation_open_existing(hierarchy);

	if (table->rd_rel->relowner != GetUserId())
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(table->rd_rel->relkind), RelationGetRelationName(table));
	LockRelationOid(hierarchy, ShareRowExclusiveLock);
	require_plain(table);
	return table;
}

/* Collects the rows that a rule gives for its column's values, as a role that may read them. */
static void
collect_leaves(NewLeaves *leaves, HierarchyRule *rule)
{
	Relation	source = relation_open_existing(rule->relation);
	List	   *columns;
	ListCell   *cell;
	ActingAs	before;

	require_column(rule->relation, rule->column);
	columns = list_make1_int(get_attnum(rule->relation, rule->column));
	/* edges are two columns */
	if (rule->builder == BUILDER_TREE)
		foreach(cell, live_columns(source))
	{
		if (foreach_current_index(cell) < 2)
			columns = list_append_unique_int(columns, ((Form_pg_attribute) lfirst(cell))->attnum);
	}
	leaves->sources = list_make1_oid(rule->relation);
	before = act_as(reading_role(rule->relation, columns));
	(void) sql_use_catalog_names();
	if (hierarchy_builders[rule->builder].new_values == VALUES_BEYOND)
		cover(rule, leaves->leaf_type);
	hierarchy_rows_collect(leaves, rule);
	act_end(&before);
	relation_close(source, NoLock);
}

/* Prepares to collect rows for a hierarchy. */
static NewLeaves
leaves_begin(Relation table, List **names)
{
	NewLeaves	leaves = {.hierarchy = RelationGetRelid(table)};

	*names = hierarchy_columns(table, &leaves.leaf_type);
	leaves.height = list_length(*names) - 1;
	leaves.desc = CreateTemplateTupleDesc(leaves.height + 1);
	for (int i = 0; i <= leaves.height; i++)
		TupleDescInitEntry(leaves.desc, i + 1, list_nth(*names, i), i == 0 ? leaves.leaf_type : TEXTOID, -1, 0);
	TupleDescFinalize(leaves.desc);
	leaves.rows = tuplestore_begin_heap(false, false, work_mem);
	return leaves;
}

/* Extends by a rule that was read, and its source. */
static int64
extend_by(Oid hierarchy, HierarchyRule rule)
{
	Relation	table = open_to_extend(hierarchy);
	QueryEnvironment *environment = create_queryEnv();
	List	   *names;
	NewLeaves	leaves = leaves_begin(table, &names);
	int			settings = sql_use_catalog_names();
	int64		added;

	collect_leaves(&leaves, &rule);
	rows_show(environment, "new_leaves", leaves.rows, InvalidOid, leaves.desc);
	require_plain(table);
	added = (int64) rows_change(psprintf("INSERT INTO %s (%s) SELECT %s", relation_sql_name(hierarchy), columns_of(names, 0, "", ""),
										 new_rows(&leaves, &rule, names)), list_make1_oid(hierarchy), NULL, environment);
	check_rule(&leaves, &rule, names, environment);
	tuplestore_end(leaves.rows);
	sql_restore_names(settings);
	relation_close(table, NoLock);
	return added;
}

static void
require_rule(Oid hierarchy, HierarchyRule *rule)
{
	Oid			owner = relation_owner(hierarchy);

	if (owner != GetUserId())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of hierarchy %s", relation_sql_name(hierarchy)),
				 errhint("If you are a member of it, SET ROLE %s first.", quote_identifier(GetUserNameFromId(owner, false)))));
	if (!hierarchy_rule_read(hierarchy, rule, true))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("hierarchy %s has no rule by which leaves could be added", relation_sql_name(hierarchy)),
				 errdetail("Rules are recorded when a function such as anonopt.create_prefix_hierarchy, or anonopt.auto_dataset, builds a table."),
				 errhint("Add leaves with INSERT.")));
}

int64
hierarchy_extend(Oid hierarchy, Oid relation, const char *column)
{
	HierarchyRule rule;

	require_rule(hierarchy, &rule);
	if (hierarchy_builders[rule.builder].new_values == VALUES_NOWHERE)
		return 0;
	if (rule.builder == BUILDER_TREE && !OidIsValid(rule.relation))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("the edges of hierarchy %s are gone, or have another name", relation_sql_name(hierarchy)),
				 errhint("Add leaves with INSERT, or build another hierarchy.")));
	if (rule.builder != BUILDER_TREE)
	{
		rule.relation = relation;
		rule.column = column;
	}
	return extend_by(hierarchy, rule);
}

int64
hierarchy_extend_all(Oid hierarchy)
{
	const Oid	types[] = {OIDOID, OIDOID, TEXTOID, TEXTOID};
	HierarchyRule rule;
	QueryRows  *rows;
	int64		added = 0;

	require_rule(hierarchy, &rule);
	if (hierarchy_builders[rule.builder].new_values == VALUES_NOWHERE)
		return 0;
	if (hierarchy_builders[rule.builder].new_values == VALUES_ANYWHERE && OidIsValid(rule.relation))
		return extend_by(hierarchy, rule);
	rows = read_own_changes("SELECT d.relation::oid, d.row_type::oid, a.column_name::text, d.timezone FROM anonopt.attribute a"
							" JOIN anonopt.dataset d ON d.dataset = a.dataset WHERE a.hierarchy = $1 AND d.owner = $2 ORDER BY a.dataset, a.ordinal",
							add_name(add_oid(NULL, hierarchy), GetUserNameFromId(GetUserId(), false)), lengthof(types), types);
	for (int i = 0; i < rows->n; i++)
	{
		Dataset		dataset = {.timezone = row_text(rows, i, 3)};
		int			zone;

		if (!dataset_same_relation(row_oid(rows, i, 0), row_oid(rows, i, 1)) || row_text(rows, i, 2) == NULL)
			continue;
		zone = dataset_use_zone(&dataset);
		added += hierarchy_extend(hierarchy, row_oid(rows, i, 0), row_text(rows, i, 2));
		sql_restore_names(zone);
	}
	if (rows->n == 0)
		ereport(NOTICE,
				(errmsg("no data set of yours uses hierarchy %s", relation_sql_name(hierarchy)),
				 errhint("Its leaves are extended to the values of the columns that are declared with it.")));
	return added;
}

bool
hierarchy_is_described(Oid hierarchy)
{
	Relation	table = relation_open_existing(hierarchy);
	QueryEnvironment *environment = create_queryEnv();
	int			settings = sql_use_catalog_names();
	HierarchyRule rule;
	List	   *names;
	NewLeaves	leaves;
	const char *columns;
	bool		is_described = false;

	if (hierarchy_rule_read(hierarchy, &rule, false) && !rule.from_data && rule.builder < BUILDER_FLAT && rule.builder != BUILDER_BINS)
	{
		leaves = leaves_begin(table, &names);
		hierarchy_rows_collect(&leaves, &rule);
		rows_show(environment, "new_leaves", leaves.rows, InvalidOid, leaves.desc);
		columns = columns_of(names, 0, "", "");
		is_described = rows_of_query(psprintf("(SELECT %s FROM %s EXCEPT SELECT %s FROM new_leaves) UNION ALL"
											  " (SELECT %s FROM new_leaves EXCEPT SELECT %s FROM %s) LIMIT 1",
											  columns, relation_sql_name(hierarchy), columns, columns, columns, relation_sql_name(hierarchy)),
									 list_make1_oid(hierarchy), NULL, environment, 0, NULL)->n == 0;
		tuplestore_end(leaves.rows);
	}
	sql_restore_names(settings);
	relation_close(table, NoLock);
	return is_described;
}
