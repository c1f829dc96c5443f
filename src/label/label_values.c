/*
 * label_values.c
 *	  What labels of numbers and moments say, as values: ranges, their ends, their
 *	  middle.
 *
 * A label stands for a run of leaves.  If leaves are in the order of their
 * values, it is a range, from the lowest to the highest leaf, and every value
 * with the label lies in it, a float as the number that PostgreSQL casts it to,
 * and a moment by its day where leaves are days.  So a column whose values are
 * rounded to find their leaves, as numbers among ranges of integers are, has no
 * ranges.  Labels are never read from data: the range of a label depends on its
 * text and on the hierarchy alone, so two sets of data that show the same labels
 * show the same ranges.
 *
 * But the leaves of a hierarchy that was made from data (see
 * hierarchy_is_from_data) are values that somebody has, and the first and last
 * of them are those of the youngest and the oldest, who may not be shown at
 * all.  Such a hierarchy is not asked: the range is what the text of the label
 * says, as in [20, 25), 2026-03 or >= 90, and otherwise it has no ends, as for
 * *.  A text that does not hold its leaves, such as the 20 of rounded numbers,
 * says nothing.
 *
 * Labels that look different may have the same range, and then classes look
 * alike that did not.  That is safe.  What readers see is a function of the
 * labels, so they learn no more than from these, and a union of classes that
 * keep a promise keeps it (see promise/model.h).
 */
#include "label/label_values.h"

#include "base/budget.h"
#include "catalog/dataset.h"
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "label/class_labels.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rangetypes.h"

const char *const columns_as_names[COLUMNS_AS] = {"text", "range", "bounds", "middle"};

/* The range type over leaves, for values of a column; InvalidOid if it is none of PostgreSQL's own. */
static Oid
range_over(const TypeMatch *match)
{
	switch (match->leaf_type)
	{
		case INT2OID:
		case INT4OID:
			return match->data_type == INT8OID ? INT8RANGEOID : INT4RANGEOID;
		case INT4RANGEOID:
			return INT4RANGEOID;
		case INT8OID:
		case INT8RANGEOID:
			return INT8RANGEOID;
		case NUMERICOID:
		case NUMRANGEOID:
			return NUMRANGEOID;
		case DATEOID:
		case DATERANGEOID:
			return DATERANGEOID;
		case TIMESTAMPOID:
		case TSRANGEOID:
			return TSRANGEOID;
		case TIMESTAMPTZOID:
		case TSTZRANGEOID:
			return TSTZRANGEOID;
		default:
			return InvalidOid;
	}
}

LabelValues *
label_values(const Attribute *attr, const LoadedHierarchy *loaded)
{
	const TypeMatch *match = &loaded->rows->match;
	Oid			range = range_over(match);
	LabelValues *values;

	/* a column of ranges has no values to be in them */
	if (!OidIsValid(range) || !attr->hierarchy->in_order || type_is_range(match->data_type) || match->rounds)
		return NULL;
	values = palloc(sizeof(LabelValues));
	values->attr = attr;
	values->rows = loaded->rows;
	values->from_data = hierarchy_is_from_data(loaded->rows->relation);
	values->range = lookup_type_cache(range, TYPECACHE_RANGE_INFO);
	values->subtype = get_range_subtype(range);
	return values;
}

Oid
label_part_type(const LabelValues *values, LabelPart part)
{
	if (part == LABEL_TEXT)
		return TEXTOID;
	if (part == LABEL_RANGE)
		return values->range->type_id;
	return part == LABEL_MIDDLE && type_is_number(values->subtype) ? NUMERICOID : values->subtype;
}

/* -------------------------------------------------------- what a label's text says */

/* Whether a text is an end of ranges of a type, which its input accepts. */
static bool
is_end(const char *text, Oid subtype)
{
	Size		length = strlen(text);
	int			year;
	int			month;
	int			day;
	char	   *rest;

	if (subtype == DATEOID)
		return length == 10 && strspn(text, "0123456789-") == length && sscanf(text, "%4d-%2d-%2d", &year, &month, &day) == 3 &&
			year > 0 && month >= 1 && month <= MONTHS_PER_YEAR && day >= 1 && day <= day_tab[isleap(year)][month - 1];
	/* shorter than the greatest of its type */
	if (!type_is_number(subtype) || length == 0 || length > (subtype == INT4OID ? 9 : 18) ||
		strspn(text, subtype == NUMERICOID ? "-.0123456789" : "-0123456789") != length)
		return false;
	(void) strtod(text, &rest);
	return *rest == '\0';
}

/* A range from one day to before another. */
static char *
days_literal(int first, int end)
{
	return psprintf("[%s,%s)", DatumGetCString(DirectFunctionCall1(date_out, DateADTGetDatum(first - POSTGRES_EPOCH_JDATE))),
					DatumGetCString(DirectFunctionCall1(date_out, DateADTGetDatum(end - POSTGRES_EPOCH_JDATE))));
}

/* A range of months, counted from the year 0. */
static char *
months_literal(int first, int months)
{
	int			end = first + months;

	return days_literal(date2j(first / 12, first % 12 + 1, 1), date2j(end / 12, end % 12 + 1, 1));
}

/* The range of days that a label such as 2026-W05, 2026-03, 2026-Q1, 2026, 2020s or 2020-2039 names, or NULL. */
static char *
named_days(const char *label)
{
	Size		length = strlen(label);
	int			year;
	int			number;

	if (strspn(label, "0123456789") < 4 || sscanf(label, "%4d", &year) != 1 || year == 0)
		return NULL;
	if (length == 4)
		return months_literal(year * 12, 12);
	if (length == 5 && label[4] == 's')
		return months_literal(year * 12, 120);
	if (length == 7 && sscanf(label + 4, "-Q%1d", &number) == 1 && number >= 1 && number <= 4)
		return months_literal(year * 12 + (number - 1) * 3, 3);
	if (length == 7 && strspn(label + 5, "0123456789") == 2 && sscanf(label + 4, "-%2d", &number) == 1 && number >= 1 && number <= 12)
		return months_literal(year * 12 + number - 1, 1);
	if (length == 9 && strspn(label + 5, "0123456789") == 4 && sscanf(label + 4, "-%4d", &number) == 1 && number >= year)
		return months_literal(year * 12, (number - year + 1) * 12);
	if (length == 8 && sscanf(label + 4, "-W%2d", &number) == 1 && number >= 1 && number <= 53)
		return days_literal(isoweek2j(year, number), isoweek2j(year, number) + 7);
	return NULL;
}

/* What a label says, as the text of a range; or NULL. */
static char *
said_by_label(const char *label, Oid subtype)
{
	char	   *low;
	char	   *high;
	char		closing;

	if (label == NULL)
		return NULL;
	if (is_end(label, subtype))
		return psprintf("[%s,%s]", label, label);
	if (strncmp(label, "< ", 2) == 0 && is_end(label + 2, subtype))
		return psprintf("(,%s)", label + 2);
	if (strncmp(label, ">= ", 3) == 0 && is_end(label + 3, subtype))
		return psprintf("[%s,)", label + 3);
	if (type_is_moment(subtype) && label[0] != '[')
		return named_days(label);
	if (!parse_interval(label, &low, &high, &closing) || !is_end(low, subtype) || !is_end(high, subtype) ||
		(type_is_number(subtype) ? strtod(low, NULL) > strtod(high, NULL) : strcmp(low, high) > 0))
		return NULL;
	return psprintf("[%s,%s%c", low, high, closing);
}

/* ------------------------------------------------------------------------- ranges */

/* A leaf's ends. */
static bool
ends_of_leaf(const LabelValues *values, uint32 leaf, RangeBound *lower, RangeBound *upper)
{
	const HierarchyRows *rows = values->rows;
	Datum		value = rows->leaves[leaf];
	bool		empty = false;

	if (type_is_range(rows->match.leaf_type))
		range_deserialize(values->range, DatumGetRangeTypeP(value), lower, upper, &empty);
	else
	{
		/* leaves like integers are kept as such of eight bytes */
		if (values->subtype == INT4OID || values->subtype == DATEOID)
			value = Int32GetDatum((int32) DatumGetInt64(value));
		*lower = *upper = (RangeBound)
		{
			.val = value,.inclusive = true
		};
		lower->lower = true;
	}
	return !empty;
}

/* Whether a value is the last of its type, before which no range can end. */
static bool
is_last(Datum value, Oid subtype)
{
	return subtype == INT4OID ? DatumGetInt32(value) == PG_INT32_MAX : subtype == INT8OID ? DatumGetInt64(value) == PG_INT64_MAX :
		subtype == DATEOID && DatumGetDateADT(value) == DATE_END_JULIAN - POSTGRES_EPOCH_JDATE - 1;
}

NullableDatum
label_said_range(const LabelValues *values, const char *label)
{
	char	   *text = said_by_label(label, values->subtype);
	NullableDatum said = {.isnull = false};
	Oid			input;
	Oid			parameter;

	getTypeInputInfo(values->range->type_id, &input, &parameter);
	said.value = OidInputFunctionCall(input, text == NULL ? pstrdup("(,)") : text, parameter, -1);
	return said;
}

NullableDatum
label_any_range(const LabelValues *values)
{
	return label_said_range(values, NULL);
}

NullableDatum
label_range(const LabelValues *values, const char *label, uint32 first, uint32 end)
{
	uint32		unknown = values->attr->unknown_leaf;
	NullableDatum range = {.isnull = true};
	RangeBound	lower;
	RangeBound	upper;
	RangeBound	ignored;
	NullableDatum said;

	/* a value without a leaf may be any */
	if (unknown >= first && unknown < end)
		return label_any_range(values);

	/*
	 * the leaves of the table come first, then those that were added; NULL,
	 * the last, has no value
	 */
	end = Min(end, values->rows->nleaves);
	while (first < end && !ends_of_leaf(values, first, &lower, &ignored))
		first++;
	while (first < end && !ends_of_leaf(values, end - 1, &ignored, &upper))
		end--;
	if (first >= end)
		return range;
	upper.infinite = upper.infinite || (upper.inclusive && is_last(upper.val, values->subtype));
	range.isnull = false;
	range.value = RangeTypePGetDatum(make_range(values->range, &lower, &upper, false, NULL));
	if (!values->from_data)
		return range;
	said = label_said_range(values, label);
	return range_contains_internal(values->range, DatumGetRangeTypeP(said.value), DatumGetRangeTypeP(range.value)) ? said : label_any_range(values);
}

/* Whether a range, unless it is null, has an end. */
bool
label_has_end(const LabelValues *values, NullableDatum range)
{
	return range.isnull || !label_part(values, range, LABEL_LOW).isnull || !label_part(values, range, LABEL_HIGH).isnull;
}

/* The middle of two numbers. */
static Datum
middle_number(Datum low, Datum high)
{
	Datum		half = DirectFunctionCall3(numeric_in, CStringGetDatum("0.5"), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));

	return DirectFunctionCall1(numeric_trim_scale, DirectFunctionCall2(numeric_mul, DirectFunctionCall2(numeric_add, low, high), half));
}

NullableDatum
label_part(const LabelValues *values, NullableDatum range, LabelPart part)
{
	NullableDatum result = {.isnull = true};
	RangeBound	lower;
	RangeBound	upper;
	bool		empty;
	bool		finite = true;
	Datum		low;
	Datum		high;

	if (part == LABEL_RANGE || range.isnull)
		return range;
	range_deserialize(values->range, DatumGetRangeTypeP(range.value), &lower, &upper, &empty);
	low = lower.val;
	high = upper.val;
	/* the highest value of those that are counted is below the end */
	if (!upper.infinite && !upper.inclusive && values->subtype == INT8OID)
		high = Int64GetDatum(DatumGetInt64(high) - 1);
	else if (!upper.infinite && !upper.inclusive &&
			 (values->subtype == INT4OID || (values->subtype == DATEOID && !DATE_NOT_FINITE(DatumGetDateADT(high)))))
		high = Int32GetDatum(DatumGetInt32(high) - 1);
	result.isnull = part == LABEL_LOW ? lower.infinite : part == LABEL_HIGH ? upper.infinite : lower.infinite || upper.infinite;
	result.value = part == LABEL_LOW ? low : high;
	if (part != LABEL_MIDDLE || result.isnull)
		return result;
	switch (values->subtype)
	{
		case INT4OID:
			result.value = middle_number(DirectFunctionCall1(int4_numeric, low), DirectFunctionCall1(int4_numeric, high));
			break;
		case INT8OID:
			result.value = middle_number(DirectFunctionCall1(int8_numeric, low), DirectFunctionCall1(int8_numeric, high));
			break;
		case NUMERICOID:
			result.value = middle_number(low, high);
			break;
		case DATEOID:
			finite = !DATE_NOT_FINITE(DatumGetDateADT(low)) && !DATE_NOT_FINITE(DatumGetDateADT(high));
			result.value = DateADTGetDatum(DatumGetDateADT(low) + (DatumGetDateADT(high) - DatumGetDateADT(low)) / 2);
			break;
		default:
			finite = !TIMESTAMP_NOT_FINITE(DatumGetTimestamp(low)) && !TIMESTAMP_NOT_FINITE(DatumGetTimestamp(high));
			result.value = TimestampGetDatum(DatumGetTimestamp(low) / 2 + DatumGetTimestamp(high) / 2);
	}
	result.isnull = !finite;
	return result;
}

/* -------------------------------------------------------------- the runs of labels */

LeafRun *
empty_runs(uint32 n)
{
	LeafRun    *runs = budget_alloc_zero(sizeof(LeafRun), (Size) n + 1);

	for (uint32 i = 0; i < n; i++)
		runs[i].first = PG_UINT32_MAX;
	return runs;
}

LeafRun *
label_runs(const Classes *classes, int a)
{
	const Hierarchy *hierarchy = classes->population->attrs[a].hierarchy;
	uint32		nlabels = classes->nlabels[a];
	LeafRun    *runs = empty_runs(nlabels);
	TextIndex	index;

	for (uint32 code = 0; code < nlabels && classes->node != NULL; code++)
		widen_run(&runs[code], classes->node[a]->first_leaf[code], classes->node[a]->leaves[code]);
	if (classes->node != NULL)
		return runs;
	for (Size box = 0; box < classes->nboxes; box++)
	{
		Size		at = box * classes->population->nattrs + a;

		widen_run(&runs[classes->codes[at]], classes->first_leaf[at], classes->leaves[at]);
	}

	/*
	 * the box of a record is the narrowest of those whose label looks like
	 * its own
	 */
	index = index_texts(classes->labels[a], nlabels);
	for (int level = 0; level <= hierarchy->height; level++)
		for (uint32 label = 0; label < hierarchy->levels[level].nlabels; label++)
		{
			uint32		code = find_text(&index, hierarchy->labels[level][label]);

			if (code != PG_UINT32_MAX)
				widen_run(&runs[code], hierarchy->levels[level].first_leaf[label], hierarchy->levels[level].leaves[label]);
		}
	return runs;
}
