/*
 * release_covers.c
 *	  The leaves under the labels of a release that are not those of a level.
 *
 * The people of a population with the labels of a cut or a recoding cannot be
 * found by the labels.  So the runs of leaves under them are stored, by their
 * first and last leaves; leaves that a hierarchy gains between these are under
 * the label, too.
 */
#include "release/release_verify.h"

#include "base/key_counter.h"
#include "catalog/own_objects.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "miscadmin.h"
#include "release/entry_row.h"
#include "utils/builtins.h"
#include "utils/json.h"

static void
append_text(StringInfo json, const char *text)
{
	if (text == NULL)
		appendStringInfoString(json, "null");
	else
		escape_json(json, text);
}

/* A run of leaves, or only its label, which then covers values without a leaf. */
static void
append_run(StringInfo json, const Attribute *attr, const char *label, uint32 first, uint32 end)
{
	bool		is_first = json->data[json->len - 1] == '[';

	appendStringInfoString(json, is_first ? "[" : ", [");
	append_text(json, label);
	if (first < end)
	{
		appendStringInfoString(json, ", ");
		append_text(json, attr->hierarchy->labels[0][first]);
		appendStringInfoString(json, ", ");
		append_text(json, attr->hierarchy->labels[0][end - 1]);
	}
	appendStringInfoChar(json, ']');
}

/* The leaves under a label, except that of values without one, and these values. */
static void
append_cover(StringInfo json, const Attribute *attr, const char *label, uint32 first, uint32 leaves)
{
	uint32		end = first + leaves;
	uint32		unknown = attr->unknown_leaf;
	bool		has_unknown = unknown >= first && unknown < end;

	if (first < (has_unknown ? unknown : end))
		append_run(json, attr, label, first, has_unknown ? unknown : end);
	if (has_unknown && unknown + 1 < end)
		append_run(json, attr, label, unknown + 1, end);
	if (has_unknown || leaves == attr->hierarchy->nleaves)
		append_run(json, attr, label, 0, 0);
}

/* The labels of a cut's groups. */
static void
append_groups(StringInfo json, const Classes *classes, int a)
{
	const Recoding *cut = classes->node[a];

	for (uint32 group = 0; group < cut->nlabels; group++)
		append_cover(json, &classes->population->attrs[a], classes->labels[a][group], cut->first_leaf[group], cut->leaves[group]);
}

/* The labels of the boxes that are shown; each label and run occurs once. */
static void
append_boxes(StringInfo json, const Classes *classes, int a)
{
	KeyCounter *runs = key_counter_create(CurrentMemoryContext, 2, 1024);

	for (Size box = 0; box < classes->nboxes; box++)
	{
		Size		at = box * classes->population->nattrs + a;
		uint64	   *key = key_counter_candidate(runs);
		uint32		known = runs->nkeys;

		CHECK_FOR_INTERRUPTS();
		if (classes->class_of_box[box] == NO_CLASS)
			continue;
		key[0] = (uint64) classes->first_leaf[at] << 32 | classes->leaves[at];
		key[1] = classes->codes[at];
		if (key_counter_add(runs, 1) == known)
			append_cover(json, &classes->population->attrs[a], classes->labels[a][classes->codes[at]], classes->first_leaf[at],
						 classes->leaves[at]);
	}
}

static bool
needs_covers(const Release *release)
{
	const Dataset *dataset = release->spec.dataset;

	for (int i = 0; i < dataset->npromises && release->levels == NULL; i++)
		if (model_needs_population(dataset->promises[i].model))
			return true;
	return false;
}

char *
covers_json(const Release *release)
{
	const Population *population = release->spec.population;
	StringInfoData json;

	if (!needs_covers(release))
		return pstrdup("null");
	initStringInfo(&json);
	appendStringInfoChar(&json, '[');
	for (int a = 0; a < population->nattrs; a++)
	{
		appendStringInfoString(&json, a > 0 ? ", [" : "[");
		if (release->cuts != NULL)
			append_groups(&json, release->classes, a);
		else
			append_boxes(&json, release->classes, a);
		appendStringInfoChar(&json, ']');
	}
	appendStringInfoChar(&json, ']');
	return json.data;
}

LabelCovers *
covers_of_entry(const ReleaseEntry *entry)
{
	LabelCovers *covers = palloc0(sizeof(LabelCovers));
	Oid			types[1] = {TEXTOID};
	Datum		values[1] = {CStringGetTextDatum(entry->id)};
	const Oid	results[] = {INT8OID, TEXTOID, TEXTOID, TEXTOID, INT8OID};
	QueryRows  *rows;

	rows = read_catalog("SELECT n, c ->> 0, c ->> 1, c ->> 2, jsonb_array_length(c)::int8"
						" FROM anonopt.published p, jsonb_array_elements(p.covers) WITH ORDINALITY y (a, n), jsonb_array_elements(a) c"
						" WHERE p.id = $1::uuid ORDER BY n, c ->> 0", 1, types, values, lengthof(results), results);
	for (int a = 0; a < MAX_ATTRIBUTES; a++)
		covers->n[a] = 0;
	for (int i = 0; i < rows->n; i++)
	{
		EntryRow	row = {rows, i, entry->name};
		int			a = (int) number_field(&row, 1, 1, entry->ngeneralized) - 1;
		int64		length = number_field(&row, 5, 1, 3);
		LabelCover *cover;

		if (covers->covers[a] == NULL)
			covers->covers[a] = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(LabelCover) * ((Size) rows->n + 1));
		cover = &covers->covers[a][covers->n[a]++];
		cover->label = text_field(&row, 2);
		cover->first = text_field(&row, 3);
		cover->last = text_field(&row, 4);
		cover->unknown = length == 1;
		if (length == 2)
			refuse_entry(&row);
	}
	return covers;
}
