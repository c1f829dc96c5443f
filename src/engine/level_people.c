/*
 * level_people.c
 *	  Counts the people of a table's classes at every level of one attribute.
 *
 * The last attribute of a walk changes fastest, and its tables are only
 * measured, which needs the number of people in a class but not who they are.
 * So no class's persons are listed there.  The classes of a level are runs of
 * the lowest level's classes, and runs of a level lie within those of the
 * next.  A single pass over the lowest level's persons, which remembers where
 * each was last seen, counts all levels: a person is new to the runs that
 * began after that, which are those of the levels below some level.
 */
#include "engine/node_classes.h"

#include "base/budget.h"

struct LevelPeople
{
	const Population *population;
	MemoryContext context;
	bool		counted;
	int			first;			/* of the counted levels */
	Size		room;			/* tuples that each array has room for */
	uint8	   *begun;			/* by tuple: number of counted levels whose
								 * run begins here */
	uint32	   *people[PERSON_LEVELS];	/* by level and class */
};

LevelPeople *
level_people_create(const Population *population, uint32 most_tuples, MemoryContext context)
{
	LevelPeople *people = MemoryContextAllocZero(context, sizeof(LevelPeople));

	people->population = population;
	people->context = context;
	people->room = Max(most_tuples, 1);
	budget_require(population->context, people->room);
	people->begun = MemoryContextAllocHuge(context, people->room);
	return people;
}

void
level_people_forget(LevelPeople *people)
{
	people->counted = false;
}

/* A code's labels at the counted levels. */
typedef struct CodeLabels
{
	uint32		at[PERSON_LEVELS];
} CodeLabels;

/*
 * Computes, for each tuple, how many levels' runs begin there.  Labels of
 * neighbours differ from the lowest level up to some level, so it is enough to
 * count the levels at which they differ.
 */
static void
find_runs(LevelPeople *people, const TupleTable *table, const Attribute *attr, int nlevels)
{
	int			nwords = people->population->nwords;
	KeyField	field = attr->field;
	const Recoding *lowest = &attr->hierarchy->levels[attr->min_level];
	Size		size = sizeof(CodeLabels) * ((Size) lowest->nlabels + 1);
	CodeLabels *labels;
	const uint64 *key = table->keys;

	budget_require(people->population->context, size);
	labels = MemoryContextAllocExtended(people->context, size, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint32 code = 0; code < lowest->nlabels; code++)
		for (int i = 0; i < nlevels; i++)
			labels[code].at[i] = attr->hierarchy->levels[people->first + i].label_of[lowest->first_leaf[code]];
	if (table->ntuples > 0)
		people->begun[0] = nlevels;
	for (uint32 i = 1; i < table->ntuples; i++)
	{
		const CodeLabels *before = &labels[key_get(key, &field)];
		bool		same = keys_agree_outside(key, key + nwords, nwords, field.word) &&
		key_without(key, &field) == key_without(key + nwords, &field);
		const CodeLabels *here = &labels[key_get(key += nwords, &field)];
		uint32		begun = 0;

		for (int level = 0; level < PERSON_LEVELS; level++)
			begun += here->at[level] != before->at[level];
		people->begun[i] = same ? begun : nlevels;
	}
	pfree(labels);
}

uint32 *
level_people_of(LevelPeople *people, const TupleTable *table, int attr, int level)
{
	const Population *population = people->population;
	const Attribute *attribute = &population->attrs[attr];
	int			first = level - (level - attribute->min_level) % PERSON_LEVELS;

	if (!people->counted || people->first != first)
	{
		int			nlevels = Min(attribute->max_level - first + 1, PERSON_LEVELS);

		people->counted = false;
		for (int i = 0; i < nlevels; i++)
			if (people->people[i] == NULL)
			{
				budget_require(population->context, sizeof(uint32) * people->room);
				people->people[i] = MemoryContextAllocHuge(people->context, sizeof(uint32) * people->room);
			}
		people->first = first;
		find_runs(people, table, attribute, nlevels);
		persons_count_runs(population_persons(population), table->slices[population->ncolumns - 1], table->ntuples,
						   people->begun, nlevels, people->people);
		people->counted = true;
	}
	return people->people[level - first];
}
