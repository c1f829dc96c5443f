/*
 * relation_rows.c
 *	  The rows of a relation, each with its tuple in the population.
 *
 * The relation is read a second time under the same snapshot, row by row, and
 * each row is encoded as it was the first time.
 */
#include "read/relation_rows.h"

#include "access/relation.h"
#include "base/budget.h"
#include "base/key_counter.h"
#include "catalog/relations.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "catalog/typed_rows.h"
#include "read/reading_parts.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

struct RelationRows
{
	Reading    *reading;
	Population *population;
	const char *name;			/* expression for a row's position, or NULL */
	AttrNumber	key;			/* column that names it then */
	int			nnumbers;		/* columns passed on behind the name, as
								 * float8 */
	AttrNumber *number_columns;
	int64		row_people;		/* people of the current row */
	KeyCounter *tuples;			/* the population's keys by number */
	int64	   *seen;			/* people by tuple, which must add up */
	int64		people;
	RowVisitor	visit;
	void	   *arg;
};

/* The expression that identifies a row of r without a key. */
static const char *
place_expression(Oid relation)
{
	char		kind = get_rel_relkind(relation);

	/* positions of remote rows mean nothing here */
	bool		is_here = !is_distributed(relation);

	if (is_here && (kind == RELKIND_MATVIEW || (kind == RELKIND_RELATION && !has_subclass(relation))))
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
 * Fails if a column's values cannot be compared, one is NULL, or two are the
 * same.
 */
static void
require_key(Oid relation, const char *key)
{
	const char *name = relation_sql_name(relation);
	const char *column = quote_identifier(key);
	Oid			type = column_type(relation, key);
	int64		duplicates;
	bool		isnull;

	if (!OidIsValid(lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" cannot be a key", key),
				 errdetail("Values of type %s cannot be compared.", format_type_be(type))));
	if (rows_of_query(psprintf("SELECT 1 FROM %s r WHERE r.%s IS NULL LIMIT 1", name, column),
					  list_make1_oid(relation), NULL, NULL, 0, NULL)->n > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" does not identify every row of %s", key, name),
				 errdetail("It holds a null value.")));
	if (column_is_unique(relation, key))
		return;
	type = INT8OID;
	duplicates = DatumGetInt64(row_value(rows_of_query(psprintf("SELECT pg_catalog.count(*) FROM (SELECT 1 FROM %s r GROUP BY r.%s"
																" HAVING pg_catalog.count(*) OPERATOR(pg_catalog.>) 1) s", name, column),
													   list_make1_oid(relation), NULL, NULL, 1, &type), 0, 0, &isnull));
	if (duplicates > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" does not identify rows of %s", key, name),
				 errdetail_plural(INT64_FORMAT " of its values is in more than one row.",
								  INT64_FORMAT " of its values are in more than one row.", duplicates, duplicates),
				 errhint("Name a column that does as key.")));
}

RelationRows *
relation_rows_begin(const Dataset *dataset, const char *key, bool keeps_ties)
{
	RelationRows *records = palloc0(sizeof(RelationRows));

	if (key == NULL)
		records->name = place_expression(dataset->relation);
	else
	{
		records->key = get_attnum(dataset->relation, key);
		if (records->key <= 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("column \"%s\" of relation %s does not exist", key, relation_sql_name(dataset->relation))));
		require_key(dataset->relation, key);
	}
	records->population = reading_population(dataset, NULL, false, keeps_ties, &records->reading);
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

/*
 * The code of a row's value of the first sensitive column, if there is one;
 * fails unless the tuple had that value before.
 */
static uint32
value_of_row(const RelationRows *records, uint32 tuple, const Datum *values, const bool *nulls)
{
	const Population *population = records->population;
	int			column = population->nattrs;
	int			read;
	uint32		value;

	if (population->nsensitive == 0)
		return 0;
	read = records->reading->columns[column].values_column;
	value = code_again(records, read, values[read], nulls[read]);
	if (read != column)
		value = records->reading->columns[column].population_codes[value];
	if (histograms_count_of(population->columns[0], population->tuples->slices[0][tuple], value) == 0)
		refuse_changed(records);
	return value;
}

static void
take_row(void *arg, const Datum *shown, const bool *shown_nulls, const Datum *values, const bool *nulls, int64 people)
{
	RelationRows *records = arg;
	uint32		tuple = tuple_of_row(records, values, nulls);

	records->seen[tuple] += people;
	records->people += people;
	if (records->seen[tuple] > records->population->tuples->counts[tuple])
		refuse_changed(records);
	records->row_people = people;
	records->visit(records->arg, shown, shown_nulls, tuple, value_of_row(records, tuple, values, nulls));
}

void
relation_rows_visit(RelationRows *records, RowVisitor visit, void *arg)
{
	const Dataset *dataset = records->reading->dataset;
	const Population *population = records->population;
	Oid		   *types = palloc(sizeof(Oid) * (1 + records->nnumbers));
	int			zone = dataset_use_zone(dataset);
	Relation	relation = relation_open_existing(dataset->relation);
	StringInfoData shown;

	records->visit = visit;
	records->arg = arg;
	if (records->tuples == NULL)
	{
		budget_require(population->context, sizeof(int64) * (Size) population->tuples->ntuples);
		records->seen = MemoryContextAllocHuge(population->context, sizeof(int64) * ((Size) population->tuples->ntuples + 1));
		records->tuples = index_of_tuples(population);
	}
	memset(records->seen, 0, sizeof(int64) * population->tuples->ntuples);
	records->people = 0;

	/* columns are identified by number, because they may have been renamed */
	initStringInfo(&shown);
	types[0] = TEXTOID;
	if (records->name != NULL)
		appendStringInfo(&shown, ", %s", records->name);
	else
		appendStringInfo(&shown, ", %s", sql_as(text_form(getBaseType(get_atttype(dataset->relation, records->key))),
												psprintf("r.%s", quote_identifier(get_attname(dataset->relation, records->key, false)))));
	for (int i = 0; i < records->nnumbers; i++)
	{
		types[1 + i] = FLOAT8OID;
		appendStringInfo(&shown, ", r.%s::pg_catalog.float8",
						 quote_identifier(get_attname(dataset->relation, records->number_columns[i], false)));
	}
	read_rows(records->reading, shown.data, 1 + records->nnumbers, types, "", take_row, records);
	relation_close(relation, NoLock);
	sql_restore_names(zone);
	if (records->people != population->people)
		refuse_changed(records);
}
