/*
 * known_content.c
 *	  What releases showed, as stored in anonopt.published_content.
 */
#include "release/composition.h"

#include "catalog/pg_type.h"
#include "release/entry_row.h"
#include "utils/builtins.h"

/* Rows of a content that are stored as one part. */
#define PART_ROWS 500000

/* A part; labels and all else but rows are in the first one. */
typedef struct ContentPart
{
	int			nvalues;
	char	  **values;
	int			nlabels;		/* of all attributes */
	char	  **labels;
	int			nattrs;
	int		   *nlabels_of;		/* by attribute */
	bytea	   *rows;
	bytea	   *tuples;
	bool		has_difference;
	int64		difference;
} ContentPart;

#define OF_PART(member) offsetof(ContentPart, member)

static const EntryField part_fields[] = {
	{COLUMN("compared", FIELD_NAMES, FIELD_OPTIONAL, OF_PART(values)),.given = OF_PART(nvalues)},
	{COLUMN("labels", FIELD_TEXTS, FIELD_OPTIONAL | FIELD_NULLS, OF_PART(labels)),.given = OF_PART(nlabels)},
	{COLUMN("nlabels", FIELD_INTEGERS, FIELD_OPTIONAL, OF_PART(nlabels_of)),.given = OF_PART(nattrs)},
	{COLUMN("rows", FIELD_BYTES, FIELD_REQUIRED, OF_PART(rows))},
	{COLUMN("tuples", FIELD_BYTES, 0, OF_PART(tuples))},
	{COLUMN("difference", FIELD_COUNT, 0, OF_PART(difference)),.given = OF_PART(has_difference),.least = PG_INT64_MIN,.most = PG_INT64_MAX}
};

void
release_content_insert(const ReleaseEntry *entry, const Content *content, int64 difference)
{
	ContentPart part = {.nvalues = content->nvalues,.values = content->values,.nattrs = content->nattrs,
	.nlabels_of = (int *) content->nlabels,.has_difference = difference >= 0,.difference = difference};
	uint32		n = content->rows->nkeys;
	int			number = 0;

	for (int a = 0; a < content->nattrs; a++)
		part.nlabels += content->nlabels[a];
	part.labels = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(char *) * ((Size) part.nlabels + 1));
	for (int a = 0, at = 0; a < content->nattrs; at += content->nlabels[a++])
		memcpy(part.labels + at, content->labels[a], sizeof(char *) * content->nlabels[a]);
	if (content->tuples != NULL)
		part.tuples = content_pack_tuples(content);
	for (uint32 first = 0; first < n || number == 0; first += PART_ROWS)
	{
		part.rows = content_pack(content, first, Min(n - first, PART_ROWS));
		entry_insert("published_content", part_fields, lengthof(part_fields), &part, "id, version, part, made_at",
					 psprintf("'%s', (SELECT COALESCE(max(o.version) + %d, 0) FROM anonopt.published_content o WHERE o.id = '%s'), %d, clock_timestamp()",
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

	if (labels == NULL || part->nattrs != content->nattrs)
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

Content *
known_content_load(const KnownContent *known, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	const ReleaseEntry *release = &known->release;
	Content    *content = NULL;
	QueryRows  *rows = entry_rows(part_fields, lengthof(part_fields),
								  psprintf("anonopt.published_content p WHERE p.id = $1::uuid AND p.version = " INT64_FORMAT " ORDER BY p.part", known->version),
								  TEXTOID, CStringGetTextDatum(release->id));

	for (int i = 0; i < rows->n; i++)
	{
		ContentPart part;

		entry_read(rows, i, release->name, part_fields, lengthof(part_fields), &part);
		if (i == 0)
		{
			content = content_create(context, release->ngeneralized, part.nvalues, 1024);
			content->attrs = release->generalized;
			content->values = part.values;
			if (!take_labels(content, &part) || (part.tuples != NULL && !content_unpack_tuples(content, part.tuples)))
				refuse_entry(release->name);
		}
		if (!content_unpack(content, part.rows))
			refuse_entry(release->name);
	}
	MemoryContextSwitchTo(old);
	return content;
}
