/*
 * publish.c
 *	  SQL: view_sql, create_view, publish_table, publish_records,
 *	  publish_codebook, refresh_release, republish, drop_release,
 *	  forget_release, verify, evidence, privacy_parameters.
 */
#include "base/compat.h"

#include "catalog/pg_proc.h"
#include "catalog/sql.h"
#include "miscadmin.h"
#include "promise/differential_privacy.h"
#include "release/entry_row.h"
#include "release/release_verify.h"
#include "sql/call.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

/* How many of levels, cuts and a recoding are given. */
static int
count_generalizations(FunctionCallInfo fcinfo)
{
	return is_given(fcinfo, "levels") + is_given(fcinfo, "cuts") + is_given(fcinfo, "recoding");
}

static const Generalization no_generalization = {
	.labels = RECODING_LABELS,.records = {.risk = RISK_MODELS,.utility = UTILITY_MODELS}
};

/* Gets the node, the cuts or the recoding to show. */
static void
generalization_arguments(FunctionCallInfo fcinfo, Release *release)
{
	Generalization *by = &release->by;
	const Dataset *dataset = release->dataset;
	int			given = count_generalizations(fcinfo);

	if (given != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 given == 0 ? errmsg("levels, cuts or a recoding must be given") :
				 errmsg("only one of levels, cuts and recoding can be given"),
				 errhint("Give the levels of a node, such as anonopt.optimize finds, cuts, such as anonopt.nsga2 finds, or a recoding, such as anonopt.create_recoding creates.")));
	*by = no_generalization;
	if (is_given(fcinfo, "levels"))
	{
		by->kind = BY_LEVELS;
		by->levels = node_argument(fcinfo, "levels", dataset);
		by->nlevels = dataset_count_role(dataset, ROLE_QUASI_IDENTIFIER);
	}
	else if (is_given(fcinfo, "recoding"))
	{
		by->kind = BY_RECODING;
		by->recoding = relation_argument(fcinfo, "recoding");
		by->labels = labels_argument(fcinfo);
	}
	else
	{
		by->kind = BY_CUTS;
		by->cuts = one_cuts_argument(fcinfo, "cuts", dataset, "generalization");
		by->ncuts = dataset_count_role(dataset, ROLE_QUASI_IDENTIFIER);
	}
}

/* Of differential privacy: epsilon, delta and perhaps beta. */
static PrivacyParameters
privacy_arguments(FunctionCallInfo fcinfo)
{
	double		beta = is_given(fcinfo, "beta") ? number_argument(fcinfo, "beta") : 0;

	return privacy_parameters(number_argument(fcinfo, "epsilon"), number_argument(fcinfo, "delta"), is_given(fcinfo, "beta") ? &beta : NULL);
}

/* Whether a release is to be differentially private. */
static void
release_privacy(FunctionCallInfo fcinfo, Release *release)
{
	if (!takes_argument(fcinfo, "epsilon"))
		return;
	release->trusted = boolean_argument(fcinfo, "trusted");
	if (is_given(fcinfo, "epsilon"))
		release->privacy = privacy_arguments(fcinfo);
	else if (is_given(fcinfo, "delta") || is_given(fcinfo, "beta") || release->trusted)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("delta, beta and trusted belong to epsilon"),
				 errhint("Give epsilon, too, for differential privacy; see anonopt.privacy_parameters.")));
}

/* How labels are shown, or whether true values are. */
static void
show_arguments(FunctionCallInfo fcinfo, Release *release)
{
	static const char *const shown[] = {"labels", "permuted"};

	if (!takes_argument(fcinfo, "columns_as"))
		return;
	release->columns_as = (ColumnsAs) choice_argument(fcinfo, "columns_as", "Forms of columns", columns_as_names, COLUMNS_AS, " and ");
	release->permuted = choice_argument(fcinfo, "show", "Values of show", shown, lengthof(shown), " and ") == 1;
	if (!release->permuted)
		return;
	if (release->columns_as != AS_TEXT)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("permuted columns cannot be shown as %s", columns_as_names[release->columns_as]),
				 errhint("They show true values, not labels: leave out columns_as.")));
	if (release->form == RELEASE_LIVE_VIEW)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a live view cannot show permuted values"),
				 errhint("Publish a snapshot instead: materialized => true.")));
}

/*
 * Builds the specification from the arguments of create_view and similar
 * functions; publish_records has options instead of one generalization of all.
 */
static void
release_arguments(FunctionCallInfo fcinfo, Release *release, bool by_records)
{
	static const char *const forms[] = {"omit", "star"};
	const char *name = name_argument(fcinfo, "dataset");

	/* what the same statement has promised must be kept, too */
	Dataset    *dataset = dataset_sound(func_volatile(fcinfo->flinfo->fn_oid) == PROVOLATILE_VOLATILE ? dataset_load_latest(name) :
										dataset_load(name));
	RecordOptions *options = &release->by.records;

	dataset->for_release = true;
	release_check_reading(dataset);
	release->dataset = dataset;
	if (by_records)
	{
		release->by = no_generalization;
		options->are_given = true;
		options->min_utility = require_finite("min_utility", number_argument(fcinfo, "min_utility"));
		if (!is_given(fcinfo, "key") || *name_argument(fcinfo, "key") == '\0')
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("argument \"key\" must name a column")));
		options->key = key_argument(fcinfo, dataset);
		options->risk = risk_argument(fcinfo);
		options->utility = utility_argument(fcinfo);
	}
	else
	{
		const char *form = is_given(fcinfo, "suppressed") ? name_argument(fcinfo, "suppressed") : "<NULL>";

		release->star = require_choice("form of suppression", form, "Forms of suppression", forms, lengthof(forms), " and ") == 1;
	}
	release->promise = promise_arguments(fcinfo, dataset);
	release_privacy(fcinfo, release);
	if (!by_records)
		generalization_arguments(fcinfo, release);
	show_arguments(fcinfo, release);
	if (is_given(fcinfo, "columns"))
		release->named = columns_argument(fcinfo, "columns", dataset->relation, &release->nnamed);
	release_choose(release);
}

static ReleaseForm
view_form(FunctionCallInfo fcinfo)
{
	return is_given(fcinfo, "materialized") && !boolean_argument(fcinfo, "materialized") ? RELEASE_LIVE_VIEW : RELEASE_MATERIALIZED_VIEW;
}

OWN_FUNCTION(anonopt_view_sql)
{
	Release    *release = palloc0(sizeof(Release));
	int			settings = release_settings_begin();
	char	   *statement;

	release->form = view_form(fcinfo);
	release_arguments(fcinfo, release, false);
	release_check(release);
	release_read(release);
	statement = view_sql(release);
	spool_end(&release->spool);
	release_close(release);
	release_settings_end(settings);
	PG_RETURN_TEXT_P(cstring_to_text(statement));
}

/* create_view, publish_table and publish_records, which differ in their arguments. */
OWN_FUNCTION(anonopt_publish)
{
	Release    *release = palloc0(sizeof(Release));
	bool		by_records = takes_argument(fcinfo, "min_utility");
	bool		is_view = takes_argument(fcinfo, "view_name");
	const char *name = is_view ? "view_name" : "table_name";
	int			settings;
	Oid			relation;

	PreventCommandIfReadOnly(psprintf("%s()", get_func_name(fcinfo->flinfo->fn_oid)));
	if (!is_given(fcinfo, name))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"name\" must not be null")));
	release_name(release, name_argument(fcinfo, name), takes_argument(fcinfo, "replace") && boolean_argument(fcinfo, "replace"));
	settings = release_settings_begin();
	release->form = is_view ? view_form(fcinfo) : RELEASE_TABLE;
	if (by_records && count_if_given(fcinfo, "k") == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("k must be at least 1, not <NULL>")));
	release_arguments(fcinfo, release, by_records);
	relation = release_create(release);
	release_settings_end(settings);
	PG_RETURN_OID(relation);
}

OWN_FUNCTION(anonopt_refresh_release)
{
	Oid			relation = relation_argument(fcinfo, "release");
	bool		holds_back = is_given(fcinfo, "hold_back") ? boolean_argument(fcinfo, "hold_back") : composition_holds_back();
	bool		keep_deleted = boolean_argument(fcinfo, "keep_deleted");
	int			settings;

	PreventCommandIfReadOnly("refresh_release()");
	settings = release_settings_begin();
	release_refresh(relation, holds_back, keep_deleted);
	release_settings_end(settings);
	PG_RETURN_VOID();
}

OWN_FUNCTION(anonopt_publish_codebook)
{
	Oid			relation = relation_argument(fcinfo, "release");
	NewRelation new;
	int			settings;

	PreventCommandIfReadOnly("publish_codebook()");
	new = new_relation(name_argument(fcinfo, "name"), "Drop it, or choose another name for the codebook.");
	settings = release_settings_begin();
	relation = codebook_create(&new, relation);
	release_settings_end(settings);
	PG_RETURN_OID(relation);
}

OWN_FUNCTION(anonopt_republish)
{
	Oid			relation = relation_argument(fcinfo, "release");
	ReleaseEntry *entry;
	Release    *release;
	int			settings;
	int64		k;

	PreventCommandIfReadOnly("republish()");
	settings = release_settings_begin();
	/* an l of 0 or a t of 1 withdraws the old promise */
	release = release_republish_begin(relation, &entry, !is_given(fcinfo, "l") || DatumGetInt32(get_argument(fcinfo, "l", INT4OID)) > 0,
									  !is_given(fcinfo, "t") || number_argument(fcinfo, "t") < 1);
	/* arguments that are not given keep the old values */
	k = release->promise.k;
	if (count_generalizations(fcinfo) > 0)
		generalization_arguments(fcinfo, release);
	release->promise = promise_arguments(fcinfo, unconstify(Dataset *, release->dataset));
	/* it includes the declared promises */
	if (!is_given(fcinfo, "k"))
		release->promise.k = k;
	release_republish(release, entry);
	release_settings_end(settings);
	PG_RETURN_OID(relation);
}

/* Removes a release in one of the ways there are. */
static Datum
remove_release(FunctionCallInfo fcinfo, void (*removes) (Oid relation))
{
	Oid			relation = relation_argument(fcinfo, "release");
	int			settings;

	PreventCommandIfReadOnly(psprintf("%s()", get_func_name(fcinfo->flinfo->fn_oid)));
	settings = release_settings_begin();
	removes(relation);
	release_settings_end(settings);
	PG_RETURN_VOID();
}

OWN_FUNCTION(anonopt_drop_release)
{
	return remove_release(fcinfo, release_drop);
}

OWN_FUNCTION(anonopt_forget_release)
{
	if (is_given(fcinfo, "id") && is_given(fcinfo, "release"))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot specify both release and id")));
	if (is_given(fcinfo, "id"))
	{
		Datum		id = get_argument(fcinfo, "id", UUIDOID);
		Oid			relation = release_by_id(id);
		int			settings;

		PreventCommandIfReadOnly("forget_release()");
		settings = release_settings_begin();
		if (OidIsValid(relation))
			release_forget(relation);
		else
			release_entry_forget_dropped(id);
		release_settings_end(settings);
		PG_RETURN_VOID();
	}
	return remove_release(fcinfo, release_forget);
}

OWN_FUNCTION(anonopt_verify)
{
	Oid			relation = relation_argument(fcinfo, "release");
	ResultRow  *row = result_begin(fcinfo);
	int			settings = release_settings_begin();
	Verification verified;

	release_verify(relation, &verified);
	release_settings_end(settings);
	for (int i = 0; i < verified.entry->ngeneral; i++)
	{
		const DeclaredPromise *promise = &verified.entry->promises[i];
		const char *name = model_name(promise->model);

		if (promise->model == MODEL_T)
			put_number(row, psprintf("promised_%s", name), promise->threshold);
		else
			put_count(row, psprintf("promised_%s", name), (int64) promise->threshold);
		if (verified.verdicts[i].is_null)
			continue;
		if (promise->model == MODEL_T)
			put_number(row, name, verified.verdicts[i].measured);
		else
			put_count(row, name, (int64) verified.verdicts[i].measured);
	}
	put_count(row, "rows", verified.rows);
	if (verified.has_l)
		put_count(row, "l", verified.l);
	if (!verified.ok || !verified.unmeasured)
		put_bool(row, "ok", verified.ok);
	if (verified.others != NULL)
		put_datum(row, "others", JSONBOID, DirectFunctionCall1(jsonb_in, CStringGetDatum(verified.others)));
	if (verified.entry->is_filled)
		put_datum(row, "filled_at", TIMESTAMPTZOID, TimestampTzGetDatum(verified.entry->filled_at));
	put_count(row, "held_back", verified.entry->held_back);
	if (verified.entry->is_held_back)
		put_datum(row, "held_since", TIMESTAMPTZOID, TimestampTzGetDatum(verified.entry->held_since));
	put_string(row, "filled_by", filled_name(verified.entry->filled_by));
	return row_datum(row);
}

/* --------------------------------------------------------------------- evidence */

/* Its owner gets it, and whoever may read the view of all; by the entry, and no right on the data is needed. */
OWN_FUNCTION(anonopt_evidence)
{
	static const char *const standards[] = {"wp29", "ema", "hipaa", "iso27559"};
	const Oid	type = JSONBOID;
	Oid			relation = relation_argument(fcinfo, "release");
	char	   *standard = name_if_given(fcinfo, "standard");
	int			settings = release_settings_begin();
	ParamListInfo params = add_oid(add_oid(NULL, relation), GetUserId());
	QueryRows  *rows;
	bool		isnull;

	if (standard != NULL)
		(void) require_choice("standard", standard, "Standards", standards, lengthof(standards), " and ");
	(void) release_entry_require(relation);
	if (relation_owner(relation) != GetUserId() && pg_class_aclcheck(own_relation("auditor"), GetUserId(), ACL_SELECT) != ACLCHECK_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for the evidence about release %s", relation_sql_name(relation)),
				 errhint("Its owner may see it, and whoever has SELECT on anonopt.auditor.")));
	params = add_value(params, FLOAT8OID, Float8GetDatum(standard != NULL && strcmp(standard, "ema") == 0 ? 0.09 : 0.2), false);
	params = add_text(add_text(params, standard), name_if_given(fcinfo, "recipient"));
	rows = read_catalog("SELECT anonopt.evidence_of(a, $2, $3, $4, $5) FROM anonopt.auditor a WHERE a.release = $1 AND NOT a.dropped"
						" ORDER BY a.published_at DESC LIMIT 1", params, 1, &type);
	release_settings_end(settings);
	if (rows->n == 0)
		refuse_entry(relation_sql_name(relation));
	PG_RETURN_DATUM(row_value(rows, 0, 0, &isnull));
}

/* --------------------------------------------------------- differential privacy */

SQL_FUNCTION(anonopt_privacy_parameters)
{
	ResultRow  *row = result_begin(fcinfo);
	PrivacyParameters found = privacy_arguments(fcinfo);

	put_number(row, "beta", found.beta);
	put_count(row, "k", found.k);
	return row_datum(row);
}
