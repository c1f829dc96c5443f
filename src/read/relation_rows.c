/*
 * relation_rows.c
 *	  The rows of a relation, each with its tuple in the population.
 *
 * The relation is read a second time under the same snapshot, row by row, and
 * each row is encoded as it was the first time.
 */
#include "read/relation_rows.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "base/budget.h"
#include "base/key_counter.h"
#include "catalog/relations.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "catalog/typed_rows.h"
#include "read/population_read.h"
#include "read/reading.h"
#include "read/reading_parts.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

struct RelationRows
{
	Reading    *reading;
	Population *population;
	const char *place;			/* expression for a row's position, or NULL */
	bool		as_text;		/* columns are passed on as texts */
	int			nshown;			/* what is handed on */
	AttrNumber *numbers;		/* their columns, unless it is a position */
	Oid		   *types;			/* their types */
	int			nnumbers;		/* columns passed on behind it, as float8 */
	AttrNumber *number_columns;
	int64		row_people;		/* people of the current row */
	int			nread;			/* columns encoded again */
	KeyCounter *tuples;			/* the population's keys by number */
	int64	   *seen;			/* people by tuple, which must add up */
	int64		people;
	MemoryContext row;			/* reset after each */
	RowVisitor	visit;
	void	   *arg;
};

/* Whether all rows of a relation are stored in a single table. */
static bool
is_plain(Oid relation)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	Form_pg_class class;
	bool		plain;

	if (!HeapTupleIsValid(tuple))
		relation_is_missing(relation);
	class = (Form_pg_class) GETSTRUCT(tuple);
	plain = (class->relkind == RELKIND_RELATION && !class->relhassubclass) || class->relkind == RELKIND_MATVIEW;
	ReleaseSysCache(tuple);
	return plain;
}

/* The expression that identifies a row of r without a key. */
static const char *
place_expression(Oid relation)
{
	char		kind = get_rel_relkind(relation);

	/* positions of remote rows mean nothing here */
	bool		is_here = !is_distributed(relation);

	if (is_here && is_plain(relation))
		return "r.ctid::pg_catalog.text";
	if (is_here && (kind == RELKIND_RELATION || (kind == RELKIND_PARTITIONED_TABLE && !has_foreign_leaf(relation))))
		return "r.tableoid::pg_catalog.text OPERATOR(pg_catalog.||) ':' OPERATOR(pg_catalog.||) r.ctid::pg_catalog.text";
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("rows of %s cannot be identified by their place", relation_sql_name(relation)),
			 errhint("Name a column that identifies them as key.")));
	return NULL;
}

/*
 * Fails if a column's values cannot be compared, or one is NULL; SPI is
 * connected.
 */
static void
require_key(Oid relation, const char *key)
{
	Oid			type = column_type(relation, key);
	StringInfoData sql;

	if (!OidIsValid(lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" cannot be a key", key),
				 errdetail("Values of type %s cannot be compared.", format_type_be(type))));
	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT 1 FROM %s r WHERE r.%s IS NULL LIMIT 1", relation_sql_name(relation),
					 quote_identifier(key));
	if (sql_read_over(sql.data, list_make1_oid(relation), NULL, 0, NULL, NULL) > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" does not identify every row of %s", key, relation_sql_name(relation)),
				 errdetail("It holds a null value.")));
}

/* Allocates the values to be passed on. */
static void
show(RelationRows *records, int nshown)
{
	records->nshown = nshown;
	records->numbers = palloc0(sizeof(AttrNumber) * nshown);
	records->types = palloc(sizeof(Oid) * nshown);
	for (int i = 0; i < nshown; i++)
		records->types[i] = TEXTOID;
}

/* Finds a column to be passed on. */
static void
show_column(RelationRows *records, Oid relation, int i, const char *column)
{
	records->numbers[i] = get_attnum(relation, column);
	if (records->numbers[i] <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of relation %s does not exist", column, relation_sql_name(relation))));
	if (!records->as_text)
		records->types[i] = getBaseType(get_atttype(relation, records->numbers[i]));
}

RelationRows *
relation_rows_begin(const Dataset *dataset, const char *key, bool keeps_ties)
{
	RelationRows *records = palloc0(sizeof(RelationRows));

	show(records, 1);
	records->as_text = true;
	if (key == NULL)
		records->place = place_expression(dataset->relation);
	else
	{
		show_column(records, dataset->relation, 0, key);
		sql_connect();
		require_key(dataset->relation, key);
		require_unique(dataset->relation, key, ERRCODE_INVALID_PARAMETER_VALUE, "Name a column that does as key.");
		sql_finish();
	}
	records->population = reading_population(dataset, NULL, false, keeps_ties, &records->reading);
	records->nread = records->reading->ncolumns;
	return records;
}

void
relation_rows_add_numbers(RelationRows *records, int ncolumns, const char *const *columns)
{
	Oid			relation = records->reading->dataset->relation;

	records->nnumbers = ncolumns;
	records->number_columns = palloc(sizeof(AttrNumber) * (ncolumns + 1));
	for (int i = 0; i < ncolumns; i++)
	{
		require_column(relation, columns[i]);
		records->number_columns[i] = get_attnum(relation, columns[i]);
	}
}

int64
relation_rows_people(const RelationRows *records)
{
	return records->row_people;
}

Population *
relation_rows_population(const RelationRows *records)
{
	return records->population->people > 0 ? records->population : NULL;
}

const Reading *
relation_rows_reading(const RelationRows *records)
{
	return records->reading;
}

/* Indexes the population's tuples by key. */
static void
index_tuples(RelationRows *records)
{
	const Population *population = records->population;
	const TupleTable *tuples = population->tuples;

	budget_require(population->context, sizeof(int64) * (Size) tuples->ntuples);
	records->seen = MemoryContextAllocHuge(population->context, sizeof(int64) * ((Size) tuples->ntuples + 1));
	records->tuples = key_counter_create(population->context, population->nwords, tuples->ntuples);
	for (uint32 i = 0; i < tuples->ntuples; i++)
	{
		memcpy(key_counter_candidate(records->tuples), tuples->keys + (Size) i * population->nwords,
			   sizeof(uint64) * population->nwords);
		key_counter_add(records->tuples, 1);
	}
}

static void
refuse_changed(const RelationRows *records)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("relation %s did not show the same rows twice",
					relation_sql_name(records->reading->dataset->relation)),
			 errhint("If its rows are random or change with time, materialize them.")));
}

/* The population's code of a value that occurred in the first reading. */
static uint32
code_again(const RelationRows *records, int column, Datum value, bool isnull)
{
	Reading    *reading = records->reading;
	const ReadColumn *read = &reading->columns[column];
	Encoder    *encoder = &reading->set.encoders[column];
	Dictionary *dictionary = reading->tuples->dictionaries[column];
	uint32		code;

	if (encoder->hierarchy != NULL)
		code = encode(encoder, value, isnull);
	else if (isnull)
		code = encoder->null_code;
	else
		code = dictionary_find(dictionary, value_normal(&encoder->type, value)) + 1;
	if (code == NO_LEAF || (encoder->hierarchy == NULL && !isnull && code == 0))
		refuse_changed(records);
	return read->population_codes == NULL ? code : read->population_codes[code];
}

/* The number of a row's tuple. */
static uint32
tuple_of_row(const RelationRows *records, const Datum *values, const bool *nulls)
{
	const Population *population = records->population;
	uint64	   *key = key_counter_candidate(records->tuples);
	uint32		number;

	memset(key, 0, sizeof(uint64) * population->nwords);
	for (int a = 0; a < population->nattrs; a++)
		key_put(key, &population->attrs[a].field, code_again(records, a, values[a], nulls[a]));
	number = key_counter_find(records->tuples);
	if (number == PG_UINT32_MAX)
		refuse_changed(records);
	return number;
}

/* The code of a row's value of the first sensitive column, if there is one. */
static uint32
code_of_value(const RelationRows *records, const Datum *values, const bool *nulls)
{
	const Reading *reading = records->reading;
	int			column = records->population->nattrs;
	int			values_column = reading->columns[column].values_column;
	uint32		code;

	if (records->population->nsensitive == 0)
		return 0;
	if (values_column == column)
		return code_again(records, column, values[column], nulls[column]);
	code = code_again(records, values_column, values[values_column], nulls[values_column]);
	return reading->columns[column].population_codes[code];
}

/* The same, but fails unless the tuple had that value before. */
static uint32
value_of_row(const RelationRows *records, uint32 tuple, const Datum *values, const bool *nulls)
{
	const Population *population = records->population;
	uint32		value;

	if (records->nread == population->nattrs)
		return 0;
	value = code_of_value(records, values, nulls);
	if (population->nsensitive > 0 &&
		histograms_count_of(population->columns[0], population->tuples->slices[0][tuple], value) == 0)
		refuse_changed(records);
	return value;
}

/* Counts a row's people; fails if a tuple has more than before. */
static void
count_row(RelationRows *records, uint32 tuple, int64 people)
{
	records->seen[tuple] += people;
	records->people += people;
	if (records->seen[tuple] > records->population->tuples->counts[tuple])
		refuse_changed(records);
}

/* Receives a row: the values passed on, the columns read, perhaps a count. */
static void
take_row(void *arg, const Datum *shown, const bool *shown_nulls)
{
	RelationRows *records = arg;
	int			nbefore = records->nshown + records->nnumbers;
	const Datum *values = shown + nbefore;
	const bool *nulls = shown_nulls + nbefore;
	int64		people = records->reading->dataset->count_column != NULL ? DatumGetInt64(values[records->nread]) : 1;
	MemoryContext old;
	uint32		tuple;

	if (people == 0)
		return;
	old = MemoryContextSwitchTo(records->row);
	tuple = tuple_of_row(records, values, nulls);
	count_row(records, tuple, people);
	records->row_people = people;
	records->visit(records->arg, shown, shown_nulls, tuple, value_of_row(records, tuple, values, nulls));
	MemoryContextSwitchTo(old);
	MemoryContextReset(records->row);
}

/*
 * The statement identifies columns by number, because they may have been
 * renamed.
 */
static char *
records_statement(const RelationRows *records)
{
	Oid			relation = records->reading->dataset->relation;
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT %s", records->place != NULL ? records->place : "");
	for (int i = 0; i < records->nshown && records->place == NULL; i++)
		appendStringInfo(&sql, "%s%s", i > 0 ? ", " : "",
						 sql_as(records->as_text ? text_form(getBaseType(get_atttype(relation, records->numbers[i]))) : "%v",
								psprintf("r.%s", quote_identifier(get_attname(relation, records->numbers[i], false)))));
	for (int i = 0; i < records->nnumbers; i++)
		appendStringInfo(&sql, ", r.%s::pg_catalog.float8",
						 quote_identifier(get_attname(relation, records->number_columns[i], false)));
	append_read_columns(records->reading, records->nread, &sql);
	appendStringInfo(&sql, " FROM %s r", relation_sql_name(relation));
	return sql.data;
}

/* The types of the statement's columns. */
static Oid *
records_types(const RelationRows *records)
{
	int			nbefore = records->nshown + records->nnumbers;
	Oid		   *types = palloc(sizeof(Oid) * (nbefore + records->nread + 1));

	memcpy(types, records->types, sizeof(Oid) * records->nshown);
	for (int i = 0; i < records->nnumbers; i++)
		types[records->nshown + i] = FLOAT8OID;
	for (int i = 0; i < records->nread; i++)
		types[nbefore + i] = records->reading->set.encoders[i].type.type;
	types[nbefore + records->nread] = INT8OID;
	return types;
}

void
relation_rows_visit(RelationRows *records, RowVisitor visit, void *arg)
{
	bool		has_count = records->reading->dataset->count_column != NULL;
	int			zone = dataset_use_zone(records->reading->dataset);
	Relation	relation;

	records->visit = visit;
	records->arg = arg;
	if (records->tuples == NULL)
	{
		records->row = AllocSetContextCreate(records->population->context, "anonopt row", ALLOCSET_DEFAULT_SIZES);
		index_tuples(records);
	}
	memset(records->seen, 0, sizeof(int64) * records->population->tuples->ntuples);
	records->people = 0;
	sql_connect();
	relation = relation_open_existing(records->reading->dataset->relation);
	rows_read(records_statement(records), list_make1_oid(RelationGetRelid(relation)), NULL, NULL, records->nshown + records->nnumbers + records->nread + (has_count ? 1 : 0),
			  records_types(records), take_row, records);
	relation_close(relation, NoLock);
	sql_finish();
	sql_restore_names(zone);
	if (records->people != records->population->people)
		refuse_changed(records);
}
