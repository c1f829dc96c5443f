/*
 * content.c
 *	  The content of a release: the number of rows for each combination of
 *	  labels and values.
 *
 * A reader of two releases can generalize the labels of both until they are
 * comparable, and then subtract one from the other.  What remains of a class
 * on either side are people whose rows the other does not show.
 */
#include "release/content.h"

#include "base/budget.h"
#include "base/bytes.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "release/entry_row.h"
#include "utils/builtins.h"

Content *
content_create(MemoryContext context, int nattrs, int nvalues, uint32 expected)
{
	Content    *content = MemoryContextAllocZero(context, sizeof(Content));

	content->nattrs = nattrs;
	content->nvalues = nvalues;
	content->values = MemoryContextAllocZero(context, sizeof(char *) * (nvalues + 1));
	content->value_levels = MemoryContextAllocZero(context, sizeof(int) * (nvalues + 1));
	memset(content->value_levels, 0xff, sizeof(int) * nvalues);
	content->nlabels = MemoryContextAllocZero(context, sizeof(uint32) * (nattrs + 1));
	content->labels = MemoryContextAllocZero(context, sizeof(char **) * (nattrs + 1));
	content->rows = key_counter_create(context, code_words(nattrs) + nvalues, Max(expected, 16));
	return content;
}

void
content_add(Content *content, const uint32 *codes, const uint64 *digests, int64 people)
{
	uint64	   *row = key_counter_candidate(content->rows);

	memset(row, 0, sizeof(uint64) * content->rows->nwords);
	for (int a = 0; a < content->nattrs; a++)
		put_code(row, a, codes[a]);
	if (content->nvalues > 0)
		memcpy(row + code_words(content->nattrs), digests, sizeof(uint64) * content->nvalues);
	(void) key_counter_add(content->rows, people);
}

uint32 *
unite_labels(const Content *a, int i, const Content *b, int j, uint32 *nlabels, const char ***labels)
{
	Size		n = (Size) a->nlabels[i] + b->nlabels[j];
	const char **texts = budget_alloc(sizeof(char *), n + 1);

	memcpy(texts, a->labels[i], sizeof(char *) * a->nlabels[i]);
	memcpy(texts + a->nlabels[i], b->labels[j], sizeof(char *) * b->nlabels[j]);
	return number_texts(texts, n, nlabels, labels);
}

KeyCounter *
content_classes(const Content *content)
{
	KeyCounter *classes = key_counter_create(CurrentMemoryContext, code_words(content->nattrs), 1024);

	for (uint32 i = 0; i < content->rows->nkeys; i++)
	{
		uint64	   *key = key_counter_candidate(classes);

		if (code_at(content_row(content, i), 0) == STARRED)
			continue;
		memcpy(key, content_row(content, i), sizeof(uint64) * code_words(content->nattrs));
		(void) key_counter_add(classes, content->rows->counts[i]);
	}
	return classes;
}

void
content_add_tuple(Content *content, uint64 digest, KeyCounter *classes)
{
	uint32		class = key_counter_find(classes);

	if (content->tuples == NULL)
		content->tuples = key_counter_create(content->rows->context, 1, 1024);
	*key_counter_candidate(content->tuples) = digest;
	/* two tuples hardly ever have the same digest; then the first is known */
	if (class != PG_UINT32_MAX && key_counter_find(content->tuples) == PG_UINT32_MAX)
		(void) key_counter_add(content->tuples, (int64) class + 1);
}

uint32
content_class_of(const Content *content, uint64 digest)
{
	uint32		found;

	if (content->tuples == NULL)
		return 0;
	*key_counter_candidate(content->tuples) = digest;
	found = key_counter_find(content->tuples);
	return found == PG_UINT32_MAX ? 0 : (uint32) content->tuples->counts[found];
}

const uint64 *const *
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

			digests[a][leaf] = label == NULL ? 1 : portable_digest(label, strlen(label));
		}
	}
	return (const uint64 *const *) digests;
}

uint64
tuple_digest(const Population *population, const uint64 *const *digests, const int *attrs, int nattrs,
			 uint32 tuple)
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

/* ------------------------------------------------ what one content shows beside another */

/* The keys of stars, and of labels that are not shown, in a view by classes. */
#define ALL_STARS PG_UINT32_MAX
#define NOT_SHOWN (PG_UINT32_MAX - 1)

/*
 * Writes the generalized labels of a row, or what its class is joined with, as
 * the next key of the classes.
 */
static void
view_row(KeyCounter *classes, const CommonView *view, int side, const uint64 *row)
{
	uint64	   *class = key_counter_candidate(classes);

	memset(class, 0, sizeof(uint64) * classes->nwords);
	if (view->joined != NULL)
	{
		KeyCounter *own = view->classes[side];
		uint32		number;

		memcpy(key_counter_candidate(own), row, sizeof(uint64) * own->nwords);
		number = key_counter_find(own);
		*class = code_at(row, 0) == STARRED ? ALL_STARS : number == PG_UINT32_MAX ? NOT_SHOWN :
			find_joined(view->joined, number + (side == 0 ? 0 : view->classes[0]->nkeys));
	}
	for (int v = 0; v < view->n; v++)
	{
		uint32		code = code_at(row, view->of[side][v].attr);

		put_code(class, v, code == STARRED ? STARRED : view->of[side][v].shown[code]);
	}
}

uint32
class_in_view(const ContentDifference *difference, const CommonView *view, int side, const uint64 *row)
{
	view_row(difference->classes, view, side, row);
	return key_counter_find(difference->classes);
}

/* Adds a content's rows, with a sign, to those of classes with the same generalized labels. */
static void
add_rows(ContentDifference *difference, const Content *content, const CommonView *view, int side)
{
	KeyCounter *rows = difference->rows;

	for (uint32 i = 0; i < content->rows->nkeys; i++)
	{
		const uint64 *row = content_row(content, i);
		uint64	   *key = key_counter_candidate(rows);

		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		view_row(difference->classes, view, side, row);
		key[0] = key_counter_add(difference->classes, content->rows->counts[i]);
		for (int v = 0; v < view->nvalues; v++)
			key[v + 1] = row[code_words(content->nattrs) + view->values[v][side]];
		(void) key_counter_add(rows, side == 0 ? content->rows->counts[i] : -content->rows->counts[i]);
	}
}

ContentDifference
content_difference_of(const Content *a, const CommonView *view)
{
	ContentDifference difference = {
		.classes = key_counter_create(CurrentMemoryContext, Max(code_words(view->n), 1), 1024),
		.rows = key_counter_create(CurrentMemoryContext, view->nvalues + 1, Max(a->rows->nkeys, 16))
	};

	add_rows(&difference, a, view, 0);
	difference.nclasses = difference.classes->nkeys;
	difference.class_counts = budget_alloc(sizeof(int64), (Size) difference.nclasses + 1);
	memcpy(difference.class_counts, difference.classes->counts, sizeof(int64) * difference.nclasses);
	difference.nrows = difference.rows->nkeys;
	difference.row_counts = budget_alloc(sizeof(int64), (Size) difference.nrows + 1);
	memcpy(difference.row_counts, difference.rows->counts, sizeof(int64) * difference.nrows);
	return difference;
}

void
content_difference_from(ContentDifference *difference, const Content *b, const CommonView *view)
{
	KeyCounter *classes = difference->classes;
	KeyCounter *rows = difference->rows;

	/* what was compared before remains as keys that count nobody */
	memcpy(classes->counts, difference->class_counts, sizeof(int64) * difference->nclasses);
	memset(classes->counts + difference->nclasses, 0,
		   sizeof(int64) * (classes->nkeys - difference->nclasses));
	memcpy(rows->counts, difference->row_counts, sizeof(int64) * difference->nrows);
	memset(rows->counts + difference->nrows, 0, sizeof(int64) * (rows->nkeys - difference->nrows));
	add_rows(difference, b, view, 1);
	for (int side = 0; side < 2; side++)
	{
		difference->people[side] = budget_alloc_zero(sizeof(int64), (Size) classes->nkeys + 1);
		difference->only[side] = budget_alloc_zero(sizeof(int64), (Size) classes->nkeys + 1);
	}
	memcpy(difference->people[0], difference->class_counts, sizeof(int64) * difference->nclasses);
	for (uint32 class = 0; class < classes->nkeys; class++)
		difference->people[1][class] = classes->counts[class] - difference->people[0][class];
	for (uint32 i = 0; i < rows->nkeys; i++)
		difference->only[rows->counts[i] < 0][rows->keys[(Size) i * rows->nwords]] += llabs(rows->counts[i]);
}

ContentDifference
content_difference(const Content *a, const Content *b, const CommonView *view)
{
	ContentDifference difference = content_difference_of(a, view);

	content_difference_from(&difference, b, view);
	return difference;
}

int64
smallest_difference(const ContentDifference *difference)
{
	int64		smallest = 0;

	for (int side = 0; side < 2; side++)
		for (uint32 class = 0; class < difference->classes->nkeys; class++)
			smallest = least_people(smallest, difference->only[side][class]);
	return smallest;
}

int64 *
values_of_difference(const ContentDifference *difference, int side, int value)
{
	const KeyCounter *rows = difference->rows;
	KeyCounter *values = key_counter_create(CurrentMemoryContext, 2, 1024);
	int64	   *n = budget_alloc_zero(sizeof(int64), (Size) difference->classes->nkeys + 1);

	for (uint32 i = 0; i < rows->nkeys; i++)
	{
		const uint64 *row = rows->keys + (Size) i * rows->nwords;
		uint64	   *key = key_counter_candidate(values);
		uint32		known;

		if (rows->counts[i] == 0 || (rows->counts[i] < 0) != (side == 1))
			continue;
		key[0] = row[0];
		key[1] = row[value + 1];
		known = values->nkeys;
		if (key_counter_add(values, 1) == known)
			n[row[0]]++;
	}
	return n;
}

/* ---------------------------------------- as stored in anonopt.published_content */

/* The bytes of a word. */
static int
word_size(int word, int half_word)
{
	return word == half_word ? sizeof(uint32) : sizeof(uint64);
}

static Size
packed_size(const KeyCounter *keys, int half_word, int count_size)
{
	return sizeof(uint64) * keys->nwords - (half_word < 0 ? 0 : sizeof(uint32)) + count_size;
}

bytea *
keys_pack(const KeyCounter *keys, int half_word, int count_size, uint32 first, uint32 n)
{
	Size		size = VARHDRSZ + packed_size(keys, half_word, count_size) * n;
	bytea	   *bytes = MemoryContextAllocHuge(CurrentMemoryContext, size);
	unsigned char *at = (unsigned char *) VARDATA(bytes);

	SET_VARSIZE(bytes, size);
	for (uint32 i = first; i < first + n; i++)
	{
		for (int word = 0; word < keys->nwords; word++)
			put_number(&at, keys->keys[(Size) i * keys->nwords + word], word_size(word, half_word));
		put_number(&at, (uint64) keys->counts[i], count_size);
	}
	return bytes;
}

bool
keys_unpack(KeyCounter *keys, int half_word, int count_size, const bytea *bytes)
{
	const unsigned char *at = (const unsigned char *) VARDATA_ANY(bytes);
	Size		size = packed_size(keys, half_word, count_size);

	for (Size n = VARSIZE_ANY_EXHDR(bytes) / size; n > 0; n--)
	{
		uint64	   *key = key_counter_candidate(keys);

		for (int word = 0; word < keys->nwords; word++)
			key[word] = take_number(&at, word_size(word, half_word));
		(void) key_counter_add(keys, (int64) take_number(&at, count_size));
	}
	return VARSIZE_ANY_EXHDR(bytes) % size == 0;
}

/* The word of a row that is a single code, or -1. */
static int
single_code(const Content *content)
{
	return content->nattrs % 2 == 1 ? content->nattrs / 2 : -1;
}

/* A part; labels and all else but rows are in the first one. */
typedef struct ContentPart
{
	int			nvalues;
	char	  **values;
	int			nvalue_levels;	/* equal to nvalues, or 0 if all are -1 */
	int		   *value_levels;
	int			nlabels;		/* of all attributes */
	char	  **labels;
	int			nattrs;
	int		   *nlabels_of;		/* by attribute */
	bytea	   *rows;
	bytea	   *tuples;
	bool		has_difference;
	int64		difference;
	bool		is_private;
	double		epsilon;
	double		delta;
} ContentPart;

#define OF_PART(member) offsetof(ContentPart, member)

static const EntryField part_fields[] = {
	{COLUMN("compared", FIELD_NAMES, FIELD_OPTIONAL, OF_PART(values)),.given = OF_PART(nvalues)},
	{COLUMN("compared_levels", FIELD_INTEGERS, FIELD_OPTIONAL,
			OF_PART(value_levels)),.given = OF_PART(nvalue_levels)},
	{COLUMN("labels", FIELD_TEXTS, FIELD_OPTIONAL | FIELD_NULLS, OF_PART(labels)),.given = OF_PART(nlabels)},
	{COLUMN("nlabels", FIELD_INTEGERS, FIELD_OPTIONAL, OF_PART(nlabels_of)),.given = OF_PART(nattrs)},
	{COLUMN("rows", FIELD_BYTES, FIELD_REQUIRED, OF_PART(rows))},
	{COLUMN("tuples", FIELD_BYTES, 0, OF_PART(tuples))},
	{COLUMN("difference", FIELD_COUNT, 0, OF_PART(difference)),.given = OF_PART(has_difference),.least =
	PG_INT64_MIN,.most = PG_INT64_MAX},
	{COLUMN("epsilon", FIELD_FIGURE, 0, OF_PART(epsilon)),.given = OF_PART(is_private)},
	{COLUMN("delta", FIELD_FIGURE, 0, OF_PART(delta)),.given = OF_PART(is_private)}
};

void
release_content_insert(const ReleaseEntry *entry, const Content *content, int64 difference)
{
	ContentPart part = {.nvalues = content->nvalues,.values = content->values,.nattrs = content->nattrs,
		.nlabels_of = (int *) content->nlabels,.has_difference = difference >= 0,.difference = difference,
	.is_private = entry->is_private,.epsilon = entry->privacy.epsilon,.delta = entry->privacy.delta};
	uint32		n = content->rows->nkeys;
	int			number = 0;

	part.value_levels = content->value_levels;
	for (int i = 0; i < content->nvalues; i++)
		if (content->value_levels[i] >= 0)
			part.nvalue_levels = content->nvalues;
	for (int a = 0; a < content->nattrs; a++)
		part.nlabels += content->nlabels[a];
	part.labels = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(char *) * ((Size) part.nlabels + 1));
	for (int a = 0, at = 0; a < content->nattrs; at += content->nlabels[a++])
		memcpy(part.labels + at, content->labels[a], sizeof(char *) * content->nlabels[a]);
	if (content->tuples != NULL)
	{
		if (VARHDRSZ + packed_size(content->tuples, -1,
								   sizeof(uint32)) * content->tuples->nkeys > MaxAllocSize)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("recoding has too many tuples to be published"),
					 errdetail("It shows %u distinct tuples.", content->tuples->nkeys)));
		part.tuples = keys_pack(content->tuples, -1, sizeof(uint32), 0, content->tuples->nkeys);
	}
	for (uint32 first = 0; first < n || number == 0; first += PART_KEYS)
	{
		part.rows = keys_pack(content->rows, single_code(content), sizeof(int64), first,
							  Min(n - first, PART_KEYS));
		entry_insert("published_content", part_fields, lengthof(part_fields), &part,
					 "id, version, part, made_at",
					 psprintf("'%s', (SELECT COALESCE(max(o.version) + %d, 0) FROM"
							  " anonopt.published_content o WHERE o.id = '%s'), %d, clock_timestamp()",
							  entry->id, number == 0 ? 1 : 0, entry->id, number));
		pfree(part.rows);
		part = (ContentPart)
		{
			0
		};
		number++;
	}
}

/* The labels of a content, from the concatenated labels of all attributes. */
static bool
take_labels(Content *content, const ContentPart *part)
{
	char	  **labels = part->labels;
	int			nlabels = part->nlabels;

	/* a sample may show nobody, and so no labels */
	if (part->nattrs != content->nattrs)
		return false;
	for (int a = 0; a < part->nattrs; a++)
	{
		if (part->nlabels_of[a] < 0 || part->nlabels_of[a] > nlabels)
			return false;
		content->nlabels[a] = part->nlabels_of[a];
		content->labels[a] = (const char **) labels;
		labels += part->nlabels_of[a];
		nlabels -= part->nlabels_of[a];
	}
	return true;
}

/* Loads a part's rows; returns false if they are not sound. */
static bool
take_rows(Content *content, const ContentPart *part)
{
	uint32		known = content->rows->nkeys;

	if (!keys_unpack(content->rows, single_code(content), sizeof(int64), part->rows))
		return false;
	for (uint32 i = known; i < content->rows->nkeys; i++)
	{
		if (content->rows->counts[i] <= 0 || content->rows->counts[i] > INT64CONST(1) << 47)
			return false;
		for (int a = 0; a < content->nattrs; a++)
		{
			uint32		code = code_at(content_row(content, i), a);

			if (code != STARRED && code >= content->nlabels[a])
				return false;
		}
	}
	return true;
}

/* Whether these are levels of shown values: -1 where values are shown as they are. */
static bool
are_levels(const int32 *levels, int n)
{
	for (int i = 0; i < n; i++)
		if (levels[i] < -1)
			return false;
	return true;
}


Content *
known_content_load(const KnownContent *known, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	const ReleaseEntry *release = &known->release;
	Content    *content = NULL;
	QueryRows  *rows = entry_rows(part_fields, lengthof(part_fields),
								  psprintf("anonopt.published_content p WHERE p.id = $1::uuid AND"
										   " p.version = " INT64_FORMAT " ORDER BY p.part", known->version),
								  TEXTOID, CStringGetTextDatum(release->id));

	for (int i = 0; i < rows->n; i++)
	{
		ContentPart part;

		entry_read(rows, i, release->name, part_fields, lengthof(part_fields), &part);
		if (i == 0)
		{
			Size		row = sizeof(uint64) * (code_words(release->ngeneralized) + part.nvalues + 1);

			content = content_create(context, release->ngeneralized, part.nvalues,
									 VARSIZE_ANY_EXHDR(part.rows) / row);
			content->values = part.values;
			if (part.nvalue_levels > 0)
				content->value_levels = part.value_levels;
			if (part.tuples != NULL)
				content->tuples = key_counter_create(context, 1, 1024);
			if (!take_labels(content, &part) ||
				(part.nvalue_levels > 0 && part.nvalue_levels != part.nvalues) ||
				!are_levels(part.value_levels, part.nvalue_levels) ||
				(part.tuples != NULL && !keys_unpack(content->tuples, -1, sizeof(uint32), part.tuples)))
				refuse_entry(release->name);
		}
		if (!take_rows(content, &part))
			refuse_entry(release->name);
	}
	if (content != NULL && content->tuples != NULL)
	{
		uint32		n = content_classes(content)->nkeys;

		for (uint32 i = 0; i < content->tuples->nkeys; i++)
			if (content->tuples->counts[i] < 1 || content->tuples->counts[i] > n)
				refuse_entry(release->name);
	}
	MemoryContextSwitchTo(old);
	return content;
}
