/*
 * recoding_argument.c
 *	  Recodings as arguments of SQL-callable functions.
 */
#include "sql/recoding_argument.h"

#include "access/relation.h"
#include "base/names.h"
#include "catalog/sql.h"
#include "read/population_read.h"
#include "release/release.h"
#include "sql/arguments.h"
#include "utils/builtins.h"
#include "utils/rel.h"

static const char *const labels_names[] = {[LABELS_HIERARCHY] = "hierarchy",[LABELS_RANGE] = "range"};

Dataset *
readable_dataset_argument(FunctionCallInfo fcinfo, int argument)
{
	Dataset    *dataset = dataset_argument(fcinfo, argument);

	release_check_reading(dataset);
	return dataset;
}

RecodingLabels
labels_argument(FunctionCallInfo fcinfo, int argument)
{
	char	   *name = name_argument(fcinfo, argument, "labels");
	int			labels = find_name(name, labels_names, lengthof(labels_names));

	if (labels < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown labels \"%s\"", name),
				 errhint("Labels are hierarchy and range.")));
	return (RecodingLabels) labels;
}

void
recoding_tables_read(RecodingTables *tables, const Dataset *dataset, int n, const Oid *oids)
{
	tables->n = n;
	tables->tables = palloc(sizeof(Relation) * (n + 1));
	for (int i = 0; i < n; i++)
		tables->tables[i] = recoding_table_open(oids[i]);
	tables->population = reading_population(dataset, NULL, true, &tables->reading);
	if (tables->population->people == 0)
		tables->population = NULL;
	else
		require_weights(dataset, tables->population);
}

/* The label of a tuple's leaf, for a message. */
static const char *
leaf_label(const Population *population, uint32 tuple, int a)
{
	const Attribute *attr = &population->attrs[a];
	const char *label = attr->hierarchy->labels[0][key_get(population->tuples->keys + (Size) tuple * population->nwords,
														   &attr->field)];

	return label == NULL ? "NULL" : quote_literal_cstr(label);
}

void
refuse_uncovered(const Population *population, Relation table, const TableRecoding *recoding, const RecodedClasses *shown)
{
	if (!shown->faulty)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_CHECK_VIOLATION),
			 errmsg("no label covers class " INT64_FORMAT " of recoding %s",
					recoding->numbers[recoding->class_of[shown->faulty_tuple]],
					relation_sql_name(RelationGetRelid(table))),
			 errdetail("It has %s and %s in column \"%s\".", leaf_label(population, shown->other_tuple, shown->faulty_attr),
					   leaf_label(population, shown->faulty_tuple, shown->faulty_attr),
					   population->attrs[shown->faulty_attr].name),
			 errhint("Split the class, or show ranges: labels => 'range'.")));
}

RecodedClasses *
recoding_table_show(const RecodingTables *tables, int i, RecodingLabels labels, TableRecoding **recoding)
{
	Population *population = tables->population;
	RecodedClasses *shown;

	*recoding = recoding_table_read(tables->reading, population, tables->tables[i], NULL, NULL);
	recoding_table_require_all(tables->reading, population, tables->tables[i], *recoding);
	shown = recoding_show(population, (*recoding)->class_of, (*recoding)->nclasses, labels, population->context);
	refuse_uncovered(population, tables->tables[i], *recoding, shown);
	return shown;
}

void
recoding_tables_close(RecodingTables *tables)
{
	for (int i = 0; i < tables->n; i++)
		relation_close(tables->tables[i], NoLock);
}
