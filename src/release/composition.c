/*
 * composition.c
 *	  What several releases of one relation tell together.
 *
 * Two things.  A reader who knows a person's label in each of several
 * releases knows a smaller class than any of them shows: the combination of
 * the classes, of the people as they are now.  And a reader who has two
 * contents can generalize both until they are comparable and subtract one
 * from the other: what remains of a class are the people who came, left or
 * were corrected in between, or are left out of one of the two.
 */
#include "release/composition.h"

#include "base/budget.h"
#include "catalog/dataset_rights.h"
#include "catalog/sql.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "read/population_read.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/snapmgr.h"
#include "utils/varbit.h"

typedef enum CompositionMode
{
	COMPOSITION_OFF,
	COMPOSITION_WARN,
	COMPOSITION_REFUSE
} CompositionMode;

static const struct config_enum_entry composition_modes[] = {
	{"off", COMPOSITION_OFF, false},
	{"warn", COMPOSITION_WARN, false},
	{"refuse", COMPOSITION_REFUSE, false},
	{NULL, 0, false}
};

static int	composition_mode = COMPOSITION_WARN;

void
composition_define_settings(void)
{
	DefineCustomEnumVariable("anonopt.composition",
							 "Sets what happens where releases of one relation tell more together than they promise.",
							 "Publishing and refreshing warn, refuse, or do not look.",
							 &composition_mode, COMPOSITION_WARN, composition_modes, PGC_USERSET, 0, NULL, NULL, NULL);
}

/* ---------------------------------------------------------- labels and leaves */

bool
contents_are_alike(const KnownContent *a, const KnownContent *b)
{
	if (a->nattrs != b->nattrs || a->nlevels != b->nlevels || a->ncuts != b->ncuts)
		return false;
	if ((a->recoding == NULL) != (b->recoding == NULL) ||
		(a->recoding != NULL && (strcmp(a->recoding, b->recoding) != 0 || strcmp(a->labels, b->labels) != 0)))
		return false;
	for (int i = 0; i < a->nattrs; i++)
		if (strcmp(a->generalized[i], b->generalized[i]) != 0 || a->hierarchies[i] != b->hierarchies[i])
			return false;
	for (int i = 0; i < a->nlevels; i++)
		if (a->levels[i] != b->levels[i])
			return false;
	for (int i = 0; i < a->ncuts; i++)
		if (!DatumGetBool(DirectFunctionCall2(biteq, a->cuts[i], b->cuts[i])))
			return false;
	return true;
}

/* The recoding of a cut whose bits stand for the boundaries of some level; NULL where none has so many. */
static const Recoding *
recoding_of_bits(const Attribute *attr, Datum datum)
{
	VarBit	   *bits = DatumGetVarBitP(datum);
	int			length = VARBITLEN(bits);

	for (int level = 0; level <= attr->hierarchy->height; level++)
	{
		bool	   *keep;

		if (attr->hierarchy->levels[level].nlabels != length + 1)
			continue;
		keep = palloc(sizeof(bool) * (length + 1));
		for (int i = 0; i < length; i++)
			keep[i] = (VARBITS(bits)[i / BITS_PER_BYTE] >> (BITS_PER_BYTE - 1 - i % BITS_PER_BYTE)) & 1;
		return recoding_cut(attr->hierarchy, &attr->hierarchy->levels[level], keep);
	}
	return NULL;
}

void
content_place(PlacedContent *placed, const Dataset *dataset, const Population *population)
{
	const KnownContent *known = placed->known;

	placed->recodings = palloc0(sizeof(Recoding *) * (known->nattrs + 1));
	for (int i = 0; i < known->nattrs; i++)
	{
		int			attr = 0;

		placed->attr_of[i] = -1;
		for (int j = 0; j < dataset->nattributes; j++)
		{
			const Declared *declared = &dataset->attributes[j];

			if (declared->role != ROLE_QUASI_IDENTIFIER)
				continue;
			if (strcmp(declared->column, known->generalized[i]) == 0 && declared->hierarchy == known->hierarchies[i])
				placed->attr_of[i] = attr;
			attr++;
		}
		if (population == NULL || placed->attr_of[i] < 0)
			continue;
		if (known->nlevels > 0 && known->levels[i] >= 0 &&
			known->levels[i] <= population->attrs[placed->attr_of[i]].hierarchy->height)
			placed->recodings[i] = &population->attrs[placed->attr_of[i]].hierarchy->levels[known->levels[i]];
		else if (known->ncuts > 0)
			placed->recodings[i] = recoding_of_bits(&population->attrs[placed->attr_of[i]], known->cuts[i]);
	}
}

/* The labels by which a content shows an attribute, by code of its recoding. */
static const char *const *
labels_of_recoding(const PlacedContent *placed, const Population *population, int i)
{
	const Attribute *attr = &population->attrs[placed->attr_of[i]];

	if (placed->known->nlevels > 0)
		return attr->hierarchy->labels[placed->known->levels[i]];
	return (const char *const *) group_labels(attr, placed->recodings[i]);
}

static int
compare_texts(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return (a == NULL) - (b == NULL);
	return strcmp(a, b);
}

static int
compare_numbered(const void *a, const void *b, void *arg)
{
	const char *const *texts = arg;

	return compare_texts(texts[*(const uint32 *) a], texts[*(const uint32 *) b]);
}

/* Texts in their order, to be found among. */
typedef struct TextIndex
{
	uint32		n;
	const char *const *texts;
	uint32	   *order;
} TextIndex;

static TextIndex
index_texts(const char *const *texts, uint32 n)
{
	TextIndex	index = {n, texts, MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) n + 1))};

	for (uint32 i = 0; i < n; i++)
		index.order[i] = i;
	qsort_arg(index.order, n, sizeof(uint32), compare_numbered, (void *) texts);
	return index;
}

/* The number of a text, or PG_UINT32_MAX. */
static uint32
find_text(const TextIndex *index, const char *text)
{
	uint32		low = 0;
	uint32		high = index->n;

	while (low < high)
	{
		uint32		middle = low + (high - low) / 2;
		int			order = compare_texts(index->texts[index->order[middle]], text);

		if (order == 0)
			return index->order[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return PG_UINT32_MAX;
}

/* A content's labels of an attribute as codes of its recoding; NULL where one is not there any more. */
static uint32 *
codes_of_labels(const PlacedContent *placed, const Population *population, int i)
{
	const Content *content = placed->content;
	TextIndex	index = index_texts(labels_of_recoding(placed, population, i), placed->recodings[i]->nlabels);
	uint32	   *codes = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) content->nlabels[i] + 1));

	for (uint32 label = 0; label < content->nlabels[i]; label++)
	{
		codes[label] = find_text(&index, content->labels[i][label]);
		if (codes[label] == PG_UINT32_MAX)
			return NULL;
	}
	return codes;
}

bool
content_is_placed(const PlacedContent *placed)
{
	for (int i = 0; i < placed->known->nattrs; i++)
		if (placed->known->recoding != NULL ? placed->attr_of[i] < 0 : placed->recodings[i] == NULL)
			return false;
	return placed->known->recoding == NULL || (placed->content != NULL && placed->content->tuples != NULL);
}

/* ------------------------------------------------------------------ differences */

/* The runs of leaves that both recodings keep together, numbered by leaf: where either does, the meet does. */
static uint32 *
meet_of(const Recoding *a, const Recoding *b, uint32 nleaves)
{
	uint32	   *meet = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) nleaves + 1));

	meet[0] = 0;
	for (uint32 leaf = 1; leaf < nleaves; leaf++)
		meet[leaf] = meet[leaf - 1] +
			(a->label_of[leaf] != a->label_of[leaf - 1] && b->label_of[leaf] != b->label_of[leaf - 1]);
	return meet;
}

/* Sees labels that look alike as the same. */
static void
view_by_texts(const PlacedContent *a, const PlacedContent *b, int i, int j, ContentView *view_a, ContentView *view_b)
{
	TextIndex	index = index_texts(a->content->labels[i], a->content->nlabels[i]);
	uint32	   *shown_a = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) a->content->nlabels[i] + 1));
	uint32	   *shown_b = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) b->content->nlabels[j] + 1));

	/* of labels that look alike in one content the index finds one */
	for (uint32 label = 0; label < a->content->nlabels[i]; label++)
		shown_a[label] = find_text(&index, a->content->labels[i][label]);
	for (uint32 label = 0; label < b->content->nlabels[j]; label++)
	{
		uint32		found = find_text(&index, b->content->labels[j][label]);

		shown_b[label] = found != PG_UINT32_MAX ? found : a->content->nlabels[i] + label;
	}
	*view_a = (ContentView)
	{
		i, shown_a
	};
	*view_b = (ContentView)
	{
		j, shown_b
	};
}

/* Sees an attribute as coarsely as both can be; false where it cannot be seen so. */
static bool
view_at_meet(const PlacedContent *a, const PlacedContent *b, int i, int j, const Population *population,
			 ContentView *view_a, ContentView *view_b)
{
	uint32	   *codes[2];
	uint32	   *meet;

	if (population == NULL || a->recodings[i] == NULL || b->recodings[j] == NULL)
		return false;
	codes[0] = codes_of_labels(a, population, i);
	codes[1] = codes_of_labels(b, population, j);
	if (codes[0] == NULL || codes[1] == NULL)
		return false;
	meet = meet_of(a->recodings[i], b->recodings[j], population->attrs[a->attr_of[i]].hierarchy->nleaves);
	for (uint32 label = 0; label < a->content->nlabels[i]; label++)
		codes[0][label] = meet[a->recodings[i]->first_leaf[codes[0][label]]];
	for (uint32 label = 0; label < b->content->nlabels[j]; label++)
		codes[1][label] = meet[b->recodings[j]->first_leaf[codes[1][label]]];
	*view_a = (ContentView)
	{
		i, codes[0]
	};
	*view_b = (ContentView)
	{
		j, codes[1]
	};
	return true;
}

/* Whether a tuple that two contents of one recoding show has moved from a class to another. */
static bool
have_moved(const Content *a, const Content *b)
{
	KeyCounter *classes = key_counter_create(CurrentMemoryContext, 1, 1024);
	KeyCounter *pairs = key_counter_create(CurrentMemoryContext, 1, 1024);

	if (a->tuples == NULL || b->tuples == NULL)
		return false;
	for (uint32 i = 0; i < a->tuples->nkeys; i++)
	{
		uint32		before = (uint32) a->tuples->counts[i];
		uint32		after = content_class_of(b, a->tuples->keys[i]);

		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		if (after == 0)
			continue;
		*key_counter_candidate(pairs) = (uint64) before << 32 | after;
		if (key_counter_find(pairs) != PG_UINT32_MAX)
			continue;
		*key_counter_candidate(pairs) = (uint64) before << 32 | after;
		(void) key_counter_add(pairs, 1);
		/* a class that was split, and one that was joined, is in two pairs */
		for (int side = 0; side < 2; side++)
		{
			uint32		known = classes->nkeys;

			*key_counter_candidate(classes) = (uint64) side << 32 | (side == 0 ? before : after);
			if (key_counter_add(classes, 1) != known)
				return true;
		}
	}
	return false;
}

int64
contents_difference(const PlacedContent *a, const PlacedContent *b, const Population *population)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "anonopt comparison", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	bool		alike = contents_are_alike(a->known, b->known);
	ContentView views_a[MAX_ATTRIBUTES];
	ContentView views_b[MAX_ATTRIBUTES];
	int			(*values)[2] = palloc(sizeof(*values) * (a->content->nvalues + 1));
	int			nviews = 0;
	int			nvalues = 0;
	int64		difference;

	for (int i = 0; i < a->known->nattrs; i++)
		for (int j = 0; j < b->known->nattrs; j++)
		{
			if (strcmp(a->known->generalized[i], b->known->generalized[j]) != 0 ||
				a->known->hierarchies[i] != b->known->hierarchies[j])
				continue;
			if (alike)
				view_by_texts(a, b, i, j, &views_a[nviews], &views_b[nviews]);
			else if (!view_at_meet(a, b, i, j, population, &views_a[nviews], &views_b[nviews]))
				continue;
			nviews++;
			break;
		}
	for (int i = 0; i < a->content->nvalues; i++)
		for (int j = 0; j < b->content->nvalues; j++)
			if (strcmp(a->content->values[i], b->content->values[j]) == 0)
			{
				values[nvalues][0] = i;
				values[nvalues++][1] = j;
				break;
			}
	difference = content_difference(a->content, views_a, b->content, views_b, nviews, values, nvalues);

	/*
	 * moves hide who came among those who only changed class, but not from
	 * who looks at all classes at once
	 */
	if (alike && a->known->recoding != NULL && have_moved(a->content, b->content))
	{
		int64		whole = content_difference(a->content, views_a, b->content, views_b, 0, values, nvalues);

		if (whole > 0 && (difference == 0 || whole < difference))
			difference = whole;
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return difference;
}

/* ----------------------------------------------------------------- combinations */

Combination
combination_begin(const Population *population)
{
	Size		n = (Size) population->tuples->ntuples + 1;
	Combination combination;

	combination.group_of = MemoryContextAllocExtended(CurrentMemoryContext, sizeof(uint32) * n, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	combination.shown = MemoryContextAllocExtended(CurrentMemoryContext, n, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	return combination;
}

/* Labels of a content by the codes of its recoding; PG_UINT32_MAX where it shows none such. */
static uint32 *
labels_of_codes(const PlacedContent *placed, const Population *population, int i)
{
	TextIndex	index = index_texts(placed->content->labels[i], placed->content->nlabels[i]);
	const char *const *texts = labels_of_recoding(placed, population, i);
	uint32	   *labels = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) placed->recodings[i]->nlabels + 1));

	for (uint32 code = 0; code < placed->recodings[i]->nlabels; code++)
		labels[code] = find_text(&index, texts[code]);
	return labels;
}

/* The classes that a content shows: keys of their labels. */
static KeyCounter *
shown_keys(const Content *content)
{
	KeyCounter *keys = key_counter_create(CurrentMemoryContext, Max(content_code_words(content->nattrs), 1), 1024);

	for (uint32 i = 0; i < content->rows->nkeys; i++)
	{
		uint64	   *key = key_counter_candidate(keys);

		*key = 0;
		memcpy(key, content_row(content, i), sizeof(uint64) * content_code_words(content->nattrs));
		(void) key_counter_add(keys, content->rows->counts[i]);
	}
	return keys;
}

/* Which classes of a node a content shows. */
static bool *
classes_shown(const Population *population, const PlacedContent *placed, const TupleTable *classes)
{
	bool	   *shown = MemoryContextAllocHuge(CurrentMemoryContext, (Size) classes->ntuples + 1);
	KeyCounter *keys = shown_keys(placed->content);
	uint32	   *labels[MAX_ATTRIBUTES];

	for (int i = 0; i < placed->known->nattrs; i++)
		labels[i] = labels_of_codes(placed, population, i);
	for (uint32 c = 0; c < classes->ntuples; c++)
	{
		uint64	   *key = key_counter_candidate(keys);

		memset(key, 0, sizeof(uint64) * keys->nwords);
		shown[c] = true;
		for (int i = 0; i < placed->known->nattrs; i++)
		{
			uint32		code = key_get(classes->keys + (Size) c * population->nwords, &population->attrs[placed->attr_of[i]].field);

			shown[c] = shown[c] && labels[i][code] != PG_UINT32_MAX;
			key[i / 2] |= (uint64) labels[i][code] << (i % 2 * 32);
		}
		shown[c] = shown[c] && key_counter_find(keys) != PG_UINT32_MAX;
	}
	return shown;
}

/* How a content shows a population's attributes: those that it does not have, all alike. */
static const Recoding **
node_of_content(const Population *population, const PlacedContent *placed)
{
	const Recoding **node = palloc(sizeof(Recoding *) * population->nattrs);

	for (int a = 0; a < population->nattrs; a++)
	{
		const Hierarchy *hierarchy = population->attrs[a].hierarchy;

		node[a] = NULL;
		for (int i = 0; i < placed->known->nattrs; i++)
			if (placed->attr_of[i] == a)
				node[a] = placed->recodings[i];
		if (node[a] == NULL)
			node[a] = recoding_cut(hierarchy, &hierarchy->levels[0], palloc0(sizeof(bool) * (hierarchy->nleaves + 1)));
	}
	return node;
}

uint64 **
leaf_digests(const Population *population)
{
	uint64	  **digests = palloc(sizeof(uint64 *) * (population->nattrs + 1));

	for (int a = 0; a < population->nattrs; a++)
	{
		const Hierarchy *hierarchy = population->attrs[a].hierarchy;

		digests[a] = budget_alloc(sizeof(uint64), (Size) hierarchy->nleaves + 1);
		for (uint32 leaf = 0; leaf < hierarchy->nleaves; leaf++)
		{
			const char *label = hierarchy->labels[0][leaf];

			digests[a][leaf] = label == NULL ? 1 : hash_bytes_extended((const unsigned char *) label, strlen(label), 1);
		}
	}
	return digests;
}

uint64
tuple_digest(const Population *population, const uint64 *const *digests, const int *attrs, int nattrs, uint32 tuple)
{
	const uint64 *key = population->tuples->keys + (Size) tuple * population->nwords;
	uint64		digest = 0;

	for (int i = 0; i < nattrs; i++)
	{
		int			a = attrs == NULL ? i : attrs[i];

		digest = hash_combine64(digest, digests[a][key_get(key, &population->attrs[a].field)]);
	}
	return digest;
}

/* By tuple the class that it is in, from 1, or 0 where it is not shown: of a recoding. */
static uint32 *
classes_of_recoding(const Population *population, const PlacedContent *placed)
{
	uint64	  **digests = leaf_digests(population);
	uint32	   *class_of = budget_alloc(sizeof(uint32), (Size) population->tuples->ntuples + 1);

	for (uint32 i = 0; i < population->tuples->ntuples; i++)
		class_of[i] = content_class_of(placed->content, tuple_digest(population, (const uint64 *const *) digests, placed->attr_of,
																	 placed->known->nattrs, i));
	return class_of;
}

/* The same, of a node or cuts. */
static uint32 *
classes_of_node(const Population *population, const PlacedContent *placed)
{
	int			bottom[MAX_ATTRIBUTES] = {0};
	HistogramMark *marks = palloc(sizeof(HistogramMark) * (population->ncolumns + 1));
	uint32	   *class_of;
	TupleTable *classes;
	bool	   *shown;

	population_mark(population, marks);
	classes = tuple_table_recode(population, population->tuples, node_of_levels(population, bottom),
								 node_of_content(population, placed), CurrentMemoryContext, &class_of);
	population_release(population, marks);
	shown = classes_shown(population, placed, classes);
	for (uint32 i = 0; i < population->tuples->ntuples; i++)
		class_of[i] = shown[class_of[i]] ? class_of[i] + 1 : 0;
	return class_of;
}

int64
combination_add(Combination *combination, const Population *population, const PlacedContent *placed)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "anonopt content", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	KeyCounter *groups = key_counter_create(context, 1, 1024);
	uint32	   *class_of = placed->known->recoding != NULL ? classes_of_recoding(population, placed) :
	classes_of_node(population, placed);
	int64		smallest = 0;

	for (uint32 i = 0; i < population->tuples->ntuples; i++)
	{
		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		*key_counter_candidate(groups) = (uint64) combination->group_of[i] << 32 | class_of[i];
		combination->group_of[i] = key_counter_add(groups, population->tuples->counts[i]);
		combination->shown[i] |= class_of[i] > 0;
	}
	for (uint32 i = 0; i < population->tuples->ntuples; i++)
	{
		int64		people = groups->counts[combination->group_of[i]];

		if (combination->shown[i])
			smallest = smallest == 0 ? people : Min(smallest, people);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return smallest;
}

/* ------------------------------------------------------------------- publishing */

/* What a release is about to show, as if it were known already. */
static void
known_of_release(const Release *release, KnownContent *known)
{
	const Dataset *dataset = release->spec.dataset;

	memset(known, 0, sizeof(KnownContent));
	known->name = release->sql_name;
	known->k = release->spec.promise.k;
	known->nattrs = release->spec.population->nattrs;
	known->generalized = release->content->attrs;
	known->hierarchies = palloc(sizeof(Oid) * known->nattrs);
	for (int i = 0, a = 0; i < dataset->nattributes; i++)
		if (dataset->attributes[i].role == ROLE_QUASI_IDENTIFIER)
			known->hierarchies[a++] = dataset->attributes[i].hierarchy;
	known->nlevels = release->levels != NULL ? known->nattrs : 0;
	known->levels = release->levels;
	known->ncuts = release->cuts != NULL ? known->nattrs : 0;
	known->cuts = release->cuts;
	if (release->recoding != NULL)
	{
		known->recoding = relation_sql_name(release->recoding->table);
		known->labels = unconstify(char *, recoding_labels_name(release->recoding->labels));
	}
}

static void
tell(const Release *release, int64 people, const char *other)
{
	int			level = composition_mode == COMPOSITION_REFUSE ? ERROR : WARNING;

	if (other != NULL)
		ereport(level,
				(errcode(level == ERROR ? ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE : ERRCODE_WARNING),
				 errmsg_plural("release %s differs from what was shown before by " INT64_FORMAT " person",
							   "release %s differs from what was shown before by " INT64_FORMAT " people", (unsigned long) people,
							   release->sql_name, people),
				 errdetail("Anyone who has it and a content of %s can subtract one from the other; " INT64_FORMAT " is promised.",
						   other, release->spec.promise.k),
				 errhint("See anonopt.release_risk; publish after more people have changed, or set anonopt.composition.")));
	else
		ereport(level,
				(errcode(level == ERROR ? ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE : ERRCODE_WARNING),
				 errmsg("together, the releases of data set \"%s\" single out classes of " INT64_FORMAT,
						release->spec.dataset->name, people),
				 errdetail(INT64_FORMAT " is promised.", release->spec.promise.k),
				 errhint("See anonopt.release_risk; drop this release or make it by the same levels as the others.")));
}

void
composition_check(Release *release)
{
	const Dataset *dataset = release->spec.dataset;
	KnownContent own;
	PlacedContent placed = {.known = &own,.content = release->content};
	KnownContent *contents;
	Population *population = NULL;
	Combination combination = {0};
	const char *nearest = NULL;
	int64		together = 0;
	int			n;

	release->difference = -1;
	if (composition_mode == COMPOSITION_OFF)
		return;
	release->difference = 0;
	known_of_release(release, &own);
	/* this statement may have published already */
	see_own_changes();
	contents = known_contents(dataset->relation, &n);
	PopActiveSnapshot();
	for (int i = 0; i < n && population == NULL; i++)
		if (contents[i].version >= 0 && (own.recoding != NULL || !contents_are_alike(&own, &contents[i])))
			population = population_read(dataset);
	if (population != NULL)
		combination = combination_begin(population);
	content_place(&placed, dataset, population);
	for (int i = 0; i < n; i++)
	{
		MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "anonopt earlier content", ALLOCSET_DEFAULT_SIZES);
		MemoryContext old = MemoryContextSwitchTo(context);
		PlacedContent earlier = {.known = &contents[i]};
		int64		difference;

		CHECK_FOR_INTERRUPTS();
		see_own_changes();
		earlier.content = contents[i].version < 0 ? NULL : known_content_load(&contents[i], context);
		PopActiveSnapshot();
		if (earlier.content != NULL)
		{
			content_place(&earlier, dataset, population);
			difference = contents_difference(&placed, &earlier, population);
			if (difference > 0 && (release->difference == 0 || difference < release->difference))
			{
				release->difference = difference;
				nearest = contents[i].name;
			}
			MemoryContextSwitchTo(old);
			if (population != NULL && content_is_placed(&earlier))
				together = combination_add(&combination, population, &earlier);
		}
		MemoryContextSwitchTo(old);
		MemoryContextDelete(context);
	}
	if (population != NULL && content_is_placed(&placed))
		together = combination_add(&combination, population, &placed);
	if (together > 0 && together < own.k && (release->difference == 0 || together < release->difference))
		tell(release, together, NULL);
	else if (release->difference > 0 && release->difference < own.k)
		tell(release, release->difference, nearest);
}
