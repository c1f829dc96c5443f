/*
 * shown_columns.c
 *	  The columns of a release: which there are, their types, and what they show
 *	  of a class.
 *
 * A quasi-identifier is shown as its label's text; or as what the label says: a
 * range, two ends, or a middle; or, permuted, as true values.  What a column can
 * be is decided by its hierarchy, when a release is made, and stays so.
 */
#include "release/release.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "read/reading.h"
#include "release/hold_back.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

void
shown_type(const Release *release, const ShownColumn *column, Oid *type, int32 *typmod, Oid *collation)
{
	Oid			relation = release->dataset->relation;

	*type = TEXTOID;
	*typmod = -1;
	*collation = InvalidOid;
	if (column->is_class)
		*type = INT4OID;
	else if (column->part != LABEL_TEXT)
		*type = label_part_type(release->values[column->attr], column->part);
	else if ((column->attr >= 0 && !release->permuted) || column->labelled)
		*collation = C_COLLATION_OID;
	else if (!column->pseudonym)
		get_atttypetypmodcoll(relation, get_attnum(relation, column->name), type, typmod, collation);
}

/* A column that no other may be called like. */
static ShownColumn *
add_part(Release *release, const ShownColumn *of, LabelPart part, const char *suffix)
{
	ShownColumn *column = &release->columns[release->ncolumns++];

	*column = *of;
	column->part = part;
	column->name = psprintf("%s%s", of->name, suffix);
	if (strlen(column->name) >= NAMEDATALEN)
		ereport(ERROR,
				(errcode(ERRCODE_NAME_TOO_LONG),
				 errmsg("column name \"%s\" is too long", column->name),
				 errhint("Rename column \"%s\", or show one column: columns_as => 'range'.", of->name)));
	return column;
}

/* Fails if two columns have the same name. */
static void
check_names(const Release *release)
{
	for (int i = 0; i < release->ncolumns; i++)
		for (int j = 0; j < i; j++)
			if (strcmp(release->columns[i].name, release->columns[j].name) == 0)
				ereport(ERROR,
						(errcode(ERRCODE_DUPLICATE_COLUMN),
						 errmsg("column \"%s\" would be shown twice", release->columns[i].name),
						 errhint("Rename the column that has this name, or show columns in another form.")));
}

/* Chooses how each quasi-identifier is shown; those that can only be shown as text are. */
static void
choose_forms(Release *release)
{
	const Population *population = release->population;
	int			nbounds = 0;
	ColumnsAs  *forms = palloc(sizeof(ColumnsAs) * (population->nattrs + 1));
	StringInfoData texts;

	initStringInfo(&texts);
	release->values = palloc0(sizeof(LabelValues *) * (population->nattrs + 1));
	for (int a = 0; a < population->nattrs; a++)
	{
		forms[a] = release->forms == NULL ? release->columns_as : release->forms[a];
		if (forms[a] == AS_TEXT)
			continue;
		release->values[a] = label_values(&population->attrs[a], release->spool.reading->columns[a].loaded);
		nbounds += forms[a] == AS_BOUNDS && release->values[a] != NULL;
		if (population->nattrs + nbounds > MAX_ATTRIBUTES)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("release would have too many columns"),
					 errdetail("Quasi-identifiers would be shown by more than %d columns.", MAX_ATTRIBUTES),
					 errhint("Show ranges instead: columns_as => 'range'.")));
		if (release->values[a] != NULL)
			continue;
		if (release->forms != NULL)
			refuse_changed(release);
		forms[a] = AS_TEXT;
		appendStringInfo(&texts, "%s\"%s\"", texts.len > 0 ? ", " : "", population->attrs[a].name);
	}
	if (texts.len > 0)
		ereport(NOTICE,
				(errmsg("columns are shown as text: %s", texts.data),
				 errdetail("The leaves of their hierarchies are no numbers, dates or times, or labels are no runs of them, or values are rounded to find their leaves.")));
	release->forms = forms;
}

void
release_shape(Release *release)
{
	ShownColumn *columns = release->columns;
	int			n = release->ncolumns;
	bool		as_text = release->columns_as == AS_TEXT && release->forms == NULL;

	if (as_text && !release->permuted)
		return;
	if (!release->permuted)
		choose_forms(release);
	/* of promises about others, labels are found again in a release */
	for (int i = 0; i < release->dataset->npromises; i++)
	{
		const DeclaredPromise *promise = &release->dataset->promises[i];

		if (model_needs_population(promise->model) || model_needs_boxes(promise->model) || promise_is_of_known(promise) ||
			(models[promise->model]->may_be_lenient && promise->c == 0 && promise->has_c))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("promise %s needs columns with labels", promise_text(promise)),
					 errdetail("It is kept by the labels of each class, which the release would not show."),
					 errhint("Publish with columns_as => 'text' and show => 'labels', or call anonopt.drop_promise.")));
	}
	release->columns = palloc(sizeof(ShownColumn) * (2 * n + 2));
	release->ncolumns = 0;
	for (int i = 0; i < n; i++)
	{
		ColumnsAs	form = columns[i].attr < 0 ||
		release->permuted ? AS_TEXT : release->forms[columns[i].attr];

		switch (form)
		{
			case AS_BOUNDS:
				(void) add_part(release, &columns[i], LABEL_LOW, LOW_SUFFIX);
				(void) add_part(release, &columns[i], LABEL_HIGH, HIGH_SUFFIX);
				break;
			case AS_RANGE:
				(void) add_part(release, &columns[i], LABEL_RANGE, "");
				break;
			case AS_MIDDLE:
				(void) add_part(release, &columns[i], LABEL_MIDDLE, "");
				break;
			default:
				release->columns[release->ncolumns++] = columns[i];
		}
	}
	if (release->permuted)
	{
		ShownColumn *column = &release->columns[release->ncolumns++];

		memset(column, 0, sizeof(ShownColumn));
		column->name = CLASS_NUMBER;
		column->attr = -1;
		column->is_class = true;
	}
	check_names(release);
}

/* ------------------------------------------------------------ what a class shows */

/* A text or NULL, as a value. */
static NullableDatum
text_or_null(const char *text)
{
	NullableDatum value;

	value.isnull = text == NULL;
	value.value = text == NULL ? (Datum) 0 : CStringGetTextDatum(text);

	return value;
}

/* Reports labels that are shown as ranges without ends, other than that of all leaves. */
static void
tell_endless(const Release *release, const ShownColumn *column, const LeafRun *runs)
{
	const Attribute *attr = &release->classes->population->attrs[column->attr];
	uint32		nlabels = release->classes->nlabels[column->attr];
	const char *first = NULL;
	uint32		endless = 0;

	for (uint32 code = 0; code < nlabels; code++)
	{
		const char *label = release->classes->labels[column->attr][code];
		NullableDatum range = label_range(release->values[column->attr], label, runs[code].first, runs[code].end);

		if (runs[code].end - runs[code].first >= attr->hierarchy->nleaves || label_has_end(release->values[column->attr], range))
			continue;
		first = first == NULL ? label : first;
		endless++;
	}
	if (endless > 0)
		ereport(NOTICE,
				(errmsg("column \"%s\" shows ranges without ends", attr->name),
				 errdetail("%u of its %u labels say no range, such as %s.", endless, nlabels, first),
				 errhint("A range cannot include NULL or a value without a leaf, and those of a hierarchy made from data say only what a label says."
						 " Show text, leave such rows out in a view, or declare a hierarchy with bounds, as of anonopt.create_interval_hierarchy.")));
}

NullableDatum *
shown_values(const Release *release, const ShownColumn *column)
{
	const LabelValues *values = column->part == LABEL_TEXT ? NULL : release->values[column->attr];
	const Content *both = release->held == NULL ? NULL : release->held->last.content;
	uint32		n = both != NULL ? both->nlabels[column->attr] : release->classes->nlabels[column->attr];
	const char **labels = both != NULL ? both->labels[column->attr] : release->classes->labels[column->attr];
	NullableDatum *shown = MemoryContextAllocHuge(CurrentMemoryContext,
												  sizeof(NullableDatum) * ((Size) n + 1));
	LeafRun    *runs = NULL;
	FoundLabels found;

	if (values != NULL && both != NULL)
	{
		(void) find_labels(&found, both, column->attr, &release->by, values->attr);
		runs = runs_of_labels(&found);
	}
	else if (values != NULL)
		runs = label_runs(release->classes, column->attr);
	if (values != NULL && both == NULL && column->part != LABEL_HIGH && !release->spool.for_readers)
		tell_endless(release, column, runs);
	shown[0] = values == NULL ? text_or_null("*") : label_part(values, label_any_range(values), column->part);
	for (uint32 code = 0; code < n; code++)
	{
		NullableDatum range = {.isnull = true};

		if (code % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		/* a label that was shown may be found nowhere now */
		if (values != NULL && runs[code].first < runs[code].end)
			range = label_range(values, labels[code], runs[code].first, runs[code].end);
		else if (values != NULL && labels[code] != NULL)
			range = label_said_range(values, labels[code]);
		shown[code + 1] = values == NULL ? text_or_null(labels[code]) :
			label_part(values, range, column->part);
	}
	return shown;
}

bool
release_has_columns(const Release *release, TupleDesc desc)
{
	int			from = 1;
	bool		shows_counts = release->form == RELEASE_LIVE_VIEW;
	int			permuted = 0;
	int			n = release->ncolumns + (release->star ? 1 : 0);

	if (desc->natts != n + shows_counts)
		return false;
	if (shows_counts && TupleDescAttr(desc, n)->atttypid != INT8OID)
		return false;
	for (int i = 0; i < n; i++)
	{
		Form_pg_attribute column = TupleDescAttr(desc, i);
		Oid			type = BOOLOID;
		int32		typmod;
		Oid			collation;

		if (i < release->ncolumns)
			shown_type(release, &release->columns[i], &type, &typmod, &collation);
		if (i < release->ncolumns && release->columns[i].attr < 0 && !release->columns[i].is_class)
		{
			Oid			spooled = TupleDescAttr(release->spool.desc, from++)->atttypid;

			type = release->columns[i].pseudonym ? type : spooled;
		}
		else if (i < release->ncolumns && release->permuted && !release->columns[i].is_class)
			type = TupleDescAttr(release->spool.desc, release->nspooled + ++permuted)->atttypid;

		/* a statement may show a domain's values as its base type */
		if (column->attisdropped || column->attgenerated != '\0' ||
			getBaseType(column->atttypid) != getBaseType(type))
			return false;
	}
	return true;
}
