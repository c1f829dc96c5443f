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
#include "build/hierarchy_build.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "build/hierarchy_table.h"
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

/* ------------------------------------------------------------------ builders */

static void
call_builder(NewLeaves *leaves, const HierarchyRule *rule, Oid relation, const char *column)
{
	BuildTarget target = {.leaves = leaves};
	ArrayType  *lengths = rule->lengths == 0 ? NULL : DatumGetArrayTypePCopy(rule->lengths);

	switch (rule->builder)
	{
		case BUILDER_INTERVALS:
		case BUILDER_RANGES:
			(void) build_numbers(target, rule->low, rule->high, rule->builder == BUILDER_RANGES ? rule->step : 0, rule->numbers, true);
			break;
		case BUILDER_CODED:
			(void) build_coded(target, rule->low, rule->high, rule->top, rule->bottom, rule->numbers, rule->step);
			break;
		case BUILDER_ROUNDED:
		case BUILDER_ROUNDED_RANGES:
			(void) build_rounded(target, rule->low, rule->high, rule->numbers, rule->builder == BUILDER_ROUNDED_RANGES);
			break;
		case BUILDER_DATES:
		case BUILDER_DATES_AS_RANGES:
			(void) build_dates(target, DateADTGetDatum(rule->first_day), DateADTGetDatum(rule->last_day), rule->units,
							   rule->builder == BUILDER_DATES ? DATES_PLAIN : DATES_AS_RANGES, true);
			break;
		case BUILDER_FLAT:
			(void) build_flat(target, relation, column);
			break;
		case BUILDER_MAILS:
			(void) build_mails(target, relation, column);
			break;
		case BUILDER_MASKS:
			(void) build_masks(target, relation, column, rule->word);
			break;
		case BUILDER_QUANTILES:
			(void) build_quantiles(target, relation, column, lengths);
			break;
		case BUILDER_FREQUENCIES:
			(void) build_frequencies(target, relation, column, rule->minimum, rule->word);
			break;
		case BUILDER_PREFIXES:
			(void) build_prefixes(target, relation, column, lengths, rule->word);
			break;
		case BUILDER_CODES:
			/* levels of one length after another, the country's and the last */
			(void) build_codes(target, relation, column, leaves->height - 1, false);
			break;
		case BUILDER_COUNTRY_CODES:
			(void) build_codes(target, relation, column, leaves->height - 2, true);
			break;
		case BUILDER_ADDRESSES:
			(void) build_addresses(target, relation, column);
			break;
		case BUILDER_HOURS:
			(void) build_hours(target, relation, column);
			break;
		case BUILDER_TREE:
			(void) build_tree(target, relation);
			break;
		default:
			elog(ERROR, "builder %d does not extend hierarchies", (int) rule->builder);
	}
}

/*
 * Moves the bounds of a rule to cover a column's values, but never by more than
 * they are apart, or by a thousand leaves or ten years: a value far off is rather
 * a mistake than the first of many.
 */
static void
cover(HierarchyRule *rule, Oid leaf_type, Oid relation, const char *column)
{
	Oid			type = column_type(relation, column);
	bool		days = rule->builder == BUILDER_DATES || rule->builder == BUILDER_DATES_AS_RANGES;
	const char *value = psprintf("r.%s", quote_identifier(column));
	const Oid	types[2] = {days ? DATEOID : NUMERICOID, days ? DATEOID : NUMERICOID};
	ParamListInfo params = NULL;
	QueryRows  *rows;
	char	   *query;
	bool		isnull;

	if (days ? !type_is_moment(type) : !type_is_number(type))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of relation %s has another type than the hierarchy", column, relation_sql_name(relation)),
				 errdetail("Its type is %s.", format_type_be(type))));
	if (days)
	{
		params = add_value(add_value(NULL, DATEOID, DateADTGetDatum(rule->first_day), false), DATEOID, DateADTGetDatum(rule->last_day), false);
		query = psprintf("SELECT CASE WHEN min(v) < $1 THEN least($1, %s) ELSE $1 END, CASE WHEN max(v) > $2 THEN greatest($2, %s) ELSE $2 END"
						 " FROM (SELECT %s::date AS v FROM %s r WHERE isfinite(%s)) s, (SELECT greatest(3653, $2 - $1) AS far) f GROUP BY far",
						 unit_end(rule->units, "greatest(min(v), $1 - far)", false), unit_end(rule->units, "least(max(v), $2 + far)", true),
						 value, relation_sql_name(relation), value);
	}
	else
	{
		/* a high of integers is the last leaf, one of ranges where it ends */
		int			last = !type_is_range(leaf_type);

		params = add_value(add_value(NULL, NUMERICOID, rule->low, false), NUMERICOID, rule->high, false);
		params = add_array(params, NUMERICARRAYOID, rule->numbers);
		params = add_value(params, NUMERICOID, rule->step, rule->step == 0);
		query = psprintf("SELECT floor($1 - ceil(greatest(0, $1 - greatest(min(v), $1 - far)) / w) * w),"
						 " CASE WHEN max(v) > $2 THEN ceil($1 + ceil((least(max(v), $2 + far) + %d - $1) / w) * w) - %d ELSE $2 END"
						 " FROM (SELECT %s::numeric AS v FROM %s r) s,"
						 " (SELECT w, greatest($2 - $1, 1000 * w) AS far FROM (SELECT coalesce($3[cardinality($3)], $4, 1) AS w) t) f"
						 " WHERE abs(v) < 'Infinity' GROUP BY w, far", last, last, value, relation_sql_name(relation));
	}
	rows = rows_of_query(query, list_make1_oid(relation), params, NULL, 2, types);
	if (rows->n == 0)
		return;
	if (days)
	{
		rule->first_day = DatumGetDateADT(row_value(rows, 0, 0, &isnull));
		rule->last_day = DatumGetDateADT(row_value(rows, 0, 1, &isnull));
		return;
	}
	rule->low = row_value(rows, 0, 0, &isnull);
	rule->high = row_value(rows, 0, 1, &isnull);
}

/* ------------------------------------------------------------------ new leaves */

/* The columns of a table h from one on, or those of new_leaves n, between other texts, with commas. */
static char *
columns_of(List *names, bool own, int from, const char *before, const char *after)
{
	StringInfoData columns;

	initStringInfo(&columns);
	for (int i = from; i < list_length(names); i++)
		appendStringInfo(&columns, "%s%s%s%s", i > from ? ", " : "", before,
						 own ? psprintf("h.%s", quote_identifier(list_nth(names, i))) : psprintf("n.level%d", i), after);
	return columns.data;
}

/*
 * The statement that adds the rows that are new, called new_leaves, to a table
 * h.
 */
static char *
insertion(const NewLeaves *leaves, const HierarchyRule *rule, List *names)
{
	const char *table = relation_sql_name(leaves->hierarchy);
	const char *value = quote_identifier(linitial(names));
	const char *collation = type_is_text(leaves->leaf_type) ? " COLLATE \"C\"" : "";
	char	   *labels = columns_of(names, false, 1, "", "");
	StringInfoData all;

	initStringInfo(&all);
	for (int i = 0; i < list_length(names); i++)
		appendStringInfo(&all, "%s%s", i > 0 ? ", " : "", quote_identifier(list_nth(names, i)));

	/* what no leaf covers */
	if (type_is_range(leaves->leaf_type))
		return psprintf("INSERT INTO %s (%s) SELECT r, %s FROM (SELECT range_agg(h.%s) AS leaves FROM %s h) k, new_leaves n,"
						" unnest(multirange(n.value) - k.leaves) r", table, all.data, labels, value, table);
	/* the labels of the greatest leaf below, or else of the least */
	if (rule->builder == BUILDER_QUANTILES)
		return psprintf("INSERT INTO %s (%s) SELECT n.value, %s FROM new_leaves n JOIN %s h ON h.%s = coalesce("
						"(SELECT max(l.%s%s) FROM %s l WHERE l.%s%s <= n.value%s), (SELECT min(l.%s%s) FROM %s l)) ON CONFLICT DO NOTHING",
						table, all.data, columns_of(names, true, 1, "", ""), table, value, value, collation, table, value, collation,
						collation, value, collation, table);
	return psprintf("INSERT INTO %s (%s) SELECT n.value, %s FROM new_leaves n ON CONFLICT DO NOTHING", table, all.data, labels);
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
	const char *shown = sql_as(text_form(leaves->leaf_type), "d.value");
	int			first = rule->builder == BUILDER_FREQUENCIES ? 2 : 1;
	const Oid	type = TEXTOID;
	char	   *differing;
	char	   *found;

	if (rule->builder == BUILDER_QUANTILES)
		return;
	differing = type_is_range(leaves->leaf_type) ?
		psprintf("SELECT n.value FROM new_leaves n JOIN %s h ON lower(h.%s) = lower(n.value) WHERE ROW(%s) IS DISTINCT FROM ROW(%s)", table, value,
				 columns_of(names, true, 1, "split_part(", ", ',', 1)"), columns_of(names, false, 1, "split_part(", ", ',', 1)")) :
		psprintf("SELECT n.value, %s FROM new_leaves n EXCEPT SELECT h.%s, %s FROM %s h", columns_of(names, false, first, "", ""), value,
				 columns_of(names, true, first, "", ""), table);
	see_own_changes();
	found = row_text(rows_of_query(psprintf("SELECT string_agg(v, ', ' ORDER BY v) FROM (SELECT quote_literal(left(%s, 100)) AS v"
											" FROM (%s) d LIMIT 5) s", shown, differing),
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
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
	bool		found = false;
	bool		isnull;
	Datum		stored;

	if (!HeapTupleIsValid(tuple))
		relation_is_missing(table);
	stored = SysCacheGetAttr(RELOID, tuple, Anum_pg_class_relacl, &isnull);
	if (!isnull)
	{
		const		Acl *acl = DatumGetAclPCopy(stored);

		for (int i = 0; i < ACL_NUM(acl); i++)
			found |= (ACL_DAT(acl)[i].ai_privs & ACL_TRIGGER) != 0 && ACL_DAT(acl)[i].ai_grantee != relation_owner(table);
	}
	ReleaseSysCache(tuple);
	return found;
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

/* Collects the rows that the rule gives for a column's values, as a role that may read them. */
static void
collect_leaves(NewLeaves *leaves, HierarchyRule *rule, Oid relation, const char *column)
{
	Relation	source = relation_open_existing(relation);
	List	   *columns;
	ListCell   *cell;
	ActingAs	before;

	require_column(relation, column);
	columns = list_make1_int(get_attnum(relation, column));
	/* edges are two columns */
	if (rule->builder == BUILDER_TREE)
		foreach(cell, live_columns(source))
	{
		if (foreach_current_index(cell) < 2)
			columns = list_append_unique_int(columns, ((Form_pg_attribute) lfirst(cell))->attnum);
	}
	leaves->sources = list_make1_oid(relation);
	before = act_as(reading_role(relation, columns));
	(void) sql_use_catalog_names();
	if (rule->values == VALUES_BEYOND)
		cover(rule, leaves->leaf_type, relation, column);
	call_builder(leaves, rule, relation, column);
	act_end(&before);
	relation_close(source, NoLock);
}

/* Extends by a rule that was read. */
static int64
extend_by(Oid hierarchy, HierarchyRule rule, Oid relation, const char *column)
{
	Relation	table = open_to_extend(hierarchy);
	NewLeaves	leaves = {.hierarchy = hierarchy};
	QueryEnvironment *environment = create_queryEnv();
	List	   *names = hierarchy_columns(table, &leaves.leaf_type);
	int			settings = sql_use_catalog_names();
	int64		added;

	leaves.height = list_length(names) - 1;
	leaves.desc = CreateTemplateTupleDesc(leaves.height + 1);
	TupleDescInitEntry(leaves.desc, 1, "value", leaves.leaf_type, -1, 0);
	for (int i = 1; i <= leaves.height; i++)
		TupleDescInitEntry(leaves.desc, i + 1, psprintf("level%d", i), TEXTOID, -1, 0);
	TupleDescFinalize(leaves.desc);
	leaves.rows = tuplestore_begin_heap(false, false, work_mem);
	collect_leaves(&leaves, &rule, relation, column);
	rows_show(environment, "new_leaves", leaves.rows, InvalidOid, leaves.desc);
	require_plain(table);
	added = (int64) rows_change(insertion(&leaves, &rule, names), list_make1_oid(hierarchy), NULL, environment);
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
	if (!hierarchy_rule_read(hierarchy, rule))
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
	if (rule.values == VALUES_NOWHERE)
		return 0;
	if (rule.builder == BUILDER_TREE && !OidIsValid(rule.relation))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("the edges of hierarchy %s are gone, or have another name", relation_sql_name(hierarchy)),
				 errhint("Add leaves with INSERT, or build another hierarchy.")));
	if (rule.builder == BUILDER_TREE)
		return extend_by(hierarchy, rule, rule.relation, rule.column);
	return extend_by(hierarchy, rule, relation, column);
}

int64
hierarchy_extend_all(Oid hierarchy)
{
	const Oid	types[] = {OIDOID, OIDOID, TEXTOID, TEXTOID};
	HierarchyRule rule;
	QueryRows  *rows;
	int64		added = 0;

	require_rule(hierarchy, &rule);
	if (rule.values == VALUES_NOWHERE)
		return 0;
	if (rule.values == VALUES_ANYWHERE && OidIsValid(rule.relation))
		return extend_by(hierarchy, rule, rule.relation, rule.column);
	see_own_changes();
	rows = read_catalog("SELECT d.relation::oid, d.row_type::oid, a.column_name::text, d.timezone FROM anonopt.attribute a"
						" JOIN anonopt.dataset d ON d.dataset = a.dataset WHERE a.hierarchy = $1 AND d.owner = $2 ORDER BY a.dataset, a.ordinal",
						add_name(add_oid(NULL, hierarchy), GetUserNameFromId(GetUserId(), false)), lengthof(types), types);
	PopActiveSnapshot();
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
