#include "compat.h"
PG_FUNCTION_INFO_V1(anonopt_auto_dataset);
Datum
anonopt_auto_dataset(PG_FUNCTION_ARGS)
{
	PG_RETURN_NULL();
}
