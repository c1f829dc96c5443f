/*
 * release_promises.c
 *	  How a release keeps its promises other than k, l, and t for all columns.
 */
#include "release/release_verify.h"

#include <math.h>

#include "common/shortest_dec.h"
#include "utils/json.h"

/* JSON numbers have no infinity. */
static void
append_number(StringInfo json, const char *name, double number, bool isnull)
{
	char text[	DOUBLE_SHORTEST_DECIMAL_LEN];

	double_to_shortest_decimal_buf(number, text);
	appendStringInfo(json, "\"%s\": %s", name, isnull || isnan(number) || isinf(number) ? "null" : text);
}

/* Appends the members of a verdict. */
static void
append_verdict(StringInfo json, const DeclaredPromise *promise, const PromiseVerdict *verdict)
{
	append_number(json, "promised", promise->threshold, false);
	if (promise->has_c)
	{
		appendStringInfoString(json, ", ");
		append_number(json, "c", promise->c, false);
	}
	appendStringInfoString(json, ", ");
	append_number(json, "measured", verdict->measured, verdict->is_null);
	appendStringInfo(json, ", \"ok\": %s", !verdict->ok ? "false" : verdict->unmeasured ? "null" : "true");
}

/* Orders verdicts by importance: broken first, then unknown. */
static int
gravity(const PromiseVerdict *verdict)
{
	return !verdict->ok ? 2 : verdict->unmeasured ? 1 : 0;
}

/*
 * A model with several columns has one member for all, with the figures of the
 * first column that breaks it, or that cannot be measured, or else of the
 * first column; and one for each.
 */
static void
append_model(StringInfo json, int npromises, const DeclaredPromise *promises, const PromiseVerdict *verdicts, PromiseModel model)
{
	int			shown = -1;
	int			n = 0;
	const char *separator = "";

	for (int i = 0; i < npromises; i++)
	{
		if (promises[i].model != model)
			continue;
		if (shown < 0 || gravity(&verdicts[i]) > gravity(&verdicts[shown]))
			shown = i;
		n++;
	}
	appendStringInfo(json, "\"%s\": {", model_name(model));
	append_verdict(json, &promises[shown], &verdicts[shown]);
	if (n > 1)
		appendStringInfoString(json, ", \"columns\": {");
	for (int i = 0; i < npromises && n > 1; i++)
	{
		if (promises[i].model != model)
			continue;
		appendStringInfoString(json, separator);
		separator = ", ";
		escape_json(json, promises[i].column == NULL ? "" : promises[i].column);
		appendStringInfoString(json, ": {");
		append_verdict(json, &promises[i], &verdicts[i]);
		appendStringInfoChar(json, '}');
	}
	appendStringInfoString(json, n > 1 ? "}}" : "}");
}

char *
verdicts_json(int npromises, const DeclaredPromise *promises, const PromiseVerdict *verdicts)
{
	StringInfoData json;
	const char *separator = "";

	initStringInfo(&json);
	appendStringInfoChar(&json, '{');
	for (int model = 0; model < MODELS; model++)
		for (int i = 0; i < npromises; i++)
			if (promises[i].model == (PromiseModel) model)
			{
				appendStringInfoString(&json, separator);
				separator = ", ";
				append_model(&json, npromises, promises, verdicts, (PromiseModel) model);
				break;
			}
	appendStringInfoChar(&json, '}');
	return json.data;
}
