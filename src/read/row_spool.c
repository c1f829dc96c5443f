/*
 * row_spool.c
 *	  A relation's rows, kept beside the population that is made of them.
 *
 * Each row is encoded as it comes, which numbers its group, and kept with
 * that number in a tuplestore.  Values are kept flat, neither compressed nor
 * out of line: how a value was stored would tell of its neighbours.
 */
#include "read/row_spool.h"

#include "base/budget.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "read/row_spool_parts.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

/* A digest of a value: equal values have the same, others hardly ever. */
static uint64
digest(const ValueType *type, Datum value)
{
	uint64		result;

	value = value_normal(type, value);
	/* numbers of enum values are other ones in a copy of the database */
	if (type_is_enum(type->type))
	{
		char	   *name = OidOutputFunctionCall(F_ENUM_OUT, value);

		result = hash_bytes_extended((unsigned char *) name, strlen(name), 1);
	}
	else if (type->kind == VALUE_INTEGER)
		result = word_hash(DatumGetUInt64(value) ^ UINT64CONST(0x9e3779b97f4a7c15));
	else if (type->kind == VALUE_TEXT)
		result = hash_bytes_extended((unsigned char *) VARDATA_ANY(DatumGetPointer(value)),
									 VARSIZE_ANY_EXHDR(DatumGetPointer(value)), 1);
	else
	{
		TypeCacheEntry *cache = lookup_type_cache(type->type, TYPECACHE_HASH_EXTENDED_PROC_FINFO);

		result = OidIsValid(cache->hash_extended_proc) ?
			DatumGetUInt64(FunctionCall2Coll(&cache->hash_extended_proc_finfo, type->collation, value, Int64GetDatum(1))) :
			word_hash(DatumGetUInt32(FunctionCall1Coll((FmgrInfo *) &type->hash, type->collation, value)));
	}
	return result == 0 ? 1 : result;
}

/* A varlena as nothing but its bytes; the rest as it is. */
static Datum
flat_value(Datum value, int16 length)
{
	return length == -1 ? PointerGetDatum(PG_DETOAST_DATUM(value)) : value;
}

/* What is read of a column: as it is, or as text where texts are told apart by their bytes. */
static void
begin_digests(RowSpool *spool, TupleDesc desc, const AttrNumber *numbers)
{
	spool->types = palloc0(sizeof(ValueType) * (spool->ncolumns + 1));
	for (int i = 0; i < spool->ncolumns; i++)
		if (spool->columns[i].digested)
		{
			Oid			type = getBaseType(TupleDescAttr(desc, numbers[i] - 1)->atttypid);

			value_type_init(&spool->types[i], type == VARCHAROID ? TEXTOID : type);
			spool->ndigested++;
		}
}

void
spool_begin_rows(RowSpool *spool, Relation relation, const AttrNumber *numbers)
{
	TupleDesc	desc = RelationGetDescr(relation);

	begin_digests(spool, desc, numbers);
	if (!spool->keeps_rows)
		return;
	spool->desc = CreateTemplateTupleDesc(spool->ncolumns + 1);
	TupleDescInitEntry(spool->desc, 1, "row_group", INT4OID, -1, 0);
	for (int i = 0; i < spool->ncolumns; i++)
		TupleDescCopyEntry(spool->desc, i + 2, desc, numbers[i]);
	spool->slot = MakeSingleTupleTableSlot(spool->desc, &TTSOpsMinimalTuple);
	spool->rows = tuplestore_begin_heap(false, false, Max(work_mem, maintenance_work_mem / 4));
}

/* Remembers what a new group's digested values are. */
static void
add_digests(RowSpool *spool, MemoryContext context, const Datum *values, const bool *nulls)
{
	uint64	   *digests;

	while (((Size) spool->ngroups + 1) * spool->ndigested > spool->digest_room)
		spool->digests = budget_grow(context, spool->digests, sizeof(uint64), &spool->digest_room);
	digests = spool->digests + (Size) spool->ngroups * spool->ndigested;
	for (int i = 0; i < spool->ncolumns; i++)
		if (spool->columns[i].digested)
			*digests++ = nulls[i] ? 0 : digest(&spool->types[i], values[i]);
}

void
spool_put(RowSpool *spool, MemoryContext context, uint32 group, Datum *values, bool *nulls)
{
	if (group == spool->ngroups)
	{
		if (spool->ndigested > 0)
			add_digests(spool, context, values + 1, nulls + 1);
		spool->ngroups++;
	}
	if (!spool->keeps_rows)
		return;
	values[0] = UInt32GetDatum(group);
	nulls[0] = false;
	for (int i = 1; i <= spool->ncolumns; i++)
		if (!nulls[i])
			values[i] = flat_value(values[i], TupleDescAttr(spool->desc, i)->attlen);
	tuplestore_putvalues(spool->rows, spool->desc, values, nulls);
}

void
spool_visit(RowSpool *spool, SpoolVisitor visit, void *arg)
{
	uint64		n = 0;

	tuplestore_rescan(spool->rows);
	while (tuplestore_gettupleslot(spool->rows, true, false, spool->slot))
	{
		if (n++ % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		slot_getallattrs(spool->slot);
		visit(arg, DatumGetUInt32(spool->slot->tts_values[0]), spool->slot->tts_values + 1, spool->slot->tts_isnull + 1);
	}
}

void
spool_end(RowSpool *spool)
{
	if (spool->rows == NULL)
		return;
	ExecDropSingleTupleTableSlot(spool->slot);
	tuplestore_end(spool->rows);
	spool->rows = NULL;
}
