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
#include "utils/varbit.h"

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
	return row_value(row->rows, row->number, column - 1, isnull);
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

char **
nullable_texts_field(const EntryRow *row, int column, int *n)
{
	bool		isnull;
	Datum		value = row_field(row, column, &isnull);
	Datum	   *elements;
	bool	   *nulls;
	char	  **texts;

	*n = 0;
	if (isnull)
		return NULL;
	if (ARR_NDIM(DatumGetArrayTypeP(value)) > 1)
		refuse_entry(row);
	deconstruct_array(DatumGetArrayTypePCopy(value), TEXTOID, -1, false, TYPALIGN_INT, &elements, &nulls, n);
	texts = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(char *) * ((Size) *n + 1));
	for (int i = 0; i < *n; i++)
		texts[i] = nulls[i] ? NULL : TextDatumGetCString(elements[i]);
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

/* The labels that cuts part: one more than the bits of each. */
static char **
cut_labels(const EntryRow *row, int column, const Datum *cuts, int ncuts)
{
	int64		parted = 0;
	int			n;
	char	  **labels = nullable_texts_field(row, column, &n);

	for (int i = 0; i < ncuts; i++)
		parted += (int64) VARBITLEN(DatumGetVarBitP(cuts[i])) + 1;
	if (parted != n)
		refuse_entry(row);
	return labels;
}

Generalization
generalization_field(const EntryRow *row, int first, int nattrs)
{
	Generalization by = {BY_RECORDS};
	int			nlevels;
	int			ncuts;
	int		   *levels = integers_field(row, first, &nlevels);
	Datum	   *cuts = elements_field(row, first + 1, VARBITOID, &ncuts);
	char	   *name = text_field(row, first + 2);

	if ((nlevels > 0) + (ncuts > 0) + (name != NULL) > 1 || (nlevels > 0 && nlevels != nattrs) || (ncuts > 0 && ncuts != nattrs))
		refuse_entry(row);
	if (nlevels > 0)
	{
		by.kind = BY_LEVELS;
		by.levels = levels;
		for (int i = 0; i < nlevels; i++)
			if (levels[i] < 0)
				refuse_entry(row);
	}
	else if (ncuts > 0)
	{
		by.kind = BY_CUTS;
		by.cuts.bits = cuts;
		by.cuts.labels = cut_labels(row, first + 5, cuts, ncuts);
	}
	else if (name != NULL)
	{
		int			labels = recoding_labels_by_name(required_text(row, first + 4));

		if (labels < 0)
			refuse_entry(row);
		by.kind = BY_RECODING;
		by.recoding.name = name;
		by.recoding.table = (Oid) number_field(row, first + 3, 0, PG_UINT32_MAX);
		by.recoding.labels = (RecodingLabels) labels;
	}
	return by;
}
