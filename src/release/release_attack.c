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

#include "base/budget.h"
#include "base/names.h"
#include "catalog/trusted_code.h"
#include "engine/known_columns.h"
#include "engine/refinement.h"
#include "miscadmin.h"
#include "read/population_read.h"
#include "read/reading.h"
#include "release/hold_back.h"
#include "release/release_verify.h"
#include "utils/lsyscache.h"

static bool
is_named(char *const *names, int n, const char *name)
{
	return find_name(name, (const char *const *) names, n) >= 0;
}

void
require_knowable(int columns)
{
	if (columns > MAX_ATTRIBUTES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many columns can be known"),
				 errdetail("The quasi-identifiers and known sensitive columns are %d, and at most %d can be counted.",
						   columns, MAX_ATTRIBUTES),
				 errhint("Name fewer known columns that are sensitive.")));
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

	require_same_source(release, entry);
	require_same_columns(release, entry, false);
	release_check(release);
	release_read_people(release);
	return release;
}

/* Makes classes cover all leaves that their labels can mean; behind them may be one of stars. */
static void
cover_labels(Candidates *candidates, const Classes *classes)
{
	if (candidates->items->ntuples > classes->n)
		candidates->everywhere = classes->n;
	for (int a = 0; a < classes->population->nattrs; a++)
	{
		const LeafRun *runs = label_runs(classes, a);
		const LeafRun all = {0, classes->population->attrs[a].hierarchy->nleaves};

		for (uint32 class = 0; class < candidates->items->ntuples; class++)
		{
			const LeafRun *run = class < classes->n ? &runs[classes->codes[class_at(classes, class, a)]] : &all;

			CHECK_FOR_INTERRUPTS();
			/* what has no leaf is covered where everything is */
			for (uint32 leaf = run->first; leaf < run->end + (run->end - run->first == all.end); leaf++)
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

static bool
labels_overlap(const Release *release)
{
	return release->classes->node == NULL || release->classes->starred > 0 || release->permuted;
}

/* Whether each sensitive column of a population is shown as it was read: one that is only generalized is not. */
static bool *
guessed_columns(const Release *release, const Population *population)
{
	bool	   *shown = palloc0(sizeof(bool) * (population->nsensitive + 1));

	for (int column = 0; column < population->nsensitive; column++)
		for (int i = 0; i < release->ncolumns; i++)
			if (release->columns[i].attr < 0 && release->columns[i].promised &&
				strcmp(release->columns[i].name, population->columns[column]->name) == 0)
				shown[column] = true;
	return shown;
}

ShownPeople
release_shown_people(const Release *release, bool as_candidates, Classes **counted)
{
	bool		overlaps = as_candidates || labels_overlap(release);
	ShownPeople shown = shown_in_classes(*counted = classes_counted(release->classes), overlaps);

	shown.guessed = guessed_columns(release, release->population);
	if (release->permuted)
		cover_values(shown.candidates, *counted);
	else if (overlaps)
		cover_labels(shown.candidates, release->classes);
	return shown;
}

bool
release_shows_classes(const Release *release)
{
	return release->classes->out == NULL && !holds_any(release->held);
}

/*
 * The data set with the sensitive columns that are known as quasi-identifiers,
 * behind the others; sets the levels at which they are shown.
 */
static Dataset *
declare_known(const Dataset *dataset, char *const *known, int nknown, int *levels)
{
	Dataset    *declared = memcpy(palloc(sizeof(Dataset)), dataset, sizeof(Dataset));

	declared->npromises = declared->nattributes = 0;
	declared->attributes = palloc(sizeof(Declared) * (dataset->nattributes + 1));
	for (int pass = 0; pass < 3; pass++)
		for (int i = 0; i < dataset->nattributes; i++)
		{
			Declared	column = dataset->attributes[i];
			bool		is_known = column.role == ROLE_SENSITIVE && is_named(known, nknown, column.column) &&
			!dataset_has_role(dataset, ROLE_QUASI_IDENTIFIER, column.column);

			if (column.role != (pass == 0 ? ROLE_QUASI_IDENTIFIER : ROLE_SENSITIVE) || is_known != (pass == 1))
				continue;
			if (pass == 1)
			{
				*levels++ = Max(shown_level(&column), 0);
				column.hierarchy = shown_level(&column) >= 0 ? column.hierarchy : InvalidOid;
				column.role = ROLE_QUASI_IDENTIFIER;
			}
			declared->attributes[declared->nattributes++] = column;
		}
	require_knowable(dataset_count_role(declared, ROLE_QUASI_IDENTIFIER));
	return declared;
}

/*
 * The same people to whoever knows sensitive columns, too: a class's rows with
 * equal values are candidates by themselves.
 */
static ShownPeople
know_values(const Release *release, Dataset *declared, const int *levels)
{
	int			all[MAX_ATTRIBUTES];
	const Population *population = release->population;
	int			nattrs = population->nattrs;
	ShownPeople shown = shown_as_read(population_read(declared));
	const Attribute *attrs = shown.population->attrs;
	int			nvalues = shown.population->nattrs - nattrs;
	uint32		n = shown.tuples->ntuples;
	ClassCounter *finder = class_counter_create(CurrentMemoryContext, population, population->tuples->ntuples);
	KeyCounter *items = key_counter_create(CurrentMemoryContext, nvalues + 1, 1024);
	uint32	   *item_of = budget_alloc(sizeof(uint32), (Size) n + 1);
	bool	   *hidden = budget_alloc_zero(sizeof(bool), (Size) n + 1);
	uint64	   *key = palloc(sizeof(uint64) * population->nwords);
	Classes    *classes;
	Candidates *by_labels = release_shown_people(release, true, &classes).candidates;
	TupleTable *table;
	bool		any_hidden = false;

	shown.guessed = guessed_columns(release, shown.population);
	/* the tuples are counted in their order */
	known_columns_first(all, nattrs);
	class_counter_keep(finder, all, nattrs);
	class_counter_count(finder, population->tuples, NULL);
	for (uint32 i = 0; i < n; i++)
	{
		const uint64 *codes = shown.tuples->keys + (Size) i * shown.population->nwords;
		uint64	   *item = key_counter_candidate(items);
		uint32		tuple;

		CHECK_FOR_INTERRUPTS();
		memset(key, 0, sizeof(uint64) * population->nwords);
		for (int a = 0; a < nattrs; a++)
			key_put(key, &population->attrs[a].field, key_get(codes, &attrs[a].field));
		tuple = class_counter_shown(finder, key);
		if (tuple == NO_CLASS)
			ereport(ERROR,
					(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
					 errmsg("the source of release %s changed while it was read", release->sql_name)));
		item_of[i] = NO_CLASS;
		hidden[i] = classes->class_of[tuple] >= classes->n;
		any_hidden = any_hidden || hidden[i];
		if (hidden[i])
			continue;
		item[0] = classes->class_of[tuple];
		for (int v = 0; v < nvalues; v++)
			item[v + 1] = attrs[nattrs + v].hierarchy->levels[levels[v]].label_of[key_get(codes, &attrs[nattrs + v].field)];
		item_of[i] = key_counter_add(items, 0);
	}
	for (uint32 i = 0; i < n; i++)
		item_of[i] = Min(item_of[i], items->nkeys);
	table = tuple_table_group(shown.population, shown.tuples, item_of, items->nkeys + any_hidden, CurrentMemoryContext);
	table->ntuples = items->nkeys;
	shown.hidden = hidden;
	shown.candidates = candidates_create(shown.population, table);
	for (uint32 i = 0; i < items->nkeys; i++)
	{
		const uint64 *item = items->keys + (Size) i * (nvalues + 1);

		CHECK_FOR_INTERRUPTS();
		for (int a = 0; a < nattrs; a++)
			for (uint32 leaf = 0; leaf < attrs[a].hierarchy->nleaves; leaf++)
				if (candidate_fitting(by_labels, a, leaf, (uint32) item[0]))
					candidate_fits(shown.candidates, a, leaf, i);
		for (int v = 0; v < nvalues; v++)
		{
			const Recoding *level = &attrs[nattrs + v].hierarchy->levels[levels[v]];

			for (uint32 leaf = 0; leaf < level->leaves[item[v + 1]]; leaf++)
				candidate_fits(shown.candidates, nattrs + v, level->first_leaf[item[v + 1]] + leaf, i);
		}
	}
	return shown;
}

/* ---------------------------------------------------------- linkage with a register */

/* Counts the people of a register whom the labels of each class cover, by the columns of a set. */
static int64 *
count_covered(const ShownPeople *shown, const int *set, int size, const Outsiders *people)
{
	Candidates *candidates = shown->candidates;
	int64	   *counts = budget_alloc_zero(sizeof(int64), (Size) candidates->items->ntuples + 1);
	uint32		codes[MAX_ATTRIBUTES];

	for (uint32 i = 0; i < people->ntuples; i++)
	{
		const uint64 *key = people->keys + (Size) i * shown->population->nwords;

		CHECK_FOR_INTERRUPTS();
		for (int j = 0; j < size; j++)
		{
			const Attribute *attr = &shown->population->attrs[set[j]];
			bool		unknown = people->unknown != NULL && (people->unknown[i] >> j & 1) != 0;

			codes[j] = unknown ? attr->hierarchy->nleaves : key_get(key, &attr->field);
		}
		find_candidates(candidates, set, size, codes);
		for (uint32 j = 0; j < candidates->nfound; j++)
			counts[candidates->found[j]] += people->counts[i];
	}
	return counts;
}

/* Adds the links of classes, those with the same labels of a set together where none overlap. */
static void
add_class_links(AttackFigures *figures, const Classes *classes, const int *set, int size, const int64 *others, bool overlap)
{
	KeyCounter *groups = key_counter_create(CurrentMemoryContext, size + 1, 1024);
	int64	   *others_of = budget_alloc(sizeof(int64), (Size) classes->n + 1);

	for (uint32 class = 0; class < classes->n; class++)
	{
		uint64	   *key = key_counter_candidate(groups);

		key[0] = overlap ? class : 0;
		for (int j = 0; j < size; j++)
			key[j + 1] = overlap ? 0 : classes->first_leaf[class_at(classes, class, set[j])];
		others_of[key_counter_add(groups, classes->table->counts[class])] = others[class];
	}
	for (uint32 group = 0; group < groups->nkeys; group++)
		attack_add_links(figures, groups->counts[group], others_of[group], 1, !overlap);
}

void
refuse_register(Oid relation)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("relation %s has none of the known columns", relation_sql_name(relation)),
			 errhint("A register must have some of the quasi-identifiers, under the same names.")));
}

/* Links a release's classes with those of a register, by the columns that both have or, of these, the known ones. */
static AttackFigures *
link_register(const Release *release, Oid relation, char *const *known, int nknown)
{
	AttackFigures *link = palloc0(sizeof(AttackFigures));
	Dataset    *dataset = memcpy(palloc(sizeof(Dataset)), release->dataset, sizeof(Dataset));
	bool		overlap = labels_overlap(release);

	/* codes have the places of the whole population */
	Population	common = *release->population;
	Classes    *counted;
	ShownPeople shown = release_shown_people(release, true, &counted);
	Outsiders  *people;
	int64		others = 0;

	link->names = palloc(sizeof(char *) * MAX_ATTRIBUTES);
	link->target = get_rel_name(relation);
	common.attrs = palloc(sizeof(Attribute) * MAX_ATTRIBUTES);
	dataset->attributes = palloc(sizeof(Declared) * MAX_ATTRIBUTES);
	for (int a = 0; a < release->population->nattrs; a++)
	{
		const Declared *declared = declared_attribute(release->dataset, a);

		if (!OidIsValid(column_type(relation, declared->column)) ||
			(nknown >= 0 && !is_named(known, nknown, declared->column)))
			continue;
		require_comparable(release->dataset->relation, relation, declared->column);
		link->known[link->nknown] = a;
		dataset->attributes[link->nknown] = *declared;
		common.attrs[link->nknown] = release->population->attrs[a];
		link->names[link->nknown++] = declared->column;
	}
	common.nattrs = dataset->nattributes = link->nknown;
	if (link->nknown == 0)
		refuse_register(relation);
	people = read_outsiders(dataset, relation, &common, true);
	for (uint32 i = 0; i < people->ntuples; i++)
		others += people->counts[i];
	add_class_links(link, counted, link->known, link->nknown,
					count_covered(&shown, link->known, link->nknown, people), overlap);
	attack_end_links(link, others, !overlap);
	return link;
}

/* ------------------------------------------------------------------ refinement */

/* What the exact classes of a recoding tell of the others, as a link with nothing. */
static AttackFigures *
link_refinement(const Release *release, const Classes *counted)
{
	int			nattrs = release->population->nattrs;
	AttackFigures *link = palloc0(sizeof(AttackFigures));
	Refined    *refined = palloc0(sizeof(Refined) * (nattrs + 1));
	const Refined *all = &refined[nattrs];

	refine_classes(counted, refined);
	link->attack = ATTACK_REFINEMENT;
	link->people = (double) all->people_wide;
	link->certain = (double) all->people_certain;
	link->names = palloc(sizeof(char *) * (nattrs + 1));
	for (int a = 0; a < nattrs; a++)
		link->names[link->nknown++] = declared_attribute(release->dataset, a)->column;
	if (all->people_wide == 0)
		return link;
	link->highest = 1.0 / all->least_possible;
	link->expected = 1 / all->leaves_left;
	link->baseline = 1 / all->leaves_shown;
	return link;
}

/* --------------------------------------------------------------------- together */

/* The people of a release that has been read, and further attacks on it. */
static ShownPeople
attack_source(const Release *release, char *const *known, int nknown, List **links)
{
	Classes    *counted;
	ShownPeople shown = release_shown_people(release, false, &counted);
	int		   *levels = palloc(sizeof(int) * (Max(nknown, 0) + 1));
	Dataset    *declared = declare_known(release->dataset, known, nknown, levels);

	if (links != NULL && nknown < 0 && release->by.kind == BY_RECODING && !release->permuted)
		*links = lappend(*links, link_refinement(release, counted));
	return dataset_count_role(declared, ROLE_QUASI_IDENTIFIER) == release->population->nattrs ? shown :
		know_values(release, declared, levels);
}

ShownPeople
release_read_attacked(const ReleaseEntry *entry, char *const *known, int nknown, Oid people, List **links)
{
	bool		overlaps = entry->star || entry->nforms > 0 || entry->permuted || entry->has_people_k ||
	(entry->by.kind != BY_LEVELS && entry->by.kind != BY_CUTS);
	ShownPeople shown = {0};
	Release    *release;

	require_release_owner(entry->relation);
	require_trusted_relation(entry->relation);
	if (links != NULL && !OidIsValid(people) && nknown < 0)
		*links = release_attack_links(entry, MOST_PAIRS);
	if (!overlaps || entry->is_private)
		shown = shown_as_read(population_read(declare_shown(entry, known, nknown)));
	if (entry->is_private && OidIsValid(people))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a release that shows a sample cannot be linked with a register"),
				 errdetail("It is not drawn again.")));
	if (entry->is_private || (!overlaps && !OidIsValid(people)))
		return shown;
	release = read_source(entry);
	if (release->population != NULL && (release->classes->out != NULL || entry->is_held_back))
	{
		ereport(NOTICE,
				(errmsg("people of release %s are counted as rows", release->sql_name),
				 release->classes->out != NULL ? errdetail("Its rows do not tell which people are left out.") :
				 errdetail("Some of its rows are held back, and are not those of its source.")));
		shown = shown_as_read(population_read(declare_shown(entry, known, nknown)));
	}
	else if (release->population != NULL)
	{
		if (overlaps)
			shown = attack_source(release, known, nknown, links);
		if (OidIsValid(people))
			*links = lappend(*links, link_register(release, people, known, nknown));
	}
	release_close(release);
	return shown;
}
