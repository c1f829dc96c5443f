/*
 * entry_row.c
 *	  Rows of the tables in which releases are recorded, as structs.
 */
#include "release/entry_row.h"

#include "base/names.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* How a field is read and written in SQL. */
typedef struct KindInSql
{
	Oid			type;
	Oid			element;		/* of an array */
	const char *read;			/* a cast of the column, and */
	const char *write;			/* of a parameter */
} KindInSql;

static const KindInSql kinds[] = {
	[FIELD_ID] = {TEXTOID,.read = "::text",.write = "::uuid"},
	[FIELD_TEXT] = {TEXTOID},
	[FIELD_NAME] = {TEXTOID,.read = "::text",.write = "::name"},
	[FIELD_JSON] = {TEXTOID,.read = "::text",.write = "::jsonb"},
	[FIELD_WORD] = {TEXTOID},
	[FIELD_FLAG] = {TEXTOID},
	[FIELD_COUNT] = {INT8OID,.read = "::int8"},
	[FIELD_FIGURE] = {FLOAT8OID},
	[FIELD_TIME] = {TIMESTAMPTZOID},
	[FIELD_RELATION] = {INT8OID},
	[FIELD_BYTES] = {BYTEAOID},
	[FIELD_TEXTS] = {TEXTARRAYOID, TEXTOID},
	[FIELD_NAMES] = {TEXTARRAYOID, TEXTOID, "::text[]", "::name[]"},
	[FIELD_INTEGERS] = {INT4ARRAYOID, INT4OID},
	[FIELD_COUNTS] = {INT8ARRAYOID, INT8OID},
	[FIELD_RELATIONS] = {INT8ARRAYOID, INT8OID},
	[FIELD_CUTS] = {VARBITARRAYOID, VARBITOID},
	[FIELD_DIGESTS] = {BYTEAARRAYOID, BYTEAOID}
};

void
refuse_entry(const char *release)
{
	ereport(ERROR,
			(errcode(ERRCODE_CHECK_VIOLATION),
			 errmsg("entry of release %s is not sound", release),
			 errhint("Drop the release and publish it again.")));
}

/* ------------------------------------------------------------------- reading */

static inline bool
is_oid(int64 number)
{
	return number >= 0 && number <= OID_MAX;
}

QueryRows *
entry_rows(const EntryField *fields, int nfields, const char *rest, Oid type, Datum value)
{
	Oid		   *types = palloc(sizeof(Oid) * nfields);
	StringInfoData sql;

	initStringInfo(&sql);
	for (int i = 0; i < nfields; i++)
	{
		const KindInSql *kind = &kinds[fields[i].kind];
		const char *column = fields[i].read != NULL ? fields[i].read : psprintf("p.%s", fields[i].column);

		types[i] = kind->type;
		appendStringInfo(&sql, "%s%s%s", i > 0 ? ", " : "SELECT ", column,
						 kind->read == NULL ? "" : kind->read);
	}
	appendStringInfo(&sql, " FROM %s", rest);
	return read_catalog(sql.data, add_value(NULL, type, value, false), nfields, types);
}

/* An array of one dimension as one of C. */
static void *
read_array(const EntryField *field, Datum value, const char *release, int *n)
{
	ArrayType  *array = DatumGetArrayTypePCopy(value);
	Oid			type = kinds[field->kind].element;
	Datum	   *elements;
	bool	   *nulls;
	void	   *result;
	int16		length;
	bool		byval;
	char		align;

	if (ARR_NDIM(array) > 1 || ARR_ELEMTYPE(array) != type ||
		((field->flags & FIELD_NULLS) == 0 && array_contains_nulls(array)))
		refuse_entry(release);
	get_typlenbyvalalign(type, &length, &byval, &align);
	deconstruct_array(array, type, length, byval, align, &elements, &nulls, n);
	/* no element is wider than a datum */
	result = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(Datum) * ((Size) *n + 1));
	for (int i = 0; i < *n; i++)
		switch (field->kind)
		{
			case FIELD_TEXTS:
			case FIELD_NAMES:
				((char **) result)[i] = nulls[i] ? NULL : TextDatumGetCString(elements[i]);
				break;
			case FIELD_INTEGERS:
				((int *) result)[i] = DatumGetInt32(elements[i]);
				break;
			case FIELD_COUNTS:
				((int64 *) result)[i] = DatumGetInt64(elements[i]);
				break;
			case FIELD_RELATIONS:
				((Oid *) result)[i] = is_oid(DatumGetInt64(elements[i])) ?
					(Oid) DatumGetInt64(elements[i]) : InvalidOid;
				break;
			default:
				((Datum *) result)[i] = elements[i];
		}
	return result;
}

static void
read_field(const EntryField *field, Datum value, bool isnull, const char *release, char *into)
{
	void	   *at = into + field->at;

	if (isnull ? (field->flags & FIELD_REQUIRED) != 0 :
		(field->kind == FIELD_COUNT && (DatumGetInt64(value) < field->least ||
										DatumGetInt64(value) > field->most)) ||
		(field->kind == FIELD_RELATION && !is_oid(DatumGetInt64(value))))
		refuse_entry(release);
	if (OidIsValid(kinds[field->kind].element))
	{
		int		   *n = (int *) (into + field->given);

		*n = 0;
		*(void **) at = isnull ? NULL : read_array(field, value, release, n);
		return;
	}
	if (field->given != 0)
		*(bool *) (into + field->given) = !isnull;
	if (field->nwords > 0)
	{
		int			word = isnull ? field->nwords :
		find_name(TextDatumGetCString(value), field->words, field->nwords);

		if (word < 0)
			refuse_entry(release);
		if (field->kind == FIELD_FLAG)
			*(bool *) at = word == 1;
		else
			*(int *) at = word;
		return;
	}
	switch (field->kind)
	{
		case FIELD_COUNT:
			*(int64 *) at = isnull ? 0 : DatumGetInt64(value);
			break;
		case FIELD_FIGURE:
			*(double *) at = isnull ? 0 : DatumGetFloat8(value);
			break;
		case FIELD_TIME:
			*(TimestampTz *) at = isnull ? 0 : DatumGetTimestampTz(value);
			break;
		case FIELD_RELATION:
			*(Oid *) at = isnull ? InvalidOid : (Oid) DatumGetInt64(value);
			break;
		case FIELD_BYTES:
			*(bytea **) at = isnull ? NULL : DatumGetByteaPP(value);
			break;
		default:
			*(char **) at = isnull ? NULL : TextDatumGetCString(value);
	}
}

void
entry_read(const QueryRows *rows, int row, const char *release, const EntryField *fields, int nfields,
		   void *into)
{
	for (int i = 0; i < nfields; i++)
	{
		bool		isnull;
		Datum		value = row_value(rows, row, i, &isnull);

		read_field(&fields[i], value, isnull, release, into);
	}
}

/* ------------------------------------------------------------------- writing */

static Datum
array_value(const EntryField *field, const char *from, bool *isnull)
{
	int			n = *(const int *) (from + field->given);
	void	   *array = *(void *const *) (from + field->at);

	*isnull = n == 0 && (field->flags & FIELD_OPTIONAL) != 0;
	switch (field->kind)
	{
		case FIELD_TEXTS:
		case FIELD_NAMES:
			return texts_datum(array, n);
		case FIELD_INTEGERS:
			return integers_datum(array, n);
		case FIELD_COUNTS:
			return PointerGetDatum(construct_array(array, n, INT8OID, sizeof(int64), FLOAT8PASSBYVAL,
												   TYPALIGN_DOUBLE));
		case FIELD_RELATIONS:
			return numbers_datum(array, n);
		default:
			return PointerGetDatum(construct_array(array, n, kinds[field->kind].element, -1, false,
												   TYPALIGN_INT));
	}
}

static Datum
field_value(const EntryField *field, const char *from, bool *isnull)
{
	const void *at = from + field->at;

	if (OidIsValid(kinds[field->kind].element))
		return array_value(field, from, isnull);
	*isnull = field->given != 0 && !*(const bool *) (from + field->given);
	switch (field->kind)
	{
		case FIELD_WORD:
			*isnull = *(const int *) at == field->nwords;
			return *isnull ? (Datum) 0 : CStringGetTextDatum(field->words[*(const int *) at]);
		case FIELD_FLAG:
			return CStringGetTextDatum(field->words[*(const bool *) at ? 1 : 0]);
		case FIELD_COUNT:
			return Int64GetDatum(*(const int64 *) at);
		case FIELD_FIGURE:
			return Float8GetDatum(*(const double *) at);
		case FIELD_TIME:
			return TimestampTzGetDatum(*(const TimestampTz *) at);
		case FIELD_RELATION:
			*isnull = !OidIsValid(*(const Oid *) at);
			return Int64GetDatum((int64) *(const Oid *) at);
		case FIELD_BYTES:
			*isnull = *(bytea *const *) at == NULL;
			return PointerGetDatum(*(bytea *const *) at);
		default:
			*isnull = *(char *const *) at == NULL;
			return *isnull ? (Datum) 0 : CStringGetTextDatum(*(char *const *) at);
	}
}

/* Runs a statement whose parameters are all fields, by number from 1. */
static uint64
write_fields(const char *statement, const EntryField *fields, int nfields, const void *from)
{
	ParamListInfo params = NULL;

	for (int i = 0; i < nfields; i++)
	{
		bool		isnull;
		Datum		value = field_value(&fields[i], from, &isnull);

		params = add_value(params, kinds[fields[i].kind].type, value, isnull);
	}
	return write_catalog(statement, params);
}

static char *
parameter(const EntryField *fields, int i)
{
	const char *cast = kinds[fields[i].kind].write;

	return psprintf("$%d%s", i + 1, cast == NULL ? "" : cast);
}

void
entry_insert(const char *table, const EntryField *fields, int nfields, const void *from,
			 const char *columns, const char *values)
{
	StringInfoData names;
	StringInfoData numbers;

	initStringInfo(&names);
	initStringInfo(&numbers);
	for (int i = 0; i < nfields; i++)
		if ((fields[i].flags & FIELD_UNWRITTEN) == 0)
		{
			appendStringInfo(&names, "%s, ", fields[i].column);
			appendStringInfo(&numbers, "%s, ", parameter(fields, i));
		}
	(void) write_fields(psprintf("INSERT INTO anonopt.%s (%s%s) VALUES (%s%s)", table, names.data, columns,
								 numbers.data, values),
						fields, nfields, from);
}

uint64
entry_update(const char *table, const EntryField *fields, int nfields, const void *from, bool refreshes,
			 const char *assignments, const char *rest)
{
	int			fixed = refreshes ? FIELD_FIXED | FIELD_KEPT : FIELD_FIXED;
	StringInfoData sets;
	StringInfoData conditions;

	initStringInfo(&sets);
	initStringInfo(&conditions);
	for (int i = 0; i < nfields; i++)
	{
		if ((fields[i].flags & FIELD_UNWRITTEN) != 0)
			continue;
		if ((fields[i].flags & fixed) != 0)
			appendStringInfo(&conditions, " AND %s IS NOT DISTINCT FROM p.%s", parameter(fields, i),
							 fields[i].column);
		else
			appendStringInfo(&sets, "%s = %s, ", fields[i].column, parameter(fields, i));
		if (refreshes && fields[i].refresh != NULL)
			appendStringInfo(&conditions, " AND %s", psprintf(fields[i].refresh, parameter(fields, i)));
	}
	return write_fields(psprintf("UPDATE anonopt.%s p SET %s%s %s%s", table, sets.data, assignments, rest,
								 conditions.data),
						fields, nfields, from);
}
