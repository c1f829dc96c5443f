/*
 * recoding_measures.c
 *	  SQL: evaluate_recoding, recoding_classes.
 */
#include "base/compat.h"

#include "base/budget.h"
#include "catalog/sql.h"
#include "catalog/own_objects.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "read/population_read.h"
#include "release/class_labels.h"
#include "release/recoding_rows.h"
#include "sql/arguments.h"
#include "sql/search_call.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"

OWN_FUNCTION(anonopt_evaluate_recoding);
OWN_FUNCTION(anonopt_evaluate_recodings);
OWN_FUNCTION(anonopt_evaluate_recoding_named);
OWN_FUNCTION(anonopt_recoding_classes);

/* Adds a row for each of some recodings. */
static void
evaluate_recodings(FunctionCallInfo fcinfo, Dataset *dataset, int n, const Oid *oids)
{
	ResultRow  *row = result_begin(fcinfo);
	Promise		promise = promise_arguments(fcinfo, dataset);
	RecodingLabels labels = labels_argument(fcinfo);
	RecodingTables tables;

	recoding_tables_read(&tables, dataset, n, oids);
	for (int i = 0; i < n && tables.population != NULL; i++)
	{
		TableRecoding *recoding;
		Classes    *classes = recoding_table_classes(tables.reading, tables.population, tables.tables[i], labels, &recoding);
		Measures	measures;

		CHECK_FOR_INTERRUPTS();
		promise.limit = share_of_people(dataset->max_suppression, tables.population->people);
		classes_measure(classes, &promise, &measures);
		put_node(row, tables.population, NULL, &measures);
	}
	recoding_tables_close(&tables);
}

static Datum
anonopt_evaluate_recoding_call(PG_FUNCTION_ARGS)
{
	Dataset    *dataset;
	Oid			oid;

	dataset = readable_dataset_argument(fcinfo);
	require_argument(fcinfo, "recoding");
	oid = PG_GETARG_OID(1);
	evaluate_recodings(fcinfo, dataset, 1, &oid);
	return (Datum) 0;
}

/* The recodings of an array. */
static const Oid *
recodings_of_array(Datum datum, int *n)
{
	ArrayType  *array = DatumGetArrayTypeP(datum);

	if (ARR_NDIM(array) > 1 || array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("recodings must be a one-dimensional array without nulls")));
	*n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	return (const Oid *) ARR_DATA_PTR(array);
}

static Datum
anonopt_evaluate_recodings_call(PG_FUNCTION_ARGS)
{
	Dataset    *dataset;
	const Oid  *oids;
	int			n;

	dataset = readable_dataset_argument(fcinfo);
	require_argument(fcinfo, "recoding");
	oids = recodings_of_array(PG_GETARG_DATUM(1), &n);
	evaluate_recodings(fcinfo, dataset, n, oids);
	return (Datum) 0;
}

/*
 * Resolves a string constant, which may name one recoding or, in braces,
 * several: PostgreSQL could not choose an overload.
 */
static Datum
anonopt_evaluate_recoding_named_call(PG_FUNCTION_ARGS)
{
	Dataset    *dataset;
	char	   *name;
	const Oid  *oids;
	Oid			oid;
	int			n = 1;

	dataset = readable_dataset_argument(fcinfo);
	name = name_argument(fcinfo, "recoding");
	if (name[0] == '{')
		oids = recodings_of_array(OidInputFunctionCall(F_ARRAY_IN, name, REGCLASSOID, -1), &n);
	else
	{
		oid = DatumGetObjectId(OidInputFunctionCall(F_REGCLASSIN, name, InvalidOid, -1));
		oids = &oid;
	}
	evaluate_recodings(fcinfo, dataset, n, oids);
	return (Datum) 0;
}

typedef struct ListedClass
{
	uint32		class;
	int64		number;			/* in the table: the smallest of those that
								 * look alike */
	int64		people;
	int32		tuples;
	double		loss;
} ListedClass;

/* Sorts classes, worst first. */
static int
compare_listed(const void *a, const void *b)
{
	const ListedClass *x = a;
	const ListedClass *y = b;

	if (x->loss != y->loss)
		return x->loss > y->loss ? -1 : 1;
	if (x->people != y->people)
		return x->people < y->people ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static ListedClass *
list_classes(Classes *classes, const TableRecoding *recoding)
{
	ListedClass *listed = budget_alloc_zero(sizeof(ListedClass), (Size) classes->n + 1);

	classes_count(classes);
	for (uint32 class = 0; class < classes->n; class++)
	{
		listed[class].class = class;
		listed[class].number = PG_INT64_MAX;
		listed[class].people = class_people(classes->population, classes->table, class);
		listed[class].loss = class_loss(classes, class);
	}
	for (uint32 i = 0; i < classes->tuples->ntuples; i++)
		if (classes->class_of[i] != NO_CLASS)
		{
			ListedClass *class = &listed[classes->class_of[i]];

			class->number = Min(class->number, recoding->numbers[recoding->class_of[i]]);
			class->tuples++;
		}
	qsort(listed, classes->n, sizeof(ListedClass), compare_listed);
	return listed;
}

static void
put_classes(ReturnSetInfo *result, const ListedClass *listed, const Classes *classes)
{
	int			nattrs = classes->population->nattrs;
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "anonopt row", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(row);

	for (uint32 i = 0; i < classes->n; i++)
	{
		const char *labels[MAX_ATTRIBUTES];
		Datum		values[5];
		bool		nulls[5] = {0};

		CHECK_FOR_INTERRUPTS();
		for (int a = 0; a < nattrs; a++)
			labels[a] = classes->labels[a][classes->codes[class_at(classes, listed[i].class, a)]];
		values[0] = Int64GetDatum(listed[i].number);
		values[1] = texts_datum(labels, nattrs);
		values[2] = Int64GetDatum(listed[i].people);
		values[3] = Int64GetDatum(listed[i].tuples);
		values[4] = Float8GetDatum(listed[i].loss);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
		MemoryContextReset(row);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(row);
}

static Datum
anonopt_recoding_classes_call(PG_FUNCTION_ARGS)
{
	Dataset    *dataset;
	RecodingTables tables;
	RecodingLabels labels;
	Oid			oid;

	InitMaterializedSRF(fcinfo, 0);
	dataset = readable_dataset_argument(fcinfo);
	require_argument(fcinfo, "recoding");
	oid = PG_GETARG_OID(1);
	labels = labels_argument(fcinfo);
	recoding_tables_read(&tables, dataset, 1, &oid);
	if (tables.population != NULL)
	{
		TableRecoding *recoding;
		Classes    *classes = recoding_table_classes(tables.reading, tables.population, tables.tables[0], labels, &recoding);

		classes_label_recoding(classes, labels);
		put_classes((ReturnSetInfo *) fcinfo->resultinfo, list_classes(classes, recoding), classes);
	}
	recoding_tables_close(&tables);
	return (Datum) 0;
}
