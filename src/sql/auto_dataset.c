/*
 * auto_dataset.c
 *	  SQL: auto_dataset, which declares any table in one call, or says how it
 *	  would.
 *
 * First, everything that is known about the columns without reading them is
 * checked, and all faults are reported at once.  Then each column is examined
 * (column_plan.c), and only then are hierarchies built.  Their tables have a
 * comment that names the data set and column, and drop_dataset drops no
 * others.
 */
#include "base/compat.h"

#include "access/relation.h"
#include "catalog/namespace.h"
#include "catalog/pg_namespace.h"
#include "catalog/sql.h"
#include "catalog/trusted_code.h"
#include "catalog/type_match.h"
#include "commands/comment.h"
#include "commands/defrem.h"
#include "miscadmin.h"
#include "read/population_read.h"
#include "sql/call.h"
#include "build/column_plan.h"
#include "sql/declare.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

/* A call's request. */
typedef struct AutoCall
{
	ResultRow  *row;
	char	   *name;
	Relation	relation;
	Oid			oid;
	Oid			schema;			/* of hierarchies */
	int			ncolumns;		/* columns named as quasi-identifiers */
	char	  **columns;
	int			nsensitive;		/* and as sensitive */
	char	  **sensitive;
	bool		dry_run;
} AutoCall;

/* ------------------------------------------------------------------ faults */

/* Faults of columns, reported together. */
typedef struct Faults
{
	int			n;
	int			code;			/* of the first */
	const char *first;
	const char *hint;
	StringInfoData all;
} Faults;

static void
add_column_fault(Faults *faults, int code, const char *fault, const char *hint)
{
	if (faults->n++ == 0)
	{
		faults->code = code;
		faults->first = fault;
		faults->hint = hint;
		initStringInfo(&faults->all);
	}
	appendStringInfo(&faults->all, "%s%s.", faults->n > 1 ? "\n" : "", fault);
}

/* Whether a column is among the first of those named as quasi-identifiers. */
static bool
is_named(const AutoCall *call, int n, const char *column)
{
	for (int i = 0; i < n; i++)
		if (strcmp(call->columns[i], column) == 0)
			return true;
	return false;
}

/* What is wrong with a named column, without reading it. */
static void
find_fault(Faults *faults, const AutoCall *call, int number)
{
	const char *column = call->columns[number];

	if (is_named(call, number, column))
		add_column_fault(faults, ERRCODE_INVALID_PARAMETER_VALUE, psprintf("column \"%s\" is named twice", column), NULL);
	else if (!OidIsValid(column_type(call->oid, column)))
		add_column_fault(faults, ERRCODE_UNDEFINED_COLUMN,
						 psprintf("column \"%s\" of relation %s does not exist", column, relation_sql_name(call->oid)), NULL);
	else if (!may_select(call->oid, list_make1_int(get_attnum(call->oid, column))))
		add_column_fault(faults, ERRCODE_INSUFFICIENT_PRIVILEGE,
						 psprintf("permission denied for column \"%s\" of relation %s", column, relation_sql_name(call->oid)), NULL);
	else
	{
		ColumnPlan *plan = column_plan_by_type(call->oid, column);

		if (plan->refusal != NULL)
			add_column_fault(faults, ERRCODE_INVALID_PARAMETER_VALUE,
							 psprintf("column \"%s\" cannot be a quasi-identifier: %s", column, plan->refusal), plan->hint);
	}
}

/* ------------------------------------------------------------------- rows */

static void
put_plan(const AutoCall *call, const ColumnPlan *plan, Oid hierarchy, const char *role, const char *reason)
{
	put_string(call->row, "column_name", plan->column);
	if (OidIsValid(hierarchy))
		put_datum(call->row, "hierarchy", REGCLASSOID, ObjectIdGetDatum(hierarchy));
	if (strcmp(role, "quasi_identifier") == 0 || OidIsValid(hierarchy))
		put_count(call->row, "levels", OidIsValid(hierarchy) ? hierarchy_height(hierarchy) : plan->levels);
	put_string(call->row, "role", role);
	put_string(call->row, "reason", reason);
	row_add(call->row);
}

/* Adds one row per column of the relation: its suggested role, and why. */
static void
put_dry_run(const AutoCall *call)
{
	ListCell   *cell;

	foreach(cell, live_columns(call->relation))
	{
		char	   *column = NameStr(((Form_pg_attribute) lfirst(cell))->attname);
		ColumnPlan *plan = column_plan_by_type(call->oid, column);

		if (!may_select(call->oid, list_make1_int(get_attnum(call->oid, column))))
		{
			put_plan(call, plan, InvalidOid, "drop", "you may not read it");
			continue;
		}
		column_plan_by_data(plan, call->relation);
		if (is_named(call, call->ncolumns, column))
			put_plan(call, plan, InvalidOid, "quasi_identifier", psprintf("named as a quasi-identifier: %s", plan->form));
		else
			put_plan(call, plan, InvalidOid, plan->role,
					 strcmp(plan->role, "quasi_identifier") == 0 ? psprintf("may be a quasi-identifier: %s", plan->form) :
					 strcmp(plan->role, "sensitive") == 0 && column_plan_needs_bands(plan) ? psprintf("%s, and is to be shown in bands", plan->reason) : plan->reason);
	}
}

/* --------------------------------------------------------- a level too coarse */

/* Reads a column with the hierarchy that this statement has made. */
static Population *
read_column(const Dataset *dataset, const Declared *declared)
{
	Population *population;

	see_own_changes();
	population = population_read_column(dataset, declared);
	PopActiveSnapshot();
	return population;
}

static uint32
label_of_tuple(const Population *population, uint32 tuple, int level)
{
	return population->attrs[0].hierarchy->levels[level].label_of[key_get(&population->tuples->keys[tuple], &population->attrs[0].field)];
}

/* The number of people by label of a level. */
static int64 *
people_by_label(const Population *population, int level)
{
	int64	   *people = palloc0(sizeof(int64) * ((Size) population->attrs[0].hierarchy->levels[level].nlabels + 1));

	for (uint32 i = 0; i < population->tuples->ntuples; i++)
		people[label_of_tuple(population, i, level)] += population->tuples->counts[i];
	return people;
}

/*
 * Reports a first level that shows most people alike though their values
 * differ.  A single step to * is expected of few values.
 */
static void
tell_coarse_level(const ColumnPlan *plan, const Dataset *dataset)
{
	Population *population;
	const Hierarchy *hierarchy;
	int64	   *people;
	uint32		label = 0;
	int64		alike = 0;		/* with the most frequent of its values */

	/* NaN, which has no leaf, is for a later reading to refuse */
	if ((plan->levels <= 1 && plan->profile.values <= MANY_TEXTS) || plan->profile.infinite > 0)
		return;
	population = read_column(dataset, &dataset->attributes[dataset->nattributes - 1]);
	hierarchy = population->attrs[0].hierarchy;
	people = people_by_label(population, 1);
	while (label < hierarchy->levels[1].nlabels && people[label] <= population->people / 2)
		label++;
	for (uint32 i = 0; i < population->tuples->ntuples; i++)
		if (label_of_tuple(population, i, 1) == label)
			alike = Max(alike, population->tuples->counts[i]);
	if (label < hierarchy->levels[1].nlabels && alike <= population->people / 2)
		ereport(NOTICE,
				(errmsg("first level of column \"%s\" shows most people alike", plan->column),
				 errdetail(INT64_FORMAT " of " INT64_FORMAT " people are shown as %s there.", people[label], population->people,
						   hierarchy->labels[1][label] == NULL ? "NULL" : hierarchy->labels[1][label]),
				 errhint("Declare the column with a hierarchy that divides its values better, for example one of anonopt.%s.",
						 type_is_number(plan->type) ? "create_quantile_hierarchy" : type_is_moment(plan->type) ? "create_date_hierarchy" :
						 "create_prefix_hierarchy or anonopt.create_tree_hierarchy")));
	MemoryContextDelete(population->context);
}

/* ------------------------------------------------------------------- call */

/* A free name for a hierarchy, of the form relation_column_hierarchy. */
static Oid
build_hierarchy(const AutoCall *call, const ColumnPlan *plan)
{
	char	   *name = ChooseRelationName(get_rel_name(call->oid), plan->column, "hierarchy", call->schema, false);
	Oid			hierarchy = hierarchy_table_build(quote_qualified_identifier(get_namespace_name(call->schema), name), &plan->rule);

	CreateComments(hierarchy, RelationRelationId, 0, made_comment(call->name, plan->column));
	return hierarchy;
}

/* The lowest level whose labels are shared by enough people, but for one in a hundred; or the last. */
static int
level_of_bands(const Dataset *dataset, const Declared *declared)
{
	Population *population = read_column(dataset, declared);
	const Hierarchy *hierarchy = population->attrs[0].hierarchy;
	int			level = 0;
	int64		rare;

	do
	{
		int64	   *people = people_by_label(population, ++level);

		rare = 0;
		for (uint32 label = 0; label < hierarchy->levels[level].nlabels; label++)
			rare += people[label] < RARE_PEOPLE ? people[label] : 0;
		pfree(people);
	} while (rare > 0.01 * population->people && level < hierarchy->height);
	MemoryContextDelete(population->context);
	return level;
}

/* Declares a sensitive column: in bands, if it would single people out. */
static void
add_sensitive(const AutoCall *call, char *column)
{
	Declared	declared = {.role = ROLE_SENSITIVE,.column = column,.weight = 1,.max_level = -1};
	ColumnPlan *plan = column_plan_by_type(call->oid, column);

	column_plan_by_data(plan, call->relation);
	if (plan->refusal == NULL && column_plan_needs_bands(plan))
	{
		declared.hierarchy = build_hierarchy(call, plan);
		declared.distance = DISTANCE_ORDERED;
		declared.min_level = declared.max_level = level_of_bands(dataset_load_latest(call->name), &declared);
	}
	declare_sensitive(dataset_load_latest(call->name), &declared);
	put_plan(call, plan, declared.hierarchy, "sensitive",
			 OidIsValid(declared.hierarchy) ? psprintf("few people share a value: shown at level %d", declared.max_level) : "shown as it is");
}

static void
make_dataset(AutoCall *call)
{
	ColumnPlan **plans = palloc(sizeof(ColumnPlan *) * (call->ncolumns + 1));
	int			zone;

	declare_dataset(call->name, call->oid, 0.01, NULL, NULL, "UTC");
	zone = dataset_use_zone(dataset_load_latest(call->name));
	for (int i = 0; i < call->ncolumns; i++)
	{
		plans[i] = column_plan_by_type(call->oid, call->columns[i]);
		column_plan_by_data(plans[i], call->relation);
	}
	for (int i = 0; i < call->ncolumns; i++)
	{
		Declared	declared = {.role = ROLE_QUASI_IDENTIFIER,.column = plans[i]->column,.weight = 1,.max_level = -1};

		declared.loss_counts = plans[i]->rule.builder == BUILDER_BINS ? LOSS_RANGE : LOSS_OCCURRING;
		declared.hierarchy = build_hierarchy(call, plans[i]);
		declare_quasi_identifier(dataset_load_latest(call->name), &declared);
		column_plan_tell(plans[i]);
		tell_coarse_level(plans[i], dataset_load_latest(call->name));
		put_plan(call, plans[i], declared.hierarchy, "quasi_identifier", plans[i]->form);
	}
	for (int i = 0; i < call->nsensitive; i++)
		add_sensitive(call, call->sensitive[i]);
	sql_restore_names(zone);
}

OWN_FUNCTION(anonopt_auto_dataset)
{
	AutoCall	call = {0};
	Faults		faults = {0};
	char	   *schema;
	AclResult	may_create = ACLCHECK_OK;

	call.row = result_begin(fcinfo);
	call.name = name_argument(fcinfo, "dataset");
	call.oid = relation_argument(fcinfo, "relation");
	call.dry_run = boolean_argument(fcinfo, "dry_run");
	/* keeps the columns' types until all hierarchies are built */
	call.relation = relation_open_existing(call.oid);
	require_rows(call.oid);
	if (is_given(fcinfo, "quasi_identifiers"))
		call.columns = names_argument(fcinfo, "quasi_identifiers", "quasi-identifiers", &call.ncolumns);
	if (call.ncolumns == 0 && !call.dry_run)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("no quasi-identifiers are named"),
				 errhint("Name the columns by which people could be recognized; with dry_run, auto_dataset suggests some.")));
	if (is_given(fcinfo, "sensitive"))
		call.sensitive = columns_argument(fcinfo, "sensitive", call.oid, &call.nsensitive);
	for (int i = 0; i < call.nsensitive; i++)
		require_readable_column(call.oid, call.sensitive[i]);
	for (int i = 0; i < call.ncolumns; i++)
		find_fault(&faults, &call, i);
	if (faults.n == 1)
		ereport(ERROR,
				(errcode(faults.code),
				 errmsg("%s", faults.first),
				 faults.hint != NULL ? errhint("%s", faults.hint) : 0));
	if (faults.n > 1)
		ereport(ERROR,
				(errcode(faults.code),
				 errmsg("%d columns cannot be quasi-identifiers", faults.n),
				 errdetail("%s", faults.all.data),
				 errhint("Leave them out; with dry_run, auto_dataset says what suits each column.")));
	schema = name_if_given(fcinfo, "schema");
	call.schema = schema == NULL ? get_rel_namespace(call.oid) : get_namespace_oid(schema, false);
	if (!call.dry_run)
		may_create = object_aclcheck(NamespaceRelationId, call.schema, GetUserId(), ACL_CREATE);
	if (may_create != ACLCHECK_OK)
		aclcheck_error(may_create, OBJECT_SCHEMA, get_namespace_name(call.schema));
	if (call.dry_run)
		put_dry_run(&call);
	else
		make_dataset(&call);
	relation_close(call.relation, NoLock);
	return (Datum) 0;
}
