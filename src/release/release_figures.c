/*
 * release_figures.c
 *	  The figures of a release that its entry keeps for those who may not read the
 *	  data: what is shown of each column, how easily people were recognized before
 *	  and are now, what was measured of each promise, and who is missing.
 *
 * They are taken when rows are written, from the population that was read, from
 * the content, which is what readers get, and by attacks.  They are counts, levels
 * and names, and never a value.  Of a sample, only what the content says is recorded,
 * since the rest would count the original.  A live view has no content.
 */
#include "release/release.h"

#include "catalog/own_objects.h"
#include "catalog/pg_type.h"
#include "release/hold_back.h"
#include "release/release_attack.h"
#include "utils/json.h"

/* ------------------------------------------------------------------------ risk */

/* Of what is shown: rows, where a person has several; stars are one class. */
static void
append_risk_after(StringInfo json, const void *of)
{
	const Content *content = of;
	KeyCounter *classes = content_classes(content);
	int64		starred = 0;

	for (uint32 i = 0; i < content->rows->nkeys; i++)
		if (code_at(content_row(content, i), 0) == STARRED)
			starred += content->rows->counts[i];
	memset(key_counter_candidate(classes), 0xff, sizeof(uint64) * classes->nwords);
	(void) key_counter_add(classes, starred);
	append_risk(json, classes->counts, classes->nkeys);
	appendStringInfoChar(json, '}');
}

/* ---------------------------------------------------------------------- columns */

/* What a content shows of an attribute, or of a column that is not generalized: different labels or values, with their rows. */
static KeyCounter *
shown_of(const Content *content, int a, const char *column)
{
	KeyCounter *shown = key_counter_create(CurrentMemoryContext, 1, 1024);
	int			v = 0;

	while (a < 0 && v < content->nvalues && strcmp(content->values[v], column) != 0)
		v++;
	if (a < 0 && v == content->nvalues)
		return NULL;
	for (uint32 i = 0; i < content->rows->nkeys; i++)
	{
		const uint64 *row = content_row(content, i);

		*key_counter_candidate(shown) = a >= 0 ? code_at(row, a) : row[code_words(content->nattrs) + v];
		if (a < 0 || code_at(row, a) != STARRED)
			(void) key_counter_add(shown, content->rows->counts[i]);
	}
	return shown;
}

static void
append_column(StringInfo json, const Release *release, const ShownColumn *column)
{
	KeyCounter *shown = release->content == NULL ? NULL : shown_of(release->content, column->attr, column->name);
	int			level = column->attr < 0 ? (column->labelled ? shown_level_of(release->dataset, column->name) : -1) :
	release->by.kind == BY_LEVELS ? release->by.levels[column->attr] : -1;
	int64		alone = 0;

	for (uint32 i = 0; shown != NULL && i < shown->nkeys; i++)
		alone += shown->counts[i] == 1;
	appendStringInfoString(json, json->data[json->len - 1] == '[' ? "{\"column\": " : ", {\"column\": ");
	escape_json(json, column->name);
	appendStringInfo(json, ", \"shown\": \"%s\"", column->attr >= 0 ? (release->permuted ? "permuted" : "generalized") :
					 column->is_class ? "class number" : column->pseudonym ? "pseudonyms" : column->promised ? "sensitive" : "unchanged");
	if (level >= 0)
		appendStringInfo(json, ", \"level\": %d", level);

	/*
	 * a leaf may be there because somebody has no value, or one that is
	 * unknown
	 */
	if (column->attr >= 0 && !is_private(release))
		appendStringInfo(json, ", \"height\": %d, \"leaves\": %u", release->population->attrs[column->attr].hierarchy->height,
						 release->population->attrs[column->attr].hierarchy->nleaves);
	if (shown != NULL)
		appendStringInfo(json, ", \"%s\": %u, \"alone\": " INT64_FORMAT, column->attr >= 0 || level >= 0 ? "labels" : "values", shown->nkeys, alone);
	appendStringInfoChar(json, '}');
}

/* ---------------------------------------------------------------- who is missing */

/*
 * Of each quasi-identifier: how many values had people, or labels of the level
 * that is shown, of how many of them nobody is shown, how many people those are, and the largest share that a value
 * loses.
 */
static void
append_missing(StringInfo json, const void *of)
{
	const Release *release = of;
	const Population *population = release->population;
	const Classes *classes = release->classes;
	const TupleTable *tuples = population->tuples;

	for (int a = 0; a < population->nattrs; a++)
	{
		const Attribute *attr = &population->attrs[a];
		int64	   *all = population_alloc(population, sizeof(int64), 2 * (Size) attr->hierarchy->nleaves + 2);
		int64	   *left_out = all + attr->hierarchy->nleaves;
		int64		values = 0;
		int64		gone = 0;
		int64		people_gone = 0;
		double		most = 0;

		memset(all, 0, sizeof(int64) * (2 * (Size) attr->hierarchy->nleaves + 2));
		for (uint32 i = 0; i < tuples->ntuples; i++)
		{
			uint32		leaf = key_get(tuples->keys + (Size) i * population->nwords, &attr->field);

			/* values with the same label may have been read as one */
			leaf = release->by.kind == BY_LEVELS ? attr->hierarchy->levels[release->by.levels[a]].label_of[leaf] : leaf;
			all[leaf] += tuples->counts[i];
			left_out[leaf] += classes->class_of[i] < classes->n ? 0 : tuples->counts[i];
		}
		for (uint32 leaf = 0; leaf < attr->hierarchy->nleaves; leaf++)
			if (all[leaf] > 0)
			{
				values++;
				gone += left_out[leaf] == all[leaf];
				people_gone += left_out[leaf] == all[leaf] ? all[leaf] : 0;
				most = Max(most, (double) left_out[leaf] / all[leaf]);
			}
		pfree(all);
		appendStringInfoString(json, a == 0 ? "[{\"column\": " : ", {\"column\": ");
		escape_json(json, attr->name);
		appendStringInfo(json, ", \"values\": " INT64_FORMAT ", \"values_gone\": " INT64_FORMAT ", \"people_gone\": " INT64_FORMAT
						 ", \"largest_share\": %s}", values, gone, people_gone, number_text(most));
	}
	appendStringInfoChar(json, ']');
}

/* --------------------------------------------------------------------- promises */

/* The figure of a promise that was measured when classes were chosen; NaN for those that only verify measures. */
static double
measured(const Release *release, const DeclaredPromise *promise)
{
	const Measures *m = &release->measures;

	if (m->classes == 0 || promise->rows_known > 0 || (promise->columns_known > 0 && promise->model != MODEL_K))
		return NAN;
	if (promise->columns_known > 0)
		return m->k_known > 0 ? (double) m->k_known : NAN;
	return promise->model == MODEL_K ? m->k : promise->model == MODEL_L ? m->l : promise->model == MODEL_T ? m->t :
		(release->population->models & MODEL_BIT(promise->model)) != 0 ? m->figures[promise->model] : NAN;
}

/* The version of the extension, and a digest of what is declared of a data set. */
static QueryRows *
origin(const Release *release)
{
	const Oid	types[] = {TEXTOID, TEXTOID};

	return read_own_changes("SELECT (SELECT e.extversion FROM pg_extension e WHERE e.oid = $2),"
							" encode(sha256(convert_to(concat_ws(E'\\n', (SELECT string_agg(concat_ws(' ', a.ordinal,"
							" quote_ident(a.column_name), a.role, quote_literal(a.hierarchy), a.weight, a.min_level, a.max_level,"
							" a.distance, a.unknown, a.loss_counts), E'\\n' ORDER BY a.ordinal)"
							" FROM anonopt.attribute a WHERE a.dataset = $1), (SELECT string_agg(concat_ws(' ', p.model,"
							" quote_ident(p.column_name), p.threshold, p.c, quote_literal(p.population), p.columns_known, p.rows_known),"
							" E'\\n' ORDER BY p.model, p.column_name, p.columns_known, p.rows_known)"
							" FROM anonopt.promise p WHERE p.dataset = $1)), 'UTF8')), 'hex')",
							add_oid(add_text(NULL, release->dataset->name), own_extension()), lengthof(types), types);
}

static void
append_columns(StringInfo json, const void *of)
{
	const Release *release = of;

	appendStringInfoChar(json, '[');
	for (int i = 0; i < release->ncolumns; i++)
		append_column(json, release, &release->columns[i]);
	appendStringInfoChar(json, ']');
}

void
release_record_figures(const Release *release, const ReleaseEntry *entry)
{
	QueryRows  *from = origin(release);
	StringInfoData json;

	initStringInfo(&json);
	appendStringInfoString(&json, "{\"version\": ");
	escape_json(&json, row_text(from, 0, 0));
	appendStringInfo(&json, ", \"declaration\": \"%s\", \"columns\": ", row_text(from, 0, 1));
	append_within_memory(&json, release, append_columns);
	appendStringInfoString(&json, ", \"measured\": [");
	for (int i = 0; i < entry->npromises; i++)
	{
		double		figure = is_private(release) ? NAN : measured(release, &entry->promises[i]);

		appendStringInfo(&json, "%s%s", i > 0 ? ", " : "", isfinite(figure) ? number_text(figure) : "null");
	}
	appendStringInfoChar(&json, ']');
	if (release->content != NULL)
	{
		appendStringInfoString(&json, ", \"residual\": ");
		append_within_memory(&json, release->content, append_risk_after);
	}
	if (!is_private(release) && release->content != NULL)
	{
		if (release->by.kind != BY_RECORDS && release->classes->out == NULL && !holds_any(release->held))
		{
			appendStringInfoString(&json, ", \"missing\": ");
			append_within_memory(&json, release, append_missing);
		}
		if (release->together > 0)
			appendStringInfo(&json, ", \"together\": " INT64_FORMAT, release->together);
		if (release->classes != NULL)
			appendStringInfo(&json, ", \"attacks\": %s", release_attack_figures(release));
		appendStringInfo(&json, ", \"links\": %s", release_link_figures(entry));
	}
	appendStringInfoChar(&json, '}');
	(void) write_catalog("UPDATE anonopt.published SET figures = $2::jsonb WHERE id = $1::uuid",
						 add_text(add_text(NULL, entry->id), json.data));
}
