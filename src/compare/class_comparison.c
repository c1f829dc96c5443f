/*
 * class_comparison.c
 *	  Two generalizations compared person by person.
 *
 * People in the same class at the meet of the nodes, the coarsest node below
 * both, share a class in both.  So classes of the meet are compared, each
 * weighted by its people (and, for a property that depends on the sensitive
 * value, by its people with each value).
 */
#include "compare/comparison.h"

#include "miscadmin.h"

struct Comparer
{
	Population *population;
	Measurer   *measurer;
	ClassCache *cache;			/* of meets */
	MemoryContext context;		/* of one comparison */
};

Comparer *
comparer_create(Population *population, const Promise *promise)
{
	Comparer   *comparer = palloc(sizeof(Comparer));

	comparer->population = population;
	comparer->measurer = measurer_create(population, promise);
	comparer->cache = class_cache_create(population);
	comparer->context = AllocSetContextCreate(population->context, "anonopt comparison", ALLOCSET_DEFAULT_SIZES);
	return comparer;
}

/* Adds the people of a tuple who have a given sensitive value. */
static void
add_people(const Population *population, Property property, double a, double b, uint32 value, int wanted,
		   int64 people, Comparison *comparison)
{
	double		best = property_best(population, property, value);

	if (wanted & ~SUMS_SQUARES)
	{
		index_sums_add(&comparison->a_over_b, wanted & ~SUMS_SQUARES, a, b, people);
		index_sums_add(&comparison->b_over_a, wanted & ~SUMS_SQUARES, b, a, people);
	}
	if (wanted & SUMS_SQUARES)
	{
		index_sums_add(&comparison->a_to_best, SUMS_SQUARES, a, best, people);
		index_sums_add(&comparison->b_to_best, SUMS_SQUARES, b, best, people);
	}
}

static void
compare_tuple(const ClassProperties *a, const ClassProperties *b, uint32 tuple, Property property, int wanted, Comparison *comparison)
{
	const Population *population = a->classes->population;
	const TupleTable *tuples = a->classes->tuples;
	const Histograms *column;
	const ClassHistogram *slice;

	if (!property_is_sensitive(property))
	{
		add_people(population, property, property_of(a, property, tuple, 0), property_of(b, property, tuple, 0), 0, wanted,
				   tuples->counts[tuple], comparison);
		return;
	}
	column = population->columns[0];
	slice = &column->slices[tuples->slices[0][tuple]];
	for (Size i = slice->start; i < slice->start + slice->length; i++)
	{
		uint32		value = column->entries[i].value;

		add_people(population, property, property_of(a, property, tuple, value), property_of(b, property, tuple, value), value,
				   wanted, column->entries[i].count, comparison);
	}
}

void
compare_classes(const ClassProperties *a, const ClassProperties *b, int nproperties, const Property *properties,
				int wanted, Comparison *comparisons)
{
	memset(comparisons, 0, sizeof(Comparison) * nproperties);
	for (uint32 tuple = 0; tuple < a->classes->tuples->ntuples; tuple++)
	{
		if (tuple % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < nproperties; i++)
			compare_tuple(a, b, tuple, properties[i], wanted, &comparisons[i]);
	}
}

void
compare_nodes(Comparer *comparer, const int *a, const int *b, int nproperties, const Property *properties,
			  int wanted, Comparison *comparisons)
{
	const Population *population = comparer->population;
	MemoryContext old = MemoryContextSwitchTo(comparer->context);
	HistogramMark *marks = palloc(sizeof(HistogramMark) * (population->ncolumns + 1));
	int			levels[MAX_ATTRIBUTES];
	Recodings	meet_node;
	const TupleTable *meet;
	const int  *nodes[2] = {a, b};
	ClassProperties *sides[2];

	for (int i = 0; i < population->nattrs; i++)
		levels[i] = Min(a[i], b[i]);
	meet = class_cache_classes(comparer->cache, levels, &meet_node);
	population_mark(population, marks);
	for (int i = 0; i < 2; i++)
		sides[i] = class_properties(classes_of_node(population, meet, meet_node, node_of_levels(population, nodes[i])),
									comparer->measurer);
	compare_classes(sides[0], sides[1], nproperties, properties, wanted, comparisons);
	population_release(population, marks);
	MemoryContextSwitchTo(old);
	MemoryContextReset(comparer->context);
}

/* ------------------------------------------------------------ quality indices */

const char *const index_names[INDICES] = {
	[INDEX_RANK] = "p_rank",
	[INDEX_COV] = "p_cov",
	[INDEX_SPR] = "p_spr",
	[INDEX_HV] = "p_hv",
	[INDEX_LN_HV] = "ln_p_hv",
	[INDEX_BINARY] = "p_binary",
	[INDEX_DOMINANCE] = "dominance"
};

const int	index_sums[INDICES] = {
	[INDEX_RANK] = SUMS_SQUARES,
	[INDEX_COV] = SUMS_COUNTS,
	[INDEX_SPR] = SUMS_SPREAD,
	[INDEX_HV] = SUMS_VOLUME,
	[INDEX_LN_HV] = SUMS_VOLUME,
	[INDEX_BINARY] = SUMS_COUNTS,
	[INDEX_DOMINANCE] = SUMS_COUNTS
};

double
index_value(QualityIndex index, const IndexSums *sums, const IndexSums *to_best)
{
	switch (index)
	{
		case INDEX_RANK:
			return index_sums_rank(to_best);
		case INDEX_COV:
			return index_sums_cov(sums);
		case INDEX_SPR:
			return index_sums_spr(sums);
		case INDEX_HV:
			return index_sums_hv(sums);
		case INDEX_LN_HV:
			return index_sums_ln_hv(sums);
		case INDEX_BINARY:
			return (double) sums->above;
		case INDEX_DOMINANCE:
			return sums->below == 0 ? 1 : 0;
		default:
			elog(ERROR, "no such index");
			return 0;
	}
}

int
better_side(QualityIndex index, Property property, const Comparison *comparison)
{
	double		a = index_value(index, &comparison->a_over_b, &comparison->a_to_best);
	double		b = index_value(index, &comparison->b_over_a, &comparison->b_to_best);
	int			order = (a > b) - (a < b);

	if (index == INDEX_HV || index == INDEX_LN_HV)
		order = index_sums_hv_order(&comparison->a_over_b);
	return property_falls(property) || index == INDEX_RANK ? -order : order;
}
