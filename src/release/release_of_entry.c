/*
 * release_of_entry.c
 *	  Rebuilds a release's specification from its entry.
 */
#include "release/release_parts.h"

#include "catalog/sql.h"
#include "read/population_read.h"
#include "utils/lsyscache.h"

void
refuse_changed(const Release *release)
{
	ereport(ERROR,
			(errcode(ERRCODE_CHECK_VIOLATION),
			 errmsg("release %s would be made differently now", release->sql_name),
			 errdetail("The declaration has changed, or new values or NULLs change what is shown."),
			 errhint("Drop the release and publish it again.")));
}

Release *
release_of_entry(const ReleaseEntry *entry)
{
	Release    *release = palloc0(sizeof(Release));
	Dataset    *dataset = dataset_sound(dataset_load_owned(entry->dataset));
	Promise    *promise = &release->promise;

	release->id = entry->id;
	release->dataset = dataset;
	dataset->for_release = true;
	release->form = entry->form;
	release->schema = get_rel_namespace(entry->relation);
	release->name = get_rel_name(entry->relation);
	release->sql_name = relation_sql_name(entry->relation);
	release->named = entry->columns;
	release->nnamed = entry->ncolumns;
	release->star = entry->star;
	promise->k = (int64) general_promise(entry, MODEL_K)->threshold;
	/* beside those that are declared now, it keeps its own */
	for (int i = 0; i < entry->npromises; i++)
	{
		const DeclaredPromise *own = &entry->promises[i];

		if (own->model == MODEL_K)
			continue;
		if (model_needs_population(own->model) && !OidIsValid(own->population))
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_TABLE),
					 errmsg("population of promise %s of release %s is gone", model_name(own->model), entry->name),
					 errhint("Drop the release and publish it again.")));
		if (own->column != NULL && !dataset_has_role(dataset, ROLE_SENSITIVE, own->column))
			refuse_changed(release);
		if (promise_is_general(own))
			promise_of_all(dataset, own->model, own->threshold);
		else
			dataset_promise(dataset, own);
	}
	promise_add_declared(promise, dataset);
	if (entry->ngeneralized != dataset_count_role(dataset, ROLE_QUASI_IDENTIFIER))
		refuse_changed(release);
	release->by = entry->by;
	if (entry->by.kind == BY_LEVELS)
		check_node(dataset, entry->by.levels);
	if (entry->by.kind == BY_RECODING && (!OidIsValid(entry->by.recoding) || get_rel_name(entry->by.recoding) == NULL))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("recoding %s of release %s is gone", entry->by.recoding_name, entry->name),
				 errhint("Drop the release and publish it again.")));
	for (int i = 0; i < entry->ncolumns; i++)
		require_column(dataset->relation, entry->columns[i]);
	release_choose(release);
	return release;
}
