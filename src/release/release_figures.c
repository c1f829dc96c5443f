/*
 * release_figures.c
 *	  The figures of a release that its entry keeps for those who may not read the
 *	  data: what is shown of each column, how easily people were recognized before
 *	  and are now, what was measured of each promise, who is missing, and what
 *	  attacks achieve.
 *
 * They are taken when rows are written, from the population that was read, from
 * the content, which is what readers get, and by attacks.  They are counts, levels
 * and names, and never a value.  Of a sample, only what the content says is recorded,
 * since the rest would count the original.  A live view has no content.  What takes
 * too much time is left out, and what takes too much memory is null.
 */
#include "release/release_attack.h"

#include "access/xact.h"
#include "catalog/own_objects.h"
#include "engine/risk.h"
#include "read/population_read.h"
#include "utils/guc.h"
#include "utils/json.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"

typedef struct Figures
{
	const Release *release;
	const ReleaseEntry *entry;
} Figures;

/* Adds the next member of an object, or element of an array. */
static void
append_next(StringInfo json, const char *text)
{
	if (strchr("[{", json->data[json->len - 1]) == NULL)
		appendStringInfoString(json, ", ");
	appendStringInfoString(json, text);
}

/* Adds a member made in memory of its own, null if that does not suffice for it. */
static void
append_member(StringInfo json, const char *name, const Figures *figures, void (*append) (StringInfo json, const Figures *figures))
{
	const Population *population = figures->release->population;
	HistogramMark *marks = palloc(sizeof(HistogramMark) * (population->ncolumns + 1));
	MemoryContext old = CurrentMemoryContext;
	MemoryContext context = AllocSetContextCreate(old, "anonopt figures", ALLOCSET_DEFAULT_SIZES);
	ResourceOwner owner = CurrentResourceOwner;
	int			len;

	append_next(json, psprintf("\"%s\": ", name));
	len = json->len;
	population_mark(population, marks);
	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		append(json, figures);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(old);
		error = CopyErrorData();
		if (error->sqlerrcode != ERRCODE_OUT_OF_MEMORY)
			PG_RE_THROW();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		json->len = len;
		appendStringInfoString(json, "null");
	}
	PG_END_TRY();
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	CurrentResourceOwner = owner;
	population_release(population, marks);
}

/* ------------------------------------------------------------------------ risk */

/* Sizes of classes up to which their numbers are recorded, so that any threshold above 1 % has its share of people. */
#define LISTED_SIZES 100

/* How easily people are recognized in classes of these sizes, with the numbers of small ones: the beginning of an object. */
static void
append_risk(StringInfo json, const int64 *sizes, uint32 n)
{
	ClassRisks	risks = {.threshold = 1,.smallest = PG_INT64_MAX};
	int64		listed[LISTED_SIZES + 1] = {0};

	for (uint32 i = 0; i < n; i++)
	{
		add_class_risks(&risks, sizes[i], sizes[i], sizes[i] > 0);
		if (sizes[i] <= LISTED_SIZES)
			listed[sizes[i]]++;
	}
	appendStringInfo(json, "{\"people\": " INT64_FORMAT ", \"classes\": " INT64_FORMAT ", \"alone\": " INT64_FORMAT,
					 risks.people, risks.classes, risks.uniques);
	if (risks.people > 0)
		appendStringInfo(json, ", \"smallest\": " INT64_FORMAT ", \"highest\": %s, \"average\": %s", risks.smallest,
						 number_text(1.0 / risks.smallest), number_text(risks.found / risks.people));
	appendStringInfoString(json, ", \"sizes\": [");
	for (int size = 1; size <= LISTED_SIZES; size++)
		if (listed[size] > 0)
			append_next(json, psprintf("[%d, " INT64_FORMAT "]", size, listed[size]));
	appendStringInfoString(json, "]");
}

static void
append_risk_of_people(StringInfo json, const Population *population, const TupleTable *classes)
{
	int64	   *sizes = population_alloc(population, sizeof(int64), (Size) classes->ntuples + 1);

	for (uint32 i = 0; i < classes->ntuples; i++)
		sizes[i] = class_people(population, classes, i);
	append_risk(json, sizes, classes->ntuples);
}

/*
 * Of what is shown.  Where people have several rows, classes count people, or
 * rows, if these classes are not those shown; stars are one class.
 */
static void
append_risk_after(StringInfo json, const Figures *figures)
{
	const Release *release = figures->release;
	const Content *content = release->content;
	KeyCounter *classes = content_classes(content);
	bool		has_persons = figures->entry->has_people_k;
	bool		by_rows = has_persons && (is_private(release) || !release_shows_classes(release));
	int64		rows = 0;
	int64		starred = 0;

	for (uint32 i = 0; i < content->rows->nkeys; i++)
	{
		rows += content->rows->counts[i];
		starred += code_at(content_row(content, i), 0) == STARRED ? content->rows->counts[i] : 0;
	}
	memset(key_counter_candidate(classes), 0xff, sizeof(uint64) * classes->nwords);
	(void) key_counter_add(classes, starred);
	if (has_persons && !by_rows)
		append_risk_of_people(json, release->population, classes_counted(release->classes)->table);
	else
		append_risk(json, classes->counts, classes->nkeys);
	if (has_persons)
		appendStringInfo(json, ", \"rows\": " INT64_FORMAT, rows);
	appendStringInfo(json, ", \"counted\": \"%s\"}", by_rows ? "rows" : "people");
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
	append_next(json, "{\"column\": ");
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

static void
append_columns(StringInfo json, const Figures *figures)
{
	appendStringInfoChar(json, '[');
	for (int i = 0; i < figures->release->ncolumns; i++)
		append_column(json, figures->release, &figures->release->columns[i]);
	appendStringInfoChar(json, ']');
}

/* ---------------------------------------------------------------- who is missing */

/*
 * Of each quasi-identifier: how many values had people, or labels of the level
 * that is shown, of how many of them nobody is shown, how many rows those are, and the largest share that a value
 * loses.
 */
static void
append_missing(StringInfo json, const Figures *figures)
{
	const Release *release = figures->release;
	const Population *population = release->population;
	const Classes *classes = release->classes;
	const TupleTable *tuples = population->tuples;

	appendStringInfoChar(json, '[');
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
		append_next(json, "{\"column\": ");
		escape_json(json, attr->name);
		appendStringInfo(json, ", \"values\": " INT64_FORMAT ", \"values_gone\": " INT64_FORMAT ", \"people_gone\": " INT64_FORMAT
						 ", \"largest_share\": %s}", values, gone, people_gone, number_text(most));
	}
	appendStringInfoChar(json, ']');
}

/* ---------------------------------------------------------------------- attacks */

/* What is spent on figures while publishing, and the most columns known of several. */
#define FIGURES_EFFORT 3e8
#define FIGURES_COLUMNS 3

static void
append_names(StringInfo json, char *const *names, int n)
{
	appendStringInfoChar(json, '[');
	for (int i = 0; i < n; i++)
	{
		append_next(json, "");
		escape_json(json, names[i]);
	}
	appendStringInfoChar(json, ']');
}

/* Rows of anonopt.attack. */
static void
append_figures(StringInfo json, const List *list)
{
	ListCell   *cell;

	appendStringInfoChar(json, '[');
	foreach(cell, list)
	{
		const AttackFigures *figures = lfirst(cell);

		append_next(json, psprintf("{\"attack\": \"%s\", \"known\": %s", attack_names[figures->attack], figures->is_mean ? "null" : ""));
		if (!figures->is_mean)
			append_names(json, figures->names, figures->nknown);
		appendStringInfo(json, ", \"target\": %s", figures->target == NULL ? "null" : "");
		if (figures->target != NULL)
			escape_json(json, figures->target);
		appendStringInfo(json, ", \"people\": %.0f, \"certain\": %.0f, \"highest\": %s, \"expected\": %s, \"baseline\": %s",
						 figures->people, figures->certain, number_text(figures->highest), number_text(figures->expected),
						 number_text(figures->baseline));
		if (figures->nunseen > 0)
		{
			appendStringInfoString(json, ", \"not_compared\": ");
			append_names(json, figures->unseen, figures->nunseen);
		}
		appendStringInfoChar(json, '}');
	}
	appendStringInfoChar(json, ']');
}

/* For any 1, 2, 3 and all columns. */
static void
append_attacks(StringInfo json, const ShownPeople *shown)
{
	const Knowledge knowledge = {.n = -1,.most = FIGURES_COLUMNS};
	int			left_out;

	append_figures(json, attack_people(shown, &knowledge, FIGURES_EFFORT, &left_out));
}

static void
append_residual(StringInfo json, const Figures *figures)
{
	Classes    *counted;
	ShownPeople shown = release_shown_people(figures->release, false, &counted);

	append_attacks(json, &shown);
}

/*
 * The quasi-identifiers of the source alone, without what is promised.  Where
 * the release has read every leaf, it is not read again.
 */
static Population *
people_before(const Release *release)
{
	Dataset    *dataset = memcpy(palloc(sizeof(Dataset)), release->dataset, sizeof(Dataset));
	Population *population = memcpy(palloc(sizeof(Population)), release->population, sizeof(Population));
	int			level;

	population->nsensitive = 0;
	if (release->by.kind == BY_RECODING || release->by.kind == BY_RECORDS)
		return population;
	dataset->npromises = dataset->nattributes = 0;
	dataset->attributes = palloc(sizeof(Declared) * (release->dataset->nattributes + 1));
	for (int i = 0; i < release->dataset->nattributes; i++)
		if (release->dataset->attributes[i].role == ROLE_QUASI_IDENTIFIER)
			dataset->attributes[dataset->nattributes++] = release->dataset->attributes[i];
	level = NewGUCNestLevel();
	/* who reads for the release has been told of unknown values */
	sql_set("client_min_messages", "error");
	population = population_read(dataset);
	AtEOXact_GUC(false, level);
	return population;
}

/* The risk of the source as it was, and singling out there. */
static void
append_initial(StringInfo json, const Figures *figures)
{
	ShownPeople shown = shown_as_read(people_before(figures->release));

	append_risk_of_people(json, shown.population, shown.tuples);
	appendStringInfoString(json, ", \"counted\": \"people\", \"singling_out\": ");
	append_attacks(json, &shown);
	appendStringInfoChar(json, '}');
}

/* What links the content, which was just recorded, with others. */
static void
append_links(StringInfo json, const Figures *figures)
{
	int			level = NewGUCNestLevel();

	/* what is left out is told by attack */
	sql_set("client_min_messages", "error");
	see_own_changes();
	append_figures(json, release_attack_links(figures->entry, MOST_PAIRS_OF_FIGURES));
	PopActiveSnapshot();
	AtEOXact_GUC(false, level);
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

static void
append_measured(StringInfo json, const Figures *figures)
{
	appendStringInfoChar(json, '[');
	for (int i = 0; i < figures->entry->npromises; i++)
	{
		double		figure = is_private(figures->release) ? NAN : measured(figures->release, &figures->entry->promises[i]);

		append_next(json, isfinite(figure) ? number_text(figure) : "null");
	}
	appendStringInfoChar(json, ']');
}

/* --------------------------------------------------------------------- together */

void
release_record_figures(const Release *release, const ReleaseEntry *entry)
{
	const Figures figures = {release, entry};
	StringInfoData json;

	initStringInfo(&json);
	appendStringInfoChar(&json, '{');
	append_member(&json, "columns", &figures, append_columns);
	append_member(&json, "measured", &figures, append_measured);
	if (release->content != NULL)
		append_member(&json, "residual", &figures, append_risk_after);
	if (release->content != NULL && !is_private(release))
	{
		if (release->by.kind != BY_RECORDS && release_shows_classes(release))
			append_member(&json, "missing", &figures, append_missing);
		if (release->together > 0)
			appendStringInfo(&json, ", \"together\": " INT64_FORMAT, release->together);
		appendStringInfoString(&json, ", \"attacks\": {");
		if (release_shows_classes(release))
			append_member(&json, "residual", &figures, append_residual);
		append_member(&json, "initial", &figures, append_initial);
		appendStringInfoChar(&json, '}');
		append_member(&json, "links", &figures, append_links);
	}
	appendStringInfoChar(&json, '}');
	(void) write_catalog("UPDATE anonopt.published SET figures = $2::jsonb || anonopt.origin(dataset) WHERE id = $1::uuid",
						 add_text(add_text(NULL, entry->id), json.data));
}
