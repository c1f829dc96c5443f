/*
 * recoding_argument.c
 *	  Recodings as arguments of SQL-callable functions.
 */
#include "sql/recoding_argument.h"

#include "access/relation.h"
#include "base/names.h"
#include "catalog/sql.h"
#include "miscadmin.h"
#include "read/population_read.h"
#include "release/release.h"
#include "sql/arguments.h"
#include "sql/search_call.h"
#include "utils/builtins.h"
#include "utils/rel.h"

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
	int			labels = recoding_labels_by_name(name);

	if (labels < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown labels \"%s\"", name),
				 errhint("Labels are hierarchy and range.")));
	return (RecodingLabels) labels;
}

Objective
recoding_loss_argument(FunctionCallInfo fcinfo, int argument, const Dataset *dataset)
{
	static const char *const losses[] = {"glm", "nwp", "dcn", "cm"};
	char	   *name = name_argument(fcinfo, argument, "loss");

	if (find_name(name, losses, lengthof(losses)) < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown loss \"%s\"", name),
				 errhint("Losses of a recoding are glm, nwp, dcn and cm.")));
	return objective_argument(name, dataset, true);
}

void
recoding_tables_read(RecodingTables *tables, const Dataset *dataset, int n, const Oid *oids)
{
	tables->n = n;
	tables->tables = palloc(sizeof(Relation) * (n + 1));
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		tables->tables[i] = recoding_table_open(oids[i]);
	}
	tables->population = reading_population(dataset, NULL, true, false, &tables->reading);
	if (tables->population->people == 0)
		tables->population = NULL;
	else
		require_weights(dataset, tables->population);
}

void
recoding_tables_close(RecodingTables *tables)
{
	for (int i = 0; i < tables->n; i++)
		relation_close(tables->tables[i], NoLock);
}
