/*
 * release_promises.c
 *	  How a release keeps its promises other than k, l, and t for all columns,
 *	  as JSON.
 */
#include "release/release_verify.h"

#include <math.h>

#include "utils/json.h"

/* JSON numbers have no infinity. */
static const char *
json_number(double number)
{
	return isnan(number) || isinf(number) ? "null" : number_text(number);
}

static char *
verdict_members(const DeclaredPromise *promise, const PromiseVerdict *verdict)
{
	return psprintf("\"promised\": %s, %s%s%s\"measured\": %s, \"ok\": %s", json_number(promise->threshold),
					promise->has_c ? "\"c\": " : "", promise->has_c ? json_number(promise->c) : "", promise->has_c ? ", " : "",
					verdict->is_null ? "null" : json_number(verdict->measured),
					!verdict->ok ? "false" : verdict->unmeasured ? "null" : "true");
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
char *
verdicts_json(int npromises, const DeclaredPromise *promises, const PromiseVerdict *verdicts)
{
	StringInfoData json;

	initStringInfo(&json);
	for (int model = 0; model < MODELS; model++)
	{
		int			shown = -1;
		int			n = 0;
		StringInfoData columns;

		initStringInfo(&columns);
		for (int i = 0; i < npromises; i++)
		{
			if (promises[i].model != (PromiseModel) model)
				continue;
			if (shown < 0 || gravity(&verdicts[i]) > gravity(&verdicts[shown]))
				shown = i;
			appendStringInfoString(&columns, n++ > 0 ? ", " : ", \"columns\": {");
			escape_json(&columns, promises[i].column == NULL ? "" : promises[i].column);
			appendStringInfo(&columns, ": {%s}", verdict_members(&promises[i], &verdicts[i]));
		}
		if (n > 0)
			appendStringInfo(&json, "%s\"%s\": {%s%s%s}", json.len > 0 ? ", " : "{", model_name((PromiseModel) model),
							 verdict_members(&promises[shown], &verdicts[shown]), n > 1 ? columns.data : "", n > 1 ? "}" : "");
	}
	appendStringInfoString(&json, json.len > 0 ? "}" : "{}");
	return json.data;
}
