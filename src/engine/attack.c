/*
 * attack.c
 *	  What somebody who knows some columns of people finds out by what is shown of
 *	  them.
 *
 * The attacker knows the values of a set S of columns of a person, whom the
 * rows are known to show.  The person's candidates are all people with a row
 * whose labels cover these values.  The person is one of them, and nothing else
 * that is shown tells which.  So everything is counted exactly; nothing is
 * sampled or estimated.
 *
 *	  singling out: of n candidates, a guess at the person's row is right with
 *	  a chance of 1/n.  Expected is the mean of that over all people.  Those with
 *	  one candidate are certain.
 *
 *	  inference: the best guess at a person's value of another column is the most
 *	  frequent one among the candidates; of several, each is guessed as often.
 *	  Expected is the share of people of whom it is right.  The baseline is that
 *	  share if the person's own row is taken away first, which leaves what the
 *	  rows tell of people like this one; if it was the only one, the guess is the
 *	  most frequent value of everybody else.
 *
 * Labels of a node or cuts do not overlap.  Then candidates have equal labels
 * of S, and are counted by class (known_columns.h).  Labels of recodings and
 * records overlap, and stars cover everything.  Then people are grouped by
 * their values of S.  For each column and leaf, a bit for each class says
 * whether it covers the leaf.  The candidates' classes have the bits of all
 * known columns.  From one group to the next, only the words from the first
 * column on that differs are combined again, and only those that are not 0.
 * Stars are candidates of everybody: their values, which may be many, are not
 * merged with each group's, but only those of them counted anew that it has.
 *
 * If people have several rows, each counts once among the candidates, and once
 * in each group in which they have a row.  Values are guessed row by row.
 */
#include "engine/attack.h"

#include "base/budget.h"
#include "engine/known_columns.h"
#include "miscadmin.h"

const char *const attack_names[ATTACKS] = {"singling_out", "linkage", "inference", "refinement"};

/* An attack by one set of columns after another. */
typedef struct Attack
{
	const ShownPeople *shown;
	int			column;			/* whose values are guessed, or -1 */
	double		effort;			/* what may be spent on candidates, */
	double		before;			/* what was before, and */
	bool		left_out;		/* whether it does not suffice */
	ValueCount *own;			/* the values of a group */
	struct Stars *stars;		/* the values of stars, or NULL */
	int64	   *everybody;		/* people by value, and */
	struct Guess *baseline;		/* the guess by nothing else */
	double		nsets;
	AttackFigures worst;
	AttackFigures sum;			/* over sets */
} Attack;

/* ----------------------------------------------------------- what is shown */

ShownPeople
shown_as_read(const Population *population)
{
	ShownPeople shown = {.population = population,.tuples = population->tuples};

	return shown;
}

/* Gives a node's classes keys of their labels. */
static void
add_label_keys(const Classes *classes, TupleTable *table)
{
	const Population *population = classes->population;

	table->keys = population_alloc(population, sizeof(uint64) * population->nwords, (Size) classes->n + 1);
	memset(table->keys, 0, sizeof(uint64) * population->nwords * classes->n);
	for (uint32 class = 0; class < classes->n; class++)
		for (int a = 0; a < population->nattrs; a++)
			key_put(table->keys + (Size) class * population->nwords, &population->attrs[a].field,
					classes->node[a]->label_of[classes->first_leaf[class_at(classes, class, a)]]);
}

Classes *
classes_counted(const Classes *classes)
{
	Classes    *copy = memcpy(palloc(sizeof(Classes)), classes, sizeof(Classes));

	/* its arrays have room for what is added */
	copy->table = NULL;
	if (classes->starred > 0)
		classes_add_starred(copy);
	classes_count(copy);
	return copy;
}

ShownPeople
shown_in_classes(const Classes *classes, bool overlaps)
{
	ShownPeople shown = {.population = classes->population,.tuples = overlaps ? classes->tuples : classes->table};
	bool	   *hidden;

	if (!overlaps)
	{
		add_label_keys(classes, classes->table);
		return shown;
	}
	hidden = population_alloc(classes->population, sizeof(bool), (Size) classes->tuples->ntuples + 1);
	for (uint32 i = 0; i < classes->tuples->ntuples; i++)
		hidden[i] = classes->class_of[i] >= classes->n;
	shown.hidden = hidden;
	shown.candidates = candidates_create(classes->population, classes->table);
	return shown;
}

/* -------------------------------------------------------------- candidates */

Candidates *
candidates_create(const Population *population, const TupleTable *items)
{
	Candidates *candidates = palloc0(sizeof(Candidates));

	candidates->population = population;
	candidates->items = items;
	candidates->nwords = items->ntuples / 64 + 1;
	candidates->everywhere = NO_CLASS;
	candidates->found = population_alloc(population, sizeof(uint32), (Size) items->ntuples + 1);
	candidates->slices = population_alloc(population, sizeof(uint32), (Size) items->ntuples + 1);
	for (int a = 0; a < population->nattrs; a++)
	{
		Size		n = ((Size) population->attrs[a].hierarchy->nleaves + 1) * candidates->nwords;

		candidates->bits[a] = population_alloc(population, sizeof(uint64), n);
		memset(candidates->bits[a], 0, sizeof(uint64) * n);
	}
	for (int depth = 0; depth <= population->nattrs; depth++)
	{
		candidates->at[depth] = population_alloc(population, sizeof(uint32), candidates->nwords);
		candidates->words[depth] = population_alloc(population, sizeof(uint64), candidates->nwords);
	}
	candidates->n[0] = candidates->nwords;
	for (uint32 i = 0; i < candidates->nwords; i++)
	{
		candidates->at[0][i] = i;
		candidates->words[0][i] = PG_UINT64_MAX;
	}
	candidates->words[0][candidates->nwords - 1] = (UINT64CONST(1) << items->ntuples % 64) - 1;
	return candidates;
}

/* Combines one more column of a person, whose code is known. */
static void
combine_column(Candidates *candidates, int a, uint32 code, int depth)
{
	const uint64 *bits = candidates->bits[a] + (Size) code * candidates->nwords;
	const uint32 *at = candidates->at[depth];
	const uint64 *words = candidates->words[depth];
	uint32	   *next_at = candidates->at[depth + 1];
	uint64	   *next = candidates->words[depth + 1];
	uint32		n = 0;

	for (uint32 i = 0; i < candidates->n[depth]; i++)
	{
		next[n] = words[i] & bits[at[i]];
		next_at[n] = at[i];
		n += next[n] != 0;
	}
	candidates->work += candidates->n[depth];
	candidates->n[depth + 1] = n;
	candidates->codes[depth] = code;
}

void
find_candidates(Candidates *candidates, const int *set, int size, const uint32 *codes)
{
	int			depth = 0;

	while (depth < candidates->depth && candidates->codes[depth] == codes[depth])
		depth++;
	for (; depth < size; depth++)
		combine_column(candidates, set[depth], codes[depth], depth);
	candidates->depth = depth;
	candidates->nfound = 0;
	for (uint32 i = 0; i < candidates->n[depth]; i++)
		for (uint64 word = candidates->words[depth][i]; word != 0; word &= word - 1)
			candidates->found[candidates->nfound++] = candidates->at[depth][i] * 64 + pg_rightmost_one_pos64(word);
	candidates->work += 20 + 2.0 * candidates->nfound;
}

/* Finds those that fit what is known of a group of people. */
static void
find_group(Candidates *candidates, const KnownClasses *known, uint32 group)
{
	const Population *population = candidates->population;
	const uint64 *key = known->keys + (Size) group * population->nwords;
	uint32		codes[MAX_ATTRIBUTES];

	for (int i = 0; i < known->size; i++)
		codes[i] = key_get(key, &population->attrs[known->set[i]].field);
	find_candidates(candidates, known->set, known->size, codes);
}

/* Collects the histograms of the items that were found. */
static uint32 *
candidate_slices(Candidates *candidates, int column)
{
	for (uint32 i = 0; i < candidates->nfound; i++)
		candidates->slices[i] = candidates->items->slices[column][candidates->found[i]];
	return candidates->slices;
}

static int64
candidate_people(Candidates *candidates)
{
	const Population *population = candidates->population;
	int64		people = 0;

	if (population->has_persons)
	{
		const Histograms *persons = population_persons(population);
		const uint32 *slices = candidate_slices(candidates, population->ncolumns - 1);

		for (uint32 i = 0; i < candidates->nfound; i++)
			candidates->work += 5.0 * persons_size(persons, slices[i]);
		return persons_together(population_persons(population), slices, candidates->nfound, PG_INT64_MAX);
	}
	for (uint32 i = 0; i < candidates->nfound; i++)
		people += candidates->items->counts[candidates->found[i]];
	return people;
}

/* ------------------------------------------------------------ sets of columns */

static bool
is_worse(const AttackFigures *a, const AttackFigures *b)
{
	if (a->certain != b->certain)
		return a->certain > b->certain;
	/* sums of the same fractions may be rounded differently */
	return a->highest != b->highest ? a->highest > b->highest : a->expected > b->expected + 1e-12;
}

/* Takes note of what a set achieves, given sums over people. */
static void
note_set(Attack *attack, AttackFigures *figures, const KnownClasses *known)
{
	figures->nknown = known->size;
	memcpy(figures->known, known->set, sizeof(int) * known->size);
	if (figures->people > 0)
	{
		figures->expected /= figures->people;
		figures->baseline /= figures->people;
	}
	if (attack->nsets == 0 || is_worse(figures, &attack->worst))
		attack->worst = *figures;
	attack->nsets++;
	attack->sum.people += figures->people;
	attack->sum.certain += figures->certain;
	attack->sum.highest += figures->highest;
	attack->sum.expected += figures->expected;
	if (attack->shown->candidates != NULL)
		attack->shown->candidates->depth = 0;
}

/* Whether another group may be attacked. */
static bool
may_go_on(Attack *attack)
{
	const Candidates *candidates = attack->shown->candidates;

	CHECK_FOR_INTERRUPTS();
	attack->left_out = attack->left_out || (candidates != NULL && candidates->work - attack->before > attack->effort);
	return !attack->left_out;
}

/* Attacks by one set, or by any so many columns if it is NULL; unless there are no candidates, within an effort. */
static void
attack_by(Attack *attack, const int *set, int size, VisitSet visit, double effort)
{
	const ShownPeople *shown = attack->shown;
	ColumnsKnown known = {.columns = size,.model = MODEL_L,.column = attack->column};

	attack->effort = effort;
	attack->before = shown->candidates != NULL ? shown->candidates->work : 0;
	if (set != NULL)
		known_columns_visit_set(shown->population, shown->tuples, shown->hidden, &known, set, size, visit, attack);
	else
		known_columns_visit(shown->population, shown->tuples, shown->hidden, &known, visit, attack);
}

/* -------------------------------------------------------------- singling out */

static void
single_out(void *arg, const KnownClasses *known)
{
	Attack	   *attack = arg;
	const ShownPeople *shown = attack->shown;
	AttackFigures figures = {.attack = ATTACK_SINGLING_OUT,.column = -1};

	for (uint32 i = 0; i < known->n && may_go_on(attack); i++)
	{
		double		people = known->figures[i];
		double		candidates = people;

		if (shown->candidates != NULL)
		{
			find_group(shown->candidates, known, i);
			candidates = (double) candidate_people(shown->candidates);
		}
		figures.people += people;
		figures.certain += candidates == 1 ? people : 0;
		figures.highest = Max(figures.highest, 1 / candidates);
		figures.expected += people / candidates;
	}
	note_set(attack, &figures, known);
}

/* The chance of somebody who knows nothing. */
static double
chance_by_nothing(const ShownPeople *shown)
{
	Attack		attack = {.shown = shown,.column = -1};
	const int	nothing[1] = {0};

	attack_by(&attack, nothing, 0, single_out, HUGE_VAL);
	return attack.worst.expected;
}

/* ------------------------------------------------------------------ inference */

/* The best guess by a histogram. */
typedef struct Guess
{
	int64		people;
	int64		most;			/* people with the most frequent value, */
	uint32		ties;			/* how many values they are, and */
	uint32		next;			/* how many have one person less */
} Guess;

/* Takes note of some values that so many people have, each. */
static void
add_to_guess(Guess *guess, int64 count, uint32 nvalues)
{
	if (count > guess->most)
	{
		guess->next = count == guess->most + 1 ? guess->ties : 0;
		guess->most = count;
		guess->ties = 0;
	}
	guess->people += count * nvalues;
	guess->ties += count == guess->most ? nvalues : 0;
	guess->next += count == guess->most - 1 ? nvalues : 0;
}

static Guess
guess_of(const ValueCount *entries, uint32 n)
{
	Guess		guess = {0};

	for (uint32 i = 0; i < n; i++)
		add_to_guess(&guess, entries[i].count, 1);
	return guess;
}

/* The chance that it is right of a person with a value that so many have. */
static double
right_guess(const Guess *guess, int64 count)
{
	return count == guess->most ? 1.0 / guess->ties : 0;
}

/* The same, made without that person, of whom at least one other is left. */
static double
right_without(const Guess *guess, int64 count)
{
	return count == guess->most && guess->ties == 1 ? 1.0 / (1 + guess->next) : 0;
}

/* The values of stars. */
typedef struct Stars
{
	int64		people;
	uint32		nvalues;
	int64	   *count_of;		/* people by value */
	uint32	   *level_of;		/* by value: the place of that among */
	uint32		nlevels;
	ValueCount *levels;			/* numbers of people, the largest first, with
								 * how many values have so many: these are the
								 * other way round */
} Stars;

static int
compare_larger_first(const void *a, const void *b)
{
	int64		x = ((const ValueCount *) a)->count;
	int64		y = ((const ValueCount *) b)->count;

	return x > y ? -1 : x < y;
}

static Stars *
stars_create(const Population *population, const Histograms *histograms, uint32 slice)
{
	Stars	   *stars = palloc0(sizeof(Stars));
	const ValueCount *entries = histograms->entries + histograms->slices[slice].start;

	stars->nvalues = histograms->slices[slice].length;
	stars->count_of = population_alloc(population, sizeof(int64), (Size) histograms->nvalues + 1);
	stars->level_of = population_alloc(population, sizeof(uint32), (Size) histograms->nvalues + 1);
	stars->levels = population_alloc(population, sizeof(ValueCount), (Size) stars->nvalues + 1);
	memset(stars->count_of, 0, sizeof(int64) * histograms->nvalues);
	memcpy(stars->levels, entries, sizeof(ValueCount) * stars->nvalues);
	qsort(stars->levels, stars->nvalues, sizeof(ValueCount), compare_larger_first);
	for (uint32 i = 0; i < stars->nvalues; i++)
	{
		uint32		value = stars->levels[i].value;
		int64		count = stars->levels[i].count;

		if (stars->nlevels == 0 || stars->levels[stars->nlevels - 1].count != count)
		{
			stars->levels[stars->nlevels].value = 0;
			stars->levels[stars->nlevels++].count = count;
		}
		stars->levels[stars->nlevels - 1].value++;
		stars->level_of[value] = stars->nlevels - 1;
		stars->count_of[value] = count;
		stars->people += count;
	}
	return stars;
}

/* The best guess by stars and a histogram, and the number of their values. */
static Guess
guess_beside(Stars *stars, const ValueCount *entries, uint32 n, uint32 *nvalues)
{
	Guess		guess = {0};

	*nvalues = stars->nvalues;
	for (uint32 i = 0; i < n; i++)
	{
		int64		starred = stars->count_of[entries[i].value];

		add_to_guess(&guess, entries[i].count + starred, 1);
		if (starred > 0)
			stars->levels[stars->level_of[entries[i].value]].value--;
		else
			(*nvalues)++;
	}
	for (uint32 i = 0; i < stars->nlevels && stars->levels[i].count >= guess.most - 1; i++)
		if (stars->levels[i].value > 0)
			add_to_guess(&guess, stars->levels[i].count, stars->levels[i].value);
	guess.people = stars->people;
	for (uint32 i = 0; i < n; i++)
	{
		guess.people += entries[i].count;
		if (stars->count_of[entries[i].value] > 0)
			stars->levels[stars->level_of[entries[i].value]].value++;
	}
	return guess;
}

/* Counts everybody's values, and guesses by them. */
static void
count_everybody(Attack *attack)
{
	const ShownPeople *shown = attack->shown;
	const Population *population = shown->population;
	const Histograms *histograms = population->columns[attack->column];
	uint32		n = 0;

	attack->everybody = population_alloc(population, sizeof(int64), (Size) histograms->nvalues + 1);
	attack->own = population_alloc(population, sizeof(ValueCount), (Size) histograms->nvalues + 1);
	memset(attack->everybody, 0, sizeof(int64) * histograms->nvalues);
	for (uint32 i = 0; i < shown->tuples->ntuples; i++)
	{
		const ClassHistogram *slice = &histograms->slices[shown->tuples->slices[attack->column][i]];

		CHECK_FOR_INTERRUPTS();
		for (Size entry = slice->start; entry < slice->start + slice->length; entry++)
			if (shown->hidden == NULL || !shown->hidden[i])
				attack->everybody[histograms->entries[entry].value] += histograms->entries[entry].count;
	}
	for (uint32 value = 0; value < histograms->nvalues; value++)
		if (attack->everybody[value] > 0)
		{
			attack->own[n].value = value;
			attack->own[n++].count = attack->everybody[value];
		}
	attack->baseline = palloc(sizeof(Guess));
	*attack->baseline = guess_of(attack->own, n);
	if (shown->candidates != NULL && shown->candidates->everywhere != NO_CLASS)
		attack->stars = stars_create(population, histograms,
									 shown->candidates->items->slices[attack->column][shown->candidates->everywhere]);
}

/* The merged histogram of some, until more are merged; sets its length. */
static const ValueCount *
values_of(Histograms *histograms, const uint32 *slices, uint32 n, uint32 *length)
{
	uint32		merged = histograms_merge(histograms, slices, n);

	*length = histograms->slices[merged].length;
	return histograms->entries + histograms->slices[merged].start;
}

/* The merged histogram of the candidates that were found, without stars. */
static const ValueCount *
candidate_values(const Attack *attack, uint32 *length)
{
	Candidates *candidates = attack->shown->candidates;
	Histograms *histograms = attack->shown->population->columns[attack->column];
	const uint32 *slices = candidate_slices(candidates, attack->column);
	uint32		n = candidates->nfound - (attack->stars != NULL);

	*length = 0;
	for (uint32 i = 0; i < n; i++)
		candidates->work += 10.0 * histograms->slices[slices[i]].length;
	return n > 0 ? values_of(histograms, slices, n, length) : NULL;
}

/* Adds the people of a group, given their values and those of their candidates. */
static void
add_guesses(const Attack *attack, const ValueCount *own, uint32 nown, const ValueCount *theirs, uint32 ntheirs, AttackFigures *figures)
{
	uint32		nvalues = ntheirs;
	Guess		guess = attack->stars != NULL ? guess_beside(attack->stars, theirs, ntheirs, &nvalues) : guess_of(theirs, ntheirs);
	uint32		at = 0;

	for (uint32 i = 0; i < nown; i++)
	{
		int64		count = attack->stars != NULL ? attack->stars->count_of[own[i].value] : 0;
		double		without;

		while (at < ntheirs && theirs[at].value < own[i].value)
			at++;
		if (at < ntheirs && theirs[at].value == own[i].value)
			count += theirs[at].count;
		if (count == 0)
			elog(ERROR, "labels do not cover their people");
		if (guess.people > 1)
			without = right_without(&guess, count);
		else
			without = attack->baseline->people > 1 ? right_without(attack->baseline, attack->everybody[own[i].value]) : 0;
		figures->people += own[i].count;
		figures->certain += nvalues == 1 ? own[i].count : 0;
		figures->highest = Max(figures->highest, (double) count / guess.people);
		figures->expected += own[i].count * right_guess(&guess, count);
		figures->baseline += own[i].count * without;
	}
}

static void
infer(void *arg, const KnownClasses *known)
{
	Attack	   *attack = arg;
	Candidates *candidates = attack->shown->candidates;
	Histograms *histograms = attack->shown->population->columns[attack->column];
	AttackFigures figures = {.attack = ATTACK_INFERENCE,.column = attack->column};

	for (uint32 i = 0; i < known->n && may_go_on(attack); i++)
	{
		HistogramMark mark = histograms_mark(histograms);
		uint32		nown;
		uint32		ntheirs;
		const ValueCount *theirs;

		theirs = values_of(histograms, known->slices + known->start[i], known->start[i + 1] - known->start[i], &nown);
		memcpy(attack->own, theirs, sizeof(ValueCount) * nown);
		ntheirs = nown;
		if (candidates != NULL)
		{
			find_group(candidates, known, i);
			theirs = candidate_values(attack, &ntheirs);
		}
		add_guesses(attack, attack->own, nown, theirs, ntheirs, &figures);
		histograms_release(histograms, mark);
	}
	note_set(attack, &figures, known);
}

/* -------------------------------------------------------------------- linkage */

void
attack_add_links(AttackFigures *figures, int64 people, int64 others, int64 groups, bool one_by_one)
{
	double		candidates = (double) (one_by_one ? Max(people, others) : others);

	figures->people += (double) people * groups;
	if (people == 0 || others == 0)
		return;
	figures->certain += candidates == 1 ? (double) people * groups : 0;
	figures->highest = Max(figures->highest, 1 / candidates);
	figures->expected += (one_by_one ? Min(people, others) : people) / candidates * groups;
}

void
attack_end_links(AttackFigures *figures, int64 others, bool one_by_one)
{
	AttackFigures by_nothing = {0};

	figures->attack = ATTACK_LINKAGE;
	figures->column = -1;
	if (figures->people == 0)
		return;
	attack_add_links(&by_nothing, (int64) figures->people, others, 1, one_by_one);
	figures->expected /= figures->people;
	figures->baseline = by_nothing.expected / figures->people;
}

/* ------------------------------------------------------------------- together */

/* Inference takes so many times as long as singling out. */
#define INFERENCE_EFFORT 8

double
attack_effort(const ShownPeople *shown, int columns)
{
	double		sets = known_columns_sets(shown->population->nattrs, columns);
	double		words = shown->candidates == NULL ? 0 : shown->candidates->nwords;

	return sets * (shown->tuples->ntuples + 1.0) * (20 + words / 8);
}

/* Adds figures, and what they are about. */
static void
add_figures(List **list, const Population *population, const AttackFigures *figures)
{
	AttackFigures *copy = memcpy(palloc(sizeof(AttackFigures)), figures, sizeof(AttackFigures));

	copy->names = palloc(sizeof(char *) * (figures->nknown + 1));
	for (int i = 0; i < figures->nknown; i++)
		copy->names[i] = unconstify(char *, population->attrs[figures->known[i]].name);
	if (figures->column >= 0)
		copy->target = population->columns[figures->column]->name;
	else if (figures->is_mean)
		copy->target = figures->nknown == 1 ? "any column" : psprintf("any %d columns", figures->nknown);
	*list = lappend(*list, copy);
}

/* The worst set of those attacked, and the mean of all. */
static void
add_worst_and_mean(List **list, const Attack *attack)
{
	AttackFigures figures = attack->worst;

	add_figures(list, attack->shown->population, &figures);
	figures.is_mean = true;
	figures.people = rint(attack->sum.people / attack->nsets);
	figures.certain = rint(attack->sum.certain / attack->nsets);
	figures.highest = attack->sum.highest / attack->nsets;
	figures.expected = attack->sum.expected / attack->nsets;
	add_figures(list, attack->shown->population, &figures);
}

/* Singles out by sets of columns; returns how many numbers of known columns are left out. */
static int
single_out_people(const ShownPeople *shown, const Knowledge *knowledge, double effort, List **list)
{
	int			nattrs = shown->population->nattrs;
	double		baseline = chance_by_nothing(shown);
	int			left_out = 0;

	for (int columns = 1; columns <= (knowledge->n >= 0 ? 1 : nattrs); columns++)
	{
		Attack		attack = {.shown = shown,.column = -1};

		if ((knowledge->columns > 0 && columns != knowledge->columns) ||
			(knowledge->most > 0 && columns > knowledge->most && columns < nattrs))
			continue;
		if (knowledge->n < 0 && attack_effort(shown, columns) > effort)
		{
			left_out++;
			continue;
		}
		if (knowledge->n < 0)
			effort -= attack_effort(shown, columns);
		if (knowledge->n >= 0)
			attack_by(&attack, knowledge->set, knowledge->n, single_out, HUGE_VAL);
		else
			attack_by(&attack, NULL, columns, single_out, effort);
		if (attack.left_out)
		{
			left_out++;
			continue;
		}
		attack.worst.baseline = baseline;
		if (knowledge->n >= 0)
			add_figures(list, shown->population, &attack.worst);
		else
			add_worst_and_mean(list, &attack);
	}
	return left_out;
}

/* Infers a column by nothing, and by what is known; returns false if that takes too long. */
static bool
infer_column(const ShownPeople *shown, int column, const Knowledge *knowledge, double effort, List **list)
{
	Attack		by_nothing = {.shown = shown,.column = column};
	Attack		attack;
	int			set[MAX_ATTRIBUTES];
	bool		any = knowledge->n < 0 && knowledge->columns > 0;

	known_columns_first(set, shown->population->nattrs);
	count_everybody(&by_nothing);
	attack = by_nothing;
	attack_by(&by_nothing, set, 0, infer, HUGE_VAL);
	add_figures(list, shown->population, &by_nothing.worst);
	if (any && attack_effort(shown, knowledge->columns) * INFERENCE_EFFORT > effort)
		return false;
	if (knowledge->n == 0)
		return true;
	if (any)
		attack_by(&attack, NULL, knowledge->columns, infer, effort);
	else if (knowledge->n > 0)
		attack_by(&attack, knowledge->set, knowledge->n, infer, HUGE_VAL);
	else
		attack_by(&attack, set, shown->population->nattrs, infer, effort);
	if (!attack.left_out)
		add_figures(list, shown->population, &attack.worst);
	return !attack.left_out;
}

List *
attack_people(const ShownPeople *shown, const Knowledge *knowledge, double effort, int *left_out)
{
	const Population *population = shown->population;
	List	   *list = NIL;

	*left_out = single_out_people(shown, knowledge, effort, &list);
	for (int column = 0; column < population->nsensitive; column++)
	{
		bool		is_no_target = shown->guessed != NULL && !shown->guessed[column];

		for (int i = 0; i < knowledge->n; i++)
			is_no_target = is_no_target || strcmp(population->attrs[knowledge->set[i]].name, population->columns[column]->name) == 0;
		if (!is_no_target && !infer_column(shown, column, knowledge, effort / population->nsensitive, &list))
			(*left_out)++;
	}
	return list;
}
