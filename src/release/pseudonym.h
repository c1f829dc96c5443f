/*
 * pseudonym.h
 *	  Keys shown as keyed hashes.
 */
#ifndef ANONOPT_PSEUDONYM_H
#define ANONOPT_PSEUDONYM_H

#include "catalog/dataset.h"
#include "common/hmac.h"
#include "lib/stringinfo.h"

/* Bytes of an HMAC that are shown, as twice as many hexadecimal digits. */
#define PSEUDONYM_BYTES 16

/* Bytes by which a secret is known, to tell whether two are the same. */
#define SECRET_NAME_BYTES 16

/* A column whose values are shown as pseudonyms. */
typedef struct Pseudonym
{
	const char *column;
	int			spooled;		/* its place among the spool's columns */
	bool		declared;		/* the secret is one that other releases may
								 * have; else it is this content's own */
	uint8		secret_name[SECRET_NAME_BYTES];
	pg_hmac_ctx *hmac;
	uint8	   *key;
	Size		key_length;
	FmgrInfo	output;
} Pseudonym;

/* Prepares a column's pseudonyms; the secret is read as the catalogs' owner, and never leaves this process. */
extern Pseudonym *pseudonym_begin(const Dataset *dataset, const char *column, Oid type, int spooled);

extern void pseudonym_end(Pseudonym *pseudonym);

/* A value's pseudonym. */
extern void pseudonym_of(Pseudonym *pseudonym, Datum value, uint8 * result);

/* The same as text. */
extern Datum pseudonym_text(Pseudonym *pseudonym, Datum value);

/* Whether a column is shown as pseudonyms. */
extern bool is_pseudonym(const Dataset *dataset, const char *column);

#endif
