/*
 * arrays.c
 *	  Arrays of one dimension, as values of a statement or a result.
 */
#include "catalog/arrays.h"

#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "utils/array.h"
#include "utils/builtins.h"

static Datum *
new_elements(int n)
{
	return MemoryContextAllocHuge(CurrentMemoryContext, sizeof(Datum) * ((Size) n + 1));
}

Datum
texts_datum(const char *const *texts, int n)
{
	Datum	   *elements = new_elements(n);
	bool	   *nulls = MemoryContextAllocHuge(CurrentMemoryContext, (Size) n + 1);
	int			bounds[1] = {1};

	for (int i = 0; i < n; i++)
	{
		nulls[i] = texts[i] == NULL;
		elements[i] = nulls[i] ? (Datum) 0 : CStringGetTextDatum(texts[i]);
	}
	return PointerGetDatum(construct_md_array(elements, nulls, 1, &n, bounds, TEXTOID, -1, false, TYPALIGN_INT));
}

Datum
names_datum(char *const *names, int n)
{
	Datum	   *elements = new_elements(n);

	for (int i = 0; i < n; i++)
		elements[i] = name_datum(names[i]);
	return PointerGetDatum(construct_array(elements, n, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR));
}

Datum
integers_datum(const int *integers, int n)
{
	Datum	   *elements = new_elements(n);

	for (int i = 0; i < n; i++)
		elements[i] = Int32GetDatum(integers[i]);
	return PointerGetDatum(construct_array(elements, n, INT4OID, sizeof(int32), true, TYPALIGN_INT));
}

Datum
doubles_datum(const double *doubles, int n)
{
	Datum	   *elements = new_elements(n);

	for (int i = 0; i < n; i++)
		elements[i] = Float8GetDatum(doubles[i]);
	return PointerGetDatum(construct_array(elements, n, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

Datum
oids_datum(const List *oids, Oid type)
{
	int			n = list_length(oids);
	Datum	   *elements = new_elements(n);

	for (int i = 0; i < n; i++)
		elements[i] = ObjectIdGetDatum(list_nth_oid(oids, i));
	return PointerGetDatum(construct_array(elements, n, type, sizeof(Oid), true, TYPALIGN_INT));
}

Datum
numbers_datum(const Oid *oids, int n)
{
	Datum	   *elements = new_elements(n);

	for (int i = 0; i < n; i++)
		elements[i] = Int64GetDatum(oids[i]);
	return PointerGetDatum(construct_array(elements, n, INT8OID, sizeof(int64), true, TYPALIGN_DOUBLE));
}
