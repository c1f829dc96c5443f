/*
 * bytes.h
 *	  Numbers as bytes for another process of the same server.
 */
#ifndef ANONOPT_BYTES_H
#define ANONOPT_BYTES_H

#include "postgres.h"

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

#endif
