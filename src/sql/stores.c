/*
 * stores.c
 *	  SQL: create_tuple_store, refresh_tuple_store, drop_tuple_store.
 */
#include "base/compat.h"

#include "catalog/own_objects.h"
#include "miscadmin.h"
#include "sql/arguments.h"
#include "store/store.h"

OWN_FUNCTION(anonopt_create_tuple_store);
OWN_FUNCTION(anonopt_refresh_tuple_store);
OWN_FUNCTION(anonopt_drop_tuple_store);

static Datum
anonopt_create_tuple_store_call(PG_FUNCTION_ARGS)
{
	bool		track = boolean_argument(fcinfo, "track");

	PreventCommandIfReadOnly("create_tuple_store()");
	PG_RETURN_OID(store_create(name_argument(fcinfo, "dataset"), track));
}

static Datum
anonopt_refresh_tuple_store_call(PG_FUNCTION_ARGS)
{
	PreventCommandIfReadOnly("refresh_tuple_store()");
	store_refresh(name_argument(fcinfo, "dataset"));
	PG_RETURN_VOID();
}

static Datum
anonopt_drop_tuple_store_call(PG_FUNCTION_ARGS)
{
	PreventCommandIfReadOnly("drop_tuple_store()");
	store_drop_by_name(name_argument(fcinfo, "dataset"));
	PG_RETURN_VOID();
}
