/*
 * packed_key.h
 *	  Packed keys: one code per column in as many bits as it needs, none across
 *	  two words.
 */
#ifndef ANONOPT_PACKED_KEY_H
#define ANONOPT_PACKED_KEY_H

#include "postgres.h"

#include "port/pg_bitutils.h"

typedef struct KeyField
{
	int			word;
	int			shift;
	uint64		mask;			/* of the code before it is shifted */
} KeyField;

/* Appends a field for a number of codes; nwords and left start at 0. */
static inline KeyField
key_add_field(int *nwords, int *left, uint64 ncodes)
{
	int			bits = ncodes <= 1 ? 0 : pg_leftmost_one_pos64(ncodes - 1) + 1;
	KeyField	field;

	if (*nwords == 0 || bits > *left)
	{
		(*nwords)++;
		*left = 64;
	}
	*left -= bits;
	field.word = *nwords - 1;
	field.shift = Min(*left, 63);
	field.mask = (UINT64CONST(1) << bits) - 1;
	return field;
}

static inline uint32
key_get(const uint64 *key, const KeyField *field)
{
	return (uint32) ((key[field->word] >> field->shift) & field->mask);
}

/* Stores a code in a field that is still zero. */
static inline void
key_put(uint64 *key, const KeyField *field, uint32 code)
{
	key[field->word] |= (uint64) code << field->shift;
}

/* Scatters the bits of a word, for hashing (the finalizer of MurmurHash3). */
static inline uint64
word_hash(uint64 word)
{
	word ^= word >> 33;
	word *= UINT64CONST(0xff51afd7ed558ccd);
	word ^= word >> 33;
	word *= UINT64CONST(0xc4ceb9fe1a85ec53);
	return word ^ (word >> 33);
}

/* Whether two keys agree outside one word. */
static inline bool
keys_agree_outside(const uint64 *a, const uint64 *b, int nwords, int word)
{
	for (int other = 0; other < nwords; other++)
		if (other != word && a[other] != b[other])
			return false;
	return true;
}

/* The key's word with the field cleared. */
static inline uint64
key_without(const uint64 *key, const KeyField *field)
{
	return key[field->word] & ~(field->mask << field->shift);
}

#endif
