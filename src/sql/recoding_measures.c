/*
 * recoding_measures.c
 *	  SQL: evaluate_recoding, recoding_classes.
 */
#include "base/compat.h"

#include "base/budget.h"
#include "catalog/sql.h"
#include "catalog/own_objects.h"
#include "miscadmin.h"
#include "read/population_read.h"
#include "release/class_labels.h"
#include "sql/search_call.h"
#include "utils/fmgroids.h"

OWN_FUNCTION(anonopt_evaluate_recoding);
OWN_FUNCTION(anonopt_recoding_classes);

/*
 * "recoding", which is one or an array of them, or a string constant that names
 * one or, in braces, several: PostgreSQL could not choose an overload.
 */
static const Oid *
recodings_argument(FunctionCallInfo fcinfo, int *n)
{
	Oid			type = argument_type(fcinfo, "recoding");
	char	   *name = type == TEXTOID ? name_argument(fcinfo, "recoding") : NULL;
	Datum		array;

	if (type == REGCLASSOID || (name != NULL && name[0] != '{'))
	{
		Oid		   *oid = palloc(sizeof(Oid));

		*oid = name == NULL ? relation_argument(fcinfo, "recoding") :
			DatumGetObjectId(OidInputFunctionCall(F_REGCLASSIN, name, InvalidOid, -1));
		*n = 1;
		return oid;
	}
	array = name == NULL ? get_argument(fcinfo, "recoding", REGCLASSARRAYOID) :
		OidInputFunctionCall(F_ARRAY_IN, name, REGCLASSOID, -1);
	*n = count_elements(array, "recodings");
	return (const Oid *) ARR_DATA_PTR(DatumGetArrayTypeP(array));
}

/* Adds a row for each of some recodings. */
static Datum
anonopt_evaluate_recoding_call(PG_FUNCTION_ARGS)
{
	ResultRow  *row = result_begin(fcinfo);
	Dataset    *dataset = readable_dataset_argument(fcinfo);
	int			n;
	const Oid  *oids = recodings_argument(fcinfo, &n);
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
put_classes(ResultRow *row, const ListedClass *listed, const Classes *classes)
{
	int			nattrs = classes->population->nattrs;
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "anonopt row", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);

	for (uint32 i = 0; i < classes->n; i++)
	{
		const char *labels[MAX_ATTRIBUTES];

		CHECK_FOR_INTERRUPTS();
		for (int a = 0; a < nattrs; a++)
			labels[a] = classes->labels[a][classes->codes[class_at(classes, listed[i].class, a)]];
		put_count(row, "class", listed[i].number);
		put_datum(row, "shown", TEXTARRAYOID, texts_datum(labels, nattrs));
		put_count(row, "people", listed[i].people);
		put_count(row, "tuples", listed[i].tuples);
		put_number(row, "loss", listed[i].loss);
		row_add(row);
		MemoryContextReset(context);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

static Datum
anonopt_recoding_classes_call(PG_FUNCTION_ARGS)
{
	ResultRow  *row = result_begin(fcinfo);
	Dataset    *dataset = readable_dataset_argument(fcinfo);
	Oid			oid = relation_argument(fcinfo, "recoding");
	RecodingLabels labels = labels_argument(fcinfo);
	RecodingTables tables;

	recoding_tables_read(&tables, dataset, 1, &oid);
	if (tables.population != NULL)
	{
		TableRecoding *recoding;
		Classes    *classes = recoding_table_classes(tables.reading, tables.population, tables.tables[0], labels, &recoding);

		classes_label_recoding(classes, labels);
		put_classes(row, list_classes(classes, recoding), classes);
	}
	recoding_tables_close(&tables);
	return (Datum) 0;
}
