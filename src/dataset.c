/*
 * dataset.c
 *	  Declarations of data sets, as they stand in the catalogs.
 */
#include "dataset.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "hierarchy_read.h"
#include "sql.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

static const char *const role_names[] = {
	"quasi_identifier", "sensitive", "class_label", "identifier", "insensitive"
};

static const char *const distance_names[] = {"equal", "ordered", "hierarchical"};

const char *
role_name(Role role)
{
	return role_names[role];
}

const char *
distance_name(Distance distance)
{
	return distance_names[distance];
}

Distance
distance_by_name(const char *name)
{
	for (int i = 0; i < lengthof(distance_names); i++)
		if (strcmp(name, distance_names[i]) == 0)
			return (Distance) i;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown distance \"%s\"", name),
			 errhint("Distances are equal, ordered and hierarchical.")));
	return DISTANCE_EQUAL;
}

Role
role_by_name(const char *name)
{
	for (int i = 0; i < lengthof(role_names); i++)
		if (strcmp(name, role_names[i]) == 0)
			return (Role) i;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown role \"%s\"", name),
			 errhint("Roles are quasi_identifier, sensitive, class_label, identifier and insensitive.")));
	return ROLE_INSENSITIVE;
}

/* A column of an SPI row as text in a memory context; NULL for null. */
static char *
text_field(HeapTuple row, int column, MemoryContext context)
{
	char	   *text = SPI_getvalue(row, SPI_tuptable->tupdesc, column);

	return text == NULL ? NULL : MemoryContextStrdup(context, text);
}

static Datum
field(HeapTuple row, int column, bool *isnull)
{
	return SPI_getbinval(row, SPI_tuptable->tupdesc, column, isnull);
}

static void
load_attribute(HeapTuple row, Declared *attribute, MemoryContext context)
{
	bool		isnull;
	Datum		value;

	attribute->role = role_by_name(text_field(row, 1, context));
	attribute->column = text_field(row, 2, context);
	value = field(row, 3, &isnull);
	attribute->hierarchy = isnull ? InvalidOid : DatumGetObjectId(value);
	value = field(row, 4, &isnull);
	attribute->hierarchy_type = isnull ? InvalidOid : DatumGetObjectId(value);
	attribute->weight = DatumGetFloat8(field(row, 5, &isnull));
	attribute->min_level = DatumGetInt32(field(row, 6, &isnull));
	value = field(row, 7, &isnull);
	attribute->max_level = isnull ? -1 : DatumGetInt32(value);
	attribute->distance = distance_by_name(text_field(row, 8, context));
	value = field(row, 9, &isnull);
	attribute->sensitivity = isnull ? InvalidOid : DatumGetObjectId(value);
	value = field(row, 10, &isnull);
	attribute->sensitivity_type = isnull ? InvalidOid : DatumGetObjectId(value);
}

static void
load_attributes(Dataset *dataset, MemoryContext context, Oid *types, Datum *values)
{
	sql_read("SELECT role, column_name::pg_catalog.text, hierarchy::pg_catalog.oid,"
			 " hierarchy_type::pg_catalog.oid, weight, min_level, max_level, distance,"
			 " sensitivity::pg_catalog.oid, sensitivity_type::pg_catalog.oid"
			 " FROM anonopt.attribute WHERE dataset OPERATOR(pg_catalog.=) $1 ORDER BY ordinal",
			 1, types, values);
	dataset->nattributes = (int) SPI_processed;
	dataset->attributes = MemoryContextAllocZero(context, sizeof(Declared) * (SPI_processed + 1));
	for (int i = 0; i < dataset->nattributes; i++)
		load_attribute(SPI_tuptable->vals[i], &dataset->attributes[i], context);
}

Dataset *
dataset_load(const char *name)
{
	MemoryContext context = CurrentMemoryContext;
	Dataset    *dataset = palloc0(sizeof(Dataset));
	Oid			types[1] = {TEXTOID};
	Datum		values[1];
	HeapTuple	row;
	bool		isnull;

	values[0] = CStringGetTextDatum(name);
	dataset->name = pstrdup(name);
	sql_connect();
	sql_read("SELECT relation::pg_catalog.oid, row_type::pg_catalog.oid, max_suppression, owner, person, count_column"
			 " FROM anonopt.dataset WHERE dataset OPERATOR(pg_catalog.=) $1", 1, types, values);
	if (SPI_processed == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("data set \"%s\" does not exist", name),
				 errhint("Declare it with anonopt.create_dataset; anonopt.dataset lists those there are.")));
	row = SPI_tuptable->vals[0];
	dataset->relation = DatumGetObjectId(field(row, 1, &isnull));
	dataset->row_type = DatumGetObjectId(field(row, 2, &isnull));
	dataset->max_suppression = DatumGetFloat8(field(row, 3, &isnull));
	dataset->owner = text_field(row, 4, context);
	dataset->person = text_field(row, 5, context);
	dataset->count_column = text_field(row, 6, context);
	load_attributes(dataset, context, types, values);
	sql_finish();
	return dataset;
}

/*
 * Whether a relation is still the one that was declared.  OIDs are used
 * again; a later relation with this one's number has another row type.
 */
bool
dataset_same_relation(Oid relation, Oid row_type)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	bool		same;

	if (!HeapTupleIsValid(tuple))
		return false;
	same = ((Form_pg_class) GETSTRUCT(tuple))->reltype == row_type;
	ReleaseSysCache(tuple);
	return same;
}

/* Fails where a declared column is gone. */
static void
check_column(const Dataset *dataset, const char *column)
{
	if (OidIsValid(column_type(dataset->relation, column)))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_CHECK_VIOLATION),
			 errmsg("column \"%s\" of data set \"%s\" is gone", column, dataset->name),
			 errdetail("Relation %s has no such column any more.", relation_sql_name(dataset->relation)),
			 errhint("Call anonopt.drop_attribute and declare the column under its new name.")));
}

/* Fails with 23514 where the declared relation, a column or a hierarchy is gone. */
void
dataset_check(const Dataset *dataset)
{
	if (!dataset_same_relation(dataset->relation, dataset->row_type))
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("relation of data set \"%s\" is gone", dataset->name),
				 errhint("Call anonopt.drop_dataset, and declare the data set anew.")));
	if (dataset->person != NULL)
		check_column(dataset, dataset->person);
	if (dataset->count_column != NULL)
		check_column(dataset, dataset->count_column);
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

int
declared_max_level(const Declared *attribute)
{
	return attribute->max_level < 0 ? hierarchy_height(attribute->hierarchy) : attribute->max_level;
}
