/*
 * dataset.c
 *	  Declarations of data sets, loaded from the catalogs.
 *
 * The database's owner can write these rows too, to restore a dump, and may
 * write anything.  So a declaration is checked when it is loaded, as if a
 * stranger had typed it.  Later code does not check again whether there are
 * too many quasi-identifiers or whether a weight is a number.
 */
#include "catalog/dataset.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/own_objects.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "catalog/relations.h"
#include "catalog/sql.h"
#include "catalog/trusted_code.h"
#include "catalog/type_match.h"
#include "commands/comment.h"
#include "miscadmin.h"
#include "pgtime.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

/* The attributes of a data set: a relation's columns, each in every role. */
#define MAX_DECLARED ((ROLE_PSEUDONYM + 1) * MaxHeapAttributeNumber)

static const char *const role_names[] = {
	"quasi_identifier", "sensitive", "class_label", "identifier", "insensitive", "pseudonym"
};

const char *const distance_names[DISTANCES] = {"equal", "ordered", "hierarchical"};
const char *const loss_rule_names[LOSS_RULES] = {"leaves", "occurring", "range"};

const char *
role_name(Role role)
{
	return role_names[role];
}

Distance
distance_by_name(const char *name)
{
	return (Distance) require_choice("distance", name, "Distances", distance_names, lengthof(distance_names), " and ");
}

Role
role_by_name(const char *name)
{
	return (Role) require_choice("role", name, "Roles", role_names, lengthof(role_names), " and ");
}

/* Fails with 23514: the catalogs hold a row that no function here would write. */
static void
refuse_declaration(const char *dataset, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_CHECK_VIOLATION),
			 errmsg("declaration of data set \"%s\" is not sound", dataset),
			 errdetail("%s", detail),
			 errhint("Call anonopt.drop_attribute or anonopt.drop_dataset, and declare it again.")));
}

static void
check_attribute(const Dataset *dataset, const Declared *attribute)
{
	bool		needs_hierarchy = attribute->role == ROLE_QUASI_IDENTIFIER || attribute->distance == DISTANCE_HIERARCHICAL;

	if (!(attribute->weight >= 0) || isinf(attribute->weight))
		refuse_declaration(dataset->name, psprintf("Column \"%s\" has a weight that is negative or not finite.", attribute->column));
	if (attribute->min_level < 0 || attribute->max_level < -1 ||
		(attribute->max_level >= 0 && attribute->max_level < attribute->min_level))
		refuse_declaration(dataset->name, psprintf("Column \"%s\" has levels that are out of range for any hierarchy.", attribute->column));
	if (needs_hierarchy && !OidIsValid(attribute->hierarchy))
		refuse_declaration(dataset->name, psprintf("Column \"%s\" lacks a hierarchy.", attribute->column));
	if (attribute->role == ROLE_SENSITIVE && attribute->max_level >= 0 &&
		(attribute->min_level != attribute->max_level || !OidIsValid(attribute->hierarchy)))
		refuse_declaration(dataset->name, psprintf("Sensitive column \"%s\" is not shown at one level of a hierarchy.", attribute->column));
	if (attribute->grows && attribute->role != ROLE_QUASI_IDENTIFIER)
		refuse_declaration(dataset->name, psprintf("Column \"%s\" grows, and is no quasi-identifier.", attribute->column));
	for (const Declared *other = dataset->attributes; other < attribute; other++)
		if (other->role == attribute->role && strcmp(other->column, attribute->column) == 0)
			refuse_declaration(dataset->name, psprintf("Column \"%s\" has the same role twice.", attribute->column));
}

static void
load_attributes(Dataset *dataset)
{
	const Oid	types[] = {TEXTOID, TEXTOID, OIDOID, OIDOID, FLOAT8OID, INT4OID, INT4OID,
	TEXTOID, OIDOID, OIDOID, TEXTOID, TEXTOID, TEXTOID, BOOLOID};
	QueryRows  *rows;

	rows = read_catalog(psprintf("SELECT role, column_name::text, hierarchy::oid, hierarchy_type::oid, coalesce(weight, 'NaN'),"
								 " coalesce(min_level, -1), coalesce(max_level, -1), distance, sensitivity::oid, sensitivity_type::oid,"
								 " unknown, loss_counts, owner_sensitivity::text, coalesce(grow, false)"
								 " FROM anonopt.attribute WHERE dataset = $1 ORDER BY ordinal LIMIT %d", MAX_DECLARED + 1),
						add_text(NULL, dataset->name), lengthof(types), types);
	if (rows->n > MAX_DECLARED)
		refuse_declaration(dataset->name, "It has more columns than a relation.");
	dataset->nattributes = rows->n;
	dataset->attributes = palloc0(sizeof(Declared) * (dataset->nattributes + 1));
	for (int i = 0; i < dataset->nattributes; i++)
	{
		Declared   *attribute = &dataset->attributes[i];
		char	   *role = row_text(rows, i, 0);
		char	   *distance = row_text(rows, i, 7);
		char	   *loss_counts = row_text(rows, i, 11);
		bool		isnull;

		attribute->column = row_text(rows, i, 1);
		if (role == NULL || distance == NULL || loss_counts == NULL || attribute->column == NULL)
			refuse_declaration(dataset->name, "A column lacks its name, role, distance or what its loss counts.");
		attribute->role = role_by_name(role);
		attribute->distance = distance_by_name(distance);
		attribute->hierarchy = row_oid(rows, i, 2);
		attribute->hierarchy_type = row_oid(rows, i, 3);
		attribute->weight = DatumGetFloat8(row_value(rows, i, 4, &isnull));
		attribute->min_level = DatumGetInt32(row_value(rows, i, 5, &isnull));
		attribute->max_level = DatumGetInt32(row_value(rows, i, 6, &isnull));
		attribute->sensitivity = row_oid(rows, i, 8);
		attribute->sensitivity_type = row_oid(rows, i, 9);
		attribute->shows_unknown = row_text(rows, i, 10) != NULL;
		attribute->loss_counts = (LossRule) require_choice("loss_counts", loss_counts, "Losses", loss_rule_names, LOSS_RULES, " and ");
		attribute->owner_sensitivity = row_text(rows, i, 12);
		attribute->grows = DatumGetBool(row_value(rows, i, 13, &isnull));
	}
	for (int i = 0; i < dataset->nattributes; i++)
		check_attribute(dataset, &dataset->attributes[i]);
	if (dataset_count_role(dataset, ROLE_QUASI_IDENTIFIER) > MAX_ATTRIBUTES)
		refuse_declaration(dataset->name, psprintf("It has %d quasi-identifiers, and at most %d can be used.",
												   dataset_count_role(dataset, ROLE_QUASI_IDENTIFIER), MAX_ATTRIBUTES));
	if (dataset_count_role(dataset, ROLE_CLASS_LABEL) > 1)
		refuse_declaration(dataset->name, "It has more than one class label.");
}

/*
 * Fails with 23514: the catalogs hold a promise that no function here would
 * write.
 */
static void
refuse_promise(const char *dataset, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_CHECK_VIOLATION),
			 errmsg("a promise of data set \"%s\" is not sound", dataset),
			 errdetail("%s", detail),
			 errhint("Call anonopt.drop_promise, and declare it again.")));
}

bool
dataset_has_role(const Dataset *dataset, Role role, const char *column)
{
	for (int i = 0; i < dataset->nattributes; i++)
		if (dataset->attributes[i].role == role && strcmp(dataset->attributes[i].column, column) == 0)
			return true;
	return false;
}

/* In the order of models and columns, so that every message lists them alike. */
static void
load_promises(Dataset *dataset)
{
	const Oid	types[] = {TEXTOID, TEXTOID, FLOAT8OID, FLOAT8OID, BOOLOID, OIDOID, OIDOID, INT4OID, INT4OID};
	QueryRows  *rows;

	rows = read_catalog(psprintf("SELECT model, column_name::text, coalesce(threshold, 'NaN'), coalesce(c, 'NaN'), c IS NOT NULL,"
								 " population::oid, population_type::oid, CASE WHEN columns_known < 1 THEN -1 ELSE coalesce(columns_known, 0) END,"
								 " CASE WHEN rows_known < 1 THEN -1 ELSE coalesce(rows_known, 0) END FROM anonopt.promise WHERE dataset = $1"
								 " ORDER BY model COLLATE \"C\", column_name, columns_known NULLS FIRST, rows_known NULLS FIRST LIMIT %d", MAX_PROMISES + 1),
						add_text(NULL, dataset->name), lengthof(types), types);
	if (rows->n > MAX_PROMISES)
		refuse_promise(dataset->name, psprintf("There are more than %d.", MAX_PROMISES));
	dataset->npromises = rows->n;
	dataset->promises = palloc0(sizeof(DeclaredPromise) * (dataset->npromises + 1));
	for (int i = 0; i < dataset->npromises; i++)
	{
		DeclaredPromise *promise = &dataset->promises[i];
		char	   *name = row_text(rows, i, 0);
		int			model = name == NULL ? -1 : model_by_name(name);
		bool		isnull;

		if (model < 0 || model_needs_boxes(model))
			refuse_promise(dataset->name, name == NULL ? "It has no model." : psprintf("There is no model \"%s\".", name));
		promise->model = (PromiseModel) model;
		promise->column = row_text(rows, i, 1);
		promise->threshold = DatumGetFloat8(row_value(rows, i, 2, &isnull));
		promise->c = DatumGetFloat8(row_value(rows, i, 3, &isnull));
		promise->has_c = DatumGetBool(row_value(rows, i, 4, &isnull));
		promise->population = row_oid(rows, i, 5);
		promise->population_type = row_oid(rows, i, 6);
		promise->columns_known = DatumGetInt32(row_value(rows, i, 7, &isnull));
		promise->rows_known = DatumGetInt32(row_value(rows, i, 8, &isnull));
	}
	for (const DeclaredPromise *promise = dataset->promises; promise < dataset->promises + rows->n; promise++)
	{
		char	   *problem = promise_problem(promise);

		if (problem != NULL)
			refuse_promise(dataset->name, problem);
		if (promise->column != NULL && !dataset_has_role(dataset, ROLE_SENSITIVE, promise->column))
			refuse_promise(dataset->name, psprintf("Column \"%s\" is not sensitive.", promise->column));
		if (promise->rows_known > 0 && dataset->person == NULL)
			refuse_promise(dataset->name, "The data set has no person, of whom rows could be known.");
		for (const DeclaredPromise *other = dataset->promises; other < promise; other++)
			if (promise_is_alike(other, promise))
				refuse_promise(dataset->name, psprintf("Model %s%s is declared twice.", model_name(promise->model), known_text(promise)));
	}
}

int
shown_level(const Declared *declared)
{
	return declared->role == ROLE_SENSITIVE ? declared->max_level : -1;
}

int
shown_level_of(const Dataset *dataset, const char *column)
{
	for (int i = 0; i < dataset->nattributes; i++)
		if (strcmp(dataset->attributes[i].column, column) == 0 && shown_level(&dataset->attributes[i]) >= 0)
			return shown_level(&dataset->attributes[i]);
	return -1;
}

Declared *
dataset_declare(Dataset *dataset, Role role, char *column)
{
	Declared   *declared = &dataset->attributes[dataset->nattributes++];

	declared->role = role;
	declared->column = column;
	declared->weight = 1;
	declared->max_level = -1;
	return declared;
}

bool
dataset_promises_values(const Dataset *dataset)
{
	for (int i = 0; i < dataset->npromises; i++)
		if (promise_needs_values(&dataset->promises[i]))
			return true;
	return false;
}

bool
dataset_promises_rows(const Dataset *dataset)
{
	for (int i = 0; i < dataset->npromises; i++)
		if (dataset->promises[i].rows_known > 0)
			return true;
	return false;
}

bool
dataset_promises_known(const Dataset *dataset)
{
	for (int i = 0; i < dataset->npromises; i++)
		if (promise_is_of_known(&dataset->promises[i]))
			return true;
	return false;
}

int64
dataset_strictest_k(const Dataset *dataset, int64 k, int columns)
{
	for (int i = 0; i < dataset->npromises; i++)
	{
		const DeclaredPromise *promise = &dataset->promises[i];

		if (models[promise->model]->scope == ABOUT_SIZES &&
			(promise->columns_known == 0 || promise->columns_known >= columns))
			k = Max(k, (int64) promise->threshold);
	}
	return k;
}

void
dataset_promise(Dataset *dataset, const DeclaredPromise *promise)
{
	DeclaredPromise *promises;

	for (int i = 0; i < dataset->npromises; i++)
	{
		const DeclaredPromise *other = &dataset->promises[i];

		if (!promise_is_alike(other, promise))
			continue;
		if (promise_is_stricter(other, promise))
			return;
		if (promise_is_stricter(promise, other))
		{
			dataset->promises[i] = *promise;
			return;
		}
	}
	promises = palloc(sizeof(DeclaredPromise) * (dataset->npromises + 1));
	memcpy(promises, dataset->promises, sizeof(DeclaredPromise) * dataset->npromises);
	promises[dataset->npromises++] = *promise;
	dataset->promises = promises;
}

/* Loads it without its columns, so that even a broken declaration can be dropped. */
static Dataset *
dataset_load_entry(const char *name)
{
	Dataset    *dataset = palloc0(sizeof(Dataset));
	const Oid	types[] = {OIDOID, OIDOID, FLOAT8OID, TEXTOID, TEXTOID, TEXTOID, TEXTOID};
	QueryRows  *rows;
	bool		isnull;

	dataset->name = pstrdup(name);
	rows = read_catalog("SELECT relation::oid, row_type::oid, coalesce(max_suppression, 'NaN'), owner::text, person::text,"
						" count_column::text, timezone"
						" FROM anonopt.dataset WHERE dataset = $1", add_text(NULL, name), lengthof(types), types);
	if (rows->n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("data set \"%s\" does not exist", name),
				 errhint("Declare it with anonopt.create_dataset; anonopt.dataset lists existing data sets.")));
	dataset->relation = row_oid(rows, 0, 0);
	dataset->row_type = row_oid(rows, 0, 1);
	dataset->max_suppression = DatumGetFloat8(row_value(rows, 0, 2, &isnull));
	dataset->owner = row_text(rows, 0, 3);
	dataset->person = row_text(rows, 0, 4);
	dataset->count_column = row_text(rows, 0, 5);
	dataset->timezone = row_text(rows, 0, 6);
	if (dataset->owner == NULL)
		refuse_declaration(name, "It has no owner.");
	return dataset;
}

Dataset *
dataset_load(const char *name)
{
	Dataset    *dataset = dataset_load_entry(name);

	if (!(dataset->max_suppression >= 0 && dataset->max_suppression <= 1))
		refuse_declaration(name, "Its max_suppression does not lie between 0 and 1.");
	if (dataset->person != NULL && dataset->count_column != NULL)
		refuse_declaration(name, "It has both a person and a count column.");
	if (dataset->timezone == NULL || !timezone_is_known(dataset->timezone))
		refuse_declaration(name, "Its time zone is unknown here.");
	load_attributes(dataset);
	load_promises(dataset);
	require_own_code(dataset->relation);
	for (int i = 0; i < dataset->nattributes; i++)
	{
		require_own_code(dataset->attributes[i].hierarchy);
		require_own_code(dataset->attributes[i].sensitivity);
	}
	for (int i = 0; i < dataset->npromises; i++)
		require_own_code(dataset->promises[i].population);
	return dataset;
}

bool
timezone_is_known(const char *name)
{
	pg_tz	   *zone = strlen(name) > TZ_STRLEN_MAX ? NULL : pg_tzset(name);

	return zone != NULL && pg_tz_acceptable(zone);
}

int
dataset_use_zone(const Dataset *dataset)
{
	int			level = NewGUCNestLevel();

	if (dataset->timezone != NULL)
		sql_set("timezone", dataset->timezone);
	return level;
}

/* OIDs are reused; a later relation with the same OID has another row type. */
bool
dataset_same_relation(Oid relation, Oid row_type)
{
	return relation_can_be_declared(relation) && OidIsValid(row_type) && get_rel_type_id(relation) == row_type;
}

bool
hierarchy_is_from_data(Oid relation)
{
	char	   *comment = GetComment(relation, RelationRelationId, 0);
	const Oid	type = OIDOID;
	QueryRows  *rows;

	if (comment != NULL && strncmp(comment, MADE_FROM_DATA, strlen(MADE_FROM_DATA)) == 0)
		return true;
	rows = read_own_changes("SELECT hierarchy_type::oid FROM anonopt.hierarchy_rule WHERE hierarchy = $1 AND from_data",
							add_oid(NULL, relation), 1, &type);
	return rows->n > 0 && dataset_same_relation(relation, row_oid(rows, 0, 0));
}

/* Fails if a declared column is gone. */
static void
check_column(const Dataset *dataset, const char *column)
{
	if (OidIsValid(column_type(dataset->relation, column)))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_CHECK_VIOLATION),
			 errmsg("column \"%s\" of data set \"%s\" is gone", column, dataset->name),
			 errdetail("Relation %s no longer has this column.", relation_sql_name(dataset->relation)),
			 errhint("Call anonopt.drop_attribute and declare the column under its new name.")));
}

void
dataset_check(const Dataset *dataset)
{
	if (!dataset_same_relation(dataset->relation, dataset->row_type))
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("relation of data set \"%s\" is gone", dataset->name),
				 errhint("If it was made again, call anonopt.move_dataset with its name; otherwise anonopt.drop_dataset.")));
	if (dataset->person != NULL)
		check_column(dataset, dataset->person);
	if (dataset->count_column != NULL)
	{
		check_column(dataset, dataset->count_column);
		if (!type_is_number(column_type(dataset->relation, dataset->count_column)))
			ereport(ERROR,
					(errcode(ERRCODE_CHECK_VIOLATION),
					 errmsg("count column \"%s\" of data set \"%s\" is not a number", dataset->count_column, dataset->name),
					 errhint("It must hold the number of people a row stands for.")));
	}
	for (int i = 0; i < dataset->nattributes; i++)
	{
		const Declared *attribute = &dataset->attributes[i];

		check_column(dataset, attribute->column);
		if (OidIsValid(attribute->hierarchy) &&
			!dataset_same_relation(attribute->hierarchy, attribute->hierarchy_type))
			ereport(ERROR,
					(errcode(ERRCODE_CHECK_VIOLATION),
					 errmsg("hierarchy of column \"%s\" of data set \"%s\" is gone",
							attribute->column, dataset->name),
					 errhint("Call anonopt.drop_attribute and declare the column with another hierarchy.")));
	}
	for (int i = 0; i < dataset->npromises; i++)
		if (OidIsValid(dataset->promises[i].population) &&
			!dataset_same_relation(dataset->promises[i].population, dataset->promises[i].population_type))
			ereport(ERROR,
					(errcode(ERRCODE_CHECK_VIOLATION),
					 errmsg("population of promise %s of data set \"%s\" is gone",
							model_name(dataset->promises[i].model), dataset->name),
					 errhint("Call anonopt.drop_promise, and promise it of another relation.")));
}

int
dataset_count_role(const Dataset *dataset, Role role)
{
	int			count = 0;

	for (int i = 0; i < dataset->nattributes; i++)
		if (dataset->attributes[i].role == role)
			count++;
	return count;
}

const Declared *
declared_attribute(const Dataset *dataset, int attr)
{
	for (int i = 0; i < dataset->nattributes; i++)
		if (dataset->attributes[i].role == ROLE_QUASI_IDENTIFIER && attr-- == 0)
			return &dataset->attributes[i];
	elog(ERROR, "no such quasi-identifier");
	return NULL;
}

char *
dataset_count_sql(const Dataset *dataset)
{
	const char *column = quote_identifier(dataset->count_column);

	/* a cast would round; our function is here only */
	if (!type_is_integer(column_type(dataset->relation, dataset->count_column)))
		return is_distributed(dataset->relation) ?
			psprintf("pg_catalog.trim_scale(r.%s::pg_catalog.numeric)::pg_catalog.text::pg_catalog.int8", column) :
			psprintf("%s.whole_number(r.%s)", own_schema_name(), column);
	return psprintf("r.%s::pg_catalog.int8", column);
}

Dataset *
dataset_sound(Dataset *dataset)
{
	dataset_check(dataset);
	if (dataset_count_role(dataset, ROLE_QUASI_IDENTIFIER) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("data set \"%s\" has no quasi-identifier", dataset->name),
				 errhint("Add one with anonopt.add_quasi_identifier.")));
	return dataset;
}

void
require_sensitive(const Dataset *dataset, const char *name)
{
	if (dataset_count_role(dataset, ROLE_SENSITIVE) > 0)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s needs a sensitive column, but data set \"%s\" has none", name, dataset->name),
			 errhint("Add one with anonopt.add_sensitive.")));
}

void
check_node(const Dataset *dataset, const int *levels)
{
	for (int a = 0; a < dataset_count_role(dataset, ROLE_QUASI_IDENTIFIER); a++)
	{
		const Declared *declared = declared_attribute(dataset, a);
		int			height = hierarchy_height(declared->hierarchy);

		if (levels[a] < 0 || levels[a] > height)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("level %d of column \"%s\" is out of range", levels[a], declared->column),
					 errhint("Levels of column \"%s\" are 0 to %d.", declared->column, height)));
	}
}

/* ------------------------------ declarations as this statement has left them */

void
see_own_changes(void)
{
	CommandCounterIncrement();
	PushActiveSnapshot(IsInParallelMode() ? GetTransactionSnapshot() : GetLatestSnapshot());
}

QueryRows *
read_own_changes(const char *query, ParamListInfo params, int ncolumns, const Oid *types)
{
	QueryRows  *rows;

	see_own_changes();
	rows = read_catalog(query, params, ncolumns, types);
	PopActiveSnapshot();
	return rows;
}

static Dataset *
load_latest(const char *name, Dataset *(*load) (const char *))
{
	Dataset    *dataset;

	see_own_changes();
	dataset = load(name);
	PopActiveSnapshot();
	return dataset;
}

Dataset *
dataset_load_latest(const char *name)
{
	return load_latest(name, dataset_load);
}

Dataset *
dataset_load_latest_entry(const char *name)
{
	return load_latest(name, dataset_load_entry);
}

Dataset *
dataset_load_owned_entry(const char *name)
{
	Dataset    *dataset = dataset_load_latest_entry(name);
	Oid			owner = get_role_oid(dataset->owner, true);

	if (OidIsValid(owner) && has_privs_of_role(GetUserId(), owner))
		return dataset;
	/* whoever can write the catalogs could change them anyway */
	if (pg_class_aclcheck(own_relation("dataset"), GetUserId(), ACL_UPDATE) == ACLCHECK_OK)
		return dataset;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("must be owner of data set \"%s\"", dataset->name),
			 errdetail("It belongs to role \"%s\".", dataset->owner)));
	return NULL;
}

Dataset *
dataset_load_owned(const char *name)
{
	(void) dataset_load_owned_entry(name);
	return dataset_load_latest(name);
}
