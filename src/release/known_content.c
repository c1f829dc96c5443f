/*
 * known_content.c
 *	  What releases showed, as stored in anonopt.published_content.
 */
#include "release/composition.h"

#include "catalog/sql.h"
#include "catalog/own_objects.h"
#include "catalog/pg_type.h"
#include "engine/population.h"
#include "release/entry_row.h"
#include "utils/array.h"
#include "utils/builtins.h"

/* Rows of a content that are stored as one part. */
#define PART_ROWS 500000

static Datum
labels_datum(const Content *content)
{
	int			n = 0;
	int			at = 0;
	const char **labels;

	for (int a = 0; a < content->nattrs; a++)
		n += content->nlabels[a];
	labels = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(char *) * ((Size) n + 1));
	for (int a = 0; a < content->nattrs; a++)
		for (uint32 code = 0; code < content->nlabels[a]; code++)
			labels[at++] = content->labels[a][code];
	return texts_datum(labels, n);
}

void
release_content_insert(const ReleaseEntry *entry, const Content *content, int64 difference)
{
	Oid			types[8] = {TEXTOID, INT4OID, NAMEARRAYOID, TEXTARRAYOID, INT4ARRAYOID, BYTEAOID, INT8OID, BYTEAOID};
	Datum		values[8];
	char		nulls[9] = "        ";
	uint32		n = content->rows->nkeys;
	int			part = 0;

	values[0] = CStringGetTextDatum(entry->id);
	values[2] = names_datum(content->values, content->nvalues);
	values[3] = labels_datum(content);
	values[4] = integers_datum((const int *) content->nlabels, content->nattrs);
	nulls[6] = difference < 0 ? 'n' : ' ';
	values[6] = Int64GetDatum(difference);
	nulls[7] = content->tuples == NULL ? 'n' : ' ';
	values[7] = content->tuples == NULL ? (Datum) 0 : PointerGetDatum(content_pack_tuples(content));
	for (uint32 first = 0; first < n || part == 0; first += PART_ROWS)
	{
		bytea	   *bytes = content_pack(content, first, Min(n - first, PART_ROWS));

		values[1] = Int32GetDatum(part);
		values[5] = PointerGetDatum(bytes);
		write_catalog("INSERT INTO anonopt.published_content (id, version, part, made_at, told, labels, nlabels, rows, difference, tuples)"
					  " SELECT $1::uuid, (SELECT COALESCE(max(o.version) + CASE WHEN $2 = 0 THEN 1 ELSE 0 END, 0)"
					  " FROM anonopt.published_content o WHERE o.id = $1::uuid), $2, clock_timestamp(), $3, $4, $5, $6, $7, $8", 8, types, values, nulls);
		pfree(bytes);
		part++;
		nulls[2] = nulls[3] = nulls[4] = nulls[6] = nulls[7] = 'n';
	}
}

static void
read_known(const EntryRow *row, KnownContent *known)
{
	int			n;
	bool		isnull;

	known->id = required_text(row, 1);
	known->version = DatumGetInt32(row_field(row, 2, &isnull));
	if (isnull)
		known->version = -1;
	known->relation = (Oid) number_field(row, 3, 0, OID_MAX);
	known->name = required_text(row, 4);
	known->dataset = required_text(row, 5);
	known->k = number_field(row, 6, 1, PG_INT32_MAX);
	known->generalized = texts_field(row, 7, &known->nattrs);
	known->hierarchies = oids_field(row, 8, &n);
	known->difference = DatumGetInt64(row_field(row, 9, &isnull));
	if (isnull || known->difference < 0)
		known->difference = -1;
	known->by = generalization_field(row, 10, known->nattrs);
	if (known->nattrs == 0 || known->nattrs > MAX_ATTRIBUTES || n < known->nattrs)
		refuse_entry(row);
}

KnownContent *
known_contents(Oid source, int *n)
{
	Oid			types[1] = {INT8OID};
	Datum		values[1] = {Int64GetDatum(source)};
	const Oid	results[] = {TEXTOID, INT4OID, INT8OID, TEXTOID, TEXTOID, INT8OID, TEXTARRAYOID, INT8ARRAYOID, INT8OID, GENERALIZATION_TYPES};
	KnownContent *contents;
	QueryRows  *rows;

	rows = read_catalog("SELECT p.id::text, c.version, COALESCE(" FIND_RELEASE "::int8, p.relation), p.name, p.dataset, p.k,"
						" p.generalized::text[], " RESOLVED_HIERARCHIES ", c.difference, " GENERALIZATION_COLUMNS

						" FROM anonopt.published p LEFT JOIN anonopt.published_content c ON c.id = p.id AND c.part = 0"
						" WHERE " RESOLVED("p.source", "p.source_name") " = $1 ORDER BY COALESCE(c.made_at, p.published_at), p.id",
						1, types, values, lengthof(results), results);
	*n = rows->n;
	contents = palloc0(sizeof(KnownContent) * (*n + 1));
	for (int i = 0; i < *n; i++)
	{
		EntryRow	row = {rows, i, "of earlier times"};

		read_known(&row, &contents[i]);
	}
	return contents;
}

/* The labels of a content, from the concatenated labels of all attributes. */
static bool
take_labels(Content *content, const EntryRow *row)
{
	int			nlabels;
	int			nattrs;
	char	  **labels = nullable_texts_field(row, 2, &nlabels);
	int		   *counts = integers_field(row, 3, &nattrs);

	if (labels == NULL || nattrs != content->nattrs)
		return false;
	for (int a = 0; a < nattrs; a++)
	{
		if (counts[a] < 0 || counts[a] > nlabels)
			return false;
		content->nlabels[a] = counts[a];
		content->labels[a] = (const char **) labels;
		labels += counts[a];
		nlabels -= counts[a];
	}
	return true;
}

/* The tuples of a content, if it is of a recoding. */
static bool
take_tuples(Content *content, const EntryRow *row)
{
	bool		isnull;
	Datum		bytes = row_field(row, 5, &isnull);

	return isnull || content_unpack_tuples(content, DatumGetByteaPP(bytes));
}

Content *
known_content_load(const KnownContent *known, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	Oid			types[2] = {TEXTOID, INT4OID};
	Datum		values[2] = {CStringGetTextDatum(known->id), Int32GetDatum(known->version)};
	const Oid	results[] = {TEXTARRAYOID, TEXTARRAYOID, INT4ARRAYOID, BYTEAOID, BYTEAOID};
	Content    *content = NULL;
	QueryRows  *rows;

	rows = read_catalog("SELECT c.told::text[], c.labels, c.nlabels, c.rows, c.tuples FROM anonopt.published_content c"
						" WHERE c.id = $1::uuid AND c.version = $2 ORDER BY c.part", 2, types, values, lengthof(results), results);
	for (int i = 0; i < rows->n; i++)
	{
		EntryRow	row = {rows, i, known->name};
		bool		isnull;
		Datum		bytes = row_field(&row, 4, &isnull);

		if (i == 0)
		{
			int			nvalues;
			char	  **told = texts_field(&row, 1, &nvalues);

			content = content_create(context, known->nattrs, nvalues, 1024);
			content->attrs = known->generalized;
			content->values = told;
			if (!take_labels(content, &row) || !take_tuples(content, &row))
				refuse_entry(&row);
		}
		if (isnull || !content_unpack(content, DatumGetByteaPP(bytes)))
			refuse_entry(&row);
	}
	MemoryContextSwitchTo(old);
	return content;
}
