/*
 * release_attack.c
 *	  The people whom a release shows, as attackers see them.
 *
 * Where labels do not overlap, rows with the same labels are each other's
 * candidates, and the release itself is read.  Where they overlap, or hide whose
 * rows are whose, only the source tells which rows cover a person: it is read,
 * and generalized as a refresh would.  A sample is never drawn again.
 */
#include "release/release_attack.h"

#include "access/xact.h"
#include "catalog/trusted_code.h"
#include "read/population_read.h"
#include "release/release_verify.h"
#include "utils/guc.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/resowner.h"

static bool
is_named(char *const *names, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* Declares the shown columns of a release: those that are known can only be known. */
static Dataset *
declare_shown(const ReleaseEntry *entry, char *const *known, int nknown)
{
	Dataset    *dataset = dataset_of_release(entry);

	if (nknown >= 0)
		dataset->nattributes = 0;
	for (int i = 0; i < entry->nclass_columns && nknown >= 0; i++)
		if (is_named(known, nknown, entry->class_columns[i]))
			(void) dataset_declare(dataset, ROLE_QUASI_IDENTIFIER, entry->class_columns[i]);
	for (int i = 0; i < entry->nsensitive; i++)
		if (get_attnum(entry->relation, entry->sensitive[i]) > 0)
			(void) dataset_declare(dataset, is_named(known, nknown, entry->sensitive[i]) ?
								   ROLE_QUASI_IDENTIFIER : ROLE_SENSITIVE, entry->sensitive[i]);
	return dataset;
}

/* Reads the source, whose rows become classes as a refresh would make them. */
static Release *
read_source(const ReleaseEntry *entry)
{
	Release    *release = release_of_entry(entry);

	if (release->dataset->relation != entry->source)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("release %s was made from another relation than data set \"%s\" declares now",
						release->sql_name, entry->dataset),
				 errhint("If this change is wanted, call anonopt.republish.")));
	require_same_columns(release, entry, false);
	release_check(release);
	release_read_people(release);
	return release;
}

/* Makes classes cover all leaves that their labels can mean. */
static void
cover_labels(Candidates *candidates, const Classes *classes, uint32 nlabelled)
{
	for (int a = 0; a < classes->population->nattrs; a++)
	{
		const LeafRun *runs = label_runs(classes, a);
		const LeafRun all = {0, classes->population->attrs[a].hierarchy->nleaves};

		for (uint32 class = 0; class < classes->n; class++)
		{
			const LeafRun *run = class < nlabelled ? &runs[classes->codes[class_at(classes, class, a)]] : &all;

			for (uint32 leaf = run->first; leaf < run->end; leaf++)
				candidate_fits(candidates, a, leaf, class);
		}
	}
}

/* Makes classes cover the values that their people have. */
static void
cover_values(Candidates *candidates, const Classes *classes)
{
	const Population *population = classes->population;

	for (uint32 i = 0; i < classes->tuples->ntuples; i++)
		for (int a = 0; a < population->nattrs && classes->class_of[i] < classes->n; a++)
			candidate_fits(candidates, a, key_get(classes->tuples->keys + (Size) i * population->nwords,
												  &population->attrs[a].field), classes->class_of[i]);
}

/* The people in the classes of a release. */
static ShownPeople
shown_people(const Release *release)
{
	const Classes *classes = release->classes;
	bool		overlaps = classes->node == NULL || classes->starred > 0 || release->permuted;
	Classes    *counted;
	ShownPeople shown = shown_in_classes(classes, overlaps, &counted);

	if (release->permuted)
		cover_values(shown.candidates, counted);
	else if (overlaps)
		cover_labels(shown.candidates, counted, classes->n);
	return shown;
}

ShownPeople
release_read_attacked(const ReleaseEntry *entry, char *const *known, int nknown)
{
	bool		overlaps = entry->star || entry->nforms > 0 || entry->permuted || entry->has_people_k ||
	(entry->by.kind != BY_LEVELS && entry->by.kind != BY_CUTS);
	ShownPeople shown = {0};
	Release    *release;

	require_release_owner(entry->relation);
	require_trusted_relation(entry->relation);
	if (!overlaps || entry->is_private)
		return shown_as_read(population_read(declare_shown(entry, known, nknown)));
	release = read_source(entry);
	if (release->population != NULL && release->classes->out != NULL)
	{
		ereport(NOTICE,
				(errmsg("people of release %s are counted as rows", release->sql_name),
				 errdetail("Its rows do not tell which people are left out.")));
		shown = shown_as_read(population_read(declare_shown(entry, known, nknown)));
	}
	else if (release->population != NULL)
		shown = shown_people(release);
	release_close(release);
	return shown;
}

/* ------------------------------------------------------- figures of an entry */

/* What is spent on figures while publishing, and the most columns known of several. */
#define FIGURES_EFFORT 3e8
#define FIGURES_COLUMNS 3

static void
append_figures(StringInfo json, const Population *population, const AttackFigures *figures)
{
	const char *target = attack_target(population, figures);

	appendStringInfo(json, "{\"attack\": \"%s\", \"known\": %s", attack_names[figures->attack], figures->is_mean ? "null" : "[");
	for (int i = 0; i < figures->nknown && !figures->is_mean; i++)
	{
		appendStringInfoString(json, i > 0 ? ", " : "");
		escape_json(json, population->attrs[figures->known[i]].name);
	}
	appendStringInfo(json, "%s, \"target\": ", figures->is_mean ? "" : "]");
	if (target == NULL)
		appendStringInfoString(json, "null");
	else
		escape_json(json, target);
	appendStringInfo(json, ", \"people\": %.0f, \"certain\": %.0f, \"highest\": %s, \"expected\": %s, \"baseline\": %s}",
					 figures->people, figures->certain, number_text(figures->highest), number_text(figures->expected),
					 number_text(figures->baseline));
}

static void
append_attacks(StringInfo json, const ShownPeople *shown)
{
	const Knowledge knowledge = {.n = -1,.most = FIGURES_COLUMNS};
	int			left_out;
	ListCell   *cell;
	bool		first = true;

	appendStringInfoChar(json, '[');
	foreach(cell, attack_people(shown, &knowledge, FIGURES_EFFORT, &left_out))
	{
		appendStringInfoString(json, first ? "" : ", ");
		append_figures(json, shown->population, lfirst(cell));
		first = false;
	}
	appendStringInfoChar(json, ']');
}

/* Adds figures, or null if memory does not suffice for them. */
static void
append_within_memory(StringInfo json, const Release *release, void (*append) (StringInfo json, const Release *release))
{
	MemoryContext old = CurrentMemoryContext;
	MemoryContext context = AllocSetContextCreate(old, "anonopt figures", ALLOCSET_DEFAULT_SIZES);
	ResourceOwner owner = CurrentResourceOwner;
	int			len = json->len;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		append(json, release);
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
}

static void
append_residual(StringInfo json, const Release *release)
{
	const Population *population = release->population;
	HistogramMark *marks = palloc(sizeof(HistogramMark) * (population->ncolumns + 1));
	ShownPeople shown;

	/* rows of people who are left out are in classes */
	if (release->classes->out != NULL)
	{
		appendStringInfoString(json, "null");
		return;
	}
	population_mark(population, marks);
	shown = shown_people(release);
	append_attacks(json, &shown);
	population_release(population, marks);
}

/* Reads the quasi-identifiers of the source alone, without what is promised. */
static void
append_initial(StringInfo json, const Release *release)
{
	Dataset    *dataset = memcpy(palloc(sizeof(Dataset)), release->dataset, sizeof(Dataset));
	ShownPeople shown;
	int			level;

	/* of a sample, nothing is told that its rows do not tell */
	if (is_private(release))
	{
		appendStringInfoString(json, "null");
		return;
	}
	dataset->npromises = dataset->nattributes = 0;
	dataset->attributes = palloc(sizeof(Declared) * (release->dataset->nattributes + 1));
	for (int i = 0; i < release->dataset->nattributes; i++)
		if (release->dataset->attributes[i].role == ROLE_QUASI_IDENTIFIER)
			dataset->attributes[dataset->nattributes++] = release->dataset->attributes[i];
	level = NewGUCNestLevel();
	/* who reads for the release has been told of unknown values */
	sql_set("client_min_messages", "error");
	shown = shown_as_read(population_read(dataset));
	AtEOXact_GUC(false, level);
	append_attacks(json, &shown);
}

char *
release_attack_figures(const Release *release)
{
	StringInfoData json;

	if (release->classes == NULL || release->form == RELEASE_LIVE_VIEW)
		return NULL;
	initStringInfo(&json);
	appendStringInfoString(&json, "{\"residual\": ");
	append_within_memory(&json, release, append_residual);
	appendStringInfoString(&json, ", \"initial\": ");
	append_within_memory(&json, release, append_initial);
	appendStringInfoChar(&json, '}');
	return json.data;
}
