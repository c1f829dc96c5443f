/*
 * class_properties.c
 *	  The properties that classes give the people in them.
 *
 * Suppressed people form one class: they look the same and have lost
 * everything.
 *
 * The size of a class counts different people.  If a person has several rows,
 * each row has the property, and values are counted by rows.
 */
#include "compare/comparison.h"

#include "base/budget.h"

const char *const property_names[PROPERTIES] = {
	[PROPERTY_CLASS_SIZE] = "class_size",
	[PROPERTY_SENSITIVE_COUNT] = "sensitive_count",
	[PROPERTY_OTHERS_COUNT] = "others_count",
	[PROPERTY_LOSS] = "loss",
	[PROPERTY_UTILITY] = "utility",
	[PROPERTY_WEIGHTED_LOSS] = "weighted_loss",
	[PROPERTY_WEIGHTED_UTILITY] = "weighted_utility"
};

bool
property_is_sensitive(Property property)
{
	return property == PROPERTY_SENSITIVE_COUNT || property == PROPERTY_OTHERS_COUNT;
}

bool
property_falls(Property property)
{
	return property == PROPERTY_LOSS || property == PROPERTY_WEIGHTED_LOSS;
}

ClassProperties *
class_properties(Classes *classes, Measurer *measurer)
{
	ClassProperties *p = palloc0(sizeof(ClassProperties));
	const Population *population = classes->population;
	uint32		n = classes->n;
	double		weights = 0;
	int64		threshold;
	uint32	   *slices;

	classes_count(classes);
	p->classes = classes;
	p->suppressed = budget_alloc(sizeof(bool), (Size) n + 1);
	p->loss = budget_alloc(sizeof(double), (Size) n + 1);
	p->weighted = budget_alloc(sizeof(double), (Size) n + 1);
	threshold = size_threshold(measurer, classes->table, classes->suppressed);
	for (int a = 0; a < population->nattrs; a++)
		weights += population->attrs[a].weight;
	for (uint32 class = 0; class < n; class++)
	{
		p->loss[class] = p->weighted[class] = 0;
		for (int a = 0; a < population->nattrs; a++)
		{
			double		loss = attribute_loss(&population->attrs[a], class_lost(classes, class, a));

			p->loss[class] += loss;
			p->weighted[class] += population->attrs[a].weight / weights * loss;
		}
		p->suppressed[class] = class_people(population, classes->table, class) < threshold;
		p->nsuppressed += p->suppressed[class] ? classes->table->counts[class] : 0;
	}
	p->suppressed[n] = classes->suppressed > 0;
	p->nsuppressed += classes->suppressed;
	/* they are one class */
	slices = budget_alloc(sizeof(uint32), (Size) n + 2);
	p->suppressed_people = p->nsuppressed;
	if (population->has_persons)
		p->suppressed_people = persons_together(population_persons(population), slices,
												classes_slices(classes, p->suppressed, population->ncolumns - 1, slices), PG_INT64_MAX);
	if (population->nsensitive > 0 && p->nsuppressed > 0)
		p->suppressed_slice = histograms_merge(population->columns[0], slices, classes_slices(classes, p->suppressed, 0, slices));
	return p;
}

double
property_of(const ClassProperties *p, Property property, uint32 tuple, uint32 value)
{
	const Population *population = p->classes->population;
	const TupleTable *table = p->classes->table;
	uint32		class = Min(p->classes->class_of[tuple], p->classes->n);
	bool		suppressed = p->suppressed[class];
	int64		size = suppressed ? p->nsuppressed : table->counts[class];
	double		loss = suppressed ? population->nattrs : p->loss[class];
	double		weighted = suppressed ? 1 : p->weighted[class];
	int64		own = 0;

	if (property_is_sensitive(property))
		own = histograms_count_of(population->columns[0], suppressed ? p->suppressed_slice : table->slices[0][class], value);
	switch (property)
	{
		case PROPERTY_CLASS_SIZE:
			return (double) (suppressed ? p->suppressed_people : class_people(population, table, class));
		case PROPERTY_SENSITIVE_COUNT:
			return (double) own;
		case PROPERTY_OTHERS_COUNT:
			return (double) (size - own);
		case PROPERTY_LOSS:
			return loss;
		case PROPERTY_UTILITY:
			return population->nattrs - loss;
		case PROPERTY_WEIGHTED_LOSS:
			return weighted;
		case PROPERTY_WEIGHTED_UTILITY:
			return 1 - weighted;
		default:
			elog(ERROR, "no such property");
			return 0;
	}
}

double
property_best(const Population *population, Property property, uint32 value)
{
	switch (property)
	{
		case PROPERTY_CLASS_SIZE:
			return (double) population->persons;
		case PROPERTY_SENSITIVE_COUNT:
			return (double) population->columns[0]->total[value];
		case PROPERTY_OTHERS_COUNT:
			return (double) (population->people - population->columns[0]->total[value]);
		case PROPERTY_UTILITY:
			return population->nattrs;
		case PROPERTY_WEIGHTED_UTILITY:
			return 1;
		default:
			return 0;
	}
}
