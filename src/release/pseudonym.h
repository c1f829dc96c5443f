/*
 * pseudonym.h
 *	  Keys shown as keyed hashes.
 */
#ifndef ANONOPT_PSEUDONYM_H
#define ANONOPT_PSEUDONYM_H

#include "catalog/dataset.h"
#include "common/hmac.h"
#include "lib/stringinfo.h"

/* Bytes of an HMAC that are shown, with two hexadecimal digits each. */
#define PSEUDONYM_BYTES 16

/* Bytes that identify a secret, to find out whether two are equal. */
#define SECRET_NAME_BYTES 16

/* A column whose values are shown as pseudonyms. */
typedef struct Pseudonym
{
	const char *column;
	int			spooled;		/* its position among the spool's columns */
	bool		declared;		/* whether other releases may share the
								 * secret; if not, it is used only for this
								 * content */
	uint8		secret_name[SECRET_NAME_BYTES];
	pg_hmac_ctx *hmac;
	uint8	   *key;
	Size		key_length;
	FmgrInfo	output;
} Pseudonym;

/*
 * Prepares a column's pseudonyms; reads the secret as the catalogs' owner, and
 * keeps it within this process.
 */
extern Pseudonym *pseudonym_begin(const Dataset *dataset, const char *column, Oid type, int spooled);

extern void pseudonym_end(Pseudonym *pseudonym);

/* A value's pseudonym. */
extern void pseudonym_of(Pseudonym *pseudonym, Datum value, uint8 * result);

/* The same, as text. */
extern Datum pseudonym_text(Pseudonym *pseudonym, Datum value);

#endif
