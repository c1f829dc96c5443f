/*
 * encoder.c
 *	  Encodes a column's values while rows are read.
 */
#include "read/encoder.h"

#include <math.h>

#include "access/parallel.h"
#include "base/budget.h"
#include "base/bytes.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/rangetypes.h"

typedef struct RangeLeaf
{
	RangeBound	lower;
	RangeBound	upper;
	uint32		code;
} RangeLeaf;

/* Leaves that are ranges, in their order. */
typedef struct RangeLeaves
{
	Oid			type;
	FmgrInfo	compare;
	Oid			collation;
	uint32		nleaves;
	RangeLeaf  *leaves;
	Datum	   *values;			/* as they were given */
} RangeLeaves;

void
encoder_open(Encoder *encoder, MemoryContext context, const char *column, Oid type)
{
	memset(encoder, 0, sizeof(Encoder));
	encoder->column = column;
	encoder->miss_code = NO_LEAF;
	value_type_init(&encoder->type, type);
	encoder->null_code = 0;
	encoder->dictionary = dictionary_create(context, &encoder->type);
}

/* Stores ranges with their bounds decoded; they are sorted and do not overlap. */
static RangeLeaves *
range_leaves(Oid type, const Datum *values, uint32 nleaves, const uint32 *codes)
{
	TypeCacheEntry *cache = lookup_type_cache(type, TYPECACHE_RANGE_INFO);
	RangeLeaves *ranges = palloc(sizeof(RangeLeaves));

	ranges->type = type;
	fmgr_info_copy(&ranges->compare, &cache->rng_cmp_proc_finfo, CurrentMemoryContext);
	ranges->collation = cache->rng_collation;
	ranges->nleaves = 0;
	ranges->leaves = budget_alloc(sizeof(RangeLeaf), (Size) nleaves + 1);
	ranges->values = budget_alloc(sizeof(Datum), (Size) nleaves + 1);
	for (uint32 i = 0; i < nleaves; i++)
	{
		RangeLeaf  *leaf = &ranges->leaves[ranges->nleaves];
		bool		empty;

		range_deserialize(cache, DatumGetRangeTypeP(values[i]), &leaf->lower, &leaf->upper, &empty);
		/* an empty range is a leaf that matches no value */
		if (empty)
			continue;
		leaf->code = codes[i];
		ranges->values[ranges->nleaves++] = values[i];
	}
	return ranges;
}

void
encoder_leaves(Encoder *encoder, MemoryContext context, const char *column, const char *hierarchy,
			   Oid type, Oid leaf_type, const Datum *leaves, uint32 nleaves, const uint32 *codes,
			   uint32 null_code, uint32 ncodes)
{
	memset(encoder, 0, sizeof(Encoder));
	encoder->column = column;
	encoder->hierarchy = hierarchy;
	encoder->null_code = null_code;
	encoder->miss_code = NO_LEAF;
	encoder->ncodes = ncodes;
	value_type_init(&encoder->type, type);
	if (type != leaf_type && type_is_range(leaf_type))
	{
		encoder->ranges = range_leaves(leaf_type, leaves, nleaves, codes);
		return;
	}
	encoder->dictionary = dictionary_create(context, &encoder->type);
	budget_require(context, sizeof(uint32) * ((Size) nleaves + 1));
	encoder->codes = MemoryContextAllocHuge(context, sizeof(uint32) * ((Size) nleaves + 1));
	for (uint32 i = 0; i < nleaves; i++)
	{
		bool		known;
		uint32		number = dictionary_add(encoder->dictionary, leaves[i], &known);

		encoder->codes[number] = codes[i];
	}
}

/* Assigns every encoder its field; columns with unknown codes get 32 bits. */
void
encoders_lay_out(EncoderSet *set)
{
	int			left = 0;

	set->nwords = 0;
	for (int i = 0; i < set->nencoders; i++)
	{
		Encoder    *encoder = &set->encoders[i];
		uint64		ncodes = encoder->ncodes > 0 ? encoder->ncodes : UINT64CONST(1) << 32;

		encoder->field = key_add_field(&set->nwords, &left, ncodes);
	}
	set->nwords = Max(set->nwords, 1);
}

static int
compare_bound(const RangeLeaves *ranges, const RangeBound *bound, Datum value)
{
	return DatumGetInt32(FunctionCall2Coll((FmgrInfo *) &ranges->compare, ranges->collation, bound->val, value));
}

/* Whether a value is on the inner side of a range's lower or upper bound. */
static bool
bound_admits(const RangeLeaves *ranges, const RangeBound *bound, Datum value)
{
	int			order = bound->infinite ? -1 : compare_bound(ranges, bound, value);

	if (!bound->infinite && !bound->lower)
		order = -order;
	return order < 0 || (order == 0 && bound->inclusive);
}

/*
 * The code of the range that contains a value: the last one that does not
 * start after it, if it ends after it.
 */
static uint32
range_code(const RangeLeaves *ranges, Datum value)
{
	uint32		low = 0;
	uint32		high = ranges->nleaves;

	while (low < high)
	{
		uint32		middle = low + (high - low) / 2;

		if (bound_admits(ranges, &ranges->leaves[middle].lower, value))
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || !bound_admits(ranges, &ranges->leaves[low - 1].upper, value))
		return NO_LEAF;
	return ranges->leaves[low - 1].code;
}

static bool
is_nan(Oid type, Datum value)
{
	switch (type)
	{
		case NUMERICOID:
			return numeric_is_nan(DatumGetNumeric(value));
		case FLOAT4OID:
			return isnan(DatumGetFloat4(value));
		case FLOAT8OID:
			return isnan(DatumGetFloat8(value));
		default:
			return false;
	}
}

uint32
encode(Encoder *encoder, Datum value, bool isnull)
{
	uint32		number;
	bool		known;

	if (isnull)
		return encoder->null_code;
	if (encoder->hierarchy == NULL)
		return dictionary_add(encoder->dictionary, value_normal(&encoder->type, value), &known) + 1;
	if (encoder->type.kind == VALUE_ANY && is_nan(encoder->type.type, value))
		return NO_LEAF;
	if (encoder->ranges != NULL)
		return range_code(encoder->ranges, value);
	number = dictionary_find(encoder->dictionary, value_normal(&encoder->type, value));
	return number == NO_LEAF ? NO_LEAF : encoder->codes[number];
}

static void
append_string(StringInfo buffer, const char *string)
{
	appendBinaryStringInfo(buffer, string, strlen(string) + 1);
}

static void
append_datum(StringInfo buffer, Datum value, bool byval, int16 length)
{
	Size		size = datumEstimateSpace(value, false, byval, length);
	char	   *end;

	enlargeStringInfo(buffer, size);
	end = buffer->data + buffer->len;
	datumSerialize(value, false, byval, length, &end);
	buffer->len += size;
}

static void
serialize_encoder(StringInfo buffer, const Encoder *encoder)
{
	bool		integers = encoder->type.kind == VALUE_INTEGER;
	uint32		nleaves;

	append_string(buffer, encoder->column);
	append_string(buffer, encoder->hierarchy == NULL ? "" : encoder->hierarchy);
	append_uint32(buffer, encoder->type.type);
	append_uint32(buffer, encoder->null_code);
	append_uint32(buffer, encoder->miss_code);
	append_uint32(buffer, encoder->ncodes);
	append_uint32(buffer, encoder->ranges == NULL ? InvalidOid : encoder->ranges->type);
	if (encoder->hierarchy == NULL)
		return;
	nleaves = encoder->ranges == NULL ? encoder->dictionary->nvalues : encoder->ranges->nleaves;
	append_uint32(buffer, nleaves);
	for (uint32 i = 0; i < nleaves; i++)
		append_uint32(buffer, encoder->ranges == NULL ? encoder->codes[i] : encoder->ranges->leaves[i].code);
	for (uint32 i = 0; i < nleaves; i++)
	{
		if (encoder->ranges != NULL)
			append_datum(buffer, encoder->ranges->values[i], false, -1);
		else
			append_datum(buffer, encoder->dictionary->values[i],
						 integers || encoder->type.byval, integers ? 8 : encoder->type.length);
	}
}

Datum
encoders_value(EncoderSet *set, bool for_workers)
{
	StringInfoData buffer;

	initStringInfo(&buffer);
	appendStringInfoSpaces(&buffer, VARHDRSZ);
	appendBinaryStringInfo(&buffer, (char *) &set, sizeof(set));
	if (for_workers)
	{
		append_uint32(&buffer, set->nencoders);
		append_uint32(&buffer, set->has_count);
		for (int i = 0; i < set->nencoders; i++)
			serialize_encoder(&buffer, &set->encoders[i]);
	}
	SET_VARSIZE(buffer.data, buffer.len);
	return PointerGetDatum(buffer.data);
}

static const char *
read_string(char **at)
{
	char	   *string = *at;

	*at += strlen(string) + 1;
	return pstrdup(string);
}

static void
restore_encoder(char **at, Encoder *encoder, MemoryContext context)
{
	const char *column = read_string(at);
	const char *hierarchy = read_string(at);
	Oid			type = take_uint32(at);
	uint32		null_code = take_uint32(at);
	uint32		miss_code = take_uint32(at);
	uint32		ncodes = take_uint32(at);
	Oid			range_type = take_uint32(at);
	uint32		nleaves;
	uint32	   *codes;
	Datum	   *leaves;
	bool		isnull;

	if (*hierarchy == '\0')
	{
		encoder_open(encoder, context, column, type);
		return;
	}
	nleaves = take_uint32(at);
	codes = MemoryContextAllocHuge(context, sizeof(uint32) * ((Size) nleaves + 1));
	leaves = MemoryContextAllocHuge(context, sizeof(Datum) * ((Size) nleaves + 1));
	for (uint32 i = 0; i < nleaves; i++)
		codes[i] = take_uint32(at);
	for (uint32 i = 0; i < nleaves; i++)
		leaves[i] = datumRestore(at, &isnull);
	encoder_leaves(encoder, context, column, hierarchy, type,
				   OidIsValid(range_type) ? range_type : type, leaves, nleaves, codes, null_code, ncodes);
	encoder->miss_code = miss_code;
}

EncoderSet *
encoders_of_value(Datum value, MemoryContext context)
{
	char	   *bytes = VARDATA(DatumGetPointer(value));
	EncoderSet *set;
	MemoryContext old;

	memcpy(&set, bytes, sizeof(set));
	if (!IsParallelWorker())
		return set;
	if (VARSIZE(DatumGetPointer(value)) - VARHDRSZ <= sizeof(set))
		elog(ERROR, "encoders were not made for parallel workers");

	/* a process that did not read the hierarchies itself */
	old = MemoryContextSwitchTo(context);
	bytes += sizeof(set);
	set = palloc(sizeof(EncoderSet));
	set->nencoders = take_uint32(&bytes);
	set->has_count = take_uint32(&bytes) != 0;
	set->encoders = palloc0(sizeof(Encoder) * (set->nencoders + 1));
	for (int i = 0; i < set->nencoders; i++)
		restore_encoder(&bytes, &set->encoders[i], context);
	encoders_lay_out(set);
	MemoryContextSwitchTo(old);
	return set;
}

bool
encoder_thresholds(const Encoder *encoder, Oid *type, int *n, char ***names, uint32 **codes, bool *closed)
{
	const RangeLeaves *ranges = encoder->ranges;

	if (ranges == NULL || ranges->nleaves == 0)
		return false;
	/* NaN lies above every threshold but is not in any range */
	if (ranges->leaves[ranges->nleaves - 1].upper.infinite)
		return false;

	/*
	 * thresholds can separate [a, b), or what is open below; the last may be
	 * [a, b]
	 */
	for (uint32 i = 0; i < ranges->nleaves; i++)
	{
		const RangeLeaf *leaf = &ranges->leaves[i];

		if (!(leaf->lower.infinite || leaf->lower.inclusive) || (leaf->upper.inclusive && i + 1 < ranges->nleaves))
			return false;
	}
	*closed = ranges->leaves[ranges->nleaves - 1].upper.inclusive;
	*type = encoder->type.type;
	*n = 0;
	*names = budget_alloc(sizeof(char *), 2 * (Size) ranges->nleaves + 1);
	*codes = budget_alloc(sizeof(uint32), 2 * (Size) ranges->nleaves + 2);
	(*codes)[0] = NO_LEAF;
	for (uint32 i = 0; i < ranges->nleaves; i++)
	{
		const RangeLeaf *leaf = &ranges->leaves[i];
		bool		adjoins = i > 0 && compare_bound(ranges, &leaf[-1].upper, leaf->lower.val) == 0;

		/*
		 * the bucket above the last threshold belongs to this leaf; if there
		 * is a gap, add the leaf's lower end first
		 */
		if (!leaf->lower.infinite && !adjoins)
		{
			(*names)[(*n)++] = value_text(*type, leaf->lower.val);
			(*codes)[*n] = NO_LEAF;
		}
		(*codes)[*n] = leaf->code;
		(*names)[(*n)++] = value_text(*type, leaf->upper.val);
		(*codes)[*n] = NO_LEAF;
	}
	return true;
}
