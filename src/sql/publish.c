/*
 * publish.c
 *	  SQL: view_sql, create_view, publish_table, publish_records,
 *	  refresh_release, republish, drop_release, verify.
 */
#include "base/compat.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/own_objects.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "miscadmin.h"
#include "read/population_read.h"
#include "release/release.h"
#include "release/release_verify.h"
#include "sql/arguments.h"
#include "sql/call.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

OWN_FUNCTION(anonopt_view_sql);
OWN_FUNCTION(anonopt_create_view);
OWN_FUNCTION(anonopt_publish_table);
OWN_FUNCTION(anonopt_publish_records);
OWN_FUNCTION(anonopt_refresh_release);
OWN_FUNCTION(anonopt_republish);
OWN_FUNCTION(anonopt_drop_release);
OWN_FUNCTION(anonopt_verify);

/* Positions of arguments that several functions have. */
typedef struct Places
{
	int			levels;			/* cuts follow */
	int			columns;
	int			suppressed;
	int			t;
	int			recoding;
	int			labels;
} Places;

/* "view_name" or "table_name". */
static char *
release_name_argument(FunctionCallInfo fcinfo)
{
	const char *argument = takes_argument(fcinfo, "view_name") ? "view_name" : "table_name";

	if (!is_given(fcinfo, argument))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"name\" must not be null")));
	return name_argument(fcinfo, argument);
}

static bool
star_argument(FunctionCallInfo fcinfo, int argument)
{
	char	   *how = PG_ARGISNULL(argument) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(argument));

	if (how == NULL || (strcmp(how, "omit") != 0 && strcmp(how, "star") != 0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown form of suppression \"%s\"", how == NULL ? "<NULL>" : how),
				 errhint("Forms of suppression are omit and star.")));
	return strcmp(how, "star") == 0;
}

static ReleaseRecoding *
recoding_arguments(FunctionCallInfo fcinfo, const Places *places)
{
	ReleaseRecoding *recoding = palloc0(sizeof(ReleaseRecoding));

	recoding->table = PG_GETARG_OID(places->recoding);
	recoding->labels = labels_argument(fcinfo);
	return recoding;
}

/* Gets the node, the cuts or the recoding to show. */
static void
generalization_arguments(FunctionCallInfo fcinfo, Release *release, const Places *places)
{
	const Dataset *dataset = release->spec.dataset;
	int			given = !PG_ARGISNULL(places->levels) + !PG_ARGISNULL(places->levels + 1) + !PG_ARGISNULL(places->recoding);
	int			ncuts;

	if (given != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 given == 0 ? errmsg("levels, cuts or a recoding must be given") :
				 errmsg("only one of levels, cuts and recoding can be given"),
				 errhint("Give the levels of a node, such as anonopt.optimize finds, cuts, such as anonopt.nsga2 finds, or a recoding, such as anonopt.create_recoding creates.")));
	if (!PG_ARGISNULL(places->levels))
		release->levels = node_argument(fcinfo, "levels", dataset);
	else if (!PG_ARGISNULL(places->recoding))
		release->recoding = recoding_arguments(fcinfo, places);
	else
	{
		release->cuts = cuts_argument(fcinfo, "cuts", dataset, &ncuts);
		if (ncuts != 1)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("only one generalization is expected, not %d", ncuts)));
	}
}

/*
 * Builds the specification from the arguments of create_view and similar
 * functions.
 */
static void
release_arguments(FunctionCallInfo fcinfo, Release *release, const Places *places)
{
	Dataset    *dataset = dataset_argument(fcinfo);

	dataset->for_release = true;
	release_check_reading(dataset);
	release->spec.dataset = dataset;
	release->spec.star = star_argument(fcinfo, places->suppressed);
	release->spec.promise = promise_arguments(fcinfo, dataset);
	generalization_arguments(fcinfo, release, places);
	if (!PG_ARGISNULL(places->columns))
		release->named = columns_argument(fcinfo, "columns", dataset->relation, &release->nnamed);
	release_choose(release);
}

static const Places view_places = {2, 6, 8, 9, 10, 11};
static const Places table_places = {2, 6, 7, 8, 9, 10};
static const Places republish_places = {.levels = 1,.t = 5,.recoding = 6,.labels = 7};

static ReleaseForm
view_form(FunctionCallInfo fcinfo)
{
	return !PG_ARGISNULL(7) && !PG_GETARG_BOOL(7) ? RELEASE_LIVE_VIEW : RELEASE_MATERIALIZED_VIEW;
}

static Datum
anonopt_view_sql_call(PG_FUNCTION_ARGS)
{
	Release    *release = palloc0(sizeof(Release));
	int			settings = release_settings_begin();
	char	   *statement;

	release->form = view_form(fcinfo);
	release_arguments(fcinfo, release, &view_places);
	release_check(release);
	release_read(release);
	statement = view_sql(release);
	spool_end(&release->spool);
	release_close(release);
	release_settings_end(settings);
	PG_RETURN_TEXT_P(cstring_to_text(statement));
}

static Oid
publish(FunctionCallInfo fcinfo, ReleaseForm form, const Places *places, const char *command)
{
	Release    *release = palloc0(sizeof(Release));
	int			settings;
	Oid			relation;

	PreventCommandIfReadOnly(command);
	release_name(release, release_name_argument(fcinfo));
	settings = release_settings_begin();
	release->form = form;
	release_arguments(fcinfo, release, places);
	relation = release_create(release);
	release_settings_end(settings);
	return relation;
}

static Datum
anonopt_create_view_call(PG_FUNCTION_ARGS)
{
	PG_RETURN_OID(publish(fcinfo, view_form(fcinfo), &view_places, "create_view()"));
}

static Datum
anonopt_publish_table_call(PG_FUNCTION_ARGS)
{
	PG_RETURN_OID(publish(fcinfo, RELEASE_TABLE, &table_places, "publish_table()"));
}

/* Gets the options of publish_records, beside data set and columns. */
static RecordOptions *
record_arguments(FunctionCallInfo fcinfo, const Dataset *dataset)
{
	RecordOptions *options = palloc0(sizeof(RecordOptions));

	require_argument(fcinfo, "min_utility");
	options->min_utility = PG_GETARG_FLOAT8(2);
	if (isnan(options->min_utility) || isinf(options->min_utility))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be finite, not %g", "min_utility", options->min_utility)));
	if (PG_ARGISNULL(3) || NameStr(*PG_GETARG_NAME(3))[0] == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"key\" must name a column")));
	options->key = key_argument(fcinfo, dataset);
	options->risk = risk_argument(fcinfo);
	options->utility = utility_argument(fcinfo);
	return options;
}

static Datum
anonopt_publish_records_call(PG_FUNCTION_ARGS)
{
	Release    *release = palloc0(sizeof(Release));
	Dataset    *dataset;
	int			settings;
	Oid			relation;

	PreventCommandIfReadOnly("publish_records()");
	release_name(release, release_name_argument(fcinfo));
	settings = release_settings_begin();
	release->form = RELEASE_TABLE;
	if (PG_ARGISNULL(4) || PG_GETARG_INT32(4) < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("k must be at least 1, not %s", PG_ARGISNULL(4) ? "<NULL>" : psprintf("%d", PG_GETARG_INT32(4)))));
	release->spec.dataset = dataset = dataset_argument(fcinfo);
	dataset->for_release = true;
	release_check_reading(dataset);
	release->records = record_arguments(fcinfo, dataset);
	release->spec.promise.k = PG_GETARG_INT32(4);
	promise_add_declared(&release->spec.promise, dataset);
	if (!PG_ARGISNULL(7))
		release->named = columns_argument(fcinfo, "columns", dataset->relation, &release->nnamed);
	release_choose(release);
	relation = release_create(release);
	release_settings_end(settings);
	PG_RETURN_OID(relation);
}

static Datum
anonopt_refresh_release_call(PG_FUNCTION_ARGS)
{
	int			settings;

	require_argument(fcinfo, "release");
	PreventCommandIfReadOnly("refresh_release()");
	settings = release_settings_begin();
	release_refresh(PG_GETARG_OID(0));
	release_settings_end(settings);
	PG_RETURN_VOID();
}

/*
 * Applies the changes of republish; arguments that are not given keep the old
 * values.
 */
static void
republish_arguments(FunctionCallInfo fcinfo, Release *release)
{
	int64		k = release->spec.promise.k;

	if (!PG_ARGISNULL(1) || !PG_ARGISNULL(2) || !PG_ARGISNULL(republish_places.recoding))
	{
		release->levels = NULL;
		release->cuts = NULL;
		release->cut_labels = NULL;
		release->recoding = NULL;
		generalization_arguments(fcinfo, release, &republish_places);
	}
	release->spec.promise = promise_arguments(fcinfo, unconstify(Dataset *, release->spec.dataset));
	/* it includes the declared promises */
	if (PG_ARGISNULL(3))
		release->spec.promise.k = k;
}

static Datum
anonopt_republish_call(PG_FUNCTION_ARGS)
{
	ReleaseEntry *entry;
	Release    *release;
	int			settings;

	require_argument(fcinfo, "release");
	PreventCommandIfReadOnly("republish()");
	settings = release_settings_begin();
	release = release_republish_begin(PG_GETARG_OID(0), &entry);
	republish_arguments(fcinfo, release);
	release_republish(release, entry);
	release_settings_end(settings);
	PG_RETURN_OID(PG_GETARG_OID(0));
}

static Datum
anonopt_drop_release_call(PG_FUNCTION_ARGS)
{
	int			settings;

	require_argument(fcinfo, "release");
	PreventCommandIfReadOnly("drop_release()");
	settings = release_settings_begin();
	release_drop(PG_GETARG_OID(0));
	release_settings_end(settings);
	PG_RETURN_VOID();
}

static Datum
anonopt_verify_call(PG_FUNCTION_ARGS)
{
	Verification verified;
	TupleDesc	desc;
	Datum		values[10] = {0};
	bool		nulls[10] = {0};
	int			settings;

	require_argument(fcinfo, "release");
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	settings = release_settings_begin();
	release_verify(PG_GETARG_OID(0), &verified);
	release_settings_end(settings);
	values[0] = Int64GetDatum(verified.promised_k);
	values[1] = Int64GetDatum(verified.k);
	nulls[1] = verified.k_is_null;
	values[2] = Int64GetDatum(verified.promised_l);
	nulls[2] = !verified.has_l;
	values[3] = Int64GetDatum(verified.l);
	nulls[3] = verified.l_is_null;
	values[4] = Int64GetDatum(verified.rows);
	values[5] = BoolGetDatum(verified.ok);
	nulls[5] = verified.ok && verified.untold;
	values[6] = Float8GetDatum(verified.promised_t);
	nulls[6] = !verified.has_t;
	values[7] = Float8GetDatum(verified.t);
	nulls[7] = verified.t_is_null;
	nulls[8] = verified.others == NULL;
	nulls[9] = !verified.is_filled;
	values[9] = TimestampTzGetDatum(verified.filled_at);
	if (verified.others != NULL)
		values[8] = DirectFunctionCall1(jsonb_in, CStringGetDatum(verified.others));
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}
