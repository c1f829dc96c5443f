/*
 * pseudonym.h
 *	  Pseudonyms, and the people whom they link.
 */
#ifndef ANONOPT_PSEUDONYM_H
#define ANONOPT_PSEUDONYM_H

#include "catalog/dataset.h"
#include "common/hmac.h"
#include "engine/population.h"
#include "lib/stringinfo.h"
#include "release/release.h"

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
	bytea	   *secret_name;
	pg_hmac_ctx *hmac;
	uint8	   *key;
	Size		key_length;
	FmgrInfo	output;
	KeyCounter *persons;		/* whom it shows: the beginnings of their
								 * pseudonyms; instead of counts, digests of
								 * their classes */
} Pseudonym;

/*
 * Prepares a column's pseudonyms; reads the secret as the catalogs' owner, and
 * keeps it within this process.
 */
extern Pseudonym *pseudonym_begin(const Dataset *dataset, const char *column, Oid type, int spooled);

extern void pseudonym_end(Pseudonym *pseudonym);

/* A value's pseudonym as text. */
extern Datum pseudonym_text(Pseudonym *pseudonym, Datum value);

/* ------------------- what releases with the same pseudonyms together reveal */

/* The groups of people who are indistinguishable in all releases that share a secret. */
typedef struct LinkedGroups
{
	int			ncontents;
	List	   *relations;		/* without this release, which may not exist
								 * yet */
	List	   *names;
	int64		k;				/* the smallest promised k */
	int64		smallest;		/* people in the smallest group; 0 for none */
	int64		singled_out;	/* people in groups of fewer than k */
} LinkedGroups;

/*
 * Finds people whom a release's pseudonyms single out, and warns or fails, as
 * anonopt.composition says; keeps the people for linked_people_insert.
 */
extern void linked_people_check(Release *release);

/* Stores the people whom a content's pseudonyms link. */
extern void linked_people_insert(const Release *release, const char *id);

/*
 * Groups of people for the contents of a relation's releases and of all
 * releases that share their secrets; ncontents is 0 if there are none.
 */
extern LinkedGroups *linked_people_of_source(Oid source);

#endif
