/*
 * value.c
 *	  Values of any type: compared, hashed, and numbered in order of arrival.
 */
#include "read/encoder.h"

#include "base/budget.h"
#include "base/packed_key.h"
#include "catalog/pg_type.h"
#include "catalog/type_match.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

typedef struct ValueEntry
{
	uint32		number;
	uint32		hash;
	char		status;
} ValueEntry;

bool
type_is_integer_like(Oid type)
{
	return type_is_integer(type) || type_is_moment(type) || type == BOOLOID || type == TIMEOID || type == MONEYOID;
}

void
value_type_init(ValueType *type, Oid oid)
{
	TypeCacheEntry *cache;

	memset(type, 0, sizeof(ValueType));
	type->type = oid;
	get_typlenbyval(oid, &type->length, &type->byval);
	if (type_is_integer_like(oid) && type->byval)
	{
		type->kind = VALUE_INTEGER;
		return;
	}
	if (oid == TEXTOID)
	{
		type->kind = VALUE_TEXT;
		return;
	}
	type->kind = VALUE_ANY;
	cache = lookup_type_cache(oid, TYPECACHE_CMP_PROC_FINFO | TYPECACHE_HASH_PROC_FINFO);
	if (!OidIsValid(cache->cmp_proc) || !OidIsValid(cache->hash_proc))
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("type %s has no default order and hash", format_type_be(oid)),
				 errhint("Declare a view that casts the column to text.")));
	type->collation = cache->typcollation;
	fmgr_info_copy(&type->compare, &cache->cmp_proc_finfo, CurrentMemoryContext);
	fmgr_info_copy(&type->hash, &cache->hash_proc_finfo, CurrentMemoryContext);
}

Datum
value_normal(const ValueType *type, Datum value)
{
	if (type->kind != VALUE_INTEGER)
		return type->length == -1 ? PointerGetDatum(PG_DETOAST_DATUM_PACKED(value)) : value;
	switch (type->length)
	{
		case 1:
			return Int64GetDatum(DatumGetChar(value));
		case 2:
			return Int64GetDatum(DatumGetInt16(value));
		case 4:
			return Int64GetDatum(DatumGetInt32(value));
		default:
			return value;
	}
}

char *
value_text(Oid type, Datum value)
{
	Oid			output;
	bool		is_varlena;

	getTypeOutputInfo(type, &output, &is_varlena);
	return OidOutputFunctionCall(output, value);
}

int
value_compare(const ValueType *type, Datum a, Datum b)
{
	switch (type->kind)
	{
		case VALUE_INTEGER:
			{
				int64		x = DatumGetInt64(a);
				int64		y = DatumGetInt64(b);

				return x < y ? -1 : x > y;
			}
		case VALUE_TEXT:
			{
				struct varlena *x = (struct varlena *) DatumGetPointer(a);
				struct varlena *y = (struct varlena *) DatumGetPointer(b);
				int			lx = VARSIZE_ANY_EXHDR(x);
				int			ly = VARSIZE_ANY_EXHDR(y);
				int			order = memcmp(VARDATA_ANY(x), VARDATA_ANY(y), Min(lx, ly));

				return order != 0 ? order : lx - ly;
			}
		default:
			return DatumGetInt32(FunctionCall2Coll((FmgrInfo *) &type->compare, type->collation, a, b));
	}
}

/* Eight bytes of a text at a position, or fewer at its end. */
static inline uint64
text_word(const char *bytes, Size length)
{
	uint64		word = 0;

	if (length >= sizeof(uint64))
		memcpy(&word, bytes, sizeof(uint64));
	else
		for (Size i = 0; i < length; i++)
			word = word << 8 | (unsigned char) bytes[i];
	return word;
}

/*
 * Computed for every row, mostly of short texts, so it takes eight bytes at a
 * time.
 */
static inline uint32
text_hash(const struct varlena *value)
{
	const char *bytes = VARDATA_ANY(value);
	Size		length = VARSIZE_ANY_EXHDR(value);
	uint64		hash = length;
	Size		at = 0;

	for (; at + sizeof(uint64) <= length; at += sizeof(uint64))
		hash = word_hash(hash ^ text_word(bytes + at, sizeof(uint64)));

	/*
	 * the last eight bytes, which may overlap the previous ones, if there are
	 * that many
	 */
	if (at < length)
		hash = word_hash(hash ^ (length > sizeof(uint64) ? text_word(bytes + length - sizeof(uint64), sizeof(uint64)) :
								 text_word(bytes, length)));
	return (uint32) (hash >> 32);
}

static inline uint32
value_hash(const ValueType *type, Datum value)
{
	switch (type->kind)
	{
		case VALUE_INTEGER:
			return (uint32) (word_hash((uint64) DatumGetInt64(value)) >> 32);
		case VALUE_TEXT:
			return text_hash((struct varlena *) DatumGetPointer(value));
		default:
			return DatumGetUInt32(FunctionCall1Coll((FmgrInfo *) &type->hash, type->collation, value));
	}
}

static inline bool
value_equal(const ValueType *type, Datum a, Datum b)
{
	if (type->kind == VALUE_TEXT)
	{
		struct varlena *x = (struct varlena *) DatumGetPointer(a);
		struct varlena *y = (struct varlena *) DatumGetPointer(b);
		Size		length = VARSIZE_ANY_EXHDR(x);

		return length == VARSIZE_ANY_EXHDR(y) && memcmp(VARDATA_ANY(x), VARDATA_ANY(y), length) == 0;
	}
	return value_compare(type, a, b) == 0;
}

#define DICTIONARY(tb) ((Dictionary *) (tb)->private_data)
#define SH_PREFIX valueindex
#define SH_ELEMENT_TYPE ValueEntry
#define SH_KEY_TYPE uint32
#define SH_KEY number
#define SH_HASH_KEY(tb, key) value_hash(&DICTIONARY(tb)->type, DICTIONARY(tb)->values[key])
#define SH_EQUAL(tb, a, b) value_equal(&DICTIONARY(tb)->type, DICTIONARY(tb)->values[a], DICTIONARY(tb)->values[b])
#define SH_STORE_HASH
#define SH_GET_HASH(tb, a) (a)->hash
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

Dictionary *
dictionary_create(MemoryContext context, const ValueType *type)
{
	Dictionary *dictionary = MemoryContextAllocZero(context, sizeof(Dictionary));

	dictionary->context = context;
	dictionary->type = *type;
	dictionary->values = budget_grow(context, NULL, sizeof(Datum), &dictionary->capacity);
	dictionary->index = valueindex_create(context, 32, dictionary);
	return dictionary;
}

/* The number of a value in normal form, or NO_LEAF. */
uint32
dictionary_find(Dictionary *dictionary, Datum value)
{
	ValueEntry *entry;

	/*
	 * the value to look up is stored behind the last one, as the key of its
	 * number
	 */
	dictionary->values[dictionary->nvalues] = value;
	entry = valueindex_lookup(dictionary->index, dictionary->nvalues);
	return entry == NULL ? NO_LEAF : entry->number;
}

/* The number of a value in normal form, a new one if it is not known. */
uint32
dictionary_add(Dictionary *dictionary, Datum value, bool *known)
{
	uint32		number = dictionary_find(dictionary, value);
	bool		found;

	*known = number != NO_LEAF;
	if (*known)
		return number;
	if (dictionary->index->members >= dictionary->index->grow_threshold)
		budget_require(dictionary->context, dictionary->index->size * 2 * sizeof(ValueEntry));
	number = dictionary->nvalues;
	if (dictionary->type.kind != VALUE_INTEGER && !dictionary->type.byval)
	{
		/* a copy that outlives its row */
		MemoryContext old;

		budget_require(dictionary->context, datumGetSize(value, false, dictionary->type.length));
		old = MemoryContextSwitchTo(dictionary->context);
		value = datumCopy(value, false, dictionary->type.length);
		MemoryContextSwitchTo(old);
	}
	dictionary->values[number] = value;
	valueindex_insert(dictionary->index, number, &found);
	if (++dictionary->nvalues >= dictionary->capacity)
		dictionary->values = budget_grow(dictionary->context, dictionary->values,
										 sizeof(Datum), &dictionary->capacity);
	return number;
}

#define ST_SORT sort_numbers
#define ST_ELEMENT_TYPE uint32
#define ST_COMPARE(a, b, arg) value_compare(&(arg)->type, (arg)->values[*(a)], (arg)->values[*(b)])
#define ST_COMPARE_ARG_TYPE Dictionary
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DECLARE
#define ST_DEFINE
#include "lib/sort_template.h"

uint32 *
dictionary_ranks(const Dictionary *dictionary)
{
	MemoryContext context = CurrentMemoryContext;
	Size		size = sizeof(uint32) * ((Size) dictionary->nvalues + 1);
	uint32	   *order;
	uint32	   *ranks;

	budget_require(context, 2 * size);
	order = MemoryContextAllocHuge(context, size);
	ranks = MemoryContextAllocHuge(context, size);

	for (uint32 i = 0; i < dictionary->nvalues; i++)
		order[i] = i;
	sort_numbers(order, dictionary->nvalues, (Dictionary *) dictionary);
	for (uint32 i = 0; i < dictionary->nvalues; i++)
		ranks[order[i]] = i;
	pfree(order);
	return ranks;
}
