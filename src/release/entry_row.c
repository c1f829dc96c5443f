/*
 * entry_row.c
 *	  Rows of our tables of releases: reads and checks their columns, and
 *	  prepares values to be written.
 */
#include "release/entry_row.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

void
refuse_entry(const EntryRow *row)
{
	ereport(ERROR,
			(errcode(ERRCODE_CHECK_VIOLATION),
			 errmsg("entry of release %s is not sound", row->what),
			 errhint("Drop the release and publish it again.")));
}

Datum
row_field(const EntryRow *row, int column, bool *isnull)
{
	return catalog_value(row->rows, row->number, column - 1, isnull);
}

char *
text_field(const EntryRow *row, int column)
{
	bool		isnull;
	Datum		value = row_field(row, column, &isnull);

	return isnull ? NULL : TextDatumGetCString(value);
}

char *
required_text(const EntryRow *row, int column)
{
	char	   *text = text_field(row, column);

	if (text == NULL)
		refuse_entry(row);
	return text;
}

int64
number_field(const EntryRow *row, int column, int64 least, int64 most)
{
	bool		isnull;
	int64		value = DatumGetInt64(row_field(row, column, &isnull));

	if (isnull || value < least || value > most)
		refuse_entry(row);
	return value;
}

Datum *
elements_field(const EntryRow *row, int column, Oid type, int *n)
{
	bool		isnull;
	Datum		value = row_field(row, column, &isnull);
	ArrayType  *array;
	Datum	   *elements;
	bool	   *nulls;
	int16		length;
	bool		byval;
	char		align;

	*n = 0;
	if (isnull)
		return NULL;
	array = DatumGetArrayTypePCopy(value);
	if (ARR_NDIM(array) > 1 || ARR_ELEMTYPE(array) != type || array_contains_nulls(array))
		refuse_entry(row);
	get_typlenbyvalalign(type, &length, &byval, &align);
	deconstruct_array(array, type, length, byval, align, &elements, &nulls, n);
	return elements;
}

char **
texts_field(const EntryRow *row, int column, int *n)
{
	Datum	   *elements = elements_field(row, column, TEXTOID, n);
	char	  **texts = palloc(sizeof(char *) * (*n + 1));

	for (int i = 0; i < *n; i++)
		texts[i] = TextDatumGetCString(elements[i]);
	return texts;
}

int *
integers_field(const EntryRow *row, int column, int *n)
{
	Datum	   *elements = elements_field(row, column, INT4OID, n);
	int		   *integers = palloc(sizeof(int) * (*n + 1));

	for (int i = 0; i < *n; i++)
		integers[i] = DatumGetInt32(elements[i]);
	return integers;
}

Oid *
oids_field(const EntryRow *row, int column, int *n)
{
	Datum	   *elements = elements_field(row, column, INT8OID, n);
	Oid		   *oids = palloc(sizeof(Oid) * (*n + 1));

	for (int i = 0; i < *n; i++)
	{
		int64		oid = DatumGetInt64(elements[i]);

		oids[i] = oid > 0 && oid <= OID_MAX ? (Oid) oid : InvalidOid;
	}
	return oids;
}
