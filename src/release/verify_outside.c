/*
 * verify_outside.c
 *	  Measures a release's promises again that are about leaves under its labels:
 *	  about people of another relation, and about the tuples that are possible.
 *
 * They are read as leaves of the release's hierarchies, as for publishing.  A
 * label covers the leaves below it, if it is one of a node, and otherwise the
 * runs of leaves that are stored with the release.
 */
#include "release/release_verify.h"

#include <math.h>

#include "base/budget.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "engine/refinement.h"
#include "miscadmin.h"
#include "release/entry_row.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

/*
 * The classes of a release, in the order of their labels, and the people of
 * another relation.
 */
typedef struct OutsideCount
{
	const ReleaseEntry *entry;
	Population *hierarchies;	/* as attributes, without people */
	uint32		nclasses;
	int64	   *people;			/* by class */
	int64	   *others;
	TextIndex	texts[MAX_ATTRIBUTES];	/* labels, by class */
	uint32	   *labels[MAX_ATTRIBUTES]; /* the same, by their place in order */
	List	  **labels_of[MAX_ATTRIBUTES];	/* by leaf, of those that cover
											 * it; last, of values without one */
} OutsideCount;

static void
read_labels(OutsideCount *count)
{
	const ReleaseEntry *entry = count->entry;
	StringInfoData sql;
	StringInfoData order;
	QueryRows  *rows;

	initStringInfo(&sql);
	initStringInfo(&order);
	for (int a = 0; a < entry->ngeneralized; a++)
	{
		TypeMatch	match = {.data_form = "%v"};

		(void) match_types(column_type(entry->relation, entry->generalized[a]), TEXTOID, &match);
		appendStringInfo(&sql, "%s COLLATE pg_catalog.\"C\", ",
						 sql_as(match.data_form, psprintf("r.%s", quote_identifier(entry->generalized[a]))));
		appendStringInfo(&order, "%s%d", a > 0 ? ", " : "", a + 1);
	}
	rows = rows_of_query(psprintf("SELECT %scount(*) FROM %s r GROUP BY %s ORDER BY %s", sql.data,
								  relation_sql_name(entry->relation),
								  order.data, order.data), list_make1_oid(entry->relation), NULL, NULL, 0,
						 NULL);
	count->nclasses = rows->n;
	count->people = palloc(sizeof(int64) * (rows->n + 1));
	for (int a = 0; a < entry->ngeneralized; a++)
	{
		const char **texts = palloc(sizeof(char *) * (rows->n + 1));
		uint32		label = 0;

		rows_require_type(TupleDescAttr(rows->desc, a)->atttypid, TEXTOID, entry->generalized[a]);
		for (int i = 0; i < rows->n; i++)
		{
			bool		isnull;

			texts[i] = row_text(rows, i, a);
			count->people[i] = DatumGetInt64(row_value(rows, i, entry->ngeneralized, &isnull));
		}
		count->texts[a] = index_texts(texts, rows->n);
		count->labels[a] = palloc(sizeof(uint32) * (rows->n + 1));
		for (int i = 0; i < rows->n; i++)
		{
			label += i > 0 && compare_texts(texts[count->texts[a].order[i - 1]],
											texts[count->texts[a].order[i]]) != 0;
			count->labels[a][count->texts[a].order[i]] = label;
		}
	}
}

/*
 * Adds a label to those of a run of leaves, unless no class shows it.  Runs of
 * one label follow each other.
 */
static void
cover(OutsideCount *count, int a, const char *label, uint32 first, uint32 end)
{
	uint32		class = find_text(&count->texts[a], label);

	for (uint32 leaf = first; leaf < end && class != PG_UINT32_MAX; leaf++)
		if (count->labels_of[a][leaf] == NIL ||
			llast_int(count->labels_of[a][leaf]) != count->labels[a][class])
			count->labels_of[a][leaf] = lappend_int(count->labels_of[a][leaf], count->labels[a][class]);
}

/* The leaves under the labels of a level. */
static void
cover_level(OutsideCount *count, int a)
{
	Hierarchy  *hierarchy = count->hierarchies->attrs[a].hierarchy;
	int			level = count->entry->by.levels[a];
	int			top;
	bool		hides;

	if (level > hierarchy->height)
		refuse_entry(count->entry->name);

	/*
	 * a value without a leaf has the label that covers all leaves, if there
	 * is one
	 */
	top = hierarchy->levels[level].nlabels == 1 ? level : hierarchy->height;
	hides = hierarchy->levels[top].nlabels == 1;
	if (hierarchy->null_leaf == NO_LEAF)
		hierarchy_add_null(hierarchy);
	count->labels_of[a] = palloc0(sizeof(List *) * ((Size) hierarchy->nleaves + 1));
	for (uint32 label = 0; label < hierarchy->levels[level].nlabels; label++)
		cover(count, a, hierarchy->labels[level][label], hierarchy->levels[level].first_leaf[label],
			  hierarchy->levels[level].first_leaf[label] + hierarchy->levels[level].leaves[label]);
	if (hides)
		cover(count, a, hierarchy->labels[top][0], hierarchy->nleaves, hierarchy->nleaves + 1);
}

/* The stored runs of leaves, label by label. */
static void
cover_runs(OutsideCount *count, int a, const LabelCover *covers)
{
	Hierarchy  *hierarchy = count->hierarchies->attrs[a].hierarchy;
	TextIndex	labels = index_texts((const char *const *) covers->labels, covers->n);
	TextIndex	unknown = index_texts((const char *const *) covers->unknown, covers->nunknown);
	TextIndex	leaves;

	for (int i = 0; i < covers->n && hierarchy->null_leaf == NO_LEAF; i++)
		if (covers->lasts[i] == NULL)
			hierarchy_add_null(hierarchy);
	leaves = index_texts(hierarchy->labels[0], hierarchy->nleaves);
	count->labels_of[a] = palloc0(sizeof(List *) * ((Size) hierarchy->nleaves + 1));
	for (int i = 0; i < covers->n; i++)
	{
		int			run = labels.order[i];
		uint32		first = find_text(&leaves, covers->firsts[run]);
		uint32		last = find_text(&leaves, covers->lasts[run]);

		CHECK_FOR_INTERRUPTS();
		/* a missing leaf covers nobody */
		if (first != PG_UINT32_MAX && last != PG_UINT32_MAX)
			cover(count, a, covers->labels[run], first, last + 1);
	}
	for (int i = 0; i < covers->nunknown; i++)
		cover(count, a, covers->unknown[unknown.order[i]], hierarchy->nleaves, hierarchy->nleaves + 1);
}

/* The first of some classes whose label is at least a given one. */
static uint32
first_with_label(const uint32 *labels, uint32 from, uint32 end, uint32 label)
{
	while (from < end)
	{
		uint32		middle = from + (end - from) / 2;

		if (labels[middle] < label)
			from = middle + 1;
		else
			end = middle;
	}
	return from;
}

/*
 * Counts a tuple of people in those classes whose labels cover its leaves,
 * among classes that agree in all labels before an attribute.
 */
static void
count_tuple(OutsideCount *count, const uint32 *leaves, int64 people, int a, uint32 from, uint32 end)
{
	uint32		leaf;
	ListCell   *cell;

	if (from == end)
		return;
	if (a == count->entry->ngeneralized)
	{
		count->others[from] += people;
		return;
	}
	leaf = Min(leaves[a], count->hierarchies->attrs[a].hierarchy->nleaves);
	foreach(cell, count->labels_of[a][leaf])
		count_tuple(count, leaves, people, a + 1,
					first_with_label(count->labels[a], from, end, lfirst_int(cell)),
					first_with_label(count->labels[a], from, end, lfirst_int(cell) + 1));
}

/* Loads the hierarchies, and finds the leaves under each label; given another relation, its types are theirs. */
static void
find_covered(OutsideCount *count, Oid relation)
{
	const ReleaseEntry *entry = count->entry;
	const LabelCover *covers = entry->by.kind == BY_LEVELS ? NULL : release_entry_covers(entry);
	Population *population = palloc0(sizeof(Population));

	population->context = CurrentMemoryContext;
	population->nattrs = entry->ngeneralized;
	population->attrs = palloc0(sizeof(Attribute) * (entry->ngeneralized + 1));
	count->hierarchies = population;
	for (int a = 0; a < entry->ngeneralized; a++)
	{
		Oid			type = hierarchy_leaf_type(entry->hierarchies[a]);

		if (OidIsValid(relation))
			type = column_type(relation, entry->generalized[a]);
		else if (type_is_range(type))
			type = get_range_subtype(type);
		population->attrs[a].unknown_leaf = NO_LEAF;
		population->attrs[a].hierarchy = hierarchy_load(entry->hierarchies[a], type, entry->generalized[a])->hierarchy;
		if (covers == NULL)
			cover_level(count, a);
		else
			cover_runs(count, a, &covers[a]);
	}
	population_lay_out(population);
}

static void
count_others(OutsideCount *count, Oid relation)
{
	const ReleaseEntry *entry = count->entry;
	Dataset		dataset = {.for_release = true};
	Outsiders  *entries;
	uint32	   *leaves = palloc(sizeof(uint32) * (entry->ngeneralized + 1));

	dataset.attributes = palloc0(sizeof(Declared) * (entry->ngeneralized + 1));
	for (int a = 0; a < entry->ngeneralized; a++)
	{
		require_column(relation, entry->generalized[a]);
		dataset_declare(&dataset, ROLE_QUASI_IDENTIFIER,
						entry->generalized[a])->hierarchy = entry->hierarchies[a];
	}
	find_covered(count, relation);
	entries = read_outsiders(&dataset, relation, count->hierarchies, false);
	count->others = palloc0(sizeof(int64) * (count->nclasses + 1));
	for (uint32 i = 0; i < entries->ntuples; i++)
	{
		CHECK_FOR_INTERRUPTS();
		for (int a = 0; a < entry->ngeneralized; a++)
			leaves[a] = outsider_leaf(count->hierarchies, entries, i, a);
		count_tuple(count, leaves, entries->counts[i], 0, 0, count->nclasses);
	}
}

/* -------------------------------------------------------- tuples that are possible */

/*
 * The run of leaves around all that a label covers, by its place in order: by
 * what was stored, or else by the hierarchy, as a live view may show other
 * labels now.  A value without a leaf is like any.
 */
static LeafRun *
runs_of_places(const OutsideCount *count, int a)
{
	const TextIndex *texts = &count->texts[a];
	const Hierarchy *hierarchy = count->hierarchies->attrs[a].hierarchy;
	LeafRun    *runs = empty_runs(count->nclasses);
	ListCell   *cell;

	for (uint32 leaf = 0; leaf <= hierarchy->nleaves; leaf++)
		foreach(cell, count->labels_of[a][leaf])
			widen_run(&runs[lfirst_int(cell)], leaf, 1);
	for (uint32 i = 0; i < count->nclasses; i++)
	{
		const char *text = texts->texts[texts->order[i]];
		LeafRun    *run = &runs[count->labels[a][texts->order[i]]];

		CHECK_FOR_INTERRUPTS();
		for (int level = 0; level <= hierarchy->height && run->end == 0; level++)
			for (uint32 label = 0; label < hierarchy->levels[level].nlabels; label++)
				if (compare_texts(hierarchy->labels[level][label], text) == 0)
					widen_run(run, hierarchy->levels[level].first_leaf[label], hierarchy->levels[level].leaves[label]);
		if (run->end > hierarchy->nleaves)
			run->first = 0;
		run->end = Min(run->end, hierarchy->nleaves);
	}
	return runs;
}

/*
 * The fewest possible tuples of a class with several under its labels, or
 * PG_INT64_MAX; or -1 if it is not known what a label covers.
 */
static int64
least_possible(OutsideCount *count)
{
	int			nattrs = count->entry->ngeneralized;
	uint32	   *first_leaf = budget_alloc(sizeof(uint32) * (nattrs + 1), (Size) count->nclasses + 1);
	uint32	   *leaves = budget_alloc(sizeof(uint32) * (nattrs + 1), (Size) count->nclasses + 1);
	int64		least = PG_INT64_MAX;
	const Refinement *refinement;

	find_covered(count, InvalidOid);
	for (int a = 0; a < nattrs; a++)
	{
		const LeafRun *runs = runs_of_places(count, a);

		for (uint32 class = 0; class < count->nclasses; class++)
		{
			const LeafRun *run = &runs[count->labels[a][class]];
			Size		at = (Size) class * nattrs + a;

			if (run->end == 0)
				return -1;
			first_leaf[at] = run->first;
			leaves[at] = run->end - run->first;
		}
	}
	refinement = refinement_create(count->hierarchies, count->nclasses, first_leaf, leaves);
	for (uint32 class = 0; class < count->nclasses; class++)
	{
		CHECK_FOR_INTERRUPTS();
		if (refinement_is_wide(refinement, class))
			least = Min(least, refinement_possible(refinement, class, PG_INT64_MAX));
	}
	return least;
}

/* ------------------------------------------------------------------ verdicts */

int
use_zone_of_release(const ReleaseEntry *entry)
{
	Dataset		zone = {0};
	const Oid	type = TEXTOID;
	QueryRows  *rows = read_catalog("SELECT timezone FROM anonopt.dataset WHERE dataset = $1",
									add_text(NULL, entry->dataset), 1, &type);
	char	   *name = rows->n == 0 ? NULL : row_text(rows, 0, 0);

	if (name != NULL && timezone_is_known(name))
		zone.timezone = name;
	return dataset_use_zone(&zone);
}

static void
judge(const OutsideCount *count, const DeclaredPromise *promise, PromiseVerdict *verdict)
{
	const Model *model = models[promise->model];
	double		least = HUGE_VAL;
	double		most = 0;
	double		lower;
	double		upper;

	for (uint32 class = 0; class < count->nclasses; class++)
	{
		double		figure = model->of_others(count->people[class], count->others[class]);

		least = Min(least, figure);
		most = Max(most, figure);
	}
	verdict->is_null = count->nclasses == 0;
	promise_bounds(promise, &lower, &upper);
	verdict->measured = model->least_counts ? least : most;
	verdict->ok = count->nclasses == 0 || (least >= lower && most <= upper);
}

/* Whether a population is there, and has the columns of a release. */
static bool
population_has_columns(const ReleaseEntry *entry, Oid population)
{
	for (int a = 0; a < entry->ngeneralized; a++)
		if (!OidIsValid(population) || !OidIsValid(column_type(population, entry->generalized[a])))
			return false;
	return true;
}

void
verify_outside(const ReleaseEntry *entry, bool by_rows, PromiseVerdict *verdicts)
{
	int			level = use_zone_of_release(entry);

	for (int i = 0; i < entry->npromises; i++)
	{
		const DeclaredPromise *promise = &entry->promises[i];
		OutsideCount count = {.entry = entry};
		ErrorContextCallback telling;

		if (model_needs_boxes(promise->model))
		{
			int64		least;

			read_labels(&count);
			least = least_possible(&count);
			verdicts[i].unmeasured = least < 0;
			verdicts[i].is_null = least < 0 || least == PG_INT64_MAX;
			verdicts[i].measured = least;
			verdicts[i].ok = least < 0 || least >= promise->threshold;
			continue;
		}
		if (!model_needs_population(promise->model))
			continue;
		verdicts[i].ok = false;
		if (!population_has_columns(entry, promise->population))
			continue;
		if (models[promise->model]->counts_own && !by_rows)
		{
			verdicts[i].ok = verdicts[i].unmeasured = true;
			continue;
		}
		read_labels(&count);
		begin_telling_promise(promise, &telling);
		count_others(&count, promise->population);
		error_context_stack = telling.previous;
		judge(&count, promise, &verdicts[i]);
	}
	AtEOXact_GUC(false, level);
}
