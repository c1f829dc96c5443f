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
#include "miscadmin.h"

Content *
content_create(MemoryContext context, int nattrs, int nvalues, uint32 expected)
{
	Content    *content = MemoryContextAllocZero(context, sizeof(Content));

	content->context = context;
	content->nattrs = nattrs;
	content->nvalues = nvalues;
	content->attrs = MemoryContextAllocZero(context, sizeof(char *) * (nattrs + 1));
	content->values = MemoryContextAllocZero(context, sizeof(char *) * (nvalues + 1));
	content->nlabels = MemoryContextAllocZero(context, sizeof(uint32) * (nattrs + 1));
	content->labels = MemoryContextAllocZero(context, sizeof(char **) * (nattrs + 1));
	content->rows = key_counter_create(context, Max(content_code_words(nattrs) + nvalues, 1), Max(expected, 16));
	return content;
}

void
content_add(Content *content, const uint32 *codes, const uint64 *digests, int64 people)
{
	uint64	   *row = key_counter_candidate(content->rows);

	memset(row, 0, sizeof(uint64) * content->rows->nwords);
	for (int a = 0; a < content->nattrs; a++)
		row[a / 2] |= (uint64) codes[a] << (a % 2 * 32);
	if (content->nvalues > 0)
		memcpy(row + content_code_words(content->nattrs), digests, sizeof(uint64) * content->nvalues);
	(void) key_counter_add(content->rows, people);
}

KeyCounter *
content_classes(const Content *content)
{
	KeyCounter *classes = key_counter_create(CurrentMemoryContext, Max(content_code_words(content->nattrs), 1), 1024);

	for (uint32 i = 0; i < content->rows->nkeys; i++)
	{
		uint64	   *key = key_counter_candidate(classes);

		if (content_code(content, content_row(content, i), 0) == STARRED)
			continue;
		*key = 0;
		memcpy(key, content_row(content, i), sizeof(uint64) * content_code_words(content->nattrs));
		(void) key_counter_add(classes, content->rows->counts[i]);
	}
	return classes;
}

/* Adds a content's rows, with a sign, to the counts of generalized rows. */
static void
add_rows(KeyCounter *classes, KeyCounter *rows, int64 **balance, Size *room, const Content *content, const ContentView *views,
		 int nviews, const int (*values)[2], int nvalues, int side)
{
	for (uint32 i = 0; i < content->rows->nkeys; i++)
	{
		const uint64 *row = content_row(content, i);
		uint64	   *class = key_counter_candidate(classes);
		uint64	   *key;
		uint32		number;

		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		memset(class, 0, sizeof(uint64) * classes->nwords);
		for (int v = 0; v < nviews; v++)
		{
			uint32		code = content_code(content, row, views[v].attr);

			class[v / 2] |= (uint64) (code == STARRED ? STARRED : views[v].shown[code]) << (v % 2 * 32);
		}
		number = key_counter_add(classes, 0);
		key = key_counter_candidate(rows);
		key[0] = number;
		for (int v = 0; v < nvalues; v++)
			key[v + 1] = row[content_code_words(content->nattrs) + values[v][side]];
		number = key_counter_add(rows, 0);
		while (number >= *room)
		{
			Size		before = *room;

			*balance = budget_grow(rows->context, *balance, sizeof(int64), room);
			memset(*balance + before, 0, sizeof(int64) * (*room - before));
		}
		(*balance)[number] += side == 0 ? content->rows->counts[i] : -content->rows->counts[i];
	}
}

/* The smallest group of people within a class that only one side shows. */
static int64
smallest_group(const KeyCounter *classes, const KeyCounter *rows, const int64 *balance, MemoryContext context)
{
	int64	   *only[2];
	int64		smallest = 0;

	for (int side = 0; side < 2; side++)
		only[side] = MemoryContextAllocExtended(context, sizeof(int64) * ((Size) classes->nkeys + 1),
												MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint32 i = 0; i < rows->nkeys; i++)
	{
		uint32		class = (uint32) rows->keys[(Size) i * rows->nwords];

		if (balance[i] > 0)
			only[0][class] += balance[i];
		else
			only[1][class] -= balance[i];
	}
	for (int side = 0; side < 2; side++)
		for (uint32 class = 0; class < classes->nkeys; class++)
			if (only[side][class] > 0 && (smallest == 0 || only[side][class] < smallest))
				smallest = only[side][class];
	return smallest;
}

int64
content_difference(const Content *a, const ContentView *views_a, const Content *b, const ContentView *views_b, int nviews,
				   const int (*values)[2], int nvalues)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "anonopt difference", ALLOCSET_DEFAULT_SIZES);
	KeyCounter *classes = key_counter_create(context, Max(content_code_words(nviews), 1), 1024);
	KeyCounter *rows = key_counter_create(context, nvalues + 1, 1024);
	int64	   *balance = NULL;
	Size		room = 0;
	int64		smallest;

	add_rows(classes, rows, &balance, &room, a, views_a, nviews, values, nvalues, 0);
	add_rows(classes, rows, &balance, &room, b, views_b, nviews, values, nvalues, 1);
	smallest = smallest_group(classes, rows, balance, context);
	MemoryContextDelete(context);
	return smallest;
}

static Size
packed_row_size(const Content *content)
{
	return sizeof(uint32) * content->nattrs + sizeof(uint64) * content->nvalues + sizeof(int64);
}

bytea *
content_pack(const Content *content, uint32 first, uint32 nrows)
{
	Size		size = VARHDRSZ + packed_row_size(content) * nrows;
	bytea	   *bytes = MemoryContextAllocHuge(CurrentMemoryContext, size);
	unsigned char *at = (unsigned char *) VARDATA(bytes);

	SET_VARSIZE(bytes, size);
	for (uint32 i = first; i < first + nrows; i++)
	{
		const uint64 *row = content_row(content, i);

		for (int a = 0; a < content->nattrs; a++)
			put_number(&at, content_code(content, row, a), sizeof(uint32));
		for (int v = 0; v < content->nvalues; v++)
			put_number(&at, row[content_code_words(content->nattrs) + v], sizeof(uint64));
		put_number(&at, content->rows->counts[i], sizeof(int64));
	}
	return bytes;
}

bool
content_unpack(Content *content, const bytea *bytes)
{
	const unsigned char *at = (const unsigned char *) VARDATA_ANY(bytes);
	Size		nrows = VARSIZE_ANY_EXHDR(bytes) / packed_row_size(content);
	uint32	   *codes = palloc(sizeof(uint32) * (content->nattrs + 1));
	uint64	   *digests = palloc(sizeof(uint64) * (content->nvalues + 1));

	for (Size i = 0; i < nrows; i++)
	{
		bool		sound = true;
		int64		people;

		for (int a = 0; a < content->nattrs; a++)
		{
			codes[a] = (uint32) take_number(&at, sizeof(uint32));
			sound = sound && (codes[a] == STARRED || codes[a] < content->nlabels[a]);
		}
		for (int v = 0; v < content->nvalues; v++)
			digests[v] = take_number(&at, sizeof(uint64));
		people = (int64) take_number(&at, sizeof(int64));
		if (!sound || people <= 0 || people > INT64CONST(1) << 47)
			return false;
		content_add(content, codes, digests, people);
	}
	pfree(codes);
	pfree(digests);
	return VARSIZE_ANY_EXHDR(bytes) % packed_row_size(content) == 0;
}

/* ------------------------------------------------------ tuples of a recoding */

#define PACKED_TUPLE (sizeof(uint64) + sizeof(uint32))

void
content_add_tuple(Content *content, uint64 digest, uint32 class)
{
	if (content->tuples == NULL)
		content->tuples = key_counter_create(content->context, 1, 1024);
	*key_counter_candidate(content->tuples) = digest;

	/* two tuples hardly ever have the same digest; then the first is known */
	if (key_counter_find(content->tuples) == PG_UINT32_MAX)
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

bytea *
content_pack_tuples(const Content *content)
{
	uint32		n = content->tuples->nkeys;
	Size		size = VARHDRSZ + PACKED_TUPLE * n;
	bytea	   *bytes;
	unsigned char *at;

	if (size > MaxAllocSize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("recoding has too many tuples to be published"),
				 errdetail("It shows %u distinct tuples.", n)));
	bytes = palloc(size);
	at = (unsigned char *) VARDATA(bytes);
	SET_VARSIZE(bytes, size);
	for (uint32 i = 0; i < n; i++)
	{
		put_number(&at, content->tuples->keys[i], sizeof(uint64));
		put_number(&at, content->tuples->counts[i] - 1, sizeof(uint32));
	}
	return bytes;
}

bool
content_unpack_tuples(Content *content, const bytea *bytes)
{
	const unsigned char *at = (const unsigned char *) VARDATA_ANY(bytes);
	Size		n = VARSIZE_ANY_EXHDR(bytes) / PACKED_TUPLE;

	for (Size i = 0; i < n; i++)
	{
		uint64		digest = take_number(&at, sizeof(uint64));

		content_add_tuple(content, digest, (uint32) take_number(&at, sizeof(uint32)) & PG_INT32_MAX);
	}
	return VARSIZE_ANY_EXHDR(bytes) % PACKED_TUPLE == 0;
}

/* ---------------------------------------- an index of texts, including NULL */

int
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

TextIndex
index_texts(const char *const *texts, uint32 n)
{
	TextIndex	index = {n, texts, MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) n + 1))};

	for (uint32 i = 0; i < n; i++)
		index.order[i] = i;
	qsort_arg(index.order, n, sizeof(uint32), compare_numbered, (void *) texts);
	return index;
}

uint32
find_text(const TextIndex *index, const char *label)
{
	uint32		low = 0;
	uint32		high = index->n;

	while (low < high)
	{
		uint32		middle = low + (high - low) / 2;
		int			order = compare_texts(index->texts[index->order[middle]], label);

		if (order == 0)
			return index->order[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return PG_UINT32_MAX;
}
