/*
 * node_comparison.c
 *	  Two nodes compared person by person.
 *
 * People in the same class at the meet of the nodes, the coarsest node below
 * both, share a class in both.  So classes of the meet are compared, each
 * weighted by its people (and, for a property that depends on the sensitive
 * value, by its people with each value).
 */
#include "compare/comparison.h"

#include "engine/node_classes.h"
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

/* One of the nodes; class_of maps classes of the meet to its classes. */
static Side
look_from_meet(Comparer *comparer, const TupleTable *meet, Recodings meet_node, const int *levels)
{
	Side		side;
	uint32	   *class_of;
	const Recoding **node = node_of_levels(comparer->population, levels);
	TupleTable *classes = tuple_table_recode(comparer->population, meet, meet_node, node, comparer->context,
											 &class_of);

	side.class_of = class_of;
	side.properties = node_properties(comparer->population, comparer->measurer, node, classes);
	return side;
}

/* Adds the people of one class of the meet who have a given sensitive value. */
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
compare_class(const Population *population, const TupleTable *meet, uint32 class, const Side *a, const Side *b,
			  Property property, int wanted, Comparison *comparison)
{
	uint32		in_a = a->class_of[class];
	uint32		in_b = b->class_of[class];
	const Histograms *column;
	const Slice *slice;

	if (!property_is_sensitive(property))
	{
		add_people(population, property, property_of(a->properties, property, in_a, 0),
				   property_of(b->properties, property, in_b, 0), 0, wanted, meet->counts[class], comparison);
		return;
	}
	column = population->columns[0];
	slice = &column->slices[meet->slices[0][class]];
	for (Size i = slice->start; i < slice->start + slice->length; i++)
	{
		uint32		value = column->entries[i].value;

		add_people(population, property, property_of(a->properties, property, in_a, value),
				   property_of(b->properties, property, in_b, value), value, wanted, column->entries[i].count,
				   comparison);
	}
}

/* Compares the properties of the people in a table's tuples on two sides. */
static void
compare_tuples(const Population *population, const TupleTable *tuples, const Side *a, const Side *b, int nproperties,
			   const Property *properties, int wanted, Comparison *comparisons)
{
	memset(comparisons, 0, sizeof(Comparison) * nproperties);
	for (uint32 tuple = 0; tuple < tuples->ntuples; tuple++)
	{
		if (tuple % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < nproperties; i++)
			compare_class(population, tuples, tuple, a, b, properties[i], wanted, &comparisons[i]);
	}
}

void
compare_sides(const Population *population, const Side *a, const Side *b, int nproperties, const Property *properties,
			  int wanted, Comparison *comparisons)
{
	compare_tuples(population, population->tuples, a, b, nproperties, properties, wanted, comparisons);
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
	Side		side_a;
	Side		side_b;

	for (int i = 0; i < population->nattrs; i++)
		levels[i] = Min(a[i], b[i]);
	meet = class_cache_classes(comparer->cache, levels, &meet_node);
	population_mark(population, marks);
	side_a = look_from_meet(comparer, meet, meet_node, a);
	side_b = look_from_meet(comparer, meet, meet_node, b);
	compare_tuples(population, meet, &side_a, &side_b, nproperties, properties, wanted, comparisons);
	population_release(population, marks);
	MemoryContextSwitchTo(old);
	MemoryContextReset(comparer->context);
}
