/*
 * release_verify.h
 *	  Measures a release again.
 */
#ifndef ANONOPT_RELEASE_VERIFY_H
#define ANONOPT_RELEASE_VERIFY_H

#include "postgres.h"

typedef struct Verification
{
	int64		promised_k;
	bool		k_is_null;
	int64		k;
	bool		has_l;
	int64		promised_l;
	bool		l_is_null;
	int64		l;
	bool		rows_is_null;
	int64		rows;
	bool		has_t;
	double		promised_t;
	bool		t_is_null;
	double		t;
	char	   *others;			/* as json, or NULL */
	bool		ok;
	bool		untold;			/* something cannot be measured; ok covers the
								 * rest */
} Verification;

extern void release_verify(Oid relation, Verification *result);

#endif
