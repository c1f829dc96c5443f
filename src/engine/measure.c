/*
 * measure.c
 *	  Computes the measures of a node from its classes.
 *
 * Losses without suppression follow from the recodings alone; a suppressed
 * class only changes the loss of its own people.  So a remaining class costs a
 * few additions, however many attributes there are.
 *
 * A class's size, on which k, necd and the threshold of suppression are based,
 * counts different people.  Everything else counts rows: losses, suppression,
 * values, and the sums of squares.  The two differ if a person has several
 * rows.
 *
 * Every float is computed from exact integers in a fixed order, so that a node
 * has the same measures whatever plan, worker or search computed them.
 */
#include "engine/measure.h"

#include <math.h>

#include "base/bytes.h"
#include "engine/classes.h"
#include "engine/known_columns.h"
#include "engine/known_rows.h"
#include "engine/refinement.h"

/* Class sizes up to this are counted in an array; larger ones are sorted. */
#define COUNTED_SIZES 4096

struct Measurer
{
	const Population *population;
	Promise		promise;
	int64		largest_counted;	/* largest size that is counted */
	int64	   *rows_of_size;
	int128	   *loss;			/* by attribute: sum of (leaves - 1) */
	uint32	   *remaining;		/* classes that are not suppressed */
	bool	   *hidden;			/* by class, if known columns are promised */
	const Classes *recoding;	/* that is measured, or NULL for a node */
	KnownRows  *known_rows;		/* if something is promised about several rows
								 * of a person, and */
	int64		left_out;		/* rows of people whom the last node left out
								 * for it */
	OutsideCounter *outside_counters[OTHERS_MODELS];	/* if something is
														 * promised */
	int64	   *outside[OTHERS_MODELS]; /* people outside, by class, of the
										 * classes visited last */
	bool	   *refined;		/* of these, whether too few tuples are
								 * possible; NULL if that is not promised */
};

Measurer *
measurer_create(const Population *population, const Promise *promise)
{
	Measurer   *m = palloc0(sizeof(Measurer));

	m->population = population;
	m->promise = *promise;
	m->largest_counted = Min(promise->limit, COUNTED_SIZES);
	m->rows_of_size = palloc(sizeof(int64) * (m->largest_counted + 1));
	m->loss = palloc(sizeof(int128) * population->nattrs);
	/* no node has more classes than tuples */
	m->remaining = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) population->tuples->ntuples + 1));
	if (population->rows != NULL)
		m->known_rows = known_rows_create(population, promise->k, promise->feasible_only ? promise->limit : PG_INT64_MAX);
	if (population->nknown > 0)
		m->hidden = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(bool) * ((Size) population->tuples->ntuples + 1));
	if (population->possible > 0)
		m->refined = MemoryContextAllocExtended(CurrentMemoryContext, (Size) population->tuples->ntuples + 1, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (int i = 0; i < OTHERS_MODELS; i++)
		if (population->outside[i].given)
		{
			m->outside_counters[i] = outside_counter_create(population, &population->outside[i].people, CurrentMemoryContext);
			/* empty until they are counted */
			m->outside[i] = MemoryContextAllocExtended(CurrentMemoryContext, sizeof(int64) * ((Size) population->tuples->ntuples + 1),
													   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
		}
	return m;
}

void
measurer_look_outside(Measurer *m, Recodings node, const TupleTable *classes)
{
	for (int i = 0; i < OTHERS_MODELS; i++)
		if (m->outside_counters[i] != NULL)
			outside_count_node(m->outside_counters[i], node, classes, m->outside[i]);
}

void
measurer_look_into_boxes(Measurer *m, const Classes *classes)
{
	for (int i = 0; i < OTHERS_MODELS; i++)
		if (m->outside_counters[i] != NULL)
			outside_count_boxes(m->outside_counters[i], classes, m->outside[i]);
	if (m->refined != NULL)
		refine_boxes(classes, m->refined);
}

/* The figure of a class for a model about people outside. */
static inline double
figure_of_others(const Measurer *m, int place, const TupleTable *classes, uint32 class)
{
	return models[m->population->outside[place].model]->of_others(class_people(m->population, classes, class), m->outside[place][class]);
}

/* The models that a class breaks because of the people outside; and those that no part of it can keep. */
static int
outside_breaks(const Measurer *m, const TupleTable *classes, uint32 class, int *for_good)
{
	int			breaks = 0;

	for (int i = 0; i < OTHERS_MODELS; i++)
	{
		const OutsidePromise *promise = &m->population->outside[i];
		double		figure;

		if (m->outside[i] == NULL)
			continue;
		figure = figure_of_others(m, i, classes, class);
		if (figure < promise->least || figure > promise->most)
			breaks |= MODEL_BIT(promise->model);
		if (figure < promise->least && models[promise->model]->stays_too_small)
			*for_good |= MODEL_BIT(promise->model);
	}
	return breaks;
}

/* The size of a class, and the number of people suppressed with it. */
typedef struct ClassSize
{
	int64		people;			/* first, for sorting */
	int64		rows;
} ClassSize;

/* Continues the search for the threshold among classes too large for the array. */
static int64
threshold_among_large(const Measurer *m, const TupleTable *classes, int64 people)
{
	ClassSize  *sizes = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(ClassSize) * ((Size) classes->ntuples + 1));
	uint32		nsizes = 0;
	int64		threshold;
	uint32		i;

	for (i = 0; i < classes->ntuples; i++)
	{
		ClassSize	size = {class_people(m->population, classes, i), classes->counts[i]};

		if (size.people > m->largest_counted)
			sizes[nsizes++] = size;
	}
	qsort(sizes, nsizes, sizeof(ClassSize), compare_int64s);
	for (i = 0; i < nsizes; i++)
	{
		people += sizes[i].rows;
		if (people > m->promise.limit)
			break;
	}
	threshold = sizes[Min(i, nsizes - 1)].people;
	pfree(sizes);
	return threshold;
}

/*
 * The smallest remaining class if nothing is promised: the smallest size s
 * such that classes of size s or less have more rows than the limit, or the
 * largest size if there is none.  No class has fewer rows than people.
 */
static pg_attribute_always_inline int64
threshold_of_people(Measurer *m, const TupleTable *classes, bool has_persons, int64 suppressed)
{
	int64		largest = 0;
	int64		smallest_uncounted = PG_INT64_MAX;
	int64		rows = suppressed;
	int64		largest_counted = m->largest_counted;

	memset(m->rows_of_size, 0, sizeof(int64) * (m->largest_counted + 1));
	for (uint32 i = 0; i < classes->ntuples; i++)
	{
		int64		size = has_persons ? class_people(m->population, classes, i) : classes->counts[i];

		largest = Max(largest, size);
		if (size <= largest_counted)
			m->rows_of_size[size] += classes->counts[i];
		else
			smallest_uncounted = Min(smallest_uncounted, size);
	}
	for (int64 size = 1; size <= m->largest_counted; size++)
	{
		rows += m->rows_of_size[size];
		if (rows > m->promise.limit)
			return size;
	}
	if (smallest_uncounted == PG_INT64_MAX)
		return largest;
	if (rows + smallest_uncounted > m->promise.limit)
		return smallest_uncounted;
	return threshold_among_large(m, classes, rows);
}

bool
promise_given(const Promise *promise, const Population *population)
{
	return promise->k > 0 || population->has_conditions || population->nlimits > 0 || population_asks_outside(population) ||
		population->nknown > 0 || population->possible > 0;
}

int
class_breaks(const Measurer *m, const TupleTable *classes, uint32 class, int64 threshold)
{
	int			breaks = class_people(m->population, classes, class) < threshold ? MODEL_BIT(MODEL_K) : 0;
	int			for_good = 0;

	for (int column = 0; column < m->population->nsensitive; column++)
		breaks |= m->population->columns[column]->slices[classes->slices[column][class]].breaks;
	if (m->refined != NULL && m->refined[class])
		breaks |= MODEL_BIT(promise_of_boxes(m->population->possible).model);
	return breaks | outside_breaks(m, classes, class, &for_good);
}

void
find_hidden(const Measurer *m, const TupleTable *classes, int64 threshold, bool *hidden)
{
	for (uint32 i = 0; i < classes->ntuples; i++)
		hidden[i] = class_breaks(m, classes, i, threshold) != 0;
	if (m->population->nknown > 0)
		known_columns_hide(m->population, classes, hidden);
}

/* The models and histogram.c have the proof. */
static int64
doomed_of_class(const Measurer *m, const TupleTable *classes, uint32 class)
{
	int			for_good = 0;
	int64		by_values = 0;

	(void) outside_breaks(m, classes, class, &for_good);
	for (int column = 0; column < m->population->nsensitive; column++)
		by_values = Max(by_values, m->population->columns[column]->slices[classes->slices[column][class]].least_suppressed);
	return class_people(m->population, classes, class) < m->promise.k || for_good != 0 ? classes->counts[class] : by_values;
}

/*
 * Classes of which nothing is shown below take others with them, as
 * known_columns.c proves; of those that neither takes, a part may be doomed.
 */
int64
people_doomed(const Measurer *m, const TupleTable *classes)
{
	bool	   *hidden = m->population->nknown > 0 ? m->hidden : NULL;
	int64		people = 0;

	if (m->known_rows != NULL)
		return m->left_out;
	for (uint32 i = 0; i < classes->ntuples && hidden != NULL; i++)
		hidden[i] = doomed_of_class(m, classes, i) == classes->counts[i];
	if (hidden != NULL)
		known_columns_hide(m->population, classes, hidden);
	for (uint32 i = 0; i < classes->ntuples; i++)
		people += hidden != NULL && hidden[i] ? classes->counts[i] : doomed_of_class(m, classes, i);
	return people;
}

int64
size_threshold(Measurer *m, const TupleTable *classes, int64 suppressed)
{
	if (m->promise.k > 0)
		return m->promise.k;
	if (promise_given(&m->promise, m->population))
		return 0;

	/* compiled separately for people with one row each */
	if (m->population->has_persons)
		return threshold_of_people(m, classes, true, suppressed);
	return threshold_of_people(m, classes, false, suppressed);
}

/*
 * Adds the loss of suppressed classes, which lose every leaf instead of those
 * under their labels.
 */
static void
add_suppressed_loss(Measurer *m, Recodings node, const TupleTable *classes, const uint32 *suppressed, uint32 n)
{
	const Population *population = m->population;

	for (int a = 0; a < population->nattrs; a++)
	{
		const Attribute *attr = &population->attrs[a];
		uint32		whole = whole_lost(attr->hierarchy);
		int128		loss = 0;

		for (uint32 i = 0; i < n; i++)
		{
			uint32		class = suppressed[i];
			uint32		lost = m->recoding != NULL ? class_lost(m->recoding, class, a) :
			label_lost(attr->hierarchy, node[a], key_get(classes->keys + (Size) class * population->nwords, &attr->field));

			loss += (int128) classes->counts[class] * (whole - lost);
		}
		m->loss[a] += loss;
	}
}

/* Sums up a node's classes. */
typedef struct Sums
{
	int64		smallest;
	int64		largest;
	int64		misclassified;
	int128		squares;
	int128		own;			/* counts of the own sensitive value */
	double		entropy;
} Sums;

/* Measures one sensitive column's values in the remaining classes. */
static void
measure_sensitive(const Measurer *m, const TupleTable *classes, int column, Sums *sums, Measures *result)
{
	const ClassHistogram *slices = m->population->columns[column]->slices;
	const uint32 *number = classes->slices[column];
	uint32		l = PG_UINT32_MAX;
	double		entropy = sums->entropy;
	double		distance = result->t;
	int128		own = 0;

	for (int64 i = 0; i < result->classes; i++)
	{
		const ClassHistogram *slice = &slices[number[m->remaining[i]]];

		l = Min(l, slice->length);
		entropy = Min(entropy, slice->entropy);
		distance = Max(distance, slice->distance);
		own += slice->squares;
	}
	result->l = Min(result->l, l);
	result->t = distance;
	sums->entropy = entropy;
	if (column == 0)
		sums->own = own;
}

/* Extends a model's figure to that of the class where it is worst. */
static inline void
extend_figure(Measures *result, PromiseModel model, double figure)
{
	result->figures[model] = models[model]->least_counts ? Min(result->figures[model], figure) : Max(result->figures[model], figure);
}

/*
 * Measures one sensitive column for the models promised or requested.  A column
 * counts for a model if it is promised for the column, or for none.
 */
static void
measure_models(const Measurer *m, const TupleTable *classes, int column, Measures *result)
{
	const Histograms *histograms = m->population->columns[column];
	const uint32 *number = classes->slices[column];
	uint32		asked = m->population->models & histograms->models;

	for (int model = 0; model < MODELS; model++)
	{
		int			kept = models[model]->kept;

		if ((asked & MODEL_BIT(model)) == 0 || !models[model]->is_measure || models[model]->scope != ABOUT_VALUES)
			continue;
		for (int64 i = 0; i < result->classes; i++)
		{
			uint32		class = m->remaining[i];
			const ClassHistogram *slice = &histograms->slices[number[class]];
			ClassValues values;

			if (kept > 0)
			{
				extend_figure(result, model, histograms->figures[number[class]][kept - 1]);
				continue;
			}
			values = class_values(histograms, slice, histograms->entries + slice->start, classes->counts[class]);
			extend_figure(result, model, model_figure(models[model], &values, NULL));
		}
	}
}

double
attribute_loss(const Attribute *attr, int128 lost)
{
	uint32		whole = whole_lost(attr->hierarchy);

	return whole > 0 ? (double) lost / whole : 0;
}

double
weighted_penalty(const Population *population, const int128 *leaves)
{
	double		weights = 0;
	double		penalty = 0;

	for (int a = 0; a < population->nattrs; a++)
		weights += population->attrs[a].weight;
	for (int a = 0; a < population->nattrs; a++)
		penalty += population->attrs[a].weight / weights * attribute_loss(&population->attrs[a], leaves[a]);
	return penalty / population->people;
}

/* Whether a node is known to suppress too many to be measured. */
static inline bool
is_hopeless(const Measurer *m, const Measures *result)
{
	return m->promise.feasible_only && result->suppressed > m->promise.limit;
}

/* Whether a class is hidden, once find_hidden has looked at all of them if known columns are promised. */
static inline bool
is_hidden(const Measurer *m, const TupleTable *classes, uint32 class, int64 threshold)
{
	if (m->promise.keeps_all)
		return false;
	return m->hidden != NULL ? m->hidden[class] : class_breaks(m, classes, class, threshold) != 0;
}

/*
 * Separates classes: remaining ones go to the front of an array, suppressed
 * ones to its end.  Compiled for people with several rows, and for promises
 * that are not about sizes alone.
 */
static pg_attribute_always_inline void
separate_suppressed(Measurer *m, const TupleTable *classes, bool has_persons, bool looks_closer, int64 threshold, Sums *sums, Measures *result)
{
	int64		smallest = sums->smallest;
	int64		largest = sums->largest;
	int128		squares = sums->squares;
	uint32		remaining = 0;
	uint32		suppressed = classes->ntuples;

	for (uint32 i = 0; i < classes->ntuples; i++)
	{
		int64		rows = classes->counts[i];
		int64		size = has_persons ? class_people(m->population, classes, i) : rows;

		if (looks_closer ? is_hidden(m, classes, i, threshold) : size < threshold)
		{
			result->suppressed += rows;
			if (is_hopeless(m, result))
				return;
			m->remaining[--suppressed] = i;
			continue;
		}
		m->remaining[remaining++] = i;
		smallest = Min(smallest, size);
		largest = Max(largest, size);
		squares += (int128) rows * rows;
	}
	result->classes = remaining;
	sums->smallest = smallest;
	sums->largest = largest;
	sums->squares = squares;
}

/* Separates a node's classes into remaining and suppressed ones, and sums up what remains. */
static void
measure_classes(Measurer *m, Recodings node, const TupleTable *classes, Sums *sums, Measures *result)
{
	const Population *population = m->population;
	int64		threshold = size_threshold(m, classes, result->suppressed);

	if (m->hidden != NULL && !m->promise.keeps_all)
		find_hidden(m, classes, threshold, m->hidden);
	if (population->has_conditions || population_asks_outside(population) || m->hidden != NULL || m->refined != NULL)
		separate_suppressed(m, classes, true, true, threshold, sums, result);
	else if (population->has_persons)
		separate_suppressed(m, classes, true, false, threshold, sums, result);
	else
		separate_suppressed(m, classes, false, false, threshold, sums, result);
	if (is_hopeless(m, result))
		return;
	add_suppressed_loss(m, node, classes, m->remaining + result->classes, classes->ntuples - (uint32) result->classes);
	for (int column = 0; column < population->nsensitive; column++)
	{
		measure_sensitive(m, classes, column, sums, result);
		measure_models(m, classes, column, result);
	}
	if (population->has_label)
	{
		const ClassHistogram *slices = population->columns[population->nsensitive]->slices;
		const uint32 *number = classes->slices[population->nsensitive];

		for (int64 i = 0; i < result->classes; i++)
			sums->misclassified += classes->counts[m->remaining[i]] - slices[number[m->remaining[i]]].most;
	}
	for (int place = 0; place < OTHERS_MODELS; place++)
		for (int64 i = 0; i < result->classes && m->outside[place] != NULL; i++)
			extend_figure(result, population->outside[place].model, figure_of_others(m, place, classes, m->remaining[i]));
	if (known_columns_of_k(population) > 0 && !m->promise.skips_known)
		result->k_known = known_columns_least(population, classes, m->promise.keeps_all ? NULL : m->hidden, known_columns_of_k(population));
}

double
figure_of_all(const Population *population, const Model *model, double c, const TupleTable *classes, int64 n, const uint32 *numbers)
{
	int64		people = 0;
	int64		counted = 0;

	for (int64 i = 0; i < n; i++)
	{
		int64		size = class_people(population, classes, numbers == NULL ? (uint32) i : numbers[i]);

		people += size;
		counted += model->of_all(size, c);
	}
	return n == 0 ? 0 : (double) counted / people;
}

/*
 * Merging makes classes fewer, and nobody's class smaller.  So without
 * suppression every node above one that keeps both promises keeps them, too.
 * With suppression this does not hold: two classes that are too small for k
 * may be shown once they are merged, and then are among the riskiest.  So
 * these promises give no bound.
 */
bool
keeps_limits(const Population *population, const TupleTable *classes, int64 n, const uint32 *numbers, const Model **broken)
{
	for (int i = 0; i < population->nlimits; i++)
	{
		const Condition *limit = &population->limits[i];

		*broken = models[limit->model];
		if (figure_of_all(population, *broken, limit->c, classes, n, numbers) > limit->threshold)
			return false;
	}
	return true;
}

/*
 * Measures how unlike the sizes of the remaining classes are, as people find
 * them: each counts with the size of the own class.  The Gini coefficient of P
 * sorted values is the sum of (2 * place - P - 1) * value over P times their
 * sum, which is an integer over another: a class of n after p people adds n *
 * n * (2 * p + n - P).  The logarithms are added in the order of sizes.
 */
static void
measure_spread(const Measurer *m, const TupleTable *classes, Measures *result)
{
	int64	   *sizes = population_alloc(m->population, sizeof(int64), (Size) result->classes);
	int64		people = 0;
	int64		before = 0;
	int64		below = 0;
	int128		squares = 0;
	int128		unlike = 0;

	for (int64 i = 0; i < result->classes; i++)
	{
		sizes[i] = class_people(m->population, classes, m->remaining[i]);
		people += sizes[i];
	}
	qsort(sizes, result->classes, sizeof(int64), compare_int64s);
	for (int64 i = 0; i < result->classes; before += sizes[i++])
	{
		int128		square = (int128) sizes[i] * sizes[i];

		squares += square;
		unlike += square * (2 * before + sizes[i] - people);
		below += sizes[i] < 2 * sizes[0] ? sizes[i] : 0;
		result->sum_ln_k += sizes[i] * log((double) sizes[i]);
	}
	if (people > 0)
	{
		result->gini = (double) unlike / ((double) squares * people);
		result->below_2k = (double) below / people;
	}
	pfree(sizes);
}

/* Measures classes, given their total loss and the number of people in no class. */
static void
measure_counted(Measurer *m, Recodings node, const TupleTable *classes, int64 suppressed, Measures *result)
{
	int64		people = m->population->people;
	int64		persons = m->population->persons;
	Sums		sums = {.smallest = PG_INT64_MAX,.entropy = HUGE_VAL};
	const Model *broken;

	memset(result, 0, sizeof(Measures));
	result->l = PG_INT64_MAX;
	for (int model = 0; model < MODELS; model++)
		result->figures[model] = models[model]->is_measure && models[model]->least_counts ? HUGE_VAL : 0;
	result->suppressed = suppressed;
	measure_classes(m, node, classes, &sums, result);
	/* divided and added in the order of declaration */
	for (int a = 0; a < m->population->nattrs; a++)
		result->glm += attribute_loss(&m->population->attrs[a], m->loss[a]);
	result->nwp = weighted_penalty(m->population, m->loss);

	result->k = sums.smallest;
	result->entropy_l = exp(sums.entropy);
	for (int model = 0; model < MODELS; model++)
		if ((m->population->models & MODEL_BIT(model)) != 0 && models[model]->is_measure && models[model]->scope == ABOUT_ALL)
			result->figures[model] = figure_of_all(m->population, models[model], 0, classes, result->classes, m->remaining);
	result->feasible = keeps_limits(m->population, classes, result->classes, m->remaining, &broken) &&
		result->suppressed <= m->promise.limit;
	result->sum_k = (double) sums.squares;
	result->sum_l = (double) sums.own;
	result->sum_other = (double) (sums.squares - sums.own);
	result->dcn = (double) (sums.squares + (int128) people * result->suppressed);
	result->cm = (double) (sums.misclassified + result->suppressed) / people;
	result->necd = persons > 1 ? (double) (sums.largest - sums.smallest) / (persons - 1) : 0;
	if (m->population->asks_spread)
		measure_spread(m, classes, result);
}

/* Adds the loss of people who are left out, whatever their classes. */
static void
add_left_out_loss(Measurer *m, Recodings node, const RowsLeft *left)
{
	const Population *population = m->population;
	const TupleTable *tuples = population->tuples;

	for (uint32 i = 0; i < tuples->ntuples; i++)
		for (int a = 0; a < population->nattrs && left->rows[i] < tuples->counts[i]; a++)
		{
			const Attribute *attr = &population->attrs[a];
			uint32		leaf = key_get(tuples->keys + (Size) i * population->nwords, &attr->field);
			uint32		lost = label_lost(attr->hierarchy, node[a], node[a]->label_of[leaf]);

			m->loss[a] += (int128) (tuples->counts[i] - left->rows[i]) * (whole_lost(attr->hierarchy) - lost);
		}
}

/* Measures a node without the people who are left out because their rows would single them out. */
static void
measure_left(Measurer *m, Recodings node, const TupleTable *classes, Measures *result)
{
	HistogramMark *marks = palloc(sizeof(HistogramMark) * (m->population->ncolumns + 1));
	const RowsLeft *left;

	population_mark(m->population, marks);
	left = known_rows_leave(m->known_rows, node, true);
	m->left_out = left->suppressed;
	add_left_out_loss(m, node, left);
	measure_counted(m, node, left->classes != NULL ? left->classes : classes, left->suppressed, result);
	population_release(m->population, marks);
	pfree(marks);
}

bool
leaves_out_too_many(Measurer *m, Recodings node)
{
	HistogramMark *marks;
	bool		too_many;

	if (m->known_rows == NULL)
		return false;
	marks = palloc(sizeof(HistogramMark) * (m->population->ncolumns + 1));
	population_mark(m->population, marks);
	too_many = known_rows_leave(m->known_rows, node, false)->suppressed > m->promise.limit;
	population_release(m->population, marks);
	pfree(marks);
	return too_many;
}

void
measure(Measurer *m, Recodings node, const TupleTable *classes, Measures *result)
{
	for (int a = 0; a < m->population->nattrs; a++)
		m->loss[a] = node[a]->loss;
	measurer_look_outside(m, node, classes);
	if (m->known_rows != NULL)
		measure_left(m, node, classes, result);
	else
		measure_counted(m, node, classes, 0, result);
}

void
measure_recoding(Measurer *m, const Classes *classes, Measures *result)
{
	for (int a = 0; a < m->population->nattrs; a++)
	{
		m->loss[a] = (int128) classes->suppressed * whole_lost(m->population->attrs[a].hierarchy);
		for (uint32 class = 0; class < classes->n; class++)
			m->loss[a] += (int128) classes->table->counts[class] * class_lost(classes, class, a);
	}
	m->recoding = classes;
	measure_counted(m, NULL, classes->table, classes->suppressed, result);
	m->recoding = NULL;
}

void
measure_alone(Measurer *m, Recodings node, Measures *result)
{
	const Population *population = m->population;
	MemoryContext context = AllocSetContextCreate(population->context, "anonopt node", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	HistogramMark *marks = palloc(sizeof(HistogramMark) * (population->ncolumns + 1));

	population_mark(population, marks);
	measure(m, node, population_classes(population, node, context), result);
	population_release(population, marks);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

void
attribute_losses(Measurer *m, Recodings node, const TupleTable *classes, double *losses)
{
	Measures	ignored;

	measure(m, node, classes, &ignored);
	for (int a = 0; a < m->population->nattrs; a++)
		losses[a] = attribute_loss(&m->population->attrs[a], m->loss[a]) / m->population->people;
}
