/*
 * describe.c
 *	  SQL: describe, the declaration of a data set beside what the data hold;
 *	  and read_sql, the statement that reads them.
 */
#include "base/compat.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/own_objects.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "miscadmin.h"
#include "read/hierarchy_read.h"
#include "read/population_read.h"
#include "sql/arguments.h"
#include "store/store.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/rls.h"
#include "utils/syscache.h"

OWN_FUNCTION(anonopt_describe);
OWN_FUNCTION(anonopt_read_sql);

enum
{
	DESCRIBE_COLUMN, DESCRIBE_ROLE, DESCRIBE_HIERARCHY, DESCRIBE_LEVELS, DESCRIBE_DOMAIN,
	DESCRIBE_OBSERVED, DESCRIBE_NULLS, DESCRIBE_WEIGHT, DESCRIBE_PROBLEM,
	DESCRIBE_TIMEZONE, DESCRIBE_UNKNOWN, DESCRIBE_MEMORY, DESCRIBE_ROWS, DESCRIBE_PEOPLE, DESCRIBE_RANGE_LOSS,
	DESCRIBE_COLUMNS
};

/* Statistics of one column's data. */
typedef struct Observed
{
	int64		domain;
	int64		values;
	int64		nulls;
	int			levels;			/* of the hierarchy */
	int64		unknown;		/* people without a leaf, if that is allowed */
	bool		admits_unknown;
	int64		people;
} Observed;

/*
 * Names code of another role, not a superuser, that would run as the caller if
 * a relation is read; NULL if there is none.
 */
static const char *
foreign_code(Oid relation)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	const char *code = NULL;
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		return NULL;
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	if (((Form_pg_class) GETSTRUCT(tuple))->relkind == RELKIND_VIEW)
		code = "is a view";
	else if (check_enable_rls(relation, InvalidOid, true) == RLS_ENABLED)
		code = "has row security";
	ReleaseSysCache(tuple);
	if (code == NULL || owner == GetUserId() || superuser_arg(owner))
		return NULL;
	return psprintf("%s of role \"%s\", whose code %s as you", code, GetUserNameFromId(owner, false),
					superuser() ? "would run" : "runs");
}

/*
 * The same for all relations read for an attribute, or for a data set without
 * attributes.
 */
static const char *
foreign_code_of(const Dataset *dataset, const Declared *attribute)
{
	const char *code = foreign_code(dataset->relation);
	const char *what = "relation";

	if (code == NULL && attribute != NULL && OidIsValid(attribute->hierarchy))
	{
		code = foreign_code(attribute->hierarchy);
		what = "hierarchy";
	}
	if (code == NULL && attribute != NULL && OidIsValid(attribute->sensitivity))
	{
		code = foreign_code(attribute->sensitivity);
		what = "table of weights";
	}
	return code == NULL ? NULL : psprintf("%sthe %s %s", superuser() ? "not read: " : "", what, code);
}

/* Why an attribute cannot be read, or NULL. */
static const char *
problem_of(const Dataset *dataset, const Declared *attribute)
{
	if (!dataset_same_relation(dataset->relation, dataset->row_type))
		return "the relation is gone";
	if (attribute == NULL)
		return NULL;
	if (!OidIsValid(column_type(dataset->relation, attribute->column)))
		return "the column is gone";
	if (OidIsValid(attribute->hierarchy) &&
		!dataset_same_relation(attribute->hierarchy, attribute->hierarchy_type))
		return "the hierarchy is gone";
	return NULL;
}

/* Reads one column as the only one of a data set. */
static Observed
observe(const Dataset *dataset, const Declared *attribute)
{
	Dataset		single = *dataset;
	Declared	column = *attribute;
	Observed	observed = {0};
	Population *population;
	const TupleTable *tuples;
	const Attribute *attr;

	column.role = ROLE_QUASI_IDENTIFIER;
	column.min_level = 0;
	column.max_level = -1;
	single.attributes = &column;
	single.nattributes = 1;
	single.npromises = 0;
	single.person = NULL;
	population = population_read(&single);
	tuples = population->tuples;
	attr = &population->attrs[0];
	observed.domain = attr->hierarchy->nleaves;
	observed.levels = attr->hierarchy->height;
	observed.people = population->people;
	observed.admits_unknown = attr->unknown_leaf != NO_LEAF;
	observed.unknown = population_unknown(population, 0);
	observed.domain -= observed.admits_unknown ? 1 : 0;
	observed.values = tuples->ntuples;
	for (uint32 i = 0; i < tuples->ntuples; i++)
		if (key_get(&tuples->keys[i], &attr->field) == attr->hierarchy->null_leaf)
			observed.nulls = tuples->counts[i];
	MemoryContextDelete(population->context);
	return observed;
}

/* The columns that come from the catalog. */
static void
describe_declared(const Declared *attribute, Datum *values, bool *nulls)
{
	values[DESCRIBE_COLUMN] = name_datum(attribute->column);
	nulls[DESCRIBE_COLUMN] = false;
	values[DESCRIBE_ROLE] = CStringGetTextDatum(role_name(attribute->role));
	nulls[DESCRIBE_ROLE] = false;
	if (OidIsValid(attribute->hierarchy))
	{
		values[DESCRIBE_HIERARCHY] = ObjectIdGetDatum(attribute->hierarchy);
		nulls[DESCRIBE_HIERARCHY] = false;
	}
	if (attribute->role == ROLE_QUASI_IDENTIFIER)
	{
		values[DESCRIBE_WEIGHT] = Float8GetDatum(attribute->weight);
		nulls[DESCRIBE_WEIGHT] = false;
		values[DESCRIBE_RANGE_LOSS] = BoolGetDatum(attribute->range_loss);
		nulls[DESCRIBE_RANGE_LOSS] = false;
	}
}

/* The zone in which a column's timestamps are read. */
static void
describe_zone(const Dataset *dataset, const Declared *attribute, Datum *values, bool *nulls)
{
	Oid			type = column_type(dataset->relation, attribute->column);

	if (type != TIMESTAMPTZOID && !(OidIsValid(attribute->hierarchy) && hierarchy_leaf_type(attribute->hierarchy) == TSTZRANGEOID))
		return;
	values[DESCRIBE_TIMEZONE] = CStringGetTextDatum(dataset->timezone);
	nulls[DESCRIBE_TIMEZONE] = false;
}

/* An estimate of a search's memory, from statistics of single columns. */
typedef struct SearchSize
{
	bool		has_persons;	/* each row may be a tuple of its own */
	bool		known;			/* every column was read */
	int			nattrs;
	int			ncolumns;		/* sensitive ones and the class label */
	double		tuples;			/* at most */
	double		bits;			/* of a tuple */
	int64		people;
	List	   *rows;			/* that wait for it */
} SearchSize;

typedef struct DescribedRow
{
	Datum		values[DESCRIBE_COLUMNS];
	bool		nulls[DESCRIBE_COLUMNS];
} DescribedRow;

static void
keep_row(SearchSize *size, const Datum *values, const bool *nulls)
{
	DescribedRow *row = palloc(sizeof(DescribedRow));

	memcpy(row->values, values, sizeof(row->values));
	memcpy(row->nulls, nulls, sizeof(row->nulls));
	size->rows = lappend(size->rows, row);
}

static void
add_to_size(SearchSize *size, const Declared *attribute, const Observed *observed)
{
	size->people = Max(size->people, observed->people);
	if (attribute->role == ROLE_QUASI_IDENTIFIER)
	{
		size->nattrs++;
		size->tuples *= Max(observed->values, 1);
		size->bits += ceil(log2((double) observed->domain + 2));
	}
	else if (attribute->role == ROLE_SENSITIVE || attribute->role == ROLE_CLASS_LABEL)
		size->ncolumns++;
}

/*
 * The memory of the searches that need most, which are those for a recoding
 * and, with sensitive columns, through a whole lattice.
 */
static Size
memory_of_search(int nwords, int ncolumns, double ntuples)
{
	double		bytes = ntuples * (240 + 120 * nwords + 280 * ncolumns);

	return (Size) Min(bytes, (double) MaxAllocHugeSize / 8) + memory_of_tuples(nwords, ncolumns, 0);
}

/*
 * Adds the rows; those with a weight, the quasi-identifiers, include the
 * memory of a search.
 */
static void
put_rows(ReturnSetInfo *result, const SearchSize *size)
{
	double		tuples = Min(size->tuples, (double) size->people);
	double		read = size->has_persons ? (double) size->people : tuples;
	double		bits = size->bits + (size->has_persons ? 32 : 0);
	Size		memory = memory_of_search((int) ceil(bits / 60), size->ncolumns + size->has_persons, read);
	ListCell   *cell;

	foreach(cell, size->rows)
	{
		DescribedRow *row = lfirst(cell);

		row->values[DESCRIBE_MEMORY] = Int64GetDatum((int64) memory);
		row->nulls[DESCRIBE_MEMORY] = !size->known || row->nulls[DESCRIBE_WEIGHT];
		tuplestore_putvalues(result->setResult, result->setDesc, row->values, row->nulls);
	}
}

/* The columns that come from the data. */
static void
describe_observed(const Dataset *dataset, const Declared *attribute, Datum *values, bool *nulls, SearchSize *size)
{
	Observed	observed = observe(dataset, attribute);

	values[DESCRIBE_OBSERVED] = Int64GetDatum(observed.values);
	nulls[DESCRIBE_OBSERVED] = false;
	values[DESCRIBE_NULLS] = Int64GetDatum(observed.nulls);
	nulls[DESCRIBE_NULLS] = false;
	add_to_size(size, attribute, &observed);
	values[DESCRIBE_UNKNOWN] = Int64GetDatum(observed.unknown);
	nulls[DESCRIBE_UNKNOWN] = !observed.admits_unknown;
	if (!OidIsValid(attribute->hierarchy))
		return;
	values[DESCRIBE_LEVELS] = Int32GetDatum(observed.levels);
	nulls[DESCRIBE_LEVELS] = false;
	values[DESCRIBE_DOMAIN] = Int64GetDatum(observed.domain);
	nulls[DESCRIBE_DOMAIN] = false;
}

/*
 * Adds an attribute's row; a data set without attributes has one row if its
 * relation is gone.
 */
static void
put_description(const Dataset *dataset, const Declared *attribute, SearchSize *size)
{
	const char *problem = problem_of(dataset, attribute);
	const char *code = problem == NULL ? foreign_code_of(dataset, attribute) : NULL;
	Datum		values[DESCRIBE_COLUMNS] = {0};
	bool		nulls[DESCRIBE_COLUMNS];

	memset(nulls, true, sizeof(nulls));
	if (attribute != NULL)
		describe_declared(attribute, values, nulls);
	/* other roles' code must not run as a superuser */
	if (attribute != NULL && problem == NULL && !(code != NULL && superuser()))
		describe_observed(dataset, attribute, values, nulls, size);
	else
		size->known = false;
	if (attribute != NULL && problem == NULL)
		describe_zone(dataset, attribute, values, nulls);
	if (problem == NULL)
		problem = code;
	if (problem != NULL)
	{
		values[DESCRIBE_PROBLEM] = CStringGetTextDatum(problem);
		nulls[DESCRIBE_PROBLEM] = false;
	}
	if (attribute != NULL || problem != NULL)
		keep_row(size, values, nulls);
}

/*
 * The row of the person column: the numbers of rows and of different people;
 * NULL counts as one.
 */
static void
put_person(const Dataset *dataset, SearchSize *size)
{
	Declared	person = {.column = dataset->person};
	const char *problem = problem_of(dataset, &person);
	const char *code = problem == NULL ? foreign_code_of(dataset, &person) : NULL;
	Datum		values[DESCRIBE_COLUMNS] = {0};
	bool		nulls[DESCRIBE_COLUMNS];

	memset(nulls, true, sizeof(nulls));
	values[DESCRIBE_COLUMN] = name_datum(dataset->person);
	values[DESCRIBE_ROLE] = CStringGetTextDatum("person");
	nulls[DESCRIBE_COLUMN] = nulls[DESCRIBE_ROLE] = false;
	/* other roles' code must not run as a superuser */
	if (problem == NULL && !(code != NULL && superuser()))
	{
		Observed	observed = observe(dataset, &person);

		size->has_persons = observed.values < observed.people;
		values[DESCRIBE_OBSERVED] = values[DESCRIBE_PEOPLE] = Int64GetDatum(observed.values);
		values[DESCRIBE_NULLS] = Int64GetDatum(observed.nulls);
		values[DESCRIBE_ROWS] = Int64GetDatum(observed.people);
		nulls[DESCRIBE_OBSERVED] = nulls[DESCRIBE_PEOPLE] = nulls[DESCRIBE_NULLS] = nulls[DESCRIBE_ROWS] = false;
	}
	else
		size->known = false;
	problem = problem == NULL ? code : problem;
	if (problem != NULL)
		values[DESCRIBE_PROBLEM] = CStringGetTextDatum(problem);
	nulls[DESCRIBE_PROBLEM] = problem == NULL;
	keep_row(size, values, nulls);
}

/* Adds the tuple store of the data set, or the one that is read for it. */
static void
put_store(ReturnSetInfo *result, const Dataset *dataset)
{
	StoreRead  *store = store_to_describe(dataset);
	Datum		values[DESCRIBE_COLUMNS] = {0};
	bool		nulls[DESCRIBE_COLUMNS];

	if (store == NULL)
		return;
	memset(nulls, true, sizeof(nulls));
	values[DESCRIBE_ROLE] = CStringGetTextDatum("tuple_store");
	nulls[DESCRIBE_ROLE] = false;
	values[DESCRIBE_HIERARCHY] = ObjectIdGetDatum(store->table);
	nulls[DESCRIBE_HIERARCHY] = !OidIsValid(store->table);
	values[DESCRIBE_PROBLEM] = CStringGetTextDatum(store->problem != NULL ? store->problem : "");
	nulls[DESCRIBE_PROBLEM] = store->problem == NULL;
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* Adds a promise, with the relation whose people it counts. */
static void
put_promise(ReturnSetInfo *result, const DeclaredPromise *promise)
{
	bool		has_population = OidIsValid(promise->population);
	Datum		values[DESCRIBE_COLUMNS] = {0};
	bool		nulls[DESCRIBE_COLUMNS];

	memset(nulls, true, sizeof(nulls));
	values[DESCRIBE_COLUMN] = name_datum(promise->column);
	nulls[DESCRIBE_COLUMN] = promise->column == NULL;
	values[DESCRIBE_ROLE] = CStringGetTextDatum(psprintf("promise: %s", promise_text(promise)));
	nulls[DESCRIBE_ROLE] = false;
	values[DESCRIBE_HIERARCHY] = ObjectIdGetDatum(promise->population);
	nulls[DESCRIBE_HIERARCHY] = !has_population;
	if (has_population && !dataset_same_relation(promise->population, promise->population_type))
	{
		values[DESCRIBE_PROBLEM] = CStringGetTextDatum("the population is gone");
		nulls[DESCRIBE_PROBLEM] = false;
	}
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

static Datum
anonopt_describe_call(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Dataset    *dataset;
	SearchSize	size = {.known = true,.tuples = 1};

	InitMaterializedSRF(fcinfo, 0);
	dataset = dataset_load(name_argument(fcinfo, "dataset"));
	for (int i = 0; i < dataset->nattributes; i++)
		put_description(dataset, &dataset->attributes[i], &size);
	if (dataset->nattributes == 0)
		put_description(dataset, NULL, &size);
	if (dataset->person != NULL)
		put_person(dataset, &size);
	put_rows(result, &size);
	for (int i = 0; i < dataset->npromises; i++)
		put_promise(result, &dataset->promises[i]);
	put_store(result, dataset);
	return (Datum) 0;
}

/*
 * The encoders, which only our own code creates, are written as NULL, which is
 * enough for EXPLAIN.
 */
static Datum
anonopt_read_sql_call(PG_FUNCTION_ARGS)
{
	char	   *statement = reading_statement(dataset_argument(fcinfo));
	const char *beginning = "SELECT anonopt.tuples($1";
	char	   *aggregate = strstr(statement, beginning);

	if (aggregate == NULL)
		PG_RETURN_TEXT_P(cstring_to_text(statement));
	PG_RETURN_TEXT_P(cstring_to_text(psprintf("%.*sSELECT anonopt.tuples(NULL::anonopt.opaque%s",
											  (int) (aggregate - statement), statement,
											  aggregate + strlen(beginning))));
}
