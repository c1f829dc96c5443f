/*
 * cuts_argument.c
 *	  Partitions of ordered domains as arguments: bit strings.
 */
#include "sql/cuts_argument.h"

#include "catalog/pg_type.h"
#include "sql/arguments.h"
#include "utils/array.h"
#include "utils/varbit.h"

Datum *
cuts_argument(FunctionCallInfo fcinfo, int argument, const Dataset *dataset, int *nnodes)
{
	ArrayType  *array = attributes_argument(fcinfo, argument, "cuts", "bit string", dataset, nnodes);
	Datum	   *cuts;
	bool	   *nulls;
	int			ncuts;

	deconstruct_array(array, VARBITOID, -1, false, TYPALIGN_INT, &cuts, &nulls, &ncuts);
	return cuts;
}
