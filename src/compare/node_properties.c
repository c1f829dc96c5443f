/*
 * node_properties.c
 *	  Property vectors of a node, by class.
 *
 * Suppressed people form one class: they look the same and have lost
 * everything.
 *
 * The size of a class counts different people.  If a person has several rows,
 * each row has the property, and values are counted by rows.
 */
#include "compare/node_properties.h"

#include "base/names.h"
#include "engine/persons.h"

static const char *const names[PROPERTIES] = {
	[PROPERTY_CLASS_SIZE] = "class_size",
	[PROPERTY_SENSITIVE_COUNT] = "sensitive_count",
	[PROPERTY_OTHERS_COUNT] = "others_count",
	[PROPERTY_LOSS] = "loss",
	[PROPERTY_UTILITY] = "utility",
	[PROPERTY_WEIGHTED_LOSS] = "weighted_loss",
	[PROPERTY_WEIGHTED_UTILITY] = "weighted_utility"
};

int
property_by_name(const char *name)
{
	return find_name(name, names, PROPERTIES);
}

const char *
property_name(Property property)
{
	return names[property];
}

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

/* The loss of a class, given the loss per person for each attribute. */
static void
set_loss(NodeProperties *p, uint32 class, const uint32 *lost)
{
	const Population *population = p->population;
	double		weights = 0;

	p->loss[class] = p->weighted[class] = 0;
	for (int a = 0; a < population->nattrs; a++)
		weights += population->attrs[a].weight;
	for (int a = 0; a < population->nattrs; a++)
	{
		double		loss = attribute_loss(&population->attrs[a], lost[a]);

		p->loss[class] += loss;
		p->weighted[class] += population->attrs[a].weight / weights * loss;
	}
}

static void
set_loss_of_key(NodeProperties *p, uint32 class, Recodings node, const uint64 *key)
{
	uint32		lost[MAX_ATTRIBUTES];

	for (int a = 0; a < p->population->nattrs; a++)
	{
		const Attribute *attr = &p->population->attrs[a];

		lost[a] = label_lost(attr->hierarchy, node[a], key_get(key, &attr->field));
	}
	set_loss(p, class, lost);
}

/* The same for a run of leaves for each attribute. */
static void
set_loss_of_runs(NodeProperties *p, uint32 class, const uint32 *first_leaf, const uint32 *leaves)
{
	uint32		lost[MAX_ATTRIBUTES];

	for (int a = 0; a < p->population->nattrs; a++)
		lost[a] = leaves_lost(p->population->attrs[a].hierarchy, first_leaf[a], leaves[a]);
	set_loss(p, class, lost);
}

/* The histograms that suppressed classes have of a column. */
static uint32 *
suppressed_slices(const NodeProperties *p, int column, uint32 *nslices)
{
	const TupleTable *classes = p->classes;
	uint32	   *slices = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) classes->ntuples + 1));

	*nslices = 0;
	for (uint32 i = 0; i < classes->ntuples; i++)
		if (p->suppressed[i])
			slices[(*nslices)++] = classes->slices[column][i];
	return slices;
}

/* The sensitive values of all suppressed people, as one histogram. */
static uint32
join_suppressed(const NodeProperties *p)
{
	uint32		nslices;
	uint32	   *slices = suppressed_slices(p, 0, &nslices);

	return nslices == 0 ? 0 : histograms_merge(p->population->columns[0], slices, nslices);
}

/* The number of different people suppressed. */
static int64
count_suppressed_people(const NodeProperties *p)
{
	const Population *population = p->population;
	uint32		nslices;
	uint32	   *slices;

	if (!population->has_persons)
		return p->nsuppressed;
	slices = suppressed_slices(p, population->ncolumns - 1, &nslices);
	return persons_together(population_persons(population), slices, nslices, PG_INT64_MAX);
}

/* Properties of classes, except for their losses. */
static NodeProperties *
properties_create(const Population *population, const TupleTable *classes)
{
	NodeProperties *p = palloc0(sizeof(NodeProperties));
	Size		n = classes->ntuples;

	p->population = population;
	p->classes = classes;
	p->suppressed = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(bool) * (n + 1));
	p->loss = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(double) * (n + 1));
	p->weighted = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(double) * (n + 1));
	return p;
}

/* Suppresses the classes below a size; the last one may be suppressed already. */
static void
suppress_below(NodeProperties *p, int64 threshold, bool last_anyhow)
{
	uint32		n = p->classes->ntuples;

	for (uint32 i = 0; i < n; i++)
	{
		p->suppressed[i] = class_people(p->population, p->classes, i) < threshold || (last_anyhow && i == n - 1);
		p->nsuppressed += p->suppressed[i] ? p->classes->counts[i] : 0;
	}
	p->suppressed_people = count_suppressed_people(p);
	if (p->population->nsensitive > 0)
		p->suppressed_slice = join_suppressed(p);
}

NodeProperties *
node_properties(const Population *population, Measurer *measurer, Recodings node, const TupleTable *classes)
{
	NodeProperties *p = properties_create(population, classes);

	for (uint32 i = 0; i < classes->ntuples; i++)
		set_loss_of_key(p, i, node, classes->keys + (Size) i * population->nwords);
	suppress_below(p, size_threshold(measurer, classes), false);
	return p;
}

NodeProperties *
class_properties(const Population *population, Measurer *measurer, uint32 *class_of, uint32 nclasses,
				 const uint32 *first_leaf, const uint32 *leaves)
{
	TupleTable	shown = {.ntuples = nclasses};
	const TupleTable *classes;
	NodeProperties *p;
	int64		suppressed = 0;

	for (uint32 i = 0; i < population->tuples->ntuples; i++)
		if (class_of[i] == NO_CLASS)
		{
			class_of[i] = nclasses;
			suppressed += population->tuples->counts[i];
		}
	classes = tuple_table_group(population, population->tuples, class_of, suppressed > 0 ? nclasses + 1 : nclasses,
								CurrentMemoryContext);
	p = properties_create(population, classes);
	for (uint32 class = 0; class < nclasses; class++)
		set_loss_of_runs(p, class, first_leaf + (Size) class * population->nattrs, leaves + (Size) class * population->nattrs);
	shown.counts = classes->counts;
	shown.slices = classes->slices;
	suppress_below(p, size_threshold_beside(measurer, &shown, suppressed), suppressed > 0);
	return p;
}

double
property_of(const NodeProperties *p, Property property, uint32 class, uint32 value)
{
	bool		suppressed = p->suppressed[class];
	int64		size = suppressed ? p->nsuppressed : p->classes->counts[class];
	double		loss = suppressed ? p->population->nattrs : p->loss[class];
	double		weighted = suppressed ? 1 : p->weighted[class];
	int64		own = 0;

	if (property_is_sensitive(property))
		own = histograms_count_of(p->population->columns[0],
								  suppressed ? p->suppressed_slice : p->classes->slices[0][class], value);
	switch (property)
	{
		case PROPERTY_CLASS_SIZE:
			return (double) (suppressed ? p->suppressed_people : class_people(p->population, p->classes, class));
		case PROPERTY_SENSITIVE_COUNT:
			return (double) own;
		case PROPERTY_OTHERS_COUNT:
			return (double) (size - own);
		case PROPERTY_LOSS:
			return loss;
		case PROPERTY_UTILITY:
			return p->population->nattrs - loss;
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
