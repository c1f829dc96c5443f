/*
 * node_properties.c
 *	  What a node does to each person: property vectors, by class.
 *
 * The suppressed are one class of their own: they look the same, and have
 * lost all.
 */
#include "compare/node_properties.h"

#include "base/names.h"

static const char *const names[PROPERTIES] = {
	[PROPERTY_CLASS_SIZE] = "class_size",
	[PROPERTY_SENSITIVE_COUNT] = "sensitive_count",
	[PROPERTY_OTHERS_COUNT] = "others_count",
	[PROPERTY_LOSS] = "loss",
	[PROPERTY_UTILITY] = "utility"
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

static double
class_loss(const Population *population, Recodings node, const uint64 *key)
{
	double		loss = 0;

	for (int a = 0; a < population->nattrs; a++)
	{
		const Attribute *attr = &population->attrs[a];

		loss += attribute_loss(attr, node[a]->leaves[key_get(key, &attr->field)] - 1);
	}
	return loss;
}

/* The sensitive values of all who are suppressed, as one histogram. */
static uint32
join_suppressed(const NodeProperties *p)
{
	const TupleTable *classes = p->classes;
	uint32	   *slices = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) classes->ntuples + 1));
	uint32		nslices = 0;

	for (uint32 i = 0; i < classes->ntuples; i++)
		if (p->suppressed[i])
			slices[nslices++] = classes->slices[0][i];
	return nslices == 0 ? 0 : histograms_merge(p->population->columns[0], slices, nslices);
}

NodeProperties *
node_properties(const Population *population, Measurer *measurer, Recodings node, const TupleTable *classes)
{
	NodeProperties *p = palloc0(sizeof(NodeProperties));
	int64		threshold = size_threshold(measurer, classes);
	Size		n = classes->ntuples;

	p->population = population;
	p->classes = classes;
	p->suppressed = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(bool) * (n + 1));
	p->loss = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(double) * (n + 1));
	for (uint32 i = 0; i < n; i++)
	{
		p->suppressed[i] = classes->counts[i] < threshold;
		p->nsuppressed += p->suppressed[i] ? classes->counts[i] : 0;
		p->loss[i] = class_loss(population, node, classes->keys + (Size) i * population->nwords);
	}
	if (population->nsensitive > 0)
		p->suppressed_slice = join_suppressed(p);
	return p;
}

double
property_of(const NodeProperties *p, Property property, uint32 class, uint32 value)
{
	bool		suppressed = p->suppressed[class];
	int64		size = suppressed ? p->nsuppressed : p->classes->counts[class];
	double		loss = suppressed ? p->population->nattrs : p->loss[class];
	int64		own = 0;

	if (property_is_sensitive(property))
		own = histograms_count_of(p->population->columns[0],
								  suppressed ? p->suppressed_slice : p->classes->slices[0][class], value);
	switch (property)
	{
		case PROPERTY_CLASS_SIZE:
			return (double) size;
		case PROPERTY_SENSITIVE_COUNT:
			return (double) own;
		case PROPERTY_OTHERS_COUNT:
			return (double) (size - own);
		case PROPERTY_LOSS:
			return loss;
		case PROPERTY_UTILITY:
			return p->population->nattrs - loss;
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
			return (double) population->people;
		case PROPERTY_SENSITIVE_COUNT:
			return (double) population->columns[0]->total[value];
		case PROPERTY_OTHERS_COUNT:
			return (double) (population->people - population->columns[0]->total[value]);
		case PROPERTY_UTILITY:
			return population->nattrs;
		default:
			return 0;
	}
}
