/*
 * describe.c
 *	  SQL: describe, the declaration of a data set beside what the data hold;
 *	  and read_sql, the statement that reads them.
 */
#include "base/compat.h"

#include <math.h>

#include "catalog/pg_class.h"
#include "catalog/sql.h"
#include "miscadmin.h"
#include "read/population_read.h"
#include "sql/call.h"
#include "utils/builtins.h"
#include "utils/rls.h"
#include "utils/syscache.h"

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
 * Names such code of a relation, hierarchy or table of weights that is read for
 * an attribute, or of the relation for a data set without attributes.
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

static Observed
observe(const Dataset *dataset, const Declared *attribute)
{
	Observed	observed = {0};
	Population *population = population_read_column(dataset, attribute);
	const TupleTable *tuples = population->tuples;
	const Attribute *attr = &population->attrs[0];

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

/* What was found about a column, or about a data set without any. */
typedef struct Finding
{
	const char *gone;			/* what makes it unreadable, or NULL */
	const char *problem;		/* this, or whose code runs */
	bool		is_read;
	Observed	observed;
} Finding;

static Finding
find_out(const Dataset *dataset, const Declared *attribute)
{
	Finding		finding = {0};

	if (!dataset_same_relation(dataset->relation, dataset->row_type))
		finding.gone = "the relation is gone";
	else if (attribute != NULL && !OidIsValid(column_type(dataset->relation, attribute->column)))
		finding.gone = "the column is gone";
	else if (attribute != NULL && OidIsValid(attribute->hierarchy) &&
			 !dataset_same_relation(attribute->hierarchy, attribute->hierarchy_type))
		finding.gone = "the hierarchy is gone";
	finding.problem = finding.gone == NULL ? foreign_code_of(dataset, attribute) : finding.gone;
	/* other roles' code must not run as a superuser */
	finding.is_read = attribute != NULL && finding.gone == NULL && !(finding.problem != NULL && superuser());
	if (finding.is_read)
		finding.observed = observe(dataset, attribute);
	return finding;
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
} SearchSize;

/*
 * The memory of a search of the whole data set, once all columns were read: of
 * those that need most, which are those for a recoding and, with sensitive
 * columns, through a whole lattice.
 */
static int64
search_memory(const SearchSize *size)
{
	double		tuples = Min(size->tuples, (double) size->people);
	double		read = size->has_persons ? (double) size->people : tuples;
	int			nwords = (int) ceil((size->bits + (size->has_persons ? 32 : 0)) / 60);
	int			ncolumns = size->ncolumns + size->has_persons;
	double		bytes = read * (240 + 120 * nwords + 280 * ncolumns);

	return (int64) ((Size) Min(bytes, (double) MaxAllocHugeSize / 8) + memory_of_tuples(nwords, ncolumns, 0));
}

static void
put_relation(ResultRow *row, const char *column, Oid relation)
{
	if (OidIsValid(relation))
		put_datum(row, column, REGCLASSOID, ObjectIdGetDatum(relation));
}

/* Adds an attribute's row; a quasi-identifier's includes the memory of a search. */
static void
put_attribute(ResultRow *row, const Dataset *dataset, const Declared *attribute, const Finding *finding, const SearchSize *size)
{
	const Observed *observed = &finding->observed;
	bool		has_hierarchy = OidIsValid(attribute->hierarchy);

	put_string(row, "column_name", attribute->column);
	put_string(row, "role", role_name(attribute->role));
	put_relation(row, "hierarchy", attribute->hierarchy);
	if (finding->is_read && has_hierarchy)
	{
		put_count(row, "levels", observed->levels);
		put_count(row, "domain", observed->domain);
	}
	if (finding->is_read)
	{
		put_count(row, "observed", observed->values);
		put_count(row, "nulls", observed->nulls);
	}
	if (finding->is_read && observed->admits_unknown)
		put_count(row, "unknown", observed->unknown);
	if (attribute->role == ROLE_QUASI_IDENTIFIER)
	{
		put_number(row, "weight", attribute->weight);
		put_string(row, "loss_counts", loss_rule_names[attribute->loss_counts]);
		put_bool(row, "grow", attribute->grows);
	}
	if (attribute->role == ROLE_QUASI_IDENTIFIER && size->known)
		put_count(row, "memory", search_memory(size));
	put_string(row, "problem", finding->problem);
	/* the zone in which timestamps are read */
	if (finding->gone == NULL && (column_type(dataset->relation, attribute->column) == TIMESTAMPTZOID ||
								  (has_hierarchy && hierarchy_leaf_type(attribute->hierarchy) == TSTZRANGEOID)))
		put_string(row, "timezone", dataset->timezone);
	row_add(row);
}

/* Adds a row for each attribute and the person column, after all were read. */
static void
put_columns(ResultRow *row, const Dataset *dataset)
{
	Finding    *findings = palloc(sizeof(Finding) * (dataset->nattributes + 1));
	Declared	person = {.column = dataset->person};
	SearchSize	size = {.known = true,.tuples = 1};
	int			n = 0;

	for (; n < dataset->nattributes; n++)
	{
		const Observed *observed = &findings[n].observed;
		Role		role = dataset->attributes[n].role;

		findings[n] = find_out(dataset, &dataset->attributes[n]);
		size.known = size.known && findings[n].is_read;
		if (!findings[n].is_read)
			continue;
		size.people = Max(size.people, observed->people);
		size.ncolumns += role == ROLE_SENSITIVE || role == ROLE_CLASS_LABEL;
		if (role != ROLE_QUASI_IDENTIFIER)
			continue;
		size.nattrs++;
		size.tuples *= Max(observed->values, 1);
		size.bits += ceil(log2((double) observed->domain + 2));
	}
	if (dataset->person != NULL)
	{
		findings[n] = find_out(dataset, &person);
		size.known = size.known && findings[n].is_read;
		size.has_persons = findings[n].observed.values < findings[n].observed.people;
	}
	for (int i = 0; i < n; i++)
		put_attribute(row, dataset, &dataset->attributes[i], &findings[i], &size);
	if (dataset->person == NULL)
		return;
	put_string(row, "column_name", dataset->person);
	put_string(row, "role", "person");
	if (findings[n].is_read)
	{
		/* the numbers of rows and of different people; NULL counts as one */
		put_count(row, "observed", findings[n].observed.values);
		put_count(row, "nulls", findings[n].observed.nulls);
		put_count(row, "rows", findings[n].observed.people);
		put_count(row, "people", findings[n].observed.values);
	}
	put_string(row, "problem", findings[n].problem);
	row_add(row);
}

OWN_FUNCTION(anonopt_describe)
{
	ResultRow  *row = result_begin(fcinfo);
	Dataset    *dataset = dataset_load(name_argument(fcinfo, "dataset"));
	StoreRead  *store;

	/* without attributes, only a fault has a row */
	if (dataset->nattributes == 0)
	{
		Finding		finding = find_out(dataset, NULL);

		put_string(row, "problem", finding.problem);
		if (finding.problem != NULL)
			row_add(row);
	}
	put_columns(row, dataset);
	for (int i = 0; i < dataset->npromises; i++)
	{
		const DeclaredPromise *promise = &dataset->promises[i];

		put_string(row, "column_name", promise->column);
		put_string(row, "role", psprintf("promise: %s", promise_text(promise)));
		/* the relation whose people it counts */
		put_relation(row, "hierarchy", promise->population);
		if (OidIsValid(promise->population) && !dataset_same_relation(promise->population, promise->population_type))
			put_string(row, "problem", "the population is gone");
		row_add(row);
	}
	/* the tuple store of the data set, or the one that is read for it */
	store = store_to_describe(dataset);
	if (store != NULL)
	{
		put_string(row, "role", "tuple_store");
		put_relation(row, "hierarchy", store->table);
		put_string(row, "problem", store->problem);
		row_add(row);
	}
	return (Datum) 0;
}

/*
 * The encoders, which only our own code creates, are written as NULL, which is
 * enough for EXPLAIN.
 */
OWN_FUNCTION(anonopt_read_sql)
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
