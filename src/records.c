/*
 * records.c
 *	  The rows of a relation beside its population: whose tuple each is.
 *
 * The relation is read a second time under the same snapshot, this time row
 * by row, and each is encoded as it was the first time.
 */
#include "records.h"

#include "access/htup_details.h"
#include "budget.h"
#include "catalog/pg_class.h"
#include "read.h"
#include "shards.h"
#include "sql.h"
#include "tally.h"
#include "tcop/dest.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

struct Records
{
	Reading    *reading;
	Population *population;
	const char *shown;			/* expressions that are handed on */
	int			nshown;
	int			nread;			/* columns that are encoded again */
	Tally	   *tuples;			/* the population's keys by number */
	int64	   *seen;			/* people by tuple, to be all there are */
	int64		people;
	MemoryContext row;			/* reset after each */
	RecordVisitor visit;
	void	   *arg;
};

typedef struct RecordReceiver
{
	DestReceiver pub;
	Records    *records;
} RecordReceiver;

/* Whether a relation's rows are those of one table and of no other. */
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

/* What names a row of r: the key, or its place. */
static const char *
name_expression(Oid relation, const char *key)
{
	char		kind = get_rel_relkind(relation);

	if (key != NULL)
		return psprintf("r.%s::pg_catalog.text", quote_identifier(key));
	if (is_plain(relation))
		return "r.ctid::pg_catalog.text";
	/* places of rows that are elsewhere mean nothing here */
	if (kind == RELKIND_RELATION || (kind == RELKIND_PARTITIONED_TABLE && !has_foreign_leaf(relation)))
		return "r.tableoid::pg_catalog.text OPERATOR(pg_catalog.||) ':' OPERATOR(pg_catalog.||) r.ctid::pg_catalog.text";
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("rows of %s have no place to be named by", relation_sql_name(relation)),
			 errhint("Name a column that tells them apart as key.")));
	return NULL;
}

/* Fails where a column's values cannot be compared, or one is missing; SPI is connected. */
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
	sql_read(sql.data, 0, NULL, NULL);
	if (SPI_processed > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" does not name every row of %s", key, relation_sql_name(relation)),
				 errdetail("It holds a null value.")));
}

Records *
records_begin(const Dataset *dataset, const char *key)
{
	Records    *records = palloc0(sizeof(Records));

	records->shown = name_expression(dataset->relation, key);
	records->nshown = 1;
	if (key != NULL)
	{
		sql_connect();
		require_key(dataset->relation, key);
		require_unique(dataset->relation, key, ERRCODE_INVALID_PARAMETER_VALUE, "Name a column that does as key.");
		sql_finish();
	}
	records->population = reading_population(dataset, NULL, false, &records->reading);
	records->nread = records->reading->ncolumns;
	return records;
}

Records *
records_with_columns(const Dataset *dataset, const int *levels, const char *const *columns, int ncolumns)
{
	Records    *records = palloc0(sizeof(Records));
	StringInfoData names;

	initStringInfo(&names);
	for (int i = 0; i < ncolumns; i++)
		appendStringInfo(&names, "%sr.%s", i > 0 ? ", " : "", quote_identifier(columns[i]));
	records->shown = ncolumns > 0 ? names.data : "NULL";
	records->nshown = Max(ncolumns, 1);
	records->population = reading_population(dataset, levels, false, &records->reading);
	records->nread = records->population->nattrs;
	return records;
}

Population *
records_population(const Records *records)
{
	return records->population->people > 0 ? records->population : NULL;
}

/* Makes the population's tuples be found by their keys. */
static void
index_tuples(Records *records)
{
	const Population *population = records->population;
	const TupleTable *tuples = population->tuples;

	budget_require(population->context, sizeof(int64) * (Size) tuples->ntuples);
	records->seen = MemoryContextAllocHuge(population->context, sizeof(int64) * ((Size) tuples->ntuples + 1));
	records->tuples = tally_create(population->context, population->nwords, tuples->ntuples);
	for (uint32 i = 0; i < tuples->ntuples; i++)
	{
		memcpy(tally_candidate(records->tuples), tuples->keys + (Size) i * population->nwords,
			   sizeof(uint64) * population->nwords);
		tally_add(records->tuples, 1);
	}
}

static void
refuse_changed(const Records *records)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("relation %s did not show the same rows twice",
					relation_sql_name(records->reading->dataset->relation)),
			 errhint("Materialize what it shows, if that is random or changes with time.")));
}

/* The population's code of a value that was read before. */
static uint32
code_again(const Records *records, int column, Datum value, bool isnull)
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
	return read->final == NULL ? code : read->final[code];
}

/* The number of a row's tuple. */
static uint32
tuple_of_row(const Records *records, const Datum *values, const bool *nulls)
{
	const Population *population = records->population;
	uint64	   *key = tally_candidate(records->tuples);
	uint32		number;

	memset(key, 0, sizeof(uint64) * population->nwords);
	for (int a = 0; a < population->nattrs; a++)
		key_put(key, &population->attrs[a].field, code_again(records, a, values[a], nulls[a]));
	number = tally_find(records->tuples);
	if (number == PG_UINT32_MAX)
		refuse_changed(records);
	return number;
}

/* The code of a row's value of the first sensitive column, if there is one. */
static uint32
code_of_value(const Records *records, const Datum *values, const bool *nulls)
{
	const Reading *reading = records->reading;
	int			column = records->population->nattrs;
	int			counted = reading->columns[column].counted;
	uint32		code;

	if (records->population->nsensitive == 0)
		return 0;
	if (counted == column)
		return code_again(records, column, values[column], nulls[column]);
	code = code_again(records, counted, values[counted], nulls[counted]);
	return reading->columns[column].final[code];
}

/* The same, which must be one that the tuple had before. */
static uint32
value_of_row(const Records *records, uint32 tuple, const Datum *values, const bool *nulls)
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

/* Counts a row's people, who must be no more than before. */
static void
count_row(Records *records, uint32 tuple, int64 people)
{
	records->seen[tuple] += people;
	records->people += people;
	if (records->seen[tuple] > records->population->tuples->counts[tuple])
		refuse_changed(records);
}

static void
startup(DestReceiver *self, int operation, TupleDesc typeinfo)
{
}

static void
shutdown(DestReceiver *self)
{
}

/* Takes a row: what is handed on, the columns that are read, perhaps a count. */
static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	Records    *records = ((RecordReceiver *) self)->records;
	MemoryContext old;
	const Datum *values;
	const bool *nulls;
	int64		people;
	uint32		tuple;

	slot_getallattrs(slot);
	values = slot->tts_values + records->nshown;
	nulls = slot->tts_isnull + records->nshown;
	people = records->reading->dataset->count_column != NULL ? DatumGetInt64(values[records->nread]) : 1;
	if (people == 0)
		return true;
	old = MemoryContextSwitchTo(records->row);
	tuple = tuple_of_row(records, values, nulls);
	count_row(records, tuple, people);
	records->visit(records->arg, slot->tts_values, slot->tts_isnull, tuple, value_of_row(records, tuple, values, nulls));
	MemoryContextSwitchTo(old);
	MemoryContextReset(records->row);
	return true;
}

void
records_visit(Records *records, RecordVisitor visit, void *arg)
{
	SPIExecuteOptions options = {0};
	RecordReceiver receiver = {{receive_row, startup, shutdown, shutdown, DestNone}, records};
	StringInfoData sql;
	int			code;

	records->visit = visit;
	records->arg = arg;
	if (records->tuples == NULL)
	{
		records->row = AllocSetContextCreate(records->population->context, "anonopt row", ALLOCSET_DEFAULT_SIZES);
		index_tuples(records);
	}
	memset(records->seen, 0, sizeof(int64) * records->population->tuples->ntuples);
	records->people = 0;
	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT %s", records->shown);
	append_read_columns(records->reading, records->nread, &sql);
	appendStringInfo(&sql, " FROM %s r", relation_sql_name(records->reading->dataset->relation));
	sql_connect();
	options.read_only = true;
	options.dest = &receiver.pub;
	code = SPI_execute_extended(sql.data, &options);
	if (code < 0)
		elog(ERROR, "could not read the relation: %s", SPI_result_code_string(code));
	sql_finish();
	if (records->people != records->population->people)
		refuse_changed(records);
}
