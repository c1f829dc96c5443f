/*
 * bytes.h
 *	  Numbers as bytes, also portable ones, and as bits.
 */
#ifndef ANONOPT_BYTES_H
#define ANONOPT_BYTES_H

#include "postgres.h"

#include "base/packed_key.h"
#include "lib/stringinfo.h"

static inline void
append_uint32(StringInfo buffer, uint32 number)
{
	appendBinaryStringInfo(buffer, (char *) &number, sizeof(number));
}

static inline uint32
take_uint32(char **at)
{
	uint32		number;

	memcpy(&number, *at, sizeof(number));
	*at += sizeof(number);
	return number;
}

/* ---------------- numbers as bytes, and digests, that are the same on every */

/* Numbers are written least significant byte first. */
static inline void
put_number(unsigned char **at, uint64 number, int nbytes)
{
	for (int i = 0; i < nbytes; i++)
		*(*at)++ = (unsigned char) (number >> (8 * i));
}

static inline uint64
take_number(const unsigned char **at, int nbytes)
{
	uint64		number = 0;

	for (int i = 0; i < nbytes; i++)
		number |= (uint64) *(*at)++ << (8 * i);
	return number;
}

/* FNV-1a, whose bits are scattered; never 0. */
static inline uint64
portable_digest(const void *bytes, Size n)
{
	const unsigned char *at = bytes;
	uint64		digest = UINT64CONST(0xcbf29ce484222325);

	for (Size i = 0; i < n; i++)
		digest = (digest ^ at[i]) * UINT64CONST(0x100000001b3);
	digest = word_hash(digest);
	return digest == 0 ? 1 : digest;
}

/* ------------- Comparisons for qsort, of numbers or of what begins with one */

static inline int
compare_doubles(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return x < y ? -1 : x > y;
}

static inline int
compare_int64s(const void *a, const void *b)
{
	int64		x = *(const int64 *) a;
	int64		y = *(const int64 *) b;

	return x < y ? -1 : x > y;
}

static inline int
compare_uint32s(const void *a, const void *b)
{
	uint32		x = *(const uint32 *) a;
	uint32		y = *(const uint32 *) b;

	return x < y ? -1 : x > y;
}

/* Two numbers, or what begins with two. */
static inline int
compare_uint32_pairs(const void *a, const void *b)
{
	int			order = compare_uint32s(a, b);

	return order != 0 ? order : compare_uint32s((const uint32 *) a + 1, (const uint32 *) b + 1);
}

#endif
