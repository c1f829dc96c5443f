/*
 * dataset_rights.c
 *	  Declarations as this statement has left them, and their ownership.
 */
#include "catalog/dataset_rights.h"

#include "access/xact.h"
#include "catalog/own_objects.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

void
see_own_changes(void)
{
	CommandCounterIncrement();
	PushActiveSnapshot(IsInParallelMode() ? GetTransactionSnapshot() : GetLatestSnapshot());
}

Dataset *
dataset_load_latest(const char *name)
{
	Dataset    *dataset;

	see_own_changes();
	dataset = dataset_load(name);
	PopActiveSnapshot();
	return dataset;
}

Dataset *
dataset_load_latest_entry(const char *name)
{
	Dataset    *dataset;

	see_own_changes();
	dataset = dataset_load_entry(name);
	PopActiveSnapshot();
	return dataset;
}

/* Fails with 42501 unless the caller owns a data set. */
static void
require_owner(const Dataset *dataset)
{
	Oid			owner = get_role_oid(dataset->owner, true);

	if (OidIsValid(owner) && has_privs_of_role(GetUserId(), owner))
		return;
	/* whoever can write the catalogs could change them anyway */
	if (pg_class_aclcheck(own_relation("dataset"), GetUserId(), ACL_UPDATE) == ACLCHECK_OK)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("must be owner of data set \"%s\"", dataset->name),
			 errdetail("It belongs to role \"%s\".", dataset->owner)));
}

Dataset *
dataset_load_owned(const char *name)
{
	require_owner(dataset_load_latest_entry(name));
	return dataset_load_latest(name);
}

Dataset *
dataset_load_owned_entry(const char *name)
{
	Dataset    *dataset = dataset_load_latest_entry(name);

	require_owner(dataset);
	return dataset;
}
